/* SPDX-License-Identifier: Apache-2.0 */
/* Far from both ends an element is copied in whole steps, bytes too many; near them to the byte. */
#include "codec/snappy_decode.h"

enum {
    LITERAL = 0,
    SHORT_COPY = 1,
    LONG_COPY = 3,
    LENGTH_BYTES = 60, /* lengths from here on are in bytes behind the tag */
    STEP = 16,
    WORD = 8,
    HALF = 4,
    COPY_MAX = 64,
    FAR_IN = 1 + COPY_MAX + STEP, /* bytes of input and output that a step of the fast loop may touch */
    FAR_OUT = COPY_MAX + STEP
};

typedef struct decoder {
    const uint8_t *in, *in_end;
    uint8_t *out, *start, *out_end;
} decoder;

bool rwl_snappy_read_length(rwl_span in, size_t *len, rwl_span *elements) {
    rwl_cursor c = rwl_cursor_of(in);
    uint64_t value;
    if (rwl_cursor_varint(&c, &value, NULL) != RWL_OK || value > UINT32_MAX)
        return false;
    *len = (size_t)value;
    *elements = rwl_span_of(in.data + c.pos, in.len - c.pos);
    return true;
}

static inline void copy_step(uint8_t *to, const uint8_t *from) {
    uint64_t words[2];
    memcpy(words, from, sizeof words);
    memcpy(to, words, sizeof words);
}

static inline void copy_word(uint8_t *to, const uint8_t *from) {
    uint64_t word;
    memcpy(&word, from, sizeof word);
    memcpy(to, &word, sizeof word);
}

/* Length and offset of the copy whose tag lies before `in`, of which four bytes are readable; returns where it ends. */
static inline const uint8_t *read_copy(const uint8_t *in, uint32_t tag, size_t *len, size_t *offset) {
    uint32_t kind = tag & 3, bytes = rwl_load_le32(in);
    if (kind == SHORT_COPY) {
        *len = 4 + (tag >> 2 & 7);
        *offset = (size_t)(tag >> 5) << 8 | (bytes & 0xff);
        return in + 1;
    }
    *len = (tag >> 2) + 1;
    *offset = kind == LONG_COPY ? bytes : bytes & 0xffff;
    return in + (kind == LONG_COPY ? 4 : 2);
}

/*
 * HALF to WORD bytes. No byte behind them is loaded: what was written there comes from another store than they do, and
 * a load across two stores waits until both have left the processor's queue.
 */
static inline void copy_short(uint8_t *to, const uint8_t *from, size_t len) {
    uint64_t low = rwl_load_le32(from), high = rwl_load_le32(from + len - HALF);
    rwl_store_le64(to, low | high << (8 * (len - HALF)));
}

/* A copy from less than a word back: the first word byte by byte, then from as far back as a multiple of the offset is
 * that makes a word or more. */
static inline void repeat_pattern(uint8_t *to, size_t offset, size_t len) {
    static const uint8_t back[WORD] = {0, 8, 8, 9, 8, 10, 12, 14};
    const uint8_t *from = to - offset;
    for (size_t i = 0; i < WORD; i++)
        to[i] = from[i];
    for (size_t i = WORD; i < len; i += WORD)
        copy_word(to + i, to + i - back[offset]);
}

/* `len` up to COPY_MAX bytes from `offset` back; up to FAR_OUT are written. */
static inline void copy_back(uint8_t *to, size_t offset, size_t len) {
    const uint8_t *from = to - offset;
    if (len - HALF <= WORD - HALF && offset >= len) {
        copy_short(to, from, len);
    } else if (offset >= STEP) {
        copy_step(to, from);
        for (size_t i = STEP; i < len; i += STEP)
            copy_step(to + i, from + i);
    } else if (offset >= WORD) {
        for (size_t i = 0; i < len; i += WORD)
            copy_word(to + i, from + i);
    } else {
        repeat_pattern(to, offset, len);
    }
}

/* Elements as long as both ends are far; false for a copy from before the start. */
static bool decode_far(decoder *d) {
    const uint8_t *in = d->in;
    uint8_t *out = d->out;
    while (d->in_end - in >= FAR_IN && d->out_end - out >= FAR_OUT) {
        uint32_t tag = *in;
        size_t len = (tag >> 2) + 1, offset;
        if ((tag & 3) != LITERAL) {
            in = read_copy(in + 1, tag, &len, &offset);
            if (offset - 1 >= (size_t)(out - d->start)) /* 0 is too far, too */
                return false;
            copy_back(out, offset, len);
        } else if (len <= LENGTH_BYTES) {
            copy_step(out, in + 1);
            for (size_t i = STEP; i < len; i += STEP)
                copy_step(out + i, in + 1 + i);
            in += 1 + len;
        } else {
            break;
        }
        out += len;
    }
    d->in = in;
    d->out = out;
    return true;
}

static bool decode_literal(decoder *d, uint32_t tag) {
    size_t len = (tag >> 2) + 1;
    if (len > LENGTH_BYTES) {
        size_t count = len - LENGTH_BYTES;
        if (count > (size_t)(d->in_end - d->in))
            return false;
        len = 0;
        for (size_t i = 0; i < count; i++)
            len |= (size_t)d->in[i] << (8 * i);
        d->in += count;
        len++;
    }
    if (len > (size_t)(d->in_end - d->in) || len > (size_t)(d->out_end - d->out))
        return false;
    memcpy(d->out, d->in, len);
    d->in += len;
    d->out += len;
    return true;
}

static bool decode_copy(decoder *d, uint32_t tag) {
    uint8_t bytes[4] = {0};
    size_t left = (size_t)(d->in_end - d->in), len, offset;
    memcpy(bytes, d->in, left < sizeof bytes ? left : sizeof bytes);
    size_t used = (size_t)(read_copy(bytes, tag, &len, &offset) - bytes);
    if (used > left || offset - 1 >= (size_t)(d->out - d->start) || len > (size_t)(d->out_end - d->out))
        return false;
    const uint8_t *from = d->out - offset;
    for (size_t i = 0; i < len; i++)
        d->out[i] = from[i];
    d->in += used;
    d->out += len;
    return true;
}

bool rwl_snappy_decode(rwl_span elements, uint8_t *out, size_t len) {
    if (len == 0)
        return elements.len == 0;
    decoder d = {elements.data, elements.data + elements.len, out, out, out + len};
    while (d.in < d.in_end) {
        if (!decode_far(&d))
            return false;
        if (d.in == d.in_end)
            break;
        uint32_t tag = *d.in++;
        if (!((tag & 3) == LITERAL ? decode_literal(&d, tag) : decode_copy(&d, tag)))
            return false;
    }
    return d.out == d.out_end;
}
