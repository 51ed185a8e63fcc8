/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of files of any age, in both formats: evolution by id at every depth, promotion, defaults, mapped names, lineage. */
#include "tree_test.h"

#include <stdio.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* Every case is run in both formats: the even ones are Parquet. */
static tree_format format_of(int i) {
    return i % TREE_FORMATS == 0 ? TREE_PARQUET : TREE_AVRO;
}

/* --- evolution --- */

static const struct {
    const char *stored, *stored_ids, *rows, *read, *read_ids, *want;
} EVOLUTIONS[] = {
    /* top level: by id, whatever the names and the order */
    {"a int, b string", "1 2", "[[1, 'x'], [null, null]]", "b string, c long, a int", "2 9 1",
     "['x', null, 1] [null, null, null]"},
    {"a int, b int", "1 2", "[[1, 2]]", "b int, a int", "1 2", "[1, 2]"},
    /* a struct's fields added, dropped, renamed, reordered */
    {"s struct<a int>", "1 2", "[[{'a': 1}], [null], [{'a': null}]]", "s struct<a int, b string>", "1 2 3",
     "[{'a': 1, 'b': null}] [null] [{'a': null, 'b': null}]"},
    {"s struct<a int, b string, c int>", "1 2 3 4", "[[{'a': 1, 'b': 'x', 'c': 3}], [null]]",
     "t struct<z int, x int>", "1 4 2", "[{'z': 3, 'x': 1}] [null]"},
    {"s struct<a int, b int>", "1 2 3", "[[{'a': 1, 'b': 2}]]", "s struct<b int, a int>", "1 2 3",
     "[{'b': 1, 'a': 2}]"},
    /* only what is asked for */
    {"s struct<a int, b struct<c int, d string>>", "1 2 3 4 5",
     "[[{'a': 1, 'b': {'c': 2, 'd': 'x'}}], [{'a': 1, 'b': null}], [null]]", "s struct<b struct<d string>>",
     "1 3 5", "[{'b': {'d': 'x'}}] [{'b': null}] [null]"},
    {"s struct<a int, b string>, i int", "1 2 3 4", "[[{'a': 1, 'b': 'x'}, 5], [null, 6]]",
     "s struct<a int>, i int, t struct<b string>, u struct<b string, a int>", "1 2 4 1 3 1 3 2",
     "[{'a': 1}, 5, {'b': 'x'}, {'b': 'x', 'a': 1}] [null, 6, null, null]"},
    /* none of the fields is there, but the struct is */
    {"s struct<a int>", "1 2", "[[{'a': 1}], [null]]", "s struct<x int>", "1 9", "[{'x': null}] [null]"},
    {"s struct<l list<int>>", "1 2 3", "[[{'l': [1, 2]}], [null], [{'l': []}]]", "s struct<x int>", "1 9",
     "[{'x': null}] [null] [{'x': null}]"},
    /* in lists and maps */
    {"l list<struct<a int, b int>>", "1 2 3 4", "[[[{'a': 1, 'b': 2}, null]], [[]], [null]]",
     "l list<struct<b long, c string>>", "1 2 4 5", "[[{'b': 2, 'c': null}, null]] [[]] [null]"},
    {"l list<struct<a int>>", "1 2 3", "[[[{'a': 1}, {'a': 2}]], [null], [[]]]", "l list<struct<x int>>",
     "1 2 9", "[[{'x': null}, {'x': null}]] [null] [[]]"},
    {"m map<string, struct<a int>>", "1 2 3 4", "[[[['k', {'a': 1}], ['n', null]]], [null], [[]]]",
     "m map<string, struct<b int, a long>>", "1 2 3 5 4",
     "[[['k', {'b': null, 'a': 1}], ['n', null]]] [null] [[]]"},
    {"m map<string, struct<a int, b int>>", "1 2 3 4 5", "[[[['k', {'a': 1, 'b': 2}]]], [null]]",
     "m map<string, struct<b int>>", "1 2 3 5", "[[['k', {'b': 2}]]] [null]"},
    {"l list<list<struct<a int, b string>>>", "1 2 3 4 5",
     "[[[[{'a': 1, 'b': 'x'}], [], null]], [[null, [null, {'a': 2, 'b': 'y'}]]]]",
     "l list<list<struct<b string>>>", "1 2 3 5", "[[[{'b': 'x'}], [], null]] [[null, [null, {'b': 'y'}]]]"},
    /* promoted */
    {"i int, f float, d date, n long", "1 2 3 4", "[[1, 0.5, '1970-01-02', 7], [null, null, null, null]]",
     "i long, f double, d timestamp, n long", "1 2 3 4",
     "[1, 0.5, '1970-01-02T00:00:00.000000', 7] [null, null, null, null]"},
    {"l list<int>, m map<int, float>, s struct<d date>", "1 2 3 4 5 6 7",
     "[[[1, null], [[5, 0.5]], {'d': '1969-12-31'}], [null, null, null]]",
     "l list<long>, m map<long, double>, s struct<d timestamp_ns>", "1 2 3 4 5 6 7",
     "[[1, null], [[5, 0.5]], {'d': '1969-12-31T00:00:00.000000000'}] [null, null, null]"},
    /* text whose writer did not say that it is text */
    {"b binary, l list<binary>", "1 2 3", "[['c3a4', ['', '61', null]], [null, null]]",
     "b string, l list<string>", "1 2 3", "['ä', ['', 'a', null]] [null, null]"},
    /* what is stored under a column of unknown type is ignored */
    {"a int, s struct<b int, c int>, l list<int>", "1 2 3 4 5 6", "[[1, {'b': 2, 'c': 3}, [4, 5]]]",
     "a unknown, s struct<b int, c unknown>, l list<unknown>", "1 2 3 4 5 6",
     "[null, {'b': 2, 'c': null}, [null, null]]"},
};

START_TEST(fields_are_found_by_id_at_every_depth) {
    int i = _i / TREE_FORMATS;
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_schema stored = tree_of(EVOLUTIONS[i].stored, EVOLUTIONS[i].stored_ids);
    rwl_schema read = tree_of(EVOLUTIONS[i].read, EVOLUTIONS[i].read_ids);
    rwl_fragment f = tree_write("a.file", &stored, EVOLUTIONS[i].rows, format_of(_i));
    ck_assert_str_eq(tree_read(m, &f, &read, false), EVOLUTIONS[i].want);
    rwl_metadata_free(m);
}
END_TEST

static const struct {
    const char *stored, *stored_ids, *rows, *read, *read_ids;
    rwl_status code;
    const char *part;
} REFUSALS[] = {
    {"a int", "1", "[[1]]", "a string", "1", RWL_CORRUPT,
     "column a is int in the file, which can't be read as string"},
    {"a long", "1", "[[1]]", "a int", "1", RWL_CORRUPT,
     "column a is long in the file, which can't be read as int"},
    {"d date", "1", "[['1970-01-01']]", "d timestamptz", "1", RWL_CORRUPT,
     "column d is date in the file, which can't be read as timestamptz"},
    {"s struct<a int>", "1 2", "[[{'a': 1}]]", "s struct<a string>", "1 2", RWL_CORRUPT, "column a is int"},
    {"s struct<a int>", "1 2", "[[{'a': 1}]]", "s int", "1", RWL_CORRUPT, "which can't be read as int"},
    {"a int", "1", "[[1]]", "a struct<b int>", "1 2", RWL_CORRUPT, "column a is int"},
    {"l list<int>", "1 2", "[[[1]]]", "l map<string, int>", "1 2 3", RWL_CORRUPT, "column l is list<int>"},
    {"d date", "1", "[['2300-01-01']]", "d timestamp_ns", "1", RWL_CORRUPT, "outside the range"},
    {"b binary", "1", "[['61'], ['ff']]", "b string", "1", RWL_CORRUPT, "a string is not UTF-8"},
    {"a int", "1", "[[1]]", "b int not null", "2", RWL_CORRUPT, "required column b (id 2) is missing"},
    {"s struct<a int>", "1 2", "[[{'a': 1}]]", "s struct<a int, b int not null>", "1 2 3", RWL_CORRUPT,
     "required column b (id 3) is missing"},
    {"a int, b int", "1 1", "[[1, 2]]", "a int", "1", RWL_CORRUPT, "column a (id 1) is twice in the file"},
    {"s struct<a int, b int>", "1 2 2", "[[{'a': 1, 'b': 2}]]", "s struct<a int>", "1 2", RWL_CORRUPT,
     "column a (id 2) is twice in the file"},
    {"i int, s struct<a int>", "1 2 -", "[[1, {'a': 1}]]", "s struct<a int>", "2 3", RWL_UNSUPPORTED,
     "column s: its fields have no field ids"},
};

START_TEST(what_no_evolution_makes_is_refused_by_name) {
    int i = _i / TREE_FORMATS;
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_schema stored = tree_of(REFUSALS[i].stored, REFUSALS[i].stored_ids);
    rwl_schema read = tree_of(REFUSALS[i].read, REFUSALS[i].read_ids);
    rwl_fragment f = tree_write("a.file", &stored, REFUSALS[i].rows, format_of(_i));
    tree_fails(m, &f, &read, REFUSALS[i].code, REFUSALS[i].part);
    rwl_metadata_free(m);
}
END_TEST

/* --- defaults --- */

static void set_default(const rwl_field *field, const char *json) {
    rwl_value *v = rwl_arena_alloc(test_arena(), sizeof *v);
    rwl_json *value = test_json(json);
    ASSERT_OK(rwl_value_from_json(&field->type, value, test_arena(), v, err));
    ((rwl_field *)field)->initial_default = v;
    rwl_json_free(value);
}

static const char *const DEFAULTS[][3] = {
    {"boolean", "true", "true"},
    {"int", "-3", "-3"},
    {"long", "9223372036854775807", "9223372036854775807"},
    {"float", "0.5", "0.5"},
    {"double", "-2.5", "-2.5"},
    {"decimal(38, 10)", "'99999999999999999999.0000000001'", "'99999999999999999999.0000000001'"},
    {"date", "'2017-11-16'", "'2017-11-16'"},
    {"time", "'22:31:08.123456'", "'22:31:08.123456'"},
    {"timestamp", "'2017-11-16T22:31:08.123456'", "'2017-11-16T22:31:08.123456'"},
    {"timestamptz", "'2017-11-16T22:31:08.123456+00:00'", "'2017-11-16T22:31:08.123456+00:00'"},
    {"timestamp_ns", "'2017-11-16T22:31:08.123456789'", "'2017-11-16T22:31:08.123456789'"},
    {"string", "'x'", "'x'"},
    {"uuid", "'f79c3e09-677c-4bbd-a479-3f349cb785e7'", "'f79c3e09-677c-4bbd-a479-3f349cb785e7'"},
    {"fixed[4]", "'000102FF'", "'000102ff'"},
    {"binary", "'00ff'", "'00ff'"},
    {"list<int>", "[]", "[]"},
    {"map<string, int>", "{'keys': [], 'values': []}", "[]"},
    {"list<int>", "null", "null"},
    {"unknown", "null", "null"},
    {"variant", "null", "null"},
};

START_TEST(initial_defaults_stand_in_for_absent_columns) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_schema stored = tree_of("id int, s struct<a int>", "1 2 3");
    const char *text = rwl_arena_printf(test_arena(), "id int, d %s, s struct<a int, d %s>", DEFAULTS[_i][0],
                                        DEFAULTS[_i][0]);
    rwl_schema read = tree_of(text, NULL);
    ((rwl_field *)read.fields)[2].id = 2;
    ((rwl_field *)read.fields[2].type.children)[0].id = 3;
    ((rwl_field *)read.fields)[1].id = 50;
    ((rwl_field *)read.fields[2].type.children)[1].id = 60;
    set_default(&read.fields[1], DEFAULTS[_i][1]);
    set_default(&read.fields[2].type.children[1], DEFAULTS[_i][1]);
    rwl_fragment f = tree_write("a.parquet", &stored, "[[1, {'a': 5}], [2, null]]", TREE_PARQUET);
    const char *v = DEFAULTS[_i][2];
    ck_assert_str_eq(tree_read(m, &f, &read, false),
                     rwl_arena_printf(test_arena(), "[1, %s, {'a': 5, 'd': %s}] [2, %s, null]", v, v, v));
    rwl_metadata_free(m);
}
END_TEST

/* Specification, "Default values": point{x: 0, y: 0} under both defaults of the struct. */
START_TEST(defaults_of_structs_lie_in_their_fields) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_schema read = tree_of("id int, p struct<x int, y int>, l list<struct<x int, y int>>", NULL);
    rwl_schema none = tree_of("id int", "1"), x = tree_of("id int, p struct<x int>", "1 2 3");
    rwl_schema y = tree_of("id int, p struct<y int>, l list<struct<x int>>", "1 2 4 5 6 7");
    for (int i = 0; i < 2; i++) {
        set_default(&read.fields[1].type.children[i], "0");
        set_default(&read.fields[2].type.children[0].type.children[i], "0");
    }
    rwl_fragment without = tree_write("a.parquet", &none, "[[1], [2]]", TREE_PARQUET);
    rwl_fragment with_x =
        tree_write("b.parquet", &x, "[[1, {'x': 3}], [2, null], [3, {'x': null}]]", TREE_PARQUET);
    rwl_fragment with_y =
        tree_write("c.parquet", &y, "[[1, {'y': -1}, [{'x': 7}, null]], [2, null, null]]", TREE_PARQUET);
    for (int i = 0; i < 2; i++) { /* null, then {}: what is null in a file stays so */
        ck_assert_str_eq(tree_read(m, &without, &read, false),
                         i == 0 ? "[1, null, null] [2, null, null]"
                                : "[1, {'x': 0, 'y': 0}, null] [2, {'x': 0, 'y': 0}, null]");
        ck_assert_str_eq(tree_read(m, &with_x, &read, false),
                         "[1, {'x': 3, 'y': 0}, null] [2, null, null] [3, {'x': null, 'y': 0}, null]");
        ck_assert_str_eq(tree_read(m, &with_y, &read, false),
                         "[1, {'x': 0, 'y': -1}, [{'x': 7, 'y': 0}, null]] [2, null, null]");
        set_default(&read.fields[1], "{}");
    }
    rwl_metadata_free(m);
}
END_TEST

START_TEST(a_default_struct_in_a_struct_is_null_where_that_is) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_schema stored = tree_of("s struct<a int>", "1 2");
    rwl_schema read = tree_of("s struct<a int, p struct<x int, q struct<y int>>>", "1 2 3 4 5 6");
    const rwl_field *p = &read.fields[0].type.children[1];
    set_default(p, "{}");
    set_default(&p->type.children[0], "7");
    set_default(&p->type.children[1], "{}");
    rwl_fragment f =
        tree_write("a.parquet", &stored, "[[null], [{'a': 1}], [null], [{'a': null}]]", TREE_PARQUET);
    ck_assert_str_eq(tree_read(m, &f, &read, false),
                     "[null] [{'a': 1, 'p': {'x': 7, 'q': {'y': null}}}] [null] "
                     "[{'a': null, 'p': {'x': 7, 'q': {'y': null}}}]");
    rwl_metadata_free(m);
}
END_TEST

/* --- partition values --- */

START_TEST(bug_179_the_identity_field_gives_the_value_not_another_of_its_source) {
    rwl_metadata *m = test_table(3, "id int, c int", "bucket(4, c), c");
    rwl_schema stored = tree_of("id int", "1"), read = tree_of("id int, c long", "1 2");
    rwl_fragment f = tree_write("a.parquet", &stored, "[[1], [2]]", TREE_PARQUET);
    rwl_value partition[2] = {rwl_value_null(RWL_TYPE_INT), rwl_value_null(RWL_TYPE_INT)};
    partition[0].is_null = partition[1].is_null = false;
    partition[0].as.i32 = 3;
    partition[1].as.i32 = 7;
    f.spec_id = m->spec->spec_id;
    f.partition = partition;
    f.partition_count = 2;
    ck_assert_str_eq(tree_read(m, &f, &read, false), "[1, 7] [2, 7]");
    set_default(&read.fields[1], "5"); /* comes after it */
    ck_assert_str_eq(tree_read(m, &f, &read, false), "[1, 7] [2, 7]");
    ck_assert_str_eq(tree_read_where(m, &f, &read, "c = 8"), "");
    rwl_metadata_free(m);
}
END_TEST

/* --- files without ids --- */

static rwl_metadata *mapped_table(const char *columns, const char *ids, const char *mapping) {
    rwl_schema schema = tree_of(columns, ids);
    const char *key = "schema.name-mapping.default";
    rwl_metadata_new options = {.location = test_folder(), .format_version = 3, .schema = &schema};
    rwl_buf text;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    if (mapping != NULL) {
        rwl_json *json = test_json(mapping);
        ASSERT_OK(rwl_json_dump(json, 0, &text, err));
        ASSERT_OK(rwl_buf_terminate(&text, err));
        rwl_json_free(json);
        options.property_keys = &key;
        options.property_values = (const char *const *)&text.data;
        options.property_count = 1;
    }
    rwl_metadata *m = NULL;
    ASSERT_OK(rwl_metadata_create(test_env(), &options, &m, err));
    rwl_buf_clear(&text);
    return m;
}

START_TEST(bug_165_a_name_mapping_gives_ids_to_projection_and_pruning) {
    rwl_metadata *m = mapped_table("a int, b string", NULL,
                                   "[{'field-id': 5, 'names': ['a']}, {'field-id': 9, 'names': ['b', 'bb']}, "
                                   "{'field-id': 10, 'names': ['c']}, {'names': ['d']}]");
    rwl_schema read = tree_of("a int, b string, c int, d int", "5 9 10 11");
    rwl_schema stored = tree_of("b string, a int, d int", "- - -"),
               alias = tree_of("bb string, a int", "- -");
    for (int i = 0; i < TREE_FORMATS; i++) {
        rwl_fragment f = tree_write("a.file", &stored, "[['x', 1, 7], ['y', 2, 8]]", format_of(i));
        ck_assert_str_eq(tree_read(m, &f, &read, false), "[1, 'x', null, null] [2, 'y', null, null]");
        if (format_of(i) == TREE_PARQUET)
            ck_assert_str_eq(tree_read_where(m, &f, &read, "a = 2"), "[2, 'y', null, null]");
        f = tree_write("b.file", &alias, "[['x', 1]]", format_of(i));
        ck_assert_str_eq(tree_read(m, &f, &read, false), "[1, 'x', null, null]");
    }
    /* not a file with an id, however few */
    rwl_schema other = tree_of("a int, b string", "- 5");
    rwl_fragment f = tree_write("c.parquet", &other, "[[1, 'x']]", TREE_PARQUET);
    rwl_schema b = tree_of("b string, c int", "5 6");
    ck_assert_str_eq(tree_read(m, &f, &b, false), "['x', null]");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(nested_names_are_mapped_and_dots_are_plain) {
    rwl_metadata *m = mapped_table(
        "id int", NULL,
        "[{'field-id': 1, 'names': ['s'], 'fields': [{'field-id': 2, 'names': ['x', 'a.b']}]}, "
        "{'field-id': 3, 'names': ['l'], 'fields': [{'field-id': 4, 'names': ['element'], 'fields': "
        "[{'field-id': 5, 'names': ['y']}]}]}, "
        "{'field-id': 6, 'names': ['m'], 'fields': [{'field-id': 7, 'names': ['key']}, {'field-id': 8, "
        "'names': ['value'], 'fields': [{'field-id': 9, 'names': ['z']}]}]}, {'field-id': 10, 'names': "
        "['s.x']}]");
    rwl_schema stored = tree_of(
        "s struct<\"x\" int, w int>, l list<struct<y int>>, m map<string, struct<z int>>, \"s.x\" int",
        "- - - - - - - - - - -");
    rwl_schema read =
        tree_of("s struct<a int, w int>, l list<struct<b int>>, m map<string, struct<c int>>, q int",
                "1 2 99 3 4 5 6 7 8 9 10");
    rwl_fragment f = tree_write("a.parquet", &stored,
                                "[[{'x': 1, 'w': 2}, [{'y': 3}, null], [['k', {'z': 4}]], 5]]", TREE_PARQUET);
    ck_assert_str_eq(tree_read(m, &f, &read, false),
                     "[{'a': 1, 'w': null}, [{'b': 3}, null], [['k', {'c': 4}]], 5]");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(without_a_mapping_names_of_the_schema_are_taken_not_places) {
    rwl_metadata *m = test_table(3, "a int, b string, s struct<x int>", NULL);
    rwl_schema read = tree_of("a int, b string, s struct<x int>", NULL);
    rwl_schema stored = tree_of("s struct<x int>, b string, a int, A int", "- - - - -");
    rwl_schema strange = tree_of("p int, q string", "- -");
    for (int i = 0; i < TREE_FORMATS; i++) {
        rwl_fragment f = tree_write("a.file", &stored, "[[{'x': 3}, 'b', 1, 2]]", format_of(i));
        ck_assert_str_eq(tree_read(m, &f, &read, false), "[1, 'b', {'x': 3}]");
        f = tree_write("b.file", &strange, "[[1, 'x']]", format_of(i));
        tree_fails(m, &f, &read, RWL_UNSUPPORTED, "has no field ids and the table has no name mapping");
    }
    rwl_metadata_free(m);
}
END_TEST

START_TEST(a_name_mapping_that_is_none_is_corrupt) {
    rwl_metadata *m = mapped_table("a int", NULL, "[{'field-id': 1, 'names': ['a', 'a']}]");
    rwl_schema stored = tree_of("a int", "-"), with_ids = tree_of("a int", "1");
    rwl_fragment f = tree_write("a.parquet", &stored, "[[1]]", TREE_PARQUET);
    tree_fails(m, &f, &with_ids, RWL_CORRUPT, "name mapping: the name 'a' is mapped twice");
    f = tree_write("b.parquet", &with_ids, "[[1]]", TREE_PARQUET);
    ck_assert_str_eq(tree_read(m, &f, &with_ids, false), "[1]");
    rwl_metadata_free(m);
}
END_TEST

/* BUG-163: a list of lists of two levels each, [[1, 2], [3, 4]], by Parquet's authors; mapped, and read by names. */
START_TEST(bug_163_names_are_mapped_over_lists_of_any_shape) {
    const char *path = FIXTURES_DIR "/apache+parquet-testing/data/old_list_structure.parquet";
    rwl_stat stat;
    if (rwl_store_stat(test_store(), test_op(), path, &stat, NULL) != RWL_OK) {
        puts("skipped: no fixtures of Parquet");
        return;
    }
    rwl_fragment f = {.location = path, .format = "PARQUET", .file_size = stat.size, .row_count = 1};
    rwl_schema read = tree_of("renamed list<list<long>>", "1 2 3"), same = tree_of("a list<list<int>>", NULL);
    rwl_metadata *m =
        mapped_table("a list<list<int>>", NULL,
                     "[{'field-id': 1, 'names': ['a'], 'fields': [{'field-id': 2, 'names': ['element'], "
                     "'fields': [{'field-id': 3, 'names': ['element']}]}]}]");
    ck_assert_str_eq(tree_read(m, &f, &read, false), "[[[1, 2], [3, 4]]]");
    rwl_metadata_free(m);
    m = test_table(3, "a list<list<int>>", NULL);
    ck_assert_str_eq(tree_read(m, &f, &same, false), "[[[1, 2], [3, 4]]]");
    rwl_metadata_free(m);
}
END_TEST

/* --- lineage --- */

#define STORED "id int, data string, _row_id long, _last_updated_sequence_number long"
#define IDS    "1 2 2147483540 2147483539"

static const struct {
    const char *name, *ids, *rows;
    int64_t base, sequence;
    const char *want;
} LINEAGES[] = {
    {"ice_60", IDS,
     "[[1, 'a', null, null], [2, 'b', null, null], [3, 'c', 1000, 33], [4, 'd', 1001, null], [5, 'e', null, "
     "null]]",
     2000, 34, "2000/34[1, 'a'] 2001/34[2, 'b'] 1000/33[3, 'c'] 1001/34[4, 'd'] 2004/34[5, 'e']"},
    {"ice_62", IDS, "[[1, 'a', 555, 7], [2, 'b', null, null]]", 1000, 10, "555/7[1, 'a'] 1001/10[2, 'b']"},
    {"ice_65", IDS, "[[1, 'a', 555, 7], [2, 'b', null, null], [3, 'c', 557, 7], [4, 'd', null, null]]", 100,
     5, "555/7[1, 'a'] 101/5[2, 'b'] 557/7[3, 'c'] 103/5[4, 'd']"},
    /* BUG-014: a name makes no lineage column, nor do the ids of others */
    {"bug_014 names", "1 2 50 51", "[[1, 'a', 555, 7]]", 100, 5, "100/5[1, 'a']"},
    {"bug_014 changelog ids", "1 2 2147483543 2147483542", "[[1, 'a', 555, 7]]", 100, 5, "100/5[1, 'a']"},
    {"bug_014 delete file ids", "1 2 2147483546 2147483545", "[[1, 'a', 555, 7]]", 100, 5, "100/5[1, 'a']"},
};

START_TEST(stored_lineage_is_known_by_id_and_nulls_inherit) {
    int i = _i / TREE_FORMATS;
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_schema stored = tree_of(STORED, LINEAGES[i].ids), read = tree_of("id int, data string", "1 2");
    rwl_fragment f = tree_write("a.file", &stored, LINEAGES[i].rows, format_of(_i));
    f.lineage = (rwl_lineage_base){true, LINEAGES[i].base, LINEAGES[i].sequence};
    ck_assert_str_eq(tree_read(m, &f, &read, true), LINEAGES[i].want);
    rwl_metadata_free(m);
}
END_TEST

/* ICE-61, 63, 64, 66 and 67, BUG-004, 013 and 015. */
START_TEST(absent_lineage_is_inherited_and_stored_need_not_be_asked_for) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_schema stored = tree_of(STORED, IDS), plain = tree_of("id int", "1"),
               data = tree_of("data string", "2");
    for (int i = 0; i < TREE_FORMATS; i++) {
        rwl_fragment f = tree_write("a.file", &plain, "[[1], [2]]", format_of(i));
        f.lineage = (rwl_lineage_base){true, 1000, 5};
        ck_assert_str_eq(tree_read(m, &f, &plain, true), "1000/5[1] 1001/5[2]");
        f.lineage.has_first_row_id = false; /* a table of version 2, or a file from before its upgrade */
        ck_assert_str_eq(tree_read(m, &f, &plain, true), "[1] [2]");
        f = tree_write("b.file", &stored, "[[1, 'a', 10, 5], [2, 'b', 10, 5]]", format_of(i));
        ck_assert_str_eq(tree_read(m, &f, &data, false), "['a'] ['b']");
        ck_assert_str_eq(tree_read(m, &f, &data, true), "10/5['a'] 10/5['b']");
        f.lineage.has_first_row_id = false;
        ck_assert_str_eq(tree_read(m, &f, &data, true), "['a'] ['b']");
    }
    rwl_metadata_free(m);
}
END_TEST

START_TEST(bug_181_columns_named_like_metadata_columns_are_columns) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_schema names = tree_of("pos int, file_path string, _row_id long, _file string, _pos int", NULL);
    for (int i = 0; i < TREE_FORMATS; i++) {
        rwl_fragment f = tree_write("a.file", &names, "[[1, 'p', 5, 'f', 2]]", format_of(i));
        ck_assert_str_eq(tree_read(m, &f, &names, true), "100/9[1, 'p', 5, 'f', 2]");
    }
    rwl_metadata_free(m);
}
END_TEST

/* An Avro file tells how many rows it has only at its end. */
START_TEST(another_number_of_rows_than_the_manifest_says_is_corrupt) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_schema columns = tree_of("id int", "1");
    for (int i = 0; i < TREE_FORMATS; i++) {
        rwl_fragment f = tree_write("a.file", &columns, "[[1], [2], [3]]", format_of(i));
        f.row_count = 2;
        tree_fails(m, &f, &columns, RWL_CORRUPT, "the manifest says 2 rows, the file has");
        f.row_count = 4;
        tree_fails(m, &f, &columns, RWL_CORRUPT, "the manifest says 4 rows, the file has 3");
    }
    rwl_metadata_free(m);
}
END_TEST

Suite *suite_projection(void) {
    Suite *s = suite_create("projection");
    TCase *t = tcase_create("projection");
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_loop_test(t, fields_are_found_by_id_at_every_depth, 0, COUNT(EVOLUTIONS) * TREE_FORMATS);
    tcase_add_loop_test(t, what_no_evolution_makes_is_refused_by_name, 0, COUNT(REFUSALS) * TREE_FORMATS);
    tcase_add_loop_test(t, initial_defaults_stand_in_for_absent_columns, 0, COUNT(DEFAULTS));
    tcase_add_test(t, defaults_of_structs_lie_in_their_fields);
    tcase_add_test(t, a_default_struct_in_a_struct_is_null_where_that_is);
    tcase_add_test(t, bug_179_the_identity_field_gives_the_value_not_another_of_its_source);
    tcase_add_test(t, bug_165_a_name_mapping_gives_ids_to_projection_and_pruning);
    tcase_add_test(t, nested_names_are_mapped_and_dots_are_plain);
    tcase_add_test(t, without_a_mapping_names_of_the_schema_are_taken_not_places);
    tcase_add_test(t, a_name_mapping_that_is_none_is_corrupt);
    tcase_add_test(t, bug_163_names_are_mapped_over_lists_of_any_shape);
    tcase_add_loop_test(t, stored_lineage_is_known_by_id_and_nulls_inherit, 0,
                        COUNT(LINEAGES) * TREE_FORMATS);
    tcase_add_test(t, absent_lineage_is_inherited_and_stored_need_not_be_asked_for);
    tcase_add_test(t, bug_181_columns_named_like_metadata_columns_are_columns);
    tcase_add_test(t, another_number_of_rows_than_the_manifest_says_is_corrupt);
    suite_add_tcase(s, t);
    return s;
}
