/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an operation's memory budget is divided. Figures depend on the budget and the number of columns alone, never
 * on threads, so that what a plan writes stays the same.
 */
#ifndef RWL_ENGINE_BUDGET_H
#define RWL_ENGINE_BUDGET_H

#include <stdint.h>

/* What the writing of data files may hold. */
typedef struct rwl_write_budget {
    int64_t row_group_bytes;  /* a row group is held compressed until it is whole */
    int64_t page_bytes;       /* of a column: raw, and once more packed */
    int64_t dictionary_bytes; /* of a column; its index takes as much */
    int64_t open_files_bytes; /* of all open files; over it the largest is closed. 0: no limit */
} rwl_write_budget;

/* For files of `columns` columns, at least one; `budget` 0: no limit, the standard sizes. */
rwl_write_budget rwl_budget_write(int64_t budget, int32_t columns);

/* Memory of one group of a rewrite, read and written, in a table of `columns` columns: what it cannot do with less
 * than, and what it usually takes under this budget. */
int64_t rwl_budget_least(int32_t columns);
int64_t rwl_budget_usual(int64_t budget, int32_t columns);
/* Memory of one sorter while `groups` groups of a rewrite are read, sorted and written side by side; 0 for no budget.
 * Below 1 when the budget is too small for that. */
int64_t rwl_budget_sort(int64_t budget, int32_t columns, int32_t groups);
/* Bytes of the batches it gives, whatever else runs. */
int64_t rwl_budget_sort_batch(int64_t budget, int32_t columns);
/* Memory of a sorter whose rows are read and given, not written. */
int64_t rwl_budget_sort_scan(int64_t budget, int32_t columns);
/* The least budget whose sorter gets `memory`. */
int64_t rwl_budget_sort_least(int64_t memory, int32_t columns);
/* What the program itself takes: code, libraries, threads. */
int64_t rwl_budget_program(void);

#endif
