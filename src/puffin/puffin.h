/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puffin container and the deletion-vector-v1 blob (Iceberg specification, puffin-spec).
 *
 *   file    := Magic blob* Footer        Magic := "PFA1"
 *   Footer  := Magic payload payload_size(i32 LE) flags(4) Magic     payload := JSON FileMetadata
 *   dv blob := length(u32 BE of magic+vector) D1D33964 vector(64-bit roaring) crc32(u32 BE of magic+vector)
 */
#ifndef RWL_PUFFIN_PUFFIN_H
#define RWL_PUFFIN_PUFFIN_H

#include "base/arena.h"
#include "bitmap/bitmap.h"
#include "storage/store.h"

/* One deletion vector as a manifest entry names it. */
typedef struct rwl_dv_ref {
    const char *location;   /* the Puffin file */
    int64_t offset, length; /* content_offset, content_size_in_bytes */
    int64_t cardinality;    /* record_count */
    int64_t file_size;      /* file_size_in_bytes, 0 when not known; another size is only warned of */
} rwl_dv_ref;

/* The blob alone, both ways. Errors name what is wrong: length, magic, CRC ("invalid CRC …: 0x…, expected
 * 0x…"), cardinality (-1: not checked). */
RWL_MUST_CHECK rwl_status rwl_dv_encode(rwl_bitmap *positions, rwl_buf *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_dv_decode(const rwl_env *env, rwl_span blob, int64_t cardinality,
                                        rwl_bitmap **out, rwl_error *err);
/* Reads one DV out of its file without reading the footer. */
RWL_MUST_CHECK rwl_status rwl_dv_read(rwl_store *store, rwl_op *op, const rwl_dv_ref *ref, rwl_bitmap **out,
                                      rwl_error *err);

/* --- writing: one file, many blobs --- */

typedef struct rwl_puffin_writer rwl_puffin_writer;

RWL_MUST_CHECK rwl_status rwl_puffin_writer_open(rwl_store *store, rwl_op *op, const char *location,
                                                 rwl_puffin_writer **out, rwl_error *err);
/* Adds a deletion vector for `data_file` (byte for byte the path in its manifest entry); fills offset, length
 * and cardinality of `ref` (location borrowed from the writer's argument). */
RWL_MUST_CHECK rwl_status rwl_puffin_add_dv(rwl_puffin_writer *w, const char *data_file,
                                            rwl_bitmap *positions, rwl_dv_ref *ref, rwl_error *err);
/* Writes the footer and makes the file visible; frees the writer whatever the result. */
RWL_MUST_CHECK rwl_status rwl_puffin_writer_finish(rwl_puffin_writer *w, int64_t *file_size, rwl_error *err);
void rwl_puffin_writer_abort(rwl_puffin_writer *w); /* NULL is fine */

/* --- reading the footer --- */

typedef struct rwl_puffin_blob {
    const char *type;
    const int32_t *fields;
    int32_t field_count;
    int64_t snapshot_id, sequence_number, offset, length;
    const char *compression_codec;    /* NULL when none */
    const char *referenced_data_file; /* property, NULL when absent */
    int64_t cardinality;              /* property, -1 when absent */
} rwl_puffin_blob;

typedef struct rwl_puffin_footer {
    rwl_puffin_blob *blobs;
    int32_t blob_count;
} rwl_puffin_footer;

/* Parses a whole file's bytes; everything is in `arena`. */
RWL_MUST_CHECK rwl_status rwl_puffin_parse(rwl_span file, rwl_arena *arena, rwl_puffin_footer *out,
                                           rwl_error *err);
/* Reads the footer of a file from its end, without the blobs. CORRUPT: it has none; UNSUPPORTED: it is compressed or
 * too large. Everything is in `arena`. */
RWL_MUST_CHECK rwl_status rwl_puffin_footer_read(rwl_store *store, rwl_op *op, const char *location,
                                                 rwl_arena *arena, rwl_puffin_footer *out, rwl_error *err);

#endif
