/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of a leaf's values, and which elements of vectors among them are null: appended as pages give them. */
#include "column/bits.h"
#include "lancefile/leaf.h"
#include "lancefile/unpack.h"

enum {
    ALIGNMENT = 64,
    PACKED_VALUE_MAX = 16 /* bytes of the widest value that blocks of RWL_LANCE_PACK hold */
};

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
        RWL_TRY(rwl_lance_leaf_add_item_validity(leaf, level, NULL, 0, slots, err));
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

rwl_status rwl_lance_leaf_add_item_validity(rwl_lance_leaf *leaf, int level, const uint8_t *bits,
                                            int64_t from, int64_t slots, rwl_error *err) {
    int64_t items = rwl_lance_leaf_items(leaf, level);
    if (items == 0 || slots > leaf->slots)
        return rwl_fail(err, RWL_INTERNAL, "element validity of %lld slots of %lld at level %d",
                        (long long)slots, (long long)leaf->slots, level);
    rwl_lance_item_validity *to = &leaf->item_validity[level];
    int64_t count = slots * items;
    if (!to->has_nulls && (bits == NULL || rwl_bits_count(bits, from, count) == count))
        return RWL_OK;
    int64_t before = (leaf->slots - slots) * items;
    RWL_TRY(grow_buffer(leaf->env, &to->bits, rwl_bits_bytes(before), rwl_bits_bytes(before + count), err));
    if (!to->has_nulls)
        rwl_bits_fill(to->bits.data, 0, before, true);
    to->has_nulls = true;
    if (bits == NULL)
        rwl_bits_fill(to->bits.data, before, count, true);
    else
        rwl_bits_copy(to->bits.data, before, bits, from, count);
    return RWL_OK;
}
