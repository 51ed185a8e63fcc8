/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges wanted, joined, read and handed out; buffers that stay; reads that fail. */
#include "file_support.h"
#include "suites.h"

#include "lancefile/fetch.h"
#include "memory_store.h"
#include "storage/test_store.h"

enum { DATA = 1 << 20 };

/* A file whose first buffer is DATA bytes, byte i being i * 7 of the lowest bits. */
typedef struct fetched_file {
    rwl_env env;
    rwl_op op;
    rwl_error err;
    rwl_buf bytes;
    rwl_store *store;
    rwl_lancefile *file;
    rwl_lance_fetch fetch;
} fetched_file;

static uint8_t expected_byte(int64_t at) {
    return (uint8_t)(at * 7 + at / 251);
}

static void set_up(fetched_file *f, int64_t memory_limit) {
    lance_build b;
    memset(f, 0, sizeof *f);
    rwl_env_init_default(&f->env);
    rwl_op_init(&f->op, &f->env, memory_limit);
    rwl_buf_init(&f->bytes, &f->env, SIZE_MAX);
    lance_build_init(&b, &f->env, 2, 1);
    lance_build_column(&b);
    ck_assert_int_eq(rwl_buf_reserve(&b.data, DATA, NULL), RWL_OK);
    for (int64_t i = 0; i < DATA; i++)
        b.data.data[i] = expected_byte(i);
    b.data.len = DATA;
    lance_build_finish(&b, 0, &f->bytes);
    lance_build_clear(&b);
    rwl_test_store_options options = {0};
    rwl_store *inner = rwl_memory_store_new(&f->env, rwl_buf_span(&f->bytes));
    ck_assert_ptr_nonnull(inner);
    ck_assert_int_eq(rwl_test_store_new(&f->env, inner, &options, &f->store, &f->err), RWL_OK);
    ck_assert_int_eq(rwl_lancefile_open(f->store, &f->op, "mem", 0, &f->file, &f->err), RWL_OK);
    rwl_test_store_set(f->store, &options); /* counts from here on */
    rwl_lance_fetch_init(&f->fetch, f->file, &f->op);
}

static void tear_down(fetched_file *f) {
    rwl_lance_fetch_clear(&f->fetch);
    rwl_lancefile_free(f->file);
    ck_assert_int_eq(f->op.memory_used, 0);
    ck_assert_int_eq(rwl_test_store_stats_of(f->store).open_files, 0);
    rwl_store_free(f->store);
    rwl_buf_clear(&f->bytes);
}

static size_t want(fetched_file *f, int64_t offset, int64_t length) {
    size_t number;
    rwl_status st = rwl_lance_fetch_want(&f->fetch, offset, length, &number, &f->err);
    ck_assert_msg(st == RWL_OK, "%s", f->err.message);
    return number;
}

static void submit(fetched_file *f) {
    rwl_status st = rwl_lance_fetch_submit(&f->fetch, &f->err);
    ck_assert_msg(st == RWL_OK, "%s", f->err.message);
}

static void expect_piece(fetched_file *f, size_t number, int64_t offset, int64_t length) {
    rwl_span out;
    rwl_status st = rwl_lance_fetch_get(&f->fetch, number, &out, &f->err);
    ck_assert_msg(st == RWL_OK, "%s", f->err.message);
    ck_assert_uint_eq(out.len, (size_t)length);
    int64_t right = 0;
    while (right < length && out.data[right] == expected_byte(offset + right))
        right++;
    ck_assert_msg(right == length, "byte %lld", (long long)(offset + right));
    uint32_t sum = 0; /* the slack may be read */
    for (int64_t i = 0; i < RWL_LANCE_READ_SLACK; i++)
        sum += out.data[length + i];
    ck_assert_uint_lt(sum, 256 * RWL_LANCE_READ_SLACK);
}

START_TEST(pieces_come_back_whatever_their_order) {
    fetched_file f;
    static const int64_t pieces[][2] = {{500000, 100}, {0, 8}, {300, 0},      {900000, 50000}, {499000, 2000},
                                        {8, 8},        {0, 8}, {DATA - 5, 5}, {40000, 1}};
    enum { COUNT = sizeof pieces / sizeof pieces[0] };
    set_up(&f, 0);
    for (size_t i = 0; i < COUNT; i++)
        ck_assert_uint_eq(want(&f, pieces[i][0], pieces[i][1]), i);
    submit(&f);
    for (size_t i = COUNT; i-- > 0;)
        expect_piece(&f, i, pieces[i][0], pieces[i][1]);
    expect_piece(&f, 0, pieces[0][0], pieces[0][1]);
    tear_down(&f);
}
END_TEST

START_TEST(near_pieces_are_read_together_and_far_ones_are_not) {
    fetched_file f;
    set_up(&f, 0);
    want(&f, 0, 10);
    want(&f, 10 + RWL_LANCE_GAP_MAX, 10);     /* the widest gap */
    want(&f, 21 + 2 * RWL_LANCE_GAP_MAX, 10); /* one byte more */
    submit(&f);
    ck_assert_int_eq(f.fetch.requests, 2);
    ck_assert_int_eq(f.fetch.bytes_read, 30 + RWL_LANCE_GAP_MAX);
    want(&f, 100000, 10); /* a second submit reads what is new alone */
    submit(&f);
    ck_assert_int_eq(f.fetch.requests, 3);
    expect_piece(&f, 2, 21 + 2 * RWL_LANCE_GAP_MAX, 10);
    expect_piece(&f, 3, 100000, 10);
    rwl_lance_fetch_reset(&f.fetch); /* which waits for the first two */
    ck_assert_int_eq(rwl_test_store_stats_of(f.store).calls[RWL_TEST_READ], 3);
    tear_down(&f);
}
END_TEST

START_TEST(nothing_wanted_reads_nothing) {
    fetched_file f;
    set_up(&f, 0);
    submit(&f);
    size_t number = want(&f, DATA, 0);
    submit(&f);
    expect_piece(&f, number, DATA, 0);
    ck_assert_int_eq(f.fetch.requests, 0);
    tear_down(&f);
}
END_TEST

START_TEST(a_piece_that_passes_the_end_is_corrupt) {
    fetched_file f;
    size_t number;
    set_up(&f, 0);
    int64_t size = f.file->size;
    static const int64_t lengths[] = {1, 41, INT64_MAX};
    for (size_t i = 0; i < 3; i++) {
        rwl_status st =
            rwl_lance_fetch_want(&f.fetch, size - 40 + (i == 0 ? 40 : 0), lengths[i], &number, &f.err);
        expect_failure(st, RWL_CORRUPT, &f.err, "pass the file's end");
        ck_assert_str_eq(f.err.path, "mem");
    }
    ck_assert_int_eq(rwl_lance_fetch_want(&f.fetch, -1, 1, &number, &f.err), RWL_CORRUPT);
    ck_assert_int_eq(rwl_lance_fetch_want(&f.fetch, 1, -1, &number, &f.err), RWL_CORRUPT);
    tear_down(&f);
}
END_TEST

/* Counts allocations through the environment. */
static int64_t allocations;
static void *(*inner_realloc)(void *ctx, void *old, size_t size);
static void *count_realloc(void *ctx, void *old, size_t size) {
    allocations += size > 0;
    return inner_realloc(ctx, old, size);
}

START_TEST(steps_allocate_nothing_once_warm) {
    fetched_file f;
    set_up(&f, 0);
    inner_realloc = f.env.realloc;
    f.env.realloc = count_realloc;
    for (int step = 0; step < 60; step++) {
        if (step == 30) /* every buffer has been of the longest length by now */
            allocations = 0;
        for (int64_t i = 0; i < 20; i++)
            want(&f, i * 40000 + step, 4000 + (i + step) % 3 * 500);
        submit(&f);
        for (size_t i = 0; i < 20; i++)
            expect_piece(&f, i, (int64_t)i * 40000 + step, 4000 + ((int64_t)i + step) % 3 * 500);
        rwl_lance_fetch_reset(&f.fetch);
    }
    ck_assert_int_eq(allocations, 0);
    f.env.realloc = inner_realloc;
    tear_down(&f);
}
END_TEST

START_TEST(what_is_held_is_charged_and_spare_buffers_go_first) {
    fetched_file f;
    rwl_span out;
    set_up(&f, 300000);
    size_t number = want(&f, 0, 200000);
    submit(&f);
    ck_assert_int_ge(f.op.memory_used, 200000);
    want(&f, 500000, 200000);
    expect_failure(rwl_lance_fetch_submit(&f.fetch, &f.err), RWL_UNSUPPORTED, &f.err, "reading pages");
    rwl_lance_fetch_reset(&f.fetch);
    ck_assert_int_ge(f.op.memory_used, 200000); /* kept for the next step */
    number = want(&f, 500000, 280000);          /* too long for what is spare */
    submit(&f);
    expect_piece(&f, number, 500000, 280000);
    ck_assert_int_eq(rwl_lance_fetch_get(&f.fetch, 1, &out, &f.err), RWL_INTERNAL);
    tear_down(&f);
}
END_TEST

START_TEST(a_read_that_fails_says_so_and_leaves_nothing_behind) {
    fetched_file f;
    rwl_span out;
    set_up(&f, 0);
    rwl_test_store_options options = {.fail_at = 2, .fail_call = RWL_TEST_READ};
    rwl_test_store_set(f.store, &options);
    size_t a = want(&f, 0, 100), b = want(&f, 100000, 100), c = want(&f, 200000, 100);
    rwl_status st = rwl_lance_fetch_submit(&f.fetch, &f.err);
    if (st == RWL_OK) { /* failures show when the read is waited for, or before */
        expect_piece(&f, a, 0, 100);
        st = rwl_lance_fetch_get(&f.fetch, b, &out, &f.err);
        ck_assert_int_eq(rwl_lance_fetch_get(&f.fetch, b, &out, &f.err) == RWL_OK, false);
        (void)c;
    }
    ck_assert_int_eq(st, RWL_IO);
    rwl_lance_fetch_reset(&f.fetch);
    ck_assert_uint_eq(want(&f, 100000, 100), 0);
    submit(&f);
    expect_piece(&f, 0, 100000, 100);
    tear_down(&f);
}
END_TEST

/* The test store writes into a buffer when its read is waited for: clearing must do so, or the write comes after. */
START_TEST(clearing_waits_for_what_is_in_flight) {
    fetched_file f;
    set_up(&f, 0);
    for (int64_t i = 0; i < 10; i++)
        want(&f, i * 50000, 30000);
    submit(&f);
    expect_piece(&f, 4, 200000, 30000);
    tear_down(&f);
}
END_TEST

static int64_t fail_at;
static void *failing_realloc(void *ctx, void *old, size_t size) {
    if (size > 0 && --fail_at == 0)
        return NULL;
    return inner_realloc(ctx, old, size);
}

START_TEST(every_allocation_may_fail) {
    for (int64_t n = 1; n < 40; n++) {
        fetched_file f;
        size_t number = 0;
        rwl_span out;
        set_up(&f, 0);
        inner_realloc = f.env.realloc;
        f.env.realloc = failing_realloc;
        fail_at = n;
        rwl_status st = RWL_OK;
        for (int64_t i = 0; i < 5 && st == RWL_OK; i++)
            st = rwl_lance_fetch_want(&f.fetch, i * 50000, 10, &number, &f.err);
        if (st == RWL_OK)
            st = rwl_lance_fetch_submit(&f.fetch, &f.err);
        if (st == RWL_OK)
            st = rwl_lance_fetch_get(&f.fetch, number, &out, &f.err);
        ck_assert_int_eq(st, fail_at <= 0 ? RWL_NO_MEMORY : RWL_OK);
        f.env.realloc = inner_realloc;
        tear_down(&f);
    }
}
END_TEST

Suite *lancefile_fetch_suite(void) {
    Suite *s = suite_create("lancefile fetch");
    TCase *t = tcase_create("fetch");
    tcase_add_test(t, pieces_come_back_whatever_their_order);
    tcase_add_test(t, near_pieces_are_read_together_and_far_ones_are_not);
    tcase_add_test(t, nothing_wanted_reads_nothing);
    tcase_add_test(t, a_piece_that_passes_the_end_is_corrupt);
    tcase_add_test(t, steps_allocate_nothing_once_warm);
    tcase_add_test(t, what_is_held_is_charged_and_spare_buffers_go_first);
    tcase_add_test(t, a_read_that_fails_says_so_and_leaves_nothing_behind);
    tcase_add_test(t, clearing_waits_for_what_is_in_flight);
    tcase_add_test(t, every_allocation_may_fail);
    suite_add_tcase(s, t);
    return s;
}
