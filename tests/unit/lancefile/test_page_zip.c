/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of full-zip pages and blobs: pages written out by hand, the whole file being their buffers. */
#include "lancefile/packed_rows.h"
#include "lancefile/page.h"
#include "memory_store.h"
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>

static rwl_env env;
static rwl_op op;

/* --- nodes and codecs --- */

static const rwl_lance_node int16_node = {.form = RWL_LANCE_FIXED, .bits = 16, .logical_type = "int16"};
static const rwl_lance_node bool_node = {.form = RWL_LANCE_FIXED, .bits = 1, .logical_type = "bool"};
static const rwl_lance_node text_node = {.form = RWL_LANCE_BYTES, .logical_type = "string"};
static const rwl_lance_node list_node = {.form = RWL_LANCE_LIST, .logical_type = "list"};
static const rwl_lance_node item_node = {
    .form = RWL_LANCE_FIXED, .bits = 16, .logical_type = "int16", .parent = &list_node};
static const rwl_lance_node text_item_node = {
    .form = RWL_LANCE_BYTES, .logical_type = "string", .parent = &list_node};
static const rwl_lance_node byte_node = {.form = RWL_LANCE_FIXED, .bits = 8, .logical_type = "uint8"};
static const rwl_lance_node pair_node = {.form = RWL_LANCE_VECTOR,
                                         .dimension = 2,
                                         .children = &byte_node,
                                         .child_count = 1,
                                         .logical_type = "fixed_size_list:uint8:2"};
static const rwl_lance_node pairs_node = {.form = RWL_LANCE_VECTOR,
                                          .dimension = 3,
                                          .children = &pair_node,
                                          .child_count = 1,
                                          .logical_type = "fixed_size_list:struct:3"};

static const rwl_lance_node row_fields[] = {
    {.form = RWL_LANCE_FIXED, .bits = 16, .logical_type = "int16", .field = {.name = "n"}},
    {.form = RWL_LANCE_BYTES, .place = 1, .logical_type = "string", .field = {.name = "t"}}};
static const rwl_lance_node row_node = {
    .form = RWL_LANCE_PACKED, .children = row_fields, .child_count = 2, .logical_type = "struct"};
static const rwl_lance_node cut_node = {/* field 1 alone */
                                        .form = RWL_LANCE_PACKED,
                                        .children = row_fields + 1,
                                        .child_count = 1,
                                        .logical_type = "struct"};
static const rwl_lance_node row_in_row[] = {{.form = RWL_LANCE_PACKED,
                                             .place = 1,
                                             .children = row_fields,
                                             .child_count = 2,
                                             .logical_type = "struct",
                                             .field = {.name = "s"}}};
static const rwl_lance_node nested_node = {
    .form = RWL_LANCE_PACKED, .children = row_in_row, .child_count = 1, .logical_type = "struct"};
static const rwl_lance_node plain_fields[] = {
    {.form = RWL_LANCE_FIXED, .bits = 16, .logical_type = "int16", .field = {.name = "n"}},
    {.form = RWL_LANCE_FIXED, .bits = 8, .place = 1, .logical_type = "uint8", .field = {.name = "m"}}};
static const rwl_lance_node plain_in_row[] = {{.form = RWL_LANCE_PACKED,
                                               .place = 1,
                                               .children = plain_fields,
                                               .child_count = 2,
                                               .logical_type = "struct",
                                               .field = {.name = "s"}}};
static const rwl_lance_node plain_node = {
    .form = RWL_LANCE_PACKED, .children = plain_in_row, .child_count = 1, .logical_type = "struct"};
static const rwl_lance_node third_field[] = {
    {.form = RWL_LANCE_BYTES, .place = 2, .logical_type = "string", .field = {.name = "u"}}};
static const rwl_lance_node third_node = {
    .form = RWL_LANCE_PACKED, .children = third_field, .child_count = 1, .logical_type = "struct"};
static const rwl_lance_node with_vector[] = {
    {.form = RWL_LANCE_FIXED, .bits = 16, .logical_type = "int16", .field = {.name = "n"}},
    {.form = RWL_LANCE_VECTOR,
     .dimension = 2,
     .children = &byte_node,
     .child_count = 1,
     .place = 1,
     .logical_type = "fixed_size_list:uint8:2",
     .field = {.name = "v"}}};
static const rwl_lance_node vectors_node = {.form = RWL_LANCE_PACKED,
                                            .bits = 32,
                                            .has_vectors = true,
                                            .children = with_vector,
                                            .child_count = 2,
                                            .logical_type = "struct"};

static const rwl_lance_codec flat8 = {.kind = RWL_LANCE_CODEC_FLAT, .bits = 8};
static const rwl_lance_codec flat16 = {.kind = RWL_LANCE_CODEC_FLAT, .bits = 16};
static const rwl_lance_codec flat32 = {.kind = RWL_LANCE_CODEC_FLAT, .bits = 32};
static const rwl_lance_codec flat128 = {.kind = RWL_LANCE_CODEC_FLAT, .bits = 128};
static const rwl_lance_codec variable = {.kind = RWL_LANCE_CODEC_VARIABLE, .second = &flat32};
static const rwl_lance_codec fsst = {
    .kind = RWL_LANCE_CODEC_FSST,
    .values = &variable,
    .blob = {(const uint8_t *)"\1\0\0\1TSSFabc\0\0\0\0\0\3", 17}}; /* code 0 is "abc" */
static const rwl_lance_codec lz4 = {
    .kind = RWL_LANCE_CODEC_GENERAL, .scheme = RWL_LANCE_SCHEME_LZ4, .values = &variable};
static const rwl_lance_codec lz4_fsst = {
    .kind = RWL_LANCE_CODEC_GENERAL, .scheme = RWL_LANCE_SCHEME_LZ4, .values = &fsst};
static const rwl_lance_packed_field number_and_text[] = {{&flat16, 16, 0}, {&fsst, 0, 32}};
static const rwl_lance_codec struct_codec = {
    .kind = RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT, .field_count = 2, .fields = number_and_text};
static const rwl_lance_packed_field text_and_struct[] = {{&variable, 0, 32}, {&struct_codec, 0, 32}};
static const rwl_lance_codec nested_codec = {
    .kind = RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT, .field_count = 2, .fields = text_and_struct};
static const rwl_lance_packed_field numbers[] = {{&flat16, 16, 0}, {&flat8, 8, 0}};
static const rwl_lance_codec numbers_codec = {
    .kind = RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT, .field_count = 2, .fields = numbers};
static const rwl_lance_codec flat24 = {.kind = RWL_LANCE_CODEC_FLAT, .bits = 24};
static const int64_t widths_of_three[] = {16, 8}, widths_of_two[] = {8, 8};
static const rwl_lance_codec plain_codec = {
    .kind = RWL_LANCE_CODEC_PACKED_STRUCT, .values = &flat24, .field_count = 2, .widths = widths_of_three};
static const rwl_lance_codec other_codec = {
    .kind = RWL_LANCE_CODEC_PACKED_STRUCT, .values = &flat16, .field_count = 2, .widths = widths_of_two};
static const rwl_lance_packed_field text_and_plain[] = {{&variable, 0, 32}, {&plain_codec, 24, 0}};
static const rwl_lance_codec plain_nested = {
    .kind = RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT, .field_count = 2, .fields = text_and_plain};
static const rwl_lance_packed_field text_and_other[] = {{&variable, 0, 32}, {&other_codec, 16, 0}};
static const rwl_lance_codec other_nested = {
    .kind = RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT, .field_count = 2, .fields = text_and_other};
static const rwl_lance_codec nothing = {.kind = RWL_LANCE_CODEC_CONSTANT};
static const rwl_lance_codec pair_of_nulls = {
    .kind = RWL_LANCE_CODEC_FIXED_SIZE_LIST, .items = 2, .values = &nothing, .has_validity = true};
static const rwl_lance_codec seven = {.kind = RWL_LANCE_CODEC_CONSTANT, .blob = {(const uint8_t *)"\7", 1}};
static const rwl_lance_codec pair_of_sevens = {
    .kind = RWL_LANCE_CODEC_FIXED_SIZE_LIST, .items = 2, .values = &seven, .has_validity = true};
static const rwl_lance_codec pair_codec = {.kind = RWL_LANCE_CODEC_PACKED_STRUCT, .values = &flat128};
static const rwl_lance_codec pair_of_bytes = {
    .kind = RWL_LANCE_CODEC_FIXED_SIZE_LIST, .items = 2, .values = &flat8};
static const rwl_lance_codec pairs = {
    .kind = RWL_LANCE_CODEC_FIXED_SIZE_LIST, .items = 3, .values = &pair_of_bytes};
static const rwl_lance_codec nullable_pair = {
    .kind = RWL_LANCE_CODEC_FIXED_SIZE_LIST, .items = 2, .values = &flat8, .has_validity = true};
static const rwl_lance_codec nullable_pairs = {
    .kind = RWL_LANCE_CODEC_FIXED_SIZE_LIST, .items = 3, .values = &nullable_pair, .has_validity = true};

static const rwl_lance_packed_field number_and_vector[] = {{&flat16, 16, 0}, {&nullable_pair, 24, 0}};
static const rwl_lance_codec vectors_codec = {
    .kind = RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT, .field_count = 2, .fields = number_and_vector};
static const rwl_lance_packed_field number_and_plain[] = {{&flat16, 16, 0}, {&pair_of_bytes, 16, 0}};
static const rwl_lance_codec plain_vectors = {
    .kind = RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT, .field_count = 2, .fields = number_and_plain};
static const rwl_lance_packed_field number_and_longer[] = {{&flat16, 16, 0}, {&pairs, 48, 0}};
static const rwl_lance_codec longer_vectors = {
    .kind = RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT, .field_count = 2, .fields = number_and_longer};
static const rwl_lance_packed_field number_and_narrow[] = {{&flat16, 16, 0}, {&nullable_pair, 16, 0}};
static const rwl_lance_codec narrow_vectors = {
    .kind = RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT, .field_count = 2, .fields = number_and_narrow};

enum { ALL = 1, NULLABLE = 3, LIST = 6 };

/* --- a page --- */

typedef struct page_case {
    const rwl_lance_node *node;
    const rwl_lance_codec *codec;
    uint8_t layers[2];
    int64_t bits_rep, bits_def, bits_per_value, bits_per_offset;
    int64_t rows;
    const char *data;
    size_t data_len;
    const char *index;
    size_t index_len;
} page_case;

typedef struct world {
    rwl_buf bytes;
    rwl_store *store;
    rwl_lancefile file;
    rwl_lance_extent buffers[2];
    rwl_lance_page page;
    rwl_lance_layout layout, outer; /* outer: of blobs */
    rwl_lance_leaf leaf;
    rwl_lance_fetch fetch;
    rwl_lance_general general;
    rwl_lance_page_reader *reader;
    rwl_error err;
} world;

static rwl_status open_case(world *w, const page_case *c, const rwl_lance_layout *layout) {
    memset(w, 0, sizeof *w);
    rwl_buf_init(&w->bytes, &env, SIZE_MAX);
    ck_assert_int_eq(rwl_buf_append(&w->bytes, c->data, c->data_len, NULL), RWL_OK);
    ck_assert_int_eq(rwl_buf_append(&w->bytes, c->index, c->index_len, NULL), RWL_OK);
    w->store = rwl_memory_store_new(&env, rwl_buf_span(&w->bytes));
    ck_assert_int_eq(rwl_file_open(w->store, &op, "f", &w->file.file, NULL), RWL_OK);
    w->file.env = &env;
    w->file.location = "f";
    w->file.size = (int64_t)w->bytes.len;
    w->buffers[0] = (rwl_lance_extent){0, (int64_t)c->data_len};
    w->buffers[1] = (rwl_lance_extent){(int64_t)c->data_len, (int64_t)c->index_len};
    w->page.row_count = c->rows;
    w->page.buffers = w->buffers;
    w->page.buffer_count = c->index_len > 0 ? 2 : 1;
    w->layout.kind = RWL_LANCE_LAYOUT_FULL_ZIP;
    memcpy(w->layout.layers, c->layers, sizeof c->layers);
    w->layout.layer_count = c->layers[1] != 0 ? 2 : 1;
    w->layout.values = c->codec;
    w->layout.bits_rep = c->bits_rep;
    w->layout.bits_def = c->bits_def;
    w->layout.bits_per_value = c->bits_per_value;
    w->layout.bits_per_offset = c->bits_per_offset;
    ck_assert_int_eq(rwl_lance_leaf_init(&w->leaf, &env, c->node, NULL), RWL_OK);
    if (c->node->has_vectors)
        rwl_lance_leaf_use_rows(&w->leaf);
    rwl_lance_fetch_init(&w->fetch, &w->file, &op);
    rwl_lance_page_request request = {.op = &op,
                                      .file = &w->file,
                                      .page = &w->page,
                                      .layout = layout != NULL ? layout : &w->layout,
                                      .leaf = &w->leaf,
                                      .fetch = &w->fetch,
                                      .general = &w->general};
    return layout != NULL ? rwl_lance_blob_open(&request, &w->reader, &w->err)
                          : rwl_lance_zip_open(&request, &w->reader, &w->err);
}

static void close_case(world *w) {
    rwl_lance_page_close(w->reader);
    rwl_lance_fetch_clear(&w->fetch);
    rwl_lance_leaf_clear(&w->leaf);
    rwl_lance_general_clear(&w->general);
    rwl_file_close(w->file.file);
    rwl_store_free(w->store);
    rwl_buf_clear(&w->bytes);
}

static rwl_status read_rows(world *w, const rwl_range *rows, size_t count) {
    size_t number = 0;
    rwl_lance_fetch_reset(&w->fetch);
    rwl_lance_leaf_reset(&w->leaf);
    RWL_TRY(w->reader->vtable->want(w->reader, rows, count, &number, &w->err));
    RWL_TRY(rwl_lance_fetch_submit(&w->fetch, &w->err));
    return w->reader->vtable->read(w->reader, rows, count, number, &w->leaf, &w->err);
}

/* Levels and slots as text: "rep.def" of each entry, then the slots. */
static const char *show(const rwl_lance_leaf *leaf) {
    static char text[512];
    size_t at = 0;
    for (int64_t i = 0; i < leaf->entries; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%u.%u ",
                               leaf->rep.count > 0 ? leaf->rep.items[i] : 0,
                               leaf->def.count > 0 ? leaf->def.items[i] : 0);
    at += (size_t)snprintf(text + at, sizeof text - at, "|");
    const uint8_t *data = leaf->values.values.data;
    for (int64_t i = 0; i < leaf->slots; i++) {
        if (leaf->node->form == RWL_LANCE_PACKED && rwl_lance_leaf_is_bytes(leaf)) {
            rwl_span bytes = rwl_column_bytes(&leaf->values, i);
            at += (size_t)snprintf(text + at, sizeof text - at, " ");
            for (size_t b = 0; b < bytes.len; b++)
                at += (size_t)snprintf(text + at, sizeof text - at, "%x", bytes.data[b]);
            at += (size_t)snprintf(text + at, sizeof text - at, ".");
        } else if (leaf->node->form == RWL_LANCE_BYTES) {
            rwl_span bytes = rwl_column_bytes(&leaf->values, i);
            at += (size_t)snprintf(text + at, sizeof text - at, " %.*s.", (int)bytes.len,
                                   bytes.len > 0 ? (const char *)bytes.data : "");
        } else if (leaf->width_bits == 1) {
            at += (size_t)snprintf(text + at, sizeof text - at, " %d", rwl_bit_get(data, i));
        } else if (leaf->width_bits == 16) {
            at += (size_t)snprintf(text + at, sizeof text - at, " %u", rwl_load_le16(data + 2 * i));
        } else {
            at += (size_t)snprintf(text + at, sizeof text - at, " ");
            for (int64_t b = 0; b < leaf->width_bits / 8; b++)
                at += (size_t)snprintf(text + at, sizeof text - at, "%x", data[i * leaf->width_bits / 8 + b]);
        }
    }
    return text;
}

/* --- what is read --- */

#define BYTES(text) text, sizeof text - 1

static const struct read_case {
    const char *name;
    page_case page;
    const char *all; /* of all rows */
    rwl_range some[3];
    size_t some_count;
    const char *shown; /* of some */
} read_cases[] = {
    {"plain values",
     {&int16_node, &flat16, {ALL}, 0, 0, 16, 0, 4, BYTES("\1\0\2\0\3\0\4\0"), BYTES("")},
     "0.0 0.0 0.0 0.0 | 1 2 3 4",
     {{0, 1}, {2, 2}},
     2,
     "0.0 0.0 0.0 | 1 3 4"},
    /* a byte with the level before each, of nulls too */
    {"nullable values",
     {&int16_node, &flat16, {NULLABLE}, 0, 1, 16, 0, 3, BYTES("\0\1\0\1\0\0\0\3\0"), BYTES("")},
     "0.0 0.1 0.0 | 1 0 3",
     {{1, 2}},
     1,
     "0.1 0.0 | 0 3"},
    {"booleans are bytes",
     {&bool_node, &flat8, {NULLABLE}, 0, 1, 8, 0, 3, BYTES("\0\1\1\377\0\0"), BYTES("")},
     "0.0 0.1 0.0 | 1 1 0",
     {{2, 1}},
     1,
     "0.0 | 0"},
    {"texts",
     {&text_node,
      &variable,
      {NULLABLE},
      0,
      1,
      0,
      32,
      4,
      BYTES("\0\2\0\0\0hi"
            "\1"
            "\0\0\0\0\0"
            "\0\1\0\0\0x"),
      BYTES("\0\7\x8\xd\x13")},
     "0.0 0.1 0.0 0.0 | hi. . . x.",
     {{1, 1}, {3, 1}},
     2,
     "0.1 0.0 | . x."},
    {"texts without levels, wide",
     {&text_node,
      &variable,
      {ALL},
      0,
      0,
      0,
      64,
      2,
      BYTES("\1\0\0\0\0\0\0\0a\2\0\0\0\0\0\0\0bc"),
      BYTES("\0\0\0\0\x9\0\0\0\x13\0\0\0")},
     "0.0 0.0 | a. bc.",
     {{1, 1}},
     1,
     "0.0 | bc."},
    {"texts of symbols",
     {&text_node,
      &fsst,
      {ALL},
      0,
      0,
      0,
      32,
      3,
      BYTES("\2\0\0\0\0\0\0\0\0\0\2\0\0\0\377z"),
      BYTES("\0\0\6\0\xa\0\x10\0")},
     "0.0 0.0 0.0 | abcabc. . z.",
     {{2, 1}},
     1,
     "0.0 | z."},
    /* u32 length 2, token 0x20, 2 literals; u32 length 0, token 0 */
    {"texts compressed one by one",
     {&text_node,
      &lz4,
      {NULLABLE},
      0,
      1,
      0,
      32,
      3,
      BYTES("\0\7\0\0\0\2\0\0\0\x20hi"
            "\1"
            "\0\5\0\0\0\0\0\0\0\0"),
      BYTES("\0\xc\xd\x17")},
     "0.0 0.1 0.0 | hi. . .",
     {{2, 1}},
     1,
     "0.0 | ."},
    /* layers item?/list?0: 1 null item, 2 null list, 3 empty list; control = rep << 2 | def
     * [1, null] [] null [2] */
    {"lists",
     {&item_node,
      &flat16,
      {NULLABLE, LIST},
      1,
      2,
      16,
      0,
      4,
      BYTES("\4\1\0\1\0\0\7\6\4\2\0"),
      BYTES("\0\6\7\x8\xb")},
     "1.0 0.1 1.3 1.2 1.0 | 1 0 2",
     {{0, 2}, {3, 1}},
     2,
     "1.0 0.1 1.3 1.0 | 1 0 2"},
    {"lists of texts",
     {&text_item_node,
      &variable,
      {NULLABLE, LIST},
      1,
      2,
      0,
      32,
      3,
      BYTES("\4\1\0\0\0a\1\0\1\0\0\0b"
            "\7"
            "\5"),
      BYTES("\0\xd\xe\xf")},
     "1.0 0.1 0.0 1.3 1.1 | a. . b. .",
     {{2, 1}},
     1,
     "1.1 | ."},
    {"vectors",
     {&pairs_node, &pairs, {ALL}, 0, 0, 48, 0, 2, BYTES("\1\2\3\4\5\6\7\x8\x9\xa\xb\xc"), BYTES("")},
     "0.0 0.0 | 123456 789abc",
     {{1, 1}},
     1,
     "0.0 | 789abc"},
    /* a row of 8 bytes: the number, the length 2 of the text, its bytes: code 0 twice */
    {"structs with texts",
     {&row_node,
      &struct_codec,
      {NULLABLE},
      0,
      1,
      0,
      32,
      3,
      BYTES("\0\x8\0\0\0\1\2\2\0\0\0\0\0"
            "\1"
            "\0\6\0\0\0\3\4\0\0\0\0"),
      BYTES("\0\xd\xe\x19")},
     "0.0 0.1 0.0 | 20001260006162636162"
     "63. . 2000340000.",
     {{1, 1}},
     1,
     "0.1 | ."},
    {"structs with one field cut out",
     {&cut_node, &struct_codec, {ALL}, 0, 0, 0, 32, 1, BYTES("\x8\0\0\0\1\2\2\0\0\0\377z"), BYTES("\0\xc")},
     "0.0 | 000010007a.",
     {{0, 1}},
     1,
     "0.0 | 000010007a."},
    {"structs in structs",
     {&nested_node,
      &nested_codec,
      {ALL},
      0,
      0,
      0,
      32,
      1,
      BYTES("\xf\0\0\0\1\0\0\0y\6\0\0\0\1\2\0\0\0\0"),
      BYTES("\0\x13")},
     "0.0 | 0000a0002000120000.",
     {{0, 1}},
     1,
     "0.0 | 0000a0002000120000."},
    /* slots of both have lengths: 11 bytes of the inner one, 2 and 1 of its fields */
    {"structs of fixed width in structs",
     {&plain_node, &plain_nested, {ALL}, 0, 0, 0, 32, 1, BYTES("\x8\0\0\0\1\0\0\0y\1\2\3"), BYTES("\0\xc")},
     "0.0 | 0000b00020001210003.",
     {{0, 1}},
     1,
     "0.0 | 0000b00020001210003."},
    /* a number and a pair with validity 1 before it; 1 2 are the number, 3 4 the pair, its validity last */
    {"structs with vectors",
     {&vectors_node,
      &vectors_codec,
      {NULLABLE},
      0,
      1,
      0,
      32,
      3,
      BYTES("\0\5\0\0\0\1\2\1\3\4"
            "\1"
            "\0\5\0\0\0\5\6\2\7\x8"),
      BYTES("\0\xa\xb\x15")},
     "0.0 0.1 0.0 | 2000123000341. . 2000563000782.",
     {{2, 1}},
     1,
     "0.0 | 2000563000782."},
    {"structs with vectors without nulls",
     {&vectors_node, &plain_vectors, {ALL}, 0, 0, 0, 32, 1, BYTES("\4\0\0\0\1\2\3\4"), BYTES("\0\x8")},
     "0.0 | 200012300034ff.",
     {{0, 1}},
     1,
     "0.0 | 200012300034ff."},
    {"vectors of nulls",
     {&pair_node, &pair_of_nulls, {NULLABLE}, 0, 1, 8, 0, 2, BYTES("\0\0\1\0"), BYTES("")},
     "0.0 0.1 | 0 0",
     {{0, 1}},
     1,
     "0.0 | 0"},
    {"numbers of one value, whatever is stored",
     {&byte_node, &seven, {ALL}, 0, 0, 8, 0, 2, BYTES("\1\2"), BYTES("")},
     "0.0 0.0 | 7 7",
     {{1, 1}},
     1,
     "0.0 | 7"},
    {"vectors of one value",
     {&pair_node, &pair_of_sevens, {ALL}, 0, 0, 8, 0, 2, BYTES("\3\1"), BYTES("")},
     "0.0 0.0 | 1799 1799" /* 0x0707 */,
     {{1, 1}},
     1,
     "0.0 | 1799"},
};

START_TEST(rows_are_read) {
    const struct read_case *c = &read_cases[_i];
    world w;
    ck_assert_msg(open_case(&w, &c->page, NULL) == RWL_OK, "%s: %s", c->name, w.err.message);
    rwl_range all = {0, c->page.rows};
    ck_assert_msg(read_rows(&w, &all, 1) == RWL_OK, "%s: %s", c->name, w.err.message);
    ck_assert_msg(strcmp(show(&w.leaf), c->all) == 0, "%s: %s", c->name, show(&w.leaf));
    ck_assert_int_eq(w.leaf.rows, c->page.rows);
    ck_assert_msg(read_rows(&w, c->some, c->some_count) == RWL_OK, "%s: %s", c->name, w.err.message);
    ck_assert_msg(strcmp(show(&w.leaf), c->shown) == 0, "%s: %s", c->name, show(&w.leaf));
    close_case(&w);
}
END_TEST

/* Two bytes of a text come out of 12: a step that may have one stops before. */
START_TEST(values_that_grow_past_what_a_step_may_have_are_refused) {
    page_case c = {&text_node, &lz4, {ALL}, 0, 0, 0, 32, 1, BYTES("\7\0\0\0\2\0\0\0\x20hi"), BYTES("\0\xb")};
    world w;
    rwl_range all = {0, 1};
    ck_assert_int_eq(open_case(&w, &c, NULL), RWL_OK);
    w.leaf.bytes_max = 1;
    ck_assert_int_eq(read_rows(&w, &all, 1), RWL_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(w.err.message, "0 bytes of values and 2 more in one step, limit 1"));
    w.leaf.bytes_max = 2;
    ck_assert_int_eq(read_rows(&w, &all, 1), RWL_OK);
    ck_assert_str_eq(show(&w.leaf), "0.0 | hi.");
    close_case(&w);
}
END_TEST

/* A row of 21 bytes: the number, and 15 of which a hundred times 'a' come; its slot takes 4 + 2 + 4 + 100. */
START_TEST(fields_that_grow_past_what_a_step_may_have_are_refused) {
    static const rwl_lance_packed_field fields[] = {{&flat16, 16, 0}, {&lz4, 0, 32}};
    static const rwl_lance_codec codec = {
        .kind = RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT, .field_count = 2, .fields = fields};
    page_case c = {&row_node,
                   &codec,
                   {ALL},
                   0,
                   0,
                   0,
                   32,
                   1,
                   BYTES("\x15\0\0\0\1\2\xf\0\0\0\x64\0\0\0\x1f\x61\1\0\x4b\x50\x61\x61\x61\x61\x61"),
                   BYTES("\0\x19")};
    world w;
    rwl_range all = {0, 1};
    ck_assert_int_eq(open_case(&w, &c, NULL), RWL_OK);
    w.leaf.bytes_max = 109;
    ck_assert_int_eq(read_rows(&w, &all, 1), RWL_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(w.err.message, "110 bytes of values"));
    w.leaf.bytes_max = 110;
    ck_assert_int_eq(read_rows(&w, &all, 1), RWL_OK);
    ck_assert_uint_eq(w.leaf.values.bytes_len, 110);
    close_case(&w);
}
END_TEST

/* Of each value: 3 bits of the outer list's validity, 6 of the inner ones', 6 bytes. Row 0: elements 0 and 2 valid, of their own
 * elements all but number 1; row 1 null; row 2 all valid. */
START_TEST(elements_of_vectors_may_be_null) {
    page_case c = {&pairs_node,
                   &nullable_pairs,
                   {NULLABLE},
                   0,
                   1,
                   64,
                   0,
                   3,
                   BYTES("\0\5\x3d\1\2\3\4\5\6"
                         "\1\0\0\0\0\0\0\0\0"
                         "\0\7\x3f\7\7\7\7\7\7"),
                   BYTES("")};
    world w;
    ck_assert_msg(open_case(&w, &c, NULL) == RWL_OK, "%s", w.err.message);
    rwl_range all = {0, 3};
    ck_assert_msg(read_rows(&w, &all, 1) == RWL_OK, "%s", w.err.message);
    ck_assert_str_eq(show(&w.leaf), "0.0 0.1 0.0 | 123456 000000 777777");
    ck_assert(w.leaf.item_validity[0].has_nulls && w.leaf.item_validity[1].has_nulls);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(rwl_bit_get(w.leaf.item_validity[0].bits.data, i), i != 1);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(rwl_bit_get(w.leaf.item_validity[1].bits.data, i), i != 1);
    for (int i = 6; i < 9; i++)
        ck_assert_int_eq(rwl_bit_get(w.leaf.item_validity[0].bits.data, i), 1);
    close_case(&w);
}
END_TEST

/* As pylance 7.0 writes [[null, null], null, [null, null]]: a byte with the level for each. */
START_TEST(vectors_of_nulls_need_no_bytes) {
    page_case c = {&pair_node, &nothing, {NULLABLE}, 0, 1, 0, 0, 3, BYTES("\0\1\0"), BYTES("")};
    world w;
    ck_assert_msg(open_case(&w, &c, NULL) == RWL_OK, "%s", w.err.message);
    rwl_range all = {0, 3};
    ck_assert_msg(read_rows(&w, &all, 1) == RWL_OK, "%s", w.err.message);
    ck_assert_str_eq(show(&w.leaf), "0.0 0.1 0.0 | 0 0 0");
    ck_assert(w.leaf.item_validity[0].has_nulls);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(rwl_bit_get(w.leaf.item_validity[0].bits.data, i), i / 2 == 1);
    close_case(&w);
}
END_TEST

/* As pylance 7.0 writes [[[null, null], null, [null, null]], null]: a byte with the level, one with the validity of the pairs. */
START_TEST(vectors_in_vectors_are_of_nulls_where_their_value_is_null) {
    static const rwl_lance_codec three_nulls = {
        .kind = RWL_LANCE_CODEC_FIXED_SIZE_LIST, .items = 3, .values = &nothing, .has_validity = true};
    page_case c = {&pairs_node, &three_nulls, {NULLABLE}, 0, 1, 8, 0, 2, BYTES("\0\5\1\0"), BYTES("")};
    world w;
    ck_assert_msg(open_case(&w, &c, NULL) == RWL_OK, "%s", w.err.message);
    rwl_range all = {0, 2};
    ck_assert_msg(read_rows(&w, &all, 1) == RWL_OK, "%s", w.err.message);
    ck_assert_str_eq(show(&w.leaf), "0.0 0.1 | 000000 000000");
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(rwl_bit_get(w.leaf.item_validity[0].bits.data, i), i != 1);
    ck_assert(w.leaf.item_validity[1].has_nulls);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(rwl_bit_get(w.leaf.item_validity[1].bits.data, i), 0);
    close_case(&w);
}
END_TEST

START_TEST(says_how_many_rows_are_so_many_bytes) {
    static const struct {
        int which; /* of read_cases */
        int64_t bytes_max, fitting;
    } cases[] = {{0, 4, 2}, {0, 5, 2}, {0, 100, 4}, {0, 0, 1}, {3, 8, 2}, {3, 7, 1}, {3, 6, 1}, {3, 19, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world w;
        const page_case *c = &read_cases[cases[i].which].page;
        ck_assert_int_eq(open_case(&w, c, NULL), RWL_OK);
        int64_t fitting;
        rwl_range rows[2] = {{0, 1}, {1, c->rows - 1}};
        ck_assert_int_eq(rwl_lance_page_fit(w.reader, rows, 2, cases[i].bytes_max, &fitting, &w.err), RWL_OK);
        ck_assert_int_eq(fitting, cases[i].fitting);
        close_case(&w);
    }
}
END_TEST

/* An index of 8 bytes an entry, above what is read as a whole: 200000 rows of a text "x" each. */
START_TEST(a_long_index_is_read_where_rows_are) {
    enum { ROWS = 200000, LEN = 5 };
    char *data = malloc(ROWS * LEN), *index = malloc((ROWS + 1) * 8);
    for (int i = 0; i < ROWS; i++) {
        memcpy(data + i * LEN, "\1\0\0\0", 4);
        data[i * LEN + 4] = (char)('a' + i % 26);
    }
    for (int i = 0; i <= ROWS; i++)
        rwl_store_le64((uint8_t *)index + 8 * i, (uint64_t)i * LEN);
    page_case c = {&text_node, &variable, {ALL}, 0, 0, 0, 32, ROWS, data, ROWS * LEN, index, (ROWS + 1) * 8};
    world w;
    ck_assert_msg(open_case(&w, &c, NULL) == RWL_OK, "%s", w.err.message);
    for (int pass = 0; pass < 2; pass++) {
        rwl_range rows[2] = {{3, 1}, {26 * 5000 + 1, 2}};
        int64_t fitting;
        ck_assert_int_eq(rwl_lance_page_fit(w.reader, rows, 2, 10, &fitting, &w.err), RWL_OK);
        ck_assert_int_eq(fitting, 2);
        ck_assert_msg(read_rows(&w, rows, 2) == RWL_OK, "%s", w.err.message);
        ck_assert_str_eq(show(&w.leaf), "0.0 0.0 0.0 | d. b. c.");
    }
    close_case(&w);
    free(data);
    free(index);
}
END_TEST

/* --- what is refused --- */

static const struct wrong_case {
    const char *name;
    page_case page;
    rwl_status status;
    const char *message; /* a part of it */
} wrong_cases[] = {
    {"a byte is missing",
     {&int16_node, &flat16, {ALL}, 0, 0, 16, 0, 2, BYTES("\1\0\2"), BYTES("")},
     RWL_CORRUPT,
     "3 bytes: 2 rows of 2 bytes"},
    {"values of other bits",
     {&int16_node, &flat32, {ALL}, 0, 0, 32, 0, 1, BYTES("\1\0\2\0"), BYTES("")},
     RWL_CORRUPT,
     "values of 32 bits in a field of 16 bits"},
    {"values that are longer than their parts",
     {&int16_node, &flat16, {ALL}, 0, 0, 24, 0, 1, BYTES("\1\0\2"), BYTES("")},
     RWL_CORRUPT,
     "full-zip values of 24 bits whose parts have 2 bytes"},
    {"values and lengths",
     {&int16_node, &flat16, {ALL}, 0, 0, 16, 32, 1, BYTES("\1\0"), BYTES("")},
     RWL_CORRUPT,
     "lengths of 32"},
    {"neither values nor lengths",
     {&int16_node, &flat16, {ALL}, 0, 0, 0, 0, 1, BYTES("\1\0"), BYTES("")},
     RWL_CORRUPT,
     "values of 0 bits"},
    {"rows of no bytes",
     {&pair_node, &nothing, {ALL}, 0, 0, 0, 0, 1, BYTES(""), BYTES("")},
     RWL_UNSUPPORTED,
     "full-zip page of vectors of nulls that has no bytes"},
    {"a number of no bytes",
     {&int16_node, &nothing, {NULLABLE}, 0, 1, 0, 0, 2, BYTES("\1\0"), BYTES("")},
     RWL_CORRUPT,
     "row 1 has no bytes, and is not null"},
    {"a vector of another dimension",
     {&pair_node, &pairs, {ALL}, 0, 0, 48, 0, 1, BYTES("\1\2\3\4\5\6"), BYTES("")},
     RWL_CORRUPT,
     "fixed_size_list of 3"},
    {"fixed values in a field of texts",
     {&text_node, &flat16, {ALL}, 0, 0, 16, 0, 1, BYTES("\1\0"), BYTES("")},
     RWL_CORRUPT,
     "field of 0 bits"},
    {"texts in a field of numbers",
     {&int16_node, &variable, {ALL}, 0, 0, 0, 32, 1, BYTES("\0\0\0\0"), BYTES("\0\4")},
     RWL_CORRUPT,
     "in a field of type int16"},
    {"no index",
     {&text_node, &variable, {ALL}, 0, 0, 0, 32, 1, BYTES("\0\0\0\0"), BYTES("")},
     RWL_CORRUPT,
     "no repetition index"},
    {"an index of odd length",
     {&text_node, &variable, {ALL}, 0, 0, 0, 32, 1, BYTES("\0\0\0\0"), BYTES("\0\0\4")},
     RWL_CORRUPT,
     "repetition index of 3 bytes for 1 rows"},
    {"an index of three bytes an entry",
     {&text_node, &variable, {ALL}, 0, 0, 0, 32, 1, BYTES("\0\0\0\0"), BYTES("\0\0\0\4\0\0")},
     RWL_CORRUPT,
     "repetition index of 6 bytes for 1 rows"},
    {"an index that falls",
     {&text_node, &variable, {ALL}, 0, 0, 0, 32, 1, BYTES("\0\0\0\0"), BYTES("\4\0")},
     RWL_CORRUPT,
     "at bytes 4 to 0 of 4"},
    {"an index that passes the data",
     {&text_node, &variable, {ALL}, 0, 0, 0, 32, 1, BYTES("\0\0\0\0"), BYTES("\0\5")},
     RWL_CORRUPT,
     "at bytes 0 to 5 of 4"},
    {"a text that passes its row",
     {&text_node, &variable, {ALL}, 0, 0, 0, 32, 1, BYTES("\2\0\0\0a"), BYTES("\0\5")},
     RWL_CORRUPT,
     "a value of 2 bytes where 1 are left"},
    {"a length that is cut",
     {&text_node, &variable, {ALL}, 0, 0, 0, 32, 1, BYTES("\2\0\0"), BYTES("\0\3")},
     RWL_CORRUPT,
     "within a length"},
    {"fewer rows than the index has",
     {&text_node, &variable, {ALL}, 0, 0, 0, 32, 2, BYTES("\1\0\0\0a"), BYTES("\0\4\5")},
     RWL_CORRUPT,
     "hold 1 rows, not 2"},
    {"more rows than the index has",
     {&text_node, &variable, {ALL}, 0, 0, 0, 32, 1, BYTES("\0\0\0\0\0\0\0\0"), BYTES("\0\x8")},
     RWL_CORRUPT,
     "hold 2 rows, not 1"},
    {"lengths of 16 bits",
     {&text_node, &variable, {ALL}, 0, 0, 0, 16, 1, BYTES("\0\0"), BYTES("\0\2")},
     RWL_CORRUPT,
     "lengths of 16 bits"},
    {"levels that the layers do not have",
     {&int16_node, &flat16, {NULLABLE}, 0, 2, 16, 0, 1, BYTES("\2\0\0"), BYTES("")},
     RWL_CORRUPT,
     "levels 0 and 2 of 0 and 1"},
    {"repetition where nothing repeats",
     {&int16_node, &flat16, {NULLABLE}, 1, 1, 16, 0, 1, BYTES("\2\0\0"), BYTES("\0\3")},
     RWL_CORRUPT,
     "levels 1 and 0 of 0 and 1"},
    {"levels of 17 bits",
     {&int16_node, &flat16, {NULLABLE}, 0, 17, 16, 0, 1, BYTES("\0\0\0\0\0\0"), BYTES("")},
     RWL_CORRUPT,
     "levels of 0 and 17 bits"},
    {"lists that do not repeat",
     {&item_node, &flat16, {NULLABLE, LIST}, 0, 2, 16, 0, 1, BYTES("\0\1\0"), BYTES("")},
     RWL_CORRUPT,
     "lists without repetition levels"},
    {"a row that begins in the middle",
     {&item_node, &flat16, {NULLABLE, LIST}, 1, 2, 16, 0, 1, BYTES("\0\1\0"), BYTES("\0\3")},
     RWL_CORRUPT,
     "the first entry of a row has repetition level 0"},
    {"a value that is cut",
     {&item_node, &flat16, {NULLABLE, LIST}, 1, 2, 16, 0, 1, BYTES("\4\1"), BYTES("\0\2")},
     RWL_CORRUPT,
     "within a value"},
    {"a boolean that is none",
     {&bool_node, &flat8, {ALL}, 0, 0, 8, 0, 1, BYTES("\2"), BYTES("")},
     RWL_CORRUPT,
     "a boolean is 0x02"},
    {"a code that is none",
     {&text_node, &fsst, {ALL}, 0, 0, 0, 32, 1, BYTES("\1\0\0\0\1"), BYTES("\0\5")},
     RWL_CORRUPT,
     "a code that is none"},
    {"a text that is not compressed",
     {&text_node, &lz4, {ALL}, 0, 0, 0, 32, 1, BYTES("\1\0\0\0\1"), BYTES("\0\5")},
     RWL_CORRUPT,
     "lz4"},
    {"symbols, compressed",
     {&text_node, &lz4_fsst, {ALL}, 0, 0, 0, 32, 1, BYTES("\0\0\0\0"), BYTES("\0\4")},
     RWL_UNSUPPORTED,
     "plain, fsst or compressed"},
    {"structs in a field of texts",
     {&text_node, &struct_codec, {ALL}, 0, 0, 0, 32, 1, BYTES("\0\0\0\0"), BYTES("\0\4")},
     RWL_CORRUPT,
     "packed structs of variable length in a field of type string"},
    {"texts in a field of structs",
     {&row_node, &variable, {ALL}, 0, 0, 0, 32, 1, BYTES("\0\0\0\0"), BYTES("\0\4")},
     RWL_CORRUPT,
     "values of variable length in a field of type struct"},
    {"a struct without the field",
     {&third_node, &struct_codec, {ALL}, 0, 0, 0, 32, 1, BYTES("\0\0\0\0"), BYTES("\0\4")},
     RWL_CORRUPT,
     "has none for 'u'"},
    {"a struct whose field is of another kind",
     {&row_node, &numbers_codec, {ALL}, 0, 0, 0, 32, 1, BYTES("\0\0\0\0"), BYTES("\0\4")},
     RWL_CORRUPT,
     "packed struct, t: fixed values in a field of type string"},
    {"a struct cut in its number",
     {&row_node, &struct_codec, {ALL}, 0, 0, 0, 32, 1, BYTES("\1\0\0\0\1"), BYTES("\0\5")},
     RWL_CORRUPT,
     "a field of 2 bytes where 1 are left"},
    {"a struct cut in its text",
     {&row_node, &struct_codec, {ALL}, 0, 0, 0, 32, 1, BYTES("\7\0\0\0\1\2\2\0\0\0\0"), BYTES("\0\xb")},
     RWL_CORRUPT,
     "a field of 2 bytes where 5 are left"},
    {"a struct with more behind",
     {&row_node, &struct_codec, {ALL}, 0, 0, 0, 32, 1, BYTES("\7\0\0\0\1\2\0\0\0\0z"), BYTES("\0\xb")},
     RWL_CORRUPT,
     "1 bytes behind the last field"},
    {"a struct in a struct with fields of other widths",
     {&plain_node, &other_nested, {ALL}, 0, 0, 0, 32, 1, BYTES("\0\0\0\0"), BYTES("\0\4")},
     RWL_CORRUPT,
     "packed struct, s: packed struct, n: values of 1 bytes in a field of 16 bits"},
    {"a struct of fixed width where it varies",
     {&nested_node, &plain_nested, {ALL}, 0, 0, 0, 32, 1, BYTES("\0\0\0\0"), BYTES("\0\4")},
     RWL_UNSUPPORTED,
     "packed struct, t: a field of type string in a struct of fixed width"},
    {"a struct whose vector is of another size",
     {&vectors_node, &longer_vectors, {ALL}, 0, 0, 0, 32, 1, BYTES("\0\0\0\0"), BYTES("\0\4")},
     RWL_CORRUPT,
     "packed struct, v: fixed_size_list of 3, the schema has 2"},
    {"a struct whose vector has no room for validity",
     {&vectors_node, &narrow_vectors, {ALL}, 0, 0, 0, 32, 1, BYTES("\0\0\0\0"), BYTES("\0\4")},
     RWL_CORRUPT,
     "packed struct, v: values of 16 bits, 8 each, in a field of 24"},
};

START_TEST(wrong_pages_are_refused) {
    const struct wrong_case *c = &wrong_cases[_i];
    world w;
    rwl_status st = open_case(&w, &c->page, NULL);
    rwl_range all = {0, c->page.rows};
    if (st == RWL_OK)
        st = read_rows(&w, &all, 1);
    ck_assert_msg(st == c->status, "%s: %d %s", c->name, (int)st, w.err.message);
    ck_assert_msg(strstr(w.err.message, c->message) != NULL, "%s: %s", c->name, w.err.message);
    close_case(&w);
}
END_TEST

/* --- blobs --- */

/* Places of blobs in a full-zip page, 16 bytes a row; the "index" is where the bytes lie, at 16 * rows. */
static rwl_status open_blobs(world *w, const uint64_t (*places)[2], int64_t rows, const char *bytes,
                             uint8_t layer) {
    static const rwl_lance_layout inner = {.kind = RWL_LANCE_LAYOUT_FULL_ZIP,
                                           .layers = {ALL},
                                           .layer_count = 1,
                                           .values = &pair_codec,
                                           .bits_per_value = 128};
    static rwl_lance_layout outer;
    outer = (rwl_lance_layout){
        .kind = RWL_LANCE_LAYOUT_BLOB, .layers = {layer}, .layer_count = 1, .inner = &inner};
    uint8_t data[16 * 8];
    for (int64_t i = 0; i < rows; i++) {
        rwl_store_le64(data + 16 * i, places[i][0]);
        rwl_store_le64(data + 16 * i + 8, places[i][1]);
    }
    page_case c = {&text_node,          NULL,  {layer},      0, 0, 0, 0, rows, (const char *)data,
                   (size_t)(16 * rows), bytes, strlen(bytes)};
    return open_case(w, &c, &outer);
}

START_TEST(blobs_lie_where_their_places_say) {
    /* "hello" at 80; empty; null (level 1); "lo" at 83; null */
    static const uint64_t places[][2] = {{80, 5}, {0, 0}, {1 << 16, 0}, {83, 2}, {1 << 16, 0}};
    world w;
    ck_assert_msg(open_blobs(&w, places, 5, "hello", NULLABLE) == RWL_OK, "%s", w.err.message);
    int64_t fitting;
    rwl_range all = {0, 5}, some[] = {{1, 1}, {3, 2}}, first = {0, 2};
    ck_assert_int_eq(rwl_lance_page_fit(w.reader, &all, 1, 6, &fitting, &w.err), RWL_OK);
    ck_assert_int_eq(fitting, 3);
    ck_assert_int_eq(rwl_lance_page_fit(w.reader, &all, 1, 4, &fitting, &w.err), RWL_OK);
    ck_assert_int_eq(fitting, 1);
    ck_assert_msg(read_rows(&w, &first, 1) == RWL_OK, "%s", w.err.message);
    ck_assert_str_eq(show(&w.leaf), "0.0 0.0 | hello. .");
    ck_assert_msg(read_rows(&w, &all, 1) == RWL_OK, "%s", w.err.message);
    ck_assert_str_eq(show(&w.leaf), "0.0 0.0 0.1 0.0 0.1 | hello. . . lo. .");
    ck_assert_msg(read_rows(&w, some, 2) == RWL_OK, "%s", w.err.message);
    ck_assert_str_eq(show(&w.leaf), "0.0 0.0 0.1 | . lo. .");
    close_case(&w);
}
END_TEST

static const struct wrong_blob {
    uint64_t places[2][2];
    uint8_t layer;
    rwl_status status;
    const char *message;
} wrong_blobs[] = {
    {{{32, 6}}, NULLABLE, RWL_CORRUPT, "pass the file's end"},
    {{{UINT64_MAX, 1}}, NULLABLE, RWL_CORRUPT, "1 bytes at 18446744073709551615"},
    {{{0, UINT64_MAX}}, NULLABLE, RWL_CORRUPT, "18446744073709551615 bytes at 0"},
    {{{0, 1 << 30}, {0, 1}}, NULLABLE, RWL_UNSUPPORTED, "1073741825 bytes of blobs in 2 rows at once"},
    {{{2 << 16, 0}}, NULLABLE, RWL_CORRUPT, "definition level 2 of 1"},
    {{{1 << 16, 0}}, ALL, RWL_CORRUPT, "definition level 1 of 0"},
    {{{1, 0}}, NULLABLE, RWL_UNSUPPORTED, "blobs in lists"},
    {{{UINT64_C(1) << 32, 0}}, NULLABLE, RWL_CORRUPT, "levels 0x100000000"},
};

START_TEST(wrong_blobs_are_refused) {
    const struct wrong_blob *c = &wrong_blobs[_i];
    world w;
    ck_assert_int_eq(open_blobs(&w, c->places, 2, "hello", c->layer), RWL_OK);
    rwl_range all = {0, 2};
    rwl_status st = read_rows(&w, &all, 1);
    ck_assert_msg(st == c->status, "%d %s", (int)st, w.err.message);
    ck_assert_msg(strstr(w.err.message, c->message) != NULL, "%s", w.err.message);
    close_case(&w);
}
END_TEST

Suite *lancefile_page_zip_suite(void) {
    Suite *suite = suite_create("lancefile_page_zip");
    TCase *tc = tcase_create("all");
    rwl_env_init_default(&env);
    rwl_op_init(&op, &env, 0);
    tcase_add_loop_test(tc, rows_are_read, 0, sizeof read_cases / sizeof *read_cases);
    tcase_add_test(tc, values_that_grow_past_what_a_step_may_have_are_refused);
    tcase_add_test(tc, fields_that_grow_past_what_a_step_may_have_are_refused);
    tcase_add_test(tc, elements_of_vectors_may_be_null);
    tcase_add_test(tc, says_how_many_rows_are_so_many_bytes);
    tcase_add_test(tc, vectors_of_nulls_need_no_bytes);
    tcase_add_test(tc, vectors_in_vectors_are_of_nulls_where_their_value_is_null);
    tcase_add_test(tc, a_long_index_is_read_where_rows_are);
    tcase_add_loop_test(tc, wrong_pages_are_refused, 0, sizeof wrong_cases / sizeof *wrong_cases);
    tcase_add_test(tc, blobs_lie_where_their_places_say);
    tcase_add_loop_test(tc, wrong_blobs_are_refused, 0, sizeof wrong_blobs / sizeof *wrong_blobs);
    suite_add_tcase(suite, tc);
    return suite;
}
