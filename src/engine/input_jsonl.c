/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of JSON lines: one object a line, keys by column name, values as CLI.md's "Values in JSON" has them. */
#include "engine/input.h"

#include "base/map.h"
#include "engine/json_line.h"
#include "engine/json_value.h"
#include "storage/stream.h"

enum { READ_BYTES = 1 << 18, LINE_BYTES_MAX = 1 << 28 };

typedef struct jsonl_input {
    rwl_input base;
    rwl_op *op;
    rwl_arena arena;  /* path */
    rwl_arena values; /* of the line being read */
    const char *path;
    const rwl_schema *schema;
    rwl_stream *stream;
    rwl_map columns; /* name → index of the table's field */
    rwl_buf text;    /* bytes read and not yet used up: [start, len) */
    size_t start;
    bool ended;
    int64_t line;
    rwl_json_line quick;
} jsonl_input;

static void close_jsonl(rwl_input *base) {
    jsonl_input *in = (jsonl_input *)base;
    rwl_stream_close(in->stream);
    rwl_map_clear(&in->columns);
    rwl_buf_clear(&in->text);
    rwl_arena_clear(&in->values);
    rwl_arena_clear(&in->arena);
    rwl_free(in->op->env, in);
}

/* The next line without its end; *line has data NULL at the end of the input. */
static rwl_status next_line(jsonl_input *in, rwl_span *line, rwl_error *err) {
    size_t scanned = in->start;
    for (;;) {
        const uint8_t *end =
            scanned < in->text.len ? memchr(in->text.data + scanned, '\n', in->text.len - scanned) : NULL;
        if (end != NULL || (in->ended && in->start < in->text.len)) {
            size_t stop = end != NULL ? (size_t)(end - in->text.data) : in->text.len;
            *line = rwl_span_of(in->text.data + in->start, stop - in->start);
            in->start = end != NULL ? stop + 1 : stop;
            in->line++;
            return RWL_OK;
        }
        if (in->ended) {
            *line = rwl_span_of(NULL, 0);
            return RWL_OK;
        }
        scanned = in->text.len - in->start;
        if (in->start > 0 && scanned > 0)
            memmove(in->text.data, in->text.data + in->start, scanned);
        in->text.len = scanned;
        in->start = 0;
        if (scanned > LINE_BYTES_MAX)
            return rwl_fail(err, RWL_UNSUPPORTED, "%s: line %lld is longer than %d bytes", in->path,
                            (long long)in->line + 1, LINE_BYTES_MAX);
        size_t got;
        RWL_TRY(rwl_buf_reserve(&in->text, READ_BYTES, err));
        RWL_TRY(rwl_stream_read(in->stream, in->text.data + in->text.len, READ_BYTES, &got, err));
        in->text.len += got;
        in->ended = got == 0;
    }
}

static rwl_status at_column(const jsonl_input *in, const char *column, rwl_status st, rwl_error *err) {
    return rwl_input_at_column(in->path, in->line, column, st, err);
}

static rwl_status add_key(jsonl_input *in, const char *key, const rwl_json *value, rwl_batch *batch,
                          rwl_error *err) {
    rwl_map_value *found = rwl_map_get_str(&in->columns, key);
    if (found == NULL) {
        RWL_TRY(rwl_input_check_name(in->path, key, -1, err));
        return at_column(in, key, rwl_fail(err, RWL_USAGE, "is not in the table"), err);
    }
    in->quick.seen_in_line[found->i64] = in->line;
    rwl_status st = rwl_json_append_value(&in->schema->fields[found->i64], value, &in->values, batch->env,
                                          &batch->columns[found->i64], err);
    return at_column(in, key, st, err);
}

/* Fills the columns that the line did not name. */
static rwl_status end_row(jsonl_input *in, rwl_batch *batch, rwl_error *err) {
    for (int32_t i = 0; i < in->schema->field_count; i++) {
        if (in->quick.seen_in_line[i] == in->line)
            continue;
        const rwl_field *field = &in->schema->fields[i];
        if (rwl_input_check_missing("", field, NULL) != RWL_OK)
            return at_column(in, field->name, rwl_fail(err, RWL_USAGE, "is required and missing"), err);
        RWL_TRY(rwl_input_fill_missing(field, &batch->columns[i], batch->env, 1, err));
    }
    batch->length++;
    return RWL_OK;
}

static rwl_status add_object(jsonl_input *in, const rwl_json *object, rwl_batch *batch, rwl_error *err) {
    if (rwl_json_kind_of(object) != RWL_JSON_OBJECT)
        return rwl_fail(err, RWL_CORRUPT, "%s: line %lld is no JSON object", in->path, (long long)in->line);
    size_t pos = 0;
    const char *key;
    rwl_json *value;
    while (rwl_json_next(object, &pos, &key, &value))
        RWL_TRY(add_key(in, key, value, batch, err));
    return end_row(in, batch, err);
}

/* The values of a line that was read the quick way. */
static rwl_status add_values(jsonl_input *in, rwl_batch *batch, rwl_error *err) {
    for (int32_t i = 0; i < in->schema->field_count; i++)
        if (in->quick.seen_in_line[i] == in->line)
            RWL_TRY(rwl_column_append(&batch->columns[i], batch->env, &in->quick.values[i], 1, err));
    return end_row(in, batch, err);
}

static rwl_status in_line(const jsonl_input *in, rwl_status st, rwl_error *err) {
    return rwl_error_path(err, rwl_error_in(err, st, "%s: line %lld", in->path, (long long)in->line),
                          in->path);
}

static rwl_status add_slowly(jsonl_input *in, rwl_span line, rwl_batch *batch, rwl_error *err) {
    rwl_json *object;
    rwl_status st = rwl_json_parse_values(line, in->op->env, &object, err);
    if (st != RWL_OK)
        return in_line(in, st, err);
    rwl_arena_reset(&in->values);
    st = rwl_arena_refused(&in->values, add_object(in, object, batch, err), "values of a line", err);
    rwl_json_free(object);
    return st;
}

static rwl_status add_line(jsonl_input *in, rwl_span line, rwl_batch *batch, rwl_error *err) {
    size_t blank = 0;
    while (blank < line.len &&
           (line.data[blank] == ' ' || line.data[blank] == '\t' || line.data[blank] == '\r'))
        blank++;
    if (blank == line.len)
        return RWL_OK;
    rwl_arena_reset(&in->values);
    if (rwl_json_line_read(&in->quick, line, in->line, &in->values))
        return add_values(in, batch, err);
    int64_t cost = rwl_json_cost(line);
    rwl_status st = rwl_op_reserve(in->op, cost, "values of JSON", err);
    if (st == RWL_OK) {
        st = add_slowly(in, line, batch, err);
        rwl_op_release(in->op, cost);
        return st;
    }
    return in_line(in, st, err);
}

static rwl_status next_jsonl(rwl_input *base, rwl_batch *batch, rwl_error *err) {
    jsonl_input *in = (jsonl_input *)base;
    size_t bytes = 0;
    while (batch->length < RWL_BATCH_ROWS && bytes < RWL_INPUT_BATCH_BYTES) {
        rwl_span line;
        RWL_TRY(next_line(in, &line, err));
        if (line.data == NULL)
            break;
        bytes += line.len;
        RWL_TRY(add_line(in, line, batch, err));
    }
    return RWL_OK;
}

static rwl_status open_jsonl(jsonl_input *in, const char *path, rwl_error *err) {
    in->path = rwl_arena_strdup(&in->arena, strcmp(path, "-") == 0 ? "standard input" : path);
    if (in->path == NULL)
        return rwl_no_memory(err, strlen(path));
    RWL_TRY(rwl_json_line_init(&in->quick, in->schema, &in->columns, &in->arena, err));
    for (int32_t i = 0; i < in->schema->field_count; i++) {
        const rwl_field *field = &in->schema->fields[i];
        rwl_map_value *slot;
        RWL_TRY(rwl_map_put(&in->columns, rwl_span_str(field->name), &slot, NULL, err));
        slot->i64 = i;
    }
    return rwl_stream_open(in->op, path, &in->stream, err);
}

rwl_status rwl_input_open_jsonl(rwl_op *op, const char *path, const rwl_schema *schema, rwl_input **out,
                                rwl_error *err) {
    static const rwl_input_vtable vtable = {next_jsonl, close_jsonl};
    jsonl_input *in = rwl_calloc(op->env, 1, sizeof *in);
    if (in == NULL)
        return rwl_no_memory(err, sizeof *in);
    in->base.vtable = &vtable;
    in->op = op;
    in->schema = schema;
    rwl_arena_init(&in->arena, op->env, 0);
    rwl_arena_init(&in->values, op->env, 0);
    rwl_arena_charge(&in->values, op);
    rwl_map_init(&in->columns, op->env);
    rwl_buf_init(&in->text, op->env, SIZE_MAX);
    rwl_buf_charge(&in->text, op, "a line of JSON");
    rwl_status st = open_jsonl(in, path, err);
    if (st != RWL_OK) {
        close_jsonl(&in->base);
        return st;
    }
    *out = &in->base;
    return RWL_OK;
}
