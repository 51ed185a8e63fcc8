/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns put together from levels. Trees are written as text, levels counted by hand from "Layers" (an item one definition level, a
 * list two: null, empty; outward from the item).
 *
 *   i s n      int32, string, null            v X      vector of two X
 *   [X]        list                           <XY>     map
 *   {XY…}      struct of a, b, …              (XY…)    packed struct
 *   2[{X}]     list of two structs
 */
#include "lancefile/assemble.h"
#include "suites.h"

enum { LEAVES_MAX = 4, NODES_MAX = 16 };

static rwl_env env;
static rwl_error err;
static rwl_arena arena;

static void set_up(void) {
    rwl_env_init_default(&env);
    rwl_arena_init(&arena, &env, 0);
}
static void tear_down(void) {
    rwl_arena_clear(&arena);
}

/* --- trees --- */

static const char *const NAMES[] = {"a", "b", "c", "d"};

static void parse_node(const char **spec, int32_t *index, rwl_lance_node *out);

static void parse_children(const char **spec, char end, int32_t *index, rwl_lance_node *out) {
    rwl_lance_node *children = rwl_arena_array(&arena, LEAVES_MAX, sizeof *children);
    rwl_field *fields = rwl_arena_array(&arena, LEAVES_MAX, sizeof *fields);
    int32_t n = 0;
    for (; **spec != end; n++) {
        children[n].parent = out;
        parse_node(spec, index, &children[n]);
        children[n].field.name = NAMES[n];
        fields[n] = children[n].field;
    }
    ++*spec;
    out->children = children;
    out->child_count = n;
    out->field.type.children = fields;
    out->field.type.child_count = n;
}

static void parse_nested(char begin, const char **spec, int32_t *index, rwl_lance_node *out) {
    out->field.type = rwl_type_of(begin == '[' ? RWL_TYPE_LIST : RWL_TYPE_STRUCT);
    out->form = begin == '[' ? RWL_LANCE_LIST : begin == '{' ? RWL_LANCE_STRUCT : RWL_LANCE_PACKED;
    parse_children(spec, begin == '[' ? ']' : begin == '{' ? '}' : ')', index, out);
    for (int32_t i = 0; begin == '(' && i < out->child_count; i++) { /* int32 and vectors of two */
        rwl_lance_node *child = (rwl_lance_node *)&out->children[i];
        child->offset = out->bits;
        out->bits += child->form == RWL_LANCE_VECTOR ? 64 : 32;
    }
}

/* A map's child is the struct of entries; its type has key and value. */
static void parse_map(const char **spec, int32_t *index, rwl_lance_node *out) {
    rwl_lance_node *entries = rwl_arena_array(&arena, 1, sizeof *entries);
    entries->parent = out;
    entries->index = (*index)++;
    entries->form = RWL_LANCE_STRUCT;
    entries->field.name = "entries";
    entries->field.type = rwl_type_of(RWL_TYPE_STRUCT);
    parse_children(spec, '>', index, entries);
    out->form = RWL_LANCE_MAP;
    out->children = entries;
    out->child_count = 1;
    out->field.type = entries->field.type;
    out->field.type.kind = RWL_TYPE_MAP;
}

static void parse_vector(const char **spec, int32_t *index, rwl_lance_node *out) {
    rwl_lance_node *element = rwl_arena_array(&arena, 1, sizeof *element);
    rwl_field *field = rwl_arena_array(&arena, 1, sizeof *field);
    element->parent = out;
    parse_node(spec, index, element);
    *field = element->field;
    out->form = RWL_LANCE_VECTOR;
    out->dimension = 2;
    out->children = element;
    out->child_count = 1;
    out->field.type = rwl_type_of(RWL_TYPE_LIST);
    out->field.type.children = field;
    out->field.type.child_count = 1;
}

static void parse_node(const char **spec, int32_t *index, rwl_lance_node *out) {
    char c = *(*spec)++;
    out->index = (*index)++;
    out->field.name = "a";
    out->logical_type = "test";
    if (c == '2') {
        ++*spec;
        parse_nested('[', spec, index, out);
        out->dimension = 2;
    } else if (c == 'v') {
        parse_vector(spec, index, out);
    } else if (c == '<') {
        parse_map(spec, index, out);
    } else if (c == '[' || c == '{' || c == '(') {
        parse_nested(c, spec, index, out);
    } else {
        out->form = c == 'i' ? RWL_LANCE_FIXED : c == 's' ? RWL_LANCE_BYTES : RWL_LANCE_NULL;
        out->bits = c == 'i' ? 32 : 0;
        out->field.type = rwl_type_of(c == 'i'   ? RWL_TYPE_INT
                                      : c == 's' ? RWL_TYPE_STRING
                                                 : RWL_TYPE_UNKNOWN);
    }
}

/* --- leaves --- */

/* One character an entry ("" none), and an int32, text or validity bit. Absent: rep NULL. */
typedef struct leaf_case {
    const char *rep, *def;
    const char *values; /* digits; of null slots any */
    const char *items;  /* "1" valid, "0" null, for elements of vectors; NULL: all valid */
    int64_t rows;
} leaf_case;

static void fill_values(rwl_lance_leaf *leaf, const char *values) {
    for (const char *v = values; *v != '\0';) {
        uint8_t slot[64];
        int64_t per_slot = leaf->width_bits / 32;
        if (leaf->node->form == RWL_LANCE_NULL) {
            leaf->slots++;
            v++;
        } else if (leaf->width_bits == 0) {
            rwl_span text = rwl_span_of(v, *v == '.' ? 0 : 1);
            ck_assert_int_eq(rwl_lance_leaf_add_same(leaf, text, 1, &err), RWL_OK);
            v++;
        } else {
            for (int64_t k = 0; k < per_slot; k++)
                rwl_store_le32(slot + 4 * k, (uint32_t)(*v++ - '0'));
            ck_assert_int_eq(rwl_lance_leaf_add_fixed(leaf, slot, 0, 1, &err), RWL_OK);
        }
    }
}

static void fill_leaf(rwl_lance_leaf *leaf, const leaf_case *c) {
    rwl_lance_level_map map;
    memset(&map, 0, sizeof map);
    for (int i = 0; i < 2 * RWL_LANCE_LAYERS_MAX + 1; i++)
        map.full[i] = (uint16_t)i;
    map.level_count = leaf->layer_count + leaf->list_count + 1;
    map.max_rep = leaf->list_count;
    uint16_t rep[32], def[32];
    int64_t entries = (int64_t)(c->rep[0] != '\0' ? strlen(c->rep) : strlen(c->def));
    if (entries == 0) /* all valid, no lists */
        entries = c->rows;
    for (int64_t i = 0; i < entries; i++) {
        rep[i] = (uint16_t)(c->rep[0] != '\0' ? c->rep[i] - '0' : 0);
        def[i] = (uint16_t)(c->def[0] != '\0' ? c->def[i] - '0' : 0);
    }
    fill_values(leaf, c->values);
    if (c->items != NULL) {
        uint8_t bits[8] = {0};
        for (int64_t i = 0; c->items[i] != '\0'; i++)
            if (c->items[i] == '1')
                rwl_bit_set(bits, i);
        ck_assert_int_eq(rwl_lance_leaf_add_item_validity(leaf, 0, bits, 0, leaf->slots, &err), RWL_OK);
    }
    ck_assert_int_eq(rwl_lance_leaf_add_entries(leaf, &map, c->rep[0] != '\0' ? rep : NULL,
                                                c->def[0] != '\0' ? def : NULL, entries, c->rows, &err),
                     RWL_OK);
}

static bool is_leaf(const rwl_lance_node *node) {
    if (node->form == RWL_LANCE_STRUCT && node->child_count == 0)
        return true;
    return node->form != RWL_LANCE_STRUCT && node->form != RWL_LANCE_LIST && node->form != RWL_LANCE_MAP;
}

static void collect(const rwl_lance_node *node, const rwl_lance_node **leaves, int *count) {
    if (is_leaf(node))
        leaves[(*count)++] = node;
    for (int32_t i = 0; !is_leaf(node) && i < node->child_count; i++)
        collect(&node->children[i], leaves, count);
}

/* --- cases --- */

typedef struct assemble_case {
    const char *spec;
    leaf_case leaves[LEAVES_MAX]; /* depth first */
    int64_t rows;
    const char *expected; /* a row a line */
} assemble_case;

#define NO_LEAF                                                                                              \
    { NULL, NULL, NULL, NULL, 0 }

static const assemble_case CASES[] = {
    /* item 1, list 2 null 3 empty: [1, null], [], null, [2] */
    {"[i]", {{"10111", "01320", "1.2", NULL, 4}}, 4, "[1, null]\n[]\nnull\n[2]\n"},
    {"i", {{"", "", "123", NULL, 3}}, 3, "1\n2\n3\n"},
    {"i", {{"", "0101", "1929", NULL, 4}}, 4, "1\nnull\n2\nnull\n"},
    {"s", {{"", "010", "x.z", NULL, 3}}, 3, "\"x\"\nnull\n\"z\"\n"},
    {"n", {{"", "111", "...", NULL, 3}}, 3, "null\nnull\nnull\n"},
    /* field 1, struct 2 */
    {"{i}", {{"", "012", "199", NULL, 3}}, 3, "{\"a\": 1}\n{\"a\": null}\nnull\n"},
    {"{is}",
     {{"", "0120", "1993", NULL, 4}, {"", "1020", ".y.z", NULL, 4}},
     4,
     "{\"a\": 1, \"b\": null}\n{\"a\": null, \"b\": \"y\"}\nnull\n{\"a\": 3, \"b\": \"z\"}\n"},
    /* item 1, inner struct 2, outer 3 */
    {"{{i}i}",
     {{"", "0123", "1999", NULL, 4}, {"", "0002", "5679", NULL, 4}},
     4,
     "{\"a\": {\"a\": 1}, \"b\": 5}\n{\"a\": {\"a\": null}, \"b\": 6}\n{\"a\": null, \"b\": 7}\nnull\n"},
    /* a: item 1, struct 2, list 3 4; b: item 1, list 2 3, struct 4, list 5 6 */
    {"[{i[i]}]",
     {{"1000111", "0120430", "19934", NULL, 4}, {"20111222", "00243651", "129", NULL, 4}},
     4,
     "[{\"a\": 1, \"b\": [1, 2]}, {\"a\": null, \"b\": null}, null, {\"a\": 3, \"b\": []}]\n[]\nnull\n"
     "[{\"a\": 4, \"b\": [null]}]\n"},
    /* item 1, inner 2 3, outer 4 5 */
    {"[[i]]",
     {{"20111222", "00321450", "1293", NULL, 4}},
     4,
     "[[1, 2], [], null, [null]]\nnull\n[]\n[[3]]\n"},
    /* key 1, entries 2, map 3 4 */
    {"<si>",
     {{"10111", "00340", "xyz", NULL, 4}, {"10111", "01340", "193", NULL, 4}},
     4,
     "[[\"x\", 1], [\"y\", null]]\nnull\n[]\n[[\"z\", 3]]\n"},
    {"[i]", {{"111", "222", "", NULL, 3}}, 3, "null\nnull\nnull\n"},
    {"[i]", {{"111", "333", "", NULL, 3}}, 3, "[]\n[]\n[]\n"},
    {"[i]", {{"1101", "3002", "56", NULL, 3}}, 3, "[]\n[5, 6]\nnull\n"},
    {"[i]", {{"100", "", "567", NULL, 1}}, 1, "[5, 6, 7]\n"},
    /* item 1, list 2 3, struct 4 */
    {"{[i]}",
     {{"101111", "000324", "123", NULL, 5}},
     5,
     "{\"a\": [1, 2]}\n{\"a\": [3]}\n{\"a\": []}\n{\"a\": null}\nnull\n"},
    /* what a file does not have is null */
    {"i", {NO_LEAF}, 2, "null\nnull\n"},
    {"[i]", {NO_LEAF}, 2, "null\nnull\n"},
    {"{ii}", {NO_LEAF, NO_LEAF}, 2, "null\nnull\n"},
    {"{ii}", {NO_LEAF, {"", "02", "19", NULL, 2}}, 2, "{\"a\": null, \"b\": 1}\nnull\n"},
    {"[{i[s]}]",
     {{"10", "00", "12", NULL, 1}, NO_LEAF},
     1,
     "[{\"a\": 1, \"b\": null}, {\"a\": 2, \"b\": null}]\n"},
    /* vectors: no elements in null ones */
    {"vi", {{"", "010", "129934", NULL, 3}}, 3, "[1, 2]\nnull\n[3, 4]\n"},
    {"vi", {{"", "010", "129934", "100101", 3}}, 3, "[1, null]\nnull\n[null, 4]\n"},
    {"vi", {{"", "", "1234", "1101", 2}}, 2, "[1, 2]\n[null, 4]\n"},
    {"vvi", {{"", "", "12345678", NULL, 2}}, 2, "[[1, 2], [3, 4]]\n[[5, 6], [7, 8]]\n"},
    {"vvi", {{"", "010", "123499995678", "101100", 3}}, 3, "[[1, 2], null]\nnull\n[null, null]\n"},
    {"[vi]", {{"1011", "0103", "129934", NULL, 3}}, 3, "[[1, 2], null]\n[[3, 4]]\n[]\n"},
    /* item 1, struct 2, list 3: an entry a struct, no structs in null ones */
    {"2[{is}]",
     {{"", "013320", "199994", NULL, 6}, {"", "003320", "xy...z", NULL, 6}},
     3,
     "[{\"a\": 1, \"b\": \"x\"}, {\"a\": null, \"b\": \"y\"}]\nnull\n[null, {\"a\": 4, \"b\": \"z\"}]\n"},
    {"2[{i}]", {{"", "", "1234", NULL, 4}}, 2, "[{\"a\": 1}, {\"a\": 2}]\n[{\"a\": 3}, {\"a\": 4}]\n"},
    {"2[{i}]", {{"", "3333", "9999", NULL, 4}}, 2, "null\nnull\n"},
    {"2[(ii)]", {{"", "0122", "12999999", NULL, 4}}, 2, "[{\"a\": 1, \"b\": 2}, null]\nnull\n"},
    /* a: item 1, struct 2, list 3, struct 4; b: item 1, struct 2 */
    {"{2[{i}]i}",
     {{"", "00334421", "12999999", NULL, 8}, {"", "0021", "5699", NULL, 4}},
     4,
     "{\"a\": [{\"a\": 1}, {\"a\": 2}], \"b\": 5}\n{\"a\": null, \"b\": 6}\nnull\n"
     "{\"a\": [null, {\"a\": null}], \"b\": null}\n"},
    /* item 1, struct 2, list 3, struct 4, list 5 */
    {"2[{2[{i}]}]",
     {{"", "003355554420", "129999999993", NULL, 12}},
     3,
     "[{\"a\": [{\"a\": 1}, {\"a\": 2}]}, {\"a\": null}]\nnull\n[null, {\"a\": [null, {\"a\": 3}]}]\n"},
    /* structs without fields */
    {"{}", {{"", "", "", NULL, 2}}, 2, "{}\n{}\n"},
    {"{{}i}",
     {{"", "", "", NULL, 2}, {"", "01", "19", NULL, 2}},
     2,
     "{\"a\": {}, \"b\": 1}\n{\"a\": {}, \"b\": null}\n"},
    {"{{}}", {{"", "", "", NULL, 2}}, 2, "{\"a\": {}}\n{\"a\": {}}\n"},
    {"{{}}", {NO_LEAF}, 2, "null\nnull\n"},
    {"(ii)", {{"", "010", "129934", NULL, 3}}, 3, "{\"a\": 1, \"b\": 2}\nnull\n{\"a\": 3, \"b\": 4}\n"},
    {"(ivi)", {{"", "", "123456", NULL, 2}}, 2, "{\"a\": 1, \"b\": [2, 3]}\n{\"a\": 4, \"b\": [5, 6]}\n"},
};

typedef struct fault_case {
    const char *spec;
    leaf_case leaves[LEAVES_MAX];
    int64_t rows;
    const char *message;
} fault_case;

static const fault_case FAULTS[] = {
    {"i", {{"", "", "12", NULL, 2}}, 3, "levels of 2 values where 3 are expected"},
    {"i", {{"", "", "12", NULL, 3}}, 3, "2 values where levels tell of 3"},
    {"i", {{"", "010", "12", NULL, 3}}, 3, "2 values where levels tell of 3"},
    {"[i]",
     {{"011", "000", "123", NULL, 2}},
     2,
     "a value that continues a list which is null, empty or not begun"},
    {"[i]",
     {{"10", "20", "1", NULL, 1}},
     1,
     "a value that continues a list which is null, empty or not begun"},
    {"[i]",
     {{"10", "30", "1", NULL, 1}},
     1,
     "a value that continues a list which is null, empty or not begun"},
    {"[i]",
     {{"10", "02", "1", NULL, 1}},
     1,
     "a value that continues a list which is null, empty or not begun"},
    {"[i]", {{"11", "00", "1", NULL, 2}}, 2, "1 values where levels tell of 2"},
    {"[[i]]",
     {{"21", "40", "1", NULL, 1}},
     1,
     "a value that continues a list which is null, empty or not begun"},
    {"{ii}",
     {{"", "00", "12", NULL, 2}, {"", "02", "12", NULL, 2}},
     2,
     "b: columns of a struct differ in their levels"},
    {"[{ii}]",
     {{"10", "", "12", NULL, 2}, {"11", "", "12", NULL, 2}},
     1,
     "b: columns of a struct differ in their levels"},
    {"[{i[i]}]",
     {{"10", "", "12", NULL, 1}, {"2", "0", "1", NULL, 1}},
     1,
     "b: columns of a struct differ in their levels"},
    {"2[{i}]", {{"", "03", "19", NULL, 2}}, 1, "structs of a fixed-size list differ in the list's levels"},
    {"2[{i}]", {{"", "00", "12", NULL, 2}}, 2, "levels of 1 values where 2 are expected"},
    {"{2[{i}]i}",
     {{"", "00", "12", NULL, 2}, {"", "2", "9", NULL, 1}},
     1,
     "b: columns of a struct differ in their levels"},
    {"<si>", {{"10", "01", "x.", NULL, 1}, {"10", "00", "12", NULL, 1}}, 1, "a map with a null key"},
};

static rwl_status assemble(const char *spec, const leaf_case *cases, int64_t rows, rwl_column *out) {
    rwl_lance_node *top = rwl_arena_array(&arena, 1, sizeof *top);
    const rwl_lance_node *nodes[LEAVES_MAX];
    rwl_lance_leaf leaves[LEAVES_MAX];
    rwl_lance_leaf *by_index[NODES_MAX] = {NULL};
    int32_t index = 0;
    int count = 0;
    memset(leaves, 0, sizeof leaves);
    parse_node(&spec, &index, top);
    collect(top, nodes, &count);
    for (int i = 0; i < count; i++) {
        if (cases[i].rep == NULL)
            continue;
        ck_assert_int_eq(rwl_lance_leaf_init(&leaves[i], &env, nodes[i], &err), RWL_OK);
        fill_leaf(&leaves[i], &cases[i]);
        by_index[nodes[i]->index] = &leaves[i];
    }
    rwl_lance_assembler a;
    rwl_lance_assembler_init(&a, &env);
    ck_assert_int_eq(rwl_column_init(out, &env, &top->field.type, &err), RWL_OK);
    rwl_status st = rwl_lance_assemble(&a, top, by_index, rows, out, &err);
    rwl_lance_assembler_clear(&a);
    for (int i = 0; i < count; i++)
        rwl_lance_leaf_clear(&leaves[i]);
    return st;
}

START_TEST(puts_columns_together_from_levels) {
    const assemble_case *c = &CASES[_i];
    rwl_column out;
    rwl_buf text;
    rwl_buf_init(&text, &env, SIZE_MAX);
    rwl_status st = assemble(c->spec, c->leaves, c->rows, &out);
    ck_assert_msg(st == RWL_OK, "%s: %s", c->spec, err.message);
    ck_assert_int_eq(out.length, c->rows);
    for (int64_t i = 0; i < out.length; i++) {
        ck_assert_int_eq(rwl_column_format_json(&out, i, &text, &err), RWL_OK);
        ck_assert_int_eq(rwl_buf_u8(&text, '\n', &err), RWL_OK);
    }
    ck_assert_int_eq(rwl_buf_terminate(&text, &err), RWL_OK);
    ck_assert_msg(strcmp((char *)text.data, c->expected) == 0, "%s:\n%s", c->spec, (char *)text.data);
    rwl_buf_clear(&text);
    rwl_column_clear(&out, &env);
}
END_TEST

START_TEST(refuses_levels_that_contradict_each_other) {
    const fault_case *c = &FAULTS[_i];
    rwl_column out;
    rwl_status st = assemble(c->spec, c->leaves, c->rows, &out);
    ck_assert_msg(st == RWL_CORRUPT, "%s: %d", c->spec, (int)st);
    ck_assert_str_eq(err.message, c->message);
    rwl_column_clear(&out, &env);
}
END_TEST

START_TEST(null_slots_hold_zero_bytes) {
    static const leaf_case LEAF = {"", "0101", "1929", NULL, 4};
    rwl_column out;
    ck_assert_int_eq(assemble("i", &LEAF, 4, &out), RWL_OK);
    ck_assert_int_eq(rwl_column_i32(&out)[1], 0);
    ck_assert_int_eq(rwl_column_i32(&out)[3], 0);
    rwl_column_clear(&out, &env);
}
END_TEST

/* Validity is built in words: many rows, nulls in a pattern that no word repeats. */
START_TEST(finds_nulls_of_many_rows) {
    enum { ROWS = 1000 };
    const char *spec = "i";
    int32_t index = 0;
    rwl_lance_node top;
    memset(&top, 0, sizeof top);
    parse_node(&spec, &index, &top);
    rwl_lance_leaf leaf, *leaves[1] = {&leaf};
    rwl_lance_level_map map;
    memset(&map, 0, sizeof map);
    map.full[1] = 1;
    map.level_count = 2;
    static uint16_t def[ROWS];
    static uint32_t values[ROWS];
    for (int i = 0; i < ROWS; i++) {
        def[i] = i * i % 7 < 3; /* squares modulo 7 are 0, 1, 2, 4 */
        values[i] = (uint32_t)i;
    }
    ck_assert_int_eq(rwl_lance_leaf_init(&leaf, &env, &top, &err), RWL_OK);
    ck_assert_int_eq(rwl_lance_leaf_add_fixed(&leaf, (const uint8_t *)values, 0, ROWS, &err), RWL_OK);
    ck_assert_int_eq(rwl_lance_leaf_add_entries(&leaf, &map, NULL, def, ROWS, ROWS, &err), RWL_OK);
    rwl_lance_assembler a;
    rwl_lance_assembler_init(&a, &env);
    rwl_column out;
    rwl_column_init_flat(&out, &top.field.type);
    ck_assert_int_eq(rwl_lance_assemble(&a, &top, leaves, ROWS, &out, &err), RWL_OK);
    for (int i = 0; i < ROWS; i++) {
        ck_assert_msg(rwl_column_is_null(&out, i) == (def[i] != 0), "row %d", i);
        ck_assert_int_eq(rwl_column_i32(&out)[i], def[i] != 0 ? 0 : i);
    }
    rwl_column_clear(&out, &env);
    rwl_lance_assembler_clear(&a);
    rwl_lance_leaf_clear(&leaf);
}
END_TEST

Suite *lancefile_assemble_suite(void) {
    Suite *s = suite_create("lancefile_assemble");
    TCase *tc = tcase_create("assemble");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, puts_columns_together_from_levels, 0, sizeof CASES / sizeof *CASES);
    tcase_add_loop_test(tc, refuses_levels_that_contradict_each_other, 0, sizeof FAULTS / sizeof *FAULTS);
    tcase_add_test(tc, null_slots_hold_zero_bytes);
    tcase_add_test(tc, finds_nulls_of_many_rows);
    suite_add_tcase(s, tc);
    return s;
}
