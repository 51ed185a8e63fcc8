/* SPDX-License-Identifier: Apache-2.0 */
/* Dataset directories: names of versions, tags and branches, what a request means, where files lie. */
#include "lance_test.h"
#include "storage/test_store.h"
#include "suites.h"

#include <stdio.h>

static rwl_lance_dataset *dataset;

static const rwl_lance_request newest = {.version = -1, .as_of_ms = -1};

static rwl_status open_at(const char *state, int64_t version, const char *ref, int64_t as_of_ms) {
    const rwl_lance_request request = {.state = state, .version = version, .ref = ref, .as_of_ms = as_of_ms};
    return rwl_lance_dataset_open(lance_store, &lance_op, lance_folder, &request, &dataset, &lance_error);
}

static void check_opens(const char *state, int64_t version, const char *ref, int64_t as_of_ms,
                        const char *branch, int64_t want, const char *name) {
    ASSERT_OK(open_at(state, version, ref, as_of_ms));
    ck_assert_int_eq(dataset->manifest->version, want);
    if (branch == NULL)
        ck_assert_ptr_null(dataset->branch);
    else
        ck_assert_str_eq(dataset->branch, branch);
    if (name == NULL)
        ck_assert_ptr_null(dataset->name);
    else
        ck_assert_str_eq(dataset->name, name);
    rwl_lance_dataset_free(dataset);
}

/* Versions 1 to 3 of main at 1000, 2000, 3000 s; 2 and 3 of branch dev/one at 2500, 3500 s; tags first (1), on-dev (3 of it). */
static void put_dataset(void) {
    for (int64_t v = 1; v <= 3; v++)
        lance_put_version(".", v, 1000 * v);
    lance_put_version("tree/dev/one", 2, 2500);
    lance_put_version("tree/dev/one", 3, 3500);
    lance_put_text(
        "_refs/branches/dev%2Fone.json",
        "{\"parentBranch\":null,\"identifier\":{\"version_mapping\":[[2,\"ab\"]]},\"parentVersion\":2,"
        "\"createAt\":2400,\"manifestSize\":300,\"metadata\":{}}");
    lance_put_text("_refs/tags/first.json",
                   "{\"branch\":null,\"version\":1,\"createdAt\":\"1970-01-01T00:20:00.123456789Z\","
                   "\"updatedAt\":\"1970-01-01T00:20:00Z\",\"manifestSize\":200,\"metadata\":{}}");
    lance_put_text("_refs/tags/on-dev.json",
                   "{\"branch\":\"dev/one\",\"version\":3,\"created_at\":\"1970-01-01T01:20:00+00:00\","
                   "\"manifest_size\":201}");
}

/* --- names --- */

static void put_version_as(const char *name, int64_t version) {
    rwl_buf message, file;
    rwl_buf_init(&message, &lance_env, SIZE_MAX);
    rwl_buf_init(&file, &lance_env, SIZE_MAX);
    lance_message(&message, version);
    lance_wrap(NULL, &message, &file);
    lance_put(name, rwl_buf_span(&file));
    rwl_buf_clear(&message);
    rwl_buf_clear(&file);
}

START_TEST(lan_93_hints_are_not_asked) {
    static const char *const hints[] = {"{\"version\":1}", "{\"version\":99}", "garbage", ""};
    put_dataset();
    check_opens(NULL, -1, NULL, -1, NULL, 3, "main");
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        lance_put_text("_versions/latest_version_hint.json", hints[i]);
        check_opens(NULL, -1, NULL, -1, NULL, 3, "main");
    }
}
END_TEST

START_TEST(lan_93_v1_names_sort_as_numbers) {
    rwl_lance_version *versions;
    size_t count;
    put_version_as("_versions/9.manifest", 9);
    put_version_as("_versions/10.manifest", 10);
    put_version_as("_versions/2.manifest", 2);
    ASSERT_OK(rwl_lance_versions(lance_store, &lance_op, lance_folder, &lance_arena, &versions, &count,
                                 &lance_error));
    ck_assert_uint_eq(count, 3);
    ck_assert_int_eq(versions[0].version, 10);
    ck_assert_int_eq(versions[2].version, 2);
    ck_assert_str_eq(versions[1].location, lance_path("_versions/9.manifest"));
    check_opens(NULL, -1, NULL, -1, NULL, 10, "main");
}
END_TEST

START_TEST(lan_93_mixed_names_are_corrupt) {
    put_dataset();
    put_version_as("_versions/4.manifest", 4);
    ASSERT_FAILS(open_at(NULL, -1, NULL, -1), RWL_CORRUPT, "two naming schemes");
}
END_TEST

START_TEST(a_version_twice_is_corrupt) {
    put_version_as("_versions/4.manifest", 4);
    put_version_as("_versions/04.manifest", 4);
    ASSERT_FAILS(open_at(NULL, -1, NULL, -1), RWL_CORRUPT, "version 4 has two manifests");
}
END_TEST

START_TEST(other_names_are_passed_over) {
    static const char *const names[] = {
        ".tmp_1.manifest",
        "1.manifest.tmp",
        "x.manifest",
        "-7.manifest",
        "7.manifest~",
        ".manifest",
        "7",
        "7.json",
        "184467440737095516150.manifest", /* 21 digits */
        "99999999999999999999.manifest",  /* 20 digits, above 2^64 - 1 */
        "00000000000000000001.manifest",  /* version 2^64 - 2 */
        "d7.manifest",                    /* a detached one has its top bit set */
        "d9223372036854775815.manifest",  /* detached: never the newest */
        "0.manifest",
    };
    char name[128];
    put_dataset();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(name, sizeof name, "_versions/%s", names[i]);
        lance_put_text(name, "x");
    }
    lance_put_text("_versions/18446744073709551000.manifest/x", "a folder with the name of a manifest");
    check_opens(NULL, -1, NULL, -1, NULL, 3, "main");
}
END_TEST

START_TEST(a_detached_version_is_opened_by_its_number_alone) {
    rwl_lance_request request = {.version = 4, .is_detached = true, .as_of_ms = -1};
    put_dataset();
    put_version_as("_versions/d9223372036854775812.manifest", INT64_MIN + 4); /* 2^63 + 4 */
    check_opens("9223372036854775812", -1, NULL, -1, NULL, 4, NULL);
    ASSERT_OK(rwl_lance_dataset_open(lance_store, &lance_op, lance_folder, &request, &dataset, &lance_error));
    ck_assert(dataset->manifest->is_detached);
    rwl_lance_dataset_free(dataset);
    check_opens(NULL, -1, NULL, -1, NULL, 3, "main");
    ASSERT_FAILS(open_at("4", -1, NULL, -1), RWL_NOT_FOUND, "no version 4");
    ASSERT_FAILS(open_at("9223372036854775811", -1, NULL, -1), RWL_NOT_FOUND, "d9223372036854775811");
    ASSERT_FAILS(open_at("18446744073709551616", -1, NULL, -1), RWL_NOT_FOUND, "no version above 2^64 - 1");
}
END_TEST

START_TEST(a_detached_version_is_opened_by_the_signed_number_of_its_bits) {
    put_dataset();
    put_version_as("_versions/d9223372036854775812.manifest", INT64_MIN + 4);
    put_version_as("_versions/d18446744073709551615.manifest", -1);
    check_opens("-9223372036854775804", -1, NULL, -1, NULL, 4, NULL); /* 2^63 + 4 - 2^64 */
    check_opens("-1", -1, NULL, -1, NULL, INT64_MAX, NULL);
    ASSERT_FAILS(open_at("-0", -1, NULL, -1), RWL_NOT_FOUND, "no version -0");
    ASSERT_FAILS(open_at("-9223372036854775809", -1, NULL, -1), RWL_NOT_FOUND,
                 "no version -9223372036854775809");
    ASSERT_FAILS(open_at("-", -1, NULL, -1), RWL_NOT_FOUND, "no branch or tag");
    ASSERT_FAILS(open_at("-5", -1, NULL, -1), RWL_NOT_FOUND, "d18446744073709551611");
}
END_TEST

START_TEST(tags_and_branches_may_be_of_detached_versions) {
    rwl_lance_ref *refs;
    size_t count;
    put_dataset();
    put_version_as("_versions/d9223372036854775812.manifest", INT64_MIN + 4);
    put_version_as("tree/odd/_versions/d9223372036854775812.manifest", INT64_MIN + 4);
    lance_put_text("_refs/tags/a.json", "{\"version\": 9223372036854775812,\"branch\":null,"
                                        "\"note\":\"9223372036854775812 \\\" 9223372036854775812\"}");
    lance_put_text("_refs/tags/b.json", "{\"branch\":\"odd\",\"version\":9223372036854775812}");
    lance_put_text("_refs/tags/c.json", "{\"branch\":null,\"version\":18446744073709551615}");
    lance_put_text(
        "_refs/branches/odd.json",
        "{\"identifier\":{\"version_mapping\":[[9223372036854775812,\"u\"]]},\"parentBranch\":null,"
        "\"parentVersion\":9223372036854775812}");
    check_opens("a", -1, NULL, -1, NULL, 4, NULL);
    check_opens("b", -1, NULL, -1, "odd", 4, NULL); /* a branch without other versions */
    ASSERT_FAILS(open_at("c", -1, NULL, -1), RWL_NOT_FOUND, "d18446744073709551615");
    ASSERT_OK(rwl_lance_refs(lance_store, &lance_op, lance_folder, true, &lance_arena, &refs, &count,
                             &lance_error));
    ck_assert_uint_eq(count, 7); /* dev/one, first and on-dev too */
    ck_assert(refs[0].is_detached && refs[1].is_detached && refs[2].is_detached);
    ck_assert_int_eq(refs[0].version, 4);
    ck_assert_int_eq(refs[2].version, INT64_MAX);
    ck_assert_int_eq(rwl_lance_version_bits(refs[0].version, true), INT64_MIN + 4);
    ck_assert_int_eq(rwl_lance_version_bits(refs[2].version, true), -1);
    ck_assert(!refs[3].is_detached);
    ck_assert_str_eq(refs[5].name, "odd");
    ck_assert(refs[5].is_detached);
    ck_assert_int_eq(refs[5].version, 4);
}
END_TEST

START_TEST(a_folder_without_versions) {
    bool is;
    lance_put_text("data/x", "x");
    ASSERT_OK(rwl_lance_dataset_is(lance_store, &lance_op, lance_folder, &is, &lance_error));
    ck_assert(!is);
    ASSERT_FAILS(open_at(NULL, -1, NULL, -1), RWL_NOT_FOUND, "_versions");
    lance_put_text("_versions/note.txt", "x");
    ASSERT_OK(rwl_lance_dataset_is(lance_store, &lance_op, lance_folder, &is, &lance_error));
    ck_assert(is);
    ASSERT_FAILS(open_at(NULL, -1, NULL, -1), RWL_NOT_FOUND, "_versions has no manifest");
    ASSERT_FAILS(open_at(NULL, 1, NULL, -1), RWL_NOT_FOUND, "_versions has no manifest");
    ASSERT_OK(rwl_lance_dataset_is(lance_store, &lance_op, lance_path("none"), &is, &lance_error));
    ck_assert(!is);
}
END_TEST

/* --- requests --- */

START_TEST(requests_name_versions_branches_tags_and_times) {
    put_dataset();
    check_opens(NULL, -1, NULL, -1, NULL, 3, "main");
    check_opens(NULL, 2, NULL, -1, NULL, 2, NULL);
    check_opens("1", -1, NULL, -1, NULL, 1, NULL);
    check_opens("first", -1, NULL, -1, NULL, 1, NULL);
    check_opens(NULL, -1, "first", -1, NULL, 1, NULL);
    check_opens("main", -1, NULL, -1, NULL, 3, "main");
    check_opens(NULL, 2, "main", -1, NULL, 2, NULL);
    check_opens("dev/one", -1, NULL, -1, "dev/one", 3, "dev/one");
    check_opens(NULL, 2, "dev/one", -1, "dev/one", 2, NULL);
    check_opens("on-dev", -1, NULL, -1, "dev/one", 3, NULL); /* a tag that points into a branch */
    check_opens(NULL, -1, NULL, 2000000, NULL, 2, NULL);
    check_opens(NULL, -1, NULL, 2999999, NULL, 2, NULL);
    check_opens(NULL, -1, NULL, 99999999, NULL, 3, NULL);
    check_opens(NULL, -1, "dev/one", 3400000, "dev/one", 2, NULL);
    check_opens("dev/one", -1, NULL, 3400000, "dev/one", 2, NULL);
    check_opens("main", -1, NULL, 1000000, NULL, 1, NULL);
    ASSERT_OK(
        rwl_lance_dataset_open(lance_store, &lance_op, lance_path(""), &newest, &dataset, &lance_error));
    ck_assert_str_eq(dataset->root, lance_folder); /* slashes at the end are no part of it */
    rwl_lance_dataset_free(dataset);
}
END_TEST

/* The branch began at version 2, at 2500 s; version 3 of main, of 3000 s, is none of its ancestors. */
START_TEST(a_branch_before_it_began_is_its_parent) {
    put_dataset();
    check_opens(NULL, -1, "dev/one", 2499999, NULL, 2, NULL);
    check_opens("dev/one", -1, NULL, 1000000, NULL, 1, NULL);
    ASSERT_FAILS(open_at("dev/one", -1, NULL, 999999), RWL_NOT_FOUND,
                 "as old as 1970-01-01T00:16:39.999000+00:00; the first is 1 of 1970-01-01T00:16:40.000000");
    ASSERT_FAILS(open_at("on-dev", -1, NULL, 5), RWL_USAGE, "which is one version");
    ASSERT_FAILS(open_at("1", -1, NULL, 5), RWL_USAGE, "which is one version");
}
END_TEST

START_TEST(what_is_not_there_is_named_with_what_is) {
    put_dataset();
    ASSERT_FAILS(open_at(NULL, 4, NULL, -1), RWL_NOT_FOUND, "no version 4");
    ASSERT_FAILS(open_at(NULL, 4, NULL, -1), RWL_NOT_FOUND, "there are 3: 3, 2, 1");
    ASSERT_FAILS(open_at("0", -1, NULL, -1), RWL_NOT_FOUND, "no version 0");
    ASSERT_FAILS(open_at("99999999999999999999", -1, NULL, -1), RWL_NOT_FOUND, "no version above");
    ASSERT_FAILS(open_at("other", -1, NULL, -1), RWL_NOT_FOUND, "; tags: first, on-dev; branches: dev/one");
    ASSERT_FAILS(open_at(NULL, -1, "../first", -1), RWL_NOT_FOUND, "no branch or tag");
    ASSERT_FAILS(open_at(NULL, -1, NULL, 999999), RWL_NOT_FOUND, "no version of");
    lance_put_text("_refs/tags/lost.json", "{\"branch\":null,\"version\":17}");
    ASSERT_FAILS(open_at("lost", -1, NULL, -1), RWL_NOT_FOUND, "no version 17");
    lance_put_text("_refs/branches/empty.json", "{\"parentBranch\":null,\"parentVersion\":1,\"createAt\":1}");
    ASSERT_FAILS(open_at("empty", -1, NULL, -1), RWL_NOT_FOUND, "tree/empty/_versions");
}
END_TEST

START_TEST(the_list_of_names_is_bounded) {
    char name[64];
    put_dataset();
    for (int i = 0; i < 500; i++) {
        snprintf(name, sizeof name, "_refs/tags/t%03d.json", i);
        lance_put_text(name, "{\"branch\":null,\"version\":1}");
    }
    ASSERT_FAILS(open_at("other", -1, NULL, -1), RWL_NOT_FOUND, "… (502 in all); branches: dev/one");
}
END_TEST

START_TEST(what_may_mean_two_things_is_refused) {
    put_dataset();
    lance_put_text("_refs/tags/2.json", "{\"branch\":null,\"version\":1}");
    lance_put_text("_refs/tags/both.json", "{\"branch\":null,\"version\":1}");
    lance_put_text("_refs/branches/both.json", "{\"parentBranch\":null,\"parentVersion\":1}");
    ASSERT_FAILS(open_at("2", -1, NULL, -1), RWL_USAGE, "is a version and the name of a tag");
    check_opens(NULL, 2, NULL, -1, NULL, 2, NULL);
    check_opens(NULL, -1, "2", -1, NULL, 1, NULL);
    rwl_lance_request on_dev = {.state = "2", .on = "dev/one", .version = -1, .as_of_ms = -1};
    ASSERT_FAILS(
        rwl_lance_dataset_open(lance_store, &lance_op, lance_folder, &on_dev, &dataset, &lance_error),
        RWL_USAGE, "is a version and the name of a tag");
    on_dev.state = "3";
    ASSERT_OK(rwl_lance_dataset_open(lance_store, &lance_op, lance_folder, &on_dev, &dataset, &lance_error));
    ck_assert_str_eq(dataset->branch, "dev/one");
    ck_assert_int_eq(dataset->manifest->version, 3);
    rwl_lance_dataset_free(dataset);
    ASSERT_FAILS(open_at("both", -1, NULL, -1), RWL_USAGE, "is a tag and a branch");
    ASSERT_FAILS(open_at(NULL, -1, "both", -1), RWL_USAGE, "is a tag and a branch");
    lance_put_version("tree/both", 2, 7000);
    check_opens(NULL, 2, "both", -1, "both", 2, NULL); /* of a tag there is but one version */
    check_opens(NULL, -1, "both", 7500000, "both", 2, NULL);
    check_opens("both", -1, NULL, 7500000, "both", 2, NULL);
    ASSERT_FAILS(open_at("1", 2, NULL, -1), RWL_USAGE, "beside another");
    ASSERT_FAILS(open_at(NULL, 2, NULL, 5), RWL_USAGE, "a version and a time");
    ASSERT_FAILS(open_at(NULL, 2, "first", -1), RWL_USAGE, "which is one version");
}
END_TEST

START_TEST(a_time_reads_the_ends_of_manifests) {
    rwl_store *local, *counting;
    const rwl_test_store_options options = {0};
    put_dataset();
    ASSERT_OK(rwl_store_local_new(&lance_env, NULL, 0, &local, &lance_error));
    ASSERT_OK(rwl_test_store_new(&lance_env, local, &options, &counting, &lance_error));
    const rwl_lance_request request = {.version = -1, .as_of_ms = 1500000};
    ASSERT_OK(rwl_lance_dataset_open(counting, &lance_op, lance_folder, &request, &dataset, &lance_error));
    ck_assert_int_eq(dataset->manifest->version, 1);
    /* one read of each of three manifests, and one to open the last; names of refs are not asked */
    ck_assert_int_eq(rwl_test_store_stats_of(counting).calls[RWL_TEST_READ], 4);
    rwl_lance_dataset_free(dataset);
    rwl_store_free(counting);
}
END_TEST

/* --- refs --- */

START_TEST(lists_tags_and_branches) {
    rwl_lance_ref *refs;
    size_t count;
    put_dataset();
    lance_put_text("_refs/tags/no json.txt", "x");
    lance_put_text(
        "_refs/branches/snake.json",
        "{\"parent_branch\":\"dev/one\",\"parent_version\":3,\"create_at\":7,\"manifest_size\":5}");
    ASSERT_OK(rwl_lance_refs(lance_store, &lance_op, lance_folder, true, &lance_arena, &refs, &count,
                             &lance_error));
    ck_assert_uint_eq(count, 4);
    ck_assert_str_eq(refs[0].name, "dev/one");
    ck_assert(!refs[0].is_tag);
    ck_assert_ptr_null(refs[0].branch);
    ck_assert_int_eq(refs[0].version, 2);
    ck_assert_int_eq(refs[0].created_ms, 2400000);
    ck_assert_int_eq(refs[0].manifest_size, 300);
    ck_assert_str_eq(refs[1].name, "first");
    ck_assert(refs[1].is_tag);
    ck_assert_int_eq(refs[1].version, 1);
    ck_assert_int_eq(refs[1].created_ms, 1200123);
    ck_assert_str_eq(refs[2].name, "on-dev");
    ck_assert_str_eq(refs[2].branch, "dev/one");
    ck_assert_int_eq(refs[2].created_ms, 4800000);
    ck_assert_int_eq(refs[2].manifest_size, 201);
    ck_assert_str_eq(refs[3].name, "snake");
    ck_assert_str_eq(refs[3].branch, "dev/one");
    ck_assert_int_eq(refs[3].version, 3);
    ck_assert_int_eq(refs[3].created_ms, 7000);
}
END_TEST

START_TEST(a_dataset_without_refs_has_none) {
    rwl_lance_ref *refs;
    size_t count;
    lance_put_version(".", 1, 1);
    ASSERT_OK(rwl_lance_refs(lance_store, &lance_op, lance_folder, true, &lance_arena, &refs, &count,
                             &lance_error));
    ck_assert_uint_eq(count, 0);
}
END_TEST

static void keep_line(void *ctx, rwl_log_level level, const char *line) {
    ck_assert_int_eq(level, RWL_LOG_WARN);
    strcat(strncat(ctx, line, 500), "\n");
}

/* Of one tag and no other ref the listing says a line, and nothing else is in it. */
static void check_left_out(const char *name) {
    char lines[1024] = "";
    rwl_env env = lance_env;
    rwl_op op;
    rwl_lance_ref *refs;
    size_t count;
    env.log = keep_line;
    env.ctx = lines;
    rwl_op_init(&op, &env, 0);
    ASSERT_OK(
        rwl_lance_refs(lance_store, &op, lance_folder, true, &lance_arena, &refs, &count, &lance_error));
    ck_assert_uint_eq(count, 0);
    ck_assert_msg(strstr(lines, name) != NULL, "%s", lines);
    ck_assert_ptr_eq(strchr(lines, '\n'), strrchr(lines, '\n'));
}

START_TEST(bad_refs_are_corrupt) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "tag bad"},
        {"[]", "no object"},
        {"{}", "version"},
        {"{\"version\":0}", "version 0"},
        {"{\"version\":\"1\"}", "version"},
        {"{\"version\":-9223372036854775804}", "version -9223372036854775804"},
        {"{\"version\":\"9223372036854775812\"}", "version"},
        {"{\"version\":18446744073709551616}", "too big integer"},
        {"{\"version\":9223372036854775812.0}", "version"},
        {"{\"version\":9223372036854775812", "line 1"},
        {"{\"version\":1,\"branch\":7}", "branch"},
        {"{\"version\":1,\"branch\":\"../x\"}", "no name of a branch"},
        {"{\"version\":1,\"createdAt\":\"yesterday\"}", "no time"},
    };
    lance_put_version(".", 1, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lance_put_text("_refs/tags/bad.json", cases[i].text);
        ASSERT_FAILS(open_at("bad", -1, NULL, -1), RWL_CORRUPT, cases[i].message);
        check_opens(NULL, -1, NULL, -1, NULL, 1, "main"); /* who does not name it does not mind */
        check_left_out("tag bad: ");
    }
}
END_TEST

/* --- files --- */

static void put_with_bases(void) {
    rwl_buf message, file;
    rwl_buf_init(&message, &lance_env, SIZE_MAX);
    rwl_buf_init(&file, &lance_env, SIZE_MAX);
    pb_varint(&message, 3, 1);
    size_t base = pb_begin(&message, 18); /* id 0 left out */
    pb_varint(&message, 3, 1);
    pb_text(&message, 4, "/elsewhere/t.lance/");
    pb_end(&message, base);
    base = pb_begin(&message, 18);
    pb_varint(&message, 1, 7);
    pb_text(&message, 4, "file:///flat");
    pb_end(&message, base);
    lance_wrap(NULL, &message, &file);
    lance_put("_versions/1.manifest", rwl_buf_span(&file));
    rwl_buf_clear(&message);
    rwl_buf_clear(&file);
}

START_TEST(files_lie_in_their_bases) {
    const char *location;
    put_with_bases();
    ASSERT_OK(open_at(NULL, -1, NULL, -1));
    rwl_lance_data_file f = {.path = "a/b.lance", .base_id = -1};
    ASSERT_OK(rwl_lance_data_location(dataset, &f, &lance_arena, &location, &lance_error));
    ck_assert_str_eq(location, lance_path("data/a/b.lance"));
    f.base_id = 0;
    ASSERT_OK(rwl_lance_data_location(dataset, &f, &lance_arena, &location, &lance_error));
    ck_assert_str_eq(location, "/elsewhere/t.lance/data/a/b.lance");
    f.base_id = 7;
    ASSERT_OK(rwl_lance_data_location(dataset, &f, &lance_arena, &location, &lance_error));
    ck_assert_str_eq(location, "file:///flat/a/b.lance");
    f.base_id = 8;
    ASSERT_FAILS(rwl_lance_data_location(dataset, &f, &lance_arena, &location, &lance_error), RWL_CORRUPT,
                 "base path 8");
    f.base_id = -1;
    f.path = "a/../../x";
    ASSERT_FAILS(rwl_lance_data_location(dataset, &f, &lance_arena, &location, &lance_error), RWL_CORRUPT,
                 "leads out of its folder");
    f.path = "a/..b.lance";
    ASSERT_OK(rwl_lance_data_location(dataset, &f, &lance_arena, &location, &lance_error));
    rwl_lance_fragment fragment = {.id = 4, .deletion = {true, false, 7, UINT64_MAX, 1, -1}};
    ASSERT_OK(rwl_lance_deletion_location(dataset, &fragment, &lance_arena, &location, &lance_error));
    ck_assert_str_eq(location, lance_path("_deletions/4-7-18446744073709551615.arrow"));
    fragment.deletion.is_bitmap = true;
    fragment.deletion.base_id = 0;
    ASSERT_OK(rwl_lance_deletion_location(dataset, &fragment, &lance_arena, &location, &lance_error));
    ck_assert_str_eq(location, "/elsewhere/t.lance/_deletions/4-7-18446744073709551615.bin");
    rwl_lance_dataset_free(dataset);
}
END_TEST

START_TEST(files_of_a_branch_lie_in_its_tree) {
    const char *location;
    put_dataset();
    ASSERT_OK(open_at("dev/one", -1, NULL, -1));
    const rwl_lance_data_file f = {.path = "x.lance", .base_id = -1};
    ASSERT_OK(rwl_lance_data_location(dataset, &f, &lance_arena, &location, &lance_error));
    ck_assert_str_eq(location, lance_path("tree/dev/one/data/x.lance"));
    rwl_lance_dataset_free(dataset);
}
END_TEST

Suite *dataset_suite(void) {
    Suite *suite = suite_create("dataset");
    TCase *tcase = tcase_create("dataset");
    tcase_add_checked_fixture(tcase, lance_setup, lance_teardown);
    tcase_add_test(tcase, lan_93_hints_are_not_asked);
    tcase_add_test(tcase, lan_93_v1_names_sort_as_numbers);
    tcase_add_test(tcase, lan_93_mixed_names_are_corrupt);
    tcase_add_test(tcase, a_version_twice_is_corrupt);
    tcase_add_test(tcase, other_names_are_passed_over);
    tcase_add_test(tcase, a_detached_version_is_opened_by_its_number_alone);
    tcase_add_test(tcase, a_detached_version_is_opened_by_the_signed_number_of_its_bits);
    tcase_add_test(tcase, tags_and_branches_may_be_of_detached_versions);
    tcase_add_test(tcase, a_folder_without_versions);
    tcase_add_test(tcase, requests_name_versions_branches_tags_and_times);
    tcase_add_test(tcase, a_branch_before_it_began_is_its_parent);
    tcase_add_test(tcase, what_is_not_there_is_named_with_what_is);
    tcase_add_test(tcase, the_list_of_names_is_bounded);
    tcase_add_test(tcase, what_may_mean_two_things_is_refused);
    tcase_add_test(tcase, a_time_reads_the_ends_of_manifests);
    tcase_add_test(tcase, lists_tags_and_branches);
    tcase_add_test(tcase, a_dataset_without_refs_has_none);
    tcase_add_test(tcase, bad_refs_are_corrupt);
    tcase_add_test(tcase, files_lie_in_their_bases);
    tcase_add_test(tcase, files_of_a_branch_lie_in_its_tree);
    suite_add_tcase(suite, tcase);
    return suite;
}
