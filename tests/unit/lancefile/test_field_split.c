/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A field whose parts lie in a file of version 2.0 and in one of 2.2: x {a int32 (2.0), b int8 (2.2), y {c int32 (2.0), d int8 (2.2)}}.
 * Pages are plain values in 2.0, one value and its definition levels in 2.2, counted by hand.
 */
#include "array_text.h"
#include "file_support.h"
#include "suites.h"

#include "lancefile/reader.h"

#include <stdio.h>

enum { FIELDS = 6, ROWS = 4 };

static const rwl_lance_field_def STRUCTS[FIELDS] = {
    {.name = "x", .id = 0, .parent_id = -1, .logical_type = "struct", .nullable = true},
    {.name = "a", .id = 1, .parent_id = 0, .logical_type = "int32", .nullable = true},
    {.name = "b", .id = 2, .parent_id = 0, .logical_type = "int8", .nullable = true},
    {.name = "y", .id = 3, .parent_id = 0, .logical_type = "struct", .nullable = true},
    {.name = "c", .id = 4, .parent_id = 3, .logical_type = "int32", .nullable = true},
    {.name = "d", .id = 5, .parent_id = 3, .logical_type = "int8", .nullable = true},
};

typedef struct two_files {
    rwl_env env;
    rwl_buf old_bytes, new_bytes;
    memory_file old_file, new_file;
    rwl_arena arena;
    rwl_lance_schema schema;
    rwl_lance_source sources[FIELDS];
} two_files;

/* --- building --- */

static void put_old_column(lance_build *b, const char *encoding, const int32_t *values) {
    rwl_buf message;
    rwl_buf_init(&message, b->env, SIZE_MAX);
    put_array_text(&message, encoding);
    lance_build_column(b);
    if (values != NULL)
        (void)lance_build_buffer(b, values, ROWS * sizeof *values);
    lance_build_page(b, ROWS, rwl_buf_span(&message));
    rwl_buf_clear(&message);
}

/* Columns 0 x, 1 a, 2 y, 3 c. */
static void build_old(two_files *t) {
    lance_build b;
    lance_build_init(&b, &t->env, 0, 3);
    put_old_column(&b, "struct", NULL);
    put_old_column(&b, "no_nulls(flat32@0)", (const int32_t[]){1, 2, 3, 4});
    put_old_column(&b, "struct", NULL);
    put_old_column(&b, "no_nulls(flat32@0)", (const int32_t[]){10, 20, 30, 40});
    lance_build_finish(&b, ROWS, &t->old_bytes);
    lance_build_clear(&b);
}

/* PageLayout.constant: 5 layers, all nullable items; 6 inline value; 10 number of levels. */
static void put_new_column(lance_build *b, size_t layer_count, uint8_t value, const uint16_t *def) {
    rwl_buf message;
    rwl_buf_init(&message, b->env, SIZE_MAX);
    size_t at = pb_begin(&message, 2);
    pb_packed(&message, 5, (const uint64_t[]){3, 3, 3}, layer_count);
    pb_bytes(&message, 6, rwl_span_of(&value, 1));
    pb_varint(&message, 10, ROWS);
    pb_end(&message, at);
    lance_build_column(b);
    (void)lance_build_buffer(b, def, 0);
    (void)lance_build_buffer(b, def, ROWS * sizeof *def);
    lance_build_page(b, ROWS, rwl_buf_span(&message));
    rwl_buf_clear(&message);
}

/* The same of lists of structs, [9], null, [], [9]: item, struct, list (null 3, empty 4), struct. */
static void put_new_lists(lance_build *b) {
    static const uint64_t layers[] = {3, 3, 6, 3};
    static const uint16_t rep[ROWS] = {1, 1, 1, 1}, def[ROWS] = {0, 3, 4, 0};
    rwl_buf message;
    rwl_buf_init(&message, b->env, SIZE_MAX);
    size_t at = pb_begin(&message, 2);
    pb_packed(&message, 5, layers, 4);
    pb_bytes(&message, 6, rwl_span_of((const uint8_t *)"\11", 1));
    pb_varint(&message, 9, ROWS);
    pb_varint(&message, 10, ROWS);
    pb_end(&message, at);
    lance_build_column(b);
    (void)lance_build_buffer(b, rep, sizeof rep);
    (void)lance_build_buffer(b, def, sizeof def);
    lance_build_page(b, ROWS, rwl_buf_span(&message));
    rwl_buf_clear(&message);
}

/* Columns 0 b, 1 d, 2 d in lists. Row 1 has no b and no y, row 2 no x, row 3 no d. */
static void build_new(two_files *t) {
    lance_build b;
    lance_build_init(&b, &t->env, 2, 2);
    put_new_column(&b, 2, 7, (const uint16_t[]){0, 1, 2, 0});
    put_new_column(&b, 3, 9, (const uint16_t[]){0, 2, 3, 1});
    put_new_lists(&b);
    lance_build_finish(&b, ROWS, &t->new_bytes);
    lance_build_clear(&b);
}

static void begin(two_files *t, const rwl_lance_field_def *defs) {
    memset(t, 0, sizeof *t);
    rwl_env_init_default(&t->env);
    rwl_arena_init(&t->arena, &t->env, 0);
    rwl_buf_init(&t->old_bytes, &t->env, SIZE_MAX);
    rwl_buf_init(&t->new_bytes, &t->env, SIZE_MAX);
    build_old(t);
    build_new(t);
    ck_assert_int_eq(memory_file_open(&t->old_file, rwl_buf_span(&t->old_bytes)), RWL_OK);
    ck_assert_int_eq(memory_file_open(&t->new_file, rwl_buf_span(&t->new_bytes)), RWL_OK);
    ck_assert_int_eq(rwl_lance_schema_build(defs, FIELDS, &t->arena, &t->schema, &t->old_file.err), RWL_OK);
    static const struct {
        bool is_old;
        int column;
    } places[FIELDS] = {{true, 0}, {true, 1}, {false, 0}, {true, 2}, {true, 3}, {false, 1}};
    for (int i = 0; i < FIELDS; i++)
        t->sources[i] =
            (rwl_lance_source){places[i].is_old ? t->old_file.file : t->new_file.file, places[i].column};
}

static void end(two_files *t) {
    memory_file_clear(&t->old_file);
    memory_file_clear(&t->new_file);
    rwl_buf_clear(&t->old_bytes);
    rwl_buf_clear(&t->new_bytes);
    rwl_arena_clear(&t->arena);
}

/* Rows of the ranges as JSON, a line a row. */
static rwl_status read_rows(two_files *t, const rwl_range *ranges, size_t count, rwl_buf *text) {
    rwl_error *err = &t->old_file.err;
    rwl_lance_read_field field = {&t->schema.nodes[0], t->sources};
    rwl_lance_read_options options = {.fields = &field, .field_count = 1, .row_count = ROWS};
    rwl_lance_reader *reader;
    rwl_batch batch;
    RWL_TRY(rwl_lance_reader_new(&t->old_file.op, &options, &reader, err));
    rwl_status st = rwl_batch_init(&batch, &t->env, &t->schema.fields[0], 1, err);
    for (size_t i = 0; st == RWL_OK && i < count; i++) {
        st = rwl_lance_reader_read(reader, &ranges[i], 1, &batch, err);
        for (int64_t row = 0; st == RWL_OK && row < batch.length; row++) {
            st = rwl_column_format_json(&batch.columns[0], row, text, err);
            if (st == RWL_OK)
                st = rwl_buf_u8(text, '\n', err);
        }
    }
    rwl_batch_clear(&batch);
    rwl_lance_reader_free(reader);
    return st;
}

/* --- tests --- */

START_TEST(structs_are_put_together_of_both_files) {
    /* of 2.0 structs are never null */
    static const char expected[] = "{\"a\": 1, \"b\": 7, \"y\": {\"c\": 10, \"d\": 9}}\n"
                                   "{\"a\": 2, \"b\": null, \"y\": {\"c\": 20, \"d\": null}}\n"
                                   "{\"a\": 3, \"b\": null, \"y\": {\"c\": 30, \"d\": null}}\n"
                                   "{\"a\": 4, \"b\": 7, \"y\": {\"c\": 40, \"d\": null}}\n";
    static const rwl_range WAYS[][ROWS] = {{{0, 4}}, {{0, 1}, {1, 1}, {2, 1}, {3, 1}}, {{0, 2}, {2, 2}}};
    static const size_t COUNTS[] = {1, 4, 2};
    two_files t;
    rwl_buf text;
    begin(&t, STRUCTS);
    rwl_buf_init(&text, &t.env, SIZE_MAX);
    rwl_status st = read_rows(&t, WAYS[_i], COUNTS[_i], &text);
    ck_assert_msg(st == RWL_OK, "%s", t.old_file.err.message);
    ck_assert_int_eq(rwl_buf_u8(&text, 0, NULL), RWL_OK);
    ck_assert_str_eq((const char *)text.data, expected);
    rwl_buf_clear(&text);
    end(&t);
}
END_TEST

/* x {a (2.0), y list<{d (2.2), new (nowhere)}>}: the list is in one file, and so is what it has no values of. */
START_TEST(a_younger_field_is_where_its_siblings_are) {
    rwl_lance_field_def defs[FIELDS];
    two_files t;
    rwl_buf text;
    memcpy(defs, STRUCTS, sizeof defs);
    defs[2] = (rwl_lance_field_def){
        .name = "y", .id = 2, .parent_id = 0, .logical_type = "list.struct", .nullable = true};
    defs[3] = (rwl_lance_field_def){
        .name = "item", .id = 3, .parent_id = 2, .logical_type = "struct", .nullable = true};
    defs[4].name = "new";
    begin(&t, defs);
    t.sources[2] = t.sources[3] = t.sources[4] = (rwl_lance_source){NULL, 0};
    t.sources[5].column = 2;
    rwl_buf_init(&text, &t.env, SIZE_MAX);
    rwl_status st = read_rows(&t, (const rwl_range[]){{0, ROWS}}, 1, &text);
    ck_assert_msg(st == RWL_OK, "%s", t.old_file.err.message);
    ck_assert_int_eq(rwl_buf_u8(&text, 0, NULL), RWL_OK);
    ck_assert_str_eq((const char *)text.data, "{\"a\": 1, \"y\": [{\"new\": null, \"d\": 9}]}\n"
                                              "{\"a\": 2, \"y\": null}\n"
                                              "{\"a\": 3, \"y\": []}\n"
                                              "{\"a\": 4, \"y\": [{\"new\": null, \"d\": 9}]}\n");
    rwl_buf_clear(&text);
    end(&t);
}
END_TEST

START_TEST(maps_are_of_one_kind_of_file) {
    rwl_lance_field_def defs[FIELDS];
    two_files t;
    rwl_buf text;
    memcpy(defs, STRUCTS, sizeof defs);
    defs[0].logical_type = "map";
    defs[1].logical_type = "struct";
    defs[2].parent_id = 1;
    defs[3].parent_id = 1;
    begin(&t, defs);
    rwl_buf_init(&text, &t.env, SIZE_MAX);
    rwl_status st = read_rows(&t, (const rwl_range[]){{0, ROWS}}, 1, &text);
    expect_failure(st, RWL_UNSUPPORTED, &t.old_file.err,
                   "field x: x: in files of version 2.0 and of later ones, but not a struct");
    rwl_buf_clear(&text);
    end(&t);
}
END_TEST

Suite *lancefile_field_split_suite(void) {
    Suite *s = suite_create("lancefile_field_split");
    TCase *tc = tcase_create("field_split");
    tcase_add_loop_test(tc, structs_are_put_together_of_both_files, 0, 3);
    tcase_add_test(tc, a_younger_field_is_where_its_siblings_are);
    tcase_add_test(tc, maps_are_of_one_kind_of_file);
    suite_add_tcase(s, tc);
    return s;
}
