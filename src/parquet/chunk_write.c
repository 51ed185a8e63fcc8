/* SPDX-License-Identifier: Apache-2.0 */
/* A column chunk being put together from finished pages. */
#include "parquet/chunk_write.h"

#include "parquet/chunk_internal.h"
#include "parquet/page_write.h"

rwl_status rwl_parquet_chunk_new(const rwl_env *env, const rwl_parquet_write_leaf *leaf, rwl_codec_id codec,
                                 rwl_parquet_chunk_write **out, rwl_error *err) {
    rwl_parquet_chunk_write *c = rwl_calloc(env, 1, sizeof *c);
    if (c == NULL)
        return rwl_no_memory(err, sizeof *c);
    c->env = env;
    c->leaf = leaf;
    c->codec = codec;
    rwl_buf_init(&c->dictionary, env, SIZE_MAX);
    rwl_buf_init(&c->pages, env, SIZE_MAX);
    rwl_buf_init(&c->bounds, env, SIZE_MAX);
    rwl_parquet_stat_sum_init(&c->stats, env, leaf);
    rwl_parquet_chunk_reset(c);
    *out = c;
    return RWL_OK;
}

void rwl_parquet_chunk_reset(rwl_parquet_chunk_write *c) {
    for (size_t i = 0; i < c->block_count; i++)
        rwl_buf_reset(&c->blocks.items[i]);
    c->block_count = 0;
    c->blocks_len = c->dictionary_len = c->written_off = 0;
    rwl_buf_reset(&c->dictionary);
    rwl_buf_reset(&c->pages);
    rwl_buf_reset(&c->bounds);
    rwl_parquet_stat_sum_reset(&c->stats);
    c->entries.len = c->histograms.len = 0;
    c->uncompressed = c->value_count = c->rows = 0;
    c->page_type = -1;
    memset(c->page_counts, 0, sizeof c->page_counts);
    c->level_encodings = 0;
    c->left_dictionary = c->without_histograms = false;
    c->open_unknown[0] = c->open_unknown[1] = false;
    c->nulls_unknown = c->open_nulls_unknown = false;
    c->nulls = c->open_nulls = c->unencoded_bytes = c->nan_count = 0;
    rwl_parquet_chunk_take_bloom(c, (rwl_parquet_bloom){NULL, 0});
}

void rwl_parquet_chunk_free(rwl_parquet_chunk_write *c) {
    if (c == NULL)
        return;
    rwl_free(c->env, c->bloom.blocks);
    rwl_buf_clear(&c->dictionary);
    rwl_buf_clear(&c->pages);
    for (size_t i = 0; i < c->blocks.len; i++)
        rwl_buf_clear(&c->blocks.items[i]);
    rwl_vec_clear(&c->blocks, c->env);
    rwl_buf_clear(&c->bounds);
    rwl_vec_clear(&c->entries, c->env);
    rwl_vec_clear(&c->histograms, c->env);
    rwl_parquet_stat_sum_clear(&c->stats);
    rwl_free(c->env, c);
}

void rwl_parquet_chunk_take_bloom(rwl_parquet_chunk_write *c, rwl_parquet_bloom bloom) {
    rwl_free(c->env, c->bloom.blocks);
    c->bloom = bloom;
}

void rwl_parquet_chunk_pass_on(rwl_parquet_chunk_write *from, rwl_parquet_chunk_write *to) {
    if (from == to || from->block_count > 0 || from->pages.len > 0 || to->blocks.len > 0 ||
        rwl_parquet_chunk_bytes(to) > 0)
        return;
    to->blocks.items = from->blocks.items;
    to->blocks.len = from->blocks.len;
    to->blocks.cap = from->blocks.cap;
    from->blocks.items = NULL;
    from->blocks.len = from->blocks.cap = 0;
    if (to->pages.cap < from->pages.cap) {
        rwl_buf spare = to->pages;
        to->pages = from->pages;
        from->pages = spare;
    }
    rwl_buf_clear(&from->pages);
}

/* --- pages --- */

static rwl_status fail_page(const rwl_parquet_chunk_write *c, rwl_error *err, const char *what) {
    return rwl_fail(err, RWL_INTERNAL, "column %s: %s", c->leaf->dotted, what);
}

/* Sees to it that a page of `need` bytes fits `pages` without moving a block that has its size. */
static rwl_status make_room(rwl_parquet_chunk_write *c, size_t need, rwl_error *err) {
    enum { BLOCK = 1 << 20 };
    if (c->pages.cap < BLOCK || c->pages.len + need <= c->pages.cap)
        return rwl_buf_reserve(&c->pages, need, err); /* grows up to a block */
    int64_t len = (int64_t)c->pages.len;
    if (c->block_count < c->blocks.len) {
        rwl_buf spare = c->blocks.items[c->block_count];
        c->blocks.items[c->block_count] = c->pages;
        c->pages = spare;
    } else {
        RWL_TRY(rwl_vec_push(&c->blocks, c->env, c->pages, err));
        rwl_buf_init(&c->pages, c->env, SIZE_MAX);
    }
    c->block_count++;
    c->blocks_len += len;
    return rwl_buf_reserve(&c->pages, need > BLOCK ? need : BLOCK, err);
}

/* Appends header and body to `to`; *len is what they take together. */
static rwl_status append_page(rwl_parquet_chunk_write *c, rwl_buf *to, const rwl_parquet_page_header *header,
                              rwl_span body, int32_t *len, rwl_error *err) {
    enum { HEADER_MAX = 128 };
    size_t start;
    if (header->compressed_size < 0 || body.len != (size_t)header->compressed_size ||
        header->uncompressed_size < 0)
        return fail_page(c, err, "a page of other sizes than its header's");
    RWL_TRY(to == &c->pages ? make_room(c, body.len + HEADER_MAX, err)
                            : rwl_buf_reserve(to, body.len + HEADER_MAX, err));
    start = to->len;
    RWL_TRY(rwl_parquet_page_write(header, to, err));
    size_t header_len = to->len - start;
    RWL_TRY(rwl_buf_append(to, body.data, body.len, err));
    if (to->len - start > INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s: a page of %zu bytes", c->leaf->dotted, body.len);
    *len = (int32_t)(to->len - start);
    c->uncompressed += (int64_t)header_len + header->uncompressed_size;
    return RWL_OK;
}

rwl_status rwl_parquet_chunk_dictionary(rwl_parquet_chunk_write *c, const rwl_parquet_page_header *header,
                                        rwl_span body, rwl_error *err) {
    int32_t len;
    if (c->dictionary_len > 0)
        return fail_page(c, err, "a second dictionary page");
    if (header->type != RWL_PARQUET_DICTIONARY_PAGE)
        return fail_page(c, err, "a dictionary page of another type");
    RWL_TRY(append_page(c, &c->dictionary, header, body, &len, err));
    c->dictionary_len = len;
    return RWL_OK;
}

static rwl_status check_data_page(const rwl_parquet_chunk_write *c, const rwl_parquet_page_header *header,
                                  const rwl_parquet_page_facts *facts, bool coded, rwl_error *err) {
    if (header->type != RWL_PARQUET_DATA_PAGE && header->type != RWL_PARQUET_DATA_PAGE_V2)
        return fail_page(c, err, "a data page of another type");
    if (c->page_type >= 0 && header->type != c->page_type)
        return fail_page(c, err, "data pages of both versions in a chunk");
    if (header->encoding < 0 || header->encoding >= RWL_PARQUET_ENCODINGS)
        return fail_page(c, err, "a page of an unknown encoding");
    if (coded && c->left_dictionary)
        return fail_page(c, err, "a dictionary-coded page after one that is not");
    if (facts->row_count <= 0 || facts->row_count > header->value_count)
        return fail_page(c, err, "a page in which no row begins");
    return RWL_OK;
}

/* Only what a level is stored for can be other than RLE: some writers say BIT_PACKED of levels that are not there. */
static int32_t level_encoding(int16_t max_level, int32_t encoding) {
    return max_level > 0 && encoding == RWL_PARQUET_BIT_PACKED ? RWL_PARQUET_BIT_PACKED : RWL_PARQUET_RLE;
}

/* The header as it is written. */
static rwl_parquet_page_header canonical(const rwl_parquet_chunk_write *c,
                                         const rwl_parquet_page_header *header, int64_t rows, int64_t nulls) {
    rwl_parquet_page_header h = *header;
    h.definition_encoding = level_encoding(c->leaf->max_definition, h.definition_encoding);
    h.repetition_encoding = level_encoding(c->leaf->max_repetition, h.repetition_encoding);
    h.row_count = (int32_t)rows; /* at most value_count */
    h.null_count = (int32_t)nulls;
    if (h.type == RWL_PARQUET_DATA_PAGE_V2)
        h.definition_encoding = h.repetition_encoding = RWL_PARQUET_RLE;
    return h;
}

static int64_t page_nulls(const rwl_parquet_chunk_write *c, const rwl_parquet_page_header *header,
                          const rwl_parquet_page_facts *facts) {
    if (c->leaf->max_definition == 0)
        return 0;
    return facts->null_count < 0 && header->type == RWL_PARQUET_DATA_PAGE_V2 ? header->null_count
                                                                             : facts->null_count;
}

/* -1 unknown, or no float. */
static int64_t page_nans(const rwl_parquet_chunk_write *c, const rwl_parquet_page_facts *facts,
                         bool is_null) {
    if (!rwl_parquet_shape_is_float(&c->leaf->shape))
        return -1;
    return is_null ? 0 : facts->has_nan_count ? facts->nan_count : -1;
}

/* --- facts --- */

/* One bound of a page that has values: *kept says that it is in `bounds`, from *off on. */
static rwl_status take_bound(rwl_parquet_chunk_write *c, const rwl_parquet_stat_bound *bound, bool is_max,
                             bool *kept, size_t *off, size_t *len, rwl_error *err) {
    rwl_span bytes = rwl_span_of(NULL, 0);
    bool exact = bound != NULL && bound->exact;
    *kept = false;
    if (bound != NULL && !bound->present && rwl_parquet_shape_is_float(&c->leaf->shape))
        return RWL_OK; /* all NaN */
    if (bound != NULL && bound->present)
        RWL_TRY(rwl_parquet_stat_trim(&c->stats, rwl_parquet_stat_span(bound), is_max, &bytes, &exact, err));
    if (bytes.data == NULL) {
        c->open_unknown[is_max] = true;
        return RWL_OK;
    }
    *kept = true;
    *off = c->bounds.len;
    *len = bytes.len;
    RWL_TRY(rwl_buf_append(&c->bounds, bytes.data, bytes.len, err));
    return rwl_parquet_stat_take(&c->stats, bytes, is_max, exact, err);
}

static rwl_status take_bounds(rwl_parquet_chunk_write *c, const rwl_parquet_page_facts *facts,
                              rwl_parquet_chunk_entry *e, rwl_error *err) {
    bool has_min, has_max;
    if (e->is_null)
        return RWL_OK;
    RWL_TRY(take_bound(c, facts->min, false, &has_min, &e->min_off, &e->min_len, err));
    RWL_TRY(take_bound(c, facts->max, true, &has_max, &e->max_off, &e->max_len, err));
    e->has_bounds = has_min && has_max;
    return RWL_OK;
}

static rwl_status take_histograms(rwl_parquet_chunk_write *c, const rwl_parquet_page_facts *facts,
                                  rwl_error *err) {
    size_t repetitions = rwl_parquet_chunk_repetitions(c), definitions = rwl_parquet_chunk_definitions(c);
    if ((repetitions > 0 && facts->repetitions == NULL) || (definitions > 0 && facts->definitions == NULL))
        c->without_histograms = true;
    if (!rwl_parquet_chunk_has_histograms(c))
        return RWL_OK;
    RWL_TRY(rwl_vec_reserve(&c->histograms, c->env, repetitions + definitions, err));
    int64_t *to = c->histograms.items + c->histograms.len;
    for (size_t i = 0; i < repetitions; i++)
        to[i] = facts->repetitions[i];
    for (size_t i = 0; i < definitions; i++)
        to[repetitions + i] = facts->definitions[i];
    c->histograms.len += repetitions + definitions;
    return RWL_OK;
}

/* Adds to a sum that is -1 once a part of it was unknown. */
static void add_known(int64_t *sum, int64_t part) {
    *sum = part < 0 || *sum < 0 ? -1 : *sum + part;
}

static void count_page(rwl_parquet_chunk_write *c, const rwl_parquet_page_header *h, bool coded,
                       const rwl_parquet_chunk_entry *e, int64_t rows) {
    c->page_type = h->type;
    c->left_dictionary |= !coded;
    c->page_counts[rwl_parquet_page_encoding(h->encoding)]++;
    c->level_encodings |= 1u << h->definition_encoding | 1u << h->repetition_encoding;
    c->value_count += h->value_count;
    c->rows += rows;
    if (e->null_count < 0)
        c->open_nulls_unknown = true;
    else
        c->open_nulls += e->null_count;
    add_known(&c->unencoded_bytes, e->unencoded_bytes);
    add_known(&c->nan_count, e->nan_count);
}

rwl_status rwl_parquet_chunk_page(rwl_parquet_chunk_write *c, const rwl_parquet_page_header *header,
                                  rwl_span body, const rwl_parquet_page_facts *facts, rwl_error *err) {
    bool coded = rwl_parquet_page_encoding(header->encoding) == RWL_PARQUET_RLE_DICTIONARY;
    int64_t nulls = page_nulls(c, header, facts);
    bool is_null = nulls >= 0 && nulls == header->value_count;
    rwl_parquet_chunk_entry e = {
        .first_row = c->rows,
        .null_count = nulls,
        .unencoded_bytes = c->leaf->shape.physical == RWL_PARQUET_BYTE_ARRAY ? facts->unencoded_bytes : -1,
        .nan_count = page_nans(c, facts, is_null),
        .is_null = is_null,
    };
    RWL_TRY(check_data_page(c, header, facts, coded, err));
    if (header->type == RWL_PARQUET_DATA_PAGE_V2 && nulls < 0)
        return fail_page(c, err, "a page of version 2 without a null count");
    rwl_parquet_page_header h = canonical(c, header, facts->row_count, nulls);
    RWL_TRY(append_page(c, &c->pages, &h, body, &e.len, err));
    e.off = c->blocks_len + (int64_t)c->pages.len - e.len;
    RWL_TRY(take_bounds(c, facts, &e, err));
    RWL_TRY(take_histograms(c, facts, err));
    RWL_TRY(rwl_vec_push(&c->entries, c->env, e, err));
    count_page(c, &h, coded, &e, facts->row_count);
    return RWL_OK;
}

/* --- statistics of many pages at once --- */

static rwl_status settle_side(rwl_parquet_chunk_write *c, rwl_span bytes, bool is_max, bool exact,
                              rwl_error *err) {
    rwl_span trimmed;
    bool unknown = c->open_unknown[is_max];
    c->open_unknown[is_max] = false;
    RWL_TRY(rwl_parquet_stat_trim(&c->stats, bytes, is_max, &trimmed, &exact, err));
    if (trimmed.data == NULL && !unknown)
        return RWL_OK; /* the pages say it all */
    return rwl_parquet_stat_take(&c->stats, trimmed, is_max, exact, err);
}

rwl_status rwl_parquet_chunk_stats(rwl_parquet_chunk_write *c, const rwl_parquet_stats *stats,
                                   rwl_error *err) {
    if (stats->null_count >= 0)
        c->nulls += stats->null_count;
    else if (c->open_nulls_unknown)
        c->nulls_unknown = true;
    else
        c->nulls += c->open_nulls;
    c->open_nulls = 0;
    c->open_nulls_unknown = false;
    RWL_TRY(settle_side(c, stats->min, false, stats->min_is_exact, err));
    return settle_side(c, stats->max, true, stats->max_is_exact, err);
}

int64_t rwl_parquet_chunk_nulls(const rwl_parquet_chunk_write *c) {
    return c->nulls_unknown || c->open_nulls_unknown ? -1 : c->nulls + c->open_nulls;
}

void rwl_parquet_chunk_settle(rwl_parquet_chunk_write *c) {
    c->stats.min.unknown |= c->open_unknown[0];
    c->stats.max.unknown |= c->open_unknown[1];
}

/* --- sizes --- */

int64_t rwl_parquet_chunk_bytes(const rwl_parquet_chunk_write *c) {
    return c->blocks_len + c->dictionary_len + (int64_t)c->pages.len;
}

int64_t rwl_parquet_chunk_memory(const rwl_parquet_chunk_write *c) {
    size_t blocks = c->blocks.cap * sizeof *c->blocks.items;
    for (size_t i = 0; i < c->blocks.len; i++)
        blocks += c->blocks.items[i].cap;
    size_t held = c->dictionary.cap + c->pages.cap + c->bounds.cap + blocks +
                  c->entries.cap * sizeof *c->entries.items +
                  c->histograms.cap * sizeof *c->histograms.items +
                  (size_t)c->bloom.block_count * RWL_PARQUET_BLOOM_BLOCK;
    return (int64_t)held;
}

int64_t rwl_parquet_chunk_rows(const rwl_parquet_chunk_write *c) {
    return c->rows;
}

int32_t rwl_parquet_chunk_pages(const rwl_parquet_chunk_write *c) {
    return (int32_t)c->entries.len;
}

bool rwl_parquet_chunk_left_dictionary(const rwl_parquet_chunk_write *c) {
    return c->left_dictionary;
}
