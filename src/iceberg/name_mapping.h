/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Field ids for files that carry none (specification, "Column Projection", "Name Mapping"). A mapping is a JSON list:
 *
 *   [{"field-id": 1, "names": ["id", "record_id"]}, {"field-id": 2, "names": ["data"], "fields": [ … ]}]
 *
 * Names are one step each, dots in them are plain characters; the fields of a list are named "element", those of a map
 * "key" and "value". What has no field-id or no entry stays without id and is not read.
 */
#ifndef RWL_ICEBERG_NAME_MAPPING_H
#define RWL_ICEBERG_NAME_MAPPING_H

#include "base/json.h"
#include "column/type.h"

typedef struct rwl_name_mapping {
    const struct rwl_mapped_name *names; /* ascending */
    size_t count;
} rwl_name_mapping;

/* A name of one level. */
typedef struct rwl_mapped_name {
    const char *name;
    int32_t field_id; /* -1: none */
    rwl_name_mapping fields;
} rwl_mapped_name;

/* Into `arena`. CORRUPT: no such list, a name twice in one level, a field id twice. */
RWL_MUST_CHECK rwl_status rwl_name_mapping_parse(rwl_span json, rwl_arena *arena, rwl_name_mapping *out,
                                                 rwl_error *err);
/* The mapping that a schema's own names make. */
RWL_MUST_CHECK rwl_status rwl_name_mapping_of_fields(const rwl_field *fields, int32_t count, rwl_arena *arena,
                                                     rwl_name_mapping *out, rwl_error *err);
/* `fields` with the ids that the mapping gives, -1 for others; the shape stays. *found: how many at the top have one. */
RWL_MUST_CHECK rwl_status rwl_name_mapping_apply(const rwl_name_mapping *mapping, const rwl_field *fields,
                                                 int32_t count, rwl_arena *arena, const rwl_field **out,
                                                 int32_t *found, rwl_error *err);

#endif
