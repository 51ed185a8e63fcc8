/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The live rows of a fragment, batch by batch: columns from its data files, lineage from wherever it is, deleted rows left out.
 *
 * A column is found by field id among the fragment's files: of file versions 2.1 and later the ids of leaves alone are listed, of 2.0
 * all. Ids below 0 are tombstones or hidden lineage and passed over; an id in two places is CORRUPT. A field in no file is younger
 * than the fragment and reads null. Files are opened when a column of theirs is wanted: none for positions and inline lineage.
 */
#ifndef RWL_LANCE_FRAGMENT_READER_H
#define RWL_LANCE_FRAGMENT_READER_H

#include "bitmap/bitmap.h"
#include "lance/dataset.h"
#include "table/driver.h"

typedef struct rwl_lance_fragment_reader rwl_lance_fragment_reader;

/* Takes `deletes` (NULL: none), also on failure. UNSUPPORTED naming legacy files. */
RWL_MUST_CHECK rwl_status rwl_lance_fragment_reader_open(const rwl_lance_dataset *dataset, rwl_op *op,
                                                         const rwl_fragment *fragment,
                                                         const rwl_fragment_read_options *options,
                                                         rwl_bitmap *deletes, rwl_lance_fragment_reader **out,
                                                         rwl_error *err);
/* As rwl_driver_vtable's read_next and read_take. */
RWL_MUST_CHECK rwl_status rwl_lance_fragment_reader_next(rwl_lance_fragment_reader *r, rwl_rows *rows,
                                                         rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_fragment_reader_take(rwl_lance_fragment_reader *r,
                                                         const rwl_range *ranges, size_t count,
                                                         rwl_batch *batch, rwl_error *err);
rwl_read_stats rwl_lance_fragment_reader_stats(const rwl_lance_fragment_reader *r);
void rwl_lance_fragment_reader_close(rwl_lance_fragment_reader *r); /* NULL is fine */

#endif
