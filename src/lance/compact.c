/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a message from a file without its long inline lineage. */
#include "lance/manifest.h"
#include "lance/message_internal.h"

#include "lance/transaction.pb-c.h"

enum {
    DEPTH_MAX = 4, /* Transaction, Rewrite, RewriteGroup, DataFragment */
    COMPACT_MAX = 1 << 30
};

typedef struct walker {
    rwl_lance_compact *into;
    rwl_lance_stream *s;
    size_t fragments;          /* begun so far */
    rwl_buf nested[DEPTH_MAX]; /* the message being read at each depth below the first */
} walker;

/* Messages that have fragments somewhere below them, and fragments: what is looked into. All else is copied. */
static bool has_arms(const rwl_lance_kind *kind) {
    const rwl_lance_kind *kinds[] = {
        &rwl__lance__data_fragment__descriptor, &rwl__lance__append__descriptor,
        &rwl__lance__delete__descriptor,        &rwl__lance__overwrite__descriptor,
        &rwl__lance__rewrite__descriptor,       &rwl__lance__rewrite_group__descriptor,
        &rwl__lance__merge__descriptor,         &rwl__lance__update__descriptor,
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kind == kinds[i])
            return true;
    return false;
}

static bool is_inline_arm(const rwl_lance_kind *kind, uint32_t number) {
    return kind == &rwl__lance__data_fragment__descriptor && (number == 5 || number == 7 || number == 9);
}

/* Room for `more` bytes, charged as far as the buffer grows for them. */
static rwl_status make_room(rwl_lance_compact *c, rwl_buf *out, size_t more, rwl_error *err) {
    size_t before = out->cap;
    RWL_TRY(rwl_buf_reserve(out, more, err));
    int64_t grown = (int64_t)(out->cap - before);
    if (grown == 0)
        return RWL_OK;
    RWL_TRY(rwl_op_reserve(c->op, grown, "a manifest or transaction without its inline lineage", err));
    c->reserved += grown;
    return RWL_OK;
}

static rwl_status put_head(rwl_lance_compact *c, rwl_buf *out, const rwl_lance_head *head, uint64_t value,
                           rwl_error *err) {
    RWL_TRY(make_room(c, out, 32, err));
    RWL_TRY(rwl_buf_varint(out, (uint64_t)head->number << 3 | head->type, err));
    if (head->type == RWL_PROTO_FIXED64)
        return rwl_buf_le64(out, value, err);
    if (head->type == RWL_PROTO_FIXED32)
        return rwl_buf_le32(out, (uint32_t)value, err);
    return rwl_buf_varint(out, value, err);
}

static rwl_status copy_bytes(walker *w, rwl_buf *out, uint64_t len, rwl_error *err) {
    for (rwl_span view; len > 0; len -= view.len) {
        RWL_TRY(rwl_lance_stream_view(w->s, &view, err));
        if (view.len > len)
            view.len = (size_t)len;
        RWL_TRY(make_room(w->into, out, view.len, err));
        RWL_TRY(rwl_buf_append(out, view.data, view.len, err));
        w->s->pos += (int64_t)view.len;
    }
    return RWL_OK;
}

static rwl_status walk(walker *w, const rwl_lance_kind *kind, int64_t end, int depth, rwl_buf *out,
                       rwl_error *err);

static rwl_status walk_nested(walker *w, const rwl_lance_kind *kind, const rwl_lance_head *head, int depth,
                              rwl_buf *out, rwl_error *err) {
    if (depth >= DEPTH_MAX)
        return rwl_fail(err, RWL_INTERNAL, "fragments are nested more than %d deep", DEPTH_MAX);
    rwl_buf *nested = &w->nested[depth];
    rwl_buf_reset(nested);
    RWL_TRY(walk(w, kind, w->s->pos + (int64_t)head->value, depth + 1, nested, err));
    RWL_TRY(put_head(w->into, out, head, nested->len, err));
    RWL_TRY(make_room(w->into, out, nested->len, err));
    return rwl_buf_append(out, nested->data, nested->len, err);
}

static rwl_status leave_arm(walker *w, const rwl_lance_head *head, rwl_buf *out, rwl_error *err) {
    const rwl_lance_left left = {w->fragments - 1, head->number, w->s->pos, (int64_t)head->value};
    RWL_TRY(rwl_vec_push(&w->into->left, w->into->op->env, left, err));
    w->s->pos += left.length;
    return put_head(w->into, out, head, 0, err);
}

static rwl_status walk_field(walker *w, const rwl_lance_kind *kind, int64_t end, int depth, rwl_buf *out,
                             rwl_error *err) {
    rwl_lance_head head;
    RWL_TRY(rwl_lance_stream_head(w->s, end, &head, err));
    if (head.type != RWL_PROTO_BYTES)
        return put_head(w->into, out, &head, head.value, err);
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(kind, head.number);
    bool is_message = field != NULL && field->type == PROTOBUF_C_TYPE_MESSAGE;
    bool is_fragment = is_message && field->descriptor == &rwl__lance__data_fragment__descriptor;
    w->fragments += is_fragment;
    /* a fragment that is no longer than an arm that stays holds none that is */
    if (is_message && has_arms(field->descriptor) && !(is_fragment && head.value <= RWL_LANCE_ARM_MAX))
        return walk_nested(w, field->descriptor, &head, depth, out, err);
    if (is_inline_arm(kind, head.number) && head.value > RWL_LANCE_ARM_MAX)
        return leave_arm(w, &head, out, err);
    RWL_TRY(put_head(w->into, out, &head, head.value, err));
    return copy_bytes(w, out, head.value, err);
}

static rwl_status walk(walker *w, const rwl_lance_kind *kind, int64_t end, int depth, rwl_buf *out,
                       rwl_error *err) {
    while (w->s->pos < end)
        RWL_TRY(walk_field(w, kind, end, depth, out, err));
    return RWL_OK;
}

rwl_status rwl_lance_compact_read(rwl_lance_stream *s, const rwl_lance_kind *kind, int64_t length,
                                  rwl_lance_compact *out, rwl_error *err) {
    *out = (rwl_lance_compact){.op = s->op};
    rwl_buf_init(&out->bytes, s->op->env, COMPACT_MAX);
    walker w = {.into = out, .s = s};
    for (int i = 0; i < DEPTH_MAX; i++)
        rwl_buf_init(&w.nested[i], s->op->env, COMPACT_MAX);
    rwl_status st = walk(&w, kind, s->pos + length, 0, &out->bytes, err);
    for (int i = 0; i < DEPTH_MAX; i++)
        rwl_buf_clear(&w.nested[i]);
    return st;
}

void rwl_lance_compact_clear(rwl_lance_compact *c) {
    if (c->op == NULL)
        return;
    rwl_vec_clear(&c->left, c->op->env);
    rwl_buf_clear(&c->bytes);
    rwl_op_release(c->op, c->reserved);
    c->reserved = 0;
}
