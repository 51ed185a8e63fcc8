/* SPDX-License-Identifier: Apache-2.0 */
/* What a scan decodes: the nodes of its columns, cut down to the wanted leaves. */
#include "avro/rows_internal.h"

typedef struct builder {
    rwl_arena *arena;
    const bool *wanted;
} builder;

static rwl_status build(builder *b, const rwl_avro_node *node, bool is_whole, rwl_avro_branch *branch,
                        rwl_error *err);

static bool is_wanted(const builder *b, const rwl_avro_node *node) {
    for (int32_t i = 0; b->wanted != NULL && i < node->leaf_count; i++)
        if (b->wanted[node->first_leaf + i])
            return true;
    return b->wanted == NULL;
}

static rwl_status new_array(rwl_arena *arena, int32_t count, size_t size, void *out, rwl_error *err) {
    void *items = rwl_arena_array(arena, (size_t)count, size);
    memcpy(out, &items, sizeof items);
    return items != NULL ? RWL_OK : rwl_no_memory(err, (size_t)count * size);
}

/* --- steps of a record --- */

static rwl_status new_steps(builder *b, const rwl_avro_schema *record, rwl_avro_step **out, rwl_error *err) {
    rwl_avro_step *steps;
    RWL_TRY(new_array(b->arena, record->field_count, sizeof *steps, &steps, err));
    for (int32_t i = 0; i < record->field_count; i++)
        steps[i] = (rwl_avro_step){.name = record->fields[i].name, .schema = record->fields[i].schema};
    *out = steps;
    return RWL_OK;
}

/* Which field of the entry's record the map's child `i` is: nodes of both point at the same schema. */
static int32_t entry_field(const rwl_avro_node *map, int32_t i) {
    const rwl_avro_schema *entry = map->schema->branches[0];
    int32_t key = strcmp(entry->fields[1].name, "key") == 0 ? 1 : 0;
    return i == 0 ? key : 1 - key;
}

/* --- branches with children --- */

/* A map is read with its keys, and its values whole where none of their leaves is wanted: it has both. */
static bool is_child_whole(const builder *b, const rwl_avro_node *node, int32_t i, bool is_whole) {
    bool is_map = node->field.type.kind == RWL_TYPE_MAP;
    return is_whole || (is_map && (i == 0 || !is_wanted(b, &node->children[i])));
}

static rwl_status build_children(builder *b, const rwl_avro_node *node, bool is_whole,
                                 rwl_avro_branch *branch, rwl_error *err) {
    int32_t count = node->field.type.child_count, built = 0;
    bool is_struct = node->kind == RWL_AVRO_READ_STRUCT;
    rwl_field *fields;
    RWL_TRY(new_array(b->arena, count, sizeof *fields, &fields, err));
    RWL_TRY(new_array(b->arena, count, sizeof *branch->children, &branch->children, err));
    if (is_struct || node->kind == RWL_AVRO_READ_KEY_VALUES) {
        const rwl_avro_schema *record = is_struct ? node->schema : node->schema->branches[0];
        branch->step_count = record->field_count;
        RWL_TRY(new_steps(b, record, &branch->steps, err));
    }
    for (int32_t i = 0; i < count; i++) {
        bool whole = is_child_whole(b, node, i, is_whole);
        if (is_struct && !whole && !is_wanted(b, &node->children[i]))
            continue;
        rwl_avro_branch *child = &branch->children[built];
        RWL_TRY(build(b, &node->children[i], whole, child, err));
        if (branch->steps != NULL) {
            rwl_avro_step *step = &branch->steps[is_struct ? i : entry_field(node, i)];
            step->branch = child;
            step->column = built;
        }
        fields[built++] = child->field;
        if (is_struct)
            branch->charge += child->charge;
    }
    branch->field.type.children = fields;
    branch->field.type.child_count = built;
    return RWL_OK;
}

/* --- any branch --- */

static rwl_i128 beyond(const rwl_type *type) {
    return type->kind == RWL_TYPE_DECIMAL ? rwl_i128_pow10(type->precision) : 0;
}

/* Recursion ends with the schema's height. */
static rwl_status build(builder *b, const rwl_avro_node *node, bool is_whole, rwl_avro_branch *branch,
                        rwl_error *err) {
    if (node->problem != NULL)
        return rwl_fail(err, RWL_UNSUPPORTED, "field '%.60s': %s", node->field.name, node->problem);
    int32_t width = rwl_type_width(&node->field.type);
    branch->node = node;
    branch->field = node->field;
    branch->width = (size_t)(width > 0 ? width : 0);
    branch->charge = width > 0 ? width : (int64_t)sizeof(int32_t);
    branch->beyond = beyond(&node->field.type);
    if (!rwl_type_is_nested(&node->field.type))
        return RWL_OK;
    return build_children(b, node, is_whole, branch, err);
}

static rwl_status build_columns(builder *b, rwl_avro_plan *plan, const rwl_avro_rows *rows,
                                const int32_t *columns, rwl_error *err) {
    for (int32_t i = 0; i < plan->count; i++) {
        if (columns[i] < 0 || columns[i] >= rows->field_count || plan->steps[columns[i]].branch != NULL)
            return rwl_fail(err, RWL_INTERNAL, "column %d of %d is asked for", columns[i], rows->field_count);
        const rwl_avro_node *node = &rows->nodes[columns[i]];
        rwl_avro_branch *branch = &plan->branches[i];
        RWL_TRY(build(b, node, !is_wanted(b, node), branch, err));
        plan->steps[columns[i]].branch = branch;
        plan->steps[columns[i]].column = i;
        plan->fields[i] = branch->field;
        plan->charge += branch->charge;
    }
    return RWL_OK;
}

rwl_status rwl_avro_plan_init(rwl_avro_plan *plan, const rwl_avro_rows *rows, const int32_t *columns,
                              int32_t count, const bool *wanted, rwl_error *err) {
    memset(plan, 0, sizeof *plan);
    rwl_arena_init(&plan->arena, rows->env, 0);
    builder b = {.arena = &plan->arena, .wanted = wanted};
    plan->count = count;
    plan->step_count = rows->field_count;
    RWL_TRY(new_array(&plan->arena, count, sizeof *plan->branches, &plan->branches, err));
    RWL_TRY(new_array(&plan->arena, count, sizeof *plan->fields, &plan->fields, err));
    RWL_TRY(new_steps(&b, rows->header.schema, &plan->steps, err));
    return build_columns(&b, plan, rows, columns, err);
}

void rwl_avro_plan_clear(rwl_avro_plan *plan) {
    rwl_arena_clear(&plan->arena);
}

static void restart(rwl_avro_branch *branches, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        branches[i].room = 0;
        restart(branches[i].children, branches[i].field.type.child_count);
    }
}

void rwl_avro_plan_restart(rwl_avro_plan *plan) {
    restart(plan->branches, plan->count);
}
