/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of storage/. */
#include "storage_tests.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

rwl_env env;
rwl_store *local;
char dir[64];

void make_dir(void) {
    snprintf(dir, sizeof dir, "/tmp/rowline-storage-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    rwl_env_init_default(&env);
    ck_assert_int_eq(rwl_store_local_new(&env, NULL, 0, &local, NULL), RWL_OK);
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *walk) {
    (void)st;
    (void)kind;
    (void)walk;
    return remove(path);
}

void remove_dir(void) {
    rwl_store_free(local);
    nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *in_dir(const char *name) {
    static char places[8][512];
    static unsigned next;
    char *place = places[next++ % 8];
    snprintf(place, sizeof places[0], "%s/%s", dir, name);
    return place;
}

int count_entries(const char *path) {
    DIR *d = opendir(path);
    if (!d)
        return -1;
    int count = 0;
    while (readdir(d))
        count++;
    closedir(d);
    return count - 2; /* "." and ".." */
}

void put(const char *location, const char *text) {
    rwl_error err = {0};
    ck_assert_msg(rwl_store_put(local, NULL, location, rwl_span_str(text), &err) == RWL_OK, "%s",
                  err.message);
}

void check_content(rwl_store *store, const char *location, const char *expected) {
    rwl_buf buf;
    rwl_error err = {0};
    rwl_buf_init(&buf, &env, SIZE_MAX);
    ck_assert_msg(rwl_store_read_all(store, NULL, location, &buf, &err) == RWL_OK, "%s", err.message);
    ck_assert(rwl_span_equal(rwl_buf_span(&buf), rwl_span_str(expected)));
    rwl_buf_clear(&buf);
}

int main(void) {
    Suite *suite = suite_create("storage");
    suite_add_tcase(suite, paths_tests());
    suite_add_tcase(suite, local_tests());
    suite_add_tcase(suite, local_fault_tests());
    suite_add_tcase(suite, stream_tests());
    suite_add_tcase(suite, test_store_tests());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
