/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON objects of flat values on one line, read without a tree: the quick way of most lines. It knows less than JSON and says so: strings
 * with escapes, nested values, numbers of 19 digits and more, keys that are no columns or come twice, and every value that does not fit are
 * left to the full parser, which tells what is wrong. What it does read, it reads to the same values.
 */
#ifndef RWL_ENGINE_JSON_LINE_H
#define RWL_ENGINE_JSON_LINE_H

#include "base/map.h"
#include "iceberg/schema.h"

typedef struct rwl_json_line {
    const rwl_schema *schema;
    const rwl_map *columns; /* name → index of the schema's field */
    rwl_span *names;        /* of the fields */
    rwl_value *values;      /* of the fields, bytes borrowed from the line or in the arena */
    int64_t *seen_in_line;  /* of each field: the last line that gave it a value */
} rwl_json_line;

/* Names and values in `arena`. */
RWL_MUST_CHECK rwl_status rwl_json_line_init(rwl_json_line *l, const rwl_schema *schema,
                                             const rwl_map *columns, rwl_arena *arena, rwl_error *err);
/* Reads line `number` (from 1, rising): sets values of the fields it has, and seen_in_line of them. False: it is left to the full parser;
 * what was set is of no meaning, seen_in_line as before. */
bool rwl_json_line_read(rwl_json_line *l, rwl_span line, int64_t number, rwl_arena *arena);

#endif
