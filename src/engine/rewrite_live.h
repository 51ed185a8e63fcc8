/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a fragment that deletes left. */
#ifndef RWL_ENGINE_REWRITE_LIVE_H
#define RWL_ENGINE_REWRITE_LIVE_H

#include "base/vec.h"
#include "table/driver.h"

typedef RWL_VEC(rwl_range) rwl_live_ranges;

/* Sets `out` to the live rows of a fragment: ascending, not touching. */
RWL_MUST_CHECK rwl_status rwl_rewrite_live(const rwl_driver *driver, rwl_op *op, const rwl_fragment *fragment,
                                           rwl_live_ranges *out, rwl_error *err);

#endif
