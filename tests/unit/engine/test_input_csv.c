/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of CSV: RFC 4180, nulls and empty strings, nested values, errors that name file, line and column. */
#include "engine/csv.h"
#include "engine_test.h"
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>

/* A file with exactly these bytes. */
static const char *write_bytes(const char *bytes, size_t len) {
    const char *path = test_path("in.csv");
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, len, file), len);
    ck_assert_int_eq(fclose(file), 0);
    return path;
}

/* The records of a text as "[a|b'][c]", a quoted field marked by ' behind it. */
static rwl_status read_records(const char *bytes, size_t len, const char **text, rwl_error *failure) {
    rwl_csv *csv = NULL;
    rwl_buf out;
    rwl_buf_init(&out, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_csv_open(test_op(), write_bytes(bytes, len), &csv, err));
    const rwl_csv_field *fields;
    int32_t count;
    rwl_status st;
    while ((st = rwl_csv_next(csv, &fields, &count, failure)) == RWL_OK && count > 0)
        for (int32_t i = 0; i < count; i++)
            ASSERT_OK(rwl_buf_printf(&out, err, "%s%.*s%s%s", i == 0 ? "[" : "|", (int)fields[i].text.len,
                                     fields[i].text.len > 0 ? (const char *)fields[i].text.data : "",
                                     fields[i].quoted ? "'" : "", i == count - 1 ? "]" : ""));
    *text = rwl_arena_strndup(test_arena(), out.len > 0 ? (const char *)out.data : "", out.len);
    rwl_buf_clear(&out);
    rwl_csv_close(csv);
    return st;
}

/* Rules 1 to 7 of RFC 4180, section 2. */
START_TEST(records_are_split_as_rfc_4180_says) {
    static const struct {
        const char *text, *records;
    } cases[] = {
        {"a,b\r\nc,d\r\n", "[a|b][c|d]"},
        {"a,b\nc,d", "[a|b][c|d]"},
        {"", ""},
        {"\n", "[]"},
        {"a\n\nb\n", "[a][][b]"},
        {",\n", "[|]"},
        {"a,\n", "[a|]"},
        {"\"a\",\"\"\n", "[a'|']"},
        {"\"a,b\",c\n", "[a,b'|c]"},
        {"\"a\r\nb\",c\r\nd,e\r\n", "[a\r\nb'|c][d|e]"},
        {"\"a\"\"b\"\n", "[a\"b']"},
        {"\"\"\"\"\n", "[\"']"},
        {"5\" disk,b\nc,d\n", "[5\" disk|b][c|d]"}, /* no quote that begins a field */
        {" \"a\",b\n", "[ \"a\"|b]"},
        {"\xef\xbb\xbf"
         "a,b\n",
         "[a|b]"},
        {"\xef\xbb\xbf\"a\nb\",c\n", "[a\nb'|c]"},
        {"\xef\xbb\xbf", ""},
        {"\xef\xbb", "[\xef\xbb]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text;
        rwl_error err = {0};
        ck_assert_int_eq(read_records(cases[i].text, strlen(cases[i].text), &text, &err), RWL_OK);
        ck_assert_msg(strcmp(text, cases[i].records) == 0, "case %zu: %s", i, text);
    }
}
END_TEST

START_TEST(quotes_that_are_not_closed_name_their_line) {
    const char *text;
    rwl_error err = {0};
    ck_assert_int_eq(read_records("a\n\"b\nc\nd", 9, &text, &err), RWL_CORRUPT);
    ck_assert_msg(strstr(err.message, "line 2: a quote does not end") != NULL, "%s", err.message);
    memset(&err, 0, sizeof err);
    ck_assert_int_eq(read_records("\"a\nb\",c\n\"d\"e,f\n", 16, &text, &err), RWL_CORRUPT);
    ck_assert_msg(strstr(err.message, "line 3: field 1 has text behind") != NULL, "%s", err.message);
}
END_TEST

/* Records that cross what is read at once (256 KiB) stay whole. */
START_TEST(long_records_are_read_whole) {
    size_t len = 3 << 18;
    char *bytes = malloc(len + 64);
    memcpy(bytes, "a,\"", 3);
    memset(bytes + 3, 'x', len);
    bytes[3 + len / 2] = '\n';
    memcpy(bytes + 3 + len, "\"\nc,d\n", 6);
    const char *text;
    rwl_error err = {0};
    ck_assert_int_eq(read_records(bytes, len + 9, &text, &err), RWL_OK);
    ck_assert_uint_eq(strlen(text), len + 5 + 5); /* [a| '] around it, and [c|d] */
    ck_assert_str_eq(text + len + 5, "[c|d]");
    free(bytes);
}
END_TEST

/* --- rows --- */

/* The rows as JSON values, "1,\"a\" 2,null". */
static rwl_status read_rows(const char *types, const char *csv, const char **text, rwl_error *failure) {
    rwl_schema schema;
    rwl_input *input = NULL;
    rwl_batch batch;
    rwl_buf out;
    ASSERT_OK(rwl_schema_from_text(types, test_arena(), &schema, err));
    rwl_buf_init(&out, test_env(), SIZE_MAX);
    rwl_status st = rwl_input_open(test_op(), write_bytes(csv, strlen(csv)), NULL, &schema, &input, failure);
    ASSERT_OK(rwl_batch_init(&batch, test_env(), schema.fields, schema.field_count, err));
    while (st == RWL_OK && (st = rwl_input_next(input, &batch, failure)) == RWL_OK && batch.length > 0)
        for (int64_t row = 0; row < batch.length; row++)
            for (int32_t i = 0; i < schema.field_count; i++) {
                if (out.len > 0)
                    ASSERT_OK(rwl_buf_u8(&out, i > 0 ? ',' : ' ', err));
                ASSERT_OK(rwl_column_format_json(&batch.columns[i], row, &out, err));
            }
    *text = rwl_arena_strndup(test_arena(), out.len > 0 ? (const char *)out.data : "", out.len);
    rwl_input_close(input);
    rwl_batch_clear(&batch);
    rwl_buf_clear(&out);
    return st;
}

START_TEST(cells_are_read_by_the_type_of_their_column) {
    static const struct {
        const char *types, *csv, *rows;
    } cases[] = {
        {"id long, s string", "id,s\n1,a\n2,\n3,\"\"\n", "1,\"a\" 2,null 3,\"\""},
        {"id long, s string", "s,id\na,1\n", "1,\"a\""},
        {"id long, s string", "id\n1\n\n", "1,null null,null"}, /* one column: an empty line is a null */
        {"id long, s string", "id,s\n1,a\n\n", "1,\"a\""},      /* several: it is nothing */
        {"b boolean, f float, d double", "b,f,d\ntrue,0.1,NaN\nfalse,-Infinity,1e300\n",
         "true,0.1,\"NaN\" false,\"-Infinity\",1e300"},
        {"d decimal(9,2), t timestamptz", "d,t\n1.5,2026-11-30T00:00:00.000001+00:00\n",
         "\"1.50\",\"2026-11-30T00:00:00.000001+00:00\""},
        {"x binary, y fixed[2]", "x,y\n\"\",00ff\n", "\"\",\"00ff\""},
        {"l list<int>, s struct<a int, b string>",
         "l,s\n\"[1,null]\",\"{\"\"a\"\":1,\"\"b\"\":\"\"x,y\"\"}\"\n,\n",
         "[1, null],{\"a\": 1, \"b\": \"x,y\"} null,null"},
        {"id long, s string", "id,s\n", ""},
        /* numbers in JSON with more digits than a double has */
        {"s struct<a decimal(20,6), b double>",
         "s\n\"{\"\"a\"\":1234567890123.450001,\"\"b\"\":0.30000000000000004}\"\n",
         "{\"a\": \"1234567890123.450001\", \"b\": 0.30000000000000004}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text;
        rwl_error err = {0};
        rwl_status st = read_rows(cases[i].types, cases[i].csv, &text, &err);
        ck_assert_msg(st == RWL_OK, "case %zu: %s", i, err.message);
        ck_assert_msg(strcmp(text, cases[i].rows) == 0, "case %zu: %s", i, text);
    }
}
END_TEST

START_TEST(what_does_not_fit_names_line_and_column) {
    static const struct {
        const char *types, *csv, *message;
        rwl_status st;
    } cases[] = {
        {"id long", "id\n1\nx\n", "line 3: column id", RWL_CORRUPT},
        {"id long, s string", "id,s\n\"1\n", "line 2: a quote", RWL_CORRUPT},
        {"id long, s string", "id,s\n1\n", "line 2 has 1 fields, the header has 2", RWL_CORRUPT},
        {"id long, s string", "id,s\n1,a,b\n", "line 2 has 3 fields", RWL_CORRUPT},
        {"id long", "id,x\n1,2\n", "column x: is not in the table", RWL_CORRUPT},
        {"id long", "id,id\n1,2\n", "column id: is there twice", RWL_CORRUPT},
        {"id long", "_row_id\n1\n", "_row_id is reserved", RWL_UNSUPPORTED},
        {"id long not null, s string", "s\na\n", "required column id", RWL_CORRUPT},
        {"id long not null, s string", "id,s\n,a\n", "line 2: column id: is required", RWL_CORRUPT},
        {"l list<int>", "l\n[1\n", "line 2: column l", RWL_CORRUPT},
        {"id long", "", "there is no header", RWL_CORRUPT},
        {"id long, s string", "id,s\n\"\"\n", "line 2 has 1 fields, the header has 2", RWL_CORRUPT},
        {"d double", "d\n1e999\n", "line 2: column d: 1e999 is out of range of double", RWL_CORRUPT},
        {"f float", "f\n-3.5e38\n", "line 2: column f: -3.5e38 is out of range of float", RWL_CORRUPT},
        {"s struct<a decimal(20,2)>", "s\n\"{\"\"a\"\":1234567890123.450001}\"\n",
         "line 2: column s: a: ", RWL_CORRUPT},
        {"v variant", "v\n1\n", "line 2: column v: values of type variant have no text form",
         RWL_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text;
        rwl_error err = {0};
        rwl_status st = read_rows(cases[i].types, cases[i].csv, &text, &err);
        ck_assert_msg(st == cases[i].st, "case %zu: %d %s", i, (int)st, err.message);
        ck_assert_msg(strstr(err.message, cases[i].message) != NULL, "case %zu: %s", i, err.message);
    }
}
END_TEST

Suite *suite_input_csv(void) {
    const TTest *const tests[] = {
        records_are_split_as_rfc_4180_says,
        quotes_that_are_not_closed_name_their_line,
        long_records_are_read_whole,
        cells_are_read_by_the_type_of_their_column,
        what_does_not_fit_names_line_and_column,
    };
    return TEST_SUITE("input_csv", tests);
}
