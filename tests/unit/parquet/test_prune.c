/* SPDX-License-Identifier: Apache-2.0 */
/* Pruning: files described by hand, whose statistics, indexes and filters say what they say. */
#include "reader_support.h"
#include "suites.h"

#include "memory_store.h"
#include "parquet/bloom.h"
#include "parquet/footer.h"
#include "parquet/prune.h"

#include <stdio.h>

enum { GROUP_ROWS = 100, INDEX_MAX = 4096, TAIL_OFF = 1000 };

static bench b;
static rwl_arena arena;

static void set_up(void) {
    bench_memory(&b, rwl_span_of("none", 4));
    rwl_arena_init(&arena, &b.env, 0);
}

static void tear_down(void) {
    rwl_arena_clear(&arena);
    bench_free(&b);
}

/* --- a file of one column and one row group --- */

typedef struct one_column {
    rwl_parquet_physical physical;
    rwl_type_kind kind;
    int32_t precision, scale, type_length;
    bool millis, is_unsigned, required;
    const char *parameters;
    rwl_parquet_bounds_order order; /* NONE means TYPED here */
} one_column;

typedef struct one_file {
    rwl_parquet_file file;
    rwl_parquet_leaf leaf;
    rwl_parquet_node node;
    rwl_parquet_chunk chunk;
    rwl_parquet_group group;
    rwl_field field;
} one_file;

static void describe(one_file *f, const one_column *c) {
    memset(f, 0, sizeof *f);
    f->field = (rwl_field){.name = "x", .id = 1, .required = c->required, .type = rwl_type_of(c->kind)};
    f->field.type.precision = c->precision;
    f->field.type.scale = c->scale;
    f->field.type.parameters = c->parameters;
    f->field.type.length = c->kind == RWL_TYPE_FIXED ? c->type_length : 0;
    f->leaf = (rwl_parquet_leaf){.field = f->field,
                                 .physical = c->physical,
                                 .type_length = c->type_length,
                                 .millis = c->millis,
                                 .is_unsigned = c->is_unsigned,
                                 .order = c->order == RWL_PARQUET_BOUNDS_NONE ? RWL_PARQUET_BOUNDS_TYPED
                                                                              : c->order};
    f->node = (rwl_parquet_node){.field = f->field, .leaf_count = 1};
    f->chunk = (rwl_parquet_chunk){.value_count = GROUP_ROWS,
                                   .data_offset = 4,
                                   .compressed_size = 900,
                                   .unencoded_bytes = -1,
                                   .stats = {.null_count = -1, .nan_count = -1}};
    f->group = (rwl_parquet_group){.row_count = GROUP_ROWS, .chunks = &f->chunk};
    f->file = (rwl_parquet_file){.env = &b.env,
                                 .location = "memory",
                                 .size = 1 << 20,
                                 .row_count = GROUP_ROWS,
                                 .nodes = &f->node,
                                 .node_count = 1,
                                 .leaves = &f->leaf,
                                 .leaf_count = 1,
                                 .groups = &f->group,
                                 .group_count = 1,
                                 .created_by = ""};
}

/* Prunes by `filter` on a field that comes from there; returns the ranges as "0+100", " " between. */
static const char *prune_from(one_file *f, const rwl_field *field, const rwl_parquet_source *source,
                              const char *filter) {
    static char text[512];
    const rwl_expr *e;
    const rwl_bound *bound;
    rwl_parquet_selection s;
    ck_ok(&b, rwl_expr_parse(filter, &arena, &e, &b.err));
    ck_ok(&b, rwl_expr_bind(e, field, 1, &arena, &bound, &b.err));
    rwl_parquet_prune_request q = {.filter = bound, .fields = field, .field_count = 1, .sources = source};
    ck_ok(&b, rwl_parquet_prune(b.store, &b.op, &f->file, &q, &s, &b.err));
    size_t len = 0;
    text[0] = 0;
    for (size_t i = 0; i < s.count; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%lld+%lld", i > 0 ? " " : "",
                                (long long)s.ranges[i].start, (long long)s.ranges[i].count);
    rwl_parquet_selection_clear(&s, &b.env);
    return text;
}

/* The field is the file's column, in this type. */
static const char *prune_as(one_file *f, const rwl_field *field, const char *filter) {
    const rwl_parquet_source leaf = {.kind = RWL_PARQUET_SOURCE_LEAF};
    return prune_from(f, field, &leaf, filter);
}

/* --- statistics --- */

typedef struct stats_case {
    const char *name;
    one_column column;
    const char *min, *max; /* bytes; NULL: absent */
    size_t len;            /* of each; 0: they are text */
    int64_t nulls, nans;   /* -1 absent */
    const char *filter;
    bool keeps;
} stats_case;

#define INT32(kind_)                                                                                         \
    { .physical = RWL_PARQUET_INT32, .kind = kind_ }
#define INT64(kind_)                                                                                         \
    { .physical = RWL_PARQUET_INT64, .kind = kind_ }
#define DOUBLE                                                                                               \
    { .physical = RWL_PARQUET_DOUBLE, .kind = RWL_TYPE_DOUBLE }
#define TEXT                                                                                                 \
    { .physical = RWL_PARQUET_BYTE_ARRAY, .kind = RWL_TYPE_STRING }
#define MILLIS                                                                                               \
    { .physical = RWL_PARQUET_INT64, .kind = RWL_TYPE_TIMESTAMP, .millis = true }
#define FIXED_DECIMAL                                                                                        \
    { .physical = RWL_PARQUET_FIXED, .kind = RWL_TYPE_DECIMAL, .precision = 4, .type_length = 2 }
/* doubles, little endian */
#define D_3   "\x00\x00\x00\x00\x00\x00\x08\x40"
#define D_NAN "\x00\x00\x00\x00\x00\x00\xf8\x7f"
#define D_0   "\x00\x00\x00\x00\x00\x00\x00\x00"
#define D_M0  "\x00\x00\x00\x00\x00\x00\x00\x80"
/* 2020-01-01T00:00:00 is 1577836800 s: 1577836800000 ms = 0x16f5e66e800 */
#define MS_2020 "\x00\xe8\x66\x5e\x6f\x01\x00\x00"

static const stats_case stats[] = {
    {"inside", INT32(RWL_TYPE_INT), "\x01\0\0\0", "\x09\0\0\0", 4, 0, -1, "x = 5", true},
    {"below", INT32(RWL_TYPE_INT), "\x01\0\0\0", "\x09\0\0\0", 4, 0, -1, "x = 0", false},
    {"above", INT32(RWL_TYPE_INT), "\x01\0\0\0", "\x09\0\0\0", 4, 0, -1, "x > 9", false},
    {"one of several", INT32(RWL_TYPE_INT), "\x01\0\0\0", "\x09\0\0\0", 4, 0, -1, "x in (0, 9)", true},
    {"none of several", INT32(RWL_TYPE_INT), "\x01\0\0\0", "\x09\0\0\0", 4, 0, -1, "x in (0, 10)", false},
    {"no bounds", INT32(RWL_TYPE_INT), NULL, NULL, 4, 0, -1, "x = 5", true},
    {"all null", INT32(RWL_TYPE_INT), NULL, NULL, 4, GROUP_ROWS, -1, "x = 5", false},
    {"all null, wanted", INT32(RWL_TYPE_INT), NULL, NULL, 4, GROUP_ROWS, -1, "x is null", true},
    {"no nulls", INT32(RWL_TYPE_INT), "\x01\0\0\0", "\x09\0\0\0", 4, 0, -1, "x is null", false},
    {"nulls not counted", INT32(RWL_TYPE_INT), "\x01\0\0\0", "\x09\0\0\0", 4, -1, -1, "x is null", true},
    {"more nulls than rows", INT32(RWL_TYPE_INT), NULL, NULL, 4, GROUP_ROWS + 1, -1, "x = 5", true},
    {"bounds of another length", INT32(RWL_TYPE_INT), "\x01\0\0\0\0", "\x09\0\0\0\0", 5, 0, -1, "x = 50",
     true},
    {"swapped bounds", INT32(RWL_TYPE_INT), "\x09\0\0\0", "\x01\0\0\0", 4, 0, -1, "x = 50", true},
    {"unsigned 4294967295", INT32(RWL_TYPE_LONG), "\x01\0\0\0", "\xff\xff\xff\xff", 4, 0, -1,
     "x = 4294967295", true},
    {"unsigned, below", INT32(RWL_TYPE_LONG), "\x01\0\0\0", "\xff\xff\xff\xff", 4, 0, -1, "x < 1", false},
    {"an order not known",
     {.physical = RWL_PARQUET_INT32, .kind = RWL_TYPE_INT, .order = RWL_PARQUET_BOUNDS_OTHER},
     "\x01\0\0\0",
     "\x09\0\0\0",
     4,
     0,
     -1,
     "x = 50",
     true},
    /* BUG-139: only comparisons with the column itself */
    {"bug_139 a range of 0 to 49", INT32(RWL_TYPE_INT), "\0\0\0\0", "\x31\0\0\0", 4, 0, -1, "x = 4 or x = 44",
     true},
    /* BUG-140, BUG-141, BUG-156: bounds that are cut hold as inequalities */
    {"bug_141 a long string below the raised bound", TEXT, "aaaaaaaa", "aaaaaaab", 0, 0, -1,
     "x = 'aaaaaaaazzzzzzzzzzzzzzzzzzzzz'", true},
    {"bug_140 a bound cut inside a character", TEXT, "aaaaaaaaaaaaaaa\xe2", "aaaaaaaaaaaaaaa\xe3", 0, 0, -1,
     "x = 'aaaaaaaaaaaaaaa\xe2\x82\xac'", true},
    {"bug_140 a string behind it", TEXT, "aaaaaaaaaaaaaaa\xe2", "aaaaaaaaaaaaaaa\xe3", 0, 0, -1,
     "x = 'aaaaaaaaaaaaaab'", false},
    {"bug_156 the prefix is no value", TEXT, "A1234567", "A1234568", 0, 0, -1, "x = 'A123456789'", true},
    {"bug_150 bytes, not UTF-16", TEXT, "\xef\xbd\x9e", "\xf0\x9f\x98\x80", 0, 0, -1, "x = '\xef\xbf\xbf'",
     true},
    /* BUG-143: nulls beside the only value; here a null satisfies no negation, but it IS NULL */
    {"bug_143 nulls are not told by the bounds", TEXT, "ab", "ab", 0, 1, -1, "x <> 'ab' or x is null", true},
    {"bug_143 the value itself", TEXT, "ab", "ab", 0, 1, -1, "x not in ('a')", true},
    /* BUG-147: NaN is above every number, and in no bound */
    {"bug_147 <> the only number", DOUBLE, D_3, D_3, 8, 0, -1, "x <> 3", true},
    {"bug_147 > the only number", DOUBLE, D_3, D_3, 8, 0, -1, "x > 5", true},
    {"bug_147 not below", DOUBLE, D_3, D_3, 8, 0, -1, "not (x < 10)", true},
    {"bug_147 is nan", DOUBLE, D_3, D_3, 8, 0, -1, "x is nan", true},
    {"bug_147 nan counted, none", DOUBLE, D_3, D_3, 8, 0, 0, "x > 5", false},
    {"bug_147 nan as a bound", DOUBLE, D_3, D_NAN, 8, 0, 1, "x = 4", true},
    {"bug_148 is nan, none", DOUBLE, D_3, D_3, 8, 0, 0, "x is nan", false},
    {"bug_148 is not nan, all are", DOUBLE, NULL, NULL, 8, 0, GROUP_ROWS, "x is not nan", false},
    {"bug_148 is not nan, nulls are not", DOUBLE, NULL, NULL, 8, 1, GROUP_ROWS - 1, "x is not nan", true},
    {"zero may be minus zero", DOUBLE, D_0, D_3, 8, 0, 0, "x <= 0", true},
    {"minus zero may be zero", DOUBLE, D_M0, D_M0, 8, 0, 0, "x >= 0", true},
    {"total order: all NaN",
     {.physical = RWL_PARQUET_DOUBLE, .kind = RWL_TYPE_DOUBLE, .order = RWL_PARQUET_BOUNDS_IEEE},
     D_NAN,
     D_NAN,
     8,
     0,
     GROUP_ROWS,
     "x = 3",
     false},
    {"total order: numbers",
     {.physical = RWL_PARQUET_DOUBLE, .kind = RWL_TYPE_DOUBLE, .order = RWL_PARQUET_BOUNDS_IEEE},
     D_0,
     D_3,
     8,
     0,
     0,
     "x > 3",
     false},
    {"total order of integers is none",
     {.physical = RWL_PARQUET_INT32, .kind = RWL_TYPE_INT, .order = RWL_PARQUET_BOUNDS_IEEE},
     "\x01\0\0\0",
     "\x09\0\0\0",
     4,
     0,
     -1,
     "x = 50",
     true},
    /* BUG-151: decimal bytes are signed */
    {"bug_151 -1 to 5 has 0", FIXED_DECIMAL, "\xff\xff", "\x00\x05", 2, 0, -1, "x = 0", true},
    {"bug_151 -1 to 5 has no 6", FIXED_DECIMAL, "\xff\xff", "\x00\x05", 2, 0, -1, "x = 6", false},
    {"bug_151 -1 to 5 has no -2", FIXED_DECIMAL, "\xff\xff", "\x00\x05", 2, 0, -1, "x = -2", false},
    {"bug_151 written by unsigned order", FIXED_DECIMAL, "\x00\x00", "\xff\xff", 2, 0, -1, "x = 5", true},
    {"bug_151 decimal as bytes",
     {.physical = RWL_PARQUET_BYTE_ARRAY, .kind = RWL_TYPE_DECIMAL, .precision = 8},
     "\x7f",
     "\x7f",
     0,
     0,
     -1,
     "x = 128",
     false},
    /* BUG-242: milliseconds against literals in microseconds */
    {"bug_242 2020 is not before 1990", MILLIS, MS_2020, MS_2020, 8, 0, -1,
     "x < timestamp '1990-01-01 00:00:00'", false},
    {"bug_242 2020 is behind 1990", MILLIS, MS_2020, MS_2020, 8, 0, -1, "x > timestamp '1990-01-01 00:00:00'",
     true},
    {"bug_242 exactly", MILLIS, MS_2020, MS_2020, 8, 0, -1, "x = timestamp '2020-01-01 00:00:00'", true},
    /* BUG-154: nanoseconds stay nanoseconds; 2020-01-01T00:00:00 and 1 ns */
    {"bug_154 one nanosecond later", INT64(RWL_TYPE_TIMESTAMP_NS), "\x01\x00\x8a\xb9\x35\x9a\xe5\x15",
     "\x01\x00\x8a\xb9\x35\x9a\xe5\x15", 8, 0, -1, "x = timestamp '2020-01-01 00:00:00.000000001'", true},
    {"bug_154 not at the second", INT64(RWL_TYPE_TIMESTAMP_NS), "\x01\x00\x8a\xb9\x35\x9a\xe5\x15",
     "\x01\x00\x8a\xb9\x35\x9a\xe5\x15", 8, 0, -1, "x = timestamp '2020-01-01 00:00:00'", false},
    {"bug_154 a time in nanoseconds",
     {.physical = RWL_PARQUET_INT64, .kind = RWL_TYPE_TIME, .parameters = RWL_TYPE_NANOS},
     "\x01\x00\x00\x00\x00\x00\x00\x00",
     "\x01\x00\x00\x00\x00\x00\x00\x00",
     8,
     0,
     -1,
     "x = time '00:00:00.000000001'",
     true},
    {"bug_154 not at midnight",
     {.physical = RWL_PARQUET_INT64, .kind = RWL_TYPE_TIME, .parameters = RWL_TYPE_NANOS},
     "\x01\x00\x00\x00\x00\x00\x00\x00",
     "\x01\x00\x00\x00\x00\x00\x00\x00",
     8,
     0,
     -1,
     "x = time '00:00:00'",
     false},
    /* BUG-162: statistics of INT96 are not looked at */
    {"bug_162 int96",
     {.physical = RWL_PARQUET_INT96, .kind = RWL_TYPE_TIMESTAMPTZ},
     "000000000000",
     "000000000000",
     0,
     0,
     -1,
     "x = timestamptz '2020-01-01 00:00:00Z'",
     true},
};

static rwl_span bound_of(const char *bytes, size_t len) {
    return bytes ? rwl_span_of(bytes, len > 0 ? len : strlen(bytes)) : (rwl_span){NULL, 0};
}

START_TEST(row_groups_are_left_out_by_statistics_that_can_be_trusted) {
    const stats_case *k = &stats[_i];
    one_file f;
    describe(&f, &k->column);
    f.chunk.stats = (rwl_parquet_stats){.null_count = k->nulls,
                                        .nan_count = k->nans,
                                        .min = bound_of(k->min, k->len),
                                        .max = bound_of(k->max, k->len)};
    rwl_parquet_stats_settle(&f.leaf, &f.chunk.stats);
    const char *got = prune_as(&f, &f.field, k->filter);
    ck_assert_msg(strcmp(got, k->keeps ? "0+100" : "") == 0, "%s: %s gives '%s'", k->name, k->filter, got);
}
END_TEST

/* The table's type is wider than the file's: bounds are promoted, values asked for are narrowed. */
START_TEST(bounds_are_promoted_to_the_type_of_the_table) {
    one_file f;
    one_column narrow = INT32(RWL_TYPE_INT), day = INT32(RWL_TYPE_DATE);
    rwl_field wide = {.name = "x", .id = 1, .type = rwl_type_of(RWL_TYPE_LONG)};
    describe(&f, &narrow);
    f.chunk.stats = (rwl_parquet_stats){.null_count = 0,
                                        .nan_count = -1,
                                        .min = rwl_span_of("\x01\0\0\0", 4),
                                        .max = rwl_span_of("\x09\0\0\0", 4)};
    ck_assert_str_eq(prune_as(&f, &wide, "x = 5"), "0+100");
    ck_assert_str_eq(prune_as(&f, &wide, "x = 5000000000"), "");
    /* 18262 days are 2020-01-01: 56 47 00 00 */
    rwl_field moment = {.name = "x", .id = 1, .type = rwl_type_of(RWL_TYPE_TIMESTAMP)};
    describe(&f, &day);
    f.chunk.stats = (rwl_parquet_stats){.null_count = 0,
                                        .nan_count = -1,
                                        .min = rwl_span_of("\x56\x47\0\0", 4),
                                        .max = rwl_span_of("\x56\x47\0\0", 4)};
    ck_assert_str_eq(prune_as(&f, &moment, "x = timestamp '2020-01-01 00:00:00'"), "0+100");
    ck_assert_str_eq(prune_as(&f, &moment, "x = timestamp '2020-01-01 00:00:01'"), "");
}
END_TEST

/* PARQUET-251: what the deprecated bounds of byte arrays are worth depends on who wrote them. */
START_TEST(old_bounds_of_bytes_are_trusted_by_their_writer) {
    static const struct {
        const char *created_by;
        bool is_corrupt;
    } writers[] = {
        {"parquet-mr version 1.6.0rc3 (build abcd)", true},
        {"parquet-mr version 1.7.0 (build abcd)", true},
        {"parquet-mr version 1.8.0 (build abcd)", false},
        {"parquet-mr version 1.8.0rc4", false},
        {"parquet-mr version 1.13.1", false},
        {"parquet-mr version 2.0.0", false},
        {"parquet-mr version 1.5.0-cdh5.4.999 (build abcd)", true},
        {"parquet-mr version 1.5.0-cdh5.5.0 (build abcd)", false},
        {"parquet-mr version 1.5.0-cdh6.0.0", false},
        {"parquet-mr (build abcd)", true},
        {"parquet-mr version x", true},
        {"impala version 1.6.0", false},
        {"", true},
    };
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++)
        ck_assert_msg(rwl_parquet_stats_corrupt(writers[i].created_by) == writers[i].is_corrupt, "%s",
                      writers[i].created_by);
    one_file f;
    one_column text = TEXT;
    describe(&f, &text);
    rwl_parquet_stats s = {.is_old = true, .min = rwl_span_str("a"), .max = rwl_span_str("z")};
    rwl_parquet_stats_settle(&f.leaf, &s);
    ck_assert(s.min.data == NULL); /* of signed bytes */
    s = (rwl_parquet_stats){.is_old = true, .min = rwl_span_str("a"), .max = rwl_span_str("a")};
    rwl_parquet_stats_settle(&f.leaf, &s);
    ck_assert(s.min.data != NULL); /* one value is in any order */
}
END_TEST

/* --- where a field comes from --- */

static void describe_numbers(one_file *f, const char *min, const char *max, int64_t nulls) {
    const one_column column = INT64(RWL_TYPE_LONG);
    describe(f, &column);
    f->chunk.stats = (rwl_parquet_stats){.null_count = nulls,
                                         .nan_count = -1,
                                         .min = rwl_span_of(min, 8),
                                         .max = rwl_span_of(max, 8),
                                         .min_is_exact = true,
                                         .max_is_exact = true};
}
#define N_1 "\x01\0\0\0\0\0\0\0"
#define N_9 "\x09\0\0\0\0\0\0\0"

/* Cells that are inherited are null in the file: its bounds are those of the others. */
START_TEST(nulls_that_are_read_as_something_else_hide_what_a_leaf_tells) {
    static const struct {
        int64_t nulls;
        const char *filter, *want;
    } cases[] = {{0, "x = 50", ""},        {0, "x = 5", "0+100"},   {3, "x = 50", "0+100"},
                 {-1, "x = 50", "0+100"},  {0, "x is null", ""},    {3, "x is null", "0+100"},
                 {100, "x = 50", "0+100"}, {100, "x > 9", "0+100"}, {100, "x is not null", "0+100"}};
    const rwl_parquet_source source = {.kind = RWL_PARQUET_SOURCE_LEAF, .nulls_differ = true};
    one_file f;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        describe_numbers(&f, N_1, N_9, cases[i].nulls);
        ck_assert_msg(strcmp(prune_from(&f, &f.field, &source, cases[i].filter), cases[i].want) == 0,
                      "%lld nulls, %s", (long long)cases[i].nulls, cases[i].filter);
    }
}
END_TEST

/* A leaf below structs has a value a row; that it is required says nothing of the structs. Below a list it has not. */
START_TEST(leaves_of_structs_tell_and_those_of_lists_do_not) {
    static const struct {
        int16_t definition, repetition;
        bool required;
        int64_t nulls;
        const char *filter, *want;
    } cases[] = {
        {2, 0, false, 0, "x = 50", ""},         {2, 0, false, 40, "x = 5", "0+100"},
        {1, 0, true, -1, "x is null", "0+100"}, {1, 0, true, 7, "x is null", "0+100"},
        {1, 0, true, 0, "x is null", ""},       {0, 0, true, -1, "x is null", ""},
        {1, 0, true, 100, "x = 5", ""},         {1, 1, true, 0, "x = 50", "0+100"},
        {1, 1, true, 100, "x = 5", "0+100"},
    };
    one_file f;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        describe_numbers(&f, N_1, N_9, cases[i].nulls);
        f.leaf.is_nested = true;
        f.leaf.field.required = cases[i].required;
        f.leaf.max_definition = cases[i].definition;
        f.leaf.max_repetition = cases[i].repetition;
        ck_assert_msg(strcmp(prune_as(&f, &f.field, cases[i].filter), cases[i].want) == 0, "case %zu", i);
    }
}
END_TEST

/* Rows 200 to 299 of a file: BUG-007 is their start counted twice. */
START_TEST(bug_007_rows_that_are_counted_are_a_range) {
    static const struct {
        int64_t first;
        const char *filter, *want;
    } cases[] = {
        {0, "x = 199", ""},
        {0, "x = 200", "200+100"},
        {0, "x = 299", "200+100"},
        {0, "x = 300", ""},
        {1000, "x = 1250", "200+100"},
        {1000, "x = 250", ""},
        {1000, "x = 1450", ""},
        {0, "x is null", ""},
        {0, "x <> 250", "200+100"},
        {0, "x in (1, 299, 400)", "200+100"},
        {INT64_MAX - 100, "x = 5", "200+100"}, /* no numbers at all: nothing is known */
    };
    one_file f;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const rwl_parquet_source source = {.kind = RWL_PARQUET_SOURCE_POSITION, .first = cases[i].first};
        describe_numbers(&f, N_1, N_9, 0);
        f.group.first_row = 200;
        ck_assert_msg(strcmp(prune_from(&f, &f.field, &source, cases[i].filter), cases[i].want) == 0,
                      "%lld, %s", (long long)cases[i].first, cases[i].filter);
    }
}
END_TEST

START_TEST(a_selection_is_cut_to_a_range_of_rows) {
    rwl_range ranges[] = {{0, 10}, {20, 10}, {40, 5}};
    rwl_parquet_selection s = {.ranges = ranges, .count = 3, .row_count = 25};
    rwl_parquet_selection_cut(&s, (rwl_range){25, 16});
    ck_assert(s.count == 2 && s.row_count == 6 && ranges[0].start == 25 && ranges[0].count == 5 &&
              ranges[1].start == 40 && ranges[1].count == 1);
    rwl_parquet_selection_cut(&s, (rwl_range){30, 10});
    ck_assert(s.count == 0 && s.row_count == 0);
    s.count = 1;
    rwl_parquet_selection_cut(&s, (rwl_range){26, INT64_MAX});
    ck_assert(s.count == 1 && s.row_count == 4);
}
END_TEST

/* --- pages --- */

#define PUT(expr) ck_assert_int_eq((expr), RWL_OK)

typedef struct page_facts {
    int64_t first_row;
    const char *min, *max; /* one byte each; NULL: nulls alone */
    int64_t nulls;
} page_facts;

static void put_list(rwl_buf *o, int16_t *last, int16_t id, rwl_thrift_type item, uint32_t count) {
    PUT(rwl_thrift_put_field(o, last, id, RWL_THRIFT_LIST, NULL));
    PUT(rwl_thrift_put_list(o, item, count, NULL));
}

/* An offset index of pages of 10 bytes, the first at byte 4. */
static void put_places(rwl_buf *o, const page_facts *pages, uint32_t count) {
    int16_t last = 0;
    put_list(o, &last, 1, RWL_THRIFT_STRUCT, count);
    for (uint32_t i = 0; i < count; i++) {
        int16_t in = 0;
        PUT(rwl_thrift_put_field(o, &in, 1, RWL_THRIFT_I64, NULL));
        PUT(rwl_thrift_put_i64(o, 4 + 10 * (int64_t)i, NULL));
        PUT(rwl_thrift_put_field(o, &in, 2, RWL_THRIFT_I32, NULL));
        PUT(rwl_thrift_put_i32(o, 10, NULL));
        PUT(rwl_thrift_put_field(o, &in, 3, RWL_THRIFT_I64, NULL));
        PUT(rwl_thrift_put_i64(o, pages[i].first_row, NULL));
        PUT(rwl_thrift_put_stop(o, NULL));
    }
    PUT(rwl_thrift_put_stop(o, NULL));
}

static void put_texts(rwl_buf *o, int16_t *last, int16_t id, const page_facts *pages, uint32_t count) {
    put_list(o, last, id, RWL_THRIFT_BINARY, count);
    for (uint32_t i = 0; i < count; i++) {
        const char *text = id == 2 ? pages[i].min : pages[i].max;
        PUT(rwl_thrift_put_binary(o, rwl_span_str(text ? text : ""), NULL));
    }
}

static void put_bounds(rwl_buf *o, const page_facts *pages, uint32_t count) {
    int16_t last = 0;
    put_list(o, &last, 1, RWL_THRIFT_TRUE, count);
    for (uint32_t i = 0; i < count; i++)
        PUT(rwl_buf_u8(o, pages[i].min ? 2 : 1, NULL));
    put_texts(o, &last, 2, pages, count);
    put_texts(o, &last, 3, pages, count);
    PUT(rwl_thrift_put_field(o, &last, 4, RWL_THRIFT_I32, NULL));
    PUT(rwl_thrift_put_i32(o, 1, NULL)); /* "ascending", which is not believed */
    put_list(o, &last, 5, RWL_THRIFT_I64, count);
    for (uint32_t i = 0; i < count; i++)
        PUT(rwl_thrift_put_i64(o, pages[i].nulls, NULL));
    PUT(rwl_thrift_put_stop(o, NULL));
}

static rwl_parquet_range put_index(rwl_buf *o, void (*put)(rwl_buf *, const page_facts *, uint32_t),
                                   const page_facts *pages, uint32_t count) {
    size_t before = o->len;
    put(o, pages, count);
    return (rwl_parquet_range){TAIL_OFF + (int64_t)before, (int64_t)(o->len - before)};
}

/* Rows 0..39 a to c, 40..59 null, 60..79 m, 80..99 b to x, out of order */
static const page_facts four[] = {
    {0, "a", "c", 0}, {40, NULL, NULL, 20}, {60, "m", "m", 2}, {80, "b", "x", 0}};

static const struct {
    const char *filter, *want;
} page_filters[] = {
    {"x = 'a'", "0+40"},
    {"x = 'b'", "0+40 80+20"},
    {"x = 'm'", "60+40"},
    {"x > 'y'", ""},
    {"x is null", "40+40"},
    {"x is not null", "0+40 60+40"},
    {"x = 'a' or x is null", "0+80"},
    {"x <> 'm'", "0+40 80+20"},
    {"x in ('a', 'm')", "0+40 60+40"},
};

static void with_pages(one_file *f, rwl_buf *tail, const page_facts *pages, uint32_t places,
                       uint32_t bounds) {
    one_column text = TEXT;
    describe(f, &text);
    rwl_buf_init(tail, &b.env, INDEX_MAX);
    if (places > 0)
        f->chunk.offset_index = put_index(tail, put_places, pages, places);
    if (bounds > 0)
        f->chunk.column_index = put_index(tail, put_bounds, pages, bounds);
    f->file.tail = rwl_buf_span(tail);
    f->file.tail_off = TAIL_OFF;
}

START_TEST(pages_are_left_out_by_their_own_bounds) {
    one_file f;
    rwl_buf tail;
    with_pages(&f, &tail, four, 4, 4);
    const char *got = prune_as(&f, &f.field, page_filters[_i].filter);
    ck_assert_msg(strcmp(got, page_filters[_i].want) == 0, "%s gives '%s'", page_filters[_i].filter, got);
    rwl_buf_clear(&tail);
}
END_TEST

/* BUG-170: without one of the two, or with another number of pages, nothing is said of pages. */
START_TEST(bug_170_an_index_that_is_missing_or_damaged_is_ignored) {
    static const uint32_t counts[][2] = {{4, 0}, {0, 4}, {4, 3}, {3, 4}};
    one_file f;
    rwl_buf tail;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        with_pages(&f, &tail, four, counts[i][0], counts[i][1]);
        ck_assert_str_eq(prune_as(&f, &f.field, "x > 'y'"), "0+100");
        rwl_buf_clear(&tail);
    }
    with_pages(&f, &tail, four, 4, 4);
    for (size_t i = 0; i < tail.len; i++) { /* any byte may be anything: an answer, or no pruning */
        uint8_t old = tail.data[i];
        tail.data[i] = 0xff;
        (void)prune_as(&f, &f.field, "x > 'y'");
        tail.data[i] = old;
    }
    rwl_buf_clear(&tail);
}
END_TEST

/* A page said to be null alone that counts fewer nulls than it has rows has told nothing. */
START_TEST(a_null_page_that_counts_otherwise_is_read) {
    static const page_facts lie[] = {{0, NULL, NULL, 3}, {50, "a", "b", 0}};
    one_file f;
    rwl_buf tail;
    with_pages(&f, &tail, lie, 2, 2);
    ck_assert_str_eq(prune_as(&f, &f.field, "x = 'q'"), "0+50");
    rwl_buf_clear(&tail);
}
END_TEST

START_TEST(pages_with_nulls_that_read_otherwise_are_kept) {
    const rwl_parquet_source source = {.kind = RWL_PARQUET_SOURCE_LEAF, .nulls_differ = true};
    one_file f;
    rwl_buf tail;
    with_pages(&f, &tail, four, 4, 4);
    ck_assert_str_eq(prune_from(&f, &f.field, &source, "x = 'q'"), "40+60");
    ck_assert_str_eq(prune_from(&f, &f.field, &source, "x > 'y'"), "40+40");
    rwl_buf_clear(&tail);
}
END_TEST

START_TEST(bug_170_all_pages_null) {
    static const page_facts nulls[] = {{0, NULL, NULL, 50}, {50, NULL, NULL, 50}};
    one_file f;
    rwl_buf tail;
    with_pages(&f, &tail, nulls, 2, 2);
    ck_assert_str_eq(prune_as(&f, &f.field, "x = 'q'"), "");
    ck_assert_str_eq(prune_as(&f, &f.field, "x is null"), "0+100");
    rwl_buf_clear(&tail);
}
END_TEST

/* --- bloom filters --- */

typedef struct bloom_case {
    const char *name;
    one_column column;
    const char *plain; /* the value that was added, as stored */
    size_t len;
    const char *filter;
    bool keeps;
} bloom_case;

static const bloom_case blooms[] = {
    {"int there", INT32(RWL_TYPE_INT), "\x07\0\0\0", 4, "x = 7", true},
    {"int not there", INT32(RWL_TYPE_INT), "\x07\0\0\0", 4, "x = 8", false},
    {"a range is not asked", INT32(RWL_TYPE_INT), "\x07\0\0\0", 4, "x > 8", true},
    {"one of two", INT32(RWL_TYPE_INT), "\x07\0\0\0", 4, "x in (8, 7)", true},
    {"none of two", INT32(RWL_TYPE_INT), "\x07\0\0\0", 4, "x in (8, 9)", false},
    {"or another", INT32(RWL_TYPE_INT), "\x07\0\0\0", 4, "x = 8 or x is null", true},
    {"text", TEXT, "hello", 5, "x = 'hello'", true},
    {"text not there", TEXT, "hello", 5, "x = 'hallo'", false},
    {"milliseconds", MILLIS, MS_2020, 8, "x = timestamp '2020-01-01 00:00:00'", true},
    {"milliseconds not there", MILLIS, MS_2020, 8, "x = timestamp '2020-01-01 00:00:01'", false},
    {"less than a millisecond", MILLIS, MS_2020, 8, "x = timestamp '2020-01-01 00:00:00.000001'", false},
    {"decimal as int32",
     {.physical = RWL_PARQUET_INT32, .kind = RWL_TYPE_DECIMAL, .precision = 9, .scale = 2},
     "\x9c\xff\xff\xff",
     4,
     "x = -1.00",
     true},
    {"decimal as int32 not there",
     {.physical = RWL_PARQUET_INT32, .kind = RWL_TYPE_DECIMAL, .precision = 9, .scale = 2},
     "\x9c\xff\xff\xff",
     4,
     "x = 1.00",
     false},
    {"decimal as fixed", FIXED_DECIMAL, "\xff\xfe", 2, "x = -2", true},
    {"decimal as fixed not there", FIXED_DECIMAL, "\xff\xfe", 2, "x = 2", false},
    {"decimal as bytes is not asked",
     {.physical = RWL_PARQUET_BYTE_ARRAY, .kind = RWL_TYPE_DECIMAL, .precision = 8},
     "\xfe",
     1,
     "x = 2",
     true},
    {"zero is not asked", DOUBLE, D_3, 8, "x = 0", true},
    {"double", DOUBLE, D_3, 8, "x = 3", true},
};

START_TEST(bloom_filters_are_asked_for_the_stored_bytes) {
    const bloom_case *k = &blooms[_i];
    one_file f;
    uint8_t block[32] = {0};
    rwl_parquet_bloom bloom = {block, 1};
    rwl_buf bytes;
    rwl_buf_init(&bytes, &b.env, INDEX_MAX);
    rwl_parquet_bloom_add(&bloom, rwl_parquet_bloom_hash(rwl_span_of(k->plain, k->len)));
    PUT(rwl_buf_append(&bytes, "PAR1", 4, NULL));
    PUT(rwl_parquet_bloom_write(&bloom, &bytes, NULL));
    rwl_store_free(b.store);
    b.store = rwl_memory_store_new(&b.env, rwl_buf_span(&bytes));
    describe(&f, &k->column);
    f.file.size = (int64_t)bytes.len;
    f.chunk.stats.nan_count = 0;
    f.chunk.bloom = (rwl_parquet_range){4, 0};
    const char *got = prune_as(&f, &f.field, k->filter);
    ck_assert_msg(strcmp(got, k->keeps ? "0+100" : "") == 0, "%s: %s gives '%s'", k->name, k->filter, got);
    const rwl_parquet_source source = {.kind = RWL_PARQUET_SOURCE_LEAF, .nulls_differ = true};
    ck_assert_str_eq(prune_from(&f, &f.field, &source, k->filter),
                     "0+100"); /* what is null is in no filter */
    rwl_buf_clear(&bytes);
}
END_TEST

Suite *prune_suite(void) {
    Suite *s = suite_create("prune");
    TCase *t = tcase_create("prune");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_loop_test(t, row_groups_are_left_out_by_statistics_that_can_be_trusted, 0,
                        (int)(sizeof stats / sizeof stats[0]));
    tcase_add_test(t, bounds_are_promoted_to_the_type_of_the_table);
    tcase_add_test(t, old_bounds_of_bytes_are_trusted_by_their_writer);
    tcase_add_test(t, nulls_that_are_read_as_something_else_hide_what_a_leaf_tells);
    tcase_add_test(t, leaves_of_structs_tell_and_those_of_lists_do_not);
    tcase_add_test(t, bug_007_rows_that_are_counted_are_a_range);
    tcase_add_test(t, a_selection_is_cut_to_a_range_of_rows);
    tcase_add_test(t, pages_with_nulls_that_read_otherwise_are_kept);
    tcase_add_loop_test(t, pages_are_left_out_by_their_own_bounds, 0,
                        (int)(sizeof page_filters / sizeof page_filters[0]));
    tcase_add_test(t, bug_170_an_index_that_is_missing_or_damaged_is_ignored);
    tcase_add_test(t, a_null_page_that_counts_otherwise_is_read);
    tcase_add_test(t, bug_170_all_pages_null);
    tcase_add_loop_test(t, bloom_filters_are_asked_for_the_stored_bytes, 0,
                        (int)(sizeof blooms / sizeof blooms[0]));
    suite_add_tcase(s, t);
    return s;
}
