/* SPDX-License-Identifier: Apache-2.0 */
/* A dictionary as what it says of its chunk: there are no values but these. */
#include "parquet/prune_internal.h"

#include "parquet/page.h"
#include "parquet/values.h"

enum {
    DICTIONARY_MAX = 1 << 20, /* bytes of a page, before and after decompression, that are worth reading */
    SHARE = 8                 /* and no more than this part of its chunk */
};

/* Where the page is, when the footer says so and it is cheap next to the chunk. */
static bool is_worth_it(const rwl_parquet_chunk *chunk) {
    int64_t len = chunk->data_offset - chunk->dictionary_offset;
    return chunk->all_dictionary && chunk->dictionary_offset > 0 && !chunk->encrypted && len > 0 &&
           len <= DICTIONARY_MAX && len <= chunk->compressed_size / SHARE;
}

/* The page's PLAIN bytes: `raw` or, decompressed, `plain` (with slack behind). */
static rwl_status unpack_page(const rwl_prune *p, const rwl_parquet_chunk *chunk, const rwl_buf *raw,
                              rwl_buf *plain, rwl_parquet_page_header *h, rwl_span *out, rwl_error *err) {
    size_t len;
    rwl_codec_id id;
    RWL_TRY(rwl_parquet_page_parse(rwl_buf_span(raw), h, &len, err));
    if (h->type != RWL_PARQUET_DICTIONARY_PAGE || (size_t)h->compressed_size > raw->len - len ||
        h->uncompressed_size > DICTIONARY_MAX || !rwl_parquet_codec_of(chunk->codec, &id))
        return rwl_fail(err, RWL_CORRUPT, "no dictionary page of use");
    rwl_span body = rwl_span_of(raw->data + len, (size_t)h->compressed_size);
    if (h->has_crc && !p->request->skip_page_crc && rwl_crc32(0, body) != h->crc)
        return rwl_fail(err, RWL_CORRUPT, "wrong checksum");
    size_t size = (size_t)h->uncompressed_size;
    RWL_TRY(rwl_buf_reserve(plain, size + RWL_PARQUET_READ_SLACK, err));
    memset(plain->data, 0, size + RWL_PARQUET_READ_SLACK);
    *out = rwl_span_of(plain->data, size);
    if (size == 0)
        return RWL_OK;
    if (id == RWL_CODEC_NONE) {
        if (body.len != size)
            return rwl_fail(err, RWL_CORRUPT, "page of another length");
        memcpy(plain->data, body.data, size);
        return RWL_OK;
    }
    rwl_codec *codec;
    RWL_TRY(rwl_codec_new(p->op->env, id, 0, &codec, err));
    rwl_status st = rwl_codec_decompress(codec, body, plain->data, size, err);
    rwl_codec_free(codec);
    return st;
}

/* The dictionary's values as a column of the leaf's natural type. */
static rwl_status make_column(const rwl_env *env, const rwl_parquet_dictionary *d, size_t width,
                              rwl_column *out, rwl_error *err) {
    if (!d->entries) {
        RWL_TRY(rwl_column_reserve(out, env, d->count, 0, err));
        if (d->count > 0)
            memcpy(out->values.data, d->values, d->count * width);
        out->length = d->count;
        return RWL_OK;
    }
    for (uint32_t i = 0; i < d->count; i++) {
        rwl_value v = {.kind = out->type.kind};
        v.as.bytes = rwl_span_of(d->values + d->entries[i].off, d->entries[i].len);
        RWL_TRY(rwl_column_append(out, env, &v, 1, err));
    }
    return RWL_OK;
}

/* Appends the values to the column's dictionary, in the field's type. */
static rwl_status convert_column(rwl_prune_column *c, const rwl_env *env, const rwl_column *own,
                                 const rwl_type *to, bool *is_known, rwl_error *err) {
    RWL_TRY(rwl_column_init(&c->dictionary, env, to, err));
    *is_known = true;
    for (int64_t i = 0; i < own->length && *is_known; i++) {
        rwl_value v = rwl_column_value(own, i), as;
        *is_known = rwl_prune_to_field(&own->type, to, &v, &as);
        if (*is_known)
            RWL_TRY(rwl_column_append(&c->dictionary, env, &as, 1, err));
    }
    return RWL_OK;
}

static rwl_status build(rwl_prune *p, rwl_prune_column *c, rwl_span plain, const rwl_parquet_page_header *h,
                        rwl_error *err) {
    const rwl_env *env = p->op->env;
    const rwl_parquet_leaf *leaf = &p->file->leaves[c->leaf];
    rwl_parquet_layout layout = rwl_parquet_layout_of(leaf);
    rwl_parquet_dictionary d = {0};
    rwl_column own = {0};
    rwl_status st = rwl_parquet_dictionary_build(&d, p->op, &layout, plain, h->value_count, err);
    if (st == RWL_OK)
        st = rwl_column_init(&own, env, &leaf->field.type, err);
    if (st == RWL_OK)
        st = make_column(env, &d, layout.width, &own, err);
    if (st == RWL_OK)
        st = convert_column(c, env, &own, &p->request->fields[c->field].type, &c->has_dictionary, err);
    rwl_column_clear(&own, env);
    rwl_parquet_dictionary_clear(&d, p->op);
    return st;
}

rwl_status rwl_prune_load_dictionary(rwl_prune *p, rwl_prune_column *c, rwl_error *err) {
    if (c->leaf < 0 || p->request->skip_indexes || rwl_prune_is_hidden(p, c) ||
        !is_worth_it(&p->file->groups[p->group].chunks[c->leaf]))
        return RWL_OK;
    const rwl_parquet_chunk *chunk = &p->file->groups[p->group].chunks[c->leaf];
    size_t len = (size_t)(chunk->data_offset - chunk->dictionary_offset);
    rwl_buf raw, unpacked;
    rwl_span plain;
    rwl_parquet_page_header h;
    RWL_TRY(rwl_prune_open_file(p, err));
    rwl_buf_init(&raw, p->op->env, SIZE_MAX);
    rwl_buf_init(&unpacked, p->op->env, SIZE_MAX);
    rwl_status st = rwl_buf_reserve(&raw, len, err);
    if (st == RWL_OK)
        st = rwl_file_read(p->handle, p->op, chunk->dictionary_offset, len, raw.data, err);
    raw.len = len;
    if (st == RWL_OK)
        st = unpack_page(p, chunk, &raw, &unpacked, &h, &plain, err);
    if (st == RWL_OK)
        st = build(p, c, plain, &h, err);
    rwl_buf_clear(&raw);
    rwl_buf_clear(&unpacked);
    p->requests++;
    p->bytes_read += (int64_t)len;
    c->has_dictionary = c->has_dictionary && st == RWL_OK;
    return st;
}

/* The values and a null as rows, and the filter on them. */
static rwl_status evaluate(const rwl_prune *p, const rwl_prune_column *c, rwl_column *rows, bool *may,
                           rwl_error *err) {
    const rwl_env *env = p->op->env;
    const rwl_parquet_leaf *leaf = &p->file->leaves[c->leaf];
    rwl_range all = {0, c->dictionary.length};
    RWL_TRY(rwl_column_take_ranges(&c->dictionary, &all, 1, rows, env, err));
    bool may_be_null = leaf->max_definition > 0 || !leaf->field.required;
    if (may_be_null && p->file->groups[p->group].chunks[c->leaf].stats.null_count != 0) {
        rwl_value null = rwl_value_null(rows->type.kind);
        RWL_TRY(rwl_column_append(rows, env, &null, 1, err));
    }
    size_t size = rwl_expr_bits_size(rows->length), words = size / sizeof(uint64_t);
    const rwl_column **columns = rwl_calloc(env, (size_t)p->request->field_count + 1, sizeof(rwl_column *));
    uint64_t *bits = rwl_calloc(env, 1, size + sizeof *bits);
    rwl_status st = columns && bits ? (rwl_status)RWL_OK : rwl_no_memory(err, size);
    if (st == RWL_OK) {
        columns[c->field] = rows;
        st = rwl_expr_eval(p->request->filter, columns, rows->length, env, bits, err);
    }
    *may = false;
    for (size_t i = 0; i < words && st == RWL_OK && !*may; i++)
        *may = bits[i] != 0;
    rwl_free(env, columns);
    rwl_free(env, bits);
    return st;
}

rwl_status rwl_prune_try_dictionary(rwl_prune *p, rwl_prune_column *c, bool *may, rwl_error *err) {
    rwl_column rows = {0};
    rwl_status st = rwl_column_init(&rows, p->op->env, &p->request->fields[c->field].type, err);
    if (st == RWL_OK)
        st = evaluate(p, c, &rows, may, err);
    rwl_column_clear(&rows, p->op->env);
    return st;
}
