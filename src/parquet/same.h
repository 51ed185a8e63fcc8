/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether columns of two files are read alike, so that equal bytes of their pages are equal values. Nothing is decoded:
 * "false" says that values have to be compared, not that they differ.
 */
#ifndef RWL_PARQUET_SAME_H
#define RWL_PARQUET_SAME_H

#include "parquet/page.h"

/* Two fields with all that is below them: ids (names where there are none), kinds, types and what annotates them, physical
 * types and lengths, repetition, levels. Leaf i of one then stands for leaf i of the other. */
bool rwl_parquet_same_node(const rwl_parquet_file *a, const rwl_parquet_node *x, const rwl_parquet_file *b,
                           const rwl_parquet_node *y);
/* Headers of two pages of leaves that are the same: equal bodies then hold equal entries, where they are indexes of equal
 * dictionaries. What the body is said to be compressed with, and the checksum, are not looked at. */
bool rwl_parquet_same_page(const rwl_parquet_leaf *leaf, const rwl_parquet_page_header *a,
                           const rwl_parquet_page_header *b);
static inline bool rwl_parquet_page_is_data(const rwl_parquet_page_header *h) {
    return h->type == RWL_PARQUET_DATA_PAGE || h->type == RWL_PARQUET_DATA_PAGE_V2;
}
static inline bool rwl_parquet_page_is_coded(const rwl_parquet_page_header *h) {
    return h->encoding == RWL_PARQUET_PLAIN_DICTIONARY || h->encoding == RWL_PARQUET_RLE_DICTIONARY;
}

#endif
