/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files that decode values: by kind of value and by encoding. */
#ifndef RWL_PARQUET_VALUES_INTERNAL_H
#define RWL_PARQUET_VALUES_INTERNAL_H

#include "parquet/values.h"

rwl_status rwl_parquet_values_fail_end(rwl_error *err); /* CORRUPT: the page ends too early */
/* CORRUPT when one of the indexes is none of the dictionary. */
RWL_MUST_CHECK rwl_status rwl_parquet_values_check_indexes(const rwl_parquet_dictionary *d,
                                                           const uint32_t *indexes, size_t count,
                                                           rwl_error *err);

/* DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY (values_delta.c); contracts as in values.h. */
RWL_MUST_CHECK rwl_status rwl_parquet_lengths_init(rwl_parquet_values *v, rwl_span bytes, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_lengths_skip(rwl_parquet_values *v, int64_t count, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_lengths_fixed(rwl_parquet_values *v, uint8_t *dst, size_t count,
                                                    rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_lengths_bytes(rwl_parquet_values *v, rwl_column *out, size_t limit,
                                                    size_t count, int32_t *ends, size_t *done,
                                                    rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_prefixes_init(rwl_parquet_values *v, rwl_span bytes, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_prefixes_skip(rwl_parquet_values *v, int64_t count, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_prefixes_fixed(rwl_parquet_values *v, uint8_t *dst, size_t count,
                                                     rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_prefixes_bytes(rwl_parquet_values *v, rwl_column *out, size_t limit,
                                                     size_t count, int32_t *ends, size_t *done,
                                                     rwl_error *err);

enum { RWL_COPY_STEP = 32, RWL_COPY_BY_STEPS_MAX = 128 };

/* Copies by whole steps, past the end: both sides have slack. Only long values are worth a call. The source ends
 * where the destination begins, or before, or is elsewhere. */
static inline void rwl_copy_value(uint8_t *dst, const uint8_t *src, size_t len) {
    uint8_t step[RWL_COPY_STEP]; /* the overshoot of a short source may reach into the destination */
    memcpy(step, src, RWL_COPY_STEP);
    memcpy(dst, step, RWL_COPY_STEP);
    if (len > RWL_COPY_BY_STEPS_MAX) {
        memcpy(dst, src, len);
        return;
    }
    for (size_t done = RWL_COPY_STEP; done < len; done += RWL_COPY_STEP) {
        memcpy(step, src + done, RWL_COPY_STEP);
        memcpy(dst + done, step, RWL_COPY_STEP);
    }
}

/* Room in `out` for bytes up to `end` and the last step's overshoot. */
RWL_MUST_CHECK static inline rwl_status rwl_reserve_bytes(rwl_column *out, const rwl_env *env, size_t end,
                                                          rwl_error *err) {
    if (end + RWL_COPY_STEP <= out->values.cap)
        return RWL_OK;
    return rwl_column_reserve(out, env, out->length, end + RWL_COPY_STEP, err);
}

#endif
