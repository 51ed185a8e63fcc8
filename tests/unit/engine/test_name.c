/* SPDX-License-Identifier: Apache-2.0 */
/* Naming tables and their states (CLI.md, "Naming a table"). */
#include "engine_test.h"
#include "suites.h"

#include "engine/name.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static rwl_status parse(const char *text, rwl_name *out, rwl_error *failure) {
    rwl_store *store = NULL;
    ASSERT_OK(rwl_store_local_new(test_env(), NULL, 0, &store, err));
    rwl_status st = rwl_name_parse(store, test_op(), text, test_arena(), out, failure);
    rwl_store_free(store);
    return st;
}

/* Names relative to the folder of the test; "plain", "odd@name", "file.parquet" and more are there. */
static void go_to_folder(void) {
    ck_assert_int_eq(chdir(test_path("")), 0);
    ck_assert_int_eq(mkdir("plain", 0755), 0);
    ck_assert_int_eq(mkdir("odd@name", 0755), 0);
    ck_assert_int_eq(mkdir("a@b", 0755), 0);
    ck_assert_int_eq(mkdir("a@b/t", 0755), 0);
    test_write("file.parquet", "");
    test_write("file.csv", "");
    test_write("file.lance", "");
    ck_assert_int_eq(mkdir("folder.csv", 0755), 0);
    test_write("odd.parquet@1", "");
    test_write("v1.metadata.json", "");
}

START_TEST(names_are_split_at_the_right_place) {
    static const struct {
        const char *text, *table, *state, *time;
    } cases[] = {
        {"plain", "plain", NULL, NULL},
        {"plain@main", "plain", "main", NULL},
        {"plain@123", "plain", "123", NULL},
        {"missing@main", "missing", "main", NULL}, /* missing is told when it is opened */
        {"odd@name", "odd@name", NULL, NULL},      /* an existing path wins */
        {"odd@name@dev", "odd@name", "dev", NULL}, /* the last @ */
        {"other@name@dev", "other@name", "dev", NULL},
        {"a@b/t", "a@b/t", NULL, NULL},
        {"a@b/t@dev", "a@b/t", "dev", NULL}, /* after the last slash */
        {"a@b/u", "a@b/u", NULL, NULL},
        {"./plain@tag-1.0", "./plain", "tag-1.0", NULL},
        {"@dev", "@dev", NULL, NULL}, /* no table in front */
        {"v1.metadata.json", "v1.metadata.json", NULL, NULL},
        {"v1.metadata.json@7", "v1.metadata.json", "7", NULL},
        {"missing.parquet", "missing.parquet", NULL, NULL}, /* might be a folder's name */
        {"file.parquet", "file.parquet", NULL,
         NULL}, /* a file by itself; states are told when it is opened */
        {"file.parquet@dev", "file.parquet", "dev", NULL},
        {"folder.csv", "folder.csv", NULL, NULL}, /* a folder may be called so */
        {"lake:db/t", "lake:db/t", NULL, NULL},   /* a slash follows: no catalog */
        {"./lake:db.t", "./lake:db.t", NULL, NULL},
        {"plain@{2d}", "plain", NULL, "2d"},
        {"plain@{2026-11-30T12:00:00Z}", "plain", NULL, "2026-11-30T12:00:00Z"},
        {"plain@dev@{2d}", "plain", "dev", "2d"},  /* a branch at a time */
        {"odd@name@{2d}", "odd@name", NULL, "2d"}, /* an existing path wins here too */
        {"missing@{a@b}", "missing", NULL, "a@b"}, /* no time, but that is told later */
        {"plain@{2d", "plain", "{2d", NULL},       /* no closing brace: a ref */
        {"a@b/t@{1h}", "a@b/t", NULL, "1h"},
        {"@{2d}", "@{2d}", NULL, NULL},
    };
    go_to_folder();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_name name;
        ASSERT_OK(parse(cases[i].text, &name, err));
        ck_assert_msg(strcmp(name.table, cases[i].table) == 0, "%s: table %s", cases[i].text, name.table);
        ck_assert_msg((name.state == NULL) == (cases[i].state == NULL) &&
                          (name.state == NULL || strcmp(name.state, cases[i].state) == 0),
                      "%s: state %s", cases[i].text, name.state != NULL ? name.state : "none");
        ck_assert_msg((name.time == NULL) == (cases[i].time == NULL) &&
                          (name.time == NULL || strcmp(name.time, cases[i].time) == 0),
                      "%s: time %s", cases[i].text, name.time != NULL ? name.time : "none");
    }
}
END_TEST

START_TEST(file_urls_are_paths) {
    go_to_folder();
    rwl_name name;
    const char *url = rwl_arena_printf(test_arena(), "file://%s", test_path("plain"));
    ASSERT_OK(parse(url, &name, err));
    ck_assert_str_eq(name.table, url);
    ASSERT_OK(parse(rwl_arena_printf(test_arena(), "%s@dev", url), &name, err));
    ck_assert_str_eq(name.table, url);
    ck_assert_str_eq(name.state, "dev");
    ASSERT_OK(parse(rwl_arena_printf(test_arena(), "file:%s", test_path("missing")), &name, err));
    ck_assert_ptr_null(name.state);
}
END_TEST

START_TEST(what_is_not_here_yet_is_refused_by_name) {
    static const struct {
        const char *text;
        rwl_status status;
        const char *part;
    } cases[] = {
        {"", RWL_USAGE, "empty"},
        {"plain@", RWL_USAGE, "nothing after the @"},
        {"s3://bucket/db/t", RWL_UNSUPPORTED, "s3"},
        {"s3://bucket/db/t@dev", RWL_UNSUPPORTED, "s3"},
        {"https://host/t", RWL_UNSUPPORTED, "https"},
        {"lake:db.events", RWL_UNSUPPORTED, "catalog"},
        {"lake:db.events@dev", RWL_UNSUPPORTED, "catalog"},
        {"plain@{}", RWL_USAGE, "no time"},
        {"file.csv", RWL_UNSUPPORTED, "data file"},
        {"file.csv@dev", RWL_UNSUPPORTED, "data file"},
        {"file.lance", RWL_UNSUPPORTED, "data file"},
    };
    go_to_folder();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_name name;
        ASSERT_FAILS(cases[i].status, cases[i].part, parse(cases[i].text, &name, err));
    }
}
END_TEST

/* --- states of a table --- */

/* A version of the table with one more branch or tag. */
static void add_ref(const char *name, const char *type, int64_t snapshot_id) {
    rwl_table *t = test_open("t");
    rwl_json *ref = rwl_json_new_object(), *json = rwl_json_copy(t->metadata->json);
    ASSERT_OK(rwl_json_set(ref, "snapshot-id", rwl_json_new_i64(snapshot_id), err));
    ASSERT_OK(rwl_json_set(ref, "type", rwl_json_new_str(type), err));
    ASSERT_OK(rwl_json_set(rwl_json_get(json, "refs"), name, ref, err));
    rwl_buf text;
    const char *location;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_json_dump(json, 0, &text, err));
    ASSERT_OK(rwl_place_swap(&t->place, test_op(), t->version + 1, rwl_buf_span(&text), false, test_arena(),
                             &location, err));
    rwl_buf_clear(&text);
    rwl_json_free(json);
    test_close(t);
}

static int64_t two_snapshots(void) {
    test_create("t", 3, "id long", NULL, NULL);
    int64_t first = test_append("t", "{'id':1}").result.snapshot_id;
    test_append("t", "{'id':2}");
    return first;
}

static const char *at(const char *state) {
    return rwl_arena_printf(test_arena(), "t@%s", state);
}

START_TEST(states_are_read_by_id_branch_and_tag) {
    int64_t first = two_snapshots();
    add_ref("keep", "tag", first);
    add_ref("dev", "branch", first);
    ck_assert_str_eq(test_sorted(test_rows("t@main")), "1=0/1 2=1/2");
    ck_assert_str_eq(test_rows("t@keep"), "1=0/1");
    ck_assert_str_eq(test_rows("t@dev"), "1=0/1");
    ck_assert_str_eq(test_rows(at(rwl_arena_printf(test_arena(), "%lld", (long long)first))), "1=0/1");
}
END_TEST

static rwl_status open_with(const char *name, const char *snapshot, const char *ref, bool for_change,
                            rwl_error *err) {
    rwl_table_options options = {.snapshot = snapshot, .ref = ref, .for_change = for_change};
    rwl_table *t = NULL;
    rwl_status st = rwl_table_open(test_op(), test_path(name), &options, &t, err);
    rwl_table_free(t);
    return st;
}

START_TEST(states_that_are_not_there_or_not_clear_are_refused) {
    int64_t first = two_snapshots();
    const char *digits = rwl_arena_printf(test_arena(), "%lld", (long long)first);
    add_ref("keep", "tag", first);
    add_ref("dev", "branch", first);
    add_ref("77", "tag", first);
    ASSERT_FAILS(RWL_NOT_FOUND, "nope", open_with("t@nope", NULL, NULL, false, err));
    ASSERT_FAILS(RWL_NOT_FOUND, "12345", open_with("t@12345", NULL, NULL, false, err));
    ASSERT_FAILS(RWL_USAGE, "77", open_with("t@77", NULL, NULL, false, err));
    ASSERT_OK(open_with("t", NULL, "77", false, err));
    ASSERT_FAILS(RWL_NOT_FOUND, "77", open_with("t", "77", NULL, false, err));
    ASSERT_OK(open_with("t", digits, NULL, false, err));
    ASSERT_FAILS(RWL_USAGE, "abc", open_with("t", "abc", NULL, false, err));
    ASSERT_FAILS(RWL_USAGE, "one state", open_with("t@dev", digits, NULL, false, err));
    ASSERT_FAILS(RWL_USAGE, "one state", open_with("t", digits, "dev", false, err));
    ASSERT_FAILS(RWL_NOT_FOUND, "", open_with("nothing", NULL, NULL, false, err));
}
END_TEST

START_TEST(only_main_is_changed) {
    int64_t first = two_snapshots();
    add_ref("keep", "tag", first);
    add_ref("dev", "branch", first);
    ASSERT_FAILS(RWL_UNSUPPORTED, "tag", open_with("t@keep", NULL, NULL, true, err));
    ASSERT_FAILS(RWL_UNSUPPORTED, "dev", open_with("t@dev", NULL, NULL, true, err));
    ASSERT_FAILS(
        RWL_UNSUPPORTED, "snapshot id",
        open_with(at(rwl_arena_printf(test_arena(), "%lld", (long long)first)), NULL, NULL, true, err));
    ASSERT_OK(open_with("t@main", NULL, NULL, true, err));
}
END_TEST

START_TEST(bug_212_a_metadata_file_is_read_and_not_changed) {
    two_snapshots();
    ck_assert_str_eq(test_rows("t/metadata/v2.metadata.json"), "1=0/1");
    ck_assert_str_eq(test_sorted(test_rows("t/metadata/v3.metadata.json")), "1=0/1 2=1/2");
    ASSERT_FAILS(RWL_UNSUPPORTED, "metadata",
                 open_with("t/metadata/v3.metadata.json", NULL, NULL, true, err));
}
END_TEST

/* A snapshot is read with the schema it was written with, a branch with the current one. */
START_TEST(ids_have_their_own_schema_and_branches_the_current_one) {
    if (!test_golden("v3_evolution", 4))
        return;
    rwl_table *t = test_open("golden/v3_evolution");
    int64_t first = t->metadata->snapshots[0].snapshot_id;
    test_close(t);
    const char *old =
        test_values(rwl_arena_printf(test_arena(), "golden/v3_evolution@%lld", (long long)first), NULL);
    ck_assert_ptr_null(strstr(old, "dflt"));
    ck_assert_ptr_nonnull(strstr(test_values("golden/v3_evolution", NULL), "dflt"));
}
END_TEST

START_TEST(a_moved_table_needs_a_map) {
    two_snapshots();
    ck_assert_int_eq(rename(test_path("t"), test_path("moved")), 0);
    ASSERT_FAILS(RWL_UNSUPPORTED, "--map-path", open_with("moved", NULL, NULL, false, err));
    const rwl_path_map map = {test_path("t"), test_path("moved")};
    rwl_table_options options = {.maps = &map, .map_count = 1, .for_change = true};
    rwl_table *t = NULL;
    ASSERT_OK(rwl_table_open(test_op(), test_path("moved"), &options, &t, err));
    rwl_commit_outcome out;
    ASSERT_OK(try_append(t, test_op(), "{'id':3}", &out, err));
    rwl_rewrite_options o = {.rewrite_all = true};
    rwl_rewrite_result result;
    ASSERT_OK(rwl_table_refresh(t, test_op(), err));
    ASSERT_OK(rwl_rewrite(t, test_op(), &o, &out, &result, err));
    ASSERT_OK(rwl_table_refresh(t, test_op(), err));
    /* new paths begin with the location in the metadata, and lie under the new place */
    ck_assert_int_eq(strncmp(t->snapshot->manifest_list, test_path("t"), strlen(test_path("t"))), 0);
    ck_assert_int_eq(access(test_path("t"), F_OK), -1);
    int64_t count;
    ASSERT_OK(rwl_table_count(t, test_op(), NULL, &count, err));
    ck_assert_int_eq(count, 3);
    test_close(t);
}
END_TEST

Suite *suite_name(void) {
    const TTest *const tests[] = {
        names_are_split_at_the_right_place,
        file_urls_are_paths,
        what_is_not_here_yet_is_refused_by_name,
        states_are_read_by_id_branch_and_tag,
        states_that_are_not_there_or_not_clear_are_refused,
        only_main_is_changed,
        bug_212_a_metadata_file_is_read_and_not_changed,
        ids_have_their_own_schema_and_branches_the_current_one,
        a_moved_table_needs_a_map,
    };
    return TEST_SUITE("name", tests);
}
