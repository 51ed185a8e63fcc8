/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the codecs. Foreign bytes come from the program or specification named beside them. */
#include "codec/codec.h"
#include "suites.h"

#include <check.h>
#include <stdlib.h>

static rwl_env env;

static const rwl_codec_id all_ids[] = {RWL_CODEC_NONE, RWL_CODEC_SNAPPY,  RWL_CODEC_GZIP,  RWL_CODEC_DEFLATE,
                                       RWL_CODEC_ZSTD, RWL_CODEC_LZ4_RAW, RWL_CODEC_BROTLI};
enum { ID_COUNT = sizeof all_ids / sizeof *all_ids };

static rwl_codec *make(rwl_codec_id id) {
    rwl_codec *codec;
    ck_assert_int_eq(rwl_codec_new(&env, id, 0, &codec, NULL), RWL_OK);
    return codec;
}

static rwl_buf make_buf(size_t max) {
    rwl_buf buf;
    rwl_buf_init(&buf, &env, max);
    return buf;
}

/* Half noise, half repetition: neither incompressible nor trivial. */
static void fill(uint8_t *data, size_t len) {
    uint32_t state = 1;
    for (size_t i = 0; i < len; i++) {
        state = state * 1664525 + 1013904223;
        data[i] = i % 512 < 256 ? (uint8_t)(state >> 24) : 'a';
    }
}

static const size_t sizes[] = {0, 1, 100, 65536, 300001};

START_TEST(round_trips_exactly_and_open_ended) {
    rwl_codec_id id = all_ids[_i];
    rwl_codec *codec = make(id);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t len = sizes[s];
        uint8_t *data = malloc(len + 1), *out = malloc(len + 1);
        fill(data, len);
        rwl_buf packed = make_buf(SIZE_MAX), whole = make_buf(len), small = make_buf(len ? len - 1 : 0);
        rwl_error err = {0};
        ck_assert_int_eq(rwl_codec_compress(codec, rwl_span_of(data, len), &packed, &err), RWL_OK);
        rwl_span in = rwl_buf_span(&packed);
        ck_assert_msg(rwl_codec_decompress(codec, in, out, len, &err) == RWL_OK, "%s", err.message);
        ck_assert(len == 0 || memcmp(data, out, len) == 0);
        ck_assert_int_eq(rwl_codec_decompress(codec, in, out, len + 1, &err), RWL_CORRUPT);
        if (len)
            ck_assert_int_eq(rwl_codec_decompress(codec, in, out, len - 1, &err), RWL_CORRUPT);
        ck_assert_msg(rwl_codec_decompress_all(codec, in, &whole, &err) == RWL_OK, "%s", err.message);
        ck_assert_uint_eq(whole.len, len);
        ck_assert(len == 0 || memcmp(data, whole.data, len) == 0);
        if (len)
            ck_assert_int_eq(rwl_codec_decompress_all(codec, in, &small, &err), RWL_UNSUPPORTED);
        rwl_buf_clear(&packed);
        rwl_buf_clear(&whole);
        rwl_buf_clear(&small);
        free(data);
        free(out);
    }
    rwl_codec_free(codec);
}
END_TEST

START_TEST(rejects_every_truncation_and_survives_every_changed_byte) {
    rwl_codec_id id = all_ids[_i];
    rwl_codec *codec = make(id);
    uint8_t data[700], out[700];
    fill(data, sizeof data);
    rwl_buf packed = make_buf(SIZE_MAX);
    ck_assert_int_eq(rwl_codec_compress(codec, rwl_span_of(data, sizeof data), &packed, NULL), RWL_OK);
    for (size_t len = 0; len < packed.len; len++) {
        rwl_buf whole = make_buf(10000);
        rwl_span cut = rwl_span_of(packed.data, len);
        ck_assert_int_eq(rwl_codec_decompress(codec, cut, out, sizeof out, NULL), RWL_CORRUPT);
        rwl_status st = rwl_codec_decompress_all(codec, cut, &whole, NULL);
        /* a block that ends behind literals is whole, a shorter one */
        ck_assert(st == RWL_CORRUPT || id == RWL_CODEC_NONE || id == RWL_CODEC_LZ4_RAW);
        rwl_buf_clear(&whole);
    }
    for (size_t at = 0; at < packed.len; at++) { /* any answer but a crash or a write outside */
        packed.data[at] ^= 0x55;
        rwl_buf whole = make_buf(10000);
        rwl_status exact = rwl_codec_decompress(codec, rwl_buf_span(&packed), out, sizeof out, NULL);
        rwl_status all = rwl_codec_decompress_all(codec, rwl_buf_span(&packed), &whole, NULL);
        ck_assert(exact == RWL_OK || exact == RWL_CORRUPT);
        ck_assert(all == RWL_OK || all == RWL_CORRUPT || all == RWL_UNSUPPORTED);
        rwl_buf_clear(&whole);
        packed.data[at] ^= 0x55;
    }
    rwl_buf_clear(&packed);
    rwl_codec_free(codec);
}
END_TEST

static void check_reads(rwl_codec_id id, const char *bytes, size_t len, const char *expected) {
    rwl_codec *codec = make(id);
    rwl_buf out = make_buf(1000);
    rwl_error err = {0};
    uint8_t exact[1000];
    rwl_span in = rwl_span_of(bytes, len);
    ck_assert_msg(rwl_codec_decompress_all(codec, in, &out, &err) == RWL_OK, "%s", err.message);
    ck_assert(rwl_span_equal(rwl_buf_span(&out), rwl_span_str(expected)));
    ck_assert_int_eq(rwl_codec_decompress(codec, in, exact, strlen(expected), &err), RWL_OK);
    ck_assert_mem_eq(exact, expected, strlen(expected));
    rwl_buf_clear(&out);
    rwl_codec_free(codec);
}

START_TEST(reads_what_others_wrote) {
    /* python3: zlib.compress(b"hello")[2:], the four bytes of the checksum still behind it, then [2:-1] */
    check_reads(RWL_CODEC_DEFLATE, "\xcbH\xcd\xc9\xc9\x07\x00\x06,\x02\x15", 11, "hello");
    check_reads(RWL_CODEC_DEFLATE, "\xcbH\xcd\xc9\xc9\x07\x00\x06,\x02", 10, "hello");
    /* gzip -n, twice in a row */
    static const char member[] =
        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10"
        "\x36\x05\x00\x00\x00";
    char twice[2 * (sizeof member - 1)];
    memcpy(twice, member, sizeof member - 1);
    memcpy(twice + sizeof member - 1, member, sizeof member - 1);
    check_reads(RWL_CODEC_GZIP, member, sizeof member - 1, "hello");
    check_reads(RWL_CODEC_GZIP, twice, sizeof twice, "hellohello");
    /* snappy format description: length 10, literal of 5, copy of length 5 at offset 5 */
    check_reads(RWL_CODEC_SNAPPY, "\x0a\x10hello\x05\x05", 9, "hellohello");
    /* RFC 8878: magic, descriptor 0x20 (single segment), content size 5, last raw block of 5 */
    static const char frame[] = "\x28\xb5\x2f\xfd\x20\x05\x29\x00\x00hello";
    check_reads(RWL_CODEC_ZSTD, frame, 14, "hello");
    char frames[28];
    memcpy(frames, frame, 14);
    memcpy(frames + 14, frame, 14);
    check_reads(RWL_CODEC_ZSTD, frames, 28, "hellohello");
}
END_TEST

/* lz4_Block_format.md: token 0x50 is five literals and no match; 0x5b five literals and a match of 11 + 4 bytes. */
#define LZ4_HELLO "\x50hello"
#define LZ4_HELLOS                                                                                           \
    "\x5bhello\x05\x00\x50hello" /* five times: the match at offset 5, then the last literals */
#define HELLOS "hellohellohellohellohello"

START_TEST(reads_lz4_in_every_form) {
    check_reads(RWL_CODEC_LZ4_RAW, LZ4_HELLO, 6, "hello");
    check_reads(RWL_CODEC_LZ4_RAW, LZ4_HELLOS, 14, HELLOS);
    check_reads(RWL_CODEC_LZ4_RAW, "\0", 1, "");
    /* one frame of one block, of two blocks; two frames; a frame without bytes and one without a block */
    check_reads(RWL_CODEC_LZ4_HADOOP, "\0\0\0\x05\0\0\0\x06" LZ4_HELLO, 14, "hello");
    check_reads(RWL_CODEC_LZ4_HADOOP, "\0\0\0\x1e\0\0\0\x06" LZ4_HELLO "\0\0\0\x0e" LZ4_HELLOS, 32,
                "hello" HELLOS);
    check_reads(RWL_CODEC_LZ4_HADOOP, "\0\0\0\x19\0\0\0\x0e" LZ4_HELLOS "\0\0\0\x05\0\0\0\x06" LZ4_HELLO, 36,
                HELLOS "hello");
    check_reads(RWL_CODEC_LZ4_HADOOP, "\0\0\0\0\0\0\0\x01\0", 9, "");
    check_reads(RWL_CODEC_LZ4_HADOOP, "\0\0\0\0", 4, "");
    /* a raw block under the same name */
    check_reads(RWL_CODEC_LZ4_HADOOP, LZ4_HELLOS, 14, HELLOS);
    /* lz4_Frame_format.md, from `printf hello | lz4 -c`: magic, FLG 0x64, BD 0x40, header checksum 0xa7, a block of
     * 5 uncompressed bytes, end mark, content checksum */
    check_reads(RWL_CODEC_LZ4_HADOOP,
                "\x04\x22\x4d\x18\x64\x40\xa7\x05\x00\x00\x80hello\x00\x00\x00\x00\xf9\x77\x00\xfb", 24,
                "hello");
}
END_TEST

START_TEST(refuses_lz4_that_does_not_add_up) {
    static const struct {
        rwl_codec_id id;
        const char *bytes;
        size_t len, out_len;
    } cases[] = {
        {RWL_CODEC_LZ4_RAW, "", 0, 0},
        {RWL_CODEC_LZ4_RAW, "\x50hell", 5, 5},                     /* literals cut */
        {RWL_CODEC_LZ4_RAW, "\x5bhello\x06\x00\x50hello", 14, 25}, /* a match from before the beginning */
        {RWL_CODEC_LZ4_RAW, "\xf0\xff\xff\xff", 4, 1000},          /* a length without an end */
        {RWL_CODEC_LZ4_HADOOP, "\xff\xff\xff\xff\0\0\0\x06" LZ4_HELLO, 14, 5},
        {RWL_CODEC_LZ4_HADOOP, "\0\0\0\x05\xff\xff\xff\xff" LZ4_HELLO, 14, 5},
        {RWL_CODEC_LZ4_HADOOP, "\0\0\0\x06\0\0\0\x06" LZ4_HELLO, 14, 6},
        {RWL_CODEC_LZ4_HADOOP, "\0\0\0\x05\0\0\0\x01\0", 9, 5},
        {RWL_CODEC_LZ4_HADOOP, "\0\0\0", 3, 0},
        {RWL_CODEC_LZ4_HADOOP,
         "\x04\x22\x4d\x18\x64\x40\xa7\x05\x00\x00\x80hello\x00\x00\x00\x00\xf9\x77\x00\xfa", 24, 5},
        {RWL_CODEC_LZ4_HADOOP, "\x04\x22\x4d\x18\x64\x40\xa7\x05\x00\x00\x80hello", 16, 5},
        {RWL_CODEC_BROTLI, "", 0, 0},
        /* RFC 7932: \x06 is an empty last metablock of window 16 bits; \x0b\x02\x80hello\x03 is hello, uncompressed */
        {RWL_CODEC_BROTLI, "\x06junk", 5, 0},
        {RWL_CODEC_BROTLI, "\x0b\x02\x80hello\x03junk", 13, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_codec *codec = make(cases[i].id);
        uint8_t out[1000];
        rwl_error err = {0};
        ck_assert_msg(rwl_codec_decompress(codec, rwl_span_of(cases[i].bytes, cases[i].len), out,
                                           cases[i].out_len, &err) == RWL_CORRUPT,
                      "case %zu", i);
        rwl_buf all = make_buf(1000);
        ck_assert_msg(rwl_codec_decompress_all(codec, rwl_span_of(cases[i].bytes, cases[i].len), &all,
                                               &err) == RWL_CORRUPT,
                      "case %zu open-ended", i);
        rwl_buf_clear(&all);
        rwl_codec_free(codec);
    }
}
END_TEST

START_TEST(reads_brotli_of_others) {
    check_reads(RWL_CODEC_BROTLI, "\x06", 1, "");
    check_reads(RWL_CODEC_BROTLI, "\x0b\x02\x80hello\x03", 9, "hello");
}
END_TEST

START_TEST(hadoops_lz4_is_not_written) {
    rwl_codec *codec = make(RWL_CODEC_LZ4_HADOOP);
    rwl_buf out = make_buf(1000);
    rwl_error err = {0};
    ck_assert_int_eq(rwl_codec_compress(codec, rwl_span_str("hello"), &out, &err), RWL_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.message, "lz4"));
    rwl_codec_free(codec);
}
END_TEST

START_TEST(every_level_round_trips) {
    static const struct {
        rwl_codec_id id;
        int from, to;
    } ranges[] = {{RWL_CODEC_LZ4_RAW, 1, 12}, {RWL_CODEC_BROTLI, 1, 11}};
    uint8_t data[5000], out[5000];
    fill(data, sizeof data);
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
        for (int level = ranges[r].from; level <= ranges[r].to; level++) {
            rwl_codec *codec;
            rwl_buf packed = make_buf(SIZE_MAX);
            ck_assert_int_eq(rwl_codec_new(&env, ranges[r].id, level, &codec, NULL), RWL_OK);
            for (int twice = 0; twice < 2; twice++) {
                rwl_buf_reset(&packed);
                ck_assert_int_eq(rwl_codec_compress(codec, rwl_span_of(data, sizeof data), &packed, NULL),
                                 RWL_OK);
                ck_assert_uint_lt(packed.len, sizeof data);
                ck_assert_int_eq(rwl_codec_decompress(codec, rwl_buf_span(&packed), out, sizeof out, NULL),
                                 RWL_OK);
                ck_assert_mem_eq(data, out, sizeof data);
            }
            rwl_buf_clear(&packed);
            rwl_codec_free(codec);
        }
}
END_TEST

START_TEST(gzip_rejects_bytes_behind_it) {
    rwl_codec *codec = make(RWL_CODEC_GZIP);
    rwl_buf packed = make_buf(SIZE_MAX), out = make_buf(1000);
    ck_assert_int_eq(rwl_codec_compress(codec, rwl_span_str("hello"), &packed, NULL), RWL_OK);
    ck_assert_int_eq(rwl_buf_str(&packed, "junk", NULL), RWL_OK);
    ck_assert_int_eq(rwl_codec_decompress_all(codec, rwl_buf_span(&packed), &out, NULL), RWL_CORRUPT);
    rwl_buf_clear(&packed);
    rwl_buf_clear(&out);
    rwl_codec_free(codec);
}
END_TEST

START_TEST(snappy_lengths_no_input_could_give_ask_for_no_memory) {
    rwl_codec *codec = make(RWL_CODEC_SNAPPY);
    rwl_buf out = make_buf(SIZE_MAX);
    /* length 0xffffffff in front of one literal byte */
    rwl_span in = rwl_span_of("\xff\xff\xff\xff\x0f\x00x", 7);
    ck_assert_int_eq(rwl_codec_decompress_all(codec, in, &out, NULL), RWL_CORRUPT);
    ck_assert_uint_eq(out.cap, 0);
    rwl_codec_free(codec);
}
END_TEST

START_TEST(names_are_those_of_the_properties) {
    rwl_codec_id id;
    ck_assert(rwl_codec_by_name("ZSTD", &id) && id == RWL_CODEC_ZSTD);
    ck_assert(rwl_codec_by_name("gzip", &id) && id == RWL_CODEC_GZIP);
    ck_assert(rwl_codec_by_name("Snappy", &id) && id == RWL_CODEC_SNAPPY);
    ck_assert(rwl_codec_by_name("uncompressed", &id) && id == RWL_CODEC_NONE);
    ck_assert(rwl_codec_by_name("none", &id) && id == RWL_CODEC_NONE);
    ck_assert(rwl_codec_by_name("lz4", &id) && id == RWL_CODEC_LZ4_RAW);
    ck_assert(rwl_codec_by_name("LZ4_RAW", &id) && id == RWL_CODEC_LZ4_RAW);
    ck_assert(rwl_codec_by_name("brotli", &id) && id == RWL_CODEC_BROTLI);
    ck_assert(!rwl_codec_by_name("lzo", &id) && !rwl_codec_by_name("", &id));
    ck_assert_str_eq(rwl_codec_name(RWL_CODEC_ZSTD), "zstd");
}
END_TEST

START_TEST(levels_outside_the_codec_are_refused) {
    static const struct {
        rwl_codec_id id;
        int level;
        rwl_status status;
    } cases[] = {{RWL_CODEC_ZSTD, 22, RWL_OK},      {RWL_CODEC_ZSTD, 23, RWL_USAGE},
                 {RWL_CODEC_ZSTD, -7, RWL_OK},      {RWL_CODEC_GZIP, 9, RWL_OK},
                 {RWL_CODEC_GZIP, 13, RWL_USAGE},   {RWL_CODEC_GZIP, -1, RWL_USAGE},
                 {RWL_CODEC_SNAPPY, 5, RWL_OK},     {RWL_CODEC_LZ4_RAW, 13, RWL_USAGE},
                 {RWL_CODEC_BROTLI, 12, RWL_USAGE}, {(rwl_codec_id)99, 0, RWL_INTERNAL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_codec *codec;
        rwl_error err;
        ck_assert_int_eq(rwl_codec_new(&env, cases[i].id, cases[i].level, &codec, &err), cases[i].status);
        rwl_codec_free(codec);
    }
}
END_TEST

START_TEST(crc32_is_zlibs_and_goes_on) {
    ck_assert_uint_eq(rwl_crc32(0, rwl_span_str("123456789")), 0xCBF43926); /* the check value of CRC-32 */
    ck_assert_uint_eq(rwl_crc32(rwl_crc32(0, rwl_span_str("1234")), rwl_span_str("56789")), 0xCBF43926);
    ck_assert_uint_eq(rwl_crc32(7, rwl_span_of(NULL, 0)), 7);
}
END_TEST

int main(void) {
    rwl_env_init_default(&env);
    Suite *suite = suite_create("codec");
    TCase *tc = tcase_create("codec");
    tcase_add_loop_test(tc, round_trips_exactly_and_open_ended, 0, ID_COUNT);
    tcase_add_loop_test(tc, rejects_every_truncation_and_survives_every_changed_byte, 0, ID_COUNT);
    tcase_add_test(tc, reads_what_others_wrote);
    tcase_add_test(tc, reads_lz4_in_every_form);
    tcase_add_test(tc, refuses_lz4_that_does_not_add_up);
    tcase_add_test(tc, reads_brotli_of_others);
    tcase_add_test(tc, hadoops_lz4_is_not_written);
    tcase_add_test(tc, every_level_round_trips);
    tcase_add_test(tc, gzip_rejects_bytes_behind_it);
    tcase_add_test(tc, snappy_lengths_no_input_could_give_ask_for_no_memory);
    tcase_add_test(tc, names_are_those_of_the_properties);
    tcase_add_test(tc, levels_outside_the_codec_are_refused);
    tcase_add_test(tc, crc32_is_zlibs_and_goes_on);
    suite_add_tcase(suite, tc);
    suite_add_tcase(suite, snappy_cases());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
