/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests, lists and metadata of all versions: ICE-39 to 53, BUG-052. Those of version 1 are written here, for nothing else writes them. */
#include "case_table.h"
#include "suites.h"

#include "avro/avro.h"

#define SNAPSHOT INT64_C(987134631982734)
/* ICE-42 to 48: record_count 1587, sequence number 34, first_row_id 100. */
enum { ROWS = 1587, SEQUENCE = 34, FIRST = 100 };

static const char *requoted(const char *text) {
    char *copy = rwl_arena_strdup(test_arena(), text);
    for (char *p = copy; *p != '\0'; p++)
        *p = *p == '\'' ? '"' : *p;
    return copy;
}

static rwl_avro_writer *open_avro(rwl_table *t, const char *path, const char *schema, rwl_codec_id codec) {
    rwl_avro_writer *w = NULL;
    ASSERT_OK(rwl_avro_writer_open(t->store, test_op(), path, requoted(schema), NULL, 0, codec, 0, &w, err));
    return w;
}

static void put_longs(rwl_buf *record, const int64_t *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        ASSERT_OK(rwl_avro_put_long(record, values[i], err));
}

static rwl_manifest_list read_list(rwl_table *t, const char *path) {
    rwl_snapshot snapshot;
    rwl_manifest_list list;
    memset(&snapshot, 0, sizeof snapshot);
    snapshot.manifest_list = path;
    ASSERT_OK(rwl_manifest_list_read(t->store, test_op(), &snapshot, &list, err));
    return list;
}

/* --- lists --- */

/* What version 1 knows of a manifest, by the names of today; ids of 500 to 514. */
#define V1_LIST                                                                                              \
    "{'type':'record','name':'manifest_file','fields':["                                                     \
    "{'name':'manifest_path','type':'string','field-id':500},"                                               \
    "{'name':'manifest_length','type':'long','field-id':501},"                                               \
    "{'name':'partition_spec_id','type':'int','field-id':502},"                                              \
    "{'name':'added_snapshot_id','type':'long','field-id':503},"                                             \
    "{'name':'added_files_count','type':'int','field-id':504},"                                              \
    "{'name':'existing_files_count','type':'int','field-id':505},"                                           \
    "{'name':'deleted_files_count','type':'int','field-id':506},"                                            \
    "{'name':'partitions','field-id':507,'type':{'type':'array','element-id':508,'items':"                   \
    "{'type':'record','name':'r508','fields':["                                                              \
    "{'name':'contains_null','type':'boolean','field-id':509},"                                              \
    "{'name':'contains_nan','type':['null','boolean'],'field-id':518},"                                      \
    "{'name':'lower_bound','type':['null','bytes'],'field-id':510},"                                         \
    "{'name':'upper_bound','type':['null','bytes'],'field-id':511}]}}},"                                     \
    "{'name':'added_rows_count','type':'long','field-id':512},"                                              \
    "{'name':'existing_rows_count','type':'long','field-id':513},"                                           \
    "{'name':'deleted_rows_count','type':'long','field-id':514}]}"

/* ICE-41: field 0 without nulls, 10 to 100; field 1 with nulls, no NaN, 20 to 200; ints, little endian. */
#define BOUND(bytes)                                                                                         \
    { (const uint8_t *)(bytes), 4 }
static const rwl_field_summary SUMMARIES[] = {
    {.contains_null = false, .contains_nan = -1, .lower = BOUND("\x0a\0\0\0"), .upper = BOUND("\x64\0\0\0")},
    {.contains_null = true, .contains_nan = 0, .lower = BOUND("\x14\0\0\0"), .upper = BOUND("\xc8\0\0\0")}};

static void put_summary(rwl_buf *record, const rwl_field_summary *s) {
    ASSERT_OK(rwl_avro_put_bool(record, s->contains_null, err));
    ASSERT_OK(rwl_avro_put_long(record, s->contains_nan >= 0, err));
    if (s->contains_nan >= 0)
        ASSERT_OK(rwl_avro_put_bool(record, s->contains_nan, err));
    ASSERT_OK(rwl_avro_put_long(record, 1, err));
    ASSERT_OK(rwl_avro_put_bytes(record, s->lower, err));
    ASSERT_OK(rwl_avro_put_long(record, 1, err));
    ASSERT_OK(rwl_avro_put_bytes(record, s->upper, err));
}

static rwl_manifest line(void) {
    return (rwl_manifest){.path = "s3://bucket/table/m1.avro",
                          .length = 1024,
                          .spec_id = 1,
                          .sequence_number = SEQUENCE,
                          .min_sequence_number = 10,
                          .added_snapshot_id = SNAPSHOT,
                          .added_files = 2,
                          .existing_files = 343,
                          .deleted_files = 1,
                          .added_rows = 5292,
                          .existing_rows = 857273,
                          .deleted_rows = 22910,
                          .partitions = SUMMARIES,
                          .partition_count = 2,
                          .has_first_row_id = true,
                          .first_row_id = FIRST};
}

static void write_v1_list(rwl_table *t, const char *path, const rwl_manifest *m) {
    const int64_t head[] = {m->length,      m->spec_id,        m->added_snapshot_id,
                            m->added_files, m->existing_files, m->deleted_files};
    const int64_t rows[] = {m->added_rows, m->existing_rows, m->deleted_rows};
    int64_t size;
    rwl_avro_writer *w = open_avro(t, path, V1_LIST, RWL_CODEC_DEFLATE);
    rwl_buf *record = rwl_avro_writer_record(w);
    ASSERT_OK(rwl_avro_put_bytes(record, rwl_span_str(m->path), err));
    put_longs(record, head, 6);
    if (m->partition_count > 0)
        ASSERT_OK(rwl_avro_put_long(record, m->partition_count, err));
    for (int i = 0; i < m->partition_count; i++)
        put_summary(record, &m->partitions[i]);
    ASSERT_OK(rwl_avro_put_long(record, 0, err));
    put_longs(record, rows, 3);
    ASSERT_OK(rwl_avro_writer_end_record(w, err));
    ASSERT_OK(rwl_avro_writer_finish(w, &size, err));
}

/* The list of one line in this version, written and read. */
static rwl_manifest_list list_of(rwl_table *t, int32_t version, const rwl_manifest *m) {
    const char *path = rwl_arena_printf(test_arena(), "%s/metadata/l%d.avro", t->metadata->location, version);
    if (version == 1) {
        write_v1_list(t, path, m);
    } else {
        const rwl_manifest_list_options options = {version, SNAPSHOT, 1, SEQUENCE, 130};
        ASSERT_OK(rwl_manifest_list_write(t->store, test_op(), path, m, 1, &options, err));
    }
    return read_list(t, path);
}

START_TEST(ice_39_a_list_of_version_1_has_no_content_numbers_or_ids) {
    test_create("t", 3, "id long", NULL, NULL);
    rwl_table *t = test_open("t");
    rwl_manifest m = line();
    rwl_manifest_list list = list_of(t, 1, &m);
    const rwl_manifest *got = &list.items[0];
    ck_assert_int_eq(list.count, 1);
    ck_assert_str_eq(got->path, m.path);
    ck_assert_int_eq(got->length, 1024);
    ck_assert_int_eq(got->spec_id, 1);
    ck_assert_int_eq(got->added_snapshot_id, SNAPSHOT);
    ck_assert(got->added_files == 2 && got->existing_files == 343 && got->deleted_files == 1);
    ck_assert(got->added_rows == 5292 && got->existing_rows == 857273 && got->deleted_rows == 22910);
    ck_assert_int_eq(got->content, RWL_CONTENT_DATA);
    ck_assert_int_eq(got->sequence_number, 0);
    ck_assert_int_eq(got->min_sequence_number, 0);
    ck_assert(!got->has_first_row_id);
    rwl_manifest_list_clear(&list);
    test_close(t);
}
END_TEST

START_TEST(ice_41_partition_summaries_survive_in_versions_1_to_3) {
    test_create("t", 3, "id long", NULL, NULL);
    rwl_table *t = test_open("t");
    for (int32_t version = 1; version <= 3; version++) {
        rwl_manifest m = line();
        rwl_manifest_list list = list_of(t, version, &m);
        ck_assert_int_eq(list.items[0].partition_count, 2);
        for (int i = 0; i < 2; i++) {
            const rwl_field_summary *s = &list.items[0].partitions[i];
            ck_assert_int_eq(s->contains_null, i == 1);
            ck_assert_int_eq(s->contains_nan, i == 1 ? 0 : -1);
            ck_assert(rwl_span_equal(s->lower, SUMMARIES[i].lower));
            ck_assert(rwl_span_equal(s->upper, SUMMARIES[i].upper));
        }
        rwl_manifest_list_clear(&list);
    }
    test_close(t);
}
END_TEST

/* --- manifests --- */

#define V1_MANIFEST                                                                                          \
    "{'type':'record','name':'manifest_entry','fields':[{'name':'status','type':'int','field-id':0},"        \
    "{'name':'snapshot_id','type':'long','field-id':1},{'name':'data_file','field-id':2,'type':{'type':"     \
    "'record','name':'r2','fields':[{'name':'file_path','type':'string','field-id':100},"                    \
    "{'name':'file_format','type':'string','field-id':101},{'name':'partition','field-id':102,'type':"       \
    "{'type':'record','name':'r102','fields':[]}},{'name':'record_count','type':'long','field-id':103},"     \
    "{'name':'file_size_in_bytes','type':'long','field-id':104},"                                            \
    "{'name':'block_size_in_bytes','type':'long','field-id':105}]}}]}"

/* One ADDED file, in blocks of 64 MB. */
static rwl_manifest write_v1_entry(rwl_table *t, const char *name, rwl_codec_id codec, const char *file,
                                   int64_t rows, int64_t size_of_file) {
    const char *path = rwl_arena_printf(test_arena(), "%s/metadata/%s", t->metadata->location, name);
    const int64_t status[] = {RWL_STATUS_ADDED, SNAPSHOT}, sizes[] = {rows, size_of_file, 67108864};
    rwl_avro_writer *w = open_avro(t, path, V1_MANIFEST, codec);
    rwl_buf *record = rwl_avro_writer_record(w);
    put_longs(record, status, 2);
    ASSERT_OK(rwl_avro_put_bytes(record, rwl_span_str(file), err));
    ASSERT_OK(rwl_avro_put_bytes(record, rwl_span_str("PARQUET"), err));
    put_longs(record, sizes, 3);
    ASSERT_OK(rwl_avro_writer_end_record(w, err));
    rwl_manifest m = {.path = path,
                      .added_snapshot_id = SNAPSHOT,
                      .added_files = 1,
                      .added_rows = rows,
                      .has_first_row_id = true,
                      .first_row_id = FIRST};
    ASSERT_OK(rwl_avro_writer_finish(w, &m.length, err));
    return m;
}

/* A file of ROWS rows and 150972 bytes that nobody reads. */
static rwl_manifest write_v1_manifest(rwl_table *t, const char *name, rwl_codec_id codec) {
    return write_v1_entry(t, name, codec, "s3://b/a.parquet", ROWS, 150972);
}

static rwl_manifest_entry only_entry(rwl_table *t, const rwl_manifest *m) {
    rwl_manifest_reader *r = NULL;
    const rwl_manifest_entry *e;
    rwl_manifest_entry copy;
    ASSERT_OK(rwl_manifest_reader_open(t->store, test_op(), t->metadata, m, &r, err));
    ASSERT_OK(rwl_manifest_reader_next(r, &e, err));
    ck_assert_ptr_nonnull(e);
    copy = *e;
    ASSERT_OK(rwl_data_file_copy(test_arena(), &e->file, true, &copy.file, err));
    ASSERT_OK(rwl_manifest_reader_next(r, &e, err));
    ck_assert_ptr_null(e);
    rwl_manifest_reader_close(r);
    return copy;
}

START_TEST(ice_45_a_manifest_of_version_1_takes_the_first_row_id_of_its_list) {
    test_create("t", 3, "id long", NULL, NULL);
    rwl_table *t = test_open("t");
    rwl_manifest m = write_v1_manifest(t, "v1.avro", RWL_CODEC_DEFLATE);
    rwl_manifest_entry e = only_entry(t, &m);
    ck_assert_int_eq(e.sequence_number, 0);
    ck_assert_int_eq(e.file_sequence_number, 0);
    ck_assert_int_eq(e.file.first_row_id, FIRST);
    test_close(t);
}
END_TEST

/* The manifest is of the commit (34), the oldest number in it is the entry's, 0. */
START_TEST(ice_46_an_entry_of_version_1_keeps_number_0_in_a_manifest_of_version_3) {
    test_create("t", 3, "id long", NULL, NULL);
    rwl_table *t = test_open("t");
    rwl_manifest old = write_v1_manifest(t, "v1.avro", RWL_CODEC_DEFLATE), m;
    rwl_manifest_entry e = only_entry(t, &old);
    const rwl_manifest_writer_options options = {.format_version = 3,
                                                 .schema = t->metadata->schema,
                                                 .spec = t->metadata->spec,
                                                 .snapshot_id = SNAPSHOT + 1,
                                                 .codec = RWL_CODEC_DEFLATE};
    rwl_manifest_writer *w = NULL;
    const char *path = rwl_arena_printf(test_arena(), "%s/metadata/v3.avro", t->metadata->location);
    ASSERT_OK(rwl_manifest_writer_open(t->store, test_op(), path, &options, &w, err));
    ASSERT_OK(rwl_manifest_writer_carry(w, &e, RWL_STATUS_EXISTING, err));
    ASSERT_OK(rwl_manifest_writer_finish(w, test_arena(), &m, err));
    m.has_first_row_id = true;
    m.first_row_id = FIRST;
    rwl_manifest_list list = list_of(t, 3, &m);
    ck_assert_int_eq(list.items[0].sequence_number, SEQUENCE);
    ck_assert_int_eq(list.items[0].min_sequence_number, 0);
    e = only_entry(t, &list.items[0]);
    ck_assert_int_eq(e.status, RWL_STATUS_EXISTING);
    ck_assert_int_eq(e.snapshot_id, SNAPSHOT);
    ck_assert_int_eq(e.sequence_number, 0);
    ck_assert_int_eq(e.file_sequence_number, 0);
    ck_assert_int_eq(e.file.record_count, ROWS);
    ck_assert_int_eq(e.file.first_row_id, FIRST);
    rwl_manifest_list_clear(&list);
    test_close(t);
}
END_TEST

static const char *codec_of(const char *name) {
    test_head head = test_read_head(name);
    rwl_table *t = test_open(name);
    rwl_avro_reader *r = NULL;
    ASSERT_OK(rwl_avro_reader_open(t->store, test_op(), head.manifests[0].path, &r, err));
    rwl_span codec = rwl_avro_reader_metadata(r, "avro.codec");
    const char *text = rwl_arena_strndup(test_arena(), (const char *)codec.data, codec.len);
    rwl_avro_reader_close(r);
    test_close(t);
    return text;
}

START_TEST(ice_47_manifests_are_deflated_unless_the_table_says_snappy) {
    static const char *const keys[] = {"write.manifest.compression-codec"};
    static const char *const values[] = {"gzip", "snappy"}, *const codecs[] = {"deflate", "snappy"};
    for (int32_t version = 2; version <= 3; version++)
        for (int i = -1; i < 2; i++) {
            const char *name = rwl_arena_printf(test_arena(), "t%d%d", version, i + 1);
            const rwl_create_options options = {.schema = "id long",
                                                .format_version = version,
                                                .property_keys = keys,
                                                .property_values = &values[i < 0 ? 0 : i],
                                                .property_count = i >= 0};
            test_create_with(name, &options);
            test_append(name, "{'id':1}\n{'id':2}");
            ck_assert_str_eq(codec_of(name), codecs[i < 0 ? 0 : i]);
            ck_assert_str_eq(test_values(name, NULL), "1 2");
        }
}
END_TEST

START_TEST(ice_47_manifests_of_version_1_are_read_in_every_codec) {
    static const rwl_codec_id codecs[] = {RWL_CODEC_NONE, RWL_CODEC_DEFLATE, RWL_CODEC_SNAPPY,
                                          RWL_CODEC_ZSTD};
    test_create("t", 3, "id long", NULL, NULL);
    rwl_table *t = test_open("t");
    for (int i = 0; i < 4; i++) {
        rwl_manifest m = write_v1_manifest(t, rwl_arena_printf(test_arena(), "v1-%d.avro", i), codecs[i]);
        rwl_manifest_entry e = only_entry(t, &m);
        ck_assert_str_eq(e.file.file_path, "s3://b/a.parquet");
        ck_assert_int_eq(e.file.record_count, ROWS);
        ck_assert_int_eq(e.file.file_size, 150972);
    }
    test_close(t);
}
END_TEST

/* --- tables of version 1 --- */

/* Metadata, list and manifest of version 1 over one data file, in the place of a table made for its folders. */
static void make_v1_table(const char *name) {
    const rwl_field fields[] = {CASE_FIELD("id", 1, LONG), CASE_FIELD("data", 2, STRING)};
    test_create(name, 2, "id long, data string", NULL, NULL);
    rwl_table *t = test_open(name);
    const char *location = rwl_arena_strdup(test_arena(), t->metadata->location);
    const rwl_data_file f = case_write(t, "a.parquet", fields, 2, "[[1, 'a'], [2, 'b'], [3, null]]", 0);
    rwl_manifest m = write_v1_entry(t, "m.avro", RWL_CODEC_SNAPPY, f.file_path, f.record_count, f.file_size);
    const char *list = rwl_arena_printf(test_arena(), "%s/metadata/list.avro", location);
    write_v1_list(t, list, &m);
    test_close(t);
    test_write(
        rwl_arena_printf(test_arena(), "%s/metadata/v1.metadata.json", name),
        rwl_arena_printf(test_arena(),
                         "{'format-version': 1, 'location': '%s', 'last-updated-ms': 1000, "
                         "'last-column-id': 2, 'schema': {'type': 'struct', 'fields': [{'id': 1, 'name': "
                         "'id', 'required': false, 'type': 'long'}, {'id': 2, 'name': 'data', "
                         "'required': false, 'type': 'string'}]}, 'partition-spec': [], "
                         "'current-snapshot-id': 11, 'snapshots': [{'snapshot-id': 11, 'timestamp-ms': "
                         "1000, 'manifest-list': '%s'}]}",
                         location, list));
}

/* Its rows have number 0 and, after an upgrade, ids and that number. */
START_TEST(bug_004_bug_052_version_1_has_no_lineage_before_it_is_upgraded) {
    make_v1_table("t");
    ck_assert_str_eq(test_rows("t"), "1,a=null/null 2,b=null/null 3,null=null/null");
    ck_assert_str_eq(case_rows("t", "data", "id >= 2"), "b null");
    const rwl_rewrite_options all = {.rewrite_all = true};
    ASSERT_FAILS(RWL_UNSUPPORTED, "upgrade", try_rewrite("t", &all, err));
    ck_assert_int_eq(test_upgrade("t", true).assigned_rows, 3);
    ck_assert_str_eq(test_rows("t"), "1,a=0/0 2,b=1/0 3,null=2/0");
    test_rewrite("t", NULL);
    ck_assert_str_eq(test_rows("t"), "1,a=0/0 2,b=1/0 3,null=2/0");
}
END_TEST

/* --- metadata --- */

#define METADATA(snapshot)                                                                                   \
    "{'format-version': 3, 'table-uuid': '9c12d441-03fe-4693-9a96-a0705ddf69c1', 'location': '/t', "         \
    "'last-sequence-number': 2, 'last-updated-ms': 2000, 'last-column-id': 1, 'current-schema-id': 0, "      \
    "'schemas': [{'type': 'struct', 'schema-id': 0, 'fields': [{'id': 1, 'name': 'id', 'required': false, "  \
    "'type': 'long'}]}], 'default-spec-id': 0, 'partition-specs': [{'spec-id': 0, 'fields': []}], "          \
    "'last-partition-id': 999, 'default-sort-order-id': 0, 'sort-orders': [{'order-id': 0, 'fields': []}], " \
    "'next-row-id': 50, 'current-snapshot-id': 11, 'snapshots': [{'snapshot-id': 11, 'sequence-number': 1, " \
    "'timestamp-ms': 1000, 'manifest-list': '/l'" snapshot "}]}"

START_TEST(ice_53_ids_rows_and_key_of_a_snapshot_survive) {
    const char *text = requoted(METADATA(", 'first-row-id': 20, 'added-rows': 30, 'key-id': 'k'"));
    rwl_metadata *m = NULL, *again = NULL;
    rwl_buf dumped;
    ASSERT_OK(rwl_metadata_parse(test_env(), rwl_span_str(text), NULL, &m, err));
    rwl_buf_init(&dumped, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_metadata_dump(m, &dumped, err));
    ASSERT_OK(rwl_metadata_parse(test_env(), rwl_buf_span(&dumped), NULL, &again, err));
    const rwl_snapshot *s = &again->snapshots[0];
    ck_assert(s->has_first_row_id);
    ck_assert_int_eq(s->first_row_id, 20);
    ck_assert_int_eq(s->added_rows, 30);
    const rwl_json *json = rwl_json_at(rwl_json_get(again->json, "snapshots"), 0);
    ck_assert_str_eq(rwl_json_str(rwl_json_get(json, "key-id")), "k");
    rwl_buf_clear(&dumped);
    rwl_metadata_free(again);
    rwl_metadata_free(m);
}
END_TEST

Suite *suite_manifest_cases(void) {
    const TTest *const tests[] = {
        ice_39_a_list_of_version_1_has_no_content_numbers_or_ids,
        ice_41_partition_summaries_survive_in_versions_1_to_3,
        ice_45_a_manifest_of_version_1_takes_the_first_row_id_of_its_list,
        ice_46_an_entry_of_version_1_keeps_number_0_in_a_manifest_of_version_3,
        ice_47_manifests_are_deflated_unless_the_table_says_snappy,
        ice_47_manifests_of_version_1_are_read_in_every_codec,
        bug_004_bug_052_version_1_has_no_lineage_before_it_is_upgraded,
        ice_53_ids_rows_and_key_of_a_snapshot_survive,
    };
    return TEST_SUITE("manifest cases", tests);
}
