/* SPDX-License-Identifier: Apache-2.0 */
/* What the manifest of a Lance dataset's version adds up to; where lineage is kept, and its bytes. */
#ifndef RWL_ENGINE_LANCE_FIGURES_H
#define RWL_ENGINE_LANCE_FIGURES_H

#include "engine/inspect_doc.h"
#include "engine/table.h"

/* What Lance's compaction packs fragments to, unless told otherwise (target_rows_per_fragment). */
enum { RWL_LANCE_SMALL_ROWS = 1024 * 1024 };

typedef struct rwl_lance_sequence_figures {
    int64_t inline_fragments, inline_bytes;
    int64_t spilled_fragments, spilled_bytes; /* bytes of pages */
    int64_t absent_fragments, external_fragments;
} rwl_lance_sequence_figures;

typedef struct rwl_lance_figures {
    int64_t physical_rows, deleted_rows;
    int64_t
        rows_without_ids; /* live ones whose ids are missing, or where they are not read; all without stable row ids */
    int64_t data_files, bytes;        /* a file that several fragments name counts each time */
    int64_t small_files, small_bytes; /* of fragments of less than RWL_LANCE_SMALL_ROWS physical rows */
    int64_t deletion_files;
    rwl_lance_sequence_figures sequences[RWL_LANCE_SEQUENCES];
} rwl_lance_figures;

/* Which of them to fill; lineage without spilled_bytes always is. */
enum {
    RWL_LANCE_FIGURES_ROWS = 1,   /* deletion files are read for what the manifest does not tell of them */
    RWL_LANCE_FIGURES_FILES = 2,  /* sizes that it does not tell are asked for */
    RWL_LANCE_FIGURES_SPILLED = 4 /* carriers of spilled lineage are looked into */
};

RWL_MUST_CHECK rwl_status rwl_lance_figures_read(const rwl_table *table, rwl_op *op, unsigned wanted,
                                                 rwl_lance_figures *out, rwl_error *err);

/* Deleted rows of a fragment. */
RWL_MUST_CHECK rwl_status rwl_lance_deleted_rows(const rwl_lance_dataset *dataset, rwl_op *op,
                                                 const rwl_lance_fragment *fragment, int64_t *out,
                                                 rwl_error *err);
/* Live rows as far as the manifest tells; false when it does not. */
bool rwl_lance_live_rows(const rwl_lance_manifest *manifest, int64_t *out);
/* "absent", "inline", "column", "external". */
const char *rwl_lance_arm_name(rwl_lance_arm_kind kind);
/* The array of what is known of each sequence. */
void rwl_lance_figures_put(const rwl_lance_figures *figures, rwl_doc *doc, const char *key);
/* {"value": 3, "names": […]} */
void rwl_lance_flags_put(uint64_t flags, rwl_doc *doc, const char *key);
/* The object of refs by name, from engine/lance_history.h. */
RWL_MUST_CHECK rwl_status rwl_lance_refs_put(const rwl_table *table, rwl_op *op, rwl_doc *doc,
                                             const char *key, rwl_error *err);
/* "bases": [{id, name, path, is_dataset_root}…] */
void rwl_lance_bases_put(const rwl_lance_manifest *manifest, rwl_doc *doc);
/* "lance" and "14.0.2", NULL when the manifest does not say. */
void rwl_lance_writer_put(const rwl_lance_manifest *manifest, rwl_doc *doc, const char *key);

#endif
