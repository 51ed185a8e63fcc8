/* SPDX-License-Identifier: Apache-2.0 */
/* The store of one file in memory. */
#include "memory_store.h"

typedef struct memory_store {
    rwl_store store; /* first */
    rwl_span content;
} memory_store;

typedef struct memory_file {
    rwl_file file; /* first */
    memory_store *owner;
} memory_file;

static memory_store *owner_of(rwl_store *s) {
    return (memory_store *)(void *)s;
}
static rwl_span content_of(rwl_file *f) {
    return ((memory_file *)(void *)f)->owner->content;
}

static rwl_status open_file(rwl_store *s, rwl_op *op, const char *location, rwl_file **out, rwl_error *err) {
    (void)op;
    memory_file *f = rwl_calloc(s->env, 1, sizeof *f);
    if (!f)
        return rwl_no_memory(err, strlen(location));
    f->file.vtable = s->vtable;
    f->owner = owner_of(s);
    *out = &f->file;
    return RWL_OK;
}

static rwl_status file_size(rwl_file *f, int64_t *out, rwl_error *err) {
    (void)err;
    *out = (int64_t)content_of(f).len;
    return RWL_OK;
}

static rwl_status read_range(rwl_span content, rwl_range_read *read) {
    if (read->offset < 0 || (uint64_t)read->offset > content.len ||
        read->len > content.len - (size_t)read->offset)
        return rwl_fail(&read->error, RWL_CORRUPT, "file ends at %zu, read of %zu bytes at %lld", content.len,
                        read->len, (long long)read->offset);
    if (read->len > 0)
        memcpy(read->dst, content.data + read->offset, read->len);
    return RWL_OK;
}

static rwl_status submit(rwl_file *f, rwl_op *op, rwl_range_read *const *reads, size_t count,
                         rwl_error *err) {
    (void)op;
    (void)err;
    for (size_t i = 0; i < count; i++) {
        reads[i]->status = read_range(content_of(f), reads[i]);
        reads[i]->done = true;
    }
    return RWL_OK;
}

static rwl_status wait_read(rwl_file *f, rwl_op *op, rwl_range_read *read, rwl_error *err) {
    (void)f;
    (void)op;
    if (read->status != RWL_OK && err)
        *err = read->error;
    return read->status;
}

static void cancel(rwl_file *f) {
    (void)f;
}

static void close_file(rwl_file *f) {
    memory_file *file = (memory_file *)(void *)f;
    rwl_free(file->owner->store.env, file);
}

static rwl_status refuse(rwl_error *err) {
    return rwl_fail(err, RWL_UNSUPPORTED, "a store in memory is only read");
}

static rwl_status create(rwl_store *s, rwl_op *op, const char *location, rwl_new_file **out, rwl_error *err) {
    (void)s;
    (void)op;
    (void)location;
    *out = NULL;
    return refuse(err);
}

static rwl_status write_file(rwl_new_file *f, const void *data, size_t len, rwl_error *err) {
    (void)f;
    (void)data;
    (void)len;
    return refuse(err);
}

static rwl_status finish(rwl_new_file *f, rwl_error *err) {
    (void)f;
    return refuse(err);
}

static void abort_file(rwl_new_file *f) {
    (void)f;
}

static rwl_status stat_file(rwl_store *s, rwl_op *op, const char *location, rwl_stat *out, rwl_error *err) {
    (void)op;
    (void)location;
    (void)err;
    *out = (rwl_stat){.size = (int64_t)owner_of(s)->content.len};
    return RWL_OK;
}

static rwl_status replace(rwl_store *s, rwl_op *op, const char *location, rwl_span content, rwl_error *err) {
    (void)s;
    (void)op;
    (void)location;
    (void)content;
    return refuse(err);
}

static rwl_status remove_file(rwl_store *s, rwl_op *op, const char *location, rwl_error *err) {
    (void)s;
    (void)op;
    (void)location;
    return refuse(err);
}

static rwl_status list(rwl_store *s, rwl_op *op, const char *location,
                       rwl_status (*each)(void *ctx, const char *name, const rwl_stat *st, rwl_error *err),
                       void *ctx, rwl_error *err) {
    (void)s;
    (void)op;
    (void)location;
    (void)each;
    (void)ctx;
    return refuse(err);
}

static void free_store(rwl_store *s) {
    rwl_free(s->env, s);
}

static const rwl_store_vtable vtable = {
    .open = open_file,
    .size = file_size,
    .submit = submit,
    .wait = wait_read,
    .cancel = cancel,
    .close = close_file,
    .create = create,
    .write = write_file,
    .finish = finish,
    .abort = abort_file,
    .stat = stat_file,
    .replace = replace,
    .remove = remove_file,
    .list = list,
    .free = free_store,
};

rwl_store *rwl_memory_store_new(const rwl_env *env, rwl_span content) {
    memory_store *s = rwl_calloc(env, 1, sizeof *s);
    if (!s)
        return NULL;
    s->store.vtable = &vtable;
    s->store.env = env;
    s->content = content;
    return &s->store;
}
