/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of CSV with a header: columns by name, empty is null, "" the empty string, nested values as JSON. */
#include "engine/input.h"

#include "engine/csv.h"
#include "engine/json_value.h"

typedef struct csv_input {
    rwl_input base;
    rwl_op *op;
    rwl_arena arena;  /* names */
    rwl_arena values; /* of the record being read */
    const rwl_schema *schema;
    rwl_csv *csv;
    int32_t *field_of; /* of each column of the text: the table's field */
    int32_t column_count;
    int32_t *column_of; /* of each field of the table: the column, -1 missing */
} csv_input;

static void close_csv(rwl_input *base) {
    csv_input *in = (csv_input *)base;
    rwl_csv_close(in->csv);
    rwl_arena_clear(&in->values);
    rwl_arena_clear(&in->arena);
    rwl_free(in->op->env, in);
}

static rwl_status at_column(const csv_input *in, const char *column, rwl_status st, rwl_error *err) {
    return rwl_input_at_column(rwl_csv_path(in->csv), rwl_csv_line(in->csv), column, st, err);
}

/* --- the header --- */

static rwl_status match_column(csv_input *in, int32_t column, rwl_span name, rwl_error *err) {
    const char *text = rwl_arena_strndup(&in->arena, (const char *)name.data, name.len);
    if (text == NULL)
        return rwl_no_memory(err, name.len + 1);
    RWL_TRY(rwl_input_check_name(rwl_csv_path(in->csv), text, -1, err));
    const rwl_field *field = rwl_schema_by_name(in->schema, text);
    if (field == NULL || strlen(text) != name.len)
        return at_column(in, text, rwl_fail(err, RWL_USAGE, "is not in the table"), err);
    int32_t index = (int32_t)(field - in->schema->fields);
    if (in->column_of[index] >= 0)
        return at_column(in, text, rwl_fail(err, RWL_USAGE, "is there twice"), err);
    in->field_of[column] = index;
    in->column_of[index] = column;
    return RWL_OK;
}

static rwl_status read_header(csv_input *in, rwl_error *err) {
    const rwl_csv_field *names;
    size_t fields = (size_t)in->schema->field_count;
    RWL_TRY(rwl_csv_next(in->csv, &names, &in->column_count, err));
    in->field_of = rwl_arena_array(&in->arena, (size_t)in->column_count, sizeof *in->field_of);
    in->column_of = rwl_arena_array(&in->arena, fields, sizeof *in->column_of);
    if (in->field_of == NULL || in->column_of == NULL)
        return rwl_no_memory(err, fields * sizeof *in->column_of);
    if (in->column_count == 0)
        return rwl_fail(err, RWL_CORRUPT, "%s: there is no header", rwl_csv_path(in->csv));
    for (size_t i = 0; i < fields; i++)
        in->column_of[i] = -1;
    for (int32_t i = 0; i < in->column_count; i++)
        RWL_TRY(match_column(in, i, names[i].text, err));
    for (size_t i = 0; i < fields; i++)
        if (in->column_of[i] < 0)
            RWL_TRY(rwl_input_check_missing(rwl_csv_path(in->csv), &in->schema->fields[i], err));
    return RWL_OK;
}

/* --- records --- */

static rwl_status append_json(csv_input *in, const rwl_field *field, rwl_span text, rwl_batch *batch,
                              rwl_column *column, rwl_error *err) {
    rwl_json *json = NULL;
    int64_t cost = rwl_json_cost(text);
    RWL_TRY(rwl_op_reserve(in->op, cost, "values of JSON", err));
    rwl_status st = rwl_json_parse_values(text, batch->env, &json, err);
    if (st == RWL_OK)
        st = rwl_json_append_value(field, json, &in->values, batch->env, column, err);
    rwl_json_free(json);
    rwl_op_release(in->op, cost);
    return st;
}

static rwl_status append_cell(csv_input *in, const rwl_field *field, const rwl_csv_field *cell,
                              rwl_batch *batch, rwl_column *column, rwl_error *err) {
    rwl_value v = rwl_value_null(field->type.kind);
    if (cell->text.len == 0 && !cell->quoted)
        return field->required ? rwl_fail(err, RWL_USAGE, "is required and null")
                               : rwl_column_append(column, batch->env, &v, 1, err);
    if (rwl_type_is_nested(&field->type))
        return append_json(in, field, cell->text, batch, column, err);
    RWL_TRY(rwl_json_value_of_text(&field->type, cell->text, &in->values, &v, err));
    return rwl_column_append(column, batch->env, &v, 1, err);
}

static rwl_status add_record(csv_input *in, const rwl_csv_field *cells, rwl_batch *batch, size_t *bytes,
                             rwl_error *err) {
    rwl_arena_reset(&in->values);
    for (int32_t i = 0; i < in->schema->field_count; i++) {
        const rwl_field *field = &in->schema->fields[i];
        if (in->column_of[i] < 0) {
            RWL_TRY(rwl_input_fill_missing(field, &batch->columns[i], batch->env, 1, err));
            continue;
        }
        const rwl_csv_field *cell = &cells[in->column_of[i]];
        *bytes += cell->text.len;
        rwl_status st = append_cell(in, field, cell, batch, &batch->columns[i], err);
        st = rwl_arena_refused(&in->values, st, "a value", err);
        if (st != RWL_OK)
            return at_column(in, field->name, st, err);
    }
    batch->length++;
    return RWL_OK;
}

static rwl_status next_csv(rwl_input *base, rwl_batch *batch, rwl_error *err) {
    csv_input *in = (csv_input *)base;
    size_t bytes = 0;
    while (batch->length < RWL_BATCH_ROWS && bytes < RWL_INPUT_BATCH_BYTES) {
        const rwl_csv_field *cells;
        int32_t count;
        RWL_TRY(rwl_csv_next(in->csv, &cells, &count, err));
        if (count == 0)
            break;
        if (count == 1 && in->column_count > 1 && cells[0].text.len == 0 && !cells[0].quoted)
            continue; /* an empty line */
        if (count != in->column_count)
            return rwl_fail(err, RWL_CORRUPT, "%s: line %lld has %d fields, the header has %d",
                            rwl_csv_path(in->csv), (long long)rwl_csv_line(in->csv), count, in->column_count);
        RWL_TRY(add_record(in, cells, batch, &bytes, err));
    }
    return RWL_OK;
}

rwl_status rwl_input_open_csv(rwl_op *op, const char *path, const rwl_schema *schema, rwl_input **out,
                              rwl_error *err) {
    static const rwl_input_vtable vtable = {next_csv, close_csv};
    csv_input *in = rwl_calloc(op->env, 1, sizeof *in);
    if (in == NULL)
        return rwl_no_memory(err, sizeof *in);
    in->base.vtable = &vtable;
    in->op = op;
    in->schema = schema;
    rwl_arena_init(&in->arena, op->env, 0);
    rwl_arena_init(&in->values, op->env, 0);
    rwl_arena_charge(&in->values, op);
    rwl_status st = rwl_csv_open(op, path, &in->csv, err);
    if (st == RWL_OK)
        st = read_header(in, err);
    if (st != RWL_OK) {
        close_csv(&in->base);
        return st;
    }
    *out = &in->base;
    return RWL_OK;
}
