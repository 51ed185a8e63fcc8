/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conservation: the rows that went into a rewrite came out, each with its id, its version and its values.
 *
 * Two sides are compared by sums modulo 2^128, which do not care about order or about how rows are cut into
 * files. Each side sums a hash of (row id, version, hash of the row's values); two more sums, of the lineage
 * and of the values alone, only tell what went wrong: a lost row, a doubled row, a swapped id, a changed
 * value. Rows without lineage have a hash of their own, so null is not mistaken for a number. These sums are
 * internal; digest.h has the figures that people compare.
 */
#ifndef RWL_LINEAGE_CONSERVE_H
#define RWL_LINEAGE_CONSERVE_H

#include "base/int128.h"
#include "lineage/laws.h"

/* One side, zero-initialised. Sums may be taken in parallel and merged. */
typedef struct rwl_conserve {
    int64_t rows, rows_without_lineage;
    rwl_u128 row_sum;     /* (id, version, values) */
    rwl_u128 lineage_sum; /* (id, version) */
    rwl_u128 value_sum;   /* values */
} rwl_conserve;

/* Adds rows: their lineage as read, and for each row the hash of its values (rwl_column_hash_rows over the
 * table's columns). `values` NULL: counts and lineage only, on both sides. */
void rwl_conserve_add(rwl_conserve *side, const rwl_runs *ids, const rwl_runs *versions,
                      const rwl_u128 *values);
void rwl_conserve_merge(rwl_conserve *into, const rwl_conserve *from);

/* INTERNAL when `output` is not `input`, naming what differs. */
RWL_MUST_CHECK rwl_status rwl_conserve_compare(const rwl_conserve *input, const rwl_conserve *output,
                                               rwl_error *err);

#endif
