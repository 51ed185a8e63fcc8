/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of `rowline digest`. */
#include "lineage/digest.h"

#include "base/hash.h"
#include "lineage/walk.h"
#include "lineage/wide.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    SPARK_SEED = 42, /* of xxhash64() in Spark's SQL */
    WIDE_ROWS = 16   /* from so many on */
};

static rwl_status fail_digits(const char *figure, rwl_error *err) {
    return rwl_fail(err, RWL_UNSUPPORTED, "%s of the digest passes 38 digits", figure);
}

static bool add_exact(rwl_i128 *sum, rwl_i128 more) {
    return rwl_i128_add(*sum, more, sum) && rwl_i128_fits_digits(*sum, 38);
}

/* Adds the three sums of `more`, with the one check of their digits. */
static rwl_status add_sums(rwl_digest *d, const rwl_digest *more, rwl_error *err) {
    if (!add_exact(&d->row_id_sum, more->row_id_sum))
        return fail_digits("row_id_sum", err);
    if (!add_exact(&d->last_updated_sum, more->last_updated_sum))
        return fail_digits("last_updated_sum", err);
    if (!add_exact(&d->product_sum, more->product_sum))
        return fail_digits("product_sum", err);
    return RWL_OK;
}

/*
 * Rows with ids id, id + 1, … and one version. Fewer than 2^63 numbers below 2^63 sum to less than 2^126, so
 * only the products can overflow.
 */
static bool add_stretch(rwl_digest *d, const rwl_stretch *s) {
    rwl_i128 n = s->count, version = s->version.value, product;
    rwl_i128 ids = n * s->id.value + n * (n - 1) / 2;
    d->row_id_sum += ids;
    d->last_updated_sum += n * version;
    return !__builtin_mul_overflow(ids, version, &product) &&
           !__builtin_add_overflow(d->product_sum, product, &d->product_sum);
}

RWL_WIDE_BODY uint64_t sum_range(int64_t first, int64_t count, int64_t version) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += rwl_hash_xxh64_i64(version, rwl_hash_xxh64_i64(first + i, SPARK_SEED));
    return sum;
}

RWL_WIDE static uint64_t sum_range_wide(int64_t first, int64_t count, int64_t version) {
    return sum_range(first, count, version);
}

static uint64_t sum_hashes(const rwl_stretch *s) {
    if (s->count >= WIDE_ROWS && rwl_has_wide())
        return sum_range_wide(s->id.value, s->count, s->version.value);
    return sum_range(s->id.value, s->count, s->version.value);
}

rwl_status rwl_digest_add(rwl_digest *d, const rwl_runs *ids, const rwl_runs *versions, rwl_error *err) {
    rwl_digest batch;
    memset(&batch, 0, sizeof batch);
    rwl_walk walk;
    rwl_stretch s;
    rwl_walk_init(&walk, ids, versions, 0, ids->length);
    while (rwl_walk_next(&walk, &s)) {
        batch.rows += s.count;
        if (!s.id.present) {
            batch.rows_without_lineage += s.count;
            continue;
        }
        if (!s.version.present)
            return rwl_fail(err, RWL_INTERNAL, "law 5: row %" PRId64 " of a batch has an id and no version",
                            s.row);
        if (!add_stretch(&batch, &s))
            return fail_digits("product_sum", err);
        batch.lineage_checksum += sum_hashes(&s);
    }
    return rwl_digest_merge(d, &batch, err);
}

rwl_status rwl_digest_merge(rwl_digest *into, const rwl_digest *from, rwl_error *err) {
    into->rows += from->rows;
    into->rows_without_lineage += from->rows_without_lineage;
    into->lineage_checksum += from->lineage_checksum;
    return add_sums(into, from, err);
}

bool rwl_digest_equal(const rwl_digest *a, const rwl_digest *b) {
    return a->rows == b->rows && a->rows_without_lineage == b->rows_without_lineage &&
           a->row_id_sum == b->row_id_sum && a->last_updated_sum == b->last_updated_sum &&
           a->product_sum == b->product_sum && a->lineage_checksum == b->lineage_checksum;
}

void rwl_digest_checksum_format(const rwl_digest *d, char out[RWL_DIGEST_CHECKSUM_LEN + 1]) {
    snprintf(out, RWL_DIGEST_CHECKSUM_LEN + 1, "%016" PRIx64, d->lineage_checksum);
}
