/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line's partition and sort texts:
 *
 *   partition = [term { "," term }]
 *   sort      = [term ["asc" | "desc"] ["nulls" ("first" | "last")] { "," … }]
 *   term      = column | ("identity" | "void" | "year" | "month" | "day" | "hour") "(" column ")"
 *             | ("bucket" | "truncate") "(" number "," column ")"
 */
#include "base/vec.h"
#include "iceberg/partition.h"
#include "iceberg/text_scan.h"

typedef struct term {
    size_t start;
    const rwl_field *source;
    const char *column; /* the path as given */
    rwl_transform transform;
} term;

static const struct {
    const char *name, *plural; /* Spark's names are accepted */
    rwl_transform_kind kind;
    const char *suffix;
} FUNCTIONS[] = {
    {"identity", NULL, RWL_TRANSFORM_IDENTITY, ""},    {"void", NULL, RWL_TRANSFORM_VOID, "_null"},
    {"year", "years", RWL_TRANSFORM_YEAR, "_year"},    {"month", "months", RWL_TRANSFORM_MONTH, "_month"},
    {"day", "days", RWL_TRANSFORM_DAY, "_day"},        {"hour", "hours", RWL_TRANSFORM_HOUR, "_hour"},
    {"bucket", NULL, RWL_TRANSFORM_BUCKET, "_bucket"}, {"truncate", NULL, RWL_TRANSFORM_TRUNCATE, "_trunc"}};
enum { FUNCTION_COUNT = sizeof FUNCTIONS / sizeof FUNCTIONS[0] };

static const char *suffix_of(rwl_transform_kind kind) {
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        if (FUNCTIONS[i].kind == kind)
            return FUNCTIONS[i].suffix;
    }
    return "";
}

/* Takes "name(" when it is next; a name alone is a column and stays. */
static bool scan_function(rwl_text_scan *s, const char **name, rwl_transform_kind *kind) {
    size_t start = s->pos;
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        bool taken = rwl_text_scan_word(s, FUNCTIONS[i].name) ||
                     (FUNCTIONS[i].plural && rwl_text_scan_word(s, FUNCTIONS[i].plural));
        if (taken && rwl_text_scan_accept(s, '(')) {
            *name = FUNCTIONS[i].name;
            *kind = FUNCTIONS[i].kind;
            return true;
        }
        s->pos = start;
    }
    return false;
}

static rwl_status scan_call(rwl_text_scan *s, const rwl_schema *schema, const char *name, term *out,
                            rwl_error *err) {
    bool with_number =
        out->transform.kind == RWL_TRANSFORM_BUCKET || out->transform.kind == RWL_TRANSFORM_TRUNCATE;
    if (with_number) {
        RWL_TRY(rwl_text_scan_number(s, &out->transform.param, err));
        RWL_TRY(rwl_text_scan_expect(s, ',', err));
    }
    RWL_TRY(rwl_text_scan_field(s, schema, &out->source, &out->column, err));
    RWL_TRY(rwl_text_scan_expect(s, ')', err));
    out->transform.text =
        with_number ? rwl_arena_printf(s->arena, "%s[%d]", name, (int)out->transform.param) : name;
    return out->transform.text ? RWL_OK : rwl_no_memory(err, 32);
}

static rwl_status scan_term(rwl_text_scan *s, const rwl_schema *schema, term *out, rwl_error *err) {
    (void)rwl_text_scan_end(s);
    memset(out, 0, sizeof *out);
    out->start = s->pos;
    const char *name = NULL;
    if (scan_function(s, &name, &out->transform.kind)) {
        RWL_TRY(scan_call(s, schema, name, out, err));
    } else {
        out->transform = (rwl_transform){RWL_TRANSFORM_IDENTITY, 0, "identity"};
        RWL_TRY(rwl_text_scan_field(s, schema, &out->source, &out->column, err));
        if (rwl_text_scan_accept(s, '('))
            return rwl_text_scan_fail(s, out->start, err, "there is no transform '%s'", out->column);
    }
    rwl_type result;
    if (rwl_type_is_nested(&out->source->type) ||
        !rwl_transform_result(&out->transform, &out->source->type, &result))
        return rwl_text_scan_fail(s, out->start, err, "'%s' cannot take column '%s'", out->transform.text,
                                  out->column);
    return RWL_OK;
}

/* A partition field may share a name only with the column that it is. */
static rwl_status check_name(const rwl_text_scan *s, const rwl_schema *schema,
                             const rwl_partition_field *fields, size_t count, const term *t, const char *name,
                             rwl_error *err) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(fields[i].name, name) == 0)
            return rwl_text_scan_fail(s, t->start, err, "the partition name '%s' occurs twice", name);
    }
    const rwl_field *column = rwl_schema_by_name(schema, name);
    if (column && (column != t->source || t->transform.kind != RWL_TRANSFORM_IDENTITY))
        return rwl_text_scan_fail(s, t->start, err, "the partition name '%s' is that of another column",
                                  name);
    return RWL_OK;
}

typedef RWL_VEC(rwl_partition_field) partition_vec;

static rwl_status add_partition_field(rwl_text_scan *s, const rwl_schema *schema, partition_vec *fields,
                                      rwl_error *err) {
    term t;
    RWL_TRY(scan_term(s, schema, &t, err));
    const char *name = rwl_arena_printf(s->arena, "%s%s", t.column, suffix_of(t.transform.kind));
    if (!name)
        return rwl_no_memory(err, strlen(t.column) + 8);
    RWL_TRY(check_name(s, schema, fields->items, fields->len, &t, name, err));
    rwl_partition_field field = {t.source->id, 1000 + (int32_t)fields->len, name, t.transform};
    return rwl_vec_push(fields, s->arena->env, field, err);
}

rwl_status rwl_partition_spec_from_text(const char *text, const rwl_schema *schema, rwl_arena *arena,
                                        rwl_partition_spec *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    rwl_text_scan s;
    RWL_TRY(rwl_text_scan_init(&s, "partition", text, arena, err));
    if (rwl_text_scan_end(&s))
        return RWL_OK;
    partition_vec fields = {NULL, 0, 0};
    rwl_status st;
    do {
        RWL_GOTO(st, add_partition_field(&s, schema, &fields, err), out);
    } while (rwl_text_scan_accept(&s, ','));
    if (!rwl_text_scan_end(&s)) {
        st = rwl_text_scan_fail(&s, s.pos, err, "expected ',' before '%.40s'", s.text + s.pos);
        goto out;
    }
    out->fields = rwl_arena_copy(arena, fields.items, fields.len * sizeof fields.items[0]);
    out->field_count = (int32_t)fields.len;
    if (!out->fields)
        st = rwl_no_memory(err, fields.len * sizeof fields.items[0]);
out:
    rwl_vec_clear(&fields, arena->env);
    return st;
}

typedef RWL_VEC(rwl_sort_field) sort_vec;

static rwl_status add_sort_field(rwl_text_scan *s, const rwl_schema *schema, sort_vec *fields,
                                 rwl_error *err) {
    term t;
    RWL_TRY(scan_term(s, schema, &t, err));
    for (size_t i = 0; i < fields->len; i++) {
        const rwl_sort_field *f = &fields->items[i];
        if (f->source_id == t.source->id && strcmp(f->transform.text, t.transform.text) == 0)
            return rwl_text_scan_fail(s, t.start, err, "the sort key '%s' occurs twice", t.column);
    }
    rwl_sort_field field = {t.source->id, t.transform, false, true};
    if (rwl_text_scan_word(s, "desc")) {
        field.descending = true;
        field.nulls_first = false;
    } else {
        (void)rwl_text_scan_word(s, "asc");
    }
    if (rwl_text_scan_word(s, "nulls")) {
        field.nulls_first = rwl_text_scan_word(s, "first");
        if (!field.nulls_first && !rwl_text_scan_word(s, "last"))
            return rwl_text_scan_fail(s, s->pos, err, "expected 'first' or 'last' after 'nulls'");
    }
    return rwl_vec_push(fields, s->arena->env, field, err);
}

rwl_status rwl_sort_order_from_text(const char *text, const rwl_schema *schema, rwl_arena *arena,
                                    rwl_sort_order *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    rwl_text_scan s;
    RWL_TRY(rwl_text_scan_init(&s, "sort", text, arena, err));
    if (rwl_text_scan_end(&s))
        return RWL_OK;
    sort_vec fields = {NULL, 0, 0};
    rwl_status st;
    do {
        RWL_GOTO(st, add_sort_field(&s, schema, &fields, err), out);
    } while (rwl_text_scan_accept(&s, ','));
    if (!rwl_text_scan_end(&s)) {
        st = rwl_text_scan_fail(&s, s.pos, err, "expected ',' before '%.40s'", s.text + s.pos);
        goto out;
    }
    out->order_id = 1;
    out->fields = rwl_arena_copy(arena, fields.items, fields.len * sizeof fields.items[0]);
    out->field_count = (int32_t)fields.len;
    if (!out->fields)
        st = rwl_no_memory(err, fields.len * sizeof fields.items[0]);
out:
    rwl_vec_clear(&fields, arena->env);
    return st;
}
