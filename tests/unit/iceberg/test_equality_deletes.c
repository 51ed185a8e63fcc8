/* SPDX-License-Identifier: Apache-2.0 */
/* Equality deletes resolved to positions: which keys are equal, where they are found, and in how much memory. */
#include "base/pool.h"
#include "fragment_test.h"
#include "iceberg/driver.h"
#include "iceberg/fragment_deletes.h"
#include "iceberg/key_set.h"
#include "tree_test.h"

#include <stdio.h>
#include <stdlib.h>

static const int32_t ID_1[] = {1}, ID_2[] = {2}, ID_3[] = {3}, IDS_1_2[] = {1, 2};

/* A fragment of a table of the same columns, with one equality delete file of other columns. */
typedef struct table_case {
    rwl_metadata *m;
    columns c;
    rwl_fragment f;
    rwl_delete_ref refs[4];
} table_case;

static void begin(table_case *t, const char *table, const char *const *rows, int64_t count) {
    t->m = test_table(3, table, NULL);
    t->c = columns_of(table, NULL);
    t->f = write_file("data.parquet", &t->c, rows, count, 0);
    t->f.deletes = t->refs;
}

static void add(table_case *t, const char *file_columns, const int32_t *file_ids, const char *const *rows,
                int64_t count, const int32_t *ids, int32_t id_count) {
    columns c = columns_of(file_columns, file_ids);
    char name[32];
    snprintf(name, sizeof name, "d%d.parquet", (int)t->f.delete_count);
    t->refs[t->f.delete_count++] = write_equality(name, &c, rows, count, ids, id_count);
}

/* --- which rows are deleted --- */

START_TEST(rows_with_a_deleted_key_are_deleted_everywhere_in_the_file) {
    table_case t = {0};
    const char *rows[] = {"5|a", "7|b", "5|c", "-9223372036854775808|d", "0|e", "null|f", "7|g"};
    begin(&t, "id long, s string", rows, 7);
    const char *gone[] = {"5", "-9223372036854775808", "5", "99"};
    add(&t, "id long", NULL, gone, 4, ID_1, 1);
    assert_live(t.m, &t.f, "1 4 5 6");
    rwl_metadata_free(t.m);
}
END_TEST

START_TEST(bug_079_null_equals_null_and_nothing_else) {
    const char *rows[] = {"1|x", "2|null", "3|y"};
    const char *x[] = {"x"}, *null[] = {"null"}, *pair[] = {"3|null"};
    table_case t = {0};
    begin(&t, "id int, cat string", rows, 3);
    add(&t, "cat string", ID_2, x, 1, ID_2, 1);
    assert_live(t.m, &t.f, "1 2");
    add(&t, "cat string", ID_2, null, 1, ID_2, 1);
    assert_live(t.m, &t.f, "2");
    t.f.delete_count = 0;
    add(&t, "id int, cat string", NULL, pair, 1, IDS_1_2, 2);
    assert_live(t.m, &t.f, "0 1 2");
    rwl_metadata_free(t.m);
}
END_TEST

START_TEST(a_null_number_is_no_zero) {
    const char *rows[] = {"0", "null", "1"}, *zero[] = {"0"}, *null[] = {"null"};
    table_case t = {0};
    begin(&t, "id int", rows, 3);
    add(&t, "id int", NULL, zero, 1, ID_1, 1);
    assert_live(t.m, &t.f, "1 2");
    t.f.delete_count = 0;
    add(&t, "id int", NULL, null, 1, ID_1, 1);
    assert_live(t.m, &t.f, "0 2");
    rwl_metadata_free(t.m);
}
END_TEST

START_TEST(bug_083_several_id_sets_on_one_file) {
    const char *rows[] = {"0|0|0", "1|1|1", "2|2|2", "3|3|3", "4|4|4",
                          "5|5|5", "6|6|6", "7|7|7", "8|8|8", "9|9|9"};
    const char *nine[] = {"9"}, *one[] = {"1"};
    table_case t = {0};
    begin(&t, "id int, name string, age int", rows, 10);
    add(&t, "id int", NULL, nine, 1, ID_1, 1);
    add(&t, "age int", ID_3, one, 1, ID_3, 1);
    assert_live(t.m, &t.f, "0 2 3 4 5 6 7 8");
    const char *pair[] = {"4|4", "5|6"};
    add(&t, "id int, name string", NULL, pair, 2, IDS_1_2, 2);
    const char *seven[] = {"7"};
    add(&t, "id int", NULL, seven, 1, ID_1, 1); /* a second file of the first set */
    assert_live(t.m, &t.f, "0 2 3 5 6 8");
    rwl_metadata_free(t.m);
}
END_TEST

START_TEST(bug_086_extra_columns_are_not_compared) {
    const char *rows[] = {"3|toy|Grizzly", "4|toy|Panda"};
    const char *with_more[] = {"3|null|Grizzly"}, *key_alone[] = {"3"};
    table_case t = {0};
    begin(&t, "id int, kind string, name string", rows, 2);
    add(&t, "id int, kind string, name string", NULL, with_more, 1, ID_1, 1);
    assert_live(t.m, &t.f, "1");
    t.f.delete_count = 0;
    add(&t, "id int", NULL, key_alone, 1, ID_1, 1);
    assert_live(t.m, &t.f, "1");
    rwl_metadata_free(t.m);
}
END_TEST

/* Of each type two values and null; the second and null are deleted. */
START_TEST(keys_of_every_type_are_compared) {
    static const char *const types[][3] = {
        {"boolean", "true", "false"},
        {"int", "1", "-1"},
        {"long", "1", "4294967297"},
        {"float", "1.5", "NaN"},
        {"double", "1.5", "-Infinity"},
        {"decimal(38, 2)", "1.00", "999999999999999999999999999999999999.99"},
        {"date", "2026-11-30", "1969-12-31"},
        {"time", "10:00:00.000000", "10:00:00.000001"},
        {"timestamp", "2026-11-30T10:00:00.000000", "1969-12-31T23:59:59.999999"},
        {"timestamptz", "2026-11-30T10:00:00.000000+00:00", "1969-12-31T23:59:59.999999+00:00"},
        {"timestamp_ns", "2026-11-30T10:00:00.000000000", "2026-11-30T10:00:00.000000001"},
        {"string", "a", ""},
        {"uuid", "f79c3e09-677c-4bbd-a479-3f349cb785e7", "f79c3e09-677c-4bbd-a479-3f349cb785e8"},
        {"fixed[2]", "0001", "0002"},
        {"binary", "00", "0000"},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        table_case t = {0};
        const char *rows[] = {types[i][1], types[i][2], "null", types[i][1]};
        const char *gone[] = {types[i][2], "null"};
        const char *table = rwl_arena_printf(test_arena(), "k %s", types[i][0]);
        begin(&t, table, rows, 4);
        add(&t, table, NULL, gone, 2, ID_1, 1);
        assert_live(t.m, &t.f, "0 3");
        rwl_metadata_free(t.m);
    }
}
END_TEST

START_TEST(nan_is_equal_to_nan_and_zeros_differ_by_sign) {
    /* as Java compares, by Double.compare; the specification is silent */
    const char *rows[] = {"NaN", "0.0", "-0.0", "1.0"}, *gone[] = {"NaN", "-0.0"};
    table_case t = {0};
    begin(&t, "k double", rows, 4);
    add(&t, "k double", NULL, gone, 2, ID_1, 1);
    assert_live(t.m, &t.f, "1 3");
    rwl_metadata_free(t.m);
}
END_TEST

START_TEST(a_key_of_two_columns_does_not_run_together) {
    const char *rows[] = {"ab|c", "a|bc", "abc|", "|abc"}, *gone[] = {"a|bc", "|abc"};
    table_case t = {0};
    begin(&t, "a string, b string", rows, 4);
    add(&t, "a string, b string", NULL, gone, 2, IDS_1_2, 2);
    assert_live(t.m, &t.f, "0 2");
    rwl_metadata_free(t.m);
}
END_TEST

/* --- files of other ages --- */

START_TEST(promoted_keys_are_compared_in_the_wider_type) {
    rwl_metadata *m = test_table(3, "id long, x double, d decimal(12,2)", NULL);
    columns old = columns_of("id int, x float, d decimal(4,2)", NULL);
    columns new = columns_of("id long, x double, d decimal(12,2)", NULL);
    const char *rows[] = {"-1|1.5|12.34", "2|2.5|0.01", "3|0.1|7.00"};
    const char *gone[] = {"-1|1.5|12.34", "3|0.1|7.00"}; /* 0.1f as a double is not 0.1 */
    rwl_fragment f = write_file("a.parquet", &old, rows, 3, 0);
    const int32_t ids[] = {1, 2, 3};
    rwl_delete_ref ref = write_equality("d.parquet", &new, gone, 2, ids, 3);
    f.deletes = &ref;
    f.delete_count = 1;
    assert_live(m, &f, "1 2");
    ref = write_equality("e.parquet", &old, gone, 2, ids, 3); /* deletes as old as the data */
    assert_live(m, &f, "1");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(keys_absent_in_the_data_file_have_their_default) {
    const char *text = "{'format-version':3,'table-uuid':'f79c3e09-677c-4bbd-a479-3f349cb785e7',"
                       "'location':'/t','last-sequence-number':0,'last-updated-ms':0,'last-column-id':3,"
                       "'current-schema-id':0,'schemas':[{'type':'struct','schema-id':0,'fields':["
                       "{'id':1,'name':'id','required':false,'type':'int'},"
                       "{'id':2,'name':'a','required':false,'type':'string','initial-default':'dflt'},"
                       "{'id':3,'name':'p','required':false,'type':'int'}]}],"
                       "'default-spec-id':1,'partition-specs':[{'spec-id':1,'fields':[{'source-id':3,"
                       "'field-id':1000,'name':'p','transform':'identity'}]}],'last-partition-id':1000,"
                       "'default-sort-order-id':0,'sort-orders':[{'order-id':0,'fields':[]}],"
                       "'next-row-id':0,'properties':{}}";
    rwl_metadata *m = test_metadata(text);
    columns c = columns_of("id int", NULL);
    const char *rows[] = {"1", "2"};
    rwl_fragment f = write_file("a.parquet", &c, rows, 2, 0);
    rwl_value seven = test_value(&(rwl_type){.kind = RWL_TYPE_INT}, "7");
    f.spec_id = 1;
    f.partition = &seven;
    f.partition_count = 1;
    f.delete_count = 1;
    const int32_t all[] = {1, 2, 3};
    columns d = columns_of("id int, a string, p int", NULL);
    const struct {
        const char *row, *live;
    } cases[] = {{"1|dflt|7", "1"}, {"1|null|7", "0 1"}, {"2|dflt|7", "0"}, {"2|dflt|8", "0 1"}};
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "d%d.parquet", i);
        rwl_delete_ref ref = write_equality(name, &d, &cases[i].row, 1, all, 3);
        f.deletes = &ref;
        assert_live(m, &f, cases[i].live);
    }
    rwl_metadata_free(m);
}
END_TEST

START_TEST(keys_dropped_since_are_still_compared) {
    const char *text = "{'format-version':2,'table-uuid':'f79c3e09-677c-4bbd-a479-3f349cb785e7',"
                       "'location':'/t','last-sequence-number':0,'last-updated-ms':0,'last-column-id':2,"
                       "'current-schema-id':2,'schemas':["
                       "{'type':'struct','schema-id':0,'fields':["
                       "{'id':1,'name':'id','required':true,'type':'int'},"
                       "{'id':2,'name':'k','required':true,'type':'int'}]},"
                       "{'type':'struct','schema-id':1,'fields':["
                       "{'id':1,'name':'id','required':true,'type':'int'},"
                       "{'id':2,'name':'k','required':true,'type':'long'}]},"
                       "{'type':'struct','schema-id':2,'fields':["
                       "{'id':1,'name':'id','required':true,'type':'int'}]}],"
                       "'default-spec-id':0,'partition-specs':[{'spec-id':0,'fields':[]}],"
                       "'last-partition-id':999,'default-sort-order-id':0,"
                       "'sort-orders':[{'order-id':0,'fields':[]}],'properties':{}}";
    rwl_metadata *m = test_metadata(text);
    columns old = columns_of("id int not null, k int not null", NULL), new = columns_of("id int", NULL);
    columns key = columns_of("k long", ID_2);
    const char *rows[] = {"1|5", "2|6"}, *late[] = {"1", "2"}, *five[] = {"5"}, *null[] = {"null"};
    rwl_fragment f = write_file("a.parquet", &old, rows, 2, 0);
    rwl_fragment after = write_file("b.parquet", &new, late, 2, 0); /* written without the column: null */
    rwl_delete_ref ref = write_equality("d.parquet", &key, five, 1, ID_2, 1);
    f.deletes = after.deletes = &ref;
    f.delete_count = after.delete_count = 1;
    assert_live(m, &f, "1");
    assert_live(m, &after, "0 1");
    ref = write_equality("e.parquet", &key, null, 1, ID_2, 1);
    assert_live(m, &f, "0 1");
    assert_live(m, &after, "");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(keys_may_be_in_structs) {
    /* ids: s 1, t 2, s.a 3, s.b 4, t.n 5; t.n.c 6 */
    const char *table = "s struct<a: int, b: string>, t struct<n: struct<c: long>>";
    const char *rows[] = {"1,x|5", "1,y|6", "null|6", "2,x|null"};
    rwl_schema schema = test_schema(table);
    int32_t a = schema.fields[0].type.children[0].id, b = schema.fields[0].type.children[1].id;
    int32_t c = schema.fields[1].type.children[0].type.children[0].id;
    const int32_t pair[] = {a, b};
    table_case t = {0};
    begin(&t, table, rows, 4);
    columns s = columns_of("s struct<a: int, b: string>", NULL), n = t.c;
    s.fields[0] = t.c.fields[0];
    n.fields[0] = t.c.fields[1];
    n.count = 1;
    const char *one_x[] = {"1,x"}, *none[] = {"null"}, *six[] = {"6"};
    t.f.delete_count = 1;
    t.refs[0] = write_equality("p.parquet", &s, one_x, 1, pair, 2);
    assert_live(t.m, &t.f, "1 2 3");
    t.refs[0] = write_equality("q.parquet", &s, none, 1, pair, 2); /* of a null struct all fields are null */
    assert_live(t.m, &t.f, "0 1 3");
    t.refs[0] = write_equality("r.parquet", &s, one_x, 1, &a, 1);
    assert_live(t.m, &t.f, "2 3");
    t.refs[0] = write_equality("u.parquet", &n, six, 1, &c, 1);
    assert_live(t.m, &t.f, "0 3");
    t.refs[0] = write_equality("v.parquet", &n, none, 1, &c, 1);
    assert_live(t.m, &t.f, "0 1 2");
    rwl_metadata_free(t.m);
}
END_TEST

START_TEST(data_and_deletes_may_be_of_either_format) {
    rwl_metadata *m = test_table(3, "id int, s struct<a: long>", NULL);
    rwl_schema data = tree_of("id int, s struct<a: long>", NULL), key = tree_of("s struct<a: long>", "2 3");
    const int32_t ids[] = {3};
    for (int d = 0; d < TREE_FORMATS; d++)
        for (int k = 0; k < TREE_FORMATS; k++) {
            char name[32];
            snprintf(name, sizeof name, "data%d%d", d, k);
            rwl_fragment f =
                tree_write(name, &data, "[[1,{'a':5}],[2,null],[3,{'a':6}],[4,{'a':null}]]", (tree_format)d);
            snprintf(name, sizeof name, "deletes%d%d", d, k);
            rwl_fragment e = tree_write(name, &key, "[[{'a':6}],[{'a':null}]]", (tree_format)k);
            rwl_delete_ref ref = {.kind = RWL_DELETE_EQUALITY,
                                  .location = e.location,
                                  .format = e.format,
                                  .file_size = e.file_size,
                                  .row_count = 2,
                                  .equality_ids = ids,
                                  .equality_count = 1};
            f.deletes = &ref;
            f.delete_count = 1;
            assert_live(m, &f, "0");
            ref.row_count = 3;
            assert_deletes_fail(m, &f, RWL_CORRUPT, "3 rows, the file has 2");
        }
    rwl_metadata_free(m);
}
END_TEST

/* --- with other deletes --- */

START_TEST(vectors_and_equality_deletes_add_up) {
    const char *rows[] = {"0", "1", "2", "3"}, *two[] = {"2", "0"};
    const int64_t deleted[] = {0, 3};
    table_case t = {0};
    begin(&t, "id int", rows, 4);
    t.refs[t.f.delete_count++] = write_vector("v.puffin", t.f.location, deleted, 2);
    add(&t, "id int", NULL, two, 2, ID_1, 1);
    assert_live(t.m, &t.f, "1");
    rwl_metadata_free(t.m);
}
END_TEST

/* --- what is refused --- */

START_TEST(a_delete_file_must_have_its_keys) {
    const char *rows[] = {"1|a"}, *keys[] = {"1"};
    table_case t = {0};
    begin(&t, "id int, s string", rows, 1);
    add(&t, "id int", NULL, keys, 1, IDS_1_2, 2);
    assert_deletes_fail(t.m, &t.f, RWL_CORRUPT, "required column s (id 2) is missing");
    t.f.delete_count = 0;
    add(&t, "id int", NULL, keys, 1, ID_1, 1);
    t.refs[0].row_count = 2;
    assert_deletes_fail(t.m, &t.f, RWL_CORRUPT, "says 2 rows, the file has 1");
    t.refs[0].row_count = 1;
    t.refs[0].format = "ORC";
    assert_deletes_fail(t.m, &t.f, RWL_UNSUPPORTED, "ORC");
    rwl_metadata_free(t.m);
}
END_TEST

START_TEST(ids_that_name_no_single_value_are_refused) {
    /* ids: id 1, l 2, s 3, v 4, l.element 5 … */
    rwl_schema schema = test_schema("id int, l list<int>, s struct<x: int>, v variant");
    rwl_metadata *m = test_table(3, "id int, l list<int>, s struct<x: int>, v variant", NULL);
    columns c = columns_of("id int", NULL);
    const char *rows[] = {"1"};
    rwl_fragment f = write_file("a.parquet", &c, rows, 1, 0);
    const struct {
        int32_t id;
        rwl_status code;
        const char *part;
    } cases[] = {
        {99, RWL_CORRUPT, "no schema of the table has the equality field id 99"},
        {schema.fields[1].type.children[0].id, RWL_CORRUPT, "inside a list or a map"},
        {schema.fields[2].id, RWL_CORRUPT, "is a struct, list or map"},
        {schema.fields[3].id, RWL_UNSUPPORTED, "is of type variant"},
    };
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "d%d.parquet", i);
        rwl_delete_ref ref = write_equality(name, &c, rows, 1, &cases[i].id, 1);
        f.deletes = &ref;
        f.delete_count = 1;
        assert_deletes_fail(m, &f, cases[i].code, cases[i].part);
    }
    rwl_metadata_free(m);
}
END_TEST

/* --- many keys --- */

/* Rows 0..count-1 as "i" or "i|key i of some length". */
static const char **numbered(int64_t from, int64_t count, int64_t step, bool with_text) {
    const char **rows = rwl_arena_array(test_arena(), (size_t)count, sizeof *rows);
    for (int64_t i = 0; i < count; i++) {
        long long n = from + i * step;
        rows[i] = with_text ? rwl_arena_printf(test_arena(), "%lld|key %lld of some length", n, n)
                            : rwl_arena_printf(test_arena(), "%lld", n);
    }
    return rows;
}

static int64_t count_live_rows(const rwl_metadata *m, const rwl_fragment *f, rwl_delete_cache *cache) {
    rwl_driver driver = rwl_iceberg_driver(test_store(), m, cache);
    rwl_bitmap *deletes = NULL;
    ASSERT_OK(rwl_fragment_deletes(&driver, test_op(), f, &deletes, err));
    for (int64_t i = 0; i < f->row_count; i++)
        ck_assert_int_eq(rwl_bitmap_contains(deletes, i), i % 3 == 0);
    int64_t live = f->row_count - rwl_bitmap_count(deletes);
    rwl_bitmap_free(deletes);
    return live;
}

START_TEST(sets_larger_than_the_cache_are_read_in_parts) {
    enum { ROWS = 1200 };
    const char **rows = numbered(0, ROWS, 1, true), **gone = numbered(0, ROWS / 3, 3, true);
    for (int text = 0; text < 2; text++) {
        table_case t = {0};
        begin(&t, "id int, s string", rows, ROWS);
        columns c = columns_of("id int, s string", NULL);
        t.refs[0] = write_equality(text ? "s.parquet" : "n.parquet", &c, gone, ROWS / 3,
                                   text ? IDS_1_2 : ID_1, text ? 2 : 1);
        t.f.delete_count = 1;
        const int64_t limits[] = {4096, 8192, 65536, 0};
        for (int i = 0; i < 4; i++) {
            rwl_delete_cache *cache = NULL;
            ASSERT_OK(rwl_delete_cache_new(test_env(), limits[i], &cache, err));
            ck_assert_int_eq(count_live_rows(t.m, &t.f, cache), ROWS - ROWS / 3);
            rwl_delete_cache_free(cache);
        }
        rwl_metadata_free(t.m);
    }
}
END_TEST

START_TEST(many_small_files_pass_through_a_small_cache) {
    enum { FILES = 30 };
    rwl_metadata *m = test_table(3, "id int", NULL);
    columns c = columns_of("id int", NULL);
    rwl_fragment f = write_file("a.parquet", &c, numbered(0, 3 * FILES, 1, false), 3 * FILES, 0);
    rwl_delete_ref refs[FILES];
    for (int i = 0; i < FILES; i++) {
        char name[32];
        snprintf(name, sizeof name, "d%d.parquet", i);
        refs[i] = write_equality(name, &c, numbered(3 * i, 1, 1, false), 1, ID_1, 1);
    }
    f.deletes = refs;
    f.delete_count = FILES;
    const int64_t limits[] = {2000, 0};
    for (int i = 0; i < 2; i++) {
        rwl_delete_cache *cache = NULL;
        ASSERT_OK(rwl_delete_cache_new(test_env(), limits[i], &cache, err));
        ck_assert_int_eq(count_live_rows(m, &f, cache), 2 * FILES);
        rwl_delete_cache_free(cache);
    }
    rwl_metadata_free(m);
}
END_TEST

START_TEST(a_key_too_large_for_the_cache_is_refused_by_size) {
    char *key = rwl_arena_alloc(test_arena(), 4001);
    memset(key, 'x', 4000);
    const char *rows[] = {key};
    table_case t = {0};
    begin(&t, "s string", rows, 1);
    add(&t, "s string", NULL, rows, 1, ID_1, 1);
    rwl_delete_cache *cache = NULL;
    rwl_bitmap *deletes = NULL;
    ASSERT_OK(rwl_delete_cache_new(test_env(), 4096, &cache, err));
    rwl_driver driver = rwl_iceberg_driver(test_store(), t.m, cache);
    ASSERT_FAILS(RWL_UNSUPPORTED, "a key of 4003 bytes is more than the 1024 bytes",
                 rwl_fragment_deletes(&driver, test_op(), &t.f, &deletes, err));
    rwl_delete_cache_free(cache);
    rwl_metadata_free(t.m);
}
END_TEST

/* --- many tasks --- */

typedef struct read_task {
    const rwl_metadata *m;
    const rwl_fragment *f;
    rwl_delete_cache *cache;
    int64_t deleted;
} read_task;

static rwl_status read_deleted(void *arg, rwl_error *err) {
    read_task *task = arg;
    rwl_driver driver = rwl_iceberg_driver(test_store(), task->m, task->cache);
    rwl_bitmap *deletes = NULL;
    RWL_TRY(rwl_fragment_deletes(&driver, test_op(), task->f, &deletes, err));
    task->deleted = rwl_bitmap_count(deletes);
    rwl_bitmap_free(deletes);
    return RWL_OK;
}

START_TEST(tasks_of_a_pool_share_the_cache) {
    enum { ROWS = 300, TASKS = 12 };
    table_case t = {0};
    begin(&t, "id int, s string", numbered(0, ROWS, 1, true), ROWS);
    columns c = columns_of("id int, s string", NULL);
    const char **gone = numbered(0, ROWS / 3, 3, true);
    t.refs[0] = write_equality("n.parquet", &c, gone, ROWS / 3, ID_1, 1);
    t.refs[1] = write_equality("s.parquet", &c, gone, ROWS / 3, IDS_1_2, 2);
    t.f.delete_count = 2;
    const int64_t limits[] = {4096, 0}; /* one so small that tasks drop each other's sets */
    for (int i = 0; i < 2; i++) {
        rwl_delete_cache *cache = NULL;
        rwl_pool *pool = NULL;
        rwl_group *group = NULL;
        read_task tasks[TASKS];
        ASSERT_OK(rwl_delete_cache_new(test_env(), limits[i], &cache, err));
        ASSERT_OK(rwl_pool_new(test_env(), 4, &pool, err));
        ASSERT_OK(rwl_group_new(pool, test_op(), &group, err));
        for (int k = 0; k < TASKS; k++) {
            tasks[k] = (read_task){t.m, &t.f, cache, 0};
            ASSERT_OK(rwl_group_submit(group, read_deleted, &tasks[k], err));
        }
        ASSERT_OK(rwl_group_wait(group, err));
        rwl_group_free(group);
        rwl_pool_free(pool);
        for (int k = 0; k < TASKS; k++)
            ck_assert_int_eq(tasks[k].deleted, ROWS / 3);
        rwl_delete_cache_free(cache);
    }
    rwl_metadata_free(t.m);
}
END_TEST

/* --- no memory --- */

/* The process's memory, until a number of allocations have been made. */
typedef struct scarce {
    const rwl_env *from;
    int64_t left;
} scarce;

static void *scarce_realloc(void *ctx, void *old, size_t size) {
    scarce *s = ctx;
    if (size > 0 && s->left-- <= 0)
        return NULL;
    return s->from->realloc(s->from->ctx, old, size);
}

static void *scarce_aligned(void *ctx, size_t alignment, size_t size) {
    scarce *s = ctx;
    return s->left-- <= 0 ? NULL : s->from->alloc_aligned(s->from->ctx, alignment, size);
}

static void scarce_free(void *ctx, void *block) {
    const rwl_env *from = ((scarce *)ctx)->from;
    from->free_aligned(from->ctx, block);
}

START_TEST(want_of_memory_is_reported_and_leaves_nothing) {
    table_case t = {0};
    begin(&t, "id int, s string", numbered(0, 30, 1, true), 30);
    columns c = columns_of("id int, s string", NULL);
    const char **gone = numbered(0, 10, 3, true);
    const int64_t one[] = {3};
    t.refs[0] = write_equality("n.parquet", &c, gone, 10, ID_1, 1);
    t.refs[1] = write_equality("s.parquet", &c, gone, 10, IDS_1_2, 2);
    t.refs[2] = write_vector("v.puffin", t.f.location, one, 1);
    rwl_fragment positions = t.f;
    rwl_delete_ref named = write_positions(
        "p.parquet", (const char *[]){rwl_arena_printf(test_arena(), "%s|3", t.f.location)}, 1);
    t.f.delete_count = 3;
    positions.deletes = &named;
    positions.delete_count = 1;
    const rwl_fragment *fragments[] = {&t.f, &positions};
    for (int k = 0; k < 2; k++) {
        rwl_status st = RWL_NO_MEMORY;
        for (int64_t n = 0; st != RWL_OK; n++) {
            scarce s = {test_env(), n};
            rwl_env env = *test_env();
            env.ctx = &s;
            env.realloc = scarce_realloc;
            env.alloc_aligned = scarce_aligned;
            env.free_aligned = scarce_free;
            env.random = NULL;
            rwl_op op;
            rwl_op_init(&op, &env, 0);
            rwl_delete_cache *cache = NULL;
            rwl_bitmap *deletes = NULL;
            st = rwl_delete_cache_new(&env, 0, &cache, NULL);
            if (st == RWL_OK) {
                rwl_driver driver = rwl_iceberg_driver(test_store(), t.m, cache);
                st = rwl_fragment_deletes(&driver, &op, fragments[k], &deletes, NULL);
            }
            rwl_bitmap_free(deletes);
            rwl_delete_cache_free(cache);
            ck_assert_msg(st == RWL_OK || st == RWL_NO_MEMORY, "status %d after %lld", (int)st, (long long)n);
            ck_assert_int_lt(n, 5000);
        }
    }
    rwl_metadata_free(t.m);
}
END_TEST

/* --- sets by themselves --- */

START_TEST(a_set_stays_within_its_bytes) {
    enum { KEYS = 10000 };
    rwl_type type = rwl_type_of(RWL_TYPE_LONG);
    rwl_field field = {.name = "k", .id = 1, .type = type};
    rwl_batch batch;
    rwl_row_keys keys;
    ASSERT_OK(rwl_batch_init(&batch, test_env(), &field, 1, err));
    for (int64_t i = 0; i < KEYS; i++) {
        rwl_value v = {.kind = RWL_TYPE_LONG, .as.i64 = i};
        ASSERT_OK(rwl_column_append(&batch.columns[0], test_env(), &v, 1, err));
    }
    for (int as_numbers = 0; as_numbers < 2; as_numbers++) {
        rwl_row_keys_init(&keys, test_env(), as_numbers != 0, 7);
        ASSERT_OK(rwl_row_keys_set(&keys, batch.columns, 1, KEYS, err));
        rwl_key_set *set = NULL;
        bool full;
        const int64_t most = 64 * 1024;
        ASSERT_OK(rwl_key_set_new(test_env(), as_numbers != 0, most, &set, err));
        ASSERT_OK(rwl_key_set_add(set, &keys, 0, 1, &full, err));
        ck_assert(full); /* 10,000 numbers need 16,384 slots of 8 bytes */
        ck_assert_int_le(rwl_key_set_memory(set), most);
        rwl_key_set_free(test_env(), set);
        int64_t in_parts = 0;
        for (uint32_t part = 0; part < 16; part++) {
            uint8_t hits[KEYS] = {0};
            int32_t rows[KEYS];
            rwl_key_filter filter;
            ASSERT_OK(rwl_key_set_new(test_env(), as_numbers != 0, most, &set, err));
            ASSERT_OK(rwl_key_set_add(set, &keys, part, 16, &full, err));
            ck_assert(!full);
            const rwl_key_set *one = set;
            ASSERT_OK(rwl_key_filter_init(&filter, test_env(), &one, 1, 7, err));
            size_t may = rwl_key_filter_apply(&filter, &keys, rows);
            ck_assert_int_ge((int64_t)may, rwl_key_set_count(set));
            ck_assert_int_lt(may, KEYS / 8); /* a sixteenth, and one in seventy of the others */
            size_t missed = rwl_key_set_probe(set, &keys, rows, may, hits);
            ck_assert_int_eq((int64_t)(may - missed), rwl_key_set_count(set));
            rwl_key_filter_clear(&filter, test_env());
            for (int i = 0; i < KEYS; i++)
                in_parts += hits[i];
            rwl_key_set_free(test_env(), set);
        }
        ck_assert_int_eq(in_parts, KEYS); /* each key in one part */
        rwl_row_keys_clear(&keys);
    }
    rwl_batch_clear(&batch);
}
END_TEST

/* A delete file of no rows, as the fuzz target made one. */
START_TEST(keys_of_no_rows_are_none) {
    rwl_field field = {.name = "k", .id = 1, .type = rwl_type_of(RWL_TYPE_STRING)};
    rwl_batch batch;
    rwl_row_keys keys;
    ASSERT_OK(rwl_batch_init(&batch, test_env(), &field, 1, err));
    for (int as_numbers = 0; as_numbers < 2; as_numbers++) {
        rwl_row_keys_init(&keys, test_env(), as_numbers != 0, 7);
        ASSERT_OK(rwl_row_keys_set(&keys, batch.columns, 1, 0, err));
        ck_assert_int_eq(keys.length, 0);
        rwl_row_keys_clear(&keys);
    }
    rwl_batch_clear(&batch);
}
END_TEST

Suite *suite_equality_deletes(void) {
    Suite *s = suite_create("equality_deletes");
    TCase *t = tcase_create("equality_deletes");
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_test(t, rows_with_a_deleted_key_are_deleted_everywhere_in_the_file);
    tcase_add_test(t, bug_079_null_equals_null_and_nothing_else);
    tcase_add_test(t, a_null_number_is_no_zero);
    tcase_add_test(t, bug_083_several_id_sets_on_one_file);
    tcase_add_test(t, bug_086_extra_columns_are_not_compared);
    tcase_add_test(t, keys_of_every_type_are_compared);
    tcase_add_test(t, nan_is_equal_to_nan_and_zeros_differ_by_sign);
    tcase_add_test(t, a_key_of_two_columns_does_not_run_together);
    tcase_add_test(t, promoted_keys_are_compared_in_the_wider_type);
    tcase_add_test(t, keys_absent_in_the_data_file_have_their_default);
    tcase_add_test(t, keys_dropped_since_are_still_compared);
    tcase_add_test(t, keys_may_be_in_structs);
    tcase_add_test(t, data_and_deletes_may_be_of_either_format);
    tcase_add_test(t, vectors_and_equality_deletes_add_up);
    tcase_add_test(t, a_delete_file_must_have_its_keys);
    tcase_add_test(t, ids_that_name_no_single_value_are_refused);
    tcase_add_test(t, sets_larger_than_the_cache_are_read_in_parts);
    tcase_add_test(t, many_small_files_pass_through_a_small_cache);
    tcase_add_test(t, a_key_too_large_for_the_cache_is_refused_by_size);
    tcase_add_test(t, tasks_of_a_pool_share_the_cache);
    tcase_add_test(t, want_of_memory_is_reported_and_leaves_nothing);
    tcase_add_test(t, a_set_stays_within_its_bytes);
    tcase_add_test(t, keys_of_no_rows_are_none);
    suite_add_tcase(s, t);
    return s;
}
