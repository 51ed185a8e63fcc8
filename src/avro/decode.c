/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding values: counts and lengths are compared with the bytes that are left before memory is asked for.
 */
#include "avro/decode.h"

#include "avro/primitives.h"

static const rwl_avro_schema key_schema = {.kind = RWL_AVRO_STRING,
                                           .adjust_to_utc = -1,
                                           .element_id = -1,
                                           .key_id = -1,
                                           .value_id = -1,
                                           .min_len = 1,
                                           .height = 1};

static rwl_status read_float(rwl_cursor *c, float *out, rwl_error *err) {
    uint32_t bits;
    RWL_TRY(rwl_cursor_le32(c, &bits, err));
    memcpy(out, &bits, sizeof *out);
    return RWL_OK;
}

static rwl_status read_double(rwl_cursor *c, double *out, rwl_error *err) {
    uint64_t bits;
    RWL_TRY(rwl_cursor_le64(c, &bits, err));
    memcpy(out, &bits, sizeof *out);
    return RWL_OK;
}

/* --- records and lists --- */

static rwl_status take_values(rwl_avro_decoder *d, int64_t count, rwl_error *err) {
    d->values_left -= count;
    if (d->values_left < 0)
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)d->in.pos,
                           "more values than the file's bytes may hold");
    return RWL_OK;
}

static rwl_status new_datums(rwl_avro_decoder *d, size_t count, rwl_avro_datum **out, rwl_error *err) {
    size_t size = count * sizeof **out; /* count is bounded by values_left */
    *out = rwl_arena_alloc(d->arena, size);
    if (*out != NULL)
        return RWL_OK;
    if (d->arena->max > 0 && size > d->arena->max - d->arena->used)
        return rwl_fail_at(err, RWL_UNSUPPORTED, (int64_t)d->in.pos,
                           "record takes more than %zu bytes of memory", d->arena->max);
    return rwl_no_memory(err, size);
}

static rwl_status decode_record(rwl_avro_decoder *d, const rwl_avro_schema *schema, rwl_avro_datum *out,
                                rwl_error *err) {
    rwl_avro_datum *items;
    RWL_TRY(take_values(d, schema->field_count, err));
    RWL_TRY(new_datums(d, (size_t)schema->field_count, &items, err));
    for (int32_t i = 0; i < schema->field_count; i++) {
        rwl_status st = rwl_avro_decode(d, schema->fields[i].schema, &items[i], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "field '%.60s'", schema->fields[i].name);
    }
    out->as.list.items = items;
    out->as.list.count = schema->field_count;
    return RWL_OK;
}

/* Items of an array, or keys and values of a map in turn. */
static rwl_status decode_list(rwl_avro_decoder *d, const rwl_avro_schema *schema, rwl_avro_datum *out,
                              rwl_error *err) {
    const rwl_avro_schema *item = schema->branches[0];
    int64_t each = schema->kind == RWL_AVRO_MAP ? 2 : 1, count, size, len = 0, cap = 0;
    int64_t item_len = (int64_t)item->min_len + (each - 1);
    rwl_avro_datum *items = NULL;
    for (;;) {
        int64_t at = (int64_t)d->in.pos;
        RWL_TRY(rwl_avro_read_count(&d->in, &count, &size, err));
        if (count == 0)
            break;
        int64_t left = (int64_t)rwl_cursor_left(&d->in);
        if ((item_len > 0 && count > left / item_len) || count > INT32_MAX / 2 - len)
            return rwl_fail_at(err, RWL_CORRUPT, at, "%" PRId64 " items cannot be in %" PRId64 " bytes",
                               count, left);
        RWL_TRY(take_values(d, count * each, err));
        if (len + count * each > cap) {
            rwl_avro_datum *grown;
            cap = len + count * each > 2 * cap ? len + count * each : 2 * cap;
            RWL_TRY(new_datums(d, (size_t)cap, &grown, err));
            if (len > 0)
                memcpy(grown, items, (size_t)len * sizeof *items);
            items = grown;
        }
        for (int64_t i = 0; i < count; i++) {
            if (each == 2)
                RWL_TRY(rwl_avro_decode(d, &key_schema, &items[len++], err));
            RWL_TRY(rwl_avro_decode(d, item, &items[len++], err));
        }
    }
    out->as.list.items = items;
    out->as.list.count = (int32_t)len;
    return RWL_OK;
}

/* --- any value --- */

/* Recursion ends with the schema's height, at most RWL_AVRO_DEPTH_MAX. */
rwl_status rwl_avro_decode(rwl_avro_decoder *d, const rwl_avro_schema *schema, rwl_avro_datum *out,
                           rwl_error *err) {
    int64_t index;
    if (schema->kind == RWL_AVRO_UNION) {
        RWL_TRY(rwl_avro_read_index(&d->in, schema->branch_count, "union branch", &index, err));
        schema = schema->branches[index]; /* which is no union */
    }
    out->schema = schema;
    out->kind = schema->kind;
    switch (schema->kind) {
    case RWL_AVRO_NULL:
    case RWL_AVRO_UNION:
        return RWL_OK;
    case RWL_AVRO_BOOLEAN:
        return rwl_avro_read_bool(&d->in, &out->as.b, err);
    case RWL_AVRO_INT:
        return rwl_avro_read_int(&d->in, &out->as.i, err);
    case RWL_AVRO_LONG:
        return rwl_avro_read_long(&d->in, &out->as.i, err);
    case RWL_AVRO_FLOAT:
        return read_float(&d->in, &out->as.f, err);
    case RWL_AVRO_DOUBLE:
        return read_double(&d->in, &out->as.d, err);
    case RWL_AVRO_BYTES:
    case RWL_AVRO_STRING:
        return rwl_avro_read_bytes(&d->in, &out->as.bytes, err);
    case RWL_AVRO_FIXED:
        return rwl_cursor_bytes(&d->in, (size_t)schema->size, &out->as.bytes, err);
    case RWL_AVRO_ENUM:
        return rwl_avro_read_index(&d->in, schema->symbol_count, "enum symbol", &out->as.i, err);
    case RWL_AVRO_ARRAY:
    case RWL_AVRO_MAP:
        return decode_list(d, schema, out, err);
    case RWL_AVRO_RECORD:
        return decode_record(d, schema, out, err);
    }
    return rwl_fail(err, RWL_INTERNAL, "schema node has kind %d", (int)schema->kind);
}

/* --- looking into records --- */

static const rwl_avro_datum *value_at(const rwl_avro_datum *record, int32_t i) {
    const rwl_avro_datum *value = &record->as.list.items[i];
    return value->kind == RWL_AVRO_NULL ? NULL : value;
}

const rwl_avro_datum *rwl_avro_get(const rwl_avro_datum *record, int32_t field_id, const char *name) {
    if (record == NULL || record->kind != RWL_AVRO_RECORD)
        return NULL;
    const rwl_avro_schema *schema = record->schema;
    if (*schema->has_ids) {
        for (int32_t i = 0; i < schema->field_count; i++)
            if (schema->fields[i].id == field_id && field_id >= 0)
                return value_at(record, i);
        return NULL;
    }
    for (int32_t i = 0; i < schema->field_count && name != NULL; i++)
        if (strcmp(schema->fields[i].name, name) == 0)
            return value_at(record, i);
    return NULL;
}
