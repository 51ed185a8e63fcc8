/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of a file, walked through a window: what is passed over is not read, and nothing is ever held whole.
 * Manifests and transactions are mostly inline lineage where they are large.
 */
#ifndef RWL_LANCE_STREAM_INTERNAL_H
#define RWL_LANCE_STREAM_INTERNAL_H

#include "storage/store.h"
#include "wire/proto.h"

enum { RWL_LANCE_WINDOW = 65536 };

typedef struct rwl_lance_stream {
    rwl_file *file; /* borrowed */
    rwl_op *op;
    int64_t size;                     /* of the file */
    int64_t pos;                      /* of the next byte */
    int64_t window_offset;            /* of the window's first byte */
    size_t window_len;                /* bytes in it */
    uint8_t window[RWL_LANCE_WINDOW]; /* large: streams live on the heap */
} rwl_lance_stream;

/* One field's head; of bytes, the stream stands at their first. */
typedef struct rwl_lance_head {
    uint32_t number;
    rwl_proto_type type;
    uint64_t value; /* of BYTES their number, which fits before the message's end */
} rwl_lance_head;

RWL_MUST_CHECK rwl_status rwl_lance_stream_new(rwl_file *file, rwl_op *op, rwl_lance_stream **out,
                                               rwl_error *err);
void rwl_lance_stream_free(rwl_lance_stream *s); /* NULL is fine */
/* At least one byte at `pos`, as many as the window has; CORRUPT at the end of the file. */
RWL_MUST_CHECK rwl_status rwl_lance_stream_view(rwl_lance_stream *s, rwl_span *out, rwl_error *err);
/* The next `len` bytes. */
RWL_MUST_CHECK rwl_status rwl_lance_stream_read(rwl_lance_stream *s, uint8_t *out, size_t len,
                                                rwl_error *err);
/* The next field of a message that ends at `end`, which `pos` is before. CORRUPT as of rwl_proto_next. */
RWL_MUST_CHECK rwl_status rwl_lance_stream_head(rwl_lance_stream *s, int64_t end, rwl_lance_head *out,
                                                rwl_error *err);
/* A message with its length in front, at `offset` of the file; `pos` at its first byte. CORRUPT when it isn't whole before
 * `limit`. `what` is for messages. */
RWL_MUST_CHECK rwl_status rwl_lance_stream_section(rwl_lance_stream *s, int64_t offset, int64_t limit,
                                                   const char *what, int64_t *length, rwl_error *err);

#endif
