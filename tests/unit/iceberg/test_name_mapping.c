/* SPDX-License-Identifier: Apache-2.0 */
/* Name mappings: what is one, and the ids they give. */
#include "iceberg/name_mapping.h"
#include "iceberg_test.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static rwl_span text_of(const char *text) {
    char *copy = rwl_arena_strdup(test_arena(), text);
    for (char *p = copy; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    return rwl_span_str(copy);
}

/* "name=id" of fields at any depth, those below in parentheses. */
static void put_fields(const rwl_field *fields, int32_t count, rwl_buf *out) {
    for (int32_t i = 0; i < count; i++) {
        ASSERT_OK(rwl_buf_printf(out, err, "%s%s=%d", i > 0 ? " " : "", fields[i].name, (int)fields[i].id));
        if (fields[i].type.child_count == 0)
            continue;
        ASSERT_OK(rwl_buf_u8(out, '(', err));
        put_fields(fields[i].type.children, fields[i].type.child_count, out);
        ASSERT_OK(rwl_buf_u8(out, ')', err));
    }
}

static void assert_ids(const rwl_name_mapping *mapping, const char *columns, int32_t found,
                       const char *want) {
    rwl_schema schema = test_schema(columns);
    const rwl_field *fields;
    int32_t got;
    rwl_buf out;
    rwl_buf_init(&out, test_env(), SIZE_MAX);
    ASSERT_OK(
        rwl_name_mapping_apply(mapping, schema.fields, schema.field_count, test_arena(), &fields, &got, err));
    put_fields(fields, schema.field_count, &out);
    ASSERT_OK(rwl_buf_terminate(&out, err));
    ck_assert_str_eq((const char *)out.data, want);
    ck_assert_int_eq(got, found);
    rwl_buf_clear(&out);
}

static const struct {
    const char *mapping, *columns;
    int32_t found;
    const char *want;
} MAPPINGS[] = {
    {"[]", "a int", 0, "a=-1"},
    {"[{'field-id': 1, 'names': []}]", "a int", 0, "a=-1"},
    {"[{'field-id': 0, 'names': ['a']}]", "a int", 1, "a=0"},
    {"[{'field-id': 1, 'names': ['id', 'record_id']}, {'field-id': 2, 'names': ['data']}]",
     "data string, record_id int, ID int", 2, "data=2 record_id=1 ID=-1"},
    {"[{'names': ['a'], 'fields': [{'field-id': 2, 'names': ['b']}]}]", "a struct<b int>", 0, "a=-1(b=2)"},
    {"[{'field-id': 3, 'names': ['a.b']}, {'field-id': 1, 'names': ['a'], 'fields': [{'field-id': 2, "
     "'names': ['b']}]}]",
     "\"a.b\" int, a struct<b int, \"a.b\" int>", 2, "a.b=3 a=1(b=2 a.b=-1)"},
    {"[{'field-id': 4, 'names': ['l'], 'fields': [{'field-id': 5, 'names': ['element'], 'fields': "
     "[{'field-id': 6, "
     "'names': ['x']}]}]}, {'field-id': 7, 'names': ['m'], 'fields': [{'field-id': 8, 'names': ['key']}, "
     "{'field-id': 9, 'names': ['value']}]}]",
     "l list<struct<x int>>, m map<string, int>", 2, "l=4(element=5(x=6)) m=7(key=8 value=9)"},
    {"[{'field-id': null, 'names': ['a'], 'fields': null}]", "a int", 0, "a=-1"},
};

START_TEST(names_give_ids_step_by_step) {
    rwl_name_mapping mapping;
    ASSERT_OK(rwl_name_mapping_parse(text_of(MAPPINGS[_i].mapping), test_arena(), &mapping, err));
    assert_ids(&mapping, MAPPINGS[_i].columns, MAPPINGS[_i].found, MAPPINGS[_i].want);
}
END_TEST

START_TEST(the_names_of_a_schema_are_a_mapping) {
    rwl_schema schema = test_schema("a int, s struct<b int, c int>, l list<int>");
    rwl_name_mapping mapping;
    ASSERT_OK(rwl_name_mapping_of_fields(schema.fields, schema.field_count, test_arena(), &mapping, err));
    assert_ids(&mapping, "l list<int>, s struct<c int, d int>, x int", 2,
               "l=5(element=6) s=2(c=4 d=-1) x=-1");
}
END_TEST

static const struct {
    const char *mapping, *part;
} BAD[] = {
    {"", ""},
    {"{}", "no array of fields"},
    {"[1]", "names"},
    {"[{'field-id': 1}]", "names"},
    {"[{'field-id': 1, 'names': 'a'}]", "names"},
    {"[{'field-id': 1, 'names': [1]}]", "a name is no string"},
    {"[{'field-id': '1', 'names': ['a']}]", "field-id"},
    {"[{'field-id': -1, 'names': ['a']}]", "the field id -1"},
    {"[{'field-id': 2147483648, 'names': ['a']}]", "field-id"},
    {"[{'field-id': 1, 'names': ['a'], 'fields': {}}]", "no array of fields"},
    {"[{'field-id': 1, 'names': ['a', 'a']}]", "the name 'a' is mapped twice"},
    {"[{'field-id': 1, 'names': ['a']}, {'field-id': 2, 'names': ['a']}]", "the name 'a' is mapped twice"},
    {"[{'field-id': 1, 'names': ['a']}, {'field-id': 1, 'names': ['b']}]", "the field id 1 is mapped twice"},
    {"[{'field-id': 1, 'names': ['a'], 'fields': [{'field-id': 1, 'names': ['b']}]}]",
     "the field id 1 is mapped twice"},
};

START_TEST(what_is_no_mapping_is_corrupt) {
    rwl_name_mapping mapping;
    ASSERT_FAILS(RWL_CORRUPT, BAD[_i].part,
                 rwl_name_mapping_parse(text_of(BAD[_i].mapping), test_arena(), &mapping, err));
}
END_TEST

START_TEST(refuses_a_mapping_deeper_than_types_may_be) {
    rwl_buf text;
    rwl_name_mapping mapping;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    for (int i = 0; i < RWL_TYPE_DEPTH_MAX + 2; i++)
        ASSERT_OK(rwl_buf_str(&text, "[{\"names\": [\"a\"], \"fields\": ", err));
    ASSERT_OK(rwl_buf_str(&text, "[]", err));
    for (int i = 0; i < RWL_TYPE_DEPTH_MAX + 2; i++)
        ASSERT_OK(rwl_buf_str(&text, "}]", err));
    ASSERT_FAILS(RWL_UNSUPPORTED, "deeper than 64",
                 rwl_name_mapping_parse(rwl_span_of(text.data, text.len), test_arena(), &mapping, err));
    rwl_buf_clear(&text);
}
END_TEST

Suite *suite_name_mapping(void) {
    Suite *s = suite_create("name_mapping");
    TCase *t = tcase_create("name_mapping");
    tcase_add_loop_test(t, names_give_ids_step_by_step, 0, COUNT(MAPPINGS));
    tcase_add_test(t, the_names_of_a_schema_are_a_mapping);
    tcase_add_loop_test(t, what_is_no_mapping_is_corrupt, 0, COUNT(BAD));
    tcase_add_test(t, refuses_a_mapping_deeper_than_types_may_be);
    suite_add_tcase(s, t);
    return s;
}
