/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of lance/. */
#include "suites.h"

#include <stdlib.h>

int main(void) {
    SRunner *runner = srunner_create(NULL);
    srunner_add_suite(runner, dataset_suite());
    srunner_add_suite(runner, deletions_suite());
    srunner_add_suite(runner, driver_suite());
    srunner_add_suite(runner, facts_suite());
    srunner_add_suite(runner, fixtures_suite());
    srunner_add_suite(runner, flags_suite());
    srunner_add_suite(runner, lineage_suite());
    srunner_add_suite(runner, manifest_suite());
    srunner_add_suite(runner, plain_suite());
    srunner_add_suite(runner, prune_suite());
    srunner_add_suite(runner, sequence_suite());
    srunner_add_suite(runner, transaction_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
