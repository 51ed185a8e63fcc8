/* SPDX-License-Identifier: Apache-2.0 */
/* RecordBatch messages as arrays that point into their body; each array owns its body. */
#include "base/arena.h"
#include "codec/codec.h"
#include "ipc/read_internal.h"

#include <inttypes.h>
#include <stdlib.h>

#define ROWS_MAX  (INT64_C(1) << 31)
#define BYTES_MAX (INT64_C(1) << 31) /* of all uncompressed buffers of a batch */
/* Of a batch without values, which a few bytes can claim and a table's columns would be filled with. */
#define EMPTY_ROWS_MAX (INT64_C(1) << 22)

typedef struct array_owner {
    const rwl_env *env;
    rwl_arena arena; /* arrays, lists of buffers, uncompressed buffers */
    rwl_buf body;
} array_owner;

typedef struct batch_reader {
    array_owner *owner;
    const struct ArrowSchema *schema; /* the root */
    rwl_span message;                 /* the flatbuffer */
    rwl_span body;
    rwl_ipc_dictionaries dictionaries;
    const uint8_t **dictionary_bodies; /* copied for this batch; NULL: not yet */
    size_t dictionary;                 /* the next one of the schema */
    rwl_flat_items nodes, buffers;
    uint32_t node, buffer; /* the next ones */
    rwl_codec *codec;      /* NULL: not compressed */
    int64_t uncompressed;  /* bytes so far */
    int64_t uncompressed_max;
} batch_reader;

/* --- releasing --- */

static void release_child(struct ArrowArray *a) {
    for (int64_t i = 0; i < a->n_children; i++)
        if (a->children[i]->release != NULL)
            a->children[i]->release(a->children[i]);
    if (a->dictionary != NULL && a->dictionary->release != NULL)
        a->dictionary->release(a->dictionary);
    a->release = NULL;
}

static void free_owner(array_owner *owner) {
    const rwl_env *env = owner->env;
    rwl_buf_clear(&owner->body);
    rwl_arena_clear(&owner->arena);
    rwl_free(env, owner);
}

static void release_root(struct ArrowArray *a) {
    array_owner *owner = a->private_data;
    release_child(a);
    free_owner(owner);
}

/* --- buffers --- */

static rwl_status unpack(batch_reader *r, rwl_span in, rwl_span *out, rwl_error *err) {
    int64_t len = in.len >= 8 ? (int64_t)rwl_load_le64(in.data) : -2;
    if (in.len == 0)
        return RWL_OK;
    if (len == -1) { /* stored as it is */
        *out = rwl_span_of(in.data + 8, in.len - 8);
        return RWL_OK;
    }
    if (len < 0 || len > BYTES_MAX)
        return rwl_fail(err, RWL_CORRUPT, "a compressed buffer claims %" PRId64 " bytes", len);
    r->uncompressed += len;
    if (r->uncompressed > r->uncompressed_max)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "a compressed batch needs %" PRId64 " bytes of memory or more, %" PRId64
                        " may be had",
                        r->uncompressed, r->uncompressed_max);
    uint8_t *bytes = rwl_arena_alloc(&r->owner->arena, (size_t)len + 8);
    if (bytes == NULL)
        return rwl_no_memory(err, (size_t)len);
    *out = rwl_span_of(bytes, (size_t)len);
    return rwl_codec_decompress(r->codec, rwl_span_of(in.data + 8, in.len - 8), bytes, (size_t)len, err);
}

/* The next buffer of the batch. */
static rwl_status next_buffer(batch_reader *r, rwl_span *out, rwl_error *err) {
    if (r->buffer >= r->buffers.count)
        return rwl_fail(err, RWL_CORRUPT, "a batch has too few buffers for its schema");
    const uint8_t *at = r->message.data + r->buffers.at + 16 * (size_t)r->buffer++;
    int64_t offset = (int64_t)rwl_load_le64(at), len = (int64_t)rwl_load_le64(at + 8);
    int64_t have = (int64_t)r->body.len;
    if (offset < 0 || len < 0 || offset > have || len > have - offset || (len > 0 && offset % 8 != 0))
        return rwl_fail(err, RWL_CORRUPT,
                        "a buffer of %" PRId64 " bytes at %" PRId64 " does not lie in the body", len, offset);
    *out = rwl_span_of(len > 0 ? r->body.data + offset : NULL, (size_t)len); /* an empty body is nowhere */
    return r->codec != NULL ? unpack(r, *out, out, err) : (rwl_status)RWL_OK;
}

static rwl_status need(rwl_span buffer, int64_t len, const char *what, rwl_error *err) {
    if ((int64_t)buffer.len >= len)
        return RWL_OK;
    return rwl_fail(err, RWL_CORRUPT, "the %s of a column have %zu bytes, not %" PRId64, what, buffer.len,
                    len);
}

/* Offsets of `length` values rise from 0 or more to at most `limit`. */
static rwl_status check_offsets(rwl_span offsets, int64_t length, bool wide, int64_t limit, rwl_error *err) {
    int64_t before = 0;
    for (int64_t i = 0; i <= length; i++) {
        const uint8_t *at = offsets.data + i * (wide ? 8 : 4);
        int64_t now = wide ? (int64_t)rwl_load_le64(at) : (int32_t)rwl_load_le32(at);
        if (now < before || now > limit)
            return rwl_fail(err, RWL_CORRUPT, "offset %" PRId64 " of row %" PRId64 " is %" PRId64, i, i, now);
        before = now;
    }
    return RWL_OK;
}

/* --- columns --- */

static rwl_status next_node(batch_reader *r, struct ArrowArray *out, rwl_error *err) {
    if (r->node >= r->nodes.count)
        return rwl_fail(err, RWL_CORRUPT, "a batch has too few columns for its schema");
    const uint8_t *at = r->message.data + r->nodes.at + 16 * (size_t)r->node++;
    out->length = (int64_t)rwl_load_le64(at);
    out->null_count = (int64_t)rwl_load_le64(at + 8);
    if (out->length < 0 || out->length > ROWS_MAX || out->null_count < 0 || out->null_count > out->length)
        return rwl_fail(err, RWL_CORRUPT, "a column has %" PRId64 " values and %" PRId64 " nulls",
                        out->length, out->null_count);
    return RWL_OK;
}

static rwl_status read_validity(batch_reader *r, struct ArrowArray *out, rwl_error *err) {
    rwl_span validity;
    RWL_TRY(next_buffer(r, &validity, err));
    if (out->null_count == 0)
        return RWL_OK; /* whatever is stored */
    RWL_TRY(need(validity, (out->length + 7) / 8, "validity bits", err));
    out->buffers[0] = validity.data;
    return RWL_OK;
}

/* Offsets, at least one unless there are no values, and what they point into; lists are held against their child later. */
static rwl_status read_offsets(batch_reader *r, struct ArrowArray *out, bool wide, bool with_bytes,
                               rwl_error *err) {
    static const int64_t zero[1];
    rwl_span offsets, bytes = rwl_span_of(NULL, 0);
    RWL_TRY(next_buffer(r, &offsets, err));
    if (with_bytes)
        RWL_TRY(next_buffer(r, &bytes, err));
    if (out->length == 0 && offsets.len == 0)
        offsets = rwl_span_of(zero, sizeof zero);
    RWL_TRY(need(offsets, (out->length + 1) * (wide ? 8 : 4), "offsets", err));
    RWL_TRY(check_offsets(offsets, out->length, wide, with_bytes ? (int64_t)bytes.len : ROWS_MAX, err));
    out->buffers[1] = offsets.data;
    if (with_bytes)
        out->buffers[2] = bytes.data != NULL ? bytes.data : (const uint8_t *)"";
    return RWL_OK;
}

static rwl_status read_values(batch_reader *r, const rwl_ipc_type *type, struct ArrowArray *out,
                              rwl_error *err) {
    rwl_span values;
    switch (type->layout) {
    case RWL_IPC_LAYOUT_BITS:
    case RWL_IPC_LAYOUT_FIXED:
        RWL_TRY(next_buffer(r, &values, err));
        RWL_TRY(need(values,
                     type->layout == RWL_IPC_LAYOUT_BITS ? (out->length + 7) / 8 : out->length * type->width,
                     "values", err));
        out->buffers[1] = values.data != NULL ? values.data : (const uint8_t *)"";
        return RWL_OK;
    case RWL_IPC_LAYOUT_BYTES:
    case RWL_IPC_LAYOUT_LARGE_BYTES:
        return read_offsets(r, out, type->layout == RWL_IPC_LAYOUT_LARGE_BYTES, true, err);
    case RWL_IPC_LAYOUT_LIST:
    case RWL_IPC_LAYOUT_LARGE_LIST:
        return read_offsets(r, out, type->layout == RWL_IPC_LAYOUT_LARGE_LIST, false, err);
    default:
        return RWL_OK;
    }
}

static int64_t buffers_of(const rwl_ipc_type *type) {
    switch (type->layout) {
    case RWL_IPC_LAYOUT_NONE:
        return 0;
    case RWL_IPC_LAYOUT_STRUCT:
        return 1;
    case RWL_IPC_LAYOUT_BYTES:
    case RWL_IPC_LAYOUT_LARGE_BYTES:
        return 3;
    default:
        return 2;
    }
}

/* How many values a column's only child must have, or each of a struct's. */
static int64_t child_length(const rwl_ipc_type *type, const struct ArrowArray *a) {
    if (type->id == RWL_IPC_FIXED_LIST)
        return a->length * type->width;
    if (type->layout == RWL_IPC_LAYOUT_LIST)
        return ((const int32_t *)a->buffers[1])[a->length];
    if (type->layout == RWL_IPC_LAYOUT_LARGE_LIST)
        return ((const int64_t *)a->buffers[1])[a->length];
    return a->length;
}

static rwl_status make_children(batch_reader *r, int64_t count, struct ArrowArray *out, rwl_error *err) {
    struct ArrowArray *children = rwl_arena_array(&r->owner->arena, (size_t)count, sizeof *children);
    out->children = rwl_arena_array(&r->owner->arena, (size_t)count, sizeof *out->children);
    if (children == NULL || out->children == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof *children);
    for (int64_t i = 0; i < count; i++)
        out->children[i] = &children[i];
    out->n_children = count;
    return RWL_OK;
}

static rwl_status read_dictionary(batch_reader *r, const struct ArrowSchema *values, struct ArrowArray **out,
                                  rwl_error *err);

static rwl_status read_column(batch_reader *r, const struct ArrowSchema *s, struct ArrowArray *out,
                              rwl_error *err) {
    rwl_ipc_type type;
    if (!rwl_ipc_type_of_format(s->format, &type))
        return rwl_fail(err, RWL_INTERNAL, "format %s", s->format);
    RWL_TRY(next_node(r, out, err));
    out->n_buffers = buffers_of(&type);
    out->buffers = rwl_arena_array(&r->owner->arena, (size_t)out->n_buffers + 1, sizeof *out->buffers);
    if (out->buffers == NULL)
        return rwl_no_memory(err, 4 * sizeof *out->buffers);
    out->release = release_child;
    if (type.layout != RWL_IPC_LAYOUT_NONE)
        RWL_TRY(read_validity(r, out, err));
    RWL_TRY(read_values(r, &type, out, err));
    if (s->dictionary != NULL)
        return read_dictionary(r, s->dictionary, &out->dictionary, err);
    RWL_TRY(make_children(r, s->n_children, out, err));
    for (int64_t i = 0; i < s->n_children; i++) {
        RWL_TRY(read_column(r, s->children[i], out->children[i], err));
        if (out->children[i]->length < child_length(&type, out))
            return rwl_fail(err, RWL_CORRUPT, "column %s has fewer values than its parent points to",
                            s->children[i]->name);
    }
    return RWL_OK;
}

/* --- dictionaries --- */

static const rwl_ipc_dictionary *find_dictionary(const batch_reader *r, int64_t id) {
    for (size_t i = 0; i < r->dictionaries.count; i++)
        if (r->dictionaries.items[i].id == id)
            return &r->dictionaries.items[i];
    return NULL;
}

/* The body of a dictionary, copied: a batch may keep it as long as it likes. Columns of one dictionary share the copy. */
static rwl_status copy_body(batch_reader *r, const rwl_ipc_dictionary *d, rwl_span *out, rwl_error *err) {
    size_t i = (size_t)(d - r->dictionaries.items);
    if (r->dictionary_bodies == NULL)
        r->dictionary_bodies =
            rwl_arena_array(&r->owner->arena, r->dictionaries.count, sizeof *r->dictionary_bodies);
    if (r->dictionary_bodies != NULL && r->dictionary_bodies[i] == NULL)
        r->dictionary_bodies[i] = rwl_arena_copy(&r->owner->arena, d->body.data, d->body.len);
    if (r->dictionary_bodies == NULL || r->dictionary_bodies[i] == NULL)
        return rwl_no_memory(err, d->body.len);
    *out = rwl_span_of(r->dictionary_bodies[i], d->body.len);
    return RWL_OK;
}

static rwl_status open_columns(batch_reader *r, const rwl_flat_table *batch, rwl_error *err);

/* The batch of one column that a dictionary's message is. */
static rwl_status read_dictionary(batch_reader *r, const struct ArrowSchema *values, struct ArrowArray **out,
                                  rwl_error *err) {
    rwl_flat_table message, header, batch;
    int64_t id = rwl_ipc_dictionary_id(r->schema, r->dictionary++);
    const rwl_ipc_dictionary *d = find_dictionary(r, id);
    if (d == NULL)
        return rwl_fail(err, RWL_CORRUPT, "dictionary %" PRId64 " is not there before it is used", id);
    RWL_TRY(rwl_flat_root(rwl_buf_span(&d->message), &message, err));
    RWL_TRY(rwl_flat_get_table(&message, 2, &header, err));
    RWL_TRY(rwl_flat_get_table(&header, 1, &batch, err));
    rwl_span body;
    RWL_TRY(copy_body(r, d, &body, err));
    *out = rwl_arena_alloc(&r->owner->arena, sizeof **out);
    if (*out == NULL)
        return rwl_no_memory(err, sizeof **out);
    memset(*out, 0, sizeof **out);
    batch_reader of_values = {.owner = r->owner,
                              .schema = r->schema,
                              .message = batch.buf,
                              .body = body,
                              .uncompressed = r->uncompressed,
                              .uncompressed_max = r->uncompressed_max};
    rwl_status st = open_columns(&of_values, &batch, err);
    if (st == RWL_OK)
        st = read_column(&of_values, values, *out, err);
    r->uncompressed = of_values.uncompressed;
    rwl_codec_free(of_values.codec);
    return st;
}

/* --- the batch --- */

static rwl_status open_codec(batch_reader *r, const rwl_flat_table *batch, rwl_error *err) {
    rwl_flat_table compression;
    uint8_t codec, method;
    RWL_TRY(rwl_flat_get_table(batch, 3, &compression, err));
    if (compression.at == 0)
        return RWL_OK;
    RWL_TRY(rwl_flat_get_u8(&compression, 0, 0, &codec, err));
    RWL_TRY(rwl_flat_get_u8(&compression, 1, 0, &method, err));
    if (codec > 1 || method != 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "Arrow compression %u by method %u", codec, method);
    /* the one for Hadoop's forms knows LZ4 frames too */
    return rwl_codec_new(r->owner->env, codec == 0 ? RWL_CODEC_LZ4_HADOOP : RWL_CODEC_ZSTD, 0, &r->codec,
                         err);
}

static rwl_status open_columns(batch_reader *r, const rwl_flat_table *batch, rwl_error *err) {
    RWL_TRY(open_codec(r, batch, err));
    RWL_TRY(rwl_flat_get_vector(batch, 1, 16, &r->nodes, err));
    return rwl_flat_get_vector(batch, 2, 16, &r->buffers, err);
}

static rwl_status read_root(batch_reader *r, const struct ArrowSchema *schema, const rwl_flat_table *batch,
                            struct ArrowArray *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    RWL_TRY(open_columns(r, batch, err));
    RWL_TRY(rwl_flat_get_i64(batch, 0, 0, &out->length, err));
    if (out->length < 0 || out->length > ROWS_MAX)
        return rwl_fail(err, RWL_CORRUPT, "a batch has %" PRId64 " rows", out->length);
    out->n_buffers = 1;
    out->buffers = rwl_arena_array(&r->owner->arena, 1, sizeof *out->buffers);
    if (out->buffers == NULL)
        return rwl_no_memory(err, sizeof *out->buffers);
    RWL_TRY(make_children(r, schema->n_children, out, err));
    for (int64_t i = 0; i < schema->n_children; i++) {
        RWL_TRY(read_column(r, schema->children[i], out->children[i], err));
        if (out->children[i]->length < out->length)
            return rwl_fail(err, RWL_CORRUPT, "column %s has fewer values than the batch has rows",
                            schema->children[i]->name);
    }
    int64_t bytes = (int64_t)r->body.len + r->uncompressed;
    if (out->length > EMPTY_ROWS_MAX && out->length / 8 > bytes) /* not even a bit a row */
        return rwl_fail(err, RWL_UNSUPPORTED, "a batch of %" PRId64 " rows has %" PRId64 " bytes of values",
                        out->length, bytes);
    return RWL_OK;
}

rwl_status rwl_ipc_read_batch(rwl_op *op, const struct ArrowSchema *schema, rwl_ipc_dictionaries dictionaries,
                              const rwl_flat_table *batch, rwl_buf *body, struct ArrowArray *out,
                              rwl_error *err) {
    const rwl_env *env = op->env;
    array_owner *owner = rwl_calloc(env, 1, sizeof *owner);
    if (owner == NULL) {
        rwl_buf_clear(body);
        return rwl_no_memory(err, sizeof *owner);
    }
    owner->env = env;
    owner->body = *body;
    rwl_buf_init(body, env, body->max);
    rwl_arena_init(&owner->arena, env, 0);
    int64_t most = op->memory_limit > 0 && op->memory_limit < BYTES_MAX ? op->memory_limit : BYTES_MAX;
    batch_reader r = {.owner = owner,
                      .schema = schema,
                      .message = batch->buf,
                      .body = rwl_buf_span(&owner->body),
                      .dictionaries = dictionaries,
                      .uncompressed_max = most};
    rwl_status st = read_root(&r, schema, batch, out, err);
    rwl_codec_free(r.codec);
    if (st != RWL_OK) {
        free_owner(owner);
        memset(out, 0, sizeof *out);
        return st;
    }
    out->private_data = owner;
    out->release = release_root;
    return RWL_OK;
}
