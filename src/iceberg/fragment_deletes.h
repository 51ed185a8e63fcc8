/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that deletes rows of a fragment, as one set of positions. */
#ifndef RWL_ICEBERG_FRAGMENT_DELETES_H
#define RWL_ICEBERG_FRAGMENT_DELETES_H

#include "bitmap/bitmap.h"
#include "table/driver.h"

/*
 * All deletes of the fragment as one set, NULL when there are none: its deletion vector, else the position delete files
 * that apply; and the rows whose key columns equal a row of an equality delete file, found by reading these columns.
 * Position and equality delete files are read through driver->deletes, which keeps them for other fragments.
 */
RWL_MUST_CHECK rwl_status rwl_fragment_deletes(const rwl_driver *driver, rwl_op *op,
                                               const rwl_fragment *fragment, rwl_bitmap **out,
                                               rwl_error *err);

#endif
