/* SPDX-License-Identifier: Apache-2.0 */
/* Files of nested columns, written from JSON in either format, and what is read of them. */
#ifndef ICEBERG_TREE_TEST_H
#define ICEBERG_TREE_TEST_H

#include "table/fragment.h"
#include "table_test.h"

typedef enum tree_format { TREE_PARQUET, TREE_AVRO, TREE_FORMATS } tree_format;

/* Columns by text with ids in the order of their declaration, depth first: "1 2 - 4", "-" for none; NULL: from 1 on. */
rwl_schema tree_of(const char *text, const char *ids);
/* Writes rows, a JSON list of lists of values by column with single quotes for double ones: structs are objects, maps lists of
 * pairs; a row group a row. first_row_id 100, sequence number 9. */
rwl_fragment tree_write(const char *name, const rwl_schema *columns, const char *rows, tree_format format);
/* All rows as "[value, value] [value, value]", with lineage as "id/version[…]"; single quotes for double ones. */
const char *tree_read(const rwl_metadata *m, const rwl_fragment *f, const rwl_schema *columns, bool lineage);
/* The same of the rows where `filter` may be true. */
const char *tree_read_where(const rwl_metadata *m, const rwl_fragment *f, const rwl_schema *columns,
                            const char *filter);
/* Opening the fragment or reading its first rows fails. */
void tree_fails(const rwl_metadata *m, const rwl_fragment *f, const rwl_schema *columns, rwl_status code,
                const char *part);

#endif
