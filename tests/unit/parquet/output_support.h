/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the tests of written metadata: Thrift structs as text, chunks made of pages by hand. */
#ifndef RWL_TESTS_PARQUET_OUTPUT_SUPPORT_H
#define RWL_TESTS_PARQUET_OUTPUT_SUPPORT_H

#include "parquet/output.h"
#include "writer_support.h"

/*
 * The struct at the start of `bytes` as text: {1:5 2:[{4:'name' 3:T}]}, numbers of any width, T and F, binary in quotes
 * or as x00ff when it is not all printable. *len (may be NULL) is how long it was. In `arena`.
 */
const char *thrift_text(rwl_arena *arena, rwl_span bytes, size_t *len);

/* A schema of these fields; fails the test when there is none. */
rwl_parquet_write_schema make_schema(rwl_arena *arena, const rwl_field *fields, int32_t count);
rwl_field make_field(const char *name, int32_t id, bool required, rwl_type_kind kind);

/* A page to be made: its body is of no meaning, `bytes` long. Text bounds are taken as bytes, NULL: see flags. */
typedef struct page_of {
    int32_t rows, values, nulls; /* values 0: as many as rows; nulls -1: unknown */
    const void *min, *max;
    size_t min_len, max_len;
    bool unknown; /* no bounds given; else NULL means that there are none */
    bool inexact;
    int32_t encoding;
    int32_t type;
    int64_t unencoded; /* 0: unknown */
    const int64_t *definitions, *repetitions;
    const int64_t *nans; /* NULL: unknown */
} page_of;
rwl_status add_page(rwl_parquet_chunk_write *c, const page_of *page, rwl_error *err);
rwl_status add_dictionary(rwl_parquet_chunk_write *c, rwl_error *err);
/* A page of one int64 bound pair, `rows` rows without nulls. */
void add_numbers(rwl_parquet_chunk_write *c, int32_t rows, int64_t min, int64_t max);
enum { PAGE_BODY = 11 }; /* bytes of every page's body */

/* The bytes of a whole file, in a buffer to be cleared. */
rwl_buf read_file(const char *path);
/* Its footer as text. */
const char *footer_text(rwl_arena *arena, const rwl_buf *file);

#endif
