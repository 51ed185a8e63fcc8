/* SPDX-License-Identifier: Apache-2.0 */
/* Texts and bytes of file version 2.0: ends and bytes, the bytes compressed as a whole, each text by FSST, or not; blobs elsewhere in the
 * file. */
#include "lancefile/field20_internal.h"

enum { BLOB_LEN = 16, SYMBOL_MAX = 8 };

static bool is_compressed(const rwl_lance_page20 *page) {
    return page->scheme != RWL_LANCE_SCHEME_NONE;
}

/* --- aim --- */

rwl_status rwl_lance_bytes20_aim(rwl_lance_column20 *c, rwl_lance_part20 *part, rwl_error *err) {
    const rwl_lance_page20 *page = part->page;
    if (page->form == RWL_LANCE_PAGE20_BYTES)
        return rwl_lance_ends20_aim(c, part, err);
    int64_t each = page->row_bits / 8; /* of a blob's numbers, or an index */
    return rwl_lance_fetch_want(&c->fetch, page->values.offset + part->first * each, part->count * each,
                                &part->piece, err);
}

/* --- a page's bytes uncompressed --- */

void rwl_lance_bytes20_forget(rwl_lance_column20 *c) {
    rwl_op_release(c->field->op, c->charged);
    c->charged = 0;
    c->plain_page = c->dictionary_page = -1;
    rwl_buf_clear(&c->plain);
    rwl_column_clear(&c->dictionary, c->field->env);
}

/* Writers count one more than there are bytes. */
static rwl_status decompress(rwl_lance_column20 *c, const rwl_lance_page20 *page, rwl_span in,
                             rwl_error *err) {
    uint64_t most = page->null_adjustment - 1;
    if (most > RWL_COLUMN_BYTES_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "compressed page of %llu bytes", (unsigned long long)most);
    RWL_TRY(rwl_op_reserve(c->field->op, (int64_t)most, "decompressing a page", err));
    c->charged = (int64_t)most;
    rwl_buf_init(&c->plain, c->field->env, (size_t)most);
    RWL_TRY(rwl_lance_general_decode(&c->field->general, c->field->env, page->scheme, in, &c->plain, err));
    if (c->plain.len != most)
        return rwl_fail(err, RWL_CORRUPT, "page of %zu bytes once decompressed, %llu expected", c->plain.len,
                        (unsigned long long)most);
    return RWL_OK;
}

static rwl_status need_plain(rwl_lance_column20 *c, const rwl_lance_part20 *part, rwl_error *err) {
    size_t number;
    rwl_span in;
    if (c->plain_page == part->index)
        return RWL_OK;
    rwl_lance_bytes20_forget(c);
    RWL_TRY(
        rwl_lance_fetch_want(&c->fetch, part->page->bytes.offset, part->page->bytes.length, &number, err));
    RWL_TRY(rwl_lance_fetch_submit(&c->fetch, err));
    RWL_TRY(rwl_lance_fetch_get(&c->fetch, number, &in, err));
    RWL_TRY(decompress(c, part->page, in, err));
    c->plain_page = part->index;
    return RWL_OK;
}

/* Bytes of the page, as `binary` counts them. */
static uint64_t page_bytes(const rwl_lance_page20 *page) {
    return is_compressed(page) ? page->null_adjustment - 1 : (uint64_t)page->bytes.length;
}

/* The most bytes that the part's are once put out. */
static int64_t most_bytes(const rwl_lance_part20 *part) {
    int64_t stored = part->to - part->from; /* of a file, or below 2^31 */
    return part->page->fsst != NULL ? stored * SYMBOL_MAX + RWL_LANCE_FSST_SLACK : stored;
}

/* --- measure --- */

static rwl_status measure_ends(rwl_lance_column20 *c, rwl_lance_part20 *part, rwl_error *err) {
    rwl_lance_ends20 ends;
    uint64_t from, to;
    bool is_null;
    RWL_TRY(rwl_lance_ends20_open(c, part, page_bytes(part->page), &ends, err));
    part->from = (int64_t)ends.at;
    part->has_gaps = false;
    for (int64_t i = 0; i < part->count; i++) {
        if (!rwl_lance_ends20_next(&ends, i, &from, &to, &is_null))
            return rwl_lance_ends20_fail(&ends, part->first + i, from, to, err);
        part->has_gaps |= is_null && to > from;
    }
    part->to = (int64_t)ends.at;
    if (!rwl_lance_field20_count(c->field, most_bytes(part) + 4 * part->count) || is_compressed(part->page) ||
        part->to == part->from)
        return RWL_OK;
    return rwl_lance_fetch_want(&c->fetch, part->page->bytes.offset + part->from, part->to - part->from,
                                &part->bytes_piece, err);
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
    if (part->page->form == RWL_LANCE_PAGE20_BLOBS)
        return measure_blobs(c, part, err);
    if (part->page->form == RWL_LANCE_PAGE20_DICTIONARY)
        return rwl_lance_dictionary20_measure(c, part, err);
    return measure_ends(c, part, err);
}

/* --- append --- */

/* Room for the rows and these bytes behind what is there. */
static rwl_status make_room(const rwl_env *env, rwl_column *out, int64_t rows, uint64_t bytes,
                            rwl_error *err) {
    if (bytes > RWL_COLUMN_BYTES_MAX - out->bytes_len)
        return rwl_fail(err, RWL_UNSUPPORTED, "%llu bytes of variable-length values in one batch, limit %zu",
                        (unsigned long long)bytes, RWL_COLUMN_BYTES_MAX);
    RWL_TRY(rwl_column_reserve(out, env, out->length + rows, out->bytes_len + (size_t)bytes, err));
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
    if (!is_compressed(part->page))
        return rwl_lance_fetch_get(&c->fetch, part->bytes_piece, out, err);
    RWL_TRY(need_plain(c, part, err));
    *out = rwl_span_of(c->plain.data + part->from, (size_t)(part->to - part->from));
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
    RWL_TRY(make_room(f->env, out, part->count, (uint64_t)most_bytes(part), err));
    RWL_TRY(find_bytes(c, part, &bytes, err));
    RWL_TRY(rwl_lance_ends20_open(c, part, page_bytes(part->page), &ends, err));
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
        RWL_TRY(rwl_column_append(out, c->field->env, &v, 1, err));
    }
    return RWL_OK;
}

rwl_status rwl_lance_bytes20_append(rwl_lance_column20 *c, const rwl_lance_part20 *part, rwl_column *out,
                                    rwl_error *err) {
    if (part->page->form == RWL_LANCE_PAGE20_BLOBS)
        return append_blobs(c, part, out, err);
    if (part->page->form == RWL_LANCE_PAGE20_DICTIONARY)
        return rwl_lance_dictionary20_append(c, part, out, err);
    return append_ends(c, part, out, err);
}
