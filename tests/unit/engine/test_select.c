/* SPDX-License-Identifier: Apache-2.0 */
/* What can be selected and filtered: fields of structs, metadata columns in any mix, and what is read for them. */
#include "engine/read_columns.h"
#include "engine/select_list.h"
#include "engine_test.h"
#include "suites.h"

/* --- names --- */

START_TEST(names_are_quoted_dotted_and_separated_by_commas) {
    static const struct {
        const char *list, *names; /* "name" or "name*" for a path */
    } cases[] = {
        {"", ""},
        {"a", "a;"},
        {" a , b c ,", "a;b c;"},
        {"a.b.c, d", "a.b.c*;d;"},
        {"\"a.b\", \"x\"\"y\"", "a.b;x\"y;"},
        {"a . \"b.c\"", "a.b.c*;"},
        {"\"a,b\".c", "a,b.c*;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = "", *at = cases[i].list;
        for (rwl_select_name name;;) {
            ASSERT_OK(rwl_select_next(&at, test_arena(), &name, err));
            if (name.text == NULL)
                break;
            text = rwl_arena_printf(test_arena(), "%s%s%s;", text, name.text, name.is_path ? "*" : "");
        }
        ck_assert_str_eq(text, cases[i].names);
    }
    static const char *const wrong[] = {"a,,b", "\"a", "a..b", ".a", "a.", "\"a\"b", ",a"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        rwl_status st = RWL_OK;
        const char *at = wrong[i];
        rwl_select_name name = {.text = ""};
        while (st == RWL_OK && name.text != NULL)
            st = rwl_select_next(&at, test_arena(), &name, NULL);
        ck_assert_msg(st == RWL_USAGE, "%s", wrong[i]);
    }
}
END_TEST

/* --- what is read --- */

#define NESTED                                                                                               \
    "id long not null, s struct<a: int, b: struct<c: string, d: double not null>, e: int>, \"s.x\" int"

START_TEST(structs_are_cut_down_to_what_is_wanted_and_read_once) {
    static const struct {
        const char *select, *types, *places;
    } cases[] = {
        {"id", "long", "0;"},
        {"s.a", "struct<3: a: optional int>", "0.0;"},
        {"s.e, id, s.a", "long | struct<3: a: optional int, 7: e: optional int>", "1.1;0;1.0;"},
        {"s.b.d, s.b.c", "struct<4: b: optional struct<5: c: optional string, 6: d: required double>>",
         "0.0.1;0.0.0;"},
        {"s.b.d, s.e", "struct<4: b: optional struct<6: d: required double>, 7: e: optional int>",
         "0.0.0;0.1;"},
        {"s.b.d, s.b", "struct<4: b: optional struct<5: c: optional string, 6: d: required double>>",
         "0.0.1;0.0;"},
        {"s.e, s",
         "struct<3: a: optional int, 4: b: optional struct<5: c: optional string, 6: d: required double>, "
         "7: e: optional int>",
         "0.2;0;"},
        {"_pos, \"s.x\", _row_id", "int", "-;0;-;"},
        {"", "", ""},
    };
    test_create("t", 3, NESTED, NULL, NULL);
    rwl_table *t = test_open("t");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_row_filter f;
        rwl_row_filter_options options = {.select = cases[i].select};
        rwl_read_columns columns;
        bool all[8] = {true, true, true, true, true, true, true, true};
        rwl_driver driver = rwl_table_driver(t);
        ASSERT_OK(rwl_row_filter_init(&f, test_env(), &driver, t->schema, &options, err));
        ASSERT_OK(rwl_read_columns_choose(&f, all, test_arena(), &columns, err));
        const char *types = "", *places = "";
        for (int32_t k = 0; k < columns.count; k++) {
            rwl_buf text;
            rwl_buf_init(&text, test_env(), SIZE_MAX);
            ASSERT_OK(rwl_type_format(&columns.fields[k].type, &text, err));
            types = rwl_arena_printf(test_arena(), "%s%s%.*s", types, k > 0 ? " | " : "", (int)text.len,
                                     (const char *)text.data);
            rwl_buf_clear(&text);
        }
        for (int32_t k = 0; k < f.field_count; k++) {
            const rwl_read_place *p = &columns.places[k];
            places = p->column < 0 ? rwl_arena_printf(test_arena(), "%s-", places)
                                   : rwl_arena_printf(test_arena(), "%s%d", places, (int)p->column);
            for (int32_t d = 0; p->column >= 0 && d < p->depth; d++)
                places = rwl_arena_printf(test_arena(), "%s.%d", places, (int)p->path[d]);
            places = rwl_arena_printf(test_arena(), "%s;", places);
        }
        ck_assert_str_eq(types, cases[i].types);
        ck_assert_str_eq(places, cases[i].places);
        rwl_row_filter_clear(&f);
    }
    test_close(t);
}
END_TEST

/* --- rows --- */

static const char *add_cell(const char *text, const rwl_field *field, const rwl_column *c, int64_t row) {
    rwl_value v = rwl_column_value(c, row);
    rwl_buf cell;
    if (v.is_null)
        return rwl_arena_printf(test_arena(), "%snull", text);
    rwl_buf_init(&cell, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_value_format(&field->type, &v, &cell, err));
    text = rwl_arena_printf(test_arena(), "%s%.*s", text, (int)cell.len, (const char *)cell.data);
    rwl_buf_clear(&cell);
    return text;
}

/* The rows of table t, "a,b c,d". */
static const char *rows_of(const char *select, const char *where) {
    rwl_table *t = test_open("t");
    rwl_scan_options o = {.rows = {.select = select, .where = where}, .limit = -1};
    rwl_scan *s = NULL;
    rwl_batch batch;
    int32_t count;
    const char *text = "";
    ASSERT_OK(rwl_scan_open(t, test_op(), &o, &s, err));
    const rwl_field *fields = rwl_scan_fields(s, &count);
    ASSERT_OK(rwl_batch_init(&batch, test_env(), fields, count, err));
    do {
        ASSERT_OK(rwl_scan_next(s, &batch, err));
        for (int64_t row = 0; row < batch.length; row++)
            for (int32_t i = 0; i < count; i++) {
                const char *before = i > 0 ? "," : *text != 0 ? " " : "";
                text = add_cell(rwl_arena_printf(test_arena(), "%s%s", text, before), &fields[i],
                                &batch.columns[i], row);
            }
    } while (batch.length > 0);
    rwl_batch_clear(&batch);
    rwl_scan_close(s);
    test_close(t);
    return text;
}

static void make_nested(void) {
    test_create("t", 3, NESTED, NULL, NULL);
    test_append("t", "{'id':1,'s':{'a':5,'b':{'c':'x','d':1.5},'e':1},'s.x':9}\n"
                     "{'id':2,'s':null,'s.x':8}\n"
                     "{'id':3,'s':{'a':7,'b':null,'e':3}}\n"
                     "{'id':4,'s':{'a':null,'b':{'c':null,'d':2.5}}}\n"
                     "{'id':5,'s':{'a':7,'b':{'c':'y','d':2.5},'e':5}}");
    test_delete("t", "id = 5");
}

START_TEST(fields_of_structs_are_selected_and_filtered) {
    static const struct {
        const char *select, *where, *rows;
    } cases[] = {
        {"s.a, id, s.b.c", NULL, "5,1,x null,2,null 7,3,null null,4,null"},
        {"s.b.d", NULL, "1.5 null null 2.5"}, /* required, but not its struct */
        {"id", "s.a = 7", "3"},
        {"id", "s.b.d > 2", "4"},
        {"id, s.e", "s.b.d is null", "2,null 3,3"},
        {"s.e", "s.a is not null and s.b.c is null", "3"},
        {"s.e, s.b.d, id", "id >= 3", "3,null,3 null,2.5,4"},
        {"\"s.x\", id", "\"s.x\" > 8", "9,1"},
        {"id", "\"s.x\" is null and s.a is null", "4"},
        {"s.a, _pos", "_row_id >= 2", "7,2 null,3"},
        {"", "s.a = 5", ""},
        {"_row_id", "s.b.c in ('x', 'y')", "0"},
    };
    make_nested();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *rows = rows_of(cases[i].select, cases[i].where);
        ck_assert_msg(strcmp(rows, cases[i].rows) == 0, "%s where %s: %s", cases[i].select, cases[i].where,
                      rows);
    }
}
END_TEST

/* A struct that is handed over as a whole is looked into by others, now and later. */
START_TEST(structs_and_their_fields_come_together) {
    make_nested();
    rwl_table *t = test_open("t");
    static const char *const wheres[] = {NULL, "id > 0", "id <= 3", "s.a > 0 or s.a is null"};
    for (size_t i = 0; i < sizeof wheres / sizeof *wheres; i++) {
        rwl_scan_options o = {.rows = {.select = "s, s.b, s.a, s.b.d", .where = wheres[i]}, .limit = -1};
        rwl_scan *s = NULL;
        rwl_batch batch;
        int32_t count;
        ASSERT_OK(rwl_scan_open(t, test_op(), &o, &s, err));
        const rwl_field *fields = rwl_scan_fields(s, &count);
        ck_assert_str_eq(fields[3].name, "s.b.d");
        ASSERT_OK(rwl_batch_init(&batch, test_env(), fields, count, err));
        for (int64_t rows = 0;; rows += batch.length) {
            ASSERT_OK(rwl_scan_next(s, &batch, err));
            if (batch.length == 0) {
                ck_assert_int_eq(rows, i == 2 ? 3 : 4);
                break;
            }
            for (int64_t row = 0; row < batch.length; row++) {
                const rwl_column *whole = &batch.columns[0], *b = &whole->children[1];
                bool no_s = rwl_column_is_null(whole, row), no_b = no_s || rwl_column_is_null(b, row);
                ck_assert_int_eq(rwl_column_is_null(&batch.columns[1], row), no_b);
                ck_assert_int_eq(rwl_column_is_null(&batch.columns[3], row), no_b);
                if (!no_b)
                    ck_assert(rwl_column_f64(&batch.columns[3])[row] == rwl_column_f64(&b->children[1])[row]);
                bool no_a = no_s || rwl_column_is_null(&whole->children[0], row);
                ck_assert_int_eq(rwl_column_is_null(&batch.columns[2], row), no_a);
            }
        }
        rwl_batch_clear(&batch);
        rwl_scan_close(s);
    }
    test_close(t);
}
END_TEST

static const char *const MIXED[] = {
    "_row_id", "_last_updated_sequence_number", "_pos", "_spec_id", "_partition.g", "id"};
enum { MIXED_COUNT = sizeof MIXED / sizeof *MIXED };

/* The columns of a row "a,b,c" that are in the mix. */
static const char *pick(const char *row, unsigned mix) {
    const char *text = "";
    for (int i = 0; i < MIXED_COUNT; i++) {
        size_t len = strcspn(row, ",");
        if (mix >> i & 1)
            text = rwl_arena_printf(test_arena(), "%s%s%.*s", text, *text != 0 ? "," : "", (int)len, row);
        row += len + (row[len] == ',');
    }
    return text;
}

/* Any mix of columns gives what all of them give. */
static void assert_mixes(const char *where, const char *const *rows, size_t count) {
    for (unsigned mix = 1; mix < 1u << MIXED_COUNT; mix++) {
        const char *select = "", *want = "";
        for (int i = 0; i < MIXED_COUNT; i++)
            if (mix >> i & 1)
                select = rwl_arena_printf(test_arena(), "%s%s%s", select, *select != 0 ? "," : "", MIXED[i]);
        for (size_t i = 0; i < count; i++)
            want = rwl_arena_printf(test_arena(), "%s%s%s", want, i > 0 ? " " : "", pick(rows[i], mix));
        ck_assert_str_eq(test_sorted(rows_of(select, where)), test_sorted(want));
    }
}

/* BUG-003, BUG-009, BUG-010: without stored lineage, with it, and both in one scan. */
START_TEST(bug_003_metadata_columns_come_in_any_mix) {
    /* _row_id, version, _pos, _spec_id, _partition.g, id; the second row was deleted */
    static const char *const first[] = {"0,1,0,0,p,10", "2,1,2,0,p,12"};
    static const char *const rewritten[] = {"0,1,0,0,p,10", "2,1,1,0,p,12"};
    static const char *const both[] = {"0,1,0,0,p,10", "2,1,1,0,p,12", "3,4,0,0,null,13"};
    test_create("t", 3, "id long not null, g string", "g", NULL);
    test_append("t", "{'id':10,'g':'p'}\n{'id':11,'g':'p'}\n{'id':12,'g':'p'}");
    test_delete("t", "id = 11");
    assert_mixes(NULL, first, 2);
    assert_mixes("_row_id = 2 or _pos = 1", first + 1, 1); /* the row at position 1 is gone */
    test_rewrite("t", NULL);
    assert_mixes(NULL, rewritten, 2);
    assert_mixes("_row_id > 0", rewritten + 1, 1);
    test_append("t", "{'id':13}");
    assert_mixes(NULL, both, 3);
    assert_mixes("_last_updated_sequence_number > 1", both + 2, 1);
    assert_mixes("_partition.g = 'p' and id > 10", both + 1, 1);
    assert_mixes("_partition.g is null", both + 2, 1);
}
END_TEST

START_TEST(bug_004_a_table_without_lineage_has_null_for_it) {
    test_create("t", 2, "id long not null", NULL, NULL);
    test_append("t", "{'id':1}");
    ck_assert_str_eq(rows_of("id, _row_id, _last_updated_sequence_number", NULL), "1,null,null");
    ck_assert_str_eq(rows_of("id", "_row_id is null and _last_updated_sequence_number is null"), "1");
    ck_assert_str_eq(rows_of("id", "_row_id = 0 or _last_updated_sequence_number = 1"), "");
}
END_TEST

START_TEST(wrong_names_are_told) {
    make_nested();
    rwl_table *t = test_open("t");
    rwl_scan *s = NULL;
    static const struct {
        const char *select, *message;
    } cases[] = {{"s.z", "no column s.z; there are id, s"},
                 {"s.a, s.a", "names column 's.a' twice"},
                 {"_partition.g", "no column _partition.g"},
                 {"s.a, \"s.a\"", "twice"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_scan_options o = {.rows = {.select = cases[i].select}, .limit = -1};
        ASSERT_FAILS(RWL_USAGE, cases[i].message, rwl_scan_open(t, test_op(), &o, &s, err));
    }
    test_close(t);
}
END_TEST

/* --- given fragments --- */

START_TEST(fragments_can_be_given_and_read_in_part) {
    make_nested();
    test_append("t", "{'id':6}\n{'id':7}");
    rwl_table *t = test_open("t");
    rwl_driver d = rwl_table_driver(t);
    rwl_planner *plan = NULL;
    rwl_fragment fragments[2];
    const rwl_fragment *next;
    ASSERT_OK(rwl_table_plan(t, &d, test_op(), NULL, &plan, err));
    for (int i = 0; i < 2; i++) {
        ASSERT_OK(d.vtable->plan_next(plan, &next, err));
        ck_assert_ptr_nonnull(next);
        ASSERT_OK(rwl_fragment_copy(test_arena(), next, &fragments[i], err));
    }
    d.vtable->plan_close(plan);
    static const struct {
        size_t first, count;
        rwl_range range;
        int64_t limit;
        const char *where;
        int64_t rows;
    } cases[] = {
        {0, 2, {0, 0}, -1, NULL, 6},    {0, 1, {0, 0}, -1, NULL, 2},       {1, 1, {0, 0}, -1, NULL, 4},
        {0, 0, {0, 0}, -1, NULL, 0},    {1, 1, {1, 2}, -1, NULL, 2},       {1, 1, {1, 9}, -1, NULL, 3},
        {1, 1, {4, 1}, -1, NULL, 0},    {1, 1, {1, 2}, -1, "s.a > 0", 1},  {0, 2, {0, 0}, 3, NULL, 3},
        {0, 2, {0, 0}, 3, "id > 2", 3}, {1, 1, {0, 3}, -1, "_pos = 2", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_scan_options o = {.rows = {.select = "id", .where = cases[i].where},
                              .limit = cases[i].limit,
                              .fragments = fragments + cases[i].first,
                              .fragment_count = cases[i].count,
                              .range = cases[i].range};
        rwl_scan *s = NULL;
        rwl_batch batch;
        int32_t count;
        int64_t rows = 0;
        ASSERT_OK(rwl_scan_open(t, test_op(), &o, &s, err));
        const rwl_field *fields = rwl_scan_fields(s, &count);
        ASSERT_OK(rwl_batch_init(&batch, test_env(), fields, count, err));
        do {
            ASSERT_OK(rwl_scan_next(s, &batch, err));
            rows += batch.length;
        } while (batch.length > 0);
        ck_assert_msg(rows == cases[i].rows, "case %zu: %lld", i, (long long)rows);
        rwl_batch_clear(&batch);
        rwl_scan_close(s);
    }
    rwl_scan_options o = {.fragments = fragments, .fragment_count = 2, .range = {0, 1}, .limit = -1};
    rwl_scan *s = NULL;
    ASSERT_FAILS(RWL_INTERNAL, "one fragment", rwl_scan_open(t, test_op(), &o, &s, err));
    test_close(t);
}
END_TEST

Suite *suite_select(void) {
    const TTest *const tests[] = {
        names_are_quoted_dotted_and_separated_by_commas,
        structs_are_cut_down_to_what_is_wanted_and_read_once,
        fields_of_structs_are_selected_and_filtered,
        structs_and_their_fields_come_together,
        bug_003_metadata_columns_come_in_any_mix,
        bug_004_a_table_without_lineage_has_null_for_it,
        wrong_names_are_told,
        fragments_can_be_given_and_read_in_part,
    };
    return TEST_SUITE("select", tests);
}
