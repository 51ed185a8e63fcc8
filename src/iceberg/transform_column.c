/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of whole columns: one loop a type. Slots of null rows hold zero before and after. */
#include "base/hash.h"
#include "iceberg/transform_internal.h"

static int32_t *out_i32(rwl_column *c) {
    return (int32_t *)(void *)c->values.data;
}

static int64_t *out_i64(rwl_column *c) {
    return (int64_t *)(void *)c->values.data;
}

static bool is_wide(const rwl_column *c) {
    return rwl_type_width(&c->type) == 8;
}

/* --- bucket --- */

static void bucket_numbers(const rwl_column *in, int32_t buckets, int32_t *out) {
    if (!is_wide(in)) {
        const int32_t *v = rwl_column_i32(in);
        for (int64_t i = 0; i < in->length; i++)
            out[i] = rwl_bucket_of(rwl_murmur_i64(v[i]), buckets);
        return;
    }
    const int64_t *v = rwl_column_i64(in);
    /* nanoseconds hash as the microsecond they are in */
    int64_t divisor = rwl_transform_units(in->type.kind) == 1000000000 ? 1000 : 1;
    for (int64_t i = 0; i < in->length; i++)
        out[i] = rwl_bucket_of(rwl_murmur_i64(divisor == 1 ? v[i] : rwl_floor_div(v[i], divisor)), buckets);
}

static void bucket_bytes(const rwl_column *in, int32_t buckets, int32_t *out) {
    int32_t width = rwl_type_width(&in->type);
    uint8_t decimal[16];
    for (int64_t i = 0; i < in->length; i++) {
        rwl_span bytes =
            width ? rwl_span_of(in->values.data + i * width, (size_t)width) : rwl_column_bytes(in, i);
        if (in->type.kind == RWL_TYPE_DECIMAL)
            bytes = rwl_span_of(decimal, rwl_i128_to_be(rwl_i128_load(bytes.data), decimal));
        out[i] = rwl_bucket_of(rwl_hash_murmur3(bytes, 0), buckets);
    }
}

static void bucket_column(const rwl_column *in, int32_t buckets, rwl_column *out) {
    switch (in->type.kind) {
    case RWL_TYPE_DECIMAL:
    case RWL_TYPE_STRING:
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED:
    case RWL_TYPE_BINARY:
        bucket_bytes(in, buckets, out_i32(out));
        break;
    default:
        bucket_numbers(in, buckets, out_i32(out));
        break;
    }
}

/* --- truncate --- */

static void truncate_numbers(const rwl_column *in, int32_t width, rwl_column *out) {
    if (in->type.kind == RWL_TYPE_INT) {
        for (int64_t i = 0; i < in->length; i++)
            out_i32(out)[i] = rwl_truncate_i32(rwl_column_i32(in)[i], width);
    } else if (in->type.kind == RWL_TYPE_LONG) {
        for (int64_t i = 0; i < in->length; i++)
            out_i64(out)[i] = rwl_truncate_i64(rwl_column_i64(in)[i], width);
    } else {
        for (int64_t i = 0; i < in->length; i++) {
            rwl_i128 v = rwl_i128_load(in->values.data + 16 * i);
            rwl_i128_store(out->values.data + 16 * i, rwl_truncate_i128(v, width));
        }
    }
}

static void truncate_bytes(const rwl_column *in, int32_t width, rwl_column *out) {
    int32_t *offsets = (int32_t *)(void *)out->offsets.data;
    int32_t end = 0;
    offsets[0] = 0;
    for (int64_t i = 0; i < in->length; i++) {
        rwl_span bytes = rwl_column_bytes(in, i);
        if (in->type.kind == RWL_TYPE_STRING)
            bytes.len = rwl_code_points_len(bytes, width);
        else if (bytes.len > (size_t)width)
            bytes.len = (size_t)width;
        if (bytes.len > 0)
            memcpy(out->values.data + end, bytes.data, bytes.len);
        end += (int32_t)bytes.len;
        offsets[i + 1] = end;
    }
    out->bytes_len = (size_t)end;
}

/* --- time --- */

static rwl_status hour_column(const rwl_transform *t, const rwl_column *in, int32_t *out, rwl_error *err) {
    int64_t hour = 3600 * rwl_transform_units(in->type.kind);
    const int64_t *v = rwl_column_i64(in);
    for (int64_t i = 0; i < in->length; i++) {
        int64_t h = rwl_floor_div(v[i], hour);
        if (h < INT32_MIN || h > INT32_MAX)
            return rwl_transform_out_of_range(t, v[i], err);
        out[i] = (int32_t)h;
    }
    return RWL_OK;
}

static void day_column(const rwl_transform *t, const rwl_column *in, int32_t *out) {
    int64_t day = 86400 * rwl_transform_units(in->type.kind);
    if (day) {
        for (int64_t i = 0; i < in->length; i++)
            out[i] = (int32_t)rwl_floor_div(rwl_column_i64(in)[i], day);
    } else if (in->length > 0) {
        memcpy(out, rwl_column_i32(in), (size_t)in->length * sizeof *out);
    }
    if (t->kind == RWL_TRANSFORM_YEAR) {
        for (int64_t i = 0; i < in->length; i++)
            out[i] = rwl_years_of_day(out[i]);
    } else if (t->kind == RWL_TRANSFORM_MONTH) {
        for (int64_t i = 0; i < in->length; i++)
            out[i] = rwl_months_of_day(out[i]);
    }
}

/* --- whole --- */

static rwl_status fill_values(const rwl_transform *t, const rwl_column *in, rwl_column *out, rwl_error *err) {
    switch (t->kind) {
    case RWL_TRANSFORM_BUCKET:
        bucket_column(in, t->param, out);
        return RWL_OK;
    case RWL_TRANSFORM_TRUNCATE:
        if (rwl_type_is_bytes(&in->type))
            truncate_bytes(in, t->param, out);
        else
            truncate_numbers(in, t->param, out);
        return RWL_OK;
    case RWL_TRANSFORM_HOUR:
        return hour_column(t, in, out_i32(out), err);
    default:
        day_column(t, in, out_i32(out));
        return RWL_OK;
    }
}

/* Null rows of `in` become null rows of `out`; a hash of nothing left zero behind only by chance. */
static rwl_status copy_nulls(const rwl_column *in, rwl_column *out, const rwl_env *env, rwl_error *err) {
    out->length = in->length;
    if (in->null_count == 0)
        return RWL_OK;
    RWL_TRY(rwl_column_need_validity(out, env, in->length, err));
    memcpy(out->validity.data, in->validity.data, (size_t)(in->length + 7) / 8);
    out->null_count = in->null_count;
    if (rwl_type_width(&out->type) == 4) {
        for (int64_t i = 0; i < in->length; i++)
            out_i32(out)[i] = rwl_bit_get(in->validity.data, i) ? out_i32(out)[i] : 0;
    }
    return RWL_OK;
}

rwl_status rwl_transform_column(const rwl_transform *t, const rwl_column *in, rwl_column *out,
                                const rwl_env *env, rwl_error *err) {
    rwl_type result;
    if (!rwl_transform_result(t, &in->type, &result))
        return rwl_transform_refuse(t, &in->type, err);
    if (rwl_type_equal(&out->type, &result)) {
        rwl_column_reset(out);
    } else {
        rwl_column_clear(out, env);
        RWL_TRY(rwl_column_init(out, env, &result, err));
    }
    if (t->kind == RWL_TRANSFORM_IDENTITY) {
        rwl_range all = {0, in->length};
        return in->length ? rwl_column_take_ranges(in, &all, 1, out, env, err) : RWL_OK;
    }
    if (t->kind == RWL_TRANSFORM_VOID) {
        rwl_value null = rwl_value_null(result.kind);
        return rwl_column_append(out, env, &null, in->length, err);
    }
    RWL_TRY(rwl_column_reserve(out, env, in->length, in->bytes_len, err));
    if (in->length == 0)
        return RWL_OK;
    RWL_TRY(fill_values(t, in, out, err));
    return copy_nulls(in, out, env, err);
}
