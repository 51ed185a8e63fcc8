/* SPDX-License-Identifier: Apache-2.0 */
/* Types: names, equality, copies. */
#include "column/value.h"
#include "suites.h"

static rwl_env env;
static rwl_arena arena;

static void setup(void) {
    rwl_env_init_default(&env);
    rwl_arena_init(&arena, &env, 0);
}
static void teardown(void) {
    rwl_arena_clear(&arena);
}

static const struct {
    const char *text, *printed; /* NULL: refused */
    rwl_type_kind kind;
} NAMES[] = {
    {"boolean", "boolean", RWL_TYPE_BOOLEAN},
    {"int", "int", RWL_TYPE_INT},
    {"timestamp", "timestamp", RWL_TYPE_TIMESTAMP},
    {"timestamptz", "timestamptz", RWL_TYPE_TIMESTAMPTZ},
    {"timestamp_ns", "timestamp_ns", RWL_TYPE_TIMESTAMP_NS},
    {"timestamptz_ns", "timestamptz_ns", RWL_TYPE_TIMESTAMPTZ_NS},
    {"decimal(9,2)", "decimal(9, 2)", RWL_TYPE_DECIMAL},
    {"decimal( 38 , 38 )", "decimal(38, 38)", RWL_TYPE_DECIMAL},
    {"fixed[16]", "fixed[16]", RWL_TYPE_FIXED},
    {"geometry", "geometry", RWL_TYPE_GEOMETRY},
    {"geometry(OGC:CRS84)", "geometry(OGC:CRS84)", RWL_TYPE_GEOMETRY},
    {"geography(OGC:CRS84, spherical)", "geography(OGC:CRS84, spherical)", RWL_TYPE_GEOGRAPHY},
    {"unknown", "unknown", RWL_TYPE_UNKNOWN},
    {"decimal(39,2)", NULL, 0},
    {"decimal(0,0)", NULL, 0},
    {"decimal(2,3)", NULL, 0},
    {"decimal(9,2", NULL, 0},
    {"decimal(9,2) ", NULL, 0},
    {"decimal(99999999999,2)", NULL, 0},
    {"fixed[0]", NULL, 0},
    {"fixed[-1]", NULL, 0},
    {"fixed[16", NULL, 0},
    {"timestamptz_n", NULL, 0},
    {"int ", NULL, 0},
    {"", NULL, 0},
    {"struct<>", NULL, 0},
};

START_TEST(parses_and_prints_type_names) {
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        rwl_type t;
        bool ok = rwl_type_parse(NAMES[i].text, &arena, &t);
        ck_assert_msg(ok == (NAMES[i].printed != NULL), "%s", NAMES[i].text);
        if (!ok)
            continue;
        ck_assert_int_eq(t.kind, NAMES[i].kind);
        rwl_buf out;
        rwl_buf_init(&out, &env, SIZE_MAX);
        OK(rwl_type_format(&t, &out, err));
        OK(rwl_buf_terminate(&out, err));
        ck_assert_str_eq((char *)out.data, NAMES[i].printed);
        rwl_buf_clear(&out);
    }
}
END_TEST

START_TEST(copies_nested_fields_deeply) {
    rwl_value one = rwl_value_null(RWL_TYPE_STRING);
    one.is_null = false;
    one.as.bytes = rwl_span_str("x");
    rwl_field inner[2] = {
        {.name = "a", .id = 2, .type = {.kind = RWL_TYPE_INT}},
        {.name = "b", .id = 3, .required = true, .type = {.kind = RWL_TYPE_STRING}, .initial_default = &one},
    };
    rwl_field outer = {.name = "s",
                       .id = 1,
                       .doc = "d",
                       .type = {.kind = RWL_TYPE_STRUCT, .children = inner, .child_count = 2}};
    rwl_field copy;
    ck_assert(rwl_field_copy(&arena, &outer, &copy));
    ck_assert(rwl_type_equal(&outer.type, &copy.type));
    ck_assert_ptr_ne(copy.type.children, outer.type.children);
    ck_assert(rwl_value_equal(copy.type.children[1].initial_default, &one));
    ck_assert_str_eq(copy.doc, "d");
    rwl_buf out;
    rwl_buf_init(&out, &env, SIZE_MAX);
    OK(rwl_type_format(&copy.type, &out, err));
    OK(rwl_buf_terminate(&out, err));
    ck_assert_str_eq((char *)out.data, "struct<2: a: optional int, 3: b: required string>");
    rwl_buf_clear(&out);
    inner[0].id = 9;
    ck_assert(!rwl_type_equal(&outer.type, &copy.type));
}
END_TEST

START_TEST(refuses_types_nested_too_deep) {
    enum { DEPTH = RWL_TYPE_DEPTH_MAX + 2 };
    static rwl_field chain[DEPTH];
    for (int i = 0; i < DEPTH; i++) {
        chain[i].name = "element";
        chain[i].id = i + 1;
        chain[i].type.kind = i + 1 < DEPTH ? RWL_TYPE_LIST : RWL_TYPE_INT;
        chain[i].type.children = i + 1 < DEPTH ? &chain[i + 1] : NULL;
        chain[i].type.child_count = i + 1 < DEPTH;
    }
    rwl_field copy;
    ck_assert(!rwl_field_copy(&arena, &chain[0], &copy));
    ck_assert(!rwl_type_equal(&chain[0].type, &chain[0].type));
    rwl_buf out;
    rwl_error fault = {0};
    rwl_buf_init(&out, &env, SIZE_MAX);
    ck_assert_int_eq(rwl_type_format(&chain[0].type, &out, &fault), RWL_UNSUPPORTED);
    rwl_buf_clear(&out);
}
END_TEST

/* Types of Lance that Iceberg has none for: of these the parameters count, and tables' schemas do not read their names. */
START_TEST(durations_and_wide_decimals_are_types_of_their_own) {
    static const struct {
        rwl_type type;
        const char *name;
    } CASES[] = {
        {{.kind = RWL_TYPE_LONG, .parameters = "duration:s"}, "duration[s]"},
        {{.kind = RWL_TYPE_LONG, .parameters = "duration:us"}, "duration[us]"},
        {{.kind = RWL_TYPE_LONG}, "long"},
        {{.kind = RWL_TYPE_FIXED, .length = 32, .parameters = "decimal256:76,4"}, "decimal(76, 4)"},
        {{.kind = RWL_TYPE_FIXED, .length = 32, .parameters = "decimal256:76,5"}, "decimal(76, 5)"},
        {{.kind = RWL_TYPE_FIXED, .length = 32}, "fixed[32]"},
    };
    enum { COUNT = sizeof CASES / sizeof CASES[0] };
    for (size_t i = 0; i < COUNT; i++) {
        char name[64];
        rwl_buf out;
        rwl_type parsed;
        rwl_buf_init(&out, &env, SIZE_MAX);
        rwl_type_name(&CASES[i].type, name, sizeof name);
        ck_assert_str_eq(name, CASES[i].name);
        OK(rwl_type_format(&CASES[i].type, &out, err));
        ck_assert(rwl_span_equal(rwl_buf_span(&out), rwl_span_str(CASES[i].name)));
        rwl_buf_clear(&out);
        ck_assert(rwl_type_parse(CASES[i].name, &arena, &parsed) == (CASES[i].type.parameters == NULL));
        for (size_t k = 0; k < COUNT; k++)
            ck_assert(rwl_type_equal(&CASES[i].type, &CASES[k].type) == (i == k));
    }
}
END_TEST

START_TEST(wide_decimals_say_precision_and_scale) {
    static const struct {
        const char *parameters;
        int32_t length, precision, scale; /* precision 0: refused */
    } CASES[] = {
        {"decimal256:76,4", 32, 76, 4}, {"decimal256:39,39", 32, 39, 39}, {"decimal256:38,4", 32, 0, 0},
        {"decimal256:77,4", 32, 0, 0},  {"decimal256:40,41", 32, 0, 0},   {"decimal256:40,-1", 32, 0, 0},
        {"decimal256:40", 32, 0, 0},    {"decimal256:40,1 x", 32, 0, 0},  {"decimal256:", 32, 0, 0},
        {"decimal256:76,4", 16, 0, 0},  {"decimal:76,4", 32, 0, 0},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        rwl_type t = {.kind = RWL_TYPE_FIXED, .length = CASES[i].length, .parameters = CASES[i].parameters};
        int32_t precision, scale;
        bool ok = rwl_type_decimal256(&t, &precision, &scale);
        ck_assert_msg(ok == (CASES[i].precision > 0), "%s", CASES[i].parameters);
        if (ok)
            ck_assert(precision == CASES[i].precision && scale == CASES[i].scale);
    }
}
END_TEST

TCase *type_cases(void) {
    TCase *tc = tcase_create("type");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, parses_and_prints_type_names);
    tcase_add_test(tc, copies_nested_fields_deeply);
    tcase_add_test(tc, refuses_types_nested_too_deep);
    tcase_add_test(tc, durations_and_wide_decimals_are_types_of_their_own);
    tcase_add_test(tc, wide_decimals_say_precision_and_scale);
    return tc;
}
