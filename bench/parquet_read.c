/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scans columns of Parquet files into batches and says what that cost: the reading side of the benchmarks.
 *
 *   bench_parquet_read [-a] [-d] [-c name,name,…] [-n times] [-b rows] [-t threads] [-m MB] FILE…
 *     -d  drop the batches as they are (else every value is added up)   -b  rows of a batch
 *     -a  give each batch away as Arrow C data and release it           -m  limit of memory
 *
 * One line of JSON: values read, CPU time of the process in all and in nanoseconds a value, wall time, peak memory,
 * the sum.
 */
#include "base/arena.h"
#include "base/pool.h"
#include "column/arrow.h"
#include "parquet/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { COLUMNS_MAX = 16384 };
#define MEMORY_MAX (INT64_C(4) << 30)
#define MEGABYTE   INT64_C(1000000)

typedef struct scan {
    bool drop, give;
    int64_t batch_rows;
    rwl_pool *pool;
    int32_t nodes[COLUMNS_MAX], node_count;
    int64_t values;
    uint64_t sum;
} scan;

static double cpu_seconds(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static long peak_kib(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
}

/* Every word of the values and of the offsets once: as much as a sum of the numbers is. */
static uint64_t sum_words(const uint8_t *p, size_t len) {
    uint64_t sum = 0, word;
    for (; len >= sizeof word; len -= sizeof word, p += sizeof word) {
        memcpy(&word, p, sizeof word);
        sum += word;
    }
    return sum;
}

static uint64_t sum_column(const rwl_column *c) {
    size_t rows = (size_t)c->length;
    uint64_t sum = 0;
    if (c->type.kind == RWL_TYPE_BOOLEAN)
        return sum_words(c->values.data, rows / 8);
    if (rwl_type_is_bytes(&c->type))
        return sum_words(c->values.data, c->bytes_len) + sum_words(c->offsets.data, rows * 4);
    for (int32_t i = 0; c->children && i < c->type.child_count; i++)
        sum += sum_column(&c->children[i]);
    return c->children ? sum : sum_words(c->values.data, rows * (size_t)rwl_type_width(&c->type));
}

/* What a consumer in Arrow does at the least. */
static rwl_status give_batch(rwl_batch *batch, rwl_arrow_depot *depot, rwl_error *err) {
    struct ArrowArray array;
    RWL_TRY(rwl_arrow_lend_batch(batch, depot, &array, err));
    array.release(&array);
    rwl_arrow_depot_fill(depot, batch);
    return RWL_OK;
}

static rwl_status scan_batches(scan *s, rwl_parquet_reader *r, const rwl_env *env, rwl_error *err) {
    int32_t count;
    const rwl_field *fields = rwl_parquet_reader_fields(r, &count);
    rwl_batch batch;
    rwl_arrow_depot *depot;
    int64_t first;
    RWL_TRY(rwl_arrow_depot_new(env, count, &depot, err));
    rwl_status st = rwl_batch_init(&batch, env, fields, count, err);
    if (st != RWL_OK) {
        rwl_arrow_depot_unref(depot);
        return st;
    }
    while ((st = rwl_parquet_reader_next(r, &batch, &first, err)) == RWL_OK && batch.length > 0) {
        s->values += batch.length * count;
        for (int32_t i = 0; i < count && !s->drop; i++)
            s->sum += sum_column(&batch.columns[i]);
        if (s->give && (st = give_batch(&batch, depot, err)) != RWL_OK)
            break;
    }
    rwl_batch_clear(&batch);
    rwl_arrow_depot_unref(depot);
    return st;
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

static rwl_status scan_file(scan *s, rwl_store *store, rwl_op *op, const char *path, const char *columns,
                            rwl_error *err) {
    rwl_parquet_file *file;
    rwl_parquet_reader *r = NULL;
    RWL_TRY(rwl_parquet_open(store, op, path, -1, &file, err));
    s->node_count = 0;
    for (int32_t i = 0; i < file->node_count && s->node_count < COLUMNS_MAX; i++) {
        if (is_listed(columns, file->nodes[i].field.name))
            s->nodes[s->node_count++] = i;
    }
    rwl_parquet_read_options o = {.nodes = s->nodes,
                                  .node_count = s->node_count,
                                  .row_count = -1,
                                  .batch_rows = s->batch_rows,
                                  .skip_page_crc = true,
                                  .pool = s->pool};
    rwl_status st = rwl_parquet_reader_new(store, op, file, &o, &r, err);
    if (st == RWL_OK)
        st = scan_batches(s, r, op->env, err);
    rwl_parquet_reader_free(r);
    rwl_parquet_close(file);
    return st;
}

/* Every file, `times` times over. */
static rwl_status scan_files(scan *s, const rwl_env *env, int64_t memory, char **paths, const char *columns,
                             int times, rwl_error *err) {
    rwl_op op;
    rwl_store *store;
    rwl_status st = rwl_store_local_new(env, NULL, 0, &store, err);
    if (st != RWL_OK)
        return st;
    rwl_op_init(&op, env, memory);
    for (; times > 0; times--)
        for (char **path = paths; st == RWL_OK && *path; path++)
            st = scan_file(s, store, &op, *path, columns, err);
    rwl_store_free(store);
    return st;
}

int main(int argc, char **argv) {
    scan s = {.batch_rows = RWL_BATCH_ROWS};
    const char *columns = NULL;
    int64_t memory = MEMORY_MAX;
    int times = 1, threads = 1, option;
    while ((option = getopt(argc, argv, "adc:n:b:t:m:")) != -1) {
        if (option == 'd')
            s.drop = true;
        else if (option == 'a')
            s.give = true;
        else if (option == 'c')
            columns = optarg;
        else if (option == 'n')
            times = atoi(optarg);
        else if (option == 'b')
            s.batch_rows = atoll(optarg);
        else if (option == 't')
            threads = atoi(optarg);
        else if (option == 'm')
            memory = atoll(optarg) * MEGABYTE;
        else
            return EXIT_FAILURE;
    }
    rwl_env env;
    rwl_error err = {0};
    rwl_env_init_default(&env);
    if (rwl_pool_new(&env, threads, &s.pool, &err) != RWL_OK)
        return EXIT_FAILURE;
    double start = cpu_seconds();
    int64_t start_ns = env.monotonic_ns(env.ctx);
    rwl_status st = scan_files(&s, &env, memory, argv + optind, columns, times, &err);
    double seconds = cpu_seconds() - start, wall = (double)(env.monotonic_ns(env.ctx) - start_ns) / 1e9;
    rwl_pool_free(s.pool);
    if (st != RWL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return EXIT_FAILURE;
    }
    printf("{\"values\":%lld,\"cpu_s\":%.4f,\"ns_per_value\":%.3f,\"wall_s\":%.4f,\"peak_kib\":%ld,\"sum\":%"
           "llu}\n",
           (long long)s.values, seconds, s.values ? seconds * 1e9 / (double)s.values : 0, wall, peak_kib(),
           (unsigned long long)s.sum);
    return EXIT_SUCCESS;
}
