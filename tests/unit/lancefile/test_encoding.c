/* SPDX-License-Identifier: Apache-2.0 */
/* Page layouts: every codec as text, what is wrong with one, level maps, and all pages of others' files. */
#include "file_support.h"
#include "suites.h"

#include "base/json.h"
#include "lancefile/encoding.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static rwl_env env;
static rwl_arena arena;
static rwl_error err;
static rwl_buf message, text;

static void set_up(void) {
    rwl_env_init_default(&env);
    rwl_arena_init(&arena, &env, 0);
    rwl_buf_init(&message, &env, SIZE_MAX);
    rwl_buf_init(&text, &env, SIZE_MAX);
    memset(&err, 0, sizeof err);
}

static void tear_down(void) {
    rwl_buf_clear(&text);
    rwl_buf_clear(&message);
    rwl_arena_clear(&arena);
}

/* --- messages in few words: a byte after another, in hexadecimal; "{ … }" puts the length of what is between --- */

static const char *put_words(const char *at) {
    while (*at && *at != '}') {
        char *end;
        if (*at == ' ') {
            at++;
        } else if (*at == '{') {
            size_t from = message.len;
            at = put_words(at + 1) + 1;
            pb_end(&message, from);
        } else {
            ck_assert_int_eq(rwl_buf_u8(&message, (uint8_t)strtoul(at, &end, 16), &err), RWL_OK);
            at = end;
        }
    }
    return at;
}

static rwl_status parse(const char *words, rwl_lance_layout *layout) {
    rwl_buf_reset(&message);
    put_words(words);
    return rwl_lance_layout_parse(rwl_buf_span(&message), &arena, layout, &err);
}

static const char *format(const rwl_lance_layout *layout) {
    rwl_buf_reset(&text);
    ck_assert_int_eq(rwl_lance_layout_format(layout, &text, &err), RWL_OK);
    ck_assert_int_eq(rwl_buf_terminate(&text, &err), RWL_OK);
    return (const char *)text.data;
}

/* Field tags: n << 3, | 2 for messages. 0a is field 1, 12 field 2, 1a 3, 22 4, 2a 5, 32 6, 3a 7, 42 8, 4a 9, 52 10, 5a 11,
 * 62 12, 6a 13, 72 14; integers of fields 1 to 10 are 08 10 18 20 28 30 38 40 48 50. */
#define FLAT(bits) "0a { 08 " bits " }"
/* A mini-block page of one item layer with this codec. */
#define MINI(codec) "0a { 1a { " codec " } 32 { 1 } 38 1 48 4 }"

typedef struct text_case {
    const char *words, *text;
} text_case;

static const text_case TEXTS[] = {
    {MINI(FLAT("20")), "miniblock[item] flat32"},
    {MINI("0a { 08 8 12 { 08 2 10 3 } }"), "miniblock[item] flat8+zstd"},
    {MINI("12 { 0a { " FLAT("20") " } }"), "miniblock[item] variable(flat32)"},
    {MINI("12 { 0a { " FLAT("40") " } 12 { 08 1 } }"), "miniblock[item] variable(flat64, values lz4)"},
    {MINI("1a { 0a { ab cd } }"), "miniblock[item] constant(abcd)"},
    {MINI("1a { }"), "miniblock[item] constant()"},
    {MINI("22 { 08 40 1a { " FLAT("5") " } }"), "miniblock[item] out_of_line_bitpacking64(flat5)"},
    {MINI("22 { 08 10 1a { " FLAT("0") " } }"), "miniblock[item] out_of_line_bitpacking16(flat0)"},
    {MINI("2a { 08 40 }"), "miniblock[item] inline_bitpacking64"},
    {MINI("2a { 08 8 12 { 08 1 } }"), "miniblock[item] inline_bitpacking8"},
    {MINI("32 { 0a { 1 2 3 } 12 { 12 { 0a { " FLAT("20") " } } } }"),
     "miniblock[item] fsst(variable(flat32))"},
    {MINI("3a { 0a { " FLAT("20") " } 12 { " FLAT("40") " } 18 7 }"),
     "miniblock[item] dictionary(flat32, items flat64 x7)"},
    {MINI("42 { 0a { " FLAT("40") " } 12 { " FLAT("8") " } }"), "miniblock[item] rle(flat64, lengths flat8)"},
    {MINI("4a { 0a { " FLAT("40") " } }"), "miniblock[item] byte_stream_split(flat64)"},
    {MINI("52 { 0a { 08 2 10 5 } 1a { " FLAT("40") " } }"), "miniblock[item] general_zstd(flat64)"},
    {MINI("52 { 1a { " FLAT("40") " } }"), "miniblock[item] general_none(flat64)"},
    {MINI("5a { 08 3 12 { " FLAT("8") " } }"), "miniblock[item] fsl3(flat8)"},
    {MINI("5a { 08 3 12 { " FLAT("8") " } 18 1 }"), "miniblock[item] fsl3+validity(flat8)"},
    {MINI("62 { 0a { 8 10 } 12 { " FLAT("18") " } }"), "miniblock[item] packed_struct([8, 16], flat24)"},
    {MINI("62 { 08 8 08 10 12 { " FLAT("18") " } }"), "miniblock[item] packed_struct([8, 16], flat24)"},
    {"1a { 20 20 3a { 6a { 0a { 0a { " FLAT("20") " } 10 20 } 0a { 0a { 12 { 0a { " FLAT(
         "20") " } } } 18 20 } } } 42 { 1 "
               "} }",
     "full_zip[item] rep0 def0 offset32 variable_packed_struct(flat32, variable(flat32))"},
    {"0a { 0a { " FLAT("10") " } 12 { 2a { 08 10 } } 1a { " FLAT("20") " } 32 { 3 6 } 38 1 40 1 48 4 50 1 }",
     "miniblock[item?/list?0] flat32 rep flat16 def inline_bitpacking16 large_chunk"},
    {"0a { 1a { " FLAT("20") " } 22 { 12 { 0a { " FLAT("20") " } } } 28 9 32 { 1 } 38 1 48 4 }",
     "miniblock[item] flat32 dictionary variable(flat32) x9"},
    {"12 { 2a { 3 } }", "constant[item?]"},
    {"12 { 28 3 28 4 28 5 28 2 }", "constant[item?/list?/list0/list]"},
    {"12 { 2a { 1 } 32 { 7 0 } }", "constant[item] inline 0700"},
    {"12 { 2a { 1 } 32 { } }", "constant[item] inline "},
    {"12 { 2a { 3 6 } 3a { " FLAT("10") " } 42 { " FLAT("10") " } 48 5 50 5 }",
     "constant[item?/list?0] rep flat16 def flat16"},
    {"1a { 08 0 10 1 18 80 20 28 2 30 2 3a { 5a { 08 80 1 12 { " FLAT("20") " } } } 42 { 3 } }",
     "full_zip[item?] rep0 def1 value4096 fsl128(flat32)"},
    {"1a { 10 1 18 0 28 1 30 1 3a { 1a { } } 42 { 3 } }", "full_zip[item?] rep0 def1 value0 constant()"},
    {"22 { 0a { 0a { 1a { 62 { 0a { 40 40 } 12 { " FLAT("80 1") " } } } 32 { 1 } 38 1 48 4 } } 12 { 3 } }",
     "blob[item?] miniblock[item] packed_struct([64, 64], flat128)"},
};

START_TEST(layouts_are_told_as_the_judge_tells_them) {
    rwl_lance_layout layout;
    rwl_status st = parse(TEXTS[_i].words, &layout);
    ck_assert_msg(st == RWL_OK, "%s: %s", TEXTS[_i].text, err.message);
    ck_assert_str_eq(format(&layout), TEXTS[_i].text);
}
END_TEST

START_TEST(all_parts_of_layouts_are_kept) {
    rwl_lance_layout l;
    ck_assert_int_eq(
        parse("0a { 0a { " FLAT("10") " } 12 { 2a { 08 10 } } 1a { 32 { 0a { 1 2 } 12 { 12 { 0a { " FLAT(
                  "20") " } } } } } 22 { " FLAT("40") " } 28 9 32 { 3 6 } 38 2 40 1 48 ac 2 50 1 }",
              &l),
        RWL_OK);
    ck_assert_int_eq(l.kind, RWL_LANCE_LAYOUT_MINI_BLOCK);
    ck_assert_int_eq(l.layer_count, 2);
    ck_assert_int_eq(l.layers[1], RWL_LANCE_LAYER_NULL_AND_EMPTY_LIST);
    ck_assert_int_eq(l.rep->bits, 16);
    ck_assert_int_eq(l.def->kind, RWL_LANCE_CODEC_INLINE_BITPACKING);
    ck_assert_uint_eq(l.values->blob.len, 2);
    ck_assert_int_eq(l.values->values->second->bits, 32);
    ck_assert_int_eq(l.dictionary->bits, 64);
    ck_assert_int_eq(l.dictionary_items, 9);
    ck_assert_int_eq(l.buffer_count, 2);
    ck_assert_int_eq(l.repetition_index_depth, 1);
    ck_assert_int_eq(l.item_count, 300); /* ac 02 */
    ck_assert(l.has_large_chunk);
    ck_assert_int_eq(parse("12 { 2a { 1 } 32 { 7 } 48 5 50 6 }", &l), RWL_OK);
    ck_assert(l.has_value && l.value.len == 1 && l.value.data[0] == 7);
    ck_assert_int_eq(l.rep_values, 5);
    ck_assert_int_eq(l.def_values, 6);
    ck_assert_int_eq(parse("1a { 08 1 10 2 20 40 28 9 30 8 3a { " FLAT("8") " } 42 { 3 6 } }", &l), RWL_OK);
    ck_assert_int_eq(l.bits_rep, 1);
    ck_assert_int_eq(l.bits_def, 2);
    ck_assert_int_eq(l.bits_per_offset, 64);
    ck_assert_int_eq(l.bits_per_value, 0);
    ck_assert_int_eq(l.item_count, 9);
    ck_assert_int_eq(l.visible_items, 8);
}
END_TEST

START_TEST(the_last_of_a_oneof_counts) {
    rwl_lance_layout l;
    ck_assert_int_eq(parse("12 { 2a { 3 } } " MINI("2a { 08 40 } " FLAT("20")), &l), RWL_OK);
    ck_assert_str_eq(format(&l), "miniblock[item] flat32");
    ck_assert_int_eq(parse("1a { 18 20 20 40 3a { " FLAT("20") " } 42 { 1 } }", &l), RWL_OK);
    ck_assert_int_eq(l.bits_per_value, 0);
    ck_assert_int_eq(l.bits_per_offset, 64);
}
END_TEST

typedef struct wrong_case {
    const char *words;
    rwl_status status;
    const char *text;
} wrong_case;

static const wrong_case WRONG[] = {
    {"", RWL_CORRUPT, "a page layout of no kind"},
    {"2a { }", RWL_UNSUPPORTED, "page layout 5 (sparse)"},
    {"32 { }", RWL_UNSUPPORTED, "page layout 6"},
    {"08 1", RWL_CORRUPT, "field 1 has wire type 0"},
    {"0a { 32 { 1 } }", RWL_CORRUPT, "mini-block page: no codec of its values"},
    {"0a { 1a { " FLAT("20") " } }", RWL_CORRUPT, "no layers"},
    {"0a { 1a { " FLAT("20") " } 32 { 0 } }", RWL_CORRUPT, "layer 0"},
    {"0a { 1a { " FLAT("20") " } 32 { 7 } }", RWL_CORRUPT, "layer 7"},
    {"0a { 1a { " FLAT("20") " } 32 { 1 } 38 7f }", RWL_CORRUPT, "buffers a chunk 127"},
    {"0a { 1a { " FLAT("20") " } 32 { 1 } 48 ff ff ff ff ff ff ff ff ff 1 }", RWL_CORRUPT,
     "items 1844674407"},
    {MINI(""), RWL_CORRUPT, "a codec of no kind"},
    {MINI("72 { }"), RWL_UNSUPPORTED, "codec 14 (range)"},
    {MINI("7a { }"), RWL_UNSUPPORTED, "codec 15 (delta)"},
    {MINI("82 1 { }"), RWL_UNSUPPORTED, "codec 16 (?)"},
    {MINI(FLAT("0")), RWL_CORRUPT, "flat: bits 0"},
    {MINI("0a { }"), RWL_CORRUPT, "flat: bits 0"},
    {MINI(FLAT("81 80 80 20")), RWL_CORRUPT, "flat: bits 67108865"},
    {MINI("0a { 08 8 12 { 08 3 } }"), RWL_UNSUPPORTED, "compression scheme 3"},
    {MINI("12 { }"), RWL_CORRUPT, "variable: no codec of its offsets"},
    {MINI("22 { 08 40 }"), RWL_CORRUPT, "out_of_line_bitpacking: no codec of its values"},
    {MINI("22 { 08 20 1a { " FLAT("21") " } }"), RWL_CORRUPT, "values of 32 bits packed as flat of 33"},
    {MINI("22 { 08 20 1a { 2a { 08 20 } } }"), RWL_CORRUPT, "packed as inline_bitpacking"},
    {MINI("2a { 08 c }"), RWL_CORRUPT, "inline_bitpacking: values of 12 bits"},
    {MINI("2a { }"), RWL_CORRUPT, "values of 0 bits"},
    {MINI("32 { }"), RWL_CORRUPT, "fsst: no codec of its values"},
    {MINI("3a { 12 { " FLAT("8") " } }"), RWL_CORRUPT, "dictionary: no codec of its indices"},
    {MINI("3a { 0a { " FLAT("8") " } }"), RWL_CORRUPT, "dictionary: no codec of its items"},
    {MINI("42 { 0a { " FLAT("8") " } }"), RWL_CORRUPT, "rle: no codec of its run lengths"},
    {MINI("42 { 12 { " FLAT("8") " } }"), RWL_CORRUPT, "rle: no codec of its values"},
    {MINI("4a { }"), RWL_CORRUPT, "byte_stream_split: no codec"},
    {MINI("52 { 0a { 08 9 } 1a { " FLAT("8") " } }"), RWL_UNSUPPORTED, "general: compression scheme 9"},
    {MINI("52 { 0a { 08 1 } }"), RWL_CORRUPT, "general: no codec of its values"},
    {MINI("5a { 12 { " FLAT("8") " } }"), RWL_CORRUPT, "fixed_size_list: no items a value"},
    {MINI("5a { 08 2 }"), RWL_CORRUPT, "fixed_size_list: no codec"},
    {MINI("62 { 12 { " FLAT("8") " } }"), RWL_CORRUPT, "packed_struct: 0 fields"},
    {MINI("62 { 0a { 0 } 12 { " FLAT("8") " } }"), RWL_CORRUPT, "a field of 0 bits"},
    {MINI("62 { 0a { 8 } }"), RWL_CORRUPT, "packed_struct: no codec"},
    {MINI("6a { }"), RWL_CORRUPT, "variable_packed_struct: 0 fields"},
    {MINI("6a { 0a { 0a { " FLAT("8") " } } }"), RWL_CORRUPT, "a field of no width"},
    {MINI("6a { 0a { 10 8 } }"), RWL_CORRUPT, "no codec of its field"},
    {"1a { 42 { 1 } 3a { " FLAT("8") " } }", RWL_CORRUPT,
     "full-zip page: neither bits a value nor bits a length"},
    {"1a { 18 8 42 { 1 } }", RWL_CORRUPT, "full-zip page: no codec"},
    {"1a { 20 9 42 { 1 } 3a { " FLAT("8") " } }", RWL_CORRUPT, "lengths of 9 bits"},
    {"1a { 08 11 18 8 42 { 1 } 3a { " FLAT("8") " } }", RWL_CORRUPT, "repetition bits 17"},
    {"22 { 12 { 1 } }", RWL_CORRUPT, "blob page: no inner layout"},
    {"22 { 0a { 22 { } } 12 { 1 } }", RWL_CORRUPT, "a blob layout inside of one"},
};

START_TEST(layouts_that_are_wrong_are_named) {
    rwl_lance_layout layout;
    rwl_status st = parse(WRONG[_i].words, &layout);
    expect_failure(st, WRONG[_i].status, &err, WRONG[_i].text);
}
END_TEST

/* general(general(… flat)): as many as are allowed, and one more. */
START_TEST(codecs_nest_so_deep) {
    for (int depth = RWL_LANCE_CODEC_DEPTH_MAX; depth <= RWL_LANCE_CODEC_DEPTH_MAX + 1; depth++) {
        rwl_lance_layout layout;
        size_t begins[2 * RWL_LANCE_CODEC_DEPTH_MAX + 4], count = 0;
        rwl_buf_reset(&message);
        size_t page = pb_begin(&message, 1);
        begins[count++] = pb_begin(&message, 3);
        for (int i = 1; i < depth; i++) {
            begins[count++] = pb_begin(&message, 10);
            begins[count++] = pb_begin(&message, 3);
        }
        begins[count++] = pb_begin(&message, 1);
        pb_varint(&message, 1, 8);
        while (count > 0)
            pb_end(&message, begins[--count]);
        pb_packed(&message, 6, (const uint64_t[]){1}, 1);
        pb_end(&message, page);
        rwl_status st = rwl_lance_layout_parse(rwl_buf_span(&message), &arena, &layout, &err);
        if (depth == RWL_LANCE_CODEC_DEPTH_MAX)
            ck_assert_msg(st == RWL_OK && strlen(format(&layout)) > 100, "%s", err.message);
        else
            expect_failure(st, RWL_CORRUPT, &err, "codecs nest deeper than 40");
    }
}
END_TEST

START_TEST(layers_are_so_many) {
    for (int count = RWL_LANCE_LAYERS_MAX; count <= RWL_LANCE_LAYERS_MAX + 1; count++) {
        rwl_lance_layout layout;
        rwl_buf_reset(&message);
        size_t page = pb_begin(&message, 2);
        for (int i = 0; i < count; i++)
            pb_varint(&message, 5, 3);
        pb_end(&message, page);
        rwl_status st = rwl_lance_layout_parse(rwl_buf_span(&message), &arena, &layout, &err);
        ck_assert_int_eq(st, count == RWL_LANCE_LAYERS_MAX ? RWL_OK : RWL_UNSUPPORTED);
    }
}
END_TEST

START_TEST(layouts_cut_short_or_changed_do_no_harm) {
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        rwl_lance_layout layout;
        ck_assert_int_eq(parse(TEXTS[i].words, &layout), RWL_OK);
        uint8_t *copy = malloc(message.len);
        for (size_t len = 0; len < message.len; len++) {
            uint8_t *exact = malloc(len + 1);
            memcpy(exact, message.data, len);
            ck_assert_int_ne(rwl_lance_layout_parse(rwl_span_of(exact, len), &arena, &layout, &err), RWL_OK);
            free(exact);
            for (int bit = 0; bit < 8; bit++) {
                memcpy(copy, message.data, message.len);
                copy[len] ^= (uint8_t)(1 << bit);
                if (rwl_lance_layout_parse(rwl_span_of(copy, message.len), &arena, &layout, &err) == RWL_OK)
                    format(&layout);
            }
        }
        free(copy);
    }
}
END_TEST

START_TEST(a_message_is_so_long) {
    rwl_lance_layout layout;
    size_t len = 1024 * 1024 + 1;
    uint8_t *bytes = calloc(len, 1);
    expect_failure(rwl_lance_layout_parse(rwl_span_of(bytes, len), &arena, &layout, &err), RWL_UNSUPPORTED,
                   &err, "a page encoding of 1048577 bytes");
    free(bytes);
}
END_TEST

/* --- levels --- */

typedef struct level_case {
    uint8_t layers[4];
    int32_t layer_count;
    uint16_t full[8];
    int32_t level_count, max_visible, max_rep;
} level_case;

/* Numbers of all layers: an item has one, a list two, null then empty. From 4.2 of lance.md. */
static const level_case LEVELS[] = {
    {{1}, 1, {0}, 1, 0, 0},
    {{3}, 1, {0, 1}, 2, 1, 0},
    {{3, 6}, 2, {0, 1, 2, 3}, 4, 1, 1},
    {{3, 3}, 2, {0, 1, 2}, 3, 2, 0},
    {{1, 3}, 2, {0, 2}, 2, 1, 0},
    {{3, 3, 6}, 3, {0, 1, 2, 3, 4}, 5, 2, 1},
    {{1, 2}, 2, {0}, 1, 0, 1},
    {{1, 4}, 2, {0, 2}, 2, 0, 1},
    {{1, 5}, 2, {0, 3}, 2, 0, 1},
    {{1, 5, 4}, 3, {0, 3, 4}, 3, 0, 2},
    {{3, 6, 6}, 3, {0, 1, 2, 3, 4, 5}, 6, 1, 2},
    {{1, 6, 3}, 3, {0, 2, 3, 4}, 4, 0, 1}, /* struct around the list: no slot for its nulls */
    {{3, 2, 3, 5}, 4, {0, 1, 4, 6}, 4, 1, 2},
};

START_TEST(levels_of_a_page_are_told_by_layer) {
    const level_case *c = &LEVELS[_i];
    rwl_lance_layout layout = {.kind = RWL_LANCE_LAYOUT_CONSTANT, .layer_count = c->layer_count};
    rwl_lance_level_map map;
    memcpy(layout.layers, c->layers, sizeof c->layers);
    rwl_lance_level_map_make(&layout, &map);
    ck_assert_int_eq(map.level_count, c->level_count);
    ck_assert_int_eq(map.max_visible, c->max_visible);
    ck_assert_int_eq(map.max_rep, c->max_rep);
    for (int32_t i = 0; i < c->level_count; i++)
        ck_assert_uint_eq(map.full[i], c->full[i]);
}
END_TEST

/* --- files of others --- */

typedef struct fixture_counts {
    int files, columns, pages, legacy;
} fixture_counts;

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The layouts of a column's pages, sorted, each once, joined by '|', appended to `out`. */
static void describe_column(const rwl_lance_column *column, rwl_arena *local, rwl_buf *out) {
    const char **texts = calloc((size_t)column->page_count + 1, sizeof *texts);
    for (int32_t i = 0; i < column->page_count; i++) {
        rwl_lance_layout layout;
        rwl_status st = rwl_lance_layout_parse(column->pages[i].encoding, local, &layout, &err);
        ck_assert_msg(st == RWL_OK, "%s", err.message);
        texts[i] = rwl_arena_strdup(local, format(&layout));
    }
    qsort(texts, (size_t)column->page_count, sizeof *texts, compare_texts);
    for (int32_t i = 0; i < column->page_count; i++)
        if (i == 0 || strcmp(texts[i], texts[i - 1]) != 0)
            ck_assert_int_eq(rwl_buf_printf(out, &err, "|%s", texts[i]), RWL_OK);
    ck_assert_int_eq(rwl_buf_u8(out, '\n', &err), RWL_OK);
    free(texts);
}

/* Opens a file and looks at all of it. What its pages say goes to `out`, empty for 2.0. */
static void look_at_file(const char *path, fixture_counts *counts, rwl_buf *out) {
    rwl_store *store;
    rwl_op op;
    rwl_arena local;
    rwl_lancefile *file;
    rwl_lance_schema schema;
    const rwl_lance_column *column;
    const rwl_lance_field_def *def;
    rwl_op_init(&op, &env, 0);
    rwl_arena_init(&local, &env, 0);
    rwl_buf_reset(out);
    ck_assert_int_eq(rwl_store_local_new(&env, NULL, 0, &store, &err), RWL_OK);
    rwl_status st = rwl_lancefile_open(store, &op, path, 0, &file, &err);
    if (st == RWL_UNSUPPORTED && strstr(err.message, "(legacy)")) {
        counts->legacy++;
        goto out;
    }
    ck_assert_msg(st == RWL_OK, "%s: %s", path, err.message);
    ck_assert_msg(rwl_lancefile_describe(file, &op, &err) == RWL_OK, "%s: %s", path, err.message);
    if (file->defs[0].id != 0 || file->defs[0].name[0] != '_') { /* not lineage alone, numbered from 0 */
        st = rwl_lance_schema_build(file->defs, file->def_count, &local, &schema, &err);
        ck_assert_msg(st == RWL_OK, "%s: %s", path, err.message);
    }
    counts->files++;
    for (int32_t i = 0; i < file->column_count; i++) {
        st = rwl_lancefile_column(file, &op, i, &column, &err);
        ck_assert_msg(st == RWL_OK, "%s: %s", path, err.message);
        ck_assert_int_eq(rwl_lancefile_column_field(file, &op, i, &def, &err), RWL_OK);
        ck_assert_msg(def != NULL, "%s: column %d has no field", path, i);
        if (file->version != RWL_LANCEFILE_2_0) {
            ck_assert_msg(column->row_count == file->row_count, "%s: column %d", path, i);
            describe_column(column, &local, out);
            counts->pages += column->page_count;
        }
        counts->columns++;
    }
    ck_assert_int_eq(rwl_lancefile_column_field(file, &op, file->column_count, &def, &err), RWL_OK);
    ck_assert_msg(def == NULL, "%s: more fields than columns", path);
    rwl_lancefile_free(file);
out:
    ck_assert_int_eq(rwl_buf_terminate(out, &err), RWL_OK);
    rwl_store_free(store);
    rwl_arena_clear(&local);
}

enum { FILES_MAX = 256 };

/* What pages of the files in a dataset's data folder say, and how long the files are. */
typedef struct seen_files {
    char *texts[FILES_MAX];
    int64_t sizes[FILES_MAX];
    int count;
} seen_files;

static void look_at_dataset(const char *dataset, fixture_counts *counts, seen_files *seen) {
    char path[1024];
    rwl_buf out;
    snprintf(path, sizeof path, "%s/data", dataset);
    DIR *dir = opendir(path);
    if (!dir)
        return;
    rwl_buf_init(&out, &env, SIZE_MAX);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        struct stat st;
        size_t len = strlen(entry->d_name);
        if (len < 6 || strcmp(entry->d_name + len - 6, ".lance") != 0)
            continue;
        snprintf(path, sizeof path, "%s/data/%s", dataset, entry->d_name);
        look_at_file(path, counts, &out);
        ck_assert_int_eq(stat(path, &st), 0);
        ck_assert_int_lt(seen->count, FILES_MAX);
        seen->texts[seen->count] = strdup((char *)out.data);
        seen->sizes[seen->count++] = st.st_size;
    }
    rwl_buf_clear(&out);
    closedir(dir);
}

static void forget_files(seen_files *seen) {
    while (seen->count > 0)
        free(seen->texts[--seen->count]);
}

/* Rows may hold integers of more than 63 bits, which are of no interest here: 0 stands for what is so long. */
static void cut_numbers(rwl_buf *json) {
    bool in_string = false;
    for (size_t i = 0; i < json->len; i++) {
        size_t from = i;
        in_string ^= json->data[i] == '"' && (i == 0 || json->data[i - 1] != '\\');
        while (!in_string && i < json->len && json->data[i] >= '0' && json->data[i] <= '9')
            i++;
        if (i - from < 19)
            continue;
        memset(json->data + from, ' ', i - from);
        json->data[from] = '0';
    }
}

static rwl_json *read_json(const char *path) {
    rwl_store *store;
    rwl_op op;
    rwl_buf bytes;
    rwl_json *json = NULL;
    rwl_op_init(&op, &env, 0);
    rwl_buf_init(&bytes, &env, SIZE_MAX);
    ck_assert_int_eq(rwl_store_local_new(&env, NULL, 0, &store, &err), RWL_OK);
    if (rwl_store_read_all(store, &op, path, &bytes, &err) == RWL_OK) {
        cut_numbers(&bytes);
        ck_assert_msg(rwl_json_parse_data(rwl_buf_span(&bytes), &json, &err) == RWL_OK, "%s: %s", path,
                      err.message);
    }
    rwl_store_free(store);
    rwl_buf_clear(&bytes);
    return json;
}

/* Columns of one expected file, in the form of describe_column. */
static void expected_text(const rwl_json *file, rwl_buf *out) {
    rwl_json *columns = rwl_json_get(file, "columns");
    char name[24];
    rwl_buf_reset(out);
    for (size_t c = 0; c < rwl_json_len(columns); c++) {
        snprintf(name, sizeof name, "%zu", c);
        rwl_json *texts = rwl_json_get(columns, name);
        ck_assert_ptr_nonnull(texts);
        for (size_t i = 0; i < rwl_json_len(texts); i++)
            ck_assert_int_eq(rwl_buf_printf(out, &err, "|%s", rwl_json_str(rwl_json_at(texts, i))), RWL_OK);
        ck_assert_int_eq(rwl_buf_u8(out, '\n', &err), RWL_OK);
    }
    ck_assert_int_eq(rwl_buf_terminate(out, &err), RWL_OK);
}

static bool is_seen(const seen_files *seen, const char *expected, int64_t size) {
    for (int i = 0; i < seen->count; i++)
        if (strcmp(seen->texts[i], expected) == 0 && (size == 0 || seen->sizes[i] == size))
            return true;
    return false;
}

/* The fragments that the last version has: of the latest version that tells. */
static rwl_json *last_fragments(const rwl_json *expected) {
    rwl_json *found = NULL, *version;
    const char *key;
    for (size_t pos = 0; rwl_json_next(rwl_json_get(expected, "versions"), &pos, &key, &version);) {
        rwl_json *fragments = rwl_json_get(rwl_json_get(version, "facts"), "fragments");
        found = fragments ? fragments : found;
    }
    return found;
}

/* Files of the last version of 2.1 and later: one of that length says what the judge says. Returns how many. */
static int compare_dataset(const char *name, const rwl_json *expected, const seen_files *seen) {
    rwl_json *encodings = rwl_json_get(expected, "encodings"), *fragments = last_fragments(expected);
    rwl_buf out;
    char id[24];
    int compared = 0;
    rwl_buf_init(&out, &env, SIZE_MAX);
    for (size_t i = 0; i < rwl_json_len(fragments); i++) {
        rwl_json *fragment = rwl_json_at(fragments, i), *files = rwl_json_get(fragment, "files");
        snprintf(id, sizeof id, "%lld", (long long)rwl_json_i64(rwl_json_get(fragment, "id")));
        rwl_json *told = rwl_json_get(encodings, id);
        for (size_t k = 0; told && k < rwl_json_len(files) && rwl_json_len(told) == rwl_json_len(files);
             k++) {
            const char *version = rwl_json_str(rwl_json_get(rwl_json_at(files, k), "file_version"));
            if (!version || strcmp(version, "2.1") < 0)
                continue;
            expected_text(rwl_json_at(told, k), &out);
            int64_t size = rwl_json_i64(rwl_json_get(rwl_json_at(files, k), "bytes"));
            ck_assert_msg(is_seen(seen, (char *)out.data, size),
                          "%s fragment %s: no file of %lld bytes says\n%s", name, id, (long long)size,
                          (char *)out.data);
            compared++;
        }
    }
    rwl_buf_clear(&out);
    return compared;
}

/* Every folder of `base`, whose dataset lies at `suffix` below. Returns how many files were compared. */
static int look_at_all(const char *base, const char *suffix, fixture_counts *counts) {
    int compared = 0;
    char path[1024];
    DIR *dir = opendir(base);
    if (!dir) {
        fprintf(stderr, "no fixtures in %s: skipped\n", base);
        return 0;
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        seen_files seen = {.count = 0};
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s%s", base, entry->d_name, suffix);
        look_at_dataset(path, counts, &seen);
        snprintf(path, sizeof path, "%s/%s/expected.json", base, entry->d_name);
        rwl_json *expected = read_json(path);
        if (expected)
            compared += compare_dataset(entry->d_name, expected, &seen);
        rwl_json_free(expected);
        forget_files(&seen);
    }
    closedir(dir);
    return compared;
}

START_TEST(pages_of_pylance_are_told_as_the_judge_tells_them) {
    fixture_counts counts = {0};
    int compared = look_at_all(FIXTURES_DIR "/pylance", "/t.lance", &counts);
    if (counts.files == 0)
        return;
    ck_assert_int_ge(counts.files, 200);
    ck_assert_int_ge(counts.legacy, 1);
    ck_assert_int_ge(compared, 73);
}
END_TEST

START_TEST(files_of_lancedb_0_31_0_are_understood) {
    fixture_counts counts = {0};
    char path[1024];
    DIR *dir = opendir(FIXTURES_DIR "/generated-lancedb-0.31.0/data");
    if (!dir) {
        fprintf(stderr, "no fixtures in %s: skipped\n", FIXTURES_DIR "/generated-lancedb-0.31.0");
        return;
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", FIXTURES_DIR "/generated-lancedb-0.31.0/data", entry->d_name);
        DIR *tables = opendir(path);
        for (struct dirent *table; tables && (table = readdir(tables)) != NULL;) {
            seen_files seen = {.count = 0};
            if (table->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s/%s", FIXTURES_DIR "/generated-lancedb-0.31.0/data",
                     entry->d_name, table->d_name);
            look_at_dataset(path, &counts, &seen);
            forget_files(&seen);
        }
        if (tables)
            closedir(tables);
        snprintf(path, sizeof path, "%s/%s", FIXTURES_DIR "/generated-lancedb-0.31.0/data", entry->d_name);
        seen_files seen = {.count = 0};
        look_at_dataset(path, &counts, &seen);
        forget_files(&seen);
    }
    closedir(dir);
    ck_assert_int_ge(counts.files, 10);
}
END_TEST

Suite *lancefile_encoding_suite(void) {
    Suite *s = suite_create("lancefile encoding");
    TCase *t = tcase_create("encoding");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_loop_test(t, layouts_are_told_as_the_judge_tells_them, 0,
                        (int)(sizeof TEXTS / sizeof TEXTS[0]));
    tcase_add_test(t, all_parts_of_layouts_are_kept);
    tcase_add_test(t, the_last_of_a_oneof_counts);
    tcase_add_loop_test(t, layouts_that_are_wrong_are_named, 0, (int)(sizeof WRONG / sizeof WRONG[0]));
    tcase_add_test(t, codecs_nest_so_deep);
    tcase_add_test(t, layers_are_so_many);
    tcase_add_test(t, layouts_cut_short_or_changed_do_no_harm);
    tcase_add_test(t, a_message_is_so_long);
    tcase_add_loop_test(t, levels_of_a_page_are_told_by_layer, 0, (int)(sizeof LEVELS / sizeof LEVELS[0]));
    tcase_add_test(t, pages_of_pylance_are_told_as_the_judge_tells_them);
    tcase_add_test(t, files_of_lancedb_0_31_0_are_understood);
    suite_add_tcase(s, t);
    return s;
}
