/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests: the real one of the reference, what is refused, long lineage left in the file, and packing again. */
#include "lance/stream_internal.h"
#include "lance/transaction.h"
#include "lance_test.h"
#include "least_budget.h"
#include "storage/test_store.h"
#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static rwl_buf message, file, packed;

static void setup(void) {
    lance_setup();
    rwl_buf_init(&message, &lance_env, SIZE_MAX);
    rwl_buf_init(&file, &lance_env, SIZE_MAX);
    rwl_buf_init(&packed, &lance_env, SIZE_MAX);
}

static void teardown(void) {
    rwl_buf_clear(&message);
    rwl_buf_clear(&file);
    rwl_buf_clear(&packed);
    lance_teardown();
}

/* --- the manifest of section 1.3, 403 bytes --- */

#define UUID        "3b7355e6-0b6a-4a5e-9d3c-5d2d1c0a9f88"
#define FIELD_I     "\x12\x01i\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x2a\x05int32\x38\x01"
#define RUN_OF_FOUR "\x0a\x08\x0a\x04\x0a\x02\x10\x04\x10\x01"
#define TRANSACTION "\x12\x24" UUID "\xb2\x06\x66\x0a\x4b\x12" DATA_FILE_TAIL "\x20\x04\x12\x17" FIELD_I
#define DATA_FILE_TAIL                                                                                       \
    "\x47\x0a\x38"                                                                                           \
    "0001110010110101001000111a2b3c4d5e6f708192a3b4c5d6.lance"                                               \
    "\x12\x01\0\x1a\x01\0\x20\x02\x28\x01\x30\xd2\x02"

static const char golden_transaction[] = TRANSACTION;
static const char golden_message[] = "\x0a\x17" FIELD_I "\x12\x6b\x12" DATA_FILE_TAIL "\x20\x04"
                                     "\x2a\x06\x0a\x04\x0a\x02\x10\x04"
                                     "\x3a\x0a" RUN_OF_FOUR "\x4a\x0a" RUN_OF_FOUR "\x18\x01"
                                     "\x3a\x0c\x08\xa9\xaf\xb3\xd8\x06\x10\xdf\x96\xcd\xd9\x02"
                                     "\x48\x02\x50\x02\x58\0"
                                     "\x62\x2a"
                                     "0-" UUID ".txn"
                                     "\x6a\x0f\x0a\x05lance\x12\x06"
                                     "12.0.0"
                                     "\x70\x04"
                                     "\x7a\x0c\x0a\x05lance\x12\x03"
                                     "2.1"
                                     "\xa8\x01\0";
enum { GOLDEN_LEN = sizeof golden_message - 1, GOLDEN_TRANSACTION_LEN = sizeof golden_transaction - 1 };

static void make_golden(void) {
    rwl_buf front;
    rwl_buf_init(&front, &lance_env, SIZE_MAX);
    ck_assert_uint_eq(GOLDEN_LEN, 0xec);
    ck_assert_uint_eq(GOLDEN_TRANSACTION_LEN, 0x8f);
    ASSERT_OK(rwl_buf_le32(&front, GOLDEN_TRANSACTION_LEN, &lance_error));
    ASSERT_OK(rwl_buf_append(&front, golden_transaction, GOLDEN_TRANSACTION_LEN, &lance_error));
    ASSERT_OK(rwl_buf_append(&message, golden_message, GOLDEN_LEN, &lance_error));
    lance_wrap(&front, &message, &file);
    ck_assert_uint_eq(file.len, 403);
    lance_put("18446744073709551614.manifest", rwl_buf_span(&file));
    rwl_buf_clear(&front);
}

static void check_packs(const rwl_lance_manifest *m, rwl_span want, const char *name) {
    rwl_buf_reset(&packed);
    ASSERT_OK(rwl_lance_manifest_pack(m, lance_store, &lance_op, &packed, &lance_error));
    ck_assert_msg(packed.len == want.len && memcmp(packed.data, want.data, want.len) == 0,
                  "%s: packed to %zu bytes other than the %zu there were", name, packed.len, want.len);
}

START_TEST(lan_90_manifest_of_the_reference) {
    rwl_lance_manifest *m;
    make_golden();
    ASSERT_OK(lance_open("18446744073709551614.manifest", &m));
    ck_assert_int_eq(m->version, 1);
    ck_assert(!m->is_detached);
    ck_assert_int_eq(m->size, 403);
    ck_assert_int_eq(m->message_offset, 0x97);
    ck_assert_int_eq(m->message_length, 0xec);
    /* seconds 0x6b0cd7a9 = 1796003753, nanoseconds 0x2b334b5f = 724781919 */
    ck_assert_int_eq(m->timestamp_ms, 1796003753724);
    ck_assert_int_eq(m->timestamp_ns, 724781919);
    ck_assert_uint_eq(m->reader_flags, 2);
    ck_assert_uint_eq(m->writer_flags, 2);
    ck_assert_int_eq(m->max_fragment_id, 0);
    ck_assert_int_eq(m->next_row_id, 4);
    ck_assert_str_eq(m->data_format, "2.1");
    ck_assert_str_eq(m->writer_library, "lance");
    ck_assert_str_eq(m->writer_version, "12.0.0");
    ck_assert_str_eq(m->transaction_file, "0-" UUID ".txn");
    ck_assert_int_eq(m->transaction_section, 0);
    ck_assert_int_eq(m->index_section, -1);
    ck_assert(rwl_lance_manifest_has_stable_ids(m));
    ck_assert_uint_eq(m->def_count, 1);
    ck_assert_str_eq(m->defs[0].name, "i");
    ck_assert_int_eq(m->defs[0].parent_id, -1);
    ck_assert_uint_eq(m->fragment_count, 1);
    const rwl_lance_fragment *f = rwl_lance_manifest_fragment(m, 0);
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_null(rwl_lance_manifest_fragment(m, 1));
    ck_assert_int_eq(f->physical_rows, 4);
    ck_assert_int_eq(f->file_count, 1);
    ck_assert_int_eq(f->files[0].size, 338);
    ck_assert_int_eq(f->files[0].base_id, -1);
    ck_assert(!f->deletion.is_present);
    for (int s = 0; s < RWL_LANCE_SEQUENCES; s++)
        ck_assert_int_eq(f->arms[s].kind, RWL_LANCE_ARM_INLINE);
    ck_assert_int_eq(f->arms[RWL_LANCE_ROW_IDS].length, 6);
    ck_assert_int_eq(m->lineage_bytes[RWL_LANCE_CREATED_AT], 10);
    check_packs(m, rwl_buf_span(&message), "the reference's manifest");

    rwl_lance_transaction t;
    bool found;
    ASSERT_OK(rwl_lance_transaction_read(lance_store, &lance_op, m, lance_folder, &lance_arena, &t, &found,
                                         &lance_error));
    ck_assert(found);
    ck_assert_str_eq(t.operation, "Overwrite");
    ck_assert_str_eq(t.uuid, UUID);
    ck_assert_uint_eq(t.read_version, 0);
    ck_assert_int_eq(t.added_fragments, 1);
    rwl_lance_manifest_free(m);
}
END_TEST

/* --- unknown fields, orders, presence --- */

static void finish(const char *name) {
    rwl_buf_reset(&file);
    lance_wrap(NULL, &message, &file);
    lance_put(name, rwl_buf_span(&file));
}

START_TEST(lan_90_unknown_fields_survive_at_every_level) {
    const uint64_t indices[] = {0, (uint64_t)-1, 2}, fields[] = {0, (uint64_t)-2, (uint64_t)-3};
    size_t field = pb_begin(&message, 1);
    pb_text(&message, 2, "i");
    pb_signed(&message, 4, -1);
    pb_text(&message, 5, "int64");
    pb_text(&message, 77, "of a field");
    pb_end(&message, field);
    size_t fragment = pb_begin(&message, 2);
    pb_varint(&message, 1, 0); /* there although zero */
    size_t data_file = pb_begin(&message, 2);
    pb_text(&message, 1, "a.lance");
    pb_packed(&message, 2, fields, 3);
    pb_packed(&message, 3, indices, 3);
    pb_varint(&message, 4, 2);
    pb_varint(&message, 5, 1);
    pb_fixed64(&message, 50, 7);
    pb_end(&message, data_file);
    pb_varint(&message, 4, 9);
    pb_empty(&message, 12); /* stands where 5 would */
    pb_empty(&message, 7);  /* inline and empty */
    pb_empty(&message, 14);
    pb_varint(&message, 90, 1);
    pb_fixed32(&message, 91, 2);
    pb_end(&message, fragment);
    pb_varint(&message, 3, 5);
    pb_varint(&message, 4, 0);
    pb_text(&message, 17, "between known ones");
    pb_varint(&message, 23, 0);
    pb_text(&message, 1000, "");
    finish("5.manifest");
    rwl_lance_manifest *m;
    ASSERT_OK(lance_open("5.manifest", &m));
    const rwl_lance_fragment *f = &m->fragments[0];
    ck_assert_int_eq(f->files[0].fields[1], -2);
    ck_assert_int_eq(f->files[0].column_indices[1], -1);
    ck_assert_int_eq(f->arms[RWL_LANCE_ROW_IDS].kind, RWL_LANCE_ARM_COLUMN);
    ck_assert_int_eq(f->arms[RWL_LANCE_CREATED_AT].kind, RWL_LANCE_ARM_COLUMN);
    ck_assert_int_eq(f->arms[RWL_LANCE_LAST_UPDATED].kind, RWL_LANCE_ARM_INLINE);
    ck_assert_ptr_nonnull(f->arms[RWL_LANCE_LAST_UPDATED].bytes.data);
    ck_assert_int_eq(m->max_fragment_id, 0);
    ck_assert_int_eq(m->transaction_section, 0);
    check_packs(m, rwl_buf_span(&message), "unknown fields");
    rwl_lance_manifest_free(m);
}
END_TEST

static int manifests_seen, manifests_refused;

static void check_fixture(const char *path) {
    if (strstr(path, "/_versions/") == NULL)
        return;
    rwl_lance_manifest *m;
    rwl_buf content;
    manifests_seen++;
    rwl_status st = rwl_lance_manifest_open(lance_store, &lance_op, path, &m, &lance_error);
    if (strstr(path, "wrong_data_version_no_fix.lance/_versions/2") != NULL) { /* fragments 0, 1, 1, 2 */
        ck_assert_int_eq(st, RWL_CORRUPT);
        manifests_refused++;
        return;
    }
    ck_assert_msg(st == RWL_OK, "%s", lance_error.message);
    rwl_buf_init(&content, &lance_env, SIZE_MAX);
    ASSERT_OK(rwl_store_read_all(lance_store, &lance_op, path, &content, &lance_error));
    check_packs(m, rwl_span_of(content.data + m->message_offset, (size_t)m->message_length), path);
    rwl_buf_clear(&content);
    rwl_lance_manifest_free(m);
}

START_TEST(lan_90_every_manifest_of_the_fixtures) {
    static const char *const folders[] = {"pylance", "generated-lancedb-0.31.0", "lancedb+lance"};
    for (size_t i = 0; i < 3; i++) {
        manifests_seen = 0;
        if (lance_each_fixture(folders[i], ".manifest", check_fixture))
            ck_assert_int_gt(manifests_seen, 30);
    }
}
END_TEST

/* --- what is refused --- */

typedef struct refusal {
    void (*build)(void);
    rwl_status status;
    const char *text;
} refusal;

static size_t open_fragment(uint64_t id, uint64_t rows) {
    size_t begin = pb_begin(&message, 2);
    pb_varint(&message, 1, id);
    pb_varint(&message, 4, rows);
    return begin;
}
static void put_file(const char *path, size_t fields, size_t indices) {
    const uint64_t numbers[] = {0, 1, 2, 3};
    size_t begin = pb_begin(&message, 2);
    pb_text(&message, 1, path);
    pb_packed(&message, 2, numbers, fields);
    if (indices > 0)
        pb_packed(&message, 3, numbers, indices);
    pb_varint(&message, 4, 2);
    pb_end(&message, begin);
}

static void version_zero(void) {
    pb_varint(&message, 14, 1);
}
static void large_next_row_id(void) {
    pb_varint(&message, 3, 1);
    pb_varint(&message, 14, (uint64_t)1 << 63);
}
static void falling_ids(void) {
    pb_varint(&message, 3, 1);
    pb_end(&message, open_fragment(2, 1));
    pb_end(&message, open_fragment(1, 1));
}
static void equal_ids(void) {
    pb_varint(&message, 3, 1);
    pb_end(&message, open_fragment(2, 1));
    pb_end(&message, open_fragment(2, 1));
}
static void large_fragment_id(void) {
    pb_varint(&message, 3, 1);
    pb_end(&message, open_fragment((uint64_t)1 << 31, 1));
}
static void small_max_fragment_id(void) {
    pb_varint(&message, 3, 1);
    pb_end(&message, open_fragment(7, 1));
    pb_varint(&message, 11, 6);
}
static void too_many_rows(void) {
    pb_varint(&message, 3, 1);
    pb_end(&message, open_fragment(7, ((uint64_t)1 << 32) + 1));
}
static void too_many_indices(void) {
    pb_varint(&message, 3, 1);
    size_t fragment = open_fragment(7, 1);
    put_file("a.lance", 2, 3);
    pb_end(&message, fragment);
}
static void file_without_path(void) {
    pb_varint(&message, 3, 1);
    size_t fragment = open_fragment(7, 1);
    put_file("", 1, 1);
    pb_end(&message, fragment);
}
static void more_deleted_than_there(void) {
    pb_varint(&message, 3, 1);
    size_t fragment = open_fragment(7, 4);
    size_t deletion = pb_begin(&message, 3);
    pb_varint(&message, 4, 5);
    pb_end(&message, deletion);
    pb_end(&message, fragment);
}
static void unknown_deletion_file(void) {
    pb_varint(&message, 3, 1);
    size_t fragment = open_fragment(7, 4);
    size_t deletion = pb_begin(&message, 3);
    pb_varint(&message, 1, 2);
    pb_end(&message, deletion);
    pb_end(&message, fragment);
}
static void two_arms(void) {
    pb_varint(&message, 3, 1);
    size_t fragment = open_fragment(7, 4);
    pb_empty(&message, 5);
    pb_empty(&message, 12);
    pb_end(&message, fragment);
}
static void an_arm_twice(void) {
    pb_varint(&message, 3, 1);
    size_t fragment = open_fragment(7, 4);
    pb_empty(&message, 7);
    pb_empty(&message, 7);
    pb_end(&message, fragment);
}
static void overlays(void) {
    pb_varint(&message, 3, 1);
    size_t fragment = open_fragment(7, 4);
    pb_empty(&message, 11);
    pb_end(&message, fragment);
}
static void fragment_tree(void) {
    pb_varint(&message, 3, 1);
    pb_empty(&message, 22);
}
static void reader_flag(void) {
    pb_varint(&message, 3, 1);
    pb_varint(&message, 9, 512);
}
static void negative_field_id(void) {
    size_t field = pb_begin(&message, 1);
    pb_text(&message, 2, "i");
    pb_signed(&message, 3, -3);
    pb_signed(&message, 4, -1);
    pb_text(&message, 5, "int32");
    pb_end(&message, field);
    pb_varint(&message, 3, 1);
}
static void no_utf8(void) {
    pb_varint(&message, 3, 1);
    pb_text(&message, 8, "\xff");
}
static void wrong_wire_type(void) {
    pb_text(&message, 3, "1");
}
static void base_twice(void) {
    pb_varint(&message, 3, 1);
    pb_empty(&message, 18);
    pb_empty(&message, 18);
}
static void bad_time(void) {
    pb_varint(&message, 3, 1);
    size_t time = pb_begin(&message, 7);
    pb_varint(&message, 1, (uint64_t)1 << 62);
    pb_end(&message, time);
}
static void group(void) {
    pb_varint(&message, 3, 1);
    ASSERT_OK(rwl_buf_u8(&message, 8 << 3 | 3, &lance_error));
}
static void empty_fragments(void) { /* 2 bytes each, structs of 300 */
    pb_varint(&message, 3, 1);
    for (int i = 0; i < 100000; i++)
        pb_empty(&message, 2);
}

START_TEST(refuses_with_a_sentence_each) {
    static const refusal cases[] = {
        {version_zero, RWL_CORRUPT, "version 0"},
        {large_next_row_id, RWL_CORRUPT, "next_row_id is 9223372036854775808"},
        {falling_ids, RWL_CORRUPT, "fragment 1 follows fragment 2"},
        {equal_ids, RWL_CORRUPT, "fragment 2 follows fragment 2"},
        {large_fragment_id, RWL_UNSUPPORTED, "fragment id 2147483648"},
        {small_max_fragment_id, RWL_CORRUPT, "max_fragment_id is 6, there is a fragment 7"},
        {too_many_rows, RWL_CORRUPT, "fragment 7: 4294967297 physical rows"},
        {too_many_indices, RWL_CORRUPT, "has 2 field ids but 3 column indices"},
        {file_without_path, RWL_CORRUPT, "without a path"},
        {more_deleted_than_there, RWL_CORRUPT, "5 rows of 4 are deleted"},
        {unknown_deletion_file, RWL_UNSUPPORTED, "a deletion file of type 2"},
        {two_arms, RWL_CORRUPT, "fragment 7: _rowid is stored in more than one way"},
        {an_arm_twice, RWL_CORRUPT, "inline_last_updated_at_versions is there twice"},
        {overlays, RWL_UNSUPPORTED, "data overlay files"},
        {fragment_tree, RWL_UNSUPPORTED, "fragment tree"},
        {reader_flag, RWL_UNSUPPORTED, "feature flag 512"},
        {negative_field_id, RWL_CORRUPT, "field i has id -3"},
        {no_utf8, RWL_CORRUPT, "Manifest.tag: a string that is no UTF-8"},
        {wrong_wire_type, RWL_CORRUPT, "Manifest.version: field 3 has wire type 2, not 0"},
        {base_twice, RWL_CORRUPT, "base path 0 is there twice"},
        {bad_time, RWL_CORRUPT, "a timestamp of"},
        {group, RWL_CORRUPT, "field 8 has wire type 3"},
        {empty_fragments, RWL_UNSUPPORTED, "nearly all of it is empty"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_lance_manifest *m;
        rwl_buf_reset(&message);
        cases[i].build();
        finish("1.manifest");
        ASSERT_FAILS(lance_open("1.manifest", &m), cases[i].status, cases[i].text);
    }
}
END_TEST

START_TEST(fewer_column_indices_than_fields_open) { /* lineage names it where the column is wanted (LAN-70) */
    pb_varint(&message, 3, 1);
    size_t fragment = open_fragment(0, 1);
    put_file("a.lance", 3, 1);
    pb_end(&message, fragment);
    finish("1.manifest");
    rwl_lance_manifest *m;
    ASSERT_OK(lance_open("1.manifest", &m));
    ck_assert_int_eq(m->fragments[0].files[0].index_count, 1);
    ck_assert_int_eq(m->fragments[0].files[0].column_indices[0], 0);
    ck_assert_int_eq(m->fragments[0].files[0].column_indices[2], -1);
    rwl_lance_manifest_free(m);
}
END_TEST

START_TEST(refuses_ends_that_do_not_fit) {
    rwl_lance_manifest *m;
    lance_message(&message, 1);
    static const struct {
        int64_t at; /* from the end */
        uint8_t byte;
        rwl_status status;
        const char *text;
    } cases[] = {
        {-1, 'X', RWL_CORRUPT, "does not end with \"LANC\""},
        {-6, 3, RWL_UNSUPPORTED, "manifest version 0.3"},
        {-8, 1, RWL_UNSUPPORTED, "manifest version 1.2"},
        {-16, 1, RWL_CORRUPT, "the manifest has"},
        {-10, 1, RWL_CORRUPT, "outside of the file's"},
        {-9, 255, RWL_CORRUPT, "outside of the file's"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_buf_reset(&file);
        lance_wrap(NULL, &message, &file);
        file.data[file.len - (size_t)-cases[i].at] = cases[i].byte;
        lance_put("1.manifest", rwl_buf_span(&file));
        ASSERT_FAILS(lance_open("1.manifest", &m), cases[i].status, cases[i].text);
    }
    finish("2.manifest");
    ASSERT_FAILS(lance_open("2.manifest", &m), RWL_CORRUPT, "is of version 1, its name of version 2");
    finish("d9223372036854775809.manifest");
    ASSERT_FAILS(lance_open("d9223372036854775809.manifest", &m), RWL_CORRUPT, "name of detached version 1");
    finish("any name");
    ASSERT_OK(lance_open("any name", &m));
    rwl_lance_manifest_free(m);
    ASSERT_FAILS(lance_open("none", &m), RWL_NOT_FOUND, "none");
}
END_TEST

START_TEST(opens_a_detached_version) {
    rwl_lance_manifest *m;
    pb_varint(&message, 3, ((uint64_t)1 << 63) + 5);
    finish("d9223372036854775813.manifest");
    ASSERT_OK(lance_open("d9223372036854775813.manifest", &m));
    ck_assert(m->is_detached);
    ck_assert_int_eq(m->version, 5);
    rwl_lance_manifest_free(m);
}
END_TEST

START_TEST(takes_the_transaction_section_of_either_field) {
    rwl_lance_manifest *m;
    pb_varint(&message, 3, 1);
    pb_varint(&message, 21, 11);
    finish("1.manifest");
    ASSERT_OK(lance_open("1.manifest", &m));
    ck_assert_int_eq(m->transaction_section, 11);
    ck_assert_int_eq(m->max_fragment_id, -1);
    rwl_lance_manifest_free(m);
    pb_varint(&message, 23, 12);
    finish("1.manifest");
    ASSERT_OK(lance_open("1.manifest", &m));
    ck_assert_int_eq(m->transaction_section, 12);
    rwl_lance_manifest_free(m);
}
END_TEST

/* --- damage --- */

/* An error or a manifest, which then can be packed. */
static void open_damaged(rwl_span content) {
    rwl_lance_manifest *m;
    lance_put("damaged", content);
    rwl_status st = lance_open("damaged", &m);
    if (st == RWL_OK) {
        rwl_buf_reset(&packed);
        ASSERT_OK(rwl_lance_manifest_pack(m, lance_store, &lance_op, &packed, &lance_error));
        rwl_lance_manifest_free(m);
        return;
    }
    ck_assert_msg(st == RWL_CORRUPT || st == RWL_UNSUPPORTED, "%d: %s", (int)st, lance_error.message);
}

START_TEST(truncated_at_every_byte) {
    make_golden();
    for (size_t len = 0; len < file.len; len++) {
        open_damaged(rwl_span_of(file.data, len));
        rwl_buf cut, whole; /* the message cut, in a file that is whole */
        if (len > message.len)
            continue;
        rwl_buf_init(&cut, &lance_env, SIZE_MAX);
        rwl_buf_init(&whole, &lance_env, SIZE_MAX);
        ASSERT_OK(rwl_buf_append(&cut, message.data, len, &lance_error));
        lance_wrap(NULL, &cut, &whole);
        open_damaged(rwl_buf_span(&whole));
        rwl_buf_clear(&cut);
        rwl_buf_clear(&whole);
    }
}
END_TEST

START_TEST(every_bit_flipped) {
    make_golden();
    for (size_t bit = 0; bit < 8 * file.len; bit++) {
        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        open_damaged(rwl_buf_span(&file));
        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}
END_TEST

/* --- memory that runs out --- */

static long allocations_left;

static void *limited_realloc(void *ctx, void *old, size_t size) {
    (void)ctx;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return allocations_left-- > 0 ? realloc(old, size) : NULL;
}

START_TEST(every_allocation_may_fail) {
    rwl_env env = lance_env;
    rwl_op op;
    rwl_status st = RWL_NO_MEMORY;
    long n;
    make_golden();
    env.realloc = limited_realloc;
    rwl_op_init(&op, &env, 0);
    for (n = 0; st != RWL_OK && n < 1000; n++) {
        rwl_lance_manifest *m;
        rwl_buf out;
        allocations_left = n;
        st = rwl_lance_manifest_open(lance_store, &op, lance_path("18446744073709551614.manifest"), &m,
                                     &lance_error);
        if (st == RWL_OK) {
            rwl_buf_init(&out, &env, SIZE_MAX);
            st = rwl_lance_manifest_pack(m, lance_store, &op, &out, &lance_error);
            rwl_buf_clear(&out);
            rwl_lance_manifest_free(m);
        }
        ck_assert_msg(st == RWL_OK || st == RWL_NO_MEMORY, "%d: %s", (int)st, lance_error.message);
        ck_assert_int_eq(atomic_load(&op.memory_used), 0);
    }
    ck_assert_int_gt(n, 10);
    ck_assert_int_eq(st, RWL_OK);
}
END_TEST

/* --- long lineage --- */

enum { ARM = 64 << 20 };

/* A manifest whose fragment 3 has 64 MiB of row ids inline, zeros in a hole of the file. */
static void put_long_arm(const char *name) {
    rwl_buf head, tail;
    rwl_buf_init(&head, &lance_env, SIZE_MAX);
    rwl_buf_init(&tail, &lance_env, SIZE_MAX);
    lance_put_field(&message, 1, "i", 0, -1, "int32", true);
    pb_end(&message, open_fragment(1, 4));
    /* in the fragment before the arm: id 3, physical_rows 4, tag and length of the arm; behind it an empty arm 13 */
    pb_varint(&head, 1, 3);
    pb_varint(&head, 4, 4);
    ASSERT_OK(rwl_buf_varint(&head, 5 << 3 | 2, &lance_error));
    ASSERT_OK(rwl_buf_varint(&head, ARM, &lance_error));
    ASSERT_OK(rwl_buf_varint(&message, 2 << 3 | 2, &lance_error));
    ASSERT_OK(rwl_buf_varint(&message, head.len + ARM + 2, &lance_error));
    ASSERT_OK(rwl_buf_append(&message, head.data, head.len, &lance_error));
    pb_empty(&tail, 13);
    pb_varint(&tail, 3, 8);
    size_t length = message.len + ARM + tail.len;
    ASSERT_OK(rwl_buf_le32(&file, (uint32_t)length, &lance_error));
    ASSERT_OK(rwl_buf_append(&file, message.data, message.len, &lance_error));
    ASSERT_OK(rwl_buf_le64(&tail, 0, &lance_error));
    ASSERT_OK(rwl_buf_append(&tail, "\0\0\2\0LANC", 8, &lance_error));
    int fd = open(lance_path(name), O_CREAT | O_WRONLY, 0666);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pwrite(fd, file.data, file.len, 0), (ssize_t)file.len);
    ck_assert_int_eq(pwrite(fd, tail.data, tail.len, (off_t)(file.len + ARM)), (ssize_t)tail.len);
    close(fd);
    rwl_buf_clear(&head);
    rwl_buf_clear(&tail);
}

START_TEST(lineage_of_64_mib_stays_in_the_file) {
    rwl_store *local, *counting;
    rwl_lance_manifest *m;
    rwl_op small;
    const rwl_test_store_options options = {0};
    put_long_arm("8.manifest");
    ASSERT_OK(rwl_store_local_new(&lance_env, NULL, 0, &local, &lance_error));
    ASSERT_OK(rwl_test_store_new(&lance_env, local, &options, &counting, &lance_error));
    rwl_op_init(&small, &lance_env, 16 << 20);
    ASSERT_OK(rwl_lance_manifest_open(counting, &small, lance_path("8.manifest"), &m, &lance_error));
    ck_assert_int_le(rwl_test_store_stats_of(counting).bytes_read, 4 * 65536);
    ck_assert_uint_le(m->arena.used, 1 << 20);
    int64_t held = small.memory_used;
    ck_assert_int_le(held, 1 << 20);
    const rwl_lance_arm *arm = &m->fragments[1].arms[RWL_LANCE_ROW_IDS];
    ck_assert_int_eq(arm->kind, RWL_LANCE_ARM_INLINE);
    ck_assert_int_eq(arm->length, ARM);
    ck_assert_int_eq(arm->offset, (int64_t)file.len);
    ck_assert_ptr_null(arm->bytes.data);
    ck_assert_int_eq(m->lineage_bytes[RWL_LANCE_ROW_IDS], ARM);
    ck_assert_int_eq(m->fragments[1].arms[RWL_LANCE_LAST_UPDATED].kind, RWL_LANCE_ARM_COLUMN);
    ASSERT_FAILS(rwl_lance_manifest_pack(m, counting, &small, &packed, &lance_error), RWL_UNSUPPORTED,
                 "packing");
    ck_assert_int_eq(small.memory_used, held);
    ASSERT_OK(rwl_lance_manifest_pack(m, counting, &lance_op, &packed, &lance_error));
    ck_assert_int_eq((int64_t)packed.len, m->message_length);
    ck_assert_mem_eq(packed.data, message.data, message.len);
    ck_assert_int_eq(packed.data[packed.len - 4], 13 << 3 | 2);
    rwl_lance_manifest_free(m);
    ck_assert_int_eq(small.memory_used, 0);
    rwl_store_free(counting);
}
END_TEST

static void put_filler(rwl_buf *out, size_t len) {
    ASSERT_OK(rwl_buf_reserve(out, len, &lance_error));
    memset(out->data + out->len, 0xff, len);
    out->len += len;
}

enum { INDEX_LEN = 5 << 20, TRANSACTION_LEN = 3 << 20 };

/* A manifest behind sections that are nothing but filler, with `metadata` more bytes in it. */
static void put_behind_sections(const char *name, size_t metadata) {
    rwl_buf value;
    rwl_buf_init(&value, &lance_env, SIZE_MAX);
    put_filler(&value, metadata);
    lance_put_field(&message, 1, "i", 0, -1, "int32", true);
    pb_end(&message, open_fragment(1, 4));
    pb_varint(&message, 3, 9);
    size_t pair = pb_begin(&message, 5);
    pb_text(&message, 1, "k");
    pb_bytes(&message, 2, rwl_buf_span(&value));
    pb_end(&message, pair);
    pb_varint(&message, 6, 0);
    pb_varint(&message, 23, INDEX_LEN + 4);
    ASSERT_OK(rwl_buf_le32(&file, INDEX_LEN, &lance_error));
    put_filler(&file, INDEX_LEN);
    ASSERT_OK(rwl_buf_le32(&file, TRANSACTION_LEN, &lance_error));
    put_filler(&file, TRANSACTION_LEN);
    uint64_t offset = file.len;
    ASSERT_OK(rwl_buf_le32(&file, (uint32_t)message.len, &lance_error));
    ASSERT_OK(rwl_buf_append(&file, message.data, message.len, &lance_error));
    ASSERT_OK(rwl_buf_le64(&file, offset, &lance_error));
    ASSERT_OK(rwl_buf_append(&file, "\0\0\2\0LANC", 8, &lance_error));
    lance_put(name, rwl_buf_span(&file));
    rwl_buf_clear(&value);
}

/* The message lies within the tail, or begins before it. */
START_TEST(sections_before_the_message_are_not_read) {
    for (int is_long = 0; is_long <= 1; is_long++) {
        rwl_store *local, *counting;
        rwl_lance_manifest *m;
        const rwl_test_store_options options = {0};
        rwl_buf_reset(&message);
        rwl_buf_reset(&file);
        put_behind_sections("9.manifest", is_long ? 2 * RWL_LANCE_WINDOW : 100);
        ASSERT_OK(rwl_store_local_new(&lance_env, NULL, 0, &local, &lance_error));
        ASSERT_OK(rwl_test_store_new(&lance_env, local, &options, &counting, &lance_error));
        ASSERT_OK(rwl_lance_manifest_open(counting, &lance_op, lance_path("9.manifest"), &m, &lance_error));
        rwl_test_store_stats stats = rwl_test_store_stats_of(counting);
        ck_assert_int_eq(stats.calls[RWL_TEST_READ], is_long ? 4 : 1);
        ck_assert_int_le(stats.bytes_read, RWL_LANCE_WINDOW + (is_long ? 20 + (int64_t)message.len : 0));
        ck_assert_int_eq(m->index_section, 0);
        ck_assert_int_eq(m->transaction_section, INDEX_LEN + 4);
        rwl_lance_manifest_free(m);
        rwl_store_free(counting);
    }
}
END_TEST

static rwl_status open_small(void *arg, rwl_error *err) {
    rwl_lance_manifest *m;
    RWL_TRY(rwl_lance_manifest_open(lance_store, arg, lance_path("1.manifest"), &m, err));
    rwl_lance_manifest_free(m);
    return RWL_OK;
}

/* Paths of 512 bytes, of 4000 fragments, are in memory as they are stored and as they are unpacked. */
START_TEST(a_message_over_the_budget_is_refused) {
    rwl_lance_manifest *m;
    rwl_op small;
    char path[512];
    memset(path, 'p', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    for (uint64_t id = 0; id < 4000; id++) {
        size_t fragment = pb_begin(&message, 2);
        pb_varint(&message, 1, id);
        put_file(path, 1, 1);
        pb_varint(&message, 4, 1);
        pb_end(&message, fragment);
    }
    pb_varint(&message, 3, 1);
    finish("1.manifest");
    rwl_op_init(&small, &lance_env, 1 << 20);
    ASSERT_FAILS(rwl_lance_manifest_open(lance_store, &small, lance_path("1.manifest"), &m, &lance_error),
                 RWL_UNSUPPORTED, "memory limit");
    ck_assert_int_eq(atomic_load(&small.memory_used), 0);
    rwl_op_init(&small, &lance_env, 16 << 20);
    ASSERT_OK(rwl_lance_manifest_open(lance_store, &small, lance_path("1.manifest"), &m, &lance_error));
    ck_assert_uint_eq(m->fragment_count, 4000);
    check_packs(m, rwl_buf_span(&message), "4000 fragments");
    rwl_lance_manifest_free(m);
    ck_assert_int_eq(small.memory_used, 0);
    check_least_budget(&small, open_small, &small, 2 * 4000 * 512, 4 * 4000 * 512,
                       "an unpacked manifest needs");
}
END_TEST

Suite *manifest_suite(void) {
    Suite *suite = suite_create("manifest");
    TCase *tcase = tcase_create("manifest");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, lan_90_manifest_of_the_reference);
    tcase_add_test(tcase, lan_90_unknown_fields_survive_at_every_level);
    tcase_add_test(tcase, lan_90_every_manifest_of_the_fixtures);
    tcase_add_test(tcase, refuses_with_a_sentence_each);
    tcase_add_test(tcase, fewer_column_indices_than_fields_open);
    tcase_add_test(tcase, refuses_ends_that_do_not_fit);
    tcase_add_test(tcase, opens_a_detached_version);
    tcase_add_test(tcase, takes_the_transaction_section_of_either_field);
    tcase_add_test(tcase, truncated_at_every_byte);
    tcase_add_test(tcase, every_bit_flipped);
    tcase_add_test(tcase, every_allocation_may_fail);
    tcase_add_test(tcase, lineage_of_64_mib_stays_in_the_file);
    tcase_add_test(tcase, sections_before_the_message_are_not_read);
    tcase_add_test(tcase, a_message_over_the_budget_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
