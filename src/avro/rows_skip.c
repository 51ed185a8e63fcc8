/* SPDX-License-Identifier: Apache-2.0 */
/* Passing over values: fixed lengths at once, runs of items by their size where they tell it. */
#include "avro/primitives.h"
#include "avro/rows_internal.h"

static rwl_status skip_number(rwl_cursor *in, rwl_error *err) {
    int64_t number;
    return rwl_avro_read_long(in, &number, err);
}

static rwl_status skip_bytes(rwl_cursor *in, rwl_error *err) {
    rwl_span bytes;
    return rwl_avro_read_bytes(in, &bytes, err);
}

static rwl_status skip_run(rwl_cursor *in, const rwl_avro_schema *schema, int64_t count, rwl_error *err) {
    const rwl_avro_schema *item = schema->branches[0];
    int64_t left = (int64_t)rwl_cursor_left(in);
    bool is_map = schema->kind == RWL_AVRO_MAP;
    if (item->min_len > 0 && count > left / item->min_len)
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)in->pos,
                           "%" PRId64 " items cannot be in %" PRId64 " bytes", count, left);
    if (!is_map && item->fixed_len >= 0) /* of no bytes, or not more than are left */
        return item->fixed_len == 0 ? RWL_OK : rwl_cursor_skip(in, (size_t)(count * item->fixed_len), err);
    for (; count > 0; count--) { /* each takes bytes: the end of the block ends this */
        if (is_map)
            RWL_TRY(skip_bytes(in, err));
        RWL_TRY(rwl_avro_skip(in, item, err));
    }
    return RWL_OK;
}

static rwl_status skip_items(rwl_cursor *in, const rwl_avro_schema *schema, rwl_error *err) {
    for (;;) {
        int64_t count, size;
        RWL_TRY(rwl_avro_read_count(in, &count, &size, err));
        if (count == 0)
            return RWL_OK;
        if (size >= 0)
            RWL_TRY(rwl_cursor_skip(in, (size_t)size, err));
        else
            RWL_TRY(skip_run(in, schema, count, err));
    }
}

/* Recursion ends with the schema's height, at most RWL_AVRO_DEPTH_MAX. */
rwl_status rwl_avro_skip(rwl_cursor *in, const rwl_avro_schema *schema, rwl_error *err) {
    int64_t index;
    if (schema->fixed_len >= 0)
        return rwl_cursor_skip(in, (size_t)schema->fixed_len, err);
    switch (schema->kind) {
    case RWL_AVRO_UNION:
        RWL_TRY(rwl_avro_read_index(in, schema->branch_count, "union branch", &index, err));
        return rwl_avro_skip(in, schema->branches[index], err);
    case RWL_AVRO_BYTES:
    case RWL_AVRO_STRING:
        return skip_bytes(in, err);
    case RWL_AVRO_ARRAY:
    case RWL_AVRO_MAP:
        return skip_items(in, schema, err);
    case RWL_AVRO_RECORD:
        for (int32_t i = 0; i < schema->field_count; i++)
            RWL_TRY(rwl_avro_skip(in, schema->fields[i].schema, err));
        return RWL_OK;
    default:
        return skip_number(in, err);
    }
}
