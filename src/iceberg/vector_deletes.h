/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The deletion vector of a fragment, held against its manifest entry and the footer of its Puffin file:
 *
 *   1  the file has the entry's size; the blob lies in it, and its own length, magic and CRC are right;
 *   2  it has as many positions as record_count says;
 *   3  the footer has a blob at content_offset, of content_size_in_bytes bytes, type deletion-vector-v1, not compressed;
 *   4  that blob's referenced-data-file is the fragment, and its cardinality is record_count.
 *
 * The footer is read once a file, through the cache. One that cannot be read, compressed or beyond the limits of its parser
 * or of the cache, leaves 3 and 4 unchecked: 1 and 2 need no footer. A file without one is corrupt.
 */
#ifndef RWL_ICEBERG_VECTOR_DELETES_H
#define RWL_ICEBERG_VECTOR_DELETES_H

#include "bitmap/bitmap.h"
#include "iceberg/delete_cache.h"
#include "storage/store.h"
#include "table/fragment.h"

/* Adds the vector's positions to `into`. CORRUPT: a rule above is broken. */
RWL_MUST_CHECK rwl_status rwl_vector_deletes_read(rwl_store *store, rwl_op *op, rwl_delete_cache *cache,
                                                  const rwl_delete_ref *ref, const char *data_file,
                                                  rwl_bitmap *into, rwl_error *err);

#endif
