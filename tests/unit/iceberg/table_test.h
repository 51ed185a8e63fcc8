/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in temporary folders and the tables of other engines, for the tests of manifests, plans and updates.
 */
#ifndef ICEBERG_TABLE_TEST_H
#define ICEBERG_TABLE_TEST_H

#include "iceberg/manifest.h"
#include "iceberg/update.h"
#include "iceberg_test.h"

/* A checked fixture: an operation, a local store, an empty folder that goes at the end. */
void table_setup(void);
void table_teardown(void);
rwl_op *test_op(void);
rwl_store *test_store(void);
const char *test_folder(void);

/* A path in the folder, in the test arena. */
const char *test_path(const char *name);
/* Metadata of a new table at the folder: columns and partition fields as the command line writes them. */
rwl_metadata *test_table(int32_t version, const char *columns, const char *partition);
/* A data file of `rows` rows without metrics, partitioned by one int value or not at all (partition NULL). */
rwl_data_file test_data_file(const char *path, int64_t rows, const rwl_value *partition,
                             int32_t partition_count);

/* A store that finds "/warehouse/spark" or "file:///tmp/golden-icebird" in the fixtures folder. */
rwl_store *fixture_store(void);
/* The metadata of a fixture table, NULL when the fixtures are not there. `file` NULL: the newest by
 * expected.json. */
rwl_metadata *fixture_metadata(const char *folder, const char *table, const char *file);
rwl_json *fixture_expected(const char *folder, const char *table);
/* Calls `each` for every table of fixtures/spark. */
int fixture_each_spark_table(void (*each)(const char *table));

#endif
