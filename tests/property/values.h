/* SPDX-License-Identifier: Apache-2.0 */
/* Random columns and values of every flat type, compared and written as SQL by rules of this test's own. */
#ifndef RWL_TESTS_VALUES_H
#define RWL_TESTS_VALUES_H

#include "column/value.h"

enum { COLUMNS_MAX = 8, POOL_MAX = 6 };

/* A column and the few values that most of its rows draw from. */
typedef struct random_column {
    rwl_field field;
    rwl_value pool[POOL_MAX];
    int32_t pool_count;
    bool pool_only; /* a partition column: few values make few files */
    bool sequence;  /* the key: unique, see make_key */
} random_column;

/* Column 0 is the key, `k long not null`; the others are drawn from the types of the format version. */
void make_columns(rwl_arena *arena, uint64_t *random, int32_t version, random_column *columns, int32_t count);
/* "\"k\" long not null, …" */
const char *schema_text(rwl_arena *arena, const random_column *columns, int32_t count);
/* A random partition text over some of the columns (they become pool_only), NULL for none. */
const char *partition_text(rwl_arena *arena, uint64_t *random, random_column *columns, int32_t count);
/* A random sort text, never empty. */
const char *sort_text(rwl_arena *arena, uint64_t *random, const random_column *columns, int32_t count);
/* A value for a row; the bytes live in the arena. */
rwl_value make_value(rwl_arena *arena, uint64_t *random, const random_column *column);
/* The key of the n-th row and back: scattered, so that neither order nor bounds of a file are trivial. */
int64_t make_key(int64_t n);
int64_t key_index(int64_t key);

/* Same type, nullness and bits. */
bool values_same(const rwl_value *a, const rwl_value *b);
/* The order of filter expressions: NaN equals NaN and is above all, -0.0 = 0.0, unsigned bytes. Neither is null. */
int values_order(const rwl_value *a, const rwl_value *b);
/* The value as an SQL literal. */
const char *value_literal(rwl_arena *arena, const rwl_type *type, const rwl_value *v);
/* A value for messages. */
const char *value_text(rwl_arena *arena, const rwl_type *type, const rwl_value *v);
const char *quote_name(rwl_arena *arena, const char *name);

/* Ends the process, saying what is wrong; the caller's context is printed by the handler set here. */
void set_failure_context(void (*print)(void *ctx), void *ctx);
_Noreturn void fail_test(const char *fmt, ...) RWL_PRINTF(1, 2);
#define EXPECT(condition, ...)                                                                               \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            fail_test(__VA_ARGS__);                                                                          \
    } while (0)

#endif
