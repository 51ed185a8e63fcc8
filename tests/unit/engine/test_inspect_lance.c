/* SPDX-License-Identifier: Apache-2.0 */
/* Looking into Lance files: what they are told apart by, documents, pages and rows of files built here, damaged ones. */
#include "engine_test.h"
#include "lance_build.h"
#include "suites.h"

#include "base/json.h"
#include "engine/inspect.h"

#include <stdio.h>
#include <string.h>

static const rwl_inspect_options WHOLE = {.row_group = -1};

static void write_bytes(const char *name, rwl_span bytes) {
    FILE *f = fopen(test_path(name), "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes.data, 1, bytes.len, f), bytes.len);
    ck_assert_int_eq(fclose(f), 0);
}

/* The document of a file of the test's folder, in the test's arena. */
static rwl_status document(const char *name, const rwl_inspect_options *options, const char **out,
                           rwl_error *failure) {
    rwl_inspect *in = NULL;
    rwl_span json = {NULL, 0};
    RWL_TRY(rwl_inspect_open(test_op(), test_path(name), options, &in, failure));
    rwl_status st = rwl_inspect_document(in, &json, failure);
    if (st == RWL_OK) { /* one JSON object, no key twice */
        rwl_json *parsed = NULL;
        ASSERT_OK(rwl_json_parse(json, &parsed, err));
        rwl_json_free(parsed);
        *out = rwl_arena_strndup(test_arena(), (const char *)json.data, json.len);
    }
    rwl_inspect_free(in);
    return st;
}

static const char *read_document(const char *name) {
    const char *text = "";
    ASSERT_OK(document(name, &WHOLE, &text, err));
    return text;
}

#define ASSERT_HAS(text, part)                                                                               \
    ck_assert_msg(strstr((text), (part)) != NULL, "'%s' is not in '%s'", (part), (text))

/* --- files of the tests --- */

/* A column of four int32 below `around` structs, all there: one layer each and one of the values. */
static void build_nested(lance_build *b, const int32_t values[4], size_t around) {
    enum { WORDS_OF_8 = 3 }; /* u16 levels, u16 bytes, four of padding, 16 bytes of values */
    static const uint64_t all_valid[] = {1, 1, 1};
    uint8_t chunk[8 * WORDS_OF_8] = {0, 0, 16};
    const uint8_t word[2] = {(WORDS_OF_8 - 1) << 4};
    rwl_buf encoding;
    rwl_buf_init(&encoding, test_env(), SIZE_MAX);
    memcpy(chunk + 8, values, 16);
    lance_build_column(b);
    lance_build_buffer(b, word, sizeof word);
    lance_build_buffer(b, chunk, sizeof chunk);
    size_t layout = pb_begin(&encoding, 1);
    lance_put_flat(&encoding, 3, 32);
    pb_packed(&encoding, 6, all_valid, around + 1);
    pb_varint(&encoding, 7, 1);
    pb_varint(&encoding, 9, 4);
    pb_end(&encoding, layout);
    lance_build_page(b, 4, rwl_buf_span(&encoding));
    rwl_buf_clear(&encoding);
}

/* A data file of 2.1: i int32, s{a{x int32}, b int32}, then _rowid with this id. 4 rows: i = 1 2 3 4, x = 5 6 7 8, b = 9 10 11 12,
 * ids 100 to 103. */
static void build_data(rwl_buf *out, int32_t row_id_field, uint16_t major, uint16_t minor) {
    static const int32_t values[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
    static const uint64_t ids[4] = {100, 101, 102, 103};
    lance_build b;
    lance_build_init(&b, test_env(), major, minor);
    lance_build_field(&b, "i", 0, -1, "int32", false);
    lance_build_field(&b, "s", 1, -1, "struct", false);
    lance_build_field(&b, "a", 2, 1, "struct", false);
    lance_build_field(&b, "x", 3, 2, "int32", false);
    lance_build_field(&b, "b", 4, 1, "int32", false);
    lance_build_field(&b, "_rowid", row_id_field, -1, "uint64", false);
    lance_build_flat_column(&b, values[0], 4, 32);
    build_nested(&b, values[1], 2);
    build_nested(&b, values[2], 1);
    lance_build_flat_column(&b, ids, 4, 64);
    lance_build_finish(&b, 4, out);
    lance_build_clear(&b);
}

static void write_data(const char *name) {
    rwl_buf file;
    rwl_buf_init(&file, test_env(), SIZE_MAX);
    build_data(&file, -3, 2, 1);
    write_bytes(name, rwl_buf_span(&file));
    rwl_buf_clear(&file);
}

/* Version 5: one field, one fragment of `rows` rows with these ids inline and versions 2 for the first row, 3 for the rest. */
static void build_manifest(rwl_buf *out, rwl_span ids, uint64_t rows) {
    rwl_buf m, t;
    const uint64_t zero = 0;
    rwl_buf_init(&m, test_env(), SIZE_MAX);
    rwl_buf_init(&t, test_env(), SIZE_MAX);
    pb_varint(&t, 1, 4);
    pb_text(&t, 2, "0d9d3b1a-0000-4000-8000-000000000000");
    size_t operation = pb_begin(&t, 101);
    pb_text(&t, 3, "i = 7");
    pb_end(&t, operation);
    ASSERT_OK(rwl_buf_le32(out, (uint32_t)t.len, err));
    ASSERT_OK(rwl_buf_append(out, t.data, t.len, err));
    lance_put_field(&m, 1, "i", 0, -1, "int32", true);
    size_t fragment = pb_begin(&m, 2);
    size_t file = pb_begin(&m, 2);
    pb_text(&m, 1, "a.lance");
    pb_packed(&m, 2, &zero, 1);
    pb_packed(&m, 3, &zero, 1);
    pb_varint(&m, 4, 2);
    pb_varint(&m, 5, 1);
    pb_varint(&m, 6, 338);
    pb_end(&m, file);
    size_t deletion = pb_begin(&m, 3);
    pb_varint(&m, 1, 1);
    pb_varint(&m, 2, 4);
    pb_varint(&m, 3, UINT64_MAX);
    pb_varint(&m, 4, 1);
    pb_end(&m, deletion);
    pb_varint(&m, 4, rows);
    pb_bytes(&m, 5, ids);
    size_t versions = pb_begin(&m, 7);
    for (uint64_t v = 2; v <= 3; v++) {
        size_t run = pb_begin(&m, 1), span = pb_begin(&m, 1), range = pb_begin(&m, 1);
        pb_varint(&m, 1, v == 2 ? 0 : 1);
        pb_varint(&m, 2, v == 2 ? 1 : rows);
        pb_end(&m, range);
        pb_end(&m, span);
        pb_varint(&m, 2, v);
        pb_end(&m, run);
    }
    pb_end(&m, versions);
    pb_empty(&m, 14);
    pb_end(&m, fragment);
    pb_varint(&m, 3, 5);
    size_t time = pb_begin(&m, 7);
    pb_varint(&m, 1, 1700000000);
    pb_end(&m, time);
    pb_varint(&m, 9, 1 | 2 | 2048);
    pb_varint(&m, 10, 1 | 2 | 2048);
    pb_varint(&m, 11, 0);
    pb_varint(&m, 14, 1000000);
    pb_varint(&m, 23, 0);
    uint64_t at = out->len;
    ASSERT_OK(rwl_buf_le32(out, (uint32_t)m.len, err));
    ASSERT_OK(rwl_buf_append(out, m.data, m.len, err));
    ASSERT_OK(rwl_buf_le64(out, at, err));
    ASSERT_OK(rwl_buf_append(out, "\0\0\2\0LANC", 8, err));
    rwl_buf_clear(&m);
    rwl_buf_clear(&t);
}

/* [0, 4) */
static const uint8_t FOUR_IDS[] = {0x0a, 4, 0x0a, 2, 0x10, 4};
/* {1, 5, 700, 1999} and {10 .. 13}: the examples of the format's description */
static const uint8_t POSITIONS[] = {0x3a, 0x30, 0, 0, 1, 0,    0,    0,    0,    0,    3,    0,
                                    16,   0,    0, 0, 1, 0x00, 0x05, 0x00, 0xbc, 0x02, 0xcf, 0x07};
static const uint8_t RUN[] = {0x3b, 0x30, 0, 0, 1, 0, 0, 3, 0, 1, 0, 10, 0, 3, 0};

static void write_manifest(const char *name) {
    rwl_buf file;
    rwl_buf_init(&file, test_env(), SIZE_MAX);
    build_manifest(&file, rwl_span_of(FOUR_IDS, sizeof FOUR_IDS), 4);
    write_bytes(name, rwl_buf_span(&file));
    rwl_buf_clear(&file);
}

/* An Update of version 7 with a property, two new fragments, one removed. */
static void build_transaction(rwl_buf *t) {
    pb_varint(t, 1, 7);
    pb_text(t, 2, "0d9d3b1a-0000-4000-8000-000000000000");
    size_t entry = pb_begin(t, 4);
    pb_text(t, 1, "who");
    pb_text(t, 2, "me");
    pb_end(t, entry);
    size_t operation = pb_begin(t, 108);
    const uint64_t removed = 3;
    pb_packed(t, 1, &removed, 1);
    pb_empty(t, 3);
    pb_empty(t, 3);
    pb_end(t, operation);
}

static void write_transaction(const char *name) {
    rwl_buf t;
    rwl_buf_init(&t, test_env(), SIZE_MAX);
    build_transaction(&t);
    write_bytes(name, rwl_buf_span(&t));
    rwl_buf_clear(&t);
}

/* --- what is what --- */

START_TEST(files_are_told_apart_by_content_and_not_by_name) {
    write_data("one.manifest");
    ASSERT_HAS(read_document("one.manifest"), "{\"kind\": \"lance_data\"");
    write_manifest("two.lance");
    ASSERT_HAS(read_document("two.lance"), "{\"kind\": \"lance_manifest\"");
    write_bytes("three", rwl_span_of(POSITIONS, sizeof POSITIONS));
    ASSERT_HAS(read_document("three"), "{\"kind\": \"lance_deletions\"");
    write_transaction("four.txn");
    ASSERT_HAS(read_document("four.txn"), "{\"kind\": \"lance_transaction\"");
}
END_TEST

START_TEST(files_of_other_versions_are_refused_by_name) {
    static const struct {
        uint16_t major, minor;
        const char *message;
    } cases[] = {{2, 3, "Lance file version 2.3"}, {2, 9, "Lance file version 2.9"}};
    const char *text;
    rwl_buf file;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_buf_init(&file, test_env(), SIZE_MAX);
        build_data(&file, -3, cases[i].major, cases[i].minor);
        write_bytes("other", rwl_buf_span(&file));
        ASSERT_FAILS(RWL_UNSUPPORTED, cases[i].message, document("other", &WHOLE, &text, err));
        rwl_buf_clear(&file);
    }
    /* as version 1 has it: the message's first field is a number, the position of a manifest */
    static const uint8_t legacy[] = {2, 0, 0, 0, 0x08, 0x01, /* length 2, position 1 */
                                     0, 0, 0, 0, 0,    0,    0, 0, 0, 0, 2, 0, 'L', 'A', 'N', 'C'};
    write_bytes("legacy.manifest", rwl_span_of(legacy, sizeof legacy));
    ASSERT_FAILS(RWL_UNSUPPORTED, "Lance file version 0.2 (legacy)",
                 document("legacy.manifest", &WHOLE, &text, err));
}
END_TEST

START_TEST(what_has_no_magic_needs_its_name_and_its_whole_content) {
    const char *text;
    uint8_t broken[sizeof POSITIONS];
    write_transaction("plain");
    ASSERT_FAILS(RWL_UNSUPPORTED, "begins with 08 07", document("plain", &WHOLE, &text, err));
    write_bytes("text.txn", rwl_span_str("no such message"));
    ASSERT_FAILS(RWL_CORRUPT, "transaction of ", document("text.txn", &WHOLE, &text, err));
    write_bytes("empty.txn", rwl_span_of("", 0));
    ASSERT_FAILS(RWL_UNSUPPORTED, "is empty", document("empty.txn", &WHOLE, &text, err));
    write_bytes("number.txn", rwl_span_of("\x08\x01", 2));
    ASSERT_FAILS(RWL_CORRUPT, "it has no uuid", document("number.txn", &WHOLE, &text, err));
    memcpy(broken, POSITIONS, sizeof broken);
    broken[12] = 99; /* the offset of the container */
    broken[16] = 200;
    write_bytes("broken.bin", rwl_span_of(broken, sizeof broken - 1));
    ASSERT_FAILS(RWL_CORRUPT, "deletion file ", document("broken.bin", &WHOLE, &text, err));
    write_bytes("broken", rwl_span_of(broken, sizeof broken - 1));
    ASSERT_FAILS(RWL_UNSUPPORTED, "begins with 3a 30", document("broken", &WHOLE, &text, err));
}
END_TEST

START_TEST(options_that_do_not_go_with_a_kind_are_usage) {
    const rwl_inspect_options schema = {.row_group = -1, .schema_only = true}, group = {.row_group = 0},
                              column = {.row_group = -1, .column = "i"},
                              absent = {.row_group = -1, .column = "s.y"};
    const char *text;
    struct ArrowArrayStream stream;
    rwl_inspect *in;
    write_data("d");
    write_manifest("m");
    write_transaction("t.txn");
    write_bytes("p.bin", rwl_span_of(POSITIONS, sizeof POSITIONS));
    ASSERT_FAILS(RWL_USAGE, "lance_transaction, which has no schema", document("t.txn", &schema, &text, err));
    ASSERT_FAILS(RWL_USAGE, "lance_deletions, which has no schema", document("p.bin", &schema, &text, err));
    ASSERT_FAILS(RWL_USAGE, "row groups are chosen of Parquet files", document("d", &group, &text, err));
    ASSERT_FAILS(RWL_USAGE, "no column s.y in", document("d", &absent, &text, err));
    ASSERT_FAILS(RWL_USAGE, "columns are chosen of Parquet and Lance data files",
                 document("m", &column, &text, err));
    ASSERT_OK(rwl_inspect_open(test_op(), test_path("m"), &WHOLE, &in, err));
    ASSERT_FAILS(RWL_USAGE, "pages are of Parquet and Lance data files", rwl_inspect_pages(in, &stream, err));
    ASSERT_FAILS(RWL_USAGE, "has no rows", rwl_inspect_rows(in, 1, &stream, err));
    rwl_inspect_free(in);
}
END_TEST

/* --- documents --- */

START_TEST(a_data_file_tells_its_schema_and_columns) {
    const rwl_inspect_options part = {.row_group = -1, .column = "s.a"},
                              schema = {.row_group = -1, .schema_only = true};
    const char *text;
    write_data("d");
    text = read_document("d");
    ASSERT_HAS(
        text,
        "\"file_version\": \"2.1\", \"rows\": 4, \"column_count\": 4, \"schema\": {\"fields\": ["
        "{\"id\": 0, \"name\": \"i\", \"type\": \"int32\", \"nullable\": false}, "
        "{\"id\": 1, \"name\": \"s\", \"type\": \"struct\", \"nullable\": false, \"children\": ["
        "{\"id\": 2, \"name\": \"a\", \"type\": \"struct\", \"nullable\": false, \"children\": ["
        "{\"id\": 3, \"name\": \"x\", \"type\": \"int32\", \"nullable\": false}]}, "
        "{\"id\": 4, \"name\": \"b\", \"type\": \"int32\", \"nullable\": false}]}, "
        "{\"id\": -3, \"name\": \"_rowid\", \"type\": \"uint64\", \"nullable\": false, \"hidden\": true}]}");
    /* two buffers a page: the chunk's word of 2 bytes; the chunk: u16 levels, u16 length, padded to 8, then 16 or 32 bytes */
    ASSERT_HAS(
        text,
        "{\"index\": 1, \"column\": \"s.a.x\", \"field_id\": 3, \"type\": \"int32\", \"pages\": 1, "
        "\"rows\": 4, \"buffers\": 2, \"bytes\": 26, \"encodings\": [\"miniblock[item/item/item] flat32\"]}");
    ASSERT_HAS(text,
               "{\"index\": 3, \"column\": \"_rowid\", \"field_id\": -3, \"type\": \"uint64\", \"pages\": 1, "
               "\"rows\": 4, \"buffers\": 2, \"bytes\": 42, \"encodings\": [\"miniblock[item] flat64\"]}");
    ASSERT_OK(document("d", &part, &text, err));
    ASSERT_HAS(text, "\"columns\": [{\"index\": 1, ");
    ck_assert_ptr_null(strstr(text, "{\"index\": 2, "));
    ASSERT_OK(document("d", &schema, &text, err));
    ck_assert_ptr_null(strstr(text, "columns\":"));
}
END_TEST

START_TEST(a_manifest_tells_its_fragments_and_what_their_lineage_is_made_of) {
    write_manifest("m");
    const char *text = read_document("m");
    ASSERT_HAS(text,
               "\"version\": 5, \"is_detached\": false, \"timestamp_ms\": 1700000000000, \"branch\": null");
    ASSERT_HAS(text,
               "\"reader_flags\": {\"value\": 2051, \"names\": [\"deletion files\", \"stable row ids\", ");
    ASSERT_HAS(text, "\"transaction\": {\"offset\": 0, \"bytes\": ");
    ASSERT_HAS(text, "\"operation\": \"Delete\", \"read_version\": 4, ");
    ASSERT_HAS(text, "\"predicate\": \"i = 7\"");
    ASSERT_HAS(text, "\"files\": [{\"path\": \"a.lance\", \"file_version\": \"2.1\", \"fields\": [0], "
                     "\"column_indices\": [0], \"bytes\": 338, \"base_id\": null}]");
    ASSERT_HAS(text, "\"deletion_file\": {\"form\": \"bitmap\", \"read_version\": 4, "
                     "\"id\": \"18446744073709551615\", \"deleted_rows\": 1, \"base_id\": null}");
    ASSERT_HAS(text, "\"row_ids\": {\"kind\": \"inline\", \"bytes\": 6, \"segments\": [\"range 0..4\"], "
                     "\"segment_count\": 1, \"rows\": 4}");
    ASSERT_HAS(text, "\"created_at\": {\"kind\": \"spilled\"}");
    ASSERT_HAS(text, "\"runs\": [[1, 2], [3, 3]], \"run_count\": 2, \"rows\": 4}");
}
END_TEST

START_TEST(a_transaction_that_cannot_be_read_is_told_and_the_rest_shown) {
    rwl_buf file;
    rwl_buf_init(&file, test_env(), SIZE_MAX);
    build_manifest(&file, rwl_span_of(FOUR_IDS, sizeof FOUR_IDS), 4);
    file.data[4] = 0x0b; /* a group, where read_version was */
    write_bytes("m", rwl_buf_span(&file));
    const char *text = read_document("m");
    ASSERT_HAS(text, "\"error\": \"transaction of ");
    ASSERT_HAS(text, "\"fragment_count\": 1");
    rwl_buf_clear(&file);
}
END_TEST

START_TEST(lineage_that_is_wrong_is_named_by_fragment_and_sequence) {
    static const uint8_t backwards[] = {0x0a, 6, 0x0a, 4, 0x08, 5, 0x10, 4}; /* range 5..4 */
    const char *text;
    rwl_buf file;
    rwl_buf_init(&file, test_env(), SIZE_MAX);
    build_manifest(&file, rwl_span_of(backwards, sizeof backwards), 4);
    write_bytes("m", rwl_buf_span(&file));
    ASSERT_FAILS(RWL_CORRUPT, "fragment 0: _rowid: ", document("m", &WHOLE, &text, err));
    rwl_buf_clear(&file);
}
END_TEST

START_TEST(a_manifest_full_of_lineage_is_not_loaded_whole) {
    enum { SEGMENTS = 1000000, LEN = 8 };
    rwl_buf ids, file;
    rwl_buf_init(&ids, test_env(), SIZE_MAX);
    rwl_buf_init(&file, test_env(), SIZE_MAX);
    /* range 1..3, a million times: 8 bytes each */
    static const uint8_t segment[LEN] = {0x0a, 6, 0x0a, 4, 0x08, 1, 0x10, 3};
    for (int i = 0; i < SEGMENTS; i++)
        ASSERT_OK(rwl_buf_append(&ids, segment, LEN, err));
    build_manifest(&file, rwl_buf_span(&ids), 2 * SEGMENTS);
    write_bytes("m", rwl_buf_span(&file));
    rwl_buf_clear(&ids);
    rwl_buf_clear(&file);
    test_count_memory();
    const char *text = read_document("m");
    ck_assert_int_lt(test_peak_memory(), 1500000);
    ASSERT_HAS(
        text,
        "\"bytes\": 8000000, \"segments\": [\"range 1..3\", \"range 1..3\", \"range 1..3\", \"range 1..3\", "
        "\"range 1..3\", \"range 1..3\", \"range 1..3\", \"range 1..3\", \"range 1..3\", \"range 1..3\", "
        "\"range 1..3\", \"range 1..3\"], \"segment_count\": 1000000, \"rows\": 2000000}");
}
END_TEST

START_TEST(transactions_and_deletion_files_tell_what_is_in_them) {
    write_transaction("t.txn");
    ASSERT_HAS(
        read_document("t.txn"),
        "\"operation\": \"Update\", \"read_version\": 7, \"uuid\": \"0d9d3b1a-0000-4000-8000-000000000000\", "
        "\"added_fragments\": 2, \"removed_fragments\": 1, \"updated_fragments\": 0, \"predicate\": null, "
        "\"restored_version\": null, \"properties\": {\"who\": \"me\"}}");
    write_bytes("p.bin", rwl_span_of(POSITIONS, sizeof POSITIONS));
    ASSERT_HAS(
        read_document("p.bin"),
        "\"form\": \"bitmap\", \"deleted_rows\": 4, \"containers\": {\"array\": 1, \"bitmap\": 0, \"run\": "
        "0}, "
        "\"container_count\": 1, \"ranges\": [[1, 1], [5, 1], [700, 1], [1999, 1]], \"range_count\": 4}");
    write_bytes("r.bin", rwl_span_of(RUN, sizeof RUN));
    ASSERT_HAS(read_document("r.bin"),
               "\"deleted_rows\": 4, \"containers\": {\"array\": 0, \"bitmap\": 0, \"run\": 1}, "
               "\"container_count\": 1, \"ranges\": [[10, 4]], \"range_count\": 1}");
}
END_TEST

/* --- streams --- */

/* All rows of a stream as JSON, cells with commas and rows with spaces between. */
static rwl_status read_stream(struct ArrowArrayStream *stream, rwl_buf *out, rwl_error *err) {
    for (;;) {
        rwl_batch *batch;
        RWL_TRY(rwl_arrow_stream_next(stream, &batch, err));
        if (batch == NULL)
            return rwl_buf_terminate(out, err);
        for (int64_t r = 0; r < batch->length; r++) {
            if (out->len > 0)
                RWL_TRY(rwl_buf_u8(out, ' ', err));
            for (int32_t c = 0; c < batch->column_count; c++) {
                if (c > 0)
                    RWL_TRY(rwl_buf_u8(out, ',', err));
                RWL_TRY(rwl_column_format_json(&batch->columns[c], r, out, err));
            }
        }
    }
}

static rwl_status stream_text(const char *name, const char *column, bool pages, int64_t count,
                              const char **text, rwl_error *err) {
    const rwl_inspect_options options = {.row_group = -1, .column = column};
    struct ArrowArrayStream stream;
    rwl_inspect *in;
    rwl_buf out;
    *text = "";
    RWL_TRY(rwl_inspect_open(test_op(), test_path(name), &options, &in, err));
    rwl_buf_init(&out, test_env(), SIZE_MAX);
    rwl_status st = pages ? rwl_inspect_pages(in, &stream, err) : rwl_inspect_rows(in, count, &stream, err);
    if (st == RWL_OK) {
        st = read_stream(&stream, &out, err);
        stream.release(&stream);
    }
    if (st == RWL_OK)
        *text = rwl_arena_strndup(test_arena(), (const char *)out.data, out.len);
    rwl_buf_clear(&out);
    rwl_inspect_free(in);
    return st;
}

static const char *rows_of(const char *name, const char *column, int64_t count) {
    const char *text;
    ASSERT_OK(stream_text(name, column, false, count, &text, err));
    return text;
}

START_TEST(rows_are_read_by_the_files_own_schema_hidden_columns_too) {
    write_data("d");
    ck_assert_str_eq(rows_of("d", NULL, 2),
                     "1,{\"a\": {\"x\": 5}, \"b\": 9},100 2,{\"a\": {\"x\": 6}, \"b\": 10},101");
    ck_assert_str_eq(rows_of("d", "i", -1), "1 2 3 4");
    ck_assert_str_eq(rows_of("d", "s.a.x", 1), "{\"a\": {\"x\": 5}}");
    ck_assert_str_eq(rows_of("d", "s.b", 100), "{\"b\": 9} {\"b\": 10} {\"b\": 11} {\"b\": 12}");
    ck_assert_str_eq(rows_of("d", "_rowid", -1), "100 101 102 103");
    ck_assert_str_eq(rows_of("d", NULL, 0), "");
    /* a file of lineage alone numbers its fields from 0 */
    rwl_buf file;
    rwl_buf_init(&file, test_env(), SIZE_MAX);
    build_data(&file, 5, 2, 1);
    write_bytes("carrier", rwl_buf_span(&file));
    rwl_buf_clear(&file);
    ck_assert_str_eq(rows_of("carrier", "_rowid", 2), "100 101");
    ASSERT_HAS(read_document("carrier"), "{\"id\": 5, \"name\": \"_rowid\", \"type\": \"uint64\", "
                                         "\"nullable\": false, \"hidden\": true}");
}
END_TEST

START_TEST(pages_tell_layout_place_and_rows) {
    const char *text;
    write_data("d");
    /* buffers at multiples of 64: two a page, the first page of column 2 at 4 * 64 */
    ASSERT_OK(stream_text("d", "s", true, 0, &text, err));
    ck_assert_str_eq(text, "\"s.a.x\",0,\"mini_block\",\"miniblock[item/item/item] flat32\",128,2,26,4,0,4 "
                           "\"s.b\",0,\"mini_block\",\"miniblock[item/item] flat32\",256,2,26,4,0,4");
}
END_TEST

START_TEST(an_encoding_that_is_not_known_is_told_in_its_place) {
    rwl_buf encoding, file;
    const char *text;
    rwl_buf_init(&encoding, test_env(), SIZE_MAX);
    rwl_buf_init(&file, test_env(), SIZE_MAX);
    lance_build b;
    lance_build_init(&b, test_env(), 2, 1);
    lance_build_field(&b, "i", 0, -1, "int32", false);
    lance_build_column(&b);
    lance_build_buffer(&b, "12345678", 8);
    size_t layout = pb_begin(&encoding, 5); /* sparse pages: of no version that is read */
    pb_end(&encoding, layout);
    lance_build_page(&b, 2, rwl_buf_span(&encoding));
    lance_build_finish(&b, 2, &file);
    lance_build_clear(&b);
    write_bytes("d", rwl_buf_span(&file));
    ASSERT_HAS(read_document("d"), "\"encodings\": [\"not read: ");
    ASSERT_OK(stream_text("d", NULL, true, 0, &text, err));
    ASSERT_HAS(text, "\"i\",0,\"unknown\",\"not read: ");
    ASSERT_HAS(text, ",0,1,8,null,0,2");
    rwl_buf_clear(&encoding);
    rwl_buf_clear(&file);
}
END_TEST

/* --- damage --- */

static void look(const char *name, size_t at) {
    const char *text;
    for (int what = 0; what < 3; what++) {
        rwl_error err = {0};
        rwl_status st = what == 0 ? document(name, &WHOLE, &text, &err)
                                  : stream_text(name, NULL, what == 1, -1, &text, &err);
        bool is_told =
            st == RWL_OK || st == RWL_CORRUPT || st == RWL_UNSUPPORTED || (st == RWL_USAGE && what > 0);
        ck_assert_msg(is_told, "%s at %zu: status %d, %s", name, at, (int)st, err.message);
    }
}

/* Cut short at every length, then every byte changed: an error or a document, never anything else (ASan looks on). */
static void damage(const rwl_buf *file, const char *name) {
    for (size_t cut = 0; cut < file->len; cut++) {
        write_bytes(name, rwl_span_of(file->data, cut));
        look(name, cut);
    }
    for (size_t at = 0; at < file->len; at++) {
        file->data[at] ^= (uint8_t)(at % 3 == 0 ? 0xff : 1 << at % 8);
        write_bytes(name, rwl_buf_span(file));
        look(name, at);
        file->data[at] ^= (uint8_t)(at % 3 == 0 ? 0xff : 1 << at % 8);
    }
}

START_TEST(damaged_files_give_an_error_or_a_document) {
    rwl_buf file;
    rwl_buf_init(&file, test_env(), SIZE_MAX);
    build_data(&file, -3, 2, 1);
    damage(&file, "d");
    rwl_buf_reset(&file);
    build_manifest(&file, rwl_span_of(FOUR_IDS, sizeof FOUR_IDS), 4);
    damage(&file, "m");
    rwl_buf_reset(&file);
    build_transaction(&file);
    damage(&file, "t.txn");
    rwl_buf_reset(&file);
    ASSERT_OK(rwl_buf_append(&file, POSITIONS, sizeof POSITIONS, err));
    damage(&file, "p.bin");
    rwl_buf_reset(&file);
    ASSERT_OK(rwl_buf_append(&file, RUN, sizeof RUN, err));
    damage(&file, "r.bin");
    rwl_buf_clear(&file);
}
END_TEST

Suite *suite_inspect_lance(void) {
    const TTest *const tests[] = {
        files_are_told_apart_by_content_and_not_by_name,
        files_of_other_versions_are_refused_by_name,
        what_has_no_magic_needs_its_name_and_its_whole_content,
        options_that_do_not_go_with_a_kind_are_usage,
        a_data_file_tells_its_schema_and_columns,
        a_manifest_tells_its_fragments_and_what_their_lineage_is_made_of,
        a_transaction_that_cannot_be_read_is_told_and_the_rest_shown,
        lineage_that_is_wrong_is_named_by_fragment_and_sequence,
        a_manifest_full_of_lineage_is_not_loaded_whole,
        transactions_and_deletion_files_tell_what_is_in_them,
        rows_are_read_by_the_files_own_schema_hidden_columns_too,
        pages_tell_layout_place_and_rows,
        an_encoding_that_is_not_known_is_told_in_its_place,
        damaged_files_give_an_error_or_a_document,
    };
    return TEST_SUITE("inspect_lance", tests);
}
