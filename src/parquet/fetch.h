/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of one row group's projected chunks, read ahead of their use in coalesced ranges.
 *
 * What is wanted of a chunk comes as extents: the whole of it, or the pages that hold wanted rows. Chunks of which no
 * more than the window is wanted are read in shared ranges: neighbours at most RWL_PARQUET_GAP_MAX apart share one of
 * at most range_max. Of longer ones pieces of the window are read, of which two are held: the one in use
 * and the next. A page that crosses from one piece to the next is put together in a buffer of its own.
 */
#ifndef RWL_PARQUET_FETCH_H
#define RWL_PARQUET_FETCH_H

#include "base/thread.h"
#include "base/vec.h"
#include "parquet/convert.h"

#define RWL_PARQUET_GAP_MAX   (64 * 1024)
#define RWL_PARQUET_RANGE_MAX ((int64_t)8 * 1024 * 1024) /* less where the store says so */

typedef struct rwl_parquet_block rwl_parquet_block;

/* A wanted stretch of a chunk, as file offsets; ascending and disjoint in a feed. */
typedef struct rwl_parquet_part {
    int64_t off, end;
    rwl_parquet_block *block; /* the shared range that holds it; NULL: read in pieces */
} rwl_parquet_part;

/* One chunk's bytes, in order. Feeds of one fetch may be used by several threads, each by one at a time. */
typedef struct rwl_parquet_feed {
    struct rwl_parquet_fetch *fetch;
    int64_t pos, end; /* file offsets: next byte to give, end of the chunk */
    RWL_VEC(rwl_parquet_part) parts;
    size_t part;                /* the first one that may hold pos */
    int64_t wanted;             /* scratch of planning */
    rwl_parquet_block *pieces;  /* two of them once a part is read in pieces; else NULL */
    rwl_parquet_block *current; /* the piece where pos is, or the one after the joint's bytes */
    int64_t next_piece;         /* file offset of the piece to submit next, or before it */
    rwl_buf joint;              /* bytes from joint_off on, up to where `current` was used */
    int64_t joint_off;
    int64_t joint_reserved;
} rwl_parquet_feed;

/* Buffers of ranges that were used up, kept for the next ones: fresh memory costs as much as reading into it. */
enum { RWL_PARQUET_SPARES = 16 };
typedef struct rwl_parquet_spares {
    uint8_t *blocks[RWL_PARQUET_SPARES];
    size_t lens[RWL_PARQUET_SPARES]; /* of the budget; the slack is not counted */
} rwl_parquet_spares;
void rwl_parquet_spares_clear(rwl_parquet_spares *spares, rwl_op *op);

typedef struct rwl_parquet_fetch {
    rwl_file *file;
    rwl_op *op;
    rwl_parquet_spares *spares;
    rwl_mutex lock;          /* around all but handing out what is in memory */
    int64_t window;          /* longest range of one chunk */
    int64_t range_max;       /* and of several */
    rwl_parquet_feed *feeds; /* one a projected leaf, in its order */
    int32_t feed_count;
    int64_t requests, bytes; /* submitted so far */
} rwl_parquet_fetch;

/* Wanted bytes of one feed's chunk. */
typedef struct rwl_parquet_extent {
    int64_t off, end;
    int32_t feed;
} rwl_parquet_extent;

/* The longest range worth asking this file for. */
int64_t rwl_parquet_range_max(const rwl_file *file);
/* Feeds of the chunks of `leaves`, of which nothing is wanted yet. */
RWL_MUST_CHECK rwl_status rwl_parquet_fetch_open(rwl_parquet_fetch *fetch, rwl_file *file, rwl_op *op,
                                                 rwl_parquet_spares *spares, int64_t window,
                                                 const rwl_parquet_group *group, const int32_t *leaves,
                                                 int32_t count, rwl_error *err);
/* Plans the ranges of more extents, sorted here, and submits them. Of one feed they are disjoint and behind those wanted
 * before. What feeds have passed is freed first, except for the part that they just left. */
RWL_MUST_CHECK rwl_status rwl_parquet_fetch_want(rwl_parquet_fetch *fetch, rwl_parquet_extent *extents,
                                                 size_t count, rwl_error *err);
/* Frees everything, waiting for what is in flight; zeroed is fine. After the file's reads were cancelled nothing
 * is in flight: then `is_cancelled`. */
void rwl_parquet_fetch_clear(rwl_parquet_fetch *fetch, bool is_cancelled);
/*
 * The next `want` bytes, or those up to the end of the wanted part when they are fewer (the end of the chunk, of the last
 * wanted page); valid until the next peek. Where nothing was wanted, the rest of the chunk is asked for now.
 * RWL_PARQUET_READ_SLACK bytes behind them are readable. Waits for the store.
 */
RWL_MUST_CHECK rwl_status rwl_parquet_feed_peek(rwl_parquet_feed *feed, int64_t want, rwl_span *out,
                                                rwl_error *err);
void rwl_parquet_feed_advance(rwl_parquet_feed *feed, int64_t len); /* no further than the chunk's end */

#endif
