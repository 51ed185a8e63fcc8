/* SPDX-License-Identifier: Apache-2.0 */
/* Between footer.c and footer_chunk.c. */
#ifndef RWL_PARQUET_FOOTER_INTERNAL_H
#define RWL_PARQUET_FOOTER_INTERNAL_H

#include "parquet/footer.h"

enum { RWL_PARQUET_FIRST_DATA = 4 /* offset, behind the magic */ };

/* Parses a ColumnChunk of this leaf. Rule 2 of the footer. */
RWL_MUST_CHECK rwl_status rwl_parquet_footer_chunk_parse(rwl_cursor *c, const rwl_parquet_leaf *leaf,
                                                         rwl_parquet_chunk *chunk, rwl_error *err);
/* Once the whole footer is known: rules 3 to 5; drops ranges and statistics that can't be. `is_corrupt`:
 * rwl_parquet_stats_corrupt. */
RWL_MUST_CHECK rwl_status rwl_parquet_footer_chunk_settle(const rwl_parquet_leaf *leaf, int64_t row_count,
                                                          int64_t data_end, bool is_corrupt,
                                                          rwl_parquet_chunk *chunk, rwl_error *err);

#endif
