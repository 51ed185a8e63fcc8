/* SPDX-License-Identifier: Apache-2.0 */
/* From an Avro schema to fields of Iceberg's types, and how their values are read. */
#include "avro/rows_internal.h"

typedef struct builder {
    rwl_arena *arena;
    int32_t node_count, leaf_count;
    bool has_ids;
} builder;

static rwl_status build(builder *b, const rwl_avro_schema *schema, const char *name, int32_t id,
                        rwl_avro_node *node, rwl_error *err);

static bool is_logical(const rwl_avro_schema *s, const char *type) {
    return s->logical_type != NULL && strcmp(s->logical_type, type) == 0;
}

/* What is known by its name alone: it is refused when it is wanted. */
static rwl_status set_problem(builder *b, rwl_avro_node *node, const char *problem, rwl_error *err) {
    node->problem = problem;
    node->kind = RWL_AVRO_READ_NULL;
    node->field.type = rwl_type_of(RWL_TYPE_UNKNOWN);
    node->leaf_count = 1;
    b->leaf_count = node->first_leaf + 1;
    return problem != NULL ? RWL_OK : rwl_no_memory(err, 64);
}

static void set(rwl_avro_node *node, rwl_avro_read_kind kind, rwl_type_kind type) {
    node->kind = kind;
    node->field.type = rwl_type_of(type);
}

/* --- types without children --- */

static void set_int(rwl_avro_node *node) {
    if (is_logical(node->schema, "date"))
        set(node, RWL_AVRO_READ_INT, RWL_TYPE_DATE);
    else if (is_logical(node->schema, "time-millis"))
        set(node, RWL_AVRO_READ_INT_MILLIS, RWL_TYPE_TIME);
    else
        set(node, RWL_AVRO_READ_INT, RWL_TYPE_INT);
}

/*
 * Iceberg says with adjust-to-utc whether a timestamp is of UTC; where a file with ids does not, it is not. A file without
 * ids is not Iceberg's: there timestamp-… are instants and local-timestamp-… are not, as Avro has it.
 */
static bool has_zone(const builder *b, const rwl_avro_schema *s, bool is_local) {
    if (is_local)
        return false;
    return s->adjust_to_utc >= 0 ? s->adjust_to_utc == 1 : !b->has_ids;
}

static void set_long(const builder *b, rwl_avro_node *node) {
    static const char local[] = "local-";
    const rwl_avro_schema *s = node->schema;
    const char *type = s->logical_type != NULL ? s->logical_type : "";
    bool is_local = strncmp(type, local, sizeof local - 1) == 0;
    bool zone = has_zone(b, s, is_local);
    if (is_local)
        type += sizeof local - 1;
    set(node, RWL_AVRO_READ_LONG, RWL_TYPE_LONG);
    if (strcmp(type, "timestamp-micros") == 0)
        node->field.type.kind = zone ? RWL_TYPE_TIMESTAMPTZ : RWL_TYPE_TIMESTAMP;
    else if (strcmp(type, "timestamp-millis") == 0)
        set(node, RWL_AVRO_READ_LONG_MILLIS, zone ? RWL_TYPE_TIMESTAMPTZ : RWL_TYPE_TIMESTAMP);
    else if (strcmp(type, "timestamp-nanos") == 0)
        node->field.type.kind = zone ? RWL_TYPE_TIMESTAMPTZ_NS : RWL_TYPE_TIMESTAMP_NS;
    else if (!is_local && strcmp(type, "time-micros") == 0)
        node->field.type.kind = RWL_TYPE_TIME;
}

/* A decimal that breaks Avro's rules is its bytes, as Avro says; false then. */
static bool is_decimal(const rwl_avro_schema *s) {
    return is_logical(s, "decimal") && s->precision > 0 && s->scale <= s->precision;
}

static rwl_status set_decimal(builder *b, rwl_avro_node *node, rwl_avro_read_kind kind, rwl_error *err) {
    const rwl_avro_schema *s = node->schema;
    if (s->precision > 38)
        return set_problem(
            b, node,
            rwl_arena_printf(b->arena, "decimal(%d, %d) has more than 38 digits", s->precision, s->scale),
            err);
    set(node, kind, RWL_TYPE_DECIMAL);
    node->field.type.precision = s->precision;
    node->field.type.scale = s->scale;
    return RWL_OK;
}

static rwl_status set_fixed(builder *b, rwl_avro_node *node, rwl_error *err) {
    const rwl_avro_schema *s = node->schema;
    if (is_decimal(s) && s->size > 0)
        return set_decimal(b, node, RWL_AVRO_READ_DECIMAL_FIXED, err);
    if (is_logical(s, "uuid") && s->size == 16) {
        set(node, RWL_AVRO_READ_FIXED, RWL_TYPE_UUID);
        return RWL_OK;
    }
    set(node, RWL_AVRO_READ_FIXED, RWL_TYPE_FIXED);
    node->field.type.length = s->size;
    return RWL_OK;
}

/* --- types with children --- */

static rwl_status new_children(builder *b, rwl_avro_node *node, int32_t count, rwl_field **fields,
                               rwl_error *err) {
    if (count > RWL_AVRO_NODES_MAX - b->node_count)
        return rwl_fail(err, RWL_UNSUPPORTED, "schema has more than %d fields", RWL_AVRO_NODES_MAX);
    b->node_count += count;
    node->children = rwl_arena_array(b->arena, (size_t)count, sizeof *node->children);
    *fields = rwl_arena_array(b->arena, (size_t)count, sizeof **fields);
    if (node->children == NULL || *fields == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof *node->children);
    node->field.type.children = *fields;
    node->field.type.child_count = count;
    return RWL_OK;
}

static const char *name_of(const rwl_avro_field *field) {
    return field->iceberg_name != NULL ? field->iceberg_name : field->name;
}

static rwl_status set_struct(builder *b, rwl_avro_node *node, rwl_error *err) {
    const rwl_avro_schema *s = node->schema;
    rwl_field *fields;
    set(node, RWL_AVRO_READ_STRUCT, RWL_TYPE_STRUCT);
    RWL_TRY(new_children(b, node, s->field_count, &fields, err));
    for (int32_t i = 0; i < s->field_count; i++) {
        const rwl_avro_field *field = &s->fields[i];
        RWL_TRY(build(b, field->schema, name_of(field), field->id, &node->children[i], err));
        fields[i] = node->children[i].field;
    }
    return RWL_OK;
}

static bool is_bytes_field(const rwl_avro_schema *s, const char *name) {
    for (int32_t i = 0; i < s->field_count; i++)
        if (strcmp(s->fields[i].name, name) == 0)
            return s->fields[i].schema->kind == RWL_AVRO_BYTES && s->fields[i].id < 0;
    return false;
}

/* Old writers left the logical type out; a struct of Iceberg has ids. */
static bool is_variant(const builder *b, const rwl_avro_schema *s) {
    bool says = is_logical(s, "variant") || (s->logical_type == NULL && b->has_ids);
    return says && s->field_count == 2 && is_bytes_field(s, "metadata") && is_bytes_field(s, "value");
}

static rwl_status set_record(builder *b, rwl_avro_node *node, rwl_error *err) {
    if (is_variant(b, node->schema)) {
        set(node, RWL_AVRO_READ_VARIANT, RWL_TYPE_VARIANT);
        return RWL_OK;
    }
    if (is_logical(node->schema, "variant"))
        return set_problem(b, node, "variant whose record is not of the bytes metadata and value", err);
    return set_struct(b, node, err);
}

/* Of the two fields of a map's entry, which is the key. */
static int32_t key_index(const rwl_avro_schema *entry) {
    return strcmp(entry->fields[1].name, "key") == 0 ? 1 : 0;
}

static rwl_status set_key_values(builder *b, rwl_avro_node *node, rwl_error *err) {
    const rwl_avro_schema *entry = node->schema->branches[0];
    rwl_field *fields;
    if (entry->kind != RWL_AVRO_RECORD || entry->field_count != 2)
        return set_problem(b, node, "map whose items are not of a key and a value", err);
    set(node, RWL_AVRO_READ_KEY_VALUES, RWL_TYPE_MAP);
    RWL_TRY(new_children(b, node, 2, &fields, err));
    int32_t key = key_index(entry);
    for (int32_t i = 0; i < 2; i++) {
        const rwl_avro_field *field = &entry->fields[i == 0 ? key : 1 - key];
        RWL_TRY(build(b, field->schema, i == 0 ? "key" : "value", field->id, &node->children[i], err));
        fields[i] = node->children[i].field;
    }
    return RWL_OK;
}

static rwl_status set_list(builder *b, rwl_avro_node *node, rwl_error *err) {
    const rwl_avro_schema *s = node->schema;
    rwl_field *fields;
    if (is_logical(s, "map"))
        return set_key_values(b, node, err);
    set(node, RWL_AVRO_READ_LIST, RWL_TYPE_LIST);
    RWL_TRY(new_children(b, node, 1, &fields, err));
    RWL_TRY(build(b, s->branches[0], "element", s->element_id, &node->children[0], err));
    fields[0] = node->children[0].field;
    return RWL_OK;
}

static rwl_status set_map(builder *b, rwl_avro_node *node, rwl_error *err) {
    static const rwl_avro_schema key = {.kind = RWL_AVRO_STRING,
                                        .adjust_to_utc = -1,
                                        .element_id = -1,
                                        .key_id = -1,
                                        .value_id = -1,
                                        .min_len = 1,
                                        .fixed_len = -1,
                                        .height = 1};
    const rwl_avro_schema *s = node->schema;
    rwl_field *fields;
    set(node, RWL_AVRO_READ_MAP, RWL_TYPE_MAP);
    RWL_TRY(new_children(b, node, 2, &fields, err));
    RWL_TRY(build(b, &key, "key", s->key_id, &node->children[0], err));
    RWL_TRY(build(b, s->branches[0], "value", s->value_id, &node->children[1], err));
    fields[0] = node->children[0].field;
    fields[1] = node->children[1].field;
    return RWL_OK;
}

/* --- any type --- */

/* Takes the union apart; false when it is more than an optional value. */
static bool open_union(rwl_avro_node *node) {
    const rwl_avro_schema *s = node->schema;
    if (s->kind != RWL_AVRO_UNION)
        return true;
    if (s->branch_count > 2)
        return false;
    node->branch_count = s->branch_count;
    for (int32_t i = 0; i < s->branch_count; i++)
        if (s->branches[i]->kind == RWL_AVRO_NULL)
            node->null_branch = i;
    if (s->branch_count == 2 && node->null_branch < 0)
        return false;
    node->schema = s->branches[s->branch_count == 2 ? 1 - node->null_branch : 0];
    node->field.required = node->null_branch < 0;
    return true;
}

static rwl_status set_type(builder *b, rwl_avro_node *node, rwl_error *err) {
    switch (node->schema->kind) {
    case RWL_AVRO_NULL:
    case RWL_AVRO_UNION: /* was taken apart */
        set(node, RWL_AVRO_READ_NULL, RWL_TYPE_UNKNOWN);
        node->field.required = false;
        return RWL_OK;
    case RWL_AVRO_BOOLEAN:
        set(node, RWL_AVRO_READ_BOOLEAN, RWL_TYPE_BOOLEAN);
        return RWL_OK;
    case RWL_AVRO_INT:
        set_int(node);
        return RWL_OK;
    case RWL_AVRO_LONG:
        set_long(b, node);
        return RWL_OK;
    case RWL_AVRO_FLOAT:
        set(node, RWL_AVRO_READ_FLOAT, RWL_TYPE_FLOAT);
        return RWL_OK;
    case RWL_AVRO_DOUBLE:
        set(node, RWL_AVRO_READ_DOUBLE, RWL_TYPE_DOUBLE);
        return RWL_OK;
    case RWL_AVRO_BYTES:
        if (is_decimal(node->schema))
            return set_decimal(b, node, RWL_AVRO_READ_DECIMAL_BYTES, err);
        set(node, RWL_AVRO_READ_BYTES, RWL_TYPE_BINARY);
        return RWL_OK;
    case RWL_AVRO_STRING:
        if (is_logical(node->schema, "uuid"))
            set(node, RWL_AVRO_READ_UUID_TEXT, RWL_TYPE_UUID);
        else
            set(node, RWL_AVRO_READ_BYTES, RWL_TYPE_STRING);
        return RWL_OK;
    case RWL_AVRO_ENUM:
        set(node, RWL_AVRO_READ_ENUM, RWL_TYPE_STRING);
        return RWL_OK;
    case RWL_AVRO_FIXED:
        return set_fixed(b, node, err);
    case RWL_AVRO_ARRAY:
        return set_list(b, node, err);
    case RWL_AVRO_MAP:
        return set_map(b, node, err);
    case RWL_AVRO_RECORD:
        return set_record(b, node, err);
    }
    return rwl_fail(err, RWL_INTERNAL, "schema node has kind %d", (int)node->schema->kind);
}

/* Recursion ends with the schema's height, at most RWL_AVRO_DEPTH_MAX. */
static rwl_status build(builder *b, const rwl_avro_schema *schema, const char *name, int32_t id,
                        rwl_avro_node *node, rwl_error *err) {
    node->field = (rwl_field){.name = name, .id = id, .required = true};
    node->schema = schema;
    node->null_branch = -1;
    node->first_leaf = b->leaf_count;
    if (!open_union(node)) {
        node->field.required = false;
        return set_problem(
            b, node,
            rwl_arena_printf(b->arena, "union of %d types is no optional value", schema->branch_count), err);
    }
    RWL_TRY(set_type(b, node, err));
    if (node->field.type.child_count == 0 && node->problem == NULL)
        b->leaf_count++;
    node->leaf_count = b->leaf_count - node->first_leaf;
    return RWL_OK;
}

rwl_status rwl_avro_nodes_new(rwl_arena *arena, const rwl_avro_schema *record, rwl_avro_node **nodes,
                              int32_t *count, rwl_error *err) {
    if (record->kind != RWL_AVRO_RECORD)
        return rwl_fail(err, RWL_UNSUPPORTED, "the file's values are no records");
    builder b = {.arena = arena, .has_ids = *record->has_ids};
    rwl_avro_node root = {.schema = record};
    RWL_TRY(set_struct(&b, &root, err));
    *nodes = root.children;
    *count = record->field_count;
    return RWL_OK;
}
