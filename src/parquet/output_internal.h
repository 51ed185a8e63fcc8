/* SPDX-License-Identifier: Apache-2.0 */
/* A file being written, shared by output.c and output_written.c. */
#ifndef RWL_PARQUET_OUTPUT_INTERNAL_H
#define RWL_PARQUET_OUTPUT_INTERNAL_H

#include "parquet/chunk_internal.h"
#include "parquet/output.h"

/* What a row group leaves behind, once its metadata are bytes: few numbers a chunk and a group. */
typedef struct rwl_parquet_output_chunk {
    uint32_t meta_len;               /* in `meta` */
    uint32_t column_len, offset_len; /* in `column_indexes`, `offset_indexes`; 0: none */
} rwl_parquet_output_chunk;

typedef struct rwl_parquet_output_part {
    int64_t offset;    /* of its first page */
    uint32_t meta_len; /* in `meta`, behind its chunks' */
} rwl_parquet_output_part;

/* A leaf over all row groups. */
typedef struct rwl_parquet_output_leaf {
    int64_t compressed, value_count;
    int64_t null_count, nan_count; /* -1 unknown */
    rwl_parquet_stat_sum stats;
    const rwl_parquet_column_metrics *better; /* in the arena; NULL: what the pages tell */
} rwl_parquet_output_leaf;

struct rwl_parquet_output {
    const rwl_env *env;
    rwl_op *op;
    rwl_new_file *file;
    int64_t offset;                         /* bytes written */
    rwl_arena arena;                        /* key values, better metrics */
    rwl_parquet_write_schema columns;       /* what it points at is the caller's */
    const rwl_parquet_write_schema *schema; /* = &columns */
    bool without_index;
    const char **kv_keys, **kv_values;
    int32_t kv_count;
    int64_t rows, page_count;
    int64_t end_estimate; /* bytes of schema and key values, about */
    rwl_parquet_output_leaf *leaves;
    rwl_buf meta, column_indexes, offset_indexes; /* encoded, of all row groups so far, one after another */
    RWL_VEC(rwl_parquet_output_chunk) chunks;
    RWL_VEC(rwl_parquet_output_part) groups;
    rwl_buf scratch;
    rwl_status failed; /* the first failure; nothing can be written after it */
};

/* Fills `written`, whose arena is ready. */
RWL_MUST_CHECK rwl_status rwl_parquet_output_describe(const rwl_parquet_output *o,
                                                      rwl_parquet_written *written, rwl_error *err);

#endif
