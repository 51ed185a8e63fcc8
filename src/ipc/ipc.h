/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrow IPC, the stream and the file (arrow.apache.org/docs/format/Columnar.html, "Serialization and Interprocess
 * Communication"; Message.fbs, Schema.fbs, File.fbs).
 *
 *   stream  := message* end            end := FFFFFFFF 00000000
 *   message := FFFFFFFF size(i32) flatbuffer Message, padded to 8; then its body, as long as the Message says
 *   file    := "ARROW1" 00 00 stream flatbuffer Footer size(i32) "ARROW1"
 *
 * The first message is the schema, each later one a batch of rows: its body holds the buffers of all columns depth first, each
 * at a multiple of 8. All numbers are little endian. Metadata version 5.
 */
#ifndef RWL_IPC_IPC_H
#define RWL_IPC_IPC_H

#include "base/buf.h"

#include <rowline/arrow.h>

/* --- writing --- */

/* Takes bytes in order. */
typedef struct rwl_ipc_sink {
    void *ctx;
    rwl_status (*write)(void *ctx, const void *data, size_t len, rwl_error *err);
} rwl_ipc_sink;

typedef struct rwl_ipc_writer rwl_ipc_writer;

/* Writes the schema. `file`: the file format, else the stream. UNSUPPORTED naming a format string that is not written
 * (those of <rowline/arrow.h> streams that this library makes all are). The schema is borrowed until the writer is freed. */
RWL_MUST_CHECK rwl_status rwl_ipc_writer_new(const rwl_env *env, const struct ArrowSchema *schema, bool file,
                                             rwl_ipc_sink sink, rwl_ipc_writer **out, rwl_error *err);
/* Writes a batch: a struct array of the schema, at offset 0 like all its children. Not released. */
RWL_MUST_CHECK rwl_status rwl_ipc_writer_write(rwl_ipc_writer *w, const struct ArrowArray *batch,
                                               rwl_error *err);
/* Writes the end of the stream, and of a file its footer. */
RWL_MUST_CHECK rwl_status rwl_ipc_writer_finish(rwl_ipc_writer *w, rwl_error *err);
void rwl_ipc_writer_free(rwl_ipc_writer *w); /* NULL is fine */

/* --- reading --- */

/*
 * A stream or a file, told apart by its first bytes, from a path or "-" (standard input), front to back; a file's footer is not
 * needed. Arrays point into the message they came with. Bodies compressed with LZ4 frames or zstd. Every length, offset
 * and buffer is checked against the message: CORRUPT naming the message. Dictionaries of flat
 * values are read, also such as replace earlier ones. UNSUPPORTED by name: dictionaries that grow or are nested, big-endian data,
 * tensors, metadata before version 4, types beyond those rwl_arrow_import_schema reads, messages above 2 GiB.
 */
RWL_MUST_CHECK rwl_status rwl_ipc_open_stream(rwl_op *op, const char *path, struct ArrowArrayStream *out,
                                              rwl_error *err);
/* The same from memory, borrowed until the stream is released; `location` is for messages. */
RWL_MUST_CHECK rwl_status rwl_ipc_open_bytes(rwl_op *op, rwl_span bytes, const char *location,
                                             struct ArrowArrayStream *out, rwl_error *err);
/* The error of such a stream's last failure, as rwl_arrow_stream_error tells it of others; code OK when there was none or the stream is
 * not of this module. */
void rwl_ipc_stream_error(const struct ArrowArrayStream *stream, rwl_error *out);

#endif
