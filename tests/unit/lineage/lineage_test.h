/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of lineage/ share: suites, sequences and columns written as literals. */
#ifndef LINEAGE_TEST_H
#define LINEAGE_TEST_H

#include "column/runs.h"

#include <check.h>

#define NIL INT64_MIN /* a null in a literal */

Suite *assign_suite(void);
Suite *inherit_suite(void);
Suite *carry_suite(void);
Suite *pin_suite(void);
Suite *distinct_suite(void);
Suite *conserve_suite(void);
Suite *digest_suite(void);
Suite *laws_suite(void);
Suite *segment_suite(void);
Suite *walk_suite(void);

/* The environment of the running test. */
const rwl_env *test_env(void);
/* A sequence of `count` values, NIL for null; cleared by the caller. */
rwl_runs make_runs(int32_t step, const int64_t *values, int64_t count);
/* A LONG column of the same. */
rwl_column make_column(const int64_t *values, int64_t count);
/* Fails the test unless `r` is exactly these values. */
void assert_runs(const rwl_runs *r, const int64_t *values, int64_t count);
void assert_column(const rwl_column *c, const int64_t *values, int64_t count);
/* A reproducible random number below `bound`. */
uint64_t random_below(uint64_t *state, uint64_t bound);

#define COUNT_OF(array) ((int64_t)(sizeof(array) / sizeof *(array)))
#define ASSERT_OK(expr)                                                                                      \
    do {                                                                                                     \
        rwl_error assert_err_;                                                                               \
        memset(&assert_err_, 0, sizeof assert_err_);                                                         \
        rwl_error *err = &assert_err_;                                                                       \
        rwl_status assert_st_ = (expr);                                                                      \
        ck_assert_msg(assert_st_ == RWL_OK, "%s: status %d: %s", #expr, (int)assert_st_,                     \
                      assert_err_.message);                                                                  \
    } while (0)
/* `expr` must fail with `code` and a message that holds `text`. */
#define ASSERT_FAILS(code_, text, expr)                                                                      \
    do {                                                                                                     \
        rwl_error assert_err_;                                                                               \
        memset(&assert_err_, 0, sizeof assert_err_);                                                         \
        rwl_error *err = &assert_err_;                                                                       \
        rwl_status assert_st_ = (expr);                                                                      \
        ck_assert_int_eq((int)assert_st_, (int)(code_));                                                     \
        ck_assert_msg(strstr(assert_err_.message, (text)) != NULL, "message: %s", assert_err_.message);      \
    } while (0)

#endif
