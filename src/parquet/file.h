/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Parquet file as its footer describes it: schema, row groups, column chunks (parquet-format, parquet.thrift).
 *
 *   file   := "PAR1" column chunks … [indexes] footer footer_len(u32 LE) "PAR1"
 *   chunk  := [dictionary page] data pages; page := header(Thrift compact) body
 */
#ifndef RWL_PARQUET_FILE_H
#define RWL_PARQUET_FILE_H

#include "base/arena.h"
#include "codec/codec.h"
#include "column/value.h"
#include "storage/store.h"

typedef enum rwl_parquet_physical {
    RWL_PARQUET_BOOLEAN,
    RWL_PARQUET_INT32,
    RWL_PARQUET_INT64,
    RWL_PARQUET_INT96,
    RWL_PARQUET_FLOAT,
    RWL_PARQUET_DOUBLE,
    RWL_PARQUET_BYTE_ARRAY,
    RWL_PARQUET_FIXED
} rwl_parquet_physical; /* values of parquet.thrift's Type */

typedef enum rwl_parquet_encoding {
    RWL_PARQUET_PLAIN = 0,
    RWL_PARQUET_PLAIN_DICTIONARY = 2,
    RWL_PARQUET_RLE = 3,
    RWL_PARQUET_BIT_PACKED = 4,
    RWL_PARQUET_DELTA_BINARY_PACKED = 5,
    RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY = 6,
    RWL_PARQUET_DELTA_BYTE_ARRAY = 7,
    RWL_PARQUET_RLE_DICTIONARY = 8,
    RWL_PARQUET_BYTE_STREAM_SPLIT = 9
} rwl_parquet_encoding;

/* The order of a column's min_value and max_value (parquet.thrift, ColumnOrder). */
typedef enum rwl_parquet_bounds_order {
    RWL_PARQUET_BOUNDS_NONE,  /* the file declares none */
    RWL_PARQUET_BOUNDS_TYPED, /* of the type */
    RWL_PARQUET_BOUNDS_IEEE,  /* IEEE 754 total order: bounds leave NaN out unless all values are NaN */
    RWL_PARQUET_BOUNDS_OTHER  /* one not known here: bounds say nothing */
} rwl_parquet_bounds_order;

/* Statistics of a chunk; spans have data NULL when absent. `exact` flags default to true when not written. A
 * floating point zero is widened: -0.0 as min, +0.0 as max. */
typedef struct rwl_parquet_stats {
    int64_t null_count; /* -1 when absent */
    int64_t nan_count;  /* -1 when absent */
    rwl_span min, max;  /* min_value and max_value; the deprecated pair only where its order was right */
    bool is_old;        /* they are the deprecated pair */
    bool min_is_exact, max_is_exact; /* false: a truncated bound, no value of the column */
} rwl_parquet_stats;

struct rwl_parquet_node;

/* A leaf column, in schema order: leaves[i] belongs to chunks[i] of every row group. */
typedef struct rwl_parquet_leaf {
    rwl_field field; /* its dotted path as name, id (-1 when the file has none), required, natural type */
    rwl_parquet_physical physical;
    int32_t type_length;            /* FIXED */
    int32_t column;                 /* index of its chunk in each row group */
    rwl_parquet_bounds_order order; /* of its bounds */
    int32_t top;                    /* index in file->nodes of the top-level field it belongs to */
    int16_t max_definition, max_repetition;
    bool is_nested;        /* part of a nested or repeated top-level field: read through its node only */
    bool unsupported;      /* no Iceberg type: refused by name when projected */
    const char *type_text; /* what the file calls the type, for messages: "INTERVAL" */
    bool millis;           /* stored in milliseconds, read as microseconds */
    bool is_unsigned;      /* INT(64, unsigned), read as DECIMAL(20, 0) */
    int8_t int_bits;       /* INT(8, …) to INT(64, …), negative when unsigned; 0: not annotated so */
    const char *top_name;  /* name of the top-level field */
    int32_t top_id;        /* its field id, -1 */
} rwl_parquet_leaf;

/*
 * A field of the file as people see it: the groups in between that only make a list or a map are folded away
 * (LogicalTypes.md, "Nested Types", with the rules for two-level lists and older names).
 *
 * Levels: an entry of any leaf below the node with a definition level of at least `definition` says that the node's
 * value is not null. Of a LIST or MAP, entries with at least `element_definition` are elements, fewer mean an empty
 * one; elements of one list have repetition level `repetition`, a new list has a lower one.
 */
typedef struct rwl_parquet_node {
    rwl_field field; /* name, id (-1), required, natural type; type.children parallel `children` */
    const struct rwl_parquet_node *children; /* STRUCT: fields; LIST: element; MAP: key, value; else NULL */
    int32_t child_count;
    int32_t first_leaf, leaf_count; /* the leaves below (a VARIANT's too), side by side in file->leaves */
    int16_t definition;
    int16_t repetition; /* LIST, MAP: of its own repeated group; else of the nearest one above, 0 without */
    int16_t element_definition;                /* LIST, MAP */
    const struct rwl_parquet_variant *variant; /* VARIANT: how its leaves make the value; else NULL */
} rwl_parquet_node;

typedef struct rwl_parquet_range {
    int64_t off, len; /* len 0: absent */
} rwl_parquet_range;

typedef struct rwl_parquet_chunk {
    int32_t codec;       /* parquet.thrift CompressionCodec */
    int64_t value_count; /* num_values: level entries, nulls and empty lists counted; rows of a flat column */
    int64_t data_offset; /* data_page_offset */
    int64_t dictionary_offset; /* 0 when absent */
    int64_t compressed_size, uncompressed_size;
    rwl_parquet_stats stats;
    bool encrypted;
    bool all_dictionary; /* the page counts say that every data page is dictionary-coded */
    uint32_t encodings;  /* bits by rwl_parquet_encoding, as the footer lists them */
    rwl_parquet_range column_index, offset_index;
    rwl_parquet_range bloom; /* len 0 with an offset: older writers leave the length out */
    int64_t unencoded_bytes; /* SizeStatistics, -1 when absent */
} rwl_parquet_chunk;

typedef struct rwl_parquet_sorting {
    int32_t leaf; /* index in file->leaves */
    bool descending, nulls_first;
} rwl_parquet_sorting;

typedef struct rwl_parquet_group {
    int64_t first_row; /* physical position of its first row in the file */
    int64_t row_count;
    int64_t file_offset;                /* where its bytes begin */
    int64_t total_bytes;                /* total_byte_size (uncompressed) */
    const rwl_parquet_chunk *chunks;    /* one a leaf */
    const rwl_parquet_sorting *sorting; /* sorting_columns, as the writer claims */
    int32_t sorting_count;
} rwl_parquet_group;

/* An opened file: shared by readers, reference counted. */
typedef struct rwl_parquet_file {
    const rwl_env *env;
    const char *location;
    int64_t size;
    int64_t row_count;
    const rwl_parquet_node *nodes; /* the top-level fields */
    int32_t node_count;
    const int32_t *by_id, *by_name; /* indexes of nodes in the order of their ids and names */
    const rwl_parquet_leaf *leaves;
    int32_t leaf_count;
    const rwl_parquet_group *groups;
    int32_t group_count;
    const char *created_by;
    const char *const *kv_keys, *const *kv_values;
    int32_t kv_count;
    rwl_span tail; /* the file's last bytes, as far as they came with the footer */
    int64_t tail_off;
} rwl_parquet_file;

/* Opens `location` and reads its footer (one request in most files). `known_size` is what the table says the
 * file has, -1 when unknown; another size is warned of, and the file is read at the size it has. */
RWL_MUST_CHECK rwl_status rwl_parquet_open(rwl_store *store, rwl_op *op, const char *location,
                                           int64_t known_size, rwl_parquet_file **out, rwl_error *err);
void rwl_parquet_close(rwl_parquet_file *file);            /* drops a reference; NULL is fine */
rwl_parquet_file *rwl_parquet_ref(rwl_parquet_file *file); /* takes another reference, from any thread */
/* The index in file->nodes of the top-level field with this id or name, -1 without. */
int32_t rwl_parquet_node_by_id(const rwl_parquet_file *file, int32_t field_id);
int32_t rwl_parquet_node_by_name(const rwl_parquet_file *file, const char *name);
/* The flat leaf with this field id (top level), or NULL. */
const rwl_parquet_leaf *rwl_parquet_leaf_by_id(const rwl_parquet_file *file, int32_t field_id);
const rwl_parquet_leaf *rwl_parquet_leaf_by_name(const rwl_parquet_file *file, const char *name);
/* True when no leaf of the file has a field id. */
bool rwl_parquet_without_ids(const rwl_parquet_file *file);
/* Decodes a statistics bound into a value of the leaf's type; false when absent or of an order that can't be
 * trusted (NaN, old signed order, INT96). */
bool rwl_parquet_stats_value(const rwl_parquet_leaf *leaf, rwl_span bound, rwl_value *out);

#endif
