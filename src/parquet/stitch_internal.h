/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the stitcher. For its own files only.
 *
 *   stitch.c             the stitcher: opened, given parts, finished
 *   stitch_plan.c        parts become segments, segments row groups
 *   stitch_group.c       one row group, leaf by leaf
 *   stitch_map.c         which leaf of a file gives a leaf of the output, and what has to change on the way
 *   stitch_input.c       bytes of input files
 *   stitch_column.c      one leaf of one row group: its pages in order, each copied, recoded or taken apart
 *   stitch_page.c        a page opened (levels, values), and put together again without decoding its values
 *   stitch_build.c       a page made of rows: its levels, indexes or values, and how it is written
 *   stitch_rows.c        rows of pages cut by a range's border, of values that convert, put into it
 *   stitch_dictionary.c  the dictionary of a chunk, its parts' indexes mapped to it
 *   stitch_facts.c       what is known of a copied page; sort order across borders; bloom filters
 */
#ifndef RWL_PARQUET_STITCH_INTERNAL_H
#define RWL_PARQUET_STITCH_INTERNAL_H

#include "base/vec.h"
#include "parquet/chunk_write.h"
#include "parquet/codec_pool.h"
#include "parquet/column_writer.h"
#include "parquet/dense.h"
#include "parquet/dictionary_build.h"
#include "parquet/index.h"
#include "parquet/output.h"
#include "parquet/page_out.h"
#include "parquet/stitch.h"
#include "parquet/values.h"

/* --- what comes from where --- */

typedef enum rwl_stitch_levels {
    RWL_STITCH_SAME,
    RWL_STITCH_ADD,  /* flat, required in the file only: all present */
    RWL_STITCH_DROP, /* flat, required in the output only: no nulls allowed */
    RWL_STITCH_MAP   /* nested, definition levels by `definitions` */
} rwl_stitch_levels;

enum { RWL_STITCH_NO_LEVEL = 0xFF }; /* a null where the output allows none */

/* How a leaf of the output comes from a file. */
typedef struct rwl_stitch_map {
    int32_t leaf;  /* of the file, -1: null */
    bool converts; /* stored otherwise here: values are decoded and encoded */
    rwl_stitch_levels levels;
    const uint8_t *definitions; /* MAP: the level here of each level there */
} rwl_stitch_map;

/* Fills `maps`, one a leaf of `schema` (those of made fields are left alone), which need `arena`. False, and *why, when
 * rows of the file do not fit. */
RWL_MUST_CHECK bool rwl_stitch_map_file(const rwl_parquet_file *file, const rwl_parquet_write_schema *schema,
                                        const bool *is_made, rwl_arena *arena, rwl_stitch_map *maps,
                                        const char **why);

/* --- inputs --- */

/* What all sources of a stitcher hold together: a row group may have thousands of them. */
typedef struct rwl_stitch_held {
    size_t handles; /* open */
    int64_t bytes;  /* of files in memory */
} rwl_stitch_held;

/* A part and its file. */
typedef struct rwl_stitch_source {
    rwl_parquet_stitch_part part;
    rwl_arena arena;
    rwl_stitch_map *maps; /* one a leaf of the output */
    bool carries;         /* DELTA_BYTE_ARRAY of parquet-mr before 1.8 */
    size_t users;         /* segments not yet written */
    rwl_stitch_held *held;

    rwl_file *handle;     /* opened when first needed */
    const uint8_t *bytes; /* the file's bytes from `off` on that are in memory; NULL without */
    uint8_t *owned;       /* `bytes`, when they are this struct's */
    int64_t off, len;
} rwl_stitch_source;

/* Rows of one row group of an input, all of which go to one row group of the output. */
typedef struct rwl_stitch_segment {
    rwl_stitch_source *source;
    int32_t group;
    rwl_range *ranges; /* rows of the row group: ascending, not touching; owned */
    size_t range_count;
    int64_t rows;
    bool is_whole;
    int64_t bytes; /* estimated, of its pages in the output */
} rwl_stitch_segment;

static inline const rwl_parquet_group *rwl_stitch_group_of(const rwl_stitch_segment *seg) {
    return &seg->source->part.file->groups[seg->group];
}

/* Reads the bytes [from, to) into memory when that is worth it: many small requests become one. */
RWL_MUST_CHECK rwl_status rwl_stitch_source_load(rwl_stitch_source *source, rwl_store *store, rwl_op *op,
                                                 int64_t from, int64_t to, rwl_error *err);
void rwl_stitch_source_unload(rwl_stitch_source *source, rwl_op *op);
RWL_MUST_CHECK rwl_status rwl_stitch_source_open(rwl_stitch_source *source, rwl_store *store, rwl_op *op,
                                                 rwl_error *err);
/* The source is not needed for a while: its handle is closed when many are open. */
void rwl_stitch_source_rest(rwl_stitch_source *source);

/* Bytes of a source, RWL_PARQUET_READ_SLACK more readable behind them. */
typedef struct rwl_stitch_feed {
    rwl_stitch_source *source;
    rwl_store *store;
    rwl_op *op;
    int64_t end; /* bytes from here on are not read */
    uint8_t *window;
    size_t cap;
    int64_t off; /* of the window's first byte */
    size_t len;
    int64_t bytes_read;
} rwl_stitch_feed;

/* `len` bytes at `off`, fewer at the end; reads `ahead` at once. Valid until the next call. */
RWL_MUST_CHECK rwl_status rwl_stitch_peek(rwl_stitch_feed *f, int64_t off, size_t len, size_t ahead,
                                          rwl_span *out, rwl_error *err);
void rwl_stitch_feed_clear(rwl_stitch_feed *f);

/* --- pages --- */

/* A data page of a repeated column: its rows begin at `first_row` (or go on there from the page before). */
typedef struct rwl_stitch_place {
    int64_t first_row, rows; /* rows that begin in it */
    bool begins;             /* its first entry begins a row */
} rwl_stitch_place;

typedef struct rwl_stitch_page {
    rwl_parquet_page_header header;
    const rwl_stitch_place *place; /* of a repeated column */
    rwl_span body;                 /* as stored */
    bool is_coded;                 /* indexes into the dictionary */
    bool is_open;                  /* the spans below are set: v1 pages have to be decompressed for that */
    rwl_span repetitions, definitions; /* levels without their lengths; data NULL: all are the greatest */
    bool packed_repetitions, packed_definitions; /* BIT_PACKED */
    rwl_span stored_values;                      /* of a v2 page, as stored */
    rwl_span values;                             /* uncompressed; data NULL: not yet (v2) */
} rwl_stitch_page;

/* The page being filled. */
typedef struct rwl_stitch_build {
    bool is_coded;
    size_t entries, rows, nulls;
    rwl_buf validity;                 /* a bit an entry; flat optional leaves */
    rwl_buf definitions, repetitions; /* a byte an entry; other leaves */
    rwl_buf values;                   /* PLAIN, behind the headroom */
    size_t bit_count;                 /* BOOLEAN: values in `values` */
    RWL_VEC(uint32_t) indexes;        /* while coded */
    rwl_parquet_bounds bounds;        /* of PLAIN values */
    bool has_bounds;
    bool decoded; /* values were decoded, not only indexes mapped */
    int64_t unencoded_bytes;
    rwl_column bytes; /* values being moved */
    rwl_column natural, promoted;
    rwl_parquet_dense dense;
    rwl_buf piece;
    RWL_VEC(int32_t) ends;
    RWL_VEC(uint32_t) mapped;
} rwl_stitch_build;

/* The dictionary of the chunk being written. */
typedef struct rwl_stitch_dictionary {
    /* of the chunk: the first part's page as it came, until another differs; then the union in `build` */
    rwl_buf body; /* as stored in the output */
    rwl_parquet_page_header header;
    bool has_page, is_union;
    bool is_closed; /* takes no more values */
    bool is_used;   /* a dictionary-coded page was written */
    rwl_parquet_dictbuild build;
    int64_t values, plain_bytes; /* of what uses it so far, estimated */
    /* of the segment */
    rwl_span stored; /* its page's body */
    rwl_parquet_page_header stored_header;
    int64_t stored_off; /* where it is in the file */
    int32_t stored_codec;
    bool is_there, is_joined, is_identity; /* joined: indexes can be mapped to the chunk's */
    RWL_VEC(uint32_t) map;
    rwl_parquet_dictionary decoded; /* its values, when pages are decoded */
    bool is_decoded;
    /* the last segment's, to know the same again */
    rwl_buf last;
    int32_t last_codec;
    rwl_parquet_page_header last_header;
    bool last_identity, last_joined;
    rwl_buf plain;
} rwl_stitch_dictionary;

/* Work on one leaf of one row group after the other. */
typedef struct rwl_stitch_work {
    const rwl_env *env;
    rwl_op *op;
    rwl_store *store;
    rwl_parquet_stitch_stats *stats;
    rwl_codec_id codec;
    rwl_parquet_codecs *codecs;          /* lent for the output */
    rwl_codec *inflate[RWL_CODEC_COUNT]; /* of the inputs */
    bool with_crc, page_v2;
    size_t page_rows, page_bytes, dictionary_bytes;
    int32_t page_type; /* of the row group's data pages; -1 not yet known */

    /* the leaf */
    const rwl_parquet_write_leaf *leaf;
    int32_t leaf_index;
    rwl_parquet_chunk_write *chunk;
    bool is_flat;
    bool expects_dictionary; /* some part has dictionary-coded pages */
    int64_t coded_values;    /* of the segments to come that have */
    bool has_out;
    rwl_parquet_page_out out;
    rwl_stitch_build build;
    rwl_stitch_dictionary dictionary;

    /* the segment */
    const rwl_stitch_segment *seg;
    const rwl_stitch_map *map;
    const rwl_parquet_leaf *from;
    const rwl_parquet_chunk *in;
    rwl_codec_id in_codec;
    bool is_direct;            /* pages of it went to the chunk without the builder */
    int64_t nulls_before;      /* of its rows that were taken apart before that */
    bool lacks_min, lacks_max; /* of a page since, which is not all null */
    bool has_index;            /* the page index was asked for */
    size_t range;              /* of the segment: the first that does not end before the page at hand */
    RWL_VEC(rwl_stitch_place) places; /* of the data pages of a repeated column */
    rwl_parquet_layout layout;
    rwl_parquet_values values;
    rwl_stitch_feed feed;
    rwl_arena arena; /* indexes */
    rwl_parquet_offset_index *offsets;
    rwl_parquet_column_index *bounds;
    rwl_parquet_stat_bound min, max;

    /* scratch */
    rwl_buf plain, body, stored, levels, wide, remapped;
    int64_t inflated; /* bytes of the longest page so far, taken from the budget */
    RWL_VEC(uint8_t) definitions;
    RWL_VEC(uint8_t) repetitions;
    rwl_buf packed;
} rwl_stitch_work;

RWL_MUST_CHECK rwl_status rwl_stitch_work_init(rwl_stitch_work *w, rwl_op *op, rwl_store *store,
                                               rwl_error *err);
void rwl_stitch_work_clear(rwl_stitch_work *w);
/* Fills the chunk of a leaf from the segments of a row group. */
RWL_MUST_CHECK rwl_status rwl_stitch_column(rwl_stitch_work *w, const rwl_parquet_write_leaf *leaf,
                                            int32_t index, rwl_parquet_chunk_write *chunk,
                                            const rwl_stitch_segment *segs, size_t count, rwl_error *err);
/* Whether pages of a chunk are dictionary-coded, as its metadata say. */
typedef enum rwl_stitch_coding { RWL_STITCH_PLAIN, RWL_STITCH_CODED, RWL_STITCH_MIXED } rwl_stitch_coding;
rwl_stitch_coding rwl_stitch_coding_of(const rwl_parquet_chunk *chunk);

/* stitch_page.c */
RWL_MUST_CHECK rwl_status rwl_stitch_inflate(rwl_stitch_work *w, rwl_codec_id codec, rwl_span body,
                                             size_t len, rwl_buf *to, rwl_span *out, rwl_error *err);
/* Finds levels and values, decompressing what has to be; `with_values` also the values of a v2 page. */
RWL_MUST_CHECK rwl_status rwl_stitch_page_open(rwl_stitch_work *w, rwl_stitch_page *p, bool with_values,
                                               rwl_error *err);
/* A byte for each level of the open page; none for levels whose greatest is 0. */
RWL_MUST_CHECK rwl_status rwl_stitch_page_levels(rwl_stitch_work *w, const rwl_stitch_page *p,
                                                 rwl_error *err);
/* Entries with a value among those of rwl_stitch_page_levels. */
size_t rwl_stitch_count_values(const rwl_stitch_work *w, size_t first, size_t count);
/* Whether a page kept whole can be written as it is. */
bool rwl_stitch_page_fits(const rwl_stitch_work *w, const rwl_stitch_page *p);
/* Writes a page kept whole: as it is, or with new levels, indexes or compression. */
RWL_MUST_CHECK rwl_status rwl_stitch_page_copy(rwl_stitch_work *w, rwl_stitch_page *p, int64_t rows,
                                               rwl_parquet_page_facts *facts, rwl_error *err);

/* stitch_build.c */
RWL_MUST_CHECK rwl_status rwl_stitch_build_init(rwl_stitch_work *w, rwl_error *err);
void rwl_stitch_build_clear(rwl_stitch_work *w);
/* Begins a leaf. */
RWL_MUST_CHECK rwl_status rwl_stitch_build_start(rwl_stitch_work *w, rwl_error *err);
/* Begins a segment: how its values are decoded. */
void rwl_stitch_build_segment(rwl_stitch_work *w);
RWL_MUST_CHECK rwl_status rwl_stitch_build_nulls(rwl_stitch_work *w, int64_t rows, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_stitch_build_flush(rwl_stitch_work *w, rwl_error *err);
/* Writes the page when it is full. */
RWL_MUST_CHECK rwl_status rwl_stitch_build_flush_full(rwl_stitch_work *w, rwl_error *err);
/* Makes the way out, when the first page of the leaf is begun. */
RWL_MUST_CHECK rwl_status rwl_stitch_build_need_out(rwl_stitch_work *w, rwl_error *err);
/* Takes the bounds of what the page's indexes stand for. */
RWL_MUST_CHECK rwl_status rwl_stitch_build_bounds(rwl_stitch_work *w, rwl_error *err);
/* Appends the levels of entries [first, first + count) of an open page, of which `present` have values. */
RWL_MUST_CHECK rwl_status rwl_stitch_build_levels(rwl_stitch_work *w, size_t first, size_t count,
                                                  size_t present, size_t rows, rwl_error *err);
/* Rows after which the page is looked at again: as many as fill it, by what values take. */
size_t rwl_stitch_build_rows_at_once(const rwl_stitch_work *w, bool coded);

/* stitch_rows.c */
/* Appends the rows of the page that lie in the ranges; `first_row` is the row its first entry belongs to. */
RWL_MUST_CHECK rwl_status rwl_stitch_build_page(rwl_stitch_work *w, rwl_stitch_page *p, int64_t first_row,
                                                rwl_error *err);
/* Whether values that are not dictionary-coded in the segment become so: most of the column is. */
bool rwl_stitch_wants_adding(const rwl_stitch_work *w);

/* stitch_dictionary.c */
void rwl_stitch_dictionary_init(rwl_stitch_work *w);
void rwl_stitch_dictionary_clear(rwl_stitch_work *w);
void rwl_stitch_dictionary_start(rwl_stitch_work *w);
void rwl_stitch_dictionary_segment(rwl_stitch_work *w);
/* Takes the dictionary page of the segment, which is joined to the chunk's where that pays. */
RWL_MUST_CHECK rwl_status rwl_stitch_dictionary_page(rwl_stitch_work *w,
                                                     const rwl_parquet_page_header *header, rwl_span body,
                                                     int64_t off, rwl_error *err);
/* Appends values of the segment's leaf that are stored otherwise here: PLAIN there, with slack, to PLAIN here. */
RWL_MUST_CHECK rwl_status rwl_stitch_convert_plain(rwl_stitch_work *w, rwl_span plain, int64_t count,
                                                   rwl_buf *out, rwl_error *err);
/* The segment's dictionary as values to decode with. */
RWL_MUST_CHECK rwl_status rwl_stitch_dictionary_decode(rwl_stitch_work *w, rwl_error *err);
/* Makes the chunk's dictionary one that values can be looked up in; *ok false when it can't be. */
RWL_MUST_CHECK rwl_status rwl_stitch_dictionary_need_union(rwl_stitch_work *w, bool *ok, rwl_error *err);
/* Indexes of the segment's dictionary to those of the chunk's, in place. */
RWL_MUST_CHECK rwl_status rwl_stitch_dictionary_remap(rwl_stitch_work *w, uint32_t *indexes, size_t count,
                                                      rwl_error *err);
uint32_t rwl_stitch_dictionary_count(const rwl_stitch_work *w);
/* Gives the chunk its dictionary page when it has dictionary-coded pages. */
RWL_MUST_CHECK rwl_status rwl_stitch_dictionary_finish(rwl_stitch_work *w, rwl_error *err);

/* stitch_facts.c */
/* Reads the page index of the segment's chunk where it has both and they agree; w->offsets NULL else. */
RWL_MUST_CHECK rwl_status rwl_stitch_facts_start(rwl_stitch_work *w, rwl_error *err);
/* What is known of data page `ordinal`, whose header is at `off`. `is_whole`: all its rows are kept. */
RWL_MUST_CHECK rwl_status rwl_stitch_facts_page(rwl_stitch_work *w, const rwl_parquet_page_header *header,
                                                int32_t ordinal, int64_t off, rwl_parquet_page_facts *facts,
                                                rwl_error *err);
/* Statistics of the chunk as a whole, once its pages are written. */
RWL_MUST_CHECK rwl_status rwl_stitch_facts_chunk(rwl_stitch_work *w, rwl_error *err);
/* Sorting columns that hold across the borders of the segments, at most `max` of them. */
int32_t rwl_stitch_sorting(const rwl_parquet_write_schema *schema, const rwl_stitch_segment *segs,
                           size_t count, rwl_parquet_sorting *out, int32_t max);
RWL_MUST_CHECK rwl_status rwl_stitch_bloom(rwl_stitch_work *w, const rwl_stitch_segment *segs, size_t count,
                                           rwl_error *err);

/* --- the stitcher --- */

struct rwl_parquet_stitch {
    const rwl_env *env;
    rwl_op *op;
    rwl_store *store;
    rwl_arena arena;
    rwl_parquet_stitch_options options; /* pointers that are kept point into `arena` */
    rwl_parquet_write_schema schema;
    bool *is_made;      /* one a field */
    int64_t *made_rows; /* likewise */
    rwl_parquet_output *output;
    rwl_parquet_codec_pool *pool;
    rwl_parquet_chunk_write **chunks;  /* one a leaf */
    rwl_parquet_column_writer *makers; /* one a leaf; of made fields only */
    rwl_column made;                   /* values being made */
    rwl_stitch_work work;
    int64_t group_bytes, group_rows;

    rwl_stitch_held held;
    RWL_VEC(rwl_stitch_segment) pending; /* of the next row group */
    int64_t pending_rows, pending_bytes;
    bool *left;                /* one a leaf: a pending segment has pages without dictionary */
    RWL_VEC(rwl_range) ranges; /* rows kept of one input row group */

    rwl_parquet_stitch_stats stats;
    rwl_status failed;
    rwl_error failure;
};

#define RWL_STITCH_BYTES_MAX (INT64_C(1) << 50) /* no estimate is greater, whatever a footer says */

/* stitch_group.c */
/* Whether the values of a field are made for rows of the source, rather than copied. */
bool rwl_stitch_makes(const rwl_parquet_stitch *s, const rwl_stitch_source *source, int32_t field);
/* Whether pages of a leaf come from the segment's chunk, which goes to *chunk. */
bool rwl_stitch_uses(const rwl_parquet_stitch *s, const rwl_stitch_segment *seg, int32_t leaf,
                     const rwl_parquet_chunk **chunk);
/* What the rows of a segment take in the output, estimated. */
double rwl_stitch_leaf_bytes(const rwl_parquet_stitch *s, const rwl_stitch_segment *seg, int32_t leaf);
void rwl_stitch_source_free(rwl_parquet_stitch *s, rwl_stitch_source *source);
void rwl_stitch_source_drop(rwl_parquet_stitch *s, rwl_stitch_source *source); /* one user less */
void rwl_stitch_pending_drop(rwl_parquet_stitch *s);
/* Writes the pending segments as a row group. */
RWL_MUST_CHECK rwl_status rwl_stitch_pending_flush(rwl_parquet_stitch *s, rwl_error *err);

/* stitch_plan.c */
RWL_MUST_CHECK rwl_status rwl_stitch_part_add(rwl_parquet_stitch *s, const rwl_parquet_stitch_part *part,
                                              rwl_error *err);

#endif
