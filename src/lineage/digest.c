/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of `rowline digest`. */
#include "lineage/digest.h"

#include "base/hash.h"
#include "lineage/walk.h"

#include <inttypes.h>
#include <stdio.h>

enum { SPARK_SEED = 42 }; /* of xxhash64() in Spark's SQL */

static bool add_exact(rwl_i128 *sum, rwl_i128 more) {
    return rwl_i128_add(*sum, more, sum) && rwl_i128_fits_digits(*sum, 38);
}

static rwl_status fail_digits(const char *figure, rwl_error *err) {
    return rwl_fail(err, RWL_UNSUPPORTED, "%s of the digest passes 38 digits", figure);
}

/* Rows with ids id, id + 1, … and one version. */
static rwl_status add_sums(rwl_digest *d, const rwl_stretch *s, rwl_error *err) {
    rwl_i128 n = s->count, version = s->version.value, product;
    rwl_i128 ids = n * s->id.value + n * (n - 1) / 2; /* each factor is below 2^63 */
    if (!add_exact(&d->row_id_sum, ids))
        return fail_digits("row_id_sum", err);
    if (!add_exact(&d->last_updated_sum, n * version))
        return fail_digits("last_updated_sum", err);
    if (__builtin_mul_overflow(ids, version, &product) || !add_exact(&d->product_sum, product))
        return fail_digits("product_sum", err);
    return RWL_OK;
}

static uint64_t sum_hashes(const rwl_stretch *s) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < s->count; i++)
        sum += rwl_hash_xxh64_i64(s->version.value, rwl_hash_xxh64_i64(s->id.value + i, SPARK_SEED));
    return sum;
}

rwl_status rwl_digest_add(rwl_digest *d, const rwl_runs *ids, const rwl_runs *versions, rwl_error *err) {
    rwl_walk walk;
    rwl_stretch s;
    rwl_walk_init(&walk, ids, versions, 0, ids->length);
    while (rwl_walk_next(&walk, &s)) {
        d->rows += s.count;
        if (!s.id.present) {
            d->rows_without_lineage += s.count;
            continue;
        }
        if (!s.version.present)
            return rwl_fail(err, RWL_INTERNAL, "law 5: row %" PRId64 " of a batch has an id and no version",
                            s.row);
        RWL_TRY(add_sums(d, &s, err));
        d->lineage_checksum += sum_hashes(&s);
    }
    return RWL_OK;
}

rwl_status rwl_digest_merge(rwl_digest *into, const rwl_digest *from, rwl_error *err) {
    into->rows += from->rows;
    into->rows_without_lineage += from->rows_without_lineage;
    into->lineage_checksum += from->lineage_checksum;
    if (!add_exact(&into->row_id_sum, from->row_id_sum))
        return fail_digits("row_id_sum", err);
    if (!add_exact(&into->last_updated_sum, from->last_updated_sum))
        return fail_digits("last_updated_sum", err);
    if (!add_exact(&into->product_sum, from->product_sum))
        return fail_digits("product_sum", err);
    return RWL_OK;
}

bool rwl_digest_equal(const rwl_digest *a, const rwl_digest *b) {
    return a->rows == b->rows && a->rows_without_lineage == b->rows_without_lineage &&
           a->row_id_sum == b->row_id_sum && a->last_updated_sum == b->last_updated_sum &&
           a->product_sum == b->product_sum && a->lineage_checksum == b->lineage_checksum;
}

void rwl_digest_checksum_format(const rwl_digest *d, char out[RWL_DIGEST_CHECKSUM_LEN + 1]) {
    snprintf(out, RWL_DIGEST_CHECKSUM_LEN + 1, "%016" PRIx64, d->lineage_checksum);
}
