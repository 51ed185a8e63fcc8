/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of Lance's codecs, JSONB among them, one an input; what they give is what their definition gives, and stays in its room.
 *
 *   input := u8 kernel   u8 width   u8 second   u16 count   bytes
 *
 * Blocks have a PageLayout first (u16 length, message), whose codecs are tried one after another on the rest; FSST a symbol table.
 */
#include "base/json.h"
#include "counted.h"
#include "fuzz.h"
#include "lancefile/jsonb.h"
#include "lancefile/unpack.h"

enum { HEAD = 5, OUT_MAX = 1 << 20, BUDGET = 4 << 20, SLACK = 16 << 20, KERNELS = 9, TABLE_MAX = 2312 };

static rwl_env env;
static rwl_op op;
static volatile uint64_t sink;

typedef struct input {
    int width, second;
    int64_t count;
    rwl_span bytes;
} input;

static int word_bits(const input *in) {
    return 8 << in->width % 4;
}

/* A block of exactly this size, so that a sanitizer sees each byte beyond. */
static void *room(size_t size) {
    void *block = rwl_calloc(&env, size > 0 ? size : 1, 1);
    FUZZ_CHECK(block != NULL);
    return block;
}

static void check(rwl_status st, const rwl_error *err) {
    FUZZ_CHECK(st == RWL_OK || err->message[0] != '\0');
    if (st != RWL_OK)
        fuzz_show(err->message);
}

/* --- bit packing --- */

static uint64_t load_word(const uint8_t *at, int bits) {
    uint64_t value = 0;
    for (int i = 0; i < bits / 8; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

/* Where unpack.h says that the value is, bit by bit. */
static uint64_t packed_value(const uint8_t *in, int bits, int packed_bits, int index) {
    static const int order[] = {0, 4, 2, 6, 1, 5, 3, 7};
    int lanes = RWL_LANCE_PACK / bits;
    for (int row = 0; row < bits; row++)
        for (int lane = 0; lane < lanes; lane++) {
            uint64_t value = 0;
            if (order[row / 8] * 16 + row % 8 * 128 + lane != index)
                continue;
            for (int i = 0; i < packed_bits; i++) {
                int at = row * packed_bits + i, word = lanes * (at / bits) + lane;
                value |= (load_word(in + (size_t)word * (size_t)bits / 8, bits) >> (at % bits) & 1) << i;
            }
            return value;
        }
    FUZZ_CHECK(false);
    return 0;
}

static void unpack(const input *in) {
    int bits = word_bits(in), packed = in->second % (bits + 1);
    size_t len = (size_t)packed * 128;
    uint8_t *words = room(len), *out = room((size_t)RWL_LANCE_PACK * (size_t)bits / 8);
    if (in->bytes.len > 0)
        memcpy(words, in->bytes.data, len < in->bytes.len ? len : in->bytes.len);
    rwl_lance_unpack(bits, packed, words, out);
    for (int i = (int)(in->count % 64); i < RWL_LANCE_PACK; i += 61)
        FUZZ_CHECK(load_word(out + (size_t)i * (size_t)bits / 8, bits) ==
                   packed_value(words, bits, packed, i));
    rwl_free(&env, words);
    rwl_free(&env, out);
}

static size_t packed_room(int64_t count, int64_t bits) {
    return ((size_t)count + RWL_LANCE_PACK - 1) / RWL_LANCE_PACK * RWL_LANCE_PACK * (size_t)bits / 8;
}

static void unpack_blocks(const input *in) {
    int bits = word_bits(in);
    rwl_error err = {0};
    void *out = room(packed_room(in->count, bits));
    check(rwl_lance_unpack_blocks(bits, in->second, in->bytes, in->count, out, &err), &err);
    rwl_free(&env, out);
}

/* --- runs, streams --- */

static size_t load_length(const uint8_t *at, size_t width) {
    size_t length = 0;
    while (width-- > 0)
        length = length << 8 | at[width];
    return length;
}

static void unpack_runs(const input *in) {
    size_t width = (size_t)in->width % 20, length_width = (size_t)1 << (in->second & 3), sum = 0, run = 0;
    size_t runs = in->bytes.len / (width + length_width);
    uint8_t *out = room((size_t)in->count * (width > 0 ? width : 1));
    rwl_error err = {0};
    const uint8_t *lengths = in->bytes.data + runs * width;
    rwl_status st =
        rwl_lance_unpack_runs((int)width, rwl_span_of(in->bytes.data, runs * width), (int)length_width,
                              rwl_span_of(lengths, runs * length_width), in->count, out, &err);
    check(st, &err);
    for (size_t i = 0; i < runs && length_width < 8; i++)
        sum += load_length(lengths + i * length_width, length_width);
    size_t last =
        runs > 0 && length_width < 8 ? load_length(lengths + (runs - 1) * length_width, length_width) : 0;
    bool is_full = sum == (size_t)in->count || (sum > (size_t)in->count && sum - last < (size_t)in->count);
    FUZZ_CHECK((st == RWL_OK) == (width > 0 && length_width < 8 && is_full));
    if (st == RWL_OK)
        for (size_t i = 0, left = 0; i < (size_t)in->count; i++, left--) {
            for (; left == 0; run++)
                left = load_length(lengths + run * length_width, length_width);
            FUZZ_CHECK(memcmp(out + i * width, in->bytes.data + (run - 1) * width, width) == 0);
        }
    rwl_free(&env, out);
}

static void unsplit(const input *in) {
    size_t width = (size_t)in->width % 20, n = (size_t)in->count;
    uint8_t *out = room(n * (width > 0 ? width : 1));
    rwl_error err = {0};
    rwl_status st = rwl_lance_unsplit((int)width, in->bytes, in->count, out, &err);
    check(st, &err);
    FUZZ_CHECK((st == RWL_OK) == (width > 0 && in->bytes.len == n * width));
    if (st == RWL_OK)
        for (size_t k = 0; k < n * width; k++)
            FUZZ_CHECK(out[k] == in->bytes.data[k % width * n + k / width]);
    rwl_free(&env, out);
}

/* --- texts --- */

static void decode_fsst(const input *in) {
    rwl_lance_fsst table;
    rwl_error err = {0};
    size_t table_len = in->bytes.len < TABLE_MAX ? in->bytes.len : TABLE_MAX;
    if (in->second % 4 == 0) /* a short one */
        table_len = table_len < (size_t)in->count ? table_len : (size_t)in->count;
    rwl_status st = rwl_lance_fsst_parse(rwl_span_of(in->bytes.data, table_len), &table, &err);
    check(st, &err);
    if (st != RWL_OK)
        return;
    rwl_span text = rwl_span_of(in->bytes.data + table_len, in->bytes.len - table_len);
    if (text.len == 0) /* also the table's own bytes */
        text = rwl_span_of(in->bytes.data, table_len < 300 ? table_len : 300);
    uint8_t *out = room(8 * text.len + RWL_LANCE_FSST_SLACK);
    int64_t len = rwl_lance_fsst_decode(&table, text, out);
    FUZZ_CHECK(len >= -1 && len <= (int64_t)(8 * text.len));
    FUZZ_CHECK(!table.is_raw || (len == (int64_t)text.len && memcmp(out, text.data, text.len) == 0));
    rwl_free(&env, out);
}

static void decode_general(const input *in) {
    static const rwl_lance_scheme schemes[] = {RWL_LANCE_SCHEME_NONE, RWL_LANCE_SCHEME_LZ4,
                                               RWL_LANCE_SCHEME_ZSTD};
    rwl_lance_general general = {.op = &op};
    rwl_buf out;
    rwl_error err = {0};
    size_t max = in->second % 2 == 0 ? OUT_MAX : (size_t)in->count;
    rwl_buf_init(&out, &env, max);
    for (int twice = 0; twice < 2; twice++) {
        rwl_status st =
            rwl_lance_general_decode(&general, &env, schemes[in->width % 3], in->bytes, &out, &err);
        check(st, &err);
        FUZZ_CHECK(out.len <= max);
    }
    rwl_buf_clear(&out);
    rwl_lance_general_clear(&general);
}

/* --- JSON --- */

/* A document's text is one, no longer than a string of control characters grows, and the same again behind it. */
static void read_json(const input *in) {
    rwl_buf text;
    rwl_json *json = NULL;
    rwl_error err = {0};
    rwl_buf_init(&text, &env, OUT_MAX);
    rwl_status st = rwl_lance_jsonb_text(in->bytes, &text, &err);
    check(st, &err);
    if (st == RWL_OK) {
        size_t len = text.len;
        FUZZ_CHECK(len > 0 && len <= 8 * in->bytes.len + 64 && rwl_utf8_valid(rwl_buf_span(&text)));
        st = rwl_json_parse_data(rwl_buf_span(&text), &json, &err);
        rwl_json_free(json);
        check(st, &err); /* keys may be there twice, and depth has another limit */
        if (rwl_lance_jsonb_text(in->bytes, &text, &err) == RWL_OK)
            FUZZ_CHECK(text.len == 2 * len && memcmp(text.data, text.data + len, len) == 0);
    }
    rwl_buf_clear(&text);
}

/* --- blocks --- */

static void check_texts(const rwl_column *c, int64_t count) {
    const int32_t *o = rwl_column_offsets(c);
    FUZZ_CHECK(c->length == count);
    for (int64_t i = 0; i < count; i++) {
        FUZZ_CHECK(o[i] >= 0 && o[i] <= o[i + 1] && (size_t)o[i + 1] <= c->bytes_len);
        if (o[i] < o[i + 1])
            sink += c->values.data[o[i]];
    }
}

static void read_block(const input *in, const rwl_lance_codec *codec, rwl_span bytes) {
    static const int64_t widths[] = {8, 16, 32, 64, 128};
    int64_t bits = widths[in->width % 5];
    rwl_lance_general general = {.op = &op};
    rwl_column column;
    rwl_type type = rwl_type_of(RWL_TYPE_BINARY);
    rwl_error err = {0};
    void *out = room(packed_room(in->count, bits));
    check(rwl_lance_block_fixed(&general, &env, codec, bytes, in->count, bits, out, &err), &err);
    rwl_free(&env, out);
    rwl_column_init_flat(&column, &type);
    rwl_status st = rwl_lance_block_bytes(&general, &env, codec, bytes, in->count, &column, &err);
    check(st, &err);
    if (st == RWL_OK && in->count > 0)
        check_texts(&column, in->count);
    rwl_column_clear(&column, &env);
    rwl_lance_general_clear(&general);
}

static void read_blocks(const input *in) {
    rwl_arena arena;
    rwl_lance_layout layout;
    size_t len = in->bytes.len < 2 ? 0 : (size_t)in->bytes.data[0] | (size_t)in->bytes.data[1] << 8;
    if (in->bytes.len < 2 || len > in->bytes.len - 2)
        return;
    rwl_error err = {0};
    rwl_arena_init(&arena, &env, 0);
    rwl_status st = rwl_lance_layout_parse(rwl_span_of(in->bytes.data + 2, len), &arena, &layout, &err);
    check(st, &err);
    if (st == RWL_OK) {
        const rwl_lance_codec *const codecs[] = {layout.values, layout.dictionary, layout.rep, layout.def};
        for (int i = 0; i < 4; i++)
            if (codecs[i] != NULL)
                read_block(in, codecs[i], rwl_span_of(in->bytes.data + 2 + len, in->bytes.len - 2 - len));
    }
    rwl_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    static void (*const kernels[KERNELS])(const input *) = {unpack,      unpack_blocks, unpack_runs,
                                                            unsplit,     decode_fsst,   decode_general,
                                                            read_blocks, read_blocks,   read_json};
    if (len < HEAD)
        return 0;
    counted_env_init(&env);
    rwl_op_init(&op, &env, BUDGET);
    input in = {.width = data[1],
                .second = data[2],
                .count = data[3] | (int64_t)data[4] << 8,
                .bytes = rwl_span_of(data + HEAD, len - HEAD)};
    kernels[data[0] % KERNELS](&in);
    FUZZ_CHECK(counted_live == 0);
    FUZZ_CHECK(counted_peak <= SLACK + 64 * (int64_t)len);
    return 0;
}
