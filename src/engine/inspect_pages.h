/* SPDX-License-Identifier: Apache-2.0 */
/* Walking the page headers of a column chunk without its bodies. */
#ifndef RWL_ENGINE_INSPECT_PAGES_H
#define RWL_ENGINE_INSPECT_PAGES_H

#include "parquet/page.h"

typedef struct rwl_page_walk {
    const rwl_env *env;
    rwl_op *op;
    rwl_file *file;
    int64_t off, end;    /* of the next header, of the chunk */
    int64_t values_left; /* level entries of data pages still to come */
    uint8_t *window;     /* bytes of the file from window_off on */
    size_t window_len, window_cap;
    int64_t window_off;
} rwl_page_walk;

/* A walk over `file`, which must outlive it. */
void rwl_page_walk_init(rwl_page_walk *w, rwl_op *op, rwl_file *file);
void rwl_page_walk_clear(rwl_page_walk *w);
/* Begins a chunk. */
void rwl_page_walk_start(rwl_page_walk *w, const rwl_parquet_chunk *chunk);
/* The next page: its header and where that begins; *more false when the chunk's values or bytes are used up. CORRUPT for a
 * header that can't be read and a body that passes the chunk's end. */
RWL_MUST_CHECK rwl_status rwl_page_walk_next(rwl_page_walk *w, rwl_parquet_page_header *header, int64_t *off,
                                             bool *more, rwl_error *err);

#endif
