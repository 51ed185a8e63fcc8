/* SPDX-License-Identifier: Apache-2.0 */
/* Values of table columns in JSON, as CLI.md's "Values in JSON" has them: the way in. */
#ifndef RWL_ENGINE_JSON_VALUE_H
#define RWL_ENGINE_JSON_VALUE_H

#include "base/json.h"
#include "column/batch.h"

/*
 * The JSON text of a value or of several. A JSON number is kept as a double, which would drop digits of a decimal unseen: numbers with a
 * fraction of which a double does not keep or show all digits become strings of the same text, which a column reads exactly. CORRUPT: no JSON.
 */
RWL_MUST_CHECK rwl_status rwl_json_parse_values(rwl_span text, const rwl_env *env, rwl_json **out,
                                                rwl_error *err);

/* As rwl_value_parse, but digits never mean infinity: they are a number that does not fit, which is USAGE. */
RWL_MUST_CHECK rwl_status rwl_json_value_of_text(const rwl_type *type, rwl_span text, rwl_arena *arena,
                                                 rwl_value *out, rwl_error *err);

/*
 * A JSON value as one of `type` (a primitive type), exactly: USAGE says why it is none. Null gives null. Numbers go to numeric columns that
 * hold them exactly; a decimal may be a number as long as no digit can have been lost. Bytes go to `arena`.
 */
RWL_MUST_CHECK rwl_status rwl_json_value(const rwl_type *type, const rwl_json *json, rwl_arena *arena,
                                         rwl_value *out, rwl_error *err);

/*
 * Appends a JSON value to a column of `field`, nested ones too: an object for a struct (missing keys are null), an array
 * for a list, an array of [key, value] for a map; NULL is null. USAGE says what does not fit, and where in it; the column
 * may then hold a part of the value. UNSUPPORTED for variants and geometries that are not null.
 */
RWL_MUST_CHECK rwl_status rwl_json_append_value(const rwl_field *field, const rwl_json *json,
                                                rwl_arena *arena, const rwl_env *env, rwl_column *column,
                                                rwl_error *err);

#endif
