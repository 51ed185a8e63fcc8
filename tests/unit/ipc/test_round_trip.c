/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of every type written and read back. Values go in as text and come out as text; the texts are CLI.md's. */
#include "ipc_test.h"

#include <stdio.h>

/* --- flat types --- */

typedef struct flat_case {
    rwl_type type;
    const char *value; /* as text, and as JSON where that differs */
    const char *json;
} flat_case;

#define QUOTED(type_kind, text)                                                                              \
    { {.kind = type_kind}, text, "\"" text "\"" }

static const flat_case FLAT[] = {
    {{.kind = RWL_TYPE_BOOLEAN}, "true", "true"},
    {{.kind = RWL_TYPE_INT}, "-2147483648", "-2147483648"},
    {{.kind = RWL_TYPE_LONG}, "9223372036854775807", "9223372036854775807"},
    {{.kind = RWL_TYPE_LONG, .parameters = "duration:s"}, "-7", "-7"},
    {{.kind = RWL_TYPE_LONG, .parameters = "duration:ms"}, "7", "7"},
    {{.kind = RWL_TYPE_LONG, .parameters = "duration:us"}, "7", "7"},
    {{.kind = RWL_TYPE_LONG, .parameters = "duration:ns"}, "7", "7"},
    {{.kind = RWL_TYPE_FIXED, .length = 32, .parameters = "decimal256:40,3"}, "8", "\"0.008\""},
    {{.kind = RWL_TYPE_FLOAT}, "1.5", "1.5"},
    {{.kind = RWL_TYPE_DOUBLE}, "-0.0", "-0.0"},
    {{.kind = RWL_TYPE_DECIMAL, .precision = 38, .scale = 2},
     "-999999999999999999999999999999999999.99",
     "\"-999999999999999999999999999999999999.99\""},
    QUOTED(RWL_TYPE_DATE, "1969-12-31"),
    QUOTED(RWL_TYPE_TIME, "23:59:59.999999"),
    QUOTED(RWL_TYPE_TIMESTAMP, "2026-11-30T12:34:56.000001"),
    QUOTED(RWL_TYPE_TIMESTAMPTZ, "2026-11-30T12:34:56.000001+00:00"),
    QUOTED(RWL_TYPE_TIMESTAMP_NS, "2026-11-30T12:34:56.000000001"),
    QUOTED(RWL_TYPE_TIMESTAMPTZ_NS, "1677-09-21T00:12:43.145224192+00:00"),
    QUOTED(RWL_TYPE_STRING, "gr\xc3\xbc\xc3\x9f"),
    QUOTED(RWL_TYPE_UUID, "f79c3e09-677c-4bbd-a479-3f349cb785e7"),
    {{.kind = RWL_TYPE_FIXED, .length = 3}, "00ff10", "\"00ff10\""},
    QUOTED(RWL_TYPE_BINARY, "deadbeef"),
};
enum { FLAT_COUNT = sizeof FLAT / sizeof *FLAT };

/* Writes the batches (each left empty) and reads them back, each row's JSON on a line. */
static void round_trip(const rwl_field *fields, int32_t count, rwl_batch *batches, size_t batch_count,
                       bool file, rwl_buf *text) {
    struct ArrowSchema schema;
    rwl_ipc_writer *writer;
    rwl_error err = {0};
    rwl_buf bytes;
    rwl_buf_init(&bytes, test_env(), SIZE_MAX);
    ck_assert_int_eq(rwl_arrow_export_schema(test_env(), fields, count, &schema, &err), RWL_OK);
    ck_assert_msg(rwl_ipc_writer_new(test_env(), &schema, file, buffer_sink(&bytes), &writer, &err) == RWL_OK,
                  "%s", err.message);
    for (size_t i = 0; i < batch_count; i++) {
        struct ArrowArray array;
        ck_assert_int_eq(rwl_arrow_export_batch(&batches[i], &array, &err), RWL_OK);
        ck_assert_msg(rwl_ipc_writer_write(writer, &array, &err) == RWL_OK, "%s", err.message);
        array.release(&array);
    }
    ck_assert_int_eq(rwl_ipc_writer_finish(writer, &err), RWL_OK);
    rwl_ipc_writer_free(writer);
    schema.release(&schema);
    ck_assert(!file || (memcmp(bytes.data, "ARROW1\0\0", 8) == 0 &&
                        memcmp(bytes.data + bytes.len - 6, "ARROW1", 6) == 0));

    struct ArrowArrayStream stream;
    struct ArrowArray array;
    rwl_arena arena;
    rwl_field *found;
    int32_t found_count;
    rwl_batch rows;
    rwl_arena_init(&arena, test_env(), 0);
    ck_assert_msg(open_bytes(rwl_buf_span(&bytes), &stream, &err) == RWL_OK, "%s", err.message);
    ck_assert_int_eq(stream.get_schema(&stream, &schema), 0);
    ck_assert_int_eq(rwl_arrow_import_schema(&schema, &arena, &found, &found_count, &err), RWL_OK);
    ck_assert_int_eq(found_count, count);
    for (int32_t i = 0; i < count; i++) {
        ck_assert_str_eq(found[i].name, fields[i].name);
        ck_assert_int_eq(found[i].id, fields[i].id);
        ck_assert_int_eq(found[i].required, fields[i].required);
        ck_assert(rwl_type_is_nested(&fields[i].type) || rwl_type_equal(&found[i].type, &fields[i].type));
    }
    ck_assert_int_eq(rwl_batch_init(&rows, test_env(), found, found_count, &err), RWL_OK);
    while (stream.get_next(&stream, &array) == 0 && array.release != NULL) {
        ck_assert_msg(rwl_arrow_import_batch(&schema, &array, &rows, &err) == RWL_OK, "%s", err.message);
        array.release(&array);
        for (int64_t r = 0; r < rows.length; r++) {
            for (int32_t c = 0; c < rows.column_count; c++) {
                ck_assert_int_eq(rwl_buf_u8(text, c > 0 ? '|' : ' ', &err), RWL_OK);
                ck_assert_int_eq(rwl_column_format_json(&rows.columns[c], r, text, &err), RWL_OK);
            }
            ck_assert_int_eq(rwl_buf_u8(text, '\n', &err), RWL_OK);
        }
    }
    ck_assert_ptr_null(stream.get_last_error(&stream));
    rwl_batch_clear(&rows);
    schema.release(&schema);
    stream.release(&stream);
    rwl_arena_clear(&arena);
    rwl_buf_clear(&bytes);
    ck_assert_int_eq(rwl_buf_terminate(text, &err), RWL_OK);
}

static void append_text(rwl_column *column, const rwl_type *type, const char *text) {
    rwl_arena arena;
    rwl_value v = rwl_value_null(type->kind);
    uint8_t wide[32] = {0};
    rwl_arena_init(&arena, test_env(), 0);
    if (text != NULL && rwl_type_is_decimal256(type)) { /* not read from text: a digit of the units */
        wide[0] = (uint8_t)(text[0] - '0');
        v.is_null = false;
        v.as.bytes = rwl_span_of(wide, sizeof wide);
    } else if (text != NULL)
        ck_assert_int_eq(rwl_value_parse(type, rwl_span_str(text), &arena, &v, NULL), RWL_OK);
    ck_assert_int_eq(rwl_column_append(column, test_env(), &v, 1, NULL), RWL_OK);
    rwl_arena_clear(&arena);
}

/* Value, null, value: of each type, as a stream and as a file, with a bitmap and without one. */
START_TEST(flat_columns_come_back) {
    const flat_case *c = &FLAT[_i];
    for (int nulls = 0; nulls < 2; nulls++) {
        rwl_field field = {.name = "a", .id = 7, .required = nulls == 0, .type = c->type};
        rwl_batch batch;
        rwl_buf text;
        char expected[512];
        rwl_buf_init(&text, test_env(), SIZE_MAX);
        ck_assert_int_eq(rwl_batch_init(&batch, test_env(), &field, 1, NULL), RWL_OK);
        for (int r = 0; r < 3; r++)
            append_text(&batch.columns[0], &c->type, nulls && r == 1 ? NULL : c->value);
        batch.length = 3;
        round_trip(&field, 1, &batch, 1, nulls != 0, &text);
        snprintf(expected, sizeof expected, " %s\n %s\n %s\n", c->json, nulls ? "null" : c->json, c->json);
        ck_assert_str_eq((const char *)text.data, expected);
        rwl_batch_clear(&batch);
        rwl_buf_clear(&text);
    }
}
END_TEST

/* --- nested ones --- */

static rwl_field ELEMENT = {.name = "element", .id = 2, .type = {.kind = RWL_TYPE_INT}};
static rwl_field PAIR[] = {{.name = "key", .id = 4, .required = true, .type = {.kind = RWL_TYPE_STRING}},
                           {.name = "value", .id = 5, .type = {.kind = RWL_TYPE_DOUBLE}}};
static rwl_field PARTS[] = {{.name = "x", .id = 7, .type = {.kind = RWL_TYPE_INT}},
                            {.name = "y", .id = 8, .type = {.kind = RWL_TYPE_STRING}}};

/* Ends row r of a list or map: its elements are those that its children hold more than before. */
static void end_row(rwl_column *c, bool null) {
    rwl_value none = rwl_value_null(c->type.kind);
    if (null) {
        ck_assert_int_eq(rwl_column_append(c, test_env(), &none, 1, NULL), RWL_OK);
        return;
    }
    ck_assert_int_eq(rwl_column_reserve(c, test_env(), c->length + 1, 0, NULL), RWL_OK);
    if (c->null_count > 0) {
        ck_assert_int_eq(rwl_column_need_validity(c, test_env(), c->length + 1, NULL), RWL_OK);
        rwl_bit_set(c->validity.data, c->length);
    }
    if (c->type.kind != RWL_TYPE_STRUCT) {
        int32_t *offsets = (int32_t *)(void *)c->offsets.data;
        if (c->length == 0)
            offsets[0] = 0;
        offsets[c->length + 1] = (int32_t)c->children[0].length;
    }
    c->length++;
}

START_TEST(nested_columns_come_back) {
    rwl_field fields[] = {
        {.name = "l", .id = 1, .type = {.kind = RWL_TYPE_LIST, .children = &ELEMENT, .child_count = 1}},
        {.name = "m", .id = 3, .type = {.kind = RWL_TYPE_MAP, .children = PAIR, .child_count = 2}},
        {.name = "s", .id = 6, .type = {.kind = RWL_TYPE_STRUCT, .children = PARTS, .child_count = 2}}};
    rwl_batch batch;
    rwl_buf text;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    ck_assert_int_eq(rwl_batch_init(&batch, test_env(), fields, 3, NULL), RWL_OK);
    rwl_column *l = &batch.columns[0], *m = &batch.columns[1], *s = &batch.columns[2];
    append_text(&l->children[0], &ELEMENT.type, "1");
    append_text(&l->children[0], &ELEMENT.type, NULL);
    end_row(l, false);
    end_row(l, true);
    end_row(l, false);
    append_text(&m->children[0], &PAIR[0].type, "k");
    append_text(&m->children[1], &PAIR[1].type, "0.5");
    end_row(m, false);
    end_row(m, false);
    end_row(m, true);
    end_row(s, true);
    append_text(&s->children[0], &PARTS[0].type, "3");
    append_text(&s->children[1], &PARTS[1].type, "z");
    end_row(s, false);
    append_text(&s->children[0], &PARTS[0].type, NULL);
    append_text(&s->children[1], &PARTS[1].type, "");
    end_row(s, false);
    batch.length = 3;
    round_trip(fields, 3, &batch, 1, false, &text);
    ck_assert_str_eq((const char *)text.data, " [1, null]|[[\"k\", 0.5]]|null\n"
                                              " null|[]|{\"x\": 3, \"y\": \"z\"}\n"
                                              " []|null|{\"x\": null, \"y\": \"\"}\n");
    rwl_batch_clear(&batch);
    rwl_buf_clear(&text);
}
END_TEST

/* 300 batches of 0, 1 or 2 rows: 100 of each, so 300 rows; the sum of 0..299 is 44850. */
START_TEST(many_batches_and_batches_without_rows_come_back) {
    enum { BATCHES = 300 };
    rwl_field field = {.name = "n", .id = 1, .type = {.kind = RWL_TYPE_LONG}};
    static rwl_batch batches[BATCHES];
    rwl_buf text;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    int64_t n = 0;
    for (int i = 0; i < BATCHES; i++) {
        ck_assert_int_eq(rwl_batch_init(&batches[i], test_env(), &field, 1, NULL), RWL_OK);
        for (int r = 0; r < i % 3; r++) {
            rwl_value v = {.kind = RWL_TYPE_LONG, .as = {.i64 = n++}};
            ck_assert_int_eq(rwl_column_append(&batches[i].columns[0], test_env(), &v, 1, NULL), RWL_OK);
        }
        batches[i].length = i % 3;
    }
    round_trip(&field, 1, batches, BATCHES, true, &text);
    int64_t sum = 0, rows = 0;
    for (char *at = (char *)text.data; *at != '\0'; rows++) {
        long long v;
        int used;
        ck_assert_int_eq(sscanf(at, " %lld\n%n", &v, &used), 1);
        sum += v;
        at += used - (at[used] != '\0' ? 1 : 0);
    }
    ck_assert_int_eq(rows, 300);
    ck_assert_int_eq(sum, 44850);
    for (int i = 0; i < BATCHES; i++)
        rwl_batch_clear(&batches[i]);
    rwl_buf_clear(&text);
}
END_TEST

START_TEST(a_stream_without_batches_has_its_schema) {
    rwl_field field = {.name = "n", .id = 1, .type = {.kind = RWL_TYPE_LONG}};
    rwl_buf text;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    for (int file = 0; file < 2; file++)
        round_trip(&field, 1, NULL, 0, file != 0, &text);
    ck_assert_str_eq((const char *)text.data, "");
    rwl_buf_clear(&text);
}
END_TEST

START_TEST(rows_without_columns_keep_their_number) {
    rwl_batch batch;
    rwl_buf text;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    ck_assert_int_eq(rwl_batch_init(&batch, test_env(), NULL, 0, NULL), RWL_OK);
    batch.length = 3;
    round_trip(NULL, 0, &batch, 1, false, &text);
    ck_assert_str_eq((const char *)text.data, "\n\n\n");
    rwl_batch_clear(&batch);
    rwl_buf_clear(&text);
}
END_TEST

Suite *round_trip_suite(void) {
    Suite *suite = suite_create("round trip");
    TCase *tc = tcase_create("round trip");
    tcase_add_loop_test(tc, flat_columns_come_back, 0, FLAT_COUNT);
    tcase_add_test(tc, nested_columns_come_back);
    tcase_add_test(tc, many_batches_and_batches_without_rows_come_back);
    tcase_add_test(tc, a_stream_without_batches_has_its_schema);
    tcase_add_test(tc, rows_without_columns_keep_their_number);
    suite_add_tcase(suite, tc);
    return suite;
}
