/* SPDX-License-Identifier: Apache-2.0 */
/* Partition specs: JSON both ways, types of the tuple, folder names. */
#include "iceberg/partition.h"

#include "base/hash.h"

enum { FIRST_FIELD_ID = 1000, FOLDER_MAX = 200 };

/* --- JSON --- */

/* source-id, or the first of source-ids: several make the transform one that this library does not know. */
static rwl_status read_source(const rwl_json *json, rwl_arena *arena, int32_t *source_id,
                              rwl_transform *transform, rwl_error *err) {
    const char *text;
    rwl_json *ids;
    RWL_TRY(rwl_json_need_str(json, "transform", &text, err));
    RWL_TRY(rwl_transform_parse(text, arena, transform, err));
    RWL_TRY(rwl_json_opt_array(json, "source-ids", &ids, err));
    if (!ids)
        return rwl_json_need_i32(json, "source-id", source_id, err);
    for (size_t i = 0; i < rwl_json_len(ids); i++) {
        const rwl_json *id = rwl_json_at(ids, i);
        if (rwl_json_kind_of(id) != RWL_JSON_INT || rwl_json_i64(id) < 0 || rwl_json_i64(id) > INT32_MAX)
            return rwl_fail(err, RWL_CORRUPT, "source-ids: no field id at place %zu", i);
    }
    if (rwl_json_len(ids) == 0)
        return rwl_fail(err, RWL_CORRUPT, "'source-ids' is empty");
    *source_id = (int32_t)rwl_json_i64(rwl_json_at(ids, 0));
    if (rwl_json_len(ids) > 1)
        transform->kind = RWL_TRANSFORM_UNKNOWN;
    return RWL_OK;
}

static rwl_status read_field(const rwl_json *json, int32_t fallback_id, rwl_arena *arena,
                             rwl_partition_field *out, rwl_error *err) {
    const char *name;
    out->field_id = fallback_id;
    RWL_TRY(rwl_json_need_str(json, "name", &name, err));
    out->name = rwl_arena_strdup(arena, name);
    if (!out->name)
        return rwl_no_memory(err, strlen(name) + 1);
    RWL_TRY(rwl_json_opt_i32(json, "field-id", NULL, &out->field_id, err));
    if (out->field_id < 0 || out->field_id >= RWL_FIELD_ID_RESERVED_MIN)
        return rwl_fail(err, RWL_CORRUPT, "'field-id' is %d", (int)out->field_id);
    return read_source(json, arena, &out->source_id, &out->transform, err);
}

static rwl_status read_fields(const rwl_json *array, rwl_arena *arena, rwl_partition_spec *out,
                              rwl_error *err) {
    size_t len = rwl_json_len(array);
    if (len > 10000)
        return rwl_fail(err, RWL_UNSUPPORTED, "%zu partition fields", len);
    rwl_partition_field *fields = rwl_arena_array(arena, len, sizeof *fields);
    if (!fields)
        return rwl_no_memory(err, len * sizeof *fields);
    for (size_t i = 0; i < len; i++) {
        rwl_status st =
            read_field(rwl_json_at(array, i), FIRST_FIELD_ID + (int32_t)i, arena, &fields[i], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "field at place %zu", i);
        for (size_t k = 0; k < i; k++) {
            if (fields[k].field_id == fields[i].field_id)
                return rwl_fail(err, RWL_CORRUPT, "two partition fields have the id %d",
                                (int)fields[i].field_id);
        }
    }
    out->fields = fields;
    out->field_count = (int32_t)len;
    return RWL_OK;
}

rwl_status rwl_partition_spec_from_json(const rwl_json *json, rwl_arena *arena, rwl_partition_spec *out,
                                        rwl_error *err) {
    memset(out, 0, sizeof *out);
    rwl_json *fields = NULL;
    rwl_status st = RWL_OK;
    if (rwl_json_kind_of(json) != RWL_JSON_ARRAY) {
        st = rwl_json_need_i32(json, "spec-id", &out->spec_id, err);
        if (st == RWL_OK)
            st = rwl_json_need_array(json, "fields", &fields, err);
    }
    if (st == RWL_OK)
        st = read_fields(fields ? fields : json, arena, out, err);
    return st == RWL_OK ? RWL_OK : rwl_error_in(err, st, "partition spec %d", (int)out->spec_id);
}

static rwl_status put_fields(const rwl_partition_spec *spec, rwl_json *array, rwl_error *err) {
    for (int32_t i = 0; i < spec->field_count; i++) {
        const rwl_partition_field *f = &spec->fields[i];
        rwl_json *object = rwl_json_new_object();
        RWL_TRY(rwl_json_append(array, object, err));
        RWL_TRY(rwl_json_set(object, "name", rwl_json_new_str(f->name), err));
        RWL_TRY(rwl_json_set(object, "transform", rwl_json_new_str(f->transform.text), err));
        RWL_TRY(rwl_json_set(object, "source-id", rwl_json_new_i64(f->source_id), err));
        RWL_TRY(rwl_json_set(object, "field-id", rwl_json_new_i64(f->field_id), err));
    }
    return RWL_OK;
}

static rwl_status put_spec(const rwl_partition_spec *spec, rwl_json *object, rwl_error *err) {
    rwl_json *array = rwl_json_new_array();
    rwl_status st = rwl_json_set(object, "spec-id", rwl_json_new_i64(spec->spec_id), err);
    if (st != RWL_OK) {
        rwl_json_free(array);
        return st;
    }
    RWL_TRY(rwl_json_set(object, "fields", array, err));
    return put_fields(spec, array, err);
}

rwl_status rwl_partition_spec_to_json(const rwl_partition_spec *spec, bool fields_only, rwl_json **out,
                                      rwl_error *err) {
    *out = NULL;
    rwl_json *root = fields_only ? rwl_json_new_array() : rwl_json_new_object();
    if (!root)
        return rwl_no_memory(err, sizeof *spec);
    rwl_status st = fields_only ? put_fields(spec, root, err) : put_spec(spec, root, err);
    if (st == RWL_OK)
        *out = root;
    else
        rwl_json_free(root);
    return st;
}

/* --- types and paths --- */

rwl_status rwl_partition_types(const rwl_partition_spec *spec, const rwl_schema *schema, rwl_type *types,
                               rwl_error *err) {
    for (int32_t i = 0; i < spec->field_count; i++) {
        const rwl_partition_field *f = &spec->fields[i];
        const rwl_field *source = rwl_schema_by_id(schema, f->source_id);
        types[i] = rwl_type_of(RWL_TYPE_UNKNOWN);
        if (!source || f->transform.kind == RWL_TRANSFORM_UNKNOWN)
            continue;
        if (!rwl_transform_result(&f->transform, &source->type, &types[i]))
            return rwl_fail(err, RWL_CORRUPT,
                            "partition field '%.60s': transform '%.60s' cannot take column '%.60s'", f->name,
                            f->transform.text, source->name);
    }
    return RWL_OK;
}

rwl_status rwl_partition_spec_check_writable(const rwl_partition_spec *spec, rwl_error *err) {
    for (int32_t i = 0; i < spec->field_count; i++) {
        const rwl_partition_field *f = &spec->fields[i];
        if (f->transform.kind == RWL_TRANSFORM_UNKNOWN)
            return rwl_fail(
                err, RWL_UNSUPPORTED,
                "partition field '%.60s' of spec %d has the unknown transform '%.100s': it can be read, "
                "not written",
                f->name, (int)spec->spec_id, f->transform.text);
    }
    return RWL_OK;
}

/* Everything but letters, digits and . - * _ as %XX. */
static rwl_status put_escaped(rwl_span text, rwl_buf *out, rwl_error *err) {
    static const char hex[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                     c == '-' || c == '*' || c == '_';
        uint8_t escape[3] = {'%', (uint8_t)hex[c >> 4], (uint8_t)hex[c & 15]};
        RWL_TRY(plain ? rwl_buf_u8(out, c, err) : rwl_buf_append(out, escape, sizeof escape, err));
    }
    return RWL_OK;
}

/* File systems take 255 bytes a name: longer ones end in a hash of the whole. */
static rwl_status shorten_folder(rwl_buf *out, size_t start, rwl_error *err) {
    if (out->len - start <= FOLDER_MAX)
        return RWL_OK;
    uint64_t hash = rwl_hash_xxh64(rwl_span_of(out->data + start, out->len - start), 0);
    out->len = start + FOLDER_MAX;
    while (out->data[out->len - 1] == '%' || out->data[out->len - 2] == '%') /* keep escapes whole */
        out->len--;
    return rwl_buf_printf(out, err, "-%016llx", (unsigned long long)hash);
}

rwl_status rwl_partition_path(const rwl_partition_spec *spec, const rwl_type *types, const rwl_value *values,
                              rwl_buf *out, rwl_error *err) {
    rwl_buf text;
    rwl_buf_init(&text, out->env, SIZE_MAX);
    rwl_status st = RWL_OK;
    for (int32_t i = 0; i < spec->field_count; i++) {
        const rwl_partition_field *f = &spec->fields[i];
        if (i > 0)
            RWL_GOTO(st, rwl_buf_u8(out, '/', err), out);
        size_t start = out->len;
        RWL_GOTO(st, put_escaped(rwl_span_str(f->name), out, err), out);
        RWL_GOTO(st, rwl_buf_u8(out, '=', err), out);
        rwl_buf_reset(&text);
        RWL_GOTO(st, rwl_transform_format(&f->transform, &types[i], &values[i], &text, err), out);
        RWL_GOTO(st, put_escaped(rwl_buf_span(&text), out, err), out);
        RWL_GOTO(st, shorten_folder(out, start, err), out);
    }
out:
    rwl_buf_clear(&text);
    return st;
}
