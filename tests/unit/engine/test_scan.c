/* SPDX-License-Identifier: Apache-2.0 */
/* Reading rows, counting and summing them, upgrades. */
#include "engine_test.h"
#include "suites.h"

static void make_table(void) {
    test_create("t", 3, "id long not null, name string, d double", NULL, NULL);
    test_append("t", "{'id':1,'name':'a','d':1.5}\n{'id':2,'name':'b','d':'NaN'}");
    test_append("t", "{'id':3,'name':'c'}\n{'id':4,'name':'d','d':-0.0}");
    test_delete("t", "id = 2");
}

/* The rows a scan gives, as "a,b c,d". */
static const char *scan(const rwl_scan_options *options) {
    rwl_table *t = test_open("t");
    rwl_scan *s = NULL;
    rwl_batch batch;
    int32_t count;
    const char *text = "";
    ASSERT_OK(rwl_scan_open(t, test_op(), options, &s, err));
    const rwl_field *fields = rwl_scan_fields(s, &count);
    ASSERT_OK(rwl_batch_init(&batch, test_env(), fields, count, err));
    for (;;) {
        ASSERT_OK(rwl_scan_next(s, &batch, err));
        if (batch.length == 0)
            break;
        for (int64_t row = 0; row < batch.length; row++) {
            for (int32_t i = 0; i < count; i++) {
                rwl_value v = rwl_column_value(&batch.columns[i], row);
                rwl_buf cell;
                rwl_buf_init(&cell, test_env(), SIZE_MAX);
                if (!v.is_null)
                    ASSERT_OK(rwl_value_format(&fields[i].type, &v, &cell, err));
                text = rwl_arena_printf(test_arena(), "%s%s%.*s", text,
                                        i > 0           ? ","
                                        : *text != '\0' ? " "
                                                        : "",
                                        v.is_null ? 4 : (int)cell.len,
                                        v.is_null ? "null" : (const char *)cell.data);
                rwl_buf_clear(&cell);
            }
        }
    }
    ASSERT_OK(rwl_scan_next(s, &batch, err)); /* the end stays the end */
    ck_assert_int_eq(batch.length, 0);
    rwl_batch_clear(&batch);
    rwl_scan_close(s);
    test_close(t);
    return text;
}

START_TEST(columns_rows_and_limits_are_chosen) {
    static const struct {
        rwl_scan_options options;
        const char *rows;
    } cases[] = {
        {{.limit = -1, .order_by_row_id = true}, "1,a,1.5 3,c,null 4,d,-0.0"},
        {{.rows = {.select = "name, id"}, .limit = -1, .order_by_row_id = true}, "a,1 c,3 d,4"},
        {{.rows = {.select = "id", .where = "d is null"}, .limit = -1}, "3"},
        {{.rows = {.select = "id", .where = "d = 0.0"}, .limit = -1}, "4"},
        {{.rows = {.select = "id", .where = "name > 'a' and _row_id >= 2"},
          .limit = -1,
          .order_by_row_id = true},
         "3 4"},
        {{.rows = {.select = "id", .lineage = true}, .limit = -1, .order_by_row_id = true},
         "1,0,1 3,2,2 4,3,2"},
        {{.rows = {.select = "_pos, _row_id, id"}, .limit = -1, .order_by_row_id = true},
         "0,0,1 0,2,3 1,3,4"},
        {{.rows = {.select = "id"}, .limit = 2, .order_by_row_id = true}, "1 3"},
        {{.rows = {.select = "id"}, .limit = 0}, ""},
        {{.rows = {.select = "id", .where = "id > 100"}, .limit = -1}, ""},
    };
    make_table();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(strcmp(scan(&cases[i].options), cases[i].rows) == 0, "case %zu: %s", i,
                      scan(&cases[i].options));
}
END_TEST

START_TEST(the_file_of_a_row_is_the_metadatas_form) {
    make_table();
    test_head head = test_read_head("t");
    rwl_scan_options o = {.rows = {.select = "_file", .where = "id = 1"}, .limit = -1};
    const char *file = scan(&o);
    bool found = false;
    for (int32_t i = 0; i < head.data_files; i++)
        found = found || strcmp(test_live(&head, i)->file.file_path, file) == 0;
    ck_assert_msg(found, "%s", file);
}
END_TEST

START_TEST(files_that_cannot_match_are_not_read) {
    make_table();
    rwl_table *t = test_open("t");
    rwl_scan_options o = {.rows = {.select = "name", .where = "id >= 3"}, .limit = -1};
    rwl_scan *s = NULL;
    rwl_batch batch;
    int32_t count;
    ASSERT_OK(rwl_scan_open(t, test_op(), &o, &s, err));
    const rwl_field *fields = rwl_scan_fields(s, &count);
    ASSERT_OK(rwl_batch_init(&batch, test_env(), fields, count, err));
    do
        ASSERT_OK(rwl_scan_next(s, &batch, err));
    while (batch.length > 0);
    rwl_scan_stats stats = rwl_scan_get_stats(s);
    ck_assert_int_eq(stats.plan.files_read + stats.plan.files_skipped + stats.plan.manifests_skipped >= 2, 1);
    ck_assert_int_eq(stats.plan.files_read, 1);
    rwl_batch_clear(&batch);
    rwl_scan_close(s);
    test_close(t);
}
END_TEST

START_TEST(wrong_selections_are_told) {
    make_table();
    rwl_table *t = test_open("t");
    rwl_scan *s = NULL;
    rwl_scan_options o = {.rows = {.select = "nope"}, .limit = -1};
    ASSERT_FAILS(RWL_USAGE, "nope", rwl_scan_open(t, test_op(), &o, &s, err));
    o.rows = (rwl_row_filter_options){.where = "nope = 1"};
    ASSERT_FAILS(RWL_USAGE, "nope", rwl_scan_open(t, test_op(), &o, &s, err));
    test_close(t);
}
END_TEST

/* Live ids 0, 2, 3 with versions 1, 2, 2: sums 5, 5 and 0*1 + 2*2 + 3*2 = 10. */
START_TEST(counts_and_digests_are_of_live_rows) {
    make_table();
    rwl_table *t = test_open("t");
    int64_t count;
    ASSERT_OK(rwl_table_count(t, test_op(), NULL, &count, err));
    ck_assert_int_eq(count, 3);
    ASSERT_OK(rwl_table_count(t, test_op(), "d is not null", &count, err));
    ck_assert_int_eq(count, 2);
    rwl_digest digest, part;
    ASSERT_OK(rwl_table_digest(t, test_op(), NULL, &digest, err));
    ck_assert_int_eq(digest.rows, 3);
    ck_assert_int_eq(digest.rows_without_lineage, 0);
    ck_assert(digest.row_id_sum == 5);
    ck_assert(digest.last_updated_sum == 5);
    ck_assert(digest.product_sum == 10);
    ASSERT_OK(rwl_table_digest(t, test_op(), "id = 3", &part, err));
    ck_assert(part.rows == 1 && part.row_id_sum == 2 && part.last_updated_sum == 2 && part.product_sum == 4);
    test_close(t);
}
END_TEST

START_TEST(rows_without_lineage_are_counted_apart) {
    test_create("t", 2, "id long", NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}");
    rwl_table *t = test_open("t");
    rwl_digest digest;
    ASSERT_OK(rwl_table_digest(t, test_op(), NULL, &digest, err));
    ck_assert_int_eq(digest.rows, 2);
    ck_assert_int_eq(digest.rows_without_lineage, 2);
    ck_assert(digest.row_id_sum == 0 && digest.lineage_checksum == 0);
    test_close(t);
}
END_TEST

START_TEST(upgrades_are_one_swap_and_rows_before_them_stay_null) {
    test_create("t", 2, "id long", NULL, NULL);
    int64_t old = test_append("t", "{'id':1}\n{'id':2}").result.snapshot_id;
    rwl_table *t = test_open("t");
    int64_t version = t->version;
    test_close(t);
    rwl_upgrade_report report = test_upgrade("t", true);
    ck_assert_int_eq(report.from_version, 2);
    ck_assert_int_eq(report.to_version, 3);
    ck_assert_int_eq(report.assigned_rows, 2);
    ck_assert_str_eq(report.branches_without_ids, "[]");
    ck_assert_ptr_nonnull(strstr(report.writers, "rowline"));
    t = test_open("t");
    ck_assert_int_eq(t->version, version + 1);
    test_close(t);
    ck_assert_str_eq(test_rows("t"), "1=0/1 2=1/1");
    /* history is not invented (law 9) */
    ck_assert_str_eq(test_rows(rwl_arena_printf(test_arena(), "t@%lld", (long long)old)),
                     "1=null/null 2=null/null");
    const char *before = test_listing("t");
    report = test_upgrade("t", true); /* nothing to do */
    ck_assert_int_eq(report.from_version, 3);
    ck_assert_str_eq(test_listing("t"), before);
}
END_TEST

START_TEST(an_upgrade_of_an_empty_table_makes_no_snapshot) {
    test_create("t", 2, "id long", NULL, NULL);
    test_upgrade("t", true);
    ck_assert_int_eq(test_read_head("t").format_version, 3);
    ck_assert_int_eq(test_read_head("t").snapshot_id, -1);
    test_append("t", "{'id':1}");
    ck_assert_str_eq(test_rows("t"), "1=0/1");
}
END_TEST

START_TEST(an_upgrade_without_ids_gets_them_by_a_second_one) {
    test_create("t", 2, "id long", NULL, NULL);
    test_append("t", "{'id':1}");
    test_upgrade("t", false);
    ck_assert_str_eq(test_rows("t"), "1=null/null");
    rwl_upgrade_report report = test_upgrade("t", true);
    ck_assert_int_eq(report.assigned_rows, 1);
    ck_assert_str_eq(test_rows("t"), "1=0/1");
}
END_TEST

START_TEST(versions_are_not_lowered) {
    test_create("t", 3, "id long", NULL, NULL);
    rwl_table *t = test_open("t");
    rwl_change_options options = {0};
    rwl_commit_outcome out;
    rwl_upgrade_report report;
    ASSERT_FAILS(RWL_USAGE, "version 2",
                 rwl_upgrade_table(t, test_op(), 2, true, &options, test_arena(), &out, &report, err));
    ASSERT_FAILS(RWL_UNSUPPORTED, "version 4",
                 rwl_upgrade_table(t, test_op(), 4, true, &options, test_arena(), &out, &report, err));
    test_close(t);
}
END_TEST

Suite *suite_scan(void) {
    const TTest *const tests[] = {
        columns_rows_and_limits_are_chosen,
        the_file_of_a_row_is_the_metadatas_form,
        files_that_cannot_match_are_not_read,
        wrong_selections_are_told,
        counts_and_digests_are_of_live_rows,
        rows_without_lineage_are_counted_apart,
        upgrades_are_one_swap_and_rows_before_them_stay_null,
        an_upgrade_of_an_empty_table_makes_no_snapshot,
        an_upgrade_without_ids_gets_them_by_a_second_one,
        versions_are_not_lowered,
    };
    return TEST_SUITE("scan", tests);
}
