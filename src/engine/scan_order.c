/* SPDX-License-Identifier: Apache-2.0 */
/* The id goes with the row as one more column, which is what the sorter sorts by. */
#include "engine/scan_order.h"

#include "engine/budget.h"
#include "engine/handover.h"
#include "engine/sorter.h"

struct rwl_scan_order {
    rwl_op *op;
    rwl_arena arena;
    int32_t count; /* of the output fields; the id is behind them */
    rwl_sorter *sorter;
    rwl_sort_field by;
    rwl_sort_order order;
    rwl_handover handover; /* from the source to the sorter */
    rwl_column id;
    rwl_column *columns; /* those of the rows and the id: borrowed */
    rwl_batch ordered;
    bool ordered_ready;
};

static rwl_status take_rows(void *ctx, rwl_rows *rows, rwl_error *err) {
    rwl_scan_order *o = ctx;
    RWL_TRY(rwl_runs_to_column(&rows->row_ids, &o->id, err));
    for (int32_t i = 0; i < o->count; i++)
        o->columns[i] = rows->batch.columns[i];
    o->columns[o->count] = o->id;
    rwl_batch with_id = {o->op->env, rows->batch.length, o->count + 1, o->columns};
    return rwl_sorter_add(o->sorter, &with_id, NULL, NULL, err);
}

static rwl_status set_up(rwl_scan_order *o, const rwl_field *fields, int32_t count, int64_t limit,
                         rwl_error *err) {
    int64_t budget = o->op->memory_limit;
    rwl_sorter_options options = {.limit = limit > 0 ? limit : 0};
    RWL_TRY(
        rwl_sorter_share(budget, rwl_budget_sort_scan(budget, count + 1), count + 1, &options.memory, err));
    rwl_field *with_id = rwl_arena_array(&o->arena, (size_t)count + 1, sizeof *with_id);
    o->columns = rwl_arena_array(&o->arena, (size_t)count + 1, sizeof *o->columns);
    if (with_id == NULL || o->columns == NULL)
        return rwl_no_memory(err, ((size_t)count + 1) * sizeof *with_id);
    for (int32_t i = 0; i < count; i++) {
        with_id[i] = fields[i];
        if (with_id[i].id == RWL_FIELD_ID_ROW_ID)
            with_id[i].id = RWL_FIELD_ID_DELETED; /* so that the key below is the only field of this id */
    }
    with_id[count] =
        (rwl_field){.name = RWL_COLUMN_ROW_ID, .id = RWL_FIELD_ID_ROW_ID, .type = rwl_type_of(RWL_TYPE_LONG)};
    o->by = (rwl_sort_field){.source_id = RWL_FIELD_ID_ROW_ID,
                             .transform = {.kind = RWL_TRANSFORM_IDENTITY, .text = "identity"}};
    o->order = (rwl_sort_order){.fields = &o->by, .field_count = 1};
    RWL_TRY(rwl_batch_init(&o->ordered, o->op->env, with_id, count + 1, err));
    o->ordered_ready = true;
    RWL_TRY(rwl_handover_init(&o->handover, o->op, o->op->env->pool, fields, count, take_rows, o, err));
    return rwl_sorter_new(o->op, with_id, count + 1, &o->order, &options, &o->sorter, err);
}

rwl_status rwl_scan_order_new(rwl_op *op, const rwl_field *fields, int32_t count, int64_t limit,
                              rwl_scan_order **out, rwl_error *err) {
    rwl_scan_order *o = rwl_calloc(op->env, 1, sizeof *o);
    if (o == NULL)
        return rwl_no_memory(err, sizeof *o);
    o->op = op;
    o->count = count;
    rwl_arena_init(&o->arena, op->env, 0);
    rwl_type number = rwl_type_of(RWL_TYPE_LONG);
    rwl_column_init_flat(&o->id, &number);
    rwl_status st = set_up(o, fields, count, limit, err);
    if (st != RWL_OK) {
        rwl_scan_order_free(o);
        return st;
    }
    *out = o;
    return RWL_OK;
}

void rwl_scan_order_free(rwl_scan_order *o) {
    if (o == NULL)
        return;
    rwl_handover_clear(&o->handover);
    rwl_sorter_free(o->sorter);
    rwl_column_clear(&o->id, o->op->env);
    if (o->ordered_ready)
        rwl_batch_clear(&o->ordered);
    rwl_arena_clear(&o->arena);
    rwl_free(o->op->env, o);
}

rwl_status rwl_scan_order_read(rwl_scan_order *o, rwl_scan_source source, void *ctx, rwl_error *err) {
    for (;;) {
        RWL_TRY(source(ctx, &o->handover.making, err));
        if (o->handover.making.batch.length == 0)
            break;
        RWL_TRY(rwl_handover_pass(&o->handover, err));
    }
    RWL_TRY(rwl_handover_finish(&o->handover, err));
    return rwl_sorter_finish(o->sorter, err);
}

rwl_status rwl_scan_order_next(rwl_scan_order *o, rwl_batch **batch, rwl_error *err) {
    *batch = &o->ordered;
    return rwl_sorter_next(o->sorter, RWL_BATCH_ROWS, &o->ordered, NULL, NULL, err);
}
