/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers on their way back from consumers: one set a column, taken by whoever fills the next batch. */
#include "base/thread.h"
#include "column/arrow.h"

#include <stdatomic.h>

struct rwl_arrow_depot {
    const rwl_env *env;
    atomic_int refs;
    rwl_mutex lock; /* arrays are released by any thread */
    int32_t count;
    rwl_column *columns; /* of which only the buffers are used */
};

rwl_status rwl_arrow_depot_new(const rwl_env *env, int32_t columns, rwl_arrow_depot **out, rwl_error *err) {
    *out = NULL;
    rwl_arrow_depot *d = rwl_calloc(env, 1, sizeof *d);
    size_t count = (size_t)columns + 1;
    rwl_column *list = rwl_calloc(env, count, sizeof *list);
    rwl_status st =
        d != NULL && list != NULL ? rwl_mutex_init(&d->lock, err) : rwl_no_memory(err, count * sizeof *list);
    if (st != RWL_OK) {
        rwl_free(env, list);
        rwl_free(env, d);
        return st;
    }
    d->env = env;
    d->count = columns;
    d->columns = list;
    atomic_init(&d->refs, 1);
    *out = d;
    return RWL_OK;
}

rwl_arrow_depot *rwl_arrow_depot_ref(rwl_arrow_depot *d) {
    if (d != NULL)
        atomic_fetch_add(&d->refs, 1);
    return d;
}

void rwl_arrow_depot_unref(rwl_arrow_depot *d) {
    if (d == NULL || atomic_fetch_sub(&d->refs, 1) > 1)
        return;
    for (int32_t i = 0; i < d->count; i++)
        rwl_column_clear(&d->columns[i], d->env);
    rwl_mutex_clear(&d->lock);
    rwl_free(d->env, d->columns);
    rwl_free(d->env, d);
}

static bool has_buffers(const rwl_column *c) {
    return c->validity.cap > 0 || c->values.cap > 0 || c->offsets.cap > 0;
}

static void swap_buffers(rwl_column *a, rwl_column *b) {
    rwl_buffer validity = a->validity, values = a->values, offsets = a->offsets;
    a->validity = b->validity;
    a->values = b->values;
    a->offsets = b->offsets;
    b->validity = validity;
    b->values = values;
    b->offsets = offsets;
}

void rwl_arrow_depot_give(rwl_arrow_depot *d, int32_t i, rwl_column *from) {
    rwl_mutex_lock(&d->lock);
    if (i < d->count && !has_buffers(&d->columns[i]))
        swap_buffers(&d->columns[i], from);
    rwl_mutex_unlock(&d->lock);
}

void rwl_arrow_depot_fill(rwl_arrow_depot *d, rwl_batch *batch) {
    rwl_mutex_lock(&d->lock);
    for (int32_t i = 0; i < batch->column_count && i < d->count; i++)
        if (batch->columns[i].children == NULL && !has_buffers(&batch->columns[i]))
            swap_buffers(&batch->columns[i], &d->columns[i]);
    rwl_mutex_unlock(&d->lock);
}
