/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as Arrow IPC. */
#include "engine/output.h"

typedef struct arrow_output {
    rwl_output base;
    bool file;
    struct ArrowSchema schema;
    rwl_ipc_writer *writer;
} arrow_output;

static rwl_status write_arrow(rwl_output *base, rwl_batch *batch, rwl_error *err) {
    arrow_output *o = (arrow_output *)base;
    struct ArrowArray array;
    RWL_TRY(rwl_arrow_export_batch(batch, &array, err));
    rwl_status st = rwl_ipc_writer_write(o->writer, &array, err);
    array.release(&array);
    return st;
}

static rwl_status finish_arrow(rwl_output *base, rwl_error *err) {
    return rwl_ipc_writer_finish(((arrow_output *)base)->writer, err);
}

static void close_arrow(rwl_output *base) {
    arrow_output *o = (arrow_output *)base;
    rwl_ipc_writer_free(o->writer);
    if (o->schema.release != NULL)
        o->schema.release(&o->schema);
    rwl_free(base->op->env, o);
}

rwl_status rwl_output_open_arrow(rwl_op *op, bool file, rwl_output **out, rwl_error *err) {
    static const rwl_output_vtable vtable = {write_arrow, finish_arrow, close_arrow};
    arrow_output *o = rwl_calloc(op->env, 1, sizeof *o);
    if (o == NULL)
        return rwl_no_memory(err, sizeof *o);
    o->base.vtable = &vtable;
    o->file = file;
    *out = &o->base;
    return RWL_OK;
}

rwl_status rwl_output_begin_arrow(rwl_output *base, rwl_error *err) {
    arrow_output *o = (arrow_output *)base;
    const rwl_env *env = base->op->env;
    RWL_TRY(rwl_arrow_export_schema(env, base->fields, base->field_count, &o->schema, err));
    return rwl_ipc_writer_new(env, &o->schema, o->file, base->sink, &o->writer, err);
}
