/* SPDX-License-Identifier: Apache-2.0 */
/* Passing over the values of entries that nobody asked for. */
#include "iceberg/manifest_wire.h"

/* Passes over `count` numbers: as many bytes without a continuation bit. */
static rwl_status skip_varints(rwl_cursor *c, uint64_t count, rwl_error *err) {
    while (count >= 8 && rwl_cursor_left(c) >= 8) {
        uint64_t ends = ~rwl_load_le64(c->data + c->pos) & UINT64_C(0x8080808080808080);
        count -= (ends >> 7) * UINT64_C(0x0101010101010101) >> 56; /* how many bits */
        c->pos += 8;
    }
    for (; count > 0; count--)
        RWL_TRY(rwl_entry_skip_varint(c, err));
    return RWL_OK;
}

rwl_status rwl_entry_skip_varints(rwl_cursor *c, int32_t each, rwl_error *err) {
    for (;;) {
        int64_t count, size;
        RWL_TRY(rwl_entry_read_count(c, each, &count, &size, err));
        if (count == 0)
            return RWL_OK;
        if (size >= 0)
            c->pos += (size_t)size;
        else
            RWL_TRY(skip_varints(c, (uint64_t)count * (uint64_t)each, err));
    }
}

rwl_status rwl_entry_skip_bounds(rwl_cursor *c, rwl_error *err) {
    for (;;) {
        int64_t count, size;
        RWL_TRY(rwl_entry_read_count(c, 2, &count, &size, err));
        if (count == 0)
            return RWL_OK;
        if (size >= 0) {
            c->pos += (size_t)size;
            continue;
        }
        for (; count > 0; count--) {
            rwl_span bytes;
            RWL_TRY(rwl_entry_skip_varint(c, err));
            RWL_TRY(rwl_entry_read_bytes(c, &bytes, err));
        }
    }
}

static rwl_status skip_list(rwl_entry_decoder *d, const rwl_avro_schema *schema, rwl_error *err) {
    const rwl_avro_schema *item = schema->branches[0];
    bool map = schema->kind == RWL_AVRO_MAP;
    for (;;) {
        int64_t count, size;
        RWL_TRY(rwl_entry_read_count(&d->in, item->min_len + (map ? 1 : 0), &count, &size, err));
        if (count == 0)
            return RWL_OK;
        if (size >= 0) {
            d->in.pos += (size_t)size;
            continue;
        }
        for (; count > 0 && (map || item->fixed_len != 0); count--) {
            rwl_span key;
            if (map)
                RWL_TRY(rwl_entry_read_bytes(&d->in, &key, err));
            RWL_TRY(rwl_entry_skip(d, item, err));
        }
    }
}

/* Recursion ends with the schema's height, at most RWL_AVRO_DEPTH_MAX. */
rwl_status rwl_entry_skip(rwl_entry_decoder *d, const rwl_avro_schema *schema, rwl_error *err) {
    rwl_span bytes;
    int64_t index;
    if (schema->fixed_len >= 0)
        return rwl_cursor_skip(&d->in, (size_t)schema->fixed_len, err);
    switch (schema->kind) {
    case RWL_AVRO_BYTES:
    case RWL_AVRO_STRING:
        return rwl_entry_read_bytes(&d->in, &bytes, err);
    case RWL_AVRO_UNION:
        RWL_TRY(rwl_entry_read_long(&d->in, &index, err));
        if (index < 0 || index >= schema->branch_count)
            return rwl_fail_at(err, RWL_CORRUPT, (int64_t)d->in.pos,
                               "union branch is %" PRId64 ", there are %" PRId32, index,
                               schema->branch_count);
        return rwl_entry_skip(d, schema->branches[index], err);
    case RWL_AVRO_ARRAY:
    case RWL_AVRO_MAP:
        return skip_list(d, schema, err);
    case RWL_AVRO_RECORD:
        RWL_TRY(rwl_entry_take_values(d, schema->field_count, err));
        for (int32_t i = 0; i < schema->field_count; i++)
            RWL_TRY(rwl_entry_skip(d, schema->fields[i].schema, err));
        return RWL_OK;
    default:
        return rwl_entry_skip_varint(&d->in, err);
    }
}
