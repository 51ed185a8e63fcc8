/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages by protobuf-c, whose headers stay in the .c files: read compactly from a file, checked, unpacked into an arena, and packed
 * again as they were.
 *
 * Reading leaves long inline lineage where it is. Checking comes before unpacking, so that what is wrong has a name and a
 * place: protobuf-c tells neither. It also settles what the encoding leaves open: a field that is not repeated
 * occurs once (merging messages would lose that), and strings are UTF-8 without NUL.
 *
 * Packing gives the same bytes again for messages in the order of lance's own writer: fields by number, where an arm of a sequence has
 * the least number of its oneof (12 stands where 5 would, 13 at 7, 14 at 9), unknown fields at their number, lists of
 * integers packed, the shortest varints. Of another writer's message the fields are all there, in this order.
 */
#ifndef RWL_LANCE_MESSAGE_INTERNAL_H
#define RWL_LANCE_MESSAGE_INTERNAL_H

#include "base/arena.h"
#include "base/vec.h"
#include "lance/stream_internal.h"

struct ProtobufCMessageDescriptor; /* &rwl__lance__…__descriptor of the generated code */
typedef struct ProtobufCMessageDescriptor rwl_lance_kind;

/* An inline arm that stayed in the file. */
typedef struct rwl_lance_left {
    size_t fragment; /* place among all fragments of the message */
    uint32_t field;  /* 5, 7, 9 */
    int64_t offset, length;
} rwl_lance_left;

typedef struct rwl_lance_compact {
    rwl_op *op;
    rwl_buf bytes; /* the message; arms that stayed are empty in it */
    RWL_VEC(rwl_lance_left) left;
    int64_t reserved; /* of the budget */
} rwl_lance_compact;

/* The message of `length` bytes at the stream's place. UNSUPPORTED when what is to be held is over the budget or 1 GiB. Clear it in
 * any case. */
RWL_MUST_CHECK rwl_status rwl_lance_compact_read(rwl_lance_stream *s, const rwl_lance_kind *kind,
                                                 int64_t length, rwl_lance_compact *out, rwl_error *err);
void rwl_lance_compact_clear(rwl_lance_compact *c);

/* Checks a message and unpacks it into `arena`; protobuf-c's struct of that kind. */
RWL_MUST_CHECK rwl_status rwl_lance_message_unpack(const rwl_lance_kind *kind, rwl_span bytes,
                                                   rwl_arena *arena, void **out, rwl_error *err);

/* Asked for each inline arm (`field` 5, 7, 9): *found and what is to be written instead of what the message has. */
typedef struct rwl_lance_fill {
    rwl_status (*arm)(void *ctx, size_t fragment, uint32_t field, rwl_buf *out, bool *found, rwl_error *err);
    void *ctx;
} rwl_lance_fill;
/* Appends protobuf-c's struct as bytes. */
RWL_MUST_CHECK rwl_status rwl_lance_message_pack(const rwl_env *env, const void *message,
                                                 const rwl_lance_fill *fill, rwl_buf *out, rwl_error *err);

#endif
