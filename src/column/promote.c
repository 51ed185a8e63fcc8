/* SPDX-License-Identifier: Apache-2.0 */
/* Promotion of columns to wider types, and the check of values that come from outside. */
#include "column/batch.h"
#include "column/bits.h"
#include "column/variant.h"

static void widen_ints(const rwl_column *in, rwl_column *out) {
    const int32_t *from = rwl_column_i32(in);
    int64_t *to = (int64_t *)(void *)out->values.data;
    for (int64_t i = 0; i < in->length; i++)
        to[i] = from[i];
}

static void widen_floats(const rwl_column *in, rwl_column *out) {
    const float *from = rwl_column_f32(in);
    double *to = (double *)(void *)out->values.data;
    for (int64_t i = 0; i < in->length; i++)
        to[i] = (double)from[i];
}

/* Nanoseconds to microseconds, exactly: cutting would change a value. */
static rwl_status nanos_to_micros(const rwl_column *in, rwl_column *out, rwl_error *err) {
    const int64_t *from = rwl_column_i64(in);
    int64_t *to = (int64_t *)(void *)out->values.data;
    for (int64_t i = 0; i < in->length; i++) {
        to[i] = from[i] / 1000;
        if (to[i] * 1000 != from[i] && !rwl_column_is_null(in, i))
            return rwl_fail(err, RWL_UNSUPPORTED, "a time of %lld ns is no whole number of microseconds",
                            (long long)from[i]);
    }
    return RWL_OK;
}

static rwl_status micros_to_nanos(const rwl_column *in, rwl_column *out, rwl_error *err) {
    const int64_t *from = rwl_column_i64(in);
    int64_t *to = (int64_t *)(void *)out->values.data;
    for (int64_t i = 0; i < in->length; i++)
        if (!rwl_i64_mul(from[i], 1000, &to[i]))
            return rwl_fail(err, RWL_CORRUPT, "a time of %lld us is outside the range of nanoseconds",
                            (long long)from[i]);
    return RWL_OK;
}

static bool is_nanos(const rwl_type *t) {
    return t->kind == RWL_TYPE_TIMESTAMP_NS || t->kind == RWL_TYPE_TIMESTAMPTZ_NS || rwl_type_is_time_ns(t);
}

/* Times of one kind in another unit: where the units differ, 1 from nanoseconds, -1 to them. */
static int unit_change(const rwl_type *from, const rwl_type *to) {
    bool same = (from->kind == RWL_TYPE_TIME && to->kind == RWL_TYPE_TIME) ||
                (from->kind == RWL_TYPE_TIMESTAMP && to->kind == RWL_TYPE_TIMESTAMP_NS) ||
                (from->kind == RWL_TYPE_TIMESTAMP_NS && to->kind == RWL_TYPE_TIMESTAMP) ||
                (from->kind == RWL_TYPE_TIMESTAMPTZ && to->kind == RWL_TYPE_TIMESTAMPTZ_NS) ||
                (from->kind == RWL_TYPE_TIMESTAMPTZ_NS && to->kind == RWL_TYPE_TIMESTAMPTZ);
    return same ? is_nanos(from) - is_nanos(to) : 0;
}

/* Slots of nulls hold zero, which never overflows. */
static rwl_status widen_dates(const rwl_column *in, rwl_column *out, int64_t units_a_day, rwl_error *err) {
    const int32_t *from = rwl_column_i32(in);
    int64_t *to = (int64_t *)(void *)out->values.data;
    int64_t limit = INT64_MAX / units_a_day;
    int64_t bad = 0;
    for (int64_t i = 0; i < in->length; i++) {
        bool fits = from[i] >= -limit && from[i] <= limit;
        bad += !fits;
        to[i] = fits ? from[i] * units_a_day : 0;
    }
    if (bad == 0)
        return RWL_OK;
    for (int64_t i = 0; i < in->length; i++) {
        if (!rwl_column_is_null(in, i) && (from[i] < -limit || from[i] > limit))
            return rwl_fail(err, RWL_CORRUPT, "date of day %d is outside the range of its promoted type",
                            from[i]);
    }
    return RWL_OK;
}

static rwl_status copy_all(const rwl_column *in, rwl_column *out, const rwl_env *env, rwl_error *err) {
    rwl_range all = {0, in->length};
    return rwl_column_take_ranges(in, &all, 1, out, env, err);
}

/* Whether values of `from` are values of `to` as they lie. */
static bool is_same_or_wider(const rwl_type *from, const rwl_type *to) {
    if (from->kind != to->kind)
        return false;
    if (rwl_type_is_nested(from)) {
        bool same = from->child_count == to->child_count;
        for (int32_t i = 0; same && i < from->child_count; i++)
            same = is_same_or_wider(&from->children[i].type, &to->children[i].type);
        return same;
    }
    if (from->kind == RWL_TYPE_DECIMAL)
        return from->scale == to->scale && from->precision <= to->precision;
    bool by_parameters =
        from->kind == RWL_TYPE_FIXED || from->kind == RWL_TYPE_TIME || from->kind == RWL_TYPE_LONG;
    return !by_parameters || rwl_type_equal(from, to);
}

static int64_t find_wrong_text(const rwl_column *c);

/* Bytes that writers left without saying that they are text: they must be. */
static rwl_status bytes_to_text(const rwl_column *in, rwl_column *out, const rwl_env *env, rwl_error *err) {
    out->type.kind = RWL_TYPE_BINARY;
    rwl_status st = copy_all(in, out, env, err);
    out->type.kind = RWL_TYPE_STRING;
    int64_t wrong = st == RWL_OK ? find_wrong_text(out) : out->length;
    return wrong == out->length
               ? st
               : rwl_fail(err, RWL_CORRUPT, "row %lld: a string is not UTF-8", (long long)wrong);
}

/* Converts the values into reserved room; UNSUPPORTED for pairs that are no promotion. */
static rwl_status widen_values(const rwl_column *in, rwl_column *out, rwl_error *err) {
    rwl_type_kind from = in->type.kind;
    rwl_type_kind to = out->type.kind;
    if (from == RWL_TYPE_INT && to == RWL_TYPE_LONG && !rwl_type_is_duration(&out->type))
        widen_ints(in, out);
    else if (from == RWL_TYPE_FLOAT && to == RWL_TYPE_DOUBLE)
        widen_floats(in, out);
    else if (from == RWL_TYPE_DATE && to == RWL_TYPE_TIMESTAMP)
        return widen_dates(in, out, INT64_C(86400000000), err);
    else if (from == RWL_TYPE_DATE && to == RWL_TYPE_TIMESTAMP_NS)
        return widen_dates(in, out, INT64_C(86400000000000), err);
    else if (unit_change(&in->type, &out->type) > 0)
        return nanos_to_micros(in, out, err);
    else if (unit_change(&in->type, &out->type) < 0)
        return micros_to_nanos(in, out, err);
    else
        return rwl_fail(err, RWL_UNSUPPORTED, "type kind %d does not promote to kind %d", (int)from, (int)to);
    return RWL_OK;
}

/* Child by child; the rows' own shape is copied. */
static rwl_status promote_nested(const rwl_column *in, rwl_column *out, const rwl_env *env, rwl_error *err) {
    if (in->type.child_count != out->type.child_count)
        return rwl_fail(err, RWL_UNSUPPORTED, "a struct of %d fields does not promote to one of %d",
                        in->type.child_count, out->type.child_count);
    for (int32_t i = 0; i < in->type.child_count; i++)
        RWL_TRY(rwl_column_promote(&in->children[i], &out->children[i], env, err));
    RWL_TRY(rwl_column_reserve(out, env, in->length, 0, err));
    if (in->type.kind == RWL_TYPE_STRUCT || in->length == 0)
        return RWL_OK;
    const int32_t *from = rwl_column_offsets(in);
    int32_t *to = (int32_t *)(void *)out->offsets.data;
    memcpy(to, from, ((size_t)in->length + 1) * sizeof *to);
    return RWL_OK;
}

rwl_status rwl_column_promote(const rwl_column *in, rwl_column *out, const rwl_env *env, rwl_error *err) {
    rwl_column_reset(out);
    if (is_same_or_wider(&in->type, &out->type))
        return copy_all(in, out, env, err);
    if (in->type.kind == RWL_TYPE_BINARY && out->type.kind == RWL_TYPE_STRING)
        return bytes_to_text(in, out, env, err);
    if (in->type.kind == RWL_TYPE_UNKNOWN) {
        rwl_value null = rwl_value_null(out->type.kind);
        return rwl_column_append(out, env, &null, in->length, err);
    }
    if (rwl_type_is_nested(&in->type) && in->type.kind == out->type.kind) {
        RWL_TRY(promote_nested(in, out, env, err));
    } else {
        RWL_TRY(rwl_column_reserve(out, env, in->length, 0, err));
        RWL_TRY(widen_values(in, out, err));
    }
    if (in->null_count > 0) {
        RWL_TRY(rwl_column_need_validity(out, env, in->length, err));
        rwl_bits_copy(out->validity.data, 0, in->validity.data, 0, in->length);
    }
    out->length = in->length;
    out->null_count = in->null_count;
    return RWL_OK;
}

/* --- values from outside --- */

/* Slots of nulls hold zero, which belongs to every type. */
static int64_t find_wide_decimal(const rwl_column *c) {
    const rwl_u128 limit = (rwl_u128)rwl_i128_pow10(c->type.precision) - 1;
    for (int64_t i = 0; i < c->length; i++) {
        rwl_i128 v = rwl_i128_load(c->values.data + i * 16);
        if ((rwl_u128)v + limit > 2 * limit) /* below -limit or above it */
            return i;
    }
    return c->length;
}

static int64_t find_wide_decimal256(const rwl_column *c) {
    int32_t precision, scale;
    if (!rwl_type_decimal256(&c->type, &precision, &scale))
        return 0;
    int64_t i = 0;
    while (i < c->length && rwl_i256_fits_digits(c->values.data + i * 32, precision))
        i++;
    return i;
}

static int64_t find_wrong_time(const rwl_column *c) {
    const int64_t *v = rwl_column_i64(c);
    int64_t i = 0, day = rwl_type_is_time_ns(&c->type) ? INT64_C(86400000000000) : INT64_C(86400000000);
    while (i < c->length && v[i] >= 0 && v[i] < day)
        i++;
    return i;
}

/* All at once; one by one only to find the one that is wrong, also by beginning inside a sequence. */
static int64_t find_wrong_text(const rwl_column *c) {
    if (c->length == 0)
        return 0;
    const int32_t *offsets = rwl_column_offsets(c);
    rwl_span all = rwl_span_of(c->values.data, (size_t)offsets[c->length]);
    bool ok = rwl_utf8_valid(all);
    for (int64_t i = 0; ok && i < c->length; i++) {
        size_t at = (size_t)offsets[i];
        ok = at == all.len || (all.data[at] & 0xC0) != 0x80;
    }
    int64_t i = ok ? c->length : 0;
    while (i < c->length && rwl_utf8_valid(rwl_column_bytes(c, i)))
        i++;
    return i;
}

static rwl_status check_own_values(const rwl_column *c, rwl_error *err) {
    int64_t wrong = c->length;
    const char *what = "";
    if (c->type.kind == RWL_TYPE_DECIMAL) {
        wrong = find_wide_decimal(c);
        what = "a decimal has more digits than its type";
    } else if (rwl_type_is_decimal256(&c->type)) {
        wrong = find_wide_decimal256(c);
        what = "a decimal has more digits than its type";
    } else if (c->type.kind == RWL_TYPE_TIME) {
        wrong = find_wrong_time(c);
        what = "a time is outside of the day";
    } else if (c->type.kind == RWL_TYPE_STRING) {
        wrong = find_wrong_text(c);
        what = "a string is not UTF-8";
    }
    return wrong == c->length ? RWL_OK : rwl_fail(err, RWL_CORRUPT, "row %lld: %s", (long long)wrong, what);
}

static rwl_status check_variants(const rwl_column *c, rwl_error *err) {
    for (int64_t i = 0; i < c->length; i++) {
        rwl_span metadata, value;
        if (rwl_column_is_null(c, i))
            continue;
        rwl_status st = rwl_variant_split(rwl_column_bytes(c, i), &metadata, &value, err);
        if (st == RWL_OK)
            st = rwl_variant_check(metadata, value, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "row %lld", (long long)i);
    }
    return RWL_OK;
}

rwl_status rwl_column_check_values(const rwl_column *c, rwl_error *err) {
    if (c->type.kind == RWL_TYPE_VARIANT)
        return check_variants(c, err);
    if (!rwl_type_is_nested(&c->type))
        return check_own_values(c, err);
    for (int32_t i = 0; i < c->type.child_count; i++) {
        rwl_status st = rwl_column_check_values(&c->children[i], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "%s",
                                c->type.children[i].name == NULL ? "" : c->type.children[i].name);
    }
    return RWL_OK;
}
