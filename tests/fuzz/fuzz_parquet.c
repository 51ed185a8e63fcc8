/* SPDX-License-Identifier: Apache-2.0 */
/* Parquet: a whole file is opened and every column read; whatever comes back must hold together. */
#include "columns.h"
#include "fuzz.h"
#include "memory_store.h"
#include "parquet/reader.h"

enum { MEMORY_MAX = 64 << 20, ROWS_MAX = 1 << 16, COLUMNS_MAX = 64, PRINTED_MAX = 50 };

static rwl_env env;
static volatile uint64_t sink;

/* Nested values and variants are printed, which looks at every byte of them; what is wrong inside a variant is said. */
static void print_rows(const rwl_column *c) {
    rwl_buf text;
    rwl_buf_init(&text, &env, 1 << 20);
    for (int64_t i = 0; i < c->length && i < PRINTED_MAX; i++) {
        rwl_buf_reset(&text);
        sink += rwl_column_format_json(c, i, &text, NULL);
    }
    rwl_buf_clear(&text);
}

static void read_columns(rwl_store *store, rwl_op *op, rwl_parquet_file *file,
                         const rwl_parquet_read_options *o) {
    rwl_parquet_reader *r;
    rwl_batch batch;
    int32_t count;
    if (rwl_parquet_reader_new(store, op, file, o, &r, NULL) != RWL_OK)
        return;
    const rwl_field *fields = rwl_parquet_reader_fields(r, &count);
    if (rwl_batch_init(&batch, &env, fields, count, NULL) == RWL_OK) {
        int64_t pos, next = o->first_row;
        while (rwl_parquet_reader_next(r, &batch, &pos, NULL) == RWL_OK && batch.length > 0) {
            FUZZ_CHECK(pos == next);
            next += batch.length;
            for (int32_t i = 0; i < count; i++) {
                fuzz_check_column(&batch.columns[i], batch.length);
                print_rows(&batch.columns[i]);
            }
        }
    }
    rwl_batch_clear(&batch);
    rwl_parquet_reader_free(r);
}

static void look_at_bounds(const rwl_parquet_file *file, int32_t leaf) {
    for (int32_t g = 0; g < file->group_count && g < 16; g++) {
        rwl_value v;
        const rwl_parquet_stats *s = &file->groups[g].chunks[leaf].stats;
        sink += rwl_parquet_stats_value(&file->leaves[leaf], s->min, &v) +
                rwl_parquet_stats_value(&file->leaves[leaf], s->max, &v);
    }
}

/* Each column by itself, whole; those that are supported together, from a row in the middle; of nested ones every other
 * leaf. */
static void read_file(rwl_store *store, rwl_op *op, rwl_parquet_file *file) {
    rwl_parquet_read_options o = {
        .row_count = ROWS_MAX, .batch_rows = 1000, .batch_bytes = 1 << 20, .skip_page_crc = true};
    int32_t nodes[COLUMNS_MAX], count = 0;
    bool *wanted = rwl_calloc(&env, (size_t)file->leaf_count + 1, sizeof *wanted);
    for (int32_t i = 0; i < file->leaf_count && i < 4 * COLUMNS_MAX; i++) {
        look_at_bounds(file, i);
        wanted[i] = i % 2 == 0;
    }
    for (int32_t i = 0; i < file->node_count && count < COLUMNS_MAX; i++) {
        o.nodes = &i;
        o.node_count = 1;
        read_columns(store, op, file, &o);
        nodes[count] = i;
        count += file->nodes[i].leaf_count > 0;
    }
    o.nodes = nodes;
    o.node_count = count;
    o.first_row = file->row_count / 3;
    read_columns(store, op, file, &o);
    o.wanted = wanted;
    o.batch_bytes = 1000;
    for (int32_t i = 0; i < count; i++) {
        o.nodes = &nodes[i];
        o.node_count = 1;
        read_columns(store, op, file, &o);
    }
    rwl_free(&env, wanted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    rwl_op op;
    rwl_parquet_file *file;
    rwl_env_init_default(&env);
    fuzz_fix_random(&env);
    rwl_op_init(&op, &env, MEMORY_MAX);
    rwl_store *store = rwl_memory_store_new(&env, rwl_span_of(data, len));
    if (rwl_parquet_open(store, &op, "input", -1, &file, NULL) == RWL_OK) {
        read_file(store, &op, file);
        rwl_parquet_close(file);
    }
    FUZZ_CHECK(atomic_load(&op.memory_used) == 0);
    rwl_store_free(store);
    return 0;
}
