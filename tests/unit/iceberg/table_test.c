/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include "table_test.h"

#include "codec/codec.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static rwl_op op;
static rwl_store *store, *fixtures;
static char folder[256];

rwl_op *test_op(void) {
    return &op;
}
rwl_store *test_store(void) {
    return store;
}
const char *test_folder(void) {
    return folder;
}

void table_setup(void) {
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/rowline-test-XXXXXX", tmp != NULL ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    rwl_op_init(&op, test_env(), 0);
    ASSERT_OK(rwl_store_local_new(test_env(), NULL, 0, &store, err));
    const rwl_path_map maps[] = {
        {"/warehouse/spark", FIXTURES_DIR "/spark"},
        {"/tmp/golden-icebird", FIXTURES_DIR "/golden-icebird"},
    };
    ASSERT_OK(rwl_store_local_new(test_env(), maps, 2, &fixtures, err));
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw) {
    (void)st, (void)flag, (void)ftw;
    return remove(path);
}

void table_teardown(void) {
    rwl_store_free(store);
    rwl_store_free(fixtures);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

rwl_store *fixture_store(void) {
    return fixtures;
}

const char *test_path(const char *name) {
    const char *path = rwl_arena_printf(test_arena(), "%s/%s", folder, name);
    ck_assert_ptr_nonnull(path);
    return path;
}

rwl_metadata *test_table(int32_t version, const char *columns, const char *partition) {
    rwl_schema schema = test_schema(columns);
    rwl_partition_spec spec;
    rwl_metadata_new options = {.location = folder, .format_version = version, .schema = &schema};
    if (partition != NULL) {
        ASSERT_OK(rwl_partition_spec_from_text(partition, &schema, test_arena(), &spec, err));
        options.spec = &spec;
    }
    rwl_metadata *m = NULL;
    ASSERT_OK(rwl_metadata_create(test_env(), &options, &m, err));
    return m;
}

rwl_data_file test_data_file(const char *path, int64_t rows, const rwl_value *partition,
                             int32_t partition_count) {
    rwl_data_file f;
    memset(&f, 0, sizeof f);
    f.file_path = path;
    f.file_format = "PARQUET";
    f.record_count = rows;
    f.file_size = 150972;
    f.partition = partition;
    f.partition_count = partition_count;
    f.sort_order_id = 0;
    f.content_offset = f.content_size = -1;
    return f;
}

/* --- tables of other engines --- */

static rwl_json *read_json(const char *path) {
    size_t len;
    char *text = test_read_file(path, &len);
    if (text == NULL)
        return NULL;
    rwl_json *json = NULL;
    ASSERT_OK(rwl_json_parse(rwl_span_of(text, len), &json, err));
    return json;
}

rwl_json *fixture_expected(const char *where, const char *table) {
    return read_json(rwl_arena_printf(test_arena(), FIXTURES_DIR "/%s/%s/expected.json", where, table));
}

static const char *newest_metadata(const char *where, const char *table) {
    rwl_json *expected = fixture_expected(where, table);
    if (expected == NULL)
        return NULL;
    rwl_json *versions = rwl_json_get(expected, "versions");
    rwl_json *last = rwl_json_at(versions, rwl_json_len(versions) - 1);
    char *name = rwl_arena_strdup(test_arena(), rwl_json_str(rwl_json_get(last, "metadata")));
    rwl_json_free(expected);
    return name;
}

/* Plain or gzip text of a metadata file. */
static rwl_span metadata_text(const char *path, const char *name) {
    size_t len;
    char *bytes = test_read_file(path, &len);
    ck_assert_msg(bytes != NULL, "no %s", path);
    rwl_span text = rwl_span_of(bytes, len);
    if (strstr(name, ".gz.") == NULL)
        return text;
    rwl_codec *gzip = NULL;
    rwl_buf out;
    rwl_buf_init(&out, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_codec_new(test_env(), RWL_CODEC_GZIP, 0, &gzip, err));
    ASSERT_OK(rwl_codec_decompress_all(gzip, text, &out, err));
    text = rwl_span_of(rwl_arena_copy(test_arena(), out.data, out.len), out.len);
    rwl_codec_free(gzip);
    rwl_buf_clear(&out);
    return text;
}

rwl_metadata *fixture_metadata(const char *where, const char *table, const char *file) {
    const char *name = file != NULL ? file : newest_metadata(where, table);
    if (name == NULL)
        return NULL;
    const char *path = rwl_arena_printf(test_arena(), FIXTURES_DIR "/%s/%s/metadata/%s", where, table, name);
    if (access(path, R_OK) != 0)
        return NULL;
    rwl_metadata *m = NULL;
    ASSERT_OK(rwl_metadata_parse(test_env(), metadata_text(path, name), path, &m, err));
    return m;
}

int fixture_each_spark_table(void (*each)(const char *table)) {
    struct dirent **names;
    int count = scandir(FIXTURES_DIR "/spark", &names, NULL, alphasort), done = 0;
    for (int i = 0; i < count; i++) {
        if (names[i]->d_name[0] != '.' &&
            access(rwl_arena_printf(test_arena(), FIXTURES_DIR "/spark/%s/expected.json", names[i]->d_name),
                   R_OK) == 0) {
            each(names[i]->d_name);
            done++;
        }
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return done;
}
