/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the seeds of fuzz_avro, fuzz_avro_rows, fuzz_puffin, fuzz_parquet, fuzz_thrift, fuzz_ipc and fuzz_expr with the library's own writers.
 *
 *   make_seeds DIRECTORY      makes DIRECTORY/avro/… and so on; files that exist are kept
 */
#include "avro/avro.h"
#include "column/arrow.h"
#include "ipc/ipc.h"
#include "parquet/writer.h"
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

/* A row of a data file: numbers, texts, decimals, times, lists, maps of both kinds, structs, variants, lineage. */
static const char row_schema[] =
    "{\"type\":\"record\",\"name\":\"table\",\"fields\":["
    "{\"name\":\"id\",\"type\":\"long\",\"field-id\":1},"
    "{\"name\":\"s\",\"type\":[\"null\",\"string\"],\"field-id\":2},"
    "{\"name\":\"d\",\"type\":{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":9,\"scale\":2},"
    "\"field-id\":3},"
    "{\"name\":\"t\",\"type\":{\"type\":\"long\",\"logicalType\":\"timestamp-millis\",\"adjust-to-utc\":true}"
    ","
    "\"field-id\":4},"
    "{\"name\":\"l\",\"type\":{\"type\":\"array\",\"items\":[\"null\",\"double\"],\"element-id\":6},\"field-"
    "id\":5},"
    "{\"name\":\"m\",\"type\":{\"type\":\"map\",\"values\":\"boolean\",\"key-id\":8,\"value-id\":9},\"field-"
    "id\":7},"
    "{\"name\":\"k\",\"type\":{\"type\":\"array\",\"logicalType\":\"map\",\"items\":{\"type\":\"record\","
    "\"name\":"
    "\"k11_v12\",\"fields\":[{\"name\":\"key\",\"type\":\"int\",\"field-id\":11},{\"name\":\"value\","
    "\"type\":\"float\","
    "\"field-id\":12}]}},\"field-id\":10},"
    "{\"name\":\"r\",\"type\":[\"null\",{\"type\":\"record\",\"name\":\"r13\",\"fields\":[{\"name\":\"x\","
    "\"type\":"
    "{\"type\":\"fixed\",\"name\":\"x\",\"size\":16,\"logicalType\":\"uuid\"},\"field-id\":14},{\"name\":"
    "\"e\",\"type\":"
    "{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\",\"B\"]},\"field-id\":15}]}],\"field-id\":13},"
    "{\"name\":\"v\",\"type\":{\"type\":\"record\",\"name\":\"r16\",\"logicalType\":\"variant\",\"fields\":[{"
    "\"name\":"
    "\"metadata\",\"type\":\"bytes\"},{\"name\":\"value\",\"type\":\"bytes\"}]},\"field-id\":16},"
    "{\"name\":\"n\",\"type\":{\"type\":\"array\",\"items\":\"null\",\"element-id\":18},\"field-id\":17},"
    "{\"name\":\"_row_id\",\"type\":[\"null\",\"long\"],\"field-id\":2147483540}]}";

static void put_longs(rwl_buf *b, const int64_t *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        MUST(rwl_avro_put_long(b, numbers[i], &err));
}

static void put_row(rwl_buf *b, int64_t n) {
    MUST(rwl_avro_put_long(b, n, &err));
    MUST(rwl_avro_put_long(b, n % 2, &err));
    if (n % 2 == 1)
        MUST(rwl_avro_put_bytes(b, rwl_span_str("t\xc3\xa9xt"), &err));
    MUST(rwl_avro_put_bytes(b, rwl_span_of("\x30\x39", 2), &err));
    put_longs(b, (int64_t[]){1700000000000 + n, 2, 1}, 3);
    MUST(rwl_avro_put_double(b, (double)n / 2, &err));
    put_longs(b, (int64_t[]){0, 0, -1, 3}, 4); /* a null, the end; a run of one entry in three bytes */
    MUST(rwl_avro_put_bytes(b, rwl_span_str("k"), &err));
    MUST(rwl_avro_put_bool(b, true, &err));
    put_longs(b, (int64_t[]){0, 1, n}, 3);
    MUST(rwl_avro_put_float(b, 0.5F, &err));
    put_longs(b, (int64_t[]){0, n % 3 == 0}, 2);
    if (n % 3 == 0) {
        MUST(rwl_buf_append(b, "0123456789abcdef", 16, &err));
        MUST(rwl_avro_put_long(b, n % 2, &err));
    }
    MUST(rwl_avro_put_bytes(b, rwl_span_of("\1\0\0", 3), &err));
    MUST(rwl_avro_put_bytes(b, rwl_span_of("\4", 1), &err)); /* true */
    put_longs(b, (int64_t[]){3, 0, n % 2}, 3);
    if (n % 2 == 1)
        MUST(rwl_avro_put_long(b, 100 + n, &err));
}

static void make_rows(const char *dir, const char *name, rwl_codec_id codec, int64_t count) {
    rwl_avro_writer *w;
    MUST(rwl_avro_writer_open(store, &op, place(dir, name), row_schema, NULL, 0, codec, 0, &w, &err));
    for (int64_t n = 0; n < count; n++) {
        put_row(rwl_avro_writer_record(w), n);
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

/* --- parquet and thrift --- */

/* Every type, optional but for the first. */
static const rwl_field file_fields[] = {
    {.name = "l", .id = 1, .required = true, .type = {.kind = RWL_TYPE_LONG}},
    {.name = "b", .id = 2, .type = {.kind = RWL_TYPE_BOOLEAN}},
    {.name = "i", .id = 3, .type = {.kind = RWL_TYPE_INT}},
    {.name = "f", .id = 4, .type = {.kind = RWL_TYPE_FLOAT}},
    {.name = "d", .id = 5, .type = {.kind = RWL_TYPE_DOUBLE}},
    {.name = "n9", .id = 6, .type = {.kind = RWL_TYPE_DECIMAL, .precision = 9, .scale = 2}},
    {.name = "n18", .id = 7, .type = {.kind = RWL_TYPE_DECIMAL, .precision = 18, .scale = 0}},
    {.name = "n38", .id = 8, .type = {.kind = RWL_TYPE_DECIMAL, .precision = 38, .scale = 10}},
    {.name = "dt", .id = 9, .type = {.kind = RWL_TYPE_DATE}},
    {.name = "t", .id = 10, .type = {.kind = RWL_TYPE_TIME}},
    {.name = "ts", .id = 11, .type = {.kind = RWL_TYPE_TIMESTAMP}},
    {.name = "tn", .id = 12, .type = {.kind = RWL_TYPE_TIMESTAMPTZ_NS}},
    {.name = "s", .id = 13, .type = {.kind = RWL_TYPE_STRING}},
    {.name = "u", .id = 14, .type = {.kind = RWL_TYPE_UUID}},
    {.name = "x", .id = 15, .type = {.kind = RWL_TYPE_FIXED, .length = 3}},
    {.name = "y", .id = 16, .type = {.kind = RWL_TYPE_BINARY}},
};
enum { FILE_FIELDS = sizeof file_fields / sizeof *file_fields };

static rwl_value file_value(const rwl_field *field, int64_t n) {
    static const uint8_t bytes[] = "abcdefghijklmnopqrstuvwxyz";
    rwl_value v = rwl_value_null(field->type.kind);
    v.is_null = !field->required && n % 5 == field->id % 5;
    switch (field->type.kind) {
    case RWL_TYPE_BOOLEAN:
        v.as.b = n % 3 == 0;
        break;
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
        v.as.i32 = (int32_t)(n * 7 - 20);
        break;
    case RWL_TYPE_FLOAT:
        v.as.f32 = (float)n / 2;
        break;
    case RWL_TYPE_DOUBLE:
        v.as.f64 = (double)n / 4;
        break;
    case RWL_TYPE_DECIMAL:
        v.as.i128 = n * 1001 - 5000;
        break;
    case RWL_TYPE_STRING:
    case RWL_TYPE_BINARY:
        v.as.bytes = rwl_span_of(bytes, (size_t)(n % 11));
        break;
    case RWL_TYPE_UUID:
        v.as.bytes = rwl_span_of(bytes + n % 3, 16);
        break;
    case RWL_TYPE_FIXED:
        v.as.bytes = rwl_span_of(bytes + n % 7, 3);
        break;
    default:
        v.as.i64 = n % 4 * INT64_C(1000003);
    }
    return v;
}

/* `first` .. of the fields, `rows` rows. */
static void make_parquet(const char *dir, const char *name, int first, int count, int64_t rows,
                         const rwl_parquet_write_options *options) {
    rwl_batch batch;
    rwl_parquet_writer *w;
    rwl_parquet_written written;
    memset(&written, 0, sizeof written);
    MUST(rwl_batch_init(&batch, &env, file_fields + first, count, &err));
    for (int64_t n = 0; n < rows; n++)
        for (int c = 0; c < count; c++) {
            rwl_value v = file_value(&file_fields[first + c], n);
            MUST(rwl_column_append(&batch.columns[c], &env, &v, 1, &err));
        }
    batch.length = rows;
    MUST(
        rwl_parquet_writer_open(store, &op, place(dir, name), file_fields + first, count, options, &w, &err));
    MUST(rwl_parquet_writer_write(w, &batch, &err));
    rwl_status st = rwl_parquet_writer_finish(w, &written, &err);
    if (st != RWL_EXISTS)
        must(st, name);
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&batch);
}

static void make_parquet_files(const char *dir) {
    static const struct {
        const char *name;
        rwl_codec_id codec;
    } codecs[] = {{"none", RWL_CODEC_NONE},
                  {"snappy", RWL_CODEC_SNAPPY},
                  {"gzip", RWL_CODEC_GZIP},
                  {"zstd", RWL_CODEC_ZSTD}};
    char name[64];
    for (int i = 0; i < 4; i++) {
        rwl_parquet_write_options o = {.codec = codecs[i].codec};
        snprintf(name, sizeof name, "dictionary-%s.parquet", codecs[i].name);
        make_parquet(dir, name, 0, 3, 40, &o);
        o.dictionary_bytes = -1;
        snprintf(name, sizeof name, "plain-%s.parquet", codecs[i].name);
        make_parquet(dir, name, 12, 3, 20, &o);
    }
    for (int first = 0; first < FILE_FIELDS;
         first += 2) { /* two columns a file: small inputs mutate faster */
        rwl_parquet_write_options o = {
            .codec = RWL_CODEC_NONE, .page_rows = 6, .dictionary_bytes = first % 4 == 0 ? -1 : 0};
        snprintf(name, sizeof name, "types-%02d.parquet", first);
        make_parquet(dir, name, first, 2, 15, &o);
    }
    rwl_parquet_write_options groups = {.codec = RWL_CODEC_NONE, .row_group_bytes = 200, .page_rows = 8};
    make_parquet(dir, "groups.parquet", 2, 2, 60, &groups);
    rwl_parquet_write_options none = {.codec = RWL_CODEC_NONE};
    make_parquet(dir, "empty.parquet", 0, 2, 0, &none);
}

/* Two bytes of choices in front of a file, as fuzz_parquet_stitch.c has them. */
static void make_stitches(const char *dir, const char *parquet) {
    static const char *const files[] = {"dictionary-snappy", "plain-zstd", "groups", "types-00", "types-10"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[64];
        rwl_buf text, seed;
        rwl_buf_init(&text, &env, SIZE_MAX);
        rwl_buf_init(&seed, &env, SIZE_MAX);
        snprintf(name, sizeof name, "%s.parquet", files[i]);
        MUST(rwl_store_read_all(store, &op, place(parquet, name), &text, &err));
        MUST(rwl_buf_u8(&seed, (uint8_t)(i * 37), &err));
        MUST(rwl_buf_u8(&seed, (uint8_t)i, &err));
        MUST(rwl_buf_append(&seed, text.data, text.len, &err));
        put_file(dir, files[i], rwl_buf_span(&seed));
        rwl_buf_clear(&text);
        rwl_buf_clear(&seed);
    }
}

/* The footers of Parquet files, and page headers: pages begin right after the magic. */
static void make_thrift(const char *dir, const char *parquet) {
    static const char *const files[] = {"dictionary-none", "plain-none", "groups", "empty"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[64];
        rwl_buf text;
        rwl_buf_init(&text, &env, SIZE_MAX);
        snprintf(name, sizeof name, "%s.parquet", files[i]);
        MUST(rwl_store_read_all(store, &op, place(parquet, name), &text, &err));
        size_t footer = rwl_load_le32(text.data + text.len - 8);
        snprintf(name, sizeof name, "footer-%s", files[i]);
        put_file(dir, name, rwl_span_of(text.data + text.len - 8 - footer, footer));
        snprintf(name, sizeof name, "page-%s", files[i]);
        if (text.len > footer + 12 + 60)
            put_file(dir, name, rwl_span_of(text.data + 4, 60));
        rwl_buf_clear(&text);
    }
}

/* --- filters --- */

static void make_filters(const char *dir) {
    static const char *const filters[] = {
        "i = 1 and l <> -9223372036854775808 or not b",
        "f < 1.5e3 or d >= nan or dec between -1.25 and 99999999999999999999999999.0000000001",
        "s in ('a', 'O''Hara', '') and s is not null",
        "dt >= date '2026-11-30' and ts < timestamp '2026-11-30T12:34:56.000001'",
        "tz = timestamptz '2026-11-30T12:34:56+00:00' or tn <= timestamp '1969-12-31T23:59:59.999999999'",
        "t not between time '00:00:00' and time '23:59:59.999999'",
        "u = uuid 'f79c3e09-677c-4bbd-a479-3f349cb785e7' or bin = X'00ff' or fx not in (X'0102')",
        "\"no\" is null and not (_row_id in (1, 2, 3))",
        "((((i))) = (1)) and true <> b and d is not nan",
        "l < 1.5 and i > 3000000000 and f = 0.1",
        "s like 'a%b_' or s not like '10!%' escape '!' and s || 'x' <> 'yx'",
        "i + 1 > l * 2 - dec / 3 % 7 or -f < d",
        "case when i > 1 and b then dec when s is null then 1.5 else -2 end between 0 and l",
        "coalesce(i, l, dec, 0) in (1, l + 1, null) or coalesce(b, i = 1)",
        ("cast(s as int) = cast(d as decimal(38, 10)) and cast(dt as timestamp) < ts and cast(u as string) = "
         "s"),
        "cast(i as long) in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10) and i / 0 = 1 % (2 - 2)",
    };
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        char name[32];
        snprintf(name, sizeof name, "filter-%02d", (int)i);
        put_file(dir, name, rwl_span_str(filters[i]));
    }
}

/* Pages of the decoders' tests, with the header of fuzz_parquet_values.c in front. */
static void make_pages(const char *dir) {
    static const struct {
        const char *name;
        size_t len;
        const char *bytes;
    } pages[] = {
        {"delta-decimal", 22,
         "\017\010\000\007\200\001\004\010\016\003\002\000\000\000\300\077\000\000\000\000\000\000"},
        {"delta-int", 22,
         "\014\010\000\007\200\001\004\010\016\003\002\000\000\000\300\077\000\000\000\000\000\000"},
        {"delta-long", 14, "\016\005\000\007\200\001\004\005\002\002\000\000\000\000"},
        {"index-text", 28,
         "\013\004\000\007\022\000\002\000\000\000ab\002\000\000\000cd\002\000\000\000ef\002\003$\000"},
        {"indexes", 26,
         "\010\010\000\007\020\000\001\000\000\000\002\000\000\000\003\000\000\000\004\000\000\000\002\003"
         "\344\344"},
        {"lengths", 68,
         "\020\004\000\007\200\001\004\004\012\000\010\000\000\000\000\001\000\000\000\000\000\000\000\000"
         "\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000HelloWorldF"
         "oobarABCDEF"},
        {"plain-bits", 6, "\000\014\000\007\245\017"},
        {"plain-decimal", 15, "\005\002\000\007\002\000\000\000\377\234\001\000\000\000\005"},
        {"plain-text", 20, "\003\002\000\007\004\000\000\000axis\004\000\000\000axle"},
        {"prefix-fixed", 99,
         "\024\002\000\007\200\001\004\002\000\006\010\000\000\000\000\000\000\000\000\000\000\000\000\000"
         "\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\200\001"
         "\004\002\016\005\010\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000"
         "\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000abcdefgWXYZ"},
        {"prefixes", 105,
         "\022\004\000\007\200\001\004\004\000\003\010\000\000\000\004\000\005\000\000\000\000\000\000\000"
         "\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\200\001"
         "\004\004\010\003\010\000\000\000\000\006\001\000\000\000\000\000\000\000\000\000\000\000\000\000"
         "\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000axislebabbleyhood"},
        {"runs", 12, "\007\014\000\007\004\000\000\000\010\001\003\245"},
        {"split-fixed", 22,
         "\031\002\000\007\000\001\002\003\004\005\006\007\010\011\012\013\014\015\016\017\020\021"},
        {"split-float", 16, "\026\003\000\007\252\000\243\273\021\264\314\042\305\3353\326"},
    };
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
        put_file(dir, pages[i].name, rwl_span_of(pages[i].bytes, pages[i].len));
}

/* --- Arrow IPC --- */

static rwl_status append_bytes(void *ctx, const void *data, size_t len, rwl_error *e) {
    return rwl_buf_append(ctx, data, len, e);
}

/* Rows of the Parquet seeds' columns, as a stream or a file. */
static void make_ipc(const char *dir, const char *name, bool file, int batches, int64_t rows) {
    const int32_t count = (int32_t)(sizeof file_fields / sizeof *file_fields);
    rwl_buf bytes;
    rwl_batch batch;
    struct ArrowSchema schema;
    rwl_ipc_writer *writer;
    rwl_buf_init(&bytes, &env, SIZE_MAX);
    MUST(rwl_arrow_export_schema(&env, file_fields, count, &schema, &err));
    MUST(rwl_batch_init(&batch, &env, file_fields, count, &err));
    MUST(rwl_ipc_writer_new(&env, &schema, file, (rwl_ipc_sink){&bytes, append_bytes}, &writer, &err));
    for (int b = 0; b < batches; b++) {
        struct ArrowArray array;
        for (int32_t i = 0; i < count; i++) {
            for (int64_t n = 0; n < rows; n++) {
                rwl_value v = file_value(&file_fields[i], n);
                MUST(rwl_column_append(&batch.columns[i], &env, &v, 1, &err));
            }
        }
        batch.length = rows;
        MUST(rwl_arrow_export_batch(&batch, &array, &err));
        MUST(rwl_ipc_writer_write(writer, &array, &err));
        array.release(&array);
    }
    MUST(rwl_ipc_writer_finish(writer, &err));
    rwl_ipc_writer_free(writer);
    put_file(dir, name, rwl_buf_span(&bytes));
    rwl_batch_clear(&batch);
    schema.release(&schema);
    rwl_buf_clear(&bytes);
}

int main(int argc, char **argv) {
    char avro[2048], puffin[2048], parquet[2048], thrift[2048], expr[2048], values[2048];
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
    snprintf(parquet, sizeof parquet, "%s/parquet", argv[1]);
    snprintf(thrift, sizeof thrift, "%s/thrift", argv[1]);
    snprintf(expr, sizeof expr, "%s/expr", argv[1]);
    make_manifest(avro, "manifest-null", RWL_CODEC_NONE, 3);
    make_manifest(avro, "manifest-deflate", RWL_CODEC_DEFLATE, 20);
    make_manifest(avro, "manifest-snappy", RWL_CODEC_SNAPPY, 20);
    make_manifest(avro, "manifest-zstandard", RWL_CODEC_ZSTD, 20);
    make_manifest(avro, "manifest-empty", RWL_CODEC_NONE, 0);
    make_values(avro);
    snprintf(values, sizeof values, "%s/avro_rows", argv[1]);
    make_rows(values, "rows-null", RWL_CODEC_NONE, 7);
    make_rows(values, "rows-snappy", RWL_CODEC_SNAPPY, 20);
    make_rows(values, "rows-zstandard", RWL_CODEC_ZSTD, 20);
    make_manifest(values, "manifest-null", RWL_CODEC_NONE, 3);
    make_vectors(puffin);
    make_puffin(puffin, "empty.puffin", 0);
    make_puffin(puffin, "one.puffin", 1);
    make_puffin(puffin, "two.puffin", 2);
    make_parquet_files(parquet);
    make_thrift(thrift, parquet);
    make_filters(expr);
    snprintf(values, sizeof values, "%s/parquet_values", argv[1]);
    make_pages(values);
    snprintf(values, sizeof values, "%s/parquet_stitch", argv[1]);
    make_stitches(values, parquet);
    snprintf(values, sizeof values, "%s/ipc", argv[1]);
    make_ipc(values, "stream", false, 1, 4);
    make_ipc(values, "file", true, 2, 3);
    make_ipc(values, "empty", false, 0, 0);
    rwl_store_free(store);
    return EXIT_SUCCESS;
}
