/* SPDX-License-Identifier: Apache-2.0 */
/* Mini-block pages written by hand: which rows come from which chunks, each codec, and each thing that can be wrong. */
#include "lancefile/mini_internal.h"
#include "page_test.h"
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>

static page_test t;
static rwl_env env;
static rwl_buf words, chunks, codec, items_codec, dictionary, encoding, rows_index;

static const rwl_lance_node LIST = {.form = RWL_LANCE_LIST};
static const rwl_lance_node INT32 = {.form = RWL_LANCE_FIXED, .bits = 32};
static const rwl_lance_node INT8 = {.form = RWL_LANCE_FIXED, .bits = 8};
static const rwl_lance_node BOOLEAN = {.form = RWL_LANCE_FIXED, .bits = 1};
static const rwl_lance_node TEXT = {.form = RWL_LANCE_BYTES};
static const rwl_lance_node INT32_IN_LIST = {.form = RWL_LANCE_FIXED, .bits = 32, .parent = &LIST};
static const rwl_lance_node INT16 = {.form = RWL_LANCE_FIXED, .bits = 16};
static const rwl_lance_node INT24 = {.form = RWL_LANCE_FIXED, .bits = 24};
static const rwl_lance_node PAIR = {
    .form = RWL_LANCE_VECTOR, .dimension = 2, .children = &INT8, .child_count = 1};
static const rwl_lance_node PAIRS = {
    .form = RWL_LANCE_VECTOR, .dimension = 2, .children = &PAIR, .child_count = 1};
static const rwl_lance_node BITS = {
    .form = RWL_LANCE_VECTOR, .dimension = 3, .children = &BOOLEAN, .child_count = 1};
static const rwl_lance_node FIELDS[] = {{.form = RWL_LANCE_FIXED, .bits = 8},
                                        {.form = RWL_LANCE_FIXED, .bits = 16}};
static const rwl_lance_node PACKED = {
    .form = RWL_LANCE_PACKED, .bits = 24, .children = FIELDS, .child_count = 2};

static void set_up(void) {
    rwl_env_init_default(&env);
    rwl_buf *const all[] = {&words, &chunks, &codec, &items_codec, &dictionary, &encoding, &rows_index};
    for (int i = 0; i < 7; i++)
        rwl_buf_init(all[i], &env, SIZE_MAX);
}
static void tear_down(void) {
    rwl_buf *const all[] = {&words, &chunks, &codec, &items_codec, &dictionary, &encoding, &rows_index};
    for (int i = 0; i < 7; i++)
        rwl_buf_clear(all[i]);
}

#define BYTES(text)                                                                                          \
    { (const uint8_t *)(text), sizeof(text) - 1 }

/* Opens a page of the chunks put so far. */
static rwl_status open_page(const rwl_lance_node *node, const mini_layout_spec *spec, uint64_t rows) {
    mini_layout_spec with = *spec;
    with.values = &codec;
    encoding.len = 0;
    with.dictionary = spec->dictionary_items > 0 ? &items_codec : NULL;
    put_mini_layout(&encoding, &with);
    page_parts parts = {{rwl_buf_span(&words), rwl_buf_span(&chunks)}, 2, {0}, rows, !spec->is_large};
    if (with.dictionary != NULL)
        parts.buffers[parts.buffer_count++] = rwl_buf_span(&dictionary);
    if (spec->depth > 0)
        parts.buffers[parts.buffer_count++] = rwl_buf_span(&rows_index);
    parts.encoding = rwl_buf_span(&encoding);
    return page_test_build(&t, node, &parts);
}

static void check_text(const char *want) {
    char *text = page_test_text(&t);
    ck_assert_msg(strcmp(text, want) == 0, "%s\nnot\n%s", text, want);
    free(text);
}

static void check_rows(int64_t start, int64_t count, const char *want) {
    rwl_range range = {start, count};
    PAGE_OK(&t, page_test_read(&t, &range, 1));
    check_text(want);
}

/* --- rows and chunks --- */

/* The page of lance.md 4.1: int32 10, 11, 12, 13. */
START_TEST(lan_90_reads_the_annotated_page) {
    static const uint8_t table[] = {0x20, 0x00};
    static const uint8_t chunk[] = {0x00, 0x00, 0x10, 0x00, 0xfe, 0xfe, 0xfe, 0xfe, 0x0a, 0, 0, 0,
                                    0x0b, 0,    0,    0,    0x0c, 0,    0,    0,    0x0d, 0, 0, 0};
    /* mini_block{value_compression{flat{bits 32}}, layers [1], num_buffers 1, num_items 4} */
    static const uint8_t message[] = {0x0a, 0x0d, 0x1a, 0x04, 0x0a, 0x02, 0x08, 0x20,
                                      0x32, 0x01, 0x01, 0x38, 0x01, 0x48, 0x04};
    page_parts parts = {{{table, 2}, {chunk, 24}}, 2, {message, sizeof message}, 4, true};
    PAGE_OK(&t, page_test_build(&t, &INT32, &parts));
    check_rows(0, 4, "4 rows\n0/0 0a000000\n0/0 0b000000\n0/0 0c000000\n0/0 0d000000");
    check_rows(2, 1, "1 rows\n0/0 0c000000");
    page_test_clear(&t);
}
END_TEST

static void put_u64(rwl_buf *out, const uint64_t *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(rwl_buf_le64(out, values[i], NULL), RWL_OK);
}

/* Chunks of 4, 2 and 3 values 0 … 8 of a byte each. */
static mini_layout_spec put_nine(bool is_large) {
    static const uint8_t values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    static const struct {
        int log2;
        size_t from, count;
    } PARTS[] = {{2, 0, 4}, {1, 4, 2}, {0, 6, 3}};
    lance_put_flat(&codec, 3, 8);
    for (int i = 0; i < 3; i++) {
        mini_chunk_spec chunk = {
            .log2 = PARTS[i].log2, .buffers = {{values + PARTS[i].from, PARTS[i].count}}, .buffer_count = 1};
        put_mini_chunk(&words, &chunks, is_large, &chunk);
    }
    return (mini_layout_spec){
        .items = 9, .buffers = 1, .layers = {1}, .layer_count = 1, .is_large = is_large};
}

/* The grammar is what the page says, whatever the file's version is: 2.1 0, 2.2 2; u16 0, u32 1. */
START_TEST(lan_92_reads_both_grammars) {
    mini_layout_spec spec = put_nine(_i % 2 == 1);
    spec.values = &codec;
    put_mini_layout(&encoding, &spec);
    page_parts parts = {{rwl_buf_span(&words), rwl_buf_span(&chunks)}, 2, rwl_buf_span(&encoding), 9, _i < 2};
    PAGE_OK(&t, page_test_build(&t, &INT8, &parts));
    check_rows(0, 9, "9 rows\n0/0 00\n0/0 01\n0/0 02\n0/0 03\n0/0 04\n0/0 05\n0/0 06\n0/0 07\n0/0 08");
    page_test_clear(&t);
}
END_TEST

START_TEST(asks_only_for_chunks_that_hold_wanted_rows) {
    mini_layout_spec spec = put_nine(false);
    PAGE_OK(&t, open_page(&INT8, &spec, 9));
    int64_t begin = t.page->page->buffers[1].offset;
    /* chunks of 16 bytes: a header of 4, padded to 8, and values padded to 8 */
    static const struct {
        rwl_range rows[2];
        size_t count;
        struct {
            int64_t offset, length;
        } pieces[2];
        size_t piece_count;
        const char *text;
    } STEPS[] = {
        {{{0, 3}}, 1, {{0, 16}}, 1, "3 rows\n0/0 00\n0/0 01\n0/0 02"},
        {{{3, 2}}, 1, {{16, 16}}, 1, "2 rows\n0/0 03\n0/0 04"}, /* the first lies decoded */
        {{{5, 1}}, 1, {{0, 0}}, 0, "1 rows\n0/0 05"},           /* and so does the second */
        {{{6, 3}}, 1, {{32, 16}}, 1, "3 rows\n0/0 06\n0/0 07\n0/0 08"},
        {{{0, 1}, {8, 1}}, 2, {{0, 16}, {32, 16}}, 2, "2 rows\n0/0 00\n0/0 08"},
        {{{1, 1}, {4, 5}}, 2, {{0, 48}}, 1, "6 rows\n0/0 01\n0/0 04\n0/0 05\n0/0 06\n0/0 07\n0/0 08"},
        {{{1, 1}, {3, 1}}, 2, {{0, 16}}, 1, "2 rows\n0/0 01\n0/0 03"},
        {{{2, 0}, {7, 1}}, 2, {{32, 16}}, 1, "1 rows\n0/0 07"},
        {{{2, 0}}, 1, {{0, 0}}, 0, "0 rows"},
    };
    for (size_t i = 0; i < sizeof STEPS / sizeof STEPS[0]; i++) {
        PAGE_OK(&t, page_test_read(&t, STEPS[i].rows, STEPS[i].count));
        check_text(STEPS[i].text);
        ck_assert_uint_eq(t.fetch.pieces.len, STEPS[i].piece_count);
        for (size_t k = 0; k < STEPS[i].piece_count; k++) {
            ck_assert_int_eq(t.fetch.pieces.items[k].offset, begin + STEPS[i].pieces[k].offset);
            ck_assert_int_eq(t.fetch.pieces.items[k].length, STEPS[i].pieces[k].length);
        }
    }
    page_test_clear(&t);
}
END_TEST

/* What `want` left out is fetched after all when another step took its place. */
START_TEST(steps_may_be_wanted_ahead) {
    mini_layout_spec spec = put_nine(false);
    PAGE_OK(&t, open_page(&INT8, &spec, 9));
    static const rwl_range first = {0, 1}, last = {8, 1}, second = {1, 1};
    size_t numbers[2];
    PAGE_OK(&t, page_test_read(&t, &first, 1));
    rwl_lance_leaf_reset(&t.leaf);
    PAGE_OK(&t, t.page->vtable->want(t.page, &last, 1, &numbers[0], &t.error));
    PAGE_OK(&t, t.page->vtable->want(t.page, &second, 1, &numbers[1], &t.error));
    PAGE_OK(&t, rwl_lance_fetch_submit(&t.fetch, &t.error));
    PAGE_OK(&t, t.page->vtable->read(t.page, &last, 1, numbers[0], &t.leaf, &t.error));
    PAGE_OK(&t, t.page->vtable->read(t.page, &second, 1, numbers[1], &t.leaf, &t.error));
    check_text("2 rows\n0/0 08\n0/0 01");
    rwl_range past = {8, 2}, backwards[] = {{4, 1}, {3, 1}};
    ck_assert_int_eq(page_test_read(&t, &past, 1), RWL_INTERNAL);
    ck_assert_int_eq(page_test_read(&t, backwards, 2), RWL_INTERNAL);
    page_test_clear(&t);
}
END_TEST

/* --- lists --- */

/* list<int32?>?: [1, null], [], null, [2], in one chunk or one for each of its three slots. */
static mini_layout_spec put_documented_list(bool in_three, bool has_index) {
    static const uint16_t rep[] = {1, 0, 1, 1, 1}, def[] = {0, 1, 3, 2, 0};
    static const uint8_t values[] = {1, 0, 0, 0, 9, 9, 9, 9, 2, 0, 0, 0};
    lance_put_flat(&codec, 3, 32);
    static const struct { int entry, count; } PARTS[] = {{0, 1}, {1, 3}, {4, 1}};
    mini_chunk_spec one = {
        .level_count = 5, .rep = rep, .def = def, .buffers = {{values, 12}}, .buffer_count = 1};
    if (!in_three)
        put_mini_chunk(&words, &chunks, false, &one);
    for (size_t i = 0; in_three && i < 3; i++) {
        mini_chunk_spec part = {.level_count = PARTS[i].count,
                                .rep = rep + PARTS[i].entry,
                                .def = def + PARTS[i].entry,
                                .buffers = {{values + 4 * i, 4}},
                                .buffer_count = 1};
        put_mini_chunk(&words, &chunks, false, &part);
    }
    /* (rows that end in it, levels left over) a chunk */
    static const uint64_t index_1[] = {4, 0}, index_3[] = {0, 1, 3, 0, 1, 0};
    if (in_three)
        put_u64(&rows_index, index_3, 6);
    else
        put_u64(&rows_index, index_1, 2);
    return (mini_layout_spec){.has_rep = true,
                              .has_def = true,
                              .items = 3,
                              .buffers = 1,
                              .depth = has_index ? 1 : 0,
                              .layers = {3, 6},
                              .layer_count = 2};
}

START_TEST(reads_the_documented_list) {
    mini_layout_spec spec = put_documented_list(_i % 2 == 1, _i >= 2);
    PAGE_OK(&t, open_page(&INT32_IN_LIST, &spec, 4));
    check_rows(0, 4, "4 rows\n1/0 01000000\n0/1 \n1/3 \n1/2 \n1/0 02000000");
    check_rows(3, 1, "1 rows\n1/0 02000000");
    check_rows(1, 1, "1 rows\n1/3 ");
    check_rows(0, 1, "1 rows\n1/0 01000000\n0/1 ");
    check_rows(2, 2, "2 rows\n1/2 \n1/0 02000000");
    rwl_range some[] = {{0, 1}, {2, 1}};
    PAGE_OK(&t, page_test_read(&t, some, 2));
    check_text("2 rows\n1/0 01000000\n0/1 \n1/2 ");
    page_test_clear(&t);
}
END_TEST

/*
 * list<int8>, every chunk two slots but the last: rows [0 1 2 3 4], [5], [6 7], [8 9 10], so that rows go over chunks, chunk 1 begins
 * no row, and a row ends where a chunk does.
 *
 *   chunk    0 1 | 2 3 | 4 5 | 6 7 | 8 9 | 10
 *   rep      1 0   0 0   0 1   1 0   1 0   0
 *   ended     0     0     2     1     0     1       left over  2  4  0  0  2  0
 */
static mini_layout_spec put_long_rows(bool has_index) {
    static const uint16_t rep[] = {1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0};
    static const uint8_t values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    static const uint64_t entries[] = {0, 2, 0, 4, 2, 0, 1, 0, 0, 2, 1, 0};
    lance_put_flat(&codec, 3, 8);
    for (size_t i = 0; i < 6; i++) {
        size_t count = i < 5 ? 2 : 1;
        mini_chunk_spec chunk = {.log2 = i < 5 ? 1 : 0,
                                 .level_count = (int)count,
                                 .rep = rep + 2 * i,
                                 .buffers = {{values + 2 * i, count}},
                                 .buffer_count = 1};
        put_mini_chunk(&words, &chunks, false, &chunk);
    }
    put_u64(&rows_index, entries, 12);
    return (mini_layout_spec){.has_rep = true,
                              .items = 11,
                              .buffers = 1,
                              .depth = has_index ? 1 : 0,
                              .layers = {1, 2},
                              .layer_count = 2};
}

static const rwl_lance_node INT8_IN_LIST = {.form = RWL_LANCE_FIXED, .bits = 8, .parent = &LIST};

START_TEST(rows_go_over_several_chunks) {
    static const char *const ROWS[] = {"\n1/0 00\n0/0 01\n0/0 02\n0/0 03\n0/0 04", "\n1/0 05",
                                       "\n1/0 06\n0/0 07", "\n1/0 08\n0/0 09\n0/0 0a"};
    static const struct {
        int64_t offset, length;
    } BYTES_OF[] = {{0, 72}, {48, 24}, {72, 24}, {96, 48}}; /* chunks of 24 bytes */
    mini_layout_spec spec = put_long_rows(_i == 1);
    PAGE_OK(&t, open_page(&INT8_IN_LIST, &spec, 4));
    int64_t begin = t.page->page->buffers[1].offset;
    for (int pass = 0; pass < 2; pass++) /* backwards, forwards */
        for (int k = 0; k < 4; k++) {
            int row = pass == 0 ? 3 - k : k;
            char want[128];
            snprintf(want, sizeof want, "1 rows%s", ROWS[row]);
            check_rows(row, 1, want);
            if (pass > 0) /* what lies decoded is not asked for */
                continue;
            ck_assert_uint_eq(t.fetch.pieces.len, 1);
            ck_assert_int_eq(t.fetch.pieces.items[0].offset, begin + BYTES_OF[row].offset);
            ck_assert_int_le(t.fetch.pieces.items[0].length, BYTES_OF[row].length);
        }
    for (int set = 1; set < 16; set++) { /* every set of rows */
        rwl_range rows[4];
        size_t count = 0;
        char want[256];
        int len = snprintf(want, sizeof want, "%d rows", __builtin_popcount((unsigned)set));
        for (int row = 0; row < 4; row++) {
            if ((set >> row & 1) == 0)
                continue;
            rows[count++] = (rwl_range){row, 1};
            len += snprintf(want + len, sizeof want - (size_t)len, "%s", ROWS[row]);
        }
        PAGE_OK(&t, page_test_read(&t, rows, count));
        check_text(want);
    }
    page_test_clear(&t);
}
END_TEST

/* --- codecs --- */

static size_t arm; /* of the codec that is open */
static size_t begin_codec(rwl_buf *out, uint32_t number, uint32_t kind) {
    size_t outer = pb_begin(out, number);
    arm = pb_begin(out, kind);
    return outer;
}
static void end_codec(rwl_buf *out, size_t outer, size_t inner) {
    pb_end(out, inner);
    pb_end(out, outer);
}

static void put_flat1(void) {
    lance_put_flat(&codec, 3, 1);
}
static void put_flat24(void) {
    lance_put_flat(&codec, 3, 24);
}
static void put_flat8(void) {
    lance_put_flat(&codec, 3, 8);
}
static void put_variable32(void) {
    lance_put_variable(&codec, 3, 32);
}
static void put_variable64(void) {
    lance_put_variable(&codec, 3, 64);
}
static void put_inline8(void) {
    lance_put_inline_bitpacking(&codec, 3, 8);
}
static void put_out_of_line16(void) {
    size_t outer = begin_codec(&codec, 3, 4), inner = arm;
    pb_varint(&codec, 1, 16);
    lance_put_flat(&codec, 3, 8);
    end_codec(&codec, outer, inner);
}
static void put_runs16(void) {
    size_t outer = begin_codec(&codec, 3, 8), inner = arm;
    lance_put_flat(&codec, 1, 16);
    lance_put_flat(&codec, 2, 8);
    end_codec(&codec, outer, inner);
}
static void put_split32(void) {
    size_t outer = begin_codec(&codec, 3, 9), inner = arm;
    lance_put_flat(&codec, 1, 32);
    end_codec(&codec, outer, inner);
}
static void put_constant32(void) {
    size_t outer = begin_codec(&codec, 3, 3), inner = arm;
    pb_bytes(&codec, 1, rwl_span_of("\1\2\3\4", 4));
    end_codec(&codec, outer, inner);
}
/* general{lz4} around what `put` gives for its field 3 */
static void put_lz4(void (*put)(void)) {
    size_t outer = begin_codec(&codec, 3, 10), inner = arm;
    size_t compression = pb_begin(&codec, 1);
    pb_varint(&codec, 1, 1);
    pb_end(&codec, compression);
    put();
    end_codec(&codec, outer, inner);
}
static void put_lz4_variable32(void) {
    put_lz4(put_variable32);
}
static void put_lz4_runs16(void) {
    put_lz4(put_runs16);
}
static void put_list_of(uint32_t number, uint64_t items, bool has_validity, void (*put)(void)) {
    size_t outer = begin_codec(&codec, number, 11), inner = arm;
    pb_varint(&codec, 1, items);
    if (has_validity)
        pb_varint(&codec, 3, 1);
    size_t values = pb_begin(&codec, 2); /* what put writes is field 3; here it is the message itself */
    size_t at = codec.len;
    put();
    /* cut the tag and length off again: fields of less than 128 bytes have one byte of each */
    memmove(codec.data + at, codec.data + at + 2, codec.len - at - 2);
    codec.len -= 2;
    pb_end(&codec, values);
    end_codec(&codec, outer, inner);
}
static void put_pair(void) {
    put_list_of(3, 2, true, put_flat8);
}
static void put_pairs(void) {
    put_list_of(3, 2, true, put_pair);
}
static void put_bits(void) {
    put_list_of(3, 3, false, put_flat1);
}
static void put_bits_with_validity(void) {
    put_list_of(3, 3, true, put_flat1);
}
static void put_packed(void) {
    size_t outer = begin_codec(&codec, 3, 12), inner = arm;
    pb_packed(&codec, 1, (const uint64_t[]){8, 16}, 2);
    lance_put_flat(&codec, 2, 24);
    end_codec(&codec, outer, inner);
}
static void put_packed_of_less(void) {
    size_t outer = begin_codec(&codec, 3, 12), inner = arm;
    pb_packed(&codec, 1, (const uint64_t[]){8, 8}, 2);
    lance_put_flat(&codec, 2, 16);
    end_codec(&codec, outer, inner);
}
/* of a boolean and two bytes: Lance stores the bytes only */
static void put_packed_bits(void) {
    size_t outer = begin_codec(&codec, 3, 12), inner = arm;
    pb_packed(&codec, 1, (const uint64_t[]){1, 16}, 2);
    lance_put_flat(&codec, 2, 17);
    end_codec(&codec, outer, inner);
}
static void put_wide_runs(void) {
    size_t outer = begin_codec(&codec, 3, 8), inner = arm;
    lance_put_flat(&codec, 1, 16);
    lance_put_flat(&codec, 2, 16);
    end_codec(&codec, outer, inner);
}
/* one symbol, "ab", of code 0 */
static void put_fsst(void) {
    uint8_t table[2312] = {1, 0, 0, 1, 'T', 'S', 'S', 'F', 'a', 'b'};
    table[16] = 2; /* its length */
    size_t outer = begin_codec(&codec, 3, 6), inner = arm;
    pb_bytes(&codec, 1, rwl_span_of(table, sizeof table));
    lance_put_variable(&codec, 2, 32);
    end_codec(&codec, outer, inner);
}
static void put_nothing_known(void) {
    size_t outer = begin_codec(&codec, 3, 7), inner = arm;
    lance_put_flat(&codec, 1, 32);
    lance_put_flat(&codec, 2, 32);
    pb_varint(&codec, 3, 2);
    end_codec(&codec, outer, inner);
}

typedef struct codec_case {
    const char *name;
    const rwl_lance_node *node;
    void (*put)(void);
    rwl_span buffers[3];
    int buffer_count, rows;
    const char *def; /* a digit a row; NULL: the layer has none */
    rwl_status status;
    const char *text;
} codec_case;

/* Offsets of n values begin at 4 (n + 1). */
#define A_BC "\14\0\0\0\15\0\0\0\17\0\0\0abc"

static const codec_case CODECS[] = {
    {"flat bits", &BOOLEAN, put_flat1, {BYTES("\5")}, 1, 3, NULL, RWL_OK, "3 rows\n0/0 1\n0/0 0\n0/0 1"},
    {"flat, short", &INT8, put_flat8, {BYTES("\5")}, 1, 2, NULL, RWL_CORRUPT, NULL},
    {"flat of other bits", &INT16, put_flat8, {BYTES("\5\5")}, 1, 1, NULL, RWL_CORRUPT, NULL},
    {"flat in two buffers", &INT8, put_flat8, {BYTES("\5"), BYTES("\5")}, 2, 1, NULL, RWL_CORRUPT, NULL},
    {"flat with nulls",
     &INT8,
     put_flat8,
     {BYTES("\5\6\7")},
     1,
     3,
     "010",
     RWL_OK,
     "3 rows\n0/0 05\n0/1 \n0/0 07"},
    {"variable", &TEXT, put_variable32, {BYTES(A_BC)}, 1, 2, NULL, RWL_OK, "2 rows\n0/0 61\n0/0 6263"},
    {"variable, padded",
     &TEXT,
     put_variable32,
     {BYTES(A_BC "HHH")},
     1,
     2,
     NULL,
     RWL_OK,
     "2 rows\n0/0 61\n0/0 6263"},
    {"variable of 64 bits",
     &TEXT,
     put_variable64,
     {BYTES("\20\0\0\0\0\0\0\0\21\0\0\0\0\0\0\0x")},
     1,
     1,
     NULL,
     RWL_OK,
     "1 rows\n0/0 78"},
    {"variable, a null with bytes",
     &TEXT,
     put_variable32,
     {BYTES(A_BC)},
     1,
     2,
     "10",
     RWL_OK,
     "2 rows\n0/1 \n0/0 6263"},
    {"variable, offsets cut off",
     &TEXT,
     put_variable32,
     {BYTES("\14\0\0\0\15\0\0\0\17\0\0")},
     1,
     2,
     NULL,
     RWL_CORRUPT,
     NULL},
    {"variable, offsets into offsets",
     &TEXT,
     put_variable32,
     {BYTES("\13\0\0\0\15\0\0\0\17\0\0\0abc")},
     1,
     2,
     NULL,
     RWL_CORRUPT,
     NULL},
    {"variable, the last passes the end",
     &TEXT,
     put_variable32,
     {BYTES("\14\0\0\0\15\0\0\0\20\0\0\0abc")},
     1,
     2,
     NULL,
     RWL_CORRUPT,
     NULL},
    {"variable, one passes the end",
     &TEXT,
     put_variable32,
     {BYTES("\14\0\0\0\25\0\0\0\17\0\0\0abc")},
     1,
     2,
     NULL,
     RWL_CORRUPT,
     NULL},
    {"variable, one passes the end, with nulls",
     &TEXT,
     put_variable32,
     {BYTES("\14\0\0\0\25\0\0\0\17\0\0\0abc")},
     1,
     2,
     "10",
     RWL_CORRUPT,
     NULL},
    {"variable of 64 bits, the end before the start",
     &TEXT,
     put_variable64,
     {BYTES("\21\0\0\0\0\0\0\0\20\0\0\0\0\0\0\0xx")},
     1,
     1,
     NULL,
     RWL_CORRUPT,
     NULL},
    {"variable for numbers", &INT32, put_variable32, {BYTES(A_BC)}, 1, 2, NULL, RWL_UNSUPPORTED, NULL},
    {"flat for texts", &TEXT, put_flat8, {BYTES(A_BC)}, 1, 2, NULL, RWL_UNSUPPORTED, NULL},
    {"lz4 around variable",
     &TEXT,
     put_lz4_variable32,
     {BYTES("\17\0\0\0\360\0" A_BC)},
     1,
     2,
     NULL,
     RWL_OK,
     "2 rows\n0/0 61\n0/0 6263"},
    {"lz4, cut off",
     &TEXT,
     put_lz4_variable32,
     {BYTES("\17\0\0\0\360\0"
            "\14\0\0\0\15")},
     1,
     2,
     NULL,
     RWL_CORRUPT,
     NULL},
    {"lz4 around runs compresses the first buffer",
     &INT16,
     put_lz4_runs16,
     {BYTES("\4\0\0\0\100\5\0\6\0"), BYTES("\2\1")},
     2,
     3,
     NULL,
     RWL_OK,
     "3 rows\n0/0 0500\n0/0 0500\n0/0 0600"},
    {"fsst",
     &TEXT,
     put_fsst,
     {BYTES("\14\0\0\0\16\0\0\0\21\0\0\0\0\0\377x\0")},
     1,
     2,
     NULL,
     RWL_OK,
     "2 rows\n0/0 61626162\n0/0 786162"},
    {"fsst with a null",
     &TEXT,
     put_fsst,
     {BYTES("\14\0\0\0\16\0\0\0\21\0\0\0\0\0\377x\0")},
     1,
     2,
     "10",
     RWL_OK,
     "2 rows\n0/1 \n0/0 786162"},
    {"fsst, an escape at the end",
     &TEXT,
     put_fsst,
     {BYTES("\10\0\0\0\12\0\0\0\0\377")},
     1,
     1,
     NULL,
     RWL_CORRUPT,
     NULL},
    {"fsst, a value that ends inside of an escape",
     &TEXT,
     put_fsst,
     {BYTES("\14\0\0\0\16\0\0\0\20\0\0\0\0\377x\0")},
     1,
     2,
     NULL,
     RWL_CORRUPT,
     NULL},
    {"fsst, offsets descend",
     &TEXT,
     put_fsst,
     {BYTES("\14\0\0\0\24\0\0\0\20\0\0\0\0\0\0\0")},
     1,
     2,
     NULL,
     RWL_CORRUPT,
     NULL},
    {"fsst, four codes and more",
     &TEXT,
     put_fsst,
     {BYTES("\14\0\0\0\17\0\0\0\21\0\0\0\0\0\0\0\0")},
     1,
     2,
     NULL,
     RWL_OK,
     "2 rows\n0/0 616261626162\n0/0 61626162"},
    {"fsst, one of four codes is none",
     &TEXT,
     put_fsst,
     {BYTES("\10\0\0\0\14\0\0\0\0\0\1\0")},
     1,
     1,
     NULL,
     RWL_CORRUPT,
     NULL},
    {"fsst, a code that is none",
     &TEXT,
     put_fsst,
     {BYTES("\10\0\0\0\11\0\0\0\1")},
     1,
     1,
     NULL,
     RWL_CORRUPT,
     NULL},
    /* a word of 8 bits: width 0; 1024 zeros */
    {"packed inline, 0 bits",
     &INT8,
     put_inline8,
     {BYTES("\0")},
     1,
     2,
     NULL,
     RWL_OK,
     "2 rows\n0/0 00\n0/0 00"},
    {"packed inline, no word", &INT8, put_inline8, {{(const uint8_t *)"", 0}}, 1, 2, NULL, RWL_CORRUPT, NULL},
    {"packed inline, too wide", &INT8, put_inline8, {BYTES("\11")}, 1, 2, NULL, RWL_CORRUPT, NULL},
    {"packed inline, cut off", &INT8, put_inline8, {BYTES("\1\0\0")}, 1, 2, NULL, RWL_CORRUPT, NULL},
    /* fewer than 1024, and as many words as values: raw */
    {"packed out of line, raw",
     &INT16,
     put_out_of_line16,
     {BYTES("\1\2\3\4")},
     1,
     2,
     NULL,
     RWL_OK,
     "2 rows\n0/0 0102\n0/0 0304"},
    {"packed out of line, cut off",
     &INT16,
     put_out_of_line16,
     {BYTES("\1\2\3")},
     1,
     2,
     NULL,
     RWL_CORRUPT,
     NULL},
    {"runs",
     &INT16,
     put_runs16,
     {BYTES("\5\0\6\0"), BYTES("\2\1")},
     2,
     3,
     NULL,
     RWL_OK,
     "3 rows\n0/0 0500\n0/0 0500\n0/0 0600"},
    {"runs, the last of which passes the end",
     &INT16,
     put_runs16,
     {BYTES("\5\0\6\0"), BYTES("\2\2")},
     2,
     3,
     NULL,
     RWL_OK,
     "3 rows\n0/0 0500\n0/0 0500\n0/0 0600"},
    {"runs behind the end",
     &INT16,
     put_runs16,
     {BYTES("\5\0\6\0"), BYTES("\3\1")},
     2,
     3,
     NULL,
     RWL_CORRUPT,
     NULL},
    {"runs of fewer", &INT16, put_runs16, {BYTES("\5\0\6\0"), BYTES("\1\1")}, 2, 3, NULL, RWL_CORRUPT, NULL},
    {"runs without lengths", &INT16, put_runs16, {BYTES("\5\0\6\0")}, 1, 3, NULL, RWL_CORRUPT, NULL},
    {"streams",
     &INT32,
     put_split32,
     {BYTES("\1\5\2\6\3\7\4\10")},
     1,
     2,
     NULL,
     RWL_OK,
     "2 rows\n0/0 01020304\n0/0 05060708"},
    {"streams, cut off", &INT32, put_split32, {BYTES("\1\5\2\6\3\7\4")}, 1, 2, NULL, RWL_CORRUPT, NULL},
    {"a constant", &INT32, put_constant32, {{0}}, 0, 2, NULL, RWL_OK, "2 rows\n0/0 01020304\n0/0 01020304"},
    {"a constant of other bits", &INT16, put_constant32, {{0}}, 0, 2, NULL, RWL_CORRUPT, NULL},
    {"a constant text", &TEXT, put_constant32, {{0}}, 0, 1, NULL, RWL_OK, "1 rows\n0/0 01020304"},
    {"24 bits", &PACKED, put_flat24, {BYTES("\1\2\3")}, 1, 1, NULL, RWL_OK, "1 rows\n0/0 010203"},
    {"a packed struct",
     &PACKED,
     put_packed,
     {BYTES("\1\2\3\4\5\6")},
     1,
     2,
     NULL,
     RWL_OK,
     "2 rows\n0/0 010203\n0/0 040506"},
    {"a packed struct of other fields",
     &PACKED,
     put_packed_of_less,
     {BYTES("\1\2\3\4\5\6")},
     1,
     2,
     NULL,
     RWL_CORRUPT,
     NULL},
    {"a packed struct with a boolean",
     &PACKED,
     put_packed_bits,
     {BYTES("\2\3\5\6")},
     1,
     2,
     NULL,
     RWL_UNSUPPORTED,
     NULL},
    {"runs with lengths of two bytes",
     &INT16,
     put_wide_runs,
     {BYTES("\5\0\6\0"), BYTES("\2\0\1\0")},
     2,
     3,
     NULL,
     RWL_OK,
     "3 rows\n0/0 0500\n0/0 0500\n0/0 0600"},
    {"vectors with validity",
     &PAIR,
     put_pair,
     {BYTES("\13"), BYTES("\1\2\3\4")},
     2,
     2,
     NULL,
     RWL_OK,
     "2 rows\n0/0 0102|11\n0/0 0304|01"},
    {"vectors with less validity",
     &PAIR,
     put_pair,
     {{(const uint8_t *)"", 0}, BYTES("\1\2\3\4")},
     2,
     2,
     NULL,
     RWL_CORRUPT,
     NULL},
    {"vectors of vectors",
     &PAIRS,
     put_pairs,
     {BYTES("\2"), BYTES("\7"), BYTES("\1\2\3\4")},
     3,
     1,
     NULL,
     RWL_OK,
     "1 rows\n0/0 01020304|01|1110"},
    {"vectors of other dimensions",
     &BITS,
     put_pair,
     {BYTES("\3"), BYTES("\1\2\3\4")},
     2,
     1,
     NULL,
     RWL_CORRUPT,
     NULL},
    {"vectors of bits",
     &BITS,
     put_bits,
     {BYTES("\345\0")},
     1,
     3,
     NULL,
     RWL_OK,
     "3 rows\n0/0 101|111\n0/0 001|111\n0/0 110|111"},
    {"vectors of bits with validity",
     &BITS,
     put_bits_with_validity,
     {BYTES("\2\0"), BYTES("\345\0")},
     2,
     3,
     NULL,
     RWL_OK,
     "3 rows\n0/0 101|010\n0/0 001|000\n0/0 110|000"},
    {"more vectors than the field has",
     &INT16,
     put_pair,
     {BYTES("\3"), BYTES("\1\2")},
     2,
     1,
     NULL,
     RWL_CORRUPT,
     NULL},
    {"a dictionary in a chunk",
     &INT32,
     put_nothing_known,
     {BYTES("\0\0\0\0")},
     1,
     1,
     NULL,
     RWL_UNSUPPORTED,
     NULL},
};

static rwl_status open_codec_case(const codec_case *c) {
    uint16_t def[8];
    c->put();
    for (int i = 0; c->def != NULL && i < c->rows; i++)
        def[i] = (uint16_t)(c->def[i] - '0');
    mini_chunk_spec chunk = {.level_count = c->def != NULL ? c->rows : 0,
                             .def = c->def != NULL ? def : NULL,
                             .buffer_count = c->buffer_count};
    memcpy(chunk.buffers, c->buffers, sizeof chunk.buffers);
    put_mini_chunk(&words, &chunks, false, &chunk);
    mini_layout_spec spec = {.has_def = c->def != NULL,
                             .items = (uint64_t)c->rows,
                             .buffers = (uint64_t)c->buffer_count,
                             .layers = {c->def != NULL ? 3 : 1},
                             .layer_count = 1};
    return open_page(c->node, &spec, (uint64_t)c->rows);
}

START_TEST(reads_every_codec_or_says_what_is_wrong) {
    const codec_case *c = &CODECS[_i];
    rwl_range all = {0, c->rows};
    rwl_status st = open_codec_case(c);
    if (st == RWL_OK)
        st = page_test_read(&t, &all, 1);
    ck_assert_msg(st == c->status, "%s: %d, %s", c->name, st, t.error.message);
    if (st == RWL_OK) {
        check_text(c->text);
        rwl_lance_leaf_reset(&t.leaf); /* row by row they pass through a copy */
        for (int64_t i = 0; i < c->rows; i++) {
            rwl_range one = {i, 1};
            PAGE_OK(&t, page_test_append(&t, &one, 1));
        }
        check_text(c->text);
    }
    page_test_clear(&t);
}
END_TEST

/* --- dictionaries --- */

typedef struct dictionary_case {
    const char *name;
    const rwl_lance_node *node;
    uint64_t index_bits;
    rwl_span indices;
    int rows;
    const char *def;
    rwl_span items; /* flat bytes of the node, or variable */
    uint64_t item_count;
    rwl_status status;
    const char *text;
} dictionary_case;

/* block form: u32 bits · u32 where bytes begin · offsets from 0 · bytes */
#define A_BC_BLOCK "\40\0\0\0\24\0\0\0\0\0\0\0\1\0\0\0\3\0\0\0abc"

static const dictionary_case DICTIONARIES[] = {
    {"numbers", &INT16, 8, BYTES("\1\0\1"), 3, NULL, BYTES("\5\0\6\0"), 2, RWL_OK,
     "3 rows\n0/0 0600\n0/0 0500\n0/0 0600"},
    {"numbers of three bytes", &INT24, 8, BYTES("\1\0"), 2, NULL, BYTES("\1\2\3\4\5\6"), 2, RWL_OK,
     "2 rows\n0/0 040506\n0/0 010203"},
    {"pairs", &PAIR, 8, BYTES("\1\0"), 2, NULL, BYTES("\1\2\3\4"), 2, RWL_OK,
     "2 rows\n0/0 0304|11\n0/0 0102|11"},
    {"32-bit indices", &INT8, 32, BYTES("\1\0\0\0\0\0\0\0"), 2, NULL, BYTES("\5\6"), 2, RWL_OK,
     "2 rows\n0/0 06\n0/0 05"},
    {"64-bit indices", &INT8, 64, BYTES("\1\0\0\0\0\0\0\0"), 1, NULL, BYTES("\5\6"), 2, RWL_OK,
     "1 rows\n0/0 06"},
    {"texts", &TEXT, 16, BYTES("\1\0\0\0\1\0"), 3, NULL, BYTES(A_BC_BLOCK), 2, RWL_OK,
     "3 rows\n0/0 6263\n0/0 61\n0/0 6263"},
    {"an index of a null may be any", &TEXT, 8, BYTES("\1\11\0"), 3, "010", BYTES(A_BC_BLOCK), 2, RWL_OK,
     "3 rows\n0/0 6263\n0/1 \n0/0 61"},
    {"a null of numbers", &INT8, 8, BYTES("\1\11"), 2, "01", BYTES("\5\6"), 2, RWL_OK,
     "2 rows\n0/0 06\n0/1 "},
    {"an index beyond", &TEXT, 8, BYTES("\1\2"), 2, NULL, BYTES(A_BC_BLOCK), 2, RWL_CORRUPT, NULL},
    {"an index beyond all", &TEXT, 64, BYTES("\0\0\0\0\1\0\0\0"), 1, NULL, BYTES(A_BC_BLOCK), 2, RWL_CORRUPT,
     NULL},
    {"an index below", &TEXT, 32, BYTES("\377\377\377\377"), 1, NULL, BYTES(A_BC_BLOCK), 2, RWL_CORRUPT,
     NULL},
    {"fewer items", &INT8, 8, BYTES("\0"), 1, NULL, BYTES("\5\6"), 3, RWL_CORRUPT, NULL},
    {"items beyond all bounds", &INT8, 8, BYTES("\0"), 1, NULL, BYTES("\5\6"), UINT64_C(1) << 40, RWL_CORRUPT,
     NULL},
    {"indices of a strange width", &INT8, 24, BYTES("\0\0\0"), 1, NULL, BYTES("\5\6"), 2, RWL_UNSUPPORTED,
     NULL},
};

START_TEST(gathers_from_dictionaries) {
    const dictionary_case *c = &DICTIONARIES[_i];
    uint16_t def[4];
    for (int i = 0; c->def != NULL && i < c->rows; i++)
        def[i] = (uint16_t)(c->def[i] - '0');
    lance_put_flat(&codec, 3, c->index_bits);
    if (c->node->form == RWL_LANCE_BYTES)
        lance_put_variable(&items_codec, 4, 32);
    else
        lance_put_flat(&items_codec, 4, c->node == &PAIR ? 16 : (uint64_t)c->node->bits);
    ck_assert_int_eq(rwl_buf_append(&dictionary, c->items.data, c->items.len, NULL), RWL_OK);
    mini_chunk_spec chunk = {.level_count = c->def != NULL ? c->rows : 0,
                             .def = c->def != NULL ? def : NULL,
                             .buffers = {c->indices},
                             .buffer_count = 1};
    put_mini_chunk(&words, &chunks, false, &chunk);
    mini_layout_spec spec = {.has_def = c->def != NULL,
                             .items = (uint64_t)c->rows,
                             .buffers = 1,
                             .dictionary_items = c->item_count,
                             .layers = {c->def != NULL ? 3 : 1},
                             .layer_count = 1};
    rwl_range all = {0, c->rows};
    rwl_status st = open_page(c->node, &spec, (uint64_t)c->rows);
    if (st == RWL_OK)
        st = page_test_read(&t, &all, 1);
    ck_assert_msg(st == c->status, "%s: %d, %s", c->name, st, t.error.message);
    if (st == RWL_OK)
        check_text(c->text);
    page_test_clear(&t);
}
END_TEST

/* --- what can be wrong --- */

/* One byte of the documented list in three chunks (32 bytes of header, levels and values each; the middle one 40) set to another. */
typedef struct damage {
    const char *name;
    int buffer; /* 0 table, 1 chunks, 2 index, 3 none but what follows */
    size_t at;
    uint8_t value;
    uint64_t rows, items, depth; /* 4, 3, 1 when right */
} damage;

static const damage DAMAGES[] = {
    {"a chunk of 2 values, by the table", 0, 0, 0x31, 4, 3, 1},
    {"a chunk of 2^15 values", 0, 0, 0x3F, 4, 3, 1},
    {"a last chunk that tells its values", 0, 4, 0x31, 4, 3, 1},
    {"a chunk longer than it is", 0, 0, 0x40, 4, 3, 1},
    {"a chunk shorter than it is", 0, 0, 0x20, 4, 3, 1},
    {"chunks that pass their buffer", 0, 5, 0xFF, 4, 3, 1},
    {"more items", 3, 0, 0, 4, 4, 1},
    {"fewer items", 3, 0, 0, 4, 2, 1},
    {"no items", 3, 0, 0, 4, 0, 1},
    {"items beyond all bounds", 3, 0, 0, 4, UINT64_C(1) << 62, 1},
    {"more rows", 3, 0, 0, 5, 3, 1},
    {"fewer rows", 3, 0, 0, 3, 3, 1},
    {"more rows, without an index", 3, 0, 0, 5, 3, 0},
    {"fewer rows, without an index", 3, 0, 0, 3, 3, 0},
    {"an index of depth 2", 3, 0, 0, 4, 3, 2},
    {"no levels", 1, 0, 0, 4, 3, 1},
    {"more levels", 1, 0, 2, 4, 3, 1},
    {"more bytes of repetition levels", 1, 2, 3, 4, 3, 1},
    {"repetition levels that pass the chunk", 1, 3, 0xFF, 4, 3, 1},
    {"definition levels that pass the chunk", 1, 5, 0xFF, 4, 3, 1},
    {"values that pass the chunk", 1, 7, 0xFF, 4, 3, 1},
    {"fewer bytes of values", 1, 6, 3, 4, 3, 1},
    {"an entry that goes on where a row begins", 1, 8, 0, 4, 3, 1},
    {"a repetition level that is none", 1, 8, 2, 4, 3, 1},
    {"a definition level that is none", 1, 16, 4, 4, 3, 1},
    {"a visible entry that is not", 1, 16, 2, 4, 3, 1},
    {"a row that ends before it began", 2, 0, 1, 4, 3, 1},
    {"a row that does not go on", 2, 8, 0, 4, 3, 1},
    {"one row fewer in the index", 2, 16, 2, 4, 3, 1},
    {"one row more in the index", 2, 16, 4, 4, 3, 1},
    {"rows beyond all bounds", 2, 23, 0x80, 4, 3, 1},
    {"a row that does not end", 2, 40, 1, 4, 3, 1},
};

static rwl_status read_damaged(const damage *d) {
    mini_layout_spec spec = put_documented_list(true, d->depth > 0);
    rwl_buf *const buffers[] = {&words, &chunks, &rows_index};
    if (d->buffer < 3) {
        ck_assert_uint_lt(d->at, buffers[d->buffer]->len);
        ck_assert_uint_ne(buffers[d->buffer]->data[d->at], d->value);
        buffers[d->buffer]->data[d->at] = d->value;
    }
    spec.items = d->items;
    spec.depth = d->depth;
    rwl_status st = open_page(&INT32_IN_LIST, &spec, d->rows);
    rwl_range all = {0, (int64_t)d->rows};
    return st == RWL_OK ? page_test_read(&t, &all, 1) : st;
}

START_TEST(rejects_tables_and_chunks_that_disagree) {
    rwl_status st = read_damaged(&DAMAGES[_i]);
    ck_assert_msg(st == RWL_CORRUPT, "%s: %d, %s", DAMAGES[_i].name, st, t.error.message);
    page_test_clear(&t);
}
END_TEST

/* Every byte of every buffer, every bit flipped: an error or rows, in bounds either way. */
START_TEST(survives_every_flipped_bit) {
    mini_layout_spec spec = put_documented_list(true, true);
    rwl_buf *const buffers[] = {&words, &chunks, &rows_index};
    for (int b = 0; b < 3; b++)
        for (size_t bit = 0; bit < buffers[b]->len * 8; bit++) {
            buffers[b]->data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            rwl_status st = open_page(&INT32_IN_LIST, &spec, 4);
            for (int64_t row = 0; st == RWL_OK && row < 4; row++) {
                rwl_range one = {row, 1};
                st = page_test_read(&t, &one, 1);
            }
            ck_assert_msg(st == RWL_OK || st == RWL_CORRUPT || st == RWL_UNSUPPORTED, "%d: %s", st,
                          t.error.message);
            page_test_clear(&t);
            buffers[b]->data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
}
END_TEST

START_TEST(rejects_tables_of_other_sizes) {
    mini_layout_spec spec = put_nine(false);
    words.len--;
    ck_assert_int_eq(open_page(&INT8, &spec, 9), RWL_CORRUPT);
    page_test_clear(&t);
    words.len = 0;
    ck_assert_int_eq(open_page(&INT8, &spec, 9), RWL_CORRUPT);
    page_test_clear(&t);
    words.len = 6;
    ck_assert_int_eq(open_page(&INT8, &spec, 8), RWL_CORRUPT);
    ck_assert_ptr_nonnull(strstr(t.error.message, "9 values for 8 rows"));
    page_test_clear(&t);
    spec.buffers = RWL_LANCE_MINI_BUFFERS_MAX + 1;
    ck_assert_int_eq(open_page(&INT8, &spec, 9), RWL_UNSUPPORTED);
    page_test_clear(&t);
    spec.buffers = 1;
    spec.depth = 1; /* without lists */
    ck_assert_int_eq(open_page(&INT8, &spec, 9), RWL_CORRUPT);
    page_test_clear(&t);
}
END_TEST

START_TEST(an_empty_page_has_no_chunks) {
    mini_layout_spec spec = {.buffers = 1, .layers = {1}, .layer_count = 1};
    lance_put_flat(&codec, 3, 8);
    PAGE_OK(&t, open_page(&INT8, &spec, 0));
    PAGE_OK(&t, page_test_read(&t, NULL, 0));
    check_text("0 rows");
    page_test_clear(&t);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

Suite *lancefile_page_mini_suite(void) {
    Suite *suite = suite_create("lancefile_page_mini");
    TCase *cases = tcase_create("page_mini");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, lan_90_reads_the_annotated_page);
    tcase_add_loop_test(cases, lan_92_reads_both_grammars, 0, 4);
    tcase_add_test(cases, asks_only_for_chunks_that_hold_wanted_rows);
    tcase_add_test(cases, steps_may_be_wanted_ahead);
    tcase_add_loop_test(cases, reads_the_documented_list, 0, 4);
    tcase_add_loop_test(cases, rows_go_over_several_chunks, 0, 2);
    tcase_add_loop_test(cases, reads_every_codec_or_says_what_is_wrong, 0, COUNT(CODECS));
    tcase_add_loop_test(cases, gathers_from_dictionaries, 0, COUNT(DICTIONARIES));
    tcase_add_loop_test(cases, rejects_tables_and_chunks_that_disagree, 0, COUNT(DAMAGES));
    tcase_add_test(cases, survives_every_flipped_bit);
    tcase_add_test(cases, rejects_tables_of_other_sizes);
    tcase_add_test(cases, an_empty_page_has_no_chunks);
    suite_add_tcase(suite, cases);
    return suite;
}
