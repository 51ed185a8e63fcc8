/* SPDX-License-Identifier: Apache-2.0 */
/* An inline lineage sequence, read as it goes. */
#include "lance/sequence.h"

#include "lance/plain.h"
#include "wire/proto.h"

#include <inttypes.h>

enum { HEAD_MAX = 16 }; /* a tag and a length: at most 5 and 10 bytes */

void rwl_lance_values_init(rwl_lance_values *values, rwl_op *op, const rwl_lance_arm *arm, bool is_versions,
                           rwl_file *file) {
    *values = (rwl_lance_values){.op = op, .is_versions = is_versions};
    if (arm->bytes.data != NULL || arm->length == 0) {
        values->data = arm->bytes.data;
        values->len = arm->bytes.len;
    } else {
        values->file = file;
        values->offset = arm->offset;
        values->left = arm->length;
    }
}

void rwl_lance_values_clear(rwl_lance_values *values) {
    if (values->window == NULL)
        return;
    rwl_free(values->op->env, values->window);
    rwl_op_release(values->op, (int64_t)values->cap);
    values->window = NULL;
    values->data = NULL;
    values->pos = values->len = values->cap = 0;
}

/* --- the window --- */

/* Room for `cap` bytes, those that are left moved to the front. */
static rwl_status grow_window(rwl_lance_values *s, size_t cap, rwl_error *err) {
    size_t rest = s->len - s->pos;
    if (cap > s->cap) {
        RWL_TRY(rwl_op_reserve(s->op, (int64_t)cap, "lineage in the manifest", err));
        uint8_t *window = rwl_alloc(s->op->env, cap);
        if (window == NULL) {
            rwl_op_release(s->op, (int64_t)cap);
            return rwl_no_memory(err, cap);
        }
        if (rest > 0)
            memcpy(window, s->data + s->pos, rest);
        if (s->window != NULL) {
            rwl_free(s->op->env, s->window);
            rwl_op_release(s->op, (int64_t)s->cap);
        }
        s->window = window;
        s->cap = cap;
        s->data = window;
    } else if (rest > 0) {
        memmove(s->window, s->data + s->pos, rest);
    }
    s->pos = 0;
    s->len = rest;
    return RWL_OK;
}

/* Reads on until at least `need` bytes are at hand, no more than there are. */
static rwl_status fill_window(rwl_lance_values *s, size_t need, rwl_error *err) {
    int64_t most = (int64_t)(s->len - s->pos) + s->left;
    size_t cap = most < RWL_LANCE_VALUES_WINDOW ? (size_t)most : RWL_LANCE_VALUES_WINDOW;
    RWL_TRY(rwl_op_check(s->op, err));
    if (s->file == NULL)
        return rwl_fail(err, RWL_INTERNAL, "lineage in the manifest without its file");
    RWL_TRY(grow_window(s, need > cap ? need : cap, err));
    size_t more = s->cap - s->len;
    if ((int64_t)more > s->left)
        more = (size_t)s->left;
    RWL_TRY(rwl_file_read(s->file, s->op, s->offset, more, s->window + s->len, err));
    s->offset += (int64_t)more;
    s->left -= (int64_t)more;
    s->len += more;
    s->bytes_read += (int64_t)more;
    s->requests++;
    return RWL_OK;
}

/* The tag and length (of other types the value) of the field at hand, the long way. */
static rwl_status read_head(const rwl_lance_values *s, uint64_t *tag, uint64_t *length, size_t *head,
                            rwl_error *err) {
    rwl_cursor c = rwl_cursor_of(rwl_span_of(s->data + s->pos, s->len - s->pos));
    uint64_t value;
    uint32_t four;
    *length = 0;
    RWL_TRY(rwl_cursor_varint(&c, tag, err));
    switch (*tag & 7) {
    case RWL_PROTO_BYTES:
        RWL_TRY(rwl_cursor_varint(&c, length, err));
        break;
    case RWL_PROTO_VARINT:
        RWL_TRY(rwl_cursor_varint(&c, &value, err));
        break;
    case RWL_PROTO_FIXED64:
        RWL_TRY(rwl_cursor_le64(&c, &value, err));
        break;
    case RWL_PROTO_FIXED32:
        RWL_TRY(rwl_cursor_le32(&c, &four, err));
        break;
    default:
        return rwl_fail(err, RWL_CORRUPT, "field %" PRIu64 " has wire type %d", *tag >> 3, (int)(*tag & 7));
    }
    *head = c.pos;
    return RWL_OK;
}

/* The next message of field 1, in the window until the next call; unknown fields are passed over. */
static rwl_status next_message(rwl_lance_values *s, bool *more, rwl_span *out, rwl_error *err) {
    enum { TAG = 1 << 3 | RWL_PROTO_BYTES };
    for (;;) {
        if (s->len - s->pos < HEAD_MAX && s->left > 0)
            RWL_TRY(fill_window(s, HEAD_MAX, err));
        size_t at_hand = s->len - s->pos, head = 2;
        *more = at_hand > 0;
        if (!*more)
            return RWL_OK;
        const uint8_t *at = s->data + s->pos;
        uint64_t tag = TAG, length = at_hand > 1 ? at[1] : 0x80;
        if (at[0] != TAG || length >= 0x80)
            RWL_TRY(read_head(s, &tag, &length, &head, err));
        if (length > at_hand - head) {
            if (length > at_hand - head + (uint64_t)s->left)
                return rwl_fail(err, RWL_CORRUPT, "a segment claims %" PRIu64 " bytes, %" PRIu64 " are left",
                                length, at_hand - head + (uint64_t)s->left);
            RWL_TRY(fill_window(s, head + (size_t)length, err));
        }
        *out = rwl_span_of(s->data + s->pos + head, (size_t)length);
        s->pos += head + (size_t)length;
        if (tag == TAG)
            return RWL_OK;
        if (tag >> 3 == 1)
            return rwl_fail(err, RWL_CORRUPT, "field 1 has wire type %d", (int)(tag & 7));
    }
}

/* --- runs and segments --- */

/* A run as every writer has it: the span, then the version. False: to be parsed the long way. */
static inline bool split_plain_run(rwl_span run, rwl_span *span, uint64_t *version) {
    enum { TAG_SPAN = 1 << 3 | RWL_PROTO_BYTES, TAG_VERSION = 2 << 3 };
    const uint8_t *d = run.data;
    if (run.len < 4 || d[0] != TAG_SPAN || d[1] >= 0x80 || run.len < (size_t)d[1] + 4 ||
        d[2 + d[1]] != TAG_VERSION)
        return false;
    *span = rwl_span_of(d + 2, d[1]);
    int64_t value = 0;
    bool is_plain = rwl_segment_varint(d + 3 + d[1], d + run.len, &value) == d + run.len;
    *version = (uint64_t)value;
    return is_plain;
}

static rwl_status split_run(rwl_span run, rwl_span *span, uint64_t *version, rwl_error *err) {
    if (split_plain_run(run, span, version))
        return RWL_OK;
    const rwl_proto_want wants[] = {{1, NULL, span}, {2, version, NULL}};
    *span = rwl_span_of(NULL, 0);
    *version = 0;
    return rwl_proto_pick(run, wants, 2, err);
}

static rwl_status begin_run(rwl_lance_values *s, rwl_span message, rwl_error *err) {
    rwl_span span;
    uint64_t version;
    RWL_TRY(split_run(message, &span, &version, err));
    if (version > INT64_MAX)
        return rwl_fail(err, RWL_CORRUPT, "version %" PRIu64 " is above 2^63 - 1", version);
    s->version = (int64_t)version;
    return rwl_segment_count(span, &s->rest, err);
}

rwl_status rwl_lance_values_next(rwl_lance_values *values, bool *more, rwl_error *err) {
    rwl_lance_values *s = values;
    rwl_span message;
    RWL_TRY(next_message(s, more, &message, err));
    if (!*more)
        return RWL_OK;
    if (s->is_versions)
        return begin_run(s, message, err);
    s->place = (rwl_segment_place){0, 0, 0};
    RWL_TRY(rwl_segment_parse(message, &s->segment, err));
    s->rest = s->segment.count;
    return RWL_OK;
}

/* --- reading --- */

/* The next piece that has values: at most `count` of them. */
static rwl_status next_piece(rwl_lance_values *s, int64_t count, int64_t *piece, rwl_error *err) {
    bool more = true;
    while (s->rest == 0) {
        rwl_status st = rwl_lance_values_next(s, &more, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "behind %" PRId64 " values", s->row);
        if (!more)
            return rwl_fail(err, RWL_CORRUPT, "there are %" PRId64 " values, %" PRId64 " more are missing",
                            s->row, count);
    }
    *piece = s->rest < count ? s->rest : count;
    return RWL_OK;
}

static void pass(rwl_lance_values *s, int64_t piece) {
    s->rest -= piece;
    s->row += piece;
}

static rwl_status read_values(rwl_lance_values *s, int64_t piece, rwl_runs *out, rwl_error *err) {
    if (s->is_versions)
        return rwl_segment_emit(out, s->version, piece, err);
    if (s->segment.form != RWL_SEGMENT_RANGE)
        return rwl_segment_read(&s->segment, &s->place, piece, out, err);
    RWL_TRY(rwl_segment_emit(out, s->segment.start + s->place.index, piece, err));
    s->place.index += piece;
    return RWL_OK;
}

/* Passes the next segment or run if it is whole in the window, a plain range and of at most `count` values; false otherwise.
 * *first: the first id, or the version of all. */
static inline bool pass_plain(rwl_lance_values *s, int64_t count, int64_t *first, int64_t *piece) {
    enum { TAG = 1 << 3 | RWL_PROTO_BYTES };
    size_t at_hand = s->len - s->pos;
    int64_t start, end;
    uint64_t version = 0;
    if (s->rest != 0 || at_hand < 2) /* before the first read there is no window */
        return false;
    const uint8_t *at = s->data + s->pos;
    if (at[0] != TAG || at[1] >= 0x80 || at_hand - 2 < at[1])
        return false;
    rwl_span span = rwl_span_of(at + 2, at[1]);
    if ((s->is_versions && !split_plain_run(span, &span, &version)) ||
        !rwl_segment_plain_range(span, &start, &end) || end - start > count)
        return false;
    *first = s->is_versions ? (int64_t)version : start;
    *piece = end - start;
    s->pos += 2 + (size_t)at[1];
    s->row += *piece;
    return true;
}

/* Short ranges as long as one follows another, at most `count` values, into `to`. */
static int64_t unpack_short(rwl_lance_values *s, int64_t count, int64_t *to) {
    if (s->rest != 0 || s->pos == s->len)
        return 0;
    int64_t rows = rwl_lance_plain_unpack(s->data, s->len, &s->pos, s->is_versions, to, count);
    s->row += rows;
    return rows;
}

static int64_t read_short(rwl_lance_values *s, int64_t count, rwl_runs *out) {
    int64_t room, *to = rwl_runs_tail(out, &room);
    if (to == NULL)
        return 0;
    int64_t rows = unpack_short(s, count < room ? count : room, to);
    rwl_runs_written(out, rows);
    return rows;
}

static int64_t skip_short(rwl_lance_values *s, int64_t count) {
    enum { PART = 256 };
    int64_t passed[PART];
    return unpack_short(s, count < PART ? count : PART, passed);
}

rwl_status rwl_lance_values_read(rwl_lance_values *values, int64_t count, rwl_runs *out, rwl_error *err) {
    int64_t piece = 0, first = 0;
    for (; count > 0; count -= piece) {
        piece = read_short(values, count, out);
        if (piece > 0)
            continue;
        if (pass_plain(values, count, &first, &piece)) {
            RWL_TRY(rwl_segment_emit(out, first, piece, err));
            continue;
        }
        RWL_TRY(next_piece(values, count, &piece, err));
        RWL_TRY(read_values(values, piece, out, err));
        pass(values, piece);
    }
    return RWL_OK;
}

rwl_status rwl_lance_values_skip(rwl_lance_values *values, int64_t count, rwl_error *err) {
    int64_t piece = 0, first;
    for (; count > 0; count -= piece) {
        piece = skip_short(values, count);
        if (piece > 0 || pass_plain(values, count, &first, &piece))
            continue;
        RWL_TRY(next_piece(values, count, &piece, err));
        if (!values->is_versions)
            rwl_segment_skip(&values->segment, &values->place, piece);
        pass(values, piece);
    }
    return RWL_OK;
}

rwl_status rwl_lance_values_segment(rwl_lance_values *values, int64_t row, const rwl_segment **out,
                                    int64_t *first, rwl_error *err) {
    bool more = true;
    *out = NULL;
    RWL_TRY(rwl_lance_values_skip(values, row - values->row, err));
    while (values->rest == 0 && more)
        RWL_TRY(rwl_lance_values_next(values, &more, err));
    if (values->rest == 0)
        return RWL_OK;
    *out = &values->segment;
    *first = row - values->place.index;
    return RWL_OK;
}

rwl_status rwl_lance_values_finish(rwl_lance_values *values, rwl_error *err) {
    bool more = true;
    while (values->rest == 0 && more)
        RWL_TRY(rwl_lance_values_next(values, &more, err));
    if (values->rest == 0)
        return RWL_OK;
    return rwl_fail(err, RWL_CORRUPT, "there are more than %" PRId64 " values", values->row);
}
