/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leaves of conditions on rows. Each writes a bitmap with a bit a row, of whole words: what stands behind the last row is
 * left open. A null is selected by "is null" and "is not nan" alone.
 */
#ifndef RWL_EXPR_EVAL_ROWS_H
#define RWL_EXPR_EVAL_ROWS_H

#include "expr/eval_internal.h"

/* column op value; leaves nulls open */
void rwl_rows_compare(const rwl_evaluation *e, const rwl_column *c, rwl_relation op, const rwl_value *v,
                      uint64_t *bits);
/* column op column, whose types differ at most in width */
RWL_MUST_CHECK rwl_status rwl_rows_compare_pair(const rwl_evaluation *e, const rwl_bound_node *n,
                                                const rwl_column *a, const rwl_column *b, uint64_t *bits);
/* column in (values) (eval_in.c) */
RWL_MUST_CHECK rwl_status rwl_rows_find(const rwl_evaluation *e, const rwl_bound_node *n, const rwl_column *c,
                                        uint64_t *bits);
void rwl_rows_are_like(const rwl_evaluation *e, const rwl_bound_node *n, const rwl_column *c, uint64_t *bits);
void rwl_rows_are_null(const rwl_evaluation *e, const rwl_bound_node *n, const rwl_column *c, uint64_t *bits);
void rwl_rows_are_nan(const rwl_evaluation *e, const rwl_bound_node *n, const rwl_column *c, uint64_t *bits);

/* --- bitmaps --- */

void rwl_rows_fill(uint64_t *bits, const rwl_evaluation *e, bool value);
/* Clears the bits of rows that are null. */
void rwl_rows_keep_valid(const rwl_column *c, const rwl_evaluation *e, uint64_t *bits);
/* Leaves nulls open. */
void rwl_rows_test_nan(const rwl_evaluation *e, const rwl_column *c, uint64_t *bits);

/* Eight 0/1 bytes as eight bits, the first lowest. */
static inline uint64_t rwl_rows_pack8(const uint8_t *flags) {
    uint64_t v;
    memcpy(&v, flags, sizeof v);
    return v * UINT64_C(0x0102040810204080) >> 56;
}

static inline uint64_t rwl_rows_pack(const uint8_t *flags) {
    uint64_t word = 0;
    for (int k = 0; k < 8; k++)
        word |= rwl_rows_pack8(flags + 8 * k) << (8 * k);
    return word;
}

/*
 * One loop over rows: `test`, of row i, is 0 or 1; blocks of 64 as bytes first, which compilers turn into
 * SIMD. `invert` flips all (rows behind the end are cleared later).
 */
#define RWL_TEST_ROWS(e, bits, invert, test)                                                                 \
    do {                                                                                                     \
        uint64_t test_flip_ = (invert) ? UINT64_MAX : 0;                                                     \
        for (size_t test_w_ = 0; test_w_ < (e)->words; test_w_++) {                                          \
            uint8_t test_flags_[64] = {0};                                                                   \
            int64_t test_base_ = (int64_t)test_w_ * 64;                                                      \
            if ((e)->length - test_base_ >= 64) {                                                            \
                for (int test_k_ = 0; test_k_ < 64; test_k_++) {                                             \
                    int64_t i = test_base_ + test_k_;                                                        \
                    test_flags_[test_k_] = (test);                                                           \
                }                                                                                            \
            } else {                                                                                         \
                for (int64_t i = test_base_; i < (e)->length; i++)                                           \
                    test_flags_[i - test_base_] = (test);                                                    \
            }                                                                                                \
            (bits)[test_w_] = rwl_rows_pack(test_flags_) ^ test_flip_;                                       \
        }                                                                                                    \
    } while (0)

/* Row i as a span: variable and fixed length alike. */
static inline rwl_span rwl_row_bytes(const rwl_column *c, size_t width, int64_t i) {
    return width > 0 ? rwl_span_of(c->values.data + (size_t)i * width, width) : rwl_column_bytes(c, i);
}

#endif
