/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of wire/. */
#include "suites.h"

#include <stdlib.h>

int main(void) {
    SRunner *runner = srunner_create(proto_suite());
    srunner_add_suite(runner, thrift_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
