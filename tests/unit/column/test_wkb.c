/* SPDX-License-Identifier: Apache-2.0 */
/* Well-known binary to text. */
#include "column/wkb.h"
#include "suites.h"

static rwl_env env;
static void setup(void) {
    rwl_env_init_default(&env);
}

/* 1.0 is 3ff0…, 2.0 4000…, 1.5 3ff8…, 2.5 4004…, NaN 7ff8…: bytes reversed in the little-endian form. */
#define ONE  "000000000000f03f"
#define TWO  "0000000000000040"
#define NANS "000000000000f87f"
#define P12  ONE TWO
#define P21  TWO ONE
static const struct {
    const char *hex, *text;
} CASES[] = {
    {"0101000000" P12, "POINT (1 2)"},
    {"01010000000000000000 00f83f 0000000000000440", "POINT (1.5 2.5)"},
    {"00000000013ff00000000000004000000000000000", "POINT (1 2)"}, /* big endian */
    {"0101000000" NANS NANS, "POINT EMPTY"},
    {"01e9030000" P12 ONE, "POINT Z (1 2 1)"},
    {"01d1070000" P12 ONE, "POINT M (1 2 1)"},
    {"01b90b0000" P12 P21, "POINT ZM (1 2 2 1)"},
    {"0101000080" P12 ONE, "POINT Z (1 2 1)"}, /* extended: a flag */
    {"0101000020e6100000" P12, "POINT (1 2)"}, /* with an SRID, 4326 */
    {"010200000002000000" P12 P21, "LINESTRING (1 2, 2 1)"},
    {"010200000000000000", "LINESTRING EMPTY"},
    {"01030000000100000003000000" P12 P21 P12, "POLYGON ((1 2, 2 1, 1 2))"},
    {"010300000002000000 01000000" P12 "00000000", "POLYGON ((1 2), EMPTY)"},
    {"010400000002000000 0101000000" P12 "0101000000" P21, "MULTIPOINT ((1 2), (2 1))"},
    {"010500000001000000 010200000001000000" P12, "MULTILINESTRING ((1 2))"},
    {"010600000001000000 01030000000100000001000000" P12, "MULTIPOLYGON (((1 2)))"},
    {"010700000002000000 0101000000" P12 "010700000000000000",
     "GEOMETRYCOLLECTION (POINT (1 2), GEOMETRYCOLLECTION EMPTY)"},
};

static size_t from_hex(const char *hex, uint8_t *out) {
    size_t n = 0;
    int high = -1;
    for (; *hex != '\0'; hex++) {
        int digit = rwl_hex_digit((uint8_t)*hex);
        if (digit < 0)
            continue;
        if (high >= 0)
            out[n++] = (uint8_t)(high << 4 | digit);
        high = high >= 0 ? -1 : digit;
    }
    return n;
}

START_TEST(prints_each_geometry_and_refuses_each_part_of_it) {
    uint8_t bytes[256];
    size_t len = from_hex(CASES[_i].hex, bytes);
    rwl_buf out;
    rwl_error fault = {0};
    rwl_buf_init(&out, &env, SIZE_MAX);
    OK(rwl_wkb_format(rwl_span_of(bytes, len), &out, err));
    OK(rwl_buf_terminate(&out, err));
    ck_assert_str_eq((const char *)out.data, CASES[_i].text);
    for (size_t n = 0; n < len; n++)
        ck_assert_int_eq(rwl_wkb_format(rwl_span_of(bytes, n), &out, &fault), RWL_CORRUPT);
    bytes[len] = 0;
    ck_assert_int_eq(rwl_wkb_format(rwl_span_of(bytes, len + 1), &out, &fault), RWL_CORRUPT);
    rwl_buf_clear(&out);
}
END_TEST

START_TEST(refuses_other_geometries) {
    static const struct {
        const char *hex;
        rwl_status expect;
    } BAD[] = {
        {"0201000000" P12, RWL_CORRUPT},                            /* no byte order */
        {"0100000000" P12, RWL_CORRUPT},                            /* type 0 */
        {"0108000000" P12, RWL_UNSUPPORTED},                        /* a circular string */
        {"01a10f0000" P12, RWL_CORRUPT},                            /* 4001 */
        {"010400000001000000 010200000001000000" P12, RWL_CORRUPT}, /* a line among points */
        {"0102000000ffffffff" P12, RWL_CORRUPT},
    };
    rwl_buf out;
    rwl_buf_init(&out, &env, SIZE_MAX);
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        uint8_t bytes[256];
        rwl_error fault = {0};
        size_t len = from_hex(BAD[i].hex, bytes);
        ck_assert_int_eq(rwl_wkb_format(rwl_span_of(bytes, len), &out, &fault), BAD[i].expect);
    }
    static uint8_t deep[100 * 9]; /* collections of one collection */
    for (int i = 0; i < 100; i++)
        memcpy(deep + i * 9, "\x01\x07\x00\x00\x00\x01\x00\x00\x00", 9);
    rwl_error fault = {0};
    ck_assert_int_eq(rwl_wkb_format(rwl_span_of(deep, sizeof deep), &out, &fault), RWL_UNSUPPORTED);
    rwl_buf_clear(&out);
}
END_TEST

TCase *wkb_cases(void) {
    TCase *tc = tcase_create("wkb");
    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_loop_test(tc, prints_each_geometry_and_refuses_each_part_of_it, 0,
                        (int)(sizeof CASES / sizeof CASES[0]));
    tcase_add_test(tc, refuses_other_geometries);
    return tc;
}
