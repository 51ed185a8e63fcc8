/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that come from outside (Parquet, CSV, JSON lines, Arrow) as batches of a table's schema. */
#ifndef RWL_ENGINE_INPUT_H
#define RWL_ENGINE_INPUT_H

#include "column/arrow.h"
#include "column/batch.h"
#include "iceberg/schema.h"

/*
 * Columns are matched by name. A table column the input lacks takes its write default, else null (CORRUPT when it is
 * required). Unknown columns and values that do not fit: CORRUPT naming file, line and column. Names and field ids of
 * metadata columns: UNSUPPORTED, identities are not forged by an append.
 */
typedef struct rwl_input rwl_input;

typedef struct rwl_input_vtable {
    rwl_status (*next)(rwl_input *input, rwl_batch *batch, rwl_error *err);
    void (*close)(rwl_input *input);
} rwl_input_vtable;

struct rwl_input {
    const rwl_input_vtable *vtable;
};

RWL_MUST_CHECK rwl_status rwl_input_open_parquet(rwl_op *op, const char *path, const rwl_schema *schema,
                                                 rwl_input **out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_input_open_jsonl(rwl_op *op, const char *path, const rwl_schema *schema,
                                               rwl_input **out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_input_open_csv(rwl_op *op, const char *path, const rwl_schema *schema,
                                             rwl_input **out, rwl_error *err);
/* Takes and releases the stream. */
RWL_MUST_CHECK rwl_status rwl_input_open_arrow(rwl_op *op, struct ArrowArrayStream *stream,
                                               const rwl_schema *schema, rwl_input **out, rwl_error *err);
/* Arrow IPC, a stream or a file. */
RWL_MUST_CHECK rwl_status rwl_input_open_ipc(rwl_op *op, const char *path, const rwl_schema *schema,
                                             rwl_input **out, rwl_error *err);
/* By `format` ("parquet", "csv", "jsonl", "arrow"), or by the path's extension when NULL. "-" is standard input; of
 * Parquet, which is not read front to back, only where that is a file (UNSUPPORTED). */
RWL_MUST_CHECK rwl_status rwl_input_open(rwl_op *op, const char *path, const char *format,
                                         const rwl_schema *schema, rwl_input **out, rwl_error *err);

/* Sets `batch` (made with the schema's fields) to the next rows; length 0 at the end. */
RWL_MUST_CHECK rwl_status rwl_input_next(rwl_input *input, rwl_batch *batch, rwl_error *err);
void rwl_input_close(rwl_input *input); /* NULL is fine */

/* --- shared by the formats --- */

/* Refuses a column name or field id that is reserved for metadata columns. */
RWL_MUST_CHECK rwl_status rwl_input_check_name(const char *source, const char *name, int32_t field_id,
                                               rwl_error *err);
/* Appends `count` rows of what a column holds where the input has none. */
RWL_MUST_CHECK rwl_status rwl_input_fill_missing(const rwl_field *field, rwl_column *column,
                                                 const rwl_env *env, int64_t count, rwl_error *err);
/* CORRUPT when a required column of the table is not in the input and has no write default. */
RWL_MUST_CHECK rwl_status rwl_input_check_missing(const char *source, const rwl_field *field, rwl_error *err);

enum { RWL_INPUT_BATCH_BYTES = 1 << 26 /* text that goes into one batch at most */ };
/* Of text: a value that does not fit is CORRUPT in "SOURCE: line N: column C"; what is no fault of the input passes. */
RWL_MUST_CHECK rwl_status rwl_input_at_column(const char *source, int64_t line, const char *column,
                                              rwl_status st, rwl_error *err);

/*
 * Columns of a batch in the input's own types, brought to the table's. `columns[i]` is the index of the input column
 * for table field i, -1 for missing.
 */
RWL_MUST_CHECK rwl_status rwl_input_convert(const char *source, const rwl_schema *schema,
                                            const int32_t *columns, const rwl_batch *in, rwl_batch *out,
                                            rwl_error *err);
/* Fills `columns` from the names of the input's fields; checks names, types and missing ones. */
RWL_MUST_CHECK rwl_status rwl_input_match(const char *source, const rwl_schema *schema,
                                          const rwl_field *fields, int32_t count, int32_t *columns,
                                          rwl_error *err);

#endif
