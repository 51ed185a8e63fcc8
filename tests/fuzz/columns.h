/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of any column that a reader gives, and its rows as numbers that can be compared. */
#ifndef TESTS_FUZZ_COLUMNS_H
#define TESTS_FUZZ_COLUMNS_H

#include "column/batch.h"

/* Offsets ascend and stay inside, nulls are as many as said, every byte can be read, children are as long as their
 * parent has it. */
void fuzz_check_column(const rwl_column *c, int64_t rows);
/* Of the value of row `i`, nested ones too; those of null rows are alike. */
uint64_t fuzz_hash_row(const rwl_column *c, int64_t i, uint64_t seed);

#endif
