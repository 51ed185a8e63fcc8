/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a Parquet file: batches to columns, columns to row groups, and what the file holds. */
#include "parquet/writer.h"

#include "base/pool.h"
#include "parquet/column_writer.h"
#include "parquet/output.h"

enum {
    DEFAULT_GROUP_BYTES = 128 << 20,
    STEPS_A_GROUP =
        16, /* a batch is taken in steps of at most 1/16 row group, so that groups end near their size */
    JOB_BYTES = 256 << 10 /* columns are encoded by one task until they have so many bytes */
};

/* Columns side by side that one task encodes. */
typedef struct job {
    rwl_parquet_writer *w;
    int32_t first, count;
    const rwl_batch *batch; /* NULL: the row group ends */
    int64_t pos, rows;
} job;

struct rwl_parquet_writer {
    const rwl_env *env;
    rwl_op *op;
    rwl_pool *pool;
    rwl_arena arena; /* the schema, sorting */
    rwl_parquet_write_schema schema;
    rwl_parquet_output *output;
    rwl_parquet_codec_pool *codecs;
    int32_t leaf_count;                 /* of those below that were made */
    rwl_parquet_chunk_write **chunks;   /* one a leaf */
    rwl_parquet_column_writer *columns; /* the same */
    job *jobs;                          /* room for one a leaf */
    const rwl_parquet_sorting *sorting;
    int32_t sorting_count;
    int64_t group_bytes, group_row_limit;
    int64_t group_rows; /* in the open group */
    rwl_status failed;  /* the first failure; nothing can be written after it */
};

/* --- opening --- */

static rwl_status copy_sorting(rwl_parquet_writer *w, const rwl_parquet_write_options *o, rwl_error *err) {
    size_t size = (size_t)o->sorting_count * sizeof *o->sorting;
    if (o->sorting_count == 0)
        return RWL_OK;
    for (int32_t i = 0; i < o->sorting_count; i++)
        if (o->sorting[i].leaf < 0 || o->sorting[i].leaf >= w->schema.leaf_count)
            return rwl_fail(err, RWL_INTERNAL, "sorted by column %d of %d", o->sorting[i].leaf,
                            w->schema.leaf_count);
    w->sorting = rwl_arena_copy(&w->arena, o->sorting, size);
    w->sorting_count = o->sorting_count;
    return w->sorting != NULL ? RWL_OK : rwl_no_memory(err, size);
}

static rwl_status make_columns(rwl_parquet_writer *w, const rwl_parquet_write_options *o, rwl_error *err) {
    size_t count = (size_t)w->schema.leaf_count + 1;
    w->columns = rwl_calloc(w->env, count, sizeof *w->columns);
    w->chunks = rwl_calloc(w->env, count, sizeof *w->chunks);
    w->jobs = rwl_calloc(w->env, count, sizeof *w->jobs);
    if (w->columns == NULL || w->chunks == NULL || w->jobs == NULL)
        return rwl_no_memory(err, count * sizeof *w->columns);
    for (int32_t i = 0; i < w->schema.leaf_count; i++) {
        rwl_parquet_column_settings settings;
        RWL_TRY(rwl_parquet_column_settings_of(o, &w->schema.leaves[i], &settings, err));
        RWL_TRY(rwl_parquet_chunk_new(w->env, &w->schema.leaves[i], o->codec, &w->chunks[i], err));
        w->leaf_count++; /* counted first: a half initialised one is cleared */
        RWL_TRY(rwl_parquet_column_writer_init(&w->columns[i], w->env, &w->schema, i, &settings, w->chunks[i],
                                               err));
    }
    return RWL_OK;
}

static rwl_status open_writer(rwl_parquet_writer *w, rwl_store *store, const char *location,
                              const rwl_field *fields, int32_t field_count,
                              const rwl_parquet_write_options *o, rwl_error *err) {
    rwl_parquet_output_options output = {o->kv_keys, o->kv_values, o->kv_count, o->without_index};
    w->pool = o->pool;
    w->group_bytes = o->row_group_bytes > 0 ? o->row_group_bytes : DEFAULT_GROUP_BYTES;
    w->group_row_limit = o->row_group_rows > 0 ? o->row_group_rows : INT64_MAX;
    if (o->codec == RWL_CODEC_DEFLATE || o->codec == RWL_CODEC_LZ4_HADOOP)
        return rwl_fail(err, RWL_UNSUPPORTED, "parquet files are not written with codec %s",
                        rwl_codec_name(o->codec));
    RWL_TRY(rwl_parquet_codec_pool_new(w->env, o->codec, o->level, &w->codecs, err));
    RWL_TRY(rwl_parquet_write_schema_make(fields, field_count, &w->arena, &w->schema, err));
    RWL_TRY(copy_sorting(w, o, err));
    RWL_TRY(make_columns(w, o, err));
    return rwl_parquet_output_open(store, w->op, location, &w->schema, &output, &w->output, err);
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
    for (int32_t i = 0; i < w->leaf_count; i++) {
        rwl_parquet_column_writer_clear(&w->columns[i]);
        rwl_parquet_chunk_free(w->chunks[i]);
    }
    rwl_free(w->env, w->columns);
    rwl_free(w->env, w->chunks);
    rwl_free(w->env, w->jobs);
    rwl_parquet_codec_pool_free(w->codecs);
    rwl_arena_clear(&w->arena);
    rwl_free(w->env, w);
}

void rwl_parquet_writer_abort(rwl_parquet_writer *w) {
    if (w == NULL)
        return;
    rwl_parquet_output_abort(w->output);
    free_writer(w);
}

/* --- tasks --- */

static rwl_status run_column(const job *j, int32_t leaf, rwl_parquet_codecs *codecs, rwl_error *err) {
    rwl_parquet_column_writer *c = &j->w->columns[leaf];
    rwl_parquet_column_writer_lend(c, codecs);
    if (j->batch == NULL)
        return rwl_parquet_column_writer_flush(c, err);
    return rwl_parquet_column_writer_add(c, &j->batch->columns[c->leaf->top], j->pos, j->rows, err);
}

static rwl_status run_job(void *arg, rwl_error *err) {
    const job *j = arg;
    rwl_parquet_codecs *codecs;
    rwl_status st = RWL_OK;
    RWL_TRY(rwl_parquet_codec_pool_take(j->w->codecs, &codecs, err));
    for (int32_t i = j->first; i < j->first + j->count && st == RWL_OK; i++)
        st = run_column(j, i, codecs, err);
    rwl_parquet_codec_pool_give(j->w->codecs, codecs);
    return st;
}

/* Bytes of the rows of a column in memory, about. */
static int64_t column_bytes(const rwl_column *c) {
    int64_t bytes = (int64_t)c->bytes_len + c->length * (int64_t)(rwl_type_width(&c->type) + 4);
    for (int32_t i = 0; c->children != NULL && i < c->type.child_count; i++)
        bytes += column_bytes(&c->children[i]);
    return bytes;
}

/* Cuts the leaves into jobs of some size; returns how many. A leaf counts as its whole top-level column, whose levels it
 * goes through. */
static int32_t plan_jobs(rwl_parquet_writer *w, const rwl_batch *batch, int64_t pos, int64_t rows) {
    int32_t count = 0, top = -1;
    int64_t bytes = JOB_BYTES, top_bytes = 0;
    for (int32_t i = 0; i < w->leaf_count; i++) {
        if (bytes >= JOB_BYTES) {
            w->jobs[count++] = (job){w, i, 0, batch, pos, rows};
            bytes = 0;
        }
        w->jobs[count - 1].count++;
        if (batch == NULL) {
            bytes += rwl_parquet_column_writer_estimate(&w->columns[i]) > 0 ? JOB_BYTES / 4 : 0;
            continue;
        }
        if (w->schema.leaves[i].top != top) { /* once: a struct may have thousands of leaves */
            top = w->schema.leaves[i].top;
            top_bytes = column_bytes(&batch->columns[top]) / batch->length * rows;
        }
        bytes += top_bytes;
    }
    return count;
}

/* Runs all columns over the rows, or to the end of the row group when `batch` is NULL. */
static rwl_status run_columns(rwl_parquet_writer *w, const rwl_batch *batch, int64_t pos, int64_t rows,
                              rwl_error *err) {
    rwl_group *group;
    rwl_status st = RWL_OK;
    if (rwl_pool_threads(w->pool) == 1) {
        job all = {w, 0, w->leaf_count, batch, pos, rows};
        return run_job(&all, err);
    }
    int32_t count = plan_jobs(w, batch, pos, rows);
    RWL_TRY(rwl_group_new(w->pool, w->op, &group, err));
    for (int32_t i = 0; i < count && st == RWL_OK; i++)
        st = rwl_group_submit(group, run_job, &w->jobs[i], err);
    if (st == RWL_OK)
        st = rwl_group_wait(group, err);
    rwl_group_free(group);
    return st;
}

/* --- rows --- */

static int64_t open_bytes(const rwl_parquet_writer *w) {
    int64_t bytes = 0;
    for (int32_t i = 0; i < w->leaf_count; i++)
        bytes += rwl_parquet_column_writer_estimate(&w->columns[i]);
    return bytes;
}

static rwl_status flush_group(rwl_parquet_writer *w, rwl_error *err) {
    if (w->group_rows == 0)
        return RWL_OK;
    RWL_TRY(run_columns(w, NULL, 0, 0, err));
    RWL_TRY(rwl_parquet_output_group(w->output, w->chunks, w->group_rows, w->sorting, w->sorting_count, err));
    w->group_rows = 0;
    return RWL_OK;
}

/* Rows to take at once: a small part of a row group by their size in memory. */
static int64_t step_rows(const rwl_parquet_writer *w, const rwl_batch *batch) {
    int64_t bytes = 0;
    for (int32_t i = 0; i < batch->column_count; i++)
        bytes += column_bytes(&batch->columns[i]);
    int64_t part = w->group_bytes / STEPS_A_GROUP + 1;
    if (bytes <= part)
        return batch->length;
    int64_t rows = (int64_t)((double)part / (double)bytes * (double)batch->length);
    return rows > 0 ? rows : 1;
}

static rwl_status check_batch(const rwl_parquet_writer *w, const rwl_batch *batch, rwl_error *err) {
    if (batch->column_count != w->schema.field_count)
        return rwl_fail(err, RWL_INTERNAL, "a batch of %d columns for a file of %d", batch->column_count,
                        w->schema.field_count);
    for (int32_t i = 0; i < batch->column_count; i++) {
        const rwl_column *c = &batch->columns[i];
        const rwl_field *f = &w->schema.fields[i];
        if (f->type.kind == RWL_TYPE_UNKNOWN)
            continue;
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
    for (int64_t pos = 0; pos < batch->length;) {
        int64_t rows = batch->length - pos < step ? batch->length - pos : step;
        if (rows > w->group_row_limit - w->group_rows)
            rows = w->group_row_limit - w->group_rows;
        RWL_TRY(run_columns(w, batch, pos, rows, err));
        w->group_rows += rows;
        pos += rows;
        if (w->group_rows == w->group_row_limit || open_bytes(w) >= w->group_bytes)
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
    return rwl_parquet_output_size(w->output) + open_bytes(w);
}

int64_t rwl_parquet_writer_memory(const rwl_parquet_writer *w) {
    int64_t held = 0;
    for (int32_t i = 0; i < w->leaf_count; i++)
        held += rwl_parquet_column_writer_memory(&w->columns[i]) + rwl_parquet_chunk_memory(w->chunks[i]);
    return held;
}

/* --- the end --- */

static rwl_status finish(rwl_parquet_writer *w, rwl_parquet_written *written, rwl_error *err) {
    if (w->failed != RWL_OK)
        return rwl_fail(err, w->failed, "writing this file failed before");
    RWL_TRY(rwl_op_check(w->op, err));
    RWL_TRY(flush_group(w, err));
    for (int32_t i = 0; i < w->leaf_count; i++) {
        rwl_parquet_column_metrics metrics;
        rwl_parquet_column_writer_metrics(&w->columns[i], &metrics);
        RWL_TRY(rwl_parquet_output_metrics(w->output, i, &metrics, err));
    }
    rwl_parquet_output *output = w->output;
    w->output = NULL; /* freed whatever the result */
    return rwl_parquet_output_finish(output, written, err);
}

rwl_status rwl_parquet_writer_finish(rwl_parquet_writer *w, rwl_parquet_written *written, rwl_error *err) {
    memset(written, 0, sizeof *written);
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
