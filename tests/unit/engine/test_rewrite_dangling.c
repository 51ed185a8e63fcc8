/* SPDX-License-Identifier: Apache-2.0 */
/* Which deletes apply to nothing any more, and go when they are asked to. */
#include "engine_test.h"
#include "suites.h"

#include <math.h>
#include <stdlib.h>

/* The only files here are names: groups are too small to be rewritten, the deletes are looked through all the same. */
static const char *const names[] = {"remove-dangling-deletes"}, *const values[] = {"true"};
static const rwl_rewrite_options remove_dangling = {
    .min_input_files = 100, .names = names, .values = values, .named_count = 1};

static rwl_value partition_of(char letter) {
    static char letters[26];
    letters[letter - 'a'] = letter;
    return (rwl_value){.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_of(&letters[letter - 'a'], 1)};
}

/* Data files "A", "B2", ... of one commit, each in the partition of its letter. */
static void append_files(const char *list) {
    static rwl_value partitions[8];
    rwl_added_file files[8];
    size_t count = 0;
    char *copy = rwl_arena_strdup(test_arena(), list), *state = NULL;
    for (char *name = strtok_r(copy, " ", &state); name != NULL;
         name = strtok_r(NULL, " ", &state), count++) {
        partitions[count] = partition_of((char)(name[0] - 'A' + 'a'));
        files[count] =
            test_fake_file(rwl_arena_printf(test_arena(), "%s.parquet", name), 10, 100, &partitions[count]);
    }
    test_append_fakes("t", files, count);
}

enum { DATA, POSITIONS, EQUALITY, MOST = 12 };

/* A file for each word of the list, in the partition of its letter. */
static int32_t make_files(int32_t content, const char *list, rwl_value *partitions, rwl_data_file *files) {
    static const int32_t keys[] = {1};
    static const char *const prefixes[] = {"", "pos-", "eq-"};
    int32_t count = 0;
    char *copy = rwl_arena_strdup(test_arena(), list), *state = NULL;
    for (char *name = strtok_r(copy, " ", &state); name != NULL;
         name = strtok_r(NULL, " ", &state), count++) {
        partitions[count] = partition_of((char)(name[0] - 'A' + 'a'));
        files[count] = (rwl_data_file){
            .content = content,
            .file_path = rwl_arena_printf(test_arena(), "%s%s.parquet", prefixes[content], name),
            .file_format = "PARQUET",
            .record_count = content == DATA ? 100 : 1,
            .file_size = 10,
            .partition = &partitions[count],
            .partition_count = 1,
            .sort_order_id = -1,
            .content_offset = -1,
            .content_size = -1,
            .equality_ids = content == EQUALITY ? keys : NULL,
            .equality_count = content == EQUALITY,
        };
    }
    return count;
}

/* One commit of another writer: data files, position and equality deletes. */
static void add_deletes(const char *data, const char *positions, const char *equality) {
    rwl_value partitions[3][MOST];
    rwl_data_file files[2 * MOST], added[MOST];
    int32_t added_count = make_files(DATA, data, partitions[0], added);
    int32_t count = make_files(POSITIONS, positions, partitions[1], files);
    count += make_files(EQUALITY, equality, partitions[2], files + count);
    rwl_table *t = test_open("t");
    test_head head = test_read_head("t");
    rwl_manifest lines[MOST];
    memcpy(lines, head.manifests, (size_t)head.manifest_count * sizeof *lines);
    int32_t n = head.manifest_count;
    if (added_count > 0)
        lines[n++] = test_manifest(t, 0, added, added_count);
    lines[n++] = test_manifest(t, 1, files, count);
    test_put_snapshot(t, lines, n, "overwrite", "other", 0);
    test_close(t);
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Live delete files by name. */
static const char *live_deletes(void) {
    test_head head = test_read_head("t");
    const char *list[16], *text = "";
    size_t count = 0;
    for (int32_t i = 0; i < head.entry_count; i++)
        if (head.entries[i].status != RWL_STATUS_DELETED && head.entries[i].file.content != RWL_CONTENT_DATA)
            list[count++] = head.entries[i].file.file_path;
    qsort(list, count, sizeof *list, compare_names);
    for (size_t i = 0; i < count; i++)
        text = rwl_arena_printf(test_arena(), "%s%s%.*s", text, i > 0 ? " " : "", (int)strcspn(list[i], "."),
                                list[i]);
    return text;
}

START_TEST(ice_98_deletes_older_than_every_file_of_their_partition_go) {
    test_create("t", 2, "id long, c1 string", "c1", NULL);
    append_files("B C D");
    add_deletes("", "A A2 B B2", "A A2 B B2");
    append_files("A2 B2 C2 D2");
    test_rewritten out = test_rewrite("t", &remove_dangling);
    ck_assert_int_eq(out.commit.result.removed_delete_files, 4);
    ck_assert_int_eq(out.rewrite.groups, 0);
    ck_assert_int_eq(out.rewrite.commits, 1);
    ck_assert_str_eq(live_deletes(), "eq-B eq-B2 pos-B pos-B2");
    test_head head = test_read_head("t");
    ck_assert_str_eq(head.operation, "replace");
    ck_assert_int_eq(test_figure(&head, "removed-delete-files"), 4);
    ck_assert_int_eq(head.data_files, 7);
    out = test_rewrite("t", &remove_dangling); /* nothing is left to do */
    ck_assert_int_eq(out.commit.result.snapshot_id, -1);
}
END_TEST

/* Equality deletes need strictly older data, positions may be as old (BUG-087). */
START_TEST(ice_99_equality_deletes_go_where_no_file_is_older) {
    test_create("t", 2, "id long, c1 string", "c1", NULL);
    append_files("A C D");
    add_deletes("A2 B2 C2 D2", "A A2 B2", "A A2 B B2");
    test_rewritten out = test_rewrite("t", &remove_dangling);
    ck_assert_int_eq(out.commit.result.removed_delete_files, 2);
    ck_assert_str_eq(live_deletes(), "eq-A eq-A2 pos-A pos-A2 pos-B2");
}
END_TEST

START_TEST(ice_101_vectors_of_files_that_are_gone_go) {
    test_create("t", 3, "id long, c1 string", "c1", NULL);
    append_files("A B");
    rwl_table *t = test_open("t");
    test_head head = test_read_head("t");
    rwl_value partitions[3];
    rwl_data_file files[3];
    static const char *const of[] = {"A", "B3", "B4"};
    memset(files, 0, sizeof files);
    for (int i = 0; i < 3; i++) {
        partitions[i] = partition_of(of[i][0] == 'A' ? 'a' : 'b');
        files[i] =
            (rwl_data_file){.content = RWL_CONTENT_POSITION_DELETES,
                            .file_path = rwl_arena_printf(test_arena(), "dv-%s.puffin", of[i]),
                            .file_format = "PUFFIN",
                            .record_count = 1,
                            .file_size = 100,
                            .partition = &partitions[i],
                            .partition_count = 1,
                            .sort_order_id = -1,
                            .content_offset = 4,
                            .content_size = 40,
                            .referenced_data_file = rwl_arena_printf(test_arena(), "%s.parquet", of[i])};
    }
    rwl_manifest lines[] = {head.manifests[0], test_manifest(t, 1, files, 3)};
    test_put_snapshot(t, lines, 2, "delete", "other", 0);
    test_close(t);
    test_rewritten out = test_rewrite("t", &remove_dangling);
    ck_assert_int_eq(out.commit.result.removed_delete_files, 2);
    ck_assert_str_eq(live_deletes(), "dv-A");
}
END_TEST

/* Deletes without a partition apply to the whole table, whatever spec its files are of. */
START_TEST(ice_x15_an_equality_delete_for_the_whole_table_is_held_against_all_files) {
    test_create("t", 3, "id long, c1 string", NULL, NULL);
    test_append("t", "{'id':1,'c1':'a'}\n{'id':2,'c1':'a'}");
    test_append("t", "{'id':3,'c1':'b'}");
    static const int64_t gone[] = {2};
    test_delete_by_equality("t", "eq.parquet", gone, 1);
    /* the first file alone is rewritten: the other is older than the delete */
    rwl_rewrite_options o = {
        .rewrite_all = true, .where = "id = 1", .names = names, .values = values, .named_count = 1};
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.commit.result.removed_delete_files, 0);
    ck_assert_int_eq(test_read_head("t").delete_files, 1);
    o.where = NULL;
    out = test_rewrite("t", &o);
    ck_assert_int_eq(out.commit.result.removed_delete_files, 1);
    ck_assert_int_eq(out.rewrite.commits, 2);
    ck_assert_int_eq(test_read_head("t").delete_files, 0);
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,a=0/1 3,b=2/2");
}
END_TEST

/* NaN is one partition, whatever its bits are: the deletes apply, so they are not dangling. */
START_TEST(deletes_of_a_nan_partition_stay) {
    test_create("t", 2, "id long, x double", "x", NULL);
    rwl_value data = {.kind = RWL_TYPE_DOUBLE, .as.f64 = nan("1")},
              deletes = {.kind = RWL_TYPE_DOUBLE, .as.f64 = -nan("2")};
    rwl_added_file file = test_fake_file("A.parquet", 10, 100, &data);
    test_append_fakes("t", &file, 1);
    rwl_data_file positions = {.content = RWL_CONTENT_POSITION_DELETES,
                               .file_path = "pos.parquet",
                               .file_format = "PARQUET",
                               .record_count = 1,
                               .file_size = 10,
                               .partition = &deletes,
                               .partition_count = 1,
                               .sort_order_id = -1,
                               .content_offset = -1,
                               .content_size = -1};
    rwl_table *t = test_open("t");
    test_head head = test_read_head("t");
    rwl_manifest lines[2] = {head.manifests[0], test_manifest(t, 1, &positions, 1)};
    test_put_snapshot(t, lines, 2, "delete", "other", 0);
    test_close(t);
    test_rewrite("t", &remove_dangling);
    ck_assert_str_eq(live_deletes(), "pos");
}
END_TEST

Suite *suite_rewrite_dangling(void) {
    const TTest *const tests[] = {
        ice_98_deletes_older_than_every_file_of_their_partition_go,
        ice_99_equality_deletes_go_where_no_file_is_older,
        deletes_of_a_nan_partition_stay,
        ice_101_vectors_of_files_that_are_gone_go,
        ice_x15_an_equality_delete_for_the_whole_table_is_held_against_all_files,
    };
    return TEST_SUITE("rewrite dangling", tests);
}
