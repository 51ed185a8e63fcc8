/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: bytes from the specification and from another implementation, built again, and broken. */
#include "column/variant.h"
#include "suites.h"

#include <stdio.h>

static rwl_env env;
static rwl_buf text;
static void setup(void) {
    rwl_env_init_default(&env);
    rwl_buf_init(&text, &env, SIZE_MAX);
}
static void teardown(void) {
    rwl_buf_clear(&text);
}

static const char *json_of(rwl_span metadata, rwl_span value) {
    rwl_buf_reset(&text);
    OK(rwl_variant_json(metadata, value, &text, err));
    OK(rwl_buf_terminate(&text, err));
    return (const char *)text.data;
}

/* --- VariantEncoding.md --- */

#define BYTES(literal) rwl_span_of(literal, sizeof(literal) - 1)
static const char NO_NAMES[] = "\x01\x00\x00"; /* version 1, no strings, one offset: 0 */

/* Each row is the table "Variant primitive types" with header = id << 2; values little endian. */
START_TEST(prints_each_primitive_type) {
    const struct {
        rwl_span value;
        const char *json;
    } CASES[] = {
        {BYTES("\x00"), "null"},
        {BYTES("\x04"), "true"},
        {BYTES("\x08"), "false"},
        {BYTES("\x0c\xff"), "-1"},
        {BYTES("\x10\x00\x80"), "-32768"},
        {BYTES("\x14\x00\x00\x00\x80"), "-2147483648"},
        {BYTES("\x18\xff\xff\xff\xff\xff\xff\xff\x7f"), "9223372036854775807"},
        {BYTES("\x1c\x00\x00\x00\x00\x00\x00\xf8\x3f"), "1.5"},
        {BYTES("\x1c\x00\x00\x00\x00\x00\x00\xf0\x7f"), "\"Infinity\""},
        {BYTES("\x20\x02\xd2\x04\x00\x00"), "12.34"}, /* 1234 * 10^-2 */
        {BYTES("\x24\x03\xff\xff\xff\xff\xff\xff\xff\xff"), "-0.001"},
        {BYTES("\x28\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"),
         "18446744073709551617"}, /* 2^64 + 1 */
        {BYTES("\x2c\x01\x00\x00\x00"), "\"1970-01-02\""},
        {BYTES("\x30\x40\x42\x0f\x00\x00\x00\x00\x00"), "\"1970-01-01T00:00:01.000000+00:00\""},
        {BYTES("\x34\x40\x42\x0f\x00\x00\x00\x00\x00"), "\"1970-01-01T00:00:01.000000\""},
        {BYTES("\x38\x00\x00\x00\x3f"), "0.5"},
        {BYTES("\x3c\x02\x00\x00\x00\x0a\xff"), "\"0aff\""},
        {BYTES("\x40\x03\x00\x00\x00"
               "a\"b"),
         "\"a\\\"b\""},
        {BYTES("\x44\x01\x00\x00\x00\x00\x00\x00\x00"), "\"00:00:00.000001\""},
        {BYTES("\x48\x01\x00\x00\x00\x00\x00\x00\x00"), "\"1970-01-01T00:00:00.000000001+00:00\""},
        {BYTES("\x4c\x01\x00\x00\x00\x00\x00\x00\x00"), "\"1970-01-01T00:00:00.000000001\""},
        {BYTES("\x50\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"),
         "\"00112233-4455-6677-8899-aabbccddeeff\""},
        {BYTES("\x01"), "\"\""},     /* a short string of length 0 */
        {BYTES("\x09hi"), "\"hi\""}, /* length 2 */
        {BYTES("\x03\x00\x00"), "[]"},
        {BYTES("\x02\x00\x00"), "{}"},
        {BYTES("\x03\x02\x00\x01\x03\x00\x0c\x05"), "[null, 5]"},
        {BYTES("\x13\x01\x00\x00\x00\x00\x01\x00"), "[null]"}, /* is_large: a count of 4 bytes */
        {BYTES("\x07\x01\x00\x00\x01\x00\x00"), "[null]"},     /* offsets of 2 bytes */
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        OK(rwl_variant_check(BYTES(NO_NAMES), CASES[i].value, err));
        ck_assert_str_eq(json_of(BYTES(NO_NAMES), CASES[i].value), CASES[i].json);
        rwl_variant_items v;
        rwl_error fault = {0};
        for (size_t n = 0; n < CASES[i].value.len; n++) /* no part of it is a value */
            ck_assert_int_eq(rwl_variant_open(rwl_span_of(CASES[i].value.data, n), &v, &fault), RWL_CORRUPT);
    }
}
END_TEST

/* The example of "Value Data for Object": {"c": 3, "b": 2, "a": 1}, values in the order given, ids by name. */
START_TEST(reads_an_object_whose_values_lie_in_another_order) {
    rwl_span metadata = BYTES("\x01\x03\x00\x01\x02\x03"
                              "cba"); /* not sorted: c = 0, b = 1, a = 2 */
    rwl_span value = BYTES("\x02\x03"
                           "\x02\x01\x00"     /* ids of a, b, c */
                           "\x04\x02\x00\x06" /* where their values are, and the end */
                           "\x0c\x03\x0c\x02\x0c\x01");
    OK(rwl_variant_check(metadata, value, err));
    ck_assert_str_eq(json_of(metadata, value), "{\"a\": 1, \"b\": 2, \"c\": 3}");
    uint32_t id = 9;
    ck_assert(rwl_variant_find_name(metadata, rwl_span_str("a"), &id) && id == 2);
    ck_assert(!rwl_variant_find_name(metadata, rwl_span_str("d"), &id));
    ck_assert_uint_eq(rwl_variant_name_count(metadata), 3);
}
END_TEST

START_TEST(refuses_what_is_no_variant) {
    static const char AB[] = "\x01\x02\x00\x01\x02"
                             "ab";
    const struct {
        const char *what;
        rwl_span metadata, value;
        rwl_status expect;
    } CASES[] = {
        {"fine", BYTES(AB), BYTES("\x00"), RWL_OK},
        {"no metadata", BYTES(""), BYTES("\x00"), RWL_CORRUPT},
        {"version 2", BYTES("\x02\x00\x00"), BYTES("\x00"), RWL_CORRUPT},
        {"more names than bytes", BYTES("\xc1\xff\xff\xff\xff\x00\x00\x00\x00"), BYTES("\x00"), RWL_CORRUPT},
        {"descending names",
         BYTES("\x01\x02\x00\x02\x01"
               "ab"),
         BYTES("\x00"), RWL_CORRUPT},
        {"names cut",
         BYTES("\x01\x02\x00\x01\x03"
               "ab"),
         BYTES("\x00"), RWL_CORRUPT},
        {"first name not at 0",
         BYTES("\x01\x01\x01\x02"
               "ab"),
         BYTES("\x00"), RWL_CORRUPT},
        {"after the metadata", BYTES("\x01\x00\x00x"), BYTES("\x00"), RWL_CORRUPT},
        {"claims an order",
         BYTES("\x11\x02\x00\x01\x02"
               "ba"),
         BYTES("\x00"), RWL_CORRUPT},
        {"name not UTF-8", BYTES("\x01\x01\x00\x01\xff"), BYTES("\x00"), RWL_CORRUPT},
        {"no value", BYTES(AB), BYTES(""), RWL_CORRUPT},
        {"after the value", BYTES(AB), BYTES("\x00\x00"), RWL_CORRUPT},
        {"unknown primitive", BYTES(AB), BYTES("\x54"), RWL_UNSUPPORTED}, /* 21 */
        {"short number", BYTES(AB), BYTES("\x14\x01\x02"), RWL_CORRUPT},
        {"long string", BYTES(AB), BYTES("\x40\xff\xff\xff\xff"), RWL_CORRUPT},
        {"string not UTF-8", BYTES(AB), BYTES("\x05\xff"), RWL_CORRUPT},
        {"scale 39", BYTES(AB), BYTES("\x20\x27\x01\x00\x00\x00"), RWL_CORRUPT},
        {"time of a day and more", BYTES(AB), BYTES("\x44\x00\x60\xd7\x1d\x14\x00\x00\x00"), RWL_CORRUPT},
        {"count without end", BYTES(AB), BYTES("\x13\xff\xff\xff\xff\x00\x00"), RWL_CORRUPT},
        {"item outside", BYTES(AB), BYTES("\x03\x01\x01\x01\x00"), RWL_CORRUPT},
        {"items overlap", BYTES(AB), BYTES("\x03\x02\x00\x00\x02\x0c\x05"), RWL_CORRUPT},
        {"id of no name", BYTES(AB), BYTES("\x02\x01\x02\x00\x01\x00"), RWL_CORRUPT},
        {"name twice", BYTES(AB), BYTES("\x02\x02\x01\x01\x00\x01\x02\x00\x00"), RWL_CORRUPT},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        rwl_error fault = {0};
        rwl_status st = rwl_variant_check(CASES[i].metadata, CASES[i].value, &fault);
        ck_assert_msg(st == CASES[i].expect, "%s: %s", CASES[i].what, fault.message);
    }
}
END_TEST

/* [[[…]]]: each level adds 4 bytes; deeper than the limit is refused, not recursed into. */
START_TEST(nesting_has_a_limit) {
    rwl_buf a, b;
    rwl_buf_init(&a, &env, SIZE_MAX);
    rwl_buf_init(&b, &env, SIZE_MAX);
    OK(rwl_buf_u8(&a, 0, err));
    for (int depth = 1; depth <= RWL_VARIANT_DEPTH_MAX + 1; depth++) {
        rwl_error fault = {0};
        rwl_span item = rwl_buf_span(&a);
        rwl_buf_reset(&b);
        OK(rwl_variant_put_array(&item, 1, &b, err));
        rwl_buf swap = a;
        a = b;
        b = swap;
        rwl_status st = rwl_variant_check(BYTES(NO_NAMES), rwl_buf_span(&a), &fault);
        ck_assert_int_eq(st, depth <= RWL_VARIANT_DEPTH_MAX ? RWL_OK : RWL_UNSUPPORTED);
    }
    rwl_buf_clear(&a);
    rwl_buf_clear(&b);
}
END_TEST

/* --- building --- */

START_TEST(builds_objects_in_the_order_of_names) {
    rwl_span names[] = {rwl_span_str("b"), rwl_span_str("a"), rwl_span_str("B")};
    rwl_span values[] = {BYTES("\x0c\x01"), BYTES("\x00"), BYTES("\x05x")};
    uint32_t ids[] = {0, 1, 2};
    rwl_buf metadata, out;
    rwl_buf_init(&metadata, &env, SIZE_MAX);
    rwl_buf_init(&out, &env, SIZE_MAX);
    OK(rwl_variant_put_metadata(names, 3, &metadata, err));
    ck_assert_uint_eq(metadata.len, 9);
    ck_assert_mem_eq(metadata.data,
                     "\x01\x03\x00\x01\x02\x03"
                     "baB",
                     9);
    OK(rwl_variant_put_object(rwl_buf_span(&metadata), ids, values, 3, &out, err));
    /* B < a < b: header, count, ids, offsets, values in that order */
    ck_assert_uint_eq(out.len, 14);
    ck_assert_mem_eq(out.data, "\x02\x03\x02\x01\x00\x00\x02\x03\x05\x05x\x00\x0c\x01", 14);
    rwl_error fault = {0};
    uint32_t twice[] = {2, 1, 1};
    ck_assert_int_eq(rwl_variant_put_object(rwl_buf_span(&metadata), twice, values, 3, &out, &fault),
                     RWL_CORRUPT);
    ck_assert_ptr_nonnull(strstr(fault.message, "'a' twice"));
    uint32_t unknown[] = {3};
    ck_assert_int_eq(rwl_variant_put_object(rwl_buf_span(&metadata), unknown, values, 1, &out, &fault),
                     RWL_CORRUPT);
    rwl_buf_clear(&metadata);
    rwl_buf_clear(&out);
}
END_TEST

/* Counts and sizes at the borders of 1, 2 and 3 bytes, in objects with names of every id. */
START_TEST(builds_containers_of_any_size) {
    static const size_t COUNTS[] = {0, 1, 255, 256, 300, 70000};
    static char names[70000][24];
    static rwl_span spans[70000], values[70000];
    static uint32_t ids[70000];
    for (size_t c = 0; c < sizeof COUNTS / sizeof COUNTS[0]; c++) {
        size_t n = COUNTS[c];
        for (size_t i = 0; i < n; i++) {
            snprintf(names[i], sizeof names[i], "%05zu", n - i); /* descending: all of it is sorted */
            spans[i] = rwl_span_str(names[i]);
            values[i] = BYTES("\x0c\x07");
            ids[i] = (uint32_t)i;
        }
        rwl_buf metadata, object, array;
        rwl_buf_init(&metadata, &env, SIZE_MAX);
        rwl_buf_init(&object, &env, SIZE_MAX);
        rwl_buf_init(&array, &env, SIZE_MAX);
        OK(rwl_variant_put_metadata(spans, n, &metadata, err));
        OK(rwl_variant_put_object(rwl_buf_span(&metadata), ids, values, n, &object, err));
        OK(rwl_variant_put_array(values, n, &array, err));
        OK(rwl_variant_check(rwl_buf_span(&metadata), rwl_buf_span(&object), err));
        OK(rwl_variant_check(rwl_buf_span(&metadata), rwl_buf_span(&array), err));
        rwl_variant_items items;
        OK(rwl_variant_open(rwl_buf_span(&object), &items, err));
        ck_assert_uint_eq(items.count, n);
        /* largest id n - 1, offsets to 2 n */
        ck_assert_uint_eq(items.id_size, n > 65536 ? 3 : n > 256 ? 2 : 1);
        ck_assert_uint_eq(items.off_size, 2 * n > 65535 ? 3 : 2 * n > 255 ? 2 : 1);
        for (size_t i = 0; i < n; i += 97) {
            uint32_t id;
            rwl_span value;
            OK(rwl_variant_item(&items, (uint32_t)i, &id, &value, err));
            ck_assert_uint_eq(id, n - 1 - i);
            ck_assert_uint_eq(value.len, 2);
        }
        rwl_buf_clear(&metadata);
        rwl_buf_clear(&object);
        rwl_buf_clear(&array);
    }
}
END_TEST

START_TEST(primitives_read_back) {
    uint64_t seed = 3;
    uint8_t room[32];
    rwl_buf out;
    rwl_buf_init(&out, &env, SIZE_MAX);
    for (int i = 0; i < ALL_TYPE_COUNT; i++) {
        for (int round = 0; round < 50; round++) {
            rwl_value v = random_value(&ALL_TYPES[i], &seed, 5, room);
            if (v.kind == RWL_TYPE_TIME)
                v.as.i64 &= UINT32_MAX;
            rwl_type type;
            rwl_value back;
            rwl_buf_reset(&out);
            OK(rwl_variant_put_primitive(&ALL_TYPES[i], &v, &out, err));
            OK(rwl_variant_primitive(rwl_buf_span(&out), &type, &back, err));
            if (v.kind == RWL_TYPE_FIXED)
                v.kind = RWL_TYPE_BINARY;
            if (v.is_null)
                ck_assert(back.is_null);
            else
                ck_assert_msg(rwl_value_equal(&v, &back), "type %d", i);
        }
    }
    rwl_error fault = {0};
    rwl_type list = rwl_type_of(RWL_TYPE_LIST);
    rwl_value v = {.kind = RWL_TYPE_LIST};
    ck_assert_int_eq(rwl_variant_put_primitive(&list, &v, &out, &fault), RWL_UNSUPPORTED);
    ck_assert_int_eq(rwl_variant_put_int(128, 1, &out, &fault), RWL_INTERNAL);
    rwl_buf_reset(&out);
    OK(rwl_variant_put_int(-128, 1, &out, err));
    ck_assert_mem_eq(out.data, "\x0c\x80", 2);
    rwl_buf_clear(&out);
}
END_TEST

/* --- files of another implementation --- */

#ifdef FIXTURES_DIR
/* JSON of the values that cases.json beside the files describes. */
static const struct {
    int number;
    const char *json;
} FILES[] = {
    {1, "[\"comedy\", \"drama\"]"},
    {2, "[]"},
    {4, "true"},
    {7, "-34"},
    {9, "-1234"},
    {11, "-12345"},
    {13, "-9876543210"},
    {15, "-10.11"},
    {16, "14.3"},
    {19, "\"1957-11-07\""},
    {21, "\"1957-11-07T12:33:54.123456+00:00\""},
    {22, "\"2024-11-07T12:33:54.123456\""},
    {25, "-12345.6789"},
    {27, "-123456789.987654321"},
    {28, "9876543210.123456789"},
    {30, "\"0a0b0c0d\""},
    {31, "\"iceberg\""},
    {32, "\"12:33:54.123456\""},
    {34, "\"1957-11-07T12:33:54.123456789+00:00\""},
    {35, "\"2024-11-07T12:33:54.123456789\""},
    {37, "\"f24f9b64-81fa-49d1-b74e-8c09a6e31c56\""},
    {38, "{\"b\": \"iceberg\"}"},
    {46, "{\"a\": null, \"b\": \"\"}"},
    {86, "[\"comedy\", null, \"drama\"]"},
    {89, "null"},
    {130, "{}"},
    {134, "{\"a\": null, \"b\": \"iceberg\", \"d\": \"2024-01-30\"}"},
    {136, "[[\"comedy\", \"drama\"], []]"},
    {138, "{\"a\": 1234, \"b\": \"iceberg\"}"},
};

static size_t read_case(int number, uint8_t *bytes, size_t cap) {
    char path[512];
    snprintf(path, sizeof path, "%s/apache+parquet-testing/shredded_variant/case-%03d_row-0.variant.bin",
             FIXTURES_DIR, number);
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return 0;
    size_t len = fread(bytes, 1, cap, f);
    fclose(f);
    return len;
}

/* Takes the value apart and builds it again. */
static void rebuild(rwl_span metadata, rwl_span value, rwl_buf *out) {
    rwl_variant_items v;
    OK(rwl_variant_open(value, &v, err));
    if (v.kind == RWL_VARIANT_PRIMITIVE) {
        rwl_type type;
        rwl_value p;
        OK(rwl_variant_primitive(v.value, &type, &p, err));
        if (type.kind == RWL_TYPE_INT || type.kind == RWL_TYPE_LONG)
            OK(rwl_variant_put_int(type.kind == RWL_TYPE_INT ? p.as.i32 : p.as.i64, (int)v.value.len - 1, out,
                                   err));
        else
            OK(rwl_variant_put_primitive(&type, &p, out, err));
        return;
    }
    uint32_t ids[16];
    rwl_span values[16];
    rwl_buf items[16];
    ck_assert_uint_le(v.count, 16);
    for (uint32_t i = 0; i < v.count; i++) {
        rwl_span item;
        rwl_buf_init(&items[i], &env, SIZE_MAX);
        OK(rwl_variant_item(&v, i, &ids[i], &item, err));
        rebuild(metadata, item, &items[i]);
        values[i] = rwl_buf_span(&items[i]);
    }
    if (v.kind == RWL_VARIANT_OBJECT)
        OK(rwl_variant_put_object(metadata, ids, values, v.count, out, err));
    else
        OK(rwl_variant_put_array(values, v.count, out, err));
    for (uint32_t i = 0; i < v.count; i++)
        rwl_buf_clear(&items[i]);
}

START_TEST(reads_files_of_another_implementation_and_builds_their_bytes) {
    uint8_t bytes[4096];
    int seen = 0;
    for (int number = 1; number <= 138; number++) {
        size_t len = read_case(number, bytes, sizeof bytes);
        if (len == 0)
            continue;
        rwl_span metadata, value;
        seen++;
        OK(rwl_variant_split(rwl_span_of(bytes, len), &metadata, &value, err));
        OK(rwl_variant_check(metadata, value, err));
        rwl_buf again;
        rwl_buf_init(&again, &env, SIZE_MAX);
        rebuild(metadata, value, &again);
        ck_assert_msg(rwl_span_equal(rwl_buf_span(&again), value), "case %d", number);
        rwl_buf_clear(&again);
        for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++)
            if (FILES[i].number == number)
                ck_assert_str_eq(json_of(metadata, value), FILES[i].json);
    }
    if (seen == 0)
        printf("skipped: no variant files of parquet-testing here\n");
}
END_TEST
#endif

/* Any bytes give an error or text: sanitizers watch. Flips and cuts of an object with all kinds of items. */
START_TEST(broken_bytes_are_an_error_or_a_value) {
    static const char GOOD[] = "\x11\x03\x00\x01\x02\x03"
                               "abc"
                               "\x02\x03\x00\x01\x02\x00\x07\x0f\x1b"
                               "\x03\x02\x00\x01\x03\x00\x0c" /* cut on purpose below */
                               "\x05\x0dhey\x04\x08\x00\x00\x20\x02\xd2\x04\x00\x00\x50\x3c\x01\x00\x00\x00z";
    uint64_t seed = 5;
    for (int round = 0; round < 20000; round++) {
        uint8_t bytes[sizeof GOOD];
        memcpy(bytes, GOOD, sizeof GOOD);
        size_t len = sizeof GOOD - 1 - next_random(&seed) % 4;
        for (uint64_t k = next_random(&seed) % 4; k > 0; k--)
            bytes[next_random(&seed) % len] = (uint8_t)next_random(&seed);
        rwl_span metadata, value;
        rwl_error fault = {0};
        rwl_buf_reset(&text);
        if (rwl_variant_split(rwl_span_of(bytes, len), &metadata, &value, &fault) != RWL_OK)
            continue;
        rwl_status checked = rwl_variant_check(metadata, value, &fault);
        rwl_status printed = rwl_variant_json(metadata, value, &text, &fault);
        ck_assert(checked != RWL_OK || printed == RWL_OK);
        ck_assert_uint_lt(text.len, 4096);
    }
}
END_TEST

TCase *variant_cases(void) {
    TCase *tc = tcase_create("variant");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, prints_each_primitive_type);
    tcase_add_test(tc, reads_an_object_whose_values_lie_in_another_order);
    tcase_add_test(tc, refuses_what_is_no_variant);
    tcase_add_test(tc, nesting_has_a_limit);
    tcase_add_test(tc, builds_objects_in_the_order_of_names);
    tcase_add_test(tc, builds_containers_of_any_size);
    tcase_add_test(tc, primitives_read_back);
#ifdef FIXTURES_DIR
    tcase_add_test(tc, reads_files_of_another_implementation_and_builds_their_bytes);
#endif
    tcase_add_test(tc, broken_bytes_are_an_error_or_a_value);
    return tc;
}
