/* SPDX-License-Identifier: Apache-2.0 */
/* One open Parquet file a partition, at most so many at once. */
#include "engine/data_writer.h"

#include "engine/partitioner.h"
#include "lineage/carry.h"

enum {
    OPEN_FILES_MAX = 64, /* more partitions at once: the file used longest ago is closed */
    SLICE_ROWS = 8192    /* rows written between two looks at a file's size */
};

/* An open file and the partition its rows belong to. */
typedef struct open_file {
    int32_t partition;
    rwl_parquet_writer *writer;
    const char *location;
    int64_t rows;
    uint64_t used; /* clock of the last write */
} open_file;

struct rwl_data_writer {
    rwl_data_files *files;
    rwl_op *op;
    rwl_partitioner *partitioner;
    rwl_column ids, versions; /* lineage columns of the batch being written */
    rwl_column *columns;      /* the batch's columns and these, shallow */
    rwl_batch split, slice;   /* rows of one partition; a part of a batch */
    open_file open[OPEN_FILES_MAX];
    int32_t open_count;
    uint64_t clock;
};

static rwl_status set_up(rwl_data_writer *w, rwl_error *err) {
    const rwl_data_files *f = w->files;
    w->columns = rwl_calloc(w->op->env, (size_t)f->field_count + 1, sizeof *w->columns);
    if (w->columns == NULL)
        return rwl_no_memory(err, (size_t)f->field_count * sizeof *w->columns);
    RWL_TRY(rwl_partitioner_new(w->op->env, f->schema, f->spec, &w->partitioner, err));
    RWL_TRY(rwl_batch_init(&w->split, w->op->env, f->fields, f->field_count, err));
    return rwl_batch_init(&w->slice, w->op->env, f->fields, f->field_count, err);
}

rwl_status rwl_data_writer_new(rwl_data_files *files, rwl_data_writer **out, rwl_error *err) {
    rwl_data_writer *w = rwl_calloc(files->op->env, 1, sizeof *w);
    if (w == NULL)
        return rwl_no_memory(err, sizeof *w);
    w->files = files;
    w->op = files->op;
    rwl_type number = rwl_type_of(RWL_TYPE_LONG);
    rwl_column_init_flat(&w->ids, &number);
    rwl_column_init_flat(&w->versions, &number);
    rwl_status st = set_up(w, err);
    if (st != RWL_OK) {
        rwl_data_writer_free(w);
        return st;
    }
    *out = w;
    return RWL_OK;
}

void rwl_data_writer_free(rwl_data_writer *w) {
    if (w == NULL)
        return;
    const rwl_env *env = w->op->env;
    for (int32_t i = 0; i < w->open_count; i++)
        rwl_parquet_writer_abort(w->open[i].writer);
    rwl_partitioner_free(w->partitioner);
    rwl_batch_clear(&w->split);
    rwl_batch_clear(&w->slice);
    rwl_column_clear(&w->ids, env);
    rwl_column_clear(&w->versions, env);
    rwl_free(env, w->columns);
    rwl_free(env, w);
}

/* --- files --- */

static const rwl_value *partition_of(const rwl_data_writer *w, int32_t partition) {
    return rwl_partitioner_values(w->partitioner, partition);
}

/* Closes open[i]; the last open one takes its place. */
static rwl_status close_file(rwl_data_writer *w, int32_t i, rwl_error *err) {
    open_file f = w->open[i];
    w->open[i] = w->open[--w->open_count];
    rwl_parquet_written written;
    memset(&written, 0, sizeof written);
    rwl_status finished = rwl_parquet_writer_finish(f.writer, &written, err);
    w->files->pages_encoded += written.page_count;
    return rwl_data_files_keep(w->files, f.location, partition_of(w, f.partition), finished, &written, err);
}

static rwl_status close_oldest(rwl_data_writer *w, rwl_error *err) {
    int32_t oldest = 0;
    for (int32_t i = 1; i < w->open_count; i++)
        if (w->open[i].used < w->open[oldest].used)
            oldest = i;
    return close_file(w, oldest, err);
}

/* Closes files, the largest in memory first, until the others fit. One file alone is bounded by its row group. */
static rwl_status close_largest(rwl_data_writer *w, rwl_error *err) {
    while (w->files->memory_bytes > 0 && w->open_count > 1) {
        int32_t largest = 0;
        int64_t total = 0, most = -1;
        for (int32_t i = 0; i < w->open_count; i++) {
            int64_t held = rwl_parquet_writer_memory(w->open[i].writer);
            total += held;
            if (held > most) {
                most = held;
                largest = i;
            }
        }
        if (total <= w->files->memory_bytes)
            return RWL_OK;
        RWL_TRY(close_file(w, largest, err));
    }
    return RWL_OK;
}

/* The open file of a partition, opened when there is none. */
static rwl_status get_file(rwl_data_writer *w, int32_t partition, int32_t *out, rwl_error *err) {
    for (*out = 0; *out < w->open_count; ++*out)
        if (w->open[*out].partition == partition)
            return RWL_OK;
    if (w->open_count == OPEN_FILES_MAX)
        RWL_TRY(close_oldest(w, err));
    open_file f = {.partition = partition};
    rwl_data_files *files = w->files;
    RWL_TRY(rwl_data_files_name(files, partition_of(w, partition), &f.location, err));
    RWL_TRY(rwl_parquet_writer_open(files->store, w->op, f.location, files->fields, files->field_count,
                                    &files->parquet, &f.writer, err));
    *out = w->open_count;
    w->open[w->open_count++] = f;
    return RWL_OK;
}

/* --- writing --- */

/* Rows [from, from + count) of `batch` as a batch of their own; the batch itself when that is all of it. */
static rwl_status take_slice(rwl_data_writer *w, const rwl_batch *batch, int64_t from, int64_t count,
                             const rwl_batch **out, rwl_error *err) {
    if (from == 0 && count == batch->length) {
        *out = batch;
        return RWL_OK;
    }
    rwl_range part = {from, count};
    rwl_batch_reset(&w->slice);
    RWL_TRY(rwl_batch_take_ranges(batch, &part, 1, &w->slice, err));
    *out = &w->slice;
    return RWL_OK;
}

/* Writes rows of one partition, closing its file wherever it is full. */
static rwl_status write_rows(rwl_data_writer *w, int32_t partition, const rwl_batch *batch, rwl_error *err) {
    const rwl_data_files_options *o = &w->files->options;
    for (int64_t at = 0; at < batch->length;) {
        int32_t i;
        RWL_TRY(get_file(w, partition, &i, err));
        open_file *f = &w->open[i];
        f->used = ++w->clock;
        int64_t count = batch->length - at;
        if (rwl_parquet_writer_size(f->writer) + rwl_batch_bytes(batch) >= o->target_bytes &&
            count > SLICE_ROWS)
            count = SLICE_ROWS;
        if (o->target_rows > 0 && count > o->target_rows - f->rows)
            count = o->target_rows - f->rows;
        const rwl_batch *part;
        RWL_TRY(take_slice(w, batch, at, count, &part, err));
        RWL_TRY(rwl_parquet_writer_write(f->writer, part, err));
        f->rows += count;
        at += count;
        if (f->rows == o->target_rows || rwl_parquet_writer_size(f->writer) >= o->target_bytes)
            RWL_TRY(close_file(w, i, err));
    }
    return RWL_OK;
}

/* The batch's columns with the lineage columns behind them, shallow. */
static rwl_status add_lineage(rwl_data_writer *w, const rwl_batch *batch, const rwl_runs *ids,
                              const rwl_runs *versions, rwl_batch *out, rwl_error *err) {
    for (int32_t i = 0; i < batch->column_count; i++)
        w->columns[i] = batch->columns[i];
    if (w->files->options.lineage) {
        RWL_TRY(rwl_carry_columns(ids, versions, &w->ids, &w->versions, err));
        w->columns[w->files->schema->field_count] = w->ids;
        w->columns[w->files->schema->field_count + 1] = w->versions;
    }
    *out = (rwl_batch){w->op->env, batch->length, w->files->field_count, w->columns};
    return RWL_OK;
}

rwl_status rwl_data_writer_write(rwl_data_writer *w, const rwl_batch *batch, const rwl_runs *ids,
                                 const rwl_runs *versions, rwl_error *err) {
    RWL_TRY(rwl_op_check(w->op, err));
    if (batch->length == 0)
        return RWL_OK;
    rwl_batch stored;
    const rwl_partition_rows *groups;
    size_t group_count;
    const int32_t *order;
    RWL_TRY(add_lineage(w, batch, ids, versions, &stored, err));
    RWL_TRY(rwl_partitioner_split(w->partitioner, batch, &groups, &group_count, &order, err));
    if (group_count == 1)
        RWL_TRY(write_rows(w, groups[0].partition, &stored, err));
    for (size_t g = 0; group_count > 1 && g < group_count; g++) {
        rwl_batch_reset(&w->split);
        RWL_TRY(rwl_batch_take(&stored, order + groups[g].first, groups[g].count, &w->split, err));
        RWL_TRY(write_rows(w, groups[g].partition, &w->split, err));
    }
    return close_largest(w, err);
}

rwl_status rwl_data_writer_finish(rwl_data_writer *w, rwl_error *err) {
    while (w->open_count > 0)
        RWL_TRY(close_oldest(w, err));
    return RWL_OK;
}
