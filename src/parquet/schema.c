/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema of a footer, a tree in depth-first order, made into nodes and leaves. Groups that only make a list or a
 * map are folded away (LogicalTypes.md, "Nested Types" with its backward-compatibility rules); those that are
 * annotated but not formed like one are plain structs.
 */
#include "parquet/schema_internal.h"
#include "parquet/variant_schema.h"

#include <stdlib.h>

enum {
    SCHEMA_DEPTH_MAX = 64, /* elements, the root counted */
    NODE_DEPTH_MAX = RWL_TYPE_DEPTH_MAX - 2,
    SCHEMA_ELEMENT_MIN = 4, /* bytes */
    ROOT = 0
};

/* Where in the tree an element stands. */
typedef struct place {
    const char *path;               /* dotted, of the group around it; NULL at the top */
    int16_t definition, repetition; /* of what is around it */
    int depth;                      /* of nodes */
    bool is_nested;
} place;

typedef struct builder {
    rwl_arena *arena;
    const rwl_parquet_element *elements;
    rwl_parquet_leaf *leaves;
    int32_t leaf_count;
    int32_t top; /* index of the node at the top */
    const char *top_name;
    int32_t top_id;
} builder;

static rwl_status build_field(builder *b, uint32_t at, const place *p, rwl_parquet_node *node,
                              rwl_error *err);
static rwl_status build_body(builder *b, uint32_t at, const place *p, rwl_parquet_node *node, rwl_error *err);

/* --- elements --- */

static const rwl_parquet_element *child_of(const builder *b, uint32_t at) {
    return &b->elements[at + 1];
}

/* Sets `end` of each element: the list is one tree, no deeper than the limit. */
static rwl_status find_ends(rwl_parquet_element *elements, uint32_t count, rwl_error *err) {
    struct {
        uint32_t at, left;
    } open[SCHEMA_DEPTH_MAX];
    int depth = 0;
    for (uint32_t i = 0; i < count; i++) {
        rwl_parquet_element *e = &elements[i];
        if (i > ROOT && depth == 0)
            return rwl_fail(err, RWL_CORRUPT, "schema element %s is in no group", e->name);
        if (i > ROOT)
            open[depth - 1].left--;
        e->end = i + 1;
        if (e->children > 0) {
            if (depth == SCHEMA_DEPTH_MAX)
                return rwl_fail(err, RWL_UNSUPPORTED, "schema nested deeper than %d", SCHEMA_DEPTH_MAX);
            open[depth].at = i;
            open[depth++].left = (uint32_t)e->children;
        }
        while (depth > 0 && open[depth - 1].left == 0)
            elements[open[--depth].at].end = i + 1;
    }
    if (depth > 0)
        return rwl_fail(err, RWL_CORRUPT, "schema group %s lacks %u children",
                        elements[open[depth - 1].at].name, open[depth - 1].left);
    return RWL_OK;
}

static rwl_status join_path(const builder *b, const place *p, const char *name, const char **out,
                            rwl_error *err) {
    *out = p->path ? rwl_arena_printf(b->arena, "%s.%s", p->path, name) : name;
    return *out ? RWL_OK : rwl_no_memory(err, strlen(name));
}

/* The place of the fields of a group whose own levels are `p`'s. */
static rwl_status enter_group(const builder *b, uint32_t at, const place *p, place *inside, rwl_error *err) {
    *inside = *p;
    inside->is_nested = true;
    inside->depth++;
    if (inside->depth > NODE_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "schema nested deeper than %d", NODE_DEPTH_MAX);
    return join_path(b, p, b->elements[at].name, &inside->path, err);
}

/* Of an optional or repeated element, the levels grow. */
static void count_levels(const rwl_parquet_element *e, place *p) {
    if (e->repetition != REPETITION_REQUIRED)
        p->definition++;
    if (e->repetition == REPETITION_REPEATED)
        p->repetition++;
}

/* --- nodes --- */

static rwl_status alloc_children(const builder *b, int32_t count, rwl_parquet_node *node,
                                 rwl_parquet_node **children, rwl_field **fields, rwl_error *err) {
    *children = rwl_arena_array(b->arena, (size_t)count, sizeof **children);
    *fields = rwl_arena_array(b->arena, (size_t)count, sizeof **fields);
    if (!*children || !*fields)
        return rwl_no_memory(err, (size_t)count * (sizeof **children + sizeof **fields));
    node->children = *children;
    node->child_count = node->field.type.child_count = count;
    node->field.type.children = *fields;
    return RWL_OK;
}

static rwl_status build_leaf(builder *b, uint32_t at, const place *p, rwl_parquet_node *node,
                             rwl_error *err) {
    const rwl_parquet_element *e = &b->elements[at];
    rwl_parquet_leaf *leaf = &b->leaves[b->leaf_count];
    RWL_TRY(join_path(b, p, e->name, &leaf->field.name, err));
    leaf->field.id = e->field_id;
    leaf->field.required = e->repetition == REPETITION_REQUIRED;
    leaf->column = b->leaf_count++;
    leaf->top = b->top;
    leaf->max_definition = p->definition;
    leaf->max_repetition = p->repetition;
    leaf->is_nested = p->is_nested || e->repetition == REPETITION_REPEATED;
    leaf->top_name = b->top_name;
    leaf->top_id = b->top_id;
    RWL_TRY(rwl_parquet_element_type(e, b->arena, leaf, err));
    node->field.type = leaf->field.type;
    return RWL_OK;
}

static rwl_status build_struct(builder *b, uint32_t at, const place *p, rwl_parquet_node *node,
                               rwl_error *err) {
    const rwl_parquet_element *e = &b->elements[at];
    rwl_parquet_node *children;
    rwl_field *fields;
    place inside;
    RWL_TRY(enter_group(b, at, p, &inside, err));
    node->field.type.kind = RWL_TYPE_STRUCT;
    RWL_TRY(alloc_children(b, e->children, node, &children, &fields, err));
    uint32_t child = at + 1;
    for (int32_t i = 0; i < e->children; i++, child = b->elements[child].end) {
        RWL_TRY(build_field(b, child, &inside, &children[i], err));
        fields[i] = children[i].field;
    }
    return RWL_OK;
}

/* --- lists --- */

static bool is_list(const builder *b, uint32_t at) {
    const rwl_parquet_element *e = &b->elements[at];
    return e->annotation.id == LOGICAL_LIST && e->children == 1 &&
           child_of(b, at)->repetition == REPETITION_REPEATED;
}

/* Whether the repeated element is the list's element itself: rules 1 to 4 for backward compatibility. */
static bool is_two_level(const builder *b, uint32_t at) {
    const rwl_parquet_element *list = &b->elements[at], *repeated = child_of(b, at);
    size_t len = strlen(list->name);
    if (repeated->has_type || repeated->children != 1)
        return true;
    return child_of(b, at + 1)->repetition == REPETITION_REPEATED || strcmp(repeated->name, "array") == 0 ||
           (strncmp(repeated->name, list->name, len) == 0 && strcmp(repeated->name + len, "_tuple") == 0);
}

/* Starts the children of a LIST or MAP, whose repeated element counts as a level of `p` from here on. */
static rwl_status open_repeated(builder *b, place *p, int32_t count, rwl_parquet_node *node,
                                rwl_parquet_node **children, rwl_field **fields, rwl_error *err) {
    p->definition++;
    p->repetition++;
    node->repetition = p->repetition;
    node->element_definition = p->definition;
    return alloc_children(b, count, node, children, fields, err);
}

/* The element is the element at `at` as if it were required: the repetition is the list's. */
static rwl_status build_element(builder *b, uint32_t at, const place *p, rwl_parquet_node *child,
                                rwl_error *err) {
    const rwl_parquet_element *e = &b->elements[at];
    child->field.id = e->field_id;
    child->field.required = true;
    child->definition = p->definition;
    child->repetition = p->repetition;
    child->first_leaf = b->leaf_count;
    RWL_TRY(build_body(b, at, p, child, err));
    child->leaf_count = b->leaf_count - child->first_leaf;
    return RWL_OK;
}

static rwl_status build_list(builder *b, uint32_t at, const place *p, rwl_parquet_node *node,
                             rwl_error *err) {
    place inside;
    rwl_parquet_node *child;
    rwl_field *field;
    node->field.type.kind = RWL_TYPE_LIST;
    RWL_TRY(enter_group(b, at, p, &inside, err));
    RWL_TRY(open_repeated(b, &inside, 1, node, &child, &field, err));
    if (is_two_level(b, at)) {
        RWL_TRY(build_element(b, at + 1, &inside, child, err));
    } else {
        RWL_TRY(join_path(b, &inside, b->elements[at + 1].name, &inside.path, err));
        RWL_TRY(build_field(b, at + 2, &inside, child, err));
    }
    child->field.name = "element";
    *field = child->field;
    return RWL_OK;
}

/* A repeated field in no list: "a required list of required elements where the element type is the type of the field". */
static rwl_status build_repeated(builder *b, uint32_t at, const place *p, rwl_parquet_node *node,
                                 rwl_error *err) {
    place inside = *p;
    rwl_parquet_node *child;
    rwl_field *field;
    node->field.required = true;
    node->definition = p->definition;
    node->field.type.kind = RWL_TYPE_LIST;
    inside.is_nested = true;
    if (++inside.depth > NODE_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "schema nested deeper than %d", NODE_DEPTH_MAX);
    RWL_TRY(open_repeated(b, &inside, 1, node, &child, &field, err));
    RWL_TRY(build_element(b, at, &inside, child, err));
    child->field.name = "element";
    child->field.id = -1; /* it is the list's */
    *field = child->field;
    return RWL_OK;
}

/* --- maps --- */

static bool is_map(const builder *b, uint32_t at) {
    const rwl_parquet_element *e = &b->elements[at];
    if (e->annotation.id != LOGICAL_MAP || e->children != 1)
        return false;
    const rwl_parquet_element *repeated = child_of(b, at);
    return repeated->repetition == REPETITION_REPEATED && !repeated->has_type &&
           (repeated->children == 1 || repeated->children == 2) &&
           child_of(b, at + 1)->repetition != REPETITION_REPEATED;
}

/* Keys are required whatever the file says: a null one is an error when it is read. */
static rwl_status build_map(builder *b, uint32_t at, const place *p, rwl_parquet_node *node, rwl_error *err) {
    const rwl_parquet_element *repeated = child_of(b, at);
    place inside;
    rwl_parquet_node *children;
    rwl_field *fields;
    node->field.type.kind = RWL_TYPE_MAP;
    RWL_TRY(enter_group(b, at, p, &inside, err));
    RWL_TRY(open_repeated(b, &inside, 2, node, &children, &fields, err));
    RWL_TRY(join_path(b, &inside, repeated->name, &inside.path, err));
    RWL_TRY(build_field(b, at + 2, &inside, &children[0], err));
    if (repeated->children == 2) {
        RWL_TRY(build_field(b, b->elements[at + 2].end, &inside, &children[1], err));
    } else { /* a set: "the field value is optional" */
        children[1].field = (rwl_field){.id = -1, .type = rwl_type_of(RWL_TYPE_UNKNOWN)};
        children[1].definition = (int16_t)(inside.definition + 1);
        children[1].repetition = inside.repetition;
        children[1].first_leaf = b->leaf_count;
    }
    children[0].field.name = "key";
    children[0].field.required = true;
    children[1].field.name = "value";
    fields[0] = children[0].field;
    fields[1] = children[1].field;
    return RWL_OK;
}

/* --- variants --- */

static rwl_status build_shred(builder *b, uint32_t at, const place *p, rwl_parquet_variant_part *shred,
                              rwl_error *err);

/* The field `name` of the group at `at`, 0 without. */
static uint32_t find_child(const builder *b, uint32_t at, const char *name) {
    uint32_t child = at + 1;
    for (int32_t i = 0; i < b->elements[at].children; i++, child = b->elements[child].end)
        if (strcmp(b->elements[child].name, name) == 0)
            return child;
    return 0;
}

static bool is_bytes(const builder *b, uint32_t at) {
    const rwl_parquet_element *e = &b->elements[at];
    return e->has_type && e->type == RWL_PARQUET_BYTE_ARRAY && e->repetition != REPETITION_REPEATED;
}

/* Whether a group holds value and typed_value (and, of the whole variant, metadata) and nothing else. */
static bool is_shred(const builder *b, uint32_t at, bool is_whole) {
    const rwl_parquet_element *e = &b->elements[at];
    uint32_t metadata = is_whole ? find_child(b, at, "metadata") : 0;
    uint32_t value = find_child(b, at, "value"), typed = find_child(b, at, "typed_value");
    if (e->has_type || (is_whole && (metadata == 0 || !is_bytes(b, metadata))) ||
        (value > 0 && !is_bytes(b, value)) ||
        (typed > 0 && b->elements[typed].repetition == REPETITION_REPEATED))
        return false;
    int32_t known = (metadata > 0) + (value > 0) + (typed > 0);
    if (known != e->children || value + typed == 0)
        return false;
    if (typed == 0 || b->elements[typed].has_type)
        return true;
    if (is_list(b, typed))
        return !is_two_level(b, typed) && is_shred(b, typed + 2, false);
    uint32_t child = typed + 1;
    for (int32_t i = 0; i < b->elements[typed].children; i++, child = b->elements[child].end)
        if (b->elements[child].repetition == REPETITION_REPEATED || !is_shred(b, child, false))
            return false;
    return b->elements[typed].annotation.id == LOGICAL_NONE && b->elements[typed].children > 0;
}

static rwl_status build_shred_leaf(builder *b, uint32_t at, const place *p, int32_t *leaf,
                                   int16_t *definition, rwl_error *err) {
    rwl_parquet_node ignored = {0};
    place inside = *p;
    count_levels(&b->elements[at], &inside);
    *leaf = b->leaf_count;
    *definition = inside.definition;
    return build_leaf(b, at, &inside, &ignored, err);
}

static rwl_status build_typed_array(builder *b, uint32_t at, const place *p,
                                    rwl_parquet_variant_part *children, rwl_parquet_variant_part *shred,
                                    rwl_error *err) {
    place inside = *p;
    shred->typed = RWL_PARQUET_TYPED_ARRAY;
    inside.definition++;
    inside.repetition++;
    shred->element_definition = inside.definition;
    shred->repetition = inside.repetition;
    RWL_TRY(join_path(b, &inside, b->elements[at + 1].name, &inside.path, err));
    return build_shred(b, at + 2, &inside, &children[0], err);
}

static rwl_status build_typed(builder *b, uint32_t at, const place *p, rwl_parquet_variant_part *shred,
                              rwl_error *err) {
    const rwl_parquet_element *e = &b->elements[at];
    if (e->has_type) {
        shred->typed = RWL_PARQUET_TYPED_PRIMITIVE;
        return build_shred_leaf(b, at, p, &shred->typed_leaf, &shred->typed_definition, err);
    }
    place own = *p, inside;
    count_levels(e, &own);
    shred->typed_definition = own.definition;
    RWL_TRY(enter_group(b, at, &own, &inside, err));
    rwl_parquet_variant_part *children = rwl_arena_array(b->arena, (size_t)e->children, sizeof *children);
    if (!children)
        return rwl_no_memory(err, (size_t)e->children * sizeof *children);
    shred->children = children;
    shred->child_count = e->children;
    if (is_list(b, at))
        return build_typed_array(b, at, &inside, children, shred, err);
    shred->typed = RWL_PARQUET_TYPED_OBJECT;
    uint32_t child = at + 1;
    for (int32_t i = 0; i < e->children; i++, child = b->elements[child].end) {
        children[i].name = b->elements[child].name;
        RWL_TRY(build_shred(b, child, &inside, &children[i], err));
    }
    return RWL_OK;
}

/* Value and typed value of a group, in whatever order they are. */
static rwl_status build_parts(builder *b, uint32_t at, const place *p, rwl_parquet_variant *whole,
                              rwl_parquet_variant_part *shred, rwl_error *err) {
    place inside;
    int16_t ignored;
    RWL_TRY(enter_group(b, at, p, &inside, err));
    shred->definition = p->definition;
    shred->value_leaf = shred->typed_leaf = -1;
    shred->first_leaf = b->leaf_count;
    uint32_t child = at + 1;
    for (int32_t i = 0; i < b->elements[at].children; i++, child = b->elements[child].end) {
        const char *name = b->elements[child].name;
        if (whole && strcmp(name, "metadata") == 0)
            RWL_TRY(build_shred_leaf(b, child, &inside, &whole->metadata_leaf, &ignored, err));
        else if (strcmp(name, "value") == 0)
            RWL_TRY(build_shred_leaf(b, child, &inside, &shred->value_leaf, &ignored, err));
        else
            RWL_TRY(build_typed(b, child, &inside, shred, err));
    }
    shred->leaf_count = b->leaf_count - shred->first_leaf;
    return RWL_OK;
}

static rwl_status build_shred(builder *b, uint32_t at, const place *p, rwl_parquet_variant_part *shred,
                              rwl_error *err) {
    place own = *p;
    count_levels(&b->elements[at], &own);
    return build_parts(b, at, &own, NULL, shred, err);
}

static rwl_status build_variant(builder *b, uint32_t at, const place *p, rwl_parquet_node *node,
                                rwl_error *err) {
    rwl_parquet_variant *variant = rwl_arena_alloc(b->arena, sizeof *variant);
    if (!variant)
        return rwl_no_memory(err, sizeof *variant);
    node->field.type.kind = RWL_TYPE_VARIANT;
    node->variant = variant;
    return build_parts(b, at, p, variant, &variant->value, err);
}

/* --- any field --- */

/* The element whose own levels are counted in `p`. */
static rwl_status build_body(builder *b, uint32_t at, const place *p, rwl_parquet_node *node,
                             rwl_error *err) {
    if (b->elements[at].has_type)
        return build_leaf(b, at, p, node, err);
    if (is_list(b, at))
        return build_list(b, at, p, node, err);
    if (is_map(b, at))
        return build_map(b, at, p, node, err);
    if (b->elements[at].annotation.id == LOGICAL_VARIANT && is_shred(b, at, true))
        return build_variant(b, at, p, node, err);
    return build_struct(b, at, p, node, err);
}

static rwl_status build_field(builder *b, uint32_t at, const place *p, rwl_parquet_node *node,
                              rwl_error *err) {
    const rwl_parquet_element *e = &b->elements[at];
    node->field.name = e->name;
    node->field.id = e->field_id;
    node->first_leaf = b->leaf_count;
    if (e->repetition == REPETITION_REPEATED) {
        RWL_TRY(build_repeated(b, at, p, node, err));
    } else {
        place own = *p;
        count_levels(e, &own);
        node->field.required = e->repetition == REPETITION_REQUIRED;
        node->definition = own.definition;
        node->repetition = own.repetition;
        RWL_TRY(build_body(b, at, &own, node, err));
    }
    node->leaf_count = b->leaf_count - node->first_leaf;
    return RWL_OK;
}

/* --- looking up --- */

typedef struct key {
    const char *name;
    int32_t id, node;
} key;

static int compare_ids(const void *a, const void *b) {
    const key *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->node < y->node ? -1 : 1;
}

static int compare_names(const void *a, const void *b) {
    const key *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order != 0)
        return order;
    return x->node < y->node ? -1 : 1;
}

static rwl_status sort_nodes(rwl_arena *arena, const rwl_parquet_file *file,
                             int (*compare)(const void *, const void *), const int32_t **out,
                             rwl_error *err) {
    size_t count = (size_t)file->node_count;
    int32_t *order = rwl_arena_array(arena, count, sizeof *order);
    key *keys = rwl_calloc(arena->env, count + 1, sizeof *keys);
    if (!order || !keys) {
        rwl_free(arena->env, keys);
        return rwl_no_memory(err, count * sizeof *keys);
    }
    for (int32_t i = 0; i < file->node_count; i++)
        keys[i] = (key){file->nodes[i].field.name, file->nodes[i].field.id, i};
    qsort(keys, count, sizeof *keys, compare);
    for (size_t i = 0; i < count; i++)
        order[i] = keys[i].node;
    rwl_free(arena->env, keys);
    *out = order;
    return RWL_OK;
}

/* --- the list --- */

static rwl_status build_tree(rwl_arena *arena, const rwl_parquet_element *elements, uint32_t count,
                             rwl_parquet_file *file, rwl_error *err) {
    const rwl_parquet_element *root = &elements[ROOT];
    uint32_t leaf_count = 0;
    for (uint32_t i = 0; i < count; i++)
        leaf_count += elements[i].has_type;
    builder b = {.arena = arena, .elements = elements};
    rwl_parquet_node *nodes = rwl_arena_array(arena, (size_t)root->children, sizeof *nodes);
    b.leaves = rwl_arena_array(arena, leaf_count, sizeof *b.leaves);
    if (!b.leaves || !nodes)
        return rwl_no_memory(err, leaf_count * sizeof *b.leaves);
    place top = {.depth = 1};
    uint32_t child = ROOT + 1;
    for (b.top = 0; b.top < root->children; b.top++, child = elements[child].end) {
        b.top_name = elements[child].name;
        b.top_id = elements[child].field_id;
        RWL_TRY(build_field(&b, child, &top, &nodes[b.top], err));
    }
    file->nodes = nodes;
    file->node_count = root->children;
    file->leaves = b.leaves;
    file->leaf_count = b.leaf_count;
    RWL_TRY(sort_nodes(arena, file, compare_ids, &file->by_id, err));
    return sort_nodes(arena, file, compare_names, &file->by_name, err);
}

static rwl_status read_elements(rwl_cursor *c, rwl_arena *arena, rwl_parquet_element *elements,
                                uint32_t count, rwl_error *err) {
    for (uint32_t i = 0; i < count; i++)
        RWL_TRY(rwl_parquet_element_read(c, arena, &elements[i], err));
    if (elements[ROOT].has_type)
        return rwl_fail(err, RWL_CORRUPT, "schema root %s is no group", elements[ROOT].name);
    return find_ends(elements, count, err);
}

rwl_status rwl_parquet_schema_parse(rwl_cursor *c, rwl_arena *arena, rwl_parquet_file *file, rwl_error *err) {
    rwl_thrift_type item;
    uint32_t count;
    RWL_TRY(rwl_thrift_list(c, &item, &count, err));
    if (item != RWL_THRIFT_STRUCT || count == 0 || count > INT32_MAX ||
        count > rwl_cursor_left(c) / SCHEMA_ELEMENT_MIN)
        return rwl_fail(err, RWL_CORRUPT, "schema list of %u elements of type %d", count, (int)item);
    rwl_parquet_element *elements = rwl_calloc(arena->env, count, sizeof *elements);
    if (!elements)
        return rwl_no_memory(err, count * sizeof *elements);
    rwl_status st = read_elements(c, arena, elements, count, err);
    if (st == RWL_OK)
        st = build_tree(arena, elements, count, file, err);
    rwl_free(arena->env, elements);
    return st;
}
