/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scan plan: the fragments of a version in id order, those left out that a filter on lineage or place rules out.
 *
 * Known of a fragment without reading its files: _fragment_id, _file, _rowaddr, _pos, and of _rowid and the versions the bounds of
 * inline arms that are in memory. Values of columns are not looked at.
 */
#ifndef RWL_LANCE_PLAN_H
#define RWL_LANCE_PLAN_H

#include "lance/dataset.h"
#include "table/driver.h"

typedef struct rwl_lance_plan rwl_lance_plan;

/* The metadata columns of every dataset (lance/driver.h); constant. */
const rwl_metadata_column *rwl_lance_metadata_columns(int32_t *count);

RWL_MUST_CHECK rwl_status rwl_lance_plan_open(const rwl_lance_dataset *dataset, rwl_op *op,
                                              const rwl_plan_request *request, rwl_lance_plan **out,
                                              rwl_error *err);
/* The next fragment, valid until the next call; *out NULL at the end. */
RWL_MUST_CHECK rwl_status rwl_lance_plan_next(rwl_lance_plan *plan, const rwl_fragment **out, rwl_error *err);
rwl_plan_stats rwl_lance_plan_stats(const rwl_lance_plan *plan);
void rwl_lance_plan_close(rwl_lance_plan *plan); /* NULL is fine */

#endif
