/* SPDX-License-Identifier: Apache-2.0 */
/* Values of batches, charged to the operation as they grow. */
#include "lancefile/charge.h"

static rwl_status set_charge(rwl_lance_charge *charge, int64_t bytes, rwl_error *err) {
    return rwl_op_charge(charge->op, &charge->bytes, bytes, "values of a batch", err);
}

void rwl_lance_charge_clear(rwl_lance_charge *charge) {
    if (charge->op != NULL)
        rwl_op_release(charge->op, charge->bytes);
    charge->bytes = 0;
}

/* The old buffer lives until the new one is filled, and is half as much again at least: as column/batch.c grows. */
rwl_status rwl_lance_charge_reserve(rwl_lance_charge *charge, rwl_column *column, const rwl_env *env,
                                    int64_t rows, size_t bytes, rwl_error *err) {
    size_t before = column->values.cap;
    if (charge == NULL || bytes <= before)
        return rwl_column_reserve(column, env, rows, bytes, err);
    size_t cap = before + before / 2;
    int64_t held = charge->bytes;
    cap = cap > bytes ? cap : bytes;
    if (cap > RWL_COLUMN_BYTES_MAX * 2) /* passes what a column may hold anyway */
        return rwl_column_reserve(column, env, rows, bytes, err);
    RWL_TRY(set_charge(charge, held + (int64_t)cap, err));
    rwl_status st = rwl_column_reserve(column, env, rows, bytes, err);
    rwl_op_release(charge->op, (int64_t)cap);
    charge->bytes = held;
    return st == RWL_OK ? rwl_lance_charge_grown(charge, &column->values, before, err) : st;
}

rwl_status rwl_lance_charge_grown(rwl_lance_charge *charge, const rwl_buffer *buffer, size_t before,
                                  rwl_error *err) {
    if (charge == NULL || buffer->cap <= before)
        return RWL_OK;
    return set_charge(charge, charge->bytes + (int64_t)(buffer->cap - before), err);
}

/* No deeper than the column's type. */
static int64_t held_by(const rwl_column *column) {
    int64_t bytes = (int64_t)column->values.cap;
    for (int32_t i = 0; column->children != NULL && i < column->type.child_count; i++)
        bytes += held_by(&column->children[i]);
    return bytes;
}

rwl_status rwl_lance_charge_batch(rwl_lance_charge *charge, int64_t held, rwl_column *out, bool *fits,
                                  rwl_error *err) {
    *fits = set_charge(charge, held + held_by(out), NULL) == RWL_OK;
    if (*fits)
        return RWL_OK;
    rwl_type type = out->type;
    rwl_column_clear(out, charge->op->env);
    rwl_lance_charge_clear(charge);
    return rwl_column_init(out, charge->op->env, &type, err);
}
