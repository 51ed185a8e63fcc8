/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding sort keys: a column at a time, to bytes or straight to the two numbers of a prefix. */
#include "column/sort.h"

#include "base/int128.h"

enum { NULL_FIRST = 0, NOT_NULL = 1, NULL_LAST = 2 };

/* --- encoding --- */

static rwl_status check_type(const rwl_batch *batch, const rwl_sort_key *by, rwl_error *err) {
    if (by->column < 0 || by->column >= batch->column_count)
        return rwl_fail(err, RWL_INTERNAL, "sort key names column %d of %d", by->column, batch->column_count);
    const rwl_type *type = &batch->columns[by->column].type;
    rwl_type_kind kind = type->kind;
    if (rwl_type_is_decimal256(type))
        return rwl_fail(err, RWL_UNSUPPORTED, "decimals of more than 38 digits are not sorted");
    if (kind > RWL_TYPE_BINARY)
        return rwl_fail(err, RWL_UNSUPPORTED, "values of type kind %d have no order", (int)kind);
    return RWL_OK;
}

static size_t escaped_len(rwl_span bytes) {
    size_t len = bytes.len + 2;
    const uint8_t *p = bytes.data;
    size_t left = bytes.len;
    while (left > 0) {
        const uint8_t *zero = memchr(p, 0, left);
        if (zero == NULL)
            break;
        len++;
        left -= (size_t)(zero - p) + 1;
        p = zero + 1;
    }
    return len;
}

/* Adds each row's bytes of this key to lens. */
static void add_lens(const rwl_column *c, uint64_t *lens) {
    if (rwl_type_is_bytes(&c->type)) {
        for (int64_t i = 0; i < c->length; i++)
            lens[i] += rwl_column_is_null(c, i) ? 1 : 1 + escaped_len(rwl_column_bytes(c, i));
        return;
    }
    uint64_t width = c->type.kind == RWL_TYPE_BOOLEAN ? 1 : (uint64_t)rwl_type_width(&c->type);
    for (int64_t i = 0; i < c->length; i++)
        lens[i] += rwl_column_is_null(c, i) ? 1 : 1 + width;
}

static inline void store_be32(uint8_t *p, uint32_t v) {
    v = __builtin_bswap32(v);
    memcpy(p, &v, sizeof v);
}

static inline void store_be64(uint8_t *p, uint64_t v) {
    v = __builtin_bswap64(v);
    memcpy(p, &v, sizeof v);
}

static inline uint32_t order_f32(uint32_t bits) {
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
        return UINT32_MAX; /* every NaN */
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static inline uint64_t order_f64(uint64_t bits) {
    if ((bits & INT64_MAX) > UINT64_C(0x7FF0000000000000))
        return UINT64_MAX;
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* One column's loop: `put` writes row i's value at p and moves p on. */
#define WRITE_KEYS(c, by, keys, at, put)                                                                     \
    for (int64_t i = 0; i < (c)->length; i++) {                                                              \
        uint8_t *p = (keys) + (at)[i];                                                                       \
        if (rwl_column_is_null((c), i)) {                                                                    \
            *p++ = (by)->nulls_first ? NULL_FIRST : NULL_LAST;                                               \
        } else {                                                                                             \
            *p++ = NOT_NULL;                                                                                 \
            put;                                                                                             \
        }                                                                                                    \
        (at)[i] = (uint64_t)(p - (keys));                                                                    \
    }

static void write_words(const rwl_column *c, const rwl_sort_key *by, uint8_t *keys, uint64_t *at) {
    const uint32_t *v = (const uint32_t *)(const void *)c->values.data;
    uint32_t invert = by->descending ? UINT32_MAX : 0;
    if (c->type.kind == RWL_TYPE_FLOAT) {
        WRITE_KEYS(c, by, keys, at, (store_be32(p, order_f32(v[i]) ^ invert), p += 4))
    } else {
        WRITE_KEYS(c, by, keys, at, (store_be32(p, (v[i] ^ 0x80000000u) ^ invert), p += 4))
    }
}

static void write_longs(const rwl_column *c, const rwl_sort_key *by, uint8_t *keys, uint64_t *at) {
    const uint64_t *v = (const uint64_t *)(const void *)c->values.data;
    uint64_t invert = by->descending ? UINT64_MAX : 0;
    if (c->type.kind == RWL_TYPE_DOUBLE) {
        WRITE_KEYS(c, by, keys, at, (store_be64(p, order_f64(v[i]) ^ invert), p += 8))
    } else {
        WRITE_KEYS(c, by, keys, at, (store_be64(p, (v[i] ^ UINT64_C(1) << 63) ^ invert), p += 8))
    }
}

static void write_decimals(const rwl_column *c, const rwl_sort_key *by, uint8_t *keys, uint64_t *at) {
    const uint8_t *v = c->values.data;
    uint64_t invert = by->descending ? UINT64_MAX : 0;
    WRITE_KEYS(c, by, keys, at,
               (store_be64(p, (rwl_load_le64(v + i * 16 + 8) ^ UINT64_C(1) << 63) ^ invert),
                store_be64(p + 8, rwl_load_le64(v + i * 16) ^ invert), p += 16))
}

static void write_booleans(const rwl_column *c, const rwl_sort_key *by, uint8_t *keys, uint64_t *at) {
    uint8_t invert = by->descending ? 0xFF : 0;
    WRITE_KEYS(c, by, keys, at, *p++ = (uint8_t)((uint8_t)rwl_bit_get(c->values.data, i) ^ invert))
}

static inline uint8_t *put_fixed(uint8_t *p, const uint8_t *from, size_t len, uint8_t invert) {
    for (size_t k = 0; k < len; k++)
        p[k] = from[k] ^ invert;
    return p + len;
}

static inline uint8_t *put_escaped(uint8_t *p, rwl_span bytes, uint8_t invert) {
    for (size_t k = 0; k < bytes.len; k++) {
        *p++ = bytes.data[k] ^ invert;
        if (bytes.data[k] == 0)
            *p++ = 0xFF ^ invert;
    }
    *p++ = invert;
    *p++ = invert;
    return p;
}

static void write_bytes(const rwl_column *c, const rwl_sort_key *by, uint8_t *keys, uint64_t *at) {
    uint8_t invert = by->descending ? 0xFF : 0;
    if (rwl_type_is_bytes(&c->type)) {
        WRITE_KEYS(c, by, keys, at, p = put_escaped(p, rwl_column_bytes(c, i), invert))
    } else {
        size_t width = (size_t)rwl_type_width(&c->type);
        WRITE_KEYS(c, by, keys, at, p = put_fixed(p, c->values.data + (size_t)i * width, width, invert))
    }
}

static void write_column(const rwl_column *c, const rwl_sort_key *by, uint8_t *keys, uint64_t *at) {
    switch (c->type.kind) {
    case RWL_TYPE_UNKNOWN:
        WRITE_KEYS(c, by, keys, at, (void)0)
        break;
    case RWL_TYPE_BOOLEAN:
        write_booleans(c, by, keys, at);
        break;
    case RWL_TYPE_INT:
    case RWL_TYPE_FLOAT:
    case RWL_TYPE_DATE:
        write_words(c, by, keys, at);
        break;
    case RWL_TYPE_DECIMAL:
        write_decimals(c, by, keys, at);
        break;
    case RWL_TYPE_STRING:
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED:
    case RWL_TYPE_BINARY:
        write_bytes(c, by, keys, at);
        break;
    default:
        write_longs(c, by, keys, at);
        break;
    }
}

rwl_status rwl_sort_keys_encode(const rwl_batch *batch, const rwl_sort_key *by, size_t count, rwl_buf *keys,
                                uint64_t *ends, rwl_error *err) {
    memset(ends, 0, (size_t)batch->length * sizeof *ends);
    for (size_t k = 0; k < count; k++) {
        RWL_TRY(check_type(batch, &by[k], err));
        add_lens(&batch->columns[by[k].column], ends);
    }
    /* lengths become the places where the keys start, and the writers move those to their ends */
    uint64_t at = keys->len;
    for (int64_t i = 0; i < batch->length; i++) {
        uint64_t len = ends[i];
        ends[i] = at;
        at += len;
    }
    RWL_TRY(rwl_buf_reserve(keys, (size_t)at - keys->len, err));
    for (size_t k = 0; k < count; k++)
        write_column(&batch->columns[by[k].column], &by[k], keys->data, ends);
    keys->len = (size_t)at;
    return RWL_OK;
}

/* --- keys of at most 16 bytes --- */

/* Bytes of a value in a short key; 16 for what never fits beside the byte for null. */
static unsigned short_width(const rwl_type *type) {
    switch (type->kind) {
    case RWL_TYPE_UNKNOWN:
        return 0;
    case RWL_TYPE_BOOLEAN:
        return 1;
    case RWL_TYPE_INT:
    case RWL_TYPE_FLOAT:
    case RWL_TYPE_DATE:
        return 4;
    case RWL_TYPE_LONG:
    case RWL_TYPE_DOUBLE:
    case RWL_TYPE_TIME:
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return 8;
    default:
        return sizeof(rwl_sort_prefix);
    }
}

bool rwl_sort_keys_are_short(const rwl_type *types, size_t count) {
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += 1 + short_width(&types[i]);
    return bytes <= sizeof(rwl_sort_prefix);
}

/* Writes `width` bytes at byte `at` of the prefix, whose bits there are zero. */
static inline void put_bits(rwl_sort_prefix *p, unsigned at, unsigned width, uint64_t value) {
    rwl_u128 bits = (rwl_u128)value << (8 * (sizeof *p - at - width));
    p->high |= (uint64_t)(bits >> 64);
    p->low |= (uint64_t)bits;
}

#define WRITE_SHORT(word)                                                                                    \
    for (int64_t i = 0; i < c->length; i++) {                                                                \
        if (rwl_column_is_null(c, i)) {                                                                      \
            put_bits(&out[i], at, 1, by->nulls_first ? NULL_FIRST : NULL_LAST);                              \
        } else {                                                                                             \
            put_bits(&out[i], at, 1, NOT_NULL);                                                              \
            put_bits(&out[i], at + 1, width, ((word) ^ invert) & mask);                                      \
        }                                                                                                    \
    }

static void write_short(const rwl_column *c, const rwl_sort_key *by, unsigned at, rwl_sort_prefix *out) {
    const unsigned width = short_width(&c->type);
    const uint64_t mask = width == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * width)) - 1;
    const uint64_t invert = by->descending ? UINT64_MAX : 0;
    const uint32_t *words = (const uint32_t *)(const void *)c->values.data;
    const uint64_t *longs = (const uint64_t *)(const void *)c->values.data;
    switch (c->type.kind) {
    case RWL_TYPE_UNKNOWN:
        WRITE_SHORT(0)
        break;
    case RWL_TYPE_BOOLEAN:
        WRITE_SHORT((uint64_t)rwl_bit_get(c->values.data, i))
        break;
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
        WRITE_SHORT((uint64_t)(words[i] ^ 0x80000000u))
        break;
    case RWL_TYPE_FLOAT:
        WRITE_SHORT((uint64_t)order_f32(words[i]))
        break;
    case RWL_TYPE_DOUBLE:
        WRITE_SHORT(order_f64(longs[i]))
        break;
    default:
        WRITE_SHORT(longs[i] ^ UINT64_C(1) << 63)
        break;
    }
}

/* The commonest key, one column of eight bytes without nulls. */
static void write_long(const rwl_column *c, const rwl_sort_key *by, rwl_sort_prefix *out) {
    const uint64_t *longs = (const uint64_t *)(const void *)c->values.data;
    const uint64_t invert = by->descending ? UINT64_MAX : 0, rank = (uint64_t)NOT_NULL << 56;
    for (int64_t i = 0; i < c->length; i++) {
        uint64_t word = (longs[i] ^ UINT64_C(1) << 63) ^ invert;
        out[i] = (rwl_sort_prefix){rank | word >> 8, word << 56};
    }
}

rwl_status rwl_sort_prefixes_encode(const rwl_batch *batch, const rwl_sort_key *by, size_t count,
                                    rwl_sort_prefix *prefixes, rwl_error *err) {
    const rwl_column *first = count == 1 ? &batch->columns[by[0].column] : NULL;
    if (first != NULL && first->null_count == 0 && short_width(&first->type) == 8 &&
        first->type.kind != RWL_TYPE_DOUBLE) {
        write_long(first, by, prefixes);
        return RWL_OK;
    }
    if (batch->length > 0)
        memset(prefixes, 0, (size_t)batch->length * sizeof *prefixes);
    unsigned at = 0;
    for (size_t k = 0; k < count; k++) {
        RWL_TRY(check_type(batch, &by[k], err));
        const rwl_column *c = &batch->columns[by[k].column];
        if (at + 1 + short_width(&c->type) > sizeof *prefixes)
            return rwl_fail(err, RWL_INTERNAL, "sort keys of %zu columns are not short", count);
        write_short(c, &by[k], at, prefixes);
        at += 1 + short_width(&c->type);
    }
    return RWL_OK;
}
