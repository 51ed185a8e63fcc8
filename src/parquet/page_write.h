/* SPDX-License-Identifier: Apache-2.0 */
/* Page headers being written (parquet.thrift, PageHeader). */
#ifndef RWL_PARQUET_PAGE_WRITE_H
#define RWL_PARQUET_PAGE_WRITE_H

#include "parquet/page.h"

/*
 * Appends a header made of the fields of `h`: a data page of version 1 or 2, or a dictionary page. A CRC only when
 * it has one, no statistics (the page index has them). PLAIN_DICTIONARY is written as what stands for it today:
 * PLAIN in dictionary pages, RLE_DICTIONARY in data pages. INTERNAL for another type of page.
 */
RWL_MUST_CHECK rwl_status rwl_parquet_page_write(const rwl_parquet_page_header *h, rwl_buf *out,
                                                 rwl_error *err);
/* The encoding that is written for `encoding` of a data page. */
static inline int32_t rwl_parquet_page_encoding(int32_t encoding) {
    return encoding == RWL_PARQUET_PLAIN_DICTIONARY ? RWL_PARQUET_RLE_DICTIONARY : encoding;
}

#endif
