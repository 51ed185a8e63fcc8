/* SPDX-License-Identifier: Apache-2.0 */
#include "tree_test.h"

#include "avro/avro.h"
#include "iceberg/driver.h"
#include "iceberg/fragment_deletes.h"
#include "iceberg/fragment_reader.h"
#include "parquet/writer.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- columns --- */

static void set_ids(rwl_field *fields, int32_t count, const char **ids) {
    for (int32_t i = 0; i < count; i++) {
        char *end;
        while (**ids == ' ')
            ++*ids;
        fields[i].id = **ids == '-' ? -1 : (int32_t)strtol(*ids, &end, 10);
        *ids = **ids == '-' ? *ids + 1 : end;
        set_ids((rwl_field *)fields[i].type.children, fields[i].type.child_count, ids);
    }
}

rwl_schema tree_of(const char *text, const char *ids) {
    rwl_schema schema = test_schema(text);
    if (ids != NULL)
        set_ids((rwl_field *)schema.fields, schema.field_count, &ids);
    return schema;
}

/* --- Parquet --- */

static void append_json(rwl_column *c, const rwl_json *json) {
    rwl_value v = rwl_value_null(c->type.kind);
    if (!rwl_type_is_nested(&c->type) || rwl_json_kind_of(json) == RWL_JSON_NULL) {
        ASSERT_OK(rwl_value_from_json(&c->type, json, test_arena(), &v, err));
        ASSERT_OK(rwl_column_append(c, test_env(), &v, 1, err));
        return;
    }
    size_t items = c->type.kind == RWL_TYPE_STRUCT ? 1 : rwl_json_len(json);
    for (size_t i = 0; i < items; i++)
        for (int32_t k = 0; k < c->type.child_count; k++) {
            const rwl_json *item = rwl_json_at(json, i);
            append_json(&c->children[k], c->type.kind == RWL_TYPE_STRUCT
                                             ? rwl_json_get(json, c->type.children[k].name)
                                         : c->type.kind == RWL_TYPE_MAP ? rwl_json_at(item, (size_t)k)
                                                                        : item);
        }
    ASSERT_OK(rwl_column_reserve(c, test_env(), c->length + 1, 0, err));
    if (c->type.kind != RWL_TYPE_STRUCT)
        ((int32_t *)(void *)c->offsets.data)[c->length + 1] = (int32_t)c->children[0].length;
    if (c->null_count > 0)
        rwl_bit_set(c->validity.data, c->length);
    c->length++;
}

static int64_t write_parquet(const char *path, const rwl_schema *columns, const rwl_json *rows) {
    rwl_batch batch;
    rwl_parquet_write_options options = {.codec = RWL_CODEC_NONE, .row_group_bytes = 1};
    rwl_parquet_writer *w = NULL;
    ASSERT_OK(rwl_batch_init(&batch, test_env(), columns->fields, columns->field_count, err));
    ASSERT_OK(rwl_parquet_writer_open(test_store(), test_op(), path, columns->fields, columns->field_count,
                                      &options, &w, err));
    for (size_t i = 0; i < rwl_json_len(rows); i++) {
        rwl_batch_reset(&batch);
        for (int32_t c = 0; c < columns->field_count; c++)
            append_json(&batch.columns[c], rwl_json_at(rwl_json_at(rows, i), (size_t)c));
        batch.length = 1;
        ASSERT_OK(rwl_parquet_writer_write(w, &batch, err));
    }
    rwl_parquet_written written;
    ASSERT_OK(rwl_parquet_writer_finish(w, &written, err));
    int64_t size = written.file_size;
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&batch);
    return size;
}

/* --- Avro --- */

static void put_schema(const rwl_type *t, rwl_buf *out, int *number);

static void put_id(const char *key, int32_t id, rwl_buf *out) {
    if (id >= 0)
        ASSERT_OK(rwl_buf_printf(out, err, ", \"%s\": %d", key, (int)id));
}

static void put_optional(const rwl_field *f, rwl_buf *out, int *number) {
    if (!f->required)
        ASSERT_OK(rwl_buf_str(out, "[\"null\", ", err));
    put_schema(&f->type, out, number);
    if (!f->required)
        ASSERT_OK(rwl_buf_u8(out, ']', err));
}

static void put_record(const rwl_field *fields, int32_t count, rwl_buf *out, int *number) {
    ASSERT_OK(rwl_buf_printf(out, err, "{\"type\": \"record\", \"name\": \"r%d\", \"fields\": [", ++*number));
    for (int32_t i = 0; i < count; i++) {
        ASSERT_OK(
            rwl_buf_printf(out, err, "%s{\"name\": \"%s\", \"type\": ", i > 0 ? ", " : "", fields[i].name));
        put_optional(&fields[i], out, number);
        put_id("field-id", fields[i].id, out);
        ASSERT_OK(rwl_buf_u8(out, '}', err));
    }
    ASSERT_OK(rwl_buf_str(out, "]}", err));
}

static void put_schema(const rwl_type *t, rwl_buf *out, int *number) {
    static const char *const names[RWL_TYPE_MAP + 1] = {
        [RWL_TYPE_BOOLEAN] = "\"boolean\"",
        [RWL_TYPE_INT] = "\"int\"",
        [RWL_TYPE_LONG] = "\"long\"",
        [RWL_TYPE_FLOAT] = "\"float\"",
        [RWL_TYPE_DOUBLE] = "\"double\"",
        [RWL_TYPE_STRING] = "\"string\"",
        [RWL_TYPE_BINARY] = "\"bytes\"",
        [RWL_TYPE_DATE] = "{\"type\": \"int\", \"logicalType\": \"date\"}",
        [RWL_TYPE_TIMESTAMP] =
            "{\"type\": \"long\", \"logicalType\": \"timestamp-micros\", \"adjust-to-utc\": false}"};
    if (t->kind == RWL_TYPE_STRUCT) {
        put_record(t->children, t->child_count, out, number);
    } else if (t->kind == RWL_TYPE_LIST) {
        ASSERT_OK(rwl_buf_str(out, "{\"type\": \"array\", \"items\": ", err));
        put_optional(&t->children[0], out, number);
        put_id("element-id", t->children[0].id, out);
        ASSERT_OK(rwl_buf_u8(out, '}', err));
    } else if (t->kind == RWL_TYPE_MAP) {
        ASSERT_OK(rwl_buf_str(out, "{\"type\": \"array\", \"logicalType\": \"map\", \"items\": ", err));
        put_record(t->children, 2, out, number);
        ASSERT_OK(rwl_buf_u8(out, '}', err));
    } else {
        ck_assert_msg(names[t->kind] != NULL, "type kind %d", (int)t->kind);
        ASSERT_OK(rwl_buf_str(out, names[t->kind], err));
    }
}

static void put_value(const rwl_field *f, const rwl_json *json, rwl_buf *out);

static void put_flat(const rwl_type *t, const rwl_json *json, rwl_buf *out) {
    rwl_value v;
    ASSERT_OK(rwl_value_from_json(t, json, test_arena(), &v, err));
    switch (t->kind) {
    case RWL_TYPE_BOOLEAN:
        ASSERT_OK(rwl_avro_put_bool(out, v.as.b, err));
        break;
    case RWL_TYPE_FLOAT:
        ASSERT_OK(rwl_avro_put_float(out, v.as.f32, err));
        break;
    case RWL_TYPE_DOUBLE:
        ASSERT_OK(rwl_avro_put_double(out, v.as.f64, err));
        break;
    case RWL_TYPE_STRING:
    case RWL_TYPE_BINARY:
        ASSERT_OK(rwl_avro_put_bytes(out, v.as.bytes, err));
        break;
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
        ASSERT_OK(rwl_avro_put_long(out, v.as.i32, err));
        break;
    default:
        ASSERT_OK(rwl_avro_put_long(out, v.as.i64, err));
        break;
    }
}

/* One block of all items, then the end. */
static void put_items(const rwl_type *t, const rwl_json *json, rwl_buf *out) {
    size_t count = rwl_json_len(json);
    if (count > 0)
        ASSERT_OK(rwl_avro_put_long(out, (int64_t)count, err));
    for (size_t i = 0; i < count; i++)
        for (int32_t k = 0; k < t->child_count; k++)
            put_value(&t->children[k],
                      t->kind == RWL_TYPE_MAP ? rwl_json_at(rwl_json_at(json, i), (size_t)k)
                                              : rwl_json_at(json, i),
                      out);
    ASSERT_OK(rwl_avro_put_long(out, 0, err));
}

static void put_value(const rwl_field *f, const rwl_json *json, rwl_buf *out) {
    bool is_null = rwl_json_kind_of(json) == RWL_JSON_NULL;
    if (!f->required)
        ASSERT_OK(rwl_avro_put_long(out, is_null ? 0 : 1, err));
    if (is_null)
        return;
    if (f->type.kind == RWL_TYPE_STRUCT)
        for (int32_t i = 0; i < f->type.child_count; i++)
            put_value(&f->type.children[i], rwl_json_get(json, f->type.children[i].name), out);
    else if (rwl_type_is_nested(&f->type))
        put_items(&f->type, json, out);
    else
        put_flat(&f->type, json, out);
}

static int64_t write_avro(const char *path, const rwl_schema *columns, const rwl_json *rows) {
    rwl_buf schema;
    rwl_avro_writer *w = NULL;
    int number = 0;
    int64_t size;
    rwl_buf_init(&schema, test_env(), SIZE_MAX);
    put_record(columns->fields, columns->field_count, &schema, &number);
    ASSERT_OK(rwl_buf_terminate(&schema, err));
    ASSERT_OK(rwl_avro_writer_open(test_store(), test_op(), path, (const char *)schema.data, NULL, 0,
                                   RWL_CODEC_DEFLATE, 1, &w, err));
    for (size_t i = 0; i < rwl_json_len(rows); i++) {
        for (int32_t c = 0; c < columns->field_count; c++)
            put_value(&columns->fields[c], rwl_json_at(rwl_json_at(rows, i), (size_t)c),
                      rwl_avro_writer_record(w));
        ASSERT_OK(rwl_avro_writer_end_record(w, err));
    }
    ASSERT_OK(rwl_avro_writer_finish(w, &size, err));
    rwl_buf_clear(&schema);
    return size;
}

rwl_fragment tree_write(const char *name, const rwl_schema *columns, const char *rows, tree_format format) {
    rwl_json *json = test_json(rows);
    const char *path = test_path(rwl_arena_printf(test_arena(), "%s.%d", name, (int)format));
    rwl_fragment f = {
        .location = path,
        .format = format == TREE_AVRO ? "avro" : "PARQUET",
        .file_size =
            format == TREE_AVRO ? write_avro(path, columns, json) : write_parquet(path, columns, json),
        .row_count = (int64_t)rwl_json_len(json),
        .lineage = {true, 100, 9},
        .sort_order_id = -1,
    };
    rwl_json_free(json);
    return f;
}

/* --- reading --- */

static void put_rows(const rwl_rows *rows, bool lineage, rwl_buf *out) {
    for (int64_t i = 0; i < rows->batch.length; i++) {
        int64_t id, version;
        if (out->len > 0)
            ASSERT_OK(rwl_buf_u8(out, ' ', err));
        if (lineage && rwl_runs_get(&rows->row_ids, i, &id) && rwl_runs_get(&rows->versions, i, &version))
            ASSERT_OK(rwl_buf_printf(out, err, "%" PRId64 "/%" PRId64, id, version));
        ASSERT_OK(rwl_buf_u8(out, '[', err));
        for (int32_t c = 0; c < rows->batch.column_count; c++) {
            if (c > 0)
                ASSERT_OK(rwl_buf_str(out, ", ", err));
            ASSERT_OK(rwl_column_format_json(&rows->batch.columns[c], i, out, err));
        }
        ASSERT_OK(rwl_buf_u8(out, ']', err));
    }
}

static const char *read_with(const rwl_metadata *m, const rwl_fragment *f,
                             const rwl_fragment_read_options *options) {
    rwl_fragment_reader *r = NULL;
    rwl_rows rows;
    rwl_buf out;
    rwl_buf_init(&out, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_fragment_reader_open(test_store(), test_op(), m, f, options, NULL, &r, err));
    ASSERT_OK(rwl_rows_init(&rows, test_env(), options->fields, options->field_count, err));
    do {
        ASSERT_OK(rwl_fragment_reader_next(r, &rows, err));
        put_rows(&rows, options->lineage, &out);
    } while (rows.batch.length > 0);
    rwl_rows_clear(&rows);
    rwl_fragment_reader_close(r);
    char *text = rwl_arena_strndup(test_arena(), out.len > 0 ? (const char *)out.data : "", out.len);
    rwl_buf_clear(&out);
    for (char *p = text; *p; p++)
        *p = *p == '"' ? '\'' : *p;
    return text;
}

const char *tree_read(const rwl_metadata *m, const rwl_fragment *f, const rwl_schema *columns, bool lineage) {
    rwl_fragment_read_options options = {
        .fields = columns->fields, .field_count = columns->field_count, .lineage = lineage};
    return read_with(m, f, &options);
}

const char *tree_read_where(const rwl_metadata *m, const rwl_fragment *f, const rwl_schema *columns,
                            const char *filter) {
    rwl_fragment_read_options options = {.fields = columns->fields,
                                         .field_count = columns->field_count,
                                         .filter_fields = columns->fields,
                                         .filter_field_count = columns->field_count};
    const rwl_expr *e;
    ASSERT_OK(rwl_expr_parse(filter, test_arena(), &e, err));
    ASSERT_OK(rwl_expr_bind(e, columns->fields, columns->field_count, test_arena(), &options.filter, err));
    return read_with(m, f, &options);
}

void tree_fails(const rwl_metadata *m, const rwl_fragment *f, const rwl_schema *columns, rwl_status code,
                const char *part) {
    rwl_fragment_read_options options = {.fields = columns->fields, .field_count = columns->field_count};
    rwl_fragment_reader *r = NULL;
    rwl_rows rows;
    rwl_error error = {0};
    rwl_bitmap *deletes = NULL;
    rwl_driver driver = rwl_iceberg_driver(test_store(), m, NULL);
    ASSERT_OK(rwl_fragment_deletes(&driver, test_op(), f, &deletes, err));
    ASSERT_OK(rwl_rows_init(&rows, test_env(), options.fields, options.field_count, err));
    rwl_status st = rwl_fragment_reader_open(test_store(), test_op(), m, f, &options, deletes, &r, &error);
    for (bool more = true; st == RWL_OK && more; more = rows.batch.length > 0)
        st = rwl_fragment_reader_next(r, &rows, &error);
    ck_assert_msg(st == code && strstr(error.message, part) != NULL, "status %d: '%s' is not in '%s'",
                  (int)st, part, error.message);
    rwl_rows_clear(&rows);
    rwl_fragment_reader_close(r);
}
