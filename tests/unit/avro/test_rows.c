/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of Avro files as columns: every type, what is wanted, positions, blocks, hostile files. */
#include "avro/rows.h"
#include "cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static rwl_env env;
static rwl_op op;
static rwl_error err;
static rwl_store *store;
static rwl_buf file, block, text;
static char dir[64], location[128];

static void setup(void) {
    rwl_env_init_default(&env);
    rwl_op_init(&op, &env, 0);
    rwl_buf_init(&file, &env, SIZE_MAX);
    rwl_buf_init(&block, &env, SIZE_MAX);
    rwl_buf_init(&text, &env, SIZE_MAX);
    ck_assert_int_eq(rwl_store_local_new(&env, NULL, 0, &store, &err), RWL_OK);
    strcpy(dir, "/tmp/rowline-rows-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(location, sizeof location, "%s/a.avro", dir);
}

static void teardown(void) {
    unlink(location);
    rmdir(dir);
    rwl_store_free(store);
    rwl_buf_clear(&file);
    rwl_buf_clear(&block);
    rwl_buf_clear(&text);
}

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            ck_abort_msg("%s does not hold: %s", #condition, err.message);                                   \
    } while (0)
#define TRY(expr) CHECK((expr) == RWL_OK)

/* --- files by hand --- */

#define SYNC "0123456789abcdef"

static void put_text(rwl_buf *to, const char *s) {
    TRY(rwl_avro_put_bytes(to, rwl_span_str(s), &err));
}

static void begin_file(const char *schema, const char *codec) {
    rwl_buf_reset(&file);
    TRY(rwl_buf_str(&file, "Obj\1", &err));
    TRY(rwl_avro_put_long(&file, 2, &err));
    put_text(&file, "avro.schema");
    put_text(&file, schema);
    put_text(&file, "avro.codec");
    put_text(&file, codec);
    TRY(rwl_avro_put_long(&file, 0, &err));
    TRY(rwl_buf_str(&file, SYNC, &err));
}

static void begin_record(const char *fields, const char *codec) {
    rwl_buf_reset(&text);
    TRY(rwl_buf_printf(&text, &err, "{\"type\":\"record\",\"name\":\"table\",\"fields\":[%s]}", fields));
    TRY(rwl_buf_terminate(&text, &err));
    begin_file((const char *)text.data, codec);
}

static void put_block(int64_t count) {
    TRY(rwl_avro_put_long(&file, count, &err));
    TRY(rwl_avro_put_long(&file, (int64_t)block.len, &err));
    TRY(rwl_buf_append(&file, block.data, block.len, &err));
    TRY(rwl_buf_str(&file, SYNC, &err));
    rwl_buf_reset(&block);
}

static void save(void) {
    FILE *f = fopen(location, "wb");
    CHECK(f != NULL && fwrite(file.data, 1, file.len, f) == file.len);
    CHECK(fclose(f) == 0);
}

/* One value: 5 a number, 'abc a string, #0aff bytes as they are, d1.5 a double, f1.5 a float, yes, no. */
static void put_value(const char *token) {
    if (*token == '\'')
        put_text(&block, token + 1);
    else if (*token == 'd')
        TRY(rwl_avro_put_double(&block, strtod(token + 1, NULL), &err));
    else if (*token == 'f')
        TRY(rwl_avro_put_float(&block, strtof(token + 1, NULL), &err));
    else if (*token == 'y' || *token == 'n')
        TRY(rwl_avro_put_bool(&block, *token == 'y', &err));
    else if (*token == '#')
        for (const char *p = token + 1; *p != '\0'; p += 2)
            TRY(rwl_buf_u8(
                &block, (uint8_t)(rwl_hex_digit((uint8_t)p[0]) << 4 | rwl_hex_digit((uint8_t)p[1])), &err));
    else
        TRY(rwl_avro_put_long(&block, strtoll(token, NULL, 10), &err));
}

static void put_values(const char *values) {
    char copy[1024];
    CHECK(strlen(values) < sizeof copy);
    strcpy(copy, values);
    for (char *token = strtok(copy, " "); token != NULL; token = strtok(NULL, " "))
        put_value(token);
}

/* --- reading --- */

static void append_rows(const rwl_batch *batch) {
    for (int64_t i = 0; i < batch->length; i++) {
        if (text.len > 0)
            TRY(rwl_buf_str(&text, "; ", &err));
        for (int32_t k = 0; k < batch->column_count; k++) {
            TRY(rwl_buf_str(&text, k > 0 ? " " : "", &err));
            TRY(rwl_column_format_json(&batch->columns[k], i, &text, &err));
        }
    }
}

/* All rows as text, columns side by side; the types of the fields into `types` where it is given. */
static rwl_status read_rows(const int32_t *columns, int32_t count, const bool *wanted, int64_t max_rows,
                            rwl_buf *types) {
    rwl_avro_rows *rows;
    rwl_avro_scan *scan = NULL;
    rwl_batch batch = {0};
    int64_t pos, next = 0;
    rwl_buf_reset(&text);
    RWL_TRY(rwl_avro_rows_open(store, &op, location, -1, &rows, &err));
    rwl_status st = rwl_avro_scan_new(rows, &op, columns, count, wanted, &scan, &err);
    if (st == RWL_OK) {
        const rwl_field *fields = rwl_avro_scan_fields(scan, &count);
        for (int32_t i = 0; types != NULL && i < count; i++)
            TRY(rwl_type_format(&fields[i].type, types, &err));
        TRY(rwl_batch_init(&batch, &env, fields, count, &err));
        while ((st = rwl_avro_scan_next(scan, max_rows, &batch, &pos, &err)) == RWL_OK && batch.length > 0) {
            CHECK(pos == next && batch.length <= max_rows);
            next += batch.length;
            append_rows(&batch);
        }
        if (st == RWL_OK) {
            CHECK(pos == next);
            CHECK(rwl_avro_scan_next(scan, max_rows, &batch, &pos, &err) == RWL_OK && batch.length == 0);
        }
        rwl_batch_clear(&batch);
    }
    rwl_avro_scan_free(scan);
    rwl_avro_rows_close(rows);
    TRY(rwl_buf_terminate(&text, &err));
    return st;
}

static void check_rows(const char *expected) {
    if (strcmp((const char *)text.data, expected) != 0)
        ck_abort_msg("rows are %s, expected %s", (const char *)text.data, expected);
}

/* --- types --- */

#define FIELD(type)       "{\"name\":\"a\",\"type\":" type ",\"field-id\":1}"
#define PLAIN(type)       "{\"name\":\"a\",\"type\":" type "}"
#define OPT(type)         "[\"null\"," type "]"
#define LOGICAL(of, name) "{\"type\":\"" of "\",\"logicalType\":\"" name "\"}"
#define ZONED(name, flag) "{\"type\":\"long\",\"logicalType\":\"" name "\",\"adjust-to-utc\":" flag "}"
#define DECIMAL(of, digits)                                                                                  \
    "{\"type\":" of ",\"logicalType\":\"decimal\",\"precision\":" digits ",\"scale\":2}"
#define FIXED(size, more) "{\"type\":\"fixed\",\"name\":\"x\",\"size\":" size more "}"

static const struct {
    const char *field, *type, *values;
    int64_t rows;
    const char *expected;
} types[] = {
    {FIELD("\"boolean\""), "boolean", "yes no", 2, "true; false"},
    {FIELD("\"int\""), "int", "2147483647 -2147483648", 2, "2147483647; -2147483648"},
    {FIELD("\"long\""), "long", "9223372036854775807 -9223372036854775808", 2,
     "9223372036854775807; -9223372036854775808"},
    {FIELD("\"float\""), "float", "f1.5", 1, "1.5"},
    {FIELD("\"double\""), "double", "d-0.25", 1, "-0.25"},
    {FIELD("\"string\""), "string", "'h\xc3\xa9 '", 2, "\"h\xc3\xa9\"; \"\""},
    {FIELD("\"bytes\""), "binary", "#04ff00", 1, "\"ff00\""},
    {FIELD("\"null\""), "unknown", "", 2, "null; null"},
    {FIELD(OPT("\"long\"")), "long", "1 7 0 1 -8", 3, "7; null; -8"},
    {FIELD("[\"long\",\"null\"]"), "long", "0 7 1 0 -8", 3, "7; null; -8"},
    {FIELD("[\"long\"]"), "long", "0 7", 1, "7"},
    {FIELD(OPT("\"boolean\"")), "boolean", "1 yes 0 1 no", 3, "true; null; false"},
    {FIELD(OPT("\"string\"")), "string", "1 'x 0 1 'y", 3, "\"x\"; null; \"y\""},
    {FIELD(LOGICAL("int", "date")), "date", "19675", 1, "\"2023-11-14\""}, /* 19675 days: 2023-11-14 */
    {FIELD(LOGICAL("long", "time-micros")), "time", "3661000001", 1, "\"01:01:01.000001\""},
    {FIELD(LOGICAL("int", "time-millis")), "time", "3661001", 1, "\"01:01:01.001000\""},
    /* 1700000000 s: 2023-11-14 22:13:20 */
    {FIELD(ZONED("timestamp-micros", "true")), "timestamptz", "1700000000000001", 1,
     "\"2023-11-14T22:13:20.000001+00:00\""},
    {FIELD(ZONED("timestamp-micros", "false")), "timestamp", "1700000000000001", 1,
     "\"2023-11-14T22:13:20.000001\""},
    {FIELD(LOGICAL("long", "timestamp-micros")), "timestamp", "1700000000000001", 1,
     "\"2023-11-14T22:13:20.000001\""},
    {PLAIN(LOGICAL("long", "timestamp-micros")), "timestamptz", "1700000000000001", 1,
     "\"2023-11-14T22:13:20.000001+00:00\""},
    {PLAIN(LOGICAL("long", "local-timestamp-micros")), "timestamp", "1700000000000001", 1,
     "\"2023-11-14T22:13:20.000001\""},
    {FIELD(ZONED("timestamp-millis", "true")), "timestamptz", "1700000000001", 1,
     "\"2023-11-14T22:13:20.001000+00:00\""},
    {PLAIN(LOGICAL("long", "local-timestamp-millis")), "timestamp", "1700000000001", 1,
     "\"2023-11-14T22:13:20.001000\""},
    {FIELD(ZONED("timestamp-nanos", "true")), "timestamptz_ns", "1700000000000000001", 1,
     "\"2023-11-14T22:13:20.000000001+00:00\""},
    {FIELD(LOGICAL("long", "timestamp-nanos")), "timestamp_ns", "1700000000000000001", 1,
     "\"2023-11-14T22:13:20.000000001\""},
    {PLAIN(LOGICAL("long", "local-timestamp-nanos")), "timestamp_ns", "1700000000000000001", 1,
     "\"2023-11-14T22:13:20.000000001\""},
    {FIELD(FIXED("3", "")), "fixed[3]", "#0aff00", 1, "\"0aff00\""},
    {FIELD(FIXED("16", ",\"logicalType\":\"uuid\"")), "uuid", "#000102030405060708090a0b0c0d0e0f", 1,
     "\"00010203-0405-0607-0809-0a0b0c0d0e0f\""},
    {FIELD(LOGICAL("string", "uuid")), "uuid", "'00010203-0405-0607-0809-0A0B0C0D0E0F", 1,
     "\"00010203-0405-0607-0809-0a0b0c0d0e0f\""},
    /* 0x3039 = 12345, 0xff = -1 */
    {FIELD(DECIMAL("\"bytes\"", "9")), "decimal(9, 2)", "#043039 #02ff", 2, "\"123.45\"; \"-0.01\""},
    {FIELD("{\"type\":\"fixed\",\"name\":\"x\",\"size\":3,\"logicalType\":\"decimal\",\"precision\":5,"
           "\"scale\":0}"),
     "decimal(5, 0)", "#003039 #ffffff", 2, "\"12345\"; \"-1\""},
    /* more decimals than digits: no decimal, says Avro */
    {FIELD(DECIMAL("\"bytes\"", "1")), "binary", "#043039", 1, "\"3039\""},
    {FIELD("{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\",\"BC\"]}"), "string", "1 0", 2,
     "\"BC\"; \"A\""},
    {FIELD(
         "{\"type\":\"record\",\"name\":\"r1\",\"fields\":[{\"name\":\"x\",\"type\":\"int\",\"field-id\":2},"
         "{\"name\":\"y\",\"type\":[\"null\",\"string\"],\"field-id\":3}]}"),
     "struct<2: x: required int, 3: y: optional string>", "1 1 'p 2 0", 2,
     "{\"x\": 1, \"y\": \"p\"}; {\"x\": 2, \"y\": null}"},
    {FIELD(OPT(
         "{\"type\":\"record\",\"name\":\"r1\",\"fields\":[{\"name\":\"x\",\"type\":\"int\",\"field-id\":2}"
         "]}")),
     "struct<2: x: required int>", "1 1 0 1 3", 3, "{\"x\": 1}; null; {\"x\": 3}"},
    /* runs: two items; one with its size; none */
    {FIELD("{\"type\":\"array\",\"items\":\"int\",\"element-id\":2}"), "list<int>", "2 7 8 0 -1 1 9 0 0", 3,
     "[7, 8]; [9]; []"},
    {FIELD(OPT("{\"type\":\"array\",\"items\":[\"null\",\"string\"],\"element-id\":2}")), "list<string>",
     "1 2 1 'a 0 0 0 1 0", 3, "[\"a\", null]; null; []"},
    {FIELD("{\"type\":\"map\",\"values\":\"int\",\"key-id\":2,\"value-id\":3}"), "map<string, int>",
     "1 'k 5 1 'l 6 0 0", 2, "[[\"k\", 5], [\"l\", 6]]; []"},
    {FIELD("{\"type\":\"array\",\"logicalType\":\"map\",\"items\":{\"type\":\"record\",\"name\":\"k2_v3\","
           "\"fields\":[{\"name\":\"key\",\"type\":\"int\",\"field-id\":2},{\"name\":\"value\",\"type\":"
           "[\"null\",\"string\"],\"field-id\":3}]}}"),
     "map<int, string>", "2 1 1 'a 2 0 0", 1, "[[1, \"a\"], [2, null]]"},
    /* metadata of version 1 without names: 01 00 00; values: true 04, null 00 */
    {FIELD("{\"type\":\"record\",\"name\":\"r1\",\"logicalType\":\"variant\",\"fields\":[{\"name\":"
           "\"metadata\","
           "\"type\":\"bytes\"},{\"name\":\"value\",\"type\":\"bytes\"}]}"),
     "variant", "#06010000 #0204 #06010000 #0200", 2, "true; null"},
    {FIELD("{\"type\":\"record\",\"name\":\"r1\",\"fields\":[{\"name\":\"value\",\"type\":\"bytes\"},"
           "{\"name\":\"metadata\",\"type\":\"bytes\"}]}"),
     "variant", "#0204 #06010000", 1, "true"},
};

START_TEST(values_of_each_type_come_back) {
    rwl_buf names;
    rwl_buf_init(&names, &env, SIZE_MAX);
    begin_record(types[_i].field, "null");
    put_values(types[_i].values);
    put_block(types[_i].rows);
    save();
    int32_t column = 0;
    TRY(read_rows(&column, 1, NULL, 2, &names));
    check_rows(types[_i].expected);
    TRY(rwl_buf_terminate(&names, &err));
    ck_assert_str_eq((const char *)names.data, types[_i].type);
    rwl_buf_clear(&names);
}
END_TEST

START_TEST(names_and_ids_are_those_of_the_table) {
    int32_t count;
    rwl_avro_rows *rows;
    begin_record(
        "{\"name\":\"_2x\",\"type\":\"int\",\"field-id\":7,\"iceberg-field-name\":\"2x\"},"
        "{\"name\":\"_row_id\",\"type\":[\"null\",\"long\"],\"field-id\":2147483540},"
        "{\"name\":\"m\",\"type\":{\"type\":\"map\",\"values\":{\"type\":\"array\",\"items\":\"int\","
        "\"element-id\":12},\"key-id\":10,\"value-id\":11},\"field-id\":9}",
        "null");
    save();
    TRY(rwl_avro_rows_open(store, &op, location, (int64_t)file.len, &rows, &err));
    const rwl_field *f = rwl_avro_rows_fields(rows, &count);
    ck_assert_int_eq(count, 3);
    ck_assert_str_eq(f[0].name, "2x");
    CHECK(f[0].id == 7 && f[0].required);
    CHECK(f[1].id == RWL_FIELD_ID_ROW_ID && !f[1].required);
    CHECK(f[2].type.children[0].id == 10 && f[2].type.children[1].id == 11);
    CHECK(f[2].type.children[1].type.children[0].id == 12);
    CHECK(rwl_span_equal(rwl_avro_rows_metadata(rows, "avro.codec"), rwl_span_str("null")));
    CHECK(rwl_avro_rows_metadata(rows, "none").data == NULL);
    rwl_avro_rows_close(rows);
    /* another size than the table says is only warned of */
    TRY(rwl_avro_rows_open(store, &op, location, (int64_t)file.len + 1, &rows, &err));
    rwl_avro_rows_close(rows);
}
END_TEST

/* --- what is wanted --- */

/* Leaves: 0 n, 1 s.x, 2 s.y, 3 l element, 4 map key, 5 map value, 6 z */
static const char mixed[] =
    "{\"name\":\"n\",\"type\":\"long\",\"field-id\":1},"
    "{\"name\":\"s\",\"type\":[\"null\",{\"type\":\"record\",\"name\":\"s\",\"fields\":["
    "{\"name\":\"x\",\"type\":\"string\",\"field-id\":3},{\"name\":\"y\",\"type\":\"int\",\"field-id\":4}]}],"
    "\"field-id\":2},"
    "{\"name\":\"l\",\"type\":{\"type\":\"array\",\"items\":[\"null\",\"long\"],\"element-id\":6},\"field-"
    "id\":5},"
    "{\"name\":\"m\",\"type\":{\"type\":\"map\",\"values\":\"double\",\"key-id\":8,\"value-id\":9},\"field-"
    "id\":7},"
    "{\"name\":\"z\",\"type\":\"boolean\",\"field-id\":10}";

static void write_mixed(const char *codec) {
    begin_record(mixed, codec);
    put_values("1 1 'p 10 2 1 5 0 0 1 'k d0.5 0 yes");
    put_values("2 0 -1 1 0 0 0 no");
    put_block(2);
    put_values("3 1 'q 30 0 -1 10 'k d1.5 0 yes");
    put_block(1);
    save();
}

static const struct {
    int32_t columns[5], count;
    bool wanted[7], all;
    const char *expected;
} projections[] = {
    {{0, 1, 2, 3, 4},
     5,
     {0},
     true,
     "1 {\"x\": \"p\", \"y\": 10} [5, null] [[\"k\", 0.5]] true; 2 null [null] [] false; "
     "3 {\"x\": \"q\", \"y\": 30} [] [[\"k\", 1.5]] true"},
    {{4, 0}, 2, {0}, true, "true 1; false 2; true 3"},
    {{1}, 1, {[2] = true}, false, "{\"y\": 10}; null; {\"y\": 30}"},
    {{1, 0}, 2, {[1] = true, [0] = true}, false, "{\"x\": \"p\"} 1; null 2; {\"x\": \"q\"} 3"},
    {{3}, 1, {[4] = true}, false, "[[\"k\", 0.5]]; []; [[\"k\", 1.5]]"}, /* a map has values */
    {{3}, 1, {[5] = true}, false, "[[\"k\", 0.5]]; []; [[\"k\", 1.5]]"},
    {{1}, 1, {0}, false, "{\"x\": \"p\", \"y\": 10}; null; {\"x\": \"q\", \"y\": 30}"},
    {{2}, 1, {[3] = true}, false, "[5, null]; [null]; []"},
};

START_TEST(only_what_is_wanted_is_decoded) {
    for (int64_t rows = 1; rows <= 3; rows++) {
        write_mixed("null");
        TRY(read_rows(projections[_i].columns, projections[_i].count,
                      projections[_i].all ? NULL : projections[_i].wanted, rows, NULL));
        check_rows(projections[_i].expected);
    }
}
END_TEST

START_TEST(no_columns_are_rows_all_the_same) {
    rwl_avro_rows *rows;
    rwl_avro_scan *scan;
    rwl_batch batch;
    int64_t pos;
    write_mixed("null");
    TRY(rwl_avro_rows_open(store, &op, location, -1, &rows, &err));
    TRY(rwl_avro_scan_new(rows, &op, NULL, 0, NULL, &scan, &err));
    TRY(rwl_batch_init(&batch, &env, NULL, 0, &err));
    TRY(rwl_avro_scan_next(scan, 2, &batch, &pos, &err));
    CHECK(pos == 0 && batch.length == 2);
    TRY(rwl_avro_scan_next(scan, 2, &batch, &pos, &err));
    CHECK(pos == 2 && batch.length == 1);
    rwl_batch_clear(&batch);
    rwl_avro_scan_free(scan);
    rwl_avro_rows_close(rows);
}
END_TEST

/* --- positions --- */

/* Blocks of 0, 1, 2, 3, … rows whose one number is their position. */
static void write_positions(const char *codec, rwl_codec_id id, int64_t blocks) {
    rwl_codec *c = NULL;
    rwl_buf packed;
    int64_t n = 0;
    rwl_buf_init(&packed, &env, SIZE_MAX);
    if (id != RWL_CODEC_NONE)
        TRY(rwl_codec_new(&env, id, 0, &c, &err));
    begin_record("{\"name\":\"s\",\"type\":\"string\"},{\"name\":\"n\",\"type\":\"long\"}", codec);
    for (int64_t b = 0; b < blocks; b++) {
        for (int64_t i = 0; i < b; i++) {
            put_text(&block, "some text");
            TRY(rwl_avro_put_long(&block, n++, &err));
        }
        if (c != NULL) {
            rwl_buf_reset(&packed);
            TRY(rwl_codec_compress(c, rwl_buf_span(&block), &packed, &err));
            if (id == RWL_CODEC_SNAPPY)
                TRY(rwl_buf_be32(&packed, rwl_crc32(0, rwl_buf_span(&block)), &err));
            rwl_buf_reset(&block);
            TRY(rwl_buf_append(&block, packed.data, packed.len, &err));
        }
        put_block(b);
    }
    save();
    rwl_codec_free(c);
    rwl_buf_clear(&packed);
}

static rwl_avro_rows *open_scan(rwl_avro_scan **scan, rwl_batch *batch) {
    int32_t column = 1, count;
    rwl_avro_rows *rows;
    TRY(rwl_avro_rows_open(store, &op, location, -1, &rows, &err));
    TRY(rwl_avro_scan_new(rows, &op, &column, 1, NULL, scan, &err));
    const rwl_field *fields = rwl_avro_scan_fields(*scan, &count);
    TRY(rwl_batch_init(batch, &env, fields, count, &err));
    return rows;
}

START_TEST(skips_to_any_row_in_any_codec) {
    static const struct {
        const char *name;
        rwl_codec_id id;
    } codecs[] = {{"null", RWL_CODEC_NONE},
                  {"deflate", RWL_CODEC_DEFLATE},
                  {"snappy", RWL_CODEC_SNAPPY},
                  {"zstandard", RWL_CODEC_ZSTD}};
    enum { BLOCKS = 12, ROWS = BLOCKS * (BLOCKS - 1) / 2 };
    write_positions(codecs[_i].name, codecs[_i].id, BLOCKS);
    for (int64_t step = 1; step <= ROWS + 1; step++) {
        rwl_avro_scan *scan;
        rwl_batch batch;
        int64_t pos, n = 0;
        rwl_avro_rows *rows = open_scan(&scan, &batch);
        for (;; n += step) {
            TRY(rwl_avro_scan_skip_to(scan, n, &err));
            TRY(rwl_avro_scan_next(scan, 1, &batch, &pos, &err));
            if (batch.length == 0)
                break;
            CHECK(pos == n && rwl_column_i64(&batch.columns[0])[0] == n);
        }
        CHECK(n >= ROWS && n < ROWS + step && pos == ROWS);
        CHECK(rwl_avro_scan_bytes_read(scan) > 0);
        rwl_batch_clear(&batch);
        rwl_avro_scan_free(scan);
        rwl_avro_rows_close(rows);
    }
}
END_TEST

START_TEST(does_not_go_back) {
    rwl_avro_scan *scan;
    rwl_batch batch;
    write_positions("null", RWL_CODEC_NONE, 5);
    rwl_avro_rows *rows = open_scan(&scan, &batch);
    TRY(rwl_avro_scan_skip_to(scan, 4, &err));
    ck_assert_int_eq(rwl_avro_scan_skip_to(scan, 3, &err), RWL_INTERNAL);
    rwl_batch_clear(&batch);
    rwl_avro_scan_free(scan);
    rwl_avro_rows_close(rows);
}
END_TEST

/* A block of 3 MB between short ones: of the pieces of 1 MB those that lie inside it are not read. */
START_TEST(bytes_passed_over_are_not_read) {
    rwl_avro_scan *scan;
    rwl_batch batch;
    int64_t pos;
    begin_record("{\"name\":\"s\",\"type\":\"string\"},{\"name\":\"n\",\"type\":\"long\"}", "null");
    char *long_text = malloc(3000001);
    memset(long_text, 'x', 3000000);
    long_text[3000000] = '\0';
    for (int64_t n = 0; n < 3; n++) {
        put_text(&block, n == 1 ? long_text : "short");
        TRY(rwl_avro_put_long(&block, n, &err));
        put_block(1);
    }
    free(long_text);
    save();
    rwl_avro_rows *rows = open_scan(&scan, &batch);
    TRY(rwl_avro_scan_skip_to(scan, 2, &err));
    TRY(rwl_avro_scan_next(scan, 5, &batch, &pos, &err));
    CHECK(pos == 2 && batch.length == 1 && rwl_column_i64(&batch.columns[0])[0] == 2);
    ck_assert_int_lt(rwl_avro_scan_bytes_read(scan), 2200000);
    rwl_batch_clear(&batch);
    rwl_avro_scan_free(scan);
    rwl_avro_rows_close(rows);
}
END_TEST

/* --- lineage --- */

/* Rows store ids and versions, nulls where they take the file's: each column alone, both, none. */
START_TEST(ice_61_lineage_columns_are_columns_like_others) {
    static const struct {
        int32_t columns[3], count;
        const char *expected;
    } cases[] = {{{0}, 1, "7; 8; 9"},
                 {{0, 1}, 2, "7 100; 8 null; 9 102"},
                 {{0, 2}, 2, "7 3; 8 4; 9 null"},
                 {{2, 0, 1}, 3, "3 7 100; 4 8 null; null 9 102"}};
    begin_record(
        "{\"name\":\"id\",\"type\":\"long\",\"field-id\":1},"
        "{\"name\":\"_row_id\",\"type\":[\"null\",\"long\"],\"field-id\":2147483540},"
        "{\"name\":\"_last_updated_sequence_number\",\"type\":[\"null\",\"long\"],\"field-id\":2147483539}",
        "null");
    put_values("7 1 100 1 3 8 0 1 4 9 1 102 0");
    put_block(3);
    save();
    TRY(read_rows(cases[_i].columns, cases[_i].count, NULL, 2, NULL));
    check_rows(cases[_i].expected);
}
END_TEST

/* --- what is refused --- */

static const struct {
    const char *field, *reason;
} unreadable[] = {
    {FIELD("[\"null\",\"int\",\"string\"]"), "field 'a': union of 3 types is no optional value"},
    {FIELD("[\"int\",\"string\"]"), "union of 2 types"},
    {FIELD("{\"type\":\"array\",\"items\":[\"int\",\"long\"],\"element-id\":2}"),
     "field 'element': union of 2"},
    {FIELD(DECIMAL("\"bytes\"", "39")), "field 'a': decimal(39, 2) has more than 38 digits"},
    {FIELD("{\"type\":\"array\",\"logicalType\":\"map\",\"items\":\"int\"}"), "a key and a value"},
    {FIELD("{\"type\":\"record\",\"name\":\"v\",\"logicalType\":\"variant\",\"fields\":[]}"), "variant"},
};

START_TEST(a_field_that_cannot_be_read_is_refused_by_name_when_it_is_wanted) {
    static const int32_t both[] = {0, 1};
    rwl_buf fields;
    rwl_buf_init(&fields, &env, SIZE_MAX);
    TRY(rwl_buf_printf(&fields, &err, "{\"name\":\"n\",\"type\":\"int\",\"field-id\":9},%s",
                       unreadable[_i].field));
    TRY(rwl_buf_terminate(&fields, &err));
    begin_record((const char *)fields.data, "null");
    save();
    ck_assert_int_eq(read_rows(both, 2, NULL, 5, NULL), RWL_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.message, unreadable[_i].reason));
    TRY(read_rows(both, 1, NULL, 5, NULL)); /* what nobody wants does no harm */
    rwl_buf_clear(&fields);
}
END_TEST

START_TEST(passes_over_what_it_could_not_read) {
    int32_t column = 1;
    begin_record("{\"name\":\"u\",\"type\":[\"int\",\"string\",{\"type\":\"map\",\"values\":\"double\"}]},"
                 "{\"name\":\"n\",\"type\":\"int\"}",
                 "null");
    put_values("0 5 1 1 'text 2 2 2 'k d1 'l d2 0 3");
    put_block(3);
    save();
    TRY(read_rows(&column, 1, NULL, 5, NULL));
    check_rows("1; 2; 3");
}
END_TEST

START_TEST(refuses_codecs_by_name) {
    static const char *const names[] = {"bzip2", "xz", "lz4"};
    rwl_avro_rows *rows;
    begin_record(FIELD("\"int\""), names[_i]);
    save();
    ck_assert_int_eq(rwl_avro_rows_open(store, &op, location, -1, &rows, &err), RWL_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.message, names[_i]));
}
END_TEST

/* --- hostile files --- */

#define NULLS "{\"type\":\"array\",\"items\":\"null\",\"element-id\":2}"
#define INTS  "{\"type\":\"array\",\"items\":\"int\",\"element-id\":2}"
#define BIG_FIX                                                                                              \
    "{\"type\":\"array\",\"items\":{\"type\":\"fixed\",\"name\":\"x\",\"size\":1000000},\"element-id\":2}"

static const struct {
    const char *field, *values;
    int64_t rows;
    rwl_status status;
    const char *reason;
} hostile[] = {
    {FIELD("\"int\""), "1 2", 3, RWL_CORRUPT, "3 records cannot be in 2 bytes"},
    {FIELD("\"int\""), "1 2 3", 2, RWL_CORRUPT, "1 bytes are left after the last record"},
    {FIELD("\"int\""), "1", INT64_MAX, RWL_CORRUPT, "records cannot be in 1 bytes"},
    {FIELD("\"null\""), "", INT64_MAX, RWL_CORRUPT, "records cannot be in 0 bytes"},
    {FIELD("\"int\""), "4294967296", 1, RWL_CORRUPT, "row 0: field 'a': int is 4294967296"},
    {FIELD("\"int\""), "#ffffffffffffffffffff01", 1, RWL_CORRUPT, "field 'a'"},
    {FIELD("\"boolean\""), "#02", 1, RWL_CORRUPT, "boolean is 2"},
    {FIELD("\"string\""), "100 'a", 1, RWL_CORRUPT, "length is 100, 2 bytes are left"},
    {FIELD("\"string\""), "#01", 1, RWL_CORRUPT, "length is -1"},
    {FIELD("\"string\""), "#02ff", 1, RWL_CORRUPT, "field 'a': a text is not UTF-8"},
    {FIELD("\"string\""), "#02c3 #02a9", 2, RWL_CORRUPT, "not UTF-8"}, /* a character cut in two */
    {FIELD(OPT("\"int\"")), "2 1", 1, RWL_CORRUPT, "union branch is 2, there are 2"},
    {FIELD(OPT("\"int\"")), "-1 1", 1, RWL_CORRUPT, "union branch is -1"},
    {FIELD("\"double\""), "#00000000000000", 1, RWL_CORRUPT, "1 records cannot be in 7 bytes"},
    {FIELD(INTS), "1000000 1 0", 1, RWL_CORRUPT, "1000000 items cannot be in 2 bytes"},
    {FIELD(INTS), "-2 100 1 1 0", 1, RWL_CORRUPT, "size 100"},
    {FIELD(INTS), "-2 -1 1 1 0", 1, RWL_CORRUPT, "size -1"},
    {FIELD(INTS), "-9223372036854775808 1 1 0", 1, RWL_CORRUPT, "count is -9223372036854775808"},
    {FIELD(NULLS), "1000000000 0", 1, RWL_CORRUPT,
     "1000000000 items are more than the file's bytes may hold"},
    {FIELD(NULLS), "9223372036854775807 0", 1, RWL_CORRUPT, "items are more than"},
    {FIELD(FIXED("300000000", "")), "", 1, RWL_CORRUPT, "1 records cannot be in 0 bytes"},
    {FIELD(BIG_FIX), "1000 0", 1, RWL_CORRUPT, "1000 items cannot be"},
    {FIELD("{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\"]}"), "1", 1, RWL_CORRUPT,
     "enum symbol is 1"},
    {FIELD(LOGICAL("string", "uuid")), "'00010203", 1, RWL_CORRUPT, "'00010203' is no uuid"},
    {FIELD(DECIMAL("\"bytes\"", "3")), "#0403e8", 1, RWL_CORRUPT, "more than 3 digits"}, /* 1000 */
    {FIELD(DECIMAL("\"bytes\"", "3")), "#00", 1, RWL_CORRUPT, "decimal of 0 bytes"},
    {FIELD(LOGICAL("long", "timestamp-millis")), "9223372036854775807", 1, RWL_CORRUPT, "microseconds"},
    {FIELD("{\"type\":\"map\",\"values\":\"int\",\"key-id\":2,\"value-id\":3}"), "5 'k 1 0", 1, RWL_CORRUPT,
     "5 items cannot be in 4 bytes"},
    {FIELD("{\"type\":\"array\",\"logicalType\":\"map\",\"items\":{\"type\":\"record\",\"name\":\"k2_v3\","
           "\"fields\":[{\"name\":\"key\",\"type\":[\"null\",\"int\"],\"field-id\":2},{\"name\":\"value\","
           "\"type\":"
           "\"int\",\"field-id\":3}]}}"),
     "1 0 1 0", 1, RWL_CORRUPT, "key of a map is null"},
    {FIELD("{\"type\":\"record\",\"name\":\"r1\",\"logicalType\":\"variant\",\"fields\":[{\"name\":"
           "\"metadata\","
           "\"type\":\"bytes\"},{\"name\":\"value\",\"type\":\"bytes\"}]}"),
     "#02ff #0204", 1, RWL_CORRUPT, "field 'a'"},
};

START_TEST(hostile_bytes_are_named) {
    int32_t column = 0;
    begin_record(hostile[_i].field, "null");
    put_values(hostile[_i].values);
    put_block(hostile[_i].rows);
    save();
    ck_assert_int_eq(read_rows(&column, 1, NULL, 100, NULL), hostile[_i].status);
    if (strstr(err.message, hostile[_i].reason) == NULL)
        ck_abort_msg("message is '%s', expected '%s'", err.message, hostile[_i].reason);
    ck_assert_str_eq(err.path, location);
}
END_TEST

/* A null struct of many fields takes a byte: a list of a million of them is refused, not the memory of the machine. */
START_TEST(a_record_takes_bounded_memory) {
    int32_t column = 0;
    rwl_buf fields;
    rwl_buf_init(&fields, &env, SIZE_MAX);
    TRY(rwl_buf_str(
        &fields,
        "{\"name\":\"a\",\"type\":{\"type\":\"array\",\"items\":[\"null\",{\"type\":\"record\",\"name\":"
        "\"r\",\"fields\":[",
        &err));
    for (int i = 0; i < 1000; i++)
        TRY(rwl_buf_printf(&fields, &err, "%s{\"name\":\"f%d\",\"type\":\"double\"}", i > 0 ? "," : "", i));
    TRY(rwl_buf_str(&fields, "]}]}}", &err));
    TRY(rwl_buf_terminate(&fields, &err));
    begin_record((const char *)fields.data, "null");
    TRY(rwl_avro_put_long(&block, 1000000, &err));
    for (int i = 0; i <= 1000000; i++)
        TRY(rwl_buf_u8(&block, 0, &err));
    put_block(1);
    save();
    ck_assert_int_eq(read_rows(&column, 1, NULL, 100, NULL), RWL_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.message, "record takes more than"));
    rwl_buf_clear(&fields);
}
END_TEST

/* Each level names the one below twice: 2^40 fields of 4 KB of schema. */
START_TEST(a_schema_that_multiplies_is_refused) {
    rwl_avro_rows *rows;
    rwl_buf schema;
    rwl_buf_init(&schema, &env, SIZE_MAX);
    TRY(rwl_buf_str(&schema, "{\"name\":\"a\",\"type\":{\"type\":\"record\",\"name\":\"r0\",\"fields\":[]}}",
                    &err));
    for (int i = 1; i <= 40; i++)
        TRY(rwl_buf_printf(&schema, &err,
                           ",{\"name\":\"a%d\",\"type\":{\"type\":\"record\",\"name\":\"r%d\",\"fields\":["
                           "{\"name\":\"x\",\"type\":\"r%d\"},{\"name\":\"y\",\"type\":\"r%d\"}]}}",
                           i, i, i - 1, i - 1));
    TRY(rwl_buf_terminate(&schema, &err));
    begin_record((const char *)schema.data, "null");
    save();
    ck_assert_int_eq(rwl_avro_rows_open(store, &op, location, -1, &rows, &err), RWL_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.message, "more than 262144 fields"));
    rwl_buf_clear(&schema);
}
END_TEST

/* Every prefix of a file is an error, but for those that end between blocks; so is a changed sync marker. */
START_TEST(truncated_files_and_bad_marks_are_corrupt) {
    static const int32_t all[] = {0, 1, 2, 3, 4};
    write_mixed("null");
    size_t len = file.len, ends = 0;
    for (size_t i = 0; i < len; i++) {
        file.len = i;
        save();
        rwl_status st = read_rows(all, 5, NULL, 10, NULL);
        ends += st == RWL_OK;
        CHECK(st == RWL_OK || st == RWL_CORRUPT);
    }
    ck_assert_uint_eq(ends, 2); /* behind the header and behind the first block */
    file.len = len;
    file.data[len - 1] ^= 1;
    save();
    ck_assert_int_eq(read_rows(all, 5, NULL, 10, NULL), RWL_CORRUPT);
    ck_assert_ptr_nonnull(strstr(err.message, "sync marker"));
}
END_TEST

static int64_t allocations_left;

static void *failing_realloc(void *ctx, void *old, size_t size) {
    (void)ctx;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return allocations_left-- > 0 ? realloc(old, size) : NULL;
}

static rwl_status read_quietly(void) {
    static const int32_t all[] = {0, 1, 2, 3, 4};
    rwl_avro_rows *rows;
    rwl_avro_scan *scan;
    rwl_batch batch = {0};
    int64_t pos;
    int32_t count;
    RWL_TRY(rwl_avro_rows_open(store, &op, location, -1, &rows, &err));
    rwl_status st = rwl_avro_scan_new(rows, &op, all, 5, NULL, &scan, &err);
    if (st == RWL_OK) {
        const rwl_field *fields = rwl_avro_scan_fields(scan, &count);
        st = rwl_batch_init(&batch, &env, fields, count, &err);
        while (st == RWL_OK && (st = rwl_avro_scan_next(scan, 100, &batch, &pos, &err)) == RWL_OK &&
               batch.length > 0)
            ;
        rwl_batch_clear(&batch);
        rwl_avro_scan_free(scan);
    }
    rwl_avro_rows_close(rows);
    return st;
}

START_TEST(survives_each_failed_allocation) {
    write_mixed("null");
    env.realloc = failing_realloc;
    for (int64_t n = 0;; n++) {
        allocations_left = n;
        rwl_status st = read_quietly();
        allocations_left = INT64_MAX;
        if (st == RWL_OK)
            break;
        ck_assert_int_eq(st, RWL_NO_MEMORY);
        ck_assert_int_lt(n, 1000);
    }
    rwl_env_init_default(&env);
}
END_TEST

START_TEST(a_cancelled_scan_ends) {
    rwl_avro_scan *scan;
    rwl_batch batch;
    int64_t pos;
    write_positions("null", RWL_CODEC_NONE, 5);
    rwl_avro_rows *rows = open_scan(&scan, &batch);
    atomic_store(&op.cancelled, 1);
    ck_assert_int_eq(rwl_avro_scan_next(scan, 10, &batch, &pos, &err), RWL_INTERRUPTED);
    rwl_batch_clear(&batch);
    rwl_avro_scan_free(scan);
    rwl_avro_rows_close(rows);
}
END_TEST

/* A text of 100,000 bytes and half of that again at most: below the least budget it is refused, and nothing stays charged. */
START_TEST(values_of_a_batch_are_charged) {
    begin_record("{\"name\":\"t\",\"type\":\"string\"}", "null");
    TRY(rwl_avro_put_long(&block, 100000, &err));
    TRY(rwl_buf_reserve(&block, 100000, &err));
    memset(block.data + block.len, 'x', 100000);
    block.len += 100000;
    put_block(1);
    save();
    int64_t refused = 1, fits = 1 << 20;
    while (fits - refused > 1) {
        op.memory_limit = (refused + fits) / 2;
        rwl_status st = read_rows((const int32_t[]){0}, 1, NULL, 10, NULL);
        CHECK(st == RWL_OK || st == RWL_UNSUPPORTED);
        ck_assert_int_eq(op.memory_used, 0);
        *(st == RWL_OK ? &fits : &refused) = op.memory_limit;
    }
    ck_assert_int_gt(fits, 100000);
    ck_assert_int_lt(fits, 160000);
    op.memory_limit = refused;
    ck_assert_int_eq(read_rows((const int32_t[]){0}, 1, NULL, 10, NULL), RWL_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.message, "values of a batch needs"));
}
END_TEST

#define LEN(table) ((int)(sizeof(table) / sizeof *(table)))

TCase *rows_cases(void) {
    TCase *cases = tcase_create("rows");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_loop_test(cases, values_of_each_type_come_back, 0, LEN(types));
    tcase_add_test(cases, names_and_ids_are_those_of_the_table);
    tcase_add_loop_test(cases, only_what_is_wanted_is_decoded, 0, LEN(projections));
    tcase_add_test(cases, no_columns_are_rows_all_the_same);
    tcase_add_loop_test(cases, skips_to_any_row_in_any_codec, 0, 4);
    tcase_add_test(cases, does_not_go_back);
    tcase_add_test(cases, bytes_passed_over_are_not_read);
    tcase_add_loop_test(cases, ice_61_lineage_columns_are_columns_like_others, 0, 4);
    tcase_add_loop_test(cases, a_field_that_cannot_be_read_is_refused_by_name_when_it_is_wanted, 0,
                        LEN(unreadable));
    tcase_add_test(cases, passes_over_what_it_could_not_read);
    tcase_add_loop_test(cases, refuses_codecs_by_name, 0, 3);
    tcase_add_loop_test(cases, hostile_bytes_are_named, 0, LEN(hostile));
    tcase_add_test(cases, a_record_takes_bounded_memory);
    tcase_add_test(cases, a_schema_that_multiplies_is_refused);
    tcase_add_test(cases, truncated_files_and_bad_marks_are_corrupt);
    tcase_add_test(cases, survives_each_failed_allocation);
    tcase_add_test(cases, a_cancelled_scan_ends);
    tcase_add_test(cases, values_of_a_batch_are_charged);
    return cases;
}
