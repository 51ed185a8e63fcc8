/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parquet files by themselves: read, write, stitch, with Arrow C data at the border. (What is in a file, as people want
 * to see it: inspect.h.)
 *
 * Different handles may be used by different threads at once; one handle by one thread at a time, except that an opened
 * file may be read by several streams. What is made of something else goes before it: streams before their file, files
 * and writers before their context.
 *
 * Options may be NULL for the defaults. Every struct with a `struct_size` wants sizeof of that struct there, in options
 * (else ROWLINE_USAGE) and in results (else nothing is filled in); it lets callers compiled with an older header go on.
 */
#ifndef ROWLINE_PARQUET_H
#define ROWLINE_PARQUET_H

#include <rowline/arrow.h>
#include <rowline/read.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- reading --- */

typedef struct rowline_parquet rowline_parquet;

/* Opens a file by path or file: URI and reads its footer. ROWLINE_NOT_FOUND, ROWLINE_CORRUPT, ROWLINE_UNSUPPORTED (an
 * encrypted footer). */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_parquet_open(rowline_context *context, const char *location, rowline_parquet **out,
                     rowline_error *err);
/* Streams of the file must be released first. NULL is fine. */
ROWLINE_API void
rowline_parquet_close(rowline_parquet *file);

typedef struct rowline_parquet_info {
    size_t struct_size; /* in: the caller's sizeof */
    int64_t rows, bytes;
    int32_t row_groups, columns; /* top-level columns */
    const char *created_by;      /* owned by the file; NULL when it does not say */
} rowline_parquet_info;
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_parquet_describe(const rowline_parquet *file, rowline_parquet_info *out, rowline_error *err);
/* The file's columns as a struct schema, field ids as metadata "PARQUET:field_id". Columns that cannot be read are left
 * out. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_parquet_schema(const rowline_parquet *file, struct ArrowSchema *out, rowline_error *err);

typedef struct rowline_parquet_read_options {
    size_t struct_size;
    const char *const *columns; /* names of top-level columns in output order; NULL: all */
    size_t column_count;
    const char
        *where; /* filter on the file's columns, NULL: all rows; pages that cannot match are not read */
    int64_t first_row;       /* physical row to start at */
    int64_t row_count;       /* how many from there on, -1 (and 0 of a zeroed struct): to the end */
    int64_t batch_rows;      /* 0: 65,536 */
    int32_t no_verify_pages; /* 1: page checksums are not compared */
} rowline_parquet_read_options;

/* Rows in file order as struct arrays. ROWLINE_UNSUPPORTED, by name, for a column whose type has no counterpart;
 * ROWLINE_USAGE for a column that is not there or a filter that makes no sense. `out` is set only on success. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_parquet_read(rowline_parquet *file, const rowline_parquet_read_options *options,
                     struct ArrowArrayStream *out, rowline_error *err);
/* What a stream of rowline_parquet_read has read and skipped so far; counts of manifests stay 0. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_parquet_read_get_stats(struct ArrowArrayStream *stream, rowline_scan_stats *stats,
                               rowline_error *err);

/* --- writing --- */

typedef struct rowline_parquet_write_options {
    size_t struct_size;
    /*
     * Iceberg's table properties by name, e.g. "write.parquet.compression-codec" = "zstd". After "write.parquet.":
     * compression-codec, compression-level, row-group-size-bytes, page-size-bytes, page-row-limit, page-version ("v1" or
     * "v2"), dict-size-bytes, bloom-filter-max-bytes, and of a column bloom-filter-enabled.column.NAME (-fpp, -ndv),
     * stats-enabled.column.NAME, dict-encoding-enabled.column.NAME. Rowline's own: "rowline.parquet.encoding" = "plain",
     * "delta" or "split". Other names are passed over. Sizes are lowered to what the context's memory allows.
     */
    const rowline_property *properties;
    size_t property_count;
    const rowline_property *key_values; /* stored in the footer */
    size_t key_value_count;
    const int32_t *sorted_by; /* columns by which the rows come sorted, ascending, nulls first; flat ones */
    size_t sorted_by_count;
} rowline_parquet_write_options;

typedef struct rowline_parquet_result {
    size_t struct_size; /* in: the caller's sizeof */
    int64_t rows, bytes;
    int32_t row_groups;
    int64_t pages_copied, pages_recoded, pages_encoded; /* of a stitched file */
} rowline_parquet_result;

typedef struct rowline_parquet_writer rowline_parquet_writer;

/* Begins a file that becomes visible by finish, which gives ROWLINE_EXISTS where the name is taken. `schema` (a struct,
 * released by the writer whatever the result) may give field ids as metadata "PARQUET:field_id". */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_parquet_writer_open(rowline_context *context, const char *location, struct ArrowSchema *schema,
                            const rowline_parquet_write_options *options, rowline_parquet_writer **out,
                            rowline_error *err);
/* Appends the rows of a struct array of that schema, which is not released. After a failure only abort is left: further
 * writes and finish fail with the same code, and no file remains. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_parquet_writer_write(rowline_parquet_writer *writer, const struct ArrowArray *rows,
                             rowline_error *err);
/* Completes the file; the writer is gone whatever the result. `result` may be NULL. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_parquet_writer_finish(rowline_parquet_writer *writer, rowline_parquet_result *result,
                              rowline_error *err);
ROWLINE_API void
rowline_parquet_writer_abort(rowline_parquet_writer *writer); /* NULL is fine */

/* --- stitching --- */

typedef struct rowline_row_range {
    int64_t first, count; /* physical rows */
} rowline_row_range;

typedef struct rowline_parquet_part {
    rowline_parquet *file;
    const rowline_row_range *ranges; /* ascending, disjoint; NULL: all rows */
    size_t range_count;
} rowline_parquet_part;

/* Writes a file of the rows of `parts` in order, with the columns of the first part's file: compressed pages are copied
 * as they are where nothing in them changes. Columns are matched by field id, by name where the first file has no ids; one
 * that a part lacks becomes null. ROWLINE_UNSUPPORTED when a part does not fit, saying why. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_parquet_stitch(rowline_context *context, const char *location, const rowline_parquet_part *parts,
                       size_t part_count, const rowline_parquet_write_options *options,
                       rowline_parquet_result *result, rowline_error *err);

#ifdef __cplusplus
}
#endif

#endif
