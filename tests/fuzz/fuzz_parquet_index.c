/* SPDX-License-Identifier: Apache-2.0 */
/* Page indexes and bloom filters: the first byte says which; what parses must hold together. */
#include "fuzz.h"
#include "parquet/bloom.h"
#include "parquet/index.h"

enum { GROUP_ROWS = 1000, CHUNK_OFF = 4, CHUNK_LEN = 100000 };

static rwl_env env;
static volatile uint64_t sink;

/* Rule 1 of index.h. */
static void check_offsets(rwl_span bytes, rwl_arena *arena) {
    rwl_parquet_chunk chunk = {.data_offset = CHUNK_OFF, .compressed_size = CHUNK_LEN};
    rwl_parquet_group group = {.row_count = GROUP_ROWS, .chunks = &chunk};
    rwl_parquet_offset_index index;
    if (rwl_parquet_offset_index_parse(bytes, &group, &chunk, arena, &index, NULL) != RWL_OK)
        return;
    int64_t off = CHUNK_OFF, row = -1;
    FUZZ_CHECK(index.page_count > 0 && index.pages[0].first_row == 0);
    for (int32_t i = 0; i < index.page_count; i++) {
        const rwl_parquet_page_place *p = &index.pages[i];
        FUZZ_CHECK(p->off >= off && p->len > 0 && p->off + p->len <= CHUNK_OFF + CHUNK_LEN);
        FUZZ_CHECK(p->first_row > row && p->first_row < GROUP_ROWS);
        off = p->off + p->len;
        row = p->first_row;
        sink += index.unencoded_bytes ? (uint64_t)index.unencoded_bytes[i] : 0;
    }
}

/* Bounds that are left are values, the lower one not above the upper one. */
static void check_bounds(rwl_span bytes, uint8_t kind, rwl_arena *arena) {
    static const struct {
        rwl_parquet_physical physical;
        rwl_type_kind kind;
    } types[] = {{RWL_PARQUET_INT32, RWL_TYPE_INT},       {RWL_PARQUET_INT64, RWL_TYPE_TIMESTAMP},
                 {RWL_PARQUET_DOUBLE, RWL_TYPE_DOUBLE},   {RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_STRING},
                 {RWL_PARQUET_FIXED, RWL_TYPE_FIXED},     {RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_DECIMAL},
                 {RWL_PARQUET_BOOLEAN, RWL_TYPE_BOOLEAN}, {RWL_PARQUET_INT96, RWL_TYPE_TIMESTAMPTZ}};
    size_t n = kind % (sizeof types / sizeof types[0]);
    rwl_parquet_leaf leaf = {.physical = types[n].physical,
                             .type_length = 4,
                             .millis = types[n].kind == RWL_TYPE_TIMESTAMP,
                             .order = (rwl_parquet_bounds_order)(kind / 8 % 4)};
    leaf.field = (rwl_field){.name = "c", .id = -1, .type = rwl_type_of(types[n].kind)};
    leaf.field.type.length = types[n].kind == RWL_TYPE_FIXED ? 4 : 0;
    leaf.field.type.precision = types[n].kind == RWL_TYPE_DECIMAL ? 38 : 0;
    rwl_parquet_column_index index;
    if (rwl_parquet_column_index_parse(bytes, &leaf, arena, &index, NULL) != RWL_OK)
        return;
    for (int32_t i = 0; i < index.page_count; i++) {
        const rwl_parquet_stats *s = &index.pages[i];
        rwl_value min, max;
        bool has_min = rwl_parquet_stats_value(&leaf, s->min, &min);
        bool has_max = rwl_parquet_stats_value(&leaf, s->max, &max);
        FUZZ_CHECK(has_min == (s->min.data != NULL) && has_max == (s->max.data != NULL));
        FUZZ_CHECK(!has_min || !has_max || rwl_value_compare(&min, &max) <= 0);
        FUZZ_CHECK(!index.null_pages[i] || (!has_min && !has_max));
        FUZZ_CHECK(s->null_count >= -1 && s->nan_count >= -1);
    }
}

/* What is added is found; folded to one block, everything that was found still is. */
static void check_bloom(rwl_span bytes, rwl_arena *arena) {
    rwl_parquet_bloom b;
    if (rwl_parquet_bloom_parse(bytes, arena, &b, NULL) != RWL_OK)
        return;
    uint64_t hash = rwl_parquet_bloom_hash(bytes);
    sink += rwl_parquet_bloom_has(&b, hash);
    rwl_parquet_bloom_add(&b, hash);
    FUZZ_CHECK(rwl_parquet_bloom_has(&b, hash));
    bool had = rwl_parquet_bloom_has(&b, ~hash);
    rwl_parquet_bloom_fold(&b, 1);
    FUZZ_CHECK(rwl_parquet_bloom_has(&b, hash) && (!had || rwl_parquet_bloom_has(&b, ~hash)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    rwl_arena arena;
    if (len == 0)
        return 0;
    rwl_env_init_default(&env);
    fuzz_fix_random(&env);
    rwl_arena_init(&arena, &env, 0);
    rwl_span rest = rwl_span_of(data + 1, len - 1);
    if (data[0] % 4 == 0)
        check_offsets(rest, &arena);
    else if (data[0] % 4 == 1)
        check_bloom(rest, &arena);
    else
        check_bounds(rest, data[0] / 4, &arena);
    /* memory is a multiple of the input: 40 bytes a page place of 8, 72 a bound of 2 */
    FUZZ_CHECK(arena.used <= 64 * len + 4096);
    rwl_arena_clear(&arena);
    return 0;
}
