/* SPDX-License-Identifier: Apache-2.0 */
/* Duplicate row ids, found by a roaring set with a memory ceiling. */
#include "lineage/distinct.h"

#include "lineage/walk.h"

#include <inttypes.h>
#include <stdio.h>

enum { LOOK_EVERY = 4096 }; /* stretches between two looks at the set's memory */

static void drop_set(rwl_distinct *d) {
    rwl_bitmap_free(d->seen);
    d->seen = NULL;
}

void rwl_distinct_init(rwl_distinct *d, const rwl_env *env, int64_t lo, int64_t hi, int64_t ceiling) {
    memset(d, 0, sizeof *d);
    d->env = env;
    d->lo = lo;
    d->hi = hi;
    d->ceiling = ceiling < RWL_DISTINCT_CEILING_MIN ? RWL_DISTINCT_CEILING_MIN : ceiling;
}

void rwl_distinct_reset(rwl_distinct *d, int64_t lo, int64_t hi) {
    drop_set(d);
    d->too_large = false;
    d->lo = lo;
    d->hi = hi;
}

void rwl_distinct_clear(rwl_distinct *d) {
    drop_set(d);
}

static void note_duplicates(rwl_distinct *d, int64_t id, int64_t count) {
    d->duplicate_count += count;
    for (int64_t i = 0; i < count && d->shown < RWL_DISTINCT_SHOWN; i++) {
        bool known = false;
        for (int32_t k = 0; k < d->shown; k++)
            known = known || d->duplicates[k] == id + i;
        if (!known)
            d->duplicates[d->shown++] = id + i;
    }
}

/* Notes which of [start, start + count) the set has. Numbers in the set are id - lo. */
static void note_overlap(rwl_distinct *d, int64_t start, int64_t count) {
    int64_t end = start + count, from = start, run, run_count;
    while (from < end && rwl_bitmap_next_run(d->seen, from, &run, &run_count) && run < end) {
        int64_t run_end = run_count < end - run ? run + run_count : end;
        int64_t lowest = run < from ? from : run;
        note_duplicates(d, d->lo + lowest, run_end - lowest);
        from = run_end;
    }
}

/* Adds ids [id, id + count), cut to the window. */
static rwl_status add_range(rwl_distinct *d, int64_t id, int64_t count, rwl_error *err) {
    int64_t start = id < d->lo ? d->lo : id;
    int64_t end = count > d->hi - id ? d->hi : id + count;
    if (id >= d->hi || start >= end)
        return RWL_OK;
    if (end - 1 - d->lo > RWL_BITMAP_MAX) { /* more than the set can number from here: a window can */
        drop_set(d);
        d->too_large = true;
        return RWL_OK;
    }
    if (end - start == 1) {
        bool was_there = false;
        RWL_TRY(rwl_bitmap_add_checked(d->seen, start - d->lo, &was_there, err));
        if (was_there)
            note_duplicates(d, start, 1);
        return RWL_OK;
    }
    if (rwl_bitmap_count_range(d->seen, start - d->lo, end - start) > 0)
        note_overlap(d, start - d->lo, end - start);
    return rwl_bitmap_add_range(d->seen, start - d->lo, end - start, err);
}

static void look_at_memory(rwl_distinct *d) {
    if (rwl_bitmap_memory(d->seen) > d->ceiling) {
        drop_set(d);
        d->too_large = true;
    }
}

rwl_status rwl_distinct_add(rwl_distinct *d, const rwl_runs *ids, rwl_error *err) {
    if (d->too_large)
        return RWL_OK;
    if (d->seen == NULL)
        RWL_TRY(rwl_bitmap_new(d->env, &d->seen, err));
    rwl_walk walk;
    rwl_stretch s;
    int64_t since_look = 0;
    rwl_walk_init(&walk, ids, NULL, 0, ids->length);
    while (!d->too_large && rwl_walk_next(&walk, &s)) {
        if (s.id.present) {
            if (s.id.value < 0)
                return rwl_fail(err, RWL_LAW_BROKEN, "law 2: row id %" PRId64 " is negative", s.id.value);
            RWL_TRY(add_range(d, s.id.value, s.count, err));
        }
        if (++since_look % LOOK_EVERY == 0)
            look_at_memory(d);
    }
    if (!d->too_large)
        look_at_memory(d);
    return RWL_OK;
}

int64_t rwl_distinct_window(int64_t ceiling) {
    /* A container of 65536 ids holds at most an 8 KiB bitmap; twice that covers growth and its index entry.
     */
    int64_t containers = ceiling / (2 * 8192 + 256);
    if (containers < 1)
        containers = 1;
    return containers > INT64_MAX / 65536 ? INT64_MAX : containers * 65536;
}

rwl_status rwl_distinct_check(const rwl_distinct *d, rwl_error *err) {
    if (d->duplicate_count == 0)
        return RWL_OK;
    char list[RWL_DISTINCT_SHOWN * 24] = "";
    size_t len = 0;
    for (int32_t i = 0; i < d->shown; i++)
        len += (size_t)snprintf(list + len, sizeof list - len, "%s%" PRId64, i == 0 ? "" : ", ",
                                d->duplicates[i]);
    return rwl_fail(err, RWL_LAW_BROKEN,
                    "law 1: %" PRId64 " rows have a row id that another live row has: %s%s",
                    d->duplicate_count, list, d->duplicate_count > d->shown ? " and others" : "");
}
