/* SPDX-License-Identifier: Apache-2.0 */
/* The task pool: a fixed set of threads; who waits for a group helps to run it. */
#ifndef RWL_BASE_POOL_H
#define RWL_BASE_POOL_H

#include "base/env.h"

typedef struct rwl_pool rwl_pool;
typedef struct rwl_group rwl_group;
typedef rwl_status (*rwl_task_fn)(void *arg, rwl_error *err);

/* `threads` in all, counting the one that waits: threads - 1 are started, by the first tasks. At least 1. */
RWL_MUST_CHECK rwl_status rwl_pool_new(const rwl_env *env, int threads, rwl_pool **out, rwl_error *err);
void rwl_pool_free(rwl_pool *pool);         /* NULL is fine; no group may be alive */
int rwl_pool_threads(const rwl_pool *pool); /* 1 for NULL */

/*
 * A group of tasks. Waiting runs queued tasks of any group, so groups may nest without deadlock. With
 * a NULL pool each task runs inside submit. After a task failed or the operation was cancelled, tasks
 * not yet started are skipped.
 */
RWL_MUST_CHECK rwl_status rwl_group_new(rwl_pool *pool, rwl_op *op, rwl_group **out, rwl_error *err);
/* Queues fn(arg); when the queue is full, or no thread can be started, the caller runs a task itself. */
RWL_MUST_CHECK rwl_status rwl_group_submit(rwl_group *group, rwl_task_fn fn, void *arg, rwl_error *err);
/* Until all tasks of the group ended; the failure of the earliest submitted failed task, if any. */
RWL_MUST_CHECK rwl_status rwl_group_wait(rwl_group *group, rwl_error *err);
void rwl_group_free(rwl_group *group); /* waits first; NULL is fine */

#endif
