/* SPDX-License-Identifier: Apache-2.0 */
/* One task a fragment, sums merged at the end: none of them depends on order. */
#include "engine/digest.h"

#include "base/pool.h"
#include "base/thread.h"
#include "base/vec.h"
#include "engine/row_scan.h"

typedef struct summing {
    const rwl_table *table;
    rwl_op *op;
    rwl_driver driver;
    rwl_row_filter filter;
    bool lineage;   /* digest; false: only rows are counted */
    bool has_ids;   /* false: what is read as ids are addresses */
    rwl_mutex lock; /* guards total */
    rwl_digest total;
} summing;

typedef struct fragment_task {
    summing *sum;
    rwl_arena arena; /* holds the fragment */
    rwl_fragment fragment;
    struct fragment_task *next;
} fragment_task;

/* Without a filter, what metadata say of rows and deletes may be all that a count needs. */
static bool is_counted(const summing *sum, const rwl_fragment *f) {
    bool tells_live = f->delete_count == 0 || (f->delete_count == 1 && f->deletes[0].is_counted);
    return tells_live && !sum->lineage && sum->filter.row_filter == NULL;
}

static void add_counted(const rwl_fragment *f, rwl_digest *out) {
    out->rows += f->row_count - (f->delete_count > 0 ? f->deletes[0].row_count : 0);
}

/* The same where the deletes must be read. */
static rwl_status count_fragment(summing *sum, const rwl_fragment *f, rwl_digest *out, rwl_error *err) {
    rwl_bitmap *deletes = NULL;
    RWL_TRY(sum->driver.vtable->read_deletes(&sum->driver, sum->op, f, &deletes, err));
    out->rows = f->row_count - (deletes != NULL ? rwl_bitmap_count_range(deletes, 0, f->row_count) : 0);
    rwl_bitmap_free(deletes);
    return RWL_OK;
}

/* Addresses are no identity: rows that have nothing else are without lineage. */
static rwl_status add_rows(const summing *sum, const rwl_rows *rows, rwl_digest *out, rwl_error *err) {
    if (sum->lineage && sum->has_ids)
        return rwl_digest_add(out, &rows->row_ids, &rows->versions, err);
    out->rows += rows->batch.length;
    out->rows_without_lineage += sum->lineage ? rows->batch.length : 0;
    return RWL_OK;
}

static rwl_status scan_fragment(summing *sum, const rwl_fragment *f, rwl_digest *out, rwl_error *err) {
    rwl_rows rows;
    RWL_TRY(rwl_rows_init(&rows, sum->op->env, sum->filter.fields, sum->filter.output_count, err));
    rwl_row_scan *scan = NULL;
    rwl_row_scan_options options = {.lineage = sum->lineage ? RWL_LINEAGE_ROW_IDS | RWL_LINEAGE_VERSIONS : 0};
    rwl_status st = rwl_row_scan_open(sum->table, sum->op, &sum->filter, f, &options, &scan, err);
    while (st == RWL_OK) {
        st = rwl_row_scan_next(scan, &rows, err);
        if (st != RWL_OK || rows.batch.length == 0)
            break;
        st = add_rows(sum, &rows, out, err);
    }
    rwl_row_scan_close(scan);
    rwl_rows_clear(&rows);
    return st;
}

static rwl_status sum_fragment(void *arg, rwl_error *err) {
    fragment_task *task = arg;
    summing *sum = task->sum;
    rwl_digest part;
    memset(&part, 0, sizeof part);
    if (!sum->lineage && sum->filter.row_filter == NULL)
        RWL_TRY(count_fragment(sum, &task->fragment, &part, err));
    else
        RWL_TRY(scan_fragment(sum, &task->fragment, &part, err));
    rwl_mutex_lock(&sum->lock);
    rwl_status st = rwl_digest_merge(&sum->total, &part, err);
    rwl_mutex_unlock(&sum->lock);
    return st;
}

static rwl_status submit_fragment(summing *sum, rwl_group *group, const rwl_fragment *f,
                                  fragment_task **tasks, rwl_error *err) {
    fragment_task *task = rwl_calloc(sum->op->env, 1, sizeof *task);
    if (task == NULL)
        return rwl_no_memory(err, sizeof *task);
    task->sum = sum;
    task->next = *tasks;
    *tasks = task;
    rwl_arena_init(&task->arena, sum->op->env, 0);
    RWL_TRY(rwl_fragment_copy(&task->arena, f, &task->fragment, err));
    return rwl_group_submit(group, sum_fragment, task, err);
}

static void free_tasks(const rwl_env *env, fragment_task *tasks) {
    while (tasks != NULL) {
        fragment_task *next = tasks->next;
        rwl_arena_clear(&tasks->arena);
        rwl_free(env, tasks);
        tasks = next;
    }
}

/* Tasks are waited for in lots, so that their number does not grow with the table. */
static rwl_status run_lot(summing *sum, rwl_planner *plan, bool *more, rwl_error *err) {
    enum { LOT = 256 };
    rwl_group *group = NULL;
    fragment_task *tasks = NULL;
    rwl_digest counted = {0};
    RWL_TRY(rwl_group_new(sum->op->env->pool, sum->op, &group, err));
    rwl_status st = RWL_OK;
    *more = true;
    for (int i = 0; i < LOT && st == RWL_OK && *more; i++) {
        const rwl_fragment *f;
        st = sum->driver.vtable->plan_next(plan, &f, err);
        *more = st == RWL_OK && f != NULL;
        if (*more && is_counted(sum, f))
            add_counted(f, &counted);
        else if (*more)
            st = submit_fragment(sum, group, f, &tasks, err);
    }
    rwl_status waited = rwl_group_wait(group, st == RWL_OK ? err : NULL);
    rwl_group_free(group);
    free_tasks(sum->op->env, tasks);
    RWL_TRY(st);
    RWL_TRY(waited);
    return rwl_digest_merge(&sum->total, &counted, err);
}

static rwl_status run(summing *sum, rwl_error *err) {
    rwl_planner *plan = NULL;
    rwl_status st = rwl_table_plan(sum->table, &sum->driver, sum->op, sum->filter.plan_filter, &plan, err);
    for (bool more = true; st == RWL_OK && more;)
        st = run_lot(sum, plan, &more, err);
    sum->driver.vtable->plan_close(plan);
    return st;
}

static rwl_status sum_table(const rwl_table *table, rwl_op *op, const char *where, bool lineage,
                            rwl_digest *out, rwl_error *err) {
    summing sum;
    memset(&sum, 0, sizeof sum);
    sum.table = table;
    sum.op = op;
    sum.driver = rwl_table_driver(table);
    sum.lineage = lineage;
    sum.has_ids = table->lance == NULL || rwl_lance_manifest_has_stable_ids(table->lance->manifest);
    rwl_row_filter_options options = {.select = "", .where = where};
    RWL_TRY(rwl_row_filter_init(&sum.filter, op->env, &sum.driver, table->schema, &options, err));
    rwl_status st = rwl_mutex_init(&sum.lock, err);
    if (st == RWL_OK) {
        st = run(&sum, err);
        rwl_mutex_clear(&sum.lock);
    }
    rwl_row_filter_clear(&sum.filter);
    *out = sum.total;
    return st;
}

rwl_status rwl_table_digest(const rwl_table *table, rwl_op *op, const char *where, rwl_digest *out,
                            rwl_error *err) {
    return sum_table(table, op, where, true, out, err);
}

rwl_status rwl_table_count(const rwl_table *table, rwl_op *op, const char *where, int64_t *out,
                           rwl_error *err) {
    rwl_digest total;
    RWL_TRY(sum_table(table, op, where, false, &total, err));
    *out = total.rows;
    return RWL_OK;
}
