/* SPDX-License-Identifier: Apache-2.0 */
/* Container files: round trips of every type and codec, files built by hand, corrupt ones, failing stores. */
#include "avro/avro.h"
#include "cases.h"
#include "storage/test_store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static rwl_env env;
static rwl_op op;
static rwl_error err;
static rwl_store *store;
static rwl_buf bytes;
static char dir[64], location[128];

static void setup(void) {
    rwl_env_init_default(&env);
    rwl_op_init(&op, &env, 0);
    rwl_buf_init(&bytes, &env, SIZE_MAX);
    ck_assert_int_eq(rwl_store_local_new(&env, NULL, 0, &store, &err), RWL_OK);
    strcpy(dir, "/tmp/rowline-avro-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(location, sizeof location, "%s/a.avro", dir);
}

static void teardown(void) {
    unlink(location);
    rmdir(dir);
    rwl_store_free(store);
    rwl_buf_clear(&bytes);
}

/* As ck_assert, without its message to the parent process for each check that holds. */
#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            ck_abort_msg("%s does not hold: %s", #condition, err.message);                                   \
    } while (0)

#define TRY(expr) CHECK((expr) == RWL_OK)

/* --- round trips --- */

static const char all_types[] =
    "{\"type\":\"record\",\"name\":\"all\",\"fields\":["
    "{\"name\":\"z\",\"type\":\"null\",\"field-id\":1},"
    "{\"name\":\"b\",\"type\":\"boolean\",\"field-id\":2},"
    "{\"name\":\"i\",\"type\":\"int\",\"field-id\":3},"
    "{\"name\":\"l\",\"type\":\"long\",\"field-id\":4},"
    "{\"name\":\"f\",\"type\":\"float\",\"field-id\":5},"
    "{\"name\":\"d\",\"type\":\"double\",\"field-id\":6},"
    "{\"name\":\"by\",\"type\":\"bytes\",\"field-id\":7},"
    "{\"name\":\"s\",\"type\":[\"null\",\"string\"],\"default\":null,\"field-id\":8},"
    "{\"name\":\"x\",\"type\":{\"type\":\"fixed\",\"name\":\"x\",\"size\":3},\"field-id\":9},"
    "{\"name\":\"e\",\"type\":{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\",\"B\",\"C\"]},\"field-"
    "id\":10},"
    "{\"name\":\"a\",\"type\":{\"type\":\"array\",\"items\":\"long\",\"element-id\":20},\"field-id\":11},"
    "{\"name\":\"m\",\"type\":{\"type\":\"map\",\"values\":\"int\",\"key-id\":21,\"value-id\":22},\"field-"
    "id\":12},"
    "{\"name\":\"r\",\"type\":{\"type\":\"record\",\"name\":\"r13\",\"fields\":["
    "{\"name\":\"p\",\"type\":\"x\",\"field-id\":14}]},\"field-id\":13}]}";

static int64_t long_of(int64_t n) {
    return (int64_t)((uint64_t)n * 6364136223846793005u);
}

static void put_record(rwl_buf *b, int64_t n) {
    static const char text[] = "abcdefghij";
    TRY(rwl_avro_put_bool(b, n % 2 == 1, &err));
    TRY(rwl_avro_put_long(b, (int32_t)long_of(n), &err));
    TRY(rwl_avro_put_long(b, long_of(n), &err));
    TRY(rwl_avro_put_float(b, (float)n / 4, &err));
    TRY(rwl_avro_put_double(b, n == 0 ? -0.0 : (double)n / 8, &err));
    TRY(rwl_avro_put_bytes(b, rwl_span_of(text, (size_t)(n % 11)), &err));
    TRY(rwl_avro_put_long(b, n % 3 != 0, &err)); /* branch */
    if (n % 3 != 0)
        TRY(rwl_avro_put_bytes(b, rwl_span_of(text, (size_t)(n % 10)), &err));
    TRY(rwl_buf_append(b, text + n % 8, 3, &err));
    TRY(rwl_avro_put_long(b, n % 3, &err));
    if (n % 5 > 0) {
        TRY(rwl_avro_put_long(b, n % 5, &err));
        for (int64_t i = 0; i < n % 5; i++)
            TRY(rwl_avro_put_long(b, i - n, &err));
    }
    TRY(rwl_avro_put_long(b, 0, &err));
    if (n % 4 == 1) {
        TRY(rwl_avro_put_long(b, 1, &err));
        TRY(rwl_avro_put_bytes(b, rwl_span_str("key"), &err));
        TRY(rwl_avro_put_long(b, n, &err));
    }
    TRY(rwl_avro_put_long(b, 0, &err));
    TRY(rwl_buf_append(b, text + n % 7, 3, &err));
}

static bool is_text(const rwl_avro_datum *d, const char *text, size_t len) {
    return rwl_span_equal(d->as.bytes, rwl_span_of(text, len));
}

static void check_record(const rwl_avro_datum *r, int64_t n) {
    static const char text[] = "abcdefghij";
    const rwl_avro_datum *v;
    CHECK(r->kind == RWL_AVRO_RECORD && r->as.list.count == 13);
    CHECK(rwl_avro_get(r, 1, "z") == NULL);
    CHECK(rwl_avro_get(r, 2, NULL)->as.b == (n % 2 == 1));
    CHECK(rwl_avro_get(r, 3, NULL)->as.i == (int32_t)long_of(n));
    CHECK(rwl_avro_get(r, 4, NULL)->as.i == long_of(n));
    CHECK(rwl_avro_get(r, 5, NULL)->as.f == (float)n / 4);
    CHECK(rwl_avro_get(r, 6, NULL)->as.d == (double)n / 8);
    CHECK(n != 0 || signbit(rwl_avro_get(r, 6, NULL)->as.d));
    CHECK(is_text(rwl_avro_get(r, 7, NULL), text, (size_t)(n % 11)));
    v = rwl_avro_get(r, 8, NULL);
    CHECK(n % 3 == 0 ? v == NULL : is_text(v, text, (size_t)(n % 10)) && v->kind == RWL_AVRO_STRING);
    CHECK(is_text(rwl_avro_get(r, 9, NULL), text + n % 8, 3));
    CHECK(rwl_avro_get(r, 10, NULL)->as.i == n % 3);
    v = rwl_avro_get(r, 11, NULL);
    CHECK(v->kind == RWL_AVRO_ARRAY && v->as.list.count == n % 5 && v->schema->element_id == 20);
    for (int64_t i = 0; i < n % 5; i++)
        CHECK(v->as.list.items[i].as.i == i - n);
    v = rwl_avro_get(r, 12, NULL);
    CHECK(v->kind == RWL_AVRO_MAP && v->as.list.count == (n % 4 == 1 ? 2 : 0));
    if (n % 4 == 1) {
        CHECK(is_text(&v->as.list.items[0], "key", 3));
        CHECK(v->as.list.items[1].as.i == n);
    }
    v = rwl_avro_get(r, 13, NULL);
    CHECK(is_text(rwl_avro_get(v, 14, NULL), text + n % 7, 3));
    CHECK(rwl_avro_get(r, 99, "b") == NULL); /* by name only where no field has an id */
    CHECK(rwl_avro_get(r, -1, "b") == NULL);
}

static rwl_status write_file(rwl_store *to, rwl_codec_id codec, int64_t count, int64_t *size) {
    const rwl_avro_metadata metadata[] = {{"format-version", rwl_span_str("3")},
                                          {"empty", rwl_span_of("", 0)}};
    rwl_avro_writer *w;
    RWL_TRY(rwl_avro_writer_open(to, &op, location, all_types, metadata, 2, codec, 0, &w, &err));
    for (int64_t n = 0; n < count; n++) {
        put_record(rwl_avro_writer_record(w), n);
        rwl_status st = rwl_avro_writer_end_record(w, &err);
        if (st != RWL_OK) {
            rwl_avro_writer_abort(w);
            return st;
        }
    }
    return rwl_avro_writer_finish(w, size, &err);
}

static rwl_status read_file(rwl_store *from, int64_t count) {
    rwl_avro_reader *r;
    const rwl_avro_datum *record;
    int64_t n = 0;
    RWL_TRY(rwl_avro_reader_open(from, &op, location, &r, &err));
    CHECK(rwl_span_equal(rwl_avro_reader_metadata(r, "format-version"), rwl_span_str("3")));
    CHECK(rwl_avro_reader_metadata(r, "empty").len == 0 && rwl_avro_reader_metadata(r, "empty").data != NULL);
    CHECK(rwl_avro_reader_metadata(r, "absent").data == NULL);
    CHECK(rwl_span_equal(rwl_avro_reader_metadata(r, "avro.schema"), rwl_span_str(all_types)));
    CHECK(rwl_avro_reader_schema(r)->field_count == 13);
    rwl_status st;
    while ((st = rwl_avro_reader_next(r, &record, &err)) == RWL_OK && record != NULL)
        check_record(record, n++);
    if (st == RWL_OK) {
        CHECK(n == count);
        CHECK(rwl_avro_reader_next(r, &record, &err) == RWL_OK && record == NULL); /* the end stays the end */
    }
    rwl_avro_reader_close(r);
    return st;
}

static const rwl_codec_id codecs[] = {RWL_CODEC_NONE, RWL_CODEC_DEFLATE, RWL_CODEC_SNAPPY, RWL_CODEC_ZSTD};

/* 30000 records are 1.7 MB: some 27 blocks, and two pieces of reading ahead. */
START_TEST(records_come_back) {
    static const int64_t counts[] = {0, 1, 30000};
    rwl_codec_id codec = codecs[_i % 4];
    int64_t size, count = counts[_i / 4];
    rwl_stat st;
    TRY(write_file(store, codec, count, &size));
    TRY(rwl_store_stat(store, &op, location, &st, &err));
    ck_assert_int_eq(st.size, size);
    if (count == 30000 && codec == RWL_CODEC_NONE)
        ck_assert_int_gt(size, 1200000);
    TRY(read_file(store, count));
}
END_TEST

START_TEST(size_counts_the_open_block) {
    rwl_avro_writer *w;
    TRY(rwl_avro_writer_open(store, &op, location, "\"bytes\"", NULL, 0, RWL_CODEC_NONE, 0, &w, &err));
    int64_t head = rwl_avro_writer_size(w), size;
    TRY(rwl_avro_put_bytes(rwl_avro_writer_record(w), rwl_span_str("12345"), &err));
    TRY(rwl_avro_writer_end_record(w, &err));
    ck_assert_int_eq(rwl_avro_writer_size(w), head + 6);
    TRY(rwl_avro_put_bytes(rwl_avro_writer_record(w), rwl_span_str("never ended"), &err));
    TRY(rwl_avro_writer_finish(w, &size, &err));
    ck_assert_int_eq(size, head + 2 + 6 + 16); /* count, size, record, sync */
}
END_TEST

START_TEST(refuses_what_it_could_not_read_back) {
    static const rwl_avro_metadata reserved = {"avro.codec", {(const uint8_t *)"x", 1}};
    rwl_avro_writer *w;
    ck_assert_int_eq(
        rwl_avro_writer_open(store, &op, location, "\"int\"", &reserved, 1, RWL_CODEC_NONE, 0, &w, &err),
        RWL_UNSUPPORTED);
    ck_assert_int_eq(
        rwl_avro_writer_open(store, &op, location, "\"it\"", NULL, 0, RWL_CODEC_NONE, 0, &w, &err),
        RWL_CORRUPT);
    ck_assert_int_eq(
        rwl_avro_writer_open(store, &op, location, "\"int\"", NULL, 0, RWL_CODEC_GZIP, 0, &w, &err),
        RWL_UNSUPPORTED);
    ck_assert_ptr_null(w);
    rwl_avro_writer_abort(NULL);
    rwl_avro_reader_close(NULL);
}
END_TEST

/* --- failing stores --- */

static rwl_store *failing_store(const rwl_test_store_options *options) {
    rwl_store *local, *failing;
    TRY(rwl_store_local_new(&env, NULL, 0, &local, &err));
    TRY(rwl_test_store_new(&env, local, options, &failing, &err));
    return failing;
}

START_TEST(writing_leaves_nothing_behind_when_a_call_fails) {
    rwl_test_store_options options = {.fail_call = RWL_TEST_ANY, .fail_at = 1, .fail_after = _i == 1};
    rwl_store *failing = failing_store(&options);
    for (;; options.fail_at++) {
        int64_t size;
        rwl_test_store_set(failing, &options);
        rwl_status st = write_file(failing, RWL_CODEC_SNAPPY, 3000, &size);
        ck_assert_int_eq(rwl_test_store_stats_of(failing).open_new_files, 0);
        if (st == RWL_OK)
            break;
        if (st != RWL_COMMIT_UNKNOWN)
            ck_assert_int_ne(access(location, F_OK), 0);
        unlink(location);
    }
    ck_assert_int_ge(options.fail_at, 8);
    TRY(read_file(store, 3000));
    rwl_store_free(failing);
}
END_TEST

START_TEST(reading_passes_failures_on) {
    rwl_test_store_options options = {
        .fail_call = RWL_TEST_ANY, .fail_at = 1, .reorder = true, .split = 4000};
    rwl_store *failing = failing_store(&options);
    int64_t size;
    TRY(write_file(store, RWL_CODEC_NONE, 30000, &size));
    for (;; options.fail_at++) {
        rwl_test_store_set(failing, &options);
        rwl_status st = read_file(failing, 30000);
        ck_assert_int_eq(rwl_test_store_stats_of(failing).open_files, 0);
        if (st == RWL_OK)
            break;
        ck_assert_int_eq(st, RWL_IO);
    }
    ck_assert_int_ge(options.fail_at, 3); /* open and two reads succeed at last */
    rwl_store_free(failing);
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

START_TEST(reading_survives_each_failed_allocation) {
    int64_t size;
    TRY(write_file(store, RWL_CODEC_ZSTD, 50, &size));
    env.realloc = failing_realloc;
    for (int64_t n = 0;; n++) {
        allocations_left = n;
        rwl_status st = read_file(store, 50);
        allocations_left = INT64_MAX;
        if (st == RWL_OK)
            break;
        ck_assert_int_eq(st, RWL_NO_MEMORY);
        ck_assert_int_lt(n, 1000);
    }
    rwl_env_init_default(&env);
}
END_TEST

/* --- files built by hand --- */

static void put(const char *text) {
    TRY(rwl_buf_str(&bytes, text, &err));
}

static void put_long(int64_t v) {
    TRY(rwl_buf_zigzag(&bytes, v, &err));
}

static void put_text(const char *text) {
    put_long((int64_t)strlen(text));
    put(text);
}

static void put_zeros(int n) {
    for (int i = 0; i < n; i++)
        TRY(rwl_buf_u8(&bytes, 0, &err));
}

#define SYNC "0123456789abcdef"

static void put_head(const char *schema, const char *codec) {
    rwl_buf_reset(&bytes);
    put("Obj\1");
    put_long(codec != NULL ? 2 : 1);
    put_text("avro.schema");
    put_text(schema);
    if (codec != NULL) {
        put_text("avro.codec");
        put_text(codec);
    }
    put_long(0);
    put(SYNC);
}

static void put_block(int64_t count, const void *data, size_t len) {
    put_long(count);
    put_long((int64_t)len);
    TRY(rwl_buf_append(&bytes, data, len, &err));
    put(SYNC);
}

/* Reads the file in `bytes` to its end; how many records, or -1 with `err` set. */
static rwl_status read_bytes(int64_t *count) {
    rwl_avro_reader *r;
    const rwl_avro_datum *record;
    unlink(location);
    TRY(rwl_store_put(store, &op, location, rwl_buf_span(&bytes), &err));
    *count = 0;
    RWL_TRY(rwl_avro_reader_open(store, &op, location, &r, &err));
    rwl_status st;
    while ((st = rwl_avro_reader_next(r, &record, &err)) == RWL_OK && record != NULL)
        ++*count;
    rwl_avro_reader_close(r);
    return st;
}

/* Header entries in two runs, one with a negative count; an array in three, two with sizes; a map so too. */
START_TEST(reads_counts_with_sizes) {
    rwl_avro_reader *r;
    const rwl_avro_datum *record;
    put("Obj\1");
    put_long(-1);
    put_long(12345); /* its size in bytes: for skipping, not used */
    put_text("avro.schema");
    put_text("{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"a\",\"type\":{\"type\":\"array\","
             "\"items\":\"int\"}},"
             "{\"name\":\"m\",\"type\":{\"type\":\"map\",\"values\":\"null\"}}]}");
    put_long(1);
    put_text("k");
    put_text("v");
    put_long(0);
    put(SYNC);
    /* zigzag: -2 is 3, size 2 is 4, 1 2 3 are 2 4 6 */
    static const uint8_t data[] = {3, 4, 2, 4, 2, 6, 1, 2, 8, 0, 1, 4, 2, 'a', 2, 2, 'b', 0};
    put_block(1, data, sizeof data);
    TRY(rwl_store_put(store, &op, location, rwl_buf_span(&bytes), &err));
    TRY(rwl_avro_reader_open(store, &op, location, &r, &err));
    CHECK(rwl_span_equal(rwl_avro_reader_metadata(r, "k"), rwl_span_str("v")));
    TRY(rwl_avro_reader_next(r, &record, &err));
    const rwl_avro_datum *a = rwl_avro_get(record, 5, "a"); /* no ids: by name */
    ck_assert_int_eq(a->as.list.count, 4);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(a->as.list.items[i].as.i, i + 1);
    const rwl_avro_datum *m = rwl_avro_get(record, -1, "m");
    ck_assert_int_eq(m->as.list.count, 4); /* two keys, two nulls */
    ck_assert_int_eq(m->as.list.items[2].as.bytes.data[0], 'b');
    ck_assert_int_eq(m->as.list.items[3].kind, RWL_AVRO_NULL);
    ck_assert_ptr_null(rwl_avro_get(record, 1, NULL));
    ck_assert_ptr_null(rwl_avro_get(a, 1, "a"));
    ck_assert_ptr_null(rwl_avro_get(NULL, 1, "a"));
    TRY(rwl_avro_reader_next(r, &record, &err));
    ck_assert_ptr_null(record);
    rwl_avro_reader_close(r);
}
END_TEST

START_TEST(takes_empty_blocks_and_a_missing_codec) {
    int64_t count;
    put_head("\"int\"", NULL);
    put_block(0, "", 0);
    put_block(2, "\2\4", 2);
    put_block(0, "", 0);
    TRY(read_bytes(&count));
    ck_assert_int_eq(count, 2);
}
END_TEST

typedef struct block_case {
    const char *schema, *codec;
    int64_t count;
    const char *data;
    int len; /* of data */
    rwl_status status;
    const char *message;
} block_case;

#define RECORD(type) "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"x\",\"type\":" type "}]}"

static const block_case blocks[] = {
    {"\"int\"", "null", 1, "\2", 1, RWL_OK, NULL},
    {"\"int\"", "null", 2, "\2", 1, RWL_CORRUPT, "input ends"},
    {"\"int\"", "null", 1, "\2\2", 2, RWL_CORRUPT, "1 bytes are left after the last record"},
    {"\"int\"", "null", 0, "\2", 1, RWL_CORRUPT, "1 bytes are left after the last record"},
    {"\"int\"", "null", -1, "\2", 1, RWL_CORRUPT, "block has -1 records"},
    {"\"int\"", "null", INT64_MAX, "\2", 1, RWL_CORRUPT, "input ends"},
    {"\"null\"", "null", INT64_MAX, "", 0, RWL_CORRUPT, "more records than the file's bytes may hold"},
    {RECORD("{\"type\":\"array\",\"items\":\"null\"}"), "null", 1, "\xfe\xff\xff\xff\x0f\0", 6, RWL_CORRUPT,
     "items cannot be"},
    {RECORD("{\"type\":\"array\",\"items\":\"null\"}"), "null", 1, "\xfe\xff\xff\x7f\0", 5, RWL_CORRUPT,
     "field 'x': more values than the file's bytes may hold"},
    {RECORD("{\"type\":\"array\",\"items\":\"int\"}"), "null", 1, "\x06\2\2", 3, RWL_CORRUPT,
     "3 items cannot be in 2 bytes"},
    {RECORD("{\"type\":\"map\",\"values\":\"int\"}"), "null", 1, "\x06\2\2\2\2\2", 6, RWL_CORRUPT,
     "3 items cannot be in 5 bytes"},
    {RECORD("{\"type\":\"array\",\"items\":\"int\"}"), "null", 1, "\1\1\2\0", 4, RWL_CORRUPT,
     "count is -1, size -1"},
    {RECORD("{\"type\":\"array\",\"items\":\"int\"}"), "null", 1, "\1\x64\2\0", 4, RWL_CORRUPT,
     "count is -1, size 50"},
    {RECORD("{\"type\":\"array\",\"items\":\"int\"}"), "null", 1,
     "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\2\2\0", 13, RWL_CORRUPT, "count is -9223372036854775808"},
    {"\"int\"", "null", 1, "\x80\x80\x80\x80\x10", 5, RWL_CORRUPT, "int is 2147483648"},
    {"\"long\"", "null", 1, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\2", 10, RWL_CORRUPT,
     "needs more than 64 bits"},
    {"\"boolean\"", "null", 1, "\2", 1, RWL_CORRUPT, "boolean is 2"},
    {"\"string\"", "null", 1, "\1", 1, RWL_CORRUPT, "length is -1"},
    {"\"bytes\"", "null", 1, "\4a", 2, RWL_CORRUPT, "length is 2, 1 bytes are left"},
    {"[\"null\",\"int\"]", "null", 1, "\4", 1, RWL_CORRUPT, "union branch is 2, there are 2"},
    {"[\"null\",\"int\"]", "null", 1, "\1", 1, RWL_CORRUPT, "union branch is -1"},
    {"{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\"]}", "null", 1, "\2", 1, RWL_CORRUPT,
     "enum symbol is 1, there are 1"},
    {"{\"type\":\"fixed\",\"name\":\"f\",\"size\":2147483647}", "null", 1, "ab", 2, RWL_CORRUPT,
     "input ends"},
    {"\"float\"", "null", 1, "abc", 3, RWL_CORRUPT, "input ends"},
    {"\"double\"", "null", 1, "abcdefg", 7, RWL_CORRUPT, "input ends"},
    {"\"int\"", "deflate", 1, "\xff\xff\xff", 3, RWL_CORRUPT, "deflate"},
    {"\"int\"", "deflate", 1, "", 0, RWL_CORRUPT, "deflate"},
    {"\"int\"", "zstandard", 1, "abcdef", 6, RWL_CORRUPT, "zstd"},
    {"\"int\"", "snappy", 1, "abc", 3, RWL_CORRUPT, "no room for its CRC"},
    /* snappy of one byte 2: length 1, literal of 1; the CRC-32 of it is 0x3c0c8ea1 (Python:
       zlib.crc32(b"\2")) */
    {"\"int\"", "snappy", 1, "\1\0\2\x3c\x0c\x8e\xa1", 7, RWL_OK, NULL},
    {"\"int\"", "snappy", 1, "\1\0\2\x3c\x0c\x8e\xa0", 7, RWL_CORRUPT,
     "invalid CRC of snappy block: 0x3c0c8ea1, expected 0x3c0c8ea0"},
    {"\"int\"", "bzip2", 1, "\2", 1, RWL_UNSUPPORTED, "avro codec 'bzip2' is not supported"},
    {"\"it\"", "null", 1, "\2", 1, RWL_CORRUPT, "type 'it' is not defined"},
};

START_TEST(checks_blocks) {
    const block_case *c = &blocks[_i];
    int64_t count;
    put_head(c->schema, c->codec);
    put_block(c->count, c->data, (size_t)c->len);
    rwl_status st = read_bytes(&count);
    ck_assert_msg(st == c->status, "%d: %s", st, err.message);
    if (c->message == NULL)
        return;
    ck_assert_msg(strstr(err.message, c->message) != NULL, "%s", err.message);
    ck_assert_str_eq(err.path, location);
    ck_assert_str_eq(err.path, location);
}
END_TEST

START_TEST(checks_the_sync_marker_and_sizes) {
    int64_t count;
    put_head("\"int\"", "null");
    size_t head = bytes.len;
    put_block(1, "\2", 1);
    bytes.data[bytes.len - 1] ^= 1;
    ck_assert_int_eq(read_bytes(&count), RWL_CORRUPT);
    ck_assert_ptr_nonnull(strstr(err.message, "sync marker"));
    bytes.len = head;
    put_long(1);
    put_long(INT64_MAX);
    put_zeros(40);
    ck_assert_int_eq(read_bytes(&count), RWL_CORRUPT);
    ck_assert_ptr_nonnull(strstr(err.message, "file ends inside a block"));
    bytes.len = head;
    put_long(1);
    put_long(-4);
    put_zeros(40);
    ck_assert_int_eq(read_bytes(&count), RWL_CORRUPT);
    ck_assert_ptr_nonnull(strstr(err.message, "block has 1 records in -4 bytes"));
}
END_TEST

START_TEST(refuses_every_truncation) {
    int64_t count;
    put_head("\"int\"", "null");
    size_t head = bytes.len;
    put_block(1, "\2", 1);
    size_t whole = bytes.len;
    for (size_t n = 0; n < whole; n++) {
        bytes.len = n;
        rwl_status st = read_bytes(&count);
        if (n == head) { /* a file without records */
            ck_assert_int_eq(st, RWL_OK);
            ck_assert_int_eq(count, 0);
            continue;
        }
        ck_assert_int_eq(st, RWL_CORRUPT);
        ck_assert_msg(
            strstr(err.message, n < head ? "file ends inside the header" : "file ends inside a block"), "%s",
            err.message);
    }
}
END_TEST

START_TEST(checks_the_header) {
    int64_t count;
    put("Obj\2");
    put_zeros(40);
    ck_assert_int_eq(read_bytes(&count), RWL_CORRUPT);
    ck_assert_ptr_nonnull(strstr(err.message, "no avro file: begins with 0x4f626a02"));
    rwl_buf_reset(&bytes);
    put("Obj\1");
    put_zeros(17);
    ck_assert_int_eq(read_bytes(&count), RWL_CORRUPT);
    ck_assert_ptr_nonnull(strstr(err.message, "header has no avro.schema"));
    static const int64_t lengths[] = {-1, INT64_MAX, 100000000, INT64_MIN};
    for (int i = 0; i < 4; i++) {
        rwl_buf_reset(&bytes);
        put("Obj\1");
        put_long(1);
        put_long(lengths[i]);
        put_zeros(17);
        ck_assert_int_eq(read_bytes(&count), RWL_CORRUPT);
        ck_assert_ptr_nonnull(strstr(err.message, "length in the header is"));
    }
    rwl_buf_reset(&bytes);
    put("Obj\1");
    put_long(INT64_MIN);
    put_zeros(17);
    ck_assert_int_eq(read_bytes(&count), RWL_CORRUPT);
    unlink(location);
    rwl_avro_reader *r;
    ck_assert_int_eq(rwl_avro_reader_open(store, &op, location, &r, &err), RWL_NOT_FOUND);
    ck_assert_ptr_null(r);
}
END_TEST

/* Zeros compress a thousandfold: a block that gives more than the limit is refused, not filled. */
START_TEST(limits_what_a_block_may_become) {
    rwl_buf zeros, packed;
    rwl_codec *codec;
    int64_t count;
    rwl_buf_init(&zeros, &env, SIZE_MAX);
    rwl_buf_init(&packed, &env, SIZE_MAX);
    TRY(rwl_buf_reserve(&zeros, (size_t)RWL_AVRO_BLOCK_MAX + 1, &err));
    memset(zeros.data, 0, (size_t)RWL_AVRO_BLOCK_MAX + 1);
    zeros.len = (size_t)RWL_AVRO_BLOCK_MAX + 1;
    TRY(rwl_codec_new(&env, RWL_CODEC_ZSTD, 1, &codec, &err));
    TRY(rwl_codec_compress(codec, rwl_buf_span(&zeros), &packed, &err));
    rwl_buf_clear(&zeros);
    put_head("\"int\"", "zstandard");
    put_block(1, packed.data, packed.len);
    rwl_status st = read_bytes(&count);
    ck_assert_msg(st == RWL_UNSUPPORTED || st == RWL_CORRUPT, "%d %s", st, err.message);
    rwl_codec_free(codec);
    rwl_buf_clear(&packed);
}
END_TEST

START_TEST(stops_when_cancelled) {
    int64_t size;
    TRY(write_file(store, RWL_CODEC_NONE, 10, &size));
    rwl_avro_reader *r;
    const rwl_avro_datum *record;
    TRY(rwl_avro_reader_open(store, &op, location, &r, &err));
    atomic_store(&op.cancelled, 1);
    ck_assert_int_eq(rwl_avro_reader_next(r, &record, &err), RWL_INTERRUPTED);
    rwl_avro_reader_close(r);
}
END_TEST

TCase *file_cases(void) {
    TCase *cases = tcase_create("file");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 60);
    tcase_add_loop_test(cases, records_come_back, 0, 12);
    tcase_add_test(cases, size_counts_the_open_block);
    tcase_add_test(cases, refuses_what_it_could_not_read_back);
    tcase_add_loop_test(cases, writing_leaves_nothing_behind_when_a_call_fails, 0, 2);
    tcase_add_test(cases, reading_passes_failures_on);
    tcase_add_test(cases, reading_survives_each_failed_allocation);
    tcase_add_test(cases, reads_counts_with_sizes);
    tcase_add_test(cases, takes_empty_blocks_and_a_missing_codec);
    tcase_add_loop_test(cases, checks_blocks, 0, (int)(sizeof blocks / sizeof *blocks));
    tcase_add_test(cases, checks_the_sync_marker_and_sizes);
    tcase_add_test(cases, refuses_every_truncation);
    tcase_add_test(cases, checks_the_header);
    tcase_add_test(cases, limits_what_a_block_may_become);
    tcase_add_test(cases, stops_when_cancelled);
    return cases;
}
