/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protocol buffers, read in place (protobuf.dev/programming-guides/encoding).
 *
 *   message := field*        field := tag(varint: number << 3 | type) value
 *   types: 0 varint · 1 eight bytes · 2 length(varint) bytes · 5 four bytes; groups (3, 4) are refused
 *
 * For messages that are walked once and in number: page encodings, which nest, and lineage, which has a message a row in the worst
 * case. Nothing is allocated; who reads a message that nests counts the depth. What is to be written again goes through
 * protobuf-c (lance/), which keeps unknown fields.
 *
 * Three ways to read one, the first that fits:
 *   rwl_proto_pick   a few fields that come once, each into a variable of its own
 *   rwl_proto_walk   a function that takes every field: oneofs, repeated messages, tables of fields
 *   rwl_proto_next   a loop, for who has to stop, to know where fields lie, or to have more at hand than a context
 */
#ifndef RWL_WIRE_PROTO_H
#define RWL_WIRE_PROTO_H

#include "base/buf.h"

typedef enum rwl_proto_type {
    RWL_PROTO_VARINT = 0,
    RWL_PROTO_FIXED64 = 1,
    RWL_PROTO_BYTES = 2,
    RWL_PROTO_FIXED32 = 5
} rwl_proto_type;

typedef struct rwl_proto_field {
    uint32_t number;
    rwl_proto_type type;
    uint64_t value; /* VARINT, FIXED64, FIXED32; of BYTES their number */
    rwl_span bytes; /* BYTES: borrowed from the message */
} rwl_proto_field;

/* The next field of the message under the cursor; *more false at its end. CORRUPT: truncated, a number of 0 or above 2^29 - 1, a
 * varint of more than 10 bytes, a group. */
RWL_MUST_CHECK rwl_status rwl_proto_next(rwl_cursor *message, bool *more, rwl_proto_field *out,
                                         rwl_error *err);
/* CORRUPT naming the field's number unless it is of this type. */
RWL_MUST_CHECK rwl_status rwl_proto_expect(const rwl_proto_field *field, rwl_proto_type type, rwl_error *err);

/* A field that is wanted of a message, and where its value or its bytes go. */
typedef struct rwl_proto_want {
    uint32_t number;
    uint64_t *value; /* of a varint; NULL: */
    rwl_span *bytes; /* borrowed from the message */
} rwl_proto_want;
/* The wanted fields of a message: of each the last counts, what is absent is left as it was, others are passed over. CORRUPT as of
 * rwl_proto_next, and when one is of another type than wanted. */
RWL_MUST_CHECK rwl_status rwl_proto_pick(rwl_span message, const rwl_proto_want *wants, size_t count,
                                         rwl_error *err);

/* Takes a field of a message, or passes it over. */
typedef rwl_status (*rwl_proto_take_fn)(void *ctx, const rwl_proto_field *field, rwl_error *err);
/* Calls `take` with every field of the message, in order, until it fails. */
RWL_MUST_CHECK rwl_status rwl_proto_walk(rwl_span message, rwl_proto_take_fn take, void *ctx, rwl_error *err);

/* Integers of a repeated field, packed or not: calls back with each. */
RWL_MUST_CHECK rwl_status rwl_proto_each(const rwl_proto_field *field,
                                         rwl_status (*each)(void *ctx, uint64_t value, rwl_error *err),
                                         void *ctx, rwl_error *err);
/* Number of integers in such a field. */
RWL_MUST_CHECK rwl_status rwl_proto_count(const rwl_proto_field *field, size_t *count, rwl_error *err);

#endif
