/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting rows with their lineage. */
#include "engine_test.h"
#include "suites.h"

#include "engine/sorter.h"

#include <stdio.h>

typedef struct sorting { /* where it is: the sorter borrows schema and order */
    rwl_schema schema;
    rwl_sort_order order;
    rwl_sorter *sorter;
    rwl_batch in, out;
} sorting;

static sorting *start_with(rwl_op *op, const char *columns, const char *order,
                           const rwl_sorter_options *options) {
    sorting *s = rwl_arena_alloc(test_arena(), sizeof *s);
    memset(s, 0, sizeof *s);
    ASSERT_OK(rwl_schema_from_text(columns, test_arena(), &s->schema, err));
    ASSERT_OK(rwl_sort_order_from_text(order, &s->schema, test_arena(), &s->order, err));
    ASSERT_OK(rwl_batch_init(&s->in, test_env(), s->schema.fields, s->schema.field_count, err));
    ASSERT_OK(rwl_batch_init(&s->out, test_env(), s->schema.fields, s->schema.field_count, err));
    ASSERT_OK(
        rwl_sorter_new(op, s->schema.fields, s->schema.field_count, &s->order, options, &s->sorter, err));
    return s;
}

static sorting *start(rwl_op *op, const char *columns, const char *order) {
    static const rwl_sorter_options unlimited;
    return start_with(op, columns, order, &unlimited);
}

static void stop(sorting *s) {
    rwl_sorter_free(s->sorter);
    rwl_batch_clear(&s->in);
    rwl_batch_clear(&s->out);
}

/* Rows "a,b c,d" of texts, "null" for null. */
static void fill(sorting *s, const char *rows) {
    char *copy = rwl_arena_strdup(test_arena(), rows), *rest = copy;
    rwl_batch_reset(&s->in);
    for (char *row; (row = strsep(&rest, " ")) != NULL;) {
        for (int32_t i = 0; i < s->schema.field_count; i++) {
            char *cell = strsep(&row, ",");
            const rwl_type *type = &s->schema.fields[i].type;
            rwl_value v = rwl_value_null(type->kind);
            if (strcmp(cell, "null") != 0)
                ASSERT_OK(rwl_value_parse(type, rwl_span_str(cell), test_arena(), &v, err));
            ASSERT_OK(rwl_column_append(&s->in.columns[i], test_env(), &v, 1, err));
        }
        s->in.length++;
    }
}

/* The first column of the rows in order. */
static const char *sorted_first(sorting *s, int64_t max_rows) {
    const char *text = "";
    for (;;) {
        ASSERT_OK(rwl_sorter_next(s->sorter, max_rows, &s->out, NULL, NULL, err));
        if (s->out.length == 0)
            return text;
        ck_assert_int_le(s->out.length, max_rows);
        for (int64_t row = 0; row < s->out.length; row++) {
            rwl_value v = rwl_column_value(&s->out.columns[0], row);
            rwl_buf cell;
            rwl_buf_init(&cell, test_env(), SIZE_MAX);
            ASSERT_OK(rwl_value_format(&s->schema.fields[0].type, &v, &cell, err));
            text = rwl_arena_printf(test_arena(), "%s%s%.*s", text, *text != '\0' ? " " : "", (int)cell.len,
                                    (const char *)cell.data);
            rwl_buf_clear(&cell);
        }
    }
}

START_TEST(orders_are_the_specifications) {
    static const struct {
        const char *columns, *order, *rows, *wanted;
    } cases[] = {
        {"n int, k int", "k", "1,3 2,null 3,-5 4,0", "2 3 4 1"},
        {"n int, k int", "k nulls last", "1,3 2,null 3,-5 4,0", "3 4 1 2"},
        {"n int, k int", "k desc", "1,3 2,null 3,-5 4,0", "1 4 3 2"},
        {"n int, k int", "k desc nulls first", "1,3 2,null 3,-5 4,0", "2 1 4 3"},
        {"n int, k double", "k", "1,NaN 2,Infinity 3,0.0 4,-0.0 5,-Infinity 6,null 7,1.5", "6 5 4 3 7 2 1"},
        {"n int, k double", "k desc", "1,NaN 2,Infinity 3,0.0 4,-0.0 5,-Infinity 6,null 7,1.5",
         "1 2 7 3 4 5 6"},
        {"n int, k float", "k", "1,NaN 2,Infinity 3,0.0 4,-0.0 5,-Infinity 6,null 7,1.5", "6 5 4 3 7 2 1"},
        {"n int, k string", "k", "1,b 2,a 3,ab 4,B 5,\xc3\xa4 6,z 7,null", "7 4 2 3 1 6 5"},
        {"n int, k string", "k desc", "1,b 2,a 3,ab 4,B 5,\xc3\xa4 6,z 7,null", "5 6 1 3 2 4 7"},
        {"n int, k binary", "k", "1,ff 2,00 3, 4,7f 5,80", "3 2 4 5 1"},
        {"n int, k boolean", "k desc", "1,false 2,true 3,null", "2 1 3"},
        {"n int, k decimal(20,2)", "k",
         "1,1.50 2,-1.50 3,100000000000000000.00 4,-100000000000000000.00 5,0.00", "4 2 5 1 3"},
        {"n int, k date", "k", "1,2026-01-01 2,1900-01-01 3,1970-01-01", "2 3 1"},
        {"n int, k uuid", "k",
         "1,80000000-0000-0000-0000-000000000000 2,7fffffff-0000-0000-0000-000000000000", "2 1"},
        {"n int, a string, b int", "a, b desc", "1,x,1 2,y,5 3,x,2 4,null,0 5,y,6", "4 3 1 5 2"},
        {"n int, k timestamp", "day(k), n desc",
         "1,2026-01-02T01:00:00.000000 2,2026-01-01T23:00:00.000000 3,2026-01-02T00:00:00.000000", "2 3 1"},
        {"n int, k string", "truncate(1, k), n desc", "1,ab 2,aa 3,b 4,ac", "4 2 1 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sorting *s = start(test_op(), cases[i].columns, cases[i].order);
        fill(s, cases[i].rows);
        ASSERT_OK(rwl_sorter_add(s->sorter, &s->in, NULL, NULL, err));
        ASSERT_OK(rwl_sorter_finish(s->sorter, err));
        const char *text = sorted_first(s, 3);
        ck_assert_msg(strcmp(text, cases[i].wanted) == 0, "%s by %s: %s, not %s", cases[i].columns,
                      cases[i].order, text, cases[i].wanted);
        stop(s);
    }
}
END_TEST

/* Case BIRD-19: "d desc nulls first, s asc nulls last". */
START_TEST(bird_19_order) {
    sorting *s = start(test_op(), "n int, d double, s string", "d desc nulls first, s asc nulls last");
    fill(s, "0,1.5,\xf0\x90\x80\x80 1,Infinity,a 2,null,a 3,-0.0,a 4,0.0,m 5,-Infinity,a 6,1.5,b "
            "7,1.5,\xf0\x90\x80\x80 8,NaN,null 9,0.0,null");
    ASSERT_OK(rwl_sorter_add(s->sorter, &s->in, NULL, NULL, err));
    ASSERT_OK(rwl_sorter_finish(s->sorter, err));
    ck_assert_str_eq(sorted_first(s, 100), "2 8 1 6 0 7 4 9 3 5");
    stop(s);
}
END_TEST

/* A field of structs as key: rows whose struct is null are null ones, whatever the slots below it hold. */
START_TEST(fields_of_structs_are_sorted_by) {
    static const struct {
        const char *order, *wanted;
    } cases[] = {{"s.k", "2 3 4 5 1"},
                 {"s.k desc", "1 5 4 2 3"},
                 {"s.u.t, n desc", "3 2 1 5 4"},
                 {"truncate(10, s.k), n desc", "3 2 5 4 1"}};
    static const int32_t ks[] = {30, 99, 0, 1, 2};       /* of n = 1, 2, …: 2 has no struct, 3 no k */
    static const char *ts[] = {"b", "z", "", "c", "bb"}; /* 3 has no u */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sorting *s = start(test_op(), "n int, s struct<k: int, u: struct<t: string>>", cases[i].order);
        rwl_column *at = &s->in.columns[1], *u = &at->children[1];
        for (int32_t n = 0; n < 5; n++) {
            rwl_value number = {.kind = RWL_TYPE_INT, .as.i32 = n + 1}, k = number, t;
            k.as.i32 = ks[n];
            k.is_null = n == 2;
            t = (rwl_value){.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_str(ts[n])};
            ASSERT_OK(rwl_column_append(&s->in.columns[0], test_env(), &number, 1, err));
            ASSERT_OK(rwl_column_append(&at->children[0], test_env(), &k, 1, err));
            ASSERT_OK(rwl_column_append(&u->children[0], test_env(), &t, 1, err));
        }
        at->length = u->length = s->in.length = 5;
        ASSERT_OK(rwl_column_need_validity(at, test_env(), 5, err));
        ASSERT_OK(rwl_column_need_validity(u, test_env(), 5, err));
        at->null_count = u->null_count = 1;
        rwl_bit_clear(at->validity.data, 1);
        rwl_bit_clear(u->validity.data, 2);
        ASSERT_OK(rwl_sorter_add(s->sorter, &s->in, NULL, NULL, err));
        ASSERT_OK(rwl_sorter_finish(s->sorter, err));
        const char *text = sorted_first(s, 3);
        ck_assert_msg(strcmp(text, cases[i].wanted) == 0, "by %s: %s, not %s", cases[i].order, text,
                      cases[i].wanted);
        stop(s);
    }
}
END_TEST

START_TEST(equal_keys_keep_their_order_across_batches) {
    sorting *s = start(test_op(), "n int, k int", "k");
    for (int batch = 0; batch < 4; batch++) {
        const char *rows = "";
        for (int i = 0; i < 5; i++)
            rows = rwl_arena_printf(test_arena(), "%s%s%d,%d", rows, i > 0 ? " " : "", batch * 5 + i, i % 2);
        fill(s, rows);
        ASSERT_OK(rwl_sorter_add(s->sorter, &s->in, NULL, NULL, err));
    }
    ASSERT_OK(rwl_sorter_finish(s->sorter, err));
    ck_assert_str_eq(sorted_first(s, 7), "0 2 4 5 7 9 10 12 14 15 17 19 1 3 6 8 11 13 16 18");
    stop(s);
}
END_TEST

START_TEST(lineage_goes_with_its_row) {
    sorting *s = start(test_op(), "k int, t string", "k desc");
    rwl_runs ids, versions;
    rwl_runs_init(&ids, test_env(), 1);
    rwl_runs_init(&versions, test_env(), 0);
    fill(s, "1,a 2,b 3,c");
    ASSERT_OK(rwl_runs_append(&ids, 10, 2, err)); /* 10, 11, null */
    ASSERT_OK(rwl_runs_append_null(&ids, 1, err));
    ASSERT_OK(rwl_runs_append(&versions, 7, 1, err)); /* 7, null, 8 */
    ASSERT_OK(rwl_runs_append_null(&versions, 1, err));
    ASSERT_OK(rwl_runs_append(&versions, 8, 1, err));
    ASSERT_OK(rwl_sorter_add(s->sorter, &s->in, &ids, &versions, err));
    ASSERT_OK(rwl_sorter_finish(s->sorter, err));
    ASSERT_OK(rwl_sorter_next(s->sorter, 10, &s->out, &ids, &versions, err));
    int64_t id, version;
    ck_assert_int_eq(s->out.length, 3);
    ck_assert(!rwl_runs_get(&ids, 0, &id));
    ck_assert(rwl_runs_get(&versions, 0, &version) && version == 8);
    ck_assert(rwl_runs_get(&ids, 1, &id) && id == 11);
    ck_assert(!rwl_runs_get(&versions, 1, &version));
    ck_assert(rwl_runs_get(&ids, 2, &id) && id == 10);
    ck_assert(rwl_runs_get(&versions, 2, &version) && version == 7);
    rwl_runs_clear(&ids);
    rwl_runs_clear(&versions);
    stop(s);
}
END_TEST

/* Every type, nulls and values, comes back bit for bit. */
START_TEST(every_type_survives) {
    sorting *s = start(
        test_op(),
        "n int, a boolean, b int, c long, d float, e double, f decimal(9,2), g date, h time, i timestamp, "
        "j timestamptz, k timestamp_ns, l timestamptz_ns, m string, o uuid, p fixed[3], q binary, r unknown",
        "n desc");
    fill(s, "1,true,-5,5,NaN,-0.0,1.25,2026-01-01,00:00:01.000000,2026-01-01T00:00:00.000000,2026-01-01T00:"
            "00:00.000000+00:00,"
            "2026-01-01T00:00:00.000000001,2026-01-01T00:00:00.000000001+00:00,text,0f8fad5b-d9cb-469f-a165-"
            "70867728950e,00ff7f,00,null"
            " 2,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null"
            " 3,false,6,7,0.1,Infinity,-0.01,1969-01-01,23:59:59.999999,1969-01-01T00:00:00.000000,1969-01-"
            "01T00:00:00.000000+00:00,"
            "1969-01-01T00:00:00.000000001,1969-01-01T00:00:00.000000001+00:00,,ffffffff-d9cb-469f-a165-"
            "70867728950e,ffffff,,null");
    ASSERT_OK(rwl_sorter_add(s->sorter, &s->in, NULL, NULL, err));
    ASSERT_OK(rwl_sorter_finish(s->sorter, err));
    ASSERT_OK(rwl_sorter_next(s->sorter, 10, &s->out, NULL, NULL, err));
    ck_assert_int_eq(s->out.length, 3);
    rwl_u128 in[3] = {0, 0, 0}, out[3] = {0, 0, 0};
    for (int32_t i = 0; i < s->schema.field_count; i++) {
        ck_assert_int_eq(s->out.columns[i].null_count, s->in.columns[i].null_count);
        rwl_column_hash_rows(&s->in.columns[i], in);
        rwl_column_hash_rows(&s->out.columns[i], out);
    }
    for (int row = 0; row < 3; row++)
        ck_assert(in[row] == out[2 - row]);
    stop(s);
}
END_TEST

static void fill_numbers(sorting *s, int64_t first, int64_t count) {
    rwl_batch_reset(&s->in);
    for (int64_t i = 0; i < count; i++) {
        rwl_value n = {.kind = RWL_TYPE_LONG, .as.i64 = (first + i) * INT64_C(7919) % 200003};
        char text[32];
        rwl_value t = {.kind = RWL_TYPE_STRING,
                       .as.bytes =
                           rwl_span_of(text, (size_t)sprintf(text, "text %lld", (long long)n.as.i64))};
        ASSERT_OK(rwl_column_append(&s->in.columns[0], test_env(), &n, 1, err));
        ASSERT_OK(rwl_column_append(&s->in.columns[1], test_env(), &t, 1, err));
    }
    s->in.length = count;
}

/* Chunks hold a batch; a batch larger than one is cut. */
START_TEST(many_rows_are_sorted) {
    sorting *s = start(test_op(), "n long, t string", "n");
    fill_numbers(s, 0, 150000);
    ASSERT_OK(rwl_sorter_add(s->sorter, &s->in, NULL, NULL, err));
    fill_numbers(s, 150000, 50000);
    ASSERT_OK(rwl_sorter_add(s->sorter, &s->in, NULL, NULL, err));
    ck_assert_int_eq(rwl_sorter_rows(s->sorter), 200000);
    ASSERT_OK(rwl_sorter_finish(s->sorter, err));
    int64_t rows = 0, last = -1;
    for (;;) {
        ASSERT_OK(rwl_sorter_next(s->sorter, RWL_BATCH_ROWS, &s->out, NULL, NULL, err));
        if (s->out.length == 0)
            break;
        for (int64_t i = 0; i < s->out.length; i++) {
            int64_t n = rwl_column_i64(&s->out.columns[0])[i];
            char text[32];
            rwl_span t = rwl_column_bytes(&s->out.columns[1], i);
            sprintf(text, "text %lld", (long long)n);
            ck_assert(n > last && t.len == strlen(text) && memcmp(t.data, text, t.len) == 0);
            last = n;
        }
        rows += s->out.length;
    }
    ck_assert_int_eq(rows, 200000); /* 7919 and 200003 are prime: all different */
    stop(s);
}
END_TEST

START_TEST(a_sorter_is_used_again_after_reset) {
    sorting *s = start(test_op(), "n int, k int", "k");
    for (int i = 0; i < 3; i++) {
        fill(s, "1,2 2,1");
        ASSERT_OK(rwl_sorter_add(s->sorter, &s->in, NULL, NULL, err));
        ASSERT_OK(rwl_sorter_finish(s->sorter, err));
        ck_assert_str_eq(sorted_first(s, 10), "2 1");
        rwl_sorter_reset(s->sorter);
        ck_assert_int_eq(rwl_sorter_rows(s->sorter), 0);
        ck_assert_int_eq(rwl_sorter_bytes(s->sorter), 0);
    }
    ASSERT_OK(rwl_sorter_finish(s->sorter, err));
    ck_assert_str_eq(sorted_first(s, 10), "");
    stop(s);
}
END_TEST

/* 50,000 rows of 8 + 10 bytes and keys as long do not fit half a megabyte, but a file. */
START_TEST(rows_over_the_memory_go_to_a_file) {
    rwl_op op;
    rwl_op_init(&op, test_env(), 1 << 20);
    rwl_sorter_options options = {.memory = 1 << 19};
    sorting *s = start_with(&op, "n long, t string", "t", &options);
    fill_numbers(s, 0, 50000);
    ASSERT_OK(rwl_sorter_add(s->sorter, &s->in, NULL, NULL, err));
    ASSERT_OK(rwl_sorter_finish(s->sorter, err));
    ck_assert_int_gt(rwl_sorter_spilled(s->sorter), 50000 * 18 / 2);
    char last[32] = "";
    int64_t rows = 0;
    for (;;) {
        ASSERT_OK(rwl_sorter_next(s->sorter, RWL_BATCH_ROWS, &s->out, NULL, NULL, err));
        if (s->out.length == 0)
            break;
        for (int64_t i = 0; i < s->out.length; i++) {
            rwl_span t = rwl_column_bytes(&s->out.columns[1], i);
            char text[32];
            ck_assert_int_eq(snprintf(text, sizeof text, "%.*s", (int)t.len, (const char *)t.data),
                             (int)t.len);
            ck_assert_msg(strcmp(last, text) < 0, "%s before %s", last, text);
            memcpy(last, text, sizeof last);
        }
        rows += s->out.length;
    }
    ck_assert_int_eq(rows, 50000);
    stop(s);
    ck_assert_int_eq(atomic_load(&op.memory_used), 0);
}
END_TEST

START_TEST(orders_that_cannot_be_followed_are_refused) {
    rwl_schema schema;
    rwl_sort_order order;
    rwl_sorter *sorter = NULL;
    rwl_sorter_options options = {0};
    ASSERT_OK(rwl_schema_from_text("a int, b string", test_arena(), &schema, err));
    ASSERT_OK(rwl_sort_order_from_text("b", &schema, test_arena(), &order, err));
    ASSERT_FAILS(RWL_UNSUPPORTED, "field 2",
                 rwl_sorter_new(test_op(), schema.fields, 1, &order, &options, &sorter, err));
    rwl_sort_field odd = order.fields[0];
    odd.transform.kind = RWL_TRANSFORM_UNKNOWN;
    odd.transform.text = "zorder";
    order.fields = &odd;
    ASSERT_FAILS(RWL_UNSUPPORTED, "zorder",
                 rwl_sorter_new(test_op(), schema.fields, 2, &order, &options, &sorter, err));
}
END_TEST

/* A long, the offset of a string and two numbers of lineage are 8 + 4 + 16 bytes. */
START_TEST(disk_is_needed_for_what_does_not_fit) {
    rwl_field fields[] = {{.name = "id", .id = 1, .type = {.kind = RWL_TYPE_LONG}},
                          {.name = "s", .id = 2, .type = {.kind = RWL_TYPE_STRING}}};
    ck_assert_int_eq(rwl_sorter_row_bytes(fields, 2), 28);
    const int64_t mib = 1 << 20;
    ck_assert_int_eq(rwl_sorter_disk_bytes(300 * mib, 512 * mib), 0);
    ck_assert_int_eq(rwl_sorter_disk_bytes(INT64_MAX / 4, 0), 0); /* no limit, no disk */
    ck_assert_int_eq(rwl_sorter_disk_bytes(5000 * mib, 512 * mib), 5000 * mib);
    ck_assert_int_eq(rwl_sorter_disk_bytes(5000 * mib, 4 * mib),
                     10000 * mib); /* merged in more than one pass */
    ck_assert_int_eq(rwl_sorter_disk_bytes(INT64_MAX - 1, 4 * mib), INT64_MAX);
}
END_TEST

Suite *suite_sorter(void) {
    const TTest *const tests[] = {
        orders_are_the_specifications,
        bird_19_order,
        fields_of_structs_are_sorted_by,
        equal_keys_keep_their_order_across_batches,
        lineage_goes_with_its_row,
        every_type_survives,
        many_rows_are_sorted,
        a_sorter_is_used_again_after_reset,
        disk_is_needed_for_what_does_not_fit,
        rows_over_the_memory_go_to_a_file,
        orders_that_cannot_be_followed_are_refused,
    };
    return TEST_SUITE("sorter", tests);
}
