/* SPDX-License-Identifier: Apache-2.0 */
/* Rows out: streams saved as CSV, JSON lines, Arrow IPC or Parquet. */
#ifndef ROWLINE_OUTPUT_H
#define ROWLINE_OUTPUT_H

#include <rowline/arrow.h>
#include <rowline/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Formats:
 *   "jsonl"    an object a row, values as rowline(1), "Values in JSON", has them
 *   "csv"      RFC 4180 with a header, lines end with LF; null is an empty field, the empty string is "" in quotes
 *   "parquet"  one file, zstd unless the properties say else
 *   "arrow"    the IPC stream to a sink, the IPC file to a path; "arrow-stream" and "arrow-file" say which
 * Rows go out batch by batch as they come: memory is that of a batch (Parquet: of a row group), whatever the number of rows.
 */

/* Takes bytes in order; returns 0, or an errno that ends the call with ROWLINE_IO. */
typedef struct rowline_sink {
    void *sink_context;
    int32_t (*write)(void *sink_context, const void *data, size_t length);
} rowline_sink;

typedef struct rowline_output_options {
    size_t struct_size;
    const char *
        format; /* as above; NULL with a path: by its extension (.jsonl .json .csv .parquet .arrow .arrows) */
    const rowline_property *properties; /* of Parquet: write.parquet.*, see parquet.h */
    size_t property_count;
} rowline_output_options;

/*
 * Reads `stream` to its end and writes its rows to the sink; *rows (may be NULL) is their number. The stream stays the caller's, to
 * release. ROWLINE_USAGE (no such format), ROWLINE_UNSUPPORTED naming a column whose type is not written, ROWLINE_IO from the sink with
 * its errno in system_errno, ROWLINE_INTERRUPTED, and what the stream itself fails with. After a failure the sink may have got a part.
 */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_stream_write(rowline_context *context, struct ArrowArrayStream *stream, const rowline_sink *sink,
                     const rowline_output_options *options, int64_t *rows, rowline_error *err);
/*
 * The same into a file, which appears, or replaces what was there, only when it is whole: it is written under a temporary name beside
 * it and renamed; after a failure nothing is left. The directory must exist. A pipe or device is written as it is.
 */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_stream_save(rowline_context *context, struct ArrowArrayStream *stream, const char *path,
                    const rowline_output_options *options, int64_t *rows, rowline_error *err);

#ifdef __cplusplus
}
#endif

#endif
