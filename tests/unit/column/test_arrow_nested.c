/* SPDX-License-Identifier: Apache-2.0 */
/* Nested types, extensions and foreign formats through the Arrow C interface. */
#include "column/arrow.h"
#include "nested.h"

#include <stdio.h>

static rwl_env env;
static rwl_arena arena;
static void setup(void) {
    rwl_env_init_default(&env);
    rwl_arena_init(&arena, &env, 0);
}
static void teardown(void) {
    rwl_arena_clear(&arena);
}

enum { N = 300 };

static void expect_cells(const rwl_type *type, const struct ArrowArray *child, char **want, int64_t from) {
    rwl_buf out;
    rwl_buf_init(&out, &env, SIZE_MAX);
    for (int64_t i = 0; i < child->length; i++) {
        rwl_buf_reset(&out);
        OK(rwl_arrow_format_json(type, child, i, &out, err));
        OK(rwl_buf_terminate(&out, err));
        ck_assert_str_eq((const char *)out.data, want[from + i]);
    }
    rwl_buf_clear(&out);
}

/* The same rows, whole and cut in the struct or in each column. */
START_TEST(nested_batches_go_out_and_come_back) {
    for (int null_every = 0; null_every <= 4; null_every += 4) {
        rwl_batch b, back;
        uint64_t seed = 8;
        char **texts[8];
        struct ArrowSchema schema;
        struct ArrowArray array;
        OK(rwl_batch_init(&b, &env, NESTED, NESTED_COUNT, err));
        OK(rwl_arrow_export_schema(&env, NESTED, NESTED_COUNT, &schema, err));
        rwl_field *fields;
        int32_t count;
        OK(rwl_arrow_import_schema(&schema, &arena, &fields, &count, err));
        ck_assert_int_eq(count, NESTED_COUNT);
        for (int c = 0; c < NESTED_COUNT; c++) {
            ck_assert(rwl_type_equal(&fields[c].type, &NESTED[c].type)); /* names and ids too */
            for (int i = 0; i < N; i++)
                append_random(&b.columns[c], &env, null_every, &seed);
            texts[c] = texts_of(&b.columns[c], &env);
        }
        b.length = N;
        OK(rwl_batch_init(&back, &env, fields, count, err));
        OK(rwl_arrow_export_batch(&b, &array, err));
        ck_assert_int_eq(rwl_batch_bytes(&b), 0);
        for (int cut = 0; cut < 3; cut++) {
            int64_t first = cut == 0 ? 0 : 29 * cut;
            array.offset = cut == 1 ? first : 0;
            array.length = N - first;
            for (int c = 0; c < NESTED_COUNT; c++) {
                array.children[c]->offset = cut == 2 ? first : 0;
                array.children[c]->length = N - array.children[c]->offset;
                expect_cells(&NESTED[c].type, array.children[c], texts[c], array.children[c]->offset);
            }
            OK(rwl_arrow_import_batch(&schema, &array, &back, err));
            for (int c = 0; c < NESTED_COUNT; c++) {
                char **have = texts_of(&back.columns[c], &env);
                for (int64_t i = 0; i < back.length; i++)
                    ck_assert_str_eq(have[i], texts[c][first + i]);
                free_texts(have, back.length);
            }
        }
        for (int c = 0; c < NESTED_COUNT; c++) {
            free_texts(texts[c], N);
            append_random(&b.columns[c], &env, 0, &seed); /* the emptied batch can be used again */
        }
        array.release(&array);
        schema.release(&schema);
        rwl_batch_clear(&b);
        rwl_batch_clear(&back);
    }
}
END_TEST

START_TEST(a_child_of_a_list_may_outlive_it) {
    rwl_batch b;
    uint64_t seed = 8;
    struct ArrowArray array;
    OK(rwl_batch_init(&b, &env, &NESTED[3], 1, err));
    for (int i = 0; i < 20; i++)
        append_random(&b.columns[0], &env, 0, &seed);
    b.length = 20;
    OK(rwl_arrow_export_batch(&b, &array, err));
    struct ArrowArray element = *array.children[0]->children[0];
    array.children[0]->children[0]->release = NULL; /* moved */
    array.release(&array);
    ck_assert_int_eq(element.n_children, 2);
    ck_assert_int_eq(element.length, element.children[0]->length);
    element.release(&element);
    rwl_batch_clear(&b);
}
END_TEST

START_TEST(a_batch_whose_children_do_not_fit_stays_as_it_was) {
    rwl_batch b;
    uint64_t seed = 8;
    struct ArrowArray array;
    rwl_error fault = {0};
    OK(rwl_batch_init(&b, &env, NESTED, 2, err));
    append_random(&b.columns[0], &env, 0, &seed);
    append_random(&b.columns[1], &env, 0, &seed);
    b.length = 1;
    append_random(&b.columns[1].children[0], &env, 0, &seed); /* an element of no list */
    ck_assert_int_eq(rwl_arrow_export_batch(&b, &array, &fault), RWL_INTERNAL);
    ck_assert(array.release == NULL);
    ck_assert_int_eq(b.columns[0].length, 1);
    ck_assert_int_gt(rwl_batch_bytes(&b), 0);
    rwl_batch_clear(&b);
}
END_TEST

/* --- schemas --- */

/* The value of a key in a column's metadata. */
static rwl_span metadata_of(const struct ArrowSchema *s, const char *key) {
    int32_t pairs = 0;
    const char *p = s->metadata;
    if (p != NULL) {
        memcpy(&pairs, p, 4);
        p += 4;
    }
    for (int32_t i = 0; i < pairs; i++) {
        rwl_span texts[2];
        for (int k = 0; k < 2; k++) {
            int32_t len;
            memcpy(&len, p, 4);
            texts[k] = rwl_span_of(p + 4, (size_t)len);
            p += 4 + len;
        }
        if (rwl_span_equal(texts[0], rwl_span_str(key)))
            return texts[1];
    }
    return rwl_span_of(NULL, 0);
}

static void expect_metadata(const struct ArrowSchema *s, const char *key, const char *want) {
    rwl_span have = metadata_of(s, key);
    ck_assert_msg(rwl_span_equal(have, rwl_span_str(want)), "%s: %.*s, expected %s", key, (int)have.len,
                  have.len > 0 ? (const char *)have.data : "", want);
}

START_TEST(exports_nested_schemas_of_the_specification) {
    struct ArrowSchema s;
    OK(rwl_arrow_export_schema(&env, NESTED, NESTED_COUNT, &s, err));
    const struct ArrowSchema *map = s.children[2];
    ck_assert_str_eq(s.children[0]->format, "+s");
    ck_assert_str_eq(s.children[1]->format, "+l");
    ck_assert_str_eq(s.children[1]->children[0]->name, "element");
    ck_assert_int_eq(s.children[1]->children[0]->flags, ARROW_FLAG_NULLABLE);
    expect_metadata(s.children[1]->children[0], "PARQUET:field_id", "13");
    ck_assert_str_eq(map->format, "+m");
    ck_assert_str_eq(map->children[0]->format, "+s");
    ck_assert_str_eq(map->children[0]->name, "entries");
    ck_assert_int_eq(map->children[0]->flags, 0);
    ck_assert_str_eq(map->children[0]->children[0]->name, "key");
    ck_assert_int_eq(map->children[0]->children[0]->flags, 0);
    ck_assert_int_eq(map->children[0]->children[1]->flags, ARROW_FLAG_NULLABLE);
    expect_metadata(map->children[0]->children[1], "PARQUET:field_id", "15");
    const struct ArrowSchema *variant = s.children[7]->children[0];
    ck_assert_str_eq(variant->format, "+s");
    ck_assert_str_eq(variant->children[0]->name, "metadata");
    ck_assert_str_eq(variant->children[0]->format, "z");
    ck_assert_str_eq(variant->children[1]->name, "value");
    expect_metadata(variant, "ARROW:extension:name", "arrow.parquet.variant");
    s.release(&s);
}
END_TEST

START_TEST(geometries_carry_their_crs) {
    static const struct {
        rwl_type_kind kind;
        const char *parameters, *metadata, *back;
    } CASES[] = {
        {RWL_TYPE_GEOMETRY, NULL, "{\"crs\":\"OGC:CRS84\",\"crs_type\":\"authority_code\"}", NULL},
        {RWL_TYPE_GEOMETRY, "OGC:CRS84", "{\"crs\":\"OGC:CRS84\",\"crs_type\":\"authority_code\"}", NULL},
        {RWL_TYPE_GEOMETRY, "EPSG:3857", "{\"crs\":\"EPSG:3857\",\"crs_type\":\"authority_code\"}",
         "EPSG:3857"},
        {RWL_TYPE_GEOMETRY, "srid:4326", "{\"crs\":\"4326\",\"crs_type\":\"srid\"}", "srid:4326"},
        {RWL_TYPE_GEOMETRY, "my \"crs\"", "{\"crs\":\"my \\\"crs\\\"\"}", "my \"crs\""},
        {RWL_TYPE_GEOGRAPHY, NULL,
         "{\"crs\":\"OGC:CRS84\",\"crs_type\":\"authority_code\",\"edges\":\"spherical\"}", NULL},
        {RWL_TYPE_GEOGRAPHY, "EPSG:4269, karney",
         "{\"crs\":\"EPSG:4269\",\"crs_type\":\"authority_code\",\"edges\":\"karney\"}", "EPSG:4269, karney"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        rwl_field f = {
            .name = "g", .id = 3, .type = {.kind = CASES[i].kind, .parameters = CASES[i].parameters}};
        struct ArrowSchema s;
        OK(rwl_arrow_export_schema(&env, &f, 1, &s, err));
        ck_assert_str_eq(s.children[0]->format, "z");
        expect_metadata(s.children[0], "ARROW:extension:name", "geoarrow.wkb");
        expect_metadata(s.children[0], "ARROW:extension:metadata", CASES[i].metadata);
        rwl_field *back;
        int32_t count;
        OK(rwl_arrow_import_schema(&s, &arena, &back, &count, err));
        ck_assert_int_eq(back[0].type.kind, CASES[i].kind);
        if (CASES[i].back == NULL)
            ck_assert_ptr_null(back[0].type.parameters);
        else
            ck_assert_str_eq(back[0].type.parameters, CASES[i].back);
        s.release(&s);
    }
}
END_TEST

/* --- arrays of others, made by hand --- */

static void release_nothing(struct ArrowArray *a) {
    a->release = NULL;
}
static void release_no_schema(struct ArrowSchema *s) {
    s->release = NULL;
}

enum { NODES = 8, PARTS = 3 };
typedef struct handmade {
    struct ArrowSchema schemas[NODES];
    struct ArrowArray arrays[NODES];
    struct ArrowSchema *schema_children[NODES][PARTS];
    struct ArrowArray *array_children[NODES][PARTS];
    const void *buffers[NODES][6];
    rwl_batch batch;
} handmade;

/* Node `at`, made a child of `parent` (-1: none); node 0 is the batch. */
static struct ArrowArray *add_node(handmade *h, int at, int parent, const char *format, const char *name,
                                   int64_t length, int64_t n_buffers, const void *first, const void *second) {
    h->schemas[at] = (struct ArrowSchema){.format = format,
                                          .name = name,
                                          .flags = ARROW_FLAG_NULLABLE,
                                          .children = h->schema_children[at],
                                          .release = release_no_schema};
    h->buffers[at][1] = first;
    h->buffers[at][2] = second;
    h->arrays[at] = (struct ArrowArray){.length = length,
                                        .n_buffers = n_buffers,
                                        .buffers = h->buffers[at],
                                        .children = h->array_children[at],
                                        .release = release_nothing};
    if (parent >= 0) {
        int64_t k = h->arrays[parent].n_children++;
        h->schemas[parent].n_children++;
        h->schema_children[parent][k] = &h->schemas[at];
        h->array_children[parent][k] = &h->arrays[at];
    }
    return &h->arrays[at];
}

static struct ArrowArray *begin(handmade *h, const char *format, int64_t length, int64_t n_buffers,
                                const void *first, const void *second) {
    memset(h, 0, sizeof *h);
    add_node(h, 0, -1, "+s", "", length, 1, NULL, NULL);
    return add_node(h, 1, 0, format, "x", length, n_buffers, first, second);
}

static rwl_status import_by_hand(handmade *h, rwl_error *error) {
    rwl_field *made;
    int32_t count;
    rwl_status st = rwl_arrow_import_schema(&h->schemas[0], &arena, &made, &count, error);
    if (st == RWL_OK)
        st = rwl_batch_init(&h->batch, &env, made, count, error);
    return st != RWL_OK ? st : rwl_arrow_import_batch(&h->schemas[0], &h->arrays[0], &h->batch, error);
}

/* The column's rows as one text, or the failure. */
static void expect_rows(handmade *h, const char *want) {
    rwl_error fault = {0};
    rwl_status st = import_by_hand(h, &fault);
    ck_assert_msg(st == RWL_OK, "%s: %s", want, fault.message);
    rwl_buf out;
    rwl_buf_init(&out, &env, SIZE_MAX);
    for (int64_t i = 0; i < h->batch.length; i++) {
        OK(rwl_buf_str(&out, i == 0 ? "" : " ", err));
        OK(rwl_column_format_json(&h->batch.columns[0], i, &out, err));
    }
    OK(rwl_buf_terminate(&out, err));
    ck_assert_str_eq((const char *)out.data, want);
    rwl_buf_clear(&out);
    rwl_batch_clear(&h->batch);
}

static void expect_failure(handmade *h, rwl_status want, const char *message) {
    rwl_error fault = {0};
    rwl_status st = import_by_hand(h, &fault);
    ck_assert_msg(st == want && strstr(fault.message, message) != NULL, "%d: %s, expected %s", (int)st,
                  fault.message, message);
    rwl_batch_clear(&h->batch);
}

static const int32_t NUMBERS[] = {10, 11, 12, 13, 14, 15, 16, 17};
static const uint8_t MIDDLE_NULL[] = {0x5}; /* 101 */

START_TEST(reads_lists_of_every_layout) {
    handmade h;
    static const int32_t offsets[] = {1, 3, 5, 6};
    static const int64_t wide[] = {0, 2, 2, 4};
    begin(&h, "+l", 3, 2, offsets, NULL);
    add_node(&h, 2, 1, "i", "item", 8, 2, NUMBERS, NULL);
    expect_rows(&h, "[11, 12] [13, 14] [15]");
    begin(&h, "+l", 3, 2, offsets, NULL)->null_count = 1; /* the null row has elements: taken out */
    h.buffers[1][0] = MIDDLE_NULL;
    add_node(&h, 2, 1, "i", "item", 8, 2, NUMBERS, NULL)->offset = 1;
    h.arrays[2].length = 7;
    expect_rows(&h, "[12, 13] null [16]");
    begin(&h, "+L", 3, 2, wide, NULL);
    add_node(&h, 2, 1, "i", "item", 8, 2, NUMBERS, NULL);
    expect_rows(&h, "[10, 11] [] [12, 13]");
    begin(&h, "+w:2", 3, 1, NULL, NULL)->offset = 1;
    h.arrays[0].length = 2;
    h.arrays[1].null_count = -1;
    h.buffers[1][0] = MIDDLE_NULL;
    h.arrays[1].length = 2;
    add_node(&h, 2, 1, "i", "item", 8, 2, NUMBERS, NULL);
    expect_rows(&h, "null [14, 15]");
    static const int32_t at[] = {5, 0, 5}, sizes[] = {2, 1, 3}; /* backwards and overlapping */
    begin(&h, "+vl", 3, 3, at, sizes);
    add_node(&h, 2, 1, "i", "item", 8, 2, NUMBERS, NULL);
    expect_rows(&h, "[15, 16] [10] [15, 16, 17]");
}
END_TEST

START_TEST(reads_structs_and_maps_with_offsets) {
    handmade h;
    begin(&h, "+s", 3, 1, NULL, NULL)->null_count = 1;
    h.buffers[1][0] = MIDDLE_NULL;
    add_node(&h, 2, 1, "i", "a", 3, 2, NUMBERS, NULL);
    expect_rows(&h, "{\"a\": 10} null {\"a\": 12}");
    begin(&h, "+s", 3, 1, NULL, NULL)->null_count = 1; /* what lies under a null is not kept */
    h.buffers[1][0] = MIDDLE_NULL;
    add_node(&h, 2, 1, "i", "a", 3, 2, NUMBERS, NULL);
    rwl_error fault = {0};
    ck_assert_int_eq(import_by_hand(&h, &fault), RWL_OK);
    const rwl_column *a = &h.batch.columns[0].children[0];
    ck_assert_int_eq(a->null_count, 1);
    ck_assert_int_eq(rwl_column_i32(a)[1], 0);
    rwl_batch_clear(&h.batch);
    static const int32_t offsets[] = {0, 1, 1, 3};
    begin(&h, "+m", 3, 2, offsets, NULL);
    add_node(&h, 2, 1, "+s", "entries", 4, 1, NULL, NULL)->offset = 2;
    add_node(&h, 3, 2, "i", "k", 8, 2, NUMBERS, NULL);
    add_node(&h, 4, 2, "i", "v", 7, 2, NUMBERS, NULL)->offset = 1;
    expect_rows(&h, "[[12, 13]] [] [[13, 14], [14, 15]]");
    h.buffers[3][0] = "\xf7"; /* key 3 is null */
    h.arrays[3].null_count = 1;
    expect_failure(&h, RWL_CORRUPT, "null key");
}
END_TEST

START_TEST(reads_views_and_dictionaries) {
    handmade h;
    struct {
        int32_t len;
        char start[4];
        int32_t buffer, at;
    } views[3] = {{3, "abc", 0, 0}, {14, "long", 0, 2}, {0, "", 0, 0}};
    static const int64_t sizes[] = {16};
    begin(&h, "vu", 3, 4, views, "--long enough ok");
    h.buffers[1][3] = sizes;
    expect_rows(&h, "\"abc\" \"long enough ok\" \"\"");
    views[1].at = 3; /* one byte past the end */
    begin(&h, "vu", 3, 4, views, "--long enough ok");
    h.buffers[1][3] = sizes;
    expect_failure(&h, RWL_CORRUPT, "a view of bytes");
    views[1].at = 2;
    views[1].buffer = 1;
    begin(&h, "vz", 3, 4, views, "--long enough ok");
    h.buffers[1][3] = sizes;
    expect_failure(&h, RWL_CORRUPT, "a view of bytes");

    static const int8_t indexes[] = {1, 0, 1};
    static const int32_t offsets[] = {0, 3, 5};
    begin(&h, "c", 3, 2, indexes, NULL)->null_count = 1;
    h.buffers[1][0] = MIDDLE_NULL;
    add_node(&h, 2, -1, "u", "", 2, 3, offsets, "onetw");
    h.schemas[1].dictionary = &h.schemas[2];
    h.arrays[1].dictionary = &h.arrays[2];
    expect_rows(&h, "\"tw\" null \"tw\"");
    h.arrays[2].length = 1;
    expect_failure(&h, RWL_CORRUPT, "an index outside");
    h.arrays[1].dictionary = NULL;
    expect_failure(&h, RWL_CORRUPT, "dictionary");
    h.schemas[1].format = "u";
    expect_failure(&h, RWL_UNSUPPORTED, "dictionary of 'u'");
}
END_TEST

START_TEST(converts_units_and_widths_where_they_are_exact) {
    handmade h;
    static const uint16_t halves[] = {0x3E00, 0x8001, 0x7C00, 0xC400}; /* 1.5, -2^-24, inf, -4 */
    static const int64_t days[] = {86400000, -86400000, 1};
    static const int32_t seconds[] = {1, 86399};
    static const int64_t millis[] = {1, -1};
    static const int64_t far[] = {INT64_MAX / 1000000 + 1};
    static const uint64_t big[] = {UINT64_MAX, 0};
    static const int64_t d64[] = {-125};
    static const uint64_t d256[] = {125, 0, 0, 0, (uint64_t)-125, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    static const uint64_t wide256[] = {0, 0, 1, 0};
    const struct {
        const char *format;
        int64_t length;
        const void *values;
        const char *want;
    } CASES[] = {
        {"e", 4, halves, "1.5 -5.9604645e-8 \"Infinity\" -4.0"},
        {"tdm", 2, days, "\"1970-01-02\" \"1969-12-31\""},
        {"tts", 2, seconds, "\"00:00:01.000000\" \"23:59:59.000000\""},
        {"ttm", 2, seconds, "\"00:00:00.001000\" \"00:01:26.399000\""},
        {"tss:UTC", 1, millis, "\"1970-01-01T00:00:01.000000+00:00\""},
        {"tsm:", 2, millis, "\"1970-01-01T00:00:00.001000\" \"1969-12-31T23:59:59.999000\""},
        {"L", 2, big, "\"18446744073709551615\" \"0\""},
        {"d:9,2,32", 1, NUMBERS, "\"0.10\""},
        {"d:9,2,64", 1, d64, "\"-1.25\""},
        {"d:38,2,256", 2, d256, "\"1.25\" \"-1.25\""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        begin(&h, CASES[i].format, CASES[i].length, 2, CASES[i].values, NULL);
        expect_rows(&h, CASES[i].want);
    }
    begin(&h, "tdm", 3, 2, days, NULL);
    expect_failure(&h, RWL_CORRUPT, "row 2: 1 ms are no date");
    begin(&h, "tss:", 1, 2, far, NULL);
    expect_failure(&h, RWL_CORRUPT, "does not fit");
    begin(&h, "d:38,2,256", 1, 2, wide256, NULL);
    expect_failure(&h, RWL_CORRUPT, "38 digits");
}
END_TEST

START_TEST(refuses_broken_trees) {
    handmade h;
    static const int32_t offsets[] = {0, 2, 9};
    static const int32_t descending[] = {0, 2, 1};
    static const int32_t negative[] = {-1, 2, 3};
    static const int32_t sizes[] = {1, -1};
    begin(&h, "+l", 2, 2, offsets, NULL);
    add_node(&h, 2, 1, "i", "item", 8, 2, NUMBERS, NULL); /* 9 elements asked for */
    expect_failure(&h, RWL_CORRUPT, "shorter");
    begin(&h, "+l", 2, 2, descending, NULL);
    add_node(&h, 2, 1, "i", "item", 8, 2, NUMBERS, NULL);
    expect_failure(&h, RWL_CORRUPT, "descend");
    begin(&h, "+l", 2, 2, negative, NULL);
    add_node(&h, 2, 1, "i", "item", 8, 2, NUMBERS, NULL);
    expect_failure(&h, RWL_CORRUPT, "negative");
    begin(&h, "+vl", 2, 3, offsets, sizes);
    add_node(&h, 2, 1, "i", "item", 8, 2, NUMBERS, NULL);
    expect_failure(&h, RWL_CORRUPT, "negative");
    begin(&h, "+w:5", 2, 1, NULL, NULL);
    add_node(&h, 2, 1, "i", "item", 8, 2, NUMBERS, NULL); /* 10 of 8 */
    expect_failure(&h, RWL_CORRUPT, "shorter");
    begin(&h, "+s", 2, 1, NULL, NULL);
    add_node(&h, 2, 1, "i", "a", 1, 2, NUMBERS, NULL);
    expect_failure(&h, RWL_CORRUPT, "shorter");
    begin(&h, "+s", 2, 1, NULL, NULL);
    add_node(&h, 2, 1, "i", "a", 2, 2, NUMBERS, NULL);
    h.arrays[1].n_children = 0;
    expect_failure(&h, RWL_CORRUPT, "number of children");
    begin(&h, "+m", 2, 2, offsets, NULL);
    add_node(&h, 2, 1, "i", "entries", 8, 2, NUMBERS, NULL);
    expect_failure(&h, RWL_CORRUPT, "without entries");
    begin(&h, "+s", 1, 1, NULL, NULL); /* a variant whose value is cut */
    add_node(&h, 2, 1, "w:3", "metadata", 1, 2, "\x01\x00\x00", NULL);
    h.schemas[1].metadata = "\1\0\0\0"
                            "\24\0\0\0ARROW:extension:name"
                            "\25\0\0\0arrow.parquet.variant";
    expect_failure(&h, RWL_UNSUPPORTED, "other parts");
    static const int32_t three[] = {0, 3}, two[] = {0, 2};
    begin(&h, "+s", 1, 1, NULL, NULL);
    add_node(&h, 2, 1, "z", "value", 1, 3, two, "\x14\x05");
    add_node(&h, 3, 1, "z", "metadata", 1, 3, three, "\x01\x00\x00");
    h.schemas[1].metadata = "\1\0\0\0"
                            "\24\0\0\0ARROW:extension:name"
                            "\25\0\0\0arrow.parquet.variant";
    expect_failure(&h, RWL_CORRUPT, "row 0: variant");
    h.buffers[2][2] = "\x0c\x05"; /* parts in the other order, whole */
    expect_rows(&h, "5");
    /* a list of itself: deeper than any type may be */
    begin(&h, "+l", 1, 2, two, NULL);
    h.schemas[1].n_children = 1;
    h.schema_children[1][0] = &h.schemas[1];
    expect_failure(&h, RWL_UNSUPPORTED, "deeper");
}
END_TEST

TCase *arrow_nested_cases(void) {
    TCase *tc = tcase_create("arrow_nested");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, nested_batches_go_out_and_come_back);
    tcase_add_test(tc, a_child_of_a_list_may_outlive_it);
    tcase_add_test(tc, a_batch_whose_children_do_not_fit_stays_as_it_was);
    tcase_add_test(tc, exports_nested_schemas_of_the_specification);
    tcase_add_test(tc, geometries_carry_their_crs);
    tcase_add_test(tc, reads_lists_of_every_layout);
    tcase_add_test(tc, reads_structs_and_maps_with_offsets);
    tcase_add_test(tc, reads_views_and_dictionaries);
    tcase_add_test(tc, converts_units_and_widths_where_they_are_exact);
    tcase_add_test(tc, refuses_broken_trees);
    return tc;
}
