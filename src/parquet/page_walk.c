/* SPDX-License-Identifier: Apache-2.0 */
/* A window that moves forward over a chunk. */
#include "parquet/page_walk.h"

enum {
    HEADER_FIRST = 256, /* bytes looked at for a header; more only when it is longer */
    HEADER_MAX = 1024 * 1024,
    AHEAD_FIRST = 256 * 1024, /* the first page often tells that the others are not needed */
    AHEAD_MAX = 4 * 1024 * 1024,
    AHEAD_SHARE = 64 /* of the budget */
};

void rwl_parquet_walk_init(rwl_parquet_walk *walk, rwl_op *op) {
    memset(walk, 0, sizeof *walk);
    walk->op = op;
}

void rwl_parquet_walk_clear(rwl_parquet_walk *walk) {
    if (walk->window == NULL)
        return;
    rwl_free(walk->op->env, walk->window);
    rwl_op_release(walk->op, (int64_t)walk->cap);
    walk->window = NULL;
    walk->cap = walk->len = 0;
}

void rwl_parquet_walk_begin(rwl_parquet_walk *walk, rwl_file *file, const rwl_parquet_chunk *chunk) {
    walk->file = file;
    walk->next = chunk->dictionary_offset > 0 ? chunk->dictionary_offset : chunk->data_offset;
    walk->end = walk->next + chunk->compressed_size;
    walk->values_left = chunk->value_count;
    walk->ahead = AHEAD_FIRST;
    walk->len = 0;
}

/* --- the window --- */

static size_t most_ahead(const rwl_op *op) {
    int64_t share = op->memory_limit > 0 ? op->memory_limit / AHEAD_SHARE : AHEAD_MAX;
    return share < AHEAD_FIRST ? AHEAD_FIRST : share < AHEAD_MAX ? (size_t)share : AHEAD_MAX;
}

static rwl_status need_window(rwl_parquet_walk *walk, size_t len, rwl_error *err) {
    if (len <= walk->cap)
        return RWL_OK;
    RWL_TRY(rwl_op_reserve(walk->op, (int64_t)(len - walk->cap), "pages compared", err));
    uint8_t *grown = rwl_realloc(walk->op->env, walk->window, len);
    if (grown == NULL) {
        rwl_op_release(walk->op, (int64_t)(len - walk->cap));
        return rwl_no_memory(err, len);
    }
    walk->window = grown;
    walk->cap = len;
    return RWL_OK;
}

/* `len` bytes at `off`, which lie in the chunk. */
static rwl_status peek(rwl_parquet_walk *walk, int64_t off, size_t len, rwl_span *out, rwl_error *err) {
    bool is_held = walk->len > 0 && off >= walk->off && off <= walk->off + (int64_t)walk->len;
    size_t kept = is_held ? walk->len - (size_t)(off - walk->off) : 0;
    if (kept < len) {
        int64_t left = walk->end - off;
        size_t want = walk->ahead > len ? walk->ahead : len;
        want = (int64_t)want < left ? want : (size_t)left;
        RWL_TRY(rwl_op_check(walk->op, err));
        if (kept > 0)
            memmove(walk->window, walk->window + (off - walk->off), kept);
        walk->off = off;
        walk->len = 0;
        RWL_TRY(need_window(walk, want, err));
        RWL_TRY(
            rwl_file_read(walk->file, walk->op, off + (int64_t)kept, want - kept, walk->window + kept, err));
        walk->len = want;
        size_t most = most_ahead(walk->op);
        walk->ahead = walk->ahead < most / 4 ? walk->ahead * 4 : most;
    }
    *out = rwl_span_of(walk->window + (off - walk->off), len);
    return RWL_OK;
}

/* --- pages --- */

static rwl_status read_header(rwl_parquet_walk *walk, size_t *len, rwl_error *err) {
    rwl_parquet_page_header *h = &walk->header;
    for (size_t want = HEADER_FIRST;; want *= 4) {
        int64_t left = walk->end - walk->next;
        rwl_span bytes;
        rwl_error first = {0};
        if (left <= 0)
            return rwl_fail(err, RWL_CORRUPT, "chunk ends before its values do");
        RWL_TRY(peek(walk, walk->next, (int64_t)want < left ? want : (size_t)left, &bytes, err));
        rwl_status st = rwl_parquet_page_parse(bytes, h, len, &first);
        if (st == RWL_OK && h->compressed_size > left - (int64_t)*len)
            return rwl_fail(err, RWL_CORRUPT, "page of %d bytes at offset %lld passes the end of its chunk",
                            h->compressed_size, (long long)walk->next);
        if (st == RWL_OK)
            return RWL_OK;
        if (bytes.len < want || want >= HEADER_MAX)
            return rwl_fail(err, st, "page header at offset %lld: %s", (long long)walk->next, first.message);
    }
}

rwl_status rwl_parquet_walk_next(rwl_parquet_walk *walk, bool *found, rwl_error *err) {
    const rwl_parquet_page_header *h = &walk->header;
    size_t len;
    *found = walk->values_left > 0;
    if (!*found)
        return RWL_OK;
    RWL_TRY(read_header(walk, &len, err));
    walk->body_off = walk->next + (int64_t)len;
    walk->next = walk->body_off + h->compressed_size;
    if (h->type != RWL_PARQUET_DATA_PAGE && h->type != RWL_PARQUET_DATA_PAGE_V2)
        return RWL_OK;
    if (h->value_count > walk->values_left)
        return rwl_fail(err, RWL_CORRUPT, "page of %d values where %lld are left", h->value_count,
                        (long long)walk->values_left);
    walk->values_left -= h->value_count;
    return RWL_OK;
}

rwl_status rwl_parquet_walk_body(rwl_parquet_walk *walk, rwl_span *out, rwl_error *err) {
    return peek(walk, walk->body_off, (size_t)walk->header.compressed_size, out, err);
}
