/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sort keys as bytes in memcmp order, and a stable merge sort of them.
 *
 * A row's key is, for each sort column: one byte for null (0 or 2) or a value (1), independent of the
 * direction; then, unless null, the value, all its bytes inverted when descending:
 *   integers    big endian, sign bit flipped         floats  big endian; negative: all bits flipped, else
 *   decimal     16 bytes, the same                           the sign bit; NaN all ones
 *   boolean     one byte                             uuid, fixed  as they are
 *   bytes       0x00 written as 0x00 0xFF, then 0x00 0x00
 * No key is a prefix of another, so that the columns do not run into each other.
 */
#include "column/batch.h"

enum { NULL_FIRST = 0, NOT_NULL = 1, NULL_LAST = 2 };

/* --- encoding --- */

static rwl_status check_type(const rwl_batch *batch, const rwl_sort_key *by, rwl_error *err) {
    if (by->column < 0 || by->column >= batch->column_count)
        return rwl_fail(err, RWL_INTERNAL, "sort key names column %d of %d", by->column, batch->column_count);
    rwl_type_kind kind = batch->columns[by->column].type.kind;
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

/* --- ordering --- */

typedef struct sort_item {
    uint64_t prefix; /* first 8 bytes of the key as a number, zeros behind a shorter one */
    int64_t index;
} sort_item;

typedef struct sort_input {
    const uint8_t *keys;
    const uint64_t *ends;
} sort_input;

static inline rwl_span key_of(const sort_input *in, int64_t i) {
    uint64_t start = i == 0 ? 0 : in->ends[i - 1];
    return rwl_span_of(in->keys + start, (size_t)(in->ends[i] - start));
}

static uint64_t prefix_of(rwl_span key) {
    uint8_t bytes[8] = {0};
    if (key.len > 0)
        memcpy(bytes, key.data, key.len < 8 ? key.len : 8);
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return __builtin_bswap64(word);
}

/* Whether a belongs before b, never so for equal keys: what stays in place is stable. */
static inline bool is_less(const sort_input *in, const sort_item *a, const sort_item *b) {
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix;
    return rwl_span_compare(key_of(in, a->index), key_of(in, b->index)) < 0;
}

enum { RUN = 16 };

static void sort_run(const sort_input *in, sort_item *items, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        sort_item item = items[i];
        int64_t at = i;
        for (; at > 0 && is_less(in, &item, &items[at - 1]); at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

static void merge(const sort_input *in, const sort_item *left, int64_t left_count, const sort_item *right,
                  int64_t right_count, sort_item *out) {
    /* already in order, or whole sides apart: sorted input costs one comparison a pair of runs */
    if (right_count == 0 || !is_less(in, &right[0], &left[left_count - 1])) {
        memcpy(out, left, (size_t)left_count * sizeof *out);
        memcpy(out + left_count, right, (size_t)right_count * sizeof *out);
        return;
    }
    int64_t l = 0;
    int64_t r = 0;
    while (l < left_count && r < right_count)
        *out++ = is_less(in, &right[r], &left[l]) ? right[r++] : left[l++];
    memcpy(out, left + l, (size_t)(left_count - l) * sizeof *out);
    memcpy(out + (left_count - l), right + r, (size_t)(right_count - r) * sizeof *out);
}

/* Returns the one of the two arrays that ends up sorted. */
static sort_item *merge_all(const sort_input *in, sort_item *a, sort_item *b, int64_t count) {
    for (int64_t i = 0; i < count; i += RUN)
        sort_run(in, a + i, count - i < RUN ? count - i : RUN);
    for (int64_t size = RUN; size < count; size *= 2) {
        for (int64_t i = 0; i < count; i += 2 * size) {
            int64_t left = count - i < size ? count - i : size;
            int64_t right = count - i - left < size ? count - i - left : size;
            merge(in, a + i, left, a + i + left, right, b + i);
        }
        sort_item *t = a;
        a = b;
        b = t;
    }
    return a;
}

rwl_status rwl_sort_keys_order(const rwl_env *env, const uint8_t *keys, const uint64_t *ends, int64_t count,
                               int64_t *order, rwl_error *err) {
    if (count <= 0)
        return RWL_OK;
    if ((uint64_t)count > SIZE_MAX / (2 * sizeof(sort_item)))
        return rwl_no_memory(err, SIZE_MAX);
    size_t size = (size_t)count * 2 * sizeof(sort_item);
    sort_item *items = rwl_alloc(env, size);
    if (items == NULL)
        return rwl_no_memory(err, size);
    sort_input in = {keys, ends};
    for (int64_t i = 0; i < count; i++) {
        items[i].prefix = prefix_of(key_of(&in, i));
        items[i].index = i;
    }
    const sort_item *sorted = merge_all(&in, items, items + count, count);
    for (int64_t i = 0; i < count; i++)
        order[i] = sorted[i].index;
    rwl_free(env, items);
    return RWL_OK;
}
