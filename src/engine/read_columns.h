/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns to read from files for some of the work columns of a filter: each column of the schema once, structs cut down
 * to the fields that are wanted.
 *
 *   work columns   s.a   s.b.c   n   s.b.d        read columns   s struct<a, b struct<c, d>>   n
 */
#ifndef RWL_ENGINE_READ_COLUMNS_H
#define RWL_ENGINE_READ_COLUMNS_H

#include "engine/row_filter.h"

/* Where a work column is found among what is read. */
typedef struct rwl_read_place {
    int32_t column;      /* index of the read column; -1: not read here */
    const int32_t *path; /* to the field inside of it: indexes of children, outermost first */
    int32_t depth;       /* 0: the read column itself */
} rwl_read_place;

typedef struct rwl_read_columns {
    rwl_field *fields;
    int32_t count;
    rwl_read_place *places; /* one a work column */
} rwl_read_columns;

/* For the work columns chosen by a flag each (of stored ones, others are passed over); everything in `arena`. */
RWL_MUST_CHECK rwl_status rwl_read_columns_choose(const rwl_row_filter *filter, const bool *chosen,
                                                  rwl_arena *arena, rwl_read_columns *out, rwl_error *err);

#endif
