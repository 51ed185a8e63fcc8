/* SPDX-License-Identifier: Apache-2.0 */
/* Reading: rows with lineage, counts, digests, and the tables about a table. */
#ifndef ROWLINE_READ_H
#define ROWLINE_READ_H

#include <rowline/arrow.h>
#include <rowline/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Results with rows are ArrowArrayStreams: struct arrays of up to 65,536 rows. A failing get_next gives EIO (its
 * text by get_last_error) and the stream's rowline error by rowline_stream_error. Nested values of metadata tables
 * are UTF-8 columns of the extension type arrow.json.
 */

typedef struct rowline_scan_options {
    size_t struct_size;
    const char *select;      /* "a, b, _file": NULL for all columns of the table, "" for none */
    const char *where;       /* filter expression or NULL */
    int64_t limit;           /* -1: none */
    int32_t lineage;         /* 1: append _row_id and _last_updated_sequence_number (Lance: _rowid,
                              * _row_created_at_version, _row_last_updated_at_version) */
    int32_t order_by_row_id; /* 1: ascending ids, rows without lineage last */
    int32_t no_verify_pages; /* 1: page checksums are not compared */
} rowline_scan_options;

typedef struct rowline_scan_stats {
    size_t struct_size;
    int64_t manifests_read, manifests_skipped, files_read, files_skipped;
    int64_t row_groups_read, row_groups_skipped, pages_read, pages_skipped, bytes_read, requests;
} rowline_scan_stats;

/* Live rows of the table state in plan order. The stream keeps the table's files open; free the table after it. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_scan(rowline_table *table, const rowline_scan_options *options, struct ArrowArrayStream *out,
             rowline_error *err);
/* What a scan has read so far (or in all, after its end). */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_scan_get_stats(struct ArrowArrayStream *scan, rowline_scan_stats *stats, rowline_error *err);
/* The rowline error behind a stream's last failure; code ROWLINE_OK when there was none. */
ROWLINE_API void
rowline_stream_error(struct ArrowArrayStream *stream, rowline_error *out);

/* Number of live rows that satisfy `where` (NULL: all). */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_count(rowline_table *table, const char *where, int64_t *out, rowline_error *err);

/* What identity sums to; rowline-digest(1). Sums are decimal text, exact to 38 digits. */
typedef struct rowline_digest {
    size_t struct_size;
    int64_t rows, rows_without_lineage;
    char row_id_sum[48], last_updated_sum[48], product_sum[48];
    char lineage_checksum[17]; /* 16 lower-case hex digits */
} rowline_digest;
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_table_digest(rowline_table *table, const char *where, rowline_digest *out, rowline_error *err);
/* The digest of two states of one table, each TABLE's snapshot id, branch or tag (Lance: a version of the handle's branch, a branch, a
 * tag), or NULL for the state that the handle was opened at. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_digest_compare(rowline_table *table, const char *a, const char *b, const char *where,
                       rowline_digest *digest_a, rowline_digest *digest_b, int32_t *equal,
                       rowline_error *err);

/* Flags of rowline_log. */
#define ROWLINE_LOG_ALL      1 /* every snapshot; else the ancestors of the handle's */
#define ROWLINE_LOG_METADATA 2 /* also what changed without a snapshot: rows whose snapshot_id is null */
/* Snapshots, newest first. Columns as rowline-log(1); of a Lance dataset versions. The engine of a snapshot that its summary does not tell is looked for in
 * a file it added. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_log(rowline_table *table, int32_t flags, struct ArrowArrayStream *out, rowline_error *err);
/* Live data and delete files of the handle's snapshot, or fragments of the Lance dataset's version; rowline-files(1). */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_files(rowline_table *table, struct ArrowArrayStream *out, rowline_error *err);
/* ROWLINE_UNSUPPORTED for a Lance dataset, as the next two are. Manifest entries, DELETED ones too, stored and inherited values; rowline-entries(1). */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_entries(rowline_table *table, struct ArrowArrayStream *out, rowline_error *err);
/* The manifests of the handle's snapshot; rowline-manifests(1). */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_manifests(rowline_table *table, struct ArrowArrayStream *out, rowline_error *err);
/* The partitions of the handle's snapshot, live files summed up; rowline-partitions(1). */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_partitions(rowline_table *table, struct ArrowArrayStream *out, rowline_error *err);
/* Branches and tags; rowline-refs(1). */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_refs(rowline_table *table, struct ArrowArrayStream *out, rowline_error *err);

/* --- cells as text --- */

/* Turns cells of a stream's arrays into the text forms of rowline(1), "Values in JSON". Not thread-safe. */
typedef struct rowline_formatter rowline_formatter;
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_formatter_new(rowline_context *context, const struct ArrowSchema *schema, rowline_formatter **out,
                      rowline_error *err);
ROWLINE_API void
rowline_formatter_free(rowline_formatter *formatter); /* NULL is fine */
/* Column `column`, row `row` of `array`: with `json` 1 a JSON value (null included), else plain text (NULL for null). The
 * text has a NUL and is valid until the next call. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_formatter_cell(rowline_formatter *formatter, const struct ArrowArray *array, int64_t column,
                       int64_t row, int32_t json, const char **text, size_t *length, rowline_error *err);

#ifdef __cplusplus
}
#endif

#endif
