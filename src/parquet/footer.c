/* SPDX-License-Identifier: Apache-2.0 */
/* FileMetaData of a footer: row groups and key-value metadata, checked against the file they describe. */
#include "parquet/footer_internal.h"
#include "parquet/thrift_field.h"

enum {
    GROUP_BYTES_MIN = 7, /* three required fields and the stop */
    CHUNK_BYTES_MIN = 3,
    PAIR_BYTES_MIN = 3
};

typedef struct parse {
    rwl_arena *arena;
    rwl_parquet_file *file;
    int64_t data_end;
    bool has_schema, has_row_count;
    rwl_parquet_bounds_order *orders; /* a leaf each; NULL: none declared */
    uint32_t order_count;
    rwl_parquet_group *groups;
    rwl_parquet_group *group; /* being read */
} parse;

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
        const rwl_parquet_leaf *leaf = &p->file->leaves[i];
        rwl_status st = rwl_parquet_footer_chunk_parse(c, leaf, &chunks[i], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "column %s", leaf->field.name);
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

/* Rules that need the whole footer: positions, offsets, orders of statistics. */
static rwl_status settle_group(const parse *p, rwl_parquet_group *group, int64_t first_row, rwl_error *err) {
    const rwl_parquet_file *file = p->file;
    bool is_corrupt = rwl_parquet_stats_corrupt(file->created_by);
    group->first_row = first_row;
    group->file_offset = INT64_MAX;
    for (int32_t i = 0; i < file->leaf_count; i++) {
        rwl_parquet_chunk *chunk = (rwl_parquet_chunk *)&group->chunks[i];
        const rwl_parquet_leaf *leaf = &file->leaves[i];
        rwl_status st =
            rwl_parquet_footer_chunk_settle(leaf, group->row_count, p->data_end, is_corrupt, chunk, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "column %s", leaf->field.name);
        int64_t start = chunk->dictionary_offset ? chunk->dictionary_offset : chunk->data_offset;
        if (!chunk->encrypted && start < group->file_offset)
            group->file_offset = start;
    }
    if (group->file_offset == INT64_MAX)
        group->file_offset = RWL_PARQUET_FIRST_DATA;
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
