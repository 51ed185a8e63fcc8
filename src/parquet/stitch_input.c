/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of the files being stitched: small ones read whole, once, the others by windows. */
#include "parquet/stitch_internal.h"

enum {
    SOURCE_MAX = 8 * 1024 * 1024,    /* of one file in memory */
    SOURCES_MAX = 128 * 1024 * 1024, /* of all */
    SOURCES_SHARE = 4,               /* and of the budget */
    HANDLES_MAX = 32                 /* kept open */
};

rwl_status rwl_stitch_source_open(rwl_stitch_source *source, rwl_store *store, rwl_op *op, rwl_error *err) {
    if (source->handle != NULL)
        return RWL_OK;
    RWL_TRY(rwl_file_open(store, op, source->part.file->location, &source->handle, err));
    source->held->handles++;
    return RWL_OK;
}

static void close_handle(rwl_stitch_source *source) {
    source->held->handles -= source->handle != NULL;
    rwl_file_close(source->handle);
    source->handle = NULL;
}

void rwl_stitch_source_rest(rwl_stitch_source *source) {
    if (source->held->handles > HANDLES_MAX)
        close_handle(source);
}

void rwl_stitch_source_unload(rwl_stitch_source *source, rwl_op *op) {
    if (source->owned != NULL) {
        rwl_free(op->env, source->owned);
        rwl_op_release(op, source->len + RWL_PARQUET_READ_SLACK);
        source->held->bytes -= source->len;
    }
    source->owned = NULL;
    source->bytes = NULL;
    source->off = source->len = 0;
    close_handle(source);
}

/* Whether `len` bytes more may be in memory: what is not is read by pieces. */
static bool has_room(const rwl_stitch_source *source, const rwl_op *op, int64_t len) {
    int64_t most = SOURCES_MAX;
    if (op->memory_limit > 0 && op->memory_limit / SOURCES_SHARE < most)
        most = op->memory_limit / SOURCES_SHARE;
    return len <= SOURCE_MAX && source->held->bytes + len <= most;
}

static rwl_status read_whole(rwl_stitch_source *source, rwl_store *store, rwl_op *op, int64_t from,
                             int64_t len, rwl_error *err) {
    int64_t cap = len + RWL_PARQUET_READ_SLACK;
    if (!has_room(source, op, len) || rwl_op_reserve(op, cap, "an input file", NULL) != RWL_OK)
        return RWL_OK;
    source->owned = rwl_alloc(op->env, (size_t)cap);
    if (source->owned == NULL) {
        rwl_op_release(op, cap);
        return rwl_no_memory(err, (size_t)cap);
    }
    source->bytes = source->owned;
    source->off = from;
    source->len = len;
    source->held->bytes += len;
    memset(source->owned + len, 0, RWL_PARQUET_READ_SLACK);
    RWL_TRY(rwl_stitch_source_open(source, store, op, err));
    RWL_TRY(rwl_file_read(source->handle, op, from, (size_t)len, source->owned, err));
    close_handle(source);
    return RWL_OK;
}

rwl_status rwl_stitch_source_load(rwl_stitch_source *source, rwl_store *store, rwl_op *op, int64_t from,
                                  int64_t to, rwl_error *err) {
    const rwl_parquet_file *file = source->part.file;
    int64_t tail_end = file->tail_off + (int64_t)file->tail.len - RWL_PARQUET_READ_SLACK;
    if (source->bytes != NULL && from >= source->off && to <= source->off + source->len)
        return RWL_OK;
    rwl_stitch_source_unload(source, op);
    if (file->tail.data != NULL && from >= file->tail_off && to <= tail_end) {
        source->bytes = file->tail.data;
        source->off = file->tail_off;
        source->len = tail_end - file->tail_off;
        return RWL_OK;
    }
    return read_whole(source, store, op, from, to - from, err);
}

/* --- windows --- */

static rwl_status reserve_window(rwl_stitch_feed *f, size_t len, rwl_error *err) {
    size_t cap = len + RWL_PARQUET_READ_SLACK;
    if (cap <= f->cap)
        return RWL_OK;
    rwl_stitch_feed_clear(f);
    RWL_TRY(rwl_op_reserve(f->op, (int64_t)cap, "pages of an input file", err));
    f->window = rwl_alloc(f->op->env, cap);
    if (f->window == NULL) {
        rwl_op_release(f->op, (int64_t)cap);
        return rwl_no_memory(err, cap);
    }
    f->cap = cap;
    return RWL_OK;
}

void rwl_stitch_feed_clear(rwl_stitch_feed *f) {
    if (f->window != NULL) {
        rwl_free(f->op->env, f->window);
        rwl_op_release(f->op, (int64_t)f->cap);
    }
    f->window = NULL;
    f->cap = f->len = 0;
}

/* Sets the window to `len` bytes at `off`; those it has are not read again. */
static rwl_status move_window(rwl_stitch_feed *f, int64_t off, size_t len, rwl_error *err) {
    size_t kept = 0;
    if (f->len > 0 && off >= f->off && off < f->off + (int64_t)f->len &&
        len + RWL_PARQUET_READ_SLACK <= f->cap) {
        kept = f->len - (size_t)(off - f->off);
        kept = kept < len ? kept : len;
        memmove(f->window, f->window + (off - f->off), kept);
    }
    f->len = 0;
    RWL_TRY(rwl_op_check(f->op, err));
    RWL_TRY(reserve_window(f, len, err));
    RWL_TRY(rwl_stitch_source_open(f->source, f->store, f->op, err));
    RWL_TRY(rwl_file_read(f->source->handle, f->op, off + (int64_t)kept, len - kept, f->window + kept, err));
    memset(f->window + len, 0, RWL_PARQUET_READ_SLACK);
    f->off = off;
    f->len = len;
    f->bytes_read += (int64_t)(len - kept);
    return RWL_OK;
}

rwl_status rwl_stitch_peek(rwl_stitch_feed *f, int64_t off, size_t len, size_t ahead, rwl_span *out,
                           rwl_error *err) {
    const rwl_stitch_source *source = f->source;
    int64_t left = off < f->end ? f->end - off : 0;
    size_t want = (int64_t)len < left ? len : (size_t)left;
    int64_t end = off + (int64_t)want;
    if (want == 0) {
        *out = rwl_span_of(NULL, 0);
        return RWL_OK;
    }
    if (source->bytes != NULL && off >= source->off && end <= source->off + source->len) {
        *out = rwl_span_of(source->bytes + (off - source->off), want);
        return RWL_OK;
    }
    if (f->window == NULL || off < f->off || end > f->off + (int64_t)f->len) {
        size_t len_ahead = ahead > want ? ((int64_t)ahead < left ? ahead : (size_t)left) : want;
        RWL_TRY(move_window(f, off, len_ahead, err));
    }
    *out = rwl_span_of(f->window + (off - f->off), want);
    return RWL_OK;
}
