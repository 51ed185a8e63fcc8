/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of Arrow IPC share: bytes out to a buffer, bytes in through a temporary file. */
#ifndef RWL_TESTS_IPC_TEST_H
#define RWL_TESTS_IPC_TEST_H

#include "column/arrow.h"
#include "ipc/ipc.h"

#include <check.h>

Suite *round_trip_suite(void);
Suite *corrupt_suite(void);

rwl_env *test_env(void);
rwl_op *test_op(void);
/* A sink that appends to a buffer. */
rwl_ipc_sink buffer_sink(rwl_buf *out);
/* Opens the bytes as a stream; the file is gone already. */
rwl_status open_bytes(rwl_span bytes, struct ArrowArrayStream *out, rwl_error *err);
/* Reads all batches, imported, and adds up their rows; the error is the stream's. */
rwl_status read_all(rwl_span bytes, int64_t *rows, rwl_error *err);

#endif
