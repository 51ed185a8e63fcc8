/* SPDX-License-Identifier: Apache-2.0 */
/* The suites of this folder and what they share. */
#ifndef RWL_TEST_EXPR_SUITES_H
#define RWL_TEST_EXPR_SUITES_H

#include "expr/expr.h"

#include <check.h>

TCase *parse_cases(void);
TCase *bind_cases(void);
TCase *bounds_cases(void);
TCase *in_cases(void);
TCase *property_cases(void);
TCase *value_cases(void);
TCase *value_property_cases(void);

#define OK(expr)                                                                                             \
    do {                                                                                                     \
        rwl_error ok_err_ = {0};                                                                             \
        rwl_error *err = &ok_err_;                                                                           \
        rwl_status ok_st_ = (expr);                                                                          \
        (void)err;                                                                                           \
        ck_assert_msg(ok_st_ == RWL_OK, "%s: %s", #expr, ok_err_.message);                                   \
    } while (0)

/* The table most tests filter. */
enum {
    COL_I,
    COL_L,
    COL_F,
    COL_D,
    COL_DEC,
    COL_S,
    COL_S2,
    COL_B,
    COL_DT,
    COL_TS,
    COL_TZ,
    COL_TN,
    COL_T,
    COL_U,
    COL_BIN,
    COL_FX,
    COL_NO,
    COL_QUOTED,
    COL_NESTED,
    COL_ROW_ID,
    COL_T9,
    COL_WIDE,
    COL_DUR,
    COL_COUNT
};
extern const rwl_field TABLE[COL_COUNT];

#endif
