/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of an Avro container file as batches: a data or delete file of a table (specification, appendix A, "Avro").
 *
 * Avro to Iceberg types: boolean, int, long, float, double, string, bytes, fixed; int/date, long/time-micros (time-millis,
 * widened), long/timestamp-micros, -nanos and -millis (widened), fixed(16)/uuid and string/uuid, fixed or bytes/decimal,
 * record → struct, array → list, array/map of key-value records and map → map, record{metadata,value}/variant → variant, null →
 * unknown; enum reads as string. What is said of types by annotations that break Avro's rules, or are others, counts for nothing.
 * A timestamp has a zone when adjust-to-utc is true; without the property not, in a file that has ids (as Iceberg writes and
 * reads it), but in a file without ids, which is not Iceberg's, timestamp-* are instants and local-timestamp-* are not
 * (Avro 1.11). A union is an optional value: ["null", T] in either order; others are UNSUPPORTED by name when wanted. Ids: field-id,
 * element-id, key-id, value-id. Names: iceberg-field-name where a field has it.
 */
#ifndef RWL_AVRO_ROWS_H
#define RWL_AVRO_ROWS_H

#include "avro/avro.h"
#include "column/batch.h"

typedef struct rwl_avro_rows rwl_avro_rows;

/* Opens the file and reads its header; `known_size` -1 when unknown; another size is warned of, and
 * the file is read to the end it has (who knows how many records there must be counts them). */
RWL_MUST_CHECK rwl_status rwl_avro_rows_open(rwl_store *store, rwl_op *op, const char *location,
                                             int64_t known_size, rwl_avro_rows **out, rwl_error *err);
void rwl_avro_rows_close(rwl_avro_rows *rows); /* NULL is fine */
/* The file's top-level fields (ids -1 where there are none), in natural types, with children. A field that can't be
 * read has type UNKNOWN here and is refused by name when selected. */
const rwl_field *rwl_avro_rows_fields(const rwl_avro_rows *rows, int32_t *count);
/* A header metadata value, data NULL when absent. */
rwl_span rwl_avro_rows_metadata(const rwl_avro_rows *rows, const char *key);

typedef struct rwl_avro_scan rwl_avro_scan; /* one pass over the records; several may run on one file */

/* `columns` are top-level fields in output order, each at most once; `wanted` has a flag a leaf (a type without children, depth first over
 * all fields), NULL: all. What is not wanted is passed over without being decoded; a map is read with its keys, and a column
 * without a wanted leaf whole. */
RWL_MUST_CHECK rwl_status rwl_avro_scan_new(rwl_avro_rows *rows, rwl_op *op, const int32_t *columns,
                                            int32_t column_count, const bool *wanted, rwl_avro_scan **out,
                                            rwl_error *err);
void rwl_avro_scan_free(rwl_avro_scan *scan); /* NULL is fine */
/* The fields of its batches. */
const rwl_field *rwl_avro_scan_fields(const rwl_avro_scan *scan, int32_t *count);
/* Sets `batch` to at most `max_rows` next rows, *first_pos to the position of the first; length 0 at the end of a
 * whole file. A batch is shorter where its values pass 64 MiB or a sixteenth of the budget. Errors name block, row and
 * field; after one the scan can only be freed. CORRUPT also: strings that are not UTF-8, decimals of more digits than they may have. */
RWL_MUST_CHECK rwl_status rwl_avro_scan_next(rwl_avro_scan *scan, int64_t max_rows, rwl_batch *batch,
                                             int64_t *first_pos, rwl_error *err);
/* Passes over rows so that the next is at `pos` (not before where it stands); whole blocks without decompressing. */
RWL_MUST_CHECK rwl_status rwl_avro_scan_skip_to(rwl_avro_scan *scan, int64_t pos, rwl_error *err);
int64_t rwl_avro_scan_bytes_read(const rwl_avro_scan *scan);

#endif
