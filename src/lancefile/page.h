/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading rows of one page of a leaf column (file versions 2.1 and 2.2). Three ways to lay a page out, one interface:
 *
 *   page_mini.c       mini-block: chunks of some KiB, each decoded as a whole
 *   page_constant.c   one value, or null, and levels
 *   page_zip.c        full-zip: values one after another, each found by itself
 *   page_blob.c       positions and sizes of bytes elsewhere, which lie in a page of one of the others
 *   page_blob2.c      the same of blobs of version 2, whatever the layout: the field tells
 *
 * A step is two calls with the same rows: `want` asks for bytes, `read` uses them. What a page has to know before it can say what it
 * wants (chunk table, repetition index, dictionary) is read when it is opened.
 */
#ifndef RWL_LANCEFILE_PAGE_H
#define RWL_LANCEFILE_PAGE_H

#include "lancefile/fetch.h"
#include "lancefile/leaf.h"
#include "lancefile/unpack.h"

typedef struct rwl_lance_page_reader rwl_lance_page_reader;

typedef struct rwl_lance_page_vtable {
    /* Rows of the page: ascending and disjoint. Asks `fetch` for what they need, *number being the first piece. */
    rwl_status (*want)(rwl_lance_page_reader *page, const rwl_range *rows, size_t count, size_t *number,
                       rwl_error *err);
    /* Appends these rows to the leaf; the pieces wanted for them, from `number` on, were submitted. */
    rwl_status (*read)(rwl_lance_page_reader *page, const rwl_range *rows, size_t count, size_t number,
                       rwl_lance_leaf *leaf, rwl_error *err);
    void (*close)(rwl_lance_page_reader *page);
    /* Of these rows the first *fitting, one at least, take about `bytes_max` bytes at most. NULL: all, values of the layout being small.
     * It may read what `want` reads before it wants. */
    rwl_status (*fit)(rwl_lance_page_reader *page, const rwl_range *rows, size_t count, int64_t bytes_max,
                      int64_t *fitting, rwl_error *err);
} rwl_lance_page_vtable;

/* What all page readers begin with. */
struct rwl_lance_page_reader {
    const rwl_lance_page_vtable *vtable;
    rwl_op *op;
    rwl_lancefile *file;
    const rwl_lance_column *column;
    const rwl_lance_page *page;
    const rwl_lance_layout *layout;
    rwl_lance_fetch *fetch;     /* of the leaf's column; pieces live until the leaf's reader resets it */
    rwl_lance_general *general; /* likewise */
    rwl_lance_level_map levels;
};

typedef struct rwl_lance_page_request {
    rwl_op *op;
    rwl_lancefile *file;
    const rwl_lance_column *column;
    const rwl_lance_page *page;
    /* Parsed and checked against the leaf's layers; outlives the page's reader. */
    const rwl_lance_layout *layout;
    const rwl_lance_leaf *leaf; /* of the kind that `read` will be given */
    rwl_lance_fetch *fetch;
    rwl_lance_general *general;
} rwl_lance_page_request;

/* Opens the page by its layout. It reads what it must know first through a fetch of its own. */
RWL_MUST_CHECK rwl_status rwl_lance_page_open(const rwl_lance_page_request *request,
                                              rwl_lance_page_reader **out, rwl_error *err);
static inline void rwl_lance_page_close(rwl_lance_page_reader *page) { /* NULL is fine */
    if (page != NULL)
        page->vtable->close(page);
}

/* How many of these rows to want at once, so that large values do not pass `bytes_max` (one row may). */
RWL_MUST_CHECK rwl_status rwl_lance_page_fit(rwl_lance_page_reader *page, const rwl_range *rows, size_t count,
                                             int64_t bytes_max, int64_t *fitting, rwl_error *err);

/* --- the layouts, for rwl_lance_page_open --- */

/* What they all begin with, as it is asked for. */
void rwl_lance_page_init(rwl_lance_page_reader *page, const rwl_lance_page_vtable *vtable,
                         const rwl_lance_page_request *request);

/* INTERNAL unless the rows are the page's, ascending and disjoint. */
RWL_MUST_CHECK rwl_status rwl_lance_page_check_rows(const rwl_lance_page_reader *page, const rwl_range *rows,
                                                    size_t count, rwl_error *err);

RWL_MUST_CHECK rwl_status rwl_lance_mini_open(const rwl_lance_page_request *request,
                                              rwl_lance_page_reader **out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_constant_open(const rwl_lance_page_request *request,
                                                  rwl_lance_page_reader **out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_zip_open(const rwl_lance_page_request *request,
                                             rwl_lance_page_reader **out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_blob_open(const rwl_lance_page_request *request,
                                              rwl_lance_page_reader **out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_blob2_open(const rwl_lance_page_request *request,
                                               rwl_lance_page_reader **out, rwl_error *err);

#endif
