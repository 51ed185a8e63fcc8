/* SPDX-License-Identifier: Apache-2.0 */
/* One leaf of a file being written: slices of rows into pages, pages into a chunk. */
#include "parquet/column_writer.h"

#include "parquet/column_encode.h"
#include "parquet/encode.h"

enum {
    SLICE_ROWS = 4096,       /* rows taken at once: their values stay in the first-level caches */
    EARLY_VALUES = 4096,     /* after so many values, all but all distinct, a dictionary is given up */
    DICTIONARY_RESERVE = 32, /* a dictionary is full when less than 1/32 of its limit is free */
    SHRED_ROWS = 4096        /* rows of a nested column shredded at once */
};

/* --- life --- */

enum { BUFS = 10 };

static void list_bufs(rwl_parquet_column_writer *c, rwl_buf *out[BUFS]) {
    rwl_buf *const bufs[BUFS] = {&c->costs,          &c->validity,      &c->definitions, &c->repetitions,
                                 &c->page,           &c->encoded,       &c->scratch,     &c->indexes,
                                 &c->stat_min.bytes, &c->stat_max.bytes};
    memcpy(out, bufs, sizeof bufs);
}

rwl_status rwl_parquet_column_writer_init(rwl_parquet_column_writer *c, const rwl_env *env,
                                          const rwl_parquet_write_schema *schema, int32_t leaf,
                                          const rwl_parquet_column_settings *settings,
                                          rwl_parquet_chunk_write *chunk, rwl_error *err) {
    rwl_buf *bufs[BUFS];
    memset(c, 0, sizeof *c);
    c->env = env;
    c->leaf = &schema->leaves[leaf];
    c->settings = *settings;
    c->shape = c->leaf->shape;
    if (c->leaf->field->type.kind >= RWL_TYPE_VARIANT)
        c->shape.order = RWL_PARQUET_ORDER_NONE;
    c->is_flat = !rwl_type_is_nested(&schema->fields[c->leaf->top].type);
    list_bufs(c, bufs);
    for (int i = 0; i < BUFS; i++)
        rwl_buf_init(bufs[i], env, SIZE_MAX);
    rwl_parquet_dense_init(&c->dense, env);
    rwl_parquet_bounds_init(&c->page_bounds, env, c->shape.order);
    rwl_parquet_bounds_init(&c->file_bounds, env, c->shape.order);
    rwl_parquet_dictbuild_init(&c->dictionary, env, c->shape.width);
    rwl_parquet_bloom_collect_init(&c->bloom, env, settings->bloom_fpp, settings->bloom_distinct,
                                   settings->bloom_max_bytes);
    c->in_dictionary = settings->dictionary_bytes > 0 && c->shape.physical != RWL_PARQUET_BOOLEAN;
    c->dictionary_useless = !c->in_dictionary;
    c->has_encoding = settings->force_encoding;
    c->encoding = settings->encoding;
    if (!c->is_flat)
        RWL_TRY(rwl_parquet_shred_init(&c->shred, env, schema, leaf, err));
    return rwl_parquet_page_out_init(&c->out, env, c->leaf, chunk, c->is_flat, settings->page_rows,
                                     settings->page_v2, settings->with_crc, err);
}

void rwl_parquet_column_writer_clear(rwl_parquet_column_writer *c) {
    rwl_buf *bufs[BUFS];
    if (c->env == NULL)
        return;
    list_bufs(c, bufs);
    for (int i = 0; i < BUFS; i++)
        rwl_buf_clear(bufs[i]);
    rwl_parquet_shred_clear(&c->shred);
    rwl_parquet_dense_clear(&c->dense);
    rwl_parquet_bounds_clear(&c->page_bounds);
    rwl_parquet_bounds_clear(&c->file_bounds);
    rwl_parquet_dictbuild_clear(&c->dictionary);
    rwl_parquet_bloom_collect_clear(&c->bloom);
    rwl_parquet_page_out_clear(&c->out);
    c->env = NULL;
}

void rwl_parquet_column_writer_lend(rwl_parquet_column_writer *c, rwl_parquet_codecs *codecs) {
    c->out.codecs = codecs;
}

/* --- values of a slice into the page --- */

static rwl_status add_booleans(rwl_parquet_column_writer *c, rwl_error *err) {
    const rwl_parquet_dense *d = &c->dense;
    size_t headroom = c->out.headroom;
    RWL_TRY(rwl_parquet_column_open_page(c, (c->values + d->count) / 8 + 1 + RWL_PARQUET_SLACK, err));
    rwl_parquet_bits_copy(c->page.data + headroom, c->values, d->values, d->bit_pos, d->count);
    size_t true_count = rwl_parquet_bits_count(d->values, d->bit_pos, d->count);
    rwl_parquet_bounds_add_booleans(&c->page_bounds, true_count, d->count - true_count);
    c->page.len = headroom + (c->values + d->count + 7) / 8;
    return RWL_OK;
}

static rwl_status add_plain(rwl_parquet_column_writer *c, rwl_error *err) {
    const rwl_parquet_dense *d = &c->dense;
    size_t width = c->shape.width;
    RWL_TRY(rwl_parquet_column_open_page(c, 0, err));
    RWL_TRY(rwl_parquet_dense_plain(d, &c->shape, &c->page, err));
    if (width > 0) {
        if (c->settings.bloom)
            RWL_TRY(rwl_parquet_bloom_collect_fixed(&c->bloom, d->values, d->count, width, err));
        return rwl_parquet_bounds_add_fixed(&c->page_bounds, d->values, d->count, width, err);
    }
    if (c->settings.bloom)
        RWL_TRY(rwl_parquet_bloom_collect_bytes(&c->bloom, d->values, d->starts, d->ends, d->count, err));
    return rwl_parquet_bounds_add_bytes(&c->page_bounds, d->values, d->starts, d->ends, d->count, err);
}

static rwl_status add_indexes(rwl_parquet_column_writer *c, rwl_error *err) {
    const rwl_parquet_dense *d = &c->dense;
    RWL_TRY(rwl_buf_reserve(&c->indexes, d->count * sizeof(uint32_t) + 1, err));
    uint32_t *at = (uint32_t *)(void *)(c->indexes.data + c->indexes.len);
    if (c->shape.width > 0)
        RWL_TRY(rwl_parquet_dictbuild_add_fixed(&c->dictionary, d->values, d->count, at, err));
    else
        RWL_TRY(rwl_parquet_dictbuild_add_bytes(&c->dictionary, d->values, d->starts, d->ends, d->count, at,
                                                err));
    c->indexes.len += d->count * sizeof(uint32_t);
    if (c->mark_values == 0 && c->indexes.len / sizeof(uint32_t) >= c->settings.page_rows / 2) {
        c->mark_values = c->indexes.len / sizeof(uint32_t);
        c->mark_entries = c->dictionary.count;
    }
    c->page_plain_bytes += c->shape.width > 0 ? d->count * c->shape.width : d->byte_count + 4 * d->count;
    return RWL_OK;
}

/* The loaded values, of `rows` rows and `entries` level entries. */
static rwl_status add_values(rwl_parquet_column_writer *c, size_t rows, size_t entries, rwl_error *err) {
    rwl_parquet_dense *d = &c->dense;
    if (c->leaf->part != RWL_PARQUET_WHOLE)
        RWL_TRY(rwl_parquet_dense_variant(d, c->leaf->part, err));
    if (rwl_parquet_shape_is_float(&c->shape))
        c->page_nan_count += (int64_t)rwl_parquet_nan_count(d->values, d->count, c->shape.width);
    if (c->shape.physical == RWL_PARQUET_BYTE_ARRAY)
        c->value_bytes += (int64_t)d->byte_count;
    if (c->shape.physical == RWL_PARQUET_BOOLEAN)
        RWL_TRY(add_booleans(c, err));
    else if (c->in_dictionary)
        RWL_TRY(add_indexes(c, err));
    else
        RWL_TRY(add_plain(c, err));
    c->rows += rows;
    c->entries += entries;
    c->values += d->count;
    return RWL_OK;
}

/* --- slices of flat columns --- */

/* Validity bits of the page; none are kept before its first null. */
static rwl_status add_validity(rwl_parquet_column_writer *c, const rwl_column *column, size_t first,
                               size_t rows, size_t nulls, rwl_error *err) {
    bool had_nulls = c->values < c->rows;
    if (nulls == 0 && !had_nulls)
        return RWL_OK;
    c->validity.len = had_nulls ? (c->rows + 7) / 8 : 0;
    RWL_TRY(rwl_buf_reserve(&c->validity, (c->rows + rows) / 8 + 1 + 2 * RWL_PARQUET_SLACK, err));
    if (!had_nulls)
        rwl_parquet_bits_fill(c->validity.data, 0, c->rows);
    if (nulls > 0)
        rwl_parquet_bits_copy(c->validity.data, c->rows, column->validity.data, first, rows);
    else
        rwl_parquet_bits_fill(c->validity.data, c->rows, rows);
    return RWL_OK;
}

static rwl_status add_flat(rwl_parquet_column_writer *c, const rwl_column *column, size_t first, size_t rows,
                           rwl_error *err) {
    size_t nulls = 0;
    if (column->null_count > 0)
        nulls = rows - rwl_parquet_bits_count(column->validity.data, first, rows);
    if (nulls > 0 && c->leaf->max_definition == 0)
        return rwl_fail(err, RWL_INTERNAL, "column %s is required but has a null to write", c->leaf->dotted);
    rwl_status st = rwl_parquet_dense_load(&c->dense, column, &c->shape, first, rows, nulls, err);
    if (st == RWL_OK)
        st = add_validity(c, column, first, rows, nulls, err);
    if (st == RWL_OK)
        st = add_values(c, rows, rows, err);
    return st == RWL_OK ? RWL_OK : rwl_error_in(err, st, "column %s", c->leaf->dotted);
}

/* How many of the next rows (at most `rows`) have PLAIN values of `room` bytes in all, nulls counted as
 * values. */
static size_t flat_within(const rwl_parquet_column_writer *c, const rwl_column *column, size_t first,
                          size_t rows, size_t room) {
    if (c->shape.physical == RWL_PARQUET_BOOLEAN)
        return rows;
    if (c->shape.width > 0)
        return rows < room / c->shape.width ? rows : room / c->shape.width;
    const int32_t *offsets = rwl_column_offsets(column) + first;
    size_t low = 0, high = rows; /* `low` rows fit, more than `high` do not */
    if ((size_t)(offsets[rows] - offsets[0]) + 4 * rows <= room)
        return rows;
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if ((size_t)(offsets[middle] - offsets[0]) + 4 * middle <= room)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* --- slices of nested columns: `first` counts rows of the shredded ones --- */

static rwl_status append_levels(rwl_buf *to, size_t at, const uint8_t *levels, size_t count, rwl_error *err) {
    to->len = at;
    return rwl_buf_append(to, levels, count, err);
}

static rwl_status add_nested(rwl_parquet_column_writer *c, size_t first, size_t rows, rwl_error *err) {
    const rwl_parquet_shred *s = &c->shred;
    const uint32_t *row_entries = rwl_parquet_shred_row_entries(s),
                   *row_values = rwl_parquet_shred_row_values(s);
    size_t entry = row_entries[first], entries = row_entries[first + rows] - entry;
    size_t value = row_values[first], values = row_values[first + rows] - value;
    if (c->leaf->max_definition > 0)
        RWL_TRY(append_levels(&c->definitions, c->entries, s->definitions.data + entry, entries, err));
    if (c->leaf->max_repetition > 0)
        RWL_TRY(append_levels(&c->repetitions, c->entries, s->repetitions.data + entry, entries, err));
    rwl_status st = rwl_parquet_dense_gather(&c->dense, s->leaf_column, &c->shape,
                                             rwl_parquet_shred_indexes(s) + value, values, s->is_run, err);
    if (st == RWL_OK)
        st = add_values(c, rows, entries, err);
    return st == RWL_OK ? RWL_OK : rwl_error_in(err, st, "column %s", c->leaf->dotted);
}

/* Plain bytes and entries (a byte each, for their levels) before each shredded row. */
static rwl_status sum_costs(rwl_parquet_column_writer *c, rwl_error *err) {
    const rwl_parquet_shred *s = &c->shred;
    const uint32_t *row_entries = rwl_parquet_shred_row_entries(s),
                   *row_values = rwl_parquet_shred_row_values(s);
    const int32_t *indexes = rwl_parquet_shred_indexes(s);
    const int32_t *offsets =
        c->shape.physical == RWL_PARQUET_BYTE_ARRAY ? rwl_column_offsets(s->leaf_column) : NULL;
    uint64_t bytes = 0;
    rwl_buf_reset(&c->costs);
    RWL_TRY(rwl_buf_reserve(&c->costs, (s->rows + 1) * sizeof bytes, err));
    uint64_t *costs = (uint64_t *)(void *)c->costs.data;
    costs[0] = 0;
    for (size_t row = 0; row < s->rows; row++) {
        size_t values = row_values[row + 1] - row_values[row];
        bytes += values * (c->shape.width > 0 ? c->shape.width : 4);
        for (size_t i = row_values[row]; offsets != NULL && i < row_values[row + 1]; i++)
            bytes += (uint64_t)(offsets[indexes[i] + 1] - offsets[indexes[i]]);
        costs[row + 1] = bytes + row_entries[row + 1];
    }
    return RWL_OK;
}

static size_t nested_within(const rwl_parquet_column_writer *c, size_t first, size_t rows, size_t room) {
    const uint64_t *costs = (const uint64_t *)(const void *)c->costs.data + first;
    size_t low = 0, high = rows;
    if (costs[rows] - costs[0] <= room)
        return rows;
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if (costs[middle] - costs[0] <= room)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* --- rows into slices --- */

static size_t rows_within(const rwl_parquet_column_writer *c, const rwl_column *column, size_t first,
                          size_t rows, size_t room) {
    return c->is_flat ? flat_within(c, column, first, rows, room) : nested_within(c, first, rows, room);
}

static size_t dictionary_room(const rwl_parquet_column_writer *c) {
    size_t used = c->dictionary.body.len, limit = c->settings.dictionary_bytes;
    return used < limit ? limit - used : 0;
}

/* True when the dictionary should end: full, or nearly every value of the page a new one. */
static bool dictionary_over(const rwl_parquet_column_writer *c) {
    if (dictionary_room(c) < c->settings.dictionary_bytes / DICTIONARY_RESERVE + 1)
        return true;
    size_t values = c->indexes.len / sizeof(uint32_t), added = c->dictionary.count - c->page_entries;
    return !c->settings.keep_dictionary && values >= EARLY_VALUES && added > values - values / 128;
}

/* Bytes the page holds against its limit. */
static size_t used_bytes(const rwl_parquet_column_writer *c) {
    size_t values = c->in_dictionary ? c->indexes.len : rwl_parquet_column_values_len(c);
    return values + (c->is_flat ? 0 : c->entries);
}

/* Chooses the next slice, ending the page or the dictionary when not one row more fits. */
static rwl_status next_slice(rwl_parquet_column_writer *c, const rwl_column *column, size_t first,
                             size_t left, size_t *rows, rwl_error *err) {
    if (left > SLICE_ROWS)
        left = SLICE_ROWS;
    if (c->in_dictionary) {
        size_t in_page = c->settings.page_rows - c->rows;
        *rows = rows_within(c, column, first, left < in_page ? left : in_page, dictionary_room(c));
        if (*rows > 0)
            return RWL_OK;
        RWL_TRY(rwl_parquet_column_close_dictionary(c, err));
    }
    size_t in_page = c->settings.page_rows - c->rows, used = used_bytes(c);
    size_t room = used < c->settings.page_bytes ? c->settings.page_bytes - used : 0;
    *rows = rows_within(c, column, first, left < in_page ? left : in_page, room);
    if (*rows == 0 && c->rows > 0) {
        RWL_TRY(rwl_parquet_column_end_page(c, err));
        in_page = c->settings.page_rows;
        *rows = rows_within(c, column, first, left < in_page ? left : in_page, c->settings.page_bytes);
    }
    if (*rows == 0)
        *rows = 1;
    return RWL_OK;
}

static rwl_status add_rows(rwl_parquet_column_writer *c, const rwl_column *column, size_t pos, size_t end,
                           rwl_error *err) {
    while (pos < end) {
        size_t n;
        RWL_TRY(next_slice(c, column, pos, end - pos, &n, err));
        RWL_TRY(c->is_flat ? add_flat(c, column, pos, n, err) : add_nested(c, pos, n, err));
        pos += n;
        if (c->in_dictionary && dictionary_over(c))
            RWL_TRY(rwl_parquet_column_close_dictionary(c, err));
        if (c->rows >= c->settings.page_rows || used_bytes(c) >= c->settings.page_bytes)
            RWL_TRY(rwl_parquet_column_end_page(c, err));
    }
    return RWL_OK;
}

rwl_status rwl_parquet_column_writer_add(rwl_parquet_column_writer *c, const rwl_column *column,
                                         int64_t first, int64_t rows, rwl_error *err) {
    size_t pos = (size_t)first, end = (size_t)(first + rows);
    if (c->is_flat)
        return add_rows(c, column, pos, end, err);
    for (size_t n; pos < end; pos += n) {
        n = end - pos < SHRED_ROWS ? end - pos : SHRED_ROWS;
        RWL_TRY(rwl_parquet_shred_rows(&c->shred, column, pos, n, err));
        RWL_TRY(sum_costs(c, err));
        RWL_TRY(add_rows(c, column, 0, n, err));
    }
    return RWL_OK;
}

/* --- chunks --- */

int64_t rwl_parquet_column_writer_estimate(const rwl_parquet_column_writer *c) {
    size_t open = rwl_parquet_column_values_len(c);
    if (c->in_dictionary)
        open = c->indexes.len / sizeof(uint32_t) * (size_t)rwl_parquet_bit_width(c->dictionary.count) / 8;
    if (c->in_dictionary || c->dictionary_coded_pages > 0)
        open += c->dictionary.body.len;
    open += c->values < c->entries ? c->entries / 8 : 0;
    double ratio = c->out.body_bytes > 0 ? (double)c->out.stored_bytes / (double)c->out.body_bytes : 1.0;
    return rwl_parquet_chunk_bytes(c->out.chunk) + (int64_t)((double)open * ratio);
}

int64_t rwl_parquet_column_writer_memory(const rwl_parquet_column_writer *c) {
    size_t held = c->costs.cap + c->validity.cap + c->definitions.cap + c->repetitions.cap + c->page.cap +
                  c->encoded.cap + c->scratch.cap + c->indexes.cap + c->dense.scratch.cap +
                  c->dense.second.cap + c->dense.parts.cap;
    return (int64_t)held + rwl_parquet_dictbuild_memory(&c->dictionary) +
           rwl_parquet_shred_memory(&c->shred) + rwl_parquet_page_out_memory(&c->out) +
           rwl_parquet_bloom_collect_memory(&c->bloom);
}

static void begin_chunk(rwl_parquet_column_writer *c) {
    c->dictionary_coded_pages = 0;
    c->page_plain_bytes = c->page_body = c->page_entries = 0;
    c->mark_values = 0;
    c->has_encoding = c->settings.force_encoding;
    if (!c->dictionary_useless) {
        rwl_parquet_dictbuild_reset(&c->dictionary);
        c->in_dictionary = true;
    }
}

rwl_status rwl_parquet_column_writer_flush(rwl_parquet_column_writer *c, rwl_error *err) {
    RWL_TRY(rwl_parquet_column_end_page(c, err));
    if (c->in_dictionary)
        RWL_TRY(rwl_parquet_column_close_dictionary(c, err));
    if (c->dictionary_coded_pages > 0)
        RWL_TRY(rwl_parquet_page_out_dictionary(&c->out, rwl_buf_span(&c->dictionary.body),
                                                c->dictionary.count, err));
    if (c->settings.bloom) {
        rwl_parquet_bloom bloom;
        RWL_TRY(rwl_parquet_bloom_collect_end(&c->bloom, &bloom, err));
        rwl_parquet_chunk_take_bloom(c->out.chunk, bloom);
    }
    begin_chunk(c);
    return RWL_OK;
}

void rwl_parquet_column_writer_metrics(const rwl_parquet_column_writer *c, rwl_parquet_column_metrics *out) {
    memset(out, 0, sizeof *out);
    out->field_id = c->leaf->field->id;
    out->is_repeated = c->leaf->max_repetition > 0;
    out->value_count = c->entry_count;
    out->null_count = c->null_count;
    out->nan_count = rwl_parquet_shape_is_float(&c->shape) ? c->nan_count : -1;
    out->has_bounds = c->file_bounds.seen;
    out->is_exact = true;
    if (out->has_bounds)
        rwl_parquet_bounds_values(&c->file_bounds, &c->leaf->field->type, &out->lower, &out->upper);
}
