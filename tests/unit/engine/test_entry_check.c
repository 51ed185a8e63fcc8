/* SPDX-License-Identifier: Apache-2.0 */
/* Entries held against the rows of their files. */
#include "engine/entry_check.h"

#include "engine_test.h"
#include "suites.h"

/* A table of (p int, s string) partitioned by p, and an entry for two rows of p = 7, one s of them null. */
typedef struct fixture {
    rwl_arena arena;
    rwl_metadata *metadata;
    rwl_entry_check *check;
    rwl_value partition;
    rwl_column_metrics metrics[2];
    rwl_added_file file;
    rwl_batch batch;
} fixture;

static void add_row(fixture *f, int32_t p, const char *s) {
    rwl_value v = {.kind = RWL_TYPE_INT, .as.i32 = p}, text = {.kind = RWL_TYPE_STRING, .is_null = s == NULL};
    text.as.bytes = rwl_span_str(s != NULL ? s : "");
    ASSERT_OK(rwl_column_append(&f->batch.columns[0], test_env(), &v, 1, err));
    ASSERT_OK(rwl_column_append(&f->batch.columns[1], test_env(), &text, 1, err));
    f->batch.length++;
}

static void set_up(fixture *f) {
    memset(f, 0, sizeof *f);
    rwl_arena_init(&f->arena, test_env(), 0);
    rwl_schema schema;
    rwl_partition_spec spec;
    ASSERT_OK(rwl_schema_from_text("p int, s string", &f->arena, &schema, err));
    ASSERT_OK(rwl_partition_spec_from_text("p", &schema, &f->arena, &spec, err));
    rwl_metadata_new options = {.location = "/t", .format_version = 3, .schema = &schema, .spec = &spec};
    ASSERT_OK(rwl_metadata_create(test_env(), &options, &f->metadata, err));
    ASSERT_OK(rwl_entry_check_new(test_env(), f->metadata->schema, f->metadata->spec, &f->check, err));
    f->partition = (rwl_value){.kind = RWL_TYPE_INT, .as.i32 = 7};
    f->metrics[0] =
        (rwl_column_metrics){.field_id = 1, .value_count = 2, .null_count = 0, .with_counts = true};
    f->metrics[1] =
        (rwl_column_metrics){.field_id = 2, .value_count = 2, .null_count = 1, .with_counts = true};
    f->file = (rwl_added_file){
        .partition = &f->partition, .partition_count = 1, .metrics = f->metrics, .metrics_count = 2};
    ASSERT_OK(rwl_batch_init(&f->batch, test_env(), f->metadata->schema->fields, 2, err));
    rwl_entry_check_begin(f->check, &f->file);
}

static void tear_down(fixture *f) {
    rwl_batch_clear(&f->batch);
    rwl_entry_check_free(f->check);
    rwl_metadata_free(f->metadata);
    rwl_arena_clear(&f->arena);
}

START_TEST(a_true_entry_passes) {
    fixture f;
    set_up(&f);
    add_row(&f, 7, "a");
    add_row(&f, 7, NULL);
    ASSERT_OK(rwl_entry_check_rows(f.check, &f.batch, err));
    ASSERT_OK(rwl_entry_check_end(f.check, err));
    tear_down(&f);
}
END_TEST

START_TEST(a_row_of_another_partition_is_found) {
    fixture f;
    set_up(&f);
    add_row(&f, 7, "a");
    add_row(&f, 8, NULL);
    ASSERT_FAILS(RWL_INTERNAL, "row 1 is not of the partition its entry names",
                 rwl_entry_check_rows(f.check, &f.batch, err));
    tear_down(&f);
}
END_TEST

START_TEST(a_wrong_null_count_is_found) {
    fixture f;
    set_up(&f);
    add_row(&f, 7, "a");
    add_row(&f, 7, "b");
    ASSERT_OK(rwl_entry_check_rows(f.check, &f.batch, err));
    ASSERT_FAILS(RWL_INTERNAL, "column s has 0 nulls in 2 rows, its entry says 1 in 2",
                 rwl_entry_check_end(f.check, err));
    tear_down(&f);
}
END_TEST

Suite *suite_entry_check(void) {
    const TTest *const tests[] = {
        a_true_entry_passes,
        a_row_of_another_partition_is_found,
        a_wrong_null_count_is_found,
    };
    return TEST_SUITE("entry check", tests);
}
