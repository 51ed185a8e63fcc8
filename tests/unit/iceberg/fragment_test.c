/* SPDX-License-Identifier: Apache-2.0 */
#include "fragment_test.h"

#include "iceberg/driver.h"
#include "iceberg/fragment_deletes.h"
#include "parquet/writer.h"
#include "puffin/puffin.h"

#include <inttypes.h>

columns columns_of(const char *text, const int32_t *ids) {
    rwl_schema schema = test_schema(text);
    columns c = {.count = schema.field_count};
    ck_assert_int_le(c.count, COLUMNS);
    for (int32_t i = 0; i < c.count; i++) {
        c.fields[i] = schema.fields[i];
        if (ids != NULL)
            c.fields[i].id = ids[i];
    }
    return c;
}

static void append_text(rwl_column *c, const rwl_type *type, char *text) {
    if (type->kind != RWL_TYPE_STRUCT || strcmp(text, "null") == 0) {
        rwl_value v = strcmp(text, "null") == 0 ? rwl_value_null(type->kind) : test_value(type, text);
        ASSERT_OK(rwl_column_append(c, test_env(), &v, 1, err));
        return;
    }
    for (int32_t i = 0; i < type->child_count; i++) {
        char *end = strchr(text, ',');
        if (end != NULL)
            *end = 0;
        append_text(&c->children[i], &type->children[i].type, text);
        text = end == NULL ? text : end + 1;
    }
    if (c->null_count > 0)
        ASSERT_OK(rwl_column_need_validity(c, test_env(), c->length + 1, err));
    c->length++;
}

rwl_fragment write_file(const char *name, const columns *c, const char *const *rows, int64_t count,
                        int64_t row_group_bytes) {
    rwl_batch batch;
    ASSERT_OK(rwl_batch_init(&batch, test_env(), c->fields, c->count, err));
    rwl_parquet_write_options options = {.codec = RWL_CODEC_ZSTD, .row_group_bytes = row_group_bytes};
    rwl_parquet_writer *w = NULL;
    static int number;
    const char *path = test_path(rwl_arena_printf(test_arena(), "%d-%s", number++, name));
    ASSERT_OK(rwl_parquet_writer_open(test_store(), test_op(), path, c->fields, c->count, &options, &w, err));
    for (int64_t i = 0; i < count; i++) {
        rwl_batch_reset(&batch);
        char *text = rwl_arena_strdup(test_arena(), rows[i]);
        for (int32_t k = 0; k < c->count; k++) {
            char *end = strchr(text, '|');
            if (end != NULL)
                *end = 0;
            append_text(&batch.columns[k], &c->fields[k].type, text);
            text = end == NULL ? text : end + 1;
        }
        batch.length = 1;
        ASSERT_OK(rwl_parquet_writer_write(w, &batch, err));
    }
    rwl_parquet_written written;
    ASSERT_OK(rwl_parquet_writer_finish(w, &written, err));
    rwl_fragment f = {
        .location = path,
        .format = "PARQUET",
        .file_size = written.file_size,
        .row_count = written.row_count,
        .lineage = {true, 100, 9},
        .sort_order_id = -1,
    };
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&batch);
    return f;
}

rwl_delete_ref write_vector(const char *name, const char *data_file, const int64_t *positions, size_t count) {
    rwl_bitmap *bitmap = NULL;
    ASSERT_OK(rwl_bitmap_new(test_env(), &bitmap, err));
    for (size_t i = 0; i < count; i++)
        ASSERT_OK(rwl_bitmap_add(bitmap, positions[i], err));
    rwl_puffin_writer *w = NULL;
    rwl_dv_ref dv;
    int64_t size;
    const char *path = test_path(name);
    ASSERT_OK(rwl_puffin_writer_open(test_store(), test_op(), path, &w, err));
    ASSERT_OK(rwl_puffin_add_dv(w, data_file, bitmap, &dv, err));
    ASSERT_OK(rwl_puffin_writer_finish(w, &size, err));
    rwl_bitmap_free(bitmap);
    rwl_delete_ref ref = {
        .kind = RWL_DELETE_VECTOR,
        .location = path,
        .format = "PUFFIN",
        .file_size = size,
        .offset = dv.offset,
        .length = dv.length,
        .row_count = (int64_t)count,
        .file_scoped = true,
    };
    return ref;
}

rwl_delete_ref write_equality(const char *name, const columns *c, const char *const *rows, int64_t count,
                              const int32_t *ids, int32_t id_count) {
    rwl_fragment f = write_file(name, c, rows, count, 0);
    return (rwl_delete_ref){.kind = RWL_DELETE_EQUALITY,
                            .location = f.location,
                            .format = "PARQUET",
                            .file_size = f.file_size,
                            .offset = -1,
                            .length = -1,
                            .row_count = count,
                            .equality_ids = ids,
                            .equality_count = id_count};
}

rwl_delete_ref write_positions(const char *name, const char *const *rows, int64_t count) {
    const int32_t ids[] = {RWL_FIELD_ID_DELETE_PATH, RWL_FIELD_ID_DELETE_POS};
    columns c = columns_of("file_path string not null, pos long not null", ids);
    rwl_fragment f = write_file(name, &c, rows, count, 0);
    return (rwl_delete_ref){.kind = RWL_DELETE_POSITIONS,
                            .location = f.location,
                            .format = "PARQUET",
                            .file_size = f.file_size,
                            .offset = -1,
                            .length = -1,
                            .row_count = count};
}

const char *live_rows(const rwl_metadata *m, const rwl_fragment *f, rwl_delete_cache *cache) {
    rwl_driver driver = rwl_iceberg_driver(test_store(), m, cache);
    rwl_bitmap *deletes = NULL;
    rwl_buf out;
    ASSERT_OK(rwl_fragment_deletes(&driver, test_op(), f, &deletes, err));
    rwl_buf_init(&out, test_env(), SIZE_MAX);
    for (int64_t i = 0; i < f->row_count; i++)
        if (deletes == NULL || !rwl_bitmap_contains(deletes, i))
            ASSERT_OK(rwl_buf_printf(&out, err, "%s%" PRId64, out.len > 0 ? " " : "", i));
    const char *text = rwl_arena_strndup(test_arena(), (const char *)out.data, out.len);
    rwl_buf_clear(&out);
    rwl_bitmap_free(deletes);
    return text;
}

void assert_live(const rwl_metadata *m, const rwl_fragment *f, const char *want) {
    const int64_t limits[] = {0, 4096};
    ck_assert_str_eq(live_rows(m, f, NULL), want);
    for (int i = 0; i < 2; i++) {
        rwl_delete_cache *cache = NULL;
        ASSERT_OK(rwl_delete_cache_new(test_env(), limits[i], &cache, err));
        ck_assert_str_eq(live_rows(m, f, cache), want);
        ck_assert_str_eq(live_rows(m, f, cache), want);
        rwl_delete_cache_free(cache);
    }
}

void assert_deletes_fail(const rwl_metadata *m, const rwl_fragment *f, rwl_status code, const char *part) {
    rwl_delete_cache *cache = NULL;
    rwl_bitmap *deletes = NULL;
    ASSERT_OK(rwl_delete_cache_new(test_env(), 0, &cache, err));
    for (int i = 0; i < 3; i++) { /* alone, to be kept, and once more */
        rwl_driver driver = rwl_iceberg_driver(test_store(), m, i == 0 ? NULL : cache);
        ASSERT_FAILS(code, part, rwl_fragment_deletes(&driver, test_op(), f, &deletes, err));
        ck_assert_ptr_null(deletes);
    }
    rwl_delete_cache_free(cache);
}
