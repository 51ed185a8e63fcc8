/* SPDX-License-Identifier: Apache-2.0 */
/* JSON lines read without a tree: what is read has the values of the full parser, what is not is left to it. */
#include "engine/json_line.h"
#include "engine/json_value.h"
#include "engine_test.h"
#include "suites.h"

#include "base/json.h"

static const char COLUMNS[] =
    "b boolean, i int, l long, f float, d double, n decimal(9,2), m decimal(20,6), dt date, ts timestamp, "
    "s string not null, u uuid, bi binary, li list<int>";

typedef struct line_case {
    const char *line;
    bool quick; /* is read; else left to the full parser */
} line_case;

static const line_case CASES[] = {
    {"{\"s\":\"x\"}", true},
    {" { \"s\" : \"x\" , \"i\" : -1 } \t\r", true},
    {"{\"i\": 1, \"s\": \"\", \"b\": false, \"l\": 999999999999999999, \"d\": null}", true},
    {"{\"s\": \"gr\xc3\xbc\xc3\x9f\", \"dt\": \"2026-11-30\", \"n\": \"1.50\", \"bi\": \"00ff\"}", true},
    {"{\"s\": \"x\", \"d\": -0.0, \"f\": 0.1, \"ts\": \"2026-11-30T00:00:00.000000\"}", true},
    {"{\"s\": \"x\", \"d\": 1e5, \"f\": 16777216}", true},
    {"{\"s\": \"x\", \"d\": 9007199254740992, \"i\": -0}", true},
    {"{\"s\": \"x\", \"d\": 2.2250738585072014E-308}", true},
    {"{\"s\": \"x\", \"u\": \"f79c3e09-677c-4bbd-a479-3f349cb785e7\"}", true},
    {"{\"s\": \"x\", \"n\": 1.5}", true},
    {"{\"s\": \"x\", \"m\": 1234567890123.450001}",
     true}, /* a double has 17 digits, of which 1234567890123.45 would be shown */
    {"{\"s\": \"x\", \"m\": -0.00001}", true},
    /* above the tie between two floats by less than a double's digits say: 1 + 2^-24 + 10^-27 */
    {"{\"s\": \"x\", \"f\": 1.000000059604644775390625001}", true},
    /* more than it knows */
    {"{\"s\": \"a\\nb\"}", false},
    {"{\"s\": \"x\", \"l\": 9223372036854775807}", false},
    {"{\"s\": \"x\", \"d\": \"NaN\"}", false},
    {"{\"s\": \"x\", \"li\": [1]}", false},
    {"{\"\\u0073\": \"x\"}", false},
    /* wrong */
    {"", false},
    {"{}", false},
    {"{\"s\": \"x\"", false},
    {"{\"s\": \"x\"} x", false},
    {"{\"s\": \"x\",}", false},
    {"{\"s\": \"x\", \"s\": \"y\"}", false},
    {"{\"s\": \"x\" \"i\": 1}", false},
    {"{\"s\": null}", false},
    {"{\"s\": \"x\", \"z\": 1}", false},
    {"{\"s\": \"x\", \"i\": 2147483648}", false},
    {"{\"s\": \"x\", \"i\": 1.0}", false},
    {"{\"s\": \"x\", \"i\": 01}", false},
    {"{\"s\": \"x\", \"i\": +1}", false},
    {"{\"s\": \"x\", \"d\": .5}", false},
    {"{\"s\": \"x\", \"d\": 1.}", false},
    {"{\"s\": \"x\", \"d\": 1e}", false},
    {"{\"s\": \"x\", \"d\": 1e999}", false},
    {"{\"s\": \"x\", \"d\": 9007199254740993}", false},
    {"{\"s\": \"x\", \"f\": 16777217}", false},
    {"{\"s\": \"x\", \"f\": 1e39}", false},
    {"{\"s\": \"x\", \"b\": truf}", false},
    {"{\"s\": \"x\", \"b\": 1}", false},
    {"{\"s\": \"x\", \"n\": \"1.505\"}", false},
    {"{\"s\": \"\xff\"}", false},
    {"{\"s\": \"a\tb\"}", false},
    {"[1]", false},
};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

typedef struct world {
    rwl_schema schema;
    rwl_map columns;
    rwl_json_line quick;
} world;

static void make_world(world *w) {
    ASSERT_OK(rwl_schema_from_text(COLUMNS, test_arena(), &w->schema, err));
    rwl_map_init(&w->columns, test_env());
    for (int32_t i = 0; i < w->schema.field_count; i++) {
        rwl_map_value *slot;
        ASSERT_OK(rwl_map_put(&w->columns, rwl_span_str(w->schema.fields[i].name), &slot, NULL, err));
        slot->i64 = i;
    }
    ASSERT_OK(rwl_json_line_init(&w->quick, &w->schema, &w->columns, test_arena(), err));
}

/* Each value of the line is that of the tree. */
static void same_as_tree(const world *w, const char *line, int64_t number) {
    rwl_json *tree;
    ASSERT_OK(rwl_json_parse_values(rwl_span_str(line), test_env(), &tree, err));
    for (int32_t i = 0; i < w->schema.field_count; i++) {
        const rwl_field *field = &w->schema.fields[i];
        const rwl_json *json = rwl_json_get(tree, field->name);
        rwl_value v;
        ck_assert_int_eq(w->quick.seen_in_line[i] == number, json != NULL);
        if (json == NULL)
            continue;
        ASSERT_OK(rwl_json_value(&field->type, json, test_arena(), &v, err));
        ck_assert_msg(rwl_value_equal(&v, &w->quick.values[i]), "%s: column %s", line, field->name);
    }
    rwl_json_free(tree);
}

START_TEST(lines_are_read_as_by_the_full_parser_or_left_to_it) {
    world w;
    make_world(&w);
    for (int64_t i = 0; i < CASE_COUNT; i++) {
        rwl_span line = rwl_span_str(CASES[i].line);
        bool quick = rwl_json_line_read(&w.quick, line, i + 1, test_arena());
        ck_assert_msg(quick == CASES[i].quick, "%s: %d", CASES[i].line, quick);
        if (quick)
            same_as_tree(&w, CASES[i].line, i + 1);
        for (int32_t c = 0; !quick && c < w.schema.field_count; c++)
            ck_assert_int_ne(w.quick.seen_in_line[c], i + 1);
    }
    rwl_map_clear(&w.columns);
}
END_TEST

static const char *dump(const rwl_json *json) {
    rwl_buf text;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_json_dump(json, 0, &text, err));
    const char *copy = rwl_arena_strndup(test_arena(), (const char *)text.data, text.len);
    rwl_buf_clear(&text);
    return copy;
}

/* Numbers that a double does not keep become strings of the same text; all else stays as it is. */
START_TEST(long_numbers_keep_their_digits) {
    static const struct {
        const char *text, *parsed;
    } cases[] = {
        {"[0.1000000000000001, -1234567890.1234567e-5, 123456789012345.6]",
         "[\"0.1000000000000001\",\"-1234567890.1234567e-5\",\"123456789012345.6\"]"},
        {"[1234567890123456789, 1.50000000000000000000, 0.5e-10]", NULL}, /* whole, or short */
        {"[\"0.1000000000000001\", \"\\\\\", \"\\\"0.1000000000000001\"]", NULL},
        {"{\"0.1000000000000001\":0.1000000000000001,\"e\":true}",
         "{\"0.1000000000000001\":\"0.1000000000000001\",\"e\":true}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_json *json, *expected;
        const char *parsed = cases[i].parsed != NULL ? cases[i].parsed : cases[i].text;
        ASSERT_OK(rwl_json_parse_values(rwl_span_str(cases[i].text), test_env(), &json, err));
        ASSERT_OK(rwl_json_parse_data(rwl_span_str(parsed), &expected, err));
        ck_assert_str_eq(dump(json), dump(expected));
        rwl_json_free(json);
        rwl_json_free(expected);
    }
    rwl_json *json;
    rwl_error failure = {0};
    ck_assert_int_eq(
        rwl_json_parse_values(rwl_span_str("{0.1000000000000001:1}"), test_env(), &json, &failure),
        RWL_CORRUPT);
}
END_TEST

Suite *suite_json_line(void) {
    const TTest *const tests[] = {lines_are_read_as_by_the_full_parser_or_left_to_it,
                                  long_numbers_keep_their_digits};
    return TEST_SUITE("json_line", tests);
}
