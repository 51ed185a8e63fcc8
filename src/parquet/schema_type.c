/* SPDX-License-Identifier: Apache-2.0 */
/* The natural type of a leaf: physical type and annotation made into one of Iceberg's types. */
#include "parquet/page.h"
#include "parquet/schema_internal.h"

enum { DECIMAL_DIGITS_MAX = 38 };

static void refuse(rwl_parquet_leaf *leaf, const char *type_text) {
    leaf->unsupported = true;
    leaf->type_text = type_text;
}

static void set_decimal(const rwl_parquet_annotation *a, rwl_parquet_leaf *leaf) {
    leaf->field.type.kind = RWL_TYPE_DECIMAL;
    leaf->field.type.precision = a->precision;
    leaf->field.type.scale = a->scale;
    leaf->type_text = "DECIMAL";
    if (a->precision < 1 || a->precision > DECIMAL_DIGITS_MAX || a->scale < 0 || a->scale > a->precision)
        refuse(leaf, "DECIMAL of other than 1 to 38 digits");
}

static void set_timestamp(const rwl_parquet_annotation *a, rwl_parquet_leaf *leaf) {
    leaf->type_text = "TIMESTAMP";
    leaf->millis = a->unit == UNIT_MILLIS;
    if (a->unit == UNIT_NANOS)
        leaf->field.type.kind = a->is_utc ? RWL_TYPE_TIMESTAMPTZ_NS : RWL_TYPE_TIMESTAMP_NS;
    else if (a->unit == UNIT_MILLIS || a->unit == UNIT_MICROS)
        leaf->field.type.kind = a->is_utc ? RWL_TYPE_TIMESTAMPTZ : RWL_TYPE_TIMESTAMP;
    else
        refuse(leaf, "TIMESTAMP of an unknown unit");
}

static void set_time(const rwl_parquet_annotation *a, rwl_parquet_leaf *leaf) {
    leaf->field.type.kind = RWL_TYPE_TIME;
    leaf->type_text = "TIME";
    leaf->millis = a->unit == UNIT_MILLIS;
    if (a->unit == UNIT_NANOS)
        leaf->field.type.parameters = RWL_TYPE_NANOS;
    bool is_short = leaf->physical == RWL_PARQUET_INT32;
    if (is_short ? a->unit != UNIT_MILLIS : a->unit != UNIT_MICROS && a->unit != UNIT_NANOS)
        refuse(leaf, "TIME of an unknown unit");
}

static void set_int32(const rwl_parquet_annotation *a, rwl_parquet_leaf *leaf) {
    leaf->field.type.kind = RWL_TYPE_INT;
    if (a->id == LOGICAL_DATE)
        leaf->field.type.kind = RWL_TYPE_DATE;
    else if (a->id == LOGICAL_DECIMAL)
        set_decimal(a, leaf);
    else if (a->id == LOGICAL_TIME)
        set_time(a, leaf);
    else if (a->id == LOGICAL_INTEGER && !a->is_signed && a->bits == 32)
        leaf->field.type.kind = RWL_TYPE_LONG; /* the values above 2^31 */
}

static void set_int64(const rwl_parquet_annotation *a, rwl_parquet_leaf *leaf) {
    leaf->field.type.kind = RWL_TYPE_LONG;
    if (a->id == LOGICAL_DECIMAL)
        set_decimal(a, leaf);
    else if (a->id == LOGICAL_TIME)
        set_time(a, leaf);
    else if (a->id == LOGICAL_TIMESTAMP)
        set_timestamp(a, leaf);
    else if (a->id == LOGICAL_INTEGER && !a->is_signed && a->bits == 64) {
        leaf->field.type.kind = RWL_TYPE_DECIMAL; /* 2^64 - 1 has 20 digits */
        leaf->field.type.precision = 20;
        leaf->field.type.parameters = RWL_TYPE_UINT64;
        leaf->is_unsigned = true;
        leaf->type_text = "INT(64, unsigned)";
    }
}

/* What Iceberg writes between the parentheses: nothing where the defaults hold. */
static rwl_status set_geo(const rwl_parquet_annotation *a, rwl_arena *arena, rwl_parquet_leaf *leaf,
                          rwl_error *err) {
    static const char default_crs[] = "OGC:CRS84";
    const char *edges = rwl_parquet_edges_name(a->algorithm);
    const char *crs = a->crs && a->crs[0] != '\0' ? a->crs : default_crs;
    leaf->field.type.kind = a->id == LOGICAL_GEOMETRY ? RWL_TYPE_GEOMETRY : RWL_TYPE_GEOGRAPHY;
    if (a->id == LOGICAL_GEOGRAPHY && edges == NULL) {
        refuse(leaf, "GEOGRAPHY of an unknown algorithm");
        return RWL_OK;
    }
    if (a->id == LOGICAL_GEOGRAPHY && a->algorithm > 0)
        leaf->field.type.parameters = rwl_arena_printf(arena, "%s, %s", crs, edges);
    else if (strcmp(crs, default_crs) != 0)
        leaf->field.type.parameters = crs;
    else
        return RWL_OK;
    return leaf->field.type.parameters ? RWL_OK : rwl_no_memory(err, strlen(crs));
}

static rwl_status set_bytes(const rwl_parquet_annotation *a, rwl_arena *arena, rwl_parquet_leaf *leaf,
                            rwl_error *err) {
    leaf->field.type.kind = RWL_TYPE_BINARY;
    if (a->id == LOGICAL_STRING || a->id == LOGICAL_ENUM || a->id == LOGICAL_JSON)
        leaf->field.type.kind = RWL_TYPE_STRING;
    else if (a->id == LOGICAL_DECIMAL)
        set_decimal(a, leaf);
    else if (a->id == LOGICAL_GEOMETRY || a->id == LOGICAL_GEOGRAPHY)
        return set_geo(a, arena, leaf, err);
    return RWL_OK;
}

static void set_fixed(const rwl_parquet_annotation *a, rwl_parquet_leaf *leaf) {
    leaf->field.type.kind = RWL_TYPE_FIXED;
    leaf->field.type.length = leaf->type_length;
    if (a->id == LOGICAL_UUID && leaf->type_length == 16) {
        leaf->field.type = rwl_type_of(RWL_TYPE_UUID);
    } else if (a->id == LOGICAL_DECIMAL) {
        leaf->field.type.length = 0;
        set_decimal(a, leaf);
    } else if (a->id == LOGICAL_FLOAT16 && leaf->type_length == 2) {
        leaf->field.type = rwl_type_of(RWL_TYPE_FLOAT);
        leaf->type_text = "FLOAT16";
    } else if (a->id == LOGICAL_INTERVAL) {
        refuse(leaf, "INTERVAL");
    }
}

static rwl_status set_physical(const rwl_parquet_element *e, rwl_arena *arena, rwl_parquet_leaf *leaf,
                               rwl_error *err) {
    const rwl_parquet_annotation *a = &e->annotation;
    switch (leaf->physical) {
    case RWL_PARQUET_BOOLEAN:
        leaf->field.type.kind = RWL_TYPE_BOOLEAN;
        break;
    case RWL_PARQUET_INT32:
        set_int32(a, leaf);
        break;
    case RWL_PARQUET_INT64:
        set_int64(a, leaf);
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
        return set_bytes(a, arena, leaf, err);
    case RWL_PARQUET_FIXED:
        set_fixed(a, leaf);
        break;
    }
    return RWL_OK;
}

rwl_status rwl_parquet_element_type(const rwl_parquet_element *e, rwl_arena *arena, rwl_parquet_leaf *leaf,
                                    rwl_error *err) {
    leaf->physical = (rwl_parquet_physical)e->type;
    if (leaf->physical == RWL_PARQUET_FIXED) {
        if (e->type_length < 1)
            return rwl_fail(err, RWL_CORRUPT, "column %s: fixed length of %d bytes", e->name, e->type_length);
        leaf->type_length = e->type_length;
    }
    if (e->annotation.id == LOGICAL_UNKNOWN) { /* always null, whatever the values would be */
        leaf->type_text = "UNKNOWN";
        leaf->field.type.kind = RWL_TYPE_UNKNOWN;
        return RWL_OK;
    }
    if (e->annotation.id == LOGICAL_INTEGER)
        leaf->int_bits = (int8_t)(e->annotation.is_signed ? e->annotation.bits : -e->annotation.bits);
    return set_physical(e, arena, leaf, err);
}
