/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Position and equality delete files that were read, shared by all tasks of a table's operations, in bounded memory.
 *
 * A position delete file is kept as one bitmap a data file it names; an equality delete file as a set of keys. What is
 * not in use is dropped, the longest unused first, once the whole passes its limit. A set of keys too large for it
 * is not kept: it is read in parts, by the hash of the key, once a part for each fragment that needs it.
 */
#ifndef RWL_ICEBERG_DELETE_CACHE_H
#define RWL_ICEBERG_DELETE_CACHE_H

#include "base/env.h"

typedef struct rwl_delete_cache rwl_delete_cache;

/* `limit`: bytes it may hold, 0: 256 MB. */
RWL_MUST_CHECK rwl_status rwl_delete_cache_new(const rwl_env *env, int64_t limit, rwl_delete_cache **out,
                                               rwl_error *err);
void rwl_delete_cache_free(rwl_delete_cache *cache); /* NULL is fine; nothing may be in use */

#endif
