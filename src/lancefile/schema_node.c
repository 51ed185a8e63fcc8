/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of Lance schemas: found, cut down, made without a schema. */
#include "lancefile/schema.h"

#include <string.h>

/* --- finding --- */

/* Fields below a node that have ids: of a vector none. */
static int32_t child_count_of(const rwl_lance_node *node) {
    return node->form == RWL_LANCE_VECTOR ? 0 : node->child_count;
}

/* Depth first among `count` nodes side by side and what is below them; depth is limited by the schema's own. */
static const rwl_lance_node *find_node(const rwl_lance_node *nodes, int32_t count, int depth,
                                       bool (*is_it)(const rwl_lance_node *node, int32_t id), int32_t id) {
    for (int32_t i = 0; i < count && depth <= RWL_TYPE_DEPTH_MAX; i++) {
        if (is_it(&nodes[i], id))
            return &nodes[i];
        const rwl_lance_node *found =
            find_node(nodes[i].children, child_count_of(&nodes[i]), depth + 1, is_it, id);
        if (found)
            return found;
    }
    return NULL;
}

static bool has_id(const rwl_lance_node *node, int32_t id) {
    return node->field.id == id;
}

static bool is_refused(const rwl_lance_node *node, int32_t id) {
    (void)id;
    return node->refusal != NULL;
}

const rwl_lance_node *rwl_lance_schema_find(const rwl_lance_schema *schema, int32_t id) {
    return find_node(schema->nodes, schema->count, 0, has_id, id);
}

const rwl_lance_node *rwl_lance_node_refused(const rwl_lance_node *node) {
    return find_node(node, 1, 0, is_refused, 0);
}

/* --- cutting --- */

static rwl_status cut_node(const rwl_lance_node *node, const rwl_type *type, int depth, rwl_arena *arena,
                           rwl_lance_node *out, rwl_error *err);

/* The child for the k-th field of the type: by name in structs, else by place. */
static const rwl_lance_node *find_child(const rwl_lance_node *node, const rwl_type *type, int32_t k) {
    if (type->kind != RWL_TYPE_STRUCT)
        return k < node->child_count ? &node->children[k] : NULL;
    for (int32_t i = 0; i < node->child_count; i++)
        if (strcmp(node->children[i].field.name, type->children[k].name) == 0)
            return &node->children[i];
    return NULL;
}

/* Cuts the children that the type has, and makes the type of them. */
static rwl_status cut_children(const rwl_lance_node *node, const rwl_type *type, int depth, rwl_arena *arena,
                               rwl_lance_node *out, rwl_error *err) {
    size_t count = (size_t)type->child_count;
    rwl_lance_node *nodes = rwl_arena_array(arena, count, sizeof *nodes);
    rwl_field *fields = rwl_arena_array(arena, count, sizeof *fields);
    if (!nodes || !fields)
        return rwl_no_memory(err, count * sizeof *nodes);
    for (size_t k = 0; k < count; k++) {
        const rwl_lance_node *child = find_child(node, type, (int32_t)k);
        if (!child)
            return rwl_fail(err, RWL_INTERNAL, "field '%.60s' has nothing called '%.60s'", node->field.name,
                            type->children[k].name);
        RWL_TRY(cut_node(child, &type->children[k].type, depth + 1, arena, &nodes[k], err));
        fields[k] = nodes[k].field;
    }
    out->children = nodes;
    out->child_count = type->child_count;
    out->field.type.children = fields;
    out->field.type.child_count = type->child_count;
    return RWL_OK;
}

/* A map's type has key and value, its node the struct of both. */
static rwl_status cut_map(const rwl_lance_node *node, const rwl_type *type, int depth, rwl_arena *arena,
                          rwl_lance_node *out, rwl_error *err) {
    rwl_type entries = node->children->field.type;
    rwl_lance_node *child = rwl_arena_alloc(arena, sizeof *child);
    if (!child)
        return rwl_no_memory(err, sizeof *child);
    *child = *node->children;
    entries.kind = RWL_TYPE_MAP; /* children by place */
    entries.children = type->children;
    entries.child_count = type->child_count;
    RWL_TRY(cut_children(node->children, &entries, depth + 1, arena, child, err));
    out->children = child;
    out->field.type.children = child->field.type.children;
    out->field.type.child_count = child->field.type.child_count;
    return RWL_OK;
}

static rwl_status cut_node(const rwl_lance_node *node, const rwl_type *type, int depth, rwl_arena *arena,
                           rwl_lance_node *out, rwl_error *err) {
    *out = *node;
    if (depth > RWL_TYPE_DEPTH_MAX)
        return rwl_fail(err, RWL_INTERNAL, "a type nested deeper than %d levels", RWL_TYPE_DEPTH_MAX);
    if (node->field.type.kind != type->kind)
        return rwl_fail(err, RWL_INTERNAL, "field '%.60s' cut to another type", node->field.name);
    switch (node->form) {
    case RWL_LANCE_STRUCT:
    case RWL_LANCE_PACKED:
    case RWL_LANCE_LIST:
        return cut_children(node, type, depth, arena, out, err);
    case RWL_LANCE_MAP:
        return cut_map(node, type, depth, arena, out, err);
    case RWL_LANCE_NULL:
    case RWL_LANCE_FIXED:
    case RWL_LANCE_BYTES:
    case RWL_LANCE_VECTOR:
        return RWL_OK;
    }
    return RWL_OK;
}

rwl_status rwl_lance_node_cut(const rwl_lance_node *node, const rwl_type *type, rwl_arena *arena,
                              rwl_lance_node *out, rwl_error *err) {
    return cut_node(node, type, 0, arena, out, err);
}

/* --- lineage --- */

rwl_lance_node rwl_lance_node_of_lineage(const char *name) {
    rwl_lance_node node = {.form = RWL_LANCE_FIXED,
                           .bits = 64,
                           .convert = RWL_LANCE_UNSIGNED,
                           .logical_type = "uint64",
                           .node_count = 1};
    node.field.name = name;
    node.field.required = true;
    node.field.type = rwl_type_of(RWL_TYPE_LONG);
    return node;
}
