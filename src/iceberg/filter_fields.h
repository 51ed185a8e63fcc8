/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns that a filter or a selection may name (table/name_fields.h) of an Iceberg table; its metadata columns are _row_id,
 * _last_updated_sequence_number, _file, _pos, _spec_id, _partition.
 */
#ifndef RWL_ICEBERG_FILTER_FIELDS_H
#define RWL_ICEBERG_FILTER_FIELDS_H

#include "iceberg/metadata.h"
#include "table/name_fields.h"

/* The metadata columns; without metadata (a data file by itself) _partition is left out. What is not constant is in `arena`. */
RWL_MUST_CHECK rwl_status rwl_filter_metadata_columns(const rwl_metadata *metadata, rwl_arena *arena,
                                                      const rwl_metadata_column **out, int32_t *count,
                                                      rwl_error *err);
/* rwl_name_fields with these. */
RWL_MUST_CHECK rwl_status rwl_filter_fields(const rwl_metadata *metadata, const rwl_schema *schema,
                                            rwl_arena *arena, rwl_field **fields, rwl_field_place **places,
                                            int32_t *count, rwl_error *err);
/* The value that a file of this spec and partition has in the partition field, as one of `type`: null where its spec lacks
 * the field. False when the value is of a type that can't be read as that. */
bool rwl_filter_partition_value(const rwl_metadata *metadata, int32_t spec_id, const rwl_value *partition,
                                int32_t partition_count, int32_t partition_id, const rwl_type *type,
                                rwl_value *out);

#endif
