/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Avro 1.11 object container files with Iceberg's schema properties (field-id, element-id, key-id,
 * value-id, logicalType, adjust-to-utc).
 *
 *   file  := "Obj" 1, map<bytes> metadata (avro.schema, avro.codec, …), sync(16), block*
 *   block := count(zigzag) size(zigzag) bytes sync(16)
 *
 * Reading decodes each record into a tree of datums in the file's own schema; the caller picks fields by
 * field id, falling back to names only for schemas without ids. Writing is by hand in schema order.
 */
#ifndef RWL_AVRO_AVRO_H
#define RWL_AVRO_AVRO_H

#include "base/arena.h"
#include "base/buf.h"
#include "codec/codec.h"
#include "storage/store.h"

typedef enum rwl_avro_kind {
    RWL_AVRO_NULL,
    RWL_AVRO_BOOLEAN,
    RWL_AVRO_INT,
    RWL_AVRO_LONG,
    RWL_AVRO_FLOAT,
    RWL_AVRO_DOUBLE,
    RWL_AVRO_BYTES,
    RWL_AVRO_STRING,
    RWL_AVRO_FIXED,
    RWL_AVRO_ENUM,
    RWL_AVRO_ARRAY,
    RWL_AVRO_MAP,
    RWL_AVRO_RECORD,
    RWL_AVRO_UNION
} rwl_avro_kind;

typedef struct rwl_avro_schema rwl_avro_schema;

typedef struct rwl_avro_field {
    const char *name;
    const char *
        iceberg_name; /* iceberg-field-name: what it is called where Avro allows no such name; NULL when absent */
    int32_t id;       /* field-id, -1 when absent */
    const rwl_avro_schema *schema;
} rwl_avro_field;

/* A node of a parsed schema; lives in the arena it was parsed into. Recursive named types are refused. */
struct rwl_avro_schema {
    rwl_avro_kind kind;
    const char *name;                     /* RECORD, FIXED, ENUM */
    const char *logical_type;             /* NULL when none */
    int8_t adjust_to_utc;                 /* 1 true, 0 false, -1 absent */
    int32_t element_id, key_id, value_id; /* -1 when absent */
    int32_t size;                         /* FIXED */
    const char *const *symbols;           /* ENUM */
    int32_t symbol_count;
    int32_t precision, scale;     /* decimal */
    const rwl_avro_field *fields; /* RECORD */
    int32_t field_count;
    const rwl_avro_schema **branches; /* UNION; ARRAY and MAP: [0] is the item */
    int32_t branch_count;
    int32_t min_len;     /* fewest bytes a value takes, at most INT32_MAX */
    int32_t fixed_len;   /* bytes that every value takes, -1 where they differ */
    int32_t height;      /* levels of nesting, 1 for a leaf */
    const bool *has_ids; /* whether any field of the whole schema has an id; shared by all nodes */
};

/* Levels of nesting a schema may have, references to named types resolved. */
#define RWL_AVRO_DEPTH_MAX 64

/* Parses the JSON of a schema into `arena`. CORRUPT: no schema; UNSUPPORTED: recursive or nested too deep. A
 * later definition of a name replaces the earlier one for what follows (some writers repeat them). */
RWL_MUST_CHECK rwl_status rwl_avro_schema_parse(rwl_span json, rwl_arena *arena, const rwl_avro_schema **out,
                                                rwl_error *err);

/* A decoded value; unions are resolved (schema is the branch's). Bytes are borrowed from the block. */
typedef struct rwl_avro_datum {
    const rwl_avro_schema *schema;
    rwl_avro_kind kind;
    union {
        bool b;
        int64_t i; /* INT, LONG, ENUM index */
        float f;
        double d;
        rwl_span bytes; /* BYTES, STRING, FIXED */
        struct {
            const struct rwl_avro_datum
                *items;    /* RECORD: one a field; ARRAY: items; MAP: key, value, key, value… */
            int32_t count; /* datums in items: two for each entry of a MAP */
        } list;
    } as;
} rwl_avro_datum;

/* The record's field with this id, or, when no field of the whole schema has an id and name is not NULL, with
 * this name; NULL when there is none, its value is null, or `record` is NULL or no record. */
const rwl_avro_datum *rwl_avro_get(const rwl_avro_datum *record, int32_t field_id, const char *name);

/* --- reading --- */

typedef struct rwl_avro_reader rwl_avro_reader;

/* Most bytes of one block, as stored and uncompressed, and of what one decoded record takes. */
#define RWL_AVRO_BLOCK_MAX  (256 * 1024 * 1024)
#define RWL_AVRO_RECORD_MAX (256 * 1024 * 1024)

/* Opens a container file; `location` (copied) is the path of errors. Reads ahead, holds one block at a time, charged to
 * the operation, which is to outlive the reader.
 * Codecs null, deflate, snappy, zstandard; others UNSUPPORTED by name. */
RWL_MUST_CHECK rwl_status rwl_avro_reader_open(rwl_store *store, rwl_op *op, const char *location,
                                               rwl_avro_reader **out, rwl_error *err);
/* A schema that many files have, parsed once: a file whose header has the very `text` gets `schema`. Both must outlive
 * the readers. */
typedef struct rwl_avro_known_schema {
    rwl_span text;
    const rwl_avro_schema *schema;
} rwl_avro_known_schema;
/* The same for one of them; `known` NULL: nothing is. */
RWL_MUST_CHECK rwl_status rwl_avro_reader_open_known(rwl_store *store, rwl_op *op, const char *location,
                                                     const rwl_avro_known_schema *known,
                                                     rwl_avro_reader **out, rwl_error *err);
void rwl_avro_reader_close(rwl_avro_reader *r); /* NULL is fine */
const rwl_avro_schema *rwl_avro_reader_schema(const rwl_avro_reader *r);
/* A header metadata value, empty span with data NULL when absent. */
rwl_span rwl_avro_reader_metadata(const rwl_avro_reader *r, const char *key);
/* The next record, valid until the next call; *out NULL at the end of a whole file. */
RWL_MUST_CHECK rwl_status rwl_avro_reader_next(rwl_avro_reader *r, const rwl_avro_datum **out,
                                               rwl_error *err);
/* The next block that has records, instead of them: their encoded bytes, valid until the next call, and how many they
 * are; *count 0 at the end of a whole file. For who decodes by itself; not among calls of rwl_avro_reader_next. */
RWL_MUST_CHECK rwl_status rwl_avro_reader_next_block(rwl_avro_reader *r, rwl_span *bytes, int64_t *count,
                                                     rwl_error *err);
/* Where the current block begins in the file, for messages. */
int64_t rwl_avro_reader_block_off(const rwl_avro_reader *r);

/* --- writing --- */

typedef struct rwl_avro_writer rwl_avro_writer;

typedef struct rwl_avro_metadata {
    const char *key;
    rwl_span value;
} rwl_avro_metadata;

/* Opens a container file for writing. The header holds avro.schema, avro.codec, then `metadata` in the order
 * given (keys that begin with "avro." are refused). Strings are copied or written at once. */
RWL_MUST_CHECK rwl_status rwl_avro_writer_open(rwl_store *store, rwl_op *op, const char *location,
                                               const char *schema_json, const rwl_avro_metadata *metadata,
                                               size_t metadata_count,
                                               rwl_codec_id codec /* NONE, DEFLATE, SNAPPY, ZSTD */,
                                               int level, rwl_avro_writer **out, rwl_error *err);
/* The buffer the current record is encoded into, with the functions below; end_record closes it. */
rwl_buf *rwl_avro_writer_record(rwl_avro_writer *w);
RWL_MUST_CHECK rwl_status rwl_avro_writer_end_record(rwl_avro_writer *w, rwl_error *err);
/* Bytes written to the file so far, the open block counted uncompressed: for rolling by size. */
int64_t rwl_avro_writer_size(const rwl_avro_writer *w);
/* Makes the file visible; frees the writer whatever the result. */
RWL_MUST_CHECK rwl_status rwl_avro_writer_finish(rwl_avro_writer *w, int64_t *file_size, rwl_error *err);
void rwl_avro_writer_abort(rwl_avro_writer *w); /* NULL is fine */

RWL_MUST_CHECK rwl_status rwl_avro_put_long(rwl_buf *b, int64_t v, rwl_error *err); /* int too; union index */
RWL_MUST_CHECK rwl_status rwl_avro_put_bool(rwl_buf *b, bool v, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_avro_put_float(rwl_buf *b, float v, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_avro_put_double(rwl_buf *b, double v, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_avro_put_bytes(rwl_buf *b, rwl_span v, rwl_error *err); /* string too */

#endif
