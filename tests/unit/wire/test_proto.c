/* SPDX-License-Identifier: Apache-2.0 */
/* Protocol buffers read in place: bytes worked out by hand from the encoding's description. */
#include "suites.h"

#include "wire/proto.h"

#define SPAN(...)   rwl_span_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define CURSOR(...) rwl_cursor_of(SPAN(__VA_ARGS__))

START_TEST(reads_fields_of_every_type) {
    /* 1 varint 150; 2 bytes "hi"; 3 fixed64 1; 4 fixed32 2; 1000 varint 0 (tag 8000 = c0 3e) */
    rwl_cursor c = CURSOR(0x08, 0x96, 0x01, 0x12, 0x02, 'h', 'i', 0x19, 1, 0, 0, 0, 0, 0, 0, 0, 0x25, 2, 0, 0,
                          0, 0xc0, 0x3e, 0x00);
    static const struct {
        uint32_t number;
        rwl_proto_type type;
        uint64_t value;
    } expected[] = {{1, RWL_PROTO_VARINT, 150},
                    {2, RWL_PROTO_BYTES, 2},
                    {3, RWL_PROTO_FIXED64, 1},
                    {4, RWL_PROTO_FIXED32, 2},
                    {1000, RWL_PROTO_VARINT, 0}};
    rwl_error err = {0};
    rwl_proto_field f;
    bool more;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        ck_assert_int_eq(rwl_proto_next(&c, &more, &f, &err), RWL_OK);
        ck_assert(more);
        ck_assert_uint_eq(f.number, expected[i].number);
        ck_assert_int_eq(f.type, expected[i].type);
        ck_assert_uint_eq(f.value, expected[i].value);
        ck_assert(f.type != RWL_PROTO_BYTES || memcmp(f.bytes.data, "hi", 2) == 0);
    }
    ck_assert_int_eq(rwl_proto_next(&c, &more, &f, &err), RWL_OK);
    ck_assert(!more);
}
END_TEST

START_TEST(negative_numbers_take_ten_bytes) {
    rwl_cursor c = CURSOR(0x20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01);
    rwl_error err = {0};
    rwl_proto_field f;
    bool more;
    ck_assert_int_eq(rwl_proto_next(&c, &more, &f, &err), RWL_OK);
    ck_assert_int_eq((int64_t)f.value, -1);
}
END_TEST

START_TEST(the_greatest_field_number_is_read) {
    /* (2^29 - 1) << 3 = 0xfffffff8: f8 ff ff ff 0f */
    rwl_cursor c = CURSOR(0xf8, 0xff, 0xff, 0xff, 0x0f, 0x07);
    rwl_error err = {0};
    rwl_proto_field f;
    bool more;
    ck_assert_int_eq(rwl_proto_next(&c, &more, &f, &err), RWL_OK);
    ck_assert_uint_eq(f.number, (1u << 29) - 1);
    ck_assert_uint_eq(f.value, 7);
}
END_TEST

typedef struct wrong_case {
    uint8_t bytes[16];
    size_t len;
    const char *text;
} wrong_case;

static const wrong_case WRONG[] = {
    {{0x00, 0x00}, 2, "field number 0"},
    {{0x80, 0x80, 0x80, 0x80, 0x10, 0}, 6, "field number 536870912"}, /* 2^29 */
    {{0x08}, 1, ""},                                                  /* no value */
    {{0x08, 0x80}, 2, ""},                                            /* a varint without end */
    {{0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, 12, ""}, /* of eleven bytes */
    {{0x80}, 1, ""},
    {{0x12, 0x03, 'h', 'i'}, 4, "field 2 has 3 bytes, 2 are left"},
    {{0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, 11, "18446744073709551615 bytes"},
    {{0x12}, 1, ""},
    {{0x19, 1, 2, 3, 4, 5, 6, 7}, 8, ""},
    {{0x25, 1, 2, 3}, 4, ""},
    {{0x0b, 0x0c}, 2, "field 1 has wire type 3"}, /* groups */
    {{0x0c}, 1, "field 1 has wire type 4"},
    {{0x0e}, 1, "field 1 has wire type 6"},
    {{0x0f}, 1, "field 1 has wire type 7"},
};

START_TEST(messages_that_are_wrong_are_corrupt) {
    const wrong_case *w = &WRONG[_i];
    rwl_cursor c = rwl_cursor_of(rwl_span_of(w->bytes, w->len));
    rwl_error err = {0};
    rwl_proto_field f;
    bool more;
    ck_assert_int_eq(rwl_proto_next(&c, &more, &f, &err), RWL_CORRUPT);
    ck_assert_msg(strstr(err.message, w->text), "'%s' does not say '%s'", err.message, w->text);
}
END_TEST

START_TEST(a_field_of_another_type_is_named) {
    rwl_cursor c = CURSOR(0x28, 0x01);
    rwl_error err = {0};
    rwl_proto_field f;
    bool more;
    ck_assert_int_eq(rwl_proto_next(&c, &more, &f, &err), RWL_OK);
    ck_assert_int_eq(rwl_proto_expect(&f, RWL_PROTO_VARINT, &err), RWL_OK);
    ck_assert_int_eq(rwl_proto_expect(&f, RWL_PROTO_BYTES, &err), RWL_CORRUPT);
    ck_assert_str_eq(err.message, "field 5 has wire type 0, not 2");
}
END_TEST

START_TEST(of_wanted_fields_the_last_counts_and_what_is_absent_stays) {
    /* 1 varint 5; 2 bytes "hi"; 9 varint 1; 1 varint 6 */
    rwl_span message = SPAN(0x08, 0x05, 0x12, 0x02, 'h', 'i', 0x48, 0x01, 0x08, 0x06);
    uint64_t first = 0, third = 77;
    rwl_span second = {NULL, 0}, fourth = rwl_span_str("as it was");
    const rwl_proto_want wants[] = {
        {1, &first, NULL}, {2, NULL, &second}, {3, &third, NULL}, {4, NULL, &fourth}};
    rwl_error err = {0};
    ck_assert_int_eq(rwl_proto_pick(message, wants, 4, &err), RWL_OK);
    ck_assert_uint_eq(first, 6);
    ck_assert(rwl_span_equal(second, rwl_span_str("hi")));
    ck_assert_uint_eq(third, 77);
    ck_assert(rwl_span_equal(fourth, rwl_span_str("as it was")));
    ck_assert_int_eq(rwl_proto_pick(rwl_span_of(NULL, 0), wants, 4, &err), RWL_OK);
    ck_assert_uint_eq(first, 6);
}
END_TEST

START_TEST(wanted_fields_of_another_type_are_corrupt_and_others_are_passed_over) {
    uint64_t value = 0;
    rwl_span bytes = {NULL, 0};
    const rwl_proto_want number = {1, &value, NULL}, text = {1, NULL, &bytes};
    rwl_error err = {0};
    rwl_span eight = SPAN(0x09, 1, 0, 0, 0, 0, 0, 0, 0); /* 1 fixed64 */
    ck_assert_int_eq(rwl_proto_pick(SPAN(0x0a, 0x00), &number, 1, &err), RWL_CORRUPT);
    ck_assert_str_eq(err.message, "field 1 has wire type 2, not 0");
    ck_assert_int_eq(rwl_proto_pick(SPAN(0x08, 0x00), &text, 1, &err), RWL_CORRUPT);
    ck_assert_str_eq(err.message, "field 1 has wire type 0, not 2");
    ck_assert_int_eq(rwl_proto_pick(eight, &number, 1, &err), RWL_CORRUPT);
    ck_assert_int_eq(rwl_proto_pick(eight, &number, 0, &err), RWL_OK);
    ck_assert_int_eq(rwl_proto_pick(SPAN(0x08, 0x01, 0x10), &number, 1, &err), RWL_CORRUPT); /* cut off */
    ck_assert_uint_eq(value, 1);
}
END_TEST

typedef struct walked {
    uint32_t numbers[8], stop_at; /* a field of this number is refused; 0: none */
    int count;
} walked;

static rwl_status note_number(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    walked *w = ctx;
    if (field->number == w->stop_at)
        return rwl_fail(err, RWL_UNSUPPORTED, "field %u", field->number);
    ck_assert_int_lt(w->count, 8);
    w->numbers[w->count++] = field->number;
    return RWL_OK;
}

START_TEST(a_walk_has_every_field_in_order_until_it_is_refused) {
    rwl_span message = SPAN(0x18, 0x00, 0x08, 0x00, 0x1a, 0x00, 0x20, 0x00); /* fields 3, 1, 3, 4 */
    static const uint32_t expected[] = {3, 1, 3, 4};
    rwl_error err = {0};
    walked all = {.stop_at = 0}, some = {.stop_at = 4};
    ck_assert_int_eq(rwl_proto_walk(message, note_number, &all, &err), RWL_OK);
    ck_assert_int_eq(all.count, 4);
    ck_assert_mem_eq(all.numbers, expected, sizeof expected);
    ck_assert_int_eq(rwl_proto_walk(message, note_number, &some, &err), RWL_UNSUPPORTED);
    ck_assert_int_eq(some.count, 3);
    ck_assert_int_eq(rwl_proto_walk(rwl_span_of(NULL, 0), note_number, &some, &err), RWL_OK);
    ck_assert_int_eq(some.count, 3);
    /* what the message has before it is cut off was taken */
    ck_assert_int_eq(rwl_proto_walk(SPAN(0x08, 0x01, 0x10), note_number, &some, &err), RWL_CORRUPT);
    ck_assert_int_eq(some.count, 4);
}
END_TEST

typedef struct collected {
    uint64_t values[8];
    int count, fail_at; /* the value at this index is refused; -1: none */
} collected;

static rwl_status collect(void *ctx, uint64_t value, rwl_error *err) {
    collected *c = ctx;
    if (c->count == c->fail_at)
        return rwl_fail(err, RWL_UNSUPPORTED, "value %llu", (unsigned long long)value);
    ck_assert_int_lt(c->count, 8);
    c->values[c->count++] = value;
    return RWL_OK;
}

START_TEST(repeated_integers_are_packed_or_not) {
    /* 3 packed: 1, 300, 2^64 - 1; then 3 alone: 5 */
    rwl_cursor c = CURSOR(0x1a, 0x0d, 0x01, 0xac, 0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                          0x01, 0x18, 0x05);
    static const uint64_t expected[] = {1, 300, UINT64_MAX, 5};
    static const size_t counts[] = {3, 1};
    rwl_error err = {0};
    rwl_proto_field f;
    collected seen = {.fail_at = -1};
    size_t count;
    bool more;
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(rwl_proto_next(&c, &more, &f, &err), RWL_OK);
        ck_assert_int_eq(rwl_proto_count(&f, &count, &err), RWL_OK);
        ck_assert_uint_eq(count, counts[i]);
        ck_assert_int_eq(rwl_proto_each(&f, collect, &seen, &err), RWL_OK);
    }
    ck_assert_int_eq(seen.count, 4);
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(seen.values[i], expected[i]);
}
END_TEST

START_TEST(repeated_integers_end_where_their_reader_fails_or_bytes_do) {
    rwl_cursor c = CURSOR(0x1a, 0x03, 0x01, 0x02, 0x80, 0x19, 1, 0, 0, 0, 0, 0, 0, 0);
    rwl_error err = {0};
    rwl_proto_field f;
    collected seen = {.fail_at = 1};
    size_t count;
    bool more;
    ck_assert_int_eq(rwl_proto_next(&c, &more, &f, &err), RWL_OK);
    ck_assert_int_eq(rwl_proto_each(&f, collect, &seen, &err), RWL_UNSUPPORTED);
    ck_assert_int_eq(seen.count, 1);
    seen.fail_at = -1;
    ck_assert_int_eq(rwl_proto_each(&f, collect, &seen, &err), RWL_CORRUPT);
    ck_assert_int_eq(rwl_proto_count(&f, &count, &err), RWL_CORRUPT);
    ck_assert_int_eq(rwl_proto_next(&c, &more, &f, &err), RWL_OK);
    ck_assert_int_eq(rwl_proto_count(&f, &count, &err), RWL_CORRUPT); /* fixed64 is no varint */
}
END_TEST

Suite *proto_suite(void) {
    Suite *s = suite_create("proto");
    TCase *t = tcase_create("proto");
    tcase_add_test(t, reads_fields_of_every_type);
    tcase_add_test(t, negative_numbers_take_ten_bytes);
    tcase_add_test(t, the_greatest_field_number_is_read);
    tcase_add_loop_test(t, messages_that_are_wrong_are_corrupt, 0, (int)(sizeof WRONG / sizeof WRONG[0]));
    tcase_add_test(t, a_field_of_another_type_is_named);
    tcase_add_test(t, of_wanted_fields_the_last_counts_and_what_is_absent_stays);
    tcase_add_test(t, wanted_fields_of_another_type_are_corrupt_and_others_are_passed_over);
    tcase_add_test(t, a_walk_has_every_field_in_order_until_it_is_refused);
    tcase_add_test(t, repeated_integers_are_packed_or_not);
    tcase_add_test(t, repeated_integers_end_where_their_reader_fails_or_bytes_do);
    suite_add_tcase(s, t);
    return s;
}
