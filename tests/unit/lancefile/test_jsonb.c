/* SPDX-License-Identifier: Apache-2.0 */
/* JSONB documents as text. Bytes and texts are what pylance 14.0.2 wrote and gave, but for what it never writes (decimals). */
#include "lancefile/jsonb.h"
#include "suites.h"

#include <stdlib.h>

static rwl_env env;
static rwl_error err;

static void set_up(void) {
    rwl_env_init_default(&env);
    memset(&err, 0, sizeof err);
}

/* Hex digits; anything else is passed over. */
static void put_hex(rwl_buf *out, const char *text) {
    int high = -1;
    for (; *text != '\0'; text++) {
        int digit = rwl_hex_digit((uint8_t)*text);
        if (digit < 0)
            continue;
        if (high >= 0)
            ck_assert_int_eq(rwl_buf_u8(out, (uint8_t)(high * 16 + digit), NULL), RWL_OK);
        high = high < 0 ? digit : -1;
    }
}

static rwl_status convert(const char *hex, rwl_buf *text) {
    rwl_buf bytes;
    rwl_buf_init(&bytes, &env, SIZE_MAX);
    rwl_buf_init(text, &env, 4096);
    put_hex(&bytes, hex);
    rwl_status st = rwl_lance_jsonb_text(rwl_buf_span(&bytes), text, &err);
    ck_assert_int_eq(rwl_buf_terminate(text, NULL), RWL_OK);
    rwl_buf_clear(&bytes);
    return st;
}

static const struct {
    const char *hex, *text;
} READ[] = {
    {"20000000 00000000", "null"},
    {"20000000 30000000", "false"},
    {"20000000 40000000", "true"},
    {"20000000 10000000", "\"\""},
    {"20000000 10000005 612f622f63", "\"a/b/c\""},
    {"20000000 10000005 001f7fc280", "\"\\u0000\\u001f\x7f\xc2\x80\""},
    {"20000000 10000007 080c0a0d09225c", "\"\\b\\f\\n\\r\\t\\\"\\\\\""},
    {"20000000 10000004 f09f9880", "\"\xf0\x9f\x98\x80\""},
    /* integers of each width */
    {"20000000 20000001 00", "0"},
    {"20000000 20000002 5010", "16"},
    {"20000000 20000002 40 80", "-128"},
    {"20000000 20000003 40 ff7f", "-129"},
    {"20000000 20000005 40 80000000", "-2147483648"},
    {"20000000 20000009 40 8000000000000000", "-9223372036854775808"},
    {"20000000 20000003 50 ffff", "65535"},
    {"20000000 20000009 50 ab54a98ceb1f0ad2", "12345678901234567890"},
    {"20000000 20000009 50 ffffffffffffffff", "18446744073709551615"},
    /* floats */
    {"20000000 20000009 60 0000000000000000", "0.0"},
    {"20000000 20000009 60 8000000000000000", "-0.0"},
    {"20000000 20000009 60 3ff8000000000000", "1.5"},
    {"20000000 20000009 60 4059000000000000", "100.0"},
    {"20000000 20000009 60 4341c37937e08000", "1e+16"},
    {"20000000 20000009 60 c3e0000000000000", "-9.223372036854776e+18"},
    {"20000000 20000009 60 7fefffffffffffff", "1.7976931348623157e+308"},
    {"20000000 20000009 60 0000000000000001", "5e-324"},
    {"20000000 20000009 60 3eb0c6f7a0b5ed8d", "1e-6"},
    {"20000000 20000009 60 3ee4f8b588e368f1", "0.00001"},      /* the binary64 nearest to 1e-5 */
    {"20000000 20000009 60 bee9e3abe16fc70d", "-0.000012345"}, /* to -1.2345e-5 */
    {"20000000 20000001 10", "null"},
    {"20000000 20000001 20", "null"},
    {"20000000 20000001 30", "null"},
    {"20000000 20000009 60 7ff0000000000000", "null"}, /* written as a float all the same */
    /* decimals: value and scale */
    {"20000000 2000000a 70 0000000000003039 02", "123.45"},
    {"20000000 2000000a 70 fffffffffffffffb 03", "-0.005"},
    {"20000000 2000000a 70 000000000000007b 00", "123"},
    {"20000000 20000012 70 0000000000000001 0000000000000000 01", "1844674407370955161.6"}, /* 2^64 / 10 */
    {"20000000 20000013 70 0000000000000001 0000000000000000 26 01", "1844674407370955161.6"},
    {"20000000 20000022 70 ffffffffffffffff ffffffffffffffff ffffffffffffffff fffffffffffffffe 01", "-0.2"},
    /* arrays and objects */
    {"80000000", "[]"},
    {"40000000", "{}"},
    {"80000003 50000004 50000004 5000000c 80000000 40000000 80000001 50000004 80000000", "[[],{},[[]]]"},
    {"40000002 10000001 10000002 20000002 10000001 61 6161 5001 78", "{\"a\":1,\"aa\":\"x\"}"},
    {"40000001 10000000 00000000", "{\"\":null}"},
};

START_TEST(documents_read_as_lance_gives_them) {
    rwl_buf text;
    ck_assert_msg(convert(READ[_i].hex, &text) == RWL_OK, "%s: %s", READ[_i].hex, err.message);
    ck_assert_str_eq((const char *)text.data, READ[_i].text);
    rwl_buf_clear(&text);
}
END_TEST

static const struct {
    const char *hex;
    rwl_status status;
    const char *message;
} WRONG[] = {
    {"", RWL_CORRUPT, "a document of 0 bytes"},
    {"200000", RWL_CORRUPT, "a document of 3 bytes"},
    {"00000000 00000000", RWL_CORRUPT, "header 0x00000000"},
    {"20000000", RWL_CORRUPT, "4 bytes where 0 are left"},
    {"20000000 10000005 61", RWL_CORRUPT, "a value of 5 bytes where 1 are left"},
    {"20000000 00000000 00", RWL_CORRUPT, "1 bytes behind the value"},
    {"20000000 00000001 00", RWL_CORRUPT, "null with 1 bytes"},
    {"20000000 50000004 80000000", RWL_CORRUPT, "type 5 where a scalar"},
    {"20000000 90000000", RWL_CORRUPT, "type 9 where a scalar"},
    {"20000000 60000005 10 00000000", RWL_UNSUPPORTED, "extension value of kind 0x10"},
    {"20000000 10000001 ff", RWL_CORRUPT, "not UTF-8"},
    {"22ff22", RWL_CORRUPT, "a document of 3 bytes is not UTF-8"},
    {"20000000 20000000", RWL_CORRUPT, "a number of no bytes"},
    {"20000000 20000002 0000", RWL_CORRUPT, "kind 0x00 with 1 bytes"},
    {"20000000 20000004 40 000000", RWL_CORRUPT, "kind 0x40 with 3 bytes"},
    {"20000000 20000002 60 00", RWL_CORRUPT, "kind 0x60 with 1 bytes"},
    {"20000000 2000000b 70 0000000000000001 0a 00", RWL_CORRUPT, "kind 0x70 with 10 bytes"},
    {"20000000 2000000a 70 0000000000000001 13", RWL_CORRUPT, "a decimal of 8 bytes with scale 19"},
    {"20000000 20000001 80", RWL_CORRUPT, "kind 0x80 with 0 bytes"},
    {"9fffffff", RWL_CORRUPT, "2147483644 bytes where 0 are left"},
    {"80000001 00000000 00", RWL_CORRUPT, "1 bytes behind the last value"},
    {"80000001 50000008 20000000 00000000", RWL_CORRUPT, "header 0x20000000"},
    {"40000001 00000000 00000000", RWL_CORRUPT, "a key of type 0"},
    {"40000001 10000002 00000000 61", RWL_CORRUPT, "2 bytes where 1 are left"},
};

START_TEST(damaged_documents_are_refused) {
    rwl_buf text;
    ck_assert_msg(convert(WRONG[_i].hex, &text) == WRONG[_i].status, "%s: %s", WRONG[_i].hex, err.message);
    ck_assert_msg(strstr(err.message, WRONG[_i].message) != NULL, "%s", err.message);
    rwl_buf_clear(&text);
}
END_TEST

/* What pylance 0.38 and 0.39 appended; Lance 14 gives it as it is, too. */
START_TEST(documents_that_are_text_come_out_as_they_are) {
    static const char *const texts[] = {"{\"a\": 5, \"b\": [1.50, null]}",
                                        "[]",
                                        " [ 1 ]",
                                        "\"x\"",
                                        "18446744073709551616",
                                        "-1e400",
                                        "true",
                                        "false",
                                        "null",
                                        "\n0",
                                        " "};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        rwl_buf out;
        rwl_buf_init(&out, &env, SIZE_MAX);
        ck_assert_msg(rwl_lance_jsonb_text(rwl_span_str(texts[i]), &out, &err) == RWL_OK, "%s", err.message);
        ck_assert(rwl_span_equal(rwl_buf_span(&out), rwl_span_str(texts[i])));
        rwl_buf_clear(&out);
    }
}
END_TEST

/* Arrays in arrays: each a header and one entry, which says how much is below. */
static rwl_status nest(int levels, rwl_buf *text) {
    rwl_buf bytes;
    rwl_buf_init(&bytes, &env, SIZE_MAX);
    rwl_buf_init(text, &env, SIZE_MAX);
    for (int i = levels; i > 1; i--) {
        ck_assert_int_eq(rwl_buf_be32(&bytes, 0x80000001, NULL), RWL_OK);
        ck_assert_int_eq(rwl_buf_be32(&bytes, 0x50000000 | (uint32_t)(8 * (i - 2) + 4), NULL), RWL_OK);
    }
    ck_assert_int_eq(rwl_buf_be32(&bytes, 0x80000000, NULL), RWL_OK);
    rwl_status st = rwl_lance_jsonb_text(rwl_buf_span(&bytes), text, &err);
    rwl_buf_clear(&bytes);
    return st;
}

START_TEST(depth_is_limited) {
    rwl_buf text;
    ck_assert_msg(nest(10000, &text) == RWL_OK, "%s", err.message);
    ck_assert_uint_eq(text.len, 20000);
    rwl_buf_clear(&text);
    ck_assert_int_eq(nest(10001, &text), RWL_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.message, "10000 levels"));
    rwl_buf_clear(&text);
}
END_TEST

static void append(rwl_column *column, const char *hex) {
    rwl_value v = rwl_value_null(RWL_TYPE_STRING);
    rwl_buf bytes;
    rwl_buf_init(&bytes, &env, SIZE_MAX);
    if (hex != NULL) {
        put_hex(&bytes, hex);
        v.is_null = false;
        v.as.bytes = rwl_buf_span(&bytes);
    }
    ck_assert_int_eq(rwl_column_append(column, &env, &v, 1, NULL), RWL_OK);
    rwl_buf_clear(&bytes);
}

START_TEST(columns_keep_their_nulls) {
    rwl_type type = rwl_type_of(RWL_TYPE_STRING);
    rwl_column column;
    rwl_column_init_flat(&column, &type);
    append(&column, "20000000 40000000");
    append(&column, NULL);
    append(&column, "80000002 00000000 20000002 5007");
    ck_assert_msg(rwl_lance_jsonb_column(&env, &column, &err) == RWL_OK, "%s", err.message);
    ck_assert(rwl_span_equal(rwl_column_bytes(&column, 0), rwl_span_str("true")));
    ck_assert(rwl_column_is_null(&column, 1));
    ck_assert(rwl_span_equal(rwl_column_bytes(&column, 2), rwl_span_str("[null,7]")));
    rwl_column_clear(&column, &env);
    append(&column, "");
    ck_assert_int_eq(rwl_lance_jsonb_column(&env, &column, &err), RWL_CORRUPT);
    ck_assert_ptr_nonnull(strstr(err.message, "value 0 of the batch"));
    rwl_column_clear(&column, &env);
}
END_TEST

Suite *lancefile_jsonb_suite(void) {
    Suite *suite = suite_create("lancefile_jsonb");
    TCase *tc = tcase_create("all");
    tcase_add_checked_fixture(tc, set_up, NULL);
    tcase_add_loop_test(tc, documents_read_as_lance_gives_them, 0, sizeof READ / sizeof *READ);
    tcase_add_loop_test(tc, damaged_documents_are_refused, 0, sizeof WRONG / sizeof *WRONG);
    tcase_add_test(tc, documents_that_are_text_come_out_as_they_are);
    tcase_add_test(tc, depth_is_limited);
    tcase_add_test(tc, columns_keep_their_nulls);
    suite_add_tcase(suite, tc);
    return suite;
}
