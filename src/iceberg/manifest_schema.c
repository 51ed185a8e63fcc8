/* SPDX-License-Identifier: Apache-2.0 */
/* The Avro schemas of manifests and manifest lists, versions 2 and 3 (specification, appendix A "Avro"). */
#include "iceberg/manifest_internal.h"

#include "base/int128.h"

#include <inttypes.h>
#include <stdio.h>

/* One field of a record; its type is an Avro type in JSON, optional ones become a union with null. */
typedef struct schema_field {
    int32_t id;
    const char *name;
    const char *type;
    bool optional;
    int32_t since; /* format version that brought it */
} schema_field;

#define MAP_OF(key, value, type)                                                                             \
    "{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"k" #key "_v" #value "\",\"fields\":["     \
    "{\"name\":\"key\",\"type\":\"int\",\"field-id\":" #key "},"                                             \
    "{\"name\":\"value\",\"type\":\"" type "\",\"field-id\":" #value "}]},\"logicalType\":\"map\"}"
#define LIST_OF(element, type) "{\"type\":\"array\",\"items\":\"" type "\",\"element-id\":" #element "}"

/* data_file after the partition struct; before it stand content, file_path and file_format. */
static const schema_field FILE_HEAD[] = {
    {RWL_FILE_CONTENT, "content", "\"int\"", false, 2},
    {RWL_FILE_PATH, "file_path", "\"string\"", false, 2},
    {RWL_FILE_FORMAT, "file_format", "\"string\"", false, 2},
};
static const schema_field FILE_TAIL[] = {
    {RWL_FILE_RECORD_COUNT, "record_count", "\"long\"", false, 2},
    {RWL_FILE_SIZE, "file_size_in_bytes", "\"long\"", false, 2},
    {RWL_FILE_COLUMN_SIZES, "column_sizes", MAP_OF(117, 118, "long"), true, 2},
    {RWL_FILE_VALUE_COUNTS, "value_counts", MAP_OF(119, 120, "long"), true, 2},
    {RWL_FILE_NULL_COUNTS, "null_value_counts", MAP_OF(121, 122, "long"), true, 2},
    {RWL_FILE_NAN_COUNTS, "nan_value_counts", MAP_OF(138, 139, "long"), true, 2},
    {RWL_FILE_LOWER_BOUNDS, "lower_bounds", MAP_OF(126, 127, "bytes"), true, 2},
    {RWL_FILE_UPPER_BOUNDS, "upper_bounds", MAP_OF(129, 130, "bytes"), true, 2},
    {RWL_FILE_KEY_METADATA, "key_metadata", "\"bytes\"", true, 2},
    {RWL_FILE_SPLIT_OFFSETS, "split_offsets", LIST_OF(133, "long"), true, 2},
    {RWL_FILE_EQUALITY_IDS, "equality_ids", LIST_OF(136, "int"), true, 2},
    {RWL_FILE_SORT_ORDER_ID, "sort_order_id", "\"int\"", true, 2},
    {RWL_FILE_FIRST_ROW_ID, "first_row_id", "\"long\"", true, 3},
    {RWL_FILE_REFERENCED, "referenced_data_file", "\"string\"", true, 2},
    {RWL_FILE_CONTENT_OFFSET, "content_offset", "\"long\"", true, 3},
    {RWL_FILE_CONTENT_SIZE, "content_size_in_bytes", "\"long\"", true, 3},
};
static const schema_field ENTRY[] = {
    {RWL_ENTRY_STATUS, "status", "\"int\"", false, 2},
    {RWL_ENTRY_SNAPSHOT_ID, "snapshot_id", "\"long\"", true, 2},
    {RWL_ENTRY_SEQUENCE_NUMBER, "sequence_number", "\"long\"", true, 2},
    {RWL_ENTRY_FILE_SEQUENCE_NUMBER, "file_sequence_number", "\"long\"", true, 2},
};
#define SUMMARY                                                                                              \
    "{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"r508\",\"fields\":["                      \
    "{\"name\":\"contains_null\",\"type\":\"boolean\",\"field-id\":509},"                                    \
    "{\"name\":\"contains_nan\",\"type\":[\"null\",\"boolean\"],\"default\":null,\"field-id\":518},"         \
    "{\"name\":\"lower_bound\",\"type\":[\"null\",\"bytes\"],\"default\":null,\"field-id\":510},"            \
    "{\"name\":\"upper_bound\",\"type\":[\"null\",\"bytes\"],\"default\":null,\"field-id\":511}]},"          \
    "\"element-id\":508}"
static const schema_field LIST[] = {
    {RWL_LIST_PATH, "manifest_path", "\"string\"", false, 2},
    {RWL_LIST_LENGTH, "manifest_length", "\"long\"", false, 2},
    {RWL_LIST_SPEC_ID, "partition_spec_id", "\"int\"", false, 2},
    {RWL_LIST_CONTENT, "content", "\"int\"", false, 2},
    {RWL_LIST_SEQUENCE_NUMBER, "sequence_number", "\"long\"", false, 2},
    {RWL_LIST_MIN_SEQUENCE_NUMBER, "min_sequence_number", "\"long\"", false, 2},
    {RWL_LIST_ADDED_SNAPSHOT_ID, "added_snapshot_id", "\"long\"", false, 2},
    {RWL_LIST_ADDED_FILES, "added_files_count", "\"int\"", false, 2},
    {RWL_LIST_EXISTING_FILES, "existing_files_count", "\"int\"", false, 2},
    {RWL_LIST_DELETED_FILES, "deleted_files_count", "\"int\"", false, 2},
    {RWL_LIST_ADDED_ROWS, "added_rows_count", "\"long\"", false, 2},
    {RWL_LIST_EXISTING_ROWS, "existing_rows_count", "\"long\"", false, 2},
    {RWL_LIST_DELETED_ROWS, "deleted_rows_count", "\"long\"", false, 2},
    {RWL_LIST_PARTITIONS, "partitions", SUMMARY, true, 2},
    {RWL_LIST_KEY_METADATA, "key_metadata", "\"bytes\"", true, 2},
    {RWL_LIST_FIRST_ROW_ID, "first_row_id", "\"long\"", true, 3},
};
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static rwl_status put_fields(const schema_field *fields, size_t count, int32_t version, bool *first,
                             rwl_buf *out, rwl_error *err) {
    for (size_t i = 0; i < count; i++) {
        const schema_field *f = &fields[i];
        if (f->since > version)
            continue;
        RWL_TRY(rwl_buf_printf(out, err, "%s{\"name\":\"%s\",\"type\":%s%s%s,\"field-id\":%" PRId32 "}",
                               *first ? "" : ",", f->name, f->optional ? "[\"null\"," : "", f->type,
                               f->optional ? "],\"default\":null" : "", f->id));
        *first = false;
    }
    return RWL_OK;
}

int32_t rwl_decimal_fixed_size(int32_t precision) {
    rwl_i128 most = rwl_i128_pow10(precision < 0 ? 0 : precision > 38 ? 38 : precision) - 1;
    uint8_t bytes[16];
    return (int32_t)rwl_i128_to_be(most, bytes);
}

/* Named types may be defined once in a schema; a second use is its name alone. */
static bool used_before(const rwl_type *types, int32_t i) {
    for (int32_t j = 0; j < i; j++) {
        if (types[j].kind != types[i].kind)
            continue;
        if (types[i].kind == RWL_TYPE_UUID)
            return true;
        if (types[i].kind == RWL_TYPE_FIXED && types[i].length == types[j].length)
            return true;
        if (types[i].kind == RWL_TYPE_DECIMAL && types[i].precision == types[j].precision &&
            types[i].scale == types[j].scale)
            return true;
    }
    return false;
}

static rwl_status put_named(const rwl_type *type, bool again, rwl_buf *out, rwl_error *err) {
    char name[40];
    char extra[80] = "";
    int32_t size = type->length;
    if (type->kind == RWL_TYPE_UUID) {
        snprintf(name, sizeof name, "uuid_fixed");
        snprintf(extra, sizeof extra, ",\"logicalType\":\"uuid\"");
        size = 16;
    } else if (type->kind == RWL_TYPE_FIXED) {
        snprintf(name, sizeof name, "fixed_%" PRId32, type->length);
    } else {
        snprintf(name, sizeof name, "decimal_%" PRId32 "_%" PRId32, type->precision, type->scale);
        snprintf(extra, sizeof extra,
                 ",\"logicalType\":\"decimal\",\"precision\":%" PRId32 ",\"scale\":%" PRId32, type->precision,
                 type->scale);
        size = rwl_decimal_fixed_size(type->precision);
    }
    if (again)
        return rwl_buf_printf(out, err, "\"%s\"", name);
    return rwl_buf_printf(out, err, "{\"type\":\"fixed\",\"name\":\"%s\",\"size\":%" PRId32 "%s}", name, size,
                          extra);
}

static rwl_status put_type(const rwl_type *type, bool again, rwl_buf *out, rwl_error *err) {
    static const char *const TEXTS[] = {
        [RWL_TYPE_BOOLEAN] = "\"boolean\"",
        [RWL_TYPE_INT] = "\"int\"",
        [RWL_TYPE_LONG] = "\"long\"",
        [RWL_TYPE_FLOAT] = "\"float\"",
        [RWL_TYPE_DOUBLE] = "\"double\"",
        [RWL_TYPE_DATE] = "{\"type\":\"int\",\"logicalType\":\"date\"}",
        [RWL_TYPE_TIME] = "{\"type\":\"long\",\"logicalType\":\"time-micros\"}",
        [RWL_TYPE_TIMESTAMP] =
            "{\"type\":\"long\",\"logicalType\":\"timestamp-micros\",\"adjust-to-utc\":false}",
        [RWL_TYPE_TIMESTAMPTZ] =
            "{\"type\":\"long\",\"logicalType\":\"timestamp-micros\",\"adjust-to-utc\":true}",
        [RWL_TYPE_TIMESTAMP_NS] =
            "{\"type\":\"long\",\"logicalType\":\"timestamp-nanos\",\"adjust-to-utc\":false}",
        [RWL_TYPE_TIMESTAMPTZ_NS] =
            "{\"type\":\"long\",\"logicalType\":\"timestamp-nanos\",\"adjust-to-utc\":true}",
        [RWL_TYPE_STRING] = "\"string\"",
        [RWL_TYPE_BINARY] = "\"bytes\"",
    };
    if (type->kind == RWL_TYPE_UUID || type->kind == RWL_TYPE_FIXED || type->kind == RWL_TYPE_DECIMAL)
        return put_named(type, again, out, err);
    if ((size_t)type->kind >= COUNT_OF(TEXTS) || TEXTS[type->kind] == NULL)
        return rwl_fail(err, RWL_UNSUPPORTED, "partition values of type number %d can't be written",
                        (int)type->kind);
    return rwl_buf_str(out, TEXTS[type->kind], err);
}

/* The code point at `*p`, which is moved behind it; bytes that are no UTF-8 count one by one. */
static uint32_t next_code_point(const char **p) {
    const uint8_t *s = (const uint8_t *)*p;
    int more = s[0] >= 0xF0 ? 3 : s[0] >= 0xE0 ? 2 : s[0] >= 0xC0 ? 1 : 0;
    uint32_t c = more == 0 ? s[0] : s[0] & (0x3Fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            *p += 1;
            return s[0];
        }
        c = c << 6 | (s[i] & 0x3Fu);
    }
    *p += more + 1;
    return c;
}

/* A field name as Avro allows it: a leading digit d becomes _d, other characters _x and their code point. */
static rwl_status sanitize(const char *name, rwl_buf *out, bool *changed, rwl_error *err) {
    *changed = *name == 0;
    if (*name == 0)
        RWL_TRY(rwl_buf_str(out, "_", err));
    for (const char *p = name; *p != 0;) {
        bool leading = p == name;
        uint32_t c = next_code_point(&p);
        bool digit = c >= '0' && c <= '9';
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (letter || (digit && !leading)) {
            RWL_TRY(rwl_buf_u8(out, (uint8_t)c, err));
            continue;
        }
        *changed = true;
        if (digit)
            RWL_TRY(rwl_buf_printf(out, err, "_%c", (char)c));
        else
            RWL_TRY(rwl_buf_printf(out, err, "_x%" PRIX32, c));
    }
    return RWL_OK;
}

/* Whether an earlier field of `spec` has the sanitised name of field i. */
static rwl_status name_is_taken(const rwl_partition_spec *spec, int32_t i, rwl_span name, const rwl_env *env,
                                bool *taken, rwl_error *err) {
    rwl_buf other;
    rwl_buf_init(&other, env, SIZE_MAX);
    rwl_status st = RWL_OK;
    *taken = false;
    for (int32_t j = 0; j < i && !*taken; j++) {
        bool changed;
        rwl_buf_reset(&other);
        RWL_GOTO(st, sanitize(spec->fields[j].name, &other, &changed, err), out);
        *taken = rwl_span_equal(rwl_buf_span(&other), name);
    }
out:
    rwl_buf_clear(&other);
    return st;
}

static rwl_status put_partition_field(const rwl_partition_spec *spec, const rwl_type *types, int32_t i,
                                      rwl_buf *out, rwl_error *err) {
    const rwl_partition_field *f = &spec->fields[i];
    rwl_buf name;
    rwl_buf_init(&name, out->env, SIZE_MAX);
    bool changed = false, taken = false;
    rwl_status st;
    RWL_GOTO(st, sanitize(f->name, &name, &changed, err), done);
    RWL_GOTO(st, name_is_taken(spec, i, rwl_buf_span(&name), out->env, &taken, err), done);
    if (taken)
        RWL_GOTO(st, rwl_buf_printf(&name, err, "_%" PRId32, f->field_id), done);
    RWL_GOTO(st, rwl_buf_terminate(&name, err), done);
    RWL_GOTO(st,
             rwl_buf_printf(out, err, "%s{\"name\":\"%s\",\"type\":", i == 0 ? "" : ",", (char *)name.data),
             done);
    if (types[i].kind == RWL_TYPE_UNKNOWN) {
        RWL_GOTO(st, rwl_buf_str(out, "\"null\"", err), done);
    } else {
        RWL_GOTO(st, rwl_buf_str(out, "[\"null\",", err), done);
        RWL_GOTO(st, put_type(&types[i], used_before(types, i), out, err), done);
        RWL_GOTO(st, rwl_buf_str(out, "]", err), done);
    }
    if (changed || taken) {
        RWL_GOTO(st, rwl_buf_str(out, ",\"iceberg-field-name\":", err), done);
        RWL_GOTO(st, rwl_json_quote(rwl_span_str(f->name), out, err), done);
    }
    st = rwl_buf_printf(out, err, ",\"default\":null,\"field-id\":%" PRId32 "}", f->field_id);
done:
    rwl_buf_clear(&name);
    return st;
}

rwl_status rwl_manifest_schema(int32_t version, const rwl_partition_spec *spec, const rwl_type *types,
                               rwl_buf *out, rwl_error *err) {
    bool first = true;
    RWL_TRY(rwl_buf_str(out, "{\"type\":\"record\",\"name\":\"manifest_entry\",\"fields\":[", err));
    RWL_TRY(put_fields(ENTRY, COUNT_OF(ENTRY), version, &first, out, err));
    RWL_TRY(rwl_buf_str(
        out, ",{\"name\":\"data_file\",\"type\":{\"type\":\"record\",\"name\":\"r2\",\"fields\":[", err));
    first = true;
    RWL_TRY(put_fields(FILE_HEAD, COUNT_OF(FILE_HEAD), version, &first, out, err));
    RWL_TRY(rwl_buf_str(
        out, ",{\"name\":\"partition\",\"type\":{\"type\":\"record\",\"name\":\"r102\",\"fields\":[", err));
    for (int32_t i = 0; i < spec->field_count; i++)
        RWL_TRY(put_partition_field(spec, types, i, out, err));
    RWL_TRY(rwl_buf_str(out, "]},\"field-id\":102}", err));
    RWL_TRY(put_fields(FILE_TAIL, COUNT_OF(FILE_TAIL), version, &first, out, err));
    return rwl_buf_str(out, "]},\"field-id\":2}]}", err);
}

rwl_status rwl_manifest_list_schema(int32_t version, rwl_buf *out, rwl_error *err) {
    bool first = true;
    RWL_TRY(rwl_buf_str(out, "{\"type\":\"record\",\"name\":\"manifest_file\",\"fields\":[", err));
    RWL_TRY(put_fields(LIST, COUNT_OF(LIST), version, &first, out, err));
    return rwl_buf_str(out, "]}", err);
}
