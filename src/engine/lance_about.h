/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables about a Lance dataset, as engine/about.h has them of Iceberg tables, and what `show` says of one (CLI.md, "JSON keys").
 *
 * log     the columns of Iceberg's log: snapshot_id and sequence_number are the version, first_row_id and added_rows the ids that were given
 *         out since the version before; summary: branch, read_version, uuid, fragments and rows, and what the transaction names
 * files   a row a fragment
 * refs    main, branches and tags
 */
#ifndef RWL_ENGINE_LANCE_ABOUT_H
#define RWL_ENGINE_LANCE_ABOUT_H

#include "engine/about.h"

/* Streams: `op` and `table` must outlive them. */

RWL_MUST_CHECK rwl_status rwl_lance_about_log(const rwl_table *table, rwl_op *op, bool all,
                                              struct ArrowArrayStream *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_about_files(const rwl_table *table, rwl_op *op,
                                                struct ArrowArrayStream *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_about_refs(const rwl_table *table, rwl_op *op,
                                               struct ArrowArrayStream *out, rwl_error *err);

/* What the version is, as one JSON object; the carriers of spilled lineage are opened for their bytes. */
RWL_MUST_CHECK rwl_status rwl_lance_show(const rwl_table *table, rwl_op *op, rwl_buf *out, rwl_error *err);
/* Its schema: {"fields": [{"id", "name", "type", "nullable", "children"?}…]}, types as they are stored. */
void rwl_lance_schema_put(const rwl_lance_manifest *manifest, rwl_doc *doc, const char *key);
/* Keys and values of a map of the manifest; values that are no UTF-8 in hexadecimal digits. */
void rwl_lance_pairs_put(const rwl_lance_pair *pairs, size_t count, rwl_doc *doc, const char *key);

#endif
