/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mini-block pages (lance.encodings21 MiniBlockLayout): which chunk has which rows, what lies in a chunk, what its values are.
 *
 *   page buffers   0 chunk table · 1 chunks · dictionary, when there is one · repetition index, when its depth is not 0
 *   chunk table    a u16 (u32: large grammar) a chunk: (bytes / 8 - 1) << 4 | log2 of its values; the last chunk has the rest
 *   chunk          u16 levels · [u16 bytes of rep] · [u16 bytes of def] · u16 (u32) bytes of each value buffer · padding to 8,
 *                  then rep, def and value buffers, each padded to 8
 *   repetition     u64 × (depth + 1) a chunk: rows that end in it, … , levels behind them, of a row that goes on
 *
 * Values are those of entries that are visible; levels count all entries (chunks of pages without levels say 0).
 */
#ifndef RWL_LANCEFILE_MINI_INTERNAL_H
#define RWL_LANCEFILE_MINI_INTERNAL_H

#include "lancefile/page.h"

enum {
    RWL_LANCE_MINI_BUFFERS_MAX =
        RWL_LANCE_VECTOR_DEPTH_MAX + 8, /* value buffers of a chunk: validity of each level, values */
    RWL_LANCE_MINI_VALUES_MAX = 65535   /* of a chunk; its levels are counted by a u16 */
};

/* --- mini_chunks.c: the chunk table --- */

typedef struct rwl_lance_mini_chunk {
    int64_t offset;     /* in the page's buffer of chunks */
    int64_t first_slot; /* of the page */
    int64_t first_row;  /* the first that begins in this chunk, or in a later one when none does */
    bool is_continued;  /* it begins inside of a row; never without lists */
} rwl_lance_mini_chunk;

typedef struct rwl_lance_mini_table {
    rwl_lance_mini_chunk *chunks; /* count, and one more where they end */
    int32_t count;
    int64_t charged; /* to the operation's budget */
} rwl_lance_mini_table;

/* Reads the table of a page without lists, or of one with lists: its rows are to be set afterwards. CORRUPT unless counts and bytes are
 * those of the page. */
RWL_MUST_CHECK rwl_status rwl_lance_mini_table_read(rwl_lance_mini_table *table, rwl_op *op,
                                                    const rwl_lance_layout *layout, int64_t row_count,
                                                    rwl_span words, int64_t chunk_bytes, rwl_error *err);
/* Sets the rows from the repetition index. */
RWL_MUST_CHECK rwl_status rwl_lance_mini_table_set_rows(rwl_lance_mini_table *table,
                                                        const rwl_lance_layout *layout, int64_t row_count,
                                                        rwl_span index, rwl_error *err);
void rwl_lance_mini_table_clear(rwl_lance_mini_table *table, rwl_op *op);
/* Rows of the page that are gone through, ascending and disjoint: those of the ranges from `at` on are still to come. */
typedef struct rwl_lance_mini_rows {
    const rwl_range *ranges;
    size_t count, at;
} rwl_lance_mini_rows;

/* The next chunks, one after another, that hold rows still to come; false when there are none. Passes the ranges that lie in them, or
 * just behind. */
bool rwl_lance_mini_next_run(const rwl_lance_mini_table *table, rwl_lance_mini_rows *rows, int32_t *first,
                             int32_t *last);

typedef struct rwl_lance_mini_parts {
    int32_t level_count;
    int64_t value_count;
    rwl_span rep, def; /* empty when the page has none */
    rwl_span buffers[RWL_LANCE_MINI_BUFFERS_MAX];
    int32_t buffer_count;
} rwl_lance_mini_parts;

/* Splits a chunk of `value_count` values. CORRUPT when a part passes its end. */
RWL_MUST_CHECK rwl_status rwl_lance_mini_split(const rwl_lance_layout *layout, rwl_span chunk,
                                               int64_t value_count, rwl_lance_mini_parts *out,
                                               rwl_error *err);

/* --- mini_values.c, mini_bytes.c, mini_dictionary.c: values of a chunk --- */

enum { RWL_LANCE_MINI_TEMPS = 4 };

typedef struct rwl_lance_mini_values {
    rwl_op *op;
    rwl_lance_general *general;
    const rwl_lance_layout *layout;
    rwl_buf temps[RWL_LANCE_MINI_TEMPS]; /* decompressed buffers of a chunk; temp_count in use */
    int32_t temp_count;
    rwl_buf room;         /* values on their way: dictionary indices, bits that do not begin a byte */
    rwl_lance_fsst *fsst; /* NULL: not of such a codec */
    int64_t index_bits;   /* of a dictionary's indices; 0 without one */
    rwl_buf items;        /* a dictionary of fixed-width values, item_count of them */
    /* One of variable-length values, and an empty one behind them, which is what nulls are. */
    rwl_column texts;
    uint32_t *indices;  /* into texts, of the chunk decoded last; they lie in `room` */
    bool keeps_indices; /* decoding texts ends with them: gathered, they may be any number of times larger */
    int64_t charged;
} rwl_lance_mini_values;

/* To be cleared also after a failure. */
RWL_MUST_CHECK rwl_status rwl_lance_mini_values_init(rwl_lance_mini_values *v, rwl_op *op,
                                                     rwl_lance_general *general,
                                                     const rwl_lance_layout *layout, rwl_error *err);
/* Decodes the page's dictionary of values of the leaf's kind. */
RWL_MUST_CHECK rwl_status rwl_lance_mini_read_dictionary(rwl_lance_mini_values *v, const rwl_lance_leaf *leaf,
                                                         rwl_span block, rwl_error *err);
/* Appends all values of a chunk. `slot_def` are the definition levels of its slots, NULL when all are 0. */
RWL_MUST_CHECK rwl_status rwl_lance_mini_decode(rwl_lance_mini_values *v, const rwl_lance_mini_parts *parts,
                                                const uint16_t *slot_def, rwl_lance_leaf *leaf,
                                                rwl_error *err);
/* Appends values [from, from + count) of a chunk whose indices were kept. */
RWL_MUST_CHECK rwl_status rwl_lance_mini_gather(const rwl_lance_mini_values *v, int64_t from, int64_t count,
                                                rwl_lance_leaf *leaf, rwl_error *err);
void rwl_lance_mini_values_clear(rwl_lance_mini_values *v);

/* --- between these --- */

/* A codec with its buffers, what is around it peeled off. */
typedef struct rwl_lance_mini_coded {
    const rwl_lance_codec *codec;
    rwl_span buffers[RWL_LANCE_MINI_BUFFERS_MAX];
    int32_t buffer_count;
    int64_t count;                                 /* values: elements, below fixed-size lists */
    int64_t bits;                                  /* of one; 0: variable */
    rwl_span validity[RWL_LANCE_VECTOR_DEPTH_MAX]; /* of a fixed-size list peeled off; data NULL: all valid */
    int64_t items[RWL_LANCE_VECTOR_DEPTH_MAX];     /* its elements in a slot */
    int32_t list_count;
} rwl_lance_mini_coded;

RWL_MUST_CHECK rwl_status rwl_lance_mini_decode_bytes(rwl_lance_mini_values *v, rwl_lance_mini_coded *coded,
                                                      const uint16_t *slot_def, rwl_lance_leaf *leaf,
                                                      rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_mini_decode_indices(rwl_lance_mini_values *v,
                                                        const rwl_lance_mini_coded *coded,
                                                        const uint16_t *slot_def, rwl_lance_leaf *leaf,
                                                        rwl_error *err);
/* Adds the validity of fixed-size lists' elements, level by level, to the last `slots` of the leaf. */
RWL_MUST_CHECK rwl_status rwl_lance_mini_add_validity(const rwl_lance_mini_coded *coded, int64_t slots,
                                                      rwl_lance_leaf *leaf, rwl_error *err);
/* Decompresses into the next temp. */
RWL_MUST_CHECK rwl_status rwl_lance_mini_inflate(rwl_lance_mini_values *v, rwl_lance_scheme scheme,
                                                 rwl_span *bytes, rwl_error *err);

/* --- mini_rows.c: rows of a chunk --- */

typedef struct rwl_lance_mini_levels {
    uint16_t *items;
    int64_t cap;
} rwl_lance_mini_levels;

typedef struct rwl_lance_mini_page {
    rwl_lance_page_reader base;
    rwl_lance_mini_table table;
    rwl_lance_mini_values values;
    bool has_lists;
    int32_t chunk;       /* whose levels are in rep and def; -1: none */
    int64_t level_count; /* of that chunk: entries */
    rwl_lance_mini_levels rep, def, slot_def;
    bool is_aside;        /* its values are in `aside` */
    rwl_lance_leaf aside; /* values of one chunk; no entries */
    /* how far the rows of a chunk with lists are known: `row` begins at these (in a chunk that is continued: goes on) */
    int64_t row, entry, slot;
} rwl_lance_mini_page;

/* Appends the rows still to come that chunk `i` has; its bytes are not needed when it lies aside. Passes the ranges that end in it. */
RWL_MUST_CHECK rwl_status rwl_lance_mini_read_chunk(rwl_lance_mini_page *p, int32_t i, rwl_span bytes,
                                                    rwl_lance_mini_rows *rows, rwl_lance_leaf *leaf,
                                                    rwl_error *err);
/* How many rows begin in a chunk by its repetition levels, and whether one goes on from before. */
RWL_MUST_CHECK rwl_status rwl_lance_mini_count_rows(rwl_lance_mini_page *p, int32_t i, rwl_span bytes,
                                                    int64_t *starts, bool *is_continued, rwl_error *err);

#endif
