/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and unpacks messages of protobuf-c. */
#include "lance/message_internal.h"

#include "column/value.h"
#include "lance/transaction.pb-c.h"

enum {
    DEPTH_MAX = 16, /* more than our schemas nest: none of them recurses */
    /* Structs per byte of message: of the smallest fragments it would be 128, of those of writers about 10. */
    UNPACKED_PER_BYTE = 64,
    UNPACKED_MIN = 1 << 16
};

/* --- checking --- */

static rwl_proto_type wire_type_of(const ProtobufCFieldDescriptor *field) {
    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        return RWL_PROTO_BYTES;
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
        return RWL_PROTO_FIXED32;
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return RWL_PROTO_FIXED64;
    default:
        return RWL_PROTO_VARINT;
    }
}

static rwl_status check_message(const rwl_lance_kind *kind, rwl_span bytes, int depth, rwl_error *err);

static rwl_status check_value(const ProtobufCFieldDescriptor *field, const rwl_proto_field *value, int depth,
                              rwl_error *err) {
    rwl_proto_type want = wire_type_of(field);
    size_t count;
    if (field->label == PROTOBUF_C_LABEL_REPEATED && want == RWL_PROTO_VARINT)
        return rwl_proto_count(value, &count, err); /* packed or not */
    RWL_TRY(rwl_proto_expect(value, want, err));
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        return check_message(field->descriptor, value->bytes, depth + 1, err);
    if (field->type == PROTOBUF_C_TYPE_STRING) {
        if (!rwl_utf8_valid(value->bytes))
            return rwl_fail(err, RWL_CORRUPT, "a string that is no UTF-8");
        if (value->bytes.len > 0 && memchr(value->bytes.data, 0, value->bytes.len) != NULL)
            return rwl_fail(err, RWL_CORRUPT, "a string with a NUL");
    }
    return RWL_OK;
}

static rwl_status check_message(const rwl_lance_kind *kind, rwl_span bytes, int depth, rwl_error *err) {
    rwl_cursor c = rwl_cursor_of(bytes);
    uint64_t seen = 0; /* of fields that are not repeated, by place in the descriptor */
    if (depth > DEPTH_MAX)
        return rwl_fail(err, RWL_CORRUPT, "messages nested more than %d deep", DEPTH_MAX);
    for (;;) {
        rwl_proto_field value;
        bool more;
        RWL_TRY(rwl_proto_next(&c, &more, &value, err));
        if (!more)
            return RWL_OK;
        const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(kind, value.number);
        if (field == NULL)
            continue;
        rwl_status st = check_value(field, &value, depth, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "%s.%s", kind->short_name, field->name);
        if (field->label == PROTOBUF_C_LABEL_REPEATED)
            continue;
        uint64_t bit = (uint64_t)1 << ((field - kind->fields) & 63);
        if (seen & bit)
            return rwl_fail(err, RWL_CORRUPT, "%s.%s is there twice", kind->short_name, field->name);
        seen |= bit;
    }
}

/* --- unpacking --- */

typedef struct allocation {
    rwl_arena *arena;
    size_t limit, used;
    rwl_status status;
    rwl_error *err;
} allocation;

static void *allocate(void *ctx, size_t size) {
    allocation *a = ctx;
    if (a->status != RWL_OK)
        return NULL;
    if (size > a->limit - a->used) {
        a->status =
            rwl_fail(a->err, RWL_UNSUPPORTED,
                     "a message that unpacks to more than %d times its size: nearly all of it is empty",
                     UNPACKED_PER_BYTE);
        return NULL;
    }
    void *out = rwl_arena_alloc(a->arena, size);
    if (out == NULL)
        a->status = rwl_no_memory(a->err, size);
    a->used += size;
    return out;
}

static void let_go(void *ctx, void *block) {
    (void)ctx, (void)block; /* goes with the arena */
}

rwl_status rwl_lance_message_unpack(const rwl_lance_kind *kind, rwl_span bytes, rwl_arena *arena, void **out,
                                    rwl_error *err) {
    RWL_TRY(check_message(kind, bytes, 0, err));
    allocation a = {.arena = arena, .status = RWL_OK, .err = err};
    if (__builtin_mul_overflow(bytes.len, (size_t)UNPACKED_PER_BYTE, &a.limit) ||
        __builtin_add_overflow(a.limit, (size_t)UNPACKED_MIN, &a.limit))
        a.limit = SIZE_MAX;
    ProtobufCAllocator allocator = {allocate, let_go, &a};
    *out = protobuf_c_message_unpack(kind, &allocator, bytes.len, bytes.data);
    if (*out != NULL)
        return RWL_OK;
    return a.status != RWL_OK
               ? a.status
               : rwl_fail(err, RWL_CORRUPT, "%s: the message can't be unpacked", kind->short_name);
}
