/* SPDX-License-Identifier: Apache-2.0 */
/* A source of batches as an ArrowArrayStream. */
#include "column/arrow_internal.h"

#include <errno.h>

typedef struct exported_stream {
    const rwl_env *env;
    rwl_arena arena; /* the fields */
    rwl_field *fields;
    int32_t count;
    rwl_batch batch;
    rwl_arrow_depot *depot;
    rwl_arrow_source source;
    rwl_error error;
    bool at_end;
} exported_stream;

static int keep_failure(exported_stream *s, rwl_status st) {
    s->error.code = st;
    return EIO;
}

static int stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    exported_stream *s = stream->private_data;
    rwl_error error = {0};
    rwl_status st = rwl_arrow_export_schema(s->env, s->fields, s->count, out, &error);
    if (st == RWL_OK)
        return 0;
    s->error = error;
    return keep_failure(s, st);
}

/* Fills the stream's batch; *more false at the end. A failure is kept. */
static rwl_status fill_batch(exported_stream *s, bool *more) {
    *more = false;
    if (s->error.code != ROWLINE_OK)
        return s->error.code;
    if (s->at_end)
        return RWL_OK;
    rwl_batch_reset(&s->batch);
    rwl_arrow_depot_fill(s->depot, &s->batch);
    rwl_status st = s->source.next(s->source.ctx, &s->batch, &s->error);
    if (st != RWL_OK) {
        s->error.code = st;
        return st;
    }
    *more = s->batch.length > 0;
    s->at_end = !*more;
    return RWL_OK;
}

static int stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    exported_stream *s = stream->private_data;
    bool more;
    memset(out, 0, sizeof *out); /* release NULL: the end, or nothing after a failure */
    if (fill_batch(s, &more) != RWL_OK)
        return EIO;
    if (!more)
        return 0;
    rwl_status st = rwl_arrow_lend_batch(&s->batch, s->depot, out, &s->error);
    return st == RWL_OK ? 0 : keep_failure(s, st);
}

static const char *stream_last_error(struct ArrowArrayStream *stream) {
    exported_stream *s = stream->private_data;
    return s->error.code != ROWLINE_OK ? s->error.message : NULL;
}

static void free_stream(exported_stream *s) {
    if (s->source.free != NULL)
        s->source.free(s->source.ctx);
    rwl_batch_clear(&s->batch);
    rwl_arrow_depot_unref(s->depot);
    rwl_arena_clear(&s->arena);
    rwl_free(s->env, s);
}

static void release_stream(struct ArrowArrayStream *stream) {
    free_stream(stream->private_data);
    stream->release = NULL;
}

static rwl_status copy_fields(exported_stream *s, const rwl_field *fields, int32_t count, rwl_error *err) {
    s->fields = rwl_arena_array(&s->arena, (size_t)count, sizeof *s->fields);
    if (s->fields == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof *s->fields);
    for (int32_t i = 0; i < count; i++) {
        if (!rwl_field_copy(&s->arena, &fields[i], &s->fields[i]))
            return rwl_no_memory(err, sizeof *fields);
    }
    s->count = count;
    return RWL_OK;
}

rwl_status rwl_arrow_stream_from(const rwl_env *env, const rwl_field *fields, int32_t count,
                                 rwl_arrow_source source, struct ArrowArrayStream *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    exported_stream *s = rwl_calloc(env, 1, sizeof *s);
    if (s == NULL) {
        if (source.free != NULL)
            source.free(source.ctx);
        return rwl_no_memory(err, sizeof *s);
    }
    s->env = env;
    s->source = source;
    s->batch.env = env;
    rwl_arena_init(&s->arena, env, 0);
    rwl_status st = copy_fields(s, fields, count, err);
    if (st == RWL_OK)
        st = rwl_batch_init(&s->batch, env, s->fields, count, err);
    if (st == RWL_OK)
        st = rwl_arrow_depot_new(env, count, &s->depot, err);
    if (st != RWL_OK) {
        free_stream(s);
        return st;
    }
    out->get_schema = stream_schema;
    out->get_next = stream_next;
    out->get_last_error = stream_last_error;
    out->release = release_stream;
    out->private_data = s;
    return RWL_OK;
}

void *rwl_arrow_stream_context(const struct ArrowArrayStream *stream,
                               rwl_status (*next)(void *ctx, rwl_batch *batch, rwl_error *err)) {
    if (stream->release != release_stream)
        return NULL;
    const exported_stream *s = stream->private_data;
    return s->source.next == next ? s->source.ctx : NULL;
}

const rwl_field *rwl_arrow_stream_fields(const struct ArrowArrayStream *stream, int32_t *count) {
    if (stream->release != release_stream)
        return NULL;
    const exported_stream *s = stream->private_data;
    *count = s->count;
    return s->fields;
}

rwl_status rwl_arrow_stream_next(struct ArrowArrayStream *stream, rwl_batch **out, rwl_error *err) {
    exported_stream *s = stream->private_data;
    bool more;
    rwl_status st = fill_batch(s, &more);
    if (st != RWL_OK && err != NULL)
        *err = s->error;
    *out = more ? &s->batch : NULL;
    return st;
}

void rwl_arrow_stream_error(const struct ArrowArrayStream *stream, rwl_error *out) {
    memset(out, 0, sizeof *out);
    if (stream->release != release_stream)
        return;
    const exported_stream *s = stream->private_data;
    *out = s->error;
}
