/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of lancefile/. */
#include "suites.h"

#include <stdlib.h>

int main(void) {
    SRunner *runner = srunner_create(NULL);
    srunner_add_suite(runner, lancefile_assemble_suite());
    srunner_add_suite(runner, lancefile_convert_suite());
    srunner_add_suite(runner, lancefile_encoding20_suite());
    srunner_add_suite(runner, lancefile_encoding_suite());
    srunner_add_suite(runner, lancefile_fetch_suite());
    srunner_add_suite(runner, lancefile_field20_suite());
    srunner_add_suite(runner, lancefile_field21_suite());
    srunner_add_suite(runner, lancefile_field_split_suite());
    srunner_add_suite(runner, lancefile_file_suite());
    srunner_add_suite(runner, lancefile_flat20_suite());
    srunner_add_suite(runner, lancefile_jsonb_suite());
    srunner_add_suite(runner, lancefile_leaf_suite());
    srunner_add_suite(runner, lancefile_page_blob2_suite());
    srunner_add_suite(runner, lancefile_page_constant_suite());
    srunner_add_suite(runner, lancefile_page_fixtures_suite());
    srunner_add_suite(runner, lancefile_page_mini_suite());
    srunner_add_suite(runner, lancefile_page_zip_suite());
    srunner_add_suite(runner, lancefile_reader_suite());
    srunner_add_suite(runner, lancefile_schema_suite());
    srunner_add_suite(runner, lancefile_unpack_block_suite());
    srunner_add_suite(runner, lancefile_unpack_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
