/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stitches Parquet files into one: the third way to write in the benchmarks.
 *
 *   bench_parquet_stitch [-z codec] [-t threads] [-g rows] [-G bytes] [-n times] OUT FILE…
 *     -g, -G  rows and bytes of a row group
 *
 * One line of JSON: rows, bytes and row groups of OUT, pages copied, recoded and encoded, CPU and wall time of the
 * cheapest of `times` (opening the files counts), peak memory.
 */
#include "usage.h"

#include "base/pool.h"
#include "parquet/stitch.h"

#include <stdlib.h>
#include <unistd.h>

#define MEMORY_MAX (INT64_C(1) << 30)

typedef struct work {
    rwl_env env;
    rwl_op op;
    rwl_store *store;
    rwl_parquet_stitch_options options;
    rwl_field *fields;
    rwl_parquet_stitch_stats stats;
    int64_t rows, bytes;
    int32_t groups;
} work;

static rwl_status add_file(work *w, rwl_parquet_stitch *s, const char *path, rwl_error *err) {
    rwl_parquet_file *file;
    RWL_TRY(rwl_parquet_open(w->store, &w->op, path, -1, &file, err));
    rwl_range all = {0, file->row_count};
    rwl_parquet_stitch_part part = {.file = file, .ranges = &all, .range_count = 1};
    rwl_status st = rwl_parquet_stitch_add(s, &part, err);
    rwl_parquet_close(file); /* the stitcher has its reference */
    return st;
}

static rwl_status stitch(work *w, const char *target, char **paths, int count, rwl_error *err) {
    rwl_parquet_file *first;
    rwl_parquet_stitch *s;
    rwl_parquet_written written;
    unlink(target);
    RWL_TRY(rwl_parquet_open(w->store, &w->op, paths[0], -1, &first, err));
    for (int32_t i = 0; i < first->node_count; i++)
        w->fields[i] = first->nodes[i].field;
    RWL_TRY(rwl_parquet_stitch_open(w->store, &w->op, target, w->fields, first->node_count, &w->options, &s,
                                    err));
    for (int f = 0; f < count; f++)
        RWL_TRY(add_file(w, s, paths[f], err));
    RWL_TRY(rwl_parquet_stitch_finish(s, &written, &w->stats, err));
    w->rows = written.row_count;
    w->bytes = written.file_size;
    w->groups = written.split_count;
    rwl_parquet_written_clear(&written);
    rwl_parquet_close(first);
    return RWL_OK;
}

int main(int argc, char **argv) {
    static rwl_field fields[4096];
    work w = {.fields = fields, .options = {.write = {.codec = RWL_CODEC_ZSTD}}};
    rwl_parquet_write_options *o = &w.options.write;
    int threads = 1, times = 1, option;
    while ((option = getopt(argc, argv, "z:t:g:G:n:")) != -1) {
        if (option == '?' || (option == 'z' && !rwl_codec_by_name(optarg, &o->codec)))
            return EXIT_FAILURE;
        threads = option == 't' ? atoi(optarg) : threads;
        times = option == 'n' ? atoi(optarg) : times;
        o->row_group_rows = option == 'g' ? atoll(optarg) : o->row_group_rows;
        o->row_group_bytes = option == 'G' ? atoll(optarg) : o->row_group_bytes;
    }
    if (argc - optind < 2)
        return EXIT_FAILURE;
    rwl_error err = {0};
    usage best = {0};
    rwl_env_init_default(&w.env);
    rwl_op_init(&w.op, &w.env, MEMORY_MAX);
    rwl_status st = rwl_store_local_new(&w.env, NULL, 0, &w.store, &err);
    if (st == RWL_OK && threads > 1)
        st = rwl_pool_new(&w.env, threads, &o->pool, &err);
    for (int i = 0; st == RWL_OK && i < times; i++) {
        usage start = usage_now();
        st = stitch(&w, argv[optind], argv + optind + 1, argc - optind - 1, &err);
        usage_least(&best, usage_since(start));
    }
    if (st != RWL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return EXIT_FAILURE;
    }
    printf("{\"rows\":%lld,\"bytes\":%lld,\"row_groups\":%d,\"pages_copied\":%lld,\"pages_recoded\":%lld,"
           "\"pages_encoded\":%lld,",
           (long long)w.rows, (long long)w.bytes, (int)w.groups, (long long)w.stats.pages_copied,
           (long long)w.stats.pages_recoded, (long long)w.stats.pages_encoded);
    usage_print(best);
    printf("}\n");
    return EXIT_SUCCESS;
}
