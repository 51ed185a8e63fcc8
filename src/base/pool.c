/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The task pool. One mutex guards one bounded queue; every change that someone may wait for is broadcast.
 *
 * Why nesting cannot deadlock: who waits for a group runs its queued tasks itself, so a group never
 * depends on a free thread; and a submitter that finds the queue full, or no thread, runs its task at once.
 * Beyond that, a waiter whose group has nothing queued helps other groups, at most FOREIGN_MAX deep, so that the
 * stack of a thread stays bounded by the nesting of the groups and that constant.
 */
#include "base/pool.h"

#include "base/thread.h"

#include <string.h>

enum { QUEUE_PER_THREAD = 64, MAX_THREADS = 1024, FOREIGN_MAX = 4 };

typedef struct task {
    rwl_task_fn fn;
    void *arg;
    rwl_group *group;
    int64_t number; /* in the order of submission to its group */
} task;

/* A thread that runs a task of another group than it waits for; lives on that thread's stack. */
typedef struct foreign_frame {
    rwl_thread thread;
    struct foreign_frame *next;
} foreign_frame;

struct rwl_pool {
    const rwl_env *env;
    rwl_mutex mutex;
    rwl_cond changed; /* a task was queued, a group ended, or the pool stops */
    task *queue;      /* oldest first */
    size_t queue_len, queue_cap;
    foreign_frame *foreign;
    bool stopping;
    int thread_count, started;
    rwl_thread *threads;
};

struct rwl_group {
    const rwl_env *env;
    rwl_pool *pool; /* NULL: tasks run in submit, no locking */
    rwl_op *op;
    int64_t submitted, pending;
    int64_t failed_number; /* of the earliest failed task, -1 when none failed */
    bool skipped;          /* a task was skipped because the operation was cancelled */
    rwl_status failed_status;
    rwl_error failed_error;
};

static void lock(rwl_pool *pool) {
    if (pool)
        rwl_mutex_lock(&pool->mutex);
}

static void unlock(rwl_pool *pool) {
    if (pool)
        rwl_mutex_unlock(&pool->mutex);
}

static task take_at(rwl_pool *pool, size_t i) {
    task t = pool->queue[i];
    pool->queue_len--;
    memmove(&pool->queue[i], &pool->queue[i + 1], (pool->queue_len - i) * sizeof *pool->queue);
    return t;
}

/* Runs a task that was taken from the queue; called and left with the mutex held. */
static void run_task(const task *t) {
    rwl_group *group = t->group;
    rwl_pool *pool = group->pool;
    bool cancelled = rwl_op_check(group->op, NULL) != RWL_OK;
    if (cancelled || group->failed_number >= 0) {
        group->skipped |= cancelled;
    } else {
        rwl_error error = {.offset = -1};
        unlock(pool);
        rwl_status st = t->fn(t->arg, &error);
        lock(pool);
        if (st != RWL_OK && (group->failed_number < 0 || t->number < group->failed_number)) {
            group->failed_number = t->number;
            group->failed_status = st;
            group->failed_error = error;
        }
    }
    if (--group->pending == 0 && pool)
        rwl_cond_broadcast(&pool->changed);
}

static void *run_worker(void *arg) {
    rwl_pool *pool = arg;
    lock(pool);
    for (;;) {
        while (pool->queue_len == 0 && !pool->stopping)
            rwl_cond_wait(&pool->changed, &pool->mutex);
        if (pool->queue_len == 0)
            break;
        task t = take_at(pool, 0);
        run_task(&t);
    }
    unlock(pool);
    return NULL;
}

static void stop_threads(rwl_pool *pool) {
    lock(pool);
    pool->stopping = true;
    rwl_cond_broadcast(&pool->changed);
    unlock(pool);
    for (int i = 0; i < pool->started; i++)
        rwl_thread_join(&pool->threads[i]);
}

/* What needs no tasks, as a count by metadata, is done before a thread would have begun. */
static void start_thread(rwl_pool *pool) {
    if (pool->started < pool->thread_count - 1 &&
        rwl_thread_start(&pool->threads[pool->started], run_worker, pool, NULL) == RWL_OK)
        pool->started++;
}

static rwl_status make_room(rwl_pool *pool, rwl_error *err) {
    size_t workers = (size_t)pool->thread_count - 1;
    pool->queue_cap = (size_t)pool->thread_count * QUEUE_PER_THREAD;
    pool->queue = rwl_calloc(pool->env, pool->queue_cap, sizeof *pool->queue);
    pool->threads = rwl_calloc(pool->env, workers, sizeof *pool->threads);
    if (!pool->queue || !pool->threads)
        return rwl_no_memory(err, pool->queue_cap * sizeof *pool->queue);
    return RWL_OK;
}

rwl_status rwl_pool_new(const rwl_env *env, int threads, rwl_pool **out, rwl_error *err) {
    *out = NULL;
    if (threads < 1 || threads > MAX_THREADS)
        return rwl_fail(err, RWL_USAGE, "a pool of %d threads: 1 to %d are possible", threads, MAX_THREADS);
    rwl_pool *pool = rwl_calloc(env, 1, sizeof *pool);
    if (!pool)
        return rwl_no_memory(err, sizeof *pool);
    pool->env = env;
    pool->thread_count = threads;
    rwl_status st = rwl_mutex_init(&pool->mutex, err);
    if (st != RWL_OK) {
        rwl_free(env, pool);
        return st;
    }
    st = rwl_cond_init(&pool->changed, err);
    if (st != RWL_OK) {
        rwl_mutex_clear(&pool->mutex);
        rwl_free(env, pool);
        return st;
    }
    st = make_room(pool, err);
    if (st != RWL_OK)
        rwl_pool_free(pool);
    else
        *out = pool;
    return st;
}

void rwl_pool_free(rwl_pool *pool) {
    if (!pool)
        return;
    stop_threads(pool);
    rwl_cond_clear(&pool->changed);
    rwl_mutex_clear(&pool->mutex);
    rwl_free(pool->env, pool->threads);
    rwl_free(pool->env, pool->queue);
    rwl_free(pool->env, pool);
}

int rwl_pool_threads(const rwl_pool *pool) {
    return pool ? pool->thread_count : 1;
}

rwl_status rwl_group_new(rwl_pool *pool, rwl_op *op, rwl_group **out, rwl_error *err) {
    *out = NULL;
    if (!pool && !op)
        return rwl_fail(err, RWL_INTERNAL, "a task group needs a pool or an operation");
    const rwl_env *env = pool ? pool->env : op->env;
    rwl_group *group = rwl_calloc(env, 1, sizeof *group);
    if (!group)
        return rwl_no_memory(err, sizeof *group);
    group->env = env;
    group->pool = pool;
    group->op = op;
    group->failed_number = -1;
    *out = group;
    return RWL_OK;
}

rwl_status rwl_group_submit(rwl_group *group, rwl_task_fn fn, void *arg, rwl_error *err) {
    (void)err; /* nothing fails today: a task's own failure is told by rwl_group_wait */
    rwl_pool *pool = group->pool;
    lock(pool);
    task t = {fn, arg, group, group->submitted++};
    group->pending++;
    if (pool)
        start_thread(pool);
    /* Without threads of its own the pool would only queue what the waiter runs in the same order. */
    if (pool && pool->started > 0 && pool->queue_len < pool->queue_cap) {
        pool->queue[pool->queue_len++] = t;
        rwl_cond_broadcast(&pool->changed);
    } else {
        run_task(&t);
    }
    unlock(pool);
    return RWL_OK;
}

static size_t count_foreign(const rwl_pool *pool) {
    size_t count = 0;
    for (const foreign_frame *f = pool->foreign; f; f = f->next)
        count += rwl_thread_equal(f->thread, rwl_thread_self());
    return count;
}

static void run_foreign(rwl_pool *pool) {
    foreign_frame frame = {rwl_thread_self(), pool->foreign};
    pool->foreign = &frame;
    task t = take_at(pool, 0);
    run_task(&t);
    foreign_frame **link = &pool->foreign;
    while (*link != &frame)
        link = &(*link)->next;
    *link = frame.next;
}

/* Waits with the mutex held; runs tasks of this group first, then others'. */
static void wait_locked(rwl_group *group) {
    rwl_pool *pool = group->pool;
    while (group->pending > 0) {
        size_t i = 0;
        while (i < pool->queue_len && pool->queue[i].group != group)
            i++;
        if (i < pool->queue_len) {
            task t = take_at(pool, i);
            run_task(&t);
        } else if (pool->queue_len > 0 && count_foreign(pool) < FOREIGN_MAX) {
            run_foreign(pool);
        } else {
            rwl_cond_wait(&pool->changed, &pool->mutex);
        }
    }
}

rwl_status rwl_group_wait(rwl_group *group, rwl_error *err) {
    if (group->pool) {
        lock(group->pool);
        wait_locked(group);
        unlock(group->pool);
    }
    if (group->failed_number >= 0) {
        if (err)
            *err = group->failed_error;
        return group->failed_status;
    }
    return group->skipped ? rwl_fail(err, RWL_INTERRUPTED, "interrupted") : RWL_OK;
}

void rwl_group_free(rwl_group *group) {
    if (!group)
        return;
    if (group->pool) {
        lock(group->pool);
        wait_locked(group);
        unlock(group->pool);
    }
    rwl_free(group->env, group);
}
