/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of any store, and what follows from them. */
#include "storage/store.h"

#include <inttypes.h>

void rwl_store_free(rwl_store *store) {
    if (store)
        store->vtable->free(store);
}

/* --- reading --- */

rwl_status rwl_file_open(rwl_store *s, rwl_op *op, const char *location, rwl_file **out, rwl_error *err) {
    *out = NULL;
    RWL_TRY(rwl_op_check(op, err));
    return s->vtable->open(s, op, location, out, err);
}

void rwl_file_close(rwl_file *f) {
    if (f)
        f->vtable->close(f);
}

rwl_status rwl_file_size(rwl_file *f, int64_t *out, rwl_error *err) {
    return f->vtable->size(f, out, err);
}

void rwl_file_size_compare(const rwl_env *env, const char *location, int64_t size, int64_t known) {
    if (known >= 0 && known != size)
        rwl_log(env, RWL_LOG_WARN, "%s has %" PRId64 " bytes, the table says %" PRId64 "; read as it is",
                location, size, known);
}

rwl_status rwl_file_submit(rwl_file *f, rwl_op *op, rwl_range_read *const *reads, size_t count,
                           rwl_error *err) {
    RWL_TRY(rwl_op_check(op, err));
    return f->vtable->submit(f, op, reads, count, err);
}

rwl_status rwl_file_wait(rwl_file *f, rwl_op *op, rwl_range_read *read, rwl_error *err) {
    return f->vtable->wait(f, op, read, err);
}

void rwl_file_cancel(rwl_file *f) {
    f->vtable->cancel(f);
}

int64_t rwl_file_range_len(const rwl_file *f) {
    return f->vtable->range_len;
}

rwl_status rwl_file_read(rwl_file *f, rwl_op *op, int64_t offset, size_t len, uint8_t *dst, rwl_error *err) {
    rwl_range_read read = {.offset = offset, .len = len, .dst = dst};
    rwl_range_read *reads[] = {&read};
    RWL_TRY(rwl_file_submit(f, op, reads, 1, err));
    return rwl_file_wait(f, op, &read, err);
}

static rwl_status read_whole(rwl_file *f, rwl_op *op, rwl_buf *out, rwl_error *err) {
    int64_t size;
    RWL_TRY(rwl_file_size(f, &size, err));
    if (size < 0 || (uint64_t)size > SIZE_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "a file of %lld bytes cannot be held in memory",
                        (long long)size);
    RWL_TRY(rwl_buf_reserve(out, (size_t)size, err));
    if (size == 0)
        return RWL_OK;
    RWL_TRY(rwl_file_read(f, op, 0, (size_t)size, out->data + out->len, err));
    out->len += (size_t)size;
    return RWL_OK;
}

rwl_status rwl_store_read_all(rwl_store *s, rwl_op *op, const char *location, rwl_buf *out, rwl_error *err) {
    rwl_file *file;
    RWL_TRY(rwl_file_open(s, op, location, &file, err));
    rwl_status st = read_whole(file, op, out, err);
    rwl_file_close(file);
    if (st != RWL_OK)
        rwl_error_path(err, st, location);
    return st;
}

/* --- writing --- */

rwl_status rwl_new_file_create(rwl_store *s, rwl_op *op, const char *location, rwl_new_file **out,
                               rwl_error *err) {
    *out = NULL;
    RWL_TRY(rwl_op_check(op, err));
    return s->vtable->create(s, op, location, out, err);
}

rwl_status rwl_new_file_write(rwl_new_file *f, const void *data, size_t len, rwl_error *err) {
    return f->vtable->write(f, data, len, err);
}

rwl_status rwl_new_file_finish(rwl_new_file *f, rwl_error *err) {
    return f->vtable->finish(f, err);
}

void rwl_new_file_abort(rwl_new_file *f) {
    if (f)
        f->vtable->abort(f);
}

rwl_status rwl_store_put(rwl_store *s, rwl_op *op, const char *location, rwl_span content, rwl_error *err) {
    rwl_new_file *file;
    RWL_TRY(rwl_new_file_create(s, op, location, &file, err));
    rwl_status st = rwl_new_file_write(file, content.data, content.len, err);
    if (st != RWL_OK) {
        rwl_new_file_abort(file);
        return st;
    }
    return rwl_new_file_finish(file, err);
}

rwl_status rwl_store_replace(rwl_store *s, rwl_op *op, const char *location, rwl_span content,
                             rwl_error *err) {
    RWL_TRY(rwl_op_check(op, err));
    return s->vtable->replace(s, op, location, content, err);
}

/* --- names; all three also while an operation is being cancelled, which cleans up behind itself --- */

rwl_status rwl_store_stat(rwl_store *s, rwl_op *op, const char *location, rwl_stat *out, rwl_error *err) {
    return s->vtable->stat(s, op, location, out, err);
}

rwl_status rwl_store_remove(rwl_store *s, rwl_op *op, const char *location, rwl_error *err) {
    return s->vtable->remove(s, op, location, err);
}

rwl_status rwl_store_list(rwl_store *s, rwl_op *op, const char *location,
                          rwl_status (*each)(void *ctx, const char *name, const rwl_stat *st, rwl_error *err),
                          void *ctx, rwl_error *err) {
    return s->vtable->list(s, op, location, each, ctx, err);
}
