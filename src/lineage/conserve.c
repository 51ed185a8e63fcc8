/* SPDX-License-Identifier: Apache-2.0 */
/* Order-free sums of row hashes, and what it means when two of them differ. */
#include "lineage/conserve.h"

#include "lineage/walk.h"
#include "lineage/wide.h"

#include <inttypes.h>

/* The finaliser of MurmurHash3: a bijection of 64 bits in which each input bit reaches all others. */
RWL_WIDE_BODY uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ (x >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ (x >> 33);
}

/* Fractional bits of pi: the first two start a row with an id, the next two one without. */
#define PI_0 UINT64_C(0x243f6a8885a308d3)
#define PI_1 UINT64_C(0x13198a2e03707344)
#define PI_2 UINT64_C(0xa4093822299f31d0)
#define PI_3 UINT64_C(0x082efa98ec4e6c89)

/* Two independent halves of a 128-bit hash. */
typedef struct row_hash {
    uint64_t lo, hi;
} row_hash;

static inline rwl_u128 to_u128(row_hash h) {
    return (rwl_u128)h.hi << 64 | h.lo;
}

RWL_WIDE_BODY row_hash mix_in(row_hash h, uint64_t lo, uint64_t hi) {
    row_hash out = {mix(h.lo + lo), mix(h.hi ^ hi)};
    return out;
}

RWL_WIDE_BODY row_hash hash_lineage(rwl_opt_i64 id, rwl_opt_i64 version) {
    row_hash h = {id.present ? PI_0 : PI_2, id.present ? PI_1 : PI_3};
    h = mix_in(h, (uint64_t)id.value, (uint64_t)id.value);
    /* an absent version has value 0, so its presence is mixed in apart */
    h = mix_in(h, (uint64_t)version.value, (uint64_t)version.value);
    return version.present ? h : mix_in(h, PI_2, PI_3);
}

/* The sum of the hashes of rows with ids first, first + 1, … and a version: halves of the lower word apart, so that
 * fewer than 2^32 of them fit into 64 bits. */
RWL_WIDE_BODY rwl_u128 sum_range(int64_t first, int64_t count, int64_t version) {
    uint64_t low = 0, middle = 0, high = 0;
    for (int64_t i = 0; i < count; i++) {
        row_hash h = hash_lineage((rwl_opt_i64){true, first + i}, (rwl_opt_i64){true, version});
        low += h.lo & UINT32_MAX;
        middle += h.lo >> 32;
        high += h.hi;
    }
    return ((rwl_u128)high << 64) + ((rwl_u128)middle << 32) + low;
}

RWL_WIDE static rwl_u128 sum_range_wide(int64_t first, int64_t count, int64_t version) {
    return sum_range(first, count, version);
}

/* Without values a row's hash is that of its lineage. */
static void add_lineage(rwl_conserve *side, const rwl_stretch *s) {
    enum { WIDE_ROWS = 16, PART_ROWS = 1 << 30 };
    bool is_wide = s->count >= WIDE_ROWS && rwl_has_wide();
    rwl_u128 sum = 0;
    for (int64_t at = 0; at < s->count && s->id.present && s->version.present; at += PART_ROWS) {
        int64_t rows = s->count - at < PART_ROWS ? s->count - at : PART_ROWS;
        sum += is_wide ? sum_range_wide(s->id.value + at, rows, s->version.value)
                       : sum_range(s->id.value + at, rows, s->version.value);
    }
    for (int64_t i = 0; i < s->count && s->id.present && !s->version.present; i++)
        sum += to_u128(hash_lineage((rwl_opt_i64){true, s->id.value + i}, s->version));
    if (!s->id.present)
        sum = (rwl_u128)(uint64_t)s->count * to_u128(hash_lineage((rwl_opt_i64){false, 0}, s->version));
    side->lineage_sum += sum;
    side->row_sum += sum;
}

static void add_stretch(rwl_conserve *side, const rwl_stretch *s, const rwl_u128 *values) {
    rwl_u128 lineage_sum = 0, value_sum = 0, row_sum = 0;
    for (int64_t i = 0; i < s->count; i++) {
        rwl_opt_i64 id = {s->id.present, s->id.present ? s->id.value + i : 0};
        row_hash h = hash_lineage(id, s->version);
        lineage_sum += to_u128(h);
        rwl_u128 v = values[s->row + i];
        value_sum += v;
        row_sum += to_u128(mix_in(h, (uint64_t)v, (uint64_t)(v >> 64)));
    }
    side->lineage_sum += lineage_sum;
    side->value_sum += value_sum;
    side->row_sum += row_sum;
}

void rwl_conserve_add(rwl_conserve *side, const rwl_runs *ids, const rwl_runs *versions,
                      const rwl_u128 *values) {
    rwl_walk walk;
    rwl_stretch s;
    rwl_walk_init(&walk, ids, versions, 0, ids->length);
    while (rwl_walk_next(&walk, &s)) {
        side->rows += s.count;
        if (!s.id.present)
            side->rows_without_lineage += s.count;
        if (values == NULL)
            add_lineage(side, &s);
        else
            add_stretch(side, &s, values);
    }
}

void rwl_conserve_merge(rwl_conserve *into, const rwl_conserve *from) {
    into->rows += from->rows;
    into->rows_without_lineage += from->rows_without_lineage;
    into->row_sum += from->row_sum;
    into->lineage_sum += from->lineage_sum;
    into->value_sum += from->value_sum;
}

rwl_status rwl_conserve_compare(const rwl_conserve *input, const rwl_conserve *output, rwl_error *err) {
    if (input->rows != output->rows)
        return rwl_fail(err, RWL_INTERNAL, "conservation: %" PRId64 " rows went in, %" PRId64 " came out",
                        input->rows, output->rows);
    if (input->rows_without_lineage != output->rows_without_lineage)
        return rwl_fail(err, RWL_INTERNAL,
                        "conservation: %" PRId64 " rows without lineage went in, %" PRId64 " came out",
                        input->rows_without_lineage, output->rows_without_lineage);
    bool lineage = input->lineage_sum == output->lineage_sum, values = input->value_sum == output->value_sum;
    if (!lineage && !values)
        return rwl_fail(err, RWL_INTERNAL, "conservation: rows were replaced by others");
    if (!lineage)
        return rwl_fail(err, RWL_INTERNAL, "conservation: row ids or versions changed (law 3)");
    if (!values)
        return rwl_fail(err, RWL_INTERNAL, "conservation: values of rows changed");
    if (input->row_sum != output->row_sum)
        return rwl_fail(err, RWL_INTERNAL, "conservation: row ids or versions moved to other rows (law 3)");
    return RWL_OK;
}
