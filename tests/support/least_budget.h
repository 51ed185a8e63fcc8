/* SPDX-License-Identifier: Apache-2.0 */
/* The least budget that a call is done with, found by halving. */
#ifndef RWL_TESTS_LEAST_BUDGET_H
#define RWL_TESTS_LEAST_BUDGET_H

#include "base/env.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

typedef rwl_status (*budgeted_call)(void *arg, rwl_error *err);

/* With `from` to `to` bytes more than are in use the call succeeds, with one less it is refused and says what for; neither leaves
 * anything charged. The operation has no limit of its own. */
static inline void check_least_budget(rwl_op *op, budgeted_call call, void *arg, int64_t from, int64_t to,
                                      const char *says) {
    rwl_error err = {0};
    int64_t used = op->memory_used, refused = 0, fits = to + 1;
    while (fits - refused > 1) {
        int64_t more = (refused + fits) / 2;
        op->memory_limit = used + more;
        rwl_status st = call(arg, &err);
        ck_assert_msg(st == RWL_OK || st == RWL_UNSUPPORTED, "%d: %s", (int)st, err.message);
        ck_assert_int_eq(op->memory_used, used);
        *(st == RWL_OK ? &fits : &refused) = more;
    }
    ck_assert_msg(fits >= from && fits <= to, "%s: %lld bytes, not %lld to %lld", says, (long long)fits,
                  (long long)from, (long long)to);
    op->memory_limit = used + refused;
    ck_assert_int_eq(call(arg, &err), RWL_UNSUPPORTED);
    char limit[64];
    snprintf(limit, sizeof limit, "more than the memory limit of %lld", (long long)op->memory_limit);
    ck_assert_msg(strstr(err.message, says) != NULL && strstr(err.message, limit) != NULL,
                  "'%s' and '%s' are not in '%s'", says, limit, err.message);
    op->memory_limit = 0;
}

#endif
