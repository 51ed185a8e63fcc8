/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of columns and their form in statistics. */
#include "suites.h"

#include "parquet/bounds.h"

#include <math.h>

static rwl_env env;

static void start(void) {
    rwl_env_init_default(&env);
}

static void add_doubles(rwl_parquet_bounds *b, const double *values, size_t count) {
    ck_assert_int_eq(rwl_parquet_bounds_add_fixed(b, (const uint8_t *)values, count, 8, NULL), RWL_OK);
}

typedef struct double_case {
    const char *name;
    double values[9];
    size_t count;
    bool seen;
    double low, high;
} double_case;

/* NaN is no bound; zeros are -0.0 below and +0.0 above (parquet.thrift, TYPE_ORDER). */
static const double_case double_cases[] = {
    {"zeros of one sign", {0.0, 0.0}, 2, true, -0.0, 0.0},
    {"negative zeros", {-0.0}, 1, true, -0.0, 0.0},
    {"nan between", {NAN, 3, NAN, -2, NAN}, 5, true, -2, 3},
    {"only nan", {NAN, NAN, NAN, NAN, NAN}, 5, false, 0, 0},
    {"infinity and nan", {NAN, INFINITY}, 2, true, INFINITY, INFINITY},
    {"least in the last", {9, 8, 7, 6, 5, 4, 3, 2, 1}, 9, true, 1, 9},
    {"greatest in the middle", {1, 1, 1, 1, 1, 5, 1, 1, 1}, 9, true, 1, 5},
};

START_TEST(bounds_of_doubles) {
    const double_case *c = &double_cases[_i];
    rwl_parquet_bounds b;
    rwl_value low, high;
    rwl_type type = rwl_type_of(RWL_TYPE_DOUBLE);
    rwl_parquet_bounds_init(&b, &env, RWL_PARQUET_ORDER_DOUBLE);
    add_doubles(&b, c->values, c->count);
    ck_assert_msg(b.seen == c->seen, "%s", c->name);
    if (c->seen) {
        rwl_parquet_bounds_values(&b, &type, &low, &high);
        ck_assert_msg(low.as.f64 == c->low && signbit(low.as.f64) == signbit(c->low), "%s", c->name);
        ck_assert_msg(high.as.f64 == c->high && signbit(high.as.f64) == signbit(c->high), "%s", c->name);
    }
    rwl_parquet_bounds_clear(&b);
}
END_TEST

START_TEST(nan_is_counted_in_both_widths) {
    const double doubles[] = {1, NAN, 2, NAN, NAN};
    const float floats[] = {NAN, 1, -NAN, 0};
    ck_assert_uint_eq(rwl_parquet_nan_count((const uint8_t *)doubles, 5, 8), 3);
    ck_assert_uint_eq(rwl_parquet_nan_count((const uint8_t *)floats, 4, 4), 2);
}
END_TEST

START_TEST(decimals_are_ordered_by_sign) { /* BUG-151: not as unsigned bytes */
    const uint8_t values[3][9] = {
        {0, 0, 0, 0, 0, 0, 0, 0, 5}, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE}, {0}};
    rwl_parquet_bounds b;
    rwl_value low, high;
    rwl_type type = {.kind = RWL_TYPE_DECIMAL, .precision = 20, .scale = 0};
    rwl_parquet_bounds_init(&b, &env, RWL_PARQUET_ORDER_DECIMAL);
    ck_assert_int_eq(rwl_parquet_bounds_add_fixed(&b, values[0], 3, 9, NULL), RWL_OK);
    rwl_parquet_bounds_values(&b, &type, &low, &high);
    ck_assert(low.as.i128 == -2);
    ck_assert(high.as.i128 == 5);
    rwl_parquet_bounds_clear(&b);
}
END_TEST

START_TEST(bounds_merge_over_row_groups) { /* BUG-142 */
    const double first[] = {1, 2}, second[] = {-3}, nothing[] = {NAN};
    rwl_parquet_bounds file, chunk;
    rwl_parquet_bounds_init(&file, &env, RWL_PARQUET_ORDER_DOUBLE);
    rwl_parquet_bounds_init(&chunk, &env, RWL_PARQUET_ORDER_DOUBLE);
    add_doubles(&chunk, first, 2);
    ck_assert_int_eq(rwl_parquet_bounds_merge(&file, &chunk, NULL), RWL_OK);
    rwl_parquet_bounds_reset(&chunk);
    add_doubles(&chunk, second, 1);
    ck_assert_int_eq(rwl_parquet_bounds_merge(&file, &chunk, NULL), RWL_OK);
    rwl_parquet_bounds_reset(&chunk);
    add_doubles(&chunk, nothing, 1);
    ck_assert_int_eq(rwl_parquet_bounds_merge(&file, &chunk, NULL), RWL_OK);
    ck_assert(file.seen && file.as.f.low == -3 && file.as.f.high == 2);
    rwl_parquet_bounds_clear(&file);
    rwl_parquet_bounds_clear(&chunk);
}
END_TEST

typedef struct order_case {
    const char *low, *high, *middle;
} order_case;

/* Unsigned bytes, shorter first; equal in the first eight bytes in the later ones. */
static const order_case order_cases[] = {
    {"", "a", ""},
    {"a", "b", "aa"},
    {"abcdefgh", "abcdefghi", "abcdefgh"},
    {"abcdefgh1", "abcdefgh3", "abcdefgh2"},
    {"z", "\xC3\xA9", "zz"},
    {"ab", "abc", "ab"},
};

START_TEST(bytes_are_ordered_unsigned) {
    const order_case *c = &order_cases[_i];
    const char *order[4] = {c->middle, c->high, c->low, c->middle};
    char bytes[128];
    int32_t starts[4], ends[4], at = 0;
    for (int i = 0; i < 4; i++) {
        starts[i] = at;
        memcpy(bytes + at, order[i], strlen(order[i]));
        ends[i] = at += (int32_t)strlen(order[i]);
    }
    rwl_parquet_bounds b;
    rwl_parquet_bounds_init(&b, &env, RWL_PARQUET_ORDER_BYTES);
    ck_assert_int_eq(rwl_parquet_bounds_add_bytes(&b, (const uint8_t *)bytes, starts, ends, 4, NULL), RWL_OK);
    ck_assert(rwl_span_equal(rwl_buf_span(&b.low), rwl_span_str(c->low)));
    ck_assert(rwl_span_equal(rwl_buf_span(&b.high), rwl_span_str(c->high)));
    rwl_parquet_bounds_clear(&b);
}
END_TEST

START_TEST(fixed_bytes_are_ordered_unsigned) {
    const uint8_t values[4][10] = {
        {0x7F}, {0x80, 0, 0, 0, 0, 0, 0, 0, 0, 2}, {0x80, 0, 0, 0, 0, 0, 0, 0, 0, 1}, {0x7F, 1}};
    rwl_parquet_bounds b;
    rwl_parquet_bounds_init(&b, &env, RWL_PARQUET_ORDER_FIXED);
    ck_assert_int_eq(rwl_parquet_bounds_add_fixed(&b, values[0], 4, 10, NULL), RWL_OK);
    ck_assert_mem_eq(b.low.data, values[0], 10);
    ck_assert_mem_eq(b.high.data, values[1], 10);
    rwl_parquet_bounds_clear(&b);
}
END_TEST

/* --- statistics --- */

typedef struct cut_case {
    const char *name;
    int filler_count; /* so many times the filler */
    const char *filler;
    const char *tail;
    bool is_text, has_max;
    size_t min_len;      /* of the prefix */
    size_t max_kept;     /* bytes of it in the maximum */
    const char *max_end; /* what follows them */
} cut_case;

/* Statistics keep 64 bytes. BUG-140: cut between code points, the last one incremented past the surrogates,
 * dropped when it is the greatest; BUG-141: a maximum is rounded up or left out. */
static const cut_case cut_cases[] = {
    {"64 bytes fit", 64, "a", "", true, true, 64, 64, ""},
    {"ascii", 65, "a", "", true, true, 64, 63, "b"},
    {"cut before the euro sign", 63, "a", "\xE2\x82\xAC and more", true, true, 63, 62, "b"},
    {"euro sign just fits", 61, "a", "\xE2\x82\xAC and more", true, true, 64, 61, "\xE2\x82\xAD"},
    {"surrogates skipped", 61, "a", "\xED\x9F\xBF and more", true, true, 64, 61, "\xEE\x80\x80"},
    {"greatest code point dropped", 60, "a", "\xF4\x8F\xBF\xBF and more", true, true, 64, 59, "b"},
    {"nothing above", 17, "\xF4\x8F\xBF\xBF", "", true, false, 64, 0, ""},
    {"two bytes grow to none", 62, "a", "\xDF\xBF and more", true, true, 64, 61, "b"},
    {"text that is none", 62, "a", "\xE5\x80 and more", true, true, 64, 61, "b"},
    {"bytes", 65, "\x01", "", false, true, 64, 63, "\x02"},
    {"bytes carry", 63, "\x01", "\xFF\xFF", false, true, 64, 62, "\x02"},
    {"no bytes above", 65, "\xFF", "", false, false, 64, 0, ""},
};

START_TEST(long_bounds_are_cut) {
    const cut_case *c = &cut_cases[_i];
    char value[256] = "";
    for (int i = 0; i < c->filler_count; i++)
        strcat(value, c->filler);
    strcat(value, c->tail);
    int32_t start_off = 0, end = (int32_t)strlen(value);
    rwl_parquet_bounds b;
    rwl_parquet_shape shape = {RWL_PARQUET_BYTE_ARRAY, 0, 0, RWL_PARQUET_ORDER_BYTES};
    rwl_parquet_stat_bound min = {0}, max = {0};
    rwl_buf_init(&min.bytes, &env, SIZE_MAX);
    rwl_buf_init(&max.bytes, &env, SIZE_MAX);
    rwl_parquet_bounds_init(&b, &env, RWL_PARQUET_ORDER_BYTES);
    ck_assert_int_eq(rwl_parquet_bounds_add_bytes(&b, (const uint8_t *)value, &start_off, &end, 1, NULL),
                     RWL_OK);
    ck_assert_int_eq(rwl_parquet_bounds_stats(&b, &shape, c->is_text, &min, &max, NULL), RWL_OK);
    ck_assert(min.present && min.exact == (end <= 64));
    ck_assert_msg(min.bytes.len == c->min_len && memcmp(min.bytes.data, value, c->min_len) == 0, "%s",
                  c->name);
    ck_assert_msg(max.present == c->has_max, "%s", c->name);
    if (c->has_max) {
        ck_assert(max.exact == (end <= 64));
        ck_assert_msg(max.bytes.len == c->max_kept + strlen(c->max_end), "%s: %zu bytes", c->name,
                      max.bytes.len);
        ck_assert_msg(memcmp(max.bytes.data, value, c->max_kept) == 0, "%s", c->name);
        ck_assert_msg(memcmp(max.bytes.data + c->max_kept, c->max_end, strlen(c->max_end)) == 0, "%s",
                      c->name);
        ck_assert(rwl_span_compare(rwl_buf_span(&max.bytes), rwl_span_str(value)) >= 0);
    }
    rwl_buf_clear(&min.bytes);
    rwl_buf_clear(&max.bytes);
    rwl_parquet_bounds_clear(&b);
}
END_TEST

START_TEST(decimals_take_their_fewest_bytes) { /* 10^P - 1 <= 2^(8n-1) - 1 */
    static const struct {
        int32_t precision, bytes;
    } cases[] = {{1, 1},  {2, 1},  {3, 2},   {4, 2},   {5, 3},   {9, 4},   {10, 5},  {18, 8}, {19, 9},
                 {20, 9}, {21, 9}, {22, 10}, {23, 10}, {24, 11}, {28, 12}, {29, 13}, {38, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_int_eq(rwl_parquet_decimal_bytes(cases[i].precision), cases[i].bytes);
}
END_TEST

Suite *writer_bounds_suite(void) {
    Suite *suite = suite_create("parquet writer: bounds");
    TCase *tc = tcase_create("bounds");
    tcase_add_checked_fixture(tc, start, NULL);
    tcase_add_loop_test(tc, bounds_of_doubles, 0, sizeof double_cases / sizeof *double_cases);
    tcase_add_test(tc, nan_is_counted_in_both_widths);
    tcase_add_test(tc, decimals_are_ordered_by_sign);
    tcase_add_test(tc, bounds_merge_over_row_groups);
    tcase_add_loop_test(tc, bytes_are_ordered_unsigned, 0, sizeof order_cases / sizeof *order_cases);
    tcase_add_test(tc, fixed_bytes_are_ordered_unsigned);
    tcase_add_loop_test(tc, long_bounds_are_cut, 0, sizeof cut_cases / sizeof *cut_cases);
    tcase_add_test(tc, decimals_take_their_fewest_bytes);
    suite_add_tcase(suite, tc);
    return suite;
}
