/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include "base_tests.h"

START_TEST(spans_compare_as_unsigned_bytes) {
    ck_assert_int_eq(rwl_span_compare(rwl_span_str("a"), rwl_span_str("ab")), -1);
    ck_assert_int_eq(rwl_span_compare(rwl_span_str("\xff"), rwl_span_str("a")), 1);
    ck_assert_int_eq(rwl_span_compare(rwl_span_of(NULL, 0), rwl_span_str("")), 0);
    ck_assert(rwl_span_equal(rwl_span_str("ab"), rwl_span_str("ab")));
    ck_assert(!rwl_span_equal(rwl_span_str("ab"), rwl_span_str("ac")));
}
END_TEST

START_TEST(numbers_have_their_bytes) {
    rwl_env env;
    rwl_buf buf;
    rwl_env_init_default(&env);
    rwl_buf_init(&buf, &env, SIZE_MAX);
    ck_assert_int_eq(rwl_buf_u8(&buf, 0xab, NULL), RWL_OK);
    ck_assert_int_eq(rwl_buf_le32(&buf, 0x01020304, NULL), RWL_OK);
    ck_assert_int_eq(rwl_buf_be32(&buf, 0x01020304, NULL), RWL_OK);
    ck_assert_int_eq(rwl_buf_le64(&buf, 0x0102030405060708, NULL), RWL_OK);
    ck_assert_uint_eq(buf.len, 17);
    ck_assert_mem_eq(buf.data, "\xab\4\3\2\1\1\2\3\4\x08\7\6\5\4\3\2\1", 17);
    rwl_buf_clear(&buf);
}
END_TEST

/* Avro specification, "Binary encoding": 0 00, -1 01, 1 02, -2 03, 2 04, -64 7f, 64 80 01. */
START_TEST(zigzag_numbers_are_those_of_the_avro_specification) {
    static const struct {
        int64_t value;
        const char *bytes;
        size_t len;
    } cases[] = {{0, "\x00", 1},
                 {-1, "\x01", 1},
                 {1, "\x02", 1},
                 {-2, "\x03", 1},
                 {2, "\x04", 1},
                 {-64, "\x7f", 1},
                 {64, "\x80\x01", 2},
                 {INT64_MAX, "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10},
                 {INT64_MIN, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10}};
    rwl_env env;
    rwl_buf buf;
    rwl_env_init_default(&env);
    rwl_buf_init(&buf, &env, SIZE_MAX);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_buf_reset(&buf);
        ck_assert_int_eq(rwl_buf_zigzag(&buf, cases[i].value, NULL), RWL_OK);
        ck_assert_uint_eq(buf.len, cases[i].len);
        ck_assert_mem_eq(buf.data, cases[i].bytes, cases[i].len);
        rwl_cursor c = rwl_cursor_of(rwl_buf_span(&buf));
        int64_t back = 99;
        ck_assert_int_eq(rwl_cursor_zigzag(&c, &back, NULL), RWL_OK);
        ck_assert_int_eq(back, cases[i].value);
        ck_assert_uint_eq(rwl_cursor_left(&c), 0);
    }
    rwl_buf_clear(&buf);
}
END_TEST

START_TEST(rejects_numbers_that_end_early_or_pass_64_bits) {
    uint64_t value;
    rwl_error err;
    rwl_cursor c = rwl_cursor_of(rwl_span_of("\x80\x80", 2));
    ck_assert_int_eq(rwl_cursor_varint(&c, &value, &err), RWL_CORRUPT);
    ck_assert_uint_eq(c.pos, 0);
    c = rwl_cursor_of(rwl_span_of("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10));
    ck_assert_int_eq(rwl_cursor_varint(&c, &value, &err), RWL_CORRUPT);
    c = rwl_cursor_of(rwl_span_of("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x00", 11));
    ck_assert_int_eq(rwl_cursor_varint(&c, &value, &err), RWL_CORRUPT);
    c = rwl_cursor_of(rwl_span_of("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10));
    ck_assert_int_eq(rwl_cursor_varint(&c, &value, &err), RWL_OK);
    ck_assert_uint_eq(value, UINT64_MAX);
}
END_TEST

START_TEST(cursor_never_passes_the_end) {
    rwl_cursor c = rwl_cursor_of(rwl_span_of("\1\2\3\4\5\6\7", 7));
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    rwl_span span;
    rwl_error err = {0};
    ck_assert_int_eq(rwl_cursor_le64(&c, &u64, &err), RWL_CORRUPT);
    ck_assert_int_eq(err.offset, 0);
    ck_assert_int_eq(rwl_cursor_le16(&c, &u16, &err), RWL_OK);
    ck_assert_uint_eq(u16, 0x0201);
    ck_assert_int_eq(rwl_cursor_be32(&c, &u32, &err), RWL_OK);
    ck_assert_uint_eq(u32, 0x03040506);
    ck_assert_int_eq(rwl_cursor_le32(&c, &u32, &err), RWL_CORRUPT);
    ck_assert_int_eq(err.offset, 6);
    ck_assert_int_eq(rwl_cursor_bytes(&c, SIZE_MAX, &span, &err), RWL_CORRUPT);
    ck_assert_int_eq(rwl_cursor_skip(&c, 2, &err), RWL_CORRUPT);
    ck_assert_int_eq(rwl_cursor_bytes(&c, 1, &span, &err), RWL_OK);
    ck_assert_int_eq(span.data[0], 7);
    ck_assert_int_eq(rwl_cursor_u8(&c, &u8, &err), RWL_CORRUPT);
    ck_assert_int_eq(rwl_cursor_bytes(&c, 0, &span, &err), RWL_OK);
}
END_TEST

START_TEST(buffer_keeps_its_limit_and_its_old_block) {
    failing_env f;
    rwl_buf buf;
    rwl_error err = {0};
    failing_env_init(&f, 2);
    rwl_buf_init(&buf, &f.env, 200);
    ck_assert_int_eq(rwl_buf_str(&buf, "abc", &err), RWL_OK);
    ck_assert_int_eq(rwl_buf_reserve(&buf, 198, &err), RWL_UNSUPPORTED);
    ck_assert_int_eq(rwl_buf_reserve(&buf, SIZE_MAX, &err), RWL_UNSUPPORTED);
    ck_assert_int_eq(rwl_buf_reserve(&buf, 190, &err), RWL_NO_MEMORY);
    ck_assert_mem_eq(buf.data, "abc", 3);
    rwl_buf_clear(&buf);
    ck_assert_int_eq(f.blocks, 0);
}
END_TEST

START_TEST(texts_are_appended_formatted_and_terminated) {
    rwl_env env;
    rwl_buf buf;
    rwl_env_init_default(&env);
    rwl_buf_init(&buf, &env, 6);
    ck_assert_int_eq(rwl_buf_printf(&buf, NULL, "%d-%s", 12, "abc"), RWL_OK);
    ck_assert_int_eq(rwl_buf_terminate(&buf, NULL), RWL_OK);
    ck_assert_uint_eq(buf.len, 6);
    ck_assert_str_eq((char *)buf.data, "12-abc");
    ck_assert_int_eq(rwl_buf_printf(&buf, NULL, "x"), RWL_UNSUPPORTED);
    rwl_buf_clear(&buf);
}
END_TEST

/* 100 bytes grow to 150 or, where that is too much, to what is needed. */
START_TEST(what_a_buffer_holds_is_charged) {
    failing_env f;
    rwl_op op;
    rwl_buf buf;
    rwl_error err = {0};
    failing_env_init(&f, 0);
    rwl_op_init(&op, &f.env, 120);
    rwl_buf_init(&buf, &f.env, SIZE_MAX);
    rwl_buf_charge(&buf, &op, "a block");
    ck_assert_int_eq(rwl_buf_reserve(&buf, 100, &err), RWL_OK);
    ck_assert_int_eq(op.memory_used, 100);
    ck_assert_int_eq(rwl_buf_reserve(&buf, 121, &err), RWL_UNSUPPORTED);
    ck_assert_str_eq(err.message,
                     "a block needs 21 bytes beside 100 in use, more than the memory limit of 120");
    ck_assert_int_eq(rwl_buf_reserve(&buf, 120, &err), RWL_OK);
    ck_assert_int_eq(op.memory_used, 120);
    rwl_buf_clear(&buf);
    ck_assert_int_eq(op.memory_used, 0);
    ck_assert_int_eq(f.blocks, 0);
}
END_TEST

TCase *buf_tests(void) {
    TCase *tc = tcase_create("buf");
    tcase_add_test(tc, spans_compare_as_unsigned_bytes);
    tcase_add_test(tc, numbers_have_their_bytes);
    tcase_add_test(tc, zigzag_numbers_are_those_of_the_avro_specification);
    tcase_add_test(tc, rejects_numbers_that_end_early_or_pass_64_bits);
    tcase_add_test(tc, cursor_never_passes_the_end);
    tcase_add_test(tc, buffer_keeps_its_limit_and_its_old_block);
    tcase_add_test(tc, texts_are_appended_formatted_and_terminated);
    tcase_add_test(tc, what_a_buffer_holds_is_charged);
    return tc;
}
