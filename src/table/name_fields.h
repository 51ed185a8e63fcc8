/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns that a filter or a selection may name, in this order:
 *
 *   1  the schema's fields
 *   2  the driver's metadata columns (table/driver.h). A column of the schema that has such a name takes its place: what people called
 *      so is what they get.
 *   3  fields of structs, at any depth but not inside lists and maps, by their dotted path ("a.b.c"): required where all
 *      the path is. They may have the same name as a column with a dot in its name.
 *
 * Columns of files have ids below RWL_FIELD_ID_RESERVED_MIN, metadata columns those above it, and fields of _partition
 * negative ones: partition field ids may be those of columns, too.
 */
#ifndef RWL_TABLE_NAME_FIELDS_H
#define RWL_TABLE_NAME_FIELDS_H

#include "base/arena.h"
#include "column/type.h"

/* A column that is no part of the schema: known of a row, or of the place it lies at. */
typedef struct rwl_metadata_column {
    rwl_field field;
    bool is_lineage; /* appended by --lineage */
} rwl_metadata_column;

/* Where such a field lies. */
typedef struct rwl_field_place {
    int32_t parent; /* index of the struct it is in, -1 at the top */
    int32_t child;  /* index among its parent's, or among the columns 1 and 2 */
} rwl_field_place;

/* All of them, and where each lies (`places` may be NULL), in `arena`. */
RWL_MUST_CHECK rwl_status rwl_name_fields(const rwl_field *schema, int32_t schema_count,
                                          const rwl_metadata_column *columns, int32_t column_count,
                                          rwl_arena *arena, rwl_field **fields, rwl_field_place **places,
                                          int32_t *count, rwl_error *err);
/* A metadata column's name for which the schema has a column of its own, from `*at` on, which moves behind it; NULL at the
 * end. */
const char *rwl_name_fields_hidden(const rwl_field *schema, int32_t schema_count,
                                   const rwl_metadata_column *columns, int32_t column_count, int32_t *at);

/* Whether a field is part of _partition, and the id of its partition field then. */
static inline bool rwl_field_is_partition(const rwl_field *field) {
    return field->id < -1;
}
static inline int32_t rwl_field_partition_id(const rwl_field *field) {
    return field->id - INT32_MIN;
}
/* Whether a field comes from the columns of files; else it is known of the file, or of its rows' positions. */
static inline bool rwl_field_is_stored(const rwl_field *field) {
    return field->id < RWL_FIELD_ID_RESERVED_MIN && !rwl_field_is_partition(field);
}

#endif
