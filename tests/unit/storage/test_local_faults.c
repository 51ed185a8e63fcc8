/* SPDX-License-Identifier: Apache-2.0 */
/* What the local store makes of system calls that fail, and of replies that are lost. */
#include "storage/local_internal.h"

#include "storage_tests.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* The script of the fake calls. */
static struct {
    int link_errno;  /* 0: link as usual */
    bool link_made;  /* made nevertheless */
    bool link_other; /* another writer's file takes the name first */
    int stat_errno;
    int file_fsync_errno, dir_fsync_errno;
    int write_errno;
    bool short_writes;
    int rename_errno;
    int interrupts; /* EINTR answered first */
} script;

static int answer_errno(int e) {
    errno = e;
    return -1;
}

static bool is_interrupted(void) {
    return script.interrupts > 0 && script.interrupts-- > 0;
}

static ssize_t fake_write(int fd, const void *data, size_t len) {
    if (is_interrupted())
        return answer_errno(EINTR);
    if (script.write_errno)
        return answer_errno(script.write_errno);
    return write(fd, data, script.short_writes && len > 3 ? 3 : len);
}

static int fake_fsync(int fd) {
    struct stat st;
    if (is_interrupted())
        return answer_errno(EINTR);
    int e = fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) ? script.dir_fsync_errno : script.file_fsync_errno;
    return e ? answer_errno(e) : fsync(fd);
}

static int fake_linkat(int from_dir, const char *from, int to_dir, const char *to, int flags) {
    if (script.link_other) {
        int fd = openat(to_dir, to, O_CREAT | O_EXCL | O_WRONLY, 0600);
        ck_assert_int_eq(write(fd, "other", 5), 5);
        close(fd);
    }
    if (script.link_errno == 0 || script.link_made)
        ck_assert_int_eq(linkat(from_dir, from, to_dir, to, flags), 0);
    return script.link_errno ? answer_errno(script.link_errno) : 0;
}

static int fake_renameat(int from_dir, const char *from, int to_dir, const char *to) {
    return script.rename_errno ? answer_errno(script.rename_errno) : renameat(from_dir, from, to_dir, to);
}

static int fake_fstatat(int at, const char *name, struct stat *out, int flags) {
    return script.stat_errno ? answer_errno(script.stat_errno) : fstatat(at, name, out, flags);
}

static const rwl_local_calls fake_calls = {fake_write, fake_fsync, fake_linkat, fake_renameat, fake_fstatat};

static void make_faulty(void) {
    make_dir();
    memset(&script, 0, sizeof script);
    ((rwl_local_store *)local)->calls = &fake_calls;
}

static rwl_status try_put(rwl_error *err) {
    return rwl_store_put(local, NULL, in_dir("v1"), rwl_span_str("0123456789"), err);
}

START_TEST(the_inodes_decide_when_link_reports_an_error) {
    static const struct {
        const char *what;
        int link_errno;
        bool made, other;
        int stat_errno;
        rwl_status status;
        const char *content; /* of the target afterwards; NULL: absent */
        int entries;         /* in the directory afterwards */
    } cases[] = {
        {"reply lost, request repeated", EEXIST, true, false, 0, RWL_OK, "0123456789", 1},
        {"reply lost", EIO, true, false, 0, RWL_OK, "0123456789", 1},
        {"reply lost, not supported it says", EPERM, true, false, 0, RWL_OK, "0123456789", 1},
        {"another came first", EEXIST, false, true, 0, RWL_EXISTS, "other", 1},
        {"another came first, error", EIO, false, true, 0, RWL_EXISTS, "other", 1},
        {"the other is gone again", EEXIST, false, false, 0, RWL_EXISTS, NULL, 0},
        {"no hard links", EPERM, false, false, 0, RWL_UNSUPPORTED, NULL, 0},
        {"no hard links either", ENOTSUP, false, false, 0, RWL_UNSUPPORTED, NULL, 0},
        {"too many links", EMLINK, false, false, 0, RWL_UNSUPPORTED, NULL, 0},
        {"not allowed", EACCES, false, false, 0, RWL_IO, NULL, 0},
        {"full", ENOSPC, false, false, 0, RWL_IO, NULL, 0},
        {"error, nothing there", EIO, false, false, 0, RWL_COMMIT_UNKNOWN, NULL, 1},
        {"time-out, nothing there", ETIMEDOUT, false, false, 0, RWL_COMMIT_UNKNOWN, NULL, 1},
        {"error, and no looking", EIO, true, false, EIO, RWL_COMMIT_UNKNOWN, "0123456789", 2},
        {"taken, and no looking", EEXIST, true, false, ESTALE, RWL_COMMIT_UNKNOWN, "0123456789", 2},
    };
    memset(&script, 0, sizeof script);
    script.link_errno = cases[_i].link_errno;
    script.link_made = cases[_i].made;
    script.link_other = cases[_i].other;
    script.stat_errno = cases[_i].stat_errno;
    rwl_error err = {0};
    rwl_status st = try_put(&err);
    ck_assert_msg(st == cases[_i].status, "%s: %d %s", cases[_i].what, (int)st, err.message);
    if (st != RWL_OK) {
        ck_assert_int_eq(err.code, st);
        ck_assert_str_eq(err.path, in_dir("v1"));
    }
    ck_assert_msg(count_entries(dir) == cases[_i].entries, "%s", cases[_i].what);
    if (cases[_i].content)
        check_content(local, in_dir("v1"), cases[_i].content);
    else
        ck_assert_int_ne(access(in_dir("v1"), F_OK), 0);
}
END_TEST

START_TEST(content_that_is_not_on_disk_is_not_published) {
    rwl_error err = {0};
    script.file_fsync_errno = EIO;
    ck_assert_int_eq(try_put(&err), RWL_IO);
    script.file_fsync_errno = 0;
    script.write_errno = ENOSPC;
    ck_assert_int_eq(try_put(&err), RWL_IO);
    ck_assert_int_eq(err.system_errno, ENOSPC);
    ck_assert_int_eq(count_entries(dir), 0);
}
END_TEST

START_TEST(a_failed_write_is_remembered) {
    static const uint8_t block[600000];
    rwl_new_file *file;
    rwl_error err = {0};
    ck_assert_int_eq(rwl_new_file_create(local, NULL, in_dir("x"), &file, &err), RWL_OK);
    script.write_errno = ENOSPC;
    ck_assert_int_eq(rwl_new_file_write(file, block, sizeof block, &err), RWL_IO);
    script.write_errno = 0;
    ck_assert_int_eq(rwl_new_file_write(file, "x", 1, &err), RWL_IO);
    ck_assert_int_eq(rwl_new_file_finish(file, &err), RWL_IO);
    ck_assert_int_eq(count_entries(dir), 0);
}
END_TEST

START_TEST(a_visible_file_of_an_unsynced_directory_is_unknown) {
    rwl_error err = {0};
    script.dir_fsync_errno = EIO;
    ck_assert_int_eq(try_put(&err), RWL_COMMIT_UNKNOWN);
    check_content(local, in_dir("v1"), "0123456789");
    script.dir_fsync_errno = EINVAL; /* a file system that has no such call */
    ck_assert_int_eq(rwl_store_put(local, NULL, in_dir("v2"), rwl_span_str("x"), &err), RWL_OK);
}
END_TEST

START_TEST(short_and_interrupted_calls_go_on) {
    rwl_error err = {0};
    script.short_writes = true;
    script.interrupts = 5;
    ck_assert_int_eq(try_put(&err), RWL_OK);
    check_content(local, in_dir("v1"), "0123456789");
}
END_TEST

START_TEST(a_failed_replacement_leaves_the_old_content) {
    rwl_error err = {0};
    ck_assert_int_eq(rwl_store_replace(local, NULL, in_dir("hint"), rwl_span_str("1"), &err), RWL_OK);
    script.rename_errno = EIO;
    ck_assert_int_eq(rwl_store_replace(local, NULL, in_dir("hint"), rwl_span_str("2"), &err), RWL_IO);
    check_content(local, in_dir("hint"), "1");
    ck_assert_int_eq(count_entries(dir), 1);
}
END_TEST

TCase *local_fault_tests(void) {
    TCase *tc = tcase_create("local faults");
    tcase_add_checked_fixture(tc, make_faulty, remove_dir);
    tcase_add_loop_test(tc, the_inodes_decide_when_link_reports_an_error, 0, 15);
    tcase_add_test(tc, content_that_is_not_on_disk_is_not_published);
    tcase_add_test(tc, a_failed_write_is_remembered);
    tcase_add_test(tc, a_visible_file_of_an_unsynced_directory_is_unknown);
    tcase_add_test(tc, short_and_interrupted_calls_go_on);
    tcase_add_test(tc, a_failed_replacement_leaves_the_old_content);
    return tc;
}
