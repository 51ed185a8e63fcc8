/* SPDX-License-Identifier: Apache-2.0 */
/* Which leaf of a file gives a leaf of the output: trees walked side by side, levels told from each other. */
#include "parquet/stitch_internal.h"
#include "parquet/variant_schema.h"

enum { LEVELS_MAX = 200 };

typedef struct mapper {
    const rwl_parquet_file *file;
    const rwl_parquet_write_schema *schema;
    rwl_arena *arena;
    rwl_stitch_map *maps;
    bool by_name;
    int32_t next; /* leaf of the output */
    const char *why;
    uint8_t
        levels[LEVELS_MAX + 2]; /* on the way to the current node: the definition level here of each there */
} mapper;

static bool fail(mapper *m, const char *name, const char *what) {
    const char *text = rwl_arena_printf(m->arena, "column %s %s", name, what);
    m->why = text != NULL ? text : what;
    return false;
}

/* --- types --- */

/* Types with the same bytes, where files of careless writers lack an annotation. */
static bool same_layout(const rwl_type *from, const rwl_type *to) {
    if (from->kind == RWL_TYPE_FIXED && to->kind == RWL_TYPE_UUID)
        return from->length == 16;
    if (from->kind == RWL_TYPE_UUID && to->kind == RWL_TYPE_FIXED)
        return to->length == 16;
    return from->kind == RWL_TYPE_STRING && to->kind == RWL_TYPE_BINARY;
}

/* What rwl_column_promote does. */
static bool promotes(const rwl_type *from, const rwl_type *to) {
    switch (from->kind) {
    case RWL_TYPE_INT:
        return to->kind == RWL_TYPE_LONG;
    case RWL_TYPE_FLOAT:
        return to->kind == RWL_TYPE_DOUBLE;
    case RWL_TYPE_DATE:
        return to->kind == RWL_TYPE_TIMESTAMP || to->kind == RWL_TYPE_TIMESTAMP_NS;
    case RWL_TYPE_DECIMAL:
        return to->kind == RWL_TYPE_DECIMAL && from->scale == to->scale && from->precision <= to->precision;
    default:
        return false;
    }
}

/* Whether the stored bytes of a value are the same in both. */
static bool same_bytes(const rwl_parquet_leaf *from, const rwl_parquet_shape *to) {
    rwl_parquet_layout layout = rwl_parquet_layout_of(from);
    if (from->physical != to->physical ||
        (to->physical == RWL_PARQUET_FIXED && from->type_length != to->type_length))
        return false;
    switch (layout.convert) {
    case RWL_PARQUET_TO_BITS:
    case RWL_PARQUET_TO_SAME:
    case RWL_PARQUET_TO_BYTES:
    case RWL_PARQUET_INT32_TO_DECIMAL:
    case RWL_PARQUET_INT64_TO_DECIMAL:
    case RWL_PARQUET_FIXED_TO_DECIMAL:
        return true;
    default:
        return false;
    }
}

/* --- leaves --- */

static bool is_identity(const mapper *m, int16_t max) {
    for (int i = 0; i <= max; i++)
        if (m->levels[i] != i)
            return false;
    return true;
}

static bool set_levels(mapper *m, const rwl_parquet_leaf *from, const rwl_parquet_write_leaf *to,
                       rwl_stitch_map *map) {
    int16_t max = from->max_definition;
    bool flat = to->max_repetition == 0 && to->max_definition <= 1 && max <= 1;
    map->levels = RWL_STITCH_SAME;
    if (max == to->max_definition && is_identity(m, max))
        return true;
    if (flat && max == 0) {
        map->levels = RWL_STITCH_ADD;
    } else if (flat && to->max_definition == 0) {
        map->levels = RWL_STITCH_DROP;
    } else {
        map->levels = RWL_STITCH_MAP;
        map->definitions = rwl_arena_copy(m->arena, m->levels, (size_t)max + 1);
        if (map->definitions == NULL)
            return fail(m, "?", "can't be mapped: no memory");
    }
    return true;
}

static bool map_leaf(mapper *m, int32_t leaf, const rwl_field *field, bool compare, int s, int t) {
    const rwl_parquet_leaf *from = &m->file->leaves[leaf];
    if (m->next >= m->schema->leaf_count)
        return fail(m, field->name, "has more leaves than are written");
    const rwl_parquet_write_leaf *to = &m->schema->leaves[m->next];
    rwl_stitch_map *map = &m->maps[m->next++];
    if (from->max_definition != s || to->max_definition != t || from->max_repetition != to->max_repetition)
        return fail(m, field->name, "is nested otherwise in the file");
    if (from->unsupported)
        return fail(m, field->name, "has a type in the file that can't be read");
    for (int32_t g = 0; g < m->file->group_count; g++)
        if (m->file->groups[g].chunks[leaf].encrypted)
            return fail(m, field->name, "is encrypted");
    map->leaf = leaf;
    map->converts = false;
    if (compare) {
        const rwl_type *have = &from->field.type, *want = &field->type;
        if (!rwl_type_equal(have, want) && !same_layout(have, want) && !promotes(have, want))
            return fail(m, field->name, "has another type in the file");
        map->converts = !same_bytes(from, &to->shape) || (promotes(have, want) && have->kind != want->kind);
        if (map->converts && same_layout(have, want))
            return fail(m, field->name, "has another type in the file");
    } else if (from->physical != RWL_PARQUET_BYTE_ARRAY) {
        return fail(m, field->name, "is stored otherwise in the file");
    }
    return set_levels(m, from, to, map);
}

/* --- nodes --- */

static const rwl_parquet_node *find_child(bool by_name, const rwl_parquet_node *node,
                                          const rwl_field *field) {
    for (int32_t i = 0; i < node->child_count; i++) {
        const rwl_parquet_node *child = &node->children[i];
        if (by_name || field->id < 0 ? strcmp(child->field.name, field->name) == 0
                                     : child->field.id == field->id)
            return child;
    }
    return NULL;
}

static bool map_node(mapper *m, const rwl_parquet_node *node, const rwl_field *field, bool required, int s,
                     int t, int depth);

static bool map_variant(mapper *m, const rwl_parquet_node *node, const rwl_field *field, int s, int t) {
    const rwl_parquet_variant *v = node->variant;
    if (v == NULL || v->value.value_leaf < 0 || v->value.typed != RWL_PARQUET_TYPED_NONE)
        return fail(m, field->name, "is a shredded variant in the file");
    int16_t value_max = m->file->leaves[v->value.value_leaf].max_definition;
    if (!map_leaf(m, v->metadata_leaf, field, false, s, t))
        return false;
    if (value_max == s + 1) { /* optional there: a value that is missing is no variant */
        m->levels[s] = RWL_STITCH_NO_LEVEL;
        m->levels[s + 1] = (uint8_t)t;
    }
    return map_leaf(m, v->value.value_leaf, field, false, value_max == s + 1 ? s + 1 : s, t);
}

/* The children of a present value whose definition level is s there and t here. */
static bool map_children(mapper *m, const rwl_parquet_node *node, const rwl_field *field, int s, int t,
                         int depth) {
    const rwl_type *type = &field->type;
    if (type->kind == RWL_TYPE_STRUCT) {
        for (int32_t i = 0; i < type->child_count; i++) {
            const rwl_parquet_node *child = find_child(m->by_name, node, &type->children[i]);
            if (child == NULL)
                return fail(m, type->children[i].name, "of a struct is not in the file");
            if (!map_node(m, child, &type->children[i], type->children[i].required, s, t, depth))
                return false;
        }
        return true;
    }
    if (node->child_count != type->child_count || node->element_definition != s + 1)
        return fail(m, field->name, "is nested otherwise in the file");
    for (int32_t i = 0; i < type->child_count; i++) {
        bool is_key = type->kind == RWL_TYPE_MAP && i == 0;
        if (!map_node(m, &node->children[i], &type->children[i], is_key || type->children[i].required, s + 1,
                      t + 1, depth))
            return false;
    }
    return true;
}

static bool map_node(mapper *m, const rwl_parquet_node *node, const rwl_field *field, bool required, int s,
                     int t, int depth) {
    int present = node->definition, here = t + (required ? 0 : 1);
    if (depth > RWL_TYPE_DEPTH_MAX || present < s || present > s + 1 || present + 2 > LEVELS_MAX)
        return fail(m, field->name, "is nested otherwise in the file");
    m->levels[s] = (uint8_t)(required ? RWL_STITCH_NO_LEVEL : t);
    m->levels[present] = (uint8_t)here;
    bool is_nested = rwl_type_is_nested(&field->type);
    if ((is_nested || rwl_type_is_nested(&node->field.type) || field->type.kind == RWL_TYPE_VARIANT) &&
        node->field.type.kind != field->type.kind)
        return fail(m, field->name, "has another type in the file");
    if (is_nested)
        return map_children(m, node, field, present, here, depth + 1);
    if (field->type.kind == RWL_TYPE_VARIANT)
        return map_variant(m, node, field, present, here);
    return map_leaf(m, node->first_leaf, field, true, present, here);
}

/* --- fields --- */

static int32_t find_top(bool by_name, const rwl_parquet_file *file, const rwl_field *field) {
    return by_name || field->id < 0 ? rwl_parquet_node_by_name(file, field->name)
                                    : rwl_parquet_node_by_id(file, field->id);
}

static void leave_null(mapper *m, int32_t top) {
    for (; m->next < m->schema->leaf_count && m->schema->leaves[m->next].top == top; m->next++)
        m->maps[m->next].leaf = -1;
}

bool rwl_stitch_map_file(const rwl_parquet_file *file, const rwl_parquet_write_schema *schema,
                         const bool *is_made, rwl_arena *arena, rwl_stitch_map *maps, const char **why) {
    mapper m = {.file = file,
                .schema = schema,
                .arena = arena,
                .maps = maps,
                .by_name = rwl_parquet_without_ids(file)};
    bool fits = true;
    for (int32_t f = 0; fits && f < schema->field_count; f++) {
        const rwl_field *field = &schema->fields[f];
        if (field->type.kind == RWL_TYPE_UNKNOWN)
            continue;
        int32_t node = find_top(m.by_name, file, field);
        if (is_made[f]) {
            leave_null(&m, f);
        } else if (node >= 0) {
            fits = map_node(&m, &file->nodes[node], field, field->required, 0, 0, 0);
        } else if (field->required) {
            fits = fail(&m, field->name, "is required and not in the file");
        } else if (field->initial_default != NULL && !field->initial_default->is_null) {
            fits = fail(&m, field->name, "has a default and is not in the file");
        } else {
            leave_null(&m, f);
        }
    }
    if (why != NULL)
        *why = m.why;
    return fits;
}

/* --- what may be required --- */

static rwl_status copy_fields(const rwl_field *fields, int32_t count, int depth, rwl_arena *arena,
                              rwl_field **out, rwl_error *err) {
    size_t size = (size_t)count * sizeof *fields;
    rwl_field *copy = rwl_arena_copy(arena, fields, size);
    if (copy == NULL)
        return rwl_no_memory(err, size);
    for (int32_t i = 0; i < count; i++) {
        rwl_type *type = &copy[i].type;
        rwl_field *children;
        copy[i].required = type->kind != RWL_TYPE_UNKNOWN;
        if (type->child_count == 0 || depth >= RWL_TYPE_DEPTH_MAX)
            continue;
        RWL_TRY(copy_fields(type->children, type->child_count, depth + 1, arena, &children, err));
        type->children = children;
    }
    *out = copy;
    return RWL_OK;
}

rwl_status rwl_parquet_stitch_narrow(const rwl_field *fields, int32_t count, rwl_arena *arena,
                                     rwl_field **out, rwl_error *err) {
    return copy_fields(fields, count, 0, arena, out, err);
}

/* `want` NULL: it need not be required. */
static void widen(rwl_field *field, const rwl_field *want, const rwl_parquet_node *node, bool by_name,
                  int depth) {
    rwl_type *type = &field->type;
    if (node == NULL || !node->field.required)
        field->required = want != NULL && want->required;
    if (node == NULL || depth >= RWL_TYPE_DEPTH_MAX)
        return;
    for (int32_t i = 0; i < type->child_count; i++) {
        rwl_field *child = (rwl_field *)&type->children[i]; /* of the copy */
        const rwl_parquet_node *from = type->kind == RWL_TYPE_STRUCT ? find_child(by_name, node, child)
                                       : i < node->child_count       ? &node->children[i]
                                                                     : NULL;
        if (type->kind != RWL_TYPE_MAP || i > 0) /* keys are required */
            widen(child, want != NULL ? &want->type.children[i] : NULL, from, by_name, depth + 1);
    }
}

void rwl_parquet_stitch_widen(rwl_field *narrow, const rwl_field *fields, int32_t count,
                              const rwl_parquet_file *file) {
    bool by_name = rwl_parquet_without_ids(file);
    for (int32_t i = 0; i < count; i++) {
        int32_t node = find_top(by_name, file, &narrow[i]);
        widen(&narrow[i], fields != NULL ? &fields[i] : NULL, node >= 0 ? &file->nodes[node] : NULL, by_name,
              0);
    }
}
