/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas: JSON both ways, text, look-up, versions, defaults, promotion. */
#include "iceberg_test.h"

static rwl_status parse(const char *text, int32_t version, rwl_schema *out, rwl_error *err) {
    rwl_json *json = test_json(text);
    rwl_status st = rwl_schema_from_json(json, version, test_arena(), out, err);
    rwl_json_free(json);
    return st;
}

/* Every type of the specification, in its own JSON spelling. */
static const char *const EVERY_TYPE =
    "{'type': 'struct', 'schema-id': 7, 'identifier-field-ids': [1], 'fields': ["
    "{'id': 1, 'name': 'a', 'required': true, 'type': 'boolean', 'doc': 'the first'}, "
    "{'id': 2, 'name': 'b', 'required': false, 'type': 'int'}, "
    "{'id': 3, 'name': 'c', 'required': false, 'type': 'long'}, "
    "{'id': 4, 'name': 'd', 'required': false, 'type': 'float'}, "
    "{'id': 5, 'name': 'e', 'required': false, 'type': 'double'}, "
    "{'id': 6, 'name': 'f', 'required': false, 'type': 'decimal(9, 2)'}, "
    "{'id': 7, 'name': 'g', 'required': false, 'type': 'date'}, "
    "{'id': 8, 'name': 'h', 'required': false, 'type': 'time'}, "
    "{'id': 9, 'name': 'i', 'required': false, 'type': 'timestamp'}, "
    "{'id': 10, 'name': 'j', 'required': false, 'type': 'timestamptz'}, "
    "{'id': 11, 'name': 'k', 'required': false, 'type': 'timestamp_ns'}, "
    "{'id': 12, 'name': 'l', 'required': false, 'type': 'timestamptz_ns'}, "
    "{'id': 13, 'name': 'm', 'required': false, 'type': 'string'}, "
    "{'id': 14, 'name': 'n', 'required': false, 'type': 'uuid'}, "
    "{'id': 15, 'name': 'o', 'required': false, 'type': 'fixed[16]'}, "
    "{'id': 16, 'name': 'p', 'required': false, 'type': 'binary'}, "
    "{'id': 17, 'name': 'q', 'required': false, 'type': 'variant'}, "
    "{'id': 18, 'name': 'r', 'required': false, 'type': 'geometry(srid:4326)'}, "
    "{'id': 19, 'name': 's', 'required': false, 'type': 'geography(OGC:CRS84, karney)'}, "
    "{'id': 20, 'name': 't', 'required': false, 'type': 'unknown'}, "
    "{'id': 21, 'name': 'u', 'required': false, 'type': {'type': 'struct', 'fields': ["
    "{'id': 22, 'name': 'a', 'required': true, 'type': 'int'}]}}, "
    "{'id': 23, 'name': 'v', 'required': false, 'type': {'type': 'list', 'element-id': 24, "
    "'element': 'string', 'element-required': true}}, "
    "{'id': 25, 'name': 'w', 'required': false, 'type': {'type': 'map', 'key-id': 26, 'key': 'string', "
    "'value-id': 27, 'value': {'type': 'list', 'element-id': 28, 'element': 'geometry', "
    "'element-required': false}, 'value-required': false}}]}";

START_TEST(every_type_survives_reading_and_writing) {
    rwl_schema schema;
    ASSERT_OK(parse(EVERY_TYPE, 3, &schema, err));
    ck_assert_int_eq(schema.schema_id, 7);
    ck_assert_int_eq(schema.field_count, 23);
    ck_assert_int_eq(schema.identifier_count, 1);
    ck_assert_int_eq(schema.identifier_ids[0], 1);
    ck_assert_str_eq(schema.fields[0].doc, "the first");
    ck_assert_int_eq(rwl_schema_max_id(&schema), 28);
    rwl_json *json;
    ASSERT_OK(rwl_schema_to_json(&schema, &json, err));
    assert_json_text(json, EVERY_TYPE);
    rwl_json_free(json);
}
END_TEST

START_TEST(fields_are_found_by_name_at_the_top_and_by_id_at_any_depth) {
    rwl_schema schema;
    ASSERT_OK(parse(EVERY_TYPE, 3, &schema, err));
    ck_assert_int_eq(rwl_schema_by_name(&schema, "u")->id, 21);
    ck_assert_ptr_null(rwl_schema_by_name(&schema, "A"));
    ck_assert_ptr_null(rwl_schema_by_name(&schema, "element"));
    ck_assert_str_eq(rwl_schema_by_id(&schema, 22)->name, "a");
    ck_assert_str_eq(rwl_schema_by_id(&schema, 28)->name, "element");
    ck_assert(rwl_schema_by_id(&schema, 26)->required);
    ck_assert_ptr_null(rwl_schema_by_id(&schema, 29));
    rwl_schema by_hand = schema;
    by_hand.by_id = NULL;
    ck_assert_int_eq((int)rwl_schema_by_id(&by_hand, 28)->type.kind, RWL_TYPE_GEOMETRY);
    ck_assert_ptr_null(rwl_schema_by_id(&by_hand, 29));
}
END_TEST

#define ONE_FIELD(type)                                                                                      \
    "{'type': 'struct', 'fields': [{'id': 1, 'name': 'a', 'required': false, 'type': " type "}]}"

static const struct {
    const char *text;
    int32_t version;
    rwl_status status;
    const char *part;
} BAD_SCHEMAS[] = {
    {ONE_FIELD("'int128'"), 3, RWL_UNSUPPORTED, "unknown type 'int128'"},
    {ONE_FIELD("'timestamp'"), 1, RWL_OK, ""},
    {ONE_FIELD("'Decimal(9,2)'"), 1, RWL_OK, ""}, /* letter case and spaces are free on read */
    {ONE_FIELD("'decimal(39, 2)'"), 3, RWL_CORRUPT, "malformed type 'decimal(39, 2)'"},
    {ONE_FIELD("'fixed[x]'"), 3, RWL_CORRUPT, "malformed type"},
    {ONE_FIELD("{'type': 'set'}"), 3, RWL_UNSUPPORTED, "unknown nested type 'set'"},
    {ONE_FIELD("{}"), 3, RWL_CORRUPT, "'type' is missing"},
    {ONE_FIELD("7"), 3, RWL_CORRUPT, "neither a string nor an object"},
    {ONE_FIELD("{'type': 'list', 'element-id': 2, 'element': 'int'}"), 3, RWL_CORRUPT,
     "'element-required' is missing"},
    {ONE_FIELD("{'type': 'list', 'element-id': 1, 'element': 'int', 'element-required': true}"), 3,
     RWL_CORRUPT, "two fields have the id 1"},
    {ONE_FIELD("'timestamp_ns'"), 2, RWL_UNSUPPORTED, "needs format version 3"},
    {ONE_FIELD("'variant'"), 2, RWL_UNSUPPORTED, "needs format version 3"},
    {ONE_FIELD("'unknown'"), 2, RWL_UNSUPPORTED, "needs format version 3"},
    {ONE_FIELD("'geometry'"), 1, RWL_UNSUPPORTED, "needs format version 3"},
    {ONE_FIELD("'int', 'initial-default': 1"), 2, RWL_UNSUPPORTED, "initial default of column 'a'"},
    {ONE_FIELD("'int', 'initial-default': 1"), 3, RWL_OK, ""},
    {ONE_FIELD("'int', 'initial-default': 2147483648"), 3, RWL_CORRUPT, "initial-default"},
    {ONE_FIELD("'variant', 'initial-default': 1"), 3, RWL_CORRUPT, "can only be null"},
    {ONE_FIELD("'date', 'write-default': '2017-02-30'"), 3, RWL_CORRUPT, "write-default"},
    {ONE_FIELD("{'type': 'struct', 'fields': []}, 'initial-default': {}"), 3, RWL_OK, ""},
    {"[]", 3, RWL_CORRUPT, "schema"},
    {"{'type': 'list', 'fields': []}", 3, RWL_CORRUPT, "not 'struct'"},
    {"{'fields': []}", 3, RWL_CORRUPT, "'type' is missing"},
    {"{'type': 'struct'}", 3, RWL_CORRUPT, "'fields' is missing"},
    {"{'type': 'struct', 'fields': [{'id': 1, 'required': true, 'type': 'int'}]}", 3, RWL_CORRUPT,
     "'name' is missing"},
    {"{'type': 'struct', 'fields': [{'id': 1, 'name': 'a', 'type': 'int'}]}", 3, RWL_CORRUPT,
     "'required' is missing"},
    {"{'type': 'struct', 'fields': [{'id': -1, 'name': 'a', 'required': true, 'type': 'int'}]}", 3,
     RWL_CORRUPT, "the field id is -1"},
    {"{'type': 'struct', 'fields': [{'id': 4294967297, 'name': 'a', 'required': true, 'type': 'int'}]}", 3,
     RWL_CORRUPT, "4294967297"},
    {"{'type': 'struct', 'schema-id': 3, 'fields': [{'id': 1, 'name': 'a', 'required': true, 'type': 'int'}, "
     "{'id': 2, 'name': 'a', 'required': true, 'type': 'int'}]}",
     3, RWL_CORRUPT, "schema 3: two fields are called 'a'"},
    {"{'type': 'struct', 'identifier-field-ids': [2], 'fields': [{'id': 1, 'name': 'a', 'required': true, "
     "'type': 'int'}]}",
     3, RWL_CORRUPT, "identifier-field-ids"},
};

START_TEST(bad_schemas_are_refused_with_the_reason) {
    rwl_schema schema;
    if (BAD_SCHEMAS[_i].status == RWL_OK)
        ASSERT_OK(parse(BAD_SCHEMAS[_i].text, BAD_SCHEMAS[_i].version, &schema, err));
    else
        ASSERT_FAILS(BAD_SCHEMAS[_i].status, BAD_SCHEMAS[_i].part,
                     parse(BAD_SCHEMAS[_i].text, BAD_SCHEMAS[_i].version, &schema, err));
}
END_TEST

START_TEST(types_nested_too_deep_are_refused) {
    rwl_buf text;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_buf_str(
        &text, "{'type': 'struct', 'fields': [{'id': 1, 'name': 'a', 'required': true, 'type': ", err));
    for (int i = 0; i < 100; i++)
        ASSERT_OK(rwl_buf_printf(
            &text, err, "{'type': 'list', 'element-required': true, 'element-id': %d, 'element': ", i + 2));
    ASSERT_OK(rwl_buf_str(&text, "'int'", err));
    for (int i = 0; i < 100; i++)
        ASSERT_OK(rwl_buf_str(&text, "}", err));
    ASSERT_OK(rwl_buf_str(&text, "}]}", err));
    ASSERT_OK(rwl_buf_terminate(&text, err));
    rwl_schema schema;
    ASSERT_FAILS(RWL_UNSUPPORTED, "deeper than 64", parse((const char *)text.data, 3, &schema, err));
    rwl_buf_clear(&text);
}
END_TEST

/* type, JSON as read, JSON as written (NULL: the same), text form */
static const struct {
    const char *type, *json, *written, *text;
} DEFAULTS[] = {
    {"boolean", "true", NULL, "true"},
    {"int", "-2147483648", NULL, "-2147483648"},
    {"long", "9223372036854775807", NULL, "9223372036854775807"},
    {"float", "0.5", NULL, "0.5"},
    {"float", "1", "1.0", "1.0"},
    {"double", "2.5", NULL, "2.5"},
    {"double", "'NaN'", NULL, "NaN"},
    {"decimal(9, 2)", "'14.20'", NULL, "14.20"},
    {"date", "'2017-11-16'", NULL, "2017-11-16"},
    {"time", "'22:31:08.123456'", NULL, "22:31:08.123456"},
    {"timestamp", "'2017-11-16T22:31:08.123456'", NULL, "2017-11-16T22:31:08.123456"},
    {"timestamptz", "'2017-11-16T22:31:08.123456+00:00'", NULL, "2017-11-16T22:31:08.123456+00:00"},
    {"timestamp_ns", "'2017-11-16T22:31:08.123456789'", NULL, "2017-11-16T22:31:08.123456789"},
    {"timestamptz_ns", "'2017-11-16T22:31:08.123456789+00:00'", NULL, "2017-11-16T22:31:08.123456789+00:00"},
    {"string", "'iceberg'", NULL, "iceberg"},
    {"string", "''", NULL, ""},
    {"uuid", "'f79c3e09-677c-4bbd-a479-3f349cb785e7'", NULL, "f79c3e09-677c-4bbd-a479-3f349cb785e7"},
    {"fixed[4]", "'000102fF'", "'000102FF'", "000102ff"},
    {"binary", "'000102ff'", "'000102FF'", "000102ff"},
    {"int", "null", NULL, "null"},
};

START_TEST(defaults_follow_the_single_value_form) {
    rwl_type type = test_type(DEFAULTS[_i].type);
    rwl_json *json = test_json(DEFAULTS[_i].json);
    rwl_value v;
    ASSERT_OK(rwl_value_from_json(&type, json, test_arena(), &v, err));
    rwl_json_free(json);
    assert_value(&type, &v, DEFAULTS[_i].text);
    ASSERT_OK(rwl_value_to_json(&type, &v, &json, err));
    assert_json_text(json, DEFAULTS[_i].written ? DEFAULTS[_i].written : DEFAULTS[_i].json);
    rwl_json_free(json);
}
END_TEST

static const struct {
    const char *type, *json;
} BAD_DEFAULTS[] = {
    {"boolean", "1"},
    {"int", "1.0"},
    {"int", "'1'"},
    {"long", "true"},
    {"double", "'1.5'"},
    {"float", "[]"},
    {"decimal(9, 2)", "14.2"},
    {"decimal(9, 2)", "'14.205'"},
    {"decimal(3, 2)", "'14.20'"},
    {"date", "17486"},
    {"timestamptz", "'2017-11-16T22:31:08'"},
    {"uuid", "'f79c3e09'"},
    {"fixed[4]", "'0001'"},
    {"binary", "'0'"},
    {"string", "{}"},
};

START_TEST(bad_defaults_are_corrupt) {
    rwl_type type = test_type(BAD_DEFAULTS[_i].type);
    rwl_json *json = test_json(BAD_DEFAULTS[_i].json);
    rwl_value v;
    ASSERT_FAILS(RWL_CORRUPT, "", rwl_value_from_json(&type, json, test_arena(), &v, err));
    rwl_json_free(json);
}
END_TEST

START_TEST(text_gives_ids_depth_first) {
    rwl_schema schema =
        test_schema("id long not null, ts timestamptz, tags list<string>, d Decimal( 10,2), f fixed[16], "
                    "s struct<a int, b: string not null>, m map<string, list<long not null> not null>, "
                    "\"a \"\"b\" geometry(srid:4326)");
    static const char *const wanted =
        "{'type': 'struct', 'schema-id': 0, 'fields': ["
        "{'id': 1, 'name': 'id', 'required': true, 'type': 'long'}, "
        "{'id': 2, 'name': 'ts', 'required': false, 'type': 'timestamptz'}, "
        "{'id': 3, 'name': 'tags', 'required': false, 'type': {'type': 'list', 'element-id': 4, 'element': "
        "'string', "
        "'element-required': false}}, "
        "{'id': 5, 'name': 'd', 'required': false, 'type': 'decimal(10, 2)'}, "
        "{'id': 6, 'name': 'f', 'required': false, 'type': 'fixed[16]'}, "
        "{'id': 7, 'name': 's', 'required': false, 'type': {'type': 'struct', 'fields': ["
        "{'id': 8, 'name': 'a', 'required': false, 'type': 'int'}, "
        "{'id': 9, 'name': 'b', 'required': true, 'type': 'string'}]}}, "
        "{'id': 10, 'name': 'm', 'required': false, 'type': {'type': 'map', 'key-id': 11, 'key': 'string', "
        "'value-id': 12, 'value': {'type': 'list', 'element-id': 13, 'element': 'long', 'element-required': "
        "true}, "
        "'value-required': true}}, "
        "{'id': 14, 'name': 'a \\'b', 'required': false, 'type': 'geometry(srid:4326)'}]}";
    rwl_json *json;
    ASSERT_OK(rwl_schema_to_json(&schema, &json, err));
    assert_json_text(json, wanted);
    rwl_json_free(json);
    ck_assert_int_eq(rwl_schema_by_id(&schema, 9)->required, 1);
}
END_TEST

static const struct {
    const char *text, *part;
} BAD_TEXTS[] = {
    {"", "position 1: expected a name at the end"},
    {"id", "position 3: expected a type at the end"},
    {"id, s string", "position 3: expected a type before ', s string'"},
    {"id bigint", "position 4: unknown type 'bigint'"},
    {"id long,", "position 9: expected a name"},
    {"id long name string", "position 9: expected ',' before 'name string'"},
    {"id long not", "position 12: expected 'null' after 'not'"},
    {"id long, id int", "position 10: the name 'id' occurs twice"},
    {"s struct<a int, a int>", "position 17: the name 'a' occurs twice"},
    {"d decimal(10", "position 10: the '(' is not closed"},
    {"d decimal(99,2)", "position 3: unknown type 'decimal(99,2)'"},
    {"l list<int", "position 11: expected '>'"},
    {"l list<>", "position 8: expected a name before '>'"},
    {"m map<int>", "position 10: expected ','"},
    {"\"id long", "position 1: the quoted name does not end"},
    {"\"\" long", "position 1: a name is empty"},
    {"id \"long\"", "position 4: expected a type"},
    {"1d long", "position 1: expected a name before '1d long'"},
    {"\xff long", "not UTF-8"},
};

START_TEST(bad_texts_are_refused_with_the_position) {
    rwl_schema schema;
    ASSERT_FAILS(RWL_USAGE, BAD_TEXTS[_i].part,
                 rwl_schema_from_text(BAD_TEXTS[_i].text, test_arena(), &schema, err));
}
END_TEST

START_TEST(text_nested_too_deep_is_refused) {
    char text[1024] = "a ";
    for (int i = 0; i < 100; i++)
        strcat(text, "list<");
    rwl_schema schema;
    ASSERT_FAILS(RWL_USAGE, "deeper than 64", rwl_schema_from_text(text, test_arena(), &schema, err));
}
END_TEST

/* Specification, "Schema Evolution". */
static const struct {
    const char *from, *to;
    bool may;
} PROMOTIONS[] = {
    {"int", "long", true},
    {"long", "int", false},
    {"float", "double", true},
    {"double", "float", false},
    {"int", "double", false},
    {"decimal(9, 2)", "decimal(12, 2)", true},
    {"decimal(9, 2)", "decimal(12, 3)", false},
    {"decimal(12, 2)", "decimal(9, 2)", false},
    {"date", "timestamp", true},
    {"date", "timestamp_ns", true},
    {"date", "timestamptz", false},
    {"unknown", "string", true},
    {"string", "binary", false},
    {"fixed[4]", "fixed[4]", true},
    {"fixed[4]", "fixed[5]", false},
    {"timestamp", "timestamptz", false},
    {"uuid", "uuid", true},
};

START_TEST(only_the_promotions_of_the_specification_hold) {
    rwl_type from = test_type(PROMOTIONS[_i].from);
    rwl_type to = test_type(PROMOTIONS[_i].to);
    ck_assert_int_eq(rwl_type_promotes(&from, &to), PROMOTIONS[_i].may);
}
END_TEST

Suite *suite_schema(void) {
    Suite *suite = suite_create("schema");
    TCase *tc = tcase_create("schema");
#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))
    tcase_add_test(tc, every_type_survives_reading_and_writing);
    tcase_add_test(tc, fields_are_found_by_name_at_the_top_and_by_id_at_any_depth);
    tcase_add_loop_test(tc, bad_schemas_are_refused_with_the_reason, 0, COUNT(BAD_SCHEMAS));
    tcase_add_test(tc, types_nested_too_deep_are_refused);
    tcase_add_loop_test(tc, defaults_follow_the_single_value_form, 0, COUNT(DEFAULTS));
    tcase_add_loop_test(tc, bad_defaults_are_corrupt, 0, COUNT(BAD_DEFAULTS));
    tcase_add_test(tc, text_gives_ids_depth_first);
    tcase_add_loop_test(tc, bad_texts_are_refused_with_the_position, 0, COUNT(BAD_TEXTS));
    tcase_add_test(tc, text_nested_too_deep_is_refused);
    tcase_add_loop_test(tc, only_the_promotions_of_the_specification_hold, 0, COUNT(PROMOTIONS));
    suite_add_tcase(suite, tc);
    return suite;
}
