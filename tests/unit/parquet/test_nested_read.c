/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of nested columns from levels written by hand. */
#include "nested_support.h"
#include "suites.h"

#include <stdio.h>

#define LIST_OF_INT "optional group l (LIST) { repeated group list { optional int32 element; } }"
#define LIST_OF_LIST                                                                                         \
    "optional group l (LIST) { repeated group list { optional group element (LIST) { repeated group list { " \
    "optional int32 element; } } } }"
#define LIST_OF_PAIR                                                                                         \
    "optional group l (LIST) { repeated group list { optional group element { required int32 a; optional "   \
    "int32 b; } } }"

/* --- the paper --- */

/* "Dremel: Interactive Analysis of Web-Scale Datasets", figures 2 and 3: two documents, and the levels of each leaf. */
static const nested_spec documents = {
    .schema = "required int64 DocId;"
              "optional group Links { repeated int64 Backward; repeated int64 Forward; }"
              "repeated group Name { repeated group Language { required binary Code (STRING); optional "
              "binary Country "
              "(STRING); } optional binary Url (STRING); }",
    .entries = {"0 0 10, 0 0 20", "0 1, 0 2 10, 1 2 30", "0 2 20, 1 2 40, 1 2 60, 0 2 80",
                "0 2 en-us, 2 2 en, 1 1, 1 2 en-gb, 0 1", "0 3 us, 2 2, 1 1, 1 3 gb, 0 1",
                "0 2 http://A, 1 2 http://B, 1 1, 0 2 http://C"},
    .rows = 2};

static const char *const document_rows[] = {
    "10\n20\n",
    "{\"Backward\": [], \"Forward\": [20, 40, 60]}\n{\"Backward\": [10, 30], \"Forward\": [80]}\n",
    "[{\"Language\": [{\"Code\": \"en-us\", \"Country\": \"us\"}, {\"Code\": \"en\", \"Country\": null}], "
    "\"Url\": "
    "\"http://A\"}, {\"Language\": [], \"Url\": \"http://B\"}, {\"Language\": [{\"Code\": \"en-gb\", "
    "\"Country\": "
    "\"gb\"}], \"Url\": null}]\n"
    "[{\"Language\": [], \"Url\": \"http://C\"}]\n"};

START_TEST(the_documents_of_the_dremel_paper_are_assembled) {
    nested_query q = {.node = _i};
    check_nested(&documents, &q, document_rows[_i]);
}
END_TEST

START_TEST(of_a_nested_column_some_leaves_can_be_read_alone) {
    static const bool wanted[] = {false, false, true, false, true, false};
    nested_query links = {.node = 1, .wanted = wanted}, name = {.node = 2, .wanted = wanted};
    check_nested(&documents, &links, "{\"Forward\": [20, 40, 60]}\n{\"Forward\": [80]}\n");
    check_nested(
        &documents, &name,
        "[{\"Language\": [{\"Country\": \"us\"}, {\"Country\": null}]}, {\"Language\": []}, {\"Language\": "
        "[{\"Country\": \"gb\"}]}]\n[{\"Language\": []}]\n");
}
END_TEST

/* --- shapes --- */

static const struct {
    nested_spec spec;
    const char *rows;
} shapes[] = {
    /* null, empty, null element, elements */
    {{LIST_OF_INT, {"0 0, 0 1, 0 2, 0 3 5, 1 2, 1 3 -7"}, .rows = 4}, "null\n[]\n[null]\n[5, null, -7]\n"},
    {{"required group l (LIST) { repeated group list { required int32 element; } }",
      {"0 1 1, 1 1 2, 0 0, 0 1 3"},
      .rows = 3},
     "[1, 2]\n[]\n[3]\n"},
    {{LIST_OF_LIST, {"0 0, 0 1, 0 2, 0 3, 0 4, 0 5 1, 2 5 2, 1 3, 1 2, 1 5 3, 2 4"}, .rows = 6},
     "null\n[]\n[null]\n[[]]\n[[null]]\n[[1, 2], [], null, [3, null]]\n"},
    /* null struct, null and present fields */
    {{"optional group s { optional int32 a; optional binary b (STRING); required int64 c; }",
      {"0 0, 0 1, 0 2 4, 0 2 5", "0 0, 0 2 x6869, 0 1, 0 2 yo", "0 0, 0 1 7, 0 1 8, 0 1 9"},
      .rows = 4},
     "null\n{\"a\": null, \"b\": \"hi\", \"c\": 7}\n{\"a\": 4, \"b\": null, \"c\": 8}\n{\"a\": 5, \"b\": "
     "\"yo\", \"c\": "
     "9}\n"},
    {{"required group s { optional group t { required int32 a; } }", {"0 0, 0 1 3"}, .rows = 2},
     "{\"t\": null}\n{\"t\": {\"a\": 3}}\n"},
    {{LIST_OF_PAIR, {"0 0, 0 1, 0 2, 0 3 1, 1 3 2", "0 0, 0 1, 0 2, 0 3, 1 4 20"}, .rows = 4},
     "null\n[]\n[null]\n[{\"a\": 1, \"b\": null}, {\"a\": 2, \"b\": 20}]\n"},
    /* maps, with keys of other names, and without values */
    {{"optional group m (MAP) { repeated group key_value { required binary key (STRING); optional int32 "
      "value; } }",
      {"0 0, 0 1, 0 2 a, 1 2 b", "0 0, 0 1, 0 3 1, 1 2"},
      .rows = 3},
     "null\n[]\n[[\"a\", 1], [\"b\", null]]\n"},
    {{"optional group m (MAP_KEY_VALUE) { repeated group map { required int32 k; required group v (LIST) { "
      "repeated "
      "int32 array; } } }",
      {"0 2 1, 1 2 2, 0 0", "0 2, 1 3 7, 2 3 8, 0 0"},
      .rows = 2},
     "[[1, []], [2, [7, 8]]]\nnull\n"},
    {{"optional group set (MAP) { repeated group map { required int32 key; } }",
      {"0 2 1, 1 2 2, 0 1, 0 0"},
      .rows = 3},
     "[[1, null], [2, null]]\n[]\nnull\n"},
    {{"optional group m (MAP) { repeated group map { optional int32 key; optional int32 value; } }",
      {"0 3 1", "0 3 2"},
      .rows = 1},
     "[[1, 2]]\n"},
    /* always null, at the top and below */
    {{"optional int32 u (UNKNOWN);", {"0 0, 0 1 9, 0 0"}, .rows = 3}, "null\nnull\nnull\n"},
    {{"optional group s { optional int32 u (UNKNOWN); required int32 a; }",
      {"0 1, 0 0", "0 1 5, 0 0"},
      .rows = 2},
     "{\"u\": null, \"a\": 5}\nnull\n"},
    {{LIST_OF_INT, {""}, .rows = 0}, ""},
};

START_TEST(nulls_and_empties_are_kept_apart_at_every_level) {
    check_nested(&shapes[_i].spec, NULL, shapes[_i].rows);
}
END_TEST

/* BUG-163: Hive's and Spark's older forms of the same four values. */
static const struct {
    const char *schema, *entries;
    const char *rows;
} legacy[] = {
    {"optional group l (LIST) { repeated group bag { optional binary array_element (STRING); } }",
     "0 3 a, 0 3 b, 1 3 c, 0 0, 0 1", "[\"a\"]\n[\"b\", \"c\"]\nnull\n[]\n"},
    {"optional group l (LIST) { repeated binary array (STRING); }", "0 2 a, 0 2 b, 1 2 c, 0 0, 0 1",
     "[\"a\"]\n[\"b\", \"c\"]\nnull\n[]\n"},
    {"optional group l (LIST) { repeated group l_tuple { required binary x (STRING); } }",
     "0 2 a, 0 2 b, 1 2 c, 0 0, 0 1", "[{\"x\": \"a\"}]\n[{\"x\": \"b\"}, {\"x\": \"c\"}]\nnull\n[]\n"},
    {"optional group l (LIST) { repeated group array { optional binary x (STRING); } }",
     "0 3 a, 0 3 b, 1 2, 0 0, 0 1", "[{\"x\": \"a\"}]\n[{\"x\": \"b\"}, {\"x\": null}]\nnull\n[]\n"},
    {"optional group l (LIST) { repeated group other { required binary x (STRING); } }",
     "0 2 a, 0 2 b, 1 2 c, 0 0, 0 1", "[\"a\"]\n[\"b\", \"c\"]\nnull\n[]\n"},
};

START_TEST(bug_163_lists_of_older_names_read_the_same) {
    nested_spec spec = {.schema = legacy[_i].schema, .entries = {legacy[_i].entries}, .rows = 4};
    check_nested(&spec, NULL, legacy[_i].rows);
}
END_TEST

/* --- forms of levels and pages --- */

#define PAGED_ROWS "[1, 2, 3]\n[4]\nnull\n[]\n[5, null, 6]\n[7]\n"
/* In v1 a row may go on in the next page. */
static const char paged[] = "0 3 1, 1 3 2 | 1 3 3, 0 3 4, 0 0 | 0 1 | 0 3 5, 1 2 | 1 3 6 | 0 3 7";
/* In v2, and where an offset index is written, it may not. */
static const char aligned[] = "0 3 1, 1 3 2, 1 3 3, 0 3 4 | 0 0, 0 1 | 0 3 5, 1 2, 1 3 6 | 0 3 7";

static const nested_spec forms[] = {
    {LIST_OF_INT, {paged}, .rows = 6},
    {LIST_OF_INT, {paged}, .rows = 6, .runs_packed = true},
    {LIST_OF_INT, {paged}, .rows = 6, .levels_bit_packed = true},
    {LIST_OF_INT, {aligned}, .rows = 6, .v2 = true},
    {LIST_OF_INT, {aligned}, .rows = 6, .v2 = true, .runs_packed = true},
    {LIST_OF_INT, {aligned}, .rows = 6, .with_index = 1},
    {LIST_OF_INT, {aligned}, .rows = 6, .with_index = 1, .v2 = true},
};

START_TEST(levels_and_pages_come_in_every_form) {
    for (int64_t batch = 0; batch < 4; batch++) {
        nested_query q = {.batch_rows = batch};
        check_nested(&forms[_i], &q, PAGED_ROWS);
    }
}
END_TEST

START_TEST(rows_can_be_skipped_in_every_form) {
    static const char rows[] = PAGED_ROWS;
    const char *from = rows;
    for (int64_t first = 0; first < 6; first++) {
        nested_query q = {.first_row = first, .row_count = 6 - first};
        check_nested(&forms[_i], &q, from);
        from = strchr(from, '\n') + 1;
    }
    nested_query middle = {.first_row = 1, .row_count = 2};
    check_nested(&forms[_i], &middle, "[4]\nnull\n");
}
END_TEST

START_TEST(a_batch_ends_at_its_limit_of_bytes_but_holds_a_row) {
    for (size_t bytes = 1; bytes < 80; bytes += 7) {
        nested_query q = {.batch_bytes = bytes};
        check_nested(&forms[_i], &q, PAGED_ROWS);
    }
    for (size_t bytes = 1; bytes < 40; bytes += 3) /* leaves of different sizes */
        for (int node = 0; node < 3; node++) {
            nested_query q = {.node = node, .batch_bytes = bytes};
            check_nested(&documents, &q, document_rows[node]);
        }
}
END_TEST

/* --- the offset index --- */

/* BUG-158: pages of lists by their row counts, not by their value counts. */
static void long_list(char *entries, char *rows, int count) {
    char *e = entries, *r = rows;
    for (int i = 0; i < count; i++) {
        int n = i % 6; /* of 0 to 5 elements, the third of them null */
        e += sprintf(e, "%s", i > 0 && i % 7 == 0 ? " | " : i > 0 ? ", " : "");
        e += n == 0 ? sprintf(e, "0 1") : 0;
        r += sprintf(r, "[");
        for (int k = 0; k < n; k++) {
            e += sprintf(e, k == 2 ? "%s%d 2" : "%s%d 3 %d", k > 0 ? ", " : "", k > 0, i * 10 + k);
            r += k == 2 ? sprintf(r, ", null") : sprintf(r, "%s%d", k > 0 ? ", " : "", i * 10 + k);
        }
        r += sprintf(r, "]\n");
    }
}

START_TEST(bug_158_rows_behind_pages_of_lists_are_found_by_the_index) {
    static char entries[8192], rows[8192];
    long_list(entries, rows, 90);
    for (int with_index = 0; with_index < 2; with_index++)
        for (int v2 = 0; v2 < 2; v2++) {
            nested_spec spec = {LIST_OF_INT, {entries}, .rows = 90, .with_index = with_index, .v2 = v2};
            const char *from = rows;
            for (int first = 0; first < 90; first++, from = strchr(from, '\n') + 1) {
                nested_query q = {.first_row = first, .row_count = 90 - first, .batch_rows = 11};
                if (first % 7 < 3) /* the first of a page, and those around */
                    check_nested(&spec, &q, from);
            }
        }
}
END_TEST

/* BUG-159: pages at 0, 2, 4, 5; the index says otherwise of one. */
START_TEST(bug_159_an_index_that_disagrees_with_the_pages_is_an_error) {
    for (int v2 = 0; v2 < 2; v2++)
        for (int page = 1; page < 4; page++)
            for (int64_t first = 1; first < 6; first++) {
                nested_spec spec = {LIST_OF_INT,     {aligned}, .rows = 6,
                                    .with_index = 1, .v2 = v2,  .shift_page = page};
                nested_query q = {.first_row = first, .row_count = 6 - first};
                spec.shift = page == 3 ? -1 : 1; /* rows still ascend */
                rwl_buf text, truth;
                spec.shift = page == 2 ? -1 : spec.shift;
                nested_spec right = spec;
                right.shift = 0;
                ck_assert_int_eq(read_nested(&right, &q, &truth), RWL_OK);
                if (read_nested(&spec, &q, &text) == RWL_OK)
                    ck_assert_str_eq((const char *)text.data, (const char *)truth.data);
                rwl_buf_clear(&text);
                rwl_buf_clear(&truth);
            }
    nested_spec spec = {LIST_OF_INT, {aligned}, .rows = 6, .with_index = 1, .shift_page = 1, .shift = 1};
    nested_query q = {.first_row = 3, .row_count = 1};
    check_nested_fails(&spec, &q, RWL_CORRUPT, "l.list.element");
}
END_TEST

/* BUG-240: nulls that open a page are rows of that page. */
START_TEST(bug_240_pages_that_begin_with_nulls_count_them) {
    static const char with_nulls[] = "0 0, 0 0, 0 0 | 0 0, 0 3 1 | 0 0, 0 0 | 0 0, 0 3 2, 1 3 3";
    static const char rows[] = "null\nnull\nnull\nnull\n[1]\nnull\nnull\nnull\n[2, 3]\n";
    nested_spec spec = {LIST_OF_INT, {with_nulls}, .rows = 9, .with_index = 1};
    const char *from = rows;
    for (int64_t first = 0; first < 9; first++) {
        nested_query q = {.first_row = first, .row_count = 9 - first};
        check_nested(&spec, &q, from);
        from = strchr(from, '\n') + 1;
    }
    spec.shift_page = 1; /* as the writer had it: the first page's nulls counted to the next one */
    spec.shift = -1;
    nested_query q = {.first_row = 4, .row_count = 1};
    check_nested_fails(&spec, &q, RWL_CORRUPT, "l.list.element");
}
END_TEST

/* --- what is wrong --- */

static const struct {
    nested_spec spec;
    const char *message;
} damaged[] = {
    {{LIST_OF_INT, {"0 3 1, 1 3 2"}, .rows = 2},
     "values in a row group"}, /* told by the footer: fewer entries than rows */
    {{LIST_OF_INT, {"0 3 1, 1 3 2, 1 3 3"}, .rows = 2}, "chunk ends 1 rows too early"},
    {{LIST_OF_INT, {"0 3 1, 0 3 2, 0 3 3"}, .rows = 2}, "more than the row group's 2 rows"},
    {{LIST_OF_INT, {"1 3 1, 0 3 2"}, .rows = 1}, "begins inside a row"},
    {{LIST_OF_INT, {"0 3 1 | 1 3 2, 0 3 3"}, .rows = 2, .v2 = true}, "begins inside a row"},
    {{LIST_OF_INT, {"0 1, 1 3 2"}, .rows = 1}, "goes on"},
    {{LIST_OF_INT, {"0 3 1, 1 1"}, .rows = 1}, "goes on"},
    {{LIST_OF_LIST, {"0 2, 2 5 1"}, .rows = 1}, "goes on"},
    {{LIST_OF_LIST, {"0 5 1, 1 1"}, .rows = 1}, "goes on"},
    {{"optional group s { optional int32 a; optional int32 b; optional int32 c; optional int32 d; }",
      {"0 3 1", "0 1", "0 1", "0 1"},
      .rows = 1},
     "level 3 of at most 2"},
    {{"optional group s { optional int32 a; optional int32 b; }", {"0 0, 0 1", "0 1, 0 1"}, .rows = 2},
     "disagree"},
    {{LIST_OF_PAIR, {"0 3 1, 1 3 2", "0 4 1, 0 4 2"}, .rows = 1}, "b: more than"},
    {{LIST_OF_PAIR, {"0 3 1, 1 3 2, 0 3 3", "0 4 1, 0 4 2, 1 4 3"}, .rows = 2}, "disagree"},
    {{LIST_OF_PAIR, {"0 1, 0 3 3", "0 0, 0 4 3"}, .rows = 2}, "disagree"},
    {{"optional group m (MAP) { repeated group map { optional int32 key; optional int32 value; } }",
      {"0 2", "0 3 2"},
      .rows = 1},
     "null key"},
};

START_TEST(levels_that_make_no_rows_are_corrupt) {
    nested_spec spec = damaged[_i].spec;
    if (_i == 0) /* the entries are two all the same */
        spec.lie_values = -1;
    check_nested_fails(&spec, NULL, RWL_CORRUPT,
                       strcmp(damaged[_i].message, "goes on") == 0 ? "go on" : damaged[_i].message);
    spec.runs_packed = true;
    if (_i > 0)
        check_nested_fails(&spec, NULL, RWL_CORRUPT,
                           strcmp(damaged[_i].message, "goes on") == 0 ? "go on" : damaged[_i].message);
}
END_TEST

START_TEST(types_without_a_name_here_are_refused_when_they_are_read) {
    static const bool no_interval[] = {false, true};
    nested_spec spec = {"optional group s { optional fixed(12) i (INTERVAL); required int32 a; }",
                        {"0 1", "0 1 5"},
                        .rows = 1};
    nested_query q = {.wanted = no_interval};
    check_nested_fails(&spec, NULL, RWL_UNSUPPORTED, "s.i");
    check_nested(&spec, &q, "{\"a\": 5}\n");
    nested_spec empty = {"optional group s { } required int32 a;", {"0 0 5"}, .rows = 1};
    check_nested_fails(&empty, NULL, RWL_UNSUPPORTED, "s: a struct without fields");
    nested_query second = {.node = 1};
    check_nested(&empty, &second, "5\n");
}
END_TEST

Suite *nested_read_suite(void) {
    Suite *s = suite_create("parquet nested reading");
    TCase *tc = tcase_create("shapes");
    tcase_add_loop_test(tc, the_documents_of_the_dremel_paper_are_assembled, 0, 3);
    tcase_add_test(tc, of_a_nested_column_some_leaves_can_be_read_alone);
    tcase_add_loop_test(tc, nulls_and_empties_are_kept_apart_at_every_level, 0,
                        (int)(sizeof shapes / sizeof shapes[0]));
    tcase_add_loop_test(tc, bug_163_lists_of_older_names_read_the_same, 0,
                        (int)(sizeof legacy / sizeof legacy[0]));
    suite_add_tcase(s, tc);
    tc = tcase_create("pages");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, levels_and_pages_come_in_every_form, 0, (int)(sizeof forms / sizeof forms[0]));
    tcase_add_loop_test(tc, rows_can_be_skipped_in_every_form, 0, (int)(sizeof forms / sizeof forms[0]));
    tcase_add_loop_test(tc, a_batch_ends_at_its_limit_of_bytes_but_holds_a_row, 0,
                        (int)(sizeof forms / sizeof forms[0]));
    tcase_add_test(tc, bug_158_rows_behind_pages_of_lists_are_found_by_the_index);
    tcase_add_test(tc, bug_159_an_index_that_disagrees_with_the_pages_is_an_error);
    tcase_add_test(tc, bug_240_pages_that_begin_with_nulls_count_them);
    suite_add_tcase(s, tc);
    tc = tcase_create("damage");
    tcase_add_loop_test(tc, levels_that_make_no_rows_are_corrupt, 0,
                        (int)(sizeof damaged / sizeof damaged[0]));
    tcase_add_test(tc, types_without_a_name_here_are_refused_when_they_are_read);
    suite_add_tcase(s, tc);
    return s;
}
