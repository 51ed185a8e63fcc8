/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a Parquet file from batches in memory and says what that cost: the writing side of the benchmarks.
 *
 *   bench_parquet_write [-z codec] [-l level] [-t threads] [-g rows] [-n times] [-c name,name,…] [-p delta|split] [-2] IN OUT
 *     -g  rows of a row group (else by bytes)   -p  what is preferred to PLAIN   -2  data pages of version 2
 *
 * IN is read into batches first, which is not counted. One line of JSON: rows, CPU time of the process for one writing,
 * nanoseconds a value, wall time, peak memory, size of OUT.
 */
#include "base/pool.h"
#include "base/vec.h"
#include "parquet/reader.h"
#include "parquet/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { COLUMNS_MAX = 1024 };
#define MEMORY_MAX (INT64_C(16) << 30)

typedef struct input {
    rwl_parquet_file *file;
    int32_t nodes[COLUMNS_MAX], node_count;
    rwl_field fields[COLUMNS_MAX];
    RWL_VEC(rwl_batch) batches;
    int64_t rows;
} input;

static double cpu_seconds(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static double wall_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Whether `name` is one of the names between commas; NULL means all. */
static bool is_listed(const char *names, const char *name) {
    size_t len = strlen(name);
    for (const char *p = names; p; p = strchr(p, ',')) {
        p += *p == ',';
        if (strncmp(p, name, len) == 0 && (p[len] == ',' || p[len] == '\0'))
            return true;
    }
    return !names;
}

static rwl_status read_batches(input *in, rwl_parquet_reader *r, const rwl_env *env, rwl_error *err) {
    for (;;) {
        rwl_batch batch;
        int64_t first;
        RWL_TRY(rwl_batch_init(&batch, env, in->fields, in->node_count, err));
        RWL_TRY(rwl_parquet_reader_next(r, &batch, &first, err));
        if (batch.length == 0) {
            rwl_batch_clear(&batch);
            return RWL_OK;
        }
        in->rows += batch.length;
        RWL_TRY(rwl_vec_push(&in->batches, env, batch, err));
    }
}

static rwl_status read_input(input *in, rwl_store *store, rwl_op *op, const char *path, const char *columns,
                             rwl_error *err) {
    rwl_parquet_reader *r = NULL;
    RWL_TRY(rwl_parquet_open(store, op, path, -1, &in->file, err));
    for (int32_t i = 0; i < in->file->node_count && in->node_count < COLUMNS_MAX; i++)
        if (is_listed(columns, in->file->nodes[i].field.name))
            in->nodes[in->node_count++] = i;
    rwl_parquet_read_options o = {.nodes = in->nodes, .node_count = in->node_count, .row_count = -1};
    RWL_TRY(rwl_parquet_reader_new(store, op, in->file, &o, &r, err));
    int32_t count;
    const rwl_field *fields = rwl_parquet_reader_fields(r, &count);
    for (int32_t i = 0; i < count; i++) {
        in->fields[i] = fields[i]; /* what they point to is the file's or the reader's, kept until the end */
        in->fields[i].id = in->fields[i].id < 0 ? i + 1 : in->fields[i].id;
    }
    return read_batches(in, r, op->env, err); /* the reader stays: its fields are in use */
}

static rwl_status write_once(const input *in, rwl_store *store, rwl_op *op, const char *path,
                             const rwl_parquet_write_options *options, int64_t *size, rwl_error *err) {
    rwl_parquet_writer *w;
    rwl_parquet_written written;
    unlink(path);
    RWL_TRY(rwl_parquet_writer_open(store, op, path, in->fields, in->node_count, options, &w, err));
    for (size_t i = 0; i < in->batches.len; i++)
        RWL_TRY(rwl_parquet_writer_write(w, &in->batches.items[i], err));
    RWL_TRY(rwl_parquet_writer_finish(w, &written, err));
    *size = written.file_size;
    rwl_parquet_written_clear(&written);
    return RWL_OK;
}

static void print_result(const input *in, double cpu, double wall, int64_t size) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    double values = (double)in->rows * in->node_count;
    printf("{\"rows\":%lld,\"cpu_s\":%.4f,\"ns_per_value\":%.3f,\"wall_s\":%.4f,\"peak_kib\":%ld,\"bytes\":%"
           "lld}\n",
           (long long)in->rows, cpu, values > 0 ? cpu * 1e9 / values : 0, wall, u.ru_maxrss, (long long)size);
}

int main(int argc, char **argv) {
    static input in;
    rwl_parquet_write_options options = {.codec = RWL_CODEC_ZSTD};
    const char *columns = NULL;
    int times = 1, threads = 1, option;
    while ((option = getopt(argc, argv, "z:l:t:g:n:c:p:2")) != -1) {
        if (option == 'z' && !rwl_codec_by_name(optarg, &options.codec))
            return EXIT_FAILURE;
        if (option == '?')
            return EXIT_FAILURE;
        options.level = option == 'l' ? atoi(optarg) : options.level;
        options.row_group_rows = option == 'g' ? atoll(optarg) : options.row_group_rows;
        options.page_v2 |= option == '2';
        threads = option == 't' ? atoi(optarg) : threads;
        times = option == 'n' ? atoi(optarg) : times;
        columns = option == 'c' ? optarg : columns;
        if (option == 'p')
            options.prefer = *optarg == 'd' ? RWL_PARQUET_PREFER_DELTA : RWL_PARQUET_PREFER_SPLIT;
    }
    if (optind != argc - 2)
        return EXIT_FAILURE;
    rwl_env env;
    rwl_op op;
    rwl_store *store;
    rwl_error err = {0};
    int64_t size = 0;
    rwl_env_init_default(&env);
    rwl_op_init(&op, &env, MEMORY_MAX);
    rwl_status st = rwl_store_local_new(&env, NULL, 0, &store, &err);
    if (st == RWL_OK && threads > 1)
        st = rwl_pool_new(&env, threads, &options.pool, &err);
    if (st == RWL_OK)
        st = read_input(&in, store, &op, argv[optind], columns, &err);
    double best_cpu = 1e30, best_wall = 1e30;
    for (int i = 0; st == RWL_OK && i < times; i++) {
        double cpu = cpu_seconds(), wall = wall_seconds();
        st = write_once(&in, store, &op, argv[optind + 1], &options, &size, &err);
        cpu = cpu_seconds() - cpu;
        wall = wall_seconds() - wall;
        best_cpu = cpu < best_cpu ? cpu : best_cpu;
        best_wall = wall < best_wall ? wall : best_wall;
    }
    if (st != RWL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return EXIT_FAILURE;
    }
    print_result(&in, best_cpu, best_wall, size);
    return EXIT_SUCCESS;
}
