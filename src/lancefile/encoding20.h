/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a page of file version 2.0 is laid out ("lance.encodings": ArrayEncoding), as checked plain structs; nesting is limited.
 *
 *   nullable      some_nulls: a bit a value, 1 valid · no_nulls · all_nulls, which have nothing else
 *   flat          values of `bits` side by side in one buffer, single bits least significant first; the buffer may be compressed,
 *                 but not of single bits, even where the message says so
 *   bitpacked     values of `unpacked_bits`, the low `bits` of each side by side, least significant first; `is_signed`: the highest
 *                 of them is the sign
 *   bitpacked_for_non_neg   likewise, in FastLanes blocks of 1024 values (unpack.h), the last one filled up
 *   constant      `value` each time
 *   fsl           `items` values of the inner encoding a value
 *   binary        `values`: u64 end of each value's bytes, `second`: the bytes. Null: the end and null_adjustment in one number
 *   fixed_size_binary   `items` bytes a text, of rows that are null too
 *   list          as in binary, ends of items, which lie in the next column, numbered over its pages
 *                 Of a field of texts its bytes are the items: pylance before 0.14
 *   dictionary    `values`: of a field of a dictionary type the place in `second` from 0, which holds a null where rows are null;
 *                 else from 1, and 0 is null
 *   fsst          `values`: a binary whose texts are each a row of codes of `table` (unpack.h)
 *   packed_struct children's values side by side, row after row
 *
 * Buffers are of the page, of the column or of the file.
 */
#ifndef RWL_LANCEFILE_ENCODING20_H
#define RWL_LANCEFILE_ENCODING20_H

#include "lancefile/encoding.h"

typedef enum rwl_lance_array_kind {
    RWL_LANCE_ARRAY_FLAT = 1,
    RWL_LANCE_ARRAY_NULLABLE = 2,
    RWL_LANCE_ARRAY_FIXED_SIZE_LIST = 3,
    RWL_LANCE_ARRAY_LIST = 4,
    RWL_LANCE_ARRAY_STRUCT = 5,
    RWL_LANCE_ARRAY_BINARY = 6,
    RWL_LANCE_ARRAY_DICTIONARY = 7,
    RWL_LANCE_ARRAY_FSST = 8,
    RWL_LANCE_ARRAY_PACKED_STRUCT = 9,
    RWL_LANCE_ARRAY_BITPACKED = 10,
    RWL_LANCE_ARRAY_FIXED_SIZE_BINARY = 11,
    RWL_LANCE_ARRAY_BITPACKED_FOR_NON_NEG = 12,
    RWL_LANCE_ARRAY_CONSTANT = 13
} rwl_lance_array_kind;

typedef enum rwl_lance_nulls {
    RWL_LANCE_NO_NULLS = 1,
    RWL_LANCE_SOME_NULLS = 2,
    RWL_LANCE_ALL_NULLS = 3
} rwl_lance_nulls;

typedef enum rwl_lance_buffer_kind {
    RWL_LANCE_BUFFER_PAGE,
    RWL_LANCE_BUFFER_COLUMN,
    RWL_LANCE_BUFFER_FILE
} rwl_lance_buffer_kind;

/* An encoding and those inside of it; which members count is by kind. */
typedef struct rwl_lance_array {
    rwl_lance_array_kind kind;
    rwl_lance_nulls nulls;             /* NULLABLE */
    int64_t bits;                      /* FLAT; bitpacked kinds: of a packed value */
    int64_t unpacked_bits;             /* bitpacked kinds */
    bool is_signed;                    /* BITPACKED */
    rwl_lance_buffer_kind buffer_kind; /* FLAT, PACKED_STRUCT, bitpacked kinds */
    int64_t buffer;                    /* its index */
    rwl_lance_scheme scheme;           /* FLAT: of the whole buffer */
    /* NULLABLE, unless ALL_NULLS; FIXED_SIZE_LIST: items; LIST, BINARY: ends; DICTIONARY: indices; FSST: codes; FIXED_SIZE_BINARY:
     * bytes. */
    const struct rwl_lance_array *values;
    /* NULLABLE, SOME_NULLS: validity; BINARY: bytes; DICTIONARY: items. */
    const struct rwl_lance_array *second;
    const struct rwl_lance_array **fields; /* PACKED_STRUCT */
    int32_t field_count;
    /* FIXED_SIZE_LIST: a value; LIST, DICTIONARY: in all; FIXED_SIZE_BINARY: bytes of a value. */
    int64_t items;
    rwl_span table;           /* FSST, of the message */
    rwl_span value;           /* CONSTANT, of the message */
    bool has_validity;        /* FIXED_SIZE_LIST: its own, which no writer has used */
    uint64_t null_adjustment; /* LIST, BINARY */
} rwl_lance_array;

/* Parses a page's encoding into `arena`. CORRUPT: a part is missing, a number is out of range; UNSUPPORTED: an encoding of no released
 * writer, by number, or nested too deep. */
RWL_MUST_CHECK rwl_status rwl_lance_array_parse(rwl_span message, rwl_arena *arena,
                                                const rwl_lance_array **out, rwl_error *err);
/* "no_nulls(flat64)", "binary(no_nulls(flat64), flat8)" */
RWL_MUST_CHECK rwl_status rwl_lance_array_format(const rwl_lance_array *array, rwl_buf *out, rwl_error *err);
const char *rwl_lance_array_kind_name(rwl_lance_array_kind kind);

#endif
