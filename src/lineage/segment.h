/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments of row-id sequences and version runs as Lance encodes them ("lance.table": U64Segment, EncodedU64Array; a
 * RowIdSequence is segments one after another, in physical row order, deleted rows included).
 *
 *   U64Segment      := 1 range | 2 range_with_holes | 3 range_with_bitmap | 4 sorted_array | 5 array      none: no values
 *   1 range         := 1 start, 2 end (exclusive)
 *   2 with holes    := 1 start, 2 end, 3 holes EncodedU64Array (values, ascending)
 *   3 with bitmap   := 1 start, 2 end, 3 bitmap: value start + i is there when bit i % 8 of byte i / 8 is 1 (LSB first,
 *                      whatever a comment in the protocol file says)
 *   EncodedU64Array := 1 u16 {1 base, 2 offsets u16[]} | 2 u32 {1 base, 2 offsets u32[]} | 3 u64 {2 values u64[]}    little endian
 *
 * Values are below 2^63 - 1; greater ones are CORRUPT: no next-row-id could be above them that this library can hold.
 */
#ifndef RWL_LINEAGE_SEGMENT_H
#define RWL_LINEAGE_SEGMENT_H

#include "base/buf.h"
#include "column/runs.h"

typedef enum rwl_segment_form {
    RWL_SEGMENT_RANGE = 1,
    RWL_SEGMENT_HOLES = 2,
    RWL_SEGMENT_BITMAP = 3,
    RWL_SEGMENT_SORTED = 4,
    RWL_SEGMENT_ARRAY = 5
} rwl_segment_form;

/* A checked view of a segment's bytes. */
typedef struct rwl_segment {
    rwl_segment_form form;
    int64_t start, end; /* RANGE, HOLES, BITMAP: values lie in [start, end) */
    int64_t count;      /* values */
    rwl_span items;     /* HOLES, SORTED, ARRAY: numbers of `item_len` bytes; BITMAP: bits */
    int32_t item_len;   /* 2, 4, 8 */
    int64_t base;       /* added to each number */
} rwl_segment;

/* Parses a U64Segment message: CORRUPT for what breaks the rules above (end before start, a bitmap of another length or with bits
 * behind its end, holes outside or not ascending, a sorted array that is not, lengths that are no multiple). */
RWL_MUST_CHECK rwl_status rwl_segment_parse(rwl_span message, rwl_segment *out, rwl_error *err);
/* The number of values alone, without looking at them: of spans of version runs. */
RWL_MUST_CHECK rwl_status rwl_segment_count(rwl_span message, int64_t *count, rwl_error *err);

/* Reads a varint below 2^63 of at most nine bytes; NULL when there is none. */
static inline const uint8_t *rwl_segment_varint(const uint8_t *at, const uint8_t *end, int64_t *out) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 63 && at < end; shift += 7) {
        uint64_t byte = *at++;
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = (int64_t)value;
            return at;
        }
    }
    return NULL;
}
/* A range as every writer has it, of which there may be one a row: its bounds; false when the message has to be parsed the long way. */
static inline bool rwl_segment_plain_range(rwl_span message, int64_t *start, int64_t *end) {
    enum { TAG_RANGE = 1 << 3 | 2, TAG_START = 1 << 3, TAG_END = 2 << 3 };
    if (message.len < 4 || message.len > 129 || message.data[0] != TAG_RANGE ||
        message.data[1] != message.len - 2)
        return false;
    const uint8_t *at = message.data + 2, *stop = message.data + message.len;
    *start = 0;
    if (*at == TAG_START) {
        at = rwl_segment_varint(at + 1, stop, start);
        if (at == NULL || at == stop)
            return false;
    }
    if (*at != TAG_END)
        return false;
    return rwl_segment_varint(at + 1, stop, end) == stop && *start <= *end;
}

/* A place in a segment; zeroed it is the first value. */
typedef struct rwl_segment_place {
    int64_t index; /* of the next value */
    int64_t value; /* HOLES, BITMAP: where to go on looking from */
    int64_t item;  /* HOLES: the next hole */
} rwl_segment_place;
/* Appends the next `count` values (no more than are left) to `out`, step 1. */
RWL_MUST_CHECK rwl_status rwl_segment_read(const rwl_segment *segment, rwl_segment_place *place,
                                           int64_t count, rwl_runs *out, rwl_error *err);
/* rwl_runs_append, and quick where the runs have turned dense: for walks that give a value at a time. */
static inline rwl_status rwl_segment_emit(rwl_runs *out, int64_t start, int64_t count, rwl_error *err) {
    int64_t room, *to = rwl_runs_tail(out, &room);
    if (to == NULL || count != 1)
        return rwl_runs_append(out, start, count, err);
    *to = start;
    rwl_runs_written(out, 1);
    return RWL_OK;
}
/* Passes the next `count` values. */
void rwl_segment_skip(const rwl_segment *segment, rwl_segment_place *place, int64_t count);
/* Neighbouring values: `count` of them from number `first` on, all in [least, end). */
typedef struct rwl_segment_slice {
    int64_t first, count;
    int64_t least, end;
} rwl_segment_slice;
/* All of them; of an array, whose values lie anyhow, nothing is known. */
rwl_segment_slice rwl_segment_whole(const rwl_segment *segment);
/* Parts a slice, by value or by number, so that whoever looks for a few values passes over the others in O(log). False when
 * there is nothing to part, and of arrays. */
bool rwl_segment_halve(const rwl_segment *segment, const rwl_segment_slice *slice, rwl_segment_slice *low,
                       rwl_segment_slice *high);
/* Least and greatest value; count is above 0. */
void rwl_segment_bounds(const rwl_segment *segment, int64_t *least, int64_t *greatest);
/* The segment as text, as `inspect` shows it: "range 0..4", "bitmap 1..8 43", "sorted_array u16 x3". */
RWL_MUST_CHECK rwl_status rwl_segment_format(const rwl_segment *segment, rwl_buf *out, rwl_error *err);

#endif
