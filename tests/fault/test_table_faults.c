/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables with deletes of every kind and Avro files, written by another engine: each storage call and many an allocation of
 * a scan and of rewrites fail in turn, with one thread and with several. The failure is told as what it is, nothing is lost or
 * left behind, and the rows keep their identity.
 */
#include "base/pool.h"
#include "engine/digest.h"
#include "engine/rewrite.h"
#include "fault.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ALLOCATIONS_TRIED = 60, THREADS = 3, CALL_KINDS = 3 };

/* `version`: metadata files after it are taken away. */
static const struct {
    const char *name;
    int version;
} TABLES[] = {
    {"eqdel_v3", 5},       /* two files, two of equality deletes */
    {"eqdel_v3", 6},       /* and vectors */
    {"upgrade_eqdel", 5},  /* upgraded: rows without ids */
    {"upgrade_posdel", 5}, /* position deletes of version 2 */
    {"upgrade_posdel", 6}, /* vectors that replaced them */
    {"format_avro_cow", 5},
};
static const char ACTIONS[] = {'c', 'r', 's'}; /* scan; rewrite, in order or sorted */
enum {
    TABLE_COUNT = sizeof TABLES / sizeof TABLES[0],
    CASES = TABLE_COUNT * CALL_KINDS * 2 /* one thread, several */
};

typedef struct state {
    world w;
    char table[160], prepared[160], location[160], name[160];
    char action;
    rwl_path_map map;
    rwl_pool *pool;
    rwl_digest before;
    rwl_buf files;
} state;

static state s;

static void copy_again(void) {
    world_remove_tree(s.table);
    ck_assert(world_copy_tree(s.prepared, s.table));
    world_new_op(&s.w);
}

static rwl_status rewrite(rwl_table *t, rwl_error *err) {
    rwl_rewrite_options options = {.rewrite_all = true, .sort = s.action == 's' ? "id desc" : NULL};
    rwl_commit_outcome out;
    rwl_rewrite_result result;
    return rwl_rewrite(t, &s.w.op, &options, &out, &result, err);
}

/* The action on a store with these options. */
static rwl_status act(const rwl_test_store_options *store_options, rwl_digest *digest, rwl_error *err) {
    rwl_table_options options = {.maps = &s.map, .map_count = 1, .for_change = s.action != 'c'};
    rwl_table *t = NULL;
    RWL_TRY(rwl_table_open(&s.w.op, s.table, &options, &t, err));
    rwl_status st = RWL_OK;
    if (store_options != NULL) {
        st = rwl_test_store_new(&s.w.env, t->store, store_options, &t->store, err);
        t->place.store = t->store;
    }
    if (st == RWL_OK)
        st = s.action == 'c' ? rwl_table_digest(t, &s.w.op, NULL, digest, err) : rewrite(t, err);
    rwl_table_free(t);
    return st;
}

static rwl_digest digest_now(void) {
    rwl_error error = {0};
    rwl_digest d = {0};
    char action = s.action;
    s.action = 'c';
    world_new_op(&s.w);
    rwl_status st = act(NULL, &d, &error);
    s.action = action;
    ck_assert_msg(st == RWL_OK, "%s: %s", s.name, error.message);
    return d;
}

static bool begin(int i) {
    memset(&s, 0, sizeof s);
    int table = i % TABLE_COUNT;
    s.action = ACTIONS[i / TABLE_COUNT % CALL_KINDS];
    bool threads = i / TABLE_COUNT / CALL_KINDS > 0;
    char from[512], path[300];
    snprintf(from, sizeof from, "%s/spark/%s", FIXTURES_DIR, TABLES[table].name);
    snprintf(s.name, sizeof s.name, "%s at %d, action %c, %d threads", TABLES[table].name,
             TABLES[table].version, s.action, threads ? THREADS : 1);
    snprintf(s.location, sizeof s.location, "/warehouse/spark/%s", TABLES[table].name);
    ck_assert(world_open(&s.w, 11));
    snprintf(s.table, sizeof s.table, "%s/t", s.w.folder);
    snprintf(s.prepared, sizeof s.prepared, "%s/prepared", s.w.folder);
    if (!world_copy_tree(from, s.prepared)) {
        printf("skipped: no %s\n", from);
        world_close(&s.w, false);
        return false;
    }
    for (int v = TABLES[table].version + 1; v < 20; v++) {
        snprintf(path, sizeof path, "%s/metadata/v%d.metadata.json", s.prepared, v);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/metadata/version-hint.text", s.prepared);
    unlink(path);
    s.map = (rwl_path_map){s.location, s.table};
    if (threads)
        ck_assert_int_eq(rwl_pool_new(&s.w.env, THREADS, &s.pool, NULL), RWL_OK);
    s.w.env.pool = s.pool;
    copy_again();
    s.before = digest_now();
    ck_assert_int_gt(s.before.rows, 0);
    rwl_buf_init(&s.files, &s.w.env, SIZE_MAX);
    ck_assert(world_list_files(s.table, &s.files));
    return true;
}

static void end(void) {
    rwl_buf_clear(&s.files);
    s.w.env.pool = NULL;
    rwl_pool_free(s.pool);
    ck_assert_int_eq(atomic_load(&s.w.live_blocks), 0);
    world_close(&s.w, false);
}

/* Rows as before; the same files unless the change was made or may have been. */
static void check_table(rwl_status st, const char *what, const char *message) {
    s.w.env.pool = NULL; /* one thread is enough to look */
    rwl_digest now = digest_now();
    s.w.env.pool = s.pool;
    ck_assert_msg(now.rows == s.before.rows, "%s, %s: %" PRId64 " rows, not %" PRId64, s.name, what, now.rows,
                  s.before.rows);
    /* rows without ids have them after a rewrite */
    ck_assert_msg(s.before.rows_without_lineage > 0 || rwl_digest_equal(&now, &s.before),
                  "%s, %s: other identities", s.name, what);
    if (st == RWL_OK || st == RWL_COMMIT_UNKNOWN ||
        (s.before.rows_without_lineage > now.rows_without_lineage))
        return;
    rwl_buf files;
    rwl_buf_init(&files, &s.w.env, SIZE_MAX);
    ck_assert(world_list_files(s.table, &files));
    bool same = files.len == s.files.len && memcmp(files.data, s.files.data, files.len) == 0;
    ck_assert_msg(same, "%s, %s (status %d, %s): left behind:\n%.*s", s.name, what, (int)st, message,
                  (int)files.len, (const char *)files.data);
    rwl_buf_clear(&files);
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
    rwl_digest d = {0};
    calls all = {0};
    rwl_error error = {0};
    if (!begin(_i))
        return;
    rwl_test_store_options options = {.before = count_call, .before_ctx = &all};
    rwl_status st = act(&options, &d, &error);
    ck_assert_msg(st == RWL_OK, "%s: %s", s.name, error.message);
    check_table(st, "nothing fails", "");
    copy_again();
    for (int64_t n = 1 + _i % fault_stride(); n <= atomic_load(&all.count); n += fault_stride()) {
        calls made = {0};
        char what[64];
        options = (rwl_test_store_options){
            .fail_at = n, .fail_call = RWL_TEST_ANY, .before = count_call, .before_ctx = &made};
        memset(&error, 0, sizeof error);
        memset(&d, 0, sizeof d);
        long long blocks = atomic_load(&s.w.live_blocks);
        st = act(&options, &d, &error);
        snprintf(what, sizeof what, "call %lld fails", (long long)n);
        ck_assert_msg(atomic_load(&s.w.live_blocks) == blocks, "%s, %s: blocks are lost", s.name, what);
        ck_assert_msg(st == RWL_OK || st == RWL_IO || st == RWL_COMMIT_UNKNOWN, "%s, %s: status %d, %s",
                      s.name, what, (int)st, error.message);
        ck_assert_msg(st != RWL_OK || s.action != 'c' || atomic_load(&made.failed) == 0,
                      "%s, %s: nobody noticed", s.name, what);
        check_table(st, what, error.message);
        if (s.action != 'c')
            copy_again();
    }
    end();
}
END_TEST

/* --- memory --- */

START_TEST(an_allocation_fails) {
    rwl_digest d = {0};
    rwl_error error = {0};
    if (!begin(_i))
        return;
    world_fail_allocation(&s.w, 0);
    rwl_status st = act(NULL, &d, &error);
    int64_t count = atomic_load(&s.w.allocations);
    ck_assert_msg(st == RWL_OK, "%s: %s", s.name, error.message);
    copy_again();
    int64_t step = (count > ALLOCATIONS_TRIED ? count / ALLOCATIONS_TRIED : 1) * fault_stride();
    for (int64_t n = 1 + _i % step; n <= count; n += step) {
        char what[64];
        memset(&error, 0, sizeof error);
        memset(&d, 0, sizeof d);
        long long blocks = atomic_load(&s.w.live_blocks);
        world_fail_allocation(&s.w, n);
        st = act(NULL, &d, &error);
        long long failed = atomic_load(&s.w.failed);
        world_fail_allocation(&s.w, 0);
        snprintf(what, sizeof what, "allocation %lld of %lld fails", (long long)n, (long long)count);
        ck_assert_msg(atomic_load(&s.w.live_blocks) == blocks, "%s, %s: %lld blocks are lost", s.name, what,
                      atomic_load(&s.w.live_blocks) - blocks);
        bool may_be = st == RWL_OK || st == RWL_NO_MEMORY || st == RWL_COMMIT_UNKNOWN;
        ck_assert_msg(may_be, "%s, %s: status %d, %s", s.name, what, (int)st, error.message);
        ck_assert_msg(st == RWL_OK || failed > 0, "%s, %s: status %d, %s", s.name, what, (int)st,
                      error.message);
        ck_assert_msg(st != RWL_OK || s.action != 'c' || rwl_digest_equal(&d, &s.before),
                      "%s, %s: other rows", s.name, what);
        check_table(st, what, error.message);
        if (s.action != 'c')
            copy_again();
    }
    end();
}
END_TEST

Suite *table_faults_suite(void) {
    Suite *suite = suite_create("deletes");
    TCase *tc = tcase_create("deletes");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, a_storage_call_fails, 0, CASES);
    tcase_add_loop_test(tc, an_allocation_fails, 0, CASES);
    suite_add_tcase(suite, tc);
    return suite;
}
