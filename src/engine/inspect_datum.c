/* SPDX-License-Identifier: Apache-2.0 */
/* Avro values as JSON, in the forms of CLI.md's "Values in JSON": the schema's logical types decide. */
#include "engine/inspect_internal.h"

/* The column type whose text form the value has; false when its kind has a form of its own. */
static bool type_of(const rwl_avro_schema *schema, rwl_type *out) {
    static const struct {
        const char *logical;
        rwl_avro_kind kind;
        rwl_type_kind type;
    } TYPES[] = {
        {"date", RWL_AVRO_INT, RWL_TYPE_DATE},
        {"time-micros", RWL_AVRO_LONG, RWL_TYPE_TIME},
        {"timestamp-micros", RWL_AVRO_LONG, RWL_TYPE_TIMESTAMPTZ},
        {"timestamp-nanos", RWL_AVRO_LONG, RWL_TYPE_TIMESTAMPTZ_NS},
        {"local-timestamp-micros", RWL_AVRO_LONG, RWL_TYPE_TIMESTAMP},
        {"local-timestamp-nanos", RWL_AVRO_LONG, RWL_TYPE_TIMESTAMP_NS},
    };
    if (schema->logical_type == NULL)
        return false;
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        if (schema->kind != TYPES[i].kind || strcmp(schema->logical_type, TYPES[i].logical) != 0)
            continue;
        *out = rwl_type_of(TYPES[i].type);
        if (schema->adjust_to_utc == 0 && out->kind == RWL_TYPE_TIMESTAMPTZ)
            out->kind = RWL_TYPE_TIMESTAMP;
        if (schema->adjust_to_utc == 0 && out->kind == RWL_TYPE_TIMESTAMPTZ_NS)
            out->kind = RWL_TYPE_TIMESTAMP_NS;
        return true;
    }
    return false;
}

/* Bytes of a decimal: big endian two's complement; those beyond 128 bits stay bytes. */
static bool decimal_of(const rwl_avro_datum *d, rwl_type *type, rwl_value *v) {
    const rwl_avro_schema *s = d->schema;
    *v = (rwl_value){.kind = RWL_TYPE_DECIMAL};
    if (s->logical_type == NULL || strcmp(s->logical_type, "decimal") != 0 || d->as.bytes.len == 0 ||
        s->precision < 1 || s->precision > 38 || s->scale < 0 || s->scale > s->precision ||
        !rwl_i128_from_be(d->as.bytes, &v->as.i128))
        return false;
    *type = rwl_type_of(RWL_TYPE_DECIMAL);
    type->precision = s->precision;
    type->scale = s->scale;
    return true;
}

static rwl_status put_bytes(const rwl_avro_datum *d, rwl_buf *out, rwl_error *err) {
    rwl_type type;
    rwl_value v;
    if (decimal_of(d, &type, &v))
        return rwl_value_format_json(&type, &v, out, err);
    bool uuid = d->kind == RWL_AVRO_FIXED && d->as.bytes.len == 16 && d->schema->logical_type != NULL &&
                strcmp(d->schema->logical_type, "uuid") == 0;
    type = rwl_type_of(d->kind == RWL_AVRO_STRING ? RWL_TYPE_STRING : uuid ? RWL_TYPE_UUID : RWL_TYPE_BINARY);
    v = (rwl_value){.kind = type.kind, .as.bytes = d->as.bytes};
    return rwl_value_format_json(&type, &v, out, err);
}

static rwl_status put_number(const rwl_avro_datum *d, rwl_buf *out, rwl_error *err) {
    rwl_type type = rwl_type_of(RWL_TYPE_LONG);
    rwl_value v = {.kind = RWL_TYPE_LONG};
    v.as.i64 = d->as.i;
    if (d->kind == RWL_AVRO_FLOAT) {
        type.kind = RWL_TYPE_FLOAT;
        v.as.f32 = d->as.f;
    } else if (d->kind == RWL_AVRO_DOUBLE) {
        type.kind = RWL_TYPE_DOUBLE;
        v.as.f64 = d->as.d;
    } else if (type_of(d->schema, &type) && type.kind == RWL_TYPE_DATE) {
        v.as.i32 = (int32_t)d->as.i;
    }
    v.kind = type.kind;
    return rwl_value_format_json(&type, &v, out, err);
}

static rwl_status put_name(const char *name, rwl_buf *out, rwl_error *err) {
    rwl_type type = rwl_type_of(RWL_TYPE_STRING);
    rwl_value v = {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_str(name)};
    return rwl_value_format_json(&type, &v, out, err);
}

/* Depth is limited by the schema's, RWL_AVRO_DEPTH_MAX. */
static rwl_status put_items(const rwl_avro_datum *d, rwl_buf *out, rwl_error *err) {
    bool is_record = d->kind == RWL_AVRO_RECORD, is_map = d->kind == RWL_AVRO_MAP;
    RWL_TRY(rwl_buf_str(out, is_record ? "{" : "[", err));
    for (int32_t i = 0; i < d->as.list.count; i++) {
        if (i > 0)
            RWL_TRY(rwl_buf_str(out, ", ", err));
        if (is_map && i % 2 == 0)
            RWL_TRY(rwl_buf_str(out, "[", err));
        if (is_record) {
            RWL_TRY(put_name(d->schema->fields[i].name, out, err));
            RWL_TRY(rwl_buf_str(out, ": ", err));
        }
        RWL_TRY(rwl_inspect_datum(&d->as.list.items[i], out, err));
        if (is_map && i % 2 == 1)
            RWL_TRY(rwl_buf_str(out, "]", err));
    }
    return rwl_buf_str(out, is_record ? "}" : "]", err);
}

rwl_status rwl_inspect_datum(const rwl_avro_datum *d, rwl_buf *out, rwl_error *err) {
    switch (d->kind) {
    case RWL_AVRO_NULL:
        return rwl_buf_str(out, "null", err);
    case RWL_AVRO_BOOLEAN:
        return rwl_buf_str(out, d->as.b ? "true" : "false", err);
    case RWL_AVRO_INT:
    case RWL_AVRO_LONG:
    case RWL_AVRO_FLOAT:
    case RWL_AVRO_DOUBLE:
        return put_number(d, out, err);
    case RWL_AVRO_BYTES:
    case RWL_AVRO_STRING:
    case RWL_AVRO_FIXED:
        return put_bytes(d, out, err);
    case RWL_AVRO_ENUM:
        if (d->as.i < 0 || d->as.i >= d->schema->symbol_count)
            return rwl_fail(err, RWL_CORRUPT, "an enum has no symbol %lld", (long long)d->as.i);
        return put_name(d->schema->symbols[d->as.i], out, err);
    case RWL_AVRO_ARRAY:
    case RWL_AVRO_MAP:
    case RWL_AVRO_RECORD:
        return put_items(d, out, err);
    case RWL_AVRO_UNION:
        break;
    }
    return rwl_fail(err, RWL_INTERNAL, "an avro union was not resolved");
}
