/* SPDX-License-Identifier: Apache-2.0 */
/* Where the columns of fields lie among the files of a fragment. */
#include "lance/fragment_columns.h"

#include <inttypes.h>
#include <stdlib.h>

void rwl_lance_fragment_columns_init(rwl_lance_fragment_columns *c, rwl_lance_fragment_files *files) {
    *c = (rwl_lance_fragment_columns){.files = files};
    rwl_arena_init(&c->arena, files->op->env, 0);
}

void rwl_lance_fragment_columns_clear(rwl_lance_fragment_columns *c) {
    rwl_arena_clear(&c->arena);
}

/* --- fields of the files --- */

static int by_field(const void *a, const void *b) {
    const rwl_lance_placed *x = a, *y = b;
    int order = (x->field > y->field) - (x->field < y->field);
    return order != 0 ? order : (x->file > y->file) - (x->file < y->file);
}

/* All field ids that mean a column of the schema; column -1 when the file has none, -2 when it does not say. */
static rwl_status list_fields(rwl_lance_fragment_columns *c, rwl_error *err) {
    const rwl_lance_fragment *f = c->files->fragment;
    size_t room = 0;
    for (int32_t i = 0; i < f->file_count; i++)
        room += (size_t)f->files[i].field_count;
    c->placed = rwl_arena_array(&c->arena, room + 1, sizeof *c->placed);
    if (c->placed == NULL)
        return rwl_no_memory(err, room * sizeof *c->placed);
    for (int32_t i = 0; i < f->file_count; i++) {
        const rwl_lance_data_file *file = &f->files[i];
        for (int32_t k = 0; k < file->field_count; k++)
            if (file->fields[k] >= 0)
                c->placed[c->placed_count++] = (rwl_lance_placed){
                    file->fields[k], i, k < file->index_count ? file->column_indices[k] : -2};
    }
    qsort(c->placed, c->placed_count, sizeof *c->placed, by_field);
    return RWL_OK;
}

/* Whether its values lie in the columns of the fields below it, so that a file may list it without a column. Of what is refused nothing
 * is known. */
static bool is_spread(const rwl_lance_node *node) {
    return node->form == RWL_LANCE_STRUCT || node->form == RWL_LANCE_LIST || node->form == RWL_LANCE_MAP ||
           node->refusal != NULL;
}

/* *out NULL when no file has a column of it. */
static rwl_status find_field(const rwl_lance_fragment_columns *c, const rwl_lance_node *node,
                             const rwl_lance_placed **out, rwl_error *err) {
    const rwl_lance_data_file *files = c->files->fragment->files;
    size_t low = 0, high = c->placed_count;
    int32_t id = node->field.id;
    *out = NULL;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c->placed[middle].field < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (id < 0 || low == c->placed_count || c->placed[low].field != id)
        return RWL_OK;
    const rwl_lance_placed *p = &c->placed[low];
    if (low + 1 < c->placed_count && p[1].field == id)
        return rwl_fail(err, RWL_CORRUPT, "fragment %" PRId64 ": field %d is in two places, in %s and %s",
                        c->files->fragment->id, id, files[p->file].path, files[p[1].file].path);
    if (rwl_lance_data_file_is_legacy(&files[p->file]))
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "fragment %" PRId64
                        ": data file %s: Lance file format version 1 (legacy) is not supported",
                        c->files->fragment->id, files[p->file].path);
    if (p->column < -1)
        return rwl_fail(err, RWL_CORRUPT, "fragment %" PRId64 ": field %d has no column index in %s",
                        c->files->fragment->id, id, files[p->file].path);
    if (p->column < 0 && !is_spread(node))
        return rwl_fail(err, RWL_CORRUPT, "fragment %" PRId64 ": field %d is at column index -1 of %s",
                        c->files->fragment->id, id, files[p->file].path);
    *out = p->column >= 0 ? p : NULL;
    return RWL_OK;
}

/* --- nodes --- */

/* The next node in pre-order below `top`, NULL at the end. Of the children of vectors and packed structs, which have no columns of
 * their own, none. */
static const rwl_lance_node *next_below(const rwl_lance_node *top, const rwl_lance_node **path, int32_t *at,
                                        int32_t *depth) {
    for (;;) {
        const rwl_lance_node *node = path[*depth];
        bool has_columns = node->form != RWL_LANCE_VECTOR && node->form != RWL_LANCE_PACKED;
        if (has_columns && at[*depth] < node->child_count && *depth + 1 < RWL_TYPE_DEPTH_MAX) {
            path[*depth + 1] = &node->children[at[*depth]++];
            at[++*depth] = 0;
            return path[*depth];
        }
        if (node == top)
            return NULL;
        --*depth;
    }
}

/* Finds the columns of a node and all below; *found tells whether there is any. */
static rwl_status place_nodes(rwl_lance_fragment_columns *c, const rwl_lance_node *top,
                              rwl_lance_source *sources, bool *found, rwl_error *err) {
    const rwl_lance_node *path[RWL_TYPE_DEPTH_MAX] = {top};
    int32_t at[RWL_TYPE_DEPTH_MAX] = {0}, depth = 0;
    *found = false;
    for (const rwl_lance_node *node = top; node != NULL; node = next_below(top, path, at, &depth)) {
        const rwl_lance_placed *placed;
        RWL_TRY(find_field(c, node, &placed, err));
        if (placed == NULL)
            continue;
        rwl_lancefile *file;
        RWL_TRY(rwl_lance_fragment_files_open(c->files, placed->file, &file, err));
        sources[node->index] = (rwl_lance_source){file, placed->column};
        *found = true;
    }
    return RWL_OK;
}

static bool has_column(const rwl_lance_node *node, const rwl_lance_source *sources) {
    for (int32_t i = 0; i < node->node_count; i++)
        if (sources[node->index + i].file != NULL)
            return true;
    return false;
}

static rwl_status fail_missing(const rwl_lance_fragment_columns *c, const rwl_lance_node *node,
                               rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT,
                    "fragment %" PRId64 ": field %s (%d) must not be null, and is in no file",
                    c->files->fragment->id, node->field.name, node->field.id);
}

/* What is in no file is null, and so must be able to be. Below a struct that is there, and its children are not, too. */
static rwl_status check_missing(const rwl_lance_fragment_columns *c, const rwl_lance_node *top,
                                const rwl_lance_source *sources, rwl_error *err) {
    const rwl_lance_node *path[RWL_TYPE_DEPTH_MAX] = {top};
    int32_t at[RWL_TYPE_DEPTH_MAX] = {0}, depth = 0;
    for (const rwl_lance_node *node = top; node != NULL; node = next_below(top, path, at, &depth)) {
        if (has_column(node, sources))
            continue;
        bool is_under = node != top && path[depth - 1]->form == RWL_LANCE_STRUCT;
        if (node->field.required && (node == top || is_under))
            return fail_missing(c, node, err);
        at[depth] = node->child_count; /* null with all below */
    }
    return RWL_OK;
}

static const rwl_lance_node *find_node(const rwl_lance_schema *schema, int32_t id) {
    for (int32_t i = 0; i < schema->count; i++)
        if (schema->nodes[i].field.id == id)
            return &schema->nodes[i];
    return NULL;
}

rwl_status rwl_lance_fragment_columns_find(rwl_lance_fragment_columns *c, const rwl_field *field,
                                           rwl_lance_read_field *out, rwl_error *err) {
    const rwl_lance_node *whole = find_node(&c->files->dataset->manifest->schema, field->id);
    bool found;
    if (whole == NULL)
        return rwl_fail(err, RWL_INTERNAL, "the schema has no field %s (%d)", field->name, field->id);
    if (c->placed == NULL)
        RWL_TRY(list_fields(c, err));
    rwl_lance_node *node = rwl_arena_alloc(&c->arena, sizeof *node);
    rwl_lance_source *sources = rwl_arena_array(&c->arena, (size_t)whole->node_count, sizeof *sources);
    if (node == NULL || sources == NULL)
        return rwl_no_memory(err, (size_t)whole->node_count * sizeof *sources);
    memset(sources, 0, (size_t)whole->node_count * sizeof *sources);
    *node = *whole;
    if (rwl_type_is_nested(&field->type))
        RWL_TRY(rwl_lance_node_cut(whole, &field->type, &c->arena, node, err));
    RWL_TRY(place_nodes(c, node, sources, &found, err));
    if (!found) /* of a struct whose wanted children are all younger: another tells where it is null */
        RWL_TRY(place_nodes(c, whole, sources, &found, err));
    RWL_TRY(check_missing(c, node, sources, err));
    *out = (rwl_lance_read_field){node, sources};
    return RWL_OK;
}
