/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One leaf below a nested column: its entries (pairs of levels) and values, by rows. A step takes the entries of some rows;
 * what was read of later rows is kept for the next step, since leaves differ in how many fit a batch.
 *
 *   definitions, repetitions   [ of the step | kept | pending ]
 *                                            cut    used      filled     values of the pending ones are not yet decoded
 *
 * Rules: levels are at most their maximum; a row, and a chunk, begins with repetition level 0; an entry of repetition level
 * r > 0, and the one before it, reach the definition level at which the list of that level has elements; the rows of
 * a page are those its header and the offset index say, the rows of the chunk those of its row group.
 */
#ifndef RWL_PARQUET_ENTRIES_H
#define RWL_PARQUET_ENTRIES_H

#include "parquet/column_read.h"
#include "parquet/levels.h"

typedef struct rwl_parquet_entries {
    rwl_parquet_column column;
    rwl_column *out; /* where values go: one for each slot of the innermost list, or each row */
    bool required;   /* no nulls of its own: slots without a value, in a null struct, count as valid */
    uint8_t max_definition, max_repetition;
    uint8_t element_definition[RWL_PARQUET_LEVEL_MAX + 1]; /* by repetition level; 0 at 0 */

    uint8_t *definitions, *repetitions; /* the latter NULL when max_repetition is 0 */
    size_t cut, used, filled, cap;
    size_t cut_slots;   /* of the step */
    int64_t rows;       /* begun in the used entries */
    int64_t page_begun; /* rows begun in the open page's decoded entries */
    rwl_column surplus; /* slots of the kept entries */
    uint8_t last;       /* definition level of the last entry decoded */
    bool is_full;       /* the last read ended at the limit of bytes */
    int64_t reserved;   /* of the operation's budget, for levels */
    int64_t extra;      /* and for a row beyond the limit */
} rwl_parquet_entries;

/* Of a leaf of `file`; element_definition, required and out are the caller's to set. To be cleared also after a failure. */
RWL_MUST_CHECK rwl_status rwl_parquet_entries_init(rwl_parquet_entries *e, rwl_parquet_shared *shared,
                                                   const rwl_parquet_file *file, int32_t leaf,
                                                   rwl_error *err);
void rwl_parquet_entries_clear(rwl_parquet_entries *e);
RWL_MUST_CHECK rwl_status rwl_parquet_entries_start(rwl_parquet_entries *e, rwl_parquet_feed *feed,
                                                    const rwl_parquet_group *group, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_entries_skip(rwl_parquet_entries *e, int64_t rows, rwl_error *err);
/* Reads up to `rows` rows in all, kept ones included, and appends their slots to `out`; *done is how many are complete:
 * fewer only when the bytes in `out` reach the batch's limit, none only when `may_be_none`. */
RWL_MUST_CHECK rwl_status rwl_parquet_entries_read(rwl_parquet_entries *e, int64_t rows, bool may_be_none,
                                                   int64_t *done, rwl_error *err);
/* The step is the first `rows` rows: sets `cut`, takes the slots of later ones out of `out`. */
RWL_MUST_CHECK rwl_status rwl_parquet_entries_cut(rwl_parquet_entries *e, int64_t rows, rwl_error *err);
/* Drops the entries of the step. */
void rwl_parquet_entries_finish(rwl_parquet_entries *e, int64_t rows);

/* Writes the validity of the next `slots` rows of `out`, of which `valid` have their bit set, and counts the nulls; the
 * column is reserved. Neither length nor values change. */
RWL_MUST_CHECK rwl_status rwl_parquet_validity_append(rwl_column *out, const rwl_env *env,
                                                      const uint64_t *bits, size_t slots, size_t valid,
                                                      rwl_error *err);

#endif
