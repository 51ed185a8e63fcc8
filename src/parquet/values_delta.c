/* SPDX-License-Identifier: Apache-2.0 */
/* Variable lengths as deltas: DELTA_LENGTH_BYTE_ARRAY, and DELTA_BYTE_ARRAY with prefixes of the value before. */
#include "parquet/text.h"
#include "parquet/values_internal.h"

#include "column/value.h"

enum { FEW = 256 };

/* --- lengths, then bytes --- */

rwl_status rwl_parquet_lengths_init(rwl_parquet_values *v, rwl_span bytes, rwl_error *err) {
    rwl_span rest;
    RWL_TRY(rwl_delta_init(&v->delta, bytes, err));
    RWL_TRY(rwl_delta_find_end(&v->delta, &rest, err));
    v->kind = RWL_PARQUET_VALUES_LENGTHS;
    v->p = rest.data;
    v->end = rest.data + rest.len;
    return RWL_OK;
}

static rwl_status fail_length(uint32_t len, size_t left, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "a value of %d bytes where %zu are left", (int)(int32_t)len, left);
}

/* Whether the values of all these lengths lie in the page, and within `most` bytes. */
static bool all_fit(const uint32_t *lengths, size_t count, uint64_t most) {
    uint64_t total = 0;
    uint32_t any = 0;
    for (size_t i = 0; i < count; i++) {
        total += lengths[i];
        any |= lengths[i];
    }
    return any <= INT32_MAX && total <= most;
}

/* Ends of the values of these lengths that begin at ends[0], as far as `limit` goes: *done of them. */
static rwl_status sum_lengths(const uint32_t *lengths, size_t count, size_t bytes_left, size_t limit,
                              int32_t *ends, size_t *done, rwl_error *err) {
    uint64_t end = (uint64_t)(uint32_t)ends[0], most = end + bytes_left;
    size_t i = 0;
    if (all_fit(lengths, count, (most < limit ? most : limit) - end)) {
        for (; i < count; i++)
            ends[i + 1] = (int32_t)(end += lengths[i]);
    }
    for (; i < count; i++) {
        end += lengths[i];
        if (lengths[i] > INT32_MAX || end > most)
            return fail_length(lengths[i], (size_t)(most - (end - lengths[i])), err);
        if (end > limit)
            break;
        ends[i + 1] = (int32_t)end;
    }
    *done = i;
    return RWL_OK;
}

/* The next `count` lengths; *count of them where they pass the limit, and the stream stands behind those. */
static rwl_status take_lengths(rwl_parquet_values *v, size_t limit, size_t count, int32_t *ends, size_t *done,
                               rwl_error *err) {
    uint32_t lengths[RWL_PARQUET_BLOCK];
    rwl_delta before = v->delta;
    RWL_TRY(rwl_delta_read32(&v->delta, (uint8_t *)lengths, count, err));
    RWL_TRY(sum_lengths(lengths, count, (size_t)(v->end - v->p), limit, ends, done, err));
    if (*done == count)
        return RWL_OK;
    v->delta = before;
    return rwl_delta_skip(&v->delta, *done, err);
}

rwl_status rwl_parquet_lengths_bytes(rwl_parquet_values *v, rwl_column *out, size_t limit, size_t count,
                                     int32_t *ends, size_t *done, rwl_error *err) {
    RWL_TRY(take_lengths(v, limit, count, ends, done, err));
    size_t len = (size_t)(ends[*done] - ends[0]);
    if (len == 0)
        return RWL_OK;
    RWL_TRY(rwl_reserve_bytes(out, v->env, out->bytes_len + len, err));
    memcpy(out->values.data + out->bytes_len, v->p, len);
    v->p += len;
    out->bytes_len += len;
    return RWL_OK;
}

rwl_status rwl_parquet_lengths_skip(rwl_parquet_values *v, int64_t count, rwl_error *err) {
    int32_t ends[RWL_PARQUET_BLOCK + 1] = {0};
    while (count > 0) {
        size_t n = count < RWL_PARQUET_BLOCK ? (size_t)count : RWL_PARQUET_BLOCK, done;
        RWL_TRY(take_lengths(v, INT32_MAX, n, ends, &done, err));
        v->p += ends[done];
        count -= (int64_t)n;
    }
    return RWL_OK;
}

/* Decimals. */
rwl_status rwl_parquet_lengths_fixed(rwl_parquet_values *v, uint8_t *dst, size_t count, rwl_error *err) {
    int32_t ends[RWL_PARQUET_BLOCK + 1] = {0};
    while (count > 0) {
        size_t n = count < RWL_PARQUET_BLOCK ? count : RWL_PARQUET_BLOCK, done;
        RWL_TRY(take_lengths(v, INT32_MAX, n, ends, &done, err));
        for (size_t i = 0; i < done; i++, dst += v->layout->width) {
            rwl_span value = rwl_span_of(v->p + ends[i], (size_t)(ends[i + 1] - ends[i]));
            RWL_TRY(rwl_parquet_convert_one(v->layout, value, dst, err));
        }
        v->p += ends[done];
        count -= n;
    }
    return RWL_OK;
}

/* --- prefixes, lengths, then bytes --- */

static rwl_status reserve_previous(rwl_parquet_values *v, size_t len, rwl_error *err) {
    if (v->previous && len <= v->previous_cap)
        return RWL_OK;
    size_t cap = len + len / 2 + RWL_PARQUET_READ_SLACK;
    uint8_t *grown = rwl_alloc(v->env, cap + RWL_COPY_STEP);
    if (!grown)
        return rwl_no_memory(err, cap + RWL_COPY_STEP);
    memset(grown, 0, cap + RWL_COPY_STEP);
    if (v->previous_len > 0)
        memcpy(grown, v->previous, v->previous_len);
    rwl_free(v->env, v->previous);
    v->previous = grown;
    v->previous_cap = cap;
    return RWL_OK;
}

rwl_status rwl_parquet_prefixes_init(rwl_parquet_values *v, rwl_span bytes, rwl_error *err) {
    rwl_span rest;
    RWL_TRY(rwl_delta_init(&v->prefixes, bytes, err));
    RWL_TRY(rwl_delta_find_end(&v->prefixes, &rest, err));
    RWL_TRY(rwl_parquet_lengths_init(v, rest, err));
    v->kind = RWL_PARQUET_VALUES_PREFIXES;
    if (!v->carries_previous)
        v->previous_len = 0;
    return reserve_previous(v, v->previous_len, err);
}

static rwl_status fail_prefix(uint32_t prefix, size_t previous, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "a prefix of %d bytes of a value of %zu", (int)(int32_t)prefix,
                    previous);
}

/* Makes `previous` the next value. */
static rwl_status step_previous(rwl_parquet_values *v, uint32_t prefix, uint32_t suffix, rwl_error *err) {
    if (prefix > v->previous_len)
        return fail_prefix(prefix, v->previous_len, err);
    if (suffix > (size_t)(v->end - v->p))
        return fail_length(suffix, (size_t)(v->end - v->p), err);
    RWL_TRY(reserve_previous(v, (size_t)prefix + suffix, err));
    memcpy(v->previous + prefix, v->p, suffix);
    v->previous_len = (size_t)prefix + suffix;
    v->p += suffix;
    return RWL_OK;
}

/* The next values one by one; `each` (NULL: none) makes layout->width bytes of each. */
static rwl_status step_values(rwl_parquet_values *v, size_t count, uint8_t *dst, rwl_error *err) {
    uint32_t prefixes[FEW], suffixes[FEW];
    while (count > 0) {
        size_t n = count < FEW ? count : FEW;
        RWL_TRY(rwl_delta_read32(&v->prefixes, (uint8_t *)prefixes, n, err));
        RWL_TRY(rwl_delta_read32(&v->delta, (uint8_t *)suffixes, n, err));
        for (size_t i = 0; i < n; i++) {
            RWL_TRY(step_previous(v, prefixes[i], suffixes[i], err));
            if (!dst)
                continue;
            rwl_span value = rwl_span_of(v->previous, v->previous_len);
            RWL_TRY(rwl_parquet_convert_one(v->layout, value, dst, err));
            dst += v->layout->width;
        }
        count -= n;
    }
    return RWL_OK;
}

rwl_status rwl_parquet_prefixes_skip(rwl_parquet_values *v, int64_t count, rwl_error *err) {
    return step_values(v, (size_t)count, NULL, err);
}

rwl_status rwl_parquet_prefixes_fixed(rwl_parquet_values *v, uint8_t *dst, size_t count, rwl_error *err) {
    return step_values(v, count, dst, err);
}

/* Checks the values of these lengths, as sum_lengths does. */
static rwl_status sum_parts(const rwl_parquet_values *v, const uint32_t *prefixes, const uint32_t *suffixes,
                            size_t count, size_t limit, int32_t *ends, size_t *done, rwl_error *err) {
    uint64_t end = (uint64_t)(uint32_t)ends[0], taken = 0, left = (uint64_t)(v->end - v->p);
    size_t before = v->previous_len, i = 0;
    for (; i < count; i++) {
        if (prefixes[i] > before)
            return fail_prefix(prefixes[i], before, err);
        if (suffixes[i] > left - taken)
            return fail_length(suffixes[i], (size_t)(left - taken), err);
        before = (size_t)prefixes[i] + suffixes[i];
        end += before;
        if (end > limit)
            break;
        taken += suffixes[i];
        ends[i + 1] = (int32_t)end;
    }
    *done = i;
    return RWL_OK;
}

static rwl_status keep_previous(rwl_parquet_values *v, const uint8_t *value, size_t len, rwl_error *err) {
    v->previous_len = 0;
    RWL_TRY(reserve_previous(v, len, err));
    memcpy(v->previous, value, len);
    v->previous_len = len;
    return RWL_OK;
}

rwl_status rwl_parquet_prefixes_bytes(rwl_parquet_values *v, rwl_column *out, size_t limit, size_t count,
                                      int32_t *ends, size_t *done, rwl_error *err) {
    uint32_t prefixes[RWL_PARQUET_BLOCK], suffixes[RWL_PARQUET_BLOCK];
    rwl_delta before = v->prefixes, before_suffixes = v->delta;
    RWL_TRY(rwl_delta_read32(&v->prefixes, (uint8_t *)prefixes, count, err));
    RWL_TRY(rwl_delta_read32(&v->delta, (uint8_t *)suffixes, count, err));
    RWL_TRY(sum_parts(v, prefixes, suffixes, count, limit, ends, done, err));
    if (*done < count) {
        v->prefixes = before;
        v->delta = before_suffixes;
        RWL_TRY(rwl_delta_skip(&v->prefixes, *done, err));
        RWL_TRY(rwl_delta_skip(&v->delta, *done, err));
    }
    if (*done == 0)
        return RWL_OK;
    RWL_TRY(rwl_reserve_bytes(out, v->env, (size_t)(uint32_t)ends[*done], err));
    const uint8_t *previous = v->previous, *p = v->p;
    for (size_t i = 0; i < *done; i++) {
        uint8_t *to = out->values.data + ends[i];
        rwl_copy_value(to, previous, prefixes[i]);
        rwl_copy_value(to + prefixes[i], p, suffixes[i]);
        p += suffixes[i];
        previous = to;
    }
    v->p = p;
    out->bytes_len = (size_t)(uint32_t)ends[*done];
    return keep_previous(v, previous, out->bytes_len - (size_t)(uint32_t)ends[*done - 1], err);
}
