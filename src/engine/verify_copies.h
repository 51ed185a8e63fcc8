/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading back the values of stitched rows. Stitching keeps the order of the plan, so each row of the written files has
 * a row of the inputs that it comes from, and columns can be verified apart from each other:
 *
 *   lineage, partition sources   row by row, with their position, by rwl_verify_files on both sides
 *   rows of a column
 *     that are copies            page by page, undecoded (verify_pages.h)
 *     that are not               decoded on both sides, by sums of hashes of position and value
 */
#ifndef RWL_ENGINE_VERIFY_COPIES_H
#define RWL_ENGINE_VERIFY_COPIES_H

#include "engine/verify.h"

/* The columns that rwl_verify_files reads of stitched files: top-level fields that a partition is made of. `out` needs
 * `arena`; it has no ids or names to look up by. */
RWL_MUST_CHECK rwl_status rwl_verify_sources(const rwl_schema *schema, const rwl_partition_spec *spec,
                                             rwl_arena *arena, rwl_schema *out, rwl_error *err);

typedef struct rwl_copies_request {
    const rwl_verify_request *written; /* its files in the order of their rows; `values` are left out here */
    struct rwl_delete_cache *deletes;  /* of the inputs */
    const rwl_fragment *fragments;     /* the plan's, in order */
    size_t fragment_count;
} rwl_copies_request;

/* Columns of row groups, by how they were verified. */
typedef struct rwl_copies_stats {
    int64_t compared, decoded, in_part; /* in part: pages of them decoded */
} rwl_copies_stats;

/* INTERNAL when a value is not that of its row, or a file not as its entry says. */
RWL_MUST_CHECK rwl_status rwl_verify_copies(rwl_op *op, const rwl_copies_request *request,
                                            rwl_copies_stats *stats, rwl_error *err);

#endif
