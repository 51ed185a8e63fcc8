/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies Parquet files into one by decoding and encoding every value, Arrow batches between, all through the public API:
 * the writing side of the benchmarks.
 *
 *   bench_parquet_copy [-m] [-t threads] [-M bytes] [-p key=value]… [-n times] OUT FILE…
 *     -m  what is read is held in memory first, and only the writing counts
 *     -M  memory budget   -p  a write property: write.parquet.compression-codec=zstd
 *
 * One line of JSON: rows, bytes of OUT, CPU and wall time of the cheapest of `times`, peak memory.
 */
#include "usage.h"

#include <rowline/rowline.h>

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

enum { PROPERTIES_MAX = 32 };

typedef struct batches {
    struct ArrowArray *items;
    size_t count, capacity;
} batches;

typedef struct copy {
    rowline_context *context;
    rowline_property properties[PROPERTIES_MAX];
    rowline_parquet_write_options options;
    rowline_parquet_writer *writer; /* NULL: batches are kept */
    batches kept;
    rowline_parquet_result result;
} copy;

static bool fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    return false;
}

static bool keep(batches *b, struct ArrowArray *batch) {
    if (b->count == b->capacity) {
        b->capacity = b->capacity * 2 + 64;
        struct ArrowArray *grown = realloc(b->items, b->capacity * sizeof *grown);
        if (grown == NULL)
            return fail("batches", "no memory");
        b->items = grown;
    }
    b->items[b->count++] = *batch; /* moved */
    batch->release = NULL;
    return true;
}

static bool put(copy *c, struct ArrowArray *batch) {
    rowline_error err;
    if (c->writer == NULL)
        return keep(&c->kept, batch);
    bool done = rowline_parquet_writer_write(c->writer, batch, &err) == ROWLINE_OK;
    batch->release(batch);
    return done || fail("write", err.message);
}

static bool read_file(copy *c, const char *path) {
    rowline_error err;
    rowline_parquet *file;
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    if (rowline_parquet_open(c->context, path, &file, &err) != ROWLINE_OK ||
        rowline_parquet_read(file, NULL, &stream, &err) != ROWLINE_OK)
        return fail(path, err.message);
    bool done = true;
    while (done) {
        if (stream.get_next(&stream, &batch) != 0)
            done = fail(path, stream.get_last_error(&stream));
        else if (batch.release == NULL)
            break;
        else
            done = put(c, &batch);
    }
    stream.release(&stream);
    rowline_parquet_close(file);
    return done;
}

/* Opens the writer with the first file's columns. */
static bool open_writer(copy *c, const char *target, const char *path) {
    rowline_error err;
    rowline_parquet *file;
    struct ArrowSchema schema;
    unlink(target);
    if (rowline_parquet_open(c->context, path, &file, &err) != ROWLINE_OK ||
        rowline_parquet_schema(file, &schema, &err) != ROWLINE_OK)
        return fail(path, err.message);
    rowline_parquet_close(file);
    return rowline_parquet_writer_open(c->context, target, &schema, &c->options, &c->writer, &err) ==
               ROWLINE_OK ||
           fail(target, err.message);
}

static bool finish(copy *c) {
    rowline_error err;
    rowline_parquet_writer *w = c->writer;
    c->writer = NULL;
    return rowline_parquet_writer_finish(w, &c->result, &err) == ROWLINE_OK || fail("finish", err.message);
}

static bool copy_once(copy *c, const char *target, char **paths, int count) {
    if (!open_writer(c, target, paths[0]))
        return false;
    rowline_error err;
    for (size_t i = 0; i < c->kept.count; i++)
        if (rowline_parquet_writer_write(c->writer, &c->kept.items[i], &err) != ROWLINE_OK)
            return fail(target, err.message);
    for (int f = 0; c->kept.count == 0 && f < count; f++)
        if (!read_file(c, paths[f]))
            return false;
    return finish(c);
}

static bool run(copy *c, bool from_memory, int times, const char *target, char **paths, int count,
                usage *best) {
    for (int f = 0; from_memory && f < count; f++)
        if (!read_file(c, paths[f]))
            return false;
    for (int i = 0; i < times; i++) {
        usage start = usage_now();
        if (!copy_once(c, target, paths, count))
            return false;
        usage_least(best, usage_since(start));
    }
    for (size_t i = 0; i < c->kept.count; i++)
        c->kept.items[i].release(&c->kept.items[i]);
    free(c->kept.items);
    return true;
}

static bool add_property(copy *c, char *text) {
    char *equals = strchr(text, '=');
    if (equals == NULL || c->options.property_count == PROPERTIES_MAX)
        return fail(text, "not key=value");
    *equals = '\0';
    c->properties[c->options.property_count++] = (rowline_property){.key = text, .value = equals + 1};
    return true;
}

int main(int argc, char **argv) {
    copy c = {.options = {.struct_size = sizeof c.options}, .result = {.struct_size = sizeof c.result}};
    rowline_context_options how = {.struct_size = sizeof how, .threads = 1};
    bool from_memory = false;
    int times = 1, option;
    c.options.properties = c.properties;
    while ((option = getopt(argc, argv, "mt:M:p:n:")) != -1) {
        if (option == '?' || (option == 'p' && !add_property(&c, optarg)))
            return EXIT_FAILURE;
        from_memory |= option == 'm';
        how.threads = option == 't' ? atoi(optarg) : how.threads;
        how.memory_bytes = option == 'M' ? atoll(optarg) : how.memory_bytes;
        times = option == 'n' ? atoi(optarg) : times;
    }
    rowline_error err;
    usage best = {0};
    if (argc - optind < 2)
        return EXIT_FAILURE;
    if (rowline_context_new(&how, &c.context, &err) != ROWLINE_OK) {
        fail("context", err.message);
        return EXIT_FAILURE;
    }
    if (!run(&c, from_memory, times, argv[optind], argv + optind + 1, argc - optind - 1, &best))
        return EXIT_FAILURE;
    rowline_context_free(c.context);
    printf("{\"rows\":%lld,\"bytes\":%lld,\"row_groups\":%d,", (long long)c.result.rows,
           (long long)c.result.bytes, (int)c.result.row_groups);
    usage_print(best);
    printf("}\n");
    return EXIT_SUCCESS;
}
