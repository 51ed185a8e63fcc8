/* SPDX-License-Identifier: Apache-2.0 */
/* The external sort against a naive one: tiny budgets, all types, failures of memory and files, cancellation. */
#include "engine_test.h"
#include "suites.h"

#include "engine/sorter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define COLUMNS                                                                                              \
    "n long, k int, b boolean, f float, d double, m decimal(9,2), t timestamp, s string, u uuid, x "         \
    "fixed[3], "                                                                                             \
    "y binary, z unknown"

/* --- random rows --- */

static uint64_t state;

static uint64_t next(void) {
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return state >> 33;
}

/* Lists and structs, which the text of a schema does not have, stand behind the flat columns. */
static const rwl_field element = {.name = "element", .id = 101, .type = {.kind = RWL_TYPE_STRING}};
static const rwl_field members[] = {{.name = "p", .id = 102, .type = {.kind = RWL_TYPE_LONG}},
                                    {.name = "q", .id = 103, .type = {.kind = RWL_TYPE_BOOLEAN}}};

typedef struct rows_of_all {
    rwl_schema schema;
    rwl_field fields[16];
    int32_t count;
    rwl_batch all; /* every row, in the order of adding */
    rwl_runs ids, versions;
    rwl_u128 *hashes; /* of the values of each row */
} rows_of_all;

static void append_value(rwl_column *c, const rwl_type *type, size_t longest) {
    rwl_value v = rwl_value_null(type->kind);
    uint8_t room[64];
    if (next() % 5 != 0 && type->kind != RWL_TYPE_UNKNOWN) {
        v.is_null = false;
        switch (type->kind) {
        case RWL_TYPE_BOOLEAN:
            v.as.b = next() & 1;
            break;
        case RWL_TYPE_INT:
            v.as.i32 = (int32_t)(next() % 50) - 25;
            break;
        case RWL_TYPE_FLOAT:
            v.as.f32 = (float)(next() % 100) / 7;
            break;
        case RWL_TYPE_DOUBLE:
            v.as.f64 = (double)(next() % 100) / 7;
            break;
        case RWL_TYPE_DECIMAL:
            v.as.i128 = (rwl_i128)(next() % 1000) - 500;
            break;
        case RWL_TYPE_STRING:
        case RWL_TYPE_BINARY:
        case RWL_TYPE_UUID:
        case RWL_TYPE_FIXED: {
            size_t len = type->kind == RWL_TYPE_UUID    ? 16
                         : type->kind == RWL_TYPE_FIXED ? 3
                                                        : next() % longest;
            for (size_t i = 0; i < len; i++) /* long common beginnings, and zero bytes */
                room[i] =
                    i < 17 ? 'a' : (uint8_t)(type->kind == RWL_TYPE_BINARY ? next() % 3 : 'a' + next() % 3);
            v.as.bytes = rwl_span_of(room, len);
            break;
        }
        default:
            v.as.i64 = (int64_t)(next() % 1000);
            break;
        }
    }
    ASSERT_OK(rwl_column_append(c, test_env(), &v, 1, err));
}

static void set_length(rwl_column *c, const int32_t *offset) {
    if (offset != NULL) {
        ASSERT_OK(rwl_column_reserve(c, test_env(), c->length + 1, 0, err));
        ((int32_t *)(void *)c->offsets.data)[c->length + 1] = *offset;
    }
    c->length++;
}

static void make_rows(rows_of_all *r, int64_t count) {
    memset(r, 0, sizeof *r);
    ASSERT_OK(rwl_schema_from_text(COLUMNS, test_arena(), &r->schema, err));
    for (; r->count < r->schema.field_count; r->count++)
        r->fields[r->count] = r->schema.fields[r->count];
    r->fields[r->count++] = (rwl_field){
        .name = "l", .id = 100, .type = {.kind = RWL_TYPE_LIST, .children = &element, .child_count = 1}};
    r->fields[r->count++] = (rwl_field){
        .name = "w", .id = 104, .type = {.kind = RWL_TYPE_STRUCT, .children = members, .child_count = 2}};
    r->fields[r->count++] = (rwl_field){.name = "g", .id = 105, .type = {.kind = RWL_TYPE_GEOMETRY}};
    ASSERT_OK(rwl_batch_init(&r->all, test_env(), r->fields, r->count, err));
    rwl_runs_init(&r->ids, test_env(), 1);
    rwl_runs_init(&r->versions, test_env(), 0);
    for (int64_t row = 0; row < count; row++) {
        int32_t i = 0;
        for (; i < r->schema.field_count; i++)
            append_value(&r->all.columns[i], &r->fields[i].type, 30);
        rwl_column *list = &r->all.columns[i], *group = &r->all.columns[i + 1],
                   *shape = &r->all.columns[i + 2];
        for (uint64_t k = next() % 4; k > 0; k--)
            append_value(&list->children[0], &element.type, 20);
        int32_t end = (int32_t)list->children[0].length;
        set_length(list, &end);
        for (int k = 0; k < 2; k++)
            append_value(&group->children[k], &members[k].type, 1);
        set_length(group, NULL);
        rwl_value wkb = {.kind = RWL_TYPE_GEOMETRY, .as.bytes = rwl_span_of("point", next() % 6)};
        ASSERT_OK(rwl_column_append(shape, test_env(), &wkb, 1, err));
        if (next() % 7 == 0)
            ASSERT_OK(rwl_runs_append_null(&r->ids, 1, err));
        else
            ASSERT_OK(rwl_runs_append(&r->ids, next() % 3 == 0 ? row * 10 : row, 1, err));
        ASSERT_OK(rwl_runs_append(&r->versions, (int64_t)(next() % 2), 1, err));
    }
    r->all.length = count;
    r->hashes = rwl_arena_array(test_arena(), (size_t)count + 1, sizeof *r->hashes);
    for (int32_t i = 0; i < r->count; i++)
        rwl_column_hash_rows(&r->all.columns[i], r->hashes);
}

static void clear_rows(rows_of_all *r) {
    rwl_batch_clear(&r->all);
    rwl_runs_clear(&r->ids);
    rwl_runs_clear(&r->versions);
}

/* --- the naive sort --- */

static const rows_of_all *comparing;
static const rwl_sort_order *comparing_by;

static int compare_rows(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    for (int32_t i = 0; i < comparing_by->field_count; i++) {
        const rwl_sort_field *by = &comparing_by->fields[i];
        const rwl_column *c = NULL;
        for (int32_t k = 0; k < comparing->count; k++)
            if (comparing->fields[k].id == by->source_id)
                c = &comparing->all.columns[k];
        rwl_value stored = rwl_column_value(c, x), other = rwl_column_value(c, y), v, w;
        ck_assert(rwl_transform_apply(&by->transform, &stored, &v, NULL) == RWL_OK &&
                  rwl_transform_apply(&by->transform, &other, &w, NULL) == RWL_OK);
        int order = v.is_null || w.is_null ? (by->nulls_first ? 1 : -1) * ((int)w.is_null - (int)v.is_null)
                                           : (by->descending ? -1 : 1) * rwl_value_compare(&v, &w);
        if (order != 0)
            return order;
    }
    return x < y ? -1 : x > y;
}

static int32_t *sort_naively(const rows_of_all *r, const rwl_sort_order *by) {
    int32_t *rows = rwl_arena_array(test_arena(), (size_t)r->all.length + 1, sizeof *rows);
    for (int32_t i = 0; i < r->all.length; i++)
        rows[i] = i;
    comparing = r;
    comparing_by = by;
    qsort(rows, (size_t)r->all.length, sizeof *rows, compare_rows);
    return rows;
}

/* --- the sorter --- */

static rwl_status add_all(rwl_sorter *sorter, const rows_of_all *r, rwl_error *err) {
    rwl_batch part;
    rwl_runs ids, versions;
    RWL_TRY(rwl_batch_init(&part, test_env(), r->fields, r->count, err));
    rwl_runs_init(&ids, test_env(), 1);
    rwl_runs_init(&versions, test_env(), 0);
    rwl_status st = RWL_OK;
    for (int64_t at = 0; st == RWL_OK && at < r->all.length;) {
        rwl_range rows = {at, 1 + (int64_t)(next() % 700)};
        rows.count = rows.count > r->all.length - at ? r->all.length - at : rows.count;
        rows.count = next() % 10 == 0 ? 0 : rows.count; /* batches without rows too */
        rwl_batch_reset(&part);
        rwl_runs_reset(&ids);
        rwl_runs_reset(&versions);
        st = rwl_batch_take_ranges(&r->all, &rows, 1, &part, err);
        if (st == RWL_OK)
            st = rwl_runs_take_ranges(&r->ids, &rows, 1, &ids, err);
        if (st == RWL_OK)
            st = rwl_runs_take_ranges(&r->versions, &rows, 1, &versions, err);
        if (st == RWL_OK)
            st = rwl_sorter_add(sorter, &part, &ids, &versions, err);
        at += rows.count;
    }
    rwl_batch_clear(&part);
    rwl_runs_clear(&ids);
    rwl_runs_clear(&versions);
    return st;
}

static void check_number(const rwl_runs *got, int64_t i, const rwl_runs *wanted, int64_t row) {
    int64_t a = 0, b = 0;
    bool has_a = rwl_runs_get(got, i, &a), has_b = rwl_runs_get(wanted, row, &b);
    ck_assert(has_a == has_b && (!has_a || a == b));
}

/* Values by their hashes, which tell types, nulls and bits apart; and lineage. */
static void check_rows(const rows_of_all *r, const rwl_batch *out, const rwl_runs *ids,
                       const rwl_runs *versions, const int32_t *rows) {
    static rwl_u128 got[RWL_BATCH_ROWS];
    memset(got, 0, (size_t)out->length * sizeof *got);
    for (int32_t i = 0; i < r->count; i++)
        rwl_column_hash_rows(&out->columns[i], got);
    for (int64_t i = 0; i < out->length; i++) {
        ck_assert_msg(got[i] == r->hashes[rows[i]], "row %lld is not row %d", (long long)i, rows[i]);
        check_number(ids, i, &r->ids, rows[i]);
        check_number(versions, i, &r->versions, rows[i]);
    }
}

/* Runs the sorter; rows are checked against `wanted` unless it is NULL. Returns how many came out. */
static rwl_status run(rwl_op *op, const rows_of_all *r, const rwl_sort_order *by,
                      const rwl_sorter_options *options, const int32_t *wanted, int64_t *count,
                      int64_t *spilled, rwl_error *err) {
    rwl_sorter *sorter = NULL;
    rwl_batch out;
    rwl_runs ids, versions;
    *count = 0;
    state = 1; /* the same batches every time */
    rwl_runs_init(&ids, test_env(), 1);
    rwl_runs_init(&versions, test_env(), 0);
    rwl_status st = rwl_batch_init(&out, test_env(), r->fields, r->count, err);
    if (st == RWL_OK)
        st = rwl_sorter_new(op, r->fields, r->count, by, options, &sorter, err);
    if (st == RWL_OK)
        st = add_all(sorter, r, err);
    if (st == RWL_OK)
        st = rwl_sorter_finish(sorter, err);
    while (st == RWL_OK) {
        st = rwl_sorter_next(sorter, 1000, &out, &ids, &versions, err);
        if (st != RWL_OK || out.length == 0)
            break;
        if (wanted != NULL)
            check_rows(r, &out, &ids, &versions, wanted + *count);
        *count += out.length;
    }
    if (spilled != NULL && sorter != NULL)
        *spilled = rwl_sorter_spilled(sorter);
    rwl_sorter_free(sorter);
    rwl_batch_clear(&out);
    rwl_runs_clear(&ids);
    rwl_runs_clear(&versions);
    return st;
}

static const char *const orders[] = {
    "k",    "k desc nulls last, s", "s, k desc",       "d, f, b", "y desc", "truncate(2, s), n desc",
    "u, x", "bucket(4, n), k",      "m, t nulls last", "z, n"};

/* From all in memory to merges in several passes: 12,000 rows are about 2 MB. */
START_TEST(any_budget_sorts_as_the_naive_sort_does) {
    static const int64_t budgets[] = {0, 1 << 20, 500 << 10, 200 << 10};
    rows_of_all r;
    state = 7 + (uint64_t)_i;
    make_rows(&r, 12000);
    rwl_sort_order by;
    ASSERT_OK(rwl_sort_order_from_text(orders[_i], &r.schema, test_arena(), &by, err));
    int32_t *wanted = sort_naively(&r, &by);
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        rwl_sorter_options options = {.memory = budgets[i]};
        int64_t count, spilled;
        ASSERT_OK(run(test_op(), &r, &by, &options, wanted, &count, &spilled, err));
        ck_assert_int_eq(count, r.all.length);
        ck_assert((spilled > 0) == (i > 0));
        ck_assert_int_eq(atomic_load(&test_op()->memory_used), 0);
        ck_assert(i != 3 || spilled > 4 << 20); /* written twice at least */
    }
    clear_rows(&r);
}
END_TEST

START_TEST(a_limit_gives_the_first_rows) {
    static const int64_t limits[] = {1, 10, 999, 5000, 19999, 20000, 30000};
    rows_of_all r;
    state = 77;
    make_rows(&r, 20000);
    rwl_sort_order by;
    ASSERT_OK(rwl_sort_order_from_text("k, s desc", &r.schema, test_arena(), &by, err));
    int32_t *wanted = sort_naively(&r, &by);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        for (int k = 0; k < 2; k++) {
            rwl_sorter_options options = {.limit = limits[i], .memory = k == 0 ? 0 : 300 << 10};
            int64_t count;
            ASSERT_OK(run(test_op(), &r, &by, &options, wanted, &count, NULL, err));
            ck_assert_int_eq(count, limits[i] < 20000 ? limits[i] : 20000);
        }
    }
    clear_rows(&r);
}
END_TEST

/* 3 million rows of which the first 1000 are wanted: what is held is about those. */
START_TEST(a_limit_needs_no_memory_for_the_rest) {
    rwl_field field = {.name = "n", .id = 1, .type = {.kind = RWL_TYPE_LONG}};
    rwl_sort_field key = {.source_id = 1, .transform = {.kind = RWL_TRANSFORM_IDENTITY, .text = "identity"}};
    rwl_sort_order by = {.fields = &key, .field_count = 1};
    rwl_sorter_options options = {.limit = 1000};
    rwl_sorter *sorter = NULL;
    rwl_batch batch;
    ASSERT_OK(rwl_batch_init(&batch, test_env(), &field, 1, err));
    ASSERT_OK(rwl_sorter_new(test_op(), &field, 1, &by, &options, &sorter, err));
    ASSERT_OK(rwl_column_reserve(&batch.columns[0], test_env(), 50000, 0, err));
    for (int64_t i = 0; i < 60; i++) {
        int64_t *values = (int64_t *)(void *)batch.columns[0].values.data;
        for (int64_t k = 0; k < 50000; k++)
            values[k] = (i * 50000 + k) * INT64_C(7368787) % 3000017; /* both prime: all different */
        batch.length = batch.columns[0].length = 50000;
        ASSERT_OK(rwl_sorter_add(sorter, &batch, NULL, NULL, err));
        ck_assert_int_lt(rwl_sorter_bytes(sorter), 6 << 20);
    }
    ASSERT_OK(rwl_sorter_finish(sorter, err));
    ASSERT_OK(rwl_sorter_next(sorter, 100000, &batch, NULL, NULL, err));
    ck_assert_int_eq(batch.length, 1000);
    int64_t last = -1;
    for (int64_t i = 0; i < 1000; i++) {
        ck_assert_int_gt(rwl_column_i64(&batch.columns[0])[i], last);
        last = rwl_column_i64(&batch.columns[0])[i];
    }
    ck_assert_int_lt(last, 1000 + 17); /* 17 numbers below 3000017 do not occur */
    rwl_sorter_free(sorter);
    rwl_batch_clear(&batch);
}
END_TEST

START_TEST(memory_stays_below_the_budget) {
    rows_of_all r;
    state = 3;
    make_rows(&r, 40000); /* 6 MB */
    rwl_sort_order by;
    ASSERT_OK(rwl_sort_order_from_text("s, k", &r.schema, test_arena(), &by, err));
    const int64_t budgets[] = {4 << 20, 3 << 20, rwl_sorter_least_memory(r.count + 2)};
    for (size_t i = 0; i < 3; i++) {
        rwl_sorter_options options = {.memory = budgets[i]};
        int64_t count, spilled;
        test_count_memory();
        ASSERT_OK(run(test_op(), &r, &by, &options, NULL, &count, &spilled, err));
        ck_assert_int_gt(spilled, 0);
        int64_t callers = 300 << 10; /* two batches of 1000 rows */
        ck_assert_msg(test_peak_memory() < budgets[i] + budgets[i] / 10 + callers, "%lld of %lld",
                      (long long)test_peak_memory(), (long long)budgets[i]);
    }
    clear_rows(&r);
}
END_TEST

/* A row of 3 MB among small ones, in a budget of 16. */
START_TEST(a_huge_row_is_sorted) {
    rwl_schema schema;
    rwl_sort_order by;
    ASSERT_OK(rwl_schema_from_text("n long, s string", test_arena(), &schema, err));
    ASSERT_OK(rwl_sort_order_from_text("n desc", &schema, test_arena(), &by, err));
    rwl_sorter_options options = {.memory = 16 << 20};
    rwl_sorter *sorter = NULL;
    rwl_batch batch;
    char *text = rwl_arena_alloc(test_arena(), 3 << 20);
    memset(text, 'x', 3 << 20);
    ASSERT_OK(rwl_batch_init(&batch, test_env(), schema.fields, 2, err));
    ASSERT_OK(rwl_sorter_new(test_op(), schema.fields, 2, &by, &options, &sorter, err));
    for (int64_t i = 0; i < 100; i++) {
        rwl_batch_reset(&batch);
        rwl_value n = {.kind = RWL_TYPE_LONG, .as.i64 = i * 37 % 100};
        rwl_value s = {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_of(text, i % 10 == 3 ? 3 << 20 : 10)};
        ASSERT_OK(rwl_column_append(&batch.columns[0], test_env(), &n, 1, err));
        ASSERT_OK(rwl_column_append(&batch.columns[1], test_env(), &s, 1, err));
        batch.length = 1;
        ASSERT_OK(rwl_sorter_add(sorter, &batch, NULL, NULL, err));
    }
    ASSERT_OK(rwl_sorter_finish(sorter, err));
    int64_t wanted = 99;
    size_t bytes = 0;
    for (;;) {
        ASSERT_OK(rwl_sorter_next(sorter, 1000, &batch, NULL, NULL, err));
        if (batch.length == 0)
            break;
        for (int64_t i = 0; i < batch.length; i++, wanted--) {
            ck_assert_int_eq(rwl_column_i64(&batch.columns[0])[i], wanted);
            bytes += rwl_column_bytes(&batch.columns[1], i).len;
        }
    }
    ck_assert_int_eq(wanted, -1);
    ck_assert_uint_eq(bytes, 10 * (size_t)(3 << 20) + 90 * 10);
    ck_assert_int_gt(rwl_sorter_spilled(sorter), 10 << 20);
    rwl_sorter_free(sorter);
    rwl_batch_clear(&batch);
}
END_TEST

/* --- failures --- */

static int64_t calls_left, calls_made;

static bool fails(void) {
    calls_made++;
    return calls_left >= 0 && calls_left-- == 0;
}

static ssize_t failing_pwrite(int fd, const void *data, size_t len, off_t off) {
    if (fails()) {
        errno = ENOSPC;
        return -1;
    }
    return pwrite(fd, data, len > 5000 ? 5000 : len, off); /* short writes are gone on with */
}

static ssize_t failing_pread(int fd, void *data, size_t len, off_t off) {
    if (fails()) {
        errno = EIO;
        return -1;
    }
    return pread(fd, data, len > 5000 ? 5000 : len, off);
}

static int failing_open(const char *dir) {
    if (fails()) {
        errno = ENOENT;
        return -1;
    }
    return rwl_spill_libc_calls.open_unnamed(dir);
}

static const rwl_spill_calls failing_calls = {failing_open, failing_pwrite, failing_pread};

START_TEST(a_failing_file_is_told_with_its_directory) {
    rows_of_all r;
    state = 5;
    make_rows(&r, 3000);
    rwl_sort_order by;
    ASSERT_OK(rwl_sort_order_from_text("s, k", &r.schema, test_arena(), &by, err));
    rwl_sorter_options options = {.memory = 150 << 10, .calls = &failing_calls};
    ck_assert_int_eq(setenv("TMPDIR", test_path("."), 1), 0);
    int64_t count, made;
    calls_left = -1;
    calls_made = 0;
    ASSERT_OK(run(test_op(), &r, &by, &options, NULL, &count, NULL, err));
    made = calls_made;
    ck_assert_int_gt(made, 50);
    for (int64_t n = 0; n < made; n += n < 20 ? 1 : 7) {
        rwl_error err = {0};
        calls_left = n;
        ck_assert_int_eq(run(test_op(), &r, &by, &options, NULL, &count, NULL, &err), RWL_IO);
        ck_assert_msg(strstr(err.message, test_path(".")) != NULL, "%s", err.message);
        ck_assert_int_eq(atomic_load(&test_op()->memory_used), 0);
    }
    ck_assert_str_eq(test_listing("."), ""); /* nothing has a name */
    clear_rows(&r);
}
END_TEST

static ssize_t damaging_pread(int fd, void *data, size_t len, off_t off) {
    ssize_t n = pread(fd, data, len, off);
    if (n > 0 && fails())
        ((uint8_t *)data)[(size_t)n / 2] ^= 1;
    return n;
}

START_TEST(bytes_that_changed_in_the_file_are_found) {
    static const rwl_spill_calls damaging = {failing_open, failing_pwrite, damaging_pread};
    rows_of_all r;
    state = 5;
    make_rows(&r, 3000);
    rwl_sort_order by;
    ASSERT_OK(rwl_sort_order_from_text("s, k", &r.schema, test_arena(), &by, err));
    rwl_sorter_options options = {.memory = 150 << 10, .calls = &failing_calls};
    int64_t count;
    calls_left = -1;
    calls_made = 0;
    ASSERT_OK(run(test_op(), &r, &by, &options, NULL, &count, NULL, err));
    int found = 0;
    int64_t made = calls_made;
    options.calls = &damaging;
    for (int64_t n = 60; n < made; n += 41) { /* those that fall on writes fail otherwise */
        rwl_error err = {0};
        calls_left = n;
        rwl_status st = run(test_op(), &r, &by, &options, NULL, &count, NULL, &err);
        ck_assert(st == RWL_IO || calls_left >= 0);
        found += strstr(err.message, "other bytes") != NULL;
    }
    ck_assert_int_gt(found, 0);
    clear_rows(&r);
}
END_TEST

static int64_t allocations_left;

static void *failing_realloc(void *ctx, void *old, size_t size) {
    (void)ctx;
    if (size > 0 && allocations_left >= 0 && allocations_left-- == 0)
        return NULL;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return realloc(old, size);
}

static void *failing_alloc(void *ctx, size_t alignment, size_t size) {
    (void)ctx;
    if (allocations_left >= 0 && allocations_left-- == 0)
        return NULL;
    return aligned_alloc(alignment, size);
}

static void free_block(void *ctx, void *block) {
    (void)ctx;
    free(block);
}

START_TEST(no_allocation_that_fails_leaks) {
    allocations_left = -1;
    test_env()->realloc = failing_realloc;
    test_env()->alloc_aligned = failing_alloc;
    test_env()->free_aligned = free_block;
    rows_of_all r;
    state = 9;
    make_rows(&r, 1500);
    rwl_sort_order by;
    ASSERT_OK(rwl_sort_order_from_text("s, k", &r.schema, test_arena(), &by, err));
    rwl_sorter_options options = {.memory = 150 << 10};
    int64_t count;
    bool failed = true;
    for (int64_t n = 0; failed; n += n < 300 ? 1 : 37) {
        rwl_error err = {0};
        allocations_left = n;
        rwl_status st = run(test_op(), &r, &by, &options, NULL, &count, NULL, &err);
        failed = allocations_left < 0;
        allocations_left = -1;
        ck_assert_msg(st == (failed ? RWL_NO_MEMORY : RWL_OK), "%d: %s", (int)st, err.message);
        ck_assert_int_eq(atomic_load(&test_op()->memory_used), 0);
    }
    clear_rows(&r);
}
END_TEST

static rwl_op *to_cancel;

static ssize_t cancelling_pwrite(int fd, const void *data, size_t len, off_t off) {
    if (calls_left-- == 0)
        atomic_store(&to_cancel->cancelled, 1);
    return pwrite(fd, data, len, off);
}

/* Between a cancellation and the end are a block or two. */
START_TEST(a_cancelled_sort_ends) {
    rwl_spill_calls calls = rwl_spill_libc_calls;
    calls.pwrite = cancelling_pwrite;
    rows_of_all r;
    state = 11;
    make_rows(&r, 20000);
    rwl_sort_order by;
    ASSERT_OK(rwl_sort_order_from_text("s, k", &r.schema, test_arena(), &by, err));
    to_cancel = test_op();
    rwl_sorter_options options = {.memory = 300 << 10, .calls = &calls};
    for (int n = 0; n < 20; n += 3) {
        int64_t count;
        calls_left = n;
        ASSERT_FAILS(RWL_INTERRUPTED, "interrupted",
                     run(test_op(), &r, &by, &options, NULL, &count, NULL, err));
        ck_assert_int_ge(calls_left, -4);
        atomic_store(&to_cancel->cancelled, 0);
    }
    clear_rows(&r);
}
END_TEST

/* What is in order already is one run, whatever the budget: it is not merged in passes. */
START_TEST(sorted_input_is_one_run) {
    rwl_field field = {.name = "n", .id = 1, .type = {.kind = RWL_TYPE_LONG}};
    rwl_sort_field key = {.source_id = 1, .transform = {.kind = RWL_TRANSFORM_IDENTITY, .text = "identity"}};
    rwl_sort_order by = {.fields = &key, .field_count = 1};
    rwl_sorter_options options = {.memory = 200 << 10};
    rwl_sorter *sorter = NULL;
    rwl_batch batch;
    ASSERT_OK(rwl_batch_init(&batch, test_env(), &field, 1, err));
    ASSERT_OK(rwl_sorter_new(test_op(), &field, 1, &by, &options, &sorter, err));
    ASSERT_OK(rwl_column_reserve(&batch.columns[0], test_env(), 1000, 0, err));
    for (int64_t i = 0; i < 300; i++) {
        for (int64_t k = 0; k < 1000; k++)
            ((int64_t *)(void *)batch.columns[0].values.data)[k] = (i * 1000 + k) / 3;
        batch.length = batch.columns[0].length = 1000;
        ASSERT_OK(rwl_sorter_add(sorter, &batch, NULL, NULL, err));
    }
    ASSERT_OK(rwl_sorter_finish(sorter, err));
    ck_assert_int_lt(rwl_sorter_spilled(sorter), 300000 * 8 * 11 / 10); /* written once */
    int64_t rows = 0;
    for (;;) {
        ASSERT_OK(rwl_sorter_next(sorter, 100000, &batch, NULL, NULL, err));
        if (batch.length == 0)
            break;
        for (int64_t i = 0; i < batch.length; i++)
            ck_assert_int_eq(rwl_column_i64(&batch.columns[0])[i], (rows + i) / 3);
        rows += batch.length;
    }
    ck_assert_int_eq(rows, 300000);
    rwl_sorter_free(sorter);
    rwl_batch_clear(&batch);
}
END_TEST

Suite *suite_sorter_spill(void) {
    const TTest *const tests[] = {
        a_limit_gives_the_first_rows,
        a_limit_needs_no_memory_for_the_rest,
        memory_stays_below_the_budget,
        a_huge_row_is_sorted,
        a_failing_file_is_told_with_its_directory,
        bytes_that_changed_in_the_file_are_found,
        no_allocation_that_fails_leaks,
        a_cancelled_sort_ends,
        sorted_input_is_one_run,
    };
    Suite *suite = TEST_SUITE("sorter_spill", tests);
    TCase *tc = tcase_create("budgets");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, engine_setup, engine_teardown);
    tcase_add_loop_test(tc, any_budget_sorts_as_the_naive_sort_does, 0,
                        (int)(sizeof orders / sizeof *orders));
    suite_add_tcase(suite, tc);
    return suite;
}
