/* SPDX-License-Identifier: Apache-2.0 */
/* Searches and word scans shared by the container modules. */
#ifndef RWL_BITMAP_CONTAINER_INTERNAL_H
#define RWL_BITMAP_CONTAINER_INTERNAL_H

#include "bitmap/container.h"

/* Index of the first value >= `value`, `len` when there is none. */
uint32_t rwl_values_lower_bound(const uint16_t *values, uint32_t len, uint32_t value);
/* Index of the first run that ends at or after `value`, `len` when there is none. */
uint32_t rwl_runs_lower_bound(const rwl_container_run *runs, uint32_t len, uint32_t value);
/* Sets the bits first..last (inclusive, <= 65535); returns how many were clear. */
uint32_t rwl_words_fill(uint64_t *words, uint32_t first, uint32_t last);

#endif
