/* SPDX-License-Identifier: Apache-2.0 */
/* Literals against types: where a literal lies among a type's values, exactly. */
#include "base/time.h"
#include "expr/expr_internal.h"
#include "expr/number.h"

const char *rwl_literal_kind_name(rwl_literal_kind kind) {
    static const char *const NAMES[] = {"null",     "a boolean",        "a number",     "nan",
                                        "a string", "a binary literal", "a uuid",       "a date",
                                        "a time",   "a timestamp",      "a timestamptz"};
    return NAMES[kind];
}

/* --- places --- */

static void set_place(rwl_place *out, int where, bool exact) {
    out->where = where < 0 ? RWL_PLACE_BELOW : where > 0 ? RWL_PLACE_ABOVE : RWL_PLACE_AT;
    out->exact = exact;
}

/* Into an integer kind with values low..high. */
static void place_integer(rwl_i128 floor, bool exact, rwl_i128 low, rwl_i128 high, rwl_place *out) {
    set_place(out, floor < low ? -1 : floor > high ? 1 : 0, exact);
    if (out->where != RWL_PLACE_AT)
        return;
    switch (out->floor.kind) {
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
        out->floor.as.i32 = (int32_t)floor;
        break;
    case RWL_TYPE_DECIMAL:
        out->floor.as.i128 = floor;
        break;
    default:
        out->floor.as.i64 = (int64_t)floor;
        break;
    }
}

static void place_exact_number(const rwl_number *n, const rwl_type *type, rwl_place *out) {
    rwl_i128 floor;
    bool exact;
    int where;
    rwl_number_floor(n, type->kind == RWL_TYPE_DECIMAL ? type->scale : 0, &floor, &exact, &where);
    if (where != 0) {
        set_place(out, where, false);
    } else if (type->kind == RWL_TYPE_DECIMAL) {
        rwl_i128 limit = rwl_i128_pow10(type->precision) - 1;
        place_integer(floor, exact, -limit, limit, out);
    } else if (type->kind == RWL_TYPE_INT) {
        place_integer(floor, exact, INT32_MIN, INT32_MAX, out);
    } else {
        place_integer(floor, exact, INT64_MIN, INT64_MAX, out);
    }
}

/* The next value below, v finite. */
static double step_down(double v) {
    uint64_t bits;
    if (v == 0)
        return -0x1p-1074;
    memcpy(&bits, &v, sizeof bits);
    bits += v > 0 ? UINT64_MAX : 1;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static float step_down_f32(float v) {
    uint32_t bits;
    if (v == 0)
        return -0x1p-149F;
    memcpy(&bits, &v, sizeof bits);
    bits += v > 0 ? UINT32_MAX : 1;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/*
 * A number among floats: the nearest one stands for it, except that integers count as themselves, and so do
 * numbers beyond the largest float: they lie between it and infinity.
 */
static void place_float(const rwl_literal *l, const rwl_number *n, rwl_place *out) {
    bool is_f32 = out->floor.kind == RWL_TYPE_FLOAT;
    double v;
    float f = 0;
    if (is_f32) {
        (void)rwl_float_parse(l->text, &f);
        v = (double)f;
    } else {
        (void)rwl_double_parse(l->text, &v);
    }
    double largest = is_f32 ? (double)__FLT_MAX__ : __DBL_MAX__;
    set_place(out, 0, true);
    if (v > largest || v < -largest) {
        out->exact = false;
        v = v > 0 ? largest : -__builtin_inf();
    } else if (n->is_integer && n->count <= 38 && (v >= 0x1p24 || v <= -0x1p24)) {
        rwl_i128 whole;
        bool exact;
        int where;
        rwl_number_floor(n, 0, &whole, &exact, &where);
        /* |v| < 2^127: 38 digits round to less than 1.71e38 */
        out->exact = (rwl_i128)v == whole;
        if ((rwl_i128)v > whole)
            v = is_f32 ? (double)step_down_f32(f) : step_down(v);
    }
    if (v == 0)
        v = 0; /* without its sign */
    if (is_f32)
        out->floor.as.f32 = (float)v;
    else
        out->floor.as.f64 = v;
}

static void place_nan(rwl_place *out) {
    if (out->floor.kind == RWL_TYPE_FLOAT)
        out->floor.as.f32 = __builtin_nanf("");
    else if (out->floor.kind == RWL_TYPE_DOUBLE)
        out->floor.as.f64 = __builtin_nan("");
    else
        set_place(out, 1, false); /* above every rwl_number */
}

static rwl_i128 floor_div(rwl_i128 a, rwl_i128 b) {
    return a / b - (a % b < 0);
}

/* `units` of nanoseconds into a kind that counts `unit_ns` each. */
static void place_instant(rwl_i128 units, rwl_i128 unit_ns, rwl_place *out) {
    rwl_i128 floor = floor_div(units, unit_ns);
    bool wide = out->floor.kind != RWL_TYPE_DATE;
    place_integer(floor, floor * unit_ns == units, wide ? (rwl_i128)INT64_MIN : (rwl_i128)INT32_MIN,
                  wide ? (rwl_i128)INT64_MAX : (rwl_i128)INT32_MAX, out);
}

static const rwl_i128 NS_A_DAY = (rwl_i128)86400 * 1000000000;

static bool place_time(const rwl_literal *l, const rwl_type *type, rwl_place *out) {
    rwl_type_kind kind = type->kind;
    bool tz = kind == RWL_TYPE_TIMESTAMPTZ || kind == RWL_TYPE_TIMESTAMPTZ_NS;
    bool plain = kind == RWL_TYPE_TIMESTAMP || kind == RWL_TYPE_TIMESTAMP_NS || kind == RWL_TYPE_DATE;
    bool nanos =
        kind == RWL_TYPE_TIMESTAMP_NS || kind == RWL_TYPE_TIMESTAMPTZ_NS || rwl_type_is_time_ns(type);
    rwl_i128 unit = kind == RWL_TYPE_DATE ? NS_A_DAY : nanos ? 1 : 1000;
    switch (l->kind) {
    case RWL_LITERAL_TIME:
        if (kind != RWL_TYPE_TIME)
            return false;
        break;
    case RWL_LITERAL_DATE:
    case RWL_LITERAL_TIMESTAMP:
        if (!plain)
            return false;
        break;
    default:
        if (!tz)
            return false;
        break;
    }
    place_instant(l->kind == RWL_LITERAL_DATE ? l->units * NS_A_DAY : l->units, unit, out);
    return true;
}

/* Text as the column's own type; dates alone stand for midnight of a timestamp without zone. */
static rwl_status place_text(const rwl_literal *l, const rwl_type *type, rwl_arena *arena, rwl_place *out,
                             rwl_error *err) {
    rwl_literal typed = *l;
    int32_t days;
    bool plain = type->kind == RWL_TYPE_TIMESTAMP || type->kind == RWL_TYPE_TIMESTAMP_NS;
    if (plain && rwl_date_parse(l->text, &days)) {
        typed.kind = RWL_LITERAL_DATE;
        typed.units = days;
        (void)place_time(&typed, type, out);
        return RWL_OK;
    }
    set_place(out, 0, true);
    return rwl_value_parse(type, l->text, arena, &out->floor, err);
}

static rwl_status fail_mismatch(const rwl_literal *l, const rwl_type *type, const rwl_env *env,
                                rwl_error *err) {
    rwl_buf text;
    rwl_buf_init(&text, env, 1 << 16);
    rwl_status st = rwl_type_format(type, &text, NULL);
    if (st == RWL_OK)
        st = rwl_buf_terminate(&text, NULL);
    const char *name = st == RWL_OK ? (const char *)text.data : "?";
    const char *hint = "";
    if (type->kind == RWL_TYPE_BINARY || type->kind == RWL_TYPE_FIXED)
        hint = ": write X'00ff'";
    else if (type->kind == RWL_TYPE_TIMESTAMPTZ || type->kind == RWL_TYPE_TIMESTAMPTZ_NS)
        hint = ": write timestamptz '2026-11-30T12:34:56+00:00'";
    st = rwl_fail(err, RWL_USAGE, "type %s does not compare with %s%s", name, rwl_literal_kind_name(l->kind),
                  hint);
    rwl_buf_clear(&text);
    return st;
}

static bool is_exact_number(rwl_type_kind kind) {
    return kind == RWL_TYPE_INT || kind == RWL_TYPE_LONG || kind == RWL_TYPE_DECIMAL;
}

static bool takes_text(rwl_type_kind kind) {
    return kind == RWL_TYPE_STRING || kind == RWL_TYPE_UUID ||
           (kind >= RWL_TYPE_DATE && kind <= RWL_TYPE_TIMESTAMPTZ_NS);
}

rwl_status rwl_literal_place(const rwl_literal *l, const rwl_type *type, rwl_arena *arena, rwl_place *out,
                             rwl_error *err) {
    rwl_type_kind kind = type->kind;
    memset(out, 0, sizeof *out);
    out->floor = rwl_value_null(kind);
    out->floor.is_null = false;
    set_place(out, 0, true);
    bool numeric = is_exact_number(kind) || rwl_kind_has_nan(kind);
    if (rwl_type_is_decimal256(type))
        return rwl_fail(err, RWL_UNSUPPORTED, "decimals of more than 38 digits are not compared");
    switch (l->kind) {
    case RWL_LITERAL_BOOL:
        out->floor.as.b = l->b;
        return kind == RWL_TYPE_BOOLEAN ? RWL_OK : fail_mismatch(l, type, arena->env, err);
    case RWL_LITERAL_NUMBER:
        if (!numeric)
            return fail_mismatch(l, type, arena->env, err);
        rwl_number n = rwl_number_read(l->text);
        if (is_exact_number(kind))
            place_exact_number(&n, type, out);
        else
            place_float(l, &n, out);
        return RWL_OK;
    case RWL_LITERAL_NAN:
        if (!numeric)
            return fail_mismatch(l, type, arena->env, err);
        place_nan(out);
        return RWL_OK;
    case RWL_LITERAL_STRING:
        return takes_text(kind) ? place_text(l, type, arena, out, err)
                                : fail_mismatch(l, type, arena->env, err);
    case RWL_LITERAL_BYTES:
    case RWL_LITERAL_UUID:
        out->floor.as.bytes = l->text;
        if (l->kind == RWL_LITERAL_UUID ? kind == RWL_TYPE_UUID
                                        : kind == RWL_TYPE_BINARY || kind == RWL_TYPE_FIXED)
            return RWL_OK;
        return fail_mismatch(l, type, arena->env, err);
    default:
        return place_time(l, type, out) ? RWL_OK : fail_mismatch(l, type, arena->env, err);
    }
}

/* --- literals among themselves --- */

static int compare_i128(rwl_i128 a, rwl_i128 b) {
    return (a > b) - (a < b);
}

static bool is_number(const rwl_literal *l) {
    return l->kind == RWL_LITERAL_NUMBER || l->kind == RWL_LITERAL_NAN;
}
static bool is_day_or_time(const rwl_literal *l) {
    return l->kind == RWL_LITERAL_DATE || l->kind == RWL_LITERAL_TIMESTAMP;
}

bool rwl_literal_compare(const rwl_literal *a, const rwl_literal *b, int *order) {
    if (is_number(a) && is_number(b)) {
        if (a->kind == RWL_LITERAL_NAN || b->kind == RWL_LITERAL_NAN) {
            *order = (a->kind == RWL_LITERAL_NAN) - (b->kind == RWL_LITERAL_NAN);
            return true;
        }
        rwl_number x = rwl_number_read(a->text);
        rwl_number y = rwl_number_read(b->text);
        *order = rwl_number_compare(&x, &y);
        return true;
    }
    if (is_day_or_time(a) && is_day_or_time(b)) {
        *order = compare_i128(a->kind == RWL_LITERAL_DATE ? a->units * NS_A_DAY : a->units,
                              b->kind == RWL_LITERAL_DATE ? b->units * NS_A_DAY : b->units);
        return true;
    }
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case RWL_LITERAL_BOOL:
        *order = (int)a->b - (int)b->b;
        break;
    case RWL_LITERAL_STRING:
    case RWL_LITERAL_BYTES:
    case RWL_LITERAL_UUID:
        *order = rwl_span_compare(a->text, b->text);
        break;
    default:
        *order = compare_i128(a->units, b->units);
        break;
    }
    return true;
}
