/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of parquet/. */
#include "suites.h"

#include <stdlib.h>

int main(void) {
    SRunner *runner = srunner_create(NULL);
    srunner_add_suite(runner, footer_suite());
    srunner_add_suite(runner, index_suite());
    srunner_add_suite(runner, same_suite());
    srunner_add_suite(runner, bloom_suite());
    srunner_add_suite(runner, output_chunk_suite());
    srunner_add_suite(runner, output_file_suite());
    srunner_add_suite(runner, output_schema_suite());
    srunner_add_suite(runner, prune_suite());
    srunner_add_suite(runner, nested_read_suite());
    srunner_add_suite(runner, nested_schema_suite());
    srunner_add_suite(runner, nested_variant_suite());
    srunner_add_suite(runner, reader_fixtures_suite());
    srunner_add_suite(runner, reader_lineage_suite());
    srunner_add_suite(runner, reader_pages_suite());
    srunner_add_suite(runner, reader_rle_suite());
    srunner_add_suite(runner, reader_store_suite());
    srunner_add_suite(runner, stitch_suite());
    srunner_add_suite(runner, stitch_cases_suite());
    srunner_add_suite(runner, stitch_faults_suite());
    srunner_add_suite(runner, stitch_fixtures_suite());
    srunner_add_suite(runner, stitch_lies_suite());
    srunner_add_suite(runner, values_delta_suite());
    srunner_add_suite(runner, values_fixed_suite());
    srunner_add_suite(runner, writer_suite());
    srunner_add_suite(runner, writer_bounds_suite());
    srunner_add_suite(runner, writer_delta_suite());
    srunner_add_suite(runner, writer_encode_suite());
    srunner_add_suite(runner, writer_faults_suite());
    srunner_add_suite(runner, writer_nested_suite());
    srunner_add_suite(runner, writer_options_suite());
    srunner_add_suite(runner, writer_shred_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
