/* SPDX-License-Identifier: Apache-2.0 */
/* The field reader of file version 2.0: rounds of rows over a tree of columns. */
#include "lancefile/field20_internal.h"

/* Of a round: output bytes, and rows whatever they are. */
#define ROUND_BYTES ((int64_t)16 * 1024 * 1024)
#define ROUND_ROWS  ((int64_t)1 << 20)

static rwl_lance_field20 *field_of(rwl_lance_field_reader *reader) {
    return (rwl_lance_field20 *)(void *)reader;
}

/* --- rounds --- */

/* Sets the round to the next `rows` of the wanted rows, without taking them. */
static rwl_status choose_rows(rwl_lance_field20 *f, int64_t rows, rwl_error *err) {
    int64_t off = f->wanted_off;
    f->round.len = 0;
    f->round_rows = 0;
    for (size_t i = f->wanted_at; i < f->wanted.len && f->round_rows < rows; i++, off = 0) {
        rwl_range range = {f->wanted.items[i].start + off, f->wanted.items[i].count - off};
        if (range.count > rows - f->round_rows)
            range.count = rows - f->round_rows;
        if (range.count == 0)
            continue;
        RWL_TRY(rwl_vec_push(&f->round, f->env, range, err));
        f->round_rows += range.count;
    }
    return RWL_OK;
}

static void take_rows(rwl_lance_field20 *f) {
    int64_t left = f->round_rows;
    while (left > 0) {
        int64_t have = f->wanted.items[f->wanted_at].count - f->wanted_off;
        int64_t step = have < left ? have : left;
        left -= step;
        f->wanted_off += step;
        if (f->wanted_off == f->wanted.items[f->wanted_at].count) {
            f->wanted_at++;
            f->wanted_off = 0;
        }
    }
}

static rwl_status aim(rwl_lance_field20 *f, int64_t rows, int64_t limit, rwl_error *err) {
    rwl_lance_column20_reset(&f->root);
    RWL_TRY(choose_rows(f, rows, err));
    f->bytes = 0;
    f->limit = f->round_rows > 1 ? limit : INT64_MAX; /* a single row is as big as it is */
    f->is_aimed = true;
    return rwl_lance_column20_aim(&f->root, f->round.items, f->round.len, err);
}

/* Rows that are about so many bytes. */
static int64_t guess_rows(const rwl_lance_field20 *f, int64_t bytes) {
    double rows = (double)bytes / (f->row_bytes > 1 ? f->row_bytes : 1);
    return rows < 1 ? 1 : rows > (double)ROUND_ROWS ? ROUND_ROWS : (int64_t)rows;
}

static rwl_status aim_next(rwl_lance_field20 *f, int64_t limit, rwl_error *err) {
    return aim(f, guess_rows(f, limit), limit, err);
}

/* Measures the round, with fewer rows where it turns out to be more than `limit`. */
static rwl_status measure(rwl_lance_field20 *f, int64_t limit, rwl_error *err) {
    for (;;) {
        RWL_TRY(rwl_op_check(f->op, err));
        if (f->round_rows > 1 && f->limit > limit)
            f->limit = limit;
        if (f->bytes <= f->limit)
            RWL_TRY(rwl_lance_column20_measure(&f->root, err));
        if (f->bytes <= f->limit)
            return RWL_OK;
        double share = (double)f->limit / (double)f->bytes * 0.9; /* of what is known of its bytes */
        int64_t rows = (int64_t)((double)f->round_rows * (share < 0.5 ? share : 0.5));
        RWL_TRY(aim(f, rows < 1 ? 1 : rows, limit, err));
    }
}

/* --- the reader --- */

static rwl_status want_rows(rwl_lance_field_reader *reader, const rwl_range *rows, size_t count,
                            rwl_error *err) {
    rwl_lance_field20 *f = field_of(reader);
    int64_t end = 0;
    f->wanted.len = 0;
    f->wanted_at = 0;
    f->wanted_off = 0;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].start < end || rows[i].count < 0 || rows[i].start > f->row_count - rows[i].count)
            return rwl_fail(err, RWL_INTERNAL, "rows %lld + %lld of %lld wanted, behind %lld",
                            (long long)rows[i].start, (long long)rows[i].count, (long long)f->row_count,
                            (long long)end);
        end = rows[i].start + rows[i].count;
        if (rows[i].count > 0)
            RWL_TRY(rwl_vec_push(&f->wanted, f->env, rows[i], err));
    }
    return aim_next(f, ROUND_BYTES, err);
}

/* A map's node has the struct of entries below it, its column key and value. */
static rwl_status finish_texts(const rwl_env *env, const rwl_lance_node *node, rwl_column *column,
                               rwl_error *err) {
    if (node->form == RWL_LANCE_BYTES)
        return rwl_lance_finish_bytes(env, node, column, err);
    const rwl_lance_node *from =
        node->form == RWL_LANCE_MAP && node->child_count == 1 ? node->children : node;
    for (int32_t i = 0; column->children != NULL && i < from->child_count; i++)
        RWL_TRY(finish_texts(env, &from->children[i], &column->children[i], err));
    return RWL_OK;
}

static rwl_status read_rounds(rwl_lance_field20 *f, int64_t bytes_max, rwl_column *out, rwl_error *err) {
    int64_t done = 0;
    while (f->wanted_at < f->wanted.len) {
        int64_t left = bytes_max - done, limit = left < ROUND_BYTES ? left : ROUND_BYTES;
        if (out->length > 0 && left <= 0)
            break;
        if (!f->is_aimed)
            RWL_TRY(aim_next(f, limit, err));
        RWL_TRY(measure(f, limit, err));
        if (out->length > 0 && f->bytes > left)
            break;
        RWL_TRY(rwl_lance_column20_append(&f->root, out, err));
        done += f->bytes;
        take_rows(f);
        f->is_aimed = false;
    }
    return RWL_OK;
}

static rwl_status read_rows(rwl_lance_field_reader *reader, size_t bytes_max, rwl_column *out,
                            rwl_error *err) {
    rwl_lance_field20 *f = field_of(reader);
    bool fits;
    rwl_column_reset(out);
    rwl_status st = rwl_lance_charge_batch(&f->base.charge, 0, out, &fits, err);
    if (st == RWL_OK)
        st = read_rounds(f, bytes_max < INT64_MAX / 2 ? (int64_t)bytes_max : INT64_MAX / 2, out, err);
    if (st == RWL_OK)
        st = finish_texts(f->env, f->root.node, out, err);
    if (st != RWL_OK && f->root.source->file != NULL)
        st = rwl_error_path(err, st, f->root.source->file->location);
    rwl_lance_column20_reset(&f->root);
    f->is_aimed = false;
    f->base.stats = (rwl_lance_read_stats){0, 0, 0};
    rwl_lance_column20_stats(&f->root, &f->base.stats);
    return st;
}

static rwl_status fit_rows(rwl_lance_field_reader *reader, const rwl_range *rows, size_t count,
                           size_t bytes_max, int64_t *out, rwl_error *err) {
    rwl_lance_field20 *f = field_of(reader);
    double fit = (double)bytes_max / (f->row_bytes > 1 ? f->row_bytes : 1);
    int64_t all = rwl_lance_count_rows(rows, count);
    (void)err;
    *out = fit >= (double)all ? all : fit < 1 ? 1 : (int64_t)fit;
    return RWL_OK;
}

static void close_field(rwl_lance_field_reader *reader) {
    rwl_lance_field20 *f = field_of(reader);
    rwl_lance_column20_close(&f->root);
    rwl_lance_general_clear(&f->general);
    rwl_vec_clear(&f->wanted, f->env);
    rwl_vec_clear(&f->round, f->env);
    rwl_buf_clear(&f->validity);
    rwl_buf_clear(&f->values);
    rwl_buf_clear(&f->aligned);
    rwl_arena_clear(&f->arena);
    rwl_lance_charge_clear(&f->base.charge);
    rwl_free(f->env, f);
}

static const rwl_lance_field_vtable VTABLE = {
    .want = want_rows, .read = read_rows, .close = close_field, .fit = fit_rows};

rwl_status rwl_lance_field20_open(rwl_op *op, const rwl_lance_read_field *field, int64_t row_count,
                                  rwl_lance_field_reader **out, rwl_error *err) {
    rwl_lance_field20 *f = rwl_calloc(op->env, 1, sizeof *f);
    *out = NULL;
    if (f == NULL)
        return rwl_no_memory(err, sizeof *f);
    f->base.vtable = &VTABLE;
    f->op = f->base.charge.op = op;
    f->env = op->env;
    f->row_count = row_count;
    rwl_arena_init(&f->arena, op->env, 0);
    rwl_arena_charge(&f->arena, op);
    rwl_buf_init(&f->validity, op->env, SIZE_MAX);
    rwl_buf_init(&f->values, op->env, SIZE_MAX);
    rwl_buf_init(&f->aligned, op->env, SIZE_MAX);
    rwl_status st = rwl_lance_column20_open(&f->root, f, field->node, field->sources, row_count, 0, err);
    st = rwl_arena_refused(&f->arena, st, "what is known of pages", err);
    if (st != RWL_OK) {
        close_field(&f->base);
        return st;
    }
    f->row_bytes /= row_count > 0 ? (double)row_count : 1;
    *out = &f->base;
    return RWL_OK;
}
