/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of files that Lance wrote: rows are the same whatever the steps they are read in. */
#include "page_test.h"
#include "suites.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

/* Leaf number `index` below these nodes, depth first; counts it down. */
static const rwl_lance_node *find_leaf(const rwl_lance_node *nodes, int32_t count, int32_t *index) {
    const rwl_lance_node *stack[256];
    int32_t depth = 0;
    for (int32_t i = count; i-- > 0;)
        stack[depth++] = &nodes[i];
    while (depth > 0) {
        const rwl_lance_node *node = stack[--depth];
        bool is_inner =
            node->form == RWL_LANCE_STRUCT || node->form == RWL_LANCE_LIST || node->form == RWL_LANCE_MAP;
        if (!is_inner && (*index)-- == 0)
            return node;
        for (int32_t i = is_inner ? node->child_count : 0; i-- > 0;)
            stack[depth++] = &node->children[i];
    }
    return NULL;
}

/* Reads all rows in steps of `step`, `width` of them, and gives the text. */
static char *read_in_steps(page_test *t, int64_t rows, int64_t step) {
    rwl_lance_leaf_reset(&t->leaf);
    for (int64_t at = 0; at < rows; at += step) {
        rwl_range range = {at, step < rows - at ? step : rows - at};
        PAGE_OK(t, page_test_append(t, &range, 1));
    }
    return page_test_text(t);
}

/* Every third row, backwards too, against the same of the whole. */
static void compare_some(page_test *t, int64_t rows) {
    rwl_range ranges[64];
    size_t count = 0;
    for (int64_t at = 0; at < rows && count < 64; at += 1 + rows / 50)
        ranges[count++] = (rwl_range){at, rows / 50 > 3 && at + 3 < rows ? 3 : 1};
    PAGE_OK(t, page_test_read(t, ranges, count));
    char *together = page_test_text(t);
    rwl_lance_leaf_reset(&t->leaf);
    for (size_t i = 0; i < count; i++)
        PAGE_OK(t, page_test_append(t, &ranges[i], 1));
    char *single = page_test_text(t);
    ck_assert_str_eq(together, single);
    free(together);
    free(single);
    for (size_t i = count; i-- > 0;)
        PAGE_OK(t, page_test_read(t, &ranges[i], 1));
}

static void compare_page(page_test *t, const char *path, int32_t column, int32_t page, int64_t rows) {
    char *whole = read_in_steps(t, rows, rows > 0 ? rows : 1);
    static const int64_t STEPS[] = {7, 1, 1000};
    for (int i = 0; i < 3; i++) {
        if (STEPS[i] == 1 && rows > 3000)
            continue;
        char *text = read_in_steps(t, rows, STEPS[i]);
        ck_assert_msg(strcmp(text, whole) == 0, "%s: column %d, page %d in steps of %d", path, column, page,
                      (int)STEPS[i]);
        free(text);
    }
    free(whole);
    compare_some(t, rows);
}

static int compare_file(const char *path) {
    page_test t;
    int pages = 0;
    memset(&t, 0, sizeof t);
    rwl_env_init_default(&t.env);
    rwl_op_init(&t.op, &t.env, 0);
    rwl_buf_init(&t.bytes, &t.env, SIZE_MAX);
    rwl_arena arena;
    rwl_arena_init(&arena, &t.env, 0);
    PAGE_OK(&t, rwl_store_local_new(&t.env, NULL, 0, &t.store, &t.error));
    PAGE_OK(&t, rwl_lancefile_open(t.store, &t.op, path, 0, &t.file, &t.error));
    PAGE_OK(&t, rwl_lancefile_describe(t.file, &t.op, &t.error));
    rwl_lance_schema schema = {0};
    PAGE_OK(&t, rwl_lance_schema_build(t.file->defs, t.file->def_count, &arena, &schema, &t.error));
    for (int32_t i = 0; i < t.file->column_count; i++) {
        int32_t index = i;
        const rwl_lance_node *node = find_leaf(schema.nodes, schema.count, &index);
        const rwl_lance_column *column = NULL;
        if (node == NULL || node->refusal != NULL || node->is_blob)
            continue;
        PAGE_OK(&t, rwl_lancefile_column(t.file, &t.op, i, &column, &t.error));
        for (int32_t k = 0; k < column->page_count; k++) {
            rwl_status st = page_test_open(&t, node, i, k);
            ck_assert_msg(st == RWL_OK, "%s: column %d, page %d: %s", path, i, k, t.error.message);
            compare_page(&t, path, i, k, column->pages[k].row_count);
            page_test_close(&t);
            pages++;
        }
    }
    page_test_clear(&t);
    rwl_arena_clear(&arena);
    return pages;
}

START_TEST(pages_of_every_type_read_the_same_in_any_steps) {
    static const char *const PATTERNS[] = {"types_*_2_1", "types_*_2_2", "types_map"};
    int pages = 0;
    for (size_t i = 0; i < sizeof PATTERNS / sizeof PATTERNS[0]; i++) {
        char pattern[1024];
        glob_t files;
        snprintf(pattern, sizeof pattern, "%s/pylance/%s/t.lance/data/*.lance", FIXTURES_DIR, PATTERNS[i]);
        if (glob(pattern, 0, NULL, &files) != 0)
            continue;
        for (size_t k = 0; k < files.gl_pathc; k++)
            pages += compare_file(files.gl_pathv[k]);
        globfree(&files);
    }
    if (pages == 0)
        fprintf(stderr, "skipped: no files in %s/pylance\n", FIXTURES_DIR);
}
END_TEST

Suite *lancefile_page_fixtures_suite(void) {
    Suite *suite = suite_create("lancefile_page_fixtures");
    TCase *cases = tcase_create("page_fixtures");
    tcase_set_timeout(cases, 30);
    tcase_add_test(cases, pages_of_every_type_read_the_same_in_any_steps);
    suite_add_tcase(suite, cases);
    return suite;
}
