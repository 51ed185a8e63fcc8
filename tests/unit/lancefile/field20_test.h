/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of file version 2.0 from pages made by hand, for tests: a spec is built into a file in memory, its one field read. */
#ifndef RWL_TESTS_LANCEFILE_FIELD20_TEST_H
#define RWL_TESTS_LANCEFILE_FIELD20_TEST_H

#include "file_support.h"

#include "lancefile/field_internal.h"

/* clang-format off */
#define WORDS(type, ...) {(const uint8_t *)(const type[]){__VA_ARGS__}, sizeof(const type[]){__VA_ARGS__}}
#define BYTES(...)       WORDS(uint8_t, __VA_ARGS__)
#define ENDS(...)        WORDS(uint64_t, __VA_ARGS__)
#define TEXT(text)       {(const uint8_t *)"" text, sizeof(text) - 1}
#define FIELD(n, i, p, t) {.name = n, .id = i, .parent_id = p, .logical_type = t, .nullable = true}
/* clang-format on */

enum { PAGES_MAX = 3, BUFFERS_MAX = 4, COLUMNS_MAX = 4, ROWS_MAX = 16 };

typedef struct spec20_page {
    uint64_t rows;
    const char *encoding;
    rwl_span buffers[BUFFERS_MAX];
    int buffer_count;
} spec20_page;

typedef struct spec20_column {
    spec20_page pages[PAGES_MAX];
    int page_count;
    rwl_span own; /* a buffer of the column */
} spec20_column;

typedef struct spec20_file {
    const char *what;
    rwl_lance_field_def defs[COLUMNS_MAX];
    size_t def_count;
    spec20_column columns[COLUMNS_MAX];
    int column_count;
    int64_t rows;
    const char *expected[ROWS_MAX]; /* JSON */
} spec20_file;

typedef struct spec20_opened {
    memory_file f;
    rwl_buf bytes;
    rwl_arena arena;
    rwl_lance_schema schema;
    rwl_lance_source sources[COLUMNS_MAX];
    rwl_lance_node node;
} spec20_opened;

typedef struct spec20_wrong {
    const char *type, *encoding;
    rwl_span buffers[3];
    int buffer_count;
    rwl_status status;
    const char *says;
} spec20_wrong;

/* Makes the file's bytes; to be ended. */
void spec20_begin(spec20_opened *o, const spec20_file *spec);
void spec20_end(spec20_opened *o);
/* The file of o->bytes, its one field, and a source for each node. */
rwl_status spec20_open(spec20_opened *o, const spec20_file *spec);
/* Reads rows in batches; each as JSON into `text`, a line a row. */
rwl_status spec20_read(spec20_opened *o, int64_t rows, rwl_range *ranges, size_t count, size_t batch_bytes,
                       rwl_buf *text, int *batches);

/* Opens the file and reads all of its rows: the status, and why it is not OK. */
rwl_status spec20_try(const spec20_file *spec, rwl_error *err);

/* The rows are as expected, whatever the ranges and batches. */
void check_spec20_rows(const spec20_file *spec);
/* Every byte of the file with a bit changed: an error or some rows. Lengths in it are the ones that hurt. */
void check_spec20_damage(const spec20_file *spec, int seed);
/* One page of 3 rows of the type fails as it has to; lists get no items. */
void check_spec20_wrong(const spec20_wrong *wrong);

#endif
