/* SPDX-License-Identifier: Apache-2.0 */
/* Segments of row-id sequences: vectors of the format's notes, odd and broken ones, walks from any place. */
#include "lineage/segment.h"

#include "lineage_test.h"

/* Bytes of hexadecimal text, spaces passed over. */
static rwl_span bytes_of(const char *hex, uint8_t *to) {
    size_t len = 0;
    for (const char *c = hex; *c != '\0'; c++) {
        if (*c == ' ')
            continue;
        to[len++] = (uint8_t)(rwl_hex_digit((uint8_t)c[0]) << 4 | rwl_hex_digit((uint8_t)c[1]));
        c++;
    }
    return rwl_span_of(to, len);
}

static void assert_values(const rwl_segment *s, const int64_t *values, int64_t count) {
    for (int64_t from = 0; from <= count; from++) { /* from every place, in pieces of every size */
        for (int64_t piece = 1; piece <= count - from || piece == 1; piece++) {
            rwl_runs runs;
            rwl_segment_place place = {0, 0, 0};
            rwl_runs_init(&runs, test_env(), 1);
            rwl_segment_skip(s, &place, from);
            for (int64_t left = count - from; left > 0; left -= piece)
                ASSERT_OK(rwl_segment_read(s, &place, left < piece ? left : piece, &runs, err));
            assert_runs(&runs, values + from, count - from);
            rwl_runs_clear(&runs);
        }
    }
}

typedef struct vector {
    const char *hex, *text;
    int64_t count;
    int64_t values[12];
    int64_t least, greatest;
} vector;

static const vector vectors[] = {
    {"0a 02 10 04", "range 0..4", 4, {0, 1, 2, 3}, 0, 3},
    {"0a 04 08 04 10 07", "range 4..7", 3, {4, 5, 6}, 4, 6},
    {"0a 00", "range 0..0", 0, {0}, 0, -1},
    {"", "range 0..0", 0, {0}, 0, -1},
    {"0a 02 08 00", "range 0..0", 0, {0}, 0, -1},
    /* end before start, as no writer has it */
    {"0a 04 10 07 08 04", "range 4..7", 3, {4, 5, 6}, 4, 6},
    /* an unknown field beside the bounds */
    {"0a 06 10 04 28 01 08 02", "range 2..4", 2, {2, 3}, 2, 3},
    /* {1, 2, 7}: trap 4, least significant bit first */
    {"1a 07 08 01 10 08 1a 01 43", "bitmap 1..8 43", 3, {1, 2, 7}, 1, 7},
    /* nothing is there: bounds that are none are not asked for */
    {"1a 07 08 01 10 08 1a 01 00", "bitmap 1..8 00", 0, {0}, 8, 1},
    {"1a 08 08 00 10 0a 1a 02 02 02", "bitmap 0..10 0202", 2, {1, 9}, 1, 9},
    {"2a 1a 0a 18 08 00 12 14 0200 0400 0600 0700 0800 0100 0300 0500 0000 0900",
     "array u16 x10",
     10,
     {2, 4, 6, 7, 8, 1, 3, 5, 0, 9},
     0,
     9},
    {"22 0d 0a 0b 08 ac02 12 06 0000 9101 bc02", "sorted_array u16 x3", 3, {300, 701, 1000}, 300, 1000},
    {"22 06 0a 04 08 2a 12 00", "sorted_array u16 x0", 0, {0}, 0, 0},
    {"22 07 0a 05 12 02 2a00 08", "", -1, {0}, 0, 0}, /* the tag of the base without it */
    /* holes 12 and 15 of 10..17 as u16 with a base, and as u64 */
    {"12 0e 08 0a 10 11 1a 08 0a 06 08 0c 12 02 0000",
     "range 10..17 holes u16 x1",
     6,
     {10, 11, 13, 14, 15, 16},
     10,
     16},
    {"12 18 08 0a 10 11 1a 12 1a 10 12 0e", "", -1, {0}, 0, 0},
    {"12 1a 08 0a 10 11 1a 14 1a 12 12 10 0c00000000000000 0f00000000000000",
     "range 10..17 holes u64 x2",
     5,
     {10, 11, 13, 14, 16},
     10,
     16},
    /* holes at both ends */
    {"12 10 08 05 10 09 1a 0a 0a 08 08 05 12 04 0000 0300", "range 5..9 holes u16 x2", 2, {6, 7}, 6, 7},
    /* no holes after all */
    {"12 04 08 05 10 07", "range 5..7 holes u64 x0", 2, {5, 6}, 5, 6},
    /* LAN-37: [42, 0, 43, 65535, 99] + 131070; steps of 2^32 - 1; the empty list */
    {"2a 12 0a 10 08 feff07 12 0a 2a00 0000 2b00 ffff 6300",
     "array u16 x5",
     5,
     {131112, 131070, 131113, 196605, 131169},
     131070,
     196605},
    {"2a 0e 12 0c 08 01 12 08 00000000 ffffffff",
     "array u32 x2",
     2,
     {1, INT64_C(4294967296)},
     1,
     INT64_C(4294967296)},
    {"2a 02 1a 00", "array u64 x0", 0, {0}, 0, 0},
    {"2a 00", "array u64 x0", 0, {0}, 0, 0},
    {"2a 14 1a 12 12 10 feffffffffffff7f 0000000000000000",
     "array u64 x2",
     2,
     {INT64_MAX - 1, 0},
     0,
     INT64_MAX - 1},
    {"22 14 1a 12 12 10 0500000000000000 0500000000000000", "sorted_array u64 x2", 2, {5, 5}, 5, 5},
};

/* Every value lies within the bounds of the slice it is in, and halves make up the whole. */
static void assert_halves(const rwl_segment *s, const rwl_segment_slice *slice, const int64_t *values) {
    enum { SLICES_MAX = 64 };
    rwl_segment_slice stack[SLICES_MAX] = {*slice}, low, high;
    int64_t at = slice->first;
    for (int depth = 1; depth > 0;) {
        rwl_segment_slice top = stack[--depth];
        ck_assert_int_eq(top.first, at);
        ck_assert_int_ge(top.count, 0);
        for (int64_t i = top.first; i < top.first + top.count; i++)
            ck_assert(values[i] >= top.least && values[i] < top.end);
        if (depth + 2 <= SLICES_MAX && rwl_segment_halve(s, &top, &low, &high)) {
            stack[depth++] = high;
            stack[depth++] = low;
        } else {
            ck_assert(top.count <= 1 || s->form == RWL_SEGMENT_ARRAY);
            at += top.count;
        }
    }
    ck_assert_int_eq(at, s->count);
}

START_TEST(lan_37_segments_of_each_form_give_their_values) {
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const vector *v = &vectors[i];
        uint8_t raw[128];
        rwl_segment s;
        rwl_span message = bytes_of(v->hex, raw);
        if (v->count < 0) {
            ck_assert_int_eq((int)rwl_segment_parse(message, &s, NULL), (int)RWL_CORRUPT);
            continue;
        }
        ASSERT_OK(rwl_error_in(err, rwl_segment_parse(message, &s, err), "vector %zu", i));
        ck_assert_int_eq(s.count, v->count);
        int64_t count, least, greatest;
        ASSERT_OK(rwl_segment_count(message, &count, err));
        ck_assert_int_eq(count, v->count);
        assert_values(&s, v->values, v->count);
        rwl_segment_slice all = rwl_segment_whole(&s);
        assert_halves(&s, &all, v->values);
        if (v->count > 0) {
            rwl_segment_bounds(&s, &least, &greatest);
            ck_assert_msg(least == v->least && greatest == v->greatest, "vector %zu", i);
        }
        rwl_buf text;
        rwl_buf_init(&text, test_env(), SIZE_MAX);
        ASSERT_OK(rwl_segment_format(&s, &text, err));
        ASSERT_OK(rwl_buf_terminate(&text, err));
        ck_assert_str_eq((const char *)text.data, v->text);
        rwl_buf_clear(&text);
    }
}
END_TEST

/* Evens of 0..999 as 2.2 has them, and a bitmap whose runs cross words. */
START_TEST(bitmaps_of_many_words) {
    static const uint8_t patterns[] = {0x55, 0xff, 0x01, 0x80, 0xf0};
    for (size_t p = 0; p < sizeof patterns; p++) {
        uint8_t raw[140] = {0x1a, 0x84, 0x01, 0x10, 0xe7, 0x07, 0x1a, 0x7d}; /* end 999, 125 bytes */
        raw[1] = 3 + 2 + 125, raw[2] = 0x01;
        raw[1] |= 0x80;
        memset(raw + 8, patterns[p], 125);
        raw[8 + 124] &= 0x7f; /* 999 = 124 * 8 + 7 */
        rwl_segment s;
        rwl_segment_place place = {0, 0, 0};
        rwl_runs runs;
        rwl_runs_init(&runs, test_env(), 1);
        ASSERT_OK(rwl_segment_parse(rwl_span_of(raw, 8 + 125), &s, err));
        ASSERT_OK(rwl_segment_read(&s, &place, s.count, &runs, err));
        int64_t row = 0, got;
        for (int64_t v = 0; v < 999; v++) {
            if ((patterns[p] >> (v % 8) & 1) == 0)
                continue;
            ck_assert(rwl_runs_get(&runs, row++, &got));
            ck_assert_int_eq(got, v);
        }
        ck_assert_int_eq(row, s.count);
        ck_assert_int_eq(runs.length, s.count);
        rwl_runs_clear(&runs);
    }
}
END_TEST

/* A bit in each word, read from behind each of them into a sequence that is dense already. */
START_TEST(sparse_bitmaps_are_read_from_any_bit_on) {
    enum { COUNT = 15, SCATTERED = 1000 };
    static const int bits[] = {3, 0, 60}; /* 3, 64, 188, 195, … 956 of 0..999 */
    uint8_t raw[8 + 125] = {0x1a, 0x82, 0x01, 0x10, 0xe7, 0x07, 0x1a, 0x7d};
    for (int i = 0; i < COUNT; i++)
        raw[8 + 8 * i + bits[i % 3] / 8] |= (uint8_t)(1 << (bits[i % 3] % 8));
    rwl_segment s;
    ASSERT_OK(rwl_segment_parse(rwl_span_of(raw, sizeof raw), &s, err));
    ck_assert_int_eq(s.count, COUNT);
    for (int64_t from = 0; from < COUNT; from++) {
        rwl_segment_place place = {0, 0, 0};
        rwl_runs runs;
        int64_t got;
        rwl_runs_init(&runs, test_env(), 1);
        for (int64_t i = 0; i < SCATTERED; i++)
            ASSERT_OK(rwl_runs_append(&runs, 2 * i, 1, err));
        ck_assert(runs.dense);
        rwl_segment_skip(&s, &place, from);
        ASSERT_OK(rwl_segment_read(&s, &place, COUNT - from, &runs, err));
        ck_assert_int_eq(runs.length, SCATTERED + COUNT - from);
        for (int64_t i = from; i < COUNT; i++) {
            ck_assert(rwl_runs_get(&runs, SCATTERED + i - from, &got));
            ck_assert_int_eq(got, 64 * i + bits[i % 3]);
        }
        rwl_runs_clear(&runs);
    }
}
END_TEST

START_TEST(what_breaks_the_rules_is_refused) {
    static const struct {
        const char *hex;
        rwl_status status;
        const char *message;
    } cases[] = {
        {"0a 04 08 04 10 03", RWL_CORRUPT, "range 4..3 ends before it starts"},
        {"0a 0b 10 ffffffffffffffffff01", RWL_CORRUPT, "bound 18446744073709551615 is above"},
        {"0a 04 10 04", RWL_CORRUPT, ""},
        {"0a 02 10 84", RWL_CORRUPT, ""},
        {"0a 05 0d 01000000", RWL_CORRUPT, "field 1 has wire type 5, not 0"},
        {"08 04", RWL_CORRUPT, "field 1 has wire type 0, not 2"},
        {"32 00", RWL_UNSUPPORTED, "segment of unknown form 6"},
        {"0a 02 10 04 22 00", RWL_CORRUPT, "segment of two forms, 1 and 4"},
        {"1a 06 10 08 1a 02 4300", RWL_CORRUPT, "a bitmap of 2 bytes for 8 values"},
        {"1a 04 10 09 1a 00", RWL_CORRUPT, "a bitmap of 0 bytes for 9 values"},
        {"1a 05 10 07 1a 01 c3", RWL_CORRUPT, "a bitmap of 7 values has bits behind its end"},
        {"1a 0e 10 ffffffffffffffff7f 1a 01 c3", RWL_CORRUPT, ""},
        {"12 0e 08 0a 10 11 1a 08 0a 06 08 11 12 02 0000", RWL_CORRUPT, "hole 17 outside of 10..17"},
        {"12 0e 08 0a 10 11 1a 08 0a 06 08 09 12 02 0000", RWL_CORRUPT, "hole 9 outside of 10..17"},
        {"12 10 08 0a 10 11 1a 0a 0a 08 08 0a 12 04 0200 0200", RWL_CORRUPT, "hole 12 behind 12"},
        {"12 10 08 0a 10 0b 1a 0a 0a 08 08 0a 12 04 0200 0200", RWL_CORRUPT, "2 holes in range 10..11"},
        {"22 0a 0a 08 08 00 12 04 0200 0100", RWL_CORRUPT, "sorted value 1 behind 2"},
        {"2a 06 0a 04 12 03 020001", RWL_CORRUPT, ""},
        {"2a 07 0a 05 12 03 020001", RWL_CORRUPT, "3 bytes of numbers of 2 bytes each"},
        {"2a 0c 1a 0a 12 08 ffffffffffffffff", RWL_CORRUPT, "value 18446744073709551615 is above 2^63 - 2"},
        {"2a 10 0a 0e 08 ffffffffffffffff7f 12 02 0100", RWL_CORRUPT,
         "value 9223372036854775808 is above 2^63 - 2"},
        {"2a 11 0a 0f 08 ffffffffffffffffff01 12 02 0100", RWL_CORRUPT,
         "base 18446744073709551615 is above 2^63 - 2"},
        {"2a 0c 1a 0a 12 08 ffffffffffffff7f", RWL_CORRUPT, "value 9223372036854775807 is above 2^63 - 2"},
        {"2a 02 22 00", RWL_UNSUPPORTED, "an array of unknown form 4"},
        {"2a 04 0a 00 1a 00", RWL_CORRUPT, "an array of two forms"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t raw[128];
        rwl_segment s;
        rwl_error err;
        rwl_status st = rwl_segment_parse(bytes_of(cases[i].hex, raw), &s, &err);
        ck_assert_msg(st == cases[i].status, "case %zu: status %d", i, (int)st);
        ck_assert_msg(strstr(err.message, cases[i].message) != NULL, "case %zu: %s", i, err.message);
    }
}
END_TEST

/* Numbers of a span are not looked at: 2 of 1 and 0, which no sorted array may hold. */
START_TEST(a_span_counts_without_its_values) {
    uint8_t raw[32];
    int64_t count;
    ASSERT_OK(rwl_segment_count(bytes_of("22 0a 0a 08 08 00 12 04 0100 0000", raw), &count, err));
    ck_assert_int_eq(count, 2);
}
END_TEST

Suite *segment_suite(void) {
    Suite *suite = suite_create("segment");
    TCase *tc = tcase_create("segment");
    tcase_add_test(tc, lan_37_segments_of_each_form_give_their_values);
    tcase_add_test(tc, bitmaps_of_many_words);
    tcase_add_test(tc, sparse_bitmaps_are_read_from_any_bit_on);
    tcase_add_test(tc, what_breaks_the_rules_is_refused);
    tcase_add_test(tc, a_span_counts_without_its_values);
    suite_add_tcase(suite, tc);
    return suite;
}
