/* SPDX-License-Identifier: Apache-2.0 */
/* From a decoded Avro record to a manifest entry as stored. */
#include "iceberg/manifest_internal.h"

#include <inttypes.h>

/* key and value of an item of an Avro "map" with int keys. */
static rwl_status map_item(const rwl_avro_datum *item, int32_t key_id, int32_t value_id, const char *name,
                           int32_t *key, const rwl_avro_datum **value, rwl_error *err) {
    if (item->kind != RWL_AVRO_RECORD)
        return rwl_fail(err, RWL_CORRUPT, "field %s is no map of int keys", name);
    const rwl_avro_datum *k = rwl_avro_get(item, key_id, "key");
    *value = rwl_avro_get(item, value_id, "value");
    if (k == NULL || (k->kind != RWL_AVRO_INT && k->kind != RWL_AVRO_LONG) || k->as.i < INT32_MIN ||
        k->as.i > INT32_MAX)
        return rwl_fail(err, RWL_CORRUPT, "field %s has a key that is no field id", name);
    *key = (int32_t)k->as.i;
    return RWL_OK;
}

static rwl_status parse_counts(const rwl_avro_datum *file, int32_t id, int32_t key_id, const char *name,
                               rwl_arena *arena, const rwl_metric_count **out, int32_t *count,
                               rwl_error *err) {
    const rwl_avro_datum *list;
    *out = NULL;
    *count = 0;
    RWL_TRY(rwl_record_opt_array(file, id, name, &list, err));
    if (list == NULL)
        return RWL_OK;
    rwl_metric_count *items = rwl_arena_array(arena, (size_t)list->as.list.count, sizeof *items);
    if (items == NULL)
        return rwl_no_memory(err, sizeof *items);
    for (int32_t i = 0; i < list->as.list.count; i++) {
        const rwl_avro_datum *value;
        RWL_TRY(map_item(&list->as.list.items[i], key_id, key_id + 1, name, &items[i].field_id, &value, err));
        if (value == NULL || (value->kind != RWL_AVRO_LONG && value->kind != RWL_AVRO_INT))
            return rwl_fail(err, RWL_CORRUPT, "field %s has a count that is no number", name);
        items[i].value = value->as.i;
    }
    *out = items;
    *count = list->as.list.count;
    return RWL_OK;
}

static rwl_status parse_bounds(const rwl_avro_datum *file, int32_t id, int32_t key_id, const char *name,
                               rwl_arena *arena, const rwl_metric_bound **out, int32_t *count,
                               rwl_error *err) {
    const rwl_avro_datum *list;
    *out = NULL;
    *count = 0;
    RWL_TRY(rwl_record_opt_array(file, id, name, &list, err));
    if (list == NULL)
        return RWL_OK;
    rwl_metric_bound *items = rwl_arena_array(arena, (size_t)list->as.list.count, sizeof *items);
    if (items == NULL)
        return rwl_no_memory(err, sizeof *items);
    for (int32_t i = 0; i < list->as.list.count; i++) {
        const rwl_avro_datum *value;
        RWL_TRY(map_item(&list->as.list.items[i], key_id, key_id + 1, name, &items[i].field_id, &value, err));
        if (value == NULL || value->kind != RWL_AVRO_BYTES)
            return rwl_fail(err, RWL_CORRUPT, "field %s has a bound that is no bytes", name);
        items[i].value.len = value->as.bytes.len;
        items[i].value.data = rwl_arena_copy(arena, value->as.bytes.data, value->as.bytes.len);
        if (items[i].value.data == NULL)
            return rwl_no_memory(err, value->as.bytes.len);
    }
    *out = items;
    *count = list->as.list.count;
    return RWL_OK;
}

static rwl_status parse_metrics(const rwl_avro_datum *d, rwl_arena *arena, rwl_data_file *f, rwl_error *err) {
    RWL_TRY(parse_counts(d, RWL_FILE_COLUMN_SIZES, 117, "column_sizes", arena, &f->column_sizes,
                         &f->column_size_count, err));
    RWL_TRY(parse_counts(d, RWL_FILE_VALUE_COUNTS, 119, "value_counts", arena, &f->value_counts,
                         &f->value_count_count, err));
    RWL_TRY(parse_counts(d, RWL_FILE_NULL_COUNTS, 121, "null_value_counts", arena, &f->null_counts,
                         &f->null_count_count, err));
    RWL_TRY(parse_counts(d, RWL_FILE_NAN_COUNTS, 138, "nan_value_counts", arena, &f->nan_counts,
                         &f->nan_count_count, err));
    RWL_TRY(parse_bounds(d, RWL_FILE_LOWER_BOUNDS, 126, "lower_bounds", arena, &f->lower_bounds,
                         &f->lower_count, err));
    return parse_bounds(d, RWL_FILE_UPPER_BOUNDS, 129, "upper_bounds", arena, &f->upper_bounds,
                        &f->upper_count, err);
}

static rwl_status parse_split_offsets(const rwl_avro_datum *d, rwl_arena *arena, rwl_data_file *f,
                                      rwl_error *err) {
    const rwl_avro_datum *list;
    RWL_TRY(rwl_record_opt_array(d, RWL_FILE_SPLIT_OFFSETS, "split_offsets", &list, err));
    if (list == NULL)
        return RWL_OK;
    int64_t *items = rwl_arena_array(arena, (size_t)list->as.list.count, sizeof *items);
    if (items == NULL)
        return rwl_no_memory(err, sizeof *items);
    for (int32_t i = 0; i < list->as.list.count; i++) {
        const rwl_avro_datum *item = &list->as.list.items[i];
        if (item->kind != RWL_AVRO_LONG && item->kind != RWL_AVRO_INT)
            return rwl_fail(err, RWL_CORRUPT, "field split_offsets has an item that is no number");
        items[i] = item->as.i;
    }
    f->split_offsets = items;
    f->split_count = list->as.list.count;
    return RWL_OK;
}

static rwl_status parse_equality_ids(const rwl_avro_datum *d, rwl_arena *arena, rwl_data_file *f,
                                     rwl_error *err) {
    const rwl_avro_datum *list;
    RWL_TRY(rwl_record_opt_array(d, RWL_FILE_EQUALITY_IDS, "equality_ids", &list, err));
    if (list == NULL)
        return RWL_OK;
    int32_t *items = rwl_arena_array(arena, (size_t)list->as.list.count, sizeof *items);
    if (items == NULL)
        return rwl_no_memory(err, sizeof *items);
    for (int32_t i = 0; i < list->as.list.count; i++) {
        const rwl_avro_datum *item = &list->as.list.items[i];
        if ((item->kind != RWL_AVRO_LONG && item->kind != RWL_AVRO_INT) || item->as.i < 0 ||
            item->as.i > INT32_MAX)
            return rwl_fail(err, RWL_CORRUPT, "field equality_ids has an item that is no field id");
        items[i] = (int32_t)item->as.i;
    }
    f->equality_ids = items;
    f->equality_count = list->as.list.count;
    return RWL_OK;
}

static rwl_status parse_partition(const rwl_avro_datum *d, const rwl_partition_spec *spec,
                                  const rwl_type *types, rwl_arena *arena, rwl_data_file *f, rwl_error *err) {
    const rwl_avro_datum *record = rwl_avro_get(d, RWL_FILE_PARTITION, "partition");
    if (record != NULL && record->kind != RWL_AVRO_RECORD)
        return rwl_fail(err, RWL_CORRUPT, "field partition (id 102) is no record");
    rwl_value *values = rwl_arena_array(arena, (size_t)spec->field_count, sizeof *values);
    if (values == NULL)
        return rwl_no_memory(err, sizeof *values);
    for (int32_t i = 0; i < spec->field_count; i++) {
        const rwl_avro_datum *value =
            record == NULL ? NULL : rwl_avro_get(record, spec->fields[i].field_id, spec->fields[i].name);
        rwl_status st = rwl_partition_value(value, &types[i], arena, &values[i], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "partition field %s", spec->fields[i].name);
    }
    f->partition = values;
    f->partition_count = spec->field_count;
    return RWL_OK;
}

static rwl_status parse_numbers(const rwl_avro_datum *d, rwl_data_file *f, rwl_error *err) {
    RWL_TRY(rwl_record_opt_i32(d, RWL_FILE_CONTENT, "content", RWL_CONTENT_DATA, &f->content, err));
    RWL_TRY(rwl_record_i64(d, RWL_FILE_RECORD_COUNT, "record_count", &f->record_count, err));
    RWL_TRY(rwl_record_i64(d, RWL_FILE_SIZE, "file_size_in_bytes", &f->file_size, err));
    RWL_TRY(rwl_record_opt_i32(d, RWL_FILE_SORT_ORDER_ID, "sort_order_id", -1, &f->sort_order_id, err));
    const rwl_avro_datum *first = rwl_avro_get(d, RWL_FILE_FIRST_ROW_ID, "first_row_id");
    f->stored_has_first_row_id = first != NULL;
    RWL_TRY(rwl_record_opt_i64(d, RWL_FILE_FIRST_ROW_ID, "first_row_id", 0, &f->stored_first_row_id, err));
    RWL_TRY(rwl_record_opt_i64(d, RWL_FILE_CONTENT_OFFSET, "content_offset", -1, &f->content_offset, err));
    RWL_TRY(rwl_record_opt_i64(d, RWL_FILE_CONTENT_SIZE, "content_size_in_bytes", -1, &f->content_size, err));
    if (f->content < RWL_CONTENT_DATA || f->content > RWL_CONTENT_EQUALITY_DELETES)
        return rwl_fail(err, RWL_CORRUPT, "content is %" PRId32 ", not 0, 1 or 2", f->content);
    if (f->record_count < 0 || f->file_size < 0)
        return rwl_fail(err, RWL_CORRUPT,
                        "record_count %" PRId64 " or file_size_in_bytes %" PRId64 " is negative",
                        f->record_count, f->file_size);
    return RWL_OK;
}

static rwl_status parse_file(const rwl_avro_datum *d, const rwl_partition_spec *spec, const rwl_type *types,
                             rwl_arena *arena, rwl_data_file *f, rwl_error *err) {
    RWL_TRY(rwl_record_str(d, RWL_FILE_PATH, "file_path", arena, &f->file_path, err));
    rwl_status st = rwl_record_str(d, RWL_FILE_FORMAT, "file_format", arena, &f->file_format, err);
    if (st == RWL_OK)
        st = parse_numbers(d, f, err);
    if (st == RWL_OK)
        st = parse_partition(d, spec, types, arena, f, err);
    if (st == RWL_OK)
        st = parse_metrics(d, arena, f, err);
    if (st == RWL_OK)
        st = rwl_record_opt_bytes(d, RWL_FILE_KEY_METADATA, "key_metadata", arena, &f->key_metadata, err);
    if (st == RWL_OK)
        st = parse_split_offsets(d, arena, f, err);
    if (st == RWL_OK)
        st = parse_equality_ids(d, arena, f, err);
    if (st == RWL_OK)
        st = rwl_record_opt_str(d, RWL_FILE_REFERENCED, "referenced_data_file", arena,
                                &f->referenced_data_file, err);
    f->spec_id = spec->spec_id;
    return st == RWL_OK ? RWL_OK : rwl_error_in(err, st, "entry of %s", f->file_path);
}

rwl_status rwl_manifest_entry_parse(const rwl_avro_datum *record, const rwl_partition_spec *spec,
                                    const rwl_type *types, rwl_arena *arena, rwl_manifest_entry *out,
                                    rwl_error *err) {
    memset(out, 0, sizeof *out);
    int64_t status;
    RWL_TRY(rwl_record_i64(record, RWL_ENTRY_STATUS, "status", &status, err));
    if (status < RWL_STATUS_EXISTING || status > RWL_STATUS_DELETED)
        return rwl_fail(err, RWL_CORRUPT, "entry status is %" PRId64 ", not 0, 1 or 2", status);
    out->status = (int32_t)status;
    RWL_TRY(
        rwl_record_opt_i64(record, RWL_ENTRY_SNAPSHOT_ID, "snapshot_id", -1, &out->stored_snapshot_id, err));
    RWL_TRY(rwl_record_opt_i64(record, RWL_ENTRY_SEQUENCE_NUMBER, "sequence_number", -1,
                               &out->stored_sequence_number, err));
    RWL_TRY(rwl_record_opt_i64(record, RWL_ENTRY_FILE_SEQUENCE_NUMBER, "file_sequence_number", -1,
                               &out->stored_file_sequence_number, err));
    const rwl_avro_datum *file = rwl_avro_get(record, RWL_ENTRY_DATA_FILE, "data_file");
    if (file == NULL || file->kind != RWL_AVRO_RECORD)
        return rwl_fail(err, RWL_CORRUPT, "required field data_file (id 2) is missing or no record");
    return parse_file(file, spec, types, arena, &out->file, err);
}
