/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scans Parquet files, or tables, to Arrow batches through the public API: the reading side of the benchmarks.
 *
 *   bench_parquet_scan [-t threads] [-m bytes] [-s] [-o] [-T] [-l] [-k] [-d] [-c name,name,…] [-w filter] [-n times] [-b rows]
 *                      FILE…
 *     -s  every word of the buffers is added up, else batches are dropped   -o  the files are opened, nothing more
 *     -T  each FILE is a table; its opening and planning count   -l  of tables: the lineage columns too
 *     -k, -d  of tables: they are counted, or digested, not scanned
 *     -w  of tables: only rows for which the filter holds   -m  memory budget
 *
 * One line of JSON: rows, CPU and wall time of the cheapest of `times`, peak memory, the sum.
 */
#include "usage.h"

#include <rowline/rowline.h>

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

enum { COLUMNS_MAX = 64 };

typedef struct scan {
    rowline_context *context;
    bool sum, open_only, tables, count, digest;
    rowline_parquet_read_options options;
    rowline_scan_options table_options;
    const char *columns[COLUMNS_MAX];
    int64_t rows;
    uint64_t total;
} scan;

static uint64_t sum_words(const uint8_t *p, size_t len) {
    uint64_t sum = 0, word;
    for (; len >= sizeof word; len -= sizeof word, p += sizeof word) {
        memcpy(&word, p, sizeof word);
        sum += word;
    }
    return sum;
}

/* Bytes of one value by the type's letter; 0 where they are not fixed. */
static size_t width_of(const char *format) {
    switch (*format) {
    case 'c':
    case 'C':
        return 1;
    case 's':
    case 'S':
    case 'e':
        return 2;
    case 'i':
    case 'I':
    case 'f':
        return 4;
    case 'd':
        return 16;
    case 't':
        return format[1] == 'd' || (format[1] == 't' && (format[2] == 's' || format[2] == 'm')) ? 4 : 8;
    case 'w':
        return (size_t)atoll(format + 2);
    default:
        return *format == 'l' || *format == 'L' || *format == 'g' ? 8 : 0;
    }
}

/* The words of a flat column's values and offsets, validity left out. */
static uint64_t sum_column(const struct ArrowSchema *schema, const struct ArrowArray *a) {
    const char *format = schema->format;
    size_t first = (size_t)a->offset, rows = (size_t)a->length;
    if (rows == 0 || a->n_buffers < 2)
        return 0;
    if (*format == 'b')
        return sum_words((const uint8_t *)a->buffers[1] + first / 8, rows / 8);
    if (*format == 'u' || *format == 'z') {
        const int32_t *offsets = (const int32_t *)a->buffers[1] + first;
        size_t len = (size_t)(offsets[rows] - offsets[0]);
        return sum_words((const uint8_t *)offsets, rows * sizeof *offsets) +
               sum_words((const uint8_t *)a->buffers[2] + offsets[0], len);
    }
    size_t width = width_of(format);
    return sum_words((const uint8_t *)a->buffers[1] + first * width, rows * width);
}

static bool fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    return false;
}

static bool drain(scan *s, struct ArrowArrayStream *stream, const char *path) {
    struct ArrowSchema schema;
    struct ArrowArray batch;
    if (stream->get_schema(stream, &schema) != 0)
        return fail(path, stream->get_last_error(stream));
    for (;;) {
        if (stream->get_next(stream, &batch) != 0)
            return fail(path, stream->get_last_error(stream));
        if (batch.release == NULL)
            break;
        s->rows += batch.length;
        for (int64_t i = 0; s->sum && i < batch.n_children; i++)
            s->total += sum_column(schema.children[i], batch.children[i]);
        batch.release(&batch);
    }
    schema.release(&schema);
    return true;
}

static bool scan_file(scan *s, const char *path) {
    rowline_error err;
    rowline_parquet *file;
    struct ArrowArrayStream stream;
    if (rowline_parquet_open(s->context, path, &file, &err) != ROWLINE_OK)
        return fail(path, err.message);
    bool done = true;
    if (!s->open_only) {
        if (rowline_parquet_read(file, &s->options, &stream, &err) != ROWLINE_OK)
            return fail(path, err.message);
        done = drain(s, &stream, path);
        stream.release(&stream);
    }
    rowline_parquet_close(file);
    return done;
}

static bool scan_open_table(scan *s, rowline_table *table, const char *path) {
    rowline_error err;
    struct ArrowArrayStream stream;
    if (rowline_scan(table, &s->table_options, &stream, &err) != ROWLINE_OK)
        return fail(path, err.message);
    bool done = drain(s, &stream, path);
    stream.release(&stream);
    return done;
}

/* Counts or digests. */
static bool sum_open_table(scan *s, rowline_table *table, const char *path) {
    rowline_error err;
    rowline_digest digest = {.struct_size = sizeof digest};
    int64_t rows = 0;
    const char *where = s->table_options.where;
    if ((s->count ? rowline_count(table, where, &rows, &err)
                  : rowline_table_digest(table, where, &digest, &err)) != ROWLINE_OK)
        return fail(path, err.message);
    s->rows += rows + digest.rows;
    return true;
}

static bool scan_table(scan *s, const char *path) {
    rowline_error err;
    rowline_table *table;
    if (rowline_table_open(s->context, path, NULL, &table, &err) != ROWLINE_OK)
        return fail(path, err.message);
    bool done = (s->count || s->digest ? sum_open_table : scan_open_table)(s, table, path);
    rowline_table_free(table);
    return done;
}

static bool scan_all(scan *s, char **paths, int count, int times, usage *best) {
    for (int i = 0; i < times; i++) {
        usage start = usage_now();
        s->rows = 0;
        s->total = 0;
        for (int f = 0; f < count; f++)
            if (!(s->tables ? scan_table : scan_file)(s, paths[f]))
                return false;
        usage_least(best, usage_since(start));
    }
    return true;
}

static void name_columns(scan *s, char *names) {
    for (char *name = strtok(names, ","); name != NULL && s->options.column_count < COLUMNS_MAX;
         name = strtok(NULL, ","))
        s->columns[s->options.column_count++] = name;
    s->options.columns = s->columns;
}

int main(int argc, char **argv) {
    scan s = {.options = {.struct_size = sizeof s.options},
              .table_options = {.struct_size = sizeof s.table_options, .limit = -1}};
    rowline_context_options how = {.struct_size = sizeof how, .threads = 1};
    int times = 1, option;
    while ((option = getopt(argc, argv, "t:m:soTlkdc:w:n:b:")) != -1) {
        if (option == '?')
            return EXIT_FAILURE;
        how.threads = option == 't' ? atoi(optarg) : how.threads;
        how.memory_bytes = option == 'm' ? atoll(optarg) : how.memory_bytes;
        s.table_options.where = option == 'w' ? optarg : s.table_options.where;
        times = option == 'n' ? atoi(optarg) : times;
        s.options.batch_rows = option == 'b' ? atoll(optarg) : s.options.batch_rows;
        s.sum |= option == 's';
        s.open_only |= option == 'o';
        s.tables |= option == 'T';
        s.count |= option == 'k';
        s.digest |= option == 'd';
        s.table_options.lineage |= option == 'l';
        if (option == 'c')
            s.table_options.select = strdup(optarg);
        if (option == 'c')
            name_columns(&s, optarg);
    }
    rowline_error err;
    usage best = {0};
    if (rowline_context_new(&how, &s.context, &err) != ROWLINE_OK) {
        fail("context", err.message);
        return EXIT_FAILURE;
    }
    bool done = scan_all(&s, argv + optind, argc - optind, times, &best);
    rowline_context_free(s.context);
    if (!done)
        return EXIT_FAILURE;
    printf("{\"rows\":%lld,\"sum\":%llu,", (long long)s.rows, (unsigned long long)s.total);
    usage_print(best);
    printf("}\n");
    return EXIT_SUCCESS;
}
