/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoders of Parquet values: whatever the bytes are, decoding in pieces, some of them skipped, gives what
 * decoding at once gives.
 *
 *   input := kind(u8) count(u16 LE) steps(u8) [dictionary_len(u16 LE) dictionary] page
 */
#include "column/bits.h"
#include "fuzz.h"
#include "parquet/values.h"

enum { COUNT_MAX = 4096, WIDTH_MAX = 40, BYTES_MAX = 4 << 20, MEMORY_MAX = 64 << 20, PAGE_MAX = 1 << 16 };

static const struct {
    int32_t encoding;
    rwl_parquet_physical physical;
    rwl_type_kind type;
    int32_t length;
} kinds[] = {
    {RWL_PARQUET_PLAIN, RWL_PARQUET_BOOLEAN, RWL_TYPE_BOOLEAN, 0},
    {RWL_PARQUET_PLAIN, RWL_PARQUET_INT64, RWL_TYPE_LONG, 0},
    {RWL_PARQUET_PLAIN, RWL_PARQUET_INT96, RWL_TYPE_TIMESTAMPTZ, 0},
    {RWL_PARQUET_PLAIN, RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_STRING, 0},
    {RWL_PARQUET_PLAIN, RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_BINARY, 0},
    {RWL_PARQUET_PLAIN, RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_DECIMAL, 0},
    {RWL_PARQUET_PLAIN, RWL_PARQUET_FIXED, RWL_TYPE_DECIMAL, 17},
    {RWL_PARQUET_RLE, RWL_PARQUET_BOOLEAN, RWL_TYPE_BOOLEAN, 0},
    {RWL_PARQUET_RLE_DICTIONARY, RWL_PARQUET_INT32, RWL_TYPE_INT, 0},
    {RWL_PARQUET_RLE_DICTIONARY, RWL_PARQUET_INT96, RWL_TYPE_TIMESTAMPTZ, 0},
    {RWL_PARQUET_RLE_DICTIONARY, RWL_PARQUET_FIXED, RWL_TYPE_FIXED, 5},
    {RWL_PARQUET_RLE_DICTIONARY, RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_STRING, 0},
    {RWL_PARQUET_DELTA_BINARY_PACKED, RWL_PARQUET_INT32, RWL_TYPE_INT, 0},
    {RWL_PARQUET_DELTA_BINARY_PACKED, RWL_PARQUET_INT32, RWL_TYPE_LONG, 0},
    {RWL_PARQUET_DELTA_BINARY_PACKED, RWL_PARQUET_INT64, RWL_TYPE_LONG, 0},
    {RWL_PARQUET_DELTA_BINARY_PACKED, RWL_PARQUET_INT64, RWL_TYPE_DECIMAL, 0},
    {RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY, RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_STRING, 0},
    {RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY, RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_DECIMAL, 0},
    {RWL_PARQUET_DELTA_BYTE_ARRAY, RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_BINARY, 0},
    {RWL_PARQUET_DELTA_BYTE_ARRAY, RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_DECIMAL, 0},
    {RWL_PARQUET_DELTA_BYTE_ARRAY, RWL_PARQUET_FIXED, RWL_TYPE_FIXED, 7},
    {RWL_PARQUET_DELTA_BYTE_ARRAY, RWL_PARQUET_FIXED, RWL_TYPE_FLOAT, 2},
    {RWL_PARQUET_BYTE_STREAM_SPLIT, RWL_PARQUET_FLOAT, RWL_TYPE_FLOAT, 0},
    {RWL_PARQUET_BYTE_STREAM_SPLIT, RWL_PARQUET_DOUBLE, RWL_TYPE_DOUBLE, 0},
    {RWL_PARQUET_BYTE_STREAM_SPLIT, RWL_PARQUET_FIXED, RWL_TYPE_FLOAT, 2},
    {RWL_PARQUET_BYTE_STREAM_SPLIT, RWL_PARQUET_FIXED, RWL_TYPE_DECIMAL, 9},
    {RWL_PARQUET_BYTE_STREAM_SPLIT, RWL_PARQUET_FIXED, RWL_TYPE_FIXED, 40},
};

typedef struct input {
    rwl_parquet_layout layout;
    int32_t encoding;
    rwl_parquet_dictionary dictionary;
    rwl_span page; /* with slack behind */
    size_t count;
    uint32_t steps; /* makes the lengths of pieces, and which are skipped */
} input;

static rwl_env env;
static rwl_op op;
static uint8_t page_bytes[PAGE_MAX + RWL_PARQUET_READ_SLACK],
    dictionary_bytes[PAGE_MAX + RWL_PARQUET_READ_SLACK];
static uint8_t whole[COUNT_MAX * WIDTH_MAX], pieces[COUNT_MAX * WIDTH_MAX];
static int32_t whole_ends[COUNT_MAX + 1];

static size_t next_step(input *in, size_t left, bool *is_skipped) {
    in->steps = in->steps * 1664525u + 1013904223u;
    size_t n = 1 + (in->steps >> 24) % (in->steps >> 16 & 1 ? 9 : 255);
    *is_skipped = (in->steps >> 12 & 3) == 0;
    return n < left ? n : left;
}

static bool open_values(const input *in, rwl_parquet_values *v) {
    memset(v, 0, sizeof *v);
    rwl_parquet_values_begin(v, &env, &in->layout, &in->dictionary, false);
    return rwl_parquet_values_init(v, in->encoding, in->page, NULL) == RWL_OK;
}

static rwl_status take(const input *in, rwl_parquet_values *v, uint8_t *dst, size_t at, size_t n) {
    if (in->layout.convert == RWL_PARQUET_TO_BITS)
        return rwl_parquet_values_bits(v, dst, (int64_t)at, n, NULL);
    return rwl_parquet_values_fixed(v, dst + at * in->layout.width, n, NULL);
}

static void copy(const input *in, size_t at, size_t n) {
    size_t width = in->layout.width;
    if (in->layout.convert == RWL_PARQUET_TO_BITS)
        rwl_bits_copy(pieces, (int64_t)at, whole, (int64_t)at, (int64_t)n);
    else
        memcpy(pieces + at * width, whole + at * width, n * width);
}

/* Values of a fixed width, and bits. */
static void check_fixed(input *in) {
    rwl_parquet_values v;
    size_t len = in->layout.convert == RWL_PARQUET_TO_BITS ? rwl_bits_bytes((int64_t)in->count)
                                                           : in->count * in->layout.width;
    memset(whole, 0, len);
    memset(pieces, 0, len);
    bool is_good = open_values(in, &v) && take(in, &v, whole, 0, in->count) == RWL_OK;
    rwl_parquet_values_clear(&v);
    if (!is_good)
        return;
    FUZZ_CHECK(open_values(in, &v));
    for (size_t at = 0, n; at < in->count; at += n) {
        bool is_skipped;
        n = next_step(in, in->count - at, &is_skipped);
        if (is_skipped) {
            FUZZ_CHECK(rwl_parquet_values_skip(&v, (int64_t)n, NULL) == RWL_OK);
            copy(in, at, n);
        } else {
            FUZZ_CHECK(take(in, &v, pieces, at, n) == RWL_OK);
        }
    }
    rwl_parquet_values_clear(&v);
    FUZZ_CHECK(memcmp(whole, pieces, len) == 0);
}

/* All values, as many as fit; false when one is bad. */
static bool read_strings(input *in, rwl_column *out) {
    rwl_parquet_values v;
    size_t total = 0, done = 0, n;
    bool is_good = open_values(in, &v);
    whole_ends[0] = 0;
    for (; is_good && total < in->count; total += done) {
        n = in->count - total < RWL_PARQUET_BLOCK ? in->count - total : RWL_PARQUET_BLOCK;
        is_good = rwl_parquet_values_bytes(&v, out, BYTES_MAX, n, whole_ends + total, &done, NULL) == RWL_OK;
        FUZZ_CHECK(!is_good || done <= n);
        if (!is_good || done < n) {
            total += is_good ? done : 0;
            break;
        }
    }
    in->count = total;
    rwl_parquet_values_clear(&v);
    return is_good;
}

static void check_strings(input *in) {
    rwl_type type = rwl_type_of(RWL_TYPE_BINARY);
    rwl_column all, piece;
    rwl_parquet_values v;
    int32_t ends[RWL_PARQUET_BLOCK + 1];
    FUZZ_CHECK(rwl_column_init(&all, &env, &type, NULL) == RWL_OK);
    FUZZ_CHECK(rwl_column_init(&piece, &env, &type, NULL) == RWL_OK);
    bool is_good = read_strings(in, &all);
    FUZZ_CHECK(!is_good || open_values(in, &v));
    for (size_t at = 0, n; is_good && at < in->count; at += n) {
        bool is_skipped;
        size_t done;
        n = next_step(in, in->count - at, &is_skipped);
        if (is_skipped) {
            FUZZ_CHECK(rwl_parquet_values_skip(&v, (int64_t)n, NULL) == RWL_OK);
            continue;
        }
        size_t limit = (size_t)(whole_ends[at + n] - whole_ends[at]);
        piece.bytes_len = 0;
        FUZZ_CHECK(rwl_parquet_values_bytes(&v, &piece, limit, n, ends, &done, NULL) == RWL_OK && done == n);
        for (size_t i = 0; i <= n; i++)
            FUZZ_CHECK(ends[i] == whole_ends[at + i] - whole_ends[at]);
        FUZZ_CHECK(limit == 0 || memcmp(piece.values.data, all.values.data + whole_ends[at], limit) == 0);
    }
    if (is_good)
        rwl_parquet_values_clear(&v);
    rwl_column_clear(&all, &env);
    rwl_column_clear(&piece, &env);
}

/* The next `len` bytes, or as many as there are, with slack behind. */
static rwl_span take_bytes(rwl_cursor *c, size_t len, uint8_t *into) {
    size_t n = rwl_cursor_left(c) < len ? rwl_cursor_left(c) : len;
    memset(into, 0xff, n + RWL_PARQUET_READ_SLACK);
    memcpy(into, c->data + c->pos, n);
    c->pos += n;
    return rwl_span_of(into, n);
}

static bool read_dictionary(input *in, rwl_cursor *c) {
    uint16_t len;
    if (rwl_cursor_le16(c, &len, NULL) != RWL_OK)
        return false;
    rwl_span plain = take_bytes(c, len, dictionary_bytes);
    size_t width = in->layout.stored_width;
    int64_t count = (int64_t)(width ? plain.len / width : plain.len / 6);
    return rwl_parquet_dictionary_build(&in->dictionary, &op, &in->layout, plain, count, NULL) == RWL_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    rwl_cursor c = rwl_cursor_of(rwl_span_of(data, len));
    uint8_t kind, steps;
    uint16_t count;
    if (rwl_cursor_u8(&c, &kind, NULL) != RWL_OK || rwl_cursor_le16(&c, &count, NULL) != RWL_OK ||
        rwl_cursor_u8(&c, &steps, NULL) != RWL_OK)
        return 0;
    rwl_env_init_default(&env);
    fuzz_fix_random(&env);
    rwl_op_init(&op, &env, MEMORY_MAX);
    size_t k = kind % (sizeof kinds / sizeof kinds[0]);
    rwl_parquet_leaf leaf = {.physical = kinds[k].physical, .type_length = kinds[k].length};
    leaf.field.type = rwl_type_of(kinds[k].type);
    input in = {.layout = rwl_parquet_layout_of(&leaf),
                .encoding = kinds[k].encoding,
                .count = count % COUNT_MAX,
                .steps = steps};
    FUZZ_CHECK(rwl_parquet_values_supported(&in.layout, in.encoding));
    if (in.encoding != RWL_PARQUET_RLE_DICTIONARY || read_dictionary(&in, &c)) {
        in.page = take_bytes(&c, PAGE_MAX, page_bytes);
        if (in.layout.convert == RWL_PARQUET_TO_BYTES)
            check_strings(&in);
        else
            check_fixed(&in);
    }
    rwl_parquet_dictionary_clear(&in.dictionary, &op);
    FUZZ_CHECK(atomic_load(&op.memory_used) == 0);
    return 0;
}
