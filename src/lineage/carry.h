/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carrying on write: what the two stored columns hold for a row that goes to a new file ("Row Lineage",
 * "Writing"; law 3). Values are the ones read, after inheritance.
 *
 *   row                        | _row_id written | version written
 *   moved unchanged            | its id          | its version
 *   moved and modified         | its id          | null: takes the commit's sequence number when read
 *   new                        | null            | null
 *   moved, has no lineage yet  | null: numbered in its new file | its file's data sequence number: what it would have
 *                              |                 | read, had it been numbered where it was
 *
 * A file of new rows only may leave both columns out; a file with any moved row must have both.
 */
#ifndef RWL_LINEAGE_CARRY_H
#define RWL_LINEAGE_CARRY_H

#include "lineage/laws.h"

typedef enum rwl_carry_kind { RWL_CARRY_UNCHANGED, RWL_CARRY_MODIFIED, RWL_CARRY_NEW } rwl_carry_kind;

/* Lineage of an output batch as it grows: ids with step 1, versions with step 0. */
typedef struct rwl_carry {
    rwl_runs ids, versions;
} rwl_carry;

void rwl_carry_init(rwl_carry *carry, const rwl_env *env);
void rwl_carry_clear(rwl_carry *carry);
void rwl_carry_reset(rwl_carry *carry);

/*
 * Appends what rows [first, first + count) of `ids` and `versions` (as read) write. For new rows both may be
 * NULL and only `count` counts. INTERNAL when the rows' ids and versions are not null together.
 */
RWL_MUST_CHECK rwl_status rwl_carry_rows(rwl_carry *carry, rwl_carry_kind kind, const rwl_runs *ids,
                                         const rwl_runs *versions, int64_t first, int64_t count,
                                         rwl_error *err);

/* What rows without lineage store: no id, and as version the data sequence number of their file. Replaces both sequences. */
RWL_MUST_CHECK rwl_status rwl_carry_unnumbered(int64_t data_sequence_number, int64_t count, rwl_runs *ids,
                                               rwl_runs *versions, rwl_error *err);

/*
 * The two columns to store (LONG, optional; their rows are replaced) for a batch with these ids and versions:
 * those of a carry, or, when all rows are moved unchanged, the ones read.
 */
RWL_MUST_CHECK rwl_status rwl_carry_columns(const rwl_runs *ids, const rwl_runs *versions,
                                            rwl_column *id_column, rwl_column *version_column,
                                            rwl_error *err);

#endif
