/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of an Arrow stream, columns by name. */
#include "engine/input.h"

#include "ipc/ipc.h"

#include <errno.h>

typedef struct arrow_input {
    rwl_input base;
    rwl_op *op;
    rwl_arena arena;
    const char *source; /* for messages */
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

/* The error behind it where the stream is one of ours; of others only the text is known. */
static rwl_status stream_failed(arrow_input *in, int code, rwl_error *err) {
    rwl_error why;
    rwl_arrow_stream_error(&in->stream, &why);
    if (why.code == RWL_OK)
        rwl_ipc_stream_error(&in->stream, &why);
    if (why.code != RWL_OK) {
        if (err != NULL)
            *err = why;
        return why.code;
    }
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
        if (st != RWL_OK)
            return rwl_error_in(err, st, "%s", in->source);
    } while (in->rows.length == 0);
    return rwl_input_convert(in->source, in->schema, in->columns, &in->rows, batch, err);
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
    RWL_TRY(rwl_input_match(in->source, in->schema, fields, count, in->columns, err));
    RWL_TRY(rwl_batch_init(&in->rows, in->op->env, fields, count, err));
    in->rows_ready = true;
    return RWL_OK;
}

static rwl_status open_stream(rwl_op *op, struct ArrowArrayStream *stream, const char *source,
                              const rwl_schema *schema, rwl_input **out, rwl_error *err) {
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
    in->source = rwl_arena_strdup(&in->arena, source);
    rwl_status st = in->source != NULL ? open_arrow(in, err) : rwl_no_memory(err, strlen(source) + 1);
    if (st != RWL_OK) {
        close_arrow(&in->base);
        return st;
    }
    *out = &in->base;
    return RWL_OK;
}

rwl_status rwl_input_open_arrow(rwl_op *op, struct ArrowArrayStream *stream, const rwl_schema *schema,
                                rwl_input **out, rwl_error *err) {
    return open_stream(op, stream, "stream", schema, out, err);
}

rwl_status rwl_input_open_ipc(rwl_op *op, const char *path, const rwl_schema *schema, rwl_input **out,
                              rwl_error *err) {
    struct ArrowArrayStream stream;
    RWL_TRY(rwl_ipc_open_stream(op, path, &stream, err));
    return open_stream(op, &stream, strcmp(path, "-") == 0 ? "standard input" : path, schema, out, err);
}
