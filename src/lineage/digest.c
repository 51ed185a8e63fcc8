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
    WIDE_ROWS = 16,  /* from so many on */
    GATHERED = 256   /* rows of shorter stretches, hashed together */
};

typedef struct gathered {
    int64_t ids[GATHERED], versions[GATHERED];
    size_t count;
} gathered;

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
    rwl_i128 ids = n * s->id.value + n * (s->count - 1) / 2;
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

RWL_WIDE_BODY uint64_t sum_pairs(const gathered *g) {
    uint64_t sum = 0;
    for (size_t i = 0; i < g->count; i++)
        sum += rwl_hash_xxh64_i64(g->versions[i], rwl_hash_xxh64_i64(g->ids[i], SPARK_SEED));
    return sum;
}

RWL_WIDE static uint64_t sum_pairs_wide(const gathered *g) {
    return sum_pairs(g);
}

/* The hashes of the rows gathered so far, which are then none. */
static uint64_t sum_gathered(gathered *g, bool wide) {
    uint64_t sum = wide ? sum_pairs_wide(g) : sum_pairs(g);
    g->count = 0;
    return sum;
}

/* The hashes of a stretch, or of those gathered before, to which a short one is added. */
static uint64_t sum_hashes(const rwl_stretch *s, gathered *g, bool wide) {
    if (s->count >= WIDE_ROWS)
        return (wide ? sum_range_wide : sum_range)(s->id.value, s->count, s->version.value);
    uint64_t sum = g->count + WIDE_ROWS > GATHERED ? sum_gathered(g, wide) : 0;
    for (int64_t i = 0; i < s->count; i++) {
        g->ids[g->count] = s->id.value + i;
        g->versions[g->count++] = s->version.value;
    }
    return sum;
}

RWL_WIDE_BODY uint64_t sum_values(const int64_t *ids, int64_t count, int64_t version) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += rwl_hash_xxh64_i64(version, rwl_hash_xxh64_i64(ids[i], SPARK_SEED));
    return sum;
}

RWL_WIDE static uint64_t sum_values_wide(const int64_t *ids, int64_t count, int64_t version) {
    return sum_values(ids, count, version);
}

/* Ids one by one under one version, the rows of one update: no stretch has more than a row. */
static bool is_scattered(const rwl_runs *ids, const rwl_runs *versions) {
    return ids->dense && ids->null_count == 0 && !versions->dense && versions->run_count == 1 &&
           versions->null_count == 0 && versions->length == ids->length;
}

static rwl_status add_scattered(rwl_digest *d, const rwl_runs *ids, int64_t version, rwl_error *err) {
    const int64_t *values = rwl_column_i64(&ids->column);
    for (int64_t i = 0; i < ids->length; i++)
        d->row_id_sum += values[i];
    d->rows = ids->length;
    d->last_updated_sum = (rwl_i128)ids->length * version;
    if (__builtin_mul_overflow(d->row_id_sum, (rwl_i128)version, &d->product_sum))
        return fail_digits("product_sum", err);
    d->lineage_checksum = (rwl_has_wide() ? sum_values_wide : sum_values)(values, ids->length, version);
    return RWL_OK;
}

static rwl_status add_stretches(rwl_digest *d, const rwl_runs *ids, const rwl_runs *versions,
                                rwl_error *err) {
    rwl_walk walk;
    rwl_stretch s;
    gathered short_ones;
    short_ones.count = 0;
    bool wide = rwl_has_wide();
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
        if (!add_stretch(d, &s))
            return fail_digits("product_sum", err);
        d->lineage_checksum += sum_hashes(&s, &short_ones, wide);
    }
    d->lineage_checksum += sum_gathered(&short_ones, wide);
    return RWL_OK;
}

rwl_status rwl_digest_add(rwl_digest *d, const rwl_runs *ids, const rwl_runs *versions, rwl_error *err) {
    rwl_digest batch;
    memset(&batch, 0, sizeof batch);
    if (is_scattered(ids, versions))
        RWL_TRY(add_scattered(&batch, ids, versions->runs[0].start, err));
    else
        RWL_TRY(add_stretches(&batch, ids, versions, err));
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
