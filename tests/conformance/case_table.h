/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of numbered cases: data files of other writers' making, and rows read with any columns and filter. */
#ifndef CONFORMANCE_CASE_TABLE_H
#define CONFORMANCE_CASE_TABLE_H

#include "../unit/engine/engine_test.h"

#define CASE_FIELD(text, number, kind)                                                                       \
    { .name = (text), .id = (number), .type = rwl_type_of(RWL_TYPE_##kind) }
#define CASE_ROW_ID(text)  CASE_FIELD(text, 2147483540, LONG)
#define CASE_VERSION(text) CASE_FIELD(text, 2147483539, LONG)

/* Rows "1,a 2,b" in scan order; `select` and `where` as on the command line, NULL for all. */
const char *case_rows(const char *name, const char *select, const char *where);
/* The same, read `batch_rows` at a time at most, with " | " where one batch ends and the next begins. */
const char *case_batches(const char *name, const char *select, int64_t batch_rows);

/* The rows of a task, read of its text and the table alone. */
const char *case_task_rows(const char *name, rwl_span task);

/* The next commit of `name` will have this sequence number, and take row ids from `next_row_id` on: empty snapshots are put
 * before it. */
void case_advance(const char *name, int64_t sequence_number, int64_t next_row_id);
/* A data file in the table's data folder: `fields` are longs, ints and strings, `rows` a JSON list of lists with single
 * quotes for double ones; no field has an id when the first one's is -1. Avro when the name ends so, else Parquet with row groups of `group_rows` (0: one). */
rwl_data_file case_write(rwl_table *t, const char *name, const rwl_field *fields, int32_t count,
                         const char *rows, int64_t group_rows);
/* Commits `manifest` beside those of the head, `added_rows` taken from next-row-id in a v3 table. */
void case_commit(rwl_table *t, const char *name, rwl_manifest manifest, int64_t added_rows);
/* One data file, written and committed. */
void case_append(const char *name, const char *file, const rwl_field *fields, int32_t count, const char *rows,
                 int64_t group_rows);
/* A new default spec in the metadata as it lies there: identity of the column with this id. */
void case_partition_by(const char *name, int32_t column_id, const char *column);

#endif
