/* SPDX-License-Identifier: Apache-2.0 */
/* A file read from front to back in pieces, the next one asked for while the current one is used. */
#ifndef RWL_AVRO_INPUT_H
#define RWL_AVRO_INPUT_H

#include "storage/store.h"

typedef struct rwl_avro_piece {
    rwl_range_read read;
    uint8_t *data;
    size_t cap;
    bool asked; /* read was submitted and not yet waited for */
} rwl_avro_piece;

typedef struct rwl_avro_input {
    rwl_op *op;
    rwl_file *file;
    size_t piece_len;
    int64_t size;      /* of the file */
    int64_t asked;     /* bytes asked for so far */
    int64_t asked_end; /* where the next piece begins */
    int64_t off;       /* where reading stands */
    rwl_avro_piece pieces[2];
    int current;
    size_t pos, len; /* in the current piece */
} rwl_avro_input;

enum { RWL_AVRO_PIECE_LEN = 1024 * 1024, RWL_AVRO_HEADER_PIECE_LEN = 64 * 1024 };

/* Opens the file to be read from `off`, in pieces of `piece_len`. Must stay where it is until closed. */
RWL_MUST_CHECK rwl_status rwl_avro_input_open(rwl_avro_input *in, rwl_store *store, rwl_op *op,
                                              const char *location, int64_t off, size_t piece_len,
                                              rwl_error *err);
void rwl_avro_input_close(rwl_avro_input *in); /* a zeroed one is fine */
static inline int64_t rwl_avro_input_left(const rwl_avro_input *in) {
    return in->size - in->off;
}
/* The next `len` bytes, valid until the next call: a view where they lie in one piece, else copied to
 * `spill`. CORRUPT "file ends inside <what>" when there are fewer. */
RWL_MUST_CHECK rwl_status rwl_avro_input_take(rwl_avro_input *in, size_t len, rwl_buf *spill,
                                              const char *what, rwl_span *out, rwl_error *err);
/* Passes over the next `len` bytes, without reading what was not asked for yet. */
RWL_MUST_CHECK rwl_status rwl_avro_input_skip(rwl_avro_input *in, int64_t len, const char *what,
                                              rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_avro_input_zigzag(rwl_avro_input *in, const char *what, int64_t *out,
                                                rwl_error *err);

#endif
