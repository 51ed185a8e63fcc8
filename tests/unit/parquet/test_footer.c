/* SPDX-License-Identifier: Apache-2.0 */
/* Footers: leaves, types, statistics, and what a footer may not say. */
#include "reader_support.h"
#include "suites.h"

#include "memory_store.h"
#include "parquet/footer.h"
#include "parquet/page.h"

#include <stdio.h>

static const uint8_t one_value[] = {1, 0, 0, 0};
static const page_spec one_page = {RWL_PARQUET_DATA_PAGE, RWL_PARQUET_PLAIN, 1, .values = {one_value, 4}};
static const page_spec three_pages[] = {
    {RWL_PARQUET_DATA_PAGE, RWL_PARQUET_PLAIN, 1, .values = {one_value, 4}},
    {RWL_PARQUET_DATA_PAGE, RWL_PARQUET_PLAIN, 1, .values = {one_value, 4}},
    {RWL_PARQUET_DATA_PAGE, RWL_PARQUET_PLAIN, 1, .values = {one_value, 4}},
};
static const int32_t one_each[] = {1, 1, 1};
static const int64_t one_row[] = {1, 1, 1};

static void make(bench *b, file_spec f, rwl_buf *bytes) {
    rwl_env_init_default(&b->env);
    build_file(b, &f, bytes);
    rwl_env env = b->env;
    bench_memory(b, rwl_buf_span(bytes));
    b->env = env;
}

static const column_spec int_column = {.name = "n",
                                       .id = 7,
                                       .physical = RWL_PARQUET_INT32,
                                       .converted = -1,
                                       .pages = &one_page,
                                       .pages_in_group = one_each};

START_TEST(gives_leaves_groups_and_positions) {
    bench b;
    rwl_buf bytes;
    rwl_parquet_file *file;
    column_spec columns[2] = {int_column, int_column};
    columns[0].pages = columns[1].pages = three_pages;
    columns[1].name = "m";
    columns[1].id = -1;
    columns[1].optional = true;
    make(&b, (file_spec){.columns = columns, .column_count = 2, .group_rows = one_row, .group_count = 3},
         &bytes);
    ck_ok(&b, rwl_parquet_open(b.store, &b.op, "memory", (int64_t)bytes.len, &file, &b.err));
    ck_assert_int_eq(file->row_count, 3);
    ck_assert_int_eq(file->size, (int64_t)bytes.len);
    ck_assert_int_eq(file->leaf_count, 2);
    ck_assert_int_eq(file->group_count, 3);
    for (int32_t g = 0; g < 3; g++)
        ck_assert_int_eq(file->groups[g].first_row, g);
    ck_assert_int_eq(file->groups[0].file_offset, 4);
    ck_assert_ptr_eq(rwl_parquet_leaf_by_id(file, 7), &file->leaves[0]);
    ck_assert_ptr_null(rwl_parquet_leaf_by_id(file, 8));
    ck_assert_ptr_eq(rwl_parquet_leaf_by_name(file, "m"), &file->leaves[1]);
    ck_assert(!rwl_parquet_without_ids(file));
    ck_assert(file->leaves[0].field.required && !file->leaves[1].field.required);
    rwl_parquet_file *again = rwl_parquet_ref(file);
    rwl_parquet_close(file);
    ck_assert_int_eq(again->row_count, 3);
    rwl_parquet_close(again);
    rwl_buf_clear(&bytes);
    bench_free(&b);
}
END_TEST

static void keep_warning(void *ctx, rwl_log_level level, const char *line) {
    if (level == RWL_LOG_WARN)
        snprintf(ctx, 256, "%s", line);
}

START_TEST(a_file_of_another_size_than_the_table_says_is_read_with_a_warning_of_both) {
    bench b;
    rwl_buf bytes;
    rwl_parquet_file *file;
    char want[256], warned[256] = "";
    make(&b, (file_spec){.columns = &int_column, .column_count = 1, .group_rows = one_row, .group_count = 1},
         &bytes);
    rwl_env env = *b.op.env;
    rwl_op op = b.op;
    env.log = keep_warning;
    env.ctx = warned;
    op.env = &env;
    ck_ok(&b, rwl_parquet_open(b.store, &op, "memory", 5, &file, &b.err));
    snprintf(want, sizeof want, "memory has %zu bytes, the table says 5; read as it is", bytes.len);
    ck_assert_str_eq(warned, want);
    ck_assert_int_eq(file->row_count, 1);
    rwl_parquet_close(file);
    rwl_buf_clear(&bytes);
    bench_free(&b);
}
END_TEST

static const struct {
    const char *name;
    int64_t lie_rows, lie_values, lie_offset;
    const char *message;
} lies[] = {
    {"rows", 1, 0, 0, "row groups have 1 rows, the file says 2"},
    {"negative rows", -2, 0, 0, "the file says -1"},
    {"values", 0, 1, 0, "row group 0: column n: 2 values in a row group of 1 rows"},
    {"negative values", 0, -5, 0, "column n: -4 values"},
    {"offset past the end", 0, 0, 100000, "column n: chunk of"},
    {"offset before the magic's end", 0, 0, -2, "column n: chunk of"},
    {"offset near 2^63", 0, 0, INT64_MAX - 100, "column n: chunk of"},
    {"negative offset", 0, 0, -100, "column n: chunk of"},
};

START_TEST(refuses_footers_that_contradict_themselves) {
    bench b;
    rwl_buf bytes;
    rwl_parquet_file *file;
    make(&b,
         (file_spec){.columns = &int_column,
                     .column_count = 1,
                     .group_rows = one_row,
                     .group_count = 1,
                     .lie_rows = lies[_i].lie_rows,
                     .lie_values = lies[_i].lie_values,
                     .lie_offset = lies[_i].lie_offset},
         &bytes);
    rwl_status st = rwl_parquet_open(b.store, &b.op, "memory", -1, &file, &b.err);
    ck_assert_msg(st == RWL_CORRUPT && strstr(b.err.message, lies[_i].message), "%s: %d %s", lies[_i].name,
                  st, b.err.message);
    rwl_buf_clear(&bytes);
    bench_free(&b);
}
END_TEST

static const struct {
    const char *name;
    const char *bytes;
    size_t len;
    rwl_status want;
    const char *message;
} tails[] = {
    {"empty file", "", 0, RWL_CORRUPT, "0 bytes"},
    {"magic alone", "PAR1", 4, RWL_CORRUPT, "4 bytes"},
    {"other magic", "PAR1\0\0\0\0\x01\0\0\0OOPS", 16, RWL_CORRUPT, "4f 4f 50 53"},
    {"encrypted footer", "PARE\0\0\0\0\x01\0\0\0PARE", 16, RWL_UNSUPPORTED, "encrypted"},
    {"footer of no bytes", "PAR1\0\0\0\0\0\0\0\0PAR1", 16, RWL_CORRUPT, "footer of 0 bytes"},
    {"footer longer than the file", "PAR1\0\0\0\0\x05\0\0\0PAR1", 16, RWL_CORRUPT,
     "footer of 5 bytes in a file of 16"},
    {"footer of 2^32-1 bytes", "PAR1\0\0\0\0\xff\xff\xff\xffPAR1", 16, RWL_CORRUPT, "4294967295"},
    {"empty struct", "PAR1\0\0\0\0\x01\0\0\0PAR1", 16, RWL_CORRUPT, "no schema"},
};

START_TEST(refuses_files_with_bad_ends) {
    bench b;
    rwl_parquet_file *file;
    bench_memory(&b, rwl_span_of(tails[_i].bytes, tails[_i].len));
    rwl_status st = rwl_parquet_open(b.store, &b.op, "memory", -1, &file, &b.err);
    ck_assert_msg(st == tails[_i].want && strstr(b.err.message, tails[_i].message), "%s: %d %s",
                  tails[_i].name, st, b.err.message);
    bench_free(&b);
}
END_TEST

START_TEST(survives_every_cut) {
    bench b;
    rwl_buf bytes;
    rwl_parquet_file *file;
    make(&b, (file_spec){.columns = &int_column, .column_count = 1, .group_rows = one_row, .group_count = 1},
         &bytes);
    rwl_store_free(b.store);
    for (size_t len = 0; len < bytes.len; len++) {
        b.store = rwl_memory_store_new(&b.env, rwl_span_of(bytes.data, len));
        ck_assert_int_eq(rwl_parquet_open(b.store, &b.op, "memory", -1, &file, &b.err), RWL_CORRUPT);
        rwl_store_free(b.store);
    }
    b.store = NULL;
    rwl_buf_clear(&bytes);
}
END_TEST

/* --- types --- */

static const struct {
    rwl_parquet_physical physical;
    int32_t length, converted, scale, precision;
    const char *type; /* "-": unsupported */
} types[] = {
    {RWL_PARQUET_BOOLEAN, 0, -1, 0, 0, "boolean"},
    {RWL_PARQUET_INT32, 0, -1, 0, 0, "int"},
    {RWL_PARQUET_INT32, 0, 15, 0, 0, "int"},
    {RWL_PARQUET_INT32, 0, 11, 0, 0, "int"},
    {RWL_PARQUET_INT32, 0, 13, 0, 0, "long"},
    {RWL_PARQUET_INT32, 0, 6, 0, 0, "date"},
    {RWL_PARQUET_INT32, 0, 7, 0, 0, "time"},
    {RWL_PARQUET_INT32, 0, 5, 2, 9, "decimal(9, 2)"},
    {RWL_PARQUET_INT64, 0, -1, 0, 0, "long"},
    {RWL_PARQUET_INT64, 0, 8, 0, 0, "time"},
    {RWL_PARQUET_INT64, 0, 9, 0, 0, "timestamptz"},
    {RWL_PARQUET_INT64, 0, 10, 0, 0, "timestamptz"},
    {RWL_PARQUET_INT64, 0, 14, 0, 0, "decimal(20, 0)"},
    {RWL_PARQUET_INT64, 0, 18, 0, 0, "long"},
    {RWL_PARQUET_INT96, 0, -1, 0, 0, "timestamptz"},
    {RWL_PARQUET_FLOAT, 0, -1, 0, 0, "float"},
    {RWL_PARQUET_DOUBLE, 0, -1, 0, 0, "double"},
    {RWL_PARQUET_BYTE_ARRAY, 0, -1, 0, 0, "binary"},
    {RWL_PARQUET_BYTE_ARRAY, 0, 0, 0, 0, "string"},
    {RWL_PARQUET_BYTE_ARRAY, 0, 4, 0, 0, "string"},
    {RWL_PARQUET_BYTE_ARRAY, 0, 19, 0, 0, "string"},
    {RWL_PARQUET_BYTE_ARRAY, 0, 20, 0, 0, "binary"},
    {RWL_PARQUET_BYTE_ARRAY, 0, 5, 0, 38, "decimal(38, 0)"},
    {RWL_PARQUET_BYTE_ARRAY, 0, 5, 0, 39, "-"},
    {RWL_PARQUET_FIXED, 16, -1, 0, 0, "fixed[16]"},
    {RWL_PARQUET_FIXED, 5, 5, 3, 10, "decimal(10, 3)"},
    {RWL_PARQUET_FIXED, 5, 5, 11, 10, "-"},
    {RWL_PARQUET_FIXED, 12, 21, 0, 0, "-"},
};

START_TEST(gives_the_natural_type) {
    bench b;
    rwl_buf bytes, text;
    rwl_parquet_file *file;
    column_spec c = {.name = "x",
                     .id = 1,
                     .physical = types[_i].physical,
                     .type_length = types[_i].length,
                     .converted = types[_i].converted,
                     .scale = types[_i].scale,
                     .precision = types[_i].precision,
                     .pages = &one_page,
                     .pages_in_group = one_each};
    make(&b, (file_spec){.columns = &c, .column_count = 1, .group_rows = one_row, .group_count = 1}, &bytes);
    ck_ok(&b, rwl_parquet_open(b.store, &b.op, "memory", -1, &file, &b.err));
    rwl_buf_init(&text, &b.env, SIZE_MAX);
    ck_ok(&b, rwl_type_format(&file->leaves[0].field.type, &text, &b.err));
    ck_ok(&b, rwl_buf_terminate(&text, &b.err));
    ck_assert_int_eq(file->leaves[0].unsupported, strcmp(types[_i].type, "-") == 0);
    if (!file->leaves[0].unsupported)
        ck_assert_str_eq((char *)text.data, types[_i].type);
    rwl_buf_clear(&text);
    rwl_parquet_close(file);
    rwl_buf_clear(&bytes);
    bench_free(&b);
}
END_TEST

/* A schema list of one column and its logical type union, by hand: list header, root, element. */
static void parse_logical(const uint8_t *logical, size_t len, int32_t physical, rwl_parquet_leaf *out) {
    rwl_env env;
    rwl_env_init_default(&env);
    rwl_buf b;
    rwl_buf_init(&b, &env, SIZE_MAX);
    int16_t last = 0;
#define OK(expr) ck_assert_int_eq((expr), RWL_OK)
    OK(rwl_thrift_put_list(&b, RWL_THRIFT_STRUCT, 2, NULL));
    OK(rwl_buf_append(&b, "\x48\x01r\x15\x02\x00", 6, NULL)); /* name "r", one child */
    OK(rwl_thrift_put_field(&b, &last, 1, RWL_THRIFT_I32, NULL));
    OK(rwl_thrift_put_i32(&b, physical, NULL));
    OK(rwl_thrift_put_field(&b, &last, 2, RWL_THRIFT_I32, NULL));
    OK(rwl_thrift_put_i32(&b, 16, NULL));
    OK(rwl_thrift_put_field(&b, &last, 4, RWL_THRIFT_BINARY, NULL));
    OK(rwl_thrift_put_binary(&b, rwl_span_str("x"), NULL));
    OK(rwl_thrift_put_field(&b, &last, 10, RWL_THRIFT_STRUCT, NULL));
    OK(rwl_buf_append(&b, logical, len, NULL));
    OK(rwl_thrift_put_stop(&b, NULL));
    rwl_arena arena;
    rwl_arena_init(&arena, &env, 0);
    rwl_parquet_file file = {0};
    rwl_cursor c = rwl_cursor_of(rwl_buf_span(&b));
    OK(rwl_parquet_schema_parse(&c, &arena, &file, NULL));
    ck_assert_int_eq(file.leaf_count, 1);
    *out = file.leaves[0];
    rwl_arena_clear(&arena);
    rwl_buf_clear(&b);
}

/* LogicalType: field id is the kind; TIMESTAMP { 1: bool utc, 2: unit { id: {} } } */
static const struct {
    const char *name;
    uint8_t bytes[12];
    size_t len;
    int32_t physical;
    rwl_type_kind kind;
    bool unsupported, millis;
} logicals[] = {
    {"string", {0x1c, 0, 0}, 3, RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_STRING, false, false},
    {"timestamp millis",
     {0x8c, 0x12, 0x1c, 0x1c, 0, 0, 0, 0},
     8,
     RWL_PARQUET_INT64,
     RWL_TYPE_TIMESTAMP,
     false,
     true},
    {"timestamptz micros",
     {0x8c, 0x11, 0x1c, 0x2c, 0, 0, 0, 0},
     8,
     RWL_PARQUET_INT64,
     RWL_TYPE_TIMESTAMPTZ,
     false,
     false},
    {"timestamp nanos",
     {0x8c, 0x12, 0x1c, 0x3c, 0, 0, 0, 0},
     8,
     RWL_PARQUET_INT64,
     RWL_TYPE_TIMESTAMP_NS,
     false,
     false},
    {"timestamptz nanos",
     {0x8c, 0x11, 0x1c, 0x3c, 0, 0, 0, 0},
     8,
     RWL_PARQUET_INT64,
     RWL_TYPE_TIMESTAMPTZ_NS,
     false,
     false},
    {"time nanos", {0x7c, 0x11, 0x1c, 0x3c, 0, 0, 0, 0}, 8, RWL_PARQUET_INT64, RWL_TYPE_TIME, false, false},
    {"integer 16 signed", {0xac, 0x13, 16, 0x11, 0, 0}, 6, RWL_PARQUET_INT32, RWL_TYPE_INT, false, false},
    {"integer 32 unsigned", {0xac, 0x13, 32, 0x12, 0, 0}, 6, RWL_PARQUET_INT32, RWL_TYPE_LONG, false, false},
    {"integer 64 unsigned",
     {0xac, 0x13, 64, 0x12, 0, 0},
     6,
     RWL_PARQUET_INT64,
     RWL_TYPE_DECIMAL,
     false,
     false},
    {"uuid", {0xec, 0, 0}, 3, RWL_PARQUET_FIXED, RWL_TYPE_UUID, false, false},
    /* of two bytes only: here it has 16 */
    {"float16", {0xfc, 0, 0}, 3, RWL_PARQUET_FIXED, RWL_TYPE_FIXED, false, false},
    {"geometry", {0x0c, 0x22, 0, 0}, 4, RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_GEOMETRY, false, false},
    {"one not yet invented", {0x0c, 0x50, 0, 0}, 4, RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_BINARY, false, false},
};

START_TEST(reads_logical_types) {
    rwl_parquet_leaf leaf;
    parse_logical(logicals[_i].bytes, logicals[_i].len, logicals[_i].physical, &leaf);
    ck_assert_msg(leaf.field.type.kind == logicals[_i].kind && leaf.unsupported == logicals[_i].unsupported &&
                      leaf.millis == logicals[_i].millis &&
                      rwl_type_is_time_ns(&leaf.field.type) == (strcmp(logicals[_i].name, "time nanos") == 0),
                  "%s: kind %d, unsupported %d, millis %d", logicals[_i].name, leaf.field.type.kind,
                  leaf.unsupported, leaf.millis);
}
END_TEST

/* --- statistics --- */

static rwl_parquet_leaf leaf_of(rwl_parquet_physical physical, rwl_type_kind kind) {
    rwl_parquet_leaf leaf = {.physical = physical, .type_length = 2};
    leaf.field.type = rwl_type_of(kind);
    return leaf;
}

START_TEST(decodes_bounds_of_each_type) {
    rwl_value v;
    static const uint8_t four[] = {0xfe, 0xff, 0xff, 0xff},
                         eight[] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    rwl_parquet_leaf leaf = leaf_of(RWL_PARQUET_INT32, RWL_TYPE_INT);
    ck_assert(rwl_parquet_stats_value(&leaf, rwl_span_of(four, 4), &v) && v.as.i32 == -2);
    ck_assert(!rwl_parquet_stats_value(&leaf, rwl_span_of(four, 3), &v));
    ck_assert(!rwl_parquet_stats_value(&leaf, (rwl_span){NULL, 0}, &v));
    leaf = leaf_of(RWL_PARQUET_INT32, RWL_TYPE_LONG);
    ck_assert(rwl_parquet_stats_value(&leaf, rwl_span_of(four, 4), &v) && v.as.i64 == 4294967294);
    leaf = leaf_of(RWL_PARQUET_INT64, RWL_TYPE_TIMESTAMPTZ);
    leaf.millis = true;
    ck_assert(rwl_parquet_stats_value(&leaf, rwl_span_of(eight, 8), &v) && v.as.i64 == -2000);
    leaf = leaf_of(RWL_PARQUET_FIXED, RWL_TYPE_DECIMAL);
    ck_assert(rwl_parquet_stats_value(&leaf, rwl_span_of("\xff\x00", 2), &v) && v.as.i128 == -256);
    leaf = leaf_of(RWL_PARQUET_INT96, RWL_TYPE_TIMESTAMPTZ);
    ck_assert(!rwl_parquet_stats_value(&leaf, rwl_span_of("123456789012", 12), &v));
    leaf = leaf_of(RWL_PARQUET_FLOAT, RWL_TYPE_FLOAT);
    ck_assert(!rwl_parquet_stats_value(&leaf, rwl_span_of("\x00\x00\xc0\x7f", 4), &v)); /* NaN */
    leaf = leaf_of(RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_STRING);
    ck_assert(rwl_parquet_stats_value(&leaf, rwl_span_of("", 0), &v) && v.as.bytes.len == 0);
}
END_TEST

START_TEST(trusts_old_bounds_only_where_their_order_was_right) {
    /* Statistics { 1: max "b...", 2: min "a..." } as four bytes each */
    static const uint8_t old_pair[] = {0x18, 4, 9, 0, 0, 0, 0x18, 4, 1, 0, 0, 0, 0x16, 0x06, 0};
    rwl_parquet_stats s;
    rwl_parquet_leaf leaf = leaf_of(RWL_PARQUET_INT32, RWL_TYPE_INT);
    rwl_cursor c = rwl_cursor_of(rwl_span_of(old_pair, sizeof old_pair));
    ck_assert_int_eq(rwl_parquet_stats_parse(&c, &s, NULL), RWL_OK);
    rwl_parquet_stats_settle(&leaf, &s);
    ck_assert_int_eq(s.null_count, 3);
    ck_assert(s.min.data[0] == 1 && s.max.data[0] == 9);
    leaf = leaf_of(RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_STRING);
    c = rwl_cursor_of(rwl_span_of(old_pair, sizeof old_pair));
    ck_assert_int_eq(rwl_parquet_stats_parse(&c, &s, NULL), RWL_OK);
    rwl_parquet_stats_settle(&leaf, &s);
    ck_assert(s.min.data == NULL && s.max.data == NULL);
    /* 5: max_value, 6: min_value, 8: min exact false */
    static const uint8_t new_pair[] = {0x58, 1, 'z', 0x18, 1, 'a', 0x22, 0};
    c = rwl_cursor_of(rwl_span_of(new_pair, sizeof new_pair));
    ck_assert_int_eq(rwl_parquet_stats_parse(&c, &s, NULL), RWL_OK);
    ck_assert(s.max_is_exact && !s.min_is_exact);
    rwl_parquet_stats with_order = s;
    leaf.order = RWL_PARQUET_BOUNDS_TYPED;
    rwl_parquet_stats_settle(&leaf, &with_order);
    ck_assert(with_order.min.data && with_order.min.data[0] == 'a' && with_order.max.data[0] == 'z');
    leaf.order = RWL_PARQUET_BOUNDS_NONE;
    rwl_parquet_stats_settle(&leaf, &s);
    ck_assert(!s.min.data && !s.max.data);
}
END_TEST

START_TEST(widens_zeros_and_drops_bounds_beside_nan) {
    static const uint8_t zero[8] = {0}, minus[8] = {0, 0, 0, 0, 0, 0, 0, 0x80},
                         nan[8] = {0, 0, 0, 0, 0, 0, 0xf8, 0x7f};
    rwl_parquet_leaf leaf = leaf_of(RWL_PARQUET_DOUBLE, RWL_TYPE_DOUBLE);
    rwl_parquet_stats s = {.min = {zero, 8}, .max = {minus, 8}};
    rwl_parquet_stats_settle(&leaf, &s);
    ck_assert(s.min.data[7] == 0x80 && s.max.data[7] == 0);
    s = (rwl_parquet_stats){.min = {zero, 8}, .max = {nan, 8}};
    rwl_parquet_stats_settle(&leaf, &s);
    ck_assert(!s.min.data && !s.max.data);
}
END_TEST

Suite *footer_suite(void) {
    Suite *s = suite_create("footer");
    TCase *t = tcase_create("footer");
    tcase_add_test(t, gives_leaves_groups_and_positions);
    tcase_add_test(t, a_file_of_another_size_than_the_table_says_is_read_with_a_warning_of_both);
    tcase_add_loop_test(t, refuses_footers_that_contradict_themselves, 0,
                        (int)(sizeof lies / sizeof lies[0]));
    tcase_add_loop_test(t, refuses_files_with_bad_ends, 0, (int)(sizeof tails / sizeof tails[0]));
    tcase_add_test(t, survives_every_cut);
    tcase_add_loop_test(t, gives_the_natural_type, 0, (int)(sizeof types / sizeof types[0]));
    tcase_add_loop_test(t, reads_logical_types, 0, (int)(sizeof logicals / sizeof logicals[0]));
    tcase_add_test(t, decodes_bounds_of_each_type);
    tcase_add_test(t, trusts_old_bounds_only_where_their_order_was_right);
    tcase_add_test(t, widens_zeros_and_drops_bounds_beside_nan);
    suite_add_tcase(s, t);
    return s;
}
