/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the values of a field's batches hold of the operation's budget.
 *
 * Buffers go from the reader into the batch and, when the batch comes back to be filled again, the other way round. So one charge counts
 * both: what grows is added before it grows, and each read begins by counting what there is. Bytes of a last batch, which outlives its
 * reader, are counted by the reader that gets it next.
 */
#ifndef RWL_LANCEFILE_CHARGE_H
#define RWL_LANCEFILE_CHARGE_H

#include "column/batch.h"

typedef struct rwl_lance_charge {
    rwl_op *op;
    int64_t bytes;
} rwl_lance_charge;

/* rwl_column_reserve, the growth of values charged; UNSUPPORTED naming the bytes needed when over the budget. NULL: not charged. */
RWL_MUST_CHECK rwl_status rwl_lance_charge_reserve(rwl_lance_charge *charge, rwl_column *column,
                                                   const rwl_env *env, int64_t rows, size_t bytes,
                                                   rwl_error *err);
/* Counts what other growth has made of a buffer that had `before` bytes. */
RWL_MUST_CHECK rwl_status rwl_lance_charge_grown(rwl_lance_charge *charge, const rwl_buffer *buffer,
                                                 size_t before, rwl_error *err);
/* Sets the charge at the start of a read, to what `out` has and `held` beside. Over the budget, buffers of `out` are freed, those beside are
 * to be freed too, and nothing is charged: *fits false. */
RWL_MUST_CHECK rwl_status rwl_lance_charge_batch(rwl_lance_charge *charge, int64_t held, rwl_column *out,
                                                 bool *fits, rwl_error *err);
void rwl_lance_charge_clear(rwl_lance_charge *charge);

#endif
