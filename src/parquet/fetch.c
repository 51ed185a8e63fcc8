/* SPDX-License-Identifier: Apache-2.0 */
/* Planning, submitting and handing out the byte ranges of a row group. */
#include "parquet/fetch.h"

#include <stdlib.h>

struct rwl_parquet_block {
    rwl_range_read read;
    size_t reserved; /* bytes of the budget: the buffer's length, which may be more than the range's */
    bool in_flight;
    atomic_bool is_ready; /* set last: then the bytes may be read without the lock */
    int32_t parts;        /* that lie in it, for shared ones */
};

/* --- buffers --- */

enum { BUFFER_MIN = 4096 };

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

/* Buffers come in few sizes, an eighth to a quarter apart, so that one fits the next range. */
static size_t round_up(size_t len) {
    size_t step = BUFFER_MIN;
    while (step < len / 8)
        step *= 2;
    return (len + step - 1) / step * step;
}

static rwl_status take_buffer(rwl_parquet_fetch *fetch, size_t len, rwl_parquet_block *block,
                              rwl_error *err) {
    len = round_up(len);
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
    atomic_store(&block->is_ready, false);
    RWL_TRY(take_buffer(fetch, (size_t)len, block, err));
    memset(block->read.dst + len, 0, RWL_PARQUET_READ_SLACK);
    block->read.offset = off;
    block->read.len = (size_t)len;
    rwl_range_read *reads[1] = {&block->read};
    rwl_status st = rwl_file_submit(fetch->file, fetch->op, reads, 1, err);
    block->in_flight = st == RWL_OK;
    fetch->requests += block->in_flight;
    fetch->bytes += block->in_flight ? len : 0;
    return st;
}

static rwl_status wait_block(rwl_parquet_fetch *fetch, rwl_parquet_block *block, rwl_error *err) {
    if (atomic_load_explicit(&block->is_ready, memory_order_acquire))
        return RWL_OK;
    if (!block->in_flight)
        return rwl_fail(err, RWL_INTERNAL, "waiting for a range that was not asked for");
    RWL_TRY(rwl_file_wait(fetch->file, fetch->op, &block->read, err));
    block->in_flight = false;
    atomic_store_explicit(&block->is_ready, true, memory_order_release);
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
    memset(&block->read, 0, sizeof block->read);
    block->in_flight = false;
    atomic_store(&block->is_ready, false);
}

/* A part of the shared block is done with. */
static void drop_block(rwl_parquet_fetch *fetch, rwl_parquet_block *block) {
    if (!block || --block->parts > 0)
        return;
    clear_block(fetch, block);
    rwl_free(fetch->op->env, block);
}

static int64_t block_end(const rwl_parquet_block *block) {
    return block->read.offset + (int64_t)block->read.len;
}

/* --- planning --- */

int64_t rwl_parquet_range_max(const rwl_file *file) {
    int64_t len = rwl_file_range_len(file);
    return len > 0 && len < RWL_PARQUET_RANGE_MAX ? len : RWL_PARQUET_RANGE_MAX;
}

rwl_status rwl_parquet_fetch_open(rwl_parquet_fetch *fetch, rwl_file *file, rwl_op *op,
                                  rwl_parquet_spares *spares, int64_t window, const rwl_parquet_group *group,
                                  const int32_t *leaves, int32_t count, rwl_error *err) {
    memset(fetch, 0, sizeof *fetch);
    RWL_TRY(rwl_mutex_init(&fetch->lock, err));
    fetch->file = file;
    fetch->op = op;
    fetch->spares = spares;
    fetch->window = window;
    fetch->range_max = rwl_parquet_range_max(file);
    size_t n = count > 0 ? (size_t)count : 1;
    fetch->feeds = rwl_calloc(op->env, n, sizeof *fetch->feeds);
    if (!fetch->feeds) {
        rwl_parquet_fetch_clear(fetch, false);
        return rwl_no_memory(err, n * sizeof *fetch->feeds);
    }
    fetch->feed_count = count;
    for (int32_t i = 0; i < count; i++) {
        rwl_parquet_feed *feed = &fetch->feeds[i];
        const rwl_parquet_chunk *chunk = &group->chunks[leaves[i]];
        feed->fetch = fetch;
        feed->pos = chunk->dictionary_offset ? chunk->dictionary_offset : chunk->data_offset;
        feed->end = feed->pos + chunk->compressed_size;
        rwl_buf_init(&feed->joint, op->env, SIZE_MAX);
    }
    return RWL_OK;
}

static int compare_extents(const void *a, const void *b) {
    const rwl_parquet_extent *x = a, *y = b;
    if (x->off != y->off)
        return x->off < y->off ? -1 : 1;
    return x->feed < y->feed ? -1 : x->feed > y->feed;
}

/* Can the extent join a range from `off` to `end`? */
static bool can_join(const rwl_parquet_fetch *fetch, const rwl_parquet_extent *e, int64_t off, int64_t end) {
    int64_t joined = e->end > end ? e->end : end;
    return e->off - end <= RWL_PARQUET_GAP_MAX && joined - off <= fetch->range_max;
}

/* Adds an extent to its feed's parts; joined to the last one when that is of the same range, or of pieces and near. */
static rwl_status add_part(rwl_parquet_fetch *fetch, const rwl_parquet_extent *e, rwl_parquet_block *block,
                           rwl_error *err) {
    rwl_parquet_feed *feed = &fetch->feeds[e->feed];
    rwl_parquet_part *last = feed->parts.len > 0 ? &feed->parts.items[feed->parts.len - 1] : NULL;
    if (last && last->block == block && (block || e->off - last->end <= RWL_PARQUET_GAP_MAX)) {
        last->end = e->end;
        return RWL_OK;
    }
    rwl_parquet_part part = {e->off, e->end, block};
    RWL_TRY(rwl_vec_push(&feed->parts, fetch->op->env, part, err));
    if (block)
        block->parts++;
    return RWL_OK;
}

static bool is_in_pieces(const rwl_parquet_fetch *fetch, const rwl_parquet_extent *e) {
    return fetch->feeds[e->feed].wanted > fetch->window;
}

/* One shared range for extents[first..next - 1], those read in pieces left out. */
static rwl_status submit_shared(rwl_parquet_fetch *fetch, const rwl_parquet_extent *extents, size_t first,
                                size_t next, int64_t end, rwl_error *err) {
    rwl_parquet_block *block = rwl_calloc(fetch->op->env, 1, sizeof *block);
    if (!block)
        return rwl_no_memory(err, sizeof *block);
    atomic_init(&block->is_ready, false);
    block->parts = 1; /* held here */
    rwl_status st = RWL_OK;
    for (size_t i = first; i < next && st == RWL_OK; i++)
        if (!is_in_pieces(fetch, &extents[i]))
            st = add_part(fetch, &extents[i], block, err);
    if (st == RWL_OK)
        st = submit_block(fetch, block, extents[first].off, end - extents[first].off, err);
    drop_block(fetch, block);
    return st;
}

/* Groups sorted extents into shared ranges and submits them. */
static rwl_status plan_shared(rwl_parquet_fetch *fetch, const rwl_parquet_extent *extents, size_t count,
                              rwl_error *err) {
    for (size_t i = 0; i < count;) {
        if (is_in_pieces(fetch, &extents[i])) {
            i++;
            continue;
        }
        int64_t off = extents[i].off, end = extents[i].end;
        size_t next = i + 1;
        for (; next < count &&
               (is_in_pieces(fetch, &extents[next]) || can_join(fetch, &extents[next], off, end));
             next++)
            if (!is_in_pieces(fetch, &extents[next]) && extents[next].end > end)
                end = extents[next].end;
        RWL_TRY(submit_shared(fetch, extents, i, next, end, err));
        i = next;
    }
    return RWL_OK;
}

/* Submits the feed's next piece into `block`, if there is one. */
static rwl_status submit_piece(rwl_parquet_feed *feed, rwl_parquet_block *block, rwl_error *err) {
    clear_block(feed->fetch, block);
    size_t i = feed->part;
    while (i < feed->parts.len &&
           (feed->parts.items[i].block || feed->parts.items[i].end <= feed->next_piece))
        i++;
    if (i == feed->parts.len)
        return RWL_OK;
    const rwl_parquet_part *part = &feed->parts.items[i];
    int64_t off = part->off > feed->next_piece ? part->off : feed->next_piece;
    int64_t len = part->end - off < feed->fetch->window ? part->end - off : feed->fetch->window;
    RWL_TRY(submit_block(feed->fetch, block, off, len, err));
    feed->next_piece = off + len;
    return RWL_OK;
}

static rwl_status start_pieces(rwl_parquet_feed *feed, rwl_error *err) {
    if (!feed->pieces) {
        feed->pieces = rwl_calloc(feed->fetch->op->env, 2, sizeof *feed->pieces);
        if (!feed->pieces)
            return rwl_no_memory(err, 2 * sizeof *feed->pieces);
        feed->current = &feed->pieces[0];
        feed->next_piece = feed->pos;
    }
    return feed->current->read.dst ? (rwl_status)RWL_OK : submit_piece(feed, feed->current, err);
}

static rwl_status plan_pieces(rwl_parquet_fetch *fetch, const rwl_parquet_extent *extents, size_t count,
                              rwl_error *err) {
    for (size_t i = 0; i < count; i++)
        if (is_in_pieces(fetch, &extents[i]))
            RWL_TRY(add_part(fetch, &extents[i], NULL, err));
    for (size_t i = 0; i < count; i++)
        if (is_in_pieces(fetch, &extents[i]))
            RWL_TRY(start_pieces(&fetch->feeds[extents[i].feed], err));
    return RWL_OK;
}

/* Parts that end before pos; one that ends there may hold the page in use. */
static void drop_passed(rwl_parquet_feed *feed) {
    size_t passed = 0;
    while (passed < feed->parts.len && feed->parts.items[passed].end < feed->pos)
        drop_block(feed->fetch, feed->parts.items[passed++].block);
    if (passed == 0)
        return;
    feed->parts.len -= passed;
    memmove(feed->parts.items, feed->parts.items + passed, feed->parts.len * sizeof *feed->parts.items);
    feed->part = feed->part > passed ? feed->part - passed : 0;
}

rwl_status rwl_parquet_fetch_want(rwl_parquet_fetch *fetch, rwl_parquet_extent *extents, size_t count,
                                  rwl_error *err) {
    for (int32_t i = 0; i < fetch->feed_count; i++) {
        drop_passed(&fetch->feeds[i]);
        fetch->feeds[i].wanted = 0;
    }
    for (size_t i = 0; i < count; i++)
        fetch->feeds[extents[i].feed].wanted += extents[i].end - extents[i].off;
    if (count == 0)
        return RWL_OK;
    qsort(extents, count, sizeof *extents, compare_extents);
    RWL_TRY(plan_shared(fetch, extents, count, err));
    return plan_pieces(fetch, extents, count, err);
}

static void clear_feed(rwl_parquet_fetch *fetch, rwl_parquet_feed *feed, bool is_cancelled) {
    for (size_t i = 0; i < feed->parts.len; i++)
        if (feed->parts.items[i].block) {
            feed->parts.items[i].block->in_flight &= !is_cancelled;
            drop_block(fetch, feed->parts.items[i].block);
        }
    rwl_vec_clear(&feed->parts, fetch->op->env);
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
    for (int32_t i = 0; i < fetch->feed_count; i++)
        clear_feed(fetch, &fetch->feeds[i], is_cancelled);
    rwl_free(fetch->op->env, fetch->feeds);
    rwl_mutex_clear(&fetch->lock);
    memset(fetch, 0, sizeof *fetch);
}

/* --- handing out --- */

/* Makes the next piece current; pieces that were passed over without being asked for are left out. */
static rwl_status next_piece(rwl_parquet_feed *feed, rwl_error *err) {
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
    rwl_parquet_block *other = feed->current == &feed->pieces[0] ? &feed->pieces[1] : &feed->pieces[0];
    if (!other->read.dst)
        RWL_TRY(submit_piece(feed, other, err));
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

/* Nothing was wanted at pos: from here on the whole chunk is, in pieces. */
static rwl_status want_rest(rwl_parquet_feed *feed, rwl_error *err) {
    for (size_t i = feed->part; i < feed->parts.len; i++)
        drop_block(feed->fetch, feed->parts.items[i].block);
    feed->parts.len = feed->part;
    for (int i = 0; feed->pieces && i < 2; i++)
        clear_block(feed->fetch, &feed->pieces[i]);
    feed->next_piece = feed->pos;
    feed->joint.len = 0;
    rwl_parquet_part rest = {feed->pos, feed->end, NULL};
    RWL_TRY(rwl_vec_push(&feed->parts, feed->fetch->op->env, rest, err));
    return start_pieces(feed, err);
}

/* The part that holds pos, NULL when none does. */
static const rwl_parquet_part *find_part(rwl_parquet_feed *feed) {
    while (feed->part < feed->parts.len && feed->parts.items[feed->part].end <= feed->pos)
        feed->part++;
    if (feed->part == feed->parts.len || feed->parts.items[feed->part].off > feed->pos)
        return NULL;
    return &feed->parts.items[feed->part];
}

static rwl_span bytes_at(const rwl_parquet_block *block, int64_t pos, int64_t len) {
    return rwl_span_of(block->read.dst + (pos - block->read.offset), (size_t)len);
}

static rwl_status peek_slowly(rwl_parquet_feed *feed, int64_t want, rwl_span *out, rwl_error *err) {
    if (!find_part(feed))
        RWL_TRY(want_rest(feed, err));
    const rwl_parquet_part *part = &feed->parts.items[feed->part];
    if (want > part->end - feed->pos)
        want = part->end - feed->pos;
    if (part->block) {
        RWL_TRY(wait_block(feed->fetch, part->block, err));
        *out = bytes_at(part->block, feed->pos, want);
        return RWL_OK;
    }
    RWL_TRY(start_pieces(feed, err));
    while (feed->pos >= block_end(feed->current))
        RWL_TRY(next_piece(feed, err));
    if (feed->pos < feed->current->read.offset || want > block_end(feed->current) - feed->pos)
        return join(feed, want, out, err);
    RWL_TRY(ready_current(feed, err));
    feed->joint.len = 0;
    *out = bytes_at(feed->current, feed->pos, want);
    return RWL_OK;
}

rwl_status rwl_parquet_feed_peek(rwl_parquet_feed *feed, int64_t want, rwl_span *out, rwl_error *err) {
    if (want > feed->end - feed->pos)
        want = feed->end - feed->pos;
    static const uint8_t nothing[RWL_PARQUET_READ_SLACK]; /* a place to count from, with its slack */
    *out = rwl_span_of(nothing, 0);
    if (want == 0)
        return RWL_OK;
    const rwl_parquet_part *part = find_part(feed);
    if (part && part->block && atomic_load_explicit(&part->block->is_ready, memory_order_acquire)) {
        *out = bytes_at(part->block, feed->pos, want < part->end - feed->pos ? want : part->end - feed->pos);
        return RWL_OK;
    }
    rwl_mutex_lock(&feed->fetch->lock);
    rwl_status st = peek_slowly(feed, want, out, err);
    rwl_mutex_unlock(&feed->fetch->lock);
    return st;
}

void rwl_parquet_feed_advance(rwl_parquet_feed *feed, int64_t len) {
    feed->pos += len;
}
