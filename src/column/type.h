/* SPDX-License-Identifier: Apache-2.0 */
/* Logical types and fields: Iceberg's type system, shared by files, expressions and tables. */
#ifndef RWL_COLUMN_TYPE_H
#define RWL_COLUMN_TYPE_H

#include "base/arena.h"
#include "base/buf.h"

typedef enum rwl_type_kind {
    RWL_TYPE_UNKNOWN, /* always null */
    RWL_TYPE_BOOLEAN,
    RWL_TYPE_INT,
    RWL_TYPE_LONG,
    RWL_TYPE_FLOAT,
    RWL_TYPE_DOUBLE,
    RWL_TYPE_DECIMAL,     /* 128-bit units of 10^-scale */
    RWL_TYPE_DATE,        /* int32 days since 1970 */
    RWL_TYPE_TIME,        /* int64 microseconds of the day; see `parameters` */
    RWL_TYPE_TIMESTAMP,   /* int64 microseconds, no zone */
    RWL_TYPE_TIMESTAMPTZ, /* int64 microseconds, UTC */
    RWL_TYPE_TIMESTAMP_NS,
    RWL_TYPE_TIMESTAMPTZ_NS,
    RWL_TYPE_STRING, /* UTF-8 */
    RWL_TYPE_UUID,   /* 16 bytes, big endian */
    RWL_TYPE_FIXED,  /* `length` bytes */
    RWL_TYPE_BINARY,
    RWL_TYPE_VARIANT,
    RWL_TYPE_GEOMETRY,
    RWL_TYPE_GEOGRAPHY,
    RWL_TYPE_STRUCT, /* children: the fields */
    RWL_TYPE_LIST,   /* one child, "element" */
    RWL_TYPE_MAP     /* two children, "key" and "value" */
} rwl_type_kind;

struct rwl_field;

typedef struct rwl_type {
    rwl_type_kind kind;
    int32_t precision, scale;         /* DECIMAL */
    int32_t length;                   /* FIXED, bytes */
    const char *parameters;           /* GEOMETRY, GEOGRAPHY: text between the parentheses, or NULL;
                                        * STRING: RWL_TYPE_JSON when its text is JSON (metadata tables);
                                        * DECIMAL: RWL_TYPE_UINT64 when it holds unsigned 64-bit integers;
                                        * TIME: RWL_TYPE_NANOS when it counts nanoseconds, which no Iceberg table's does;
                                        * LONG: RWL_TYPE_DURATION and a unit when it is a length of time (Lance);
                                        * FIXED: RWL_TYPE_DECIMAL256, precision and scale when its 32 bytes are a
                                        * little-endian decimal of more than 38 digits (Lance) */
    const struct rwl_field *children; /* nested types */
    int32_t child_count;
} rwl_type;

#define RWL_TYPE_JSON       "json"
#define RWL_TYPE_UINT64     "uint64"
#define RWL_TYPE_NANOS      "ns"
#define RWL_TYPE_DURATION   "duration:"   /* and the unit: s, ms, us, ns */
#define RWL_TYPE_DECIMAL256 "decimal256:" /* and precision,scale */

struct rwl_value;

/* A named, numbered column or nested field. All pointers belong to the arena of the owning schema. */
typedef struct rwl_field {
    const char *name;
    int32_t id;
    bool required;
    rwl_type type;
    const char *doc;                         /* NULL when none */
    const struct rwl_value *initial_default; /* NULL when none (reads as null) */
    const struct rwl_value *write_default;   /* NULL when none */
} rwl_field;

/* Reserved field ids of metadata columns (Iceberg specification, "Reserved Field IDs"). */
enum {
    RWL_FIELD_ID_FILE = 2147483646,
    RWL_FIELD_ID_POS = 2147483645,
    RWL_FIELD_ID_DELETED = 2147483644,
    RWL_FIELD_ID_SPEC_ID = 2147483643,
    RWL_FIELD_ID_PARTITION = 2147483642,
    RWL_FIELD_ID_DELETE_PATH = 2147483546,
    RWL_FIELD_ID_DELETE_POS = 2147483545,
    RWL_FIELD_ID_ROW_ID = 2147483540,
    RWL_FIELD_ID_LAST_UPDATED = 2147483539,
    /* of this library, in no file: Lance's columns */
    RWL_FIELD_ID_CREATED_AT = 2147483460,
    RWL_FIELD_ID_ROW_ADDRESS = 2147483459,
    RWL_FIELD_ID_FRAGMENT_ID = 2147483458,
    RWL_FIELD_ID_RESERVED_MIN = 2147483448 /* ids from here on are not for table columns */
};
#define RWL_COLUMN_ROW_ID       "_row_id"
#define RWL_COLUMN_LAST_UPDATED "_last_updated_sequence_number"
#define RWL_COLUMN_FILE         "_file"
#define RWL_COLUMN_POS          "_pos"

/* Nested types deeper than this compare unequal, do not copy and format as an error. */
enum { RWL_TYPE_DEPTH_MAX = 64 };

static inline rwl_type rwl_type_of(rwl_type_kind kind) {
    rwl_type t = {kind, 0, 0, 0, NULL, NULL, 0};
    return t;
}
bool rwl_type_equal(const rwl_type *a, const rwl_type *b); /* structural, nested names and ids too */
static inline bool rwl_type_is_nested(const rwl_type *t) {
    return t->kind >= RWL_TYPE_STRUCT;
}
/* Bytes a value in a column's `values` buffer: 4, 8, 16 or FIXED's length; 0 for bit-packed BOOLEAN,
 * variable-length and nested types. */
int32_t rwl_type_width(const rwl_type *t);
/* True for types held as offsets and bytes. */
bool rwl_type_is_bytes(const rwl_type *t);
/* Whether the type's parameters are this text. */
bool rwl_type_has(const rwl_type *t, const char *parameters);
/* A length of time; its unit is behind the prefix of its parameters. */
static inline bool rwl_type_is_duration(const rwl_type *t) {
    return t->kind == RWL_TYPE_LONG && t->parameters != NULL;
}
static inline bool rwl_type_is_decimal256(const rwl_type *t) {
    return t->kind == RWL_TYPE_FIXED && t->parameters != NULL;
}
enum { RWL_DECIMAL256_DIGITS = 76 };
/* Precision (39 to 76) and scale (0 to the precision) of such a decimal; false where its parameters say no such thing. */
bool rwl_type_decimal256(const rwl_type *t, int32_t *precision, int32_t *scale);
/* A time of the day in nanoseconds: of a file by itself, or from outside. */
static inline bool rwl_type_is_time_ns(const rwl_type *t) {
    return t->kind == RWL_TYPE_TIME && t->parameters != NULL;
}
/* Iceberg's name: "decimal(9, 2)", "fixed[16]", "struct<1: a: optional int>"; for messages too. */
RWL_MUST_CHECK rwl_status rwl_type_format(const rwl_type *t, rwl_buf *out, rwl_error *err);
/* The type's name for a message, cut to `size`; nested types by their kind alone. */
void rwl_type_name(const rwl_type *t, char *out, size_t size);
/* Parses a primitive type's name as the specification writes it, spaces in parentheses optional; false
 * when unknown. `arena` holds parameters. */
bool rwl_type_parse(const char *text, rwl_arena *arena, rwl_type *out);
/* Deep copy into `arena`; false when out of memory. */
bool rwl_field_copy(rwl_arena *arena, const rwl_field *from, rwl_field *to);

#endif
