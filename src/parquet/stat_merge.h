/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics being added up, in the form Statistics has them (bounds in PLAIN without a length): pages to a chunk,
 * chunks to a file. A bound is known of all that was taken in, or of nothing; a zero is -0.0 below and +0.0 above;
 * NaN is never a bound.
 */
#ifndef RWL_PARQUET_STAT_MERGE_H
#define RWL_PARQUET_STAT_MERGE_H

#include "parquet/bounds.h"
#include "parquet/write_schema.h"

/* The least or the greatest of what was taken in. */
typedef struct rwl_parquet_stat_side {
    bool unknown;                 /* something was taken in whose bound is not known */
    rwl_parquet_stat_bound bound; /* not present: nothing with a value yet */
} rwl_parquet_stat_side;

typedef struct rwl_parquet_stat_sum {
    const rwl_parquet_write_leaf *leaf;
    rwl_parquet_stat_side min, max;
    rwl_parquet_stat_bound low, high; /* what is left of a bound being cut */
} rwl_parquet_stat_sum;

/* The bytes of a bound that is present, with data other than NULL even when empty. */
static inline rwl_span rwl_parquet_stat_span(const rwl_parquet_stat_bound *b) {
    return b->bytes.len > 0 ? rwl_buf_span(&b->bytes) : rwl_span_str("");
}
/* -1, 0, 1 by the order of the leaf; bytes of numbers are of the leaf's width. */
int rwl_parquet_stat_compare(const rwl_parquet_write_leaf *leaf, rwl_span a, rwl_span b);
/* Whether values of the leaf have an order that readers know: not those of VARIANT, GEOMETRY and GEOGRAPHY. */
bool rwl_parquet_stat_ordered(const rwl_parquet_write_leaf *leaf);

void rwl_parquet_stat_sum_init(rwl_parquet_stat_sum *s, const rwl_env *env,
                               const rwl_parquet_write_leaf *leaf);
void rwl_parquet_stat_sum_clear(rwl_parquet_stat_sum *s);
void rwl_parquet_stat_sum_reset(rwl_parquet_stat_sum *s);
/*
 * Brings a bound to what is written of it: *out borrows from `bytes` or `s` (until the next call). Bounds longer than
 * RWL_PARQUET_STAT_BYTES are cut and *exact cleared; out->data NULL when nothing true can be said (NaN, a wrong
 * length, a greatest string that has no successor, no order).
 */
RWL_MUST_CHECK rwl_status rwl_parquet_stat_trim(rwl_parquet_stat_sum *s, rwl_span bytes, bool is_max,
                                                rwl_span *out, bool *exact, rwl_error *err);
/* Takes a trimmed bound in; data NULL: unknown. */
RWL_MUST_CHECK rwl_status rwl_parquet_stat_take(rwl_parquet_stat_sum *s, rwl_span bytes, bool is_max,
                                                bool exact, rwl_error *err);
/* Takes both sides of another sum in. */
RWL_MUST_CHECK rwl_status rwl_parquet_stat_merge(rwl_parquet_stat_sum *into, const rwl_parquet_stat_sum *from,
                                                 rwl_error *err);
/* A bound as a value of the leaf's field, bytes borrowed; false when it is none. */
bool rwl_parquet_stat_value(const rwl_parquet_write_leaf *leaf, rwl_span bytes, rwl_value *out);

#endif
