/* SPDX-License-Identifier: Apache-2.0 */
/* Fragment after fragment, the next rows being read while the caller has the last ones; the ordered form lets scan_order
 * read them all first. */
#include "engine/scan.h"

#include "base/pool.h"
#include "engine/scan_order.h"

struct rwl_scan {
    const rwl_table *table;
    rwl_op *op;
    rwl_scan_options options;
    rwl_row_filter filter;
    rwl_driver driver;
    rwl_planner *plan;  /* NULL when the fragments are given */
    size_t next_given;  /* of those */
    rwl_row_scan *rows; /* of the fragment being read, NULL between fragments */
    rwl_rows batch;     /* its rows; the columns go to the caller's batch */
    bool batch_ready;
    rwl_group *ahead;      /* of the task that reads the next rows into `batch` */
    bool is_ahead;         /* it was started */
    int64_t left;          /* rows still to give, -1: no limit */
    rwl_read_stats files;  /* of finished fragments */
    rwl_scan_order *order; /* order_by_row_id, once all rows were read */
};

static void add_stats(rwl_read_stats *to, const rwl_read_stats *from) {
    to->groups_read += from->groups_read;
    to->groups_skipped += from->groups_skipped;
    to->pages_read += from->pages_read;
    to->pages_skipped += from->pages_skipped;
    to->bytes_read += from->bytes_read;
    to->requests += from->requests;
}

static void close_fragment(rwl_scan *s) {
    if (s->rows == NULL)
        return;
    rwl_read_stats stats = rwl_row_scan_stats(s->rows);
    add_stats(&s->files, &stats);
    rwl_row_scan_close(s->rows);
    s->rows = NULL;
}

/* The next fragment, *out NULL at the end. */
static rwl_status next_fragment(rwl_scan *s, const rwl_fragment **out, rwl_error *err) {
    if (s->plan != NULL)
        return s->driver.vtable->plan_next(s->plan, out, err);
    *out = s->next_given < s->options.fragment_count ? &s->options.fragments[s->next_given++] : NULL;
    return RWL_OK;
}

/* Sets `rows` to the next rows in plan order. */
static rwl_status next_rows(void *ctx, rwl_rows *rows, rwl_error *err) {
    rwl_scan *s = ctx;
    for (;;) {
        if (s->rows == NULL) {
            const rwl_fragment *fragment;
            RWL_TRY(next_fragment(s, &fragment, err));
            if (fragment == NULL) {
                rwl_batch_reset(&rows->batch);
                return RWL_OK;
            }
            rwl_row_scan_options options = {.lineage = s->options.order_by_row_id ? RWL_LINEAGE_ROW_IDS : 0,
                                            .skip_page_crc = s->options.skip_page_crc,
                                            .rows = s->options.range,
                                            .batch_rows = s->options.batch_rows};
            RWL_TRY(rwl_row_scan_open(s->table, s->op, &s->filter, fragment, &options, &s->rows, err));
        }
        RWL_TRY(rwl_row_scan_next(s->rows, rows, err));
        if (rows->batch.length > 0)
            return RWL_OK;
        close_fragment(s);
    }
}

/* Moves the columns of `from` into `batch`, whose own buffers take their place. */
static void swap_columns(rwl_batch *from, rwl_batch *batch) {
    for (int32_t i = 0; i < batch->column_count; i++)
        rwl_column_swap(&batch->columns[i], &from->columns[i]);
    batch->length = from->length;
}

static rwl_status cut_to_limit(rwl_scan *s, rwl_batch *from, rwl_batch *batch, rwl_error *err) {
    if (s->left < 0 || from->length <= s->left) {
        swap_columns(from, batch);
    } else {
        rwl_range first = {0, s->left};
        for (int32_t i = 0; i < batch->column_count; i++)
            RWL_TRY(
                rwl_column_take_ranges(&from->columns[i], &first, 1, &batch->columns[i], batch->env, err));
        batch->length = s->left;
    }
    if (s->left >= 0)
        s->left -= batch->length;
    return RWL_OK;
}

static rwl_status order_rows(rwl_scan *s, rwl_error *err) {
    RWL_TRY(rwl_scan_order_new(s->op, s->filter.fields, s->filter.output_count, s->options.limit, &s->order,
                               err));
    return rwl_scan_order_read(s->order, next_rows, s, err);
}

static rwl_status read_rows(void *arg, rwl_error *err) {
    rwl_scan *s = arg;
    return next_rows(s, &s->batch, err);
}

static rwl_status start_reading(rwl_scan *s, rwl_error *err) {
    RWL_TRY(rwl_group_submit(s->ahead, read_rows, s, err));
    s->is_ahead = true;
    return RWL_OK;
}

/* The next rows in plan order; what comes after them is read meanwhile, where there is a thread for it. */
static rwl_status next_planned(rwl_scan *s, rwl_batch *batch, rwl_error *err) {
    if (!s->is_ahead)
        RWL_TRY(start_reading(s, err));
    RWL_TRY(rwl_group_wait(s->ahead, err));
    s->is_ahead = false;
    RWL_TRY(cut_to_limit(s, &s->batch.batch, batch, err));
    bool has_more = batch->length > 0 && s->left != 0;
    return has_more && rwl_pool_threads(s->op->env->pool) > 1 ? start_reading(s, err) : (rwl_status)RWL_OK;
}

rwl_status rwl_scan_next(rwl_scan *s, rwl_batch *batch, rwl_error *err) {
    rwl_batch_reset(batch);
    if (s->left == 0)
        return RWL_OK;
    if (!s->options.order_by_row_id)
        return next_planned(s, batch, err);
    if (s->order == NULL)
        RWL_TRY(order_rows(s, err));
    rwl_batch *ordered;
    RWL_TRY(rwl_scan_order_next(s->order, &ordered, err));
    return cut_to_limit(s, ordered, batch, err);
}

const rwl_field *rwl_scan_fields(const rwl_scan *s, int32_t *count) {
    *count = s->filter.output_count;
    return s->filter.fields;
}

rwl_scan_stats rwl_scan_get_stats(const rwl_scan *s) {
    rwl_status st = rwl_group_wait(s->ahead, NULL);
    (void)st; /* a failure is told with the rows */
    rwl_scan_stats stats = {.files = s->files, .plan.files_read = (int64_t)s->next_given};
    if (s->plan != NULL)
        stats.plan = s->driver.vtable->plan_stats(s->plan);
    if (s->rows != NULL) {
        rwl_read_stats open = rwl_row_scan_stats(s->rows);
        add_stats(&stats.files, &open);
    }
    return stats;
}

/* Of a few rows from the front no more is read than that; not one by one, should the first ones be deleted. */
static void read_less(rwl_scan *s) {
    enum { LEAST = 1024 };
    if (s->left < 0 || s->left >= RWL_BATCH_ROWS || s->options.batch_rows > 0 || s->options.order_by_row_id ||
        s->filter.row_filter != NULL)
        return;
    s->options.batch_rows = s->left > LEAST ? s->left : LEAST;
}

static rwl_status open_scan(rwl_scan *s, rwl_error *err) {
    read_less(s);
    RWL_TRY(rwl_rows_init(&s->batch, s->op->env, s->filter.fields, s->filter.output_count, err));
    s->batch_ready = true;
    RWL_TRY(rwl_group_new(s->op->env->pool, s->op, &s->ahead, err));
    if (s->options.fragments != NULL)
        return RWL_OK;
    return rwl_table_plan(s->table, &s->driver, s->op, s->filter.plan_filter, &s->plan, err);
}

rwl_status rwl_scan_open(const rwl_table *table, rwl_op *op, const rwl_scan_options *options, rwl_scan **out,
                         rwl_error *err) {
    rwl_scan *s = rwl_calloc(op->env, 1, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    bool is_one = table->file != NULL || (options->fragments != NULL && options->fragment_count == 1);
    if (options->range.count > 0 && !is_one) {
        rwl_free(op->env, s);
        return rwl_fail(err, RWL_INTERNAL, "a range of rows is of one fragment");
    }
    s->table = table;
    s->driver = rwl_table_driver(table);
    s->op = op;
    s->options = *options;
    s->options.rows.pool = op->env->pool;
    s->left = options->limit;
    rwl_status st =
        rwl_row_filter_init(&s->filter, op->env, &s->driver, table->schema, &s->options.rows, err);
    if (st == RWL_OK)
        st = open_scan(s, err);
    if (st != RWL_OK) {
        rwl_scan_close(s);
        return st;
    }
    *out = s;
    return RWL_OK;
}

void rwl_scan_close(rwl_scan *s) {
    if (s == NULL)
        return;
    rwl_group_free(s->ahead); /* waits */
    close_fragment(s);
    s->driver.vtable->plan_close(s->plan);
    rwl_scan_order_free(s->order);
    if (s->batch_ready)
        rwl_rows_clear(&s->batch);
    rwl_row_filter_clear(&s->filter);
    rwl_free(s->op->env, s);
}
