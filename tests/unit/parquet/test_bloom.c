/* SPDX-License-Identifier: Apache-2.0 */
/* Bloom filters: the sample of parquet-testing, folding, headers that are refused. */
#include "reader_support.h"
#include "suites.h"

#include "parquet/bloom.h"

#include <stdio.h>

enum { FILE_MAX = 1 << 16 };

static bench b;
static rwl_arena arena;

static void set_up(void) {
    bench_local(&b);
    rwl_arena_init(&arena, &b.env, 0);
}

static void tear_down(void) {
    rwl_arena_clear(&arena);
    bench_free(&b);
}

/* Reads a fixture; len 0 when it is not there. */
static rwl_span fixture(const char *name) {
    static uint8_t bytes[FILE_MAX];
    char path[512];
    snprintf(path, sizeof path, "%s/apache+parquet-testing/data/%s", FIXTURES_DIR, name);
    FILE *f = fopen(path, "rb");
    if (!f) {
        printf("skipped: no fixture %s\n", path);
        return rwl_span_of(NULL, 0);
    }
    size_t len = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    return rwl_span_of(bytes, len);
}

static uint64_t hash_text(const char *text) {
    return rwl_parquet_bloom_hash(rwl_span_str(text));
}

/* What parquet-testing says of bloom_filter.xxhash.bin: these strings were added, 1024 bytes. */
static const char *const added[] = {"hello", "parquet", "bloom", "filter"};

START_TEST(knows_the_strings_of_parquet_testing) {
    rwl_span file = fixture("bloom_filter.xxhash.bin");
    if (file.len == 0)
        return;
    rwl_parquet_bloom f;
    ck_ok(&b, rwl_parquet_bloom_parse(file, &arena, &f, &b.err));
    ck_assert_uint_eq(f.block_count, 1024 / 32);
    for (size_t i = 0; i < sizeof added / sizeof added[0]; i++)
        ck_assert_msg(rwl_parquet_bloom_has(&f, hash_text(added[i])), "%s", added[i]);
    ck_assert(!rwl_parquet_bloom_has(&f, hash_text("absent")));
    ck_assert(!rwl_parquet_bloom_has(&f, hash_text("")));
}
END_TEST

START_TEST(writes_the_bytes_of_parquet_testing) {
    rwl_span file = fixture("bloom_filter.xxhash.bin");
    if (file.len == 0)
        return;
    static uint8_t blocks[1024];
    rwl_parquet_bloom f = {blocks, sizeof blocks / 32};
    rwl_buf out;
    rwl_buf_init(&out, &b.env, SIZE_MAX);
    for (size_t i = 0; i < sizeof added / sizeof added[0]; i++)
        rwl_parquet_bloom_add(&f, hash_text(added[i]));
    ck_ok(&b, rwl_parquet_bloom_write(&f, &out, &b.err));
    ck_assert(rwl_span_equal(rwl_buf_span(&out), file));
    rwl_buf_clear(&out);
}
END_TEST

/* Bits that a value sets in a filter of N blocks, it sets in the folded one: block i goes to block i / 2. */
START_TEST(a_folded_filter_is_the_one_made_small) {
    enum { LARGE = 64, SMALL = 4, VALUES = 300 };
    static uint8_t large[LARGE * 32], small[SMALL * 32];
    rwl_parquet_bloom f = {large, LARGE}, want = {small, SMALL};
    for (int64_t i = 0; i < VALUES; i++) {
        uint8_t plain[8];
        rwl_store_le64(plain, (uint64_t)i * 7919);
        uint64_t hash = rwl_parquet_bloom_hash(rwl_span_of(plain, 8));
        rwl_parquet_bloom_add(&f, hash);
        rwl_parquet_bloom_add(&want, hash);
    }
    rwl_parquet_bloom_fold(&f, SMALL);
    ck_assert_uint_eq(f.block_count, SMALL);
    ck_assert_int_eq(memcmp(large, small, sizeof small), 0);
    rwl_parquet_bloom_fold(&f, SMALL);
    ck_assert_uint_eq(f.block_count, SMALL);
}
END_TEST

/* -8 n / ln(1 - fpp^(1/8)): 1000 values at 0.01 take 8000 / -ln(1 - 0.5623) = 8000 / 0.8263 = 9682 bits, 38 blocks:
 * 64. 100 at 0.05: 800 / -ln(1 - 0.6877) = 800 / 1.1637 = 687 bits, 3 blocks: 4. */
START_TEST(filters_have_the_size_of_the_formula) {
    ck_assert_uint_eq(rwl_parquet_bloom_blocks(1000, 0.01, 1 << 20), 64);
    ck_assert_uint_eq(rwl_parquet_bloom_blocks(100, 0.05, 1 << 20), 4);
    ck_assert_uint_eq(rwl_parquet_bloom_blocks(0, 0.01, 1 << 20), 1);
    ck_assert_uint_eq(rwl_parquet_bloom_blocks(UINT64_MAX, 0.01, 1 << 20), (1 << 20) / 32);
    ck_assert_uint_eq(rwl_parquet_bloom_blocks(UINT64_MAX, 0.01, (1 << 20) - 1), (1 << 19) / 32);
}
END_TEST

typedef struct header_case {
    const char *name;
    uint8_t bytes[24];
    size_t len;
    size_t blocks; /* bytes behind the header */
    rwl_status want;
} header_case;

/* 1: i32 numBytes; 2, 3, 4: unions of empty structs. 15 40: 32 bytes in zigzag. */
static const header_case headers[] = {
    {"one block", {0x15, 0x40, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0}, 15, 32, RWL_OK},
    {"a block too short",
     {0x15, 0x40, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0},
     15,
     31,
     RWL_CORRUPT},
    {"16 bytes", {0x15, 0x20, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0}, 15, 32, RWL_CORRUPT},
    {"no bytes", {0x15, 0x00, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0}, 15, 32, RWL_CORRUPT},
    {"less than none",
     {0x15, 0x3f, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0},
     15,
     32,
     RWL_CORRUPT},
    {"another algorithm",
     {0x15, 0x40, 0x1c, 0x2c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0},
     15,
     32,
     RWL_UNSUPPORTED},
    {"another hash",
     {0x15, 0x40, 0x1c, 0x1c, 0, 0, 0x1c, 0x2c, 0, 0, 0x1c, 0x1c, 0, 0, 0},
     15,
     32,
     RWL_UNSUPPORTED},
    {"compressed",
     {0x15, 0x40, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x2c, 0, 0, 0},
     15,
     32,
     RWL_UNSUPPORTED},
    {"no hash", {0x15, 0x40, 0x1c, 0x1c, 0, 0, 0x2c, 0x1c, 0, 0, 0}, 11, 32, RWL_CORRUPT},
    {"2 GiB",
     {0x15, 0xc0, 0xff, 0xff, 0xff, 0x0f, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0},
     19,
     32,
     RWL_UNSUPPORTED},
    {"nothing", {0}, 0, 0, RWL_CORRUPT},
};

START_TEST(refuses_other_headers) {
    const header_case *k = &headers[_i];
    uint8_t bytes[64] = {0};
    rwl_parquet_bloom f;
    memcpy(bytes, k->bytes, k->len);
    rwl_status st = rwl_parquet_bloom_parse(rwl_span_of(bytes, k->len + k->blocks), &arena, &f, &b.err);
    ck_assert_msg(st == k->want, "%s: status %d: %s", k->name, st, b.err.message);
}
END_TEST

static bool has_text(const rwl_parquet_bloom *f, const char *text) {
    return rwl_parquet_bloom_has(f, hash_text(text));
}

/* Files of parquet-testing with filters on their column String; one has no bloom_filter_length in its footer. */
START_TEST(reads_filters_of_files_with_and_without_a_length) {
    static const char *const files[] = {"data_index_bloom_encoding_stats.parquet",
                                        "data_index_bloom_encoding_with_length.parquet"};
    char path[512];
    snprintf(path, sizeof path, "%s/apache+parquet-testing/data/%s", FIXTURES_DIR, files[_i]);
    rwl_parquet_file *file;
    if (rwl_parquet_open(b.store, &b.op, path, -1, &file, &b.err) != RWL_OK) {
        printf("skipped: no fixture %s\n", path);
        return;
    }
    rwl_file *handle;
    rwl_parquet_bloom *f;
    ck_ok(&b, rwl_file_open(b.store, &b.op, path, &handle, &b.err));
    ck_ok(&b, rwl_parquet_bloom_read(handle, &b.op, file, 0, 0, &arena, &f, &b.err));
    ck_assert_ptr_nonnull(f);
    /* EXPECTED-parquet: the column's values, of which "Hello" is one */
    ck_assert(has_text(f, "Hello"));
    ck_assert(!has_text(f, "Good morning, Vietnam"));
    rwl_file_close(handle);
    rwl_parquet_close(file);
}
END_TEST

Suite *bloom_suite(void) {
    Suite *s = suite_create("bloom");
    TCase *t = tcase_create("bloom");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, knows_the_strings_of_parquet_testing);
    tcase_add_test(t, writes_the_bytes_of_parquet_testing);
    tcase_add_test(t, a_folded_filter_is_the_one_made_small);
    tcase_add_test(t, filters_have_the_size_of_the_formula);
    tcase_add_loop_test(t, refuses_other_headers, 0, (int)(sizeof headers / sizeof headers[0]));
    tcase_add_loop_test(t, reads_filters_of_files_with_and_without_a_length, 0, 2);
    suite_add_tcase(s, t);
    return s;
}
