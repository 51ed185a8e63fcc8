/* SPDX-License-Identifier: Apache-2.0 */
/* FileMetaData of a footer: row groups, chunks and key-value metadata, checked against the file they describe. */
#include "parquet/footer.h"

#include "parquet/page.h"

enum {
    GROUP_BYTES_MIN = 7, /* three required fields and the stop */
    CHUNK_BYTES_MIN = 3,
    PAIR_BYTES_MIN = 3,
    FIRST_DATA_OFFSET = 4 /* behind the magic */
};

/* --- typed fields --- */

rwl_status rwl_parquet_field_type(const rwl_cursor *c, rwl_thrift_field field, rwl_thrift_type want,
                                  rwl_error *err) {
    if (field.type == want)
        return RWL_OK;
    return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos, "field %d has thrift type %d instead of %d",
                       field.id, (int)field.type, (int)want);
}

rwl_status rwl_parquet_field_i32(rwl_cursor *c, rwl_thrift_field field, int32_t *out, rwl_error *err) {
    RWL_TRY(rwl_parquet_field_type(c, field, RWL_THRIFT_I32, err));
    return rwl_thrift_i32(c, out, err);
}

rwl_status rwl_parquet_field_i64(rwl_cursor *c, rwl_thrift_field field, int64_t *out, rwl_error *err) {
    RWL_TRY(rwl_parquet_field_type(c, field, RWL_THRIFT_I64, err));
    return rwl_thrift_i64(c, out, err);
}

rwl_status rwl_parquet_field_bool(const rwl_cursor *c, rwl_thrift_field field, bool *out, rwl_error *err) {
    *out = field.type == RWL_THRIFT_TRUE;
    return *out ? RWL_OK : rwl_parquet_field_type(c, field, RWL_THRIFT_FALSE, err);
}

rwl_status rwl_parquet_field_binary(rwl_cursor *c, rwl_thrift_field field, rwl_span *out, rwl_error *err) {
    RWL_TRY(rwl_parquet_field_type(c, field, RWL_THRIFT_BINARY, err));
    return rwl_thrift_binary(c, out, err);
}

rwl_status rwl_parquet_field_text(rwl_cursor *c, rwl_thrift_field field, rwl_arena *arena, const char **out,
                                  rwl_error *err) {
    rwl_span bytes;
    RWL_TRY(rwl_parquet_field_binary(c, field, &bytes, err));
    if (bytes.len > 0 && memchr(bytes.data, 0, bytes.len))
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos, "text with a zero byte");
    char *text = rwl_arena_strndup(arena, (const char *)bytes.data, bytes.len);
    if (!text)
        return rwl_no_memory(err, bytes.len);
    *out = text;
    return RWL_OK;
}

rwl_status rwl_parquet_field_list(rwl_cursor *c, rwl_thrift_field field, rwl_thrift_type item,
                                  size_t item_min, uint32_t *count, rwl_error *err) {
    rwl_thrift_type type;
    RWL_TRY(rwl_parquet_field_type(c, field, RWL_THRIFT_LIST, err));
    RWL_TRY(rwl_thrift_list(c, &type, count, err));
    if (*count > 0 && type != item)
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos, "list of thrift type %d instead of %d",
                           (int)type, (int)item);
    if (*count > rwl_cursor_left(c) / item_min)
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos, "list of %u items in %zu bytes", *count,
                           rwl_cursor_left(c));
    return RWL_OK;
}

rwl_status rwl_parquet_field_struct(rwl_cursor *c, rwl_thrift_field field, rwl_thrift_reader read, void *ctx,
                                    rwl_error *err) {
    RWL_TRY(rwl_parquet_field_type(c, field, RWL_THRIFT_STRUCT, err));
    return rwl_thrift_struct(c, read, ctx, err);
}

typedef struct target_list {
    const rwl_parquet_target *items;
    size_t count;
} target_list;

static rwl_status read_target(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    const target_list *list = ctx;
    for (size_t i = 0; i < list->count; i++) {
        const rwl_parquet_target *t = &list->items[i];
        if (t->id != f.id)
            continue;
        return t->i32    ? rwl_parquet_field_i32(c, f, t->i32, err)
               : t->i64  ? rwl_parquet_field_i64(c, f, t->i64, err)
               : t->flag ? rwl_parquet_field_bool(c, f, t->flag, err)
                         : rwl_parquet_field_binary(c, f, t->bytes, err);
    }
    return rwl_thrift_skip(c, f.type, err);
}

rwl_status rwl_parquet_fields_read(rwl_cursor *c, const rwl_parquet_target *targets, size_t count,
                                   rwl_error *err) {
    target_list list = {targets, count};
    return rwl_thrift_struct(c, read_target, &list, err);
}

/* --- chunks --- */

typedef struct parse {
    rwl_arena *arena;
    rwl_parquet_file *file;
    int64_t data_end;
    bool has_schema, has_row_count;
    rwl_parquet_bounds_order *orders; /* a leaf each; NULL: none declared */
    uint32_t order_count;
    rwl_parquet_group *groups;
    /* of the row group and chunk being read */
    rwl_parquet_group *group;
    rwl_parquet_chunk *chunk;
    const rwl_parquet_leaf *leaf;
    int32_t physical;
    int64_t dictionary;
    bool has_meta;
} parse;

/* The encodings listed, as bits. */
static rwl_status read_encodings(rwl_cursor *c, rwl_thrift_field f, uint32_t *out, rwl_error *err) {
    uint32_t count;
    RWL_TRY(rwl_parquet_field_list(c, f, RWL_THRIFT_I32, 1, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        int32_t encoding;
        RWL_TRY(rwl_thrift_i32(c, &encoding, err));
        if (encoding >= 0 && encoding < 32)
            *out |= UINT32_C(1) << encoding;
    }
    return RWL_OK;
}

/* Whether the page counts name data pages, all of them dictionary-coded. */
static rwl_status read_page_counts(rwl_cursor *c, rwl_thrift_field f, bool *all_dictionary, rwl_error *err) {
    uint32_t count;
    bool is_some = false, is_other = false;
    RWL_TRY(rwl_parquet_field_list(c, f, RWL_THRIFT_STRUCT, 1, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        int32_t type = -1, encoding = -1, pages = -1;
        const rwl_parquet_target targets[] = {{1, .i32 = &type}, {2, .i32 = &encoding}, {3, .i32 = &pages}};
        RWL_TRY(rwl_parquet_fields_read(c, targets, sizeof targets / sizeof targets[0], err));
        bool is_data = type != RWL_PARQUET_DICTIONARY_PAGE && type != RWL_PARQUET_INDEX_PAGE && pages != 0;
        bool by_index = encoding == RWL_PARQUET_PLAIN_DICTIONARY || encoding == RWL_PARQUET_RLE_DICTIONARY;
        is_some = is_some || is_data;
        is_other = is_other || (is_data && !by_index);
    }
    *all_dictionary = is_some && !is_other;
    return RWL_OK;
}

static rwl_status read_sizes(rwl_cursor *c, rwl_thrift_field f, rwl_parquet_chunk *chunk, rwl_error *err) {
    const rwl_parquet_target target = {1, .i64 = &chunk->unencoded_bytes};
    RWL_TRY(rwl_parquet_field_type(c, f, RWL_THRIFT_STRUCT, err));
    RWL_TRY(rwl_parquet_fields_read(c, &target, 1, err));
    if (chunk->unencoded_bytes < 0)
        chunk->unencoded_bytes = -1;
    return RWL_OK;
}

static rwl_status read_i32_as_i64(rwl_cursor *c, rwl_thrift_field f, int64_t *out, rwl_error *err) {
    int32_t v;
    RWL_TRY(rwl_parquet_field_i32(c, f, &v, err));
    *out = v;
    return RWL_OK;
}

/* What helps to read a chunk, but is not needed for it. */
static rwl_status read_chunk_help(rwl_cursor *c, rwl_thrift_field f, rwl_parquet_chunk *chunk,
                                  rwl_error *err) {
    switch (f.id) {
    case 2:
        return read_encodings(c, f, &chunk->encodings, err);
    case 12:
        RWL_TRY(rwl_parquet_field_type(c, f, RWL_THRIFT_STRUCT, err));
        return rwl_parquet_stats_parse(c, &chunk->stats, err);
    case 13:
        return read_page_counts(c, f, &chunk->all_dictionary, err);
    case 14:
        return rwl_parquet_field_i64(c, f, &chunk->bloom.off, err);
    case 15: /* a branch of parquet-mr once had something else there */
        return f.type == RWL_THRIFT_I32 ? read_i32_as_i64(c, f, &chunk->bloom.len, err)
                                        : rwl_thrift_skip(c, f.type, err);
    case 16:
        return read_sizes(c, f, chunk, err);
    default: /* boxes of geometries too */
        return rwl_thrift_skip(c, f.type, err);
    }
}

static rwl_status read_meta_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    parse *p = ctx;
    switch (f.id) {
    case 1:
        return rwl_parquet_field_i32(c, f, &p->physical, err);
    case 4:
        return rwl_parquet_field_i32(c, f, &p->chunk->codec, err);
    case 5:
        return rwl_parquet_field_i64(c, f, &p->chunk->value_count, err);
    case 6:
        return rwl_parquet_field_i64(c, f, &p->chunk->uncompressed_size, err);
    case 7:
        return rwl_parquet_field_i64(c, f, &p->chunk->compressed_size, err);
    case 9:
        return rwl_parquet_field_i64(c, f, &p->chunk->data_offset, err);
    case 11:
        return rwl_parquet_field_i64(c, f, &p->dictionary, err);
    default:
        return read_chunk_help(c, f, p->chunk, err);
    }
}

static rwl_status read_chunk_meta(parse *p, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    rwl_parquet_chunk *chunk = p->chunk;
    p->has_meta = true;
    p->physical = -1;
    p->dictionary = 0;
    RWL_TRY(rwl_parquet_field_struct(c, f, read_meta_field, p, err));
    if (p->physical != (int32_t)p->leaf->physical)
        return rwl_fail(err, RWL_CORRUPT, "physical type %d in the chunk, %d in the schema", p->physical,
                        (int)p->leaf->physical);
    /* Writers have left zero, or the offset of the data, where there is no dictionary. */
    bool has_dictionary = p->dictionary >= FIRST_DATA_OFFSET && p->dictionary < chunk->data_offset;
    chunk->dictionary_offset = has_dictionary ? p->dictionary : 0;
    return RWL_OK;
}

static rwl_status read_chunk_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    parse *p = ctx;
    rwl_parquet_chunk *chunk = p->chunk;
    switch (f.id) {
    case 1:
        return rwl_fail(err, RWL_UNSUPPORTED, "chunk lies in another file");
    case 3:
        return read_chunk_meta(p, c, f, err);
    case 4:
        return rwl_parquet_field_i64(c, f, &chunk->offset_index.off, err);
    case 5:
        return read_i32_as_i64(c, f, &chunk->offset_index.len, err);
    case 6:
        return rwl_parquet_field_i64(c, f, &chunk->column_index.off, err);
    case 7:
        return read_i32_as_i64(c, f, &chunk->column_index.len, err);
    case 8:
    case 9:
        chunk->encrypted = true;
        return rwl_thrift_skip(c, f.type, err);
    default:
        return rwl_thrift_skip(c, f.type, err);
    }
}

static rwl_status read_chunk(parse *p, rwl_cursor *c, rwl_error *err) {
    rwl_parquet_chunk *chunk = p->chunk;
    p->has_meta = false;
    chunk->stats.null_count = chunk->stats.nan_count = chunk->unencoded_bytes = -1;
    RWL_TRY(rwl_thrift_struct(c, read_chunk_field, p, err));
    if (!p->has_meta && !chunk->encrypted)
        return rwl_fail(err, RWL_CORRUPT, "chunk without metadata");
    return RWL_OK;
}

/* What lies outside of the file is as good as absent. A bloom filter may come without its length. */
static void settle_ranges(const parse *p, rwl_parquet_chunk *chunk) {
    rwl_parquet_range *ranges[] = {&chunk->offset_index, &chunk->column_index, &chunk->bloom};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        rwl_parquet_range *r = ranges[i];
        bool may_be_empty = r == &chunk->bloom;
        if (may_be_empty && r->len < 0)
            r->len = 0;
        if (chunk->encrypted || r->off < FIRST_DATA_OFFSET || r->off >= p->data_end || r->len < 0 ||
            r->len > p->data_end - r->off || (r->len == 0 && !may_be_empty))
            *r = (rwl_parquet_range){0, 0};
    }
}

/* Rules 3 to 5 of the header. */
static rwl_status check_chunk(const parse *p, const rwl_parquet_leaf *leaf, const rwl_parquet_group *group,
                              rwl_parquet_chunk *chunk, rwl_error *err) {
    if (chunk->encrypted)
        return RWL_OK;
    if (chunk->value_count < 0 || chunk->compressed_size < 0 || chunk->uncompressed_size < 0)
        return rwl_fail(err, RWL_CORRUPT, "%lld values, %lld bytes, %lld uncompressed",
                        (long long)chunk->value_count, (long long)chunk->compressed_size,
                        (long long)chunk->uncompressed_size);
    if (!leaf->is_nested && chunk->value_count != group->row_count)
        return rwl_fail(err, RWL_CORRUPT, "%lld values in a row group of %lld rows",
                        (long long)chunk->value_count, (long long)group->row_count);
    if (chunk->stats.null_count > chunk->value_count)
        chunk->stats.null_count = -1;
    if (group->row_count == 0)
        return RWL_OK;
    int64_t start = chunk->dictionary_offset ? chunk->dictionary_offset : chunk->data_offset;
    if (start < FIRST_DATA_OFFSET || start > p->data_end || chunk->compressed_size > p->data_end - start)
        return rwl_fail(err, RWL_CORRUPT, "chunk of %lld bytes at offset %lld, data ends at %lld",
                        (long long)chunk->compressed_size, (long long)start, (long long)p->data_end);
    if (chunk->data_offset - start > chunk->compressed_size)
        return rwl_fail(err, RWL_CORRUPT, "data page at offset %lld, behind its chunk",
                        (long long)chunk->data_offset);
    return RWL_OK;
}

/* --- row groups --- */

static rwl_status read_chunks(parse *p, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    uint32_t count;
    RWL_TRY(rwl_parquet_field_list(c, f, RWL_THRIFT_STRUCT, CHUNK_BYTES_MIN, &count, err));
    if ((int64_t)count != p->file->leaf_count)
        return rwl_fail(err, RWL_CORRUPT, "%u column chunks for %d columns", count, p->file->leaf_count);
    rwl_parquet_chunk *chunks = rwl_arena_array(p->arena, count, sizeof *chunks);
    if (!chunks)
        return rwl_no_memory(err, count * sizeof *chunks);
    for (uint32_t i = 0; i < count; i++) {
        p->chunk = &chunks[i];
        p->leaf = &p->file->leaves[i];
        rwl_status st = read_chunk(p, c, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "column %s", p->leaf->field.name);
    }
    p->group->chunks = chunks;
    return RWL_OK;
}

static rwl_status read_sorting_column(rwl_cursor *c, rwl_parquet_sorting *out, rwl_error *err) {
    const rwl_parquet_target targets[] = {
        {1, .i32 = &out->leaf}, {2, .flag = &out->descending}, {3, .flag = &out->nulls_first}};
    out->leaf = -1;
    return rwl_parquet_fields_read(c, targets, sizeof targets / sizeof targets[0], err);
}

/* The columns up to the first that does not exist: an order of fewer columns is still one. */
static rwl_status read_sorting(parse *p, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    rwl_parquet_group *group = p->group;
    uint32_t count;
    RWL_TRY(rwl_parquet_field_list(c, f, RWL_THRIFT_STRUCT, 1, &count, err));
    rwl_parquet_sorting *sorting = rwl_arena_array(p->arena, count, sizeof *sorting);
    if (!sorting)
        return rwl_no_memory(err, count * sizeof *sorting);
    for (uint32_t i = 0; i < count; i++)
        RWL_TRY(read_sorting_column(c, &sorting[i], err));
    group->sorting = sorting;
    while (group->sorting_count < (int32_t)count && sorting[group->sorting_count].leaf >= 0 &&
           sorting[group->sorting_count].leaf < p->file->leaf_count)
        group->sorting_count++;
    return RWL_OK;
}

static rwl_status read_group_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    parse *p = ctx;
    switch (f.id) {
    case 1:
        return read_chunks(p, c, f, err);
    case 2:
        return rwl_parquet_field_i64(c, f, &p->group->total_bytes, err);
    case 3:
        return rwl_parquet_field_i64(c, f, &p->group->row_count, err);
    case 4:
        return read_sorting(p, c, f, err);
    default:
        return rwl_thrift_skip(c, f.type, err);
    }
}

static rwl_status read_group(parse *p, rwl_cursor *c, rwl_error *err) {
    rwl_parquet_group *group = p->group;
    group->row_count = -1;
    RWL_TRY(rwl_thrift_struct(c, read_group_field, p, err));
    if (!group->chunks && p->file->leaf_count > 0)
        return rwl_fail(err, RWL_CORRUPT, "no column chunks");
    if (group->row_count < 0 || group->total_bytes < 0)
        return rwl_fail(err, RWL_CORRUPT, "%lld rows of %lld bytes", (long long)group->row_count,
                        (long long)group->total_bytes);
    return RWL_OK;
}

static rwl_status read_groups(parse *p, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    uint32_t count;
    if (!p->has_schema)
        return rwl_fail(err, RWL_CORRUPT, "row groups without a schema");
    RWL_TRY(rwl_parquet_field_list(c, f, RWL_THRIFT_STRUCT, GROUP_BYTES_MIN, &count, err));
    p->groups = rwl_arena_array(p->arena, count, sizeof *p->groups);
    if (!p->groups)
        return rwl_no_memory(err, count * sizeof *p->groups);
    for (uint32_t i = 0; i < count; i++) {
        p->group = &p->groups[i];
        rwl_status st = read_group(p, c, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "row group %u", i);
    }
    p->file->groups = p->groups;
    p->file->group_count = (int32_t)count;
    return RWL_OK;
}

static void settle_stats(const rwl_parquet_leaf *leaf, rwl_parquet_chunk *chunk, bool is_corrupt) {
    bool is_bytes = leaf->physical == RWL_PARQUET_BYTE_ARRAY || leaf->physical == RWL_PARQUET_FIXED;
    if (chunk->stats.is_old && is_bytes && is_corrupt)
        chunk->stats.min = chunk->stats.max = (rwl_span){NULL, 0};
    if (chunk->stats.nan_count > chunk->value_count)
        chunk->stats.nan_count = -1;
    rwl_parquet_stats_settle(leaf, &chunk->stats);
}

/* Rules that need the whole footer: positions, offsets, orders of statistics. */
static rwl_status settle_group(const parse *p, rwl_parquet_group *group, int64_t first_row, rwl_error *err) {
    const rwl_parquet_file *file = p->file;
    bool is_corrupt = rwl_parquet_stats_corrupt(file->created_by);
    group->first_row = first_row;
    group->file_offset = INT64_MAX;
    for (int32_t i = 0; i < file->leaf_count; i++) {
        rwl_parquet_chunk *chunk = (rwl_parquet_chunk *)&group->chunks[i];
        const rwl_parquet_leaf *leaf = &file->leaves[i];
        rwl_status st = check_chunk(p, leaf, group, chunk, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "column %s", leaf->field.name);
        settle_ranges(p, chunk);
        settle_stats(leaf, chunk, is_corrupt);
        int64_t start = chunk->dictionary_offset ? chunk->dictionary_offset : chunk->data_offset;
        if (!chunk->encrypted && start < group->file_offset)
            group->file_offset = start;
    }
    if (group->file_offset == INT64_MAX)
        group->file_offset = FIRST_DATA_OFFSET;
    return RWL_OK;
}

static rwl_status settle_groups(const parse *p, rwl_error *err) {
    int64_t rows = 0;
    for (int32_t g = 0; g < p->file->group_count; g++) {
        rwl_status st = settle_group(p, &p->groups[g], rows, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "row group %d", g);
        if (!rwl_i64_add(rows, p->groups[g].row_count, &rows))
            return rwl_fail(err, RWL_CORRUPT, "row groups have more than 2^63 rows");
    }
    if (p->file->row_count == 0) /* parquet-rs 0.3 left it so */
        p->file->row_count = rows;
    if (rows != p->file->row_count)
        return rwl_fail(err, RWL_CORRUPT, "row groups have %lld rows, the file says %lld", (long long)rows,
                        (long long)p->file->row_count);
    return RWL_OK;
}

/* --- the rest --- */

typedef struct pair {
    rwl_arena *arena;
    const char *key, *value;
} pair;

static rwl_status read_pair_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    pair *p = ctx;
    rwl_span bytes;
    if ((f.id != 1 && f.id != 2) || f.type != RWL_THRIFT_BINARY)
        return rwl_thrift_skip(c, f.type, err);
    RWL_TRY(rwl_thrift_binary(c, &bytes, err));
    /* Values may be anything; one with a zero byte is nothing we look at, and ends there. */
    char *text = rwl_arena_strndup(p->arena, (const char *)bytes.data, bytes.len);
    if (!text)
        return rwl_no_memory(err, bytes.len);
    *(f.id == 1 ? &p->key : &p->value) = text;
    return RWL_OK;
}

static rwl_status read_pairs(parse *p, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    uint32_t count;
    RWL_TRY(rwl_parquet_field_list(c, f, RWL_THRIFT_STRUCT, PAIR_BYTES_MIN, &count, err));
    const char **keys = rwl_arena_array(p->arena, count, sizeof *keys);
    const char **values = rwl_arena_array(p->arena, count, sizeof *values);
    if (!keys || !values)
        return rwl_no_memory(err, count * sizeof *keys);
    for (uint32_t i = 0; i < count; i++) {
        pair one = {p->arena, "", ""};
        RWL_TRY(rwl_thrift_struct(c, read_pair_field, &one, err));
        keys[i] = one.key;
        values[i] = one.value;
    }
    p->file->kv_keys = keys;
    p->file->kv_values = values;
    p->file->kv_count = (int32_t)count;
    return RWL_OK;
}

/* ColumnOrder is a union of empty structs; what comes later is not known here. */
static rwl_status read_orders(parse *p, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    RWL_TRY(rwl_parquet_field_list(c, f, RWL_THRIFT_STRUCT, 1, &p->order_count, err));
    p->orders = rwl_arena_array(p->arena, p->order_count, sizeof *p->orders);
    if (!p->orders)
        return rwl_no_memory(err, p->order_count);
    for (uint32_t i = 0; i < p->order_count; i++) {
        int16_t order = 0;
        RWL_TRY(rwl_thrift_union(c, &order, err));
        p->orders[i] = order == 1   ? RWL_PARQUET_BOUNDS_TYPED
                       : order == 2 ? RWL_PARQUET_BOUNDS_IEEE
                                    : RWL_PARQUET_BOUNDS_OTHER;
    }
    return RWL_OK;
}

/* The schema comes before the orders, in most files. */
static void settle_orders(parse *p) {
    for (int32_t i = 0; i < p->file->leaf_count; i++) {
        rwl_parquet_leaf *leaf = (rwl_parquet_leaf *)&p->file->leaves[i];
        if (p->orders)
            leaf->order = (uint32_t)i < p->order_count ? p->orders[i] : RWL_PARQUET_BOUNDS_OTHER;
    }
}

static rwl_status read_file_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    parse *p = ctx;
    switch (f.id) {
    case 2:
        if (p->has_schema)
            return rwl_fail(err, RWL_CORRUPT, "two schemas");
        p->has_schema = true;
        RWL_TRY(rwl_parquet_field_type(c, f, RWL_THRIFT_LIST, err));
        return rwl_parquet_schema_parse(c, p->arena, p->file, err);
    case 3:
        p->has_row_count = true;
        return rwl_parquet_field_i64(c, f, &p->file->row_count, err);
    case 4:
        return read_groups(p, c, f, err);
    case 5:
        return read_pairs(p, c, f, err);
    case 6:
        return rwl_parquet_field_text(c, f, p->arena, &p->file->created_by, err);
    case 7:
        return read_orders(p, c, f, err);
    default:
        return rwl_thrift_skip(c, f.type, err);
    }
}

rwl_status rwl_parquet_footer_parse(rwl_span footer, int64_t data_end, rwl_arena *arena,
                                    rwl_parquet_file *file, rwl_error *err) {
    rwl_cursor c = rwl_cursor_of(footer);
    parse p = {.arena = arena, .file = file, .data_end = data_end};
    file->created_by = "";
    RWL_TRY(rwl_thrift_struct(&c, read_file_field, &p, err));
    if (!p.has_schema || !p.has_row_count)
        return rwl_fail(err, RWL_CORRUPT, "%s", p.has_schema ? "no row count" : "no schema");
    settle_orders(&p);
    return settle_groups(&p, err);
}
