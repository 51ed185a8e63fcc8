/* SPDX-License-Identifier: Apache-2.0 */
/* Lineage of every version of every dataset that another writer made, through the driver, against what it reads itself. */
#include "base/json.h"
#include "base/vec.h"
#include "lance/driver.h"
#include "made.h"
#include "sha256.h"
#include "suites.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define FOLDER FIXTURES_DIR "/pylance"

/* Row id, address, created at, last updated at. */
typedef struct line {
    int64_t v[4];
} line;
typedef RWL_VEC(line) line_list;

static rwl_env env;
static rwl_op op;

static int by_id(const void *a, const void *b) {
    const line *x = a, *y = b;
    for (int i = 0; i < 4; i++)
        if (x->v[i] != y->v[i])
            return x->v[i] < y->v[i] ? -1 : 1;
    return 0;
}

static void sort_lines(line_list *lines) {
    if (lines->len > 1)
        qsort(lines->items, lines->len, sizeof *lines->items, by_id);
}

/* --- what is read --- */

static void add_rows(const rwl_fragment *f, const rwl_rows *rows, line_list *out) {
    ck_assert_int_eq(rows->row_ids.length, rows->batch.length);
    ck_assert_int_eq(rows->created.length, rows->batch.length);
    ck_assert_int_eq(rows->versions.length, rows->batch.length);
    for (int64_t i = 0; i < rows->batch.length; i++) {
        line l;
        ck_assert(rwl_runs_get(&rows->row_ids, i, &l.v[0]));
        ck_assert(rwl_runs_get(&rows->positions, i, &l.v[1]));
        ck_assert(rwl_runs_get(&rows->created, i, &l.v[2]));
        ck_assert(rwl_runs_get(&rows->versions, i, &l.v[3]));
        l.v[1] += f->fragment_id << 32;
        ASSERT_OK(rwl_vec_push(out, &env, l, err));
    }
}

static rwl_status read_fragment(const rwl_driver *d, const rwl_fragment *f,
                                const rwl_fragment_read_options *options, line_list *out, rwl_error *err) {
    rwl_reader *reader = NULL;
    rwl_rows rows;
    RWL_TRY(d->vtable->read_open(d, &op, f, options, &reader, err));
    rwl_status st = rwl_rows_init(&rows, &env, options->fields, options->field_count, err);
    while (st == RWL_OK) {
        st = d->vtable->read_next(reader, &rows, err);
        if (st != RWL_OK || rows.batch.length == 0)
            break;
        add_rows(f, &rows, out);
    }
    rwl_rows_clear(&rows);
    d->vtable->read_close(reader);
    return st;
}

static rwl_status read_dataset(const rwl_lance_dataset *dataset, const rwl_fragment_read_options *options,
                               line_list *out, rwl_error *err) {
    rwl_driver d = rwl_lance_driver(dataset->store, dataset);
    rwl_plan_request request = {.snapshot_id = dataset->manifest->version};
    rwl_planner *planner;
    const rwl_fragment *f;
    out->len = 0;
    RWL_TRY(d.vtable->plan_open(&d, &op, &request, &planner, err));
    rwl_status st = d.vtable->plan_next(planner, &f, err);
    while (st == RWL_OK && f != NULL) {
        st = read_fragment(&d, f, options, out, err);
        if (st == RWL_OK)
            st = d.vtable->plan_next(planner, &f, err);
    }
    d.vtable->plan_close(planner);
    sort_lines(out);
    return st;
}

/* --- what is expected --- */

static void expect_rows(const rwl_json *said, line_list *out) {
    static const char *const names[] = {"_rowid", "_rowaddr", "_row_created_at_version",
                                        "_row_last_updated_at_version"};
    const rwl_json *columns = rwl_json_get(said, "columns"), *rows = rwl_json_get(said, "rows");
    size_t at[4] = {0};
    for (size_t i = 0; i < rwl_json_len(columns); i++)
        for (int k = 0; k < 4; k++)
            if (strcmp(rwl_json_str(rwl_json_at(columns, i)), names[k]) == 0)
                at[k] = i;
    for (size_t i = 0; i < rwl_json_len(rows); i++) {
        line l;
        for (int k = 0; k < 4; k++)
            l.v[k] = rwl_json_i64(rwl_json_at(rwl_json_at(rows, i), at[k]));
        ASSERT_OK(rwl_vec_push(out, &env, l, err));
    }
}

static void expect_runs(const rwl_json *runs, line_list *out) {
    for (size_t i = 0; i < rwl_json_len(runs); i++) {
        int64_t run[5];
        for (size_t k = 0; k < 5; k++)
            run[k] = rwl_json_i64(rwl_json_at(rwl_json_at(runs, i), k));
        for (int64_t row = 0; row < run[2]; row++) {
            line l = {{run[0] + row, run[1] + row, run[3], run[4]}};
            ASSERT_OK(rwl_vec_push(out, &env, l, err));
        }
    }
}

static void assert_digest(const line_list *lines, const char *expected, const char *name) {
    sha256 s;
    char text[128], hex[65];
    sha256_init(&s);
    for (size_t i = 0; i < lines->len; i++) {
        const int64_t *v = lines->items[i].v;
        int len = snprintf(text, sizeof text, "%lld,%lld,%lld,%lld\n", (long long)v[0], (long long)v[1],
                           (long long)v[2], (long long)v[3]);
        sha256_add(&s, text, (size_t)len);
    }
    sha256_finish(&s, hex);
    ck_assert_msg(strcmp(hex, expected) == 0, "%s: the lineage of %zu rows has another digest", name,
                  lines->len);
}

/* `expected` holds those of the version before, and then of this one where it tells them. */
static void assert_said(const rwl_json *said, const line_list *got, line_list *expected, const char *name) {
    const char *digest = rwl_json_str(rwl_json_get(said, "lineage_sha256"));
    int64_t count = rwl_json_i64(rwl_json_get(said, "count"));
    ck_assert_msg((int64_t)got->len == count, "%s: %zu rows, not %lld", name, got->len, (long long)count);
    if (digest != NULL) {
        assert_digest(got, digest, name);
        expected->len = 0;
        return;
    }
    if (rwl_json_get(said, "rows") != NULL || rwl_json_get(said, "lineage_runs") != NULL) {
        expected->len = 0;
        if (rwl_json_get(said, "rows") != NULL)
            expect_rows(said, expected);
        else
            expect_runs(rwl_json_get(said, "lineage_runs"), expected);
        sort_lines(expected);
    } else if (!rwl_json_bool(rwl_json_get(said, "rows_as_before"))) {
        expected->len = 0; /* only its values are told, by a digest */
    }
    if (expected->len == 0)
        return;
    ck_assert_msg(expected->len == got->len, "%s: %zu rows, not %zu", name, got->len, expected->len);
    for (size_t i = 0; i < got->len; i++)
        for (int k = 0; k < 4; k++)
            ck_assert_msg(got->items[i].v[k] == expected->items[i].v[k],
                          "%s: row id %lld: %d is %lld, not %lld", name, (long long)expected->items[i].v[0],
                          k, (long long)got->items[i].v[k], (long long)expected->items[i].v[k]);
}

/* --- versions --- */

/* The same beside all columns, in small batches; columns of legacy files are refused. */
static void assert_same_with_columns(const rwl_lance_dataset *dataset, const line_list *got, bool is_legacy,
                                     const char *name) {
    const rwl_lance_schema *schema = &dataset->manifest->schema;
    rwl_fragment_read_options options = {.fields = schema->fields,
                                         .field_count = schema->count,
                                         .lineage = RWL_LINEAGE_ALL,
                                         .batch_rows = 700};
    line_list again = {0};
    rwl_error err;
    memset(&err, 0, sizeof err);
    rwl_status st = read_dataset(dataset, &options, &again, &err);
    if (is_legacy) {
        ck_assert_int_eq((int)st, (int)RWL_UNSUPPORTED);
        ck_assert(strstr(err.message, "version 1 (legacy)") != NULL);
    } else {
        ck_assert_msg(st == RWL_OK, "%s: %s", name, err.message);
        ck_assert_uint_eq(again.len, got->len);
        ck_assert(got->len == 0 || memcmp(again.items, got->items, got->len * sizeof *got->items) == 0);
    }
    rwl_vec_clear(&again, &env);
}

static void check_version(rwl_store *store, const char *root, const rwl_lance_request *request,
                          const rwl_json *said, line_list *expected, const char *name) {
    rwl_lance_dataset *dataset = NULL;
    rwl_fragment_read_options options = {.lineage = RWL_LINEAGE_ALL};
    line_list got = {0};
    char place[300];
    snprintf(place, sizeof place, "%s version %lld", name, (long long)request->version);
    ASSERT_OK(
        rwl_error_in(err, rwl_lance_dataset_open(store, &op, root, request, &dataset, err), "%s", place));
    ASSERT_OK(rwl_error_in(err, read_dataset(dataset, &options, &got, err), "%s", place));
    assert_said(said, &got, expected, place);
    assert_same_with_columns(dataset, &got, strstr(name, "legacy") != NULL && got.len > 0, place);
    rwl_vec_clear(&got, &env);
    rwl_lance_dataset_free(dataset);
}

static void check_versions(rwl_store *store, const char *root, const char *branch, const rwl_json *versions,
                           const char *name) {
    line_list expected = {0};
    const char *key;
    rwl_json *said;
    for (size_t pos = 0; rwl_json_next(versions, &pos, &key, &said);) {
        rwl_lance_request request = {.version = strtoll(key, NULL, 10), .ref = branch, .as_of_ms = -1};
        check_version(store, root, &request, said, &expected, name);
    }
    rwl_vec_clear(&expected, &env);
}

/* Shortens numbers of 19 digits and more, which are values of columns alone, to what the parser takes. */
static void shorten_numbers(rwl_buf *text) {
    size_t to = 0, digits = 0;
    for (size_t i = 0; i < text->len; i++) {
        digits = text->data[i] >= '0' && text->data[i] <= '9' ? digits + 1 : 0;
        if (digits < 19)
            text->data[to++] = text->data[i];
    }
    text->len = to;
}

static void check_dataset(const char *name) {
    char from[300], to[300], root[320];
    rwl_store *store;
    rwl_json *said, *branch;
    rwl_buf text;
    const char *key;
    snprintf(from, sizeof from, "/tmp/rowline-lance/%s", name); /* where it was written, as branches know */
    snprintf(to, sizeof to, "%s/%s", FOLDER, name);
    snprintf(root, sizeof root, "%s/t.lance", to);
    rwl_path_map map = {from, to};
    ASSERT_OK(rwl_store_local_new(&env, &map, 1, &store, err));
    rwl_buf_init(&text, &env, SIZE_MAX);
    ASSERT_OK(rwl_store_read_all(store, &op, strcat(to, "/expected.json"), &text, err));
    shorten_numbers(&text);
    ASSERT_OK(rwl_json_parse_data(rwl_buf_span(&text), &said, err));
    rwl_buf_clear(&text);
    check_versions(store, root, NULL, rwl_json_get(said, "versions"), name);
    const rwl_json *branches = rwl_json_get(said, "branches");
    for (size_t pos = 0; branches != NULL && rwl_json_next(branches, &pos, &key, &branch);)
        check_versions(store, root, key, rwl_json_get(branch, "versions"), name);
    rwl_json_free(said);
    rwl_store_free(store);
}

START_TEST(every_version_of_every_dataset_has_its_lineage) {
    DIR *folder = opendir(FOLDER);
    if (folder == NULL) {
        printf("skipped: %s is absent\n", FOLDER);
        return;
    }
    rwl_env_init_default(&env);
    rwl_op_init(&op, &env, 64 << 20);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.' || strchr(entry->d_name, '.') != NULL)
            continue;
        check_dataset(entry->d_name);
        count++;
    }
    closedir(folder);
    ck_assert_int_gt(count, 0);
    ck_assert_int_eq((int)op.memory_used, 0);
}
END_TEST

Suite *fixtures_suite(void) {
    Suite *suite = suite_create("fixtures");
    TCase *tc = tcase_create("fixtures");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, every_version_of_every_dataset_has_its_lineage);
    suite_add_tcase(suite, tc);
    return suite;
}
