/* SPDX-License-Identifier: Apache-2.0 */
/* Collects what pages of one leaf column give: slots of values, levels in the numbering that counts every layer. */
#include "lancefile/leaf.h"

#include "column/bits.h"
#include "lancefile/packed_rows.h"
#include "lancefile/unpack.h"

enum {
    ALIGNMENT = 64,
    PACKED_VALUE_MAX = 16
}; /* bytes of the widest value that blocks of RWL_LANCE_PACK hold */

static bool is_list(const rwl_lance_node *node) {
    return (node->form == RWL_LANCE_LIST && node->dimension == 0) || node->form == RWL_LANCE_MAP;
}

/* --- buffers --- */

/* Capacity of at least `need` bytes; the first `used` are kept, others have any value. */
static rwl_status grow_buffer(const rwl_env *env, rwl_buffer *b, size_t used, size_t need, rwl_error *err) {
    if (need <= b->cap)
        return RWL_OK;
    size_t cap = need > b->cap + b->cap / 2 ? need : b->cap + b->cap / 2;
    cap = (cap + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    uint8_t *data = env->alloc_aligned(env->ctx, ALIGNMENT, cap);
    if (data == NULL)
        return rwl_no_memory(err, cap);
    if (b->data != NULL) {
        memcpy(data, b->data, used < b->cap ? used : b->cap);
        env->free_aligned(env->ctx, b->data);
    }
    b->data = data;
    b->cap = cap;
    return RWL_OK;
}

static void clear_buffer(const rwl_env *env, rwl_buffer *b) {
    if (b->data != NULL)
        env->free_aligned(env->ctx, b->data);
    b->data = NULL;
    b->cap = 0;
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
    clear_buffer(leaf->env, &leaf->item_validity);
    for (int i = 0; i < RWL_LANCE_VECTOR_DEPTH_MAX - 1; i++)
        clear_buffer(leaf->env, &leaf->deeper[i].item_validity);
    rwl_free(leaf->env, leaf->rep.items);
    rwl_free(leaf->env, leaf->def.items);
    memset(leaf, 0, sizeof *leaf);
}

void rwl_lance_leaf_reset(rwl_lance_leaf *leaf) {
    rwl_column_reset(&leaf->values);
    leaf->slots = leaf->entries = leaf->rows = 0;
    leaf->has_item_nulls = false;
    for (int i = 0; i < RWL_LANCE_VECTOR_DEPTH_MAX - 1; i++)
        leaf->deeper[i].has_item_nulls = false;
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

/* --- values --- */

/* Slots are numbered by int32 in batches. */
static rwl_status check_slots(const rwl_lance_leaf *leaf, int64_t more, rwl_error *err) {
    if (more < 0 || more >= INT32_MAX - leaf->slots)
        return rwl_fail(err, RWL_UNSUPPORTED, "%lld values and %lld more in one batch",
                        (long long)leaf->slots, (long long)more);
    return RWL_OK;
}

rwl_status rwl_lance_leaf_reserve(rwl_lance_leaf *leaf, int64_t more, uint8_t **out, rwl_error *err) {
    *out = NULL;
    RWL_TRY(check_slots(leaf, more, err));
    if (leaf->width_bits == 0)
        return RWL_OK;
    int64_t slots = leaf->slots + more;
    if (slots > (int64_t)RWL_COLUMN_BYTES_MAX * 8 / leaf->width_bits)
        return rwl_fail(err, RWL_UNSUPPORTED, "%lld values of %lld bits in one batch, limit %zu bytes",
                        (long long)slots, (long long)leaf->width_bits, RWL_COLUMN_BYTES_MAX);
    int64_t width = (leaf->width_bits + 7) / 8;
    size_t slack = (size_t)RWL_LANCE_PACK * (size_t)(width < PACKED_VALUE_MAX ? width : PACKED_VALUE_MAX);
    size_t used = rwl_bits_bytes(leaf->slots * leaf->width_bits);
    size_t before = leaf->values.values.cap;
    RWL_TRY(grow_buffer(leaf->env, &leaf->values.values, used,
                        rwl_bits_bytes(slots * leaf->width_bits) + slack, err));
    RWL_TRY(rwl_lance_charge_grown(leaf->charge, &leaf->values.values, before, err));
    int64_t at = leaf->slots * leaf->width_bits;
    if ((at & 7) == 0)
        *out = leaf->values.values.data + at / 8;
    return RWL_OK;
}

rwl_status rwl_lance_leaf_reserve_bytes(rwl_lance_leaf *leaf, int64_t slots, size_t bytes, rwl_error *err) {
    rwl_column *c = &leaf->values;
    if (bytes > RWL_COLUMN_BYTES_MAX - c->bytes_len)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "%zu bytes of variable-length values and %zu more in one batch, limit %zu",
                        c->bytes_len, bytes, RWL_COLUMN_BYTES_MAX);
    return rwl_lance_charge_reserve(leaf->charge, c, leaf->env, c->length + slots, c->bytes_len + bytes, err);
}

/* Slots that came without a word on their elements have none that is null. */
static rwl_status fill_validity(rwl_lance_leaf *leaf, int64_t slots, rwl_error *err) {
    if (leaf->node->form != RWL_LANCE_VECTOR)
        return RWL_OK;
    for (int level = 0; rwl_lance_leaf_items(leaf, level) > 0; level++)
        RWL_TRY(rwl_lance_leaf_add_level_validity(leaf, level, NULL, 0, slots, err));
    return RWL_OK;
}

rwl_status rwl_lance_leaf_add_fixed(rwl_lance_leaf *leaf, const uint8_t *values, int64_t from, int64_t count,
                                    rwl_error *err) {
    uint8_t *to = NULL;
    RWL_TRY(rwl_lance_leaf_reserve(leaf, count, &to, err));
    if (leaf->width_bits == 0)
        return rwl_fail(err, RWL_INTERNAL, "fixed-width values for a leaf of variable-length ones");
    if (count == 0)
        return RWL_OK;
    int64_t width = leaf->width_bits;
    if ((width & 7) == 0)
        memcpy(to, values + from * (width / 8), (size_t)(count * (width / 8)));
    else
        rwl_bits_copy(leaf->values.values.data, leaf->slots * width, values, from * width, count * width);
    leaf->slots += count;
    return fill_validity(leaf, count, err);
}

rwl_status rwl_lance_leaf_add_bytes(rwl_lance_leaf *leaf, const rwl_column *values, int64_t from,
                                    int64_t count, rwl_error *err) {
    RWL_TRY(check_slots(leaf, count, err));
    if (!rwl_lance_leaf_is_bytes(leaf))
        return rwl_fail(err, RWL_INTERNAL, "variable-length values for a leaf of fixed-width ones");
    if (count == 0)
        return RWL_OK;
    rwl_column *c = &leaf->values;
    const int32_t *in = rwl_column_offsets(values) + from;
    size_t len = (size_t)(in[count] - in[0]);
    RWL_TRY(rwl_lance_leaf_reserve_bytes(leaf, count, len, err));
    if (len > 0)
        memcpy(c->values.data + c->bytes_len, values->values.data + in[0], len);
    int32_t *offsets = (int32_t *)(void *)c->offsets.data + c->length;
    int32_t shift = (int32_t)c->bytes_len - in[0];
    for (int64_t i = 0; i <= count; i++)
        offsets[i] = in[i] + shift;
    c->length += count;
    c->bytes_len += len;
    leaf->slots += count;
    return RWL_OK;
}

rwl_status rwl_lance_leaf_check_bytes(const rwl_lance_leaf *leaf, size_t more, rwl_error *err) {
    size_t max = leaf->bytes_max > 0 ? (size_t)leaf->bytes_max : SIZE_MAX, used = leaf->values.bytes_len;
    if (used <= max && more <= max - used)
        return RWL_OK;
    return rwl_fail(err, RWL_UNSUPPORTED, "%zu bytes of values and %zu more in one step, limit %zu", used,
                    more, max);
}

/* Fills `count` items of `width` bytes by doubling what is there. */
static void fill_items(uint8_t *to, const uint8_t *item, size_t width, size_t count) {
    size_t total = width * count;
    memcpy(to, item, width);
    for (size_t done = width; done < total;) {
        size_t step = done < total - done ? done : total - done;
        memcpy(to + done, to, step);
        done += step;
    }
}

rwl_status rwl_lance_leaf_add_same(rwl_lance_leaf *leaf, rwl_span value, int64_t count, rwl_error *err) {
    uint8_t *to = NULL;
    RWL_TRY(rwl_lance_leaf_reserve(leaf, count, &to, err));
    if (count == 0)
        return RWL_OK;
    int64_t width = leaf->width_bits;
    if (rwl_lance_leaf_is_bytes(leaf)) {
        rwl_value v = rwl_value_null(RWL_TYPE_BINARY);
        v.is_null = false;
        v.as.bytes = value;
        if (value.len <= RWL_COLUMN_BYTES_MAX / (size_t)count)
            RWL_TRY(rwl_lance_leaf_reserve_bytes(leaf, count, value.len * (size_t)count, err));
        RWL_TRY(rwl_column_append(&leaf->values, leaf->env, &v, count, err));
    } else if (width > 0 && value.data != NULL && value.len < rwl_bits_bytes(width)) {
        return rwl_fail(err, RWL_CORRUPT, "value of %zu bytes where values have %lld bits", value.len,
                        (long long)width);
    } else if (width > 0 && value.data == NULL) {
        rwl_bits_fill(leaf->values.values.data, leaf->slots * width, count * width, false);
    } else if (width == 1) {
        rwl_bits_fill(leaf->values.values.data, leaf->slots, count, value.data[0] & 1);
    } else if ((width & 7) == 0 && width > 0) {
        fill_items(to, value.data, (size_t)(width / 8), (size_t)count);
    } else {
        for (int64_t i = 0; width > 0 && i < count; i++)
            rwl_bits_copy(leaf->values.values.data, (leaf->slots + i) * width, value.data, 0, width);
    }
    leaf->slots += count;
    return fill_validity(leaf, count, err);
}

int64_t rwl_lance_leaf_items(const rwl_lance_leaf *leaf, int level) {
    int64_t items = 1;
    const rwl_lance_node *node = leaf->node;
    for (int i = 0; i <= level; i++, node = &node->children[0]) {
        if (node->form != RWL_LANCE_VECTOR)
            return 0;
        items *= node->dimension;
    }
    return items;
}

rwl_status rwl_lance_leaf_add_level_validity(rwl_lance_leaf *leaf, int level, const uint8_t *bits,
                                             int64_t from, int64_t slots, rwl_error *err) {
    int64_t items = rwl_lance_leaf_items(leaf, level);
    if (items == 0 || slots > leaf->slots)
        return rwl_fail(err, RWL_INTERNAL, "element validity of %lld slots of %lld at level %d",
                        (long long)slots, (long long)leaf->slots, level);
    rwl_buffer *to = level == 0 ? &leaf->item_validity : &leaf->deeper[level - 1].item_validity;
    bool *has_nulls = level == 0 ? &leaf->has_item_nulls : &leaf->deeper[level - 1].has_item_nulls;
    int64_t count = slots * items;
    if (!*has_nulls && (bits == NULL || rwl_bits_count(bits, from, count) == count))
        return RWL_OK;
    int64_t before = (leaf->slots - slots) * items;
    RWL_TRY(grow_buffer(leaf->env, to, rwl_bits_bytes(before), rwl_bits_bytes(before + count), err));
    if (!*has_nulls)
        rwl_bits_fill(to->data, 0, before, true);
    *has_nulls = true;
    if (bits == NULL)
        rwl_bits_fill(to->data, before, count, true);
    else
        rwl_bits_copy(to->data, before, bits, from, count);
    return RWL_OK;
}

rwl_status rwl_lance_leaf_add_item_validity(rwl_lance_leaf *leaf, const uint8_t *bits, int64_t from,
                                            int64_t slots, rwl_error *err) {
    return rwl_lance_leaf_add_level_validity(leaf, 0, bits, from, slots, err);
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
