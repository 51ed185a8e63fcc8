/* SPDX-License-Identifier: Apache-2.0 */
/* Structs, lists and maps from the levels of their leaves. */
#include "lancefile/assemble_internal.h"

#include "base/vec.h"
#include "column/bits.h"
#include "lancefile/field_internal.h"

void rwl_lance_assembler_init(rwl_lance_assembler *a, const rwl_env *env) {
    a->env = env;
    rwl_buf_init(&a->validity, env, SIZE_MAX);
    rwl_buf_init(&a->bytes, env, SIZE_MAX);
    rwl_buf_init(&a->bits, env, SIZE_MAX);
    rwl_buf_init(&a->moved, env, SIZE_MAX);
}

void rwl_lance_assembler_clear(rwl_lance_assembler *a) {
    rwl_buf_clear(&a->validity);
    rwl_buf_clear(&a->bytes);
    rwl_buf_clear(&a->bits);
    rwl_buf_clear(&a->moved);
}

/* --- where a node stands --- */

static rwl_lance_place inside_struct(rwl_lance_place p) {
    p.outer++;
    p.depth++;
    return p;
}

static rwl_lance_place inside_list(rwl_lance_place p) {
    p.outer += 2;
    p.list_outer = p.outer;
    p.lists++;
    p.depth++;
    return p;
}

/* In lists of `dimension` structs each, which are an item of their own. */
static rwl_lance_place inside_structs(rwl_lance_place p, int32_t dimension) {
    p = inside_struct(p);
    p.per_row *= dimension; /* the leaf's product, which is below 2^31, or less */
    return p;
}

/* --- nodes --- */

typedef struct job {
    rwl_lance_assembler *a;
    rwl_lance_leaf *const *leaves;
} job;

/* Instances of a node: where it stands, and how many there are. */
typedef struct instances {
    const rwl_lance_node *node;
    rwl_lance_place at;
    int64_t count;
} instances;

static rwl_status put_node(const job *j, const instances *in, rwl_column *out, rwl_error *err);

static bool is_leaf(const rwl_lance_node *node) {
    if (node->form == RWL_LANCE_STRUCT && node->child_count == 0)
        return true;
    return node->form != RWL_LANCE_STRUCT && node->form != RWL_LANCE_LIST && node->form != RWL_LANCE_MAP;
}

/* The first leaf at or below a node that a file has; NULL: none. */
static rwl_lance_leaf *first_leaf(const job *j, const rwl_lance_node *node, int depth) {
    if (is_leaf(node))
        return j->leaves[node->index];
    rwl_lance_leaf *found = NULL;
    for (int32_t i = 0; depth < RWL_TYPE_DEPTH_MAX && found == NULL && i < node->child_count; i++)
        found = first_leaf(j, &node->children[i], depth + 1);
    return found;
}

/* The children of structs, or of a map's entries; `first` is the leaf that told how many there are. */
static rwl_status put_children(const job *j, const instances *in, const rwl_lance_leaf *first,
                               rwl_column *out, rwl_error *err) {
    if (out->type.child_count != in->node->child_count)
        return rwl_fail(err, RWL_INTERNAL, "a struct of %d fields into one of %d", in->node->child_count,
                        out->type.child_count);
    rwl_lance_level_view mine, other;
    RWL_TRY(rwl_lance_levels_look(first, in->at, &mine, err));
    for (int32_t i = 0; i < in->node->child_count; i++) {
        const rwl_lance_node *child = &in->node->children[i];
        const rwl_lance_leaf *leaf = first_leaf(j, child, in->at.depth + 1);
        rwl_status st = RWL_OK;
        if (leaf != NULL && leaf != first) {
            st = rwl_lance_levels_look(leaf, in->at, &other, err);
            if (st == RWL_OK)
                st = rwl_lance_levels_check_alike(&mine, &other, err);
        }
        if (st == RWL_OK)
            st = put_node(j, &(instances){child, inside_struct(in->at), in->count}, &out->children[i], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "%s", child->field.name);
    }
    return RWL_OK;
}

static rwl_status put_struct(const job *j, const instances *in, const rwl_lance_leaf *leaf, rwl_column *out,
                             rwl_error *err) {
    rwl_lance_level_view v;
    const uint8_t *validity;
    int64_t nulls;
    RWL_TRY(rwl_lance_levels_look(leaf, in->at, &v, err));
    RWL_TRY(rwl_lance_levels_check(&v, in->count, err));
    RWL_TRY(rwl_lance_levels_validity(&j->a->validity, &v, in->count, v.inner, &validity, &nulls, err));
    RWL_TRY(rwl_column_reserve(out, j->a->env, in->count, 0, err));
    RWL_TRY(rwl_lance_append_validity(j->a->env, out, validity, in->count, err));
    out->length = in->count;
    return put_children(j, in, leaf, out, err);
}

static rwl_status put_elements(const job *j, const instances *lists, int64_t count,
                               const rwl_lance_leaf *leaf, rwl_column *out, rwl_error *err) {
    const rwl_lance_node *child = &lists->node->children[0];
    const instances items = {child, inside_list(lists->at), count};
    if (lists->node->form == RWL_LANCE_LIST)
        return put_node(j, &items, &out->children[0], err);
    if (child->form != RWL_LANCE_STRUCT || child->child_count != 2)
        return rwl_fail(err, RWL_INTERNAL, "a map without entries of key and value");
    RWL_TRY(put_children(j, &items, leaf, out, err));
    if (out->children[0].null_count > 0)
        return rwl_fail(err, RWL_CORRUPT, "a map with a null key");
    return RWL_OK;
}

static rwl_status put_list(const job *j, const instances *in, const rwl_lance_leaf *leaf, rwl_column *out,
                           rwl_error *err) {
    rwl_lance_level_view v;
    RWL_TRY(rwl_lance_levels_look(leaf, in->at, &v, err));
    int32_t inner = v.inner - 1; /* a list has two levels of its own */
    if (inner < 0 || v.start < 1 || in->node->child_count != 1)
        return rwl_fail(err, RWL_INTERNAL, "a list whose leaf has no list");
    if (v.entries >= INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "%lld values in one batch", (long long)v.entries);
    RWL_TRY(rwl_lance_levels_check(&v, in->count, err));
    RWL_TRY(rwl_column_reserve(out, j->a->env, in->count, 0, err));
    rwl_buf *bits = &j->a->validity;
    rwl_buf_reset(bits);
    RWL_TRY(rwl_buf_reserve(bits, rwl_bits_bytes(in->count) + 8, err));
    int32_t *offsets = (int32_t *)(void *)out->offsets.data;
    if (!rwl_lance_levels_walk_list(&v, inner, offsets, bits->data))
        return rwl_fail(err, RWL_CORRUPT, "a value that continues a list which is null, empty or not begun");
    int64_t nulls = in->count - rwl_bits_count(bits->data, 0, in->count);
    RWL_TRY(rwl_lance_append_validity(j->a->env, out, nulls > 0 ? bits->data : NULL, in->count, err));
    out->length = in->count;
    return put_elements(j, in, offsets[in->count], leaf, out, err);
}

/* --- lists of so many structs each --- */

/* The structs of lists that are not null. */
static rwl_status take_valid(const job *j, const rwl_column *structs, int32_t dimension, int64_t count,
                             rwl_column *out, rwl_error *err) {
    RWL_VEC(rwl_range) ranges = {0};
    rwl_status st = RWL_OK;
    for (int64_t i = 0, to; i < count && st == RWL_OK; i = to + 1) { /* runs of valid ones */
        for (to = i; to < count && rwl_bit_get(out->validity.data, to);)
            to++;
        rwl_range range = {i * dimension, (to - i) * dimension};
        if (to > i)
            st = rwl_vec_push(&ranges, j->a->env, range, err);
    }
    if (st == RWL_OK)
        st = rwl_column_take_ranges(structs, ranges.items, ranges.len, &out->children[0], j->a->env, err);
    rwl_vec_clear(&ranges, j->a->env);
    return st;
}

static rwl_status put_structs(const job *j, const instances *in, rwl_column *out, rwl_error *err) {
    const rwl_lance_node *child = &in->node->children[0];
    const instances structs = {child, inside_structs(in->at, in->node->dimension),
                               in->count * in->node->dimension};
    rwl_column *elements = &out->children[0], all;
    if (out->null_count == 0)
        return put_node(j, &structs, elements, err);
    rwl_status st = rwl_column_init(&all, j->a->env, &elements->type, err);
    if (st == RWL_OK)
        st = put_node(j, &structs, &all, err);
    if (st == RWL_OK)
        st = take_valid(j, &all, in->node->dimension, in->count, out, err);
    rwl_column_clear(&all, j->a->env);
    return st;
}

static rwl_status put_fixed_list(const job *j, const instances *in, const rwl_lance_leaf *leaf,
                                 rwl_column *out, rwl_error *err) {
    rwl_lance_level_view v;
    const uint8_t *validity;
    int64_t nulls;
    RWL_TRY(rwl_lance_levels_look(leaf, in->at, &v, err));
    if (v.stride % in->node->dimension != 0 || v.rep != NULL || in->node->child_count != 1)
        return rwl_fail(err, RWL_INTERNAL, "a fixed-size list of %d structs whose leaf has %lld",
                        in->node->dimension, (long long)v.stride);
    if (leaf->entries >= INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "%lld values in one batch", (long long)leaf->entries);
    RWL_TRY(rwl_lance_levels_check(&v, in->count, err));
    RWL_TRY(rwl_lance_levels_check_groups(&v, err));
    RWL_TRY(rwl_lance_levels_validity(&j->a->validity, &v, in->count, v.inner, &validity, &nulls, err));
    RWL_TRY(rwl_column_reserve(out, j->a->env, in->count, 0, err));
    int32_t *offsets = (int32_t *)(void *)out->offsets.data;
    offsets[0] = 0;
    for (int64_t i = 0; i < in->count; i++)
        offsets[i + 1] =
            offsets[i] + (validity == NULL || rwl_bit_get(validity, i) ? in->node->dimension : 0);
    RWL_TRY(rwl_lance_append_validity(j->a->env, out, validity, in->count, err));
    out->length = in->count;
    return put_structs(j, in, out, err);
}

static rwl_status put_leaf(const job *j, const instances *in, rwl_lance_leaf *leaf, rwl_column *out,
                           rwl_error *err) {
    rwl_lance_level_view v;
    const uint8_t *validity;
    int64_t nulls;
    RWL_TRY(rwl_lance_levels_look(leaf, in->at, &v, err));
    RWL_TRY(rwl_lance_levels_check(&v, in->count, err));
    if (leaf->slots != in->count)
        return rwl_fail(err, RWL_CORRUPT, "%lld values where levels tell of %lld", (long long)leaf->slots,
                        (long long)in->count);
    RWL_TRY(rwl_lance_levels_validity(&j->a->validity, &v, in->count, 0, &validity, &nulls, err));
    return rwl_lance_assemble_slots(j->a, leaf, validity, nulls, out, err);
}

static rwl_status put_node(const job *j, const instances *in, rwl_column *out, rwl_error *err) {
    if (in->at.depth > RWL_TYPE_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "a field nested deeper than %d levels", RWL_TYPE_DEPTH_MAX);
    rwl_lance_leaf *leaf = first_leaf(j, in->node, in->at.depth);
    if (leaf == NULL)
        return rwl_lance_append_nulls(j->a->env, out, in->count, err);
    switch (in->node->form) {
    case RWL_LANCE_STRUCT:
        return put_struct(j, in, leaf, out, err);
    case RWL_LANCE_LIST:
    case RWL_LANCE_MAP:
        if (in->node->dimension > 0)
            return put_fixed_list(j, in, leaf, out, err);
        return put_list(j, in, leaf, out, err);
    default:
        return put_leaf(j, in, leaf, out, err);
    }
}

rwl_status rwl_lance_assemble(rwl_lance_assembler *a, const rwl_lance_node *node,
                              rwl_lance_leaf *const *leaves, int64_t rows, rwl_column *out, rwl_error *err) {
    job j = {a, leaves};
    const instances top = {node, {.per_row = 1}, rows};
    return put_node(&j, &top, out, err);
}
