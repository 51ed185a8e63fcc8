/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FSST: codes of one byte stand for symbols of up to 8 bytes.
 *
 *   table   u64 header | n symbols of 8 bytes | n lengths of 1 byte | zeros
 *   header  bits 32-63 "FSST" 0x46535354 | 24-31 compressed at all | 16-23, 8-15 of use to the writer only | 0-7 n
 *   codes   0 … n - 1 symbols; 255: the next byte as it is
 */
#include "lancefile/unpack.h"

enum { ESCAPE = 255, SYMBOL = 8 };
#define FSST_MAGIC UINT64_C(0x46535354)

rwl_status rwl_lance_fsst_parse(rwl_span table, rwl_lance_fsst *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    if (table.len < 8)
        return rwl_fail(err, RWL_CORRUPT, "fsst: a symbol table of %zu bytes", table.len);
    uint64_t header = rwl_load_le64(table.data);
    if (header >> 32 != FSST_MAGIC)
        return rwl_fail(err, RWL_CORRUPT, "fsst: the symbol table begins with 0x%016llx",
                        (unsigned long long)header);
    out->is_raw = (header >> 24 & 0xff) == 0;
    size_t count = header & 0xff;
    if (out->is_raw)
        return RWL_OK;
    if (table.len < 8 + count * (SYMBOL + 1))
        return rwl_fail(err, RWL_CORRUPT, "fsst: %zu symbols in a table of %zu bytes", count, table.len);
    const uint8_t *lengths = table.data + 8 + count * SYMBOL;
    for (size_t i = 0; i < count; i++) {
        if (lengths[i] < 1 || lengths[i] > SYMBOL)
            return rwl_fail(err, RWL_CORRUPT, "fsst: symbol %zu has %u bytes", i, lengths[i]);
        memcpy(&out->symbols[i], table.data + 8 + i * SYMBOL, SYMBOL);
        out->lengths[i] = lengths[i];
    }
    return RWL_OK;
}

/* The next code; NULL when it is none. Writes 8 bytes, of which the symbol's count. */
static inline uint8_t *decode_code(const rwl_lance_fsst *table, const uint8_t **in, const uint8_t *end,
                                   uint8_t *out) {
    uint8_t code = *(*in)++;
    if (code == ESCAPE) {
        if (*in == end)
            return NULL;
        *out = *(*in)++;
        return out + 1;
    }
    memcpy(out, &table->symbols[code], SYMBOL);
    return table->lengths[code] > 0 ? out + table->lengths[code] : NULL;
}

int64_t rwl_lance_fsst_decode(const rwl_lance_fsst *table, rwl_span in, uint8_t *out) {
    if (table->is_raw) {
        if (in.len > 0)
            memcpy(out, in.data, in.len);
        return (int64_t)in.len;
    }
    if (in.len == 0)
        return 0;
    const uint8_t *at = in.data, *end = at + in.len;
    uint8_t *to = out;
    while (end - at >= 4) {
        uint32_t codes = rwl_load_le32(at);
        /* a byte 255 among them? (the zero-byte test on the complement) */
        if (((~codes - 0x01010101u) & codes & 0x80808080u) == 0) {
            unsigned none = 0;
            for (int i = 0; i < 4; i++) {
                uint8_t code = (uint8_t)(codes >> (8 * i));
                memcpy(to, &table->symbols[code], SYMBOL);
                to += table->lengths[code];
                none |= table->lengths[code] == 0;
            }
            if (none)
                return -1;
            at += 4;
        } else if (!(to = decode_code(table, &at, end, to))) {
            return -1;
        }
    }
    while (at < end)
        if (!(to = decode_code(table, &at, end, to)))
            return -1;
    return to - out;
}
