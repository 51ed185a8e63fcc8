/* SPDX-License-Identifier: Apache-2.0 */
/* Half of the budget is for columns being written, an eighth for what is read, a seventh at most for a row group; sorting gets what they leave. */
#include "engine/budget.h"

#define KIB ((int64_t)1024)
#define MIB (1024 * KIB)

/* Sizes without a budget are Iceberg's defaults. */
#define ROW_GROUP_MOST   (128 * MIB)
#define ROW_GROUP_LEAST  MIB
#define PAGE_MOST        MIB
#define PAGE_LEAST       (64 * KIB)
#define DICTIONARY_MOST  (2 * MIB)
#define DICTIONARY_LEAST (64 * KIB)
#define SORT_BATCH_MOST  (16 * MIB)
#define SORT_BATCH_LEAST (64 * KIB)
#define READ_LEAST       (256 * KIB) /* a column being read: its ranges, a page, its part of a batch */
#define READ_MOST        MIB

static int64_t clamp(int64_t value, int64_t least, int64_t most) {
    return value < least ? least : value > most ? most : value;
}

/* A column being written: its page twice, its dictionary with the index. */
static int64_t column_bytes(const rwl_write_budget *w) {
    return 2 * w->page_bytes + 2 * w->dictionary_bytes;
}

/* What the program itself leaves. */
static int64_t usable(int64_t budget) {
    return budget > rwl_budget_program() ? budget - rwl_budget_program() : 0;
}

static int64_t read_bytes(int64_t budget, int32_t columns) {
    return budget == 0 ? READ_MOST : clamp(usable(budget) / 8 / columns, READ_LEAST, READ_MOST);
}

/* A seventh, or what columns leave of it: a group grows a quarter beyond its size before it is full. */
static int64_t row_group_bytes(const rwl_write_budget *w, int64_t budget, int32_t columns) {
    int64_t left = usable(budget) - (column_bytes(w) + read_bytes(budget, columns)) * columns;
    int64_t share = usable(budget) / 7;
    return clamp(left / 5 * 4 < share ? left / 5 * 4 : share, ROW_GROUP_LEAST, ROW_GROUP_MOST);
}

/* Half for all columns being written, less where the least row group and the reading need it. */
static int64_t column_share(int64_t budget, int32_t columns) {
    int64_t half = usable(budget) / 2;
    int64_t rest =
        usable(budget) - ROW_GROUP_LEAST - ROW_GROUP_LEAST / 4 - read_bytes(budget, columns) * columns;
    return (rest < half ? rest : half) / columns;
}

rwl_write_budget rwl_budget_write(int64_t budget, int32_t columns) {
    if (budget == 0)
        return (rwl_write_budget){ROW_GROUP_MOST, PAGE_MOST, DICTIONARY_MOST, 0};
    int64_t share = column_share(budget, columns);
    rwl_write_budget w = {
        .page_bytes = clamp(share / 6, PAGE_LEAST, PAGE_MOST),
        .open_files_bytes = budget / 4,
    };
    w.dictionary_bytes = clamp(share / 2 - w.page_bytes, DICTIONARY_LEAST, DICTIONARY_MOST);
    w.row_group_bytes = row_group_bytes(&w, budget, columns);
    return w;
}

int64_t rwl_budget_least(int32_t columns) {
    rwl_write_budget w = {ROW_GROUP_LEAST, PAGE_LEAST, DICTIONARY_LEAST, 0};
    return ROW_GROUP_LEAST + ROW_GROUP_LEAST / 4 + (column_bytes(&w) + READ_LEAST) * columns;
}

int64_t rwl_budget_usual(int64_t budget, int32_t columns) {
    rwl_write_budget w = rwl_budget_write(budget, columns);
    return w.row_group_bytes + w.row_group_bytes / 4 +
           (column_bytes(&w) + read_bytes(budget, columns)) * columns;
}

/* A sixteenth of what is left for sorting: two of them are on their way to the writer. */
int64_t rwl_budget_sort_batch(int64_t budget, int32_t columns) {
    if (budget == 0)
        return SORT_BATCH_MOST;
    return clamp((usable(budget) - rwl_budget_usual(budget, columns)) / 16, SORT_BATCH_LEAST,
                 SORT_BATCH_MOST);
}

int64_t rwl_budget_sort(int64_t budget, int32_t columns, int32_t groups) {
    if (budget == 0)
        return 0;
    return usable(budget) / groups - rwl_budget_usual(budget, columns) -
           2 * rwl_budget_sort_batch(budget, columns);
}

/* A quarter is for reading and for the batch that the caller holds. */
int64_t rwl_budget_sort_scan(int64_t budget, int32_t columns) {
    if (budget == 0)
        return 0;
    int64_t reading = read_bytes(budget, columns) * columns, quarter = usable(budget) / 4;
    return usable(budget) - (reading > quarter ? reading : quarter);
}

int64_t rwl_budget_sort_least(int64_t memory, int32_t columns) {
    int64_t budget = rwl_budget_least(columns) + rwl_budget_program() + memory;
    while (rwl_budget_sort(budget, columns, 1) < memory)
        budget += MIB; /* what writing takes grows with it, but not as fast */
    return budget;
}

int64_t rwl_budget_program(void) {
    return 16 * MIB;
}
