/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cases of a lineage-keeping rewrite (BIRD-01 to 30): tables that icebird made where there are some, else tables built
 * here. Rows are written "columns=_row_id/_last_updated_sequence_number", in scan order.
 */
#include "../unit/engine/engine_test.h"
#include "suites.h"

#include <stdlib.h>

#include "parquet/file.h"

static const char columns[] = "id long not null, name string";
#define BY_ID "id asc nulls last"

/* Three appends that leave ids 0..5 out of the order of `id`. */
static void six_rows(const char *name) {
    test_append(name, "{'id':5,'name':'e'}\n{'id':2,'name':'b'}");
    test_append(name, "{'id':1,'name':'a'}\n{'id':6,'name':'f'}");
    test_append(name, "{'id':4,'name':'d'}\n{'id':3,'name':'c'}");
}

/* "Sorted": appends sort inside a file, so 2 comes before 5. */
#define L6_SORTED "1,a=2/2 2,b=0/1 3,c=4/3 4,d=5/3 5,e=1/1 6,f=3/2"

static rwl_rewrite_options sorted(int64_t target) {
    return (rwl_rewrite_options){.rewrite_all = true, .sort = BY_ID, .target_bytes = target};
}

static void check_bounds(const test_head *head, const int64_t (*wanted)[2], int32_t count) {
    ck_assert_int_eq(head->data_files, count);
    for (int32_t i = 0; i < count; i++) {
        const rwl_data_file *f = &test_live(head, i)->file;
        ck_assert_int_eq(test_bound(f, 1, false), wanted[i][0]);
        ck_assert_int_eq(test_bound(f, 1, true), wanted[i][1]);
    }
}

START_TEST(bird_01_merges_files_and_sorts_globally) {
    test_create("t", 2, columns, NULL, BY_ID);
    six_rows("t");
    test_head before = test_read_head("t");
    ck_assert_int_eq(before.data_files, 3);
    rwl_rewrite_options o = sorted(0);
    test_rewrite("t", &o);
    test_head after = test_read_head("t");
    ck_assert_int_eq(after.data_files, 1);
    ck_assert_str_eq(test_values("t", NULL), "1,a 2,b 3,c 4,d 5,e 6,f");
    ck_assert_int_eq(test_live(&after, 0)->file.sort_order_id, 1);
}
END_TEST

START_TEST(bird_01_golden_table_merges_too) {
    if (!test_golden("v2_rewrite", 4))
        return;
    const char *before = test_sorted(test_values("golden/v2_rewrite", NULL));
    rwl_rewrite_options o = sorted(0);
    test_rewrite("golden/v2_rewrite", &o);
    ck_assert_str_eq(test_values("golden/v2_rewrite", NULL), before);
    ck_assert_int_eq(test_read_head("golden/v2_rewrite").data_files, 1);
}
END_TEST

START_TEST(bird_02_split_files_have_bounds_that_do_not_overlap) {
    test_create("t", 2, columns, NULL, BY_ID);
    six_rows("t");
    rwl_rewrite_options o = sorted(test_target(test_bytes("t"), 3));
    test_rewrite("t", &o);
    test_head head = test_read_head("t");
    static const int64_t wanted[][2] = {{1, 2}, {3, 4}, {5, 6}};
    check_bounds(&head, wanted, 3);
}
END_TEST

START_TEST(bird_03_position_deletes_are_consumed) {
    test_create("t", 2, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}\n{'id':3,'name':'c'}");
    rwl_table *t = test_open("t");
    test_head head = test_read_head("t");
    const char *path = test_live(&head, 0)->file.file_path;
    rwl_data_file deletes = test_position_deletes(t, "d.parquet", &path, &(int64_t){1}, 1);
    rwl_manifest lines[] = {head.manifests[0], test_manifest(t, 1, &deletes, 1)};
    test_put_snapshot(t, lines, 2, "delete", NULL, 0);
    test_close(t);
    ck_assert_int_eq(test_read_head("t").delete_files, 1);
    test_rewritten out = test_rewrite("t", NULL);
    test_head after = test_read_head("t");
    ck_assert_str_eq(test_values("t", NULL), "1,a 3,c");
    ck_assert_int_eq(after.delete_files, 0);
    ck_assert_int_eq(after.data_files, 1);
    ck_assert_int_eq(out.commit.result.removed_delete_files, 1);
    ck_assert_int_eq(test_figure(&after, "removed-position-deletes"), 1);
}
END_TEST

START_TEST(bird_03_golden_position_delete_is_consumed) {
    if (!test_golden("v2_rewrite_posdel", 3))
        return;
    ck_assert_int_eq(test_read_head("golden/v2_rewrite_posdel").delete_files, 1);
    test_rewrite("golden/v2_rewrite_posdel", NULL);
    test_head head = test_read_head("golden/v2_rewrite_posdel");
    ck_assert_str_eq(test_values("golden/v2_rewrite_posdel", NULL), "1,a 3,c");
    ck_assert_int_eq(head.delete_files, 0);
    ck_assert_int_eq(head.data_files, 1);
}
END_TEST

/* icebird asks for spec 1 by an option; ours writes the default spec, so the table's default is made 1 first. */
static void make_default_spec_1(const char *name) {
    const char *path = rwl_arena_printf(test_arena(), "%s/metadata/v3.metadata.json", test_path(name));
    rwl_store *store = NULL;
    rwl_json *json = NULL;
    rwl_buf text;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_store_local_new(test_env(), NULL, 0, &store, err));
    ASSERT_OK(rwl_store_read_all(store, test_op(), path, &text, err));
    ASSERT_OK(rwl_json_parse(rwl_buf_span(&text), &json, err));
    ASSERT_OK(rwl_json_set(json, "default-spec-id", rwl_json_new_i64(1), err));
    rwl_buf_reset(&text);
    ASSERT_OK(rwl_json_dump(json, 0, &text, err));
    ASSERT_OK(rwl_store_replace(store, test_op(), path, rwl_buf_span(&text), err));
    rwl_json_free(json);
    rwl_buf_clear(&text);
    rwl_store_free(store);
}

START_TEST(bird_04_files_of_an_older_spec_are_split_by_the_new_one) {
    if (!test_golden("v2_rewrite_evolve", 3))
        return;
    make_default_spec_1("golden/v2_rewrite_evolve");
    test_rewrite("golden/v2_rewrite_evolve", NULL);
    test_head head = test_read_head("golden/v2_rewrite_evolve");
    ck_assert_int_eq(head.data_files, 2);
    const char *seen = "";
    for (int32_t i = 0; i < 2; i++) {
        const rwl_data_file *f = &test_live(&head, i)->file;
        ck_assert_int_eq(f->spec_id, 1);
        rwl_span name = f->partition[0].as.bytes;
        seen = rwl_arena_printf(test_arena(), "%s%s%.*s", seen, i > 0 ? " " : "", (int)name.len,
                                (const char *)name.data);
    }
    ck_assert_str_eq(test_sorted(seen), "x y");
    ck_assert_str_eq(test_sorted(test_values("golden/v2_rewrite_evolve", NULL)), "1,x 2,y 3,x 4,y");
}
END_TEST

START_TEST(bird_07_lineage_survives_a_sorted_rewrite) {
    test_create("t", 3, columns, NULL, BY_ID);
    six_rows("t");
    ck_assert_int_eq(test_read_head("t").next_row_id, 6);
    rwl_rewrite_options o = sorted(0);
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.commit.result.first_row_id, 6);
    ck_assert_int_eq(out.commit.result.added_rows, 0);
    ck_assert_int_eq(out.rewrite.next_row_id_before, 6);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.next_row_id, 6);
    ck_assert_int_eq(head.first_row_id, 6);
    ck_assert_int_eq(head.added_rows, 0);
    ck_assert_str_eq(head.operation, "replace");
    ck_assert_str_eq(test_rows("t"), L6_SORTED);
    int32_t live = 0;
    for (int32_t i = 0; i < head.manifest_count; i++) {
        if (head.manifests[i].added_files == 0 && head.manifests[i].existing_files == 0)
            continue; /* tells only what was removed */
        live++;
        ck_assert(head.manifests[i].has_first_row_id);
        ck_assert_int_eq(head.manifests[i].first_row_id, 0);
    }
    ck_assert_int_eq(live, 1);
}
END_TEST

/* The golden table's appends are icebird's, so its own figures hold: v4 is the state before its rewrite. */
START_TEST(bird_07_golden_lineage_survives) {
    if (!test_golden("v3_rewrite", 4))
        return;
    rwl_rewrite_options o = sorted(0);
    test_rewrite("golden/v3_rewrite", &o);
    ck_assert_str_eq(test_rows("golden/v3_rewrite"), L6_SORTED);
    ck_assert_int_eq(test_read_head("golden/v3_rewrite").next_row_id, 6);
}
END_TEST

START_TEST(bird_08_split_output_keeps_lineage) {
    test_create("t", 3, columns, NULL, BY_ID);
    six_rows("t");
    rwl_rewrite_options o = sorted(test_target(test_bytes("t"), 3));
    test_rewrite("t", &o);
    test_head head = test_read_head("t");
    static const int64_t wanted[][2] = {{1, 2}, {3, 4}, {5, 6}};
    check_bounds(&head, wanted, 3);
    ck_assert_str_eq(test_rows("t"), L6_SORTED);
    ck_assert_int_eq(head.next_row_id, 6);
}
END_TEST

START_TEST(bird_09_a_vector_is_consumed_and_its_id_retired) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}\n{'id':3,'name':'c'}");
    test_delete("t", "id = 2");
    ck_assert_int_eq(test_read_head("t").delete_files, 1);
    test_rewrite("t", NULL);
    test_head head = test_read_head("t");
    ck_assert_str_eq(test_rows("t"), "1,a=0/1 3,c=2/1");
    ck_assert_int_eq(head.delete_files, 0);
    ck_assert_int_eq(head.data_files, 1);
    ck_assert_int_eq(head.next_row_id, 3);
    ck_assert_int_eq(test_figure(&head, "removed-dvs"), 1);
}
END_TEST

START_TEST(bird_10_an_append_after_a_rewrite_continues_the_ids) {
    test_create("t", 3, columns, NULL, BY_ID);
    six_rows("t");
    rwl_rewrite_options o = sorted(0);
    test_rewrite("t", &o);
    test_append("t", "{'id':7,'name':'g'}\n{'id':8,'name':'h'}");
    ck_assert_int_eq(test_read_head("t").next_row_id, 8);
    ck_assert_str_eq(test_sorted(test_rows("t")), L6_SORTED " 7,g=6/5 8,h=7/5");
}
END_TEST

START_TEST(bird_11_a_rewrite_of_a_rewrite_keeps_lineage) {
    test_create("t", 3, columns, NULL, BY_ID);
    six_rows("t");
    rwl_rewrite_options o = sorted(0);
    test_rewrite("t", &o);
    o = sorted(test_target(test_bytes("t"), 2));
    test_rewrite("t", &o);
    test_head head = test_read_head("t");
    static const int64_t wanted[][2] = {{1, 3}, {4, 6}};
    check_bounds(&head, wanted, 2);
    ck_assert_str_eq(test_rows("t"), L6_SORTED);
    ck_assert_int_eq(head.next_row_id, 6);
}
END_TEST

START_TEST(bird_12_an_upgraded_table_gets_ids_with_the_numbers_of_its_commits) {
    test_create("t", 2, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}\n{'id':3,'name':'c'}");
    test_upgrade("t", false);
    ck_assert_str_eq(test_rows("t"), "1,a=null/null 2,b=null/null 3,c=null/null");
    ck_assert_int_eq(test_read_head("t").next_row_id, 0);
    test_rewritten out = test_rewrite("t", NULL);
    ck_assert_int_ge(out.rewrite.assigned_snapshot_id, 0);
    ck_assert_int_eq(out.rewrite.assigned_rows, 3);
    ck_assert_int_eq(out.rewrite.next_row_id_before, 3);
    ck_assert_str_eq(test_rows("t"), "1,a=0/1 2,b=1/1 3,c=2/1");
    ck_assert_int_eq(test_read_head("t").next_row_id, 3);
}
END_TEST

START_TEST(bird_12_golden_upgraded_table_too) {
    if (!test_golden("v3_upgraded_rewrite", 3))
        return;
    ck_assert_int_eq(test_read_head("golden/v3_upgraded_rewrite").format_version, 3);
    test_rewrite("golden/v3_upgraded_rewrite", NULL);
    ck_assert_str_eq(test_rows("golden/v3_upgraded_rewrite"), "1,a=0/1 2,b=1/1 3,c=2/1");
    ck_assert_int_eq(test_read_head("golden/v3_upgraded_rewrite").next_row_id, 3);
}
END_TEST

START_TEST(bird_14_one_call_does_it_all) {
    test_create("t", 2, columns, NULL, BY_ID);
    test_append("t", "{'id':3,'name':'c'}\n{'id':1,'name':'a'}");
    test_append("t", "{'id':2,'name':'b'}");
    rwl_rewrite_options o = sorted(0);
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.commit.attempts, 1);
    ck_assert_str_eq(test_values("t", "id"), "1 2 3");
    ck_assert_int_eq(test_read_head("t").data_files, 1);
}
END_TEST

/* Two sorted appends (3,1) and (4,2); then the second manifest loses its first_row_id. */
static void mixed_lineage(const char *name) {
    test_create(name, 3, columns, NULL, BY_ID);
    test_append(name, "{'id':3}\n{'id':1}");
    test_append(name, "{'id':4}\n{'id':2}");
    test_head head = test_read_head(name);
    rwl_manifest lines[2];
    for (int32_t i = 0; i < 2; i++) {
        lines[i] = head.manifests[i];
        if (lines[i].first_row_id == 2)
            lines[i].has_first_row_id = false;
    }
    rwl_table *t = test_open(name);
    test_put_snapshot(t, lines, 2, "append", NULL, 0);
    test_close(t);
}

/* Ours: rows without lineage go to a manifest of their own, so only they take ids, and keep their commit's number. */
START_TEST(bird_15_of_mixed_lineage_only_rows_without_ids_take_some) {
    mixed_lineage("t");
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,null=0/1 2,null=null/null 3,null=1/1 4,null=null/null");
    ck_assert_int_eq(test_read_head("t").next_row_id, 4);
    rwl_rewrite_options o = sorted(0);
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,null=0/1 2,null=4/2 3,null=1/1 4,null=5/2");
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.next_row_id, 6);
    ck_assert_int_eq(out.commit.result.added_rows, 2);
    ck_assert_int_eq(out.rewrite.rows_without_lineage, 2);
}
END_TEST

START_TEST(bird_16_every_row_deleted_leaves_no_file_and_ids_go_on) {
    if (!test_golden("v3_dv_all", 3))
        return;
    ck_assert_str_eq(test_rows("golden/v3_dv_all"), "");
    test_rewritten out = test_rewrite("golden/v3_dv_all", NULL);
    test_head head = test_read_head("golden/v3_dv_all");
    ck_assert_int_ge(out.commit.result.snapshot_id, 0);
    ck_assert_str_eq(head.operation, "replace");
    ck_assert_int_eq(head.data_files, 0);
    ck_assert_int_eq(head.delete_files, 0);
    ck_assert_int_eq(head.added_rows, 0);
    ck_assert_int_eq(head.next_row_id, 3);
    ck_assert_str_eq(test_rows("golden/v3_dv_all"), "");
    test_append("golden/v3_dv_all", "{'id':9}");
    ck_assert_int_eq(test_read_head("golden/v3_dv_all").next_row_id, 4);
    ck_assert_ptr_nonnull(strstr(test_rows("golden/v3_dv_all"), "=3/"));
}
END_TEST

/* Version 5 of the golden table is its state after the v3 append, which gave 3 to the new rows. */
START_TEST(bird_17_upgrade_append_rewrite) {
    if (!test_golden("v3_upgraded_append", 5))
        return;
    rwl_rewrite_options o = sorted(0);
    test_rewritten out = test_rewrite("golden/v3_upgraded_append", &o);
    ck_assert_str_eq(test_rows("golden/v3_upgraded_append"),
                     "5,new=3/3 10,old=0/1 20,old=2/2 25,new=4/3 30,old=1/1");
    ck_assert_int_eq(out.commit.result.added_rows, 0);
    ck_assert_int_eq(test_read_head("golden/v3_upgraded_append").next_row_id, 5);
}
END_TEST

START_TEST(bird_18_removed_files_of_an_upgraded_manifest_take_no_ids) {
    test_create("t", 2, "id long", NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}\n{'id':3}");
    test_append("t", "{'id':4}\n{'id':5}");
    rwl_table *t = test_open("t");
    test_head head = test_read_head("t");
    /* one manifest: DELETED f0 (3 rows), EXISTING f1 (2 rows) */
    const rwl_manifest_entry *f0 = test_live(&head, 1), *f1 = test_live(&head, 0);
    ck_assert_int_eq(f0->file.record_count, 3);
    rwl_manifest_writer_options options = {.format_version = 2,
                                           .schema = t->metadata->schema,
                                           .spec = t->metadata->spec,
                                           .snapshot_id = 1000 + t->version,
                                           .codec = RWL_CODEC_DEFLATE};
    rwl_manifest_writer *w = NULL;
    rwl_manifest line;
    const char *path = rwl_arena_printf(test_arena(), "%s/metadata/kept.avro", t->metadata->location);
    ASSERT_OK(rwl_manifest_writer_open(t->store, test_op(), path, &options, &w, err));
    ASSERT_OK(rwl_manifest_writer_carry(w, f0, RWL_STATUS_DELETED, err));
    ASSERT_OK(rwl_manifest_writer_carry(w, f1, RWL_STATUS_EXISTING, err));
    ASSERT_OK(rwl_manifest_writer_finish(w, test_arena(), &line, err));
    test_put_snapshot(t, &line, 1, "delete", NULL, 0);
    test_close(t);
    test_upgrade("t", false);
    test_append("t", "{'id':6}\n{'id':7}");
    /* new data comes first in the list: Java's order gives 4→0, 5→1, 6→2, 7→3; list order decides, the three rows of f0 never count */
    const char *rows = test_sorted(test_rows("t"));
    ck_assert_int_eq(test_read_head("t").next_row_id, 4);
    ck_assert_msg(strcmp(rows, "4=0/2 5=1/2 6=2/4 7=3/4") == 0 ||
                      strcmp(rows, "4=2/2 5=3/2 6=0/4 7=1/4") == 0,
                  "%s", rows);
}
END_TEST

/* The sort key is "d desc nulls first, s asc nulls last"; U+FFFF is EF BF BF, U+10000 F0 90 80 80: by bytes the first is less. */
START_TEST(bird_19_sort_semantics) {
    test_create("t", 3, "id long, d double, s string", NULL, NULL);
    test_append(
        "t",
        "{'id':0,'d':1.5,'s':'\\ud800\\udc00'}\n{'id':1,'d':'Infinity','s':'a'}\n{'id':2,'d':null,'s':'a'}\n"
        "{'id':3,'d':-0.0,'s':'a'}\n{'id':4,'d':0.0,'s':'m'}\n{'id':5,'d':'-Infinity','s':'a'}\n"
        "{'id':6,'d':1.5,'s':'b'}\n{'id':7,'d':1.5,'s':'\\ud800\\udc00'}\n{'id':8,'d':'NaN','s':null}\n"
        "{'id':9,'d':0.0,'s':null}");
    rwl_rewrite_options o = {.rewrite_all = true, .sort = "d desc nulls first, s asc nulls last"};
    test_rewrite("t", &o);
    ck_assert_str_eq(test_values("t", "id"), "2 8 1 6 0 7 4 9 3 5");
}
END_TEST

START_TEST(bird_19_strings_sort_by_bytes_beyond_the_basic_plane) {
    test_create("t", 3, "id long, s string", NULL, NULL);
    test_append("t", "{'id':1,'s':'\\ud800\\udc00'}\n{'id':2,'s':'\\uffff'}\n{'id':3,'s':'z'}");
    rwl_rewrite_options o = {.rewrite_all = true, .sort = "s"};
    test_rewrite("t", &o);
    ck_assert_str_eq(test_values("t", "id"), "3 2 1");
}
END_TEST

START_TEST(bird_20_evolved_columns_are_materialised) {
    if (!test_golden("v3_evolution", 4))
        return;
    const char *rows = test_rows("golden/v3_evolution");
    ck_assert_ptr_nonnull(strstr(rows, "dflt"));
    test_rewrite("golden/v3_evolution", NULL);
    ck_assert_str_eq(test_rows("golden/v3_evolution"), rows);
    test_head head = test_read_head("golden/v3_evolution");
    rwl_table *t = test_open("golden/v3_evolution");
    rwl_parquet_file *file = NULL;
    const rwl_data_file *f = &test_live(&head, 0)->file;
    ASSERT_OK(rwl_parquet_open(t->store, test_op(), f->file_path, f->file_size, &file, err));
    ck_assert_ptr_nonnull(rwl_parquet_leaf_by_name(file, "c"));
    ck_assert_ptr_null(rwl_parquet_leaf_by_name(file, "gone"));
    rwl_parquet_close(file);
    test_close(t);
}
END_TEST

START_TEST(bird_20_promoted_columns_are_rewritten) {
    if (!test_golden("v3_promotion", 0))
        return;
    const char *rows = test_rows("golden/v3_promotion");
    int64_t next = test_read_head("golden/v3_promotion").next_row_id;
    test_rewrite("golden/v3_promotion", NULL);
    ck_assert_str_eq(test_rows("golden/v3_promotion"), rows);
    ck_assert_int_eq(test_read_head("golden/v3_promotion").next_row_id, next);
}
END_TEST

/* 25 rows in 4 appends, three vectors; partitions (name, bucket[4](id)), a null name among them. */
static void partitioned(const char *name) {
    test_create(name, 3, columns, "name, bucket(4, id)", NULL);
    for (int a = 0, id = 0; a < 4; a++) {
        const char *lines = "";
        for (int i = 0; i < (a == 3 ? 7 : 6); i++, id++)
            lines = rwl_arena_printf(test_arena(), "%s{'id':%d,'name':%s}\n", lines, id,
                                     id % 3 == 0   ? "null"
                                     : id % 3 == 1 ? "'x'"
                                                   : "'y'");
        test_append(name, lines);
    }
    test_delete(name, "id = 0");
    test_delete(name, "id = 8");
    test_delete(name, "id = 20");
}

START_TEST(bird_21_partitions_vectors_and_null_partition_values) {
    partitioned("t");
    const char *rows = test_sorted(test_rows("t"));
    test_rewrite("t", NULL);
    ck_assert_str_eq(test_sorted(test_rows("t")), rows);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.next_row_id, 25);
    ck_assert_int_eq(head.delete_files, 0);
    int64_t live = 0, nulls = 0;
    for (int32_t i = 0; i < head.data_files; i++) {
        live += test_live(&head, i)->file.record_count;
        nulls += test_live(&head, i)->file.partition[0].is_null;
    }
    ck_assert_int_eq(live, 22); /* 25 rows, 3 deleted */
    ck_assert_int_gt(nulls, 0);
    /* ids follow the order in which partitions were written, so the least live one is found by reading */
    int64_t least = INT64_MAX;
    for (const char *p = rows; (p = strchr(p, '=')) != NULL; p++) {
        int64_t id = strtoll(p + 1, NULL, 10);
        least = id < least ? id : least;
    }
    for (int32_t i = 0; i < head.manifest_count; i++)
        if (head.manifests[i].added_files > 0)
            ck_assert_int_eq(head.manifests[i].first_row_id, least);
}
END_TEST

START_TEST(bird_21_partitions_are_split_into_even_files) {
    test_create("t", 3, columns, "name", NULL);
    for (int i = 0; i < 6; i++)
        test_append("t", rwl_arena_printf(test_arena(), "{'id':%d,'name':'x'}\n{'id':%d,'name':'x'}", 2 * i,
                                          2 * i + 1));
    const char *rows = test_sorted(test_rows("t"));
    rwl_rewrite_options o = {.rewrite_all = true, .target_bytes = test_target(test_bytes("t"), 4)};
    test_rewrite("t", &o);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.data_files, 4);
    for (int32_t i = 0; i < 4; i++)
        ck_assert_int_eq(test_live(&head, i)->file.record_count, 3); /* 12 rows in 4 files */
    ck_assert_str_eq(test_sorted(test_rows("t")), rows);
}
END_TEST

START_TEST(bird_22_a_second_vector_merges_the_first) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}\n{'id':3,'name':'c'}");
    test_append("t", "{'id':4,'name':'d'}\n{'id':5,'name':'e'}");
    test_delete("t", "id = 2");
    test_delete("t", "id = 1 or id = 4");
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.delete_files, 2);
    const char *counts = "";
    for (int32_t i = 0; i < head.entry_count; i++)
        if (head.entries[i].file.content != RWL_CONTENT_DATA && head.entries[i].status != RWL_STATUS_DELETED)
            counts = rwl_arena_printf(test_arena(), "%s %lld", counts,
                                      (long long)head.entries[i].file.record_count);
    ck_assert_str_eq(test_sorted(counts), "1 2");
    ck_assert_int_eq(head.added_rows, 0);
    ck_assert_int_eq(head.next_row_id, 5);
    test_rewrite("t", NULL);
    ck_assert_str_eq(test_sorted(test_rows("t")), "3,c=2/1 5,e=4/2");
}
END_TEST

START_TEST(bird_22_golden_vectors_are_consumed) {
    if (!test_golden("v3_dv", 5))
        return;
    const char *rows = test_sorted(test_rows("golden/v3_dv"));
    int64_t next = test_read_head("golden/v3_dv").next_row_id;
    test_rewrite("golden/v3_dv", NULL);
    test_head head = test_read_head("golden/v3_dv");
    ck_assert_str_eq(test_sorted(test_rows("golden/v3_dv")), rows);
    ck_assert_int_eq(head.delete_files, 0);
    ck_assert_int_eq(head.data_files, 1);
    ck_assert_int_eq(head.next_row_id, next);
}
END_TEST

START_TEST(bird_24_tags_and_branches_stay_where_they_are) {
    if (!test_golden("v3_refs", 7))
        return;
    rwl_table *t = test_open("golden/v3_refs");
    int32_t refs = t->metadata->ref_count;
    const char *before = "";
    for (int32_t i = 0; i < refs; i++)
        if (strcmp(t->metadata->refs[i].name, "main") != 0)
            before = rwl_arena_printf(test_arena(), "%s %s:%lld", before, t->metadata->refs[i].name,
                                      (long long)t->metadata->refs[i].snapshot_id);
    int64_t parent = t->snapshot->snapshot_id;
    test_close(t);
    const char *rows = test_sorted(test_rows("golden/v3_refs"));
    test_rewritten out = test_rewrite("golden/v3_refs", NULL);
    ck_assert_int_eq(out.commit.result.parent_snapshot_id, parent);
    t = test_open("golden/v3_refs");
    ck_assert_int_eq(t->metadata->ref_count, refs);
    const char *after = "";
    for (int32_t i = 0; i < refs; i++)
        if (strcmp(t->metadata->refs[i].name, "main") != 0)
            after = rwl_arena_printf(test_arena(), "%s %s:%lld", after, t->metadata->refs[i].name,
                                     (long long)t->metadata->refs[i].snapshot_id);
    ck_assert_str_eq(after, before);
    ck_assert_int_eq(t->snapshot->parent_id, parent);
    test_close(t);
    ck_assert_str_eq(test_sorted(test_rows("golden/v3_refs")), rows);
}
END_TEST

START_TEST(bird_25_three_snapshots_of_one_commit) {
    if (!test_golden("v3_transaction", 0))
        return;
    rwl_table *t = test_open("golden/v3_transaction");
    const rwl_metadata *m = t->metadata;
    static const int64_t wanted[][2] = {{2, 3}, {3, 4}, {4, 4}}; /* sequence number, first-row-id */
    for (size_t i = 0; i < 3; i++) {
        const rwl_snapshot *found = NULL;
        for (int32_t s = 0; s < m->snapshot_count; s++)
            if (m->snapshots[s].sequence_number == wanted[i][0])
                found = &m->snapshots[s];
        ck_assert_ptr_nonnull(found);
        ck_assert_int_eq(found->first_row_id, wanted[i][1]);
    }
    ck_assert_int_eq(m->next_row_id, 6);
    test_close(t);
    const char *rows = test_sorted(test_rows("golden/v3_transaction"));
    test_rewrite("golden/v3_transaction", NULL);
    ck_assert_str_eq(test_sorted(test_rows("golden/v3_transaction")), rows);
    ck_assert_int_eq(test_read_head("golden/v3_transaction").next_row_id, 6);
}
END_TEST

/* icebird cuts 3,430 rows into 1000, 1000, 1000 and 430; ours are even: ceil(3430 / 4) = 858, and 856 in the last. */
START_TEST(bird_26_thousands_of_rows) {
    if (!test_golden("v3_mid", 7))
        return;
    const char *rows = test_sorted(test_rows("golden/v3_mid"));
    rwl_rewrite_options o = {
        .rewrite_all = true, .sort = "id", .target_bytes = test_target(test_bytes("golden/v3_mid"), 4)};
    test_rewritten out = test_rewrite("golden/v3_mid", &o);
    test_head head = test_read_head("golden/v3_mid");
    ck_assert_int_eq(out.rewrite.rows_out, 3430);
    ck_assert_int_eq(head.data_files, 4);
    static const int64_t wanted[] = {858, 858, 858, 856};
    for (int32_t i = 0; i < 4; i++)
        ck_assert_int_eq(test_live(&head, i)->file.record_count, wanted[i]);
    ck_assert_int_eq(head.next_row_id, 4000);
    ck_assert_str_eq(test_sorted(test_rows("golden/v3_mid")), rows);
    for (int32_t i = 0; i < head.manifest_count; i++)
        if (head.manifests[i].added_files > 0)
            ck_assert_int_eq(head.manifests[i].first_row_id, 0);
}
END_TEST

START_TEST(bird_28_lineage_columns_end_the_file) {
    test_create("t", 3, columns, NULL, NULL);
    six_rows("t");
    test_rewrite("t", NULL);
    test_head head = test_read_head("t");
    rwl_table *t = test_open("t");
    rwl_parquet_file *file = NULL;
    const rwl_data_file *f = &test_live(&head, 0)->file;
    ASSERT_OK(rwl_parquet_open(t->store, test_op(), f->file_path, f->file_size, &file, err));
    ck_assert_int_eq(file->leaf_count, 4);
    static const struct {
        const char *name;
        int32_t id;
    } wanted[] = {{"_row_id", 2147483540}, {"_last_updated_sequence_number", 2147483539}};
    for (int i = 0; i < 2; i++) {
        const rwl_field *field = &file->leaves[2 + i].field;
        ck_assert_str_eq(field->name, wanted[i].name);
        ck_assert_int_eq(field->id, wanted[i].id);
        ck_assert_int_eq((int)field->type.kind, (int)RWL_TYPE_LONG);
        ck_assert(!field->required);
    }
    rwl_parquet_close(file);
    test_close(t);
}
END_TEST

START_TEST(bird_29_an_append_of_nothing_writes_no_file) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1}");
    const char *before = test_listing("t");
    rwl_commit_outcome out = test_append("t", "");
    ck_assert_int_eq(out.result.snapshot_id, -1);
    ck_assert_str_eq(test_listing("t"), before);
}
END_TEST

/* An entry with record_count 0 is read, and a rewrite gets rid of it. */
START_TEST(bird_29_a_file_without_rows_is_read_and_rewritten) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}");
    rwl_table *t = test_open("t");
    rwl_parquet_writer *writer = NULL;
    rwl_parquet_written written;
    memset(&written, 0, sizeof written);
    const char *path = rwl_arena_printf(test_arena(), "%s/data/empty.parquet", t->metadata->location);
    const rwl_parquet_write_options parquet = {.codec = RWL_CODEC_ZSTD};
    ASSERT_OK(rwl_parquet_writer_open(t->store, test_op(), path, t->schema->fields, t->schema->field_count,
                                      &parquet, &writer, err));
    ASSERT_OK(rwl_parquet_writer_finish(writer, &written, err));
    rwl_added_file empty = test_fake_file(path, written.file_size, 0, NULL);
    rwl_parquet_written_clear(&written);
    test_close(t);
    test_append_fakes("t", &empty, 1);
    ck_assert_int_eq(test_read_head("t").data_files, 2);
    ck_assert_str_eq(test_rows("t"), "1,null=0/1 2,null=1/1");
    test_rewrite("t", NULL);
    ck_assert_str_eq(test_rows("t"), "1,null=0/1 2,null=1/1");
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.data_files, 1);
    ck_assert_int_eq(head.next_row_id, 2);
}
END_TEST

START_TEST(bird_30_refusals_write_nothing) {
    test_create("t", 3, columns, NULL, NULL);
    rwl_rewrite_options all = {.rewrite_all = true};
    test_rewritten nothing = test_rewrite("t", &all); /* no snapshot: nothing to do */
    ck_assert_int_eq(nothing.commit.result.snapshot_id, -1);
    six_rows("t");
    const char *before = test_listing("t");
    rwl_rewrite_options o = {.rewrite_all = true, .sort = "nope"};
    ASSERT_FAILS(RWL_USAGE, "nope", try_rewrite("t", &o, err));
    o = (rwl_rewrite_options){.rewrite_all = true, .target_bytes = -1};
    ASSERT_FAILS(RWL_USAGE, "-1", try_rewrite("t", &o, err));
    ck_assert_str_eq(test_listing("t"), before);
}
END_TEST

Suite *suite_rewrite_cases(void) {
    const TTest *const tests[] = {
        bird_01_merges_files_and_sorts_globally,
        bird_01_golden_table_merges_too,
        bird_02_split_files_have_bounds_that_do_not_overlap,
        bird_03_position_deletes_are_consumed,
        bird_03_golden_position_delete_is_consumed,
        bird_04_files_of_an_older_spec_are_split_by_the_new_one,
        bird_07_lineage_survives_a_sorted_rewrite,
        bird_07_golden_lineage_survives,
        bird_08_split_output_keeps_lineage,
        bird_09_a_vector_is_consumed_and_its_id_retired,
        bird_10_an_append_after_a_rewrite_continues_the_ids,
        bird_11_a_rewrite_of_a_rewrite_keeps_lineage,
        bird_12_an_upgraded_table_gets_ids_with_the_numbers_of_its_commits,
        bird_12_golden_upgraded_table_too,
        bird_14_one_call_does_it_all,
        bird_15_of_mixed_lineage_only_rows_without_ids_take_some,
        bird_16_every_row_deleted_leaves_no_file_and_ids_go_on,
        bird_17_upgrade_append_rewrite,
        bird_18_removed_files_of_an_upgraded_manifest_take_no_ids,
        bird_19_sort_semantics,
        bird_19_strings_sort_by_bytes_beyond_the_basic_plane,
        bird_20_evolved_columns_are_materialised,
        bird_20_promoted_columns_are_rewritten,
        bird_21_partitions_vectors_and_null_partition_values,
        bird_21_partitions_are_split_into_even_files,
        bird_22_a_second_vector_merges_the_first,
        bird_22_golden_vectors_are_consumed,
        bird_24_tags_and_branches_stay_where_they_are,
        bird_25_three_snapshots_of_one_commit,
        bird_26_thousands_of_rows,
        bird_28_lineage_columns_end_the_file,
        bird_29_an_append_of_nothing_writes_no_file,
        bird_29_a_file_without_rows_is_read_and_rewritten,
        bird_30_refusals_write_nothing,
    };
    return TEST_SUITE("rewrite cases", tests);
}
