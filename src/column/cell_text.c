/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of columns, and of arrays that went out, as JSON values. */
#include "column/arrow_internal.h"
#include "column/variant.h"

/* A column, or an array of `type` in its place. */
typedef struct cells {
    const rwl_type *type;
    const rwl_column *column; /* NULL: the array's */
    const struct ArrowArray *array;
} cells;

static bool is_null(const cells *c, int64_t i) {
    return c->column != NULL ? rwl_column_is_null(c->column, i) : rwl_arrow_is_null(c->array, i);
}

static cells child_of(const cells *c, int32_t k) {
    cells child = {&c->type->children[k].type, NULL, NULL};
    if (c->column != NULL)
        child.column = &c->column->children[k];
    else if (c->type->kind == RWL_TYPE_MAP)
        child.array = c->array->children[0]->children[k]; /* of the entries */
    else
        child.array = c->array->children[k];
    return child;
}

/* Rows of the children that belong to row i. */
static void elements_of(const cells *c, int64_t i, int64_t *start, int64_t *end) {
    int64_t shift = 0;
    const int32_t *offsets;
    if (c->column != NULL) {
        offsets = rwl_column_offsets(c->column) + i;
    } else {
        offsets = (const int32_t *)c->array->buffers[1] + i + c->array->offset;
        if (c->type->kind == RWL_TYPE_MAP)
            shift = c->array->children[0]->offset;
    }
    *start = offsets[0] + shift;
    *end = offsets[1] + shift;
}

static rwl_status format_cell(const cells *c, int64_t i, rwl_buf *out, rwl_error *err);

static rwl_status format_struct(const cells *c, int64_t i, rwl_buf *out, rwl_error *err) {
    int64_t shift = c->column == NULL ? c->array->offset : 0;
    RWL_TRY(rwl_buf_u8(out, '{', err));
    for (int32_t k = 0; k < c->type->child_count; k++) {
        const char *name = c->type->children[k].name;
        cells child = child_of(c, k);
        if (k > 0)
            RWL_TRY(rwl_buf_str(out, ", ", err));
        RWL_TRY(rwl_json_quote(rwl_span_str(name == NULL ? "" : name), out, err));
        RWL_TRY(rwl_buf_str(out, ": ", err));
        RWL_TRY(format_cell(&child, i + shift, out, err));
    }
    return rwl_buf_u8(out, '}', err);
}

/* A list's elements, a map's pairs of key and value. */
static rwl_status format_elements(const cells *c, int64_t i, rwl_buf *out, rwl_error *err) {
    int64_t start, end;
    elements_of(c, i, &start, &end);
    bool map = c->type->kind == RWL_TYPE_MAP;
    cells first = child_of(c, 0);
    RWL_TRY(rwl_buf_u8(out, '[', err));
    for (int64_t at = start; at < end; at++) {
        if (at > start)
            RWL_TRY(rwl_buf_str(out, ", ", err));
        if (map)
            RWL_TRY(rwl_buf_u8(out, '[', err));
        RWL_TRY(format_cell(&first, at, out, err));
        if (!map)
            continue;
        cells second = child_of(c, 1);
        RWL_TRY(rwl_buf_str(out, ", ", err));
        RWL_TRY(format_cell(&second, at, out, err));
        RWL_TRY(rwl_buf_u8(out, ']', err));
    }
    return rwl_buf_u8(out, ']', err);
}

static rwl_span binary_at(const struct ArrowArray *a, int64_t i) {
    const int32_t *offsets = (const int32_t *)a->buffers[1] + i + a->offset;
    return rwl_span_of((const uint8_t *)a->buffers[2] + offsets[0], (size_t)(offsets[1] - offsets[0]));
}

/* A variant that went out as a struct of metadata and value. */
static rwl_status format_variant(const struct ArrowArray *a, int64_t i, rwl_buf *out, rwl_error *err) {
    i += a->offset;
    return rwl_variant_json(binary_at(a->children[0], i), binary_at(a->children[1], i), out, err);
}

static rwl_status format_cell(const cells *c, int64_t i, rwl_buf *out, rwl_error *err) {
    if (is_null(c, i))
        return rwl_buf_str(out, "null", err);
    if (c->type->kind == RWL_TYPE_STRUCT)
        return format_struct(c, i, out, err);
    if (rwl_type_is_nested(c->type))
        return format_elements(c, i, out, err);
    if (c->type->kind == RWL_TYPE_VARIANT && c->column == NULL)
        return format_variant(c->array, i, out, err);
    rwl_value v = c->column != NULL ? rwl_column_value(c->column, i) : rwl_arrow_cell(c->type, c->array, i);
    return rwl_value_format_json(c->type, &v, out, err);
}

rwl_status rwl_column_format_json(const rwl_column *c, int64_t i, rwl_buf *out, rwl_error *err) {
    cells all = {&c->type, c, NULL};
    return format_cell(&all, i, out, err);
}

rwl_status rwl_arrow_format_json(const rwl_type *type, const struct ArrowArray *child, int64_t row,
                                 rwl_buf *out, rwl_error *err) {
    cells all = {type, NULL, child};
    return format_cell(&all, row, out, err);
}
