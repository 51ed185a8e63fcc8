/* SPDX-License-Identifier: Apache-2.0 */
/* Batches from row groups: ranges read ahead, columns decoded one after the other, ends evened out. */
#include "parquet/reader.h"

#include "parquet/column_read.h"

enum { FETCHES = 2, NO_GROUP = -1 };

#define READ_AHEAD_BYTES    ((int64_t)128 * 1024 * 1024) /* of all columns together */
#define WINDOW_MIN          ((int64_t)64 * 1024)
#define BATCH_BYTES_DEFAULT ((size_t)64 * 1024 * 1024)

struct rwl_parquet_reader {
    rwl_parquet_file *file;
    rwl_file *handle;
    rwl_op *op;
    const rwl_env *env;
    int32_t column_count;
    int32_t *leaves;
    bool *skip_groups; /* NULL: none */
    int64_t pos, end;  /* next row to give, end of the rows asked for */
    int64_t batch_rows;
    int64_t window;
    int32_t group;  /* where pos is */
    bool is_open;   /* the group's columns are started */
    bool is_broken; /* after a failure */
    rwl_parquet_shared shared;
    rwl_parquet_column *columns;
    rwl_column *surplus;                /* a column's rows that a shorter column kept out of the last batch */
    rwl_parquet_fetch fetches[FETCHES]; /* the open group's and the next one's */
    rwl_parquet_spares spares;
    int now;
    int32_t ahead_group; /* what the other fetch is for, or NO_GROUP */
    rwl_parquet_read_stats stats;
};

/* --- making and freeing --- */

static rwl_status check_leaf(const rwl_parquet_file *file, int32_t index, rwl_error *err) {
    if (index < 0 || index >= file->leaf_count)
        return rwl_fail(err, RWL_INTERNAL, "column %d of %d", index, file->leaf_count);
    const rwl_parquet_leaf *leaf = &file->leaves[index];
    if (leaf->is_nested)
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s: nested columns are not supported", leaf->top_name);
    if (leaf->unsupported)
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s: type %s is not supported", leaf->field.name,
                        leaf->type_text);
    return RWL_OK;
}

static bool is_wanted(const rwl_parquet_reader *r, int32_t g) {
    const rwl_parquet_group *group = &r->file->groups[g];
    return r->pos < r->end && group->row_count > 0 && !(r->skip_groups && r->skip_groups[g]) &&
           group->first_row < r->end && group->first_row + group->row_count > r->pos;
}

static rwl_status check_encryption(const rwl_parquet_reader *r, rwl_error *err) {
    for (int32_t g = 0; g < r->file->group_count; g++)
        for (int32_t i = 0; i < r->column_count && is_wanted(r, g); i++)
            if (r->file->groups[g].chunks[r->leaves[i]].encrypted)
                return rwl_fail(err, RWL_UNSUPPORTED, "column %s is encrypted",
                                r->file->leaves[r->leaves[i]].field.name);
    return RWL_OK;
}

/* Values of a fixed length may be long, and cost it even where they are null. */
static void limit_rows(rwl_parquet_reader *r, const rwl_type *type) {
    int64_t most = type->kind == RWL_TYPE_FIXED ? (int64_t)r->shared.batch_bytes / type->length : INT64_MAX;
    if (r->batch_rows > most)
        r->batch_rows = most > 0 ? most : 1;
}

static rwl_status copy_options(rwl_parquet_reader *r, const rwl_parquet_read_options *o, rwl_error *err) {
    const rwl_parquet_file *file = r->file;
    if (o->first_row < 0 || o->row_count < -1 || o->leaf_count < 0)
        return rwl_fail(err, RWL_INTERNAL, "rows %lld and %lld more", (long long)o->first_row,
                        (long long)o->row_count);
    r->pos = o->first_row < file->row_count ? o->first_row : file->row_count;
    r->end = o->row_count >= 0 && o->row_count < file->row_count - r->pos ? r->pos + o->row_count
                                                                          : file->row_count;
    r->batch_rows = o->batch_rows > 0 ? o->batch_rows : RWL_BATCH_ROWS;
    r->shared.batch_bytes =
        o->batch_bytes > 0 && o->batch_bytes < BATCH_BYTES_DEFAULT ? o->batch_bytes : BATCH_BYTES_DEFAULT;
    r->shared.skip_page_crc = o->skip_page_crc;
    size_t n = (size_t)o->leaf_count;
    r->leaves = rwl_calloc(r->env, n + 1, sizeof *r->leaves);
    r->columns = rwl_calloc(r->env, n + 1, sizeof *r->columns);
    r->surplus = rwl_calloc(r->env, n + 1, sizeof *r->surplus);
    size_t groups = (size_t)file->group_count;
    if (o->skip_groups)
        r->skip_groups = rwl_calloc(r->env, groups + 1, sizeof *r->skip_groups);
    if (!r->leaves || !r->columns || !r->surplus || (o->skip_groups && !r->skip_groups))
        return rwl_no_memory(err, (n + 1) * sizeof *r->columns);
    for (size_t g = 0; o->skip_groups && g < groups; g++)
        r->skip_groups[g] = o->skip_groups[g];
    for (size_t i = 0; i < n; i++) {
        RWL_TRY(check_leaf(file, o->leaves[i], err));
        const rwl_parquet_leaf *leaf = &file->leaves[o->leaves[i]];
        r->leaves[i] = o->leaves[i];
        r->columns[i].shared = &r->shared;
        r->columns[i].leaf = leaf;
        r->columns[i].layout = rwl_parquet_layout_of(leaf);
        RWL_TRY(rwl_column_init(&r->surplus[i], r->env, &leaf->field.type, err));
        r->column_count++;
        limit_rows(r, &leaf->field.type);
    }
    return check_encryption(r, err);
}

/* Two pieces in use and one ahead for each column, within the budget. */
static int64_t window_of(const rwl_op *op, int32_t columns) {
    int64_t budget = READ_AHEAD_BYTES;
    if (op->memory_limit > 0 && op->memory_limit / 4 < budget)
        budget = op->memory_limit / 4;
    int64_t window = budget / (3 * (int64_t)(columns > 0 ? columns : 1));
    if (window > RWL_PARQUET_RANGE_MAX)
        window = RWL_PARQUET_RANGE_MAX;
    return window > WINDOW_MIN ? window : WINDOW_MIN;
}

rwl_status rwl_parquet_reader_new(rwl_store *store, rwl_op *op, rwl_parquet_file *file,
                                  const rwl_parquet_read_options *options, rwl_parquet_reader **out,
                                  rwl_error *err) {
    *out = NULL;
    rwl_parquet_reader *r = rwl_calloc(op->env, 1, sizeof *r);
    if (!r)
        return rwl_no_memory(err, sizeof *r);
    r->env = op->env;
    r->op = r->shared.op = op;
    r->file = rwl_parquet_ref(file);
    r->ahead_group = NO_GROUP;
    rwl_status st = copy_options(r, options, err);
    r->window = window_of(op, r->column_count);
    if (st == RWL_OK && r->column_count > 0)
        st = rwl_file_open(store, op, file->location, &r->handle, err);
    if (st != RWL_OK) {
        st = rwl_error_path(err, st, file->location);
        rwl_parquet_reader_free(r);
        return st;
    }
    *out = r;
    return RWL_OK;
}

static void close_fetch(rwl_parquet_reader *r, int slot, bool is_cancelled) {
    r->stats.requests += r->fetches[slot].requests;
    r->stats.bytes_read += r->fetches[slot].bytes;
    rwl_parquet_fetch_clear(&r->fetches[slot], is_cancelled);
}

void rwl_parquet_reader_free(rwl_parquet_reader *r) {
    if (!r)
        return;
    if (r->handle)
        rwl_file_cancel(r->handle);
    for (int i = 0; i < FETCHES; i++)
        close_fetch(r, i, true);
    rwl_parquet_spares_clear(&r->spares, r->op);
    rwl_file_close(r->handle);
    for (int32_t i = 0; i < r->column_count; i++) {
        rwl_parquet_column_clear(&r->columns[i]);
        rwl_column_clear(&r->surplus[i], r->env);
    }
    for (size_t i = 0; i < sizeof r->shared.codecs / sizeof r->shared.codecs[0]; i++)
        rwl_codec_free(r->shared.codecs[i]);
    rwl_free(r->env, r->leaves);
    rwl_free(r->env, r->columns);
    rwl_free(r->env, r->surplus);
    rwl_free(r->env, r->skip_groups);
    rwl_parquet_close(r->file);
    rwl_free(r->env, r);
}

/* --- row groups --- */

/* Moves to the next group with rows to give, at or after the current one; false at the end. */
static bool find_group(rwl_parquet_reader *r) {
    for (; r->group < r->file->group_count; r->group++) {
        const rwl_parquet_group *group = &r->file->groups[r->group];
        if (is_wanted(r, r->group)) {
            if (r->pos < group->first_row)
                r->pos = group->first_row;
            return true;
        }
        if (r->skip_groups && r->skip_groups[r->group] && group->first_row < r->end &&
            group->first_row + group->row_count > r->pos)
            r->stats.groups_skipped++;
    }
    return false;
}

/* Asks for the first ranges of the next group. What goes wrong comes up again when the group's turn comes. */
static void read_ahead(rwl_parquet_reader *r) {
    int32_t g = r->group + 1;
    while (g < r->file->group_count && !is_wanted(r, g))
        g++;
    r->ahead_group = NO_GROUP;
    if (g == r->file->group_count)
        return;
    rwl_error ignored = {0};
    if (rwl_parquet_fetch_start(&r->fetches[1 - r->now], r->handle, r->op, &r->spares, r->window,
                                &r->file->groups[g], r->leaves, r->column_count, &ignored) == RWL_OK)
        r->ahead_group = g;
}

static rwl_status open_group(rwl_parquet_reader *r, rwl_error *err) {
    const rwl_parquet_group *group = &r->file->groups[r->group];
    close_fetch(r, r->now, false);
    r->now = 1 - r->now;
    if (r->ahead_group != r->group) {
        close_fetch(r, r->now, false);
        RWL_TRY(rwl_parquet_fetch_start(&r->fetches[r->now], r->handle, r->op, &r->spares, r->window, group,
                                        r->leaves, r->column_count, err));
    }
    read_ahead(r);
    for (int32_t i = 0; i < r->column_count; i++) {
        rwl_parquet_column *column = &r->columns[i];
        RWL_TRY(rwl_parquet_column_start(column, &r->fetches[r->now].feeds[i], &group->chunks[r->leaves[i]],
                                         group->row_count, err));
        RWL_TRY(rwl_parquet_column_skip(column, r->pos - group->first_row, err));
    }
    r->is_open = true;
    r->stats.groups_read++;
    return RWL_OK;
}

/* --- batches --- */

static rwl_status check_batch(const rwl_parquet_reader *r, const rwl_batch *batch, rwl_error *err) {
    if (batch->column_count != r->column_count)
        return rwl_fail(err, RWL_INTERNAL, "batch of %d columns for %d", batch->column_count,
                        r->column_count);
    for (int32_t i = 0; i < r->column_count; i++)
        if (!rwl_type_equal(&batch->columns[i].type, &r->columns[i].leaf->field.type))
            return rwl_fail(err, RWL_INTERNAL, "column %s: batch of another type",
                            r->columns[i].leaf->field.name);
    return RWL_OK;
}

/* Up to `rows` rows of column `i`, those kept back from the last batch first. */
static rwl_status read_column(rwl_parquet_reader *r, int32_t i, rwl_column *out, int64_t rows,
                              rwl_error *err) {
    rwl_column *surplus = &r->surplus[i];
    if (surplus->length > 0) {
        rwl_column swap = *out;
        *out = *surplus;
        *surplus = swap;
        rwl_column_reset(surplus);
    }
    if (out->length >= rows)
        return RWL_OK;
    return rwl_parquet_column_read(&r->columns[i], out, rows - out->length, err);
}

/* Keeps the rows of `out` behind the first `rows` for the next batch. */
static rwl_status cut_column(rwl_parquet_reader *r, int32_t i, rwl_column *out, int64_t rows,
                             rwl_error *err) {
    rwl_column *surplus = &r->surplus[i];
    if (out->length == rows)
        return RWL_OK;
    rwl_range rest = {rows, out->length - rows};
    RWL_TRY(rwl_column_take_ranges(out, &rest, 1, surplus, r->env, err));
    out->length = rows;
    out->null_count -= surplus->null_count;
    out->bytes_len -= surplus->bytes_len;
    return RWL_OK;
}

static rwl_status read_batch(rwl_parquet_reader *r, rwl_batch *batch, int64_t rows, rwl_error *err) {
    int64_t shortest = rows;
    if (!r->is_open && r->column_count > 0)
        RWL_TRY(open_group(r, err));
    for (int32_t i = 0; i < r->column_count; i++) {
        RWL_TRY(read_column(r, i, &batch->columns[i], rows, err));
        if (batch->columns[i].length < shortest)
            shortest = batch->columns[i].length;
    }
    for (int32_t i = 0; i < r->column_count; i++)
        RWL_TRY(cut_column(r, i, &batch->columns[i], shortest, err));
    batch->length = shortest;
    return RWL_OK;
}

rwl_status rwl_parquet_reader_next(rwl_parquet_reader *r, rwl_batch *batch, int64_t *first_pos,
                                   rwl_error *err) {
    if (r->is_broken)
        return rwl_fail(err, RWL_INTERNAL, "%s: read on after a failure", r->file->location);
    RWL_TRY(rwl_op_check(r->op, err));
    rwl_batch_reset(batch);
    RWL_TRY(check_batch(r, batch, err));
    bool is_more = find_group(r);
    *first_pos = r->pos;
    if (!is_more)
        return RWL_OK;
    const rwl_parquet_group *group = &r->file->groups[r->group];
    int64_t group_end = group->first_row + group->row_count;
    int64_t rows = (group_end < r->end ? group_end : r->end) - r->pos;
    rwl_status st = read_batch(r, batch, rows < r->batch_rows ? rows : r->batch_rows, err);
    if (st != RWL_OK) {
        r->is_broken = true;
        rwl_batch_reset(batch);
        st = rwl_error_in(err, st, "row group %d", r->group);
        return rwl_error_path(err, st, r->file->location);
    }
    r->pos += batch->length;
    if (r->pos == group_end) {
        r->is_open = false;
        r->group++;
    }
    return RWL_OK;
}

rwl_parquet_read_stats rwl_parquet_reader_stats(const rwl_parquet_reader *r) {
    rwl_parquet_read_stats stats = r->stats;
    stats.pages_read = r->shared.pages_read;
    stats.pages_skipped = r->shared.pages_skipped;
    for (int i = 0; i < FETCHES; i++) {
        stats.requests += r->fetches[i].requests;
        stats.bytes_read += r->fetches[i].bytes;
    }
    return stats;
}
