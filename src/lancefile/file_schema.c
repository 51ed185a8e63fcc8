/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of Lance schemas from their messages, and what a data file says of its own columns. */
#include "column/value.h"
#include "lancefile/file_internal.h"
#include "wire/proto.h"

#include <inttypes.h>

enum {
    FIELD_LEN_MIN = 4 /* bytes of a field's message: less has no room for a logical type */
};

/* --- lance.file.Field --- */

/* A definition on its way. */
typedef struct field_message {
    rwl_arena *arena;
    rwl_lance_field_def *def;
} field_message;

static rwl_status copy_text(rwl_arena *arena, rwl_span text, const char *what, const char **out,
                            rwl_error *err) {
    if (memchr(text.data, 0, text.len) || !rwl_utf8_valid(text))
        return rwl_fail(err, RWL_CORRUPT, "%s of %zu bytes is no text", what, text.len);
    *out = rwl_arena_strndup(arena, (const char *)text.data, text.len);
    return *out ? (rwl_status)RWL_OK : rwl_no_memory(err, text.len);
}

static rwl_status take_text(rwl_arena *arena, const rwl_proto_field *field, const char *what,
                            const char **out, rwl_error *err) {
    RWL_TRY(rwl_proto_expect(field, RWL_PROTO_BYTES, err));
    return copy_text(arena, field->bytes, what, out, err);
}

static rwl_status take_id(const rwl_proto_field *field, const char *what, int32_t *out, rwl_error *err) {
    RWL_TRY(rwl_proto_expect(field, RWL_PROTO_VARINT, err));
    int64_t value = (int64_t)field->value;
    if (value < INT32_MIN || value > INT32_MAX)
        return rwl_fail(err, RWL_CORRUPT, "%s %" PRId64, what, value);
    *out = (int32_t)value;
    return RWL_OK;
}

/* An entry of the field's metadata, of which a few keys count. */
static rwl_status take_metadata(rwl_arena *arena, rwl_span entry, rwl_lance_field_def *def, rwl_error *err) {
    rwl_span key = {NULL, 0}, value = {NULL, 0};
    const rwl_proto_want wants[] = {{1, NULL, &key}, {2, NULL, &value}};
    RWL_TRY(rwl_proto_pick(entry, wants, 2, err));
    bool is_true = rwl_span_equal(value, rwl_span_str("true"));
    if (rwl_span_equal(key, rwl_span_str("packed")) ||
        rwl_span_equal(key, rwl_span_str("lance-encoding:packed")))
        def->is_packed |= is_true;
    else if (rwl_span_equal(key, rwl_span_str("lance-encoding:blob")))
        def->is_blob |= is_true;
    else if (rwl_span_equal(key, rwl_span_str("ARROW:extension:name")) && value.len > 0 && !def->extension)
        return copy_text(arena, value, "extension name", &def->extension, err);
    return RWL_OK;
}

static rwl_status take_field_part(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    const field_message *m = ctx;
    rwl_lance_field_def *def = m->def;
    switch (field->number) {
    case 2:
        return take_text(m->arena, field, "name", &def->name, err);
    case 3:
        return take_id(field, "field id", &def->id, err);
    case 4:
        return take_id(field, "parent id", &def->parent_id, err);
    case 5:
        return take_text(m->arena, field, "logical type", &def->logical_type, err);
    case 6:
        RWL_TRY(rwl_proto_expect(field, RWL_PROTO_VARINT, err));
        def->nullable = field->value != 0;
        return RWL_OK;
    case 9:
        RWL_TRY(rwl_proto_expect(field, RWL_PROTO_BYTES, err));
        return field->bytes.len > 0
                   ? copy_text(m->arena, field->bytes, "extension name", &def->extension, err)
                   : (rwl_status)RWL_OK;
    case 10:
        RWL_TRY(rwl_proto_expect(field, RWL_PROTO_BYTES, err));
        return take_metadata(m->arena, field->bytes, def, err);
    default:
        return RWL_OK;
    }
}

/* What is absent is 0, ids and parents too. */
static rwl_status parse_field(rwl_span message, rwl_arena *arena, rwl_lance_field_def *def, rwl_error *err) {
    field_message m = {arena, def};
    def->name = "";
    RWL_TRY(rwl_proto_walk(message, take_field_part, &m, err));
    if (!def->logical_type)
        return rwl_fail(err, RWL_CORRUPT, "field '%.60s' has no logical type", def->name);
    return RWL_OK;
}

static rwl_status count_field(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    size_t *count = ctx;
    if (field->number != 1)
        return RWL_OK;
    RWL_TRY(rwl_proto_expect(field, RWL_PROTO_BYTES, err));
    if (field->bytes.len < FIELD_LEN_MIN)
        return rwl_fail(err, RWL_CORRUPT, "field %zu of the schema has no logical type", *count);
    ++*count;
    return RWL_OK;
}

static rwl_status take_field(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    field_message *next = ctx;
    if (field->number != 1)
        return RWL_OK;
    RWL_TRY(parse_field(field->bytes, next->arena, next->def, err));
    next->def++;
    return RWL_OK;
}

rwl_status rwl_lance_fields_parse(rwl_span message, rwl_arena *arena, rwl_lance_field_def **out,
                                  size_t *count, rwl_error *err) {
    *out = NULL;
    *count = 0;
    RWL_TRY(rwl_proto_walk(message, count_field, count, err));
    rwl_lance_field_def *defs = rwl_arena_array(arena, *count, sizeof *defs);
    if (!defs)
        return rwl_no_memory(err, *count * sizeof *defs);
    field_message next = {arena, defs};
    rwl_status st = rwl_proto_walk(message, take_field, &next, err);
    if (st != RWL_OK)
        return rwl_error_in(err, st, "field %zu of the schema", (size_t)(next.def - defs));
    *out = defs;
    return RWL_OK;
}

/* --- a file's own schema --- */

static rwl_status parse_descriptor(rwl_lancefile *file, rwl_span message, rwl_error *err) {
    rwl_span schema;
    rwl_lance_field_def *defs;
    int64_t rows;
    RWL_TRY(rwl_lancefile_rows_and_bytes(message, 2, 1, &rows, &schema, err));
    rwl_status st = rwl_lance_fields_parse(schema, &file->arena, &defs, &file->def_count, err);
    RWL_TRY(rwl_arena_refused(&file->arena, st, "the schema of a data file", err));
    file->defs = defs;
    file->row_count = rows;
    return RWL_OK;
}

static bool has_own_column(const rwl_lancefile *file, size_t i) {
    const rwl_lance_field_def *def = &file->defs[i];
    bool has_children = i + 1 < file->def_count && file->defs[i + 1].parent_id == def->id;
    return file->version == RWL_LANCEFILE_2_0 || !has_children || def->is_packed || def->is_blob ||
           rwl_lance_field_is_blob2(def);
}

bool rwl_lance_field_is_nameless(const rwl_lance_field_def *def) {
    return def->id == -1 && def->parent_id == -1;
}

/*
 * Fields come depth first: a field's parent is the one before it, or one around that. In 2.0 every field has a column; later those
 * without children have, packed structs and blobs, but nothing below these. Below a blob of version 2 are fields without ids.
 */
static rwl_status list_columns(rwl_lancefile *file, rwl_error *err) {
    int32_t around[RWL_TYPE_DEPTH_MAX]; /* ids of the fields around */
    size_t depth = 0, owner = SIZE_MAX; /* at that depth one that has the column of all below it */
    size_t count = 0;
    const rwl_lance_field_def **columns = rwl_arena_array(&file->arena, file->def_count, sizeof *columns);
    if (!columns)
        return rwl_no_memory(err, file->def_count * sizeof *columns);
    for (size_t i = 0; i < file->def_count; i++) {
        const rwl_lance_field_def *def = &file->defs[i];
        if (depth > 0 && rwl_lance_field_is_nameless(def))
            continue;
        while (depth > 0 && around[depth - 1] != def->parent_id)
            depth--;
        if ((depth == 0 && def->parent_id != -1) || depth == RWL_TYPE_DEPTH_MAX)
            return rwl_fail(err, RWL_CORRUPT, "field %" PRId32 " is not below its parent %" PRId32, def->id,
                            def->parent_id);
        if (depth <= owner) {
            bool has_column = has_own_column(file, i);
            owner = has_column && file->version != RWL_LANCEFILE_2_0 ? depth : SIZE_MAX;
            if (has_column)
                columns[count++] = def;
        }
        around[depth++] = def->id;
    }
    file->column_defs = columns;
    file->column_def_count = count;
    return RWL_OK;
}

static rwl_status describe(rwl_lancefile *file, rwl_op *op, rwl_error *err) {
    rwl_span message;
    if (file->global_count == 0)
        return rwl_fail(err, RWL_CORRUPT, "the file has no descriptor");
    RWL_TRY(rwl_lancefile_message(file, op, "descriptor", file->globals[0], &message, err));
    return parse_descriptor(file, message, err);
}

rwl_status rwl_lancefile_describe(rwl_lancefile *file, rwl_op *op, rwl_error *err) {
    rwl_mutex_lock(&file->lock);
    rwl_status st = file->row_count >= 0 ? (rwl_status)RWL_OK : describe(file, op, err);
    rwl_mutex_unlock(&file->lock);
    if (st == RWL_OK)
        return st;
    rwl_error_in(err, st, "descriptor");
    return rwl_error_path(err, st, file->location);
}

rwl_status rwl_lancefile_column_field(rwl_lancefile *file, rwl_op *op, int32_t index,
                                      const rwl_lance_field_def **out, rwl_error *err) {
    *out = NULL;
    RWL_TRY(rwl_lancefile_describe(file, op, err));
    rwl_mutex_lock(&file->lock);
    rwl_status st = file->column_defs ? (rwl_status)RWL_OK : list_columns(file, err);
    if (st == RWL_OK && index >= 0 && (size_t)index < file->column_def_count)
        *out = file->column_defs[index];
    rwl_mutex_unlock(&file->lock);
    if (st == RWL_OK)
        return st;
    rwl_error_in(err, st, "descriptor");
    return rwl_error_path(err, st, file->location);
}
