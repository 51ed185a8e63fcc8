/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which deletes apply to which data file (specification, "Scan Planning"):
 *
 *   deletion vector    names the data file; its sequence number >= the file's; same spec and partition. One a file.
 *   position deletes   sequence number >= the file's; same spec and partition; may name this file; no vector does.
 *   equality deletes   sequence number > the file's; same spec and partition, or an unpartitioned spec: everywhere.
 */
#ifndef RWL_ICEBERG_DELETE_INDEX_H
#define RWL_ICEBERG_DELETE_INDEX_H

#include "iceberg/manifest.h"
#include "table/fragment.h"

typedef struct rwl_delete_index rwl_delete_index;

RWL_MUST_CHECK rwl_status rwl_delete_index_new(const rwl_env *env, const rwl_metadata *metadata,
                                               rwl_delete_index **out, rwl_error *err);
void rwl_delete_index_free(rwl_delete_index *index); /* NULL is fine */
/* Adds a live entry of a delete manifest (copied). CORRUPT: a second vector for one data file, a vector that
 * names none, equality deletes without ids. */
RWL_MUST_CHECK rwl_status rwl_delete_index_add(rwl_delete_index *index, const rwl_manifest_entry *entry,
                                               rwl_error *err);
/* Once all are added, before the first find. */
RWL_MUST_CHECK rwl_status rwl_delete_index_finish(rwl_delete_index *index, rwl_error *err);
/*
 * The deletes that apply to a live data entry, by rising sequence number; *out is valid until the next call.
 * CORRUPT: a vector whose sequence number is below the file's; a vector or file-scoped position deletes of another
 * spec or partition than the file they name.
 */
RWL_MUST_CHECK rwl_status rwl_delete_index_find(rwl_delete_index *index, const rwl_manifest_entry *entry,
                                                const rwl_delete_ref **out, int32_t *count, rwl_error *err);

/* --- what a delete entry says by itself --- */

bool rwl_delete_is_vector(const rwl_data_file *file); /* content 1 in a Puffin file */
/* The one data file a vector or position delete file names: referenced_data_file, else equal bounds of
 * file_path; data NULL when it may name several. */
rwl_span rwl_delete_scope(const rwl_data_file *file);
/* Whether a spec has no field that partitions (void ones don't): equality deletes of it apply everywhere. */
bool rwl_spec_is_unpartitioned(const rwl_partition_spec *spec);
/* Appends bytes that are equal for equal partitions (canonical NaN, null equals null) and for no others. */
RWL_MUST_CHECK rwl_status rwl_partition_key(int32_t spec_id, const rwl_value *values, int32_t count,
                                            rwl_buf *out, rwl_error *err);

#endif
