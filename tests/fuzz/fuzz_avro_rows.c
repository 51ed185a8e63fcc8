/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of Avro files: a whole file is opened and every column read, together, one by one, and every other leaf; rows are
 * passed over. Whatever comes back must hold together. Sync markers and CRCs are set right, so that what lies behind
 * them is reached.
 */
#include "avro/rows.h"
#include "avro_patch.h"
#include "fuzz.h"
#include "memory_store.h"

enum { ROWS_MAX = 1 << 13, COLUMNS_MAX = 32, PRINTED_MAX = 20 };

static rwl_env env;
static volatile uint64_t sink;

/* Offsets ascend and stay inside, nulls are as many as said, children are as long as their parent has it. */
static void check_column(const rwl_column *c, int64_t rows) {
    FUZZ_CHECK(c->length == rows && c->null_count >= 0 && c->null_count <= rows);
    bool is_list = c->type.kind == RWL_TYPE_LIST || c->type.kind == RWL_TYPE_MAP;
    bool is_bytes = rwl_type_is_bytes(&c->type);
    int64_t nulls = 0, elements = 0;
    for (int64_t i = 0; i < rows; i++) {
        nulls += rwl_column_is_null(c, i);
        if (!is_bytes && !is_list)
            continue;
        const int32_t *o = rwl_column_offsets(c);
        FUZZ_CHECK(o[i] == elements && o[i] <= o[i + 1] && (is_list || (size_t)o[i + 1] <= c->bytes_len));
        elements = o[i + 1];
    }
    FUZZ_CHECK(nulls == c->null_count && (!is_bytes || (size_t)elements == c->bytes_len));
    for (int32_t i = 0; i < c->type.child_count; i++)
        check_column(&c->children[i], is_list ? elements : rows);
}

static void print_rows(const rwl_column *c) {
    rwl_buf text;
    rwl_buf_init(&text, &env, 1 << 20);
    for (int64_t i = 0; i < c->length && i < PRINTED_MAX; i++) {
        rwl_buf_reset(&text);
        sink += rwl_column_format_json(c, i, &text, NULL);
    }
    rwl_buf_clear(&text);
}

/* Returns how many rows there are, -1 when they can't be read to the end. */
static int64_t read_columns(rwl_avro_rows *rows, rwl_op *op, const int32_t *columns, int32_t count,
                            const bool *wanted, int64_t first, int64_t max_rows) {
    rwl_avro_scan *scan;
    rwl_batch batch;
    int64_t pos, next = first, read = -1;
    if (rwl_avro_scan_new(rows, op, columns, count, wanted, &scan, NULL) != RWL_OK)
        return -1;
    const rwl_field *fields = rwl_avro_scan_fields(scan, &count);
    if (rwl_batch_init(&batch, &env, fields, count, NULL) == RWL_OK &&
        rwl_avro_scan_skip_to(scan, first, NULL) == RWL_OK) {
        while (rwl_avro_scan_next(scan, max_rows, &batch, &pos, NULL) == RWL_OK) {
            FUZZ_CHECK(pos == next || (first > 0 && batch.length == 0));
            if (batch.length == 0) {
                read = pos;
                break;
            }
            next += batch.length;
            for (int32_t i = 0; i < count; i++) {
                check_column(&batch.columns[i], batch.length);
                print_rows(&batch.columns[i]);
            }
            if (next > ROWS_MAX)
                break;
        }
    }
    rwl_batch_clear(&batch);
    rwl_avro_scan_free(scan);
    return read;
}

static int32_t leaf_count(const rwl_field *field) {
    int32_t leaves = field->type.child_count == 0;
    for (int32_t i = 0; i < field->type.child_count; i++)
        leaves += leaf_count(&field->type.children[i]);
    return leaves;
}

static void read_file(rwl_avro_rows *rows, rwl_op *op) {
    int32_t count, columns[COLUMNS_MAX], leaves = 0, readable = 0;
    const rwl_field *fields = rwl_avro_rows_fields(rows, &count);
    for (int32_t i = 0; i < count; i++)
        leaves += leaf_count(&fields[i]);
    bool *wanted = rwl_calloc(&env, (size_t)leaves + 1, sizeof *wanted);
    for (int32_t i = 0; i < leaves; i++)
        wanted[i] = i % 2 == 0;
    for (int32_t i = 0; i < count && readable < COLUMNS_MAX; i++) {
        int64_t n = read_columns(rows, op, &i, 1, NULL, 0, 1000);
        if (n > 0)
            (void)read_columns(rows, op, &i, 1, wanted, n / 2, 7);
        if (n >= 0)
            columns[readable++] = i;
    }
    int64_t all = read_columns(rows, op, columns, readable, NULL, 0, 100),
            none = read_columns(rows, op, NULL, 0, NULL, 0, 100);
    FUZZ_CHECK(all < 0 || none < 0 || all == none);
    rwl_free(&env, wanted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    rwl_op op;
    rwl_avro_rows *rows;
    rwl_env_init_default(&env);
    fuzz_fix_random(&env);
    rwl_op_init(&op, &env, 0);
    uint8_t *copy = malloc(len + 1);
    memcpy(copy, data, len);
    avro_patch(&env, copy, len);
    rwl_store *store = rwl_memory_store_new(&env, rwl_span_of(copy, len));
    if (rwl_avro_rows_open(store, &op, "input", -1, &rows, NULL) == RWL_OK) {
        read_file(rows, &op);
        rwl_avro_rows_close(rows);
    }
    FUZZ_CHECK(atomic_load(&op.memory_used) == 0);
    rwl_store_free(store);
    free(copy);
    return 0;
}
