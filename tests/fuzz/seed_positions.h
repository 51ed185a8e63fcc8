/* SPDX-License-Identifier: Apache-2.0 */
/* Deletion files of Lance in Arrow's IPC format. */
#ifndef TESTS_FUZZ_SEED_POSITIONS_H
#define TESTS_FUZZ_SEED_POSITIONS_H

#include "base/buf.h"

/* Appends a file of positions step, 2 step, …: `count` (64 at most) in each batch. */
void seed_positions(uint32_t step, int64_t count, int batches, rwl_buf *out);

#endif
