/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of JSON lines: every type, and errors that name file, line and column. */
#include "engine_test.h"
#include "least_budget.h"
#include "suites.h"

#include <stdio.h>

/* The rows of a file as text, "a,b c,d"; stops at the first failure. */
static rwl_status read_input(rwl_input *input, const rwl_schema *schema, const char **text,
                             rwl_error *failure) {
    rwl_batch batch;
    rwl_buf out;
    ASSERT_OK(rwl_batch_init(&batch, test_env(), schema->fields, schema->field_count, err));
    rwl_buf_init(&out, test_env(), SIZE_MAX);
    rwl_status st;
    while ((st = rwl_input_next(input, &batch, failure)) == RWL_OK && batch.length > 0) {
        for (int64_t row = 0; row < batch.length; row++) {
            for (int32_t i = 0; i < schema->field_count; i++) {
                rwl_value v = rwl_column_value(&batch.columns[i], row);
                ck_assert_int_eq(batch.columns[i].length, batch.length);
                if (out.len > 0)
                    ASSERT_OK(rwl_buf_u8(&out, i > 0 ? ',' : ' ', err));
                if (rwl_type_is_nested(&schema->fields[i].type))
                    ASSERT_OK(rwl_column_format_json(&batch.columns[i], row, &out, err));
                else if (v.is_null)
                    ASSERT_OK(rwl_buf_append(&out, "null", 4, err));
                else
                    ASSERT_OK(rwl_value_format(&schema->fields[i].type, &v, &out, err));
            }
        }
    }
    *text = rwl_arena_strndup(test_arena(), out.len > 0 ? (const char *)out.data : "", out.len);
    rwl_buf_clear(&out);
    rwl_batch_clear(&batch);
    return st;
}

static rwl_schema schema_of(const char *text) {
    rwl_schema schema;
    ASSERT_OK(rwl_schema_from_text(text, test_arena(), &schema, err));
    return schema;
}

static rwl_status read_lines(const rwl_schema *schema, const char *lines, const char **text, rwl_error *err) {
    const char *path = test_write("in.jsonl", lines);
    rwl_input *input = NULL;
    RWL_TRY(rwl_input_open_jsonl(test_op(), path, schema, &input, err));
    rwl_status st = read_input(input, schema, text, err);
    rwl_input_close(input);
    return st;
}

/* What is read back is printed as CLI.md's "Values in JSON" has it. */
START_TEST(every_type_is_read) {
    static const struct {
        const char *type, *json, *text;
    } cases[] = {
        {"boolean", "true", "true"},
        {"boolean", "false", "false"},
        {"int", "-2147483648", "-2147483648"},
        {"int", "2147483647", "2147483647"},
        {"long", "-9223372036854775808", "-9223372036854775808"},
        {"long", "9223372036854775807", "9223372036854775807"},
        {"float", "0.1", "0.1"},
        {"float", "16777216", "16777216.0"},
        {"float", "'NaN'", "NaN"},
        {"float", "'-Infinity'", "-Infinity"},
        {"float", "-0.0", "-0.0"},
        {"double", "0.1", "0.1"},
        {"double", "1e308", "1e308"},
        {"double", "5e-324", "5e-324"},
        {"double", "9007199254740992", "9007199254740992.0"},
        {"double", "'Infinity'", "Infinity"},
        {"double", "-0.0", "-0.0"},
        {"decimal(9,2)", "'1234567.89'", "1234567.89"},
        {"decimal(9,2)", "12.5", "12.50"},
        {"decimal(9,2)", "-7", "-7.00"},
        {"decimal(38,2)", "1234567890123456.25", "1234567890123456.25"},
        {"decimal(20,6)", "-0.00001", "-0.000010"},
        {"decimal(38,0)", "'99999999999999999999999999999999999999'",
         "99999999999999999999999999999999999999"},
        {"decimal(38,38)", "'-0.00000000000000000000000000000000000001'",
         "-0.00000000000000000000000000000000000001"},
        {"date", "'2026-11-30'", "2026-11-30"},
        {"date", "'1969-12-31'", "1969-12-31"},
        {"time", "'12:34:56.000001'", "12:34:56.000001"},
        {"timestamp", "'2026-11-30T12:34:56.000001'", "2026-11-30T12:34:56.000001"},
        {"timestamp", "'1969-12-31T23:59:59.999999'", "1969-12-31T23:59:59.999999"},
        {"timestamptz", "'2026-11-30T12:34:56.000001+00:00'", "2026-11-30T12:34:56.000001+00:00"},
        {"timestamp_ns", "'2026-11-30T12:34:56.123456789'", "2026-11-30T12:34:56.123456789"},
        {"timestamptz_ns", "'2026-11-30T12:34:56.123456789+00:00'", "2026-11-30T12:34:56.123456789+00:00"},
        {"string", "'with \\u00e4 and \\ud83d\\ude00'", "with \xc3\xa4 and \xf0\x9f\x98\x80"},
        {"string", "''", ""},
        {"uuid", "'0f8fad5b-d9cb-469f-a165-70867728950e'", "0f8fad5b-d9cb-469f-a165-70867728950e"},
        {"fixed[3]", "'00ff7f'", "00ff7f"},
        {"binary", "'00ff'", "00ff"},
        {"binary", "''", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_schema schema = schema_of(rwl_arena_printf(test_arena(), "c %s", cases[i].type));
        const char *text;
        ASSERT_OK(read_lines(
            &schema, rwl_arena_printf(test_arena(), "{'c':%s}\n{'c':null}\n{}", cases[i].json), &text, err));
        /* the text of an empty value adds no space in front of the next row */
        const char *wanted =
            rwl_arena_printf(test_arena(), "%s%snull null", cases[i].text, *cases[i].text != '\0' ? " " : "");
        ck_assert_msg(strcmp(text, wanted) == 0, "%s %s: '%s'", cases[i].type, cases[i].json, text);
    }
}
END_TEST

START_TEST(values_that_do_not_fit_name_line_and_column) {
    static const struct {
        const char *type, *json;
    } cases[] = {
        {"boolean", "1"},
        {"boolean", "'true'"},
        {"int", "2147483648"},
        {"int", "1.0"},
        {"int", "'1'"},
        {"int", "true"},
        {"long", "1.5"},
        {"long", "9223372036854775808"},
        {"float", "16777217"},
        {"float", "'abc'"},
        {"float", "1e39"},
        {"float", "-1e300"},
        {"float", "'1e39'"},
        {"double", "'-1e400'"},
        {"double", "9007199254740993"},
        {"double", "true"},
        {"decimal(4,2)", "100"},
        {"decimal(4,2)", "'1.005'"},
        {"decimal(38,2)", "1234567890123456.255"},
        {"decimal(38,2)", "1e30"},
        {"date", "'2026-02-30'"},
        {"date", "20000"},
        {"time", "'25:00:00'"},
        {"timestamp", "'2026-11-30'"},
        {"timestamptz", "'2026-11-30T12:34:56'"},
        {"string", "5"},
        {"string", "['a']"},
        {"uuid", "'0f8f'"},
        {"fixed[3]", "'00ff'"},
        {"binary", "'0'"},
        {"binary", "'zz'"},
        {"string", "{'a':1}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_schema schema = schema_of(rwl_arena_printf(test_arena(), "good long, bad %s", cases[i].type));
        const char *text;
        rwl_error err = {0};
        rwl_status st = read_lines(
            &schema, rwl_arena_printf(test_arena(), "{'good':1}\n\n{'good':2,'bad':%s}", cases[i].json),
            &text, &err);
        ck_assert_msg(st == RWL_CORRUPT, "%s %s: %d %s, read as %s", cases[i].type, cases[i].json, (int)st,
                      err.message, text);
        ck_assert_msg(strstr(err.message, "in.jsonl") != NULL && strstr(err.message, "line 3") != NULL,
                      "%s %s: %s", cases[i].type, cases[i].json, err.message);
        if (strcmp(cases[i].json, "9223372036854775808") != 0) /* no JSON integer at all: the line is told */
            ck_assert_msg(strstr(err.message, "column bad") != NULL, "%s %s: %s", cases[i].type,
                          cases[i].json, err.message);
        ck_assert_ptr_nonnull(strstr(err.path, "in.jsonl"));
    }
}
END_TEST

START_TEST(lines_that_are_no_rows_are_named) {
    static const struct {
        const char *lines;
        rwl_status status;
        const char *part;
    } cases[] = {
        {"{'id':1}\n{'id':2", RWL_CORRUPT, "line 2"},
        {"{'id':1}\n[1]", RWL_CORRUPT, "line 2 is no JSON object"},
        {"{'id':1} {'id':2}", RWL_CORRUPT, "line 1"},
        {"{'id':1,'id':2}", RWL_CORRUPT, "line 1"},
        {"{'id':1,'what':2}", RWL_CORRUPT, "line 1: column what: is not in the table"},
        {"{'ID':1}", RWL_CORRUPT, "column ID"},
        {"{'name':'x'}", RWL_CORRUPT, "line 1: column id: is required and missing"},
        {"{'id':null}", RWL_CORRUPT, "line 1: column id: is required and null"},
        {"{'id':1,'_row_id':5}", RWL_UNSUPPORTED, "_row_id is reserved"},
        {"{'id':1,'_last_updated_sequence_number':5}", RWL_UNSUPPORTED,
         "_last_updated_sequence_number is reserved"},
        {"{'id':1,'_file':'x'}", RWL_UNSUPPORTED, "_file is reserved"},
        {"{'id':1,'_pos':0}", RWL_UNSUPPORTED, "_pos is reserved"},
        {"{'id':1,'name':'\xff'}", RWL_CORRUPT, "line 1"},
    };
    rwl_schema schema = schema_of("id long not null, name string");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text;
        ASSERT_FAILS(cases[i].status, cases[i].part, read_lines(&schema, cases[i].lines, &text, err));
    }
}
END_TEST

START_TEST(line_ends_blank_lines_and_key_order_do_not_matter) {
    rwl_schema schema = schema_of("id long, name string");
    const char *text;
    ASSERT_OK(
        read_lines(&schema, "{'id':1,'name':'a'}\r\n  \r\n\n {'name':'b','id':2}\n\t\n{'id':3}", &text, err));
    ck_assert_str_eq(text, "1,a 2,b 3,null");
    ASSERT_OK(read_lines(&schema, "", &text, err));
    ck_assert_str_eq(text, "");
    ASSERT_OK(read_lines(&schema, "\n\n", &text, err));
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(lines_longer_than_what_is_read_at_once_are_read) {
    rwl_schema schema = schema_of("id long, s string");
    size_t len = 700000;
    char *line = rwl_arena_alloc(test_arena(), 2 * len + 100);
    size_t at = (size_t)sprintf(line, "{'id':1,'s':'");
    memset(line + at, 'x', len);
    at += len;
    at += (size_t)sprintf(line + at, "'}\n{'id':2,'s':'");
    memset(line + at, 'y', len);
    at += len;
    sprintf(line + at, "'}\n");
    const char *text;
    ASSERT_OK(read_lines(&schema, line, &text, err));
    ck_assert_uint_eq(strlen(text), 2 * len + 5); /* "1,", " 2," */
    ck_assert_ptr_nonnull(strstr(text, "xxx 2,yyy"));
}
END_TEST

START_TEST(a_missing_key_takes_the_write_default) {
    rwl_schema schema = schema_of("id long not null, name string");
    rwl_field fields[2] = {schema.fields[0], schema.fields[1]};
    const rwl_value seven = {.kind = RWL_TYPE_LONG, .as.i64 = 7};
    const rwl_value word = {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_str("dflt")};
    fields[0].write_default = &seven;
    fields[1].write_default = &word;
    schema.fields = fields;
    const char *text;
    ASSERT_OK(read_lines(&schema, "{}\n{'id':1}\n{'name':null}", &text, err));
    ck_assert_str_eq(text, "7,dflt 1,dflt 7,null"); /* a null that is there is a null */
}
END_TEST

START_TEST(many_rows_come_in_batches) {
    rwl_schema schema = schema_of("id long");
    rwl_buf lines;
    rwl_buf_init(&lines, test_env(), SIZE_MAX);
    for (int i = 0; i < 70000; i++) {
        char line[32];
        ASSERT_OK(rwl_buf_append(&lines, line, (size_t)sprintf(line, "{'id':%d}\n", i), err));
    }
    ASSERT_OK(rwl_buf_terminate(&lines, err));
    const char *path = test_write("in.jsonl", (const char *)lines.data);
    rwl_buf_clear(&lines);
    rwl_input *input = NULL;
    rwl_batch batch;
    ASSERT_OK(rwl_input_open(test_op(), path, NULL, &schema, &input, err));
    ASSERT_OK(rwl_batch_init(&batch, test_env(), schema.fields, 1, err));
    static const int64_t wanted[] = {65536, 4464, 0, 0};
    for (int i = 0; i < 4; i++) {
        ASSERT_OK(rwl_input_next(input, &batch, err));
        ck_assert_int_eq(batch.length, wanted[i]);
    }
    rwl_batch_clear(&batch);
    rwl_input_close(input);
}
END_TEST

START_TEST(formats_are_known_by_name_and_extension) {
    rwl_schema schema = schema_of("id long");
    rwl_input *input = NULL;
    const char *path = test_write("rows.txt", "{'id':1}");
    ASSERT_FAILS(RWL_UNSUPPORTED, "rows.txt", rwl_input_open(test_op(), path, NULL, &schema, &input, err));
    ASSERT_FAILS(RWL_UNSUPPORTED, "orc", rwl_input_open(test_op(), path, "orc", &schema, &input, err));
    ASSERT_FAILS(RWL_NOT_FOUND, "none.csv",
                 rwl_input_open(test_op(), test_path("none.csv"), NULL, &schema, &input, err));
    ASSERT_FAILS(RWL_NOT_FOUND, "none.arrow",
                 rwl_input_open(test_op(), test_path("none.arrow"), NULL, &schema, &input, err));
    ASSERT_FAILS(RWL_USAGE, "--input-format", rwl_input_open(test_op(), "-", NULL, &schema, &input, err));
    ASSERT_FAILS(RWL_UNSUPPORTED, "standard input",
                 rwl_input_open(test_op(), "-", "parquet", &schema, &input, err));
    ASSERT_FAILS(RWL_NOT_FOUND, "none.jsonl",
                 rwl_input_open(test_op(), test_path("none.jsonl"), NULL, &schema, &input, err));
    ASSERT_FAILS(RWL_NOT_FOUND, "none.parquet",
                 rwl_input_open(test_op(), test_path("none.parquet"), NULL, &schema, &input, err));
    ASSERT_OK(rwl_input_open(test_op(), path, "jsonl", &schema, &input, err));
    const char *text;
    ASSERT_OK(read_input(input, &schema, &text, err));
    ck_assert_str_eq(text, "1");
    rwl_input_close(input);
    rwl_input_close(NULL);
}
END_TEST

/* Maps are lists of pairs (CLI.md, "Values in JSON"); a member that is not named is null. */
START_TEST(nested_columns_are_read) {
    rwl_schema schema = schema_of("id long, s struct<a int, b string>, l list<int>, m map<string, double>");
    const char *text;
    ASSERT_OK(read_lines(&schema,
                         "{'id':1,'s':{'b':'x'},'l':[1,null],'m':[['k',1.5],['z',null]]}\n"
                         "{'id':2,'s':null,'l':[],'m':[]}\n{'id':3}\n",
                         &text, err));
    ck_assert_str_eq(text,
                     "1,{\"a\": null, \"b\": \"x\"},[1, null],[[\"k\", 1.5], [\"z\", null]] 2,null,[],[] "
                     "3,null,null,null");
    ASSERT_FAILS(RWL_CORRUPT, "line 1: column l", read_lines(&schema, "{'l':[1,'x']}\n", &text, err));
    ASSERT_FAILS(RWL_CORRUPT, "line 1: column s", read_lines(&schema, "{'s':{'c':1}}\n", &text, err));
}
END_TEST

START_TEST(a_failed_append_leaves_the_table_as_it_was) {
    test_create("t", 3, "id long not null, name string", "name", NULL);
    test_append("t", "{'id':1,'name':'a'}");
    const char *before = test_listing("t");
    rwl_buf lines;
    rwl_buf_init(&lines, test_env(), SIZE_MAX);
    for (int i = 0; i < 70000; i++) { /* the first batch is written before the bad line is met */
        char line[48];
        ASSERT_OK(
            rwl_buf_append(&lines, line, (size_t)sprintf(line, "{'id':%d,'name':'n%d'}\n", i, i % 3), err));
    }
    ASSERT_OK(rwl_buf_append(&lines, "{'id':'x'}", 11, err));
    rwl_table *t = test_open("t");
    rwl_commit_outcome out;
    ASSERT_FAILS(RWL_CORRUPT, "line 70001: column id",
                 try_append(t, test_op(), (const char *)lines.data, &out, err));
    test_close(t);
    rwl_buf_clear(&lines);
    ck_assert_str_eq(test_listing("t"), before);
}
END_TEST

static rwl_status read_text(void *arg, rwl_error *err) {
    rwl_schema schema = schema_of("a string");
    rwl_input *input = NULL;
    rwl_batch batch;
    const char *path = arg;
    bool is_csv = strstr(path, ".csv") != NULL;
    RWL_TRY(is_csv ? rwl_input_open_csv(test_op(), path, &schema, &input, err)
                   : rwl_input_open_jsonl(test_op(), path, &schema, &input, err));
    rwl_status st = rwl_batch_init(&batch, test_env(), schema.fields, 1, err);
    if (st == RWL_OK)
        st = rwl_input_next(input, &batch, err);
    rwl_batch_clear(&batch);
    rwl_input_close(input);
    return st;
}

/* A row of 300,000 bytes is held whole. */
START_TEST(a_long_line_and_a_long_record_are_charged) {
    enum { LONG = 300000 };
    char *text = rwl_arena_alloc(test_arena(), LONG + 32);
    memset(text, 'x', LONG);
    memcpy(text, "{'a':'", 6);
    memcpy(text + LONG - 3, "'}\n", 4);
    check_least_budget(test_op(), read_text, (void *)test_write("long.jsonl", text), LONG - 16, 3 * LONG,
                       "a line of JSON needs");
    memset(text, 'x', LONG);
    memcpy(text, "a\n\"", 3);
    memcpy(text + LONG - 3, "\"\n", 3);
    check_least_budget(test_op(), read_text, (void *)test_write("long.csv", text), LONG - 16, 3 * LONG,
                       "a value needs");
}
END_TEST

Suite *suite_input(void) {
    const TTest *const tests[] = {
        every_type_is_read,
        values_that_do_not_fit_name_line_and_column,
        lines_that_are_no_rows_are_named,
        line_ends_blank_lines_and_key_order_do_not_matter,
        lines_longer_than_what_is_read_at_once_are_read,
        a_missing_key_takes_the_write_default,
        many_rows_come_in_batches,
        formats_are_known_by_name_and_extension,
        nested_columns_are_read,
        a_failed_append_leaves_the_table_as_it_was,
        a_long_line_and_a_long_record_are_charged,
    };
    return TEST_SUITE("input", tests);
}
