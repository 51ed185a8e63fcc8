/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata that other implementations wrote: read as they read it, written back as it was, upgraded. */
#include "iceberg_test.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

/* Ends of the paths of files that are to be refused; all others are good. */
static const struct {
    const char *path_end;
    rwl_status status;
    const char *part;
} REFUSED[] = {
    {"testdata/table_metadata/TableMetadataUnsupportedVersion.json", RWL_CORRUPT,
     "'next-row-id' is missing"}, /* says 3 */
    {"TableMetadataUnsupportedVersion.json", RWL_UNSUPPORTED, "table format version 42"},
    {"TableMetadataV2MissingSortOrder.json", RWL_CORRUPT, "'sort-orders' is missing"},
    {"TableMetadataV2MissingPartitionSpecs.json", RWL_CORRUPT, "'partition-specs' is missing"},
    {"TableMetadataV2MissingSchemas.json", RWL_CORRUPT, "'schemas' is missing"},
    {"TableMetadataV2MissingLastPartitionId.json", RWL_CORRUPT, "'last-partition-id' is missing"},
    {"TableMetadataV2CurrentSchemaNotFound.json", RWL_CORRUPT, "'current-schema-id' is 2"},
    {"TableMetadataV1MissingSchemaType.json", RWL_CORRUPT, "'type' is missing"},
    {"TableMetadataV1NoValidSchema.json", RWL_CORRUPT, "'current-schema-id' is missing"},
    {"bad_iceberg_metadata.json", RWL_CORRUPT, "line"},
    /* version 3 made by hand, against ICE-22 and BUG-028 */
    {"iceberg-go/table/testdata/TableMetadataV3WithPartitionStatistics.json", RWL_CORRUPT,
     "added-rows is null"},
    {"timestamptz_ns/metadata/v1.metadata.json", RWL_CORRUPT, "'next-row-id' is missing"},
    /* manifests in JSON under a name of metadata */
    {"snap-8656952484400131532-1-a85973e4-4009-4cba-875e-5278a2c6027d.metadata.json", RWL_CORRUPT,
     "table metadata"},
    {"a85973e4-4009-4cba-875e-5278a2c6027d-m0.metadata.json", RWL_CORRUPT, "table metadata"},
};

/* Writes it and reads it again: the same document. */
static void assert_round_trip(const rwl_metadata *m, const char *path) {
    rwl_buf first, second;
    rwl_buf_init(&first, test_env(), SIZE_MAX);
    rwl_buf_init(&second, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_metadata_dump(m, &first, err));
    rwl_metadata *again;
    ASSERT_OK(rwl_metadata_parse(test_env(), rwl_buf_span(&first), path, &again, err));
    ASSERT_OK(rwl_metadata_dump(again, &second, err));
    ck_assert_msg(rwl_span_equal(rwl_buf_span(&first), rwl_buf_span(&second)), "%s changed", path);
    rwl_buf_clear(&first);
    rwl_buf_clear(&second);
    rwl_metadata_free(again);
}

/* The schema written from the parsed form says what the document says. */
static void assert_schemas_are_whole(const rwl_metadata *m, const char *path) {
    for (int32_t i = 0; i < m->schema_count; i++) {
        rwl_json *json;
        rwl_schema again;
        ASSERT_OK(rwl_schema_to_json(&m->schemas[i], &json, err));
        ASSERT_OK(rwl_schema_from_json(json, 3, test_arena(), &again, err));
        rwl_json_free(json);
        ck_assert_msg(again.by_id_count == m->schemas[i].by_id_count, "%s", path);
        for (int32_t k = 0; k < again.by_id_count; k++)
            ck_assert_msg(rwl_type_equal(&again.by_id[k]->type, &m->schemas[i].by_id[k]->type), "%s", path);
    }
}

static void assert_upgrades(const rwl_metadata *m) {
    rwl_metadata *next;
    ASSERT_OK(rwl_metadata_upgrade(m, 3, 0, &next, err));
    ck_assert_int_eq(next->format_version, 3);
    ck_assert_int_eq(next->snapshot_count, m->snapshot_count);
    ck_assert_int_eq(next->current_snapshot_id, m->current_snapshot_id);
    rwl_metadata_free(next);
}

static bool ends_with(const char *text, const char *end) {
    size_t len = strlen(text);
    size_t end_len = strlen(end);
    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

static void check_file(const char *path) {
    size_t len = 0;
    char *text = test_read_file(path, &len);
    ck_assert_ptr_nonnull(text);
    bool compressed =
        len > 4 && (memcmp(text, "\x1f\x8b", 2) == 0 || memcmp(text, "\x28\xb5\x2f\xfd", 4) == 0);
    if (compressed)
        return; /* the catalog's business */
    rwl_metadata *m = NULL;
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        if (ends_with(path, REFUSED[i].path_end)) {
            ASSERT_FAILS(REFUSED[i].status, REFUSED[i].part,
                         rwl_metadata_parse(test_env(), rwl_span_of(text, len), path, &m, err));
            return;
        }
    }
    rwl_error error = {0};
    rwl_status st = rwl_metadata_parse(test_env(), rwl_span_of(text, len), path, &m, &error);
    ck_assert_msg(st == RWL_OK, "%s: %s", path, error.message);
    assert_round_trip(m, path);
    assert_schemas_are_whole(m, path);
    assert_upgrades(m);
    rwl_metadata_free(m);
}

static bool is_metadata(const char *name) {
    return ends_with(name, ".metadata.json") || strncmp(name, "TableMetadata", 13) == 0 ||
           strcmp(name, "bad_iceberg_metadata.json") == 0;
}

static int walk(const char *folder, int depth) {
    DIR *dir = opendir(folder);
    ck_assert_ptr_nonnull(dir);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        char path[4096];
        ck_assert_int_lt(snprintf(path, sizeof path, "%s/%s", folder, entry->d_name), (int)sizeof path);
        struct stat info;
        ck_assert_int_eq(lstat(path, &info), 0);
        if (S_ISDIR(info.st_mode) && depth < 20)
            count += walk(path, depth + 1);
        if (!S_ISREG(info.st_mode) || !is_metadata(entry->d_name))
            continue;
        check_file(path);
        count++;
    }
    closedir(dir);
    return count;
}

static const struct {
    const char *folder;
    int at_least; /* files: so that a moved folder does not pass unseen */
} FOLDERS[] = {{"spark", 200},           {"golden-icebird", 50},     {"duckdb+duckdb-iceberg", 50},
               {"hyparam+icebird", 10},  {"apache+iceberg", 10},     {"apache+iceberg-rust", 10},
               {"apache+iceberg-go", 8}, {"apache+iceberg-cpp", 10}, {"Altinity+ice", 1}};

START_TEST(metadata_of_other_writers_is_read_and_kept) {
    struct stat info;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", FIXTURES_DIR, FOLDERS[_i].folder);
    if (stat(path, &info) != 0) {
        printf("skipped: no fixtures at %s\n", path);
        return;
    }
    ck_assert_int_ge(walk(path, 0), FOLDERS[_i].at_least);
}
END_TEST

Suite *suite_metadata_fixtures(void) {
    Suite *suite = suite_create("metadata_fixtures");
    TCase *tc = tcase_create("metadata_fixtures");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, metadata_of_other_writers_is_read_and_kept, 0,
                        (int)(sizeof FOLDERS / sizeof FOLDERS[0]));
    suite_add_tcase(suite, tc);
    return suite;
}
