/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the stitcher's tests. */
#include "stitch_support.h"

#include "parquet/bloom.h"
#include "parquet/index.h"
#include "parquet/page.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

rwl_env stitch_env;
rwl_op stitch_op;
rwl_store *stitch_store;
rwl_error stitch_error;

static char dir[64];
static const char *running = "";

void stitch_setup(void) {
    rwl_env_init_default(&stitch_env);
    rwl_op_init(&stitch_op, &stitch_env, 0);
    snprintf(dir, sizeof dir, "/tmp/rowline-stitch-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    stitch_ok(rwl_store_local_new(&stitch_env, NULL, 0, &stitch_store, &stitch_error));
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *walk) {
    (void)st, (void)flag, (void)walk;
    return remove(path);
}

void stitch_teardown(void) {
    rwl_store_free(stitch_store);
    nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    ck_assert_int_eq(atomic_load(&stitch_op.memory_used), 0);
}

const char *stitch_path(int number) {
    static char paths[4][96];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%d.parquet", dir, number);
    return path;
}

/* --- random rows --- */

static bool flip(unsigned *seed, int percent) {
    return rand_r(seed) % 100 < percent;
}

static void set_valid(rwl_column *c, bool valid) {
    stitch_ok(rwl_column_reserve(c, &stitch_env, c->length + 1, 0, &stitch_error));
    if (!valid && c->null_count == 0)
        stitch_ok(rwl_column_need_validity(c, &stitch_env, c->length + 1, &stitch_error));
    c->null_count += !valid;
    if (c->null_count > 0 && valid)
        rwl_bit_set(c->validity.data, c->length);
    else if (c->null_count > 0)
        rwl_bit_clear(c->validity.data, c->length);
    c->length++;
}

static void append_value(rwl_column *c, const rwl_field *field, bool valid, const value_style *style,
                         unsigned *seed) {
    char buf[64];
    int k = style->offset + rand_r(seed) % style->distinct;
    rwl_value v = {.kind = field->type.kind, .is_null = !valid};
    switch (field->type.kind) {
    case RWL_TYPE_BOOLEAN:
        v.as.b = k % 3 == 0;
        break;
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
        v.as.i32 = k - 10;
        break;
    case RWL_TYPE_FLOAT:
        v.as.f32 = (float)k / 7;
        break;
    case RWL_TYPE_DOUBLE:
        v.as.f64 = k / 7.0;
        break;
    case RWL_TYPE_DECIMAL:
        v.as.i128 = k - 20;
        break;
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED:
    case RWL_TYPE_STRING:
    case RWL_TYPE_BINARY:
        memset(buf, 'x', sizeof buf);
        snprintf(buf, sizeof buf, "%06d", k);
        buf[6] = 'x';
        v.as.bytes = rwl_span_of(buf, field->type.kind == RWL_TYPE_UUID    ? 16
                                      : field->type.kind == RWL_TYPE_FIXED ? (size_t)field->type.length
                                                                           : (size_t)(6 + k % 9));
        break;
    default:
        v.as.i64 = (int64_t)k * 1000 - 5000;
        break;
    }
    stitch_ok(rwl_column_append(c, &stitch_env, &v, 1, &stitch_error));
}

static void append_row(rwl_column *c, const rwl_field *field, bool forced, const value_style *style,
                       unsigned *seed) {
    bool valid = field->required || forced || !flip(seed, style->null_percent);
    const rwl_type *type = &field->type;
    if (!rwl_type_is_nested(type)) {
        append_value(c, field, valid, style, seed);
        return;
    }
    int times = type->kind == RWL_TYPE_STRUCT ? 1 : !valid || flip(seed, 20) ? 0 : 1 + rand_r(seed) % 4;
    if (times > 1 && flip(seed, 1))
        times = 200;
    for (int i = 0; i < times; i++)
        for (int32_t k = 0; k < type->child_count; k++)
            append_row(&c->children[k], &type->children[k], type->kind == RWL_TYPE_MAP && k == 0, style,
                       seed);
    set_valid(c, valid);
    if (type->kind == RWL_TYPE_STRUCT)
        return;
    int32_t *offsets = (int32_t *)(void *)c->offsets.data;
    if (c->length == 1)
        offsets[0] = 0;
    offsets[c->length] = (int32_t)c->children[0].length;
}

void stitch_fill(rwl_batch *batch, const rwl_field *fields, const value_style *style, int64_t rows,
                 unsigned *seed) {
    for (int64_t i = 0; i < rows; i++)
        for (int32_t c = 0; c < batch->column_count; c++)
            append_row(&batch->columns[c], &fields[c], false, style, seed);
    batch->length += rows;
}

void stitch_write(const char *path, const rwl_field *fields, int32_t count,
                  const rwl_parquet_write_options *options, const value_style *style, int64_t rows,
                  unsigned seed) {
    rwl_batch batch;
    rwl_parquet_writer *w;
    rwl_parquet_written written;
    stitch_ok(rwl_batch_init(&batch, &stitch_env, fields, count, &stitch_error));
    stitch_fill(&batch, fields, style, rows, &seed);
    stitch_ok(
        rwl_parquet_writer_open(stitch_store, &stitch_op, path, fields, count, options, &w, &stitch_error));
    stitch_ok(rwl_parquet_writer_write(w, &batch, &stitch_error));
    stitch_ok(rwl_parquet_writer_finish(w, &written, &stitch_error));
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&batch);
}

rwl_parquet_write_options stitch_random_options(unsigned *seed) {
    static const rwl_codec_id codecs[] = {RWL_CODEC_NONE, RWL_CODEC_SNAPPY, RWL_CODEC_ZSTD,
                                          RWL_CODEC_LZ4_RAW};
    rwl_parquet_write_options o = {.codec = codecs[rand_r(seed) % 4]};
    o.page_rows = 20 + rand_r(seed) % 300;
    o.page_bytes = flip(seed, 50) ? 0 : 200 + rand_r(seed) % 4000;
    o.row_group_rows = flip(seed, 50) ? 0 : 100 + rand_r(seed) % 900;
    o.dictionary_bytes = flip(seed, 30) ? -1 : flip(seed, 30) ? 300 : 0;
    o.page_v2 = flip(seed, 40);
    o.prefer = flip(seed, 60)   ? RWL_PARQUET_PREFER_PLAIN
               : flip(seed, 50) ? RWL_PARQUET_PREFER_DELTA
                                : RWL_PARQUET_PREFER_SPLIT;
    static const rwl_parquet_column_options filters[] = {{.path = "b", .bloom = true},
                                                         {.path = "c", .bloom = true, .bloom_distinct = 30},
                                                         {.path = "f", .bloom = true}};
    o.columns = filters;
    o.column_count = flip(seed, 50) ? 3 : 0;
    o.without_index = flip(seed, 30);
    o.without_crc = flip(seed, 30);
    return o;
}

rwl_range *stitch_random_ranges(int64_t rows, size_t *count, unsigned *seed) {
    rwl_range *ranges = malloc(((size_t)rows / 2 + 2) * sizeof *ranges);
    int64_t longest = 1 + rand_r(seed) % (rows + 1);
    int64_t at = 0;
    *count = 0;
    if (flip(seed, 25)) {
        ranges[(*count)++] = (rwl_range){0, rows};
        return ranges;
    }
    while (at < rows) {
        at += flip(seed, 50) ? 1 + rand_r(seed) % 3 : rand_r(seed) % longest;
        int64_t n = 1 + (flip(seed, 30) ? 0 : rand_r(seed) % longest);
        if (at >= rows)
            break;
        n = n < rows - at ? n : rows - at;
        ranges[(*count)++] = (rwl_range){at, n};
        at += n + 1;
    }
    return ranges;
}

/* --- rows as text --- */

static void add_text(row_texts *t, const rwl_buf *text) {
    if (t->len == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 64;
        t->rows = realloc(t->rows, t->cap * sizeof *t->rows);
    }
    t->rows[t->len++] = strndup((const char *)text->data, text->len);
}

void stitch_texts_clear(row_texts *t) {
    for (size_t i = 0; i < t->len; i++)
        free(t->rows[i]);
    free(t->rows);
    *t = (row_texts){0};
}

static bool is_made(const rwl_parquet_stitch_options *o, int32_t field) {
    for (int32_t i = 0; o != NULL && i < o->made_count; i++)
        if (o->made[i] == field)
            return true;
    return false;
}

/* `*at` is the first range that does not end before the rows asked for so far. */
static bool in_ranges(const rwl_range *ranges, size_t count, size_t *at, int64_t row) {
    if (ranges == NULL)
        return true;
    while (*at < count && ranges[*at].start + ranges[*at].count <= row)
        (*at)++;
    return *at < count && ranges[*at].start <= row;
}

typedef struct reading {
    const rwl_field *fields;
    int32_t count;
    int32_t column[64]; /* of the batch, -1: null, -2: made */
    const rwl_parquet_stitch_options *options;
    const rwl_parquet_stitch_part *part;
} reading;

static void put_row(const reading *r, const rwl_batch *batch, int64_t i, int64_t row, rwl_buf *text) {
    rwl_buf_reset(text);
    for (int32_t f = 0; f < r->count; f++) {
        stitch_ok(rwl_buf_printf(text, &stitch_error, "%s%s:", f > 0 ? "," : "", r->fields[f].name));
        if (r->column[f] >= 0) {
            const rwl_column *c = &batch->columns[r->column[f]];
            stitch_ok(rwl_column_format_json(c, i, text, &stitch_error));
        } else if (r->column[f] == -1) {
            stitch_ok(rwl_buf_str(text, "null", &stitch_error));
        } else {
            rwl_column made;
            rwl_column_init_flat(&made, &r->fields[f].type);
            stitch_ok(r->options->make(r->options->make_ctx, r->part, f, row, 1, &made, &stitch_error));
            stitch_ok(rwl_column_format_json(&made, 0, text, &stitch_error));
            rwl_column_clear(&made, &stitch_env);
        }
    }
}

void stitch_read(row_texts *out, rwl_parquet_file *file, const rwl_field *fields, int32_t count,
                 const rwl_range *ranges, size_t range_count, const rwl_parquet_stitch_options *options,
                 const rwl_parquet_stitch_part *part) {
    reading r = {.fields = fields, .count = count, .options = options, .part = part};
    int32_t nodes[64], node_count = 0;
    for (int32_t f = 0; f < count; f++) {
        int32_t node = rwl_parquet_without_ids(file) ? rwl_parquet_node_by_name(file, fields[f].name)
                                                     : rwl_parquet_node_by_id(file, fields[f].id);
        r.column[f] = is_made(options, f) ? -2 : node >= 0 ? node_count : -1;
        if (r.column[f] >= 0)
            nodes[node_count++] = node;
    }
    rwl_parquet_read_options ro = {.nodes = nodes, .node_count = node_count, .row_count = -1};
    rwl_parquet_reader *reader;
    rwl_batch batch;
    size_t range = 0;
    rwl_buf text;
    rwl_buf_init(&text, &stitch_env, SIZE_MAX);
    stitch_ok(rwl_parquet_reader_new(stitch_store, &stitch_op, file, &ro, &reader, &stitch_error));
    int32_t n;
    const rwl_field *read_fields = rwl_parquet_reader_fields(reader, &n);
    stitch_ok(rwl_batch_init(&batch, &stitch_env, read_fields, n, &stitch_error));
    for (;;) {
        int64_t first;
        if (rwl_parquet_reader_next(reader, &batch, &first, &stitch_error) != RWL_OK)
            ck_abort_msg("reading %s: %s", file->location, stitch_error.message);
        if (batch.length == 0)
            break;
        for (int64_t i = 0; i < batch.length; i++) {
            if (!in_ranges(ranges, range_count, &range, first + i))
                continue;
            put_row(&r, &batch, i, first + i, &text);
            add_text(out, &text);
        }
    }
    rwl_buf_clear(&text);
    rwl_batch_clear(&batch);
    rwl_parquet_reader_free(reader);
}

void stitch_compare(const row_texts *got, const row_texts *want, const char *what) {
    for (size_t i = 0; i < got->len && i < want->len; i++)
        stitch_check(strcmp(got->rows[i], want->rows[i]) == 0, "%s: row %zu is\n%.600s\nnot\n%.600s", what, i,
                     got->rows[i], want->rows[i]);
    stitch_check(got->len == want->len, "%s: %zu rows, not %zu", what, got->len, want->len);
}

/* --- the rules --- */

static rwl_buf whole_file(const char *path) {
    rwl_buf bytes;
    rwl_buf_init(&bytes, &stitch_env, SIZE_MAX);
    stitch_ok(rwl_store_read_all(stitch_store, &stitch_op, path, &bytes, &stitch_error));
    return bytes;
}

static void check_chunk(const rwl_parquet_file *file, const rwl_buf *bytes, rwl_file *handle, int32_t g,
                        int32_t leaf) {
    const rwl_parquet_chunk *c = &file->groups[g].chunks[leaf];
    const char *name = file->leaves[leaf].field.name;
    int64_t off = c->dictionary_offset ? c->dictionary_offset : c->data_offset,
            end = off + c->compressed_size;
    int64_t values = 0;
    int32_t dictionaries = 0, pages = 0, type = -1;
    bool left = false, all = true;
    rwl_arena arena;
    rwl_arena_init(&arena, &stitch_env, 0);
    rwl_parquet_offset_index *offsets = NULL;
    rwl_parquet_column_index *bounds = NULL;
    stitch_ok(
        rwl_parquet_offset_index_read(handle, &stitch_op, file, g, leaf, &arena, &offsets, &stitch_error));
    stitch_ok(
        rwl_parquet_column_index_read(handle, &stitch_op, file, g, leaf, &arena, &bounds, &stitch_error));
    while (off < end) {
        rwl_parquet_page_header h;
        size_t len;
        stitch_ok(rwl_parquet_page_parse(rwl_span_of(bytes->data + off, (size_t)(end - off)), &h, &len,
                                         &stitch_error));
        rwl_span body = rwl_span_of(bytes->data + off + len, (size_t)h.compressed_size);
        stitch_check(!h.has_crc || rwl_crc32(0, body) == h.crc, "%s: wrong checksum", name);
        if (h.type == RWL_PARQUET_DICTIONARY_PAGE) {
            stitch_check(pages == 0 && dictionaries == 0, "%s: dictionary page in the middle", name);
            dictionaries++;
        } else {
            bool coded = h.encoding == RWL_PARQUET_RLE_DICTIONARY;
            stitch_check(type < 0 || type == h.type, "%s: pages of both versions", name);
            stitch_check(!coded || (!left && dictionaries == 1), "%s: dictionary-coded page %d", name, pages);
            if (offsets != NULL)
                stitch_check(pages < offsets->page_count && offsets->pages[pages].off == off,
                             "%s: offset index", name);
            type = h.type;
            left = left || !coded;
            all = all && coded;
            values += h.value_count;
            pages++;
        }
        off += (int64_t)len + h.compressed_size;
    }
    stitch_check(off == end && values == c->value_count, "%s: %lld values", name, (long long)values);
    stitch_check(c->all_dictionary == (all && pages > 0), "%s: encoding_stats say otherwise", name);
    stitch_check(offsets == NULL || offsets->page_count == pages, "%s: pages of the offset index", name);
    stitch_check(bounds == NULL || bounds->page_count == pages, "%s: pages of the column index", name);
    rwl_arena_clear(&arena);
}

/* A filter has every value of its chunk. */
static void check_filter(const rwl_parquet_bloom *bloom, const rwl_parquet_leaf *l, const rwl_value *v) {
    uint8_t plain[8];
    rwl_span bytes = v->as.bytes;
    if (bloom == NULL || l->physical == RWL_PARQUET_FIXED || l->physical == RWL_PARQUET_BOOLEAN)
        return;
    if (l->physical != RWL_PARQUET_BYTE_ARRAY) {
        size_t len = l->physical == RWL_PARQUET_INT32 || l->physical == RWL_PARQUET_FLOAT ? 4 : 8;
        memcpy(plain, &v->as, sizeof plain); /* little endian, as PLAIN is */
        bytes = rwl_span_of(plain, len);
    }
    stitch_check(rwl_parquet_bloom_has(bloom, rwl_parquet_bloom_hash(bytes)),
                 "%s: %s: a value not in the filter", running, l->field.name);
}

/* Whether `v` may follow the value before it, which it replaces, in a column sorted like this. */
static bool may_follow(rwl_value *before, const rwl_value *v, bool descending) {
    int order = before->kind == v->kind ? rwl_value_compare(before, v) : 0;
    *before = *v;
    return descending ? order >= 0 : order <= 0;
}

/* Every value of flat columns lies between the bounds its row group, and its page, have. */
static void check_values(rwl_parquet_file *file, rwl_file *handle, int32_t g, int32_t leaf) {
    const rwl_parquet_leaf *l = &file->leaves[leaf];
    const rwl_parquet_chunk *chunk = &file->groups[g].chunks[leaf];
    if (l->is_nested || l->unsupported)
        return;
    rwl_arena arena;
    rwl_arena_init(&arena, &stitch_env, 0);
    rwl_parquet_offset_index *offsets = NULL;
    rwl_parquet_column_index *bounds = NULL;
    stitch_ok(
        rwl_parquet_offset_index_read(handle, &stitch_op, file, g, leaf, &arena, &offsets, &stitch_error));
    stitch_ok(
        rwl_parquet_column_index_read(handle, &stitch_op, file, g, leaf, &arena, &bounds, &stitch_error));
    rwl_parquet_read_options ro = {.nodes = &l->top,
                                   .node_count = 1,
                                   .first_row = file->groups[g].first_row,
                                   .row_count = file->groups[g].row_count};
    rwl_parquet_reader *reader;
    rwl_batch batch;
    int32_t n;
    stitch_ok(rwl_parquet_reader_new(stitch_store, &stitch_op, file, &ro, &reader, &stitch_error));
    const rwl_field *fields = rwl_parquet_reader_fields(reader, &n);
    stitch_ok(rwl_batch_init(&batch, &stitch_env, fields, n, &stitch_error));
    int64_t row = 0, nulls = 0;
    int32_t page = 0;
    const rwl_parquet_group *group = &file->groups[g];
    bool is_sorted = group->sorting_count > 0 && group->sorting[0].leaf == leaf &&
                     chunk->stats.null_count == 0 && l->physical != RWL_PARQUET_BYTE_ARRAY;
    rwl_value before = {.kind = RWL_TYPE_UNKNOWN};
    rwl_parquet_bloom *bloom;
    stitch_ok(rwl_parquet_bloom_read(handle, &stitch_op, file, g, leaf, &arena, &bloom, &stitch_error));
    for (;;) {
        int64_t first;
        stitch_ok(rwl_parquet_reader_next(reader, &batch, &first, &stitch_error));
        if (batch.length == 0)
            break;
        for (int64_t i = 0; i < batch.length; i++, row++) {
            while (offsets != NULL && page + 1 < offsets->page_count &&
                   offsets->pages[page + 1].first_row <= row)
                page++;
            if (rwl_column_is_null(&batch.columns[0], i)) {
                nulls++;
                continue;
            }
            rwl_value v = rwl_column_value(&batch.columns[0], i), low, high;
            if ((v.kind == RWL_TYPE_FLOAT && isnan(v.as.f32)) ||
                (v.kind == RWL_TYPE_DOUBLE && isnan(v.as.f64)))
                continue; /* NaN is between no bounds */
            check_filter(bloom, l, &v);
            stitch_check(!is_sorted || may_follow(&before, &v, group->sorting[0].descending),
                         "%s: %s: not in the order of sorting_columns", running, l->field.name);
            if (rwl_parquet_stats_value(l, chunk->stats.min, &low))
                stitch_check(rwl_value_compare(&low, &v) <= 0, "%s: %s: a value below the chunk's min",
                             running, l->field.name);
            if (rwl_parquet_stats_value(l, chunk->stats.max, &high))
                stitch_check(rwl_value_compare(&high, &v) >= 0, "%s: %s: a value above the chunk's max",
                             running, l->field.name);
            if (bounds == NULL)
                continue;
            stitch_check(!bounds->null_pages[page], "%s: a value in a null page", l->field.name);
            if (rwl_parquet_stats_value(l, bounds->pages[page].min, &low))
                stitch_check(rwl_value_compare(&low, &v) <= 0, "%s: %s: a value below the page's min",
                             running, l->field.name);
            if (rwl_parquet_stats_value(l, bounds->pages[page].max, &high))
                stitch_check(rwl_value_compare(&high, &v) >= 0, "%s: %s: a value above the page's max",
                             running, l->field.name);
        }
    }
    stitch_check(chunk->stats.null_count < 0 || chunk->stats.null_count == nulls,
                 "%s: %s: %lld nulls, not %lld", running, l->field.name, (long long)chunk->stats.null_count,
                 (long long)nulls);
    rwl_batch_clear(&batch);
    rwl_parquet_reader_free(reader);
    rwl_arena_clear(&arena);
}

bool stitch_is_bound(rwl_parquet_file *file, rwl_span bound, bool is_max) {
    const int32_t node = 0;
    rwl_parquet_read_options ro = {.nodes = &node, .node_count = 1, .row_count = -1};
    rwl_parquet_reader *reader;
    rwl_batch batch;
    rwl_value limit;
    int32_t n;
    bool seen = false, passed = false;
    if (!rwl_parquet_stats_value(&file->leaves[0], bound, &limit))
        return false;
    stitch_ok(rwl_parquet_reader_new(stitch_store, &stitch_op, file, &ro, &reader, &stitch_error));
    const rwl_field *fields = rwl_parquet_reader_fields(reader, &n);
    stitch_ok(rwl_batch_init(&batch, &stitch_env, fields, n, &stitch_error));
    for (;;) {
        int64_t first;
        stitch_ok(rwl_parquet_reader_next(reader, &batch, &first, &stitch_error));
        if (batch.length == 0)
            break;
        for (int64_t i = 0; i < batch.length; i++) {
            if (rwl_column_is_null(&batch.columns[0], i))
                continue;
            rwl_value v = rwl_column_value(&batch.columns[0], i);
            int order = rwl_value_compare(&v, &limit);
            seen |= order == 0;
            passed |= is_max ? order > 0 : order < 0;
        }
    }
    rwl_batch_clear(&batch);
    rwl_parquet_reader_free(reader);
    return seen && !passed;
}

void stitch_check_rules(const char *path) {
    rwl_parquet_file *file;
    rwl_file *handle;
    rwl_buf bytes = whole_file(path);
    stitch_ok(rwl_parquet_open(stitch_store, &stitch_op, path, -1, &file, &stitch_error));
    stitch_ok(rwl_file_open(stitch_store, &stitch_op, path, &handle, &stitch_error));
    for (int32_t g = 0; g < file->group_count; g++)
        for (int32_t leaf = 0; leaf < file->leaf_count; leaf++) {
            check_chunk(file, &bytes, handle, g, leaf);
            check_values(file, handle, g, leaf);
        }
    rwl_file_close(handle);
    rwl_parquet_close(file);
    rwl_buf_clear(&bytes);
}

/* --- stitching --- */

rwl_status stitch_make_ids(void *ctx, const rwl_parquet_stitch_part *part, int32_t field, int64_t first,
                           int64_t count, rwl_column *out, rwl_error *err) {
    (void)ctx, (void)field;
    for (int64_t i = first; i < first + count; i++) {
        rwl_value v = {.kind = RWL_TYPE_LONG, .is_null = i % 7 == 3};
        v.as.i64 = i + *(const int64_t *)part->ctx;
        rwl_status st = rwl_column_append(out, &stitch_env, &v, 1, err);
        if (st != RWL_OK)
            return st;
    }
    return RWL_OK;
}

void stitch_run(stitch_job *job, const char *path, const char *what) {
    running = what;
    rwl_parquet_stitch *s;
    row_texts want = {0}, got = {0};
    for (int i = 0; i < job->part_count; i++) {
        rwl_parquet_stitch_part *p = &job->parts[i];
        stitch_read(&want, p->file, job->fields, job->field_count, p->ranges, p->range_count, &job->options,
                    p);
    }
    stitch_ok(rwl_parquet_stitch_open(stitch_store, &stitch_op, path, job->fields, job->field_count,
                                      &job->options, &s, &stitch_error));
    for (int i = 0; i < job->part_count; i++)
        stitch_ok(rwl_parquet_stitch_add(s, &job->parts[i], &stitch_error));
    stitch_ok(rwl_parquet_stitch_finish(s, &job->written, &job->stats, &stitch_error));
    rwl_parquet_file *file;
    stitch_ok(rwl_parquet_open(stitch_store, &stitch_op, path, job->written.file_size, &file, &stitch_error));
    stitch_check(file->row_count == (int64_t)want.len, "%s: %lld rows in the footer, not %zu", what,
                 (long long)file->row_count, want.len);
    stitch_read(&got, file, job->fields, job->field_count, NULL, 0, NULL, NULL);
    stitch_compare(&got, &want, what);
    stitch_texts_clear(&got);
    stitch_texts_clear(&want);
    rwl_parquet_close(file);
    stitch_check_rules(path);
}
