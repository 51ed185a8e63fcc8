/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of batches: how many rows fit into so many bytes, and columns and ranges cut down to them. */
#include "column/bits.h"
#include "lancefile/field_internal.h"

/* Bytes of values in the first `rows` rows. The column is no deeper than its type, RWL_TYPE_DEPTH_MAX. */
static size_t bytes_of(const rwl_column *c, int64_t rows) {
    if (rwl_type_is_bytes(&c->type))
        return rows == 0 ? 0 : (size_t)(rwl_column_offsets(c)[rows] - rwl_column_offsets(c)[0]);
    if (c->type.kind == RWL_TYPE_BOOLEAN)
        return rwl_bits_bytes(rows);
    size_t total = (size_t)rows * (size_t)rwl_type_width(&c->type);
    int64_t inner = rows;
    if (c->type.kind == RWL_TYPE_LIST || c->type.kind == RWL_TYPE_MAP) {
        inner = rows == 0 ? 0 : rwl_column_offsets(c)[rows];
        total += (size_t)rows * sizeof(int32_t);
    }
    for (int32_t i = 0; c->children != NULL && i < c->type.child_count; i++)
        total += bytes_of(&c->children[i], inner);
    return total;
}

int64_t rwl_lance_rows_within(const rwl_column *column, size_t bytes_max) {
    if (bytes_of(column, column->length) <= bytes_max || column->length <= 1)
        return column->length;
    int64_t fits = 1, too_many = column->length; /* one row always goes */
    while (too_many - fits > 1) {
        int64_t middle = fits + (too_many - fits) / 2;
        if (bytes_of(column, middle) <= bytes_max)
            fits = middle;
        else
            too_many = middle;
    }
    return fits;
}

rwl_status rwl_lance_cut_column(const rwl_env *env, rwl_column *column, int64_t rows, rwl_error *err) {
    if (column->length <= rows)
        return RWL_OK;
    if (rwl_type_is_nested(&column->type)) {
        rwl_column whole = *column;
        rwl_range kept = {0, rows};
        rwl_column_init_flat(column, &whole.type);
        rwl_status st = rwl_column_init(column, env, &whole.type, err);
        if (st == RWL_OK)
            st = rwl_column_take_ranges(&whole, &kept, 1, column, env, err);
        rwl_column_clear(&whole, env);
        return st;
    }
    if (column->null_count > 0)
        column->null_count = rows - rwl_bits_count(column->validity.data, 0, rows);
    if (rwl_type_is_bytes(&column->type))
        column->bytes_len = (size_t)rwl_column_offsets(column)[rows];
    column->length = rows;
    return RWL_OK;
}

size_t rwl_lance_cut_ranges(rwl_range *ranges, size_t count, int64_t rows) {
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].count >= rows) {
            ranges[i].count = rows;
            return rows > 0 ? i + 1 : i;
        }
        rows -= ranges[i].count;
    }
    return count;
}

int64_t rwl_lance_count_rows(const rwl_range *ranges, size_t count) {
    int64_t rows = 0;
    for (size_t i = 0; i < count; i++)
        rows += ranges[i].count;
    return rows;
}
