/* SPDX-License-Identifier: Apache-2.0 */
/* Parquet: a whole file is opened and every column read; whatever comes back must hold together. */
#include "fuzz.h"
#include "memory_store.h"
#include "parquet/reader.h"

enum { MEMORY_MAX = 64 << 20, ROWS_MAX = 1 << 20, COLUMNS_MAX = 64 };

static rwl_env env;
static volatile uint64_t sink;

/* Offsets ascend and stay inside, nulls are as many as said, every byte can be read. */
static void check_column(const rwl_column *c, int64_t rows) {
    FUZZ_CHECK(c->length == rows && c->null_count >= 0 && c->null_count <= rows);
    int64_t nulls = 0;
    for (int64_t i = 0; i < rows; i++) {
        nulls += rwl_column_is_null(c, i);
        if (!rwl_type_is_bytes(&c->type))
            continue;
        const int32_t *o = rwl_column_offsets(c);
        FUZZ_CHECK(o[i] >= 0 && o[i] <= o[i + 1] && (size_t)o[i + 1] <= c->bytes_len);
        for (int32_t k = o[i]; k < o[i + 1]; k += 61)
            sink += c->values.data[k];
    }
    FUZZ_CHECK(nulls == c->null_count);
}

static void read_columns(rwl_store *store, rwl_op *op, rwl_parquet_file *file, const int32_t *leaves,
                         int32_t count, int64_t first_row) {
    rwl_parquet_read_options o = {.nodes = leaves,
                                  .node_count = count,
                                  .first_row = first_row,
                                  .row_count = ROWS_MAX,
                                  .batch_rows = 1000,
                                  .batch_bytes = 1 << 20,
                                  .skip_page_crc = true};
    rwl_field fields[COLUMNS_MAX];
    rwl_parquet_reader *r;
    rwl_batch batch;
    for (int32_t i = 0; i < count; i++)
        fields[i] = file->leaves[leaves[i]].field;
    if (rwl_batch_init(&batch, &env, fields, count, NULL) != RWL_OK)
        return;
    if (rwl_parquet_reader_new(store, op, file, &o, &r, NULL) == RWL_OK) {
        int64_t pos, next = first_row;
        while (rwl_parquet_reader_next(r, &batch, &pos, NULL) == RWL_OK && batch.length > 0) {
            FUZZ_CHECK(pos == next);
            next += batch.length;
            for (int32_t i = 0; i < count; i++)
                check_column(&batch.columns[i], batch.length);
        }
    }
    rwl_parquet_reader_free(r);
    rwl_batch_clear(&batch);
}

static void read_file(rwl_store *store, rwl_op *op, rwl_parquet_file *file) {
    int32_t leaves[COLUMNS_MAX], count = 0;
    for (int32_t i = 0; i < file->leaf_count && count < COLUMNS_MAX; i++) {
        const rwl_parquet_leaf *leaf = &file->leaves[i];
        for (int32_t g = 0; g < file->group_count && g < 16; g++) {
            rwl_value v;
            const rwl_parquet_stats *s = &file->groups[g].chunks[i].stats;
            sink += rwl_parquet_stats_value(leaf, s->min, &v) + rwl_parquet_stats_value(leaf, s->max, &v);
        }
        if (leaf->is_nested || leaf->unsupported)
            continue;
        leaves[count++] = i;
        read_columns(store, op, file, &i, 1, 0);
    }
    read_columns(store, op, file, leaves, count, file->row_count / 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    rwl_op op;
    rwl_parquet_file *file;
    rwl_env_init_default(&env);
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
