/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas as JSON, both ways (specification, appendix C, "Schemas"). */
#include "column/value.h"
#include "iceberg/schema.h"

#include <stdio.h>

/* --- reading --- */

static rwl_status need_bool(const rwl_json *object, const char *key, bool *out, rwl_error *err) {
    const rwl_json *value = rwl_json_get(object, key);
    if (rwl_json_kind_of(value) != RWL_JSON_BOOL)
        return rwl_fail(err, RWL_CORRUPT, "'%s' is %s", key, value ? "no boolean" : "missing");
    *out = rwl_json_bool(value);
    return RWL_OK;
}

static rwl_status read_type(const rwl_json *json, rwl_arena *arena, int depth, rwl_type *out, rwl_error *err);

/* Java reads type names in any letter case. */
static bool parse_lowered(const char *text, rwl_arena *arena, rwl_type *out) {
    char *lower = rwl_arena_strdup(arena, text);
    if (!lower)
        return false;
    for (char *p = lower; *p; p++) {
        if (*p >= 'A' && *p <= 'Z')
            *p = (char)(*p - 'A' + 'a');
    }
    return rwl_type_parse(lower, arena, out);
}

static rwl_status read_primitive(const char *text, rwl_arena *arena, rwl_type *out, rwl_error *err) {
    if (rwl_type_parse(text, arena, out) || parse_lowered(text, arena, out))
        return RWL_OK;
    /* known names with wrong parameters are damage, unknown names come from a later version */
    bool known = strncmp(text, "decimal", 7) == 0 || strncmp(text, "fixed", 5) == 0;
    return rwl_fail(err, known ? RWL_CORRUPT : RWL_UNSUPPORTED, "%s type '%.100s'",
                    known ? "malformed" : "unknown", text);
}

static rwl_status read_default(const rwl_json *json, const char *key, const rwl_type *type, rwl_arena *arena,
                               const rwl_value **out, rwl_error *err) {
    const rwl_json *value = rwl_json_get(json, key);
    rwl_json_kind kind = rwl_json_kind_of(value);
    *out = NULL;
    /* of nested types {} and what is empty; a writer has no use for it that leaves all of a column out */
    if (kind == RWL_JSON_NULL || (rwl_type_is_nested(type) && strcmp(key, "write-default") == 0))
        return RWL_OK;
    rwl_value *v = rwl_arena_alloc(arena, sizeof *v);
    if (!v)
        return rwl_no_memory(err, sizeof *v);
    rwl_status st = rwl_value_from_json(type, value, arena, v, err);
    *out = v;
    return st == RWL_OK ? RWL_OK : rwl_error_in(err, st, "%s", key);
}

static rwl_status copy_text(const char *text, rwl_arena *arena, const char **out, rwl_error *err) {
    *out = text ? rwl_arena_strdup(arena, text) : NULL;
    return !text || *out ? RWL_OK : rwl_no_memory(err, strlen(text) + 1);
}

static rwl_status check_id(int32_t id, rwl_error *err) {
    return id >= 0 ? RWL_OK : rwl_fail(err, RWL_CORRUPT, "the field id is %d", (int)id);
}

static rwl_status read_field_body(const rwl_json *json, rwl_arena *arena, int depth, rwl_field *out,
                                  rwl_error *err) {
    const char *doc;
    RWL_TRY(rwl_json_need_i32(json, "id", &out->id, err));
    RWL_TRY(check_id(out->id, err));
    RWL_TRY(need_bool(json, "required", &out->required, err));
    RWL_TRY(rwl_json_opt_str(json, "doc", &doc, err));
    RWL_TRY(copy_text(doc, arena, &out->doc, err));
    RWL_TRY(read_type(rwl_json_get(json, "type"), arena, depth + 1, &out->type, err));
    RWL_TRY(read_default(json, "initial-default", &out->type, arena, &out->initial_default, err));
    return read_default(json, "write-default", &out->type, arena, &out->write_default, err);
}

static rwl_status read_fields(const rwl_json *json, rwl_arena *arena, int depth, const rwl_field **out,
                              int32_t *count, rwl_error *err) {
    rwl_json *array;
    RWL_TRY(rwl_json_need_array(json, "fields", &array, err));
    size_t len = rwl_json_len(array);
    if (len > INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "a struct has %zu fields", len);
    rwl_field *fields = rwl_arena_array(arena, len, sizeof *fields);
    if (!fields)
        return rwl_no_memory(err, len * sizeof *fields);
    for (size_t i = 0; i < len; i++) {
        const rwl_json *item = rwl_json_at(array, i);
        const char *name;
        rwl_status st = rwl_json_need_str(item, "name", &name, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "field at place %zu", i);
        RWL_TRY(copy_text(name, arena, &fields[i].name, err));
        st = read_field_body(item, arena, depth, &fields[i], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "field '%.60s'", name);
    }
    *out = fields;
    *count = (int32_t)len;
    return RWL_OK;
}

/* One child of a list or map: its keys are the parent's, e.g. element-id, element-required, element. */
static rwl_status read_child(const rwl_json *json, const char *name, bool may_be_null, rwl_arena *arena,
                             int depth, rwl_field *out, rwl_error *err) {
    char key[32];
    snprintf(key, sizeof key, "%s-id", name);
    out->name = name;
    out->required = true;
    RWL_TRY(rwl_json_need_i32(json, key, &out->id, err));
    RWL_TRY(check_id(out->id, err));
    snprintf(key, sizeof key, "%s-required", name);
    if (may_be_null)
        RWL_TRY(need_bool(json, key, &out->required, err));
    return read_type(rwl_json_get(json, name), arena, depth + 1, &out->type, err);
}

static rwl_status read_nested(const rwl_json *json, const char *kind, rwl_arena *arena, int depth,
                              rwl_type *out, rwl_error *err) {
    if (strcmp(kind, "struct") == 0) {
        *out = rwl_type_of(RWL_TYPE_STRUCT);
        return read_fields(json, arena, depth, &out->children, &out->child_count, err);
    }
    bool is_map = strcmp(kind, "map") == 0;
    if (!is_map && strcmp(kind, "list") != 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "unknown nested type '%.100s'", kind);
    *out = rwl_type_of(is_map ? RWL_TYPE_MAP : RWL_TYPE_LIST);
    rwl_field *children = rwl_arena_array(arena, 2, sizeof *children);
    if (!children)
        return rwl_no_memory(err, 2 * sizeof *children);
    out->children = children;
    out->child_count = is_map ? 2 : 1;
    if (!is_map)
        return read_child(json, "element", true, arena, depth, &children[0], err);
    RWL_TRY(read_child(json, "key", false, arena, depth, &children[0], err));
    return read_child(json, "value", true, arena, depth, &children[1], err);
}

static rwl_status read_type(const rwl_json *json, rwl_arena *arena, int depth, rwl_type *out,
                            rwl_error *err) {
    if (depth > RWL_TYPE_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "types nest deeper than %d levels", RWL_TYPE_DEPTH_MAX);
    const char *text = rwl_json_str(json);
    if (text)
        return read_primitive(text, arena, out, err);
    if (rwl_json_kind_of(json) != RWL_JSON_OBJECT)
        return rwl_fail(err, RWL_CORRUPT,
                        json ? "a type is neither a string nor an object" : "'type' is missing");
    const char *kind;
    RWL_TRY(rwl_json_need_str(json, "type", &kind, err));
    return read_nested(json, kind, arena, depth, out, err);
}

static rwl_status read_identifiers(const rwl_json *json, rwl_arena *arena, rwl_schema *out, rwl_error *err) {
    rwl_json *array;
    RWL_TRY(rwl_json_opt_array(json, "identifier-field-ids", &array, err));
    size_t len = array ? rwl_json_len(array) : 0;
    if (len > INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "the schema has %zu identifier fields", len);
    int32_t *ids = rwl_arena_array(arena, len, sizeof *ids);
    if (!ids)
        return rwl_no_memory(err, len * sizeof *ids);
    for (size_t i = 0; i < len; i++) {
        int64_t id = rwl_json_kind_of(rwl_json_at(array, i)) == RWL_JSON_INT
                         ? rwl_json_i64(rwl_json_at(array, i))
                         : -1;
        if (id < 0 || id > INT32_MAX || !rwl_schema_by_id(out, (int32_t)id))
            return rwl_fail(err, RWL_CORRUPT, "identifier-field-ids: no field has the id at place %zu", i);
        ids[i] = (int32_t)id;
    }
    out->identifier_ids = ids;
    out->identifier_count = (int32_t)len;
    return RWL_OK;
}

static rwl_status read_schema(const rwl_json *json, int32_t format_version, rwl_arena *arena, rwl_schema *out,
                              rwl_error *err) {
    const char *kind;
    RWL_TRY(rwl_json_need_str(json, "type", &kind, err));
    if (strcmp(kind, "struct") != 0)
        return rwl_fail(err, RWL_CORRUPT, "'type' is '%.60s', not 'struct'", kind);
    RWL_TRY(read_fields(json, arena, 0, &out->fields, &out->field_count, err));
    RWL_TRY(rwl_schema_index(out, arena, err));
    RWL_TRY(rwl_schema_check_version(out, format_version, err));
    return read_identifiers(json, arena, out, err);
}

rwl_status rwl_schema_from_json(const rwl_json *json, int32_t format_version, rwl_arena *arena,
                                rwl_schema *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    rwl_status st = rwl_json_opt_i32(json, "schema-id", NULL, &out->schema_id, err);
    if (st == RWL_OK)
        st = read_schema(json, format_version, arena, out, err);
    return st == RWL_OK ? RWL_OK : rwl_error_in(err, st, "schema %d", (int)out->schema_id);
}

/* --- writing: a new container is given to its parent first, so that the root alone needs freeing --- */

static rwl_status put_type(rwl_json *parent, const char *key, const rwl_type *t, int depth, rwl_error *err);

static rwl_status put_default(rwl_json *object, const char *key, const rwl_type *t, const rwl_value *v,
                              rwl_error *err) {
    if (!v)
        return RWL_OK;
    rwl_json *json;
    RWL_TRY(rwl_value_to_json(t, v, &json, err));
    return rwl_json_set(object, key, json, err);
}

static rwl_status put_field(rwl_json *array, const rwl_field *f, int depth, rwl_error *err) {
    rwl_json *object = rwl_json_new_object();
    RWL_TRY(rwl_json_append(array, object, err));
    RWL_TRY(rwl_json_set(object, "id", rwl_json_new_i64(f->id), err));
    RWL_TRY(rwl_json_set(object, "name", rwl_json_new_str(f->name), err));
    RWL_TRY(rwl_json_set(object, "required", rwl_json_new_bool(f->required), err));
    RWL_TRY(put_type(object, "type", &f->type, depth + 1, err));
    if (f->doc)
        RWL_TRY(rwl_json_set(object, "doc", rwl_json_new_str(f->doc), err));
    RWL_TRY(put_default(object, "initial-default", &f->type, f->initial_default, err));
    return put_default(object, "write-default", &f->type, f->write_default, err);
}

static rwl_status put_fields(rwl_json *object, const rwl_field *fields, int32_t count, int depth,
                             rwl_error *err) {
    rwl_json *array = rwl_json_new_array();
    RWL_TRY(rwl_json_set(object, "fields", array, err));
    for (int32_t i = 0; i < count; i++)
        RWL_TRY(put_field(array, &fields[i], depth, err));
    return RWL_OK;
}

static rwl_status put_child(rwl_json *object, const char *name, const rwl_field *child, bool may_be_null,
                            int depth, rwl_error *err) {
    char key[32];
    snprintf(key, sizeof key, "%s-id", name);
    RWL_TRY(rwl_json_set(object, key, rwl_json_new_i64(child->id), err));
    RWL_TRY(put_type(object, name, &child->type, depth + 1, err));
    snprintf(key, sizeof key, "%s-required", name);
    return may_be_null ? rwl_json_set(object, key, rwl_json_new_bool(child->required), err) : RWL_OK;
}

static rwl_status put_nested(rwl_json *object, const rwl_type *t, int depth, rwl_error *err) {
    static const char *const names[] = {"struct", "list", "map"};
    RWL_TRY(rwl_json_set(object, "type", rwl_json_new_str(names[t->kind - RWL_TYPE_STRUCT]), err));
    if (t->kind == RWL_TYPE_STRUCT)
        return put_fields(object, t->children, t->child_count, depth, err);
    if (t->kind == RWL_TYPE_LIST)
        return put_child(object, "element", &t->children[0], true, depth, err);
    RWL_TRY(put_child(object, "key", &t->children[0], false, depth, err));
    return put_child(object, "value", &t->children[1], true, depth, err);
}

static rwl_status put_type(rwl_json *parent, const char *key, const rwl_type *t, int depth, rwl_error *err) {
    if (depth > RWL_TYPE_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "types nest deeper than %d levels", RWL_TYPE_DEPTH_MAX);
    if (rwl_type_is_nested(t)) {
        rwl_json *object = rwl_json_new_object();
        RWL_TRY(rwl_json_set(parent, key, object, err));
        return put_nested(object, t, depth, err);
    }
    rwl_env env;
    rwl_env_init_default(&env);
    rwl_buf name;
    rwl_buf_init(&name, &env, SIZE_MAX);
    rwl_status st = rwl_type_format(t, &name, err);
    if (st == RWL_OK)
        st = rwl_json_set(parent, key, rwl_json_new_strn((const char *)name.data, name.len), err);
    rwl_buf_clear(&name);
    return st;
}

static rwl_status put_schema(rwl_json *object, const rwl_schema *schema, rwl_error *err) {
    RWL_TRY(rwl_json_set(object, "type", rwl_json_new_str("struct"), err));
    RWL_TRY(rwl_json_set(object, "schema-id", rwl_json_new_i64(schema->schema_id), err));
    if (schema->identifier_count > 0) {
        rwl_json *ids = rwl_json_new_array();
        RWL_TRY(rwl_json_set(object, "identifier-field-ids", ids, err));
        for (int32_t i = 0; i < schema->identifier_count; i++)
            RWL_TRY(rwl_json_append(ids, rwl_json_new_i64(schema->identifier_ids[i]), err));
    }
    return put_fields(object, schema->fields, schema->field_count, 0, err);
}

rwl_status rwl_schema_to_json(const rwl_schema *schema, rwl_json **out, rwl_error *err) {
    *out = NULL;
    rwl_json *object = rwl_json_new_object();
    if (!object)
        return rwl_no_memory(err, sizeof *schema);
    rwl_status st = put_schema(object, schema, err);
    if (st == RWL_OK)
        *out = object;
    else
        rwl_json_free(object);
    return st;
}
