/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a batch, column by column. */
#include "base/hash.h"
#include "column/sort.h"
#include "iceberg/key_set.h"

void rwl_row_keys_init(rwl_row_keys *keys, const rwl_env *env, bool as_numbers, uint64_t seed) {
    memset(keys, 0, sizeof *keys);
    keys->env = env;
    keys->as_numbers = as_numbers;
    keys->seed = seed;
    rwl_buf_init(&keys->bytes, env, SIZE_MAX);
}

void rwl_row_keys_clear(rwl_row_keys *keys) {
    rwl_free(keys->env, keys->hashes);
    rwl_free(keys->env, keys->numbers);
    rwl_free(keys->env, keys->invalid_bytes);
    rwl_free(keys->env, keys->ends);
    rwl_buf_clear(&keys->bytes);
}

bool rwl_keys_are_numbers(const rwl_type *types, size_t count) {
    if (count != 1)
        return false;
    switch (types[0].kind) {
    case RWL_TYPE_INT:
    case RWL_TYPE_LONG:
    case RWL_TYPE_DATE:
    case RWL_TYPE_TIME:
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return true;
    default:
        return false;
    }
}

static rwl_status grow(rwl_row_keys *keys, void **block, size_t count, size_t size, rwl_error *err) {
    void *grown = rwl_realloc(keys->env, *block, count * size);
    if (grown == NULL)
        return rwl_no_memory(err, count * size);
    *block = grown;
    return RWL_OK;
}

static rwl_status reserve(rwl_row_keys *keys, int64_t length, rwl_error *err) {
    if (length <= keys->cap)
        return RWL_OK;
    size_t count = (size_t)length;
    RWL_TRY(grow(keys, (void **)&keys->hashes, count, sizeof *keys->hashes, err));
    if (keys->as_numbers) {
        RWL_TRY(grow(keys, (void **)&keys->numbers, count, sizeof *keys->numbers, err));
        RWL_TRY(grow(keys, (void **)&keys->invalid_bytes, count, sizeof *keys->invalid_bytes, err));
    } else {
        RWL_TRY(grow(keys, (void **)&keys->ends, count, sizeof *keys->ends, err));
    }
    keys->cap = length;
    return RWL_OK;
}

static void set_numbers(rwl_row_keys *keys, const rwl_column *c) {
    int64_t *to = keys->numbers;
    if (c->type.kind == RWL_TYPE_INT || c->type.kind == RWL_TYPE_DATE) {
        const int32_t *from = rwl_column_i32(c);
        for (int64_t i = 0; i < keys->length; i++)
            to[i] = from[i];
    } else {
        memcpy(to, rwl_column_i64(c), (size_t)keys->length * sizeof *to);
    }
    keys->invalid = NULL;
    if (c->null_count > 0) {
        for (int64_t i = 0; i < keys->length; i++) {
            keys->invalid_bytes[i] = !rwl_bit_get(c->validity.data, i);
            to[i] = keys->invalid_bytes[i] ? 0 : to[i];
        }
        keys->invalid = keys->invalid_bytes;
    }
    for (int64_t i = 0; i < keys->length; i++)
        keys->hashes[i] = rwl_hash_xxh64_i64(to[i], keys->seed);
}

static rwl_status set_bytes(rwl_row_keys *keys, const rwl_column *columns, int32_t count, rwl_error *err) {
    rwl_buf_reset(&keys->bytes);
    size_t start = 0;
    rwl_sort_key *by = rwl_calloc(keys->env, (size_t)count, sizeof *by);
    if (by == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof *by);
    for (int32_t i = 0; i < count; i++)
        by[i] = (rwl_sort_key){.column = i, .nulls_first = true};
    /* the batch is only read */
    rwl_batch batch = {keys->env, keys->length, count, (rwl_column *)(uintptr_t)columns};
    rwl_status st = rwl_sort_keys_encode(&batch, by, (size_t)count, &keys->bytes, keys->ends, err);
    rwl_free(keys->env, by);
    RWL_TRY(st);
    for (int64_t i = 0; i < keys->length; i++) {
        rwl_span key = rwl_span_of(keys->bytes.data + start, (size_t)keys->ends[i] - start);
        keys->hashes[i] = rwl_hash_xxh64(key, keys->seed);
        start = (size_t)keys->ends[i];
    }
    return RWL_OK;
}

rwl_status rwl_row_keys_set(rwl_row_keys *keys, const rwl_column *columns, int32_t count, int64_t length,
                            rwl_error *err) {
    keys->length = 0;
    RWL_TRY(reserve(keys, length, err));
    keys->length = length;
    if (length == 0)
        return RWL_OK;
    if (!keys->as_numbers)
        return set_bytes(keys, columns, count, err);
    set_numbers(keys, &columns[0]);
    return RWL_OK;
}
