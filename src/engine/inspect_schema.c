/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema of a Parquet footer as it stands there, groups and old annotations included (parquet.thrift, SchemaElement and
 * LogicalType): what the reader folds into nodes is shown unfolded.
 */
#include "engine/inspect_internal.h"
#include "parquet/page.h"
#include "parquet/thrift_field.h"

#include <inttypes.h>

enum { TREE_DEPTH_MAX = 256, ELEMENT_MIN = 4 };
/* Logical types with parameters. */
enum { DECIMAL = 5, TIME = 7, TIMESTAMP = 8, INTEGER = 10, GEOMETRY = 17, GEOGRAPHY = 18 };

/* Parameters of a logical type: integers and booleans by field id, one text, and the one field set of a union. */
typedef struct parameters {
    int64_t numbers[4]; /* by field id 1 to 3; -1 absent */
    int16_t unit;
    rwl_span text;
} parameters;

typedef struct element {
    int32_t type, length, repetition, children, converted, scale, precision, field_id; /* -1 absent */
    rwl_span name;
    int16_t logical; /* field of the union; 0 absent */
    parameters of_logical;
} element;

/* --- logical types --- */

static rwl_status read_parameter(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    parameters *p = ctx;
    int32_t wide;
    int8_t narrow;
    bool known = f.id >= 1 && f.id <= 3;
    switch (f.type) {
    case RWL_THRIFT_TRUE:
    case RWL_THRIFT_FALSE:
        if (known)
            p->numbers[f.id] = f.type == RWL_THRIFT_TRUE;
        return RWL_OK;
    case RWL_THRIFT_I8:
        RWL_TRY(rwl_thrift_i8(c, &narrow, err));
        if (known)
            p->numbers[f.id] = narrow;
        return RWL_OK;
    case RWL_THRIFT_I32:
        RWL_TRY(rwl_thrift_i32(c, &wide, err));
        if (known)
            p->numbers[f.id] = wide;
        return RWL_OK;
    case RWL_THRIFT_BINARY:
        return rwl_thrift_binary(c, &p->text, err);
    case RWL_THRIFT_STRUCT:
        p->unit = 0;
        return rwl_thrift_union(c, &p->unit, err);
    default:
        return rwl_thrift_skip(c, f.type, err);
    }
}

static const char *logical_name(int16_t kind) {
    static const char *const NAMES[] = {
        NULL,      "STRING",  "MAP",  "LIST", "ENUM", "DECIMAL", "DATE",    "TIME",     "TIMESTAMP", NULL,
        "INTEGER", "UNKNOWN", "JSON", "BSON", "UUID", "FLOAT16", "VARIANT", "GEOMETRY", "GEOGRAPHY"};
    return kind > 0 && (size_t)kind < sizeof NAMES / sizeof *NAMES ? NAMES[kind] : NULL;
}

/* A reference system may be a page of JSON: it is given whole. */
static rwl_status format_geo(const parameters *p, rwl_buf *out, rwl_error *err) {
    const char *edges = rwl_parquet_edges_name(p->numbers[2]);
    if (p->text.len == 0 && edges == NULL)
        return RWL_OK;
    RWL_TRY(rwl_buf_u8(out, '(', err));
    if (p->text.len > 0)
        RWL_TRY(rwl_buf_append(out, p->text.data, p->text.len, err));
    if (edges != NULL)
        RWL_TRY(rwl_buf_printf(out, err, "%s%s", p->text.len > 0 ? ", " : "", edges));
    return rwl_buf_u8(out, ')', err);
}

static rwl_status format_logical(int16_t kind, const parameters *p, rwl_buf *out, rwl_error *err) {
    static const char *const UNITS[] = {"?", "MILLIS", "MICROS", "NANOS"};
    const char *name = logical_name(kind);
    if (name == NULL)
        return rwl_buf_printf(out, err, "type %d", kind);
    RWL_TRY(rwl_buf_str(out, name, err));
    switch (kind) {
    case DECIMAL:
        return rwl_buf_printf(out, err, "(%" PRId64 ", %" PRId64 ")", p->numbers[2], p->numbers[1]);
    case TIME:
    case TIMESTAMP:
        return rwl_buf_printf(out, err, "(%s%s)", UNITS[p->unit >= 0 && p->unit <= 3 ? p->unit : 0],
                              p->numbers[1] == 1 ? ", UTC" : "");
    case INTEGER:
        return rwl_buf_printf(out, err, "(%" PRId64 ", %s)", p->numbers[1],
                              p->numbers[2] == 0 ? "unsigned" : "signed");
    case GEOMETRY:
    case GEOGRAPHY:
        return format_geo(p, out, err);
    default:
        return RWL_OK;
    }
}

static rwl_status read_logical_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    element *e = ctx;
    if (f.type != RWL_THRIFT_STRUCT)
        return rwl_thrift_skip(c, f.type, err);
    e->of_logical = (parameters){.numbers = {-1, -1, -1, -1}};
    e->logical = f.id;
    return rwl_thrift_struct(c, read_parameter, &e->of_logical, err);
}

/* --- elements --- */

static rwl_status read_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    element *e = ctx;
    switch (f.id) {
    case 1:
        return rwl_parquet_field_i32(c, f, &e->type, err);
    case 2:
        return rwl_parquet_field_i32(c, f, &e->length, err);
    case 3:
        return rwl_parquet_field_i32(c, f, &e->repetition, err);
    case 4:
        return rwl_parquet_field_binary(c, f, &e->name, err);
    case 5:
        return rwl_parquet_field_i32(c, f, &e->children, err);
    case 6:
        return rwl_parquet_field_i32(c, f, &e->converted, err);
    case 7:
        return rwl_parquet_field_i32(c, f, &e->scale, err);
    case 8:
        return rwl_parquet_field_i32(c, f, &e->precision, err);
    case 9:
        return rwl_parquet_field_i32(c, f, &e->field_id, err);
    case 10:
        if (f.type == RWL_THRIFT_STRUCT)
            return rwl_thrift_struct(c, read_logical_field, e, err);
        break;
    default:
        break;
    }
    return rwl_thrift_skip(c, f.type, err);
}

static rwl_status read_element(rwl_cursor *c, element *e, rwl_error *err) {
    *e = (element){.type = -1,
                   .length = -1,
                   .repetition = -1,
                   .converted = -1,
                   .scale = -1,
                   .precision = -1,
                   .field_id = -1,
                   .name = {(const uint8_t *)"", 0}};
    return rwl_thrift_struct(c, read_field, e, err);
}

/* --- the document --- */

static const char *name_of(const char *const *names, size_t count, int32_t number) {
    return number >= 0 && (size_t)number < count ? names[number] : NULL;
}

static const char *repetition_name(int32_t repetition) {
    static const char *const NAMES[] = {"required", "optional", "repeated"};
    return name_of(NAMES, sizeof NAMES / sizeof *NAMES, repetition);
}

static const char *physical_name(int32_t type) {
    static const char *const NAMES[] = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                        "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
    return name_of(NAMES, sizeof NAMES / sizeof *NAMES, type);
}

static const char *converted_name(int32_t type) {
    static const char *const NAMES[] = {"UTF8",
                                        "MAP",
                                        "MAP_KEY_VALUE",
                                        "LIST",
                                        "ENUM",
                                        "DECIMAL",
                                        "DATE",
                                        "TIME_MILLIS",
                                        "TIME_MICROS",
                                        "TIMESTAMP_MILLIS",
                                        "TIMESTAMP_MICROS",
                                        "UINT_8",
                                        "UINT_16",
                                        "UINT_32",
                                        "UINT_64",
                                        "INT_8",
                                        "INT_16",
                                        "INT_32",
                                        "INT_64",
                                        "JSON",
                                        "BSON",
                                        "INTERVAL"};
    return name_of(NAMES, sizeof NAMES / sizeof *NAMES, type);
}

static void put_logical(rwl_doc *doc, const element *e) {
    rwl_buf text;
    rwl_buf_init(&text, doc->out->env, SIZE_MAX);
    rwl_status st = e->logical > 0 ? format_logical(e->logical, &e->of_logical, &text, doc->err) : RWL_OK;
    if (doc->st == RWL_OK)
        doc->st = st;
    rwl_doc_span(doc, "logical_type", rwl_buf_span(&text));
    rwl_buf_clear(&text);
}

/* Opens the element's object; a group's is left open with its array of children. */
static void put_element(rwl_doc *doc, const element *e) {
    rwl_doc_open(doc, NULL, '{');
    rwl_doc_span(doc, "name", e->name);
    rwl_doc_maybe(doc, "field_id", e->field_id >= 0, e->field_id);
    rwl_doc_text(doc, "repetition", repetition_name(e->repetition));
    rwl_doc_text(doc, "physical_type", e->children > 0 ? NULL : physical_name(e->type));
    rwl_doc_maybe(doc, "length", e->type == RWL_PARQUET_FIXED && e->children <= 0, e->length);
    put_logical(doc, e);
    rwl_doc_text(doc, "converted_type", converted_name(e->converted));
    rwl_doc_maybe(doc, "precision", e->precision >= 0, e->precision);
    rwl_doc_maybe(doc, "scale", e->scale >= 0, e->scale);
    if (e->children > 0)
        rwl_doc_open(doc, "children", '[');
    else
        rwl_doc_close(doc, '}');
}

/* The list stands in depth-first order; `left` counts the children still to come at each depth. */
static rwl_status put_tree(rwl_cursor *c, uint32_t count, rwl_doc *doc, rwl_error *err) {
    int32_t left[TREE_DEPTH_MAX];
    int depth = 0;
    element e;
    for (uint32_t i = 0; i < count && doc->st == RWL_OK; i++) {
        RWL_TRY(read_element(c, &e, err));
        bool is_root = i == 0;
        if (!is_root)
            put_element(doc, &e);
        if (is_root || e.children > 0) {
            if (depth == TREE_DEPTH_MAX)
                return rwl_fail(err, RWL_UNSUPPORTED, "the schema is nested deeper than %d", TREE_DEPTH_MAX);
            left[depth++] = is_root ? INT32_MAX : e.children;
            continue;
        }
        while (depth > 1 && --left[depth - 1] == 0) {
            rwl_doc_close(doc, ']');
            rwl_doc_close(doc, '}');
            depth--;
        }
    }
    for (; depth > 1; depth--) { /* the reader refuses such a tree; ours stays JSON */
        rwl_doc_close(doc, ']');
        rwl_doc_close(doc, '}');
    }
    return RWL_OK;
}

static rwl_status put_footer_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    rwl_doc *doc = ctx;
    int32_t version;
    uint32_t count;
    switch (f.id) {
    case 1:
        RWL_TRY(rwl_parquet_field_i32(c, f, &version, err));
        rwl_doc_i64(doc, "version", version);
        return RWL_OK;
    case 2:
        RWL_TRY(rwl_parquet_field_list(c, f, RWL_THRIFT_STRUCT, ELEMENT_MIN, &count, err));
        rwl_doc_open(doc, "schema", '[');
        RWL_TRY(put_tree(c, count, doc, err));
        rwl_doc_close(doc, ']');
        return RWL_OK;
    default:
        return rwl_thrift_skip(c, f.type, err);
    }
}

rwl_status rwl_inspect_footer(rwl_span footer, rwl_doc *doc, rwl_error *err) {
    rwl_cursor c = rwl_cursor_of(footer);
    return rwl_thrift_struct(&c, put_footer_field, doc, err);
}
