/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns that equality ids name (specification, "Equality Delete Files"), at any depth of structs, and their values in
 * the batches of a reader.
 */
#ifndef RWL_ICEBERG_KEY_FIELDS_H
#define RWL_ICEBERG_KEY_FIELDS_H

#include "column/batch.h"
#include "iceberg/metadata.h"

/* One field a key: the top-level column cut down to the path to the key. Types are those of the current schema, for
 * columns since dropped of the newest schema that has them. Everything is in the arena it was made with. */
typedef struct rwl_key_fields {
    const rwl_field *in_data;    /* to read data files with: what is absent has its default, or is null */
    const rwl_field *in_deletes; /* to read the delete file with: it must have every key */
    const rwl_type *types;       /* of the keys */
    int32_t count;
} rwl_key_fields;

/* CORRUPT: an id that no schema has, or of a column that has no single value a row. UNSUPPORTED: a type without order. */
RWL_MUST_CHECK rwl_status rwl_key_fields_find(const rwl_metadata *metadata, const int32_t *ids, int32_t count,
                                              rwl_arena *arena, rwl_key_fields *out, rwl_error *err);

/* Flat columns of the keys of batches that were read with such fields. */
typedef struct rwl_key_columns {
    const rwl_env *env;
    rwl_column *columns; /* borrow from the batch, but for validity that had to be put together */
    rwl_buffer *validity;
    int32_t count;
} rwl_key_columns;

RWL_MUST_CHECK rwl_status rwl_key_columns_init(rwl_key_columns *keys, const rwl_env *env, int32_t count,
                                               rwl_error *err);
void rwl_key_columns_clear(rwl_key_columns *keys);
/* Valid as long as the batch. */
RWL_MUST_CHECK rwl_status rwl_key_columns_set(rwl_key_columns *keys, const rwl_batch *batch, rwl_error *err);

#endif
