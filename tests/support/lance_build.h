/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes Lance data files of any content for tests, right or wrong. Memory that runs out ends the program.
 *
 *   lance_build b;
 *   lance_build_init(&b, &env, 2, 1);
 *   lance_build_field(&b, "i", 0, -1, "int32", false);
 *   lance_build_column(&b);                                column 0
 *   lance_build_buffer(&b, metadata, 2);                   buffers of its next page, each at a multiple of 64
 *   lance_build_buffer(&b, chunks, 24);
 *   lance_build_page(&b, 4, encoding);                     4 rows; the message inside of the Any
 *   lance_build_finish(&b, 4, &bytes);                     or lance_build_write(&b, 4, path)
 *   lance_build_clear(&b);
 *
 * The layout, padding with 'H' included, is that of lance's own writer.
 */
#ifndef RWL_TESTS_LANCE_BUILD_H
#define RWL_TESTS_LANCE_BUILD_H

#include "base/buf.h"

#include <stdint.h>

/* --- protobuf: each appends one field to a message --- */

void pb_varint(rwl_buf *out, uint32_t number, uint64_t value);
void pb_signed(rwl_buf *out, uint32_t number, int64_t value); /* int32, int64: ten bytes when negative */
void pb_fixed64(rwl_buf *out, uint32_t number, uint64_t value);
void pb_fixed32(rwl_buf *out, uint32_t number, uint32_t value);
void pb_bytes(rwl_buf *out, uint32_t number, rwl_span bytes);
void pb_text(rwl_buf *out, uint32_t number, const char *text);
void pb_packed(rwl_buf *out, uint32_t number, const uint64_t *values, size_t count);
/* Begins a message of another: what is appended until pb_end is in it. Nests. */
size_t pb_begin(rwl_buf *out, uint32_t number);
void pb_end(rwl_buf *out, size_t begin); /* what pb_begin gave */
/* An empty message's field, for arms that carry nothing. */
void pb_empty(rwl_buf *out, uint32_t number);

/* --- parts of encodings of 2.1 and 2.2, as field `number` of the message they are in --- */

void lance_put_flat(rwl_buf *out, uint32_t number, uint64_t bits);
void lance_put_variable(rwl_buf *out, uint32_t number, uint64_t offset_bits); /* offsets flat */
void lance_put_inline_bitpacking(rwl_buf *out, uint32_t number, uint64_t bits);
/* A lance.file.Field as a field of a message (1 of schemas and manifests). */
void lance_put_field(rwl_buf *out, uint32_t number, const char *name, int32_t id, int32_t parent_id,
                     const char *logical_type, bool nullable);

/* --- files --- */

typedef struct lance_build {
    const rwl_env *env;
    rwl_buf data;                         /* the file so far */
    rwl_buf schema;                       /* a lance.file.Schema */
    rwl_buf columns;                      /* column metadata of the columns that are complete */
    rwl_buf column;                       /* of the open one, without the column's own buffers */
    rwl_buf offsets, sizes;               /* u64 each: of the next page */
    rwl_buf column_offsets, column_sizes; /* of the open column itself */
    rwl_buf lengths;                      /* u64 each: of complete column metadata */
    rwl_buf globals;                      /* u64 position and length each: beyond the descriptor */
    uint16_t major, minor;
    bool is_open;  /* a column is */
    uint64_t rows; /* of the open column's pages: priority of the next */
    /* what tests may set to other than what is written of itself */
    uint32_t alignment;             /* 64 */
    const char *type_url;           /* of pages; NULL: the version's */
    bool has_no_column_encoding;    /* leaves it out */
    const rwl_buf *column_encoding; /* NULL: {direct{ColumnEncoding{values}}}; else an Encoding message */
} lance_build;

/* (0, 3) is 2.0, (2, 1) 2.1, (2, 2) 2.2, anything else for refusals. */
void lance_build_init(lance_build *b, const rwl_env *env, uint16_t major, uint16_t minor);
void lance_build_clear(lance_build *b);
/* A field of the descriptor's schema. More of its parts: lance_put_field or pb_… on &b->schema. */
void lance_build_field(lance_build *b, const char *name, int32_t id, int32_t parent_id,
                       const char *logical_type, bool nullable);
void lance_build_column(lance_build *b);
/* Returns its position in the file. */
uint64_t lance_build_buffer(lance_build *b, const void *data, size_t len);
/* A buffer of the open column itself, not of a page: blobs. Returns its position. */
uint64_t lance_build_column_buffer(lance_build *b, const void *data, size_t len);
/* Ends a page of all buffers since the last one. */
void lance_build_page(lance_build *b, uint64_t row_count, rwl_span encoding);
/* A page with this Encoding message as it is, and these extents, which may be wrong. */
void lance_build_page_raw(lance_build *b, uint64_t row_count, const uint64_t *offsets, size_t offset_count,
                          const uint64_t *sizes, size_t size_count, rwl_span encoding);
/* A column of one mini-block page and chunk without levels: `count` (1 to 4096) values of `bits` (8, 16, 32, 64) each, flat.
 * The grammar is the version's. */
void lance_build_flat_column(lance_build *b, const void *values, uint32_t count, uint32_t bits);
/* A global buffer beyond the descriptor, which is number 0. */
void lance_build_global(lance_build *b, const void *data, size_t len);
/* Appends the whole file; the builder can only be cleared then. */
void lance_build_finish(lance_build *b, uint64_t rows, rwl_buf *out);
/* Likewise into a new file. */
void lance_build_write(lance_build *b, uint64_t rows, const char *path);

#endif
