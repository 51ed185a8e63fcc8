/* SPDX-License-Identifier: Apache-2.0 */
/* What inspect says of every manifest of the fixtures and of the data files of their last versions, against what another reader of their
 * bytes noted (expected.json). */
#include "engine_test.h"
#include "suites.h"

#include "base/json.h"
#include "engine/inspect.h"
#include "lance/dataset.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static char place[600]; /* for messages */
static int manifests_seen, columns_seen;
static rwl_store *store;

static int64_t number(const rwl_json *object, const char *key, int64_t absent) {
    const rwl_json *value = rwl_json_get(object, key);
    return value == NULL || rwl_json_kind_of(value) == RWL_JSON_NULL ? absent : rwl_json_i64(value);
}

static const char *text_of(const rwl_json *object, const char *key) {
    const char *text = rwl_json_str(rwl_json_get(object, key));
    return text != NULL ? text : "";
}

/* The document of a file; NULL for one of a legacy version. */
static rwl_json *inspect(const char *path) {
    static const rwl_inspect_options whole = {.row_group = -1};
    rwl_inspect *in = NULL;
    rwl_span text;
    rwl_json *parsed = NULL;
    rwl_error why = {0};
    rwl_status st = rwl_inspect_open(test_op(), path, &whole, &in, &why);
    if (st == RWL_UNSUPPORTED && strstr(why.message, "legacy") != NULL)
        return NULL;
    ck_assert_msg(st == RWL_OK, "%s: %s", path, why.message);
    ASSERT_OK(rwl_inspect_document(in, &text, err));
    ASSERT_OK(rwl_json_parse(text, &parsed, err));
    rwl_inspect_free(in);
    return parsed;
}

/* --- manifests --- */

/* Both as text; the list of the document and that of the expectation have the same form. */
static void check_equal(const rwl_json *want, const rwl_json *got, const char *what) {
    rwl_buf a, b;
    rwl_buf_init(&a, test_env(), SIZE_MAX);
    rwl_buf_init(&b, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_json_dump(want, 0, &a, err));
    ASSERT_OK(rwl_json_dump(got, 0, &b, err));
    ck_assert_msg(rwl_span_equal(rwl_buf_span(&a), rwl_buf_span(&b)), "%s: %s: %.*s, not %.*s", place, what,
                  (int)b.len, (const char *)b.data, (int)a.len, (const char *)a.data);
    rwl_buf_clear(&a);
    rwl_buf_clear(&b);
}

/* A range with holes has these listed in the expectation, and their number in the document: "holes 0..48 u16[3]". */
static bool is_same_range(const char *want, const char *got) {
    long long a, b, c, d;
    int width, other, count, holes = 1, at = 0;
    if (sscanf(want, "holes %lld..%lld u%d[%n", &a, &b, &width, &at) != 3 ||
        sscanf(got, "range %lld..%lld holes u%d x%d", &c, &d, &other, &count) != 4)
        return false;
    for (const char *p = want + at; *p != '\0'; p++)
        holes += *p == ',';
    return a == c && b == d && width == other && count == holes;
}

/* Bitmaps of more than 16 bytes have only the number of their values in the document. */
static bool is_same_bitmap(const char *want, const char *got) {
    long long a, b, c, d, count;
    return sscanf(want, "bitmap %lld..%lld", &a, &b) == 2 &&
           sscanf(got, "bitmap %lld..%lld x%lld", &c, &d, &count) == 3 && a == c && b == d && b - a > 128 &&
           count > 0 && count < b - a;
}

static void check_segments(const rwl_json *want, const rwl_json *got) {
    ck_assert_uint_eq(rwl_json_len(want), rwl_json_len(got));
    for (size_t i = 0; i < rwl_json_len(want); i++) {
        const char *w = rwl_json_str(rwl_json_at(want, i)), *g = rwl_json_str(rwl_json_at(got, i));
        ck_assert_msg(strcmp(w, g) == 0 || is_same_range(w, g) || is_same_bitmap(w, g),
                      "%s: segment '%s', not '%s'", place, g, w);
    }
}

static void check_arm(const rwl_json *want, const rwl_json *got, const char *what, int64_t physical_rows) {
    const char *kind = want == NULL ? "absent" : text_of(want, "kind");
    kind = strcmp(kind, "column") == 0 ? "spilled" : kind;
    ck_assert_msg(strcmp(kind, text_of(got, "kind")) == 0, "%s: %s is %s, not %s", place, what,
                  text_of(got, "kind"), kind);
    if (strcmp(kind, "inline") != 0)
        return;
    bool is_ids = strcmp(what, "row_ids") == 0;
    const rwl_json *items = rwl_json_get(want, is_ids ? "segments" : "runs");
    const char *count = is_ids ? "segment_count" : "run_count";
    ck_assert_int_eq(number(got, "bytes", -1), number(want, "bytes", -2));
    ck_assert_int_eq(number(got, "rows", -1), physical_rows);
    if (is_ids)
        check_segments(items, rwl_json_get(got, "segments"));
    else
        check_equal(items, rwl_json_get(got, "runs"), what);
    ck_assert_int_eq(number(got, count, -1), number(want, count, (int64_t)rwl_json_len(items)));
}

static void check_files(const rwl_json *want, const rwl_json *got) {
    ck_assert_uint_eq(rwl_json_len(want), rwl_json_len(got));
    for (size_t i = 0; i < rwl_json_len(want); i++) {
        const rwl_json *w = rwl_json_at(want, i), *g = rwl_json_at(got, i);
        check_equal(rwl_json_get(w, "fields"), rwl_json_get(g, "fields"), "fields");
        if (rwl_json_get(w, "column_indices") != NULL)
            check_equal(rwl_json_get(w, "column_indices"), rwl_json_get(g, "column_indices"), "indices");
        ck_assert_str_eq(text_of(w, "file_version"), text_of(g, "file_version"));
        ck_assert_int_eq(number(w, "bytes", -1), number(g, "bytes", -1));
        ck_assert_int_eq(number(w, "base_id", -1), number(g, "base_id", -1));
    }
}

static void check_deletion(const rwl_json *want, const rwl_json *got) {
    if (want == NULL) {
        ck_assert_int_eq(rwl_json_kind_of(got), RWL_JSON_NULL);
        return;
    }
    ck_assert_str_eq(text_of(got, "form"), strcmp(text_of(want, "type"), "bitmap") == 0 ? "bitmap" : "arrow");
    ck_assert_int_eq(number(got, "deleted_rows", 0), number(want, "deleted_rows", 0));
    ck_assert_int_eq(number(got, "read_version", 0), number(want, "read_version", 0));
}

static void check_fragments(const rwl_json *want, const rwl_json *got) {
    static const char *const ARMS[] = {"row_ids", "created_at", "last_updated_at"};
    size_t count = want != NULL ? rwl_json_len(want) : 0;
    ck_assert_msg(rwl_json_len(got) == count, "%s: %zu fragments, not %zu", place, rwl_json_len(got), count);
    for (size_t i = 0; i < count; i++) {
        const rwl_json *w = rwl_json_at(want, i), *g = rwl_json_at(got, i);
        int64_t rows = number(w, "physical_rows", 0);
        ck_assert_int_eq(number(g, "id", -1), number(w, "id", 0));
        ck_assert_int_eq(number(g, "physical_rows", -1), rows);
        check_files(rwl_json_get(w, "files"), rwl_json_get(g, "files"));
        check_deletion(rwl_json_get(w, "deletion"), rwl_json_get(g, "deletion_file"));
        for (size_t a = 0; a < 3; a++)
            check_arm(rwl_json_get(w, ARMS[a]), rwl_json_get(g, ARMS[a]), ARMS[a], rows);
    }
}

static void check_manifest(const rwl_json *facts, const rwl_json *fragments, const rwl_json *got) {
    const rwl_json *t = rwl_json_get(got, "transaction");
    ck_assert_str_eq(text_of(got, "kind"), "lance_manifest");
    ck_assert_int_eq(number(got, "version", 0), number(facts, "version", 0));
    ck_assert_int_eq(number(rwl_json_get(got, "reader_flags"), "value", -1),
                     number(facts, "reader_flags", 0));
    ck_assert_int_eq(number(rwl_json_get(got, "writer_flags"), "value", -1),
                     number(facts, "writer_flags", 0));
    ck_assert_int_eq(number(got, "next_row_id", 0), number(facts, "next_row_id", 0));
    ck_assert_int_eq(number(got, "max_fragment_id", -1), number(facts, "max_fragment_id", -1));
    ck_assert_str_eq(text_of(got, "data_format"), text_of(facts, "data_format"));
    if (rwl_json_kind_of(t) == RWL_JSON_OBJECT)
        ck_assert_str_eq(text_of(t, "operation"), text_of(facts, "operation"));
    check_fragments(fragments, rwl_json_get(got, "fragments"));
    manifests_seen++;
}

/* --- data files of the last version --- */

/* `want`: by column, the encodings of its pages; the document has the different ones. */
static void check_encodings(const rwl_json *want, const rwl_json *document) {
    const char *key;
    rwl_json *pages;
    for (size_t pos = 0; rwl_json_next(want, &pos, &key, &pages);) {
        const rwl_json *column = NULL, *columns = rwl_json_get(document, "columns");
        for (size_t i = 0; i < rwl_json_len(columns); i++) {
            char index[24];
            snprintf(index, sizeof index, "%lld", (long long)number(rwl_json_at(columns, i), "index", -1));
            if (strcmp(index, key) == 0)
                column = rwl_json_at(columns, i);
        }
        ck_assert_msg(column != NULL, "%s: no column %s", place, key);
        const rwl_json *got = rwl_json_get(column, "encodings");
        for (size_t p = 0; p < rwl_json_len(pages); p++) {
            bool found = false;
            for (size_t g = 0; g < rwl_json_len(got); g++)
                found = found ||
                        strcmp(rwl_json_str(rwl_json_at(got, g)), rwl_json_str(rwl_json_at(pages, p))) == 0;
            ck_assert_msg(found, "%s: column %s has no page of '%s'", place, key,
                          rwl_json_str(rwl_json_at(pages, p)));
        }
        ck_assert_uint_le(rwl_json_len(got), rwl_json_len(pages));
        columns_seen++;
    }
}

static void check_data_files(const rwl_json *encodings, const rwl_json *manifest, const char *root) {
    const rwl_json *fragments = rwl_json_get(manifest, "fragments");
    for (size_t i = 0; i < rwl_json_len(fragments); i++) {
        const rwl_json *f = rwl_json_at(fragments, i), *files = rwl_json_get(f, "files");
        char id[24], path[1024];
        snprintf(id, sizeof id, "%lld", (long long)number(f, "id", -1));
        const rwl_json *want = rwl_json_get(encodings, id);
        for (size_t k = 0; want != NULL && k < rwl_json_len(files); k++) {
            snprintf(path, sizeof path, "%s/data/%s", root, text_of(rwl_json_at(files, k), "path"));
            rwl_json *document = inspect(path);
            if (document != NULL)
                check_encodings(rwl_json_get(rwl_json_at(want, k), "columns"), document);
            rwl_json_free(document);
        }
    }
}

/* --- the fixtures --- */

/* Cells may be unsigned numbers beyond int64, which are of no interest here: blanked outside of strings. */
static void shorten_numbers(rwl_buf *text) {
    size_t digits = 0;
    bool in_string = false;
    for (size_t i = 0; i < text->len; i++) {
        uint8_t c = text->data[i];
        if (c == '"' && (i == 0 || text->data[i - 1] != '\\'))
            in_string = !in_string;
        digits = !in_string && c >= '0' && c <= '9' ? digits + 1 : 0;
        if (digits > 18)
            text->data[i] = ' ';
    }
}

static void check_case(const char *folder) {
    char root[600];
    rwl_buf text;
    rwl_json *expected;
    rwl_lance_version *versions;
    size_t count;
    const rwl_json *fragments = NULL;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    snprintf(root, sizeof root, "%s/expected.json", folder);
    ASSERT_OK(rwl_store_read_all(store, test_op(), root, &text, err));
    shorten_numbers(&text);
    ASSERT_OK(rwl_json_parse(rwl_buf_span(&text), &expected, err));
    snprintf(root, sizeof root, "%s/t.lance", folder);
    ASSERT_OK(rwl_lance_versions(store, test_op(), root, test_arena(), &versions, &count, err));
    for (size_t i = count; i-- > 0;) { /* oldest first: what did not change is not told again */
        char key[24];
        snprintf(key, sizeof key, "%lld", (long long)versions[i].version);
        snprintf(place, sizeof place, "%.500s version %s", root, key);
        const rwl_json *facts = rwl_json_get(rwl_json_get(rwl_json_get(expected, "versions"), key), "facts");
        ck_assert_msg(facts != NULL, "%s is not expected", place);
        fragments = rwl_json_get(facts, "fragments") != NULL ? rwl_json_get(facts, "fragments") : fragments;
        rwl_json *document = inspect(versions[i].location);
        ck_assert_msg(document != NULL, "%s is refused", place);
        check_manifest(facts, fragments, document);
        if (i == 0)
            check_data_files(rwl_json_get(expected, "encodings"), document, root);
        rwl_json_free(document);
    }
    rwl_json_free(expected);
    rwl_buf_clear(&text);
}

START_TEST(every_manifest_and_data_file_of_the_fixtures_says_what_is_expected) {
    DIR *dir = opendir(FIXTURES_DIR "/pylance");
    if (dir == NULL) {
        printf("skipped: no %s/pylance\n", FIXTURES_DIR);
        return;
    }
    ASSERT_OK(rwl_store_local_new(test_env(), NULL, 0, &store, err));
    manifests_seen = columns_seen = 0;
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char folder[512], at[600];
        FILE *f;
        snprintf(folder, sizeof folder, "%s/pylance/%.200s", FIXTURES_DIR, e->d_name);
        snprintf(at, sizeof at, "%s/expected.json", folder);
        if (e->d_name[0] == '.' || (f = fopen(at, "r")) == NULL)
            continue;
        fclose(f);
        check_case(folder);
    }
    closedir(dir);
    rwl_store_free(store);
    ck_assert_int_gt(manifests_seen, 400);
    ck_assert_int_gt(columns_seen, 300);
}
END_TEST

Suite *suite_inspect_facts(void) {
    const TTest *const tests[] = {
        every_manifest_and_data_file_of_the_fixtures_says_what_is_expected,
    };
    return TEST_SUITE("inspect_facts", tests);
}
