/* SPDX-License-Identifier: Apache-2.0 */
/* Inline sequences: ids and versions of the format's cases, read in any pieces, from memory and through a window. */
#include "lance/sequence.h"

#include "made.h"
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>

static made world;

static void set_up(void) {
    made_open(&world, 0);
}

static void tear_down(void) {
    made_close(&world);
}

static rwl_buf new_buf(void) {
    rwl_buf b;
    rwl_buf_init(&b, &world.env, SIZE_MAX);
    return b;
}

/* All values from every row on, in pieces of every size; then there are no more. */
static void assert_sequence(const rwl_buf *bytes, bool is_versions, const int64_t *values, int64_t count) {
    rwl_lance_arm arm = made_arm(bytes);
    for (int64_t from = 0; from <= count; from++) {
        for (int64_t piece = 1; piece <= count - from || piece == 1; piece++) {
            rwl_lance_values v;
            rwl_runs runs;
            rwl_runs_init(&runs, &world.env, is_versions ? 0 : 1);
            rwl_lance_values_init(&v, &world.op, &arm, is_versions, NULL);
            ASSERT_OK(rwl_lance_values_skip(&v, from, err));
            for (int64_t left = count - from; left > 0; left -= piece)
                ASSERT_OK(rwl_lance_values_read(&v, left < piece ? left : piece, &runs, err));
            assert_values(&runs, values + from, count - from);
            ASSERT_OK(rwl_lance_values_finish(&v, err));
            ASSERT_FAILS(RWL_CORRUPT, "more are missing", rwl_lance_values_skip(&v, 1, err));
            rwl_lance_values_clear(&v);
            rwl_runs_clear(&runs);
        }
    }
}

START_TEST(lan_41_sequences_of_every_form) {
    static const uint16_t holes[] = {12, 15}, sorted[] = {20, 25, 30}, any[] = {40, 50, 60};
    static const uint8_t bits[] = {0x05}; /* 17 and 19 of 17..20 */
    static const int64_t ten[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 16, 20, 25, 30};
    static const int64_t twenty[] = {17, 19, 40, 50, 60};
    rwl_buf b = new_buf();
    put_range(&b, 0, 10);
    put_holes(&b, 10, 17, holes, 2);
    put_numbers(&b, true, sorted, 3);
    assert_sequence(&b, false, ten, COUNT_OF(ten));
    rwl_buf_reset(&b);
    put_bitmap(&b, 17, 20, bits, 1);
    put_numbers(&b, false, any, 3);
    assert_sequence(&b, false, twenty, COUNT_OF(twenty));
    rwl_buf_clear(&b);
}
END_TEST

START_TEST(lan_42_overlapping_sequences) {
    static const uint16_t frags[][3] = {{3, 6, 9}, {2, 5, 8}, {9, 3, 6}, {7, 1, 4}};
    for (size_t i = 0; i < 4; i++) {
        int64_t values[3] = {frags[i][0], frags[i][1], frags[i][2]};
        rwl_buf b = new_buf();
        put_numbers(&b, i < 2, frags[i], 3);
        assert_sequence(&b, false, values, 3);
        rwl_buf_clear(&b);
    }
}
END_TEST

START_TEST(lan_43_a_hole_filled_elsewhere) {
    static const uint16_t holes[] = {50};
    int64_t values[99];
    for (int64_t i = 0; i < 99; i++)
        values[i] = i < 50 ? i : i + 1;
    rwl_buf b = new_buf();
    put_holes(&b, 0, 100, holes, 1);
    assert_sequence(&b, false, values, 99);
    rwl_buf_clear(&b);
}
END_TEST

START_TEST(lan_44_version_runs_count_by_length) {
    static const int64_t versions[] = {1, 1, 1, 2, 2, 3};
    static const uint16_t spans[] = {0, 3, 5};
    for (int absolute = 0; absolute < 2; absolute++) {
        rwl_buf b = new_buf();
        put_run(&b, absolute ? spans[0] : 0, 3, 1);
        put_run(&b, absolute ? spans[1] : 0, 2, 2);
        put_run(&b, absolute ? spans[2] : 0, 1, 3);
        assert_sequence(&b, true, versions, 6);
        rwl_buf_clear(&b);
    }
}
END_TEST

/* After a compaction spans are masked segments: of two values, of {1, 7} as a bitmap, and empty. Fields in any order. */
START_TEST(spans_of_any_form_and_empty_ones) {
    static const int64_t versions[] = {9, 9, 300, 300};
    static const uint8_t bits[] = {0x41};
    rwl_buf b = new_buf();
    put_run(&b, 5, 0, 8);
    put_run(&b, 1000, 2, 9);
    size_t run = pb_begin(&b, 1);
    pb_varint(&b, 2, 300);
    pb_varint(&b, 9, 1); /* unknown, passed over */
    size_t span = pb_begin(&b, 1), form = pb_begin(&b, 3);
    pb_varint(&b, 1, 1);
    pb_varint(&b, 2, 8);
    pb_bytes(&b, 3, rwl_span_of(bits, 1));
    pb_end(&b, form);
    pb_end(&b, span);
    pb_end(&b, run);
    pb_varint(&b, 7, 5); /* likewise in the sequence */
    pb_text(&b, 8, "unknown");
    put_run(&b, 0, 0, 10);
    run = pb_begin(&b, 1); /* a run without a span */
    pb_varint(&b, 2, 11);
    pb_end(&b, run);
    pb_empty(&b, 1);
    assert_sequence(&b, true, versions, 4);
    rwl_buf_clear(&b);
}
END_TEST

START_TEST(broken_sequences_are_told) {
    static const struct {
        const char *bytes;
        size_t len;
        bool is_versions;
        const char *message;
    } cases[] = {
        {"\x0a", 1, false, ""},
        {"\x0a\x06\x0a\x04\x10", 5, false, "a segment claims 6 bytes, 3 are left"},
        {"\x08\x01", 2, false, "field 1 has wire type 0"},
        {"\x0b\x01", 2, false, "wire type 3"},
        {"\x0a\x04\x0a\x02\x10\x04", 6, false, "there are more than 3 values"},
        {"\x0a\x04\x0a\x02\x10\x02", 6, false, "there are 2 values, 1 more are missing"},
        {"\x0a\x13\x0a\x06\x0a\x04\x08\x03\x10\x06\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 21, true,
         "behind 0 values: version 18446744073709551615 is above"},
        {"\x0a\x12\x0a\x05\x0a\x03\x10\x83\x00\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 20, true,
         "version 18446744073709551615 is above"},
        {"\x0a\x04\x0a\x02\x10\x03", 6, true, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_lance_arm arm = {.kind = RWL_LANCE_ARM_INLINE,
                             .bytes = rwl_span_of(cases[i].bytes, cases[i].len),
                             .length = (int64_t)cases[i].len};
        rwl_lance_values v;
        rwl_runs runs;
        rwl_error err;
        rwl_runs_init(&runs, &world.env, cases[i].is_versions ? 0 : 1);
        rwl_lance_values_init(&v, &world.op, &arm, cases[i].is_versions, NULL);
        rwl_status st = rwl_lance_values_read(&v, 3, &runs, &err);
        if (st == RWL_OK)
            st = rwl_lance_values_finish(&v, &err);
        ck_assert_msg(st == RWL_CORRUPT, "case %zu: status %d", i, (int)st);
        ck_assert_msg(strstr(err.message, cases[i].message) != NULL, "case %zu: %s", i, err.message);
        rwl_lance_values_clear(&v);
        rwl_runs_clear(&runs);
    }
}
END_TEST

/* --- through the window --- */

/* Writes the sequence behind 100 other bytes, and gives an arm that was left in the file. */
static rwl_lance_arm leave_in_file(const rwl_buf *b, rwl_file **file) {
    FILE *f = fopen(world.manifest.location, "wb");
    ck_assert(f != NULL);
    for (int i = 0; i < 100; i++)
        fputc('x', f);
    ck_assert_uint_eq(fwrite(b->data, 1, b->len, f), b->len);
    fputs("behind it", f);
    fclose(f);
    ASSERT_OK(rwl_file_open(world.store, &world.op, world.manifest.location, file, err));
    return (rwl_lance_arm){.kind = RWL_LANCE_ARM_INLINE, .offset = 100, .length = (int64_t)b->len};
}

START_TEST(a_segment_a_row_streams_through_a_small_window) {
    enum { ROWS = 200000 };
    rwl_buf b = new_buf();
    for (uint64_t i = 0; i < ROWS; i++) {
        uint64_t id = i * 7919 % ROWS; /* prime to it: every id once */
        put_range(&b, id, id + 1);
    }
    rwl_file *file;
    rwl_lance_arm arm = leave_in_file(&b, &file);
    ck_assert_int_gt(arm.length, 4 * RWL_LANCE_VALUES_WINDOW);
    world.op.memory_limit = RWL_LANCE_VALUES_WINDOW;
    rwl_lance_values v;
    rwl_runs runs;
    rwl_runs_init(&runs, &world.env, 1);
    rwl_lance_values_init(&v, &world.op, &arm, false, file);
    for (int64_t row = 0; row < ROWS; row += 1000) {
        rwl_runs_reset(&runs);
        ASSERT_OK(rwl_lance_values_skip(&v, 10, err));
        ASSERT_OK(rwl_lance_values_read(&v, 990, &runs, err));
        for (int64_t i = 0; i < 990; i++) {
            int64_t got;
            ck_assert(rwl_runs_get(&runs, i, &got));
            ck_assert_int_eq(got, (row + 10 + i) * 7919 % ROWS);
        }
    }
    ASSERT_OK(rwl_lance_values_finish(&v, err));
    ck_assert_int_eq(v.bytes_read, arm.length);
    rwl_lance_values_clear(&v);
    rwl_runs_clear(&runs);
    rwl_file_close(file);
    rwl_buf_clear(&b);
}
END_TEST

/* 300 000 values in one segment of 600 000 bytes, between short ones; too long for a small budget. */
START_TEST(the_window_grows_with_a_segment) {
    enum { COUNT = 300000 };
    rwl_buf b = new_buf();
    put_range(&b, 7, 9);
    size_t segment = pb_begin(&b, 1), array = pb_begin(&b, 5), form = pb_begin(&b, 1);
    uint8_t *numbers = calloc(COUNT, 2);
    for (size_t i = 0; i < COUNT; i++) {
        numbers[2 * i] = (uint8_t)(i * 3);
        numbers[2 * i + 1] = (uint8_t)(i * 3 >> 8);
    }
    pb_varint(&b, 1, 1000);
    pb_bytes(&b, 2, rwl_span_of(numbers, 2 * COUNT));
    free(numbers);
    pb_end(&b, form);
    pb_end(&b, array);
    pb_end(&b, segment);
    put_range(&b, 0, 1);
    rwl_file *file;
    rwl_lance_arm arm = leave_in_file(&b, &file);
    rwl_lance_values v;
    rwl_runs runs;
    int64_t got;
    rwl_runs_init(&runs, &world.env, 1);
    rwl_lance_values_init(&v, &world.op, &arm, false, file);
    ASSERT_OK(rwl_lance_values_read(&v, COUNT + 3, &runs, err));
    ASSERT_OK(rwl_lance_values_finish(&v, err));
    ck_assert(rwl_runs_get(&runs, 2 + 299999, &got));
    ck_assert_int_eq(got, 1000 + (299999 * 3) % 65536);
    ck_assert(rwl_runs_get(&runs, COUNT + 2, &got));
    ck_assert_int_eq(got, 0);
    rwl_lance_values_clear(&v);
    world.op.memory_limit = 500000;
    rwl_lance_values_init(&v, &world.op, &arm, false, file);
    ASSERT_FAILS(RWL_UNSUPPORTED, "lineage in the manifest", rwl_lance_values_skip(&v, COUNT, err));
    rwl_lance_values_clear(&v);
    rwl_runs_clear(&runs);
    rwl_file_close(file);
    rwl_buf_clear(&b);
}
END_TEST

/* A segment that ends where the arm does not. */
START_TEST(bytes_behind_the_arm_are_not_read) {
    rwl_buf b = new_buf();
    put_range(&b, 7, 9);
    rwl_file *file;
    rwl_lance_arm arm = leave_in_file(&b, &file);
    arm.length--;
    rwl_lance_values v;
    rwl_lance_values_init(&v, &world.op, &arm, false, file);
    ASSERT_FAILS(RWL_CORRUPT, "a segment claims", rwl_lance_values_skip(&v, 2, err));
    rwl_lance_values_clear(&v);
    rwl_file_close(file);
    rwl_buf_clear(&b);
}
END_TEST

Suite *sequence_suite(void) {
    Suite *suite = suite_create("sequence");
    TCase *tc = tcase_create("sequence");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, lan_41_sequences_of_every_form);
    tcase_add_test(tc, lan_42_overlapping_sequences);
    tcase_add_test(tc, lan_43_a_hole_filled_elsewhere);
    tcase_add_test(tc, lan_44_version_runs_count_by_length);
    tcase_add_test(tc, spans_of_any_form_and_empty_ones);
    tcase_add_test(tc, broken_sequences_are_told);
    tcase_add_test(tc, a_segment_a_row_streams_through_a_small_window);
    tcase_add_test(tc, the_window_grows_with_a_segment);
    tcase_add_test(tc, bytes_behind_the_arm_are_not_read);
    suite_add_tcase(suite, tc);
    return suite;
}
