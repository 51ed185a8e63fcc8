/* SPDX-License-Identifier: Apache-2.0 */
/* Page encodings of file version 2.0: messages that Lance 14.0.2 wrote, with the text that another decoder gives them; wrong ones. */
#include "array_text.h"
#include "lance_build.h"
#include "lancefile/encoding20.h"
#include "suites.h"

#include <check.h>
#include <stdio.h>

static rwl_env env;
static rwl_arena arena;
static rwl_buf message, text;

static void setup(void) {
    rwl_env_init_default(&env);
    rwl_arena_init(&arena, &env, 0);
    rwl_buf_init(&message, &env, SIZE_MAX);
    rwl_buf_init(&text, &env, SIZE_MAX);
}

static void teardown(void) {
    rwl_arena_clear(&arena);
    rwl_buf_clear(&message);
    rwl_buf_clear(&text);
}

static void put_hex(const char *hex) {
    for (; hex[0] != '\0'; hex += 2) {
        int high = rwl_hex_digit((uint8_t)hex[0]), low = rwl_hex_digit((uint8_t)hex[1]);
        ck_assert_int_eq(rwl_buf_u8(&message, (uint8_t)(high << 4 | low), NULL), RWL_OK);
    }
}

static const struct {
    const char *hex, *text;
} WRITTEN[] = {
    {"120a0a080a060a0408201200", "no_nulls(flat32)"},
    {"2a00", "struct"},
    {"321a0a0c120a0a080a060a040840120012080a060808120208011803", "binary(no_nulls(flat64), flat8)"},
    {"32240a0c120a0a080a060a040840120012100a0e0808120208011a060a047a73746418a99004",
     "binary(no_nulls(flat64), flat8+zstd)"},
    {"3a300a0c120a0a080a060a0408081200121e321c0a0e120c0a0a0a080a0608401202080112080a0608081202080218011801",
     "dictionary(no_nulls(flat8), binary(no_nulls(flat64), flat8))"},
    {"4a460a0c120a0a080a060a04082012000a1812160a140a121a100803120c120a0a080a060a04082012000a0c120a0a080a060a0"
     "4"
     "080812000a0c120a0a080a060a04082812001200",
     "packed_struct(no_nulls(flat32), no_nulls(fsl3(no_nulls(flat32))), no_nulls(flat8), no_nulls(flat40))"},
    {"122a12280a060a0408011200121e1a1c08041218121612140a080a0608011202080112080a06082012020802",
     "some_nulls(flat1, fsl4(some_nulls(flat1, flat32)))"},
    {"22140a0c120a0a080a060a040840120010be2118bd21", "list(no_nulls(flat64))"},
};

START_TEST(messages_of_lance_have_the_text_of_the_judge) {
    for (size_t i = 0; i < sizeof WRITTEN / sizeof WRITTEN[0]; i++) {
        const rwl_lance_array *array;
        rwl_error err = {0};
        rwl_buf_reset(&message);
        rwl_buf_reset(&text);
        put_hex(WRITTEN[i].hex);
        rwl_status st = rwl_lance_array_parse(rwl_buf_span(&message), &arena, &array, &err);
        ck_assert_msg(st == RWL_OK, "%s: %s", WRITTEN[i].text, err.message);
        ck_assert_int_eq(rwl_lance_array_format(array, &text, &err), RWL_OK);
        ck_assert_msg(rwl_span_equal(rwl_buf_span(&text), rwl_span_str(WRITTEN[i].text)), "%.*s",
                      (int)text.len, (const char *)text.data);
    }
}
END_TEST

START_TEST(numbers_and_buffers_are_kept) {
    const rwl_lance_array *a;
    put_hex("22140a0c120a0a080a060a040840120010be2118bd21"); /* be21 = 4286, bd21 = 4285 */
    ck_assert_int_eq(rwl_lance_array_parse(rwl_buf_span(&message), &arena, &a, NULL), RWL_OK);
    ck_assert(a->null_adjustment == 4286 && a->items == 4285);
    rwl_buf_reset(&message);
    put_array_text(&message, "dictionary7(flat16@c1, some_nulls(flat1@f2, flat64@3))");
    ck_assert_int_eq(rwl_lance_array_parse(rwl_buf_span(&message), &arena, &a, NULL), RWL_OK);
    ck_assert_int_eq(a->items, 7);
    ck_assert(a->values->buffer == 1 && a->values->buffer_kind == RWL_LANCE_BUFFER_COLUMN);
    ck_assert(a->second->second->buffer == 2 && a->second->second->buffer_kind == RWL_LANCE_BUFFER_FILE);
    ck_assert(a->second->values->buffer == 3 && a->second->values->buffer_kind == RWL_LANCE_BUFFER_PAGE);
}
END_TEST

START_TEST(encodings_of_other_writers_have_a_name) {
    static const char *const CASES[][2] = {{"bitpacked3of8@0", "bitpacked(3 of 8)"},
                                           {"non_neg3of8@0", "bitpacked_for_non_neg(3 of 8)"},
                                           {"bitpacked3of8s@0", "bitpacked(3 of 8, signed)"},
                                           {"fsst(flat8@0)", "fsst(flat8)"},
                                           {"fixed_binary4(flat8@0)", "fixed_size_binary(flat8)"},
                                           {"fsl2+validity(flat8@0)", "fsl2+validity(flat8)"},
                                           {"flat8+none@0", "flat8"},
                                           {"constant:07", "constant"},
                                           {"all_nulls", "all_nulls"}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const rwl_lance_array *array;
        rwl_buf_reset(&message);
        rwl_buf_reset(&text);
        put_array_text(&message, CASES[i][0]);
        ck_assert_int_eq(rwl_lance_array_parse(rwl_buf_span(&message), &arena, &array, NULL), RWL_OK);
        ck_assert_int_eq(rwl_lance_array_format(array, &text, NULL), RWL_OK);
        ck_assert_msg(rwl_span_equal(rwl_buf_span(&text), rwl_span_str(CASES[i][1])), "%s", CASES[i][1]);
    }
}
END_TEST

static const struct {
    const char *hex;
    rwl_status status;
    const char *says;
} WRONG[] = {
    {"", RWL_CORRUPT, "without a kind"},
    {"7200", RWL_UNSUPPORTED, "page encoding number 14"},
    {"0801", RWL_CORRUPT, "wire type"},
    {"1200", RWL_CORRUPT, "nullable page encoding of form 0"},
    {"12022200", RWL_CORRUPT, "nullable page encoding of form 4"},
    {"12020a00", RWL_CORRUPT, "without values"},
    {"12021200", RWL_CORRUPT, "without a validity"},
    {"0a020820", RWL_CORRUPT, "without a buffer"},
    {"0a0608201202100312", RWL_CORRUPT, ""}, /* cut off */
    {"0a0608201202100a", RWL_CORRUPT, "buffer of type 10"},
    {"0a0c08201206088080808010", RWL_CORRUPT, ""}, /* cut off */
    {"0a0a0820120608ffffffff0f", RWL_CORRUPT, "a buffer index of 4294967295"},
};

START_TEST(wrong_messages_are_named) {
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        const rwl_lance_array *array;
        rwl_error err = {0};
        rwl_buf_reset(&message);
        put_hex(WRONG[i].hex);
        rwl_status st = rwl_lance_array_parse(rwl_buf_span(&message), &arena, &array, &err);
        ck_assert_msg(st == WRONG[i].status && strstr(err.message, WRONG[i].says) != NULL, "%s: %d %s",
                      WRONG[i].hex, (int)st, err.message);
    }
}
END_TEST

START_TEST(nesting_is_limited) {
    char deep[512] = "", says[64];
    const rwl_lance_array *array;
    rwl_error err = {0};
    for (int i = 0; i < 50; i++)
        strcat(deep, "fsl2(");
    strcat(deep, "flat8@0");
    for (int i = 0; i < 50; i++)
        strcat(deep, ")");
    put_array_text(&message, deep);
    ck_assert_int_eq(rwl_lance_array_parse(rwl_buf_span(&message), &arena, &array, &err), RWL_UNSUPPORTED);
    snprintf(says, sizeof says, "page encoding nested deeper than %d levels", RWL_LANCE_CODEC_DEPTH_MAX);
    ck_assert_str_eq(err.message, says);
}
END_TEST

/* Every prefix and every bit of what was written: an error or an encoding, nothing else. */
START_TEST(damaged_messages_are_an_error_or_an_encoding) {
    for (size_t i = 0; i < sizeof WRITTEN / sizeof WRITTEN[0]; i++) {
        const rwl_lance_array *array;
        rwl_buf_reset(&message);
        put_hex(WRITTEN[i].hex);
        for (size_t len = 0; len < message.len; len++)
            (void)!rwl_lance_array_parse(rwl_span_of(message.data, len), &arena, &array, NULL);
        for (size_t bit = 0; bit < 8 * message.len; bit++) {
            message.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            rwl_buf_reset(&text);
            if (rwl_lance_array_parse(rwl_buf_span(&message), &arena, &array, NULL) == RWL_OK)
                ck_assert_int_eq(rwl_lance_array_format(array, &text, NULL), RWL_OK);
            message.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
}
END_TEST

Suite *lancefile_encoding20_suite(void) {
    Suite *s = suite_create("lancefile_encoding20");
    TCase *tc = tcase_create("encoding20");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, messages_of_lance_have_the_text_of_the_judge);
    tcase_add_test(tc, numbers_and_buffers_are_kept);
    tcase_add_test(tc, encodings_of_other_writers_have_a_name);
    tcase_add_test(tc, wrong_messages_are_named);
    tcase_add_test(tc, nesting_is_limited);
    tcase_add_test(tc, damaged_messages_are_an_error_or_an_encoding);
    suite_add_tcase(s, tc);
    return s;
}
