/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of any shape, read by rows: a flat one by its pages alone. */
#include "parquet/tree_read.h"

struct rwl_parquet_tree {
    rwl_parquet_shared *shared;
    const rwl_parquet_node *node;
    rwl_field field;
    int32_t leaf;
    rwl_parquet_column flat;
};

rwl_status rwl_parquet_tree_new(rwl_parquet_shared *shared, const rwl_parquet_file *file, int32_t node,
                                const bool *wanted, rwl_parquet_tree **out, rwl_error *err) {
    (void)wanted;
    const rwl_parquet_node *n = &file->nodes[node];
    const rwl_parquet_leaf *leaf = &file->leaves[n->first_leaf];
    *out = NULL;
    if (n->leaf_count != 1 || leaf->is_nested || leaf->unsupported)
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s: nested columns are not supported", n->field.name);
    rwl_parquet_tree *t = rwl_calloc(shared->op->env, 1, sizeof *t);
    if (!t)
        return rwl_no_memory(err, sizeof *t);
    t->shared = shared;
    t->node = n;
    t->field = n->field;
    t->leaf = n->first_leaf;
    t->flat.shared = shared;
    t->flat.leaf = leaf;
    t->flat.layout = rwl_parquet_layout_of(leaf);
    *out = t;
    return RWL_OK;
}

void rwl_parquet_tree_free(rwl_parquet_tree *t) {
    if (!t)
        return;
    rwl_parquet_column_clear(&t->flat);
    rwl_free(t->shared->op->env, t);
}

const rwl_field *rwl_parquet_tree_field(const rwl_parquet_tree *t) {
    return &t->field;
}

const int32_t *rwl_parquet_tree_leaves(const rwl_parquet_tree *t, int32_t *count) {
    *count = 1;
    return &t->leaf;
}

rwl_status rwl_parquet_tree_start(rwl_parquet_tree *t, rwl_parquet_feed *const *feeds,
                                  const rwl_parquet_group *group, rwl_error *err) {
    return rwl_parquet_column_start(&t->flat, feeds[0], &group->chunks[t->leaf], group->row_count, err);
}

void rwl_parquet_tree_index(rwl_parquet_tree *t, int32_t i, const struct rwl_parquet_offset_index *index) {
    (void)t;
    (void)i;
    (void)index;
}

rwl_status rwl_parquet_tree_skip(rwl_parquet_tree *t, int64_t rows, rwl_error *err) {
    return rwl_parquet_column_skip(&t->flat, rows, err);
}

rwl_status rwl_parquet_tree_read(rwl_parquet_tree *t, rwl_column *out, int64_t rows, rwl_error *err) {
    return rwl_parquet_column_read(&t->flat, out, rows, err);
}
