/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of a footer's schema list, with what their logical or converted type says. */
#include "parquet/schema_internal.h"
#include "parquet/thrift_field.h"

typedef struct element_parse {
    rwl_arena *arena;
    rwl_parquet_element *e;
} element_parse;

static rwl_status read_decimal(rwl_cursor *c, rwl_parquet_annotation *a, rwl_error *err) {
    const rwl_parquet_target targets[] = {{1, .i32 = &a->scale}, {2, .i32 = &a->precision}};
    return rwl_parquet_fields_read(c, targets, sizeof targets / sizeof targets[0], err);
}

static rwl_status read_time_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    rwl_parquet_annotation *a = ctx;
    if (f.id == 1)
        return rwl_parquet_field_bool(c, f, &a->is_utc, err);
    if (f.id == 2 && f.type == RWL_THRIFT_STRUCT)
        return rwl_thrift_union(c, &a->unit, err);
    return rwl_thrift_skip(c, f.type, err);
}

static rwl_status read_integer_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    rwl_parquet_annotation *a = ctx;
    if (f.id == 1 && f.type == RWL_THRIFT_I8)
        return rwl_thrift_i8(c, &a->bits, err);
    if (f.id == 2)
        return rwl_parquet_field_bool(c, f, &a->is_signed, err);
    return rwl_thrift_skip(c, f.type, err);
}

/* GEOMETRY and GEOGRAPHY: the coordinate reference system, and for the latter how edges run. */
static rwl_status read_geo_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    element_parse *p = ctx;
    if (f.id == 1)
        return rwl_parquet_field_text(c, f, p->arena, &p->e->annotation.crs, err);
    if (f.id == 2)
        return rwl_parquet_field_i32(c, f, &p->e->annotation.algorithm, err);
    return rwl_thrift_skip(c, f.type, err);
}

static rwl_status read_logical_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    element_parse *p = ctx;
    rwl_parquet_annotation *a = &p->e->annotation;
    /* Readers ignore annotations they do not know: the physical type remains. */
    if (f.id >= LOGICAL_STRING && f.id <= LOGICAL_GEOGRAPHY)
        a->id = f.id;
    if (f.type != RWL_THRIFT_STRUCT)
        return rwl_thrift_skip(c, f.type, err);
    switch (f.id) {
    case LOGICAL_DECIMAL:
        return read_decimal(c, a, err);
    case LOGICAL_TIME:
    case LOGICAL_TIMESTAMP:
        return rwl_thrift_struct(c, read_time_field, a, err);
    case LOGICAL_INTEGER:
        return rwl_thrift_struct(c, read_integer_field, a, err);
    case LOGICAL_GEOMETRY:
    case LOGICAL_GEOGRAPHY:
        return rwl_thrift_struct(c, read_geo_field, p, err);
    default:
        return rwl_thrift_skip(c, f.type, err);
    }
}

static rwl_status read_element_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    element_parse *p = ctx;
    rwl_parquet_element *e = p->e;
    switch (f.id) {
    case 1:
        e->has_type = true;
        return rwl_parquet_field_i32(c, f, &e->type, err);
    case 2:
        return rwl_parquet_field_i32(c, f, &e->type_length, err);
    case 3:
        return rwl_parquet_field_i32(c, f, &e->repetition, err);
    case 4:
        return rwl_parquet_field_text(c, f, p->arena, &e->name, err);
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
        return rwl_parquet_field_struct(c, f, read_logical_field, p, err);
    default:
        return rwl_thrift_skip(c, f.type, err);
    }
}

/* The annotation a converted type stands for, where the file has no logical type. */
static rwl_parquet_annotation from_converted(const rwl_parquet_element *e) {
    static const rwl_parquet_annotation of[] = {
        {.id = LOGICAL_STRING},
        {.id = LOGICAL_MAP},
        {.id = LOGICAL_MAP}, /* MAP_KEY_VALUE: on the outer group it means the same */
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
        return (rwl_parquet_annotation){.id = LOGICAL_NONE};
    rwl_parquet_annotation a = of[e->converted];
    if (a.id == LOGICAL_DECIMAL) {
        a.scale = e->scale;
        a.precision = e->precision;
    }
    return a;
}

rwl_status rwl_parquet_element_read(rwl_cursor *c, rwl_arena *arena, rwl_parquet_element *e, rwl_error *err) {
    memset(e, 0, sizeof *e);
    e->converted = e->field_id = -1;
    e->repetition = REPETITION_REQUIRED;
    element_parse p = {arena, e};
    RWL_TRY(rwl_thrift_struct(c, read_element_field, &p, err));
    if (!e->name)
        return rwl_fail(err, RWL_CORRUPT, "schema element without a name");
    if (e->repetition < REPETITION_REQUIRED || e->repetition > REPETITION_REPEATED)
        return rwl_fail(err, RWL_CORRUPT, "schema element %s has repetition %d", e->name, e->repetition);
    if (e->has_type && (e->type < RWL_PARQUET_BOOLEAN || e->type > RWL_PARQUET_FIXED))
        return rwl_fail(err, RWL_CORRUPT, "schema element %s has physical type %d", e->name, e->type);
    if (e->children < 0 || (e->has_type && e->children > 0))
        return rwl_fail(err, RWL_CORRUPT, "schema element %s has %d children", e->name, e->children);
    if (e->annotation.id == LOGICAL_NONE)
        e->annotation = from_converted(e);
    return RWL_OK;
}
