/* SPDX-License-Identifier: Apache-2.0 */
/* The Puffin container: written, read back, files of other engines, hostile footers, failing stores. */
#include "cases.h"
#include "puffin/puffin.h"
#include "storage/test_store.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static rwl_env env;
static rwl_op op;
static rwl_error err;
static rwl_store *store;
static rwl_buf bytes;
static rwl_arena arena;
static char dir[64], location[128];

static void setup(void) {
    rwl_env_init_default(&env);
    rwl_op_init(&op, &env, 0);
    rwl_buf_init(&bytes, &env, SIZE_MAX);
    rwl_arena_init(&arena, &env, 0);
    ck_assert_int_eq(rwl_store_local_new(&env, NULL, 0, &store, &err), RWL_OK);
    strcpy(dir, "/tmp/rowline-puffin-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(location, sizeof location, "%s/a.puffin", dir);
}

static void teardown(void) {
    unlink(location);
    rmdir(dir);
    rwl_store_free(store);
    rwl_arena_clear(&arena);
    rwl_buf_clear(&bytes);
}

static rwl_bitmap *bitmap_of(int64_t start, int64_t count) {
    rwl_bitmap *b;
    ck_assert_int_eq(rwl_bitmap_new(&env, &b, &err), RWL_OK);
    ck_assert_int_eq(rwl_bitmap_add_range(b, start, count, &err), RWL_OK);
    return b;
}

/* ICE-108: the empty file, as Java writes it. */
static const char ice_108[] = "50464131 50464131 7b22626c6f6273223a5b5d7d 0c000000 00000000 50464131";

START_TEST(ice_108_empty_puffin) {
    rwl_puffin_writer *w;
    rwl_puffin_footer footer;
    int64_t size;
    rwl_buf want;
    rwl_buf_init(&want, &env, SIZE_MAX);
    append_hex(&want, ice_108);
    ck_assert_int_eq(rwl_puffin_writer_open(store, &op, location, &w, &err), RWL_OK);
    ck_assert_int_eq(rwl_puffin_writer_finish(w, &size, &err), RWL_OK);
    ck_assert_int_eq(size, 32);
    ck_assert_int_eq(rwl_store_read_all(store, &op, location, &bytes, &err), RWL_OK);
    ck_assert_uint_eq(bytes.len, 32);
    ck_assert_mem_eq(bytes.data, want.data, 32);
    ck_assert_int_eq(rwl_puffin_parse(rwl_buf_span(&want), &arena, &footer, &err), RWL_OK);
    ck_assert_int_eq(footer.blob_count, 0);
    rwl_buf_clear(&want);
}
END_TEST

static rwl_status write_two(rwl_store *to, rwl_dv_ref refs[2], int64_t *size) {
    rwl_puffin_writer *w;
    rwl_bitmap *a = bitmap_of(3, 1), *b = bitmap_of(10, 100000);
    rwl_status st = rwl_puffin_writer_open(to, &op, location, &w, &err);
    if (st == RWL_OK) {
        st = rwl_puffin_add_dv(w, "s3://b/data/\"\xc3\xbc\".parquet", a, &refs[0], &err);
        if (st == RWL_OK)
            st = rwl_puffin_add_dv(w, "file:/b/data/2.parquet", b, &refs[1], &err);
        if (st == RWL_OK)
            st = rwl_puffin_writer_finish(w, size, &err);
        else
            rwl_puffin_writer_abort(w);
    }
    rwl_bitmap_free(a);
    rwl_bitmap_free(b);
    return st;
}

static void check_two(const rwl_dv_ref refs[2]) {
    int64_t start, count;
    rwl_bitmap *b;
    ck_assert_msg(rwl_dv_read(store, &op, &refs[0], &b, &err) == RWL_OK, "%s", err.message);
    ck_assert_int_eq(rwl_bitmap_count(b), 1);
    ck_assert(rwl_bitmap_contains(b, 3));
    rwl_bitmap_free(b);
    ck_assert_msg(rwl_dv_read(store, &op, &refs[1], &b, &err) == RWL_OK, "%s", err.message);
    ck_assert(rwl_bitmap_next_run(b, 0, &start, &count));
    ck_assert_int_eq(start, 10);
    ck_assert_int_eq(count, 100000);
    rwl_bitmap_free(b);
}

/* BUG-058: offsets count from byte 0; BUG-057: the file has magic and footer. */
START_TEST(two_vectors_come_back) {
    rwl_dv_ref refs[2];
    rwl_puffin_footer footer;
    int64_t size;
    ck_assert_msg(write_two(store, refs, &size) == RWL_OK, "%s", err.message);
    ck_assert_int_eq(refs[0].offset, 4);
    ck_assert_int_eq(refs[0].cardinality, 1);
    ck_assert_int_eq(refs[1].offset, 4 + refs[0].length);
    ck_assert_int_eq(refs[1].cardinality, 100000);
    ck_assert_str_eq(refs[1].location, location);
    ck_assert_int_eq(rwl_store_read_all(store, &op, location, &bytes, &err), RWL_OK);
    ck_assert_int_eq((int64_t)bytes.len, size);
    ck_assert_msg(rwl_puffin_parse(rwl_buf_span(&bytes), &arena, &footer, &err) == RWL_OK, "%s", err.message);
    ck_assert_int_eq(footer.blob_count, 2);
    for (int i = 0; i < 2; i++) {
        const rwl_puffin_blob *blob = &footer.blobs[i];
        ck_assert_str_eq(blob->type, "deletion-vector-v1");
        ck_assert_int_eq(blob->field_count, 1);
        ck_assert_int_eq(blob->fields[0], 2147483645);
        ck_assert_int_eq(blob->snapshot_id, -1);
        ck_assert_int_eq(blob->sequence_number, -1);
        ck_assert_int_eq(blob->offset, refs[i].offset);
        ck_assert_int_eq(blob->length, refs[i].length);
        ck_assert_int_eq(blob->cardinality, refs[i].cardinality);
        ck_assert_ptr_null(blob->compression_codec);
    }
    ck_assert_str_eq(footer.blobs[0].referenced_data_file, "s3://b/data/\"\xc3\xbc\".parquet");
    ck_assert_ptr_nonnull(memmem(bytes.data, bytes.len, "\"created-by\":\"rowline ", 22));
    check_two(refs);
}
END_TEST

/* Each second position, so that it takes two bytes for one, or 8 KiB for 4,097 in one range of 65,536. */
static rwl_bitmap *scattered(int64_t dense_ranges, int64_t count) {
    rwl_bitmap *b = bitmap_of(0, 1);
    for (int64_t i = 0; i < dense_ranges * 4097 + count; i++) {
        int64_t at = i / 4097 * 65536 + i % 4097 * 2;
        ck_assert_int_eq(rwl_bitmap_add_range(b, at, 1, &err), RWL_OK);
    }
    return b;
}

/* DuckDB 1.5.5 widens the read of a vector to the next range that it has read, which is that of another vector or the last
 * 12 bytes, when that no more than doubles it and adds 1 MiB at most, and then answers for each vector between with the
 * bytes of this one. Which it has read may be any: those that a later snapshot needs, first. */
START_TEST(no_reader_takes_a_later_vector_along_with_an_earlier_one) {
    static const struct {
        int64_t vectors[4][2]; /* ranges of 8 KiB, then positions of two bytes */
    } cases[] = {
        {{{0, 1}, {0, 1}, {0, 1}, {0, 1}}},        {{{0, 4000}, {0, 1}, {0, 1}, {0, 1}}},
        {{{0, 1}, {0, 4000}, {0, 1}, {0, 1}}},     {{{0, 1}, {0, 1}, {0, 1}, {0, 4000}}},
        {{{0, 4000}, {0, 300}, {0, 20}, {0, 1}}},  {{{10, 0}, {9, 0}, {1, 0}, {0, 1}}},
        {{{10, 0}, {10, 0}, {10, 0}, {10, 0}}},    {{{140, 0}, {0, 1}, {0, 1}, {0, 1}}},
        {{{0, 2000}, {140, 0}, {120, 0}, {0, 5}}}, {{{100, 0}, {60, 0}, {30, 0}, {9, 1}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_puffin_writer *w;
        rwl_dv_ref refs[4];
        int64_t size;
        ck_assert_int_eq(rwl_puffin_writer_open(store, &op, location, &w, &err), RWL_OK);
        for (int k = 0; k < 4; k++) {
            rwl_bitmap *b = scattered(cases[i].vectors[k][0], cases[i].vectors[k][1]);
            ck_assert_int_eq(rwl_puffin_add_dv(w, "file:/d.parquet", b, &refs[k], &err), RWL_OK);
            rwl_bitmap_free(b);
        }
        ck_assert_int_eq(rwl_puffin_writer_finish(w, &size, &err), RWL_OK);
        int64_t vectors = 0;
        for (int k = 0; k < 4; k++) {
            for (int next = k + 2; next <= 4; next++) { /* with one vector between, at least */
                int64_t end = refs[k].offset + refs[k].length;
                int64_t behind = (next < 4 ? refs[next].offset : size - 12) - end;
                ck_assert_msg(behind > 1048576 || behind > refs[k].length,
                              "case %zu: vector %d of %" PRId64 " bytes, then %" PRId64 " to %d", i, k,
                              refs[k].length, behind, next);
            }
            vectors += refs[k].length;
        }
        ck_assert_int_le(size, 2 * vectors + 1500); /* what keeps them apart is no longer than they are */
        rwl_puffin_footer footer;
        ck_assert_msg(rwl_puffin_footer_read(store, &op, location, &arena, &footer, &err) == RWL_OK, "%s",
                      err.message);
        ck_assert_int_eq(footer.blob_count, 4);
        unlink(location);
    }
}
END_TEST

START_TEST(refuses_wrong_references) {
    rwl_dv_ref refs[2];
    int64_t size;
    rwl_bitmap *b;
    ck_assert_int_eq(write_two(store, refs, &size), RWL_OK);
    rwl_dv_ref wrong[] = {refs[0], refs[0], refs[0], refs[0], refs[0], refs[0]};
    wrong[0].offset = size - 10;
    wrong[1].length = size;
    wrong[2].offset = -1;
    wrong[3].offset = INT64_MAX;
    wrong[4].cardinality = 2;
    wrong[5].length = -5;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(rwl_dv_read(store, &op, &wrong[i], &b, &err), RWL_CORRUPT);
        ck_assert_str_eq(err.path, location);
        ck_assert_ptr_nonnull(strstr(err.message, location));
        memset(&err, 0, sizeof err);
    }
    wrong[0].location = "/tmp/rowline-no-such-file.puffin";
    ck_assert_int_eq(rwl_dv_read(store, &op, &wrong[0], &b, &err), RWL_NOT_FOUND);
}
END_TEST

START_TEST(refuses_a_path_that_is_no_text) {
    rwl_puffin_writer *w;
    rwl_dv_ref ref;
    rwl_bitmap *b = bitmap_of(0, 1);
    ck_assert_int_eq(rwl_puffin_writer_open(store, &op, location, &w, &err), RWL_OK);
    ck_assert_int_eq(rwl_puffin_add_dv(w, "\xff.parquet", b, &ref, &err), RWL_UNSUPPORTED);
    rwl_puffin_writer_abort(w);
    rwl_puffin_writer_abort(NULL);
    ck_assert_int_ne(access(location, F_OK), 0);
    rwl_bitmap_free(b);
}
END_TEST

/* Each call to the store fails in turn, before or after it was carried out: nothing leaks, and the file is
 * there only if finishing says that it may be. */
START_TEST(leaves_nothing_behind_when_a_call_fails) {
    rwl_store *local, *failing;
    rwl_test_store_options options = {.fail_call = RWL_TEST_ANY, .fail_at = 1, .fail_after = _i == 1};
    rwl_dv_ref refs[2];
    int64_t size;
    ck_assert_int_eq(rwl_store_local_new(&env, NULL, 0, &local, &err), RWL_OK);
    ck_assert_int_eq(rwl_test_store_new(&env, local, &options, &failing, &err), RWL_OK);
    for (;; options.fail_at++) {
        rwl_test_store_set(failing, &options);
        rwl_status st = write_two(failing, refs, &size);
        rwl_test_store_stats stats = rwl_test_store_stats_of(failing);
        ck_assert_int_eq(stats.open_new_files, 0);
        if (st == RWL_OK)
            break;
        if (st != RWL_COMMIT_UNKNOWN)
            ck_assert_int_ne(access(location, F_OK), 0);
        unlink(location);
    }
    ck_assert_int_ge(options.fail_at, 5); /* create, magic, two blobs, footer, finish */
    check_two(refs);
    rwl_store_free(failing);
}
END_TEST

/* --- files of other engines --- */

static void check_blobs(const char *path, const rwl_puffin_footer *footer) {
    for (int32_t i = 0; i < footer->blob_count; i++) {
        const rwl_puffin_blob *blob = &footer->blobs[i];
        rwl_dv_ref ref = {path, blob->offset, blob->length, blob->cardinality, 0};
        rwl_bitmap *b;
        rwl_buf again;
        if (strcmp(blob->type, "deletion-vector-v1") != 0)
            continue;
        ck_assert_msg(rwl_dv_read(store, &op, &ref, &b, &err) == RWL_OK, "%s", err.message);
        rwl_buf_init(&again, &env, SIZE_MAX);
        ck_assert_int_eq(rwl_dv_encode(b, &again, &err), RWL_OK);
        ck_assert_msg(rwl_span_equal(rwl_buf_span(&again),
                                     rwl_span_of(bytes.data + blob->offset, (size_t)blob->length)),
                      "%s: blob %d is not written as it was read", path, i);
        rwl_buf_clear(&again);
        rwl_bitmap_free(b);
    }
}

/* Every vector that Spark wrote is read, and written again to the same bytes. */
START_TEST(vectors_of_spark_are_read_and_written_alike) {
    glob_t files;
    if (glob(FIXTURES_DIR "/spark/*/data/*.puffin", 0, NULL, &files) != 0) {
        printf("skipped: no Spark fixtures\n");
        return;
    }
    for (size_t i = 0; i < files.gl_pathc; i++) {
        rwl_puffin_footer footer;
        rwl_buf_reset(&bytes);
        ck_assert_int_eq(rwl_store_read_all(store, &op, files.gl_pathv[i], &bytes, &err), RWL_OK);
        ck_assert_msg(rwl_puffin_parse(rwl_buf_span(&bytes), &arena, &footer, &err) == RWL_OK, "%s: %s",
                      files.gl_pathv[i], err.message);
        ck_assert_int_ge(footer.blob_count, 1);
        check_blobs(files.gl_pathv[i], &footer);
    }
    globfree(&files);
}
END_TEST

START_TEST(reads_the_metric_samples_of_java) {
    rwl_puffin_footer footer;
    if (!append_fixture(&bytes, "apache+iceberg/core/src/test/resources/org/apache/iceberg/puffin/v1/"
                                "sample-metric-data-compressed-zstd.bin"))
        return;
    ck_assert_msg(rwl_puffin_parse(rwl_buf_span(&bytes), &arena, &footer, &err) == RWL_OK, "%s", err.message);
    ck_assert_int_eq(footer.blob_count, 2); /* PuffinSpec's example: "some-blob", "some-other-blob" */
    ck_assert_str_eq(footer.blobs[0].type, "some-blob");
    ck_assert_str_eq(footer.blobs[0].compression_codec, "zstd");
    ck_assert_int_eq(footer.blobs[0].cardinality, -1);
    ck_assert_ptr_null(footer.blobs[0].referenced_data_file);
    ck_assert_str_eq(footer.blobs[1].type, "some-other-blob");
}
END_TEST

START_TEST(reads_the_file_of_go) {
    rwl_puffin_footer footer;
    if (!append_fixture(&bytes, "apache+iceberg-go/puffin/testdata/deletion-vector-v1.puffin"))
        return;
    ck_assert_msg(rwl_puffin_parse(rwl_buf_span(&bytes), &arena, &footer, &err) == RWL_OK, "%s", err.message);
    ck_assert_int_eq(footer.blob_count, 1);
    ck_assert_int_eq(footer.blobs[0].field_count, 0);
    ck_assert_int_eq(footer.blobs[0].cardinality, 5);
    check_blobs(FIXTURES_DIR "/apache+iceberg-go/puffin/testdata/deletion-vector-v1.puffin", &footer);
}
END_TEST

/* --- hostile footers --- */

#define BLOB_HEAD "{\"blobs\":[{\"type\":\"t\",\"fields\":[1],\"snapshot-id\":1,\"sequence-number\":1,"

typedef struct payload_case {
    const char *payload;
    rwl_status status;
    const char *message; /* is in the message */
} payload_case;

static const payload_case payloads[] = {
    {"", RWL_CORRUPT, "puffin footer: "},
    {"{", RWL_CORRUPT, "puffin footer: "},
    {"[]", RWL_CORRUPT, "'blobs'"},
    {"{}", RWL_CORRUPT, "'blobs' is missing"},
    {"{\"blobs\":{}}", RWL_CORRUPT, "'blobs'"},
    {"{\"blobs\":[1]}", RWL_CORRUPT, "blob 0: "},
    {"{\"blobs\":[{}]}", RWL_CORRUPT, "blob 0: 'type' is missing"},
    {BLOB_HEAD "\"offset\":4,\"length\":4}]}", RWL_OK, NULL},
    {BLOB_HEAD "\"offset\":4,\"length\":5}]}", RWL_CORRUPT, "5 bytes at 4"},
    {BLOB_HEAD "\"offset\":3,\"length\":4}]}", RWL_CORRUPT, "4 bytes at 3"},
    {BLOB_HEAD "\"offset\":-1,\"length\":4}]}", RWL_CORRUPT, "4 bytes at -1"},
    {BLOB_HEAD "\"offset\":4,\"length\":-1}]}", RWL_CORRUPT, "-1 bytes at 4"},
    {BLOB_HEAD "\"offset\":9223372036854775807,\"length\":9223372036854775807}]}", RWL_CORRUPT,
     "bytes at 9223372036854775807"},
    {BLOB_HEAD "\"offset\":9223372036854775808,\"length\":1}]}", RWL_CORRUPT, "puffin footer: "},
    {BLOB_HEAD "\"offset\":4}]}", RWL_CORRUPT, "'length' is missing"},
    {BLOB_HEAD "\"offset\":4,\"length\":\"4\"}]}", RWL_CORRUPT, "'length'"},
    {BLOB_HEAD "\"offset\":4,\"length\":4,\"properties\":{\"cardinality\":\"x\"}}]}", RWL_CORRUPT,
     "'cardinality' is 'x'"},
    {BLOB_HEAD "\"offset\":4,\"length\":4,\"properties\":{\"cardinality\":\"\"}}]}", RWL_CORRUPT,
     "'cardinality' is ''"},
    {BLOB_HEAD "\"offset\":4,\"length\":4,\"properties\":{\"cardinality\":\"9223372036854775808\"}}]}",
     RWL_CORRUPT, "'cardinality' is '9223372036854775808'"},
    {BLOB_HEAD "\"offset\":4,\"length\":4,\"properties\":{\"cardinality\":7}}]}", RWL_CORRUPT,
     "'cardinality'"},
    {BLOB_HEAD "\"offset\":4,\"length\":4,\"properties\":[]}]}", RWL_CORRUPT, "referenced-data-file"},
    {"{\"blobs\":[{\"type\":\"t\",\"fields\":[2147483648]}]}", RWL_CORRUPT, "'fields'"},
    {"{\"blobs\":[{\"type\":\"t\",\"fields\":[\"1\"]}]}", RWL_CORRUPT, "'fields'"},
};

static void put(const char *text) {
    ck_assert_int_eq(rwl_buf_str(&bytes, text, &err), RWL_OK);
}

static void put32(uint32_t v) {
    ck_assert_int_eq(rwl_buf_le32(&bytes, v, &err), RWL_OK);
}

/* Four bytes of blobs, then a footer. */
static void make_file(const char *payload, uint32_t size, uint32_t flags) {
    put("PFA1blobPFA1");
    put(payload);
    put32(size);
    put32(flags);
    put("PFA1");
}

START_TEST(checks_the_payload) {
    const payload_case *c = &payloads[_i];
    rwl_puffin_footer footer;
    make_file(c->payload, (uint32_t)strlen(c->payload), 0);
    ck_assert_int_eq(rwl_puffin_parse(rwl_buf_span(&bytes), &arena, &footer, &err), c->status);
    if (c->message != NULL)
        ck_assert_msg(strstr(err.message, c->message) != NULL, "%s", err.message);
}
END_TEST

START_TEST(checks_the_frame_of_the_footer) {
    static const struct {
        uint32_t size, flags;
        rwl_status status;
        const char *message;
    } frames[] = {
        {12, 0, RWL_OK, NULL},
        {11, 0, RWL_CORRUPT, "before its footer"},
        {13, 0, RWL_CORRUPT, "before its footer"},
        {1000, 0, RWL_CORRUPT, "payload of 1000 bytes cannot be in a file of 36 bytes"},
        {UINT32_MAX, 0, RWL_CORRUPT, "payload of 4294967295 bytes"},
        {12, 1, RWL_UNSUPPORTED, "compressed (lz4)"},
        {12, 2, RWL_UNSUPPORTED, "unknown flags 0x00000002"},
        {12, 0x80000000, RWL_UNSUPPORTED, "unknown flags 0x80000000"},
    };
    rwl_puffin_footer footer;
    make_file("{\"blobs\":[]}", frames[_i].size, frames[_i].flags);
    ck_assert_int_eq(rwl_puffin_parse(rwl_buf_span(&bytes), &arena, &footer, &err), frames[_i].status);
    if (frames[_i].message != NULL)
        ck_assert_msg(strstr(err.message, frames[_i].message) != NULL, "%s", err.message);
}
END_TEST

START_TEST(refuses_every_truncation_and_lost_magic) {
    rwl_puffin_footer footer;
    append_hex(&bytes, ice_108);
    for (size_t n = 0; n < bytes.len; n++)
        ck_assert_int_eq(rwl_puffin_parse(rwl_span_of(bytes.data, n), &arena, &footer, &err), RWL_CORRUPT);
    const size_t at[] = {0, 4, 31};
    for (int i = 0; i < 3; i++) {
        bytes.data[at[i]] ^= 1;
        ck_assert_int_eq(rwl_puffin_parse(rwl_buf_span(&bytes), &arena, &footer, &err), RWL_CORRUPT);
        bytes.data[at[i]] ^= 1;
    }
    ck_assert_int_eq(rwl_puffin_parse(rwl_buf_span(&bytes), &arena, &footer, &err), RWL_OK);
}
END_TEST

TCase *file_cases(void) {
    TCase *cases = tcase_create("file");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, ice_108_empty_puffin);
    tcase_add_test(cases, two_vectors_come_back);
    tcase_add_test(cases, no_reader_takes_a_later_vector_along_with_an_earlier_one);
    tcase_add_test(cases, refuses_wrong_references);
    tcase_add_test(cases, refuses_a_path_that_is_no_text);
    tcase_add_loop_test(cases, leaves_nothing_behind_when_a_call_fails, 0, 2);
    tcase_add_test(cases, vectors_of_spark_are_read_and_written_alike);
    tcase_add_test(cases, reads_the_metric_samples_of_java);
    tcase_add_test(cases, reads_the_file_of_go);
    tcase_add_loop_test(cases, checks_the_payload, 0, (int)(sizeof payloads / sizeof *payloads));
    tcase_add_loop_test(cases, checks_the_frame_of_the_footer, 0, 8);
    tcase_add_test(cases, refuses_every_truncation_and_lost_magic);
    return cases;
}
