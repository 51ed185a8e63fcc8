/* SPDX-License-Identifier: Apache-2.0 */
/* One leaf column of a file over its pages: which of them hold the rows of a step, and what these are worth in bytes. */
#ifndef RWL_LANCEFILE_LEAF_CURSOR_H
#define RWL_LANCEFILE_LEAF_CURSOR_H

#include "lancefile/page.h"
#include "lancefile/reader.h"

typedef struct rwl_lance_cursor_page rwl_lance_cursor_page; /* of the column, with its layout, maybe open */

typedef struct rwl_lance_leaf_cursor {
    rwl_op *op;
    const rwl_lance_node *node;
    rwl_lance_source source;
    const rwl_lance_column *column;
    rwl_lance_leaf leaf; /* what the last step read */
    rwl_lance_fetch fetch;
    rwl_lance_general general;
    RWL_VEC(rwl_lance_cursor_page *) pages; /* looked at, by number; after `want` those of the step alone */
    RWL_VEC(rwl_range) ranges;              /* of the step, within their pages */
    int64_t wanted;                         /* rows */
    double growth;   /* bytes decoded for one estimated, as the last step had it; at least 1 */
    double estimate; /* bytes of the step */
    int64_t pages_read;
} rwl_lance_leaf_cursor;

/* CORRUPT when the column has not `row_count` rows. To be cleared also after a failure. */
RWL_MUST_CHECK rwl_status rwl_lance_cursor_open(rwl_lance_leaf_cursor *c, rwl_op *op,
                                                const rwl_lance_node *node, rwl_lance_source source,
                                                int64_t row_count, rwl_error *err);
void rwl_lance_cursor_clear(rwl_lance_leaf_cursor *c);
/* Bytes that the rows will be, decoded, until they pass `bytes_max`; *rows is how many that are, at least 1. Looks at the pages'
 * layouts only. */
RWL_MUST_CHECK rwl_status rwl_lance_cursor_fit(rwl_lance_leaf_cursor *c, const rwl_range *ranges,
                                               size_t count, double bytes_max, int64_t *rows, double *bytes,
                                               rwl_error *err);
/* Opens the pages of the rows (ascending, disjoint, of the column) and asks for bytes. */
RWL_MUST_CHECK rwl_status rwl_lance_cursor_want(rwl_lance_leaf_cursor *c, const rwl_range *ranges,
                                                size_t count, rwl_error *err);
/* Sets `leaf` to the rows that were wanted. */
RWL_MUST_CHECK rwl_status rwl_lance_cursor_read(rwl_lance_leaf_cursor *c, rwl_error *err);
void rwl_lance_cursor_stats(const rwl_lance_leaf_cursor *c, rwl_lance_read_stats *add_to);

#endif
