/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a leaf's entries put into the slots of its column. */
#include "parquet/column_internal.h"
#include "parquet/entries_internal.h"

#include "column/bits.h"
#include "parquet/spread.h"

enum { PIECE = 4096, WORDS = PIECE / 64 + 1, TYPED_WIDTH_MAX = 16 };

/* Slots of a piece of entries, and which have a value. */
typedef struct piece {
    size_t slots, valid;
    uint64_t bits[WORDS + 1]; /* when valid < slots */
} piece;

rwl_status rwl_parquet_validity_append(rwl_column *out, const rwl_env *env, const uint64_t *bits,
                                       size_t slots, size_t valid, rwl_error *err) {
    int64_t rows = (int64_t)slots;
    if (valid < slots) {
        RWL_TRY(rwl_column_need_validity(out, env, out->length + rows, err));
        if (valid == 0)
            rwl_bits_fill(out->validity.data, out->length, rows, false);
        else
            rwl_bits_copy(out->validity.data, out->length, (const uint8_t *)bits, 0, rows);
        out->null_count += rows - (int64_t)valid;
    } else if (out->null_count > 0) { /* the bitmap may end with the piece that brought the first null */
        RWL_TRY(rwl_column_need_validity(out, env, out->length + rows, err));
        rwl_bits_fill(out->validity.data, out->length, rows, true);
    }
    return RWL_OK;
}

static void find_slots(const rwl_parquet_entries *e, size_t count, piece *p) {
    const uint8_t *definitions = e->definitions + e->used;
    int least = e->element_definition[e->max_repetition];
    p->valid = rwl_parquet_levels_count_from(definitions, count, e->max_definition);
    p->slots = rwl_parquet_levels_count_from(definitions, count, least);
    if (p->valid == p->slots)
        return;
    rwl_parquet_pick pick = {least, RWL_PARQUET_LEVEL_MAX - 1, e->max_definition};
    p->slots = rwl_parquet_levels_pick(definitions, NULL, count, &pick, p->bits, &p->valid);
}

/* --- fixed widths --- */

/* Of any width: each run of values by itself. */
static rwl_status decode_runs(rwl_parquet_entries *e, const piece *p, uint8_t *dst, rwl_error *err) {
    size_t width = e->column.layout.width;
    for (size_t i = 0; i < p->slots;) {
        bool is_set = rwl_bit_get((const uint8_t *)p->bits, (int64_t)i);
        size_t to = i + 1;
        while (to < p->slots && rwl_bit_get((const uint8_t *)p->bits, (int64_t)to) == is_set)
            to++;
        if (is_set)
            RWL_TRY(rwl_parquet_values_fixed(&e->column.values, dst + i * width, to - i, err));
        else
            memset(dst + i * width, 0, (to - i) * width);
        i = to;
    }
    return RWL_OK;
}

static rwl_status decode_fixed(rwl_parquet_entries *e, const piece *p, rwl_error *err) {
    size_t width = e->column.layout.width;
    uint8_t *dst = e->out->values.data + (size_t)e->out->length * width;
    if (p->valid == p->slots)
        return rwl_parquet_values_fixed(&e->column.values, dst, p->slots, err);
    if (p->valid == 0) {
        memset(dst, 0, p->slots * width);
        return RWL_OK;
    }
    if (width != 4 && width != 8 && width != 16)
        return decode_runs(e, p, dst, err);
    _Alignas(16) uint8_t dense[RWL_PARQUET_BLOCK * TYPED_WIDTH_MAX + RWL_SPREAD_SLACK];
    for (size_t i = 0; i < p->slots; i += RWL_PARQUET_BLOCK) {
        size_t n = p->slots - i < RWL_PARQUET_BLOCK ? p->slots - i : RWL_PARQUET_BLOCK;
        size_t valid = (size_t)rwl_bits_count((const uint8_t *)p->bits, (int64_t)i, (int64_t)n);
        RWL_TRY(rwl_parquet_values_fixed(&e->column.values, dense, valid, err));
        memset(dense + valid * width, 0, RWL_SPREAD_SLACK);
        rwl_spread(p->bits + i / 64, n, width, dense, dst + i * width);
    }
    return RWL_OK;
}

/* --- bits --- */

static rwl_status decode_bits(rwl_parquet_entries *e, const piece *p, rwl_error *err) {
    uint8_t *dst = e->out->values.data;
    int64_t at = e->out->length;
    if (p->valid == p->slots)
        return rwl_parquet_values_bits(&e->column.values, dst, at, p->slots, err);
    uint64_t dense[WORDS + RWL_SPREAD_SLACK / 8] = {0}, spread[WORDS] = {0};
    RWL_TRY(rwl_parquet_values_bits(&e->column.values, (uint8_t *)dense, 0, p->valid, err));
    rwl_spread_bits(p->bits, p->slots, (const uint8_t *)dense, spread);
    rwl_bits_copy(dst, at, (const uint8_t *)spread, 0, (int64_t)p->slots);
    return RWL_OK;
}

/* --- bytes --- */

/* The number of entries before the one that holds value `n` (from 0) of the piece. */
static size_t find_value(const rwl_parquet_entries *e, size_t count, size_t n) {
    const uint8_t *definitions = e->definitions + e->used;
    for (size_t i = 0; i < count; i++)
        if (definitions[i] == e->max_definition && n-- == 0)
            return i;
    return count;
}

/* As many entries as fit: *taken, and their slots in `p`. */
static rwl_status decode_bytes(rwl_parquet_entries *e, piece *p, size_t limit, size_t *taken,
                               rwl_error *err) {
    int32_t *offsets = (int32_t *)(void *)e->out->offsets.data + e->out->length;
    int32_t dense[RWL_PARQUET_BLOCK + 1], *ends = p->valid == p->slots ? offsets : dense;
    size_t done = 0;
    if (e->out->length == 0)
        offsets[0] = 0;
    dense[0] = offsets[0];
    if (p->valid > 0)
        RWL_TRY(rwl_parquet_values_bytes(&e->column.values, e->out, limit, p->valid, ends, &done, err));
    if (done < p->valid) {
        *taken = find_value(e, *taken, done);
        find_slots(e, *taken, p);
    }
    if (ends == offsets)
        return RWL_OK;
    size_t value = 0;
    for (size_t i = 0; i < p->slots; i++) {
        value += p->valid == p->slots ? 1 : (size_t)(p->bits[i / 64] >> (i % 64) & 1);
        offsets[i + 1] = dense[value];
    }
    return RWL_OK;
}

/* --- any --- */

rwl_status rwl_parquet_entries_decode(rwl_parquet_entries *e, size_t count, size_t limit, size_t *taken,
                                      rwl_error *err) {
    const rwl_env *env = e->column.shared->op->env;
    rwl_column *out = e->out;
    piece p;
    *taken = count;
    find_slots(e, count, &p);
    if (out->length + (int64_t)p.slots >= INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "more than 2^31 values in one batch");
    RWL_TRY(rwl_column_reserve(out, env, out->length + (int64_t)p.slots, out->bytes_len, err));
    if (p.slots == 0)
        return RWL_OK;
    rwl_parquet_convert convert = e->column.layout.convert;
    if (out->type.kind == RWL_TYPE_UNKNOWN) {
        p.valid = 0; /* whatever is stored */
    } else if (convert == RWL_PARQUET_TO_BYTES) {
        RWL_TRY(decode_bytes(e, &p, limit, taken, err));
    } else if (convert == RWL_PARQUET_TO_BITS) {
        RWL_TRY(decode_bits(e, &p, err));
    } else {
        RWL_TRY(decode_fixed(e, &p, err));
    }
    if (!e->required || out->type.kind == RWL_TYPE_UNKNOWN)
        RWL_TRY(rwl_parquet_validity_append(out, env, p.bits, p.slots, p.valid, err));
    out->length += (int64_t)p.slots;
    return RWL_OK;
}
