/* SPDX-License-Identifier: Apache-2.0 */
/* Variants taken apart: metadata, containers, primitives. */
#include "column/variant.h"

enum { BASIC_PRIMITIVE, BASIC_SHORT_STRING, BASIC_OBJECT, BASIC_ARRAY };

/* Bytes of each primitive type's data; VARYING: a 4-byte length first. */
enum { VARYING = 255 };
static const uint8_t PRIMITIVE_SIZES[] = {
    0,       0,       0,         /* null, true, false */
    1,       2,       4,  8,  8, /* int8 to int64, double */
    5,       9,       17,        /* decimal4 to decimal16: scale first */
    4,       8,       8,  4,     /* date, timestamps in microseconds, float */
    VARYING, VARYING,            /* binary, string */
    8,       8,       8,  16,    /* time, timestamps in nanoseconds, uuid */
};
enum { PRIMITIVE_COUNT = sizeof PRIMITIVE_SIZES };

static uint32_t load_uint(const uint8_t *p, uint32_t size) {
    uint32_t v = 0;
    for (uint32_t i = 0; i < size; i++)
        v |= (uint32_t)p[i] << (8 * i);
    return v;
}

static rwl_status fail_variant(const char *what, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "variant: %s", what);
}

/* --- metadata --- */

/* The dictionary's place in metadata whose size fields are in bounds. */
typedef struct dictionary {
    rwl_span all;
    bool sorted;
    uint32_t count, off_size;
    const uint8_t *offsets;
    rwl_span names; /* what follows the offsets */
} dictionary;

static rwl_status open_dictionary(rwl_span bytes, dictionary *d, rwl_error *err) {
    if (bytes.len == 0)
        return fail_variant("no metadata", err);
    uint8_t header = bytes.data[0];
    if ((header & 15) != 1)
        return rwl_fail(err, RWL_CORRUPT, "variant: metadata of version %d", header & 15);
    d->all = bytes;
    d->sorted = (header & 16) != 0;
    d->off_size = (uint32_t)(header >> 6) + 1;
    if (bytes.len - 1 < d->off_size)
        return fail_variant("metadata ends in its size", err);
    d->count = load_uint(bytes.data + 1, d->off_size);
    size_t left = bytes.len - 1 - d->off_size;
    if (d->count >= left / d->off_size)
        return rwl_fail(err, RWL_CORRUPT, "variant: metadata of %u names in %zu bytes", d->count, bytes.len);
    d->offsets = bytes.data + 1 + d->off_size;
    size_t used = ((size_t)d->count + 1) * d->off_size;
    d->names = rwl_span_of(d->offsets + used, left - used);
    return RWL_OK;
}

static rwl_status read_name(const dictionary *d, uint32_t id, rwl_span *name, rwl_error *err) {
    if (id >= d->count)
        return rwl_fail(err, RWL_CORRUPT, "variant: name %u of %u", id, d->count);
    uint32_t start = load_uint(d->offsets + (size_t)id * d->off_size, d->off_size);
    uint32_t end = load_uint(d->offsets + ((size_t)id + 1) * d->off_size, d->off_size);
    if (start > end || end > d->names.len)
        return rwl_fail(err, RWL_CORRUPT, "variant: name %u at %u to %u of %zu bytes", id, start, end,
                        d->names.len);
    *name = rwl_span_of(d->names.data + start, end - start);
    return RWL_OK;
}

rwl_status rwl_variant_split(rwl_span bytes, rwl_span *metadata, rwl_span *value, rwl_error *err) {
    dictionary d;
    RWL_TRY(open_dictionary(bytes, &d, err));
    uint32_t last = 0;
    for (uint32_t i = 0; i <= d.count; i++) {
        uint32_t at = load_uint(d.offsets + (size_t)i * d.off_size, d.off_size);
        if (at < last || (i == 0 && at != 0))
            return fail_variant("offsets of names descend", err);
        last = at;
    }
    if (last > d.names.len)
        return rwl_fail(err, RWL_CORRUPT, "variant: names of %u bytes, %zu are there", last, d.names.len);
    size_t len = (size_t)(d.names.data - bytes.data) + last;
    *metadata = rwl_span_of(bytes.data, len);
    *value = rwl_span_of(bytes.data + len, bytes.len - len);
    return RWL_OK;
}

uint32_t rwl_variant_name_count(rwl_span metadata) {
    dictionary d;
    return open_dictionary(metadata, &d, NULL) == RWL_OK ? d.count : 0;
}

rwl_status rwl_variant_name(rwl_span metadata, uint32_t id, rwl_span *name, rwl_error *err) {
    dictionary d;
    RWL_TRY(open_dictionary(metadata, &d, err));
    return read_name(&d, id, name, err);
}

static bool find_sorted(const dictionary *d, rwl_span name, uint32_t *id) {
    uint32_t low = 0;
    uint32_t high = d->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        rwl_span at;
        if (read_name(d, middle, &at, NULL) != RWL_OK)
            return false;
        int order = rwl_span_compare(at, name);
        if (order == 0) {
            *id = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

bool rwl_variant_find_name(rwl_span metadata, rwl_span name, uint32_t *id) {
    dictionary d;
    if (open_dictionary(metadata, &d, NULL) != RWL_OK)
        return false;
    if (d.sorted)
        return find_sorted(&d, name, id);
    for (uint32_t i = 0; i < d.count; i++) {
        rwl_span at;
        if (read_name(&d, i, &at, NULL) == RWL_OK && rwl_span_equal(at, name)) {
            *id = i;
            return true;
        }
    }
    return false;
}

/* --- values --- */

static rwl_status open_primitive(rwl_span value, rwl_variant_items *out, rwl_error *err) {
    uint8_t header = value.data[0] >> 2;
    size_t size = header; /* a short string */
    if ((value.data[0] & 3) == BASIC_PRIMITIVE) {
        if (header >= PRIMITIVE_COUNT)
            return rwl_fail(err, RWL_UNSUPPORTED, "variant: primitive type %d", header);
        size = PRIMITIVE_SIZES[header];
        if (size == VARYING) {
            if (value.len < 5)
                return fail_variant("value ends in its length", err);
            size = 4 + (size_t)rwl_load_le32(value.data + 1);
        }
    }
    if (value.len - 1 < size)
        return rwl_fail(err, RWL_CORRUPT, "variant: a value of %zu bytes, %zu are there", size + 1,
                        value.len);
    out->value = rwl_span_of(value.data, size + 1);
    return RWL_OK;
}

rwl_status rwl_variant_open(rwl_span value, rwl_variant_items *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    if (value.len == 0)
        return fail_variant("no value", err);
    int basic = value.data[0] & 3;
    uint32_t header = value.data[0] >> 2;
    if (basic == BASIC_PRIMITIVE || basic == BASIC_SHORT_STRING)
        return open_primitive(value, out, err);
    bool object = basic == BASIC_OBJECT;
    uint32_t count_size = (object ? header & 16 : header & 4) ? 4 : 1;
    if (value.len - 1 < count_size)
        return fail_variant("value ends in its count", err);
    out->kind = object ? RWL_VARIANT_OBJECT : RWL_VARIANT_ARRAY;
    out->count = load_uint(value.data + 1, count_size);
    out->off_size = (header & 3) + 1;
    out->id_size = object ? (header >> 2 & 3) + 1 : 0;
    out->ids_at = 1 + (size_t)count_size;
    size_t left = value.len - out->ids_at;
    if (left < out->off_size || out->count > (left - out->off_size) / (out->off_size + out->id_size))
        return rwl_fail(err, RWL_CORRUPT, "variant: %u items in %zu bytes", out->count, value.len);
    out->offsets_at = out->ids_at + (size_t)out->count * out->id_size;
    out->items_at = out->offsets_at + ((size_t)out->count + 1) * out->off_size;
    uint32_t size = load_uint(value.data + out->items_at - out->off_size, out->off_size);
    if (size > value.len - out->items_at)
        return rwl_fail(err, RWL_CORRUPT, "variant: items of %u bytes, %zu are there", size,
                        value.len - out->items_at);
    out->value = rwl_span_of(value.data, out->items_at + size);
    return RWL_OK;
}

rwl_status rwl_variant_item(const rwl_variant_items *items, uint32_t i, uint32_t *id, rwl_span *value,
                            rwl_error *err) {
    const uint8_t *data = items->value.data;
    if (i >= items->count)
        return rwl_fail(err, RWL_INTERNAL, "variant: item %u of %u", i, items->count);
    *id = load_uint(data + items->ids_at + (size_t)i * items->id_size, items->id_size);
    uint32_t at = load_uint(data + items->offsets_at + (size_t)i * items->off_size, items->off_size);
    size_t size = items->value.len - items->items_at;
    if (at >= size)
        return rwl_fail(err, RWL_CORRUPT, "variant: item %u at %u of %zu bytes", i, at, size);
    rwl_variant_items item;
    RWL_TRY(rwl_variant_open(rwl_span_of(data + items->items_at + at, size - at), &item, err));
    *value = item.value;
    return RWL_OK;
}

/* --- primitives --- */

static const rwl_type_kind PRIMITIVE_KINDS[PRIMITIVE_COUNT] = {
    RWL_TYPE_UNKNOWN,     RWL_TYPE_BOOLEAN,   RWL_TYPE_BOOLEAN,        RWL_TYPE_INT,
    RWL_TYPE_INT,         RWL_TYPE_INT,       RWL_TYPE_LONG,           RWL_TYPE_DOUBLE,
    RWL_TYPE_DECIMAL,     RWL_TYPE_DECIMAL,   RWL_TYPE_DECIMAL,        RWL_TYPE_DATE,
    RWL_TYPE_TIMESTAMPTZ, RWL_TYPE_TIMESTAMP, RWL_TYPE_FLOAT,          RWL_TYPE_BINARY,
    RWL_TYPE_STRING,      RWL_TYPE_TIME,      RWL_TYPE_TIMESTAMPTZ_NS, RWL_TYPE_TIMESTAMP_NS,
    RWL_TYPE_UUID,
};

/* Little-endian two's complement of 1, 2, 4 or 8 bytes. */
static int64_t load_int(const uint8_t *p, size_t size) {
    uint64_t v = 0;
    for (size_t i = 0; i < size; i++)
        v |= (uint64_t)p[i] << (8 * i);
    int unused = (int)(64 - 8 * size);
    return (int64_t)(v << unused) >> unused;
}

static rwl_status read_decimal(const uint8_t *data, size_t size, rwl_type *type, rwl_value *out,
                               rwl_error *err) {
    type->scale = data[0];
    type->precision = size == 5 ? 9 : size == 9 ? 18 : 38;
    if (type->scale > 38)
        return rwl_fail(err, RWL_CORRUPT, "variant: a decimal of scale %d", type->scale);
    out->as.i128 = size == 17 ? rwl_i128_load(data + 1) : load_int(data + 1, size - 1);
    if (!rwl_i128_fits_digits(out->as.i128, 38))
        return fail_variant("a decimal of more than 38 digits", err);
    return RWL_OK;
}

static rwl_status read_primitive(uint8_t id, const uint8_t *data, size_t size, rwl_type *type, rwl_value *out,
                                 rwl_error *err) {
    switch (type->kind) {
    case RWL_TYPE_BOOLEAN:
        out->as.b = id == 1;
        break;
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
        out->as.i32 = (int32_t)load_int(data, size);
        break;
    case RWL_TYPE_FLOAT: {
        uint32_t bits = rwl_load_le32(data);
        memcpy(&out->as.f32, &bits, sizeof bits);
        break;
    }
    case RWL_TYPE_DECIMAL:
        return read_decimal(data, size, type, out, err);
    case RWL_TYPE_UUID:
        out->as.bytes = rwl_span_of(data, size);
        break;
    case RWL_TYPE_BINARY:
    case RWL_TYPE_STRING:
        out->as.bytes = rwl_span_of(data + 4, size - 4);
        break;
    case RWL_TYPE_TIME:
        out->as.i64 = load_int(data, size);
        if (out->as.i64 < 0 || out->as.i64 >= INT64_C(86400000000))
            return fail_variant("a time outside of the day", err);
        break;
    default: { /* 8 bytes, a double's too */
        int64_t bits = load_int(data, size);
        memcpy(&out->as.i64, &bits, sizeof bits);
        break;
    }
    }
    return RWL_OK;
}

rwl_status rwl_variant_primitive(rwl_span value, rwl_type *type, rwl_value *out, rwl_error *err) {
    rwl_variant_items v;
    RWL_TRY(rwl_variant_open(value, &v, err));
    if (v.kind != RWL_VARIANT_PRIMITIVE)
        return rwl_fail(err, RWL_INTERNAL, "variant: no primitive");
    bool is_short = (value.data[0] & 3) == BASIC_SHORT_STRING;
    uint8_t id = value.data[0] >> 2;
    *type = rwl_type_of(is_short ? RWL_TYPE_STRING : PRIMITIVE_KINDS[id]);
    *out = rwl_value_null(type->kind);
    if (type->kind == RWL_TYPE_UNKNOWN)
        return RWL_OK;
    out->is_null = false;
    if (is_short)
        out->as.bytes = rwl_span_of(v.value.data + 1, id);
    else
        RWL_TRY(read_primitive(id, v.value.data + 1, v.value.len - 1, type, out, err));
    if (type->kind == RWL_TYPE_STRING && !rwl_utf8_valid(out->as.bytes))
        return fail_variant("a string is not UTF-8", err);
    return RWL_OK;
}

/* --- whole values: checked, and printed where there is an output --- */

static rwl_status walk_primitive(rwl_span value, rwl_buf *out, rwl_error *err) {
    rwl_type type;
    rwl_value v;
    RWL_TRY(rwl_variant_primitive(value, &type, &v, err));
    if (out == NULL)
        return RWL_OK;
    if (type.kind == RWL_TYPE_DECIMAL) /* a number here, a string elsewhere */
        return rwl_value_format(&type, &v, out, err);
    return rwl_value_format_json(&type, &v, out, err);
}

/* The name before an item; differs from the one before it. */
static rwl_status walk_name(rwl_span metadata, uint32_t id, uint32_t i, rwl_span *last, rwl_buf *out,
                            rwl_error *err) {
    rwl_span name;
    RWL_TRY(rwl_variant_name(metadata, id, &name, err));
    if (i > 0 && rwl_span_equal(name, *last))
        return fail_variant("an object has a name twice", err);
    *last = name;
    if (out == NULL)
        return RWL_OK;
    RWL_TRY(rwl_json_quote(name, out, err));
    return rwl_buf_str(out, ": ", err);
}

static rwl_status walk_value(rwl_span metadata, rwl_span value, rwl_buf *out, int depth, rwl_error *err) {
    rwl_variant_items items;
    RWL_TRY(rwl_variant_open(value, &items, err));
    if (items.kind == RWL_VARIANT_PRIMITIVE)
        return walk_primitive(items.value, out, err);
    if (depth >= RWL_VARIANT_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "variant: nested deeper than %d levels", RWL_VARIANT_DEPTH_MAX);
    bool object = items.kind == RWL_VARIANT_OBJECT;
    size_t left = items.value.len - items.items_at;
    rwl_span last = {NULL, 0};
    if (out != NULL)
        RWL_TRY(rwl_buf_u8(out, object ? '{' : '[', err));
    for (uint32_t i = 0; i < items.count; i++) {
        uint32_t id;
        rwl_span item;
        RWL_TRY(rwl_variant_item(&items, i, &id, &item, err));
        if (item.len > left)
            return fail_variant("items overlap", err);
        left -= item.len;
        if (out != NULL && i > 0)
            RWL_TRY(rwl_buf_str(out, ", ", err));
        if (object)
            RWL_TRY(walk_name(metadata, id, i, &last, out, err));
        RWL_TRY(walk_value(metadata, item, out, depth + 1, err));
    }
    return out != NULL ? rwl_buf_u8(out, object ? '}' : ']', err) : RWL_OK;
}

rwl_status rwl_variant_json(rwl_span metadata, rwl_span value, rwl_buf *out, rwl_error *err) {
    return walk_value(metadata, value, out, 0, err);
}

static rwl_status check_names(rwl_span metadata, rwl_error *err) {
    dictionary d;
    RWL_TRY(open_dictionary(metadata, &d, err));
    rwl_span last = {NULL, 0};
    for (uint32_t i = 0; i < d.count; i++) {
        rwl_span name;
        RWL_TRY(read_name(&d, i, &name, err));
        if (!rwl_utf8_valid(name))
            return rwl_fail(err, RWL_CORRUPT, "variant: name %u is not UTF-8", i);
        if (d.sorted && i > 0 && rwl_span_compare(last, name) >= 0)
            return rwl_fail(err, RWL_CORRUPT, "variant: name %u is out of the order that is claimed", i);
        last = name;
    }
    return RWL_OK;
}

rwl_status rwl_variant_check(rwl_span metadata, rwl_span value, rwl_error *err) {
    rwl_span exact, rest;
    RWL_TRY(rwl_variant_split(metadata, &exact, &rest, err));
    if (rest.len > 0)
        return rwl_fail(err, RWL_CORRUPT, "variant: %zu bytes after the metadata", rest.len);
    RWL_TRY(check_names(metadata, err));
    rwl_variant_items items;
    RWL_TRY(rwl_variant_open(value, &items, err));
    if (items.value.len != value.len)
        return rwl_fail(err, RWL_CORRUPT, "variant: %zu bytes after the value", value.len - items.value.len);
    return walk_value(metadata, value, NULL, 0, err);
}
