/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Full-zip pages: rows found by their place (page_zip.c), entries taken apart (zip_entries.c).
 *
 *   entry     [control word]  [value]                 one after another
 *   control   repetition level << bits_def | definition level, in 0, 1, 2 or 4 bytes
 *   value     only of visible entries; fixed: bits_per_value, also of nulls, before that the elements' validity, outermost list first;
 *             variable: only of level 0, a length of bits_per_offset and as many bytes
 *   index     position of each row's first entry, and the end: rows + 1 numbers of 1, 2, 4 or 8 bytes; there are none
 *             where all entries have the same length and each is a row
 */
#ifndef RWL_LANCEFILE_ZIP_INTERNAL_H
#define RWL_LANCEFILE_ZIP_INTERNAL_H

#include "lancefile/packed_rows.h"
#include "lancefile/page.h"

typedef enum rwl_lance_zip_form {
    RWL_LANCE_ZIP_FIXED,
    RWL_LANCE_ZIP_BOOLEAN, /* a byte each */
    RWL_LANCE_ZIP_BYTES,
    RWL_LANCE_ZIP_FSST,
    RWL_LANCE_ZIP_GENERAL,
    RWL_LANCE_ZIP_PACKED /* rows of packed structs */
} rwl_lance_zip_form;

enum { RWL_LANCE_ZIP_BATCH = 1024 }; /* entries given to the leaf at once */

typedef struct rwl_lance_zip_page {
    rwl_lance_page_reader base;
    rwl_lance_zip_form form;
    size_t control_len; /* 0, 1, 2, 4 */
    /* fixed width */
    size_t value_len; /* of the value alone */
    int validity_levels;
    size_t validity_len
        [RWL_LANCE_VECTOR_DEPTH_MAX]; /* before the value, outermost first; 0: of this level there is none */
    uint8_t *same;                    /* the value of all, which entries do not have; NULL: they have it */
    bool is_null;                     /* which is null: zeros, at least a bit for each element */
    size_t entry_len;                 /* of a visible entry, all in all */
    /* variable */
    size_t length_len; /* 4, 8 */
    rwl_lance_scheme scheme;
    rwl_lance_fsst *fsst;
    rwl_buf scratch; /* a decompressed value */
    rwl_lance_packed_format *packed;
    /* where rows are */
    rwl_lance_extent data;
    bool has_index, is_index_loaded; /* is loaded: all of it, piece 0 */
    size_t index_width;
    rwl_lance_fetch index_fetch;
    uint16_t rep[RWL_LANCE_ZIP_BATCH], def[RWL_LANCE_ZIP_BATCH];
} rwl_lance_zip_page;

/* Appends the entries in `in`, which are `rows` rows exactly. */
RWL_MUST_CHECK rwl_status rwl_lance_zip_read_entries(rwl_lance_zip_page *page, rwl_span in, int64_t rows,
                                                     rwl_lance_leaf *leaf, rwl_error *err);

#endif
