/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entries of many manifests in the order of their list, pruned, read ahead by tasks of the pool.
 *
 * A window of manifests is open at a time, twice as many as the pool has threads (one without threads). Each is read in
 * chunks of some thousand entries at most, one chunk ahead of the caller: what is held is bounded by the window, however
 * many manifests there are and however large they are. Order and errors are those of reading one after another.
 */
#ifndef RWL_ICEBERG_ENTRY_STREAM_H
#define RWL_ICEBERG_ENTRY_STREAM_H

#include "iceberg/plan_prune.h"

typedef struct rwl_entry_stream rwl_entry_stream;

/* All borrowed until the stream is closed. */
typedef struct rwl_entry_stream_options {
    const rwl_manifest *manifests;
    int32_t count;
    int32_t content;            /* of the manifests to read: 0 data, 1 deletes, -1 both */
    bool deleted;               /* entries of status DELETED too, and manifests of nothing else */
    rwl_manifest_wanted wanted; /* what is decoded; the entries given keep it only with keep_metrics */
    bool keep_metrics;
    const rwl_plan_pruner *prune; /* manifests and entries of data files; NULL: all are given */
} rwl_entry_stream_options;

typedef struct rwl_streamed_entry {
    const rwl_manifest_entry *entry;
    const rwl_manifest *manifest;
    bool must_match; /* every row satisfies the filter */
} rwl_streamed_entry;

typedef struct rwl_entry_stream_stats {
    int64_t manifests_read, manifests_skipped; /* of the content asked for, so far */
    int64_t entries_skipped;
} rwl_entry_stream_stats;

RWL_MUST_CHECK rwl_status rwl_entry_stream_open(rwl_store *store, rwl_op *op, const rwl_metadata *metadata,
                                                const rwl_entry_stream_options *options,
                                                rwl_entry_stream **out, rwl_error *err);
void rwl_entry_stream_close(rwl_entry_stream *s); /* NULL is fine */
/* The next entry, valid until the next call; entry NULL at the end. */
RWL_MUST_CHECK rwl_status rwl_entry_stream_next(rwl_entry_stream *s, rwl_streamed_entry *out, rwl_error *err);
rwl_entry_stream_stats rwl_entry_stream_get_stats(const rwl_entry_stream *s);

#endif
