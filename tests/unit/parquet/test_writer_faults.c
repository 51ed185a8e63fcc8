/* SPDX-License-Identifier: Apache-2.0 */
/* Every storage call and every allocation of the writer fails in turn: no file, no leak, one status. */
#include "suites.h"
#include "writer_support.h"

#include "storage/test_store.h"

#include <stdlib.h>

/* Two row groups of every type through `store` and `op`. */
static rwl_status write_file(rwl_store *store, rwl_op *op, const rwl_batch *all, const rwl_field *fields) {
    static const char *const keys[] = {"k"}, *const values[] = {"v"};
    rwl_parquet_write_options options = {.codec = RWL_CODEC_ZSTD,
                                         .page_rows = 100,
                                         .dictionary_bytes = 600,
                                         .row_group_bytes = 8000,
                                         .kv_keys = keys,
                                         .kv_values = values,
                                         .kv_count = 1};
    rwl_parquet_writer *w;
    rwl_parquet_written written;
    RWL_TRY(rwl_parquet_writer_open(store, op, writer_path, fields, all->column_count, &options, &w,
                                    &writer_error));
    rwl_status st = rwl_parquet_writer_write(w, all, &writer_error);
    if (st != RWL_OK) {
        rwl_parquet_writer_abort(w);
        return st;
    }
    st = rwl_parquet_writer_finish(w, &written, &writer_error);
    rwl_parquet_written_clear(&written);
    return st;
}

static void make_rows(rwl_batch *all, rwl_field fields[EVERY_TYPE], int64_t rows) {
    unsigned seed = 9;
    column_style styles[EVERY_TYPE];
    every_type(fields, false);
    for (int i = 0; i < EVERY_TYPE; i++)
        styles[i] = (column_style){i % 2 ? 1 << 30 : 5, 20, 2};
    write_ok(rwl_batch_init(all, &writer_env, fields, EVERY_TYPE, &writer_error));
    append_random(all, fields, styles, rows, &seed);
}

START_TEST(a_failed_storage_call_leaves_no_file) {
    static const rwl_test_call kinds[] = {RWL_TEST_CREATE, RWL_TEST_WRITE, RWL_TEST_FINISH};
    rwl_test_store_options options = {0};
    rwl_field fields[EVERY_TYPE];
    rwl_batch all;
    rwl_store *local, *store;
    make_rows(&all, fields, 400);
    write_ok(rwl_store_local_new(&writer_env, NULL, 0, &local, &writer_error));
    write_ok(rwl_test_store_new(&writer_env, local, &options, &store, &writer_error));
    write_ok(write_file(store, &writer_op, &all, fields));
    check_read_back(writer_path, &all, fields, 0);
    write_ok(rwl_store_remove(writer_store, &writer_op, writer_path, &writer_error));
    rwl_test_store_stats whole = rwl_test_store_stats_of(store);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        ck_assert_int_gt(whole.calls[kinds[k]], 0);
        for (int64_t n = 1; n <= whole.calls[kinds[k]]; n++) {
            options = (rwl_test_store_options){.fail_at = n, .fail_call = kinds[k]};
            rwl_test_store_set(store, &options);
            ck_assert_msg(write_file(store, &writer_op, &all, fields) == RWL_IO, "%s %lld",
                          rwl_test_call_name(kinds[k]), (long long)n);
            ck_assert_int_eq(rwl_test_store_stats_of(store).open_new_files, 0);
            ck_assert_int_eq(writer_dir_entries(), 0);
        }
    }
    rwl_store_free(store);
    rwl_batch_clear(&all);
}
END_TEST

START_TEST(a_lost_reply_at_the_end_is_unknown) {
    rwl_test_store_options options = {.fail_at = 1, .fail_call = RWL_TEST_FINISH, .fail_after = true};
    rwl_field fields[EVERY_TYPE];
    rwl_batch all;
    rwl_store *local, *store;
    make_rows(&all, fields, 10);
    write_ok(rwl_store_local_new(&writer_env, NULL, 0, &local, &writer_error));
    write_ok(rwl_test_store_new(&writer_env, local, &options, &store, &writer_error));
    ck_assert_int_eq(write_file(store, &writer_op, &all, fields), RWL_COMMIT_UNKNOWN);
    check_read_back(writer_path, &all, fields, 0);
    rwl_store_free(store);
    rwl_batch_clear(&all);
}
END_TEST

START_TEST(a_taken_name_is_not_replaced) {
    rwl_field fields[EVERY_TYPE];
    rwl_batch all;
    make_rows(&all, fields, 10);
    write_ok(rwl_store_put(writer_store, &writer_op, writer_path, rwl_span_str("other"), &writer_error));
    ck_assert_int_eq(write_file(writer_store, &writer_op, &all, fields), RWL_EXISTS);
    ck_assert_int_eq(writer_dir_entries(), 1);
    rwl_batch_clear(&all);
}
END_TEST

/* --- memory --- */

typedef struct rows_to_write {
    const rwl_batch *all;
    const rwl_field *fields;
} rows_to_write;

static rwl_status write_rows(rwl_store *store, rwl_op *op, void *ctx) {
    const rows_to_write *rows = ctx;
    return write_file(store, op, rows->all, rows->fields);
}

START_TEST(a_failed_allocation_leaves_no_file_and_no_memory) {
    rwl_field fields[EVERY_TYPE];
    rwl_batch all;
    make_rows(&all, fields, 150);
    rows_to_write rows = {&all, fields};
    check_failed_allocations(write_rows, &rows);
    check_read_back(writer_path, &all, fields, 0);
    rwl_batch_clear(&all);
}
END_TEST

Suite *writer_faults_suite(void) {
    Suite *suite = suite_create("parquet writer: faults");
    TCase *tc = tcase_create("faults");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, writer_setup, writer_teardown);
    tcase_add_test(tc, a_failed_storage_call_leaves_no_file);
    tcase_add_test(tc, a_lost_reply_at_the_end_is_unknown);
    tcase_add_test(tc, a_taken_name_is_not_replaced);
    tcase_add_test(tc, a_failed_allocation_leaves_no_file_and_no_memory);
    suite_add_tcase(suite, tc);
    return suite;
}
