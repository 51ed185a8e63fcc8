/* SPDX-License-Identifier: Apache-2.0 */
/* The local store on a real file system. */
#include "base/pool.h"

#include "storage_tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

START_TEST(a_new_file_is_invisible_until_finished_and_whole_then) {
    rwl_new_file *file;
    rwl_stat st;
    const char *name = in_dir("x.parquet");
    ck_assert_int_eq(rwl_new_file_create(local, NULL, name, &file, NULL), RWL_OK);
    ck_assert_int_eq(rwl_new_file_write(file, "hello ", 6, NULL), RWL_OK);
    ck_assert_int_eq(rwl_store_stat(local, NULL, name, &st, NULL), RWL_NOT_FOUND);
    ck_assert_int_eq(count_entries(dir), 1); /* the temporary */
    ck_assert_int_eq(rwl_new_file_write(file, NULL, 0, NULL), RWL_OK);
    ck_assert_int_eq(rwl_new_file_write(file, "world", 5, NULL), RWL_OK);
    ck_assert_int_eq(rwl_new_file_finish(file, NULL), RWL_OK);
    check_content(local, name, "hello world");
    ck_assert_int_eq(count_entries(dir), 1);
    ck_assert_int_eq(rwl_store_stat(local, NULL, name, &st, NULL), RWL_OK);
    ck_assert_int_eq(st.size, 11);
    ck_assert(!st.is_directory && st.modified_ms > 0);
}
END_TEST

START_TEST(large_writes_and_small_ones_keep_their_order) {
    enum { TOTAL = 900000 };
    rwl_new_file *file;
    uint8_t *data = malloc(TOTAL), *back = malloc(TOTAL);
    for (size_t i = 0; i < TOTAL; i++)
        data[i] = (uint8_t)(i * 31 >> 3);
    ck_assert_int_eq(rwl_new_file_create(local, NULL, in_dir("big"), &file, NULL), RWL_OK);
    for (size_t at = 0, step = 1; at < TOTAL; step = step * 3 % 400009) {
        size_t len = step < TOTAL - at ? step : TOTAL - at;
        ck_assert_int_eq(rwl_new_file_write(file, data + at, len, NULL), RWL_OK);
        at += len;
    }
    ck_assert_int_eq(rwl_new_file_finish(file, NULL), RWL_OK);
    rwl_file *in;
    ck_assert_int_eq(rwl_file_open(local, NULL, in_dir("big"), &in, NULL), RWL_OK);
    ck_assert_int_eq(rwl_file_read(in, NULL, 0, TOTAL, back, NULL), RWL_OK);
    ck_assert_int_eq(memcmp(data, back, TOTAL), 0);
    rwl_file_close(in);
    free(data);
    free(back);
}
END_TEST

START_TEST(a_taken_name_is_never_replaced) {
    rwl_error err = {0};
    put(in_dir("v2"), "first");
    ck_assert_int_eq(rwl_store_put(local, NULL, in_dir("v2"), rwl_span_str("second"), &err), RWL_EXISTS);
    ck_assert_str_eq(err.path, in_dir("v2"));
    check_content(local, in_dir("v2"), "first");
    ck_assert_int_eq(count_entries(dir), 1);
    ck_assert_int_eq(symlink("nowhere", in_dir("v3")), 0); /* a dangling link is a taken name too */
    ck_assert_int_eq(rwl_store_put(local, NULL, in_dir("v3"), rwl_span_str("x"), &err), RWL_EXISTS);
}
END_TEST

START_TEST(aborting_leaves_nothing) {
    rwl_new_file *file;
    ck_assert_int_eq(rwl_new_file_create(local, NULL, in_dir("x"), &file, NULL), RWL_OK);
    ck_assert_int_eq(rwl_new_file_write(file, "hello", 5, NULL), RWL_OK);
    rwl_new_file_abort(file);
    rwl_new_file_abort(NULL);
    ck_assert_int_eq(count_entries(dir), 0);
}
END_TEST

START_TEST(a_cancelled_operation_makes_nothing_visible) {
    rwl_new_file *file;
    rwl_op op;
    rwl_op_init(&op, &env, 0);
    ck_assert_int_eq(rwl_new_file_create(local, &op, in_dir("x"), &file, NULL), RWL_OK);
    op.cancelled = 1;
    ck_assert_int_eq(rwl_new_file_finish(file, NULL), RWL_INTERRUPTED);
    ck_assert_int_eq(rwl_new_file_create(local, &op, in_dir("x"), &file, NULL), RWL_INTERRUPTED);
    ck_assert_int_eq(count_entries(dir), 0);
}
END_TEST

START_TEST(directories_are_made_and_long_names_fit) {
    char name[256];
    put(in_dir("a/b//c/x"), "1");
    check_content(local, in_dir("a/b/c/x"), "1");
    memset(name, 'n', 255);
    name[255] = '\0';
    put(in_dir(name), "2");
    check_content(local, in_dir(name), "2");
    rwl_error err;
    ck_assert_int_eq(rwl_store_put(local, NULL, in_dir("a/b/c/x/y"), rwl_span_str(""), &err), RWL_IO);
    ck_assert_int_eq(chdir(dir), 0);
    put("rel/x", "3");
    put("plain", "4");
    check_content(local, in_dir("rel/x"), "3");
}
END_TEST

START_TEST(mode_is_the_umask_and_group_the_directorys) {
    struct stat st;
    mode_t old = umask(027);
    put(in_dir("x"), "1");
    ck_assert_int_eq(rwl_store_replace(local, NULL, in_dir("hint"), rwl_span_str("1"), NULL), RWL_OK);
    put(in_dir("sub/y"), "1");
    umask(old);
    ck_assert_int_eq(stat(in_dir("x"), &st), 0);
    ck_assert_int_eq(st.st_mode & 07777, 0640);
    ck_assert_int_eq(stat(in_dir("hint"), &st), 0);
    ck_assert_int_eq(st.st_mode & 07777, 0640);
    ck_assert_int_eq(stat(in_dir("sub"), &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0750);
    if (geteuid() != 0) /* only root may give any group */
        return;
    ck_assert_int_eq(chown(dir, (uid_t)-1, 12345), 0);
    put(in_dir("new/z"), "1");
    ck_assert_int_eq(stat(in_dir("new"), &st), 0);
    ck_assert_int_eq(st.st_gid, 12345);
    ck_assert_int_eq(stat(in_dir("new/z"), &st), 0);
    ck_assert_int_eq(st.st_gid, 12345);
}
END_TEST

START_TEST(replacing_is_for_one_file_and_whole) {
    ck_assert_int_eq(rwl_store_replace(local, NULL, in_dir("hint"), rwl_span_str("1"), NULL), RWL_OK);
    ck_assert_int_eq(rwl_store_replace(local, NULL, in_dir("hint"), rwl_span_str("22"), NULL), RWL_OK);
    check_content(local, in_dir("hint"), "22");
    ck_assert_int_eq(count_entries(dir), 1);
}
END_TEST

START_TEST(ranges_are_read_and_end_with_the_file) {
    rwl_file *file;
    rwl_error err = {0};
    int64_t size;
    uint8_t a[4], b[3];
    put(in_dir("x"), "0123456789");
    ck_assert_int_eq(rwl_file_open(local, NULL, in_dir("x"), &file, NULL), RWL_OK);
    ck_assert_int_eq(rwl_file_size(file, &size, NULL), RWL_OK);
    ck_assert_int_eq(size, 10);
    rwl_range_read first = {.offset = 6, .len = 4, .dst = a}, second = {.offset = 0, .len = 3, .dst = b};
    rwl_range_read past = {.offset = 8, .len = 3, .dst = b}, wild = {.offset = INT64_MAX, .len = 3, .dst = b};
    rwl_range_read *reads[] = {&first, &second, &past, &wild};
    ck_assert_int_eq(rwl_file_submit(file, NULL, reads, 4, &err), RWL_OK);
    ck_assert_int_eq(rwl_file_wait(file, NULL, &second, &err), RWL_OK);
    ck_assert_mem_eq(b, "012", 3);
    ck_assert_int_eq(rwl_file_wait(file, NULL, &first, &err), RWL_OK);
    ck_assert_mem_eq(a, "6789", 4);
    ck_assert_int_eq(rwl_file_wait(file, NULL, &past, &err), RWL_CORRUPT);
    ck_assert_ptr_nonnull(strstr(err.message, "file ends at byte 10"));
    ck_assert_int_eq(rwl_file_wait(file, NULL, &wild, &err), RWL_CORRUPT);
    ck_assert_int_eq(rwl_file_read(file, NULL, -1, 2, b, &err), RWL_CORRUPT);
    ck_assert_int_eq(rwl_file_read(file, NULL, 10, 0, b, &err), RWL_OK);
    rwl_file_cancel(file);
    rwl_file_close(file);
    rwl_file_close(NULL);
}
END_TEST

START_TEST(whole_files_are_read_within_a_limit) {
    rwl_buf buf;
    rwl_error err = {0};
    put(in_dir("x"), "0123456789");
    put(in_dir("empty"), "");
    rwl_buf_init(&buf, &env, 9);
    ck_assert_int_eq(rwl_store_read_all(local, NULL, in_dir("x"), &buf, &err), RWL_UNSUPPORTED);
    ck_assert_str_eq(err.path, in_dir("x"));
    ck_assert_int_eq(rwl_store_read_all(local, NULL, in_dir("empty"), &buf, &err), RWL_OK);
    ck_assert_uint_eq(buf.len, 0);
    rwl_buf_clear(&buf);
}
END_TEST

START_TEST(what_cannot_be_opened_is_named) {
    rwl_file *file;
    rwl_error err = {0};
    ck_assert_int_eq(rwl_file_open(local, NULL, in_dir("none"), &file, &err), RWL_NOT_FOUND);
    ck_assert_str_eq(err.path, in_dir("none"));
    ck_assert_int_eq(rwl_file_open(local, NULL, dir, &file, &err), RWL_IO);
    ck_assert_int_eq(mkfifo(in_dir("pipe"), 0600), 0);
    ck_assert_int_eq(rwl_file_open(local, NULL, in_dir("pipe"), &file, &err), RWL_IO);
    ck_assert_int_eq(rwl_file_open(local, NULL, "s3://bucket/x", &file, &err), RWL_UNSUPPORTED);
    ck_assert_ptr_null(file);
}
END_TEST

static rwl_status collect(void *ctx, const char *name, const rwl_stat *st, rwl_error *err) {
    char *names = ctx;
    if (strcmp(name, "stop") == 0)
        return rwl_fail(err, RWL_CONFLICT, "stopped");
    strcat(names, st->is_directory ? "d" : "f");
    return RWL_OK;
}

START_TEST(directories_are_listed) {
    char names[64] = "";
    rwl_error err;
    put(in_dir("x"), "1");
    put(in_dir("sub/y"), "1");
    ck_assert_int_eq(rwl_store_list(local, NULL, dir, collect, names, &err), RWL_OK);
    ck_assert(strcmp(names, "df") == 0 || strcmp(names, "fd") == 0);
    ck_assert_int_eq(rwl_store_list(local, NULL, in_dir("none"), collect, names, &err), RWL_NOT_FOUND);
    ck_assert_int_eq(rwl_store_list(local, NULL, in_dir("x"), collect, names, &err), RWL_NOT_FOUND);
    put(in_dir("sub/stop"), "1");
    ck_assert_int_eq(rwl_store_list(local, NULL, in_dir("sub"), collect, names, &err), RWL_CONFLICT);
}
END_TEST

START_TEST(removing_says_when_there_is_nothing) {
    rwl_error err;
    put(in_dir("x"), "1");
    ck_assert_int_eq(rwl_store_remove(local, NULL, in_dir("x"), &err), RWL_OK);
    ck_assert_int_eq(rwl_store_remove(local, NULL, in_dir("x"), &err), RWL_NOT_FOUND);
    ck_assert_int_eq(rwl_store_remove(local, NULL, dir, &err), RWL_IO);
}
END_TEST

START_TEST(moved_tables_are_read_and_written_under_to_and_nothing_else_goes) {
    rwl_store *store;
    rwl_path_map map = {"s3://bucket/wh/t", in_dir("t")};
    rwl_error err = {0};
    ck_assert_int_eq(rwl_store_local_new(&env, &map, 1, &store, &err), RWL_OK);
    put(in_dir("outside"), "keep");
    ck_assert_int_eq(rwl_store_put(store, NULL, "s3://bucket/wh/t/data/f", rwl_span_str("1"), &err), RWL_OK);
    check_content(store, "s3://bucket/wh/t/data/f", "1");
    check_content(store, in_dir("t/data/f"), "1");
    ck_assert_int_eq(rwl_store_remove(store, NULL, in_dir("outside"), &err), RWL_UNSUPPORTED);
    ck_assert_int_eq(rwl_store_remove(store, NULL, in_dir("t/../outside"), &err), RWL_UNSUPPORTED);
    ck_assert_int_eq(rwl_store_remove(store, NULL, "s3://bucket/wh/t/../../outside", &err), RWL_UNSUPPORTED);
    ck_assert_int_eq(rwl_store_remove(store, NULL, in_dir("t/data/f"), &err), RWL_OK);
    put(in_dir("t/data/g"), "1");
    ck_assert_int_eq(chdir(dir), 0); /* the table named relatively, TO absolute */
    ck_assert_int_eq(rwl_store_remove(store, NULL, "t/data/g", &err), RWL_OK);
    ck_assert_int_eq(rwl_store_remove(store, NULL, "outside", &err), RWL_UNSUPPORTED);
    ck_assert_int_eq(chdir("/"), 0);
    check_content(store, in_dir("outside"), "keep");
    rwl_store_free(store);
}
END_TEST

typedef struct race {
    const char *location;
    atomic_llong won;
} race;

static rwl_status put_one(void *arg, rwl_error *err) {
    race *r = arg;
    rwl_status st = rwl_store_put(local, NULL, r->location, rwl_span_str("one"), err);
    if (st == RWL_OK)
        atomic_fetch_add(&r->won, 1);
    return st == RWL_EXISTS ? RWL_OK : st;
}

START_TEST(of_many_writers_of_one_name_one_wins) {
    rwl_op op;
    rwl_pool *pool;
    rwl_group *group;
    race r = {.location = in_dir("race")};
    rwl_op_init(&op, &env, 0);
    ck_assert_int_eq(rwl_pool_new(&env, 4, &pool, NULL), RWL_OK);
    ck_assert_int_eq(rwl_group_new(pool, &op, &group, NULL), RWL_OK);
    for (int i = 0; i < 16; i++)
        ck_assert_int_eq(rwl_group_submit(group, put_one, &r, NULL), RWL_OK);
    ck_assert_int_eq(rwl_group_wait(group, NULL), RWL_OK);
    ck_assert_int_eq((int)r.won, 1);
    ck_assert_int_eq(count_entries(dir), 1);
    rwl_group_free(group);
    rwl_pool_free(pool);
}
END_TEST

TCase *local_tests(void) {
    TCase *tc = tcase_create("local");
    tcase_add_checked_fixture(tc, make_dir, remove_dir);
    tcase_add_test(tc, a_new_file_is_invisible_until_finished_and_whole_then);
    tcase_add_test(tc, large_writes_and_small_ones_keep_their_order);
    tcase_add_test(tc, a_taken_name_is_never_replaced);
    tcase_add_test(tc, aborting_leaves_nothing);
    tcase_add_test(tc, a_cancelled_operation_makes_nothing_visible);
    tcase_add_test(tc, directories_are_made_and_long_names_fit);
    tcase_add_test(tc, mode_is_the_umask_and_group_the_directorys);
    tcase_add_test(tc, replacing_is_for_one_file_and_whole);
    tcase_add_test(tc, ranges_are_read_and_end_with_the_file);
    tcase_add_test(tc, whole_files_are_read_within_a_limit);
    tcase_add_test(tc, what_cannot_be_opened_is_named);
    tcase_add_test(tc, directories_are_listed);
    tcase_add_test(tc, removing_says_when_there_is_nothing);
    tcase_add_test(tc, moved_tables_are_read_and_written_under_to_and_nothing_else_goes);
    tcase_add_test(tc, of_many_writers_of_one_name_one_wins);
    return tc;
}
