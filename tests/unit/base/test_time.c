/* SPDX-License-Identifier: Apache-2.0 */
#include "base/time.h"

#include "base_tests.h"

/* 2017-11-16 is day 17486 and 22:31:08 has 81068 seconds: Iceberg specification, appendix B. */
START_TEST(dates_are_the_days_of_the_calendar) {
    static const struct {
        int32_t days;
        const char *text;
    } cases[] = {{0, "1970-01-01"},         {-1, "1969-12-31"},       {17486, "2017-11-16"},
                 {11016, "2000-02-29"},     {-719162, "0001-01-01"},  {2932896, "9999-12-31"},
                 {2932897, "+10000-01-01"}, {-719163, "+0000-12-31"}, {-719529, "-0001-12-31"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[RWL_TIME_TEXT_MAX];
        int32_t days;
        rwl_date_format(cases[i].days, text);
        ck_assert_str_eq(text, cases[i].text);
        ck_assert(rwl_date_parse(rwl_span_str(cases[i].text), &days));
        ck_assert_int_eq(days, cases[i].days);
    }
}
END_TEST

START_TEST(calendar_goes_both_ways_over_eight_centuries) {
    for (int64_t days = -300000; days < 300000; days += 13) {
        int64_t year;
        int month, day;
        rwl_civil_from_days(days, &year, &month, &day);
        ck_assert_int_eq(rwl_days_from_civil(year, month, day), days);
        ck_assert(month >= 1 && month <= 12 && day >= 1 && day <= 31);
    }
    ck_assert_int_eq(rwl_floor_div(-1, 7), -1);
    ck_assert_int_eq(rwl_floor_mod(-1, 7), 6);
}
END_TEST

START_TEST(date_extremes_are_written_and_read) {
    char text[RWL_TIME_TEXT_MAX];
    int32_t days;
    rwl_date_format(INT32_MAX, text);
    ck_assert_str_eq(text, "+5881580-07-11"); /* java.time.LocalDate.ofEpochDay(2^31 - 1) */
    ck_assert(rwl_date_parse(rwl_span_str(text), &days) && days == INT32_MAX);
    rwl_date_format(INT32_MIN, text);
    ck_assert_str_eq(text, "-5877641-06-23"); /* LocalDate.ofEpochDay(-2^31) */
    ck_assert(rwl_date_parse(rwl_span_str(text), &days) && days == INT32_MIN);
    ck_assert(!rwl_date_parse(rwl_span_str("+5881580-07-12"), &days));
}
END_TEST

START_TEST(rejects_what_is_no_date) {
    static const char *const cases[] = {
        "",           "2026",        "2026-1-01",          "2026-13-01",  "2026-00-10",
        "2026-02-29", "1900-02-29",  "2026-04-31",         "02026-01-01", "2026-01-01 ",
        "2026/01/01", "2026-01-01T", "+123456789012-01-01"};
    int32_t days;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(!rwl_date_parse(rwl_span_str(cases[i]), &days), "%s", cases[i]);
}
END_TEST

START_TEST(times_have_six_or_nine_digits) {
    char text[RWL_TIME_TEXT_MAX];
    int64_t units;
    rwl_time_format(81068000000, 6, text);
    ck_assert_str_eq(text, "22:31:08.000000");
    rwl_time_format(1, 9, text);
    ck_assert_str_eq(text, "00:00:00.000000001");
    rwl_time_format(-1, 6, text);
    ck_assert_str_eq(text, "-00:00:00.000001");
    ck_assert(rwl_time_parse(rwl_span_str("22:31:08"), 6, &units) && units == 81068000000);
    ck_assert(rwl_time_parse(rwl_span_str("22:31"), 6, &units) && units == 81060000000);
    ck_assert(rwl_time_parse(rwl_span_str("00:00:00.5"), 9, &units) && units == 500000000);
    ck_assert(rwl_time_parse(rwl_span_str("00:00:00.1234560"), 6, &units) && units == 123456);
    ck_assert(!rwl_time_parse(rwl_span_str("00:00:00.1234567"), 6, &units));
    ck_assert(!rwl_time_parse(rwl_span_str("00:00:00."), 6, &units));
    ck_assert(!rwl_time_parse(rwl_span_str("24:00:00"), 6, &units));
    ck_assert(!rwl_time_parse(rwl_span_str("12:60:00"), 6, &units));
    ck_assert(!rwl_time_parse(rwl_span_str("12:00:60"), 6, &units));
    ck_assert(!rwl_time_parse(rwl_span_str("12:00:00Z"), 6, &units));
}
END_TEST

START_TEST(timestamps_read_zones_and_fractions) {
    static const struct {
        const char *in;
        int digits;
        bool zone, ok;
        int64_t units;
    } cases[] = {
        /* Iceberg specification, appendix B: 2017-11-16T22:31:08 is 1510871468 s */
        {"2017-11-16T22:31:08", 6, false, true, 1510871468000000},
        {"2017-11-16 22:31:08.000001", 6, false, true, 1510871468000001},
        {"2017-11-16T14:31:08-08:00", 6, true, true, 1510871468000000},
        {"2017-11-16T22:31:08.000001001Z", 9, true, true, 1510871468000001001},
        {"2017-11-16T22:31:08", 6, true, false, 0},
        {"2017-11-16T22:31:08Z", 6, false, false, 0},
        {"2017-11-16T22:31:08+0800", 6, true, false, 0},
        {"2017-11-16t22:31:08", 6, false, false, 0},
        {"1969-12-31T23:59:59.999999", 6, false, true, -1},
        {"2262-04-11T23:47:16.854775807", 9, false, true, INT64_MAX}, /* 2^63 - 1 ns */
        {"2262-04-11T23:47:16.854775808", 9, false, false, 0},
        {"1677-09-21T00:12:43.145224192", 9, false, true, INT64_MIN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t units = 0;
        bool ok = rwl_timestamp_parse(rwl_span_str(cases[i].in), cases[i].digits, cases[i].zone, &units);
        ck_assert_msg(ok == cases[i].ok, "%s", cases[i].in);
        ck_assert_int_eq(units, cases[i].units);
    }
}
END_TEST

START_TEST(timestamps_are_written_in_full) {
    char text[RWL_TIME_TEXT_MAX];
    rwl_timestamp_format(1510871468000001, 6, false, text);
    ck_assert_str_eq(text, "2017-11-16T22:31:08.000001");
    rwl_timestamp_format(-1, 9, true, text);
    ck_assert_str_eq(text, "1969-12-31T23:59:59.999999999+00:00");
    rwl_timestamp_format(INT64_MIN, 9, false, text);
    ck_assert_str_eq(text, "1677-09-21T00:12:43.145224192");
    /* -2^63 us: java.time.Instant gives -290308-12-21T19:59:05.224192Z */
    rwl_timestamp_format(INT64_MIN, 6, true, text);
    ck_assert_str_eq(text, "-290308-12-21T19:59:05.224192+00:00");
    int64_t back;
    ck_assert(rwl_timestamp_parse(rwl_span_str(text), 6, true, &back) && back == INT64_MIN);
}
END_TEST

TCase *time_tests(void) {
    TCase *tc = tcase_create("time");
    tcase_add_test(tc, dates_are_the_days_of_the_calendar);
    tcase_add_test(tc, calendar_goes_both_ways_over_eight_centuries);
    tcase_add_test(tc, date_extremes_are_written_and_read);
    tcase_add_test(tc, rejects_what_is_no_date);
    tcase_add_test(tc, times_have_six_or_nine_digits);
    tcase_add_test(tc, timestamps_read_zones_and_fractions);
    tcase_add_test(tc, timestamps_are_written_in_full);
    return tc;
}
