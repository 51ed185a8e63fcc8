/* SPDX-License-Identifier: Apache-2.0 */
/* A store that reads from another and writes nothing: for dry runs, whose figures must be those of the real
 * thing. */
#ifndef RWL_STORAGE_DRY_H
#define RWL_STORAGE_DRY_H

#include "storage/store.h"

/* `inner` is borrowed and must outlive the store. New files vanish, removals and replacements do nothing. */
RWL_MUST_CHECK rwl_status rwl_store_dry_new(rwl_store *inner, rwl_store **out, rwl_error *err);

#endif
