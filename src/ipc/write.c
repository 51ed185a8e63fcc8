/* SPDX-License-Identifier: Apache-2.0 */
/* Arrow arrays as IPC messages. */
#include "base/vec.h"
#include "ipc/flat_build.h"
#include "ipc/ipc.h"
#include "ipc/ipc_internal.h"

#include <stdlib.h>

typedef struct block {
    int64_t offset;
    int32_t metadata_len, padding;
    int64_t body_len;
} block;

typedef struct node {
    int64_t length, null_count;
} node;

typedef struct part {
    int64_t offset, length;
} part;

struct rwl_ipc_writer {
    const rwl_env *env;
    const struct ArrowSchema *schema;
    bool file;
    rwl_ipc_sink sink;
    int64_t position; /* bytes written */
    RWL_VEC(block) blocks;
    /* of the batch being written */
    RWL_VEC(node) nodes;
    RWL_VEC(part) parts;
    RWL_VEC(rwl_span) bodies;
    int64_t body_len;
};

static rwl_status send(rwl_ipc_writer *w, const void *data, size_t len, rwl_error *err) {
    w->position += (int64_t)len;
    return len > 0 ? w->sink.write(w->sink.ctx, data, len, err) : (rwl_status)RWL_OK;
}

/* --- schema --- */

static size_t build_type(rwl_flat *f, const rwl_ipc_type *type, const char *format) {
    size_t zone = 0;
    if (type->id == RWL_IPC_TIMESTAMP && format[4] != '\0')
        zone = rwl_flat_string(f, rwl_span_str(format + 4));
    rwl_flat_begin(f);
    switch (type->id) {
    case RWL_IPC_INT:
        rwl_flat_i32(f, 0, type->a);
        rwl_flat_u8(f, 1, (uint8_t)type->b);
        break;
    case RWL_IPC_FLOAT:
    case RWL_IPC_DATE:
    case RWL_IPC_DURATION:
        rwl_flat_i16(f, 0, (int16_t)type->a);
        break;
    case RWL_IPC_DECIMAL:
        rwl_flat_i32(f, 0, type->a);
        rwl_flat_i32(f, 1, type->b);
        rwl_flat_i32(f, 2, 8 * type->width);
        break;
    case RWL_IPC_TIME:
        rwl_flat_i16(f, 0, (int16_t)type->a);
        rwl_flat_i32(f, 1, type->b);
        break;
    case RWL_IPC_TIMESTAMP:
        rwl_flat_ref(f, 1, zone);
        rwl_flat_i16(f, 0, (int16_t)type->a);
        break;
    case RWL_IPC_FIXED:
    case RWL_IPC_FIXED_LIST:
        rwl_flat_i32(f, 0, type->a);
        break;
    case RWL_IPC_MAP:
        rwl_flat_u8(f, 0, 0);
        break;
    default:
        break;
    }
    return rwl_flat_end(f);
}

/* The C data interface's metadata: count(i32), then length(i32) and bytes of each key and value, in native order. */
static rwl_status build_metadata(rwl_flat *f, const rwl_env *env, const char *metadata, size_t *out,
                                 rwl_error *err) {
    *out = 0;
    if (metadata == NULL)
        return RWL_OK;
    int32_t count;
    memcpy(&count, metadata, sizeof count);
    size_t *pairs = count > 0 ? rwl_calloc(env, (size_t)count, sizeof *pairs) : NULL;
    if (pairs == NULL)
        return count <= 0 ? (rwl_status)RWL_OK : rwl_no_memory(err, (size_t)count * sizeof *pairs);
    const char *at = metadata + sizeof count;
    for (int32_t i = 0; i < count; i++) {
        size_t texts[2];
        for (int side = 0; side < 2; side++) {
            int32_t len;
            memcpy(&len, at, sizeof len);
            texts[side] = rwl_flat_string(f, rwl_span_of(at + sizeof len, (size_t)len));
            at += sizeof len + (size_t)len;
        }
        rwl_flat_begin(f);
        rwl_flat_ref(f, 0, texts[0]);
        rwl_flat_ref(f, 1, texts[1]);
        pairs[i] = rwl_flat_end(f);
    }
    *out = rwl_flat_vector(f, pairs, (size_t)count);
    rwl_free(env, pairs);
    return RWL_OK;
}

static rwl_status build_field(rwl_flat *f, const rwl_env *env, const struct ArrowSchema *s, int depth,
                              size_t *out, rwl_error *err);

static rwl_status build_fields(rwl_flat *f, const rwl_env *env, const struct ArrowSchema *s, int depth,
                               size_t *out, rwl_error *err) {
    size_t *fields = rwl_calloc(env, (size_t)s->n_children + 1, sizeof *fields);
    if (fields == NULL)
        return rwl_no_memory(err, (size_t)s->n_children * sizeof *fields);
    rwl_status st = RWL_OK;
    for (int64_t i = 0; st == RWL_OK && i < s->n_children; i++)
        st = build_field(f, env, s->children[i], depth + 1, &fields[i], err);
    if (st == RWL_OK)
        *out = rwl_flat_vector(f, fields, (size_t)s->n_children);
    rwl_free(env, fields);
    return st;
}

static rwl_status build_field(rwl_flat *f, const rwl_env *env, const struct ArrowSchema *s, int depth,
                              size_t *out, rwl_error *err) {
    rwl_ipc_type type;
    size_t children, metadata;
    if (depth > RWL_IPC_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s is nested too deep for Arrow IPC", s->name);
    if (s->dictionary != NULL || !rwl_ipc_type_of_format(s->format, &type))
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s has Arrow format %s, which is not written",
                        s->name != NULL ? s->name : "", s->format);
    RWL_TRY(build_fields(f, env, s, depth, &children, err));
    RWL_TRY(build_metadata(f, env, s->metadata, &metadata, err));
    size_t description = build_type(f, &type, s->format);
    size_t name = rwl_flat_string(f, rwl_span_str(s->name != NULL ? s->name : ""));
    rwl_flat_begin(f);
    rwl_flat_ref(f, 6, metadata);
    rwl_flat_ref(f, 5, children);
    rwl_flat_ref(f, 3, description);
    rwl_flat_ref(f, 0, name);
    rwl_flat_u8(f, 2, (uint8_t)type.id);
    rwl_flat_u8(f, 1, (s->flags & ARROW_FLAG_NULLABLE) != 0);
    *out = rwl_flat_end(f);
    return RWL_OK;
}

static rwl_status build_schema(rwl_ipc_writer *w, rwl_flat *f, size_t *out, rwl_error *err) {
    size_t fields, metadata;
    RWL_TRY(build_fields(f, w->env, w->schema, 0, &fields, err));
    RWL_TRY(build_metadata(f, w->env, w->schema->metadata, &metadata, err));
    rwl_flat_begin(f);
    rwl_flat_ref(f, 2, metadata);
    rwl_flat_ref(f, 1, fields);
    rwl_flat_i16(f, 0, 0); /* little endian */
    *out = rwl_flat_end(f);
    return RWL_OK;
}

/* --- messages --- */

/* Ends the message whose header is at `header` and writes its metadata. */
static rwl_status send_message(rwl_ipc_writer *w, rwl_flat *f, uint8_t kind, size_t header, int64_t body_len,
                               int32_t *metadata_len, rwl_error *err) {
    static const uint8_t zeros[8];
    rwl_flat_begin(f);
    rwl_flat_i64(f, 3, body_len);
    rwl_flat_ref(f, 2, header);
    rwl_flat_i16(f, 0, RWL_IPC_VERSION_5);
    rwl_flat_u8(f, 1, kind);
    rwl_span message;
    RWL_TRY(rwl_flat_finish(f, rwl_flat_end(f), &message));
    size_t padding = (8 - message.len % 8) % 8;
    uint8_t prefix[8] = {0xff, 0xff, 0xff, 0xff};
    rwl_store_le32(prefix + 4, (uint32_t)(message.len + padding));
    *metadata_len = (int32_t)(sizeof prefix + message.len + padding);
    RWL_TRY(send(w, prefix, sizeof prefix, err));
    RWL_TRY(send(w, message.data, message.len, err));
    return send(w, zeros, padding, err);
}

static rwl_status send_schema(rwl_ipc_writer *w, rwl_error *err) {
    rwl_flat f;
    rwl_flat_init(&f, w->env, err);
    size_t schema;
    int32_t metadata_len;
    rwl_status st = build_schema(w, &f, &schema, err);
    if (st == RWL_OK)
        st = send_message(w, &f, RWL_IPC_SCHEMA, schema, 0, &metadata_len, err);
    rwl_flat_clear(&f);
    return st;
}

/* --- batches --- */

static rwl_status add_body(rwl_ipc_writer *w, const void *data, int64_t len, rwl_error *err) {
    part p = {w->body_len, len};
    RWL_TRY(rwl_vec_push(&w->parts, w->env, p, err));
    RWL_TRY(rwl_vec_push(&w->bodies, w->env, rwl_span_of(data, (size_t)len), err));
    w->body_len += (len + 7) / 8 * 8;
    return RWL_OK;
}

static int64_t bits_len(int64_t count) {
    return (count + 7) / 8;
}

static bool is_wide(const rwl_ipc_type *type) {
    return type->layout == RWL_IPC_LAYOUT_LARGE_BYTES || type->layout == RWL_IPC_LAYOUT_LARGE_LIST;
}

/* Bytes behind the offsets; without rows there may be no offsets. */
static int64_t content_len(const struct ArrowArray *a, bool wide) {
    if (a->length == 0 || a->buffers[1] == NULL)
        return 0;
    return wide ? ((const int64_t *)a->buffers[1])[a->length] : ((const int32_t *)a->buffers[1])[a->length];
}

static rwl_status add_offsets(rwl_ipc_writer *w, const struct ArrowArray *a, bool wide, rwl_error *err) {
    static const int64_t zero[1];
    int64_t width = wide ? 8 : 4;
    bool given = a->length > 0 && a->buffers[1] != NULL;
    return add_body(w, given ? a->buffers[1] : zero, given ? (a->length + 1) * width : width, err);
}

static rwl_status add_values(rwl_ipc_writer *w, const struct ArrowArray *a, const rwl_ipc_type *type,
                             rwl_error *err) {
    switch (type->layout) {
    case RWL_IPC_LAYOUT_BITS:
        return add_body(w, a->buffers[1], bits_len(a->length), err);
    case RWL_IPC_LAYOUT_FIXED:
        return add_body(w, a->buffers[1], a->length * type->width, err);
    case RWL_IPC_LAYOUT_BYTES:
    case RWL_IPC_LAYOUT_LARGE_BYTES:
        RWL_TRY(add_offsets(w, a, is_wide(type), err));
        return add_body(w, a->buffers[2], content_len(a, is_wide(type)), err);
    case RWL_IPC_LAYOUT_LIST:
    case RWL_IPC_LAYOUT_LARGE_LIST:
        return add_offsets(w, a, is_wide(type), err);
    default:
        return RWL_OK;
    }
}

/* A column with its children, depth first; `length` rows of it are there. */
static rwl_status add_column(rwl_ipc_writer *w, const struct ArrowSchema *s, const struct ArrowArray *a,
                             rwl_error *err) {
    rwl_ipc_type type;
    if (a->offset != 0 || a->n_children != s->n_children || !rwl_ipc_type_of_format(s->format, &type))
        return rwl_fail(err, RWL_INTERNAL, "column %s is not at offset 0, or not of its schema", s->name);
    int64_t nulls = type.layout == RWL_IPC_LAYOUT_NONE ? a->length : a->null_count;
    const void *validity = a->n_buffers > 0 && nulls != 0 ? a->buffers[0] : NULL;
    node n = {a->length, validity == NULL && type.layout != RWL_IPC_LAYOUT_NONE ? 0 : nulls};
    if (n.null_count < 0)
        return rwl_fail(err, RWL_INTERNAL, "column %s does not count its nulls", s->name);
    RWL_TRY(rwl_vec_push(&w->nodes, w->env, n, err));
    if (type.layout != RWL_IPC_LAYOUT_NONE)
        RWL_TRY(add_body(w, validity, validity != NULL ? bits_len(a->length) : 0, err));
    RWL_TRY(add_values(w, a, &type, err));
    for (int64_t i = 0; i < a->n_children; i++)
        RWL_TRY(add_column(w, s->children[i], a->children[i], err));
    return RWL_OK;
}

static rwl_status send_body(rwl_ipc_writer *w, rwl_error *err) {
    static const uint8_t zeros[8];
    for (size_t i = 0; i < w->bodies.len; i++) {
        RWL_TRY(send(w, w->bodies.items[i].data, w->bodies.items[i].len, err));
        RWL_TRY(send(w, zeros, (8 - w->bodies.items[i].len % 8) % 8, err));
    }
    return RWL_OK;
}

static rwl_status send_batch(rwl_ipc_writer *w, rwl_flat *f, int64_t length, rwl_error *err) {
    size_t parts = rwl_flat_structs(f, w->parts.items, sizeof(part), w->parts.len);
    size_t nodes = rwl_flat_structs(f, w->nodes.items, sizeof(node), w->nodes.len);
    rwl_flat_begin(f);
    rwl_flat_i64(f, 0, length);
    rwl_flat_ref(f, 2, parts);
    rwl_flat_ref(f, 1, nodes);
    size_t batch = rwl_flat_end(f);
    block b = {.offset = w->position, .body_len = w->body_len};
    RWL_TRY(send_message(w, f, RWL_IPC_BATCH, batch, w->body_len, &b.metadata_len, err));
    RWL_TRY(send_body(w, err));
    return w->file ? rwl_vec_push(&w->blocks, w->env, b, err) : (rwl_status)RWL_OK;
}

rwl_status rwl_ipc_writer_write(rwl_ipc_writer *w, const struct ArrowArray *batch, rwl_error *err) {
    w->nodes.len = w->parts.len = w->bodies.len = 0;
    w->body_len = 0;
    if (batch->n_children != w->schema->n_children || batch->offset != 0)
        return rwl_fail(err, RWL_INTERNAL, "a batch is not at offset 0, or not of its schema");
    for (int64_t i = 0; i < batch->n_children; i++)
        RWL_TRY(add_column(w, w->schema->children[i], batch->children[i], err));
    rwl_flat f;
    rwl_flat_init(&f, w->env, err);
    rwl_status st = send_batch(w, &f, batch->length, err);
    rwl_flat_clear(&f);
    return st;
}

/* --- the whole --- */

static rwl_status send_footer(rwl_ipc_writer *w, rwl_flat *f, rwl_error *err) {
    size_t schema;
    RWL_TRY(build_schema(w, f, &schema, err));
    size_t batches = rwl_flat_structs(f, w->blocks.items, sizeof(block), w->blocks.len);
    size_t dictionaries = rwl_flat_structs(f, NULL, sizeof(block), 0);
    rwl_flat_begin(f);
    rwl_flat_ref(f, 3, batches);
    rwl_flat_ref(f, 2, dictionaries);
    rwl_flat_ref(f, 1, schema);
    rwl_flat_i16(f, 0, RWL_IPC_VERSION_5);
    rwl_span footer;
    RWL_TRY(rwl_flat_finish(f, rwl_flat_end(f), &footer));
    uint8_t len[4];
    rwl_store_le32(len, (uint32_t)footer.len);
    RWL_TRY(send(w, footer.data, footer.len, err));
    RWL_TRY(send(w, len, sizeof len, err));
    return send(w, RWL_IPC_MAGIC, RWL_IPC_MAGIC_LEN, err);
}

rwl_status rwl_ipc_writer_finish(rwl_ipc_writer *w, rwl_error *err) {
    static const uint8_t end[8] = {0xff, 0xff, 0xff, 0xff};
    RWL_TRY(send(w, end, sizeof end, err));
    if (!w->file)
        return RWL_OK;
    rwl_flat f;
    rwl_flat_init(&f, w->env, err);
    rwl_status st = send_footer(w, &f, err);
    rwl_flat_clear(&f);
    return st;
}

rwl_status rwl_ipc_writer_new(const rwl_env *env, const struct ArrowSchema *schema, bool file,
                              rwl_ipc_sink sink, rwl_ipc_writer **out, rwl_error *err) {
    rwl_ipc_writer *w = rwl_calloc(env, 1, sizeof *w);
    *out = NULL;
    if (w == NULL)
        return rwl_no_memory(err, sizeof *w);
    w->env = env;
    w->schema = schema;
    w->file = file;
    w->sink = sink;
    rwl_status st = file ? send(w, RWL_IPC_MAGIC "\0\0", 8, err) : (rwl_status)RWL_OK;
    if (st == RWL_OK)
        st = send_schema(w, err);
    if (st != RWL_OK) {
        rwl_ipc_writer_free(w);
        return st;
    }
    *out = w;
    return RWL_OK;
}

void rwl_ipc_writer_free(rwl_ipc_writer *w) {
    if (w == NULL)
        return;
    rwl_vec_clear(&w->blocks, w->env);
    rwl_vec_clear(&w->nodes, w->env);
    rwl_vec_clear(&w->parts, w->env);
    rwl_vec_clear(&w->bodies, w->env);
    rwl_free(w->env, w);
}
