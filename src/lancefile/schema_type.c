/* SPDX-License-Identifier: Apache-2.0 */
/* Lance's logical types: how their values are stored, and as what they are read. */
#include "lancefile/schema_internal.h"

#include <stdio.h>
#include <string.h>

enum {
    FIXED_BYTES_MAX = 1 << 20, /* of a fixed-size binary */
    DECIMAL_DIGITS = 38,       /* of 128 bits */
    DECIMAL256_DIGITS = 76,
    TEXT_MAX = 64 /* of a unit, or of a type in a message */
};

typedef struct plain_type {
    const char *name;
    rwl_lance_form form;
    int32_t bits;
    rwl_type_kind kind;
    rwl_lance_convert convert;
    int64_t factor;
    const char *parameters;
} plain_type;

/* Types without parameters, or with few enough to list. */
static const plain_type PLAIN[] = {
    {"null", RWL_LANCE_NULL, 0, RWL_TYPE_UNKNOWN, RWL_LANCE_AS_IT_IS, 0, NULL},
    {"bool", RWL_LANCE_FIXED, 1, RWL_TYPE_BOOLEAN, RWL_LANCE_AS_IT_IS, 0, NULL},
    {"int8", RWL_LANCE_FIXED, 8, RWL_TYPE_INT, RWL_LANCE_SIGNED, 0, NULL},
    {"uint8", RWL_LANCE_FIXED, 8, RWL_TYPE_INT, RWL_LANCE_UNSIGNED, 0, NULL},
    {"int16", RWL_LANCE_FIXED, 16, RWL_TYPE_INT, RWL_LANCE_SIGNED, 0, NULL},
    {"uint16", RWL_LANCE_FIXED, 16, RWL_TYPE_INT, RWL_LANCE_UNSIGNED, 0, NULL},
    {"int32", RWL_LANCE_FIXED, 32, RWL_TYPE_INT, RWL_LANCE_AS_IT_IS, 0, NULL},
    {"uint32", RWL_LANCE_FIXED, 32, RWL_TYPE_LONG, RWL_LANCE_UNSIGNED, 0, NULL},
    {"int64", RWL_LANCE_FIXED, 64, RWL_TYPE_LONG, RWL_LANCE_AS_IT_IS, 0, NULL},
    {"uint64", RWL_LANCE_FIXED, 64, RWL_TYPE_DECIMAL, RWL_LANCE_UNSIGNED, 0, RWL_TYPE_UINT64},
    {"halffloat", RWL_LANCE_FIXED, 16, RWL_TYPE_FLOAT, RWL_LANCE_HALF, 0, NULL},
    {"lance.bfloat16", RWL_LANCE_FIXED, 16, RWL_TYPE_FLOAT, RWL_LANCE_BFLOAT, 0, NULL},
    {"float", RWL_LANCE_FIXED, 32, RWL_TYPE_FLOAT, RWL_LANCE_AS_IT_IS, 0, NULL},
    {"double", RWL_LANCE_FIXED, 64, RWL_TYPE_DOUBLE, RWL_LANCE_AS_IT_IS, 0, NULL},
    {"string", RWL_LANCE_BYTES, 0, RWL_TYPE_STRING, RWL_LANCE_AS_IT_IS, 0, NULL},
    {"large_string", RWL_LANCE_BYTES, 0, RWL_TYPE_STRING, RWL_LANCE_AS_IT_IS, 0, NULL},
    {"binary", RWL_LANCE_BYTES, 0, RWL_TYPE_BINARY, RWL_LANCE_AS_IT_IS, 0, NULL},
    {"large_binary", RWL_LANCE_BYTES, 0, RWL_TYPE_BINARY, RWL_LANCE_AS_IT_IS, 0, NULL},
    {"json", RWL_LANCE_BYTES, 0, RWL_TYPE_STRING, RWL_LANCE_JSONB, 0, NULL},
    {"date32:day", RWL_LANCE_FIXED, 32, RWL_TYPE_DATE, RWL_LANCE_AS_IT_IS, 0, NULL},
    {"date64:ms", RWL_LANCE_FIXED, 64, RWL_TYPE_DATE, RWL_LANCE_DAYS, 0, NULL},
    {"time:s", RWL_LANCE_FIXED, 32, RWL_TYPE_TIME, RWL_LANCE_SCALED, 1000000, NULL},
    {"time32:s", RWL_LANCE_FIXED, 32, RWL_TYPE_TIME, RWL_LANCE_SCALED, 1000000, NULL},
    {"time:ms", RWL_LANCE_FIXED, 32, RWL_TYPE_TIME, RWL_LANCE_SCALED, 1000, NULL},
    {"time32:ms", RWL_LANCE_FIXED, 32, RWL_TYPE_TIME, RWL_LANCE_SCALED, 1000, NULL},
    {"time:us", RWL_LANCE_FIXED, 64, RWL_TYPE_TIME, RWL_LANCE_AS_IT_IS, 0, NULL},
    {"time64:us", RWL_LANCE_FIXED, 64, RWL_TYPE_TIME, RWL_LANCE_AS_IT_IS, 0, NULL},
    {"time:ns", RWL_LANCE_FIXED, 64, RWL_TYPE_TIME, RWL_LANCE_AS_IT_IS, 0, RWL_TYPE_NANOS},
    {"time64:ns", RWL_LANCE_FIXED, 64, RWL_TYPE_TIME, RWL_LANCE_AS_IT_IS, 0, RWL_TYPE_NANOS},
    {"duration:s", RWL_LANCE_FIXED, 64, RWL_TYPE_LONG, RWL_LANCE_AS_IT_IS, 0, RWL_TYPE_DURATION "s"},
    {"duration:ms", RWL_LANCE_FIXED, 64, RWL_TYPE_LONG, RWL_LANCE_AS_IT_IS, 0, RWL_TYPE_DURATION "ms"},
    {"duration:us", RWL_LANCE_FIXED, 64, RWL_TYPE_LONG, RWL_LANCE_AS_IT_IS, 0, RWL_TYPE_DURATION "us"},
    {"duration:ns", RWL_LANCE_FIXED, 64, RWL_TYPE_LONG, RWL_LANCE_AS_IT_IS, 0, RWL_TYPE_DURATION "ns"},
    {"struct", RWL_LANCE_STRUCT, 0, RWL_TYPE_STRUCT, RWL_LANCE_AS_IT_IS, 0, NULL},
    {"list", RWL_LANCE_LIST, 0, RWL_TYPE_LIST, RWL_LANCE_AS_IT_IS, 0, NULL},
    {"large_list", RWL_LANCE_LIST, 0, RWL_TYPE_LIST, RWL_LANCE_AS_IT_IS, 0, NULL},
    {"list.struct", RWL_LANCE_LIST, 0, RWL_TYPE_LIST, RWL_LANCE_AS_IT_IS, 0, NULL},
    {"large_list.struct", RWL_LANCE_LIST, 0, RWL_TYPE_LIST, RWL_LANCE_AS_IT_IS, 0, NULL},
    {"map", RWL_LANCE_MAP, 0, RWL_TYPE_MAP, RWL_LANCE_AS_IT_IS, 0, NULL},
};

/* --- refusals --- */

rwl_status rwl_lance_node_refuse(rwl_lance_node *node, rwl_arena *arena, rwl_error *err, const char *fmt,
                                 ...) {
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    node->form = RWL_LANCE_NULL;
    node->bits = 0;
    node->is_dictionary = node->is_blob = node->is_blob2 = false;
    node->convert = RWL_LANCE_AS_IT_IS;
    node->field.type = rwl_type_of(RWL_TYPE_UNKNOWN);
    node->refusal = rwl_arena_strdup(arena, text);
    return node->refusal ? (rwl_status)RWL_OK : rwl_no_memory(err, strlen(text));
}

static rwl_status refuse_type(rwl_lance_node *node, rwl_span text, rwl_arena *arena, rwl_error *err) {
    return rwl_lance_node_refuse(node, arena, err, "logical type '%.*s' is not supported",
                                 (int)(text.len < TEXT_MAX ? text.len : TEXT_MAX), (const char *)text.data);
}

/* --- texts --- */

static bool starts_with(rwl_span text, const char *prefix, rwl_span *rest) {
    size_t len = strlen(prefix);
    if (text.len < len || memcmp(text.data, prefix, len) != 0)
        return false;
    *rest = rwl_span_of(text.data + len, text.len - len);
    return true;
}

/* Cuts the text at its last colon. */
static bool split_last(rwl_span text, rwl_span *head, rwl_span *tail) {
    for (size_t i = text.len; i > 0; i--)
        if (text.data[i - 1] == ':') {
            *head = rwl_span_of(text.data, i - 1);
            *tail = rwl_span_of(text.data + i, text.len - i);
            return true;
        }
    return false;
}

/* Digits alone, at most `max`. */
static bool parse_number(rwl_span text, int32_t max, int32_t *out) {
    int64_t value = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        value = value * 10 + (text.data[i] - '0');
        if (value > max)
            return false;
    }
    *out = (int32_t)value;
    return text.len > 0;
}

/* --- types with parameters --- */

static void set_fixed(rwl_lance_node *node, int32_t bits, rwl_type_kind kind) {
    node->form = RWL_LANCE_FIXED;
    node->bits = bits;
    node->field.type = rwl_type_of(kind);
}

/* unit:zone; any zone is UTC. */
static bool set_timestamp(rwl_lance_node *node, rwl_span text) {
    rwl_span zone;
    bool is_ns = starts_with(text, "ns:", &zone);
    int64_t factor = 0;
    if (starts_with(text, "s:", &zone))
        factor = 1000000;
    else if (starts_with(text, "ms:", &zone))
        factor = 1000;
    else if (!is_ns && !starts_with(text, "us:", &zone))
        return false;
    if (zone.len == 0)
        return false;
    bool has_zone = !rwl_span_equal(zone, rwl_span_str("-"));
    rwl_type_kind with_zone = is_ns ? RWL_TYPE_TIMESTAMPTZ_NS : RWL_TYPE_TIMESTAMPTZ;
    rwl_type_kind without = is_ns ? RWL_TYPE_TIMESTAMP_NS : RWL_TYPE_TIMESTAMP;
    set_fixed(node, 64, has_zone ? with_zone : without);
    node->convert = factor ? RWL_LANCE_SCALED : RWL_LANCE_AS_IT_IS;
    node->factor = factor;
    return true;
}

/* precision:scale of 128 or 256 bits. */
static rwl_status set_decimal(rwl_lance_node *node, rwl_span text, int32_t bits, bool *is_known,
                              rwl_arena *arena, rwl_error *err) {
    rwl_span left, right;
    int32_t precision = 0, scale = 0, max = bits == 128 ? DECIMAL_DIGITS : DECIMAL256_DIGITS;
    *is_known = split_last(text, &left, &right) && parse_number(left, max, &precision) && precision > 0 &&
                parse_number(right, precision, &scale);
    if (!*is_known)
        return RWL_OK;
    set_fixed(node, bits, RWL_TYPE_DECIMAL);
    if (precision > DECIMAL_DIGITS) {
        node->field.type = rwl_type_of(RWL_TYPE_FIXED);
        node->field.type.length = bits / 8;
        node->field.type.parameters = rwl_arena_printf(arena, RWL_TYPE_DECIMAL256 "%d,%d", precision, scale);
        return node->field.type.parameters ? (rwl_status)RWL_OK : rwl_no_memory(err, TEXT_MAX);
    }
    node->convert = bits == 256 ? RWL_LANCE_NARROW : RWL_LANCE_AS_IT_IS;
    node->field.type.precision = precision;
    node->field.type.scale = scale;
    return RWL_OK;
}

static bool set_fixed_binary(rwl_lance_node *node, rwl_span text) {
    int32_t length;
    if (!parse_number(text, FIXED_BYTES_MAX, &length) || length == 0)
        return false;
    set_fixed(node, 8 * length, RWL_TYPE_FIXED);
    node->field.type.length = length;
    return true;
}

static bool set_plain(rwl_lance_node *node, rwl_span text) {
    for (size_t i = 0; i < sizeof PLAIN / sizeof PLAIN[0]; i++) {
        const plain_type *t = &PLAIN[i];
        if (!rwl_span_equal(text, rwl_span_str(t->name)))
            continue;
        node->form = t->form;
        node->bits = t->bits;
        node->convert = t->convert;
        node->factor = t->factor;
        node->field.type = rwl_type_of(t->kind);
        node->field.type.parameters = t->parameters;
        if (t->kind == RWL_TYPE_DECIMAL)
            node->field.type.precision = 20; /* digits of 2^64 - 1 */
        return true;
    }
    return false;
}

static rwl_status set_type(rwl_lance_node *node, rwl_span text, int depth, rwl_arena *arena, rwl_error *err);

/* value:index:ordered */
static rwl_status set_dictionary(rwl_lance_node *node, rwl_span text, rwl_span whole, rwl_arena *arena,
                                 rwl_error *err) {
    rwl_span rest, value, index, ordered;
    rwl_lance_node of_index = {0};
    if (!split_last(text, &rest, &ordered) || !split_last(rest, &value, &index) ||
        !set_plain(&of_index, index) ||
        (of_index.convert != RWL_LANCE_SIGNED && of_index.convert != RWL_LANCE_UNSIGNED &&
         !rwl_span_equal(index, rwl_span_str("int32")) && !rwl_span_equal(index, rwl_span_str("int64"))))
        return refuse_type(node, whole, arena, err);
    RWL_TRY(set_type(node, value, RWL_LANCE_VECTOR_DEPTH_MAX, arena, err));
    if (node->refusal || (node->form != RWL_LANCE_FIXED && node->form != RWL_LANCE_BYTES))
        return refuse_type(node, whole, arena, err);
    node->is_dictionary = true;
    return RWL_OK;
}

/* Bits that a value takes here, where elements that are all null have a byte each. */
static int64_t width_in_memory(const rwl_lance_node *node) {
    int64_t width = 1;
    for (; node->form == RWL_LANCE_VECTOR && node->child_count == 1; node = node->children)
        width *= node->dimension;
    return width * (node->form == RWL_LANCE_FIXED ? node->bits : 8);
}

int64_t rwl_lance_node_width(const rwl_lance_node *node) {
    const rwl_lance_node *element = node;
    while (element->form == RWL_LANCE_VECTOR && element->child_count == 1)
        element = element->children;
    return element->form == RWL_LANCE_FIXED ? width_in_memory(node) : 0;
}

/* element:dimension; the element is a type with or without fixed-size lists in it. */
static rwl_status set_vector(rwl_lance_node *node, rwl_span text, rwl_span whole, int depth, rwl_arena *arena,
                             rwl_error *err) {
    rwl_span element, dimension;
    int32_t count;
    if (!split_last(text, &element, &dimension) ||
        !parse_number(dimension, RWL_LANCE_VALUE_BITS_MAX, &count) || count == 0)
        return refuse_type(node, whole, arena, err);
    rwl_lance_node *child = rwl_arena_alloc(arena, sizeof *child);
    rwl_field *field = rwl_arena_alloc(arena, sizeof *field);
    if (!child || !field)
        return rwl_no_memory(err, sizeof *child);
    child->field.name = "element";
    child->field.id = -1;
    child->logical_type = node->logical_type;
    child->parent = node;
    RWL_TRY(set_type(child, element, depth + 1, arena, err));
    if (child->refusal || child->is_dictionary ||
        (child->form != RWL_LANCE_FIXED && child->form != RWL_LANCE_VECTOR &&
         child->form != RWL_LANCE_NULL) ||
        width_in_memory(child) > RWL_LANCE_VALUE_BITS_MAX / count)
        return refuse_type(node, whole, arena, err);
    *field = child->field;
    node->form = RWL_LANCE_VECTOR;
    node->dimension = count;
    node->children = child;
    node->child_count = 1;
    node->field.type = rwl_type_of(RWL_TYPE_LIST);
    node->field.type.children = field;
    node->field.type.child_count = 1;
    return RWL_OK;
}

/* So many structs; the field below says what is in them. */
static bool set_structs(rwl_lance_node *node, rwl_span dimension) {
    if (!parse_number(dimension, RWL_LANCE_VALUE_BITS_MAX, &node->dimension) || node->dimension == 0)
        return false;
    node->form = RWL_LANCE_LIST;
    node->field.type = rwl_type_of(RWL_TYPE_LIST);
    return true;
}

static rwl_status set_type(rwl_lance_node *node, rwl_span text, int depth, rwl_arena *arena, rwl_error *err) {
    rwl_span rest;
    bool is_known = true;
    if (starts_with(text, "timestamp:", &rest))
        is_known = set_timestamp(node, rest);
    else if (starts_with(text, "decimal:128:", &rest))
        RWL_TRY(set_decimal(node, rest, 128, &is_known, arena, err));
    else if (starts_with(text, "decimal:256:", &rest))
        RWL_TRY(set_decimal(node, rest, 256, &is_known, arena, err));
    else if (starts_with(text, "fixed_size_binary:", &rest))
        is_known = set_fixed_binary(node, rest);
    else if (starts_with(text, "dict:", &rest) && depth == 0)
        return set_dictionary(node, rest, text, arena, err);
    else if (starts_with(text, "fixed_size_list:struct:", &rest) && depth == 0)
        is_known = set_structs(node, rest);
    else if (starts_with(text, "fixed_size_list:", &rest) && depth < RWL_LANCE_VECTOR_DEPTH_MAX)
        return set_vector(node, rest, text, depth, arena, err);
    else
        is_known = set_plain(node, text);
    return is_known ? (rwl_status)RWL_OK : refuse_type(node, text, arena, err);
}

/* --- extension types --- */

static bool is_extension(const rwl_lance_field_def *def, const char *name) {
    return def->extension != NULL && strcmp(def->extension, name) == 0;
}

bool rwl_lance_field_is_blob2(const rwl_lance_field_def *def) {
    return is_extension(def, "lance.blob.v2") && strcmp(def->logical_type, "struct") == 0;
}

/* The type that the extension makes of the logical one. Extensions of others say what values are for; Lance's own change what
 * their bytes mean, and *is_known is false for those that are not here. */
static rwl_span extended_type(const rwl_lance_field_def *def, bool *is_known) {
    static const struct {
        const char *extension, *logical_type, *type;
    } known[] = {{"lance.bfloat16", "fixed_size_binary:2", "lance.bfloat16"},
                 {"lance.bfloat16", NULL, NULL},
                 {"lance.json", "json", "json"},
                 {"lance.json", "binary", "json"},
                 {"lance.json", "large_binary", "json"},
                 {"lance.blob.v2", "struct", "binary"}};
    *is_known = def->extension == NULL || strncmp(def->extension, "lance.", 6) != 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0] && !*is_known; i++) {
        bool is_any = known[i].logical_type == NULL;
        if (!is_extension(def, known[i].extension) ||
            (!is_any && strcmp(def->logical_type, known[i].logical_type) != 0))
            continue;
        *is_known = true;
        return rwl_span_str(is_any ? def->logical_type : known[i].type);
    }
    return rwl_span_str(def->logical_type);
}

rwl_status rwl_lance_node_set_type(rwl_lance_node *node, const rwl_lance_field_def *def, rwl_arena *arena,
                                   rwl_error *err) {
    bool is_known;
    rwl_span text = extended_type(def, &is_known);
    if (!is_known)
        return rwl_lance_node_refuse(node, arena, err,
                                     "extension type '%.*s' of logical type '%.*s' is not supported",
                                     TEXT_MAX, def->extension, TEXT_MAX, def->logical_type);
    RWL_TRY(set_type(node, text, 0, arena, err));
    node->is_blob2 = rwl_lance_field_is_blob2(def);
    if (node->is_blob2)
        node->logical_type = "lance.blob.v2"; /* "struct" would tell people of fields */
    bool is_blob = def->is_blob && !node->is_blob2;
    if (is_blob && node->form != RWL_LANCE_BYTES && !node->refusal)
        return rwl_lance_node_refuse(node, arena, err, "blobs of logical type '%.*s' are not supported",
                                     TEXT_MAX, node->logical_type);
    node->is_blob = is_blob && !node->refusal;
    if (node->form == RWL_LANCE_STRUCT && def->is_packed)
        node->form = RWL_LANCE_PACKED;
    return RWL_OK;
}
