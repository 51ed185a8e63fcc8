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

/* The id of the dictionary of the index-th field that has one, depth first, of a schema read here. */
int64_t rwl_ipc_dictionary_id(const struct ArrowSchema *root, size_t index);

/* A dictionary as its message had it; later batches refer to it by id. */
typedef struct rwl_ipc_dictionary {
    int64_t id;
    rwl_buf message, body; /* message: the flatbuffer */
} rwl_ipc_dictionary;

typedef struct rwl_ipc_dictionaries {
    const rwl_ipc_dictionary *items;
    size_t count;
} rwl_ipc_dictionaries;

/* A RecordBatch table with its body (taken, also on failure) as an array of `schema`. UNSUPPORTED: uncompressed it would be larger than
 * the operation's memory. CORRUPT: a dictionary that was not there before. */
RWL_MUST_CHECK rwl_status rwl_ipc_read_batch(rwl_op *op, const struct ArrowSchema *schema,
                                             rwl_ipc_dictionaries dictionaries, const rwl_flat_table *batch,
                                             rwl_buf *body, struct ArrowArray *out, rwl_error *err);

#endif
