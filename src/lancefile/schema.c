/* SPDX-License-Identifier: Apache-2.0 */
/* Lance schemas: from the list of fields to a tree that knows how every field is stored. */
#include "lancefile/schema.h"

#include "lancefile/schema_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Lance's own columns; those with an id may be stored, hidden, in data files. */
static const struct {
    const char *name;
    int32_t id;
} SYSTEM_COLUMNS[] = {{"_rowid", -3},
                      {"_row_created_at_version", -4},
                      {"_row_last_updated_at_version", -5},
                      {"_rowaddr", 0},
                      {"_rowoffset", 0}};

typedef struct id_index {
    int32_t id, index;
} id_index;

typedef struct name_in {
    const char *name;
    int32_t parent;
} name_in;

/* What is known of each field while the tree is built; by the index of its definition. */
typedef struct builder {
    const rwl_lance_field_def *defs;
    int32_t count;
    rwl_arena *arena;
    rwl_error *err;
    int32_t *parents;      /* index, -1 at the top */
    int32_t *child_counts; /* then how many have a place */
    int32_t *depths;
    rwl_lance_node **nodes; /* places in their parents' arrays */
    int32_t top_count;
} builder;

/* --- ids, parents, names --- */

static int compare_ids(const void *a, const void *b) {
    const id_index *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int compare_names(const void *a, const void *b) {
    const name_in *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return strcmp(x->name, y->name);
}

static rwl_status check_system_columns(const builder *b) {
    for (int32_t i = 0; i < b->count; i++) {
        const rwl_lance_field_def *def = &b->defs[i];
        int32_t hidden = 0;
        bool is_system = false;
        for (size_t k = 0; k < sizeof SYSTEM_COLUMNS / sizeof SYSTEM_COLUMNS[0] && def->parent_id == -1; k++)
            if (strcmp(def->name, SYSTEM_COLUMNS[k].name) == 0) {
                is_system = true;
                hidden = SYSTEM_COLUMNS[k].id;
            }
        if (is_system ? def->id != hidden || hidden == 0 : def->id < 0)
            return rwl_fail(b->err, RWL_CORRUPT, "field '%.60s' has id %" PRId32 "%s", def->name, def->id,
                            is_system ? ", but the name is one of Lance's own columns" : "");
    }
    return RWL_OK;
}

/* Parents stand before their children. */
static rwl_status find_parents(builder *b) {
    id_index *ids = rwl_arena_array(b->arena, (size_t)b->count, sizeof *ids);
    if (!ids)
        return rwl_no_memory(b->err, (size_t)b->count * sizeof *ids);
    for (int32_t i = 0; i < b->count; i++)
        ids[i] = (id_index){b->defs[i].id, i};
    if (b->count > 0)
        qsort(ids, (size_t)b->count, sizeof *ids, compare_ids);
    for (int32_t i = 1; i < b->count; i++)
        if (ids[i].id == ids[i - 1].id)
            return rwl_fail(b->err, RWL_CORRUPT, "field id %" PRId32 " twice in the schema", ids[i].id);
    for (int32_t i = 0; i < b->count; i++) {
        const rwl_lance_field_def *def = &b->defs[i];
        id_index key = {def->parent_id, 0};
        b->parents[i] = -1;
        if (def->parent_id == -1)
            continue;
        const id_index *found = bsearch(&key, ids, (size_t)b->count, sizeof *ids, compare_ids);
        if (!found || found->index >= i)
            return rwl_fail(b->err, RWL_CORRUPT,
                            "field %" PRId32 " '%.60s' has parent %" PRId32 ", which is %s", def->id,
                            def->name, def->parent_id, found ? "not before it" : "not there");
        b->parents[i] = found->index;
    }
    return RWL_OK;
}

static rwl_status check_names(const builder *b) {
    name_in *names = rwl_arena_array(b->arena, (size_t)b->count, sizeof *names);
    if (!names)
        return rwl_no_memory(b->err, (size_t)b->count * sizeof *names);
    for (int32_t i = 0; i < b->count; i++)
        names[i] = (name_in){b->defs[i].name, b->parents[i]};
    if (b->count > 0)
        qsort(names, (size_t)b->count, sizeof *names, compare_names);
    for (int32_t i = 1; i < b->count; i++)
        if (compare_names(&names[i - 1], &names[i]) == 0)
            return rwl_fail(b->err, RWL_CORRUPT, "two fields called '%.60s' side by side", names[i].name);
    return RWL_OK;
}

static rwl_status count_children(builder *b) {
    for (int32_t i = 0; i < b->count; i++) {
        int32_t parent = b->parents[i];
        b->depths[i] = parent < 0 ? 1 : b->depths[parent] + 1;
        if (b->depths[i] > RWL_TYPE_DEPTH_MAX)
            return rwl_fail(b->err, RWL_CORRUPT, "field %" PRId32 " is nested deeper than %d levels",
                            b->defs[i].id, RWL_TYPE_DEPTH_MAX);
        ++*(parent < 0 ? &b->top_count : &b->child_counts[parent]);
    }
    return RWL_OK;
}

/* --- nodes --- */

/* Nodes are ours to change until the tree is done. */
static rwl_lance_node *children_of(const rwl_lance_node *node) {
    return (rwl_lance_node *)(uintptr_t)node->children;
}

static const char *name_of(const builder *b, int32_t i) {
    int32_t parent = b->parents[i], around = parent < 0 ? -1 : b->parents[parent];
    if (parent >= 0 && b->nodes[parent]->form == RWL_LANCE_LIST)
        return "element";
    if (around >= 0 && b->nodes[around]->form == RWL_LANCE_MAP)
        return b->nodes[i] == b->nodes[parent]->children ? "key" : "value";
    return b->defs[i].name;
}

/* Forms that have fields below them have as many as they must; what can't be read may have any. */
static rwl_status check_child_count(const builder *b, int32_t i) {
    const rwl_lance_node *node = b->nodes[i];
    int32_t count = b->child_counts[i], parent = b->parents[i];
    bool is_entries = parent >= 0 && b->nodes[parent]->form == RWL_LANCE_MAP;
    const char *need = NULL;
    if ((node->form == RWL_LANCE_LIST || node->form == RWL_LANCE_MAP) && count != 1)
        need = "one";
    else if (is_entries && (node->form != RWL_LANCE_STRUCT || count != 2))
        need = "two, key and value,";
    else if (node->form != RWL_LANCE_STRUCT && node->form != RWL_LANCE_PACKED &&
             node->form != RWL_LANCE_LIST && node->form != RWL_LANCE_MAP && !node->refusal &&
             !node->is_blob2 && count != 0)
        need = "none";
    if (!need)
        return RWL_OK;
    return rwl_fail(b->err, RWL_CORRUPT,
                    "field %" PRId32 " of type '%.60s' has %" PRId32 " fields below it, not %s",
                    node->field.id, node->logical_type, count, need);
}

/* What a fixed-size list of structs has below it are these. */
static rwl_status check_element(const builder *b, int32_t i) {
    const rwl_lance_node *node = b->nodes[i];
    if (node->parent == NULL || node->parent->form != RWL_LANCE_LIST || node->parent->dimension == 0 ||
        node->form == RWL_LANCE_STRUCT || node->form == RWL_LANCE_PACKED || node->refusal)
        return RWL_OK;
    return rwl_fail(b->err, RWL_CORRUPT, "field %" PRId32 " of type '%.60s' in a field of type '%.60s'",
                    node->field.id, node->logical_type, node->parent->logical_type);
}

/* Places for all children of a field. */
static rwl_status place_children(builder *b, int32_t i) {
    rwl_lance_node *node = b->nodes[i];
    int32_t count = b->child_counts[i];
    b->child_counts[i] = 0;
    if (node->form == RWL_LANCE_VECTOR)
        return RWL_OK;
    node->children = rwl_arena_array(b->arena, (size_t)count, sizeof *node->children);
    if (!node->children)
        return rwl_no_memory(b->err, (size_t)count * sizeof *node->children);
    node->child_count = count;
    return RWL_OK;
}

static rwl_status make_node(builder *b, rwl_lance_node *top, int32_t *top_used, int32_t i) {
    const rwl_lance_field_def *def = &b->defs[i];
    int32_t parent = b->parents[i];
    rwl_lance_node *row = parent < 0 ? top : children_of(b->nodes[parent]);
    rwl_lance_node *node = &row[(*(parent < 0 ? top_used : &b->child_counts[parent]))++];
    b->nodes[i] = node;
    node->parent = parent < 0 ? NULL : b->nodes[parent];
    node->field.id = def->id;
    node->field.required = !def->nullable;
    node->field.name = rwl_arena_strdup(b->arena, name_of(b, i));
    node->logical_type = rwl_arena_strdup(b->arena, def->logical_type);
    if (!node->field.name || !node->logical_type)
        return rwl_no_memory(b->err, strlen(def->name));
    RWL_TRY(rwl_lance_node_set_type(node, def, b->arena, b->err));
    RWL_TRY(check_child_count(b, i));
    RWL_TRY(check_element(b, i));
    return place_children(b, i);
}

/* --- types, from the leaves up --- */

/* Fields side by side in one column: each of a fixed width, or of a length that varies. */
static rwl_status finish_packed(const builder *b, rwl_lance_node *node) {
    int64_t total = 0;
    bool is_variable = false;
    node->form = RWL_LANCE_PACKED;
    for (int32_t k = 0; k < node->child_count; k++) {
        rwl_lance_node *child = &children_of(node)[k];
        if (child->form == RWL_LANCE_STRUCT) /* packed together with what it is in */
            RWL_TRY(finish_packed(b, child));
        bool is_rows = child->form == RWL_LANCE_PACKED && child->child_count > 0;
        if (is_rows)
            child->bits = 0; /* inside of another it is a row of bytes, whatever its fields are */
        bool is_plain = child->form == RWL_LANCE_FIXED ||
                        (child->form == RWL_LANCE_VECTOR && rwl_lance_node_width(child) > 0) ||
                        child->form == RWL_LANCE_BYTES || is_rows;
        if (!is_plain || child->is_blob || child->is_blob2 || child->is_dictionary)
            return rwl_lance_node_refuse(
                node, b->arena, b->err,
                "a packed struct with a field of logical type '%.60s' is not supported", child->logical_type);
        child->offset = (int32_t)total;
        child->place = k;
        node->has_vectors |= child->form == RWL_LANCE_VECTOR;
        is_variable |= child->form == RWL_LANCE_BYTES || is_rows;
        total += rwl_lance_node_width(child);
        if (total > RWL_LANCE_VALUE_BITS_MAX)
            return rwl_lance_node_refuse(node, b->arena, b->err, "a packed struct of more than %d bytes",
                                         RWL_LANCE_VALUE_BITS_MAX / 8);
    }
    node->bits = is_variable ? 0 : (int32_t)total;
    return RWL_OK;
}

/* A node's type of its children's. */
static rwl_status gather_type(rwl_lance_node *node, rwl_arena *arena, rwl_error *err) {
    const rwl_lance_node *from = node->form == RWL_LANCE_MAP ? node->children : node;
    size_t count = (size_t)from->child_count;
    rwl_field *fields = rwl_arena_array(arena, count, sizeof *fields);
    if (!fields)
        return rwl_no_memory(err, count * sizeof *fields);
    for (size_t k = 0; k < count; k++)
        fields[k] = from->children[k].field;
    node->field.type.children = fields;
    node->field.type.child_count = from->child_count;
    return RWL_OK;
}

static bool has_fields(const rwl_lance_node *node) {
    return node->form == RWL_LANCE_STRUCT || node->form == RWL_LANCE_PACKED || node->form == RWL_LANCE_LIST ||
           node->form == RWL_LANCE_MAP;
}

static rwl_status finish_node(const builder *b, rwl_lance_node *node) {
    node->node_count = 1;
    if (node->is_blob2) /* one column, of other fields */
        node->child_count = 0;
    for (int32_t k = 0; k < node->child_count && node->form != RWL_LANCE_VECTOR; k++)
        node->node_count += node->children[k].node_count;
    if (node->form == RWL_LANCE_PACKED)
        RWL_TRY(finish_packed(b, node));
    return has_fields(node) ? gather_type(node, b->arena, b->err) : (rwl_status)RWL_OK;
}

/* Pre-order; a vector's elements lie in its own column. */
static void number_children(rwl_lance_node *node) {
    int32_t next = node->index + 1;
    if (node->form == RWL_LANCE_VECTOR) {
        for (; node->form == RWL_LANCE_VECTOR; node = children_of(node))
            children_of(node)->index = node->index;
        return;
    }
    for (int32_t k = 0; k < node->child_count; k++) {
        children_of(node)[k].index = next;
        next += node->children[k].node_count;
    }
}

static rwl_status make_tree(builder *b, rwl_lance_schema *out) {
    int32_t used = 0;
    rwl_lance_node *top = rwl_arena_array(b->arena, (size_t)b->top_count, sizeof *top);
    rwl_field *fields = rwl_arena_array(b->arena, (size_t)b->top_count, sizeof *fields);
    if (!top || !fields)
        return rwl_no_memory(b->err, (size_t)b->top_count * sizeof *top);
    for (int32_t i = 0; i < b->count; i++)
        RWL_TRY(make_node(b, top, &used, i));
    for (int32_t i = b->count; i-- > 0;)
        RWL_TRY(finish_node(b, b->nodes[i]));
    for (int32_t i = 0; i < b->count; i++)
        number_children(b->nodes[i]);
    for (int32_t i = 0; i < b->top_count; i++)
        fields[i] = top[i].field;
    *out = (rwl_lance_schema){top, fields, b->top_count};
    return RWL_OK;
}

rwl_status rwl_lance_schema_build(const rwl_lance_field_def *defs, size_t count, rwl_arena *arena,
                                  rwl_lance_schema *out, rwl_error *err) {
    builder b = {.defs = defs, .arena = arena, .err = err};
    memset(out, 0, sizeof *out);
    if (count > INT32_MAX)
        return rwl_fail(err, RWL_CORRUPT, "schema of %zu fields", count);
    b.count = (int32_t)count;
    b.parents = rwl_arena_array(arena, count, sizeof *b.parents);
    b.child_counts = rwl_arena_array(arena, count, sizeof *b.child_counts);
    b.depths = rwl_arena_array(arena, count, sizeof *b.depths);
    b.nodes = rwl_arena_array(arena, count, sizeof *b.nodes);
    if (!b.parents || !b.child_counts || !b.depths || !b.nodes)
        return rwl_no_memory(err, count * sizeof *b.nodes);
    RWL_TRY(check_system_columns(&b));
    RWL_TRY(find_parents(&b));
    RWL_TRY(check_names(&b));
    RWL_TRY(count_children(&b));
    return make_tree(&b, out);
}
