/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the unit tests of src/expr. */
#include "suites.h"

static const rwl_field INNER = {.name = "x", .id = 20, .type = {.kind = RWL_TYPE_INT}};

const rwl_field TABLE[COL_COUNT] = {
    {.name = "i", .id = 1, .type = {.kind = RWL_TYPE_INT}},
    {.name = "l", .id = 2, .type = {.kind = RWL_TYPE_LONG}},
    {.name = "f", .id = 3, .type = {.kind = RWL_TYPE_FLOAT}},
    {.name = "d", .id = 4, .type = {.kind = RWL_TYPE_DOUBLE}},
    {.name = "dec", .id = 5, .type = {.kind = RWL_TYPE_DECIMAL, .precision = 9, .scale = 2}},
    {.name = "s", .id = 6, .type = {.kind = RWL_TYPE_STRING}},
    {.name = "s2", .id = 7, .type = {.kind = RWL_TYPE_STRING}},
    {.name = "b", .id = 8, .type = {.kind = RWL_TYPE_BOOLEAN}},
    {.name = "date", .id = 9, .type = {.kind = RWL_TYPE_DATE}}, /* a type's name is a fine column name */
    {.name = "ts", .id = 10, .type = {.kind = RWL_TYPE_TIMESTAMP}},
    {.name = "tz", .id = 11, .type = {.kind = RWL_TYPE_TIMESTAMPTZ}},
    {.name = "tn", .id = 12, .type = {.kind = RWL_TYPE_TIMESTAMP_NS}},
    {.name = "t", .id = 13, .type = {.kind = RWL_TYPE_TIME}},
    {.name = "u", .id = 14, .type = {.kind = RWL_TYPE_UUID}},
    {.name = "bin", .id = 15, .type = {.kind = RWL_TYPE_BINARY}},
    {.name = "fx", .id = 16, .type = {.kind = RWL_TYPE_FIXED, .length = 2}},
    {.name = "no", .id = 17, .type = {.kind = RWL_TYPE_UNKNOWN}},
    {.name = "a \"b\"", .id = 18, .type = {.kind = RWL_TYPE_INT}},
    {.name = "st", .id = 19, .type = {.kind = RWL_TYPE_STRUCT, .children = &INNER, .child_count = 1}},
    {.name = "_row_id", .id = RWL_FIELD_ID_ROW_ID, .type = {.kind = RWL_TYPE_LONG}},
    {.name = "t9", .id = 21, .type = {.kind = RWL_TYPE_TIME, .parameters = RWL_TYPE_NANOS}},
    {.name = "wide",
     .id = 22,
     .type = {.kind = RWL_TYPE_FIXED, .length = 32, .parameters = "decimal256:76,4"}},
    {.name = "dur", .id = 23, .type = {.kind = RWL_TYPE_LONG, .parameters = "duration:us"}},
};

int main(void) {
    Suite *suite = suite_create("expr");
    suite_add_tcase(suite, parse_cases());
    suite_add_tcase(suite, bind_cases());
    suite_add_tcase(suite, bounds_cases());
    suite_add_tcase(suite, in_cases());
    suite_add_tcase(suite, property_cases());
    suite_add_tcase(suite, value_cases());
    suite_add_tcase(suite, value_property_cases());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
