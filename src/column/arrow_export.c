/* SPDX-License-Identifier: Apache-2.0 */
/* Batches to ArrowArray: all that can fail is made first, then the buffers move. */
#include "column/arrow_internal.h"
#include "column/variant.h"

/* Stands for buffers that hold nothing: readers may look at the first offset of an empty array. */
static const _Alignas(64) uint8_t NOTHING[64];

/* What an array owns; each one of the tree can be moved out and released by itself. */
typedef struct exported_node {
    const rwl_env *env;
    rwl_column column; /* flat: its buffers */
    const void *buffers[3];
    struct ArrowArray **children; /* pointers, then the structs */
    rwl_arrow_depot *depot;       /* of a batch's top: where the buffers of its children return to; or NULL */
} exported_node;

static void release_array(struct ArrowArray *array);

/* Flat columns whose arrays are still here. */
static void return_buffers(const struct ArrowArray *array, rwl_arrow_depot *depot) {
    for (int64_t i = 0; i < array->n_children; i++) {
        const struct ArrowArray *child = array->children[i];
        if (child->release == release_array && child->n_children == 0)
            rwl_arrow_depot_give(depot, (int32_t)i, &((exported_node *)child->private_data)->column);
    }
}

static void release_array(struct ArrowArray *array) {
    exported_node *node = array->private_data;
    if (node->depot != NULL)
        return_buffers(array, node->depot);
    for (int64_t i = 0; i < array->n_children; i++) {
        struct ArrowArray *child = array->children[i];
        if (child->release != NULL)
            child->release(child);
    }
    const rwl_env *env = node->env;
    rwl_arrow_depot_unref(node->depot);
    rwl_column_clear(&node->column, env);
    rwl_free(env, node->children);
    rwl_free(env, node);
    array->release = NULL;
}

static const void *or_nothing(const uint8_t *data) {
    return data != NULL ? data : NOTHING;
}

static void set_binary(struct ArrowArray *out) {
    exported_node *node = out->private_data;
    node->buffers[1] = or_nothing(node->column.offsets.data);
    node->buffers[2] = or_nothing(node->column.values.data);
    out->n_buffers = 3;
}

/* --- the tree, without buffers --- */

/* An array with `count` children to be made; to be released also after a failure. */
static rwl_status make_array(const rwl_env *env, rwl_type_kind kind, size_t count, struct ArrowArray *out,
                             rwl_error *err) {
    memset(out, 0, sizeof *out);
    exported_node *node = rwl_calloc(env, 1, sizeof *node);
    if (node == NULL)
        return rwl_no_memory(err, sizeof *node);
    rwl_type flat = rwl_type_of(kind);
    node->env = env;
    rwl_column_init_flat(&node->column, &flat);
    out->private_data = node;
    out->release = release_array;
    out->buffers = node->buffers;
    if (count == 0)
        return RWL_OK;
    size_t size = count * (sizeof(struct ArrowArray *) + sizeof(struct ArrowArray));
    node->children = rwl_calloc(env, 1, size);
    if (node->children == NULL)
        return rwl_no_memory(err, size);
    struct ArrowArray *structs = (struct ArrowArray *)(void *)(node->children + count);
    for (size_t i = 0; i < count; i++)
        node->children[i] = &structs[i];
    out->children = node->children;
    out->n_children = (int64_t)count; /* those not made yet have no release */
    return RWL_OK;
}

static rwl_status make_tree(const rwl_column *c, const rwl_env *env, struct ArrowArray *out, rwl_error *err);

static rwl_status check_child(const rwl_column *c, const rwl_column *child, rwl_error *err) {
    int64_t want = c->type.kind == RWL_TYPE_STRUCT ? c->length
                   : c->length > 0                 ? rwl_column_offsets(c)[c->length]
                                                   : 0;
    if (child->length != want)
        return rwl_fail(err, RWL_INTERNAL, "a child of %lld rows where its parent has %lld",
                        (long long)child->length, (long long)want);
    return RWL_OK;
}

static rwl_status make_children(const rwl_column *c, const rwl_env *env, struct ArrowArray *out,
                                rwl_error *err) {
    for (int32_t i = 0; i < c->type.child_count; i++) {
        RWL_TRY(check_child(c, &c->children[i], err));
        RWL_TRY(make_tree(&c->children[i], env, out->children[i], err));
    }
    return RWL_OK;
}

/* Sets the flat columns of metadata and value, the bytes of the variants cut in two. */
static rwl_status cut_variants(const rwl_column *c, const rwl_env *env, rwl_column *metadata,
                               rwl_column *value, rwl_error *err) {
    RWL_TRY(rwl_column_reserve(metadata, env, c->length, c->bytes_len, err));
    RWL_TRY(rwl_column_reserve(value, env, c->length, c->bytes_len, err));
    for (int64_t i = 0; i < c->length; i++) {
        rwl_value parts[2] = {{.kind = RWL_TYPE_BINARY}, {.kind = RWL_TYPE_BINARY}};
        if (!rwl_column_is_null(c, i))
            RWL_TRY(rwl_variant_split(rwl_column_bytes(c, i), &parts[0].as.bytes, &parts[1].as.bytes, err));
        RWL_TRY(rwl_column_append(metadata, env, &parts[0], 1, err));
        RWL_TRY(rwl_column_append(value, env, &parts[1], 1, err));
    }
    return RWL_OK;
}

static rwl_status make_variant(const rwl_column *c, const rwl_env *env, struct ArrowArray *out,
                               rwl_error *err) {
    RWL_TRY(make_array(env, RWL_TYPE_STRUCT, 2, out, err));
    rwl_column *parts[2];
    for (int i = 0; i < 2; i++) {
        RWL_TRY(make_array(env, RWL_TYPE_BINARY, 0, out->children[i], err));
        parts[i] = &((exported_node *)out->children[i]->private_data)->column;
    }
    RWL_TRY(cut_variants(c, env, parts[0], parts[1], err));
    for (int i = 0; i < 2; i++) {
        set_binary(out->children[i]);
        out->children[i]->length = c->length;
    }
    return RWL_OK;
}

static rwl_status make_tree(const rwl_column *c, const rwl_env *env, struct ArrowArray *out, rwl_error *err) {
    if (c->type.kind == RWL_TYPE_VARIANT)
        return make_variant(c, env, out, err);
    size_t count = c->children != NULL ? (size_t)c->type.child_count : 0;
    if (c->type.kind != RWL_TYPE_MAP) {
        RWL_TRY(make_array(env, c->type.kind, count, out, err));
        return make_children(c, env, out, err);
    }
    RWL_TRY(make_array(env, RWL_TYPE_MAP, 1, out, err)); /* entries between map and children */
    RWL_TRY(make_array(env, RWL_TYPE_STRUCT, count, out->children[0], err));
    return make_children(c, env, out->children[0], err);
}

/* --- buffers --- */

static void move_buffer(rwl_buffer *from, rwl_buffer *to) {
    *to = *from;
    *from = (rwl_buffer){NULL, 0};
}

/* The column's own buffers into the node, which says where they are; the column is left empty. */
static void move_own(rwl_column *c, const rwl_env *env, struct ArrowArray *out) {
    exported_node *node = out->private_data;
    out->length = c->length;
    out->null_count = c->null_count;
    move_buffer(&c->validity, &node->column.validity);
    node->buffers[0] = c->null_count > 0 ? node->column.validity.data : NULL;
    if (c->type.kind == RWL_TYPE_VARIANT) { /* its bytes were copied */
        rwl_column_clear(c, env);
        out->n_buffers = 1;
        return;
    }
    move_buffer(&c->offsets, &node->column.offsets);
    move_buffer(&c->values, &node->column.values);
    c->length = c->null_count = 0;
    c->bytes_len = 0;
    switch (c->type.kind) {
    case RWL_TYPE_UNKNOWN:
        return;
    case RWL_TYPE_STRUCT:
        out->n_buffers = 1;
        return;
    case RWL_TYPE_LIST:
    case RWL_TYPE_MAP:
        node->buffers[1] = or_nothing(node->column.offsets.data);
        out->n_buffers = 2;
        return;
    default:
        break;
    }
    if (rwl_type_is_bytes(&c->type)) {
        set_binary(out);
    } else {
        node->buffers[1] = or_nothing(node->column.values.data);
        out->n_buffers = 2;
    }
}

static void move_tree(rwl_column *c, const rwl_env *env, struct ArrowArray *out) {
    struct ArrowArray *parent = out;
    if (c->type.kind == RWL_TYPE_MAP) {
        parent = out->children[0];
        parent->length = c->length > 0 ? rwl_column_offsets(c)[c->length] : 0;
        parent->n_buffers = 1;
    }
    for (int32_t i = 0; c->children != NULL && i < c->type.child_count; i++)
        move_tree(&c->children[i], env, parent->children[i]);
    move_own(c, env, out);
}

static rwl_status make_batch(const rwl_batch *batch, struct ArrowArray *out, rwl_error *err) {
    RWL_TRY(make_array(batch->env, RWL_TYPE_STRUCT, (size_t)batch->column_count, out, err));
    for (int32_t i = 0; i < batch->column_count; i++) {
        const rwl_column *c = &batch->columns[i];
        if (c->length != batch->length)
            return rwl_fail(err, RWL_INTERNAL, "column %d of kind %d with %lld rows in a batch of %lld", i,
                            (int)c->type.kind, (long long)c->length, (long long)batch->length);
        rwl_status st = make_tree(c, batch->env, out->children[i], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "column %d", i);
    }
    return RWL_OK;
}

rwl_status rwl_arrow_export_batch(rwl_batch *batch, struct ArrowArray *out, rwl_error *err) {
    rwl_status st = make_batch(batch, out, err);
    if (st != RWL_OK) {
        if (out->release != NULL)
            out->release(out);
        return st;
    }
    for (int32_t i = 0; i < batch->column_count; i++)
        move_tree(&batch->columns[i], batch->env, out->children[i]);
    out->length = batch->length;
    out->n_buffers = 1;
    batch->length = 0;
    return RWL_OK;
}

rwl_status rwl_arrow_lend_batch(rwl_batch *batch, rwl_arrow_depot *depot, struct ArrowArray *out,
                                rwl_error *err) {
    RWL_TRY(rwl_arrow_export_batch(batch, out, err));
    ((exported_node *)out->private_data)->depot = rwl_arrow_depot_ref(depot);
    return RWL_OK;
}

bool rwl_arrow_is_null(const struct ArrowArray *child, int64_t row) {
    if (child->n_buffers < 1)
        return child->null_count != 0; /* an array of nulls has no buffers */
    const uint8_t *validity = child->buffers[0];
    return validity != NULL && !rwl_bit_get(validity, row + child->offset);
}

rwl_value rwl_arrow_cell(const rwl_type *type, const struct ArrowArray *child, int64_t row) {
    if (child->n_buffers < 2 || rwl_arrow_is_null(child, row))
        return rwl_value_null(type->kind);
    row += child->offset;
    /* a column that looks at the array's buffers, never written or cleared; cap 0 says not ours */
    union {
        const void *in;
        uint8_t *out;
    } values = {child->buffers[child->n_buffers - 1]}, offsets = {child->buffers[1]};
    rwl_column view;
    rwl_column_init_flat(&view, type);
    view.values.data = values.out;
    view.offsets.data = offsets.out;
    return rwl_column_value(&view, row);
}
