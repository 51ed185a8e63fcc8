/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels against loops over single values: take, ranges, promotion, row hashes. */
#include "suites.h"

static rwl_env env;
static void setup(void) {
    rwl_env_init_default(&env);
}

static void fill_random(rwl_column *c, const rwl_type *type, int rows, int null_every, uint64_t *seed) {
    uint8_t room[32];
    rwl_column_init_flat(c, type);
    for (int i = 0; i < rows; i++) {
        rwl_value v = random_value(type, seed, null_every, room);
        OK(rwl_column_append(c, &env, &v, 1, err));
    }
}

static void expect_row(const rwl_column *in, int64_t i, const rwl_column *out, int64_t k) {
    rwl_value a = rwl_column_value(in, i);
    rwl_value b = rwl_column_value(out, k);
    ck_assert_msg(rwl_value_equal(&a, &b), "row %lld as %lld", (long long)i, (long long)k);
}

START_TEST(takes_ranges_and_rows) {
    const rwl_type *type = &ALL_TYPES[_i];
    uint64_t seed = 11 + (uint64_t)_i;
    for (int nulls = 0; nulls < 4; nulls++) { /* bit 0: nulls in `in`, bit 1: nulls before in `out` */
        rwl_column in;
        rwl_column out;
        fill_random(&in, type, 500, nulls & 1 ? 4 : 0, &seed);
        fill_random(&out, type, 37, nulls & 2 ? 3 : 0, &seed);
        rwl_range ranges[] = {{0, 3}, {5, 1}, {6, 0}, {64, 200}, {301, 77}, {499, 1}};
        OK(rwl_column_take_ranges(&in, ranges, 6, &out, &env, err));
        int64_t k = 37;
        for (int r = 0; r < 6; r++) {
            for (int64_t i = 0; i < ranges[r].count; i++)
                expect_row(&in, ranges[r].start + i, &out, k++);
        }
        ck_assert_int_eq(out.length, k);
        int32_t rows[300];
        for (int i = 0; i < 300; i++)
            rows[i] = (int32_t)(next_random(&seed) % 500);
        OK(rwl_column_take(&in, rows, 300, &out, &env, err));
        for (int i = 0; i < 300; i++)
            expect_row(&in, rows[i], &out, k + i);
        int64_t null_count = 0;
        for (int64_t i = 0; i < out.length; i++)
            null_count += rwl_column_is_null(&out, i);
        ck_assert_int_eq(null_count, out.null_count);
        rwl_column_clear(&in, &env);
        rwl_column_clear(&out, &env);
    }
}
END_TEST

START_TEST(refuses_rows_outside_the_column) {
    rwl_type type = rwl_type_of(RWL_TYPE_INT);
    uint64_t seed = 1;
    rwl_column in;
    rwl_column out;
    rwl_error fault = {0};
    fill_random(&in, &type, 10, 0, &seed);
    rwl_column_init_flat(&out, &type);
    rwl_range bad[] = {{8, 3}};
    ck_assert_int_eq(rwl_column_take_ranges(&in, bad, 1, &out, &env, &fault), RWL_INTERNAL);
    int32_t rows[] = {10};
    ck_assert_int_eq(rwl_column_take(&in, rows, 1, &out, &env, &fault), RWL_INTERNAL);
    rows[0] = -1;
    ck_assert_int_eq(rwl_column_take(&in, rows, 1, &out, &env, &fault), RWL_INTERNAL);
    rwl_column_clear(&in, &env);
    rwl_column_clear(&out, &env);
}
END_TEST

START_TEST(turns_bits_into_ranges) {
    uint64_t seed = 5;
    uint8_t bits[64];
    rwl_range ranges[260];
    for (int round = 0; round < 2000; round++) {
        int64_t length = (int64_t)(next_random(&seed) % 512);
        for (int i = 0; i < 64; i++)
            bits[i] = round % 4 == 0   ? 0xFF
                      : round % 4 == 1 ? 0
                                       : (uint8_t)(next_random(&seed) | next_random(&seed));
        if (round % 4 == 3)
            memset(bits + 8, 0xFF, 30);
        size_t n = rwl_ranges_from_bits(bits, length, ranges);
        int64_t at = 0;
        for (size_t r = 0; r < n; r++) {
            ck_assert_int_gt(ranges[r].count, 0);
            ck_assert(r == 0 || ranges[r].start > at); /* maximal: a gap between ranges */
            for (; at < ranges[r].start; at++)
                ck_assert(!rwl_bit_get(bits, at));
            for (int64_t i = 0; i < ranges[r].count; i++, at++)
                ck_assert(rwl_bit_get(bits, at));
        }
        ck_assert_int_le(at, length);
        for (; at < length; at++)
            ck_assert(!rwl_bit_get(bits, at));
    }
}
END_TEST

START_TEST(promotes_as_the_specification_allows) {
    static const struct {
        const char *from, *value, *to, *expect;
    } CASES[] = {
        {"int", "-7", "long", "-7"},
        {"float", "0.1", "double", "0.10000000149011612"},
        {"decimal(4,2)", "1.50", "decimal(20,2)", "1.50"},
        {"date", "1969-12-31", "timestamp", "1969-12-31T00:00:00.000000"},
        {"date", "2026-11-30", "timestamp_ns", "2026-11-30T00:00:00.000000000"},
        {"string", "x", "string", "x"},
        {"binary", "c3a4", "string", "\xc3\xa4"},
        {"fixed[2]", "00ff", "fixed[2]", "00ff"},
    };
    rwl_arena arena;
    rwl_arena_init(&arena, &env, 0);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        rwl_type from;
        rwl_type to;
        rwl_value v;
        rwl_value expect;
        ck_assert(rwl_type_parse(CASES[i].from, &arena, &from) && rwl_type_parse(CASES[i].to, &arena, &to));
        OK(rwl_value_parse(&from, rwl_span_str(CASES[i].value), &arena, &v, err));
        OK(rwl_value_parse(&to, rwl_span_str(CASES[i].expect), &arena, &expect, err));
        rwl_column in;
        rwl_column out;
        rwl_column_init_flat(&in, &from);
        rwl_column_init_flat(&out, &to);
        rwl_value null = rwl_value_null(from.kind);
        OK(rwl_column_append(&in, &env, &v, 3, err));
        OK(rwl_column_append(&in, &env, &null, 1, err));
        for (int round = 0; round < 2; round++) {
            OK(rwl_column_promote(&in, &out, &env, err));
            ck_assert_int_eq(out.length, 4);
            ck_assert_int_eq(out.null_count, 1);
            rwl_value got = rwl_column_value(&out, 2);
            ck_assert_msg(rwl_value_equal(&got, &expect), "%s to %s", CASES[i].from, CASES[i].to);
            ck_assert(rwl_column_is_null(&out, 3));
        }
        rwl_column_clear(&in, &env);
        rwl_column_clear(&out, &env);
    }
    rwl_arena_clear(&arena);
}
END_TEST

START_TEST(takes_nanoseconds_as_microseconds_only_where_nothing_is_cut) {
    rwl_type ns = {.kind = RWL_TYPE_TIME, .parameters = RWL_TYPE_NANOS};
    rwl_type us = rwl_type_of(RWL_TYPE_TIME);
    ck_assert(!rwl_type_equal(&ns, &us) && rwl_type_equal(&ns, &ns));
    rwl_value v = {.kind = RWL_TYPE_TIME, .as.i64 = INT64_C(86399999999000)}, null = rwl_value_null(ns.kind);
    rwl_column in, out;
    rwl_error fault = {0};
    rwl_column_init_flat(&in, &ns);
    rwl_column_init_flat(&out, &us);
    OK(rwl_column_append(&in, &env, &v, 1, err));
    OK(rwl_column_append(&in, &env, &null, 1, err));
    OK(rwl_column_promote(&in, &out, &env, err));
    ck_assert_int_eq(rwl_column_i64(&out)[0], INT64_C(86399999999));
    ck_assert(out.length == 2 && rwl_column_is_null(&out, 1));
    v.as.i64 = 1001;
    OK(rwl_column_append(&in, &env, &v, 1, err));
    ck_assert_int_eq(rwl_column_promote(&in, &out, &env, &fault), RWL_UNSUPPORTED);
    ck_assert_str_eq(fault.message, "a time of 1001 ns is no whole number of microseconds");
    rwl_column_clear(&out, &env);
    rwl_column_init_flat(&out, &ns); /* as they are, where they stay what they are */
    OK(rwl_column_promote(&in, &out, &env, err));
    ck_assert_int_eq(rwl_column_i64(&out)[2], 1001);
    rwl_column_clear(&in, &env);
    rwl_column_clear(&out, &env);
}
END_TEST

START_TEST(refuses_promotions_that_are_none) {
    rwl_type types[] = {{.kind = RWL_TYPE_LONG},
                        {.kind = RWL_TYPE_INT},
                        {.kind = RWL_TYPE_DECIMAL, .precision = 9, .scale = 2},
                        {.kind = RWL_TYPE_DECIMAL, .precision = 9, .scale = 3},
                        {.kind = RWL_TYPE_DATE},
                        {.kind = RWL_TYPE_TIMESTAMPTZ}};
    for (int i = 0; i < 6; i += 2) {
        rwl_column in;
        rwl_column out;
        rwl_error fault = {0};
        rwl_column_init_flat(&in, &types[i]);
        rwl_column_init_flat(&out, &types[i + 1]);
        ck_assert_int_eq(rwl_column_promote(&in, &out, &env, &fault), RWL_UNSUPPORTED);
        rwl_column_clear(&out, &env);
    }
    rwl_type date = rwl_type_of(RWL_TYPE_DATE);
    rwl_type ns = rwl_type_of(RWL_TYPE_TIMESTAMP_NS);
    rwl_column in;
    rwl_column out;
    rwl_error fault = {0};
    rwl_value v = rwl_value_null(RWL_TYPE_DATE);
    v.is_null = false;
    v.as.i32 = 106752; /* 2^63 ns are 106751.99 days */
    rwl_column_init_flat(&in, &date);
    rwl_column_init_flat(&out, &ns);
    OK(rwl_column_append(&in, &env, &v, 1, err));
    ck_assert_int_eq(rwl_column_promote(&in, &out, &env, &fault), RWL_CORRUPT);
    rwl_column_clear(&in, &env);
    rwl_column_clear(&out, &env);
}
END_TEST

START_TEST(row_hashes_do_not_depend_on_how_batches_are_cut) {
    const rwl_type *type = &ALL_TYPES[_i];
    uint64_t seed = 21 + (uint64_t)_i;
    enum { N = 300, CUT = 113 };
    rwl_column all;
    rwl_column part;
    fill_random(&all, type, N, 4, &seed);
    static rwl_u128 whole[N];
    static rwl_u128 pieces[N];
    memset(whole, 0, sizeof whole);
    memset(pieces, 0, sizeof pieces);
    rwl_column_hash_rows(&all, whole);
    rwl_range ranges[] = {{0, CUT}, {CUT, N - CUT}};
    for (int i = 0; i < 2; i++) {
        rwl_column_init_flat(&part, type);
        OK(rwl_column_take_ranges(&all, &ranges[i], 1, &part, &env, err));
        rwl_column_hash_rows(&part, pieces + ranges[i].start);
        rwl_column_clear(&part, &env);
    }
    ck_assert_mem_eq(whole, pieces, sizeof whole);
    for (int i = 0; i < N; i++) { /* equal hashes exactly for equal bits */
        for (int k = 0; k < i; k++) {
            rwl_value a = rwl_column_value(&all, i);
            rwl_value b = rwl_column_value(&all, k);
            ck_assert_int_eq(whole[i] == whole[k], rwl_value_equal(&a, &b));
        }
    }
    rwl_column_clear(&all, &env);
}
END_TEST

static rwl_u128 hash_one(const rwl_type *type, const rwl_value *v, rwl_u128 state) {
    rwl_column c;
    rwl_column_init_flat(&c, type);
    OK(rwl_column_append(&c, &env, v, 1, err));
    rwl_column_hash_rows(&c, &state);
    rwl_column_clear(&c, &env);
    return state;
}

START_TEST(row_hashes_tell_kind_null_and_bits_apart) {
    rwl_u128 seen[64];
    int n = 0;
    for (int i = 0; i < ALL_TYPE_COUNT; i++) {
        if (ALL_TYPES[i].kind == RWL_TYPE_FIXED && ALL_TYPES[i].length == 8)
            continue; /* its null is the other fixed's */
        rwl_value null = rwl_value_null(ALL_TYPES[i].kind);
        seen[n++] = hash_one(&ALL_TYPES[i], &null, 0);
        rwl_type t = ALL_TYPES[i];
        if (t.kind == RWL_TYPE_UNKNOWN || t.kind == RWL_TYPE_UUID || t.kind == RWL_TYPE_FIXED)
            continue;
        rwl_value zero = null; /* all zero bytes, or no bytes */
        zero.is_null = false;
        seen[n++] = hash_one(&t, &zero, 0);
    }
    rwl_type t = rwl_type_of(RWL_TYPE_DOUBLE);
    rwl_value v = rwl_value_null(RWL_TYPE_DOUBLE);
    v.is_null = false;
    v.as.f64 = -0.0;
    seen[n++] = hash_one(&t, &v, 0);
    v.as.f64 = __builtin_nan("");
    seen[n++] = hash_one(&t, &v, 0);
    v.as.f64 = __builtin_nan("1");
    seen[n++] = hash_one(&t, &v, 0);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            ck_assert_msg(seen[i] != seen[k], "%d and %d", i, k);
    }
    /* the order of columns matters */
    rwl_value a = rwl_value_null(RWL_TYPE_LONG);
    rwl_value b = a;
    a.is_null = b.is_null = false;
    a.as.i64 = 1;
    b.as.i64 = 2;
    t = rwl_type_of(RWL_TYPE_LONG);
    ck_assert(hash_one(&t, &b, hash_one(&t, &a, 0)) != hash_one(&t, &a, hash_one(&t, &b, 0)));
}
END_TEST

/* Flipping any input bit flips each output bit about half the time: 64 x 128 counters over 2000 values,
 * mean 1000, deviation 22.4; 6 deviations leave room for 8192 counters. */
START_TEST(row_hashes_avalanche) {
    enum { TRIALS = 2000 };
    static int flips[64][128];
    memset(flips, 0, sizeof flips);
    uint64_t seed = 99;
    rwl_type t = rwl_type_of(RWL_TYPE_LONG);
    rwl_column c;
    rwl_column_init_flat(&c, &t);
    rwl_value zero = rwl_value_null(RWL_TYPE_LONG);
    zero.is_null = false;
    OK(rwl_column_append(&c, &env, &zero, 65, err));
    int64_t *values = (int64_t *)(void *)c.values.data;
    for (int trial = 0; trial < TRIALS; trial++) {
        int64_t v = trial; /* small values, the hard case */
        rwl_u128 state = (rwl_u128)next_random(&seed) << 64 | next_random(&seed);
        rwl_u128 hashes[65];
        for (int i = 0; i < 65; i++) {
            values[i] = i < 64 ? v ^ (int64_t)(UINT64_C(1) << i) : v;
            hashes[i] = state;
        }
        rwl_column_hash_rows(&c, hashes);
        for (int i = 0; i < 64; i++) {
            rwl_u128 diff = hashes[i] ^ hashes[64];
            for (int b = 0; b < 128; b++)
                flips[i][b] += (int)(diff >> b & 1);
        }
    }
    for (int i = 0; i < 64; i++) {
        for (int b = 0; b < 128; b++)
            ck_assert_msg(flips[i][b] > 1000 - 135 && flips[i][b] < 1000 + 135, "in %d out %d: %d of %d", i,
                          b, flips[i][b], TRIALS);
    }
    rwl_column_clear(&c, &env);
}
END_TEST

START_TEST(checks_values_against_their_type) {
    const struct {
        const char *type;
        rwl_value v;
        bool ok;
    } cases[] = {
        {"decimal(38,0)", {.kind = RWL_TYPE_DECIMAL, .as.i128 = rwl_i128_pow10(38) - 1}, true},
        {"decimal(38,0)", {.kind = RWL_TYPE_DECIMAL, .as.i128 = 1 - rwl_i128_pow10(38)}, true},
        {"decimal(38,0)", {.kind = RWL_TYPE_DECIMAL, .as.i128 = rwl_i128_pow10(38)}, false},
        {"decimal(38,0)", {.kind = RWL_TYPE_DECIMAL, .as.i128 = -rwl_i128_pow10(38)}, false},
        {"decimal(1,1)", {.kind = RWL_TYPE_DECIMAL, .as.i128 = -9}, true},
        {"decimal(1,1)", {.kind = RWL_TYPE_DECIMAL, .as.i128 = 10}, false},
        {"time", {.kind = RWL_TYPE_TIME, .as.i64 = 0}, true},
        {"time", {.kind = RWL_TYPE_TIME, .as.i64 = 86399999999}, true},
        {"time", {.kind = RWL_TYPE_TIME, .as.i64 = 86400000000}, false},
        {"time", {.kind = RWL_TYPE_TIME, .as.i64 = -1}, false},
        {"string", {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_of("", 0)}, true},
        {"string", {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_of("\xc3\xa4", 2)}, true},
        {"string", {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_of("\xa4", 1)}, false},
        {"binary", {.kind = RWL_TYPE_BINARY, .as.bytes = rwl_span_of("\xa4", 1)}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rwl_column c;
        rwl_type type;
        rwl_error error = {0};
        ck_assert(rwl_type_parse(cases[i].type, NULL, &type));
        rwl_column_init_flat(&c, &type);
        rwl_value null = rwl_value_null(type.kind);
        OK(rwl_column_check_values(&c, err));
        OK(rwl_column_append(&c, &env, &null, 3, err));
        OK(rwl_column_append(&c, &env, &cases[i].v, 2, err));
        rwl_status want = cases[i].ok ? RWL_OK : RWL_CORRUPT;
        ck_assert_msg(rwl_column_check_values(&c, &error) == want, "case %zu: %s", i, error.message);
        if (!cases[i].ok)
            ck_assert_ptr_nonnull(strstr(error.message, "row 3: "));
        rwl_column_clear(&c, &env);
    }
    /* one string ends inside a sequence, the next begins there: together they are UTF-8 */
    rwl_type type = rwl_type_of(RWL_TYPE_STRING);
    rwl_column c;
    rwl_error error = {0};
    rwl_column_init_flat(&c, &type);
    for (int i = 0; i < 2; i++) {
        rwl_value half = {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_of(i == 0 ? "\xc3" : "\xa4", 1)};
        OK(rwl_column_append(&c, &env, &half, 1, err));
    }
    ck_assert_int_eq(rwl_column_check_values(&c, &error), RWL_CORRUPT);
    ck_assert_ptr_nonnull(strstr(error.message, "row 0: a string is not UTF-8"));
    rwl_column_clear(&c, &env);
}
END_TEST

TCase *kernel_cases(void) {
    TCase *tc = tcase_create("kernels");
    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_loop_test(tc, takes_ranges_and_rows, 0, ALL_TYPE_COUNT);
    tcase_add_test(tc, refuses_rows_outside_the_column);
    tcase_add_test(tc, turns_bits_into_ranges);
    tcase_add_test(tc, promotes_as_the_specification_allows);
    tcase_add_test(tc, takes_nanoseconds_as_microseconds_only_where_nothing_is_cut);
    tcase_add_test(tc, refuses_promotions_that_are_none);
    tcase_add_test(tc, checks_values_against_their_type);
    tcase_add_loop_test(tc, row_hashes_do_not_depend_on_how_batches_are_cut, 0, ALL_TYPE_COUNT);
    tcase_add_test(tc, row_hashes_tell_kind_null_and_bits_apart);
    tcase_add_test(tc, row_hashes_avalanche);
    return tc;
}
