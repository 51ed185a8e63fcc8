/* SPDX-License-Identifier: Apache-2.0 */
/* One page of one leaf column, opened from a file that a test builds or that lies on disk, and read in steps. */
#ifndef RWL_TESTS_LANCEFILE_PAGE_TEST_H
#define RWL_TESTS_LANCEFILE_PAGE_TEST_H

#include "lance_build.h"
#include "lancefile/page.h"

#include <check.h>

typedef struct page_test {
    rwl_env env;
    rwl_op op;
    rwl_buf bytes; /* of a file built here */
    rwl_store *store;
    rwl_lancefile *file;
    rwl_arena arena;
    rwl_lance_layout layout;
    rwl_lance_fetch fetch;
    rwl_lance_general general;
    rwl_lance_leaf leaf; /* what the last step read */
    rwl_lance_page_reader *page;
    rwl_error error;
} page_test;

/* A page to build: up to 4 buffers, and the message of its layout. */
typedef struct page_parts {
    rwl_span buffers[4];
    int buffer_count;
    rwl_span encoding;
    uint64_t row_count;
    bool is_2_1; /* else 2.2 */
} page_parts;

/* Opens the one page of a file of it, as a column of `node`; the status of parsing, checking or opening. */
rwl_status page_test_build(page_test *t, const rwl_lance_node *node, const page_parts *parts);
/* Opens page `page` of a column of the open t->file. */
rwl_status page_test_open(page_test *t, const rwl_lance_node *node, int32_t column, int32_t page);
/* Only the page and the leaf, for another of the same file. */
void page_test_close(page_test *t);
void page_test_clear(page_test *t);
/* One step: sets t->leaf, or appends to it. */
rwl_status page_test_read(page_test *t, const rwl_range *rows, size_t count);
rwl_status page_test_append(page_test *t, const rwl_range *rows, size_t count);
/* The whole leaf as one text that is equal for equal rows: `rep/def value` an entry, values of nulls left out. */
char *page_test_text(const page_test *t); /* to be freed */

#define PAGE_OK(t, expr)                                                                                     \
    do {                                                                                                     \
        rwl_status page_ok_st_ = (expr);                                                                     \
        ck_assert_msg(page_ok_st_ == RWL_OK, "%s: %s", #expr, (t)->error.message);                           \
    } while (0)

/* --- building mini-block pages --- */

typedef struct mini_chunk_spec {
    int log2; /* of its values, as the table says */
    int level_count;
    const uint16_t *rep, *def; /* flat 16; NULL: the page has none */
    rwl_span buffers[3];
    int buffer_count;
} mini_chunk_spec;

/* Appends a chunk and its word of the table. */
void put_mini_chunk(rwl_buf *words, rwl_buf *chunks, bool is_large, const mini_chunk_spec *spec);

typedef struct mini_layout_spec {
    bool has_rep, has_def;     /* flat 16 */
    const rwl_buf *values;     /* field 3, a CompressiveEncoding */
    const rwl_buf *dictionary; /* field 4, likewise; NULL when none */
    uint64_t dictionary_items, items, buffers, depth;
    uint64_t layers[4];
    size_t layer_count;
    bool is_large;
} mini_layout_spec;

/* The PageLayout of a mini-block page. */
void put_mini_layout(rwl_buf *out, const mini_layout_spec *spec);

#endif
