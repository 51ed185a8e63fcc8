/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves: levels in one numbering, made only when needed; slots of every kind. */
#include "lancefile/leaf.h"
#include "suites.h"

static rwl_env env;
static rwl_lance_leaf leaf;
static rwl_error error;

static void set_up(void) {
    rwl_env_init_default(&env);
    memset(&leaf, 0, sizeof leaf);
    memset(&error, 0, sizeof error);
}
static void tear_down(void) {
    rwl_lance_leaf_clear(&leaf);
}

#define OK(expr)                                                                                             \
    do {                                                                                                     \
        rwl_status ok_st_ = (expr);                                                                          \
        ck_assert_msg(ok_st_ == RWL_OK, "%s: %s", #expr, error.message);                                     \
    } while (0)

static const rwl_lance_node LIST = {.form = RWL_LANCE_LIST};
static const rwl_lance_node STRUCT_IN_LIST = {.form = RWL_LANCE_STRUCT, .parent = &LIST};
static const rwl_lance_node INT32 = {.form = RWL_LANCE_FIXED, .bits = 32};
static const rwl_lance_node INT32_IN_LIST = {.form = RWL_LANCE_FIXED, .bits = 32, .parent = &LIST};
static const rwl_lance_node INT32_IN_STRUCT = {
    .form = RWL_LANCE_FIXED, .bits = 32, .parent = &STRUCT_IN_LIST};
static const rwl_lance_node BOOLEAN = {.form = RWL_LANCE_FIXED, .bits = 1};
static const rwl_lance_node TEXT = {.form = RWL_LANCE_BYTES};
static const rwl_lance_node NOTHING = {.form = RWL_LANCE_NULL};
static const rwl_lance_node PAIR = {
    .form = RWL_LANCE_VECTOR, .dimension = 2, .children = &INT32, .child_count = 1};
static const rwl_lance_node PAIRS = {
    .form = RWL_LANCE_VECTOR, .dimension = 3, .children = &PAIR, .child_count = 1};
static const rwl_lance_node BITS = {
    .form = RWL_LANCE_VECTOR, .dimension = 3, .children = &BOOLEAN, .child_count = 1};

static rwl_lance_layout layout_of(const char *layers) {
    rwl_lance_layout layout = {.kind = RWL_LANCE_LAYOUT_MINI_BLOCK};
    for (; layers[layout.layer_count] != 0; layout.layer_count++)
        layout.layers[layout.layer_count] = (uint8_t)(layers[layout.layer_count] - '0');
    return layout;
}

static rwl_lance_level_map map_of(const char *layers) {
    rwl_lance_level_map map;
    rwl_lance_layout layout = layout_of(layers);
    rwl_lance_level_map_make(&layout, &map);
    return map;
}

static void check_levels(const rwl_lance_levels *levels, const char *want) {
    ck_assert_int_eq(levels->count, (int64_t)strlen(want));
    for (int64_t i = 0; i < levels->count; i++)
        ck_assert_msg(levels->items[i] == want[i] - '0', "level %d is %u, not %c", (int)i, levels->items[i],
                      want[i]);
}

/* Layers: 1 item, 3 item?, 2 list, 4 list?, 5 list0, 6 list?0. Of each page's own levels the full ones: an item layer counts one (null), a
 * list two (null, empty), from the inside: item 1, struct 2, list 3 and 4. */
START_TEST(levels_of_every_page_become_those_of_all_layers) {
    static const struct {
        const char *layers;
        const uint16_t def[5];
        int count;
        const char *want; /* after those before */
    } PAGES[] = {
        {"112", {0, 0}, 2, ""},
        {"336", {0, 1, 2, 3, 4}, 5, "0001234"},
        {"314", {0, 1, 2}, 3, "0001234013"},
        {"135", {1, 2, 0}, 3, "0001234013240"},
        {"112", {0}, 1, "00012340132400"},
    };
    OK(rwl_lance_leaf_init(&leaf, &env, &INT32_IN_STRUCT, &error));
    ck_assert_int_eq(leaf.layer_count, 3);
    ck_assert_int_eq(leaf.list_count, 1);
    for (size_t i = 0; i < sizeof PAGES / sizeof PAGES[0]; i++) {
        static const uint16_t rep[5] = {1, 1, 1, 1, 1};
        rwl_lance_layout layout = layout_of(PAGES[i].layers);
        rwl_lance_level_map map = map_of(PAGES[i].layers);
        OK(rwl_lance_leaf_check_layers(&leaf, &layout, &error));
        OK(rwl_lance_leaf_add_entries(&leaf, &map, rep, i == 0 ? NULL : PAGES[i].def, PAGES[i].count,
                                      PAGES[i].count, &error));
        check_levels(&leaf.def, PAGES[i].want);
    }
    ck_assert_int_eq(leaf.entries, 14);
    ck_assert_int_eq(leaf.rows, 14);
    check_levels(&leaf.rep, "11111111111111");
}
END_TEST

/* list<int32?>?: [1, null], [], null, [2] */
START_TEST(levels_of_the_documented_list) {
    static const uint16_t rep[] = {1, 0, 1, 1, 1}, def[] = {0, 1, 3, 2, 0};
    rwl_lance_level_map map = map_of("36");
    OK(rwl_lance_leaf_init(&leaf, &env, &INT32_IN_LIST, &error));
    ck_assert_int_eq(map.max_visible, 1);
    OK(rwl_lance_leaf_add_entries(&leaf, &map, rep, def, 5, 4, &error));
    check_levels(&leaf.rep, "10111");
    check_levels(&leaf.def, "01320");
    /* without repetition levels every entry is a row */
    OK(rwl_lance_leaf_add_entries(&leaf, &map, NULL, NULL, 2, 2, &error));
    check_levels(&leaf.rep, "1011111");
    check_levels(&leaf.def, "0132000");
    rwl_lance_leaf_reset(&leaf);
    ck_assert_int_eq(leaf.rep.count + leaf.def.count + leaf.entries + leaf.rows, 0);
}
END_TEST

START_TEST(definition_levels_come_with_the_first_null) {
    static const uint16_t all[3] = {0}, some[3] = {0, 1, 0};
    rwl_lance_level_map map = map_of("3");
    OK(rwl_lance_leaf_init(&leaf, &env, &INT32, &error));
    OK(rwl_lance_leaf_add_entries(&leaf, &map, NULL, all, 3, 3, &error));
    OK(rwl_lance_leaf_add_entries(&leaf, &map, NULL, NULL, 2, 2, &error));
    ck_assert_int_eq(leaf.def.count, 0);
    ck_assert_int_eq(leaf.rep.count, 0);
    OK(rwl_lance_leaf_add_entries(&leaf, &map, NULL, some, 3, 3, &error));
    check_levels(&leaf.def, "00000010");
    OK(rwl_lance_leaf_add_entries(&leaf, &map, NULL, all, 1, 1, &error));
    check_levels(&leaf.def, "000000100");
}
END_TEST

START_TEST(rejects_levels_that_the_layers_do_not_have) {
    static const uint16_t two[] = {0, 2}, one[] = {1, 0};
    rwl_lance_level_map map = map_of("3"), flat = map_of("1"), list = map_of("12");
    OK(rwl_lance_leaf_init(&leaf, &env, &INT32, &error));
    ck_assert_int_eq(rwl_lance_leaf_add_entries(&leaf, &map, NULL, two, 2, 2, &error), RWL_CORRUPT);
    ck_assert_int_eq(rwl_lance_leaf_add_entries(&leaf, &flat, NULL, one, 2, 2, &error), RWL_CORRUPT);
    rwl_lance_leaf_clear(&leaf);
    OK(rwl_lance_leaf_init(&leaf, &env, &INT32_IN_LIST, &error));
    ck_assert_int_eq(rwl_lance_leaf_add_entries(&leaf, &list, two, NULL, 2, 1, &error), RWL_CORRUPT);
    static const char *const WRONG[] = {"1", "11", "21", "112"};
    for (int i = 0; i < 4; i++) {
        rwl_lance_layout layout = layout_of(WRONG[i]);
        ck_assert_int_eq(rwl_lance_leaf_check_layers(&leaf, &layout, &error), RWL_CORRUPT);
    }
}
END_TEST

START_TEST(fixed_slots_are_appended_side_by_side) {
    static const uint32_t values[] = {1, 2, 3, 4};
    OK(rwl_lance_leaf_init(&leaf, &env, &INT32, &error));
    OK(rwl_lance_leaf_add_fixed(&leaf, (const uint8_t *)values, 1, 3, &error));
    OK(rwl_lance_leaf_add_same(&leaf, rwl_span_of(values, 4), 2, &error));
    OK(rwl_lance_leaf_add_same(&leaf, rwl_span_of(NULL, 0), 1, &error));
    uint8_t *out = NULL;
    OK(rwl_lance_leaf_reserve(&leaf, 1, &out, &error));
    ck_assert_ptr_eq(out, leaf.values.values.data + 24);
    ck_assert_uint_ge(leaf.values.values.cap, 28 + 1024 * 4);
    static const uint32_t want[] = {2, 3, 4, 1, 1, 0};
    ck_assert_int_eq(leaf.slots, 6);
    ck_assert_mem_eq(leaf.values.values.data, want, sizeof want);
    ck_assert_int_eq(rwl_lance_leaf_add_same(&leaf, rwl_span_of(values, 3), 2, &error), RWL_CORRUPT);
    ck_assert_int_eq(rwl_lance_leaf_reserve(&leaf, INT64_C(1) << 29, &out, &error), RWL_UNSUPPORTED);
    ck_assert_int_eq(rwl_lance_leaf_reserve(&leaf, INT32_MAX, &out, &error), RWL_UNSUPPORTED);
}
END_TEST

START_TEST(single_bits_are_appended_anywhere) {
    static const uint8_t bits[] = {0xB5, 0x01}; /* 1 0 1 0 1 1 0 1  1 0 */
    uint8_t *out = NULL;
    OK(rwl_lance_leaf_init(&leaf, &env, &BOOLEAN, &error));
    OK(rwl_lance_leaf_add_fixed(&leaf, bits, 2, 7, &error)); /* 1 0 1 1 0 1 1 */
    OK(rwl_lance_leaf_reserve(&leaf, 1, &out, &error));
    ck_assert_ptr_null(out);
    OK(rwl_lance_leaf_add_same(&leaf, rwl_span_of("\1", 1), 1, &error));
    OK(rwl_lance_leaf_reserve(&leaf, 1, &out, &error));
    ck_assert_ptr_nonnull(out);
    OK(rwl_lance_leaf_add_same(&leaf, rwl_span_of(NULL, 0), 2, &error));
    OK(rwl_lance_leaf_add_fixed(&leaf, bits, 0, 3, &error));
    ck_assert_uint_eq(leaf.values.values.data[0], 0xED);        /* 1 0 1 1 0 1 1 1 */
    ck_assert_uint_eq(leaf.values.values.data[1] & 0x1F, 0x14); /* 0 0 1 0 1 */
}
END_TEST

START_TEST(bits_of_vectors_need_not_fill_bytes) {
    static const uint8_t bits[] = {0xE5}; /* 1 0 1 · 0 0 1 */
    OK(rwl_lance_leaf_init(&leaf, &env, &BITS, &error));
    ck_assert_int_eq(leaf.width_bits, 3);
    OK(rwl_lance_leaf_add_fixed(&leaf, bits, 0, 2, &error));
    OK(rwl_lance_leaf_add_same(&leaf, rwl_span_of("\3", 1), 2, &error)); /* 1 1 0 · 1 1 0 */
    ck_assert_uint_eq(leaf.values.values.data[0], 0xE5);                 /* 101 001 11 */
    ck_assert_uint_eq(leaf.values.values.data[1] & 0xF, 0x6);            /* 0 110 */
}
END_TEST

START_TEST(bytes_are_appended_with_their_offsets) {
    rwl_type type = rwl_type_of(RWL_TYPE_STRING);
    rwl_column c;
    rwl_column_init_flat(&c, &type);
    static const char *const TEXTS[] = {"a", "", "bcd", "ef"};
    for (int i = 0; i < 4; i++) {
        rwl_value v = rwl_value_null(RWL_TYPE_STRING);
        v.is_null = false;
        v.as.bytes = rwl_span_str(TEXTS[i]);
        OK(rwl_column_append(&c, &env, &v, 1, &error));
    }
    OK(rwl_lance_leaf_init(&leaf, &env, &TEXT, &error));
    OK(rwl_lance_leaf_add_bytes(&leaf, &c, 1, 3, &error));
    OK(rwl_lance_leaf_add_same(&leaf, rwl_span_str("xy"), 2, &error));
    OK(rwl_lance_leaf_add_same(&leaf, rwl_span_of(NULL, 0), 1, &error));
    OK(rwl_lance_leaf_add_bytes(&leaf, &c, 0, 1, &error));
    static const char *const WANT[] = {"", "bcd", "ef", "xy", "xy", "", "a"};
    ck_assert_int_eq(leaf.slots, 7);
    ck_assert_int_eq(leaf.values.length, 7);
    for (int i = 0; i < 7; i++)
        ck_assert(rwl_span_equal(rwl_column_bytes(&leaf.values, i), rwl_span_str(WANT[i])));
    rwl_column_clear(&c, &env);
}
END_TEST

START_TEST(element_validity_is_made_with_the_first_null) {
    static const uint32_t values[12] = {0};
    static const uint8_t outer[] = {0x35}, inner[] = {0xEF, 0xFF};
    OK(rwl_lance_leaf_init(&leaf, &env, &PAIRS, &error));
    ck_assert_int_eq(leaf.width_bits, 192);
    ck_assert_int_eq(rwl_lance_leaf_items(&leaf, 0), 3);
    ck_assert_int_eq(rwl_lance_leaf_items(&leaf, 1), 6);
    ck_assert_int_eq(rwl_lance_leaf_items(&leaf, 2), 0);
    OK(rwl_lance_leaf_add_fixed(&leaf, (const uint8_t *)values, 0, 2, &error));
    OK(rwl_lance_leaf_add_item_validity(&leaf, 0, NULL, 0, 2, &error));
    ck_assert(!leaf.item_validity[0].has_nulls);
    OK(rwl_lance_leaf_add_same(&leaf, rwl_span_of(NULL, 0), 1, &error));
    OK(rwl_lance_leaf_add_item_validity(&leaf, 0, outer, 1, 1, &error)); /* 0 1 0 */
    OK(rwl_lance_leaf_add_item_validity(&leaf, 1, inner, 2, 1, &error)); /* 1 1 0 1 1 1 */
    ck_assert(leaf.item_validity[0].has_nulls && leaf.item_validity[1].has_nulls);
    OK(rwl_lance_leaf_add_same(&leaf, rwl_span_of(NULL, 0), 1, &error)); /* says nothing: valid */
    static const uint8_t want_outer[] = {0xBF, 0x0E};                    /* 6 valid, 0 1 0, 3 valid */
    static const uint8_t want_inner[] = {0xFF, 0xBF, 0xFF};              /* 12 valid, 1 1 0 1 1 1, 6 valid */
    ck_assert_uint_eq(leaf.item_validity[0].bits.data[0], want_outer[0]);
    ck_assert_uint_eq(leaf.item_validity[0].bits.data[1] & 0xF, want_outer[1]);
    ck_assert_mem_eq(leaf.item_validity[1].bits.data, want_inner, 3);
    ck_assert_int_eq(rwl_lance_leaf_add_item_validity(&leaf, 2, inner, 0, 1, &error), RWL_INTERNAL);
}
END_TEST

START_TEST(a_field_of_type_null_only_counts) {
    rwl_lance_level_map map = map_of("3");
    static const uint16_t nulls[] = {1, 1};
    OK(rwl_lance_leaf_init(&leaf, &env, &NOTHING, &error));
    OK(rwl_lance_leaf_add_same(&leaf, rwl_span_of(NULL, 0), 2, &error));
    OK(rwl_lance_leaf_add_entries(&leaf, &map, NULL, nulls, 2, 2, &error));
    ck_assert_int_eq(leaf.slots, 2);
    check_levels(&leaf.def, "11");
}
END_TEST

START_TEST(refuses_slots_that_can_not_be) {
    rwl_lance_node wide = {
        .form = RWL_LANCE_VECTOR, .dimension = INT32_MAX, .children = &PAIRS, .child_count = 1};
    ck_assert_int_eq(rwl_lance_leaf_init(&leaf, &env, &wide, &error), RWL_UNSUPPORTED);
    rwl_lance_node empty = {.form = RWL_LANCE_VECTOR, .children = &PAIRS, .child_count = 1};
    ck_assert_int_eq(rwl_lance_leaf_init(&leaf, &env, &empty, &error), RWL_UNSUPPORTED);
    rwl_lance_node text[] = {TEXT};
    text[0].logical_type = "string";
    rwl_lance_node texts = {.form = RWL_LANCE_VECTOR, .dimension = 2, .children = text, .child_count = 1};
    ck_assert_int_eq(rwl_lance_leaf_init(&leaf, &env, &texts, &error), RWL_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.message, "string"));
    rwl_lance_node packed = {.form = RWL_LANCE_PACKED, .children = text, .child_count = 1};
    OK(rwl_lance_leaf_init(&leaf, &env, &packed, &error)); /* rows of bytes */
    ck_assert(rwl_lance_leaf_is_bytes(&leaf));
    rwl_lance_node list = {.form = RWL_LANCE_LIST},
                   one = {.form = RWL_LANCE_LIST, .dimension = 1, .parent = &list};
    rwl_lance_node item = {.form = RWL_LANCE_FIXED, .bits = 8, .parent = &one};
    ck_assert_int_eq(rwl_lance_leaf_init(&leaf, &env, &item, &error), RWL_UNSUPPORTED);
    rwl_lance_node nested[RWL_LANCE_VECTOR_DEPTH_MAX + 1];
    for (int i = 0; i <= RWL_LANCE_VECTOR_DEPTH_MAX; i++)
        nested[i] = (rwl_lance_node){.form = RWL_LANCE_VECTOR,
                                     .dimension = 1,
                                     .children = i == 0 ? &INT32 : &nested[i - 1],
                                     .child_count = 1};
    ck_assert_int_eq(rwl_lance_leaf_init(&leaf, &env, &nested[RWL_LANCE_VECTOR_DEPTH_MAX], &error),
                     RWL_UNSUPPORTED);
    OK(rwl_lance_leaf_init(&leaf, &env, &nested[RWL_LANCE_VECTOR_DEPTH_MAX - 2], &error));
    ck_assert_int_eq(leaf.width_bits, 32);
}
END_TEST

/* Buffers have a multiple of 64 bytes: 1,000 need 1,024, then 2,000 need 2,048 beside the 1,024 that are copied. */
START_TEST(values_are_charged_before_they_grow) {
    static const uint8_t BYTES[1000];
    rwl_op op;
    rwl_op_init(&op, &env, 3000);
    rwl_lance_charge charge = {&op, 0};
    rwl_column batch;
    rwl_type type = rwl_type_of(RWL_TYPE_STRING);
    bool fits;
    rwl_column_init_flat(&batch, &type);
    OK(rwl_lance_leaf_init(&leaf, &env, &TEXT, &error));
    leaf.charge = &charge;
    OK(rwl_lance_leaf_add_same(&leaf, rwl_span_of(BYTES, 1000), 1, &error));
    ck_assert_int_eq(charge.bytes, 1024);
    ck_assert_int_eq(rwl_lance_leaf_add_same(&leaf, rwl_span_of(BYTES, 1000), 1, &error), RWL_UNSUPPORTED);
    ck_assert(strstr(error.message, "values of a batch needs 2000 bytes beside 1024 in use") != NULL);
    ck_assert_int_eq(atomic_load(&op.memory_used), 1024);
    op.memory_limit = 4000;
    OK(rwl_lance_leaf_add_same(&leaf, rwl_span_of(BYTES, 1000), 1, &error));
    ck_assert_int_eq(atomic_load(&op.memory_used), 2048);
    /* given on, the buffer counts with the batch; over the budget it goes */
    rwl_column_swap(&batch, &leaf.values);
    OK(rwl_lance_charge_batch(&charge, 0, &batch, &fits, &error));
    ck_assert(fits && charge.bytes == 2048);
    op.memory_limit = 1000;
    rwl_lance_charge_clear(&charge);
    OK(rwl_lance_charge_batch(&charge, 0, &batch, &fits, &error));
    ck_assert(!fits && batch.values.cap == 0);
    ck_assert_int_eq(atomic_load(&op.memory_used), 0);
}
END_TEST

Suite *lancefile_leaf_suite(void) {
    Suite *suite = suite_create("lancefile_leaf");
    TCase *cases = tcase_create("leaf");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, levels_of_every_page_become_those_of_all_layers);
    tcase_add_test(cases, levels_of_the_documented_list);
    tcase_add_test(cases, definition_levels_come_with_the_first_null);
    tcase_add_test(cases, rejects_levels_that_the_layers_do_not_have);
    tcase_add_test(cases, fixed_slots_are_appended_side_by_side);
    tcase_add_test(cases, single_bits_are_appended_anywhere);
    tcase_add_test(cases, bits_of_vectors_need_not_fill_bytes);
    tcase_add_test(cases, bytes_are_appended_with_their_offsets);
    tcase_add_test(cases, element_validity_is_made_with_the_first_null);
    tcase_add_test(cases, a_field_of_type_null_only_counts);
    tcase_add_test(cases, refuses_slots_that_can_not_be);
    tcase_add_test(cases, values_are_charged_before_they_grow);
    suite_add_tcase(suite, cases);
    return suite;
}
