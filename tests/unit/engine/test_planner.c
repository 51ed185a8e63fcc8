/* SPDX-License-Identifier: Apache-2.0 */
/* Which files a rewrite chooses and how it groups them: Iceberg's planner cases (ICE-125 to 144) on files nobody reads. */
#include "engine_test.h"
#include "suites.h"

#define MB (INT64_C(1) << 20)

/* Options of the cases: whatever they leave out has Iceberg's default. */
static rwl_rewrite_rules rules_of(int64_t target, int64_t min, int64_t max) {
    return (rwl_rewrite_rules){.target_bytes = target,
                               .min_bytes = min,
                               .max_bytes = max,
                               .min_input_files = 5,
                               .delete_ratio = 0.3,
                               .delete_files = INT32_MAX,
                               .max_group_bytes = INT64_C(100) << 30};
}

static rwl_rewrite_rules all_files(void) {
    rwl_rewrite_rules r = rules_of(512 * MB, 384 * MB, 921 * MB);
    r.rewrite_all = true;
    return r;
}

/* A plan in words: its groups, then what was left. */
static const char *plan_text(const char *name, const rwl_rewrite_rules *rules, const char *where) {
    rwl_table *t = test_open(name);
    rwl_rewrite_plan plan;
    const rwl_expr *filter = NULL;
    if (where != NULL)
        ASSERT_OK(rwl_filter_parse(where, test_arena(), &filter, err));
    ASSERT_OK(rwl_rewrite_plan_make(t, test_op(), filter, rules, &plan, err));
    const char *text = "";
    for (size_t i = 0; i < plan.group_count; i++) {
        const rwl_rewrite_group *g = &plan.groups[i];
        ck_assert_int_eq(g->number, (int64_t)i + 1);
        text =
            rwl_arena_printf(test_arena(), "%s%s%lld bytes in %zu files to %lld: %s", text, i > 0 ? "; " : "",
                             (long long)g->bytes, g->fragment_count, (long long)g->expected_files, g->reason);
    }
    text = rwl_arena_printf(test_arena(), "%s|%lld right size, %lld too few, %lld no gain, %lld filtered",
                            text, (long long)plan.skipped_right_size, (long long)plan.skipped_too_few_files,
                            (long long)plan.skipped_no_gain, (long long)plan.skipped_filtered);
    rwl_rewrite_plan_clear(&plan);
    test_close(t);
    return text;
}

static void append_sizes(const char *name, const int64_t *sizes, size_t count, int64_t rows) {
    rwl_added_file files[16];
    for (size_t i = 0; i < count; i++)
        files[i] = test_fake_file(rwl_arena_printf(test_arena(), "f%zu.parquet", i), sizes[i], rows, NULL);
    test_append_fakes(name, files, count);
}
#define SIZES(name, rows, ...)                                                                               \
    append_sizes(name, (const int64_t[]){__VA_ARGS__},                                                       \
                 sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), rows)

/* F1 to F3 of 10 bytes in p0, F4 and F5 of 11 in p1, F6 of 50 in p2. */
static void java_table(const char *name) {
    test_create(name, 3, "id int, data string", "id", NULL);
    static const int64_t sizes[] = {10, 10, 10, 11, 11, 50};
    static const int32_t ids[] = {0, 0, 0, 1, 1, 2};
    static rwl_value partitions[6];
    rwl_added_file files[6];
    for (size_t i = 0; i < 6; i++) {
        partitions[i] = (rwl_value){.kind = RWL_TYPE_INT, .as.i32 = ids[i]};
        files[i] = test_fake_file(rwl_arena_printf(test_arena(), "F%zu.parquet", i + 1), sizes[i], 100,
                                  &partitions[i]);
    }
    test_append_fakes(name, files, 6);
}

START_TEST(ice_125_rewrite_all_takes_every_file_by_partition) {
    java_table("t");
    rwl_rewrite_rules r = all_files();
    ck_assert_str_eq(plan_text("t", &r, NULL),
                     "30 bytes in 3 files to 1: rewrite all; 22 bytes in 2 files to 1: rewrite all; "
                     "50 bytes in 1 files to 1: rewrite all|0 right size, 0 too few, 0 no gain, 0 filtered");
}
END_TEST

START_TEST(ice_126_files_of_the_least_size_stay) {
    test_create("t", 3, "id int", NULL, NULL);
    SIZES("t", 100, 10, 20, 30);
    rwl_rewrite_rules r = rules_of(512 * MB, 30, 921 * MB);
    r.min_input_files = 1;
    ck_assert_str_eq(plan_text("t", &r, NULL),
                     "30 bytes in 2 files to 1: small files|1 right size, 0 too few, 0 no gain, 0 filtered");
}
END_TEST

START_TEST(ice_127_an_empty_table_has_no_group) {
    test_create("t", 3, "id int", NULL, NULL);
    rwl_rewrite_rules r = all_files();
    ck_assert_str_eq(plan_text("t", &r, NULL), "|0 right size, 0 too few, 0 no gain, 0 filtered");
}
END_TEST

/* Groups as their bytes, in the order they are written. */
static const char *plan_bytes(const char *name, const rwl_rewrite_rules *rules, bool *complete) {
    rwl_table *t = test_open(name);
    rwl_rewrite_plan plan;
    ASSERT_OK(rwl_rewrite_plan_make(t, test_op(), NULL, rules, &plan, err));
    const char *text = "";
    for (size_t i = 0; i < plan.group_count; i++)
        text = rwl_arena_printf(test_arena(), "%s%s%lld/%zu", text, i > 0 ? " " : "",
                                (long long)plan.groups[i].bytes, plan.groups[i].fragment_count);
    *complete = plan.complete;
    rwl_rewrite_plan_clear(&plan);
    test_close(t);
    return text;
}

START_TEST(ice_128_groups_are_written_in_the_order_asked_for) {
    static const struct {
        rwl_rewrite_order order;
        const char *groups;
    } cases[] = {
        {RWL_REWRITE_ORDER_NONE, "30/3 22/2 50/1"},      {RWL_REWRITE_ORDER_FILES_DESC, "30/3 22/2 50/1"},
        {RWL_REWRITE_ORDER_FILES_ASC, "50/1 22/2 30/3"}, {RWL_REWRITE_ORDER_BYTES_DESC, "50/1 30/3 22/2"},
        {RWL_REWRITE_ORDER_BYTES_ASC, "22/2 30/3 50/1"},
    };
    java_table("t");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_rewrite_rules r = all_files();
        bool complete;
        r.order = cases[i].order;
        ck_assert_str_eq(plan_bytes("t", &r, &complete), cases[i].groups);
        ck_assert(complete);
    }
}
END_TEST

START_TEST(ice_130_groups_hold_at_most_so_many_files) {
    java_table("t");
    rwl_rewrite_rules r = all_files();
    bool complete;
    r.max_group_files = 2; /* 2 + 1 + 1 groups */
    ck_assert_str_eq(plan_bytes("t", &r, &complete), "20/2 10/1 22/2 50/1");
}
END_TEST

START_TEST(ice_142_at_most_so_many_files_are_rewritten) {
    static const struct {
        int64_t most;
        const char *groups;
        bool complete;
    } cases[] = {{4, "30/3 11/1", false},
                 {5, "30/3 22/2", false},
                 {6, "30/3 22/2 50/1", true},
                 {500, "30/3 22/2 50/1", true},
                 {1, "10/1", false}};
    java_table("t");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_rewrite_rules r = all_files();
        bool complete;
        r.max_files = cases[i].most;
        ck_assert_str_eq(plan_bytes("t", &r, &complete), cases[i].groups);
        ck_assert(complete == cases[i].complete);
    }
    /* files are counted in planning order, whatever order groups are written in */
    rwl_rewrite_rules r = all_files();
    bool complete;
    r.max_files = 4;
    r.order = RWL_REWRITE_ORDER_BYTES_ASC;
    ck_assert_str_eq(plan_bytes("t", &r, &complete), "11/1 30/3");
}
END_TEST

START_TEST(groups_are_taken_up_to_the_budget_of_bytes) {
    static const struct {
        int64_t most;
        const char *groups;
    } cases[] = {{102, "30/3 22/2 50/1"},
                 {101, "30/3 22/2"},
                 {52, "30/3 22/2"},
                 {51, "30/3"},
                 {29, "20/2"}, /* a group that is too large is cut short */
                 {5, "20/2"}}; /* but to no less than makes fewer files */
    java_table("t");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_rewrite_rules r = all_files();
        bool complete;
        r.max_total_bytes = cases[i].most;
        ck_assert_str_eq(plan_bytes("t", &r, &complete), cases[i].groups);
        ck_assert(complete == (cases[i].most == 102));
    }
}
END_TEST

/* Files of the target's size come out as many as they go in: the budget holds all the same. */
START_TEST(the_budget_holds_where_files_do_not_become_fewer) {
    test_create("t", 3, "id int", NULL, NULL);
    SIZES("t", 1000, 110, 110, 110, 110, 110, 110);
    rwl_rewrite_rules r = rules_of(100, 75, 180);
    bool complete;
    r.rewrite_all = true;
    r.max_total_bytes = 350;
    ck_assert_str_eq(plan_bytes("t", &r, &complete), "330/3");
    ck_assert(!complete);
    r.max_total_bytes = 50;
    ck_assert_str_eq(plan_bytes("t", &r, &complete), "110/1");
}
END_TEST

START_TEST(ice_129_groups_hold_at_most_the_group_size) {
    java_table("t");
    rwl_rewrite_rules r = all_files();
    r.max_group_bytes = 10;
    rwl_table *t = test_open("t");
    rwl_rewrite_plan plan;
    ASSERT_OK(rwl_rewrite_plan_make(t, test_op(), NULL, &r, &plan, err));
    ck_assert_uint_eq(plan.group_count, 6); /* 3 + 2 + 1 */
    for (size_t i = 0; i < plan.group_count; i++)
        ck_assert_uint_eq(plan.groups[i].fragment_count, 1);
    rwl_rewrite_plan_clear(&plan);
    test_close(t);
}
END_TEST

START_TEST(ice_131_a_filter_chooses_partitions) {
    java_table("t");
    rwl_rewrite_rules r = all_files();
    ck_assert_str_eq(plan_text("t", &r, "id = 0 or id = 2"),
                     "30 bytes in 3 files to 1: rewrite all; 50 bytes in 1 files to 1: rewrite all|"
                     "0 right size, 0 too few, 0 no gain, 2 filtered");
}
END_TEST

START_TEST(ice_132_files_roll_half_way_from_target_to_max) {
    rwl_rewrite_rules r = rules_of(10, 7, 18);
    ck_assert_int_eq(rwl_rewrite_roll_bytes(&r), 14);
}
END_TEST

START_TEST(ice_133_expected_files) {
    static const struct {
        int64_t target, min, max, bytes, files;
    } cases[] = {
        {21, 15, 37, 30, 2},    {21, 15, 37, 22, 1},
        {21, 15, 37, 50, 3},    {21, 15, 37, 20, 1},    /* below target */
        {21, 15, 37, 21, 1},                            /* exactly one */
        {21, 15, 37, 38, 2},                            /* rest 17 above min */
        {100, 75, 180, 0, 1},   {100, 75, 180, 209, 2}, /* 104.5 on average, below 110 */
        {100, 75, 180, 220, 3},                         /* 110 on average is too much: rest 20 */
        {100, 75, 180, 300, 3}, {100, 75, 180, 1000 * INT64_C(1000000000000), INT64_C(10000000000000)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_rewrite_rules r = rules_of(cases[i].target, cases[i].min, cases[i].max);
        ck_assert_msg(rwl_rewrite_expected_files(&r, cases[i].bytes) == cases[i].files,
                      "%lld bytes, target %lld: %lld", (long long)cases[i].bytes, (long long)cases[i].target,
                      (long long)rwl_rewrite_expected_files(&r, cases[i].bytes));
    }
}
END_TEST

START_TEST(ice_133_of_a_table) {
    java_table("t");
    rwl_rewrite_rules r = rules_of(21, 15, 37);
    r.rewrite_all = true;
    ck_assert_str_eq(plan_text("t", &r, NULL),
                     "30 bytes in 3 files to 2: rewrite all; 22 bytes in 2 files to 1: rewrite all; "
                     "50 bytes in 1 files to 3: rewrite all|0 right size, 0 too few, 0 no gain, 0 filtered");
}
END_TEST

START_TEST(ice_135_options_are_checked) {
    static const struct {
        rwl_rewrite_options options;
        const char *part;
    } cases[] = {
        {{.delete_files = -1}, "delete files -1"},
        {{.delete_ratio = -1}, "delete ratio -1"},
        {{.delete_ratio = 127}, "delete ratio 127"},
        {{.min_input_files = -2}, "min input files -2"},
        {{.target_bytes = -5}, "target file size -5"},
        {{.target_bytes = 100, .min_bytes = 100}, "min file size 100 is not below target 100"},
        {{.target_bytes = 100, .max_bytes = 100}, "max file size 100 is not above target 100"},
        {{.max_group_bytes = -1}, "max group size -1"},
    };
    java_table("t");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ASSERT_FAILS(RWL_USAGE, cases[i].part, try_rewrite("t", &cases[i].options, err));
}
END_TEST

START_TEST(ice_135_named_options_are_checked) {
    static const struct {
        const char *name, *value, *part;
        rwl_status status;
    } cases[] = {
        {"rewrite-job-order", "foo", "invalid rewrite job order name: foo", RWL_USAGE},
        {"delete-file-threshold", "-1", "'delete-file-threshold' is set to -1 but must be >= 0", RWL_USAGE},
        {"delete-ratio-threshold", "-1", "'delete-ratio-threshold' is set to -1 but must be > 0", RWL_USAGE},
        {"delete-ratio-threshold", "127", "'delete-ratio-threshold' is set to 127 but must be <= 1",
         RWL_USAGE},
        {"max-files-to-rewrite", "0",
         "cannot set max-files-to-rewrite to 0, the value must be positive integer", RWL_USAGE},
        {"max-files-to-rewrite", "-2", "to -2, the value must be positive integer", RWL_USAGE},
        {"min-input-files", "1.5", "'min-input-files' is set to '1.5', which is not an integer", RWL_USAGE},
        {"max-concurrent-file-group-rewrites", "0", "must be >= 1", RWL_USAGE},
        {"rewrite-all", "yes", "must be true or false", RWL_USAGE},
        {"partial-progress.max-commits", "0", "must be >= 1", RWL_USAGE},
        {"target-file-size-bytes", "99999999999999999999", "is not an integer", RWL_USAGE},
        {"zorder", "a", "cannot use options [zorder], they are not options of a rewrite", RWL_USAGE},
        {"var-length-contribution", "8", "z-ordering is not supported", RWL_UNSUPPORTED},
    };
    java_table("t");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_rewrite_options o = {.names = &cases[i].name, .values = &cases[i].value, .named_count = 1};
        ASSERT_FAILS(cases[i].status, cases[i].part, try_rewrite("t", &o, err));
    }
    static const char *const names[] = {"a", "rewrite-all", "b"}, *const values[] = {"1", "true", "2"};
    rwl_rewrite_options o = {.names = names, .values = values, .named_count = 3};
    ASSERT_FAILS(RWL_USAGE, "[a, b]", try_rewrite("t", &o, err));
    static const char *const target[] = {"target-file-size-bytes"};
    o = (rwl_rewrite_options){.target_bytes = 100, .names = target, .values = values, .named_count = 1};
    ASSERT_FAILS(RWL_USAGE, "are both given", try_rewrite("t", &o, err));
}
END_TEST

START_TEST(named_options_become_rules) {
    static const char *const names[] = {"target-file-size-bytes",
                                        "min-file-size-bytes",
                                        "max-file-size-bytes",
                                        "min-input-files",
                                        "rewrite-all",
                                        "max-file-group-size-bytes",
                                        "max-file-group-input-files",
                                        "delete-file-threshold",
                                        "delete-ratio-threshold",
                                        "max-files-to-rewrite",
                                        "rewrite-job-order",
                                        "remove-dangling-deletes",
                                        "use-starting-sequence-number",
                                        "max-concurrent-file-group-rewrites",
                                        "shuffle-partitions-per-file",
                                        "compression-factor"},
                             *const values[] = {"1000",  "0", "2000", "3",  "TRUE",       "9000",
                                                "7",     "0", "0.25", "11", "BYTES_DESC", "true",
                                                "false", "5", "2",    "1.5"};
    java_table("t");
    rwl_rewrite_options o = {.names = names, .values = values, .named_count = sizeof names / sizeof *names};
    rwl_table *t = test_open("t");
    rwl_rewrite_settings s;
    ASSERT_OK(rwl_rewrite_settings_read(&o, t->metadata, test_arena(), &s, err));
    ck_assert_int_eq(s.rules.target_bytes, 1000);
    ck_assert_int_eq(s.rules.min_bytes, 0);
    ck_assert_int_eq(s.rules.max_bytes, 2000);
    ck_assert_int_eq(s.rules.min_input_files, 3);
    ck_assert(s.rules.rewrite_all);
    ck_assert_int_eq(s.rules.max_group_bytes, 9000);
    ck_assert_int_eq(s.rules.max_group_files, 7);
    ck_assert_int_eq(s.rules.delete_files, 0);
    ck_assert_double_eq(s.rules.delete_ratio, 0.25);
    ck_assert_int_eq(s.rules.max_files, 11);
    ck_assert_int_eq((int)s.rules.order, (int)RWL_REWRITE_ORDER_BYTES_DESC);
    ck_assert(s.remove_dangling && s.renumber);
    ck_assert_int_eq(s.max_commits, 1);
    ck_assert_ptr_eq(s.rules.spec, t->metadata->spec);
    ck_assert_ptr_null(s.rules.sort);
    test_close(t);
}
END_TEST

START_TEST(ice_136_too_small_and_too_large_are_picked) {
    test_create("t", 3, "id int", NULL, NULL);
    SIZES("t", 1000, 100, 450, 1000);
    rwl_rewrite_rules r = rules_of(500, 250, 750);
    r.min_input_files = 2;
    ck_assert_str_eq(
        plan_text("t", &r, NULL), /* 1100 bytes: two whole, 550 on average is not below 550 */
        "1100 bytes in 2 files to 3: small files|1 right size, 0 too few, 0 no gain, 0 filtered");
}
END_TEST

START_TEST(ice_137_enough_files) {
    test_create("t", 3, "id int", NULL, NULL);
    SIZES("t", 100, 100, 100, 100, 100);
    rwl_rewrite_rules r = rules_of(1000, 150, 5000);
    r.min_input_files = 3;
    ck_assert_str_eq(plan_text("t", &r, NULL),
                     "400 bytes in 4 files to 1: small files|0 right size, 0 too few, 0 no gain, 0 filtered");
}
END_TEST

START_TEST(ice_137_too_few_files_are_left) {
    test_create("t", 3, "id int", NULL, NULL);
    SIZES("t", 100, 100, 100, 100, 100);
    rwl_rewrite_rules r = rules_of(1000, 150, 5000);
    ck_assert_str_eq(plan_text("t", &r, NULL), "|0 right size, 4 too few, 0 no gain, 0 filtered");
}
END_TEST

START_TEST(ice_138_enough_bytes) {
    test_create("t", 3, "id int", NULL, NULL);
    SIZES("t", 100, 100, 100, 100);
    rwl_rewrite_rules r = rules_of(250, 200, 500);
    ck_assert_str_eq(plan_text("t", &r, NULL), /* 300 > 250 */
                     "300 bytes in 3 files to 2: small files|0 right size, 0 too few, 0 no gain, 0 filtered");
}
END_TEST

START_TEST(ice_139_one_file_that_is_too_large) {
    test_create("t", 3, "id int", NULL, NULL);
    SIZES("t", 100, 2000);
    rwl_rewrite_rules r = rules_of(400, 200, 500);
    ck_assert_str_eq(
        plan_text("t", &r, NULL),
        "2000 bytes in 1 files to 5: large files|0 right size, 0 too few, 0 no gain, 0 filtered");
}
END_TEST

/* A vector over `count` rows of each named file. */
static void delete_rows(const char *name, const char *const *files, const int64_t *counts, size_t count) {
    rwl_added_vector vectors[4];
    for (size_t i = 0; i < count; i++)
        vectors[i] = (rwl_added_vector){.data_file = files[i],
                                        .location = "dv.puffin",
                                        .file_size = 1000,
                                        .offset = 4 + 100 * (int64_t)i,
                                        .length = 100,
                                        .cardinality = counts[i],
                                        .data_sequence_number = 1};
    rwl_change_set change = {.operation = RWL_OPERATION_DELETE,
                             .planned_snapshot_id = test_read_head(name).snapshot_id,
                             .data_sequence_number = -1,
                             .added_vectors = vectors,
                             .added_vector_count = count};
    test_commit(name, &change);
}

/* 3 delete files against 1, threshold 2: position deletes, since a file has one vector at most. */
START_TEST(ice_140_many_delete_files) {
    test_create("t", 2, "id int", NULL, NULL);
    SIZES("t", 100, 1000, 1000);
    rwl_table *t = test_open("t");
    test_head head = test_read_head("t");
    static const char *const paths[] = {"f0.parquet", "f0.parquet", "f0.parquet", "f1.parquet"};
    rwl_data_file deletes[4];
    for (int i = 0; i < 4; i++)
        deletes[i] = test_position_deletes(t, rwl_arena_printf(test_arena(), "d%d.parquet", i), &paths[i],
                                           &(int64_t){i}, 1);
    rwl_manifest lines[] = {head.manifests[0], test_manifest(t, 1, deletes, 4)};
    test_put_snapshot(t, lines, 2, "delete", NULL, 0);
    test_close(t);
    rwl_rewrite_rules r = rules_of(2000, 1, 5000);
    r.delete_files = 2;
    ck_assert_str_eq(
        plan_text("t", &r, NULL),
        "1000 bytes in 1 files to 1: deleted rows|1 right size, 0 too few, 0 no gain, 0 filtered");
}
END_TEST

START_TEST(ice_141_many_deleted_rows) {
    test_create("t", 3, "id int", NULL, NULL);
    SIZES("t", 100, 1000, 1000);
    delete_rows("t", (const char *const[]){"f0.parquet", "f1.parquet"}, (const int64_t[]){20, 19}, 2);
    rwl_rewrite_rules r = rules_of(2000, 1, 5000);
    r.delete_ratio = 0.2;
    ck_assert_str_eq(
        plan_text("t", &r, NULL),
        "1000 bytes in 1 files to 1: deleted rows|1 right size, 0 too few, 0 no gain, 0 filtered");
}
END_TEST

START_TEST(ice_143_expected_files_are_those_of_the_files_that_are_left) {
    test_create("t", 3, "id int", NULL, NULL);
    SIZES("t", 100, 200, 200, 200);
    rwl_rewrite_rules r = rules_of(250, 210, 450);
    r.rewrite_all = true;
    ck_assert_str_eq(plan_text("t", &r, NULL), /* 600: two whole, rest 100, 300 on average: three */
                     "600 bytes in 3 files to 3: rewrite all|0 right size, 0 too few, 0 no gain, 0 filtered");
    r.max_files = 1;
    ck_assert_str_eq(plan_text("t", &r, NULL),
                     "200 bytes in 1 files to 1: rewrite all|0 right size, 0 too few, 0 no gain, 0 filtered");
}
END_TEST

START_TEST(ice_144_sizes_of_everyday) {
    test_create("t", 3, "id int", NULL, NULL);
    SIZES("t", 1000, 145 * MB, 145 * MB, 145 * MB, 145 * MB);
    rwl_rewrite_rules r = rules_of(512 * MB, 256 * MB, 768 * MB);
    r.min_input_files = 2;
    ck_assert_str_eq(
        plan_text("t", &r, NULL), /* 580 MB: above 110 % of 512? 563.2: so two files */
        "608174080 bytes in 4 files to 2: small files|0 right size, 0 too few, 0 no gain, 0 filtered");
    int64_t split = rwl_rewrite_split_bytes(&r, 580 * MB); /* 290 MB are below the target */
    ck_assert_int_eq(split, 512 * MB);
    int64_t roll = rwl_rewrite_roll_bytes(&r);
    ck_assert(roll >= 512 * MB && roll < 768 * MB);
}
END_TEST

START_TEST(live_bytes_decide_how_many_files_come_out) {
    test_create("t", 3, "id int", NULL, NULL);
    SIZES("t", 100, 1000, 1000);
    delete_rows("t", (const char *const[]){"f0.parquet", "f1.parquet"}, (const int64_t[]){50, 50}, 2);
    rwl_rewrite_rules r = rules_of(1000, 750, 1800);
    ck_assert_str_eq(
        plan_text("t", &r, NULL), /* half of 2000 bytes */
        "2000 bytes in 2 files to 1: deleted rows|0 right size, 0 too few, 0 no gain, 0 filtered");
}
END_TEST

START_TEST(a_group_without_live_rows_gives_no_file) {
    test_create("t", 3, "id int", NULL, NULL);
    SIZES("t", 100, 1000);
    delete_rows("t", (const char *const[]){"f0.parquet"}, (const int64_t[]){100}, 1);
    rwl_rewrite_rules r = rules_of(1000, 750, 1800);
    ck_assert_str_eq(
        plan_text("t", &r, NULL),
        "1000 bytes in 1 files to 0: deleted rows|0 right size, 0 too few, 0 no gain, 0 filtered");
}
END_TEST

START_TEST(there_are_never_more_files_than_rows) {
    test_create("t", 3, "id int", NULL, NULL);
    SIZES("t", 1, 1000, 1000);
    rwl_rewrite_rules r = rules_of(10, 7, 18);
    r.rewrite_all = true;
    ck_assert_str_eq(
        plan_text("t", &r, NULL),
        "2000 bytes in 2 files to 2: rewrite all|0 right size, 0 too few, 0 no gain, 0 filtered");
}
END_TEST

/* Figures of manifests are anyone's: what they come to is told, not added up to something else. */
START_TEST(sizes_that_no_file_has_do_not_overflow) {
    test_create("t", 3, "id int", NULL, NULL);
    SIZES("t", 1, INT64_MAX);
    rwl_rewrite_rules r = rules_of(INT64_MAX - 1, 7, INT64_MAX);
    r.rewrite_all = true;
    ck_assert_str_eq(plan_text("t", &r, NULL),
                     "9223372036854775807 bytes in 1 files to 1: rewrite all|0 right size, 0 too few, 0 no "
                     "gain, 0 filtered");
    rwl_rewrite_options options = {.target_bytes = INT64_MAX};
    ASSERT_FAILS(RWL_USAGE, "max file size 9223372036854775807 is not above target 9223372036854775807",
                 try_rewrite("t", &options, err));
    test_create("u", 2, "id int", NULL, NULL);
    rwl_table *t = test_open("u");
    rwl_data_file files[2];
    memset(files, 0, sizeof files);
    for (int i = 0; i < 2; i++) {
        files[i].file_path = i == 0 ? "/a.parquet" : "/b.parquet";
        files[i].file_format = "PARQUET";
        files[i].record_count = INT64_MAX;
        files[i].file_size = 100;
        files[i].sort_order_id = -1;
        files[i].content_offset = files[i].content_size = -1;
    }
    rwl_manifest manifests[2] = {test_manifest(t, RWL_CONTENT_DATA, &files[0], 1),
                                 test_manifest(t, RWL_CONTENT_DATA, &files[1], 1)};
    test_put_snapshot(t, manifests, 2, "append", "other", 0);
    test_close(t);
    t = test_open("u");
    rwl_rewrite_plan plan;
    ASSERT_FAILS(RWL_CORRUPT, "/b.parquet", rwl_rewrite_plan_make(t, test_op(), NULL, &r, &plan, err));
    test_close(t);
}
END_TEST

/* A plan of many small files holds little more than their names: 256 bytes a file beside them. */
START_TEST(plans_of_many_files_are_small) {
    enum { COUNT = 100000, NAME = 120 };
    test_create("t", 3, "id int", NULL, NULL);
    rwl_added_file *files = rwl_arena_array(test_arena(), COUNT, sizeof *files);
    for (int i = 0; i < COUNT; i++)
        files[i] =
            test_fake_file(rwl_arena_printf(test_arena(), "%0*d.parquet", NAME - 8, i), 1000, 100, NULL);
    test_append_fakes("t", files, COUNT);
    rwl_table *t = test_open("t");
    rwl_rewrite_plan plan;
    rwl_rewrite_rules r = all_files();
    test_count_memory();
    ASSERT_OK(rwl_rewrite_plan_make(t, test_op(), NULL, &r, &plan, err));
    ck_assert_uint_eq(plan.group_count, 1);
    ck_assert_uint_eq(plan.groups[0].fragment_count, COUNT);
    ck_assert_int_lt(test_peak_memory() / COUNT, NAME + 256);
    rwl_rewrite_plan_clear(&plan);
    test_close(t);
}
END_TEST

/* Two files of 90 bytes at target 100 would be two files again. */
START_TEST(what_would_not_become_fewer_files_is_left) {
    test_create("t", 3, "id int", NULL, NULL);
    SIZES("t", 1000, 90, 90);
    rwl_rewrite_rules r = rules_of(100, 95, 180); /* 180: one whole, rest 80, 180 on average: two files */
    r.min_input_files = 2;
    ck_assert_str_eq(plan_text("t", &r, NULL), "|0 right size, 0 too few, 2 no gain, 0 filtered");
}
END_TEST

Suite *suite_planner(void) {
    const TTest *const tests[] = {
        ice_125_rewrite_all_takes_every_file_by_partition,
        ice_126_files_of_the_least_size_stay,
        ice_127_an_empty_table_has_no_group,
        ice_128_groups_are_written_in_the_order_asked_for,
        ice_129_groups_hold_at_most_the_group_size,
        ice_130_groups_hold_at_most_so_many_files,
        ice_142_at_most_so_many_files_are_rewritten,
        groups_are_taken_up_to_the_budget_of_bytes,
        the_budget_holds_where_files_do_not_become_fewer,
        ice_131_a_filter_chooses_partitions,
        ice_132_files_roll_half_way_from_target_to_max,
        ice_133_expected_files,
        ice_133_of_a_table,
        ice_135_options_are_checked,
        ice_135_named_options_are_checked,
        named_options_become_rules,
        ice_136_too_small_and_too_large_are_picked,
        ice_137_enough_files,
        ice_137_too_few_files_are_left,
        ice_138_enough_bytes,
        ice_139_one_file_that_is_too_large,
        ice_140_many_delete_files,
        ice_141_many_deleted_rows,
        ice_143_expected_files_are_those_of_the_files_that_are_left,
        ice_144_sizes_of_everyday,
        live_bytes_decide_how_many_files_come_out,
        a_group_without_live_rows_gives_no_file,
        there_are_never_more_files_than_rows,
        what_would_not_become_fewer_files_is_left,
        sizes_that_no_file_has_do_not_overflow,
        plans_of_many_files_are_small,
    };
    return TEST_SUITE("planner", tests);
}
