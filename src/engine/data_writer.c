/* SPDX-License-Identifier: Apache-2.0 */
/* One open Parquet file a partition, at most so many at once. */
#include "engine/data_writer.h"

#include "base/vec.h"
#include "engine/budget.h"
#include "engine/change_common.h"
#include "engine/partitioner.h"
#include "engine/write_properties.h"
#include "iceberg/metrics.h"
#include "lineage/carry.h"

#include <strings.h>

enum {
    OPEN_FILES_MAX = 64,  /* more partitions at once: the file used longest ago is closed */
    SLICE_ROWS = 8192,    /* rows written between two looks at a file's size */
    BLOOM_BYTES = 1 << 20 /* of a bloom filter, without a property */
};

/* An open file and the partition its rows belong to. */
typedef struct open_file {
    int32_t partition;
    rwl_parquet_writer *writer;
    char *location;
    int64_t rows;
    uint64_t used; /* clock of the last write */
} open_file;

struct rwl_data_writer {
    rwl_store *store;
    rwl_op *op;
    rwl_data_writer_options options;
    rwl_arena arena; /* files, partitions */
    const rwl_schema *schema;
    const rwl_partition_spec *spec;
    rwl_field *fields; /* schema's fields, then the lineage columns when stored */
    int32_t field_count;
    rwl_partitioner *partitioner;
    rwl_parquet_write_options parquet;
    const char *kv_key, *kv_value; /* iceberg.schema */
    rwl_metrics_config *metrics;
    const char *data_path;
    int64_t target_bytes;
    int64_t memory_bytes;     /* of all open files; over it the largest is closed. 0: no limit */
    rwl_column ids, versions; /* lineage columns of the batch being written */
    rwl_column *columns;      /* the batch's columns and these, shallow */
    rwl_batch split, slice;   /* rows of one partition; a part of a batch */
    open_file open[OPEN_FILES_MAX];
    int32_t open_count, file_count;
    RWL_VEC(rwl_added_file) files;
    int64_t page_count;
    uint64_t clock;
    bool released;
};

/* --- set-up --- */

static rwl_status make_fields(rwl_data_writer *w, rwl_error *err) {
    w->field_count = w->schema->field_count + (w->options.lineage ? 2 : 0);
    w->fields = rwl_arena_array(&w->arena, (size_t)w->field_count, sizeof *w->fields);
    w->columns = rwl_arena_array(&w->arena, (size_t)w->field_count, sizeof *w->columns);
    if (w->fields == NULL || w->columns == NULL)
        return rwl_no_memory(err, (size_t)w->field_count * sizeof *w->fields);
    for (int32_t i = 0; i < w->schema->field_count; i++) {
        w->fields[i] = w->schema->fields[i];
        if (rwl_type_is_nested(&w->fields[i].type) || w->fields[i].type.kind >= RWL_TYPE_VARIANT)
            return rwl_fail(err, RWL_UNSUPPORTED,
                            "column %s: writing nested, variant and geo columns is not supported",
                            w->fields[i].name);
    }
    if (w->options.lineage) {
        rwl_field *id = &w->fields[w->schema->field_count], *version = id + 1;
        id->name = RWL_COLUMN_ROW_ID;
        id->id = RWL_FIELD_ID_ROW_ID;
        id->type = rwl_type_of(RWL_TYPE_LONG);
        version->name = RWL_COLUMN_LAST_UPDATED;
        version->id = RWL_FIELD_ID_LAST_UPDATED;
        version->type = rwl_type_of(RWL_TYPE_LONG);
    }
    return RWL_OK;
}

/* Keeps the file's schema, lineage columns included, under iceberg.schema as every engine does. */
static rwl_status make_schema_text(rwl_data_writer *w, rwl_error *err) {
    rwl_schema stored = *w->schema;
    stored.fields = w->fields;
    stored.field_count = w->field_count;
    rwl_json *json = NULL;
    RWL_TRY(rwl_schema_to_json(&stored, &json, err));
    w->kv_key = "iceberg.schema";
    rwl_status st = rwl_json_text_in(json, &w->arena, &w->kv_value, err);
    rwl_json_free(json);
    return st;
}

/* The property, or the budget's size where that is smaller or the property is not set. */
static int64_t least_of(int64_t property, int64_t budget) {
    return property > 0 && property < budget ? property : budget;
}

static void limit_memory(rwl_data_writer *w) {
    rwl_write_budget budget = rwl_budget_write(w->op->memory_limit, w->field_count > 0 ? w->field_count : 1);
    w->memory_bytes = budget.open_files_bytes;
    if (w->op->memory_limit == 0)
        return;
    rwl_parquet_write_options *o = &w->parquet;
    o->row_group_bytes = least_of(o->row_group_bytes, budget.row_group_bytes);
    o->page_bytes = least_of(o->page_bytes, budget.page_bytes);
    if (o->dictionary_bytes >= 0)
        o->dictionary_bytes = least_of(o->dictionary_bytes, budget.dictionary_bytes);
    o->bloom_max_bytes =
        least_of(o->bloom_max_bytes > 0 ? o->bloom_max_bytes : BLOOM_BYTES, budget.dictionary_bytes);
}

/* The table's properties, within the memory there is. */
static rwl_status read_properties(rwl_data_writer *w, rwl_error *err) {
    const rwl_metadata *m = w->options.metadata;
    const char *format = rwl_metadata_property(m, "write.format.default", "parquet");
    if (strcasecmp(format, "parquet") != 0) /* Java takes any case */
        return rwl_fail(err, RWL_UNSUPPORTED, "write.format.default %s is not supported", format);
    RWL_TRY(rwl_write_properties_read(m, w->fields, w->field_count, &w->arena, &w->parquet, err));
    w->target_bytes = w->options.target_bytes;
    if (w->target_bytes == 0)
        RWL_TRY(
            rwl_metadata_property_i64(m, "write.target-file-size-bytes", 536870912, &w->target_bytes, err));
    limit_memory(w);
    w->parquet.kv_keys = &w->kv_key;
    w->parquet.kv_values = &w->kv_value;
    w->parquet.kv_count = 1;
    return RWL_OK;
}

static rwl_status make_data_path(rwl_data_writer *w, rwl_error *err) {
    w->data_path = rwl_metadata_folder(w->options.metadata, "write.data.path", "data", &w->arena);
    return w->data_path != NULL ? RWL_OK : rwl_no_memory(err, 64);
}

static rwl_status set_up(rwl_data_writer *w, rwl_error *err) {
    RWL_TRY(make_fields(w, err));
    RWL_TRY(make_schema_text(w, err));
    RWL_TRY(rwl_partitioner_new(w->op->env, w->schema, w->spec, &w->partitioner, err));
    RWL_TRY(read_properties(w, err));
    RWL_TRY(make_data_path(w, err));
    RWL_TRY(rwl_metrics_config_new(w->options.metadata, &w->arena, &w->metrics, err));
    RWL_TRY(rwl_batch_init(&w->split, w->op->env, w->fields, w->field_count, err));
    return rwl_batch_init(&w->slice, w->op->env, w->fields, w->field_count, err);
}

rwl_status rwl_data_writer_new(rwl_store *store, rwl_op *op, const rwl_data_writer_options *options,
                               rwl_data_writer **out, rwl_error *err) {
    rwl_data_writer *w = rwl_calloc(op->env, 1, sizeof *w);
    if (w == NULL)
        return rwl_no_memory(err, sizeof *w);
    w->store = store;
    w->op = op;
    w->options = *options;
    w->schema = options->metadata->schema;
    w->spec = options->metadata->spec;
    rwl_arena_init(&w->arena, op->env, 0);
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
    if (!w->released)
        for (size_t i = 0; i < w->files.len; i++)
            rwl_change_remove_part(w->store, w->op, w->files.items[i].location);
    rwl_partitioner_free(w->partitioner);
    rwl_batch_clear(&w->split);
    rwl_batch_clear(&w->slice);
    rwl_column_clear(&w->ids, env);
    rwl_column_clear(&w->versions, env);
    rwl_vec_clear(&w->files, env);
    rwl_arena_clear(&w->arena);
    rwl_free(env, w);
}

const rwl_added_file *rwl_data_writer_files(const rwl_data_writer *w, size_t *count) {
    *count = w->files.len;
    return w->files.items;
}

int64_t rwl_data_writer_pages(const rwl_data_writer *w) {
    return w->page_count;
}

void rwl_data_writer_release(rwl_data_writer *w) {
    w->released = true;
}

/* --- files --- */

/* Name of a new file: under the partition's folder, numbered within the operation. */
static rwl_status name_file(rwl_data_writer *w, int32_t partition, char **out, rwl_error *err) {
    rwl_buf folder;
    rwl_buf_init(&folder, w->op->env, SIZE_MAX);
    rwl_status st = rwl_partition_path(w->spec, rwl_partitioner_types(w->partitioner),
                                       rwl_partitioner_values(w->partitioner, partition), &folder, err);
    if (st == RWL_OK)
        st = rwl_buf_terminate(&folder, err);
    if (st == RWL_OK) {
        *out = rwl_arena_printf(&w->arena, "%s/%s%s%05d-0-%s-%05d.parquet", w->data_path, (char *)folder.data,
                                folder.len > 0 ? "/" : "", w->options.sequence, w->options.operation_id,
                                ++w->file_count);
        if (*out == NULL)
            st = rwl_no_memory(err, folder.len + 128);
    }
    rwl_buf_clear(&folder);
    return st;
}

/* What the manifest will say about a finished file. */
static rwl_status describe_file(rwl_data_writer *w, const open_file *f, const rwl_parquet_written *written,
                                rwl_error *err) {
    rwl_added_file file;
    memset(&file, 0, sizeof file);
    file.location = f->location;
    file.format = "PARQUET";
    file.file_size = written->file_size;
    file.row_count = written->row_count;
    file.spec_id = w->spec->spec_id;
    file.partition = rwl_partitioner_values(w->partitioner, f->partition);
    file.partition_count = w->spec->field_count;
    file.sort_order_id = w->options.sort_order_id;
    rwl_column_metrics *metrics;
    RWL_TRY(rwl_metrics_from_parquet(w->metrics, w->fields, w->field_count, written, &w->arena, &metrics,
                                     &file.metrics_count, err));
    file.metrics = metrics;
    file.split_offsets = rwl_arena_copy(&w->arena, written->split_offsets,
                                        (size_t)written->split_count * sizeof *written->split_offsets);
    if (file.split_offsets == NULL)
        return rwl_no_memory(err, (size_t)written->split_count * sizeof *written->split_offsets);
    file.split_count = written->split_count;
    file.lineage.min_id = INT64_MAX;
    file.lineage.max_id = INT64_MIN;
    if (w->options.lineage) {
        const rwl_parquet_column_metrics *id = &written->columns[w->schema->field_count], *version = id + 1;
        file.lineage.present = true;
        file.lineage.null_ids = id->null_count;
        file.lineage.null_versions = version->null_count;
        if (id->has_bounds) {
            file.lineage.min_id = id->lower.as.i64;
            file.lineage.max_id = id->upper.as.i64;
        }
    }
    w->files.items[w->files.len++] = file; /* room was made before the file became visible */
    return RWL_OK;
}

/* Closes open[i]; the last open one takes its place. */
static rwl_status close_file(rwl_data_writer *w, int32_t i, rwl_error *err) {
    RWL_TRY(rwl_vec_reserve(&w->files, w->op->env, 1, err));
    open_file f = w->open[i];
    w->open[i] = w->open[--w->open_count];
    rwl_parquet_written written;
    memset(&written, 0, sizeof written);
    rwl_status finished = rwl_parquet_writer_finish(f.writer, &written, err),
               st = rwl_change_part(finished, err);
    w->page_count += written.page_count;
    if (st == RWL_OK)
        st = describe_file(w, &f, &written, err);
    rwl_parquet_written_clear(&written);
    if (st != RWL_OK && (finished == RWL_OK || finished == RWL_COMMIT_UNKNOWN))
        rwl_change_remove_part(w->store, w->op, f.location);
    return st;
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
    while (w->memory_bytes > 0 && w->open_count > 1) {
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
        if (total <= w->memory_bytes)
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
    RWL_TRY(name_file(w, partition, &f.location, err));
    RWL_TRY(rwl_parquet_writer_open(w->store, w->op, f.location, w->fields, w->field_count, &w->parquet,
                                    &f.writer, err));
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
    for (int64_t at = 0; at < batch->length;) {
        int32_t i;
        RWL_TRY(get_file(w, partition, &i, err));
        open_file *f = &w->open[i];
        f->used = ++w->clock;
        int64_t count = batch->length - at;
        if (rwl_parquet_writer_size(f->writer) + rwl_batch_bytes(batch) >= w->target_bytes &&
            count > SLICE_ROWS)
            count = SLICE_ROWS;
        if (w->options.target_rows > 0 && count > w->options.target_rows - f->rows)
            count = w->options.target_rows - f->rows;
        const rwl_batch *part;
        RWL_TRY(take_slice(w, batch, at, count, &part, err));
        RWL_TRY(rwl_parquet_writer_write(f->writer, part, err));
        f->rows += count;
        at += count;
        if (f->rows == w->options.target_rows || rwl_parquet_writer_size(f->writer) >= w->target_bytes)
            RWL_TRY(close_file(w, i, err));
    }
    return RWL_OK;
}

/* The batch's columns with the lineage columns behind them, shallow. */
static rwl_status add_lineage(rwl_data_writer *w, const rwl_batch *batch, const rwl_runs *ids,
                              const rwl_runs *versions, rwl_batch *out, rwl_error *err) {
    for (int32_t i = 0; i < batch->column_count; i++)
        w->columns[i] = batch->columns[i];
    if (w->options.lineage) {
        RWL_TRY(rwl_carry_columns(ids, versions, &w->ids, &w->versions, err));
        w->columns[w->schema->field_count] = w->ids;
        w->columns[w->schema->field_count + 1] = w->versions;
    }
    *out = (rwl_batch){w->op->env, batch->length, w->field_count, w->columns};
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
        return write_rows(w, groups[0].partition, &stored, err);
    for (size_t g = 0; g < group_count; g++) {
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
