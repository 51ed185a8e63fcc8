/* SPDX-License-Identifier: Apache-2.0 */
/* Columns made from a file's as their recipes say. */
#include "column/bits.h"
#include "iceberg/projection.h"

bool rwl_recipe_fits(const rwl_recipe *recipe, const rwl_type *type) {
    if (recipe->kind != RWL_RECIPE_REBUILT)
        return true;
    for (int32_t i = 0; i < recipe->child_count; i++) {
        int32_t source = recipe->children[i].source;
        if (source >= type->child_count ||
            (source >= 0 && !rwl_recipe_fits(&recipe->children[i], &type->children[source].type)))
            return false;
    }
    return true;
}

/* --- exchanging --- */

/* Gives a column the names of another type of the same layout. */
static void rename_column(rwl_column *c, const rwl_type *type) {
    c->type = *type;
    for (int32_t i = 0; i < type->child_count; i++)
        rename_column(&c->children[i], &type->children[i].type);
}

void rwl_column_exchange(rwl_column *a, rwl_column *b) {
    rwl_type of_a = a->type, of_b = b->type;
    rwl_column_swap(a, b);
    rename_column(a, &of_a);
    rename_column(b, &of_b);
}

static void swap_buffers(rwl_buffer *a, rwl_buffer *b) {
    rwl_buffer t = *a;
    *a = *b;
    *b = t;
}

/* --- constants --- */

/* Structs of their children's constants, lists and maps without elements. */
static rwl_status fill_nested(const rwl_recipe *recipe, int64_t rows, rwl_column *out, const rwl_env *env,
                              rwl_error *err) {
    for (int32_t i = 0; i < recipe->child_count; i++)
        RWL_TRY(rwl_recipe_fill(&recipe->children[i], rows, &out->children[i], env, err));
    RWL_TRY(rwl_column_reserve(out, env, out->length + rows, 0, err));
    int32_t *offsets = out->type.kind == RWL_TYPE_STRUCT ? NULL : (int32_t *)(void *)out->offsets.data;
    for (int64_t i = out->length; offsets != NULL && i < out->length + rows; i++)
        offsets[i + 1] = offsets[i];
    if (out->null_count > 0)
        rwl_bits_fill(out->validity.data, out->length, rows, true);
    out->length += rows;
    return RWL_OK;
}

rwl_status rwl_recipe_fill(const rwl_recipe *recipe, int64_t rows, rwl_column *out, const rwl_env *env,
                           rwl_error *err) {
    if (!recipe->constant.is_null && rwl_type_is_nested(&out->type))
        return fill_nested(recipe, rows, out, env, err);
    return rwl_column_append(out, env, &recipe->constant, rows, err);
}

/* The number of rows from `at` on that are as null as that one. */
static int64_t run_length(const rwl_column *c, int64_t at) {
    bool is_null = rwl_column_is_null(c, at);
    int64_t end = at + 1;
    while (end < c->length && rwl_column_is_null(c, end) == is_null)
        end++;
    return end - at;
}

/* The constant in the rows where the struct around it is there, null in the others. */
static rwl_status fill_inside(const rwl_recipe *recipe, const rwl_column *parent, rwl_column *out,
                              const rwl_env *env, rwl_error *err) {
    if (parent->null_count == 0 || recipe->constant.is_null)
        return rwl_recipe_fill(recipe, parent->length, out, env, err);
    rwl_value null = rwl_value_null(out->type.kind);
    for (int64_t at = 0, run; at < parent->length; at += run) {
        run = run_length(parent, at);
        if (rwl_column_is_null(parent, at))
            RWL_TRY(rwl_column_append(out, env, &null, run, err));
        else
            RWL_TRY(rwl_recipe_fill(recipe, run, out, env, err));
    }
    return RWL_OK;
}

/* --- rebuilding --- */

/* Elements of a list that are of unknown type: as many nulls as there are elements. */
static int64_t element_count(const rwl_column *in) {
    return in->length > 0 ? rwl_column_offsets(in)[in->length] : 0;
}

static rwl_status rebuild(const rwl_recipe *recipe, rwl_column *in, rwl_column *out, const rwl_env *env,
                          rwl_error *err) {
    bool is_struct = out->type.kind == RWL_TYPE_STRUCT;
    for (int32_t i = 0; i < recipe->child_count; i++) {
        const rwl_recipe *r = &recipe->children[i];
        if (r->source >= 0)
            RWL_TRY(rwl_recipe_apply(r, &in->children[r->source], &out->children[i], env, err));
        else if (is_struct)
            RWL_TRY(fill_inside(r, in, &out->children[i], env, err));
        else
            RWL_TRY(rwl_recipe_fill(r, element_count(in), &out->children[i], env, err));
    }
    swap_buffers(&in->validity, &out->validity);
    if (!is_struct)
        swap_buffers(&in->offsets, &out->offsets);
    out->length = in->length;
    out->null_count = in->null_count;
    /* a column without rows has no more of them than its buffers say */
    return rwl_column_reserve(out, env, out->length, 0, err);
}

rwl_status rwl_recipe_apply(const rwl_recipe *recipe, rwl_column *in, rwl_column *out, const rwl_env *env,
                            rwl_error *err) {
    switch (recipe->kind) {
    case RWL_RECIPE_SAME:
        rwl_column_exchange(in, out);
        return RWL_OK;
    case RWL_RECIPE_PROMOTED:
        return rwl_column_promote(in, out, env, err);
    case RWL_RECIPE_REBUILT:
        return rebuild(recipe, in, out, env, err);
    default:
        return rwl_recipe_fill(recipe, in->length, out, env, err);
    }
}
