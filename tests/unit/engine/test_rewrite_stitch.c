/* SPDX-License-Identifier: Apache-2.0 */
/* A stitched group against the same group streamed, wherever its lineage comes from; and when it is not stitched. */
#include "engine_test.h"
#include "suites.h"

#include "parquet/file.h"
#include "storage/test_store.h"

#include <stdlib.h>

static const char columns[] = "id long, name string";

/* --- tables --- */

/* Rows with ids from `first`, every third name null. */
static const char *lines_of(int first, int rows) {
    const char *lines = "";
    for (int i = first; i < first + rows; i++)
        lines = i % 3 == 0 ? rwl_arena_printf(test_arena(), "%s{'id':%d}\n", lines, i)
                           : rwl_arena_printf(test_arena(), "%s{'id':%d,'name':'n%d'}\n", lines, i, i % 7);
    return lines;
}

static void append_rows(const char *name, int first, int rows) {
    test_append(name, lines_of(first, rows));
}

/* Pages of five rows, row groups of some twenty. */
static void create_paged(const char *name, int32_t version, const char *partition) {
    static const char *const keys[] = {"write.parquet.page-row-limit", "write.parquet.row-group-size-bytes"};
    static const char *const values[] = {"5", "600"};
    rwl_create_options options = {.schema = columns,
                                  .format_version = version,
                                  .partition = partition,
                                  .property_keys = keys,
                                  .property_values = values,
                                  .property_count = 2};
    test_create_with(name, &options);
}

static void leave_rows(void *ctx, rwl_rows *rows) {
    (void)ctx, (void)rows;
}

/* The rows are the same, but each went through the decoder and the encoder. */
static test_rewritten stream(const char *name, rwl_rewrite_options o) {
    o.tamper = leave_rows;
    test_rewritten out = test_rewrite(name, &o);
    ck_assert_int_eq(out.rewrite.groups_stitched, 0);
    ck_assert_int_eq(out.rewrite.pages_copied, 0);
    return out;
}

/* Ids below 1000 were given out before. */
static void create_used(const char *name) {
    create_paged(name, 3, NULL);
    const char *edit =
        rwl_arena_printf(test_arena(), "sed -i 's/\"next-row-id\": 0/\"next-row-id\": 1000/' %s",
                         test_path(rwl_arena_printf(test_arena(), "%s/metadata/v1.metadata.json", name)));
    ck_assert_int_eq(system(edit), 0);
}

/* A file of rows whose stored ids (500, 502, …) and versions are null in part. */
static void append_stored(const char *name, int first, int rows, bool null_ids, bool null_versions) {
    rwl_table *t = test_open(name);
    rwl_data_files_options options = {.metadata = t->metadata,
                                      .lineage = true,
                                      .operation_id = rwl_arena_printf(test_arena(), "by-hand-%d", first)};
    rwl_data_files *files = NULL;
    rwl_data_writer *w = NULL;
    rwl_batch batch;
    rwl_runs ids, versions;
    ASSERT_OK(rwl_data_files_new(t->store, test_op(), &options, &files, err));
    ASSERT_OK(rwl_data_writer_new(files, &w, err));
    ASSERT_OK(rwl_batch_init(&batch, test_env(), t->schema->fields, 2, err));
    rwl_runs_init(&ids, test_env(), 1);
    rwl_runs_init(&versions, test_env(), 0);
    for (int i = 0; i < rows; i++) {
        rwl_value id = {.kind = RWL_TYPE_LONG, .as.i64 = first + i};
        rwl_value text = {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_str("stored")};
        ASSERT_OK(rwl_column_append(&batch.columns[0], test_env(), &id, 1, err));
        ASSERT_OK(rwl_column_append(&batch.columns[1], test_env(), &text, 1, err));
        if (null_ids && i % 3 == 1)
            ASSERT_OK(rwl_runs_append_null(&ids, 1, err));
        else
            ASSERT_OK(rwl_runs_append(&ids, 500 + 2 * i, 1, err));
        if (null_versions && i % 4 == 1)
            ASSERT_OK(rwl_runs_append_null(&versions, 1, err));
        else
            ASSERT_OK(rwl_runs_append(&versions, 1, 1, err));
    }
    batch.length = rows;
    ASSERT_OK(rwl_data_writer_write(w, &batch, &ids, &versions, err));
    ASSERT_OK(rwl_data_writer_finish(w, err));
    rwl_change_set change = {
        .operation = RWL_OPERATION_APPEND, .planned_snapshot_id = -1, .data_sequence_number = -1};
    change.added_files = rwl_data_files_list(files, &change.added_file_count);
    rwl_commit_outcome out;
    ASSERT_OK(try_commit(t, &change, &out, err));
    rwl_data_files_release(files);
    rwl_data_writer_free(w);
    rwl_data_files_free(files);
    rwl_runs_clear(&ids);
    rwl_runs_clear(&versions);
    rwl_batch_clear(&batch);
    test_close(t);
}

/* --- the same rows both ways --- */

static void inherited(const char *name) {
    create_paged(name, 3, NULL);
    for (int i = 0; i < 4; i++)
        append_rows(name, i * 23, 23);
}

static void stored(const char *name) {
    inherited(name);
    stream(name,
           (rwl_rewrite_options){.rewrite_all = true, .target_bytes = test_target(test_bytes(name), 3)});
}

static void stored_and_inherited(const char *name) {
    stored(name);
    append_rows(name, 200, 31);
    append_rows(name, 300, 3);
}

static void nulls_in_ids(const char *name) {
    create_used(name);
    append_rows(name, 0, 10);
    append_stored(name, 100, 40, true, false);
}

static void nulls_in_versions(const char *name) {
    create_used(name);
    append_stored(name, 100, 40, false, true);
    append_rows(name, 0, 10);
}

static void nulls_in_both(const char *name) {
    create_used(name);
    append_stored(name, 100, 40, true, true);
}

static void version_2(const char *name) {
    create_paged(name, 2, NULL);
    for (int i = 0; i < 4; i++)
        append_rows(name, i * 11, 11);
}

/* The second of two manifests loses its first_row_id: no ids (law 5), and a group of its own (law 8). */
static void some_without_ids(const char *name) {
    create_paged(name, 3, NULL);
    append_rows(name, 0, 20);
    append_rows(name, 50, 20);
    rwl_table *t = test_open(name);
    test_head head = test_read_head(name);
    for (int32_t i = 0; i < head.manifest_count; i++)
        if (head.manifests[i].first_row_id == 20)
            head.manifests[i].has_first_row_id = false;
    test_put_snapshot(t, head.manifests, head.manifest_count, "append", "other", 0);
    test_close(t);
}

static void with_deletes(const char *name) {
    inherited(name);
    test_delete(name, "id < 3 or id = 40 or id >= 60 and id < 75 or id = 91");
}

static void stored_with_deletes(const char *name) {
    stored(name);
    test_delete(name, "id = 0 or id > 30 and id < 45 or id = 80");
}

static void a_file_without_rows_left(const char *name) {
    inherited(name);
    test_delete(name, "id >= 23 and id < 45 or id = 0"); /* one row of the second file stays */
}

static void in_partitions(const char *name) {
    create_paged(name, 3, "truncate(1, name)");
    append_rows(name, 0, 30);
    append_rows(name, 30, 30);
}

static const struct {
    const char *name;
    void (*build)(const char *name);
    int64_t groups;
    int64_t files; /* asked for; 0: as by default */
} cases[] = {
    {"inherited", inherited, 1, 0},
    {"inherited, several files", inherited, 1, 3},
    {"stored", stored, 1, 0},
    {"stored, several files", stored, 1, 2},
    {"stored and inherited", stored_and_inherited, 1, 0},
    {"stored and inherited, several files", stored_and_inherited, 1, 4},
    {"nulls in ids", nulls_in_ids, 1, 0},
    {"nulls in versions", nulls_in_versions, 1, 2},
    {"nulls in both", nulls_in_both, 1, 3},
    {"version 2", version_2, 1, 0},
    {"version 2, several files", version_2, 1, 2},
    {"some without ids", some_without_ids, 2, 0},
    {"deletes", with_deletes, 1, 0},
    {"deletes, several files", with_deletes, 1, 3},
    {"deletes of stored rows", stored_with_deletes, 1, 0},
    {"a file with hardly a row", a_file_without_rows_left, 1, 0},
    {"partitions", in_partitions, 2, 0}, /* "n", null */
};

/* Files of as many rows, unless these are so few that sizes decide, with counts of all columns. */
static void compare_entries(const char *a, const char *b, bool by_size) {
    test_head one = test_read_head(a);
    int64_t next = one.next_row_id, rows[64];
    int32_t count = one.data_files;
    ck_assert_int_le(count, 64);
    for (int32_t i = 0; i < count; i++)
        rows[i] = test_live(&one, i)->file.record_count;
    test_head two = test_read_head(b);
    ck_assert_int_eq(two.next_row_id, next);
    ck_assert(by_size || two.data_files == count);
    for (int32_t i = 0; i < two.data_files; i++) {
        const rwl_data_file *f = &test_live(&two, i)->file;
        ck_assert(by_size || f->record_count == rows[i]);
        ck_assert_int_eq(f->value_count_count, two.format_version >= 3 ? 4 : 2);
        for (int32_t c = 0; c < f->value_count_count; c++)
            ck_assert_int_eq(f->value_counts[c].value, f->record_count);
    }
}

START_TEST(stitched_rows_are_those_that_are_streamed) {
    rwl_rewrite_options o = {.rewrite_all = true, .verify_lineage_only = _i % 2 == 1};
    const char *name = cases[_i / 2].name;
    cases[_i / 2].build("a");
    cases[_i / 2].build("b");
    if (cases[_i / 2].files > 0)
        o.target_bytes = test_target(test_bytes("a"), cases[_i / 2].files);
    const char *before = test_sorted(test_rows("a"));
    test_rewritten a = stream("a", o), b = test_rewrite("b", &o);
    ck_assert_msg(b.rewrite.groups == cases[_i / 2].groups &&
                      b.rewrite.groups_stitched == cases[_i / 2].groups,
                  "%s: %lld of %lld groups stitched", name, (long long)b.rewrite.groups_stitched,
                  (long long)b.rewrite.groups);
    const char *streamed = test_rows("a"), *stitched = test_rows("b");
    ck_assert_msg(strcmp(streamed, stitched) == 0, "%s: streamed %s\nstitched %s", name, streamed, stitched);
    if (strcmp(name, "some without ids") != 0) /* those get ids now */
        ck_assert_str_eq(test_sorted(stitched), before);
    ck_assert(rwl_digest_equal(&a.rewrite.before, &b.rewrite.before));
    ck_assert(rwl_digest_equal(&a.rewrite.after, &b.rewrite.after));
    ck_assert_int_eq(a.rewrite.rows_in, b.rewrite.rows_in);
    ck_assert_int_eq(a.rewrite.rows_out, b.rewrite.rows_out);
    ck_assert_int_eq(a.commit.result.added_rows, b.commit.result.added_rows);
    ck_assert_int_gt(b.rewrite.pages_copied, 0);
    compare_entries("a", "b", o.target_bytes > 0);
    /* and again, over what was stitched */
    test_rewritten again = test_rewrite("b", &o);
    ck_assert_int_eq(again.rewrite.groups_stitched, again.rewrite.groups);
    ck_assert_str_eq(test_sorted(test_rows("b")), test_sorted(stitched));
}
END_TEST

START_TEST(a_second_run_copies_every_page) {
    inherited("t");
    test_rewrite("t", NULL);
    test_rewritten again = test_rewrite("t", NULL);
    ck_assert_int_eq(again.rewrite.groups_stitched, 1);
    ck_assert_int_eq(again.rewrite.pages_encoded, 0);
    ck_assert_int_ge(again.rewrite.pages_copied, 4 * 92 / 5); /* four columns, pages of five rows at most */
}
END_TEST

/* --- files of other writers --- */

/* Appends a file whose columns are `fields`, rows of (long or int, string). */
static void append_file(const char *name, const rwl_field *fields, int32_t count, int first, int rows) {
    rwl_table *t = test_open(name);
    rwl_batch batch;
    ASSERT_OK(rwl_batch_init(&batch, test_env(), fields, count, err));
    for (int i = 0; i < rows; i++)
        for (int32_t c = 0; c < count; c++) {
            rwl_value v = {.kind = fields[c].type.kind};
            if (v.kind == RWL_TYPE_STRING)
                v.as.bytes = rwl_span_str(i % 2 == 0 ? "even" : "odd");
            else if (v.kind == RWL_TYPE_INT)
                v.as.i32 = first + i;
            else
                v.as.i64 = first + i;
            ASSERT_OK(rwl_column_append(&batch.columns[c], test_env(), &v, 1, err));
        }
    batch.length = rows;
    const char *path =
        rwl_arena_printf(test_arena(), "%s/data/other-%d.parquet", t->metadata->location, first);
    const rwl_parquet_write_options options = {.codec = RWL_CODEC_SNAPPY, .page_rows = 5};
    rwl_parquet_writer *writer = NULL;
    rwl_parquet_written written;
    memset(&written, 0, sizeof written);
    ASSERT_OK(rwl_parquet_writer_open(t->store, test_op(), path, fields, count, &options, &writer, err));
    ASSERT_OK(rwl_parquet_writer_write(writer, &batch, err));
    ASSERT_OK(rwl_parquet_writer_finish(writer, &written, err));
    rwl_added_file file = test_fake_file(path, written.file_size, rows, NULL);
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&batch);
    test_close(t);
    test_append_fakes(name, &file, 1);
}

static rwl_field field_of(const char *name, int32_t id, rwl_type_kind kind, bool required) {
    rwl_field f;
    memset(&f, 0, sizeof f);
    f.name = name;
    f.id = id;
    f.required = required;
    f.type = rwl_type_of(kind);
    return f;
}

/* A required column, one of a narrower type, one that is not there, another codec. */
static void other_writers(const char *name) {
    create_paged(name, 3, NULL);
    append_rows(name, 0, 12);
    const rwl_field required[] = {field_of("id", 1, RWL_TYPE_LONG, true),
                                  field_of("name", 2, RWL_TYPE_STRING, true)};
    append_file(name, required, 2, 100, 14);
    const rwl_field narrower[] = {field_of("id", 1, RWL_TYPE_INT, false),
                                  field_of("name", 2, RWL_TYPE_STRING, false)};
    append_file(name, narrower, 2, 200, 7);
    const rwl_field fewer[] = {field_of("id", 1, RWL_TYPE_LONG, false)};
    append_file(name, fewer, 1, 300, 9);
    const rwl_field more[] = {field_of("dropped", 77, RWL_TYPE_STRING, false),
                              field_of("renamed", 2, RWL_TYPE_STRING, false),
                              field_of("id", 1, RWL_TYPE_LONG, false)};
    append_file(name, more, 3, 400, 11);
    test_delete(name, "id = 203 or id = 302");
}

START_TEST(files_of_other_shapes_are_stitched) {
    other_writers("a");
    other_writers("b");
    const rwl_rewrite_options o = {.rewrite_all = true};
    stream("a", o);
    test_rewritten out = test_rewrite("b", NULL);
    ck_assert_int_eq(out.rewrite.groups_stitched, 1);
    ck_assert_str_eq(test_rows("a"), test_rows("b"));
}
END_TEST

/* Opens the only live data file. */
static rwl_parquet_file *open_only(const char *name) {
    test_head head = test_read_head(name);
    ck_assert_int_eq(head.data_files, 1);
    const rwl_data_file *f = &test_live(&head, 0)->file;
    rwl_table *t = test_open(name);
    rwl_parquet_file *file = NULL;
    ASSERT_OK(rwl_parquet_open(t->store, test_op(), f->file_path, f->file_size, &file, err));
    test_close(t);
    return file;
}

/* Some writers make optional columns so where no value is null: levels are not put in front of all their pages. */
START_TEST(columns_required_in_all_files_stay_so) {
    create_paged("t", 3, NULL);
    const rwl_field both[] = {field_of("id", 1, RWL_TYPE_LONG, true),
                              field_of("name", 2, RWL_TYPE_STRING, true)};
    const rwl_field one[] = {field_of("id", 1, RWL_TYPE_LONG, true),
                             field_of("name", 2, RWL_TYPE_STRING, false)};
    append_file("t", both, 2, 0, 40);
    append_file("t", one, 2, 100, 40);
    const char *before = test_sorted(test_rows("t"));
    test_rewritten out = test_rewrite("t", &(rwl_rewrite_options){.rewrite_all = true});
    ck_assert_int_eq(out.rewrite.groups_stitched, 1);
    ck_assert_str_eq(test_sorted(test_rows("t")), before);
    rwl_parquet_file *file = open_only("t");
    ck_assert(file->nodes[0].field.required);
    ck_assert(!file->nodes[1].field.required);
    ck_assert(!file->nodes[2].field.required && !file->nodes[3].field.required); /* lineage */
    rwl_parquet_close(file);
}
END_TEST

START_TEST(filters_a_table_asks_for_are_kept_or_made) {
    static const char *const keys[] = {"write.parquet.bloom-filter-enabled.column.id"};
    static const char *const values[] = {"true"};
    rwl_create_options options = {.schema = columns,
                                  .format_version = 3,
                                  .property_keys = keys,
                                  .property_values = values,
                                  .property_count = 1};
    const rwl_rewrite_options all = {.rewrite_all = true};
    test_create_with("t", &options);
    for (int with_other = 0; with_other < 2; with_other++) {
        append_rows("t", 100 * with_other, 30);
        if (with_other) { /* plain values without a filter */
            const rwl_field fields[] = {field_of("id", 1, RWL_TYPE_LONG, false)};
            append_file("t", fields, 1, 1000, 30);
        }
        test_rewritten out = test_rewrite("t", &all);
        ck_assert_int_eq(out.rewrite.groups_stitched, with_other ? 0 : 1);
        rwl_parquet_file *file = open_only("t");
        ck_assert_int_gt(file->groups[0].chunks[0].bloom.off, 0);
        ck_assert_int_eq(file->groups[0].chunks[1].bloom.off, 0);
        rwl_parquet_close(file);
    }
}
END_TEST

static int64_t find_count(const rwl_metric_count *counts, int32_t count, int32_t id) {
    for (int32_t i = 0; i < count; i++)
        if (counts[i].field_id == id)
            return counts[i].value;
    return -1;
}

static bool has_bounds(const rwl_data_file *f, int32_t id) {
    bool lower = false, upper = false;
    for (int32_t i = 0; i < f->lower_count; i++)
        lower |= f->lower_bounds[i].field_id == id;
    for (int32_t i = 0; i < f->upper_count; i++)
        upper |= f->upper_bounds[i].field_id == id;
    ck_assert(lower == upper);
    return lower;
}

/* va variant = 19, g geometry = 20, gg geography = 21, li list<101 int> = 22, st struct<102 x long, 103 y string> = 23,
 * mp map<104 string, 105 int> = 24, un unknown = 25; rows: ([1, null, 3], (5, "q"), {k: 1, z: null}), ([], (null, null), {}), null. */
static void check_nested_metrics(const char *name, bool streamed) {
    test_head head = test_read_head(name);
    const rwl_data_file *f = &test_live(&head, 0)->file;
    static const struct {
        int32_t id;
        int64_t values, nulls; /* -1: none kept */
        bool bounds;
    } wanted[] = {{19, 3, 0, false},   {20, 3, 1, false},   {21, 3, 1, false},   {22, -1, -1, false},
                  {23, -1, -1, false}, {24, -1, -1, false}, {25, -1, -1, false}, {101, 5, 3, false},
                  {102, 3, 2, true},   {103, 3, 2, true},   {104, 4, 2, false},  {105, 4, 3, false},
                  {1, 3, 0, true}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        int32_t id = wanted[i].id;
        int64_t values = find_count(f->value_counts, f->value_count_count, id),
                nulls = find_count(f->null_counts, f->null_count_count, id);
        ck_assert_msg(values == wanted[i].values, "field %d: %lld values", id, (long long)values);
        /* what copied pages do not tell is not known */
        ck_assert_msg(nulls == wanted[i].nulls || (!streamed && nulls == -1), "field %d: %lld nulls", id,
                      (long long)nulls);
        ck_assert_msg(has_bounds(f, id) == wanted[i].bounds || (!streamed && wanted[i].bounds),
                      "field %d: bounds", id);
    }
}

START_TEST(nested_variant_and_geo_columns_are_stitched_too) {
    const char *name = "golden/v3_types";
    if (!test_golden("v3_types", 0))
        return;
    const char *rows = test_rows(name);
    test_rewritten out = test_rewrite(name, NULL);
    ck_assert_int_eq(out.rewrite.groups_stitched, 1);
    ck_assert_str_eq(test_rows(name), rows);
    check_nested_metrics(name, false);
    stream(name, (rwl_rewrite_options){.rewrite_all = true});
    ck_assert_str_eq(test_rows(name), rows);
    check_nested_metrics(name, true);
    out = test_rewrite(name, NULL); /* all is as we write it: every page stays */
    ck_assert_int_eq(out.rewrite.groups_stitched, 1);
    ck_assert_int_eq(out.rewrite.pages_encoded, 0);
    ck_assert_str_eq(test_rows(name), rows);
    check_nested_metrics(name, false);
    test_delete(name, "id = 1");
    const char *fewer = test_rows(name);
    out = test_rewrite(name, NULL);
    ck_assert_int_eq(out.rewrite.groups_stitched, 1);
    ck_assert_str_eq(test_rows(name), fewer);
}
END_TEST

/* --- when rows are streamed --- */

START_TEST(sorted_rows_are_streamed) {
    inherited("t");
    rwl_rewrite_options o = {.rewrite_all = true, .sort = "name"};
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.rewrite.groups_stitched, 0);
    ck_assert_int_eq(out.rewrite.pages_copied, 0);
    ck_assert_int_gt(out.rewrite.pages_encoded, 0);
}
END_TEST

/* Columns of a file without ids are found by their names, which stitching does not do. */
START_TEST(a_file_without_field_ids_is_left_to_the_reader) {
    create_paged("t", 3, NULL);
    const rwl_field fields[] = {field_of("id", -1, RWL_TYPE_LONG, false),
                                field_of("name", -1, RWL_TYPE_STRING, false)};
    append_file("t", fields, 2, 0, 5);
    const char *before = test_rows("t");
    rwl_rewrite_options o = {.rewrite_all = true};
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.rewrite.groups_stitched, 0);
    ck_assert_str_eq(test_rows("t"), before);
}
END_TEST

/* --- the encoding of ids --- */

typedef struct lineage_encodings {
    uint32_t ids, versions; /* bits of all row groups, all files */
} lineage_encodings;

static lineage_encodings read_encodings(const char *name) {
    lineage_encodings out = {0, 0};
    test_head head = test_read_head(name);
    for (int32_t i = 0; i < head.data_files; i++) {
        const rwl_data_file *f = &test_live(&head, i)->file;
        rwl_table *t = test_open(name);
        rwl_parquet_file *file = NULL;
        ASSERT_OK(rwl_parquet_open(t->store, test_op(), f->file_path, f->file_size, &file, err));
        for (int32_t g = 0; g < file->group_count; g++) {
            out.ids |= file->groups[g].chunks[file->leaf_count - 2].encodings;
            out.versions |= file->groups[g].chunks[file->leaf_count - 1].encodings;
        }
        rwl_parquet_close(file);
        test_close(t);
    }
    return out;
}

#define BIT(encoding) (UINT32_C(1) << RWL_PARQUET_##encoding)

START_TEST(ids_are_deltas_unless_told_otherwise) {
    inherited("t");
    for (int streamed = 0; streamed < 2; streamed++) {
        rwl_rewrite_options o = {.rewrite_all = true, .tamper = streamed ? leave_rows : NULL};
        const char *rows = test_rows("t");
        test_rewrite("t", &o);
        lineage_encodings e = read_encodings("t");
        ck_assert(e.ids & BIT(DELTA_BINARY_PACKED) && !(e.ids & BIT(PLAIN)));
        ck_assert(e.versions & BIT(RLE_DICTIONARY));
        o.row_id_encoding = RWL_ROW_ID_PLAIN; /* the pages of deltas are not copied then */
        test_rewrite("t", &o);
        e = read_encodings("t");
        ck_assert(e.ids & BIT(PLAIN) && !(e.ids & BIT(DELTA_BINARY_PACKED)));
        ck_assert(e.versions & BIT(RLE_DICTIONARY));
        test_rewritten out = test_rewrite("t", &o); /* these are copied */
        ck_assert(streamed || out.rewrite.pages_encoded == 0);
        o.row_id_encoding = RWL_ROW_ID_DEFAULT; /* and these too: readers know both */
        out = test_rewrite("t", &o);
        ck_assert(streamed || out.rewrite.pages_encoded == 0);
        ck_assert_str_eq(test_rows("t"), rows);
    }
}
END_TEST

/* --- faults --- */

/* The n-th call of the store fails, whatever it is: either the rewrite is done, or nothing stays. */
START_TEST(whatever_fails_nothing_stays_of_what_was_stitched) {
    for (int64_t n = 1; n < 400; n++) {
        const char *name = rwl_arena_printf(test_arena(), "t%lld", (long long)n);
        with_deletes(name);
        const char *before = test_listing(name), *rows = test_rows(name);
        rwl_table *t = test_open(name);
        rwl_store *store = NULL;
        const rwl_test_store_options failing = {.fail_call = RWL_TEST_ANY, .fail_at = n};
        ASSERT_OK(rwl_test_store_new(test_env(), t->store, &failing, &store, err));
        test_wrap_store(t, store);
        rwl_rewrite_options o = {.rewrite_all = true, .target_bytes = test_target(test_bytes(name), 2)};
        test_rewritten out;
        memset(&out, 0, sizeof out);
        rwl_status st = rwl_rewrite(t, test_op(), &o, &out.commit, &out.rewrite, NULL);
        bool failed = rwl_test_store_stats_of(store).failures > 0;
        const rwl_test_store_options working = {0};
        rwl_test_store_set(store, &working);
        test_close(t);
        if (st != RWL_OK && st != RWL_COMMIT_UNKNOWN)
            ck_assert_msg(strcmp(test_listing(name), before) == 0, "call %lld left %s", (long long)n,
                          test_listing(name));
        ck_assert_str_eq(test_rows(name), rows);
        ck_assert_int_eq(test_op()->memory_used, 0);
        if (!failed) {
            ck_assert_int_eq(out.rewrite.groups_stitched, 1);
            return;
        }
    }
    ck_abort_msg("too many calls");
}
END_TEST

static void cancel(void *ctx, const char *phase, int64_t done, int64_t total) {
    (void)ctx, (void)phase, (void)done, (void)total;
    atomic_store(&test_op()->cancelled, 1);
}

START_TEST(a_cancelled_stitch_removes_its_files) {
    inherited("t");
    const char *before = test_listing("t");
    rwl_rewrite_options o = {.rewrite_all = true, .target_bytes = test_target(test_bytes("t"), 4)};
    test_op()->progress.update = cancel;
    ASSERT_FAILS(RWL_INTERRUPTED, "", try_rewrite("t", &o, err));
    test_op()->progress.update = NULL;
    atomic_store(&test_op()->cancelled, 0);
    ck_assert_str_eq(test_listing("t"), before);
}
END_TEST

Suite *suite_rewrite_stitch(void) {
    const TTest *const tests[] = {
        a_second_run_copies_every_page,
        files_of_other_shapes_are_stitched,
        columns_required_in_all_files_stay_so,
        filters_a_table_asks_for_are_kept_or_made,
        nested_variant_and_geo_columns_are_stitched_too,
        sorted_rows_are_streamed,
        a_file_without_field_ids_is_left_to_the_reader,
        ids_are_deltas_unless_told_otherwise,
        whatever_fails_nothing_stays_of_what_was_stitched,
        a_cancelled_stitch_removes_its_files,
    };
    Suite *suite = TEST_SUITE("rewrite stitch", tests);
    TCase *both = tcase_create("both ways");
    tcase_add_checked_fixture(both, engine_setup, engine_teardown);
    tcase_add_loop_test(both, stitched_rows_are_those_that_are_streamed, 0,
                        2 * (int)(sizeof cases / sizeof *cases));
    suite_add_tcase(suite, both);
    return suite;
}
