/* SPDX-License-Identifier: Apache-2.0 */
/* Feature flags: which are read, which are refused, which contradict each other. */
#include "lance_test.h"
#include "suites.h"

START_TEST(lan_94_known_flags_are_read) {
    /* what Lance 14.0.2 reads: 1, 2, 8, 16, 32, 128, 256, 1024, 2048, 16384, and 32768 of writers; 4 is ignored */
    const uint64_t both = 1 | 2 | 4 | 16 | 128 | 256 | 1024 | 2048 | 16384;
    ASSERT_OK(rwl_lance_flags_check(both, both | 8 | 32 | 32768, &lance_error));
    ASSERT_OK(rwl_lance_flags_check_write(both | 8 | 32 | 32768, &lance_error));
    ASSERT_OK(rwl_lance_flags_check(0, 0, &lance_error));
}
END_TEST

START_TEST(lan_94_unknown_reader_flags_are_refused_by_name) {
    static const struct {
        uint64_t bit;
        const char *text;
    } cases[] = {
        {64, "64 (data overlay files)"},
        {512, "512 (fragment reuse index with stable row ids)"},
        {4096, "4096 (fragment tree)"},
        {8192, "8192 (independent covering fields)"},
        {65536, "65536 (zone write seeds)"},
        {131072, "131072 (object metadata)"},
        {262144, "262144, which is not known"},
        {(uint64_t)1 << 63, "9223372036854775808, which is not known"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ASSERT_FAILS(rwl_lance_flags_check(cases[i].bit | 3, cases[i].bit | 3, &lance_error), RWL_UNSUPPORTED,
                     cases[i].text);
        ASSERT_FAILS(rwl_lance_flags_check_write(cases[i].bit | 3, &lance_error), RWL_UNSUPPORTED,
                     cases[i].text);
    }
}
END_TEST

START_TEST(lan_94_unknown_writer_flags_do_not_keep_from_reading) {
    ASSERT_OK(rwl_lance_flags_check(2, 2 | 512 | 131072 | 262144, &lance_error));
    ASSERT_FAILS(rwl_lance_flags_check_write(2 | 512, &lance_error), RWL_UNSUPPORTED, "512");
    ASSERT_OK(rwl_lance_flags_check(2, 2050, &lance_error)); /* read by releases, too (3.8) */
}
END_TEST

START_TEST(lan_94_flags_of_both_words_in_one_are_corrupt) {
    static const uint64_t bits[] = {256, 1024, 16384};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        ASSERT_FAILS(rwl_lance_flags_check(bits[i], 0, &lance_error), RWL_CORRUPT, "for readers alone");
        ASSERT_FAILS(rwl_lance_flags_check(0, bits[i], &lance_error), RWL_CORRUPT, "for writers alone");
    }
    ASSERT_FAILS(rwl_lance_flags_check(0, 65536, &lance_error), RWL_CORRUPT, "for writers alone");
    ASSERT_FAILS(rwl_lance_flags_check(32768, 32768, &lance_error), RWL_CORRUPT, "is set for readers");
}
END_TEST

START_TEST(names_flags) {
    ck_assert_str_eq(rwl_lance_flag_name(2048), "spilled row lineage");
    ck_assert_ptr_null(rwl_lance_flag_name(262144));
    ck_assert_ptr_null(rwl_lance_flag_name(3));
}
END_TEST

Suite *flags_suite(void) {
    Suite *suite = suite_create("flags");
    TCase *tcase = tcase_create("flags");
    tcase_add_test(tcase, lan_94_known_flags_are_read);
    tcase_add_test(tcase, lan_94_unknown_reader_flags_are_refused_by_name);
    tcase_add_test(tcase, lan_94_unknown_writer_flags_do_not_keep_from_reading);
    tcase_add_test(tcase, lan_94_flags_of_both_words_in_one_are_corrupt);
    tcase_add_test(tcase, names_flags);
    suite_add_tcase(suite, tcase);
    return suite;
}
