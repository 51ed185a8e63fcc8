/* SPDX-License-Identifier: Apache-2.0 */
/* Columns from the slots of a leaf: whole buffers where values are as stored; vectors to lists, packed structs to structs. */
#include "column/bits.h"
#include "lancefile/assemble.h"
#include "lancefile/field_internal.h"
#include "lancefile/packed_rows.h"
#include "lancefile/schema_internal.h"

/* Values side by side, as wide as `node`, and validity bits by level: 0 of the values, 1 of a vector's elements, and so on. NULL: all
 * valid. */
typedef struct source {
    const uint8_t *data;
    const uint8_t *validity[RWL_LANCE_VECTOR_DEPTH_MAX + 1];
} source;

/* Values [first, first + count) of a node: those of the source, or elements at a level of its vectors. */
typedef struct slice {
    const source *from;
    const rwl_lance_node *node;
    int level;
    int64_t first, count;
} slice;

static rwl_status put_values(rwl_lance_assembler *a, const slice *s, rwl_column *out, rwl_error *err);

static rwl_status put_fixed(rwl_lance_assembler *a, const slice *s, rwl_column *out, rwl_error *err) {
    const uint8_t *stored, *validity = s->from->validity[s->level];
    int64_t bits = s->node->bits;
    RWL_TRY(rwl_lance_align_bits(&a->moved, s->from->data, s->first * bits, s->count * bits, &stored, err));
    if (validity != NULL)
        RWL_TRY(rwl_lance_align_bits(&a->bits, validity, s->first, s->count, &validity, err));
    return rwl_lance_convert_fixed(a->env, s->node, stored, s->count, validity, out, err);
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

static rwl_status put_vectors(rwl_lance_assembler *a, const slice *s, rwl_column *out, rwl_error *err) {
    const uint8_t *validity = s->from->validity[s->level], *aligned = NULL;
    int64_t dimension = s->node->dimension, end = s->first + s->count;
    if (s->level >= RWL_LANCE_VECTOR_DEPTH_MAX || s->count >= INT32_MAX - out->length)
        return rwl_fail(err, RWL_UNSUPPORTED, "%lld vectors in one batch, or %d deep", (long long)s->count,
                        s->level + 1);
    RWL_TRY(rwl_column_reserve(out, a->env, out->length + s->count, 0, err));
    if (!put_offsets(validity, s->first, s->count, s->node->dimension, out))
        return rwl_fail(err, RWL_UNSUPPORTED, "%lld vectors of %lld values in one batch", (long long)s->count,
                        (long long)dimension);
    if (validity != NULL)
        RWL_TRY(rwl_lance_align_bits(&a->bits, validity, s->first, s->count, &aligned, err));
    RWL_TRY(rwl_lance_append_validity(a->env, out, aligned, s->count, err));
    out->length += s->count;
    for (int64_t at = s->first, run; at < end; at += run) {
        run = next_run(validity, &at, end);
        const slice elements = {s->from, &s->node->children[0], s->level + 1, at * dimension,
                                run * dimension};
        if (run > 0)
            RWL_TRY(put_values(a, &elements, &out->children[0], err));
    }
    return RWL_OK;
}

static rwl_status put_values(rwl_lance_assembler *a, const slice *s, rwl_column *out, rwl_error *err) {
    switch (s->node->form) {
    case RWL_LANCE_VECTOR:
        return put_vectors(a, s, out, err);
    case RWL_LANCE_FIXED:
        return put_fixed(a, s, out, err);
    case RWL_LANCE_NULL:
        return rwl_lance_append_nulls(a->env, out, s->count, err);
    default:
        return rwl_fail(err, RWL_UNSUPPORTED, "values of type %s inside of a fixed-size value",
                        s->node->logical_type);
    }
}

/* All of the values that lie at `data`. */
static rwl_status put_all(rwl_lance_assembler *a, const rwl_lance_node *node, const source *from,
                          int64_t count, rwl_column *out, rwl_error *err) {
    const slice all = {from, node, 0, 0, count};
    return put_values(a, &all, out, err);
}

/* --- packed structs --- */

/* Structs of fixed width. */
static rwl_status put_packed(rwl_lance_assembler *a, const rwl_lance_leaf *leaf, const uint8_t *validity,
                             rwl_column *out, rwl_error *err) {
    const rwl_lance_node *node = leaf->node;
    size_t stride = (size_t)leaf->width_bits / 8;
    int64_t count = leaf->slots;
    if (out->type.child_count != node->child_count)
        return rwl_fail(err, RWL_INTERNAL, "a packed struct of %d fields into one of %d", node->child_count,
                        out->type.child_count);
    RWL_TRY(rwl_lance_append_validity(a->env, out, validity, count, err));
    out->length = count;
    for (int32_t i = 0; i < node->child_count; i++) {
        const rwl_lance_node *child = &node->children[i];
        int64_t bits = rwl_lance_node_width(child);
        size_t width = (size_t)bits / 8;
        if ((bits & 7) != 0 || (child->offset & 7) != 0 || (size_t)child->offset / 8 + width > stride)
            return rwl_fail(err, RWL_UNSUPPORTED, "packed struct with a field of %lld bits from %d of %zu on",
                            (long long)bits, child->offset, 8 * stride);
        rwl_buf_reset(&a->bytes);
        RWL_TRY(rwl_buf_reserve(&a->bytes, (size_t)count * width, err));
        rwl_lance_gather_fields(leaf->values.values.data + child->offset / 8, stride, width, count,
                                a->bytes.data);
        source from = {.data = a->bytes.data, .validity = {validity}};
        RWL_TRY(put_all(a, child, &from, count, &out->children[i], err));
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
    size_t items = 1, len = (size_t)rwl_lance_node_width(node) / 8;
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
    size_t stride = packed_vector_len(node), width = (size_t)rwl_lance_node_width(node) / 8, at = width;
    if (values->bytes_len != (size_t)count * stride)
        return rwl_fail(err, RWL_INTERNAL, "%zu bytes of %lld vectors in a packed struct", values->bytes_len,
                        (long long)count);
    rwl_buf_reset(&a->bytes);
    RWL_TRY(rwl_buf_reserve(&a->bytes, (size_t)count * (stride + RWL_LANCE_VECTOR_DEPTH_MAX), err));
    rwl_lance_gather_fields(values->values.data, stride, width, count, a->bytes.data);
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
    return put_all(a, node, &from, count, out, err);
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
    if (values->bytes_len != (size_t)count * (size_t)(rwl_lance_node_width(node) / 8))
        return rwl_fail(err, RWL_INTERNAL, "%zu bytes of %lld values in a packed struct", values->bytes_len,
                        (long long)count);
    source from = {.data = values->values.data, .validity = {validity}};
    return put_all(a, node, &from, count, out, err);
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
    if (node->form == RWL_LANCE_NULL || (node->form == RWL_LANCE_PACKED && nulls == leaf->slots))
        return rwl_lance_append_nulls(a->env, out, leaf->slots, err);
    if (node->form == RWL_LANCE_PACKED && leaf->width_bits == 0)
        return put_packed_rows(a, node, &leaf->values, validity, out, err);
    if (node->form == RWL_LANCE_PACKED)
        return put_packed(a, leaf, validity, out, err);
    source from = {.data = leaf->values.values.data, .validity = {validity}};
    for (int i = 0; i < RWL_LANCE_VECTOR_DEPTH_MAX; i++)
        from.validity[1 + i] = rwl_lance_leaf_item_validity(leaf, i);
    return put_all(a, node, &from, leaf->slots, out, err);
}
