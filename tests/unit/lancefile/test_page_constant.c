/* SPDX-License-Identifier: Apache-2.0 */
/* Constant pages: every form of value and levels, written by hand. */
#include "page_test.h"
#include "suites.h"

#include <stdlib.h>

static page_test t;

static const rwl_lance_node LIST = {.form = RWL_LANCE_LIST};
static const rwl_lance_node INT32 = {.form = RWL_LANCE_FIXED, .bits = 32};
static const rwl_lance_node BOOLEAN = {.form = RWL_LANCE_FIXED, .bits = 1};
static const rwl_lance_node TEXT = {.form = RWL_LANCE_BYTES};
static const rwl_lance_node NOTHING = {.form = RWL_LANCE_NULL};
static const rwl_lance_node INT32_IN_LIST = {.form = RWL_LANCE_FIXED, .bits = 32, .parent = &LIST};
static const rwl_lance_node TEXT_IN_LIST = {.form = RWL_LANCE_BYTES, .parent = &LIST};

#define BYTES(text)                                                                                          \
    { (const uint8_t *)(text), sizeof(text) - 1 }

#define HELLO "\2\0\0\0\10\0\0\0\5\0\0\0\0\0\0\0\5\0\0\0hello"
#define LARGE "\2\0\0\0\20\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0hello"

typedef struct constant_case {
    const char *name;
    const rwl_lance_node *node;
    const char *layers;    /* digits */
    rwl_span inline_value; /* len 0: none */
    bool has_levels;       /* rep_values and def_values are written, with codecs of rle */
    uint64_t rep_values, def_values;
    rwl_span buffers[4];
    int buffer_count;
    uint64_t rows;
    rwl_status status;
    const char *text; /* of all rows */
} constant_case;

#define RUN_OF_ONES "\2\0\0\0\0\0\0\0\1\0\3" /* u64 2 · 1 · three times */

static const constant_case CASES[] = {
    {"all null", &INT32, "3", {0}, false, 0, 0, {{0}}, 0, 2, RWL_OK, "2 rows\n0/1 \n0/1 "},
    {"of type null", &NOTHING, "3", {0}, false, 0, 0, {{0}}, 0, 2, RWL_OK, "2 rows\n0/1 \n0/1 "},
    {"of type null that is not nullable",
     &NOTHING,
     "1",
     {0},
     false,
     0,
     0,
     {{0}},
     0,
     1,
     RWL_OK,
     "1 rows\n0/0 "},
    {"inline",
     &INT32,
     "1",
     BYTES("\7\0\0\1"),
     false,
     0,
     0,
     {{0}},
     0,
     2,
     RWL_OK,
     "2 rows\n0/0 07000001\n0/0 07000001"},
    {"inline boolean",
     &BOOLEAN,
     "1",
     BYTES("\1"),
     false,
     0,
     0,
     {{0}},
     0,
     3,
     RWL_OK,
     "3 rows\n0/0 1\n0/0 1\n0/0 1"},
    {"inline with nulls, plain levels",
     &INT32,
     "3",
     BYTES("\7\0\0\1"),
     false,
     0,
     0,
     {{0}, BYTES("\0\0\1\0\0\0")},
     2,
     3,
     RWL_OK,
     "3 rows\n0/0 07000001\n0/1 \n0/0 07000001"},
    {"a buffer of fixed width",
     &INT32,
     "1",
     {0},
     false,
     0,
     0,
     {BYTES("\1\0\0\0\4\0\0\0abcd")},
     1,
     1,
     RWL_OK,
     "1 rows\n0/0 61626364"},
    {"a buffer of variable length",
     &TEXT,
     "1",
     {0},
     false,
     0,
     0,
     {BYTES(HELLO)},
     1,
     2,
     RWL_OK,
     "2 rows\n0/0 68656c6c6f\n0/0 68656c6c6f"},
    {"64-bit offsets", &TEXT, "1", {0}, false, 0, 0, {BYTES(LARGE)}, 1, 1, RWL_OK, "1 rows\n0/0 68656c6c6f"},
    {"an empty text",
     &TEXT,
     "1",
     {0},
     false,
     0,
     0,
     {BYTES("\2\0\0\0\10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")},
     1,
     2,
     RWL_OK,
     "2 rows\n0/0 \n0/0 "},
    {"texts and nulls",
     &TEXT,
     "3",
     {0},
     false,
     0,
     0,
     {BYTES(HELLO), {0}, BYTES("\1\0\0\0\0\0\1\0")},
     3,
     4,
     RWL_OK,
     "4 rows\n0/1 \n0/0 68656c6c6f\n0/0 68656c6c6f\n0/1 "},
    /* [7, null], null, [7]: item? 1, list? 2; the same in full numbers */
    {"lists of a constant",
     &INT32_IN_LIST,
     "34",
     BYTES("\7\0\0\0"),
     false,
     0,
     0,
     {BYTES("\1\0\0\0\1\0\1\0"), BYTES("\0\0\1\0\2\0\0\0")},
     2,
     3,
     RWL_OK,
     "3 rows\n1/0 07000000\n0/1 \n1/2 \n1/0 07000000"},
    {"lists of a text",
     &TEXT_IN_LIST,
     "14",
     {0},
     false,
     0,
     0,
     {BYTES(HELLO), BYTES("\1\0\0\0\1\0"), BYTES("\0\0\0\0\1\0")},
     3,
     2,
     RWL_OK,
     "2 rows\n1/0 68656c6c6f\n0/0 68656c6c6f\n1/2 "},
    {"null lists by runs",
     &INT32_IN_LIST,
     "14",
     {0},
     true,
     3,
     3,
     {BYTES(RUN_OF_ONES), BYTES(RUN_OF_ONES)},
     2,
     3,
     RWL_OK,
     "3 rows\n1/2 \n1/2 \n1/2 "},
    {"empty lists without repetition",
     &INT32_IN_LIST,
     "15",
     {0},
     false,
     0,
     0,
     {{0}, BYTES("\1\0\1\0")},
     2,
     2,
     RWL_OK,
     "2 rows\n1/3 \n1/3 "},
    {"lists without nulls have no definition",
     &INT32_IN_LIST,
     "12",
     BYTES("\7\0\0\0"),
     false,
     0,
     0,
     {BYTES("\1\0\0\0\1\0"), {0}},
     2,
     2,
     RWL_OK,
     "2 rows\n1/0 07000000\n0/0 07000000\n1/0 07000000"},

    {"an empty page", &INT32, "1", BYTES("\7\0\0\1"), false, 0, 0, {{0}}, 0, 0, RWL_OK, "0 rows"},
    {"no value", &INT32, "1", {0}, false, 0, 0, {{0}}, 0, 1, RWL_CORRUPT, NULL},
    {"no value for some", &INT32, "3", {0}, false, 0, 0, {{0}, BYTES("\0\0\1\0")}, 2, 2, RWL_CORRUPT, NULL},
    {"a short value", &INT32, "1", BYTES("\7\0\1"), false, 0, 0, {{0}}, 0, 1, RWL_CORRUPT, NULL},
    {"a long value",
     &INT32,
     "1",
     {0},
     false,
     0,
     0,
     {BYTES("\1\0\0\0\5\0\0\0abcde")},
     1,
     1,
     RWL_CORRUPT,
     NULL},
    {"a value cut off",
     &INT32,
     "1",
     {0},
     false,
     0,
     0,
     {BYTES("\1\0\0\0\4\0\0\0abc")},
     1,
     1,
     RWL_CORRUPT,
     NULL},
    {"two buffers of fixed width", &INT32, "1", {0}, false, 0, 0, {BYTES(HELLO)}, 1, 1, RWL_CORRUPT, NULL},
    {"one buffer of text",
     &TEXT,
     "1",
     {0},
     false,
     0,
     0,
     {BYTES("\1\0\0\0\4\0\0\0abcd")},
     1,
     1,
     RWL_CORRUPT,
     NULL},
    {"offsets of a third kind",
     &TEXT,
     "1",
     {0},
     false,
     0,
     0,
     {BYTES("\2\0\0\0\4\0\0\0\1\0\0\0\0\0\0\0h")},
     1,
     1,
     RWL_CORRUPT,
     NULL},
    {"offsets pass the bytes",
     &TEXT,
     "1",
     {0},
     false,
     0,
     0,
     {BYTES("\2\0\0\0\10\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0h")},
     1,
     1,
     RWL_CORRUPT,
     NULL},
    {"offsets descend",
     &TEXT,
     "1",
     {0},
     false,
     0,
     0,
     {BYTES("\2\0\0\0\10\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0h")},
     1,
     1,
     RWL_CORRUPT,
     NULL},
    {"fewer levels than rows",
     &INT32,
     "3",
     BYTES("\7\0\0\1"),
     false,
     0,
     0,
     {{0}, BYTES("\0\0\1\0")},
     2,
     3,
     RWL_CORRUPT,
     NULL},
    {"half a level",
     &INT32,
     "3",
     BYTES("\7\0\0\1"),
     false,
     0,
     0,
     {{0}, BYTES("\0\0\1")},
     2,
     1,
     RWL_CORRUPT,
     NULL},
    {"levels of other numbers",
     &INT32_IN_LIST,
     "34",
     BYTES("\7\0\0\0"),
     false,
     0,
     0,
     {BYTES("\1\0\0\0\1\0\1\0"), BYTES("\0\0\1\0\2\0")},
     2,
     3,
     RWL_CORRUPT,
     NULL},
    {"more levels than bytes can hold",
     &INT32_IN_LIST,
     "14",
     {0},
     true,
     3000,
     3000,
     {BYTES(RUN_OF_ONES), BYTES(RUN_OF_ONES)},
     2,
     3000,
     RWL_CORRUPT,
     NULL},
    {"levels beyond all bounds",
     &INT32_IN_LIST,
     "14",
     {0},
     true,
     UINT64_C(1) << 62,
     3,
     {BYTES(RUN_OF_ONES), BYTES(RUN_OF_ONES)},
     2,
     3,
     RWL_CORRUPT,
     NULL},
    {"a first entry inside of a row",
     &INT32_IN_LIST,
     "12",
     BYTES("\7\0\0\0"),
     false,
     0,
     0,
     {BYTES("\0\0\1\0\1\0"), {0}},
     2,
     2,
     RWL_CORRUPT,
     NULL},
    {"lists without levels",
     &INT32_IN_LIST,
     "12",
     BYTES("\7\0\0\0"),
     false,
     0,
     0,
     {{0}},
     0,
     2,
     RWL_CORRUPT,
     NULL},
    {"four buffers", &INT32, "1", BYTES("\7\0\0\0"), false, 0, 0, {{0}}, 4, 2, RWL_CORRUPT, NULL},
    {"a level that is none",
     &INT32,
     "3",
     BYTES("\7\0\0\1"),
     false,
     0,
     0,
     {{0}, BYTES("\0\0\2\0")},
     2,
     2,
     RWL_CORRUPT,
     NULL},
    {"a list level that is none",
     &INT32_IN_LIST,
     "12",
     BYTES("\7\0\0\0"),
     false,
     0,
     0,
     {BYTES("\1\0\2\0\1\0"), {0}},
     2,
     2,
     RWL_CORRUPT,
     NULL},
    {"text inline", &TEXT, "1", BYTES("hello"), false, 0, 0, {{0}}, 0, 2, RWL_UNSUPPORTED, NULL},
};

/* rle of u16 values with u8 lengths, as field `number`. */
static void put_rle(rwl_buf *out, uint32_t number) {
    size_t codec = pb_begin(out, number), rle = pb_begin(out, 8);
    lance_put_flat(out, 1, 16);
    lance_put_flat(out, 2, 8);
    pb_end(out, rle);
    pb_end(out, codec);
}

static rwl_status open_case(const constant_case *c) {
    rwl_env env;
    rwl_buf encoding;
    uint64_t layers[4];
    size_t layer_count = strlen(c->layers);
    for (size_t i = 0; i < layer_count; i++)
        layers[i] = (uint64_t)(c->layers[i] - '0');
    rwl_env_init_default(&env);
    rwl_buf_init(&encoding, &env, SIZE_MAX);
    size_t at = pb_begin(&encoding, 2);
    pb_packed(&encoding, 5, layers, layer_count);
    if (c->inline_value.len > 0)
        pb_bytes(&encoding, 6, c->inline_value);
    if (c->has_levels) {
        put_rle(&encoding, 7);
        put_rle(&encoding, 8);
        pb_varint(&encoding, 9, c->rep_values);
        pb_varint(&encoding, 10, c->def_values);
    }
    pb_end(&encoding, at);
    page_parts parts = {.buffer_count = c->buffer_count, .row_count = c->rows};
    memcpy(parts.buffers, c->buffers, sizeof c->buffers);
    parts.encoding = rwl_buf_span(&encoding);
    rwl_status st = page_test_build(&t, c->node, &parts);
    rwl_buf_clear(&encoding);
    return st;
}

START_TEST(reads_every_form_or_says_what_is_wrong) {
    const constant_case *c = &CASES[_i];
    rwl_status st = open_case(c);
    rwl_range all = {0, (int64_t)c->rows};
    if (st == RWL_OK)
        st = page_test_read(&t, &all, 1);
    ck_assert_msg(st == c->status, "%s: %d, %s", c->name, st, t.error.message);
    if (c->status == RWL_OK) {
        char *text = page_test_text(&t);
        ck_assert_msg(strcmp(text, c->text) == 0, "%s: %s", c->name, text);
        free(text);
        rwl_lance_leaf_reset(&t.leaf);
        for (int64_t i = 0; i < all.count; i++) { /* the same row by row */
            rwl_range one = {i, 1};
            PAGE_OK(&t, page_test_append(&t, &one, 1));
        }
        text = page_test_text(&t);
        ck_assert_msg(strcmp(text, c->text) == 0, "%s: %s", c->name, text);
        free(text);
    }
    page_test_clear(&t);
}
END_TEST

START_TEST(rows_of_the_lists_are_found_backwards_too) {
    const constant_case *c = CASES;
    while (strcmp(c->name, "lists of a constant") != 0)
        c++;
    static const char *const WANT[] = {"1 rows\n1/0 07000000\n0/1 ", "1 rows\n1/2 ", "1 rows\n1/0 07000000"};
    PAGE_OK(&t, open_case(c));
    for (int64_t i = 3; i-- > 0;) {
        rwl_range one = {i, 1};
        PAGE_OK(&t, page_test_read(&t, &one, 1));
        char *text = page_test_text(&t);
        ck_assert_str_eq(text, WANT[i]);
        free(text);
    }
    rwl_range past = {2, 2};
    ck_assert_int_eq(page_test_read(&t, &past, 1), RWL_INTERNAL);
    page_test_clear(&t);
}
END_TEST

/* 2^40 rows: what is not asked for is not made. */
START_TEST(enormous_pages_cost_nothing) {
    static const constant_case HUGE_PAGES[] = {
        {"all null", &INT32, "3", {0}, false, 0, 0, {{0}}, 0, UINT64_C(1) << 40, RWL_OK, "1 rows\n0/1 "},
        {"inline",
         &INT32,
         "1",
         BYTES("\7\0\0\1"),
         false,
         0,
         0,
         {{0}},
         0,
         UINT64_C(1) << 40,
         RWL_OK,
         "1 rows\n0/0 07000001"},
    };
    for (int i = 0; i < 2; i++) {
        PAGE_OK(&t, open_case(&HUGE_PAGES[i]));
        ck_assert_int_lt(atomic_load(&t.op.memory_used), 4096);
        rwl_range last = {(INT64_C(1) << 40) - 1, 1}, all = {0, INT64_C(1) << 40};
        PAGE_OK(&t, page_test_read(&t, &last, 1));
        char *text = page_test_text(&t);
        ck_assert_str_eq(text, HUGE_PAGES[i].text);
        free(text);
        ck_assert_int_eq(page_test_read(&t, &all, 1), RWL_UNSUPPORTED);
        page_test_clear(&t);
    }
}
END_TEST

Suite *lancefile_page_constant_suite(void) {
    Suite *suite = suite_create("lancefile_page_constant");
    TCase *cases = tcase_create("page_constant");
    tcase_add_loop_test(cases, reads_every_form_or_says_what_is_wrong, 0,
                        (int)(sizeof CASES / sizeof CASES[0]));
    tcase_add_test(cases, rows_of_the_lists_are_found_backwards_too);
    tcase_add_test(cases, enormous_pages_cost_nothing);
    suite_add_tcase(suite, cases);
    return suite;
}
