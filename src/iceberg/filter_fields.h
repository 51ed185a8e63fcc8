/* SPDX-License-Identifier: Apache-2.0 */
/* The columns that a filter or a selection may name: the schema's, and metadata columns. */
#ifndef RWL_ICEBERG_FILTER_FIELDS_H
#define RWL_ICEBERG_FILTER_FIELDS_H

#include "iceberg/schema.h"

/* The schema's fields in order, then _row_id, _last_updated_sequence_number, _file, _pos, _spec_id (INT). In `arena`. */
RWL_MUST_CHECK rwl_status rwl_filter_fields(const rwl_schema *schema, rwl_arena *arena, rwl_field **fields,
                                            int32_t *count, rwl_error *err);

#endif
