/* SPDX-License-Identifier: Apache-2.0 */
/* Iceberg schemas: JSON both ways, evolution rules, projection of a file's columns by field id. */
#ifndef RWL_ICEBERG_SCHEMA_H
#define RWL_ICEBERG_SCHEMA_H

#include "base/json.h"
#include "column/value.h"

/* A schema; everything lives in the arena it was parsed into. */
typedef struct rwl_schema {
    int32_t schema_id;
    const rwl_field *fields;
    int32_t field_count;
    const int32_t *identifier_ids;
    int32_t identifier_count;
    const rwl_field *const
        *by_id; /* fields at any depth by ascending id; NULL in a schema put together by hand */
    int32_t by_id_count;
    const rwl_field *const *by_name; /* top-level fields by name; NULL likewise */
} rwl_schema;

/* Parses a schema object; unknown type names are UNSUPPORTED by name, malformed ones CORRUPT. Types and defaults
 * are checked against `format_version` (ns timestamps, unknown, variant, geo and initial-default need 3). */
RWL_MUST_CHECK rwl_status rwl_schema_from_json(const rwl_json *json, int32_t format_version, rwl_arena *arena,
                                               rwl_schema *out, rwl_error *err);
/* A new JSON object in the specification's form. */
RWL_MUST_CHECK rwl_status rwl_schema_to_json(const rwl_schema *schema, rwl_json **out, rwl_error *err);
/* Top-level field by name or by id at any depth; NULL when there is none. */
const rwl_field *rwl_schema_by_name(const rwl_schema *schema, const char *name);
const rwl_field *rwl_schema_by_id(const rwl_schema *schema, int32_t id);
int32_t rwl_schema_max_id(const rwl_schema *schema); /* 0 when there are no fields */
/* Fills the index of a schema put together by hand. CORRUPT when an id occurs twice or a name twice in a struct. */
RWL_MUST_CHECK rwl_status rwl_schema_index(rwl_schema *schema, rwl_arena *arena, rwl_error *err);
/* UNSUPPORTED naming the column when a type or an initial default needs a later format version. */
RWL_MUST_CHECK rwl_status rwl_schema_check_version(const rwl_schema *schema, int32_t format_version,
                                                   rwl_error *err);
/* Parses the command line's form: `id long not null, ts timestamptz, m map<string,int>`; ids from 1, depth first.
 * USAGE with the position of what is wrong. Names may be "quoted". */
RWL_MUST_CHECK rwl_status rwl_schema_from_text(const char *text, rwl_arena *arena, rwl_schema *out,
                                               rwl_error *err);
/* Single-value JSON of a default (specification appendix D). Of nested types: {} of a struct, an empty list or map, as a
 * value that is not null; others UNSUPPORTED, or CORRUPT of a struct. */
RWL_MUST_CHECK rwl_status rwl_value_from_json(const rwl_type *type, const rwl_json *json, rwl_arena *arena,
                                              rwl_value *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_value_to_json(const rwl_type *type, const rwl_value *v, rwl_json **out,
                                            rwl_error *err);
/* True when a file column of type `from` may be read as `to` (specification, "Schema Evolution"). */
bool rwl_type_promotes(const rwl_type *from, const rwl_type *to);

#endif
