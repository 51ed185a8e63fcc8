/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of fields side by side, and page headers. */
#include "parquet/same.h"

#include "parquet/page_write.h"
#include "parquet/variant_schema.h"

/* --- schemas --- */

static bool same_leaf(const rwl_parquet_leaf *a, const rwl_parquet_leaf *b) {
    return !a->unsupported && !b->unsupported && a->physical == b->physical &&
           (a->physical != RWL_PARQUET_FIXED || a->type_length == b->type_length) &&
           rwl_type_equal(&a->field.type, &b->field.type) && a->max_definition == b->max_definition &&
           a->max_repetition == b->max_repetition && a->is_nested == b->is_nested && a->millis == b->millis &&
           a->is_unsigned == b->is_unsigned && a->int_bits == b->int_bits;
}

static bool same_leaves(const rwl_parquet_file *a, const rwl_parquet_node *x, const rwl_parquet_file *b,
                        const rwl_parquet_node *y) {
    if (x->leaf_count != y->leaf_count)
        return false;
    for (int32_t i = 0; i < x->leaf_count; i++)
        if (!same_leaf(&a->leaves[x->first_leaf + i], &b->leaves[y->first_leaf + i]))
            return false;
    return true;
}

static bool same_name(const rwl_field *a, const rwl_field *b) {
    return a->id == b->id && (a->id >= 0 || strcmp(a->name, b->name) == 0);
}

/* Variants are pairs of metadata and value here; shredded ones are put together on reading. */
static bool same_variant(const rwl_parquet_node *x, const rwl_parquet_node *y) {
    const rwl_parquet_variant *a = x->variant, *b = y->variant;
    if (a == NULL || b == NULL)
        return a == b;
    return a->value.typed == RWL_PARQUET_TYPED_NONE && b->value.typed == RWL_PARQUET_TYPED_NONE &&
           a->metadata_leaf - x->first_leaf == b->metadata_leaf - y->first_leaf && a->value.value_leaf >= 0 &&
           b->value.value_leaf >= 0 &&
           a->value.value_leaf - x->first_leaf == b->value.value_leaf - y->first_leaf;
}

static bool same_tree(const rwl_parquet_node *x, const rwl_parquet_node *y, int depth) {
    if (depth > RWL_TYPE_DEPTH_MAX || !same_name(&x->field, &y->field) ||
        x->field.type.kind != y->field.type.kind || x->field.required != y->field.required ||
        x->child_count != y->child_count || x->leaf_count != y->leaf_count ||
        x->definition != y->definition || x->repetition != y->repetition ||
        x->element_definition != y->element_definition || !same_variant(x, y))
        return false;
    for (int32_t i = 0; i < x->child_count; i++)
        if (!same_tree(&x->children[i], &y->children[i], depth + 1))
            return false;
    return true;
}

bool rwl_parquet_same_node(const rwl_parquet_file *a, const rwl_parquet_node *x, const rwl_parquet_file *b,
                           const rwl_parquet_node *y) {
    return same_tree(x, y, 0) && same_leaves(a, x, b, y);
}

/* --- pages --- */

static bool same_levels(const rwl_parquet_leaf *leaf, const rwl_parquet_page_header *a,
                        const rwl_parquet_page_header *b) {
    if (a->type == RWL_PARQUET_DATA_PAGE_V2)
        return a->definition_len == b->definition_len && a->repetition_len == b->repetition_len &&
               a->null_count == b->null_count && a->is_compressed == b->is_compressed &&
               (leaf->max_repetition == 0 || a->row_count == b->row_count);
    return (leaf->max_definition == 0 || a->definition_encoding == b->definition_encoding) &&
           (leaf->max_repetition == 0 || a->repetition_encoding == b->repetition_encoding);
}

bool rwl_parquet_same_page(const rwl_parquet_leaf *leaf, const rwl_parquet_page_header *a,
                           const rwl_parquet_page_header *b) {
    if (a->type != b->type || a->value_count != b->value_count || a->compressed_size != b->compressed_size ||
        a->uncompressed_size != b->uncompressed_size)
        return false;
    if (a->type == RWL_PARQUET_DICTIONARY_PAGE) /* PLAIN, by either name */
        return (a->encoding == RWL_PARQUET_PLAIN || a->encoding == RWL_PARQUET_PLAIN_DICTIONARY) &&
               (b->encoding == RWL_PARQUET_PLAIN || b->encoding == RWL_PARQUET_PLAIN_DICTIONARY);
    return rwl_parquet_page_is_data(a) &&
           rwl_parquet_page_encoding(a->encoding) == rwl_parquet_page_encoding(b->encoding) &&
           same_levels(leaf, a, b);
}
