/* SPDX-License-Identifier: Apache-2.0 */
/* Between the two files that copy arrays: the tree, and what is flat. */
#ifndef RWL_COLUMN_ARROW_IMPORT_H
#define RWL_COLUMN_ARROW_IMPORT_H

#include "column/arrow_internal.h"

/* Rows first .. first + count - 1 of an array, whose buffers 0 and 1 are there as its format needs them. */
typedef struct rwl_arrow_node {
    const rwl_env *env;
    const struct ArrowSchema *schema;
    const struct ArrowArray *array;
    int64_t first, count;
} rwl_arrow_node;

rwl_status rwl_arrow_fail(const char *what, rwl_error *err); /* CORRUPT */

/* The values of a flat type into a column whose validity is there and whose length is 0 yet: fixed width, converted
 * where the format is another than ours, bits, bytes. Slots of null rows become zero. */
RWL_MUST_CHECK rwl_status rwl_arrow_import_flat(const rwl_arrow_node *n, rwl_column *c, rwl_error *err);

#endif
