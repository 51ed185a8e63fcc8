/* SPDX-License-Identifier: Apache-2.0 */
/* Reading in sequence: files, pipes that end, pipes that never do. */
#include "storage/stream.h"
#include "storage_tests.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static rwl_op op;

static rwl_stream *open_stream(const char *path) {
    rwl_stream *s = NULL;
    rwl_error err = {0};
    rwl_op_init(&op, &env, 0);
    ck_assert_msg(rwl_stream_open(&op, path, &s, &err) == RWL_OK, "%s", err.message);
    return s;
}

START_TEST(a_file_is_read_to_its_end) {
    uint8_t bytes[4];
    size_t got;
    put(in_dir("f"), "abcdef");
    rwl_stream *s = open_stream(in_dir("f"));
    ck_assert_int_eq(rwl_stream_read(s, bytes, 4, &got, NULL), RWL_OK);
    ck_assert_mem_eq(bytes, "abcd", 4);
    ck_assert_int_eq(rwl_stream_read(s, bytes, 4, &got, NULL), RWL_OK);
    ck_assert_uint_eq(got, 2);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(rwl_stream_read(s, bytes, 4, &got, NULL), RWL_OK);
        ck_assert_uint_eq(got, 0);
    }
    rwl_stream_close(s);
}
END_TEST

START_TEST(what_is_no_file_is_an_error) {
    rwl_stream *s = NULL;
    uint8_t byte;
    size_t got;
    rwl_op_init(&op, &env, 0);
    ck_assert_int_eq(rwl_stream_open(&op, in_dir("none"), &s, NULL), RWL_NOT_FOUND);
    s = open_stream(dir);
    ck_assert_int_eq(rwl_stream_read(s, &byte, 1, &got, NULL), RWL_IO);
    rwl_stream_close(s);
}
END_TEST

/* Cancels once the reader has taken what is in the pipe: whatever it does then, checking, waiting or on its way there. */
static void *cancel_when_empty(void *pipe) {
    for (int left = 1; left > 0; sched_yield())
        ck_assert_int_eq(ioctl(*(int *)pipe, FIONREAD, &left), 0);
    atomic_store(&op.cancelled, 1);
    return NULL;
}

/* No signal comes to the thread that reads, as when it comes to another, or a moment before the call. */
START_TEST(waiting_for_a_pipe_ends_when_the_operation_is_cancelled) {
    uint8_t bytes[4];
    size_t got;
    pthread_t other;
    ck_assert_int_eq(mkfifo(in_dir("pipe"), 0600), 0);
    int writer = open(in_dir("pipe"), O_RDWR | O_CLOEXEC);
    ck_assert_int_ge(writer, 0);
    rwl_stream *s = open_stream(in_dir("pipe"));
    ck_assert_int_eq(write(writer, "ab", 2), 2);
    ck_assert_int_eq(pthread_create(&other, NULL, cancel_when_empty, &writer), 0);
    ck_assert_int_eq(rwl_stream_read(s, bytes, 4, &got, NULL), RWL_OK);
    ck_assert_uint_eq(got, 2);
    ck_assert_int_eq(rwl_stream_read(s, bytes, 4, &got, NULL), RWL_INTERRUPTED);
    ck_assert_int_eq(pthread_join(other, NULL), 0);
    rwl_stream_close(s);
    close(writer);
}
END_TEST

TCase *stream_tests(void) {
    TCase *tc = tcase_create("stream");
    tcase_add_checked_fixture(tc, make_dir, remove_dir);
    tcase_add_test(tc, a_file_is_read_to_its_end);
    tcase_add_test(tc, what_is_no_file_is_an_error);
    tcase_add_loop_test(tc, waiting_for_a_pipe_ends_when_the_operation_is_cancelled, 0, 20);
    return tc;
}
