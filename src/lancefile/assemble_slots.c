/* SPDX-License-Identifier: Apache-2.0 */
/* Columns from the slots of a leaf: whole buffers where values are as stored; vectors to lists, packed structs to structs. */
#include "column/bits.h"
#include "lancefile/assemble.h"
#include "lancefile/field_internal.h"
#include "lancefile/packed_rows.h"

/* Values side by side, as wide as `node`, and validity bits by level: 0 of the values, 1 of a vector's elements, and so on. NULL: all
 * valid. */
typedef struct source {
    const uint8_t *data;
    const uint8_t *validity[RWL_LANCE_VECTOR_DEPTH_MAX + 1];
} source;

static rwl_status put_values(rwl_lance_assembler *a, const rwl_lance_node *node, const source *from,
                             int level, int64_t first, int64_t count, rwl_column *out, rwl_error *err);

/* Bits of a value; leaf_init has checked that they are few and that vectors are not deep. */
static int64_t value_bits(const rwl_lance_node *node) {
    int64_t bits = 1;
    for (; node->form == RWL_LANCE_VECTOR; node = &node->children[0])
        bits *= node->dimension;
    return bits * node->bits;
}

/* *out is bits [from, from + count) beginning a byte, moved to `room` where they do not. */
static rwl_status align_bits(rwl_buf *room, const uint8_t *bits, int64_t from, int64_t count,
                             const uint8_t **out, rwl_error *err) {
    *out = bits == NULL ? NULL : bits + from / 8;
    if (bits == NULL || (from & 7) == 0)
        return RWL_OK;
    rwl_buf_reset(room);
    RWL_TRY(rwl_buf_reserve(room, rwl_bits_bytes(count), err));
    rwl_bits_copy(room->data, 0, bits, from, count);
    *out = room->data;
    return RWL_OK;
}

static rwl_status put_fixed(rwl_lance_assembler *a, const rwl_lance_node *node, const source *from, int level,
                            int64_t first, int64_t count, rwl_column *out, rwl_error *err) {
    const uint8_t *stored, *validity;
    RWL_TRY(align_bits(&a->moved, from->data, first * node->bits, count * node->bits, &stored, err));
    RWL_TRY(align_bits(&a->bits, from->validity[level], first, count, &validity, err));
    return rwl_lance_convert_fixed(a->env, node, stored, count, validity, out, err);
}

/* Valid values from `first` on, up to `end`; *at is left at the first. */
static int64_t next_run(const uint8_t *validity, int64_t *at, int64_t end) {
    if (validity == NULL)
        return end - *at;
    while (*at < end && !rwl_bit_get(validity, *at))
        ++*at;
    int64_t to = *at;
    while (to < end && rwl_bit_get(validity, to))
        to++;
    return to - *at;
}

/* Fills offsets of `count` lists behind out->length; false when they pass what offsets can hold. */
static bool put_offsets(const uint8_t *validity, int64_t first, int64_t count, int32_t dimension,
                        rwl_column *out) {
    int32_t *offsets = (int32_t *)(void *)out->offsets.data + out->length;
    int64_t end = out->length > 0 ? offsets[0] : 0;
    if (end + count * dimension > INT32_MAX)
        return false;
    offsets[0] = (int32_t)end;
    for (int64_t i = 0; i < count; i++) {
        end += validity == NULL || rwl_bit_get(validity, first + i) ? dimension : 0;
        offsets[i + 1] = (int32_t)end;
    }
    return true;
}

static rwl_status put_vectors(rwl_lance_assembler *a, const rwl_lance_node *node, const source *from,
                              int level, int64_t first, int64_t count, rwl_column *out, rwl_error *err) {
    const uint8_t *validity = from->validity[level], *aligned;
    int64_t dimension = node->dimension;
    if (level >= RWL_LANCE_VECTOR_DEPTH_MAX || count >= INT32_MAX - out->length)
        return rwl_fail(err, RWL_UNSUPPORTED, "%lld vectors in one batch, or %d deep", (long long)count,
                        level + 1);
    RWL_TRY(rwl_column_reserve(out, a->env, out->length + count, 0, err));
    if (!put_offsets(validity, first, count, node->dimension, out))
        return rwl_fail(err, RWL_UNSUPPORTED, "%lld vectors of %lld values in one batch", (long long)count,
                        (long long)dimension);
    RWL_TRY(align_bits(&a->bits, validity, first, count, &aligned, err));
    RWL_TRY(rwl_lance_append_validity(a->env, out, aligned, count, err));
    out->length += count;
    for (int64_t at = first, run; at < first + count; at += run) {
        run = next_run(validity, &at, first + count);
        if (run > 0)
            RWL_TRY(put_values(a, &node->children[0], from, level + 1, at * dimension, run * dimension,
                               &out->children[0], err));
    }
    return RWL_OK;
}

static rwl_status put_nulls(rwl_lance_assembler *a, int64_t count, rwl_column *out, rwl_error *err) {
    rwl_value null = rwl_value_null(out->type.kind);
    return rwl_column_append(out, a->env, &null, count, err);
}

static rwl_status put_values(rwl_lance_assembler *a, const rwl_lance_node *node, const source *from,
                             int level, int64_t first, int64_t count, rwl_column *out, rwl_error *err) {
    if (node->form == RWL_LANCE_VECTOR)
        return put_vectors(a, node, from, level, first, count, out, err);
    if (node->form == RWL_LANCE_FIXED)
        return put_fixed(a, node, from, level, first, count, out, err);
    if (node->form == RWL_LANCE_NULL)
        return put_nulls(a, count, out, err);
    return rwl_fail(err, RWL_UNSUPPORTED, "values of type %s inside of a fixed-size value",
                    node->logical_type);
}

/* --- packed structs --- */

static void gather(const uint8_t *restrict in, size_t stride, size_t width, int64_t count,
                   uint8_t *restrict out) {
    for (size_t i = 0; width == 4 && i < (size_t)count; i++)
        memcpy(out + 4 * i, in + i * stride, 4);
    for (size_t i = 0; width == 8 && i < (size_t)count; i++)
        memcpy(out + 8 * i, in + i * stride, 8);
    for (size_t i = 0; width != 4 && width != 8 && i < (size_t)count; i++)
        memcpy(out + width * i, in + i * stride, width);
}

static rwl_status put_packed(rwl_lance_assembler *a, const rwl_lance_node *node, const uint8_t *data,
                             size_t stride, int64_t count, const uint8_t *validity, rwl_column *out,
                             rwl_error *err) {
    if (out->type.child_count != node->child_count)
        return rwl_fail(err, RWL_INTERNAL, "a packed struct of %d fields into one of %d", node->child_count,
                        out->type.child_count);
    RWL_TRY(rwl_lance_append_validity(a->env, out, validity, count, err));
    out->length = count;
    for (int32_t i = 0; i < node->child_count; i++) {
        const rwl_lance_node *child = &node->children[i];
        int64_t bits = value_bits(child);
        size_t width = (size_t)bits / 8;
        if ((bits & 7) != 0 || (child->offset & 7) != 0 || (size_t)child->offset / 8 + width > stride)
            return rwl_fail(err, RWL_UNSUPPORTED, "packed struct with a field of %lld bits from %d of %zu on",
                            (long long)bits, child->offset, 8 * stride);
        rwl_buf_reset(&a->bytes);
        RWL_TRY(rwl_buf_reserve(&a->bytes, (size_t)count * width, err));
        gather(data + child->offset / 8, stride, width, count, a->bytes.data);
        source from = {.data = a->bytes.data, .validity = {validity}};
        RWL_TRY(put_values(a, child, &from, 0, 0, count, &out->children[i], err));
    }
    return RWL_OK;
}

/* --- whole leaves --- */

static void swap_buffers(rwl_buffer *a, rwl_buffer *b) {
    rwl_buffer t = *a;
    *a = *b;
    *b = t;
}

static rwl_status take_bytes(rwl_lance_assembler *a, const rwl_lance_node *node, rwl_column *values,
                             int64_t slots, const uint8_t *validity, rwl_column *out, rwl_error *err) {
    if (!rwl_type_is_bytes(&out->type) || values->length != slots)
        return rwl_fail(err, RWL_INTERNAL, "%lld texts for %lld values", (long long)values->length,
                        (long long)slots);
    RWL_TRY(rwl_lance_append_validity(a->env, out, validity, slots, err));
    swap_buffers(&out->values, &values->values);
    swap_buffers(&out->offsets, &values->offsets);
    out->length = slots;
    out->bytes_len = values->bytes_len;
    rwl_column_reset(values);
    RWL_TRY(rwl_column_reserve(out, a->env, out->length, out->bytes_len, err));
    return rwl_lance_finish_bytes(a->env, node, out, err);
}

static rwl_status put_packed_rows(rwl_lance_assembler *a, const rwl_lance_node *node, const rwl_column *slots,
                                  const uint8_t *validity, rwl_column *out, rwl_error *err);

/* Bytes of a vector in a slot: its values and the validity of its elements at each level. */
static size_t packed_vector_len(const rwl_lance_node *node) {
    size_t items = 1, len = (size_t)value_bits(node) / 8;
    for (; node->form == RWL_LANCE_VECTOR; node = &node->children[0]) {
        items *= (size_t)node->dimension;
        len += (items + 7) / 8;
    }
    return len;
}

/* Vectors as slots have them: values are put side by side, and so is the validity of each level. */
static rwl_status put_packed_vectors(rwl_lance_assembler *a, const rwl_lance_node *node,
                                     const rwl_column *values, const uint8_t *validity, rwl_column *out,
                                     rwl_error *err) {
    int64_t count = values->length, items = 1;
    size_t stride = packed_vector_len(node), width = (size_t)value_bits(node) / 8, at = width;
    if (values->bytes_len != (size_t)count * stride)
        return rwl_fail(err, RWL_INTERNAL, "%zu bytes of %lld vectors in a packed struct", values->bytes_len,
                        (long long)count);
    rwl_buf_reset(&a->bytes);
    RWL_TRY(rwl_buf_reserve(&a->bytes, (size_t)count * (stride + RWL_LANCE_VECTOR_DEPTH_MAX), err));
    gather(values->values.data, stride, width, count, a->bytes.data);
    source from = {.data = a->bytes.data, .validity = {validity}};
    uint8_t *bits = a->bytes.data + (size_t)count * width;
    int level = 1;
    for (const rwl_lance_node *n = node; n->form == RWL_LANCE_VECTOR; n = &n->children[0]) {
        items *= n->dimension;
        for (int64_t i = 0; i < count; i++)
            rwl_bits_copy(bits, i * items, values->values.data + (size_t)i * stride + at, 0, items);
        from.validity[level++] = bits;
        bits += rwl_bits_bytes(count * items);
        at += rwl_bits_bytes(items);
    }
    return put_values(a, node, &from, 0, 0, count, out, err);
}

/* A field's values, which lie in `values` alone. */
static rwl_status put_packed_field(rwl_lance_assembler *a, const rwl_lance_node *node, rwl_column *values,
                                   const uint8_t *validity, rwl_column *out, rwl_error *err) {
    int64_t count = values->length;
    if (node->form == RWL_LANCE_BYTES)
        return take_bytes(a, node, values, count, validity, out, err);
    if (node->form == RWL_LANCE_PACKED)
        return put_packed_rows(a, node, values, validity, out, err);
    if (node->form == RWL_LANCE_VECTOR)
        return put_packed_vectors(a, node, values, validity, out, err);
    if (values->bytes_len != (size_t)count * (size_t)(value_bits(node) / 8))
        return rwl_fail(err, RWL_INTERNAL, "%zu bytes of %lld values in a packed struct", values->bytes_len,
                        (long long)count);
    source from = {.data = values->values.data, .validity = {validity}};
    return put_values(a, node, &from, 0, 0, count, out, err);
}

/* Structs inside of others are no deeper than their type. */
static rwl_status put_packed_rows(rwl_lance_assembler *a, const rwl_lance_node *node, const rwl_column *slots,
                                  const uint8_t *validity, rwl_column *out, rwl_error *err) {
    rwl_type type = rwl_type_of(RWL_TYPE_BINARY);
    if (out->type.child_count != node->child_count)
        return rwl_fail(err, RWL_INTERNAL, "a packed struct of %d fields into one of %d", node->child_count,
                        out->type.child_count);
    RWL_TRY(rwl_lance_append_validity(a->env, out, validity, slots->length, err));
    out->length = slots->length;
    for (int32_t i = 0; i < node->child_count; i++) {
        const rwl_lance_node *child = &node->children[i];
        size_t null_len = child->form == RWL_LANCE_FIXED ? (size_t)child->bits / 8 : 0;
        if (child->form == RWL_LANCE_VECTOR)
            null_len = packed_vector_len(child);
        rwl_column values;
        rwl_column_init_flat(&values, &type);
        rwl_status st = rwl_lance_packed_take(a->env, slots, child->place, null_len, &values, err);
        if (st == RWL_OK)
            st = put_packed_field(a, child, &values, validity, &out->children[i], err);
        rwl_column_clear(&values, a->env);
        RWL_TRY(st);
    }
    return RWL_OK;
}

/* Values are as stored: the buffer changes hands. */
static rwl_status take_fixed(rwl_lance_assembler *a, rwl_lance_leaf *leaf, const uint8_t *validity,
                             rwl_column *out, rwl_error *err) {
    size_t width = (size_t)rwl_type_width(&out->type);
    RWL_TRY(rwl_lance_append_validity(a->env, out, validity, leaf->slots, err));
    swap_buffers(&out->values, &leaf->values.values);
    RWL_TRY(rwl_column_reserve(out, a->env, leaf->slots, 0, err));
    if (validity != NULL)
        rwl_lance_zero_nulls(out->values.data, width, validity, leaf->slots);
    out->length = leaf->slots;
    return RWL_OK;
}

static bool is_as_stored(const rwl_lance_node *node, const rwl_column *out) {
    int32_t width = rwl_type_width(&out->type);
    return node->form == RWL_LANCE_FIXED && node->convert == RWL_LANCE_AS_IT_IS && width > 0 &&
           node->bits == 8 * width;
}

/* Vectors none of which is null, of values as stored: the buffer is the elements'. */
static rwl_status take_vectors(rwl_lance_assembler *a, rwl_lance_leaf *leaf, rwl_column *out,
                               rwl_error *err) {
    rwl_column *elements = &out->children[0];
    RWL_TRY(rwl_column_reserve(out, a->env, leaf->slots, 0, err));
    if (!put_offsets(NULL, 0, leaf->slots, leaf->node->dimension, out))
        return rwl_fail(err, RWL_UNSUPPORTED, "%lld vectors of %d values in one batch",
                        (long long)leaf->slots, leaf->node->dimension);
    out->length = leaf->slots;
    swap_buffers(&elements->values, &leaf->values.values);
    int64_t count = leaf->slots * leaf->node->dimension;
    RWL_TRY(rwl_column_reserve(elements, a->env, count, 0, err));
    const uint8_t *validity = rwl_lance_leaf_item_validity(leaf, 0);
    RWL_TRY(rwl_lance_append_validity(a->env, elements, validity, count, err));
    if (elements->null_count > 0)
        rwl_lance_zero_nulls(elements->values.data, (size_t)rwl_type_width(&elements->type), validity, count);
    elements->length = count;
    return RWL_OK;
}

rwl_status rwl_lance_assemble_slots(rwl_lance_assembler *a, rwl_lance_leaf *leaf, const uint8_t *validity,
                                    int64_t nulls, rwl_column *out, rwl_error *err) {
    const rwl_lance_node *node = leaf->node;
    if (nulls == 0)
        validity = NULL;
    if (node->form == RWL_LANCE_BYTES)
        return take_bytes(a, node, &leaf->values, leaf->slots, validity, out, err);
    if (leaf->slots == 0)
        return rwl_column_reserve(out, a->env, 0, 0, err);
    if (is_as_stored(node, out))
        return take_fixed(a, leaf, validity, out, err);
    if (node->form == RWL_LANCE_VECTOR && validity == NULL &&
        is_as_stored(&node->children[0], &out->children[0]))
        return take_vectors(a, leaf, out, err);
    source from = {.data = leaf->values.values.data, .validity = {validity}};
    if (node->form == RWL_LANCE_NULL || (node->form == RWL_LANCE_PACKED && nulls == leaf->slots))
        return put_nulls(a, leaf->slots, out, err);
    if (node->form == RWL_LANCE_PACKED && leaf->width_bits == 0)
        return put_packed_rows(a, node, &leaf->values, validity, out, err);
    if (node->form == RWL_LANCE_PACKED)
        return put_packed(a, node, from.data, (size_t)leaf->width_bits / 8, leaf->slots, validity, out, err);
    for (int i = 0; i < RWL_LANCE_VECTOR_DEPTH_MAX; i++)
        from.validity[1 + i] = rwl_lance_leaf_item_validity(leaf, i);
    return put_values(a, node, &from, 0, 0, leaf->slots, out, err);
}
