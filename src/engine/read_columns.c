/* SPDX-License-Identifier: Apache-2.0 */
/* Marks what is wanted in the tree of all fields, cuts the types to it, and finds the way to each work column. */
#include "engine/read_columns.h"

typedef enum mark { UNWANTED, PARTLY, WHOLE } mark;

typedef struct chooser {
    const rwl_row_filter *filter;
    rwl_arena *arena;
    mark *marks;   /* one each of filter->all */
    int32_t *rank; /* of each wanted one: its index among its parent's wanted children, or the read columns */
} chooser;

/* --- marks --- */

static int32_t top_of(const rwl_row_filter *f, int32_t index) {
    while (f->places[index].parent >= 0)
        index = f->places[index].parent;
    return index;
}

static void mark_wanted(const chooser *c, const bool *chosen) {
    const rwl_row_filter *f = c->filter;
    for (int32_t i = 0; i < f->field_count; i++) {
        int32_t at = f->all_of[i];
        if (!chosen[i] || !rwl_field_is_stored(&f->fields[i]))
            continue;
        c->marks[at] = WHOLE;
        while ((at = f->places[at].parent) >= 0)
            if (c->marks[at] == UNWANTED)
                c->marks[at] = PARTLY;
    }
}

/* --- types --- */

/* The type with the marked children alone. The depth is the schema's, which has a limit. */
static rwl_status cut_type(const chooser *c, int32_t index, rwl_type *out, rwl_error *err) {
    const rwl_row_filter *f = c->filter;
    const rwl_type *full = &f->all[index].type;
    *out = *full;
    if (c->marks[index] == WHOLE)
        return RWL_OK;
    rwl_field *children = rwl_arena_array(c->arena, (size_t)full->child_count, sizeof *children);
    if (children == NULL)
        return rwl_no_memory(err, (size_t)full->child_count * sizeof *children);
    out->child_count = 0;
    for (int32_t i = index + 1; i < f->all_count; i++) {
        if (f->places[i].parent != index || c->marks[i] == UNWANTED)
            continue;
        rwl_field *child = &children[c->rank[i] = out->child_count++];
        *child = full->children[f->places[i].child];
        RWL_TRY(cut_type(c, i, &child->type, err));
    }
    out->children = children;
    return RWL_OK;
}

static rwl_status cut_columns(const chooser *c, rwl_read_columns *out, rwl_error *err) {
    const rwl_row_filter *f = c->filter;
    for (int32_t i = 0; i < f->all_count && f->places[i].parent < 0; i++) {
        if (c->marks[i] == UNWANTED)
            continue;
        rwl_field *field = &out->fields[c->rank[i] = out->count++];
        *field = f->all[i];
        RWL_TRY(cut_type(c, i, &field->type, err));
    }
    return RWL_OK;
}

/* --- the way to a work column --- */

static rwl_status find_place(const chooser *c, int32_t index, rwl_read_place *out, rwl_error *err) {
    const rwl_row_filter *f = c->filter;
    int32_t depth = 0;
    for (int32_t at = index; (at = f->places[at].parent) >= 0;)
        depth++;
    int32_t *path = rwl_arena_array(c->arena, (size_t)depth, sizeof *path);
    if (path == NULL)
        return rwl_no_memory(err, (size_t)depth * sizeof *path);
    *out = (rwl_read_place){c->rank[top_of(f, index)], path, depth};
    for (int32_t at = index; depth > 0; at = f->places[at].parent) {
        bool is_cut = true; /* no struct above is there as a whole */
        for (int32_t above = at; is_cut && (above = f->places[above].parent) >= 0;)
            is_cut = c->marks[above] == PARTLY;
        path[--depth] = is_cut ? c->rank[at] : f->places[at].child;
    }
    return RWL_OK;
}

rwl_status rwl_read_columns_choose(const rwl_row_filter *filter, const bool *chosen, rwl_arena *arena,
                                   rwl_read_columns *out, rwl_error *err) {
    size_t all = (size_t)filter->all_count, work = (size_t)filter->field_count;
    chooser c = {.filter = filter, .arena = arena};
    c.marks = rwl_arena_array(arena, all, sizeof *c.marks);
    c.rank = rwl_arena_array(arena, all, sizeof *c.rank);
    out->count = 0;
    out->fields = rwl_arena_array(arena, work, sizeof *out->fields);
    out->places = rwl_arena_array(arena, work, sizeof *out->places);
    if (c.marks == NULL || c.rank == NULL || out->fields == NULL || out->places == NULL)
        return rwl_no_memory(err, all * sizeof *c.marks);
    mark_wanted(&c, chosen);
    RWL_TRY(cut_columns(&c, out, err));
    for (int32_t i = 0; i < filter->field_count; i++) {
        out->places[i].column = -1;
        if (chosen[i] && rwl_field_is_stored(&filter->fields[i]))
            RWL_TRY(find_place(&c, filter->all_of[i], &out->places[i], err));
    }
    return RWL_OK;
}
