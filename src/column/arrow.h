/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches in and out through the Arrow C data and C stream interfaces.
 *
 * A batch is a struct array (format "+s"), a column one child. Formats, both ways:
 *   UNKNOWN n   BOOLEAN b   INT i   LONG l   FLOAT f   DOUBLE g   DECIMAL d:p,s   DATE tdD   TIME ttu
 *   TIMESTAMP tsu:   TIMESTAMPTZ tsu:UTC   TIMESTAMP_NS tsn:   TIMESTAMPTZ_NS tsn:UTC
 *   STRING u   BINARY z   FIXED w:n   UUID w:16 with the extension arrow.uuid; STRING of RWL_TYPE_JSON with
 *   the extension arrow.json
 *   STRUCT +s   LIST +l   MAP +m (entries of key and value, keys never null)
 *   VARIANT +s of metadata and value, both z, with the extension arrow.parquet.variant
 *   GEOMETRY, GEOGRAPHY z with the extension geoarrow.wkb, CRS and edges in its metadata
 * Read in addition: c C s S (INT), I (LONG), L (DECIMAL(20, 0)), e (FLOAT); U Z vu vz; tdm (whole days), tts ttm, tss:
 * tsm:; decimals of 32, 64 and 256 bits to precision 38; any time zone name (an instant); +L +w:n +vl +vL (LIST);
 * dictionaries of flat values. Children of lists and maps are named element, key and value.
 * Field ids travel as metadata "PARQUET:field_id", of nested fields too. Anything else is UNSUPPORTED, naming column
 * and format.
 */
#ifndef RWL_COLUMN_ARROW_H
#define RWL_COLUMN_ARROW_H

#include "column/batch.h"

#include <rowline/arrow.h>

/* Fills `out` with a schema of its own memory; released through its callback, or not filled on failure. */
RWL_MUST_CHECK rwl_status rwl_arrow_export_schema(const rwl_env *env, const rwl_field *fields, int32_t count,
                                                  struct ArrowSchema *out, rwl_error *err);
/*
 * Moves the batch's buffers into `out`; the batch is left with its columns, empty and without buffers, ready
 * to be filled again. Children may be moved out and released by themselves. `env` must outlive `out`.
 */
RWL_MUST_CHECK rwl_status rwl_arrow_export_batch(rwl_batch *batch, struct ArrowArray *out, rwl_error *err);

/*
 * Where the buffers of flat columns return to when the array of a batch is released, up to one set a column: a loop
 * whose consumer is done with a batch before it asks for the next one then does not meet fresh memory, which costs as
 * much as decoding into it. Referenced by its maker and by each array; any thread may release those.
 */
typedef struct rwl_arrow_depot rwl_arrow_depot;
RWL_MUST_CHECK rwl_status rwl_arrow_depot_new(const rwl_env *env, int32_t columns, rwl_arrow_depot **out,
                                              rwl_error *err);
rwl_arrow_depot *rwl_arrow_depot_ref(rwl_arrow_depot *depot);
void rwl_arrow_depot_unref(rwl_arrow_depot *depot); /* NULL is fine */
/* Takes the buffers of column `i`, unless there are some already: then they stay with `from`. */
void rwl_arrow_depot_give(rwl_arrow_depot *depot, int32_t i, rwl_column *from);
/* Gives the columns of `batch` that have no buffers those that came back; their content is of no meaning. */
void rwl_arrow_depot_fill(rwl_arrow_depot *depot, rwl_batch *batch);
/* rwl_arrow_export_batch with the way back (NULL: without). */
RWL_MUST_CHECK rwl_status rwl_arrow_lend_batch(rwl_batch *batch, rwl_arrow_depot *depot,
                                               struct ArrowArray *out, rwl_error *err);

/* Fields of a "+s" schema, made in `arena`; id -1 where the metadata gives none. The schema is not released.
 */
RWL_MUST_CHECK rwl_status rwl_arrow_import_schema(const struct ArrowSchema *schema, rwl_arena *arena,
                                                  rwl_field **fields, int32_t *count, rwl_error *err);
/*
 * Copies an array of `schema` into `out`, replacing its rows; out's columns are those that import_schema
 * gave, in order. Offsets of array and children are applied. CORRUPT for counts of children or buffers,
 * lengths, missing buffers and offsets that do not fit, and for what rwl_column_check_values refuses. The interface
 * gives no buffer sizes: what it leaves unsaid is trusted. The array is not released.
 */
RWL_MUST_CHECK rwl_status rwl_arrow_import_batch(const struct ArrowSchema *schema,
                                                 const struct ArrowArray *array, rwl_batch *out,
                                                 rwl_error *err);
/* Whether row `row` of a child array is null; child->offset is applied. */
bool rwl_arrow_is_null(const struct ArrowArray *child, int64_t row);
/* Row `row` of a flat child array (no variant) that this module exported, borrowed from it; child->offset is applied. */
rwl_value rwl_arrow_cell(const rwl_type *type, const struct ArrowArray *child, int64_t row);

/* Appends row `row` of such an array as one JSON value, as rwl_column_format_json does. */
RWL_MUST_CHECK rwl_status rwl_arrow_format_json(const rwl_type *type, const struct ArrowArray *child,
                                                int64_t row, rwl_buf *out, rwl_error *err);

/*
 * Where a stream's batches come from. `next` fills the batch it is given (emptied, of the stream's fields)
 * and sets batch->length; no rows is the end. After a failure the stream only repeats it. `free` ends the
 * context when the stream is released (NULL: nothing to free).
 */
typedef struct rwl_arrow_source {
    void *ctx;
    rwl_status (*next)(void *ctx, rwl_batch *batch, rwl_error *err);
    void (*free)(void *ctx);
} rwl_arrow_source;

/* Copies the fields; takes the source, which is freed here when this fails. `env` must outlive the stream. */
RWL_MUST_CHECK rwl_status rwl_arrow_stream_from(const rwl_env *env, const rwl_field *fields, int32_t count,
                                                rwl_arrow_source source, struct ArrowArrayStream *out,
                                                rwl_error *err);
/* The context of a stream that rwl_arrow_stream_from made of a source with this function, NULL for any other. */
void *rwl_arrow_stream_context(const struct ArrowArrayStream *stream,
                               rwl_status (*next)(void *ctx, rwl_batch *batch, rwl_error *err));
/* The fields of a stream that rwl_arrow_stream_from made, NULL for any other. */
const rwl_field *rwl_arrow_stream_fields(const struct ArrowArrayStream *stream, int32_t *count);
/* The next rows of such a stream without the way through an array: *out is the stream's own batch, valid until the next call on it,
 * NULL at the end. What fails is the stream's failure too. */
RWL_MUST_CHECK rwl_status rwl_arrow_stream_next(struct ArrowArrayStream *stream, rwl_batch **out,
                                                rwl_error *err);
/* The error of the stream's last failure; code OK when there was none or the stream is not ours. */
void rwl_arrow_stream_error(const struct ArrowArrayStream *stream, rwl_error *out);

#endif
