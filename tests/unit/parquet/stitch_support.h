/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the stitcher's tests: input files of random rows, rows as text, the rules of a stitched file. */
#ifndef RWL_TESTS_PARQUET_STITCH_SUPPORT_H
#define RWL_TESTS_PARQUET_STITCH_SUPPORT_H

#include "parquet/reader.h"
#include "parquet/stitch.h"
#include "parquet/writer.h"

#include <check.h>

extern rwl_env stitch_env;
extern rwl_op stitch_op;
extern rwl_store *stitch_store;
extern rwl_error stitch_error;

void stitch_setup(void);             /* makes a directory */
void stitch_teardown(void);          /* removes it and what is in it, checks that the budget is given back */
const char *stitch_path(int number); /* of a file in it; valid until the next but three call */

#define stitch_ok(expr)                                                                                      \
    do {                                                                                                     \
        if ((expr) != RWL_OK)                                                                                \
            ck_abort_msg("%s: %s", #expr, stitch_error.message);                                             \
    } while (0)
#define stitch_check(condition, ...)                                                                         \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            ck_abort_msg(__VA_ARGS__);                                                                       \
    } while (0)

/* How random values look. */
typedef struct value_style {
    int distinct;     /* different values of a column, about */
    int null_percent; /* of optional fields */
    int offset;       /* values are chosen from this number on */
} value_style;
/* Appends random rows. */
void stitch_fill(rwl_batch *batch, const rwl_field *fields, const value_style *style, int64_t rows,
                 unsigned *seed);
/* Writes a file of random rows. */
void stitch_write(const char *path, const rwl_field *fields, int32_t count,
                  const rwl_parquet_write_options *options, const value_style *style, int64_t rows,
                  unsigned seed);
/* Random options of an input file. */
rwl_parquet_write_options stitch_random_options(unsigned *seed);

/* Rows as text. */
typedef struct row_texts {
    char **rows;
    size_t len, cap;
} row_texts;
void stitch_texts_clear(row_texts *t);
/* Appends the rows of the file in the ranges (NULL: all) as JSON: of each field what the file has under its id (name
 * where it has no ids), null when nothing; of made fields what `make` gives. */
void stitch_read(row_texts *out, rwl_parquet_file *file, const rwl_field *fields, int32_t count,
                 const rwl_range *ranges, size_t range_count, const rwl_parquet_stitch_options *options,
                 const rwl_parquet_stitch_part *part);
void stitch_compare(const row_texts *got, const row_texts *want, const char *what);

/* Fails where the file breaks a rule: dictionary page first and only once, no dictionary-coded page after one that is
 * not, one version of data pages a chunk, encoding_stats as counted, statistics that hold all values, page index as the
 * pages are. */
void stitch_check_rules(const char *path);

/* Whether the bound is a value of the file's first column, and none passes it. */
bool stitch_is_bound(rwl_parquet_file *file, rwl_span bound, bool is_max);

/* A made column: `part->ctx` points to an int64 that is added to the position; each 7th is null. */
rwl_status stitch_make_ids(void *ctx, const rwl_parquet_stitch_part *part, int32_t field, int64_t first,
                           int64_t count, rwl_column *out, rwl_error *err);

/* Opens, stitches, closes, reads back, compares, checks the rules. */
typedef struct stitch_job {
    const rwl_field *fields;
    int32_t field_count;
    rwl_parquet_stitch_options options;
    rwl_parquet_stitch_part *parts;
    int part_count;
    rwl_parquet_written written;
    rwl_parquet_stitch_stats stats;
} stitch_job;
void stitch_run(stitch_job *job, const char *path, const char *what);
/* Random ascending ranges of a file's rows: all of them once in four times. To be freed. */
rwl_range *stitch_random_ranges(int64_t rows, size_t *count, unsigned *seed);

#endif
