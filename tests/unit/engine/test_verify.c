/* SPDX-License-Identifier: Apache-2.0 */
/* Rows tampered with on their way to the writer: every rewrite must notice, commit nothing and leave no file. */
#include "engine_test.h"
#include "suites.h"

/* ids 0..2 with 1,a 2,b 3,c at sequence 1; ids 3, 4 with 4,d 5,e at sequence 2 */
#define WANTED_ROWS "1,a=0/1 2,b=1/1 3,c=2/1 4,d=3/2 5,e=4/2"

static void make_table(void) {
    test_create("t", 3, "id long, name string", NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}\n{'id':3,'name':'c'}");
    test_append("t", "{'id':4,'name':'d'}\n{'id':5,'name':'e'}");
}

/* Ids of the rows replaced; a negative one is null. */
static void set_ids(rwl_runs *ids, const int64_t *values, int64_t count) {
    rwl_runs_reset(ids);
    for (int64_t i = 0; i < count; i++) {
        if (values[i] < 0)
            ASSERT_OK(rwl_runs_append_null(ids, 1, err));
        else
            ASSERT_OK(rwl_runs_append(ids, values[i], 1, err));
    }
}

/* The rows at these indexes, repeats allowed, in place of all. */
static void take(rwl_rows *rows, const int32_t *indexes, int64_t count) {
    rwl_rows old = *rows, fresh;
    memset(&fresh, 0, sizeof fresh);
    rwl_field fields[2] = {{.name = "id", .type = rwl_type_of(RWL_TYPE_LONG)},
                           {.name = "name", .type = rwl_type_of(RWL_TYPE_STRING)}};
    ASSERT_OK(rwl_rows_init(&fresh, test_env(), fields, 2, err));
    ASSERT_OK(rwl_batch_take(&old.batch, indexes, count, &fresh.batch, err));
    ASSERT_OK(rwl_runs_take(&old.row_ids, indexes, count, &fresh.row_ids, err));
    ASSERT_OK(rwl_runs_take(&old.versions, indexes, count, &fresh.versions, err));
    *rows = fresh;
    rwl_rows_clear(&old);
}

/* Only the batch of three rows, the file of sequence 1, is touched. */
static bool is_first(const rwl_rows *rows) {
    return rows->batch.length == 3;
}

static void swap_ids(void *ctx, rwl_rows *rows) {
    (void)ctx;
    if (is_first(rows))
        set_ids(&rows->row_ids, (const int64_t[]){1, 0, 2}, 3);
}
static void drop_row(void *ctx, rwl_rows *rows) {
    (void)ctx;
    if (is_first(rows))
        take(rows, (const int32_t[]){0, 2}, 2);
}
static void double_row(void *ctx, rwl_rows *rows) {
    (void)ctx;
    if (is_first(rows))
        take(rows, (const int32_t[]){0, 1, 1, 2}, 4);
}
static void swap_rows_for_another(void *ctx, rwl_rows *rows) {
    (void)ctx;
    if (is_first(rows))
        take(rows, (const int32_t[]){0, 1, 1}, 3);
}
static void change_value(void *ctx, rwl_rows *rows) {
    (void)ctx;
    if (is_first(rows))
        rows->batch.columns[0].values.data[8] ^= 1; /* the lowest bit of the second id */
}
static void change_text(void *ctx, rwl_rows *rows) {
    (void)ctx;
    if (is_first(rows))
        rows->batch.columns[1].values.data[2] = 'x';
}
static void null_value(void *ctx, rwl_rows *rows) {
    (void)ctx;
    if (!is_first(rows))
        return;
    rwl_column *c = &rows->batch.columns[1];
    ASSERT_OK(rwl_column_need_validity(c, test_env(), 3, err));
    rwl_bit_clear(c->validity.data, 0);
    c->null_count = 1;
}
static void null_id(void *ctx, rwl_rows *rows) {
    (void)ctx;
    if (is_first(rows))
        set_ids(&rows->row_ids, (const int64_t[]){0, -1, 2}, 3);
}
static void id_at_next_row_id(void *ctx, rwl_rows *rows) {
    (void)ctx;
    if (is_first(rows))
        set_ids(&rows->row_ids, (const int64_t[]){0, 5, 2}, 3);
}
static void duplicate_id(void *ctx, rwl_rows *rows) {
    (void)ctx;
    if (is_first(rows))
        set_ids(&rows->row_ids, (const int64_t[]){0, 2, 2}, 3);
}
static void change_version(void *ctx, rwl_rows *rows) {
    (void)ctx;
    rwl_runs_reset(&rows->versions);
    ASSERT_OK(rwl_runs_append(&rows->versions, 2, rows->batch.length, err));
}
static void null_version(void *ctx, rwl_rows *rows) {
    (void)ctx;
    if (!is_first(rows))
        return;
    rwl_runs_reset(&rows->versions);
    ASSERT_OK(rwl_runs_append_null(&rows->versions, 3, err));
}

typedef struct tampering {
    const char *what;
    void (*tamper)(void *ctx, rwl_rows *rows);
    bool in_values; /* not seen by --verify lineage */
    bool by_law;    /* LAW_BROKEN is right too: the written ids alone break a law */
} tampering;

static const tampering cases[] = {
    {"two ids swapped", swap_ids, true, false},
    {"a row dropped", drop_row, false, false},
    {"a row doubled", double_row, false, false},
    {"a row replaced by another", swap_rows_for_another, false, false},
    {"a value changed", change_value, true, false},
    {"a text changed", change_text, true, false},
    {"a value made null", null_value, true, false},
    {"an id made null", null_id, false, true},
    {"an id that no row can have", id_at_next_row_id, false, true},
    {"an id twice", duplicate_id, false, true},
    {"versions changed", change_version, false, false},
    {"versions made null", null_version, false, false},
};
enum { CASE_COUNT = sizeof cases / sizeof *cases };

static void expect_abort(const tampering *c, const rwl_rewrite_options *options) {
    const char *before = test_listing("t");
    rwl_error err = {0};
    rwl_status st = try_rewrite("t", options, &err);
    ck_assert_msg(st == RWL_INTERNAL || (c->by_law && st == RWL_LAW_BROKEN), "%s: status %d: %s", c->what,
                  (int)st, err.message);
    if (st == RWL_LAW_BROKEN)
        ck_assert_msg(strstr(err.message, "law ") != NULL, "%s: %s", c->what, err.message);
    ck_assert_msg(strcmp(test_listing("t"), before) == 0, "%s: files were left behind", c->what);
    ck_assert_str_eq(test_sorted(test_rows("t")), WANTED_ROWS);
}

START_TEST(full_verification_finds_everything) {
    make_table();
    for (int i = 0; i < CASE_COUNT; i++) {
        rwl_rewrite_options o = {.rewrite_all = true, .tamper = cases[i].tamper};
        expect_abort(&cases[i], &o);
    }
}
END_TEST

START_TEST(full_verification_finds_everything_in_a_sorted_rewrite) {
    make_table();
    for (int i = 0; i < CASE_COUNT; i++) {
        rwl_rewrite_options o = {.rewrite_all = true, .sort = "id desc", .tamper = cases[i].tamper};
        expect_abort(&cases[i], &o);
    }
}
END_TEST

START_TEST(lineage_verification_finds_what_concerns_lineage) {
    make_table();
    for (int i = 0; i < CASE_COUNT; i++) {
        rwl_rewrite_options o = {.rewrite_all = true, .verify_lineage_only = true, .tamper = cases[i].tamper};
        if (!cases[i].in_values)
            expect_abort(&cases[i], &o);
    }
}
END_TEST

START_TEST(values_are_verified_in_version_2_tables_too) {
    test_create("t", 2, "id long, name string", NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}\n{'id':3,'name':'c'}");
    const char *before = test_listing("t");
    static const tampering *const of_values[] = {&cases[1], &cases[2], &cases[3],
                                                 &cases[4], &cases[5], &cases[6]};
    for (size_t i = 0; i < sizeof of_values / sizeof *of_values; i++) {
        rwl_rewrite_options o = {.rewrite_all = true, .tamper = of_values[i]->tamper};
        ASSERT_FAILS(RWL_INTERNAL, "", try_rewrite("t", &o, err));
        ck_assert_str_eq(test_listing("t"), before);
    }
}
END_TEST

static void leave_alone(void *ctx, rwl_rows *rows) {
    ++*(int *)ctx;
    (void)rows;
}

START_TEST(untouched_rows_pass) {
    make_table();
    int calls = 0;
    rwl_rewrite_options o = {.rewrite_all = true, .tamper = leave_alone, .tamper_ctx = &calls};
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(calls, 2); /* a batch a file */
    ck_assert_int_eq(out.rewrite.rows_in, 5);
    ck_assert_int_eq(out.rewrite.rows_out, 5);
    ck_assert_str_eq(test_sorted(test_rows("t")), WANTED_ROWS);
}
END_TEST

/* A table that already breaks law 1 is not made worse: the same id in two files. */
START_TEST(duplicate_ids_of_the_input_are_named) {
    make_table();
    test_head head = test_read_head("t");
    rwl_manifest lines[2];
    for (int i = 0; i < 2; i++) {
        lines[i] = head.manifests[i];
        lines[i].first_row_id = 1; /* rows 1..3 and 1..2 */
    }
    rwl_table *t = test_open("t");
    test_put_snapshot(t, lines, 2, "append", "other", 0);
    test_close(t);
    const char *before = test_listing("t");
    rwl_rewrite_options o = {.rewrite_all = true};
    ASSERT_FAILS(RWL_LAW_BROKEN, "law 1", try_rewrite("t", &o, err));
    ASSERT_FAILS(RWL_LAW_BROKEN, "1, 2", try_rewrite("t", &o, err));
    ck_assert_str_eq(test_listing("t"), before);
}
END_TEST

START_TEST(ids_beyond_next_row_id_of_the_input_are_refused) {
    make_table();
    test_head head = test_read_head("t");
    rwl_manifest lines[2] = {head.manifests[0], head.manifests[1]};
    lines[0].first_row_id = 4; /* the newest: rows 4 and 5, next-row-id 5 */
    rwl_table *t = test_open("t");
    test_put_snapshot(t, lines, 2, "append", "other", 0);
    test_close(t);
    const char *before = test_listing("t");
    rwl_rewrite_options o = {.rewrite_all = true};
    ASSERT_FAILS(RWL_LAW_BROKEN, "law 2", try_rewrite("t", &o, err));
    ck_assert_str_eq(test_listing("t"), before);
}
END_TEST

/* 40,000 ids 37 apart take more than the least ceiling (2 bytes each in array containers): windows of ids it is. */
static void verify_scattered(int64_t repeat_at, int64_t repeated) {
    enum { ROWS = 40000, STEP = 37 };
    test_create("t", 3, "id long", NULL, NULL);
    rwl_table *t = test_open("t");
    t->metadata->next_row_id = (int64_t)ROWS * STEP;
    rwl_data_files_options options = {
        .metadata = t->metadata, .lineage = true, .target_rows = ROWS / 3, .operation_id = "scattered"};
    rwl_data_files *files = NULL;
    rwl_data_writer *w = NULL;
    rwl_batch batch;
    rwl_runs ids, versions;
    ASSERT_OK(rwl_data_files_new(t->store, test_op(), &options, &files, err));
    ASSERT_OK(rwl_data_writer_new(files, &w, err));
    ASSERT_OK(rwl_batch_init(&batch, test_env(), t->schema->fields, 1, err));
    rwl_runs_init(&ids, test_env(), 1);
    rwl_runs_init(&versions, test_env(), 0);
    const rwl_value one = {.kind = RWL_TYPE_LONG, .as.i64 = 1};
    ASSERT_OK(rwl_column_append(&batch.columns[0], test_env(), &one, ROWS, err));
    batch.length = ROWS;
    for (int64_t i = 0; i < ROWS; i++)
        ASSERT_OK(rwl_runs_append(&ids, (i == repeat_at ? repeated : i) * STEP, 1, err));
    ASSERT_OK(rwl_runs_append(&versions, 1, ROWS, err));
    ASSERT_OK(rwl_data_writer_write(w, &batch, &ids, &versions, err));
    ASSERT_OK(rwl_data_writer_finish(w, err));
    rwl_distinct distinct;
    rwl_mutex lock;
    rwl_row_sums sums;
    memset(&sums, 0, sizeof sums);
    ASSERT_OK(rwl_mutex_init(&lock, err));
    rwl_distinct_init(&distinct, test_env(), 0, INT64_MAX, RWL_DISTINCT_CEILING_MIN);
    rwl_verify_request request = {.store = t->store,
                                  .metadata = t->metadata,
                                  .values = t->metadata->schema,
                                  .with_lineage = true,
                                  .data_sequence_number = 1,
                                  .distinct = &distinct,
                                  .distinct_lock = &lock};
    request.files = rwl_data_files_list(files, &request.file_count);
    ck_assert_uint_eq(request.file_count, 4); /* 3 x 13,333 and one row */
    ASSERT_OK(rwl_verify_files(test_op(), &request, &sums, err));
    ck_assert_int_eq(sums.conserve.rows, ROWS);
    ck_assert(distinct.too_large);
    rwl_error err = {0};
    rwl_status st = rwl_verify_distinct(test_op(), &request, 1, &distinct, &err);
    if (repeat_at < 0)
        ck_assert_msg(st == RWL_OK, "%s", err.message);
    else
        ck_assert_msg(st == RWL_LAW_BROKEN && strstr(err.message, "370000") != NULL, "%d: %s", (int)st,
                      err.message);
    rwl_distinct_clear(&distinct);
    rwl_mutex_clear(&lock);
    rwl_runs_clear(&ids);
    rwl_runs_clear(&versions);
    rwl_batch_clear(&batch);
    rwl_data_writer_free(w);
    rwl_data_files_free(files);
    test_close(t);
}

START_TEST(scattered_ids_are_checked_in_windows) {
    verify_scattered(-1, 0);
}
END_TEST

/* Row 39,999 in the last file has the id of row 10,000 in the first: 370,000. */
START_TEST(a_duplicate_among_scattered_ids_is_found) {
    verify_scattered(39999, 10000);
}
END_TEST

Suite *suite_verify(void) {
    const TTest *const tests[] = {
        full_verification_finds_everything,
        full_verification_finds_everything_in_a_sorted_rewrite,
        lineage_verification_finds_what_concerns_lineage,
        values_are_verified_in_version_2_tables_too,
        untouched_rows_pass,
        duplicate_ids_of_the_input_are_named,
        ids_beyond_next_row_id_of_the_input_are_refused,
        scattered_ids_are_checked_in_windows,
        a_duplicate_among_scattered_ids_is_found,
    };
    return TEST_SUITE("verify", tests);
}
