/* SPDX-License-Identifier: Apache-2.0 */
/* A manifest entry as an Avro record, in the field order of manifest_schema.c. */
#include "iceberg/manifest_internal.h"

static rwl_status put_opt_i64(rwl_buf *out, int64_t v, bool present, rwl_error *err) {
    RWL_TRY(rwl_avro_put_long(out, present ? 1 : 0, err));
    return present ? rwl_avro_put_long(out, v, err) : RWL_OK;
}

static rwl_status put_opt_bytes(rwl_buf *out, rwl_span v, rwl_error *err) {
    RWL_TRY(rwl_avro_put_long(out, v.data != NULL ? 1 : 0, err));
    return v.data != NULL ? rwl_avro_put_bytes(out, v, err) : RWL_OK;
}

static rwl_status put_opt_str(rwl_buf *out, const char *v, rwl_error *err) {
    return put_opt_bytes(out, v == NULL ? rwl_span_of(NULL, 0) : rwl_span_str(v), err);
}

/* Head of an optional array: the union's branch, then the count of the one block; 0 ends the array. */
static rwl_status open_array(rwl_buf *out, bool present, int32_t count, rwl_error *err) {
    RWL_TRY(rwl_avro_put_long(out, present ? 1 : 0, err));
    return present && count > 0 ? rwl_avro_put_long(out, count, err) : RWL_OK;
}

static rwl_status close_array(rwl_buf *out, bool present, rwl_error *err) {
    return present ? rwl_avro_put_long(out, 0, err) : RWL_OK;
}

static rwl_status put_counts(rwl_buf *out, const rwl_metric_count *items, int32_t count, rwl_error *err) {
    RWL_TRY(open_array(out, items != NULL, count, err));
    for (int32_t i = 0; i < count; i++) {
        RWL_TRY(rwl_avro_put_long(out, items[i].field_id, err));
        RWL_TRY(rwl_avro_put_long(out, items[i].value, err));
    }
    return close_array(out, items != NULL, err);
}

static rwl_status put_bounds(rwl_buf *out, const rwl_metric_bound *items, int32_t count, rwl_error *err) {
    RWL_TRY(open_array(out, items != NULL, count, err));
    for (int32_t i = 0; i < count; i++) {
        RWL_TRY(rwl_avro_put_long(out, items[i].field_id, err));
        RWL_TRY(rwl_avro_put_bytes(out, items[i].value, err));
    }
    return close_array(out, items != NULL, err);
}

static rwl_status put_decimal(rwl_buf *out, rwl_i128 v, const rwl_type *type, rwl_error *err) {
    uint8_t bytes[16];
    size_t size = (size_t)rwl_decimal_fixed_size(type->precision);
    size_t len = rwl_i128_to_be(v, bytes);
    if (len > size)
        return rwl_fail(err, RWL_INTERNAL, "a decimal partition value has more than %d digits",
                        (int)type->precision);
    for (size_t i = len; i < size; i++)
        RWL_TRY(rwl_buf_u8(out, v < 0 ? 0xFF : 0, err));
    return rwl_buf_append(out, bytes, len, err);
}

static rwl_status put_value(rwl_buf *out, const rwl_value *v, const rwl_type *type, rwl_error *err) {
    if (type->kind == RWL_TYPE_UNKNOWN && v->is_null)
        return RWL_OK; /* Avro null: no bytes */
    RWL_TRY(rwl_avro_put_long(out, v->is_null ? 0 : 1, err));
    if (v->is_null)
        return RWL_OK;
    if (v->kind != type->kind)
        return rwl_fail(err, RWL_INTERNAL,
                        "a partition value of type number %d for a field of type number %d", (int)v->kind,
                        (int)type->kind);
    switch (type->kind) {
    case RWL_TYPE_BOOLEAN:
        return rwl_avro_put_bool(out, v->as.b, err);
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
        return rwl_avro_put_long(out, v->as.i32, err);
    case RWL_TYPE_LONG:
    case RWL_TYPE_TIME:
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return rwl_avro_put_long(out, v->as.i64, err);
    case RWL_TYPE_FLOAT:
        return rwl_avro_put_float(out, v->as.f32, err);
    case RWL_TYPE_DOUBLE:
        return rwl_avro_put_double(out, v->as.f64, err);
    case RWL_TYPE_DECIMAL:
        return put_decimal(out, v->as.i128, type, err);
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED:
        if (v->as.bytes.len != (size_t)(type->kind == RWL_TYPE_UUID ? 16 : type->length))
            return rwl_fail(err, RWL_INTERNAL, "a fixed partition value has %zu bytes", v->as.bytes.len);
        return rwl_buf_append(out, v->as.bytes.data, v->as.bytes.len, err);
    case RWL_TYPE_STRING:
    case RWL_TYPE_BINARY:
        return rwl_avro_put_bytes(out, v->as.bytes, err);
    case RWL_TYPE_UNKNOWN:
    case RWL_TYPE_VARIANT:
    case RWL_TYPE_GEOMETRY:
    case RWL_TYPE_GEOGRAPHY:
    case RWL_TYPE_STRUCT:
    case RWL_TYPE_LIST:
    case RWL_TYPE_MAP:
        break;
    }
    return rwl_fail(err, RWL_UNSUPPORTED, "partition values of type number %d can't be written",
                    (int)type->kind);
}

static rwl_status put_metrics(rwl_buf *out, const rwl_data_file *f, rwl_error *err) {
    RWL_TRY(put_counts(out, f->column_sizes, f->column_size_count, err));
    RWL_TRY(put_counts(out, f->value_counts, f->value_count_count, err));
    RWL_TRY(put_counts(out, f->null_counts, f->null_count_count, err));
    RWL_TRY(put_counts(out, f->nan_counts, f->nan_count_count, err));
    RWL_TRY(put_bounds(out, f->lower_bounds, f->lower_count, err));
    return put_bounds(out, f->upper_bounds, f->upper_count, err);
}

static rwl_status put_lists(rwl_buf *out, const rwl_data_file *f, rwl_error *err) {
    RWL_TRY(open_array(out, f->split_offsets != NULL, f->split_count, err));
    for (int32_t i = 0; i < f->split_count; i++)
        RWL_TRY(rwl_avro_put_long(out, f->split_offsets[i], err));
    RWL_TRY(close_array(out, f->split_offsets != NULL, err));
    RWL_TRY(open_array(out, f->equality_ids != NULL, f->equality_count, err));
    for (int32_t i = 0; i < f->equality_count; i++)
        RWL_TRY(rwl_avro_put_long(out, f->equality_ids[i], err));
    return close_array(out, f->equality_ids != NULL, err);
}

static rwl_status put_file(const rwl_data_file *f, int32_t version, const rwl_type *types, rwl_buf *out,
                           rwl_error *err) {
    RWL_TRY(rwl_avro_put_long(out, f->content, err));
    RWL_TRY(rwl_avro_put_bytes(out, rwl_span_str(f->file_path), err));
    RWL_TRY(rwl_avro_put_bytes(out, rwl_span_str(f->file_format), err));
    for (int32_t i = 0; i < f->partition_count; i++)
        RWL_TRY(put_value(out, &f->partition[i], &types[i], err));
    RWL_TRY(rwl_avro_put_long(out, f->record_count, err));
    RWL_TRY(rwl_avro_put_long(out, f->file_size, err));
    RWL_TRY(put_metrics(out, f, err));
    RWL_TRY(put_opt_bytes(out, f->key_metadata, err));
    RWL_TRY(put_lists(out, f, err));
    RWL_TRY(put_opt_i64(out, f->sort_order_id, f->sort_order_id >= 0, err));
    if (version >= 3)
        RWL_TRY(put_opt_i64(out, f->stored_first_row_id, f->stored_has_first_row_id, err));
    RWL_TRY(put_opt_str(out, f->referenced_data_file, err));
    if (version < 3)
        return RWL_OK;
    RWL_TRY(put_opt_i64(out, f->content_offset, f->content_offset >= 0, err));
    return put_opt_i64(out, f->content_size, f->content_size >= 0, err);
}

rwl_status rwl_manifest_entry_encode(const rwl_manifest_entry *entry, int32_t version, const rwl_type *types,
                                     rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_avro_put_long(out, entry->status, err));
    RWL_TRY(put_opt_i64(out, entry->stored_snapshot_id, entry->stored_snapshot_id >= 0, err));
    RWL_TRY(put_opt_i64(out, entry->stored_sequence_number, entry->stored_sequence_number >= 0, err));
    RWL_TRY(
        put_opt_i64(out, entry->stored_file_sequence_number, entry->stored_file_sequence_number >= 0, err));
    return put_file(&entry->file, version, types, out, err);
}
