/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading back what a rewrite wrote, before it is committed: the files as their manifest entries will describe them, with
 * the ordinary reader, never the batches that were handed to the writer.
 */
#ifndef RWL_ENGINE_VERIFY_H
#define RWL_ENGINE_VERIFY_H

#include "base/thread.h"
#include "engine/handover.h"
#include "iceberg/driver.h"
#include "lineage/conserve.h"
#include "lineage/digest.h"
#include "lineage/distinct.h"
#include "table/change.h"

/* Sums over rows, of one side of a rewrite. */
typedef struct rwl_row_sums {
    rwl_conserve conserve;
    rwl_digest digest;
} rwl_row_sums;

/* Hashes the values of batches that come in order. */
typedef struct rwl_row_hasher {
    const rwl_env *env;
    bool by_position; /* rows keep their order: where a row stands counts as one of its values */
    int64_t position; /* of the next row */
    rwl_u128 *hashes; /* of the last batch, one a row */
    int64_t cap;
} rwl_row_hasher;
RWL_MUST_CHECK rwl_status rwl_row_hasher_hash(rwl_row_hasher *hasher, const rwl_batch *batch, rwl_error *err);
void rwl_row_hasher_clear(rwl_row_hasher *hasher);

/* Adds rows to the sums; `with_values` false leaves their values out. */
RWL_MUST_CHECK rwl_status rwl_row_sums_add(rwl_row_sums *sums, rwl_row_hasher *hasher, const rwl_rows *rows,
                                           bool with_values, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_row_sums_merge(rwl_row_sums *into, const rwl_row_sums *from, rwl_error *err);

typedef struct rwl_verify_request {
    rwl_store *store;
    const rwl_metadata *metadata;
    const rwl_partition_spec *spec; /* of the files; NULL: the default one */
    const rwl_added_file *files;
    size_t file_count;
    const rwl_schema *values;     /* columns whose values count, too; NULL: counts and lineage alone */
    bool by_position;             /* and so does where a row stands */
    bool with_lineage;            /* the rows carry stored ids and versions */
    int64_t data_sequence_number; /* the entries' */
    rwl_distinct *distinct;       /* gets the ids; shared by the groups of a rewrite, NULL for none */
    rwl_mutex *distinct_lock;
    bool overlap; /* the pool is free: read ahead while adding up */
} rwl_verify_request;

/* Sums over the rows of the written files. LAW_BROKEN for an id at or above next-row-id (so for one that would be inherited);
 * INTERNAL for a file that is not as its entry says. */
RWL_MUST_CHECK rwl_status rwl_verify_files(rwl_op *op, const rwl_verify_request *request, rwl_row_sums *sums,
                                           rwl_error *err);
/* The fragment a reader will make of an entry. */
rwl_fragment rwl_verify_fragment(const rwl_verify_request *request, const rwl_added_file *file);
/* Gives rows of a fragment to `take`, which may stop with a failure; with a pool while the next are read. */
typedef struct rwl_verify_reading {
    const rwl_driver *driver;
    const rwl_fragment *fragment;
    const rwl_fragment_read_options *options;
    rwl_pool *pool;
    rwl_take_fn take;
    void *ctx;
} rwl_verify_reading;
RWL_MUST_CHECK rwl_status rwl_verify_read(rwl_op *op, const rwl_verify_reading *reading, rwl_error *err);
/* The failure of reading a file that was just written: a corrupt one is INTERNAL. */
rwl_status rwl_verify_blame(const rwl_added_file *file, rwl_status st, rwl_error *err);
/* Reads the id columns of the files again, one window of ids at a time, when the set of ids was too large for its ceiling. */
RWL_MUST_CHECK rwl_status rwl_verify_distinct(rwl_op *op, const rwl_verify_request *request,
                                              size_t request_count, rwl_distinct *distinct, rwl_error *err);

#endif
