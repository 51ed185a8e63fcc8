/* SPDX-License-Identifier: Apache-2.0 */
/* Deletion vectors and the footers that describe them. */
#include "iceberg/vector_deletes.h"

#include "puffin/puffin.h"

#include <inttypes.h>
#include <stdlib.h>

/* A footer in the cache, its blobs by rising offset. */
typedef struct held_footer {
    rwl_arena arena;
    rwl_puffin_footer footer;
    bool unreadable; /* compressed or too large */
} held_footer;

typedef struct footer_loading {
    rwl_store *store;
    rwl_op *op;
    const char *location;
} footer_loading;

static void free_footer(const rwl_env *env, void *value) {
    held_footer *held = value;
    rwl_arena_clear(&held->arena);
    rwl_free(env, held);
}

static int by_offset(const void *a, const void *b) {
    const rwl_puffin_blob *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static rwl_status load_footer(void *ctx, int64_t most, void **value, int64_t *bytes, rwl_error *err) {
    footer_loading *loading = ctx;
    held_footer *held = rwl_calloc(loading->op->env, 1, sizeof *held);
    if (held == NULL)
        return rwl_no_memory(err, sizeof *held);
    rwl_arena_init(&held->arena, loading->op->env, 0);
    rwl_status st = rwl_puffin_footer_read(loading->store, loading->op, loading->location, &held->arena,
                                           &held->footer, err);
    if (st == RWL_UNSUPPORTED) {
        held->unreadable = true;
        st = RWL_OK;
    } else if (st == RWL_OK && held->footer.blob_count > 1) {
        qsort(held->footer.blobs, (size_t)held->footer.blob_count, sizeof *held->footer.blobs, by_offset);
    }
    *bytes = (int64_t)(sizeof *held + held->arena.used);
    if (st == RWL_OK && *bytes <= most)
        *value = held;
    else
        free_footer(loading->op->env, held);
    return st;
}

static const rwl_puffin_blob *find_blob(const rwl_puffin_footer *footer, int64_t offset) {
    const rwl_puffin_blob key = {.offset = offset};
    if (footer->blob_count == 0)
        return NULL;
    return bsearch(&key, footer->blobs, (size_t)footer->blob_count, sizeof key, by_offset);
}

static rwl_status check_blob(const rwl_puffin_footer *footer, const rwl_delete_ref *ref,
                             const char *data_file, rwl_error *err) {
    const rwl_puffin_blob *blob = find_blob(footer, ref->offset);
    if (blob == NULL)
        return rwl_fail(err, RWL_CORRUPT, "the footer has no blob at %" PRId64, ref->offset);
    if (blob->length != ref->length)
        return rwl_fail(err, RWL_CORRUPT,
                        "the blob at %" PRId64 " has %" PRId64 " bytes by the footer, %" PRId64
                        " by the manifest",
                        ref->offset, blob->length, ref->length);
    if (strcmp(blob->type, "deletion-vector-v1") != 0 || blob->compression_codec != NULL)
        return rwl_fail(err, RWL_CORRUPT, "the blob at %" PRId64 " is of type %s%s, no deletion vector",
                        ref->offset, blob->type, blob->compression_codec != NULL ? ", compressed" : "");
    if (blob->referenced_data_file != NULL && strcmp(blob->referenced_data_file, data_file) != 0)
        return rwl_fail(err, RWL_CORRUPT,
                        "the blob at %" PRId64 " is for %s by the footer, for %s by the manifest",
                        ref->offset, blob->referenced_data_file, data_file);
    if (blob->cardinality >= 0 && blob->cardinality != ref->row_count)
        return rwl_fail(err, RWL_CORRUPT,
                        "the blob at %" PRId64 " has %" PRId64 " positions by the footer, %" PRId64
                        " by the manifest",
                        ref->offset, blob->cardinality, ref->row_count);
    return RWL_OK;
}

static rwl_status check_footer(rwl_store *store, rwl_op *op, rwl_delete_cache *cache,
                               const rwl_delete_ref *ref, const char *data_file, rwl_error *err) {
    footer_loading loading = {store, op, ref->location};
    rwl_delete_loader loader = {load_footer, free_footer, &loading};
    rwl_delete_use use = {0};
    rwl_buf name;
    rwl_buf_init(&name, op->env, SIZE_MAX);
    rwl_status st = rwl_buf_printf(&name, err, "v%s", ref->location);
    if (st == RWL_OK)
        st = rwl_delete_cache_use(cache, op, rwl_buf_span(&name), &loader, &use, err);
    rwl_buf_clear(&name);
    RWL_TRY(st);
    const held_footer *held = use.value;
    if (held != NULL && !held->unreadable)
        st = check_blob(&held->footer, ref, data_file, err);
    rwl_delete_cache_release(cache, op, &use);
    if (st == RWL_OK)
        return RWL_OK;
    return rwl_error_path(err, rwl_error_in(err, st, "%s", ref->location), ref->location);
}

rwl_status rwl_vector_deletes_read(rwl_store *store, rwl_op *op, rwl_delete_cache *cache,
                                   const rwl_delete_ref *ref, const char *data_file, rwl_bitmap *into,
                                   rwl_error *err) {
    rwl_dv_ref dv = {ref->location, ref->offset, ref->length, ref->row_count, ref->file_size};
    rwl_bitmap *vector = NULL;
    RWL_TRY(rwl_dv_read(store, op, &dv, &vector, err));
    rwl_status st = check_footer(store, op, cache, ref, data_file, err);
    if (st == RWL_OK)
        st = rwl_bitmap_union(into, vector, err);
    rwl_bitmap_free(vector);
    return st;
}
