/* SPDX-License-Identifier: Apache-2.0 */
/* Dictionary pages of file version 2.0: read with the first rows of a page that are wanted, kept until another page's are. */
#include "column/bits.h"
#include "lancefile/field20_internal.h"

enum { ROW_LEN = 5 /* an offset, or less, and what is known of a value: there is as much of empty ones */ };

/* --- the dictionary --- */

void rwl_lance_dictionary20_forget(rwl_lance_column20 *c) {
    rwl_column_clear(&c->dictionary, c->field->env);
    rwl_op_release(c->field->op, c->dictionary_charged);
    c->dictionary_charged = 0;
    c->dictionary_page = -1;
}

/* All rows of the dictionary's page. */
static rwl_status load_rows(rwl_lance_column20 *c, const rwl_lance_page20 *page, int32_t index,
                            rwl_error *err) {
    rwl_lance_part20 part = {.page = page, .index = index, .count = page->rows};
    int64_t bytes = c->field->bytes, limit = c->field->limit;
    c->field->limit = INT64_MAX; /* a dictionary is no output */
    rwl_status st = rwl_lance_part20_aim(c, &part, err);
    if (st == RWL_OK)
        st = rwl_lance_fetch_submit(&c->fetch, err);
    if (st == RWL_OK)
        st = rwl_lance_part20_measure(c, &part, err);
    if (st == RWL_OK)
        st = rwl_lance_fetch_submit(&c->fetch, err);
    c->field->bytes = bytes;
    c->field->limit = limit;
    return st == RWL_OK ? rwl_lance_part20_append(c, &part, &c->dictionary, err) : st;
}

/* Bytes of the dictionary as it is read; of constants the file has hardly any, so that there is a limit. */
static rwl_status measure_dictionary(const rwl_lance_page20 *page, int64_t *out, rwl_error *err) {
    rwl_u128 bytes = (rwl_u128)rwl_bits_bytes(page->values.count * page->values.bits);
    bytes += (rwl_u128)(uint64_t)page->rows * ROW_LEN; /* below 2^31 */
    if (page->form == RWL_LANCE_PAGE20_BYTES)
        bytes += (uint64_t)page->bytes.count;
    *out = bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
    if (*out <= RWL_LANCE_DICTIONARY_MAX)
        return RWL_OK;
    return rwl_fail(err, RWL_UNSUPPORTED, "dictionary of %lld bytes, limit %d", (long long)*out,
                    RWL_LANCE_DICTIONARY_MAX);
}

/* The page's dictionary as a column, with a null behind its values. */
static rwl_status need_dictionary(rwl_lance_column20 *c, const rwl_lance_part20 *part, rwl_error *err) {
    const rwl_lance_page20 *page = part->page->dictionary;
    rwl_value null = rwl_value_null(c->node->field.type.kind);
    if (c->dictionary_page == part->index)
        return RWL_OK;
    rwl_lance_dictionary20_forget(c);
    int64_t size;
    RWL_TRY(measure_dictionary(page, &size, err));
    RWL_TRY(rwl_op_reserve(c->field->op, size, "reading a dictionary", err));
    c->dictionary_charged = size;
    rwl_column_init_flat(&c->dictionary, &c->node->field.type);
    if (page->rows > 0)
        RWL_TRY(load_rows(c, page, part->index, err));
    RWL_TRY(rwl_column_append(&c->dictionary, c->field->env, &null, 1, err));
    rwl_lance_flat20_forget(c); /* its buffers, once they are a column */
    c->dictionary_page = part->index;
    return RWL_OK;
}

/* --- rows --- */

static rwl_lance_slice20 slice_of(const rwl_lance_part20 *part) {
    return (rwl_lance_slice20){&part->page->values, part->index, part->first, part->count};
}

rwl_status rwl_lance_dictionary20_aim(rwl_lance_column20 *c, rwl_lance_part20 *part, rwl_error *err) {
    rwl_lance_slice20 slice = slice_of(part);
    return rwl_lance_flat20_is_read(slice.flat) ? rwl_lance_slice20_aim(c, &slice, &part->piece, err)
                                                : (rwl_status)RWL_OK;
}

/* The indices of the part's rows. */
static rwl_status get_indices(rwl_lance_column20 *c, const rwl_lance_part20 *part, const uint8_t **out,
                              rwl_error *err) {
    rwl_lance_slice20 slice = slice_of(part);
    rwl_lance_bits20 indices;
    RWL_TRY(rwl_lance_slice20_get(c, &slice, part->piece, &c->field->values, &indices, err));
    *out = indices.data + (part->first * part->page->row_bits - indices.first) / 8;
    return RWL_OK;
}

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
static rwl_status count_rows(rwl_lance_column20 *c, const rwl_lance_part20 *part, const uint8_t *indices,
                             int64_t *out, rwl_error *err) {
    bool is_bytes = rwl_type_is_bytes(&c->dictionary.type);
    const int32_t *offsets = is_bytes ? rwl_column_offsets(&c->dictionary) : NULL;
    *out = part->count * (is_bytes ? 4 : (int64_t)rwl_type_width(&c->dictionary.type) + 1);
    for (int64_t i = 0; i < part->count; i++) {
        uint64_t index = read_index(indices, part->page->row_bits, i);
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
    const uint8_t *indices;
    int64_t bytes;
    RWL_TRY(need_dictionary(c, part, err));
    RWL_TRY(get_indices(c, part, &indices, err));
    RWL_TRY(count_rows(c, part, indices, &bytes, err));
    (void)rwl_lance_field20_count(c->field, bytes);
    return RWL_OK;
}

rwl_status rwl_lance_dictionary20_append(rwl_lance_column20 *c, const rwl_lance_part20 *part, rwl_column *out,
                                         rwl_error *err) {
    const uint8_t *indices;
    rwl_buf *room = &c->field->aligned;
    RWL_TRY(need_dictionary(c, part, err)); /* another part's page may have come between */
    RWL_TRY(get_indices(c, part, &indices, err));
    rwl_buf_reset(room);
    RWL_TRY(rwl_buf_reserve(room, (size_t)part->count * sizeof(int32_t), err));
    int32_t *rows = (int32_t *)(void *)room->data; /* of the heap: aligned */
    for (int64_t i = 0; i < part->count; i++) {
        uint64_t index = read_index(indices, part->page->row_bits, i); /* measured */
        rows[i] = (int32_t)place_of(part->page, index);
    }
    return rwl_column_take(&c->dictionary, rows, part->count, out, c->field->env, err);
}
