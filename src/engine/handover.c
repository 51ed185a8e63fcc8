/* SPDX-License-Identifier: Apache-2.0 */
/* Two buffers change places at each step; a task group of one task is the lock between them. */
#include "engine/handover.h"

rwl_status rwl_handover_init(rwl_handover *h, rwl_op *op, rwl_pool *pool, const rwl_field *fields,
                             int32_t count, rwl_take_fn take, void *ctx, rwl_error *err) {
    memset(h, 0, sizeof *h);
    h->take = take;
    h->ctx = ctx;
    RWL_TRY(rwl_rows_init(&h->making, op->env, fields, count, err));
    rwl_status st = rwl_rows_init(&h->taking, op->env, fields, count, err);
    if (st != RWL_OK) {
        rwl_rows_clear(&h->making);
        return st;
    }
    h->ready = true;
    return rwl_group_new(pool, op, &h->group, err);
}

static rwl_status take(void *arg, rwl_error *err) {
    rwl_handover *h = arg;
    return h->take(h->ctx, &h->taking, err);
}

rwl_status rwl_handover_pass(rwl_handover *h, rwl_error *err) {
    RWL_TRY(rwl_group_wait(h->group, err));
    rwl_rows passed = h->making;
    h->making = h->taking;
    h->taking = passed;
    return rwl_group_submit(h->group, take, h, err);
}

rwl_status rwl_handover_finish(rwl_handover *h, rwl_error *err) {
    return rwl_group_wait(h->group, err);
}

void rwl_handover_clear(rwl_handover *h) {
    rwl_group_free(h->group);
    if (!h->ready)
        return;
    rwl_rows_clear(&h->making);
    rwl_rows_clear(&h->taking);
}
