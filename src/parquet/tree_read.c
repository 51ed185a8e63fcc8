/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of any shape, read by rows: flat ones by their pages alone, others in steps, all leaves and then the shape. */
#include "parquet/tree_internal.h"

#include "parquet/index.h"

enum { STEP = 8192 /* rows */ };

/* What is around a node. */
typedef struct surroundings {
    uint8_t element_definition[RWL_PARQUET_LEVEL_MAX + 1]; /* by repetition level */
    int16_t repetition;
    bool is_whole; /* all leaves are wanted: of a map's key, a variant */
} surroundings;

typedef struct builder {
    rwl_parquet_tree *t;
    const bool *wanted;
} builder;

/* --- what is wanted --- */

static bool is_wanted(const builder *b, const rwl_parquet_node *node) {
    if (!b->wanted)
        return true;
    for (int32_t i = 0; i < node->leaf_count; i++)
        if (b->wanted[node->first_leaf + i])
            return true;
    return false;
}

static rwl_status refuse_empty(const rwl_parquet_node *node, rwl_error *err) {
    return rwl_fail(err, RWL_UNSUPPORTED, "column %s: a struct without fields", node->field.name);
}

/* --- leaves --- */

/* Adds a leaf of the tree; `required` as in rwl_parquet_entries. */
static rwl_status add_leaf(builder *b, int32_t leaf_no, bool required, const surroundings *around,
                           rwl_error *err) {
    rwl_parquet_tree *t = b->t;
    const rwl_parquet_leaf *leaf = &t->file->leaves[leaf_no];
    rwl_parquet_entries *e = &t->entries[t->leaf_count];
    if (leaf->unsupported)
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s: type %s is not supported", leaf->field.name,
                        leaf->type_text);
    t->leaves[t->leaf_count++] = leaf_no;
    RWL_TRY(rwl_parquet_entries_init(e, t->shared, t->file, leaf_no, err));
    memcpy(e->element_definition, around->element_definition, sizeof e->element_definition);
    e->required = required;
    return RWL_OK;
}

/* --- variants --- */

/* The last leaf so far and the next one both lie in a group of these levels. */
static void share(builder *b, int32_t first, int16_t definition, int16_t repetition) {
    if (b->t->leaf_count > first && b->t->leaf_count > 0)
        b->t->common[b->t->leaf_count - 1] = (rwl_parquet_common){definition, repetition};
}

static rwl_status add_part(builder *b, const rwl_parquet_variant_part *part, surroundings around,
                           rwl_error *err);

static rwl_status add_typed(builder *b, const rwl_parquet_variant_part *part, surroundings *around,
                            rwl_error *err) {
    int16_t definition = part->typed_definition, repetition = around->repetition;
    int32_t first = b->t->leaf_count;
    if (part->typed == RWL_PARQUET_TYPED_PRIMITIVE)
        return add_leaf(b, part->typed_leaf, false, around, err);
    if (part->typed == RWL_PARQUET_TYPED_ARRAY) {
        around->repetition = repetition = part->repetition;
        around->element_definition[repetition] = (uint8_t)part->element_definition;
        definition = part->element_definition;
    }
    for (int32_t i = 0; i < part->child_count; i++) {
        share(b, first, definition, repetition);
        RWL_TRY(add_part(b, &part->children[i], *around, err));
    }
    return RWL_OK;
}

/* Leaves in the order of the file, whichever of value and typed_value comes first. */
static rwl_status add_part(builder *b, const rwl_parquet_variant_part *part, surroundings around,
                           rwl_error *err) {
    int32_t first = b->t->leaf_count;
    int16_t definition = part->definition, repetition = around.repetition;
    bool is_value_first = part->value_leaf == part->first_leaf;
    if (part->value_leaf >= 0 && is_value_first)
        RWL_TRY(add_leaf(b, part->value_leaf, false, &around, err));
    if (part->typed != RWL_PARQUET_TYPED_NONE) {
        surroundings inside = around;
        share(b, first, definition, repetition);
        RWL_TRY(add_typed(b, part, &inside, err));
    }
    if (part->value_leaf >= 0 && !is_value_first) {
        share(b, first, definition, repetition);
        RWL_TRY(add_leaf(b, part->value_leaf, false, &around, err));
    }
    return RWL_OK;
}

static rwl_status build_variant(builder *b, rwl_parquet_branch *branch, const surroundings *around,
                                rwl_error *err) {
    const rwl_parquet_variant *variant = branch->node->variant;
    RWL_TRY(add_leaf(b, variant->metadata_leaf, false, around, err));
    share(b, branch->first, branch->node->definition, around->repetition);
    RWL_TRY(add_part(b, &variant->value, *around, err));
    branch->count = b->t->leaf_count - branch->first;
    return rwl_parquet_variant_reader_new(b->t, branch, &branch->variant, err);
}

/* --- branches --- */

static rwl_status build_branch(builder *b, const rwl_parquet_node *node, const surroundings *around,
                               rwl_parquet_branch *branch, rwl_error *err);

static rwl_status build_children(builder *b, rwl_parquet_branch *branch, const surroundings *around,
                                 rwl_error *err) {
    const rwl_parquet_node *node = branch->node;
    bool is_map = node->field.type.kind == RWL_TYPE_MAP, is_struct = node->field.type.kind == RWL_TYPE_STRUCT;
    int16_t definition = is_struct ? node->definition : node->element_definition;
    rwl_field *fields = rwl_arena_array(&b->t->arena, (size_t)node->child_count, sizeof *fields);
    branch->children = rwl_arena_array(&b->t->arena, (size_t)node->child_count, sizeof *branch->children);
    if (!fields || !branch->children)
        return rwl_no_memory(err, (size_t)node->child_count * sizeof *branch->children);
    for (int32_t i = 0; i < node->child_count; i++) {
        surroundings inside = *around;
        rwl_parquet_branch *child = &branch->children[branch->child_count];
        inside.is_whole = around->is_whole || (is_map && (i == 0 || !is_wanted(b, &node->children[i])));
        if (is_struct && !inside.is_whole && !is_wanted(b, &node->children[i]))
            continue;
        child->required =
            node->children[i].field.required && !(is_map && node->children[i].definition > definition);
        share(b, branch->first, definition, around->repetition);
        RWL_TRY(build_branch(b, &node->children[i], &inside, child, err));
        fields[branch->child_count++] = child->field;
    }
    branch->field.type.children = fields;
    branch->field.type.child_count = branch->child_count;
    return RWL_OK;
}

static void find_guide(const rwl_parquet_tree *t, rwl_parquet_branch *branch) {
    branch->guide = branch->first;
    for (int32_t i = 0; i < branch->count; i++)
        if (t->entries[branch->first + i].max_repetition < t->entries[branch->guide].max_repetition)
            branch->guide = branch->first + i;
}

static rwl_status build_branch(builder *b, const rwl_parquet_node *node, const surroundings *around,
                               rwl_parquet_branch *branch, rwl_error *err) {
    surroundings inside = *around;
    branch->node = node;
    branch->field = node->field;
    branch->first = b->t->leaf_count;
    branch->slot_repetition = around->repetition;
    branch->slot_definition = around->element_definition[around->repetition];
    if (node->variant) {
        RWL_TRY(build_variant(b, branch, &inside, err));
    } else if (!rwl_type_is_nested(&node->field.type)) {
        if (node->leaf_count > 0)
            RWL_TRY(add_leaf(b, node->first_leaf, branch->required, &inside, err));
    } else {
        if (node->child_count == 0)
            return refuse_empty(node, err);
        if (node->field.type.kind != RWL_TYPE_STRUCT) {
            inside.repetition = node->repetition;
            inside.element_definition[inside.repetition] = (uint8_t)node->element_definition;
        }
        RWL_TRY(build_children(b, branch, &inside, err));
    }
    branch->count = b->t->leaf_count - branch->first;
    find_guide(b->t, branch);
    return RWL_OK;
}

static rwl_status build_tree(builder *b, const rwl_parquet_node *node, rwl_error *err) {
    rwl_parquet_tree *t = b->t;
    size_t count = (size_t)node->leaf_count;
    surroundings around = {.is_whole = b->wanted == NULL};
    t->leaves = rwl_arena_array(&t->arena, count, sizeof *t->leaves);
    t->entries = rwl_arena_array(&t->arena, count, sizeof *t->entries);
    t->common = rwl_arena_array(&t->arena, count, sizeof *t->common);
    if (!t->leaves || !t->entries || !t->common)
        return rwl_no_memory(err, count * sizeof *t->entries);
    t->root.required = node->field.required;
    RWL_TRY(build_branch(b, node, &around, &t->root, err));
    if (t->leaf_count == 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s: none of its fields is read", node->field.name);
    t->is_flat =
        !rwl_type_is_nested(&node->field.type) && !node->variant && node->field.type.kind != RWL_TYPE_UNKNOWN;
    return RWL_OK;
}

static void free_branch(rwl_parquet_branch *branch, const rwl_env *env) {
    rwl_parquet_variant_reader_free(branch->variant, env);
    for (int32_t i = 0; i < branch->child_count; i++)
        free_branch(&branch->children[i], env);
}

rwl_status rwl_parquet_tree_new(rwl_parquet_shared *shared, const rwl_parquet_file *file, int32_t node,
                                const bool *wanted, rwl_parquet_tree **out, rwl_error *err) {
    *out = NULL;
    rwl_parquet_tree *t = rwl_calloc(shared->op->env, 1, sizeof *t);
    if (!t)
        return rwl_no_memory(err, sizeof *t);
    t->shared = shared;
    t->file = file;
    rwl_arena_init(&t->arena, shared->op->env, 0);
    bool is_nested = rwl_type_is_nested(&file->nodes[node].field.type);
    builder b = {t, is_nested ? wanted : NULL};
    rwl_status st = build_tree(&b, &file->nodes[node], err);
    if (st == RWL_OK)
        *out = t;
    else
        rwl_parquet_tree_free(t);
    return st;
}

void rwl_parquet_tree_free(rwl_parquet_tree *t) {
    if (!t)
        return;
    const rwl_env *env = t->shared->op->env;
    for (int32_t i = 0; i < t->leaf_count; i++)
        rwl_parquet_entries_clear(&t->entries[i]);
    free_branch(&t->root, env);
    rwl_arena_clear(&t->arena);
    rwl_free(env, t);
}

const rwl_field *rwl_parquet_tree_field(const rwl_parquet_tree *t) {
    return &t->root.field;
}

const int32_t *rwl_parquet_tree_leaves(const rwl_parquet_tree *t, int32_t *count) {
    *count = t->leaf_count;
    return t->leaves;
}

/* --- reading --- */

rwl_status rwl_parquet_tree_start(rwl_parquet_tree *t, rwl_parquet_feed *const *feeds,
                                  const rwl_parquet_group *group, rwl_error *err) {
    for (int32_t i = 0; i < t->leaf_count; i++)
        RWL_TRY(rwl_parquet_entries_start(&t->entries[i], feeds[i], group, err));
    return RWL_OK;
}

void rwl_parquet_tree_index(rwl_parquet_tree *t, int32_t i, const struct rwl_parquet_offset_index *index) {
    t->entries[i].column.index = index;
}

int64_t rwl_parquet_tree_pages_left(const rwl_parquet_tree *t) {
    int64_t left = 0;
    for (int32_t i = 0; i < t->leaf_count; i++) {
        const rwl_parquet_column *c = &t->entries[i].column;
        left += c->index ? c->index->page_count - c->page_no : 0;
    }
    return left;
}

rwl_status rwl_parquet_tree_skip(rwl_parquet_tree *t, int64_t rows, rwl_error *err) {
    if (t->is_flat)
        return rwl_parquet_column_skip(&t->entries[0].column, rows, err);
    for (int32_t i = 0; i < t->leaf_count; i++)
        RWL_TRY(rwl_parquet_entries_skip(&t->entries[i], rows, err));
    return RWL_OK;
}

/* Where the values of the leaves below go: a variant's leaves have columns of its own. */
static void bind_columns(rwl_parquet_tree *t, const rwl_parquet_branch *b, rwl_column *out) {
    if (b->variant || b->count == 0)
        return;
    if (b->child_count == 0)
        t->entries[b->first].out = out;
    for (int32_t i = 0; i < b->child_count; i++)
        bind_columns(t, &b->children[i], &out->children[i]);
}

/* One step of up to `rows` rows; *done is how many, fewer when a leaf reached the limit. */
static rwl_status read_step(rwl_parquet_tree *t, rwl_column *out, int64_t rows, int64_t *done,
                            rwl_error *err) {
    bool may_be_none = out->length > 0;
    for (int32_t i = 0; i < t->leaf_count; i++)
        RWL_TRY(rwl_parquet_entries_read(&t->entries[i], rows, may_be_none, &rows, err));
    for (int32_t i = 0; i < t->leaf_count; i++)
        RWL_TRY(rwl_parquet_entries_cut(&t->entries[i], rows, err));
    RWL_TRY(rwl_parquet_agree(t, err));
    RWL_TRY(rwl_parquet_assemble(t, &t->root, out, err));
    for (int32_t i = 0; i < t->leaf_count; i++)
        rwl_parquet_entries_finish(&t->entries[i], rows);
    *done = rows;
    return RWL_OK;
}

static bool is_full(const rwl_parquet_tree *t, const rwl_column *out) {
    if (out->bytes_len >= t->shared->batch_bytes)
        return true;
    for (int32_t i = 0; i < t->leaf_count; i++)
        if (t->entries[i].is_full)
            return true;
    return false;
}

rwl_status rwl_parquet_tree_read(rwl_parquet_tree *t, rwl_column *out, int64_t rows, rwl_error *err) {
    if (t->is_flat)
        return rwl_parquet_column_read(&t->entries[0].column, out, rows, err);
    bind_columns(t, &t->root, out);
    while (rows > 0) {
        int64_t done, before = out->length;
        RWL_TRY(read_step(t, out, rows < STEP ? rows : STEP, &done, err));
        if (out->length - before != done)
            return rwl_fail(err, RWL_CORRUPT, "column %s: %lld rows where there are %lld", t->root.field.name,
                            (long long)(out->length - before), (long long)done);
        rows -= done;
        if (is_full(t, out))
            break;
    }
    return RWL_OK;
}
