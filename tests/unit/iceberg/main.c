/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of iceberg/ and holds their helpers. */
#include "iceberg_test.h"

#include <stdio.h>
#include <stdlib.h>

static rwl_env env;
static rwl_arena arena;

const rwl_env *test_env(void) {
    return &env;
}

rwl_arena *test_arena(void) {
    return &arena;
}

static char *requote(const char *text) {
    char *copy = rwl_arena_strdup(&arena, text);
    for (char *p = copy; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    return copy;
}

rwl_json *test_json(const char *text) {
    rwl_json *json = NULL;
    ASSERT_OK(rwl_json_parse(rwl_span_str(requote(text)), &json, err));
    return json;
}

void assert_json_text(const rwl_json *json, const char *text) {
    rwl_buf out;
    rwl_buf_init(&out, &env, SIZE_MAX);
    ASSERT_OK(rwl_json_dump(json, 0, &out, err));
    ASSERT_OK(rwl_buf_terminate(&out, err));
    ck_assert_str_eq((const char *)out.data, requote(text));
    rwl_buf_clear(&out);
}

rwl_schema test_schema(const char *text) {
    rwl_schema schema;
    ASSERT_OK(rwl_schema_from_text(text, &arena, &schema, err));
    return schema;
}

rwl_type test_type(const char *text) {
    rwl_type type;
    ck_assert_msg(rwl_type_parse(text, &arena, &type), "type '%s'", text);
    return type;
}

rwl_value test_value(const rwl_type *type, const char *text) {
    rwl_value v = rwl_value_null(type->kind);
    if (strcmp(text, "null") != 0)
        ASSERT_OK(rwl_value_parse(type, rwl_span_str(text), &arena, &v, err));
    return v;
}

void assert_value(const rwl_type *type, const rwl_value *v, const char *text) {
    ck_assert_int_eq((int)v->kind, (int)type->kind);
    ck_assert_int_eq(v->is_null, strcmp(text, "null") == 0);
    if (v->is_null)
        return;
    rwl_buf out;
    rwl_buf_init(&out, &env, SIZE_MAX);
    ASSERT_OK(rwl_value_format(type, v, &out, err));
    ASSERT_OK(rwl_buf_terminate(&out, err));
    ck_assert_str_eq((const char *)out.data, text);
    rwl_buf_clear(&out);
}

char *test_read_file(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    ck_assert_int_ge(size, 0);
    rewind(file);
    char *text = rwl_arena_alloc(&arena, (size_t)size + 1);
    *len = fread(text, 1, (size_t)size, file);
    fclose(file);
    return text;
}

rwl_metadata *test_metadata(const char *text) {
    rwl_metadata *m = NULL;
    ASSERT_OK(rwl_metadata_parse(&env, rwl_span_str(requote(text)), NULL, &m, err));
    return m;
}

const char *test_with(const char *text, const char *key, const char *value) {
    rwl_json *json = test_json(text);
    if (value)
        ASSERT_OK(rwl_json_set(json, key, test_json(value), err));
    else
        rwl_json_remove(json, key);
    rwl_buf out;
    rwl_buf_init(&out, &env, SIZE_MAX);
    ASSERT_OK(rwl_json_dump(json, 0, &out, err));
    const char *copy = rwl_arena_strndup(&arena, (const char *)out.data, out.len);
    rwl_buf_clear(&out);
    rwl_json_free(json);
    return copy;
}

int main(void) {
    rwl_env_init_default(&env);
    rwl_arena_init(&arena, &env, 0);
    SRunner *runner = srunner_create(NULL);
#define SUITE_ADD(name) srunner_add_suite(runner, suite_##name());
    SUITE_LIST(SUITE_ADD)
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    rwl_arena_clear(&arena);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
