/* SPDX-License-Identifier: Apache-2.0 */
/* Scans as streams, whole or by tasks. */
#include "api/api_internal.h"

#include "column/arrow.h"
#include "engine/task.h"

/* What a stream of rows holds on to. */
typedef struct scan_stream {
    const rwl_env *env;
    rwl_scan *scan;
    rwl_task task; /* of a scan of one: its fragments, and the table at its state */
    rwl_table at;
} scan_stream;

static rwl_status next_batch(void *ctx, rwl_batch *batch, rwl_error *err) {
    scan_stream *s = ctx;
    return rwl_scan_next(s->scan, batch, err);
}

static void close_stream(void *ctx) {
    scan_stream *s = ctx;
    rwl_scan_close(s->scan);
    if (s->task.fragments != NULL)
        rwl_task_clear(&s->task);
    rwl_free(s->env, s);
}

static rwl_status new_stream(const rowline_context *context, scan_stream **out, rwl_error *err) {
    *out = rwl_calloc(&context->env, 1, sizeof **out);
    if (*out == NULL)
        return rwl_no_memory(err, sizeof **out);
    (*out)->env = &context->env;
    return RWL_OK;
}

/* Takes the stream's context, whose scan was opened with `st`. */
static rwl_status give_stream(scan_stream *s, rwl_status st, struct ArrowArrayStream *out, rwl_error *err) {
    if (st != RWL_OK) {
        close_stream(s);
        return st;
    }
    int32_t count;
    const rwl_field *fields = rwl_scan_fields(s->scan, &count);
    rwl_arrow_source source = {s, next_batch, close_stream};
    return rwl_arrow_stream_from(s->env, fields, count, source, out, err);
}

rwl_status rwl_api_scan_stream(const rowline_context *context, rwl_scan *scan, struct ArrowArrayStream *out,
                               rwl_error *err) {
    scan_stream *s;
    rwl_status st = new_stream(context, &s, err);
    if (st != RWL_OK) {
        rwl_scan_close(scan);
        return st;
    }
    s->scan = scan;
    return give_stream(s, RWL_OK, out, err);
}

rowline_status rowline_scan(rowline_table *t, const rowline_scan_options *options,
                            struct ArrowArrayStream *out, rowline_error *err) {
    rowline_scan_options o;
    scan_stream *s;
    RWL_TRY(rwl_api_options(&o, sizeof o, options, err));
    RWL_TRY(new_stream(t->context, &s, err));
    rwl_scan_options scan = {.rows = {.select = o.select, .where = o.where, .lineage = o.lineage != 0},
                             .limit = options == NULL ? -1 : o.limit,
                             .order_by_row_id = o.order_by_row_id != 0,
                             .skip_page_crc = o.no_verify_pages != 0};
    return give_stream(s, rwl_scan_open(t->table, &t->context->op, &scan, &s->scan, err), out, err);
}

rowline_status rowline_scan_get_stats(struct ArrowArrayStream *stream, rowline_scan_stats *stats,
                                      rowline_error *err) {
    const scan_stream *s = rwl_arrow_stream_context(stream, next_batch);
    if (s == NULL)
        return rwl_fail(err, RWL_USAGE, "the stream is no scan");
    rwl_scan_stats from = rwl_scan_get_stats(s->scan);
    rowline_scan_stats out = {.manifests_read = from.plan.manifests_read,
                              .manifests_skipped = from.plan.manifests_skipped,
                              .files_read = from.plan.files_read,
                              .files_skipped = from.plan.files_skipped,
                              .row_groups_read = from.files.groups_read,
                              .row_groups_skipped = from.files.groups_skipped,
                              .pages_read = from.files.pages_read,
                              .pages_skipped = from.files.pages_skipped,
                              .bytes_read = from.files.bytes_read,
                              .requests = from.files.requests};
    rwl_api_result(stats, &out, sizeof out);
    return RWL_OK;
}

/* --- tasks --- */

struct rowline_plan {
    const rwl_env *env;
    rwl_tasks *tasks;
};

rowline_status rowline_plan_open(rowline_table *t, const rowline_scan_options *options, int64_t task_bytes,
                                 rowline_plan **out, rowline_error *err) {
    rowline_scan_options o;
    RWL_TRY(rwl_api_options(&o, sizeof o, options, err));
    if (o.order_by_row_id != 0 || (options != NULL && o.limit >= 0))
        return rwl_fail(err, RWL_USAGE, "tasks keep neither a limit nor an order");
    rwl_tasks_options tasks = {
        .select = o.select, .where = o.where, .lineage = o.lineage != 0, .target_bytes = task_bytes};
    rowline_plan *plan = rwl_calloc(&t->context->env, 1, sizeof *plan);
    if (plan == NULL)
        return rwl_no_memory(err, sizeof *plan);
    plan->env = &t->context->env;
    rwl_status st = rwl_tasks_open(t->table, &t->context->op, &tasks, &plan->tasks, err);
    if (st != RWL_OK) {
        rowline_plan_free(plan);
        return st;
    }
    *out = plan;
    return RWL_OK;
}

void rowline_plan_free(rowline_plan *plan) {
    if (plan == NULL)
        return;
    rwl_tasks_close(plan->tasks);
    rwl_free(plan->env, plan);
}

rowline_status rowline_plan_next(rowline_plan *plan, const char **task, size_t *length, rowline_error *err) {
    rwl_span text;
    RWL_TRY(rwl_tasks_next(plan->tasks, &text, err));
    *task = (const char *)text.data;
    *length = text.len;
    return RWL_OK;
}

rowline_status rowline_scan_task(rowline_table *t, const char *task, size_t length,
                                 struct ArrowArrayStream *out, rowline_error *err) {
    scan_stream *s;
    RWL_TRY(new_stream(t->context, &s, err));
    rwl_status st = rwl_task_parse(&t->context->env, rwl_span_of(task, length), &s->task, err);
    if (st == RWL_OK)
        st = rwl_task_scan(t->table, &t->context->op, &s->task, &s->at, &s->scan, err);
    return give_stream(s, st, out, err);
}
