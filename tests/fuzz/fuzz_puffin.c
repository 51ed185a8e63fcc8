/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roaring bitmaps, deletion vectors and Puffin footers. Input that begins with the magic is a Puffin file, as
 * it is and with its frame set right; other input is a vector's blob and a bare bitmap. Lengths and CRCs of
 * vectors are set right, so that what lies behind them is reached.
 */
#include "codec/codec.h"
#include "fuzz.h"
#include "puffin/puffin.h"

#define LIMIT (4u << 20) /* a bitmap of one far key may take gigabytes when every key is written */

static rwl_env env;

/* What the runs say must be what the counts and single questions say. */
static void check_runs(const rwl_bitmap *b) {
    int64_t start, count, from = 0, sum = 0;
    for (int n = 0; rwl_bitmap_next_run(b, from, &start, &count); n++) {
        FUZZ_CHECK(count > 0 && (n == 0 ? start >= 0 : start > from)); /* maximal: a gap before each */
        if (n < 100) {
            FUZZ_CHECK(rwl_bitmap_contains(b, start) && rwl_bitmap_contains(b, start + count - 1));
            FUZZ_CHECK(!rwl_bitmap_contains(b, start + count));
            FUZZ_CHECK(rwl_bitmap_count_range(b, start, count) == count);
        }
        sum += count;
        from = start + count;
    }
    FUZZ_CHECK(sum == rwl_bitmap_count(b));
    FUZZ_CHECK(rwl_bitmap_count_range(b, 0, INT64_MAX) == sum);
}

static void check_bitmap(rwl_bitmap *b) {
    rwl_buf bytes, again;
    rwl_bitmap *copy, *joined;
    rwl_buf_init(&bytes, &env, LIMIT);
    rwl_buf_init(&again, &env, LIMIT);
    check_runs(b);
    int64_t count = rwl_bitmap_count(b);
    FUZZ_CHECK(rwl_bitmap_new(&env, &joined, NULL) == RWL_OK);
    FUZZ_CHECK(rwl_bitmap_union(joined, b, NULL) == RWL_OK);
    FUZZ_CHECK(rwl_bitmap_optimize(b, NULL) == RWL_OK);
    check_runs(b);
    FUZZ_CHECK(rwl_bitmap_union(joined, b, NULL) == RWL_OK);
    FUZZ_CHECK(rwl_bitmap_count(b) == count && rwl_bitmap_count(joined) == count);
    if (rwl_bitmap_serialize(b, &bytes, NULL) == RWL_OK) {
        FUZZ_CHECK(rwl_bitmap_deserialize(&env, rwl_buf_span(&bytes), &copy, NULL) == RWL_OK);
        FUZZ_CHECK(rwl_bitmap_count(copy) == count);
        FUZZ_CHECK(rwl_bitmap_optimize(copy, NULL) == RWL_OK);
        FUZZ_CHECK(rwl_bitmap_serialize(copy, &again, NULL) == RWL_OK);
        FUZZ_CHECK(rwl_span_equal(rwl_buf_span(&bytes), rwl_buf_span(&again)));
        rwl_bitmap_free(copy);
    }
    rwl_bitmap_free(joined);
    rwl_buf_clear(&bytes);
    rwl_buf_clear(&again);
}

static void try_blob(rwl_span blob) {
    rwl_bitmap *b;
    rwl_error err = {0};
    if (rwl_dv_decode(&env, blob, -1, &b, &err) != RWL_OK)
        return;
    check_bitmap(b);
    rwl_bitmap_free(b);
}

static void store_be32(uint8_t *p, uint32_t v) {
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* The blob as it would be with the right length, magic and CRC. */
static void try_patched(rwl_span blob) {
    if (blob.len < 12)
        return;
    uint8_t *copy = malloc(blob.len);
    memcpy(copy, blob.data, blob.len);
    store_be32(copy, (uint32_t)blob.len - 8);
    store_be32(copy + 4, 0xD1D33964);
    store_be32(copy + blob.len - 4, rwl_crc32(0, rwl_span_of(copy + 4, blob.len - 8)));
    try_blob(rwl_span_of(copy, blob.len));
    free(copy);
}

static void try_bitmap(rwl_span bytes) {
    rwl_bitmap *b;
    rwl_error err = {0};
    if (rwl_bitmap_deserialize(&env, bytes, &b, &err) != RWL_OK)
        return;
    check_bitmap(b);
    rwl_bitmap_free(b);
}

static void try_file(rwl_span file) {
    rwl_arena arena;
    rwl_puffin_footer footer;
    rwl_error err = {0};
    rwl_arena_init(&arena, &env, LIMIT);
    if (rwl_puffin_parse(file, &arena, &footer, &err) == RWL_OK)
        for (int32_t i = 0; i < footer.blob_count; i++) {
            const rwl_puffin_blob *blob = &footer.blobs[i];
            FUZZ_CHECK(blob->type != NULL && blob->offset >= 4 && blob->length >= 0);
            FUZZ_CHECK((uint64_t)blob->offset + (uint64_t)blob->length <= file.len);
            if (i < 8)
                try_patched(rwl_span_of(file.data + blob->offset, (size_t)blob->length));
        }
    rwl_arena_clear(&arena);
}

/* Mutations change the payload's length more often than the field that gives it. */
static void try_fitted_file(rwl_span file) {
    if (file.len < 20)
        return;
    uint8_t *copy = malloc(file.len);
    memcpy(copy, file.data, file.len);
    memcpy(copy, "PFA1", 4);
    memcpy(copy + file.len - 4, "PFA1", 4);
    for (size_t at = file.len - 16; at >= 4; at--)
        if (memcmp(copy + at, "PFA1", 4) == 0) {
            rwl_store_le32(copy + file.len - 12, (uint32_t)(file.len - 16 - at));
            break;
        }
    try_file(rwl_span_of(copy, file.len));
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    rwl_env_init_default(&env);
    fuzz_fix_random(&env);
    rwl_span input = rwl_span_of(data, len);
    if (len >= 4 && memcmp(data, "PFA1", 4) == 0) {
        try_file(input);
        try_fitted_file(input);
        return 0;
    }
    try_blob(input);
    try_patched(input);
    try_bitmap(input);
    return 0;
}
