/* SPDX-License-Identifier: Apache-2.0 */
/* The Arrow C interfaces: what goes out comes back, and broken arrays are refused. */
#include "column/arrow.h"
#include "suites.h"

#include <errno.h>
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

enum { MAX_FIELDS = 32 };
static rwl_field fields[MAX_FIELDS];
static char names[MAX_FIELDS][16];

static int make_fields(void) {
    for (int i = 0; i < ALL_TYPE_COUNT; i++) {
        snprintf(names[i], sizeof names[i], "c%d", i);
        fields[i] = (rwl_field){.name = names[i], .id = i + 1, .required = i % 2 == 0, .type = ALL_TYPES[i]};
    }
    return ALL_TYPE_COUNT;
}

static void fill(rwl_batch *b, int rows, int null_every, uint64_t *seed) {
    uint8_t room[32];
    for (int c = 0; c < b->column_count; c++) {
        for (int i = 0; i < rows; i++) {
            rwl_value v = random_value(&b->columns[c].type, seed, null_every, room);
            if (v.kind == RWL_TYPE_TIME)
                v.as.i64 &= UINT32_MAX; /* of the day: 86.4 * 10^9 microseconds */
            OK(rwl_column_append(&b->columns[c], &env, &v, 1, err));
        }
    }
    b->length = rows;
}

/* Formats from the table in the Arrow C data interface's specification. */
START_TEST(exports_formats_of_the_specification) {
    static const char *const FORMATS[] = {
        "n",    "b",       "i",    "l",       "f", "g",    "d:38,4", "tdD", "ttu",
        "tsu:", "tsu:UTC", "tsn:", "tsn:UTC", "u", "w:16", "w:3",    "w:8", "z"};
    int n = make_fields();
    struct ArrowSchema schema;
    OK(rwl_arrow_export_schema(&env, fields, n, &schema, err));
    ck_assert_str_eq(schema.format, "+s");
    ck_assert_int_eq(schema.n_children, n);
    for (int i = 0; i < n; i++) {
        ck_assert_str_eq(schema.children[i]->format, FORMATS[i]);
        ck_assert_str_eq(schema.children[i]->name, names[i]);
        ck_assert_int_eq(schema.children[i]->flags, i % 2 == 0 ? 0 : ARROW_FLAG_NULLABLE);
    }
    rwl_field *back;
    int32_t count;
    OK(rwl_arrow_import_schema(&schema, &arena, &back, &count, err));
    ck_assert_int_eq(count, n);
    for (int i = 0; i < n; i++) {
        ck_assert(rwl_type_equal(&back[i].type, &fields[i].type));
        ck_assert_str_eq(back[i].name, names[i]);
        ck_assert_int_eq(back[i].id, fields[i].id);
        ck_assert_int_eq(back[i].required, fields[i].required);
    }
    schema.release(&schema);
    ck_assert(schema.release == NULL);
}
END_TEST

START_TEST(carries_field_ids_and_extensions_as_metadata) {
    rwl_field f = {.name = "j", .id = 7, .type = {.kind = RWL_TYPE_STRING, .parameters = RWL_TYPE_JSON}};
    struct ArrowSchema schema;
    OK(rwl_arrow_export_schema(&env, &f, 1, &schema, err));
    /* int32 pairs, then int32 length and bytes of keys and values */
    static const char EXPECT[] = "\3\0\0\0"
                                 "\20\0\0\0PARQUET:field_id"
                                 "\1\0\0\0"
                                 "7"
                                 "\24\0\0\0ARROW:extension:name"
                                 "\12\0\0\0arrow.json"
                                 "\30\0\0\0ARROW:extension:metadata"
                                 "\0\0\0\0";
    ck_assert_mem_eq(schema.children[0]->metadata, EXPECT, sizeof EXPECT - 1);
    rwl_field *back;
    int32_t count;
    OK(rwl_arrow_import_schema(&schema, &arena, &back, &count, err));
    ck_assert_str_eq(back[0].type.parameters, RWL_TYPE_JSON);
    schema.release(&schema);
}
END_TEST

START_TEST(batches_go_out_and_come_back) {
    uint64_t seed = 17;
    for (int nulls = 0; nulls < 2; nulls++) {
        int n = make_fields();
        rwl_batch b, keep, back;
        OK(rwl_batch_init(&b, &env, fields, n, err));
        OK(rwl_batch_init(&keep, &env, fields, n, err));
        OK(rwl_batch_init(&back, &env, fields, n, err));
        fill(&b, 333, nulls ? 3 : 0, &seed);
        rwl_range all = {0, 333};
        OK(rwl_batch_take_ranges(&b, &all, 1, &keep, err));
        struct ArrowArray array;
        struct ArrowSchema schema;
        OK(rwl_arrow_export_schema(&env, fields, n, &schema, err));
        OK(rwl_arrow_export_batch(&b, &array, err));
        ck_assert_int_eq(b.length, 0);
        ck_assert_int_eq(rwl_batch_bytes(&b), 0);
        for (int cut = 0; cut < 3; cut++) {
            int64_t first = cut == 0 ? 0 : 13 * cut;
            array.offset = cut == 1 ? 13 : 0; /* in the struct, or in each child */
            array.length = 333 - first;
            for (int c = 0; c < n; c++) {
                array.children[c]->offset = cut == 2 ? 26 : 0;
                array.children[c]->length = 333 - array.children[c]->offset;
                array.children[c]->null_count = cut == 0 ? array.children[c]->null_count : -1;
            }
            OK(rwl_arrow_import_batch(&schema, &array, &back, err));
            ck_assert_int_eq(back.length, 333 - first);
            for (int c = 0; c < n; c++) {
                for (int64_t i = 0; i < back.length; i++) {
                    rwl_value x = rwl_column_value(&back.columns[c], i);
                    rwl_value y = rwl_column_value(&keep.columns[c], first + i);
                    ck_assert(rwl_value_equal(&x, &y));
                    if (cut != 1) {
                        rwl_value z = rwl_arrow_cell(&fields[c].type, array.children[c], i);
                        ck_assert(rwl_value_equal(&z, &y));
                    }
                }
            }
        }
        fill(&b, 5, 0, &seed); /* the emptied batch can be used again */
        array.release(&array);
        schema.release(&schema);
        rwl_batch_clear(&b);
        rwl_batch_clear(&keep);
        rwl_batch_clear(&back);
    }
}
END_TEST

START_TEST(a_child_may_outlive_its_struct) {
    rwl_field f = {.name = "a", .id = 1, .type = {.kind = RWL_TYPE_STRING}};
    rwl_batch b;
    uint64_t seed = 5;
    OK(rwl_batch_init(&b, &env, &f, 1, err));
    fill(&b, 10, 0, &seed);
    struct ArrowArray array;
    OK(rwl_arrow_export_batch(&b, &array, err));
    struct ArrowArray child = *array.children[0];
    array.children[0]->release = NULL; /* moved */
    array.release(&array);
    const int32_t *offsets = child.buffers[1];
    ck_assert_int_eq(offsets[0], 0);
    child.release(&child);
    rwl_batch_clear(&b);
}
END_TEST

START_TEST(empty_batches_have_readable_buffers) {
    rwl_field f = {.name = "a", .id = 1, .type = {.kind = RWL_TYPE_STRING}};
    rwl_batch b;
    OK(rwl_batch_init(&b, &env, &f, 1, err));
    struct ArrowArray array;
    OK(rwl_arrow_export_batch(&b, &array, err));
    const int32_t *offsets = array.children[0]->buffers[1];
    ck_assert_int_eq(offsets[0], 0);
    array.release(&array);
    rwl_batch_clear(&b);
}
END_TEST

static void release_nothing(struct ArrowArray *a) {
    a->release = NULL;
}
static void release_no_schema(struct ArrowSchema *s) {
    s->release = NULL;
}

/* A hand-made one-column struct array. */
typedef struct handmade {
    struct ArrowSchema schema, child_schema, *schema_children[1];
    struct ArrowArray array, child, *children[1];
    const void *buffers[3], *top_buffers[1];
    rwl_batch batch;
} handmade;

static void make_by_hand(handmade *h, const char *format, int64_t length, int64_t n_buffers,
                         const void *values, const void *third) {
    memset(h, 0, sizeof *h);
    h->child_schema = (struct ArrowSchema){
        .format = format, .name = "x", .flags = ARROW_FLAG_NULLABLE, .release = release_no_schema};
    h->schema_children[0] = &h->child_schema;
    h->schema = (struct ArrowSchema){
        .format = "+s", .n_children = 1, .children = h->schema_children, .release = release_no_schema};
    h->buffers[1] = values;
    h->buffers[2] = third;
    h->child = (struct ArrowArray){
        .length = length, .n_buffers = n_buffers, .buffers = h->buffers, .release = release_nothing};
    h->children[0] = &h->child;
    h->array = (struct ArrowArray){.length = length,
                                   .n_buffers = 1,
                                   .buffers = h->top_buffers,
                                   .n_children = 1,
                                   .children = h->children,
                                   .release = release_nothing};
}

static rwl_status import_by_hand(handmade *h, rwl_error *error) {
    rwl_field *made;
    int32_t count;
    rwl_status st = rwl_arrow_import_schema(&h->schema, &arena, &made, &count, error);
    if (st != RWL_OK)
        return st;
    st = rwl_batch_init(&h->batch, &env, made, count, error);
    return st != RWL_OK ? st : rwl_arrow_import_batch(&h->schema, &h->array, &h->batch, error);
}

START_TEST(reads_narrow_integers_and_wide_offsets) {
    handmade h;
    rwl_error fault = {0};
    static const int8_t bytes[] = {-1, 2};
    make_by_hand(&h, "c", 2, 2, bytes, NULL);
    ck_assert_int_eq(import_by_hand(&h, &fault), RWL_OK);
    ck_assert_int_eq(rwl_column_i32(&h.batch.columns[0])[0], -1);
    rwl_batch_clear(&h.batch);
    static const uint32_t words[] = {UINT32_MAX, 2};
    make_by_hand(&h, "I", 2, 2, words, NULL);
    ck_assert_int_eq(import_by_hand(&h, &fault), RWL_OK);
    ck_assert_int_eq(rwl_column_i64(&h.batch.columns[0])[0], UINT32_MAX);
    rwl_batch_clear(&h.batch);
    static const int64_t offsets[] = {3, 5, 9};
    static const uint8_t valid[] = {0x2}; /* the first row is null and has bytes */
    make_by_hand(&h, "U", 2, 3, offsets, "xxxabcdef");
    h.buffers[0] = valid;
    h.child.null_count = -1;
    ck_assert_int_eq(import_by_hand(&h, &fault), RWL_OK);
    ck_assert(rwl_column_is_null(&h.batch.columns[0], 0));
    ck_assert(rwl_span_equal(rwl_column_bytes(&h.batch.columns[0], 1), rwl_span_str("cdef")));
    ck_assert_uint_eq(h.batch.columns[0].bytes_len, 4);
    rwl_batch_clear(&h.batch);
}
END_TEST

/* CLI.md, "Values in JSON": 9 digits in nanosecond types. */
START_TEST(keeps_the_nanoseconds_of_a_time) {
    static const int64_t times[] = {1, INT64_C(86399999999999)};
    static const char *const texts[] = {"\"00:00:00.000000001\"", "\"23:59:59.999999999\""};
    handmade h;
    rwl_error fault = {0};
    struct ArrowSchema out;
    make_by_hand(&h, "ttn", 2, 2, times, NULL);
    ck_assert_int_eq(import_by_hand(&h, &fault), RWL_OK);
    const rwl_column *c = &h.batch.columns[0];
    ck_assert(rwl_type_is_time_ns(&c->type));
    for (int i = 0; i < 2; i++) {
        rwl_buf text;
        rwl_buf_init(&text, &env, SIZE_MAX);
        OK(rwl_column_format_json(c, i, &text, err));
        ck_assert(rwl_span_equal(rwl_buf_span(&text), rwl_span_str(texts[i])));
        rwl_buf_clear(&text);
    }
    rwl_field field = {.name = "x", .type = c->type};
    OK(rwl_arrow_export_schema(&env, &field, 1, &out, err));
    ck_assert_str_eq(out.children[0]->format, "ttn");
    out.release(&out);
    rwl_batch_clear(&h.batch);
}
END_TEST

static void check_json(const rwl_column *c, int64_t row, const char *expected) {
    rwl_buf text;
    rwl_buf_init(&text, &env, SIZE_MAX);
    OK(rwl_column_format_json(c, row, &text, err));
    ck_assert(rwl_span_equal(rwl_buf_span(&text), rwl_span_str(expected)));
    rwl_buf_clear(&text);
}

/* Durations stay in their unit and are long beside that. */
START_TEST(durations_come_and_go_in_their_unit) {
    static const int64_t values[] = {-1, INT64_MAX};
    static const char *const FORMATS[] = {"tDs", "tDm", "tDu", "tDn"};
    static const char *const NAMES[] = {"duration[s]", "duration[ms]", "duration[us]", "duration[ns]"};
    for (int i = 0; i < 4; i++) {
        handmade h;
        rwl_error fault = {0};
        struct ArrowSchema out;
        char name[32];
        make_by_hand(&h, FORMATS[i], 2, 2, values, NULL);
        ck_assert_int_eq(import_by_hand(&h, &fault), RWL_OK);
        const rwl_column *c = &h.batch.columns[0];
        ck_assert(rwl_type_is_duration(&c->type));
        rwl_type_name(&c->type, name, sizeof name);
        ck_assert_str_eq(name, NAMES[i]);
        check_json(c, 0, "-1");
        check_json(c, 1, "9223372036854775807");
        rwl_field field = {.name = "x", .type = c->type};
        OK(rwl_arrow_export_schema(&env, &field, 1, &out, err));
        ck_assert_str_eq(out.children[0]->format, FORMATS[i]);
        out.release(&out);
        rwl_column longs;
        rwl_type plain = rwl_type_of(RWL_TYPE_LONG);
        rwl_column_init_flat(&longs, &plain);
        ck_assert_int_eq(rwl_column_promote(c, &longs, &env, &fault), RWL_UNSUPPORTED);
        rwl_column_clear(&longs, &env);
        rwl_batch_clear(&h.batch);
    }
}
END_TEST

START_TEST(wide_decimals_come_and_go_as_they_are) {
    /* 10^76 - 1 and 10^76, computed with Python; -1 */
    static const uint8_t values[3][32] = {
        {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x95, 0x71, 0xf1, 0xa5, 0x75, 0x77,
         0x79, 0x29, 0x65, 0xe8, 0xab, 0xb4, 0x64, 0x07, 0xb5, 0x15, 0x99, 0x11, 0xa7, 0xcc, 0x1b, 0x16},
        {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
         0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
        {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x95, 0x71, 0xf1, 0xa5, 0x75, 0x77,
         0x79, 0x29, 0x65, 0xe8, 0xab, 0xb4, 0x64, 0x07, 0xb5, 0x15, 0x99, 0x11, 0xa7, 0xcc, 0x1b, 0x16}};
    handmade h;
    rwl_error fault = {0};
    struct ArrowSchema out;
    make_by_hand(&h, "d:76,4,256", 2, 2, values, NULL);
    ck_assert_int_eq(import_by_hand(&h, &fault), RWL_OK);
    const rwl_column *c = &h.batch.columns[0];
    ck_assert(rwl_type_is_decimal256(&c->type));
    check_json(c, 0, "\"999999999999999999999999999999999999999999999999999999999999999999999999.9999\"");
    check_json(c, 1, "\"-0.0001\"");
    rwl_field field = {.name = "x", .type = c->type};
    OK(rwl_arrow_export_schema(&env, &field, 1, &out, err));
    ck_assert_str_eq(out.children[0]->format, "d:76,4,256");
    out.release(&out);
    rwl_batch_clear(&h.batch);
    make_by_hand(&h, "d:76,4,256", 3, 2, values, NULL);
    ck_assert_int_eq(import_by_hand(&h, &fault), RWL_CORRUPT);
    rwl_batch_clear(&h.batch);
    make_by_hand(&h, "d:38,4,256", 2, 2, values[1], NULL); /* what fits is a decimal like others */
    h.array.length = h.child.length = 1;
    ck_assert_int_eq(import_by_hand(&h, &fault), RWL_OK);
    ck_assert_int_eq(h.batch.columns[0].type.kind, RWL_TYPE_DECIMAL);
    check_json(&h.batch.columns[0], 0, "\"-0.0001\"");
    rwl_batch_clear(&h.batch);
    static const char *const REFUSED[] = {"d:77,4,256", "d:76,77,256", "d:76,-4,256", "d:76,4,512", "d:76,4"};
    for (int i = 0; i < 5; i++) {
        make_by_hand(&h, REFUSED[i], 1, 2, values, NULL);
        ck_assert_int_eq(import_by_hand(&h, &fault), RWL_UNSUPPORTED);
    }
}
END_TEST

START_TEST(refuses_broken_arrays) {
    static const int32_t descending[] = {0, 4, 2};
    static const int32_t negative[] = {-4, 0, 2};
    static const int32_t fine[] = {0, 1, 2};
    static const int32_t split[] = {0, 1, 2}; /* cuts a two-byte sequence */
    static const int64_t late[] = {0, INT64_C(86400000000000)};
    static const struct {
        const char *what, *format;
        int64_t n_buffers, child_length, n_children, null_count, offset;
        const void *values, *third;
        rwl_status expect;
    } CASES[] = {
        {"fine", "u", 3, 2, 1, 0, 0, fine, "ab", RWL_OK},
        {"descending offsets", "u", 3, 2, 1, 0, 0, descending, "abcd", RWL_CORRUPT},
        {"negative offset", "z", 3, 2, 1, 0, 0, negative, "abcd", RWL_CORRUPT},
        {"two buffers", "u", 2, 2, 1, 0, 0, fine, "ab", RWL_CORRUPT},
        {"no offsets", "u", 3, 2, 1, 0, 0, NULL, "ab", RWL_CORRUPT},
        {"no bytes", "u", 3, 2, 1, 0, 0, fine, NULL, RWL_CORRUPT},
        {"short child", "u", 3, 1, 1, 0, 0, fine, "ab", RWL_CORRUPT},
        {"nulls without validity", "u", 3, 2, 1, 1, 0, fine, "ab", RWL_CORRUPT},
        {"negative offset of the child", "u", 3, 2, 1, 0, -1, fine, "ab", RWL_CORRUPT},
        {"children", "u", 3, 2, 2, 0, 0, fine, "ab", RWL_CORRUPT},
        {"split sequence", "u", 3, 2, 1, 0, 0, split, "\xc3\xa9", RWL_CORRUPT},
        {"list without a child", "+l", 2, 2, 1, 0, 0, fine, NULL, RWL_CORRUPT},
        {"month interval", "tiM", 2, 2, 1, 0, 0, fine, NULL, RWL_UNSUPPORTED},
        {"time past the day", "ttn", 2, 2, 1, 0, 0, late, NULL, RWL_CORRUPT},
        {"run ends", "+r", 2, 2, 1, 0, 0, fine, NULL, RWL_UNSUPPORTED},
        {"union", "+ud:0,1", 2, 2, 1, 0, 0, fine, NULL, RWL_UNSUPPORTED},
        {"decimal of 77 digits", "d:77,2,256", 2, 2, 1, 0, 0, fine, NULL, RWL_UNSUPPORTED},
        {"decimal of 16 bits", "d:4,2,16", 2, 2, 1, 0, 0, fine, NULL, RWL_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        handmade h;
        rwl_error fault = {0};
        make_by_hand(&h, CASES[i].format, 2, CASES[i].n_buffers, CASES[i].values, CASES[i].third);
        h.child.length = CASES[i].child_length;
        h.child.null_count = CASES[i].null_count;
        h.child.offset = CASES[i].offset;
        h.array.n_children = CASES[i].n_children;
        rwl_status st = import_by_hand(&h, &fault);
        ck_assert_msg(st == CASES[i].expect, "%s: %s", CASES[i].what, fault.message);
        rwl_batch_clear(&h.batch);
    }
}
END_TEST

typedef struct counter {
    int left, freed;
    bool fail;
} counter;

static rwl_status next_counted(void *ctx, rwl_batch *batch, rwl_error *error) {
    counter *c = ctx;
    if (c->left == 0)
        return c->fail ? rwl_fail(error, RWL_CORRUPT, "the file ends here") : RWL_OK;
    rwl_value v = rwl_value_null(RWL_TYPE_INT);
    v.is_null = false;
    v.as.i32 = c->left--;
    rwl_status st = rwl_column_append(&batch->columns[0], batch->env, &v, 2, error);
    batch->length = 2;
    return st;
}
static void free_counter(void *ctx) {
    ((counter *)ctx)->freed++;
}

START_TEST(streams_batches_until_the_end_or_a_failure) {
    for (int fail = 0; fail < 2; fail++) {
        counter c = {.left = 2, .fail = fail};
        rwl_field f = {.name = "a", .id = 1, .type = {.kind = RWL_TYPE_INT}};
        struct ArrowArrayStream stream;
        rwl_arrow_source source = {&c, next_counted, free_counter};
        OK(rwl_arrow_stream_from(&env, &f, 1, source, &stream, err));
        ck_assert_ptr_eq(rwl_arrow_stream_context(&stream, next_counted), &c);
        ck_assert_ptr_null(rwl_arrow_stream_context(&stream, NULL)); /* another kind of stream */
        struct ArrowSchema schema;
        ck_assert_int_eq(stream.get_schema(&stream, &schema), 0);
        ck_assert_str_eq(schema.children[0]->format, "i");
        schema.release(&schema);
        struct ArrowArray array;
        for (int i = 2; i > 0; i--) {
            ck_assert_int_eq(stream.get_next(&stream, &array), 0);
            ck_assert_int_eq(((const int32_t *)array.children[0]->buffers[1])[1], i);
            array.release(&array);
        }
        for (int again = 0; again < 2; again++) {
            ck_assert_int_eq(stream.get_next(&stream, &array), fail ? EIO : 0);
            ck_assert(array.release == NULL);
        }
        rwl_error error;
        rwl_arrow_stream_error(&stream, &error);
        ck_assert_int_eq(error.code, fail ? ROWLINE_CORRUPT : ROWLINE_OK);
        if (fail)
            ck_assert_str_eq(stream.get_last_error(&stream), "the file ends here");
        stream.release(&stream);
        ck_assert_int_eq(c.freed, 1);
    }
}
END_TEST

TCase *arrow_cases(void) {
    TCase *tc = tcase_create("arrow");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, exports_formats_of_the_specification);
    tcase_add_test(tc, carries_field_ids_and_extensions_as_metadata);
    tcase_add_test(tc, batches_go_out_and_come_back);
    tcase_add_test(tc, a_child_may_outlive_its_struct);
    tcase_add_test(tc, empty_batches_have_readable_buffers);
    tcase_add_test(tc, reads_narrow_integers_and_wide_offsets);
    tcase_add_test(tc, keeps_the_nanoseconds_of_a_time);
    tcase_add_test(tc, durations_come_and_go_in_their_unit);
    tcase_add_test(tc, wide_decimals_come_and_go_as_they_are);
    tcase_add_test(tc, refuses_broken_arrays);
    tcase_add_test(tc, streams_batches_until_the_end_or_a_failure);
    return tc;
}
