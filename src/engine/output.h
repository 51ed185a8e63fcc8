/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows out: batches as JSON lines, CSV, Parquet or Arrow IPC, to anything that takes bytes in order.
 *
 *   JSON lines  an object a row, values as CLI.md's "Values in JSON" has them
 *   CSV         RFC 4180, lines end with LF; a header; null is an empty field, the empty string ""; a field is quoted that is empty, has
 *               a comma, quote, CR or LF, begins or ends with a blank or begins as a byte order mark does. Values are the texts of the
 *               JSON ones without their quotes, nested ones JSON: rwl_input_open_csv reads the same rows back
 *   Parquet     one file
 *   Arrow       the IPC stream, or the IPC file
 *
 * Memory is that of one batch, of Parquet that of one row group.
 */
#ifndef RWL_ENGINE_OUTPUT_H
#define RWL_ENGINE_OUTPUT_H

#include "column/arrow.h"
#include "ipc/ipc.h"
#include "parquet/writer.h"

typedef enum rwl_output_format {
    RWL_OUTPUT_JSONL,
    RWL_OUTPUT_CSV,
    RWL_OUTPUT_PARQUET,
    RWL_OUTPUT_ARROW_STREAM,
    RWL_OUTPUT_ARROW_FILE
} rwl_output_format;

/* "jsonl", "csv", "parquet", "arrow" (the stream, and the file when `file`), "arrow-stream", "arrow-file". USAGE naming any other. */
RWL_MUST_CHECK rwl_status rwl_output_format_named(const char *name, bool file, rwl_output_format *out,
                                                  rwl_error *err);
/* By the extension: .jsonl .json .csv .parquet .arrow (the file; .feather and .ipc too) .arrows (the stream). USAGE else. */
RWL_MUST_CHECK rwl_status rwl_output_format_of_path(const char *path, rwl_output_format *out, rwl_error *err);

/* Takes bytes in order. */
typedef rwl_ipc_sink rwl_output_sink;

typedef struct rwl_output rwl_output;

/* Begins; fields (of the batches to come) and options (of Parquet, NULL for its defaults) are borrowed until it is closed. A format that
 * cannot hold a field is UNSUPPORTED naming it. */
RWL_MUST_CHECK rwl_status rwl_output_open(rwl_op *op, rwl_output_format format, const rwl_field *fields,
                                          int32_t field_count, const rwl_parquet_write_options *parquet,
                                          rwl_output_sink sink, rwl_output **out, rwl_error *err);
/* Writes the rows; the batch may be left without buffers. */
RWL_MUST_CHECK rwl_status rwl_output_write(rwl_output *o, rwl_batch *batch, rwl_error *err);
/* Writes what stands at the end of the format. */
RWL_MUST_CHECK rwl_status rwl_output_finish(rwl_output *o, rwl_error *err);
void rwl_output_close(rwl_output *o); /* at any time; NULL is fine */

/* --- what each format is --- */

typedef struct rwl_output_vtable {
    rwl_status (*write)(rwl_output *o, rwl_batch *batch, rwl_error *err);
    rwl_status (*finish)(rwl_output *o, rwl_error *err);
    void (*close)(rwl_output *o);
} rwl_output_vtable;

struct rwl_output {
    const rwl_output_vtable *vtable;
    rwl_op *op;
    const rwl_field *fields;
    int32_t field_count;
    rwl_output_sink sink;
};

RWL_MUST_CHECK rwl_status rwl_output_open_text(rwl_op *op, bool csv, rwl_output **out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_output_open_parquet(rwl_op *op, rwl_output **out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_output_open_arrow(rwl_op *op, bool file, rwl_output **out, rwl_error *err);
/* Begin once fields and sink are set. */
RWL_MUST_CHECK rwl_status rwl_output_begin_text(rwl_output *o, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_output_begin_parquet(rwl_output *o, const rwl_parquet_write_options *parquet,
                                                   rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_output_begin_arrow(rwl_output *o, rwl_error *err);

#endif
