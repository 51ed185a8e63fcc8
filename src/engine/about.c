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

void rwl_about_timestamptz(rwl_about_row *row, bool present, int64_t ms) {
    rwl_value v = rwl_value_null(RWL_TYPE_TIMESTAMPTZ);
    v.is_null = !present || __builtin_mul_overflow(ms, 1000, &v.as.i64);
    add_cell(row, &v);
}

rwl_doc rwl_about_doc(const rwl_about_row *row, rwl_buf *text) {
    rwl_buf_reset(text);
    return (rwl_doc){.out = text, .err = row->err, .st = row->st};
}

void rwl_about_json(rwl_about_row *row, const rwl_doc *doc) {
    if (row->st == RWL_OK)
        row->st = doc->st;
    rwl_about_text(row, rwl_buf_span(doc->out));
}

rwl_status rwl_about_end(rwl_about_row *row) {
    if (row->st == RWL_OK)
        row->batch->length++;
    return row->st;
}
