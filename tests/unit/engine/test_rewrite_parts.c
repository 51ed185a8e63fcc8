/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites in several commits, within limits of bytes, files and time, and what others commit meanwhile. */
#include "engine_test.h"
#include "suites.h"

#include "storage/test_store.h"

#include <stdlib.h>

static const char columns[] = "id long not null, name string";

/* Ids 0, 1, 2 to p0, p1, p2; then 3, 4, 5: three partitions of two files. */
static void make_partitions(void) {
    test_create("t", 3, columns, "name", NULL);
    for (int a = 0; a < 2; a++)
        test_append("t",
                    rwl_arena_printf(test_arena(),
                                     "{'id':%d,'name':'p0'}\n{'id':%d,'name':'p1'}\n{'id':%d,'name':'p2'}",
                                     3 * a, 3 * a + 1, 3 * a + 2));
}

static int count_words(const char *text, const char *word) {
    int count = 0;
    for (const char *p = text; (p = strstr(p, word)) != NULL; p += strlen(word))
        count++;
    return count;
}

/* What others do between plan and commit: when the group with this number is told. */
static int64_t at_group;
static void (*others)(void);

static int32_t let_others_in(void *ctx, const rwl_metadata *metadata, const rwl_rewrite_group *group) {
    (void)ctx, (void)metadata;
    if (group->number == at_group)
        others();
    return 0;
}

static test_rewritten run_with(rwl_rewrite_options o, void (*meanwhile)(void), rwl_status wanted,
                               const char *part) {
    rwl_table *t = test_open("t");
    test_rewritten out;
    rwl_error err = {0};
    others = meanwhile;
    at_group = 1;
    o.each_group = let_others_in;
    rwl_status st = rwl_rewrite(t, test_op(), &o, &out.commit, &out.rewrite, &err);
    test_close(t);
    ck_assert_msg(st == wanted && strstr(err.message, part) != NULL, "%d: %s", (int)st, err.message);
    return out;
}

/* --- several commits --- */

START_TEST(bug_215_each_commit_removes_the_files_it_read_and_no_others) {
    make_partitions();
    const char *rows = test_sorted(test_rows("t"));
    int64_t before = test_read_head("t").snapshot_id;
    rwl_rewrite_options o = {.rewrite_all = true, .max_commits = 3};
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.rewrite.commits, 3);
    ck_assert_int_eq(out.rewrite.groups, 3);
    ck_assert(out.rewrite.complete);
    ck_assert_int_eq(out.commit.conflict_count, 0); /* our own commits are nobody else's */
    ck_assert_int_eq(out.commit.attempts, 1);
    ck_assert_int_eq(out.commit.result.added_data_files, 3);
    ck_assert_int_eq(out.commit.result.removed_data_files, 6);
    ck_assert_int_eq(out.commit.result.added_rows, 0);
    ck_assert_int_eq(out.rewrite.rows_out, 6);
    ck_assert(rwl_digest_equal(&out.rewrite.before, &out.rewrite.after));
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.snapshot_id, out.commit.result.snapshot_id);
    ck_assert_int_eq(head.last_sequence_number, 5); /* two appends, three rewrites */
    ck_assert_int_eq(head.next_row_id, 6);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(test_live(&head, i)->sequence_number, 2); /* that of the plan, in each */
        ck_assert_str_eq(test_sorted(test_rows(rwl_arena_printf(test_arena(), "t@%lld", (long long)before))),
                         rows);
    }
    ck_assert_str_eq(test_sorted(test_rows("t")), rows);
    out = test_rewrite("t", &(rwl_rewrite_options){.max_commits = 3});
    ck_assert_int_eq(out.rewrite.commits, 0);
    ck_assert_int_eq(out.commit.result.snapshot_id, -1);
}
END_TEST

START_TEST(groups_are_shared_out_among_the_commits) {
    make_partitions();
    rwl_rewrite_options o = {.rewrite_all = true, .max_commits = 2}; /* two groups, then one */
    ck_assert_int_eq(test_rewrite("t", &o).rewrite.commits, 2);
    o.max_commits = 7;
    ck_assert_int_eq(test_rewrite("t", &o).rewrite.commits, 3);
    static const char *const names[] = {"partial-progress.enabled", "partial-progress.max-commits"},
                             *const values[] = {"true", "2"};
    o = (rwl_rewrite_options){.rewrite_all = true, .names = names, .values = values, .named_count = 2};
    ck_assert_int_eq(test_rewrite("t", &o).rewrite.commits, 2);
    o.named_count = 1; /* 10 by default */
    ck_assert_int_eq(test_rewrite("t", &o).rewrite.commits, 3);
}
END_TEST

static void delete_from_p1(void) {
    test_delete("t", "id = 1");
}

START_TEST(a_conflict_costs_the_groups_of_its_commit_alone) {
    make_partitions();
    rwl_rewrite_options o = {.rewrite_all = true, .max_commits = 3};
    test_rewritten out = run_with(o, delete_from_p1, RWL_OK, "");
    ck_assert_int_eq(out.rewrite.commits, 2);
    ck_assert_int_eq(out.rewrite.failed_commits, 1);
    ck_assert_int_eq(out.rewrite.groups, 2);
    ck_assert_int_eq(out.rewrite.rows_out, 4);
    ck_assert(!out.rewrite.complete);
    bool named = false;
    for (int32_t i = 0; i < out.commit.conflict_count; i++)
        named =
            named || (out.commit.conflicts[i].first_group == 2 && out.commit.conflicts[i].last_group == 2 &&
                      strstr(out.commit.conflicts[i].file, ".parquet") != NULL);
    ck_assert(named);
    ck_assert_str_eq(test_sorted(test_rows("t")), "0,p0=0/1 2,p2=2/1 3,p0=3/2 4,p1=4/2 5,p2=5/2");
    /* six inputs and two outputs: what was written for the lost group is gone */
    ck_assert_int_eq(count_words(test_listing("t"), ".parquet"), 8);
    out = test_rewrite("t", NULL);
    ck_assert_str_eq(test_sorted(test_rows("t")), "0,p0=0/1 2,p2=2/1 3,p0=3/2 4,p1=4/2 5,p2=5/2");
}
END_TEST

static void delete_whole_file(void) {
    test_delete("t", "id = 4"); /* the only row of its file: it goes */
}

START_TEST(bug_088_a_file_removed_meanwhile_is_a_conflict_and_its_rows_stay_gone) {
    make_partitions();
    rwl_rewrite_options o = {.rewrite_all = true, .max_commits = 3};
    test_rewritten out = run_with(o, delete_whole_file, RWL_OK, "");
    ck_assert_int_eq(out.rewrite.failed_commits, 1);
    ck_assert_str_eq(test_sorted(test_rows("t")), "0,p0=0/1 1,p1=1/1 2,p2=2/1 3,p0=3/2 5,p2=5/2");
    o.max_commits = 1;
    test_rewrite("t", &o);
    ck_assert_str_eq(test_sorted(test_rows("t")), "0,p0=0/1 1,p1=1/1 2,p2=2/1 3,p0=3/2 5,p2=5/2");
}
END_TEST

START_TEST(with_one_commit_a_conflict_costs_all) {
    make_partitions();
    run_with((rwl_rewrite_options){.rewrite_all = true}, delete_from_p1, RWL_CONFLICT, ".parquet");
    ck_assert_int_eq(count_words(test_listing("t"), ".parquet"), 6);
}
END_TEST

START_TEST(more_lost_commits_than_may_be_are_a_conflict) {
    make_partitions();
    static const char *const names[] = {"partial-progress.max-failed-commits"}, *const values[] = {"0"};
    rwl_rewrite_options o = {
        .rewrite_all = true, .max_commits = 3, .names = names, .values = values, .named_count = 1};
    test_rewritten out = run_with(o, delete_from_p1, RWL_CONFLICT, "after 1 commits, which stay");
    ck_assert_int_eq(out.rewrite.commits, 1);
    ck_assert_str_eq(test_sorted(test_rows("t")), "0,p0=0/1 2,p2=2/1 3,p0=3/2 4,p1=4/2 5,p2=5/2");
}
END_TEST

static void delete_from_all(void) {
    test_delete("t", "id < 3");
}

START_TEST(no_commit_at_all_is_a_conflict) {
    make_partitions();
    rwl_rewrite_options o = {.rewrite_all = true, .max_commits = 3};
    test_rewritten out = run_with(o, delete_from_all, RWL_CONFLICT, "none of 3 commits succeeded");
    ck_assert_int_eq(out.rewrite.failed_commits, 3);
    ck_assert_int_eq(count_words(test_listing("t"), ".parquet"), 6);
}
END_TEST

static void append_more(void) {
    test_append("t", "{'id':9,'name':'p0'}");
}

START_TEST(an_append_meanwhile_is_kept_by_every_commit) {
    make_partitions();
    rwl_rewrite_options o = {.rewrite_all = true, .max_commits = 3};
    test_rewritten out = run_with(o, append_more, RWL_OK, "");
    ck_assert_int_eq(out.rewrite.commits, 3);
    ck_assert_int_eq(out.commit.conflict_count, 1); /* met once, by the first */
    ck_assert_str_eq(test_sorted(test_rows("t")),
                     "0,p0=0/1 1,p1=1/1 2,p2=2/1 3,p0=3/2 4,p1=4/2 5,p2=5/2 9,p0=6/3");
}
END_TEST

/* --- limits --- */

START_TEST(each_run_takes_as_many_bytes_as_it_may_and_the_next_goes_on) {
    make_partitions();
    const char *rows = test_sorted(test_rows("t"));
    int64_t budget = test_bytes("t") / 3 + 100; /* a group and a little */
    for (int i = 0; i < 3; i++) {
        rwl_rewrite_options o = {.min_input_files = 2, .max_total_bytes = budget};
        test_rewritten out = test_rewrite("t", &o);
        ck_assert_int_eq(out.rewrite.groups, 1);
        ck_assert(out.rewrite.complete == (i == 2));
    }
    rwl_rewrite_options o = {.min_input_files = 2, .max_total_bytes = budget};
    ck_assert_int_eq(test_rewrite("t", &o).rewrite.groups, 0);
    ck_assert_str_eq(test_sorted(test_rows("t")), rows);
}
END_TEST

static int64_t passed_ns;
static int64_t (*real_clock)(void *ctx);

static int64_t late_clock(void *ctx) {
    return real_clock(ctx) + passed_ns;
}

static void pass_an_hour(void *ctx, rwl_rows *rows) {
    (void)ctx, (void)rows;
    passed_ns = INT64_C(3600000000000);
}

START_TEST(no_group_begins_after_the_deadline_and_what_is_done_is_committed) {
    make_partitions();
    const char *rows = test_sorted(test_rows("t"));
    real_clock = test_env()->monotonic_ns;
    test_env()->monotonic_ns = late_clock;
    passed_ns = 0;
    rwl_rewrite_options o = {.rewrite_all = true, .deadline_ms = 1800000, .tamper = pass_an_hour};
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.rewrite.planned_groups, 3);
    ck_assert_int_eq(out.rewrite.groups, 1);
    ck_assert_int_eq(out.rewrite.commits, 1);
    ck_assert(!out.rewrite.complete);
    ck_assert_int_eq(out.commit.result.removed_data_files, 2);
    ck_assert_str_eq(test_sorted(test_rows("t")), rows);
    o = (rwl_rewrite_options){.rewrite_all = true, .deadline_ms = 3600000};
    out = test_rewrite("t", &o);
    ck_assert(out.rewrite.complete);
    ck_assert_int_eq(out.rewrite.groups, 3);
}
END_TEST

/* --- deletes of several files --- */

/* Two files of two rows; one position delete file names row 0 of both. */
static void make_shared_deletes(void) {
    test_create("t", 2, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}");
    test_append("t", "{'id':3,'name':'c'}\n{'id':4,'name':'d'}");
    rwl_table *t = test_open("t");
    test_head head = test_read_head("t");
    const char *paths[] = {test_live(&head, 0)->file.file_path, test_live(&head, 1)->file.file_path};
    static const int64_t zero[] = {0, 0};
    rwl_data_file d = test_position_deletes(t, "shared.parquet", paths, zero, 2);
    rwl_manifest lines[] = {head.manifests[0], head.manifests[1], test_manifest(t, 1, &d, 1)};
    test_put_snapshot(t, lines, 3, "delete", "other", 0);
    test_close(t);
}

START_TEST(a_delete_file_goes_with_the_last_data_file_it_applies_to) {
    make_shared_deletes();
    ck_assert_str_eq(test_values("t", "id"), "4 2");
    rwl_rewrite_options o = {.rewrite_all = true, .change.dry_run = true};
    ck_assert_int_eq(test_rewrite("t", &o).commit.result.removed_delete_files, 1);
    test_rewritten out = test_rewrite("t", NULL);
    ck_assert_int_eq(out.commit.result.removed_delete_files, 1);
    ck_assert_int_eq(test_read_head("t").delete_files, 0);
    ck_assert_str_eq(test_sorted(test_values("t", "id")), "2 4");
}
END_TEST

START_TEST(a_delete_file_stays_while_a_data_file_needs_it) {
    make_shared_deletes();
    rwl_rewrite_options o = {.rewrite_all = true, .where = "id = 2"}; /* one file; others are hidden */
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.commit.result.removed_data_files, 1);
    ck_assert_int_eq(test_read_head("t").delete_files, 1);
    ck_assert_str_eq(test_sorted(test_values("t", "id")), "2 4");
}
END_TEST

START_TEST(of_several_commits_the_last_takes_the_shared_deletes) {
    make_shared_deletes();
    static const char *const names[] = {"max-file-group-input-files"}, *const values[] = {"1"};
    rwl_rewrite_options o = {
        .rewrite_all = true, .max_commits = 2, .names = names, .values = values, .named_count = 1};
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.rewrite.commits, 2);
    ck_assert_int_eq(out.commit.result.removed_delete_files, 1);
    ck_assert_int_eq(test_read_head("t").delete_files, 0);
    ck_assert_str_eq(test_sorted(test_values("t", "id")), "2 4");
}
END_TEST

/* --- equality deletes --- */

static void delete_two_and_append_four(void) {
    static const int64_t two[] = {2};
    test_delete_by_equality("t", "eq.parquet", two, 1);
    test_append("t", "{'id':4,'name':'d'}");
}

START_TEST(ice_x14_an_equality_delete_committed_meanwhile_hits_the_new_file) {
    test_create("t", 3, "id long, name string", NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}\n{'id':3,'name':'c'}");
    test_rewritten out =
        run_with((rwl_rewrite_options){.rewrite_all = true}, delete_two_and_append_four, RWL_OK, "");
    ck_assert_int_eq(out.commit.result.sequence_number, 4);
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,a=0/1 3,c=2/1 4,d=3/3");
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.delete_files, 1); /* it stays live */
    bool found = false;
    for (int32_t i = 0; i < head.data_files; i++) {
        const rwl_manifest_entry *e = test_live(&head, i);
        found =
            found || (e->file.record_count == 3 && e->sequence_number == 1 && e->file_sequence_number == 4);
    }
    ck_assert(found);
}
END_TEST

START_TEST(ice_93_with_numbers_of_their_own_new_files_conflict_with_such_deletes) {
    static const char *const names[] = {"use-starting-sequence-number"}, *const values[] = {"false"};
    rwl_rewrite_options o = {.rewrite_all = true, .names = names, .values = values, .named_count = 1};
    test_create("t", 3, "id long, name string", NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}\n{'id':3,'name':'c'}");
    run_with(o, delete_two_and_append_four, RWL_CONFLICT, "added a delete to data file");
    test_rewritten out = test_rewrite("t", &o);
    test_head head = test_read_head("t");
    ck_assert_int_eq(test_live(&head, 0)->sequence_number, out.commit.result.sequence_number);
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,a=0/1 3,c=2/1 4,d=3/3");
}
END_TEST

/* Rows deleted by equality are a gain: the deletes no longer apply to what is written. */
START_TEST(a_file_is_rewritten_once_for_its_equality_deletes) {
    static const int64_t two[] = {2};
    test_create("t", 3, "id long, name string", NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}\n{'id':3,'name':'c'}");
    test_delete_by_equality("t", "eq.parquet", two, 1);
    rwl_rewrite_options o = {.delete_files = 1};
    ck_assert_int_eq(test_rewrite("t", &o).rewrite.groups, 1);
    ck_assert_int_eq(test_rewrite("t", &o).rewrite.groups, 0);
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,a=0/1 3,c=2/1");
}
END_TEST

/* --- faults --- */

static const char *const part_names[] = {"max-file-group-input-files", "remove-dangling-deletes"},
                         *const part_values[] = {"1", "true"};

/* Two files, a row of the first deleted by equality: two commits for them, a third for the delete. */
static void make_three_commits(const char *name) {
    static const int64_t two[] = {2};
    test_create(name, 3, "id long, name string", NULL, NULL);
    test_append(name, "{'id':1,'name':'a'}\n{'id':2,'name':'b'}");
    test_append(name, "{'id':3,'name':'c'}");
    test_delete_by_equality(name, "eq.deletes", two, 1);
}

/* The n-th call of the store fails: whatever was committed before stays, and nothing that was not. */
START_TEST(of_several_commits_a_failure_leaves_those_before_it) {
    rwl_rewrite_options o = {
        .rewrite_all = true, .max_commits = 2, .names = part_names, .values = part_values, .named_count = 2};
    for (int64_t n = 1; n < 1000; n += 9) {
        const char *name = rwl_arena_printf(test_arena(), "t%lld", (long long)n);
        make_three_commits(name);
        rwl_table *t = test_open(name);
        rwl_store *store = NULL;
        const rwl_test_store_options failing = {.fail_call = RWL_TEST_ANY, .fail_at = n};
        ASSERT_OK(rwl_test_store_new(test_env(), t->store, &failing, &store, err));
        test_wrap_store(t, store);
        test_rewritten out;
        memset(&out, 0, sizeof out);
        rwl_status st = rwl_rewrite(t, test_op(), &o, &out.commit, &out.rewrite, NULL);
        bool failed = rwl_test_store_stats_of(store).failures > 0;
        const rwl_test_store_options working = {0};
        rwl_test_store_set(store, &working);
        test_close(t);
        ck_assert_str_eq(test_sorted(test_rows(name)), "1,a=0/1 3,c=2/2");
        ck_assert_int_eq(test_op()->memory_used, 0);
        int64_t written =
            out.rewrite.commits < 2 ? out.rewrite.commits : 2; /* a file by each of the first two */
        if (st != RWL_COMMIT_UNKNOWN)
            ck_assert_msg(count_words(test_listing(name), ".parquet") == 2 + written, "call %lld left %s",
                          (long long)n, test_listing(name));
        if (!failed) {
            ck_assert_int_eq((int)st, RWL_OK);
            ck_assert_int_eq(out.rewrite.commits, 3);
            return;
        }
    }
    ck_abort_msg("every call failed");
}
END_TEST

static int64_t left_to_allocate;
static void *(*real_realloc)(void *ctx, void *old, size_t size);

static void *limited_realloc(void *ctx, void *old, size_t size) {
    if (size > 0 && left_to_allocate >= 0 && left_to_allocate-- == 0)
        return NULL;
    return real_realloc(ctx, old, size);
}

START_TEST(an_allocation_that_fails_anywhere_loses_nothing) {
    rwl_rewrite_options o = {
        .rewrite_all = true, .max_commits = 2, .names = part_names, .values = part_values, .named_count = 2};
    make_three_commits("t");
    real_realloc = test_env()->realloc;
    left_to_allocate = -1;
    test_env()->realloc = limited_realloc;
    bool done = false;
    for (int64_t n = 0; n < 100000 && !done; n += 1 + n / 8) {
        rwl_table *t = test_open("t");
        test_rewritten out;
        left_to_allocate = n;
        rwl_status st = rwl_rewrite(t, test_op(), &o, &out.commit, &out.rewrite, NULL);
        done = left_to_allocate >= 0;
        left_to_allocate = -1;
        test_close(t);
        ck_assert_msg(!done || st == RWL_OK, "%d", (int)st);
        ck_assert_int_eq(test_op()->memory_used, 0);
        ck_assert_str_eq(test_sorted(test_rows("t")), "1,a=0/1 3,c=2/2");
    }
    ck_assert(done);
}
END_TEST

/* --- another spec --- */

START_TEST(ice_134_files_are_written_by_the_spec_that_is_asked_for) {
    make_partitions();
    const char *edit = rwl_arena_printf(
        test_arena(), "sed -i -E 's/\"partition-specs\": *\\[/&{\"spec-id\": 1, \"fields\": []},/' %s",
        test_path("t/metadata/v3.metadata.json"));
    ck_assert_int_eq(system(edit), 0);
    const char *rows = test_sorted(test_rows("t"));
    static const char *const names[] = {"output-spec-id"}, *const one[] = {"1"}, *const none[] = {"1234"};
    rwl_rewrite_options o = {.rewrite_all = true, .names = names, .values = none, .named_count = 1};
    ASSERT_FAILS(
        RWL_USAGE,
        "cannot use output spec id 1234 because the table does not contain a reference to this spec-id",
        try_rewrite("t", &o, err));
    for (int sorted = 0; sorted < 2; sorted++) {
        o.values = one;
        o.sort = sorted ? "id desc" : NULL;
        test_rewrite("t", &o);
        test_head head = test_read_head("t");
        for (int i = 0; i < head.data_files; i++)
            ck_assert_int_eq(test_live(&head, i)->file.spec_id, 1);
        ck_assert_str_eq(test_sorted(test_rows("t")), rows);
    }
    o = (rwl_rewrite_options){.rewrite_all = true}; /* back to the default, one file a partition */
    test_rewrite("t", &o);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.data_files, 3);
    ck_assert_int_eq(test_live(&head, 0)->file.spec_id, 0);
    ck_assert_str_eq(test_sorted(test_rows("t")), rows);
}
END_TEST

Suite *suite_rewrite_parts(void) {
    const TTest *const tests[] = {
        bug_215_each_commit_removes_the_files_it_read_and_no_others,
        groups_are_shared_out_among_the_commits,
        a_conflict_costs_the_groups_of_its_commit_alone,
        bug_088_a_file_removed_meanwhile_is_a_conflict_and_its_rows_stay_gone,
        with_one_commit_a_conflict_costs_all,
        more_lost_commits_than_may_be_are_a_conflict,
        no_commit_at_all_is_a_conflict,
        an_append_meanwhile_is_kept_by_every_commit,
        each_run_takes_as_many_bytes_as_it_may_and_the_next_goes_on,
        no_group_begins_after_the_deadline_and_what_is_done_is_committed,
        a_delete_file_goes_with_the_last_data_file_it_applies_to,
        a_delete_file_stays_while_a_data_file_needs_it,
        of_several_commits_the_last_takes_the_shared_deletes,
        ice_x14_an_equality_delete_committed_meanwhile_hits_the_new_file,
        ice_93_with_numbers_of_their_own_new_files_conflict_with_such_deletes,
        a_file_is_rewritten_once_for_its_equality_deletes,
        of_several_commits_a_failure_leaves_those_before_it,
        an_allocation_that_fails_anywhere_loses_nothing,
        ice_134_files_are_written_by_the_spec_that_is_asked_for,
    };
    return TEST_SUITE("rewrite parts", tests);
}
