/* SPDX-License-Identifier: Apache-2.0 */
/* Partition values for people and paths. */
#include "iceberg/transform_internal.h"

/* Four digits at least, a sign before years below zero. */
static rwl_status put_year(int64_t year, rwl_buf *out, rwl_error *err) {
    return year < 0 ? rwl_buf_printf(out, err, "-%04lld", (long long)-year)
                    : rwl_buf_printf(out, err, "%04lld", (long long)year);
}

static rwl_status put_month(int32_t months, rwl_buf *out, rwl_error *err) {
    RWL_TRY(put_year(1970 + rwl_floor_div(months, 12), out, err));
    return rwl_buf_printf(out, err, "-%02d", (int)rwl_floor_mod(months, 12) + 1);
}

static rwl_status put_hour(int32_t hours, rwl_buf *out, rwl_error *err) {
    int64_t year;
    int month, day;
    rwl_civil_from_days(rwl_floor_div(hours, 24), &year, &month, &day);
    RWL_TRY(put_year(year, out, err));
    return rwl_buf_printf(out, err, "-%02d-%02d-%02d", month, day, (int)rwl_floor_mod(hours, 24));
}

static rwl_status put_base64(rwl_span bytes, rwl_buf *out, rwl_error *err) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t left = bytes.len - i;
        uint32_t group = (uint32_t)bytes.data[i] << 16;
        group |= left > 1 ? (uint32_t)bytes.data[i + 1] << 8 : 0;
        group |= left > 2 ? bytes.data[i + 2] : 0;
        char text[4] = {digits[group >> 18], digits[group >> 12 & 63], digits[group >> 6 & 63],
                        digits[group & 63]};
        if (left < 3)
            text[3] = '=';
        if (left < 2)
            text[2] = '=';
        RWL_TRY(rwl_buf_append(out, text, sizeof text, err));
    }
    return RWL_OK;
}

rwl_status rwl_transform_format(const rwl_transform *t, const rwl_type *result, const rwl_value *v,
                                rwl_buf *out, rwl_error *err) {
    if (v->is_null || t->kind == RWL_TRANSFORM_VOID)
        return rwl_buf_str(out, "null", err);
    switch (t->kind) {
    case RWL_TRANSFORM_YEAR:
        return put_year(1970 + (int64_t)v->as.i32, out, err);
    case RWL_TRANSFORM_MONTH:
        return put_month(v->as.i32, out, err);
    case RWL_TRANSFORM_HOUR:
        return put_hour(v->as.i32, out, err);
    default:
        break;
    }
    if (result->kind == RWL_TYPE_BINARY || result->kind == RWL_TYPE_FIXED)
        return put_base64(v->as.bytes, out, err);
    return rwl_value_format(result, v, out, err);
}
