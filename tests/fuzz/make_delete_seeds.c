/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the seeds of fuzz_deletes with the library's own writers: rows of positions and rows of keys, Parquet and Avro.
 *
 *   make_delete_seeds DIRECTORY      makes DIRECTORY/deletes/…; files that exist are kept
 */
#include "avro/avro.h"
#include "parquet/writer.h"

#include <stdio.h>
#include <stdlib.h>

static rwl_env env;
static rwl_op op;
static rwl_store *store;
static rwl_error err;

#define MUST(expr) must((expr), #expr)

static void must(rwl_status st, const char *what) {
    if (st == RWL_OK || st == RWL_EXISTS)
        return;
    fprintf(stderr, "%s: %s\n", what, err.message);
    exit(EXIT_FAILURE);
}

/* So that the same seeds come out again. */
static bool no_random(void *ctx, void *out, size_t len) {
    (void)ctx;
    memset(out, 0x5A, len);
    return true;
}

/* --- rows --- */

/* Reserved ids of the specification. */
static const rwl_field position_fields[] = {
    {.name = "file_path", .id = 2147483546, .required = true, .type = {.kind = RWL_TYPE_STRING}},
    {.name = "pos", .id = 2147483545, .required = true, .type = {.kind = RWL_TYPE_LONG}},
};
static rwl_field inside[] = {{.name = "x", .id = 14, .type = {.kind = RWL_TYPE_UUID}}};
static const rwl_field key_fields[] = {
    {.name = "id", .id = 1, .type = {.kind = RWL_TYPE_LONG}},
    {.name = "s", .id = 2, .type = {.kind = RWL_TYPE_STRING}},
    {.name = "d", .id = 3, .type = {.kind = RWL_TYPE_DECIMAL, .precision = 9, .scale = 2}},
    {.name = "ts", .id = 4, .type = {.kind = RWL_TYPE_TIMESTAMPTZ}},
    {.name = "f", .id = 5, .type = {.kind = RWL_TYPE_FLOAT}}, /* float of a table's double */
    {.name = "b", .id = 6, .type = {.kind = RWL_TYPE_BOOLEAN}},
};
static const rwl_field struct_fields[] = {
    {.name = "id", .id = 1, .type = {.kind = RWL_TYPE_INT}}, /* int of a table's long */
    {.name = "r",
     .id = 13,
     .required = true,
     .type = {.kind = RWL_TYPE_STRUCT, .children = inside, .child_count = 1}},
};

static rwl_value value_of(const rwl_field *f, int64_t n) {
    static const uint8_t letters[] = "abcdefghijklmnopqrstuvwxyz";
    rwl_value v = rwl_value_null(f->type.kind);
    v.is_null = !f->required && n % 5 == f->id % 5;
    if (f->type.kind == RWL_TYPE_STRING)
        v.as.bytes = f->required
                         ? rwl_span_str(n % 3 == 2 ? "s3://b/t/data/1.parquet" : "s3://b/t/data/0.parquet")
                         : rwl_span_of(letters, (size_t)(n % 9));
    else if (f->type.kind == RWL_TYPE_UUID)
        v.as.bytes = rwl_span_of(letters + n % 3, 16);
    else if (f->type.kind == RWL_TYPE_DECIMAL)
        v.as.i128 = n * 1001 - 5000;
    else if (f->type.kind == RWL_TYPE_FLOAT)
        v.as.f32 = n == 3 ? -0.0F : n == 4 ? 0.0F : (float)n / 2;
    else if (f->type.kind == RWL_TYPE_BOOLEAN)
        v.as.b = n % 2 == 0;
    else if (f->type.kind == RWL_TYPE_INT)
        v.as.i32 = (int32_t)n;
    else
        v.as.i64 = n * 3 % 17;
    return v;
}

/* --- parquet --- */

static void fill(rwl_column *c, const rwl_field *f, int64_t rows) {
    if (f->type.kind == RWL_TYPE_STRUCT) {
        MUST(rwl_column_reserve(c, &env, rows, 0, &err));
        c->length = rows;
        for (int32_t i = 0; i < f->type.child_count; i++)
            fill(&c->children[i], &f->type.children[i], rows);
        return;
    }
    for (int64_t n = 0; n < rows; n++) {
        rwl_value v = value_of(f, n);
        MUST(rwl_column_append(c, &env, &v, 1, &err));
    }
}

static void make_parquet(const char *dir, const char *name, const rwl_field *fields, int32_t count,
                         int64_t rows, const rwl_parquet_write_options *options) {
    char path[4096];
    rwl_batch batch;
    rwl_parquet_writer *w;
    rwl_parquet_written written;
    memset(&written, 0, sizeof written);
    snprintf(path, sizeof path, "%s/deletes/%s.parquet", dir, name);
    MUST(rwl_batch_init(&batch, &env, fields, count, &err));
    for (int32_t i = 0; i < count; i++)
        fill(&batch.columns[i], &fields[i], rows);
    batch.length = rows;
    MUST(rwl_parquet_writer_open(store, &op, path, fields, count, options, &w, &err));
    MUST(rwl_parquet_writer_write(w, &batch, &err));
    MUST(rwl_parquet_writer_finish(w, &written, &err));
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&batch);
}

/* --- avro --- */

static const char position_schema[] = "{\"type\":\"record\",\"name\":\"table\",\"fields\":["
                                      "{\"name\":\"file_path\",\"type\":\"string\",\"field-id\":2147483546},"
                                      "{\"name\":\"pos\",\"type\":\"long\",\"field-id\":2147483545}]}";
static const char key_schema[] = "{\"type\":\"record\",\"name\":\"table\",\"fields\":["
                                 "{\"name\":\"id\",\"type\":[\"null\",\"int\"],\"field-id\":1},"
                                 "{\"name\":\"s\",\"type\":[\"null\",\"string\"],\"field-id\":2},"
                                 "{\"name\":\"f\",\"type\":\"double\",\"field-id\":5}]}";

static void put_position(rwl_buf *b, int64_t n) {
    rwl_value path = value_of(&position_fields[0], n);
    MUST(rwl_avro_put_bytes(b, path.as.bytes, &err));
    MUST(rwl_avro_put_long(b, n * 7 % 50, &err));
}

static void put_key(rwl_buf *b, int64_t n) {
    MUST(rwl_avro_put_long(b, n % 3 != 0, &err));
    if (n % 3 != 0)
        MUST(rwl_avro_put_long(b, n, &err));
    MUST(rwl_avro_put_long(b, n % 2, &err));
    if (n % 2 != 0)
        MUST(rwl_avro_put_bytes(b, rwl_span_of("abcdefgh", (size_t)(n % 8)), &err));
    MUST(rwl_avro_put_double(b, (double)n / 4, &err));
}

static void make_avro(const char *dir, const char *name, const char *schema, rwl_codec_id codec,
                      void (*put)(rwl_buf *b, int64_t n), int64_t rows) {
    char path[4096];
    rwl_avro_writer *w;
    snprintf(path, sizeof path, "%s/deletes/%s.avro", dir, name);
    MUST(rwl_avro_writer_open(store, &op, path, schema, NULL, 0, codec, 0, &w, &err));
    for (int64_t n = 0; n < rows; n++) {
        put(rwl_avro_writer_record(w), n);
        MUST(rwl_avro_writer_end_record(w, &err));
    }
    MUST(rwl_avro_writer_finish(w, NULL, &err));
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: make_delete_seeds DIRECTORY\n");
        return EXIT_FAILURE;
    }
    const rwl_parquet_write_options plain = {.codec = RWL_CODEC_NONE, .dictionary_bytes = -1},
                                    pages = {.codec = RWL_CODEC_ZSTD, .page_v2 = true, .page_rows = 7};
    const char *dir = argv[1];
    rwl_env_init_default(&env);
    env.random = no_random;
    rwl_op_init(&op, &env, 0);
    MUST(rwl_store_local_new(&env, NULL, 0, &store, &err));
    make_parquet(dir, "positions-plain", position_fields, 2, 12, &plain);
    make_parquet(dir, "positions-zstd", position_fields, 2, 40, &pages);
    make_parquet(dir, "keys-plain", key_fields, 6, 12, &plain);
    make_parquet(dir, "keys-zstd", key_fields, 6, 40, &pages);
    make_parquet(dir, "numbers", key_fields, 1, 20, &plain);
    make_parquet(dir, "nested", struct_fields, 2, 15, &plain);
    make_avro(dir, "positions-null", position_schema, RWL_CODEC_NONE, put_position, 12);
    make_avro(dir, "positions-snappy", position_schema, RWL_CODEC_SNAPPY, put_position, 40);
    make_avro(dir, "keys-null", key_schema, RWL_CODEC_NONE, put_key, 12);
    rwl_store_free(store);
    return EXIT_SUCCESS;
}
