/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equality deletes of a fragment (specification, "Equality Delete Files"), resolved to positions: its key columns are read, and
 * the rows whose key is in a delete file that applies are deleted. Which ones apply is the plan's business.
 */
#ifndef RWL_ICEBERG_EQUALITY_DELETES_H
#define RWL_ICEBERG_EQUALITY_DELETES_H

#include "bitmap/bitmap.h"
#include "table/driver.h"

/*
 * Adds the rows that the fragment's equality delete files delete to `into`; other deletes of it are passed over. Files with the
 * same equality ids are looked for in one pass over the fragment as far as the cache can hold them at once. CORRUPT: no
 * schema of the table has a key, a delete file lacks one.
 */
RWL_MUST_CHECK rwl_status rwl_equality_deletes_add(const rwl_driver *driver, rwl_op *op,
                                                   const rwl_fragment *fragment, rwl_bitmap *into,
                                                   rwl_error *err);

#endif
