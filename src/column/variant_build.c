/* SPDX-License-Identifier: Apache-2.0 */
/* Variants built: primitives, arrays, objects, metadata. */
#include "column/variant.h"

#include <stdlib.h>

enum { SHORT_STRING_MAX = 63 };

/* Type ids of primitives. */
enum {
    ID_NULL = 0,
    ID_TRUE = 1,
    ID_FALSE = 2,
    ID_INT8 = 3,
    ID_DOUBLE = 7,
    ID_DECIMAL4 = 8,
    ID_DATE = 11,
    ID_TIMESTAMPTZ = 12,
    ID_TIMESTAMP = 13,
    ID_FLOAT = 14,
    ID_BINARY = 15,
    ID_STRING = 16,
    ID_TIME = 17,
    ID_TIMESTAMPTZ_NS = 18,
    ID_TIMESTAMP_NS = 19,
    ID_UUID = 20
};

/* Bytes needed for `v`, at least 1. */
static uint32_t uint_size(uint32_t v) {
    return v > 0xFFFFFF ? 4 : v > 0xFFFF ? 3 : v > 0xFF ? 2 : 1;
}

/* The low `size` bytes of `v`, little endian; size at most 8. */
static rwl_status put_le(uint64_t v, size_t size, rwl_buf *out, rwl_error *err) {
    uint8_t room[8];
    rwl_store_le64(room, v);
    return rwl_buf_append(out, room, size, err);
}

static rwl_status put_header(int id, rwl_buf *out, rwl_error *err) {
    return rwl_buf_u8(out, (uint8_t)(id << 2), err);
}

static rwl_status put_number(int id, uint64_t v, size_t size, rwl_buf *out, rwl_error *err) {
    RWL_TRY(put_header(id, out, err));
    return put_le(v, size, out, err);
}

/* --- primitives --- */

rwl_status rwl_variant_put_int(int64_t v, int width, rwl_buf *out, rwl_error *err) {
    int unused = 64 - 8 * width;
    if ((width != 1 && width != 2 && width != 4 && width != 8) ||
        (int64_t)((uint64_t)v << unused) >> unused != v)
        return rwl_fail(err, RWL_INTERNAL, "variant: %lld in %d bytes", (long long)v, width);
    int id = ID_INT8 + (width > 1) + (width > 2) + (width > 4);
    return put_number(id, (uint64_t)v, (size_t)width, out, err);
}

static rwl_status put_decimal(const rwl_type *type, rwl_i128 v, rwl_buf *out, rwl_error *err) {
    int step = type->precision <= 9 ? 0 : type->precision <= 18 ? 1 : 2;
    uint8_t room[16];
    if (type->scale < 0 || type->scale > 38 || !rwl_i128_fits_digits(v, step == 0 ? 9 : step == 1 ? 18 : 38))
        return rwl_fail(err, RWL_CORRUPT, "variant: a value that is no decimal(%d, %d)", type->precision,
                        type->scale);
    RWL_TRY(put_header(ID_DECIMAL4 + step, out, err));
    RWL_TRY(rwl_buf_u8(out, (uint8_t)type->scale, err));
    rwl_i128_store(room, v);
    return rwl_buf_append(out, room, (size_t)4 << step, err);
}

static rwl_status put_bytes(int id, rwl_span bytes, rwl_buf *out, rwl_error *err) {
    if (bytes.len > UINT32_MAX - 5)
        return rwl_fail(err, RWL_UNSUPPORTED, "variant: a value of %zu bytes", bytes.len);
    if (id == ID_STRING && bytes.len <= SHORT_STRING_MAX) {
        RWL_TRY(rwl_buf_u8(out, (uint8_t)(bytes.len << 2 | 1), err));
    } else {
        RWL_TRY(put_header(id, out, err));
        RWL_TRY(rwl_buf_le32(out, (uint32_t)bytes.len, err));
    }
    return bytes.len > 0 ? rwl_buf_append(out, bytes.data, bytes.len, err) : RWL_OK;
}

static rwl_status put_uuid(rwl_span bytes, rwl_buf *out, rwl_error *err) {
    if (bytes.len != 16)
        return rwl_fail(err, RWL_CORRUPT, "uuid value of %zu bytes", bytes.len);
    RWL_TRY(put_header(ID_UUID, out, err));
    return rwl_buf_append(out, bytes.data, bytes.len, err);
}

rwl_status rwl_variant_put_primitive(const rwl_type *type, const rwl_value *v, rwl_buf *out, rwl_error *err) {
    if (v->is_null)
        return put_header(ID_NULL, out, err);
    uint64_t bits = 0;
    switch (v->kind) {
    case RWL_TYPE_BOOLEAN:
        return put_header(v->as.b ? ID_TRUE : ID_FALSE, out, err);
    case RWL_TYPE_INT:
        return rwl_variant_put_int(v->as.i32, 4, out, err);
    case RWL_TYPE_LONG:
        return rwl_variant_put_int(v->as.i64, 8, out, err);
    case RWL_TYPE_FLOAT:
        memcpy(&bits, &v->as.f32, sizeof v->as.f32);
        return put_number(ID_FLOAT, bits, 4, out, err);
    case RWL_TYPE_DOUBLE:
        memcpy(&bits, &v->as.f64, sizeof bits);
        return put_number(ID_DOUBLE, bits, 8, out, err);
    case RWL_TYPE_DECIMAL:
        return put_decimal(type, v->as.i128, out, err);
    case RWL_TYPE_DATE:
        return put_number(ID_DATE, (uint64_t)(int64_t)v->as.i32, 4, out, err);
    case RWL_TYPE_TIME:
        return put_number(ID_TIME, (uint64_t)v->as.i64, 8, out, err);
    case RWL_TYPE_TIMESTAMP:
        return put_number(ID_TIMESTAMP, (uint64_t)v->as.i64, 8, out, err);
    case RWL_TYPE_TIMESTAMPTZ:
        return put_number(ID_TIMESTAMPTZ, (uint64_t)v->as.i64, 8, out, err);
    case RWL_TYPE_TIMESTAMP_NS:
        return put_number(ID_TIMESTAMP_NS, (uint64_t)v->as.i64, 8, out, err);
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return put_number(ID_TIMESTAMPTZ_NS, (uint64_t)v->as.i64, 8, out, err);
    case RWL_TYPE_STRING:
        return put_bytes(ID_STRING, v->as.bytes, out, err);
    case RWL_TYPE_FIXED:
        if (rwl_type_is_decimal256(type))
            return rwl_fail(err, RWL_UNSUPPORTED, "a variant does not hold decimals of more than 38 digits");
        return put_bytes(ID_BINARY, v->as.bytes, out, err);
    case RWL_TYPE_BINARY:
        return put_bytes(ID_BINARY, v->as.bytes, out, err);
    case RWL_TYPE_UUID:
        return put_uuid(v->as.bytes, out, err);
    default: {
        char name[64];
        rwl_type_name(type, name, sizeof name);
        return rwl_fail(err, RWL_UNSUPPORTED, "a variant does not hold values of type %s", name);
    }
    }
}

/* --- containers --- */

/* The sum of the values' lengths; UNSUPPORTED when offsets cannot hold it. */
static rwl_status sum_lengths(const rwl_span *values, size_t count, uint32_t *out, rwl_error *err) {
    uint64_t total = 0;
    for (size_t i = 0; i < count && total <= UINT32_MAX; i++)
        total += values[i].len;
    if (total > UINT32_MAX || count > UINT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "variant: %zu values of more than %u bytes", count, UINT32_MAX);
    *out = (uint32_t)total;
    return RWL_OK;
}

static rwl_status put_spans(const rwl_span *spans, size_t count, rwl_buf *out, rwl_error *err) {
    for (size_t i = 0; i < count; i++)
        if (spans[i].len > 0)
            RWL_TRY(rwl_buf_append(out, spans[i].data, spans[i].len, err));
    return RWL_OK;
}

/* Offsets of `count` spans that follow one another, and their end. */
static rwl_status put_offsets(const rwl_span *spans, size_t count, uint32_t size, rwl_buf *out,
                              rwl_error *err) {
    uint64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        RWL_TRY(put_le(at, size, out, err));
        at += spans[i].len;
    }
    return put_le(at, size, out, err);
}

rwl_status rwl_variant_put_array(const rwl_span *values, size_t count, rwl_buf *out, rwl_error *err) {
    uint32_t total;
    RWL_TRY(sum_lengths(values, count, &total, err));
    uint32_t off_size = uint_size(total);
    bool large = count > 255;
    RWL_TRY(rwl_buf_u8(out, (uint8_t)((large ? 16u : 0u) | (off_size - 1) << 2 | 3), err));
    RWL_TRY(put_le(count, large ? 4 : 1, out, err));
    RWL_TRY(put_offsets(values, count, off_size, out, err));
    return put_spans(values, count, out, err);
}

typedef struct object_field {
    rwl_span name, value;
    uint32_t id;
} object_field;

static int compare_names(const void *a, const void *b) {
    const object_field *x = a, *y = b;
    return rwl_span_compare(x->name, y->name);
}

/* Reads the names, sorts by them, refuses equal ones. */
static rwl_status sort_fields(rwl_span metadata, object_field *fields, size_t count, rwl_error *err) {
    bool sorted = true;
    for (size_t i = 0; i < count; i++) {
        RWL_TRY(rwl_variant_name(metadata, fields[i].id, &fields[i].name, err));
        sorted = sorted && (i == 0 || compare_names(&fields[i - 1], &fields[i]) < 0);
    }
    if (sorted)
        return RWL_OK;
    qsort(fields, count, sizeof *fields, compare_names);
    for (size_t i = 1; i < count; i++)
        if (rwl_span_equal(fields[i - 1].name, fields[i].name))
            return rwl_fail(err, RWL_CORRUPT, "variant: an object with the name '%.*s' twice",
                            fields[i].name.len > 64 ? 64 : (int)fields[i].name.len,
                            fields[i].name.len > 0 ? (const char *)fields[i].name.data : "");
    return RWL_OK;
}

/* Values follow one another in the order of the fields. */
static rwl_status put_fields(const object_field *fields, size_t count, uint32_t total, rwl_buf *out,
                             rwl_error *err) {
    uint32_t largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fields[i].id > largest ? fields[i].id : largest;
    uint32_t id_size = uint_size(largest);
    uint32_t off_size = uint_size(total);
    bool large = count > 255;
    uint32_t header = (large ? 16u : 0u) | (id_size - 1) << 2 | (off_size - 1);
    RWL_TRY(rwl_buf_u8(out, (uint8_t)(header << 2 | 2), err));
    RWL_TRY(put_le(count, large ? 4 : 1, out, err));
    for (size_t i = 0; i < count; i++)
        RWL_TRY(put_le(fields[i].id, id_size, out, err));
    uint64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        RWL_TRY(put_le(at, off_size, out, err));
        at += fields[i].value.len;
    }
    RWL_TRY(put_le(at, off_size, out, err));
    for (size_t i = 0; i < count; i++)
        RWL_TRY(rwl_buf_append(out, fields[i].value.data, fields[i].value.len, err));
    return RWL_OK;
}

rwl_status rwl_variant_put_object(rwl_span metadata, const uint32_t *ids, const rwl_span *values,
                                  size_t count, rwl_buf *out, rwl_error *err) {
    object_field few[16];
    object_field *fields = few;
    uint32_t total;
    RWL_TRY(sum_lengths(values, count, &total, err));
    if (count > sizeof few / sizeof few[0]) {
        fields = rwl_calloc(out->env, count, sizeof *fields);
        if (fields == NULL)
            return rwl_no_memory(err, count * sizeof *fields);
    }
    for (size_t i = 0; i < count; i++)
        fields[i] = (object_field){{NULL, 0}, values[i], ids[i]};
    rwl_status st = sort_fields(metadata, fields, count, err);
    if (st == RWL_OK)
        st = put_fields(fields, count, total, out, err);
    if (fields != few)
        rwl_free(out->env, fields);
    return st;
}

/* --- metadata --- */

rwl_status rwl_variant_put_metadata(const rwl_span *names, size_t count, rwl_buf *out, rwl_error *err) {
    uint32_t total;
    RWL_TRY(sum_lengths(names, count, &total, err));
    bool sorted = count > 0;
    for (size_t i = 1; sorted && i < count; i++)
        sorted = rwl_span_compare(names[i - 1], names[i]) < 0;
    uint32_t size = uint_size(total > count ? total : (uint32_t)count);
    RWL_TRY(rwl_buf_u8(out, (uint8_t)(1u | (sorted ? 16u : 0u) | (size - 1) << 6), err));
    RWL_TRY(put_le(count, size, out, err));
    RWL_TRY(put_offsets(names, count, size, out, err));
    return put_spans(names, count, out, err);
}
