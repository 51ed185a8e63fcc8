/* SPDX-License-Identifier: Apache-2.0 */
/* Which types become which: casts, the common type of two, and casts that comparisons see through. */
#include "expr/bind_internal.h"

static bool is_bytes(rwl_type_kind kind) {
    return kind == RWL_TYPE_UUID || kind == RWL_TYPE_FIXED || kind == RWL_TYPE_BINARY;
}
static bool is_plain_instant(rwl_type_kind kind) {
    return kind == RWL_TYPE_DATE || kind == RWL_TYPE_TIMESTAMP || kind == RWL_TYPE_TIMESTAMP_NS;
}
static bool is_zoned(rwl_type_kind kind) {
    return kind == RWL_TYPE_TIMESTAMPTZ || kind == RWL_TYPE_TIMESTAMPTZ_NS;
}
static bool is_integer(rwl_type_kind kind) {
    return kind == RWL_TYPE_INT || kind == RWL_TYPE_LONG;
}

bool rwl_cast_exists(const rwl_type *from, const rwl_type *to) {
    if (rwl_type_is_time_ns(from) || rwl_type_is_time_ns(to))
        return from->kind == to->kind && rwl_type_is_time_ns(from) == rwl_type_is_time_ns(to);
    if (rwl_type_is_decimal256(to))
        return rwl_type_equal(from, to);
    if (rwl_type_is_decimal256(from))
        return to->kind == RWL_TYPE_STRING || rwl_type_equal(from, to);
    if (from->kind == RWL_TYPE_UNKNOWN)
        return to->kind <= RWL_TYPE_BINARY;
    if (from->kind == RWL_TYPE_STRING || to->kind == RWL_TYPE_STRING) {
        rwl_type_kind other = from->kind == RWL_TYPE_STRING ? to->kind : from->kind;
        return other > RWL_TYPE_UNKNOWN && other <= RWL_TYPE_UUID;
    }
    return (rwl_kind_is_number(from->kind) && rwl_kind_is_number(to->kind)) ||
           (is_bytes(from->kind) && is_bytes(to->kind)) ||
           (is_plain_instant(from->kind) && is_plain_instant(to->kind)) ||
           (is_zoned(from->kind) && is_zoned(to->kind)) ||
           (from->kind == to->kind && from->kind <= RWL_TYPE_BINARY);
}

/* Digits before the point. */
static int whole_digits(const rwl_type *t) {
    return t->kind == RWL_TYPE_INT ? 10 : t->kind == RWL_TYPE_LONG ? 19 : t->precision - t->scale;
}

/* Integers and decimals without loss into a decimal. */
static bool fits_decimal(const rwl_type *from, const rwl_type *to) {
    return whole_digits(to) >= whole_digits(from) && (is_integer(from->kind) || to->scale >= from->scale);
}

bool rwl_cast_always_fits(const rwl_type *from, const rwl_type *to) {
    rwl_type_kind a = from->kind;
    switch (to->kind) {
    case RWL_TYPE_LONG:
        return is_integer(a);
    case RWL_TYPE_INT:
        return a == RWL_TYPE_INT;
    case RWL_TYPE_FLOAT:
        return a != RWL_TYPE_STRING && a != RWL_TYPE_DOUBLE;
    case RWL_TYPE_DOUBLE:
        return a != RWL_TYPE_STRING;
    case RWL_TYPE_DECIMAL:
        return (is_integer(a) || a == RWL_TYPE_DECIMAL) && fits_decimal(from, to);
    case RWL_TYPE_STRING:
    case RWL_TYPE_BINARY:
        return true;
    case RWL_TYPE_DATE:
        return a != RWL_TYPE_STRING;
    case RWL_TYPE_TIMESTAMP:
        return a == RWL_TYPE_TIMESTAMP_NS;
    case RWL_TYPE_TIMESTAMPTZ:
        return a == RWL_TYPE_TIMESTAMPTZ_NS;
    default:
        return false;
    }
}

bool rwl_bind_looks_through(const rwl_value_node *value) {
    if (value == NULL || value->kind != RWL_VALUE_CAST || value->items[0]->kind != RWL_VALUE_COLUMN)
        return false;
    const rwl_type *from = &value->items[0]->type;
    rwl_type_kind a = from->kind;
    switch (value->type.kind) {
    case RWL_TYPE_LONG:
        return a == RWL_TYPE_INT;
    case RWL_TYPE_DOUBLE:
        return a == RWL_TYPE_INT || a == RWL_TYPE_FLOAT;
    case RWL_TYPE_DECIMAL:
        return (is_integer(a) || a == RWL_TYPE_DECIMAL) && fits_decimal(from, &value->type);
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMP_NS:
        return a == RWL_TYPE_DATE;
    default:
        return false;
    }
}

bool rwl_bind_is_day(const rwl_value_node *value) {
    if (value == NULL || value->kind != RWL_VALUE_CAST || value->type.kind != RWL_TYPE_DATE ||
        value->items[0]->kind != RWL_VALUE_COLUMN)
        return false;
    rwl_type_kind from = value->items[0]->type.kind;
    return from == RWL_TYPE_TIMESTAMP || from == RWL_TYPE_TIMESTAMP_NS;
}

/* --- places seen through a cast --- */

static float floor_f32(double v) {
    float f = (float)v;
    if ((double)f <= v || v != v)
        return f;
    uint32_t bits;
    if (f == 0)
        return -0x1p-149F;
    memcpy(&bits, &f, sizeof bits);
    bits += f > 0 ? UINT32_MAX : 1;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* A place among doubles as one among floats, all of which are doubles. */
static void pull_to_float(rwl_place *p) {
    double v = p->floor.as.f64;
    float f = floor_f32(v);
    p->floor = rwl_value_null(RWL_TYPE_FLOAT);
    p->floor.is_null = false;
    p->floor.as.f32 = f;
    p->exact = p->exact && (v != v || (double)f == v);
}

static void pull_to_int(rwl_place *p) {
    double v = p->floor.as.f64;
    p->floor = rwl_value_null(RWL_TYPE_INT);
    p->floor.is_null = false;
    if (v < -0x1p31) {
        p->where = RWL_PLACE_BELOW;
    } else if (v != v || v >= 0x1p31) {
        p->where = RWL_PLACE_ABOVE;
    } else {
        int64_t whole = (int64_t)v;
        whole -= (double)whole > v;
        p->exact = p->exact && (double)whole == v;
        p->floor.as.i32 = (int32_t)whole;
    }
}

/* The timestamp as a literal, half a unit further when it lies between two. */
static rwl_literal instant_literal(const rwl_place *p, bool nanos) {
    rwl_literal l = {.kind = RWL_LITERAL_TIMESTAMP};
    l.units = nanos ? p->floor.as.i64 : (rwl_i128)p->floor.as.i64 * 1000 + (p->exact ? 0 : 500);
    return l;
}

rwl_status rwl_bind_place(rwl_binder *b, const rwl_value_node *value, const rwl_literal *literal,
                          const rwl_type *type, rwl_place *out) {
    bool through = rwl_bind_looks_through(value);
    const rwl_type *from = through ? &value->items[0]->type : type;
    if (!through || (type->kind != RWL_TYPE_DOUBLE && from->kind != RWL_TYPE_DATE))
        return rwl_literal_place(literal, from, b->arena, out, b->err); /* numbers are placed exactly */
    RWL_TRY(rwl_literal_place(literal, type, b->arena, out, b->err));
    if (out->where != RWL_PLACE_AT)
        return RWL_OK;
    if (from->kind == RWL_TYPE_FLOAT) {
        pull_to_float(out);
    } else if (from->kind == RWL_TYPE_INT) {
        pull_to_int(out);
    } else {
        rwl_literal instant = instant_literal(out, type->kind == RWL_TYPE_TIMESTAMP_NS);
        return rwl_literal_place(&instant, from, b->arena, out, b->err);
    }
    return RWL_OK;
}

/* --- the common type --- */

static rwl_type common_decimal(const rwl_type *a, const rwl_type *b) {
    rwl_type t = rwl_type_of(RWL_TYPE_DECIMAL);
    int whole = whole_digits(a) > whole_digits(b) ? whole_digits(a) : whole_digits(b);
    t.scale = a->scale > b->scale ? a->scale : b->scale; /* 0 of integers */
    t.precision = whole + t.scale < 38 ? whole + t.scale : 38;
    return t;
}

bool rwl_bind_common_type(const rwl_type *a, const rwl_type *b, rwl_type *out) {
    rwl_type_kind x = a->kind, y = b->kind;
    *out = *a;
    if (rwl_type_equal(a, b) || y == RWL_TYPE_UNKNOWN)
        return true;
    if (x == RWL_TYPE_UNKNOWN) {
        *out = *b;
        return true;
    }
    if (rwl_kind_is_number(x) && rwl_kind_is_number(y)) {
        if (rwl_kind_has_nan(x) || rwl_kind_has_nan(y))
            *out = rwl_type_of(RWL_TYPE_DOUBLE);
        else if (is_integer(x) && is_integer(y))
            *out = rwl_type_of(RWL_TYPE_LONG);
        else
            *out = common_decimal(a, b);
        return true;
    }
    bool first_is_date = x == RWL_TYPE_DATE;
    if (is_plain_instant(x) && is_plain_instant(y) && (first_is_date || y == RWL_TYPE_DATE)) {
        *out = first_is_date ? *b : *a;
        return true;
    }
    return false;
}
