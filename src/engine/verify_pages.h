/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rows of a column of a row group of a written file are a copy: its pages, as they are in the file, are those of the
 * columns of the planned rows, in their order, header by header and byte by byte. What holds then:
 *
 *   1  the field is read alike in both files (parquet/same.h), compressed with the same codec
 *   2  each data page lies at the same rows as a page of the source, all of them live; of repeated columns, whose pages do
 *      not tell rows, all pages of whole row groups are there
 *   3  a page of indexes has the dictionary page of its source
 *   4  the checksum is the source's; of a page that had none, that of its bytes
 *
 * so its values are those of the planned rows. Nothing that the writer remembers is used: sources come from the plan, written
 * pages from the written file.
 */
#ifndef RWL_ENGINE_VERIFY_PAGES_H
#define RWL_ENGINE_VERIFY_PAGES_H

#include "engine/rewrite_live.h"
#include "parquet/page_walk.h"

/* Live rows side by side in one fragment. */
typedef struct rwl_live_piece {
    size_t fragment;
    int64_t start, count; /* physical */
} rwl_live_piece;

typedef struct rwl_page_check {
    rwl_store *store;
    rwl_op *op;
    const rwl_fragment *fragments; /* the plan's, in the order their rows are written */
    rwl_parquet_file **inputs;     /* of each, opened when needed; NULL: not now */
    int64_t kept_bytes;            /* of those */
    const rwl_parquet_file *written;
    rwl_file *written_handle;
    int32_t group; /* of the written file */
    /* Its rows, in order. */
    const rwl_live_piece *pieces;
    size_t piece_count;

    /* the column at hand */
    const rwl_parquet_node *node;
    int32_t leaf; /* among those of the node */
    rwl_parquet_walk ours;
    uint8_t *dictionary; /* our chunk's, as stored */
    size_t dictionary_cap;
    rwl_parquet_page_header dictionary_header;
    bool has_dictionary;
    int64_t nulls; /* in the pages compared; -1: not known */
    rwl_live_ranges *others;
    size_t before; /* of them, of other leaves */

    /* the source's chunk at hand */
    size_t fragment;
    rwl_parquet_file *input; /* NULL: none */
    rwl_file *handle;
    int32_t input_group;
    const rwl_parquet_chunk *chunk;
    rwl_parquet_walk theirs;
    bool same_dictionary, has_begun, carries;
    int64_t page_row, page_rows; /* of its page at hand, physical; 0 rows: before the first */
    int64_t compared;            /* rows */
    int64_t told_nulls;          /* in their pages, as headers tell; -1: they do not */
} rwl_page_check;

RWL_MUST_CHECK rwl_status rwl_page_check_init(rwl_page_check *check, rwl_store *store, rwl_op *op,
                                              const rwl_fragment *fragments, size_t count, rwl_error *err);
void rwl_page_check_clear(rwl_page_check *check, size_t count);
/* Files of fragments before this one are not needed any more. */
void rwl_page_check_pass(rwl_page_check *check, size_t fragment);
/*
 * Appends to `others` the rows of the row group at hand where the field with this id is no copy; none: all of it is one. Of a
 * field that is neither nested nor repeated *nulls is how many nulls its copied pages have, by their headers or the source's
 * statistics, -1 where these do not tell. Files that can't be read, or that make no sense, hold no copy: the ordinary reader
 * says why.
 */
RWL_MUST_CHECK rwl_status rwl_page_check_field(rwl_page_check *check, int32_t field_id,
                                               rwl_live_ranges *others, int64_t *nulls, rwl_error *err);

#endif
