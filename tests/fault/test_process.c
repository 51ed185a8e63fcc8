/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that die at any system call of a commit, and processes that write at the same time. */
#include "fault.h"

#include "engine/delete.h"
#include "engine/digest.h"
#include "engine/scan.h"
#include "storage/local_internal.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DIED = 77 };

static fixture f;

/* --- dying --- */

/* The local store's system calls, counted; the process ends at one of them, before it or after it. */
static int64_t call_count, dies_at;
static bool dies_after;

static bool is_last_call(void) {
    return ++call_count == dies_at;
}
static void die_if(bool now) {
    if (now)
        _exit(DIED);
}

#define DYING_CALL(call)                                                                                     \
    bool last = is_last_call();                                                                              \
    die_if(last && !dies_after);                                                                             \
    long result = (call);                                                                                    \
    die_if(last)

/* Half of the bytes, where it dies after writing: a file cut short. */
static ssize_t dying_write(int fd, const void *data, size_t len) {
    bool last = is_last_call();
    die_if(last && !dies_after);
    ssize_t written = write(fd, data, last ? (len + 1) / 2 : len);
    die_if(last);
    return written;
}
static int dying_fsync(int fd) {
    DYING_CALL(fsync(fd));
    return (int)result;
}
static int dying_linkat(int from_dir, const char *from, int to_dir, const char *to, int flags) {
    DYING_CALL(linkat(from_dir, from, to_dir, to, flags));
    return (int)result;
}
static int dying_renameat(int from_dir, const char *from, int to_dir, const char *to) {
    DYING_CALL(renameat(from_dir, from, to_dir, to));
    return (int)result;
}
static int dying_fstatat(int dir, const char *name, struct stat *out, int flags) {
    DYING_CALL(fstatat(dir, name, out, flags));
    return (int)result;
}

static const rwl_local_calls dying_calls = {.write = dying_write,
                                            .fsync = dying_fsync,
                                            .linkat = dying_linkat,
                                            .renameat = dying_renameat,
                                            .fstatat = dying_fstatat};

static rwl_store *put_calls(void *ctx, rwl_store *inner) {
    (void)ctx;
    ((rwl_local_store *)(void *)inner)->calls = &dying_calls;
    return inner;
}

static void die_at_store_call(void *ctx, rwl_test_call call, const char *location, bool fails) {
    (void)ctx, (void)call, (void)location, (void)fails;
    die_if(is_last_call());
}

static rwl_status change_dying(bool system_calls) {
    rwl_error error = {0};
    if (system_calls)
        return make_change(&f.w, f.table, f.s->change, put_calls, NULL, &error);
    rwl_test_store_options options = {.before = die_at_store_call};
    return fixture_change(&f, &options, NULL, &error);
}

/* True when the child died where it should; false when it ended before it came there. */
static bool run_dying(int64_t at, bool after, bool system_calls) {
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        call_count = 0;
        dies_at = at;
        dies_after = after;
        _exit(change_dying(system_calls) == RWL_OK ? 0 : 1);
    }
    atomic_fetch_add(&f.w.random, 1); /* whoever comes after it draws other names */
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && (WEXITSTATUS(status) == DIED || WEXITSTATUS(status) == 0),
                  "%s: the child ended with %d", f.s->name, status);
    return WEXITSTATUS(status) == DIED;
}

static void die_everywhere(bool after, bool system_calls) {
    int64_t n = 1;
    for (; run_dying(n, after, system_calls); n += fault_stride()) {
        char what[64];
        snprintf(what, sizeof what, "killed %s call %lld", after ? "after" : "before", (long long)n);
        fixture_check_killed(&f, what);
        fixture_reset(&f);
    }
    ck_assert_int_gt(n, 5);
}

START_TEST(a_process_dies_before_each_storage_call) {
    fixture_open(&f, &SCENARIOS[_i]);
    die_everywhere(false, false);
    fixture_close(&f);
}
END_TEST

START_TEST(a_process_dies_before_each_system_call_that_writes) {
    fixture_open(&f, &SCENARIOS[_i]);
    die_everywhere(false, true);
    fixture_close(&f);
}
END_TEST

START_TEST(a_process_dies_after_each_system_call_that_writes) {
    fixture_open(&f, &SCENARIOS[_i]);
    die_everywhere(true, true);
    fixture_close(&f);
}
END_TEST

/* --- two at a time --- */

enum { APPENDS = 10, ROWS = 6 }; /* ROWS: of one append, fault.c */

static const scenario EMPTY_TABLE = {"two writers", "3", 'a', false};

/* Starts a process that makes `change` `count` times; a conflict that retries could not overcome is tried again. */
static pid_t start_writer(uint64_t seed, const char *changes) {
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child != 0)
        return child;
    atomic_store(&f.w.random, seed);
    for (const char *p = changes; *p != '\0'; p++) {
        rwl_error error = {0};
        rwl_status st;
        int tries = 0;
        do {
            world_new_op(&f.w);
            st = make_change(&f.w, f.table, *p, NULL, NULL, &error);
        } while (st == RWL_CONFLICT && ++tries < 1000);
        if (st != RWL_OK) {
            fprintf(stderr, "change %c: status %d, %s\n", *p, (int)st, error.message);
            _exit(1);
        }
    }
    _exit(0);
}

static void wait_writer(pid_t child) {
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a writer ended with %d", status);
}

static rwl_table *open_fixture(void) {
    rwl_table *t = NULL;
    rwl_error error = {0};
    rwl_table_options options = {0};
    rwl_status st = rwl_table_open(&f.w.op, f.table, &options, &t, &error);
    ck_assert_msg(st == RWL_OK, "%s", error.message);
    return t;
}

/* Every snapshot follows the one before; none was lost. */
static void check_snapshots(const rwl_table *t, int32_t count) {
    const rwl_metadata *m = t->metadata;
    ck_assert_int_eq(m->snapshot_count, count);
    ck_assert_int_eq(m->last_sequence_number, count);
    for (int32_t i = 0; i < m->snapshot_count; i++) {
        ck_assert_int_eq(m->snapshots[i].sequence_number, i + 1);
        ck_assert_int_eq(m->snapshots[i].parent_id, i > 0 ? m->snapshots[i - 1].snapshot_id : -1);
    }
}

/* The ids of the live rows: 0 .. next-row-id - 1, each once, when `all`; else each at most once. */
static int64_t check_ids(const rwl_table *t, bool all) {
    rwl_scan_options options = {.rows = {.select = "_row_id"}, .limit = -1};
    rwl_scan *scan = NULL;
    rwl_batch batch;
    int32_t count;
    int64_t rows = 0, next = t->metadata->next_row_id;
    bool *seen = calloc((size_t)next + 1, sizeof *seen);
    ck_assert_ptr_nonnull(seen);
    ck_assert_int_eq(rwl_scan_open(t, &f.w.op, &options, &scan, NULL), RWL_OK);
    const rwl_field *fields = rwl_scan_fields(scan, &count);
    ck_assert_int_eq(rwl_batch_init(&batch, &f.w.env, fields, count, NULL), RWL_OK);
    do {
        ck_assert_int_eq(rwl_scan_next(scan, &batch, NULL), RWL_OK);
        for (int64_t i = 0; i < batch.length; i++) {
            ck_assert(!rwl_column_is_null(&batch.columns[0], i));
            int64_t id = rwl_column_i64(&batch.columns[0])[i];
            ck_assert_msg(id >= 0 && id < next && !seen[id], "id %" PRId64 " twice or above %" PRId64, id,
                          next);
            seen[id] = true;
            rows++;
        }
    } while (batch.length > 0);
    rwl_batch_clear(&batch);
    rwl_scan_close(scan);
    free(seen);
    if (all)
        ck_assert_int_eq(rows, next);
    return rows;
}

START_TEST(two_processes_append_at_the_same_time) {
    fixture_open(&f, &EMPTY_TABLE);
    pid_t one = start_writer(11, "aaaaaaaaaa"), two = start_writer(22, "aaaaaaaaaa");
    wait_writer(one);
    wait_writer(two);
    rwl_table *t = open_fixture();
    check_snapshots(t, 2 * APPENDS);
    ck_assert_int_eq(t->metadata->next_row_id, 2 * APPENDS * ROWS);
    ck_assert_int_eq(check_ids(t, true), 2 * APPENDS * ROWS);
    rwl_table_free(t);
    ck_assert_str_eq(stray_files(&f), "");
    fixture_close(&f);
}
END_TEST

/* Rewrites and deletes in one process, appends in the other: a rewrite takes no ids, an append no row away. */
START_TEST(appends_and_rewrites_do_not_disturb_each_other) {
    static const scenario small = {"append and rewrite", "3aa", 'a', false};
    fixture_open(&f, &small);
    pid_t one = start_writer(11, "aaaaaaaa"), two = start_writer(22, "rdrsrDrsr");
    wait_writer(one);
    wait_writer(two);
    rwl_table *t = open_fixture();
    ck_assert_int_eq(t->metadata->next_row_id, 10 * ROWS);
    int64_t rows = check_ids(t, false), live = 0;
    ck_assert_int_eq(rwl_table_count(t, &f.w.op, "k not in (0, 1, 2, 3, 4, 5, 12, 13, 22)", &live, NULL),
                     RWL_OK);
    /* ten appends; gone are the six keys 0 .. 5, and 12, 13, 22 if they were there when the deletes ran */
    ck_assert_int_ge(rows, 10 * ROWS - 9);
    ck_assert_int_le(rows, 10 * ROWS - 6);
    ck_assert_int_le(rows - live, 3);
    rwl_table_free(t);
    ck_assert_str_eq(stray_files(&f), "");
    fixture_close(&f);
}
END_TEST

Suite *process_suite(void) {
    Suite *suite = suite_create("processes");
    TCase *tc = tcase_create("killed");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, a_process_dies_before_each_storage_call, 0, SCENARIO_COUNT);
    tcase_add_loop_test(tc, a_process_dies_before_each_system_call_that_writes, 0, SCENARIO_COUNT);
    tcase_add_loop_test(tc, a_process_dies_after_each_system_call_that_writes, 0, SCENARIO_COUNT);
    tcase_add_test(tc, two_processes_append_at_the_same_time);
    tcase_add_test(tc, appends_and_rewrites_do_not_disturb_each_other);
    suite_add_tcase(suite, tc);
    return suite;
}
