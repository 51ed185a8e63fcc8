/* SPDX-License-Identifier: Apache-2.0 */
/* The tables about a table: snapshots, files, entries, manifests, partitions, refs, as Arrow streams (columns: CLI.md, "JSON keys").
 * The first, second and last are those of Lance datasets as well (engine/lance_about.h); the others are refused before. */
#ifndef RWL_ENGINE_ABOUT_H
#define RWL_ENGINE_ABOUT_H

#include "column/arrow.h"
#include "engine/inspect_doc.h"
#include "engine/table.h"

/* Streams: `op` and `table` must outlive them. */

typedef struct rwl_log_options {
    bool
        all; /* every snapshot, by sequence number, descending; else the ancestors of the state, head first */
    bool metadata; /* also what changed without a snapshot, by time: rows whose snapshot_id is null */
} rwl_log_options;

/* Snapshots, each with its engine and the evidence for it. */
RWL_MUST_CHECK rwl_status rwl_about_log(const rwl_table *table, rwl_op *op, const rwl_log_options *options,
                                        struct ArrowArrayStream *out, rwl_error *err);
/* Live files of the table's snapshot, data and deletes; with `all_entries` every manifest entry, DELETED ones too. */
RWL_MUST_CHECK rwl_status rwl_about_files(const rwl_table *table, rwl_op *op, bool all_entries,
                                          struct ArrowArrayStream *out, rwl_error *err);
/* The manifests of the table's snapshot. */
RWL_MUST_CHECK rwl_status rwl_about_manifests(const rwl_table *table, rwl_op *op,
                                              struct ArrowArrayStream *out, rwl_error *err);
/* The partitions of the table's snapshot, by spec, in order of their first file: what is live in each, and its last update. */
RWL_MUST_CHECK rwl_status rwl_about_partitions(const rwl_table *table, rwl_op *op,
                                               struct ArrowArrayStream *out, rwl_error *err);
/* Branches and tags. */
RWL_MUST_CHECK rwl_status rwl_about_refs(const rwl_table *table, rwl_op *op, struct ArrowArrayStream *out,
                                         rwl_error *err);
/* The columns of a log, of any format. */
const rwl_field *rwl_about_log_fields(int32_t *count);

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
void rwl_about_timestamptz(rwl_about_row *row, bool present,
                           int64_t ms);                 /* null when microseconds cannot tell it */
void rwl_about_text(rwl_about_row *row, rwl_span text); /* data NULL is null */
/* A JSON cell: begun in `text`, which it empties; then written by rwl_doc; then added. */
rwl_doc rwl_about_doc(const rwl_about_row *row, rwl_buf *text);
void rwl_about_json(rwl_about_row *row, const rwl_doc *doc);
/* Ends the row: counts it, or gives the first failure. */
RWL_MUST_CHECK rwl_status rwl_about_end(rwl_about_row *row);

#endif
