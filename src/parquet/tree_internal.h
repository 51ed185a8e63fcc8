/* SPDX-License-Identifier: Apache-2.0 */
/* Between the parts of reading columns of any shape: their tree (tree_read.c), the shapes (assemble.c), variants
 * (variant_read.c). */
#ifndef RWL_PARQUET_TREE_INTERNAL_H
#define RWL_PARQUET_TREE_INTERNAL_H

#include "base/arena.h"
#include "parquet/entries.h"
#include "parquet/tree_read.h"
#include "parquet/variant_schema.h"

struct rwl_parquet_variant_reader;

/* A node of the projection. Its slots: one a row, or an element of the innermost list around it. */
typedef struct rwl_parquet_branch {
    const rwl_parquet_node *node;
    rwl_field field; /* the node's, cut down */
    struct rwl_parquet_branch *children;
    int32_t child_count;
    bool required; /* no nulls of its own: of the field, but for a map's key that the file has optional */
    int32_t first, count; /* its leaves among the tree's */
    int32_t guide;        /* the leaf whose levels tell its shape: one of the fewest repetitions */
    int16_t slot_definition, slot_repetition;
    struct rwl_parquet_variant_reader *variant;
} rwl_parquet_branch;

/* What leaf i and the next one have in common: levels up to these must agree. */
typedef struct rwl_parquet_common {
    int16_t definition, repetition;
} rwl_parquet_common;

struct rwl_parquet_tree {
    rwl_parquet_shared *shared;
    const rwl_parquet_file *file;
    rwl_arena arena;
    rwl_parquet_branch root;
    bool is_flat; /* entries[0].column is read by rows */
    int32_t *leaves;
    rwl_parquet_entries *entries; /* one a leaf */
    rwl_parquet_common *common;   /* one a leaf; the last is not used */
    int32_t leaf_count;
};

/* The step's entries made into the column of `b`, whose leaves' columns have their values: lengths, validity, offsets and
 * variants. CORRUPT where leaves disagree. */
RWL_MUST_CHECK rwl_status rwl_parquet_assemble(rwl_parquet_tree *t, const rwl_parquet_branch *b,
                                               rwl_column *out, rwl_error *err);
/* Whether the levels of all leaves agree on what they have in common. */
RWL_MUST_CHECK rwl_status rwl_parquet_agree(const rwl_parquet_tree *t, rwl_error *err);

/* --- variants --- */

/* Puts variants together; in the tree's arena, but to be freed. Its leaves get columns of their own. UNSUPPORTED, naming
 * the column, for types that a variant can't hold. */
RWL_MUST_CHECK rwl_status rwl_parquet_variant_reader_new(rwl_parquet_tree *t, const rwl_parquet_branch *b,
                                                         struct rwl_parquet_variant_reader **out,
                                                         rwl_error *err);
void rwl_parquet_variant_reader_free(struct rwl_parquet_variant_reader *r, const rwl_env *env);
/* Appends the step's variants. */
RWL_MUST_CHECK rwl_status rwl_parquet_variant_read(rwl_parquet_tree *t, const rwl_parquet_branch *b,
                                                   rwl_column *out, rwl_error *err);

#endif
