/* SPDX-License-Identifier: Apache-2.0 */
/* Updates: vectors, what others commit meanwhile, what is written and removed, summaries, Spark's appends
 * told again. */
#include "parquet/writer.h"
#include "update_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MANY = 8 };

/* --- vectors --- */

START_TEST(a_replaced_vector_is_one_deleted_and_one_added_entry) {
    table t = new_table(3);
    append_two(&t, "A", 30, "B", 30);
    put_vector(&t, "A", "1.puffin", 2, 1, NULL);
    put_vector(&t, "B", "2.puffin", 1, 1, NULL);
    rwl_removed_delete old = {RWL_DELETE_VECTOR, "1.puffin", 4, "A"};
    put_vector(&t, "A", "3.puffin", 3, 1, &old);
    assert_files(&t, "main", "A:0:1 B:30:1 v(A):4 v(B):3");
    assert_summary(&t, "added-dvs", "1");
    assert_summary(&t, "removed-dvs", "1");
    assert_summary(&t, "added-position-deletes", "3");
    assert_summary(&t, "removed-position-deletes", "2");
    assert_summary(&t, "total-position-deletes", "4"); /* 2 + 1 + 3 - 2 */
    assert_summary(&t, "total-delete-files", "2");
    assert_summary(&t, "added-files-size", "35"); /* a vector counts its own bytes */
    assert_summary(&t, "manifests-created", "2");
    assert_summary(&t, "manifests-kept", "2");
    assert_summary(&t, "manifests-replaced", "1");
    free_table(&t);
}
END_TEST

START_TEST(a_second_vector_for_a_file_is_refused) {
    table t = new_table(3);
    append(&t, "A", 30);
    put_vector(&t, "A", "1.puffin", 2, 1, NULL);
    rwl_change_set c = change_of(RWL_OPERATION_DELETE, head_id(&t));
    rwl_added_vector v = vector("A", "2.puffin", 1, 1);
    c.added_vectors = &v;
    c.added_vector_count = 1;
    rwl_update *u = new_update(&t, &c, "main", false);
    rwl_metadata *next = NULL;
    rwl_conflict conflict;
    ASSERT_FAILS(RWL_INTERNAL, "does not replace",
                 rwl_update_apply(u, t.metadata, 1, &next, &t.result, &conflict, err));
    rwl_update_discard(u, true);
    rwl_update_free(u);
    free_table(&t);
}
END_TEST

START_TEST(vectors_need_version_3) {
    table t = new_table(2);
    append(&t, "A", 30);
    rwl_change_set c = change_of(RWL_OPERATION_DELETE, head_id(&t));
    rwl_added_vector v = vector("A", "2.puffin", 1, 1);
    c.added_vectors = &v;
    c.added_vector_count = 1;
    rwl_update *u = new_update(&t, &c, "main", false);
    rwl_metadata *next = NULL;
    rwl_conflict conflict;
    ASSERT_FAILS(RWL_UNSUPPORTED, "upgrade",
                 rwl_update_apply(u, t.metadata, 1, &next, &t.result, &conflict, err));
    rwl_update_free(u);
    free_table(&t);
}
END_TEST

/* --- conflicts --- */

typedef struct race {
    table t;
    int64_t planned;
    rwl_update *u;
    rwl_conflict conflict;
} race;

/* A pinned rewrite of A and B, planned; the race has not begun. */
static void plan_rewrite(race *r, rwl_change_set *c, rwl_added_file *out) {
    r->t = new_table(3);
    append_two(&r->t, "A", 30, "B", 30);
    append(&r->t, "D", 5);
    *out = carried("AB", 60, 0, 59);
    *c = rewrite_two(&r->t, out, 1, true);
    r->planned = head_id(&r->t);
    r->u = new_update(&r->t, c, "main", false);
}

static void end_race(race *r) {
    rwl_update_discard(r->u, true);
    rwl_update_free(r->u);
    free_table(&r->t);
}

START_TEST(a_concurrent_append_is_no_conflict) {
    race r;
    rwl_change_set c;
    rwl_added_file out;
    plan_rewrite(&r, &c, &out);
    append(&r.t, "E", 7);
    apply(&r.t, r.u);
    assert_snapshot(&r.t, 72, 0, 72);
    assert_files(&r.t, "main", "AB:0:2 E:65:3 D:60:2");
    end_race(&r);
}
END_TEST

START_TEST(an_input_removed_meanwhile_is_a_conflict_that_names_commit_and_file) {
    race r;
    rwl_change_set c;
    rwl_added_file out;
    plan_rewrite(&r, &c, &out);
    rwl_change_set d = change_of(RWL_OPERATION_DELETE, head_id(&r.t));
    rwl_removed_file b = removed("B");
    d.removed_files = &b;
    d.removed_file_count = 1;
    commit(&r.t, &d);
    int64_t other = head_id(&r.t);
    append(&r.t, "E", 7);
    rwl_metadata *next = NULL;
    ASSERT_FAILS(RWL_CONFLICT, "removed data file B",
                 rwl_update_apply(r.u, r.t.metadata, 1, &next, &r.t.result, &r.conflict, err));
    ck_assert_int_eq(r.conflict.snapshot_id, other);
    ck_assert_str_eq(r.conflict.file, "B");
    ck_assert_str_eq(r.conflict.engine, "rowline 0.1.0");
    end_race(&r);
}
END_TEST

START_TEST(a_vector_on_an_input_is_a_conflict) {
    race r;
    rwl_change_set c;
    rwl_added_file out;
    plan_rewrite(&r, &c, &out);
    put_vector(&r.t, "A", "1.puffin", 2, 1, NULL);
    int64_t other = head_id(&r.t);
    rwl_metadata *next = NULL;
    ASSERT_FAILS(RWL_CONFLICT, "added a delete to data file A",
                 rwl_update_apply(r.u, r.t.metadata, 1, &next, &r.t.result, &r.conflict, err));
    ck_assert_int_eq(r.conflict.snapshot_id, other);
    ck_assert_str_eq(r.conflict.file, "A");
    end_race(&r);
}
END_TEST

START_TEST(a_vector_on_another_file_is_no_conflict) {
    race r;
    rwl_change_set c;
    rwl_added_file out;
    plan_rewrite(&r, &c, &out);
    put_vector(&r.t, "D", "1.puffin", 2, 2, NULL);
    apply(&r.t, r.u);
    assert_files(&r.t, "main", "AB:0:2 D:60:2 v(D):3");
    end_race(&r);
}
END_TEST

START_TEST(two_vectors_for_one_file_are_a_conflict) {
    table t = new_table(3);
    append(&t, "A", 30);
    rwl_change_set c = change_of(RWL_OPERATION_DELETE, head_id(&t));
    rwl_added_vector v = vector("A", "2.puffin", 1, 1);
    c.added_vectors = &v;
    c.added_vector_count = 1;
    rwl_update *u = new_update(&t, &c, "main", false);
    put_vector(&t, "A", "1.puffin", 2, 1, NULL);
    rwl_metadata *next = NULL;
    rwl_conflict conflict;
    ASSERT_FAILS(RWL_CONFLICT, "added a delete to data file A",
                 rwl_update_apply(u, t.metadata, 1, &next, &t.result, &conflict, err));
    rwl_update_discard(u, true);
    rwl_update_free(u);
    free_table(&t);
}
END_TEST

START_TEST(a_table_upgraded_between_attempts_is_a_conflict) {
    table t = new_table(2);
    append_two(&t, "A", 30, "B", 30);
    rwl_added_file out = added("AB", 60);
    rwl_change_set c = rewrite_two(&t, &out, 1, true);
    rwl_update *u = new_update(&t, &c, "main", false);
    rwl_metadata *next = NULL, *v3 = NULL;
    rwl_conflict conflict;
    ASSERT_OK(rwl_update_apply(u, t.metadata, 1, &next, &t.result, &conflict, err));
    rwl_metadata_free(next);
    ASSERT_OK(rwl_metadata_upgrade(t.metadata, 3, 2, &v3, err));
    ASSERT_FAILS(RWL_CONFLICT, "upgraded", rwl_update_apply(u, v3, 1, &next, &t.result, &conflict, err));
    rwl_metadata_free(v3);
    rwl_update_discard(u, true);
    rwl_update_free(u);
    free_table(&t);
}
END_TEST

/* The rows got ids in between; files planned without lineage would renumber them. */
START_TEST(a_table_upgraded_between_plan_and_first_attempt_is_a_conflict) {
    table t = new_table(2);
    append_two(&t, "A", 30, "B", 30);
    rwl_added_file out = added("AB", 60);
    rwl_change_set c = rewrite_two(&t, &out, 1, true);
    rwl_update *u = new_update(&t, &c, "main", false);
    ASSERT_OK(rwl_update_expect(u, t.metadata, err));
    rwl_metadata *next = NULL, *v3 = NULL;
    rwl_conflict conflict;
    ASSERT_OK(rwl_metadata_upgrade(t.metadata, 3, 2, &v3, err));
    ASSERT_FAILS(RWL_CONFLICT, "upgraded", rwl_update_apply(u, v3, 1, &next, &t.result, &conflict, err));
    rwl_metadata_free(v3);
    rwl_update_free(u);
    free_table(&t);
}
END_TEST

START_TEST(a_table_made_anew_between_plan_and_first_attempt_is_a_conflict) {
    table t = new_table(3), other = new_table(3);
    rwl_added_file a = added("A", 30);
    rwl_change_set c = change_of(RWL_OPERATION_APPEND, -1);
    c.added_files = &a;
    c.added_file_count = 1;
    rwl_update *u = new_update(&t, &c, "main", false);
    ASSERT_OK(rwl_update_expect(u, t.metadata, err));
    rwl_metadata *next = NULL;
    rwl_conflict conflict;
    ASSERT_FAILS(RWL_CONFLICT, "another uuid",
                 rwl_update_apply(u, other.metadata, 1, &next, &t.result, &conflict, err));
    rwl_update_free(u);
    free_table(&t);
    free_table(&other);
}
END_TEST

START_TEST(a_plan_that_is_no_ancestor_any_more_is_a_conflict) {
    table t = new_table(3), other = new_table(3);
    append_two(&t, "A", 30, "B", 30);
    rwl_added_file out = carried("AB", 60, 0, 59);
    rwl_change_set c = rewrite_two(&t, &out, 1, true);
    c.planned_snapshot_id = 5;
    rwl_update *u = new_update(&t, &c, "main", false);
    rwl_metadata *next = NULL;
    rwl_conflict conflict;
    ASSERT_FAILS(RWL_CONFLICT, "planned snapshot",
                 rwl_update_apply(u, t.metadata, 1, &next, &t.result, &conflict, err));
    rwl_update_free(u);
    free_table(&t);
    free_table(&other);
}
END_TEST

/* --- what is written --- */

static rwl_status count_one(void *ctx, const char *name, const rwl_stat *st, rwl_error *err) {
    (void)name, (void)st, (void)err;
    ++*(int *)ctx;
    return RWL_OK;
}

static int count_files(const char *folder) {
    int count = 0;
    rwl_error err = {0};
    rwl_status st = rwl_store_list(test_store(), test_op(), test_path(folder), count_one, &count, &err);
    ck_assert_msg(st == RWL_OK || st == RWL_NOT_FOUND, "%s", err.message);
    return count;
}

START_TEST(a_dry_run_has_the_figures_and_writes_nothing) {
    race r;
    rwl_change_set c;
    rwl_added_file out;
    plan_rewrite(&r, &c, &out);
    int before = count_files("metadata");
    rwl_update *dry = new_update(&r.t, &c, "main", true);
    rwl_metadata *next = NULL;
    rwl_change_result figures;
    ASSERT_OK(rwl_update_apply(dry, r.t.metadata, 1, &next, &figures, &r.conflict, err));
    ck_assert_ptr_null(next);
    ck_assert_int_eq(count_files("metadata"), before);
    rwl_update_free(dry);
    apply(&r.t, r.u);
    ck_assert_int_eq(figures.added_rows, r.t.result.added_rows);
    ck_assert_int_eq(figures.next_row_id, r.t.result.next_row_id);
    ck_assert_int_eq(figures.sequence_number, r.t.result.sequence_number);
    ck_assert_int_eq(figures.removed_data_files, 2);
    ck_assert_int_eq(figures.added_records, 60);
    end_race(&r);
}
END_TEST

START_TEST(a_failed_commit_leaves_no_file) {
    race r;
    rwl_change_set c;
    rwl_added_file out;
    plan_rewrite(&r, &c, &out);
    int before = count_files("metadata");
    rwl_metadata *next = NULL;
    ASSERT_OK(rwl_update_apply(r.u, r.t.metadata, 1, &next, &r.t.result, &r.conflict, err));
    rwl_metadata_free(next);
    /* the new manifest, a filtered one, a list */
    ck_assert_int_eq(count_files("metadata"), before + 3);
    rwl_update_discard(r.u, true);
    ck_assert_int_eq(count_files("metadata"), before);
    rwl_update_free(r.u);
    free_table(&r.t);
}
END_TEST

START_TEST(summary_of_a_rewrite_counts_exactly) {
    race r;
    rwl_change_set c;
    rwl_added_file out;
    plan_rewrite(&r, &c, &out);
    const char *keys[] = {"app"}, *values[] = {"x"};
    c.summary_keys = keys;
    c.summary_values = values;
    c.summary_count = 1;
    apply(&r.t, r.u);
    const char *want[][2] = {
        {"operation", "replace"},
        {"added-data-files", "1"},
        {"deleted-data-files", "2"},
        {"added-records", "60"},
        {"deleted-records", "60"},
        {"added-files-size", "600"},
        {"removed-files-size", NULL},
        {"total-records", "65"},
        {"total-data-files", "2"},
        {"total-delete-files", "0"},
        {"total-position-deletes", "0"},
        {"total-equality-deletes", "0"},
        {"changed-partition-count", "1"},
        {"added-delete-files", NULL},
        {"manifests-created", "2"},
        {"manifests-kept", "1"},
        {"manifests-replaced", "1"},
        {"engine-name", "rowline"},
        {"app", "x"},
    };
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        if (strcmp(want[i][0], "removed-files-size") == 0)
            assert_summary(&r.t, want[i][0], "600"); /* A and B: 30 rows of 10 bytes each */
        else
            assert_summary(&r.t, want[i][0], want[i][1]);
    end_race(&r);
}
END_TEST

/* A total set by hand is not carried on: rows are counted, and what can't be counted is left out. */
START_TEST(bug_183_a_wrong_total_does_not_go_on) {
    table t = new_table(3);
    append(&t, "A", 30);
    assert_summary(&t, "total-files-size", "300"); /* 10 bytes a row */
    rwl_json *json = rwl_json_copy(t.metadata->json);
    rwl_json *summary = rwl_json_get(rwl_json_at(rwl_json_get(json, "snapshots"), 0), "summary");
    rwl_buf text;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_json_set(summary, "total-records", rwl_json_new_str("999"), err));
    ASSERT_OK(rwl_json_dump(json, 0, &text, err));
    rwl_metadata_free(t.metadata);
    ASSERT_OK(rwl_metadata_parse(test_env(), rwl_buf_span(&text), NULL, &t.metadata, err));
    append(&t, "B", 1);
    assert_summary(&t, "total-records", "31");
    assert_summary(&t, "total-data-files", "2");
    assert_summary(&t, "total-files-size", NULL);
    append(&t, "C", 2);
    assert_summary(&t, "total-records", "33");
    rwl_buf_clear(&text);
    rwl_json_free(json);
    free_table(&t);
}
END_TEST

/* Java reads the operation; what a caller says there, or instead of a figure, would be believed. */
START_TEST(snapshot_properties_replace_no_figure) {
    table t = new_table(3);
    rwl_added_file a = added("A", 30);
    const char *keys[] = {"operation", "deleted-records", "total-records", "engine-name"},
               *values[] = {"replace", "7", "7", "spark"};
    rwl_change_set c = change_of(RWL_OPERATION_APPEND, -1);
    c.added_files = &a;
    c.added_file_count = 1;
    c.summary_keys = keys;
    c.summary_values = values;
    c.summary_count = 4;
    commit(&t, &c);
    assert_summary(&t, "operation", "append");
    assert_summary(&t, "deleted-records", NULL);
    assert_summary(&t, "total-records", "30");
    assert_summary(&t, "engine-name", "rowline");
    free_table(&t);
}
END_TEST

START_TEST(small_manifest_targets_roll_manifests) {
    table t = new_table(3);
    rwl_json *properties = rwl_json_new_object();
    ASSERT_OK(rwl_json_set(properties, "commit.manifest.target-size-bytes", rwl_json_new_str("1"), err));
    ASSERT_OK(rwl_json_set(t.metadata->json, "properties", properties, err));
    rwl_buf text;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_metadata_dump(t.metadata, &text, err));
    rwl_metadata_free(t.metadata);
    ASSERT_OK(rwl_metadata_parse(test_env(), rwl_buf_span(&text), NULL, &t.metadata, err));
    rwl_buf_clear(&text);
    append_two(&t, "A", 125, "B", 100);
    assert_list(&t, "main", "0 125");
    assert_files(&t, "main", "A:0:1 B:125:1");
    free_table(&t);
}
END_TEST

/* --- deletes of other engines --- */

/* A real position delete file, so that it can be searched: rows are "path|pos". */
static rwl_data_file write_positions(const char *name, const char *const *paths, size_t count) {
    rwl_schema schema = test_schema("file_path string not null, pos long not null");
    rwl_field fields[2] = {schema.fields[0], schema.fields[1]};
    fields[0].id = RWL_FIELD_ID_DELETE_PATH;
    fields[1].id = RWL_FIELD_ID_DELETE_POS;
    rwl_batch batch;
    ASSERT_OK(rwl_batch_init(&batch, test_env(), fields, 2, err));
    for (size_t i = 0; i < count; i++) {
        rwl_value path = test_value(&fields[0].type, paths[i]), pos = test_value(&fields[1].type, "0");
        ASSERT_OK(rwl_column_append(&batch.columns[0], test_env(), &path, 1, err));
        ASSERT_OK(rwl_column_append(&batch.columns[1], test_env(), &pos, 1, err));
    }
    batch.length = (int64_t)count;
    rwl_parquet_write_options options = {.codec = RWL_CODEC_NONE};
    rwl_parquet_writer *w = NULL;
    rwl_parquet_written written;
    const char *path = test_path(name);
    ASSERT_OK(rwl_parquet_writer_open(test_store(), test_op(), path, fields, 2, &options, &w, err));
    ASSERT_OK(rwl_parquet_writer_write(w, &batch, err));
    ASSERT_OK(rwl_parquet_writer_finish(w, &written, err));
    rwl_data_file f = delete_file(RWL_CONTENT_POSITION_DELETES, path, NULL, (int64_t)count);
    f.file_size = written.file_size;
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&batch);
    return f;
}

static void plan_v2_rewrite(race *r, rwl_change_set *c, rwl_added_file *out) {
    r->t = new_table(2);
    append_two(&r->t, "A", 30, "B", 30);
    append(&r->t, "D", 5);
    *out = added("AB", 60);
    *c = rewrite_two(&r->t, out, 1, true);
    r->u = new_update(&r->t, c, "main", false);
}

START_TEST(position_deletes_on_an_input_are_a_conflict_only_if_they_name_it) {
    const char *elsewhere[] = {"C", "D", "D"}, *inside[] = {"A", "D"};
    race r;
    rwl_change_set c;
    rwl_added_file out;
    plan_v2_rewrite(&r, &c, &out);
    rwl_data_file harmless = write_positions("p1.parquet", elsewhere, 3);
    commit_foreign_deletes(&r.t, &harmless, 1);
    rwl_metadata *next = NULL;
    ASSERT_OK(rwl_update_apply(r.u, r.t.metadata, 1, &next, &r.t.result, &r.conflict, err));
    rwl_metadata_free(next);
    rwl_data_file harmful = write_positions("p2.parquet", inside, 2);
    commit_foreign_deletes(&r.t, &harmful, 1);
    ASSERT_FAILS(RWL_CONFLICT, "(spark 4.1.4) added a delete to data file A",
                 rwl_update_apply(r.u, r.t.metadata, 1, &next, &r.t.result, &r.conflict, err));
    ck_assert_int_eq(r.conflict.snapshot_id, head_id(&r.t));
    ck_assert_str_eq(r.conflict.engine, "spark 4.1.4");
    end_race(&r);
}
END_TEST

START_TEST(equality_deletes_are_no_conflict_for_outputs_with_the_old_number) {
    race r;
    rwl_change_set c;
    rwl_added_file out;
    plan_v2_rewrite(&r, &c, &out);
    rwl_data_file e = delete_file(RWL_CONTENT_EQUALITY_DELETES, "e", NULL, 1);
    commit_foreign_deletes(&r.t, &e, 1);
    rwl_update *fresh = NULL;
    rwl_metadata *next = NULL;
    rwl_change_set d = c;
    d.data_sequence_number = -1; /* outputs with the commit's own number would escape the delete */
    fresh = new_update(&r.t, &d, "main", false);
    ASSERT_FAILS(RWL_CONFLICT, "added a delete",
                 rwl_update_apply(fresh, r.t.metadata, 1, &next, &r.t.result, &r.conflict, err));
    rwl_update_discard(fresh, true);
    rwl_update_free(fresh);
    apply(&r.t, r.u);
    assert_files(&r.t, "main", "AB:-:2 D:-:2 e:3");
    end_race(&r);
}
END_TEST

/* A table with spec 0 by id, 1 by data, 2 unpartitioned. */
static table table_of_three_specs(void) {
    table t = {.metadata = test_table(2, "id int, data string", "id"), .next_snapshot = 1001};
    static const char *const more[] = {
        "[{'name': 'data', 'transform': 'identity', 'source-id': 2, 'field-id': 1001}]", "[]"};
    rwl_json *specs = rwl_json_get(t.metadata->json, "partition-specs");
    for (int i = 0; i < 2; i++) {
        rwl_json *spec = rwl_json_new_object();
        ASSERT_OK(rwl_json_append(specs, spec, err));
        ASSERT_OK(rwl_json_set(spec, "spec-id", rwl_json_new_i64(i + 1), err));
        ASSERT_OK(rwl_json_set(spec, "fields", test_json(more[i]), err));
    }
    rwl_buf text;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_metadata_dump(t.metadata, &text, err));
    rwl_metadata_free(t.metadata);
    ASSERT_OK(rwl_metadata_parse(test_env(), rwl_buf_span(&text), NULL, &t.metadata, err));
    rwl_buf_clear(&text);
    return t;
}

/* A of spec 0 (id 1) is moved to spec 1 (data x). Equality deletes reach files of their own spec and partition, or
 * all when they have none: whichever reaches A or the output alone would bring rows back, or take too many. */
static const struct {
    int32_t spec_id;
    const char *partition;
    bool conflict;
} moves[] = {{0, "1", true}, {0, "2", false}, {1, "x", true}, {1, "y", false}, {2, NULL, false}};

START_TEST(equality_deletes_that_a_move_to_another_spec_would_change_are_a_conflict) {
    table t = table_of_three_specs();
    const rwl_type number = rwl_type_of(RWL_TYPE_INT), text = rwl_type_of(RWL_TYPE_STRING);
    rwl_value one = test_value(&number, "1"), x = test_value(&text, "x");
    rwl_added_file a = added("A", 30), out = added("X", 30);
    a.partition = &one;
    out.partition = &x;
    a.partition_count = out.partition_count = out.spec_id = 1;
    append_to(&t, "main", 1, &a);
    rwl_change_set c = change_of(RWL_OPERATION_REPLACE, head_id(&t));
    rwl_removed_file input = removed("A");
    c.data_sequence_number = 1;
    c.added_files = &out;
    c.removed_files = &input;
    c.added_file_count = c.removed_file_count = 1;
    rwl_update *u = new_update(&t, &c, "main", false);

    rwl_data_file e = delete_file(RWL_CONTENT_EQUALITY_DELETES, "e", NULL, 1);
    rwl_value value = rwl_value_null(RWL_TYPE_INT);
    if (moves[_i].partition != NULL)
        value = test_value(moves[_i].spec_id == 0 ? &number : &text, moves[_i].partition);
    e.spec_id = moves[_i].spec_id;
    e.partition = &value;
    e.partition_count = moves[_i].partition != NULL ? 1 : 0;
    t.metadata->spec = rwl_metadata_spec(t.metadata, e.spec_id);
    commit_foreign_deletes(&t, &e, 1);
    rwl_metadata *next = NULL;
    rwl_conflict conflict;
    if (moves[_i].conflict)
        ASSERT_FAILS(RWL_CONFLICT, "added a delete to data file A",
                     rwl_update_apply(u, t.metadata, 1, &next, &t.result, &conflict, err));
    else
        ASSERT_OK(rwl_update_apply(u, t.metadata, 1, &next, &t.result, &conflict, err));
    rwl_metadata_free(next);
    rwl_update_discard(u, true);
    rwl_update_free(u);
    free_table(&t);
}
END_TEST

/* A position delete file goes with the one file it names; one that may name others stays, and so do equality
 * deletes (Java drops them by age and brings deleted rows back, apache/iceberg 10312). */
START_TEST(deletes_stay_unless_they_can_only_apply_to_removed_files) {
    table t = new_table(2);
    append_two(&t, "A", 30, "B", 30);
    append(&t, "D", 5);
    rwl_data_file deletes[] = {
        delete_file(RWL_CONTENT_POSITION_DELETES, "pa", "A", 2),
        delete_file(RWL_CONTENT_POSITION_DELETES, "pd", "D", 2),
        delete_file(RWL_CONTENT_POSITION_DELETES, "many", NULL, 4),
        delete_file(RWL_CONTENT_EQUALITY_DELETES, "e", NULL, 1),
    };
    commit_foreign_deletes(&t, deletes, 4);
    rwl_added_file out = added("AB", 58);
    rwl_change_set c = rewrite_two(&t, &out, 1, true);
    commit(&t, &c);
    assert_files(&t, "main", "AB:-:3 D:-:2 pd:3 many:3 e:3");
    assert_summary(&t, "removed-delete-files", "1");
    assert_summary(&t, "removed-position-delete-files", "1");
    assert_summary(&t, "removed-position-deletes", "2");
    assert_summary(&t, "removed-dvs", NULL);
    free_table(&t);
}
END_TEST

START_TEST(a_named_delete_file_that_is_gone_is_a_conflict) {
    table t = new_table(3);
    append(&t, "A", 30);
    rwl_change_set c = change_of(RWL_OPERATION_DELETE, head_id(&t));
    rwl_removed_delete old = {RWL_DELETE_VECTOR, "1.puffin", 4, "A"};
    rwl_added_vector v = vector("A", "2.puffin", 1, 1);
    c.added_vectors = &v;
    c.added_vector_count = 1;
    c.removed_deletes = &old;
    c.removed_delete_count = 1;
    rwl_update *u = new_update(&t, &c, "main", false);
    rwl_metadata *next = NULL;
    rwl_conflict conflict;
    ASSERT_FAILS(RWL_CONFLICT, "changed the deletes of data file A",
                 rwl_update_apply(u, t.metadata, 1, &next, &t.result, &conflict, err));
    rwl_update_free(u);
    free_table(&t);
}
END_TEST

/* --- counts that old lists lack --- */

START_TEST(null_counts_are_counted_by_reading) {
    static const char V1[] = "{\"type\":\"record\",\"name\":\"manifest_file\",\"fields\":["
                             "{\"name\":\"manifest_path\",\"type\":\"string\",\"field-id\":500},"
                             "{\"name\":\"manifest_length\",\"type\":\"long\",\"field-id\":501},"
                             "{\"name\":\"partition_spec_id\",\"type\":\"int\",\"field-id\":502},"
                             "{\"name\":\"added_snapshot_id\",\"type\":\"long\",\"field-id\":503}]}";
    table t = new_table(2);
    append_two(&t, "A", 125, "B", 100);
    rwl_manifest_list list;
    ASSERT_OK(rwl_manifest_list_read(test_store(), test_op(), head(&t, "main"), &list, err));
    rwl_avro_writer *w = NULL;
    ASSERT_OK(rwl_store_remove(test_store(), test_op(), head(&t, "main")->manifest_list, err));
    ASSERT_OK(rwl_avro_writer_open(test_store(), test_op(), head(&t, "main")->manifest_list, V1, NULL, 0,
                                   RWL_CODEC_NONE, 0, &w, err));
    rwl_buf *b = rwl_avro_writer_record(w);
    ASSERT_OK(rwl_avro_put_bytes(b, rwl_span_str(list.items[0].path), err));
    ASSERT_OK(rwl_avro_put_long(b, list.items[0].length, err));
    ASSERT_OK(rwl_avro_put_long(b, 0, err));
    ASSERT_OK(rwl_avro_put_long(b, list.items[0].added_snapshot_id, err));
    ASSERT_OK(rwl_avro_writer_end_record(w, err));
    int64_t size;
    ASSERT_OK(rwl_avro_writer_finish(w, &size, err));
    rwl_manifest_list_clear(&list);
    rwl_metadata *v3 = NULL;
    ASSERT_OK(rwl_metadata_upgrade(t.metadata, 3, 2, &v3, err));
    rwl_metadata_free(t.metadata);
    t.metadata = v3;
    rwl_change_set nothing = change_of(RWL_OPERATION_APPEND, -1);
    commit(&t, &nothing);
    assert_snapshot(&t, 0, 225, 225);
    assert_files(&t, "main", "A:0:0 B:125:0"); /* a list of v1 has sequence number 0 */
    ASSERT_OK(rwl_manifest_list_read(test_store(), test_op(), head(&t, "main"), &list, err));
    ck_assert_int_eq(list.items[0].added_files, 2);
    ck_assert_int_eq(list.items[0].deleted_rows, 0);
    rwl_manifest_list_clear(&list);
    free_table(&t);
}
END_TEST

/* --- no memory --- */

static struct {
    int64_t left; /* allocations that still succeed */
    int64_t live;
} heap;

static void *starving_realloc(void *ctx, void *old, size_t size) {
    (void)ctx;
    if (size == 0) {
        heap.live -= old != NULL;
        free(old);
        return NULL;
    }
    if (heap.left-- <= 0)
        return NULL;
    void *block = realloc(old, size);
    heap.live += old == NULL && block != NULL;
    return block;
}

/* Every allocation of an attempt fails in turn: NO_MEMORY each time, nothing leaks, no file stays. */
START_TEST(an_attempt_without_memory_leaves_nothing) {
    race r;
    rwl_change_set c;
    rwl_added_file out;
    plan_rewrite(&r, &c, &out);
    int before = count_files("metadata");
    rwl_env starving = *test_env();
    starving.realloc = starving_realloc;
    bool done = false;
    for (int64_t n = 0; !done; n++) {
        ck_assert_int_lt(n, 100000);
        rwl_op op;
        rwl_op_init(&op, &starving, 0);
        rwl_attempt_options options = {.branch = "main", .commit_id = "starving", .snapshot_id = 9999};
        rwl_update *u = NULL;
        rwl_metadata *next = NULL;
        rwl_change_result result;
        rwl_error err = {0};
        heap.left = n;
        heap.live = 0;
        rwl_status st = rwl_update_new(test_store(), &op, &c, &options, &u, &err);
        if (st == RWL_OK)
            st = rwl_update_apply(u, r.t.metadata, 1, &next, &result, NULL, &err);
        ck_assert_msg(st == RWL_OK || st == RWL_NO_MEMORY, "%d: %s", (int)st, err.message);
        done = st == RWL_OK;
        heap.left = INT64_MAX;
        rwl_metadata_free(next);
        if (u != NULL)
            rwl_update_discard(u, true);
        rwl_update_free(u);
        ck_assert_int_eq(heap.live, 0);
        ck_assert_int_eq(count_files("metadata"), before);
        n += n / 16; /* every one at first, then a sample */
    }
    end_race(&r);
}
END_TEST

/* --- Spark's appends, told again: the same numbers --- */

/* The metadata version before the one whose head is this snapshot. */
static const char *version_before(const rwl_json *expected, int64_t snapshot_id) {
    const rwl_json *versions = rwl_json_get(expected, "versions");
    for (size_t i = 1; i < rwl_json_len(versions); i++)
        if (rwl_json_i64(rwl_json_get(rwl_json_at(versions, i), "current-snapshot-id")) == snapshot_id)
            return rwl_json_str(rwl_json_get(rwl_json_at(versions, i - 1), "metadata"));
    return NULL;
}

static void check_append(const char *name, const rwl_json *expected, const rwl_json *want) {
    int64_t id = rwl_json_i64(rwl_json_get(want, "snapshot-id"));
    const char *file = version_before(expected, id);
    const rwl_json *entries = rwl_json_get(want, "entries");
    if (rwl_json_len(entries) == 0)
        return; /* types_java: Spark could not list them */
    rwl_metadata *base = file == NULL ? NULL : fixture_metadata("spark", name, file);
    if (base == NULL)
        return;
    rwl_added_file files[MANY];
    rwl_change_set c = change_of(RWL_OPERATION_APPEND, -1);
    c.added_files = files;
    for (size_t i = 0; i < rwl_json_len(entries) && c.added_file_count < MANY; i++) {
        const rwl_json *e = rwl_json_at(entries, i);
        if (rwl_json_i64(rwl_json_get(e, "snapshot_id")) != id)
            continue;
        const char *path = rwl_arena_printf(test_arena(), "new/%zu", i);
        rwl_added_file *f = &files[c.added_file_count++];
        *f = added(path, rwl_json_i64(rwl_json_get(e, "record_count")));
        f->spec_id = base->spec->spec_id;
        f->partition_count = base->spec->field_count;
        rwl_value *values = rwl_arena_array(test_arena(), (size_t)f->partition_count, sizeof *values);
        for (int32_t k = 0; k < f->partition_count; k++)
            values[k] = rwl_value_null(RWL_TYPE_INT);
        f->partition = values;
    }
    rwl_attempt_options options = {
        .branch = "main", .commit_id = "again", .snapshot_id = id + 1, .dry_run = true};
    rwl_update *u = NULL;
    rwl_metadata *next = NULL;
    rwl_change_result result;
    rwl_conflict conflict;
    ASSERT_OK(rwl_update_new(fixture_store(), test_op(), &c, &options, &u, err));
    ASSERT_OK(rwl_update_apply(u, base, 1, &next, &result, &conflict, err));
    ck_assert_int_eq(result.sequence_number, rwl_json_i64(rwl_json_get(want, "sequence-number")));
    if (base->format_version >= 3) {
        ck_assert_msg(result.first_row_id == rwl_json_i64(rwl_json_get(want, "first-row-id")), "%s", name);
        ck_assert_msg(result.added_rows == rwl_json_i64(rwl_json_get(want, "added-rows")),
                      "%s: %" PRId64 " rows added, not %" PRId64, name, result.added_rows,
                      rwl_json_i64(rwl_json_get(want, "added-rows")));
    }
    rwl_update_free(u);
    rwl_metadata_free(base);
}

static void check_appends(const char *name) {
    rwl_json *expected = fixture_expected("spark", name);
    const rwl_json *snapshots = rwl_json_get(expected, "snapshots");
    for (size_t i = 0; i < rwl_json_len(snapshots); i++) {
        const rwl_json *s = rwl_json_at(snapshots, i);
        const char *operation = rwl_json_str(rwl_json_get(s, "operation"));
        const char *replaced = rwl_json_str(rwl_json_get(rwl_json_get(s, "summary"), "manifests-replaced"));
        bool v1 = strcmp(name, "upgrade_v1") == 0 && i < 2;
        if (operation != NULL && strcmp(operation, "append") == 0 && replaced != NULL &&
            strcmp(replaced, "0") == 0 && !v1)
            check_append(name, expected, s);
    }
    rwl_json_free(expected);
}

START_TEST(appends_of_spark_take_the_same_ids_here) {
    if (fixture_each_spark_table(check_appends) == 0)
        puts("skipped: no fixtures of Spark");
}
END_TEST

Suite *suite_update_conflict(void) {
    Suite *s = suite_create("update_conflict");
    TCase *t = tcase_create("update_conflict");
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_test(t, a_replaced_vector_is_one_deleted_and_one_added_entry);
    tcase_add_test(t, a_second_vector_for_a_file_is_refused);
    tcase_add_test(t, vectors_need_version_3);
    tcase_add_test(t, a_concurrent_append_is_no_conflict);
    tcase_add_test(t, an_input_removed_meanwhile_is_a_conflict_that_names_commit_and_file);
    tcase_add_test(t, a_vector_on_an_input_is_a_conflict);
    tcase_add_test(t, a_vector_on_another_file_is_no_conflict);
    tcase_add_test(t, two_vectors_for_one_file_are_a_conflict);
    tcase_add_test(t, a_table_upgraded_between_attempts_is_a_conflict);
    tcase_add_test(t, a_table_made_anew_between_plan_and_first_attempt_is_a_conflict);
    tcase_add_test(t, a_table_upgraded_between_plan_and_first_attempt_is_a_conflict);
    tcase_add_test(t, a_plan_that_is_no_ancestor_any_more_is_a_conflict);
    tcase_add_test(t, a_dry_run_has_the_figures_and_writes_nothing);
    tcase_add_test(t, a_failed_commit_leaves_no_file);
    tcase_add_test(t, summary_of_a_rewrite_counts_exactly);
    tcase_add_test(t, small_manifest_targets_roll_manifests);
    tcase_add_test(t, bug_183_a_wrong_total_does_not_go_on);
    tcase_add_test(t, snapshot_properties_replace_no_figure);
    tcase_add_test(t, position_deletes_on_an_input_are_a_conflict_only_if_they_name_it);
    tcase_add_test(t, equality_deletes_are_no_conflict_for_outputs_with_the_old_number);
    tcase_add_loop_test(t, equality_deletes_that_a_move_to_another_spec_would_change_are_a_conflict, 0,
                        sizeof moves / sizeof moves[0]);
    tcase_add_test(t, deletes_stay_unless_they_can_only_apply_to_removed_files);
    tcase_add_test(t, a_named_delete_file_that_is_gone_is_a_conflict);
    tcase_add_test(t, null_counts_are_counted_by_reading);
    tcase_add_test(t, an_attempt_without_memory_leaves_nothing);
    tcase_add_test(t, appends_of_spark_take_the_same_ids_here);
    suite_add_tcase(s, t);
    return s;
}
