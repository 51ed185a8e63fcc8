/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the tests of iceberg/. */
#ifndef ICEBERG_TEST_H
#define ICEBERG_TEST_H

#include "expect.h"
#include "iceberg/metadata.h"

/* The environment and an arena that lives as long as the test's process. */
const rwl_env *test_env(void);
rwl_arena *test_arena(void);

/* Calls with `err` in scope and shows its message on failure. */

rwl_json *test_json(const char *text);                         /* single quotes stand for double ones */
void assert_json_text(const rwl_json *json, const char *text); /* one line; single quotes for double ones */
rwl_schema test_schema(const char *text);
rwl_type test_type(const char *text);
rwl_value test_value(const rwl_type *type, const char *text); /* "null" gives null */
void assert_value(const rwl_type *type, const rwl_value *v, const char *text);
/* The whole file with a NUL behind it, NULL when it is not there. In the arena. */
char *test_read_file(const char *path, size_t *len);

/* Parses metadata text with single quotes for double ones. */
rwl_metadata *test_metadata(const char *text);
/* `text` with the value of a top-level key replaced (NULL: without the key). In the arena. */
const char *test_with(const char *text, const char *key, const char *value);

/* One line a suite; suite_<name> is in test_<name>.c. */
#define SUITE_LIST(X)                                                                                        \
    X(budget)                                                                                                \
    X(filter_fields)                                                                                         \
    X(fragment_prune)                                                                                        \
    X(schema)                                                                                                \
    X(transform)                                                                                             \
    X(partition)                                                                                             \
    X(metadata)                                                                                              \
    X(metadata_edit)                                                                                         \
    X(metadata_fixtures)                                                                                     \
    X(manifest)                                                                                              \
    X(manifest_fixtures)                                                                                     \
    X(scan_fixtures)                                                                                         \
    X(update)                                                                                                \
    X(delete_cache)                                                                                          \
    X(delete_index)                                                                                          \
    X(equality_deletes)                                                                                      \
    X(projection)                                                                                            \
    X(name_mapping)                                                                                          \
    X(stored_file)                                                                                           \
    X(fragment_reader)                                                                                       \
    X(position_deletes)                                                                                      \
    X(vector_deletes)                                                                                        \
    X(odd_tables)                                                                                            \
    X(plan_prune)                                                                                            \
    X(entry_stream)                                                                                          \
    X(manifest_program)                                                                                      \
    X(plan)                                                                                                  \
    X(update_conflict)

#define SUITE_DECLARE(name) Suite *suite_##name(void);
SUITE_LIST(SUITE_DECLARE)

#endif
