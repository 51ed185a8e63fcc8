/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packs messages of protobuf-c in the order of lance's own writer. protobuf-c writes known fields by number and unknown ones behind
 * them, so what it gives is put in order once more, message by message, by the rank of each field.
 */
#include "lance/message_internal.h"

#include "lance/transaction.pb-c.h"

#include <stdlib.h>

enum { DEPTH_MAX = 16 };

typedef struct piece {
    uint32_t rank;
    size_t index; /* keeps the order of equals */
    size_t start, end;
    rwl_proto_field value;
} piece;

typedef RWL_VEC(piece) pieces;

typedef struct packer {
    const rwl_env *env;
    const rwl_lance_fill *fill;
    size_t fragments; /* begun so far */
} packer;

/* Oneofs are written where their least number would be. */
static uint32_t rank_of(const rwl_lance_kind *kind, uint32_t number) {
    static const uint8_t arms[17] = {
        [5] = 5, [6] = 5, [12] = 5, [7] = 7, [8] = 7, [13] = 7, [9] = 9, [10] = 9, [14] = 9};
    if (kind == &rwl__lance__data_fragment__descriptor && number < sizeof arms && arms[number] != 0)
        return arms[number];
    return number;
}

static int compare_pieces(const void *a, const void *b) {
    const piece *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static rwl_status split(const packer *p, const rwl_lance_kind *kind, rwl_span bytes, pieces *out,
                        rwl_error *err) {
    rwl_cursor c = rwl_cursor_of(bytes);
    bool in_order = true;
    for (;;) {
        piece next = {.index = out->len, .start = c.pos};
        bool more;
        RWL_TRY(rwl_proto_next(&c, &more, &next.value, err));
        if (!more)
            break;
        next.end = c.pos;
        next.rank = rank_of(kind, next.value.number);
        in_order = in_order && (out->len == 0 || out->items[out->len - 1].rank <= next.rank);
        RWL_TRY(rwl_vec_push(out, p->env, next, err));
    }
    if (!in_order)
        qsort(out->items, out->len, sizeof *out->items, compare_pieces);
    return RWL_OK;
}

static rwl_status put_bytes(rwl_buf *out, uint32_t number, rwl_span bytes, rwl_error *err) {
    RWL_TRY(rwl_buf_varint(out, (uint64_t)number << 3 | RWL_PROTO_BYTES, err));
    RWL_TRY(rwl_buf_varint(out, bytes.len, err));
    return rwl_buf_append(out, bytes.data, bytes.len, err);
}

static rwl_status emit(packer *p, const rwl_lance_kind *kind, rwl_span bytes, int depth, rwl_buf *out,
                       rwl_error *err);

static rwl_status emit_nested(packer *p, const rwl_lance_kind *kind, const piece *at, int depth, rwl_buf *out,
                              rwl_error *err) {
    rwl_buf nested;
    rwl_buf_init(&nested, p->env, out->max);
    p->fragments += kind == &rwl__lance__data_fragment__descriptor;
    rwl_status st = emit(p, kind, at->value.bytes, depth + 1, &nested, err);
    if (st == RWL_OK)
        st = put_bytes(out, at->value.number, rwl_buf_span(&nested), err);
    rwl_buf_clear(&nested);
    return st;
}

static rwl_status emit_arm(const packer *p, const piece *at, rwl_buf *out, bool *found, rwl_error *err) {
    rwl_buf arm;
    rwl_buf_init(&arm, p->env, out->max);
    rwl_status st = p->fill->arm(p->fill->ctx, p->fragments - 1, at->value.number, &arm, found, err);
    if (st == RWL_OK && *found)
        st = put_bytes(out, at->value.number, rwl_buf_span(&arm), err);
    rwl_buf_clear(&arm);
    return st;
}

static rwl_status emit_piece(packer *p, const rwl_lance_kind *kind, rwl_span bytes, const piece *at,
                             int depth, rwl_buf *out, rwl_error *err) {
    uint32_t number = at->value.number;
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(kind, number);
    if (field != NULL && field->type == PROTOBUF_C_TYPE_MESSAGE && at->value.type == RWL_PROTO_BYTES)
        return emit_nested(p, field->descriptor, at, depth, out, err);
    if (p->fill != NULL && kind == &rwl__lance__data_fragment__descriptor &&
        (number == 5 || number == 7 || number == 9)) {
        bool found = false;
        RWL_TRY(emit_arm(p, at, out, &found, err));
        if (found)
            return RWL_OK;
    }
    return rwl_buf_append(out, bytes.data + at->start, at->end - at->start, err);
}

static rwl_status emit(packer *p, const rwl_lance_kind *kind, rwl_span bytes, int depth, rwl_buf *out,
                       rwl_error *err) {
    pieces list = {0};
    if (depth > DEPTH_MAX)
        return rwl_fail(err, RWL_INTERNAL, "messages nested more than %d deep", DEPTH_MAX);
    rwl_status st = split(p, kind, bytes, &list, err);
    for (size_t i = 0; st == RWL_OK && i < list.len; i++)
        st = emit_piece(p, kind, bytes, &list.items[i], depth, out, err);
    rwl_vec_clear(&list, p->env);
    return st;
}

rwl_status rwl_lance_message_pack(const rwl_env *env, const void *message, const rwl_lance_fill *fill,
                                  rwl_buf *out, rwl_error *err) {
    const ProtobufCMessage *m = message;
    packer p = {.env = env, .fill = fill};
    rwl_buf plain;
    rwl_buf_init(&plain, env, SIZE_MAX);
    size_t size = protobuf_c_message_get_packed_size(m);
    rwl_status st = rwl_buf_reserve(&plain, size + 1, err); /* never NULL */
    if (st == RWL_OK) {
        plain.len = protobuf_c_message_pack(m, plain.data);
        st = emit(&p, m->descriptor, rwl_buf_span(&plain), 0, out, err);
    }
    rwl_buf_clear(&plain);
    return st;
}
