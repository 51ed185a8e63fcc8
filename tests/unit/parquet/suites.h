/* SPDX-License-Identifier: Apache-2.0 */
/* The suites of this folder's test program. */
#ifndef RWL_TESTS_PARQUET_SUITES_H
#define RWL_TESTS_PARQUET_SUITES_H

#include <check.h>

Suite *bloom_suite(void);
Suite *footer_suite(void);
Suite *index_suite(void);
Suite *same_suite(void);
Suite *output_chunk_suite(void);
Suite *output_file_suite(void);
Suite *output_schema_suite(void);
Suite *prune_suite(void);
Suite *nested_read_suite(void);
Suite *nested_schema_suite(void);
Suite *nested_variant_suite(void);
Suite *reader_fixtures_suite(void);
Suite *reader_lineage_suite(void);
Suite *reader_pages_suite(void);
Suite *reader_rle_suite(void);
Suite *reader_store_suite(void);
Suite *stitch_suite(void);
Suite *stitch_cases_suite(void);
Suite *stitch_faults_suite(void);
Suite *stitch_fixtures_suite(void);
Suite *stitch_lies_suite(void);
Suite *values_delta_suite(void);
Suite *values_fixed_suite(void);
Suite *writer_suite(void);
Suite *writer_bounds_suite(void);
Suite *writer_delta_suite(void);
Suite *writer_encode_suite(void);
Suite *writer_faults_suite(void);
Suite *writer_nested_suite(void);
Suite *writer_options_suite(void);
Suite *writer_shred_suite(void);

#endif
