/* SPDX-License-Identifier: Apache-2.0 */
/* Rows on their way from where they are made to where they are taken: while one batch is taken, the next is made. */
#ifndef RWL_ENGINE_HANDOVER_H
#define RWL_ENGINE_HANDOVER_H

#include "base/pool.h"
#include "table/rows.h"

/* Takes rows; runs on any thread, but never twice at a time, and in the order the rows were passed. */
typedef rwl_status (*rwl_take_fn)(void *ctx, rwl_rows *rows, rwl_error *err);

typedef struct rwl_handover {
    rwl_rows making, taking;
    bool ready; /* both are initialised */
    rwl_take_fn take;
    void *ctx;
    rwl_group *group; /* of one task at most */
} rwl_handover;

/* With a NULL pool rows are taken inside pass. To be cleared also after a failure. */
RWL_MUST_CHECK rwl_status rwl_handover_init(rwl_handover *h, rwl_op *op, rwl_pool *pool,
                                            const rwl_field *fields, int32_t count, rwl_take_fn take,
                                            void *ctx, rwl_error *err);
/* Passes on what is in `making`, once the rows before are taken; `making` may be filled again. A failure of taking
 * earlier rows is told here. */
RWL_MUST_CHECK rwl_status rwl_handover_pass(rwl_handover *h, rwl_error *err);
/* Until the last rows are taken. */
RWL_MUST_CHECK rwl_status rwl_handover_finish(rwl_handover *h, rwl_error *err);
void rwl_handover_clear(rwl_handover *h); /* waits first */

#endif
