/* SPDX-License-Identifier: Apache-2.0 */
/* Rows to sorted chunks, chunks to runs, and what is done when memory is full. */
#include "engine/sorter_internal.h"

#include "base/int128.h"

#define KIB ((int64_t)1024)
#define MIB (1024 * KIB)

enum {
    CHUNK_ROWS = 65536,
    BLOCK_ROWS = 4096,
    LINEAGE_COLUMNS = 2,
    BLOCK_TO_COLUMNS = 8,  /* a block has so many times the bytes that columns take without values */
    COMPACT_ROWS = 1000000 /* limits above are sorted like all */
};

/* Of what is held. */
#define CHUNK_MOST  (32 * MIB)
#define CHUNK_LEAST (64 * KIB)
#define BLOCK_MOST  (512 * KIB)
#define BLOCK_LEAST (16 * KIB)
#define BATCH_MOST  (16 * MIB)
#define BATCH_LEAST (64 * KIB)
/* Rows of a chunk must come to some bytes each, or what ordering takes would not be small beside them. */
#define CHUNK_ROW_LEAST 64
#define NO_LIMIT        (INT64_MAX / 4)

struct rwl_sorter {
    rwl_op *op;
    rwl_arena arena;
    const rwl_field *given; /* the caller's fields */
    int32_t given_count;
    rwl_field *fields; /* and behind them, when rows have them, those of lineage */
    int32_t field_count;
    rwl_sorter_key key;
    rwl_sorter_options options;
    int64_t chunk_bytes, chunk_rows, block_bytes;
    int64_t row_bytes;  /* no row takes less */
    bool open;          /* the first rows have come: it is known whether they have lineage */
    rwl_batch pending;  /* rows of the next chunk */
    rwl_batch incoming; /* columns of rows being added, borrowed but for lineage */
    rwl_column ids, versions;
    rwl_sorter_keys keys; /* of the chunk being sorted */
    RWL_VEC(int32_t) order;
    RWL_VEC(rwl_sorter_run) runs;
    size_t first_in_memory; /* runs before it are in the file alone */
    rwl_sorter_mark last;   /* key of the last row of the last run */
    rwl_sorter_mark bound;  /* with a limit: rows from this key on are not wanted */
    rwl_spill *spill;       /* NULL before it is needed */
    int64_t spilled;        /* in files before this one */
    int64_t rows, block_memory, reserved, given_rows;
    rwl_sorter_merge *merge; /* once finished */
    rwl_batch out;           /* with lineage as columns */
};

static int64_t clamp(int64_t value, int64_t least, int64_t most) {
    return value < least ? least : value > most ? most : value;
}

/* --- life --- */

static rwl_status set_up(rwl_sorter *s, const rwl_sort_order *order, rwl_error *err) {
    s->fields = rwl_arena_array(&s->arena, (size_t)s->given_count + LINEAGE_COLUMNS, sizeof *s->fields);
    s->incoming.columns =
        rwl_arena_array(&s->arena, (size_t)s->given_count + LINEAGE_COLUMNS, sizeof(rwl_column));
    if (s->fields == NULL || s->incoming.columns == NULL)
        return rwl_no_memory(err, (size_t)s->given_count * sizeof(rwl_column));
    for (int32_t i = 0; i < s->given_count; i++)
        s->fields[i] = s->given[i];
    for (int32_t i = 0; i < LINEAGE_COLUMNS; i++)
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
        s->options.memory = NO_LIMIT;
    else if (s->options.memory > 2 * RWL_SPILL_BUFFER)
        s->options.memory -= 2 * RWL_SPILL_BUFFER; /* a merge pass has two files */
    int64_t memory = s->options.memory;
    if (s->options.batch_bytes == 0)
        s->options.batch_bytes = clamp(memory / 16, BATCH_LEAST, BATCH_MOST);
    s->chunk_bytes = clamp(memory / 16, CHUNK_LEAST, CHUNK_MOST);
    s->chunk_rows = clamp(s->chunk_bytes / CHUNK_ROW_LEAST, 1, CHUNK_ROWS);
    s->row_bytes = rwl_sorter_row_bytes(fields, field_count) - LINEAGE_COLUMNS * (int64_t)sizeof(int64_t);
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

/* --- memory --- */

/* Held beside blocks. */
static int64_t collecting_bytes(const rwl_sorter *s) {
    int64_t bytes = rwl_sorter_keys_bytes(&s->keys) + (int64_t)(s->order.cap * sizeof *s->order.items);
    bytes += (int64_t)(s->ids.values.cap + s->versions.values.cap);
    if (s->pending.env != NULL)
        bytes += rwl_batch_bytes(&s->pending);
    if (s->out.env != NULL)
        bytes += rwl_batch_bytes(&s->out);
    return bytes;
}

/* Brings what the operation's budget knows to what is held, `more` counted. */
static rwl_status account(rwl_sorter *s, int64_t more, rwl_error *err) {
    int64_t held = s->block_memory + collecting_bytes(s) + rwl_sorter_merge_bytes(s->merge) + more;
    if (held > s->reserved)
        RWL_TRY(rwl_op_reserve(s->op, held - s->reserved, "sorting", err));
    else
        rwl_op_release(s->op, s->reserved - held);
    s->reserved = held;
    return RWL_OK;
}

static rwl_status spill_block(rwl_sorter *s, rwl_sorter_run *run, rwl_error *err) {
    RWL_TRY(rwl_op_check(s->op, err));
    if (s->spill == NULL)
        RWL_TRY(rwl_spill_new(s->op->env, s->options.calls, &s->spill, err));
    rwl_batch *block = &run->blocks.items[run->first_block];
    if (run->file_end == run->file_off)
        run->file_off = run->file_end = rwl_spill_size(s->spill);
    RWL_TRY(rwl_sorter_block_write(s->spill, block, err));
    run->file_end = rwl_spill_size(s->spill);
    s->block_memory -= rwl_sorter_block_bytes(block);
    rwl_batch_clear(block);
    run->first_block++;
    return RWL_OK;
}

/* Spills the oldest blocks until those left, with `more`, are within the budget, as far as there are any. Oldest first
 * keeps the blocks of a run together in the file. */
static rwl_status make_room(rwl_sorter *s, int64_t more, rwl_error *err) {
    while (s->first_in_memory < s->runs.len) {
        rwl_sorter_run *run = &s->runs.items[s->first_in_memory];
        while (rwl_sorter_run_in_memory(run) && s->block_memory + more > s->options.memory)
            RWL_TRY(spill_block(s, run, err));
        if (rwl_sorter_run_in_memory(run))
            return RWL_OK;
        if (s->first_in_memory + 1 == s->runs.len) /* the last run may go on */
            return RWL_OK;
        s->first_in_memory++;
    }
    return RWL_OK;
}

/* --- chunks --- */

/* Rows of `chunk` from `first` on that make a block, in their new order. */
static int64_t count_block(const rwl_sorter *s, const rwl_batch *chunk, int64_t first, int64_t count,
                           int64_t row_most) {
    if (count - first < BLOCK_ROWS ? (count - first) * row_most <= s->block_bytes
                                   : BLOCK_ROWS * row_most <= s->block_bytes)
        return count - first < BLOCK_ROWS ? count - first : BLOCK_ROWS;
    int64_t rows = 0, bytes = 0;
    while (first + rows < count && rows < BLOCK_ROWS) {
        bytes += rwl_sorter_measure(chunk, s->order.items[first + rows], 1);
        if (rows > 0 && bytes > s->block_bytes)
            break;
        rows++;
    }
    return rows;
}

/* Takes ownership of the block. */
static rwl_status push_block(rwl_sorter *s, rwl_sorter_run *run, rwl_batch *block, rwl_error *err) {
    rwl_status st = rwl_vec_push(&run->blocks, s->op->env, *block, err);
    if (st != RWL_OK) {
        rwl_batch_clear(block);
        return st;
    }
    int64_t bytes = rwl_sorter_block_bytes(block);
    s->block_memory += bytes;
    bytes += rwl_sorter_key_estimate(&s->key, block);
    run->block_bytes = bytes > run->block_bytes ? bytes : run->block_bytes;
    run->rows += block->length;
    return RWL_OK;
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
        RWL_TRY(push_block(s, &s->runs.items[s->runs.len - 1], &block, err));
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
    RWL_TRY(make_room(s, chunk->length * RWL_SORT_ROW_BYTES + collecting_bytes(s), err));
    RWL_TRY(account(s, chunk->length * RWL_SORT_ROW_BYTES, err));
    return rwl_sort_keys_order(s->op->env, &s->keys.view, chunk->length, s->order.items, err);
}

static rwl_status compact(rwl_sorter *s, rwl_error *err);

static rwl_status sort_chunk(rwl_sorter *s, const rwl_batch *chunk, rwl_error *err) {
    if (chunk->length == 0)
        return RWL_OK;
    RWL_TRY(sort_rows(s, chunk, err));
    int64_t count = cut_to_limit(s, chunk->length);
    if (count == 0)
        return account(s, 0, err);
    /* the blocks take what the chunk does */
    int64_t bytes = rwl_sorter_measure(chunk, 0, chunk->length);
    RWL_TRY(make_room(s, bytes + bytes / BLOCK_TO_COLUMNS + collecting_bytes(s), err));
    RWL_TRY(open_run(s, s->order.items[0], err));
    RWL_TRY(make_blocks(s, chunk, count, err));
    RWL_TRY(rwl_sorter_mark_set(&s->last, s->op->env, &s->keys, s->order.items[count - 1], err));
    if (count == s->options.limit)
        RWL_TRY(rwl_sorter_mark_set(&s->bound, s->op->env, &s->keys, s->order.items[count - 1], err));
    RWL_TRY(account(s, 0, err));
    return compact(s, err);
}

/* --- adding --- */

static rwl_status open_rows(rwl_sorter *s, bool with_lineage, rwl_error *err) {
    s->field_count = s->given_count + (with_lineage ? LINEAGE_COLUMNS : 0);
    s->open = true;
    RWL_TRY(rwl_batch_init(&s->pending, s->op->env, s->fields, s->field_count, err));
    s->block_bytes = clamp(s->options.memory / 512, BLOCK_LEAST, BLOCK_MOST);
    int64_t least = rwl_sorter_block_bytes(&s->pending) * BLOCK_TO_COLUMNS;
    s->block_bytes =
        clamp(least, s->block_bytes, s->block_bytes > s->chunk_bytes ? s->block_bytes : s->chunk_bytes);
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
    return account(s, 0, err);
}

/* --- runs to runs --- */

/* Blocks of the merged runs, to `spill`, or kept in memory when that is NULL. At most `limit` rows. */
static rwl_status copy_blocks(rwl_sorter *s, int64_t limit, rwl_sorter_run *to, rwl_spill *spill,
                              rwl_error *err) {
    to->file_off = to->file_end = spill != NULL ? rwl_spill_size(spill) : 0;
    while (to->rows < limit) {
        rwl_batch block;
        int64_t rows = limit - to->rows < BLOCK_ROWS ? limit - to->rows : BLOCK_ROWS;
        RWL_TRY(rwl_batch_init(&block, s->op->env, s->fields, s->field_count, err));
        rwl_status st = rwl_sorter_merge_next(s->merge, rows, s->block_bytes, &block, err);
        if (st != RWL_OK || block.length == 0) {
            rwl_batch_clear(&block);
            return st;
        }
        RWL_TRY(push_block(s, to, &block, err));
        RWL_TRY(account(s, 0, err));
        if (spill == NULL)
            continue;
        RWL_TRY(rwl_sorter_block_write(spill, &block, err));
        to->file_end = rwl_spill_size(spill);
        s->block_memory -= rwl_sorter_block_bytes(&block);
        rwl_batch_clear(&block);
        to->blocks.len = 0;
    }
    return RWL_OK;
}

/* Makes one run of `count` runs from `first` on, which are of no more use then. */
static rwl_status merge_runs(rwl_sorter *s, size_t first, size_t count, int64_t limit, rwl_sorter_run *to,
                             rwl_spill *spill, rwl_error *err) {
    memset(to, 0, sizeof *to);
    RWL_TRY(rwl_sorter_merge_open(s->op, s->fields, s->field_count, &s->key, &s->runs.items[first], count,
                                  s->spill, s->options.batch_bytes, &s->merge, err));
    rwl_status st = copy_blocks(s, limit, to, spill, err);
    if (st != RWL_OK)
        rwl_sorter_run_clear(to, s->op->env);
    s->block_memory -= rwl_sorter_merge_taken(s->merge);
    rwl_sorter_merge_close(s->merge);
    s->merge = NULL;
    for (size_t i = first; i < first + count; i++) {
        rwl_sorter_run *run = &s->runs.items[i];
        for (size_t b = run->first_block; b < run->blocks.len; b++)
            s->block_memory -= rwl_sorter_block_bytes(&run->blocks.items[b]);
        rwl_sorter_run_clear(run, s->op->env);
    }
    return st;
}

/* With a limit: when twice as many rows are there, those behind it are dropped. Not once there are files: then sorting
 * all of them is as good. */
static rwl_status compact(rwl_sorter *s, rwl_error *err) {
    int64_t rows = 0, limit = s->options.limit;
    if (limit == 0 || limit > COMPACT_ROWS || s->spill != NULL)
        return RWL_OK;
    for (size_t i = 0; i < s->runs.len; i++)
        rows += s->runs.items[i].rows;
    if (rows < 2 * limit + CHUNK_ROWS)
        return RWL_OK;
    rwl_sorter_run merged;
    RWL_TRY(merge_runs(s, 0, s->runs.len, limit, &merged, NULL, err));
    s->runs.items[0] = merged;
    s->runs.len = 1;
    s->first_in_memory = 0;
    const rwl_batch *last = &merged.blocks.items[merged.blocks.len - 1];
    RWL_TRY(rwl_sorter_keys_make(&s->key, last, &s->keys, err));
    RWL_TRY(rwl_sorter_mark_set(&s->last, s->op->env, &s->keys, last->length - 1, err));
    return rwl_sorter_mark_set(&s->bound, s->op->env, &s->keys, last->length - 1, err);
}

/* --- finishing --- */

/* A block of each of so many runs, which are about to be merged. */
static int64_t sum_blocks(const rwl_sorter *s, size_t first, size_t count) {
    int64_t bytes = 0;
    for (size_t i = first; i < first + count; i++)
        bytes += s->runs.items[i].block_bytes;
    return bytes;
}

/* Beside the blocks: rows being given, and blocks they are gathered from. */
static int64_t merge_room(const rwl_sorter *s) {
    return s->options.memory - 2 * s->options.batch_bytes;
}

/* Neighbouring runs from `first` on whose blocks fit: all that are left, or two at least. */
static size_t count_fitting(const rwl_sorter *s, size_t first) {
    size_t count = 0, left = s->runs.len - first;
    for (int64_t bytes = 0; count < left; count++) {
        bytes += s->runs.items[first + count].block_bytes;
        if (count >= 2 && bytes > merge_room(s))
            break;
    }
    return count;
}

/* Merges groups of runs to a new file; the old one goes. */
static rwl_status merge_pass(rwl_sorter *s, rwl_error *err) {
    rwl_spill *spill = NULL;
    RWL_TRY(rwl_spill_new(s->op->env, s->options.calls, &spill, err));
    size_t made = 0;
    rwl_status st = RWL_OK;
    for (size_t first = 0, count; first < s->runs.len; first += count) {
        rwl_sorter_run merged;
        count = count_fitting(s, first);
        st = merge_runs(s, first, count, INT64_MAX, &merged, spill, err);
        if (st != RWL_OK)
            break;
        s->runs.items[made++] = merged;
    }
    if (st == RWL_OK) {
        s->runs.len = made;
        s->spilled += rwl_spill_size(s->spill);
        rwl_spill *old = s->spill;
        s->spill = spill;
        spill = old;
    }
    rwl_spill_free(spill);
    return st;
}

static rwl_status fit_memory(rwl_sorter *s, rwl_error *err) {
    RWL_TRY(make_room(s, sum_blocks(s, 0, s->runs.len) + 2 * s->options.batch_bytes, err));
    while (s->runs.len > 2 && s->spill != NULL && sum_blocks(s, 0, s->runs.len) > merge_room(s))
        RWL_TRY(merge_pass(s, err));
    return account(s, 0, err);
}

rwl_status rwl_sorter_finish(rwl_sorter *s, rwl_error *err) {
    if (!s->open)
        return RWL_OK;
    RWL_TRY(sort_chunk(s, &s->pending, err));
    clear_collecting(s);
    if (s->options.memory < NO_LIMIT)
        RWL_TRY(fit_memory(s, err));
    RWL_TRY(rwl_sorter_merge_open(s->op, s->fields, s->field_count, &s->key, s->runs.items, s->runs.len,
                                  s->spill, s->options.batch_bytes, &s->merge, err));
    return account(s, 0, err);
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
    return account(s, 0, err);
}

/* --- figures --- */

/* A chunk, two blocks to merge and a batch, each with buffers of 64 bytes at least for a column. */
int64_t rwl_sorter_least_memory(int32_t columns) {
    return 2 * MIB + 32 * KIB * columns;
}

rwl_status rwl_sorter_share(int64_t budget, int64_t share, int32_t columns, int64_t *memory, rwl_error *err) {
    int64_t least = rwl_sorter_least_memory(columns);
    if (budget > 0 && least > budget / 2)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "a memory budget of %lld MB is too small: sorting needs %lld MB",
                        (long long)(budget >> 20), (long long)(2 * least >> 20) + 1);
    *memory = budget == 0 ? 0 : share < least ? least : share;
    return RWL_OK;
}

int64_t rwl_sorter_row_bytes(const rwl_field *fields, int32_t field_count) {
    int64_t bytes = LINEAGE_COLUMNS * (int64_t)sizeof(int64_t);
    for (int32_t i = 0; i < field_count; i++) {
        const rwl_type *type = &fields[i].type;
        bool has_width = !rwl_type_is_bytes(type) && !rwl_type_is_nested(type);
        bytes += has_width ? rwl_type_width(type) : (int64_t)sizeof(int32_t);
    }
    return bytes;
}

/* A merge pass writes all rows once more, beside the file it reads. */
int64_t rwl_sorter_disk_bytes(int64_t bytes, int64_t memory) {
    if (memory == 0 || bytes <= memory / 4 * 3)
        return 0;
    int64_t block = clamp(memory / 512, BLOCK_LEAST, BLOCK_MOST),
            chunk = clamp(memory / 16, CHUNK_LEAST, CHUNK_MOST);
    bool in_one_pass = bytes / chunk < memory / 2 / block;
    int64_t twice;
    return in_one_pass ? bytes : rwl_i64_mul(bytes, 2, &twice) ? twice : INT64_MAX;
}
