/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a Parquet file: batches to columns, columns to row groups, the footer, and what the file holds. */
#include "parquet/writer.h"

#include "base/vec.h"
#include "parquet/column_writer.h"

#define MAGIC "PAR1"
enum {
    DEFAULT_PAGE_BYTES = 1 << 20,
    DEFAULT_PAGE_ROWS = 20000,
    DEFAULT_DICTIONARY_BYTES = 2 << 20,
    DEFAULT_GROUP_BYTES = 128 << 20,
    LIMIT = 1 << 30, /* of each size of a page: the format's are 32 bits */
    STEPS_A_GROUP =
        16 /* a batch is taken in steps of at most 1/16 row group, so that groups end near their size */
};

struct rwl_parquet_writer {
    const rwl_env *env;
    rwl_op *op;
    rwl_new_file *file;
    int64_t offset;    /* bytes written */
    rwl_arena arena;   /* fields, key values, groups' chunks */
    rwl_field *fields; /* as given */
    int32_t field_count;
    rwl_parquet_column_writer *columns; /* those stored */
    int32_t *column_field;              /* index in fields of each */
    int32_t column_count;
    const char **kv_keys, **kv_values;
    int32_t kv_count;
    rwl_codec_id codec_id;
    rwl_codec *codec; /* NULL: not compressed */
    int64_t group_bytes;
    int64_t group_rows, row_count; /* rows in the open group, in all */
    RWL_VEC(rwl_parquet_written_group) groups;
    rwl_status failed; /* the first failure; nothing can be written after it */
};

/* --- opening --- */

static size_t limit_or(int64_t value, size_t standard) {
    return value <= 0 ? standard : value > LIMIT ? (size_t)LIMIT : (size_t)value;
}

static rwl_parquet_page_limits limits_of(const rwl_parquet_write_options *o) {
    rwl_parquet_page_limits limits = {
        .page_bytes = limit_or(o->page_bytes, DEFAULT_PAGE_BYTES),
        .page_rows = limit_or(o->page_rows, DEFAULT_PAGE_ROWS),
        .dictionary_bytes =
            o->dictionary_bytes < 0 ? 0 : limit_or(o->dictionary_bytes, DEFAULT_DICTIONARY_BYTES),
    };
    return limits;
}

static rwl_status copy_fields(rwl_parquet_writer *w, const rwl_field *fields, int32_t count, rwl_error *err) {
    w->field_count = count;
    w->fields = rwl_arena_array(&w->arena, (size_t)count, sizeof *w->fields);
    w->column_field = rwl_arena_array(&w->arena, (size_t)count, sizeof *w->column_field);
    if (w->fields == NULL || w->column_field == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof *w->fields);
    for (int32_t i = 0; i < count; i++) {
        if (!rwl_field_copy(&w->arena, &fields[i], &w->fields[i]))
            return rwl_no_memory(err, sizeof *fields);
    }
    return RWL_OK;
}

static rwl_status copy_key_values(rwl_parquet_writer *w, const rwl_parquet_write_options *o, rwl_error *err) {
    w->kv_count = o->kv_count;
    w->kv_keys = rwl_arena_array(&w->arena, (size_t)o->kv_count, sizeof *w->kv_keys);
    w->kv_values = rwl_arena_array(&w->arena, (size_t)o->kv_count, sizeof *w->kv_values);
    if (w->kv_keys == NULL || w->kv_values == NULL)
        return rwl_no_memory(err, (size_t)o->kv_count * sizeof *w->kv_keys);
    for (int32_t i = 0; i < o->kv_count; i++) {
        w->kv_keys[i] = rwl_arena_strdup(&w->arena, o->kv_keys[i]);
        w->kv_values[i] = rwl_arena_strdup(&w->arena, o->kv_values[i]);
        if (w->kv_keys[i] == NULL || w->kv_values[i] == NULL)
            return rwl_no_memory(err, strlen(o->kv_values[i]));
    }
    return RWL_OK;
}

static rwl_status init_columns(rwl_parquet_writer *w, const rwl_parquet_write_options *o, rwl_error *err) {
    rwl_parquet_page_limits limits = limits_of(o);
    w->columns = rwl_calloc(w->env, (size_t)w->field_count + 1, sizeof *w->columns);
    if (w->columns == NULL)
        return rwl_no_memory(err, (size_t)w->field_count * sizeof *w->columns);
    for (int32_t i = 0; i < w->field_count; i++) {
        if (w->fields[i].type.kind == RWL_TYPE_UNKNOWN)
            continue;
        int32_t k = w->column_count++; /* counted first: a half initialised one is cleared */
        w->column_field[k] = i;
        RWL_TRY(
            rwl_parquet_column_writer_init(&w->columns[k], w->env, &w->fields[i], &limits, w->codec, err));
    }
    return RWL_OK;
}

static rwl_status write_bytes(rwl_parquet_writer *w, const void *data, size_t len, rwl_error *err) {
    RWL_TRY(rwl_new_file_write(w->file, data, len, err));
    w->offset += (int64_t)len;
    return RWL_OK;
}

static rwl_status open_writer(rwl_parquet_writer *w, rwl_store *store, const char *location,
                              const rwl_field *fields, int32_t field_count,
                              const rwl_parquet_write_options *o, rwl_error *err) {
    w->codec_id = o->codec;
    w->group_bytes = o->row_group_bytes > 0 ? o->row_group_bytes : DEFAULT_GROUP_BYTES;
    if (o->codec == RWL_CODEC_DEFLATE)
        return rwl_fail(err, RWL_UNSUPPORTED, "parquet has no codec %s", rwl_codec_name(o->codec));
    if (o->codec != RWL_CODEC_NONE)
        RWL_TRY(rwl_codec_new(w->env, o->codec, o->level, &w->codec, err));
    RWL_TRY(copy_fields(w, fields, field_count, err));
    RWL_TRY(copy_key_values(w, o, err));
    RWL_TRY(init_columns(w, o, err));
    RWL_TRY(rwl_new_file_create(store, w->op, location, &w->file, err));
    return write_bytes(w, MAGIC, 4, err);
}

rwl_status rwl_parquet_writer_open(rwl_store *store, rwl_op *op, const char *location,
                                   const rwl_field *fields, int32_t field_count,
                                   const rwl_parquet_write_options *options, rwl_parquet_writer **out,
                                   rwl_error *err) {
    *out = NULL;
    rwl_parquet_writer *w = rwl_calloc(op->env, 1, sizeof *w);
    if (w == NULL)
        return rwl_no_memory(err, sizeof *w);
    w->env = op->env;
    w->op = op;
    rwl_arena_init(&w->arena, w->env, 0);
    rwl_status st = open_writer(w, store, location, fields, field_count, options, err);
    if (st != RWL_OK) {
        rwl_parquet_writer_abort(w);
        return st;
    }
    *out = w;
    return RWL_OK;
}

static void free_writer(rwl_parquet_writer *w) {
    for (int32_t i = 0; i < w->column_count; i++)
        rwl_parquet_column_writer_clear(&w->columns[i]);
    rwl_free(w->env, w->columns);
    rwl_codec_free(w->codec);
    rwl_vec_clear(&w->groups, w->env);
    rwl_arena_clear(&w->arena);
    rwl_free(w->env, w);
}

void rwl_parquet_writer_abort(rwl_parquet_writer *w) {
    if (w == NULL)
        return;
    rwl_new_file_abort(w->file);
    free_writer(w);
}

/* --- rows --- */

static int64_t open_bytes(const rwl_parquet_writer *w) {
    int64_t bytes = 0;
    for (int32_t i = 0; i < w->column_count; i++)
        bytes += rwl_parquet_column_writer_estimate(&w->columns[i]);
    return bytes;
}

static rwl_status flush_group(rwl_parquet_writer *w, rwl_error *err) {
    if (w->group_rows == 0)
        return RWL_OK;
    rwl_parquet_written_chunk *chunks = rwl_arena_array(&w->arena, (size_t)w->column_count, sizeof *chunks);
    if (chunks == NULL)
        return rwl_no_memory(err, (size_t)w->column_count * sizeof *chunks);
    rwl_parquet_written_group group = {w->group_rows, w->offset, chunks};
    for (int32_t i = 0; i < w->column_count; i++)
        RWL_TRY(
            rwl_parquet_column_writer_flush(&w->columns[i], w->file, &w->offset, &w->arena, &chunks[i], err));
    RWL_TRY(rwl_vec_push(&w->groups, w->env, group, err));
    w->group_rows = 0;
    return RWL_OK;
}

/* Rows to take at once: a small part of a row group by their size in memory. */
static int64_t step_rows(const rwl_parquet_writer *w, const rwl_batch *batch) {
    int64_t bytes = 0;
    for (int32_t i = 0; i < batch->column_count; i++) {
        const rwl_column *c = &batch->columns[i];
        bytes += (int64_t)c->bytes_len + batch->length * (int64_t)(rwl_type_width(&c->type) + 4);
    }
    int64_t part = w->group_bytes / STEPS_A_GROUP + 1;
    if (bytes <= part)
        return batch->length;
    int64_t rows = (int64_t)((double)part / (double)bytes * (double)batch->length);
    return rows > 0 ? rows : 1;
}

static rwl_status check_batch(const rwl_parquet_writer *w, const rwl_batch *batch, rwl_error *err) {
    if (batch->column_count != w->field_count)
        return rwl_fail(err, RWL_INTERNAL, "a batch of %d columns for a file of %d", batch->column_count,
                        w->field_count);
    for (int32_t k = 0; k < w->column_count; k++) {
        const rwl_column *c = &batch->columns[w->column_field[k]];
        const rwl_field *f = w->columns[k].field;
        if (!rwl_type_equal(&c->type, &f->type))
            return rwl_fail(err, RWL_INTERNAL, "column %s: a batch of another type than the file's", f->name);
        if (c->length != batch->length)
            return rwl_fail(err, RWL_INTERNAL, "column %s: %lld rows in a batch of %lld", f->name,
                            (long long)c->length, (long long)batch->length);
    }
    return RWL_OK;
}

static rwl_status write_batch(rwl_parquet_writer *w, const rwl_batch *batch, rwl_error *err) {
    RWL_TRY(rwl_op_check(w->op, err));
    RWL_TRY(check_batch(w, batch, err));
    int64_t step = step_rows(w, batch);
    for (int64_t pos = 0; pos < batch->length; pos += step) {
        int64_t rows = batch->length - pos < step ? batch->length - pos : step;
        for (int32_t k = 0; k < w->column_count; k++)
            RWL_TRY(rwl_parquet_column_writer_add(&w->columns[k], &batch->columns[w->column_field[k]], pos,
                                                  rows, err));
        w->group_rows += rows;
        w->row_count += rows;
        if (open_bytes(w) >= w->group_bytes)
            RWL_TRY(flush_group(w, err));
    }
    return RWL_OK;
}

rwl_status rwl_parquet_writer_write(rwl_parquet_writer *w, const rwl_batch *batch, rwl_error *err) {
    if (w->failed != RWL_OK)
        return rwl_fail(err, w->failed, "writing this file failed before");
    if (batch->length == 0)
        return RWL_OK;
    w->failed = write_batch(w, batch, err);
    return w->failed;
}

int64_t rwl_parquet_writer_size(const rwl_parquet_writer *w) {
    enum {
        FILE_END = 64,
        COLUMN_END = 48,
        CHUNK_END = 96
    }; /* rough footer bytes, exact enough to cut files by */
    int64_t chunks = (int64_t)w->column_count * (int64_t)(w->groups.len + (w->group_rows > 0));
    int64_t footer = FILE_END + COLUMN_END * (int64_t)w->column_count + CHUNK_END * chunks;
    for (int32_t i = 0; i < w->kv_count; i++)
        footer += (int64_t)(strlen(w->kv_keys[i]) + strlen(w->kv_values[i]));
    return w->offset + open_bytes(w) + footer;
}

int64_t rwl_parquet_writer_memory(const rwl_parquet_writer *w) {
    int64_t held = 0;
    for (int32_t i = 0; i < w->column_count; i++)
        held += rwl_parquet_column_writer_memory(&w->columns[i]);
    return held;
}

/* --- the end --- */

static rwl_status fill_footer(rwl_parquet_writer *w, rwl_parquet_footer *f, rwl_error *err) {
    const rwl_field **fields = rwl_arena_array(&w->arena, (size_t)w->column_count, sizeof *fields);
    rwl_parquet_shape *shapes = rwl_arena_array(&w->arena, (size_t)w->column_count, sizeof *shapes);
    if (fields == NULL || shapes == NULL)
        return rwl_no_memory(err, (size_t)w->column_count * sizeof *shapes);
    for (int32_t i = 0; i < w->column_count; i++) {
        fields[i] = w->columns[i].field;
        shapes[i] = w->columns[i].shape;
    }
    *f = (rwl_parquet_footer){fields,        shapes,     w->column_count, w->codec_id, w->groups.items,
                              w->groups.len, w->kv_keys, w->kv_values,    w->kv_count};
    return RWL_OK;
}

static rwl_status write_footer(rwl_parquet_writer *w, rwl_error *err) {
    rwl_parquet_footer footer;
    rwl_buf buf;
    rwl_status st;
    RWL_TRY(fill_footer(w, &footer, err));
    rwl_buf_init(&buf, w->env, INT32_MAX);
    RWL_GOTO(st, rwl_parquet_footer_write(&footer, &buf, err), out);
    RWL_GOTO(st, rwl_buf_le32(&buf, (uint32_t)buf.len, err), out);
    RWL_GOTO(st, rwl_buf_append(&buf, MAGIC, 4, err), out);
    RWL_GOTO(st, write_bytes(w, buf.data, buf.len, err), out);
out:
    rwl_buf_clear(&buf);
    return st;
}

static rwl_status fill_column(const rwl_parquet_column_writer *c, rwl_arena *arena,
                              rwl_parquet_column_metrics *m, rwl_error *err) {
    bool is_float = c->shape.order == RWL_PARQUET_ORDER_FLOAT || c->shape.order == RWL_PARQUET_ORDER_DOUBLE;
    m->column_size = c->compressed_size;
    m->value_count = c->value_count;
    m->null_count = c->null_count;
    m->nan_count = is_float ? c->nan_count : -1;
    m->has_bounds = c->file_bounds.seen;
    if (!m->has_bounds)
        return RWL_OK;
    rwl_value lower, upper;
    rwl_parquet_bounds_values(&c->file_bounds, &c->field->type, &lower, &upper);
    if (!rwl_value_copy(arena, &lower, &m->lower) || !rwl_value_copy(arena, &upper, &m->upper))
        return rwl_no_memory(err, c->file_bounds.low.len + c->file_bounds.high.len);
    return RWL_OK;
}

static rwl_status fill_written(const rwl_parquet_writer *w, rwl_parquet_written *out, rwl_error *err) {
    out->row_count = w->row_count;
    out->file_size = w->offset;
    out->column_count = w->field_count;
    out->columns = rwl_arena_array(&out->arena, (size_t)w->field_count, sizeof *out->columns);
    out->split_count = (int32_t)w->groups.len;
    out->split_offsets = rwl_arena_array(&out->arena, w->groups.len, sizeof *out->split_offsets);
    if (out->columns == NULL || out->split_offsets == NULL)
        return rwl_no_memory(err, (size_t)w->field_count * sizeof *out->columns);
    for (size_t i = 0; i < w->groups.len; i++)
        out->split_offsets[i] = w->groups.items[i].file_offset;
    for (int32_t i = 0; i < w->field_count; i++) { /* what a field that is not stored has */
        out->columns[i].value_count = out->columns[i].null_count = w->row_count;
        out->columns[i].nan_count = -1;
    }
    for (int32_t k = 0; k < w->column_count; k++) {
        out->page_count += w->columns[k].page_count;
        RWL_TRY(fill_column(&w->columns[k], &out->arena, &out->columns[w->column_field[k]], err));
    }
    return RWL_OK;
}

static rwl_status finish(rwl_parquet_writer *w, rwl_parquet_written *written, rwl_error *err) {
    if (w->failed != RWL_OK)
        return rwl_fail(err, w->failed, "writing this file failed before");
    RWL_TRY(rwl_op_check(w->op, err));
    RWL_TRY(flush_group(w, err));
    RWL_TRY(write_footer(w, err));
    RWL_TRY(fill_written(w, written, err));
    rwl_new_file *file = w->file;
    w->file = NULL; /* freed whatever the result */
    return rwl_new_file_finish(file, err);
}

rwl_status rwl_parquet_writer_finish(rwl_parquet_writer *w, rwl_parquet_written *written, rwl_error *err) {
    memset(written, 0, sizeof *written);
    rwl_arena_init(&written->arena, w->env, 0);
    rwl_status st = finish(w, written, err);
    if (st != RWL_OK)
        rwl_parquet_written_clear(written);
    rwl_parquet_writer_abort(w);
    return st;
}

void rwl_parquet_written_clear(rwl_parquet_written *written) {
    if (written->arena.env != NULL)
        rwl_arena_clear(&written->arena);
    memset(written, 0, sizeof *written);
}
