/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the writer's tests: a directory, random batches of every type, comparing what is read back. */
#ifndef RWL_TESTS_PARQUET_WRITER_SUPPORT_H
#define RWL_TESTS_PARQUET_WRITER_SUPPORT_H

#include "parquet/reader.h"
#include "parquet/writer.h"

#include <check.h>

extern rwl_env writer_env;
extern rwl_op writer_op;
extern rwl_store *writer_store; /* local */
extern const char *writer_path; /* where the test's file goes; does not exist at the start */
extern rwl_error writer_error;

void writer_setup(void);    /* makes the directory */
void writer_teardown(void); /* removes it and what is in it */
int writer_dir_entries(void);

/* As ck_assert_msg, which writes to a file whether it holds or not: too slow for each value. */
#define check_msg(condition, ...)                                                                            \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            ck_abort_msg(__VA_ARGS__);                                                                       \
    } while (0)
#define write_ok(expr) check_msg((expr) == RWL_OK, "%s: %s", #expr, writer_error.message)

enum { EVERY_TYPE = 20 };
/* One field of every type that can be written (decimals of each width); ids 1.., names c1... */
void every_type(rwl_field fields[EVERY_TYPE], bool required);

/* How the values of a random column look. */
typedef struct column_style {
    int distinct; /* number of different values, about */
    int null_percent;
    int run; /* average length of runs of equal values */
} column_style;
/* Appends `rows` random rows; extremes (NaN, zeros, least and greatest, empty strings) among them. */
void append_random(rwl_batch *batch, const rwl_field *fields, const column_style *styles, int64_t rows,
                   unsigned *seed);

/* Writes again and again through an environment whose n-th allocation fails, the first hundred each, then fewer, until
 * it succeeds: no file is left and no block held after a failure, which is NO_MEMORY. */
typedef rwl_status (*write_fn)(rwl_store *store, rwl_op *op, void *ctx);
void check_failed_allocations(write_fn write, void *ctx);

/* Reads all columns of the file and checks each value bit by bit; also ids, names, types and nullability. */
void check_read_back(const char *path, const rwl_batch *all, const rwl_field *fields, int64_t batch_rows);
/* Counts and bounds of every column against those computed value by value. */
void check_metrics(const rwl_parquet_written *written, const rwl_batch *all);
/* Statistics of every chunk hold all its values. */
void check_statistics(const char *path, const rwl_batch *all);

#endif
