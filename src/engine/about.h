/* SPDX-License-Identifier: Apache-2.0 */
/* The tables about a table: snapshots, live files, manifest entries, as Arrow streams (columns: CLI.md, "JSON keys"). */
#ifndef RWL_ENGINE_ABOUT_H
#define RWL_ENGINE_ABOUT_H

#include "column/arrow.h"
#include "engine/table.h"

/* Snapshots of the table's state and its ancestors, head first; with `all` every snapshot, by sequence number, descending. */
RWL_MUST_CHECK rwl_status rwl_about_log(const rwl_table *table, bool all, struct ArrowArrayStream *out,
                                        rwl_error *err);
/* Live files of the table's snapshot, data and deletes; with `all_entries` every manifest entry, DELETED ones too. Streams:
 * `op` and `table` must outlive it. */
RWL_MUST_CHECK rwl_status rwl_about_files(const rwl_table *table, rwl_op *op, bool all_entries,
                                          struct ArrowArrayStream *out, rwl_error *err);

/* A field of a table about a table. */
#define RWL_ABOUT_FIELD(field_name, field_kind)                                                              \
    {                                                                                                        \
        .name = (field_name), .type = {.kind = (field_kind) }                                                \
    }
#define RWL_ABOUT_JSON(field_name)                                                                           \
    {                                                                                                        \
        .name = (field_name), .type = {.kind = RWL_TYPE_STRING, .parameters = RWL_TYPE_JSON }                \
    }

/* --- one cell each, for building rows; `present` false gives null --- */

typedef struct rwl_about_row {
    rwl_batch *batch;
    int32_t column; /* of the next cell */
    rwl_status st;  /* of the first failure; later cells do nothing */
    rwl_error *err;
} rwl_about_row;
void rwl_about_i64(rwl_about_row *row, bool present, int64_t value);
void rwl_about_i32(rwl_about_row *row, bool present, int32_t value);
void rwl_about_text(rwl_about_row *row, rwl_span text); /* data NULL is null */
/* Ends the row: counts it, or gives the first failure. */
RWL_MUST_CHECK rwl_status rwl_about_end(rwl_about_row *row);

#endif
