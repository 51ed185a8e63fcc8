/* SPDX-License-Identifier: Apache-2.0 */
/* Values of flat arrays into columns: copied, or converted where the format is another than ours. */
#include "column/arrow_import.h"

static bool is_valid(const rwl_column *c, int64_t i) {
    return c->null_count == 0 || rwl_bit_get(c->validity.data, i);
}

static rwl_status fail_bytes(rwl_error *err) {
    return rwl_fail(err, RWL_UNSUPPORTED, "more than %zu bytes in one batch", RWL_COLUMN_BYTES_MAX);
}

/* --- bytes --- */

/* Offsets relative to the first, of rows first .. first + count; checked to ascend. 32 or 64 bits. */
static rwl_status read_offsets(const rwl_arrow_node *n, bool wide, int32_t *to, int64_t *start,
                               rwl_error *err) {
    const int32_t *narrow_from = (const int32_t *)n->array->buffers[1] + n->first;
    const int64_t *wide_from = (const int64_t *)n->array->buffers[1] + n->first;
    int64_t base = wide ? wide_from[0] : narrow_from[0];
    int64_t last = base;
    if (base < 0)
        return rwl_arrow_fail("negative offset", err);
    for (int64_t i = 0; i <= n->count; i++) {
        int64_t at = wide ? wide_from[i] : narrow_from[i];
        if (at < last)
            return rwl_arrow_fail("offsets descend", err);
        if (at - base > (int64_t)RWL_COLUMN_BYTES_MAX)
            return fail_bytes(err);
        to[i] = (int32_t)(at - base);
        last = at;
    }
    *start = base;
    return RWL_OK;
}

/* Takes the bytes of null rows out: ours hold none. */
static void drop_null_bytes(int64_t count, rwl_column *c) {
    int32_t *offsets = (int32_t *)(void *)c->offsets.data;
    int32_t end = 0;
    int32_t from = 0;
    for (int64_t i = 0; i < count; i++) {
        int32_t len = offsets[i + 1] - from;
        int32_t next = offsets[i + 1];
        if (is_valid(c, i) && len > 0) {
            memmove(c->values.data + end, c->values.data + from, (size_t)len);
            end += len;
        }
        offsets[i + 1] = end;
        from = next;
    }
}

static rwl_status import_bytes(const rwl_arrow_node *n, rwl_column *c, rwl_error *err) {
    bool wide = n->schema->format[0] == 'U' || n->schema->format[0] == 'Z';
    int64_t start = 0;
    RWL_TRY(rwl_column_reserve(c, n->env, n->count, 0, err));
    RWL_TRY(read_offsets(n, wide, (int32_t *)(void *)c->offsets.data, &start, err));
    size_t len = (size_t)rwl_column_offsets(c)[n->count];
    RWL_TRY(rwl_column_reserve(c, n->env, n->count, len, err));
    if (len > 0) {
        if (n->array->buffers[2] == NULL)
            return rwl_arrow_fail("a buffer is missing", err);
        memcpy(c->values.data, (const uint8_t *)n->array->buffers[2] + start, len);
    }
    if (c->null_count > 0)
        drop_null_bytes(n->count, c);
    c->bytes_len = (size_t)rwl_column_offsets(c)[n->count];
    return RWL_OK;
}

/* The bytes of a view: up to 12 of them in it, more in a buffer, whose size the last buffer tells. */
static rwl_status read_view(const rwl_arrow_node *n, int64_t i, rwl_span *out, rwl_error *err) {
    const uint8_t *view = (const uint8_t *)n->array->buffers[1] + (n->first + i) * 16;
    int32_t parts[4];
    memcpy(parts, view, sizeof parts);
    if (parts[0] < 0)
        return rwl_arrow_fail("a view of negative length", err);
    if (parts[0] <= 12) {
        *out = rwl_span_of(view + 4, (size_t)parts[0]);
        return RWL_OK;
    }
    const int64_t *sizes = n->array->buffers[n->array->n_buffers - 1];
    if (parts[2] < 0 || parts[2] >= n->array->n_buffers - 3 || parts[3] < 0 || sizes == NULL ||
        (int64_t)parts[3] + parts[0] > sizes[parts[2]] || n->array->buffers[2 + parts[2]] == NULL)
        return rwl_arrow_fail("a view of bytes that are not there", err);
    *out = rwl_span_of((const uint8_t *)n->array->buffers[2 + parts[2]] + parts[3], (size_t)parts[0]);
    return RWL_OK;
}

static rwl_status import_views(const rwl_arrow_node *n, rwl_column *c, rwl_error *err) {
    RWL_TRY(rwl_column_reserve(c, n->env, n->count, 0, err));
    int32_t *offsets = (int32_t *)(void *)c->offsets.data;
    rwl_span bytes;
    for (int64_t i = 0; i < n->count; i++) {
        bytes = rwl_span_of(NULL, 0);
        if (is_valid(c, i))
            RWL_TRY(read_view(n, i, &bytes, err));
        if (bytes.len > RWL_COLUMN_BYTES_MAX - (size_t)offsets[i])
            return fail_bytes(err);
        offsets[i + 1] = offsets[i] + (int32_t)bytes.len;
    }
    RWL_TRY(rwl_column_reserve(c, n->env, n->count, (size_t)offsets[n->count], err));
    for (int64_t i = 0; i < n->count; i++) {
        if (offsets[i + 1] == offsets[i])
            continue;
        RWL_TRY(read_view(n, i, &bytes, err));
        memcpy(c->values.data + offsets[i], bytes.data, bytes.len);
    }
    c->bytes_len = (size_t)offsets[n->count];
    return RWL_OK;
}

/* --- numbers --- */

#define CONVERT(from_type, to_type, expression)                                                              \
    do {                                                                                                     \
        const from_type *from = (const from_type *)n->array->buffers[1] + n->first;                          \
        to_type *to = (to_type *)(void *)c->values.data;                                                     \
        for (int64_t i = 0; i < n->count; i++)                                                               \
            to[i] = (to_type)(expression);                                                                   \
    } while (0)

/* IEEE 754 binary16. */
static float from_half(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    uint32_t exponent = h >> 10 & 31;
    uint32_t fraction = h & 1023;
    uint32_t bits = sign | (exponent + 112) << 23 | fraction << 13;
    float out;
    if (exponent == 31)
        bits = sign | UINT32_C(0x7F800000) | fraction << 13;
    if (exponent == 0) { /* zero, or fraction * 2^-24 */
        out = (float)fraction * 0x1p-24f;
        return sign != 0 ? -out : out;
    }
    memcpy(&out, &bits, sizeof out);
    return out;
}

/* `from` in units that are `factor` of ours; CORRUPT where the product does not fit. */
static rwl_status scale_up(const rwl_arrow_node *n, bool narrow, int64_t factor, rwl_column *c,
                           rwl_error *err) {
    const int32_t *from32 = (const int32_t *)n->array->buffers[1] + n->first;
    const int64_t *from64 = (const int64_t *)n->array->buffers[1] + n->first;
    int64_t *to = (int64_t *)(void *)c->values.data;
    for (int64_t i = 0; i < n->count; i++) {
        int64_t v = narrow ? from32[i] : from64[i];
        if (!rwl_i64_mul(v, factor, &to[i]) && is_valid(c, i))
            return rwl_fail(err, RWL_CORRUPT, "row %lld: %lld does not fit microseconds", (long long)i,
                            (long long)v);
    }
    return RWL_OK;
}

/* Milliseconds of whole days. */
static rwl_status import_date64(const rwl_arrow_node *n, rwl_column *c, rwl_error *err) {
    const int64_t *from = (const int64_t *)n->array->buffers[1] + n->first;
    int32_t *to = (int32_t *)(void *)c->values.data;
    for (int64_t i = 0; i < n->count; i++) {
        int64_t day = from[i] / 86400000;
        if (is_valid(c, i) && (from[i] % 86400000 != 0 || day < INT32_MIN || day > INT32_MAX))
            return rwl_fail(err, RWL_CORRUPT, "row %lld: %lld ms are no date", (long long)i,
                            (long long)from[i]);
        to[i] = (int32_t)day;
    }
    return RWL_OK;
}

static rwl_status import_decimal256(const rwl_arrow_node *n, rwl_column *c, rwl_error *err) {
    const uint8_t *from = (const uint8_t *)n->array->buffers[1] + n->first * 32;
    for (int64_t i = 0; i < n->count; i++, from += 32) {
        rwl_i128 low = rwl_i128_load(from);
        if (is_valid(c, i) && rwl_i128_load(from + 16) != (low < 0 ? -1 : 0))
            return rwl_fail(err, RWL_CORRUPT, "row %lld: a decimal has more than 38 digits", (long long)i);
        memcpy(c->values.data + i * 16, from, 16);
    }
    return RWL_OK;
}

static rwl_status import_decimal(const rwl_arrow_node *n, rwl_column *c, rwl_error *err) {
    const char *comma = strrchr(n->schema->format, ',');
    const char *bits = strchr(n->schema->format, ',') != comma ? comma + 1 : "128";
    if (strcmp(bits, "256") == 0 && c->type.kind == RWL_TYPE_DECIMAL)
        return import_decimal256(n, c, err);
    if (strcmp(bits, "256") == 0)
        memcpy(c->values.data, (const uint8_t *)n->array->buffers[1] + n->first * 32, (size_t)n->count * 32);
    else if (strcmp(bits, "32") == 0)
        CONVERT(int32_t, rwl_i128, from[i]);
    else if (strcmp(bits, "64") == 0)
        CONVERT(int64_t, rwl_i128, from[i]);
    else
        memcpy(c->values.data, (const uint8_t *)n->array->buffers[1] + n->first * 16, (size_t)n->count * 16);
    return RWL_OK;
}

/* Dates, times and timestamps in units other than ours; false where the units are the same. */
static bool convert_time(const rwl_arrow_node *n, rwl_column *c, rwl_status *st, rwl_error *err) {
    const char *format = n->schema->format;
    if (format[0] != 't' || format[1] == 'D' || (format[2] != 's' && format[2] != 'm'))
        return false; /* a duration's type names its unit */
    if (format[1] == 'd')
        *st = import_date64(n, c, err);
    else
        *st = scale_up(n, format[1] == 't', format[2] == 's' ? 1000000 : 1000, c, err);
    return true;
}

static rwl_status convert(const rwl_arrow_node *n, rwl_column *c, size_t width, rwl_error *err) {
    rwl_status st = RWL_OK;
    switch (n->schema->format[0]) {
    case 'c':
        CONVERT(int8_t, int32_t, from[i]);
        break;
    case 'C':
        CONVERT(uint8_t, int32_t, from[i]);
        break;
    case 's':
        CONVERT(int16_t, int32_t, from[i]);
        break;
    case 'S':
        CONVERT(uint16_t, int32_t, from[i]);
        break;
    case 'I':
        CONVERT(uint32_t, int64_t, from[i]);
        break;
    case 'L':
        CONVERT(uint64_t, rwl_i128, from[i]);
        break;
    case 'e':
        CONVERT(uint16_t, float, from_half(from[i]));
        break;
    case 'd':
        return import_decimal(n, c, err);
    default:
        if (!convert_time(n, c, &st, err))
            memcpy(c->values.data, (const uint8_t *)n->array->buffers[1] + (size_t)n->first * width,
                   (size_t)n->count * width);
        break;
    }
    return st;
}

static rwl_status import_numbers(const rwl_arrow_node *n, rwl_column *c, rwl_error *err) {
    size_t width = (size_t)rwl_type_width(&c->type);
    RWL_TRY(convert(n, c, width, err));
    for (int64_t i = 0; c->null_count > 0 && i < n->count; i++) {
        if (!rwl_bit_get(c->validity.data, i))
            memset(c->values.data + (size_t)i * width, 0, width);
    }
    return RWL_OK;
}

rwl_status rwl_arrow_import_flat(const rwl_arrow_node *n, rwl_column *c, rwl_error *err) {
    if (n->count == 0)
        return RWL_OK;
    if (rwl_type_is_bytes(&c->type))
        return n->schema->format[0] == 'v' ? import_views(n, c, err) : import_bytes(n, c, err);
    RWL_TRY(rwl_column_reserve(c, n->env, n->count, 0, err));
    if (c->type.kind != RWL_TYPE_BOOLEAN)
        return import_numbers(n, c, err);
    rwl_bits_copy(c->values.data, 0, n->array->buffers[1], n->first, n->count);
    for (size_t i = 0; c->null_count > 0 && i < rwl_bits_bytes(n->count); i++)
        c->values.data[i] &= c->validity.data[i];
    return RWL_OK;
}
