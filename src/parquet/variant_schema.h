/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the leaves of a VARIANT column make its value (parquet-format, VariantShredding.md).
 *
 *   variant := group (VARIANT) { required binary metadata; [optional] binary value; [typed_value] }
 *   typed   := primitive typed_value
 *            | group typed_value { shred NAME … }                               an object's fields
 *            | group typed_value (LIST) { repeated group list { shred element } }  an array
 *   shred   := group { [optional] binary value; [typed_value] }
 */
#ifndef RWL_PARQUET_VARIANT_SCHEMA_H
#define RWL_PARQUET_VARIANT_SCHEMA_H

#include "parquet/file.h"

typedef enum rwl_parquet_typed {
    RWL_PARQUET_TYPED_NONE,
    RWL_PARQUET_TYPED_PRIMITIVE,
    RWL_PARQUET_TYPED_OBJECT,
    RWL_PARQUET_TYPED_ARRAY
} rwl_parquet_typed;

/* A place where a value is stored as bytes, typed, or (an object) partly both. Levels as in rwl_parquet_node. */
typedef struct rwl_parquet_variant_part {
    const char *name;   /* of an object's field, else NULL */
    int16_t definition; /* of the group itself: with less, nothing is stored */
    int32_t value_leaf; /* index in file->leaves, -1 without */
    rwl_parquet_typed typed;
    int16_t typed_definition;                        /* with at least this, typed_value is there */
    int32_t typed_leaf;                              /* PRIMITIVE */
    int16_t repetition, element_definition;          /* ARRAY */
    const struct rwl_parquet_variant_part *children; /* OBJECT: fields; ARRAY: the element */
    int32_t child_count;
    int32_t first_leaf, leaf_count;
} rwl_parquet_variant_part;

typedef struct rwl_parquet_variant {
    int32_t metadata_leaf;
    rwl_parquet_variant_part value;
} rwl_parquet_variant;

#endif
