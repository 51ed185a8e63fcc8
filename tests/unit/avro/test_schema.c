/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas: types, names, Iceberg's properties, and what is refused. */
#include "avro/avro.h"
#include "cases.h"

#include <stdio.h>

static rwl_env env;
static rwl_error err;
static rwl_arena arena;

static void setup(void) {
    rwl_env_init_default(&env);
    rwl_arena_init(&arena, &env, 0);
}

static void teardown(void) {
    rwl_arena_clear(&arena);
}

static const rwl_avro_schema *parse(const char *json) {
    const rwl_avro_schema *schema;
    rwl_status st = rwl_avro_schema_parse(rwl_span_str(json), &arena, &schema, &err);
    ck_assert_msg(st == RWL_OK, "%s: %s", json, err.message);
    return schema;
}

START_TEST(reads_primitive_types) {
    static const struct {
        const char *json;
        rwl_avro_kind kind;
        int32_t min_len;
    } types[] = {{"\"null\"", RWL_AVRO_NULL, 0},
                 {"\"boolean\"", RWL_AVRO_BOOLEAN, 1},
                 {"\"int\"", RWL_AVRO_INT, 1},
                 {"\"long\"", RWL_AVRO_LONG, 1},
                 {"\"float\"", RWL_AVRO_FLOAT, 4},
                 {"\"double\"", RWL_AVRO_DOUBLE, 8},
                 {"\"bytes\"", RWL_AVRO_BYTES, 1},
                 {"\"string\"", RWL_AVRO_STRING, 1},
                 {"{\"type\":\"long\"}", RWL_AVRO_LONG, 1},
                 {"{\"type\":{\"type\":\"int\"}}", RWL_AVRO_INT, 1}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const rwl_avro_schema *s = parse(types[i].json);
        ck_assert_int_eq(s->kind, types[i].kind);
        ck_assert_int_eq(s->min_len, types[i].min_len);
        ck_assert_int_eq(s->height, 1);
        ck_assert(!*s->has_ids);
    }
}
END_TEST

/* The property names and forms of the reference, 5.4. */
START_TEST(reads_the_properties_of_iceberg) {
    const rwl_avro_schema *s = parse(
        "{\"type\":\"record\",\"name\":\"r\",\"fields\":["
        "{\"name\":\"ts\",\"type\":[\"null\",{\"type\":\"long\",\"logicalType\":\"timestamp-micros\","
        "\"adjust-to-utc\":true}],"
        "\"default\":null,\"field-id\":7},"
        "{\"name\":\"l\",\"type\":{\"type\":\"array\",\"items\":\"int\",\"element-id\":8},\"field-id\":9},"
        "{\"name\":\"m\",\"type\":{\"type\":\"map\",\"values\":\"bytes\",\"key-id\":10,\"value-id\":11},"
        "\"field-id\":12},"
        "{\"name\":\"d\",\"type\":{\"type\":\"fixed\",\"name\":\"decimal_9_2\",\"size\":4,\"logicalType\":"
        "\"decimal\","
        "\"precision\":9,\"scale\":2},\"field-id\":2147483647},"
        "{\"name\":\"n\",\"type\":{\"type\":\"long\",\"logicalType\":\"timestamp-nanos\",\"adjust-to-utc\":"
        "false}}]}");
    ck_assert_int_eq(s->kind, RWL_AVRO_RECORD);
    ck_assert_int_eq(s->field_count, 5);
    ck_assert(*s->has_ids);
    ck_assert_int_eq(s->min_len, 1 + 1 + 1 + 4 + 1);
    ck_assert_int_eq(s->height, 3);
    const rwl_avro_schema *ts = s->fields[0].schema;
    ck_assert_int_eq(s->fields[0].id, 7);
    ck_assert_int_eq(ts->kind, RWL_AVRO_UNION);
    ck_assert_int_eq(ts->branch_count, 2);
    ck_assert_int_eq(ts->branches[0]->kind, RWL_AVRO_NULL);
    ck_assert_str_eq(ts->branches[1]->logical_type, "timestamp-micros");
    ck_assert_int_eq(ts->branches[1]->adjust_to_utc, 1);
    ck_assert_int_eq(s->fields[1].schema->element_id, 8);
    ck_assert_int_eq(s->fields[1].schema->branches[0]->kind, RWL_AVRO_INT);
    ck_assert_int_eq(s->fields[2].schema->key_id, 10);
    ck_assert_int_eq(s->fields[2].schema->value_id, 11);
    ck_assert_int_eq(s->fields[3].id, 2147483647);
    ck_assert_int_eq(s->fields[3].schema->size, 4);
    ck_assert_int_eq(s->fields[3].schema->precision, 9);
    ck_assert_int_eq(s->fields[3].schema->scale, 2);
    ck_assert_int_eq(s->fields[4].id, -1);
    ck_assert_int_eq(s->fields[4].schema->adjust_to_utc, 0);
    ck_assert_int_eq(s->fields[4].schema->element_id, -1);
}
END_TEST

START_TEST(resolves_names_of_earlier_types) {
    const rwl_avro_schema *s =
        parse("{\"type\":\"record\",\"name\":\"a.b.r\",\"fields\":["
              "{\"name\":\"x\",\"type\":{\"type\":\"fixed\",\"name\":\"f\",\"size\":3}},"
              "{\"name\":\"y\",\"type\":\"f\"},"
              "{\"name\":\"z\",\"type\":\"a.b.f\"},"
              "{\"name\":\"e\",\"type\":{\"type\":\"enum\",\"namespace\":\"q\",\"name\":\"e\",\"symbols\":["
              "\"A\",\"B\"]}},"
              "{\"name\":\"g\",\"type\":[\"null\",\"q.e\"]}]}");
    ck_assert_ptr_eq(s->fields[1].schema, s->fields[0].schema);
    ck_assert_ptr_eq(s->fields[2].schema, s->fields[0].schema);
    ck_assert_ptr_eq(s->fields[4].schema->branches[1], s->fields[3].schema);
    ck_assert_int_eq(s->fields[3].schema->symbol_count, 2);
    ck_assert_str_eq(s->fields[3].schema->symbols[1], "B");
}
END_TEST

/* Some writers define a type again for each field that has it. */
START_TEST(takes_a_repeated_definition) {
    const rwl_avro_schema *s = parse("[{\"type\":\"fixed\",\"name\":\"f\",\"size\":3},"
                                     "{\"type\":\"fixed\",\"name\":\"f\",\"size\":4}]");
    ck_assert_int_eq(s->branches[0]->size, 3);
    ck_assert_int_eq(s->branches[1]->size, 4);
}
END_TEST

static const struct {
    const char *json;
    rwl_status status;
    const char *message;
} bad[] = {
    {"", RWL_CORRUPT, "avro schema: "},
    {"{", RWL_CORRUPT, "avro schema: "},
    {"7", RWL_CORRUPT, "a schema is a string"},
    {"null", RWL_CORRUPT, "a schema is a string"},
    {"\"strnig\"", RWL_CORRUPT, "type 'strnig' is not defined"},
    {"{}", RWL_CORRUPT, "'type' is missing"},
    {"[]", RWL_CORRUPT, "union has no branches"},
    {"[\"int\",[\"null\",\"int\"]]", RWL_CORRUPT, "union stands directly in a union"},
    {"{\"type\":\"record\",\"fields\":[]}", RWL_CORRUPT, "'name' is missing"},
    {"{\"type\":\"record\",\"name\":\"r\"}", RWL_CORRUPT, "'fields' is missing"},
    {"{\"type\":\"record\",\"name\":\"r\",\"fields\":[7]}", RWL_CORRUPT, "'name'"},
    {"{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"x\"}]}", RWL_CORRUPT,
     "field 'x': 'type' is missing"},
    {"{\"type\":\"array\"}", RWL_CORRUPT, "'items' is missing"},
    {"{\"type\":\"map\"}", RWL_CORRUPT, "'values' is missing"},
    {"{\"type\":\"fixed\",\"name\":\"f\"}", RWL_CORRUPT, "'size' is missing"},
    {"{\"type\":\"fixed\",\"name\":\"f\",\"size\":-1}", RWL_CORRUPT, "size -1"},
    {"{\"type\":\"fixed\",\"name\":\"f\",\"size\":2147483648}", RWL_CORRUPT, "'size'"},
    {"{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[1]}", RWL_CORRUPT, "no string"},
    {"{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"x\",\"type\":[\"null\",\"r\"]}]}",
     RWL_UNSUPPORTED, "type 'r' is recursive"},
    {"{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"x\",\"type\":{\"type\":\"array\",\"items\":"
     "\"r\"}}]}",
     RWL_UNSUPPORTED, "type 'r' is recursive"},
};

START_TEST(refuses_what_is_no_schema) {
    const rwl_avro_schema *schema;
    ck_assert_int_eq(rwl_avro_schema_parse(rwl_span_str(bad[_i].json), &arena, &schema, &err),
                     bad[_i].status);
    ck_assert_msg(strstr(err.message, bad[_i].message) != NULL, "%s", err.message);
    ck_assert_ptr_null(schema);
}
END_TEST

static rwl_status parse_nested(int levels) {
    static char json[10000];
    const rwl_avro_schema *schema;
    size_t len = 0;
    for (int i = 0; i < levels; i++)
        len += (size_t)snprintf(json + len, sizeof json - len, "{\"type\":\"array\",\"items\":");
    len += (size_t)snprintf(json + len, sizeof json - len, "\"int\"");
    for (int i = 0; i < levels; i++)
        len += (size_t)snprintf(json + len, sizeof json - len, "}");
    return rwl_avro_schema_parse(rwl_span_str(json), &arena, &schema, &err);
}

START_TEST(limits_the_depth) {
    ck_assert_int_eq(parse_nested(63), RWL_OK);
    ck_assert_int_eq(parse_nested(64), RWL_UNSUPPORTED);
    ck_assert_int_eq(parse_nested(300), RWL_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.message, "deeper than 64 levels"));
}
END_TEST

/* Each record refers to the one before: text of depth 2, values of depth n. */
START_TEST(limits_the_depth_through_names) {
    static char json[20000];
    const rwl_avro_schema *schema;
    for (int n = 62; n <= 63; n++) {
        size_t len =
            (size_t)snprintf(json, sizeof json, "[{\"type\":\"record\",\"name\":\"r0\",\"fields\":[]}");
        for (int i = 1; i <= n; i++)
            len += (size_t)snprintf(
                json + len, sizeof json - len,
                ",{\"type\":\"record\",\"name\":\"r%d\",\"fields\":[{\"name\":\"x\",\"type\":\"r%d\"}]}", i,
                i - 1);
        snprintf(json + len, sizeof json - len, "]");
        /* the union is level 1, r0..rn are n + 1 more */
        rwl_status want = n + 2 <= RWL_AVRO_DEPTH_MAX ? RWL_OK : RWL_UNSUPPORTED;
        ck_assert_int_eq(rwl_avro_schema_parse(rwl_span_str(json), &arena, &schema, &err), want);
    }
}
END_TEST

/* Two references each: 2^40 values in a record that takes 5 * 2^40 bytes at least; the length stays a number.
 */
START_TEST(fewest_bytes_stop_at_the_greatest_number) {
    static char json[20000];
    size_t len = (size_t)snprintf(json, sizeof json, "[{\"type\":\"fixed\",\"name\":\"r0\",\"size\":5}");
    for (int i = 1; i <= 40; i++)
        len += (size_t)snprintf(
            json + len, sizeof json - len,
            ",{\"type\":\"record\",\"name\":\"r%d\",\"fields\":[{\"name\":\"x\",\"type\":\"r%d\"},"
            "{\"name\":\"y\",\"type\":\"r%d\"}]}",
            i, i - 1, i - 1);
    snprintf(json + len, sizeof json - len, "]");
    const rwl_avro_schema *s = parse(json);
    ck_assert_int_eq(s->branches[3]->min_len, 40);
    ck_assert_int_eq(s->branches[40]->min_len, INT32_MAX);
}
END_TEST

TCase *schema_cases(void) {
    TCase *cases = tcase_create("schema");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, reads_primitive_types);
    tcase_add_test(cases, reads_the_properties_of_iceberg);
    tcase_add_test(cases, resolves_names_of_earlier_types);
    tcase_add_test(cases, takes_a_repeated_definition);
    tcase_add_loop_test(cases, refuses_what_is_no_schema, 0, (int)(sizeof bad / sizeof *bad));
    tcase_add_test(cases, limits_the_depth);
    tcase_add_test(cases, limits_the_depth_through_names);
    tcase_add_test(cases, fewest_bytes_stop_at_the_greatest_number);
    return cases;
}
