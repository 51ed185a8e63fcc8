/* SPDX-License-Identifier: Apache-2.0 */
/* Reads are forwarded whole: an opened file is the inner store's own. */
#include "storage/dry.h"

typedef struct dry_store {
    rwl_store base;
    rwl_store *inner;
} dry_store;

typedef struct dry_file {
    rwl_new_file base;
    const rwl_env *env;
} dry_file;

static rwl_store *inner_of(rwl_store *s) {
    return ((dry_store *)s)->inner;
}

static rwl_status open_inner(rwl_store *s, rwl_op *op, const char *location, rwl_file **out, rwl_error *err) {
    return rwl_file_open(inner_of(s), op, location, out, err);
}

static rwl_status stat_inner(rwl_store *s, rwl_op *op, const char *location, rwl_stat *out, rwl_error *err) {
    return rwl_store_stat(inner_of(s), op, location, out, err);
}

static rwl_status list_inner(rwl_store *s, rwl_op *op, const char *location,
                             rwl_status (*each)(void *ctx, const char *name, const rwl_stat *st,
                                                rwl_error *err),
                             void *ctx, rwl_error *err) {
    return rwl_store_list(inner_of(s), op, location, each, ctx, err);
}

static rwl_status write_nothing(rwl_new_file *f, const void *data, size_t len, rwl_error *err) {
    (void)f, (void)data, (void)len, (void)err;
    return RWL_OK;
}

static void abort_nothing(rwl_new_file *f) {
    rwl_free(((dry_file *)f)->env, f);
}

static rwl_status finish_nothing(rwl_new_file *f, rwl_error *err) {
    (void)err;
    abort_nothing(f);
    return RWL_OK;
}

static rwl_status replace_nothing(rwl_store *s, rwl_op *op, const char *location, rwl_span content,
                                  rwl_error *err) {
    (void)s, (void)op, (void)location, (void)content, (void)err;
    return RWL_OK;
}

static rwl_status remove_nothing(rwl_store *s, rwl_op *op, const char *location, rwl_error *err) {
    (void)s, (void)op, (void)location, (void)err;
    return RWL_OK;
}

static rwl_status create_nothing(rwl_store *s, rwl_op *op, const char *location, rwl_new_file **out,
                                 rwl_error *err) {
    (void)op, (void)location;
    dry_file *f = rwl_calloc(s->env, 1, sizeof *f);
    if (f == NULL)
        return rwl_no_memory(err, sizeof *f);
    f->base.vtable = s->vtable;
    f->env = s->env;
    *out = &f->base;
    return RWL_OK;
}

static void free_dry(rwl_store *s) {
    rwl_free(s->env, s);
}

static const rwl_store_vtable DRY = {
    .open = open_inner,
    .create = create_nothing,
    .write = write_nothing,
    .finish = finish_nothing,
    .abort = abort_nothing,
    .stat = stat_inner,
    .replace = replace_nothing,
    .remove = remove_nothing,
    .list = list_inner,
    .inner = inner_of, /* so that moved tables are found through it */
    .free = free_dry,
};

rwl_status rwl_store_dry_new(rwl_store *inner, rwl_store **out, rwl_error *err) {
    dry_store *s = rwl_calloc(inner->env, 1, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    s->base.vtable = &DRY;
    s->base.env = inner->env;
    s->inner = inner;
    *out = &s->base;
    return RWL_OK;
}
