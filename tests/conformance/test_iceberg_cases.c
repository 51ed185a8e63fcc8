/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of the Iceberg reference (ICE numbers, X for its additions) that need a table from end to end. */
#include "../unit/engine/engine_test.h"
#include "suites.h"

#include <stdlib.h>

#include "puffin/puffin.h"

static const char columns[] = "id long not null, name string";

/* `files` files of `rows` rows each in one append; ids go on from `first`. */
static void append_files(const char *name, int files, int rows, int first) {
    rwl_table *t = test_open(name);
    rwl_input *inputs[16] = {NULL};
    for (int f = 0, id = first; f < files; f++) {
        const char *lines = "";
        for (int r = 0; r < rows; r++, id++)
            lines = rwl_arena_printf(test_arena(), "%s{'id':%d,'name':'p%d'}\n", lines, id, f % 4);
        const char *path = test_write(rwl_arena_printf(test_arena(), "in-%d.jsonl", f), lines);
        ASSERT_OK(rwl_input_open_jsonl(test_op(), path, t->schema, &inputs[f], err));
    }
    rwl_change_options options = {0};
    rwl_commit_outcome out;
    ASSERT_OK(rwl_append(t, test_op(), inputs, (size_t)files, &options, &out, err));
    ck_assert_int_eq(out.result.added_data_files, files);
    for (int f = 0; f < files; f++)
        rwl_input_close(inputs[f]);
    test_close(t);
}

/* A target of one byte closes a file after each input. */
static void create_small(const char *name, int32_t version, const char *partition) {
    static const char *const keys[] = {"write.target-file-size-bytes"}, *const values[] = {"1"};
    rwl_create_options options = {.schema = columns,
                                  .partition = partition,
                                  .format_version = version,
                                  .property_keys = keys,
                                  .property_values = values,
                                  .property_count = 1};
    test_create_with(name, &options);
}

/* Only deletes make a file a candidate. */
static rwl_rewrite_options by_deletes(void) {
    return (rwl_rewrite_options){
        .min_bytes = 1, .target_bytes = INT64_MAX / 4, .max_bytes = INT64_MAX / 2, .min_input_files = 10};
}

/* A vector by another writer: positions 0 .. count - 1 of each file of `name`. */
static void foreign_vectors(const char *name, int64_t count) {
    test_head head = test_read_head(name);
    rwl_table *t = test_open(name);
    const char *path = rwl_arena_printf(test_arena(), "%s/data/foreign.puffin", t->metadata->location);
    rwl_puffin_writer *w = NULL;
    rwl_data_file *vectors = rwl_arena_array(test_arena(), (size_t)head.data_files, sizeof *vectors);
    int64_t size;
    ASSERT_OK(rwl_puffin_writer_open(t->store, test_op(), path, &w, err));
    for (int32_t i = 0; i < head.data_files; i++) {
        const rwl_data_file *f = &test_live(&head, i)->file;
        rwl_bitmap *set = NULL;
        rwl_dv_ref ref;
        ASSERT_OK(rwl_bitmap_new(test_env(), &set, err));
        for (int64_t pos = 0; pos < count; pos++)
            ASSERT_OK(rwl_bitmap_add(set, pos, err));
        ASSERT_OK(rwl_puffin_add_dv(w, f->file_path, set, &ref, err));
        rwl_bitmap_free(set);
        vectors[i] = *f;
        vectors[i].content = RWL_CONTENT_POSITION_DELETES;
        vectors[i].file_path = path;
        vectors[i].file_format = "PUFFIN";
        vectors[i].referenced_data_file = f->file_path;
        vectors[i].content_offset = ref.offset;
        vectors[i].content_size = ref.length;
        vectors[i].record_count = ref.cardinality;
        vectors[i].sort_order_id = -1;
    }
    ASSERT_OK(rwl_puffin_writer_finish(w, &size, err));
    for (int32_t i = 0; i < head.data_files; i++)
        vectors[i].file_size = size;
    rwl_manifest *lines = rwl_arena_array(test_arena(), (size_t)head.manifest_count + 1, sizeof *lines);
    memcpy(lines, head.manifests, (size_t)head.manifest_count * sizeof *lines);
    lines[head.manifest_count] = test_manifest(t, 1, vectors, head.data_files);
    test_put_snapshot(t, lines, head.manifest_count + 1, "delete", "other", 0);
    test_close(t);
}

/* Calls `check` with every fragment that a plan over the table's head gives. */
static void each_fragment(const char *name, void (*check)(const rwl_fragment *f)) {
    rwl_table *t = test_open(name);
    rwl_driver driver = rwl_table_driver(t);
    rwl_planner *planner = NULL;
    ASSERT_OK(rwl_table_plan(t, &driver, test_op(), NULL, &planner, err));
    for (;;) {
        const rwl_fragment *f;
        ASSERT_OK(driver.vtable->plan_next(planner, &f, err));
        if (f == NULL)
            break;
        check(f);
    }
    driver.vtable->plan_close(planner);
    test_close(t);
}

START_TEST(ice_14_assignment_after_upgrade) {
    test_create("t", 2, columns, NULL, NULL);
    rwl_added_file a = test_fake_file("a.parquet", 100, 125, NULL),
                   c = test_fake_file("c.parquet", 100, 90, NULL);
    test_append_fakes("t", &a, 1);
    test_append_fakes("t", &c, 1);
    test_head before = test_read_head("t");
    rwl_upgrade_report report = test_upgrade("t", true);
    ck_assert_int_eq(report.assigned_rows, 215);
    test_head head = test_read_head("t");
    ck_assert_str_eq(head.operation, "append");
    ck_assert_int_eq(head.first_row_id, 0);
    ck_assert_int_eq(head.next_row_id, 215); /* 90 + 125 */
    ck_assert_int_eq(head.added_rows, 215);
    ck_assert_int_eq(head.manifest_count, 2);
    ck_assert_int_eq(head.manifests[0].first_row_id, 0);
    ck_assert_int_eq(head.manifests[1].first_row_id, 90);
    for (int32_t i = 0; i < 2; i++)
        ck_assert_str_eq(head.manifests[i].path, before.manifests[i].path);
    ck_assert_str_eq(test_live(&head, 0)->file.file_path, "c.parquet");
    ck_assert_int_eq(test_live(&head, 0)->file.first_row_id, 0);
    ck_assert_int_eq(test_live(&head, 1)->file.first_row_id, 90);
}
END_TEST

START_TEST(ice_19_version_after_upgrade_is_the_data_sequence_number) {
    test_create("t", 2, columns, NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}");
    test_rewrite("t", NULL);
    test_upgrade("t", true);
    test_head head = test_read_head("t");
    const rwl_manifest_entry *b = test_live(&head, 0);
    ck_assert_int_eq(b->sequence_number, 1);
    ck_assert_int_eq(b->file_sequence_number, 2);
    ck_assert(b->file.has_first_row_id);
    ck_assert_str_eq(test_rows("t"), "1,null=0/1 2,null=1/1");
}
END_TEST

START_TEST(ice_28_deleting_a_file_takes_no_ids) {
    test_create("t", 3, columns, NULL, NULL);
    rwl_added_file a = test_fake_file("a.parquet", 100, 30, NULL);
    test_append_fakes("t", &a, 1);
    rwl_removed_file gone = {.location = "a.parquet", .row_count = 30, .file_size = 100};
    rwl_change_set change = {.operation = RWL_OPERATION_DELETE,
                             .planned_snapshot_id = test_read_head("t").snapshot_id,
                             .data_sequence_number = -1,
                             .removed_files = &gone,
                             .removed_file_count = 1};
    test_commit("t", &change);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.first_row_id, 30);
    ck_assert_int_eq(head.added_rows, 0);
    ck_assert_int_eq(head.next_row_id, 30);
    ck_assert_int_eq(head.data_files, 0);
}
END_TEST

START_TEST(ice_28_delete_removes_a_file_with_its_vector_when_its_last_row_goes) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}");
    test_append("t", "{'id':3}");
    test_delete("t", "id = 1");
    rwl_commit_outcome out = test_delete("t", "id = 2");
    ck_assert_int_eq(out.result.removed_data_files, 1);
    ck_assert_int_eq(out.result.removed_delete_files, 1);
    ck_assert_int_eq(out.result.added_delete_files, 0);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.data_files, 1);
    ck_assert_int_eq(head.delete_files, 0);
    ck_assert_int_eq(head.next_row_id, 3);
    ck_assert_str_eq(test_rows("t"), "3,null=2/2");
}
END_TEST

START_TEST(ice_29_a_vector_takes_no_ids) {
    test_create("t", 3, columns, NULL, NULL);
    rwl_added_file a = test_fake_file("a.parquet", 1000, 30, NULL);
    test_append_fakes("t", &a, 1);
    rwl_added_vector v = {.data_file = "a.parquet",
                          .location = "dv.puffin",
                          .file_size = 100,
                          .length = 50,
                          .cardinality = 10,
                          .data_sequence_number = 1};
    rwl_change_set change = {.operation = RWL_OPERATION_DELETE,
                             .planned_snapshot_id = test_read_head("t").snapshot_id,
                             .data_sequence_number = -1,
                             .added_vectors = &v,
                             .added_vector_count = 1};
    test_commit("t", &change);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.first_row_id, 30);
    ck_assert_int_eq(head.added_rows, 0);
    ck_assert_int_eq(head.next_row_id, 30);
}
END_TEST

/* Two files of 30 rows become one: ours pins the manifest, Java's takes 60 more ids. */
static void replace_two(bool pin) {
    test_create("t", 3, columns, NULL, NULL);
    const rwl_added_file two[] = {test_fake_file("a.parquet", 100, 30, NULL),
                                  test_fake_file("b.parquet", 100, 30, NULL)};
    test_append_fakes("t", two, 2);
    test_head before = test_read_head("t");
    ck_assert_int_eq(before.first_row_id, 0);
    ck_assert_int_eq(before.added_rows, 60);
    ck_assert_int_eq(before.next_row_id, 60);
    rwl_added_file merged = test_fake_file("c.parquet", 200, 60, NULL);
    merged.lineage = (rwl_stored_lineage){.present = true, .min_id = 0, .max_id = 59};
    const rwl_removed_file gone[] = {{.location = "a.parquet", .row_count = 30, .file_size = 100},
                                     {.location = "b.parquet", .row_count = 30, .file_size = 100}};
    rwl_change_set change = {.operation = RWL_OPERATION_REPLACE,
                             .planned_snapshot_id = before.snapshot_id,
                             .data_sequence_number = 1,
                             .pin = pin,
                             .added_files = &merged,
                             .added_file_count = 1,
                             .removed_files = gone,
                             .removed_file_count = 2};
    test_commit("t", &change);
}

START_TEST(ice_31_replace_with_the_pin_takes_no_ids) {
    replace_two(true);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.first_row_id, 60);
    ck_assert_int_eq(head.added_rows, 0);
    ck_assert_int_eq(head.next_row_id, 60);
    ck_assert_int_eq(test_live(&head, 0)->file.first_row_id, 0);
}
END_TEST

START_TEST(ice_31_replace_without_the_pin_takes_a_range) {
    replace_two(false);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.first_row_id, 60);
    ck_assert_int_eq(head.added_rows, 60);
    ck_assert_int_eq(head.next_row_id, 120);
    ck_assert_int_eq(test_live(&head, 0)->file.first_row_id, 60);
}
END_TEST

START_TEST(ice_31_a_rewrite_without_the_pin_reads_the_same) {
    create_small("t", 3, NULL);
    append_files("t", 2, 3, 0);
    const char *rows = test_rows("t");
    rwl_rewrite_options o = {.rewrite_all = true, .no_pin = true, .target_bytes = 1 << 20};
    test_rewrite("t", &o);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.next_row_id, 12); /* 6 rows, 6 more ids */
    ck_assert_str_eq(test_rows("t"), rows);
}
END_TEST

START_TEST(ice_78_four_files_of_one_commit) {
    create_small("t", 3, NULL);
    append_files("t", 4, 3, 0);
    const char *rows = test_rows("t");
    ck_assert_ptr_nonnull(strstr(rows, "11,p3=11/1"));
    rwl_rewrite_options o = {.rewrite_all = true, .target_bytes = 1 << 20};
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.commit.result.removed_data_files, 4);
    ck_assert_int_eq(out.commit.result.added_data_files, 1);
    ck_assert_str_eq(test_rows("t"), rows);
}
END_TEST

START_TEST(ice_79_four_partitions_of_two_files) {
    create_small("t", 3, "name");
    append_files("t", 8, 3, 0);
    const char *rows = test_sorted(test_rows("t"));
    rwl_rewrite_options o = {.rewrite_all = true, .target_bytes = 1 << 20};
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.commit.result.removed_data_files, 8);
    ck_assert_int_eq(out.commit.result.added_data_files, 4);
    ck_assert_str_eq(test_sorted(test_rows("t")), rows);
}
END_TEST

START_TEST(ice_80_files_with_vectors_are_chosen) {
    create_small("t", 3, NULL);
    append_files("t", 8, 4, 0);
    /* position 0 of files 0 to 2, positions 0 and 1 of files 3 and 4 */
    test_delete("t", "id in (0, 4, 8, 12, 13, 16, 17)");
    const char *rows = test_sorted(test_rows("t"));
    rwl_rewrite_options o = by_deletes();
    o.delete_files = 1;
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.commit.result.removed_data_files, 5);
    ck_assert_int_eq(out.commit.result.removed_delete_files, 5);
    ck_assert_int_eq(out.rewrite.rows_in, 13); /* 5 x 4 - 7 */
    ck_assert_str_eq(test_sorted(test_rows("t")), rows);
    ck_assert_int_eq(test_read_head("t").next_row_id, 32);
}
END_TEST

START_TEST(ice_81_compaction_before_the_upgrade_keeps_the_number) {
    create_small("t", 2, NULL);
    append_files("t", 2, 2, 0);
    rwl_rewrite_options o = {.rewrite_all = true, .target_bytes = 1 << 20};
    test_rewrite("t", &o);
    test_head head = test_read_head("t");
    ck_assert_int_eq(test_live(&head, 0)->sequence_number, 1);
    ck_assert_int_eq(test_live(&head, 0)->file_sequence_number, 2);
    test_upgrade("t", true);
    ck_assert_str_eq(test_rows("t"), "0,p0=0/1 1,p0=1/1 2,p1=2/1 3,p1=3/1");
}
END_TEST

START_TEST(ice_82_ten_files_of_one_row) {
    create_small("t", 3, NULL);
    append_files("t", 10, 1, 0);
    const char *rows = test_rows("t");
    rwl_rewrite_options o = {.target_bytes = 1 << 20};
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.rewrite.input_files, 10);
    ck_assert_int_eq(out.commit.result.added_data_files, 1);
    ck_assert_str_eq(test_rows("t"), rows);
}
END_TEST

START_TEST(ice_83_four_commits_of_one_row) {
    test_create("t", 3, columns, NULL, NULL);
    for (int i = 0; i < 4; i++)
        test_append("t", rwl_arena_printf(test_arena(), "{'id':%d,'name':'%c'}", i + 1, 'a' + i));
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,a=0/1 2,b=1/2 3,c=2/3 4,d=3/4");
    test_rewrite("t", NULL);
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,a=0/1 2,b=1/2 3,c=2/3 4,d=3/4");
    ck_assert_int_eq(test_read_head("t").data_files, 1);
}
END_TEST

START_TEST(ice_89_half_deleted_files_are_rewritten_for_their_deletes) {
    create_small("t", 3, NULL);
    append_files("t", 5, 20, 0);
    foreign_vectors("t", 10);
    const char *rows = test_sorted(test_rows("t"));
    rwl_rewrite_options o = by_deletes();
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.rewrite.input_files, 5);
    ck_assert_int_eq(out.commit.result.removed_delete_files, 5);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.data_files, 1);
    ck_assert_int_eq(head.delete_files, 0);
    ck_assert_str_eq(test_sorted(test_rows("t")), rows);
}
END_TEST

START_TEST(ice_90_more_positions_than_rows_count_as_all) {
    create_small("t", 3, NULL);
    append_files("t", 5, 20, 0);
    foreign_vectors("t", 1000);
    rwl_rewrite_options o = by_deletes();
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.rewrite.input_files, 5);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.data_files, 0);
    ck_assert_int_eq(head.delete_files, 0);
}
END_TEST

START_TEST(ice_91_forty_percent_is_enough) {
    create_small("t", 3, NULL);
    append_files("t", 5, 20, 0);
    foreign_vectors("t", 8);
    rwl_rewrite_options o = by_deletes();
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.rewrite.input_files, 5);
    ck_assert_int_eq(test_read_head("t").data_files, 1);
}
END_TEST

START_TEST(ice_92_a_quarter_is_not) {
    create_small("t", 3, NULL);
    append_files("t", 5, 20, 0);
    foreign_vectors("t", 5);
    rwl_rewrite_options o = by_deletes();
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.rewrite.groups, 0);
    ck_assert_int_eq(out.rewrite.skipped_right_size, 5);
    ck_assert_int_eq(out.commit.result.snapshot_id, -1);
}
END_TEST

START_TEST(ice_93_outputs_carry_the_number_they_started_from) {
    create_small("t", 3, "name");
    append_files("t", 8, 2, 0);
    int64_t started = test_read_head("t").last_sequence_number;
    rwl_rewrite_options o = {.rewrite_all = true, .target_bytes = 1 << 20};
    test_rewrite("t", &o);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.data_files, 4);
    ck_assert_int_gt(head.last_sequence_number, started);
    for (int32_t i = 0; i < head.entry_count; i++) {
        const rwl_manifest_entry *e = &head.entries[i];
        if (e->status != RWL_STATUS_ADDED)
            continue;
        ck_assert_int_eq(e->stored_sequence_number, started);
        ck_assert_int_eq(e->stored_file_sequence_number, -1);
        ck_assert(!e->file.stored_has_first_row_id);
    }
    for (int32_t i = 0; i < head.manifest_count; i++)
        if (head.manifests[i].added_files > 0)
            ck_assert_int_eq(head.manifests[i].min_sequence_number, started);
}
END_TEST

START_TEST(ice_94_all_rows_deleted_by_a_vector) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}\n{'id':3}");
    foreign_vectors("t", 3);
    rwl_rewrite_options o = by_deletes();
    o.delete_files = 1;
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.commit.result.removed_data_files, 1);
    ck_assert_int_eq(out.commit.result.added_data_files, 0);
    test_head head = test_read_head("t");
    int64_t existing = 0, deleted = 0, delete_rows = 0;
    for (int32_t i = 0; i < head.manifest_count; i++) {
        const rwl_manifest *m = &head.manifests[i];
        if (m->content == 0) {
            existing += m->existing_files + m->added_files;
            deleted += m->deleted_files;
        } else {
            delete_rows += m->added_rows + m->existing_rows;
        }
    }
    ck_assert_int_eq(existing, 0);
    ck_assert_int_eq(deleted, 1);
    ck_assert_int_eq(delete_rows, 0);
    ck_assert_str_eq(test_rows("t"), "");
}
END_TEST

static int64_t live_vector_rows(const char *name, int32_t *vectors, int32_t *files) {
    test_head head = test_read_head(name);
    int64_t rows = 0;
    *vectors = *files = 0;
    for (int32_t i = 0; i < head.entry_count; i++) {
        const rwl_manifest_entry *e = &head.entries[i];
        if (e->status == RWL_STATUS_DELETED || e->file.content == RWL_CONTENT_DATA)
            continue;
        bool vector = e->file.content_offset >= 0;
        ++*(vector ? vectors : files);
        rows += vector ? e->file.record_count : 0;
    }
    return rows;
}

START_TEST(ice_110_a_second_vector_holds_the_first) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}\n{'id':3}\n{'id':4}");
    test_delete("t", "id = 2");
    rwl_commit_outcome out = test_delete("t", "id = 3");
    ck_assert_int_eq(out.result.added_delete_files, 1);
    ck_assert_int_eq(out.result.removed_delete_files, 1);
    int32_t vectors, files;
    ck_assert_int_eq(live_vector_rows("t", &vectors, &files), 2);
    ck_assert_int_eq(vectors, 1);
    ck_assert_str_eq(test_rows("t"), "1,null=0/1 4,null=3/1");
}
END_TEST

START_TEST(ice_111_a_file_scoped_position_delete_goes_into_the_vector) {
    test_create("t", 2, columns, NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}\n{'id':3}");
    rwl_table *t = test_open("t");
    test_head head = test_read_head("t");
    const char *path = test_live(&head, 0)->file.file_path;
    rwl_data_file deletes = test_position_deletes(t, "d.parquet", &path, &(int64_t){0}, 1);
    rwl_manifest lines[] = {head.manifests[0], test_manifest(t, 1, &deletes, 1)};
    test_put_snapshot(t, lines, 2, "delete", "other", 0);
    test_close(t);
    test_upgrade("t", true);
    rwl_commit_outcome out = test_delete("t", "id = 2");
    ck_assert_int_eq(out.result.removed_delete_files, 1);
    int32_t vectors, files;
    ck_assert_int_eq(live_vector_rows("t", &vectors, &files), 2); /* {0, 1} */
    ck_assert_int_eq(vectors, 1);
    ck_assert_int_eq(files, 0);
    ck_assert_str_eq(test_rows("t"), "3,null=2/1");
}
END_TEST

/* Two files; a position delete file of {0, 1} in the first and {0} in the second, which stays. */
static void shared_position_deletes(const char *name) {
    test_create(name, 2, columns, NULL, NULL);
    test_append(name, "{'id':1}\n{'id':2}\n{'id':3}");
    test_append(name, "{'id':4}\n{'id':5}\n{'id':6}");
    rwl_table *t = test_open(name);
    test_head head = test_read_head(name);
    const char *first = test_live(&head, 1)->file.file_path, *second = test_live(&head, 0)->file.file_path;
    const char *paths[] = {first, first, second};
    const int64_t positions[] = {0, 1, 0};
    rwl_data_file deletes = test_position_deletes(t, "d.parquet", paths, positions, 3);
    rwl_manifest lines[] = {head.manifests[0], head.manifests[1], test_manifest(t, 1, &deletes, 1)};
    test_put_snapshot(t, lines, 3, "delete", "other", 0);
    test_close(t);
    ck_assert_str_eq(test_sorted(test_values(name, "id")), "3 5 6");
    test_upgrade(name, true);
}

static void has_one_delete(const rwl_fragment *f) {
    ck_assert_int_eq(f->delete_count, 1);
}

START_TEST(ice_112_a_shared_position_delete_file_stays) {
    shared_position_deletes("t");
    rwl_commit_outcome out = test_delete("t", "id = 5");
    ck_assert_int_eq(out.result.removed_delete_files, 0);
    ck_assert_int_eq(out.result.added_delete_files, 1);
    int32_t vectors, files;
    ck_assert_int_eq(live_vector_rows("t", &vectors, &files), 2); /* {0, 1} */
    ck_assert_int_eq(vectors, 1);
    ck_assert_int_eq(files, 1);
    ck_assert_str_eq(test_sorted(test_values("t", "id")), "3 6");
    /* planning: the first file keeps the position file, the second has its vector alone */
    each_fragment("t", has_one_delete);
}
END_TEST

START_TEST(ice_112_a_rewrite_leaves_a_position_file_that_may_name_another_file) {
    shared_position_deletes("t");
    const char *rows = test_sorted(test_rows("t"));
    rwl_rewrite_options o = {.rewrite_all = true, .where = "id <= 3"};
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.rewrite.input_files, 1);
    ck_assert_int_eq(out.commit.result.removed_delete_files, 0);
    ck_assert_str_eq(test_sorted(test_rows("t")), rows);
    int32_t vectors, files;
    live_vector_rows("t", &vectors, &files);
    ck_assert_int_eq(files, 1);
}
END_TEST

START_TEST(x2_compaction_of_compaction_output) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}");
    test_append("t", "{'id':3}\n{'id':4}");
    rwl_rewrite_options o = {.rewrite_all = true, .no_pin = true}; /* a second first_row_id, 4 */
    test_rewrite("t", &o);
    test_append("t", "{'id':5}");
    const char *rows = test_sorted(test_rows("t"));
    ck_assert_str_eq(rows, "1,null=0/1 2,null=1/1 3,null=2/2 4,null=3/2 5,null=8/4");
    test_rewrite("t", NULL);
    ck_assert_str_eq(test_sorted(test_rows("t")), rows);
    ck_assert_int_eq(test_read_head("t").next_row_id, 9);
}
END_TEST

START_TEST(x3_files_without_first_row_id_among_others) {
    test_create("t", 3, columns, NULL, NULL);
    for (int i = 0; i < 3; i++)
        test_append("t", rwl_arena_printf(test_arena(), "{'id':%d}\n{'id':%d}", 2 * i, 2 * i + 1));
    test_head head = test_read_head("t");
    rwl_manifest lines[3];
    for (int32_t i = 0; i < 3; i++) {
        lines[i] = head.manifests[i];
        lines[i].has_first_row_id = lines[i].first_row_id == 2; /* the others lose theirs */
    }
    rwl_table *t = test_open("t");
    test_put_snapshot(t, lines, 3, "append", "other", 0);
    test_close(t);
    ck_assert_str_eq(
        test_sorted(test_rows("t")),
        "0,null=null/null 1,null=null/null 2,null=2/2 3,null=3/2 4,null=null/null 5,null=null/null");
    test_rewritten out = test_rewrite("t", NULL);
    ck_assert_int_eq(out.rewrite.assigned_snapshot_id, -1);
    ck_assert_int_eq(out.rewrite.rows_without_lineage, 4);
    /* four rows take ids 6..9 and keep the numbers of their commits, 1 and 3 */
    const char *rows = test_sorted(test_rows("t"));
    ck_assert_ptr_nonnull(strstr(rows, "2,null=2/2 3,null=3/2"));
    head = test_read_head("t");
    ck_assert_int_eq(head.next_row_id, 10);
    for (int i = 0; i < 6; i++) {
        if (i == 2 || i == 3)
            continue;
        const char *at = strstr(rows, rwl_arena_printf(test_arena(), "%d,null=", i));
        char *end;
        long id = strtol(at + 7, &end, 10);
        ck_assert_int_ge(id, 6);
        ck_assert_int_eq(strtol(end + 1, NULL, 10), i < 2 ? 1 : 3);
    }
}
END_TEST

START_TEST(x12_a_concurrent_vector_on_an_input_fails_the_rewrite) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}\n{'id':3}");
    rwl_table *planned = test_open("t");
    rwl_commit_outcome deleted = test_delete("t", "id = 2");
    const char *before = test_listing("t");
    rwl_rewrite_options o = {.rewrite_all = true};
    test_rewritten out;
    ASSERT_FAILS(RWL_CONFLICT, rwl_arena_printf(test_arena(), "%lld", (long long)deleted.result.snapshot_id),
                 rwl_rewrite(planned, test_op(), &o, &out.commit, &out.rewrite, err));
    ck_assert_int_eq(out.commit.conflict_count, 1);
    ck_assert_int_eq(out.commit.conflicts[0].snapshot_id, deleted.result.snapshot_id);
    ck_assert_int_eq(strncmp(out.commit.conflicts[0].engine, "rowline", 7), 0);
    ck_assert_ptr_nonnull(strstr(out.commit.conflicts[0].file, ".parquet"));
    ck_assert_str_eq(test_listing("t"), before);
    test_close(planned);
    ck_assert_str_eq(test_rows("t"), "1,null=0/1 3,null=2/1");
}
END_TEST

static void deleted_by_equality_if_old(const rwl_fragment *f) {
    ck_assert_int_eq(f->delete_count, f->row_count == 3 ? 1 : 0);
}

/* Rows 1, 2, 3 at sequence 1; the rewrite starts; delete of id 2 (2), append of 4 (3); the rewrite commits at 4. The delete
 * must go on applying to the new file (1 < 2) and not to the append (3): result 1, 3, 4. */
START_TEST(x14_a_concurrent_equality_delete_survives_the_rewrite) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}\n{'id':3,'name':'c'}");
    rwl_table *planned = test_open("t");
    const int64_t gone[] = {2};
    test_delete_by_equality("t", "eq.parquet", gone, 1);
    test_append("t", "{'id':4,'name':'d'}");
    rwl_rewrite_options o = {.rewrite_all = true};
    test_rewritten out;
    ASSERT_OK(rwl_rewrite(planned, test_op(), &o, &out.commit, &out.rewrite, err));
    test_close(planned);
    ck_assert_int_eq(out.commit.result.sequence_number, 4);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.data_files, 2);
    ck_assert_int_eq(head.delete_files, 1);
    for (int32_t i = 0; i < head.entry_count; i++) {
        const rwl_manifest_entry *e = &head.entries[i];
        if (e->status == RWL_STATUS_DELETED)
            continue;
        if (e->file.content == RWL_CONTENT_EQUALITY_DELETES)
            ck_assert_int_eq(e->sequence_number, 2);
        else
            ck_assert_int_eq(e->sequence_number, e->file.record_count == 3 ? 1 : 3);
    }
    each_fragment("t", deleted_by_equality_if_old);
    ck_assert_str_eq(test_sorted(test_values("t", NULL)), "1,a 3,c 4,d");
}
END_TEST

START_TEST(equality_deletes_that_apply_are_carried_out) {
    const int64_t gone[] = {1};
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}");
    test_delete_by_equality("t", "eq.parquet", gone, 1);
    test_rewrite("t", NULL);
    ck_assert_str_eq(test_rows("t"), "2,b=1/1");
}
END_TEST

Suite *suite_iceberg_cases(void) {
    const TTest *const tests[] = {
        ice_14_assignment_after_upgrade,
        ice_19_version_after_upgrade_is_the_data_sequence_number,
        ice_28_deleting_a_file_takes_no_ids,
        ice_28_delete_removes_a_file_with_its_vector_when_its_last_row_goes,
        ice_29_a_vector_takes_no_ids,
        ice_31_replace_with_the_pin_takes_no_ids,
        ice_31_replace_without_the_pin_takes_a_range,
        ice_31_a_rewrite_without_the_pin_reads_the_same,
        ice_78_four_files_of_one_commit,
        ice_79_four_partitions_of_two_files,
        ice_80_files_with_vectors_are_chosen,
        ice_81_compaction_before_the_upgrade_keeps_the_number,
        ice_82_ten_files_of_one_row,
        ice_83_four_commits_of_one_row,
        ice_89_half_deleted_files_are_rewritten_for_their_deletes,
        ice_90_more_positions_than_rows_count_as_all,
        ice_91_forty_percent_is_enough,
        ice_92_a_quarter_is_not,
        ice_93_outputs_carry_the_number_they_started_from,
        ice_94_all_rows_deleted_by_a_vector,
        ice_110_a_second_vector_holds_the_first,
        ice_111_a_file_scoped_position_delete_goes_into_the_vector,
        ice_112_a_shared_position_delete_file_stays,
        ice_112_a_rewrite_leaves_a_position_file_that_may_name_another_file,
        x2_compaction_of_compaction_output,
        x3_files_without_first_row_id_among_others,
        x12_a_concurrent_vector_on_an_input_fails_the_rewrite,
        x14_a_concurrent_equality_delete_survives_the_rewrite,
        equality_deletes_that_apply_are_carried_out,
    };
    return TEST_SUITE("iceberg cases", tests);
}
