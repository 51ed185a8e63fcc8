/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fields are stored as Parquet columns: the schema tree written and its leaves (Iceberg specification, appendix A,
 * Parquet; LogicalTypes.md "Nested Types").
 *
 *   list    := optional group NAME (LIST) { repeated group list { ELEMENT element } }
 *   map     := optional group NAME (MAP) { repeated group key_value { required KEY key; VALUE value } }
 *   variant := optional group NAME (VARIANT(1)) { required binary metadata; required binary value }
 */
#ifndef RWL_PARQUET_WRITE_SCHEMA_H
#define RWL_PARQUET_WRITE_SCHEMA_H

#include "base/arena.h"
#include "parquet/shape.h"

typedef enum rwl_parquet_part {
    RWL_PARQUET_WHOLE,
    RWL_PARQUET_VARIANT_METADATA,
    RWL_PARQUET_VARIANT_VALUE
} rwl_parquet_part;

typedef struct rwl_parquet_write_leaf {
    const rwl_field *field; /* the primitive (or VARIANT) field; id for metrics */
    rwl_parquet_part part;
    int32_t top;             /* index of the top-level field */
    const char *const *path; /* names from the top to the leaf, "list" and "element" too */
    int32_t path_len;
    const char *dotted; /* the same with dots, and for properties "a.list.element" */
    const int32_t
        *ways; /* from the top-level field on: the child to take, one for each nested field on the way */
    int32_t way_count;
    rwl_parquet_shape shape;
    bool required; /* the leaf itself */
    int16_t max_definition, max_repetition;
} rwl_parquet_write_leaf;

typedef struct rwl_parquet_write_schema {
    const rwl_field *fields; /* all fields as given, copied; UNKNOWN ones are not stored */
    int32_t field_count;
    const rwl_parquet_write_leaf *leaves;
    int32_t leaf_count;
} rwl_parquet_write_schema;

/* Copies the fields to `arena`. UNSUPPORTED, naming the field, for what can't be written. */
RWL_MUST_CHECK rwl_status rwl_parquet_write_schema_make(const rwl_field *fields, int32_t count,
                                                        rwl_arena *arena, rwl_parquet_write_schema *out,
                                                        rwl_error *err);
/* Appends the elements of the footer's schema list after its header (the root included); *count says how many. */
RWL_MUST_CHECK rwl_status rwl_parquet_write_schema_put(const rwl_parquet_write_schema *schema, rwl_buf *out,
                                                       uint32_t *count, rwl_error *err);

#endif
