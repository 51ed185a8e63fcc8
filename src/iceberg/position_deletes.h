/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Position delete files of v2 (specification, "Position Delete Files"), Parquet or Avro: rows of file_path and pos, found by
 * their reserved ids, by name where a column has no id. Sorted or not, of one data file or many; other columns are
 * passed over.
 */
#ifndef RWL_ICEBERG_POSITION_DELETES_H
#define RWL_ICEBERG_POSITION_DELETES_H

#include "bitmap/bitmap.h"
#include "iceberg/delete_cache.h"
#include "storage/store.h"
#include "table/fragment.h"

/* Adds the positions that `ref` deletes from `data_file` (byte for byte). The file is read once into the cache; without a
 * cache (NULL), or when it is too large, the rows of this data file alone are read. ORC: UNSUPPORTED by name; a row count
 * other than the entry's, null cells or negative positions: CORRUPT. */
RWL_MUST_CHECK rwl_status rwl_position_deletes_read(rwl_store *store, rwl_op *op, rwl_delete_cache *cache,
                                                    const rwl_delete_ref *ref, const char *data_file,
                                                    rwl_bitmap *into, rwl_error *err);

/* The first path named in the file for which `wanted` is true is given to it last; *found tells whether there
 * is one. */
RWL_MUST_CHECK rwl_status rwl_position_deletes_search(rwl_store *store, rwl_op *op, const rwl_delete_ref *ref,
                                                      bool (*wanted)(void *ctx, rwl_span path), void *ctx,
                                                      bool *found, rwl_error *err);

#endif
