/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas as they are written: groups, levels and annotations against LogicalTypes.md and Iceberg's appendix A. */
#include "output_support.h"
#include "suites.h"

static rwl_arena arena;

static void setup(void) {
    writer_setup();
    rwl_arena_init(&arena, &writer_env, 0);
}

static void teardown(void) {
    rwl_arena_clear(&arena);
    writer_teardown();
}

static const char *schema_text(const rwl_parquet_write_schema *schema) {
    rwl_buf out, text;
    uint32_t count;
    rwl_buf_init(&out, &writer_env, SIZE_MAX);
    rwl_buf_init(&text, &writer_env, SIZE_MAX);
    write_ok(rwl_parquet_write_schema_put(schema, &out, &count, &writer_error));
    size_t at = 0, len;
    for (uint32_t i = 0; i < count; i++, at += len)
        write_ok(rwl_buf_printf(&text, &writer_error, "%s\n",
                                thrift_text(&arena, rwl_span_of(out.data + at, out.len - at), &len)));
    ck_assert_uint_eq(at, out.len);
    const char *copy = rwl_arena_strndup(&arena, (const char *)text.data, text.len);
    rwl_buf_clear(&out);
    rwl_buf_clear(&text);
    return copy;
}

/* Fields 1: physical, 2: length, 3: repetition (0 required, 1 optional), 4: name, 6: ConvertedType, 7 and 8: scale and
 * precision, 9: field id, 10: LogicalType. */
START_TEST(every_primitive_has_its_annotations) {
    static const struct {
        rwl_type type;
        const char *text;
    } cases[] = {
        {{.kind = RWL_TYPE_BOOLEAN}, "{1:0 3:1 4:'c' 9:7}"},
        {{.kind = RWL_TYPE_INT}, "{1:1 3:1 4:'c' 9:7}"},
        {{.kind = RWL_TYPE_LONG}, "{1:2 3:1 4:'c' 9:7}"},
        {{.kind = RWL_TYPE_FLOAT}, "{1:4 3:1 4:'c' 9:7}"},
        {{.kind = RWL_TYPE_DOUBLE}, "{1:5 3:1 4:'c' 9:7}"},
        {{.kind = RWL_TYPE_DECIMAL, .precision = 9, .scale = 2},
         "{1:1 3:1 4:'c' 6:5 7:2 8:9 9:7 10:{5:{1:2 2:9}}}"},
        {{.kind = RWL_TYPE_DECIMAL, .precision = 18, .scale = 0},
         "{1:2 3:1 4:'c' 6:5 7:0 8:18 9:7 10:{5:{1:0 2:18}}}"},
        {{.kind = RWL_TYPE_DECIMAL, .precision = 38, .scale = 10},
         "{1:7 2:16 3:1 4:'c' 6:5 7:10 8:38 9:7 10:{5:{1:10 2:38}}}"},
        {{.kind = RWL_TYPE_DATE}, "{1:1 3:1 4:'c' 6:6 9:7 10:{6:{}}}"},
        {{.kind = RWL_TYPE_TIME}, "{1:2 3:1 4:'c' 6:8 9:7 10:{7:{1:F 2:{2:{}}}}}"},
        {{.kind = RWL_TYPE_TIMESTAMP}, "{1:2 3:1 4:'c' 6:10 9:7 10:{8:{1:F 2:{2:{}}}}}"},
        {{.kind = RWL_TYPE_TIMESTAMPTZ}, "{1:2 3:1 4:'c' 6:10 9:7 10:{8:{1:T 2:{2:{}}}}}"},
        {{.kind = RWL_TYPE_TIMESTAMP_NS}, "{1:2 3:1 4:'c' 9:7 10:{8:{1:F 2:{3:{}}}}}"},
        {{.kind = RWL_TYPE_TIMESTAMPTZ_NS}, "{1:2 3:1 4:'c' 9:7 10:{8:{1:T 2:{3:{}}}}}"},
        {{.kind = RWL_TYPE_STRING}, "{1:6 3:1 4:'c' 6:0 9:7 10:{1:{}}}"},
        {{.kind = RWL_TYPE_UUID}, "{1:7 2:16 3:1 4:'c' 9:7 10:{14:{}}}"},
        {{.kind = RWL_TYPE_FIXED, .length = 5}, "{1:7 2:5 3:1 4:'c' 9:7}"},
        {{.kind = RWL_TYPE_BINARY}, "{1:6 3:1 4:'c' 9:7}"},
        {{.kind = RWL_TYPE_GEOMETRY}, "{1:6 3:1 4:'c' 9:7 10:{17:{}}}"},
        {{.kind = RWL_TYPE_GEOMETRY, .parameters = "srid:3857"},
         "{1:6 3:1 4:'c' 9:7 10:{17:{1:'srid:3857'}}}"},
        {{.kind = RWL_TYPE_GEOGRAPHY}, "{1:6 3:1 4:'c' 9:7 10:{18:{}}}"},
        {{.kind = RWL_TYPE_GEOGRAPHY, .parameters = "OGC:CRS84, Karney"},
         "{1:6 3:1 4:'c' 9:7 10:{18:{1:'OGC:CRS84' 2:4}}}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_field field = {.name = "c", .id = 7, .type = cases[i].type};
        rwl_parquet_write_schema schema = make_schema(&arena, &field, 1);
        const char *want = rwl_arena_printf(&arena, "{4:'table' 5:1}\n%s\n", cases[i].text);
        ck_assert_str_eq(schema_text(&schema), want);
    }
}
END_TEST

/* l: list<required struct<x: int, u: unknown, y: required list<double>>>, m: required map<string, binary>, v: variant */
static void nested_fields(rwl_field out[4], rwl_field inner[8]) {
    inner[0] = make_field("element", 9, false, RWL_TYPE_DOUBLE);
    inner[1] = make_field("x", 5, false, RWL_TYPE_INT);
    inner[2] = make_field("u", 6, false, RWL_TYPE_UNKNOWN);
    inner[3] = make_field("y", 7, true, RWL_TYPE_LIST);
    inner[3].type.children = &inner[0];
    inner[3].type.child_count = 1;
    inner[4] = make_field("element", 4, true, RWL_TYPE_STRUCT);
    inner[4].type.children = &inner[1];
    inner[4].type.child_count = 3;
    inner[5] = make_field("key", 11, true, RWL_TYPE_STRING);
    inner[6] = make_field("value", 12, false, RWL_TYPE_BINARY);
    out[0] = make_field("l", 1, false, RWL_TYPE_LIST);
    out[0].type.children = &inner[4];
    out[0].type.child_count = 1;
    out[1] = make_field("n", 10, false, RWL_TYPE_UNKNOWN);
    out[2] = make_field("m", 2, true, RWL_TYPE_MAP);
    out[2].type.children = &inner[5];
    out[2].type.child_count = 2;
    out[3] = make_field("v", 3, false, RWL_TYPE_VARIANT);
}

START_TEST(nested_fields_become_groups) {
    rwl_field fields[4], inner[8];
    nested_fields(fields, inner);
    rwl_parquet_write_schema schema = make_schema(&arena, fields, 4);
    ck_assert_str_eq(schema_text(&schema), "{4:'table' 5:3}\n"
                                           "{3:1 4:'l' 5:1 6:3 9:1 10:{3:{}}}\n"
                                           "{3:2 4:'list' 5:1}\n"
                                           "{3:0 4:'element' 5:2 9:4}\n"
                                           "{1:1 3:1 4:'x' 9:5}\n"
                                           "{3:0 4:'y' 5:1 6:3 9:7 10:{3:{}}}\n"
                                           "{3:2 4:'list' 5:1}\n"
                                           "{1:5 3:1 4:'element' 9:9}\n"
                                           "{3:0 4:'m' 5:1 6:1 9:2 10:{2:{}}}\n"
                                           "{3:2 4:'key_value' 5:2}\n"
                                           "{1:6 3:0 4:'key' 6:0 9:11 10:{1:{}}}\n"
                                           "{1:6 3:1 4:'value' 9:12}\n"
                                           "{3:1 4:'v' 5:2 9:3 10:{16:{1:1}}}\n"
                                           "{1:6 3:0 4:'metadata'}\n"
                                           "{1:6 3:0 4:'value'}\n");
}
END_TEST

/* Levels: one definition for each optional or repeated name of the path, one repetition for each repeated one. */
START_TEST(leaves_have_levels_and_paths) {
    static const struct {
        const char *dotted;
        int id, top, definition, repetition;
        bool required;
        rwl_parquet_part part;
    } want[] = {{"l.list.element.x", 5, 0, 3, 1, false, RWL_PARQUET_WHOLE},
                {"l.list.element.y.list.element", 9, 0, 4, 2, false, RWL_PARQUET_WHOLE},
                {"m.key_value.key", 11, 2, 1, 1, true, RWL_PARQUET_WHOLE},
                {"m.key_value.value", 12, 2, 2, 1, false, RWL_PARQUET_WHOLE},
                {"v.metadata", 3, 3, 1, 0, true, RWL_PARQUET_VARIANT_METADATA},
                {"v.value", 3, 3, 1, 0, true, RWL_PARQUET_VARIANT_VALUE}};
    rwl_field fields[4], inner[8];
    nested_fields(fields, inner);
    rwl_parquet_write_schema schema = make_schema(&arena, fields, 4);
    ck_assert_int_eq(schema.leaf_count, 6);
    for (int i = 0; i < 6; i++) {
        const rwl_parquet_write_leaf *leaf = &schema.leaves[i];
        ck_assert_str_eq(leaf->dotted, want[i].dotted);
        ck_assert_int_eq(leaf->field->id, want[i].id);
        ck_assert_int_eq(leaf->top, want[i].top);
        ck_assert_int_eq(leaf->max_definition, want[i].definition);
        ck_assert_int_eq(leaf->max_repetition, want[i].repetition);
        ck_assert_int_eq(leaf->required, want[i].required);
        ck_assert_int_eq(leaf->part, want[i].part);
    }
    ck_assert_int_eq(schema.leaves[1].path_len, 6);
    ck_assert_str_eq(schema.leaves[1].path[3], "y");
}
END_TEST

static void check_refused(const rwl_field *field, const char *reason) {
    rwl_parquet_write_schema schema;
    ck_assert_int_eq(rwl_parquet_write_schema_make(field, 1, &arena, &schema, &writer_error),
                     RWL_UNSUPPORTED);
    ck_assert_msg(strstr(writer_error.message, reason) != NULL, "%s", writer_error.message);
}

START_TEST(what_files_can_not_say_is_refused_by_name) {
    rwl_field child = make_field("element", 2, false, RWL_TYPE_UNKNOWN);
    rwl_field list = make_field("deep", 1, false, RWL_TYPE_LIST);
    list.type.children = &child;
    list.type.child_count = 1;
    check_refused(&list, "column deep: a list or map of unknown");
    rwl_field group = make_field("deep", 1, false, RWL_TYPE_STRUCT);
    group.type.children = &child;
    group.type.child_count = 1;
    check_refused(&group, "column deep: a struct without fields");
    rwl_field decimal = make_field("d", 1, false, RWL_TYPE_DECIMAL);
    decimal.type.precision = 39;
    check_refused(&decimal, "column d: decimal precision 39");
}
END_TEST

START_TEST(depth_is_limited_by_what_can_be_read) {
    rwl_field fields[64];
    for (int32_t depth = 60; depth <= 63; depth++) {
        for (int32_t i = 0; i <= depth; i++) {
            fields[i] =
                make_field(i == depth ? "top" : "s", i + 1, false, i == 0 ? RWL_TYPE_INT : RWL_TYPE_STRUCT);
            fields[i].type.children = i == 0 ? NULL : &fields[i - 1];
            fields[i].type.child_count = i > 0;
        }
        rwl_parquet_write_schema schema;
        rwl_status st = rwl_parquet_write_schema_make(&fields[depth], 1, &arena, &schema, &writer_error);
        ck_assert_int_eq(st, depth < 63 ? RWL_OK : RWL_UNSUPPORTED); /* a path of depth + 1 names */
    }
    ck_assert_ptr_nonnull(strstr(writer_error.message, "column top: nested deeper"));
}
END_TEST

Suite *output_schema_suite(void) {
    Suite *suite = suite_create("parquet output: schema");
    TCase *tc = tcase_create("schema");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, every_primitive_has_its_annotations);
    tcase_add_test(tc, nested_fields_become_groups);
    tcase_add_test(tc, leaves_have_levels_and_paths);
    tcase_add_test(tc, what_files_can_not_say_is_refused_by_name);
    tcase_add_test(tc, depth_is_limited_by_what_can_be_read);
    suite_add_tcase(suite, tc);
    return suite;
}
