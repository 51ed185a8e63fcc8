/* SPDX-License-Identifier: Apache-2.0 */
/* Layout, names and descriptions of new data files. */
#include "engine/data_files.h"

#include "engine/budget.h"
#include "engine/change_common.h"
#include "engine/write_properties.h"

#include <strings.h>

/* --- what is in the files --- */

static rwl_status make_fields(rwl_data_files *f, rwl_error *err) {
    f->field_count = f->schema->field_count + (f->options.lineage ? 2 : 0);
    f->fields = rwl_arena_array(&f->arena, (size_t)f->field_count, sizeof *f->fields);
    if (f->fields == NULL)
        return rwl_no_memory(err, (size_t)f->field_count * sizeof *f->fields);
    for (int32_t i = 0; i < f->schema->field_count; i++)
        f->fields[i] = f->schema->fields[i];
    if (f->options.lineage) {
        rwl_field *id = &f->fields[f->schema->field_count], *version = id + 1;
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
static rwl_status make_schema_text(rwl_data_files *f, rwl_error *err) {
    rwl_schema stored = *f->schema;
    stored.fields = f->fields;
    stored.field_count = f->field_count;
    rwl_json *json = NULL;
    RWL_TRY(rwl_schema_to_json(&stored, &json, err));
    f->kv_key = "iceberg.schema";
    rwl_status st = rwl_json_text_in(json, &f->arena, &f->kv_value, err);
    rwl_json_free(json);
    return st;
}

/* --- how it is laid out --- */

static void limit_memory(rwl_data_files *f) {
    int64_t limit = f->op->memory_limit;
    f->memory_bytes = rwl_budget_write(limit, f->field_count > 0 ? f->field_count : 1).open_files_bytes;
    rwl_write_properties_limit(&f->parquet, limit, f->field_count);
}

/* The options of a column, added when properties ask nothing of it; there is room. */
static rwl_parquet_column_options *column_options(rwl_parquet_column_options *items, int32_t *count,
                                                  const char *path) {
    for (int32_t i = 0; i < *count; i++)
        if (strcmp(items[i].path, path) == 0)
            return &items[i];
    items[*count] = (rwl_parquet_column_options){.path = path};
    return &items[(*count)++];
}

/* Ids go up by one nearly everywhere, so deltas take next to nothing; versions are few. */
static rwl_status encode_lineage(rwl_data_files *f, rwl_error *err) {
    if (!f->options.lineage)
        return RWL_OK;
    int32_t count = f->parquet.column_count;
    rwl_parquet_column_options *items = rwl_arena_array(&f->arena, (size_t)count + 2, sizeof *items);
    if (items == NULL)
        return rwl_no_memory(err, ((size_t)count + 2) * sizeof *items);
    for (int32_t i = 0; i < count; i++)
        items[i] = f->parquet.columns[i];
    rwl_parquet_column_options *id = column_options(items, &count, RWL_COLUMN_ROW_ID);
    id->force_encoding = true;
    id->encoding =
        f->options.row_id_encoding == RWL_ROW_ID_PLAIN ? RWL_PARQUET_PLAIN : RWL_PARQUET_DELTA_BINARY_PACKED;
    column_options(items, &count, RWL_COLUMN_LAST_UPDATED)->dictionary = 1;
    f->parquet.columns = items;
    f->parquet.column_count = count;
    return RWL_OK;
}

/* The table's properties, within the memory there is. */
static rwl_status read_properties(rwl_data_files *f, rwl_error *err) {
    const rwl_metadata *m = f->options.metadata;
    RWL_TRY(rwl_write_properties_read(rwl_json_get(m->json, "properties"), f->fields, f->field_count,
                                      &f->arena, &f->parquet, err));
    if (f->options.target_bytes == 0)
        RWL_TRY(rwl_metadata_property_i64(m, "write.target-file-size-bytes", 536870912,
                                          &f->options.target_bytes, err));
    limit_memory(f);
    RWL_TRY(encode_lineage(f, err));
    f->parquet.pool = f->options.pool;
    f->parquet.kv_keys = &f->kv_key;
    f->parquet.kv_values = &f->kv_value;
    f->parquet.kv_count = 1;
    return RWL_OK;
}

static rwl_status find_places(rwl_data_files *f, rwl_error *err) {
    size_t count = (size_t)f->spec->field_count;
    f->data_path = rwl_metadata_folder(f->options.metadata, "write.data.path", "data", &f->arena);
    f->partition_types = rwl_arena_array(&f->arena, count, sizeof *f->partition_types);
    if (f->data_path == NULL || f->partition_types == NULL)
        return rwl_no_memory(err, 64 + count * sizeof *f->partition_types);
    return rwl_partition_types(f->spec, f->schema, f->partition_types, err);
}

static rwl_status set_up(rwl_data_files *f, rwl_error *err) {
    RWL_TRY(make_fields(f, err));
    RWL_TRY(make_schema_text(f, err));
    RWL_TRY(read_properties(f, err));
    RWL_TRY(find_places(f, err));
    return rwl_metrics_config_new(f->options.metadata, &f->arena, &f->metrics, err);
}

void rwl_data_files_tell_format(const rwl_metadata *metadata, const rwl_env *env) {
    const char *format = rwl_metadata_property(metadata, "write.format.default", "parquet");
    if (strcasecmp(format, "parquet") != 0) /* Java takes any case */
        rwl_log(env, RWL_LOG_WARN, "write.format.default is %s; new data files are Parquet all the same",
                format);
}

rwl_status rwl_data_files_new(rwl_store *store, rwl_op *op, const rwl_data_files_options *options,
                              rwl_data_files **out, rwl_error *err) {
    rwl_data_files *f = rwl_calloc(op->env, 1, sizeof *f);
    if (f == NULL)
        return rwl_no_memory(err, sizeof *f);
    f->store = store;
    f->op = op;
    f->options = *options;
    f->schema = options->metadata->schema;
    f->spec = options->spec != NULL ? options->spec : options->metadata->spec;
    rwl_arena_init(&f->arena, op->env, 0);
    rwl_status st = set_up(f, err);
    if (st != RWL_OK) {
        rwl_data_files_free(f);
        return st;
    }
    *out = f;
    return RWL_OK;
}

void rwl_data_files_discard(rwl_data_files *f) {
    for (size_t i = 0; i < f->added.len; i++)
        rwl_change_remove_part(f->store, f->op, f->added.items[i].location);
    f->added.len = 0;
    f->pages_copied = f->pages_encoded = 0;
}

void rwl_data_files_free(rwl_data_files *f) {
    if (f == NULL)
        return;
    const rwl_env *env = f->op->env;
    if (!f->released)
        rwl_data_files_discard(f);
    rwl_vec_clear(&f->added, env);
    rwl_arena_clear(&f->arena);
    rwl_free(env, f);
}

const rwl_added_file *rwl_data_files_list(const rwl_data_files *f, size_t *count) {
    *count = f->added.len;
    return f->added.items;
}

void rwl_data_files_release(rwl_data_files *f) {
    f->released = true;
}

/* --- one file --- */

rwl_status rwl_data_files_name(rwl_data_files *f, const rwl_value *partition, const char **location,
                               rwl_error *err) {
    rwl_buf folder;
    rwl_buf_init(&folder, f->op->env, SIZE_MAX);
    rwl_status st = rwl_partition_path(f->spec, f->partition_types, partition, &folder, err);
    if (st == RWL_OK)
        st = rwl_buf_terminate(&folder, err);
    if (st == RWL_OK) {
        *location = rwl_arena_printf(&f->arena, "%s/%s%s%05d-0-%s-%05d.parquet", f->data_path,
                                     (char *)folder.data, folder.len > 0 ? "/" : "", f->options.sequence,
                                     f->options.operation_id, ++f->named);
        if (*location == NULL)
            st = rwl_no_memory(err, folder.len + 128);
    }
    rwl_buf_clear(&folder);
    return st;
}

static void describe_lineage(const rwl_data_files *f, const rwl_parquet_written *written,
                             rwl_stored_lineage *out) {
    out->min_id = INT64_MAX;
    out->max_id = INT64_MIN;
    if (!f->options.lineage)
        return;
    const rwl_parquet_column_metrics *id = &written->columns[f->schema->field_count], *version = id + 1;
    out->present = true;
    out->null_ids = id->null_count >= 0 ? id->null_count : written->row_count; /* unknown: the worst */
    out->null_versions = version->null_count >= 0 ? version->null_count : written->row_count;
    if (id->has_bounds) {
        out->min_id = id->lower.as.i64;
        out->max_id = id->upper.as.i64;
    }
}

static rwl_status copy_partition(rwl_data_files *f, const rwl_value *partition, rwl_added_file *file,
                                 rwl_error *err) {
    size_t count = (size_t)f->spec->field_count;
    rwl_value *values = rwl_arena_array(&f->arena, count, sizeof *values);
    if (values == NULL)
        return rwl_no_memory(err, count * sizeof *values);
    for (size_t i = 0; i < count; i++)
        if (!rwl_value_copy(&f->arena, &partition[i], &values[i]))
            return rwl_no_memory(err, sizeof *values);
    file->partition = values;
    file->partition_count = (int32_t)count;
    return RWL_OK;
}

/* What the manifest will say about a finished file. */
static rwl_status describe_file(rwl_data_files *f, const char *location, const rwl_value *partition,
                                const rwl_parquet_written *written, rwl_error *err) {
    rwl_added_file file;
    memset(&file, 0, sizeof file);
    file.location = location;
    file.format = "PARQUET";
    file.file_size = written->file_size;
    file.row_count = written->row_count;
    file.spec_id = f->spec->spec_id;
    file.sort_order_id = f->options.sort_order_id;
    RWL_TRY(copy_partition(f, partition, &file, err));
    rwl_column_metrics *metrics;
    RWL_TRY(rwl_metrics_from_parquet(f->metrics, f->fields, f->field_count, written, &f->arena, &metrics,
                                     &file.metrics_count, err));
    file.metrics = metrics;
    file.split_offsets = rwl_arena_copy(&f->arena, written->split_offsets,
                                        (size_t)written->split_count * sizeof *written->split_offsets);
    if (file.split_offsets == NULL)
        return rwl_no_memory(err, (size_t)written->split_count * sizeof *written->split_offsets);
    file.split_count = written->split_count;
    describe_lineage(f, written, &file.lineage);
    return rwl_vec_push(&f->added, f->op->env, file, err);
}

rwl_status rwl_data_files_keep(rwl_data_files *f, const char *location, const rwl_value *partition,
                               rwl_status finished, rwl_parquet_written *written, rwl_error *err) {
    rwl_status st = rwl_change_part(finished, err);
    if (st == RWL_OK)
        st = describe_file(f, location, partition, written, err);
    rwl_parquet_written_clear(written);
    if (st != RWL_OK && (finished == RWL_OK || finished == RWL_COMMIT_UNKNOWN))
        rwl_change_remove_part(f->store, f->op, location);
    return st;
}
