/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of an open page into an Arrow column: levels become validity by runs, values spread over the nulls. */
#include "parquet/column_internal.h"

#include "column/bits.h"

enum {
    LONG_RUN = 256, /* rows of one level from which on a run is decoded by itself */
    WORDS = RWL_PARQUET_BLOCK / 64,
    TYPED_WIDTH_MAX = 16
};

/* Levels of a block of rows: one bit each, and how many are set. */
typedef struct block {
    int64_t rows, valid;
    uint64_t bits[WORDS + 2]; /* whole words are copied from and past it */
} block;

int64_t rwl_parquet_levels_count(const rwl_rle_run *run) {
    if (run->is_packed)
        return rwl_bits_count(run->packed, (int64_t)run->pos, (int64_t)run->count);
    return run->value ? (int64_t)run->count : 0;
}

/* --- levels --- */

static rwl_status check_level(const rwl_rle_run *run, rwl_error *err) {
    if (run->is_packed || run->value <= 1)
        return RWL_OK;
    return rwl_fail(err, RWL_CORRUPT, "level %u of at most 1", run->value);
}

/*
 * The levels of the next rows: a long run alone, of any length up to `rows` and without its bits, else up to a
 * block of them from as many runs as it takes.
 */
static rwl_status read_levels(rwl_parquet_column *c, int64_t rows, block *b, rwl_error *err) {
    b->rows = b->valid = 0;
    int64_t most = rows < RWL_PARQUET_BLOCK ? rows : RWL_PARQUET_BLOCK;
    while (b->rows < most) {
        rwl_rle before = c->levels;
        rwl_rle_run run;
        RWL_TRY(rwl_rle_take(&c->levels, (size_t)(rows - b->rows), &run, err));
        RWL_TRY(check_level(&run, err));
        bool is_long = !run.is_packed && run.count >= LONG_RUN;
        if (!is_long && b->rows == 0)
            memset(b->bits, 0, sizeof b->bits);
        if (is_long && b->rows > 0) {
            c->levels = before;
            break;
        }
        if (is_long) {
            b->rows = (int64_t)run.count;
            b->valid = run.value ? b->rows : 0;
            return RWL_OK;
        }
        if ((int64_t)run.count > most - b->rows) {
            c->levels = before;
            RWL_TRY(rwl_rle_take(&c->levels, (size_t)(most - b->rows), &run, err));
        }
        if (run.is_packed)
            rwl_bits_copy((uint8_t *)b->bits, b->rows, run.packed, (int64_t)run.pos, (int64_t)run.count);
        else
            rwl_bits_fill((uint8_t *)b->bits, b->rows, (int64_t)run.count, run.value == 1);
        b->rows += (int64_t)run.count;
    }
    b->valid = rwl_bits_count((const uint8_t *)b->bits, 0, b->rows);
    return RWL_OK;
}

/* Writes the block's validity behind the rows of `out`. */
static void write_validity(const block *b, rwl_column *out) {
    if (b->valid == b->rows || b->valid == 0)
        rwl_bits_fill(out->validity.data, out->length, b->rows, b->valid > 0);
    else
        rwl_bits_copy(out->validity.data, out->length, (const uint8_t *)b->bits, 0, b->rows);
    out->null_count += b->rows - b->valid;
}

/* --- spreading --- */

/* Full and empty words are copied and cleared whole; in others each row takes the next value, or zero, without a
 * branch. `src` may be read one value past the last. */
#define SPREAD(name, type)                                                                                   \
    static void spread_##name(const block *b, const uint8_t *src, uint8_t *dst) {                            \
        for (int64_t row = 0; row < b->rows; row += 64, dst += 64 * sizeof(type)) {                          \
            size_t n = b->rows - row < 64 ? (size_t)(b->rows - row) : 64;                                    \
            uint64_t all = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;                                    \
            uint64_t bits = b->bits[row / 64] & all;                                                         \
            if (bits == all) {                                                                               \
                memcpy(dst, src, n * sizeof(type));                                                          \
                src += n * sizeof(type);                                                                     \
                continue;                                                                                    \
            }                                                                                                \
            if (bits == 0) {                                                                                 \
                memset(dst, 0, n * sizeof(type));                                                            \
                continue;                                                                                    \
            }                                                                                                \
            for (size_t i = 0; i < n; i++) {                                                                 \
                type v, bit = (type)(bits >> i & 1);                                                         \
                memcpy(&v, src, sizeof v);                                                                   \
                v &= (type)(0 - bit);                                                                        \
                memcpy(dst + i * sizeof v, &v, sizeof v);                                                    \
                src += (size_t)bit * sizeof v;                                                               \
            }                                                                                                \
        }                                                                                                    \
    }
SPREAD(4, uint32_t)
SPREAD(8, uint64_t)
SPREAD(16, rwl_u128)

/* The next run of equal bits from *row on: its length, and whether they are set. */
static int64_t next_run(const block *b, int64_t row, bool *is_set) {
    int64_t start = row;
    *is_set = rwl_bit_get((const uint8_t *)b->bits, row);
    while (row < b->rows) {
        uint64_t word = b->bits[row / 64] >> (row % 64);
        if (*is_set)
            word = ~word;
        int64_t left = 64 - row % 64;
        int64_t run = word ? __builtin_ctzll(word) : 64;
        if (run < left) {
            row += run;
            break;
        }
        row += left;
    }
    return (row < b->rows ? row : b->rows) - start;
}

/* --- fixed widths --- */

static rwl_status decode_fixed_runs(rwl_parquet_column *c, const block *b, uint8_t *dst, rwl_error *err) {
    size_t width = c->layout.width;
    for (int64_t row = 0; row < b->rows;) {
        bool is_set;
        int64_t n = next_run(b, row, &is_set);
        if (is_set)
            RWL_TRY(rwl_parquet_values_fixed(&c->values, dst, (size_t)n, err));
        else
            memset(dst, 0, (size_t)n * width);
        dst += (size_t)n * width;
        row += n;
    }
    return RWL_OK;
}

static rwl_status decode_fixed(rwl_parquet_column *c, const block *b, rwl_column *out, rwl_error *err) {
    size_t width = c->layout.width;
    uint8_t *dst = out->values.data + (size_t)out->length * width;
    if (b->valid == b->rows)
        return rwl_parquet_values_fixed(&c->values, dst, (size_t)b->rows, err);
    if (b->valid == 0) {
        memset(dst, 0, (size_t)b->rows * width);
        return RWL_OK;
    }
    if (width != 4 && width != 8 && width != 16)
        return decode_fixed_runs(c, b, dst, err);
    _Alignas(16) uint8_t dense[(RWL_PARQUET_BLOCK + 1) * TYPED_WIDTH_MAX];
    memset(dense + (size_t)b->valid * width, 0, width);
    RWL_TRY(rwl_parquet_values_fixed(&c->values, dense, (size_t)b->valid, err));
    if (width == 4)
        spread_4(b, dense, dst);
    else if (width == 8)
        spread_8(b, dense, dst);
    else
        spread_16(b, dense, dst);
    return RWL_OK;
}

/* --- bits --- */

static rwl_status decode_bits(rwl_parquet_column *c, const block *b, rwl_column *out, rwl_error *err) {
    uint8_t *dst = out->values.data;
    if (b->valid == b->rows)
        return rwl_parquet_values_bits(&c->values, dst, out->length, (size_t)b->rows, err);
    rwl_bits_fill(dst, out->length, b->rows, false);
    for (int64_t row = 0; b->valid > 0 && row < b->rows;) {
        bool is_set;
        int64_t n = next_run(b, row, &is_set);
        if (is_set)
            RWL_TRY(rwl_parquet_values_bits(&c->values, dst, out->length + row, (size_t)n, err));
        row += n;
    }
    return RWL_OK;
}

/* --- bytes --- */

/* A null ends where the row before it does. */
static void spread_ends(const block *b, const int32_t *ends, int32_t *offsets) {
    size_t k = 0;
    for (int64_t row = 0; row < b->rows; row++) {
        k += b->bits[row / 64] >> (row % 64) & 1;
        offsets[row] = ends[k];
    }
}

static rwl_status decode_bytes(rwl_parquet_column *c, const block *b, rwl_column *out, bool *is_full,
                               rwl_error *err) {
    int32_t *offsets = (int32_t *)(void *)out->offsets.data + out->length;
    const rwl_env *env = c->shared->op->env;
    /* one value passes the limit of a batch, rather than none ever being read */
    size_t limit = out->length == 0 && b->rows == 1 ? RWL_COLUMN_BYTES_MAX - RWL_PARQUET_READ_SLACK
                                                    : c->shared->batch_bytes;
    if (b->valid == b->rows)
        return rwl_parquet_values_bytes(&c->values, env, out, limit, (size_t)b->rows, offsets, is_full, err);
    if (b->valid == 0) {
        for (int64_t i = 0; i < b->rows; i++)
            offsets[i + 1] = offsets[0];
        return RWL_OK;
    }
    int32_t ends[RWL_PARQUET_BLOCK + 1];
    RWL_TRY(rwl_parquet_values_bytes(&c->values, env, out, limit, (size_t)b->valid, ends, is_full, err));
    if (!*is_full)
        spread_ends(b, ends, offsets + 1);
    return RWL_OK;
}

/* --- blocks --- */

static rwl_status decode_block(rwl_parquet_column *c, const block *b, rwl_column *out, bool *is_full,
                               rwl_error *err) {
    switch (c->layout.convert) {
    case RWL_PARQUET_TO_BITS:
        return decode_bits(c, b, out, err);
    case RWL_PARQUET_TO_BYTES:
        return decode_bytes(c, b, out, is_full, err);
    default:
        return decode_fixed(c, b, out, err);
    }
}

static rwl_status next_block(rwl_parquet_column *c, int64_t rows, block *b, rwl_error *err) {
    if (c->has_levels)
        return read_levels(c, rows, b, err);
    b->rows = b->valid = rows;
    return RWL_OK;
}

rwl_status rwl_parquet_column_decode(rwl_parquet_column *c, rwl_column *out, int64_t rows, bool *is_full,
                                     rwl_error *err) {
    bool is_bytes = c->layout.convert == RWL_PARQUET_TO_BYTES;
    block b;
    while (rows > 0) {
        int64_t most = is_bytes && rows > RWL_PARQUET_BLOCK ? RWL_PARQUET_BLOCK : rows;
        rwl_parquet_values values = c->values;
        rwl_rle levels = c->levels;
        RWL_TRY(next_block(c, most, &b, err));
        RWL_TRY(decode_block(c, &b, out, is_full, err));
        while (*is_full && b.rows > 1) { /* as many rows as still fit: by halves, seldom */
            c->values = values;
            c->levels = levels;
            RWL_TRY(next_block(c, b.rows / 2, &b, err));
            *is_full = false;
            RWL_TRY(decode_block(c, &b, out, is_full, err));
        }
        if (*is_full) {
            c->values = values;
            c->levels = levels;
            return RWL_OK;
        }
        if (!c->leaf->field.required) /* without levels, too: other pages of the batch may have nulls */
            write_validity(&b, out);
        out->length += b.rows;
        rows -= b.rows;
    }
    return RWL_OK;
}
