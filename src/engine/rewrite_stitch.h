/* SPDX-License-Identifier: Apache-2.0 */
/* Executing a group of a rewrite without decoding it: pages of its files put together (parquet/stitch.h). */
#ifndef RWL_ENGINE_REWRITE_STITCH_H
#define RWL_ENGINE_REWRITE_STITCH_H

#include "engine/rewrite_group.h"

/*
 * Writes the live rows of the job's group to job->files and adds up job->before from the ordinary reader, as the streaming
 * way does. *stitched false: nothing is written or summed, rows have to be streamed, and why is logged:
 *
 *   rows are sorted, changed on the way, or go to other partitions than they came from
 *   a file that is no Parquet, is without field ids, lacks a column that is not simply null, or has one of another shape
 *   rows deleted by equality
 */
RWL_MUST_CHECK rwl_status rwl_rewrite_stitch(rwl_group_job *job, bool *stitched, rwl_error *err);

#endif
