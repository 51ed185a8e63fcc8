/* SPDX-License-Identifier: Apache-2.0 */
/* Fields inside of struct columns as columns. */
#ifndef RWL_COLUMN_EXTRACT_H
#define RWL_COLUMN_EXTRACT_H

#include "column/batch.h"

/* The way to a field: the column it is in, and from there the indexes of children of structs, outermost first. */
typedef struct rwl_field_path {
    int32_t column;
    int32_t depth; /* 0: the column itself */
    int32_t path[RWL_TYPE_DEPTH_MAX];
} rwl_field_path;

/* Finds the field of this id among `fields` and inside of their structs, and the way to it; NULL when there is none, or it
 * is inside of a list or map, where a row has no single value of it. */
const rwl_field *rwl_field_path_find(const rwl_field *fields, int32_t count, int32_t id, rwl_field_path *out);

/* Sets `view` to the field at `path` (indexes of children, outermost first; depth 0: `in` itself) of a struct column, null
 * where a struct above it is null: a shallow copy, valid as long as `in` is, with `scratch` (a flat column of its own)
 * holding the validity where one had to be made. Not to be cleared. INTERNAL when there is no such field. */
RWL_MUST_CHECK rwl_status rwl_column_view_field(const rwl_column *in, const int32_t *path, int32_t depth,
                                                rwl_column *scratch, rwl_column *view, const rwl_env *env,
                                                rwl_error *err);

#endif
