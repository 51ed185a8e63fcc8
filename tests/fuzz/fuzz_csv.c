/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV in and out: what is read as rows and written as CSV reads as rows that are written as the same bytes. The input is CSV whose header
 * names some of the columns below.
 */
#include "engine/csv.h"
#include "engine/input.h"
#include "engine/output.h"
#include "fuzz.h"
#include "memory_path.h"

static const char COLUMNS[] =
    "b boolean, i int, l long, f float, d double, dec decimal(9,2), dt date, ti time, "
    "ts timestamp, tz timestamptz, tn timestamp_ns, s string, u uuid, x fixed(2), "
    "bi binary, li list<int>, m map<string,double>, st struct<x int, y string>, nu struct<a decimal(30,12), "
    "b float>";

static rwl_env env;
static rwl_op op;

static rwl_status append(void *ctx, const void *data, size_t len, rwl_error *err) {
    return rwl_buf_append(ctx, data, len, err);
}

/* Records by themselves: a field is no longer than the text. */
static void read_records(const char *path, size_t len) {
    rwl_csv *csv;
    rwl_error err = {0};
    const rwl_csv_field *fields;
    int32_t count = 1;
    if (rwl_csv_open(&op, path, &csv, &err) != RWL_OK)
        return;
    while (count > 0 && rwl_csv_next(csv, &fields, &count, &err) == RWL_OK)
        for (int32_t i = 0; i < count; i++)
            FUZZ_CHECK(fields[i].text.len <= len && rwl_csv_line(csv) >= 1);
    rwl_csv_close(csv);
}

/* Rows of `path`, written to `out`; false when they are none of the schema. */
static bool copy_rows(const char *path, const rwl_schema *schema, rwl_buf *out) {
    rwl_input *input;
    rwl_output *output;
    rwl_batch batch;
    rwl_error err = {0};
    if (rwl_input_open_csv(&op, path, schema, &input, &err) != RWL_OK)
        return false;
    FUZZ_CHECK(rwl_batch_init(&batch, &env, schema->fields, schema->field_count, &err) == RWL_OK);
    FUZZ_CHECK(rwl_output_open(&op, RWL_OUTPUT_CSV, schema->fields, schema->field_count, NULL,
                               (rwl_output_sink){out, append}, &output, &err) == RWL_OK);
    rwl_status st;
    while ((st = rwl_input_next(input, &batch, &err)) == RWL_OK && batch.length > 0)
        FUZZ_CHECK(rwl_output_write(output, &batch, &err) == RWL_OK);
    FUZZ_CHECK(rwl_output_finish(output, &err) == RWL_OK);
    rwl_output_close(output);
    rwl_batch_clear(&batch);
    rwl_input_close(input);
    return st == RWL_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    memory_path file;
    rwl_arena arena;
    rwl_schema schema;
    rwl_error err = {0};
    rwl_buf first, second;
    rwl_env_init_default(&env);
    fuzz_fix_random(&env);
    rwl_op_init(&op, &env, 0);
    rwl_arena_init(&arena, &env, 0);
    rwl_buf_init(&first, &env, SIZE_MAX);
    rwl_buf_init(&second, &env, SIZE_MAX);
    FUZZ_CHECK(rwl_schema_from_text(COLUMNS, &arena, &schema, &err) == RWL_OK);
    FUZZ_CHECK(rwl_schema_index(&schema, &arena, &err) == RWL_OK);
    memory_path_open(&file, data, len);
    read_records(file.path, len);
    bool rows = copy_rows(file.path, &schema, &first);
    memory_path_close(&file);
    if (rows) {
        memory_path_open(&file, first.data, first.len);
        FUZZ_CHECK(copy_rows(file.path, &schema, &second));
        FUZZ_CHECK(rwl_span_equal(rwl_buf_span(&first), rwl_buf_span(&second)));
        memory_path_close(&file);
    }
    rwl_buf_clear(&first);
    rwl_buf_clear(&second);
    rwl_arena_clear(&arena);
    return 0;
}
