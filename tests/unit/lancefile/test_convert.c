/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions of stored values; expected values by the formats' own rules. */
#include "lancefile/field_internal.h"
#include "suites.h"

#include <math.h>

static rwl_env env;
static rwl_error err;

static void set_up(void) {
    rwl_env_init_default(&env);
}

static rwl_lance_node node_of(rwl_lance_convert convert, int bits, rwl_type_kind kind, const char *name) {
    rwl_lance_node node;
    memset(&node, 0, sizeof node);
    node.form = RWL_LANCE_FIXED;
    node.convert = convert;
    node.bits = bits;
    node.logical_type = name;
    node.field.type = rwl_type_of(kind);
    return node;
}

static rwl_status convert(const rwl_lance_node *node, const void *stored, int64_t count,
                          const uint8_t *validity, rwl_column *out) {
    rwl_column_init_flat(out, &node->field.type);
    return rwl_lance_convert_fixed(&env, node, stored, count, validity, out, &err);
}

/* --- integers --- */

typedef struct integer_case {
    rwl_lance_convert convert;
    int bits;
    rwl_type_kind kind;
    uint64_t stored;
    int64_t read;
} integer_case;

static const integer_case INTEGERS[] = {
    {RWL_LANCE_SIGNED, 8, RWL_TYPE_INT, 0x80, -128},
    {RWL_LANCE_SIGNED, 8, RWL_TYPE_INT, 0x7f, 127},
    {RWL_LANCE_UNSIGNED, 8, RWL_TYPE_INT, 0xff, 255},
    {RWL_LANCE_SIGNED, 16, RWL_TYPE_INT, 0x8000, -32768},
    {RWL_LANCE_UNSIGNED, 16, RWL_TYPE_INT, 0xffff, 65535},
    {RWL_LANCE_UNSIGNED, 32, RWL_TYPE_LONG, 0xffffffff, 4294967295},
    {RWL_LANCE_SIGNED, 32, RWL_TYPE_LONG, 0xffffffff, -1},
    {RWL_LANCE_UNSIGNED, 64, RWL_TYPE_LONG, INT64_MAX, INT64_MAX},
    {RWL_LANCE_AS_IT_IS, 64, RWL_TYPE_LONG, UINT64_MAX, -1},
    {RWL_LANCE_AS_IT_IS, 32, RWL_TYPE_DATE, 0xfffffff6, -10},
};

START_TEST(widens_integers_with_their_sign) {
    const integer_case *c = &INTEGERS[_i];
    uint8_t stored[16] = {0};
    for (int k = 0; k < 2; k++)
        memcpy(stored + k * c->bits / 8, &c->stored, (size_t)c->bits / 8);
    rwl_lance_node node = node_of(c->convert, c->bits, c->kind, "integer");
    rwl_column out;
    ck_assert_int_eq(convert(&node, stored, 2, NULL, &out), RWL_OK);
    bool is_32 = rwl_type_width(&out.type) == 4;
    for (int k = 0; k < 2; k++)
        ck_assert_int_eq(is_32 ? rwl_column_i32(&out)[k] : rwl_column_i64(&out)[k], c->read);
    rwl_column_clear(&out, &env);
}
END_TEST

START_TEST(reads_uint64_as_decimals_beyond_int64) {
    rwl_lance_node node = node_of(RWL_LANCE_UNSIGNED, 64, RWL_TYPE_DECIMAL, "uint64");
    node.field.type.precision = 20;
    node.field.type.parameters = RWL_TYPE_UINT64;
    uint64_t stored[2] = {UINT64_MAX, 7};
    rwl_column out;
    ck_assert_int_eq(convert(&node, stored, 2, NULL, &out), RWL_OK);
    ck_assert(rwl_i128_load(out.values.data) == (rwl_i128)UINT64_MAX);
    ck_assert(rwl_i128_load(out.values.data + 16) == 7);
    rwl_column_clear(&out, &env);
}
END_TEST

/* --- floats --- */

typedef struct float_case {
    rwl_lance_convert convert;
    uint16_t stored;
    float read;
} float_case;

/* binary16: sign, 5 bits exponent (bias 15), 10 bits fraction; bfloat16: the upper half of binary32. */
static const float_case FLOATS[] = {
    {RWL_LANCE_HALF, 0x0000, 0.0F},        {RWL_LANCE_HALF, 0x3c00, 1.0F},
    {RWL_LANCE_HALF, 0xc000, -2.0F},       {RWL_LANCE_HALF, 0x7bff, 65504.0F},
    {RWL_LANCE_HALF, 0x0001, 0x1p-24F},    {RWL_LANCE_HALF, 0x03ff, 0x3ffp-24F},
    {RWL_LANCE_HALF, 0x0400, 0x1p-14F},    {RWL_LANCE_HALF, 0x3555, 0x1.554p-2F},
    {RWL_LANCE_HALF, 0x7c00, INFINITY},    {RWL_LANCE_HALF, 0xfc00, -INFINITY},
    {RWL_LANCE_BFLOAT, 0x3f80, 1.0F},      {RWL_LANCE_BFLOAT, 0xff80, -INFINITY},
    {RWL_LANCE_BFLOAT, 0x4049, 3.140625F},
};

START_TEST(widens_floats_exactly) {
    const float_case *c = &FLOATS[_i];
    rwl_lance_node node = node_of(c->convert, 16, RWL_TYPE_FLOAT, "halffloat");
    rwl_column out;
    ck_assert_int_eq(convert(&node, &c->stored, 1, NULL, &out), RWL_OK);
    ck_assert(rwl_column_f32(&out)[0] == c->read);
    rwl_column_clear(&out, &env);
}
END_TEST

START_TEST(keeps_the_payload_of_half_nans_and_the_sign_of_zero) {
    uint16_t stored[2] = {0xfe01, 0x8000};
    rwl_lance_node node = node_of(RWL_LANCE_HALF, 16, RWL_TYPE_FLOAT, "halffloat");
    rwl_column out;
    ck_assert_int_eq(convert(&node, stored, 2, NULL, &out), RWL_OK);
    /* 1 11111 1000000001 -> 1 11111111 10000000010000000000000 */
    ck_assert_uint_eq(rwl_load_le32(out.values.data), 0xffc02000);
    ck_assert_uint_eq(rwl_load_le32(out.values.data + 4), 0x80000000);
    rwl_column_clear(&out, &env);
}
END_TEST

/* --- times --- */

START_TEST(multiplies_times_and_refuses_overflow) {
    rwl_lance_node node = node_of(RWL_LANCE_SCALED, 64, RWL_TYPE_TIMESTAMP, "timestamp:s:-");
    node.factor = 1000000;
    int64_t stored[3] = {-1, 1700000000, INT64_MAX / 1000000 + 1};
    rwl_column out;
    ck_assert_int_eq(convert(&node, stored, 2, NULL, &out), RWL_OK);
    ck_assert_int_eq(rwl_column_i64(&out)[0], -1000000);
    ck_assert_int_eq(rwl_column_i64(&out)[1], 1700000000000000);
    rwl_column_clear(&out, &env);
    ck_assert_int_eq(convert(&node, stored, 3, NULL, &out), RWL_UNSUPPORTED);
    ck_assert_str_eq(err.message,
                     "timestamp:s:- value 9223372036855, which does not fit 64 bits in the unit it "
                     "is read in");
    rwl_column_clear(&out, &env);
}
END_TEST

START_TEST(ignores_what_lies_in_slots_of_nulls) {
    rwl_lance_node node = node_of(RWL_LANCE_SCALED, 64, RWL_TYPE_TIMESTAMP, "timestamp:s:-");
    node.factor = 1000000;
    int64_t stored[3] = {5, INT64_MIN, 6};
    uint8_t validity = 0x5; /* valid, null, valid */
    rwl_column out;
    ck_assert_int_eq(convert(&node, stored, 3, &validity, &out), RWL_OK);
    ck_assert_int_eq(out.null_count, 1);
    ck_assert(rwl_column_is_null(&out, 1));
    ck_assert_int_eq(rwl_column_i64(&out)[1], 0);
    ck_assert_int_eq(rwl_column_i64(&out)[2], 6000000);
    rwl_column_clear(&out, &env);
}
END_TEST

START_TEST(reads_dates_in_milliseconds_as_whole_days) {
    rwl_lance_node node = node_of(RWL_LANCE_DAYS, 64, RWL_TYPE_DATE, "date64:ms");
    int64_t stored[3] = {86400000LL * 19000, -86400000, 1};
    rwl_column out;
    ck_assert_int_eq(convert(&node, stored, 2, NULL, &out), RWL_OK);
    ck_assert_int_eq(rwl_column_i32(&out)[0], 19000);
    ck_assert_int_eq(rwl_column_i32(&out)[1], -1);
    rwl_column_clear(&out, &env);
    ck_assert_int_eq(convert(&node, stored, 3, NULL, &out), RWL_UNSUPPORTED);
    ck_assert_str_eq(err.message, "date64:ms value 1, which is no whole number of days");
    rwl_column_clear(&out, &env);
    stored[0] = 86400000LL * ((int64_t)INT32_MAX + 1);
    ck_assert_int_eq(convert(&node, stored, 1, NULL, &out), RWL_UNSUPPORTED);
    rwl_column_clear(&out, &env);
}
END_TEST

START_TEST(refuses_lineage_above_int64) {
    rwl_lance_node node = node_of(RWL_LANCE_UNSIGNED, 64, RWL_TYPE_LONG, "uint64");
    uint64_t stored[2] = {1, (uint64_t)INT64_MAX + 1};
    rwl_column out;
    ck_assert_int_eq(convert(&node, stored, 2, NULL, &out), RWL_CORRUPT);
    ck_assert_str_eq(err.message, "uint64 value 9223372036854775808, which is above 2^63 - 1");
    rwl_column_clear(&out, &env);
}
END_TEST

START_TEST(narrows_decimals_that_fit_their_precision) {
    rwl_lance_node node = node_of(RWL_LANCE_NARROW, 256, RWL_TYPE_DECIMAL, "decimal:256:5:2");
    node.field.type.precision = 5;
    uint8_t stored[64];
    memset(stored, 0xff, 32); /* -1 */
    memset(stored + 32, 0, 32);
    rwl_store_le32(stored + 32, 99999);
    rwl_column out;
    ck_assert_int_eq(convert(&node, stored, 2, NULL, &out), RWL_OK);
    ck_assert(rwl_i128_load(out.values.data) == -1);
    ck_assert(rwl_i128_load(out.values.data + 16) == 99999);
    rwl_column_clear(&out, &env);
    rwl_store_le32(stored + 32, 100000);
    ck_assert_int_eq(convert(&node, stored, 2, NULL, &out), RWL_CORRUPT);
    rwl_column_clear(&out, &env);
    memset(stored + 32, 0, 32);
    stored[48] = 1; /* 2^128 */
    ck_assert_int_eq(convert(&node, stored, 2, NULL, &out), RWL_CORRUPT);
    rwl_column_clear(&out, &env);
}
END_TEST

/* --- bits, appending --- */

START_TEST(appends_bits_and_values_behind_others) {
    rwl_lance_node node = node_of(RWL_LANCE_AS_IT_IS, 1, RWL_TYPE_BOOLEAN, "bool");
    const uint8_t first = 0x05, second = 0xff, validity = 0x7d; /* null at 1 and 7 of the second */
    rwl_column out;
    ck_assert_int_eq(convert(&node, &first, 3, NULL, &out), RWL_OK);
    ck_assert_int_eq(rwl_lance_convert_fixed(&env, &node, &second, 8, &validity, &out, &err), RWL_OK);
    ck_assert_int_eq(rwl_lance_convert_fixed(&env, &node, &first, 2, NULL, &out, &err), RWL_OK);
    ck_assert_int_eq(out.length, 13);
    ck_assert_int_eq(out.null_count, 2);
    for (int i = 0; i < 13; i++) {
        bool is_null = i == 4 || i == 10;
        ck_assert_msg(rwl_column_is_null(&out, i) == is_null, "row %d", i);
        bool is_set = !is_null && i != 1 && i != 12; /* 101, 11111111, 10 */
        ck_assert_msg(rwl_bit_get(out.values.data, i) == is_set, "row %d", i);
    }
    rwl_column_clear(&out, &env);
}
END_TEST

START_TEST(zeroes_nulls_in_every_word) {
    enum { COUNT = 200 };
    rwl_lance_node node = node_of(RWL_LANCE_AS_IT_IS, 32, RWL_TYPE_INT, "int32");
    uint32_t stored[COUNT];
    uint8_t validity[COUNT / 8 + 1] = {0};
    for (int i = 0; i < COUNT; i++) {
        stored[i] = (uint32_t)i + 1;
        if (i % 3 != 0)
            rwl_bit_set(validity, i);
    }
    rwl_column out;
    ck_assert_int_eq(convert(&node, stored, COUNT, validity, &out), RWL_OK);
    ck_assert_int_eq(out.null_count, 67); /* 0, 3 … 198 */
    for (int i = 0; i < COUNT; i++)
        ck_assert_int_eq(rwl_column_i32(&out)[i], i % 3 == 0 ? 0 : i + 1);
    rwl_column_clear(&out, &env);
}
END_TEST

/* --- text --- */

static void text_column(rwl_column *c, const char *const *texts, int count) {
    rwl_type type = rwl_type_of(RWL_TYPE_STRING);
    rwl_column_init_flat(c, &type);
    for (int i = 0; i < count; i++) {
        rwl_value v = rwl_value_null(RWL_TYPE_STRING);
        v.is_null = false;
        v.as.bytes = rwl_span_str(texts[i]);
        ck_assert_int_eq(rwl_column_append(c, &env, &v, 1, &err), RWL_OK);
    }
}

START_TEST(checks_that_each_text_is_utf8_by_itself) {
    static const char *const RIGHT[] = {"", "plain", "Zürich", "\xf0\x9f\x98\x80"};
    static const char *const SPLIT[] = {"a", "\xc3", "\xbc"}; /* valid only together */
    static const char *const WRONG[] = {"a", "b\xff", "c"};
    rwl_column c;
    text_column(&c, RIGHT, 4);
    ck_assert_int_eq(rwl_lance_check_text(&c, &err), RWL_OK);
    rwl_column_clear(&c, &env);
    text_column(&c, SPLIT, 3);
    ck_assert_int_eq(rwl_lance_check_text(&c, &err), RWL_CORRUPT);
    ck_assert_str_eq(err.message, "text 1 of the batch is not UTF-8");
    rwl_column_clear(&c, &env);
    text_column(&c, WRONG, 3);
    ck_assert_int_eq(rwl_lance_check_text(&c, &err), RWL_CORRUPT);
    rwl_column_clear(&c, &env);
}
END_TEST

Suite *lancefile_convert_suite(void) {
    Suite *s = suite_create("lancefile_convert");
    TCase *tc = tcase_create("convert");
    tcase_add_checked_fixture(tc, set_up, NULL);
    tcase_add_loop_test(tc, widens_integers_with_their_sign, 0, sizeof INTEGERS / sizeof *INTEGERS);
    tcase_add_test(tc, reads_uint64_as_decimals_beyond_int64);
    tcase_add_loop_test(tc, widens_floats_exactly, 0, sizeof FLOATS / sizeof *FLOATS);
    tcase_add_test(tc, keeps_the_payload_of_half_nans_and_the_sign_of_zero);
    tcase_add_test(tc, multiplies_times_and_refuses_overflow);
    tcase_add_test(tc, ignores_what_lies_in_slots_of_nulls);
    tcase_add_test(tc, reads_dates_in_milliseconds_as_whole_days);
    tcase_add_test(tc, refuses_lineage_above_int64);
    tcase_add_test(tc, narrows_decimals_that_fit_their_precision);
    tcase_add_test(tc, appends_bits_and_values_behind_others);
    tcase_add_test(tc, zeroes_nulls_in_every_word);
    tcase_add_test(tc, checks_that_each_text_is_utf8_by_itself);
    suite_add_tcase(s, tc);
    return s;
}
