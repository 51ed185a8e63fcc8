/* SPDX-License-Identifier: Apache-2.0 */
/* Flats of file version 2.0: the encoding against what has to be there, which bytes hold a slice, its values made plain. */
#include "column/bits.h"
#include "lancefile/field20_internal.h"

enum {
    RATIO_MAX = 1 << 15,         /* zstd: a block of 128 KiB of one byte takes 4; LZ4 gives less */
    SAME_MAX = 256 * 1024 * 1024 /* bytes made of one value at once, which are in no file */
};
#define BITS_MAX (INT64_MAX / 8) /* of a flat, so that sums of them do not overflow */

/* --- opening --- */

/* The buffer of an encoding that has one. */
static rwl_status find_buffer(const rwl_lance_page20_request *r, const rwl_lance_array *array,
                              rwl_lance_extent *out, rwl_error *err) {
    const rwl_lance_extent *buffers = r->page->buffers;
    int64_t count = r->page->buffer_count;
    if (array->buffer_kind == RWL_LANCE_BUFFER_COLUMN) {
        buffers = r->column->buffers;
        count = r->column->buffer_count;
    } else if (array->buffer_kind == RWL_LANCE_BUFFER_FILE) {
        buffers = r->file->globals;
        count = r->file->global_count;
    }
    if (array->buffer >= count)
        return rwl_fail(err, RWL_CORRUPT, "buffer %lld of %lld", (long long)array->buffer, (long long)count);
    *out = buffers[array->buffer];
    return RWL_OK;
}

/* Whether `count` values of `bits` lie in the extent; no overflow, whatever the numbers. */
static rwl_status check_length(const rwl_lance_flat20 *flat, int64_t count, int64_t bits, rwl_error *err) {
    if ((rwl_u128)(uint64_t)flat->extent.length * 8 >= (rwl_u128)(uint64_t)count * (uint64_t)bits)
        return RWL_OK;
    return rwl_fail(err, RWL_CORRUPT, "%lld values of %lld bits in a buffer of %lld bytes", (long long)count,
                    (long long)bits, (long long)flat->extent.length);
}

static rwl_status check_bits(const rwl_lance_page20_request *r, int64_t stored, int64_t bits,
                             rwl_error *err) {
    if (stored == bits)
        return RWL_OK;
    return rwl_fail(err, RWL_CORRUPT, "values of %lld bits where type %s has %lld", (long long)stored,
                    r->node->logical_type, (long long)bits);
}

/* Bytes of the values side by side. */
static int64_t plain_length(const rwl_lance_flat20 *flat) {
    return (int64_t)rwl_bits_bytes(flat->count * flat->bits);
}

/* A buffer compressed as a whole. */
static rwl_status check_whole(const rwl_lance_flat20 *flat, rwl_error *err) {
    if ((rwl_u128)(uint64_t)flat->count * (uint64_t)flat->bits > (rwl_u128)RWL_COLUMN_BYTES_MAX * 8)
        return rwl_fail(err, RWL_UNSUPPORTED, "compressed page of %lld values of %lld bits",
                        (long long)flat->count, (long long)flat->bits);
    if (plain_length(flat) / RATIO_MAX > flat->extent.length)
        return rwl_fail(err, RWL_CORRUPT, "page of %lld bytes once decompressed, which %lld cannot give",
                        (long long)plain_length(flat), (long long)flat->extent.length);
    return RWL_OK;
}

static rwl_status open_plain(const rwl_lance_page20_request *r, const rwl_lance_array *array,
                             rwl_lance_flat20 *out, rwl_error *err) {
    RWL_TRY(check_bits(r, array->bits, out->bits, err));
    RWL_TRY(find_buffer(r, array, &out->extent, err));
    if (array->scheme == RWL_LANCE_SCHEME_NONE ||
        out->bits == 1) /* writers name a scheme, but leave bits alone */
        return check_length(out, out->count, out->bits, err);
    out->form = RWL_LANCE_FLAT20_WHOLE;
    out->scheme = array->scheme;
    return check_whole(out, err);
}

static rwl_status open_packed(const rwl_lance_page20_request *r, const rwl_lance_array *array,
                              rwl_lance_flat20 *out, rwl_error *err) {
    int64_t bits = out->bits;
    RWL_TRY(check_bits(r, array->unpacked_bits, bits, err));
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return rwl_fail(err, RWL_CORRUPT, "bit packing of values of %lld bits, not 8, 16, 32 or 64",
                        (long long)bits);
    if (array->bits < 1 || array->bits > bits)
        return rwl_fail(err, RWL_CORRUPT, "bit packing of values of %lld bits into %lld", (long long)bits,
                        (long long)array->bits);
    RWL_TRY(find_buffer(r, array, &out->extent, err));
    out->packed_bits = (int)array->bits;
    out->is_signed = array->is_signed;
    out->form = RWL_LANCE_FLAT20_BITS;
    if (array->kind == RWL_LANCE_ARRAY_BITPACKED)
        return check_length(out, out->count, out->packed_bits, err);
    out->form = RWL_LANCE_FLAT20_BLOCKS;
    int64_t blocks = out->count / RWL_LANCE_PACK + (out->count % RWL_LANCE_PACK > 0);
    return check_length(out, blocks, RWL_LANCE_PACK * out->packed_bits, err);
}

static rwl_status open_same(const rwl_lance_page20_request *r, const rwl_lance_array *array,
                            rwl_lance_flat20 *out, rwl_error *err) {
    if ((rwl_u128)array->value.len * 8 < (uint64_t)out->bits ||
        array->value.len > (size_t)(out->bits + 7) / 8)
        return rwl_fail(err, RWL_CORRUPT, "constant of %zu bytes where type %s has %lld bits",
                        array->value.len, r->node->logical_type, (long long)out->bits);
    out->form = RWL_LANCE_FLAT20_SAME;
    out->value = array->value;
    return RWL_OK;
}

rwl_status rwl_lance_flat20_open(const rwl_lance_page20_request *r, const rwl_lance_array *array,
                                 int64_t bits, int64_t count, rwl_lance_flat20 *out, rwl_error *err) {
    *out = (rwl_lance_flat20){.bits = bits, .count = count};
    bool is_packed =
        array->kind == RWL_LANCE_ARRAY_BITPACKED || array->kind == RWL_LANCE_ARRAY_BITPACKED_FOR_NON_NEG;
    if (array->kind == RWL_LANCE_ARRAY_FLAT)
        RWL_TRY(open_plain(r, array, out, err));
    else if (is_packed)
        RWL_TRY(open_packed(r, array, out, err));
    else if (array->kind == RWL_LANCE_ARRAY_CONSTANT)
        RWL_TRY(open_same(r, array, out, err));
    else
        return rwl_lance_page20_refuse(r->node, array, err);
    if (count > 0 && bits > BITS_MAX / count)
        return rwl_fail(err, RWL_CORRUPT, "%lld values of %lld bits, which are more than can be",
                        (long long)count, (long long)bits);
    return RWL_OK;
}

rwl_status rwl_lance_flat20_open_rows(const rwl_lance_page20_request *r, const rwl_lance_array *array,
                                      int64_t bits, int64_t count, rwl_lance_flat20 *out, rwl_error *err) {
    *out = (rwl_lance_flat20){.form = RWL_LANCE_FLAT20_PLAIN, .bits = bits, .count = count};
    RWL_TRY(find_buffer(r, array, &out->extent, err));
    return check_length(out, count, bits, err);
}

/* As many of them as the buffer has room for, so that any place in it can be told from one behind it. */
static int64_t count_bytes(const rwl_lance_array *array, int64_t length) {
    switch (array->kind) {
    case RWL_LANCE_ARRAY_BITPACKED:
        return array->bits > 0 ? (int64_t)((rwl_u128)(uint64_t)length * 8 / (uint64_t)array->bits) : 0;
    case RWL_LANCE_ARRAY_BITPACKED_FOR_NON_NEG: {
        int64_t block = array->bits * (RWL_LANCE_PACK / 8);
        return block > 0 ? length / block * RWL_LANCE_PACK : 0;
    }
    default:
        return length;
    }
}

rwl_status rwl_lance_flat20_open_bytes(const rwl_lance_page20_request *r, const rwl_lance_array *array,
                                       uint64_t most, rwl_lance_flat20 *out, rwl_error *err) {
    rwl_lance_extent extent;
    if (array->kind == RWL_LANCE_ARRAY_CONSTANT)
        return rwl_lance_page20_refuse(r->node, array, err);
    if (array->kind == RWL_LANCE_ARRAY_FLAT && array->scheme != RWL_LANCE_SCHEME_NONE)
        return rwl_lance_flat20_open(r, array, 8, most > INT64_MAX ? INT64_MAX : (int64_t)most, out, err);
    RWL_TRY(find_buffer(r, array, &extent, err));
    return rwl_lance_flat20_open(r, array, 8, count_bytes(array, extent.length), out, err);
}

/* --- aim --- */

bool rwl_lance_flat20_is_read(const rwl_lance_flat20 *flat) {
    return flat->form != RWL_LANCE_FLAT20_WHOLE && flat->form != RWL_LANCE_FLAT20_SAME;
}

rwl_status rwl_lance_slice20_aim(rwl_lance_column20 *c, const rwl_lance_slice20 *slice, size_t *piece,
                                 rwl_error *err) {
    const rwl_lance_flat20 *flat = slice->flat;
    int64_t from = slice->first, to = slice->first + slice->count, bits = flat->bits;
    if (flat->form == RWL_LANCE_FLAT20_BITS)
        bits = flat->packed_bits;
    if (flat->form == RWL_LANCE_FLAT20_BLOCKS) {
        bits = RWL_LANCE_PACK * flat->packed_bits;
        to = to / RWL_LANCE_PACK + (to % RWL_LANCE_PACK > 0);
        from /= RWL_LANCE_PACK;
    }
    from = from * bits / 8;
    return rwl_lance_fetch_want(&c->fetch, flat->extent.offset + from,
                                (int64_t)rwl_bits_bytes(to * bits) - from, piece, err);
}

/* --- a buffer uncompressed --- */

void rwl_lance_flat20_forget(rwl_lance_column20 *c) {
    for (size_t i = 0; i < c->plains.len; i++)
        rwl_buf_clear(&c->plains.items[i].bytes);
    c->plains.len = 0;
    rwl_op_release(c->field->op, c->plain_charged);
    c->plain_charged = 0;
    c->plain_page = -1;
}

static rwl_status decompress(rwl_lance_column20 *c, const rwl_lance_flat20 *flat, rwl_span in, rwl_buf *out,
                             rwl_error *err) {
    rwl_lance_field20 *f = c->field;
    size_t len = (size_t)plain_length(flat);
    rwl_status st = rwl_lance_general_decode(&f->general, f->env, flat->scheme, in, out, err);
    if (st == RWL_UNSUPPORTED) /* the buffer's limit */
        return rwl_fail(err, RWL_CORRUPT, "page of more than %zu bytes once decompressed", len);
    RWL_TRY(st);
    if (out->len != len)
        return rwl_fail(err, RWL_CORRUPT, "page of %zu bytes once decompressed, %zu expected", out->len, len);
    out->max = len + RWL_LANCE_READ_SLACK;
    return rwl_buf_reserve(out, RWL_LANCE_READ_SLACK, err);
}

static rwl_status load_plain(rwl_lance_column20 *c, const rwl_lance_flat20 *flat, rwl_error *err) {
    size_t number;
    rwl_span in;
    rwl_lance_plain20 plain = {.flat = flat};
    RWL_TRY(rwl_vec_reserve(&c->plains, c->field->env, 1, err));
    RWL_TRY(rwl_lance_fetch_want(&c->fetch, flat->extent.offset, flat->extent.length, &number, err));
    RWL_TRY(rwl_lance_fetch_submit(&c->fetch, err));
    RWL_TRY(rwl_lance_fetch_get(&c->fetch, number, &in, err));
    RWL_TRY(rwl_op_reserve(c->field->op, plain_length(flat), "decompressing a page", err));
    c->plain_charged += plain_length(flat);
    rwl_buf_init(&plain.bytes, c->field->env, (size_t)plain_length(flat));
    rwl_status st = decompress(c, flat, in, &plain.bytes, err);
    if (st != RWL_OK)
        rwl_buf_clear(&plain.bytes);
    else
        c->plains.items[c->plains.len++] = plain;
    return st;
}

/* Buffers of one page are held at a time. */
static rwl_status need_plain(rwl_lance_column20 *c, const rwl_lance_slice20 *slice, const uint8_t **out,
                             rwl_error *err) {
    if (c->plain_page != slice->page)
        rwl_lance_flat20_forget(c);
    c->plain_page = slice->page;
    size_t i = 0;
    while (i < c->plains.len && c->plains.items[i].flat != slice->flat)
        i++;
    if (i == c->plains.len)
        RWL_TRY(load_plain(c, slice->flat, err));
    *out = c->plains.items[i].bytes.data;
    return RWL_OK;
}

/* --- packed values --- */

/* Bits [bit, bit + bits), of 1 to 64. What is behind them may be read (RWL_LANCE_READ_SLACK). */
static inline uint64_t take_bits(const uint8_t *in, uint64_t bit, unsigned bits) {
    const uint8_t *at = in + bit / 8;
    unsigned shift = bit % 8;
    uint64_t value = rwl_load_le64(at) >> shift;
    if (shift + bits > 64)
        value |= (uint64_t)at[8] << (64 - shift);
    return value & UINT64_MAX >> (64 - bits);
}

/* `sign`: the highest packed bit where that is one, or 0. */
#define DEFINE_SPREAD(T)                                                                                     \
    static void spread_##T(const uint8_t *restrict in, uint64_t bit, unsigned bits, uint64_t sign,           \
                           int64_t count, uint8_t *restrict out) {                                           \
        for (int64_t i = 0; i < count; i++, bit += bits, out += sizeof(uint##T##_t)) {                       \
            uint##T##_t value = (uint##T##_t)((take_bits(in, bit, bits) ^ sign) - sign);                     \
            memcpy(out, &value, sizeof value);                                                               \
        }                                                                                                    \
    }
DEFINE_SPREAD(8)
DEFINE_SPREAD(16)
DEFINE_SPREAD(32)
DEFINE_SPREAD(64)

static void spread_bits(const rwl_lance_slice20 *slice, const uint8_t *in, uint8_t *out) {
    const rwl_lance_flat20 *flat = slice->flat;
    unsigned bits = (unsigned)flat->packed_bits;
    uint64_t sign = flat->is_signed ? UINT64_C(1) << (bits - 1) : 0;
    uint64_t bit = (uint64_t)slice->first * bits % 8; /* the piece begins with the byte that has it */
    if (flat->bits == 8)
        spread_8(in, bit, bits, sign, slice->count, out);
    else if (flat->bits == 16)
        spread_16(in, bit, bits, sign, slice->count, out);
    else if (flat->bits == 32)
        spread_32(in, bit, bits, sign, slice->count, out);
    else
        spread_64(in, bit, bits, sign, slice->count, out);
}

/* --- values --- */

static rwl_status get_bits(const rwl_lance_slice20 *slice, rwl_span in, rwl_buf *room, rwl_error *err) {
    size_t len = (size_t)slice->count * (size_t)(slice->flat->bits / 8);
    RWL_TRY(rwl_buf_reserve(room, len + RWL_LANCE_READ_SLACK, err));
    spread_bits(slice, in.data, room->data);
    return RWL_OK;
}

/* The blocks that hold the slice. */
static rwl_status get_blocks(const rwl_lance_slice20 *slice, rwl_span in, rwl_buf *room, rwl_error *err) {
    const rwl_lance_flat20 *flat = slice->flat;
    size_t packed_len = (size_t)flat->packed_bits * (RWL_LANCE_PACK / 8);
    size_t len = (size_t)flat->bits * (RWL_LANCE_PACK / 8), blocks = in.len / packed_len;
    RWL_TRY(rwl_buf_reserve(room, blocks * len + RWL_LANCE_READ_SLACK, err));
    for (size_t i = 0; i < blocks; i++)
        rwl_lance_unpack((int)flat->bits, flat->packed_bits, in.data + i * packed_len, room->data + i * len);
    return RWL_OK;
}

static rwl_status get_same(const rwl_lance_slice20 *slice, rwl_buf *room, rwl_error *err) {
    rwl_span value = slice->flat->value;
    size_t count = (size_t)slice->count;
    if (count > SAME_MAX / (value.len > 0 ? value.len : 1))
        return rwl_fail(err, RWL_UNSUPPORTED, "one value %zu times, %zu bytes each", count, value.len);
    RWL_TRY(rwl_buf_reserve(room, count * value.len + RWL_LANCE_READ_SLACK, err));
    if (slice->flat->bits == 1)
        memset(room->data, value.data[0] != 0 ? 0xff : 0, count / 8 + 1);
    else if (value.len == 1)
        memset(room->data, value.data[0], count);
    else
        for (size_t i = 0; i < count; i++)
            memcpy(room->data + i * value.len, value.data, value.len);
    return RWL_OK;
}

rwl_status rwl_lance_slice20_get(rwl_lance_column20 *c, const rwl_lance_slice20 *slice, size_t piece,
                                 rwl_buf *room, rwl_lance_bits20 *out, rwl_error *err) {
    const rwl_lance_flat20 *flat = slice->flat;
    rwl_span in = {NULL, 0};
    rwl_buf_reset(room);
    if (rwl_lance_flat20_is_read(flat))
        RWL_TRY(rwl_lance_fetch_get(&c->fetch, piece, &in, err));
    *out = (rwl_lance_bits20){in.data, slice->first * flat->bits};
    switch (flat->form) {
    case RWL_LANCE_FLAT20_PLAIN:
        out->first = out->first / 8 * 8;
        return RWL_OK;
    case RWL_LANCE_FLAT20_WHOLE:
        out->first = 0;
        return need_plain(c, slice, &out->data, err);
    case RWL_LANCE_FLAT20_BITS:
        RWL_TRY(get_bits(slice, in, room, err));
        break;
    case RWL_LANCE_FLAT20_BLOCKS:
        out->first = slice->first / RWL_LANCE_PACK * RWL_LANCE_PACK * flat->bits;
        RWL_TRY(get_blocks(slice, in, room, err));
        break;
    case RWL_LANCE_FLAT20_SAME:
        RWL_TRY(get_same(slice, room, err));
        break;
    }
    out->data = room->data;
    return RWL_OK;
}
