/* SPDX-License-Identifier: Apache-2.0 */
/* The suites of this folder and what they share. */
#ifndef RWL_TEST_COLUMN_SUITES_H
#define RWL_TEST_COLUMN_SUITES_H

#include "column/batch.h"

#include <check.h>

TCase *type_cases(void);
TCase *value_cases(void);
TCase *batch_cases(void);
TCase *kernel_cases(void);
TCase *sort_cases(void);
TCase *runs_cases(void);
TCase *arrow_cases(void);
TCase *arrow_depot_cases(void);
TCase *variant_cases(void);
TCase *wkb_cases(void);
TCase *nested_cases(void);
TCase *arrow_nested_cases(void);

#define OK(expr)                                                                                             \
    do {                                                                                                     \
        rwl_error ok_err_ = {0};                                                                             \
        rwl_error *err = &ok_err_;                                                                           \
        rwl_status ok_st_ = (expr);                                                                          \
        (void)err;                                                                                           \
        ck_assert_msg(ok_st_ == RWL_OK, "%s: %s", #expr, ok_err_.message);                                   \
    } while (0)

static inline uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Types of every kind a column can have. */
extern const rwl_type ALL_TYPES[];
extern const int ALL_TYPE_COUNT;
/* A random value of `type`; bytes in `room` (32). One in `null_every` is null (0: none). */
rwl_value random_value(const rwl_type *type, uint64_t *state, int null_every, uint8_t *room);

#endif
