/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a page of file version 2.1 or 2.2 is laid out ("lance.encodings21": PageLayout, CompressiveEncoding), as checked plain
 * structs. What only later versions have (sparse pages, range, delta) is UNSUPPORTED by name; nesting is limited.
 */
#ifndef RWL_LANCEFILE_ENCODING_H
#define RWL_LANCEFILE_ENCODING_H

#include "lancefile/file.h"

typedef enum rwl_lance_codec_kind {
    RWL_LANCE_CODEC_FLAT = 1,
    RWL_LANCE_CODEC_VARIABLE = 2,
    RWL_LANCE_CODEC_CONSTANT = 3,
    RWL_LANCE_CODEC_OUT_OF_LINE_BITPACKING = 4,
    RWL_LANCE_CODEC_INLINE_BITPACKING = 5,
    RWL_LANCE_CODEC_FSST = 6,
    RWL_LANCE_CODEC_DICTIONARY = 7,
    RWL_LANCE_CODEC_RLE = 8,
    RWL_LANCE_CODEC_BYTE_STREAM_SPLIT = 9,
    RWL_LANCE_CODEC_GENERAL = 10,
    RWL_LANCE_CODEC_FIXED_SIZE_LIST = 11,
    RWL_LANCE_CODEC_PACKED_STRUCT = 12,
    RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT = 13
} rwl_lance_codec_kind;

typedef enum rwl_lance_scheme {
    RWL_LANCE_SCHEME_NONE,
    RWL_LANCE_SCHEME_LZ4,
    RWL_LANCE_SCHEME_ZSTD
} rwl_lance_scheme;

/* A codec and those inside of it; which members count is by kind. */
typedef struct rwl_lance_codec {
    rwl_lance_codec_kind kind;
    int64_t bits;            /* FLAT: of a value; bitpacking: of an uncompressed one */
    int64_t packed_bits;     /* OUT_OF_LINE_BITPACKING */
    rwl_lance_scheme scheme; /* GENERAL; of FLAT and VARIABLE the compression of their data, NONE mostly */
    /* FSST, RLE, BYTE_STREAM_SPLIT, GENERAL, FIXED_SIZE_LIST, PACKED_STRUCT, OUT_OF_LINE_BITPACKING; DICTIONARY: items */
    const struct rwl_lance_codec *values;
    const struct rwl_lance_codec *second; /* VARIABLE: offsets; RLE: run lengths; DICTIONARY: indices */
    rwl_span blob;                        /* FSST: symbol table; CONSTANT: the value */
    int64_t items;                        /* FIXED_SIZE_LIST: a value; DICTIONARY: in all */
    bool has_validity;                    /* FIXED_SIZE_LIST */
    const int64_t *widths;                /* PACKED_STRUCT: bits of each field */
    int32_t field_count;                  /* and of VARIABLE_PACKED_STRUCT */
    const struct rwl_lance_packed_field *fields; /* VARIABLE_PACKED_STRUCT */
} rwl_lance_codec;

typedef struct rwl_lance_packed_field {
    const rwl_lance_codec *value;
    int64_t bits_per_value;  /* fixed width; 0 when variable */
    int64_t bits_per_length; /* of the length before the bytes */
} rwl_lance_packed_field;

/* As in text: "out_of_line_bitpacking"; "?" for what is none. */
const char *rwl_lance_codec_name(int64_t kind);
/* Bits of the values a codec gives; 0 when they are of variable length or it can't be told. */
int64_t rwl_lance_codec_bits(const rwl_lance_codec *codec);

/* Layers from the item outward, as RepDefLayer has them. */
typedef enum rwl_lance_layer {
    RWL_LANCE_LAYER_ITEM = 1,               /* all valid */
    RWL_LANCE_LAYER_LIST = 2,               /* all valid, none empty */
    RWL_LANCE_LAYER_NULLABLE_ITEM = 3,      /* one definition level */
    RWL_LANCE_LAYER_NULLABLE_LIST = 4,      /* one */
    RWL_LANCE_LAYER_EMPTYABLE_LIST = 5,     /* one */
    RWL_LANCE_LAYER_NULL_AND_EMPTY_LIST = 6 /* two: null, then empty */
} rwl_lance_layer;

enum {
    RWL_LANCE_LAYERS_MAX = 64,
    RWL_LANCE_CODEC_DEPTH_MAX = 40,
    RWL_LANCE_DICTIONARY_MAX = 256 * 1024 * 1024 /* bytes; pages have some MiB */
};

typedef enum rwl_lance_layout_kind {
    RWL_LANCE_LAYOUT_MINI_BLOCK = 1,
    RWL_LANCE_LAYOUT_CONSTANT = 2,
    RWL_LANCE_LAYOUT_FULL_ZIP = 3,
    RWL_LANCE_LAYOUT_BLOB = 4
} rwl_lance_layout_kind;

typedef struct rwl_lance_layout {
    rwl_lance_layout_kind kind;
    uint8_t layers[RWL_LANCE_LAYERS_MAX]; /* rwl_lance_layer, innermost first */
    int32_t layer_count;
    const rwl_lance_codec *rep, *def; /* NULL: none (MINI_BLOCK), plain u16 (CONSTANT) */
    const rwl_lance_codec *values;    /* MINI_BLOCK, FULL_ZIP */
    int64_t item_count;               /* MINI_BLOCK: value slots; FULL_ZIP: entries */

    const rwl_lance_codec *dictionary; /* MINI_BLOCK; NULL when none */
    int64_t dictionary_items;
    int32_t buffer_count;           /* MINI_BLOCK: value buffers a chunk */
    int32_t repetition_index_depth; /* MINI_BLOCK */
    bool has_large_chunk;           /* MINI_BLOCK: u32 grammar */

    bool has_value; /* CONSTANT: `value` is the value of all */
    rwl_span value;
    int64_t rep_values, def_values; /* CONSTANT */

    int64_t bits_rep, bits_def;              /* FULL_ZIP: of the control word */
    int64_t bits_per_value, bits_per_offset; /* FULL_ZIP: one of them is 0 */
    int64_t visible_items;                   /* FULL_ZIP */
    const struct rwl_lance_layout *inner;    /* BLOB */
} rwl_lance_layout;

/* Parses a page's encoding; everything in `arena`, bytes borrowed from `message`. CORRUPT, UNSUPPORTED by name. */
RWL_MUST_CHECK rwl_status rwl_lance_layout_parse(rwl_span message, rwl_arena *arena, rwl_lance_layout *out,
                                                 rwl_error *err);
/* The layout as `inspect --pages` shows it: "miniblock[item?/list?0] inline_bitpacking64 rep … def …". */
RWL_MUST_CHECK rwl_status rwl_lance_layout_format(const rwl_lance_layout *layout, rwl_buf *out,
                                                  rwl_error *err);

/* Definition levels of a page: those of its layers, turned into the numbering that counts every layer, whatever the page has.
 * Inner to outer from 1: an item layer has one (null), a list layer two (null, empty). */
typedef struct rwl_lance_level_map {
    uint16_t full[2 * RWL_LANCE_LAYERS_MAX + 1]; /* by the page's own level */
    int32_t level_count;                         /* the page's levels, 0 included */
    int32_t max_visible;                         /* the page's greatest level with a value slot */
    int32_t max_rep;                             /* list layers */
} rwl_lance_level_map;
void rwl_lance_level_map_make(const rwl_lance_layout *layout, rwl_lance_level_map *out);

#endif
