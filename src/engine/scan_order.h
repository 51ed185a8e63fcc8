/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a scan by ascending row id, those without an id last and among themselves as they came. */
#ifndef RWL_ENGINE_SCAN_ORDER_H
#define RWL_ENGINE_SCAN_ORDER_H

#include "table/rows.h"

typedef struct rwl_scan_order rwl_scan_order;

/* Sets `rows` to the next rows in plan order, with their ids; length 0 at the end. */
typedef rwl_status (*rwl_scan_source)(void *ctx, rwl_rows *rows, rwl_error *err);

/* For rows of these fields, which are borrowed; at most `limit` of them, -1: all. */
RWL_MUST_CHECK rwl_status rwl_scan_order_new(rwl_op *op, const rwl_field *fields, int32_t count,
                                             int64_t limit, rwl_scan_order **out, rwl_error *err);
void rwl_scan_order_free(rwl_scan_order *order); /* NULL is fine */
/* Sorts everything the source gives, once, before next. */
RWL_MUST_CHECK rwl_status rwl_scan_order_read(rwl_scan_order *order, rwl_scan_source source, void *ctx,
                                              rwl_error *err);
/* Sets *batch to the next rows, whose first `count` columns are the fields; the caller may swap those with columns of
 * its own. Length 0 at the end. */
RWL_MUST_CHECK rwl_status rwl_scan_order_next(rwl_scan_order *order, rwl_batch **batch, rwl_error *err);

#endif
