/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of 64-bit numbers against a plain array of flags. */
#include "bitmap/bitmap.h"
#include "cases.h"

#include <stdlib.h>

static rwl_env env;
static rwl_error err;

static rwl_bitmap *new_bitmap(void) {
    rwl_bitmap *b;
    rwl_env_init_default(&env);
    ck_assert_int_eq(rwl_bitmap_new(&env, &b, &err), RWL_OK);
    return b;
}

static void add(rwl_bitmap *b, int64_t value) {
    if (rwl_bitmap_add(b, value, &err) != RWL_OK)
        ck_abort_msg("%s", err.message);
}

static void add_range(rwl_bitmap *b, int64_t start, int64_t count) {
    if (rwl_bitmap_add_range(b, start, count, &err) != RWL_OK)
        ck_abort_msg("%s", err.message);
}

/* A shadow: SHADOW_LEN flags that stand for the numbers from `base` on. */
#define SHADOW_LEN 300000

typedef struct shadow {
    int64_t base;
    uint8_t flags[SHADOW_LEN];
} shadow;

static uint64_t random_state;

static uint64_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* As ck_assert, without its message to the parent process for each check that holds. */
#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            ck_abort_msg("%s does not hold", #condition);                                                    \
    } while (0)

static void check_runs(const rwl_bitmap *b, const shadow *s) {
    int64_t from = 0, start, count, i = 0;
    while (rwl_bitmap_next_run(b, from, &start, &count)) {
        for (; i < start - s->base; i++)
            CHECK(!s->flags[i]); /* not missed */
        CHECK(count > 0);
        for (; i < start - s->base + count; i++)
            CHECK(s->flags[i]);                 /* not invented */
        CHECK(i == SHADOW_LEN || !s->flags[i]); /* maximal */
        from = start + count;
    }
    for (; i < SHADOW_LEN; i++)
        CHECK(!s->flags[i]);
}

/* A walk finds what searching finds, upwards, by leaps and back. */
static void check_walk(const rwl_bitmap *b, const shadow *s) {
    rwl_bitmap_walk walk = {.bitmap = b};
    int64_t from = 0, start, count, start2, count2;
    for (int i = 0; i < 3000; i++) {
        bool found = rwl_bitmap_next_run(b, from, &start, &count);
        CHECK(rwl_bitmap_walk_run(&walk, from, &start2, &count2) == found);
        CHECK(!found || (start == start2 && count == count2));
        switch (next_random() % 16) {
        case 0:
            from = s->base + (int64_t)(next_random() % SHADOW_LEN);
            break;
        case 1:
            from += (int64_t)(next_random() % 500);
            break;
        default:
            from = found ? start + count : 0;
        }
    }
}

static void check_against(const rwl_bitmap *b, const shadow *s) {
    int64_t total = 0;
    for (int64_t i = 0; i < SHADOW_LEN; i++) {
        total += s->flags[i];
        if (rwl_bitmap_contains(b, s->base + i) != s->flags[i])
            ck_abort_msg("contains(%lld) differs", (long long)(s->base + i));
    }
    check_walk(b, s);
    ck_assert_int_eq(rwl_bitmap_count(b), total);
    ck_assert_int_eq(rwl_bitmap_count_range(b, 0, INT64_MAX), total);
    check_runs(b, s);
    for (int n = 0; n < 20; n++) {
        int64_t start = (int64_t)(next_random() % SHADOW_LEN), count = (int64_t)(next_random() % 100000),
                want = 0;
        for (int64_t i = start; i < start + count && i < SHADOW_LEN; i++)
            want += s->flags[i];
        ck_assert_int_eq(rwl_bitmap_count_range(b, s->base + start, count), want);
    }
}

static void change(rwl_bitmap *b, shadow *s, int step) {
    int64_t at = (int64_t)(next_random() % SHADOW_LEN), count = 1;
    if (step % 50 == 0)
        count = (int64_t)(next_random() % 20000);
    else if (step % 5 == 0)
        count = (int64_t)(next_random() % 20);
    count = at + count > SHADOW_LEN ? SHADOW_LEN - at : count;
    if (count == 1) {
        bool was_there;
        CHECK(rwl_bitmap_add_checked(b, s->base + at, &was_there, &err) == RWL_OK);
        CHECK(was_there == s->flags[at]);
    } else {
        add_range(b, s->base + at, count);
    }
    memset(s->flags + at, 1, (size_t)count);
}

/* The base puts the border of two keys (2^32) into the range. */
START_TEST(agrees_with_a_shadow_of_random_changes) {
    static shadow s;
    random_state = 88172645463325252u + (uint64_t)_i;
    memset(&s, 0, sizeof s);
    s.base = (INT64_C(1) << 32) * (_i + 1) - 100000;
    rwl_bitmap *b = new_bitmap();
    int steps = (int[]){50, 600, 3000, 20000}[_i % 4];
    for (int step = 1; step <= steps; step++) {
        change(b, &s, step);
        if (step == steps / 2) {
            check_against(b, &s);
            ck_assert_int_eq(rwl_bitmap_optimize(b, &err), RWL_OK);
        }
    }
    check_against(b, &s);
    rwl_bitmap_free(b);
}
END_TEST

START_TEST(union_agrees_with_a_shadow) {
    static shadow s, t;
    random_state = 362436069u + (uint64_t)_i;
    memset(&s, 0, sizeof s);
    memset(&t, 0, sizeof t);
    s.base = t.base = (INT64_C(1) << 32) - 70000;
    rwl_bitmap *a = new_bitmap(), *b = new_bitmap();
    for (int step = 1; step <= 40 << (2 * _i); step++) {
        change(a, &s, step);
        change(b, &t, step + _i);
    }
    if (_i % 2 == 0)
        ck_assert_int_eq(rwl_bitmap_optimize(b, &err), RWL_OK);
    ck_assert_int_eq(rwl_bitmap_union(a, b, &err), RWL_OK);
    check_against(b, &t);
    for (int i = 0; i < SHADOW_LEN; i++)
        s.flags[i] |= t.flags[i];
    check_against(a, &s);
    ck_assert_int_eq(rwl_bitmap_union(a, a, &err), RWL_OK);
    check_against(a, &s);
    rwl_bitmap_free(a);
    rwl_bitmap_free(b);
}
END_TEST

START_TEST(a_run_crosses_containers_and_keys) {
    rwl_bitmap *b = new_bitmap();
    int64_t start, count, two32 = INT64_C(1) << 32;
    add_range(b, two32 - 200000, 400000);
    add(b, two32 + 200001);
    ck_assert(rwl_bitmap_next_run(b, 0, &start, &count));
    ck_assert_int_eq(start, two32 - 200000);
    ck_assert_int_eq(count, 400000);
    ck_assert(rwl_bitmap_next_run(b, two32, &start, &count)); /* in the middle of the run: the rest of it */
    ck_assert_int_eq(start, two32);
    ck_assert_int_eq(count, 200000);
    ck_assert(rwl_bitmap_next_run(b, start + count, &start, &count));
    ck_assert_int_eq(start, two32 + 200001);
    ck_assert_int_eq(count, 1);
    ck_assert(!rwl_bitmap_next_run(b, start + count, &start, &count));
    rwl_bitmap_free(b);
}
END_TEST

START_TEST(an_empty_set_has_nothing) {
    rwl_bitmap *b = new_bitmap();
    int64_t start, count;
    ck_assert_int_eq(rwl_bitmap_count(b), 0);
    ck_assert(!rwl_bitmap_contains(b, 0));
    ck_assert(!rwl_bitmap_contains(b, -1));
    ck_assert(!rwl_bitmap_next_run(b, 0, &start, &count));
    ck_assert_int_eq(rwl_bitmap_count_range(b, -5, 100), 0);
    add_range(b, 7, 0);
    ck_assert_int_eq(rwl_bitmap_count(b), 0);
    rwl_bitmap_free(b);
    rwl_bitmap_free(NULL);
}
END_TEST

/* ICE-107: positions below 0 or above 0x7FFFFFFE80000000 are refused. */
START_TEST(ice_107_refuses_positions_out_of_range) {
    rwl_bitmap *b = new_bitmap();
    add(b, RWL_BITMAP_MAX);
    ck_assert_int_eq(rwl_bitmap_add(b, RWL_BITMAP_MAX + 1, &err), RWL_UNSUPPORTED);
    ck_assert_int_eq(rwl_bitmap_add(b, -1, &err), RWL_UNSUPPORTED);
    ck_assert_str_eq(err.message, "position -1 is outside 0..9223372030412324864");
    ck_assert_int_eq(rwl_bitmap_add(b, INT64_MIN, &err), RWL_UNSUPPORTED);
    ck_assert_int_eq(rwl_bitmap_add_range(b, RWL_BITMAP_MAX, 2, &err), RWL_UNSUPPORTED);
    ck_assert_int_eq(rwl_bitmap_add_range(b, 0, INT64_MAX, &err), RWL_UNSUPPORTED);
    ck_assert_int_eq(rwl_bitmap_add_range(b, 5, -1, &err), RWL_UNSUPPORTED);
    ck_assert_int_eq(rwl_bitmap_count(b), 1);
    ck_assert(rwl_bitmap_contains(b, RWL_BITMAP_MAX));
    rwl_bitmap_free(b);
}
END_TEST

START_TEST(ascending_values_cost_little_memory) {
    rwl_bitmap *b = new_bitmap();
    for (int64_t v = 0; v < 10000000; v += 2)
        add(b, v);
    ck_assert_int_eq(rwl_bitmap_count(b), 5000000);
    /* 10,000,000 / 65536 = 152.6: 153 containers, the last of 18840 values, each 8192 bytes of bits */
    ck_assert_int_ge(rwl_bitmap_memory(b), 153 * 8192);
    ck_assert_int_le(rwl_bitmap_memory(b), 153 * 8192 + 256 * 64);
    rwl_bitmap *dense = new_bitmap();
    add_range(dense, 0, INT64_C(1) << 32);
    ck_assert_int_eq(rwl_bitmap_count(dense), INT64_C(1) << 32);
    ck_assert_int_le(rwl_bitmap_memory(dense), 65536 * 40); /* one run in each of 65536 containers */
    rwl_bitmap_free(dense);
    rwl_bitmap_free(b);
}
END_TEST

/* --- allocations that fail --- */

static int64_t allocations_left;

static void *failing_realloc(void *ctx, void *old, size_t size) {
    (void)ctx;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return allocations_left-- > 0 ? realloc(old, size) : NULL;
}

static rwl_status build(const rwl_env *failing, int64_t *count) {
    rwl_bitmap *a = NULL, *b = NULL;
    rwl_status st;
    RWL_GOTO(st, rwl_bitmap_new(failing, &a, &err), out);
    RWL_GOTO(st, rwl_bitmap_new(failing, &b, &err), out);
    for (int64_t v = 0; v < 12000; v += 2)
        RWL_GOTO(st, rwl_bitmap_add(a, v, &err), out);
    for (int64_t v = 0; v < 6000; v += 2)
        RWL_GOTO(st, rwl_bitmap_add_range(b, INT64_C(5) << 32 | (v * 7), 1 + v % 40, &err), out);
    RWL_GOTO(st, rwl_bitmap_add_range(a, 100000, 200000, &err), out);
    RWL_GOTO(st, rwl_bitmap_union(a, b, &err), out);
    RWL_GOTO(st, rwl_bitmap_optimize(a, &err), out);
out:
    *count = a != NULL ? rwl_bitmap_count(a) : 0;
    /* what is left must be whole: its runs add up to its count */
    int64_t sum = 0, from = 0, start, run;
    while (a != NULL && rwl_bitmap_next_run(a, from, &start, &run)) {
        sum += run;
        from = start + run;
    }
    ck_assert_int_eq(sum, *count);
    rwl_bitmap_free(a);
    rwl_bitmap_free(b);
    return st;
}

START_TEST(survives_each_failed_allocation) {
    rwl_env failing;
    rwl_env_init_default(&failing);
    failing.realloc = failing_realloc;
    int64_t whole, count;
    allocations_left = INT64_MAX;
    ck_assert_int_eq(build(&failing, &whole), RWL_OK);
    for (int64_t n = 0;; n++) {
        allocations_left = n;
        rwl_status st = build(&failing, &count);
        if (st == RWL_OK) {
            ck_assert_int_gt(n, 20);
            break;
        }
        ck_assert_int_eq(st, RWL_NO_MEMORY);
    }
    ck_assert_int_eq(count, whole);
}
END_TEST

TCase *bitmap_cases(void) {
    TCase *cases = tcase_create("bitmap");
    tcase_set_timeout(cases, 60);
    tcase_add_loop_test(cases, agrees_with_a_shadow_of_random_changes, 0, 8);
    tcase_add_loop_test(cases, union_agrees_with_a_shadow, 0, 6);
    tcase_add_test(cases, a_run_crosses_containers_and_keys);
    tcase_add_test(cases, an_empty_set_has_nothing);
    tcase_add_test(cases, ice_107_refuses_positions_out_of_range);
    tcase_add_test(cases, ascending_values_cost_little_memory);
    tcase_add_test(cases, survives_each_failed_allocation);
    return cases;
}
