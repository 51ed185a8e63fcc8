/* SPDX-License-Identifier: Apache-2.0 */
/* Between the parts of schema reading: elements as the footer has them, natural types, the tree. */
#ifndef RWL_PARQUET_SCHEMA_INTERNAL_H
#define RWL_PARQUET_SCHEMA_INTERNAL_H

#include "parquet/footer.h"

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

typedef struct rwl_parquet_annotation {
    int id; /* LOGICAL_… */
    int32_t scale, precision;
    bool is_utc;
    int16_t unit; /* UNIT_… */
    int8_t bits;
    bool is_signed;
    const char *crs;   /* NULL: the default */
    int32_t algorithm; /* of GEOGRAPHY's edges */
} rwl_parquet_annotation;

typedef struct rwl_parquet_element {
    bool has_type;
    int32_t type, type_length, repetition, children, converted, scale, precision, field_id;
    const char *name;
    rwl_parquet_annotation annotation; /* from the logical type, else from the converted one */
    uint32_t end;                      /* index behind the last element below it */
} rwl_parquet_element;

/* Reads one SchemaElement; texts go to `arena`. */
RWL_MUST_CHECK rwl_status rwl_parquet_element_read(rwl_cursor *c, rwl_arena *arena, rwl_parquet_element *e,
                                                   rwl_error *err);
/* Fills type, unit and support of the leaf of a primitive element (parquet-format, LogicalTypes.md). */
RWL_MUST_CHECK rwl_status rwl_parquet_element_type(const rwl_parquet_element *e, rwl_arena *arena,
                                                   rwl_parquet_leaf *leaf, rwl_error *err);

#endif
