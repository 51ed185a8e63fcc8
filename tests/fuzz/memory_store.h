/* SPDX-License-Identifier: Apache-2.0 */
/* A read-only store of one file in memory, found at every location: for fuzz targets and tests of readers. */
#ifndef RWL_TESTS_MEMORY_STORE_H
#define RWL_TESTS_MEMORY_STORE_H

#include "storage/store.h"

/* `content` is borrowed until the store is freed (rwl_store_free). NULL when out of memory. Reads end at once;
 * a range that passes the end is CORRUPT, creating and changing files UNSUPPORTED. */
rwl_store *rwl_memory_store_new(const rwl_env *env, rwl_span content);

#endif
