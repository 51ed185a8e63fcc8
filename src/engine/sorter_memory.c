/* SPDX-License-Identifier: Apache-2.0 */
/* What the sorter holds, and what is done when that is too much: blocks are spilled, runs merged to fewer. */
#include "engine/sorter_internal.h"

enum { COMPACT_ROWS = 1000000 /* limits above are sorted like all */ };

/* --- blocks --- */

int64_t rwl_sorter_collecting_bytes(const rwl_sorter *s) {
    int64_t bytes = rwl_sorter_keys_bytes(&s->keys) + (int64_t)(s->order.cap * sizeof *s->order.items);
    bytes += (int64_t)(s->ids.values.cap + s->versions.values.cap);
    if (s->pending.env != NULL)
        bytes += rwl_batch_bytes(&s->pending);
    if (s->out.env != NULL)
        bytes += rwl_batch_bytes(&s->out);
    return bytes;
}

rwl_status rwl_sorter_account(rwl_sorter *s, int64_t more, rwl_error *err) {
    int64_t held = s->block_memory + rwl_sorter_collecting_bytes(s) + rwl_sorter_merge_bytes(s->merge) + more;
    return rwl_op_charge(s->op, &s->reserved, held, "sorting", err);
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

/* Oldest first keeps the blocks of a run together in the file. */
rwl_status rwl_sorter_make_room(rwl_sorter *s, int64_t more, rwl_error *err) {
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

rwl_status rwl_sorter_push_block(rwl_sorter *s, rwl_sorter_run *run, rwl_batch *block, rwl_error *err) {
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

/* --- runs to runs --- */

/* Blocks of the merged runs, to `spill`, or kept in memory when that is NULL. At most `limit` rows. */
static rwl_status copy_blocks(rwl_sorter *s, int64_t limit, rwl_sorter_run *to, rwl_spill *spill,
                              rwl_error *err) {
    to->file_off = to->file_end = spill != NULL ? rwl_spill_size(spill) : 0;
    while (to->rows < limit) {
        rwl_batch block;
        int64_t rows = limit - to->rows < RWL_SORTER_BLOCK_ROWS ? limit - to->rows : RWL_SORTER_BLOCK_ROWS;
        RWL_TRY(rwl_batch_init(&block, s->op->env, s->fields, s->field_count, err));
        rwl_status st = rwl_sorter_merge_next(s->merge, rows, s->block_bytes, &block, err);
        if (st != RWL_OK || block.length == 0) {
            rwl_batch_clear(&block);
            return st;
        }
        RWL_TRY(rwl_sorter_push_block(s, to, &block, err));
        RWL_TRY(rwl_sorter_account(s, 0, err));
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

/* Not once there are files: then sorting all of them is as good. */
rwl_status rwl_sorter_compact(rwl_sorter *s, rwl_error *err) {
    int64_t rows = 0, limit = s->options.limit;
    if (limit == 0 || limit > COMPACT_ROWS || s->spill != NULL)
        return RWL_OK;
    for (size_t i = 0; i < s->runs.len; i++)
        rows += s->runs.items[i].rows;
    if (rows < 2 * limit + RWL_SORTER_CHUNK_ROWS)
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

/* --- runs that can be merged at once --- */

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

rwl_status rwl_sorter_fit_memory(rwl_sorter *s, rwl_error *err) {
    RWL_TRY(rwl_sorter_make_room(s, sum_blocks(s, 0, s->runs.len) + 2 * s->options.batch_bytes, err));
    while (s->runs.len > 2 && s->spill != NULL && sum_blocks(s, 0, s->runs.len) > merge_room(s))
        RWL_TRY(merge_pass(s, err));
    return rwl_sorter_account(s, 0, err);
}
