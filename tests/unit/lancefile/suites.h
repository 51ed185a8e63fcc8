/* SPDX-License-Identifier: Apache-2.0 */
/* The suites of this folder's test program. */
#ifndef RWL_TESTS_LANCEFILE_SUITES_H
#define RWL_TESTS_LANCEFILE_SUITES_H

#include <check.h>

Suite *lancefile_assemble_suite(void);
Suite *lancefile_convert_suite(void);
Suite *lancefile_encoding20_suite(void);
Suite *lancefile_encoding_suite(void);
Suite *lancefile_fetch_suite(void);
Suite *lancefile_field20_suite(void);
Suite *lancefile_field21_suite(void);
Suite *lancefile_field_split_suite(void);
Suite *lancefile_file_suite(void);
Suite *lancefile_flat20_suite(void);
Suite *lancefile_jsonb_suite(void);
Suite *lancefile_leaf_suite(void);
Suite *lancefile_page_blob2_suite(void);
Suite *lancefile_page_constant_suite(void);
Suite *lancefile_page_fixtures_suite(void);
Suite *lancefile_page_mini_suite(void);
Suite *lancefile_page_zip_suite(void);
Suite *lancefile_reader_suite(void);
Suite *lancefile_schema_suite(void);
Suite *lancefile_unpack_block_suite(void);
Suite *lancefile_unpack_suite(void);

#endif
