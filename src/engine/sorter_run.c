/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of sorted rows, and their form in a spill file:
 *
 *   u64 rows
 *   for each column, nested ones before their children: a block_head
 *   for each column, in the same order, of which it has: validity (when null_count > 0), offsets, values
 *   u64 hash of all that
 *
 * Buffers are as in memory, machine byte order: nobody else reads them. A word that all of a column repeats (versions are
 * such) is written once. The hash finds disks that give back other bytes than they got.
 */
#include "engine/sorter_internal.h"

#include "base/hash.h"
#include "column/bits.h"

/* Of a column. `is_repeated`: its values are one word. */
typedef struct block_head {
    uint64_t length, null_count, bytes_len, is_repeated;
} block_head;

/* Heads of all columns, nested ones before their children. */
typedef struct block_heads {
    const rwl_env *env;
    block_head *items;
    size_t count;
} block_heads;

/* Writing and reading go the same way through a block. */
typedef struct block_file {
    rwl_spill *spill;
    int64_t off; /* of reading */
    uint64_t hash;
} block_file;

void rwl_sorter_run_clear(rwl_sorter_run *run, const rwl_env *env) {
    for (size_t i = run->first_block; i < run->blocks.len; i++)
        rwl_batch_clear(&run->blocks.items[i]);
    rwl_vec_clear(&run->blocks, env);
    memset(run, 0, sizeof *run);
}

/* --- sizes --- */

static bool has_offsets(const rwl_type *t) {
    return rwl_type_is_bytes(t) || t->kind == RWL_TYPE_LIST || t->kind == RWL_TYPE_MAP;
}

static int64_t measure_column(const rwl_column *c, int64_t first, int64_t count) {
    int64_t bytes = 0;
    if (has_offsets(&c->type)) {
        const int32_t *offsets = rwl_column_offsets(c);
        bytes += count * (int64_t)sizeof *offsets;
        if (count == 0)
            return bytes;
        int64_t start = offsets[first], end = offsets[first + count];
        if (rwl_type_is_bytes(&c->type))
            return bytes + end - start;
        first = start;
        count = end - start;
    } else if (c->type.kind == RWL_TYPE_BOOLEAN) {
        return count;
    } else if (!rwl_type_is_nested(&c->type)) {
        return count * rwl_type_width(&c->type);
    }
    for (int32_t i = 0; i < c->type.child_count; i++) /* as deep as the type, which has a limit */
        bytes += measure_column(&c->children[i], first, count);
    return bytes;
}

int64_t rwl_sorter_measure(const rwl_batch *batch, int64_t first, int64_t count) {
    int64_t bytes = 0;
    for (int32_t i = 0; i < batch->column_count; i++)
        bytes += measure_column(&batch->columns[i], first, count);
    return bytes;
}

static int64_t largest_value(const rwl_column *c) {
    int64_t most = 0;
    if (rwl_type_is_bytes(&c->type)) {
        const int32_t *offsets = rwl_column_offsets(c);
        int32_t longest = 0;
        for (int64_t i = 0; i < c->length; i++)
            longest = offsets[i + 1] - offsets[i] > longest ? offsets[i + 1] - offsets[i] : longest;
        return longest + (int64_t)sizeof *offsets;
    }
    int64_t rows = rwl_type_is_nested(&c->type) ? c->length : c->length > 0; /* of others all are as large */
    for (int64_t i = 0; i < rows; i++) {
        int64_t bytes = measure_column(c, i, 1);
        most = bytes > most ? bytes : most;
    }
    return most;
}

int64_t rwl_sorter_row_most(const rwl_batch *batch) {
    int64_t bytes = 0;
    for (int32_t i = 0; i < batch->column_count; i++)
        bytes += largest_value(&batch->columns[i]);
    return bytes;
}

/* Bytes of `values` that are in use. */
static size_t values_len(const rwl_column *c) {
    if (rwl_type_is_bytes(&c->type))
        return c->bytes_len;
    if (c->type.kind == RWL_TYPE_BOOLEAN)
        return rwl_bits_bytes(c->length);
    return (size_t)rwl_type_width(&c->type) * (size_t)c->length; /* 0 of nested ones */
}

static bool is_repeated(const rwl_column *c) {
    if (rwl_type_width(&c->type) != sizeof(uint64_t) || c->length < 2)
        return false;
    const int64_t *v = rwl_column_i64(c);
    for (int64_t i = 1; i < c->length; i++)
        if (v[i] != v[0])
            return false;
    return true;
}

static size_t count_columns(const rwl_column *c) {
    size_t count = 1;
    for (int32_t i = 0; c->children != NULL && i < c->type.child_count; i++)
        count += count_columns(&c->children[i]);
    return count;
}

static size_t count_all_columns(const rwl_batch *block) {
    size_t count = 0;
    for (int32_t i = 0; i < block->column_count; i++)
        count += count_columns(&block->columns[i]);
    return count;
}

int64_t rwl_sorter_block_bytes(const rwl_batch *block) {
    return rwl_batch_bytes(block) + (int64_t)count_all_columns(block) * RWL_SORTER_COLUMN_BYTES;
}

/* --- writing --- */

static rwl_status put(block_file *f, const void *data, size_t len, rwl_error *err) {
    f->hash = (uint64_t)rwl_hash_xxh3_128(rwl_span_of(data, len), f->hash);
    return rwl_spill_append(f->spill, data, len, err);
}

static void fill_heads(const rwl_column *c, block_heads *heads, size_t *at) {
    heads->items[(*at)++] =
        (block_head){(uint64_t)c->length, (uint64_t)c->null_count, c->bytes_len, is_repeated(c)};
    for (int32_t i = 0; c->children != NULL && i < c->type.child_count; i++)
        fill_heads(&c->children[i], heads, at);
}

static rwl_status put_buffers(block_file *f, const rwl_column *c, const block_heads *heads, size_t *at,
                              rwl_error *err) {
    size_t len = heads->items[(*at)++].is_repeated ? sizeof(uint64_t) : values_len(c);
    if (c->null_count > 0)
        RWL_TRY(put(f, c->validity.data, rwl_bits_bytes(c->length), err));
    if (has_offsets(&c->type) && c->length > 0)
        RWL_TRY(put(f, c->offsets.data, ((size_t)c->length + 1) * sizeof(int32_t), err));
    if (len > 0)
        RWL_TRY(put(f, c->values.data, len, err));
    for (int32_t i = 0; c->children != NULL && i < c->type.child_count; i++)
        RWL_TRY(put_buffers(f, &c->children[i], heads, at, err));
    return RWL_OK;
}

static rwl_status write_block(block_file *f, const rwl_batch *block, block_heads *heads, rwl_error *err) {
    size_t at = 0;
    for (int32_t i = 0; i < block->column_count; i++)
        fill_heads(&block->columns[i], heads, &at);
    uint64_t rows = (uint64_t)block->length;
    RWL_TRY(put(f, &rows, sizeof rows, err));
    RWL_TRY(put(f, heads->items, heads->count * sizeof *heads->items, err));
    at = 0;
    for (int32_t i = 0; i < block->column_count; i++)
        RWL_TRY(put_buffers(f, &block->columns[i], heads, &at, err));
    return rwl_spill_append(f->spill, &f->hash, sizeof f->hash, err);
}

static rwl_status open_heads(block_heads *heads, const rwl_batch *block, rwl_error *err) {
    *heads = (block_heads){.env = block->env, .count = count_all_columns(block)};
    size_t size = (heads->count + 1) * sizeof *heads->items;
    heads->items = rwl_alloc(heads->env, size);
    return heads->items != NULL ? RWL_OK : rwl_no_memory(err, size);
}

rwl_status rwl_sorter_block_write(rwl_spill *spill, const rwl_batch *block, rwl_error *err) {
    block_file f = {.spill = spill};
    block_heads heads;
    RWL_TRY(open_heads(&heads, block, err));
    rwl_status st = write_block(&f, block, &heads, err);
    rwl_free(heads.env, heads.items);
    return st;
}

/* --- reading --- */

static rwl_status get(block_file *f, void *data, size_t len, rwl_error *err) {
    RWL_TRY(rwl_spill_read(f->spill, f->off, data, len, err));
    f->off += (int64_t)len;
    f->hash = (uint64_t)rwl_hash_xxh3_128(rwl_span_of(data, len), f->hash);
    return RWL_OK;
}

static rwl_status fail_damaged(int64_t off, rwl_error *err) {
    return rwl_fail(err, RWL_IO,
                    "a temporary file in %s gives other bytes before byte %lld than were written",
                    rwl_spill_directory(), (long long)off);
}

/* Sizes no block has mean damage, which must not lead to large allocations. */
static rwl_status take_head(const block_file *f, const block_head *head, rwl_column *c, rwl_error *err) {
    if (head->length >= INT32_MAX || head->null_count > head->length ||
        head->bytes_len > RWL_COLUMN_BYTES_MAX)
        return fail_damaged(f->off, err);
    c->length = (int64_t)head->length;
    c->null_count = (int64_t)head->null_count;
    c->bytes_len = (size_t)head->bytes_len;
    return RWL_OK;
}

/* Room of exactly what is needed: the contents before it are of no use. */
static rwl_status make_room(rwl_column *c, const rwl_env *env, rwl_error *err) {
    int64_t length = c->length, nulls = c->null_count;
    size_t bytes = c->bytes_len, offsets = has_offsets(&c->type) ? ((size_t)length + 1) * sizeof(int32_t) : 0;
    bool fits = c->values.cap >= values_len(c) && c->offsets.cap >= offsets &&
                (nulls == 0 || c->validity.cap >= rwl_bits_bytes(length));
    if (!fits) {
        rwl_column flat = {.validity = c->validity, .values = c->values, .offsets = c->offsets};
        c->validity = c->values = c->offsets = (rwl_buffer){NULL, 0};
        rwl_column_clear(&flat, env);
    }
    c->length = c->null_count = 0;
    c->bytes_len = 0;
    RWL_TRY(rwl_column_reserve(c, env, length, bytes, err));
    if (nulls > 0)
        RWL_TRY(rwl_column_need_validity(c, env, length, err));
    c->length = length;
    c->null_count = nulls;
    c->bytes_len = bytes;
    return RWL_OK;
}

static rwl_status get_values(block_file *f, rwl_column *c, bool is_repeated, rwl_error *err) {
    size_t len = values_len(c);
    if (len == 0)
        return RWL_OK;
    if (!is_repeated)
        return get(f, c->values.data, len, err);
    int64_t *v = (int64_t *)(void *)c->values.data;
    if (len < sizeof *v)
        return fail_damaged(f->off, err);
    RWL_TRY(get(f, v, sizeof *v, err));
    for (int64_t i = 1; i < c->length; i++)
        v[i] = v[0];
    return RWL_OK;
}

static rwl_status get_buffers(block_file *f, rwl_column *c, const block_heads *heads, size_t *at,
                              rwl_error *err) {
    const block_head *head = &heads->items[(*at)++];
    RWL_TRY(take_head(f, head, c, err));
    RWL_TRY(make_room(c, heads->env, err));
    if (c->null_count > 0)
        RWL_TRY(get(f, c->validity.data, rwl_bits_bytes(c->length), err));
    if (has_offsets(&c->type) && c->length > 0)
        RWL_TRY(get(f, c->offsets.data, ((size_t)c->length + 1) * sizeof(int32_t), err));
    RWL_TRY(get_values(f, c, head->is_repeated != 0, err));
    for (int32_t i = 0; c->children != NULL && i < c->type.child_count; i++)
        RWL_TRY(get_buffers(f, &c->children[i], heads, at, err));
    return RWL_OK;
}

static rwl_status read_block(block_file *f, rwl_batch *block, block_heads *heads, rwl_error *err) {
    uint64_t rows, hash;
    RWL_TRY(get(f, &rows, sizeof rows, err));
    RWL_TRY(get(f, heads->items, heads->count * sizeof *heads->items, err));
    size_t at = 0;
    for (int32_t i = 0; i < block->column_count; i++)
        RWL_TRY(get_buffers(f, &block->columns[i], heads, &at, err));
    RWL_TRY(rwl_spill_read(f->spill, f->off, &hash, sizeof hash, err));
    if (hash != f->hash || rows >= INT32_MAX)
        return fail_damaged(f->off, err);
    f->off += (int64_t)sizeof hash;
    block->length = (int64_t)rows;
    return RWL_OK;
}

rwl_status rwl_sorter_block_read(rwl_spill *spill, int64_t *off, rwl_batch *block, rwl_error *err) {
    block_file f = {.spill = spill, .off = *off};
    block_heads heads;
    RWL_TRY(open_heads(&heads, block, err));
    rwl_status st = read_block(&f, block, &heads, err);
    rwl_free(heads.env, heads.items);
    if (st == RWL_OK) {
        rwl_spill_ahead(spill, f.off, f.off - *off); /* the block behind it, about */
        *off = f.off;
    }
    return st;
}
