/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: naming, opening, creating, describing. */
#ifndef ROWLINE_TABLE_H
#define ROWLINE_TABLE_H

#include <rowline/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * An opened table state: one metadata version and the snapshot it was opened at, or a version of a Lance dataset (read only). Reading calls on one handle may run
 * concurrently. A changing call works on the freshest version and leaves the handle where it is: open again to see
 * its result.
 */
typedef struct rowline_table rowline_table;

/* Metadata keep `from`; files are read and written under `to` (a moved table). */
typedef struct rowline_path_map {
    const char *from, *to;
} rowline_path_map;

typedef struct rowline_open_options {
    size_t struct_size;
    const rowline_path_map *maps; /* the longest matching `from` wins */
    size_t map_count;
    const char *snapshot; /* a snapshot id, or a Lance dataset's version; or NULL */
    const char *ref;      /* a branch or tag, or NULL; a Lance dataset's version may be one of a branch */
    int32_t for_change;   /* 1: refuse at once what can't be changed (metadata files, foreign layouts) */
    const char *
        as_of; /* a time with a zone or an age (7d, 12h, 50m, 30s), or NULL: main then, or the branch that is named */
} rowline_open_options;

/*
 * Opens TABLE, TABLE@REF, TABLE@{TIME} or TABLE@BRANCH@{TIME}: a directory, a file: URL of one, a *.metadata.json file or a Parquet
 * file by itself (both read only). A directory with a _versions folder is a Lance dataset. REF is a snapshot id (Lance: a version), branch
 * or tag. An id, tag or time is read with its snapshot's schema, a
 * branch with the current one. ROWLINE_USAGE (a state named twice, a time without zone), ROWLINE_NOT_FOUND (an expired snapshot too),
 * ROWLINE_UNSUPPORTED (moved without a map, catalogs, format 4), ROWLINE_CORRUPT.
 */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_table_open(rowline_context *context, const char *name, const rowline_open_options *options,
                   rowline_table **out, rowline_error *err);
ROWLINE_API void
rowline_table_free(rowline_table *table); /* NULL is fine */

/* What a table is; every pointer is owned by the table handle. */
typedef struct rowline_table_info {
    size_t struct_size; /* in: the caller's sizeof */
    int32_t format_version;
    int64_t next_row_id; /* -1 below v3 */
    int64_t last_sequence_number;
    int64_t current_snapshot_id; /* head of main, -1 when none */
    int64_t snapshot_id;         /* the snapshot the handle reads, -1 when none */
    const char *table_uuid;      /* NULL in v1 without one */
    const char *location;
    const char *metadata_location;
    const char *schema_json; /* that the handle is read with, as the metadata's JSON has it */
    const char *partition_spec_json, *sort_order_json; /* current ones, likewise */
    const char *refs_json;                             /* object by ref name, rowline-show(1) */
    const char *properties_json;
    const char *format; /* "iceberg", "lance" */
    int32_t
        stable_row_ids; /* 1: rows keep their ids; 0: none (v1, v2), or addresses (Lance without stable row ids) */
} rowline_table_info;
/*
 * Of a Lance dataset format_version is 0, last_sequence_number and snapshot_id its version, current_snapshot_id the newest version of main,
 * schema_json {"fields": [{id, name, type, nullable, children?}…]} with types as they are stored, properties_json its config;
 * table_uuid, partition_spec_json and sort_order_json are NULL. ROWLINE_UNSUPPORTED for a data file by itself.
 */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_table_describe(rowline_table *table, rowline_table_info *info, rowline_error *err);
/* All that a Lance dataset's version is, where its lineage is kept and in how many bytes: rowline-show(1), as one JSON object owned by the
 * handle. Files that carry spilled lineage are opened. ROWLINE_UNSUPPORTED for other tables. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_table_details(rowline_table *table, const char **json, rowline_error *err);

/*
 * What state the handle's snapshot is in, from metadata and manifests alone. Where equality deletes or position deletes of several files are
 * live, `rows` is an upper bound and `deleted_rows` a lower one. Every pointer is owned by the table handle.
 */
typedef struct rowline_table_figures {
    size_t struct_size;         /* in: the caller's sizeof */
    int64_t rows, deleted_rows; /* live, and deleted positions in live files */
    int32_t rows_exact;         /* 0: bounds, as above */
    int32_t format_version;
    int64_t data_files, bytes;
    int64_t small_files, small_bytes, small_partitions,
        small_limit; /* data files below small_limit bytes; Lance: of fragments below 1,048,576 rows, limit 0 */
    int64_t delete_files, deletion_vectors, position_delete_files, equality_delete_files;
    int32_t lineage_complete; /* 1: every live data file has a first_row_id */
    int64_t rows_without_lineage;
    int64_t next_row_id; /* -1 below v3 */
    int64_t snapshots, first_snapshot_ms, last_commit_ms;
    int64_t
        metadata_version; /* N of vN.metadata.json or NNNNN-uuid.metadata.json; 0 for a file that was named itself */
    const char *catalog;     /* "filesystem", "catalog, by path", "metadata file" */
    const char *last_engine; /* of the handle's snapshot: "spark 4.1.4"; NULL when its summary does not say */
    const char
        *writers_json; /* [{name, version, snapshots}…], unsigned ones last: name null, with snapshot_ids[] */
    const char *
        due_json; /* [{what: "compact", groups, files, bytes, expected_files}, {what: "assign", files, rows}] */
    const char *cautions_json; /* [sentence…] */
    const char *format;        /* "iceberg", "lance" */
    /* Lance: all figures as one object, rowline-status(1): fragments, inline and spilled bytes of lineage, what spilling would save,
     * feature flags; else NULL. Above, snapshots are versions, a deletion file is a delete file, format_version is 0. */
    const char *details_json;
} rowline_table_figures;
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_table_status(rowline_table *table, rowline_table_figures *figures, rowline_error *err);

typedef struct rowline_property {
    const char *key, *value;
} rowline_property;

/* Figures of a commit. Conflicts that retries overcame are listed as JSON. */
typedef struct rowline_commit {
    size_t struct_size;         /* in: the caller's sizeof */
    int64_t snapshot_id;        /* -1: nothing was committed (nothing to do, dry run, create) */
    int64_t parent_snapshot_id; /* -1 when none */
    int64_t sequence_number;
    const char *operation; /* static storage; NULL when there is none */
    int64_t added_data_files, removed_data_files, added_delete_files, removed_delete_files;
    int64_t added_records, removed_records;
    int64_t first_row_id, added_rows, next_row_id; /* -1 below v3 */
    int64_t deleted_rows; /* live rows that a delete ended, by vector or with their file */
    int32_t attempts;
    int64_t wall_ms;
    int32_t dry_run;
    char conflicts_json[4096]; /* array of {snapshot_id, engine, files[], groups[]} */
    char commit_id[40];        /* rowline.commit-id of the snapshot's summary */
} rowline_commit;

typedef struct rowline_create_options {
    size_t struct_size;
    const char *schema;     /* "id long not null, ts timestamptz"; or NULL with `like` */
    const char *like;       /* a Parquet or Arrow IPC file whose columns to take */
    const char *partition;  /* "day(ts), bucket(16, id)" or NULL */
    const char *sort;       /* "ts desc nulls last" or NULL */
    int32_t format_version; /* 2 or 3; 0: 3 */
    const rowline_property *properties;
    size_t property_count;
    int32_t dry_run;
} rowline_create_options;

/* Makes an empty table (no snapshot) in a directory that holds none; ROWLINE_EXISTS else. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_table_create(rowline_context *context, const char *directory, const rowline_create_options *options,
                     rowline_commit *commit, rowline_error *err);

#ifdef __cplusplus
}
#endif

#endif
