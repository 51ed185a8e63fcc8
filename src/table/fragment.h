/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fragment: rows at physical positions 0..row_count-1 of one place on disk (an Iceberg data file, a Lance
 * fragment), with what is needed to read them. Plain data: no handles, can be written as JSON.
 */
#ifndef RWL_TABLE_FRAGMENT_H
#define RWL_TABLE_FRAGMENT_H

#include "base/arena.h"
#include "column/batch.h"

typedef enum rwl_delete_kind {
    RWL_DELETE_VECTOR,    /* deletion-vector-v1 blob */
    RWL_DELETE_POSITIONS, /* v2 position delete file */
    RWL_DELETE_EQUALITY   /* equality delete file */
} rwl_delete_kind;

/* A delete file that applies to a fragment. */
typedef struct rwl_delete_ref {
    rwl_delete_kind kind;
    const char *location;
    const char *format;
    int64_t file_size;
    int64_t offset, length; /* DELETE_VECTOR */
    int64_t row_count;      /* deleted positions in it, of all files it names */
    int64_t sequence_number;
    bool file_scoped;            /* names this fragment alone */
    bool is_counted;             /* row_count of the fragment's rows are deleted, says the metadata */
    const int32_t *equality_ids; /* EQUALITY: field ids of the key columns, ascending and distinct */
    int32_t equality_count;
} rwl_delete_ref;

/* How identities follow from positions: a null base makes both null (law 5); versions inherit the *data* sequence
 * number (law 6). */
typedef struct rwl_lineage_base {
    bool has_first_row_id;
    int64_t first_row_id;
    int64_t sequence_number;
} rwl_lineage_base;

typedef struct rwl_fragment {
    const char *location; /* byte for byte as the table's metadata has it */
    const char *format;   /* "PARQUET" */
    int64_t file_size, row_count;
    int64_t fragment_id; /* Lance; location is that of its first file */
    int64_t file_sequence_number;
    rwl_lineage_base lineage;
    int32_t spec_id;
    const rwl_value *partition;
    int32_t partition_count;
    int32_t sort_order_id; /* -1 unknown */
    const rwl_delete_ref *deletes;
    int32_t delete_count;
    bool must_match; /* every row satisfies the plan's filter, as far as metadata tell */
} rwl_fragment;

RWL_MUST_CHECK rwl_status rwl_fragment_copy(rwl_arena *arena, const rwl_fragment *from, rwl_fragment *to,
                                            rwl_error *err);

#endif
