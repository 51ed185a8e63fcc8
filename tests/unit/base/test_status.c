/* SPDX-License-Identifier: Apache-2.0 */
#include "base/status.h"

#include "base_tests.h"

#include <errno.h>
#include <string.h>

START_TEST(exit_codes_and_keys_are_those_of_the_command_line) {
    static const struct {
        rowline_status code;
        int exit_code;
        const char *key;
    } cases[] = {{ROWLINE_OK, 0, "ok"},
                 {ROWLINE_USAGE, 2, "usage"},
                 {ROWLINE_IO, 3, "io"},
                 {ROWLINE_NOT_FOUND, 3, "not_found"},
                 {ROWLINE_CONFLICT, 4, "conflict"},
                 {ROWLINE_UNSUPPORTED, 5, "unsupported"},
                 {ROWLINE_EXISTS, 5, "unsupported"},
                 {ROWLINE_COMMIT_UNKNOWN, 6, "commit_unknown"},
                 {ROWLINE_CORRUPT, 7, "corrupt"},
                 {ROWLINE_LAW_BROKEN, 7, "law_broken"},
                 {ROWLINE_INTERNAL, 8, "internal"},
                 {ROWLINE_INTERRUPTED, 130, "interrupted"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(rowline_status_exit_code(cases[i].code), cases[i].exit_code);
        ck_assert_str_eq(rowline_status_key(cases[i].code), cases[i].key);
        ck_assert_int_gt((int)strlen(rowline_status_sentence(cases[i].code)), 0);
    }
    ck_assert_int_eq(rowline_status_exit_code((rowline_status)999), 8);
}
END_TEST

START_TEST(fail_fills_every_field_once) {
    rwl_error err = {.http_status = 500, .path = "old", .system_errno = 5};
    ck_assert_int_eq(rwl_fail_at(&err, RWL_CORRUPT, 42, "magic is %s", "XXXX"), RWL_CORRUPT);
    ck_assert_int_eq(err.code, RWL_CORRUPT);
    ck_assert_str_eq(err.message, "magic is XXXX");
    ck_assert_int_eq(err.offset, 42);
    ck_assert_int_eq(err.http_status, 0);
    ck_assert_int_eq(err.system_errno, 0);
    ck_assert_str_eq(err.path, "");
    ck_assert_int_eq(rwl_fail(&err, RWL_IO, "x"), RWL_IO);
    ck_assert_int_eq(err.offset, -1);
    ck_assert_int_eq(rwl_fail(NULL, RWL_IO, "x"), RWL_IO);
    ck_assert_int_eq(rwl_fail(&err, RWL_OK, "no success"), RWL_INTERNAL);
}
END_TEST

START_TEST(errno_chooses_the_code) {
    rwl_error err = {0};
    ck_assert_int_eq(rwl_fail_errno(&err, ENOENT, "%s", "a/b"), RWL_NOT_FOUND);
    ck_assert_str_eq(err.message, "a/b: No such file or directory");
    ck_assert_int_eq(err.system_errno, ENOENT);
    ck_assert_int_eq(rwl_fail_errno(&err, ENOMEM, "x"), RWL_NO_MEMORY);
    ck_assert_int_eq(rwl_fail_errno(&err, EIO, "x"), RWL_IO);
}
END_TEST

START_TEST(places_go_in_front_and_the_first_path_stays) {
    rwl_error err = {0};
    rwl_status st = rwl_fail(&err, RWL_CORRUPT, "length 9");
    st = rwl_error_in(&err, st, "block %d", 3);
    st = rwl_error_path(&err, st, "m0.avro");
    st = rwl_error_in(&err, st, "manifest");
    st = rwl_error_path(&err, st, "other");
    ck_assert_int_eq(st, RWL_CORRUPT);
    ck_assert_str_eq(err.message, "manifest: block 3: length 9");
    ck_assert_str_eq(err.path, "m0.avro");
}
END_TEST

START_TEST(messages_are_one_line_of_whole_characters) {
    rwl_error err = {0};
    (void)rwl_fail(&err, RWL_CORRUPT,
                   "a\nb\x01"
                   "c");
    ck_assert_str_eq(err.message, "a b?c");
    char text[1200] = "x"; /* x, then 2-byte characters: the last of 511 bytes cuts one unless it is whole */
    for (size_t i = 1; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    (void)rwl_fail(&err, RWL_CORRUPT, "%s", text);
    ck_assert_uint_eq(strlen(err.message), 511);
    (void)rwl_fail(&err, RWL_CORRUPT, "%s", text + 1);
    ck_assert_uint_eq(strlen(err.message), 510);
    (void)rwl_error_in(&err, RWL_CORRUPT, "y");
    ck_assert_uint_eq(strlen(err.message),
                      510); /* "y: " and 62 characters, "...", 190 characters: 127 + 3 + 380 */
    ck_assert_int_eq(strncmp(err.message + 127, "...\xc3\xa9", 5), 0);
}
END_TEST

START_TEST(the_reason_stays_behind_however_many_places) {
    rwl_error err = {0};
    (void)rwl_fail(&err, RWL_CORRUPT, "length 9");
    for (int i = 0; i < 100; i++)
        (void)rwl_error_in(&err, RWL_CORRUPT, "field 'x%d'", i);
    (void)rwl_error_in(&err, RWL_CORRUPT, "v1.metadata.json");
    ck_assert_uint_eq(strlen(err.message), 511);
    ck_assert_int_eq(strncmp(err.message, "v1.metadata.json: field 'x99': ", 31), 0);
    ck_assert_str_eq(err.message + 511 - 32, "field 'x1': field 'x0': length 9");
    ck_assert_ptr_nonnull(strstr(err.message, "..."));
    ck_assert_ptr_null(strstr(strstr(err.message, "...") + 3, "..."));
}
END_TEST

TCase *status_tests(void) {
    TCase *tc = tcase_create("status");
    tcase_add_test(tc, exit_codes_and_keys_are_those_of_the_command_line);
    tcase_add_test(tc, fail_fills_every_field_once);
    tcase_add_test(tc, errno_chooses_the_code);
    tcase_add_test(tc, places_go_in_front_and_the_first_path_stays);
    tcase_add_test(tc, messages_are_one_line_of_whole_characters);
    tcase_add_test(tc, the_reason_stays_behind_however_many_places);
    return tc;
}
