/* SPDX-License-Identifier: Apache-2.0 */
/* A leaf column's rows as pages give them: set up by its node, levels in the numbering that counts every layer. */
#include "lancefile/leaf.h"

#include "lancefile/packed_rows.h"

static bool is_list(const rwl_lance_node *node) {
    return (node->form == RWL_LANCE_LIST && node->dimension == 0) || node->form == RWL_LANCE_MAP;
}

/* --- set-up --- */

/* Bits of a slot of a FIXED, VECTOR or PACKED node. */
static rwl_status slot_bits(const rwl_lance_node *node, int depth, int64_t *out, rwl_error *err) {
    static const int64_t BITS_MAX = (int64_t)RWL_COLUMN_BYTES_MAX * 8;
    if (depth > RWL_LANCE_VECTOR_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "fixed-size values nested deeper than %d levels",
                        RWL_LANCE_VECTOR_DEPTH_MAX);
    int64_t total = 0;
    switch (node->form) {
    case RWL_LANCE_FIXED:
        total = node->bits;
        break;
    case RWL_LANCE_VECTOR:
        if (node->child_count != 1)
            return rwl_fail(err, RWL_INTERNAL, "a fixed-size list with %d children", node->child_count);
        RWL_TRY(slot_bits(&node->children[0], depth + 1, &total, err));
        if (node->dimension < 0 || (total > 0 && node->dimension > BITS_MAX / total))
            return rwl_fail(err, RWL_UNSUPPORTED, "fixed-size list of %d values of %lld bits",
                            node->dimension, (long long)total);
        total *= node->dimension;
        break;
    case RWL_LANCE_NULL: /* of elements that are all null a page has validity only; a byte each stands for them */
        total = depth > 0 ? 8 : 0;
        break;
    case RWL_LANCE_PACKED:
        total = node->bits; /* of all its fields, also when some are cut away */
        break;
    default:
        return rwl_fail(err, RWL_UNSUPPORTED, "fixed-size values that hold a field of type %s",
                        node->logical_type != NULL ? node->logical_type : "?");
    }
    if (total <= 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "values of no bits");
    *out = total;
    return RWL_OK;
}

/* In another fixed-size list of structs. */
static rwl_status widen_rows(rwl_lance_leaf *leaf, int32_t dimension, rwl_error *err) {
    leaf->per_row *= dimension; /* of below 2^31 both */
    if (leaf->per_row > INT32_MAX - 1)
        return rwl_fail(err, RWL_UNSUPPORTED, "fixed-size lists of %lld structs", (long long)leaf->per_row);
    return RWL_OK;
}

rwl_status rwl_lance_leaf_init(rwl_lance_leaf *leaf, const rwl_env *env, const rwl_lance_node *node,
                               rwl_error *err) {
    memset(leaf, 0, sizeof *leaf);
    leaf->env = env;
    leaf->node = node;
    rwl_type type = rwl_type_of(RWL_TYPE_BINARY);
    rwl_column_init_flat(&leaf->values, &type);
    leaf->layer_count = 1;
    leaf->per_row = 1;
    bool has_fixed_lists = false;
    for (const rwl_lance_node *p = node->parent; p != NULL; p = p->parent) {
        leaf->layer_count++;
        leaf->list_count += is_list(p);
        bool is_fixed = p->form == RWL_LANCE_LIST && p->dimension > 0;
        if (is_fixed)
            RWL_TRY(widen_rows(leaf, p->dimension, err));
        has_fixed_lists |= is_fixed;
    }
    if (has_fixed_lists && leaf->list_count > 0)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "fixed-size lists of structs that are in lists or have lists in them");
    if (leaf->layer_count > RWL_LANCE_LAYERS_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "a field nested deeper than %d levels", RWL_LANCE_LAYERS_MAX);
    bool is_empty = node->form == RWL_LANCE_STRUCT && node->child_count == 0;
    if (is_empty || node->form == RWL_LANCE_BYTES || node->form == RWL_LANCE_NULL ||
        rwl_lance_node_is_packed_rows(node))
        return RWL_OK;
    leaf->values.type = rwl_type_of(RWL_TYPE_FIXED);
    return slot_bits(node, 0, &leaf->width_bits, err);
}

void rwl_lance_leaf_use_rows(rwl_lance_leaf *leaf) {
    leaf->width_bits = 0;
    leaf->values.type = rwl_type_of(RWL_TYPE_BINARY);
}

void rwl_lance_leaf_clear(rwl_lance_leaf *leaf) {
    if (leaf->env == NULL)
        return;
    rwl_column_clear(&leaf->values, leaf->env);
    for (int i = 0; i < RWL_LANCE_VECTOR_DEPTH_MAX; i++)
        if (leaf->item_validity[i].bits.data != NULL)
            leaf->env->free_aligned(leaf->env->ctx, leaf->item_validity[i].bits.data);
    rwl_free(leaf->env, leaf->rep.items);
    rwl_free(leaf->env, leaf->def.items);
    memset(leaf, 0, sizeof *leaf);
}

void rwl_lance_leaf_reset(rwl_lance_leaf *leaf) {
    rwl_column_reset(&leaf->values);
    leaf->slots = leaf->entries = leaf->rows = 0;
    for (int i = 0; i < RWL_LANCE_VECTOR_DEPTH_MAX; i++)
        leaf->item_validity[i].has_nulls = false;
    leaf->rep.count = leaf->def.count = 0;
}

static bool is_layer_list(uint8_t layer) {
    return layer == RWL_LANCE_LAYER_LIST || layer == RWL_LANCE_LAYER_NULLABLE_LIST ||
           layer == RWL_LANCE_LAYER_EMPTYABLE_LIST || layer == RWL_LANCE_LAYER_NULL_AND_EMPTY_LIST;
}

rwl_status rwl_lance_leaf_check_layers(const rwl_lance_leaf *leaf, const rwl_lance_layout *layout,
                                       rwl_error *err) {
    if (layout->layer_count != leaf->layer_count)
        return rwl_fail(err, RWL_CORRUPT, "%d layers, but the schema nests the field in %d",
                        layout->layer_count, leaf->layer_count);
    const rwl_lance_node *node = leaf->node;
    for (int32_t i = 0; i < leaf->layer_count; i++, node = node->parent)
        if (is_layer_list(layout->layers[i]) != is_list(node))
            return rwl_fail(err, RWL_CORRUPT, "layer %d is %s, but of the schema it is %s", i,
                            is_list(node) ? "an item" : "a list", is_list(node) ? "a list" : "an item");
    return RWL_OK;
}

/* --- levels --- */

static rwl_status grow_levels(const rwl_env *env, rwl_lance_levels *levels, int64_t count, rwl_error *err) {
    if (count <= levels->cap)
        return RWL_OK;
    int64_t cap = levels->cap + levels->cap / 2;
    cap = cap < count ? count : cap;
    if (cap > INT64_MAX / 4)
        return rwl_no_memory(err, SIZE_MAX);
    size_t bytes = (size_t)cap * sizeof *levels->items;
    uint16_t *items = rwl_realloc(env, levels->items, bytes);
    if (items == NULL)
        return rwl_no_memory(err, bytes);
    levels->items = items;
    levels->cap = cap;
    return RWL_OK;
}

static uint16_t greatest(const uint16_t *levels, int64_t count) {
    uint16_t max = 0;
    for (int64_t i = 0; i < count; i++)
        max = levels[i] > max ? levels[i] : max;
    return max;
}

static rwl_status add_rep(rwl_lance_leaf *leaf, const rwl_lance_level_map *map, const uint16_t *rep,
                          int64_t count, rwl_error *err) {
    RWL_TRY(grow_levels(leaf->env, &leaf->rep, leaf->entries + count, err));
    uint16_t *to = leaf->rep.items + leaf->entries;
    if (rep == NULL) { /* every entry is a row */
        for (int64_t i = 0; i < count; i++)
            to[i] = (uint16_t)leaf->list_count;
    } else {
        uint16_t max = greatest(rep, count);
        if (max > map->max_rep)
            return rwl_fail(err, RWL_CORRUPT, "repetition level %u, but the page has %d lists", max,
                            map->max_rep);
        memcpy(to, rep, (size_t)count * sizeof *to);
    }
    leaf->rep.count = leaf->entries + count;
    return RWL_OK;
}

static rwl_status add_def(rwl_lance_leaf *leaf, const rwl_lance_level_map *map, const uint16_t *def,
                          int64_t count, rwl_error *err) {
    uint16_t max = def != NULL ? greatest(def, count) : 0;
    if (max >= map->level_count && max > 0)
        return rwl_fail(err, RWL_CORRUPT, "definition level %u, but the page has levels 0 to %d", max,
                        map->level_count - 1);
    if (max == 0 && leaf->def.count == 0)
        return RWL_OK;
    RWL_TRY(grow_levels(leaf->env, &leaf->def, leaf->entries + count, err));
    if (leaf->def.count == 0 && leaf->entries > 0)
        memset(leaf->def.items, 0, (size_t)leaf->entries * sizeof *leaf->def.items);
    uint16_t *to = leaf->def.items + leaf->entries;
    if (max == 0)
        memset(to, 0, (size_t)count * sizeof *to);
    else if (max == 1 && map->full[0] == 0)
        for (int64_t i = 0; i < count; i++)
            to[i] = (uint16_t)(def[i] * map->full[1]);
    else
        for (int64_t i = 0; i < count; i++)
            to[i] = map->full[def[i]];
    leaf->def.count = leaf->entries + count;
    return RWL_OK;
}

rwl_status rwl_lance_leaf_add_entries(rwl_lance_leaf *leaf, const rwl_lance_level_map *map,
                                      const uint16_t *rep, const uint16_t *def, int64_t count, int64_t rows,
                                      rwl_error *err) {
    if (count < 0 || count >= INT32_MAX - leaf->entries)
        return rwl_fail(err, RWL_UNSUPPORTED, "%lld entries and %lld more in one batch",
                        (long long)leaf->entries, (long long)count);
    if (count > 0) {
        if (leaf->list_count > 0)
            RWL_TRY(add_rep(leaf, map, rep, count, err));
        RWL_TRY(add_def(leaf, map, def, count, err));
    }
    leaf->entries += count;
    leaf->rows += rows;
    return RWL_OK;
}
