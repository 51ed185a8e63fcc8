/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A data or delete file of any format (Parquet, Avro) as columns: all that the projection, the fragment reader and the
 * readers of delete files know of a format. ORC is refused by name.
 */
#ifndef RWL_ICEBERG_STORED_FILE_H
#define RWL_ICEBERG_STORED_FILE_H

#include "parquet/reader.h"
#include "storage/store.h"

/* An opened file; everything it points to lives until it is closed. */
typedef struct rwl_stored_file {
    const char *location;
    /* Top-level fields as stored, in natural types; ids -1 where the file has none. Nested fields have their children.
     * A field that can't be read has type UNKNOWN and is refused by name when it is wanted. */
    const rwl_field *fields;
    int32_t field_count;
    bool without_ids;           /* no field at any depth has an id */
    int64_t row_count;          /* -1: only reading to the end tells (Avro) */
    rwl_parquet_file *parquet;  /* NULL when it is none */
    struct rwl_avro_rows *avro; /* NULL when it is none */
    const rwl_env *env;
} rwl_stored_file;

/* `format` as manifests have it, in either case; `known_size` -1 when unknown. Errors name the file. UNSUPPORTED naming ORC,
 * CORRUPT for a format that is none. */
RWL_MUST_CHECK rwl_status rwl_stored_file_open(rwl_store *store, rwl_op *op, const char *location,
                                               const char *format, int64_t known_size, rwl_stored_file **out,
                                               rwl_error *err);
void rwl_stored_file_close(rwl_stored_file *file); /* NULL is fine */

/* Leaves of a field tree: types without children (a VARIANT is one), counted depth first over all fields. */
int32_t rwl_field_leaf_count(const rwl_field *field);

typedef struct rwl_stored_read_options {
    const int32_t *columns;  /* indexes into file->fields, in output order */
    int32_t column_count;    /* 0: batches of rows without columns */
    const bool *wanted;      /* a flag a leaf of the file, over all fields: those to read; NULL: all */
    const rwl_range *ranges; /* only rows in these (physical, ascending, disjoint); NULL: all */
    size_t range_count;
    int64_t batch_rows; /* 0: RWL_BATCH_ROWS */
    size_t batch_bytes; /* Parquet: as in rwl_parquet_read_options; 0: its default */
    bool skip_page_crc;
    struct rwl_pool *pool; /* NULL: one column after another */
} rwl_stored_read_options;

typedef struct rwl_stored_reader rwl_stored_reader;

RWL_MUST_CHECK rwl_status rwl_stored_reader_new(rwl_store *store, rwl_op *op, rwl_stored_file *file,
                                                const rwl_stored_read_options *options,
                                                rwl_stored_reader **out, rwl_error *err);
void rwl_stored_reader_free(rwl_stored_reader *r); /* NULL is fine */
/* The fields of its batches: the columns' fields, cut down to the wanted leaves. */
const rwl_field *rwl_stored_reader_fields(const rwl_stored_reader *r, int32_t *count);
/* As rwl_parquet_reader_next and _take say; of an Avro file rows between ranges are passed over, and
 * at its end *first_pos is the number of its rows. */
RWL_MUST_CHECK rwl_status rwl_stored_reader_next(rwl_stored_reader *r, rwl_batch *batch, int64_t *first_pos,
                                                 rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_stored_reader_take(rwl_stored_reader *r, const rwl_range *ranges, size_t count,
                                                 rwl_batch *batch, rwl_error *err);
rwl_parquet_read_stats rwl_stored_reader_stats(const rwl_stored_reader *r);

#endif
