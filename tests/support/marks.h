/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fewer marks of check, included before each file of a test program. Check writes the place of each assertion that holds to
 * a file, a system call each time, so that it can tell where a test died: a million of them in loops over values. Here a
 * place is told the first time and then every 1,024th time.
 */
#ifndef RWL_TESTS_MARKS_H
#define RWL_TESTS_MARKS_H

#include <check.h>

#define _mark_point(file, line)                                                                              \
    __extension__({                                                                                          \
        static _Thread_local unsigned held_;                                                                 \
        if (held_++ % 1024 == 0)                                                                             \
            (_mark_point)(file, line);                                                                       \
    })

#endif
