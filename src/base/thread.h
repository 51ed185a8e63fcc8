/* SPDX-License-Identifier: Apache-2.0 */
/* Mutex, condition and thread: the only file that knows pthreads, with pool.h on top of it. */
#ifndef RWL_BASE_THREAD_H
#define RWL_BASE_THREAD_H

#include "base/env.h"

#include <pthread.h>

typedef struct rwl_mutex {
    pthread_mutex_t handle;
} rwl_mutex;
typedef struct rwl_cond {
    pthread_cond_t handle;
} rwl_cond;
typedef struct rwl_thread {
    pthread_t handle;
} rwl_thread;

RWL_MUST_CHECK rwl_status rwl_mutex_init(rwl_mutex *mutex, rwl_error *err);
void rwl_mutex_clear(rwl_mutex *mutex);
void rwl_mutex_lock(rwl_mutex *mutex);
void rwl_mutex_unlock(rwl_mutex *mutex);
RWL_MUST_CHECK rwl_status rwl_cond_init(rwl_cond *cond, rwl_error *err);
void rwl_cond_clear(rwl_cond *cond);
void rwl_cond_wait(rwl_cond *cond, rwl_mutex *mutex);
void rwl_cond_broadcast(rwl_cond *cond);
RWL_MUST_CHECK rwl_status rwl_thread_start(rwl_thread *thread, void *(*fn)(void *), void *arg,
                                           rwl_error *err);
void rwl_thread_join(rwl_thread *thread);
rwl_thread rwl_thread_self(void);
bool rwl_thread_equal(rwl_thread a, rwl_thread b);
int rwl_thread_cpu_count(void); /* CPUs this process may use, at least 1 */

#endif
