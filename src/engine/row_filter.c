/* SPDX-License-Identifier: Apache-2.0 */
/* Resolving the columns of --select and --where. */
#include "engine/row_filter.h"

#include "iceberg/filter_fields.h"

#include <ctype.h>
#include <stdio.h>

/* --- the columns a table state can give --- */

static void add_lineage_column(rwl_row_filter *f, int32_t index);

static const rwl_field *find_field(const rwl_field *fields, int32_t count, const char *name) {
    for (int32_t i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}

static rwl_status unknown_column(const rwl_field *all, int32_t count, const char *name, rwl_error *err) {
    if (strcmp(name, "_partition") == 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "column _partition is not supported");
    if (strchr(name, '.') != NULL)
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s: nested fields are not supported", name);
    char known[256];
    size_t len = 0;
    for (int32_t i = 0; i < count && len + strlen(all[i].name) + 3 < sizeof known; i++)
        len += (size_t)snprintf(known + len, sizeof known - len, "%s%s", i > 0 ? ", " : "", all[i].name);
    return rwl_fail(err, RWL_USAGE, "no column %s; there are %s", name, known);
}

/* Adds a work column, one for the filter unless it is there: each is there once. */
static void add_column(rwl_row_filter *f, const rwl_field *field, bool output) {
    if (!output && find_field(f->fields, f->field_count, field->name) != NULL)
        return;
    f->fields[f->field_count++] = *field;
    if (output)
        f->output_count = f->field_count;
}

/* --- --select --- */

/* The next name of a comma-separated list, quotes removed; *name NULL at the end. */
static rwl_status next_name(const char **text, rwl_arena *arena, char **name, rwl_error *err) {
    const char *p = *text;
    while (isspace((unsigned char)*p))
        p++;
    *name = NULL;
    if (*p == '\0')
        return RWL_OK;
    char *out = rwl_arena_alloc(arena, strlen(p) + 1);
    if (out == NULL)
        return rwl_no_memory(err, strlen(p) + 1);
    size_t len = 0;
    if (*p == '"') {
        for (p++; *p != '\0' && !(*p == '"' && p[1] != '"'); p++) {
            out[len++] = *p;
            p += *p == '"'; /* a doubled quote */
        }
        if (*p++ != '"')
            return rwl_fail(err, RWL_USAGE, "--select: a quoted name does not end");
    } else {
        while (*p != '\0' && *p != ',')
            out[len++] = *p++;
        while (len > 0 && isspace((unsigned char)out[len - 1]))
            len--;
    }
    while (isspace((unsigned char)*p))
        p++;
    if (len == 0 || (*p != ',' && *p != '\0'))
        return rwl_fail(err, RWL_USAGE, "--select: expected a column name and a comma at '%s'", *text);
    *text = *p == ',' ? p + 1 : p;
    *name = out;
    return RWL_OK;
}

static rwl_status select_columns(rwl_row_filter *f, const char *select, const rwl_field *all, int32_t count,
                                 rwl_error *err) {
    for (const char *p = select;;) {
        char *name;
        RWL_TRY(next_name(&p, &f->arena, &name, err));
        if (name == NULL)
            return RWL_OK;
        const rwl_field *field = find_field(all, count, name);
        if (field == NULL)
            return unknown_column(all, count, name, err);
        if (find_field(f->fields, f->field_count, name) != NULL)
            return rwl_fail(err, RWL_USAGE, "--select names column '%s' twice", name);
        add_column(f, field, true);
    }
}

static size_t count_names(const char *select) {
    size_t count = 1;
    for (; select != NULL && *select != '\0'; select++)
        count += *select == ',';
    return count;
}

static rwl_status choose_outputs(rwl_row_filter *f, const rwl_row_filter_options *options,
                                 const rwl_field *all, int32_t count, rwl_error *err) {
    if (options->select != NULL) {
        RWL_TRY(select_columns(f, options->select, all, count, err));
    } else {
        for (int32_t i = 0; i < f->schema->field_count; i++)
            add_column(f, &f->schema->fields[i], true);
    }
    for (int32_t i = 0; options->lineage && i < 2; i++)
        add_lineage_column(f, i);
    return RWL_OK;
}

/* Appends _row_id (0) or _last_updated_sequence_number (1), unless it was selected by name. */
static void add_lineage_column(rwl_row_filter *f, int32_t index) {
    rwl_field field = {.name = index == 0 ? RWL_COLUMN_ROW_ID : RWL_COLUMN_LAST_UPDATED,
                       .id = index == 0 ? RWL_FIELD_ID_ROW_ID : RWL_FIELD_ID_LAST_UPDATED,
                       .type = rwl_type_of(RWL_TYPE_LONG)};
    if (find_field(f->fields, f->field_count, field.name) == NULL)
        add_column(f, &field, true);
}

/* --- --where --- */

rwl_status rwl_filter_parse(const char *where, rwl_arena *arena, const rwl_expr **out, rwl_error *err) {
    rwl_status st = rwl_expr_parse(where, arena, out, err);
    return st == RWL_OK ? st : rwl_error_in(err, st, "--where");
}

static rwl_status bind_filter(rwl_row_filter *f, const rwl_field *fields, int32_t count,
                              const rwl_bound **out, rwl_error *err) {
    rwl_status st = rwl_expr_bind(f->plan_filter, fields, count, &f->arena, out, err);
    return st == RWL_OK ? st : rwl_error_in(err, st, "--where");
}

/* Binds to everything first, to learn which columns are needed, then to the work columns. */
static rwl_status bind_rows(rwl_row_filter *f, const char *where, const rwl_field *all, int32_t count,
                            rwl_error *err) {
    const rwl_bound *wide;
    RWL_TRY(rwl_filter_parse(where, &f->arena, &f->plan_filter, err));
    RWL_TRY(bind_filter(f, all, count, &wide, err));
    int32_t used_count;
    const int32_t *used = rwl_bound_columns(wide, &used_count);
    for (int32_t i = 0; i < used_count; i++)
        add_column(f, &all[used[i]], false);
    return bind_filter(f, f->fields, f->field_count, &f->row_filter, err);
}

/* --- putting it together --- */

static rwl_status init_filter(rwl_row_filter *f, const rwl_row_filter_options *options, rwl_error *err) {
    rwl_field *all;
    int32_t count;
    RWL_TRY(rwl_filter_fields(NULL, f->schema, &f->arena, &all, NULL, &count, err));
    size_t room = 2 * (size_t)count + count_names(options->select) + 2;
    f->fields = rwl_arena_array(&f->arena, room, sizeof *f->fields);
    if (f->fields == NULL)
        return rwl_no_memory(err, room * sizeof *f->fields);
    RWL_TRY(choose_outputs(f, options, all, count, err));
    if (options->where != NULL)
        RWL_TRY(bind_rows(f, options->where, all, count, err));
    for (int32_t i = 0; i < f->field_count; i++)
        f->needs_lineage = f->needs_lineage || f->fields[i].id == RWL_FIELD_ID_ROW_ID ||
                           f->fields[i].id == RWL_FIELD_ID_LAST_UPDATED;
    return RWL_OK;
}

rwl_status rwl_row_filter_init(rwl_row_filter *f, const rwl_env *env, const rwl_schema *schema,
                               const rwl_row_filter_options *options, rwl_error *err) {
    memset(f, 0, sizeof *f);
    rwl_arena_init(&f->arena, env, 0);
    f->schema = schema;
    f->pool = options->pool;
    rwl_status st = init_filter(f, options, err);
    if (st != RWL_OK)
        rwl_row_filter_clear(f);
    return st;
}

void rwl_row_filter_clear(rwl_row_filter *f) {
    rwl_arena_clear(&f->arena);
}
