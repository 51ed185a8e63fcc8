/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stitching a hostile Parquet file: rows that can be read, stitched, read the same afterwards.
 *
 *   input := options(u8) steps(u8) file
 */
#include "fuzz.h"
#include "memory_store.h"
#include "parquet/reader.h"
#include "parquet/stitch.h"

#include <unistd.h>

enum { MEMORY_MAX = 64 << 20, ROWS_MAX = 4096, COLUMNS_MAX = 8, RANGES_MAX = 8, TEXT_MAX = 4 << 20 };

static rwl_env env;
static rwl_store *local;
static char path[64];

/* The rows in the ranges as text, a column after the other; false when they can't be read. */
static bool print_column(rwl_store *store, rwl_op *op, rwl_parquet_file *file, int32_t node,
                         const rwl_range *ranges, size_t count, rwl_buf *text) {
    rwl_parquet_read_options o = {.nodes = &node,
                                  .node_count = 1,
                                  .row_count = -1,
                                  .ranges = ranges,
                                  .range_count = count,
                                  .batch_rows = 100,
                                  .batch_bytes = 1 << 20};
    rwl_parquet_reader *r;
    rwl_batch batch;
    int32_t field_count;
    int64_t pos;
    if (rwl_parquet_reader_new(store, op, file, &o, &r, NULL) != RWL_OK)
        return false;
    const rwl_field *fields = rwl_parquet_reader_fields(r, &field_count);
    bool is_good = field_count == 1 && rwl_batch_init(&batch, &env, fields, 1, NULL) == RWL_OK;
    while (is_good) {
        is_good = rwl_parquet_reader_next(r, &batch, &pos, NULL) == RWL_OK;
        if (!is_good || batch.length == 0)
            break;
        for (int64_t i = 0; is_good && i < batch.length; i++)
            is_good = rwl_column_format_json(&batch.columns[0], i, text, NULL) == RWL_OK &&
                      rwl_buf_u8(text, '\n', NULL) == RWL_OK;
    }
    if (field_count == 1)
        rwl_batch_clear(&batch);
    rwl_parquet_reader_free(r);
    return is_good;
}

/* Ascending, disjoint ranges of the file's rows. */
static size_t make_ranges(uint32_t steps, int64_t rows, rwl_range *ranges) {
    size_t count = 0;
    for (int64_t at = 0; at < rows && count < RANGES_MAX;) {
        steps = steps * 1664525u + 1013904223u;
        at += steps >> 30 == 0 ? 0 : (int64_t)(steps >> 24) % 13;
        int64_t n = 1 + (int64_t)(steps >> 16 & 0xff) % (steps >> 15 & 1 ? 200 : 7);
        if (at >= rows)
            break;
        n = n < rows - at ? n : rows - at;
        ranges[count++] = (rwl_range){at, n};
        at += n + 1;
    }
    return count;
}

static rwl_parquet_write_options make_options(uint8_t bits) {
    static const rwl_codec_id codecs[] = {RWL_CODEC_NONE, RWL_CODEC_SNAPPY, RWL_CODEC_ZSTD, RWL_CODEC_NONE};
    return (rwl_parquet_write_options){.codec = codecs[bits & 3],
                                       .page_rows = bits & 4 ? 5 : 0,
                                       .row_group_rows = bits & 8 ? 20 : 0,
                                       .dictionary_bytes = bits & 16 ? -1 : 0,
                                       .page_v2 = (bits & 32) != 0,
                                       .prefer =
                                           bits & 64 ? RWL_PARQUET_PREFER_DELTA : RWL_PARQUET_PREFER_PLAIN};
}

/* Whether the file was written; all or nothing. */
static bool stitch(rwl_op *op, rwl_parquet_file *file, const rwl_field *fields, int32_t count,
                   const rwl_parquet_stitch_options *options, const rwl_range *ranges, size_t range_count) {
    rwl_parquet_stitch_part part = {.file = file, .ranges = ranges, .range_count = range_count};
    rwl_parquet_stitch *s;
    rwl_parquet_written written;
    if (rwl_parquet_stitch_open(local, op, path, fields, count, options, &s, NULL) != RWL_OK)
        return false;
    /* once more from the front: the second part joins the first one's dictionary */
    if (rwl_parquet_stitch_add(s, &part, NULL) != RWL_OK ||
        rwl_parquet_stitch_add(s, &part, NULL) != RWL_OK) {
        rwl_parquet_stitch_abort(s);
        return false;
    }
    if (rwl_parquet_stitch_finish(s, &written, NULL, NULL) != RWL_OK)
        return false;
    rwl_parquet_written_clear(&written);
    return true;
}

static void check(rwl_op *op, const rwl_buf *want, int32_t count) {
    rwl_parquet_file *file;
    rwl_buf got;
    rwl_buf_init(&got, &env, 2 * TEXT_MAX);
    FUZZ_CHECK(rwl_parquet_open(local, op, path, -1, &file, NULL) == RWL_OK);
    FUZZ_CHECK(file->node_count == count);
    for (int32_t i = 0; i < count; i++)
        FUZZ_CHECK(print_column(local, op, file, i, NULL, 0, &got));
    FUZZ_CHECK(got.len == want->len && (got.len == 0 || memcmp(got.data, want->data, got.len) == 0));
    rwl_buf_clear(&got);
    rwl_parquet_close(file);
}

/* Unsigned 64-bit integers are stitched into decimals, which print with quotes; columns of type unknown are not stored. */
static bool prints_otherwise(const rwl_type *type) {
    for (int32_t i = 0; i < type->child_count; i++)
        if (prints_otherwise(&type->children[i].type))
            return true;
    return rwl_type_has(type, RWL_TYPE_UINT64) || type->kind == RWL_TYPE_UNKNOWN;
}

static void run(rwl_store *store, rwl_op *op, rwl_parquet_file *file, uint8_t bits, uint8_t steps) {
    rwl_range ranges[RANGES_MAX];
    rwl_field fields[COLUMNS_MAX];
    int32_t count = 0;
    size_t range_count = make_ranges(steps, file->row_count, ranges);
    rwl_arena arena;
    rwl_buf want;
    const char *why;
    rwl_arena_init(&arena, &env, 0);
    rwl_buf_init(&want, &env, TEXT_MAX);
    rwl_parquet_stitch_options options = {.write = make_options(bits)};
    for (int32_t i = 0; i < file->node_count && count < COLUMNS_MAX; i++) {
        size_t before = want.len, once;
        if (prints_otherwise(&file->nodes[i].field.type))
            continue;
        if (!print_column(store, op, file, i, ranges, range_count, &want)) {
            want.len = before;
            continue;
        }
        once = want.len - before;
        if (rwl_buf_reserve(&want, once, NULL) != RWL_OK) { /* the rows come twice */
            want.len = before;
            continue;
        }
        if (once > 0)
            memcpy(want.data + want.len, want.data + before, once);
        want.len += once;
        fields[count++] = file->nodes[i].field;
    }
    if (count > 0 && range_count > 0 &&
        rwl_parquet_stitch_fits(file, fields, count, &options, &arena, &why) &&
        stitch(op, file, fields, count, &options, ranges, range_count))
        check(op, &want, count);
    unlink(path);
    rwl_buf_clear(&want);
    rwl_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    rwl_op op;
    rwl_parquet_file *file;
    if (len < 2)
        return 0;
    if (local == NULL) {
        rwl_env_init_default(&env);
        FUZZ_CHECK(rwl_store_local_new(&env, NULL, 0, &local, NULL) == RWL_OK);
        snprintf(path, sizeof path, "%s/rowline-fuzz-%010ld.parquet",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
    }
    fuzz_fix_random(&env);
    rwl_op_init(&op, &env, MEMORY_MAX);
    rwl_store *store = rwl_memory_store_new(&env, rwl_span_of(data + 2, len - 2));
    if (rwl_parquet_open(store, &op, "input", -1, &file, NULL) == RWL_OK) {
        if (file->row_count <= ROWS_MAX)
            run(store, &op, file, data[0], data[1]);
        rwl_parquet_close(file);
    }
    FUZZ_CHECK(atomic_load(&op.memory_used) == 0);
    rwl_store_free(store);
    return 0;
}
