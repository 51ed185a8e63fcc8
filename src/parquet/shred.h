/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a nested column as the entries of one leaf: a definition and a repetition level each, and where the values
 * that are there lie in the leaf's column (the striping of "Dremel: Interactive Analysis of Web-Scale Datasets", 4.1).
 *
 * The steps from the top-level field to the leaf are applied one after the other to all rows: an optional field ends the
 * entries that are null, a list or map ends the empty ones and spreads each other one into its elements.
 */
#ifndef RWL_PARQUET_SHRED_H
#define RWL_PARQUET_SHRED_H

#include "column/batch.h"
#include "parquet/write_schema.h"

/* A field on the way from the top to the leaf. */
typedef struct rwl_parquet_shred_step {
    const rwl_field *field;
    bool optional, repeated; /* repeated: a list or map */
    int32_t child;           /* the way goes on there; -1 at the leaf */
    uint8_t repetition;      /* level of its further elements */
} rwl_parquet_shred_step;

typedef struct rwl_parquet_shred {
    const rwl_env *env;
    rwl_parquet_shred_step *steps;
    int32_t step_count;

    size_t rows, entries, values;
    rwl_buf definitions, repetitions; /* u8, one an entry */
    rwl_buf indexes;                  /* i32, ascending: the values in leaf_column */
    bool is_run;                      /* the indexes are all those from the first to the last */
    rwl_buf row_entries, row_values;  /* u32, rows + 1: entries and values before each row */
    const rwl_column *leaf_column;

    rwl_buf next_definitions, next_repetitions, next_indexes;
} rwl_parquet_shred;

/* For leaf `leaf` of the schema, which must outlive it. To be cleared also after a failure. */
RWL_MUST_CHECK rwl_status rwl_parquet_shred_init(rwl_parquet_shred *s, const rwl_env *env,
                                                 const rwl_parquet_write_schema *schema, int32_t leaf,
                                                 rwl_error *err);
void rwl_parquet_shred_clear(rwl_parquet_shred *s);
/* Shreds rows [first, first + rows) of the top-level column. INTERNAL, naming the field, for a null in a required one.
 * Valid until the next call and while the column is. */
RWL_MUST_CHECK rwl_status rwl_parquet_shred_rows(rwl_parquet_shred *s, const rwl_column *column, size_t first,
                                                 size_t rows, rwl_error *err);
int64_t rwl_parquet_shred_memory(const rwl_parquet_shred *s);

static inline const int32_t *rwl_parquet_shred_indexes(const rwl_parquet_shred *s) {
    return (const int32_t *)(const void *)s->indexes.data;
}
static inline const uint32_t *rwl_parquet_shred_row_entries(const rwl_parquet_shred *s) {
    return (const uint32_t *)(const void *)s->row_entries.data;
}
static inline const uint32_t *rwl_parquet_shred_row_values(const rwl_parquet_shred *s) {
    return (const uint32_t *)(const void *)s->row_values.data;
}

#endif
