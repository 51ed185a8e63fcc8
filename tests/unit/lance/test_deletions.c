/* SPDX-License-Identifier: Apache-2.0 */
/* Deletion files of both kinds: the format's own examples, those of another writer, broken ones (LAN-91). */
#include "lance/deletions.h"

#include "ipc/ipc.h"
#include "made.h"
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>

static made world;

static void set_up(void) {
    made_open(&world, 0);
}

static void tear_down(void) {
    made_close(&world);
}

static rwl_span bytes_of(const char *hex, uint8_t *to) {
    size_t len = 0;
    for (const char *c = hex; *c != '\0'; c++) {
        if (*c == ' ')
            continue;
        to[len++] = (uint8_t)(rwl_hex_digit((uint8_t)c[0]) << 4 | rwl_hex_digit((uint8_t)c[1]));
        c++;
    }
    return rwl_span_of(to, len);
}

static void assert_positions(const rwl_bitmap *b, const int64_t *positions, int64_t count) {
    ck_assert_int_eq(rwl_bitmap_count(b), count);
    for (int64_t i = 0; i < count; i++)
        ck_assert(rwl_bitmap_contains(b, positions[i]));
}

#define ARRAY_BIN "3a300000 01000000 0000 0300 10000000 0100 0500 bc02 cf07"
#define RUN_BIN   "3b300000 01 0000 0300 0100 0a00 0300"

START_TEST(lan_91_bitmaps_of_arrays_and_runs) {
    static const struct {
        const char *hex;
        int64_t positions[4];
    } cases[] = {{ARRAY_BIN, {1, 5, 700, 1999}}, {RUN_BIN, {10, 11, 12, 13}}};
    for (size_t i = 0; i < 2; i++) {
        uint8_t raw[128];
        rwl_bitmap *b;
        ASSERT_OK(rwl_lance_deletions_parse(&world.op, bytes_of(cases[i].hex, raw), true, "x.bin", &b, err));
        assert_positions(b, cases[i].positions, 4);
        rwl_bitmap_free(b);
    }
}
END_TEST

/* 9333 positions in one bitmap container of 8192 bytes, 8208 in all. */
START_TEST(lan_91_bitmaps_of_bits) {
    uint8_t raw[16 + 8192] = {0x3a, 0x30, 0,    0,    1,  0, 0, 0,
                              0,    0,    0x74, 0x24, 16, 0, 0, 0}; /* 0x2474 = 9332 */
    for (int64_t i = 0; i < 9333; i++)
        raw[16 + i * 2 / 8] |= (uint8_t)(1u << (i * 2 % 8));
    rwl_bitmap *b;
    ASSERT_OK(rwl_lance_deletions_parse(&world.op, rwl_span_of(raw, sizeof raw), true, "x.bin", &b, err));
    ck_assert_int_eq(rwl_bitmap_count(b), 9333);
    for (int64_t i = 0; i < 9333; i++)
        ck_assert(rwl_bitmap_contains(b, 2 * i));
    rwl_bitmap_free(b);
}
END_TEST

START_TEST(broken_bitmaps_name_their_file) {
    static const char *const cases[] = {"",
                                        "3a3000",
                                        "00000000 01000000",
                                        ARRAY_BIN " 00",
                                        "3a300000 01000000 0000 0300 10000000 0100 0500 bc02",
                                        "3b300000 01 0000 0300 0100 0a00"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t raw[128];
        rwl_bitmap *b;
        ASSERT_FAILS(RWL_CORRUPT, "deletion file a/x.bin",
                     rwl_lance_deletions_parse(&world.op, bytes_of(cases[i], raw), true, "a/x.bin", &b, err));
    }
}
END_TEST

/* --- as part of a dataset --- */

static rwl_lance_fragment deleting(bool is_bitmap, int64_t rows, int64_t deleted) {
    return (rwl_lance_fragment){.id = 2,
                                .physical_rows = rows,
                                .deletion = {.is_present = true,
                                             .is_bitmap = is_bitmap,
                                             .read_version = 7,
                                             .id = 12,
                                             .deleted_rows = deleted,
                                             .base_id = -1}};
}

static void put_file(const char *name, rwl_span content) {
    FILE *f = fopen(made_path(&world, name), "wb");
    ck_assert(f != NULL);
    ck_assert_uint_eq(fwrite(content.data, 1, content.len, f), content.len);
    fclose(f);
}

START_TEST(a_file_must_agree_with_its_fragment) {
    static const int64_t positions[] = {1, 5, 700, 1999};
    uint8_t raw[128];
    rwl_bitmap *b;
    put_file("_deletions/2-7-12.bin", bytes_of(ARRAY_BIN, raw));
    rwl_lance_fragment f = deleting(true, 2000, 4);
    ASSERT_OK(rwl_lance_deletions_read(&world.dataset, &world.op, &f, &b, err));
    assert_positions(b, positions, 4);
    rwl_bitmap_free(b);
    f.deletion.deleted_rows = 0; /* not told */
    ASSERT_OK(rwl_lance_deletions_read(&world.dataset, &world.op, &f, &b, err));
    rwl_bitmap_free(b);
    f = deleting(true, 1999, 4);
    ASSERT_FAILS(RWL_CORRUPT, "2-7-12.bin: 1 of its positions are behind the 1999 rows of fragment 2",
                 rwl_lance_deletions_read(&world.dataset, &world.op, &f, &b, err));
    f = deleting(true, 2000, 5);
    ASSERT_FAILS(RWL_CORRUPT, "2-7-12.bin: 4 positions, where the manifest says 5 of fragment 2",
                 rwl_lance_deletions_read(&world.dataset, &world.op, &f, &b, err));
    f = deleting(false, 2000, 4);
    ASSERT_FAILS(RWL_NOT_FOUND, "2-7-12.arrow",
                 rwl_lance_deletions_read(&world.dataset, &world.op, &f, &b, err));
    f.deletion.is_present = false;
    ASSERT_OK(rwl_lance_deletions_read(&world.dataset, &world.op, &f, &b, err));
    ck_assert_ptr_null(b);
    put_file("_deletions/2-7-12.arrow", bytes_of(ARRAY_BIN, raw));
    f.deletion.is_present = true;
    ASSERT_FAILS(RWL_CORRUPT, "2-7-12.arrow",
                 rwl_lance_deletions_read(&world.dataset, &world.op, &f, &b, err));
}
END_TEST

/* --- .arrow --- */

/* An Arrow file of one column; `nulls`: the second value is null. */
static rwl_status write_bytes(void *ctx, const void *data, size_t len, rwl_error *err) {
    return rwl_buf_append(ctx, data, len, err);
}

static void release_nothing(struct ArrowSchema *s) {
    s->release = NULL;
}

static void make_arrow(const char *name, const char *format, const uint32_t *values, int64_t count,
                       bool nulls, rwl_buf *out) {
    struct ArrowSchema column = {.format = format, .name = name, .flags = 2, .release = release_nothing};
    struct ArrowSchema *columns[] = {&column};
    struct ArrowSchema schema = {
        .format = "+s", .name = "", .n_children = 1, .children = columns, .release = release_nothing};
    uint8_t *aligned = NULL;
    ck_assert_int_eq(posix_memalign((void **)&aligned, 64, 4096), 0);
    memset(aligned, 0, 4096);
    aligned[0] = 0xfd;
    memcpy(aligned + 64, values, (size_t)count * 4);
    const void *buffers[] = {nulls ? aligned : NULL, aligned + 64};
    const void *none[] = {NULL};
    struct ArrowArray array = {.length = count, .null_count = nulls, .n_buffers = 2, .buffers = buffers};
    struct ArrowArray *arrays[] = {&array};
    struct ArrowArray batch = {
        .length = count, .n_buffers = 1, .buffers = none, .n_children = 1, .children = arrays};
    rwl_ipc_writer *w;
    ASSERT_OK(rwl_ipc_writer_new(&world.env, &schema, true, (rwl_ipc_sink){out, write_bytes}, &w, err));
    ASSERT_OK(rwl_ipc_writer_write(w, &batch, err));
    ASSERT_OK(rwl_ipc_writer_finish(w, err));
    rwl_ipc_writer_free(w);
    free(aligned);
}

START_TEST(lan_91_plain_arrow_files) {
    static const uint32_t values[] = {7, 3, 4000000000u, 0};
    static const int64_t positions[] = {0, 3, 7, INT64_C(4000000000)};
    rwl_buf bytes;
    rwl_bitmap *b;
    rwl_buf_init(&bytes, &world.env, SIZE_MAX);
    make_arrow("row_id", "I", values, 4, false, &bytes);
    ASSERT_OK(rwl_lance_deletions_parse(&world.op, rwl_buf_span(&bytes), false, "x.arrow", &b, err));
    assert_positions(b, positions, 4);
    rwl_bitmap_free(b);
    for (size_t len = 0; len < bytes.len - 16; len += 7) /* the footer's length and magic are not needed */
        if (rwl_lance_deletions_parse(&world.op, rwl_span_of(bytes.data, len), false, "x.arrow", &b, NULL) ==
            RWL_OK) {
            ck_assert_uint_gt(len, bytes.len / 2);
            assert_positions(b, positions, 4);
            rwl_bitmap_free(b);
        }
    rwl_buf_clear(&bytes);
}
END_TEST

START_TEST(arrow_files_of_another_content_are_refused) {
    static const uint32_t values[] = {7, 3, 7};
    static const struct {
        const char *name, *format;
        int64_t count;
        bool nulls;
        const char *message;
    } cases[] = {
        {"row_id", "I", 3, false, "position 7 is there twice"},
        {"row_id", "I", 2, true, "row_id is null in row 1"},
        {"row_id", "i", 2, false, "column row_id of Arrow type i"},
        {"rowid", "I", 2, false, "column rowid of Arrow type I"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_buf bytes;
        rwl_bitmap *b;
        rwl_buf_init(&bytes, &world.env, SIZE_MAX);
        make_arrow(cases[i].name, cases[i].format, values, cases[i].count, cases[i].nulls, &bytes);
        ASSERT_FAILS(RWL_CORRUPT, cases[i].message,
                     rwl_lance_deletions_parse(&world.op, rwl_buf_span(&bytes), false, "x.arrow", &b, err));
        ck_assert_ptr_null(b);
        rwl_buf_clear(&bytes);
    }
}
END_TEST

Suite *deletions_suite(void) {
    Suite *suite = suite_create("deletions");
    TCase *tc = tcase_create("deletions");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, lan_91_bitmaps_of_arrays_and_runs);
    tcase_add_test(tc, lan_91_bitmaps_of_bits);
    tcase_add_test(tc, broken_bitmaps_name_their_file);
    tcase_add_test(tc, a_file_must_agree_with_its_fragment);
    tcase_add_test(tc, lan_91_plain_arrow_files);
    tcase_add_test(tc, arrow_files_of_another_content_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
