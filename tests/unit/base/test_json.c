/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include "base_tests.h"

static rwl_json *parse(const char *text) {
    rwl_json *json;
    rwl_error err = {0};
    rwl_status st = rwl_json_parse(rwl_span_str(text), &json, &err);
    ck_assert_msg(st == RWL_OK, "%s: %s", text, err.message);
    return json;
}

static void check_dump(const rwl_json *json, int indent, const char *expected) {
    rwl_env env;
    rwl_buf buf;
    rwl_env_init_default(&env);
    rwl_buf_init(&buf, &env, SIZE_MAX);
    ck_assert_int_eq(rwl_json_dump(json, indent, &buf, NULL), RWL_OK);
    ck_assert_int_eq(rwl_buf_terminate(&buf, NULL), RWL_OK);
    ck_assert_str_eq((char *)buf.data, expected);
    rwl_buf_clear(&buf);
}

START_TEST(documents_come_back_as_they_were) {
    static const char *const cases[] = {
        "{\"z\": 1, \"a\": [true, false, null], \"m\": {\"x\": \"\\u0001\"}}", /* key order kept */
        "9223372036854775807",
        "-9223372036854775808",
        "\"text\"",
        "[]",
        "{}",
        "1.5"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_json *json = parse(cases[i]);
        check_dump(json, 0, cases[i]);
        rwl_json *copy = rwl_json_copy(json);
        rwl_json_free(json);
        check_dump(copy, 0, cases[i]);
        rwl_json_free(copy);
    }
    rwl_json_free(NULL);
}
END_TEST

START_TEST(rejects_what_is_not_strict) {
    static const char *const cases[] = {
        "",           "{",           "{\"a\":1,\"a\":2}", "[1] x",   "[01]", "[1,]", "{a:1}",
        "[NaN]",      "\"\\u0000\"", "\"\xff\"",          "[1e999]", "'a'",  "[.5]", "9223372036854775808",
        "\"\\ud800\""};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_json *json;
        rwl_error err = {0};
        ck_assert_msg(rwl_json_parse(rwl_span_str(cases[i]), &json, &err) == RWL_CORRUPT, "%s", cases[i]);
        ck_assert_ptr_null(json);
        ck_assert_ptr_nonnull(strstr(err.message, "line 1: "));
        rwl_status st = rwl_json_parse_data(rwl_span_str(cases[i]), &json, &err); /* lines are its caller's */
        ck_assert(st == RWL_OK || (st == RWL_CORRUPT && strstr(err.message, "line") == NULL));
        rwl_json_free(json);
    }
    char deep[10000];
    memset(deep, '[', sizeof deep);
    rwl_json *json;
    ck_assert_int_eq(rwl_json_parse(rwl_span_of(deep, sizeof deep), &json, NULL), RWL_CORRUPT);
}
END_TEST

START_TEST(data_of_users_may_hold_a_nul) {
    rwl_json *json;
    ck_assert_int_eq(rwl_json_parse_data(rwl_span_str("\"a\\u0000b\""), &json, NULL), RWL_OK);
    rwl_span text = rwl_json_text(json);
    ck_assert(rwl_span_equal(text, rwl_span_of("a\0b", 3)));
    rwl_json_free(json);
    ck_assert_int_eq(rwl_json_parse_data(rwl_span_str("7"), &json, NULL), RWL_OK);
    ck_assert_ptr_null(rwl_json_text(json).data);
    rwl_json_free(json);
}
END_TEST

START_TEST(typed_reads_name_the_key) {
    rwl_json *json =
        parse("{\"n\": 5, \"big\": 2147483648, \"s\": \"t\", \"a\": [1], \"z\": null, \"r\": 1.5}");
    rwl_error err = {0};
    int64_t n;
    int32_t i;
    const char *s;
    rwl_json *a;
    bool present;
    ck_assert_int_eq(rwl_json_need_i64(json, "n", &n, &err), RWL_OK);
    ck_assert_int_eq(n, 5);
    ck_assert_int_eq(rwl_json_need_i32(json, "n", &i, &err), RWL_OK);
    ck_assert_int_eq(rwl_json_need_str(json, "s", &s, &err), RWL_OK);
    ck_assert_str_eq(s, "t");
    ck_assert_int_eq(rwl_json_need_array(json, "a", &a, &err), RWL_OK);
    ck_assert_uint_eq(rwl_json_len(a), 1);
    ck_assert_int_eq(rwl_json_i64(rwl_json_at(a, 0)), 1);
    ck_assert_ptr_null(rwl_json_at(a, 1));

    ck_assert_int_eq(rwl_json_need_i32(json, "big", &i, &err), RWL_CORRUPT);
    ck_assert_str_eq(err.message, "'big' is 2147483648, which is no 32-bit number");
    ck_assert_int_eq(rwl_json_need_i64(json, "none", &n, &err), RWL_CORRUPT);
    ck_assert_str_eq(err.message, "'none' is missing");
    ck_assert_int_eq(rwl_json_need_i64(json, "z", &n, &err), RWL_CORRUPT);
    ck_assert_int_eq(rwl_json_need_i64(json, "r", &n, &err), RWL_CORRUPT);
    ck_assert_str_eq(err.message, "'r' is a real number, not an integer");
    ck_assert_int_eq(rwl_json_need_i64(a, "n", &n, &err), RWL_CORRUPT);

    ck_assert_int_eq(rwl_json_opt_i64(json, "none", &present, &n, &err), RWL_OK);
    ck_assert(!present);
    ck_assert_int_eq(rwl_json_opt_i32(json, "n", &present, &i, &err), RWL_OK);
    ck_assert(present && i == 5);
    ck_assert_int_eq(rwl_json_opt_i32(json, "big", NULL, &i, &err), RWL_CORRUPT);
    ck_assert_int_eq(rwl_json_opt_str(json, "z", &s, &err), RWL_OK);
    ck_assert_ptr_null(s);
    ck_assert_int_eq(rwl_json_opt_str(json, "n", &s, &err), RWL_CORRUPT);
    ck_assert_int_eq(rwl_json_opt_array(json, "none", &a, &err), RWL_OK);
    ck_assert_ptr_null(a);
    ck_assert(rwl_json_real(rwl_json_get(json, "r")) == 1.5 && rwl_json_real(rwl_json_get(json, "n")) == 5.0);
    ck_assert_int_eq(rwl_json_kind_of(rwl_json_get(json, "s")), RWL_JSON_STRING);
    ck_assert_int_eq(rwl_json_kind_of(NULL), RWL_JSON_NULL);
    rwl_json_free(json);
}
END_TEST

START_TEST(objects_are_walked_in_key_order) {
    rwl_json *json = parse("{\"b\": 1, \"a\": 2, \"c\": 3}");
    size_t pos = 0;
    const char *key;
    rwl_json *value;
    char keys[8] = "";
    while (rwl_json_next(json, &pos, &key, &value))
        strcat(keys, key);
    ck_assert_str_eq(keys, "bac");
    pos = 0;
    ck_assert(!rwl_json_next(rwl_json_get(json, "a"), &pos, &key, &value));
    rwl_json_free(json);
}
END_TEST

START_TEST(documents_are_built_and_shared) {
    rwl_json *root = rwl_json_new_object(), *list = rwl_json_new_array();
    ck_assert_int_eq(rwl_json_append(list, rwl_json_new_i64(INT64_MIN), NULL), RWL_OK);
    ck_assert_int_eq(rwl_json_append(list, rwl_json_new_real(0.1), NULL), RWL_OK);
    ck_assert_int_eq(rwl_json_append(list, rwl_json_new_bool(true), NULL), RWL_OK);
    ck_assert_int_eq(rwl_json_append(list, rwl_json_new_null(), NULL), RWL_OK);
    ck_assert_int_eq(rwl_json_append(list, NULL, NULL), RWL_NO_MEMORY);
    ck_assert_int_eq(rwl_json_set(root, "l", rwl_json_ref(list), NULL), RWL_OK);
    ck_assert_int_eq(rwl_json_set(root, "s", rwl_json_new_strn("abc", 2), NULL), RWL_OK);
    ck_assert_int_eq(rwl_json_set(root, "t", rwl_json_new_str("x"), NULL), RWL_OK);
    ck_assert_int_eq(rwl_json_set(root, "u", NULL, NULL), RWL_NO_MEMORY);
    rwl_json_remove(root, "t");
    rwl_json_remove_at(list, 2);
    rwl_json_free(list);
    check_dump(root, 0, "{\"l\": [-9223372036854775808, 0.10000000000000001, null], \"s\": \"ab\"}");
    check_dump(
        root, 1,
        "{\n \"l\": [\n  -9223372036854775808,\n  0.10000000000000001,\n  null\n ],\n \"s\": \"ab\"\n}");
    rwl_json_free(root);
}
END_TEST

START_TEST(a_full_buffer_stops_the_text) {
    rwl_env env;
    rwl_buf buf;
    rwl_json *json = parse("[1, 2, 3, 4, 5, 6, 7]");
    rwl_env_init_default(&env);
    rwl_buf_init(&buf, &env, 5);
    ck_assert_int_eq(rwl_json_dump(json, 0, &buf, NULL), RWL_UNSUPPORTED);
    rwl_buf_clear(&buf);
    rwl_json_free(json);
}
END_TEST

TCase *json_tests(void) {
    TCase *tc = tcase_create("json");
    tcase_add_test(tc, documents_come_back_as_they_were);
    tcase_add_test(tc, rejects_what_is_not_strict);
    tcase_add_test(tc, data_of_users_may_hold_a_nul);
    tcase_add_test(tc, typed_reads_name_the_key);
    tcase_add_test(tc, objects_are_walked_in_key_order);
    tcase_add_test(tc, documents_are_built_and_shared);
    tcase_add_test(tc, a_full_buffer_stops_the_text);
    return tc;
}
