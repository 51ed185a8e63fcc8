/* SPDX-License-Identifier: Apache-2.0 */
/* Making tables. */
#include "engine_test.h"
#include "suites.h"

#include <sys/stat.h>
#include <unistd.h>

static rwl_status create(const char *name, const rwl_create_options *options, rwl_error *err) {
    return rwl_create_table(
        test_op(),
        name[0] == '/' || strncmp(name, "file:", 5) == 0 || options->dry_run ? name : test_path(name),
        options, err);
}

START_TEST(a_new_table_has_one_version_and_no_snapshot) {
    for (int32_t version = 2; version <= 3; version++) {
        const char *name = rwl_arena_printf(test_arena(), "v%d", version);
        test_create(name, version, "id long not null, ts timestamptz", "day(ts), bucket(16, id)",
                    "ts desc nulls last");
        rwl_table *t = test_open(name);
        ck_assert_int_eq(t->version, 1);
        ck_assert_int_eq(t->metadata->format_version, version);
        ck_assert_ptr_null(t->snapshot);
        ck_assert_int_eq(t->metadata->next_row_id, 0);
        ck_assert_int_eq(t->metadata->last_sequence_number, 0);
        ck_assert_str_eq(t->metadata->location, test_path(name));
        ck_assert_int_eq(t->metadata->spec->field_count, 2);
        ck_assert_str_eq(t->metadata->spec->fields[0].name, "ts_day");
        ck_assert_str_eq(t->metadata->spec->fields[1].name, "id_bucket");
        ck_assert_int_eq(t->metadata->order->order_id, 1);
        ck_assert(t->metadata->order->fields[0].descending);
        ck_assert(!t->metadata->order->fields[0].nulls_first);
        ck_assert_str_eq(rwl_metadata_property(t->metadata, "write.parquet.compression-codec", ""), "zstd");
        test_close(t);
        ck_assert_str_eq(test_rows(name), "");
    }
}
END_TEST

START_TEST(a_relative_path_is_made_absolute) {
    ck_assert_int_eq(chdir(test_path("")), 0);
    rwl_create_options options = {.schema = "id long", .format_version = 3};
    ASSERT_OK(rwl_create_table(test_op(), "wh/db/t", &options, err));
    rwl_table *t = test_open("wh/db/t");
    ck_assert_str_eq(t->metadata->location, test_path("wh/db/t"));
    test_close(t);
    test_append("wh/db/t", "{'id':1}");
    ck_assert_str_eq(test_rows("wh/db/t"), "1=0/1");
}
END_TEST

START_TEST(a_url_is_recorded_as_given) {
    rwl_create_options options = {.schema = "id long", .format_version = 3};
    const char *url = rwl_arena_printf(test_arena(), "file://%s", test_path("t"));
    ASSERT_OK(create(url, &options, err));
    rwl_table *t = test_open("t");
    ck_assert_str_eq(t->metadata->location, url);
    test_close(t);
    test_append("t", "{'id':1}");
    test_head head = test_read_head("t");
    ck_assert_int_eq(strncmp(test_live(&head, 0)->file.file_path, url, strlen(url)), 0);
    test_append("t", "{'id':2}");
    test_rewrite("t", NULL);
    test_delete("t", "id = 1");
    ck_assert_str_eq(test_rows("t"), "2=1/2");
}
END_TEST

START_TEST(links_in_the_path_are_kept) {
    ck_assert_int_eq(mkdir(test_path("real"), 0755), 0);
    ck_assert_int_eq(symlink(test_path("real"), test_path("link")), 0);
    test_create("link/t", 3, "id long", NULL, NULL);
    rwl_table *t = test_open("link/t");
    ck_assert_str_eq(t->metadata->location, test_path("link/t"));
    test_close(t);
}
END_TEST

START_TEST(a_table_is_not_made_twice) {
    rwl_create_options options = {.schema = "id long", .format_version = 3};
    ASSERT_OK(create("t", &options, err));
    const char *before = test_listing("t");
    ASSERT_FAILS(RWL_EXISTS, "", create("t", &options, err));
    ck_assert_str_eq(test_listing("t"), before);
}
END_TEST

START_TEST(a_dry_run_makes_nothing) {
    rwl_create_options options = {.schema = "id long", .format_version = 3, .dry_run = true};
    ASSERT_OK(create(test_path("t"), &options, err));
    ck_assert_int_eq(access(test_path("t"), F_OK), -1);
}
END_TEST

START_TEST(wrong_options_make_nothing) {
    static const struct {
        rwl_create_options options;
        rwl_status status;
        const char *part;
    } cases[] = {
        {{.format_version = 3}, RWL_USAGE, "--schema"},
        {{.schema = "id long", .like = "x.parquet", .format_version = 3}, RWL_USAGE, "--schema"},
        {{.schema = "id longer", .format_version = 3}, RWL_USAGE, "longer"},
        {{.schema = "id long, id int", .format_version = 3}, RWL_USAGE, "id"},
        {{.schema = "_row_id long", .format_version = 3}, RWL_USAGE, "_row_id"},
        {{.schema = "id long", .partition = "bucket(4, nope)", .format_version = 3}, RWL_USAGE, "nope"},
        {{.schema = "id long", .sort = "nope", .format_version = 3}, RWL_USAGE, "nope"},
        {{.schema = "t timestamp_ns", .format_version = 2}, RWL_UNSUPPORTED, "t"},
        {{.schema = "id long", .format_version = 1}, RWL_UNSUPPORTED, "1"},
        {{.schema = "id long", .format_version = 4}, RWL_UNSUPPORTED, "4"},
        {{.like = "/nowhere/x.parquet", .format_version = 3}, RWL_NOT_FOUND, "x.parquet"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_error err = {0};
        rwl_status st = create("t", &cases[i].options, &err);
        ck_assert_msg(st != RWL_OK && strstr(err.message, cases[i].part) != NULL, "case %zu: %d %s", i,
                      (int)st, err.message);
        ck_assert_msg(st == cases[i].status, "case %zu: status %d, not %d: %s", i, (int)st,
                      (int)cases[i].status, err.message);
        ck_assert_int_eq(access(test_path("t/metadata/v1.metadata.json"), F_OK), -1);
    }
}
END_TEST

/* The columns of a data file of another table, ids from 1 anew, all optional or required as there. */
START_TEST(like_takes_the_columns_of_a_file) {
    test_create("a", 3,
                "x string, id long not null, d decimal(9,2), u uuid, t timestamp_ns, "
                "l list<struct<a int not null, b string>>, m map<string,list<int>>",
                NULL, NULL);
    test_append("a", "{'id':1,'x':'q','d':'1.25','l':[{'a':1}],'m':[['k',[1]]]}");
    test_head head = test_read_head("a");
    rwl_create_options options = {.like = test_live(&head, 0)->file.file_path, .format_version = 3};
    ASSERT_OK(create("b", &options, err));
    rwl_table *a = test_open("a"), *b = test_open("b");
    static const int32_t ids[] = {1, 2, 3, 4, 5, 6, 10}; /* depth first: l has 7, 8 and 9 within */
    ck_assert_int_eq(b->schema->field_count, 7);
    ck_assert_int_eq(b->schema->fields[6].type.children[1].type.children[0].id, 13);
    for (int32_t i = 0; i < 7; i++) {
        const rwl_field *from = &a->schema->fields[i], *to = &b->schema->fields[i];
        ck_assert_str_eq(to->name, from->name);
        ck_assert_int_eq(to->id, ids[i]);
        ck_assert(rwl_type_equal(&from->type, &to->type));
        ck_assert_int_eq(to->required, from->required);
    }
    test_close(a);
    test_close(b);
}
END_TEST

START_TEST(like_refuses_files_that_carry_identities) {
    test_create("a", 3, "id long", NULL, NULL);
    test_append("a", "{'id':1}");
    test_append("a", "{'id':2}");
    test_rewrite("a", NULL); /* its file has _row_id */
    test_head head = test_read_head("a");
    rwl_create_options options = {.like = test_live(&head, 0)->file.file_path, .format_version = 3};
    ASSERT_FAILS(RWL_UNSUPPORTED, "_row_id", create("b", &options, err));
}
END_TEST

Suite *suite_create_table(void) {
    const TTest *const tests[] = {
        a_new_table_has_one_version_and_no_snapshot,
        a_relative_path_is_made_absolute,
        a_url_is_recorded_as_given,
        links_in_the_path_are_kept,
        a_table_is_not_made_twice,
        a_dry_run_makes_nothing,
        wrong_options_make_nothing,
        like_takes_the_columns_of_a_file,
        like_refuses_files_that_carry_identities,
    };
    return TEST_SUITE("create", tests);
}
