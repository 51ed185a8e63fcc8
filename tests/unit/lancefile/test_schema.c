/* SPDX-License-Identifier: Apache-2.0 */
/* Lance schemas: every logical type, trees, and what is wrong with them. */
#include "suites.h"

#include "lancefile/schema.h"

#include <stdlib.h>
#include <string.h>

static rwl_env env;
static rwl_arena arena;
static rwl_error err;
static rwl_lance_schema schema;

static void set_up(void) {
    rwl_env_init_default(&env);
    rwl_arena_init(&arena, &env, 0);
    memset(&err, 0, sizeof err);
}

static void tear_down(void) {
    rwl_arena_clear(&arena);
}

static rwl_lance_field_def def_of(const char *name, int32_t id, int32_t parent, const char *type) {
    return (rwl_lance_field_def){
        .name = name, .id = id, .parent_id = parent, .logical_type = type, .nullable = true};
}

static const rwl_lance_node *build_one(rwl_lance_field_def def) {
    rwl_status st = rwl_lance_schema_build(&def, 1, &arena, &schema, &err);
    ck_assert_msg(st == RWL_OK, "%s: %s", def.logical_type, err.message);
    ck_assert_int_eq(schema.count, 1);
    return &schema.nodes[0];
}

/* --- logical types, by the table of schema.h --- */

typedef struct type_case {
    const char *name;
    rwl_lance_form form;
    int32_t bits;
    rwl_type_kind kind;
    rwl_lance_convert convert;
    int64_t factor;
    const char *parameters;
    int32_t precision, scale, length;
} type_case;

static const type_case TYPES[] = {
    {"null", RWL_LANCE_NULL, 0, RWL_TYPE_UNKNOWN, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0, 0},
    {"bool", RWL_LANCE_FIXED, 1, RWL_TYPE_BOOLEAN, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0, 0},
    {"int8", RWL_LANCE_FIXED, 8, RWL_TYPE_INT, RWL_LANCE_SIGNED, 0, NULL, 0, 0, 0},
    {"int16", RWL_LANCE_FIXED, 16, RWL_TYPE_INT, RWL_LANCE_SIGNED, 0, NULL, 0, 0, 0},
    {"uint8", RWL_LANCE_FIXED, 8, RWL_TYPE_INT, RWL_LANCE_UNSIGNED, 0, NULL, 0, 0, 0},
    {"uint16", RWL_LANCE_FIXED, 16, RWL_TYPE_INT, RWL_LANCE_UNSIGNED, 0, NULL, 0, 0, 0},
    {"int32", RWL_LANCE_FIXED, 32, RWL_TYPE_INT, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0, 0},
    {"uint32", RWL_LANCE_FIXED, 32, RWL_TYPE_LONG, RWL_LANCE_UNSIGNED, 0, NULL, 0, 0, 0},
    {"int64", RWL_LANCE_FIXED, 64, RWL_TYPE_LONG, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0, 0},
    {"uint64", RWL_LANCE_FIXED, 64, RWL_TYPE_DECIMAL, RWL_LANCE_UNSIGNED, 0, "uint64", 20, 0, 0},
    {"halffloat", RWL_LANCE_FIXED, 16, RWL_TYPE_FLOAT, RWL_LANCE_HALF, 0, NULL, 0, 0, 0},
    {"float", RWL_LANCE_FIXED, 32, RWL_TYPE_FLOAT, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0, 0},
    {"double", RWL_LANCE_FIXED, 64, RWL_TYPE_DOUBLE, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0, 0},
    {"decimal:128:5:2", RWL_LANCE_FIXED, 128, RWL_TYPE_DECIMAL, RWL_LANCE_AS_IT_IS, 0, NULL, 5, 2, 0},
    {"decimal:128:38:0", RWL_LANCE_FIXED, 128, RWL_TYPE_DECIMAL, RWL_LANCE_AS_IT_IS, 0, NULL, 38, 0, 0},
    {"decimal:256:38:4", RWL_LANCE_FIXED, 256, RWL_TYPE_DECIMAL, RWL_LANCE_NARROW, 0, NULL, 38, 4, 0},
    {"decimal:256:76:4", RWL_LANCE_FIXED, 256, RWL_TYPE_FIXED, RWL_LANCE_AS_IT_IS, 0, "decimal256:76,4", 0, 0,
     32},
    {"date32:day", RWL_LANCE_FIXED, 32, RWL_TYPE_DATE, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0, 0},
    {"date64:ms", RWL_LANCE_FIXED, 64, RWL_TYPE_DATE, RWL_LANCE_DAYS, 0, NULL, 0, 0, 0},
    {"time32:s", RWL_LANCE_FIXED, 32, RWL_TYPE_TIME, RWL_LANCE_SCALED, 1000000, NULL, 0, 0, 0},
    {"time32:ms", RWL_LANCE_FIXED, 32, RWL_TYPE_TIME, RWL_LANCE_SCALED, 1000, NULL, 0, 0, 0},
    {"time64:us", RWL_LANCE_FIXED, 64, RWL_TYPE_TIME, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0, 0},
    {"time64:ns", RWL_LANCE_FIXED, 64, RWL_TYPE_TIME, RWL_LANCE_AS_IT_IS, 0, "ns", 0, 0, 0},
    {"time:s", RWL_LANCE_FIXED, 32, RWL_TYPE_TIME, RWL_LANCE_SCALED, 1000000, NULL, 0, 0, 0},
    {"time:ms", RWL_LANCE_FIXED, 32, RWL_TYPE_TIME, RWL_LANCE_SCALED, 1000, NULL, 0, 0, 0},
    {"time:us", RWL_LANCE_FIXED, 64, RWL_TYPE_TIME, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0, 0},
    {"time:ns", RWL_LANCE_FIXED, 64, RWL_TYPE_TIME, RWL_LANCE_AS_IT_IS, 0, "ns", 0, 0, 0},
    {"timestamp:s:-", RWL_LANCE_FIXED, 64, RWL_TYPE_TIMESTAMP, RWL_LANCE_SCALED, 1000000, NULL, 0, 0, 0},
    {"timestamp:ms:UTC", RWL_LANCE_FIXED, 64, RWL_TYPE_TIMESTAMPTZ, RWL_LANCE_SCALED, 1000, NULL, 0, 0, 0},
    {"timestamp:us:-", RWL_LANCE_FIXED, 64, RWL_TYPE_TIMESTAMP, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0, 0},
    {"timestamp:us:+05:30", RWL_LANCE_FIXED, 64, RWL_TYPE_TIMESTAMPTZ, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0, 0},
    {"timestamp:ns:-", RWL_LANCE_FIXED, 64, RWL_TYPE_TIMESTAMP_NS, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0, 0},
    {"timestamp:ns:Europe/Berlin", RWL_LANCE_FIXED, 64, RWL_TYPE_TIMESTAMPTZ_NS, RWL_LANCE_AS_IT_IS, 0, NULL,
     0, 0, 0},
    {"duration:s", RWL_LANCE_FIXED, 64, RWL_TYPE_LONG, RWL_LANCE_AS_IT_IS, 0, "duration:s", 0, 0, 0},
    {"duration:ms", RWL_LANCE_FIXED, 64, RWL_TYPE_LONG, RWL_LANCE_AS_IT_IS, 0, "duration:ms", 0, 0, 0},
    {"duration:us", RWL_LANCE_FIXED, 64, RWL_TYPE_LONG, RWL_LANCE_AS_IT_IS, 0, "duration:us", 0, 0, 0},
    {"duration:ns", RWL_LANCE_FIXED, 64, RWL_TYPE_LONG, RWL_LANCE_AS_IT_IS, 0, "duration:ns", 0, 0, 0},
    {"string", RWL_LANCE_BYTES, 0, RWL_TYPE_STRING, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0, 0},
    {"large_string", RWL_LANCE_BYTES, 0, RWL_TYPE_STRING, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0, 0},
    {"binary", RWL_LANCE_BYTES, 0, RWL_TYPE_BINARY, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0, 0},
    {"large_binary", RWL_LANCE_BYTES, 0, RWL_TYPE_BINARY, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0, 0},
    {"fixed_size_binary:16", RWL_LANCE_FIXED, 128, RWL_TYPE_FIXED, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0, 16},
    {"fixed_size_binary:1048576", RWL_LANCE_FIXED, 8388608, RWL_TYPE_FIXED, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0,
     1048576},
    {"struct", RWL_LANCE_STRUCT, 0, RWL_TYPE_STRUCT, RWL_LANCE_AS_IT_IS, 0, NULL, 0, 0, 0},
};

START_TEST(every_logical_type_is_read_as_the_table_says) {
    const type_case *c = &TYPES[_i];
    const rwl_lance_node *node = build_one(def_of("x", 7, -1, c->name));
    ck_assert_ptr_null(node->refusal);
    ck_assert_str_eq(node->logical_type, c->name);
    ck_assert_str_eq(node->field.name, "x");
    ck_assert_int_eq(node->field.id, 7);
    ck_assert(!node->field.required);
    ck_assert_int_eq(node->form, c->form);
    ck_assert_int_eq(node->bits, c->bits);
    ck_assert_int_eq(node->convert, c->convert);
    ck_assert_int_eq(node->factor, c->factor);
    ck_assert_int_eq(node->index, 0);
    ck_assert_int_eq(node->node_count, 1);
    const rwl_type *type = &node->field.type;
    ck_assert_int_eq(type->kind, c->kind);
    ck_assert_int_eq(type->precision, c->precision);
    ck_assert_int_eq(type->scale, c->scale);
    ck_assert_int_eq(type->length, c->length);
    ck_assert(c->parameters ? type->parameters && strcmp(type->parameters, c->parameters) == 0
                            : type->parameters == NULL);
}
END_TEST

START_TEST(a_dictionary_is_read_as_its_values) {
    const rwl_lance_node *node = build_one(def_of("x", 0, -1, "dict:string:int8:false"));
    ck_assert(node->is_dictionary && !node->refusal);
    ck_assert_int_eq(node->form, RWL_LANCE_BYTES);
    ck_assert_int_eq(node->field.type.kind, RWL_TYPE_STRING);
    node = build_one(def_of("x", 0, -1, "dict:timestamp:ms:+05:30:uint16:true"));
    ck_assert(node->is_dictionary && !node->refusal);
    ck_assert_int_eq(node->form, RWL_LANCE_FIXED);
    ck_assert_int_eq(node->factor, 1000);
}
END_TEST

START_TEST(a_fixed_size_list_is_a_column_of_vectors) {
    const rwl_lance_node *node = build_one(def_of("x", 3, -1, "fixed_size_list:float:96"));
    ck_assert_int_eq(node->form, RWL_LANCE_VECTOR);
    ck_assert_int_eq(node->dimension, 96);
    ck_assert_int_eq(node->field.type.kind, RWL_TYPE_LIST);
    ck_assert_int_eq(node->field.type.child_count, 1);
    ck_assert_str_eq(node->field.type.children[0].name, "element");
    ck_assert_int_eq(node->field.type.children[0].type.kind, RWL_TYPE_FLOAT);
    ck_assert_int_eq(node->child_count, 1);
    ck_assert_int_eq(node->node_count, 1);
    ck_assert_int_eq(node->children[0].form, RWL_LANCE_FIXED);
    ck_assert_int_eq(node->children[0].bits, 32);
    ck_assert_int_eq(node->children[0].field.id, -1);
    ck_assert_ptr_eq(node->children[0].parent, node);
    ck_assert_ptr_eq(rwl_lance_schema_find(&schema, 3), node);
    ck_assert_ptr_null(rwl_lance_schema_find(&schema, -1));
    node = build_one(def_of("x", 0, -1, "fixed_size_list:fixed_size_list:int16:3:2"));
    ck_assert_int_eq(node->dimension, 2);
    ck_assert_int_eq(node->children[0].form, RWL_LANCE_VECTOR);
    ck_assert_int_eq(node->children[0].dimension, 3);
    ck_assert_int_eq(node->children[0].children[0].bits, 16);
    ck_assert_int_eq(node->children[0].children[0].convert, RWL_LANCE_SIGNED);
    node = build_one(def_of("x", 0, -1, "fixed_size_list:lance.bfloat16:4"));
    ck_assert_int_eq(node->children[0].convert, RWL_LANCE_BFLOAT);
}
END_TEST

static const char *const REFUSED[] = {"interval:month_day_nano",
                                      "",
                                      "INT32",
                                      "int128",
                                      "decimal:128:39:0",
                                      "decimal:128:5:6",
                                      "decimal:128:0:0",
                                      "decimal:128:5:-2",
                                      "decimal:256:77:0",
                                      "decimal:128:5",
                                      "timestamp:us",
                                      "timestamp:us:",
                                      "timestamp:min:-",
                                      "duration:min",
                                      "fixed_size_binary:0",
                                      "fixed_size_binary:1048577",
                                      "fixed_size_binary:99999999999999999999",
                                      "fixed_size_binary:",
                                      "fixed_size_list:float:0",
                                      "fixed_size_list:float:-4",
                                      "fixed_size_list:float:",
                                      "fixed_size_list:float",
                                      "fixed_size_list:double:1048577",
                                      "fixed_size_list:string:2",
                                      "fixed_size_list:null:8388609", /* a byte each stands for them */
                                      "fixed_size_list:struct:0",
                                      "fixed_size_list:struct:67108865",
                                      "fixed_size_list:fixed_size_list:struct:2:2",
                                      "fixed_size_list:dict:string:int8:false:2",
                                      "dict:string:int8",
                                      "dict:string:double:false",
                                      "dict:list:int8:false",
                                      "dict:null:int8:false",
                                      "dict:fixed_size_list:float:4:int8:false",
                                      "dict:dict:string:int8:false:int8:false"};

START_TEST(what_is_not_known_is_refused_by_name) {
    const rwl_lance_node *node = build_one(def_of("x", 0, -1, REFUSED[_i]));
    ck_assert_ptr_nonnull(node->refusal);
    ck_assert_msg(strstr(node->refusal, "is not supported"), "%s", node->refusal);
    ck_assert_msg(strstr(node->refusal, REFUSED[_i]), "%s", node->refusal);
    ck_assert_int_eq(node->form, RWL_LANCE_NULL);
    ck_assert_ptr_eq(rwl_lance_node_refused(node), node);
}
END_TEST

START_TEST(nested_fixed_size_lists_end) {
    char type[2048] = "";
    for (int i = 0; i < 60; i++)
        strcat(type, "fixed_size_list:");
    strcat(type, "int8");
    for (int i = 0; i < 60; i++)
        strcat(type, ":1");
    ck_assert_ptr_nonnull(build_one(def_of("x", 0, -1, type))->refusal);
    strcpy(type, "fixed_size_list:fixed_size_list:fixed_size_list:fixed_size_list:null:"
                 "67108864:67108864:67108864:67108864"); /* 2^104 elements */
    ck_assert_ptr_nonnull(build_one(def_of("x", 0, -1, type))->refusal);
}
END_TEST

START_TEST(extensions_that_change_what_bytes_mean_are_known_or_refused) {
    rwl_lance_field_def def = def_of("x", 0, -1, "large_binary");
    def.extension = "lance.json";
    ck_assert_int_eq(build_one(def)->convert, RWL_LANCE_JSONB);
    ck_assert_int_eq(build_one(def)->field.type.kind, RWL_TYPE_STRING);
    def.logical_type = "int32";
    ck_assert_str_eq(build_one(def)->refusal,
                     "extension type 'lance.json' of logical type 'int32' is not supported");
    def.extension = "lance.other";
    ck_assert_ptr_nonnull(strstr(build_one(def)->refusal, "'lance.other'"));
    def = def_of("x", 0, -1, "fixed_size_binary:16");
    def.extension = "arrow.uuid";
    ck_assert_ptr_null(build_one(def)->refusal);
    def = def_of("x", 0, -1, "fixed_size_binary:2");
    def.extension = "lance.bfloat16";
    ck_assert_int_eq(build_one(def)->convert, RWL_LANCE_BFLOAT);
    ck_assert_int_eq(build_one(def)->field.type.kind, RWL_TYPE_FLOAT);
}
END_TEST

/* What writers see below a blob is not there for readers, and numbers of others do not count it. */
START_TEST(blobs_of_version_2_are_bytes_without_fields) {
    rwl_lance_field_def defs[] = {def_of("s", 0, -1, "struct"), def_of("b", 1, 0, "struct"),
                                  def_of("data", 2, 1, "large_binary"), def_of("uri", 3, 1, "string"),
                                  def_of("after", 4, 0, "int32")};
    rwl_lance_schema built;
    defs[1].extension = "lance.blob.v2";
    ck_assert_int_eq(rwl_lance_schema_build(defs, 5, &arena, &built, &err), RWL_OK);
    const rwl_lance_node *blob = &built.nodes[0].children[0], *after = &built.nodes[0].children[1];
    ck_assert(blob->is_blob2 && blob->form == RWL_LANCE_BYTES && blob->child_count == 0);
    ck_assert_str_eq(blob->logical_type, "lance.blob.v2");
    ck_assert_int_eq(blob->field.type.kind, RWL_TYPE_BINARY);
    ck_assert_int_eq(built.nodes[0].node_count, 3);
    ck_assert_int_eq(after->index, 2);
    ck_assert_int_eq(built.fields[0].type.child_count, 2);
}
END_TEST

START_TEST(blobs_are_bytes) {
    rwl_lance_field_def def = def_of("x", 0, -1, "large_binary");
    def.is_blob = true;
    ck_assert(build_one(def)->is_blob);
    ck_assert_int_eq(build_one(def)->form, RWL_LANCE_BYTES);
    def.logical_type = "int32";
    ck_assert_ptr_nonnull(build_one(def)->refusal);
}
END_TEST

/* --- trees --- */

/* The fields as pylance 14.0.2 writes them: a map's child is the struct of its entries. */
static const rwl_lance_field_def TREE[] = {
    {.name = "id", .id = 0, .parent_id = -1, .logical_type = "int64"},
    {.name = "m", .id = 1, .parent_id = -1, .logical_type = "map", .nullable = true},
    {.name = "entries", .id = 2, .parent_id = 1, .logical_type = "struct"},
    {.name = "keys", .id = 3, .parent_id = 2, .logical_type = "string"},
    {.name = "vals", .id = 4, .parent_id = 2, .logical_type = "list.struct", .nullable = true},
    {.name = "item", .id = 5, .parent_id = 4, .logical_type = "struct", .nullable = true},
    {.name = "a", .id = 6, .parent_id = 5, .logical_type = "int32", .nullable = true},
    {.name = "b", .id = 7, .parent_id = 5, .logical_type = "fixed_size_list:float:2", .nullable = true},
    {.name = "c", .id = 8, .parent_id = 5, .logical_type = "interval:x", .nullable = true},
    {.name = "s", .id = 9, .parent_id = -1, .logical_type = "struct", .nullable = true},
    {.name = "p", .id = 10, .parent_id = 9, .logical_type = "struct", .nullable = true, .is_packed = true},
    {.name = "x", .id = 11, .parent_id = 10, .logical_type = "int16", .nullable = true},
    {.name = "y", .id = 12, .parent_id = 10, .logical_type = "fixed_size_list:int8:3", .nullable = true},
    {.name = "z", .id = 13, .parent_id = 10, .logical_type = "double", .nullable = true},
};
enum { TREE_COUNT = sizeof TREE / sizeof TREE[0] };

static void build_tree(void) {
    rwl_status st = rwl_lance_schema_build(TREE, TREE_COUNT, &arena, &schema, &err);
    ck_assert_msg(st == RWL_OK, "%s", err.message);
}

START_TEST(a_tree_has_forms_types_and_indexes) {
    rwl_buf text;
    static const char *const types[] = {
        "long",
        "map<string, list<struct<6: a: optional int, 7: b: optional list<float>, 8: c: optional unknown>>>",
        ("struct<10: p: optional struct<11: x: optional int, 12: y: optional list<int>, 13: z: optional "
         "double>>")};
    build_tree();
    ck_assert_int_eq(schema.count, 3);
    for (int i = 0; i < 3; i++) {
        rwl_buf_init(&text, &env, SIZE_MAX);
        ck_assert_int_eq(rwl_type_format(&schema.fields[i].type, &text, &err), RWL_OK);
        ck_assert_int_eq(rwl_buf_terminate(&text, &err), RWL_OK);
        ck_assert_str_eq((char *)text.data, types[i]);
        rwl_buf_clear(&text);
    }
    /* ids 1 to 8 are the map and what is below it, in order; 9 to 13 the struct */
    for (int32_t id = 1; id < TREE_COUNT; id++) {
        const rwl_lance_node *node = rwl_lance_schema_find(&schema, id);
        ck_assert_ptr_nonnull(node);
        ck_assert_int_eq(node->field.id, id);
        ck_assert_int_eq(node->index, id < 9 ? id - 1 : id - 9);
    }
    ck_assert_int_eq(schema.nodes[1].node_count, 8);
    ck_assert_int_eq(schema.nodes[2].node_count, 5);
    const rwl_lance_node *map = &schema.nodes[1], *entries = map->children;
    ck_assert_int_eq(map->form, RWL_LANCE_MAP);
    ck_assert_int_eq(map->child_count, 1);
    ck_assert_ptr_eq(entries->parent, map);
    ck_assert_int_eq(map->field.type.child_count, 2);
    ck_assert_str_eq(entries->children[0].field.name, "key");
    ck_assert_str_eq(entries->children[1].field.name, "value");
    ck_assert_str_eq(entries->children[1].children[0].field.name, "element");
    ck_assert_int_eq(rwl_lance_node_refused(map)->field.id, 8);
    ck_assert_ptr_null(rwl_lance_node_refused(&schema.nodes[2]));
    ck_assert_ptr_null(rwl_lance_schema_find(&schema, 99));
}
END_TEST

START_TEST(a_vector_below_others_lends_its_index_to_its_elements) {
    build_tree();
    const rwl_lance_node *y = rwl_lance_schema_find(&schema, 12);
    ck_assert_int_eq(y->index, 3);
    ck_assert_int_eq(y->children[0].index, 3);
}
END_TEST

START_TEST(packed_fields_know_where_they_lie) {
    build_tree();
    const rwl_lance_node *p = rwl_lance_schema_find(&schema, 10);
    ck_assert_int_eq(p->form, RWL_LANCE_PACKED);
    ck_assert_int_eq(p->bits, 16 + 24 + 64);
    ck_assert_int_eq(p->children[0].offset, 0);
    ck_assert_int_eq(p->children[1].offset, 16);
    ck_assert_int_eq(p->children[2].offset, 40);
}
END_TEST

START_TEST(packed_structs_hold_no_lists) {
    rwl_lance_field_def defs[] = {def_of("p", 0, -1, "struct"), def_of("l", 1, 0, "list"),
                                  def_of("item", 2, 1, "int8")};
    defs[0].is_packed = true;
    ck_assert_int_eq(rwl_lance_schema_build(defs, 3, &arena, &schema, &err), RWL_OK);
    ck_assert_str_eq(schema.nodes[0].refusal,
                     "a packed struct with a field of logical type 'list' is not supported");
    defs[1].logical_type = "string";
    ck_assert_int_eq(rwl_lance_schema_build(defs, 2, &arena, &schema, &err), RWL_OK);
    ck_assert_ptr_null(schema.nodes[0].refusal);
    ck_assert_int_eq(schema.nodes[0].bits, 0); /* varies */
}
END_TEST

START_TEST(a_list_of_so_many_structs_has_the_fields_below_it) {
    rwl_lance_field_def defs[] = {def_of("x", 0, -1, "fixed_size_list:struct:2"),
                                  def_of("item", 1, 0, "struct"), def_of("a", 2, 1, "int32"),
                                  def_of("b", 3, 1, "string")};
    ck_assert_int_eq(rwl_lance_schema_build(defs, 4, &arena, &schema, &err), RWL_OK);
    const rwl_lance_node *list = &schema.nodes[0];
    ck_assert_ptr_null(list->refusal);
    ck_assert_int_eq(list->form, RWL_LANCE_LIST);
    ck_assert_int_eq(list->dimension, 2);
    ck_assert_int_eq(list->node_count, 4);
    ck_assert_int_eq(list->field.type.kind, RWL_TYPE_LIST);
    ck_assert_str_eq(list->field.type.children[0].name, "element");
    ck_assert_int_eq(list->field.type.children[0].type.child_count, 2);
    ck_assert_int_eq(rwl_lance_schema_find(&schema, 3)->index, 3);
}
END_TEST

START_TEST(cutting_keeps_ids_indexes_and_places) {
    rwl_lance_node cut;
    build_tree();
    /* struct<p: struct<x, z>> */
    rwl_field inner[2] = {{.name = "x", .type = rwl_type_of(RWL_TYPE_INT)},
                          {.name = "z", .type = rwl_type_of(RWL_TYPE_DOUBLE)}};
    rwl_field p = {.name = "p", .type = {.kind = RWL_TYPE_STRUCT, .children = inner, .child_count = 2}};
    rwl_type type = {.kind = RWL_TYPE_STRUCT, .children = &p, .child_count = 1};
    ck_assert_int_eq(rwl_lance_node_cut(&schema.nodes[2], &type, &arena, &cut, &err), RWL_OK);
    const rwl_lance_node *packed = &cut.children[0];
    ck_assert_int_eq(packed->bits, 104);
    ck_assert_int_eq(packed->child_count, 2);
    ck_assert_int_eq(packed->children[1].field.id, 13);
    ck_assert_int_eq(packed->children[1].index, 4);
    ck_assert_int_eq(packed->children[1].offset, 40);
    ck_assert_int_eq(packed->children[1].parent->field.id, 10);
    ck_assert_int_eq(cut.field.type.children[0].type.child_count, 2);
    ck_assert_str_eq(cut.field.type.children[0].type.children[1].name, "z");
    inner[1].name = "unknown";
    ck_assert_int_eq(rwl_lance_node_cut(&schema.nodes[2], &type, &arena, &cut, &err), RWL_INTERNAL);
}
END_TEST

START_TEST(cutting_goes_through_maps_and_lists) {
    rwl_lance_node cut;
    build_tree();
    /* map<string, list<struct<a>>> */
    rwl_field a = {.name = "a", .type = rwl_type_of(RWL_TYPE_INT)};
    rwl_field element = {.name = "element",
                         .type = {.kind = RWL_TYPE_STRUCT, .children = &a, .child_count = 1}};
    rwl_field both[2] = {
        {.name = "key", .type = rwl_type_of(RWL_TYPE_STRING)},
        {.name = "value", .type = {.kind = RWL_TYPE_LIST, .children = &element, .child_count = 1}}};
    rwl_type type = {.kind = RWL_TYPE_MAP, .children = both, .child_count = 2};
    ck_assert_int_eq(rwl_lance_node_cut(&schema.nodes[1], &type, &arena, &cut, &err), RWL_OK);
    ck_assert_ptr_null(rwl_lance_node_refused(&cut)); /* the interval is gone */
    ck_assert_int_eq(cut.children[0].children[1].children[0].child_count, 1);
    ck_assert_int_eq(cut.children[0].children[1].children[0].children[0].field.id, 6);
    ck_assert_int_eq(cut.field.type.children[1].type.children[0].type.child_count, 1);
}
END_TEST

/* --- what is wrong --- */

typedef struct wrong_case {
    rwl_lance_field_def defs[4];
    size_t count;
    const char *text;
} wrong_case;

#define DEF(n, i, p, t)                                                                                      \
    { .name = n, .id = i, .parent_id = p, .logical_type = t }

static const wrong_case WRONG[] = {
    {{DEF("a", 0, 5, "int32")}, 1, "field 0 'a' has parent 5, which is not there"},
    {{DEF("a", 0, 0, "struct")}, 1, "has parent 0, which is not before it"}, /* trap 1: parent_id left out */
    {{DEF("a", 0, 1, "struct"), DEF("b", 1, 0, "struct")}, 2, "which is not before it"},
    {{DEF("a", 0, -2, "int32")}, 1, "has parent -2"},
    {{DEF("a", 0, -1, "int32"), DEF("b", 0, -1, "int32")}, 2, "field id 0 twice"},
    {{DEF("a", 0, -1, "int32"), DEF("a", 1, -1, "int32")}, 2, "two fields called 'a'"},
    {{DEF("s", 0, -1, "struct"), DEF("a", 1, 0, "int32"), DEF("a", 2, 0, "int32")},
     3,
     "two fields called 'a'"},
    {{DEF("l", 0, -1, "list")}, 1, "has 0 fields below it, not one"},
    {{DEF("l", 0, -1, "large_list"), DEF("a", 1, 0, "int8"), DEF("b", 2, 0, "int8")}, 3, "has 2 fields"},
    {{DEF("f", 0, -1, "fixed_size_list:struct:2")}, 1, "has 0 fields below it, not one"},
    {{DEF("f", 0, -1, "fixed_size_list:struct:2"), DEF("i", 1, 0, "int8")},
     2,
     "field 1 of type 'int8' in a field of type 'fixed_size_list:struct:2'"},
    {{DEF("m", 0, -1, "map"), DEF("e", 1, 0, "int8")}, 2, "not two, key and value,"},
    {{DEF("m", 0, -1, "map"), DEF("e", 1, 0, "struct"), DEF("k", 2, 1, "int8")}, 3, "has 1 fields"},
    {{DEF("m", 0, -1, "map")}, 1, "has 0 fields below it, not one"},
    {{DEF("i", 0, -1, "int32"), DEF("a", 1, 0, "int8")}, 2, "has 1 fields below it, not none"},
    {{DEF("v", 0, -1, "fixed_size_list:int8:2"), DEF("a", 1, 0, "int8")}, 2, "not none"},
    {{DEF("a", -7, -1, "int32")}, 1, "field 'a' has id -7"},
    {{DEF("a", -3, -1, "uint64")}, 1, "field 'a' has id -3"},
    {{DEF("_rowid", -4, -1, "uint64")}, 1, "'_rowid' has id -4, but the name is one of Lance's own columns"},
    {{DEF("s", 0, -1, "struct"), DEF("_rowid", -3, 0, "uint64")}, 2, "field '_rowid' has id -3"},
    {{DEF("_rowid", 4, -1, "int64")}, 1, "Lance's own columns"}, /* trap 14 */
    {{DEF("_rowaddr", 0, -1, "int64")}, 1, "Lance's own columns"},
    {{DEF("_rowoffset", 0, -1, "int64")}, 1, "Lance's own columns"},
    {{DEF("_row_created_at_version", 1, -1, "int64")}, 1, "Lance's own columns"},
    {{DEF("_row_last_updated_at_version", 1, -1, "int64")}, 1, "Lance's own columns"},
};

START_TEST(schemas_that_are_wrong_are_corrupt) {
    const wrong_case *c = &WRONG[_i];
    ck_assert_int_eq(rwl_lance_schema_build(c->defs, c->count, &arena, &schema, &err), RWL_CORRUPT);
    ck_assert_msg(strstr(err.message, c->text), "'%s' does not say '%s'", err.message, c->text);
}
END_TEST

START_TEST(hidden_columns_have_their_ids) {
    static const rwl_lance_field_def defs[] = {DEF("a", 0, -1, "int32"), DEF("_rowid", -3, -1, "uint64"),
                                               DEF("_row_created_at_version", -4, -1, "uint64"),
                                               DEF("_row_last_updated_at_version", -5, -1, "uint64")};
    ck_assert_int_eq(rwl_lance_schema_build(defs, 4, &arena, &schema, &err), RWL_OK);
    ck_assert_str_eq(rwl_lance_schema_find(&schema, -4)->field.name, "_row_created_at_version");
    static const rwl_lance_field_def nested[] = {DEF("s", 0, -1, "struct"), DEF("_rowid", 1, 0, "int32")};
    ck_assert_int_eq(rwl_lance_schema_build(nested, 2, &arena, &schema, &err), RWL_OK);
}
END_TEST

START_TEST(a_schema_is_as_deep_as_types_may_be) {
    for (int32_t depth = RWL_TYPE_DEPTH_MAX; depth <= RWL_TYPE_DEPTH_MAX + 1; depth++) {
        rwl_lance_field_def defs[RWL_TYPE_DEPTH_MAX + 1];
        for (int32_t i = 0; i < depth; i++)
            defs[i] = def_of("s", i, i - 1, "struct");
        rwl_status st = rwl_lance_schema_build(defs, (size_t)depth, &arena, &schema, &err);
        ck_assert_int_eq(st, depth == RWL_TYPE_DEPTH_MAX ? RWL_OK : RWL_CORRUPT);
    }
    ck_assert_msg(strstr(err.message, "deeper than 64 levels"), "%s", err.message);
}
END_TEST

START_TEST(a_schema_may_have_no_fields) {
    ck_assert_int_eq(rwl_lance_schema_build(NULL, 0, &arena, &schema, &err), RWL_OK);
    ck_assert_int_eq(schema.count, 0);
    ck_assert_ptr_null(rwl_lance_schema_find(&schema, 0));
}
END_TEST

START_TEST(lineage_is_read_as_long) {
    rwl_lance_node node = rwl_lance_node_of_lineage("_rowid");
    ck_assert_int_eq(node.form, RWL_LANCE_FIXED);
    ck_assert_int_eq(node.bits, 64);
    ck_assert_int_eq(node.convert, RWL_LANCE_UNSIGNED);
    ck_assert_int_eq(node.field.type.kind, RWL_TYPE_LONG);
    ck_assert_str_eq(node.field.name, "_rowid");
    ck_assert_ptr_null(node.parent);
}
END_TEST

Suite *lancefile_schema_suite(void) {
    Suite *s = suite_create("lancefile schema");
    TCase *t = tcase_create("schema");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_loop_test(t, every_logical_type_is_read_as_the_table_says, 0,
                        (int)(sizeof TYPES / sizeof TYPES[0]));
    tcase_add_test(t, a_dictionary_is_read_as_its_values);
    tcase_add_test(t, a_fixed_size_list_is_a_column_of_vectors);
    tcase_add_loop_test(t, what_is_not_known_is_refused_by_name, 0,
                        (int)(sizeof REFUSED / sizeof REFUSED[0]));
    tcase_add_test(t, nested_fixed_size_lists_end);
    tcase_add_test(t, extensions_that_change_what_bytes_mean_are_known_or_refused);
    tcase_add_test(t, blobs_of_version_2_are_bytes_without_fields);
    tcase_add_test(t, blobs_are_bytes);
    tcase_add_test(t, a_tree_has_forms_types_and_indexes);
    tcase_add_test(t, a_vector_below_others_lends_its_index_to_its_elements);
    tcase_add_test(t, packed_fields_know_where_they_lie);
    tcase_add_test(t, packed_structs_hold_no_lists);
    tcase_add_test(t, a_list_of_so_many_structs_has_the_fields_below_it);
    tcase_add_test(t, cutting_keeps_ids_indexes_and_places);
    tcase_add_test(t, cutting_goes_through_maps_and_lists);
    tcase_add_loop_test(t, schemas_that_are_wrong_are_corrupt, 0, (int)(sizeof WRONG / sizeof WRONG[0]));
    tcase_add_test(t, hidden_columns_have_their_ids);
    tcase_add_test(t, a_schema_is_as_deep_as_types_may_be);
    tcase_add_test(t, a_schema_may_have_no_fields);
    tcase_add_test(t, lineage_is_read_as_long);
    suite_add_tcase(s, t);
    return s;
}
