/* SPDX-License-Identifier: Apache-2.0 */
/* The suites of the engine's unit tests. */
#ifndef ENGINE_SUITES_H
#define ENGINE_SUITES_H

#include <check.h>

/* One line a suite; suite_<name> is in test_<name>.c. */
#define SUITE_LIST(X)                                                                                        \
    X(budget)                                                                                                \
    X(name)                                                                                                  \
    X(create_table)                                                                                          \
    X(input)                                                                                                 \
    X(input_columns)                                                                                         \
    X(input_csv)                                                                                             \
    X(inspect)                                                                                               \
    X(inspect_facts)                                                                                         \
    X(inspect_lance)                                                                                         \
    X(json_line)                                                                                             \
    X(lance)                                                                                                 \
    X(about)                                                                                                 \
    X(status)                                                                                                \
    X(state)                                                                                                 \
    X(task)                                                                                                  \
    X(sorter)                                                                                                \
    X(sorter_spill)                                                                                          \
    X(data_writer)                                                                                           \
    X(scan)                                                                                                  \
    X(select)                                                                                                \
    X(delete)                                                                                                \
    X(entry_check)                                                                                           \
    X(equality)                                                                                              \
    X(planner)                                                                                               \
    X(commit)                                                                                                \
    X(write_properties)                                                                                      \
    X(verify)                                                                                                \
    X(verify_copies)                                                                                         \
    X(rewrite)                                                                                               \
    X(rewrite_cases)                                                                                         \
    X(rewrite_dangling)                                                                                      \
    X(rewrite_parts)                                                                                         \
    X(rewrite_stitch)                                                                                        \
    X(memory)

#define SUITE_DECLARE(name) Suite *suite_##name(void);
SUITE_LIST(SUITE_DECLARE)

#endif
