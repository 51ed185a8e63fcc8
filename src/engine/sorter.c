/* SPDX-License-Identifier: Apache-2.0 */
/* Rows to sorted chunks, chunks to runs, and the merged rows given. */
#include "engine/sorter_internal.h"

enum {
    BLOCK_TO_COLUMNS = 8, /* a block has so many times the bytes that columns take without values */
    /* Rows of a chunk must come to some bytes each, or what ordering takes would not be small beside them. */
    CHUNK_ROW_LEAST = 64
};

/* --- life --- */

static rwl_status set_up(rwl_sorter *s, const rwl_sort_order *order, rwl_error *err) {
    s->fields =
        rwl_arena_array(&s->arena, (size_t)s->given_count + RWL_SORTER_LINEAGE_COLUMNS, sizeof *s->fields);
    s->incoming.columns =
        rwl_arena_array(&s->arena, (size_t)s->given_count + RWL_SORTER_LINEAGE_COLUMNS, sizeof(rwl_column));
    if (s->fields == NULL || s->incoming.columns == NULL)
        return rwl_no_memory(err, (size_t)s->given_count * sizeof(rwl_column));
    for (int32_t i = 0; i < s->given_count; i++)
        s->fields[i] = s->given[i];
    for (int32_t i = 0; i < RWL_SORTER_LINEAGE_COLUMNS; i++)
        s->fields[s->given_count + i] = (rwl_field){.id = -1, .type = rwl_type_of(RWL_TYPE_LONG)};
    return rwl_sorter_key_init(&s->key, &s->arena, s->op->env, s->given, s->given_count, order, err);
}

rwl_status rwl_sorter_new(rwl_op *op, const rwl_field *fields, int32_t field_count,
                          const rwl_sort_order *order, const rwl_sorter_options *options, rwl_sorter **out,
                          rwl_error *err) {
    rwl_sorter *s = rwl_calloc(op->env, 1, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    s->op = op;
    s->given = fields;
    s->given_count = field_count;
    s->options = *options;
    if (s->options.memory == 0)
        s->options.memory = RWL_SORTER_NO_LIMIT;
    else if (s->options.memory > 2 * RWL_SPILL_BUFFER)
        s->options.memory -= 2 * RWL_SPILL_BUFFER; /* a merge pass has two files */
    int64_t memory = s->options.memory;
    if (s->options.batch_bytes == 0)
        s->options.batch_bytes = rwl_sorter_batch_size(memory);
    s->chunk_bytes = rwl_sorter_chunk_size(memory);
    s->chunk_rows = rwl_sorter_clamp(s->chunk_bytes / CHUNK_ROW_LEAST, 1, RWL_SORTER_CHUNK_ROWS);
    s->row_bytes =
        rwl_sorter_row_bytes(fields, field_count) - RWL_SORTER_LINEAGE_COLUMNS * (int64_t)sizeof(int64_t);
    s->row_bytes = s->row_bytes > 0 ? s->row_bytes : 1;
    rwl_arena_init(&s->arena, op->env, 0);
    rwl_type number = rwl_type_of(RWL_TYPE_LONG);
    rwl_column_init_flat(&s->ids, &number);
    rwl_column_init_flat(&s->versions, &number);
    rwl_status st = set_up(s, order, err);
    if (st != RWL_OK) {
        rwl_sorter_free(s);
        return st;
    }
    *out = s;
    return RWL_OK;
}

static void clear_runs(rwl_sorter *s) {
    for (size_t i = 0; i < s->runs.len; i++)
        rwl_sorter_run_clear(&s->runs.items[i], s->op->env);
    s->runs.len = s->first_in_memory = 0;
    s->block_memory = 0;
    rwl_sorter_mark_clear(&s->last);
}

/* What collecting takes; merging does without. */
static void clear_collecting(rwl_sorter *s) {
    const rwl_env *env = s->op->env;
    if (s->pending.env != NULL)
        rwl_batch_clear(&s->pending);
    memset(&s->pending, 0, sizeof s->pending);
    rwl_column_clear(&s->ids, env);
    rwl_column_clear(&s->versions, env);
    rwl_sorter_keys_clear(&s->keys, env);
    rwl_vec_clear(&s->order, env);
}

void rwl_sorter_reset(rwl_sorter *s) {
    rwl_sorter_merge_close(s->merge);
    s->merge = NULL;
    clear_runs(s);
    clear_collecting(s);
    rwl_sorter_mark_clear(&s->bound);
    rwl_spill_free(s->spill);
    s->spill = NULL;
    if (s->out.env != NULL)
        rwl_batch_clear(&s->out);
    memset(&s->out, 0, sizeof s->out);
    s->open = false;
    s->rows = s->given_rows = s->spilled = 0;
    rwl_op_release(s->op, s->reserved);
    s->reserved = 0;
}

void rwl_sorter_free(rwl_sorter *s) {
    if (s == NULL)
        return;
    rwl_sorter_reset(s);
    rwl_sorter_key_clear(&s->key);
    rwl_vec_clear(&s->runs, s->op->env);
    rwl_arena_clear(&s->arena);
    rwl_free(s->op->env, s);
}

int64_t rwl_sorter_rows(const rwl_sorter *s) {
    return s->rows;
}

int64_t rwl_sorter_bytes(const rwl_sorter *s) {
    return s->reserved;
}

int64_t rwl_sorter_spilled(const rwl_sorter *s) {
    return s->spilled + (s->spill != NULL ? rwl_spill_size(s->spill) : 0);
}

/* --- chunks --- */

/* Rows of `chunk` from `first` on that make a block, in their new order. */
static int64_t count_block(const rwl_sorter *s, const rwl_batch *chunk, int64_t first, int64_t count,
                           int64_t row_most) {
    if (count - first < RWL_SORTER_BLOCK_ROWS ? (count - first) * row_most <= s->block_bytes
                                              : RWL_SORTER_BLOCK_ROWS * row_most <= s->block_bytes)
        return count - first < RWL_SORTER_BLOCK_ROWS ? count - first : RWL_SORTER_BLOCK_ROWS;
    int64_t rows = 0, bytes = 0;
    while (first + rows < count && rows < RWL_SORTER_BLOCK_ROWS) {
        bytes += rwl_sorter_measure(chunk, s->order.items[first + rows], 1);
        if (rows > 0 && bytes > s->block_bytes)
            break;
        rows++;
    }
    return rows;
}

static rwl_status make_block(rwl_sorter *s, const rwl_batch *chunk, const int32_t *rows, int64_t count,
                             rwl_batch *block, rwl_error *err) {
    rwl_status st = rwl_batch_init(block, s->op->env, s->fields, s->field_count, err);
    if (st == RWL_OK)
        st = rwl_batch_take(chunk, rows, count, block, err);
    if (st != RWL_OK)
        rwl_batch_clear(block);
    return st;
}

static rwl_status make_blocks(rwl_sorter *s, const rwl_batch *chunk, int64_t count, rwl_error *err) {
    int64_t row_most = rwl_sorter_row_most(chunk);
    for (int64_t at = 0; at < count;) {
        int64_t rows = count_block(s, chunk, at, count, row_most);
        rwl_batch block;
        RWL_TRY(make_block(s, chunk, s->order.items + at, rows, &block, err));
        RWL_TRY(rwl_sorter_push_block(s, &s->runs.items[s->runs.len - 1], &block, err));
        at += rows;
    }
    return RWL_OK;
}

/* The run that the rows from this key on belong to: the last one when it ends before, else a new one. */
static rwl_status open_run(rwl_sorter *s, int64_t first_row, rwl_error *err) {
    if (s->runs.len > 0 && s->last.set &&
        rwl_sort_keys_compare(&s->last.view, 0, &s->keys.view, first_row) <= 0)
        return RWL_OK;
    rwl_sorter_run run;
    memset(&run, 0, sizeof run);
    return rwl_vec_push(&s->runs, s->op->env, run, err);
}

/* How many of the sorted rows are wanted: with a limit, rows that come behind so many others are not. */
static int64_t cut_to_limit(const rwl_sorter *s, int64_t count) {
    if (s->options.limit == 0)
        return count;
    int64_t wanted = count < s->options.limit ? count : s->options.limit;
    while (wanted > 0 && s->bound.set &&
           rwl_sort_keys_compare(&s->keys.view, s->order.items[wanted - 1], &s->bound.view, 0) >= 0)
        wanted--;
    return wanted;
}

static rwl_status sort_rows(rwl_sorter *s, const rwl_batch *chunk, rwl_error *err) {
    RWL_TRY(rwl_op_check(s->op, err));
    RWL_TRY(rwl_sorter_keys_make(&s->key, chunk, &s->keys, err));
    s->order.len = 0;
    RWL_TRY(rwl_vec_reserve(&s->order, s->op->env, (size_t)chunk->length, err));
    RWL_TRY(
        rwl_sorter_make_room(s, chunk->length * RWL_SORT_ROW_BYTES + rwl_sorter_collecting_bytes(s), err));
    RWL_TRY(rwl_sorter_account(s, chunk->length * RWL_SORT_ROW_BYTES, err));
    return rwl_sort_keys_order(s->op->env, &s->keys.view, chunk->length, s->order.items, err);
}

static rwl_status sort_chunk(rwl_sorter *s, const rwl_batch *chunk, rwl_error *err) {
    if (chunk->length == 0)
        return RWL_OK;
    RWL_TRY(sort_rows(s, chunk, err));
    int64_t count = cut_to_limit(s, chunk->length);
    if (count == 0)
        return rwl_sorter_account(s, 0, err);
    /* the blocks take what the chunk does */
    int64_t bytes = rwl_sorter_measure(chunk, 0, chunk->length);
    RWL_TRY(rwl_sorter_make_room(s, bytes + bytes / BLOCK_TO_COLUMNS + rwl_sorter_collecting_bytes(s), err));
    RWL_TRY(open_run(s, s->order.items[0], err));
    RWL_TRY(make_blocks(s, chunk, count, err));
    RWL_TRY(rwl_sorter_mark_set(&s->last, s->op->env, &s->keys, s->order.items[count - 1], err));
    if (count == s->options.limit)
        RWL_TRY(rwl_sorter_mark_set(&s->bound, s->op->env, &s->keys, s->order.items[count - 1], err));
    RWL_TRY(rwl_sorter_account(s, 0, err));
    return rwl_sorter_compact(s, err);
}

/* --- adding --- */

static rwl_status open_rows(rwl_sorter *s, bool with_lineage, rwl_error *err) {
    s->field_count = s->given_count + (with_lineage ? RWL_SORTER_LINEAGE_COLUMNS : 0);
    s->open = true;
    RWL_TRY(rwl_batch_init(&s->pending, s->op->env, s->fields, s->field_count, err));
    s->block_bytes = rwl_sorter_block_size(s->options.memory);
    int64_t least = rwl_sorter_block_bytes(&s->pending) * BLOCK_TO_COLUMNS;
    s->block_bytes = rwl_sorter_clamp(least, s->block_bytes,
                                      s->block_bytes > s->chunk_bytes ? s->block_bytes : s->chunk_bytes);
    return rwl_batch_init(&s->out, s->op->env, s->fields, s->field_count, err);
}

static rwl_status borrow_rows(rwl_sorter *s, const rwl_batch *batch, const rwl_runs *ids,
                              const rwl_runs *versions, rwl_error *err) {
    rwl_batch *in = &s->incoming;
    in->env = s->op->env;
    in->length = batch->length;
    in->column_count = s->field_count;
    for (int32_t i = 0; i < s->given_count; i++)
        in->columns[i] = batch->columns[i];
    if (ids == NULL)
        return RWL_OK;
    RWL_TRY(rwl_runs_to_column(ids, &s->ids, err));
    RWL_TRY(rwl_runs_to_column(versions, &s->versions, err));
    in->columns[s->given_count] = s->ids;
    in->columns[s->given_count + 1] = s->versions;
    return RWL_OK;
}

/* As many rows as the chunk has room for, at least one. */
static int64_t count_part(const rwl_sorter *s, int64_t first) {
    int64_t count = s->incoming.length - first;
    if (count > s->chunk_rows - s->pending.length)
        count = s->chunk_rows - s->pending.length;
    int64_t room = s->chunk_bytes - rwl_sorter_measure(&s->pending, 0, s->pending.length);
    while (count > 1 && rwl_sorter_measure(&s->incoming, first, count) > room)
        count /= 2;
    return count;
}

static bool is_full(const rwl_sorter *s) {
    return s->pending.length == s->chunk_rows ||
           rwl_sorter_measure(&s->pending, 0, s->pending.length) >= s->chunk_bytes / 4 * 3;
}

rwl_status rwl_sorter_add(rwl_sorter *s, const rwl_batch *batch, const rwl_runs *ids,
                          const rwl_runs *versions, rwl_error *err) {
    if (!s->open)
        RWL_TRY(open_rows(s, ids != NULL, err));
    RWL_TRY(borrow_rows(s, batch, ids, versions, err));
    s->rows += batch->length;
    bool is_chunk = s->pending.length == 0 && batch->length <= s->chunk_rows &&
                    batch->length >= s->chunk_rows / 2 &&
                    rwl_sorter_measure(&s->incoming, 0, batch->length) <= s->chunk_bytes;
    if (is_chunk) /* without copying it first */
        return sort_chunk(s, &s->incoming, err);
    for (int64_t at = 0; at < batch->length;) {
        rwl_range part = {at, count_part(s, at)};
        RWL_TRY(rwl_batch_take_ranges(&s->incoming, &part, 1, &s->pending, err));
        at += part.count;
        if (is_full(s)) {
            RWL_TRY(sort_chunk(s, &s->pending, err));
            rwl_batch_reset(&s->pending);
        }
    }
    return rwl_sorter_account(s, 0, err);
}

/* --- finishing --- */

rwl_status rwl_sorter_finish(rwl_sorter *s, rwl_error *err) {
    if (!s->open)
        return RWL_OK;
    RWL_TRY(sort_chunk(s, &s->pending, err));
    clear_collecting(s);
    if (s->options.memory < RWL_SORTER_NO_LIMIT)
        RWL_TRY(rwl_sorter_fit_memory(s, err));
    RWL_TRY(rwl_sorter_merge_open(s->op, s->fields, s->field_count, &s->key, s->runs.items, s->runs.len,
                                  s->spill, s->options.batch_bytes, &s->merge, err));
    return rwl_sorter_account(s, 0, err);
}

/* --- giving --- */

/* Each value is the one before and `step`; unsigned, since ids may be any. */
static bool is_one_run(const rwl_column *c, int64_t step) {
    const int64_t *v = rwl_column_i64(c);
    for (int64_t i = 1; i < c->length; i++)
        if ((uint64_t)v[i] != (uint64_t)v[i - 1] + (uint64_t)step || v[i] < v[i - 1])
            return false;
    return true;
}

/* One run where it is one, else the column's own buffers. */
static rwl_status to_runs(rwl_column *from, rwl_runs *to, rwl_error *err) {
    rwl_runs_reset(to);
    if (from->length == 0)
        return RWL_OK;
    if (from->null_count == from->length)
        return rwl_runs_append_null(to, from->length, err);
    if (from->null_count == 0 && is_one_run(from, to->step))
        return rwl_runs_append(to, rwl_column_i64(from)[0], from->length, err);
    rwl_column_swap(&to->column, from);
    to->dense = true;
    to->length = to->column.length;
    to->null_count = to->column.null_count;
    return RWL_OK;
}

rwl_status rwl_sorter_next(rwl_sorter *s, int64_t max_rows, rwl_batch *batch, rwl_runs *ids,
                           rwl_runs *versions, rwl_error *err) {
    rwl_batch_reset(batch);
    if (ids != NULL) {
        rwl_runs_reset(ids);
        rwl_runs_reset(versions);
    }
    if (s->merge == NULL) /* no rows were added */
        return rwl_op_check(s->op, err);
    if (s->options.limit > 0 && max_rows > s->options.limit - s->given_rows)
        max_rows = s->options.limit - s->given_rows;
    if (max_rows > s->options.batch_bytes / s->row_bytes) /* more do not fit in any case */
        max_rows = s->options.batch_bytes / s->row_bytes + 1;
    rwl_batch_reset(&s->out);
    if (max_rows > 0)
        RWL_TRY(rwl_sorter_merge_next(s->merge, max_rows, s->options.batch_bytes, &s->out, err));
    for (int32_t i = 0; i < s->given_count; i++)
        rwl_column_swap(&batch->columns[i], &s->out.columns[i]);
    batch->length = s->out.length;
    s->given_rows += batch->length;
    if (ids != NULL && s->field_count > s->given_count) {
        RWL_TRY(to_runs(&s->out.columns[s->given_count], ids, err));
        RWL_TRY(to_runs(&s->out.columns[s->given_count + 1], versions, err));
    }
    return rwl_sorter_account(s, 0, err);
}
