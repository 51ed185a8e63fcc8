/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short ranges in one loop: random sequences, whole and broken, give the same values and the same end as segments looked at one by
 * one. ROWLINE_SEED repeats a run.
 */
#include "lance/plain.h"

#include "lance/sequence.h"
#include "made.h"
#include "suites.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { VALUES_MOST = 1 << 12 }; /* no longer are sequences compared: a broken range may have any number */

static made world;
static uint64_t seed;

static void set_up(void) {
    made_open(&world, 0);
    const char *given = getenv("ROWLINE_SEED");
    seed = given != NULL ? strtoull(given, NULL, 10) : (uint64_t)world.env.now_ms(world.env.ctx);
    printf("seed %" PRIu64 "\n", seed);
}

static void tear_down(void) {
    made_close(&world);
}

static uint64_t next_random(void) { /* splitmix64 */
    uint64_t z = (seed += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t pick(uint64_t n) {
    return next_random() % n;
}

/* --- sequences --- */

/* One to nine bytes, now and then a byte longer than it has to be. */
static size_t put_varint(uint8_t *to, uint64_t value) {
    size_t len = 0;
    for (; value >= 0x80; value >>= 7)
        to[len++] = (uint8_t)(value | 0x80);
    to[len++] = (uint8_t)value;
    if (pick(50) == 0) {
        to[len - 1] |= 0x80;
        to[len++] = 0;
    }
    return len;
}

/* Wraps the bytes from `at` on into a message of field 1. */
static size_t wrap(uint8_t *at, size_t len) {
    memmove(at + 2, at, len);
    at[0] = 0x0a;
    at[1] = (uint8_t)len;
    return len + 2;
}

/* A segment as every writer has it, mostly of one value; starts of every length, many of them next to a carry. */
static size_t make_segment(uint8_t *to) {
    uint64_t start = next_random() >> (8 + pick(56)), count = pick(4) > 0 ? 1 : pick(9);
    size_t len = 0;
    if (pick(4) == 0)
        start |= 0x7f - pick(3);
    if (start > 0 || pick(2) == 0) {
        to[len++] = 0x08;
        len += put_varint(to + len, start);
    }
    to[len++] = 0x10;
    len += put_varint(to + len, start + count);
    return wrap(to, wrap(to, len));
}

static size_t make_run(uint8_t *to) {
    size_t len = make_segment(to);
    to[len++] = 0x10;
    len += put_varint(to + len, next_random() >> (pick(2) == 0 ? 57 : 8 + pick(56)));
    return wrap(to, len);
}

static rwl_buf make_sequence(bool is_versions) {
    static const uint16_t numbers[] = {7, 3, 5};
    rwl_buf out;
    rwl_buf_init(&out, &world.env, SIZE_MAX);
    rwl_status st = RWL_OK;
    for (uint64_t left = 1 + pick(300); left > 0; left--) {
        uint8_t bytes[64];
        size_t len = is_versions ? make_run(bytes) : make_segment(bytes);
        st = st == RWL_OK ? rwl_buf_append(&out, bytes, len, NULL) : st;
        if (pick(200) == 0 && !is_versions)
            put_numbers(&out, false, numbers, 3);
        else if (pick(200) == 0 && is_versions)
            put_run(&out, 0, 20, 300);
    }
    ck_assert_int_eq(st, RWL_OK);
    return out;
}

/* --- comparing --- */

typedef struct outcome {
    rwl_runs runs;
    rwl_status status;
    rwl_error err;
} outcome;

/* Segment by segment, until the end, the first error, or more values than are compared. */
static void read_checked(const rwl_lance_arm *arm, bool is_versions, outcome *out) {
    rwl_lance_values v;
    bool more = true;
    rwl_runs_init(&out->runs, &world.env, is_versions ? 0 : 1);
    rwl_lance_values_init(&v, &world.op, arm, is_versions, NULL);
    while (more && out->runs.length <= VALUES_MOST) {
        rwl_segment_place place = {0, 0, 0};
        out->status = rwl_lance_values_next(&v, &more, &out->err);
        if (out->status != RWL_OK)
            break;
        int64_t count = !more ? 0 : is_versions ? v.rest : v.segment.count;
        if (count > VALUES_MOST)
            count = VALUES_MOST + 1;
        rwl_status st = is_versions ? rwl_runs_append(&out->runs, v.version, count, NULL)
                                    : rwl_segment_read(&v.segment, &place, count, &out->runs, NULL);
        if (st != RWL_OK)
            ck_abort_msg("%" PRId64 " values: status %d", count, (int)st);
    }
    rwl_lance_values_clear(&v);
}

/* In pieces, some of them passed, until there is an error or `count` values are read. */
static void read_pieces(const rwl_lance_arm *arm, bool is_versions, int64_t count, bool with_skips,
                        outcome *out, int64_t *skipped) {
    rwl_lance_values v;
    int64_t row = 0;
    rwl_runs_init(&out->runs, &world.env, is_versions ? 0 : 1);
    rwl_lance_values_init(&v, &world.op, arm, is_versions, NULL);
    *skipped = with_skips && count > 0 ? (int64_t)pick((uint64_t)count) : 0;
    out->status = rwl_lance_values_skip(&v, *skipped, &out->err);
    for (row = *skipped; out->status == RWL_OK && row < count;) {
        int64_t piece = 1 + (int64_t)pick(pick(3) == 0 ? 8 : 1000);
        if (piece > count - row)
            piece = count - row;
        out->status = rwl_lance_values_read(&v, piece, &out->runs, &out->err);
        row += piece;
    }
    if (out->status ==
        RWL_OK) /* one value more than there are brings the error, or tells that there are no more */
        out->status = rwl_lance_values_read(&v, 1, &out->runs, &out->err);
    rwl_lance_values_clear(&v);
}

static void compare(const rwl_buf *bytes, bool is_versions) {
    rwl_lance_arm arm = made_arm(bytes);
    outcome wanted, got;
    int64_t skipped;
    read_checked(&arm, is_versions, &wanted);
    int64_t count = wanted.runs.length < VALUES_MOST ? wanted.runs.length : VALUES_MOST;
    read_pieces(&arm, is_versions, count, pick(2) == 0, &got, &skipped);
    ck_assert_int_ge(got.runs.length, count - skipped);
    for (int64_t i = skipped; i < count; i++) { /* an assertion a value takes longer than all the rest */
        int64_t a = 0, b = 0;
        bool both = rwl_runs_get(&wanted.runs, i, &a) && rwl_runs_get(&got.runs, i - skipped, &b);
        if (!both || a != b)
            ck_abort_msg("value %" PRId64 ": %" PRId64 ", not %" PRId64, i, b, a);
    }
    if (wanted.status != RWL_OK) {
        ck_assert_int_eq(got.status, wanted.status);
        ck_assert_msg(strstr(got.err.message, wanted.err.message) != NULL, "%s, not %s", got.err.message,
                      wanted.err.message);
    } else if (wanted.runs.length < VALUES_MOST) {
        ck_assert_int_eq(got.status, RWL_CORRUPT);
        ck_assert_msg(strstr(got.err.message, "1 more are missing") != NULL, "%s", got.err.message);
    }
    rwl_runs_clear(&wanted.runs);
    rwl_runs_clear(&got.runs);
}

START_TEST(sequences_of_short_ranges_are_read_as_one_by_one) {
    for (int round = 0; round < 300; round++) {
        rwl_buf b = make_sequence(round % 2 == 0);
        compare(&b, round % 2 == 0);
        rwl_buf_clear(&b);
    }
}
END_TEST

START_TEST(broken_sequences_break_at_the_same_value) {
    for (int round = 0; round < 300; round++) {
        rwl_buf b = make_sequence(round % 2 == 0);
        if (pick(3) == 0)
            b.len = pick(b.len);
        for (uint64_t left = 1 + pick(3); left > 0 && b.len > 0; left--) {
            uint8_t *at = &b.data[pick(b.len)];
            *at = (uint8_t)(pick(2) == 0 ? *at ^ 1U << pick(8) : pick(256));
        }
        compare(&b, round % 2 == 0);
        rwl_buf_clear(&b);
    }
}
END_TEST

/* Bytes of the encoding's own alphabet, so that tags and lengths meet in every way. */
START_TEST(random_bytes_break_at_the_same_value) {
    static const uint8_t alphabet[] = {0x0a, 0x0a, 0x0a, 0x08, 0x08, 0x10, 0x10, 0x04, 0x06,
                                       0x08, 0x0a, 0x0c, 0x01, 0x02, 0x7f, 0x80, 0xff, 0x00};
    for (int round = 0; round < 1500; round++) {
        rwl_buf b = make_sequence(round % 2 == 0);
        size_t from = pick(b.len), len = b.len - from < 100 ? b.len - from : 100;
        for (size_t i = 0; i < len; i++)
            b.data[from + i] = alphabet[pick(sizeof alphabet)];
        compare(&b, round % 2 == 0);
        rwl_buf_clear(&b);
    }
}
END_TEST

/* That the loop is what reads them: all but the last few of bytes without anything rare. */
START_TEST(plain_ranges_are_read_in_the_loop) {
    enum { COUNT = 1000, CARRY = 50 };
    int64_t values[COUNT];
    rwl_buf b;
    size_t pos = 0;
    rwl_buf_init(&b, &world.env, SIZE_MAX);
    for (uint64_t i = 0; i < COUNT; i++) /* multiples of 128 and some: no carry */
        put_range(&b, i * 7919 * 128 + i % CARRY + 1, i * 7919 * 128 + i % CARRY + 2);
    int64_t rows = rwl_lance_plain_unpack(b.data, b.len, &pos, false, values, COUNT);
    ck_assert_int_gt(rows, COUNT - 8);
    for (int64_t i = 0; i < rows; i++)
        ck_assert_int_eq(values[i], i * 7919 * 128 + i % CARRY + 1);
    rwl_buf_reset(&b);
    for (uint64_t i = 0; i < COUNT; i++)
        put_run(&b, 128 * i + 1, 1, i % 300 + 1);
    pos = 0;
    rows = rwl_lance_plain_unpack(b.data, b.len, &pos, true, values, COUNT);
    for (int64_t i = 0; i < rows; i++)
        ck_assert_int_eq(values[i], i % 300 + 1);
    rwl_buf_clear(&b);
}
END_TEST

Suite *plain_suite(void) {
    Suite *suite = suite_create("plain");
    TCase *tc = tcase_create("plain");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, sequences_of_short_ranges_are_read_as_one_by_one);
    tcase_add_test(tc, broken_sequences_break_at_the_same_value);
    tcase_add_test(tc, random_bytes_break_at_the_same_value);
    tcase_add_test(tc, plain_ranges_are_read_in_the_loop);
    suite_add_tcase(suite, tc);
    return suite;
}
