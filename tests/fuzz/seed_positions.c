/* SPDX-License-Identifier: Apache-2.0 */
/* Positions as Arrow IPC files. */
#include "seed_positions.h"

#include "ipc/ipc.h"
#include "seed_text.h"

enum { COUNT_MAX = 64 };

static void keep_array(struct ArrowArray *array) {
    array->release = NULL;
}
static void keep_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static rwl_status append(void *ctx, const void *data, size_t len, rwl_error *err) {
    return rwl_buf_append(ctx, data, len, err);
}

static void write_batch(rwl_ipc_writer *w, const uint32_t *positions, int64_t count) {
    const void *buffers[2] = {NULL, positions}, *none[1] = {NULL};
    struct ArrowArray values = {.length = count, .n_buffers = 2, .buffers = buffers, .release = keep_array};
    struct ArrowArray *children[] = {&values};
    struct ArrowArray rows = {.length = count,
                              .n_buffers = 1,
                              .buffers = none,
                              .n_children = 1,
                              .children = children,
                              .release = keep_array};
    seed_must(rwl_ipc_writer_write(w, &rows, NULL), "batch");
}

void seed_positions(uint32_t step, int64_t count, int batches, rwl_buf *out) {
    uint32_t positions[COUNT_MAX];
    rwl_ipc_writer *w = NULL;
    struct ArrowSchema column = {.format = "I", .name = "row_id", .release = keep_schema};
    struct ArrowSchema *columns[] = {&column};
    struct ArrowSchema schema = {
        .format = "+s", .name = "", .n_children = 1, .children = columns, .release = keep_schema};
    seed_must(rwl_ipc_writer_new(out->env, &schema, true, (rwl_ipc_sink){out, append}, &w, NULL), "schema");
    for (int b = 0; b < batches; b++) {
        for (uint32_t i = 0; i < (uint32_t)count; i++)
            positions[i] = ((uint32_t)b * (uint32_t)count + i + 1) * step;
        write_batch(w, positions, count);
    }
    seed_must(rwl_ipc_writer_finish(w, NULL), "end");
    rwl_ipc_writer_free(w);
}
