/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of rows about a table. */
#include "engine/about.h"

static void add_cell(rwl_about_row *row, const rwl_value *v) {
    rwl_column *column = &row->batch->columns[row->column++];
    if (row->st == RWL_OK)
        row->st = rwl_column_append(column, row->batch->env, v, 1, row->err);
}

void rwl_about_i64(rwl_about_row *row, bool present, int64_t value) {
    rwl_value v = rwl_value_null(RWL_TYPE_LONG);
    v.is_null = !present;
    v.as.i64 = value;
    add_cell(row, &v);
}

void rwl_about_i32(rwl_about_row *row, bool present, int32_t value) {
    rwl_value v = rwl_value_null(RWL_TYPE_INT);
    v.is_null = !present;
    v.as.i32 = value;
    add_cell(row, &v);
}

void rwl_about_text(rwl_about_row *row, rwl_span text) {
    rwl_value v = rwl_value_null(RWL_TYPE_STRING);
    v.is_null = text.data == NULL;
    v.as.bytes = text;
    add_cell(row, &v);
}

rwl_status rwl_about_end(rwl_about_row *row) {
    if (row->st == RWL_OK)
        row->batch->length++;
    return row->st;
}
