/* SPDX-License-Identifier: Apache-2.0 */
/* How the pages of a column being written end: the dictionary and its end, the encoding, bounds. For column_writer.c. */
#ifndef RWL_PARQUET_COLUMN_ENCODE_H
#define RWL_PARQUET_COLUMN_ENCODE_H

#include "parquet/column_writer.h"

/* Room for `more` bytes of values in the page, which begin after the headroom. */
RWL_MUST_CHECK rwl_status rwl_parquet_column_open_page(rwl_parquet_column_writer *c, size_t more,
                                                       rwl_error *err);
/* PLAIN bytes in the page so far. */
size_t rwl_parquet_column_values_len(const rwl_parquet_column_writer *c);
/* Writes the page, if it has rows. */
RWL_MUST_CHECK rwl_status rwl_parquet_column_end_page(rwl_parquet_column_writer *c, rwl_error *err);
/* Nothing more goes to the dictionary: the page is written, or stays open without it where that is smaller. */
RWL_MUST_CHECK rwl_status rwl_parquet_column_close_dictionary(rwl_parquet_column_writer *c, rwl_error *err);

#endif
