/* SPDX-License-Identifier: Apache-2.0 */
/* Opening Lance data files: the annotated file of the format's description, and everything that can be wrong with one. */
#include "file_support.h"
#include "suites.h"

#include "lancefile/encoding.h"

#include <stdlib.h>

#define SPAN(a) rwl_span_of((a), sizeof(a))

enum { ANNOTATED_LEN = 338, ANNOTATED_FOOTER = 298 };

/* The complete 2.1 file of lance.md 4.1: int32 [10, 11, 12, 13], not null. What lies between is 'H'. */
static void make_annotated(uint8_t out[ANNOTATED_LEN]) {
    static const uint8_t chunk[] = {0,  0, 0x10, 0, 0xfe, 0xfe, 0xfe, 0xfe, 10, 0, 0, 0,
                                    11, 0, 0,    0, 12,   0,    0,    0,    13, 0, 0, 0};
    static const uint8_t descriptor[] = {0x0a, 0x19, 0x0a, 0x17, 0x12, 0x01, 0x69, 0x20, 0xff, 0xff,
                                         0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x2a, 0x05,
                                         'i',  'n',  't',  '3',  '2',  0x38, 0x01, 0x10, 0x04};
    static const uint8_t column[] =
        "\x0a\x29\x12\x27\x0a\x25\x0a\x1f/lance.encodings.ColumnEncoding\x12\x02\x0a\x00"
        "\x12\x40\x0a\x02\x00\x40\x12\x02\x02\x18\x18\x04\x22\x34\x12\x32\x0a\x30\x0a\x1d"
        "/lance.encodings21.PageLayout\x12\x0f"
        "\x0a\x0d\x1a\x04\x0a\x02\x08\x20\x32\x01\x01\x38\x01\x48\x04";
    static const uint8_t tables[] = {0x9d, 0, 0, 0, 0, 0, 0, 0, 0x6d, 0, 0, 0, 0, 0, 0, 0,
                                     0x80, 0, 0, 0, 0, 0, 0, 0, 0x1d, 0, 0, 0, 0, 0, 0, 0};
    static const uint8_t footer[] = {0x9d, 0, 0,    0, 0, 0, 0, 0, 0x0a, 1,   0,   0,  0, 0,
                                     0,    0, 0x1a, 1, 0, 0, 0, 0, 0,    0,   1,   0,  0, 0,
                                     1,    0, 0,    0, 2, 0, 1, 0, 'L',  'A', 'N', 'C'};
    memset(out, 'H', ANNOTATED_LEN);
    memcpy(out, "\x20\x00", 2);
    memcpy(out + 0x40, chunk, sizeof chunk);
    memcpy(out + 0x80, descriptor, sizeof descriptor);
    memcpy(out + 0x9d, column, sizeof column - 1);
    memcpy(out + 0x10a, tables, sizeof tables);
    memcpy(out + ANNOTATED_FOOTER, footer, sizeof footer);
}

START_TEST(the_builder_makes_the_annotated_file_byte_by_byte) {
    static const int32_t values[] = {10, 11, 12, 13};
    uint8_t expected[ANNOTATED_LEN];
    rwl_env env;
    rwl_buf out;
    lance_build b;
    make_annotated(expected);
    rwl_env_init_default(&env);
    rwl_buf_init(&out, &env, SIZE_MAX);
    lance_build_init(&b, &env, 2, 1);
    lance_build_field(&b, "i", 0, -1, "int32", false);
    lance_build_flat_column(&b, values, 4, 32);
    lance_build_finish(&b, 4, &out);
    ck_assert_uint_eq(out.len, ANNOTATED_LEN);
    for (size_t i = 0; i < ANNOTATED_LEN; i++)
        ck_assert_msg(out.data[i] == expected[i], "byte %zu is %02x, not %02x", i, out.data[i], expected[i]);
    lance_build_clear(&b);
    rwl_buf_clear(&out);
}
END_TEST

START_TEST(reads_the_annotated_file) {
    uint8_t bytes[ANNOTATED_LEN];
    memory_file f;
    const rwl_lance_column *column;
    const rwl_lance_field_def *def;
    rwl_arena arena;
    rwl_lance_layout layout;
    rwl_buf text;
    make_annotated(bytes);
    ck_assert_int_eq(memory_file_open(&f, SPAN(bytes)), RWL_OK);
    ck_assert_int_eq(f.file->version, RWL_LANCEFILE_2_1);
    ck_assert_int_eq(f.file->column_count, 1);
    ck_assert_int_eq(f.file->global_count, 1);
    ck_assert_int_eq(f.file->row_count, -1);
    ck_assert_int_eq(rwl_lancefile_column(f.file, &f.op, 0, &column, &f.err), RWL_OK);
    ck_assert_int_eq(column->page_count, 1);
    ck_assert_int_eq(column->row_count, 4);
    ck_assert_int_eq(column->buffer_count, 0);
    ck_assert_int_eq(column->pages[0].buffer_count, 2);
    ck_assert_int_eq(column->pages[0].buffers[0].length, 2);
    ck_assert_int_eq(column->pages[0].buffers[1].offset, 64);
    ck_assert_int_eq(column->pages[0].buffers[1].length, 24);
    ck_assert_int_eq(rwl_lancefile_column_field(f.file, &f.op, 0, &def, &f.err), RWL_OK);
    ck_assert_str_eq(def->name, "i");
    ck_assert_str_eq(def->logical_type, "int32");
    ck_assert_int_eq(def->id, 0);
    ck_assert_int_eq(def->parent_id, -1);
    ck_assert(!def->nullable);
    ck_assert_int_eq(f.file->row_count, 4);
    ck_assert_int_eq(rwl_lancefile_column_field(f.file, &f.op, 1, &def, &f.err), RWL_OK);
    ck_assert_ptr_null(def);
    rwl_arena_init(&arena, &f.env, 0);
    rwl_buf_init(&text, &f.env, SIZE_MAX);
    ck_assert_int_eq(rwl_lance_layout_parse(column->pages[0].encoding, &arena, &layout, &f.err), RWL_OK);
    ck_assert_int_eq(rwl_lance_layout_format(&layout, &text, &f.err), RWL_OK);
    ck_assert_int_eq(rwl_buf_terminate(&text, &f.err), RWL_OK);
    ck_assert_str_eq((char *)text.data, "miniblock[item] flat32");
    ck_assert_int_eq(layout.item_count, 4);
    ck_assert_int_eq(layout.buffer_count, 1);
    ck_assert_int_eq(f.file->requests, 1);
    ck_assert_int_eq(f.file->bytes_read, ANNOTATED_LEN);
    rwl_buf_clear(&text);
    rwl_arena_clear(&arena);
    memory_file_clear(&f);
}
END_TEST

/* All that can be asked of a file; any status, but no crash. */
static void look_at_all(memory_file *f) {
    const rwl_lance_column *column;
    const rwl_lance_field_def *def;
    rwl_status ignored = rwl_lancefile_describe(f->file, &f->op, &f->err);
    for (int32_t i = 0; i < f->file->column_count && i < 8; i++) {
        ignored = rwl_lancefile_column(f->file, &f->op, i, &column, &f->err);
        ignored = rwl_lancefile_column_field(f->file, &f->op, i, &def, &f->err);
    }
    (void)ignored;
}

START_TEST(refuses_a_file_that_ends_early_anywhere) {
    uint8_t bytes[ANNOTATED_LEN];
    make_annotated(bytes);
    for (size_t len = 0; len < ANNOTATED_LEN; len++) {
        memory_file f;
        uint8_t *exact = malloc(len + 1); /* so that a look beyond the end is seen */
        memcpy(exact, bytes, len);
        rwl_status st = memory_file_open(&f, rwl_span_of(exact, len));
        ck_assert_msg(st == RWL_CORRUPT, "%zu bytes: status %d", len, (int)st);
        ck_assert_str_eq(f.err.path, "mem");
        memory_file_clear(&f);
        free(exact);
    }
}
END_TEST

START_TEST(survives_every_byte_changed) {
    uint8_t bytes[ANNOTATED_LEN];
    static const uint8_t changes[] = {0x01, 0x80, 0xff};
    for (size_t i = 0; i < ANNOTATED_LEN; i++)
        for (size_t k = 0; k < sizeof changes; k++) {
            memory_file f;
            make_annotated(bytes);
            bytes[i] ^= changes[k];
            if (memory_file_open(&f, SPAN(bytes)) == RWL_OK)
                look_at_all(&f);
            memory_file_clear(&f);
        }
}
END_TEST

typedef struct footer_case {
    size_t at; /* in the footer */
    uint8_t bytes[8];
    size_t len;
    rwl_status status;
    const char *text;
} footer_case;

static const footer_case FOOTERS[] = {
    {0, {0x2b, 1}, 8, RWL_CORRUPT, "column metadata at 299"},
    {0, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 8, RWL_CORRUPT, "column metadata at"},
    {8, {0x1b, 1}, 8, RWL_CORRUPT, "table of 1 columns at 283 in a file of 338"},
    {8, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 8, RWL_CORRUPT, "table of 1 columns"},
    {16, {0x1b, 1}, 8, RWL_CORRUPT, "table of 1 global buffers at 283"},
    {16, {0, 0, 0, 0, 0, 0, 0, 0x80}, 8, RWL_CORRUPT, "table of 1 global buffers"},
    {24, {2}, 4, RWL_CORRUPT, "table of 2 global buffers"},
    {24, {0xff, 0xff, 0xff, 0xff}, 4, RWL_CORRUPT, "table of 4294967295 global buffers"},
    {28, {3}, 4, RWL_CORRUPT, "table of 3 columns"},
    {28, {0xff, 0xff, 0xff, 0xff}, 4, RWL_CORRUPT, "table of 4294967295 columns"},
    {8, {0, 0, 0, 0, 0, 0, 0, 0}, 8, RWL_CORRUPT, "column metadata 0"}, /* page bytes as the table */
    {32, {0, 0, 1, 0}, 4, RWL_UNSUPPORTED, "Lance file version 0.1 (legacy)"},
    {32, {0, 0, 2, 0}, 4, RWL_UNSUPPORTED, "Lance file version 0.2 (legacy)"},
    {32, {2, 0, 3, 0}, 4, RWL_UNSUPPORTED, "Lance file version 2.3"},
    {32, {7, 0, 0xff, 0xff}, 4, RWL_UNSUPPORTED, "Lance file version 7.65535"},
    {36, {'L', 'A', 'N', 'X'}, 4, RWL_CORRUPT, "4c 41 4e 58"},
};

START_TEST(every_field_of_the_footer_is_checked) {
    uint8_t bytes[ANNOTATED_LEN];
    memory_file f;
    const footer_case *c = &FOOTERS[_i];
    make_annotated(bytes);
    memcpy(bytes + ANNOTATED_FOOTER + c->at, c->bytes, c->len);
    rwl_status st = memory_file_open(&f, SPAN(bytes));
    expect_failure(st, c->status, &f.err, c->text);
    memory_file_clear(&f);
}
END_TEST

START_TEST(versions_have_the_names_that_tables_give_them) {
    static const struct {
        uint8_t major, minor;
        rwl_lancefile_version version;
        const char *name;
    } cases[] = {{0, 3, RWL_LANCEFILE_2_0, "2.0"},
                 {2, 0, RWL_LANCEFILE_2_0, "2.0"},
                 {2, 1, RWL_LANCEFILE_2_1, "2.1"},
                 {2, 2, RWL_LANCEFILE_2_2, "2.2"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t bytes[ANNOTATED_LEN];
        memory_file f;
        make_annotated(bytes);
        bytes[ANNOTATED_FOOTER + 32] = cases[i].major;
        bytes[ANNOTATED_FOOTER + 34] = cases[i].minor;
        ck_assert_int_eq(memory_file_open(&f, SPAN(bytes)), RWL_OK);
        ck_assert_int_eq(f.file->version, cases[i].version);
        ck_assert_str_eq(rwl_lancefile_version_name(f.file->version), cases[i].name);
        memory_file_clear(&f);
    }
}
END_TEST

/* A short legacy file has less than the 40 bytes of the footer. */
START_TEST(a_short_legacy_file_is_named) {
    static const uint8_t bytes[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 'L', 'A', 'N', 'C'};
    memory_file f;
    expect_failure(memory_file_open(&f, SPAN(bytes)), RWL_UNSUPPORTED, &f.err, "version 0.2 (legacy)");
    memory_file_clear(&f);
}
END_TEST

/* --- columns --- */

typedef struct made_file {
    rwl_env env;
    lance_build b;
    rwl_buf bytes;
    memory_file f;
} made_file;

static void begin_file(made_file *m, uint16_t major, uint16_t minor) {
    rwl_env_init_default(&m->env);
    rwl_buf_init(&m->bytes, &m->env, SIZE_MAX);
    lance_build_init(&m->b, &m->env, major, minor);
}

static void open_file(made_file *m) {
    lance_build_finish(&m->b, 0, &m->bytes);
    rwl_status st = memory_file_open(&m->f, rwl_buf_span(&m->bytes));
    ck_assert_msg(st == RWL_OK, "%s", m->f.err.message);
}

static void end_file(made_file *m) {
    memory_file_clear(&m->f);
    lance_build_clear(&m->b);
    rwl_buf_clear(&m->bytes);
}

static void expect_column(made_file *m, rwl_status status, const char *text) {
    const rwl_lance_column *column;
    open_file(m);
    rwl_status st = rwl_lancefile_column(m->f.file, &m->f.op, 0, &column, &m->f.err);
    expect_failure(st, status, &m->f.err, text);
    ck_assert_str_eq(m->f.err.path, "mem");
    end_file(m);
}

static const uint8_t ENCODING[] = {0x0a, 0x0d, 0x1a, 0x04, 0x0a, 0x02, 0x08, 0x20,
                                   0x32, 0x01, 0x01, 0x38, 0x01, 0x48, 0x04};

START_TEST(pages_follow_one_another) {
    made_file m;
    const rwl_lance_column *column, *again;
    begin_file(&m, 2, 2);
    lance_build_column(&m.b);
    lance_build_column_buffer(&m.b, "blob", 4);
    for (uint64_t i = 0; i < 3; i++) {
        lance_build_buffer(&m.b, "ab", 2);
        lance_build_page(&m.b, 5 + i, SPAN(ENCODING));
    }
    open_file(&m);
    ck_assert_int_eq(rwl_lancefile_column(m.f.file, &m.f.op, 0, &column, &m.f.err), RWL_OK);
    ck_assert_int_eq(column->page_count, 3);
    ck_assert_int_eq(column->row_count, 18);
    ck_assert_int_eq(column->pages[2].first_row, 11);
    ck_assert_int_eq(column->pages[2].row_count, 7);
    ck_assert_int_eq(column->buffer_count, 1);
    ck_assert_int_eq(column->buffers[0].length, 4);
    ck_assert_int_eq(rwl_lancefile_column(m.f.file, &m.f.op, 0, &again, &m.f.err), RWL_OK);
    ck_assert_ptr_eq(column, again);
    ck_assert_int_eq(rwl_lancefile_column(m.f.file, &m.f.op, 1, &column, &m.f.err), RWL_CORRUPT);
    ck_assert_int_eq(rwl_lancefile_column(m.f.file, &m.f.op, -1, &column, &m.f.err), RWL_CORRUPT);
    end_file(&m);
}
END_TEST

START_TEST(a_type_url_of_another_version_is_corrupt) {
    made_file m;
    begin_file(&m, 2, 2);
    m.b.type_url = "/lance.encodings.ArrayEncoding";
    lance_build_column(&m.b);
    lance_build_page(&m.b, 5, SPAN(ENCODING));
    expect_column(&m, RWL_CORRUPT,
                  "encoding of type '/lance.encodings.ArrayEncoding' in a file of version 2.2");
    begin_file(&m, 0, 3);
    m.b.type_url = "/lance.encodings21.PageLayout";
    lance_build_column(&m.b);
    lance_build_page(&m.b, 5, SPAN(ENCODING));
    expect_column(&m, RWL_CORRUPT, "in a file of version 2.0");
}
END_TEST

/* pylance 0.17 wrote the first, 0.19 to 0.32 the second of these under the number 2.1, and later ones read neither. */
START_TEST(files_of_2_1_from_before_it_was_finished_are_refused_by_name) {
    static const char *const urls[] = {"/lance.encodings.ArrayEncoding", "/lance.encodings.PageLayout"};
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        made_file m;
        begin_file(&m, 2, 1);
        m.b.type_url = urls[i];
        lance_build_column(&m.b);
        lance_build_page(&m.b, 5, SPAN(ENCODING));
        expect_column(&m, RWL_UNSUPPORTED,
                      "file version 2.1 from before it was finished (encoding of type '/lance.enc");
    }
}
END_TEST

START_TEST(only_the_end_of_a_type_url_counts) {
    made_file m;
    const rwl_lance_column *column;
    begin_file(&m, 2, 1);
    m.b.type_url = "type.googleapis.com/x/lance.encodings21.PageLayout";
    lance_build_column(&m.b);
    lance_build_page(&m.b, 5, SPAN(ENCODING));
    open_file(&m);
    ck_assert_int_eq(rwl_lancefile_column(m.f.file, &m.f.op, 0, &column, &m.f.err), RWL_OK);
    end_file(&m);
}
END_TEST

START_TEST(buffers_lie_inside_the_file) {
    static const struct {
        uint64_t offset, size;
        const char *text;
    } cases[] = {{100000, 1, "page 0: buffer 0: 1 bytes at 100000"},
                 {0, 100000, "100000 bytes at 0"},
                 {8, INT64_MAX, "bytes at 8"},
                 {UINT64_MAX, 2, "buffer offset 18446744073709551615"},
                 {2, UINT64_MAX, "buffer size 18446744073709551615"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        made_file m;
        begin_file(&m, 2, 1);
        lance_build_column(&m.b);
        lance_build_page_raw(&m.b, 1, &cases[i].offset, 1, &cases[i].size, 1, SPAN(ENCODING));
        expect_column(&m, RWL_CORRUPT, cases[i].text);
    }
}
END_TEST

START_TEST(buffers_have_as_many_offsets_as_sizes) {
    static const uint64_t two[] = {0, 0};
    made_file m;
    begin_file(&m, 2, 1);
    lance_build_column(&m.b);
    lance_build_page_raw(&m.b, 1, two, 2, two, 1, SPAN(ENCODING));
    expect_column(&m, RWL_CORRUPT, "2 buffer offsets and 1 sizes");
}
END_TEST

START_TEST(rows_of_pages_do_not_overflow) {
    made_file m;
    begin_file(&m, 2, 1);
    lance_build_column(&m.b);
    lance_build_page(&m.b, (uint64_t)INT64_MAX + 1, SPAN(ENCODING));
    expect_column(&m, RWL_CORRUPT, "page 0: 9223372036854775808 rows");
    begin_file(&m, 2, 1);
    lance_build_column(&m.b);
    lance_build_page(&m.b, INT64_MAX, SPAN(ENCODING));
    lance_build_page(&m.b, 1, SPAN(ENCODING));
    expect_column(&m, RWL_CORRUPT, "page 1: rows overflow");
}
END_TEST

/* A page whose Encoding has these bytes. */
static void add_raw_page(made_file *m, const rwl_buf *encoding) {
    begin_file(m, 2, 1);
    lance_build_column(&m->b);
    lance_build_page_raw(&m->b, 1, NULL, 0, NULL, 0, rwl_buf_span(encoding));
}

START_TEST(a_page_without_an_encoding_is_corrupt) {
    made_file m;
    rwl_env env;
    rwl_buf encoding;
    rwl_env_init_default(&env);
    rwl_buf_init(&encoding, &env, SIZE_MAX);
    pb_text(&encoding, 9, "unknown");
    add_raw_page(&m, &encoding);
    expect_column(&m, RWL_CORRUPT, "page 0: no encoding");
    pb_empty(&encoding, 3); /* none */
    add_raw_page(&m, &encoding);
    expect_column(&m, RWL_CORRUPT, "page 0: no encoding");
    rwl_buf_reset(&encoding);
    add_raw_page(&m, &encoding);
    expect_column(&m, RWL_CORRUPT, "no encoding");
    rwl_buf_clear(&encoding);
}
END_TEST

START_TEST(a_page_whose_type_has_no_url_is_corrupt) {
    made_file m;
    rwl_env env;
    rwl_buf encoding;
    rwl_env_init_default(&env);
    rwl_buf_init(&encoding, &env, SIZE_MAX);
    size_t direct = pb_begin(&encoding, 2), any = pb_begin(&encoding, 1);
    pb_bytes(&encoding, 2, SPAN(ENCODING));
    pb_end(&encoding, any);
    pb_end(&encoding, direct);
    add_raw_page(&m, &encoding);
    expect_column(&m, RWL_CORRUPT, "encoding of type '' in a file of version 2.1");
    rwl_buf_clear(&encoding);
}
END_TEST

/* An Any that lies elsewhere in the file is read there. */
START_TEST(an_indirect_encoding_is_read_where_it_lies) {
    made_file m;
    rwl_env env;
    rwl_buf any, encoding;
    const rwl_lance_column *column;
    rwl_env_init_default(&env);
    rwl_buf_init(&any, &env, SIZE_MAX);
    rwl_buf_init(&encoding, &env, SIZE_MAX);
    pb_text(&any, 1, "/lance.encodings21.PageLayout");
    pb_bytes(&any, 2, SPAN(ENCODING));
    begin_file(&m, 2, 1);
    lance_build_column(&m.b);
    uint64_t at = lance_build_column_buffer(&m.b, any.data, any.len);
    size_t arm = pb_begin(&encoding, 1);
    pb_varint(&encoding, 1, at);
    pb_varint(&encoding, 2, any.len);
    pb_end(&encoding, arm);
    lance_build_page_raw(&m.b, 1, NULL, 0, NULL, 0, rwl_buf_span(&encoding));
    open_file(&m);
    ck_assert_int_eq(rwl_lancefile_column(m.f.file, &m.f.op, 0, &column, &m.f.err), RWL_OK);
    ck_assert(rwl_span_equal(column->pages[0].encoding, SPAN(ENCODING)));
    end_file(&m);
    rwl_buf_reset(&encoding);
    arm = pb_begin(&encoding, 1);
    pb_varint(&encoding, 1, 5000000);
    pb_varint(&encoding, 2, any.len);
    pb_end(&encoding, arm);
    add_raw_page(&m, &encoding);
    expect_column(&m, RWL_CORRUPT, "page 0: 48 bytes at 5000000");
    rwl_buf_clear(&encoding);
    rwl_buf_clear(&any);
}
END_TEST

/* Far from the end, where it has to be read: the second page's would be more than the file has. */
START_TEST(encodings_are_no_more_bytes_than_the_file) {
    enum { PADDING = 150000 };
    made_file m;
    rwl_env env;
    rwl_buf any, encoding;
    rwl_env_init_default(&env);
    rwl_buf_init(&any, &env, SIZE_MAX);
    rwl_buf_init(&encoding, &env, SIZE_MAX);
    uint8_t *padding = calloc(1, PADDING);
    pb_text(&any, 1, "/lance.encodings21.PageLayout");
    pb_bytes(&any, 2, SPAN(ENCODING));
    pb_bytes(&any, 3, rwl_span_of(padding, PADDING));
    begin_file(&m, 2, 1);
    lance_build_column(&m.b);
    uint64_t at = lance_build_column_buffer(&m.b, any.data, any.len);
    (void)lance_build_column_buffer(&m.b, padding, PADDING / 2);
    size_t arm = pb_begin(&encoding, 1);
    pb_varint(&encoding, 1, at);
    pb_varint(&encoding, 2, any.len);
    pb_end(&encoding, arm);
    for (int i = 0; i < 2; i++)
        lance_build_page_raw(&m.b, 1, NULL, 0, NULL, 0, rwl_buf_span(&encoding));
    expect_column(&m, RWL_UNSUPPORTED,
                  "page 1: encoding of 150052 bytes beside 150052 of others in a file of ");
    free(padding);
    rwl_buf_clear(&encoding);
    rwl_buf_clear(&any);
}
END_TEST

/* Encoding{direct{Any{url, value}}} of a column. */
static void put_column_encoding(rwl_buf *out, const char *url, uint32_t arm) {
    size_t direct = pb_begin(out, 2), any = pb_begin(out, 1), value;
    pb_text(out, 1, url);
    value = pb_begin(out, 2);
    pb_empty(out, arm);
    pb_end(out, value);
    pb_end(out, any);
    pb_end(out, direct);
}

START_TEST(column_encodings_other_than_values_are_named) {
    static const struct {
        const char *url;
        uint32_t arm;
        rwl_status status;
        const char *text;
    } cases[] = {{"/lance.encodings.ColumnEncoding", 2, RWL_UNSUPPORTED, "column encoding 'zone index'"},
                 {"/lance.encodings.ColumnEncoding", 3, RWL_UNSUPPORTED, "column encoding 'blob'"},
                 {"/lance.encodings.ColumnEncoding", 9, RWL_UNSUPPORTED, "column encoding 9"},
                 {"/x.Y\n", 1, RWL_CORRUPT, "column encoding of type '/x.Y?'"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        made_file m;
        rwl_buf encoding;
        begin_file(&m, 2, 1);
        rwl_buf_init(&encoding, &m.env, SIZE_MAX);
        put_column_encoding(&encoding, cases[i].url, cases[i].arm);
        m.b.column_encoding = &encoding;
        lance_build_column(&m.b);
        expect_column(&m, cases[i].status, cases[i].text);
        rwl_buf_clear(&encoding);
    }
}
END_TEST

START_TEST(a_column_may_leave_its_encoding_out) {
    made_file m;
    const rwl_lance_column *column;
    begin_file(&m, 2, 1);
    m.b.has_no_column_encoding = true;
    lance_build_column(&m.b);
    lance_build_page(&m.b, 1, SPAN(ENCODING));
    open_file(&m);
    ck_assert_int_eq(rwl_lancefile_column(m.f.file, &m.f.op, 0, &column, &m.f.err), RWL_OK);
    end_file(&m);
}
END_TEST

/* --- large tables --- */

/* 5000 columns have tables of 80,000 bytes, which the first 64 KiB do not hold. */
START_TEST(long_tables_take_one_more_request) {
    made_file m;
    const rwl_lance_column *column;
    begin_file(&m, 2, 1);
    for (int i = 0; i < 5000; i++) {
        lance_build_column(&m.b);
        lance_build_page(&m.b, (uint64_t)i, SPAN(ENCODING));
    }
    open_file(&m);
    ck_assert_int_eq(m.f.file->column_count, 5000);
    ck_assert_int_eq(m.f.file->requests, 2);
    ck_assert_int_eq(m.f.file->bytes_read, 5000 * 16 + 16 + 40);
    ck_assert_int_eq(rwl_lancefile_column(m.f.file, &m.f.op, 4321, &column, &m.f.err), RWL_OK);
    ck_assert_int_eq(column->row_count, 4321);
    ck_assert_int_eq(m.f.file->requests, 3);
    end_file(&m);
}
END_TEST

/* --- the file's own schema --- */

/* a struct{x int32, l list{item string}}, p packed{y, z}, h hidden. */
static void add_schema(lance_build *b) {
    lance_build_field(b, "a", 0, -1, "struct", true);
    lance_build_field(b, "x", 1, 0, "int32", true);
    lance_build_field(b, "l", 2, 0, "list", true);
    lance_build_field(b, "item", 3, 2, "string", true);
    size_t field = pb_begin(&b->schema, 1), entry;
    pb_text(&b->schema, 2, "p");
    pb_varint(&b->schema, 3, 4);
    pb_signed(&b->schema, 4, -1);
    pb_text(&b->schema, 5, "struct");
    entry = pb_begin(&b->schema, 10);
    pb_text(&b->schema, 1, "lance-encoding:packed");
    pb_text(&b->schema, 2, "true");
    pb_end(&b->schema, entry);
    pb_end(&b->schema, field);
    lance_build_field(b, "y", 5, 4, "int32", true);
    lance_build_field(b, "z", 6, 4, "int64", true);
    lance_build_field(b, "_rowid", -3, -1, "uint64", false);
}

START_TEST(columns_are_leaves_and_in_2_0_fields) {
    static const char *const leaves[] = {"x", "item", "p", "_rowid", NULL};
    static const char *const all[] = {"a", "x", "l", "item", "p", "y", "z", "_rowid", NULL};
    for (int is_old = 0; is_old < 2; is_old++) {
        made_file m;
        const rwl_lance_field_def *def;
        begin_file(&m, is_old ? 0 : 2, is_old ? 3 : 1);
        add_schema(&m.b);
        open_file(&m);
        const char *const *expected = is_old ? all : leaves;
        for (int32_t i = 0;; i++) {
            ck_assert_int_eq(rwl_lancefile_column_field(m.f.file, &m.f.op, i, &def, &m.f.err), RWL_OK);
            if (!expected[i]) {
                ck_assert_ptr_null(def);
                break;
            }
            ck_assert_ptr_nonnull(def);
            ck_assert_str_eq(def->name, expected[i]);
        }
        end_file(&m);
    }
}
END_TEST

START_TEST(fields_of_a_file_stand_below_their_parents) {
    made_file m;
    const rwl_lance_field_def *def;
    begin_file(&m, 2, 1);
    lance_build_field(&m.b, "a", 0, -1, "struct", true);
    lance_build_field(&m.b, "b", 1, -1, "struct", true);
    lance_build_field(&m.b, "c", 2, 0, "int32", true);
    open_file(&m);
    rwl_status st;
    for (int asked = 0; asked < 3; asked++) { /* once more, what was found before counts for nothing */
        st = rwl_lancefile_column_field(m.f.file, &m.f.op, 0, &def, &m.f.err);
        expect_failure(st, RWL_CORRUPT, &m.f.err, "field 2 is not below its parent 0");
        ck_assert_uint_eq(m.f.file->column_def_count, 0);
    }
    end_file(&m);
    begin_file(&m, 2, 1);
    for (int32_t i = 0; i < 100; i++)
        lance_build_field(&m.b, "s", i, i - 1, "struct", true);
    open_file(&m);
    st = rwl_lancefile_column_field(m.f.file, &m.f.op, 0, &def, &m.f.err);
    expect_failure(st, RWL_CORRUPT, &m.f.err, "field 64");
    end_file(&m);
}
END_TEST

START_TEST(broken_fields_are_named) {
    static const struct {
        uint8_t bytes[24];
        size_t len;
        const char *text;
    } cases[] = {
        {{0x12, 0x01, 'i', 0x18, 0x01}, 5, "field 'i' has no logical type"},
        {{0x12, 0x01}, 2, "no logical type"},
        {{0x12, 0x02, 0xff, 0xff, 0x2a, 0x01, 'x'}, 7, "name of 2 bytes is no text"},
        {{0x12, 0x02, 'a', 0, 0x2a, 0x01, 'x'}, 7, "name of 2 bytes is no text"},
        {{0x18, 0x80, 0x80, 0x80, 0x80, 0x10, 0x2a, 0x01, 'x'}, 9, "field id 4294967296"},
        {{0x10, 0x01, 0x2a, 0x01, 'x'}, 5, "field 2 has wire type 0, not 2"},
        {{0x12, 0x7f, 'a', 'b'}, 4, "field 2 has 127 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        made_file m;
        begin_file(&m, 2, 1);
        pb_bytes(&m.b.schema, 1, rwl_span_of(cases[i].bytes, cases[i].len));
        open_file(&m);
        rwl_status st = rwl_lancefile_describe(m.f.file, &m.f.op, &m.f.err);
        expect_failure(st, RWL_CORRUPT, &m.f.err, cases[i].text);
        end_file(&m);
    }
}
END_TEST

/* Trap 1 of lance.md: absent is 0, so the second field is a child of the first. */
START_TEST(ids_and_parents_that_are_absent_are_0) {
    static const uint8_t schema[] = {0x0a, 0x12, 0x12, 0x01, 'a',  0x20, 0xff, 0xff, 0xff, 0xff, 0xff,
                                     0xff, 0xff, 0xff, 0xff, 0x01, 0x2a, 0x02, 'x',  'y',  0x0a, 0x09,
                                     0x12, 0x01, 'b',  0x18, 0x01, 0x2a, 0x02, 'x',  'y'};
    rwl_env env;
    rwl_arena arena;
    rwl_lance_field_def *defs;
    size_t count;
    rwl_error err = {0};
    rwl_env_init_default(&env);
    rwl_arena_init(&arena, &env, 0);
    ck_assert_int_eq(rwl_lance_fields_parse(SPAN(schema), &arena, &defs, &count, &err), RWL_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_int_eq(defs[0].id, 0);
    ck_assert_int_eq(defs[0].parent_id, -1);
    ck_assert_int_eq(defs[1].id, 1);
    ck_assert_int_eq(defs[1].parent_id, 0);
    rwl_arena_clear(&arena);
}
END_TEST

Suite *lancefile_file_suite(void) {
    Suite *s = suite_create("lancefile file");
    TCase *t = tcase_create("file");
    tcase_add_test(t, the_builder_makes_the_annotated_file_byte_by_byte);
    tcase_add_test(t, reads_the_annotated_file);
    tcase_add_test(t, refuses_a_file_that_ends_early_anywhere);
    tcase_add_test(t, survives_every_byte_changed);
    tcase_add_loop_test(t, every_field_of_the_footer_is_checked, 0,
                        (int)(sizeof FOOTERS / sizeof FOOTERS[0]));
    tcase_add_test(t, versions_have_the_names_that_tables_give_them);
    tcase_add_test(t, a_short_legacy_file_is_named);
    tcase_add_test(t, pages_follow_one_another);
    tcase_add_test(t, a_type_url_of_another_version_is_corrupt);
    tcase_add_test(t, files_of_2_1_from_before_it_was_finished_are_refused_by_name);
    tcase_add_test(t, only_the_end_of_a_type_url_counts);
    tcase_add_test(t, buffers_lie_inside_the_file);
    tcase_add_test(t, buffers_have_as_many_offsets_as_sizes);
    tcase_add_test(t, rows_of_pages_do_not_overflow);
    tcase_add_test(t, a_page_without_an_encoding_is_corrupt);
    tcase_add_test(t, a_page_whose_type_has_no_url_is_corrupt);
    tcase_add_test(t, an_indirect_encoding_is_read_where_it_lies);
    tcase_add_test(t, encodings_are_no_more_bytes_than_the_file);
    tcase_add_test(t, column_encodings_other_than_values_are_named);
    tcase_add_test(t, a_column_may_leave_its_encoding_out);
    tcase_add_test(t, long_tables_take_one_more_request);
    tcase_add_test(t, columns_are_leaves_and_in_2_0_fields);
    tcase_add_test(t, fields_of_a_file_stand_below_their_parents);
    tcase_add_test(t, broken_fields_are_named);
    tcase_add_test(t, ids_and_parents_that_are_absent_are_0);
    suite_add_tcase(s, t);
    return s;
}
