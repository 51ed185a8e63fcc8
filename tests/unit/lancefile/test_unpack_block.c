/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of block codecs, on bytes written out by hand. */
#include "lancefile/unpack.h"
#include "suites.h"

#include <stdlib.h>

static rwl_env env;
static rwl_lance_general general;

static const rwl_lance_codec flat8 = {.kind = RWL_LANCE_CODEC_FLAT, .bits = 8};
static const rwl_lance_codec flat16 = {.kind = RWL_LANCE_CODEC_FLAT, .bits = 16};
static const rwl_lance_codec flat32 = {.kind = RWL_LANCE_CODEC_FLAT, .bits = 32};
static const rwl_lance_codec flat64 = {.kind = RWL_LANCE_CODEC_FLAT, .bits = 64};
static const rwl_lance_codec inline16 = {.kind = RWL_LANCE_CODEC_INLINE_BITPACKING, .bits = 16};
static const rwl_lance_codec packed16 = {
    .kind = RWL_LANCE_CODEC_OUT_OF_LINE_BITPACKING, .bits = 16, .packed_bits = 1};
static const rwl_lance_codec runs16 = {
    .kind = RWL_LANCE_CODEC_RLE, .bits = 16, .values = &flat16, .second = &flat8};
static const rwl_lance_codec runs_of_bytes = {
    .kind = RWL_LANCE_CODEC_RLE, .values = &flat8, .second = &flat8};
static const rwl_lance_codec lz4_flat16 = {
    .kind = RWL_LANCE_CODEC_GENERAL, .scheme = RWL_LANCE_SCHEME_LZ4, .values = &flat16};
static const rwl_lance_codec lz4_runs16 = {
    .kind = RWL_LANCE_CODEC_GENERAL, .scheme = RWL_LANCE_SCHEME_LZ4, .values = &runs16};
static const rwl_lance_codec flat16_lz4 = {
    .kind = RWL_LANCE_CODEC_FLAT, .bits = 16, .scheme = RWL_LANCE_SCHEME_LZ4};
static const rwl_lance_codec same16 = {.kind = RWL_LANCE_CODEC_CONSTANT,
                                       .blob = {(const uint8_t *)"\7\1", 2}};
static const rwl_lance_codec runs32 = {
    .kind = RWL_LANCE_CODEC_RLE, .bits = 32, .values = &flat32, .second = &flat8};
static const rwl_lance_codec wide_runs = {
    .kind = RWL_LANCE_CODEC_RLE, .bits = 16, .values = &flat16, .second = &flat16};
static const rwl_lance_codec packed_lengths = {
    .kind = RWL_LANCE_CODEC_OUT_OF_LINE_BITPACKING, .bits = 8, .packed_bits = 1, .values = &flat8};
static const rwl_lance_codec packed_values = {
    .kind = RWL_LANCE_CODEC_OUT_OF_LINE_BITPACKING, .bits = 16, .packed_bits = 1, .values = &flat16};
static const rwl_lance_codec lz4_flat8 = {
    .kind = RWL_LANCE_CODEC_GENERAL, .scheme = RWL_LANCE_SCHEME_LZ4, .values = &flat8};
static const rwl_lance_codec runs_packed_lengths = {
    .kind = RWL_LANCE_CODEC_RLE, .values = &flat16, .second = &packed_lengths};
static const rwl_lance_codec runs_packed_values = {
    .kind = RWL_LANCE_CODEC_RLE, .values = &packed_values, .second = &lz4_flat8};
static const rwl_lance_codec runs_all_packed = {
    .kind = RWL_LANCE_CODEC_RLE, .values = &packed_values, .second = &packed_lengths};
static const rwl_lance_codec runs_of_runs = {
    .kind = RWL_LANCE_CODEC_RLE, .values = &runs16, .second = &flat8};
static const rwl_lance_codec runs_of_texts = {
    .kind = RWL_LANCE_CODEC_RLE, .values = &flat16, .second = &runs16};
static const rwl_lance_codec pairs8 = {.kind = RWL_LANCE_CODEC_FIXED_SIZE_LIST, .items = 2, .values = &flat8};
static const rwl_lance_codec pairs_of_runs = {
    .kind = RWL_LANCE_CODEC_FIXED_SIZE_LIST, .items = 2, .values = &runs_of_bytes};
static const rwl_lance_codec triples8 = {
    .kind = RWL_LANCE_CODEC_FIXED_SIZE_LIST, .items = 3, .values = &flat8};
static const rwl_lance_codec pairs_with_nulls = {
    .kind = RWL_LANCE_CODEC_FIXED_SIZE_LIST, .items = 2, .values = &flat8, .has_validity = true};
static const rwl_lance_codec split16 = {.kind = RWL_LANCE_CODEC_BYTE_STREAM_SPLIT, .values = &flat16};

static const struct fixed_case {
    const char *name;
    const rwl_lance_codec *codec;
    const char *in;
    size_t in_len;
    int64_t count;
    rwl_status status;
    uint16_t values[4]; /* the first */
} fixed_cases[] = {
    {"flat", &flat16, "\1\0\2\3\xff\xff", 6, 3, RWL_OK, {1, 0x302, 0xffff}},
    {"flat, none", &flat16, "", 0, 0, RWL_OK, {0}},
    {"flat, a byte less", &flat16, "\1\0\2\3\xff", 5, 3, RWL_CORRUPT, {0}},
    {"flat, a byte more", &flat16, "\1\0\2\3\xff\xff\0", 7, 3, RWL_CORRUPT, {0}},
    {"flat of other bits", &flat32, "\1\0\2\3", 4, 2, RWL_CORRUPT, {0}},
    {"constant", &same16, "", 0, 4, RWL_OK, {0x107, 0x107, 0x107, 0x107}},
    /* u64 4 bytes of values · 5, 6 · 2 and 1 of them */
    {"rle", &runs16, "\4\0\0\0\0\0\0\0\5\0\6\0\2\1", 14, 3, RWL_OK, {5, 5, 6}},
    {"rle, more than its count", &runs16, "\4\0\0\0\0\0\0\0\5\0\6\0\2\1", 14, 2, RWL_CORRUPT, {0}},
    {"rle, a length is missing", &runs16, "\4\0\0\0\0\0\0\0\5\0\6\0\2", 13, 2, RWL_CORRUPT, {0}},
    {"rle, values pass the end", &runs16, "\7\0\0\0\0\0\0\0\5\0\6\0\2\1", 14, 3, RWL_CORRUPT, {0}},
    {"rle, values pass everything",
     &runs16,
     "\xff\xff\xff\xff\xff\xff\xff\xff\5\0\6\0\2\1",
     14,
     3,
     RWL_CORRUPT,
     {0}},
    {"rle, cut", &runs16, "\4\0\0\0\0\0\0", 7, 3, RWL_CORRUPT, {0}},
    {"rle of other bits", &runs32, "\4\0\0\0\0\0\0\0\5\0\6\0\2", 13, 2, RWL_CORRUPT, {0}},
    {"rle with wide lengths", &wide_runs, "\4\0\0\0\0\0\0\0\5\0\6\0\2\0\1\0", 16, 3, RWL_OK, {5, 5, 6}},
    {"rle with wide lengths, cut", &wide_runs, "\4\0\0\0\0\0\0\0\5\0\6\0\2\0\1", 15, 3, RWL_CORRUPT, {0}},
    /* one bit each: a length beyond the last is told by no byte, so two raw bytes stand for two lengths */
    {"rle with packed lengths",
     &runs_packed_lengths,
     "\4\0\0\0\0\0\0\0\5\0\6\0\2\1",
     14,
     3,
     RWL_OK,
     {5, 5, 6}},
    /* u32 length 2 · 2 literals */
    {"rle with packed values and compressed lengths",
     &runs_packed_values,
     "\4\0\0\0\0\0\0\0\5\0\6\0\2\0\0\0\x20\2\1",
     19,
     3,
     RWL_OK,
     {5, 5, 6}},
    {"rle that tells nowhere how many runs",
     &runs_all_packed,
     "\4\0\0\0\0\0\0\0\5\0\6\0\2\1",
     14,
     3,
     RWL_CORRUPT,
     {0}},
    /* values 5, 6 by runs of one · each twice */
    {"rle of rle",
     &runs_of_runs,
     "\xe\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\5\0\6\0\1\1\2\2",
     24,
     4,
     RWL_OK,
     {5, 5, 6, 6}},
    {"rle with lengths that are none",
     &runs_of_texts,
     "\4\0\0\0\0\0\0\0\5\0\6\0\2\1",
     14,
     3,
     RWL_CORRUPT,
     {0}},
    {"fixed-size list", &pairs8, "\1\2\3\4", 4, 2, RWL_OK, {0x201, 0x403}},
    {"fixed-size list of rle", &pairs_of_runs, "\2\0\0\0\0\0\0\0\7\1\3\1", 12, 2, RWL_OK, {0x707, 0x107}},
    {"fixed-size list of other bits", &triples8, "\1\2\3\4\5\6", 6, 2, RWL_CORRUPT, {0}},
    {"fixed-size list with null elements", &pairs_with_nulls, "\1\2\3\4", 4, 2, RWL_UNSUPPORTED, {0}},
    /* u32 length 4 · 4 literals */
    {"general", &lz4_flat16, "\4\0\0\0\x40\1\0\2\0", 9, 2, RWL_OK, {1, 2}},
    {"flat, compressed", &flat16_lz4, "\4\0\0\0\x40\1\0\2\0", 9, 2, RWL_OK, {1, 2}},
    {"general, of another length", &lz4_flat16, "\4\0\0\0\x40\1\0\2\0", 9, 3, RWL_CORRUPT, {0}},
    {"general around rle",
     &lz4_runs16,
     "\xe\0\0\0\xe0\4\0\0\0\0\0\0\0\5\0\6\0\2\1",
     19,
     3,
     RWL_OK,
     {5, 5, 6}},
    {"general, far too much", &lz4_flat16, "\0\0\1\0\x40\1\0\2\0", 9, 2, RWL_CORRUPT, {0}},
    {"another codec", &split16, "\1\0", 2, 1, RWL_UNSUPPORTED, {0}},
    {"a negative count", &flat16, "", 0, -1, RWL_CORRUPT, {0}},
};

START_TEST(fixed_width_blocks) {
    const struct fixed_case *c = &fixed_cases[_i];
    uint16_t out[1024 + 4];
    rwl_error err = {0};
    rwl_status st = rwl_lance_block_fixed(&general, &env, c->codec, rwl_span_of(c->in, c->in_len), c->count,
                                          16, out, &err);
    ck_assert_msg(st == c->status, "%s: %d %s", c->name, (int)st, err.message);
    if (st == RWL_OK)
        for (int64_t i = 0; i < c->count; i++)
            ck_assert_msg(out[i] == c->values[i], "%s: value %d is %u", c->name, (int)i, out[i]);
    rwl_lance_general_clear(&general);
}
END_TEST

/* Width 1: bit 0 of word 0 … 63 are values 0 … 63 of a block of 16-bit words. */
START_TEST(inline_bitpacking_begins_with_its_width) {
    uint8_t in[2 + 128 + 1] = {1, 0};
    uint16_t out[1024];
    in[2] = 1;          /* word 0 */
    in[2 + 2 * 63] = 1; /* word 63 */
    rwl_error err;
    ck_assert_int_eq(
        rwl_lance_block_fixed(&general, &env, &inline16, rwl_span_of(in, 130), 70, 16, out, &err), RWL_OK);
    for (int i = 0; i < 70; i++)
        ck_assert_uint_eq(out[i], i == 0 || i == 63);
    static const struct {
        uint8_t width;
        size_t len;
        int64_t count;
    } wrong[] = {{1, 129, 70},   {1, 131, 70}, {17, 130, 70}, {2, 130, 70},
                 {1, 130, 1025}, {1, 1, 70},   {1, 130, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        in[0] = wrong[i].width;
        ck_assert_int_eq(rwl_lance_block_fixed(&general, &env, &inline16, rwl_span_of(in, wrong[i].len),
                                               wrong[i].count, 16, out, &err),
                         RWL_CORRUPT);
    }
}
END_TEST

START_TEST(out_of_line_bitpacking_has_no_width_word) {
    uint8_t in[128 + 2 * 2] = {1};
    uint16_t out[2048];
    rwl_error err;
    in[128] = 9, in[130] = 8; /* two raw values behind the block */
    ck_assert_int_eq(
        rwl_lance_block_fixed(&general, &env, &packed16, rwl_span_of(in, 132), 1026, 16, out, &err), RWL_OK);
    ck_assert_uint_eq(out[0], 1);
    ck_assert_uint_eq(out[1], 0);
    ck_assert_uint_eq(out[1024], 9);
    ck_assert_uint_eq(out[1025], 8);
    ck_assert_int_eq(
        rwl_lance_block_fixed(&general, &env, &packed16, rwl_span_of(in, 131), 1026, 16, out, &err),
        RWL_CORRUPT);
}
END_TEST

START_TEST(blocks_of_sixteen_bytes) {
    uint8_t in[32], out[32 + 16 * 1024];
    rwl_error err;
    rwl_lance_codec flat128 = {.kind = RWL_LANCE_CODEC_FLAT, .bits = 128};
    rwl_lance_codec inline128 = {.kind = RWL_LANCE_CODEC_INLINE_BITPACKING, .bits = 128};
    for (int i = 0; i < 32; i++)
        in[i] = (uint8_t)i;
    ck_assert_int_eq(rwl_lance_block_fixed(&general, &env, &flat128, rwl_span_of(in, 32), 2, 128, out, &err),
                     RWL_OK);
    ck_assert_mem_eq(out, in, 32);
    ck_assert_int_eq(
        rwl_lance_block_fixed(&general, &env, &inline128, rwl_span_of(in, 32), 2, 128, out, &err),
        RWL_CORRUPT);
    ck_assert_int_eq(rwl_lance_block_fixed(&general, &env, &flat8, rwl_span_of(in, 32), 2, 12, out, &err),
                     RWL_UNSUPPORTED);
}
END_TEST

/* --- variable length --- */

static const rwl_lance_codec variable32 = {.kind = RWL_LANCE_CODEC_VARIABLE, .second = &flat32};
static const rwl_lance_codec variable64 = {.kind = RWL_LANCE_CODEC_VARIABLE, .second = &flat64};
static const rwl_lance_codec lz4_variable = {
    .kind = RWL_LANCE_CODEC_GENERAL, .scheme = RWL_LANCE_SCHEME_LZ4, .values = &variable32};
static const rwl_lance_codec same_bytes = {.kind = RWL_LANCE_CODEC_CONSTANT,
                                           .blob = {(const uint8_t *)"abc", 3}};
/* One symbol: code 0 is "abc" (header: magic, switch 1, 1 symbol). */
static const rwl_lance_codec fsst = {.kind = RWL_LANCE_CODEC_FSST,
                                     .values = &variable32,
                                     .blob = {(const uint8_t *)"\1\0\0\1TSSFabc\0\0\0\0\0\3", 17}};
static const rwl_lance_codec fsst_of_flat = {
    .kind = RWL_LANCE_CODEC_FSST, .values = &flat8, .blob = {(const uint8_t *)"", 0}};

static const struct bytes_case {
    const char *name;
    const rwl_lance_codec *codec;
    const char *in;
    size_t in_len;
    int64_t count;
    rwl_status status;
    const char *text; /* values, each in brackets */
} bytes_cases[] = {
    {"variable", &variable32, "\x20\0\0\0\x18\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\3\0\0\0xyz", 27, 3, RWL_OK,
     "[x][][yz]"},
    {"variable, none", &variable32, "\x20\0\0\0\xc\0\0\0\0\0\0\0", 12, 0, RWL_OK, ""},
    {"variable, wide", &variable64, "\x40\0\0\0\0\0\0\0\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0hi",
     34, 1, RWL_OK, "[hi]"},
    {"older head", &variable32, "\x20\3\0\0\0\x19\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\3\0\0\0xyz", 28, 3, RWL_OK,
     "[x][][yz]"},
    {"older head, wide", &variable64,
     "\x40\1\0\0\0\0\0\0\0\x21\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0hi", 35, 1, RWL_OK, "[hi]"},
    {"older head of fewer values", &variable32, "\x20\2\0\0\0\x19\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\3\0\0\0xyz",
     28, 3, RWL_CORRUPT, ""},
    {"older head whose bytes begin in the offsets", &variable32,
     "\x20\3\0\0\0\x18\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\3\0\0\0xyz", 28, 3, RWL_CORRUPT, ""},
    {"older head, cut", &variable64, "\x40\1\0\0\0\0\0\0\0\x21\0\0\0\0\0\0", 16, 1, RWL_CORRUPT, ""},
    {"offsets fall", &variable32, "\x20\0\0\0\x18\0\0\0\0\0\0\0\2\0\0\0\1\0\0\0\3\0\0\0xyz", 27, 3,
     RWL_CORRUPT, ""},
    {"offsets pass the end", &variable32, "\x20\0\0\0\x18\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\4\0\0\0xyz", 27, 3,
     RWL_CORRUPT, ""},
    {"bytes begin in the offsets", &variable32, "\x20\0\0\0\x14\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\3\0\0\0xyz", 27,
     3, RWL_CORRUPT, ""},
    {"bytes begin behind the end", &variable32, "\x20\0\0\0\x1c\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\3\0\0\0xyz", 27,
     3, RWL_CORRUPT, ""},
    {"more values than offsets", &variable32, "\x20\0\0\0\x18\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\3\0\0\0xyz", 27,
     4, RWL_CORRUPT, ""},
    {"offsets of 16 bits", &variable32, "\x10\0\0\0\x18\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\3\0\0\0xyz", 27, 3,
     RWL_CORRUPT, ""},
    {"cut", &variable32, "\x20\0\0\0\x18\0\0", 7, 0, RWL_CORRUPT, ""},
    {"general", &lz4_variable, "\x16\0\0\0\xf0\7\x20\0\0\0\x14\0\0\0\0\0\0\0\1\0\0\0\2\0\0\0xy", 28, 2,
     RWL_OK, "[x][y]"},
    {"fsst", &fsst, "\x20\0\0\0\x14\0\0\0\0\0\0\0\2\0\0\0\4\0\0\0\0\0\377z", 24, 2, RWL_OK, "[abcabc][z]"},
    {"fsst, a code that is none", &fsst, "\x20\0\0\0\x14\0\0\0\0\0\0\0\2\0\0\0\4\0\0\0\0\1\377z", 24, 2,
     RWL_CORRUPT, ""},
    {"fsst over flat", &fsst_of_flat, "", 0, 0, RWL_UNSUPPORTED, ""},
    {"constant", &same_bytes, "", 0, 2, RWL_OK, "[abc][abc]"},
    {"flat", &flat8, "ab", 2, 2, RWL_UNSUPPORTED, ""},
};

START_TEST(variable_length_blocks) {
    const struct bytes_case *c = &bytes_cases[_i];
    rwl_type type = {.kind = RWL_TYPE_BINARY};
    rwl_column column;
    rwl_column_init_flat(&column, &type);
    rwl_error err = {0};
    rwl_status st = rwl_lance_block_bytes(&general, &env, c->codec, rwl_span_of(c->in, c->in_len), c->count,
                                          &column, &err);
    ck_assert_msg(st == c->status, "%s: %d %s", c->name, (int)st, err.message);
    if (st == RWL_OK) {
        char text[64] = "";
        for (int64_t i = 0; i < column.length; i++) {
            rwl_span bytes = rwl_column_bytes(&column, i);
            strcat(text, "[");
            strncat(text, bytes.len > 0 ? (const char *)bytes.data : "", bytes.len);
            strcat(text, "]");
        }
        ck_assert_int_eq(column.length, c->count);
        ck_assert_str_eq(text, c->text);
        /* a second block goes behind the first */
        ck_assert_int_eq(rwl_lance_block_bytes(&general, &env, c->codec, rwl_span_of(c->in, c->in_len),
                                               c->count, &column, &err),
                         RWL_OK);
        ck_assert_int_eq(column.length, 2 * c->count);
        for (int64_t i = 0; i < c->count; i++)
            ck_assert(rwl_span_equal(rwl_column_bytes(&column, i), rwl_column_bytes(&column, c->count + i)));
    }
    rwl_column_clear(&column, &env);
    rwl_lance_general_clear(&general);
}
END_TEST

static const rwl_lance_codec zstd_variable = {
    .kind = RWL_LANCE_CODEC_GENERAL, .scheme = RWL_LANCE_SCHEME_ZSTD, .values = &variable32};

/* 16 blocks of 128 KiB of the same byte, four bytes each: 2 MiB. */
static size_t make_frame(uint8_t *out) {
    static const uint8_t head[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3}; /* a window of 128 KiB, no length */
    memcpy(out, head, sizeof head);
    for (uint32_t i = 0; i < 16; i++) {
        rwl_store_le32(out + sizeof head + 4 * i, (i == 15) | 1 << 1 | 0x20000 << 3);
        out[sizeof head + 4 * i + 3] = 'a';
    }
    return sizeof head + 64;
}

START_TEST(what_comes_out_has_to_fit_the_budget) {
    uint8_t frame[128], declared[8 + sizeof frame] = {0, 0, 0x20}; /* 2 MiB */
    size_t len = make_frame(frame);
    memcpy(declared + 8, frame, len);
    const struct {
        const rwl_lance_codec *codec;
        rwl_span in;
        int64_t count;
    } cases[] = {{&zstd_variable, rwl_span_of(declared, 8 + len), 1},
                 {&zstd_variable, rwl_span_of(frame, len), 1},
                 {&same_bytes, rwl_span_of(NULL, 0), 1 << 20}};
    for (int i = 0; i < 3; i++)
        for (int64_t limit = 1 << 20; limit <= 8 << 20; limit *= 8) {
            rwl_op op;
            rwl_op_init(&op, &env, limit);
            rwl_lance_general of_op = {.op = &op};
            rwl_type type = rwl_type_of(RWL_TYPE_BINARY);
            rwl_column column;
            rwl_column_init_flat(&column, &type);
            /* "aaaa…" is no variable block; the constant one is right where there is room */
            rwl_status roomy = i == 2 ? RWL_OK : RWL_CORRUPT;
            ck_assert_int_eq(rwl_lance_block_bytes(&of_op, &env, cases[i].codec, cases[i].in, cases[i].count,
                                                   &column, NULL),
                             limit == 1 << 20 ? RWL_UNSUPPORTED : roomy);
            ck_assert_int_eq(atomic_load(&op.memory_used), 0);
            rwl_column_clear(&column, &env);
            rwl_lance_general_clear(&of_op);
        }
}
END_TEST

Suite *lancefile_unpack_block_suite(void) {
    Suite *suite = suite_create("lancefile_unpack_block");
    TCase *tc = tcase_create("all");
    rwl_env_init_default(&env);
    tcase_add_loop_test(tc, fixed_width_blocks, 0, sizeof fixed_cases / sizeof *fixed_cases);
    tcase_add_test(tc, inline_bitpacking_begins_with_its_width);
    tcase_add_test(tc, out_of_line_bitpacking_has_no_width_word);
    tcase_add_test(tc, blocks_of_sixteen_bytes);
    tcase_add_loop_test(tc, variable_length_blocks, 0, sizeof bytes_cases / sizeof *bytes_cases);
    tcase_add_test(tc, what_comes_out_has_to_fit_the_budget);
    suite_add_tcase(suite, tc);
    return suite;
}
