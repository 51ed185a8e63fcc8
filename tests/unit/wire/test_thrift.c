/* SPDX-License-Identifier: Apache-2.0 */
/* Thrift compact protocol: bytes worked out by hand from the protocol's description. */
#include "suites.h"

#include "wire/thrift.h"

#define CURSOR(...)                                                                                          \
    rwl_cursor_of(rwl_span_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})))

START_TEST(reads_short_and_long_field_headers) {
    /* id 1 i32 (delta 1, type 5), id 3 binary (delta 2, type 8), id 100 true (long form, zigzag 200 = c8 01)
     */
    rwl_cursor c = CURSOR(0x15, 0x03, 0x28, 0x02, 'h', 'i', 0x01, 0xc8, 0x01, 0x00);
    rwl_error err = {0};
    int16_t last = 0;
    rwl_thrift_field f;
    int32_t i;
    rwl_span s;
    ck_assert_int_eq(rwl_thrift_next(&c, &last, &f, &err), RWL_OK);
    ck_assert_int_eq(f.id, 1);
    ck_assert_int_eq(f.type, RWL_THRIFT_I32);
    ck_assert_int_eq(rwl_thrift_i32(&c, &i, &err), RWL_OK);
    ck_assert_int_eq(i, -2); /* zigzag 3 */
    ck_assert_int_eq(rwl_thrift_next(&c, &last, &f, &err), RWL_OK);
    ck_assert_int_eq(f.id, 3);
    ck_assert_int_eq(rwl_thrift_binary(&c, &s, &err), RWL_OK);
    ck_assert_uint_eq(s.len, 2);
    ck_assert(memcmp(s.data, "hi", 2) == 0);
    ck_assert_int_eq(rwl_thrift_next(&c, &last, &f, &err), RWL_OK);
    ck_assert_int_eq(f.id, 100);
    ck_assert_int_eq(f.type, RWL_THRIFT_TRUE);
    ck_assert_int_eq(rwl_thrift_next(&c, &last, &f, &err), RWL_OK);
    ck_assert_int_eq(f.type, RWL_THRIFT_STOP);
    ck_assert_uint_eq(rwl_cursor_left(&c), 0);
}
END_TEST

typedef struct seen_fields {
    int16_t ids[8];
    rwl_thrift_type types[8];
    int count, fail_at; /* the field at this index is refused; -1 none */
} seen_fields;

static rwl_status note_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    seen_fields *s = ctx;
    ck_assert_int_lt(s->count, 8);
    if (s->count == s->fail_at)
        return rwl_fail(err, RWL_UNSUPPORTED, "field %d", f.id);
    s->ids[s->count] = f.id;
    s->types[s->count++] = f.type;
    return rwl_thrift_skip(c, f.type, err);
}

/* id 1 i32, id 3 struct with its own field 1, id 4 false, id 2 binary (long form, zigzag 4), stop, one byte more */
static const uint8_t four_fields[] = {0x15, 0x03, 0x2c, 0x15, 0x02, 0x00, 0x12,
                                      0x08, 0x04, 0x02, 'h',  'i',  0x00, 0xee};

START_TEST(a_struct_gives_each_field_to_its_reader_and_stops_behind_the_stop) {
    rwl_cursor c = rwl_cursor_of(rwl_span_of(four_fields, sizeof four_fields));
    static const int16_t ids[] = {1, 3, 4, 2};
    static const rwl_thrift_type types[] = {RWL_THRIFT_I32, RWL_THRIFT_STRUCT, RWL_THRIFT_FALSE,
                                            RWL_THRIFT_BINARY};
    seen_fields seen = {.fail_at = -1};
    rwl_error err = {0};
    ck_assert_int_eq(rwl_thrift_struct(&c, note_field, &seen, &err), RWL_OK);
    ck_assert_int_eq(seen.count, 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(seen.ids[i], ids[i]);
        ck_assert_int_eq(seen.types[i], types[i]);
    }
    ck_assert_uint_eq(rwl_cursor_left(&c), 1);
}
END_TEST

START_TEST(an_empty_struct_has_no_field_to_read) {
    rwl_cursor c = CURSOR(0x00);
    seen_fields seen = {.fail_at = -1};
    rwl_error err = {0};
    ck_assert_int_eq(rwl_thrift_struct(&c, note_field, &seen, &err), RWL_OK);
    ck_assert_int_eq(seen.count, 0);
}
END_TEST

START_TEST(the_error_of_a_reader_ends_the_struct) {
    rwl_cursor c = rwl_cursor_of(rwl_span_of(four_fields, sizeof four_fields));
    seen_fields seen = {.fail_at = 2};
    rwl_error err = {0};
    ck_assert_int_eq(rwl_thrift_struct(&c, note_field, &seen, &err), RWL_UNSUPPORTED);
    ck_assert_int_eq(seen.count, 2);
    ck_assert_str_eq(err.message, "field 4");
}
END_TEST

/* Cut anywhere before the stop a struct is damaged, however its values are read. */
START_TEST(a_struct_cut_short_is_corrupt) {
    rwl_cursor c = rwl_cursor_of(rwl_span_of(four_fields, (size_t)_i));
    seen_fields seen = {.fail_at = -1};
    rwl_error err = {0};
    ck_assert_int_eq(rwl_thrift_struct(&c, note_field, &seen, &err), RWL_CORRUPT);
}
END_TEST

START_TEST(a_union_tells_the_id_of_its_field) {
    /* field 2, an empty struct; fields 1 and 3 where only one may be; none; ended by the input */
    rwl_cursor one = CURSOR(0x2c, 0x00, 0x00), two = CURSOR(0x1c, 0x00, 0x25, 0x02, 0x00),
               none = CURSOR(0x00), cut = CURSOR(0x2c, 0x00);
    int16_t which = 7;
    rwl_error err = {0};
    ck_assert_int_eq(rwl_thrift_union(&none, &which, &err), RWL_OK);
    ck_assert_int_eq(which, 7);
    ck_assert_int_eq(rwl_thrift_union(&one, &which, &err), RWL_OK);
    ck_assert_int_eq(which, 2);
    ck_assert_int_eq(rwl_thrift_union(&two, &which, &err), RWL_OK);
    ck_assert_int_eq(which, 3);
    ck_assert_uint_eq(rwl_cursor_left(&two), 0);
    ck_assert_int_eq(rwl_thrift_union(&cut, &which, &err), RWL_CORRUPT);
}
END_TEST

START_TEST(skips_every_type_and_stops_behind_it) {
    /* struct { 1: i8 7, 2: list<bool> of 2, 3: map<i32,binary> {2:"a"}, 4: double, 5: struct {1: list<struct>
     * of 1 {}}, 6: empty map } */
    rwl_cursor c = CURSOR(0x13, 0x07, 0x19, 0x21, 0x01, 0x02, 0x1b, 0x01, 0x58, 0x04, 0x01, 'a', 0x17, 1, 2,
                          3, 4, 5, 6, 7, 8, 0x1c, 0x19, 0x1c, 0x00, 0x00, 0x1b, 0x00, 0x00, 0xee);
    rwl_error err = {0};
    ck_assert_int_eq(rwl_thrift_skip(&c, RWL_THRIFT_STRUCT, &err), RWL_OK);
    ck_assert_uint_eq(rwl_cursor_left(&c), 1);
}
END_TEST

START_TEST(long_lists_carry_a_varint_count) {
    uint8_t bytes[22] = {0xf5, 20};
    rwl_cursor c = rwl_cursor_of(rwl_span_of(bytes, sizeof bytes));
    rwl_thrift_type item;
    uint32_t count;
    rwl_error err = {0};
    ck_assert_int_eq(rwl_thrift_list(&c, &item, &count, &err), RWL_OK);
    ck_assert_int_eq(item, RWL_THRIFT_I32);
    ck_assert_uint_eq(count, 20);
}
END_TEST

static const struct {
    const char *name;
    uint8_t bytes[8];
    size_t len;
    rwl_thrift_type type;
} bad[] = {
    {"empty", {0}, 0, RWL_THRIFT_STRUCT},
    {"no stop", {0x15, 0x02}, 2, RWL_THRIFT_STRUCT},
    {"unknown type 13", {0x1d, 0x00}, 2, RWL_THRIFT_STRUCT},
    {"stop with a delta", {0x10}, 1, RWL_THRIFT_STRUCT},
    {"binary longer than input", {0x05, 'a'}, 2, RWL_THRIFT_BINARY},
    {"binary of 2^63 bytes", {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f}, 8, RWL_THRIFT_BINARY},
    {"list longer than input", {0xf5, 0xff, 0xff, 0x03, 0x00}, 5, RWL_THRIFT_LIST},
    {"list of type 14", {0x1e, 0x00}, 2, RWL_THRIFT_LIST},
    {"map longer than input", {0x7f, 0x55, 0x00}, 3, RWL_THRIFT_MAP},
    {"short double", {1, 2, 3}, 3, RWL_THRIFT_DOUBLE},
    {"value of type stop", {0}, 1, RWL_THRIFT_STOP},
};

START_TEST(refuses_damaged_values) {
    rwl_cursor c = rwl_cursor_of(rwl_span_of(bad[_i].bytes, bad[_i].len));
    rwl_error err = {0};
    ck_assert_msg(rwl_thrift_skip(&c, bad[_i].type, &err) == RWL_CORRUPT, "%s", bad[_i].name);
    ck_assert_msg(err.message[0] != 0, "%s", bad[_i].name);
}
END_TEST

START_TEST(refuses_numbers_wider_than_their_type) {
    /* zigzag varints: 65536 -> 32768, 2^32 -> 2^31 */
    rwl_cursor a = CURSOR(0x80, 0x80, 0x04), b = CURSOR(0x80, 0x80, 0x80, 0x80, 0x10);
    int16_t i16;
    int32_t i32;
    rwl_error err = {0};
    ck_assert_int_eq(rwl_thrift_i16(&a, &i16, &err), RWL_CORRUPT);
    ck_assert_int_eq(rwl_thrift_i32(&b, &i32, &err), RWL_CORRUPT);
}
END_TEST

START_TEST(refuses_field_ids_above_the_largest) {
    rwl_cursor c = CURSOR(0x15);
    int16_t last = INT16_MAX;
    rwl_thrift_field f;
    rwl_error err = {0};
    ck_assert_int_eq(rwl_thrift_next(&c, &last, &f, &err), RWL_CORRUPT);
}
END_TEST

START_TEST(refuses_deep_nesting) {
    uint8_t bytes[200];
    memset(bytes, 0x1c, sizeof bytes); /* field 1, struct, again and again */
    rwl_cursor c = rwl_cursor_of(rwl_span_of(bytes, sizeof bytes));
    rwl_error err = {0};
    ck_assert_int_eq(rwl_thrift_skip(&c, RWL_THRIFT_STRUCT, &err), RWL_CORRUPT);
    memset(bytes, 0x19, sizeof bytes); /* list of one list, … */
    c = rwl_cursor_of(rwl_span_of(bytes, sizeof bytes));
    ck_assert_int_eq(rwl_thrift_skip(&c, RWL_THRIFT_LIST, &err), RWL_CORRUPT);
}
END_TEST

START_TEST(writes_what_the_protocol_says) {
    static const uint8_t want[] = {0x15, 0x03, 0x28, 0x02, 'h',  'i',  0x01, 0xc8, 0x01, 0x19, 0x26, 0x02,
                                   0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x00};
    rwl_env env;
    rwl_env_init_default(&env);
    rwl_buf b;
    rwl_buf_init(&b, &env, SIZE_MAX);
    rwl_error err = {0};
    int16_t last = 0;
    ck_assert_int_eq(rwl_thrift_put_field(&b, &last, 1, RWL_THRIFT_I32, &err), RWL_OK);
    ck_assert_int_eq(rwl_thrift_put_i32(&b, -2, &err), RWL_OK);
    ck_assert_int_eq(rwl_thrift_put_field(&b, &last, 3, RWL_THRIFT_BINARY, &err), RWL_OK);
    ck_assert_int_eq(rwl_thrift_put_binary(&b, rwl_span_str("hi"), &err), RWL_OK);
    ck_assert_int_eq(rwl_thrift_put_field(&b, &last, 100, RWL_THRIFT_TRUE, &err), RWL_OK);
    ck_assert_int_eq(rwl_thrift_put_field(&b, &last, 101, RWL_THRIFT_LIST, &err), RWL_OK);
    ck_assert_int_eq(rwl_thrift_put_list(&b, RWL_THRIFT_I64, 2, &err), RWL_OK);
    ck_assert_int_eq(rwl_thrift_put_i64(&b, 1, &err), RWL_OK);
    ck_assert_int_eq(rwl_thrift_put_i64(&b, INT64_MIN, &err), RWL_OK);
    ck_assert_int_eq(rwl_thrift_put_stop(&b, &err), RWL_OK);
    ck_assert_uint_eq(b.len, sizeof want);
    ck_assert(memcmp(b.data, want, sizeof want) == 0);
    rwl_buf_reset(&b);
    ck_assert_int_eq(rwl_thrift_put_list(&b, RWL_THRIFT_STRUCT, 300, &err), RWL_OK);
    ck_assert_uint_eq(b.len, 3);
    ck_assert(memcmp(b.data, "\xfc\xac\x02", 3) == 0);
    rwl_buf_clear(&b);
}
END_TEST

Suite *thrift_suite(void) {
    Suite *s = suite_create("thrift");
    TCase *t = tcase_create("compact");
    tcase_add_test(t, reads_short_and_long_field_headers);
    tcase_add_test(t, a_struct_gives_each_field_to_its_reader_and_stops_behind_the_stop);
    tcase_add_test(t, an_empty_struct_has_no_field_to_read);
    tcase_add_test(t, the_error_of_a_reader_ends_the_struct);
    tcase_add_loop_test(t, a_struct_cut_short_is_corrupt, 0, (int)sizeof four_fields - 1);
    tcase_add_test(t, a_union_tells_the_id_of_its_field);
    tcase_add_test(t, skips_every_type_and_stops_behind_it);
    tcase_add_test(t, long_lists_carry_a_varint_count);
    tcase_add_loop_test(t, refuses_damaged_values, 0, (int)(sizeof bad / sizeof bad[0]));
    tcase_add_test(t, refuses_numbers_wider_than_their_type);
    tcase_add_test(t, refuses_field_ids_above_the_largest);
    tcase_add_test(t, refuses_deep_nesting);
    tcase_add_test(t, writes_what_the_protocol_says);
    suite_add_tcase(s, t);
    return s;
}
