/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms: the hash vectors of the specification's appendix B, its examples, values before 1970, columns.
 */
#include "column/batch.h"
#include "iceberg_test.h"

static rwl_transform make_transform(const char *text) {
    rwl_transform t;
    ASSERT_OK(rwl_transform_parse(text, test_arena(), &t, err));
    return t;
}

/* Specification, appendix B, "32-bit Hash Requirements", with its value for each type. */
static const struct {
    const char *type, *value;
    int32_t hash;
} HASHES[] = {
    {"int", "34", 2017239379},
    {"long", "34", 2017239379},
    {"decimal(9, 2)", "14.20", -500754589},
    {"decimal(38, 2)", "14.20", -500754589},
    {"date", "2017-11-16", -653330422},
    {"time", "22:31:08", -662762989},
    {"timestamp", "2017-11-16T22:31:08", -2047944441},
    {"timestamp", "2017-11-16T22:31:08.000001", -1207196810},
    {"timestamptz", "2017-11-16T14:31:08-08:00", -2047944441},
    {"timestamptz", "2017-11-16T14:31:08.000001-08:00", -1207196810},
    {"timestamp_ns", "2017-11-16T22:31:08", -2047944441},
    {"timestamp_ns", "2017-11-16T22:31:08.000001001", -1207196810},
    {"timestamptz_ns", "2017-11-16T14:31:08-08:00", -2047944441},
    {"timestamptz_ns", "2017-11-16T14:31:08.000001001-08:00", -1207196810},
    {"string", "iceberg", 1210000089},
    {"string", "34", -427558391},
    {"uuid", "f79c3e09-677c-4bbd-a479-3f349cb785e7", 1488055340},
    {"fixed[4]", "00010203", -188683207},
    {"binary", "00010203", -188683207},
    {"boolean", "true", 1392991556},
    {"float", "1.0", -142385009},
    {"double", "1.0", -142385009},
    {"float", "0.0", 1669671676},
    {"float", "-0.0", 1669671676},
    {"double", "0.0", 1669671676},
    {"double", "-0.0", 1669671676},
};

START_TEST(hashes_equal_those_of_appendix_b) {
    rwl_type type = test_type(HASHES[_i].type);
    rwl_value v = test_value(&type, HASHES[_i].value);
    int32_t hash = 0;
    ck_assert(rwl_transform_hash(&v, &hash));
    ck_assert_int_eq(hash, HASHES[_i].hash);
}
END_TEST

START_TEST(a_column_buckets_each_value_of_appendix_b_by_its_hash) {
    rwl_type type = test_type(HASHES[_i].type);
    rwl_transform t = make_transform("bucket[1000]");
    rwl_type result;
    if (!rwl_transform_result(&t, &type, &result))
        return; /* boolean, float, double have a hash and no bucket */
    rwl_value v = test_value(&type, HASHES[_i].value);
    rwl_column in, out;
    rwl_column_init_flat(&in, &type);
    rwl_column_init_flat(&out, &type);
    ASSERT_OK(rwl_column_append(&in, test_env(), &v, 2, err));
    ASSERT_OK(rwl_transform_column(&t, &in, &out, test_env(), err));
    ck_assert_int_eq((int)out.type.kind, RWL_TYPE_INT);
    ck_assert_int_eq(rwl_column_i32(&out)[1], (int32_t)((uint32_t)HASHES[_i].hash & 0x7fffffffu) % 1000);
    rwl_column_clear(&in, test_env());
    rwl_column_clear(&out, test_env());
}
END_TEST

/* transform, type, value, result as text of the result's type, form for people */
static const struct {
    const char *transform, *type, *value, *result, *shown;
} CASES[] = {
    {"identity", "string", "a b", "a b", "a b"},
    {"identity", "date", "2017-11-16", "2017-11-16", "2017-11-16"},
    {"identity", "binary", "0001ff", "0001ff", "AAH/"},
    {"identity", "fixed[4]", "00010203", "00010203", "AAECAw=="},
    {"identity", "boolean", "false", "false", "false"},
    {"identity", "unknown", "null", "null", "null"},
    {"void", "int", "7", "null", "null"},
    {"bucket[16]", "string", "null", "null", "null"},
    /* (2017239379 & 0x7fffffff) % 16 = 3, reference 6.7 */
    {"bucket[16]", "int", "34", "3", "3"},
    {"truncate[10]", "int", "1", "0", "0"},
    {"truncate[10]", "int", "-1", "-10", "-10"},
    {"truncate[10]", "long", "-10", "-10", "-10"},
    {"truncate[10]", "long", "-11", "-20", "-20"},
    {"truncate[50]", "decimal(9, 2)", "10.65", "10.50", "10.50"},
    {"truncate[10]", "decimal(9, 2)", "-0.05", "-0.10", "-0.10"},
    {"truncate[3]", "string", "iceberg", "ice", "ice"},
    {"truncate[3]", "string", "\xc3\xa9\xf0\x9f\x98\x80x", "\xc3\xa9\xf0\x9f\x98\x80x",
     "\xc3\xa9\xf0\x9f\x98\x80x"},
    {"truncate[2]", "string", "\xc3\xa9\xf0\x9f\x98\x80x", "\xc3\xa9\xf0\x9f\x98\x80",
     "\xc3\xa9\xf0\x9f\x98\x80"},
    {"truncate[2]", "binary", "010203", "0102", "AQI="},
    {"year", "date", "2017-11-16", "47", "2017"},
    {"year", "date", "1969-12-31", "-1", "1969"},
    {"year", "timestamp", "1969-12-31T23:30:00", "-1", "1969"},
    {"month", "date", "2017-12-01", "575", "2017-12"}, /* 47 * 12 + 11 */
    {"month", "timestamptz", "1969-12-31T23:30:00+00:00", "-1", "1969-12"},
    {"day", "timestamp", "2017-12-01T10:12:55.038194", "2017-12-01", "2017-12-01"},
    {"day", "timestamp_ns", "1969-12-31T23:30:00", "1969-12-31", "1969-12-31"},
    {"day", "date", "2017-12-01", "2017-12-01", "2017-12-01"},
    {"hour", "timestamp", "2017-12-01T10:12:55.038194", "420034", "2017-12-01-10"}, /* 17501 * 24 + 10 */
    {"hour", "timestamp_ns", "2017-12-01T10:12:55.038194789", "420034", "2017-12-01-10"},
    {"hour", "timestamptz_ns", "1969-12-31T23:30:00+00:00", "-1", "1969-12-31-23"},
    {"hour", "timestamptz", "1969-12-31T23:30:00+00:00", "-1", "1969-12-31-23"},
    {"Day", "timestamp", "1970-01-01T00:00:00", "1970-01-01", "1970-01-01"},
};

START_TEST(transforms_give_the_values_of_the_specification) {
    rwl_transform t = make_transform(CASES[_i].transform);
    rwl_type type = test_type(CASES[_i].type);
    rwl_value in = test_value(&type, CASES[_i].value);
    rwl_type result;
    ck_assert(rwl_transform_result(&t, &type, &result));
    rwl_value out;
    ASSERT_OK(rwl_transform_apply(&t, &in, &out, err));
    assert_value(&result, &out, CASES[_i].result);
    rwl_buf shown;
    rwl_buf_init(&shown, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_transform_format(&t, &result, &out, &shown, err));
    ASSERT_OK(rwl_buf_terminate(&shown, err));
    ck_assert_str_eq((const char *)shown.data, CASES[_i].shown);
    rwl_buf_clear(&shown);
}
END_TEST

/* value, null, value: the same as one by one, and nulls stay. */
START_TEST(columns_give_what_values_give) {
    rwl_transform t = make_transform(CASES[_i].transform);
    rwl_type type = test_type(CASES[_i].type);
    rwl_value values[3] = {test_value(&type, CASES[_i].value), rwl_value_null(type.kind),
                           test_value(&type, CASES[_i].value)};
    rwl_type result, other = rwl_type_of(RWL_TYPE_DOUBLE);
    ck_assert(rwl_transform_result(&t, &type, &result));
    rwl_column in, out;
    rwl_column_init_flat(&in, &type);
    rwl_column_init_flat(&out, &other);
    for (int i = 0; i < 3; i++)
        ASSERT_OK(rwl_column_append(&in, test_env(), &values[i], 1, err));
    for (int round = 0; round < 2; round++) { /* the second one into a column that is in use */
        ASSERT_OK(rwl_transform_column(&t, &in, &out, test_env(), err));
        ck_assert_int_eq(out.length, 3);
        ck_assert(rwl_type_equal(&out.type, &result));
        for (int i = 0; i < 3; i++) {
            rwl_value v = rwl_column_value(&out, i);
            assert_value(&result, &v, i == 1 ? "null" : CASES[_i].result);
        }
    }
    rwl_column_reset(&in);
    ASSERT_OK(rwl_transform_column(&t, &in, &out, test_env(), err));
    ck_assert_int_eq(out.length, 0);
    rwl_column_clear(&in, test_env());
    rwl_column_clear(&out, test_env());
}
END_TEST

START_TEST(null_slots_hold_zero_after_a_bucket) {
    rwl_transform t = make_transform("bucket[1000000]");
    rwl_type type = rwl_type_of(RWL_TYPE_LONG);
    rwl_value v = rwl_value_null(RWL_TYPE_LONG);
    rwl_column in, out;
    rwl_column_init_flat(&in, &type);
    rwl_column_init_flat(&out, &type);
    ASSERT_OK(rwl_column_append(&in, test_env(), &v, 3, err));
    ASSERT_OK(rwl_transform_column(&t, &in, &out, test_env(), err));
    ck_assert_int_eq(out.null_count, 3);
    ck_assert_int_eq(rwl_column_i32(&out)[2], 0);
    rwl_column_clear(&in, test_env());
    rwl_column_clear(&out, test_env());
}
END_TEST

/* Known faults of others: hashing more than the least bytes of a negative decimal; -1.28 is the byte 80. */
START_TEST(negative_decimals_hash_their_least_bytes) {
    static const struct {
        const char *decimal, *bytes;
    } cases[] = {{"-1.28", "80"}, {"-1.29", "ff7f"}, {"-327.68", "8000"},
                 {"0.00", "00"},  {"1.28", "0080"},  {"-0.01", "ff"}};
    rwl_type decimal = test_type("decimal(9, 2)");
    rwl_type binary = test_type("binary");
    rwl_value a = test_value(&decimal, cases[_i].decimal);
    rwl_value b = test_value(&binary, cases[_i].bytes);
    int32_t x = 0, y = 1;
    ck_assert(rwl_transform_hash(&a, &x));
    ck_assert(rwl_transform_hash(&b, &y));
    ck_assert_int_eq(x, y);
}
END_TEST

static const struct {
    const char *transform, *type;
    bool can;
} SOURCES[] = {
    {"identity", "geometry", false}, {"identity", "variant", false},
    {"bucket[2]", "boolean", false}, {"bucket[2]", "double", false},
    {"bucket[2]", "variant", false}, {"bucket[2]", "unknown", false},
    {"truncate[2]", "date", false},  {"truncate[2]", "fixed[4]", false},
    {"truncate[2]", "uuid", false},  {"year", "time", false},
    {"hour", "date", false},         {"hour", "timestamptz_ns", true},
    {"void", "variant", true},       {"day", "long", false},
    {"zorder[3]", "int", false},
};

START_TEST(transforms_take_only_their_sources) {
    rwl_transform t = make_transform(SOURCES[_i].transform);
    rwl_type type = test_type(SOURCES[_i].type);
    rwl_type result;
    ck_assert_int_eq(rwl_transform_result(&t, &type, &result), SOURCES[_i].can);
}
END_TEST

START_TEST(unknown_transforms_keep_their_text_and_are_not_applied) {
    static const char *const texts[] = {"zorder[3]",    "bucket", "bucket[]",  "bucket[x]",
                                        "truncate[5]]", "years",  "bucket[-1]"};
    rwl_transform t = make_transform(texts[_i]);
    ck_assert_int_eq((int)t.kind, RWL_TRANSFORM_UNKNOWN);
    ck_assert_str_eq(t.text, texts[_i]);
    rwl_value v = rwl_value_null(RWL_TYPE_INT);
    ASSERT_FAILS(RWL_UNSUPPORTED, texts[_i], rwl_transform_apply(&t, &v, &v, err));
}
END_TEST

START_TEST(numbers_out_of_range_in_transforms_are_corrupt) {
    rwl_transform t;
    ASSERT_FAILS(RWL_CORRUPT, "bucket[0]", rwl_transform_parse("bucket[0]", test_arena(), &t, err));
    ASSERT_FAILS(RWL_CORRUPT, "out of range",
                 rwl_transform_parse("truncate[2147483648]", test_arena(), &t, err));
    ASSERT_FAILS(RWL_CORRUPT, "out of range",
                 rwl_transform_parse("bucket[99999999999999999999]", test_arena(), &t, err));
}
END_TEST

START_TEST(hours_beyond_32_bits_are_refused) {
    rwl_transform t = make_transform("hour");
    rwl_value v = rwl_value_null(RWL_TYPE_TIMESTAMP);
    v.is_null = false;
    v.as.i64 = INT64_MAX;
    ASSERT_FAILS(RWL_UNSUPPORTED, "9223372036854775807", rwl_transform_apply(&t, &v, &v, err));
}
END_TEST

Suite *suite_transform(void) {
    Suite *suite = suite_create("transform");
    TCase *tc = tcase_create("transform");
#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))
    tcase_add_loop_test(tc, hashes_equal_those_of_appendix_b, 0, COUNT(HASHES));
    tcase_add_loop_test(tc, a_column_buckets_each_value_of_appendix_b_by_its_hash, 0, COUNT(HASHES));
    tcase_add_loop_test(tc, transforms_give_the_values_of_the_specification, 0, COUNT(CASES));
    tcase_add_loop_test(tc, columns_give_what_values_give, 0, COUNT(CASES));
    tcase_add_test(tc, null_slots_hold_zero_after_a_bucket);
    tcase_add_loop_test(tc, negative_decimals_hash_their_least_bytes, 0, 6);
    tcase_add_loop_test(tc, transforms_take_only_their_sources, 0, COUNT(SOURCES));
    tcase_add_loop_test(tc, unknown_transforms_keep_their_text_and_are_not_applied, 0, 7);
    tcase_add_test(tc, numbers_out_of_range_in_transforms_are_corrupt);
    tcase_add_test(tc, hours_beyond_32_bits_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
