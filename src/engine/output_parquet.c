/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as a Parquet file: its writer wants a store, so one is made whose only new file is the sink. */
#include "engine/output.h"

#include "storage/store.h"

typedef struct parquet_output {
    rwl_output base;
    rwl_store store; /* on the way to the sink */
    rwl_parquet_writer *writer;
} parquet_output;

typedef struct sink_file {
    rwl_new_file base;
    const rwl_env *env;
    rwl_output_sink sink;
} sink_file;

static rwl_status create_sink_file(rwl_store *s, rwl_op *op, const char *location, rwl_new_file **out,
                                   rwl_error *err) {
    (void)location;
    const parquet_output *o =
        (const parquet_output *)(const void *)((const char *)s - offsetof(parquet_output, store));
    sink_file *f = rwl_calloc(op->env, 1, sizeof *f);
    if (f == NULL)
        return rwl_no_memory(err, sizeof *f);
    f->base.vtable = s->vtable;
    f->env = op->env;
    f->sink = o->base.sink;
    *out = &f->base;
    return RWL_OK;
}

static rwl_status write_sink_file(rwl_new_file *base, const void *data, size_t len, rwl_error *err) {
    const sink_file *f = (const sink_file *)base;
    return len > 0 ? f->sink.write(f->sink.ctx, data, len, err) : (rwl_status)RWL_OK;
}

static void free_sink_file(rwl_new_file *base) {
    rwl_free(((sink_file *)base)->env, base);
}

static rwl_status finish_sink_file(rwl_new_file *base, rwl_error *err) {
    (void)err;
    free_sink_file(base);
    return RWL_OK;
}

static const rwl_store_vtable SINK_STORE = {.create = create_sink_file,
                                            .write = write_sink_file,
                                            .finish = finish_sink_file,
                                            .abort = free_sink_file};

static rwl_status write_parquet(rwl_output *base, rwl_batch *batch, rwl_error *err) {
    return rwl_parquet_writer_write(((parquet_output *)base)->writer, batch, err);
}

static rwl_status finish_parquet(rwl_output *base, rwl_error *err) {
    parquet_output *o = (parquet_output *)base;
    rwl_parquet_writer *writer = o->writer;
    rwl_parquet_written written;
    o->writer = NULL; /* gone whatever the result */
    RWL_TRY(rwl_parquet_writer_finish(writer, &written, err));
    rwl_parquet_written_clear(&written);
    return RWL_OK;
}

static void close_parquet(rwl_output *base) {
    parquet_output *o = (parquet_output *)base;
    rwl_parquet_writer_abort(o->writer);
    rwl_free(base->op->env, o);
}

rwl_status rwl_output_open_parquet(rwl_op *op, rwl_output **out, rwl_error *err) {
    static const rwl_output_vtable vtable = {write_parquet, finish_parquet, close_parquet};
    parquet_output *o = rwl_calloc(op->env, 1, sizeof *o);
    if (o == NULL)
        return rwl_no_memory(err, sizeof *o);
    o->base.vtable = &vtable;
    o->store = (rwl_store){.vtable = &SINK_STORE, .env = op->env};
    *out = &o->base;
    return RWL_OK;
}

/* Whether a type is, or has somewhere below, one of no values. */
static bool has_unknown(const rwl_type *type, int depth) {
    bool found = type->kind == RWL_TYPE_UNKNOWN;
    for (int32_t i = 0; !found && depth < RWL_TYPE_DEPTH_MAX && i < type->child_count; i++)
        found = has_unknown(&type->children[i].type, depth + 1);
    return found;
}

/* The writer writes such columns as tables store them: not at all. Of an export nobody expects that. */
static void tell_left_out(const rwl_output *o) {
    for (int32_t i = 0; i < o->field_count; i++) {
        const rwl_field *f = &o->fields[i];
        if (has_unknown(&f->type, 0))
            rwl_log(o->op->env, RWL_LOG_WARN,
                    "column %s%s is null in all rows and has no type: left out of Parquet", f->name,
                    f->type.kind == RWL_TYPE_UNKNOWN ? "" : ": a part of it");
    }
}

rwl_status rwl_output_begin_parquet(rwl_output *base, const rwl_parquet_write_options *given,
                                    rwl_error *err) {
    parquet_output *o = (parquet_output *)base;
    rwl_parquet_write_options defaults = {.codec = RWL_CODEC_ZSTD};
    tell_left_out(base);
    return rwl_parquet_writer_open(&o->store, base->op, "output", base->fields, base->field_count,
                                   given != NULL ? given : &defaults, &o->writer, err);
}
