/* SPDX-License-Identifier: Apache-2.0 */
/* What tests expect of a call that may fail; in it, `err` is an error of its own. */
#ifndef RWL_TESTS_EXPECT_H
#define RWL_TESTS_EXPECT_H

#include "base/status.h"

#include <check.h>
#include <string.h>

#define ASSERT_OK(call)                                                                                      \
    do {                                                                                                     \
        rwl_error err_ = {0};                                                                                \
        rwl_error *err = &err_;                                                                              \
        rwl_status status_ = (call);                                                                         \
        ck_assert_msg(status_ == RWL_OK, "%s: status %d: %s", #call, (int)status_, err_.message);            \
    } while (0)

/* The call fails with `wanted`, and its message contains `part`. */
#define ASSERT_FAILS(wanted, part, call)                                                                     \
    do {                                                                                                     \
        rwl_error err_ = {0};                                                                                \
        rwl_error *err = &err_;                                                                              \
        rwl_status status_ = (call);                                                                         \
        ck_assert_msg(status_ == (wanted), "%s: status %d, not %d: %s", #call, (int)status_, (int)(wanted),  \
                      err_.message);                                                                         \
        ck_assert_msg(strstr(err_.message, (part)) != NULL, "'%s' is not in '%s'", (part), err_.message);    \
        ck_assert_int_eq((int)err_.code, (int)(wanted));                                                     \
    } while (0)

#endif
