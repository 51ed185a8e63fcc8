/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short ranges in one loop: random sequences, whole and broken, give the same values and the same end as segments looked at one by
 * one. ROWLINE_SEED gives others.
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
    seed = given != NULL ? strtoull(given, NULL, 10) : 20261130;
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

/* Bounds that look like a start and an end a little behind it, of bytes that need not be varints at all; a length may be wrong. */
static size_t make_crooked(uint8_t *to, bool is_versions) {
    uint64_t n = 1 + pick(8), more = pick(2) == 0 ? UINT64_C(0x8080808080808080) : pick(2) << pick(64);
    uint64_t start = (next_random() | more | (pick(2) == 0 ? 0x7e : 0)) & UINT64_MAX >> (64 - 8 * n);
    if (pick(2) == 0)
        start &= ~(UINT64_C(0x80) << (8 * n - 8));
    uint64_t end = start + pick(5);
    size_t len = 0;
    to[len++] = 0x08;
    memcpy(to + len, &start, n);
    len += n;
    to[len++] = 0x10;
    memcpy(to + len, &end, n);
    len = wrap(to, wrap(to, len + n));
    if (is_versions) {
        to[len++] = pick(4) == 0 ? 0x18 : 0x10; /* an unknown field, and version 0 */
        len += put_varint(to + len, pick(20000));
        len = wrap(to, len);
    }
    if (pick(3) == 0) {
        uint8_t *at = &to[1 + 2 * pick(is_versions ? 3 : 2)];
        *at = (uint8_t)(*at + pick(3) - 1);
    }
    return len;
}

/* At least so many ranges that the values turn dense, without which there is no loop. */
static rwl_buf make_sequence(bool is_versions, uint64_t most) {
    static const uint16_t numbers[] = {7, 3, 5};
    rwl_buf out;
    rwl_buf_init(&out, &world.env, SIZE_MAX);
    rwl_status st = RWL_OK;
    for (uint64_t left = 80 + pick(most); left > 0; left--) {
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

/* In pieces that don't end where the values do, the first `skipped` passed; until there is an error, or more than are compared. */
static void read_pieces(const rwl_lance_arm *arm, bool is_versions, int64_t skipped, outcome *out) {
    rwl_lance_values v;
    rwl_runs_init(&out->runs, &world.env, is_versions ? 0 : 1);
    rwl_lance_values_init(&v, &world.op, arm, is_versions, NULL);
    out->status = rwl_lance_values_skip(&v, skipped, &out->err);
    while (out->status == RWL_OK && out->runs.length <= VALUES_MOST)
        out->status =
            rwl_lance_values_read(&v, 1 + (int64_t)pick(pick(3) == 0 ? 8 : 1000), &out->runs, &out->err);
    rwl_lance_values_clear(&v);
}

static void compare(const rwl_buf *bytes, bool is_versions) {
    rwl_lance_arm arm = made_arm(bytes);
    outcome wanted, got;
    read_checked(&arm, is_versions, &wanted);
    bool is_whole = wanted.runs.length < VALUES_MOST;
    int64_t count = is_whole ? wanted.runs.length : VALUES_MOST;
    int64_t skipped = pick(2) == 0 ? (int64_t)pick((uint64_t)count + 1) : 0;
    read_pieces(&arm, is_versions, skipped, &got);
    ck_assert_int_ge(got.runs.length, count - skipped);
    if (is_whole)
        ck_assert_int_eq(got.runs.length, count - skipped);
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
    } else if (is_whole) {
        ck_assert_int_eq(got.status, RWL_CORRUPT);
        ck_assert_msg(strstr(got.err.message, "more are missing") != NULL, "%s", got.err.message);
    }
    rwl_runs_clear(&wanted.runs);
    rwl_runs_clear(&got.runs);
}

START_TEST(sequences_of_short_ranges_are_read_as_one_by_one) {
    for (int round = 0; round < 300; round++) {
        rwl_buf b = make_sequence(round % 2 == 0, 300);
        compare(&b, round % 2 == 0);
        rwl_buf_clear(&b);
    }
}
END_TEST

START_TEST(broken_sequences_break_at_the_same_value) {
    for (int round = 0; round < 300; round++) {
        rwl_buf b = make_sequence(round % 2 == 0, 300);
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

START_TEST(crooked_ranges_are_looked_at) {
    for (int round = 0; round < 6000; round++) {
        bool is_versions = round % 2 == 0;
        rwl_buf b = make_sequence(is_versions, 50);
        uint8_t bytes[64];
        size_t len = make_crooked(bytes, is_versions);
        ASSERT_OK(rwl_buf_append(&b, bytes, len, err));
        for (uint64_t i = 0; i < 8;
             i++) /* so that it is not among the last bytes, which never are unpacked in the loop */
            is_versions ? put_run(&b, 1, 2, 3) : put_range(&b, 1, 2);
        compare(&b, is_versions);
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
    tcase_add_test(tc, crooked_ranges_are_looked_at);
    tcase_add_test(tc, plain_ranges_are_read_in_the_loop);
    suite_add_tcase(suite, tc);
    return suite;
}
