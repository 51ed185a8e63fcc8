/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table's write.parquet.* properties as options of a Parquet writer, under Iceberg's own names (TableProperties):
 *
 *   row-group-size-bytes page-size-bytes page-row-limit page-version dict-size-bytes compression-codec
 *   compression-level bloom-filter-max-bytes
 *   bloom-filter-enabled.column.C bloom-filter-fpp.column.C bloom-filter-ndv.column.C
 *   stats-enabled.column.C dict-encoding-enabled.column.C, and parquet.enable.dictionary
 *
 * and rowline.parquet.encoding: plain, delta or split, how values without a dictionary are stored.
 *
 * C is a column's full name in the table ("a.element", "m.value", "s.f"); names of no column are passed over, as are
 * properties not listed here: hints about how Java writes (row-group-check-*, bloom-filter-adaptive-enabled, …).
 */
#ifndef RWL_ENGINE_WRITE_PROPERTIES_H
#define RWL_ENGINE_WRITE_PROPERTIES_H

#include "iceberg/metadata.h"
#include "parquet/writer.h"

/*
 * Sets what the properties (an object of texts, NULL: none) say in `out`, column options included, and leaves the rest as it is. `fields` are those of
 * the files; text goes to `arena`. CORRUPT naming the property for a value that it can't have, UNSUPPORTED for a codec
 * or page version that is not written.
 */
RWL_MUST_CHECK rwl_status rwl_write_properties_read(const rwl_json *properties, const rwl_field *fields,
                                                    int32_t field_count, rwl_arena *arena,
                                                    rwl_parquet_write_options *out, rwl_error *err);
/* Lowers the sizes to what an operation of this memory budget (0: no limit) may hold for a file of `columns` columns; a
 * size not set becomes the budget's. */
void rwl_write_properties_limit(rwl_parquet_write_options *options, int64_t budget, int32_t columns);

#endif
