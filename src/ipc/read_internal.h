/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of reading Arrow IPC. */
#ifndef RWL_IPC_READ_INTERNAL_H
#define RWL_IPC_READ_INTERNAL_H

#include "ipc/flat_read.h"
#include "ipc/ipc.h"
#include "ipc/ipc_internal.h"

/* A Schema table as a schema that owns its memory; `out` is not filled on failure. */
RWL_MUST_CHECK rwl_status rwl_ipc_read_schema(const rwl_env *env, const rwl_flat_table *schema,
                                              struct ArrowSchema *out, rwl_error *err);

/* A RecordBatch table with its body (taken, also on failure) as an array of `schema`. UNSUPPORTED: uncompressed it would be larger than
 * the operation's memory. */
RWL_MUST_CHECK rwl_status rwl_ipc_read_batch(rwl_op *op, const struct ArrowSchema *schema,
                                             const rwl_flat_table *batch, rwl_buf *body,
                                             struct ArrowArray *out, rwl_error *err);

#endif
