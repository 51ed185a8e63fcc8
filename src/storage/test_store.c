/* SPDX-License-Identifier: Apache-2.0 */
/* The store for tests. */
#include "storage/test_store.h"

#include "base/thread.h"
#include "base/vec.h"

#include <stdio.h>

typedef struct test_store {
    rwl_store base;
    rwl_store *inner;
    rwl_mutex mutex; /* guards what follows */
    rwl_test_store_options options;
    rwl_test_store_stats stats;
    int64_t matched; /* calls that fail_call and only cover, so far */
    uint64_t random;
} test_store;

typedef struct test_file {
    rwl_file base;
    test_store *store;
    rwl_file *inner;
    char *location;
    rwl_mutex mutex; /* guards pending */
    RWL_VEC(rwl_range_read *) pending;
} test_file;

typedef struct test_new_file {
    rwl_new_file base;
    test_store *store;
    rwl_new_file *inner;
    char *location;
} test_new_file;

/* What is to happen to a call. */
typedef enum fate { FATE_PASS, FATE_FAIL_BEFORE, FATE_FAIL_AFTER } fate;

const char *rwl_test_call_name(rwl_test_call call) {
    static const char *const names[] = {"open", "read",    "create", "write", "finish", "abort",
                                        "stat", "replace", "remove", "list",  "any"};
    return names[call];
}

static test_store *as_store(rwl_store *s) {
    return (test_store *)s;
}

static bool covers(const rwl_test_store_options *o, const char *location) {
    return !o->only || strstr(location, o->only) != NULL;
}

/* Counts a call and decides about it. */
static fate count_call(test_store *s, rwl_test_call call, const char *location) {
    rwl_mutex_lock(&s->mutex);
    s->stats.calls[call]++;
    const rwl_test_store_options *o = &s->options;
    fate result = FATE_PASS;
    bool kind = o->fail_call == call || (o->fail_call == RWL_TEST_ANY && call != RWL_TEST_ABORT);
    if (o->fail_at > 0 && kind && covers(o, location)) {
        s->matched++;
        if (s->matched == o->fail_at || (o->fail_rest && s->matched > o->fail_at)) {
            s->stats.failures++;
            result = o->fail_after ? FATE_FAIL_AFTER : FATE_FAIL_BEFORE;
        }
    }
    rwl_test_store_options told = *o;
    rwl_mutex_unlock(&s->mutex);
    if (told.before)
        told.before(told.before_ctx, call, location, result != FATE_PASS);
    return result;
}

static rwl_status make_failure(test_store *s, rwl_test_call call, const char *location, fate what,
                               rwl_error *err) {
    rwl_mutex_lock(&s->mutex);
    rwl_status st = s->options.fail_status;
    rwl_mutex_unlock(&s->mutex);
    bool commits = call == RWL_TEST_FINISH || call == RWL_TEST_REPLACE;
    if (st == RWL_OK)
        st = commits && what == FATE_FAIL_AFTER ? RWL_COMMIT_UNKNOWN : RWL_IO;
    rwl_fail(err, st, "%s: the test store fails this %s %s it", location, rwl_test_call_name(call),
             what == FATE_FAIL_AFTER ? "after" : "before");
    return rwl_error_path(err, st, location);
}

/* The answer to a call that was carried out with `st`. */
static rwl_status answer(test_store *s, rwl_test_call call, const char *location, fate what, rwl_status st,
                         rwl_error *err) {
    if (st == RWL_OK && what == FATE_FAIL_AFTER)
        return make_failure(s, call, location, what, err);
    return st;
}

static void add_count(test_store *s, int64_t *counter, int64_t more) {
    rwl_mutex_lock(&s->mutex);
    *counter += more;
    rwl_mutex_unlock(&s->mutex);
}

/* splitmix64 */
static uint64_t draw(test_store *s) {
    rwl_mutex_lock(&s->mutex);
    uint64_t z = s->random += 0x9E3779B97F4A7C15u;
    rwl_mutex_unlock(&s->mutex);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* --- reading --- */

static test_file *as_file(rwl_file *f) {
    return (test_file *)f;
}

static void close_file(rwl_file *f) {
    test_file *file = as_file(f);
    test_store *s = file->store;
    rwl_file_close(file->inner);
    rwl_mutex_clear(&file->mutex);
    rwl_vec_clear(&file->pending, s->base.env);
    rwl_free(s->base.env, file->location);
    rwl_free(s->base.env, file);
    add_count(s, &s->stats.open_files, -1);
}

static rwl_status wrap_file(test_store *s, rwl_file *inner, const char *location, rwl_file **out,
                            rwl_error *err) {
    test_file *file = rwl_calloc(s->base.env, 1, sizeof *file);
    char *copy = rwl_strdup(s->base.env, location);
    rwl_status st = file && copy ? rwl_mutex_init(&file->mutex, err) : rwl_no_memory(err, sizeof *file);
    if (st != RWL_OK) {
        rwl_free(s->base.env, file);
        rwl_free(s->base.env, copy);
        rwl_file_close(inner);
        return st;
    }
    file->base.vtable = s->base.vtable;
    file->store = s;
    file->inner = inner;
    file->location = copy;
    *out = &file->base;
    add_count(s, &s->stats.open_files, 1);
    return RWL_OK;
}

static rwl_status open_file(rwl_store *base, rwl_op *op, const char *location, rwl_file **out,
                            rwl_error *err) {
    test_store *s = as_store(base);
    fate what = count_call(s, RWL_TEST_OPEN, location);
    if (what != FATE_PASS)
        return make_failure(s, RWL_TEST_OPEN, location, FATE_FAIL_BEFORE, err);
    rwl_file *inner;
    RWL_TRY(rwl_file_open(s->inner, op, location, &inner, err));
    return wrap_file(s, inner, location, out, err);
}

static int64_t find_end(test_file *file) {
    test_store *s = file->store;
    rwl_mutex_lock(&s->mutex);
    int64_t end =
        s->options.end_at > 0 && covers(&s->options, file->location) ? s->options.end_at : INT64_MAX;
    rwl_mutex_unlock(&s->mutex);
    return end;
}

static rwl_status get_size(rwl_file *f, int64_t *out, rwl_error *err) {
    RWL_TRY(rwl_file_size(as_file(f)->inner, out, err));
    int64_t end = find_end(as_file(f));
    if (*out > end)
        *out = end;
    return RWL_OK;
}

static rwl_status submit_reads(rwl_file *f, rwl_op *op, rwl_range_read *const *reads, size_t count,
                               rwl_error *err) {
    (void)op;
    test_file *file = as_file(f);
    rwl_mutex_lock(&file->mutex);
    rwl_status st = rwl_vec_reserve(&file->pending, file->store->base.env, count, err);
    for (size_t i = 0; st == RWL_OK && i < count; i++) {
        reads[i]->done = false;
        if (reads[i]->len)
            memset(reads[i]->dst, 0xA5, reads[i]->len);
        file->pending.items[file->pending.len++] = reads[i];
        add_count(file->store, &file->store->stats.bytes_read, (int64_t)reads[i]->len);
    }
    rwl_mutex_unlock(&file->mutex);
    add_count(file->store, &file->store->stats.submits, 1);
    return st;
}

static rwl_status read_pieces(test_file *file, rwl_op *op, const rwl_range_read *read, rwl_error *err) {
    test_store *s = file->store;
    rwl_mutex_lock(&s->mutex);
    size_t split = s->options.split;
    int64_t delay = s->options.delay_ms;
    rwl_mutex_unlock(&s->mutex);
    if (delay > 0)
        s->base.env->sleep_ms(s->base.env->ctx, delay);
    int64_t end = find_end(file);
    if (read->offset < 0 || read->len > (uint64_t)end || read->offset > end - (int64_t)read->len)
        return rwl_fail_at(err, RWL_CORRUPT, read->offset,
                           "%s: file ends at byte %lld; %zu bytes needed at %lld", file->location,
                           (long long)end, read->len, (long long)read->offset);
    size_t at = 0;
    do {
        size_t len = read->len - at;
        if (split && len > split)
            len = split;
        RWL_TRY(rwl_file_read(file->inner, op, read->offset + (int64_t)at, len, read->dst + at, err));
        at += len;
    } while (at < read->len);
    return RWL_OK;
}

static void carry_out(test_file *file, rwl_op *op, rwl_range_read *read) {
    test_store *s = file->store;
    fate what = count_call(s, RWL_TEST_READ, file->location);
    read->status = what == FATE_FAIL_BEFORE
                       ? make_failure(s, RWL_TEST_READ, file->location, what, &read->error)
                       : answer(s, RWL_TEST_READ, file->location, what,
                                read_pieces(file, op, read, &read->error), &read->error);
    read->done = true;
}

/* Takes the i-th pending read; NULL when there is none. */
static rwl_range_read *take_pending(test_file *file, size_t i) {
    rwl_mutex_lock(&file->mutex);
    rwl_range_read *read = i < file->pending.len ? file->pending.items[i] : NULL;
    if (read)
        file->pending.items[i] = file->pending.items[--file->pending.len];
    rwl_mutex_unlock(&file->mutex);
    return read;
}

static size_t find_pending(test_file *file, const rwl_range_read *read) {
    rwl_mutex_lock(&file->mutex);
    size_t i = 0;
    while (i < file->pending.len && file->pending.items[i] != read)
        i++;
    size_t found = i < file->pending.len ? i : SIZE_MAX;
    rwl_mutex_unlock(&file->mutex);
    return found;
}

static void carry_out_others(test_file *file, rwl_op *op) {
    rwl_mutex_lock(&file->mutex);
    size_t count = file->pending.len;
    rwl_mutex_unlock(&file->mutex);
    for (size_t left = (size_t)(draw(file->store) % (count + 1)); left > 0; left--) {
        rwl_range_read *other = take_pending(file, (size_t)(draw(file->store) % count));
        if (other)
            carry_out(file, op, other);
    }
}

static rwl_status wait_read(rwl_file *f, rwl_op *op, rwl_range_read *read, rwl_error *err) {
    test_file *file = as_file(f);
    rwl_mutex_lock(&file->store->mutex);
    bool reorder = file->store->options.reorder;
    rwl_mutex_unlock(&file->store->mutex);
    if (reorder && !read->done)
        carry_out_others(file, op);
    if (!read->done) {
        rwl_range_read *taken = take_pending(file, find_pending(file, read));
        if (!taken)
            return rwl_fail(err, RWL_INTERNAL, "%s: waited for a read that was not submitted",
                            file->location);
        carry_out(file, op, taken);
    }
    if (read->status != RWL_OK && err)
        *err = read->error;
    return read->status;
}

static void cancel_reads(rwl_file *f) {
    test_file *file = as_file(f);
    rwl_mutex_lock(&file->mutex);
    file->pending.len = 0;
    rwl_mutex_unlock(&file->mutex);
}

/* --- writing --- */

static test_new_file *as_new_file(rwl_new_file *f) {
    return (test_new_file *)f;
}

static void free_new_file(test_new_file *file) {
    test_store *s = file->store;
    rwl_free(s->base.env, file->location);
    rwl_free(s->base.env, file);
    add_count(s, &s->stats.open_new_files, -1);
}

static rwl_status create_file(rwl_store *base, rwl_op *op, const char *location, rwl_new_file **out,
                              rwl_error *err) {
    test_store *s = as_store(base);
    fate what = count_call(s, RWL_TEST_CREATE, location);
    if (what != FATE_PASS) /* a file nobody has a handle of could not be aborted: before and after are one */
        return make_failure(s, RWL_TEST_CREATE, location, FATE_FAIL_BEFORE, err);
    test_new_file *file = rwl_calloc(base->env, 1, sizeof *file);
    char *copy = rwl_strdup(base->env, location);
    rwl_new_file *inner = NULL;
    rwl_status st = file && copy ? rwl_new_file_create(s->inner, op, location, &inner, err)
                                 : rwl_no_memory(err, sizeof *file);
    if (st != RWL_OK) {
        rwl_free(base->env, file);
        rwl_free(base->env, copy);
        return st;
    }
    *file = (test_new_file){.base.vtable = base->vtable, .store = s, .inner = inner, .location = copy};
    *out = &file->base;
    add_count(s, &s->stats.open_new_files, 1);
    return RWL_OK;
}

static rwl_status write_file(rwl_new_file *f, const void *data, size_t len, rwl_error *err) {
    test_new_file *file = as_new_file(f);
    fate what = count_call(file->store, RWL_TEST_WRITE, file->location);
    if (what == FATE_FAIL_BEFORE)
        return make_failure(file->store, RWL_TEST_WRITE, file->location, what, err);
    add_count(file->store, &file->store->stats.bytes_written, (int64_t)len);
    rwl_status st = rwl_new_file_write(file->inner, data, len, err);
    return answer(file->store, RWL_TEST_WRITE, file->location, what, st, err);
}

static rwl_status finish_file(rwl_new_file *f, rwl_error *err) {
    test_new_file *file = as_new_file(f);
    fate what = count_call(file->store, RWL_TEST_FINISH, file->location);
    rwl_status st;
    if (what == FATE_FAIL_BEFORE) {
        rwl_new_file_abort(file->inner);
        st = make_failure(file->store, RWL_TEST_FINISH, file->location, what, err);
    } else {
        st = rwl_new_file_finish(file->inner, err);
        st = answer(file->store, RWL_TEST_FINISH, file->location, what, st, err);
    }
    free_new_file(file);
    return st;
}

static void abort_file(rwl_new_file *f) {
    test_new_file *file = as_new_file(f);
    (void)count_call(file->store, RWL_TEST_ABORT, file->location);
    rwl_new_file_abort(file->inner);
    free_new_file(file);
}

/* --- names --- */

static rwl_status stat_location(rwl_store *base, rwl_op *op, const char *location, rwl_stat *out,
                                rwl_error *err) {
    test_store *s = as_store(base);
    fate what = count_call(s, RWL_TEST_STAT, location);
    if (what != FATE_PASS)
        return make_failure(s, RWL_TEST_STAT, location, FATE_FAIL_BEFORE, err);
    return rwl_store_stat(s->inner, op, location, out, err);
}

static rwl_status replace_location(rwl_store *base, rwl_op *op, const char *location, rwl_span content,
                                   rwl_error *err) {
    test_store *s = as_store(base);
    fate what = count_call(s, RWL_TEST_REPLACE, location);
    if (what == FATE_FAIL_BEFORE)
        return make_failure(s, RWL_TEST_REPLACE, location, what, err);
    add_count(s, &s->stats.bytes_written, (int64_t)content.len);
    return answer(s, RWL_TEST_REPLACE, location, what,
                  rwl_store_replace(s->inner, op, location, content, err), err);
}

static rwl_status remove_location(rwl_store *base, rwl_op *op, const char *location, rwl_error *err) {
    test_store *s = as_store(base);
    fate what = count_call(s, RWL_TEST_REMOVE, location);
    if (what == FATE_FAIL_BEFORE)
        return make_failure(s, RWL_TEST_REMOVE, location, what, err);
    return answer(s, RWL_TEST_REMOVE, location, what, rwl_store_remove(s->inner, op, location, err), err);
}

static rwl_status list_location(rwl_store *base, rwl_op *op, const char *location,
                                rwl_status (*each)(void *ctx, const char *name, const rwl_stat *st,
                                                   rwl_error *err),
                                void *ctx, rwl_error *err) {
    test_store *s = as_store(base);
    fate what = count_call(s, RWL_TEST_LIST, location);
    if (what == FATE_FAIL_BEFORE)
        return make_failure(s, RWL_TEST_LIST, location, what, err);
    return answer(s, RWL_TEST_LIST, location, what, rwl_store_list(s->inner, op, location, each, ctx, err),
                  err);
}

/* --- the store --- */

static void free_store(rwl_store *base) {
    test_store *s = as_store(base);
    rwl_store_free(s->inner);
    rwl_mutex_clear(&s->mutex);
    rwl_free(base->env, s);
}

static rwl_store *get_inner(rwl_store *base) {
    return as_store(base)->inner;
}

static const rwl_store_vtable test_vtable = {
    .open = open_file,
    .size = get_size,
    .submit = submit_reads,
    .wait = wait_read,
    .cancel = cancel_reads,
    .close = close_file,
    .create = create_file,
    .write = write_file,
    .finish = finish_file,
    .abort = abort_file,
    .stat = stat_location,
    .replace = replace_location,
    .remove = remove_location,
    .list = list_location,
    .free = free_store,
    .inner = get_inner,
};

rwl_status rwl_test_store_new(const rwl_env *env, rwl_store *inner, const rwl_test_store_options *options,
                              rwl_store **out, rwl_error *err) {
    *out = NULL;
    test_store *s = rwl_calloc(env, 1, sizeof *s);
    rwl_status st = s ? rwl_mutex_init(&s->mutex, err) : rwl_no_memory(err, sizeof *s);
    if (st != RWL_OK) {
        rwl_free(env, s);
        rwl_store_free(inner);
        return st;
    }
    s->base = (rwl_store){&test_vtable, env};
    s->inner = inner;
    rwl_test_store_set(&s->base, options);
    *out = &s->base;
    return RWL_OK;
}

void rwl_test_store_set(rwl_store *store, const rwl_test_store_options *options) {
    test_store *s = as_store(store);
    rwl_mutex_lock(&s->mutex);
    s->options = *options;
    s->stats =
        (rwl_test_store_stats){.open_files = s->stats.open_files, .open_new_files = s->stats.open_new_files};
    s->matched = 0;
    s->random = options->seed;
    rwl_mutex_unlock(&s->mutex);
}

rwl_test_store_stats rwl_test_store_stats_of(rwl_store *store) {
    test_store *s = as_store(store);
    rwl_mutex_lock(&s->mutex);
    rwl_test_store_stats stats = s->stats;
    rwl_mutex_unlock(&s->mutex);
    return stats;
}
