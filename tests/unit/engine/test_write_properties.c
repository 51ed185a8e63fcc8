/* SPDX-License-Identifier: Apache-2.0 */
/* Iceberg's write.parquet.* properties as options of the writer. */
#include "engine_test.h"
#include "suites.h"

#include "engine/write_properties.h"

/* s: struct<f int, "x.y": string>, l: list<int>, m: map<string, struct<z double>>, v: variant */
static rwl_field fields[4], inner[6];

static void set(rwl_field *f, const char *name, rwl_type_kind kind, const rwl_field *children,
                int32_t count) {
    *f = (rwl_field){.name = name, .type = rwl_type_of(kind)};
    f->type.children = children;
    f->type.child_count = count;
}

static void make_fields(void) {
    set(&inner[0], "f", RWL_TYPE_INT, NULL, 0);
    set(&inner[1], "x.y", RWL_TYPE_STRING, NULL, 0);
    set(&inner[2], "element", RWL_TYPE_INT, NULL, 0);
    set(&inner[3], "z", RWL_TYPE_DOUBLE, NULL, 0);
    set(&inner[4], "key", RWL_TYPE_STRING, NULL, 0);
    set(&inner[5], "value", RWL_TYPE_STRUCT, &inner[3], 1);
    set(&fields[0], "s", RWL_TYPE_STRUCT, &inner[0], 2);
    set(&fields[1], "l", RWL_TYPE_LIST, &inner[2], 1);
    set(&fields[2], "m", RWL_TYPE_MAP, &inner[4], 2);
    set(&fields[3], "v", RWL_TYPE_VARIANT, NULL, 0);
}

/* Properties as "key=value" lines. */
static rwl_status read_properties(const char *lines, rwl_parquet_write_options *out, rwl_error *failure) {
    rwl_json *document = rwl_json_new_object(), *properties = rwl_json_new_object();
    make_fields();
    for (const char *at = lines; *at != '\0';) {
        const char *equals = strchr(at, '='), *end = at + strcspn(at, "\n");
        const char *key = rwl_arena_strndup(test_arena(), at, (size_t)(equals - at));
        ASSERT_OK(
            rwl_json_set(properties, key, rwl_json_new_strn(equals + 1, (size_t)(end - equals - 1)), err));
        at = *end != '\0' ? end + 1 : end;
    }
    ASSERT_OK(rwl_json_set(document, "properties", properties, err));
    memset(out, 0, sizeof *out);
    rwl_status st = rwl_write_properties_read(properties, fields, 4, test_arena(), out, failure);
    rwl_json_free(document);
    return st;
}

static const rwl_parquet_column_options *column(const rwl_parquet_write_options *o, const char *path) {
    for (int32_t i = 0; i < o->column_count; i++)
        if (strcmp(o->columns[i].path, path) == 0)
            return &o->columns[i];
    ck_abort_msg("no options of %s", path);
    return NULL;
}

START_TEST(without_properties_all_is_by_default) {
    rwl_parquet_write_options o;
    ASSERT_OK(read_properties(
        "write.parquet.row-group-check-min-record-count=x\nwrite.avro.compression-codec=y", &o, err));
    ck_assert_int_eq(o.codec, RWL_CODEC_ZSTD);
    ck_assert(o.level == 0 && o.row_group_bytes == 0 && o.page_bytes == 0 && o.page_rows == 0);
    ck_assert(o.dictionary_bytes == 0 && !o.page_v2 && o.bloom_max_bytes == 0 && o.column_count == 0);
}
END_TEST

START_TEST(properties_of_the_file_become_options) {
    rwl_parquet_write_options o;
    ASSERT_OK(
        read_properties("write.parquet.row-group-size-bytes=1000000\nwrite.parquet.page-size-bytes=2000\n"
                        "write.parquet.page-row-limit=30\nwrite.parquet.dict-size-bytes=400\n"
                        "write.parquet.compression-codec=GZIP\nwrite.parquet.compression-level=9\n"
                        "write.parquet.page-version=v2\nwrite.parquet.bloom-filter-max-bytes=5000",
                        &o, err));
    ck_assert(o.row_group_bytes == 1000000 && o.page_bytes == 2000 && o.page_rows == 30);
    ck_assert(o.dictionary_bytes == 400 && o.bloom_max_bytes == 5000 && o.page_v2);
    ck_assert(o.codec == RWL_CODEC_GZIP && o.level == 9);
    ASSERT_OK(read_properties("parquet.enable.dictionary=False", &o, err));
    ck_assert_int_eq(o.dictionary_bytes, -1);
}
END_TEST

START_TEST(codecs_have_icebergs_names) {
    static const struct {
        const char *name;
        rwl_codec_id id;
        int level; /* of a level 3 asked for: only some have levels */
    } cases[] = {{"zstd", RWL_CODEC_ZSTD, 3},        {"Snappy", RWL_CODEC_SNAPPY, 0},
                 {"BROTLI", RWL_CODEC_BROTLI, 3},    {"lz4", RWL_CODEC_LZ4_RAW, 0},
                 {"gzip", RWL_CODEC_GZIP, 3},        {"none", RWL_CODEC_NONE, 0},
                 {"uncompressed", RWL_CODEC_NONE, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_parquet_write_options o;
        const char *lines = rwl_arena_printf(test_arena(),
                                             "write.parquet.compression-level=3\n"
                                             "write.parquet.compression-codec=%s",
                                             cases[i].name);
        ASSERT_OK(read_properties(lines, &o, err));
        ck_assert_int_eq(o.codec, cases[i].id);
        ck_assert_int_eq(o.level, cases[i].level);
    }
}
END_TEST

START_TEST(properties_of_columns_find_their_leaf) {
    rwl_parquet_write_options o;
    ASSERT_OK(
        read_properties("write.parquet.bloom-filter-enabled.column.s.f=true\n"
                        "write.parquet.bloom-filter-fpp.column.s.f=0.05\n"
                        "write.parquet.bloom-filter-ndv.column.s.f=1000\n"
                        "write.parquet.bloom-filter-enabled.column.s.x.y=TRUE\n"
                        "write.parquet.stats-enabled.column.l.element=false\n"
                        "write.parquet.dict-encoding-enabled.column.m.value.z=false\n"
                        "write.parquet.dict-encoding-enabled.column.m.key=true\n"
                        "write.parquet.bloom-filter-enabled.column.l=true\n"     /* no leaf */
                        "write.parquet.bloom-filter-enabled.column.v=true\n"     /* bytes without an order */
                        "write.parquet.bloom-filter-enabled.column.s.g=true\n"   /* no such column */
                        "write.parquet.bloom-filter-enabled.column.s.f.q=maybe", /* nor this one */
                        &o, err));
    ck_assert_int_eq(o.column_count, 5);
    const rwl_parquet_column_options *f = column(&o, "s.f");
    ck_assert(f->bloom && f->bloom_fpp == 0.05 && f->bloom_distinct == 1000 && f->dictionary == 0);
    ck_assert(column(&o, "s.x.y")->bloom);
    ck_assert(column(&o, "l.list.element")->without_stats);
    ck_assert_int_eq(column(&o, "m.key_value.value.z")->dictionary, -1);
    ck_assert_int_eq(column(&o, "m.key_value.key")->dictionary, 1);
}
END_TEST

START_TEST(values_that_a_property_can_not_have_are_errors_naming_it) {
    static const struct {
        const char *line;
        rwl_status status;
        const char *why;
    } cases[] = {
        {"write.parquet.page-size-bytes=0", RWL_CORRUPT,
         "'write.parquet.page-size-bytes' is '0', not a number above 0"},
        {"write.parquet.page-row-limit=1e3", RWL_CORRUPT, "'write.parquet.page-row-limit' is '1e3'"},
        {"write.parquet.row-group-size-bytes=-5", RWL_CORRUPT,
         "'write.parquet.row-group-size-bytes' is '-5'"},
        {"write.parquet.compression-codec=lzo", RWL_UNSUPPORTED, "write.parquet.compression-codec lzo"},
        {"write.parquet.compression-level=1000", RWL_UNSUPPORTED, "write.parquet.compression-level 1000"},
        {"write.parquet.page-version=v3", RWL_UNSUPPORTED, "write.parquet.page-version v3"},
        {"parquet.enable.dictionary=yes", RWL_CORRUPT,
         "'parquet.enable.dictionary' is 'yes', not true or false"},
        {"write.parquet.bloom-filter-enabled.column.s.f=1", RWL_CORRUPT,
         "column.s.f' is '1', not true or false"},
        {"write.parquet.bloom-filter-fpp.column.s.f=1", RWL_CORRUPT, "'1', not a number between 0 and 1"},
        {"write.parquet.bloom-filter-fpp.column.s.f=NaN", RWL_CORRUPT, "'NaN', not a number between 0 and 1"},
        {"write.parquet.bloom-filter-ndv.column.s.f=0", RWL_CORRUPT, "'0', not a number above 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_parquet_write_options o;
        ASSERT_FAILS(cases[i].status, cases[i].why, read_properties(cases[i].line, &o, err));
    }
}
END_TEST

Suite *suite_write_properties(void) {
    const TTest *const tests[] = {
        without_properties_all_is_by_default,
        properties_of_the_file_become_options,
        codecs_have_icebergs_names,
        properties_of_columns_find_their_leaf,
        values_that_a_property_can_not_have_are_errors_naming_it,
    };
    return TEST_SUITE("write properties", tests);
}
