/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of file version 2.0: the encoding against the field's layout, buffers found, lengths checked. */
#include "column/bits.h"
#include "lancefile/field20_internal.h"

rwl_status rwl_lance_page20_refuse(const rwl_lance_node *node, const rwl_lance_array *array, rwl_error *err) {
    return rwl_fail(err, RWL_UNSUPPORTED, "page encoding %s of a field of type %s",
                    rwl_lance_array_kind_name(array->kind), node->logical_type);
}

/* What is inside of an encoding that has no nulls in this place. */
static rwl_status skip_no_nulls(const rwl_lance_page20_request *r, const rwl_lance_array **array,
                                rwl_error *err) {
    if ((*array)->kind != RWL_LANCE_ARRAY_NULLABLE)
        return RWL_OK;
    if ((*array)->nulls != RWL_LANCE_NO_NULLS)
        return rwl_lance_page20_refuse(r->node, *array, err);
    *array = (*array)->values;
    return RWL_OK;
}

/* --- values of fixed width --- */

static rwl_status open_level(const rwl_lance_page20_request *r, const rwl_lance_array **array,
                             int64_t per_row, rwl_lance_page20 *out, rwl_error *err) {
    rwl_lance_level20 *level = &out->levels[out->level_count++];
    level->nulls = RWL_LANCE_NO_NULLS;
    level->per_row = per_row;
    if ((*array)->kind != RWL_LANCE_ARRAY_NULLABLE)
        return RWL_OK;
    level->nulls = (*array)->nulls;
    if (level->nulls == RWL_LANCE_SOME_NULLS) {
        if ((*array)->second->kind != RWL_LANCE_ARRAY_FLAT)
            return rwl_lance_page20_refuse(r->node, (*array)->second, err);
        RWL_TRY(rwl_lance_flat20_open(r, (*array)->second, 1, out->rows * per_row, &level->validity, err));
    }
    *array = (*array)->values; /* NULL when all are null */
    return RWL_OK;
}

/* Levels from the row in, and at the end the values. */
static rwl_status open_values(const rwl_lance_page20_request *r, const rwl_lance_node *node,
                              const rwl_lance_array *array, rwl_lance_page20 *out, rwl_error *err) {
    int64_t per_row = 1;
    for (;;) {
        if (out->level_count == RWL_LANCE_LEVELS20_MAX)
            return rwl_fail(err, RWL_UNSUPPORTED, "vectors nested deeper than %d levels",
                            RWL_LANCE_VECTOR_DEPTH_MAX);
        RWL_TRY(open_level(r, &array, per_row, out, err));
        if (array == NULL)
            return RWL_OK;
        if (node->form != RWL_LANCE_VECTOR)
            break;
        if (array->kind != RWL_LANCE_ARRAY_FIXED_SIZE_LIST || array->has_validity)
            return rwl_lance_page20_refuse(node, array, err);
        if (array->items != node->dimension || node->child_count != 1)
            return rwl_fail(err, RWL_CORRUPT, "vectors of %lld values where type %s has %d",
                            (long long)array->items, node->logical_type, node->dimension);
        /* at most 2^20 bytes a value, so that no page of a file has more */
        if (!rwl_i64_mul(per_row, node->dimension, &per_row) ||
            (out->rows > 0 && per_row > INT64_MAX / 8 / out->rows))
            return rwl_fail(err, RWL_CORRUPT, "vectors of more values than can be");
        array = array->values;
        node = &node->children[0];
    }
    if (node->form != RWL_LANCE_FIXED)
        return rwl_lance_page20_refuse(node, array, err);
    if (!rwl_i64_mul(per_row, node->bits, &out->row_bits) ||
        (out->rows > 0 && out->row_bits > INT64_MAX / 8 / out->rows))
        return rwl_fail(err, RWL_CORRUPT, "values of more bits than can be");
    out->per_row = per_row;
    return rwl_lance_flat20_open(r, array, node->bits, out->rows * per_row, &out->values, err);
}

/* Bytes of a field of a packed struct. */
static rwl_status packed_width(const rwl_lance_page20_request *r, const rwl_lance_array *array,
                               int64_t *width, rwl_error *err) {
    int64_t values = 1;
    RWL_TRY(skip_no_nulls(r, &array, err));
    while (array->kind == RWL_LANCE_ARRAY_FIXED_SIZE_LIST &&
           !array->has_validity) { /* as deep as parsing goes */
        if (!rwl_i64_mul(values, array->items, &values))
            return rwl_fail(err, RWL_CORRUPT, "packed struct of more bits than can be");
        array = array->values;
        RWL_TRY(skip_no_nulls(r, &array, err));
    }
    if (array->kind != RWL_LANCE_ARRAY_FLAT || array->scheme != RWL_LANCE_SCHEME_NONE)
        return rwl_lance_page20_refuse(r->node, array, err);
    if (!rwl_i64_mul(values, array->bits, width) || *width % 8 != 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "packed struct with a field of %lld bits", (long long)*width);
    *width /= 8;
    return RWL_OK;
}

/* Bytes that a value of the node takes, as the schema has it. */
static int64_t node_width(const rwl_lance_node *node) {
    int64_t values = 1;
    for (; node->form == RWL_LANCE_VECTOR && node->child_count == 1; node = &node->children[0])
        if (!rwl_i64_mul(values, node->dimension, &values))
            return -1;
    return node->form == RWL_LANCE_FIXED && rwl_i64_mul(values, node->bits, &values) ? values / 8 : -1;
}

/* Where each child of the node lies in a row; the node may have fewer than the struct, whose fields its index counts. */
static rwl_status open_packed(const rwl_lance_page20_request *r, const rwl_lance_array *array,
                              rwl_lance_page20 *out, rwl_error *err) {
    const rwl_lance_node *node = r->node;
    int64_t *offsets = rwl_arena_array(r->arena, (size_t)node->child_count, sizeof *offsets);
    int64_t *ends = rwl_arena_array(r->arena, (size_t)array->field_count, sizeof *ends);
    if (offsets == NULL || ends == NULL)
        return rwl_no_memory(err, (size_t)array->field_count * sizeof *ends);
    int64_t at = 0;
    for (int32_t i = 0; i < array->field_count; i++) {
        int64_t width;
        RWL_TRY(packed_width(r, array->fields[i], &width, err));
        if (!rwl_i64_add(at, width, &at) || at > INT32_MAX)
            return rwl_fail(err, RWL_CORRUPT, "packed struct of more than %d bytes", INT32_MAX);
        ends[i] = at;
    }
    for (int32_t k = 0; k < node->child_count; k++) {
        const rwl_lance_node *child = &node->children[k];
        int64_t i = (int64_t)child->index - node->index - 1;
        if (i < 0 || i >= array->field_count)
            return rwl_fail(err, RWL_CORRUPT, "packed struct of %d fields, field %s is none of them",
                            array->field_count, child->field.name);
        offsets[k] = i > 0 ? ends[i - 1] : 0;
        if (node_width(child) != ends[i] - offsets[k])
            return rwl_fail(err, RWL_CORRUPT, "packed struct with %lld bytes for type %s",
                            (long long)(ends[i] - offsets[k]), child->logical_type);
    }
    out->form = RWL_LANCE_PAGE20_PACKED;
    out->offsets = offsets;
    out->row_bits = 8 * at;
    out->per_row = 1;
    return rwl_lance_flat20_open_rows(r, array, out->row_bits, out->rows, &out->values, err);
}

/* Positions and sizes of what lies elsewhere in the file. */
static rwl_status open_blobs(const rwl_lance_page20_request *r, const rwl_lance_array *array,
                             rwl_lance_page20 *out, rwl_error *err) {
    int64_t width;
    out->form = RWL_LANCE_PAGE20_BLOBS;
    out->per_row = 1;
    out->row_bits = 128;
    for (int32_t i = 0; i < array->field_count; i++) {
        RWL_TRY(packed_width(r, array->fields[i], &width, err));
        if (width != 8)
            return rwl_fail(err, RWL_CORRUPT, "blobs with a number of %lld bytes", (long long)width);
    }
    if (array->field_count != 2)
        return rwl_fail(err, RWL_CORRUPT, "blobs of %d numbers", array->field_count);
    return rwl_lance_flat20_open_rows(r, array, out->row_bits, out->rows, &out->values, err);
}

/* --- texts and lists --- */

static rwl_status open_ends(const rwl_lance_page20_request *r, const rwl_lance_array *array,
                            rwl_lance_page20 *out, rwl_error *err) {
    const rwl_lance_array *ends = array->values;
    RWL_TRY(skip_no_nulls(r, &ends, err));
    out->per_row = 1;
    out->row_bits = 64;
    out->null_adjustment = array->null_adjustment;
    if (array->null_adjustment == 0 && out->rows > 0) /* of no rows writers say 0 */
        return rwl_fail(err, RWL_CORRUPT, "null adjustment of 0");
    return rwl_lance_flat20_open(r, ends, 64, out->rows, &out->values, err);
}

static rwl_status open_bytes(const rwl_lance_page20_request *r, const rwl_lance_array *array,
                             rwl_lance_page20 *out, rwl_error *err) {
    const rwl_lance_array *bytes = array->second;
    out->form = RWL_LANCE_PAGE20_BYTES;
    RWL_TRY(open_ends(r, array, out, err));
    RWL_TRY(skip_no_nulls(r, &bytes, err));
    /* writers count one more than there are bytes */
    uint64_t most = array->null_adjustment > 0 ? array->null_adjustment - 1 : 0;
    return rwl_lance_flat20_open_bytes(r, bytes, most, &out->bytes, err);
}

/* Texts of one length: values of as many bits, or bytes side by side. */
static rwl_status open_even(const rwl_lance_page20_request *r, const rwl_lance_array *array,
                            rwl_lance_page20 *out, rwl_error *err) {
    out->form = RWL_LANCE_PAGE20_EVEN;
    RWL_TRY(open_level(r, &array, 1, out, err));
    const rwl_lance_array *bytes = array;
    int64_t len = (int64_t)array->value.len;
    out->per_row = 1;
    if (array->kind == RWL_LANCE_ARRAY_FIXED_SIZE_BINARY) {
        len = array->items;
        bytes = array->values;
        RWL_TRY(skip_no_nulls(r, &bytes, err));
        out->per_row = bytes->kind == RWL_LANCE_ARRAY_FLAT && bytes->bits == 8 * len ? 1 : len;
    }
    out->row_bits = 8 * len;
    if (!rwl_i64_mul(out->rows, len, &len))
        return rwl_fail(err, RWL_CORRUPT, "texts of more bytes than can be");
    return rwl_lance_flat20_open(r, bytes, out->per_row == 1 ? out->row_bits : 8, out->rows * out->per_row,
                                 &out->values, err);
}

/* Texts of codes: `values` is a binary. */
static rwl_status open_fsst(const rwl_lance_page20_request *r, const rwl_lance_array *array,
                            rwl_lance_page20 *out, rwl_error *err) {
    const rwl_lance_array *codes = array->values;
    RWL_TRY(skip_no_nulls(r, &codes, err));
    if (codes->kind != RWL_LANCE_ARRAY_BINARY)
        return rwl_lance_page20_refuse(r->node, codes, err);
    rwl_lance_fsst *fsst = rwl_arena_alloc(r->arena, sizeof *fsst);
    if (fsst == NULL)
        return rwl_no_memory(err, sizeof *fsst);
    RWL_TRY(rwl_lance_fsst_parse(array->table, fsst, err));
    out->fsst = fsst;
    return open_bytes(r, codes, out, err);
}

static rwl_status open_lists(const rwl_lance_page20_request *r, const rwl_lance_array *array,
                             rwl_lance_page20 *out, rwl_error *err) {
    out->form = RWL_LANCE_PAGE20_LISTS;
    out->items = array->items;
    return open_ends(r, array, out, err);
}

/* --- pages --- */

static rwl_status open_leaf(const rwl_lance_page20_request *r, const rwl_lance_array *array, bool is_top,
                            rwl_lance_page20 *out, rwl_error *err);

/* The indices have no type of their own. */
static int64_t index_bits(const rwl_lance_array *indices) {
    switch (indices->kind) {
    case RWL_LANCE_ARRAY_BITPACKED:
    case RWL_LANCE_ARRAY_BITPACKED_FOR_NON_NEG:
        return indices->unpacked_bits;
    case RWL_LANCE_ARRAY_CONSTANT:
        return 8 * (int64_t)indices->value.len;
    default:
        return indices->bits;
    }
}

static rwl_status open_dictionary(const rwl_lance_page20_request *r, const rwl_lance_array *array,
                                  rwl_lance_page20 *out, rwl_error *err) {
    const rwl_lance_array *indices = array->values;
    rwl_lance_page20 *items = rwl_arena_alloc(r->arena, sizeof *items);
    if (items == NULL)
        return rwl_no_memory(err, sizeof *items);
    RWL_TRY(skip_no_nulls(r, &indices, err));
    out->form = RWL_LANCE_PAGE20_DICTIONARY;
    out->items = array->items;
    out->is_from_one = !r->node->is_dictionary;
    out->row_bits = index_bits(indices);
    if (out->row_bits != 8 && out->row_bits != 16 && out->row_bits != 32 && out->row_bits != 64)
        return rwl_fail(err, RWL_CORRUPT, "dictionary indices of %lld bits", (long long)out->row_bits);
    out->per_row = 1;
    RWL_TRY(rwl_lance_flat20_open(r, indices, out->row_bits, out->rows, &out->values, err));
    items->rows = array->items;
    out->dictionary = items;
    return open_leaf(r, array->second, false, items, err);
}

static bool is_even(const rwl_lance_array *array, bool is_top) {
    if (array->kind == RWL_LANCE_ARRAY_NULLABLE) /* not of nulls alone */
        array = array->values;
    return array->kind == RWL_LANCE_ARRAY_FIXED_SIZE_BINARY ||
           (array->kind == RWL_LANCE_ARRAY_CONSTANT && is_top);
}

/* A page of values, or a dictionary's. */
static rwl_status open_leaf(const rwl_lance_page20_request *r, const rwl_lance_array *array, bool is_top,
                            rwl_lance_page20 *out, rwl_error *err) {
    const rwl_lance_node *node = r->node;
    const rwl_lance_array *inner = array;
    if (array->kind == RWL_LANCE_ARRAY_NULLABLE && array->nulls == RWL_LANCE_ALL_NULLS) {
        out->form = RWL_LANCE_PAGE20_NULLS;
        return is_top && node->form != RWL_LANCE_STRUCT ? (rwl_status)RWL_OK
                                                        : rwl_lance_page20_refuse(node, array, err);
    }
    if (inner->kind == RWL_LANCE_ARRAY_NULLABLE && inner->nulls == RWL_LANCE_NO_NULLS)
        inner = inner->values;
    if (inner->kind == RWL_LANCE_ARRAY_DICTIONARY && is_top &&
        (node->form == RWL_LANCE_BYTES || node->form == RWL_LANCE_FIXED))
        return open_dictionary(r, inner, out, err);
    if (node->form == RWL_LANCE_BYTES && inner->kind == RWL_LANCE_ARRAY_BINARY)
        return open_bytes(r, inner, out, err);
    if (is_top && node->form == RWL_LANCE_BYTES && inner->kind == RWL_LANCE_ARRAY_FSST)
        return open_fsst(r, inner, out, err);
    if (node->form == RWL_LANCE_BYTES && !node->is_blob && is_even(array, is_top))
        return open_even(r, array, out, err);
    if (node->form == RWL_LANCE_FIXED || (node->form == RWL_LANCE_VECTOR && is_top)) {
        out->form = RWL_LANCE_PAGE20_VALUES;
        return open_values(r, node, array, out, err);
    }
    if (is_top && node->is_blob && inner->kind == RWL_LANCE_ARRAY_PACKED_STRUCT)
        return open_blobs(r, inner, out, err);
    if (is_top && node->form == RWL_LANCE_PACKED && inner->kind == RWL_LANCE_ARRAY_PACKED_STRUCT)
        return open_packed(r, inner, out, err);
    bool is_list = node->form == RWL_LANCE_LIST || node->form == RWL_LANCE_MAP ||
                   (node->form == RWL_LANCE_BYTES && !node->is_blob);
    if (is_top && is_list && inner->kind == RWL_LANCE_ARRAY_LIST)
        return open_lists(r, inner, out, err);
    if (is_top && node->form == RWL_LANCE_STRUCT && inner->kind == RWL_LANCE_ARRAY_STRUCT) {
        out->form = RWL_LANCE_PAGE20_STRUCTS;
        return RWL_OK;
    }
    return rwl_lance_page20_refuse(node, inner, err);
}

rwl_status rwl_lance_page20_open(const rwl_lance_page20_request *request, const rwl_lance_page20 **out,
                                 rwl_error *err) {
    const rwl_lance_array *array;
    rwl_lance_page20 *page = rwl_arena_alloc(request->arena, sizeof *page);
    if (page == NULL)
        return rwl_no_memory(err, sizeof *page);
    page->rows = request->page->row_count;
    RWL_TRY(rwl_lance_array_parse(request->page->encoding, request->arena, &array, err));
    RWL_TRY(open_leaf(request, array, true, page, err));
    *out = page;
    return RWL_OK;
}
