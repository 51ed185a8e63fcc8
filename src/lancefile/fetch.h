/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of a file that one reader wants for one step: wanted first, then read in as few ranges as is worth while, then used.
 *
 *   want … want   submit   get … get   reset
 *
 * Wanted ranges at most RWL_LANCE_GAP_MAX apart are read together. What is held is charged to the operation's budget.
 */
#ifndef RWL_LANCEFILE_FETCH_H
#define RWL_LANCEFILE_FETCH_H

#include "base/vec.h"
#include "lancefile/file.h"

enum {
    RWL_LANCE_GAP_MAX = 8 * 1024,
    RWL_LANCE_READ_SLACK = 64 /* bytes behind a piece that may be read, of any value */
};

typedef struct rwl_lance_block rwl_lance_block; /* a range that is read */

typedef struct rwl_lance_piece {
    int64_t offset, length;
    int32_t block; /* once submitted */
} rwl_lance_piece;

typedef struct rwl_lance_piece_at {
    int64_t offset;
    size_t number;
} rwl_lance_piece_at;

typedef struct rwl_lance_fetch {
    rwl_lancefile *file;
    rwl_op *op;
    RWL_VEC(rwl_lance_piece) pieces;
    RWL_VEC(rwl_lance_block *) blocks; /* the first `used` hold this step's ranges, others are spare */
    size_t used;
    size_t submitted;                  /* pieces */
    RWL_VEC(rwl_lance_piece_at) order; /* of the pieces that are being submitted */
    int64_t bytes_read, requests;
} rwl_lance_fetch;

void rwl_lance_fetch_init(rwl_lance_fetch *fetch, rwl_lancefile *file, rwl_op *op);
void rwl_lance_fetch_clear(rwl_lance_fetch *fetch); /* waits for what is in flight */
/* Wants bytes, numbered from 0 since the last reset. CORRUPT when they pass the file's end. */
RWL_MUST_CHECK rwl_status rwl_lance_fetch_want(rwl_lance_fetch *fetch, int64_t offset, int64_t length,
                                               size_t *number, rwl_error *err);
/* Starts reading what was wanted since the last submit. */
RWL_MUST_CHECK rwl_status rwl_lance_fetch_submit(rwl_lance_fetch *fetch, rwl_error *err);
/* Waits for a piece; its bytes stay until reset. */
RWL_MUST_CHECK rwl_status rwl_lance_fetch_get(rwl_lance_fetch *fetch, size_t number, rwl_span *out,
                                              rwl_error *err);
/* Forgets all pieces, keeps buffers for the next step. */
void rwl_lance_fetch_reset(rwl_lance_fetch *fetch);

#endif
