/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests in forms that other writers chose, or that nobody should: schemas and entries written by hand. */
#include "avro/avro.h"
#include "table_test.h"

#include <stdio.h>

/* --- writing entries --- */

#define FIELD(name, type, id) "{'name': '" name "', 'type': " type ", 'field-id': " id "}"
#define OPTIONAL(type)        "['null', " type "]"
#define MAP(key, value, type)                                                                                \
    "{'type': 'array', 'logicalType': 'map', 'items': {'type': 'record', 'name': 'k" key "_v" value          \
    "', 'fields': [" FIELD("key", "'int'", key) ", " FIELD("value", type, value) "]}}"
#define RECORD(name, fields) "{'type': 'record', 'name': '" name "', 'fields': [" fields "]}"

/* The fields every entry here begins with: status, path, format, rows, size. */
#define ENTRY(file_fields)                                                                                   \
    RECORD("manifest_entry",                                                                                 \
           FIELD("status", "'int'", "0") ", " FIELD(                                                         \
               "data_file",                                                                                  \
               RECORD("r2", FIELD("file_path", "'string'", "100") ", " FIELD(                                \
                                "file_format", "'string'",                                                   \
                                "101") ", " FIELD("record_count", "'long'",                                  \
                                                  "103") ", " FIELD("file_size_in_bytes", "'long'", "104")   \
                                file_fields),                                                                \
               "2"))

static void put_long(rwl_buf *b, int64_t v) {
    ASSERT_OK(rwl_avro_put_long(b, v, err));
}
static void put_text(rwl_buf *b, const char *text) {
    ASSERT_OK(rwl_avro_put_bytes(b, rwl_span_str(text), err));
}

static void put_start(rwl_buf *b, const char *path) {
    put_long(b, RWL_STATUS_ADDED);
    put_text(b, path);
    put_text(b, "PARQUET");
    put_long(b, 10);
    put_long(b, 1000);
}

static rwl_avro_writer *open_file(const char *schema, const char *spec_id) {
    const rwl_avro_metadata header[] = {{"content", rwl_span_str("data")},
                                        {"partition-spec-id", rwl_span_str(spec_id)}};
    char *json = rwl_arena_strdup(test_arena(), schema);
    for (char *p = json; *p != 0; p++)
        *p = *p == '\'' ? '"' : *p;
    rwl_avro_writer *w = NULL;
    ASSERT_OK(rwl_avro_writer_open(test_store(), test_op(), test_path("m.avro"), json, header, 2,
                                   RWL_CODEC_NONE, 0, &w, err));
    return w;
}

static rwl_manifest close_file(rwl_avro_writer *w) {
    rwl_manifest m;
    memset(&m, 0, sizeof m);
    m.path = test_path("m.avro");
    m.sequence_number = 3;
    m.added_snapshot_id = 9;
    m.added_files = m.existing_files = m.deleted_files = -1;
    m.added_rows = m.existing_rows = m.deleted_rows = -1;
    ASSERT_OK(rwl_avro_writer_finish(w, &m.length, err));
    return m;
}

static void end_record(rwl_avro_writer *w) {
    ASSERT_OK(rwl_avro_writer_end_record(w, err));
}

/* The entries of a manifest, each by `each`; then the end. */
static void read_all(const rwl_metadata *m, const rwl_manifest *manifest, const rwl_manifest_wanted *wanted,
                     void (*each)(const rwl_manifest_entry *e, int i)) {
    rwl_manifest_reader *r = NULL;
    ASSERT_OK(rwl_manifest_reader_open_for(test_store(), test_op(), m, manifest, wanted, &r, err));
    for (int i = 0;; i++) {
        const rwl_manifest_entry *e;
        ASSERT_OK(rwl_manifest_reader_next(r, &e, err));
        if (e == NULL)
            break;
        each(e, i);
    }
    rwl_manifest_reader_close(r);
}

/* What opening the manifest or reading its entries fails with. */
static rwl_status read_failure(const rwl_metadata *m, const rwl_manifest *manifest, rwl_error *err) {
    rwl_manifest_reader *r = NULL;
    RWL_TRY(rwl_manifest_reader_open(test_store(), test_op(), m, manifest, &r, err));
    const rwl_manifest_entry *e;
    rwl_status st;
    do
        st = rwl_manifest_reader_next(r, &e, err);
    while (st == RWL_OK && e != NULL);
    rwl_manifest_reader_close(r);
    return st;
}

/* --- forms --- */

static void check_plain(const rwl_manifest_entry *e, int i) {
    ck_assert_str_eq(e->file.file_path, i == 0 ? "a" : "b");
    ck_assert_str_eq(e->file.file_format, "PARQUET");
    ck_assert_int_eq(e->file.record_count, 10);
    ck_assert_int_eq(e->file.file_size, 1000);
    ck_assert_int_eq(e->sequence_number, 3);
    ck_assert_int_eq(e->snapshot_id, 9);
    ck_assert_int_eq(e->file.sort_order_id, -1);
    ck_assert_int_eq(e->file.content_offset, -1);
    ck_assert_ptr_null(e->file.lower_bounds);
    ck_assert_ptr_null(e->file.key_metadata.data);
}

/* A field of each kind that nobody knows is between those that count. */
static const char UNKNOWN_FIELDS[] = RECORD(
    "manifest_entry",
    FIELD("x0", OPTIONAL("'double'"), "900") ", " FIELD("status", "'int'", "0") ", " FIELD(
        "x1", RECORD("rx", FIELD("a", "'boolean'", "901") ", " FIELD("b", "'string'", "902")),
        "903") ", " FIELD("x2", "{'type': 'map', 'values': ['null', 'int', 'string']}",
                          "904") ", " FIELD("data_file",
                                            RECORD(
                                                "r2",
                                                FIELD("x3", "{'type': 'array', 'items': {'type': 'array', 'items': 'long'}}", "905") ", " FIELD("file_path", "'string'", "100") ", " FIELD(
                                                    "x4", "{'type': 'enum', 'name': 'e', 'symbols': ['A', 'B']}",
                                                    "906") ", " FIELD("file_format", "'string'",
                                                                      "101") ", " FIELD("x5",
                                                                                        "{'type': 'fixed', "
                                                                                        "'name': 'f', "
                                                                                        "'size': 3}",
                                                                                        "907") ", " FIELD("re"
                                                                                                          "co"
                                                                                                          "rd"
                                                                                                          "_c"
                                                                                                          "ou"
                                                                                                          "n"
                                                                                                          "t",
                                                                                                          "'l"
                                                                                                          "on"
                                                                                                          "g"
                                                                                                          "'",
                                                                                                          "10"
                                                                                                          "3") ", " FIELD("x6",
                                                                                                                          OPTIONAL(
                                                                                                                              "'bytes'"),
                                                                                                                          "908") ", " FIELD("file_size_in_bytes",
                                                                                                                                            "'long'",
                                                                                                                                            "104") ", " FIELD("x7",
                                                                                                                                                              "'null'",
                                                                                                                                                              "909")),
                                            "2"));

START_TEST(unknown_fields_of_every_kind_are_passed_over) {
    rwl_metadata *metadata = test_table(2, "id int", NULL);
    rwl_avro_writer *w = open_file(UNKNOWN_FIELDS, "0");
    for (int i = 0; i < 2; i++) {
        rwl_buf *b = rwl_avro_writer_record(w);
        put_long(b, i); /* x0 */
        if (i == 1)
            ASSERT_OK(rwl_avro_put_double(b, 1.5, err));
        put_long(b, RWL_STATUS_ADDED);
        ASSERT_OK(rwl_avro_put_bool(b, true, err));
        put_text(b, "text");
        put_long(b, 2); /* x2: {"k": null, "l": "v"} */
        put_text(b, "k");
        put_long(b, 0);
        put_text(b, "l");
        put_long(b, 2);
        put_text(b, "v");
        put_long(b, 0);
        put_long(b, 2); /* x3: [[1000000, 2], []] */
        put_long(b, 2);
        put_long(b, 1000000);
        put_long(b, 2);
        put_long(b, 0);
        put_long(b, 0);
        put_long(b, 0);
        put_text(b, i == 0 ? "a" : "b");
        put_long(b, 1);
        put_text(b, "PARQUET");
        ASSERT_OK(rwl_buf_append(b, "fff", 3, err));
        put_long(b, 10);
        put_long(b, 1);
        put_text(b, "bytes");
        put_long(b, 1000);
        end_record(w);
    }
    rwl_manifest m = close_file(w);
    read_all(metadata, &m, NULL, check_plain);
    rwl_metadata_free(metadata);
}
END_TEST

/* Without any id fields go by name; a union may have null behind. */
static const char NAMED[] =
    "{'type': 'record', 'name': 'manifest_entry', 'fields': [{'name': 'data_file', 'type': ["
    "{'type': 'record', 'name': 'r2', 'fields': [{'name': 'file_size_in_bytes', 'type': 'long'},"
    "{'name': 'file_path', 'type': ['string', 'null']}, {'name': 'record_count', 'type': 'int'},"
    "{'name': 'file_format', 'type': 'string'}]}, 'null']}, {'name': 'status', 'type': 'long'}]}";

START_TEST(fields_without_ids_go_by_name_in_any_order) {
    rwl_metadata *metadata = test_table(2, "id int", NULL);
    rwl_avro_writer *w = open_file(NAMED, "0");
    rwl_buf *b = rwl_avro_writer_record(w);
    put_long(b, 0);
    put_long(b, 1000);
    put_long(b, 0);
    put_text(b, "a");
    put_long(b, 10);
    put_text(b, "PARQUET");
    put_long(b, RWL_STATUS_ADDED);
    end_record(w);
    rwl_manifest m = close_file(w);
    read_all(metadata, &m, NULL, check_plain);
    rwl_metadata_free(metadata);
}
END_TEST

static const char METRICS[] =
    ENTRY(", " FIELD("value_counts", OPTIONAL(MAP("119", "120", "'long'")),
                     "109") ", " FIELD("lower_bounds", OPTIONAL(MAP("126", "127", "'bytes'")),
                                       "125") ", " FIELD("split_offsets",
                                                         OPTIONAL("{'type': 'array', 'items': 'long', "
                                                                  "'element-id': 133}"),
                                                         "132"));

/* Counts and bounds of columns 1 to 4 in two runs, the second one with its size in front. */
static rwl_manifest metrics_manifest(void) {
    rwl_avro_writer *w = open_file(METRICS, "0");
    rwl_buf *b = rwl_avro_writer_record(w);
    put_start(b, "a");
    put_long(b, 1);
    put_long(b, 3);
    for (int i = 1; i <= 3; i++) {
        put_long(b, i);
        put_long(b, INT64_C(1) << (20 * i));
    }
    put_long(b, -1);
    put_long(b, 3); /* bytes: a key of one, a value of two */
    put_long(b, 4);
    put_long(b, 100);
    put_long(b, 0);
    put_long(b, 1);
    put_long(b, 4);
    for (int i = 1; i <= 4; i++) {
        put_long(b, i);
        put_text(b, i == 3 ? "" : "bound");
    }
    put_long(b, 0);
    put_long(b, 1);
    put_long(b, 2);
    put_long(b, 4);
    put_long(b, 500);
    put_long(b, 0);
    end_record(w);
    return close_file(w);
}

static void check_metrics(const rwl_manifest_entry *e, int i) {
    const rwl_data_file *f = &e->file;
    ck_assert_int_eq(i, 0);
    ck_assert_int_eq(f->value_count_count, 4);
    ck_assert_int_eq(f->value_counts[2].value, INT64_C(1) << 60);
    ck_assert_int_eq(f->value_counts[3].field_id, 4);
    ck_assert_int_eq(f->value_counts[3].value, 100);
    ck_assert_int_eq(f->lower_count, 4);
    ck_assert_uint_eq(f->lower_bounds[2].value.len, 0);
    ck_assert_ptr_nonnull(f->lower_bounds[2].value.data);
    ck_assert(rwl_span_equal(f->lower_bounds[3].value, rwl_span_str("bound")));
    ck_assert_int_eq(f->split_count, 2);
    ck_assert_int_eq(f->split_offsets[1], 500);
}

static void check_two_columns(const rwl_manifest_entry *e, int i) {
    const rwl_data_file *f = &e->file;
    ck_assert_int_eq(i, 0);
    ck_assert_int_eq(f->value_count_count, 2);
    ck_assert_int_eq(f->value_counts[0].field_id, 2);
    ck_assert_int_eq(f->value_counts[1].field_id, 4);
    ck_assert_int_eq(f->lower_count, 2);
    ck_assert_ptr_null(f->split_offsets);
}

static void check_no_metrics(const rwl_manifest_entry *e, int i) {
    check_plain(e, i);
    ck_assert_ptr_null(e->file.value_counts);
    ck_assert_int_eq(e->file.value_count_count, 0);
    ck_assert_ptr_null(e->file.split_offsets);
}

START_TEST(metrics_are_decoded_as_far_as_they_are_wanted) {
    static const int32_t ids[] = {4, 99, 2};
    const rwl_manifest_wanted nothing = {0},
                              two = {.counts = true, .bounds = true, .ids = ids, .id_count = 3};
    rwl_metadata *metadata = test_table(2, "id int", NULL);
    rwl_manifest m = metrics_manifest();
    read_all(metadata, &m, NULL, check_metrics);
    read_all(metadata, &m, &two, check_two_columns);
    read_all(metadata, &m, &nothing, check_no_metrics);
    rwl_metadata_free(metadata);
}
END_TEST

/* An item of three fields, the value first and optional. */
static const char ODD_MAP[] = ENTRY(
    ", " FIELD("value_counts",
               "{'type': 'array', 'items': {'type': 'record', 'name': 'kv', 'fields': [" FIELD(
                   "value", OPTIONAL("'long'"),
                   "120") ", " FIELD("note", "'string'", "990") ", " FIELD("key", "'long'", "119") "]}}",
               "109"));

static void check_odd_map(const rwl_manifest_entry *e, int i) {
    (void)i;
    ck_assert_int_eq(e->file.value_count_count, 1);
    ck_assert_int_eq(e->file.value_counts[0].field_id, 7);
    ck_assert_int_eq(e->file.value_counts[0].value, 70);
}

START_TEST(maps_whose_items_have_more_fields_are_read) {
    rwl_metadata *metadata = test_table(2, "id int", NULL);
    rwl_avro_writer *w = open_file(ODD_MAP, "0");
    rwl_buf *b = rwl_avro_writer_record(w);
    put_start(b, "a");
    put_long(b, 1);
    put_long(b, 1);
    put_long(b, 70);
    put_text(b, "note");
    put_long(b, 7);
    put_long(b, 0);
    end_record(w);
    rwl_manifest m = close_file(w);
    read_all(metadata, &m, NULL, check_odd_map);
    rwl_metadata_free(metadata);
}
END_TEST

/* --- what is refused --- */

/* A schema, bytes behind the first fields, and the message. */
static const struct {
    const char *schema, *bytes;
    size_t len;
    rwl_status status;
    const char *message;
} REFUSED[] = {
    {"{'type': 'array', 'items': 'int'}", "\0", 1, RWL_CORRUPT, "entries are no records"},
    {RECORD("manifest_entry", FIELD("status", "'int'", "0")), "", 0, RWL_CORRUPT,
     "required field data_file (id 2) is missing"},
    {ENTRY(", " FIELD("sort_order_id", "'string'", "140")), "\0", 1, RWL_CORRUPT,
     "sort_order_id (id 140) has the wrong Avro type"},
    {ENTRY(", " FIELD("first_row_id", "['null', 'long', 'string']", "142")), "\0", 1, RWL_UNSUPPORTED,
     "first_row_id (id 142) is a union of several types"},
    {ENTRY(", " FIELD("value_counts", "{'type': 'array', 'items': 'int'}", "109")), "\0", 1, RWL_CORRUPT,
     "value_counts is no map of int keys"},
    {ENTRY(", " FIELD("lower_bounds", MAP("126", "127", "'long'"), "125")), "\0", 1, RWL_CORRUPT,
     "lower_bounds has values that are no bytes"},
    {ENTRY(", " FIELD("value_counts", MAP("1190", "120", "'long'"), "109")), "\0", 1, RWL_CORRUPT,
     "value_counts has keys that are no field ids"},
    {ENTRY(", " FIELD("split_offsets", "{'type': 'array', 'items': 'string'}", "132")), "\0", 1, RWL_CORRUPT,
     "split_offsets has items that are no numbers"},
    /* a count of 2^40 items, of a union's branch 3, of content 4, of an order above 2^31, of a negative length */
    {ENTRY(", " FIELD("split_offsets", "{'type': 'array', 'items': 'long'}", "132")),
     "\x80\x80\x80\x80\x80\x40", 6, RWL_CORRUPT, "items cannot be in"},
    {ENTRY(", " FIELD("first_row_id", OPTIONAL("'long'"), "142")), "\6", 1, RWL_CORRUPT,
     "union branch is 3, there are 2"},
    {ENTRY(", " FIELD("content", "'int'", "134")), "\10", 1, RWL_CORRUPT, "content is 4"},
    {ENTRY(", " FIELD("sort_order_id", "'long'", "140")), "\x80\x80\x80\x80\x20", 5, RWL_CORRUPT,
     "out of range"},
    {ENTRY(", " FIELD("referenced_data_file", "'string'", "143")), "\1", 1, RWL_CORRUPT, "length is -1"},
    {ENTRY(", " FIELD("referenced_data_file", "'string'", "143")), "\4a", 3, RWL_CORRUPT, "zero byte"},
    {ENTRY(", " FIELD("equality_ids", "{'type': 'array', 'items': 'int'}", "135")), "\2\1\0", 3, RWL_CORRUPT,
     "no field id: -1"},
    {ENTRY(", " FIELD("value_counts", MAP("119", "120", "'long'"), "109")), "\2\2\x80", 3, RWL_CORRUPT,
     "value_counts"},
    {ENTRY(""), "\0", 1, RWL_CORRUPT, "1 bytes are left after the last entry"},
};

START_TEST(what_does_not_fit_is_refused_by_name) {
    rwl_metadata *metadata = test_table(2, "id int", NULL);
    rwl_avro_writer *w = open_file(REFUSED[_i].schema, "0");
    rwl_buf *b = rwl_avro_writer_record(w);
    if (strstr(REFUSED[_i].schema, "data_file") != NULL)
        put_start(b, "a");
    else
        put_long(b, RWL_STATUS_ADDED);
    ASSERT_OK(rwl_buf_append(b, REFUSED[_i].bytes, REFUSED[_i].len, err));
    end_record(w);
    rwl_manifest m = close_file(w);
    ASSERT_FAILS(REFUSED[_i].status, REFUSED[_i].message, read_failure(metadata, &m, err));
    rwl_metadata_free(metadata);
}
END_TEST

START_TEST(a_manifest_of_another_spec_than_the_list_says_is_corrupt) {
    rwl_metadata *metadata = test_table(2, "id int", NULL);
    rwl_manifest m = close_file(open_file(ENTRY(""), "1"));
    ASSERT_FAILS(RWL_CORRUPT, "the manifest list says partition spec 0, the manifest says 1",
                 read_failure(metadata, &m, err));
    rwl_metadata_free(metadata);
}
END_TEST

/* Nothing says what the partition is: null would be one. */
START_TEST(entries_without_a_field_of_their_spec_are_corrupt) {
    rwl_metadata *metadata = test_table(2, "id int, p int", "p");
    char spec[16];
    snprintf(spec, sizeof spec, "%d", metadata->spec->spec_id);
    rwl_avro_writer *w = open_file(
        ENTRY(", " FIELD("partition", RECORD("r102", FIELD("q", OPTIONAL("'int'"), "1007")), "102")), spec);
    rwl_buf *b = rwl_avro_writer_record(w);
    put_start(b, "a");
    put_long(b, 0);
    end_record(w);
    rwl_manifest m = close_file(w);
    m.spec_id = metadata->spec->spec_id;
    ASSERT_FAILS(RWL_CORRUPT, "entries have no partition field p (id 1000)", read_failure(metadata, &m, err));
    ck_assert_int_eq(remove(m.path), 0);
    w = open_file(ENTRY(""), spec);
    put_start(rwl_avro_writer_record(w), "a");
    end_record(w);
    m = close_file(w);
    m.spec_id = metadata->spec->spec_id;
    ASSERT_FAILS(RWL_CORRUPT, "partition (id 102) is missing", read_failure(metadata, &m, err));
    rwl_metadata_free(metadata);
}
END_TEST

/* Void fields need no bytes in an entry, but a value each: 1000 entries of some 20 bytes are worth fewer than 8000 each. */
START_TEST(specs_of_many_absent_fields_do_not_take_endless_memory) {
    const char *fields = "";
    for (int i = 0; i < 8; i++)
        fields = rwl_arena_printf(test_arena(), "%s%svoid(c%d)", fields, i > 0 ? ", " : "", i);
    rwl_metadata *metadata =
        test_table(2, "c0 int, c1 int, c2 int, c3 int, c4 int, c5 int, c6 int, c7 int", fields);
    rwl_partition_field *many = rwl_arena_array(test_arena(), 8000, sizeof *many);
    ck_assert_ptr_nonnull(many);
    rwl_partition_spec spec = *metadata->spec;
    for (int32_t i = 0; i < 8000; i++) {
        many[i] = spec.fields[i % 8];
        many[i].field_id = 1000 + i;
    }
    spec.fields = many;
    spec.field_count = 8000;
    metadata->specs = metadata->spec = &spec;
    metadata->spec_count = 1;
    char id[16];
    snprintf(id, sizeof id, "%d", spec.spec_id);
    rwl_avro_writer *w = open_file(ENTRY(""), id);
    for (int i = 0; i < 1000; i++) {
        put_start(rwl_avro_writer_record(w), "a");
        end_record(w);
    }
    rwl_manifest m = close_file(w);
    m.spec_id = spec.spec_id;
    ASSERT_FAILS(RWL_CORRUPT, "more values than the manifest's bytes may hold",
                 read_failure(metadata, &m, err));
    rwl_metadata_free(metadata);
}
END_TEST

Suite *suite_manifest_program(void) {
    Suite *s = suite_create("manifest_program");
    TCase *t = tcase_create("manifest_program");
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_test(t, unknown_fields_of_every_kind_are_passed_over);
    tcase_add_test(t, fields_without_ids_go_by_name_in_any_order);
    tcase_add_test(t, metrics_are_decoded_as_far_as_they_are_wanted);
    tcase_add_test(t, maps_whose_items_have_more_fields_are_read);
    tcase_add_loop_test(t, what_does_not_fit_is_refused_by_name, 0, sizeof REFUSED / sizeof *REFUSED);
    tcase_add_test(t, a_manifest_of_another_spec_than_the_list_says_is_corrupt);
    tcase_add_test(t, entries_without_a_field_of_their_spec_are_corrupt);
    tcase_add_test(t, specs_of_many_absent_fields_do_not_take_endless_memory);
    suite_add_tcase(s, t);
    return s;
}
