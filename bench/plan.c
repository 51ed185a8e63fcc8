/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metadata of a large table, and what planning a scan of it costs.
 *
 *   bench_plan make DIR MANIFESTS FILES          a v3 table at DIR of MANIFESTS manifests of FILES files each
 *   bench_plan plan DIR THREADS [FILTER]         plans a scan of it; THREADS 1: without a pool
 *   bench_plan entries DIR                       reads all entries with all their metrics, one after another
 *
 * There are no data files. Columns are id, seven of other types, and d, a date by whose days the table is partitioned;
 * each manifest is of one day. Every file has counts and bounds of all nine columns.
 */
#include "iceberg/plan.h"
#include "base/pool.h"
#include "usage.h"

#include <inttypes.h>
#include <stdlib.h>

static rwl_env env;
static rwl_op op;
static rwl_store *store;
static rwl_arena arena;
static rwl_error err;

#define MUST(expr) must((expr), #expr)

static void must(rwl_status st, const char *what) {
    if (st == RWL_OK)
        return;
    fprintf(stderr, "bench_plan: %s: %s\n", what, err.message);
    exit(EXIT_FAILURE);
}

static const char COLUMNS[] =
    "id long, a int, b long, s string, t string, x double, ts timestamp, n int, d date";
enum { COLUMN_COUNT = 9, ROWS_A_FILE = 1000000 };
#define SNAPSHOT INT64_C(5720184332711900000)

/* --- making --- */

/* Bounds of column `id` in file `number` of day `day`, in their binary form. */
static rwl_span make_bound(int32_t id, int64_t number, int32_t day, bool upper, uint8_t out[32]) {
    uint64_t wide = (uint64_t)(number * ROWS_A_FILE + (upper ? ROWS_A_FILE - 1 : 0));
    double real = (double)number + upper;
    switch (id) {
    case 2:
    case 8:
        rwl_store_le32(out, (uint32_t)(number % 1000) + upper);
        return rwl_span_of(out, 4);
    case 4:
    case 5:
        snprintf((char *)out, 32, "customer-%07" PRId64, number % 1000000 + upper);
        return rwl_span_of(out, 16);
    case 6:
        memcpy(out, &real, 8);
        return rwl_span_of(out, 8);
    case 9:
        rwl_store_le32(out, (uint32_t)day);
        return rwl_span_of(out, 4);
    default:
        rwl_store_le64(out, wide);
        return rwl_span_of(out, 8);
    }
}

typedef struct metrics {
    rwl_metric_count sizes[COLUMN_COUNT], values[COLUMN_COUNT], nulls[COLUMN_COUNT];
    rwl_metric_bound lower[COLUMN_COUNT], upper[COLUMN_COUNT];
    uint8_t bytes[2][COLUMN_COUNT][32];
} metrics;

static void fill_metrics(metrics *m, int64_t number, int32_t day) {
    for (int32_t i = 0; i < COLUMN_COUNT; i++) {
        m->sizes[i] = (rwl_metric_count){i + 1, 4000000 + number * 7919 % 100000};
        m->values[i] = (rwl_metric_count){i + 1, ROWS_A_FILE};
        m->nulls[i] = (rwl_metric_count){i + 1, 0};
        m->lower[i] = (rwl_metric_bound){i + 1, make_bound(i + 1, number, day, false, m->bytes[0][i])};
        m->upper[i] = (rwl_metric_bound){i + 1, make_bound(i + 1, number, day, true, m->bytes[1][i])};
    }
}

static void add_file(rwl_manifest_writer *w, const char *dir, int64_t number, int32_t day, metrics *m) {
    char path[512];
    const int64_t splits[] = {4, 128 << 20};
    snprintf(path, sizeof path, "%s/data/d_day=%d/%05" PRId64 "-%016" PRIx64 "-0001.parquet", dir, day,
             number % 100000, (uint64_t)number * UINT64_C(0x9e3779b97f4a7c15));
    rwl_value partition = {.kind = RWL_TYPE_DATE, .as.i32 = day};
    fill_metrics(m, number, day);
    rwl_data_file f = {.file_path = path,
                       .file_format = "PARQUET",
                       .partition = &partition,
                       .partition_count = 1,
                       .record_count = ROWS_A_FILE,
                       .file_size = (200 << 20) + number * 7919 % (50 << 20),
                       .column_sizes = m->sizes,
                       .value_counts = m->values,
                       .null_counts = m->nulls,
                       .column_size_count = COLUMN_COUNT,
                       .value_count_count = COLUMN_COUNT,
                       .null_count_count = COLUMN_COUNT,
                       .lower_bounds = m->lower,
                       .upper_bounds = m->upper,
                       .lower_count = COLUMN_COUNT,
                       .upper_count = COLUMN_COUNT,
                       .split_offsets = splits,
                       .split_count = 2,
                       .content_offset = -1,
                       .content_size = -1};
    MUST(rwl_manifest_writer_add(w, &f, -1, &err));
}

static rwl_manifest make_manifest(const rwl_metadata *table, const char *dir, int32_t number, int64_t files) {
    metrics m;
    const rwl_manifest_writer_options options = {.format_version = 3,
                                                 .schema = table->schema,
                                                 .spec = table->spec,
                                                 .snapshot_id = SNAPSHOT,
                                                 .codec = RWL_CODEC_DEFLATE};
    const char *path = rwl_arena_printf(&arena, "%s/metadata/m%06d.avro", dir, number);
    rwl_manifest_writer *w;
    rwl_manifest out;
    MUST(rwl_manifest_writer_open(store, &op, path, &options, &w, &err));
    for (int64_t i = 0; i < files; i++)
        add_file(w, dir, number * files + i, number, &m);
    MUST(rwl_manifest_writer_finish(w, &arena, &out, &err));
    out.sequence_number = out.min_sequence_number = 1;
    out.has_first_row_id = true;
    out.first_row_id = number * files * ROWS_A_FILE;
    return out;
}

static void put_metadata(const rwl_metadata *m, const char *dir, int version) {
    rwl_buf text;
    rwl_buf_init(&text, &env, SIZE_MAX);
    MUST(rwl_metadata_dump(m, &text, &err));
    MUST(rwl_store_put(store, &op, rwl_arena_printf(&arena, "%s/metadata/v%d.metadata.json", dir, version),
                       rwl_buf_span(&text), &err));
    rwl_buf_clear(&text);
}

static void make_table(const char *dir, int32_t manifests, int64_t files) {
    rwl_schema schema;
    rwl_partition_spec spec;
    rwl_metadata *empty, *table;
    MUST(rwl_schema_from_text(COLUMNS, &arena, &schema, &err));
    MUST(rwl_partition_spec_from_text("day(d)", &schema, &arena, &spec, &err));
    const rwl_metadata_new options = {.location = dir, .format_version = 3, .schema = &schema, .spec = &spec};
    MUST(rwl_metadata_create(&env, &options, &empty, &err));
    rwl_manifest *lines = rwl_arena_array(&arena, (size_t)manifests, sizeof *lines);
    for (int32_t i = 0; i < manifests; i++)
        lines[i] = make_manifest(empty, dir, i, files);
    rwl_snapshot_new snapshot = {.snapshot_id = SNAPSHOT,
                                 .parent_id = -1,
                                 .sequence_number = 1,
                                 .timestamp_ms = env.now_ms(env.ctx),
                                 .manifest_list = rwl_arena_printf(&arena, "%s/metadata/snap.avro", dir),
                                 .added_rows = manifests * files * ROWS_A_FILE,
                                 .summary = rwl_json_new_object()};
    const rwl_manifest_list_options list = {3, SNAPSHOT, -1, 1, 0};
    MUST(rwl_manifest_list_write(store, &op, snapshot.manifest_list, lines, manifests, &list, &err));
    MUST(rwl_json_set(snapshot.summary, "operation", rwl_json_new_str("append"), &err));
    MUST(rwl_metadata_add_snapshot(empty, &snapshot, "main", &table, &err));
    put_metadata(table, dir, 1);
    MUST(rwl_store_put(store, &op, rwl_arena_printf(&arena, "%s/metadata/version-hint.text", dir),
                       rwl_span_str("1"), &err));
    rwl_metadata_free(empty);
    rwl_metadata_free(table);
}

/* --- measuring --- */

static rwl_metadata *load(const char *dir) {
    rwl_buf text;
    rwl_metadata *m;
    const char *path = rwl_arena_printf(&arena, "%s/metadata/v1.metadata.json", dir);
    rwl_buf_init(&text, &env, SIZE_MAX);
    MUST(rwl_store_read_all(store, &op, path, &text, &err));
    MUST(rwl_metadata_parse(&env, rwl_buf_span(&text), path, &m, &err));
    rwl_buf_clear(&text);
    return m;
}

static void plan_scan(const rwl_metadata *m, const char *filter) {
    rwl_plan_options options = {.snapshot = rwl_metadata_snapshot(m, m->current_snapshot_id)};
    rwl_plan *plan;
    const rwl_fragment *f;
    usage start = usage_now();
    if (filter != NULL)
        MUST(rwl_expr_parse(filter, &arena, &options.filter, &err));
    MUST(rwl_plan_open(store, &op, m, &options, &plan, &err));
    do
        MUST(rwl_plan_next(plan, &f, &err));
    while (f != NULL);
    rwl_plan_stats stats = rwl_plan_get_stats(plan);
    rwl_plan_close(plan);
    printf("{\"entries\":%" PRId64 ",\"files\":%" PRId64 ",\"manifests\":%" PRId64 ",",
           stats.files_read + stats.files_skipped, stats.files_read, stats.manifests_read);
    usage_print(usage_since(start));
    printf("}\n");
}

static void read_entries(const rwl_metadata *m) {
    rwl_manifest_list list;
    const rwl_manifest_entry *e;
    int64_t entries = 0, bounds = 0;
    usage start = usage_now();
    MUST(rwl_manifest_list_read(store, &op, rwl_metadata_snapshot(m, m->current_snapshot_id), &list, &err));
    for (int32_t i = 0; i < list.count; i++) {
        rwl_manifest_reader *r;
        MUST(rwl_manifest_reader_open(store, &op, m, &list.items[i], &r, &err));
        for (;;) {
            MUST(rwl_manifest_reader_next(r, &e, &err));
            if (e == NULL)
                break;
            entries++;
            bounds += e->file.lower_count + e->file.upper_count;
        }
        rwl_manifest_reader_close(r);
    }
    printf("{\"entries\":%" PRId64 ",\"bounds\":%" PRId64 ",\"manifests\":%d,", entries, bounds, list.count);
    usage_print(usage_since(start));
    printf("}\n");
    rwl_manifest_list_clear(&list);
}

static int complain(void) {
    fprintf(stderr, "usage: bench_plan make DIR MANIFESTS FILES | plan DIR THREADS [FILTER] | entries DIR\n");
    return EXIT_FAILURE;
}

int main(int argc, char **argv) {
    if (argc < 3)
        return complain();
    rwl_pool *pool = NULL;
    int threads = argc > 3 && strcmp(argv[1], "plan") == 0 ? atoi(argv[3]) : 1;
    rwl_env_init_default(&env);
    rwl_arena_init(&arena, &env, 0);
    if (threads > 1)
        MUST(rwl_pool_new(&env, threads, &pool, &err));
    env.pool = pool;
    rwl_op_init(&op, &env, 0);
    MUST(rwl_store_local_new(&env, NULL, 0, &store, &err));
    int result = EXIT_SUCCESS;
    if (strcmp(argv[1], "make") == 0 && argc == 5) {
        make_table(argv[2], atoi(argv[3]), atoll(argv[4]));
    } else if (strcmp(argv[1], "plan") == 0 && (argc == 4 || argc == 5)) {
        rwl_metadata *m = load(argv[2]);
        plan_scan(m, argc == 5 ? argv[4] : NULL);
        rwl_metadata_free(m);
    } else if (strcmp(argv[1], "entries") == 0 && argc == 3) {
        rwl_metadata *m = load(argv[2]);
        read_entries(m);
        rwl_metadata_free(m);
    } else {
        result = complain();
    }
    rwl_store_free(store);
    rwl_arena_clear(&arena);
    rwl_pool_free(pool);
    return result;
}
