/* SPDX-License-Identifier: Apache-2.0 */
/* Stored values, turned into those of their type; nulls become zero. */
#include "column/bits.h"
#include "lancefile/field_internal.h"
#include "lancefile/jsonb.h"

#define DAY_MS ((int64_t)86400000)

/* --- conversions that cannot fail --- */

typedef void convert_fn(const uint8_t *restrict in, int64_t count, uint8_t *restrict out);

#define WIDEN(name, from_type, to_type)                                                                      \
    static void name(const uint8_t *restrict in, int64_t count, uint8_t *restrict out) {                     \
        for (size_t i = 0; i < (size_t)count; i++) {                                                         \
            from_type v;                                                                                     \
            memcpy(&v, in + i * sizeof v, sizeof v);                                                         \
            to_type w = (to_type)v;                                                                          \
            memcpy(out + i * sizeof w, &w, sizeof w);                                                        \
        }                                                                                                    \
    }
WIDEN(widen_i8_i32, int8_t, int32_t)
WIDEN(widen_i16_i32, int16_t, int32_t)
WIDEN(widen_u8_i32, uint8_t, int32_t)
WIDEN(widen_u16_i32, uint16_t, int32_t)
WIDEN(widen_i8_i64, int8_t, int64_t)
WIDEN(widen_i16_i64, int16_t, int64_t)
WIDEN(widen_i32_i64, int32_t, int64_t)
WIDEN(widen_u8_i64, uint8_t, int64_t)
WIDEN(widen_u16_i64, uint16_t, int64_t)
WIDEN(widen_u32_i64, uint32_t, int64_t)

static void widen_u64_i128(const uint8_t *restrict in, int64_t count, uint8_t *restrict out) {
    const uint64_t high = 0;
    for (size_t i = 0; i < (size_t)count; i++) {
        memcpy(out + 16 * i, in + 8 * i, 8);
        memcpy(out + 16 * i + 8, &high, 8);
    }
}

static void copy_4(const uint8_t *restrict in, int64_t count, uint8_t *restrict out) {
    memcpy(out, in, (size_t)count * 4);
}

static void copy_8(const uint8_t *restrict in, int64_t count, uint8_t *restrict out) {
    memcpy(out, in, (size_t)count * 8);
}

/* Exponent and fraction moved into place are the value times 2^-112, subnormal ones too; infinities and NaN keep
 * their fraction under an exponent of ones. */
static void widen_half(const uint8_t *restrict in, int64_t count, uint8_t *restrict out) {
    for (size_t i = 0; i < (size_t)count; i++) {
        uint16_t h;
        memcpy(&h, in + 2 * i, sizeof h);
        uint32_t bits = (uint32_t)(h & 0x7fff) << 13, finite_bits;
        float finite;
        memcpy(&finite, &bits, sizeof finite);
        finite *= 0x1p112F;
        memcpy(&finite_bits, &finite, sizeof finite_bits);
        bits = (h & 0x7c00) == 0x7c00 ? bits | 0x7f800000U : finite_bits;
        bits |= (uint32_t)(h & 0x8000) << 16;
        memcpy(out + 4 * i, &bits, sizeof bits);
    }
}

static void widen_bfloat(const uint8_t *restrict in, int64_t count, uint8_t *restrict out) {
    for (size_t i = 0; i < (size_t)count; i++) {
        uint16_t h;
        memcpy(&h, in + 2 * i, sizeof h);
        uint32_t bits = (uint32_t)h << 16;
        memcpy(out + 4 * i, &bits, sizeof bits);
    }
}

/* --- conversions that may fail: each value says whether it is right --- */

typedef struct checked_kind {
    bool (*all)(const rwl_lance_node *node, const uint8_t *restrict in, int64_t count, uint8_t *restrict out);
    bool (*one)(const rwl_lance_node *node, const uint8_t *in, uint8_t *out);
    size_t in_width;
    const char *reason; /* for a message: "value …, which <reason>" */
} checked_kind;

#define CHECKED(name, one, in_width, out_width)                                                              \
    static bool name(const rwl_lance_node *node, const uint8_t *restrict in, int64_t count,                  \
                     uint8_t *restrict out) {                                                                \
        bool is_right = true;                                                                                \
        for (size_t i = 0; i < (size_t)count; i++)                                                           \
            is_right &= one(node, in + i * (in_width), out + i * (out_width));                               \
        return is_right;                                                                                     \
    }

static inline bool convert_signed(const rwl_lance_node *node, const uint8_t *in, uint8_t *out) {
    (void)node;
    memcpy(out, in, 8);
    return (in[7] & 0x80) == 0;
}
CHECKED(convert_signed_all, convert_signed, 8, 8)

static inline bool scale_i64(const rwl_lance_node *node, const uint8_t *in, uint8_t *out) {
    int64_t v, w;
    memcpy(&v, in, sizeof v);
    bool is_right = !__builtin_mul_overflow(v, node->factor, &w);
    memcpy(out, &w, sizeof w);
    return is_right;
}
CHECKED(scale_i64_all, scale_i64, 8, 8)

static inline bool scale_i32(const rwl_lance_node *node, const uint8_t *in, uint8_t *out) {
    int32_t v;
    memcpy(&v, in, sizeof v);
    int64_t w;
    bool is_right = !__builtin_mul_overflow((int64_t)v, node->factor, &w);
    memcpy(out, &w, sizeof w);
    return is_right;
}
CHECKED(scale_i32_all, scale_i32, 4, 8)

static inline bool count_days(const rwl_lance_node *node, const uint8_t *in, uint8_t *out) {
    (void)node;
    int64_t ms;
    memcpy(&ms, in, sizeof ms);
    int64_t days = ms / DAY_MS;
    int32_t narrow = (int32_t)days;
    memcpy(out, &narrow, sizeof narrow);
    return days * DAY_MS == ms && narrow == days;
}
CHECKED(count_days_all, count_days, 8, 4)

static inline bool narrow_decimal(const rwl_lance_node *node, const uint8_t *in, uint8_t *out) {
    uint64_t words[4];
    memcpy(words, in, sizeof words);
    memcpy(out, in, 16);
    uint64_t sign = words[1] >> 63 ? UINT64_MAX : 0;
    return words[2] == sign && words[3] == sign &&
           rwl_i128_fits_digits(rwl_i128_load(in), node->field.type.precision);
}
CHECKED(narrow_decimal_all, narrow_decimal, 32, 16)

/* --- which one --- */

typedef struct conversion {
    rwl_lance_convert convert;
    int32_t bits;
    int32_t width; /* of the type */
    convert_fn *plain;
    checked_kind checked;
} conversion;

static const conversion CONVERSIONS[] = {
    {.convert = RWL_LANCE_SIGNED, .bits = 8, .width = 4, .plain = widen_i8_i32},
    {.convert = RWL_LANCE_SIGNED, .bits = 16, .width = 4, .plain = widen_i16_i32},
    {.convert = RWL_LANCE_SIGNED, .bits = 32, .width = 4, .plain = copy_4},
    {.convert = RWL_LANCE_SIGNED, .bits = 8, .width = 8, .plain = widen_i8_i64},
    {.convert = RWL_LANCE_SIGNED, .bits = 16, .width = 8, .plain = widen_i16_i64},
    {.convert = RWL_LANCE_SIGNED, .bits = 32, .width = 8, .plain = widen_i32_i64},
    {.convert = RWL_LANCE_SIGNED, .bits = 64, .width = 8, .plain = copy_8},
    {.convert = RWL_LANCE_UNSIGNED, .bits = 8, .width = 4, .plain = widen_u8_i32},
    {.convert = RWL_LANCE_UNSIGNED, .bits = 16, .width = 4, .plain = widen_u16_i32},
    {.convert = RWL_LANCE_UNSIGNED, .bits = 8, .width = 8, .plain = widen_u8_i64},
    {.convert = RWL_LANCE_UNSIGNED, .bits = 16, .width = 8, .plain = widen_u16_i64},
    {.convert = RWL_LANCE_UNSIGNED, .bits = 32, .width = 8, .plain = widen_u32_i64},
    {.convert = RWL_LANCE_UNSIGNED, .bits = 64, .width = 16, .plain = widen_u64_i128},
    {.convert = RWL_LANCE_UNSIGNED,
     .bits = 64,
     .width = 8,
     .checked = {convert_signed_all, convert_signed, 8, "is above 2^63 - 1"}},
    {.convert = RWL_LANCE_HALF, .bits = 16, .width = 4, .plain = widen_half},
    {.convert = RWL_LANCE_BFLOAT, .bits = 16, .width = 4, .plain = widen_bfloat},
    {.convert = RWL_LANCE_SCALED,
     .bits = 32,
     .width = 8,
     .checked = {scale_i32_all, scale_i32, 4, "does not fit 64 bits in the unit it is read in"}},
    {.convert = RWL_LANCE_SCALED,
     .bits = 64,
     .width = 8,
     .checked = {scale_i64_all, scale_i64, 8, "does not fit 64 bits in the unit it is read in"}},
    {.convert = RWL_LANCE_DAYS,
     .bits = 64,
     .width = 4,
     .checked = {count_days_all, count_days, 8, "is no whole number of days"}},
    {.convert = RWL_LANCE_NARROW,
     .bits = 256,
     .width = 16,
     .checked = {narrow_decimal_all, narrow_decimal, 32, "has more digits than its precision"}},
};

static const conversion *find_conversion(const rwl_lance_node *node, int32_t width) {
    for (size_t i = 0; i < sizeof CONVERSIONS / sizeof *CONVERSIONS; i++) {
        const conversion *c = &CONVERSIONS[i];
        if (c->convert == node->convert && c->bits == node->bits && c->width == width)
            return c;
    }
    return NULL;
}

/* Some value is wrong: that is an error unless it is of a null. */
static rwl_status find_wrong(const conversion *c, const rwl_lance_node *node, const uint8_t *stored,
                             int64_t count, const uint8_t *validity, rwl_error *err) {
    const checked_kind *kind = &c->checked;
    /* a time that is right where it is stored, but not in what it is read as */
    bool is_ours = c->convert == RWL_LANCE_SCALED || c->convert == RWL_LANCE_DAYS;
    rwl_status code = is_ours ? RWL_UNSUPPORTED : RWL_CORRUPT;
    for (int64_t i = 0; i < count; i++) {
        const uint8_t *value = stored + (size_t)i * kind->in_width;
        uint8_t room[16];
        if ((validity != NULL && !rwl_bit_get(validity, i)) || kind->one(node, value, room))
            continue;
        if (kind->in_width == 4)
            return rwl_fail(err, code, "%s value %d, which %s", node->logical_type,
                            (int32_t)rwl_load_le32(value), kind->reason);
        if (kind->in_width > 8)
            return rwl_fail(err, code, "%s value %016llx%016llx%016llx%016llx, which %s", node->logical_type,
                            (unsigned long long)rwl_load_le64(value + 24),
                            (unsigned long long)rwl_load_le64(value + 16),
                            (unsigned long long)rwl_load_le64(value + 8),
                            (unsigned long long)rwl_load_le64(value), kind->reason);
        if (node->convert == RWL_LANCE_UNSIGNED)
            return rwl_fail(err, code, "%s value %llu, which %s", node->logical_type,
                            (unsigned long long)rwl_load_le64(value), kind->reason);
        return rwl_fail(err, code, "%s value %lld, which %s", node->logical_type,
                        (long long)rwl_load_le64(value), kind->reason);
    }
    return RWL_OK;
}

/* --- nulls --- */

/* The 64 bits from bit 64 * word on that are 0 and below `count`, as ones. */
static uint64_t null_word(const uint8_t *validity, int64_t word, int64_t count) {
    int64_t left = count - 64 * word;
    if (left >= 64)
        return ~rwl_load_le64(validity + 8 * word);
    uint64_t bits = 0;
    memcpy(&bits, validity + 8 * word, rwl_bits_bytes(left));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bits = __builtin_bswap64(bits);
#endif
    return ~bits & ((UINT64_C(1) << left) - 1);
}

void rwl_lance_zero_nulls(uint8_t *values, size_t width, const uint8_t *validity, int64_t count) {
    for (int64_t word = 0; 64 * word < count; word++) {
        for (uint64_t nulls = null_word(validity, word, count); nulls != 0; nulls &= nulls - 1) {
            size_t i = (size_t)word * 64 + (size_t)__builtin_ctzll(nulls);
            if (width == 8)
                memset(values + 8 * i, 0, 8);
            else if (width == 4)
                memset(values + 4 * i, 0, 4);
            else
                memset(values + width * i, 0, width);
        }
    }
}

static void clear_null_bits(uint8_t *bits, int64_t from, const uint8_t *validity, int64_t count) {
    for (int64_t word = 0; 64 * word < count; word++)
        for (uint64_t nulls = null_word(validity, word, count); nulls != 0; nulls &= nulls - 1)
            rwl_bit_clear(bits, from + 64 * word + __builtin_ctzll(nulls));
}

rwl_status rwl_lance_append_validity(const rwl_env *env, rwl_column *out, const uint8_t *validity,
                                     int64_t count, rwl_error *err) {
    int64_t nulls = validity == NULL ? 0 : count - rwl_bits_count(validity, 0, count);
    if (nulls == 0 && out->null_count == 0)
        return RWL_OK;
    RWL_TRY(rwl_column_need_validity(out, env, out->length + count, err));
    if (nulls == 0)
        rwl_bits_fill(out->validity.data, out->length, count, true);
    else
        rwl_bits_copy(out->validity.data, out->length, validity, 0, count);
    out->null_count += nulls;
    return RWL_OK;
}

rwl_status rwl_lance_append_nulls(const rwl_env *env, rwl_column *out, int64_t count, rwl_error *err) {
    rwl_value null = rwl_value_null(out->type.kind);
    return rwl_column_append(out, env, &null, count, err);
}

/* --- stored values, put where they can be converted --- */

rwl_status rwl_lance_align_bits(rwl_buf *room, const uint8_t *bits, int64_t from, int64_t count,
                                const uint8_t **out, rwl_error *err) {
    *out = bits + from / 8;
    if ((from & 7) == 0)
        return RWL_OK;
    rwl_buf_reset(room);
    RWL_TRY(rwl_buf_reserve(room, rwl_bits_bytes(count), err));
    rwl_bits_copy(room->data, 0, bits, from, count);
    *out = room->data;
    return RWL_OK;
}

void rwl_lance_gather_fields(const uint8_t *restrict in, size_t stride, size_t width, int64_t count,
                             uint8_t *restrict out) {
    for (size_t i = 0; width == 4 && i < (size_t)count; i++)
        memcpy(out + 4 * i, in + i * stride, 4);
    for (size_t i = 0; width == 8 && i < (size_t)count; i++)
        memcpy(out + 8 * i, in + i * stride, 8);
    for (size_t i = 0; width != 4 && width != 8 && i < (size_t)count; i++)
        memcpy(out + width * i, in + i * stride, width);
}

/* --- a run of values --- */

static rwl_status convert_values(const rwl_lance_node *node, const uint8_t *stored, int64_t count,
                                 const uint8_t *validity, rwl_column *out, rwl_error *err) {
    size_t width = (size_t)rwl_type_width(&out->type);
    uint8_t *to = out->values.data + (size_t)out->length * width;
    if (node->convert == RWL_LANCE_AS_IT_IS) {
        if ((size_t)node->bits != 8 * width)
            return rwl_fail(err, RWL_INTERNAL, "%s values of %d bits as a type of %zu bytes",
                            node->logical_type, node->bits, width);
        memcpy(to, stored, (size_t)count * width);
    } else {
        const conversion *c = find_conversion(node, (int32_t)width);
        if (c == NULL)
            return rwl_fail(err, RWL_INTERNAL, "%s values of %d bits have no conversion", node->logical_type,
                            node->bits);
        if (c->plain != NULL)
            c->plain(stored, count, to);
        else if (!c->checked.all(node, stored, count, to))
            RWL_TRY(find_wrong(c, node, stored, count, validity, err));
    }
    if (validity != NULL)
        rwl_lance_zero_nulls(to, width, validity, count);
    return RWL_OK;
}

rwl_status rwl_lance_convert_fixed(const rwl_env *env, const rwl_lance_node *node, const uint8_t *stored,
                                   int64_t count, const uint8_t *validity, rwl_column *out, rwl_error *err) {
    if (count == 0)
        return RWL_OK;
    if (count > INT32_MAX - out->length)
        return rwl_fail(err, RWL_UNSUPPORTED, "a batch of more than %d values", INT32_MAX);
    RWL_TRY(rwl_column_reserve(out, env, out->length + count, 0, err));
    if (out->type.kind == RWL_TYPE_BOOLEAN) {
        if (node->bits != 1)
            return rwl_fail(err, RWL_INTERNAL, "booleans of %d bits", node->bits);
        rwl_bits_copy(out->values.data, out->length, stored, 0, count);
        if (validity != NULL)
            clear_null_bits(out->values.data, out->length, validity, count);
    } else {
        RWL_TRY(convert_values(node, stored, count, validity, out, err));
    }
    RWL_TRY(rwl_lance_append_validity(env, out, validity, count, err));
    out->length += count;
    return RWL_OK;
}

/* --- text --- */

#define HIGH_BITS UINT64_C(0x8080808080808080)

typedef uint64_t vector __attribute__((vector_size(32)));

/* All bytes or-ed together, kept in vectors, which the compiler would not find by itself. */
static bool is_ascii(const uint8_t *p, size_t len) {
    vector a = {0}, b = a;
    for (; len >= 2 * sizeof a; len -= 2 * sizeof a, p += 2 * sizeof a) {
        vector v[2];
        memcpy(v, p, sizeof v);
        a |= v[0];
        b |= v[1];
    }
    a |= b;
    uint64_t any = a[0] | a[1] | a[2] | a[3];
    for (; len > 0; len--)
        any |= *p++;
    return (any & HIGH_BITS) == 0;
}

/* Valid together, and none begins inside a character: then each is valid. */
rwl_status rwl_lance_check_text(const rwl_column *column, rwl_error *err) {
    if (column->length == 0)
        return RWL_OK;
    const int32_t *offsets = rwl_column_offsets(column);
    const uint8_t *bytes = column->values.data;
    size_t len = (size_t)(offsets[column->length] - offsets[0]);
    if (len == 0 || is_ascii(bytes + offsets[0], len))
        return RWL_OK;
    bool is_right = rwl_utf8_valid(rwl_span_of(bytes + offsets[0], len));
    for (int64_t i = 0; i < column->length && is_right; i++)
        is_right = offsets[i] == offsets[i + 1] || (bytes[offsets[i]] & 0xc0) != 0x80;
    for (int64_t i = 0; i < column->length && !is_right; i++)
        if (!rwl_utf8_valid(rwl_column_bytes(column, i)))
            return rwl_fail(err, RWL_CORRUPT, "text %lld of the batch is not UTF-8", (long long)i);
    return RWL_OK;
}

rwl_status rwl_lance_finish_bytes(const rwl_env *env, const rwl_lance_node *node, rwl_column *column,
                                  rwl_error *err) {
    if (node->convert == RWL_LANCE_JSONB)
        return rwl_lance_jsonb_column(env, column, err);
    return column->type.kind == RWL_TYPE_STRING ? rwl_lance_check_text(column, err) : RWL_OK;
}
