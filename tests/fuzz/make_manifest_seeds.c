/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the seeds of fuzz_manifest with the library's own writers.
 *
 *   make_manifest_seeds DIRECTORY      makes DIRECTORY/manifest/…; files that exist are kept
 */
#include "iceberg/manifest.h"

#include <stdio.h>
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
    fprintf(stderr, "%s: %s\n", what, err.message);
    exit(EXIT_FAILURE);
}

/* So that the same seeds come out again. */
static bool no_random(void *ctx, void *out, size_t len) {
    (void)ctx;
    memset(out, 0x5A, len);
    return true;
}

static void add_file(rwl_manifest_writer *w, int32_t content, int64_t n, bool partitioned) {
    static const rwl_metric_count counts[] = {{1, 100}, {2, 100}, {3, 100}};
    static const int64_t splits[] = {4, 70000};
    static const int32_t equality[] = {1, 2};
    uint8_t number[8];
    rwl_store_le64(number, (uint64_t)(n * 100));
    const rwl_metric_bound bounds[] = {
        {1, rwl_span_of(number, 8)}, {2, rwl_span_str("abc")}, {3, rwl_span_of(number, 8)}};
    const rwl_value partition[] = {
        {.kind = RWL_TYPE_INT, .as.i32 = (int32_t)n % 4},
        {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_str("abc"), .is_null = n == 2},
        {.kind = RWL_TYPE_DATE, .as.i32 = 19723}};
    rwl_data_file f = {.content = content,
                       .file_path = rwl_arena_printf(&arena, "s3://b/t/data/%05d.parquet", (int)n),
                       .file_format = "PARQUET",
                       .partition = partition,
                       .partition_count = partitioned ? 3 : 0,
                       .record_count = 100,
                       .file_size = 70000 + n,
                       .value_counts = counts,
                       .null_counts = counts,
                       .value_count_count = 3,
                       .null_count_count = 3,
                       .lower_bounds = bounds,
                       .upper_bounds = bounds,
                       .lower_count = 3,
                       .upper_count = 3,
                       .split_offsets = splits,
                       .split_count = 2,
                       .content_offset = -1,
                       .content_size = -1};
    if (content == RWL_CONTENT_EQUALITY_DELETES) {
        f.equality_ids = equality;
        f.equality_count = 2;
    }
    f.spec_id = partitioned;
    MUST(rwl_manifest_writer_add(w, &f, n % 2 == 0 ? -1 : 3, &err));
}

static rwl_manifest make_manifest(const char *path, const rwl_schema *schema, const rwl_partition_spec *spec,
                                  int32_t content, rwl_codec_id codec) {
    const rwl_manifest_writer_options options = {.format_version = 3,
                                                 .content = content != RWL_CONTENT_DATA,
                                                 .schema = schema,
                                                 .spec = spec,
                                                 .snapshot_id = 1,
                                                 .codec = codec};
    rwl_manifest_writer *w;
    rwl_manifest m;
    MUST(rwl_manifest_writer_open(store, &op, path, &options, &w, &err));
    for (int64_t n = 0; n < 4; n++)
        add_file(w, content, n, spec->field_count > 0);
    rwl_status st = rwl_manifest_writer_finish(w, &arena, &m, &err);
    if (st != RWL_EXISTS)
        must(st, path);
    return m;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: make_manifest_seeds DIRECTORY\n");
        return EXIT_FAILURE;
    }
    rwl_schema schema;
    rwl_partition_spec partitioned, none = {0};
    rwl_env_init_default(&env);
    env.random = no_random;
    rwl_op_init(&op, &env, 0);
    rwl_arena_init(&arena, &env, 0);
    MUST(rwl_store_local_new(&env, NULL, 0, &store, &err));
    MUST(rwl_schema_from_text("id long, s string, ts timestamp", &arena, &schema, &err));
    MUST(rwl_partition_spec_from_text("bucket(4, id), truncate(3, s), day(ts)", &schema, &arena, &partitioned,
                                      &err));
    partitioned.spec_id = 1;
    const char *dir = rwl_arena_printf(&arena, "%s/manifest", argv[1]);
    rwl_manifest lines[] = {
        make_manifest(rwl_arena_printf(&arena, "%s/data-null", dir), &schema, &none, RWL_CONTENT_DATA,
                      RWL_CODEC_NONE),
        make_manifest(rwl_arena_printf(&arena, "%s/partitioned-null", dir), &schema, &partitioned,
                      RWL_CONTENT_DATA, RWL_CODEC_NONE),
        make_manifest(rwl_arena_printf(&arena, "%s/partitioned-deflate", dir), &schema, &partitioned,
                      RWL_CONTENT_DATA, RWL_CODEC_DEFLATE),
        make_manifest(rwl_arena_printf(&arena, "%s/equality-null", dir), &schema, &none,
                      RWL_CONTENT_EQUALITY_DELETES, RWL_CODEC_NONE),
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        lines[i].has_first_row_id = lines[i].content == 0;
        lines[i].path = rwl_arena_printf(&arena, "s3://b/t/metadata/m%zu.avro", i);
    }
    const rwl_manifest_list_options list = {3, 1, -1, 5, 0};
    rwl_status st = rwl_manifest_list_write(store, &op, rwl_arena_printf(&arena, "%s/list", dir), lines,
                                            sizeof lines / sizeof *lines, &list, &err);
    if (st != RWL_EXISTS)
        must(st, "list");
    rwl_store_free(store);
    rwl_arena_clear(&arena);
    return EXIT_SUCCESS;
}
