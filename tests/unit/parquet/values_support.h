/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the tests of decoders: pages with garbage behind them, layouts, an encoder of one bit at a time. */
#ifndef RWL_TESTS_PARQUET_VALUES_SUPPORT_H
#define RWL_TESTS_PARQUET_VALUES_SUPPORT_H

#include "parquet/values.h"

#include <check.h>

/* One page being read: a copy of its bytes with ones in the slack, which must not matter. */
typedef struct page {
    rwl_env env;
    rwl_op op;
    rwl_error err;
    uint8_t *bytes;
    rwl_parquet_layout layout;
    rwl_parquet_dictionary dictionary;
    rwl_parquet_values values;
    rwl_column column; /* for values of variable length */
} page;

rwl_parquet_layout layout_for(rwl_parquet_physical physical, rwl_type_kind kind, int32_t type_length);
void page_init(page *p, rwl_parquet_layout layout, bool carries_previous);
/* Opens bytes as the (next) page. */
rwl_status page_open(page *p, int32_t encoding, const void *data, size_t len);
rwl_status page_dictionary(page *p, const void *plain, size_t len, int64_t count);
void page_free(page *p);
/* Takes `count` strings, joined with '|' into `out`; at most `limit` bytes. */
rwl_status page_strings(page *p, size_t count, size_t limit, char *out, size_t *done);

/* Bytes under construction. */
typedef struct bytes {
    uint8_t data[1 << 16];
    size_t len;
    unsigned bit; /* bits used of the last byte, 0: whole */
} bytes;
void put_varint(bytes *b, uint64_t v);
void put_zigzag(bytes *b, int64_t v);
void put_bits(bytes *b, uint64_t v, int width); /* least significant first */
void put_data(bytes *b, const void *data, size_t len);
/* DELTA_BINARY_PACKED of `count` values, blocks of 128 in 4 parts of `width` bits, at least what they need. */
void put_delta(bytes *b, const int64_t *values, size_t count, int width);

#endif
