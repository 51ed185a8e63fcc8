/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blobs of version 2: places written out by hand in a full-zip page, as pylance 14.0.2 writes them. Every location is the file
 * itself, so that sidecars and what URIs name have its bytes, too; their names are looked at by themselves.
 */
#include "lancefile/blob_internal.h"
#include "page_test.h"
#include "suites.h"

#include <stdlib.h>

enum { KIND_INLINE, KIND_PACKED, KIND_DEDICATED, KIND_EXTERNAL, KIND_MANAGED };

#define TEXT "hello world" /* in the file's third buffer, where positions count from */

typedef struct entry {
    uint8_t control; /* repetition level << 1 | definition level */
    uint8_t kind;
    uint64_t position, size;
    uint32_t blob_id;
    const char *uri;
} entry;

static const rwl_lance_node blob_node = {.form = RWL_LANCE_BYTES, .is_blob2 = true, .logical_type = "struct"};
static const rwl_lance_node list_node = {.form = RWL_LANCE_LIST, .logical_type = "list"};
static const rwl_lance_node element_node = {
    .form = RWL_LANCE_BYTES, .is_blob2 = true, .logical_type = "struct", .parent = &list_node};

static void put_u32(rwl_buf *out, uint32_t v) {
    ck_assert_int_eq(rwl_buf_le32(out, v, NULL), RWL_OK);
}

static void put_u64(rwl_buf *out, uint64_t v) {
    ck_assert_int_eq(rwl_buf_le64(out, v, NULL), RWL_OK);
}

static void put_u8(rwl_buf *out, uint8_t v) {
    ck_assert_int_eq(rwl_buf_u8(out, v, NULL), RWL_OK);
}

static void put_entry(rwl_buf *data, const entry *e, uint64_t base) {
    const char *uri = e->uri != NULL ? e->uri : "";
    bool is_here = e->kind != KIND_DEDICATED && e->size > 0 && e->position < UINT64_MAX / 2;
    put_u8(data, e->control);
    if ((e->control & 1) != 0) /* null */
        return;
    put_u32(data, (uint32_t)(25 + strlen(uri)));
    put_u8(data, e->kind);
    put_u64(data, e->position + (is_here ? base : 0));
    put_u64(data, e->size);
    put_u32(data, e->blob_id);
    put_u32(data, (uint32_t)strlen(uri));
    ck_assert_int_eq(rwl_buf_str(data, uri, NULL), RWL_OK);
}

/* Without lists every entry is a row. */
static uint64_t put_entries(rwl_buf *data, rwl_buf *index, const entry *entries, int count, bool is_list,
                            uint64_t base) {
    uint64_t rows = 0;
    rwl_buf_reset(data);
    rwl_buf_reset(index);
    for (int i = 0; i < count; i++) {
        if (!is_list || (entries[i].control >> 1) != 0) {
            put_u32(index, (uint32_t)data->len);
            rows++;
        }
        put_entry(data, &entries[i], base);
    }
    put_u32(index, (uint32_t)data->len);
    return rows;
}

/* The codec of a field: flat with so many bits, or a text behind 32 bits of length. */
static void put_field(rwl_buf *out, uint64_t bits) {
    size_t field = pb_begin(out, 1);
    if (bits > 0)
        lance_put_flat(out, 1, bits);
    else
        lance_put_variable(out, 1, 32);
    pb_varint(out, bits > 0 ? 2 : 3, bits > 0 ? bits : 32);
    pb_end(out, field);
}

static void put_layout(rwl_buf *out, bool is_list, uint64_t count) {
    static const uint64_t layers[] = {3, 2}; /* nullable item, list */
    size_t zip = pb_begin(out, 3);
    pb_varint(out, 1, is_list);
    pb_varint(out, 2, 1);
    pb_varint(out, 4, 32);
    pb_varint(out, 5, count);
    pb_varint(out, 6, count);
    size_t codec = pb_begin(out, 7), packed = pb_begin(out, 13);
    static const uint64_t bits[] = {8, 64, 64, 32, 0};
    for (int i = 0; i < 5; i++)
        put_field(out, bits[i]);
    pb_end(out, packed);
    pb_end(out, codec);
    pb_packed(out, 8, layers, is_list ? 2 : 1);
    pb_end(out, zip);
}

static uint64_t round_up(size_t len) {
    return (uint64_t)(len + 63) / 64 * 64;
}

static rwl_status build(page_test *t, const rwl_lance_node *node, const entry *entries, int count) {
    rwl_env env;
    rwl_buf data, index, layout;
    bool is_list = node->parent != NULL;
    rwl_env_init_default(&env);
    rwl_buf_init(&data, &env, SIZE_MAX);
    rwl_buf_init(&index, &env, SIZE_MAX);
    rwl_buf_init(&layout, &env, SIZE_MAX);
    put_entries(&data, &index, entries, count, is_list, 0);
    uint64_t base = round_up(data.len) + round_up(index.len);
    uint64_t row_count = put_entries(&data, &index, entries, count, is_list, base);
    put_layout(&layout, is_list, (uint64_t)count);
    page_parts parts = {.buffers = {rwl_buf_span(&data), rwl_buf_span(&index), rwl_span_str(TEXT)},
                        .buffer_count = 3,
                        .encoding = rwl_buf_span(&layout),
                        .row_count = row_count};
    rwl_status st = page_test_build(t, node, &parts);
    rwl_buf_clear(&data);
    rwl_buf_clear(&index);
    rwl_buf_clear(&layout);
    return st;
}

static void expect_text(page_test *t, const rwl_range *rows, size_t count, const char *text) {
    PAGE_OK(t, page_test_read(t, rows, count));
    char *got = page_test_text(t);
    ck_assert_str_eq(got, text);
    free(got);
}

static const entry KINDS[] = {
    {0, KIND_INLINE, 0, 5, 0, NULL},          /* hello */
    {1, KIND_INLINE, 0, 0, 0, NULL},          /* null */
    {0, KIND_INLINE, 0, 0, 0, NULL},          /* empty */
    {0, KIND_PACKED, 6, 2, 1, NULL},          /* wo, of sidecar 1 */
    {0, KIND_DEDICATED, 0, 1, 2, NULL},       /* the file's first byte, which is the first control word */
    {0, KIND_EXTERNAL, 4, 3, 0, "file:///x"}, /* "o w" */
    {0, KIND_INLINE, 10, 1, 0, NULL},         /* d */
};

START_TEST(blobs_of_every_kind_are_read) {
    page_test t;
    PAGE_OK(&t, build(&t, &blob_node, KINDS, 7));
    rwl_range all = {0, 7}, some[] = {{1, 1}, {3, 1}, {6, 1}}, first = {0, 1};
    expect_text(&t, &all, 1, "7 rows\n0/0 68656c6c6f\n0/1 \n0/0 \n0/0 776f\n0/0 00\n0/0 6f2077\n0/0 64");
    expect_text(&t, some, 3, "3 rows\n0/1 \n0/0 776f\n0/0 64");
    expect_text(&t, &first, 1, "1 rows\n0/0 68656c6c6f");
    page_test_clear(&t);
}
END_TEST

START_TEST(blobs_that_fit_are_counted_by_their_bytes) {
    static const int64_t cases[][2] = {{4, 1}, {5, 3}, {6, 3}, {7, 4}, {8, 5}, {10, 5}, {11, 6}, {12, 7}};
    page_test t;
    rwl_range all = {0, 7};
    PAGE_OK(&t, build(&t, &blob_node, KINDS, 7));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t fitting = 0;
        PAGE_OK(&t, rwl_lance_page_fit(t.page, &all, 1, cases[i][0], &fitting, &t.error));
        ck_assert_int_eq(fitting, cases[i][1]);
    }
    page_test_clear(&t);
}
END_TEST

/* Neighbours in a pack take one read, an empty one among them; what has a gap before it or is of another pack its own. */
START_TEST(neighbours_in_a_pack_are_read_together) {
    static const entry packs[] = {{0, KIND_PACKED, 0, 2, 1, NULL}, {0, KIND_PACKED, 2, 3, 1, NULL},
                                  {0, KIND_PACKED, 0, 0, 1, NULL}, {1, KIND_INLINE, 0, 0, 0, NULL},
                                  {0, KIND_PACKED, 5, 1, 1, NULL}, {0, KIND_PACKED, 7, 1, 1, NULL},
                                  {0, KIND_PACKED, 8, 1, 2, NULL}};
    page_test t;
    rwl_range all = {0, 7};
    PAGE_OK(&t, build(&t, &blob_node, packs, 7));
    expect_text(&t, &all, 1, "7 rows\n0/0 6865\n0/0 6c6c6f\n0/0 \n0/1 \n0/0 20\n0/0 6f\n0/0 72");
    ck_assert_int_eq(t.fetch.requests, 3);
    page_test_clear(&t);
}
END_TEST

/* The file itself is both blobs; a batch of two is grown to once and a half of the first's room, which is copied. */
START_TEST(bytes_of_other_files_are_charged) {
    enum { LEN = 256, LIMIT = 3 * LEN };
    static const entry large[] = {{0, KIND_DEDICATED, 0, LEN, 1, NULL}, {0, KIND_DEDICATED, 0, LEN, 1, NULL}};
    page_test t;
    rwl_range both = {0, 2}, one = {0, 1};
    PAGE_OK(&t, build(&t, &blob_node, large, 2));
    PAGE_OK(&t, page_test_read(&t, &both, 1)); /* what the places take */
    rwl_lance_leaf_clear(&t.leaf);
    PAGE_OK(&t, rwl_lance_leaf_init(&t.leaf, &t.env, &blob_node, &t.error));
    rwl_lance_charge charge = {&t.op, 0};
    t.leaf.charge = &charge;
    t.op.memory_limit = atomic_load(&t.op.memory_used) + LIMIT - 1;
    ck_assert_int_eq(page_test_read(&t, &both, 1), RWL_UNSUPPORTED);
    ck_assert_msg(strstr(t.error.message, "values of a batch needs 512 bytes") != NULL, "%s",
                  t.error.message);
    PAGE_OK(&t, page_test_read(&t, &one, 1));
    ck_assert_int_ge(charge.bytes, LEN);
    rwl_lance_charge_clear(&charge);
    page_test_clear(&t); /* looks that it is given back */
}
END_TEST

START_TEST(an_external_blob_without_a_size_is_all_of_its_file) {
    static const entry whole[] = {{0, KIND_EXTERNAL, 0, 0, 0, "/x"}};
    page_test t;
    rwl_range all = {0, 1};
    PAGE_OK(&t, build(&t, &blob_node, whole, 1));
    PAGE_OK(&t, page_test_read(&t, &all, 1));
    ck_assert(rwl_span_equal(rwl_column_bytes(&t.leaf.values, 0), rwl_buf_span(&t.bytes)));
    page_test_clear(&t);
}
END_TEST

START_TEST(blobs_in_lists_keep_their_levels) {
    static const entry entries[] = {{2, KIND_INLINE, 0, 5, 0, NULL},
                                    {0, KIND_PACKED, 6, 2, 1, NULL},
                                    {3, KIND_INLINE, 0, 0, 0, NULL},
                                    {0, KIND_INLINE, 0, 0, 0, NULL},
                                    {2, KIND_INLINE, 10, 1, 0, NULL}};
    page_test t;
    rwl_range all = {0, 3}, some[] = {{0, 1}, {2, 1}};
    int64_t fitting;
    PAGE_OK(&t, build(&t, &element_node, entries, 5));
    expect_text(&t, &all, 1, "3 rows\n1/0 68656c6c6f\n0/0 776f\n1/1 \n0/0 \n1/0 64");
    expect_text(&t, some, 2, "2 rows\n1/0 68656c6c6f\n0/0 776f\n1/0 64");
    PAGE_OK(&t, rwl_lance_page_fit(t.page, &all, 1, 6, &fitting, &t.error));
    ck_assert_int_eq(fitting, 1); /* the first row has 7 bytes, but there is one always */
    PAGE_OK(&t, rwl_lance_page_fit(t.page, &all, 1, 7, &fitting, &t.error));
    ck_assert_int_eq(fitting, 2);
    page_test_clear(&t);
}
END_TEST

static const struct {
    entry entry;
    rwl_status status;
    const char *message;
} WRONG[] = {
    {{0, KIND_INLINE, 0, 1 << 20, 0, NULL}, RWL_CORRUPT, "pass the file's end"},
    {{0, KIND_INLINE, UINT64_MAX, 1, 0, NULL}, RWL_CORRUPT, "1 bytes at 18446744073709551615"},
    {{0, KIND_PACKED, 0, 1 << 20, 1, NULL}, RWL_CORRUPT, "a blob of 1048576 bytes"},
    {{0, KIND_DEDICATED, 7, UINT64_MAX, 1, NULL}, RWL_CORRUPT, "18446744073709551615 bytes"},
    {{0, KIND_DEDICATED, 0, (UINT64_C(1) << 30) + 1, 1, NULL}, RWL_UNSUPPORTED, "1073741824 bytes of blobs"},
    {{0, KIND_EXTERNAL, 0, 1, 0, ""}, RWL_CORRUPT, "a URI of 0 bytes"},
    {{0, KIND_EXTERNAL, 0, 1, 0, "s3://bucket/x"}, RWL_UNSUPPORTED, "\"s3://bucket/x\": only local files"},
    {{0, KIND_EXTERNAL, 0, 1, 0, "x"}, RWL_UNSUPPORTED, "\"x\": only local files"},
    {{0, KIND_EXTERNAL, 0, 1, 0, "file:///a%2"}, RWL_CORRUPT, "'%' with no byte"},
    {{0, KIND_EXTERNAL, 0, 1, 0, "file:///a%00"}, RWL_CORRUPT, "'%' with no byte"},
    {{0, KIND_EXTERNAL, 0, 1, 3, "x"}, RWL_UNSUPPORTED, "base path, which only the table knows"},
    {{0, KIND_MANAGED, 0, 1, 0, "x"}, RWL_UNSUPPORTED, "blob of kind 4 (managed) is not supported"},
    {{0, 5, 0, 1, 0, NULL}, RWL_CORRUPT, "blob of kind 5"},
};

START_TEST(wrong_places_are_refused) {
    page_test t;
    rwl_range all = {0, 1};
    PAGE_OK(&t, build(&t, &blob_node, &WRONG[_i].entry, 1));
    rwl_status st = page_test_read(&t, &all, 1);
    ck_assert_msg(st == WRONG[_i].status, "%d: %s", (int)st, t.error.message);
    ck_assert_msg(strstr(t.error.message, WRONG[_i].message) != NULL, "%s", t.error.message);
    page_test_clear(&t);
}
END_TEST

/* --- names of other files --- */

START_TEST(sidecars_are_named_by_the_bits_of_their_number) {
    static const struct {
        uint32_t id;
        const char *name;
    } cases[] = {{1, "a/10000000000000000000000000000000.blob"},
                 {2, "a/01000000000000000000000000000000.blob"},
                 {0x80000001, "a/10000000000000000000000000000001.blob"}};
    page_test t;
    rwl_lance_blob_file f = {.location = NULL};
    PAGE_OK(&t, build(&t, &blob_node, KINDS, 7));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PAGE_OK(&t, rwl_lance_blob_open_sidecar(&f, t.page, cases[i].id, &t.error));
        ck_assert_str_eq(f.location, cases[i].name);
    }
    rwl_lance_blob_close(&f);
    page_test_clear(&t);
}
END_TEST

static rwl_status locate(const void *ctx, uint32_t base_id, const char *path, rwl_arena *arena,
                         const char **out, rwl_error *err) {
    if (base_id != 3)
        return rwl_fail(err, RWL_CORRUPT, "no base %u", base_id);
    *out = rwl_arena_printf(arena, "%s/%s", (const char *)ctx, path);
    return *out != NULL ? RWL_OK : rwl_no_memory(err, 1);
}

START_TEST(uris_are_files_or_paths_of_a_base) {
    page_test t;
    rwl_lance_blob_file f = {.location = NULL};
    PAGE_OK(&t, build(&t, &blob_node, KINDS, 7));
    t.file->locate = locate;
    t.file->locate_ctx = "/base";
    PAGE_OK(&t, rwl_lance_blob_open_uri(&f, t.page, 0, rwl_span_str("file:///a%20b%25.bin"), &t.error));
    ck_assert_str_eq(f.location, "file:///a b%.bin");
    PAGE_OK(&t, rwl_lance_blob_open_uri(&f, t.page, 0, rwl_span_str("/a%20b"), &t.error));
    ck_assert_str_eq(f.location, "/a%20b");
    PAGE_OK(&t, rwl_lance_blob_open_uri(&f, t.page, 3, rwl_span_str("sub/x y.bin"), &t.error));
    ck_assert_str_eq(f.location, "/base/sub/x y.bin");
    ck_assert_int_eq(rwl_lance_blob_open_uri(&f, t.page, 4, rwl_span_str("x"), &t.error), RWL_CORRUPT);
    rwl_lance_blob_close(&f);
    page_test_clear(&t);
}
END_TEST

Suite *lancefile_page_blob2_suite(void) {
    Suite *suite = suite_create("lancefile_page_blob2");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, blobs_of_every_kind_are_read);
    tcase_add_test(tc, blobs_that_fit_are_counted_by_their_bytes);
    tcase_add_test(tc, neighbours_in_a_pack_are_read_together);
    tcase_add_test(tc, bytes_of_other_files_are_charged);
    tcase_add_test(tc, an_external_blob_without_a_size_is_all_of_its_file);
    tcase_add_test(tc, blobs_in_lists_keep_their_levels);
    tcase_add_loop_test(tc, wrong_places_are_refused, 0, sizeof WRONG / sizeof *WRONG);
    tcase_add_test(tc, sidecars_are_named_by_the_bits_of_their_number);
    tcase_add_test(tc, uris_are_files_or_paths_of_a_base);
    suite_add_tcase(suite, tc);
    return suite;
}
