/* SPDX-License-Identifier: Apache-2.0 */
/* Between packing groups (rewrite_plan.c) and choosing among them (rewrite_choose.c). */
#ifndef RWL_ENGINE_REWRITE_PLAN_INTERNAL_H
#define RWL_ENGINE_REWRITE_PLAN_INTERNAL_H

#include "base/vec.h"
#include "engine/rewrite_plan.h"

/* A group that will be written, as long as limits allow. */
typedef struct rwl_rewrite_taken {
    rwl_rewrite_group group;
    size_t place, nth; /* of its partition, by first file; of the group in it */
} rwl_rewrite_taken;
typedef RWL_VEC(rwl_rewrite_taken) rwl_rewrite_taken_list;

/* Orders and limits the taken groups, numbers them and hands them to the plan. */
RWL_MUST_CHECK rwl_status rwl_rewrite_choose(const rwl_rewrite_rules *rules, rwl_rewrite_taken_list *taken,
                                             rwl_rewrite_plan *out, rwl_error *err);

/* Deleted positions that surely belong to this file: no more than it has rows, whatever the delete files say. */
int64_t rwl_rewrite_count_deleted(const rwl_fragment *fragment);
/* Files that will come of a group without its deleted rows, about. */
int64_t rwl_rewrite_group_files(const rwl_rewrite_rules *rules, const rwl_rewrite_group *group);

#endif
