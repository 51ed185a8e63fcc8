/* SPDX-License-Identifier: Apache-2.0 */
/* Changes: append, delete, upgrade. Each is one commit (upgrade may be metadata alone) on branch main. */
#ifndef ROWLINE_WRITE_H
#define ROWLINE_WRITE_H

#include <rowline/arrow.h>
#include <rowline/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ROWLINE_CONFLICT after retries: nothing committed, own files removed. ROWLINE_COMMIT_UNKNOWN: it may be committed; nothing
 * removed; look for `commit_id`. */
typedef struct rowline_change_options {
    size_t struct_size;
    const rowline_property *snapshot_properties;
    size_t snapshot_property_count;
    int32_t dry_run; /* 1: all figures, nothing written */
} rowline_change_options;

/* Appends rows of files: `format` "parquet", "csv", "jsonl" or "arrow", NULL: by the file's extension; the path "-" is standard input,
 * with a format. Columns by name; a missing one takes
 * its write default or null; unknown and reserved ones are refused. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_append_files(rowline_table *table, const char *const *paths, size_t path_count, const char *format,
                     const rowline_change_options *options, rowline_commit *commit, rowline_error *err);
/* Appends the rows of a stream (columns by name); takes and releases the stream. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_append_stream(rowline_table *table, struct ArrowArrayStream *rows,
                      const rowline_change_options *options, rowline_commit *commit, rowline_error *err);
/* Deletes the rows that satisfy `where` by deletion vectors; a file without live rows left is removed with its vector.
 * Below v3 ROWLINE_UNSUPPORTED. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_delete(rowline_table *table, const char *where, const rowline_change_options *options,
               rowline_commit *commit, rowline_error *err);

typedef struct rowline_upgrade {
    size_t struct_size; /* in: the caller's sizeof */
    int32_t from_version, to_version;
    int64_t assigned_rows;
    char branches_without_ids_json[4096]; /* array of names, as many as there is room for */
    char writers_json[4096];              /* likewise: {"name", "version", "snapshots"} seen in summaries */
    int64_t live_equality_deletes, live_position_deletes; /* files */
    int64_t branches_without_ids, writers;                /* of all, listed or not */
} rowline_upgrade;

/* Upgrades the format version and gives every row of main an id in the same swap (`assign` 0: only the version). */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_table_upgrade(rowline_table *table, int32_t to_version, int32_t assign,
                      const rowline_change_options *options, rowline_commit *commit, rowline_upgrade *upgrade,
                      rowline_error *err);

#ifdef __cplusplus
}
#endif

#endif
