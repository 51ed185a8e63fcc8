/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the groups that are worth it are written, in which order: limits of files and bytes. */
#include "engine/rewrite_plan_internal.h"

#include <stdlib.h>

static int compare_places(const void *a, const void *b) {
    const rwl_rewrite_taken *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->nth < y->nth ? -1 : x->nth > y->nth;
}

static int compare_numbers(int64_t x, int64_t y) {
    return x < y ? -1 : x > y;
}

#define COMPARE(name, key, sign)                                                                             \
    static int name(const void *a, const void *b) {                                                          \
        const rwl_rewrite_taken *x = a, *y = b;                                                              \
        int order = sign * compare_numbers((int64_t)x->group.key, (int64_t)y->group.key);                    \
        return order != 0 ? order : compare_places(a, b);                                                    \
    }
COMPARE(bytes_up, bytes, 1)
COMPARE(bytes_down, bytes, -1)
COMPARE(files_up, fragment_count, 1)
COMPARE(files_down, fragment_count, -1)

/* The group's file at `count` - 1 joins those before it. */
static void add_next(const rwl_rewrite_rules *rules, rwl_rewrite_group *g, size_t count) {
    const rwl_fragment *f = &g->fragments[count - 1];
    g->fragment_count = count;
    g->bytes += f->file_size;
    g->rows += f->row_count;
    g->deleted_rows += rwl_rewrite_count_deleted(f);
    g->expected_files = rwl_rewrite_group_files(rules, g);
}

/* The group's first `count` files, for which it stays worth what it was (ICE-142, 143). */
static void cut_group(const rwl_rewrite_rules *rules, rwl_rewrite_group *g, size_t count) {
    g->bytes = g->rows = g->deleted_rows = 0;
    for (size_t i = 1; i <= count; i++)
        add_next(rules, g, i);
}

/* As many files as are wanted, in planning order. */
static void limit_files(const rwl_rewrite_rules *rules, rwl_rewrite_taken_list *taken,
                        rwl_rewrite_plan *out) {
    int64_t left = rules->max_files;
    if (left == 0)
        return;
    size_t kept = 0;
    for (; kept < taken->len && left > 0; kept++) {
        rwl_rewrite_group *g = &taken->items[kept].group;
        if ((int64_t)g->fragment_count > left) {
            cut_group(rules, g, (size_t)left);
            out->complete = false;
        }
        left -= (int64_t)g->fragment_count;
    }
    out->complete = out->complete && kept == taken->len;
    taken->len = kept;
}

/* The group's first files that fit, and as many more as it takes for fewer to come of them: or nothing would ever be done. */
static void cut_to_budget(const rwl_rewrite_rules *rules, rwl_rewrite_group *g) {
    size_t all = g->fragment_count, count = 0;
    for (int64_t bytes = 0; count < all; count++) {
        bytes += g->fragments[count].file_size;
        if (bytes > rules->max_total_bytes)
            break;
    }
    size_t fitting = count == 0 ? 1 : count;
    count = fitting == 1 && all >= 2 ? 2 : fitting;
    cut_group(rules, g, count);
    while (count < all && g->expected_files >= (int64_t)count)
        add_next(rules, g, ++count);
    if (g->expected_files >= (int64_t)count) /* they never become fewer: what is gained is something else */
        cut_group(rules, g, fitting);
}

/* Groups up to the budget of bytes, in the order they are written. */
static void limit_bytes(const rwl_rewrite_rules *rules, rwl_rewrite_taken_list *taken,
                        rwl_rewrite_plan *out) {
    int64_t left = rules->max_total_bytes;
    if (left == 0 || taken->len == 0)
        return;
    rwl_rewrite_group *first = &taken->items[0].group;
    size_t kept = 1, files = first->fragment_count;
    if (first->bytes > left)
        cut_to_budget(rules, first);
    left -= first->bytes;
    while (kept < taken->len && taken->items[kept].group.bytes <= left)
        left -= taken->items[kept++].group.bytes;
    out->complete = out->complete && kept == taken->len && first->fragment_count == files;
    taken->len = kept;
}

static void put_in_order(const rwl_rewrite_rules *rules, rwl_rewrite_taken_list *taken) {
    int (*const compare[])(const void *, const void *) = {
        [RWL_REWRITE_ORDER_BYTES_ASC] = bytes_up,
        [RWL_REWRITE_ORDER_BYTES_DESC] = bytes_down,
        [RWL_REWRITE_ORDER_FILES_ASC] = files_up,
        [RWL_REWRITE_ORDER_FILES_DESC] = files_down,
    };
    if (rules->order != RWL_REWRITE_ORDER_NONE && taken->len > 0)
        qsort(taken->items, taken->len, sizeof *taken->items, compare[rules->order]);
}

rwl_status rwl_rewrite_choose(const rwl_rewrite_rules *rules, rwl_rewrite_taken_list *taken,
                              rwl_rewrite_plan *out, rwl_error *err) {
    if (taken->len > 0)
        qsort(taken->items, taken->len, sizeof *taken->items, compare_places);
    limit_files(rules, taken, out);
    put_in_order(rules, taken);
    limit_bytes(rules, taken, out);
    out->groups = rwl_arena_array(&out->arena, taken->len, sizeof *out->groups);
    if (out->groups == NULL)
        return rwl_no_memory(err, taken->len * sizeof *out->groups);
    out->group_count = taken->len;
    for (size_t i = 0; i < out->group_count; i++) {
        out->groups[i] = taken->items[i].group;
        out->groups[i].number = (int64_t)i + 1;
    }
    return RWL_OK;
}
