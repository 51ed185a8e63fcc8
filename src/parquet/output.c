/* SPDX-License-Identifier: Apache-2.0 */
/* A Parquet file being written chunk by chunk. */
#include "parquet/output.h"

#include "parquet/index_write.h"
#include "parquet/meta_write.h"
#include "parquet/output_internal.h"

#define MAGIC "PAR1"
enum { WRITE_STEP = 1 << 20 }; /* the footer is written in parts of about this size */

/* --- opening --- */

static rwl_status write_bytes(rwl_parquet_output *o, const void *data, size_t len, rwl_error *err) {
    if (len > 0)
        RWL_TRY(rwl_new_file_write(o->file, data, len, err));
    o->offset += (int64_t)len;
    return RWL_OK;
}

static rwl_status copy_key_values(rwl_parquet_output *o, const rwl_parquet_output_options *options,
                                  rwl_error *err) {
    o->kv_count = options->kv_count;
    o->kv_keys = rwl_arena_array(&o->arena, (size_t)o->kv_count, sizeof *o->kv_keys);
    o->kv_values = rwl_arena_array(&o->arena, (size_t)o->kv_count, sizeof *o->kv_values);
    if (o->kv_keys == NULL || o->kv_values == NULL)
        return rwl_no_memory(err, (size_t)o->kv_count * sizeof *o->kv_keys);
    for (int32_t i = 0; i < o->kv_count; i++) {
        o->kv_keys[i] = rwl_arena_strdup(&o->arena, options->kv_keys[i]);
        o->kv_values[i] = rwl_arena_strdup(&o->arena, options->kv_values[i]);
        if (o->kv_keys[i] == NULL || o->kv_values[i] == NULL)
            return rwl_no_memory(err, strlen(options->kv_values[i]));
        o->end_estimate += (int64_t)(strlen(o->kv_keys[i]) + strlen(o->kv_values[i]));
    }
    return RWL_OK;
}

static rwl_status make_leaves(rwl_parquet_output *o, rwl_error *err) {
    enum { FILE_END = 64, ELEMENT_END = 20 }; /* rough bytes of the footer, exact enough to cut files by */
    int32_t count = o->schema->leaf_count;
    o->leaves = rwl_calloc(o->env, (size_t)count + 1, sizeof *o->leaves);
    if (o->leaves == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof *o->leaves);
    for (int32_t i = 0; i < count; i++) {
        const rwl_parquet_write_leaf *leaf = &o->schema->leaves[i];
        rwl_parquet_stat_sum_init(&o->leaves[i].stats, o->env, leaf);
        o->end_estimate += ELEMENT_END + (int64_t)strlen(leaf->path[leaf->path_len - 1]);
    }
    o->end_estimate += FILE_END;
    return RWL_OK;
}

static rwl_status open_output(rwl_parquet_output *o, rwl_store *store, const char *location,
                              const rwl_parquet_output_options *options, rwl_error *err) {
    RWL_TRY(copy_key_values(o, options, err));
    RWL_TRY(make_leaves(o, err));
    RWL_TRY(rwl_new_file_create(store, o->op, location, &o->file, err));
    return write_bytes(o, MAGIC, 4, err);
}

rwl_status rwl_parquet_output_open(rwl_store *store, rwl_op *op, const char *location,
                                   const rwl_parquet_write_schema *schema,
                                   const rwl_parquet_output_options *options, rwl_parquet_output **out,
                                   rwl_error *err) {
    *out = NULL;
    rwl_parquet_output *o = rwl_calloc(op->env, 1, sizeof *o);
    if (o == NULL)
        return rwl_no_memory(err, sizeof *o);
    o->env = op->env;
    o->op = op;
    o->columns = *schema;
    o->schema = &o->columns;
    o->without_index = options->without_index;
    rwl_arena_init(&o->arena, o->env, 0);
    rwl_buf_init(&o->meta, o->env, SIZE_MAX);
    rwl_buf_init(&o->column_indexes, o->env, SIZE_MAX);
    rwl_buf_init(&o->offset_indexes, o->env, SIZE_MAX);
    rwl_buf_init(&o->scratch, o->env, SIZE_MAX);
    rwl_status st = open_output(o, store, location, options, err);
    if (st != RWL_OK) {
        rwl_parquet_output_abort(o);
        return st;
    }
    *out = o;
    return RWL_OK;
}

void rwl_parquet_output_abort(rwl_parquet_output *o) {
    if (o == NULL)
        return;
    rwl_new_file_abort(o->file);
    for (int32_t i = 0; o->leaves != NULL && i < o->schema->leaf_count; i++)
        rwl_parquet_stat_sum_clear(&o->leaves[i].stats);
    rwl_free(o->env, o->leaves);
    rwl_vec_clear(&o->chunks, o->env);
    rwl_vec_clear(&o->groups, o->env);
    rwl_buf_clear(&o->meta);
    rwl_buf_clear(&o->column_indexes);
    rwl_buf_clear(&o->offset_indexes);
    rwl_buf_clear(&o->scratch);
    rwl_arena_clear(&o->arena);
    rwl_free(o->env, o);
}

/* --- row groups --- */

static rwl_status check_group(const rwl_parquet_output *o, rwl_parquet_chunk_write *const *chunks,
                              int64_t rows, rwl_error *err) {
    for (int32_t i = 0; i < o->schema->leaf_count; i++) {
        const rwl_parquet_chunk_write *c = chunks[i];
        if (strcmp(c->leaf->dotted, o->schema->leaves[i].dotted) != 0)
            return rwl_fail(err, RWL_INTERNAL, "column %s: a chunk of column %s", o->schema->leaves[i].dotted,
                            c->leaf->dotted);
        if (c->page_counts[RWL_PARQUET_RLE_DICTIONARY] > 0 && c->dictionary_len == 0)
            return rwl_fail(err, RWL_INTERNAL, "column %s: dictionary-coded pages without a dictionary",
                            c->leaf->dotted);
        if (c->rows != rows)
            return rwl_fail(err, RWL_INTERNAL, "column %s: %lld rows in a row group of %lld", c->leaf->dotted,
                            (long long)c->rows, (long long)rows);
    }
    return RWL_OK;
}

/* The chunk's page indexes in their encoded form: their places are known at the end of the file. */
static rwl_status add_indexes(rwl_parquet_output *o, const rwl_parquet_chunk_write *c, int64_t offset,
                              rwl_parquet_output_chunk *chunk, rwl_error *err) {
    size_t columns = o->column_indexes.len, offsets = o->offset_indexes.len;
    if (o->without_index)
        return RWL_OK;
    RWL_TRY(rwl_parquet_column_index_write(c, &o->column_indexes, err));
    RWL_TRY(rwl_parquet_offset_index_write(c, offset, &o->offset_indexes, err));
    size_t column_len = o->column_indexes.len - columns, offset_len = o->offset_indexes.len - offsets;
    if (column_len > INT32_MAX || offset_len > INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s: a page index of %zu bytes", c->leaf->dotted,
                        column_len);
    chunk->column_len = (uint32_t)column_len;
    chunk->offset_len = (uint32_t)offset_len;
    return RWL_OK;
}

static rwl_status add_to_leaf(rwl_parquet_output_leaf *l, const rwl_parquet_chunk_write *c, rwl_error *err) {
    int64_t nulls = rwl_parquet_chunk_nulls(c);
    l->compressed += rwl_parquet_chunk_bytes(c);
    l->value_count += c->value_count;
    l->null_count = l->null_count < 0 || nulls < 0 ? -1 : l->null_count + nulls;
    l->nan_count = l->nan_count < 0 || c->nan_count < 0 ? -1 : l->nan_count + c->nan_count;
    return rwl_parquet_stat_merge(&l->stats, &c->stats, err);
}

/* Filters stand behind their row group ("between row groups", BloomFilter.md), so that none is held longer. */
static rwl_status write_blooms(rwl_parquet_output *o, rwl_parquet_chunk_write *const *chunks,
                               rwl_parquet_chunk_place *places, rwl_error *err) {
    for (int32_t i = 0; i < o->schema->leaf_count; i++) {
        if (chunks[i]->bloom.blocks == NULL)
            continue;
        rwl_buf_reset(&o->scratch);
        RWL_TRY(rwl_parquet_bloom_write(&chunks[i]->bloom, &o->scratch, err));
        places[i].bloom_offset = o->offset;
        places[i].bloom_len = (int32_t)o->scratch.len; /* at most RWL_PARQUET_BLOOM_MAX and a header */
        RWL_TRY(write_bytes(o, o->scratch.data, o->scratch.len, err));
    }
    return RWL_OK;
}

/* The pages of a chunk, unless they are written: they are not held any longer. */
static rwl_status write_chunk(rwl_parquet_output *o, rwl_parquet_chunk_write *c, rwl_error *err) {
    if (c->written_off > 0)
        return RWL_OK;
    c->written_off = o->offset;
    RWL_TRY(write_bytes(o, c->dictionary.data, c->dictionary.len, err));
    for (size_t k = 0; k < c->block_count; k++) {
        RWL_TRY(write_bytes(o, c->blocks.items[k].data, c->blocks.items[k].len, err));
        rwl_buf_reset(&c->blocks.items[k]);
    }
    RWL_TRY(write_bytes(o, c->pages.data, c->pages.len, err));
    c->block_count = 0;
    c->blocks_len += (int64_t)c->pages.len;
    rwl_buf_reset(&c->pages);
    rwl_buf_reset(&c->dictionary);
    return RWL_OK;
}

rwl_status rwl_parquet_output_pages(rwl_parquet_output *o, rwl_parquet_chunk_write *chunk, rwl_error *err) {
    if (o->failed != RWL_OK)
        return rwl_fail(err, o->failed, "writing this file failed before");
    o->failed = write_chunk(o, chunk, err);
    return o->failed;
}

static rwl_status write_pages(rwl_parquet_output *o, rwl_parquet_chunk_write *const *chunks,
                              rwl_parquet_chunk_place *places, rwl_parquet_group_totals *totals,
                              rwl_error *err) {
    for (int32_t i = 0; i < o->schema->leaf_count; i++) {
        RWL_TRY(write_chunk(o, chunks[i], err));
        places[i] = (rwl_parquet_chunk_place){.offset = chunks[i]->written_off};
        totals->compressed += rwl_parquet_chunk_bytes(chunks[i]);
        totals->uncompressed += chunks[i]->uncompressed;
        o->page_count += (int64_t)chunks[i]->entries.len;
    }
    return RWL_OK;
}

static rwl_status describe_group(rwl_parquet_output *o, rwl_parquet_chunk_write *const *chunks,
                                 const rwl_parquet_chunk_place *places,
                                 const rwl_parquet_group_totals *totals, rwl_error *err) {
    rwl_parquet_output_part group = {.offset = totals->offset};
    size_t start = o->meta.len;
    for (int32_t i = 0; i < o->schema->leaf_count; i++) {
        rwl_parquet_output_chunk chunk = {0};
        rwl_parquet_chunk_settle(chunks[i]);
        start = o->meta.len;
        RWL_TRY(rwl_parquet_meta_chunk(chunks[i], &places[i], &o->meta, err));
        chunk.meta_len = (uint32_t)(o->meta.len - start);
        RWL_TRY(add_indexes(o, chunks[i], places[i].offset + chunks[i]->dictionary_len, &chunk, err));
        RWL_TRY(add_to_leaf(&o->leaves[i], chunks[i], err));
        RWL_TRY(rwl_vec_push(&o->chunks, o->env, chunk, err));
    }
    start = o->meta.len;
    RWL_TRY(rwl_parquet_meta_group_end(totals, &o->meta, err));
    group.meta_len = (uint32_t)(o->meta.len - start);
    return rwl_vec_push(&o->groups, o->env, group, err);
}

static rwl_status add_group(rwl_parquet_output *o, rwl_parquet_chunk_write *const *chunks, int64_t rows,
                            const rwl_parquet_sorting *sorting, int32_t sorting_count, rwl_error *err) {
    int32_t count = o->schema->leaf_count;
    rwl_parquet_group_totals totals = {
        .rows = rows,
        .offset = count > 0 && chunks[0]->written_off > 0 ? chunks[0]->written_off : o->offset,
        .sorting = sorting,
        .sorting_count = sorting_count,
        .ordinal = (int64_t)o->groups.len};
    RWL_TRY(rwl_op_check(o->op, err));
    RWL_TRY(check_group(o, chunks, rows, err));
    rwl_parquet_chunk_place *places = rwl_calloc(o->env, (size_t)count + 1, sizeof *places);
    if (places == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof *places);
    rwl_status st = write_pages(o, chunks, places, &totals, err);
    if (st == RWL_OK)
        st = write_blooms(o, chunks, places, err);
    if (st == RWL_OK)
        st = describe_group(o, chunks, places, &totals, err);
    rwl_free(o->env, places);
    if (st != RWL_OK)
        return st;
    for (int32_t i = 0; i < count; i++)
        rwl_parquet_chunk_reset(chunks[i]);
    o->rows += rows;
    return RWL_OK;
}

rwl_status rwl_parquet_output_group(rwl_parquet_output *o, rwl_parquet_chunk_write *const *chunks,
                                    int64_t rows, const rwl_parquet_sorting *sorting, int32_t sorting_count,
                                    rwl_error *err) {
    if (o->failed != RWL_OK)
        return rwl_fail(err, o->failed, "writing this file failed before");
    if (rows == 0)
        return RWL_OK;
    o->failed = add_group(o, chunks, rows, sorting, sorting_count, err);
    return o->failed;
}

int64_t rwl_parquet_output_size(const rwl_parquet_output *o) {
    enum { INDEX_PLACES = 14 };
    size_t held = o->meta.len + o->column_indexes.len + o->offset_indexes.len + o->chunks.len * INDEX_PLACES;
    return o->offset + (int64_t)held + o->end_estimate;
}

int64_t rwl_parquet_output_rows(const rwl_parquet_output *o) {
    return o->rows;
}

/* --- the end --- */

/* Writes what is in `scratch` once it is large, or at the end; *len counts it. */
static rwl_status pass_on(rwl_parquet_output *o, bool all, uint64_t *len, rwl_error *err) {
    if (o->scratch.len < WRITE_STEP && !all)
        return RWL_OK;
    *len += o->scratch.len;
    RWL_TRY(write_bytes(o, o->scratch.data, o->scratch.len, err));
    rwl_buf_reset(&o->scratch);
    return RWL_OK;
}

/* Where the next bytes of each of the three spilled parts are, while the footer is written. */
typedef struct spilled {
    size_t meta, chunk;
    int64_t column_offset, offset_offset;
} spilled;

static rwl_status take_meta(rwl_parquet_output *o, spilled *at, uint32_t len, rwl_error *err) {
    RWL_TRY(rwl_buf_append(&o->scratch, o->meta.data + at->meta, len, err));
    at->meta += len;
    return RWL_OK;
}

static rwl_status put_group(rwl_parquet_output *o, const rwl_parquet_output_part *g, spilled *at,
                            uint64_t *len, rwl_error *err) {
    RWL_TRY(rwl_parquet_meta_group(o->schema->leaf_count, &o->scratch, err));
    for (int32_t i = 0; i < o->schema->leaf_count; i++) {
        const rwl_parquet_output_chunk *c = &o->chunks.items[at->chunk++];
        rwl_parquet_index_place place = {at->column_offset, at->offset_offset, (int32_t)c->column_len,
                                         (int32_t)c->offset_len};
        at->column_offset += c->column_len;
        at->offset_offset += c->offset_len;
        RWL_TRY(take_meta(o, at, c->meta_len, err));
        RWL_TRY(rwl_parquet_meta_chunk_end(&place, &o->scratch, err));
        RWL_TRY(pass_on(o, false, len, err));
    }
    return take_meta(o, at, g->meta_len, err);
}

static rwl_status write_footer(rwl_parquet_output *o, spilled at, rwl_error *err) {
    uint64_t len = 0;
    rwl_buf_reset(&o->scratch);
    RWL_TRY(rwl_parquet_meta_file(o->schema, o->rows, o->groups.len, &o->scratch, err));
    for (size_t i = 0; i < o->groups.len; i++)
        RWL_TRY(put_group(o, &o->groups.items[i], &at, &len, err));
    RWL_TRY(rwl_parquet_meta_file_end(o->kv_keys, o->kv_values, o->kv_count, o->schema->leaf_count,
                                      &o->scratch, err));
    RWL_TRY(pass_on(o, true, &len, err));
    if (len > INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "a footer of %llu bytes", (unsigned long long)len);
    RWL_TRY(rwl_buf_le32(&o->scratch, (uint32_t)len, err));
    RWL_TRY(rwl_buf_append(&o->scratch, MAGIC, 4, err));
    return write_bytes(o, o->scratch.data, o->scratch.len, err);
}

static rwl_status write_end(rwl_parquet_output *o, rwl_error *err) {
    spilled at = {.column_offset = o->offset, .offset_offset = o->offset + (int64_t)o->column_indexes.len};
    RWL_TRY(write_bytes(o, o->column_indexes.data, o->column_indexes.len, err));
    RWL_TRY(write_bytes(o, o->offset_indexes.data, o->offset_indexes.len, err));
    return write_footer(o, at, err);
}

static rwl_status finish(rwl_parquet_output *o, rwl_parquet_written *written, rwl_error *err) {
    if (o->failed != RWL_OK)
        return rwl_fail(err, o->failed, "writing this file failed before");
    RWL_TRY(rwl_op_check(o->op, err));
    RWL_TRY(write_end(o, err));
    RWL_TRY(rwl_parquet_output_describe(o, written, err));
    rwl_new_file *file = o->file;
    o->file = NULL; /* freed whatever the result */
    return rwl_new_file_finish(file, err);
}

rwl_status rwl_parquet_output_finish(rwl_parquet_output *o, rwl_parquet_written *written, rwl_error *err) {
    memset(written, 0, sizeof *written);
    rwl_arena_init(&written->arena, o->env, 0);
    rwl_status st = finish(o, written, err);
    if (st != RWL_OK)
        rwl_parquet_written_clear(written);
    rwl_parquet_output_abort(o);
    return st;
}
