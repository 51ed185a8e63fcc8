/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of a leaf: levels by blocks, values by pieces of a page, rows found by their repetition level. */
#include "parquet/entries.h"

#include "column/bits.h"
#include "parquet/column_internal.h"
#include "parquet/entries_internal.h"

enum {
    BLOCK = 4096, /* levels decoded at once */
    ENTRIES_MIN = 2 * BLOCK,
    PIECE_BYTES = 1024 * 1024
};

rwl_status rwl_parquet_entries_init(rwl_parquet_entries *e, rwl_parquet_shared *shared,
                                    const rwl_parquet_file *file, int32_t leaf_no, rwl_error *err) {
    const rwl_parquet_leaf *leaf = &file->leaves[leaf_no];
    memset(e, 0, sizeof *e);
    e->column.shared = shared;
    e->column.leaf = leaf;
    e->column.carries = rwl_parquet_values_carry(file->created_by);
    e->column.layout = leaf->field.type.kind == RWL_TYPE_UNKNOWN ? rwl_parquet_layout_physical(leaf)
                                                                 : rwl_parquet_layout_of(leaf);
    e->max_definition = (uint8_t)leaf->max_definition;
    e->max_repetition = (uint8_t)leaf->max_repetition;
    return rwl_column_init(&e->surplus, shared->op->env, &leaf->field.type, err);
}

static void free_levels(rwl_parquet_entries *e) {
    rwl_op *op = e->column.shared->op;
    rwl_free(op->env, e->definitions);
    rwl_free(op->env, e->repetitions);
    rwl_op_release(op, e->reserved + e->extra);
    e->definitions = e->repetitions = NULL;
    e->reserved = e->extra = 0;
    e->cap = 0;
}

void rwl_parquet_entries_clear(rwl_parquet_entries *e) {
    if (!e->column.shared)
        return;
    free_levels(e);
    rwl_column_clear(&e->surplus, e->column.shared->op->env);
    rwl_parquet_column_clear(&e->column);
}

rwl_status rwl_parquet_entries_start(rwl_parquet_entries *e, rwl_parquet_feed *feed,
                                     const rwl_parquet_group *group, rwl_error *err) {
    const rwl_parquet_leaf *leaf = e->column.leaf;
    e->cut = e->used = e->filled = e->cut_slots = 0;
    e->rows = e->page_begun = 0;
    e->last = 0;
    e->is_full = false;
    rwl_column_reset(&e->surplus);
    return rwl_parquet_column_start(&e->column, feed, &group->chunks[leaf->column], group->row_count, err);
}

/* --- levels --- */

/* Bytes that an entry may cost: a row of very many is refused by the budget before memory is full. */
static int64_t entry_cost(const rwl_parquet_entries *e) {
    size_t width = e->column.layout.width;
    return (e->max_repetition > 0 ? 2 : 1) + (width > 0 && e->max_repetition > 0 ? (int64_t)width : 1);
}

static rwl_status grow_level(const rwl_env *env, uint8_t **levels, size_t cap, rwl_error *err) {
    uint8_t *grown = rwl_realloc(env, *levels, cap + RWL_PARQUET_LEVELS_SLACK);
    if (!grown)
        return rwl_no_memory(err, cap);
    *levels = grown;
    return RWL_OK;
}

static rwl_status reserve_entries(rwl_parquet_entries *e, size_t more, rwl_error *err) {
    rwl_op *op = e->column.shared->op;
    size_t cap = e->cap < ENTRIES_MIN ? ENTRIES_MIN : e->cap;
    if (e->filled + more <= e->cap)
        return RWL_OK;
    while (cap < e->filled + more)
        cap *= 2;
    if (cap > INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "a row of more than 2^30 values");
    int64_t cost = (int64_t)(cap - e->cap) * entry_cost(e);
    RWL_TRY(rwl_op_reserve(op, cost, "rows of nested values", err));
    e->reserved += cost;
    RWL_TRY(grow_level(op->env, &e->definitions, cap, err));
    if (e->max_repetition > 0)
        RWL_TRY(grow_level(op->env, &e->repetitions, cap, err));
    e->cap = cap;
    return RWL_OK;
}

/* Rules of the header between an entry and the one before it. */
static rwl_status check_lists(const rwl_parquet_entries *e, size_t from, size_t count, rwl_error *err) {
    const uint8_t *definitions = e->definitions + from, *repetitions = e->repetitions + from;
    const uint8_t *least = e->element_definition;
    uint8_t before = e->last;
    bool bad = false;
    if (e->max_repetition == 1) {
        bad = !rwl_parquet_levels_continue(definitions, repetitions, count, least[1], before);
    } else {
        for (size_t i = 0; i < count; i++) {
            uint8_t need = least[repetitions[i]];
            bad |= (before < need) | (definitions[i] < need);
            before = definitions[i];
        }
    }
    return bad ? rwl_fail(err, RWL_CORRUPT, "levels go on with a list that has no elements") : RWL_OK;
}

static rwl_status check_rows(rwl_parquet_entries *e, size_t from, size_t count, rwl_error *err) {
    rwl_parquet_column *c = &e->column;
    bool is_border = e->page_begun == 0 && c->page_is_aligned;
    size_t begun = count - rwl_parquet_levels_count_from(e->repetitions + from, count, 1);
    if (e->repetitions[from] != 0 && (is_border || c->row == 0))
        return rwl_fail(err, RWL_CORRUPT, "page begins inside a row");
    e->page_begun += (int64_t)begun;
    c->row += (int64_t)begun;
    if (c->row > c->group_rows)
        return rwl_fail(err, RWL_CORRUPT, "more than the row group's %lld rows", (long long)c->group_rows);
    if (c->page_rows >= 0 &&
        (e->page_begun > c->page_rows || (c->page_left == 0 && e->page_begun != c->page_rows)))
        return rwl_fail(err, RWL_CORRUPT, "page of %lld rows has %s", (long long)c->page_rows,
                        e->page_begun > c->page_rows ? "more" : "fewer");
    return RWL_OK;
}

/* Decodes the levels of the next entries of the open page behind those there are. */
static rwl_status decode_levels(rwl_parquet_entries *e, rwl_error *err) {
    rwl_parquet_column *c = &e->column;
    size_t count = c->page_left < BLOCK ? (size_t)c->page_left : BLOCK, from = e->filled;
    RWL_TRY(reserve_entries(e, count, err));
    if (c->has_levels)
        RWL_TRY(rwl_parquet_levels_read(&c->levels, e->max_definition, e->definitions + from, count, err));
    else
        memset(e->definitions + from, e->max_definition, count);
    c->page_left -= (int64_t)count;
    e->filled += count;
    if (e->max_repetition == 0)
        return RWL_OK;
    if (c->has_repetition)
        RWL_TRY(
            rwl_parquet_levels_read(&c->repetition, e->max_repetition, e->repetitions + from, count, err));
    else
        memset(e->repetitions + from, 0, count);
    RWL_TRY(check_rows(e, from, count, err));
    RWL_TRY(check_lists(e, from, count, err));
    e->last = e->definitions[from + count - 1];
    return RWL_OK;
}

/* --- rows --- */

/* Rows that begin in entries [from, to). */
static int64_t count_rows(const rwl_parquet_entries *e, size_t from, size_t to) {
    if (e->max_repetition == 0 || from == to) /* there may be no buffer yet */
        return (int64_t)(to - from);
    return (int64_t)(to - from - rwl_parquet_levels_count_from(e->repetitions + from, to - from, 1));
}

/* The first entry in [from, to) at which row `n` (from 0) begins; `to` without. */
static size_t find_row(const rwl_parquet_entries *e, size_t from, size_t to, int64_t n) {
    if (n >= (int64_t)(to - from))
        return to;
    if (e->max_repetition == 0)
        return from + (size_t)n;
    return from + rwl_parquet_levels_find_zero(e->repetitions + from, to - from, (size_t)n);
}

static size_t slots_between(const rwl_parquet_entries *e, size_t from, size_t to) {
    return rwl_parquet_levels_count_from(e->definitions + from, to - from,
                                         e->element_definition[e->max_repetition]);
}

/* The next entry, if any, is known to begin a row. */
static bool is_at_border(const rwl_parquet_entries *e) {
    const rwl_parquet_column *c = &e->column;
    if (e->max_repetition == 0)
        return true;
    if (e->used < e->filled)
        return e->repetitions[e->used] == 0;
    return c->page_left == 0 && (c->page_is_aligned || !rwl_parquet_column_more(c));
}

static rwl_status check_end(const rwl_parquet_entries *e, rwl_error *err) {
    const rwl_parquet_column *c = &e->column;
    if (c->row != c->group_rows)
        return rwl_fail(err, RWL_CORRUPT, "chunk of %lld rows in a row group of %lld", (long long)c->row,
                        (long long)c->group_rows);
    if (c->index && c->entries_left > 0)
        return rwl_fail(err, RWL_CORRUPT, "%lld values more than in the pages of the offset index",
                        (long long)c->entries_left);
    return RWL_OK;
}

/* Makes entries pending for a read of rows of which `begun` are there: *is_end when `rows` of them are and no more entries
 * belong to the last one. *skipped rows were passed instead, of at most `skip`. */
static rwl_status next_entries(rwl_parquet_entries *e, int64_t begun, int64_t rows, int64_t skip,
                               int64_t *skipped, bool *is_end, rwl_error *err) {
    rwl_parquet_column *c = &e->column;
    *skipped = 0;
    *is_end = begun == rows && is_at_border(e);
    if (*is_end && e->max_repetition == 0)
        return RWL_OK;
    if (c->page_left == 0) {
        bool more = rwl_parquet_column_more(c);
        if (!more && begun < rows)
            return rwl_fail(err, RWL_CORRUPT, "chunk ends %lld rows too early",
                            (long long)(c->group_rows - c->row));
        if (!more)
            return check_end(e, err);
        if (*is_end)
            return RWL_OK;
        e->page_begun = 0;
        RWL_TRY(rwl_parquet_column_open(c, skip, skipped, err));
        if (*skipped > 0)
            return RWL_OK;
    }
    return decode_levels(e, err);
}

/* --- reading --- */

/* How many entries to take: those up to the end of the wanted rows, within what is decoded at once. */
static size_t next_piece(const rwl_parquet_entries *e, int64_t begun, int64_t rows) {
    const rwl_parquet_layout *layout = &e->column.layout;
    size_t to = find_row(e, e->used, e->filled, rows - begun), count = to - e->used;
    size_t most = BLOCK;
    if (layout->convert == RWL_PARQUET_TO_BYTES)
        most = RWL_PARQUET_BLOCK;
    else if (layout->width * most > PIECE_BYTES)
        most = layout->width < PIECE_BYTES ? PIECE_BYTES / layout->width : 1;
    return count < most ? count : most;
}

/* Bytes in `out`, for the limit of a batch; never 0 a slot. */
static size_t bytes_of(const rwl_parquet_entries *e) {
    size_t width = e->column.layout.width, slots = (size_t)e->out->length;
    if (e->column.layout.convert == RWL_PARQUET_TO_BYTES)
        return e->out->bytes_len + slots;
    return slots * (width > 0 ? width : 1);
}

/* Puts the kept slots at the front of what is read. */
static rwl_status take_surplus(rwl_parquet_entries *e, rwl_error *err) {
    rwl_range all = {0, e->surplus.length};
    if (e->surplus.length == 0)
        return RWL_OK;
    if (e->out->length == 0)
        rwl_column_swap(e->out, &e->surplus);
    else
        RWL_TRY(rwl_column_take_ranges(&e->surplus, &all, 1, e->out, e->column.shared->op->env, err));
    rwl_column_reset(&e->surplus);
    return RWL_OK;
}

/* Rows that are complete when no more is read now. */
static int64_t complete_rows(const rwl_parquet_entries *e) {
    return e->rows - (e->rows > 0 && !is_at_border(e));
}

/* A first row beyond the limit is read all the same, from the budget. */
static rwl_status raise_limit(rwl_parquet_entries *e, size_t *limit, rwl_error *err) {
    size_t most = RWL_COLUMN_BYTES_MAX - RWL_PARQUET_READ_SLACK,
           more = *limit < most / 2 ? *limit : most - *limit;
    if (more == 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "a row of more than %zu bytes", most);
    RWL_TRY(rwl_op_reserve(e->column.shared->op, (int64_t)more, "a row of nested values", err));
    e->extra += (int64_t)more;
    *limit += more;
    return RWL_OK;
}

static rwl_status read_rows(rwl_parquet_entries *e, int64_t rows, bool may_be_none, int64_t *done,
                            rwl_error *err) {
    size_t most = RWL_COLUMN_BYTES_MAX - RWL_PARQUET_READ_SLACK;
    size_t limit = e->column.shared->batch_bytes < most ? e->column.shared->batch_bytes : most;
    int64_t skipped;
    bool is_end = false;
    e->is_full = false;
    RWL_TRY(take_surplus(e, err));
    while (!is_end) {
        if (e->used == e->filled) {
            RWL_TRY(next_entries(e, e->rows, rows, 0, &skipped, &is_end, err));
            if (e->used == e->filled)
                break;
        }
        size_t count = next_piece(e, e->rows, rows), taken;
        if (count == 0)
            break;
        RWL_TRY(rwl_parquet_entries_decode(e, count, limit, &taken, err));
        e->rows += count_rows(e, e->used, e->used + taken);
        e->used += taken;
        if (taken == count && bytes_of(e) < limit)
            continue;
        if (complete_rows(e) == 0 && !may_be_none) {
            RWL_TRY(raise_limit(e, &limit, err));
            continue;
        }
        e->is_full = true;
        break;
    }
    *done = e->is_full ? complete_rows(e) : e->rows;
    return RWL_OK;
}

static rwl_status in_leaf(const rwl_parquet_entries *e, rwl_status st, rwl_error *err) {
    return st == RWL_OK ? st : rwl_error_in(err, st, "column %s", e->column.leaf->field.name);
}

rwl_status rwl_parquet_entries_read(rwl_parquet_entries *e, int64_t rows, bool may_be_none, int64_t *done,
                                    rwl_error *err) {
    return in_leaf(e, read_rows(e, rows, may_be_none, done, err), err);
}

/* --- steps --- */

rwl_status rwl_parquet_entries_cut(rwl_parquet_entries *e, int64_t rows, rwl_error *err) {
    e->cut = find_row(e, 0, e->used, rows);
    size_t kept = slots_between(e, e->cut, e->used);
    e->cut_slots = slots_between(e, 0, e->cut);
    if (kept == 0)
        return RWL_OK;
    rwl_range rest = {e->out->length - (int64_t)kept, (int64_t)kept};
    RWL_TRY(rwl_column_take_ranges(e->out, &rest, 1, &e->surplus, e->column.shared->op->env, err));
    e->out->length -= e->surplus.length;
    e->out->null_count -= e->surplus.null_count;
    e->out->bytes_len -= e->surplus.bytes_len;
    return RWL_OK;
}

/* Entries from `from` on move to the front. */
static void drop_front(rwl_parquet_entries *e, size_t from) {
    size_t left = e->filled - from;
    if (from > 0 && left > 0) {
        memmove(e->definitions, e->definitions + from, left);
        if (e->repetitions)
            memmove(e->repetitions, e->repetitions + from, left);
    }
    e->filled = left;
    e->used -= from;
}

void rwl_parquet_entries_finish(rwl_parquet_entries *e, int64_t rows) {
    drop_front(e, e->cut);
    e->rows -= rows;
    e->cut = e->cut_slots = 0;
    if (e->extra > 0 && e->filled == 0) /* a row of very many values is behind us */
        free_levels(e);
    rwl_op_release(e->column.shared->op, e->extra);
    e->extra = 0;
}

/* --- skipping --- */

/* Drops up to `rows` of the rows that were kept; *begun is how many, the last of them perhaps not to its end. */
static rwl_status skip_kept(rwl_parquet_entries *e, int64_t rows, int64_t *begun, rwl_error *err) {
    const rwl_env *env = e->column.shared->op->env;
    *begun = e->rows < rows ? e->rows : rows;
    if (e->rows == 0)
        return RWL_OK;
    size_t cut = find_row(e, 0, e->used, rows), slots = slots_between(e, 0, cut);
    rwl_column rest;
    rwl_range range = {(int64_t)slots, e->surplus.length - (int64_t)slots};
    RWL_TRY(rwl_column_init(&rest, env, &e->surplus.type, err));
    rwl_status st = range.count > 0 ? rwl_column_take_ranges(&e->surplus, &range, 1, &rest, env, err)
                                    : (rwl_status)RWL_OK;
    if (st == RWL_OK)
        rwl_column_swap(&e->surplus, &rest);
    rwl_column_clear(&rest, env);
    drop_front(e, cut);
    e->rows -= *begun;
    return st;
}

/* Leaves the open page when all of its rows are to be skipped; true when it did. */
static bool leave_page(rwl_parquet_entries *e, int64_t rows, int64_t *begun) {
    rwl_parquet_column *c = &e->column;
    if (c->page_rows < 0 || c->carries || (e->max_repetition > 0 && !c->page_is_aligned))
        return false;
    int64_t pending = count_rows(e, e->used, e->filled);
    int64_t unseen = e->max_repetition > 0 && c->page_left > 0 ? c->page_rows - e->page_begun : c->page_left;
    if (pending + unseen == 0 || pending + unseen > rows - *begun)
        return false;
    if (e->max_repetition > 0)
        c->row += unseen;
    c->page_left = 0;
    e->used = e->filled = 0;
    *begun += pending + unseen;
    return true;
}

static rwl_status skip_rows(rwl_parquet_entries *e, int64_t rows, rwl_error *err) {
    int64_t begun, skipped;
    bool is_end = false;
    RWL_TRY(skip_kept(e, rows, &begun, err));
    if (e->rows > 0)
        return RWL_OK;
    while (!is_end) {
        if (leave_page(e, rows, &begun))
            continue;
        if (e->used == e->filled) {
            e->used = e->filled = 0;
            RWL_TRY(next_entries(e, begun, rows, rows - begun, &skipped, &is_end, err));
            begun += skipped;
            continue;
        }
        size_t count = next_piece(e, begun, rows);
        if (count == 0)
            break;
        size_t valid = rwl_parquet_levels_count_from(e->definitions + e->used, count, e->max_definition);
        RWL_TRY(rwl_parquet_values_skip(&e->column.values, (int64_t)valid, err));
        begun += count_rows(e, e->used, e->used + count);
        e->used += count;
    }
    drop_front(e, e->used);
    return RWL_OK;
}

rwl_status rwl_parquet_entries_skip(rwl_parquet_entries *e, int64_t rows, rwl_error *err) {
    return rows == 0 ? RWL_OK : in_leaf(e, skip_rows(e, rows, err), err);
}
