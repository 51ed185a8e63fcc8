/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas: from JSON to a tree of nodes, named types resolved (Avro specification, "Schema Declaration"). */
#include "avro/avro.h"

#include "base/json.h"
#include "base/map.h"

typedef struct parser {
    rwl_arena *arena;
    rwl_map names; /* full name to node; a node without height is still being parsed */
    bool *has_ids;
} parser;

static const struct {
    const char *name;
    rwl_avro_kind kind;
    int32_t min_len, fixed_len;
} primitives[] = {
    {"null", RWL_AVRO_NULL, 0, 0},    {"boolean", RWL_AVRO_BOOLEAN, 1, 1}, {"int", RWL_AVRO_INT, 1, -1},
    {"long", RWL_AVRO_LONG, 1, -1},   {"float", RWL_AVRO_FLOAT, 4, 4},     {"double", RWL_AVRO_DOUBLE, 8, 8},
    {"bytes", RWL_AVRO_BYTES, 1, -1}, {"string", RWL_AVRO_STRING, 1, -1},
};

static rwl_status parse_type(parser *p, const rwl_json *json, const char *space, int depth,
                             const rwl_avro_schema **out, rwl_error *err);

static rwl_status new_node(parser *p, rwl_avro_kind kind, rwl_avro_schema **out, rwl_error *err) {
    rwl_avro_schema *s = rwl_arena_alloc(p->arena, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    s->kind = kind;
    s->adjust_to_utc = -1;
    s->fixed_len = -1;
    s->element_id = s->key_id = s->value_id = -1;
    s->has_ids = p->has_ids;
    *out = s;
    return RWL_OK;
}

static rwl_status new_array(parser *p, size_t len, size_t size, void *out, rwl_error *err) {
    void *items = rwl_arena_array(p->arena, len, size);
    memcpy(out, &items, sizeof items);
    return items != NULL ? RWL_OK : rwl_no_memory(err, len * size);
}

static rwl_status keep(parser *p, const char *text, const char **out, rwl_error *err) {
    *out = rwl_arena_strdup(p->arena, text);
    return *out != NULL ? RWL_OK : rwl_no_memory(err, strlen(text));
}

/* Properties outside the grammar: absent, or of another kind than Iceberg's, they are ignored. */
static int32_t property_id(const rwl_json *json, const char *key) {
    const rwl_json *value = rwl_json_get(json, key);
    int64_t id = rwl_json_i64(value);
    return rwl_json_kind_of(value) == RWL_JSON_INT && id >= 0 && id <= INT32_MAX ? (int32_t)id : -1;
}

static rwl_status set_properties(parser *p, const rwl_json *json, rwl_avro_schema *s, rwl_error *err) {
    const char *logical = rwl_json_str(rwl_json_get(json, "logicalType"));
    if (logical != NULL)
        RWL_TRY(keep(p, logical, &s->logical_type, err));
    const rwl_json *adjust = rwl_json_get(json, "adjust-to-utc");
    if (rwl_json_kind_of(adjust) == RWL_JSON_BOOL)
        s->adjust_to_utc = rwl_json_bool(adjust);
    s->element_id = property_id(json, "element-id");
    s->key_id = property_id(json, "key-id");
    s->value_id = property_id(json, "value-id");
    int32_t precision = property_id(json, "precision"), scale = property_id(json, "scale");
    s->precision = precision > 0 ? precision : 0;
    s->scale = scale > 0 ? scale : 0;
    return RWL_OK;
}

static void add_len(int32_t *sum, int32_t len) {
    if (__builtin_add_overflow(*sum, len, sum))
        *sum = INT32_MAX;
}

static void raise_height(rwl_avro_schema *s, const rwl_avro_schema *child) {
    if (s->height <= child->height)
        s->height = child->height + 1;
}

/* --- names --- */

/* The full name of `name` where names are in `space`; `*own_space` is what its parts are in. */
static rwl_status full_name(parser *p, const rwl_json *json, const char *name, const char *space,
                            const char **full, const char **own_space, rwl_error *err) {
    const char *given = json != NULL ? rwl_json_str(rwl_json_get(json, "namespace")) : NULL;
    const char *dot = strrchr(name, '.');
    if (dot != NULL) {
        *own_space = rwl_arena_strndup(p->arena, name, (size_t)(dot - name));
        *full = rwl_arena_strdup(p->arena, name);
    } else {
        *own_space = rwl_arena_strdup(p->arena, given != NULL ? given : space);
        *full = *own_space == NULL || **own_space == '\0'
                    ? rwl_arena_strdup(p->arena, name)
                    : rwl_arena_printf(p->arena, "%s.%s", *own_space, name);
    }
    return *full != NULL && *own_space != NULL ? RWL_OK : rwl_no_memory(err, strlen(name));
}

static rwl_status define(parser *p, const rwl_json *json, const char *space, rwl_avro_schema *s,
                         const char **own_space, rwl_error *err) {
    const char *name, *full;
    RWL_TRY(rwl_json_need_str(json, "name", &name, err));
    RWL_TRY(keep(p, name, &s->name, err));
    RWL_TRY(full_name(p, json, name, space, &full, own_space, err));
    rwl_map_value *slot;
    RWL_TRY(rwl_map_put(&p->names, rwl_span_str(full), &slot, NULL, err));
    slot->ptr = s;
    return RWL_OK;
}

static rwl_status refer(parser *p, const char *name, const char *space, int depth,
                        const rwl_avro_schema **out, rwl_error *err) {
    const char *full, *own_space;
    RWL_TRY(full_name(p, NULL, name, space, &full, &own_space, err));
    const rwl_map_value *slot = rwl_map_get_str(&p->names, full);
    if (slot == NULL)
        slot = rwl_map_get_str(&p->names, name);
    if (slot == NULL)
        return rwl_fail(err, RWL_CORRUPT, "type '%s' is not defined", name);
    const rwl_avro_schema *s = slot->ptr;
    if (s->height == 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "type '%s' is recursive", name);
    if (depth + s->height - 1 > RWL_AVRO_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "schema is nested deeper than %d levels", RWL_AVRO_DEPTH_MAX);
    *out = s;
    return RWL_OK;
}

/* --- complex types --- */

static rwl_status parse_field(parser *p, const rwl_json *json, const char *space, int depth,
                              rwl_avro_field *field, rwl_error *err) {
    const char *name;
    RWL_TRY(rwl_json_need_str(json, "name", &name, err));
    RWL_TRY(keep(p, name, &field->name, err));
    const char *real = rwl_json_str(rwl_json_get(json, "iceberg-field-name"));
    if (real != NULL)
        RWL_TRY(keep(p, real, &field->iceberg_name, err));
    field->id = property_id(json, "field-id");
    *p->has_ids |= field->id >= 0;
    const rwl_json *type = rwl_json_get(json, "type");
    rwl_status st = type != NULL ? parse_type(p, type, space, depth + 1, &field->schema, err)
                                 : rwl_fail(err, RWL_CORRUPT, "'type' is missing");
    return st != RWL_OK ? rwl_error_in(err, st, "field '%.60s'", field->name) : RWL_OK;
}

static rwl_status parse_record(parser *p, const rwl_json *json, const char *space, int depth,
                               rwl_avro_schema *s, rwl_error *err) {
    rwl_json *list;
    const char *own_space;
    RWL_TRY(define(p, json, space, s, &own_space, err));
    RWL_TRY(rwl_json_need_array(json, "fields", &list, err));
    size_t len = rwl_json_len(list);
    rwl_avro_field *fields;
    RWL_TRY(new_array(p, len, sizeof *fields, &fields, err));
    int32_t height = 1, min_len = 0;
    bool is_fixed = true;
    for (size_t i = 0; i < len; i++) {
        RWL_TRY(parse_field(p, rwl_json_at(list, i), own_space, depth, &fields[i], err));
        add_len(&min_len, fields[i].schema->min_len);
        is_fixed &= fields[i].schema->fixed_len >= 0;
        height = height > fields[i].schema->height ? height : fields[i].schema->height + 1;
    }
    s->fields = fields;
    s->field_count = (int32_t)len;
    s->min_len = min_len;
    s->fixed_len = is_fixed && min_len < INT32_MAX ? min_len : -1;
    s->height = height; /* only now may it be referred to */
    return RWL_OK;
}

static rwl_status parse_fixed(parser *p, const rwl_json *json, const char *space, rwl_avro_schema *s,
                              rwl_error *err) {
    const char *own_space;
    RWL_TRY(define(p, json, space, s, &own_space, err));
    RWL_TRY(rwl_json_need_i32(json, "size", &s->size, err));
    if (s->size < 0)
        return rwl_fail(err, RWL_CORRUPT, "fixed '%.60s' has size %d", s->name, s->size);
    s->min_len = s->fixed_len = s->size;
    s->height = 1;
    return RWL_OK;
}

static rwl_status parse_enum(parser *p, const rwl_json *json, const char *space, rwl_avro_schema *s,
                             rwl_error *err) {
    rwl_json *list;
    const char *own_space;
    RWL_TRY(define(p, json, space, s, &own_space, err));
    RWL_TRY(rwl_json_need_array(json, "symbols", &list, err));
    size_t len = rwl_json_len(list);
    const char **symbols;
    RWL_TRY(new_array(p, len, sizeof *symbols, &symbols, err));
    for (size_t i = 0; i < len; i++) {
        const char *symbol = rwl_json_str(rwl_json_at(list, i));
        if (symbol == NULL)
            return rwl_fail(err, RWL_CORRUPT, "enum '%.60s' has a symbol that is no string", s->name);
        RWL_TRY(keep(p, symbol, &symbols[i], err));
    }
    s->symbols = symbols;
    s->symbol_count = (int32_t)len;
    s->min_len = 1;
    s->height = 1;
    return RWL_OK;
}

/* The item of an array or the value of a map. */
static rwl_status parse_item(parser *p, const rwl_json *json, const char *key, const char *space, int depth,
                             rwl_avro_schema *s, rwl_error *err) {
    const rwl_json *item = rwl_json_get(json, key);
    if (item == NULL)
        return rwl_fail(err, RWL_CORRUPT, "'%s' is missing", key);
    RWL_TRY(new_array(p, 1, sizeof *s->branches, &s->branches, err));
    rwl_status st = parse_type(p, item, space, depth + 1, &s->branches[0], err);
    if (st != RWL_OK)
        return rwl_error_in(err, st, "%s", key);
    s->branch_count = 1;
    s->min_len = 1;
    raise_height(s, s->branches[0]);
    return RWL_OK;
}

static rwl_status parse_union(parser *p, const rwl_json *json, const char *space, int depth,
                              const rwl_avro_schema **out, rwl_error *err) {
    rwl_avro_schema *s;
    size_t len = rwl_json_len(json);
    int32_t least = INT32_MAX;
    if (len == 0)
        return rwl_fail(err, RWL_CORRUPT, "union has no branches");
    RWL_TRY(new_node(p, RWL_AVRO_UNION, &s, err));
    RWL_TRY(new_array(p, len, sizeof *s->branches, &s->branches, err));
    for (size_t i = 0; i < len; i++) {
        RWL_TRY(parse_type(p, rwl_json_at(json, i), space, depth + 1, &s->branches[i], err));
        if (s->branches[i]->kind == RWL_AVRO_UNION)
            return rwl_fail(err, RWL_CORRUPT, "union stands directly in a union");
        least = least < s->branches[i]->min_len ? least : s->branches[i]->min_len;
        raise_height(s, s->branches[i]);
    }
    s->branch_count = (int32_t)len;
    s->min_len = 1;
    add_len(&s->min_len, least);
    *out = s;
    return RWL_OK;
}

/* --- any type --- */

static rwl_status parse_primitive(parser *p, const rwl_json *json, size_t i, const rwl_avro_schema **out,
                                  rwl_error *err) {
    rwl_avro_schema *s;
    RWL_TRY(new_node(p, primitives[i].kind, &s, err));
    s->min_len = primitives[i].min_len;
    s->fixed_len = primitives[i].fixed_len;
    s->height = 1;
    if (json != NULL)
        RWL_TRY(set_properties(p, json, s, err));
    *out = s;
    return RWL_OK;
}

/* A primitive type or a reference to a named one; `json` has its properties or is NULL. */
static rwl_status parse_name(parser *p, const rwl_json *json, const char *name, const char *space, int depth,
                             const rwl_avro_schema **out, rwl_error *err) {
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
        if (strcmp(name, primitives[i].name) == 0)
            return parse_primitive(p, json, i, out, err);
    return refer(p, name, space, depth, out, err);
}

static rwl_status parse_object(parser *p, const rwl_json *json, const char *space, int depth,
                               const rwl_avro_schema **out, rwl_error *err) {
    static const struct {
        const char *name;
        rwl_avro_kind kind;
    } complex[] = {{"record", RWL_AVRO_RECORD}, {"error", RWL_AVRO_RECORD}, {"array", RWL_AVRO_ARRAY},
                   {"map", RWL_AVRO_MAP},       {"fixed", RWL_AVRO_FIXED},  {"enum", RWL_AVRO_ENUM}};
    const rwl_json *type = rwl_json_get(json, "type");
    const char *name = rwl_json_str(type);
    if (type == NULL)
        return rwl_fail(err, RWL_CORRUPT, "'type' is missing");
    if (name == NULL) /* {"type": {…}}: what is inside counts */
        return parse_type(p, type, space, depth + 1, out, err);
    size_t i = 0, len = sizeof complex / sizeof *complex;
    while (i < len && strcmp(name, complex[i].name) != 0)
        i++;
    if (i == len)
        return parse_name(p, json, name, space, depth, out, err);
    rwl_avro_schema *s;
    RWL_TRY(new_node(p, complex[i].kind, &s, err));
    RWL_TRY(set_properties(p, json, s, err));
    *out = s;
    switch (s->kind) {
    case RWL_AVRO_RECORD:
        return parse_record(p, json, space, depth, s, err);
    case RWL_AVRO_FIXED:
        return parse_fixed(p, json, space, s, err);
    case RWL_AVRO_ENUM:
        return parse_enum(p, json, space, s, err);
    case RWL_AVRO_ARRAY:
        return parse_item(p, json, "items", space, depth, s, err);
    default:
        return parse_item(p, json, "values", space, depth, s, err);
    }
}

/* Recursion ends with the schema's depth, at most RWL_AVRO_DEPTH_MAX. */
static rwl_status parse_type(parser *p, const rwl_json *json, const char *space, int depth,
                             const rwl_avro_schema **out, rwl_error *err) {
    if (depth > RWL_AVRO_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "schema is nested deeper than %d levels", RWL_AVRO_DEPTH_MAX);
    switch (rwl_json_kind_of(json)) {
    case RWL_JSON_STRING:
        return parse_name(p, NULL, rwl_json_str(json), space, depth, out, err);
    case RWL_JSON_ARRAY:
        return parse_union(p, json, space, depth, out, err);
    case RWL_JSON_OBJECT:
        return parse_object(p, json, space, depth, out, err);
    default:
        return rwl_fail(err, RWL_CORRUPT, "a schema is a string, an array or an object");
    }
}

rwl_status rwl_avro_schema_parse(rwl_span json, rwl_arena *arena, const rwl_avro_schema **out,
                                 rwl_error *err) {
    rwl_json *root;
    parser p = {.arena = arena, .has_ids = rwl_arena_alloc(arena, sizeof *p.has_ids)};
    *out = NULL;
    if (p.has_ids == NULL)
        return rwl_no_memory(err, sizeof *p.has_ids);
    rwl_status st = rwl_json_parse(json, &root, err);
    if (st == RWL_OK) {
        rwl_map_init(&p.names, arena->env);
        st = parse_type(&p, root, "", 1, out, err);
        rwl_map_clear(&p.names);
        rwl_json_free(root);
    }
    if (st == RWL_OK)
        return RWL_OK;
    *out = NULL;
    return rwl_error_in(err, st, "avro schema");
}
