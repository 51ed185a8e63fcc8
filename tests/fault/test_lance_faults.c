/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Lance dataset with lineage spilled and inline is opened and scanned while each storage call and many an allocation fails in
 * turn, with one thread and with several. The failure is told as what it is, and nothing is left open or held.
 */
#include "base/pool.h"
#include "fault.h"
#include "lance_made.h"

#include <inttypes.h>
#include <stdio.h>

enum { THREADS = 3, ALLOCATIONS_TRIED = 400 };

static world w;
static rwl_pool *pool;
static char table[160];
static outcome whole;

static rwl_status scan(const rwl_test_store_options *options, outcome *o) {
    memset(o, 0, sizeof *o);
    world_new_op(&w);
    o->status = lance_read(&w.op, table, NULL, options, o, &o->error);
    ck_assert_int_eq((int)atomic_load(&w.op.memory_used), 0);
    return o->status;
}

static void begin(bool threads) {
    pool = NULL;
    ck_assert(world_open(&w, 12));
    snprintf(table, sizeof table, "%s/t.lance", w.folder);
    lance_made(&w.env, table);
    if (threads)
        ck_assert_int_eq(rwl_pool_new(&w.env, THREADS, &pool, NULL), RWL_OK);
    w.env.pool = pool;
    scan(NULL, &whole);
    ck_assert_msg(whole.status == RWL_OK, "%s", whole.error.message);
    ck_assert_int_eq(whole.rows, LANCE_MADE_ROWS);
}

static void end(void) {
    w.env.pool = NULL;
    rwl_pool_free(pool);
    ck_assert_int_eq(atomic_load(&w.live_blocks), 0);
    world_close(&w, false);
}

static void check_same(const outcome *o, const char *what) {
    ck_assert_msg(o->rows == whole.rows && o->sum == whole.sum, "%s: other rows", what);
}

/* --- storage --- */

typedef struct calls {
    atomic_llong count, failed;
} calls;

static void count_call(void *ctx, rwl_test_call call, const char *location, bool fails) {
    calls *c = ctx;
    (void)location;
    if (call != RWL_TEST_ABORT)
        atomic_fetch_add(&c->count, 1);
    if (fails)
        atomic_fetch_add(&c->failed, 1);
}

START_TEST(a_storage_call_fails) {
    begin(_i == 1);
    calls all = {0};
    outcome o;
    rwl_test_store_options options = {.before = count_call, .before_ctx = &all};
    scan(&options, &o);
    ck_assert_msg(o.status == RWL_OK, "%s", o.error.message);
    check_same(&o, "nothing fails");
    ck_assert_int_gt(atomic_load(&all.count), 10);
    for (int64_t n = 1; n <= atomic_load(&all.count); n++) {
        calls made = {0};
        char what[64];
        long long blocks = atomic_load(&w.live_blocks);
        options = (rwl_test_store_options){
            .fail_at = n, .fail_call = RWL_TEST_ANY, .before = count_call, .before_ctx = &made};
        scan(&options, &o);
        snprintf(what, sizeof what, "call %lld fails", (long long)n);
        ck_assert_msg(atomic_load(&w.live_blocks) == blocks, "%s: blocks are lost", what);
        ck_assert_msg(o.status == RWL_IO || atomic_load(&made.failed) == 0, "%s: status %d, %s", what,
                      (int)o.status, o.error.message);
        ck_assert_msg(o.status == RWL_OK || o.error.message[0] != '\0', "%s: no message", what);
        if (o.status == RWL_OK)
            check_same(&o, what);
    }
    end();
}
END_TEST

START_TEST(reads_come_late_in_any_order_and_in_pieces) {
    begin(_i == 1);
    for (uint64_t seed = 1; seed <= 8; seed++) {
        outcome o;
        const rwl_test_store_options options = {.seed = seed, .reorder = true, .split = (size_t)seed * 5};
        scan(&options, &o);
        ck_assert_msg(o.status == RWL_OK, "%s", o.error.message);
        check_same(&o, "reordered");
    }
    end();
}
END_TEST

/* --- memory --- */

START_TEST(an_allocation_fails) {
    begin(_i == 1);
    outcome o;
    world_fail_allocation(&w, 0);
    scan(NULL, &o);
    int64_t count = atomic_load(&w.allocations);
    int64_t step = (count > ALLOCATIONS_TRIED ? count / ALLOCATIONS_TRIED : 1) * fault_stride();
    for (int64_t n = 1; n <= count; n += step) {
        char what[64];
        long long blocks = atomic_load(&w.live_blocks);
        world_fail_allocation(&w, n);
        scan(NULL, &o);
        long long failed = atomic_load(&w.failed);
        world_fail_allocation(&w, 0);
        snprintf(what, sizeof what, "allocation %lld of %lld fails", (long long)n, (long long)count);
        ck_assert_msg(atomic_load(&w.live_blocks) == blocks, "%s: %lld blocks are lost", what,
                      atomic_load(&w.live_blocks) - blocks);
        ck_assert_msg(o.status == RWL_OK || o.status == RWL_NO_MEMORY, "%s: status %d, %s", what,
                      (int)o.status, o.error.message);
        ck_assert_msg(o.status == RWL_OK || failed > 0, "%s: status %d, %s", what, (int)o.status,
                      o.error.message);
        if (o.status == RWL_OK)
            check_same(&o, what);
    }
    end();
}
END_TEST

Suite *lance_faults_suite(void) {
    Suite *suite = suite_create("lance_faults");
    TCase *tc = tcase_create("faults");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, a_storage_call_fails, 0, 2);
    tcase_add_loop_test(tc, reads_come_late_in_any_order_and_in_pieces, 0, 2);
    tcase_add_loop_test(tc, an_allocation_fails, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}
