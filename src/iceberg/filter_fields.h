/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns that a filter or a selection may name, in this order:
 *
 *   1  the schema's fields
 *   2  metadata columns: _row_id, _last_updated_sequence_number, _file, _pos, _spec_id, _partition. A column of the schema
 *      that has such a name takes its place: what people called so is what they get.
 *   3  fields of structs, at any depth but not inside lists and maps, by their dotted path ("a.b.c"): required where all
 *      the path is. They may have the same name as a column with a dot in its name.
 *
 * Columns of files have ids below RWL_FIELD_ID_RESERVED_MIN, metadata columns those above it, and fields of _partition
 * negative ones: partition field ids may be those of columns, too.
 */
#ifndef RWL_ICEBERG_FILTER_FIELDS_H
#define RWL_ICEBERG_FILTER_FIELDS_H

#include "iceberg/metadata.h"

/* Where such a field lies. */
typedef struct rwl_field_place {
    int32_t parent; /* index of the struct it is in, -1 at the top */
    int32_t child;  /* index among its parent's, or among the columns 1 and 2 */
} rwl_field_place;

/* The fields of a table under `schema`, and where each lies (`places` may be NULL), in `arena`. Without metadata (a data
 * file by itself) _partition is left out. */
RWL_MUST_CHECK rwl_status rwl_filter_fields(const rwl_metadata *metadata, const rwl_schema *schema,
                                            rwl_arena *arena, rwl_field **fields, rwl_field_place **places,
                                            int32_t *count, rwl_error *err);
/* A metadata column's name for which the schema has a column of its own, from `*at` on, which moves behind it; NULL at the
 * end. */
const char *rwl_filter_fields_hidden(const rwl_schema *schema, int32_t *at);

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
/* The value that a file of this spec and partition has in the partition field, as one of `type`: null where its spec lacks
 * the field. False when the value is of a type that can't be read as that. */
bool rwl_filter_partition_value(const rwl_metadata *metadata, int32_t spec_id, const rwl_value *partition,
                                int32_t partition_count, int32_t partition_id, const rwl_type *type,
                                rwl_value *out);

#endif
