/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fragment as a JSON object, to be read by another process. Nothing that lineage needs is left out: the row id base and the
 * *data* sequence number travel with the file (law 6).
 *
 *   {"file_path", "file_format", "file_size_in_bytes", "record_count", "spec_id", "partition": [value, …], "sort_order_id"?,
 *    "first_row_id"?, "data_sequence_number", "file_sequence_number", "must_match": bool, "deletes": [delete, …]}
 *   value  := {"type": "int", "bytes": "22000000"} in the specification's single-value form; without bytes: null
 *   delete := {"kind": "vector" | "positions" | "equality", "file_path", "file_format"?, "file_size_in_bytes", "record_count",
 *              "data_sequence_number", "file_scoped": bool, "content_offset"?, "content_size_in_bytes"?, "equality_ids"?}
 *             file_format may be absent of a vector alone
 */
#ifndef RWL_TABLE_FRAGMENT_JSON_H
#define RWL_TABLE_FRAGMENT_JSON_H

#include "base/json.h"
#include "table/fragment.h"

RWL_MUST_CHECK rwl_status rwl_fragment_to_json(const rwl_fragment *fragment, rwl_json **out, rwl_error *err);
/* Everything the fragment points to is in `arena`. CORRUPT naming the key that is missing or of another kind; a fragment
 * without data_sequence_number is refused, never guessed. */
RWL_MUST_CHECK rwl_status rwl_fragment_from_json(const rwl_json *json, rwl_arena *arena, rwl_fragment *out,
                                                 rwl_error *err);

#endif
