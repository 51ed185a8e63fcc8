/* SPDX-License-Identifier: Apache-2.0 */
/* Values of fixed width of file version 2.0: single ones, vectors, packed structs. */
#include "column/bits.h"
#include "lancefile/field20_internal.h"
#include "lancefile/schema_internal.h"

/* Values of a page, or of a field of its packed structs, as far as they were read. */
typedef struct values_view {
    const rwl_lance_level20 *levels; /* NULL: no nulls in any */
    rwl_lance_bits20 validity[RWL_LANCE_LEVELS20_MAX];
    rwl_lance_bits20 values;
} values_view;

/* --- aim --- */

/* Output of a row: what is stored, or the type's width where that is more; of vectors also what null elements are. */
static int64_t output_bytes(const rwl_lance_node *node, int64_t row_bits, int64_t rows) {
    int64_t items = 1;
    for (; node->form == RWL_LANCE_VECTOR; node = &node->children[0]) /* of a type whose width is limited */
        items *= node->dimension;
    int64_t each = items * rwl_type_width(&node->field.type);
    each = row_bits / 8 > each ? row_bits / 8 : each;
    return rows > INT64_MAX / (each + 1) ? INT64_MAX : rows * (each + 1);
}

/* Asks for a slice where it is read; pieces of a part are in the order in which they are asked for. */
static rwl_status want_slice(rwl_lance_column20 *c, rwl_lance_part20 *part, const rwl_lance_flat20 *flat,
                             int64_t per_row, bool *is_first, rwl_error *err) {
    rwl_lance_slice20 slice = {flat, part->index, part->first * per_row, part->count * per_row};
    size_t number;
    if (!rwl_lance_flat20_is_read(flat))
        return RWL_OK;
    RWL_TRY(rwl_lance_slice20_aim(c, &slice, &number, err));
    part->piece = *is_first ? number : part->piece;
    *is_first = false;
    return RWL_OK;
}

rwl_status rwl_lance_values20_aim(rwl_lance_column20 *c, rwl_lance_part20 *part, rwl_error *err) {
    const rwl_lance_page20 *page = part->page;
    bool is_first = true;
    if (!rwl_lance_field20_count(c->field, output_bytes(c->node, page->row_bits, part->count)))
        return RWL_OK;
    for (int32_t i = 0; i < page->level_count; i++)
        if (page->levels[i].nulls == RWL_LANCE_SOME_NULLS)
            RWL_TRY(want_slice(c, part, &page->levels[i].validity, page->levels[i].per_row, &is_first, err));
    /* none: vectors of nothing, or of nulls alone */
    return page->row_bits > 0 ? want_slice(c, part, &page->values, page->per_row, &is_first, err) : RWL_OK;
}

/* --- append --- */

static rwl_status append_values(rwl_lance_column20 *c, const rwl_lance_node *node, const values_view *v,
                                int32_t level, int64_t first, int64_t count, rwl_column *out, rwl_error *err);

/* The validity of values of a level, NULL where all are valid; *is_none when all are null. */
static rwl_status find_validity(rwl_lance_column20 *c, const values_view *v, int32_t level, int64_t first,
                                int64_t count, const uint8_t **out, bool *is_none, rwl_error *err) {
    rwl_lance_nulls nulls = v->levels != NULL ? v->levels[level].nulls : RWL_LANCE_NO_NULLS;
    *out = NULL;
    *is_none = nulls == RWL_LANCE_ALL_NULLS;
    if (nulls != RWL_LANCE_SOME_NULLS)
        return RWL_OK;
    RWL_TRY(rwl_lance_align_bits(&c->field->validity, v->validity[level].data,
                                 first - v->validity[level].first, count, out, err));
    if (rwl_bits_count(*out, 0, count) == count)
        *out = NULL;
    return RWL_OK;
}

static rwl_status append_fixed(rwl_lance_column20 *c, const rwl_lance_node *node, const values_view *v,
                               const uint8_t *validity, int64_t first, int64_t count, rwl_column *out,
                               rwl_error *err) {
    const uint8_t *stored;
    RWL_TRY(rwl_lance_align_bits(&c->field->aligned, v->values.data, first * node->bits - v->values.first,
                                 count * node->bits, &stored, err));
    return rwl_lance_convert_fixed(c->field->env, node, stored, count, validity, out, err);
}

/* Offsets of `count` lists; nulls have no elements. */
static rwl_status append_offsets(const rwl_env *env, const rwl_lance_node *node, const uint8_t *validity,
                                 int64_t count, rwl_column *out, rwl_error *err) {
    RWL_TRY(rwl_column_reserve(out, env, out->length + count, 0, err));
    RWL_TRY(rwl_lance_append_validity(env, out, validity, count, err));
    int32_t *offsets = (int32_t *)(void *)out->offsets.data + out->length;
    int64_t end = out->children[0].length;
    if (count > (INT32_MAX - 1 - end) / (node->dimension > 0 ? node->dimension : 1))
        return rwl_fail(err, RWL_UNSUPPORTED, "%lld vectors of %d values in one batch", (long long)count,
                        node->dimension);
    offsets[0] = (int32_t)end;
    for (int64_t i = 0; i < count; i++) {
        end += validity == NULL || rwl_bit_get(validity, i) ? node->dimension : 0;
        offsets[i + 1] = (int32_t)end;
    }
    out->length += count;
    return RWL_OK;
}

static rwl_status append_vectors(rwl_lance_column20 *c, const rwl_lance_node *node, const values_view *v,
                                 int32_t level, const uint8_t *validity, int64_t first, int64_t count,
                                 rwl_column *out, rwl_error *err) {
    int64_t dimension = node->dimension;
    const rwl_lance_node *child = &node->children[0];
    int64_t length = out->length;
    RWL_TRY(append_offsets(c->field->env, node, validity, count, out, err));
    if (validity == NULL)
        return append_values(c, child, v, level + 1, first * dimension, count * dimension, &out->children[0],
                             err);
    for (int64_t i = 0, to; i < count;
         i = to) { /* runs of valid ones; scratch may have changed: the copy has not */
        to = i + 1;
        if (!rwl_bit_get(out->validity.data, length + i))
            continue;
        while (to < count && rwl_bit_get(out->validity.data, length + to))
            to++;
        RWL_TRY(append_values(c, child, v, level + 1, (first + i) * dimension, (to - i) * dimension,
                              &out->children[0], err));
    }
    return RWL_OK;
}

/* As deep as a page has levels. */
static rwl_status append_values(rwl_lance_column20 *c, const rwl_lance_node *node, const values_view *v,
                                int32_t level, int64_t first, int64_t count, rwl_column *out,
                                rwl_error *err) {
    const uint8_t *validity;
    bool is_none;
    if (count == 0)
        return rwl_column_reserve(out, c->field->env, out->length, 0,
                                  err); /* offsets, where there are none yet */
    RWL_TRY(find_validity(c, v, level, first, count, &validity, &is_none, err));
    if (is_none)
        return rwl_lance_append_nulls(c->field->env, out, count, err);
    return node->form == RWL_LANCE_VECTOR
               ? append_vectors(c, node, v, level, validity, first, count, out, err)
               : append_fixed(c, node, v, validity, first, count, out, err);
}

/* --- packed structs --- */

static rwl_status append_packed(rwl_lance_column20 *c, const rwl_lance_part20 *part, rwl_column *out,
                                rwl_error *err) {
    rwl_span rows;
    rwl_lance_field20 *f = c->field;
    size_t stride = (size_t)part->page->row_bits / 8;
    RWL_TRY(rwl_lance_fetch_get(&c->fetch, part->piece, &rows, err)); /* PLAIN, whole bytes */
    RWL_TRY(rwl_column_reserve(out, f->env, out->length + part->count, 0, err));
    RWL_TRY(rwl_lance_append_validity(f->env, out, NULL, part->count, err));
    for (int32_t i = 0; i < c->node->child_count; i++) {
        const rwl_lance_node *child = &c->node->children[i];
        size_t width = (size_t)rwl_lance_node_width(child) / 8;
        rwl_buf_reset(&f->values);
        RWL_TRY(rwl_buf_reserve(&f->values, (size_t)part->count * width + RWL_LANCE_READ_SLACK, err));
        rwl_lance_gather_fields(rows.data + part->page->offsets[i], stride, width, part->count,
                                f->values.data);
        values_view view = {.values = {f->values.data, 0}};
        RWL_TRY(append_values(c, child, &view, 0, 0, part->count, &out->children[i], err));
    }
    out->length += part->count;
    return RWL_OK;
}

/* --- parts --- */

static rwl_status get_slice(rwl_lance_column20 *c, const rwl_lance_part20 *part, const rwl_lance_flat20 *flat,
                            int64_t per_row, size_t *piece, rwl_lance_bits20 *out, rwl_error *err) {
    rwl_lance_slice20 slice = {flat, part->index, part->first * per_row, part->count * per_row};
    RWL_TRY(rwl_lance_slice20_get(c, &slice, *piece, &c->field->values, out, err));
    *piece += rwl_lance_flat20_is_read(flat);
    return RWL_OK;
}

rwl_status rwl_lance_values20_append(rwl_lance_column20 *c, const rwl_lance_part20 *part, rwl_column *out,
                                     rwl_error *err) {
    const rwl_lance_page20 *page = part->page;
    values_view view = {.levels = page->levels};
    size_t piece = part->piece;
    if (page->form == RWL_LANCE_PAGE20_PACKED)
        return append_packed(c, part, out, err);
    for (int32_t i = 0; i < page->level_count; i++)
        if (page->levels[i].nulls == RWL_LANCE_SOME_NULLS)
            RWL_TRY(get_slice(c, part, &page->levels[i].validity, page->levels[i].per_row, &piece,
                              &view.validity[i], err));
    if (page->row_bits > 0)
        RWL_TRY(get_slice(c, part, &page->values, page->per_row, &piece, &view.values, err));
    return append_values(c, c->node, &view, 0, part->first, part->count, out, err);
}
