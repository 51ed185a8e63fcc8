/* SPDX-License-Identifier: Apache-2.0 */
/* What a delete entry says by itself: kind, scope, partition key. */
#include "iceberg/delete_index.h"

#include <math.h>
#include <strings.h>

bool rwl_delete_is_vector(const rwl_data_file *file) {
    return file->content == RWL_CONTENT_POSITION_DELETES && strcasecmp(file->file_format, "puffin") == 0;
}

static const rwl_metric_bound *find_bound(const rwl_metric_bound *bounds, int32_t count, int32_t field_id) {
    for (int32_t i = 0; i < count; i++)
        if (bounds[i].field_id == field_id)
            return &bounds[i];
    return NULL;
}

rwl_span rwl_delete_scope(const rwl_data_file *file) {
    if (file->content != RWL_CONTENT_POSITION_DELETES)
        return rwl_span_of(NULL, 0);
    if (file->referenced_data_file != NULL)
        return rwl_span_str(file->referenced_data_file);
    const rwl_metric_bound *lower =
        find_bound(file->lower_bounds, file->lower_count, RWL_FIELD_ID_DELETE_PATH);
    const rwl_metric_bound *upper =
        find_bound(file->upper_bounds, file->upper_count, RWL_FIELD_ID_DELETE_PATH);
    if (lower == NULL || upper == NULL || !rwl_span_equal(lower->value, upper->value))
        return rwl_span_of(NULL, 0);
    return lower->value;
}

bool rwl_spec_is_unpartitioned(const rwl_partition_spec *spec) {
    for (int32_t i = 0; i < spec->field_count; i++)
        if (spec->fields[i].transform.kind != RWL_TRANSFORM_VOID)
            return false;
    return true;
}

static rwl_value canonical(const rwl_value *v) {
    rwl_value out = *v;
    if (v->kind == RWL_TYPE_FLOAT && isnan(v->as.f32))
        out.as.f32 = nanf("");
    if (v->kind == RWL_TYPE_DOUBLE && isnan(v->as.f64))
        out.as.f64 = nan("");
    return out;
}

rwl_status rwl_partition_key(int32_t spec_id, const rwl_value *values, int32_t count, rwl_buf *out,
                             rwl_error *err) {
    RWL_TRY(rwl_buf_le32(out, (uint32_t)spec_id, err));
    for (int32_t i = 0; i < count; i++) {
        RWL_TRY(rwl_buf_u8(out, values[i].is_null ? 1 : 0, err));
        if (values[i].is_null)
            continue;
        size_t at = out->len;
        RWL_TRY(rwl_buf_le64(out, 0, err));
        rwl_value v = canonical(&values[i]);
        RWL_TRY(rwl_value_encode(&v, out, err));
        rwl_store_le64(out->data + at, out->len - at);
    }
    return RWL_OK;
}
