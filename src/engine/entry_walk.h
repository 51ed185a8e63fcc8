/* SPDX-License-Identifier: Apache-2.0 */
/* Every entry of a state's manifests, one after another: what the tables about a table are made of. */
#ifndef RWL_ENGINE_ENTRY_WALK_H
#define RWL_ENGINE_ENTRY_WALK_H

#include "engine/inspect_doc.h"
#include "engine/table.h"
#include "iceberg/manifest.h"

typedef struct rwl_entry_walk {
    const rwl_table *table;
    rwl_op *op;
    rwl_manifest_list list;
    int32_t at;                     /* the manifest being read, list.count at the end */
    bool deletes_only;              /* set after open: manifests of data files are left out */
    rwl_manifest_reader *reader;    /* of it, NULL before it is opened */
    rwl_arena arena;                /* partition types of the manifest's spec */
    const rwl_partition_spec *spec; /* of the manifest, NULL when the metadata has none of its id */
    const rwl_type *types;          /* of the spec's fields */
} rwl_entry_walk;

/* Reads the manifest list of `snapshot` (NULL: none). `table` and `op` must outlive the walk. */
RWL_MUST_CHECK rwl_status rwl_entry_walk_open(rwl_entry_walk *w, const rwl_table *table, rwl_op *op,
                                              const rwl_snapshot *snapshot, rwl_error *err);
/* The next entry, DELETED ones too; valid until the next call. NULL at the end. */
RWL_MUST_CHECK rwl_status rwl_entry_walk_next(rwl_entry_walk *w, const rwl_manifest_entry **out,
                                              rwl_error *err);
void rwl_entry_walk_clear(rwl_entry_walk *w);

/* The manifest of the entry given last. */
static inline const rwl_manifest *rwl_entry_walk_manifest(const rwl_entry_walk *w) {
    return &w->list.items[w->at];
}
/* The partition of a file of the entry given last, as a JSON object by field name. */
void rwl_entry_walk_put_partition(const rwl_entry_walk *w, const rwl_data_file *file, rwl_doc *doc);

/* The spec of a manifest and the types of its fields, in `arena`; the spec is NULL when the metadata has none of its id. */
RWL_MUST_CHECK rwl_status rwl_manifest_spec_types(const rwl_metadata *m, const rwl_manifest *manifest,
                                                  rwl_arena *arena, const rwl_partition_spec **spec,
                                                  const rwl_type **types, rwl_error *err);

#endif
