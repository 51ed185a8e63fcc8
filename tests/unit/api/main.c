/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the unit tests of src/api: what callers of the public headers get, in C alone. */
#include "suites.h"

#include <stdlib.h>

int main(void) {
    SRunner *runner = srunner_create(parquet_suite());
    srunner_add_suite(runner, output_suite());
    srunner_add_suite(runner, rewrite_suite());
    srunner_add_suite(runner, task_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
