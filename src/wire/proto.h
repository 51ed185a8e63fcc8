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
/* Integers of a repeated field, packed or not: calls back with each. */
RWL_MUST_CHECK rwl_status rwl_proto_each(const rwl_proto_field *field,
                                         rwl_status (*each)(void *ctx, uint64_t value, rwl_error *err),
                                         void *ctx, rwl_error *err);
/* Number of integers in such a field. */
RWL_MUST_CHECK rwl_status rwl_proto_count(const rwl_proto_field *field, size_t *count, rwl_error *err);

#endif
