/* SPDX-License-Identifier: Apache-2.0 */
/* Each storage call and each allocation of each kind of commit fails in turn; operations cancelled, disks full. */
#include "fault.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static fixture f;

static int64_t total_calls(const rwl_test_store_stats *stats) {
    int64_t total = 0;
    for (int i = 0; i < RWL_TEST_CALL_KINDS; i++)
        total += i == RWL_TEST_ABORT ? 0 : stats->calls[i];
    return total;
}

static int64_t count_calls(void) {
    rwl_test_store_options none = {0};
    rwl_test_store_stats stats;
    rwl_error error = {0};
    rwl_status st = fixture_change(&f, &none, &stats, &error);
    ck_assert_msg(st == RWL_OK, "%s: %s", f.s->name, error.message);
    fixture_reset(&f);
    int64_t total = total_calls(&stats);
    ck_assert_int_gt(total, 5);
    return total;
}

/* --- a storage call fails --- */

typedef struct failed_call {
    rwl_test_call call;
    char location[512];
} failed_call;

static void note_failure(void *ctx, rwl_test_call call, const char *location, bool fails) {
    failed_call *first = ctx;
    if (!fails || first->location[0] != '\0')
        return;
    first->call = call;
    snprintf(first->location, sizeof first->location, "%s", location);
}

static void describe(const failed_call *failed, int64_t n, const char *mode, char *out, size_t size) {
    snprintf(out, size, "call %lld (%s of %s) %s", (long long)n, rwl_test_call_name(failed->call),
             failed->location, mode);
}

static void fail_each_call(int first, bool after, bool rest, const char *mode) {
    int64_t calls = count_calls();
    for (int64_t n = 1 + first % fault_stride(); n <= calls; n += fault_stride()) {
        failed_call failed = {0};
        rwl_test_store_options options = {.fail_at = n,
                                          .fail_call = RWL_TEST_ANY,
                                          .fail_after = after,
                                          .fail_rest = rest,
                                          .before = note_failure,
                                          .before_ctx = &failed};
        rwl_error error = {0};
        char what[700];
        rwl_status st = fixture_change(&f, &options, NULL, &error);
        describe(&failed, n, mode, what, sizeof what);
        ck_assert_msg(failed.location[0] != '\0', "%s: %s was never made", f.s->name, what);
        bool swapping = strstr(failed.location, ".metadata.json") != NULL ||
                        strstr(failed.location, "version-hint") != NULL;
        ck_assert_msg(st != RWL_COMMIT_UNKNOWN || swapping, "%s, %s: unknown, though nothing was swapped: %s",
                      f.s->name, what, error.message);
        fixture_check(&f, st, rest, what, error.message);
        fixture_reset(&f);
    }
}

START_TEST(each_storage_call_fails_before_it_is_made) {
    fixture_open(&f, &SCENARIOS[_i]);
    fail_each_call(_i, false, false, "fails");
    fixture_close(&f);
}
END_TEST

START_TEST(the_reply_of_each_storage_call_is_lost) {
    fixture_open(&f, &SCENARIOS[_i]);
    fail_each_call(_i, true, false, "loses its reply");
    fixture_close(&f);
}
END_TEST

START_TEST(storage_goes_away_at_each_call) {
    fixture_open(&f, &SCENARIOS[_i]);
    fail_each_call(_i, false, true, "and all after it fail");
    fixture_close(&f);
}
END_TEST

/* --- memory --- */

enum { ALLOCATIONS_TRIED = 120 };

/* ROWLINE_ALLOCATIONS: how many of an operation's allocations are made to fail, evenly chosen. */
static int64_t allocations_tried(void) {
    const char *text = getenv("ROWLINE_ALLOCATIONS");
    return text != NULL ? strtoll(text, NULL, 10) : ALLOCATIONS_TRIED;
}

START_TEST(allocations_fail) {
    fixture_open(&f, &SCENARIOS[_i]);
    rwl_error error = {0};
    world_fail_allocation(&f.w, 0);
    rwl_status clean = make_change(&f.w, f.table, f.s->change, NULL, NULL, &error);
    int64_t count = atomic_load(&f.w.allocations);
    ck_assert_msg(clean == RWL_OK, "%s: %s", f.s->name, error.message);
    fixture_reset(&f);
    int64_t step = (count > allocations_tried() ? count / allocations_tried() : 1) * fault_stride();
    for (int64_t n = 1 + _i % step; n <= count; n += step) {
        char what[64];
        memset(&error, 0, sizeof error);
        long long blocks = atomic_load(&f.w.live_blocks);
        world_fail_allocation(&f.w, n);
        rwl_status st = make_change(&f.w, f.table, f.s->change, NULL, NULL, &error);
        world_fail_allocation(&f.w, 0);
        snprintf(what, sizeof what, "allocation %lld of %lld fails", (long long)n, (long long)count);
        ck_assert_msg(atomic_load(&f.w.live_blocks) == blocks, "%s, %s: %lld blocks are lost", f.s->name,
                      what, atomic_load(&f.w.live_blocks) - blocks);
        fixture_check(&f, st, false, what, error.message);
        fixture_reset(&f);
    }
    fixture_close(&f);
}
END_TEST

/* --- cancelling --- */

typedef struct cancelling {
    int64_t at, calls;
} cancelling;

static void cancel_at(void *ctx, rwl_test_call call, const char *location, bool fails) {
    cancelling *c = ctx;
    (void)call, (void)location, (void)fails;
    if (++c->calls == c->at)
        atomic_store(&f.w.op.cancelled, 1);
}

/* Cancelled in any phase it ends with INTERRUPTED and leaves nothing, or it had committed already. */
START_TEST(an_operation_is_cancelled_at_each_call) {
    fixture_open(&f, &SCENARIOS[_i]);
    int64_t calls = count_calls();
    int64_t interrupted = 0;
    for (int64_t n = 1 + _i % fault_stride(); n <= calls; n += fault_stride()) {
        cancelling c = {.at = n};
        rwl_test_store_options options = {.before = cancel_at, .before_ctx = &c};
        rwl_error error = {0};
        char what[64];
        rwl_status st = fixture_change(&f, &options, NULL, &error);
        snprintf(what, sizeof what, "cancelled at call %lld", (long long)n);
        ck_assert_msg(st == RWL_OK || st == RWL_INTERRUPTED, "%s, %s: status %d, %s", f.s->name, what,
                      (int)st, error.message);
        interrupted += st == RWL_INTERRUPTED;
        fixture_check(&f, st, false, what, error.message);
        fixture_reset(&f);
    }
    ck_assert_int_gt(interrupted, calls / 4 / fault_stride());
    fixture_close(&f);
}
END_TEST

/* --- a full disk --- */

/* Files may not grow beyond a limit: as with a full disk or quota, a write is cut short and then fails. */
START_TEST(writes_are_cut_short) {
    static const rlim_t limits[] = {0, 1, 7, 100, 400, 800, 1200, 1600, 2000, 2600, 3200, 4000};
    struct rlimit old;
    fixture_open(&f, &SCENARIOS[_i]);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i += (size_t)fault_stride()) {
        struct rlimit small = {limits[i], old.rlim_max};
        rwl_error error = {0};
        char what[64];
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
        rwl_status st = make_change(&f.w, f.table, f.s->change, NULL, NULL, &error);
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
        snprintf(what, sizeof what, "files end at byte %lld", (long long)limits[i]);
        ck_assert_msg(st == RWL_OK || st == RWL_IO, "%s, %s: status %d, %s", f.s->name, what, (int)st,
                      error.message);
        ck_assert_msg(limits[i] > 100 || st == RWL_IO, "%s, %s: status %d", f.s->name, what, (int)st);
        fixture_check(&f, st, false, what, error.message);
        fixture_reset(&f);
    }
    fixture_close(&f);
}
END_TEST

Suite *storage_suite(void) {
    Suite *suite = suite_create("storage");
    TCase *tc = tcase_create("failing");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, each_storage_call_fails_before_it_is_made, 0, SCENARIO_COUNT);
    tcase_add_loop_test(tc, the_reply_of_each_storage_call_is_lost, 0, SCENARIO_COUNT);
    tcase_add_loop_test(tc, storage_goes_away_at_each_call, 0, SCENARIO_COUNT);
    tcase_add_loop_test(tc, allocations_fail, 0, SCENARIO_COUNT);
    tcase_add_loop_test(tc, an_operation_is_cancelled_at_each_call, 0, SCENARIO_COUNT);
    tcase_add_loop_test(tc, writes_are_cut_short, 0, SCENARIO_COUNT);
    suite_add_tcase(suite, tc);
    return suite;
}
