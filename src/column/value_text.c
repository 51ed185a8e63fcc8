/* SPDX-License-Identifier: Apache-2.0 */
/* Text and JSON forms of values (CLI.md, "Values in JSON") and their parsing. */
#include "base/time.h"
#include "base/uuid.h"
#include "column/value.h"
#include "column/variant.h"
#include "column/wkb.h"

static const char HEX[] = "0123456789abcdef";

/* --- UTF-8 --- */

/* Length of the well-formed sequence at p (Unicode, table 3-7), 0 when there is none. */
static size_t utf8_len(const uint8_t *p, size_t left) {
    uint8_t c = p[0];
    if (c < 0x80)
        return 1;
    size_t len = c >= 0xC2 && c <= 0xDF ? 2 : c >= 0xE0 && c <= 0xEF ? 3 : c >= 0xF0 && c <= 0xF4 ? 4 : 0;
    if (len == 0 || left < len)
        return 0;
    uint8_t low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
    uint8_t high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < len; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    }
    return len;
}

bool rwl_utf8_valid(rwl_span bytes) {
    size_t i = 0;
    while (i < bytes.len) {
        uint64_t word;
        if (bytes.len - i >= sizeof word) {
            memcpy(&word, bytes.data + i, sizeof word);
            if ((word & UINT64_C(0x8080808080808080)) == 0) {
                i += sizeof word;
                continue;
            }
        }
        size_t len = utf8_len(bytes.data + i, bytes.len - i);
        if (len == 0)
            return false;
        i += len;
    }
    return true;
}

/* --- formatting --- */

size_t rwl_i64_format(int64_t v, char out[24]) {
    char text[24];
    size_t at = sizeof text;
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do
        text[--at] = (char)('0' + u % 10);
    while ((u /= 10) > 0);
    if (v < 0)
        text[--at] = '-';
    memcpy(out, text + at, sizeof text - at);
    return sizeof text - at;
}

static rwl_status format_i64(int64_t v, rwl_buf *out, rwl_error *err) {
    char text[24];
    return rwl_buf_append(out, text, rwl_i64_format(v, text), err);
}

static rwl_status format_time_like(const rwl_type *type, const rwl_value *v, rwl_buf *out, rwl_error *err) {
    char text[RWL_TIME_TEXT_MAX];
    size_t len;
    switch (v->kind) {
    case RWL_TYPE_DATE:
        len = rwl_date_format(v->as.i32, text);
        break;
    case RWL_TYPE_TIME:
        len = rwl_time_format(v->as.i64, rwl_type_is_time_ns(type) ? 9 : 6, text);
        break;
    default: {
        bool nanos = v->kind == RWL_TYPE_TIMESTAMP_NS || v->kind == RWL_TYPE_TIMESTAMPTZ_NS;
        bool zone = v->kind == RWL_TYPE_TIMESTAMPTZ || v->kind == RWL_TYPE_TIMESTAMPTZ_NS;
        len = rwl_timestamp_format(v->as.i64, nanos ? 9 : 6, zone, text);
        break;
    }
    }
    return rwl_buf_append(out, text, len, err);
}

static rwl_status fail_kind(const rwl_type *type, const char *what, rwl_error *err) {
    char name[100];
    rwl_type_name(type, name, sizeof name);
    return rwl_fail(err, RWL_UNSUPPORTED, "values of type %s have no %s", name, what);
}

static rwl_status format_variant(rwl_span bytes, rwl_buf *out, rwl_error *err) {
    rwl_span metadata, value;
    RWL_TRY(rwl_variant_split(bytes, &metadata, &value, err));
    return rwl_variant_json(metadata, value, out, err);
}

static rwl_status format_decimal256(const rwl_type *type, rwl_span bytes, rwl_buf *out, rwl_error *err) {
    char text[RWL_I256_TEXT_MAX];
    int32_t precision, scale;
    if (!rwl_type_decimal256(type, &precision, &scale) || bytes.len != 32)
        return rwl_fail(err, RWL_INTERNAL, "a decimal of %zu bytes, '%s'", bytes.len, type->parameters);
    return rwl_buf_append(out, text, rwl_i256_format(bytes.data, scale, text), err);
}

rwl_status rwl_value_format(const rwl_type *type, const rwl_value *v, rwl_buf *out, rwl_error *err) {
    char text[RWL_I128_TEXT_MAX];
    if (v->is_null)
        return rwl_buf_str(out, "null", err);
    switch (v->kind) {
    case RWL_TYPE_BOOLEAN:
        return rwl_buf_str(out, v->as.b ? "true" : "false", err);
    case RWL_TYPE_INT:
        return format_i64(v->as.i32, out, err);
    case RWL_TYPE_LONG:
        return format_i64(v->as.i64, out, err);
    case RWL_TYPE_FLOAT:
        return rwl_buf_append(out, text, rwl_float_format(v->as.f32, text), err);
    case RWL_TYPE_DOUBLE:
        return rwl_buf_append(out, text, rwl_double_format(v->as.f64, text), err);
    case RWL_TYPE_DECIMAL:
        return rwl_buf_append(out, text, rwl_i128_format(v->as.i128, type->scale, text), err);
    case RWL_TYPE_DATE:
    case RWL_TYPE_TIME:
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return format_time_like(type, v, out, err);
    case RWL_TYPE_STRING:
        return rwl_buf_append(out, v->as.bytes.data, v->as.bytes.len, err);
    case RWL_TYPE_UUID: {
        if (v->as.bytes.len != 16)
            return rwl_fail(err, RWL_CORRUPT, "uuid value of %zu bytes", v->as.bytes.len);
        rwl_uuid_format(v->as.bytes.data, text);
        return rwl_buf_append(out, text, RWL_UUID_TEXT_LEN, err);
    }
    case RWL_TYPE_FIXED:
        if (rwl_type_is_decimal256(type))
            return format_decimal256(type, v->as.bytes, out, err);
        return rwl_buf_hex(out, v->as.bytes, err);
    case RWL_TYPE_BINARY:
        return rwl_buf_hex(out, v->as.bytes, err);
    case RWL_TYPE_VARIANT:
        return format_variant(v->as.bytes, out, err);
    case RWL_TYPE_GEOMETRY:
    case RWL_TYPE_GEOGRAPHY:
        return rwl_wkb_format(v->as.bytes, out, err);
    default:
        return fail_kind(type, "text form", err);
    }
}

/* The escape of an ASCII byte in a JSON string, "" when it stands for itself. */
static const char *json_escape(uint8_t c, char room[8]) {
    switch (c) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    case '\b':
        return "\\b";
    case '\f':
        return "\\f";
    default:
        if (c >= 0x20)
            return "";
        memcpy(room, "\\u00", 4);
        room[4] = HEX[c >> 4];
        room[5] = HEX[c & 15];
        room[6] = '\0';
        return room;
    }
}

rwl_status rwl_json_quote(rwl_span text, rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_buf_u8(out, '"', err));
    size_t from = 0; /* start of what stands for itself */
    for (size_t i = 0; i < text.len;) {
        uint8_t c = text.data[i];
        if (c >= 0x20 && c < 0x7F && c != '"' && c != '\\') {
            i++;
            continue;
        }
        char room[8];
        size_t len = utf8_len(text.data + i, text.len - i);
        const char *escape = len == 0 ? "\\ufffd" : len == 1 ? json_escape(c, room) : "";
        if (escape[0] != '\0') {
            if (i > from)
                RWL_TRY(rwl_buf_append(out, text.data + from, i - from, err));
            RWL_TRY(rwl_buf_str(out, escape, err));
            from = i + 1;
            i++;
        } else {
            i += len;
        }
    }
    if (text.len > from)
        RWL_TRY(rwl_buf_append(out, text.data + from, text.len - from, err));
    return rwl_buf_u8(out, '"', err);
}

static bool is_json_number(const rwl_value *v) {
    switch (v->kind) {
    case RWL_TYPE_BOOLEAN:
    case RWL_TYPE_INT:
    case RWL_TYPE_LONG:
        return true;
    case RWL_TYPE_FLOAT:
        return v->as.f32 - v->as.f32 == 0; /* not NaN, not infinite */
    case RWL_TYPE_DOUBLE:
        return v->as.f64 - v->as.f64 == 0;
    default:
        return false;
    }
}

rwl_status rwl_value_format_json(const rwl_type *type, const rwl_value *v, rwl_buf *out, rwl_error *err) {
    if (v->is_null || is_json_number(v) || v->kind == RWL_TYPE_VARIANT || rwl_type_has(type, RWL_TYPE_UINT64))
        return rwl_value_format(type, v, out, err);
    if (v->kind == RWL_TYPE_STRING)
        return rwl_json_quote(v->as.bytes, out, err);
    /* all other texts are ASCII without quotes or backslashes */
    RWL_TRY(rwl_buf_u8(out, '"', err));
    RWL_TRY(rwl_value_format(type, v, out, err));
    return rwl_buf_u8(out, '"', err);
}

/* --- parsing --- */

static bool parse_i64(rwl_span text, int64_t *out) {
    size_t i = 0;
    bool negative = text.len > 0 && text.data[0] == '-';
    if (text.len > 0 && (text.data[0] == '-' || text.data[0] == '+'))
        i = 1;
    if (i == text.len)
        return false;
    uint64_t value = 0;
    uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    for (; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(text.data[i] - '0');
        if (value > (limit - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = (int64_t)(negative ? 0 - value : value);
    return true;
}

static bool parse_bool(rwl_span text, bool *out) {
    bool is_true = rwl_span_equal(text, rwl_span_str("true"));
    *out = is_true;
    return is_true || rwl_span_equal(text, rwl_span_str("false"));
}

static bool parse_hex(rwl_span text, uint8_t *out) {
    for (size_t i = 0; i < text.len / 2; i++) {
        int high = rwl_hex_digit(text.data[2 * i]);
        int low = rwl_hex_digit(text.data[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static rwl_status fail_text(const rwl_type *type, rwl_span text, const char *why, const rwl_arena *arena,
                            rwl_error *err) {
    if (err == NULL) /* nobody reads it; fixed widths are parsed without an arena, too */
        return RWL_USAGE;
    rwl_buf name;
    rwl_buf_init(&name, arena->env, 4096);
    const char *type_name = "?";
    if (rwl_type_format(type, &name, NULL) == RWL_OK && rwl_buf_terminate(&name, NULL) == RWL_OK)
        type_name = (const char *)name.data;
    int shown = text.len > 64 ? 64 : (int)text.len;
    rwl_status st =
        rwl_fail(err, RWL_USAGE, "'%.*s%s' is not a value of type %s%s", shown,
                 text.len == 0 ? "" : (const char *)text.data, text.len > 64 ? "…" : "", type_name, why);
    rwl_buf_clear(&name);
    return st;
}

static rwl_status parse_bytes(const rwl_type *type, rwl_span text, rwl_arena *arena, rwl_value *out,
                              rwl_error *err) {
    size_t len = type->kind == RWL_TYPE_STRING ? text.len : type->kind == RWL_TYPE_UUID ? 16 : text.len / 2;
    uint8_t *bytes = rwl_arena_alloc(arena, len);
    if (bytes == NULL)
        return rwl_no_memory(err, len);
    out->as.bytes = rwl_span_of(bytes, len);
    if (type->kind == RWL_TYPE_STRING) {
        if (!rwl_utf8_valid(text))
            return fail_text(type, text, ": not UTF-8", arena, err);
        if (len > 0)
            memcpy(bytes, text.data, len);
        return RWL_OK;
    }
    if (type->kind == RWL_TYPE_UUID)
        return rwl_uuid_parse(text, bytes) ? RWL_OK : fail_text(type, text, "", arena, err);
    if (text.len % 2 != 0 || !parse_hex(text, bytes))
        return fail_text(type, text, ": not hexadecimal", arena, err);
    if (type->kind == RWL_TYPE_FIXED && len != (size_t)type->length)
        return fail_text(type, text, ": wrong length", arena, err);
    return RWL_OK;
}

static bool parse_fixed_width(const rwl_type *type, rwl_span text, rwl_value *out) {
    int64_t i;
    switch (type->kind) {
    case RWL_TYPE_BOOLEAN:
        return parse_bool(text, &out->as.b);
    case RWL_TYPE_INT:
        if (!parse_i64(text, &i) || i < INT32_MIN || i > INT32_MAX)
            return false;
        out->as.i32 = (int32_t)i;
        return true;
    case RWL_TYPE_LONG:
        return parse_i64(text, &out->as.i64);
    case RWL_TYPE_FLOAT:
        return rwl_float_parse(text, &out->as.f32);
    case RWL_TYPE_DOUBLE:
        return rwl_double_parse(text, &out->as.f64);
    case RWL_TYPE_DECIMAL:
        return rwl_i128_parse(text, type->scale, &out->as.i128) &&
               rwl_i128_fits_digits(out->as.i128, type->precision);
    case RWL_TYPE_DATE:
        return rwl_date_parse(text, &out->as.i32);
    case RWL_TYPE_TIME:
        return rwl_time_parse(text, rwl_type_is_time_ns(type) ? 9 : 6, &out->as.i64);
    case RWL_TYPE_TIMESTAMP:
        return rwl_timestamp_parse(text, 6, false, &out->as.i64);
    case RWL_TYPE_TIMESTAMPTZ:
        return rwl_timestamp_parse(text, 6, true, &out->as.i64);
    case RWL_TYPE_TIMESTAMP_NS:
        return rwl_timestamp_parse(text, 9, false, &out->as.i64);
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return rwl_timestamp_parse(text, 9, true, &out->as.i64);
    default:
        return false;
    }
}

rwl_status rwl_value_parse(const rwl_type *type, rwl_span text, rwl_arena *arena, rwl_value *out,
                           rwl_error *err) {
    rwl_value v = rwl_value_null(type->kind);
    v.is_null = false;
    *out = v;
    switch (type->kind) {
    case RWL_TYPE_STRING:
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED:
    case RWL_TYPE_BINARY:
        if (rwl_type_is_decimal256(type))
            return rwl_fail(err, RWL_UNSUPPORTED, "decimals of more than 38 digits are not read from text");
        return parse_bytes(type, text, arena, out, err);
    case RWL_TYPE_UNKNOWN:
        return fail_text(type, text, "", arena, err);
    default:
        break;
    }
    if (type->kind > RWL_TYPE_UUID)
        return fail_kind(type, "text form", err);
    return parse_fixed_width(type, text, out) ? RWL_OK : fail_text(type, text, "", arena, err);
}
