/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The digest: figures about the identity of rows that anyone can compute in SQL (docs: `rowline digest`).
 *
 *   rows                  count(*)
 *   rows_without_lineage  count(*) where _row_id is null
 *   row_id_sum            sum(_row_id)                                    exact, 38 digits
 *   last_updated_sum      sum(_last_updated_sequence_number)              exact, 38 digits
 *   product_sum           sum(_row_id * _last_updated_sequence_number)    exact, 38 digits
 *   lineage_checksum      sum modulo 2^64 of Spark's xxhash64(_row_id, _last_updated_sequence_number):
 *                         XXH64(version, seed = XXH64(id, seed = 42)), each of 8 little-endian bytes
 *
 * `rows` counts all rows, the sums only rows with lineage. No figure depends on the order of rows.
 */
#ifndef RWL_LINEAGE_DIGEST_H
#define RWL_LINEAGE_DIGEST_H

#include "base/int128.h"
#include "lineage/laws.h"

/* Zero-initialised. */
typedef struct rwl_digest {
    int64_t rows, rows_without_lineage;
    rwl_i128 row_id_sum, last_updated_sum, product_sum;
    uint64_t lineage_checksum;
} rwl_digest;

/* Adds rows with their lineage as read (both null, or neither). UNSUPPORTED when a sum passes 38 digits. */
RWL_MUST_CHECK rwl_status rwl_digest_add(rwl_digest *d, const rwl_runs *ids, const rwl_runs *versions,
                                         rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_digest_merge(rwl_digest *into, const rwl_digest *from, rwl_error *err);
bool rwl_digest_equal(const rwl_digest *a, const rwl_digest *b);

#define RWL_DIGEST_CHECKSUM_LEN 16
/* 16 lower-case hex digits and a NUL. */
void rwl_digest_checksum_format(const rwl_digest *d, char out[RWL_DIGEST_CHECKSUM_LEN + 1]);

#endif
