/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a flat column, skipped and read across its pages. */
#include "parquet/column_internal.h"

/* How many of the next `rows` rows have values; their levels are passed. */
static rwl_status count_valid(rwl_parquet_column *c, int64_t rows, int64_t *valid, rwl_error *err) {
    *valid = rows;
    if (!c->has_levels)
        return RWL_OK;
    *valid = 0;
    while (rows > 0) {
        rwl_rle_run run;
        RWL_TRY(rwl_rle_take(&c->levels, (size_t)rows, &run, err));
        *valid += rwl_parquet_levels_count(&run);
        rows -= (int64_t)run.count;
    }
    return RWL_OK;
}

static rwl_status skip_rows(rwl_parquet_column *c, int64_t rows, rwl_error *err) {
    while (rows > 0) {
        int64_t valid, skipped;
        if (c->page_left == 0) {
            RWL_TRY(rwl_parquet_column_open(c, rows, &skipped, err));
            rows -= skipped;
            continue;
        }
        if (!c->carries && rows >= c->page_left) { /* the rest of the page goes unseen */
            rows -= c->page_left;
            c->page_left = 0;
            continue;
        }
        int64_t n = rows < c->page_left ? rows : c->page_left;
        RWL_TRY(count_valid(c, n, &valid, err));
        RWL_TRY(rwl_parquet_values_skip(&c->values, valid, err));
        c->page_left -= n;
        rows -= n;
    }
    return RWL_OK;
}

static rwl_status in_column(const rwl_parquet_column *c, rwl_status st, rwl_error *err) {
    return st == RWL_OK ? st : rwl_error_in(err, st, "column %s", c->leaf->field.name);
}

rwl_status rwl_parquet_column_skip(rwl_parquet_column *c, int64_t rows, rwl_error *err) {
    return in_column(c, skip_rows(c, rows, err), err);
}

/* The bytes to have room for: at the start of a batch as many as the last one had and a little more, so that few
 * batches have to grow. */
static size_t expect_bytes(const rwl_parquet_column *c, const rwl_column *out) {
    size_t likely = c->last_bytes + c->last_bytes / 32;
    return out->length == 0 && likely < c->shared->batch_bytes ? likely : out->bytes_len;
}

static rwl_status read_rows(rwl_parquet_column *c, rwl_column *out, int64_t rows, rwl_error *err) {
    const rwl_env *env = c->shared->op->env;
    RWL_TRY(rwl_column_reserve(out, env, out->length + rows, expect_bytes(c, out), err));
    if (!c->leaf->field.required)
        RWL_TRY(rwl_column_need_validity(out, env, out->length + rows, err));
    if (c->layout.convert == RWL_PARQUET_TO_BYTES && out->length == 0)
        memset(out->offsets.data, 0, sizeof(int32_t));
    while (rows > 0) {
        int64_t ignored, before = out->length;
        bool is_full = false;
        if (c->page_left == 0)
            RWL_TRY(rwl_parquet_column_open(c, 0, &ignored, err));
        RWL_TRY(rwl_parquet_column_decode(c, out, rows < c->page_left ? rows : c->page_left, &is_full, err));
        int64_t done = out->length - before;
        c->page_left -= done;
        rows -= done;
        if (is_full)
            break;
    }
    c->last_bytes = out->bytes_len;
    return RWL_OK;
}

rwl_status rwl_parquet_column_read(rwl_parquet_column *c, rwl_column *out, int64_t rows, rwl_error *err) {
    return in_column(c, read_rows(c, out, rows, err), err);
}
