/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the numbered cases of the references that need whole tables. */
#include "suites.h"

#include <stdlib.h>

int main(void) {
    SRunner *runner = srunner_create(suite_rewrite_cases());
    srunner_add_suite(runner, suite_iceberg_cases());
    srunner_add_suite(runner, suite_manifest_cases());
    srunner_add_suite(runner, suite_lineage_cases());
    srunner_add_suite(runner, suite_delete_cases());
    srunner_add_suite(runner, suite_read_cases());
    srunner_add_suite(runner, suite_commit_cases());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
