/* SPDX-License-Identifier: Apache-2.0 */
/* Looking into files: page headers on hostile input, files told apart, documents of damaged files. */
#include "engine_test.h"
#include "suites.h"

#include "base/json.h"
#include "engine/inspect.h"
#include "engine/inspect_pages.h"
#include "wire/thrift.h"

#include <stdio.h>
#include <string.h>

/* --- files --- */

static void write_bytes(const char *name, const void *data, size_t len) {
    FILE *f = fopen(test_path(name), "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(data, 1, len, f), len);
    ck_assert_int_eq(fclose(f), 0);
}

static size_t read_bytes(const char *path, uint8_t *out, size_t room) {
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    size_t len = fread(out, 1, room, f);
    fclose(f);
    ck_assert_uint_lt(len, room);
    return len;
}

/* --- page headers (parquet.thrift, PageHeader and DataPageHeader) --- */

/* A v1 data page header: `values` in PLAIN, a body of `body` bytes; `extra` bytes of statistics (DataPageHeader 5, max 1). */
static void put_header(rwl_buf *b, int32_t body, int32_t values, size_t extra) {
    static uint8_t filler[200000];
    int16_t id = 0, inner = 0, stats = 0;
    const int32_t numbers[] = {0, body, body};
    for (int16_t i = 0; i < 3; i++) {
        ASSERT_OK(rwl_thrift_put_field(b, &id, (int16_t)(i + 1), RWL_THRIFT_I32, err));
        ASSERT_OK(rwl_thrift_put_i32(b, numbers[i], err));
    }
    ASSERT_OK(rwl_thrift_put_field(b, &id, 5, RWL_THRIFT_STRUCT, err));
    const int32_t page[] = {values, 0 /* PLAIN */, 3 /* RLE */, 3};
    for (int16_t i = 0; i < 4; i++) {
        ASSERT_OK(rwl_thrift_put_field(b, &inner, (int16_t)(i + 1), RWL_THRIFT_I32, err));
        ASSERT_OK(rwl_thrift_put_i32(b, page[i], err));
    }
    if (extra > 0) {
        ASSERT_OK(rwl_thrift_put_field(b, &inner, 5, RWL_THRIFT_STRUCT, err));
        ASSERT_OK(rwl_thrift_put_field(b, &stats, 1, RWL_THRIFT_BINARY, err));
        ASSERT_OK(rwl_thrift_put_binary(b, rwl_span_of(filler, extra), err));
        ASSERT_OK(rwl_thrift_put_stop(b, err));
    }
    ASSERT_OK(rwl_thrift_put_stop(b, err));
    ASSERT_OK(rwl_thrift_put_stop(b, err));
}

static void put_body(rwl_buf *b, size_t len) {
    for (size_t i = 0; i < len; i++)
        ASSERT_OK(rwl_buf_u8(b, 0xff, err));
}

typedef struct walked {
    rwl_store *store;
    rwl_file *file;
    rwl_page_walk walk;
} walked;

/* A walk over a chunk that is all of `bytes`. */
static void begin_walk(walked *w, const rwl_buf *bytes, int64_t chunk_len, int64_t values) {
    rwl_parquet_chunk chunk = {.value_count = values, .data_offset = 0, .compressed_size = chunk_len};
    write_bytes("chunk", bytes->data, bytes->len);
    ASSERT_OK(rwl_store_local_new(test_env(), NULL, 0, &w->store, err));
    ASSERT_OK(rwl_file_open(w->store, test_op(), test_path("chunk"), &w->file, err));
    rwl_page_walk_init(&w->walk, test_op(), w->file);
    rwl_page_walk_start(&w->walk, &chunk);
}

static void end_walk(walked *w) {
    rwl_page_walk_clear(&w->walk);
    rwl_file_close(w->file);
    rwl_store_free(w->store);
}

START_TEST(pages_are_walked_by_their_headers) {
    /* a header longer than any first guess, small pages behind it that share a window */
    static const size_t extra[] = {150000, 0, 7, 0};
    rwl_buf b;
    rwl_buf_init(&b, test_env(), SIZE_MAX);
    int64_t offsets[4];
    for (int32_t i = 0; i < 4; i++) {
        offsets[i] = (int64_t)b.len;
        put_header(&b, 10 + i, 100 + i, extra[i]);
        put_body(&b, (size_t)(10 + i));
    }
    walked w;
    begin_walk(&w, &b, (int64_t)b.len, 100 + 101 + 102 + 103);
    rwl_parquet_page_header h;
    int64_t off;
    bool more;
    for (int32_t i = 0; i < 4; i++) {
        ASSERT_OK(rwl_page_walk_next(&w.walk, &h, &off, &more, err));
        ck_assert(more);
        ck_assert_int_eq(off, offsets[i]);
        ck_assert_int_eq(h.compressed_size, 10 + i);
        ck_assert_int_eq(h.value_count, 100 + i);
    }
    ASSERT_OK(rwl_page_walk_next(&w.walk, &h, &off, &more, err));
    ck_assert(!more);
    end_walk(&w);
    rwl_buf_clear(&b);
}
END_TEST

START_TEST(a_walk_ends_with_the_values_of_the_chunk) {
    rwl_buf b;
    rwl_buf_init(&b, test_env(), SIZE_MAX);
    put_header(&b, 4, 5, 0);
    put_body(&b, 4);
    put_body(&b, 100); /* some writers pad chunks */
    walked w;
    begin_walk(&w, &b, (int64_t)b.len, 5);
    rwl_parquet_page_header h;
    int64_t off;
    bool more;
    ASSERT_OK(rwl_page_walk_next(&w.walk, &h, &off, &more, err));
    ck_assert(more);
    ASSERT_OK(rwl_page_walk_next(&w.walk, &h, &off, &more, err));
    ck_assert(!more);
    end_walk(&w);
    rwl_buf_clear(&b);
}
END_TEST

START_TEST(rejects_a_body_that_passes_the_end_of_its_chunk) {
    rwl_buf b;
    rwl_buf_init(&b, test_env(), SIZE_MAX);
    put_header(&b, 100, 5, 0);
    put_body(&b, 100);
    walked w;
    begin_walk(&w, &b, (int64_t)b.len - 1, 5);
    rwl_parquet_page_header h;
    int64_t off;
    bool more;
    ASSERT_FAILS(RWL_CORRUPT, "a body of 100 bytes passes the end of its chunk",
                 rwl_page_walk_next(&w.walk, &h, &off, &more, err));
    end_walk(&w);
    rwl_buf_clear(&b);
}
END_TEST

START_TEST(rejects_a_header_cut_at_any_byte) {
    rwl_buf b;
    rwl_buf_init(&b, test_env(), SIZE_MAX);
    put_header(&b, 0, 5, 20);
    for (size_t len = 1; len < b.len; len++) {
        walked w;
        begin_walk(&w, &b, (int64_t)len, 5);
        rwl_parquet_page_header h;
        int64_t off;
        bool more;
        ASSERT_FAILS(RWL_CORRUPT, "page header at byte 0", rwl_page_walk_next(&w.walk, &h, &off, &more, err));
        end_walk(&w);
    }
    rwl_buf_clear(&b);
}
END_TEST

START_TEST(rejects_bytes_that_are_no_header) {
    rwl_buf b;
    rwl_buf_init(&b, test_env(), SIZE_MAX);
    put_body(&b, 300000);
    walked w;
    begin_walk(&w, &b, (int64_t)b.len, 5);
    rwl_parquet_page_header h;
    int64_t off;
    bool more;
    ASSERT_FAILS(RWL_CORRUPT, "page header at byte 0", rwl_page_walk_next(&w.walk, &h, &off, &more, err));
    end_walk(&w);
    rwl_buf_clear(&b);
}
END_TEST

/* --- telling files apart --- */

static rwl_status document(const char *path, const rwl_inspect_options *options, char kind[16],
                           rwl_error *failure) {
    static const rwl_inspect_options whole = {.row_group = -1};
    rwl_inspect *in = NULL;
    rwl_span json;
    RWL_TRY(rwl_inspect_open(test_op(), path, options != NULL ? options : &whole, &in, failure));
    snprintf(kind, 16, "%s", rwl_inspect_kind(in));
    rwl_status st = rwl_inspect_document(in, &json, failure);
    if (st == RWL_OK) { /* what it gives is one JSON object, no key twice */
        rwl_json *parsed = NULL;
        ASSERT_OK(rwl_json_parse(json, &parsed, err));
        ck_assert_int_eq(rwl_json_kind_of(parsed), RWL_JSON_OBJECT);
        rwl_json_free(parsed);
    }
    rwl_inspect_free(in);
    return st;
}

START_TEST(what_is_nothing_known_is_named_by_what_it_begins_with) {
    static const struct {
        const char *bytes;
        size_t len;
        const char *message;
    } cases[] = {
        {"", 0, "is empty"},
        {"\x89PNG\r\n\x1a\n....", 12, "begins with 89 50 4e 47 0d 0a 1a 0a: no Parquet"},
        {"a", 1, "begins with 61: no Parquet"},
        {"PARE....", 8, "encrypted footer"},
        {"ORC....", 7, "is ORC"},
        {"ARROW1..", 8, "is Arrow IPC"},
        {"{}", 2, "JSON without a format-version"},
        {" \n{\"a\": 1}", 10, "JSON without a format-version"},
        {"{\"view-uuid\": 1, \"format-version\": 1}", 37, "this is a view"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char kind[16];
        write_bytes("odd", cases[i].bytes, cases[i].len);
        ASSERT_FAILS(RWL_UNSUPPORTED, cases[i].message, document(test_path("odd"), NULL, kind, err));
    }
    char kind[16];
    ASSERT_FAILS(RWL_UNSUPPORTED, "is a directory", document(test_path(""), NULL, kind, err));
    ASSERT_FAILS(RWL_NOT_FOUND, "", document(test_path("absent"), NULL, kind, err));
}
END_TEST

/* Every file of a small table, cut short at every length: an error or a document, never anything else (ASan looks on). */
static void cut_everywhere(const char *path, const char *kind) {
    static uint8_t bytes[65536];
    char found[16];
    size_t len = read_bytes(path, bytes, sizeof bytes);
    ASSERT_OK(document(path, NULL, found, err));
    ck_assert_str_eq(found, kind);
    size_t step = len / 400 + 1;
    for (size_t cut = 0; cut < len; cut += step) {
        rwl_error err = {0};
        write_bytes("cut", bytes, cut);
        rwl_status st = document(test_path("cut"), NULL, found, &err);
        ck_assert_msg(st == RWL_OK || st == RWL_CORRUPT || st == RWL_UNSUPPORTED, "%s at %zu: status %d, %s",
                      path, cut, (int)st, err.message);
    }
}

/* The first file below the table whose path contains `part`. */
static const char *find_file(const char *table, const char *part) {
    const char *listing = test_listing(table);
    for (const char *path = listing; *path != '\0';) {
        size_t len = strcspn(path, " \n");
        char *copy = rwl_arena_strndup(test_arena(), path, len);
        if (strstr(copy, part) != NULL)
            return copy;
        path += len + (path[len] != '\0');
    }
    ck_abort_msg("no file *%s* in %s", part, listing);
    return NULL;
}

START_TEST(cut_files_give_errors) {
    test_create("t", 3, "id long not null, name string", "", "");
    test_append("t", "{'id': 1, 'name': 'ada'}\n{'id': 2, 'name': 'bob'}\n{'id': 3, 'name': null}\n");
    test_delete("t", "id = 2");
    static const struct {
        const char *part, *kind;
    } files[] = {{".parquet", "parquet"},
                 {".puffin", "puffin"},
                 {"-m0.avro", "manifest"},
                 {"snap-", "manifest_list"},
                 {".metadata.json", "metadata"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        cut_everywhere(find_file("t", files[i].part), files[i].kind);
}
END_TEST

/* --- options --- */

START_TEST(options_go_with_the_kind_of_file) {
    test_create("t", 3, "id long not null, name string", "", "");
    test_append("t", "{'id': 1, 'name': 'ada'}\n");
    static const struct {
        const char *part;
        rwl_inspect_options options;
        const char *message;
    } cases[] = {
        {".parquet", {.row_group = 1}, "no row group 1"},
        {".parquet", {.row_group = -1, .column = "nam"}, "no column nam in"},
        {".parquet", {.row_group = -1, .manifest_list = "x"}, "a manifest list goes with a manifest"},
        {"snap-", {.row_group = 0}, "row groups are chosen of Parquet files"},
        {"snap-", {.row_group = -1, .column = "a"}, "columns are chosen of Parquet and Lance data files"},
    };
    char kind[16];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ASSERT_FAILS(RWL_USAGE, cases[i].message,
                     document(find_file("t", cases[i].part), &cases[i].options, kind, err));
    rwl_inspect_options elsewhere = {.row_group = -1, .manifest_list = find_file("t", "snap-")};
    ASSERT_OK(document(find_file("t", "-m0.avro"), &elsewhere, kind, err));
    test_create("u", 3, "id long", "", "");
    test_append("u", "{'id': 1}\n");
    elsewhere.manifest_list = find_file("u", "snap-");
    ASSERT_FAILS(RWL_USAGE, "is not in the manifest list",
                 document(find_file("t", "-m0.avro"), &elsewhere, kind, err));
}
END_TEST

Suite *suite_inspect(void) {
    const TTest *const tests[] = {
        pages_are_walked_by_their_headers,
        a_walk_ends_with_the_values_of_the_chunk,
        rejects_a_body_that_passes_the_end_of_its_chunk,
        rejects_a_header_cut_at_any_byte,
        rejects_bytes_that_are_no_header,
        what_is_nothing_known_is_named_by_what_it_begins_with,
        cut_files_give_errors,
        options_go_with_the_kind_of_file,
    };
    return TEST_SUITE("inspect", tests);
}
