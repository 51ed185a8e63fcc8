/* SPDX-License-Identifier: Apache-2.0 */
/* Where the columns of fields lie among the files of a fragment. */
#ifndef RWL_LANCE_FRAGMENT_COLUMNS_H
#define RWL_LANCE_FRAGMENT_COLUMNS_H

#include "lance/fragment_files.h"
#include "lancefile/reader.h"

/* A field id of one of the files. */
typedef struct rwl_lance_placed {
    int32_t field, file, column;
} rwl_lance_placed;

typedef struct rwl_lance_fragment_columns {
    rwl_lance_fragment_files *files; /* borrowed; those with a wanted column are opened */
    rwl_arena arena;
    rwl_lance_placed *placed; /* by field id; NULL until needed */
    size_t placed_count;
} rwl_lance_fragment_columns;

void rwl_lance_fragment_columns_init(rwl_lance_fragment_columns *c, rwl_lance_fragment_files *files);
void rwl_lance_fragment_columns_clear(rwl_lance_fragment_columns *c);
/* How to read a top-level field of the schema, whose type may be cut to some children. CORRUPT: a field twice, without a column index,
 * or that must not be null in no file; UNSUPPORTED: in a legacy file. */
RWL_MUST_CHECK rwl_status rwl_lance_fragment_columns_find(rwl_lance_fragment_columns *c,
                                                          const rwl_field *field, rwl_lance_read_field *out,
                                                          rwl_error *err);

#endif
