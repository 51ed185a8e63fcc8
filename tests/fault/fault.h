/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that stand ready for one change, the change, and what the table may be afterwards. */
#ifndef RWL_TESTS_FAULT_H
#define RWL_TESTS_FAULT_H

#include "engine/table.h"
#include "storage/test_store.h"
#include "world.h"

#include <check.h>

/*
 * A kind of commit. `prepared` makes the table, a letter a change: 2 and 3 create it in that format version, a appends six
 * rows, d deletes by vector, D so that a file goes too, r rewrites, n upgrades without numbering. `change` is the one that
 * faults are put into: the same letters, and 1 creates (version 3, `prepared` empty), s rewrites sorted, u upgrades.
 */
typedef struct scenario {
    const char *name, *prepared;
    char change;
    bool numbers_first; /* the change is two commits: the empty append that gives ids, then its own */
} scenario;

extern const scenario SCENARIOS[];
extern const int SCENARIO_COUNT;

typedef struct fixture {
    world w;
    const scenario *s;
    rwl_arena arena;
    char table[160], prepared[160];        /* folders */
    const char *before, *numbered, *after; /* texts of the states */
    const char *files;                     /* listing of the prepared table */
} fixture;

/* Prepares the table and carries the change out once without faults, for the texts of the states. */
void fixture_open(fixture *f, const scenario *s);
void fixture_close(fixture *f);
/* Faults are put at every n-th place: 1, or ROWLINE_FAULT_STRIDE where each costs much (sanitizers). */
int64_t fault_stride(void);
/* The prepared table once more. */
void fixture_reset(fixture *f);

/* The change, through a test store with these options; `stats` may be NULL. */
rwl_status fixture_change(fixture *f, const rwl_test_store_options *options, rwl_test_store_stats *stats,
                          rwl_error *err);
/* A change by its letter, on any store: `wrap` (may be NULL) puts one around the table's. */
rwl_status make_change(world *w, const char *table, char change,
                       rwl_store *(*wrap)(void *ctx, rwl_store *inner), void *ctx, rwl_error *err);

/* A table as text: versions, counter, snapshots, and rows with lineage in the order of keys. "none" without a table. */
const char *table_text(fixture *f);
/* Files that no metadata need and that were not there before; "" when none. */
const char *stray_files(fixture *f);

/*
 * The table is in a state that `st` allows: OK after; COMMIT_UNKNOWN before or after; else before. Nothing is left behind unless
 * `may_leave` or COMMIT_UNKNOWN. Then the change is made again and ends in the state after. `what` is for messages.
 */
void fixture_check(fixture *f, rwl_status st, bool may_leave, const char *what, const char *message);
/* As fixture_check for a process that died: any state between the commits. */
void fixture_check_killed(fixture *f, const char *what);

Suite *storage_suite(void);
Suite *process_suite(void);
Suite *damage_suite(void);
Suite *scale_suite(void);
Suite *table_damage_suite(void);
Suite *table_faults_suite(void);
Suite *lance_damage_suite(void);
Suite *lance_faults_suite(void);

#endif
