/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the bytes of text columns are UTF-8, which Arrow's readers take for granted. */
#ifndef RWL_PARQUET_TEXT_H
#define RWL_PARQUET_TEXT_H

#include "base/buf.h"

/* Value i of `count` ends at ends[i + 1] of `bytes` and begins where the one before ends. CORRUPT for text that is
 * not UTF-8. Costs a fraction of a nanosecond a value where it is ASCII. */
RWL_MUST_CHECK rwl_status rwl_parquet_text_check(const uint8_t *bytes, const int32_t *ends, size_t count,
                                                 rwl_error *err);
/* One value. */
RWL_MUST_CHECK rwl_status rwl_parquet_text_check_one(rwl_span text, rwl_error *err);

#endif
