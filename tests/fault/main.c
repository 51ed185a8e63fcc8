/* SPDX-License-Identifier: Apache-2.0 */
/* Fault tests: before or after, nothing between. */
#include "fault.h"

#include <stdlib.h>

int main(void) {
    SRunner *runner = srunner_create(storage_suite());
    srunner_add_suite(runner, process_suite());
    srunner_add_suite(runner, damage_suite());
    srunner_add_suite(runner, scale_suite());
    srunner_add_suite(runner, table_damage_suite());
    srunner_add_suite(runner, table_faults_suite());
    srunner_add_suite(runner, lance_damage_suite());
    srunner_add_suite(runner, lance_faults_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
