/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of a stream or file, front to back, as a stream of the C stream interface. */
#include "ipc/read_internal.h"

#include "base/vec.h"
#include "storage/stream.h"

#include <errno.h>
#include <inttypes.h>

enum { METADATA_MAX = 256 << 20, READ_STEP = 4 << 20 };
#define BODY_MAX ((size_t)INT32_MAX)

typedef struct ipc_stream {
    rwl_op *op;
    rwl_stream *bytes; /* NULL: all of it is in memory, `ahead` to begin with */
    char *path;
    rwl_buf schema_message;
    rwl_buf metadata, body; /* of the message being read */
    rwl_span ahead; /* bytes in memory, to be read before others: the first ones of a stream again, say */
    uint8_t first[8];
    struct ArrowSchema schema;
    RWL_VEC(rwl_ipc_dictionary) dictionaries;
    bool is_file;    /* which ends its messages by a mark, not where the bytes end */
    int64_t message; /* number of the message being read, for errors */
    bool at_end;
    rwl_error failed; /* code OK while nothing failed */
} ipc_stream;

/* --- bytes --- */

static rwl_status read_some(ipc_stream *s, uint8_t *dst, size_t cap, size_t *got, rwl_error *err) {
    if (s->ahead.len == 0 && s->bytes != NULL)
        return rwl_stream_read(s->bytes, dst, cap, got, err);
    *got = s->ahead.len < cap ? s->ahead.len : cap;
    if (*got == 0)
        return RWL_OK;
    memcpy(dst, s->ahead.data, *got);
    s->ahead = rwl_span_of(s->ahead.data + *got, s->ahead.len - *got);
    return RWL_OK;
}

/* The next `len` bytes appended to `out`, in steps, so that what is asked for is there before memory is; *ended: there
 * was none at all. */
static rwl_status read_bytes(ipc_stream *s, size_t len, rwl_buf *out, bool *ended, rwl_error *err) {
    size_t left = len;
    *ended = false;
    while (left > 0) {
        size_t step = left < READ_STEP ? left : READ_STEP, got;
        RWL_TRY(rwl_op_check(s->op, err));
        RWL_TRY(rwl_buf_reserve(out, step, err));
        RWL_TRY(read_some(s, out->data + out->len, step, &got, err));
        if (got == 0) {
            *ended = left == len;
            return *ended
                       ? (rwl_status)RWL_OK
                       : rwl_fail(err, RWL_CORRUPT, "the stream ends %zu bytes before a message does", left);
        }
        out->len += got;
        left -= got;
    }
    return RWL_OK;
}

static rwl_status read_u32(ipc_stream *s, uint32_t *out, bool *ended, rwl_error *err) {
    rwl_buf_reset(&s->metadata);
    RWL_TRY(read_bytes(s, 4, &s->metadata, ended, err));
    *out = *ended ? 0 : rwl_load_le32(s->metadata.data);
    return RWL_OK;
}

static rwl_status must_be_there(bool ended, rwl_error *err) {
    return ended ? rwl_fail(err, RWL_CORRUPT, "the stream ends within a message") : (rwl_status)RWL_OK;
}

/* The length of the next message's metadata; 0 at the end, which of a stream may also be that of the bytes. */
static rwl_status read_length(ipc_stream *s, uint32_t *out, rwl_error *err) {
    bool ended;
    RWL_TRY(read_u32(s, out, &ended, err));
    if (ended && s->is_file)
        return rwl_fail(err, RWL_CORRUPT, "the file ends before its last message does: it was cut off");
    if (!ended && *out == UINT32_MAX) { /* before version 5 the length stood alone */
        RWL_TRY(read_u32(s, out, &ended, err));
        RWL_TRY(must_be_there(ended, err));
    }
    if (*out > METADATA_MAX)
        return rwl_fail(err, RWL_CORRUPT, "a message claims %" PRIu32 " bytes of metadata", *out);
    return RWL_OK;
}

/* --- messages --- */

/* The next message: its kind (0 at the end) and header; the body is read too. */
static rwl_status next_message(ipc_stream *s, uint8_t *kind, rwl_flat_table *header, rwl_error *err) {
    uint32_t len;
    rwl_flat_table message;
    int16_t version;
    int64_t body;
    bool ended;
    *kind = 0;
    RWL_TRY(read_length(s, &len, err));
    if (len == 0)
        return RWL_OK;
    rwl_buf_reset(&s->metadata);
    rwl_buf_reset(&s->body);
    RWL_TRY(read_bytes(s, len, &s->metadata, &ended, err));
    RWL_TRY(must_be_there(ended, err));
    RWL_TRY(rwl_flat_root(rwl_buf_span(&s->metadata), &message, err));
    RWL_TRY(rwl_flat_get_i16(&message, 0, 0, &version, err));
    RWL_TRY(rwl_flat_get_u8(&message, 1, 0, kind, err));
    RWL_TRY(rwl_flat_get_table(&message, 2, header, err));
    RWL_TRY(rwl_flat_get_i64(&message, 3, 0, &body, err));
    if (version < RWL_IPC_VERSION_4 || version > RWL_IPC_VERSION_5)
        return rwl_fail(err, RWL_UNSUPPORTED, "Arrow metadata of version %d is not read", version + 1);
    if (body < 0 || (size_t)body > BODY_MAX)
        return rwl_fail(err, body < 0 ? RWL_CORRUPT : RWL_UNSUPPORTED, "a message body has %" PRId64 " bytes",
                        body);
    RWL_TRY(read_bytes(s, (size_t)body, &s->body, &ended, err));
    return must_be_there(ended && body > 0, err);
}

static rwl_status read_first(ipc_stream *s, rwl_error *err) {
    uint8_t kind;
    rwl_flat_table header;
    RWL_TRY(next_message(s, &kind, &header, err));
    if (kind != RWL_IPC_SCHEMA)
        return rwl_fail(err, RWL_CORRUPT, "it does not begin with a schema");
    RWL_TRY(rwl_ipc_read_schema(s->op->env, &header, &s->schema, err));
    return rwl_buf_append(&s->schema_message, s->metadata.data, s->metadata.len, err);
}

/* Keeps the message that was just read as a dictionary; one of the same id is replaced. */
static rwl_status keep_dictionary(ipc_stream *s, const rwl_flat_table *header, rwl_error *err) {
    const rwl_env *env = s->op->env;
    uint8_t is_delta;
    rwl_ipc_dictionary d = {.message = s->metadata, .body = s->body};
    RWL_TRY(rwl_flat_get_i64(header, 0, 0, &d.id, err));
    RWL_TRY(rwl_flat_get_u8(header, 2, 0, &is_delta, err));
    if (is_delta != 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "dictionary %" PRId64 " grows on the way, which is not read",
                        d.id);
    size_t i = 0;
    while (i < s->dictionaries.len && s->dictionaries.items[i].id != d.id)
        i++;
    if (i == s->dictionaries.len) {
        RWL_TRY(rwl_vec_push(&s->dictionaries, env, d, err));
    } else {
        rwl_buf_clear(&s->dictionaries.items[i].message);
        rwl_buf_clear(&s->dictionaries.items[i].body);
        s->dictionaries.items[i] = d;
    }
    rwl_buf_init(&s->metadata, env, SIZE_MAX);
    rwl_buf_init(&s->body, env, SIZE_MAX);
    return RWL_OK;
}

static rwl_status read_next(ipc_stream *s, struct ArrowArray *out, rwl_error *err) {
    uint8_t kind = RWL_IPC_DICTIONARY;
    rwl_flat_table header;
    memset(out, 0, sizeof *out);
    if (s->at_end)
        return RWL_OK;
    for (;;) {
        s->message++;
        RWL_TRY(next_message(s, &kind, &header, err));
        if (kind != RWL_IPC_DICTIONARY)
            break;
        RWL_TRY(keep_dictionary(s, &header, err));
    }
    if (kind == 0) {
        s->at_end = true;
        return RWL_OK;
    }
    if (kind != RWL_IPC_BATCH)
        return rwl_fail(err, RWL_UNSUPPORTED, "an Arrow message of kind %u is not read", kind);
    rwl_ipc_dictionaries dictionaries = {s->dictionaries.items, s->dictionaries.len};
    return rwl_ipc_read_batch(s->op, &s->schema, dictionaries, &header, &s->body, out, err);
}

/* --- the stream --- */

static const char *shown_path(const ipc_stream *s) {
    return strcmp(s->path, "-") == 0 ? "standard input" : s->path;
}

static int fail_stream(ipc_stream *s, rwl_status st) {
    rwl_error_in(&s->failed, st, "%s: Arrow message %" PRId64, shown_path(s), s->message);
    rwl_error_path(&s->failed, st, shown_path(s));
    return st == RWL_NO_MEMORY ? ENOMEM : EIO;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    ipc_stream *s = stream->private_data;
    rwl_flat_table message, header;
    rwl_status st = rwl_flat_root(rwl_buf_span(&s->schema_message), &message, &s->failed);
    if (st == RWL_OK)
        st = rwl_flat_get_table(&message, 2, &header, &s->failed);
    if (st == RWL_OK)
        st = rwl_ipc_read_schema(s->op->env, &header, out, &s->failed);
    return st == RWL_OK ? 0 : fail_stream(s, st);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    ipc_stream *s = stream->private_data;
    memset(out, 0, sizeof *out);
    if (s->failed.code != RWL_OK)
        return s->failed.code == RWL_NO_MEMORY ? ENOMEM : EIO;
    rwl_status st = read_next(s, out, &s->failed);
    return st == RWL_OK ? 0 : fail_stream(s, st);
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    const ipc_stream *s = stream->private_data;
    return s->failed.code != RWL_OK ? s->failed.message : NULL;
}

static void free_stream(ipc_stream *s) {
    const rwl_env *env = s->op->env;
    if (s->schema.release != NULL)
        s->schema.release(&s->schema);
    rwl_stream_close(s->bytes);
    for (size_t i = 0; i < s->dictionaries.len; i++) {
        rwl_buf_clear(&s->dictionaries.items[i].message);
        rwl_buf_clear(&s->dictionaries.items[i].body);
    }
    rwl_vec_clear(&s->dictionaries, env);
    rwl_buf_clear(&s->schema_message);
    rwl_buf_clear(&s->metadata);
    rwl_buf_clear(&s->body);
    rwl_free(env, s->path);
    rwl_free(env, s);
}

static void release_stream(struct ArrowArrayStream *stream) {
    free_stream(stream->private_data);
    stream->release = NULL;
}

void rwl_ipc_stream_error(const struct ArrowArrayStream *stream, rwl_error *out) {
    memset(out, 0, sizeof *out);
    if (stream->release == release_stream)
        *out = ((const ipc_stream *)stream->private_data)->failed;
}

/* Past what pads a file's magic: to 8 bytes, or to 64 where the writer aligns its bodies so. No message begins with a zero length. */
static rwl_status skip_padding(ipc_stream *s, rwl_error *err) {
    for (int32_t words = (64 - (int32_t)sizeof s->first) / 4; words > 0; words--) {
        rwl_span memory = s->ahead;
        bool ended;
        rwl_buf_reset(&s->body);
        RWL_TRY(read_bytes(s, 4, &s->body, &ended, err));
        RWL_TRY(must_be_there(ended, err));
        if (rwl_load_le32(s->body.data) == 0)
            continue;
        memcpy(s->first, s->body.data, 4);
        s->ahead = s->bytes != NULL ? rwl_span_of(s->first, 4) : memory;
        break;
    }
    return RWL_OK;
}

/* Past the magic of a file; a stream's first bytes are those of its first message. */
static rwl_status begin(ipc_stream *s, rwl_error *err) {
    bool ended;
    rwl_span memory = s->ahead;
    RWL_TRY(read_bytes(s, sizeof s->first, &s->body, &ended, err));
    RWL_TRY(must_be_there(ended, err));
    memcpy(s->first, s->body.data, sizeof s->first);
    s->is_file = memcmp(s->first, RWL_IPC_MAGIC, RWL_IPC_MAGIC_LEN) == 0;
    if (s->is_file)
        RWL_TRY(skip_padding(s, err));
    else
        s->ahead = s->bytes != NULL ? rwl_span_of(s->first, sizeof s->first) : memory;
    return read_first(s, err);
}

/* Opens `path`, or takes the bytes it stands for. */
static rwl_status open_stream(rwl_op *op, const char *path, const rwl_span *bytes,
                              struct ArrowArrayStream *out, rwl_error *err) {
    ipc_stream *s = rwl_calloc(op->env, 1, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    s->op = op;
    rwl_buf_init(&s->schema_message, op->env, SIZE_MAX);
    rwl_buf_init(&s->metadata, op->env, SIZE_MAX);
    rwl_buf_init(&s->body, op->env, SIZE_MAX);
    s->path = rwl_strdup(op->env, path);
    rwl_status st = s->path != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, strlen(path) + 1);
    if (bytes != NULL)
        s->ahead = *bytes;
    else if (st == RWL_OK)
        st = rwl_stream_open(op, path, &s->bytes, err);
    if (st == RWL_OK)
        st = begin(s, err);
    if (st != RWL_OK) {
        if (st == RWL_CORRUPT || st == RWL_UNSUPPORTED)
            st = rwl_error_path(err, rwl_error_in(err, st, "%s", shown_path(s)), shown_path(s));
        free_stream(s);
        return st;
    }
    *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, s};
    return RWL_OK;
}

rwl_status rwl_ipc_open_stream(rwl_op *op, const char *path, struct ArrowArrayStream *out, rwl_error *err) {
    return open_stream(op, path, NULL, out, err);
}

rwl_status rwl_ipc_open_bytes(rwl_op *op, rwl_span bytes, const char *location, struct ArrowArrayStream *out,
                              rwl_error *err) {
    return open_stream(op, location, &bytes, out, err);
}
