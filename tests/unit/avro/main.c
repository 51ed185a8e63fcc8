/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of the avro layer. */
#include "cases.h"

#include <stdlib.h>

int main(void) {
    Suite *suite = suite_create("avro");
    suite_add_tcase(suite, schema_cases());
    suite_add_tcase(suite, file_cases());
    suite_add_tcase(suite, rows_cases());
    suite_add_tcase(suite, fixture_cases());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
