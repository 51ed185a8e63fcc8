/* SPDX-License-Identifier: Apache-2.0 */
/* Byte ranges of a data file: wanted, joined, read into buffers that serve step after step. */
#include "lancefile/fetch.h"

#include <inttypes.h>
#include <stdlib.h>

struct rwl_lance_block {
    rwl_range_read read;
    size_t cap; /* of read.dst, without the slack; charged */
    bool in_flight, is_ready;
};

enum {
    BUFFER_MIN = 1024,
    SPARES_SEEN = 8,            /* spare buffers looked at for one that fits */
    WASTE_MAX = 64 * 1024,      /* a buffer this small fits any shorter range */
    RANGE_MAX = 8 * 1024 * 1024 /* of joined pieces; less where the store says so */
};

void rwl_lance_fetch_init(rwl_lance_fetch *fetch, rwl_lancefile *file, rwl_op *op) {
    memset(fetch, 0, sizeof *fetch);
    fetch->file = file;
    fetch->op = op;
}

/* --- buffers --- */

static void free_buffer(rwl_lance_fetch *fetch, rwl_lance_block *block) {
    rwl_free(fetch->op->env, block->read.dst);
    rwl_op_release(fetch->op, (int64_t)block->cap);
    block->read.dst = NULL;
    block->cap = 0;
}

/* Buffers come in few sizes, a sixteenth to an eighth apart, so that one fits the next range. */
static size_t round_up(size_t len) {
    size_t step = BUFFER_MIN;
    while (step < len / 16)
        step *= 2;
    return (len + step - 1) / step * step;
}

static bool is_fit(const rwl_lance_block *block, size_t len) {
    return block->cap >= len && (block->cap <= WASTE_MAX || block->cap / 4 <= len);
}

static rwl_status allocate_buffer(rwl_lance_fetch *fetch, rwl_lance_block *block, size_t len,
                                  rwl_error *err) {
    size_t cap = round_up(len);
    if (block->read.dst)
        free_buffer(fetch, block);
    if (rwl_op_reserve(fetch->op, (int64_t)cap, "reading pages", err) != RWL_OK) {
        for (size_t i = fetch->used; i < fetch->blocks.len; i++) /* what is spare goes first */
            free_buffer(fetch, fetch->blocks.items[i]);
        RWL_TRY(rwl_op_reserve(fetch->op, (int64_t)cap, "reading pages", err));
    }
    block->read.dst = rwl_alloc(fetch->op->env, cap + RWL_LANCE_READ_SLACK);
    if (!block->read.dst) {
        rwl_op_release(fetch->op, (int64_t)cap);
        return rwl_no_memory(err, cap);
    }
    block->cap = cap;
    return RWL_OK;
}

/* The block at `used`, with a buffer of at least `len` bytes; not yet counted as used. */
static rwl_status take_block(rwl_lance_fetch *fetch, size_t len, rwl_lance_block **out, rwl_error *err) {
    if (fetch->used == fetch->blocks.len) {
        RWL_TRY(rwl_vec_reserve(&fetch->blocks, fetch->op->env, 1, err));
        rwl_lance_block *block = rwl_calloc(fetch->op->env, 1, sizeof *block);
        if (!block)
            return rwl_no_memory(err, sizeof *block);
        fetch->blocks.items[fetch->blocks.len++] = block;
    }
    rwl_lance_block **spares = fetch->blocks.items + fetch->used;
    size_t count = fetch->blocks.len - fetch->used;
    for (size_t i = 0; i < count && i < SPARES_SEEN; i++)
        if (is_fit(spares[i], len)) {
            rwl_lance_block *fit = spares[i];
            spares[i] = spares[0];
            spares[0] = fit;
            break;
        }
    *out = spares[0];
    return is_fit(*out, len) ? (rwl_status)RWL_OK : allocate_buffer(fetch, *out, len, err);
}

/* --- reading --- */

static rwl_status submit_block(rwl_lance_fetch *fetch, int64_t offset, size_t len, rwl_error *err) {
    rwl_lance_block *block;
    RWL_TRY(take_block(fetch, len, &block, err));
    uint8_t *dst = block->read.dst;
    memset(&block->read, 0, sizeof block->read);
    memset(dst + len, 0, RWL_LANCE_READ_SLACK);
    block->read.dst = dst;
    block->read.offset = offset;
    block->read.len = len;
    block->is_ready = false;
    rwl_range_read *reads[1] = {&block->read};
    RWL_TRY(rwl_file_submit(fetch->file->file, fetch->op, reads, 1, err));
    block->in_flight = true;
    fetch->used++;
    fetch->requests++;
    fetch->bytes_read += (int64_t)len;
    return RWL_OK;
}

/* The store may write into the buffer until the read is done or cancelled. */
static void finish_block(rwl_lance_fetch *fetch, rwl_lance_block *block) {
    if (!block->in_flight)
        return;
    rwl_error ignored = {0};
    rwl_status st = rwl_file_wait(fetch->file->file, fetch->op, &block->read, &ignored);
    if (st != RWL_OK && !block->read.done)
        rwl_file_cancel(fetch->file->file);
    block->in_flight = false;
}

void rwl_lance_fetch_reset(rwl_lance_fetch *fetch) {
    for (size_t i = 0; i < fetch->used; i++)
        finish_block(fetch, fetch->blocks.items[i]);
    fetch->pieces.len = 0;
    fetch->used = fetch->submitted = 0;
}

void rwl_lance_fetch_clear(rwl_lance_fetch *fetch) {
    if (!fetch->op)
        return;
    rwl_lance_fetch_reset(fetch);
    for (size_t i = 0; i < fetch->blocks.len; i++) {
        free_buffer(fetch, fetch->blocks.items[i]);
        rwl_free(fetch->op->env, fetch->blocks.items[i]);
    }
    rwl_vec_clear(&fetch->blocks, fetch->op->env);
    rwl_vec_clear(&fetch->pieces, fetch->op->env);
    rwl_vec_clear(&fetch->order, fetch->op->env);
    memset(fetch, 0, sizeof *fetch);
}

rwl_status rwl_lance_fetch_want(rwl_lance_fetch *fetch, int64_t offset, int64_t length, size_t *number,
                                rwl_error *err) {
    if (offset < 0 || length < 0 || length > fetch->file->size || offset > fetch->file->size - length)
        return rwl_error_path(err,
                              rwl_fail_at(err, RWL_CORRUPT, offset,
                                          "%" PRId64 " bytes at %" PRId64 " pass the file's end at %" PRId64,
                                          length, offset, fetch->file->size),
                              fetch->file->location);
    rwl_lance_piece piece = {offset, length, -1};
    *number = fetch->pieces.len;
    return rwl_vec_push(&fetch->pieces, fetch->op->env, piece, err);
}

static int compare_pieces(const void *a, const void *b) {
    const rwl_lance_piece_at *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* The new pieces by offset; mostly they come so. */
static rwl_status sort_pieces(rwl_lance_fetch *fetch, rwl_error *err) {
    bool is_sorted = true;
    int64_t last = 0;
    fetch->order.len = 0;
    RWL_TRY(rwl_vec_reserve(&fetch->order, fetch->op->env, fetch->pieces.len - fetch->submitted, err));
    for (size_t i = fetch->submitted; i < fetch->pieces.len; i++) {
        rwl_lance_piece_at at = {fetch->pieces.items[i].offset, i};
        is_sorted = is_sorted && at.offset >= last;
        last = at.offset;
        fetch->order.items[fetch->order.len++] = at;
    }
    if (!is_sorted)
        qsort(fetch->order.items, fetch->order.len, sizeof *fetch->order.items, compare_pieces);
    return RWL_OK;
}

static int64_t range_max(const rwl_lance_fetch *fetch) {
    int64_t len = rwl_file_range_len(fetch->file->file);
    return len > 0 && len < RANGE_MAX ? len : RANGE_MAX;
}

/* One range for pieces order[from] to order[to - 1], all of which it holds. */
static rwl_status submit_range(rwl_lance_fetch *fetch, size_t from, size_t to, int64_t offset, int64_t end,
                               rwl_error *err) {
    if (fetch->used >= INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "a step of more than %d ranges", INT32_MAX);
    RWL_TRY(submit_block(fetch, offset, (size_t)(end - offset), err));
    for (size_t i = from; i < to; i++)
        fetch->pieces.items[fetch->order.items[i].number].block = (int32_t)(fetch->used - 1);
    return RWL_OK;
}

rwl_status rwl_lance_fetch_submit(rwl_lance_fetch *fetch, rwl_error *err) {
    int64_t max = range_max(fetch);
    RWL_TRY(sort_pieces(fetch, err));
    const rwl_lance_piece_at *order = fetch->order.items;
    size_t count = fetch->order.len;
    for (size_t i = 0; i < count;) {
        const rwl_lance_piece *piece = &fetch->pieces.items[order[i].number];
        int64_t offset = piece->offset, end = offset + piece->length;
        size_t next = i + 1;
        if (piece->length == 0) {
            i++;
            continue;
        }
        for (; next < count; next++) {
            piece = &fetch->pieces.items[order[next].number];
            int64_t joined = piece->offset + piece->length > end ? piece->offset + piece->length : end;
            bool is_inside = joined == end; /* reads nothing more */
            if (!is_inside && (piece->offset - end > RWL_LANCE_GAP_MAX || joined - offset > max))
                break;
            end = joined;
        }
        rwl_status st = submit_range(fetch, i, next, offset, end, err);
        if (st != RWL_OK)
            return rwl_error_path(err, st, fetch->file->location);
        i = next;
    }
    fetch->submitted = fetch->pieces.len;
    return RWL_OK;
}

rwl_status rwl_lance_fetch_get(rwl_lance_fetch *fetch, size_t number, rwl_span *out, rwl_error *err) {
    static const uint8_t nothing[RWL_LANCE_READ_SLACK];
    if (number >= fetch->submitted)
        return rwl_fail(err, RWL_INTERNAL, "piece %zu of %zu was not asked for", number, fetch->submitted);
    const rwl_lance_piece *piece = &fetch->pieces.items[number];
    if (piece->length == 0) {
        *out = rwl_span_of(nothing, 0);
        return RWL_OK;
    }
    rwl_lance_block *block = fetch->blocks.items[piece->block];
    if (!block->is_ready) {
        if (!block->in_flight)
            return rwl_fail(err, RWL_INTERNAL, "a range that failed is asked for again");
        rwl_status st = rwl_file_wait(fetch->file->file, fetch->op, &block->read, err);
        if (st != RWL_OK) {
            block->in_flight = !block->read.done;
            return rwl_error_path(err, st, fetch->file->location);
        }
        block->in_flight = false;
        block->is_ready = true;
    }
    *out = rwl_span_of(block->read.dst + (piece->offset - block->read.offset), (size_t)piece->length);
    return RWL_OK;
}
