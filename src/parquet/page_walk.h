/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of a column chunk one after the other, as they are stored: headers parsed, bodies neither decompressed nor
 * checked. Bytes come in order, through a window that grows from the first request to those that follow.
 */
#ifndef RWL_PARQUET_PAGE_WALK_H
#define RWL_PARQUET_PAGE_WALK_H

#include "parquet/page.h"

typedef struct rwl_parquet_walk {
    rwl_op *op;
    rwl_file *file;
    int64_t next, end;   /* file offsets: of the header to come, where the chunk ends */
    int64_t values_left; /* of the chunk, in data pages to come */
    size_t ahead;        /* asked for at once */
    uint8_t *window;
    size_t cap, len;
    int64_t off; /* of the window's first byte */
    /* the page at hand */
    rwl_parquet_page_header header;
    int64_t body_off;
} rwl_parquet_walk;

void rwl_parquet_walk_init(rwl_parquet_walk *walk, rwl_op *op);
void rwl_parquet_walk_clear(rwl_parquet_walk *walk);
/* Before the first page of a chunk; `file` is borrowed until the next begin. */
void rwl_parquet_walk_begin(rwl_parquet_walk *walk, rwl_file *file, const rwl_parquet_chunk *chunk);
/* The next page, of any type; *found false once data pages have given all values of the chunk. CORRUPT, as reading the
 * chunk is: a header that is none, a page behind the chunk's end, or of more values than are left. */
RWL_MUST_CHECK rwl_status rwl_parquet_walk_next(rwl_parquet_walk *walk, bool *found, rwl_error *err);
/* The body of the page at hand, as stored; valid until the next call. */
RWL_MUST_CHECK rwl_status rwl_parquet_walk_body(rwl_parquet_walk *walk, rwl_span *out, rwl_error *err);

#endif
