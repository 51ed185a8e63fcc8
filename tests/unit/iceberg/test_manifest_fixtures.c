/* SPDX-License-Identifier: Apache-2.0 */
/* Manifest lists and entries of the tables that Spark wrote, as Iceberg's own Java classes read them
 * (expected.json). */
#include "table_test.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

typedef struct table {
    const char *name;
    rwl_json *expected, *files;
    rwl_metadata *metadata;
} table;

static bool same_number(const rwl_json *object, const char *key, bool has, int64_t value) {
    const rwl_json *want = rwl_json_get(object, key);
    bool null = want == NULL || rwl_json_kind_of(want) == RWL_JSON_NULL;
    return null ? !has : has && rwl_json_i64(want) == value;
}

/* As same_number; fields that lists of v1 do not have read as 0. */
static bool same_or_zero(const rwl_json *object, const char *key, int64_t value) {
    const rwl_json *want = rwl_json_get(object, key);
    bool null = want == NULL || rwl_json_kind_of(want) == RWL_JSON_NULL;
    return value == (null ? 0 : rwl_json_i64(want));
}

/* `files` has paths relative to the table. */
static bool same_file(const table *t, const rwl_json *index, const char *path) {
    if (index == NULL || rwl_json_kind_of(index) == RWL_JSON_NULL)
        return path == NULL;
    const char *name = rwl_json_str(rwl_json_at(t->files, (size_t)rwl_json_i64(index)));
    if (path == NULL || name == NULL)
        return false;
    size_t len = strlen(path), end = strlen(name);
    return len >= end && strcmp(path + len - end, name) == 0;
}

static bool same_partition(const table *t, const rwl_json *want, const rwl_data_file *f) {
    const rwl_partition_spec *spec = rwl_metadata_spec(t->metadata, f->spec_id);
    ck_assert_ptr_nonnull(spec);
    for (int32_t i = 0; i < spec->field_count; i++) {
        const rwl_json *v = rwl_json_get(want, spec->fields[i].name);
        const rwl_value *got = &f->partition[i];
        bool null = v == NULL || rwl_json_kind_of(v) == RWL_JSON_NULL;
        if (null != got->is_null)
            return false;
        if (null)
            continue;
        if (rwl_json_kind_of(v) == RWL_JSON_INT) {
            int64_t n = got->kind == RWL_TYPE_INT || got->kind == RWL_TYPE_DATE ? got->as.i32 : got->as.i64;
            if (n != rwl_json_i64(v))
                return false;
        } else if (rwl_json_kind_of(v) == RWL_JSON_STRING && got->kind == RWL_TYPE_STRING) {
            if (!rwl_span_equal(got->as.bytes, rwl_span_str(rwl_json_str(v))))
                return false;
        } else if (rwl_json_kind_of(v) == RWL_JSON_STRING) {
            rwl_type type = rwl_type_of(got->kind);
            rwl_buf text;
            rwl_buf_init(&text, test_env(), SIZE_MAX);
            ASSERT_OK(rwl_value_format(&type, got, &text, err));
            bool same = rwl_span_equal(rwl_buf_span(&text), rwl_span_str(rwl_json_str(v)));
            rwl_buf_clear(&text);
            if (!same)
                return false;
        }
    }
    return true;
}

static bool same_ids(const rwl_json *want, const rwl_data_file *f) {
    size_t count = want == NULL ? 0 : rwl_json_len(want);
    if (count != (size_t)f->equality_count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (rwl_json_i64(rwl_json_at(want, i)) != f->equality_ids[i])
            return false;
    return true;
}

static bool same_entry(const table *t, const rwl_json *want, const rwl_manifest_entry *e) {
    const rwl_data_file *f = &e->file;
    const char *format = rwl_json_str(rwl_json_get(want, "format"));
    return same_number(want, "status", true, e->status) && same_number(want, "content", true, f->content) &&
           same_file(t, rwl_json_get(want, "file"), f->file_path) &&
           strcasecmp(format, f->file_format) == 0 && same_number(want, "spec_id", true, f->spec_id) &&
           same_number(want, "record_count", true, f->record_count) &&
           same_number(want, "first_row_id", f->has_first_row_id, f->first_row_id) &&
           same_number(want, "sequence_number", e->sequence_number >= 0, e->sequence_number) &&
           same_number(want, "file_sequence_number", e->file_sequence_number >= 0, e->file_sequence_number) &&
           same_number(want, "snapshot_id", true, e->snapshot_id) &&
           same_number(want, "sort_order_id", f->sort_order_id >= 0, f->sort_order_id) &&
           same_number(want, "content_offset", f->content_offset >= 0, f->content_offset) &&
           same_number(want, "content_size_in_bytes", f->content_size >= 0, f->content_size) &&
           same_file(t, rwl_json_get(want, "referenced_data_file"), f->referenced_data_file) &&
           same_ids(rwl_json_get(want, "equality_ids"), f) &&
           same_partition(t, rwl_json_get(want, "partition"), f);
}

static void check_line(const table *t, const rwl_json *want, const rwl_manifest *m) {
    ck_assert_msg(same_file(t, rwl_json_get(want, "path"), m->path), "%s: %s", t->name, m->path);
    ck_assert(same_or_zero(want, "content", m->content));
    ck_assert(same_number(want, "partition_spec_id", true, m->spec_id));
    ck_assert(same_or_zero(want, "sequence_number", m->sequence_number));
    ck_assert(same_or_zero(want, "min_sequence_number", m->min_sequence_number));
    ck_assert_msg(same_number(want, "first_row_id", m->has_first_row_id, m->first_row_id),
                  "%s: %s: first_row_id", t->name, m->path);
    ck_assert(same_number(want, "added_files_count", m->added_files >= 0, m->added_files));
    ck_assert(same_number(want, "existing_files_count", m->existing_files >= 0, m->existing_files));
    ck_assert(same_number(want, "deleted_files_count", m->deleted_files >= 0, m->deleted_files));
    ck_assert(same_number(want, "added_rows_count", m->added_rows >= 0, m->added_rows));
    ck_assert(same_number(want, "existing_rows_count", m->existing_rows >= 0, m->existing_rows));
    ck_assert(same_number(want, "deleted_rows_count", m->deleted_rows >= 0, m->deleted_rows));
}

/* Takes the first untaken expected entry that is this one. */
static void take_entry(const table *t, const rwl_json *entries, bool *taken, const rwl_manifest_entry *e) {
    for (size_t i = 0; i < rwl_json_len(entries); i++)
        if (!taken[i] && same_entry(t, rwl_json_at(entries, i), e)) {
            taken[i] = true;
            return;
        }
    ck_abort_msg("%s: no expected entry: status %d %s rows %" PRId64 " first_row_id %d %" PRId64
                 " seq %" PRId64 " file seq %" PRId64,
                 t->name, (int)e->status, e->file.file_path, e->file.record_count, e->file.has_first_row_id,
                 e->file.first_row_id, e->sequence_number, e->file_sequence_number);
}

static void check_snapshot(const table *t, const rwl_json *want) {
    int64_t id = rwl_json_i64(rwl_json_get(want, "snapshot-id"));
    const rwl_snapshot *snapshot = rwl_metadata_snapshot(t->metadata, id);
    ck_assert_msg(snapshot != NULL, "%s: no snapshot %" PRId64, t->name, id);
    rwl_manifest_list list;
    ASSERT_OK(rwl_manifest_list_read(fixture_store(), test_op(), snapshot, &list, err));
    const rwl_json *manifests = rwl_json_get(want, "manifests"), *entries = rwl_json_get(want, "entries");
    ck_assert_uint_eq(rwl_json_len(manifests), (size_t)list.count);
    bool *taken = calloc(rwl_json_len(entries) + 1, sizeof *taken);
    size_t count = 0;
    for (int32_t i = 0; i < list.count; i++) {
        check_line(t, rwl_json_at(manifests, (size_t)i), &list.items[i]);
        rwl_manifest_reader *r = NULL;
        ASSERT_OK(rwl_manifest_reader_open(fixture_store(), test_op(), t->metadata, &list.items[i], &r, err));
        for (;;) {
            const rwl_manifest_entry *e;
            ASSERT_OK(rwl_manifest_reader_next(r, &e, err));
            if (e == NULL)
                break;
            count++;
            if (rwl_json_len(entries) > 0) /* types_java: Spark could not list them */
                take_entry(t, entries, taken, e);
        }
        rwl_manifest_reader_close(r);
    }
    ck_assert_msg(count == rwl_json_len(entries) || rwl_json_len(entries) == 0, "%s: %zu entries, not %zu",
                  t->name, count, rwl_json_len(entries));
    free(taken);
    rwl_manifest_list_clear(&list);
}

static void check_table(const char *name) {
    table t = {.name = name};
    t.expected = fixture_expected("spark", name);
    t.metadata = fixture_metadata("spark", name, NULL);
    ck_assert_ptr_nonnull(t.metadata);
    t.files = rwl_json_get(t.expected, "files");
    const rwl_json *snapshots = rwl_json_get(t.expected, "snapshots");
    for (size_t i = 0; i < rwl_json_len(snapshots); i++)
        check_snapshot(&t, rwl_json_at(snapshots, i));
    rwl_metadata_free(t.metadata);
    rwl_json_free(t.expected);
}

START_TEST(manifests_of_spark_read_as_java_reads_them) {
    if (fixture_each_spark_table(check_table) == 0)
        puts("skipped: no fixtures of Spark");
}
END_TEST

/* --- tables of icebird, every version --- */

static void check_icebird_version(const char *name, const char *file) {
    rwl_metadata *m = fixture_metadata("golden-icebird", name, file);
    if (m == NULL)
        return;
    const rwl_snapshot *s = rwl_metadata_snapshot(m, m->current_snapshot_id);
    if (s != NULL) {
        rwl_manifest_list list;
        ASSERT_OK(rwl_manifest_list_read(fixture_store(), test_op(), s, &list, err));
        for (int32_t i = 0; i < list.count; i++) {
            rwl_manifest_reader *r = NULL;
            const rwl_manifest_entry *e = NULL;
            ASSERT_OK(rwl_manifest_reader_open(fixture_store(), test_op(), m, &list.items[i], &r, err));
            do
                ASSERT_OK(rwl_manifest_reader_next(r, &e, err));
            while (e != NULL);
            rwl_manifest_reader_close(r);
        }
        rwl_manifest_list_clear(&list);
    }
    rwl_metadata_free(m);
}

START_TEST(manifests_of_icebird_have_the_counts_their_lists_say) {
    struct dirent **tables;
    int count = scandir(FIXTURES_DIR "/golden-icebird", &tables, NULL, alphasort);
    if (count < 0)
        puts("skipped: no fixtures of icebird");
    for (int i = 0; i < count; i++) {
        for (int version = 1; version < 12 && tables[i]->d_name[0] != '.'; version++)
            check_icebird_version(tables[i]->d_name,
                                  rwl_arena_printf(test_arena(), "v%d.metadata.json", version));
        free(tables[i]);
    }
    if (count >= 0)
        free(tables);
}
END_TEST

Suite *suite_manifest_fixtures(void) {
    Suite *s = suite_create("manifest_fixtures");
    TCase *t = tcase_create("manifest_fixtures");
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_test(t, manifests_of_spark_read_as_java_reads_them);
    tcase_add_test(t, manifests_of_icebird_have_the_counts_their_lists_say);
    suite_add_tcase(s, t);
    return s;
}
