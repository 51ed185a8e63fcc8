/* SPDX-License-Identifier: Apache-2.0 */
/* Resolving the columns of --select and --where. */
#include "engine/row_filter.h"

#include "engine/select_list.h"

#include <stdio.h>

/* --- the columns a table state can give --- */

/* The column of this name, at the top or inside of structs; -1 when there is none. */
static int32_t find_at(const rwl_row_filter *f, const char *name, bool nested) {
    for (int32_t i = 0; i < f->all_count; i++)
        if ((f->places[i].parent >= 0) == nested && strcmp(f->all[i].name, name) == 0)
            return i;
    return -1;
}

/* A name of several parts rather means a field inside of a struct, one of a single part a column with dots in its name. */
static int32_t find_named(const rwl_row_filter *f, const char *name, bool is_path) {
    int32_t found = find_at(f, name, is_path);
    return found >= 0 ? found : find_at(f, name, !is_path);
}

/* What the other table format calls a metadata column. */
static rwl_status hint_name(const rwl_row_filter *f, const char *name, rwl_error *err) {
    static const struct {
        const char *iceberg, *lance;
    } names[] = {{RWL_COLUMN_ROW_ID, "_rowid"}, {RWL_COLUMN_LAST_UPDATED, "_row_last_updated_at_version"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i].iceberg) == 0 && find_at(f, names[i].lance, false) >= 0)
            return rwl_fail(err, RWL_USAGE, "no column %s: it is called %s in Lance datasets", name,
                            names[i].lance);
        if (strcmp(name, names[i].lance) == 0 && find_at(f, names[i].iceberg, false) >= 0)
            return rwl_fail(err, RWL_USAGE, "no column %s: it is called %s in Iceberg tables", name,
                            names[i].iceberg);
    }
    return RWL_OK;
}

static rwl_status unknown_column(const rwl_row_filter *f, const char *name, rwl_error *err) {
    char known[256];
    size_t len = 0;
    RWL_TRY(hint_name(f, name, err));
    for (int32_t i = 0; i < f->all_count && f->places[i].parent < 0; i++) {
        if (len + strlen(f->all[i].name) + 3 >= sizeof known)
            break;
        len += (size_t)snprintf(known + len, sizeof known - len, "%s%s", i > 0 ? ", " : "", f->all[i].name);
    }
    return rwl_fail(err, RWL_USAGE, "no column %.100s; there are %s", name, known);
}

/* A column of the schema that is called like a metadata column hides it, which nobody should have to find out. */
static void tell_hidden(const rwl_env *env, const rwl_schema *schema, const rwl_metadata_column *columns,
                        int32_t count) {
    const char *name;
    for (int32_t at = 0;
         (name = rwl_name_fields_hidden(schema->fields, schema->field_count, columns, count, &at)) != NULL;)
        rwl_log(env, RWL_LOG_WARN, "column %s is the table's own; the metadata column of this name is hidden",
                name);
}

/* --- work columns --- */

/* Adds a work column unless it is there. */
static void add_column(rwl_row_filter *f, int32_t index) {
    if (f->work_of[index] >= 0)
        return;
    f->work_of[index] = f->field_count;
    f->all_of[f->field_count] = index;
    f->fields[f->field_count++] = f->all[index];
}

static rwl_status select_columns(rwl_row_filter *f, const char *select, rwl_error *err) {
    for (const char *p = select;;) {
        rwl_select_name name;
        RWL_TRY(rwl_select_next(&p, &f->arena, &name, err));
        if (name.text == NULL)
            return RWL_OK;
        int32_t index = find_named(f, name.text, name.is_path);
        if (index < 0)
            return unknown_column(f, name.text, err);
        if (f->work_of[index] >= 0)
            return rwl_fail(err, RWL_USAGE, "--select names column '%.100s' twice", name.text);
        add_column(f, index);
    }
}

/* Appends the metadata column, unless it was selected by name. */
static rwl_status add_lineage_column(rwl_row_filter *f, const rwl_field *column, rwl_error *err) {
    int32_t index = find_at(f, column->name, false);
    if (index < 0 || f->all[index].id != column->id)
        return rwl_fail(err, RWL_USAGE,
                        "the table has a column of its own called %s, which hides the lineage", column->name);
    add_column(f, index);
    return RWL_OK;
}

static rwl_status choose_outputs(rwl_row_filter *f, const rwl_row_filter_options *options,
                                 const rwl_schema *schema, const rwl_metadata_column *columns,
                                 int32_t column_count, rwl_error *err) {
    if (options->select != NULL) {
        RWL_TRY(select_columns(f, options->select, err));
    } else {
        for (int32_t i = 0; i < schema->field_count; i++)
            add_column(f, i);
    }
    for (int32_t i = 0; options->lineage && i < column_count; i++)
        if (columns[i].is_lineage)
            RWL_TRY(add_lineage_column(f, &columns[i].field, err));
    f->output_count = f->field_count;
    return RWL_OK;
}

/* --- --where --- */

rwl_status rwl_filter_parse(const char *where, rwl_arena *arena, const rwl_expr **out, rwl_error *err) {
    rwl_status st = rwl_expr_parse(where, arena, out, err);
    return st == RWL_OK ? st : rwl_error_in(err, st, "--where");
}

static rwl_status bind_rows(rwl_row_filter *f, const char *where, rwl_error *err) {
    RWL_TRY(rwl_filter_parse(where, &f->arena, &f->plan_filter, err));
    rwl_status st = rwl_expr_bind(f->plan_filter, f->all, f->all_count, &f->arena, &f->row_filter, err);
    if (st != RWL_OK)
        return rwl_error_in(err, st, "--where");
    int32_t used_count;
    const int32_t *used = rwl_bound_columns(f->row_filter, &used_count);
    for (int32_t i = 0; i < used_count; i++)
        add_column(f, used[i]);
    return RWL_OK;
}

/* --- putting it together --- */

static rwl_status make_room(rwl_row_filter *f, rwl_error *err) {
    size_t room = (size_t)f->all_count;
    f->fields = rwl_arena_array(&f->arena, room, sizeof *f->fields);
    f->all_of = rwl_arena_array(&f->arena, room, sizeof *f->all_of);
    f->work_of = rwl_arena_array(&f->arena, room, sizeof *f->work_of);
    if (f->fields == NULL || f->all_of == NULL || f->work_of == NULL)
        return rwl_no_memory(err, room * sizeof *f->fields);
    for (size_t i = 0; i < room; i++)
        f->work_of[i] = -1;
    return RWL_OK;
}

static unsigned lineage_of(int32_t field_id) {
    switch (field_id) {
    case RWL_FIELD_ID_ROW_ID:
        return RWL_LINEAGE_ROW_IDS;
    case RWL_FIELD_ID_LAST_UPDATED:
        return RWL_LINEAGE_VERSIONS;
    case RWL_FIELD_ID_CREATED_AT:
        return RWL_LINEAGE_CREATED;
    default:
        return 0;
    }
}

static rwl_status init_filter(rwl_row_filter *f, const rwl_driver *driver, const rwl_schema *schema,
                              const rwl_row_filter_options *options, rwl_error *err) {
    rwl_field *all;
    rwl_field_place *places;
    const rwl_metadata_column *columns;
    int32_t column_count;
    RWL_TRY(driver->vtable->metadata_columns(driver, &f->arena, &columns, &column_count, err));
    RWL_TRY(rwl_name_fields(schema->fields, schema->field_count, columns, column_count, &f->arena, &all,
                            &places, &f->all_count, err));
    f->all = all;
    f->places = places;
    RWL_TRY(make_room(f, err));
    if (!driver->vtable->is_file)
        tell_hidden(f->arena.env, schema, columns, column_count);
    RWL_TRY(choose_outputs(f, options, schema, columns, column_count, err));
    if (options->where != NULL)
        RWL_TRY(bind_rows(f, options->where, err));
    for (int32_t i = 0; i < f->field_count; i++)
        f->lineage |= lineage_of(f->fields[i].id);
    return RWL_OK;
}

rwl_status rwl_row_filter_init(rwl_row_filter *f, const rwl_env *env, const rwl_driver *driver,
                               const rwl_schema *schema, const rwl_row_filter_options *options,
                               rwl_error *err) {
    memset(f, 0, sizeof *f);
    rwl_arena_init(&f->arena, env, 0);
    f->pool = options->pool;
    rwl_status st = init_filter(f, driver, schema, options, err);
    if (st != RWL_OK)
        rwl_row_filter_clear(f);
    return st;
}

void rwl_row_filter_clear(rwl_row_filter *f) {
    rwl_arena_clear(&f->arena);
}
