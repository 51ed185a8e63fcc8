/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of an update: what outlives an attempt (struct rwl_update) and the attempt itself.
 *
 *   update.c          life cycle, one attempt from start to end, discarding
 *   update_scan.c     finds the named files in the head's manifests; writes filtered manifests
 *   update_add.c      manifests of new data files and new vectors, and the pin
 *   update_conflict.c what happened since the plan: removed inputs, new deletes
 *   update_summary.c  figures and the snapshot summary
 */
#ifndef RWL_ICEBERG_UPDATE_INTERNAL_H
#define RWL_ICEBERG_UPDATE_INTERNAL_H

#include "base/map.h"
#include "base/vec.h"
#include "iceberg/delete_index.h"
#include "iceberg/update.h"
#include "lineage/pin.h"

/* A data file that the change names, and where a scan found it live. */
typedef struct update_target {
    const char *path;
    const rwl_removed_file *removed;
    const rwl_added_vector *vector; /* may be NULL; both are set only by a change that contradicts itself */
} update_target;

/* A live entry of a source manifest that concerns the change. */
typedef struct update_hit {
    size_t target;          /* data files: index of the target; delete files: SIZE_MAX */
    size_t removed_delete;  /* delete files: index in the change's removed_deletes, SIZE_MAX */
    bool drop;              /* becomes DELETED */
    bool unreplaced_vector; /* a vector on a target that gets another one, not named as replaced */
    int64_t sequence_number;
    rwl_data_file file; /* without metrics */
} update_hit;

/* What reading one manifest of a head showed, and the manifest that replaces it. Valid for every attempt
 * whose list has the same manifest with the same first_row_id. */
typedef struct update_source {
    rwl_manifest counted; /* the list's line with counts filled by reading */
    update_hit *hits;
    size_t hit_count;
    bool drops; /* some hit is dropped */
    bool has_filtered;
    rwl_manifest filtered;
} update_source;

/* A manifest of new files; `first`, `count` are its files in rwl_update.order. */
typedef struct update_new_manifest {
    rwl_manifest manifest;
    size_t first, count;
    bool pinned; /* every row of it stores its lineage */
} update_new_manifest;

/* A file written by some attempt. */
typedef struct update_written {
    const char *path;
    bool used; /* by the last attempt */
} update_written;

struct rwl_update {
    const rwl_env *env;
    rwl_store *store;
    rwl_op *op;
    const rwl_change_set *change;
    const char *branch, *commit_id;
    int64_t snapshot_id;
    bool dry_run;
    rwl_arena arena;
    RWL_VEC(update_target) targets;
    rwl_map target_by_path; /* path → index + 1 */
    rwl_map delete_by_name; /* location '\0' offset → index in removed_deletes + 1 */
    rwl_map sources;        /* path '\0' first_row_id → update_source */
    bool knows_table;       /* uuid is that of the table, as planned or as first found */
    const char *uuid;       /* NULL when it has none */
    int32_t format_version; /* 0 until known */
    bool added_ready;
    RWL_VEC(update_new_manifest) added;
    RWL_VEC(rwl_manifest) added_deletes;
    RWL_VEC(size_t) order; /* added files by manifest */
    RWL_VEC(update_written) written;
    int32_t attempts, manifest_number;
};

/* Figures of a snapshot summary. */
typedef struct update_figures {
    int64_t added_data_files, removed_data_files, added_records, removed_records, added_size, removed_size;
    int64_t added_delete_files, removed_delete_files, added_vectors, removed_vectors;
    int64_t removed_position_files, removed_equality_files;
    int64_t added_positions, removed_positions, removed_equality_rows;
    int64_t manifests_created, manifests_kept, manifests_replaced;
} update_figures;

/* Where a target was found in this attempt. */
typedef struct update_found {
    const update_hit *hit; /* NULL: not live */
} update_found;

typedef struct update_attempt {
    rwl_update *u;
    const rwl_metadata *base;
    const rwl_snapshot *head; /* NULL: the branch is empty */
    rwl_arena arena;
    rwl_manifest_list parent;
    update_source **sources; /* one a line of `parent`; NULL: carried without reading */
    update_found *found;     /* one a target */
    bool *deletes_found;     /* one a removed delete */
    RWL_VEC(rwl_manifest) list;
    rwl_map partitions; /* keys of changed partitions */
    update_figures figures;
    rwl_conflict *conflict;
    int64_t sequence_number, first_row_id, next_row_id;
} update_attempt;

/* --- update_scan.c --- */

/* Reads what has to be read of the head's manifests and notes what was found. */
RWL_MUST_CHECK rwl_status rwl_update_scan(update_attempt *a, rwl_error *err);
/* Writes the filtered manifest of a source that drops entries, unless an earlier attempt did. */
RWL_MUST_CHECK rwl_status rwl_update_filter(update_attempt *a, const rwl_manifest *line,
                                            update_source *source, rwl_error *err);

/* --- update_add.c --- */

/* Writes the manifests of new files and vectors, once for all attempts. */
RWL_MUST_CHECK rwl_status rwl_update_add(update_attempt *a, rwl_error *err);
/* Sets the first_row_id of a pinned manifest for this attempt (lineage/pin.h); LAW_BROKEN naming the law. */
RWL_MUST_CHECK rwl_status rwl_update_pin(update_attempt *a, const update_new_manifest *m, rwl_manifest *line,
                                         rwl_error *err);

/* A manifest being written, or in a dry run only counted. */
typedef struct update_sink {
    rwl_update *u;
    rwl_manifest_writer *writer;
    rwl_manifest counts;
} update_sink;
RWL_MUST_CHECK rwl_status rwl_update_sink_open(update_attempt *a, const rwl_partition_spec *spec,
                                               int32_t content, update_sink *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_update_sink_add(update_sink *s, const rwl_data_file *file, int64_t sequence,
                                              rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_update_sink_carry(update_sink *s, const rwl_manifest_entry *entry,
                                                int32_t status, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_update_sink_finish(update_sink *s, rwl_manifest *out, rwl_error *err);
void rwl_update_sink_abort(update_sink *s);

/* --- update_conflict.c --- */

/* CONFLICT when the head lacks a named file or got a delete on one since the plan. */
RWL_MUST_CHECK rwl_status rwl_update_check_conflicts(update_attempt *a, rwl_error *err);

/* --- update_summary.c --- */

RWL_MUST_CHECK rwl_status rwl_update_count(update_attempt *a, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_update_summary(const update_attempt *a, rwl_json **out, rwl_error *err);

/* --- update.c --- */

/* `<metadata folder>/<name>` in the update's arena, noted as written. */
RWL_MUST_CHECK rwl_status rwl_update_new_path(update_attempt *a, const char *name, const char **out,
                                              rwl_error *err);
/* The target of this path, SIZE_MAX when the change does not name it. */
size_t rwl_update_target(const rwl_update *u, rwl_span path);

#endif
