/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of Arrow IPC share. */
#include "ipc_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static rwl_env env;
static rwl_op op;

rwl_env *test_env(void) {
    rwl_env_init_default(&env);
    return &env;
}

rwl_op *test_op(void) {
    rwl_op_init(&op, test_env(), 0);
    return &op;
}

static rwl_status append(void *ctx, const void *data, size_t len, rwl_error *err) {
    return rwl_buf_append(ctx, data, len, err);
}

rwl_ipc_sink buffer_sink(rwl_buf *out) {
    return (rwl_ipc_sink){out, append};
}

rwl_status open_bytes(rwl_span bytes, struct ArrowArrayStream *out, rwl_error *err) {
    char path[64];
    int fd = memfd_create("ipc", 0);
    ck_assert_int_ge(fd, 0);
    for (size_t done = 0; done < bytes.len;) {
        ssize_t n = write(fd, bytes.data + done, bytes.len - done);
        ck_assert_int_gt(n, 0);
        done += (size_t)n;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    memset(err, 0, sizeof *err);
    rwl_status st = rwl_ipc_open_stream(test_op(), path, out, err);
    close(fd); /* the stream opened the file anew */
    return st;
}

static rwl_status import_all(struct ArrowArrayStream *stream, rwl_batch *batch,
                             const struct ArrowSchema *schema, int64_t *rows, rwl_error *err) {
    for (;;) {
        struct ArrowArray array;
        if (stream->get_next(stream, &array) != 0) {
            ck_assert_ptr_nonnull(stream->get_last_error(stream));
            rwl_ipc_stream_error(stream, err);
            ck_assert_int_ne(err->code, RWL_OK);
            ck_assert_int_ne(stream->get_next(stream, &array), 0); /* and again */
            return err->code;
        }
        if (array.release == NULL)
            return RWL_OK;
        rwl_status st = rwl_arrow_import_batch(schema, &array, batch, err);
        array.release(&array);
        RWL_TRY(st);
        *rows += batch->length;
    }
}

rwl_status read_all(rwl_span bytes, int64_t *rows, rwl_error *err) {
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    rwl_arena arena;
    rwl_field *fields;
    int32_t count;
    rwl_batch batch = {.env = NULL};
    *rows = 0;
    RWL_TRY(open_bytes(bytes, &stream, err));
    rwl_arena_init(&arena, &env, 0);
    ck_assert_int_eq(stream.get_schema(&stream, &schema), 0);
    rwl_status st = rwl_arrow_import_schema(&schema, &arena, &fields, &count, err);
    if (st == RWL_OK)
        st = rwl_batch_init(&batch, &env, fields, count, err);
    if (st == RWL_OK)
        st = import_all(&stream, &batch, &schema, rows, err);
    if (batch.env != NULL)
        rwl_batch_clear(&batch);
    schema.release(&schema);
    stream.release(&stream);
    rwl_arena_clear(&arena);
    return st;
}
