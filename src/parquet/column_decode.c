/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of an open page into an Arrow column: levels become validity by runs, values spread over the nulls. */
#include "parquet/column_internal.h"

#include "column/bits.h"
#include "parquet/spread.h"

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

/*
 * The levels of the next rows: a long run alone, of any length up to `rows` and without its bits, else up to a
 * block of them.
 */
static rwl_status read_levels(rwl_parquet_column *c, int64_t rows, block *b, rwl_error *err) {
    uint64_t repeats;
    uint32_t value;
    RWL_TRY(rwl_rle_peek(&c->levels, &repeats, &value, err));
    if (repeats >= LONG_RUN && value <= 1) {
        b->rows = repeats < (uint64_t)rows ? (int64_t)repeats : rows;
        b->valid = value ? b->rows : 0;
        return rwl_rle_skip(&c->levels, (uint64_t)b->rows, err);
    }
    b->rows = rows < RWL_PARQUET_BLOCK ? rows : RWL_PARQUET_BLOCK;
    RWL_TRY(rwl_rle_read_bits(&c->levels, b->bits, (size_t)b->rows, err));
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

/* --- runs --- */

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
    uint8_t dense[RWL_PARQUET_BLOCK * TYPED_WIDTH_MAX + RWL_SPREAD_SLACK];
    const uint8_t *values = rwl_parquet_values_borrow(&c->values, (size_t)b->valid);
    if (!values) {
        memset(dense + (size_t)b->valid * width, 0, RWL_SPREAD_SLACK);
        RWL_TRY(rwl_parquet_values_fixed(&c->values, dense, (size_t)b->valid, err));
        values = dense;
    }
    rwl_spread(b->bits, (size_t)b->rows, width, values, dst);
    return RWL_OK;
}

/* --- bits --- */

static rwl_status decode_bits(rwl_parquet_column *c, const block *b, rwl_column *out, rwl_error *err) {
    uint8_t *dst = out->values.data;
    if (b->valid == b->rows)
        return rwl_parquet_values_bits(&c->values, dst, out->length, (size_t)b->rows, err);
    if (b->valid == 0) {
        rwl_bits_fill(dst, out->length, b->rows, false);
        return RWL_OK;
    }
    uint64_t dense[WORDS + RWL_SPREAD_SLACK / sizeof(uint64_t)] = {0}, spread[WORDS];
    RWL_TRY(rwl_parquet_values_bits(&c->values, (uint8_t *)dense, 0, (size_t)b->valid, err));
    rwl_spread_bits(b->bits, (size_t)b->rows, (const uint8_t *)dense, spread);
    rwl_bits_copy(dst, out->length, (const uint8_t *)spread, 0, b->rows);
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

/* Cuts the block down to the rows before the one whose value, the one behind `valid`, had no room; their levels are
 * taken again. */
static rwl_status cut_block(rwl_parquet_column *c, const rwl_rle *levels, size_t valid, block *b,
                            rwl_error *err) {
    int64_t rows = (int64_t)valid;
    if (b->valid < b->rows) {
        size_t seen = 0;
        for (rows = 0; seen + (size_t)(b->bits[rows / 64] >> (rows % 64) & 1) <= valid; rows++)
            seen += b->bits[rows / 64] >> (rows % 64) & 1;
    }
    b->rows = rows;
    b->valid = (int64_t)valid;
    c->levels = *levels;
    return c->has_levels ? rwl_rle_skip(&c->levels, (uint64_t)rows, err) : RWL_OK;
}

static rwl_status decode_bytes(rwl_parquet_column *c, const rwl_rle *levels, block *b, rwl_column *out,
                               bool *is_full, rwl_error *err) {
    int32_t *offsets = (int32_t *)(void *)out->offsets.data + out->length;
    int32_t spread[RWL_PARQUET_BLOCK + 1], *ends = b->valid == b->rows ? offsets : spread;
    size_t done, valid = (size_t)b->valid;
    if (valid == 0) {
        for (int64_t i = 0; i < b->rows; i++)
            offsets[i + 1] = offsets[0];
        return RWL_OK;
    }
    RWL_TRY(rwl_parquet_values_bytes(&c->values, out, c->shared->batch_bytes, valid, ends, &done, err));
    if (done == 0 && out->length == 0 &&
        out->bytes_len == 0) /* one passes the limit, rather than none ever being read */
        RWL_TRY(rwl_parquet_values_bytes(&c->values, out, RWL_COLUMN_BYTES_MAX - RWL_PARQUET_READ_SLACK, 1,
                                         ends, &done, err));
    *is_full = done < valid;
    if (*is_full)
        RWL_TRY(cut_block(c, levels, done, b, err));
    if (ends == spread)
        spread_ends(b, ends, offsets + 1);
    return RWL_OK;
}

/* --- blocks --- */

static rwl_status decode_block(rwl_parquet_column *c, const rwl_rle *levels, block *b, rwl_column *out,
                               bool *is_full, rwl_error *err) {
    switch (c->layout.convert) {
    case RWL_PARQUET_TO_BITS:
        return decode_bits(c, b, out, err);
    case RWL_PARQUET_TO_BYTES:
        return decode_bytes(c, levels, b, out, is_full, err);
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
    while (rows > 0 && !*is_full) {
        int64_t most = is_bytes && rows > RWL_PARQUET_BLOCK ? RWL_PARQUET_BLOCK : rows;
        rwl_rle levels = c->levels;
        RWL_TRY(next_block(c, most, &b, err));
        RWL_TRY(decode_block(c, &levels, &b, out, is_full, err));
        if (b.rows == 0)
            break;
        if (!c->leaf->field.required) /* without levels, too: other pages of the batch may have nulls */
            write_validity(&b, out);
        out->length += b.rows;
        rows -= b.rows;
    }
    return RWL_OK;
}
