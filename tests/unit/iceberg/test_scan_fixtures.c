/* SPDX-License-Identifier: Apache-2.0 */
/* Plans and fragment readers over every snapshot of Spark's tables: rows and lineage as Spark read them
 * (expected.json). */
#include "iceberg/driver.h"
#include "iceberg/fragment_deletes.h"
#include "iceberg/fragment_reader.h"
#include "iceberg/plan.h"
#include "table_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A row read: its values as text, NULL for null. */
typedef struct row {
    const char *file;
    int64_t pos;
    bool has_id;
    int64_t id, version;
    const char **values;
    bool taken;
} row;

typedef struct state {
    const char *table;
    rwl_json *files;
    rwl_metadata *metadata;
    const rwl_schema *schema;
    row *rows;
    size_t count, cap;
} state;

/* States that need what can't be read yet: ORC, Avro, files without field ids. */
static bool is_refused(const char *table, int64_t sequence) {
    static const struct {
        const char *table;
        int64_t from, to;
    } REFUSED[] = {
        {"format_orc_cow", 0, 99},
    };
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++)
        if (strcmp(REFUSED[i].table, table) == 0)
            return sequence >= REFUSED[i].from && sequence <= REFUSED[i].to;
    return false;
}

/* Nested values and variants as JSON. */
static bool is_json(const rwl_type *type) {
    return rwl_type_is_nested(type) || type->kind == RWL_TYPE_VARIANT;
}

static const char *cell_text(const rwl_column *c, int64_t i) {
    rwl_value v = rwl_column_value(c, i);
    if (rwl_column_is_null(c, i) || c->type.kind == RWL_TYPE_UNKNOWN)
        return NULL;
    rwl_buf out;
    rwl_buf_init(&out, test_env(), SIZE_MAX);
    if (is_json(&c->type))
        ASSERT_OK(rwl_column_format_json(c, i, &out, err));
    else
        ASSERT_OK(rwl_value_format(&c->type, &v, &out, err));
    const char *text = rwl_arena_strndup(test_arena(), (const char *)out.data, out.len);
    rwl_buf_clear(&out);
    return text;
}

static void keep_row(state *s, const rwl_fragment *f, const rwl_rows *rows, int64_t i) {
    if (s->count == s->cap) {
        s->cap = s->cap == 0 ? 64 : 2 * s->cap;
        s->rows = realloc(s->rows, s->cap * sizeof *s->rows);
    }
    row *r = &s->rows[s->count++];
    memset(r, 0, sizeof *r);
    r->file = rwl_arena_strdup(test_arena(), f->location);
    ck_assert(rwl_runs_get(&rows->positions, i, &r->pos));
    r->has_id = rwl_runs_get(&rows->row_ids, i, &r->id);
    ck_assert_int_eq(rwl_runs_get(&rows->versions, i, &r->version), r->has_id);
    r->values = rwl_arena_array(test_arena(), (size_t)s->schema->field_count, sizeof *r->values);
    for (int32_t c = 0; c < s->schema->field_count; c++)
        r->values[c] = cell_text(&rows->batch.columns[c], i);
}

static rwl_status read_fragment(state *s, const rwl_fragment *f, rwl_error *err) {
    rwl_fragment_read_options options = {
        .fields = s->schema->fields, .field_count = s->schema->field_count, .lineage = true};
    rwl_fragment_reader *reader = NULL;
    rwl_bitmap *deletes = NULL;
    rwl_driver driver = rwl_iceberg_driver(fixture_store(), s->metadata, NULL);
    RWL_TRY(rwl_fragment_deletes(&driver, test_op(), f, &deletes, err));
    RWL_TRY(rwl_fragment_reader_open(fixture_store(), test_op(), s->metadata, f, &options, deletes, &reader,
                                     err));
    rwl_rows rows;
    rwl_status st = rwl_rows_init(&rows, test_env(), options.fields, options.field_count, err);
    while (st == RWL_OK) {
        st = rwl_fragment_reader_next(reader, &rows, err);
        if (st != RWL_OK || rows.batch.length == 0)
            break;
        ck_assert_int_eq(rows.positions.length, rows.batch.length);
        ck_assert_int_eq(rows.row_ids.length, rows.batch.length);
        ck_assert_int_eq(rows.versions.length, rows.batch.length);
        for (int64_t i = 0; i < rows.batch.length; i++)
            keep_row(s, f, &rows, i);
    }
    rwl_rows_clear(&rows);
    rwl_fragment_reader_close(reader);
    return st;
}

static rwl_status read_snapshot(state *s, const rwl_snapshot *snapshot, rwl_error *err) {
    rwl_plan_options options = {.snapshot = snapshot};
    rwl_plan *plan = NULL;
    RWL_TRY(rwl_plan_open(fixture_store(), test_op(), s->metadata, &options, &plan, err));
    rwl_status st = RWL_OK;
    for (;;) {
        const rwl_fragment *f;
        st = rwl_plan_next(plan, &f, err);
        if (st != RWL_OK || f == NULL)
            break;
        st = read_fragment(s, f, err);
        if (st != RWL_OK)
            break;
    }
    rwl_plan_close(plan);
    return st;
}

/* --- comparing --- */

static bool same_text(const char *got, const char *want) {
    size_t len = strlen(want), utc = strlen("+00:00");
    if (len > utc && strcmp(want + len - utc, "+00:00") == 0 && strlen(got) == len - utc + 1)
        return strncmp(got, want, len - utc) == 0 && got[len - utc] == 'Z';
    return strcmp(got, want) == 0;
}

/* Two documents, members of objects in any order. */
static bool same_json(const rwl_json *a, const rwl_json *b) {
    rwl_json_kind kind = rwl_json_kind_of(a);
    if (kind != rwl_json_kind_of(b))
        return false;
    switch (kind) {
    case RWL_JSON_INT:
        return rwl_json_i64(a) == rwl_json_i64(b);
    case RWL_JSON_REAL:
        return rwl_json_real(a) == rwl_json_real(b);
    case RWL_JSON_BOOL:
        return rwl_json_bool(a) == rwl_json_bool(b);
    case RWL_JSON_STRING:
        return strcmp(rwl_json_str(a), rwl_json_str(b)) == 0;
    case RWL_JSON_NULL:
        return true;
    case RWL_JSON_ARRAY:
    case RWL_JSON_OBJECT:
        break;
    }
    bool same = rwl_json_len(a) == rwl_json_len(b);
    for (size_t i = 0; kind == RWL_JSON_ARRAY && same && i < rwl_json_len(a); i++)
        same = same_json(rwl_json_at(a, i), rwl_json_at(b, i));
    size_t pos = 0;
    const char *key;
    rwl_json *member;
    while (kind == RWL_JSON_OBJECT && same && rwl_json_next(a, &pos, &key, &member)) {
        const rwl_json *other = rwl_json_get(b, key);
        same = other != NULL && same_json(member, other);
    }
    return same;
}

/* Spark's to_json of a variant is text in the expectation. */
static bool same_document(const char *got, const rwl_json *want) {
    const rwl_json *variant = rwl_json_get(want, "variant");
    rwl_json *mine = NULL, *theirs = NULL;
    ASSERT_OK(rwl_json_parse(rwl_span_str(got), &mine, err));
    if (variant != NULL)
        ASSERT_OK(rwl_json_parse(rwl_span_str(rwl_json_str(variant)), &theirs, err));
    bool same = same_json(mine, theirs != NULL ? theirs : want);
    rwl_json_free(mine);
    rwl_json_free(theirs);
    return same;
}

static bool same_value(const rwl_type *type, const char *got, const rwl_json *want) {
    if (want == NULL || rwl_json_kind_of(want) == RWL_JSON_NULL)
        return got == NULL;
    if (got == NULL)
        return false;
    if (is_json(type))
        return same_document(got, want);
    switch (rwl_json_kind_of(want)) {
    case RWL_JSON_BOOL:
        return strcmp(got, rwl_json_bool(want) ? "true" : "false") == 0;
    case RWL_JSON_INT:
        return strtoll(got, NULL, 10) == rwl_json_i64(want);
    case RWL_JSON_REAL:
        /* a float is printed as the double it widens to */
        return type->kind == RWL_TYPE_FLOAT ? (float)strtod(got, NULL) == (float)rwl_json_real(want)
                                            : strtod(got, NULL) == rwl_json_real(want);
    case RWL_JSON_STRING:
        return same_text(got, rwl_json_str(want));
    default:
        return false;
    }
}

static row *find_row(state *s, const rwl_json *want) {
    const rwl_json *file = rwl_json_get(want, "_file");
    if (file == NULL || rwl_json_kind_of(file) == RWL_JSON_NULL) {
        for (size_t i = 0; i < s->count; i++)
            if (!s->rows[i].taken && s->rows[i].id == rwl_json_i64(rwl_json_get(want, "_row_id")))
                return &s->rows[i];
        return NULL;
    }
    const char *name = rwl_json_str(rwl_json_at(s->files, (size_t)rwl_json_i64(file)));
    for (size_t i = 0; i < s->count; i++) {
        size_t len = strlen(s->rows[i].file), end = strlen(name);
        if (!s->rows[i].taken && s->rows[i].pos == rwl_json_i64(rwl_json_get(want, "_pos")) && len >= end &&
            strcmp(s->rows[i].file + len - end, name) == 0)
            return &s->rows[i];
    }
    return NULL;
}

static void check_row(state *s, const rwl_json *want, bool lineage, int64_t sequence) {
    row *r = find_row(s, want);
    ck_assert_msg(r != NULL, "%s@%" PRId64 ": a row is missing", s->table, sequence);
    r->taken = true;
    const rwl_json *id = rwl_json_get(want, "_row_id");
    bool has_id = lineage && id != NULL && rwl_json_kind_of(id) != RWL_JSON_NULL;
    ck_assert_msg(has_id == r->has_id, "%s@%" PRId64 ": %s %" PRId64 ": has a row id: %d", s->table, sequence,
                  r->file, r->pos, r->has_id);
    if (has_id) {
        ck_assert_int_eq(r->id, rwl_json_i64(id));
        ck_assert_int_eq(r->version, rwl_json_i64(rwl_json_get(want, "_last_updated_sequence_number")));
    }
    const rwl_json *values = rwl_json_get(want, "row");
    for (int32_t c = 0; c < s->schema->field_count; c++) {
        const rwl_field *f = &s->schema->fields[c];
        ck_assert_msg(same_value(&f->type, r->values[c], rwl_json_get(values, f->name)),
                      "%s@%" PRId64 ": row %" PRId64 ": column %s is %s", s->table, sequence, r->id, f->name,
                      r->values[c] == NULL ? "null" : r->values[c]);
    }
}

static void check_snapshot(state *s, const rwl_json *want) {
    const rwl_snapshot *snapshot =
        rwl_metadata_snapshot(s->metadata, rwl_json_i64(rwl_json_get(want, "snapshot-id")));
    int64_t sequence = rwl_json_i64(rwl_json_get(want, "sequence-number"));
    s->schema = rwl_metadata_snapshot_schema(s->metadata, snapshot);
    s->count = 0;
    rwl_error err = {0};
    rwl_status st = read_snapshot(s, snapshot, &err);
    if (is_refused(s->table, sequence)) {
        ck_assert_msg(st == RWL_UNSUPPORTED, "%s@%" PRId64 ": read, or %s", s->table, sequence, err.message);
        return;
    }
    ck_assert_msg(st == RWL_OK, "%s@%" PRId64 ": %s", s->table, sequence, err.message);
    const rwl_json *rows = rwl_json_get(want, "rows");
    ck_assert_msg(s->count == rwl_json_len(rows), "%s@%" PRId64 ": %zu rows, not %zu", s->table, sequence,
                  s->count, rwl_json_len(rows));
    const rwl_json *told = rwl_json_get(want, "lineage");
    bool lineage = told == NULL || rwl_json_kind_of(told) != RWL_JSON_BOOL || rwl_json_bool(told);
    for (size_t i = 0; i < rwl_json_len(rows); i++)
        check_row(s, rwl_json_at(rows, i), lineage, sequence);
}

static void check_table(const char *name) {
    state s = {.table = name};
    rwl_json *expected = fixture_expected("spark", name);
    s.files = rwl_json_get(expected, "files");
    s.metadata = fixture_metadata("spark", name, NULL);
    const rwl_json *snapshots = rwl_json_get(expected, "snapshots");
    for (size_t i = 0; i < rwl_json_len(snapshots); i++)
        check_snapshot(&s, rwl_json_at(snapshots, i));
    free(s.rows);
    rwl_metadata_free(s.metadata);
    rwl_json_free(expected);
}

START_TEST(every_snapshot_of_spark_has_the_rows_and_lineage_that_spark_reads) {
    if (fixture_each_spark_table(check_table) == 0)
        puts("skipped: no fixtures of Spark");
}
END_TEST

Suite *suite_scan_fixtures(void) {
    Suite *s = suite_create("scan_fixtures");
    TCase *t = tcase_create("scan_fixtures");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_test(t, every_snapshot_of_spark_has_the_rows_and_lineage_that_spark_reads);
    suite_add_tcase(s, t);
    return s;
}
