/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas as people see them: LogicalTypes.md, "Nested Types", rule by rule. */
#include "nested_support.h"
#include "suites.h"

static const struct {
    const char *schema;
    bool required;
    const char *type;
} shapes[] = {
    /* the examples of "Lists" */
    {"required group my_list (LIST) { repeated group list { optional binary element (STRING); } }", true,
     "list<string>"},
    {"optional group array_of_arrays (LIST) { repeated group list { required group element (LIST) { repeated "
     "group "
     "list { required int32 element; } } } }",
     false, "list<list<int>>"},
    /* "Backward-compatibility rules" */
    {"optional group my_list (LIST) { repeated group element { required binary str (STRING); } }", false,
     "list<string>"},
    {"optional group my_list (LIST) { repeated int32 element; }", false, "list<int>"},
    {"optional group my_list (LIST) { repeated group element { required binary str (STRING); required int32 "
     "num; } }",
     false, "list<struct<-1: str: required string, -1: num: required int>>"},
    {"optional group my_list (LIST) { repeated group array (LIST) { repeated int32 array; } }", false,
     "list<list<int>>"},
    {"optional group my_list (LIST) { repeated group array { required binary str (STRING); } }", false,
     "list<struct<-1: str: required string>>"},
    {"optional group my_list (LIST) { repeated group my_list_tuple { required binary str (STRING); } }",
     false, "list<struct<-1: str: required string>>"},
    {"optional group my_list (LIST) { repeated group other_tuple { optional binary str (STRING); } }", false,
     "list<string>"},
    /* repeated fields outside of lists */
    {"repeated int32 num;", true, "list<int>"},
    {"repeated group my_list { required int32 num; optional binary str (STRING); }", true,
     "list<struct<-1: num: required int, -1: str: optional string>>"},
    {"optional group g { repeated group a { repeated int32 b; } }", false,
     "struct<-1: a: required list<struct<-1: b: required list<int>>>>"},
    /* "Maps" */
    {"required group my_map (MAP) { repeated group key_value { required binary key (STRING); optional int32 "
     "value; } }",
     true, "map<string, int>"},
    {"optional group my_map (MAP) { repeated group map { required binary str (STRING); required int32 num; } "
     "}",
     false, "map<string, int>"},
    {"optional group my_map (MAP_KEY_VALUE) { repeated group map { required binary key (STRING); optional "
     "int32 value; "
     "} }",
     false, "map<string, int>"},
    {"optional group my_map (MAP) { repeated group map (MAP_KEY_VALUE) { required int32 key; optional int32 "
     "value; } }",
     false, "map<int, int>"},
    {"optional group set (MAP) { repeated group map { required int32 key; } }", false, "map<int, unknown>"},
    {"optional group my_map (MAP) { repeated group map { optional int32 key; repeated int32 value; } }",
     false, "map<int, list<int>>"},
    /* annotated, but not formed so: the groups as they are */
    {"optional group l (LIST) { optional int32 a; }", false, "struct<-1: a: optional int>"},
    {"optional group l (LIST) { repeated int32 a; repeated int32 b; }", false,
     "struct<-1: a: required list<int>, -1: b: required list<int>>"},
    {"optional group m (MAP) { repeated group e { required int32 k; optional int32 v; optional int32 w; } }",
     false,
     "struct<-1: e: required list<struct<-1: k: required int, -1: v: optional int, -1: w: optional int>>>"},
    {"optional group m (MAP) { optional int32 k; }", false, "struct<-1: k: optional int>"},
    /* variants */
    {"optional group v (VARIANT) { required binary metadata; required binary value; }", false, "variant"},
    {"optional group v (VARIANT) { required binary value; required binary metadata; }", false, "variant"},
    {"required group v (VARIANT) { required binary metadata; optional binary value; optional int64 "
     "typed_value; }",
     true, "variant"},
    {"optional group v (VARIANT) { required binary metadata; optional int64 typed_value; }", false,
     "variant"},
    {"optional group v (VARIANT) { required binary metadata; optional binary value; optional group "
     "typed_value { required "
     "group a { optional binary value; optional group typed_value (LIST) { repeated group list { required "
     "group element "
     "{ optional binary value; } } } } } }",
     false, "variant"},
    {"optional group v (VARIANT) { required binary value; }", false, "struct<-1: value: required binary>"},
    {"optional group v (VARIANT) { required binary metadata; required binary value; optional int32 more; }",
     false, "struct<-1: metadata: required binary, -1: value: required binary, -1: more: optional int>"},
    /* leaves */
    {"optional binary g (GEOMETRY);", false, "geometry"},
    {"optional binary g (GEOGRAPHY);", false, "geography"},
    {"optional fixed(2) h (FLOAT16);", false, "float"},
    {"optional int32 u (UNKNOWN);", false, "unknown"},
    {"optional int32 u (UINT32);", false, "long"},
    {"optional int64 u (UINT64);", false, "decimal(20, 0)"},
};

START_TEST(types_follow_the_rules_for_nested_types) {
    check_nested_type(shapes[_i].schema, shapes[_i].required, shapes[_i].type);
}
END_TEST

static rwl_status open_schema(const char *schema, bench *b, rwl_buf *file, rwl_parquet_file **f) {
    static rwl_env env;
    nested_spec spec = {.schema = schema};
    rwl_env_init_default(&env);
    b->env = env;
    build_nested(b, &spec, file);
    bench_memory(b, rwl_buf_span(file));
    return rwl_parquet_open(b->store, &b->op, "file", -1, f, &b->err);
}

START_TEST(field_ids_of_elements_keys_and_values_are_kept) {
    bench b;
    rwl_buf file;
    rwl_parquet_file *f;
    ck_ok(&b, open_schema(
                  "optional group l (LIST) = 1 { repeated group list { optional int32 element = 2; } }"
                  "optional group m (MAP) = 3 { repeated group key_value { required int32 key = 4; optional "
                  "int32 value = 5; } }"
                  "optional group o (LIST) = 6 { repeated int32 array = 7; }",
                  &b, &file, &f));
    ck_assert_int_eq(f->node_count, 3);
    ck_assert_int_eq(f->nodes[0].field.id, 1);
    ck_assert_int_eq(f->nodes[0].children[0].field.id, 2);
    ck_assert_int_eq(f->nodes[1].children[0].field.id, 4);
    ck_assert_int_eq(f->nodes[1].field.type.children[1].id, 5);
    ck_assert_int_eq(f->nodes[2].children[0].field.id, 7);
    ck_assert_int_eq(rwl_parquet_node_by_id(f, 6), 2);
    ck_assert_int_eq(rwl_parquet_node_by_id(f, 2), -1);
    ck_assert_int_eq(rwl_parquet_node_by_name(f, "m"), 1);
    ck_assert_int_eq(rwl_parquet_node_by_name(f, "key"), -1);
    ck_assert_ptr_null(rwl_parquet_leaf_by_id(f, 1));
    rwl_parquet_close(f);
    rwl_buf_clear(&file);
    bench_free(&b);
}
END_TEST

START_TEST(levels_of_nodes_and_leaves_are_those_of_the_groups_between) {
    bench b;
    rwl_buf file;
    rwl_parquet_file *f;
    ck_ok(&b,
          open_schema("required int64 id;"
                      "optional group a { required group b { optional group c (LIST) { repeated group list { "
                      "optional int32 element; } } } }",
                      &b, &file, &f));
    const rwl_parquet_node *c = &f->nodes[1].children[0].children[0];
    ck_assert_int_eq(f->nodes[1].definition, 1);
    ck_assert_int_eq(f->nodes[1].children[0].definition, 1);
    ck_assert_int_eq(c->definition, 2);
    ck_assert_int_eq(c->element_definition, 3);
    ck_assert_int_eq(c->repetition, 1);
    ck_assert_int_eq(c->children[0].definition, 4);
    ck_assert_int_eq(f->leaves[1].max_definition, 4);
    ck_assert_int_eq(f->leaves[1].max_repetition, 1);
    ck_assert_int_eq(f->leaves[1].top, 1);
    ck_assert_str_eq(f->leaves[1].field.name, "a.b.c.list.element");
    ck_assert(f->leaves[1].is_nested && !f->leaves[0].is_nested);
    rwl_parquet_close(f);
    rwl_buf_clear(&file);
    bench_free(&b);
}
END_TEST

/* `depth` groups around a leaf. */
static void deep_schema(int depth, char *out) {
    out[0] = 0;
    for (int i = 0; i < depth; i++)
        strcat(out, "optional group g { ");
    strcat(out, "optional int32 x; ");
    for (int i = 0; i < depth; i++)
        strcat(out, "}");
}

START_TEST(a_schema_nested_too_deep_is_refused) {
    static const struct {
        int depth;
        rwl_status status;
    } cases[] = {{50, RWL_OK}, {70, RWL_UNSUPPORTED}};
    char schema[4096];
    for (int i = 0; i < 2; i++) {
        bench b;
        rwl_buf file;
        rwl_parquet_file *f = NULL;
        deep_schema(cases[i].depth, schema);
        ck_assert_int_eq(open_schema(schema, &b, &file, &f), cases[i].status);
        rwl_parquet_close(f);
        rwl_buf_clear(&file);
        bench_free(&b);
    }
}
END_TEST

Suite *nested_schema_suite(void) {
    Suite *s = suite_create("parquet nested schema");
    TCase *tc = tcase_create("schema");
    tcase_add_loop_test(tc, types_follow_the_rules_for_nested_types, 0,
                        (int)(sizeof shapes / sizeof shapes[0]));
    tcase_add_test(tc, field_ids_of_elements_keys_and_values_are_kept);
    tcase_add_test(tc, levels_of_nodes_and_leaves_are_those_of_the_groups_between);
    tcase_add_test(tc, a_schema_nested_too_deep_is_refused);
    suite_add_tcase(s, tc);
    return s;
}
