/* SPDX-License-Identifier: Apache-2.0 */
/* Matching an input's columns to a table's, and the parts the formats share. */
#include "engine/input.h"

#include <sys/stat.h>
#include <unistd.h>

static bool ends_with(const char *text, const char *end) {
    size_t len = strlen(text), end_len = strlen(end);
    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

typedef rwl_status (*open_fn)(rwl_op *op, const char *path, const rwl_schema *schema, rwl_input **out,
                              rwl_error *err);

/* A Parquet file begins at its end: standard input can be one only where it is a file. */
static rwl_status open_parquet(rwl_op *op, const char *path, const rwl_schema *schema, rwl_input **out,
                               rwl_error *err) {
    struct stat st;
    if (strcmp(path, "-") != 0)
        return rwl_input_open_parquet(op, path, schema, out, err);
    if (fstat(STDIN_FILENO, &st) != 0 || !S_ISREG(st.st_mode))
        return rwl_fail(
            err, RWL_UNSUPPORTED,
            "standard input is no file, and Parquet can't be read from a pipe: name the file, or send "
            "csv, jsonl or arrow");
    return rwl_input_open_parquet(op, "/dev/stdin", schema, out, err);
}

static const struct input_format {
    const char *name;
    const char *extensions[4];
    open_fn open;
} FORMATS[] = {
    {"parquet", {".parquet"}, open_parquet},
    {"csv", {".csv"}, rwl_input_open_csv},
    {"jsonl", {".jsonl", ".ndjson", ".json"}, rwl_input_open_jsonl},
    {"arrow", {".arrow", ".arrows", ".feather", ".ipc"}, rwl_input_open_ipc},
};

static const struct input_format *find_format(const char *path, const char *format) {
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++) {
        if (format != NULL && strcmp(format, FORMATS[i].name) == 0)
            return &FORMATS[i];
        for (int e = 0; format == NULL && e < 4 && FORMATS[i].extensions[e] != NULL; e++)
            if (ends_with(path, FORMATS[i].extensions[e]))
                return &FORMATS[i];
    }
    return NULL;
}

rwl_status rwl_input_open(rwl_op *op, const char *path, const char *format, const rwl_schema *schema,
                          rwl_input **out, rwl_error *err) {
    const struct input_format *found = find_format(path, format);
    if (found != NULL)
        return found->open(op, path, schema, out, err);
    if (format != NULL)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "input format %s is not supported: parquet, csv, jsonl and arrow are", format);
    if (strcmp(path, "-") == 0)
        return rwl_fail(err, RWL_USAGE, "standard input needs --input-format");
    return rwl_fail(err, RWL_UNSUPPORTED,
                    "%s: the format of this file is not supported: .parquet, .csv, .jsonl and .arrow are; "
                    "--input-format says what a file of another name is",
                    path);
}

rwl_status rwl_input_next(rwl_input *input, rwl_batch *batch, rwl_error *err) {
    rwl_batch_reset(batch);
    return input->vtable->next(input, batch, err);
}

void rwl_input_close(rwl_input *input) {
    if (input != NULL)
        input->vtable->close(input);
}

rwl_status rwl_input_check_name(const char *source, const char *name, int32_t field_id, rwl_error *err) {
    static const char *const reserved[] = {RWL_COLUMN_ROW_ID, RWL_COLUMN_LAST_UPDATED,
                                           RWL_COLUMN_FILE,   RWL_COLUMN_POS,
                                           "_deleted",        "_spec_id",
                                           "_partition",      "_change_type",
                                           "_change_ordinal", "_commit_snapshot_id"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return rwl_fail(err, RWL_UNSUPPORTED,
                            "%s: column %s is reserved: identities are not forged by an append", source,
                            name);
    if (field_id >= RWL_FIELD_ID_RESERVED_MIN)
        return rwl_fail(err, RWL_UNSUPPORTED, "%s: column %s has the reserved field id %d", source, name,
                        field_id);
    return RWL_OK;
}

rwl_status rwl_input_at_column(const char *source, int64_t line, const char *column, rwl_status st,
                               rwl_error *err) {
    if (st != RWL_USAGE && st != RWL_CORRUPT && st != RWL_UNSUPPORTED)
        return st;
    if (st == RWL_USAGE)
        st = RWL_CORRUPT;
    if (err != NULL)
        err->code = st;
    return rwl_error_path(
        err, rwl_error_in(err, st, "%s: line %lld: column %s", source, (long long)line, column), source);
}

rwl_status rwl_input_check_missing(const char *source, const rwl_field *field, rwl_error *err) {
    if (field->required && (field->write_default == NULL || field->write_default->is_null))
        return rwl_fail(err, RWL_CORRUPT, "%s: required column %s is missing", source, field->name);
    return RWL_OK;
}

rwl_status rwl_input_fill_missing(const rwl_field *field, rwl_column *column, const rwl_env *env,
                                  int64_t count, rwl_error *err) {
    rwl_value null = rwl_value_null(field->type.kind);
    return rwl_column_append(column, env, field->write_default != NULL ? field->write_default : &null, count,
                             err);
}

/* Whether values of type `from` go into a column of type `to`; nested ones with the same fields in the same order. */
static bool takes(const rwl_type *from, const rwl_type *to, int depth) {
    if (!rwl_type_is_nested(to))
        return rwl_type_equal(from, to) || rwl_type_promotes(from, to) || from->kind == RWL_TYPE_UNKNOWN;
    if (from->kind == RWL_TYPE_UNKNOWN)
        return true;
    if (from->kind != to->kind || from->child_count != to->child_count || depth > RWL_TYPE_DEPTH_MAX)
        return false;
    for (int32_t i = 0; i < to->child_count; i++)
        if ((to->kind == RWL_TYPE_STRUCT && strcmp(from->children[i].name, to->children[i].name) != 0) ||
            !takes(&from->children[i].type, &to->children[i].type, depth + 1))
            return false;
    return true;
}

static rwl_status check_type(const char *source, const rwl_field *to, const rwl_type *from, rwl_error *err) {
    if (takes(from, &to->type, 0))
        return RWL_OK;
    char text[2][96];
    const rwl_type *types[2] = {from, &to->type};
    for (int i = 0; i < 2; i++)
        rwl_type_name(types[i], text[i], sizeof text[i]);
    return rwl_fail(err, RWL_CORRUPT, "%s: column %s is %s, the table's is %s", source, to->name, text[0],
                    text[1]);
}

/* Which of the table's columns each of the file's is. */
static rwl_status match_names(const char *source, const rwl_schema *schema, const rwl_field *fields,
                              int32_t count, int32_t *columns, rwl_error *err) {
    for (int32_t i = 0; i < schema->field_count; i++)
        columns[i] = -1;
    for (int32_t c = 0; c < count; c++) {
        RWL_TRY(rwl_input_check_name(source, fields[c].name, fields[c].id, err));
        const rwl_field *field = rwl_schema_by_name(schema, fields[c].name);
        if (field == NULL)
            return rwl_fail(err, RWL_CORRUPT, "%s: column %s is not in the table", source, fields[c].name);
        int32_t *column = &columns[field - schema->fields];
        if (*column >= 0)
            return rwl_fail(err, RWL_CORRUPT, "%s: column %s is there twice", source, field->name);
        *column = c;
    }
    return RWL_OK;
}

rwl_status rwl_input_match(const char *source, const rwl_schema *schema, const rwl_field *fields,
                           int32_t count, int32_t *columns, rwl_error *err) {
    RWL_TRY(match_names(source, schema, fields, count, columns, err));
    for (int32_t i = 0; i < schema->field_count; i++) {
        const rwl_field *field = &schema->fields[i];
        if (columns[i] < 0)
            RWL_TRY(rwl_input_check_missing(source, field, err));
        else
            RWL_TRY(check_type(source, field, &fields[columns[i]].type, err));
    }
    return RWL_OK;
}

/* --- nulls of required fields within values --- */

/* Whether any column within is required and has nulls, though these may belong to values that are null as a whole. */
static bool may_lack(const rwl_column *c) {
    for (int32_t i = 0; i < c->type.child_count; i++)
        if ((c->type.children[i].required && c->children[i].null_count > 0) || may_lack(&c->children[i]))
            return true;
    return false;
}

/* The field that the value of a row, which is not null, lacks; NULL when it is whole. As deep as types are. */
static const rwl_field *find_lacking(const rwl_column *c, int64_t row) {
    bool is_struct = c->type.kind == RWL_TYPE_STRUCT;
    for (int32_t i = 0; i < c->type.child_count; i++) {
        const rwl_column *child = &c->children[i];
        int64_t from = is_struct ? row : rwl_column_offsets(c)[row];
        int64_t to = is_struct ? row + 1 : rwl_column_offsets(c)[row + 1];
        for (int64_t at = from; at < to; at++) {
            bool is_null = rwl_column_is_null(child, at);
            if (is_null && c->type.children[i].required)
                return &c->type.children[i];
            const rwl_field *lacking = is_null ? NULL : find_lacking(child, at);
            if (lacking != NULL)
                return lacking;
        }
    }
    return NULL;
}

static rwl_status check_required(const char *source, const rwl_field *field, const rwl_column *c,
                                 rwl_error *err) {
    if (field->required && c->null_count > 0)
        return rwl_fail(err, RWL_CORRUPT, "%s: required column %s has a null", source, field->name);
    if (!may_lack(c))
        return RWL_OK;
    for (int64_t row = 0; row < c->length; row++) {
        const rwl_field *lacking = rwl_column_is_null(c, row) ? NULL : find_lacking(c, row);
        if (lacking != NULL)
            return rwl_fail(err, RWL_CORRUPT, "%s: column %s: required field %s has a null", source,
                            field->name, lacking->name);
    }
    return RWL_OK;
}

rwl_status rwl_input_convert(const char *source, const rwl_schema *schema, const int32_t *columns,
                             const rwl_batch *in, rwl_batch *out, rwl_error *err) {
    for (int32_t i = 0; i < schema->field_count; i++) {
        const rwl_field *field = &schema->fields[i];
        rwl_column *to = &out->columns[i];
        if (columns[i] < 0 || in->columns[columns[i]].type.kind == RWL_TYPE_UNKNOWN) {
            rwl_column_reset(to);
            RWL_TRY(rwl_input_fill_missing(field, to, out->env, in->length, err));
        } else {
            rwl_status st = rwl_column_promote(&in->columns[columns[i]], to, out->env, err);
            if (st != RWL_OK)
                return rwl_error_in(err, st, "%s: column %s", source, field->name);
        }
        RWL_TRY(check_required(source, field, to, err));
    }
    out->length = in->length;
    return RWL_OK;
}
