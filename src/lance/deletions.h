/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deletion files: the deleted physical positions of one fragment.
 *
 *   .bin     a portable Roaring bitmap, 32 bits (bitmap/)
 *   .arrow   an Arrow IPC file with one column row_id, uint32 without nulls (ipc/); plain or zstd
 */
#ifndef RWL_LANCE_DELETIONS_H
#define RWL_LANCE_DELETIONS_H

#include "bitmap/bitmap.h"
#include "lance/dataset.h"

/* Reads a fragment's; *out NULL when it has none. CORRUPT: positions beyond the physical rows, nulls, another number of rows than the
 * manifest says. */
RWL_MUST_CHECK rwl_status rwl_lance_deletions_read(const rwl_lance_dataset *dataset, rwl_op *op,
                                                   const rwl_lance_fragment *fragment, rwl_bitmap **out,
                                                   rwl_error *err);
/* The content of either kind; `location` is for messages. */
RWL_MUST_CHECK rwl_status rwl_lance_deletions_parse(rwl_op *op, rwl_span content, bool is_bitmap,
                                                    const char *location, rwl_bitmap **out, rwl_error *err);

#endif
