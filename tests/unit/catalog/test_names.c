/* SPDX-License-Identifier: Apache-2.0 */
/* Names of metadata files and the text of hints. */
#include "catalog/names.h"

#include "catalog_test.h"

START_TEST(names_of_metadata_files) {
    static const struct {
        const char *name;
        bool valid;
        rwl_metadata_layout layout;
        rwl_metadata_form form;
        int64_t number;
    } cases[] = {
        {"v1.metadata.json", true, RWL_METADATA_VERSION, RWL_METADATA_PLAIN, 1},
        {"v10.gz.metadata.json", true, RWL_METADATA_VERSION, RWL_METADATA_GZIP, 10},
        {"v7.metadata.json.gz", true, RWL_METADATA_VERSION, RWL_METADATA_GZIP_OLD, 7},
        {"v9223372036854775807.metadata.json", true, RWL_METADATA_VERSION, RWL_METADATA_PLAIN, INT64_MAX},
        {"00003-33f1b7a5.metadata.json", true, RWL_METADATA_FOREIGN, RWL_METADATA_PLAIN, 3},
        {"00000-a.gz.metadata.json", true, RWL_METADATA_FOREIGN, RWL_METADATA_GZIP, 0},
        {"123456-a-b.metadata.json.gz", true, RWL_METADATA_FOREIGN, RWL_METADATA_GZIP_OLD, 123456},
        {"v9223372036854775808.metadata.json", false, 0, 0, 0},
        {"v0.metadata.json", false, 0, 0, 0},
        {"v01.metadata.json", false, 0, 0, 0},
        {"v.metadata.json", false, 0, 0, 0},
        {"v1a.metadata.json", false, 0, 0, 0},
        {"v-1.metadata.json", false, 0, 0, 0},
        {"v1.metadata.jsonx", false, 0, 0, 0},
        {"v1.metadata.json.tmp", false, 0, 0, 0},
        {".v1.metadata.json.crc", false, 0, 0, 0},
        {"V1.metadata.json", false, 0, 0, 0},
        {"00003.metadata.json", false, 0, 0, 0},
        {"00003-.metadata.json", false, 0, 0, 0},
        {"uuid.metadata.json", false, 0, 0, 0},
        {"version-hint.text", false, 0, 0, 0},
        {"snap-1-1-x.avro", false, 0, 0, 0},
        {"", false, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_metadata_name got;
        ck_assert_msg(rwl_metadata_name_parse(cases[i].name, &got) == cases[i].valid, "%s", cases[i].name);
        if (!cases[i].valid)
            continue;
        ck_assert_int_eq((int)got.layout, (int)cases[i].layout);
        ck_assert_int_eq((int)got.form, (int)cases[i].form);
        ck_assert_int_eq(got.number, cases[i].number);
    }
}
END_TEST

START_TEST(names_of_versions_are_written_as_they_are_read) {
    static const char *const want[] = {"v12.metadata.json", "v12.gz.metadata.json", "v12.metadata.json.gz"};
    for (int form = RWL_METADATA_PLAIN; form <= RWL_METADATA_GZIP_OLD; form++) {
        char name[RWL_METADATA_NAME_MAX];
        rwl_metadata_name_format(12, (rwl_metadata_form)form, name);
        ck_assert_str_eq(name, want[form]);
    }
}
END_TEST

START_TEST(text_of_a_hint) {
    static const struct {
        const char *text;
        int64_t number;
    } cases[] = {
        {"7", 7},
        {"7\n", 7},
        {" 12 \r\n", 12},
        {"3\njunk", 3},
        {"", -1},
        {"\n7", -1},
        {"v7", -1},
        {"-1", -1},
        {"0", -1},
        {"7 8", -1},
        {"7x", -1},
        {"1.0", -1},
        {"  ", -1},
        {"9223372036854775808", -1},
        {"9223372036854775807", INT64_MAX},
        {"00000000000000000000000000000000000000000000000000000000000000000007", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(rwl_metadata_hint_parse(rwl_span_str(cases[i].text)) == cases[i].number, "'%s'",
                      cases[i].text);
}
END_TEST

Suite *names_suite(void) {
    Suite *suite = suite_create("names");
    TCase *t = tcase_create("names");
    suite_add_tcase(suite, t);
    tcase_add_test(t, names_of_metadata_files);
    tcase_add_test(t, names_of_versions_are_written_as_they_are_read);
    tcase_add_test(t, text_of_a_hint);
    return suite;
}
