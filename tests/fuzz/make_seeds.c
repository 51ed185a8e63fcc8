/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the seeds of fuzz_avro and fuzz_puffin with the library's own writers.
 *
 *   make_seeds DIRECTORY      makes DIRECTORY/avro/… and DIRECTORY/puffin/…; files that exist are kept
 */
#include "avro/avro.h"
#include "puffin/puffin.h"

#include <stdio.h>
#include <stdlib.h>

static rwl_env env;
static rwl_op op;
static rwl_store *store;
static rwl_error err;
static char path[4096];

#define MUST(expr) must((expr), #expr)

static void must(rwl_status st, const char *what) {
    if (st == RWL_OK)
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

static const char *place(const char *dir, const char *name) {
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void put_file(const char *dir, const char *name, rwl_span content) {
    rwl_status st = rwl_store_put(store, &op, place(dir, name), content, &err);
    if (st != RWL_EXISTS)
        must(st, name);
}

/* --- avro --- */

/* The shape of a manifest: optional fields, nested records, lists, maps as arrays of key and value. */
static const char manifest_schema[] =
    "{\"type\":\"record\",\"name\":\"manifest_entry\",\"fields\":["
    "{\"name\":\"status\",\"type\":\"int\",\"field-id\":0},"
    "{\"name\":\"snapshot_id\",\"type\":[\"null\",\"long\"],\"default\":null,\"field-id\":1},"
    "{\"name\":\"data_file\",\"field-id\":2,\"type\":{\"type\":\"record\",\"name\":\"r2\",\"fields\":["
    "{\"name\":\"file_path\",\"type\":\"string\",\"field-id\":100},"
    "{\"name\":\"lower_bounds\",\"field-id\":125,\"type\":[\"null\",{\"type\":\"array\",\"logicalType\":"
    "\"map\",\"items\":"
    "{\"type\":\"record\",\"name\":\"k126_v127\",\"fields\":[{\"name\":\"key\",\"type\":\"int\",\"field-id\":"
    "126},"
    "{\"name\":\"value\",\"type\":\"bytes\",\"field-id\":127}]}}]},"
    "{\"name\":\"split_offsets\",\"field-id\":132,\"type\":[\"null\",{\"type\":\"array\",\"items\":\"long\","
    "\"element-id\":133}]}"
    "]}}]}";

static void put_entry(rwl_buf *b, int64_t n) {
    char file[64];
    snprintf(file, sizeof file, "s3://bucket/data/%05lld.parquet", (long long)n);
    MUST(rwl_avro_put_long(b, n % 3, &err));
    MUST(rwl_avro_put_long(b, n % 2, &err));
    if (n % 2 == 1)
        MUST(rwl_avro_put_long(b, INT64_C(3051729675574597004) + n, &err));
    MUST(rwl_avro_put_bytes(b, rwl_span_str(file), &err));
    MUST(rwl_avro_put_long(b, 1, &err));
    MUST(rwl_avro_put_long(b, 2, &err));
    for (int64_t i = 0; i < 2; i++) {
        MUST(rwl_avro_put_long(b, i, &err));
        MUST(rwl_avro_put_bytes(b, rwl_span_of(&n, sizeof n), &err));
    }
    MUST(rwl_avro_put_long(b, 0, &err));
    MUST(rwl_avro_put_long(b, 1, &err));
    MUST(rwl_avro_put_long(b, 1, &err));
    MUST(rwl_avro_put_long(b, 4, &err));
    MUST(rwl_avro_put_long(b, 0, &err));
}

static void make_manifest(const char *dir, const char *name, rwl_codec_id codec, int64_t count) {
    const rwl_avro_metadata metadata[] = {{"format-version", rwl_span_str("3")},
                                          {"content", rwl_span_str("data")}};
    rwl_avro_writer *w;
    MUST(
        rwl_avro_writer_open(store, &op, place(dir, name), manifest_schema, metadata, 2, codec, 0, &w, &err));
    for (int64_t n = 0; n < count; n++) {
        put_entry(rwl_avro_writer_record(w), n);
        MUST(rwl_avro_writer_end_record(w, &err));
    }
    rwl_status st = rwl_avro_writer_finish(w, NULL, &err);
    if (st != RWL_EXISTS)
        must(st, name);
}

/* A schema, a NUL, a value of it. */
static void make_values(const char *dir) {
    static const struct {
        const char *name, *schema, *value;
        size_t len;
    } values[] = {
        {"value-union", "[\"null\",\"string\",{\"type\":\"map\",\"values\":\"boolean\"}]", "\4\2\2a\1\0", 6},
        {"value-array", "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":\"null\"}}",
         "\4\6\0\3\2\4\0\0", 8},
        {"value-named",
         "{\"type\":\"record\",\"name\":\"n.r\",\"fields\":[{\"name\":\"a\",\"type\":{\"type\":\"fixed\","
         "\"name\":\"f\",\"size\":2}},{\"name\":\"b\",\"type\":\"f\"},{\"name\":\"e\",\"type\":{\"type\":"
         "\"enum\","
         "\"name\":\"e\",\"symbols\":[\"A\",\"B\"]}},{\"name\":\"d\",\"type\":\"double\"}]}",
         "aabb\2\0\0\0\0\0\0\0\0", 13},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        rwl_buf b;
        rwl_buf_init(&b, &env, SIZE_MAX);
        MUST(rwl_buf_append(&b, values[i].schema, strlen(values[i].schema) + 1, &err));
        MUST(rwl_buf_append(&b, values[i].value, values[i].len, &err));
        put_file(dir, values[i].name, rwl_buf_span(&b));
        rwl_buf_clear(&b);
    }
}

/* --- puffin --- */

/* 0: two values; 1: a bitmap container; 2: runs in five containers of two keys; 3: all kinds. */
static rwl_bitmap *make_bitmap(int kind) {
    rwl_bitmap *b;
    MUST(rwl_bitmap_new(&env, &b, &err));
    MUST(rwl_bitmap_add(b, 1, &err));
    MUST(rwl_bitmap_add(b, 200000, &err));
    for (int64_t v = 0; (kind == 1 || kind == 3) && v < 9000; v += 2)
        MUST(rwl_bitmap_add(b, v, &err));
    for (int64_t c = 1; kind >= 2 && c <= 5; c++)
        MUST(rwl_bitmap_add_range(b, (INT64_C(1) << 32) - 300000 + c * 100000, 70000, &err));
    MUST(rwl_bitmap_optimize(b, &err));
    return b;
}

static void make_vectors(const char *dir) {
    for (int kind = 0; kind < 4; kind++) {
        char name[32];
        rwl_buf bytes;
        rwl_bitmap *b = make_bitmap(kind);
        rwl_buf_init(&bytes, &env, SIZE_MAX);
        MUST(rwl_bitmap_serialize(b, &bytes, &err));
        snprintf(name, sizeof name, "bitmap-%d", kind);
        if (kind != 3) /* its parts are in the others */
            put_file(dir, name, rwl_buf_span(&bytes));
        rwl_buf_reset(&bytes);
        MUST(rwl_dv_encode(b, &bytes, &err));
        snprintf(name, sizeof name, "dv-%d", kind);
        if (kind != 1)
            put_file(dir, name, rwl_buf_span(&bytes));
        rwl_buf_clear(&bytes);
        rwl_bitmap_free(b);
    }
}

static void make_puffin(const char *dir, const char *name, int count) {
    rwl_puffin_writer *w;
    rwl_dv_ref ref;
    MUST(rwl_puffin_writer_open(store, &op, place(dir, name), &w, &err));
    for (int i = 0; i < count; i++) {
        rwl_bitmap *b = make_bitmap(i * 2);
        MUST(rwl_puffin_add_dv(w, i == 0 ? "s3://b/data/1.parquet" : "data/\xc3\xbc.parquet", b, &ref, &err));
        rwl_bitmap_free(b);
    }
    rwl_status st = rwl_puffin_writer_finish(w, NULL, &err);
    if (st != RWL_EXISTS)
        must(st, name);
}

int main(int argc, char **argv) {
    char avro[2048], puffin[2048];
    if (argc != 2) {
        fprintf(stderr, "usage: make_seeds DIRECTORY\n");
        return EXIT_FAILURE;
    }
    rwl_env_init_default(&env);
    env.random = no_random;
    rwl_op_init(&op, &env, 0);
    MUST(rwl_store_local_new(&env, NULL, 0, &store, &err));
    snprintf(avro, sizeof avro, "%s/avro", argv[1]);
    snprintf(puffin, sizeof puffin, "%s/puffin", argv[1]);
    make_manifest(avro, "manifest-null", RWL_CODEC_NONE, 3);
    make_manifest(avro, "manifest-deflate", RWL_CODEC_DEFLATE, 20);
    make_manifest(avro, "manifest-snappy", RWL_CODEC_SNAPPY, 20);
    make_manifest(avro, "manifest-zstandard", RWL_CODEC_ZSTD, 20);
    make_manifest(avro, "manifest-empty", RWL_CODEC_NONE, 0);
    make_values(avro);
    make_vectors(puffin);
    make_puffin(puffin, "empty.puffin", 0);
    make_puffin(puffin, "one.puffin", 1);
    make_puffin(puffin, "two.puffin", 2);
    rwl_store_free(store);
    return EXIT_SUCCESS;
}
