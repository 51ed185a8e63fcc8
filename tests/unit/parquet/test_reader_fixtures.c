/* SPDX-License-Identifier: Apache-2.0 */
/* Files of other writers, compared with what DuckDB read from them: rows, non-null counts, least and greatest. */
#include "reader_support.h"
#include "suites.h"
#include "writer_support.h"

#include "base/json.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPECTED FIXTURES_DIR "/EXPECTED-parquet-duckdb-1.5.6.json"

typedef struct tally {
    int files, refused_files, columns, refused_columns;
} tally;

/* DuckDB's text into a value of the type; false when there is no such comparison. */
static bool parse_expected(const rwl_type *type, const char *text, rwl_arena *arena, rwl_value *out) {
    char copy[256];
    size_t len = strlen(text);
    if (len >= sizeof copy)
        return false;
    memcpy(copy, text, len + 1);
    *out = rwl_value_null(type->kind);
    out->is_null = false;
    char *end;
    switch (type->kind) {
    case RWL_TYPE_FLOAT:
        out->as.f32 = strtof(text, &end);
        return *end == 0;
    case RWL_TYPE_DOUBLE:
        out->as.f64 = strtod(text, &end);
        return *end == 0;
    case RWL_TYPE_STRING:
        out->as.bytes = rwl_span_str(rwl_arena_strdup(arena, text));
        return true;
    case RWL_TYPE_BINARY:
    case RWL_TYPE_FIXED: {
        size_t n = 0;
        for (size_t i = 0; i < len; n++) {
            unsigned byte = (unsigned char)text[i];
            if (text[i] == '\\' && sscanf(text + i, "\\x%2x", &byte) == 1)
                i += 4;
            else
                i++;
            copy[n] = (char)byte;
        }
        out->as.bytes = rwl_span_of(rwl_arena_copy(arena, copy, n), n);
        return true;
    }
    case RWL_TYPE_TIME:
        copy[strcspn(copy, "+")] = 0;
        break;
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS: {
        if (strstr(copy, "(BC)") || len < 19 || copy[10] != ' ')
            return false;
        copy[10] = 'T';
        char *zone = strchr(copy, '+');
        bool tz = type->kind == RWL_TYPE_TIMESTAMPTZ || type->kind == RWL_TYPE_TIMESTAMPTZ_NS;
        if (zone)
            *zone = 0;
        if (tz)
            strcat(copy, "Z");
        break;
    }
    default:
        break;
    }
    return rwl_value_parse(type, rwl_span_str(copy), arena, out, NULL) == RWL_OK;
}

/* DuckDB puts NaN above all numbers, and does not tell zeros apart. */
static int compare(const rwl_value *a, const rwl_value *b) {
    if (a->kind == RWL_TYPE_FLOAT && a->as.f32 == b->as.f32)
        return 0;
    if (a->kind == RWL_TYPE_DOUBLE && a->as.f64 == b->as.f64)
        return 0;
    return rwl_value_compare(a, b);
}

static void check_bound(const char *where, const rwl_type *type, rwl_json *want, const rwl_value *got,
                        rwl_arena *arena) {
    const char *text = rwl_json_str(want);
    rwl_value v;
    if (type->kind == RWL_TYPE_GEOMETRY || type->kind == RWL_TYPE_GEOGRAPHY)
        return;                               /* DuckDB shows them as text, in an order of its own */
    bool is_cut = text && strlen(text) >= 57; /* the list has the first 60 characters */
    if (is_cut && rwl_type_is_bytes(type)) {
        ck_assert_msg(type->kind == RWL_TYPE_BINARY || (got->as.bytes.len >= strlen(text) &&
                                                        memcmp(got->as.bytes.data, text, strlen(text)) == 0),
                      "%s: begins otherwise", where);
        return;
    }
    if (!text || !parse_expected(type, text, arena, &v)) {
        ck_assert_msg(!text || strstr(text, "(BC)"), "%s: %s", where, text);
        return;
    }
    rwl_env env;
    rwl_env_init_default(&env);
    rwl_buf shown;
    rwl_buf_init(&shown, &env, SIZE_MAX);
    ck_assert_int_eq(rwl_value_format(type, got, &shown, NULL), RWL_OK);
    ck_assert_int_eq(rwl_buf_terminate(&shown, NULL), RWL_OK);
    ck_assert_msg(compare(&v, got) == 0, "%s: is %.200s, not %s", where, (char *)shown.data, text);
    rwl_buf_clear(&shown);
}

/* 290000-12-31T01:00:00+02:00, the greatest value of int96_from_spark by its own description (parquet-testing,
 * int96_from_spark.md), wrapped around in DuckDB's nanoseconds. */
static bool is_far_year(const char *where, const rwl_value *v) {
    return strstr(where, "int96_from_spark") != NULL && v->as.i64 == INT64_C(9089380393200000000);
}

static void check_column(const char *where, const rwl_column *c, rwl_json *want) {
    if (rwl_json_get(want, "error")) /* DuckDB's, where more is read here */
        return;
    ck_assert_msg(c->length - c->null_count == rwl_json_i64(rwl_json_get(want, "non_null")),
                  "%s: %lld rows, %lld nulls", where, (long long)c->length, (long long)c->null_count);
    rwl_arena arena;
    rwl_env env;
    rwl_env_init_default(&env);
    rwl_arena_init(&arena, &env, 0);
    rwl_value low = {0}, high = {0};
    bool any = false;
    for (int64_t i = 0; i < c->length; i++) {
        if (rwl_column_is_null(c, i))
            continue;
        rwl_value v = rwl_column_value(c, i);
        if (!any || rwl_value_compare(&v, &low) < 0)
            low = v;
        if (!any || rwl_value_compare(&v, &high) > 0)
            high = v;
        any = true;
    }
    if (any && !is_far_year(where, &high)) {
        check_bound(where, &c->type, rwl_json_get(want, "min"), &low, &arena);
        check_bound(where, &c->type, rwl_json_get(want, "max"), &high, &arena);
    }
    rwl_arena_clear(&arena);
}

static void check_leaf(bench *b, rwl_parquet_file *file, const char *name, int32_t i, rwl_json *want,
                       tally *t) {
    char where[512];
    rwl_column whole, parts;
    snprintf(where, sizeof where, "%s %s", name, file->leaves[i].field.name);
    memset(&b->err, 0, sizeof b->err);
    rwl_status st = read_leaf(b, file, i, 0, &whole);
    t->columns++;
    if (st != RWL_OK) {
        if (getenv("SHOW_REFUSED"))
            printf("%s: %d %s\n", name, st, b->err.message);
        t->refused_columns++;
        bool bad = strstr(name, "bad_data") || strstr(name, "corrupt") || strstr(name, "malformed") ||
                   rwl_json_get(want, "error");
        ck_assert_msg(st == RWL_UNSUPPORTED || (bad && st == RWL_CORRUPT), "%s: status %d %s", where, st,
                      b->err.message);
        rwl_column_clear(&whole, &b->env);
        return;
    }
    ck_assert_msg(whole.length == file->row_count, "%s: %lld rows", where, (long long)whole.length);
    check_column(where, &whole, want);
    /* the same in small batches */
    ck_ok(b, read_leaf(b, file, i, 7, &parts));
    ck_assert_int_eq(parts.length, whole.length);
    for (int64_t row = 0; row < whole.length; row++) {
        rwl_value x = rwl_column_value(&whole, row), y = rwl_column_value(&parts, row);
        check_msg(rwl_value_equal(&x, &y), "%s row %lld", where, (long long)row);
    }
    rwl_column_clear(&whole, &b->env);
    rwl_column_clear(&parts, &b->env);
}

static rwl_json *find_column(rwl_json *columns, const char *name) {
    for (size_t i = 0; i < rwl_json_len(columns); i++) {
        const char *n = rwl_json_str(rwl_json_get(rwl_json_at(columns, i), "name"));
        if (n && strcmp(n, name) == 0)
            return rwl_json_at(columns, i);
    }
    return NULL;
}

static void check_file(bench *b, const char *name, rwl_json *want, tally *t) {
    char path[1024];
    snprintf(path, sizeof path, FIXTURES_DIR "/%s", name);
    rwl_parquet_file *file;
    memset(&b->err, 0, sizeof b->err);
    rwl_status st = rwl_parquet_open(b->store, &b->op, path, -1, &file, &b->err);
    t->files++;
    if (st != RWL_OK) {
        if (getenv("SHOW_REFUSED"))
            printf("%s: %d %s\n", name, st, b->err.message);
        t->refused_files++;
        bool bad = rwl_json_get(want, "error") || strstr(name, "bad_data");
        ck_assert_msg(st == RWL_UNSUPPORTED || (bad && st == RWL_CORRUPT), "%s: status %d %s", name, st,
                      b->err.message);
        return;
    }
    if (!rwl_json_get(want, "error"))
        ck_assert_msg(file->row_count == rwl_json_i64(rwl_json_get(want, "rows")), "%s: %lld rows", name,
                      (long long)file->row_count);
    for (int32_t i = 0; i < file->leaf_count; i++) {
        rwl_json *column = find_column(rwl_json_get(want, "columns"), file->leaves[i].top_name);
        if (!file->leaves[i].is_nested && column)
            check_leaf(b, file, name, i, column, t);
    }
    rwl_parquet_close(file);
}

START_TEST(reads_what_duckdb_reads_from_files_of_other_writers) {
    if (access(EXPECTED, R_OK) != 0) {
        printf("skipped: no fixtures at " FIXTURES_DIR "\n");
        return;
    }
    bench b;
    bench_local(&b);
    rwl_buf text;
    rwl_buf_init(&text, &b.env, SIZE_MAX);
    ck_ok(&b, rwl_store_read_all(b.store, &b.op, EXPECTED, &text, &b.err));
    rwl_json *all, *want;
    ck_ok(&b, rwl_json_parse(rwl_buf_span(&text), &all, &b.err));
    tally t = {0};
    size_t pos = 0;
    const char *name;
    while (rwl_json_next(all, &pos, &name, &want))
        check_file(&b, name, want, &t);
    /* so that a reader that refuses everything does not pass */
    ck_assert_int_ge(t.files, 400);
    ck_assert_int_ge(t.columns - t.refused_columns, 600);
    if (getenv("SHOW_REFUSED"))
        printf("%d files, %d refused; %d flat columns, %d refused\n", t.files, t.refused_files, t.columns,
               t.refused_columns);
    rwl_json_free(all);
    rwl_buf_clear(&text);
    bench_free(&b);
}
END_TEST

/* --- files of tables: their rows are compared by the tests of engine/, here every page must be readable --- */

static tally walked;
static bench walk_bench;

static int read_table_file(const char *path, const struct stat *st, int kind, struct FTW *ftw) {
    (void)ftw;
    size_t len = strlen(path);
    rwl_parquet_file *file;
    if (kind != FTW_F || len < 8 || strcmp(path + len - 8, ".parquet") != 0)
        return 0;
    rwl_status status =
        rwl_parquet_open(walk_bench.store, &walk_bench.op, path, st->st_size, &file, &walk_bench.err);
    check_msg(status == RWL_OK, "%s: %s", path, walk_bench.err.message);
    walked.files++;
    for (int32_t i = 0; i < file->leaf_count; i++) {
        if (file->leaves[i].is_nested)
            continue;
        rwl_column c;
        status = read_leaf(&walk_bench, file, i, 0, &c);
        check_msg(status == RWL_OK || status == RWL_UNSUPPORTED, "%s: %s", path, walk_bench.err.message);
        check_msg(status != RWL_OK || c.length == file->row_count, "%s: %lld rows", path,
                  (long long)c.length);
        walked.columns++;
        walked.refused_columns += status != RWL_OK;
        rwl_column_clear(&c, &walk_bench.env);
    }
    rwl_parquet_close(file);
    return 0;
}

START_TEST(reads_every_file_of_the_tables_of_icebird_and_spark) {
    static const char *const roots[] = {FIXTURES_DIR "/golden-icebird", FIXTURES_DIR "/spark"};
    if (access(roots[_i], R_OK) != 0) {
        printf("skipped: no fixtures at %s\n", roots[_i]);
        return;
    }
    walked = (tally){0};
    bench_local(&walk_bench);
    ck_assert_int_eq(nftw(roots[_i], read_table_file, 16, FTW_PHYS), 0);
    ck_assert_int_ge(walked.files, 20);
    /* little is refused */
    ck_assert_int_le(walked.refused_columns * 10, walked.columns);
    bench_free(&walk_bench);
}
END_TEST

Suite *reader_fixtures_suite(void) {
    Suite *s = suite_create("reader_fixtures");
    TCase *t = tcase_create("others");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, reads_what_duckdb_reads_from_files_of_other_writers);
    tcase_add_loop_test(t, reads_every_file_of_the_tables_of_icebird_and_spark, 0, 2);
    suite_add_tcase(s, t);
    return s;
}
