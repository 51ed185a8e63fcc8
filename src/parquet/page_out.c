/* SPDX-License-Identifier: Apache-2.0 */
/* Pages leaving the encoder: levels, compression, header. */
#include "parquet/page_out.h"

#include "parquet/encode.h"

enum {
    TRIAL_PAGES = 64,   /* one page in so many is compressed at every level */
    TRIAL_BYTES = 4096, /* pages below are too small to say anything, or to cost */
    ROOM_ROWS = 65536   /* levels of pages of more rows are joined to their values by a copy */
};

rwl_status rwl_parquet_page_out_init(rwl_parquet_page_out *p, const rwl_env *env,
                                     const rwl_parquet_write_leaf *leaf, rwl_parquet_chunk_write *chunk,
                                     bool is_flat, size_t page_rows, bool v2, bool with_crc, rwl_error *err) {
    memset(p, 0, sizeof *p);
    p->env = env;
    p->leaf = leaf;
    p->chunk = chunk;
    p->v2 = v2;
    p->with_crc = with_crc;
    p->is_flat = is_flat;
    rwl_buf *const bufs[] = {&p->levels, &p->wide, &p->body, &p->stored, &p->trial};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        rwl_buf_init(bufs[i], env, SIZE_MAX);
    if (leaf->max_definition > 0)
        p->headroom = 8 + rwl_parquet_levels_bound(page_rows < ROOM_ROWS ? page_rows : ROOM_ROWS);
    if (p->is_flat)
        return RWL_OK;
    size_t definitions = (size_t)leaf->max_definition + 1, repetitions = (size_t)leaf->max_repetition + 1;
    p->definition_counts = rwl_calloc(env, definitions + repetitions, sizeof *p->definition_counts);
    if (p->definition_counts == NULL)
        return rwl_no_memory(err, (definitions + repetitions) * sizeof *p->definition_counts);
    p->repetition_counts = p->definition_counts + definitions;
    return RWL_OK;
}

void rwl_parquet_page_out_clear(rwl_parquet_page_out *p) {
    if (p->env == NULL)
        return;
    rwl_buf_clear(&p->levels);
    rwl_buf_clear(&p->wide);
    rwl_buf_clear(&p->body);
    rwl_buf_clear(&p->stored);
    rwl_buf_clear(&p->trial);
    rwl_free(p->env, p->definition_counts);
    p->env = NULL;
}

int64_t rwl_parquet_page_out_memory(const rwl_parquet_page_out *p) {
    return (int64_t)(p->levels.cap + p->wide.cap + p->body.cap + p->stored.cap + p->trial.cap);
}

static rwl_status fail_page(const rwl_parquet_page_out *p, size_t len, rwl_error *err) {
    return rwl_fail(err, RWL_UNSUPPORTED, "column %s: a page of %zu bytes can't be written, the limit is %d",
                    p->leaf->dotted, len, RWL_PARQUET_PAGE_MAX);
}

/* --- levels --- */

static rwl_status put_flat_levels(rwl_parquet_page_out *p, const rwl_parquet_page_levels *lv,
                                  rwl_error *err) {
    RWL_TRY(rwl_buf_reserve(&p->levels, rwl_parquet_levels_bound(lv->entries), err));
    uint8_t *at = p->levels.data + p->levels.len;
    p->levels.len += lv->nulls == 0             ? rwl_parquet_levels_constant(true, lv->entries, at)
                     : lv->nulls == lv->entries ? rwl_parquet_levels_constant(false, lv->entries, at)
                                                : rwl_parquet_levels_encode(lv->validity, lv->entries, at);
    return RWL_OK;
}

/* One kind of levels, after its length where the version has one; *len without it. */
static rwl_status put_kind(rwl_parquet_page_out *p, const rwl_parquet_page_levels *lv, const uint8_t *levels,
                           int max, size_t *len, rwl_error *err) {
    *len = 0;
    if (max == 0)
        return RWL_OK;
    if (!p->v2)
        RWL_TRY(rwl_buf_le32(&p->levels, 0, err));
    size_t start = p->levels.len;
    if (p->is_flat)
        RWL_TRY(put_flat_levels(p, lv, err));
    else
        RWL_TRY(rwl_parquet_levels_append(levels, lv->entries, max, &p->wide, &p->levels, err));
    *len = p->levels.len - start;
    if (!p->v2)
        rwl_store_le32(p->levels.data + start - 4, (uint32_t)*len);
    return RWL_OK;
}

static void count_levels(const uint8_t *levels, size_t count, int max, int64_t *out) {
    memset(out, 0, ((size_t)max + 1) * sizeof *out);
    if (levels == NULL || max == 0) {
        out[0] = (int64_t)count;
        return;
    }
    for (size_t i = 0; i < count; i++)
        out[levels[i]]++;
}

static rwl_status put_levels(rwl_parquet_page_out *p, const rwl_parquet_page_levels *lv,
                             rwl_parquet_page_header *h, rwl_error *err) {
    size_t repetition_len, definition_len;
    rwl_buf_reset(&p->levels);
    RWL_TRY(put_kind(p, lv, lv->repetitions, p->leaf->max_repetition, &repetition_len, err));
    RWL_TRY(put_kind(p, lv, lv->definitions, p->leaf->max_definition, &definition_len, err));
    if (p->levels.len > (size_t)RWL_PARQUET_PAGE_MAX)
        return fail_page(p, p->levels.len, err);
    h->repetition_len = p->v2 ? (int32_t)repetition_len : 0;
    h->definition_len = p->v2 ? (int32_t)definition_len : 0;
    return RWL_OK;
}

/* --- compression --- */

/* Compresses at every level; `stored` gets that of the highest, *level is the one that pays. */
static rwl_status try_efforts(rwl_parquet_page_out *p, rwl_span body, int *level, rwl_error *err) {
    const rwl_parquet_codecs *codecs = p->codecs;
    size_t before = p->stored.len, len[RWL_PARQUET_EFFORTS];
    int last = codecs->effort_count - 1;
    RWL_TRY(rwl_codec_compress(codecs->full, body, &p->stored, err));
    size_t least = len[last] = p->stored.len - before;
    for (int i = 0; i < last; i++) {
        rwl_buf_reset(&p->trial);
        RWL_TRY(rwl_codec_compress(codecs->efforts[i], body, &p->trial, err));
        len[i] = p->trial.len;
        if (len[i] >= least)
            continue;
        least = len[i]; /* the smallest is what is stored */
        p->stored.len = before;
        RWL_TRY(rwl_buf_append(&p->stored, p->trial.data, p->trial.len, err));
    }
    *level = 0;
    while (len[*level] > least + least / 100)
        ++*level;
    return RWL_OK;
}

/* Appends `body` compressed to `stored`, at the level that pays for such pages. */
static rwl_status compress(rwl_parquet_page_out *p, rwl_span body, bool is_index, rwl_error *err) {
    if (p->codecs->effort_count == 1 || body.len < TRIAL_BYTES)
        return rwl_codec_compress(p->codecs->full, body, &p->stored, err);
    if (p->effort[is_index].countdown-- > 0)
        return rwl_codec_compress(p->codecs->efforts[p->effort[is_index].level], body, &p->stored, err);
    p->effort[is_index].countdown = TRIAL_PAGES - 1;
    return try_efforts(p, body, &p->effort[is_index].level, err);
}

/* The body of a v1 page: the levels in front of the values, where there is room for them. */
static rwl_status join_body(rwl_parquet_page_out *p, rwl_buf *values, rwl_span *body, rwl_error *err) {
    size_t len = p->levels.len, values_len = values->len - p->headroom;
    if (len <= p->headroom) {
        uint8_t *start = values->data + p->headroom - len;
        if (len > 0)
            memcpy(start, p->levels.data, len);
        *body = rwl_span_of(start, len + values_len);
        return RWL_OK;
    }
    rwl_buf_reset(&p->body);
    RWL_TRY(rwl_buf_append(&p->body, p->levels.data, len, err));
    RWL_TRY(rwl_buf_append(&p->body, values->data + p->headroom, values_len, err));
    *body = rwl_buf_span(&p->body);
    return RWL_OK;
}

static rwl_status store_v1(rwl_parquet_page_out *p, rwl_buf *values, bool is_index, rwl_span *stored,
                           rwl_error *err) {
    RWL_TRY(join_body(p, values, stored, err));
    if (p->codecs->full == NULL)
        return RWL_OK;
    rwl_buf_reset(&p->stored);
    RWL_TRY(compress(p, *stored, is_index, err));
    *stored = rwl_buf_span(&p->stored);
    return RWL_OK;
}

/* Values that compression does not make smaller are stored as they are. */
static rwl_status store_v2(rwl_parquet_page_out *p, rwl_buf *values, bool is_index,
                           rwl_parquet_page_header *h, rwl_span *stored, rwl_error *err) {
    rwl_span plain = rwl_span_of(values->data + p->headroom, values->len - p->headroom);
    rwl_buf_reset(&p->stored);
    RWL_TRY(rwl_buf_append(&p->stored, p->levels.data, p->levels.len, err));
    h->is_compressed = false;
    if (p->codecs->full != NULL && plain.len > 0) {
        RWL_TRY(compress(p, plain, is_index, err));
        h->is_compressed = p->stored.len - p->levels.len < plain.len;
    }
    if (!h->is_compressed) {
        p->stored.len = p->levels.len;
        RWL_TRY(rwl_buf_append(&p->stored, plain.data, plain.len, err));
    }
    *stored = rwl_buf_span(&p->stored);
    return RWL_OK;
}

/* --- pages --- */

static rwl_status end_header(rwl_parquet_page_out *p, rwl_parquet_page_header *h, size_t body_len,
                             rwl_span stored, rwl_error *err) {
    if (stored.len > INT32_MAX)
        return fail_page(p, stored.len, err);
    h->uncompressed_size = (int32_t)body_len;
    h->compressed_size = (int32_t)stored.len;
    h->has_crc = p->with_crc;
    h->crc = p->with_crc ? rwl_crc32(0, stored) : 0;
    p->body_bytes += (int64_t)body_len;
    p->stored_bytes += (int64_t)stored.len;
    return RWL_OK;
}

static void fill_facts(rwl_parquet_page_out *p, const rwl_parquet_page_levels *lv,
                       rwl_parquet_page_facts *facts) {
    facts->row_count = (int64_t)lv->rows;
    facts->null_count = (int64_t)lv->nulls;
    facts->definitions = facts->repetitions = NULL;
    if (p->is_flat)
        return;
    count_levels(lv->definitions, lv->entries, p->leaf->max_definition, p->definition_counts);
    count_levels(lv->repetitions, lv->entries, p->leaf->max_repetition, p->repetition_counts);
    facts->definitions = p->definition_counts;
    facts->repetitions = p->repetition_counts;
}

rwl_status rwl_parquet_page_out_data(rwl_parquet_page_out *p, const rwl_parquet_page_levels *lv,
                                     rwl_buf *values, rwl_parquet_encoding encoding,
                                     rwl_parquet_page_facts *facts, rwl_error *err) {
    rwl_span stored;
    bool is_index = encoding == RWL_PARQUET_RLE_DICTIONARY;
    size_t values_len = values->len - p->headroom;
    if (lv->entries > INT32_MAX || values_len > (size_t)RWL_PARQUET_PAGE_MAX)
        return fail_page(p, values_len > lv->entries ? values_len : lv->entries, err);
    rwl_parquet_page_header h = {
        .type = p->v2 ? RWL_PARQUET_DATA_PAGE_V2 : RWL_PARQUET_DATA_PAGE,
        .value_count = (int32_t)lv->entries,
        .encoding = (int32_t)encoding,
        .definition_encoding = RWL_PARQUET_RLE,
        .repetition_encoding = RWL_PARQUET_RLE,
        .null_count = p->v2 ? (int32_t)lv->nulls : -1,
        .row_count = p->v2 ? (int32_t)lv->rows : -1,
        .is_compressed = true,
    };
    RWL_TRY(put_levels(p, lv, &h, err));
    size_t body_len = p->levels.len + values_len;
    if (body_len > (size_t)RWL_PARQUET_PAGE_MAX)
        return fail_page(p, body_len, err);
    if (p->v2)
        RWL_TRY(store_v2(p, values, is_index, &h, &stored, err));
    else
        RWL_TRY(store_v1(p, values, is_index, &stored, err));
    RWL_TRY(end_header(p, &h, body_len, stored, err));
    fill_facts(p, lv, facts);
    return rwl_parquet_chunk_page(p->chunk, &h, stored, facts, err);
}

rwl_status rwl_parquet_page_out_dictionary(rwl_parquet_page_out *p, rwl_span body, uint32_t count,
                                           rwl_error *err) {
    static const uint8_t nothing[1] = {0}; /* of an empty dictionary */
    if (body.data == NULL)
        body.data = nothing;
    rwl_span stored = body;
    if (body.len > (size_t)RWL_PARQUET_PAGE_MAX || count > INT32_MAX)
        return fail_page(p, body.len, err);
    if (p->codecs->full != NULL) {
        rwl_buf_reset(&p->stored);
        RWL_TRY(rwl_codec_compress(p->codecs->full, body, &p->stored, err));
        stored = rwl_buf_span(&p->stored);
    }
    rwl_parquet_page_header h = {.type = RWL_PARQUET_DICTIONARY_PAGE,
                                 .value_count = (int32_t)count,
                                 .encoding = RWL_PARQUET_PLAIN,
                                 .null_count = -1,
                                 .row_count = -1,
                                 .is_compressed = true};
    RWL_TRY(end_header(p, &h, body.len, stored, err));
    return rwl_parquet_chunk_dictionary(p->chunk, &h, stored, err);
}

rwl_status rwl_parquet_page_out_try(rwl_parquet_page_out *p, rwl_span values, size_t *len, rwl_error *err) {
    *len = values.len;
    if (p->codecs->full == NULL)
        return RWL_OK;
    rwl_buf_reset(&p->trial);
    RWL_TRY(rwl_codec_compress(p->codecs->full, values, &p->trial, err));
    *len = p->trial.len;
    return RWL_OK;
}
