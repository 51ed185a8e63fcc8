/* SPDX-License-Identifier: Apache-2.0 */
/* Deletes over whole tables, as numbered cases have them: BUG-055 to 131. What a plan applies to a file and what is read of
 * delete files has its cases in tests/unit/iceberg. */
#include "case_table.h"
#include "suites.h"

static const char columns[] = "id long not null, name string";

static int32_t live_vectors(const char *name) {
    test_head head = test_read_head(name);
    int32_t count = 0;
    for (int32_t i = 0; i < head.entry_count; i++)
        count += head.entries[i].status != RWL_STATUS_DELETED && head.entries[i].file.content_offset >= 0;
    return count;
}

/* One file of 50 keys; 7, 7 and 6 of them go: one vector each time, of 7, 14 and 20 positions. */
START_TEST(bug_053_223_a_later_delete_adds_to_the_vector) {
    static const char *const where[] = {"id < 7", "id between 7 and 13", "id between 14 and 19"};
    static const int32_t deleted[] = {7, 14, 20};
    const char *lines = "";
    for (int i = 0; i < 50; i++)
        lines = rwl_arena_printf(test_arena(), "%s{'id':%d}\n", lines, i);
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", lines);
    for (int i = 0; i < 3; i++) {
        test_delete("t", where[i]);
        test_head head = test_read_head("t");
        ck_assert_int_eq(live_vectors("t"), 1);
        for (int32_t k = 0; k < head.entry_count; k++) {
            const rwl_manifest_entry *e = &head.entries[k];
            if (e->file.content != RWL_CONTENT_DATA)
                ck_assert_int_eq(e->file.record_count,
                                 e->status == RWL_STATUS_DELETED ? deleted[i - 1] : deleted[i]);
        }
        rwl_table *t = test_open("t");
        int64_t count;
        ASSERT_OK(rwl_table_count(t, test_op(), NULL, &count, err));
        test_close(t);
        ck_assert_int_eq(count, 50 - deleted[i]);
    }
    ck_assert_str_eq(case_rows("t", "id, _row_id", "id < 21"), "20,20");
}
END_TEST

/* A and B in one commit; A is replaced; then the manifest that holds A (DELETED) and B (EXISTING) is written anew. */
START_TEST(bug_055_deleted_entries_are_not_carried_on_as_live_ones) {
    test_create("t", 3, columns, "name", NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'a'}\n{'id':3,'name':'b'}\n{'id':4,'name':'c'}");
    rwl_rewrite_options o = {.rewrite_all = true, .where = "name = 'a'"};
    test_rewrite("t", &o);
    test_delete("t", "name = 'b'"); /* B goes, C stays */
    test_rewrite("t", &(rwl_rewrite_options){.rewrite_all = true, .where = "name = 'c'"});
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,a=0/1 2,a=1/1 4,c=3/1");
    ck_assert_int_eq(test_read_head("t").data_files, 2);
}
END_TEST

/* Vectors 1, 2 and 3 of one file: each takes the place of the one before, which stays gone. */
START_TEST(bug_055_of_vectors_replaced_twice_one_is_live) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}\n{'id':3}\n{'id':4}");
    test_append("t", "{'id':5}\n{'id':6}");
    for (int id = 1; id <= 3; id++) {
        test_delete("t", rwl_arena_printf(test_arena(), "id = %d", id));
        ck_assert_int_eq(live_vectors("t"), 1);
    }
    test_delete("t", "id = 5");
    ck_assert_int_eq(live_vectors("t"), 2);
    ck_assert_str_eq(test_sorted(test_rows("t")), "4,null=3/1 6,null=5/2");
}
END_TEST

START_TEST(bug_060_a_delete_of_nothing_writes_nothing) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}");
    const char *before = test_listing("t");
    int64_t head = test_read_head("t").snapshot_id;
    test_delete("t", "id > 2");
    test_delete("t", "false");
    ck_assert_str_eq(test_listing("t"), before);
    ck_assert_int_eq(test_read_head("t").snapshot_id, head);
}
END_TEST

/* Parallel tasks that each made a vector of one file: not two live ones, but a refusal. */
START_TEST(bug_062_two_vectors_of_one_file_are_not_committed) {
    test_create("t", 3, columns, NULL, NULL);
    const rwl_added_file f1 = test_fake_file("f1.parquet", 100, 3, NULL);
    test_append_fakes("t", &f1, 1);
    test_head head = test_read_head("t");
    const rwl_added_vector two[] = {{.data_file = "f1.parquet",
                                     .location = "a.puffin",
                                     .file_size = 100,
                                     .offset = 4,
                                     .length = 40,
                                     .cardinality = 1,
                                     .data_sequence_number = 1},
                                    {.data_file = "f1.parquet",
                                     .location = "b.puffin",
                                     .file_size = 100,
                                     .offset = 4,
                                     .length = 40,
                                     .cardinality = 1,
                                     .data_sequence_number = 1}};
    const rwl_change_set change = {.operation = RWL_OPERATION_DELETE,
                                   .planned_snapshot_id = head.snapshot_id,
                                   .data_sequence_number = -1,
                                   .added_vectors = two,
                                   .added_vector_count = 2};
    rwl_table *t = test_open("t");
    rwl_commit_outcome out;
    ASSERT_FAILS(RWL_INTERNAL, "f1.parquet is named twice", try_commit(t, &change, &out, err));
    test_close(t);
    ck_assert_int_eq(test_read_head("t").snapshot_id, head.snapshot_id);
}
END_TEST

/* Five files of 20 rows, the first ten of each deleted. */
static void half_deleted(void) {
    test_create("t", 3, columns, NULL, NULL);
    for (int f = 0, id = 0; f < 5; f++) {
        const char *lines = "";
        for (int r = 0; r < 20; r++, id++)
            lines =
                rwl_arena_printf(test_arena(), "%s{'id':%d,'name':'%s'}\n", lines, id, r < 10 ? "x" : "y");
        test_append("t", lines);
    }
    test_delete("t", "name = 'x'");
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.data_files, 5);
    ck_assert_int_eq(head.delete_files, 5);
}

START_TEST(bug_064_a_rewrite_takes_the_vectors_of_its_inputs_along) {
    half_deleted();
    const char *rows = test_sorted(test_rows("t"));
    test_rewrite("t", NULL);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.data_files, 1);
    ck_assert_int_eq(test_live(&head, 0)->file.record_count, 50);
    ck_assert_int_eq(head.delete_files, 0);
    ck_assert_int_eq(test_figure(&head, "removed-dvs"), 5);
    ck_assert_str_eq(test_sorted(test_rows("t")), rows);
}
END_TEST

START_TEST(bug_064_a_delete_of_all_rows_leaves_no_vector) {
    half_deleted();
    test_delete("t", "true");
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.data_files, 0);
    ck_assert_int_eq(head.delete_files, 0);
}
END_TEST

/* The file has number 5; one delete of id 2, position 1, has `number`. Version 2, where position files are at home. */
static const char *rows_with_delete(const char *name, bool by_position, int64_t number) {
    static const int32_t keys[] = {1};
    const rwl_field fields[] = {CASE_FIELD("id", 1, LONG)};
    const int64_t position = 1;
    test_create(name, 2, "id long", NULL, NULL);
    case_advance(name, 5, 0);
    case_append(name, "a.parquet", fields, 1, "[[1], [2], [3]]", 0);
    rwl_table *t = test_open(name);
    const char *path = rwl_arena_printf(test_arena(), "%s/data/a.parquet", t->metadata->location);
    rwl_data_file f = by_position ? test_position_deletes(t, "d.parquet", &path, &position, 1)
                                  : case_write(t, "d.parquet", fields, 1, "[[2]]", 0);
    if (!by_position) {
        f.content = RWL_CONTENT_EQUALITY_DELETES;
        f.equality_ids = keys;
        f.equality_count = 1;
    }
    rwl_manifest m = test_manifest(t, 1, &f, 1);
    m.sequence_number = m.min_sequence_number = number;
    case_commit(t, name, m, 0);
    test_close(t);
    return test_values(name, NULL);
}

START_TEST(bug_074_positions_apply_from_equal_numbers_on_and_equality_from_greater_ones) {
    static const struct {
        int64_t number;
        const char *by_position, *by_equality;
    } cases[] = {{4, "1 2 3", "1 2 3"}, {5, "1 3", "1 2 3"}, {6, "1 3", "1 3"}};
    for (int i = 0; i < 3; i++) {
        const char *p = rwl_arena_printf(test_arena(), "p%d", i),
                   *e = rwl_arena_printf(test_arena(), "e%d", i);
        ck_assert_str_eq(rows_with_delete(p, true, cases[i].number), cases[i].by_position);
        ck_assert_str_eq(rows_with_delete(e, false, cases[i].number), cases[i].by_equality);
        test_rewrite(p, NULL);
        test_rewrite(e, NULL);
        ck_assert_str_eq(test_values(p, NULL), cases[i].by_position);
        ck_assert_str_eq(test_values(e, NULL), cases[i].by_equality);
    }
}
END_TEST

/* One position file over f1 and f2, of ids 0 to 9 and 10 to 19, for even ids; another for multiples of 3. */
START_TEST(bug_070_position_files_that_span_data_files_hide_each_its_rows) {
    static const char *const rows[] = {"[[0],[1],[2],[3],[4],[5],[6],[7],[8],[9]]",
                                       "[[10],[11],[12],[13],[14],[15],[16],[17],[18],[19]]"};
    const rwl_field fields[] = {CASE_FIELD("id", 1, LONG)};
    test_create("t", 2, "id long", NULL, NULL);
    case_append("t", "f1.parquet", fields, 1, rows[0], 0);
    case_append("t", "f2.parquet", fields, 1, rows[1], 0);
    for (int step = 2; step <= 3; step++) {
        rwl_table *t = test_open("t");
        const char *paths[20];
        int64_t positions[20];
        int32_t count = 0;
        for (int id = 0; id < 20; id += step, count++) {
            paths[count] =
                rwl_arena_printf(test_arena(), "%s/data/f%d.parquet", t->metadata->location, 1 + id / 10);
            positions[count] = id % 10;
        }
        rwl_data_file f = test_position_deletes(t, rwl_arena_printf(test_arena(), "d%d.parquet", step), paths,
                                                positions, count);
        case_commit(t, "t", test_manifest(t, 1, &f, 1), 0);
        test_close(t);
    }
    ck_assert_str_eq(test_sorted(test_values("t", NULL)), "1 5 7 11 13 17 19");
    ck_assert_str_eq(test_sorted(case_rows("t", NULL, "id > 6")), "7 11 13 17 19");
    test_rewrite("t", NULL);
    ck_assert_str_eq(test_sorted(test_values("t", NULL)), "1 5 7 11 13 17 19");
}
END_TEST

/* v2, then v3: rows 0 and 1 are in a position file of both data files, then row 1 of f2 gets a vector. Of f2 the vector counts
 * (it holds what was deleted before), of f1 the position file, and a rewrite keeps it so. */
START_TEST(bug_067_a_vector_wins_over_the_position_file_of_its_data_file) {
    const rwl_field fields[] = {CASE_FIELD("id", 1, LONG)};
    test_create("t", 2, "id long", NULL, NULL);
    case_append("t", "f1.parquet", fields, 1, "[[1], [2], [3]]", 0);
    case_append("t", "f2.parquet", fields, 1, "[[4], [5], [6]]", 0);
    rwl_table *t = test_open("t");
    const char *f1 = rwl_arena_printf(test_arena(), "%s/data/f1.parquet", t->metadata->location);
    const char *f2 = rwl_arena_printf(test_arena(), "%s/data/f2.parquet", t->metadata->location);
    const char *const paths[] = {f1, f1, f2};
    const int64_t positions[] = {0, 1, 0};
    rwl_data_file f = test_position_deletes(t, "d.parquet", paths, positions, 3);
    case_commit(t, "t", test_manifest(t, 1, &f, 1), 0);
    test_close(t);
    test_upgrade("t", true);
    ck_assert_str_eq(test_sorted(test_values("t", NULL)), "3 5 6");
    test_delete("t", "id = 5");
    ck_assert_str_eq(test_sorted(test_values("t", NULL)), "3 6");
    test_head head = test_read_head("t");
    for (int32_t i = 0; i < head.entry_count; i++)
        if (head.entries[i].file.content_offset >= 0)
            ck_assert_int_eq(head.entries[i].file.record_count, 2); /* both rows of f2 that are gone */
    ck_assert_int_eq(head.delete_files, 2);
    test_rewrite("t", NULL);
    ck_assert_str_eq(test_sorted(test_values("t", NULL)), "3 6");
}
END_TEST

/* A vector, then a position file, that names the file of another partition. */
START_TEST(bug_065_deletes_whose_partition_is_not_their_files_are_corrupt) {
    test_create("t", 3, columns, "name", NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'a'}\n{'id':3,'name':'b'}\n{'id':4,'name':'b'}");
    test_delete("t", "id = 1");
    test_head head = test_read_head("t");
    rwl_table *t = test_open("t");
    rwl_manifest *lines = rwl_arena_array(test_arena(), (size_t)head.manifest_count + 1, sizeof *lines);
    int32_t count = 0;
    const char *file = NULL;
    for (int32_t i = 0; i < head.manifest_count; i++)
        if (head.manifests[i].content == 0)
            lines[count++] = head.manifests[i];
    for (int32_t i = 0; i < head.entry_count; i++) {
        rwl_data_file vector = head.entries[i].file;
        if (vector.content == RWL_CONTENT_DATA)
            continue;
        const rwl_value b = {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_str("b")};
        vector.partition = &b;
        file = vector.referenced_data_file;
        lines[count++] = test_manifest(t, 1, &vector, 1);
    }
    test_put_snapshot(t, lines, count, "delete", "other", 0);
    test_close(t);
    rwl_table *damaged = test_open("t");
    int64_t rows;
    ASSERT_FAILS(RWL_CORRUPT, file, rwl_table_count(damaged, test_op(), "name = 'a'", &rows, err));
    ASSERT_FAILS(RWL_CORRUPT, file, rwl_table_count(damaged, test_op(), NULL, &rows, err));
    test_close(damaged);
}
END_TEST

/* A at 1, a delete of id 2 at 2, A -> B with the explicit number 1 at 3, both in one manifest, as a merge would leave it: B is
 * ADDED with 1, A DELETED with 1. The delete goes on applying, also when this manifest is written anew. */
START_TEST(bug_076_an_added_entry_keeps_its_explicit_number) {
    const rwl_field fields[] = {CASE_FIELD("id", 1, LONG), CASE_FIELD("name", 2, STRING)};
    const int64_t gone[] = {2};
    test_create("t", 3, columns, NULL, NULL);
    case_append("t", "A.parquet", fields, 2, "[[1, 'a'], [2, 'b'], [3, 'c']]", 0);
    test_delete_by_equality("t", "eq.parquet", gone, 1);
    test_head head = test_read_head("t");
    rwl_table *t = test_open("t");
    rwl_data_file b = case_write(t, "B.parquet", fields, 2, "[[1, 'a'], [2, 'b'], [3, 'c']]", 0);
    rwl_manifest_writer_options options = {.format_version = 3,
                                           .schema = t->metadata->schema,
                                           .spec = t->metadata->spec,
                                           .snapshot_id = 1000 + t->version,
                                           .codec = RWL_CODEC_DEFLATE};
    rwl_manifest_writer *w = NULL;
    rwl_manifest lines[2];
    const char *path = rwl_arena_printf(test_arena(), "%s/metadata/merged.avro", t->metadata->location);
    ASSERT_OK(rwl_manifest_writer_open(t->store, test_op(), path, &options, &w, err));
    ASSERT_OK(rwl_manifest_writer_add(w, &b, 1, err));
    ASSERT_OK(rwl_manifest_writer_carry(w, test_live(&head, 0), RWL_STATUS_DELETED, err));
    ASSERT_OK(rwl_manifest_writer_finish(w, test_arena(), &lines[0], err));
    lines[0].has_first_row_id = true;
    lines[0].first_row_id = t->metadata->next_row_id;
    for (int32_t i = 0; i < head.manifest_count; i++)
        if (head.manifests[i].content == 1)
            lines[1] = head.manifests[i];
    test_put_snapshot(t, lines, 2, "replace", "other", 3);
    test_close(t);
    head = test_read_head("t");
    ck_assert_int_eq(test_live(&head, 0)->sequence_number, 1);
    ck_assert_int_eq(test_live(&head, 0)->file_sequence_number, 3);
    ck_assert_str_eq(test_values("t", NULL), "1,a 3,c");
    test_append("t", "{'id':4,'name':'d'}");
    test_delete("t", "id = 4");
    ck_assert_str_eq(test_values("t", NULL), "1,a 3,c");
    test_delete("t", "id = 3");
    head = test_read_head("t");
    ck_assert_int_eq(test_live(&head, 0)->sequence_number, 1);
    ck_assert_str_eq(test_values("t", NULL), "1,a");
}
END_TEST

/* Key 100 deleted by another writer, of the partition of `part` or, under the first spec, of the whole table. */
static void delete_key_100(const char *name, const int64_t *part) {
    static const int32_t keys[] = {2};
    const rwl_field field[] = {CASE_FIELD("key", 2, LONG)};
    rwl_table *t = test_open(name);
    rwl_data_file f = case_write(t, "eq.parquet", field, 1, "[[100]]", 0);
    const rwl_value value = {.kind = RWL_TYPE_LONG, .as.i64 = part != NULL ? *part : 0};
    f.content = RWL_CONTENT_EQUALITY_DELETES;
    f.equality_ids = keys;
    f.equality_count = 1;
    f.partition = part != NULL ? &value : NULL;
    f.partition_count = f.spec_id = part != NULL;
    const rwl_manifest_writer_options options = {.format_version = 3,
                                                 .content = 1,
                                                 .schema = t->metadata->schema,
                                                 .spec = &t->metadata->specs[part != NULL],
                                                 .snapshot_id = 1000 + t->version,
                                                 .codec = RWL_CODEC_DEFLATE};
    rwl_manifest_writer *w = NULL;
    rwl_manifest m;
    const char *path = rwl_arena_printf(test_arena(), "%s/metadata/eq.avro", t->metadata->location);
    ASSERT_OK(rwl_manifest_writer_open(t->store, test_op(), path, &options, &w, err));
    ASSERT_OK(rwl_manifest_writer_add(w, &f, -1, err));
    ASSERT_OK(rwl_manifest_writer_finish(w, test_arena(), &m, err));
    case_commit(t, name, m, 0);
    test_close(t);
}

START_TEST(bug_078_deletes_by_equality_do_not_leak_into_other_partitions) {
    const int64_t zero = 0;
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "t" : "u";
        test_create(name, 3, "part long, key long", NULL, NULL);
        case_partition_by(name, 1, "part");
        test_append(name, "{'part':0,'key':100}\n{'part':1,'key':100}\n{'part':1,'key':200}");
        delete_key_100(name, i == 0 ? &zero : NULL);
        ck_assert_str_eq(test_sorted(test_values(name, NULL)), i == 0 ? "1,100 1,200" : "1,200");
        test_rewrite(name, NULL);
        ck_assert_str_eq(test_sorted(test_values(name, NULL)), i == 0 ? "1,100 1,200" : "1,200");
    }
}
END_TEST

/* Deletes by equality at 2 dangle once no file is older; a rewrite leaves them, for it does not look at all of the table. They
 * hide nothing of its output, which has the number of the planned snapshot. */
START_TEST(bug_087_a_rewrite_retires_no_deletes_by_equality) {
    const int64_t gone[] = {2};
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}");
    test_delete_by_equality("t", "eq.parquet", gone, 1);
    test_append("t", "{'id':2}\n{'id':3}");
    test_rewrite("t", NULL);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.delete_files, 1);
    ck_assert_int_eq(test_live(&head, 0)->sequence_number, 3);
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,null=0/1 2,null=2/3 3,null=3/3");
}
END_TEST

/* The removal of A is told by an entry of a manifest without live files; an append may leave that out, with A's own. */
START_TEST(bug_131_what_a_rewrite_replaced_does_not_come_back_with_an_append) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}");
    test_rewrite("t", NULL);
    test_append("t", "{'id':3}");
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,null=0/1 2,null=1/1 3,null=2/3");
    test_append("t", "{'id':4}");
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,null=0/1 2,null=1/1 3,null=2/3 4,null=3/4");
    ck_assert_int_eq(test_read_head("t").data_files, 3);
}
END_TEST

/* One vector a file and commit: the second holds the first, whose entry is DELETED under its own partition. */
START_TEST(bug_225_a_vector_is_replaced_under_its_own_partition) {
    test_create("t", 3, columns, "name", NULL);
    test_append("t", "{'id':1,'name':'p'}\n{'id':2,'name':'p'}\n{'id':3,'name':'p'}\n{'id':4,'name':'q'}");
    test_delete("t", "id = 1");
    test_delete("t", "id = 3");
    test_head head = test_read_head("t");
    int32_t added = 0, deleted = 0;
    for (int32_t i = 0; i < head.entry_count; i++) {
        const rwl_manifest_entry *e = &head.entries[i];
        if (e->file.content == RWL_CONTENT_DATA)
            continue;
        ck_assert_int_eq(e->file.partition_count, 1);
        ck_assert(rwl_span_equal(e->file.partition[0].as.bytes, rwl_span_str("p")));
        added += e->status == RWL_STATUS_ADDED && e->file.record_count == 2;
        deleted += e->status == RWL_STATUS_DELETED && e->file.record_count == 1;
    }
    ck_assert_int_eq(added, 1);
    ck_assert_int_eq(deleted, 1);
    ck_assert_int_eq(live_vectors("t"), 1);
    ck_assert_str_eq(test_sorted(test_values("t", NULL)), "2,p 4,q");
}
END_TEST

Suite *suite_delete_cases(void) {
    const TTest *const tests[] = {
        bug_053_223_a_later_delete_adds_to_the_vector,
        bug_055_deleted_entries_are_not_carried_on_as_live_ones,
        bug_055_of_vectors_replaced_twice_one_is_live,
        bug_060_a_delete_of_nothing_writes_nothing,
        bug_062_two_vectors_of_one_file_are_not_committed,
        bug_064_a_rewrite_takes_the_vectors_of_its_inputs_along,
        bug_064_a_delete_of_all_rows_leaves_no_vector,
        bug_065_deletes_whose_partition_is_not_their_files_are_corrupt,
        bug_067_a_vector_wins_over_the_position_file_of_its_data_file,
        bug_070_position_files_that_span_data_files_hide_each_its_rows,
        bug_074_positions_apply_from_equal_numbers_on_and_equality_from_greater_ones,
        bug_076_an_added_entry_keeps_its_explicit_number,
        bug_078_deletes_by_equality_do_not_leak_into_other_partitions,
        bug_087_a_rewrite_retires_no_deletes_by_equality,
        bug_131_what_a_rewrite_replaced_does_not_come_back_with_an_append,
        bug_225_a_vector_is_replaced_under_its_own_partition,
    };
    return TEST_SUITE("delete cases", tests);
}
