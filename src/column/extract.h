/* SPDX-License-Identifier: Apache-2.0 */
/* Fields inside of struct columns as columns. */
#ifndef RWL_COLUMN_EXTRACT_H
#define RWL_COLUMN_EXTRACT_H

#include "column/batch.h"

/* Sets `view` to the field at `path` (indexes of children, outermost first; depth 0: `in` itself) of a struct column, null
 * where a struct above it is null: a shallow copy, valid as long as `in` is, with `scratch` (a flat column of its own)
 * holding the validity where one had to be made. Not to be cleared. INTERNAL when there is no such field. */
RWL_MUST_CHECK rwl_status rwl_column_view_field(const rwl_column *in, const int32_t *path, int32_t depth,
                                                rwl_column *scratch, rwl_column *view, const rwl_env *env,
                                                rwl_error *err);

#endif
