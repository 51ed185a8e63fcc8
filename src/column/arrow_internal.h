/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the Arrow module share: names in metadata, and the forms of extension types. */
#ifndef RWL_COLUMN_ARROW_INTERNAL_H
#define RWL_COLUMN_ARROW_INTERNAL_H

#include "column/arrow.h"
#include "column/bits.h"

#define RWL_ARROW_FIELD_ID       "PARQUET:field_id"
#define RWL_ARROW_EXTENSION      "ARROW:extension:name"
#define RWL_ARROW_EXTENSION_DATA "ARROW:extension:metadata"

#define RWL_ARROW_UUID    "arrow.uuid"
#define RWL_ARROW_JSON    "arrow.json"
#define RWL_ARROW_UINT64  "rowline.uint64"        /* on decimal(20, 0): they print as integers */
#define RWL_ARROW_VARIANT "arrow.parquet.variant" /* canonical; "parquet.variant" before it was */
#define RWL_ARROW_WKB     "geoarrow.wkb"

enum { RWL_ARROW_FORMAT_MAX = 32, RWL_ARROW_CHILDREN_MAX = 100000 };

/* Appends the JSON metadata of geoarrow.wkb for a GEOMETRY or GEOGRAPHY (geoarrow extension-types.md): its CRS
 * (OGC:CRS84 when unsaid, as Iceberg has it) and a geography's edges. */
RWL_MUST_CHECK rwl_status rwl_arrow_geo_metadata(const rwl_type *type, rwl_buf *out, rwl_error *err);
/* The type that such metadata (may be empty) says; parameters in `arena`. UNSUPPORTED for a CRS object that has no
 * authority and code. */
RWL_MUST_CHECK rwl_status rwl_arrow_geo_type(rwl_span metadata, rwl_arena *arena, rwl_type *out,
                                             rwl_error *err);

/* "tDu" of a duration in microseconds; NULL where its parameters are of no unit. */
const char *rwl_arrow_duration_format(const rwl_type *type);

/* The C data interface gives a column's child of that name, -1 when there is none. */
int64_t rwl_arrow_child_named(const struct ArrowSchema *schema, const char *name);

#endif
