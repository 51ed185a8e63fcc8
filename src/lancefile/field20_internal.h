/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading fields of file version 2.0: a tree of columns, one a field, and what their pages say.
 *
 * Rows are read in rounds of some MiB, each in three passes over the tree:
 *
 *   aim       asks for what is found by multiplication: values of fixed width, validity, ends of texts and lists
 *   measure   looks at the ends: which bytes and which rows of the children these are, and asks for them
 *   append    puts values into the output
 *
 * so that a round that turns out too big is begun again with fewer rows before anything was put out.
 */
#ifndef RWL_LANCEFILE_FIELD20_INTERNAL_H
#define RWL_LANCEFILE_FIELD20_INTERNAL_H

#include "base/vec.h"
#include "lancefile/encoding20.h"
#include "lancefile/fetch.h"
#include "lancefile/field_internal.h"
#include "lancefile/leaf.h"
#include "lancefile/unpack.h"

enum { RWL_LANCE_LEVELS20_MAX = RWL_LANCE_VECTOR_DEPTH_MAX + 1 };

typedef enum rwl_lance_page20_form {
    RWL_LANCE_PAGE20_NULLS,  /* nothing but nulls */
    RWL_LANCE_PAGE20_VALUES, /* of fixed width, vectors too */
    RWL_LANCE_PAGE20_PACKED,
    RWL_LANCE_PAGE20_BYTES,
    RWL_LANCE_PAGE20_EVEN,  /* texts of one length */
    RWL_LANCE_PAGE20_BLOBS, /* u64 position in the file, u64 size */
    RWL_LANCE_PAGE20_DICTIONARY,
    RWL_LANCE_PAGE20_LISTS,
    RWL_LANCE_PAGE20_STRUCTS
} rwl_lance_page20_form;

typedef enum rwl_lance_flat20_form {
    RWL_LANCE_FLAT20_PLAIN,  /* side by side */
    RWL_LANCE_FLAT20_WHOLE,  /* PLAIN, the buffer compressed as a whole; never single bits */
    RWL_LANCE_FLAT20_BITS,   /* the low packed_bits of each, side by side */
    RWL_LANCE_FLAT20_BLOCKS, /* the same, in FastLanes blocks (unpack.h) */
    RWL_LANCE_FLAT20_SAME    /* `value` each time */
} rwl_lance_flat20_form;

/* Values of fixed width one after another, whatever their bytes are; all `count` are there. */
typedef struct rwl_lance_flat20 {
    rwl_lance_flat20_form form;
    rwl_lance_scheme scheme; /* WHOLE */
    int64_t count, bits;     /* of a value as it is read */
    int packed_bits;         /* BITS, BLOCKS */
    bool is_signed;          /* BITS: the highest packed bit is the sign */
    rwl_lance_extent extent; /* all but SAME */
    rwl_span value;          /* SAME: (bits + 7) / 8 bytes */
} rwl_lance_flat20;

/* Of values (level 0) or elements of a vector (further in). */
typedef struct rwl_lance_level20 {
    rwl_lance_nulls nulls;
    rwl_lance_flat20 validity; /* SOME_NULLS: PLAIN */
    int64_t per_row;           /* values of this level a row */
} rwl_lance_level20;

/* A page's encoding with its buffers found and their lengths checked: rows [0, rows) are all there. */
typedef struct rwl_lance_page20 {
    rwl_lance_page20_form form;
    int64_t rows;
    rwl_lance_level20 levels[RWL_LANCE_LEVELS20_MAX]; /* VALUES; EVEN: one */
    int32_t level_count;
    rwl_lance_flat20 values; /* BYTES, LISTS: u64 ends; DICTIONARY: indices; EVEN: texts, or their bytes */
    int64_t per_row;         /* of `values` a row */
    int64_t row_bits;        /* of `values` as they are read */
    uint64_t null_adjustment;
    rwl_lance_flat20 bytes;                    /* BYTES */
    const rwl_lance_fsst *fsst;                /* BYTES: what they are codes of; NULL: of nothing */
    int64_t items;                             /* LISTS, DICTIONARY */
    const int64_t *offsets;                    /* PACKED: bytes before each field of the node */
    bool is_from_one;                          /* DICTIONARY: index 0 is null */
    const struct rwl_lance_page20 *dictionary; /* VALUES, BYTES or EVEN, `items` rows */
} rwl_lance_page20;

typedef struct rwl_lance_page20_request {
    const rwl_lancefile *file;
    const rwl_lance_column *column;
    const rwl_lance_page *page;
    const rwl_lance_node *node;
    rwl_arena *arena;
} rwl_lance_page20_request;

/* CORRUPT: another layout than the node's, buffers that are too short; UNSUPPORTED naming an encoding that has no meaning in its place. */
RWL_MUST_CHECK rwl_status rwl_lance_page20_open(const rwl_lance_page20_request *request,
                                                const rwl_lance_page20 **out, rwl_error *err);
/* UNSUPPORTED, naming the encoding and the field's type. */
rwl_status rwl_lance_page20_refuse(const rwl_lance_node *node, const rwl_lance_array *array, rwl_error *err);

struct rwl_lance_field20;

/* Rows of one page that a round wants. */
typedef struct rwl_lance_part20 {
    const rwl_lance_page20 *page;
    int32_t index; /* of the page */
    int64_t first, count;
    size_t piece;       /* the first of aim's */
    size_t bytes_piece; /* of measure's */
    int64_t from, to;   /* BYTES: where in the page's bytes; LISTS: items of the column below */
    bool has_gaps;      /* null rows have bytes */
} rwl_lance_part20;

/* A compressed buffer of a page, decompressed. */
typedef struct rwl_lance_plain20 {
    const rwl_lance_flat20 *flat;
    rwl_buf bytes;
} rwl_lance_plain20;

typedef struct rwl_lance_column20 {
    struct rwl_lance_field20 *field;
    const rwl_lance_node *node;
    const rwl_lance_source *source;
    const rwl_lance_column *column; /* NULL: the file has none */
    bool is_absent;                 /* nor has any below: null */
    const rwl_lance_page20 **pages; /* NULL: not looked at yet */
    const int64_t *first_items;     /* lists: items of the pages before */
    rwl_lance_fetch fetch;
    struct rwl_lance_column20 *children;
    int32_t child_count;
    /* of a round */
    int64_t rows;
    RWL_VEC(rwl_lance_part20) parts;
    RWL_VEC(rwl_range) items; /* lists: rows of the child */
    rwl_column dictionary;
    int32_t dictionary_page; /* whose that is; -1: none */
    int64_t dictionary_charged;
    RWL_VEC(rwl_lance_plain20) plains;
    int32_t plain_page; /* likewise */
    int64_t plain_charged;
    int64_t pages_read;
} rwl_lance_column20;

typedef struct rwl_lance_field20 {
    rwl_lance_field_reader base;
    rwl_op *op;
    const rwl_env *env;
    rwl_arena arena;
    rwl_lance_general general;
    rwl_lance_column20 root;
    int64_t row_count;
    double row_bytes; /* on average */
    RWL_VEC(rwl_range) wanted;
    size_t wanted_at;   /* the range that the next round begins in, */
    int64_t wanted_off; /* and where */
    RWL_VEC(rwl_range) round;
    int64_t round_rows;
    bool is_aimed;
    int64_t bytes, limit;              /* of the round, as found out so far */
    rwl_buf validity, values, aligned; /* scratch */
} rwl_lance_field20;

/* Counts output of the round; false once it is too much, and nothing more needs to be asked for. */
static inline bool rwl_lance_field20_count(rwl_lance_field20 *f, int64_t bytes) {
    f->bytes = bytes > INT64_MAX - f->bytes ? INT64_MAX : f->bytes + bytes;
    return f->bytes <= f->limit;
}

/* --- columns (column20.c) --- */

/* Opens a node's column and those below, which have to have so many rows. To be closed also after a failure. */
RWL_MUST_CHECK rwl_status rwl_lance_column20_open(rwl_lance_column20 *c, rwl_lance_field20 *f,
                                                  const rwl_lance_node *node, const rwl_lance_source *sources,
                                                  int64_t rows, int depth, rwl_error *err);
void rwl_lance_column20_close(rwl_lance_column20 *c);
void rwl_lance_column20_reset(rwl_lance_column20 *c); /* forgets the round */
/* The passes; ranges are ascending, disjoint, and of rows that the column has. Measure stops early once the round is too big. */
RWL_MUST_CHECK rwl_status rwl_lance_column20_aim(rwl_lance_column20 *c, const rwl_range *ranges, size_t count,
                                                 rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_column20_measure(rwl_lance_column20 *c, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_column20_append(rwl_lance_column20 *c, rwl_column *out, rwl_error *err);
void rwl_lance_column20_stats(const rwl_lance_column20 *c, rwl_lance_read_stats *stats);

/* Puts column and page in front of a message, and the file beside it. */
rwl_status rwl_lance_column20_fail(const rwl_lance_column20 *c, int32_t page, rwl_status st, rwl_error *err);
/* The page's layout, looked at when first asked for. */
RWL_MUST_CHECK rwl_status rwl_lance_column20_page(rwl_lance_column20 *c, int32_t index,
                                                  const rwl_lance_page20 **out, rwl_error *err);

/* The passes over one part, by its page's form. */
RWL_MUST_CHECK rwl_status rwl_lance_part20_aim(rwl_lance_column20 *c, rwl_lance_part20 *part, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_part20_measure(rwl_lance_column20 *c, rwl_lance_part20 *part,
                                                   rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_part20_append(rwl_lance_column20 *c, const rwl_lance_part20 *part,
                                                  rwl_column *out, rwl_error *err);

/* values20.c: VALUES and PACKED; aim EVEN, too. */
RWL_MUST_CHECK rwl_status rwl_lance_values20_aim(rwl_lance_column20 *c, rwl_lance_part20 *part,
                                                 rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_values20_append(rwl_lance_column20 *c, const rwl_lance_part20 *part,
                                                    rwl_column *out, rwl_error *err);

/* bytes20.c: BYTES, EVEN, BLOBS. */
RWL_MUST_CHECK rwl_status rwl_lance_bytes20_aim(rwl_lance_column20 *c, rwl_lance_part20 *part,
                                                rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_bytes20_measure(rwl_lance_column20 *c, rwl_lance_part20 *part,
                                                    rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_bytes20_append(rwl_lance_column20 *c, const rwl_lance_part20 *part,
                                                   rwl_column *out, rwl_error *err);

/* dictionary20.c */
RWL_MUST_CHECK rwl_status rwl_lance_dictionary20_aim(rwl_lance_column20 *c, rwl_lance_part20 *part,
                                                     rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_dictionary20_measure(rwl_lance_column20 *c, rwl_lance_part20 *part,
                                                         rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_dictionary20_append(rwl_lance_column20 *c, const rwl_lance_part20 *part,
                                                        rwl_column *out, rwl_error *err);
void rwl_lance_dictionary20_forget(rwl_lance_column20 *c); /* what is held of a page */

/* lists20.c: LISTS. Opening looks at all pages of the column; *items is how many items they have, rows of the column below. */
RWL_MUST_CHECK rwl_status rwl_lance_lists20_open(rwl_lance_column20 *c, int64_t *items, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_lists20_aim(rwl_lance_column20 *c, rwl_lance_part20 *part,
                                                rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_lists20_measure(rwl_lance_column20 *c, rwl_lance_part20 *part,
                                                    rwl_error *err);
/* Appends offsets and nulls; the items come later, all at once. */
RWL_MUST_CHECK rwl_status rwl_lance_lists20_append(rwl_lance_column20 *c, const rwl_lance_part20 *part,
                                                   rwl_column *out, rwl_error *err);

/* --- flats (flat20.c) --- */

/* `count` values of `bits` each. CORRUPT: values of another width, packed ones that are wider or of none, too short a buffer. */
RWL_MUST_CHECK rwl_status rwl_lance_flat20_open(const rwl_lance_page20_request *r,
                                                const rwl_lance_array *array, int64_t bits, int64_t count,
                                                rwl_lance_flat20 *out, rwl_error *err);
/* Rows of a packed struct, PLAIN. */
RWL_MUST_CHECK rwl_status rwl_lance_flat20_open_rows(const rwl_lance_page20_request *r,
                                                     const rwl_lance_array *array, int64_t bits,
                                                     int64_t count, rwl_lance_flat20 *out, rwl_error *err);
/* Bytes, as many as the buffer has; `most` of them where it is compressed. */
RWL_MUST_CHECK rwl_status rwl_lance_flat20_open_bytes(const rwl_lance_page20_request *r,
                                                      const rwl_lance_array *array, uint64_t most,
                                                      rwl_lance_flat20 *out, rwl_error *err);

/* Values [first, first + count) of a flat of a page. */
typedef struct rwl_lance_slice20 {
    const rwl_lance_flat20 *flat;
    int32_t page;
    int64_t first, count;
} rwl_lance_slice20;

/* Values side by side in memory, beginning with bit number `first` of all that the flat has; RWL_LANCE_READ_SLACK behind them. */
typedef struct rwl_lance_bits20 {
    const uint8_t *data; /* NULL: there are none */
    int64_t first;
} rwl_lance_bits20;

/* Whether slices are read in pieces of their own: what is compressed is read when it is needed, and kept. */
bool rwl_lance_flat20_is_read(const rwl_lance_flat20 *flat);
/* Asks for a slice of a flat that is_read. */
RWL_MUST_CHECK rwl_status rwl_lance_slice20_aim(rwl_lance_column20 *c, const rwl_lance_slice20 *slice,
                                                size_t *piece, rwl_error *err);
/* Its values: where they lie, or made plain in `room`; they stay until that or the page changes. */
RWL_MUST_CHECK rwl_status rwl_lance_slice20_get(rwl_lance_column20 *c, const rwl_lance_slice20 *slice,
                                                size_t piece, rwl_buf *room, rwl_lance_bits20 *out,
                                                rwl_error *err);
void rwl_lance_flat20_forget(rwl_lance_column20 *c); /* what is held of a page */

/* --- ends (ends20.c): of the bytes of texts, of the items of lists --- */

/* Ends of rows [first, first + count) of a page. */
typedef struct rwl_lance_ends20 {
    const uint8_t *ends; /* of row `first` on */
    uint64_t adjustment, max;
    uint64_t at; /* the end of the row before */
} rwl_lance_ends20;

/* Asks for the ends of a part, and that of the row before. */
RWL_MUST_CHECK rwl_status rwl_lance_ends20_aim(rwl_lance_column20 *c, rwl_lance_part20 *part, rwl_error *err);
/* At the first row of the part; no row ends beyond `max`. */
RWL_MUST_CHECK rwl_status rwl_lance_ends20_open(rwl_lance_column20 *c, const rwl_lance_part20 *part,
                                                uint64_t max, rwl_lance_ends20 *out, rwl_error *err);
/* Row i, one after another: [*from, *to), null or not. CORRUPT when ends descend or pass the maximum. */
static inline bool rwl_lance_ends20_next(rwl_lance_ends20 *e, int64_t i, uint64_t *from, uint64_t *to,
                                         bool *is_null) {
    uint64_t end = rwl_load_le64(e->ends + 8 * i);
    *is_null = end >= e->adjustment;
    end -= *is_null ? e->adjustment : 0;
    *from = e->at;
    *to = e->at = end;
    return end >= *from && end <= e->max;
}
rwl_status rwl_lance_ends20_fail(const rwl_lance_ends20 *e, int64_t row, uint64_t from, uint64_t to,
                                 rwl_error *err);

#endif
