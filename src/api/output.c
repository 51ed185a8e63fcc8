/* SPDX-License-Identifier: Apache-2.0 */
/* Streams saved in files and sinks. */
#include "api/api_internal.h"

#include "engine/output.h"
#include "engine/output_file.h"
#include "engine/write_properties.h"

#include <errno.h>

/* --- rows of any stream as batches --- */

typedef struct source {
    const rwl_env *env;
    struct ArrowArrayStream *stream;
    rwl_arena arena; /* fields of a foreign stream */
    const rwl_field *fields;
    int32_t field_count;
    bool foreign;              /* its arrays are copied */
    struct ArrowSchema schema; /* of a foreign stream */
    rwl_batch batch;           /* likewise */
    bool batch_ready;
} source;

static rwl_status fail_stream(const source *s, int code, rwl_error *err) {
    const char *text = s->stream->get_last_error(s->stream);
    return rwl_fail(err, code == ENOMEM ? RWL_NO_MEMORY : RWL_IO, "the stream of rows failed: %s",
                    text != NULL ? text : "no reason given");
}

static rwl_status open_foreign(source *s, rwl_error *err) {
    rwl_field *fields;
    s->foreign = true;
    int code = s->stream->get_schema(s->stream, &s->schema);
    if (code != 0) {
        s->schema.release = NULL;
        return fail_stream(s, code, err);
    }
    RWL_TRY(rwl_arrow_import_schema(&s->schema, &s->arena, &fields, &s->field_count, err));
    s->fields = fields;
    RWL_TRY(rwl_batch_init(&s->batch, s->env, fields, s->field_count, err));
    s->batch_ready = true;
    return RWL_OK;
}

static rwl_status open_source(source *s, const rwl_env *env, struct ArrowArrayStream *stream,
                              rwl_error *err) {
    memset(s, 0, sizeof *s);
    s->env = env;
    s->stream = stream;
    rwl_arena_init(&s->arena, env, 0);
    s->fields = rwl_arrow_stream_fields(stream, &s->field_count);
    return s->fields != NULL ? (rwl_status)RWL_OK : open_foreign(s, err);
}

static void close_source(source *s) {
    if (s->batch_ready)
        rwl_batch_clear(&s->batch);
    if (s->schema.release != NULL)
        s->schema.release(&s->schema);
    rwl_arena_clear(&s->arena);
}

/* The next rows, valid until the next call; NULL at the end. */
static rwl_status next_rows(source *s, rwl_batch **out, rwl_error *err) {
    struct ArrowArray array = {.release = NULL};
    if (!s->foreign)
        return rwl_arrow_stream_next(s->stream, out, err);
    *out = NULL;
    int code = s->stream->get_next(s->stream, &array);
    if (code != 0)
        return fail_stream(s, code, err);
    if (array.release == NULL)
        return RWL_OK;
    rwl_status st = rwl_arrow_import_batch(&s->schema, &array, &s->batch, err);
    array.release(&array);
    *out = &s->batch;
    return st;
}

/* --- where they go --- */

static rwl_status write_sink(void *ctx, const void *data, size_t len, rwl_error *err) {
    const rowline_sink *sink = ctx;
    int32_t code = sink->write(sink->sink_context, data, len);
    if (code == 0)
        return RWL_OK;
    rwl_fail_errno(err, code, "writing the rows");
    if (err != NULL)
        err->code = RWL_IO; /* whatever the errno: nothing that was named is missing */
    return RWL_IO;
}

static rwl_status write_file(void *ctx, const void *data, size_t len, rwl_error *err) {
    return rwl_output_file_write(ctx, data, len, err);
}

/* --- Parquet's options --- */

typedef struct parquet_setup {
    rwl_arena arena;
    rwl_json *properties;
    rwl_parquet_write_options options;
} parquet_setup;

static rwl_status set_up(parquet_setup *s, const rowline_context *context, const rowline_output_options *o,
                         const source *rows, rwl_error *err) {
    s->options.codec = RWL_CODEC_ZSTD;
    s->options.pool = context->env.pool;
    s->properties = rwl_json_new_object();
    if (s->properties == NULL)
        return rwl_no_memory(err, 64);
    for (size_t i = 0; i < o->property_count; i++) {
        if (o->properties == NULL || o->properties[i].key == NULL || o->properties[i].value == NULL)
            return rwl_fail(err, RWL_USAGE, "a property needs a key and a value");
        RWL_TRY(
            rwl_json_set(s->properties, o->properties[i].key, rwl_json_new_str(o->properties[i].value), err));
    }
    RWL_TRY(rwl_write_properties_read(s->properties, rows->fields, rows->field_count, &s->arena, &s->options,
                                      err));
    rwl_write_properties_limit(&s->options, context->op.memory_limit, rows->field_count);
    return RWL_OK;
}

/* --- the whole --- */

static rwl_status copy_rows(source *from, rwl_output *to, int64_t *rows, rwl_error *err) {
    for (;;) {
        rwl_batch *batch;
        RWL_TRY(next_rows(from, &batch, err));
        if (batch == NULL)
            return rwl_output_finish(to, err);
        *rows += batch->length;
        RWL_TRY(rwl_output_write(to, batch, err));
    }
}

static rwl_status write_stream(rowline_context *context, struct ArrowArrayStream *stream,
                               rwl_output_format format, const rowline_output_options *o,
                               rwl_output_sink sink, int64_t *rows, rwl_error *err) {
    source from;
    rwl_output *to = NULL;
    int64_t count = 0;
    parquet_setup setup = {.properties = NULL};
    rwl_arena_init(&setup.arena, &context->env, 0);
    rwl_status st = open_source(&from, &context->env, stream, err);
    if (st == RWL_OK && format == RWL_OUTPUT_PARQUET)
        st = set_up(&setup, context, o, &from, err);
    if (st == RWL_OK)
        st = rwl_output_open(&context->op, format, from.fields, from.field_count, &setup.options, sink, &to,
                             err);
    if (st == RWL_OK)
        st = copy_rows(&from, to, &count, err);
    rwl_output_close(to);
    close_source(&from);
    rwl_json_free(setup.properties);
    rwl_arena_clear(&setup.arena);
    if (rows != NULL)
        *rows = count;
    return st;
}

rowline_status rowline_stream_write(rowline_context *context, struct ArrowArrayStream *stream,
                                    const rowline_sink *sink, const rowline_output_options *options,
                                    int64_t *rows, rowline_error *err) {
    rowline_output_options o;
    rwl_output_format format;
    RWL_TRY(rwl_api_options(&o, sizeof o, options, err));
    if (o.format == NULL || sink == NULL || sink->write == NULL)
        return rwl_fail(err, RWL_USAGE, "a sink needs a function and a format");
    RWL_TRY(rwl_output_format_named(o.format, false, &format, err));
    rowline_sink to = *sink;
    return write_stream(context, stream, format, &o, (rwl_output_sink){&to, write_sink}, rows, err);
}

rowline_status rowline_stream_save(rowline_context *context, struct ArrowArrayStream *stream,
                                   const char *path, const rowline_output_options *options, int64_t *rows,
                                   rowline_error *err) {
    rowline_output_options o;
    rwl_output_format format;
    rwl_output_file *file;
    RWL_TRY(rwl_api_options(&o, sizeof o, options, err));
    RWL_TRY(o.format != NULL ? rwl_output_format_named(o.format, true, &format, err)
                             : rwl_output_format_of_path(path, &format, err));
    RWL_TRY(rwl_output_file_open(&context->op, path, &file, err));
    rwl_status st = write_stream(context, stream, format, &o, (rwl_output_sink){file, write_file}, rows, err);
    if (st == RWL_OK)
        return rwl_output_file_finish(file, err);
    rwl_output_file_abort(file);
    return st;
}
