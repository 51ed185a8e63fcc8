/* SPDX-License-Identifier: Apache-2.0 */
/* How many groups run at once, and what each may use. */
#include "engine/budget.h"
#include "engine/rewrite_internal.h"

#include "base/pool.h"

enum { SORT_BYTES = 1 << 26 }; /* with less to sort in, groups are sorted one after another */

static rwl_status fail_too_small(int64_t limit, int64_t needed, rwl_error *err) {
    return rwl_fail(err, RWL_UNSUPPORTED,
                    "a memory budget of %lld MB is too small: this rewrite needs %lld MB",
                    (long long)(limit >> 20), (long long)(needed >> 20) + 1);
}

/* As many sorted groups at once as there are threads, when each has memory to sort in that makes it worth it. */
static rwl_status divide_sorting(rwl_rewrite_run *r, int32_t columns, rwl_error *err) {
    int64_t limit = r->op->memory_limit, least = rwl_sorter_least_memory(columns);
    if (rwl_budget_sort(limit, columns, 1) < least)
        return fail_too_small(limit, rwl_budget_sort_least(least, columns), err);
    if (rwl_budget_sort(limit, columns, r->parallel) < SORT_BYTES)
        r->parallel = 1;
    r->sorting.memory = rwl_budget_sort(limit, columns, r->parallel);
    return RWL_OK;
}

rwl_status rwl_rewrite_divide_memory(rwl_rewrite_run *r, size_t groups, rwl_error *err) {
    int32_t columns = r->table->metadata->schema->field_count + 2;
    int64_t limit = r->op->memory_limit, left = limit - rwl_budget_program(),
            least = rwl_budget_least(columns);
    r->parallel = rwl_pool_threads(r->op->env->pool);
    if (groups < (size_t)r->parallel)
        r->parallel = (int32_t)groups;
    r->sorting = (rwl_sorter_options){.batch_bytes = rwl_budget_sort_batch(limit, columns)};
    if (limit == 0)
        return RWL_OK;
    if (left < least)
        return fail_too_small(limit, least + rwl_budget_program(), err);
    if (r->settings.rules.sort != NULL)
        return divide_sorting(r, columns, err);
    int64_t fit = left / rwl_budget_usual(limit, columns);
    if (fit < r->parallel)
        r->parallel = (int32_t)fit;
    return RWL_OK;
}

/* Bytes of a group's rows in memory, about: what is written of texts and nested values has shrunk to half, say. */
static int64_t bytes_to_sort(const rwl_rewrite_run *r, const rwl_rewrite_group *g) {
    const rwl_schema *schema = r->table->metadata->schema;
    int64_t bytes = (g->rows - g->deleted_rows) * rwl_sorter_row_bytes(schema->fields, schema->field_count);
    for (int32_t i = 0; i < schema->field_count; i++)
        if (rwl_type_is_bytes(&schema->fields[i].type) || rwl_type_is_nested(&schema->fields[i].type))
            return bytes + 2 * g->bytes;
    return bytes;
}

int64_t rwl_rewrite_sort_disk(const rwl_rewrite_run *r) {
    int64_t most = 0, all = 0;
    for (size_t i = 0; r->settings.rules.sort != NULL && i < r->plan.group_count; i++) {
        int64_t disk = rwl_sorter_disk_bytes(bytes_to_sort(r, &r->plan.groups[i]), r->sorting.memory);
        most = disk > most ? disk : most;
        all += disk;
    }
    most *= r->parallel;
    return most < all ? most : all;
}
