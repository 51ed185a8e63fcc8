/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a Lance data file by its own schema, hidden columns among them. */
#include "engine/inspect_lance.h"

#include "lancefile/reader.h"

#include <stdlib.h>

typedef struct placed {
    int32_t id, column;
} placed;

typedef struct row_source {
    rwl_inspect *in;
    rwl_arena arena;
    rwl_lance_schema schema;
    placed *places; /* by field id */
    size_t place_count;
    rwl_field *fields;
    rwl_lance_read_field *reads;
    int32_t count;
    rwl_lance_reader *reader;
    int64_t next, end;
} row_source;

/* --- the schema --- */

/* A file of lineage alone may number its fields as it likes: hidden columns get the ids that are theirs. */
static rwl_status build_schema(row_source *s, rwl_lance_field_def **out, rwl_error *err) {
    const rwl_lancefile *file = s->in->lance;
    rwl_lance_field_def *defs = rwl_arena_array(&s->arena, file->def_count + 1, sizeof *defs);
    if (defs == NULL)
        return rwl_no_memory(err, file->def_count * sizeof *defs);
    for (size_t i = 0; i < file->def_count; i++) {
        defs[i] = file->defs[i];
        for (int q = 0; q < RWL_LANCE_SEQUENCES && rwl_inspect_lance_is_hidden(&defs[i]); q++)
            if (strcmp(defs[i].name, rwl_lance_sequence_name((rwl_lance_sequence)q)) == 0)
                defs[i].id = rwl_lance_sequence_field((rwl_lance_sequence)q);
    }
    *out = defs;
    return rwl_lance_schema_build(defs, file->def_count, &s->arena, &s->schema, err);
}

static int by_id(const void *a, const void *b) {
    const placed *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static rwl_status place_columns(row_source *s, const rwl_lance_field_def *defs, rwl_error *err) {
    rwl_lancefile *file = s->in->lance;
    s->places = rwl_arena_array(&s->arena, (size_t)file->column_count + 1, sizeof *s->places);
    if (s->places == NULL)
        return rwl_no_memory(err, (size_t)file->column_count * sizeof *s->places);
    for (int32_t i = 0; i < file->column_count; i++) {
        const rwl_lance_field_def *def;
        RWL_TRY(rwl_lancefile_column_field(file, s->in->op, i, &def, err));
        if (def != NULL)
            s->places[s->place_count++] = (placed){defs[def - file->defs].id, i};
    }
    qsort(s->places, s->place_count, sizeof *s->places, by_id);
    return RWL_OK;
}

/* --- fields to read --- */

/* Depth is limited by rwl_lance_schema_build. */
static void find_sources(const row_source *s, const rwl_lance_node *node, rwl_lance_source *sources) {
    placed key = {node->field.id, 0};
    const placed *found = bsearch(&key, s->places, s->place_count, sizeof *s->places, by_id);
    if (found != NULL)
        sources[node->index] = (rwl_lance_source){s->in->lance, found->column};
    for (int32_t i = 0; i < node->child_count && node->form != RWL_LANCE_VECTOR; i++)
        find_sources(s, &node->children[i], sources);
}

/* The type of a node cut down to what `rest` of a path names: through structs, the last part whole. *type NULL: there is no such. */
static rwl_status cut_type(const rwl_lance_node *node, const char *rest, rwl_arena *arena, rwl_type *type,
                           bool *found, rwl_error *err) {
    *type = node->field.type;
    *found = true;
    bool is_struct = node->form == RWL_LANCE_STRUCT || node->form == RWL_LANCE_PACKED;
    if (*rest == '\0' || !is_struct)
        return RWL_OK;
    *found = false;
    for (int32_t i = 0; i < node->child_count && !*found; i++) {
        const char *name = node->children[i].field.name;
        size_t len = strlen(name);
        if (strncmp(rest, name, len) != 0 || (rest[len] != '\0' && rest[len] != '.'))
            continue;
        rwl_field *child = rwl_arena_array(arena, 1, sizeof *child);
        if (child == NULL)
            return rwl_no_memory(err, sizeof *child);
        *child = node->children[i].field;
        RWL_TRY(
            cut_type(&node->children[i], rest + len + (rest[len] == '.'), arena, &child->type, found, err));
        type->children = child;
        type->child_count = 1;
    }
    return RWL_OK;
}

static rwl_status add_field(row_source *s, const rwl_lance_node *whole, const char *rest, rwl_error *err) {
    bool found;
    rwl_lance_node *node = rwl_arena_alloc(&s->arena, sizeof *node);
    rwl_lance_source *sources = rwl_arena_array(&s->arena, (size_t)whole->node_count, sizeof *sources);
    if (node == NULL || sources == NULL)
        return rwl_no_memory(err, (size_t)whole->node_count * sizeof *sources);
    memset(sources, 0, (size_t)whole->node_count * sizeof *sources);
    rwl_type type;
    *node = *whole;
    RWL_TRY(cut_type(whole, rest, &s->arena, &type, &found, err));
    if (!found)
        return RWL_OK;
    if (*rest != '\0' && rwl_type_is_nested(&type))
        RWL_TRY(rwl_lance_node_cut(whole, &type, &s->arena, node, err));
    find_sources(s, node, sources);
    s->fields[s->count] = node->field;
    s->reads[s->count++] = (rwl_lance_read_field){node, sources};
    return RWL_OK;
}

static rwl_status choose_fields(row_source *s, rwl_error *err) {
    const char *column = s->in->column;
    s->fields = rwl_arena_array(&s->arena, (size_t)s->schema.count + 1, sizeof *s->fields);
    s->reads = rwl_arena_array(&s->arena, (size_t)s->schema.count + 1, sizeof *s->reads);
    if (s->fields == NULL || s->reads == NULL)
        return rwl_no_memory(err, (size_t)s->schema.count * sizeof *s->fields);
    for (int32_t i = 0; i < s->schema.count; i++) {
        const rwl_lance_node *node = &s->schema.nodes[i];
        size_t len = strlen(node->field.name);
        const char *rest = "";
        if (column != NULL) {
            if (strncmp(column, node->field.name, len) != 0 || (column[len] != '\0' && column[len] != '.'))
                continue;
            rest = column + len + (column[len] == '.');
        }
        RWL_TRY(add_field(s, node, rest, err));
    }
    if (s->count == 0 && column != NULL)
        return rwl_fail(err, RWL_USAGE, "no column %s to read", column);
    return RWL_OK;
}

/* --- the stream --- */

static rwl_status open_rows(row_source *s, int64_t count, rwl_error *err) {
    rwl_lance_field_def *defs;
    s->end = s->in->lance->row_count;
    RWL_TRY(build_schema(s, &defs, err));
    RWL_TRY(place_columns(s, defs, err));
    RWL_TRY(choose_fields(s, err));
    rwl_lance_read_options options = {.fields = s->reads, .field_count = s->count, .row_count = s->end};
    if (count >= 0 && count < s->end)
        s->end = count;
    return rwl_lance_reader_new(s->in->op, &options, &s->reader, err);
}

static rwl_status in_file(const row_source *s, rwl_status st, rwl_error *err) {
    if (st != RWL_OK && (err == NULL || strstr(err->message, s->in->location) == NULL))
        st = rwl_error_in(err, st, "%s", s->in->location);
    return st == RWL_OK ? st : rwl_error_path(err, st, s->in->location);
}

static rwl_status next_rows(void *ctx, rwl_batch *batch, rwl_error *err) {
    row_source *s = ctx;
    if (s->next >= s->end)
        return RWL_OK;
    rwl_range range = {s->next, s->end - s->next};
    if (range.count > RWL_BATCH_ROWS)
        range.count = RWL_BATCH_ROWS;
    RWL_TRY(rwl_op_check(s->in->op, err));
    RWL_TRY(in_file(s, rwl_lance_reader_read(s->reader, &range, 1, batch, err), err));
    if (batch->length <= 0 || batch->length > range.count)
        return rwl_fail(err, RWL_INTERNAL, "%s: %lld rows for %lld", s->in->location,
                        (long long)batch->length, (long long)range.count);
    s->next += batch->length;
    return RWL_OK;
}

static void free_rows(void *ctx) {
    row_source *s = ctx;
    rwl_lance_reader_free(s->reader);
    rwl_arena_clear(&s->arena);
    rwl_free(s->in->env, s);
}

rwl_status rwl_inspect_lance_rows(rwl_inspect *in, int64_t count, struct ArrowArrayStream *out,
                                  rwl_error *err) {
    row_source *s = rwl_calloc(in->env, 1, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    s->in = in;
    rwl_arena_init(&s->arena, in->env, 0);
    rwl_status st = open_rows(s, count, err);
    if (st != RWL_OK) {
        st = in_file(s, st, err);
        free_rows(s);
        return st;
    }
    rwl_arrow_source source = {s, next_rows, free_rows};
    return rwl_arrow_stream_from(in->env, s->fields, s->count, source, out, err);
}
