/* SPDX-License-Identifier: Apache-2.0 */
/* The schema list of a footer: a tree in depth-first order, made into leaves with their natural types. */
#include "parquet/footer.h"

enum { SCHEMA_DEPTH_MAX = 64, SCHEMA_ELEMENT_MIN = 4, DECIMAL_DIGITS_MAX = 38 };

/* parquet.thrift's LogicalType union ids. */
enum {
    LOGICAL_NONE = 0,
    LOGICAL_STRING = 1,
    LOGICAL_MAP = 2,
    LOGICAL_LIST = 3,
    LOGICAL_ENUM = 4,
    LOGICAL_DECIMAL = 5,
    LOGICAL_DATE = 6,
    LOGICAL_TIME = 7,
    LOGICAL_TIMESTAMP = 8,
    LOGICAL_INTEGER = 10,
    LOGICAL_UNKNOWN = 11,
    LOGICAL_JSON = 12,
    LOGICAL_BSON = 13,
    LOGICAL_UUID = 14,
    LOGICAL_FLOAT16 = 15,
    LOGICAL_VARIANT = 16,
    LOGICAL_GEOMETRY = 17,
    LOGICAL_GEOGRAPHY = 18,
    LOGICAL_INTERVAL = -1 /* only a converted type */
};
enum { UNIT_MILLIS = 1, UNIT_MICROS = 2, UNIT_NANOS = 3 };
enum { REPETITION_REQUIRED = 0, REPETITION_OPTIONAL = 1, REPETITION_REPEATED = 2 };

typedef struct annotation {
    int id; /* LOGICAL_… */
    int32_t scale, precision;
    bool is_utc;
    int unit; /* UNIT_… */
    int32_t bits;
    bool is_signed;
} annotation;

typedef struct element {
    bool has_type;
    int32_t type, type_length, repetition, children, converted, scale, precision, field_id;
    const char *name;
    annotation logical;
} element;

/* --- reading elements --- */

static rwl_status read_decimal(rwl_cursor *c, annotation *a, rwl_error *err) {
    int16_t last = 0;
    for (;;) {
        rwl_thrift_field f;
        RWL_TRY(rwl_thrift_next(c, &last, &f, err));
        if (f.type == RWL_THRIFT_STOP)
            return RWL_OK;
        if (f.id == 1)
            RWL_TRY(rwl_parquet_field_i32(c, f, &a->scale, err));
        else if (f.id == 2)
            RWL_TRY(rwl_parquet_field_i32(c, f, &a->precision, err));
        else
            RWL_TRY(rwl_thrift_skip(c, f.type, err));
    }
}

/* TimeUnit is a union of empty structs: its id is its value. */
static rwl_status read_unit(rwl_cursor *c, annotation *a, rwl_error *err) {
    int16_t last = 0;
    for (;;) {
        rwl_thrift_field f;
        RWL_TRY(rwl_thrift_next(c, &last, &f, err));
        if (f.type == RWL_THRIFT_STOP)
            return RWL_OK;
        a->unit = f.id;
        RWL_TRY(rwl_thrift_skip(c, f.type, err));
    }
}

static rwl_status read_time(rwl_cursor *c, annotation *a, rwl_error *err) {
    int16_t last = 0;
    for (;;) {
        rwl_thrift_field f;
        RWL_TRY(rwl_thrift_next(c, &last, &f, err));
        if (f.type == RWL_THRIFT_STOP)
            return RWL_OK;
        if (f.id == 1)
            RWL_TRY(rwl_parquet_field_bool(c, f, &a->is_utc, err));
        else if (f.id == 2 && f.type == RWL_THRIFT_STRUCT)
            RWL_TRY(read_unit(c, a, err));
        else
            RWL_TRY(rwl_thrift_skip(c, f.type, err));
    }
}

static rwl_status read_integer(rwl_cursor *c, annotation *a, rwl_error *err) {
    int16_t last = 0;
    for (;;) {
        rwl_thrift_field f;
        RWL_TRY(rwl_thrift_next(c, &last, &f, err));
        if (f.type == RWL_THRIFT_STOP)
            return RWL_OK;
        if (f.id == 1 && f.type == RWL_THRIFT_I8) {
            int8_t bits;
            RWL_TRY(rwl_thrift_i8(c, &bits, err));
            a->bits = bits;
        } else if (f.id == 2) {
            RWL_TRY(rwl_parquet_field_bool(c, f, &a->is_signed, err));
        } else {
            RWL_TRY(rwl_thrift_skip(c, f.type, err));
        }
    }
}

static rwl_status read_logical(rwl_cursor *c, annotation *a, rwl_error *err) {
    int16_t last = 0;
    for (;;) {
        rwl_thrift_field f;
        RWL_TRY(rwl_thrift_next(c, &last, &f, err));
        if (f.type == RWL_THRIFT_STOP)
            return RWL_OK;
        /* Readers ignore annotations they do not know: the physical type remains. */
        if (f.id >= LOGICAL_STRING && f.id <= LOGICAL_GEOGRAPHY)
            a->id = f.id;
        if (f.type != RWL_THRIFT_STRUCT)
            RWL_TRY(rwl_thrift_skip(c, f.type, err));
        else if (f.id == LOGICAL_DECIMAL)
            RWL_TRY(read_decimal(c, a, err));
        else if (f.id == LOGICAL_TIME || f.id == LOGICAL_TIMESTAMP)
            RWL_TRY(read_time(c, a, err));
        else if (f.id == LOGICAL_INTEGER)
            RWL_TRY(read_integer(c, a, err));
        else
            RWL_TRY(rwl_thrift_skip(c, f.type, err));
    }
}

static rwl_status read_element_field(rwl_cursor *c, rwl_thrift_field f, rwl_arena *arena, element *e,
                                     rwl_error *err) {
    switch (f.id) {
    case 1:
        e->has_type = true;
        return rwl_parquet_field_i32(c, f, &e->type, err);
    case 2:
        return rwl_parquet_field_i32(c, f, &e->type_length, err);
    case 3:
        return rwl_parquet_field_i32(c, f, &e->repetition, err);
    case 4:
        return rwl_parquet_field_text(c, f, arena, &e->name, err);
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
        RWL_TRY(rwl_parquet_field_type(c, f, RWL_THRIFT_STRUCT, err));
        return read_logical(c, &e->logical, err);
    default:
        return rwl_thrift_skip(c, f.type, err);
    }
}

static rwl_status read_element(rwl_cursor *c, rwl_arena *arena, element *e, rwl_error *err) {
    memset(e, 0, sizeof *e);
    e->converted = e->field_id = -1;
    e->repetition = REPETITION_REQUIRED;
    int16_t last = 0;
    for (;;) {
        rwl_thrift_field f;
        RWL_TRY(rwl_thrift_next(c, &last, &f, err));
        if (f.type == RWL_THRIFT_STOP)
            break;
        RWL_TRY(read_element_field(c, f, arena, e, err));
    }
    if (!e->name)
        return rwl_fail(err, RWL_CORRUPT, "schema element without a name");
    if (e->repetition < REPETITION_REQUIRED || e->repetition > REPETITION_REPEATED)
        return rwl_fail(err, RWL_CORRUPT, "schema element %s has repetition %d", e->name, e->repetition);
    if (e->has_type && (e->type < RWL_PARQUET_BOOLEAN || e->type > RWL_PARQUET_FIXED))
        return rwl_fail(err, RWL_CORRUPT, "schema element %s has physical type %d", e->name, e->type);
    if (e->children < 0 || (e->has_type && e->children > 0))
        return rwl_fail(err, RWL_CORRUPT, "schema element %s has %d children", e->name, e->children);
    return RWL_OK;
}

/* --- natural types --- */

/* The annotation a converted type stands for, where the file has no logical type. */
static annotation from_converted(const element *e) {
    static const annotation of[] = {
        {.id = LOGICAL_STRING},
        {.id = LOGICAL_MAP},
        {.id = LOGICAL_MAP},
        {.id = LOGICAL_LIST},
        {.id = LOGICAL_ENUM},
        {.id = LOGICAL_DECIMAL},
        {.id = LOGICAL_DATE},
        {.id = LOGICAL_TIME, .is_utc = true, .unit = UNIT_MILLIS},
        {.id = LOGICAL_TIME, .is_utc = true, .unit = UNIT_MICROS},
        {.id = LOGICAL_TIMESTAMP, .is_utc = true, .unit = UNIT_MILLIS},
        {.id = LOGICAL_TIMESTAMP, .is_utc = true, .unit = UNIT_MICROS},
        {.id = LOGICAL_INTEGER, .bits = 8},
        {.id = LOGICAL_INTEGER, .bits = 16},
        {.id = LOGICAL_INTEGER, .bits = 32},
        {.id = LOGICAL_INTEGER, .bits = 64},
        {.id = LOGICAL_INTEGER, .bits = 8, .is_signed = true},
        {.id = LOGICAL_INTEGER, .bits = 16, .is_signed = true},
        {.id = LOGICAL_INTEGER, .bits = 32, .is_signed = true},
        {.id = LOGICAL_INTEGER, .bits = 64, .is_signed = true},
        {.id = LOGICAL_JSON},
        {.id = LOGICAL_BSON},
        {.id = LOGICAL_INTERVAL},
    };
    if (e->converted < 0 || (size_t)e->converted >= sizeof of / sizeof of[0])
        return (annotation){.id = LOGICAL_NONE};
    annotation a = of[e->converted];
    if (a.id == LOGICAL_DECIMAL) {
        a.scale = e->scale;
        a.precision = e->precision;
    }
    return a;
}

static void refuse(rwl_parquet_leaf *leaf, const char *type_text) {
    leaf->unsupported = true;
    leaf->type_text = type_text;
}

static void set_decimal(const annotation *a, rwl_parquet_leaf *leaf) {
    leaf->field.type.kind = RWL_TYPE_DECIMAL;
    leaf->field.type.precision = a->precision;
    leaf->field.type.scale = a->scale;
    leaf->type_text = "DECIMAL";
    if (a->precision < 1 || a->precision > DECIMAL_DIGITS_MAX || a->scale < 0 || a->scale > a->precision)
        refuse(leaf, "DECIMAL of other than 1 to 38 digits");
}

static void set_timestamp(const annotation *a, rwl_parquet_leaf *leaf) {
    leaf->type_text = "TIMESTAMP";
    leaf->millis = a->unit == UNIT_MILLIS;
    if (a->unit == UNIT_NANOS)
        leaf->field.type.kind = a->is_utc ? RWL_TYPE_TIMESTAMPTZ_NS : RWL_TYPE_TIMESTAMP_NS;
    else if (a->unit == UNIT_MILLIS || a->unit == UNIT_MICROS)
        leaf->field.type.kind = a->is_utc ? RWL_TYPE_TIMESTAMPTZ : RWL_TYPE_TIMESTAMP;
    else
        refuse(leaf, "TIMESTAMP of an unknown unit");
}

static void set_time(const annotation *a, rwl_parquet_leaf *leaf, int unit) {
    leaf->field.type.kind = RWL_TYPE_TIME;
    leaf->type_text = "TIME";
    leaf->millis = unit == UNIT_MILLIS;
    if (a->unit == UNIT_NANOS)
        refuse(leaf, "TIME(NANOS)");
    else if (a->unit != unit)
        refuse(leaf, "TIME of an unknown unit");
}

static void set_int32(const annotation *a, rwl_parquet_leaf *leaf) {
    leaf->field.type.kind = RWL_TYPE_INT;
    if (a->id == LOGICAL_DATE)
        leaf->field.type.kind = RWL_TYPE_DATE;
    else if (a->id == LOGICAL_DECIMAL)
        set_decimal(a, leaf);
    else if (a->id == LOGICAL_TIME)
        set_time(a, leaf, UNIT_MILLIS);
    else if (a->id == LOGICAL_INTEGER && !a->is_signed && a->bits == 32)
        leaf->field.type.kind = RWL_TYPE_LONG; /* the values above 2^31 */
}

static void set_int64(const annotation *a, rwl_parquet_leaf *leaf) {
    leaf->field.type.kind = RWL_TYPE_LONG;
    if (a->id == LOGICAL_DECIMAL)
        set_decimal(a, leaf);
    else if (a->id == LOGICAL_TIME)
        set_time(a, leaf, UNIT_MICROS);
    else if (a->id == LOGICAL_TIMESTAMP)
        set_timestamp(a, leaf);
    else if (a->id == LOGICAL_INTEGER && !a->is_signed && a->bits == 64)
        refuse(leaf, "INT(64, unsigned)");
}

static void set_bytes(const annotation *a, rwl_parquet_leaf *leaf) {
    leaf->field.type.kind = RWL_TYPE_BINARY;
    if (a->id == LOGICAL_STRING || a->id == LOGICAL_ENUM || a->id == LOGICAL_JSON)
        leaf->field.type.kind = RWL_TYPE_STRING;
    else if (a->id == LOGICAL_DECIMAL)
        set_decimal(a, leaf);
    else if (a->id == LOGICAL_GEOMETRY)
        refuse(leaf, "GEOMETRY");
    else if (a->id == LOGICAL_GEOGRAPHY)
        refuse(leaf, "GEOGRAPHY");
}

static void set_fixed(const annotation *a, rwl_parquet_leaf *leaf) {
    leaf->field.type.kind = RWL_TYPE_FIXED;
    leaf->field.type.length = leaf->type_length;
    if (a->id == LOGICAL_UUID && leaf->type_length == 16)
        leaf->field.type = rwl_type_of(RWL_TYPE_UUID);
    else if (a->id == LOGICAL_DECIMAL) {
        leaf->field.type.length = 0;
        set_decimal(a, leaf);
    } else if (a->id == LOGICAL_FLOAT16)
        refuse(leaf, "FLOAT16");
    else if (a->id == LOGICAL_INTERVAL)
        refuse(leaf, "INTERVAL");
}

/* Fills type, unit and support of a leaf (parquet-format, LogicalTypes.md). */
static rwl_status set_natural_type(const element *e, rwl_parquet_leaf *leaf, rwl_error *err) {
    annotation a = e->logical.id != LOGICAL_NONE ? e->logical : from_converted(e);
    leaf->physical = (rwl_parquet_physical)e->type;
    switch (leaf->physical) {
    case RWL_PARQUET_BOOLEAN:
        leaf->field.type.kind = RWL_TYPE_BOOLEAN;
        break;
    case RWL_PARQUET_INT32:
        set_int32(&a, leaf);
        break;
    case RWL_PARQUET_INT64:
        set_int64(&a, leaf);
        break;
    case RWL_PARQUET_INT96:
        leaf->field.type.kind = RWL_TYPE_TIMESTAMPTZ; /* Spark's and Impala's only use of it */
        break;
    case RWL_PARQUET_FLOAT:
        leaf->field.type.kind = RWL_TYPE_FLOAT;
        break;
    case RWL_PARQUET_DOUBLE:
        leaf->field.type.kind = RWL_TYPE_DOUBLE;
        break;
    case RWL_PARQUET_BYTE_ARRAY:
        set_bytes(&a, leaf);
        break;
    case RWL_PARQUET_FIXED:
        if (e->type_length < 1)
            return rwl_fail(err, RWL_CORRUPT, "column %s: fixed length of %d bytes", e->name, e->type_length);
        leaf->type_length = e->type_length;
        set_fixed(&a, leaf);
        break;
    }
    return RWL_OK;
}

/* --- the tree --- */

/* Groups that are open while the list is walked: how many children each still wants. */
typedef struct open_group {
    const char *path;
    int32_t children_left;
} open_group;

typedef struct walk {
    rwl_arena *arena;
    open_group open[SCHEMA_DEPTH_MAX];
    int depth;            /* open groups, the root counted */
    const char *top_name; /* of the top-level field we are in */
    int32_t top_id;
    rwl_parquet_leaf *leaves;
    int32_t leaf_count;
} walk;

static rwl_status add_leaf(walk *w, const element *e, rwl_error *err) {
    rwl_parquet_leaf *leaf = &w->leaves[w->leaf_count];
    bool is_top = w->depth == 1;
    leaf->field.name = e->name;
    if (!is_top) {
        leaf->field.name = rwl_arena_printf(w->arena, "%s.%s", w->open[w->depth - 1].path, e->name);
        if (!leaf->field.name)
            return rwl_no_memory(err, strlen(e->name));
    }
    leaf->field.id = e->field_id;
    leaf->field.required = e->repetition == REPETITION_REQUIRED;
    leaf->column = w->leaf_count++;
    leaf->is_nested = !is_top || e->repetition == REPETITION_REPEATED;
    leaf->top_name = w->top_name;
    leaf->top_id = w->top_id;
    return set_natural_type(e, leaf, err);
}

static rwl_status enter_group(walk *w, const element *e, rwl_error *err) {
    if (w->depth == SCHEMA_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "schema nested deeper than %d", SCHEMA_DEPTH_MAX);
    open_group *group = &w->open[w->depth];
    group->children_left = e->children;
    group->path = e->name;
    if (w->depth > 1) {
        group->path = rwl_arena_printf(w->arena, "%s.%s", w->open[w->depth - 1].path, e->name);
        if (!group->path)
            return rwl_no_memory(err, strlen(e->name));
    }
    w->depth++;
    return RWL_OK;
}

static rwl_status add_element(walk *w, const element *e, rwl_error *err) {
    if (w->depth == 0)
        return rwl_fail(err, RWL_CORRUPT, "schema element %s is in no group", e->name);
    w->open[w->depth - 1].children_left--;
    if (w->depth == 1) {
        w->top_name = e->name;
        w->top_id = e->field_id;
    }
    if (e->has_type)
        RWL_TRY(add_leaf(w, e, err));
    else
        RWL_TRY(enter_group(w, e, err));
    while (w->depth > 0 && w->open[w->depth - 1].children_left == 0)
        w->depth--;
    return RWL_OK;
}

rwl_status rwl_parquet_schema_parse(rwl_cursor *c, rwl_arena *arena, rwl_parquet_file *file, rwl_error *err) {
    rwl_thrift_type item;
    uint32_t count;
    RWL_TRY(rwl_thrift_list(c, &item, &count, err));
    if (item != RWL_THRIFT_STRUCT || count == 0 || count > INT32_MAX ||
        count > rwl_cursor_left(c) / SCHEMA_ELEMENT_MIN)
        return rwl_fail(err, RWL_CORRUPT, "schema list of %u elements of type %d", count, (int)item);
    walk w = {.arena = arena};
    w.leaves = rwl_arena_array(arena, count, sizeof *w.leaves);
    if (!w.leaves)
        return rwl_no_memory(err, count * sizeof *w.leaves);
    for (uint32_t i = 0; i < count; i++) {
        element e;
        RWL_TRY(read_element(c, arena, &e, err));
        if (i > 0)
            RWL_TRY(add_element(&w, &e, err));
        else if (e.has_type)
            return rwl_fail(err, RWL_CORRUPT, "schema root %s is no group", e.name);
        else
            w = (walk){.arena = arena,
                       .leaves = w.leaves,
                       .depth = e.children > 0 ? 1 : 0,
                       .open = {{e.name, e.children}}};
    }
    if (w.depth > 0)
        return rwl_fail(err, RWL_CORRUPT, "schema group %s lacks %d children", w.open[w.depth - 1].path,
                        w.open[w.depth - 1].children_left);
    file->leaves = w.leaves;
    file->leaf_count = w.leaf_count;
    return RWL_OK;
}
