/* SPDX-License-Identifier: Apache-2.0 */
/* Between rows of a leaf (entries.c) and their values (entries_decode.c). */
#ifndef RWL_PARQUET_ENTRIES_INTERNAL_H
#define RWL_PARQUET_ENTRIES_INTERNAL_H

#include "parquet/entries.h"

/* Decodes the values of the next `count` pending entries, no more than RWL_PARQUET_BLOCK for bytes, and appends their slots
 * to e->out. *taken is `count`, or fewer entries where the bytes would pass `limit`. */
RWL_MUST_CHECK rwl_status rwl_parquet_entries_decode(rwl_parquet_entries *e, size_t count, size_t limit,
                                                     size_t *taken, rwl_error *err);

#endif
