/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of file version 2.2 whose columns have entries of their own number: structs without fields, fixed-size lists of structs. Pages are
 * of one value and plain definition levels, counted by hand.
 */
#include "file_support.h"
#include "suites.h"

#include "lancefile/reader.h"

#include <stdio.h>

enum { FIELDS_MAX = 4, COLUMNS_MAX = 3, LAYERS_MAX = 5 };

typedef struct column_spec {
    const char *layers; /* "13": innermost first */
    int value;          /* of one byte; 0: none */
    const char *def;    /* "012", a level an entry; "": none */
    uint64_t entries;
} column_spec;

typedef struct file_spec {
    const char *what;
    const char *fields;           /* "x -1 struct, e 0 struct": name, parent, type; ids from 0 */
    const int places[FIELDS_MAX]; /* column of each field; -1: none */
    column_spec columns[COLUMNS_MAX];
    int column_count;
    int64_t rows;
    const char *expected; /* rows as JSON, or a part of the message */
    rwl_status status;
} file_spec;

/* clang-format off */
static const file_spec FILES[] = {
    {"a struct without fields", "x -1 struct", {0}, {{"3", 0, "", 3}}, 1, 3, "{}\n{}\n{}\n", RWL_OK},
    {"within a struct, before and behind what has values",
     "x -1 struct,e 0 struct,a 0 int8,f 0 struct", {-1, 0, 1, 2},
     {{"3", 0, "", 3}, {"33", 7, "010", 3}, {"1", 0, "", 3}}, 3, 3,
     "{\"e\": {}, \"a\": 7, \"f\": {}}\n{\"e\": {}, \"a\": null, \"f\": {}}\n{\"e\": {}, \"a\": 7, \"f\": {}}\n", RWL_OK},
    {"nothing but structs", "x -1 struct,y 0 struct,e 1 struct", {-1, -1, 0}, {{"3", 0, "", 2}}, 1, 2,
     "{\"y\": {\"e\": {}}}\n{\"y\": {\"e\": {}}}\n", RWL_OK},
    {"one that no file has", "x -1 struct,e 0 struct,a 0 int8", {-1, -1, 0}, {{"33", 7, "02", 2}}, 1, 2,
     "{\"e\": null, \"a\": 7}\nnull\n", RWL_OK},
    {"one with levels", "x -1 struct", {0}, {{"3", 0, "010", 3}}, 1, 3,
     "column 0, page 0: a struct without fields that has levels", RWL_UNSUPPORTED},
    {"one with layers of what is around", "x -1 struct,e 0 struct", {-1, 0}, {{"33", 0, "", 3}}, 1, 3,
     "a struct without fields that has levels", RWL_UNSUPPORTED},
    {"one with a value", "x -1 struct", {0}, {{"1", 7, "", 3}}, 1, 3,
     "a struct without fields that has levels", RWL_UNSUPPORTED},
    {"one of another number of rows", "x -1 struct", {0}, {{"3", 0, "", 2}}, 1, 3,
     "column 0 has 2 rows, the fragment 3", RWL_CORRUPT},
    {"one in a list", "x -1 list.struct,item 0 struct", {-1, 0}, {{"3", 0, "", 3}}, 1, 3,
     "structs without fields in a list", RWL_UNSUPPORTED},

    /* item 1, struct 2, list 3 */
    {"lists of two structs each", "x -1 fixed_size_list:struct:2,item 0 struct,a 1 int8", {-1, -1, 0},
     {{"333", 7, "01332000", 8}}, 1, 4,
     "[{\"a\": 7}, {\"a\": null}]\nnull\n[null, {\"a\": 7}]\n[{\"a\": 7}, {\"a\": 7}]\n", RWL_OK},
    {"lists that are never null", "x -1 fixed_size_list:struct:3,item 0 struct,a 1 int8", {-1, -1, 0},
     {{"131", 7, "010000", 6}}, 1, 2, /* the page's only level is the struct's */
     "[{\"a\": 7}, null, {\"a\": 7}]\n[{\"a\": 7}, {\"a\": 7}, {\"a\": 7}]\n", RWL_OK},
    /* a: item 1, struct 2, list 3, struct 4; b: item 1, struct 2 */
    {"in a struct, beside other fields",
     "x -1 struct,l 0 fixed_size_list:struct:2,item 1 struct,a 2 int8", {-1, -1, -1, 0},
     {{"3333", 7, "00334412", 8}}, 1, 4,
     "{\"l\": [{\"a\": 7}, {\"a\": 7}]}\n{\"l\": null}\nnull\n{\"l\": [{\"a\": null}, null]}\n", RWL_OK},
    {"levels of a list that differ", "x -1 fixed_size_list:struct:2,item 0 struct,a 1 int8", {-1, -1, 0},
     {{"333", 7, "0103", 4}}, 1, 2, "structs of a fixed-size list differ in the list's levels", RWL_CORRUPT},
    {"a column with an entry a list", "x -1 fixed_size_list:struct:2,item 0 struct,a 1 int8", {-1, -1, 0},
     {{"333", 7, "00", 2}}, 1, 2, "column 0 has 2 rows, the fragment 4", RWL_CORRUPT},
    {"within lists", "x -1 list,item 0 fixed_size_list:struct:2,item 1 struct,a 2 int8", {-1, -1, -1, 0},
     {{"3333", 7, "00", 2}}, 1, 1, "fixed-size lists of structs that are in lists", RWL_UNSUPPORTED},
    {"more structs than can be",
     "x -1 fixed_size_list:struct:8000000,i 0 struct,y 1 fixed_size_list:struct:1000,i 2 struct", {-1, -1, -1, 0},
     {{"3", 0, "", 2}}, 1, 1, "fixed-size lists of 8000000000 structs", RWL_UNSUPPORTED},
};
/* clang-format on */
enum { FILE_COUNT = sizeof FILES / sizeof FILES[0] };

/* --- building --- */

static size_t parse_fields(const char *text, char names[FIELDS_MAX][8], char types[FIELDS_MAX][40],
                           rwl_lance_field_def *defs) {
    size_t count = 0;
    for (const char *at = text; at != NULL && *at != '\0'; count++) {
        int parent;
        ck_assert_int_eq(sscanf(at, "%7s %d %39[^,]", names[count], &parent, types[count]), 3);
        defs[count] = (rwl_lance_field_def){.name = names[count],
                                            .id = (int32_t)count,
                                            .parent_id = parent,
                                            .logical_type = types[count],
                                            .nullable = true};
        at = strchr(at, ',');
        at = at != NULL ? at + 1 : NULL;
    }
    return count;
}

/* PageLayout.constant: 5 layers, 6 inline value, 9 and 10 numbers of levels. */
static void put_column(lance_build *b, const column_spec *column, rwl_buf *encoding) {
    uint64_t layers[LAYERS_MAX], count = strlen(column->def);
    uint8_t value = (uint8_t)column->value, def[64] = {0};
    size_t layer_count = strlen(column->layers);
    for (size_t i = 0; i < layer_count; i++)
        layers[i] = (uint64_t)(column->layers[i] - '0');
    for (uint64_t i = 0; i < count; i++)
        def[2 * i] = (uint8_t)(column->def[i] - '0');
    rwl_buf_reset(encoding);
    size_t at = pb_begin(encoding, 2);
    pb_packed(encoding, 5, layers, layer_count);
    if (column->value != 0)
        pb_bytes(encoding, 6, rwl_span_of(&value, 1));
    pb_varint(encoding, 10, count);
    pb_end(encoding, at);
    lance_build_column(b);
    if (count > 0) {
        (void)lance_build_buffer(b, def, 0);
        (void)lance_build_buffer(b, def, 2 * count);
    }
    lance_build_page(b, column->entries, rwl_buf_span(encoding));
}

static void build(const file_spec *spec, const rwl_env *env, rwl_buf *out) {
    lance_build b;
    rwl_buf encoding;
    lance_build_init(&b, env, 2, 2);
    rwl_buf_init(&encoding, env, SIZE_MAX);
    for (int c = 0; c < spec->column_count; c++)
        put_column(&b, &spec->columns[c], &encoding);
    lance_build_finish(&b, (uint64_t)spec->rows, out);
    lance_build_clear(&b);
    rwl_buf_clear(&encoding);
}

/* --- reading --- */

typedef struct opened {
    memory_file f;
    rwl_env env;
    rwl_buf bytes;
    rwl_arena arena;
    rwl_lance_schema schema;
    rwl_lance_source sources[FIELDS_MAX];
} opened;

/* The file of o->bytes, and where its columns are. */
static rwl_status open_bytes(opened *o, const file_spec *spec) {
    char names[FIELDS_MAX][8], types[FIELDS_MAX][40];
    rwl_lance_field_def defs[FIELDS_MAX] = {0};
    rwl_status st = memory_file_open(&o->f, rwl_buf_span(&o->bytes));
    if (st != RWL_OK)
        return st;
    size_t count = parse_fields(spec->fields, names, types, defs);
    st = rwl_lance_schema_build(defs, count, &o->arena, &o->schema, &o->f.err);
    ck_assert_msg(st == RWL_OK, "%s: %s", spec->what, o->f.err.message);
    for (size_t i = 0; i < count; i++)
        o->sources[i] = (rwl_lance_source){spec->places[i] >= 0 ? o->f.file : NULL, spec->places[i]};
    return RWL_OK;
}

static void begin(opened *o, const file_spec *spec) {
    memset(o, 0, sizeof *o);
    rwl_env_init_default(&o->env);
    rwl_buf_init(&o->bytes, &o->env, SIZE_MAX);
    rwl_arena_init(&o->arena, &o->env, 0);
    build(spec, &o->env, &o->bytes);
}

static void end(opened *o) {
    memory_file_clear(&o->f);
    rwl_buf_clear(&o->bytes);
    rwl_arena_clear(&o->arena);
}

/* Rows [first, first + count) as JSON, a line a row. */
static rwl_status read_rows(opened *o, int64_t rows, int64_t first, int64_t count, rwl_buf *text) {
    rwl_lance_read_field field = {&o->schema.nodes[0], o->sources};
    rwl_lance_read_options options = {.fields = &field, .field_count = 1, .row_count = rows};
    rwl_lance_reader *reader;
    rwl_batch batch;
    rwl_range range = {first, count};
    RWL_TRY(rwl_lance_reader_new(&o->f.op, &options, &reader, &o->f.err));
    rwl_status st = rwl_batch_init(&batch, &o->env, &o->schema.fields[0], 1, &o->f.err);
    if (st == RWL_OK)
        st = rwl_lance_reader_read(reader, &range, 1, &batch, &o->f.err);
    for (int64_t i = 0; st == RWL_OK && i < batch.length; i++) {
        st = rwl_column_format_json(&batch.columns[0], i, text, &o->f.err);
        if (st == RWL_OK)
            st = rwl_buf_u8(text, '\n', &o->f.err);
    }
    rwl_batch_clear(&batch);
    rwl_lance_reader_free(reader);
    return st;
}

/* --- tests --- */

START_TEST(rows_are_those_of_the_pages) {
    const file_spec *spec = &FILES[_i];
    opened o;
    rwl_buf text;
    begin(&o, spec);
    ck_assert_int_eq(open_bytes(&o, spec), RWL_OK);
    rwl_buf_init(&text, &o.env, SIZE_MAX);
    int64_t held = memory_file_held(&o.f);
    rwl_status st = read_rows(&o, spec->rows, 0, spec->rows, &text);
    ck_assert_int_eq(o.f.op.memory_used, held);
    ck_assert_msg(st == spec->status, "%s: %d, %s", spec->what, (int)st, o.f.err.message);
    if (st == RWL_OK) {
        ck_assert_int_eq(rwl_buf_u8(&text, 0, NULL), RWL_OK);
        ck_assert_msg(strcmp((const char *)text.data, spec->expected) == 0, "%s: %s", spec->what,
                      (const char *)text.data);
    } else {
        expect_failure(st, spec->status, &o.f.err, spec->expected);
    }
    rwl_buf_clear(&text);
    end(&o);
}
END_TEST

START_TEST(each_row_is_found_by_itself) {
    const file_spec *spec = &FILES[_i];
    opened o;
    rwl_buf text;
    if (spec->status != RWL_OK)
        return;
    begin(&o, spec);
    ck_assert_int_eq(open_bytes(&o, spec), RWL_OK);
    rwl_buf_init(&text, &o.env, SIZE_MAX);
    for (int64_t row = 0; row < spec->rows; row++)
        ck_assert_int_eq(read_rows(&o, spec->rows, row, 1, &text), RWL_OK);
    ck_assert_int_eq(rwl_buf_u8(&text, 0, NULL), RWL_OK);
    ck_assert_str_eq((const char *)text.data, spec->expected);
    rwl_buf_clear(&text);
    end(&o);
}
END_TEST

/* Every byte of the file with a bit changed: an error or some rows. */
START_TEST(damaged_files_are_an_error_or_rows) {
    const file_spec *spec = &FILES[_i];
    opened o;
    rwl_buf text;
    begin(&o, spec);
    rwl_buf_init(&text, &o.env, SIZE_MAX);
    for (size_t i = 0; i < o.bytes.len; i++) {
        uint8_t bit = (uint8_t)(1 << (i * 5 + (size_t)_i) % 8);
        if (o.bytes.data[i] == 'H' && i > 0 && o.bytes.data[i - 1] == 'H')
            continue; /* filler */
        o.bytes.data[i] ^= bit;
        rwl_buf_reset(&text);
        rwl_arena_reset(&o.arena);
        if (open_bytes(&o, spec) == RWL_OK)
            (void)!read_rows(&o, spec->rows, 0, spec->rows, &text);
        memory_file_clear(&o.f); /* nothing stays charged */
        o.bytes.data[i] ^= bit;
    }
    rwl_buf_clear(&text);
    end(&o);
}
END_TEST

Suite *lancefile_field21_suite(void) {
    Suite *s = suite_create("lancefile_field21");
    TCase *tc = tcase_create("field21");
    tcase_add_loop_test(tc, rows_are_those_of_the_pages, 0, FILE_COUNT);
    tcase_add_loop_test(tc, each_row_is_found_by_itself, 0, FILE_COUNT);
    tcase_add_loop_test(tc, damaged_files_are_an_error_or_rows, 0, FILE_COUNT);
    suite_add_tcase(s, tc);
    return s;
}
