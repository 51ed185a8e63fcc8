/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page encodings of file version 2.0 from text, for tests:
 *
 *   flat32@0                    values of 32 bits in buffer 0 of the page; @c0 of the column, @f1 of the file
 *   flat8+zstd@1                compressed; any word
 *   no_nulls(X)  some_nulls(V, X)  all_nulls
 *   fsl4(X)  fsl4+validity(X)   list3/4(X): 3 items, null adjustment 4
 *   binary7(ENDS, BYTES): null adjustment 7             dictionary2(INDICES, ITEMS): 2 items
 *   packed@0(X, Y)  fixed_binary4(X)  struct  kind99
 *   bitpacked3of8@0  bitpacked3of8s@0: signed  non_neg3of8@0  constant:0500: the value in hexadecimal digits; constant: none
 *   fsst(X)                     its codes: 0 "ab", 1 "cdefghij"; fsst_raw(X): texts as they are; fsst_bare(X): no table
 */
#ifndef RWL_TESTS_LANCEFILE_ARRAY_TEXT_H
#define RWL_TESTS_LANCEFILE_ARRAY_TEXT_H

#include "base/buf.h"

/* Appends the ArrayEncoding; ends the program where the text is none. */
void put_array_text(rwl_buf *out, const char *text);

#endif
