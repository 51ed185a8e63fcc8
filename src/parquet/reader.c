/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of a reader: columns decoded one after another or side by side, ends evened out. */
#include "parquet/reader_internal.h"

#define READ_AHEAD_BYTES    ((int64_t)128 * 1024 * 1024) /* of all columns together */
#define WINDOW_MIN          ((int64_t)64 * 1024)
#define BATCH_BYTES_DEFAULT ((size_t)64 * 1024 * 1024)

enum {
    LANES_MAX = 64,      /* decompressors that may exist side by side */
    TASK_VALUES = 16384, /* a batch of fewer values is not worth handing out */
    NO_GROUP = RWL_PARQUET_NO_GROUP
};

/* --- making and freeing --- */

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static rwl_status make_lanes(rwl_parquet_reader *r, const rwl_parquet_read_options *o, rwl_error *err) {
    r->pool = o->node_count > 1 && rwl_pool_threads(o->pool) > 1 ? o->pool : NULL;
    r->lane_count = !r->pool ? 1 : o->node_count < LANES_MAX ? o->node_count : LANES_MAX;
    r->lanes = rwl_calloc(r->env, (size_t)r->lane_count, sizeof *r->lanes);
    if (!r->lanes)
        return rwl_no_memory(err, sizeof *r->lanes);
    for (int32_t i = 0; i < r->lane_count; i++) {
        r->lanes[i].op = r->op;
        r->lanes[i].batch_bytes =
            o->batch_bytes > 0 && o->batch_bytes < BATCH_BYTES_DEFAULT ? o->batch_bytes : BATCH_BYTES_DEFAULT;
        r->lanes[i].skip_page_crc = o->skip_page_crc;
    }
    return RWL_OK;
}

/* The rows asked for: those of `ranges` between first and end, or all. */
static rwl_status copy_ranges(rwl_parquet_reader *r, const rwl_parquet_read_options *o, rwl_error *err) {
    size_t n = o->ranges ? o->range_count : 1;
    r->ranges = rwl_calloc(r->env, n + 1, sizeof *r->ranges);
    if (!r->ranges)
        return rwl_no_memory(err, n * sizeof *r->ranges);
    rwl_range all = {r->first, r->end - r->first};
    int64_t last = 0;
    for (size_t i = 0; i < n; i++) {
        rwl_range range = o->ranges ? o->ranges[i] : all;
        if (range.start < last || range.count < 0 || !rwl_i64_add(range.start, range.count, &last))
            return rwl_fail(err, RWL_INTERNAL, "range %zu: %lld rows from %lld", i, (long long)range.count,
                            (long long)range.start);
        int64_t start = most(range.start, r->first), end = least(last, r->end);
        if (start < end)
            r->ranges[r->range_count++] = (rwl_range){start, end - start};
    }
    return RWL_OK;
}

static rwl_status add_column(rwl_parquet_reader *r, int32_t node, const bool *wanted, rwl_error *err) {
    int32_t count;
    rwl_parquet_reader_column *c = &r->columns[r->column_count];
    rwl_parquet_shared *lane = &r->lanes[r->column_count % r->lane_count];
    RWL_TRY(rwl_parquet_tree_new(lane, r->file, node, wanted, &c->tree, err));
    r->fields[r->column_count++] = *rwl_parquet_tree_field(c->tree);
    const int32_t *leaves = rwl_parquet_tree_leaves(c->tree, &count);
    c->first_leaf = r->leaf_count;
    c->leaf_count = count;
    for (int32_t i = 0; i < count; i++)
        r->leaves[r->leaf_count++] = leaves[i];
    return rwl_column_init(&c->surplus, r->env, &r->fields[r->column_count - 1].type, err);
}

static rwl_status make_columns(rwl_parquet_reader *r, const rwl_parquet_read_options *o, rwl_error *err) {
    const rwl_parquet_file *file = r->file;
    size_t n = (size_t)o->node_count, leaves = 0;
    for (int32_t i = 0; i < o->node_count; i++) {
        if (o->nodes[i] < 0 || o->nodes[i] >= file->node_count)
            return rwl_fail(err, RWL_INTERNAL, "column %d of %d", o->nodes[i], file->node_count);
        leaves += (size_t)file->nodes[o->nodes[i]].leaf_count;
    }
    r->columns = rwl_calloc(r->env, n + 1, sizeof *r->columns);
    r->fields = rwl_calloc(r->env, n + 1, sizeof *r->fields);
    r->leaves = rwl_calloc(r->env, leaves + 1, sizeof *r->leaves);
    r->wanted_to = rwl_calloc(r->env, leaves + 1, sizeof *r->wanted_to);
    if (!r->columns || !r->fields || !r->leaves || !r->wanted_to)
        return rwl_no_memory(err, (n + 1) * sizeof *r->columns);
    for (int32_t i = 0; i < o->node_count; i++)
        RWL_TRY(add_column(r, o->nodes[i], o->wanted, err));
    return RWL_OK;
}

static rwl_status check_encryption(const rwl_parquet_reader *r, rwl_error *err) {
    for (int32_t g = 0; g < r->file->group_count; g++) {
        const rwl_parquet_group *group = &r->file->groups[g];
        bool is_asked = group->first_row < r->end && group->first_row + group->row_count > r->first;
        for (int32_t i = 0; i < r->leaf_count && is_asked; i++)
            if (group->chunks[r->leaves[i]].encrypted)
                return rwl_fail(err, RWL_UNSUPPORTED, "column %s is encrypted",
                                r->file->leaves[r->leaves[i]].field.name);
    }
    return RWL_OK;
}

/* Values of a fixed length may be long, and cost it even where they are null. */
static void limit_rows(rwl_parquet_reader *r) {
    for (int32_t i = 0; i < r->leaf_count; i++) {
        const rwl_type *type = &r->file->leaves[r->leaves[i]].field.type;
        if (type->kind == RWL_TYPE_FIXED && type->length > 0)
            r->batch_rows = least(r->batch_rows, (int64_t)r->lanes[0].batch_bytes / type->length);
    }
    r->batch_rows = most(r->batch_rows, 1);
}

static rwl_status copy_options(rwl_parquet_reader *r, const rwl_parquet_read_options *o, rwl_error *err) {
    const rwl_parquet_file *file = r->file;
    if (o->first_row < 0 || o->row_count < -1 || o->node_count < 0)
        return rwl_fail(err, RWL_INTERNAL, "rows %lld and %lld more", (long long)o->first_row,
                        (long long)o->row_count);
    r->first = r->pos = least(o->first_row, file->row_count);
    r->end = o->row_count < 0 ? file->row_count : r->first + least(o->row_count, file->row_count - r->first);
    r->batch_rows = o->batch_rows > 0 ? o->batch_rows : RWL_BATCH_ROWS;
    RWL_TRY(make_lanes(r, o, err));
    RWL_TRY(copy_ranges(r, o, err));
    RWL_TRY(make_columns(r, o, err));
    limit_rows(r);
    return check_encryption(r, err);
}

/* Two pieces in use and one ahead for each column, within the budget. */
static int64_t window_of(const rwl_op *op, const rwl_file *file, int32_t columns) {
    int64_t budget = READ_AHEAD_BYTES;
    if (op->memory_limit > 0 && op->memory_limit / 4 < budget)
        budget = op->memory_limit / 4;
    int64_t window = budget / (3 * (int64_t)(columns > 0 ? columns : 1));
    return most(least(window, rwl_parquet_range_max(file)), WINDOW_MIN);
}

rwl_status rwl_parquet_reader_new(rwl_store *store, rwl_op *op, rwl_parquet_file *file,
                                  const rwl_parquet_read_options *options, rwl_parquet_reader **out,
                                  rwl_error *err) {
    *out = NULL;
    rwl_parquet_reader *r = rwl_calloc(op->env, 1, sizeof *r);
    if (!r)
        return rwl_no_memory(err, sizeof *r);
    r->env = op->env;
    r->op = op;
    r->file = rwl_parquet_ref(file);
    r->seen_group = NO_GROUP;
    for (int i = 0; i < RWL_PARQUET_FETCHES; i++) {
        rwl_arena_init(&r->fetches[i].arena, r->env, 0);
        r->fetches[i].group = NO_GROUP;
    }
    rwl_status st = copy_options(r, options, err);
    if (st == RWL_OK && r->leaf_count > 0)
        st = rwl_file_open(store, op, file->location, &r->handle, err);
    if (st == RWL_OK && r->leaf_count > 0)
        r->window = window_of(op, r->handle, r->leaf_count);
    if (st != RWL_OK) {
        st = rwl_error_path(err, st, file->location);
        rwl_parquet_reader_free(r);
        return st;
    }
    rwl_parquet_index_source_init(&r->source, r->handle, op, file);
    *out = r;
    return RWL_OK;
}

static void free_lanes(rwl_parquet_reader *r) {
    for (int32_t i = 0; r->lanes && i < r->lane_count; i++)
        for (size_t j = 0; j < sizeof r->lanes[i].codecs / sizeof r->lanes[i].codecs[0]; j++)
            rwl_codec_free(r->lanes[i].codecs[j]);
    rwl_free(r->env, r->lanes);
}

void rwl_parquet_reader_free(rwl_parquet_reader *r) {
    if (!r)
        return;
    if (r->handle)
        rwl_file_cancel(r->handle);
    for (int i = 0; i < RWL_PARQUET_FETCHES; i++) {
        rwl_parquet_reader_close_fetch(r, i, true);
        rwl_arena_clear(&r->fetches[i].arena);
    }
    rwl_parquet_spares_clear(&r->spares, r->op);
    rwl_parquet_index_source_clear(&r->source);
    rwl_file_close(r->handle);
    for (int32_t i = 0; i < r->column_count; i++) {
        rwl_parquet_tree_free(r->columns[i].tree);
        rwl_column_clear(&r->columns[i].surplus, r->env);
    }
    free_lanes(r);
    rwl_free(r->env, r->columns);
    rwl_free(r->env, r->fields);
    rwl_free(r->env, r->leaves);
    rwl_free(r->env, r->wanted_to);
    rwl_free(r->env, r->ranges);
    rwl_parquet_close(r->file);
    rwl_free(r->env, r);
}

const rwl_field *rwl_parquet_reader_fields(const rwl_parquet_reader *r, int32_t *count) {
    *count = r->column_count;
    return r->fields;
}

/* --- where to read on --- */

static int64_t group_end(const rwl_parquet_reader *r, int32_t g) {
    return r->file->groups[g].first_row + r->file->groups[g].row_count;
}

/* Pages behind the last rows that were wanted of the open group. */
static int64_t pages_left(const rwl_parquet_reader *r) {
    int64_t left = 0;
    for (int32_t i = 0; r->is_open && i < r->column_count; i++)
        left += rwl_parquet_tree_pages_left(r->columns[i].tree);
    return left;
}

/* Passes the groups that end at or before `row`; those asked for without rows to give were pruned away. */
static void pass_groups(rwl_parquet_reader *r, int64_t row) {
    for (; r->group < r->file->group_count && group_end(r, r->group) <= row; r->group++) {
        const rwl_parquet_group *group = &r->file->groups[r->group];
        bool is_asked =
            group->row_count > 0 && group->first_row < r->end && group_end(r, r->group) > r->first;
        r->stats.groups_skipped += is_asked && r->seen_group != r->group;
        r->stats.pages_skipped += pages_left(r);
        r->is_open = false;
    }
}

/* Moves to the next rows to give; false at the end. */
static bool find_rows(rwl_parquet_reader *r) {
    for (; r->range_at < r->range_count; r->range_at++) {
        const rwl_range *range = &r->ranges[r->range_at];
        r->pos = most(r->pos, range->start);
        if (r->pos >= range->start + range->count)
            continue;
        pass_groups(r, r->pos);
        r->seen_group = r->group;
        return true;
    }
    r->pos = most(r->pos, r->end);
    pass_groups(r, r->file->row_count);
    return false;
}

/* --- columns --- */

static rwl_status check_batch(const rwl_parquet_reader *r, const rwl_batch *batch, rwl_error *err) {
    if (batch->column_count != r->column_count)
        return rwl_fail(err, RWL_INTERNAL, "batch of %d columns for %d", batch->column_count,
                        r->column_count);
    for (int32_t i = 0; i < r->column_count; i++)
        if (!rwl_type_equal(&batch->columns[i].type, &r->fields[i].type))
            return rwl_fail(err, RWL_INTERNAL, "column %s: batch of another type", r->fields[i].name);
    return RWL_OK;
}

/* Up to `rows` rows of one range from its row `done` on. *is_full: the column can take no more. */
static rwl_status read_range(rwl_parquet_reader_column *c, const rwl_range *range, int64_t done, int64_t rows,
                             rwl_column *out, bool *is_full, rwl_error *err) {
    int64_t start = range->start + done, before = out->length;
    if (start > c->at)
        RWL_TRY(rwl_parquet_tree_skip(c->tree, start - c->at, err));
    c->at = start;
    RWL_TRY(rwl_parquet_tree_read(c->tree, out, rows, err));
    c->at += out->length - before;
    *is_full = out->length - before < rows;
    return RWL_OK;
}

/* Up to `rows` rows of `ranges`, those kept back from the last batch first. */
static rwl_status read_column(rwl_parquet_reader_column *c, const rwl_range *ranges, size_t count,
                              int64_t rows, rwl_column *out, rwl_error *err) {
    if (c->surplus.length > 0) {
        rwl_column_swap(out, &c->surplus);
        rwl_column_reset(&c->surplus);
    }
    int64_t before = 0; /* rows of the ranges passed */
    bool is_full = false;
    for (size_t i = 0; i < count && out->length < rows && !is_full; i++) {
        int64_t end = before + ranges[i].count;
        if (out->length < end)
            RWL_TRY(read_range(c, &ranges[i], out->length - before, least(end, rows) - out->length, out,
                               &is_full, err));
        before = end;
    }
    return RWL_OK;
}

/* Keeps the rows of `out` behind the first `rows` for the next batch. */
static rwl_status cut_column(rwl_parquet_reader *r, rwl_parquet_reader_column *c, rwl_column *out,
                             int64_t rows, rwl_error *err) {
    if (out->length == rows)
        return RWL_OK;
    rwl_range rest = {rows, out->length - rows}, kept = {0, rows};
    RWL_TRY(rwl_column_take_ranges(out, &rest, 1, &c->surplus, r->env, err));
    if (rwl_type_is_nested(&out->type)) {
        rwl_column whole = *out;
        memset(out, 0, sizeof *out);
        rwl_status st = rwl_column_init(out, r->env, &whole.type, err);
        if (st == RWL_OK)
            st = rwl_column_take_ranges(&whole, &kept, 1, out, r->env, err);
        rwl_column_clear(&whole, r->env);
        return st;
    }
    out->length = rows;
    out->null_count -= c->surplus.null_count;
    out->bytes_len -= c->surplus.bytes_len;
    return RWL_OK;
}

/* --- batches --- */

typedef struct job {
    rwl_parquet_reader *r;
    rwl_batch *batch;
    const rwl_range *ranges;
    size_t count;
    int64_t rows;
    int32_t lane;
} job;

/* The columns of a lane. Failures stay with their columns, so that the first column's is told whatever ran first. */
static rwl_status read_lane(void *arg, rwl_error *err) {
    (void)err;
    const job *j = arg;
    rwl_parquet_reader *r = j->r;
    for (int32_t i = j->lane; i < r->column_count; i += r->lane_count) {
        rwl_parquet_reader_column *c = &r->columns[i];
        c->status = read_column(c, j->ranges, j->count, j->rows, &j->batch->columns[i], &c->error);
        if (c->status != RWL_OK)
            break;
    }
    return RWL_OK;
}

static rwl_status read_lanes(rwl_parquet_reader *r, const job *what, rwl_error *err) {
    job jobs[LANES_MAX];
    rwl_group *group = NULL;
    bool is_small = what->rows * r->column_count < TASK_VALUES;
    RWL_TRY(rwl_group_new(is_small ? NULL : r->pool, r->op, &group, err));
    rwl_status st = RWL_OK;
    for (int32_t i = 0; i < r->lane_count && st == RWL_OK; i++) {
        jobs[i] = *what;
        jobs[i].lane = i;
        st = rwl_group_submit(group, read_lane, &jobs[i], err);
    }
    rwl_status waited = rwl_group_wait(group, st == RWL_OK ? err : NULL);
    rwl_group_free(group);
    return st == RWL_OK ? waited : st;
}

static rwl_status read_columns(rwl_parquet_reader *r, const job *what, rwl_error *err) {
    for (int32_t i = 0; i < r->column_count; i++)
        r->columns[i].status = RWL_OK;
    if (r->pool)
        RWL_TRY(read_lanes(r, what, err));
    else
        RWL_TRY(read_lane((void *)what, err));
    for (int32_t i = 0; i < r->column_count; i++)
        if (r->columns[i].status != RWL_OK) {
            if (err)
                *err = r->columns[i].error;
            return r->columns[i].status;
        }
    return RWL_OK;
}

/* Up to `rows` rows of `ranges`, all of the group where pos is. */
static rwl_status read_batch(rwl_parquet_reader *r, const rwl_range *ranges, size_t count, int64_t rows,
                             rwl_batch *batch, rwl_error *err) {
    if (r->column_count > 0) {
        if (!r->is_open)
            RWL_TRY(rwl_parquet_reader_open_group(r, err));
        if (r->is_taking)
            RWL_TRY(rwl_parquet_reader_want(r, ranges, count, err));
        job what = {.r = r, .batch = batch, .ranges = ranges, .count = count, .rows = rows};
        RWL_TRY(read_columns(r, &what, err));
    }
    for (int32_t i = 0; i < r->column_count; i++)
        rows = least(rows, batch->columns[i].length);
    for (int32_t i = 0; i < r->column_count; i++)
        RWL_TRY(cut_column(r, &r->columns[i], &batch->columns[i], rows, err));
    batch->length = rows;
    return RWL_OK;
}

static rwl_status end_batch(rwl_parquet_reader *r, rwl_status st, rwl_batch *batch, rwl_error *err) {
    if (st == RWL_OK)
        return RWL_OK;
    r->is_broken = true;
    rwl_batch_reset(batch);
    st = rwl_error_in(err, st, "row group %d", r->group);
    return rwl_error_path(err, st, r->file->location);
}

static rwl_status begin_batch(rwl_parquet_reader *r, rwl_batch *batch, rwl_error *err) {
    if (r->is_broken)
        return rwl_fail(err, RWL_INTERNAL, "%s: read on after a failure", r->file->location);
    RWL_TRY(rwl_op_check(r->op, err));
    rwl_batch_reset(batch);
    return check_batch(r, batch, err);
}

rwl_status rwl_parquet_reader_next(rwl_parquet_reader *r, rwl_batch *batch, int64_t *first_pos,
                                   rwl_error *err) {
    RWL_TRY(begin_batch(r, batch, err));
    bool is_more = find_rows(r);
    *first_pos = r->pos;
    if (!is_more)
        return RWL_OK;
    const rwl_range *range = &r->ranges[r->range_at];
    rwl_range rest = {r->pos, least(range->start + range->count, group_end(r, r->group)) - r->pos};
    rest.count = least(rest.count, r->batch_rows);
    RWL_TRY(end_batch(r, read_batch(r, &rest, 1, rest.count, batch, err), batch, err));
    r->pos += batch->length;
    return RWL_OK;
}

/* The rows of ranges, when they are what take allows; 0 and an error else. */
static rwl_status check_take(const rwl_parquet_reader *r, const rwl_range *ranges, size_t count,
                             int64_t *rows, rwl_error *err) {
    int64_t last = r->pos;
    *rows = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_fine = ranges[i].start >= last && ranges[i].count > 0 &&
                       rwl_i64_add(ranges[i].start, ranges[i].count, &last) && last <= r->file->row_count;
        if (!is_fine)
            return rwl_fail(err, RWL_INTERNAL, "taking %lld rows from %lld, at %lld",
                            (long long)ranges[i].count, (long long)ranges[i].start, (long long)r->pos);
        *rows += ranges[i].count;
    }
    return RWL_OK;
}

/* The physical position behind the first `rows` rows of the ranges. */
static int64_t behind(const rwl_range *ranges, int64_t rows) {
    for (; rows > ranges->count; ranges++)
        rows -= ranges->count;
    return ranges->start + rows;
}

rwl_status rwl_parquet_reader_take(rwl_parquet_reader *r, const rwl_range *ranges, size_t count,
                                   rwl_batch *batch, rwl_error *err) {
    int64_t rows;
    RWL_TRY(begin_batch(r, batch, err));
    RWL_TRY(check_take(r, ranges, count, &rows, err));
    if (rows == 0)
        return RWL_OK;
    r->is_taking = true;
    pass_groups(r, ranges[0].start);
    r->seen_group = r->group;
    if (ranges[count - 1].start + ranges[count - 1].count > group_end(r, r->group))
        return rwl_fail(err, RWL_INTERNAL, "taking rows of two row groups");
    RWL_TRY(end_batch(r, read_batch(r, ranges, count, least(rows, r->batch_rows), batch, err), batch, err));
    r->pos = behind(ranges, batch->length);
    return RWL_OK;
}

rwl_parquet_read_stats rwl_parquet_reader_stats(const rwl_parquet_reader *r) {
    rwl_parquet_read_stats stats = r->stats;
    stats.pages_skipped += pages_left(r);
    for (int32_t i = 0; i < r->lane_count; i++) {
        stats.pages_read += r->lanes[i].pages_read;
        stats.pages_skipped += r->lanes[i].pages_skipped;
    }
    for (int i = 0; i < RWL_PARQUET_FETCHES; i++) {
        stats.requests += r->fetches[i].fetch.requests;
        stats.bytes_read += r->fetches[i].fetch.bytes;
    }
    stats.requests += r->source.requests;
    stats.bytes_read += r->source.bytes;
    return stats;
}
