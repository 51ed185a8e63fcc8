/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of an Avro file at chosen positions: what rwl_stored_reader is for one.
 */
#ifndef RWL_ICEBERG_STORED_AVRO_H
#define RWL_ICEBERG_STORED_AVRO_H

#include "avro/rows.h"
#include "iceberg/stored_file.h"

typedef struct rwl_stored_avro rwl_stored_avro;

RWL_MUST_CHECK rwl_status rwl_stored_avro_new(rwl_avro_rows *rows, rwl_op *op,
                                              const rwl_stored_read_options *options, rwl_stored_avro **out,
                                              rwl_error *err);
void rwl_stored_avro_free(rwl_stored_avro *r); /* NULL is fine */
const rwl_field *rwl_stored_avro_fields(const rwl_stored_avro *r, int32_t *count);
/* The next rows of one range: of the file where there are no ranges. At the end *first_pos is the number of rows in the
 * file. */
RWL_MUST_CHECK rwl_status rwl_stored_avro_next(rwl_stored_avro *r, rwl_batch *batch, int64_t *first_pos,
                                               rwl_error *err);
/* All rows of the ranges; CORRUPT where the file ends before them. Not to be mixed with next. */
RWL_MUST_CHECK rwl_status rwl_stored_avro_take(rwl_stored_avro *r, const rwl_range *ranges, size_t count,
                                               rwl_batch *batch, rwl_error *err);
int64_t rwl_stored_avro_bytes_read(const rwl_stored_avro *r);

#endif
