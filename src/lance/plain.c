/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short ranges unpacked in one loop: eight bytes at a time, and with branches only for what is rare.
 *
 * The length of a range says how long its bounds are, for both are nearly always of one length. Of each length a table has what is
 * then to be seen. When the bounds are equal but for the lowest seven bits, the difference of their bytes is the number of values,
 * and only the start has to be unpacked.
 */
#include "lance/plain.h"

#include "base/buf.h"

enum {
    TAG_MESSAGE = 1 << 3 | 2, /* a run of the sequence or a segment, its span, and a range in it */
    TAG_START = 1 << 3,
    TAG_END = 2 << 3,
    TAG_VERSION = 2 << 3,
    SEGMENT_HEAD = 5, /* 0a len 0a len 08 */
    RUN_HEAD = 7,     /* 0a len 0a len 0a len 08 */
    BYTES_MOST =
        48 /* no less than what is looked at of one: its head, two bounds and a version of 8 bytes each, tags */
};
#define MORE_BITS UINT64_C(0x8080808080808080) /* of bytes of a varint that have another one behind them */

/* What there is to be seen in a range of a certain length, bounds of `n` bytes each. */
typedef struct shape {
    uint64_t head;   /* tags and lengths before the start; of a run with 0 for the first length */
    uint64_t more;   /* MORE_BITS of a bound */
    uint64_t bytes;  /* those of the start */
    uint64_t behind; /* those of the tag and the end */
} shape;

#define BYTES(n)       (UINT64_MAX >> (64 - 8 * (n)))
#define RANGE_LEN(n)   (UINT64_C(2) + 2 * (n))
#define SHAPE(n, head) [RANGE_LEN(n)] = {head, MORE_BITS & BYTES(n) >> 8, BYTES(n), BYTES((n) + 1)}
#define SHAPE_SEGMENT(n)                                                                                     \
    SHAPE(n, TAG_MESSAGE | (RANGE_LEN(n) + 2) << 8 | TAG_MESSAGE << 16 | RANGE_LEN(n) << 24 |                \
                 (uint64_t)TAG_START << 32)
#define SHAPE_RUN(n)                                                                                         \
    SHAPE(n, TAG_MESSAGE | TAG_MESSAGE << 16 | (RANGE_LEN(n) + 2) << 24 | (uint64_t)TAG_MESSAGE << 32 |      \
                 RANGE_LEN(n) << 40 | (uint64_t)TAG_START << 48)

/* By the length of the range, which is part of the head: no other byte leads to it. */
enum { SHAPES = 32 };
static const shape segments[SHAPES] = {SHAPE_SEGMENT(1), SHAPE_SEGMENT(2), SHAPE_SEGMENT(3), SHAPE_SEGMENT(4),
                                       SHAPE_SEGMENT(5), SHAPE_SEGMENT(6), SHAPE_SEGMENT(7)};
static const shape runs[SHAPES] = {SHAPE_RUN(1), SHAPE_RUN(2), SHAPE_RUN(3), SHAPE_RUN(4),
                                   SHAPE_RUN(5), SHAPE_RUN(6), SHAPE_RUN(7)};

/* Seven bits of each byte put together: pairs, fours, eight. */
static inline int64_t unpack(uint64_t v) {
    v = (v & UINT64_C(0x007F007F007F007F)) | (v & UINT64_C(0x7F007F007F007F00)) >> 1;
    v = (v & UINT64_C(0x00003FFF00003FFF)) | (v & UINT64_C(0x3FFF00003FFF0000)) >> 2;
    v = (v & UINT64_C(0x000000000FFFFFFF)) | (v & UINT64_C(0x0FFFFFFF00000000)) >> 4;
    return (int64_t)v;
}

/* The start at `at`, packed, and the number of values; a wrong tag before the end makes that too high. */
static inline bool parse_bounds(const uint8_t *at, size_t len, const shape *s, uint64_t *start,
                                uint64_t *count) {
    *start = rwl_load_le64(at) & s->bytes;
    uint64_t behind = rwl_load_le64(at + len / 2 - 1) & s->behind;
    uint64_t difference = behind - (*start << 8 | TAG_END);
    *count = difference >> 8 | difference << 56;
    return (*start & MORE_BITS) == s->more && *count <= RWL_LANCE_PLAIN_MOST &&
           (*start & 0x7f) + *count < 0x80;
}

static inline bool parse_segment(const uint8_t *at, size_t *len, int64_t *value, uint64_t *count) {
    size_t range = at[3];
    const shape *s = &segments[range % SHAPES];
    uint64_t head = rwl_load_le64(at) & BYTES(SEGMENT_HEAD), start;
    if (head != s->head || !parse_bounds(at + SEGMENT_HEAD, range, s, &start, count))
        return false;
    *len = SEGMENT_HEAD - 1 + range;
    *value = unpack(start);
    return true;
}

/* A version of up to two bytes. */
static inline bool parse_version(const uint8_t *at, size_t *len, int64_t *value) {
    bool more = at[0] >= 0x80;
    *len = 1 + (size_t)more;
    *value = more ? (at[0] & 0x7f) | at[1] << 7 : at[0];
    return !more || at[1] < 0x80;
}

static inline bool parse_run(const uint8_t *at, size_t *len, int64_t *value, uint64_t *count) {
    size_t range = at[5], behind = RUN_HEAD - 1 + range;
    const shape *s = &runs[range % SHAPES];
    uint64_t head = rwl_load_le64(at) & BYTES(RUN_HEAD) & ~UINT64_C(0xff00), start;
    if (head != s->head || !parse_bounds(at + RUN_HEAD, range, s, &start, count) ||
        at[behind] != TAG_VERSION || !parse_version(at + behind + 1, len, value))
        return false;
    *len += behind + 1;
    return *len == at[1] + (size_t)2;
}

static inline __attribute__((always_inline)) int64_t unpack_all(const uint8_t *data, size_t len, size_t *pos,
                                                                bool is_versions, int64_t *to, int64_t room) {
    int64_t step = is_versions ? 0 : 1, rows = 0, last = room - RWL_LANCE_PLAIN_MOST;
    size_t at = *pos;
    for (size_t bytes; len - at >= BYTES_MOST && rows <= last; at += bytes) {
        int64_t value;
        uint64_t count;
        if (!(is_versions ? parse_run(data + at, &bytes, &value, &count)
                          : parse_segment(data + at, &bytes, &value, &count)))
            break;
        for (int k = 0; k < RWL_LANCE_PLAIN_MOST; k++) /* those too many the next one overwrites */
            to[rows + k] = value + k * step;
        rows += (int64_t)count;
    }
    *pos = at;
    return rows;
}

int64_t rwl_lance_plain_unpack(const uint8_t *data, size_t len, size_t *pos, bool is_versions, int64_t *to,
                               int64_t room) {
    return is_versions ? unpack_all(data, len, pos, true, to, room)
                       : unpack_all(data, len, pos, false, to, room);
}
