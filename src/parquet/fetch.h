/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of one row group's projected chunks, read ahead of their use in coalesced ranges.
 *
 * Chunks no longer than the window are read whole; neighbours at most RWL_PARQUET_GAP_MAX apart share a range of
 * at most RWL_PARQUET_RANGE_MAX. A longer chunk is read in pieces of the window, of which two are held: the one in
 * use and the next. A page that crosses from one piece to the next is put together in a buffer of its own.
 */
#ifndef RWL_PARQUET_FETCH_H
#define RWL_PARQUET_FETCH_H

#include "parquet/convert.h"

#define RWL_PARQUET_GAP_MAX   (64 * 1024)
#define RWL_PARQUET_RANGE_MAX ((int64_t)8 * 1024 * 1024)

typedef struct rwl_parquet_block rwl_parquet_block;

/* One chunk's bytes, in order. */
typedef struct rwl_parquet_feed {
    struct rwl_parquet_fetch *fetch;
    int64_t pos, end;           /* file offsets: next byte to give, end of the chunk */
    rwl_parquet_block *current; /* where pos is, or the block after the joint's bytes */
    rwl_parquet_block *pieces;  /* two of them, for a chunk read in pieces; else NULL */
    int64_t next_piece;         /* file offset of the piece to submit next */
    rwl_buf joint;              /* bytes from joint_off on, up to where `current` was used */
    int64_t joint_off;
    int64_t joint_reserved;
} rwl_parquet_feed;

/* Buffers of ranges that were used up, kept for the next ones: fresh memory costs as much as reading into it. */
enum { RWL_PARQUET_SPARES = 4 };
typedef struct rwl_parquet_spares {
    uint8_t *blocks[RWL_PARQUET_SPARES];
    size_t lens[RWL_PARQUET_SPARES]; /* of the budget; the slack is not counted */
} rwl_parquet_spares;
void rwl_parquet_spares_clear(rwl_parquet_spares *spares, rwl_op *op);

typedef struct rwl_parquet_fetch {
    rwl_file *file;
    rwl_op *op;
    rwl_parquet_spares *spares;
    int64_t window;            /* longest range of one chunk */
    rwl_parquet_block *shared; /* ranges of whole chunks */
    size_t shared_count;
    rwl_parquet_feed *feeds; /* one a projected leaf, in its order */
    int32_t feed_count;
    int64_t requests, bytes; /* submitted so far */
} rwl_parquet_fetch;

/* Plans the ranges of `group` for `leaves` and submits the first ones. */
RWL_MUST_CHECK rwl_status rwl_parquet_fetch_start(rwl_parquet_fetch *fetch, rwl_file *file, rwl_op *op,
                                                  rwl_parquet_spares *spares, int64_t window,
                                                  const rwl_parquet_group *group, const int32_t *leaves,
                                                  int32_t count, rwl_error *err);
/* Frees everything, waiting for what is in flight; zeroed is fine. After the file's reads were cancelled nothing
 * is in flight: then `is_cancelled`. */
void rwl_parquet_fetch_clear(rwl_parquet_fetch *fetch, bool is_cancelled);
/*
 * The next `want` bytes, or all that are left of the chunk when those are fewer; valid until the next peek.
 * RWL_PARQUET_READ_SLACK bytes behind them are readable. Waits for the store.
 */
RWL_MUST_CHECK rwl_status rwl_parquet_feed_peek(rwl_parquet_feed *feed, int64_t want, rwl_span *out,
                                                rwl_error *err);
void rwl_parquet_feed_advance(rwl_parquet_feed *feed, int64_t len); /* no further than the chunk's end */

#endif
