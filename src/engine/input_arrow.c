/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of an Arrow stream, columns by name. */
#include "engine/input.h"

#include <errno.h>

typedef struct arrow_input {
    rwl_input base;
    rwl_op *op;
    rwl_arena arena;
    const rwl_schema *schema;
    struct ArrowArrayStream stream;
    struct ArrowSchema arrow_schema;
    int32_t *columns;
    rwl_batch rows; /* in the stream's own types */
    bool rows_ready;
} arrow_input;

static void close_arrow(rwl_input *base) {
    arrow_input *in = (arrow_input *)base;
    if (in->rows_ready)
        rwl_batch_clear(&in->rows);
    if (in->arrow_schema.release != NULL)
        in->arrow_schema.release(&in->arrow_schema);
    if (in->stream.release != NULL)
        in->stream.release(&in->stream);
    rwl_arena_clear(&in->arena);
    rwl_free(in->op->env, in);
}

static rwl_status stream_failed(arrow_input *in, int code, rwl_error *err) {
    const char *text = in->stream.get_last_error(&in->stream);
    return rwl_fail(err, code == ENOMEM ? RWL_NO_MEMORY : RWL_IO, "the stream of rows failed: %s",
                    text != NULL ? text : "no reason given");
}

static rwl_status next_arrow(rwl_input *base, rwl_batch *batch, rwl_error *err) {
    arrow_input *in = (arrow_input *)base;
    do {
        struct ArrowArray array;
        memset(&array, 0, sizeof array);
        int code = in->stream.get_next(&in->stream, &array);
        if (code != 0)
            return stream_failed(in, code, err);
        if (array.release == NULL)
            return RWL_OK;
        rwl_status st = rwl_arrow_import_batch(&in->arrow_schema, &array, &in->rows, err);
        array.release(&array);
        RWL_TRY(st);
    } while (in->rows.length == 0);
    return rwl_input_convert("stream", in->schema, in->columns, &in->rows, batch, err);
}

static rwl_status open_arrow(arrow_input *in, rwl_error *err) {
    int code = in->stream.get_schema(&in->stream, &in->arrow_schema);
    if (code != 0)
        return stream_failed(in, code, err);
    rwl_field *fields;
    int32_t count;
    RWL_TRY(rwl_arrow_import_schema(&in->arrow_schema, &in->arena, &fields, &count, err));
    in->columns = rwl_arena_array(&in->arena, (size_t)in->schema->field_count, sizeof *in->columns);
    if (in->columns == NULL)
        return rwl_no_memory(err, (size_t)in->schema->field_count * sizeof *in->columns);
    RWL_TRY(rwl_input_match("stream", in->schema, fields, count, in->columns, err));
    RWL_TRY(rwl_batch_init(&in->rows, in->op->env, fields, count, err));
    in->rows_ready = true;
    return RWL_OK;
}

rwl_status rwl_input_open_arrow(rwl_op *op, struct ArrowArrayStream *stream, const rwl_schema *schema,
                                rwl_input **out, rwl_error *err) {
    static const rwl_input_vtable vtable = {next_arrow, close_arrow};
    arrow_input *in = rwl_calloc(op->env, 1, sizeof *in);
    if (in == NULL) {
        stream->release(stream);
        return rwl_no_memory(err, sizeof *in);
    }
    in->base.vtable = &vtable;
    in->op = op;
    in->schema = schema;
    in->stream = *stream; /* moved: the caller's no longer owns anything */
    stream->release = NULL;
    rwl_arena_init(&in->arena, op->env, 0);
    rwl_status st = open_arrow(in, err);
    if (st != RWL_OK) {
        close_arrow(&in->base);
        return st;
    }
    *out = &in->base;
    return RWL_OK;
}
