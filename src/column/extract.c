/* SPDX-License-Identifier: Apache-2.0 */
/* Fields inside of struct columns, and which of their rows are valid. */
#include "column/extract.h"

#include "column/bits.h"

/* Looks at `field`, which is at out->depth, and below it. */
static const rwl_field *find_below(const rwl_field *field, int32_t id, rwl_field_path *out) {
    if (field->id == id)
        return field;
    if (field->type.kind != RWL_TYPE_STRUCT || out->depth == RWL_TYPE_DEPTH_MAX)
        return NULL;
    int32_t depth = out->depth++;
    for (int32_t i = 0; i < field->type.child_count; i++) {
        out->path[depth] = i;
        const rwl_field *found = find_below(&field->type.children[i], id, out);
        if (found != NULL)
            return found;
    }
    out->depth = depth;
    return NULL;
}

const rwl_field *rwl_field_path_find(const rwl_field *fields, int32_t count, int32_t id,
                                     rwl_field_path *out) {
    out->depth = 0;
    for (out->column = 0; out->column < count; out->column++) {
        const rwl_field *found = find_below(&fields[out->column], id, out);
        if (found != NULL)
            return found;
    }
    return NULL;
}

/* Leaves only those rows valid that `c` has valid, too. */
static void and_validity(const rwl_column *c, uint8_t *valid) {
    for (size_t i = 0; i < rwl_bits_bytes(c->length); i++)
        valid[i] &= c->validity.data[i];
}

static rwl_status make_validity(const rwl_column *in, const int32_t *path, int32_t depth, rwl_column *scratch,
                                const rwl_env *env, rwl_error *err) {
    rwl_column_reset(scratch);
    RWL_TRY(rwl_column_need_validity(scratch, env, in->length, err));
    rwl_bits_fill(scratch->validity.data, 0, in->length, true);
    const rwl_column *c = in;
    for (int32_t i = 0; i <= depth; i++) {
        if (c->null_count > 0)
            and_validity(c, scratch->validity.data);
        if (i < depth)
            c = &c->children[path[i]];
    }
    return RWL_OK;
}

rwl_status rwl_column_view_field(const rwl_column *in, const int32_t *path, int32_t depth,
                                 rwl_column *scratch, rwl_column *view, const rwl_env *env, rwl_error *err) {
    const rwl_column *c = in;
    int64_t nulls_above = 0;
    for (int32_t i = 0; i < depth; i++) {
        if (c->type.kind != RWL_TYPE_STRUCT || path[i] >= c->type.child_count)
            return rwl_fail(err, RWL_INTERNAL, "no field %d in a column of kind %d", (int)path[i],
                            (int)c->type.kind);
        nulls_above += c->null_count;
        c = &c->children[path[i]];
    }
    *view = *c;
    if (nulls_above == 0)
        return RWL_OK;
    RWL_TRY(make_validity(in, path, depth, scratch, env, err));
    view->validity = scratch->validity;
    view->null_count = c->length - rwl_bits_count(scratch->validity.data, 0, c->length);
    return RWL_OK;
}
