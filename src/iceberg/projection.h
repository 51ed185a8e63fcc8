/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the columns of a scan come from in one data file (specification, "Column Projection"): the file's
 * column with the field's id, else the partition's value if the field is an identity source, else the field's
 * initial default, else null. Files without field ids need a name mapping and are refused.
 */
#ifndef RWL_ICEBERG_PROJECTION_H
#define RWL_ICEBERG_PROJECTION_H

#include "iceberg/metadata.h"
#include "parquet/file.h"
#include "table/fragment.h"

typedef enum rwl_source_kind {
    RWL_SOURCE_SAME,     /* the file's column as it is */
    RWL_SOURCE_PROMOTED, /* the file's column in a wider type */
    RWL_SOURCE_CONSTANT
} rwl_source_kind;

typedef struct rwl_source {
    rwl_source_kind kind;
    int32_t node;       /* index into file->nodes; -1 for a constant */
    rwl_value constant; /* bytes borrowed from fragment, field or arena */
} rwl_source;

/*
 * Fills `sources`, one a field. UNSUPPORTED naming the column: nested and not yet known types; a file without
 * field ids. CORRUPT: a file type that the field's type can't be read from, a
 * required field that nothing gives.
 */
RWL_MUST_CHECK rwl_status rwl_projection_resolve(const rwl_metadata *metadata, const rwl_fragment *fragment,
                                                 const rwl_parquet_file *file, const rwl_field *fields,
                                                 int32_t count, rwl_arena *arena, rwl_source *sources,
                                                 rwl_error *err);

/* A value of one schema as a value of another's type: widened, or narrowed where it fits; false else. */
bool rwl_value_convert(const rwl_value *from, const rwl_type *to, rwl_value *out);

#endif
