/* SPDX-License-Identifier: Apache-2.0 */
/* Files of other writers, stitched whole and in part, give the rows they have. */
#include "stitch_support.h"
#include "suites.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct tally {
    int files, stitched;
} tally;
static tally count;
static unsigned seed;

enum { FIELDS_MAX = 64, ROWS_MAX = 2000 };

/* Fields of the file that can be read; ids by position where it has none. */
static int32_t take_fields(rwl_parquet_file *file, rwl_field *fields) {
    int32_t n = 0;
    for (int32_t i = 0; i < file->node_count && n < FIELDS_MAX; i++) {
        const rwl_parquet_node *node = &file->nodes[i];
        bool readable = node->field.type.kind != RWL_TYPE_UNKNOWN;
        for (int32_t k = node->first_leaf; k < node->first_leaf + node->leaf_count; k++)
            readable = readable && !file->leaves[k].unsupported &&
                       !file->leaves[k].is_unsigned; /* shown otherwise */
        if (!readable)
            continue;
        fields[n] = node->field;
        if (rwl_parquet_without_ids(file))
            fields[n].id = i + 1;
        n++;
    }
    return n;
}

/* Those of the fields that the stitcher takes. */
static int32_t keep_fitting(rwl_parquet_file *file, rwl_field *fields, int32_t n) {
    rwl_parquet_stitch_options options = {0};
    int32_t kept = 0;
    for (int32_t i = 0; i < n; i++) {
        const char *why;
        rwl_arena arena;
        rwl_arena_init(&arena, &stitch_env, 0);
        if (rwl_parquet_stitch_fits(file, &fields[i], 1, &options, &arena, &why))
            fields[kept++] = fields[i];
        rwl_arena_clear(&arena);
    }
    return kept;
}

/* Some hold gigabytes in a few bytes. */
static bool is_small(const rwl_parquet_file *file) {
    int64_t bytes = 0;
    for (int32_t g = 0; g < file->group_count; g++)
        for (int32_t i = 0; i < file->leaf_count; i++)
            bytes += file->groups[g].chunks[i].uncompressed_size;
    return bytes < 16 << 20 && file->row_count > 0 && file->row_count <= ROWS_MAX;
}

/* Whether the file can be read at all: damaged ones are no test here. */
static bool is_readable(rwl_parquet_file *file, const int32_t *nodes, int32_t n) {
    rwl_parquet_read_options ro = {.nodes = nodes, .node_count = n, .row_count = -1};
    rwl_parquet_reader *reader;
    rwl_batch batch = {0};
    int32_t count_of;
    int64_t first;
    rwl_error err;
    if (rwl_parquet_reader_new(stitch_store, &stitch_op, file, &ro, &reader, &err) != RWL_OK)
        return false;
    rwl_status st =
        rwl_batch_init(&batch, &stitch_env, rwl_parquet_reader_fields(reader, &count_of), n, &err);
    while (st == RWL_OK) {
        st = rwl_parquet_reader_next(reader, &batch, &first, &err);
        if (batch.length == 0)
            break;
    }
    rwl_batch_clear(&batch);
    rwl_parquet_reader_free(reader);
    return st == RWL_OK;
}

static void stitch_file(const char *path, rwl_parquet_file *file, const rwl_field *fields, int32_t n) {
    for (int round = 0; round < 4; round++) {
        rwl_parquet_stitch_part parts[2] = {{.file = file}, {.file = file}};
        rwl_range whole = {0, file->row_count};
        parts[0].ranges = &whole;
        parts[0].range_count = 1;
        rwl_range *some = stitch_random_ranges(file->row_count, &parts[1].range_count, &seed);
        parts[1].ranges = some;
        stitch_job job = {.fields = fields,
                          .field_count = n,
                          .parts = parts + (round == 1),
                          .part_count = round < 2 ? 1 : 2};
        job.options.write = stitch_random_options(&seed);
        if (round == 0) { /* as the file is */
            rwl_codec_id codec = RWL_CODEC_ZSTD;
            job.options.write = (rwl_parquet_write_options){.codec = codec};
        }
        stitch_run(&job, stitch_path(0), path);
        rwl_parquet_written_clear(&job.written);
        unlink(stitch_path(0));
        free(some);
    }
    count.stitched++;
}

static int visit(const char *path, const struct stat *st, int flag, struct FTW *walk) {
    (void)walk;
    size_t len = strlen(path);
    rwl_parquet_file *file;
    rwl_field fields[FIELDS_MAX];
    int32_t nodes[FIELDS_MAX];
    if (flag != FTW_F || len < 8 || strcmp(path + len - 8, ".parquet") != 0 || st->st_size > 256 << 10)
        return 0;
    count.files++;
    if (rwl_parquet_open(stitch_store, &stitch_op, path, -1, &file, &stitch_error) != RWL_OK)
        return 0;
    int32_t n = take_fields(file, fields);
    n = keep_fitting(file, fields, n);
    for (int32_t i = 0; i < n; i++)
        nodes[i] = rwl_parquet_node_by_name(file, fields[i].name);
    if (n > 0 && is_small(file) && is_readable(file, nodes, n))
        stitch_file(path, file, fields, n);
    rwl_parquet_close(file);
    return 0;
}

START_TEST(files_of_other_writers_give_their_rows) {
    const char *only = getenv("ROWLINE_FIXTURE");
    if (access(FIXTURES_DIR "/apache+parquet-testing", R_OK) != 0) {
        fprintf(stderr, "skipped: no fixtures at %s\n", FIXTURES_DIR);
        return;
    }
    seed = 5;
    ck_assert_int_eq(nftw(only != NULL ? only : FIXTURES_DIR "/apache+parquet-testing", visit, 16, FTW_PHYS),
                     0);
    printf("stitch: %d fixtures, %d stitched\n", count.files, count.stitched);
    ck_assert(only != NULL || count.stitched > 60);
}
END_TEST

Suite *stitch_fixtures_suite(void) {
    Suite *suite = suite_create("stitch_fixtures");
    TCase *tc = tcase_create("fixtures");
    tcase_add_checked_fixture(tc, stitch_setup, stitch_teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, files_of_other_writers_give_their_rows);
    suite_add_tcase(suite, tc);
    return suite;
}
