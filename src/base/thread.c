/* SPDX-License-Identifier: Apache-2.0 */
/* Mutex, condition and thread over pthreads. */
#include "base/thread.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

rwl_status rwl_mutex_init(rwl_mutex *mutex, rwl_error *err) {
    int e = pthread_mutex_init(&mutex->handle, NULL);
    return e ? rwl_fail_errno(err, e, "a mutex cannot be made") : RWL_OK;
}

void rwl_mutex_clear(rwl_mutex *mutex) {
    pthread_mutex_destroy(&mutex->handle);
}

/* A plain mutex that was initialised cannot fail to lock or unlock; nor can waiting on a condition. */
void rwl_mutex_lock(rwl_mutex *mutex) {
    pthread_mutex_lock(&mutex->handle);
}

void rwl_mutex_unlock(rwl_mutex *mutex) {
    pthread_mutex_unlock(&mutex->handle);
}

rwl_status rwl_cond_init(rwl_cond *cond, rwl_error *err) {
    int e = pthread_cond_init(&cond->handle, NULL);
    return e ? rwl_fail_errno(err, e, "a condition cannot be made") : RWL_OK;
}

void rwl_cond_clear(rwl_cond *cond) {
    pthread_cond_destroy(&cond->handle);
}

void rwl_cond_wait(rwl_cond *cond, rwl_mutex *mutex) {
    pthread_cond_wait(&cond->handle, &mutex->handle);
}

void rwl_cond_broadcast(rwl_cond *cond) {
    pthread_cond_broadcast(&cond->handle);
}

rwl_status rwl_thread_start(rwl_thread *thread, void *(*fn)(void *), void *arg, rwl_error *err) {
    /* Signals stay with the program's own threads: a thread of the library takes none. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int e = pthread_create(&thread->handle, NULL, fn, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return e ? rwl_fail_errno(err, e, "a thread cannot be started") : RWL_OK;
}

void rwl_thread_join(rwl_thread *thread) {
    pthread_join(thread->handle, NULL);
}

rwl_thread rwl_thread_self(void) {
    return (rwl_thread){pthread_self()};
}

bool rwl_thread_equal(rwl_thread a, rwl_thread b) {
    return pthread_equal(a.handle, b.handle) != 0;
}

int rwl_thread_cpu_count(void) {
    cpu_set_t set;
    int count = 0;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        count = CPU_COUNT(&set);
    if (count < 1) { /* more CPUs than cpu_set_t holds */
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        count = online > 0 && online < 65536 ? (int)online : 1;
    }
    return count;
}
