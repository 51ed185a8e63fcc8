/* SPDX-License-Identifier: Apache-2.0 */
/* Old and odd tables: what writers of any year left behind, written by hand. Names are the numbers of reference cases. */
#include "table_test.h"

#include <stdio.h>

/* --- tables --- */

#define SCHEMA                                                                                               \
    "{'type': 'struct', 'schema-id': 0, 'fields': [{'id': 1, 'name': 'id', 'required': true, 'type': "       \
    "'long'}, {'id': 2, 'name': 'ts', 'required': false, 'type': 'timestamp'}]}"

static const char V1[] =
    "{'format-version': 1, 'location': '/t', 'last-updated-ms': 1000, 'last-column-id': 2, 'schema': " SCHEMA
    ", 'partition-spec': [], 'current-snapshot-id': 11, 'snapshots': [{'snapshot-id': 11, "
    "'timestamp-ms': 1000, 'manifest-list': '/l'}]}";

static const char V2[] =
    "{'format-version': 2, 'table-uuid': '9c12d441-03fe-4693-9a96-a0705ddf69c1', 'location': '/t', "
    "'last-sequence-number': 2, 'last-updated-ms': 2000, 'last-column-id': 2, 'current-schema-id': 0, "
    "'schemas': [" SCHEMA "], 'default-spec-id': 0, 'partition-specs': [{'spec-id': 0, 'fields': []}, "
    "{'spec-id': 1, 'fields': [{'name': 'ts_day', 'transform': 'day', 'source-id': 2, 'field-id': 1000}]}, "
    "{'spec-id': 2, 'fields': [{'name': 'id', 'transform': 'identity', 'source-id': 1, 'field-id': 1001}]}], "
    "'last-partition-id': 1001, 'default-sort-order-id': 0, 'sort-orders': [{'order-id': 0, 'fields': []}], "
    "'current-snapshot-id': 11, 'snapshots': [{'snapshot-id': 11, 'timestamp-ms': 1000, 'manifest-list': "
    "'/l'}]}";

static rwl_status parse(const char *text, rwl_metadata **out, rwl_error *failure) {
    rwl_json *json = test_json(text);
    rwl_buf copy;
    rwl_buf_init(&copy, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_json_dump(json, 0, &copy, err));
    rwl_json_free(json);
    rwl_status st = rwl_metadata_parse(test_env(), rwl_buf_span(&copy), NULL, out, failure);
    rwl_buf_clear(&copy);
    return st;
}

/* --- manifests by hand --- */

#define ENTRY_HEAD                                                                                           \
    "{'type':'record','name':'manifest_entry','fields':[{'name':'status','type':'int','field-id':0},"        \
    "{'name':'snapshot_id','type':'long','field-id':1},{'name':'data_file','field-id':2,'type':{'type':"     \
    "'record','name':'r2','fields':[{'name':'file_path','type':'string','field-id':100},"                    \
    "{'name':'file_format','type':'string','field-id':101},{'name':'partition','field-id':102,'type':"       \
    "{'type':'record','name':'r102','fields':["
#define ENTRY_TAIL                                                                                           \
    "]}},{'name':'record_count','type':'long','field-id':103},{'name':'file_size_in_bytes','type':'long',"   \
    "'field-id':104}"
#define ENTRY_END "]}}]}"
/* As the first writers had it: block sizes, no content, no sequence numbers. */
#define V1_BLOCK_SIZE ",{'name':'block_size_in_bytes','type':'long','field-id':105}"
#define COUNTS                                                                                               \
    ",{'name':'null_value_counts','field-id':110,'type':['null',{'type':'array','logicalType':'map','items'" \
    ":"                                                                                                      \
    "{'type':'record','name':'k121_v122','fields':[{'name':'key','type':'int','field-id':121},{'name':"      \
    "'value','type':'long','field-id':122}]}}]},{'name':'lower_bounds','field-id':125,'type':['null',{"      \
    "'type':'array','logicalType':'map','items':{'type':'record','name':'k126_v127','fields':[{'name':"      \
    "'key','type':'int','field-id':126},{'name':'value','type':'bytes','field-id':127}]}}]}"
#define OPT_INT(name, id) "{'name':'" name "','type':['null','int'],'field-id':" id "}"

static const char *requoted(const char *text) {
    char *copy = rwl_arena_strdup(test_arena(), text);
    for (char *p = copy; *p != '\0'; p++)
        *p = *p == '\'' ? '"' : *p;
    return copy;
}

/* One entry: the longs before the path, the path, the format, then `tail` as it lies in the record. */
typedef struct odd_entry {
    const char *path, *format;
    rwl_span tail;
} odd_entry;

#define TAIL(bytes) rwl_span_of(bytes, sizeof(bytes) - 1)

static rwl_manifest write_manifest(const char *name, const char *schema, const rwl_avro_metadata *header,
                                   size_t header_count, const odd_entry *entries, size_t count) {
    rwl_avro_writer *w = NULL;
    const char *path = test_path(name);
    int64_t size;
    ASSERT_OK(rwl_avro_writer_open(test_store(), test_op(), path, requoted(schema), header, header_count,
                                   RWL_CODEC_NONE, 0, &w, err));
    for (size_t i = 0; i < count; i++) {
        rwl_buf *b = rwl_avro_writer_record(w);
        ASSERT_OK(rwl_avro_put_long(b, RWL_STATUS_ADDED, err));
        ASSERT_OK(rwl_avro_put_long(b, 7, err));
        ASSERT_OK(rwl_avro_put_bytes(b, rwl_span_str(entries[i].path), err));
        ASSERT_OK(rwl_avro_put_bytes(b, rwl_span_str(entries[i].format), err));
        ASSERT_OK(rwl_buf_append(b, entries[i].tail.data, entries[i].tail.len, err));
        ASSERT_OK(rwl_avro_writer_end_record(w, err));
    }
    ASSERT_OK(rwl_avro_writer_finish(w, &size, err));
    return (rwl_manifest){.path = path,
                          .length = size,
                          .added_snapshot_id = 11,
                          .added_files = -1,
                          .existing_files = -1,
                          .deleted_files = -1,
                          .added_rows = -1,
                          .existing_rows = -1,
                          .deleted_rows = -1};
}

static rwl_manifest_reader *open_manifest(const rwl_metadata *metadata, const rwl_manifest *m) {
    rwl_manifest_reader *r = NULL;
    ASSERT_OK(rwl_manifest_reader_open(test_store(), test_op(), metadata, m, &r, err));
    return r;
}

static const rwl_manifest_entry *next(rwl_manifest_reader *r) {
    const rwl_manifest_entry *e = NULL;
    ASSERT_OK(rwl_manifest_reader_next(r, &e, err));
    return e;
}

/* 3 records, 40 bytes, block size 64: zigzag doubles them. */
#define V1_NUMBERS "\x06\x50\x80\x01"

static rwl_manifest v1_manifest(const char *name, const rwl_avro_metadata *header, size_t header_count) {
    const odd_entry entries[] = {{"file:/t/a.parquet", "PARQUET", TAIL(V1_NUMBERS)},
                                 {"/t/b.parquet", "parquet", TAIL(V1_NUMBERS)}};
    return write_manifest(name, ENTRY_HEAD ENTRY_TAIL V1_BLOCK_SIZE ENTRY_END, header, header_count, entries,
                          2);
}

static void check_v1_entries(const rwl_metadata *metadata, const rwl_manifest *m) {
    rwl_manifest_reader *r = open_manifest(metadata, m);
    const rwl_manifest_entry *e = next(r);
    ck_assert_str_eq(e->file.file_path, "file:/t/a.parquet");
    ck_assert_str_eq(e->file.file_format, "PARQUET");
    ck_assert_int_eq(e->file.content, RWL_CONTENT_DATA);
    ck_assert_int_eq(e->sequence_number, 0);
    ck_assert_int_eq(e->file_sequence_number, 0);
    ck_assert_int_eq(e->snapshot_id, 7);
    ck_assert_int_eq(e->file.record_count, 3);
    ck_assert_int_eq(e->file.file_size, 40);
    ck_assert(!e->file.has_first_row_id);
    ck_assert_str_eq(next(r)->file.file_format, "parquet");
    ck_assert_ptr_null(next(r));
    rwl_manifest_reader_close(r);
}

/* --- version 1 --- */

START_TEST(version_1_with_inline_manifests) {
    static const rwl_avro_metadata header[] = {{"partition-spec-id", {(const uint8_t *)"0", 1}}};
    rwl_manifest with = v1_manifest("m 0.avro", header, 1), without = v1_manifest("m1.avro", NULL, 0);
    const char *text = rwl_arena_printf(
        test_arena(), "[{'snapshot-id': 11, 'timestamp-ms': 1000, 'manifests': ['%s', '%s']}]", with.path,
        without.path);
    rwl_metadata *metadata = test_metadata(test_with(V1, "snapshots", text));
    rwl_manifest_list list;
    ASSERT_OK(rwl_manifest_list_read(test_store(), test_op(), &metadata->snapshots[0], &list, err));
    ck_assert_int_eq(list.count, 2);
    for (int32_t i = 0; i < 2; i++) {
        const rwl_manifest *m = &list.items[i];
        ck_assert_int_eq(m->length, i == 0 ? with.length : without.length);
        ck_assert_int_eq(m->added_snapshot_id, 11);
        ck_assert_int_eq(m->added_files, -1);
        ck_assert(m->content == 0 && m->spec_id == 0 && m->sequence_number == 0 && !m->has_first_row_id);
        check_v1_entries(metadata, m);
    }
    rwl_manifest_list_clear(&list);
    rwl_metadata_free(metadata);
}
END_TEST

START_TEST(inline_manifests_that_are_not_there_are_named) {
    rwl_metadata *metadata = test_metadata(test_with(
        V1, "snapshots", "[{'snapshot-id': 11, 'timestamp-ms': 1000, 'manifests': ['/no/m.avro']}]"));
    rwl_manifest_list list;
    ASSERT_FAILS(RWL_NOT_FOUND, "/no/m.avro",
                 rwl_manifest_list_read(test_store(), test_op(), &metadata->snapshots[0], &list, err));
    rwl_metadata_free(metadata);
    rwl_metadata *none;
    ASSERT_FAILS(
        RWL_CORRUPT, "snapshot 11: manifests: no path at place 0",
        parse(test_with(V1, "snapshots", "[{'snapshot-id': 11, 'timestamp-ms': 1000, 'manifests': [7]}]"),
              &none, err));
}
END_TEST

/* Field ids of specs from before they were written down are 1000, 1001, … by place. */
START_TEST(version_1_specs_without_field_ids) {
    rwl_metadata *m = test_metadata(
        test_with(V1, "partition-spec",
                  "[{'name': 'ts_day', 'transform': 'day', 'source-id': 2}, {'name': 'b', 'transform': "
                  "'bucket[16]', 'source-id': 1}]"));
    ck_assert_int_eq(m->spec->fields[0].field_id, 1000);
    ck_assert_int_eq(m->spec->fields[1].field_id, 1001);
    ck_assert_int_eq(m->last_partition_id, 1001);
    ck_assert_ptr_null(m->table_uuid);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(bug_051_snapshots_and_lists_without_sequence_numbers) {
    static const char list_schema[] =
        "{'type':'record','name':'manifest_file','fields':[{'name':'manifest_path','type':'string','field-id'"
        ":"
        "500},{'name':'manifest_length','type':'long','field-id':501},{'name':'partition_spec_id','type':'"
        "int',"
        "'field-id':502},{'name':'added_snapshot_id','type':'long','field-id':503},{'name':"
        "'added_data_files_count','type':['null','int'],'field-id':504}]}";
    rwl_avro_writer *w = NULL;
    int64_t size;
    const char *path = test_path("list.avro");
    ASSERT_OK(rwl_avro_writer_open(test_store(), test_op(), path, requoted(list_schema), NULL, 0,
                                   RWL_CODEC_NONE, 0, &w, err));
    rwl_buf *b = rwl_avro_writer_record(w);
    ASSERT_OK(rwl_avro_put_bytes(b, rwl_span_str("/t/m.avro"), err));
    for (int64_t i = 0; i < 5; i++) { /* length 99, spec 0, snapshot 11, count of 4 */
        static const int64_t numbers[] = {99, 0, 11, 1, 4};
        ASSERT_OK(rwl_avro_put_long(b, numbers[i], err));
    }
    ASSERT_OK(rwl_avro_writer_end_record(w, err));
    ASSERT_OK(rwl_avro_writer_finish(w, &size, err));
    rwl_metadata *m = test_metadata(test_with(
        V2, "snapshots",
        rwl_arena_printf(test_arena(), "[{'snapshot-id': 11, 'timestamp-ms': 1000, 'manifest-list': '%s'}]",
                         path)));
    ck_assert_int_eq(m->snapshots[0].sequence_number, 0);
    rwl_manifest_list list;
    ASSERT_OK(rwl_manifest_list_read(test_store(), test_op(), &m->snapshots[0], &list, err));
    const rwl_manifest *line = &list.items[0];
    ck_assert(line->sequence_number == 0 && line->min_sequence_number == 0 && line->content == 0);
    ck_assert_int_eq(line->added_files, 4);
    ck_assert_int_eq(line->existing_files, -1);
    rwl_manifest_list_clear(&list);
    rwl_metadata_free(m);
}
END_TEST

/* Each manifest is read by its own header, whatever the table's version. */
START_TEST(bug_052_version_1_manifests_under_versions_2_and_3) {
    rwl_manifest m = v1_manifest("m.avro", NULL, 0);
    rwl_metadata *v2 = test_metadata(V2);
    rwl_metadata *v3 = test_metadata(test_with(test_with(V2, "format-version", "3"), "next-row-id", "0"));
    check_v1_entries(v2, &m);
    check_v1_entries(v3, &m);
    rwl_metadata_free(v2);
    rwl_metadata_free(v3);
}
END_TEST

/* PyIceberg lists the rows of carried files as added ones: the live ones together are what must fit. */
START_TEST(rows_of_existing_files_that_a_list_calls_added) {
    rwl_metadata *metadata = test_metadata(V2);
    rwl_manifest m = v1_manifest("m.avro", NULL, 0); /* 2 added files of 3 rows */
    m.added_files = 0;
    m.existing_files = 2;
    m.deleted_files = 0;
    m.added_rows = 2;
    m.existing_rows = 4;
    m.deleted_rows = 0;
    check_v1_entries(metadata, &m);
    m.existing_rows = 3;
    rwl_manifest_reader *r = open_manifest(metadata, &m);
    ck_assert(next(r) != NULL && next(r) != NULL);
    const rwl_manifest_entry *e;
    ASSERT_FAILS(RWL_CORRUPT, "says 5 added and existing rows, the manifest has 6",
                 rwl_manifest_reader_next(r, &e, err));
    rwl_manifest_reader_close(r);
    rwl_metadata_free(metadata);
}
END_TEST

/* --- metadata --- */

START_TEST(bug_028_version_3_without_next_row_id) {
    rwl_metadata *m;
    ASSERT_FAILS(RWL_CORRUPT, "'next-row-id' is missing",
                 parse(test_with(V2, "format-version", "3"), &m, err));
}
END_TEST

START_TEST(bug_122_type_names_with_and_without_spaces) {
    static const char *const pairs[][2] = {
        {"decimal(9,2)", "decimal(9, 2)"},     {"decimal(9, 2)", "decimal(9, 2)"},
        {"decimal( 9 , 2 )", "decimal(9, 2)"}, {"fixed[16]", "fixed[16]"},
        {"fixed[ 16 ]", "fixed[16]"},          {"STRING", "string"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *text = rwl_arena_printf(
            test_arena(),
            "{'type': 'struct', 'schema-id': 0, 'fields': [{'id': 1, 'name': 'd', 'required': "
            "true, 'type': '%s'}]}",
            pairs[i][0]);
        rwl_metadata *m = test_metadata(test_with(V1, "schema", text));
        rwl_buf name;
        rwl_buf_init(&name, test_env(), SIZE_MAX);
        ASSERT_OK(rwl_type_format(&m->schema->fields[0].type, &name, err));
        ASSERT_OK(rwl_buf_terminate(&name, err));
        ck_assert_str_eq((const char *)name.data, pairs[i][1]);
        rwl_buf_clear(&name);
        rwl_metadata_free(m);
    }
}
END_TEST

/* 2^53 + 1 and 2^63 - 1 are no doubles. */
START_TEST(bug_123_snapshot_ids_above_2_53) {
    rwl_metadata *m = test_metadata(test_with(
        test_with(test_with(V2, "snapshots",
                            "[{'snapshot-id': 9007199254740993, 'timestamp-ms': 1, 'manifest-list': '/l'}, "
                            "{'snapshot-id': 9223372036854775807, 'parent-snapshot-id': 9007199254740993, "
                            "'timestamp-ms': 2, 'manifest-list': '/l'}]"),
                  "refs", "{'t': {'snapshot-id': 9007199254740993, 'type': 'tag'}}"),
        "current-snapshot-id", "9223372036854775807"));
    rwl_buf out;
    rwl_buf_init(&out, test_env(), SIZE_MAX);
    ck_assert_int_eq(m->current_snapshot_id, INT64_MAX);
    ck_assert_int_eq(rwl_metadata_ref(m, "t")->snapshot_id, INT64_C(9007199254740993));
    ck_assert_int_eq(rwl_metadata_snapshot(m, INT64_MAX)->parent_id, INT64_C(9007199254740993));
    ASSERT_OK(rwl_metadata_dump(m, &out, err));
    ASSERT_OK(rwl_buf_terminate(&out, err));
    ck_assert_ptr_nonnull(strstr((const char *)out.data, "\"current-snapshot-id\": 9223372036854775807"));
    ck_assert_ptr_nonnull(strstr((const char *)out.data, "\"parent-snapshot-id\": 9007199254740993"));
    rwl_buf_clear(&out);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(bug_127_snapshot_sequence_above_the_tables) {
    rwl_metadata *m;
    const char *text = test_with(V2, "snapshots",
                                 "[{'snapshot-id': 11, 'sequence-number': 5, 'timestamp-ms': 1000, "
                                 "'manifest-list': '/l'}]");
    ASSERT_FAILS(RWL_CORRUPT, "snapshot 11: 'sequence-number' is 5, 'last-sequence-number' of the table 2",
                 parse(text, &m, err));
}
END_TEST

START_TEST(bug_128_snapshots_without_operation_or_summary) {
    static const char *const summaries[] = {"", ", 'summary': {}", ", 'summary': null",
                                            ", 'summary': {'added-records': '1'}"};
    for (size_t i = 0; i < sizeof summaries / sizeof *summaries; i++) {
        for (int version = 1; version <= 2; version++) {
            const char *text = rwl_arena_printf(
                test_arena(), "[{'snapshot-id': 11, 'timestamp-ms': 1000, 'manifest-list': '/l'%s}]",
                summaries[i]);
            rwl_metadata *m = test_metadata(test_with(version == 1 ? V1 : V2, "snapshots", text));
            char engine[64];
            ck_assert_ptr_null(m->snapshots[0].operation);
            rwl_snapshot_engine(&m->snapshots[0], engine, sizeof engine);
            ck_assert_str_eq(engine, "unsigned");
            rwl_metadata_free(m);
        }
    }
}
END_TEST

/* One key of the table changed, and what comes of it. */
static const struct {
    const char *key, *value;
    rwl_status status;
    const char *part;
} ODDITIES[] = {
    {"location", "'/t/'", RWL_OK, ""},
    {"current-snapshot-id", "11", RWL_OK, ""},
    {"statistics",
     "[{'snapshot-id': 11, 'statistics-path': '/t/s.puffin', 'file-size-in-bytes': 1, "
     "'file-footer-size-in-bytes': 1, 'blob-metadata': []}]",
     RWL_OK, ""},
    {"partition-statistics", "[{'snapshot-id': 12, 'statistics-path': '/t/p', 'file-size-in-bytes': 1}]",
     RWL_OK, ""},
    {"encryption-keys", "[{'key-id': 'k', 'encrypted-key-metadata': 'aGk='}]", RWL_OK, ""},
    {"partition-specs",
     "[{'spec-id': 0, 'fields': [{'name': 'z', 'transform': 'zorder[3]', 'source-id': 1, 'field-id': "
     "1000}]}]",
     RWL_OK, ""},
    {"partition-specs",
     "[{'spec-id': 0, 'fields': [{'name': 'z', 'transform': 'bucket[4]', 'source-ids': [1, 2], 'field-id': "
     "1000}]}]",
     RWL_OK, ""},
    {"sort-orders",
     "[{'order-id': 0, 'fields': []}, {'order-id': 1, 'fields': [{'transform': 'hilbert', 'source-ids': [1, "
     "2], "
     "'direction': 'asc', 'null-order': 'nulls-first'}]}]",
     RWL_OK, ""},
    {"format-version", "4", RWL_UNSUPPORTED, "table format version 4 is not supported (1 to 3 are)"},
    {"refs", "{'a': {'snapshot-id': 12, 'type': 'tag'}}", RWL_CORRUPT,
     "ref 'a': 'snapshot-id' is 12, which is not in the table"},
    {"snapshots",
     "[{'snapshot-id': 11, 'parent-snapshot-id': 404, 'timestamp-ms': 1, 'manifest-list': '/l'}]", RWL_OK,
     ""},
    {"last-sequence-number", "-1", RWL_CORRUPT, "'last-sequence-number' is -1"},
};

START_TEST(oddities_of_metadata) {
    const char *text = test_with(V2, ODDITIES[_i].key, ODDITIES[_i].value);
    rwl_metadata *m = NULL;
    if (ODDITIES[_i].status != RWL_OK) {
        ASSERT_FAILS(ODDITIES[_i].status, ODDITIES[_i].part, parse(text, &m, err));
        return;
    }
    ASSERT_OK(parse(text, &m, err));
    assert_json_text(rwl_json_get(m->json, ODDITIES[_i].key), ODDITIES[_i].value); /* kept as it was */
    rwl_metadata_free(m);
}
END_TEST

START_TEST(refs_of_one_name_are_corrupt) {
    rwl_metadata *m;
    ASSERT_FAILS(
        RWL_CORRUPT, "duplicate object key",
        rwl_metadata_parse(test_env(), rwl_span_str("{\"refs\": {\"a\": 1, \"a\": 2}}"), NULL, &m, err));
}
END_TEST

START_TEST(deep_nesting_ends) {
    rwl_buf text;
    rwl_metadata *m;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    char run[1000];
    memset(run, '[', sizeof run);
    for (int i = 0; i < 1000; i++)
        ASSERT_OK(rwl_buf_append(&text, run, sizeof run, err));
    ASSERT_FAILS(RWL_CORRUPT, "depth", rwl_metadata_parse(test_env(), rwl_buf_span(&text), NULL, &m, err));
    rwl_buf_reset(&text);
    for (int i = 0; i < 100; i++)
        ASSERT_OK(rwl_buf_str(
            &text, "{'type': 'list', 'element-id': 9, 'element-required': true, 'element': ", err));
    ASSERT_OK(rwl_buf_str(&text, "'int'", err));
    for (int i = 0; i < 100; i++)
        ASSERT_OK(rwl_buf_str(&text, "}", err));
    ASSERT_OK(rwl_buf_terminate(&text, err));
    const char *schema = rwl_arena_printf(test_arena(),
                                          "{'type': 'struct', 'fields': [{'id': 1, 'name': 'l', 'required': "
                                          "true, 'type': %s}]}",
                                          (const char *)text.data);
    ASSERT_FAILS(RWL_UNSUPPORTED, "types nest deeper than 64 levels",
                 parse(test_with(V1, "schema", schema), &m, err));
    rwl_buf_clear(&text);
}
END_TEST

/* Look-ups stay what they are for three fields: none walks all of them for each. */
START_TEST(ten_thousand_columns) {
    rwl_buf text;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_buf_str(&text, "{'type': 'struct', 'fields': [", err));
    for (int i = 1; i <= 10000; i++)
        ASSERT_OK(rwl_buf_printf(&text, err, "%s{'id': %d, 'name': 'c%d', 'required': false, 'type': 'long'}",
                                 i > 1 ? ", " : "", i, i));
    ASSERT_OK(rwl_buf_str(&text, "]}", err));
    ASSERT_OK(rwl_buf_terminate(&text, err));
    rwl_metadata *m = test_metadata(test_with(V1, "schema", (const char *)text.data));
    ck_assert_int_eq(m->schema->field_count, 10000);
    int found = 0; /* each assertion costs a system call */
    for (int32_t i = 1; i <= 10000; i++)
        found += rwl_schema_by_id(m->schema, i)->id == i;
    ck_assert_int_eq(found, 10000);
    rwl_metadata_free(m);
    rwl_buf_clear(&text);
}
END_TEST

/* Ids in an order that is neither ascending nor random: 7919 is prime to 100,000. */
START_TEST(a_hundred_thousand_snapshots) {
    enum { COUNT = 100000 };
    rwl_buf text;
    rwl_metadata *m = NULL;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_buf_str(&text, test_with(V2, "snapshots", NULL), err));
    text.len--; /* the brace */
    ASSERT_OK(rwl_buf_str(&text, ", \"snapshots\": [", err));
    rwl_status st = RWL_OK;
    for (int64_t i = 0; st == RWL_OK && i < COUNT; i++)
        st = rwl_buf_printf(&text, NULL,
                            "%s{\"snapshot-id\": %lld, \"parent-snapshot-id\": %lld, \"timestamp-ms\": %lld, "
                            "\"manifest-list\": \"/l\", \"summary\": {\"operation\": \"append\"}}",
                            i > 0 ? ", " : "", (long long)(i * 7919 % COUNT + 1),
                            (long long)((i - 1 + COUNT) * 7919 % COUNT + 1), (long long)i);
    ck_assert_int_eq(st, RWL_OK);
    ASSERT_OK(rwl_buf_str(&text, "]}", err));
    ASSERT_OK(rwl_metadata_parse(test_env(), rwl_buf_span(&text), NULL, &m, err));
    ck_assert_int_eq(m->snapshot_count, COUNT);
    int64_t found = 0; /* each assertion costs a system call */
    for (int64_t id = 1; id <= COUNT; id++)
        found += rwl_metadata_snapshot(m, id)->snapshot_id == id;
    ck_assert_int_eq(found, COUNT);
    ck_assert(rwl_metadata_is_ancestor(m, 1, 7920)); /* the one before */
    ck_assert(!rwl_metadata_is_ancestor(m, COUNT + 1, 1));
    rwl_metadata_free(m);
    rwl_buf_clear(&text);
}
END_TEST

/* --- manifests --- */

/* Names that Avro does not allow, as Java writes them and as they are; the field id tells. */
START_TEST(bug_171_partition_names_that_avro_does_not_allow) {
    static const char *const names[] = {"_9x", "a_x2Eb", "a_x20b", "\xe5\x90\x8d", "_x540D", "anything"};
    rwl_metadata *metadata = test_metadata(test_with(V2, "partition-specs",
                                                     "[{'spec-id': 0, 'fields': [{'name': '9x', 'transform': "
                                                     "'identity', 'source-id': 1, 'field-id': 1000}]}]"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *schema = rwl_arena_printf(
            test_arena(),
            ENTRY_HEAD "{'name':'%s','type':['null','long'],'field-id':1000}" ENTRY_TAIL ENTRY_END, names[i]);
        const odd_entry entry = {"/t/a", "PARQUET", TAIL("\x02\x54\x06\x50")}; /* 42 */
        rwl_manifest m =
            write_manifest(rwl_arena_printf(test_arena(), "m%zu", i), schema, NULL, 0, &entry, 1);
        rwl_manifest_reader *r = open_manifest(metadata, &m);
        const rwl_manifest_entry *e = next(r);
        ck_assert_int_eq(e->file.partition_count, 1);
        assert_value(&metadata->schema->fields[0].type, &e->file.partition[0], "42");
        rwl_manifest_reader_close(r);
    }
    rwl_metadata_free(metadata);
}
END_TEST

/* Day 19723 is 2024-01-01: 54 years of 365 days, 13 leap days. 19723 zigzag is 0x9a16: bytes 96 b4 02. */
START_TEST(bug_172_days_as_int_or_date) {
    static const char *const types[] = {"'int'", "{'type':'int','logicalType':'date'}"};
    rwl_metadata *metadata = test_metadata(V2);
    rwl_type date = rwl_type_of(RWL_TYPE_DATE);
    for (size_t i = 0; i < 2; i++) {
        const char *schema = rwl_arena_printf(
            test_arena(),
            ENTRY_HEAD "{'name':'ts_day','type':['null',%s],'field-id':1000}" ENTRY_TAIL ENTRY_END, types[i]);
        const odd_entry entry = {"/t/a", "PARQUET", TAIL("\x02\x96\xb4\x02\x06\x50")};
        rwl_manifest m =
            write_manifest(rwl_arena_printf(test_arena(), "m%zu", i), schema, NULL, 0, &entry, 1);
        m.spec_id = 1;
        rwl_manifest_reader *r = open_manifest(metadata, &m);
        assert_value(&date, &next(r)->file.partition[0], "2024-01-01");
        rwl_manifest_reader_close(r);
    }
    rwl_metadata_free(metadata);
}
END_TEST

START_TEST(bug_134_null_partition_values_before_others) {
    rwl_metadata *metadata = test_metadata(V2);
    const odd_entry entries[] = {{"/t/n", "PARQUET", TAIL("\x00\x06\x50")},
                                 {"/t/1", "PARQUET", TAIL("\x02\x02\x06\x50")},
                                 {"/t/2", "PARQUET", TAIL("\x02\x04\x06\x50")}};
    rwl_manifest m = write_manifest(
        "m.avro", ENTRY_HEAD "{'name':'id','type':['null','long'],'field-id':1001}" ENTRY_TAIL ENTRY_END,
        NULL, 0, entries, 3);
    static const char *const values[] = {"null", "1", "2"};
    m.spec_id = 2;
    rwl_manifest_reader *r = open_manifest(metadata, &m);
    for (int i = 0; i < 3; i++)
        assert_value(&metadata->schema->fields[0].type, &next(r)->file.partition[0], values[i]);
    ck_assert_ptr_null(next(r));
    rwl_manifest_reader_close(r);
    rwl_metadata_free(metadata);
}
END_TEST

/* Null counts {1: -1}, lower bounds {99: 7}: of no use, and no harm. */
START_TEST(bug_174_counts_below_zero_and_bounds_of_unknown_columns) {
    rwl_metadata *metadata = test_metadata(V2);
    const odd_entry entry = {
        "/t/a", "PARQUET",
        TAIL("\x06\x50\x02\x02\x02\x01\x00\x02\x02\xc6\x01\x10\x07\x00\x00\x00\x00\x00\x00\x00"
             "\x00")};
    rwl_manifest m = write_manifest("m.avro", ENTRY_HEAD ENTRY_TAIL COUNTS ENTRY_END, NULL, 0, &entry, 1);
    rwl_manifest_reader *r = open_manifest(metadata, &m);
    const rwl_data_file *f = &next(r)->file;
    for (int32_t i = 0; i < f->null_count_count; i++) /* kept as -1, or left out: unknown */
        ck_assert(f->null_counts[i].field_id != 1 || f->null_counts[i].value == -1);
    ck_assert_int_eq(f->record_count, 3);
    ck_assert_ptr_null(next(r));
    rwl_manifest_reader_close(r);
    rwl_metadata_free(metadata);
}
END_TEST

START_TEST(bug_135_empty_lists_are_as_good_as_none_on_data_files) {
    rwl_metadata *metadata = test_metadata(V2);
    const odd_entry entries[] = {{"/t/a", "PARQUET", TAIL("\x06\x50\x02\x00\x02\x00")}, /* [], [] */
                                 {"/t/b", "PARQUET", TAIL("\x06\x50\x00\x00")}};
    rwl_manifest m =
        write_manifest("m.avro",
                       ENTRY_HEAD ENTRY_TAIL ",{'name':'split_offsets','field-id':132,'type':['null',{'type':"
                                             "'array','items':'long','element-id':133}]}"
                                             ",{'name':'equality_ids','field-id':135,'type':['null',{'type':'"
                                             "array','items':'int','element-id':136}]}" ENTRY_END,
                       NULL, 0, entries, 2);
    rwl_manifest_reader *r = open_manifest(metadata, &m);
    for (int i = 0; i < 2; i++) {
        const rwl_data_file *f = &next(r)->file;
        ck_assert(f->split_count == 0 && f->equality_count == 0);
    }
    rwl_manifest_reader_close(r);
    rwl_metadata_free(metadata);
}
END_TEST

START_TEST(negative_lengths_and_counts_are_corrupt) {
    rwl_metadata *metadata = test_metadata(V2);
    static const struct {
        rwl_span tail;
        const char *part;
    } cases[] = {{{(const uint8_t *)"\x05\x50", 2}, "record_count"},
                 {{(const uint8_t *)"\x06\x4f", 2}, "file_size"}};
    for (size_t i = 0; i < 2; i++) {
        const odd_entry entry = {"/t/a", "PARQUET", cases[i].tail};
        rwl_manifest m = write_manifest(rwl_arena_printf(test_arena(), "m%zu", i),
                                        ENTRY_HEAD ENTRY_TAIL ENTRY_END, NULL, 0, &entry, 1);
        rwl_manifest_reader *r = open_manifest(metadata, &m);
        const rwl_manifest_entry *e;
        ASSERT_FAILS(RWL_CORRUPT, cases[i].part, rwl_manifest_reader_next(r, &e, err));
        rwl_manifest_reader_close(r);
    }
    rwl_metadata_free(metadata);
}
END_TEST

/* --- paths: byte for byte, never decoded --- */

START_TEST(odd_characters_in_paths) {
    static const char *const names[] = {"with space",
                                        "100%",
                                        "a%20b",
                                        "%2F",
                                        "d=2024-01-01",
                                        "d=a%3Ab",
                                        "at@home",
                                        "caf\xc3\xa9",
                                        "line\nbreak",
                                        "quo\"te",
                                        "semi;#?&+",
                                        "back\\slash",
                                        "\xe5\x90\x8d\xe5\x89\x8d",
                                        "~tilde",
                                        "__HIVE_DEFAULT_PARTITION__"};
    rwl_metadata *metadata = test_metadata(V2);
    const char *path = rwl_arena_printf(test_arena(), "/t/%s/a.parquet", names[_i]);
    const odd_entry entry = {path, "PARQUET", TAIL("\x06\x50")};
    rwl_manifest m = write_manifest(names[_i], ENTRY_HEAD ENTRY_TAIL ENTRY_END, NULL, 0, &entry, 1);
    for (int spelling = 0; spelling < 4; spelling++) {
        static const char *const schemes[] = {"", "file:", "file://", "file://localhost"};
        rwl_manifest spelt = m;
        spelt.path = rwl_arena_printf(test_arena(), "%s%s", schemes[spelling], m.path);
        rwl_manifest_reader *r = open_manifest(metadata, &spelt);
        ck_assert_str_eq(next(r)->file.file_path, path);
        rwl_manifest_reader_close(r);
    }
    rwl_metadata_free(metadata);
}
END_TEST

#define LEN(table) ((int)(sizeof(table) / sizeof *(table)))

Suite *suite_odd_tables(void) {
    Suite *s = suite_create("odd_tables");
    TCase *t = tcase_create("odd_tables");
    tcase_set_timeout(t, 60); /* a hundred thousand snapshots, under sanitizers */
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_test(t, version_1_with_inline_manifests);
    tcase_add_test(t, inline_manifests_that_are_not_there_are_named);
    tcase_add_test(t, version_1_specs_without_field_ids);
    tcase_add_test(t, bug_051_snapshots_and_lists_without_sequence_numbers);
    tcase_add_test(t, bug_052_version_1_manifests_under_versions_2_and_3);
    tcase_add_test(t, rows_of_existing_files_that_a_list_calls_added);
    tcase_add_test(t, bug_028_version_3_without_next_row_id);
    tcase_add_test(t, bug_122_type_names_with_and_without_spaces);
    tcase_add_test(t, bug_123_snapshot_ids_above_2_53);
    tcase_add_test(t, bug_127_snapshot_sequence_above_the_tables);
    tcase_add_test(t, bug_128_snapshots_without_operation_or_summary);
    tcase_add_loop_test(t, oddities_of_metadata, 0, LEN(ODDITIES));
    tcase_add_test(t, refs_of_one_name_are_corrupt);
    tcase_add_test(t, deep_nesting_ends);
    tcase_add_test(t, ten_thousand_columns);
    tcase_add_test(t, a_hundred_thousand_snapshots);
    tcase_add_test(t, bug_171_partition_names_that_avro_does_not_allow);
    tcase_add_test(t, bug_172_days_as_int_or_date);
    tcase_add_test(t, bug_134_null_partition_values_before_others);
    tcase_add_test(t, bug_174_counts_below_zero_and_bounds_of_unknown_columns);
    tcase_add_test(t, bug_135_empty_lists_are_as_good_as_none_on_data_files);
    tcase_add_test(t, negative_lengths_and_counts_are_corrupt);
    tcase_add_loop_test(t, odd_characters_in_paths, 0, 15);
    suite_add_tcase(s, t);
    return s;
}
