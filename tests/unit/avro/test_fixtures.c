/* SPDX-License-Identifier: Apache-2.0 */
/* Avro files of other engines: every one is read to its end, manifests and lists have what they must have. */
#include "avro/rows.h"
#include "cases.h"

#include <glob.h>
#include <stdio.h>

static rwl_env env;
static rwl_op op;
static rwl_error err;
static rwl_store *store;

static void setup(void) {
    rwl_env_init_default(&env);
    rwl_op_init(&op, &env, 0);
    ck_assert_int_eq(rwl_store_local_new(&env, NULL, 0, &store, &err), RWL_OK);
}

static void teardown(void) {
    rwl_store_free(store);
}

static bool is_kind(const rwl_avro_datum *d, rwl_avro_kind kind) {
    return d != NULL && d->kind == kind;
}

/* A manifest entry: status (0), data_file (2) with file_path (100), record_count (103), file size (104). */
static bool is_entry(const rwl_avro_datum *record) {
    const rwl_avro_datum *status = rwl_avro_get(record, 0, "status"),
                         *file = rwl_avro_get(record, 2, "data_file");
    return is_kind(status, RWL_AVRO_INT) && status->as.i >= 0 && status->as.i <= 2 &&
           is_kind(rwl_avro_get(file, 100, "file_path"), RWL_AVRO_STRING) &&
           is_kind(rwl_avro_get(file, 103, "record_count"), RWL_AVRO_LONG) &&
           is_kind(rwl_avro_get(file, 104, "file_size_in_bytes"), RWL_AVRO_LONG);
}

/* A manifest list's row: manifest_path (500), manifest_length (501), partition_spec_id (502). */
static bool is_manifest(const rwl_avro_datum *record) {
    return is_kind(rwl_avro_get(record, 500, "manifest_path"), RWL_AVRO_STRING) &&
           is_kind(rwl_avro_get(record, 501, "manifest_length"), RWL_AVRO_LONG) &&
           is_kind(rwl_avro_get(record, 502, "partition_spec_id"), RWL_AVRO_INT);
}

static int64_t read_whole(const char *path, bool ids) {
    rwl_avro_reader *r;
    const rwl_avro_datum *record;
    int64_t count = 0;
    if (rwl_avro_reader_open(store, &op, path, &r, &err) != RWL_OK)
        ck_abort_msg("%s", err.message);
    const rwl_avro_schema *schema = rwl_avro_reader_schema(r);
    ck_assert_int_eq(schema->kind, RWL_AVRO_RECORD);
    if (ids && !*schema->has_ids)
        ck_abort_msg("%s has no field ids", path);
    for (;;) {
        if (rwl_avro_reader_next(r, &record, &err) != RWL_OK)
            ck_abort_msg("%s", err.message);
        if (record == NULL)
            break;
        count++;
        if (strcmp(schema->name, "manifest_entry") == 0 && !is_entry(record))
            ck_abort_msg("%s: record %lld is no manifest entry", path, (long long)count);
        if (strcmp(schema->name, "manifest_file") == 0 && !is_manifest(record))
            ck_abort_msg("%s: record %lld is no manifest of a list", path, (long long)count);
    }
    rwl_avro_reader_close(r);
    return count;
}

static void read_all(const char *pattern, bool ids, bool records) {
    glob_t files;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", FIXTURES_DIR, pattern);
    if (glob(path, 0, NULL, &files) != 0) {
        printf("skipped: nothing is at %s\n", path);
        return;
    }
    for (size_t i = 0; i < files.gl_pathc; i++)
        if (read_whole(files.gl_pathv[i], ids) == 0 && records)
            ck_abort_msg("%s has no records", files.gl_pathv[i]);
    globfree(&files);
}

START_TEST(reads_manifests_and_lists_of_spark) {
    read_all("spark/*/metadata/*-m[0-9]*.avro", true, true);
    read_all("spark/*/metadata/snap-*.avro", true, false); /* an empty commit has an empty list */
}
END_TEST

START_TEST(reads_data_files_of_spark) {
    read_all("spark/*/data/*.avro", true, true);
}
END_TEST

START_TEST(reads_files_of_icebird) {
    read_all("golden-icebird/*/metadata/*.avro", true, false);
}
END_TEST

/* Each file of the table, whole: INSERT of range(0, 6) as id, 'r' and id, id / 2 comes first, and others after it. */
START_TEST(reads_rows_of_spark) {
    glob_t files;
    if (glob(FIXTURES_DIR "/spark/format_avro_cow/data/*.avro", 0, NULL, &files) != 0) {
        printf("skipped: no table in Avro is at %s/spark\n", FIXTURES_DIR);
        return;
    }
    for (size_t i = 0; i < files.gl_pathc; i++) {
        rwl_avro_rows *rows;
        rwl_avro_scan *scan;
        rwl_batch batch;
        int32_t count;
        int64_t pos, expected = read_whole(files.gl_pathv[i], true);
        const int32_t columns[] = {0, 1, 2};
        ck_assert_int_eq(rwl_avro_rows_open(store, &op, files.gl_pathv[i], -1, &rows, &err), RWL_OK);
        ck_assert_int_eq(rwl_avro_scan_new(rows, &op, columns, 3, NULL, &scan, &err), RWL_OK);
        const rwl_field *fields = rwl_avro_scan_fields(scan, &count);
        ck_assert_int_eq(rwl_batch_init(&batch, &env, fields, count, &err), RWL_OK);
        ck_assert_int_eq(rwl_avro_scan_next(scan, 100, &batch, &pos, &err), RWL_OK);
        ck_assert_int_eq(batch.length, expected);
        for (int64_t k = 0; i == 0 && k < 6; k++) {
            char text[8] = {'r', (char)('0' + k)};
            ck_assert_int_eq(rwl_column_i64(&batch.columns[0])[k], k);
            ck_assert(rwl_span_equal(rwl_column_bytes(&batch.columns[1], k), rwl_span_str(text)));
            ck_assert(rwl_column_f64(&batch.columns[2])[k] == (double)k / 2);
        }
        rwl_batch_clear(&batch);
        rwl_avro_scan_free(scan);
        rwl_avro_rows_close(rows);
    }
    globfree(&files);
}
END_TEST

/* Written by Spark, pyiceberg, DuckDB; some have neither ids nor a codec. */
START_TEST(reads_files_of_other_engines) {
    read_all("duckdb+duckdb-iceberg/data/persistent/*/metadata/*.avro", false, false);
    read_all("duckdb+duckdb-iceberg/data/persistent/*/*/*/metadata/*.avro", false, false);
    read_all("duckdb+duckdb-iceberg/data/persistent/*/*/*/*/metadata/*.avro", false, false);
    read_all("apache+iceberg-go/testdata/*.avro", false, true);
    read_all("apache+iceberg-rust/crates/iceberg/testdata/manifests_lists/manifest-list-v2-*.avro", false,
             true);
}
END_TEST

START_TEST(names_an_encrypted_file) {
    rwl_avro_reader *r;
    rwl_status st =
        rwl_avro_reader_open(store, &op,
                             FIXTURES_DIR "/apache+iceberg-rust/crates/iceberg/testdata/manifests_lists/"
                                          "manifest-list-v3-encrypted.avro",
                             &r, &err);
    if (st == RWL_NOT_FOUND) {
        printf("skipped: no encrypted manifest list here\n");
        return;
    }
    ck_assert_int_eq(st, RWL_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.message, "file is encrypted (AGS1)"));
}
END_TEST

TCase *fixture_cases(void) {
    TCase *cases = tcase_create("fixtures");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, reads_manifests_and_lists_of_spark);
    tcase_add_test(cases, reads_data_files_of_spark);
    tcase_add_test(cases, reads_rows_of_spark);
    tcase_add_test(cases, reads_files_of_icebird);
    tcase_add_test(cases, reads_files_of_other_engines);
    tcase_add_test(cases, names_an_encrypted_file);
    return cases;
}
