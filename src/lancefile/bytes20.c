/* SPDX-License-Identifier: Apache-2.0 */
/* Texts and bytes of file version 2.0: ends and bytes, each text by FSST or not; texts of one length; blobs elsewhere in the file. */
#include "column/bits.h"
#include "lancefile/field20_internal.h"

enum { BLOB_LEN = 16, SYMBOL_MAX = 8 };

/* --- aim --- */

rwl_status rwl_lance_bytes20_aim(rwl_lance_column20 *c, rwl_lance_part20 *part, rwl_error *err) {
    rwl_lance_slice20 slice = {&part->page->values, part->index, part->first, part->count};
    return part->page->form == RWL_LANCE_PAGE20_BLOBS ? rwl_lance_slice20_aim(c, &slice, &part->piece, err)
                                                      : rwl_lance_ends20_aim(c, part, err);
}

static rwl_lance_slice20 bytes_of(const rwl_lance_part20 *part) {
    return (rwl_lance_slice20){&part->page->bytes, part->index, part->from, part->to - part->from};
}

/* The most bytes that the part's are once put out. */
static int64_t most_bytes(const rwl_lance_part20 *part) {
    int64_t stored = part->to - part->from; /* of a file or unpacked from it, or below 2^31 */
    return part->page->fsst != NULL ? stored * SYMBOL_MAX + RWL_LANCE_FSST_SLACK : stored;
}

/* --- measure --- */

static rwl_status measure_ends(rwl_lance_column20 *c, rwl_lance_part20 *part, rwl_error *err) {
    rwl_lance_ends20 ends;
    uint64_t from, to;
    bool is_null;
    RWL_TRY(rwl_lance_ends20_open(c, part, (uint64_t)part->page->bytes.count, &ends, err));
    part->from = (int64_t)ends.at;
    part->has_gaps = false;
    for (int64_t i = 0; i < part->count; i++) {
        if (!rwl_lance_ends20_next(&ends, i, &from, &to, &is_null))
            return rwl_lance_ends20_fail(&ends, part->first + i, from, to, err);
        part->has_gaps |= is_null && to > from;
    }
    part->to = (int64_t)ends.at;
    rwl_lance_slice20 slice = bytes_of(part);
    if (!rwl_lance_field20_count(c->field, most_bytes(part) + 4 * part->count) || slice.count == 0 ||
        !rwl_lance_flat20_is_read(slice.flat))
        return RWL_OK;
    return rwl_lance_slice20_aim(c, &slice, &part->bytes_piece, err);
}

/* Position and size of a blob; true when it is null. */
static bool read_blob(const uint8_t *at, uint64_t *position, uint64_t *size) {
    *position = rwl_load_le64(at);
    *size = rwl_load_le64(at + 8);
    return *size == 0 && *position != 0;
}

static rwl_status measure_blobs(rwl_lance_column20 *c, rwl_lance_part20 *part, rwl_error *err) {
    rwl_span numbers;
    uint64_t position, size;
    bool is_first = true;
    RWL_TRY(rwl_lance_fetch_get(&c->fetch, part->piece, &numbers, err));
    for (int64_t i = 0; i < part->count; i++) {
        size_t number;
        (void)read_blob(numbers.data + i * BLOB_LEN, &position, &size);
        if (size > (uint64_t)c->source->file->size || position > (uint64_t)c->source->file->size)
            return rwl_fail(err, RWL_CORRUPT, "row %lld: blob of %llu bytes at %llu in a file of %lld",
                            (long long)(part->first + i), (unsigned long long)size,
                            (unsigned long long)position, (long long)c->source->file->size);
        if (!rwl_lance_field20_count(c->field, (int64_t)size + 4))
            return RWL_OK;
        if (size == 0)
            continue;
        RWL_TRY(rwl_lance_fetch_want(&c->fetch, (int64_t)position, (int64_t)size, &number, err));
        part->bytes_piece = is_first ? number : part->bytes_piece;
        is_first = false;
    }
    return RWL_OK;
}

rwl_status rwl_lance_bytes20_measure(rwl_lance_column20 *c, rwl_lance_part20 *part, rwl_error *err) {
    return part->page->form == RWL_LANCE_PAGE20_BLOBS ? measure_blobs(c, part, err)
                                                      : measure_ends(c, part, err);
}

/* --- append --- */

/* Room for the rows and these bytes behind what is there. */
static rwl_status make_room(rwl_lance_field20 *f, rwl_column *out, int64_t rows, uint64_t bytes,
                            rwl_error *err) {
    if (bytes > RWL_COLUMN_BYTES_MAX - out->bytes_len)
        return rwl_fail(err, RWL_UNSUPPORTED, "%llu bytes of variable-length values in one batch, limit %zu",
                        (unsigned long long)bytes, RWL_COLUMN_BYTES_MAX);
    RWL_TRY(rwl_lance_charge_reserve(&f->base.charge, out, f->env, out->length + rows,
                                     out->bytes_len + (size_t)bytes, err));
    if (out->length == 0)
        ((int32_t *)(void *)out->offsets.data)[0] = 0;
    return RWL_OK;
}

/* *out: the part's bytes, as the ends count them from part->from on. */
static rwl_status find_bytes(rwl_lance_column20 *c, const rwl_lance_part20 *part, rwl_span *out,
                             rwl_error *err) {
    *out = rwl_span_of(NULL, 0);
    if (part->to == part->from)
        return RWL_OK;
    rwl_lance_slice20 slice = bytes_of(part);
    rwl_lance_bits20 bytes;
    RWL_TRY(rwl_lance_slice20_get(c, &slice, part->bytes_piece, &c->field->values, &bytes, err));
    *out = rwl_span_of(bytes.data + (part->from - bytes.first / 8), (size_t)slice.count);
    return RWL_OK;
}

/* Puts a text where there is room for it; returns its length, -1 for codes that stand for nothing. */
static int64_t put_text(const rwl_lance_fsst *fsst, rwl_span text, uint8_t *out) {
    if (text.len == 0)
        return 0;
    if (fsst != NULL)
        return rwl_lance_fsst_decode(fsst, text, out);
    memcpy(out, text.data, text.len);
    return (int64_t)text.len;
}

static rwl_status append_ends(rwl_lance_column20 *c, const rwl_lance_part20 *part, rwl_column *out,
                              rwl_error *err) {
    rwl_lance_ends20 ends;
    rwl_span bytes;
    rwl_lance_field20 *f = c->field;
    const rwl_lance_fsst *fsst = part->page->fsst;
    int64_t nulls = 0;
    RWL_TRY(make_room(f, out, part->count, (uint64_t)most_bytes(part), err));
    RWL_TRY(find_bytes(c, part, &bytes, err));
    RWL_TRY(rwl_lance_ends20_open(c, part, (uint64_t)part->page->bytes.count, &ends, err));
    rwl_buf_reset(&f->validity);
    RWL_TRY(rwl_buf_reserve(&f->validity, (size_t)part->count / 8 + 1, err));
    memset(f->validity.data, 0, (size_t)part->count / 8 + 1);
    int32_t *offsets = (int32_t *)(void *)out->offsets.data + out->length;
    uint8_t *to = out->values.data;
    size_t at = out->bytes_len;
    bool is_whole = !part->has_gaps && fsst == NULL; /* one copy for all */
    if (bytes.len > 0 && is_whole)
        memcpy(to + at, bytes.data, bytes.len);
    for (int64_t i = 0; i < part->count; i++) {
        uint64_t first, end;
        bool is_null;
        (void)rwl_lance_ends20_next(&ends, i, &first, &end, &is_null); /* measured */
        int64_t len = is_null ? 0 : (int64_t)(end - first);
        if (!is_whole && len > 0)
            len = put_text(fsst, rwl_span_of(bytes.data + (first - (uint64_t)part->from), (size_t)len),
                           to + at);
        if (len < 0)
            return rwl_fail(err, RWL_CORRUPT, "row %lld: fsst codes that stand for nothing",
                            (long long)(part->first + i));
        at += (size_t)len;
        offsets[i + 1] = (int32_t)at;
        nulls += is_null;
        f->validity.data[i / 8] |= (uint8_t)(!is_null << (i & 7));
    }
    RWL_TRY(rwl_lance_append_validity(f->env, out, nulls > 0 ? f->validity.data : NULL, part->count, err));
    out->length += part->count;
    out->bytes_len = at;
    return RWL_OK;
}

/* Where the part's texts of one length lie, and which are null: NULL for none. */
static rwl_status find_even(rwl_lance_column20 *c, const rwl_lance_part20 *part, rwl_lance_bits20 *validity,
                            const uint8_t **texts, rwl_error *err) {
    const rwl_lance_page20 *page = part->page;
    rwl_lance_slice20 slice = {&page->levels[0].validity, part->index, part->first, part->count};
    rwl_lance_bits20 bytes;
    size_t piece = part->piece;
    *validity = (rwl_lance_bits20){NULL, 0};
    *texts = NULL;
    if (page->levels[0].nulls == RWL_LANCE_SOME_NULLS) {
        RWL_TRY(rwl_lance_slice20_get(c, &slice, piece, &c->field->validity, validity, err));
        piece += rwl_lance_flat20_is_read(slice.flat);
    }
    if (page->row_bits == 0)
        return RWL_OK;
    slice = (rwl_lance_slice20){&page->values, part->index, part->first * page->per_row,
                                part->count * page->per_row};
    RWL_TRY(rwl_lance_slice20_get(c, &slice, piece, &c->field->values, &bytes, err));
    *texts = bytes.data + (part->first * page->row_bits - bytes.first) / 8;
    return RWL_OK;
}

static rwl_status append_even(rwl_lance_column20 *c, const rwl_lance_part20 *part, rwl_column *out,
                              rwl_error *err) {
    const rwl_env *env = c->field->env;
    rwl_lance_bits20 validity;
    const uint8_t *texts;
    size_t len = (size_t)part->page->row_bits / 8;
    if (len > 0 && (size_t)part->count > RWL_COLUMN_BYTES_MAX / len)
        return rwl_fail(err, RWL_UNSUPPORTED, "%lld texts of %zu bytes in one batch", (long long)part->count,
                        len);
    RWL_TRY(find_even(c, part, &validity, &texts, err));
    RWL_TRY(make_room(c->field, out, part->count, (uint64_t)part->count * len, err));
    int32_t *offsets = (int32_t *)(void *)out->offsets.data + out->length;
    size_t at = out->bytes_len;
    rwl_buf *bits = &c->field->aligned;
    rwl_buf_reset(bits);
    RWL_TRY(rwl_buf_reserve(bits, (size_t)part->count / 8 + 1, err));
    memset(bits->data, 0, (size_t)part->count / 8 + 1);
    for (int64_t i = 0; i < part->count; i++) {
        bool is_valid = validity.data == NULL || rwl_bit_get(validity.data, part->first - validity.first + i);
        if (is_valid && len > 0)
            memcpy(out->values.data + at, texts + (size_t)i * len, len);
        at += is_valid ? len : 0;
        offsets[i + 1] = (int32_t)at;
        bits->data[i / 8] |= (uint8_t)(is_valid << (i & 7));
    }
    RWL_TRY(rwl_lance_append_validity(env, out, validity.data != NULL ? bits->data : NULL, part->count, err));
    out->length += part->count;
    out->bytes_len = at;
    return RWL_OK;
}

static rwl_status append_blobs(rwl_lance_column20 *c, const rwl_lance_part20 *part, rwl_column *out,
                               rwl_error *err) {
    rwl_span numbers;
    size_t piece = part->bytes_piece;
    RWL_TRY(rwl_lance_fetch_get(&c->fetch, part->piece, &numbers, err));
    for (int64_t i = 0; i < part->count; i++) {
        uint64_t position, size;
        rwl_value v = rwl_value_null(out->type.kind);
        v.is_null = read_blob(numbers.data + i * BLOB_LEN, &position, &size);
        v.as.bytes = rwl_span_of(NULL, 0);
        if (size > 0)
            RWL_TRY(rwl_lance_fetch_get(&c->fetch, piece++, &v.as.bytes, err));
        RWL_TRY(make_room(c->field, out, 1, v.as.bytes.len, err));
        RWL_TRY(rwl_column_append(out, c->field->env, &v, 1, err));
    }
    return RWL_OK;
}

rwl_status rwl_lance_bytes20_append(rwl_lance_column20 *c, const rwl_lance_part20 *part, rwl_column *out,
                                    rwl_error *err) {
    switch (part->page->form) {
    case RWL_LANCE_PAGE20_BLOBS:
        return append_blobs(c, part, out, err);
    case RWL_LANCE_PAGE20_EVEN:
        return append_even(c, part, out, err);
    default:
        return append_ends(c, part, out, err);
    }
}
