/* SPDX-License-Identifier: Apache-2.0 */
/* Arrow IPC, streams and files: what is read is imported and printed, so that all of it is touched. */
#include "column/arrow.h"
#include "fuzz.h"
#include "ipc/ipc.h"
#include "memory_path.h"

enum { MEMORY_MAX = 64 << 20, PRINT_MAX = 1 << 18, BATCHES_MAX = 10 /* of one input */ };

static rwl_env env;

static void print_rows(const rwl_batch *rows) {
    rwl_buf text;
    rwl_error err = {0};
    rwl_buf_init(&text, &env, PRINT_MAX);
    for (int64_t r = 0; r < rows->length; r++)
        for (int32_t c = 0; c < rows->column_count; c++)
            if (rwl_column_format_json(&rows->columns[c], r, &text, &err) != RWL_OK)
                r = rows->length - 1; /* the rest is as good */
    rwl_buf_clear(&text);
}

static void read_batches(struct ArrowArrayStream *stream, const struct ArrowSchema *schema, rwl_batch *rows) {
    rwl_error err = {0};
    for (int i = 0; i < BATCHES_MAX; i++) {
        struct ArrowArray array;
        if (stream->get_next(stream, &array) != 0) {
            rwl_ipc_stream_error(stream, &err);
            FUZZ_CHECK(err.code != RWL_OK && err.code != RWL_INTERNAL);
            return;
        }
        if (array.release == NULL)
            return;
        if (rwl_arrow_import_batch(schema, &array, rows, &err) == RWL_OK) {
            FUZZ_CHECK(rows->length == array.length);
            print_rows(rows);
        }
        array.release(&array);
    }
}

static void read_stream(struct ArrowArrayStream *stream) {
    struct ArrowSchema schema;
    rwl_arena arena;
    rwl_field *fields;
    int32_t count;
    rwl_error err = {0};
    FUZZ_CHECK(stream->get_schema(stream, &schema) == 0); /* it was read before */
    rwl_arena_init(&arena, &env, MEMORY_MAX);
    if (rwl_arrow_import_schema(&schema, &arena, &fields, &count, &err) == RWL_OK) {
        rwl_batch rows;
        FUZZ_CHECK(rwl_batch_init(&rows, &env, fields, count, &err) == RWL_OK);
        read_batches(stream, &schema, &rows);
        rwl_batch_clear(&rows);
    }
    schema.release(&schema);
    rwl_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    memory_path file;
    struct ArrowArrayStream stream;
    rwl_op op;
    rwl_error err = {0};
    rwl_env_init_default(&env);
    fuzz_fix_random(&env);
    rwl_op_init(&op, &env, MEMORY_MAX);
    memory_path_open(&file, data, len);
    if (rwl_ipc_open_stream(&op, file.path, &stream, &err) == RWL_OK) {
        read_stream(&stream);
        stream.release(&stream);
    }
    memory_path_close(&file);
    return 0;
}
