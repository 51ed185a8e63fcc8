/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data files an operation writes: what is in them and how it is laid out, where they lie, what the manifest will say
 * of them. They are removed unless they are released. Rows that are encoded (data_writer.h) and pages that are stitched
 * (rewrite_stitch.h) both end here.
 */
#ifndef RWL_ENGINE_DATA_FILES_H
#define RWL_ENGINE_DATA_FILES_H

#include "base/vec.h"
#include "iceberg/metadata.h"
#include "iceberg/metrics.h"
#include "parquet/writer.h"
#include "table/change.h"

/* How a stored `_row_id` column is encoded where it is encoded at all. */
typedef enum rwl_row_id_encoding {
    RWL_ROW_ID_DEFAULT, /* DELTA; pages that come as PLAIN may be copied */
    RWL_ROW_ID_PLAIN,
    RWL_ROW_ID_DELTA /* DELTA_BINARY_PACKED */
} rwl_row_id_encoding;

typedef struct rwl_data_files_options {
    const rwl_metadata *metadata;   /* its current schema is written */
    const rwl_partition_spec *spec; /* of the files; NULL: the default one */
    bool lineage;                   /* store both lineage columns */
    rwl_row_id_encoding row_id_encoding;
    int32_t sort_order_id;    /* of the files, 0 for none */
    int64_t target_bytes;     /* a file is closed once it has this size; 0: write.target-file-size-bytes */
    int64_t target_rows;      /* a file is closed at exactly this many rows; 0: no limit */
    int32_t sequence;         /* number in file names, one a set of files of the operation */
    const char *operation_id; /* uuid text in file names */
    struct rwl_pool *pool;    /* encodes columns side by side; NULL: one after another */
} rwl_data_files_options;

/* To be read by those who write the files; changed by the functions below alone, but for the counts of pages. */
typedef struct rwl_data_files {
    rwl_store *store;
    rwl_op *op;
    rwl_data_files_options options; /* target_bytes resolved */
    rwl_arena arena;
    const rwl_schema *schema;
    const rwl_partition_spec *spec;
    rwl_type *partition_types;
    rwl_field *fields; /* the schema's, then the lineage columns when stored */
    int32_t field_count;
    rwl_parquet_write_options parquet; /* the table's properties within the memory there is */
    int64_t memory_bytes;              /* of all files open at once; 0: no limit */
    const char *kv_key, *kv_value;     /* iceberg.schema */
    rwl_metrics_config *metrics;
    const char *data_path;
    int32_t named; /* files so far */
    RWL_VEC(rwl_added_file) added;
    int64_t pages_copied;  /* data pages whose bodies are those of an input */
    int64_t pages_encoded; /* the others */
    bool released;
} rwl_data_files;

/* Logs that files are Parquet where write.format.default names another format: a table may hold files of several formats,
 * and every reader of one knows Parquet. Once an operation. */
void rwl_data_files_tell_format(const rwl_metadata *metadata, const rwl_env *env);
/* UNSUPPORTED for what properties ask for that is not written. */
RWL_MUST_CHECK rwl_status rwl_data_files_new(rwl_store *store, rwl_op *op,
                                             const rwl_data_files_options *options, rwl_data_files **out,
                                             rwl_error *err);
/* Removes every file that was kept, unless they were released. NULL is fine. */
void rwl_data_files_free(rwl_data_files *f);
/* Removes the files kept so far; new ones get other names. */
void rwl_data_files_discard(rwl_data_files *f);

/* The location of a new file for rows of this partition (a value a field of the spec): under the partition's folder,
 * numbered within the operation. */
RWL_MUST_CHECK rwl_status rwl_data_files_name(rwl_data_files *f, const rwl_value *partition,
                                              const char **location, rwl_error *err);
/* Keeps a file that its writer finished with status `finished`, described by `written`, which is cleared; the values of
 * the partition are copied. On failure, that of finishing included, no file is left at the location. */
RWL_MUST_CHECK rwl_status rwl_data_files_keep(rwl_data_files *f, const char *location,
                                              const rwl_value *partition, rwl_status finished,
                                              rwl_parquet_written *written, rwl_error *err);

/* The files kept so far in the order they were closed; owned by `f`, which must outlive the commit. */
const rwl_added_file *rwl_data_files_list(const rwl_data_files *f, size_t *count);
/* Gives up responsibility for the files: they are not removed by free. */
void rwl_data_files_release(rwl_data_files *f);

#endif
