/* SPDX-License-Identifier: Apache-2.0 */
/* What parsing takes of a budget: metadata, lists of manifests, entries, footers; the least that does, and the refusal below it. */
#include "iceberg/stored_file.h"
#include "least_budget.h"
#include "tree_test.h"

enum { LONG = 100000 /* bytes of a text in each of them */ };

static char long_text[LONG + 1];
static const rwl_metadata *table;
static rwl_manifest manifest;

static void make_long_text(void) {
    memset(long_text, 'x', LONG);
}

static rwl_status read_metadata(void *arg, rwl_error *err) {
    rwl_metadata *m = NULL;
    RWL_TRY(rwl_metadata_read(test_op(), rwl_buf_span(arg), "v1.metadata.json", &m, err));
    rwl_metadata_free(m);
    return RWL_OK;
}

/* The text, and 64 to 200 bytes for each of its values. */
START_TEST(table_metadata) {
    rwl_buf text;
    make_long_text();
    rwl_metadata *m = test_table(3, "p int", "p");
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_json_set(m->json, "note", rwl_json_new_str(long_text), err));
    ASSERT_OK(rwl_metadata_dump(m, &text, err));
    check_least_budget(test_op(), read_metadata, &text, LONG, LONG + (32 << 10), "table metadata needs");
    rwl_buf_clear(&text);
    rwl_metadata_free(m);
}
END_TEST

static rwl_status read_list(void *arg, rwl_error *err) {
    rwl_manifest_list list;
    rwl_status st = rwl_manifest_list_read(test_store(), test_op(), arg, &list, err);
    rwl_manifest_list_clear(&list);
    return st;
}

static rwl_status read_entries(void *arg, rwl_error *err) {
    rwl_manifest_reader *r = NULL;
    const rwl_manifest_entry *e = arg;
    RWL_TRY(rwl_manifest_reader_open(test_store(), test_op(), table, &manifest, &r, err));
    rwl_status st;
    do
        st = rwl_manifest_reader_next(r, &e, err);
    while (st == RWL_OK && e != NULL);
    rwl_manifest_reader_close(r);
    return st;
}

/* A path of LONG bytes is in the block as it is stored, uncompressed, and as it is parsed. */
START_TEST(manifests_and_their_list) {
    make_long_text();
    table = test_table(3, "p int", "p");
    rwl_value partition = {.kind = RWL_TYPE_INT, .as.i32 = 1};
    const rwl_manifest_writer_options options = {
        .format_version = 3, .schema = table->schema, .spec = table->spec, .snapshot_id = 1};
    rwl_manifest_writer *w = NULL;
    rwl_data_file f = test_data_file(long_text, 1, &partition, 1);
    f.spec_id = table->spec->spec_id;
    ASSERT_OK(rwl_manifest_writer_open(test_store(), test_op(), test_path("m.avro"), &options, &w, err));
    ASSERT_OK(rwl_manifest_writer_add(w, &f, -1, err));
    ASSERT_OK(rwl_manifest_writer_finish(w, test_arena(), &manifest, err));
    manifest.sequence_number = manifest.min_sequence_number = 1;
    manifest.has_first_row_id = true;
    check_least_budget(test_op(), read_entries, NULL, LONG, 4 * LONG, "needs");

    rwl_manifest line = manifest;
    line.path = long_text;
    const rwl_manifest_list_options list = {3, 1, -1, 1, 0};
    rwl_snapshot s = {.snapshot_id = 1, .parent_id = -1, .sequence_number = 1, .schema_id = -1};
    s.manifest_list = test_path("snap.avro");
    ASSERT_OK(rwl_manifest_list_write(test_store(), test_op(), s.manifest_list, &line, 1, &list, err));
    check_least_budget(test_op(), read_list, &s, 2 * LONG, 5 * LONG, "the list of manifests needs");
}
END_TEST

static rwl_status open_file(void *arg, rwl_error *err) {
    const rwl_fragment *f = arg;
    rwl_stored_file *file = NULL;
    RWL_TRY(rwl_stored_file_open(test_store(), test_op(), f->location, f->format, f->file_size, &file, err));
    rwl_stored_file_close(file);
    return RWL_OK;
}

/* A name of LONG bytes: in the schema of Parquet, in the path of its chunk, and in Iceberg's schema in JSON beside them. */
START_TEST(a_footer_of_parquet) {
    make_long_text();
    rwl_schema columns = tree_of(rwl_arena_printf(test_arena(), "%s int", long_text), NULL);
    rwl_fragment f = tree_write("long", &columns, "[[1]]", TREE_PARQUET);
    check_least_budget(test_op(), open_file, &f, LONG, 8 * LONG, "a parquet footer needs");
}
END_TEST

Suite *suite_budget(void) {
    Suite *s = suite_create("budget");
    TCase *t = tcase_create("budget");
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_test(t, table_metadata);
    tcase_add_test(t, manifests_and_their_list);
    tcase_add_test(t, a_footer_of_parquet);
    suite_add_tcase(s, t);
    return s;
}
