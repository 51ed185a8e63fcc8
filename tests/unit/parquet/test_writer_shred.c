/* SPDX-License-Identifier: Apache-2.0 */
/* Shredding nested rows: the example of the Dremel paper, nulls and empties at every level. */
#include "suites.h"
#include "writer_support.h"

#include "parquet/shred.h"

#include <stdlib.h>

static rwl_arena arena;
static rwl_parquet_write_schema schema;
static rwl_batch batch;
static rwl_parquet_shred shred;

static void set_up(void) {
    rwl_env_init_default(&writer_env);
    rwl_arena_init(&arena, &writer_env, 0);
}

static void tear_down(void) {
    rwl_batch_clear(&batch);
    rwl_arena_clear(&arena);
}

static void make(const rwl_field *field) {
    write_ok(rwl_parquet_write_schema_make(field, 1, &arena, &schema, &writer_error));
    write_ok(rwl_batch_init(&batch, &writer_env, field, 1, &writer_error));
}

/* --- building columns row by row --- */

static void add_valid(rwl_column *c, bool valid) {
    write_ok(rwl_column_reserve(c, &writer_env, c->length + 1, 0, &writer_error));
    if (!valid && c->null_count == 0)
        write_ok(rwl_column_need_validity(c, &writer_env, c->length + 1, &writer_error));
    if (c->null_count > 0 || !valid) {
        if (valid)
            rwl_bit_set(c->validity.data, c->length);
        else
            rwl_bit_clear(c->validity.data, c->length);
    }
    c->null_count += !valid;
    c->length++;
}

static int32_t *offsets_of(rwl_column *c) {
    return (int32_t *)(void *)c->offsets.data;
}

/* A list whose elements are already in the child. */
static void add_list(rwl_column *c, bool valid) {
    add_valid(c, valid);
    if (c->length == 1)
        offsets_of(c)[0] = 0;
    offsets_of(c)[c->length] = (int32_t)c->children[0].length;
}

static void add_text(rwl_column *c, const char *text) {
    rwl_value v = rwl_value_null(RWL_TYPE_STRING);
    if (text != NULL) {
        v.is_null = false;
        v.as.bytes = rwl_span_str(text);
    }
    write_ok(rwl_column_append(c, &writer_env, &v, 1, &writer_error));
}

static void add_int(rwl_column *c, int32_t number) {
    rwl_value v = {.kind = RWL_TYPE_INT, .is_null = number < 0, .as = {.i32 = number}};
    write_ok(rwl_column_append(c, &writer_env, &v, 1, &writer_error));
}

/* Repetition and definition level of each entry as digits: "00 01 13". */
static void check_levels(int32_t leaf, const char *expected, size_t values) {
    char text[256] = "";
    rwl_parquet_shred *s = &shred;
    write_ok(rwl_parquet_shred_init(s, &writer_env, &schema, leaf, &writer_error));
    write_ok(rwl_parquet_shred_rows(s, &batch.columns[0], 0, (size_t)batch.columns[0].length, &writer_error));
    for (size_t i = 0; i < s->entries; i++) {
        size_t at = strlen(text);
        text[at] = i > 0 ? ' ' : (char)('0' + s->repetitions.data[i]);
        if (i > 0)
            text[++at] = (char)('0' + s->repetitions.data[i]);
        text[at + 1] = (char)('0' + s->definitions.data[i]);
        text[at + 2] = '\0';
    }
    ck_assert_str_eq(text, expected);
    ck_assert_uint_eq(s->values, values);
    ck_assert_uint_eq(rwl_parquet_shred_row_entries(s)[s->rows], s->entries);
    ck_assert_uint_eq(rwl_parquet_shred_row_values(s)[s->rows], values);
    rwl_parquet_shred_clear(s);
}

/* --- the paper's figures 2 and 3: Name (repeated group) of Language (repeated group: Code, Country) and Url --- */

typedef struct language {
    const char *code, *country;
} language;

static void add_name(rwl_column *names, const language *languages, int count, const char *url) {
    rwl_column *name = &names->children[0], *list = &name->children[0], *element = &list->children[0];
    for (int i = 0; i < count; i++) {
        add_text(&element->children[0], languages[i].code);
        add_text(&element->children[1], languages[i].country);
        add_valid(element, true);
    }
    add_list(list, true);
    add_text(&name->children[1], url);
    add_valid(name, true);
}

START_TEST(dremel_example_of_the_paper) {
    rwl_field code[] = {{.name = "Code", .id = 6, .required = true, .type = {.kind = RWL_TYPE_STRING}},
                        {.name = "Country", .id = 7, .type = {.kind = RWL_TYPE_STRING}}};
    rwl_field element = {.name = "element",
                         .id = 5,
                         .required = true,
                         .type = {.kind = RWL_TYPE_STRUCT, .children = code, .child_count = 2}};
    rwl_field name[] = {{.name = "Language",
                         .id = 3,
                         .required = true,
                         .type = {.kind = RWL_TYPE_LIST, .children = &element, .child_count = 1}},
                        {.name = "Url", .id = 4, .type = {.kind = RWL_TYPE_STRING}}};
    rwl_field group = {.name = "element",
                       .id = 2,
                       .required = true,
                       .type = {.kind = RWL_TYPE_STRUCT, .children = name, .child_count = 2}};
    rwl_field field = {.name = "Name",
                       .id = 1,
                       .required = true,
                       .type = {.kind = RWL_TYPE_LIST, .children = &group, .child_count = 1}};
    static const language first[] = {{"en-us", "us"}, {"en", NULL}}, third[] = {{"en-gb", "gb"}};
    make(&field);
    rwl_column *names = &batch.columns[0];
    add_name(names, first, 2, "http://A");
    add_name(names, NULL, 0, "http://B");
    add_name(names, third, 1, NULL);
    add_list(names, true);
    add_name(names, NULL, 0, "http://C");
    add_list(names, true);
    check_levels(0, "02 22 11 12 01", 3); /* Name.Language.Code */
    check_levels(1, "03 22 11 13 01", 2); /* Name.Language.Country */
    check_levels(2, "02 12 11 02", 3);    /* Name.Url */
}
END_TEST

/* --- nulls and empties --- */

/* null, [], [null], [1, null, 2] of an optional list of optional ints: levels null 0, empty 1, null 2, value 3. */
START_TEST(null_empty_and_null_elements_differ) {
    rwl_field element = {.name = "element", .id = 2, .type = {.kind = RWL_TYPE_INT}};
    rwl_field field = {
        .name = "l", .id = 1, .type = {.kind = RWL_TYPE_LIST, .children = &element, .child_count = 1}};
    make(&field);
    rwl_column *list = &batch.columns[0], *ints = &list->children[0];
    add_list(list, false);
    add_list(list, true);
    add_int(ints, -1);
    add_list(list, true);
    add_int(ints, 1);
    add_int(ints, -1);
    add_int(ints, 2);
    add_list(list, true);
    check_levels(0, "00 01 02 03 12 13", 2);
}
END_TEST

/* Rows: null; {a null, b null}; {a 1, b [7, 8]} of an optional struct. */
START_TEST(children_of_a_null_struct_end_with_it) {
    rwl_field element = {.name = "element", .id = 4, .required = true, .type = {.kind = RWL_TYPE_INT}};
    rwl_field children[] = {
        {.name = "a", .id = 2, .type = {.kind = RWL_TYPE_INT}},
        {.name = "b", .id = 3, .type = {.kind = RWL_TYPE_LIST, .children = &element, .child_count = 1}}};
    rwl_field field = {
        .name = "s", .id = 1, .type = {.kind = RWL_TYPE_STRUCT, .children = children, .child_count = 2}};
    make(&field);
    rwl_column *s = &batch.columns[0], *a = &s->children[0], *b = &s->children[1];
    add_int(a, 5); /* what lies below a null is not looked at */
    add_list(b, true);
    add_valid(s, false);
    add_int(a, -1);
    add_list(b, false);
    add_valid(s, true);
    add_int(a, 1);
    add_int(&b->children[0], 7);
    add_int(&b->children[0], 8);
    add_list(b, true);
    add_valid(s, true);
    check_levels(0, "00 01 02", 1);
    check_levels(1, "00 01 03 13", 2); /* struct 1, list 2, its repeated group 3 */
}
END_TEST

START_TEST(refuses_a_null_in_a_required_child_by_name) {
    rwl_field child = {.name = "must", .id = 2, .required = true, .type = {.kind = RWL_TYPE_INT}};
    rwl_field field = {
        .name = "s", .id = 1, .type = {.kind = RWL_TYPE_STRUCT, .children = &child, .child_count = 1}};
    make(&field);
    rwl_column *s = &batch.columns[0];
    add_int(&s->children[0], -1);
    add_valid(s, false); /* below a null it may be */
    write_ok(rwl_parquet_shred_init(&shred, &writer_env, &schema, 0, &writer_error));
    write_ok(rwl_parquet_shred_rows(&shred, s, 0, 1, &writer_error));
    add_int(&s->children[0], -1);
    add_valid(s, true);
    ck_assert_int_eq(rwl_parquet_shred_rows(&shred, s, 0, 2, &writer_error), RWL_INTERNAL);
    ck_assert_ptr_nonnull(strstr(writer_error.message, "must"));
    rwl_parquet_shred_clear(&shred);
}
END_TEST

Suite *writer_shred_suite(void) {
    Suite *suite = suite_create("parquet writer: shredding");
    TCase *tc = tcase_create("levels");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, dremel_example_of_the_paper);
    tcase_add_test(tc, null_empty_and_null_elements_differ);
    tcase_add_test(tc, children_of_a_null_struct_end_with_it);
    tcase_add_test(tc, refuses_a_null_in_a_required_child_by_name);
    suite_add_tcase(suite, tc);
    return suite;
}
