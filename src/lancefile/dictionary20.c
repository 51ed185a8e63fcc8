/* SPDX-License-Identifier: Apache-2.0 */
/* Dictionary pages of file version 2.0: read with the first rows of a page that are wanted, kept until another page's are. */
#include "lancefile/field20_internal.h"

/* --- the dictionary --- */

/* Whole buffers of the dictionary's page, in the order of its parts. */
static rwl_status read_whole(rwl_lance_column20 *c, rwl_lance_extent extent, rwl_span *out, rwl_error *err) {
    size_t number;
    RWL_TRY(rwl_lance_fetch_want(&c->fetch, extent.offset, extent.length, &number, err));
    RWL_TRY(rwl_lance_fetch_submit(&c->fetch, err));
    return rwl_lance_fetch_get(&c->fetch, number, out, err);
}

static rwl_status load_values(rwl_lance_column20 *c, const rwl_lance_page20 *page, rwl_error *err) {
    rwl_span validity = {NULL, 0}, values = {NULL, 0};
    const rwl_lance_level20 *level = &page->levels[0];
    if (level->nulls == RWL_LANCE_SOME_NULLS)
        RWL_TRY(read_whole(c, level->validity, &validity, err));
    if (level->nulls != RWL_LANCE_ALL_NULLS)
        RWL_TRY(read_whole(c, page->values, &values, err));
    return rwl_lance_values20_append_all(c, page, validity, values, &c->dictionary, err);
}

static rwl_status load_bytes(rwl_lance_column20 *c, const rwl_lance_page20 *page, int32_t index,
                             rwl_error *err) {
    rwl_lance_part20 part = {.page = page, .index = index, .count = page->rows};
    int64_t bytes = c->field->bytes, limit = c->field->limit;
    RWL_TRY(rwl_lance_bytes20_aim(c, &part, err));
    RWL_TRY(rwl_lance_fetch_submit(&c->fetch, err));
    c->field->limit = INT64_MAX; /* a dictionary is no output */
    rwl_status st = rwl_lance_bytes20_measure(c, &part, err);
    c->field->bytes = bytes;
    c->field->limit = limit;
    if (st != RWL_OK)
        return st;
    RWL_TRY(rwl_lance_fetch_submit(&c->fetch, err));
    return rwl_lance_bytes20_append(c, &part, &c->dictionary, err);
}

/* The page's dictionary as a column, with a null behind its values. */
static rwl_status need_dictionary(rwl_lance_column20 *c, const rwl_lance_part20 *part, rwl_error *err) {
    const rwl_lance_page20 *page = part->page->dictionary;
    rwl_value null = rwl_value_null(c->node->field.type.kind);
    if (c->dictionary_page == part->index)
        return RWL_OK;
    rwl_lance_bytes20_forget(c);
    if (page->form == RWL_LANCE_PAGE20_BYTES && page->scheme != RWL_LANCE_SCHEME_NONE)
        return rwl_fail(err, RWL_UNSUPPORTED, "compressed dictionary in file version 2.0");
    int64_t size = page->values.length + page->bytes.length; /* of the file, so they add up */
    RWL_TRY(rwl_op_reserve(c->field->op, size, "reading a dictionary", err));
    c->charged = size;
    rwl_column_init_flat(&c->dictionary, &c->node->field.type);
    if (page->rows > 0)
        RWL_TRY(page->form == RWL_LANCE_PAGE20_BYTES ? load_bytes(c, page, part->index, err)
                                                     : load_values(c, page, err));
    RWL_TRY(rwl_column_append(&c->dictionary, c->field->env, &null, 1, err));
    c->dictionary_page = part->index;
    return RWL_OK;
}

/* --- rows --- */

static uint64_t read_index(const uint8_t *data, int64_t bits, int64_t i) {
    switch (bits) {
    case 8:
        return data[i];
    case 16:
        return rwl_load_le16(data + 2 * i);
    case 32:
        return rwl_load_le32(data + 4 * i);
    default:
        return rwl_load_le64(data + 8 * i);
    }
}

/* The row of the dictionary's column. */
static int64_t place_of(const rwl_lance_page20 *page, uint64_t index) {
    if (!page->is_from_one)
        return (int64_t)index;
    return index == 0 ? page->items : (int64_t)index - 1;
}

/* Bytes that the rows are once put out; CORRUPT for an index beyond the dictionary. */
static rwl_status count_rows(rwl_lance_column20 *c, const rwl_lance_part20 *part, rwl_span indices,
                             int64_t *out, rwl_error *err) {
    bool is_bytes = rwl_type_is_bytes(&c->dictionary.type);
    const int32_t *offsets = is_bytes ? rwl_column_offsets(&c->dictionary) : NULL;
    *out = part->count * (is_bytes ? 4 : (int64_t)rwl_type_width(&c->dictionary.type) + 1);
    for (int64_t i = 0; i < part->count; i++) {
        uint64_t index = read_index(indices.data, part->page->row_bits, i);
        if (index >= (uint64_t)part->page->items + part->page->is_from_one)
            return rwl_fail(err, RWL_CORRUPT, "row %lld: index %llu into a dictionary of %lld values",
                            (long long)(part->first + i), (unsigned long long)index,
                            (long long)part->page->items);
        int64_t at = place_of(part->page, index);
        if (is_bytes)
            *out += offsets[at + 1] - offsets[at];
    }
    return RWL_OK;
}

rwl_status rwl_lance_dictionary20_measure(rwl_lance_column20 *c, rwl_lance_part20 *part, rwl_error *err) {
    rwl_span indices;
    int64_t bytes;
    RWL_TRY(need_dictionary(c, part, err));
    RWL_TRY(rwl_lance_fetch_get(&c->fetch, part->piece, &indices, err));
    RWL_TRY(count_rows(c, part, indices, &bytes, err));
    (void)rwl_lance_field20_count(c->field, bytes);
    return RWL_OK;
}

rwl_status rwl_lance_dictionary20_append(rwl_lance_column20 *c, const rwl_lance_part20 *part, rwl_column *out,
                                         rwl_error *err) {
    rwl_span indices;
    rwl_buf *room = &c->field->aligned;
    RWL_TRY(need_dictionary(c, part, err)); /* another part's page may have come between */
    RWL_TRY(rwl_lance_fetch_get(&c->fetch, part->piece, &indices, err));
    rwl_buf_reset(room);
    RWL_TRY(rwl_buf_reserve(room, (size_t)part->count * sizeof(int32_t), err));
    int32_t *rows = (int32_t *)(void *)room->data; /* of the heap: aligned */
    for (int64_t i = 0; i < part->count; i++) {
        uint64_t index = read_index(indices.data, part->page->row_bits, i); /* measured */
        rows[i] = (int32_t)place_of(part->page, index);
    }
    return rwl_column_take(&c->dictionary, rows, part->count, out, c->field->env, err);
}
