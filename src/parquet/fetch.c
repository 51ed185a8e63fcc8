/* SPDX-License-Identifier: Apache-2.0 */
/* Planning, submitting and handing out the byte ranges of a row group. */
#include "parquet/fetch.h"

#include <stdlib.h>

struct rwl_parquet_block {
    rwl_range_read read;
    size_t reserved; /* bytes of the budget: the buffer's length, which may be more than the range's */
    bool in_flight, is_ready;
};

/* --- buffers --- */

void rwl_parquet_spares_clear(rwl_parquet_spares *spares, rwl_op *op) {
    for (int i = 0; i < RWL_PARQUET_SPARES; i++) {
        rwl_free(op->env, spares->blocks[i]);
        rwl_op_release(op, (int64_t)spares->lens[i]);
    }
    memset(spares, 0, sizeof *spares);
}

/* A spare buffer of at least `len` bytes that wastes no more than half. */
static bool take_spare(rwl_parquet_spares *spares, size_t len, rwl_parquet_block *block) {
    for (int i = 0; i < RWL_PARQUET_SPARES; i++) {
        if (!spares->blocks[i] || spares->lens[i] < len || spares->lens[i] / 2 > len)
            continue;
        block->read.dst = spares->blocks[i];
        block->reserved = spares->lens[i];
        spares->blocks[i] = NULL;
        spares->lens[i] = 0;
        return true;
    }
    return false;
}

static rwl_status take_buffer(rwl_parquet_fetch *fetch, size_t len, rwl_parquet_block *block,
                              rwl_error *err) {
    if (take_spare(fetch->spares, len, block))
        return RWL_OK;
    if (rwl_op_reserve(fetch->op, (int64_t)len, "reading ahead", err) != RWL_OK) {
        rwl_parquet_spares_clear(fetch->spares, fetch->op);
        RWL_TRY(rwl_op_reserve(fetch->op, (int64_t)len, "reading ahead", err));
    }
    block->read.dst = rwl_alloc(fetch->op->env, len + RWL_PARQUET_READ_SLACK);
    if (!block->read.dst) {
        rwl_op_release(fetch->op, (int64_t)len);
        return rwl_no_memory(err, len);
    }
    block->reserved = len;
    return RWL_OK;
}

static void give_buffer(rwl_parquet_fetch *fetch, rwl_parquet_block *block) {
    rwl_parquet_spares *spares = fetch->spares;
    for (int i = 0; i < RWL_PARQUET_SPARES; i++)
        if (!spares->blocks[i]) {
            spares->blocks[i] = block->read.dst;
            spares->lens[i] = block->reserved;
            return;
        }
    rwl_free(fetch->op->env, block->read.dst);
    rwl_op_release(fetch->op, (int64_t)block->reserved);
}

/* --- blocks --- */

static rwl_status submit_block(rwl_parquet_fetch *fetch, rwl_parquet_block *block, int64_t off, int64_t len,
                               rwl_error *err) {
    memset(&block->read, 0, sizeof block->read);
    RWL_TRY(take_buffer(fetch, (size_t)len, block, err));
    memset(block->read.dst + len, 0, RWL_PARQUET_READ_SLACK);
    block->read.offset = off;
    block->read.len = (size_t)len;
    block->is_ready = false;
    rwl_range_read *reads[1] = {&block->read};
    rwl_status st = rwl_file_submit(fetch->file, fetch->op, reads, 1, err);
    block->in_flight = st == RWL_OK;
    fetch->requests += block->in_flight;
    fetch->bytes += block->in_flight ? len : 0;
    return st;
}

static rwl_status wait_block(rwl_parquet_fetch *fetch, rwl_parquet_block *block, rwl_error *err) {
    if (block->is_ready)
        return RWL_OK;
    if (!block->in_flight)
        return rwl_fail(err, RWL_INTERNAL, "waiting for a range that was not asked for");
    RWL_TRY(rwl_file_wait(fetch->file, fetch->op, &block->read, err));
    block->in_flight = false;
    block->is_ready = true;
    return RWL_OK;
}

/* The store may write into the buffer until the read is done or cancelled. */
static void clear_block(rwl_parquet_fetch *fetch, rwl_parquet_block *block) {
    if (!block->read.dst)
        return;
    if (block->in_flight) {
        rwl_error ignored = {0};
        rwl_status st = rwl_file_wait(fetch->file, fetch->op, &block->read, &ignored);
        if (st != RWL_OK && !block->read.done)
            rwl_file_cancel(fetch->file);
    }
    give_buffer(fetch, block);
    memset(block, 0, sizeof *block);
}

static int64_t block_end(const rwl_parquet_block *block) {
    return block->read.offset + (int64_t)block->read.len;
}

/* --- planning --- */

typedef struct extent {
    int64_t off, end;
    int32_t feed;
} extent;

static int compare_extents(const void *a, const void *b) {
    const extent *x = a, *y = b;
    if (x->off != y->off)
        return x->off < y->off ? -1 : 1;
    return x->feed < y->feed ? -1 : x->feed > y->feed;
}

/* Can the extent join a range from `off` to `end`? */
static bool can_join(const extent *e, int64_t off, int64_t end) {
    int64_t joined = e->end > end ? e->end : end;
    return e->off - end <= RWL_PARQUET_GAP_MAX && joined - off <= RWL_PARQUET_RANGE_MAX;
}

/* Groups sorted extents into ranges and submits them; `shared` has room for each of them alone. */
static rwl_status submit_shared(rwl_parquet_fetch *fetch, const extent *extents, size_t count,
                                rwl_error *err) {
    for (size_t i = 0; i < count;) {
        int64_t off = extents[i].off, end = extents[i].end;
        size_t next = i + 1;
        for (; next < count && can_join(&extents[next], off, end); next++)
            end = extents[next].end > end ? extents[next].end : end;
        rwl_parquet_block *block = &fetch->shared[fetch->shared_count++];
        RWL_TRY(submit_block(fetch, block, off, end - off, err));
        for (; i < next; i++)
            fetch->feeds[extents[i].feed].current = block;
    }
    return RWL_OK;
}

/* Submits the feed's next piece into `block`, if there is one. */
static rwl_status submit_piece(rwl_parquet_feed *feed, rwl_parquet_block *block, rwl_error *err) {
    int64_t len = feed->end - feed->next_piece;
    if (len > feed->fetch->window)
        len = feed->fetch->window;
    clear_block(feed->fetch, block);
    if (len <= 0)
        return RWL_OK;
    RWL_TRY(submit_block(feed->fetch, block, feed->next_piece, len, err));
    feed->next_piece += len;
    return RWL_OK;
}

static rwl_status start_pieces(rwl_parquet_feed *feed, rwl_error *err) {
    feed->pieces = rwl_calloc(feed->fetch->op->env, 2, sizeof *feed->pieces);
    if (!feed->pieces)
        return rwl_no_memory(err, 2 * sizeof *feed->pieces);
    feed->current = &feed->pieces[0];
    return submit_piece(feed, feed->current, err);
}

static rwl_status plan(rwl_parquet_fetch *fetch, const rwl_parquet_group *group, const int32_t *leaves,
                       extent *extents, rwl_error *err) {
    size_t count = 0;
    for (int32_t i = 0; i < fetch->feed_count; i++) {
        rwl_parquet_feed *feed = &fetch->feeds[i];
        const rwl_parquet_chunk *chunk = &group->chunks[leaves[i]];
        feed->fetch = fetch;
        feed->pos = chunk->dictionary_offset ? chunk->dictionary_offset : chunk->data_offset;
        feed->end = feed->pos + chunk->compressed_size;
        feed->next_piece = feed->pos;
        rwl_buf_init(&feed->joint, fetch->op->env, SIZE_MAX);
        if (chunk->compressed_size > fetch->window)
            RWL_TRY(start_pieces(feed, err));
        else if (chunk->compressed_size > 0)
            extents[count++] = (extent){feed->pos, feed->end, i};
    }
    qsort(extents, count, sizeof *extents, compare_extents);
    return submit_shared(fetch, extents, count, err);
}

rwl_status rwl_parquet_fetch_start(rwl_parquet_fetch *fetch, rwl_file *file, rwl_op *op,
                                   rwl_parquet_spares *spares, int64_t window, const rwl_parquet_group *group,
                                   const int32_t *leaves, int32_t count, rwl_error *err) {
    const rwl_env *env = op->env;
    *fetch = (rwl_parquet_fetch){.file = file, .op = op, .spares = spares, .window = window};
    size_t n = count > 0 ? (size_t)count : 1;
    extent *extents = rwl_calloc(env, n, sizeof *extents);
    fetch->feeds = rwl_calloc(env, n, sizeof *fetch->feeds);
    fetch->shared = rwl_calloc(env, n, sizeof *fetch->shared);
    rwl_status st;
    if (!extents || !fetch->feeds || !fetch->shared) {
        st = rwl_no_memory(err, n * sizeof *fetch->shared);
    } else {
        fetch->feed_count = count;
        st = plan(fetch, group, leaves, extents, err);
    }
    rwl_free(env, extents);
    if (st != RWL_OK)
        rwl_parquet_fetch_clear(fetch, false);
    return st;
}

static void clear_feed(rwl_parquet_fetch *fetch, rwl_parquet_feed *feed, bool is_cancelled) {
    for (int i = 0; feed->pieces && i < 2; i++) {
        feed->pieces[i].in_flight &= !is_cancelled;
        clear_block(fetch, &feed->pieces[i]);
    }
    rwl_free(fetch->op->env, feed->pieces);
    rwl_buf_clear(&feed->joint);
    rwl_op_release(fetch->op, feed->joint_reserved);
}

void rwl_parquet_fetch_clear(rwl_parquet_fetch *fetch, bool is_cancelled) {
    if (!fetch->op)
        return;
    const rwl_env *env = fetch->op->env;
    for (size_t i = 0; i < fetch->shared_count; i++) {
        fetch->shared[i].in_flight &= !is_cancelled;
        clear_block(fetch, &fetch->shared[i]);
    }
    for (int32_t i = 0; i < fetch->feed_count; i++)
        clear_feed(fetch, &fetch->feeds[i], is_cancelled);
    rwl_free(env, fetch->feeds);
    rwl_free(env, fetch->shared);
    memset(fetch, 0, sizeof *fetch);
}

/* --- handing out --- */

/* Makes the next piece current; pieces that were passed over without being asked for are left out. */
static rwl_status next_piece(rwl_parquet_feed *feed, rwl_error *err) {
    if (!feed->pieces)
        return rwl_fail(err, RWL_INTERNAL, "reading past a chunk's range");
    rwl_parquet_block *used = feed->current;
    feed->current = used == &feed->pieces[0] ? &feed->pieces[1] : &feed->pieces[0];
    if (feed->next_piece < feed->pos)
        feed->next_piece = feed->pos;
    if (!feed->current->read.dst)
        RWL_TRY(submit_piece(feed, feed->current, err));
    if (!feed->current->read.dst)
        return rwl_fail(err, RWL_INTERNAL, "no piece of a chunk is left");
    return submit_piece(feed, used, err);
}

/* The current piece is in memory, and the one after it asked for. */
static rwl_status ready_current(rwl_parquet_feed *feed, rwl_error *err) {
    if (feed->pieces) {
        rwl_parquet_block *other = feed->current == &feed->pieces[0] ? &feed->pieces[1] : &feed->pieces[0];
        if (!other->read.dst)
            RWL_TRY(submit_piece(feed, other, err));
    }
    return wait_block(feed->fetch, feed->current, err);
}

static rwl_status reserve_joint(rwl_parquet_feed *feed, size_t len, rwl_error *err) {
    if (len + RWL_PARQUET_READ_SLACK > feed->joint.cap) {
        int64_t more = (int64_t)(len + RWL_PARQUET_READ_SLACK - feed->joint.cap);
        RWL_TRY(rwl_op_reserve(feed->fetch->op, more, "a page", err));
        feed->joint_reserved += more;
        RWL_TRY(rwl_buf_reserve(&feed->joint, len + RWL_PARQUET_READ_SLACK - feed->joint.len, err));
    }
    return RWL_OK;
}

/* Collects `want` bytes from pos on in the joint, across pieces. */
static rwl_status join(rwl_parquet_feed *feed, int64_t want, rwl_span *out, rwl_error *err) {
    rwl_buf *joint = &feed->joint;
    int64_t joint_end = feed->joint_off + (int64_t)joint->len;
    if (joint->len == 0 || feed->pos < feed->joint_off || feed->pos > joint_end) {
        joint->len = 0;
    } else {
        size_t gone = (size_t)(feed->pos - feed->joint_off);
        memmove(joint->data, joint->data + gone, joint->len - gone);
        joint->len -= gone;
    }
    feed->joint_off = feed->pos;
    RWL_TRY(reserve_joint(feed, (size_t)want, err));
    while ((int64_t)joint->len < want) {
        int64_t at = feed->joint_off + (int64_t)joint->len;
        if (at == block_end(feed->current))
            RWL_TRY(next_piece(feed, err));
        RWL_TRY(ready_current(feed, err));
        int64_t len = block_end(feed->current) - at;
        if (len > want - (int64_t)joint->len)
            len = want - (int64_t)joint->len;
        RWL_TRY(rwl_buf_append(joint, feed->current->read.dst + (at - feed->current->read.offset),
                               (size_t)len, err));
    }
    memset(joint->data + joint->len, 0, RWL_PARQUET_READ_SLACK);
    *out = rwl_span_of(joint->data, (size_t)want);
    return RWL_OK;
}

rwl_status rwl_parquet_feed_peek(rwl_parquet_feed *feed, int64_t want, rwl_span *out, rwl_error *err) {
    if (want > feed->end - feed->pos)
        want = feed->end - feed->pos;
    static const uint8_t nothing[RWL_PARQUET_READ_SLACK]; /* a place to count from, with its slack */
    *out = rwl_span_of(nothing, 0);
    if (want == 0)
        return RWL_OK;
    while (feed->pos >= block_end(feed->current))
        RWL_TRY(next_piece(feed, err));
    if (feed->pos < feed->current->read.offset || want > block_end(feed->current) - feed->pos)
        return join(feed, want, out, err);
    RWL_TRY(ready_current(feed, err));
    feed->joint.len = 0;
    *out = rwl_span_of(feed->current->read.dst + (feed->pos - feed->current->read.offset), (size_t)want);
    return RWL_OK;
}

void rwl_parquet_feed_advance(rwl_parquet_feed *feed, int64_t len) {
    feed->pos += len;
}
