/* SPDX-License-Identifier: Apache-2.0 */
/* Every storage call and every allocation of a stitching fails in turn; it is cancelled at any moment: no file, no leak. */
#include "stitch_support.h"
#include "suites.h"
#include "writer_support.h"

#include "storage/test_store.h"

#include <stdlib.h>
#include <unistd.h>

enum { FILES = 3, ROWS = 400 };

typedef struct fault_schema {
    rwl_field fields[5], element;
} fault_schema;

static void make_fields(fault_schema *s, bool required, rwl_type_kind number) {
    static const char *const names[] = {"n", "s", "l", "later", "_row_id"};
    static const int32_t ids[] = {1, 2, 3, 5, 2147483540};
    const rwl_type_kind kinds[] = {number, RWL_TYPE_STRING, RWL_TYPE_LIST, RWL_TYPE_DOUBLE, RWL_TYPE_LONG};
    s->element = (rwl_field){.name = "element", .id = 4, .type = rwl_type_of(RWL_TYPE_STRING)};
    for (int i = 0; i < 5; i++)
        s->fields[i] = (rwl_field){
            .name = names[i], .id = ids[i], .required = required && i < 2, .type = rwl_type_of(kinds[i])};
    s->fields[2].type.children = &s->element;
    s->fields[2].type.child_count = 1;
}

static void make_inputs(void) {
    rwl_parquet_column_options bloom = {.path = "s", .bloom = true, .bloom_distinct = 100};
    for (int i = 0; i < FILES; i++) {
        fault_schema s;
        make_fields(&s, i == 1, i == 2 ? RWL_TYPE_INT : RWL_TYPE_LONG);
        rwl_parquet_write_options o = {.codec = i == 0 ? RWL_CODEC_SNAPPY : RWL_CODEC_ZSTD,
                                       .page_rows = 50,
                                       .page_v2 = i == 2,
                                       .row_group_rows = 250,
                                       .columns = &bloom,
                                       .column_count = 1};
        value_style style = {20, i == 1 ? 0 : 20, 10 * i};
        stitch_write(stitch_path(i), s.fields, 3, &o, &style, ROWS, (unsigned)i);
    }
}

static rwl_status stitch_parts(rwl_parquet_stitch *s, rwl_parquet_file **files) {
    static const rwl_range ranges[][2] = {
        {{0, ROWS}, {0, 0}}, {{10, 130}, {200, 100}}, {{0, 60}, {100, 300}}};
    static int64_t base = 1000;
    for (int i = 0; i < FILES; i++) {
        rwl_parquet_stitch_part part = {
            .file = files[i], .ranges = ranges[i], .range_count = i == 0 ? 1 : 2, .ctx = &base};
        RWL_TRY(rwl_parquet_stitch_add(s, &part, &writer_error));
    }
    return RWL_OK;
}

static rwl_status stitch_files(rwl_store *store, rwl_op *op, void *ctx) {
    (void)ctx;
    fault_schema target;
    static const int32_t made[] = {4};
    rwl_parquet_file *files[FILES] = {NULL};
    rwl_parquet_stitch_options options = {.made = made, .made_count = 1, .make = stitch_make_ids};
    rwl_parquet_stitch *s = NULL;
    rwl_parquet_written written = {0};
    rwl_status st = RWL_OK;
    make_fields(&target, false, RWL_TYPE_LONG);
    options.write =
        (rwl_parquet_write_options){.codec = RWL_CODEC_ZSTD, .page_rows = 60, .row_group_rows = 500};
    for (int i = 0; i < FILES && st == RWL_OK; i++)
        st = rwl_parquet_open(store, op, stitch_path(i), -1, &files[i], &writer_error);
    if (st == RWL_OK)
        st = rwl_parquet_stitch_open(store, op, writer_path, target.fields, 5, &options, &s, &writer_error);
    if (st == RWL_OK)
        st = stitch_parts(s, files);
    if (st == RWL_OK)
        st = rwl_parquet_stitch_finish(s, &written, NULL, &writer_error);
    else
        rwl_parquet_stitch_abort(s);
    rwl_parquet_written_clear(&written);
    for (int i = 0; i < FILES; i++)
        rwl_parquet_close(files[i]);
    return st;
}

static void setup(void) {
    stitch_setup();
    writer_setup();
    make_inputs();
}

static void teardown(void) {
    writer_teardown();
    stitch_teardown();
}

START_TEST(a_failed_allocation_of_a_stitching_leaves_nothing) {
    check_failed_allocations(stitch_files, NULL);
    ck_assert_int_eq(atomic_load(&writer_op.memory_used), 0);
}
END_TEST

START_TEST(a_failed_storage_call_of_a_stitching_leaves_nothing) {
    static const rwl_test_call kinds[] = {RWL_TEST_OPEN, RWL_TEST_READ, RWL_TEST_CREATE, RWL_TEST_WRITE,
                                          RWL_TEST_FINISH};
    rwl_test_store_options options = {0};
    rwl_store *local, *store;
    write_ok(rwl_store_local_new(&writer_env, NULL, 0, &local, &writer_error));
    write_ok(rwl_test_store_new(&writer_env, local, &options, &store, &writer_error));
    write_ok(stitch_files(store, &writer_op, NULL));
    unlink(writer_path);
    rwl_test_store_stats whole = rwl_test_store_stats_of(store);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        ck_assert_int_gt(whole.calls[kinds[k]], 0);
        for (int64_t n = 1; n <= whole.calls[kinds[k]]; n++) {
            options = (rwl_test_store_options){.fail_at = n, .fail_call = kinds[k]};
            rwl_test_store_set(store, &options);
            rwl_status st = stitch_files(store, &writer_op, NULL);
            check_msg(st == RWL_IO, "%s %lld: status %d", rwl_test_call_name(kinds[k]), (long long)n, st);
            rwl_test_store_stats left = rwl_test_store_stats_of(store);
            check_msg(left.open_files == 0 && left.open_new_files == 0, "%s %lld: files open",
                      rwl_test_call_name(kinds[k]), (long long)n);
            ck_assert_int_eq(writer_dir_entries(), 0);
            ck_assert_int_eq(atomic_load(&writer_op.memory_used), 0);
        }
    }
    rwl_store_free(store);
}
END_TEST

START_TEST(a_cancelled_stitching_leaves_nothing) {
    atomic_store(&writer_op.cancelled, 1);
    ck_assert_int_eq(stitch_files(writer_store, &writer_op, NULL), RWL_INTERRUPTED);
    ck_assert_int_eq(writer_dir_entries(), 0);
}
END_TEST

/* Every byte of an input file changed in turn: an error, or rows; never a crash. */
START_TEST(damaged_inputs_give_errors_or_rows) {
    rwl_buf bytes;
    rwl_buf_init(&bytes, &stitch_env, SIZE_MAX);
    stitch_ok(rwl_store_read_all(stitch_store, &stitch_op, stitch_path(2), &bytes, &stitch_error));
    size_t step = bytes.len / 600 + 1;
    for (size_t at = 4; at < bytes.len; at += step) {
        uint8_t was = bytes.data[at];
        bytes.data[at] = (uint8_t)(was ^ (1u << at % 8));
        unlink(stitch_path(2));
        stitch_ok(
            rwl_store_put(stitch_store, &stitch_op, stitch_path(2), rwl_buf_span(&bytes), &stitch_error));
        rwl_status st = stitch_files(writer_store, &writer_op, NULL);
        check_msg(st == RWL_OK || st == RWL_CORRUPT || st == RWL_UNSUPPORTED, "byte %zu: status %d: %s", at,
                  st, writer_error.message);
        unlink(writer_path);
        ck_assert_int_eq(atomic_load(&writer_op.memory_used), 0);
        bytes.data[at] = was;
    }
    rwl_buf_clear(&bytes);
}
END_TEST

Suite *stitch_faults_suite(void) {
    Suite *suite = suite_create("stitch_faults");
    TCase *tc = tcase_create("faults");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, a_failed_allocation_of_a_stitching_leaves_nothing);
    tcase_add_test(tc, a_failed_storage_call_of_a_stitching_leaves_nothing);
    tcase_add_test(tc, a_cancelled_stitching_leaves_nothing);
    tcase_add_test(tc, damaged_inputs_give_errors_or_rows);
    suite_add_tcase(suite, tc);
    return suite;
}
