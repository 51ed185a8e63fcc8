/* SPDX-License-Identifier: Apache-2.0 */
/* Appending rows: new files, one commit; ids are inherited when the commit happens. */
#ifndef RWL_ENGINE_APPEND_H
#define RWL_ENGINE_APPEND_H

#include "engine/change_common.h"
#include "engine/input.h"

/* Appends the rows of all inputs. Without rows nothing is committed (snapshot_id -1). */
RWL_MUST_CHECK rwl_status rwl_append(const rwl_table *table, rwl_op *op, rwl_input *const *inputs,
                                     size_t count, const rwl_change_options *options, rwl_commit_outcome *out,
                                     rwl_error *err);

#endif
