/* SPDX-License-Identifier: Apache-2.0 */
/* Files of nested columns written by hand: a schema in Parquet's own notation, and each leaf's entries one by one. */
#ifndef RWL_TESTS_PARQUET_NESTED_SUPPORT_H
#define RWL_TESTS_PARQUET_NESTED_SUPPORT_H

#include "reader_support.h"

enum { NESTED_LEAVES_MAX = 12 };

/*
 * schema: fields as "optional group l (LIST) { repeated group list { optional int32 element = 3; } }"; annotations are
 * STRING, LIST, MAP, MAP_KEY_VALUE, INTERVAL, UNKNOWN, VARIANT, GEOMETRY, GEOGRAPHY, FLOAT16, UINT64, UINT32, INT8, UTF8.
 * entries of a leaf: "0 2 7, 1 2 8, 0 0 | 0 1": repetition level, definition level and, at the highest one, a value (a
 * number, or a word of bytes; hex of bytes after "x"); pages are divided by |.
 */
typedef struct nested_spec {
    const char *schema;
    const char *entries[NESTED_LEAVES_MAX];
    int64_t rows;
    bool v2;
    bool runs_packed;       /* levels as one packed run, else each in a run of its own */
    bool levels_bit_packed; /* the deprecated encoding; v1 */
    int32_t with_index;     /* an offset index for every leaf: of first rows as the entries have them … */
    int32_t shift_page, shift; /* … but that of this page is wrong by so much */
    int32_t shift_offset;      /* or its offset */
    int64_t lie_values;        /* added to num_values of each chunk */
} nested_spec;

void build_nested(bench *b, const nested_spec *spec, rwl_buf *out);

typedef struct nested_query {
    int32_t node;
    const bool *wanted;
    int64_t first_row, row_count; /* row_count 0: all */
    int64_t batch_rows;
    size_t batch_bytes;
} nested_query;

/* The rows as JSON, each with a newline behind it, or the error's message; *text is cleared by the caller. */
rwl_status read_nested(const nested_spec *spec, const nested_query *query, rwl_buf *text);
/* Checks what read_nested gives; `want` NULL: a failure of `status` whose message has `part`. */
void check_nested(const nested_spec *spec, const nested_query *query, const char *want);
void check_nested_fails(const nested_spec *spec, const nested_query *query, rwl_status status,
                        const char *part);
/* The type of node 0 as text, and its field. */
void check_nested_type(const char *schema, bool required, const char *want);

#endif
