/* SPDX-License-Identifier: Apache-2.0 */
/* Making table metadata: new tables, snapshots, upgrades; what nobody touches stays. */
#include "iceberg_test.h"

/* --- an environment with a clock and random bytes of its own --- */

enum { NOW = 1700000000 };

static int64_t fixed_now(void *ctx) {
    (void)ctx;
    return NOW;
}

static bool fixed_random(void *ctx, void *out, size_t len) {
    (void)ctx;
    memset(out, 0xab, len);
    return true;
}

static bool no_random(void *ctx, void *out, size_t len) {
    (void)ctx;
    (void)out;
    (void)len;
    return false;
}

static rwl_env fixed_env(void) {
    rwl_env env = *test_env();
    env.now_ms = fixed_now;
    env.random = fixed_random;
    return env;
}

/* --- new tables --- */

static rwl_status create(const rwl_env *env, int32_t version, const char *schema_text, const char *partition,
                         const char *sort, const char *property, rwl_metadata **out, rwl_error *failure) {
    rwl_schema schema = test_schema(schema_text);
    rwl_partition_spec spec;
    rwl_sort_order order;
    ASSERT_OK(rwl_partition_spec_from_text(partition, &schema, test_arena(), &spec, err));
    ASSERT_OK(rwl_sort_order_from_text(sort, &schema, test_arena(), &order, err));
    const char *keys[] = {property};
    const char *values[] = {"v"};
    rwl_metadata_new options = {"file:///t/", version, &schema, &spec,
                                &order,       keys,    values,  property ? 1 : 0};
    return rwl_metadata_create(env, &options, out, failure);
}

/* Keys in the order of Java's writer; 0xab bytes with version and variant bits make the uuid. Order 0 is there as in tables of
 * Spark, which sorts a table after it made it: its rewrite_data_files looks for it. */
START_TEST(a_new_table_is_what_java_would_write) {
    rwl_env env = fixed_env();
    rwl_metadata *m;
    ASSERT_OK(create(&env, 3, "id long not null, ts timestamp", "day(ts)", "ts desc", "owner", &m, err));
    assert_json_text(
        m->json,
        "{'format-version': 3, 'table-uuid': 'abababab-abab-4bab-abab-abababababab', 'location': "
        "'file:///t', "
        "'last-sequence-number': 0, 'last-updated-ms': 1700000000, 'last-column-id': 2, 'current-schema-id': "
        "0, "
        "'schemas': [{'type': 'struct', 'schema-id': 0, 'fields': ["
        "{'id': 1, 'name': 'id', 'required': true, 'type': 'long'}, "
        "{'id': 2, 'name': 'ts', 'required': false, 'type': 'timestamp'}]}], "
        "'default-spec-id': 0, 'partition-specs': [{'spec-id': 0, 'fields': ["
        "{'name': 'ts_day', 'transform': 'day', 'source-id': 2, 'field-id': 1000}]}], 'last-partition-id': "
        "1000, "
        "'default-sort-order-id': 1, 'sort-orders': [{'order-id': 0, 'fields': []}, {'order-id': 1, "
        "'fields': ["
        "{'transform': 'identity', 'source-id': 2, 'direction': 'desc', 'null-order': 'nulls-last'}]}], "
        "'properties': {'write.parquet.compression-codec': 'zstd', 'owner': 'v'}, 'current-snapshot-id': "
        "null, "
        "'next-row-id': 0, 'refs': {}, 'snapshots': [], 'statistics': [], 'partition-statistics': [], "
        "'snapshot-log': [], 'metadata-log': []}");
    ck_assert_ptr_null(m->metadata_location);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(a_new_version_2_table_has_no_row_ids) {
    rwl_env env = fixed_env();
    rwl_schema schema = test_schema("id long");
    rwl_metadata_new options = {"/t", 2, &schema, NULL, NULL, NULL, NULL, 0};
    rwl_metadata *m;
    ASSERT_OK(rwl_metadata_create(&env, &options, &m, err));
    ck_assert_ptr_null(rwl_json_get(m->json, "next-row-id"));
    ck_assert_int_eq(rwl_json_i64(rwl_json_get(m->json, "current-snapshot-id")), -1);
    ck_assert_int_eq(m->last_partition_id, 999);
    ck_assert_int_eq(m->order->order_id, 0);
    rwl_metadata_free(m);
}
END_TEST

static const struct {
    int32_t version;
    const char *schema, *property;
    rwl_status status;
    const char *part;
} REFUSED[] = {
    {1, "id long", NULL, RWL_UNSUPPORTED, "format version 1"},
    {4, "id long", NULL, RWL_UNSUPPORTED, "format version 4"},
    {2, "t timestamp_ns", NULL, RWL_UNSUPPORTED, "'t' (field 1) needs format version 3"},
    {2, "s struct<v variant>", NULL, RWL_UNSUPPORTED, "'v' (field 2) needs format version 3"},
    {3, "u unknown not null", NULL, RWL_USAGE, "must not be required"},
    {3, "_row_id long", NULL, RWL_USAGE, "'_row_id' is reserved"},
    {3, "_file string", NULL, RWL_USAGE, "'_file' is reserved"},
    {3, "id long", "format-version", RWL_USAGE, "property 'format-version' is reserved"},
    {3, "id long", "uuid", RWL_USAGE, "property 'uuid' is reserved"},
    {3, "id long", "default-sort-order", RWL_USAGE, "property 'default-sort-order' is reserved"},
    {3, "pos long, file_path string", NULL, RWL_OK, ""}, /* BUG-181 */
};

START_TEST(what_a_new_table_may_not_have_is_refused) {
    rwl_metadata *m = NULL;
    if (REFUSED[_i].status == RWL_OK)
        ASSERT_OK(create(test_env(), REFUSED[_i].version, REFUSED[_i].schema, "", "", REFUSED[_i].property,
                         &m, err));
    else
        ASSERT_FAILS(REFUSED[_i].status, REFUSED[_i].part,
                     create(test_env(), REFUSED[_i].version, REFUSED[_i].schema, "", "", REFUSED[_i].property,
                            &m, err));
    rwl_metadata_free(m);
}
END_TEST

START_TEST(a_new_table_needs_known_transforms_and_ordinary_ids) {
    rwl_schema schema = test_schema("id long");
    rwl_partition_field field = {1, 1000, "z", {RWL_TRANSFORM_UNKNOWN, 0, "zorder[3]"}};
    rwl_partition_spec spec = {0, &field, 1};
    rwl_metadata_new options = {"/t", 3, &schema, &spec, NULL, NULL, NULL, 0};
    rwl_metadata *m;
    ASSERT_FAILS(RWL_UNSUPPORTED, "unknown transform 'zorder[3]'",
                 rwl_metadata_create(test_env(), &options, &m, err));
    field.transform = (rwl_transform){RWL_TRANSFORM_IDENTITY, 0, "identity"};
    field.source_id = 9;
    ASSERT_FAILS(RWL_USAGE, "no column with field id 9", rwl_metadata_create(test_env(), &options, &m, err));
    rwl_field reserved = schema.fields[0];
    reserved.id = RWL_FIELD_ID_ROW_ID;
    options.spec = NULL;
    schema.fields = &reserved;
    ASSERT_FAILS(RWL_USAGE, "reserved field id 2147483540",
                 rwl_metadata_create(test_env(), &options, &m, err));
    rwl_env env = fixed_env();
    env.random = no_random;
    schema = test_schema("id long");
    ck_assert_int_ne((int)rwl_metadata_create(&env, &options, &m, NULL), RWL_OK);
    ck_assert_ptr_null(m);
}
END_TEST

/* --- snapshots --- */

static rwl_metadata *new_table(int32_t version) {
    rwl_env env = fixed_env();
    rwl_metadata *m;
    rwl_schema schema = test_schema("id long");
    rwl_metadata_new options = {"/t", version, &schema, NULL, NULL, NULL, NULL, 0};
    ASSERT_OK(rwl_metadata_create(&env, &options, &m, err));
    m->env = test_env(); /* the local one ends with this function */
    m->arena.env = test_env();
    return m;
}

static rwl_snapshot_new snapshot(int64_t id, int64_t parent, int64_t sequence, int64_t first, int64_t added) {
    rwl_snapshot_new s = {id,
                          parent,
                          sequence,
                          NOW + 1000 * sequence,
                          "/t/list.avro",
                          0,
                          first,
                          added,
                          test_json("{'operation': 'append', 'added-records': '1'}")};
    return s;
}

/* Adds to `base` and frees it. */
static rwl_metadata *added(rwl_metadata *base, rwl_snapshot_new s, const char *branch) {
    rwl_metadata *next;
    ASSERT_OK(rwl_metadata_add_snapshot(base, &s, branch, &next, err));
    rwl_metadata_free(base);
    return next;
}

START_TEST(a_snapshot_moves_main_and_the_counters) {
    rwl_metadata *m = added(new_table(3), snapshot(11, -1, 1, 0, 30), "main");
    ck_assert_int_eq(m->current_snapshot_id, 11);
    ck_assert_int_eq(m->last_sequence_number, 1);
    ck_assert_int_eq(m->last_updated_ms, NOW + 1000);
    ck_assert_int_eq(rwl_metadata_ref(m, "main")->snapshot_id, 11);
    assert_json_text(
        rwl_json_get(m->json, "snapshots"),
        "[{'sequence-number': 1, 'snapshot-id': 11, 'timestamp-ms': 1700001000, "
        "'summary': {'operation': 'append', 'added-records': '1'}, 'manifest-list': '/t/list.avro', "
        "'schema-id': 0, 'first-row-id': 0, 'added-rows': 30}]");
    assert_json_text(rwl_json_get(m->json, "refs"), "{'main': {'snapshot-id': 11, 'type': 'branch'}}");
    m = added(m, snapshot(12, 11, 2, 30, 5), "main");
    assert_json_text(
        rwl_json_get(m->json, "snapshot-log"),
        "[{'timestamp-ms': 1700001000, 'snapshot-id': 11}, {'timestamp-ms': 1700002000, 'snapshot-id': 12}]");
    ck_assert_int_eq(rwl_metadata_snapshot(m, 12)->parent_id, 11);
    ck_assert_int_eq(m->next_row_id, 35);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(a_version_2_snapshot_has_no_row_ids) {
    rwl_metadata *m = added(new_table(2), snapshot(11, -1, 1, -1, -1), "main");
    ck_assert_ptr_null(rwl_json_get(rwl_json_at(rwl_json_get(m->json, "snapshots"), 0), "first-row-id"));
    ck_assert_ptr_null(rwl_json_get(m->json, "next-row-id"));
    ck_assert_int_eq(m->current_snapshot_id, 11);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(ice_23_added_rows_advance_next_row_id) {
    rwl_metadata *m = added(new_table(3), snapshot(11, -1, 1, 0, 30), "main");
    ck_assert_int_eq(m->next_row_id, 30);
    m = added(m, snapshot(12, 11, 2, 30, 30), "main");
    ck_assert_int_eq(m->next_row_id, 60);
    m = added(m, snapshot(13, 12, 3, 60, 0), "main"); /* nothing assigned: stays */
    ck_assert_int_eq(m->next_row_id, 60);
    m = added(m, snapshot(14, 13, 4, 70, 1), "main"); /* ahead of the counter: from there (max) */
    ck_assert_int_eq(m->next_row_id, 71);
    rwl_metadata_free(m);
}
END_TEST

static void assert_not_added(const rwl_metadata *base, rwl_snapshot_new s, const char *branch,
                             rwl_status status, const char *part) {
    rwl_metadata *next;
    ASSERT_FAILS(status, part, rwl_metadata_add_snapshot(base, &s, branch, &next, err));
    ck_assert_ptr_null(next);
}

START_TEST(ice_24_51_row_ids_behind_the_table_conflict) {
    rwl_metadata *m = added(new_table(3), snapshot(11, -1, 1, 0, 30), "main");
    assert_not_added(m, snapshot(12, 11, 2, 29, 10), "main", RWL_CONFLICT,
                     "first-row-id is behind next-row-id: 29 < 30");
    assert_not_added(m, snapshot(12, 11, 2, -1, 10), "main", RWL_INTERNAL, "first-row-id is null");
    assert_not_added(m, snapshot(12, 11, 2, 30, -1), "main", RWL_INTERNAL, "added-rows is null");
    assert_not_added(m, snapshot(12, 11, 2, INT64_MAX, 1), "main", RWL_UNSUPPORTED, "law 2");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(ice_52_a_sequence_number_that_is_taken_conflicts) {
    rwl_metadata *m = added(new_table(3), snapshot(11, -1, 1, 0, 30), "main");
    assert_not_added(m, snapshot(12, 11, 1, 30, 10), "main", RWL_CONFLICT, "sequence number 1 is not above");
    assert_not_added(m, snapshot(12, -1, 2, 30, 10), "main", RWL_CONFLICT,
                     "branch 'main' is at snapshot 11, not at -1");
    assert_not_added(m, snapshot(12, 99, 2, 30, 10), "b", RWL_CONFLICT,
                     "parent snapshot 99 is no longer in the table");
    assert_not_added(m, snapshot(11, 11, 2, 30, 10), "main", RWL_EXISTS, "has a snapshot 11 already");
    rwl_metadata_free(m);
}
END_TEST

/* ICE-27 in numbers: ids are the table's, whatever the branch. */
START_TEST(branches_share_the_counters_and_leave_main_alone) {
    rwl_metadata *m = added(new_table(3), snapshot(11, -1, 1, 0, 30), "some_branch");
    ck_assert_int_eq(m->current_snapshot_id, -1);
    ck_assert_int_eq(m->next_row_id, 30);
    ck_assert_uint_eq(rwl_json_len(rwl_json_get(m->json, "snapshot-log")), 0);
    m = added(m, snapshot(12, -1, 2, 30, 28), "main");
    ck_assert_int_eq(m->next_row_id, 58);
    m = added(m, snapshot(13, 11, 3, 58, 21), "some_branch");
    ck_assert_int_eq(m->next_row_id, 79);
    ck_assert_int_eq(m->current_snapshot_id, 12);
    ck_assert_int_eq(m->last_sequence_number, 3);
    ck_assert_int_eq(rwl_metadata_ref(m, "some_branch")->snapshot_id, 13);
    rwl_metadata_free(m);
}
END_TEST

static const char *const ODD =
    "{'format-version': 3, 'zzz': {'keep': [1, 2]}, 'table-uuid': 'u', 'location': '/t', "
    "'last-sequence-number': 4, "
    "'last-updated-ms': 5000, 'last-column-id': 1, 'next-row-id': 7, 'current-schema-id': 0, 'schemas': "
    "[{'type': 'struct', "
    "'schema-id': 0, 'new': true, 'fields': [{'id': 1, 'name': 'id', 'required': false, 'type': 'long', "
    "'later': 'x'}]}], "
    "'default-spec-id': 0, 'partition-specs': [{'spec-id': 0, 'fields': []}], 'last-partition-id': 999, "
    "'default-sort-order-id': 0, 'sort-orders': [], 'current-snapshot-id': 3, 'snapshots': [{'snapshot-id': "
    "3, "
    "'sequence-number': 4, 'timestamp-ms': 1, 'manifest-list': '/l', 'key-id': 'k', 'other': 1}], "
    "'statistics': [{'snapshot-id': 3, 'statistics-path': '/p'}]";

static rwl_metadata *odd(const char *more) {
    return test_metadata(rwl_arena_printf(test_arena(), "%s%s}", ODD, more));
}

START_TEST(unknown_fields_survive_a_commit) {
    rwl_metadata *m =
        odd(", 'refs': {'main': {'snapshot-id': 3, 'type': 'branch', 'max-ref-age-ms': 9, 'why': 'x'}}");
    m = added(m, snapshot(12, 3, 5, 7, 1), "main");
    assert_json_text(rwl_json_get(m->json, "zzz"), "{'keep': [1, 2]}");
    assert_json_text(rwl_json_get(m->json, "schemas"),
                     "[{'type': 'struct', 'schema-id': 0, 'new': true, 'fields': [{'id': 1, 'name': 'id', "
                     "'required': false, 'type': 'long', 'later': 'x'}]}]");
    assert_json_text(
        rwl_json_at(rwl_json_get(m->json, "snapshots"), 0),
        "{'snapshot-id': 3, 'sequence-number': 4, 'timestamp-ms': 1, 'manifest-list': '/l', 'key-id': 'k', "
        "'other': 1}");
    assert_json_text(rwl_json_get(m->json, "statistics"), "[{'snapshot-id': 3, 'statistics-path': '/p'}]");
    assert_json_text(rwl_json_get(m->json, "refs"),
                     "{'main': {'snapshot-id': 12, 'type': 'branch', 'max-ref-age-ms': 9, 'why': 'x'}}");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(an_implied_main_is_written_down_when_a_branch_is_made) {
    rwl_metadata *m = added(odd(""), snapshot(12, 3, 5, 7, 1), "b");
    assert_json_text(
        rwl_json_get(m->json, "refs"),
        "{'main': {'snapshot-id': 3, 'type': 'branch'}, 'b': {'snapshot-id': 12, 'type': 'branch'}}");
    ck_assert_int_eq(m->current_snapshot_id, 3);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(times_never_run_backwards) {
    static const struct {
        const char *logs;
        int64_t wanted; /* the snapshot's own time is 2 */
    } cases[] = {{"", 5000},
                 {", 'snapshot-log': [{'timestamp-ms': 6000, 'snapshot-id': 3}]", 6000},
                 {", 'metadata-log': [{'timestamp-ms': 7000, 'metadata-file': '/m'}]", 7000}};
    rwl_snapshot_new s = snapshot(12, 3, 5, 7, 1);
    s.timestamp_ms = 2;
    rwl_metadata *m = added(odd(cases[_i].logs), s, "main");
    ck_assert_int_eq(m->last_updated_ms, cases[_i].wanted);
    ck_assert_int_eq(rwl_metadata_snapshot(m, 12)->timestamp_ms, cases[_i].wanted);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(tags_are_not_committed_to) {
    rwl_metadata *m = odd(", 'refs': {'t': {'snapshot-id': 3, 'type': 'tag'}}");
    assert_not_added(m, snapshot(12, 3, 5, 7, 1), "t", RWL_USAGE, "'t' is a tag");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(a_counter_that_fell_behind_is_refused_by_law_2) {
    const char *text = rwl_arena_printf(test_arena(), "%s}", ODD);
    text = test_with(text, "snapshots",
                     "[{'snapshot-id': 3, 'sequence-number': 4, 'timestamp-ms': 1, 'manifest-list': '/l', "
                     "'first-row-id': 5, 'added-rows': 3}]");
    rwl_metadata *m = test_metadata(text); /* 5 + 3 > 7: readable, not to be built on */
    assert_not_added(m, snapshot(12, 3, 5, 7, 1), "main", RWL_LAW_BROKEN,
                     "law 2: snapshot 3 has row ids up to 7");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(a_snapshot_without_operation_is_not_added) {
    rwl_metadata *m = new_table(3);
    rwl_snapshot_new s = snapshot(11, -1, 1, 0, 0);
    rwl_json_remove(s.summary, "operation");
    assert_not_added(m, s, "main", RWL_INTERNAL, "has no operation");
    rwl_metadata_free(m);
}
END_TEST

static rwl_metadata *read_back(rwl_metadata *m, const char *location) {
    rwl_buf out;
    rwl_buf_init(&out, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_metadata_dump(m, &out, err));
    rwl_metadata_free(m);
    ASSERT_OK(rwl_metadata_parse(test_env(), rwl_buf_span(&out), location, &m, err));
    rwl_buf_clear(&out);
    return m;
}

START_TEST(the_metadata_log_names_the_files_before_and_keeps_its_limit) {
    const char *limit = _i == 0 ? "3" : "0"; /* below 1 counts as 1 */
    rwl_metadata *m = odd(rwl_arena_printf(
        test_arena(), ", 'properties': {'write.metadata.previous-versions-max': '%s'}", limit));
    int64_t parent = 3;
    for (int64_t i = 0; i < 5; i++) {
        /* found under a relative path, where it was moved to, or by its bare name: logged as the table calls it */
        static const char *const folders[] = {"wh/t/metadata/", "/moved/t/metadata/", ""};
        m = read_back(m, rwl_arena_printf(test_arena(), "%sv%d.json", folders[i % 3], (int)i));
        rwl_snapshot_new s = snapshot(20 + i, parent, 5 + i, 7, 0);
        s.timestamp_ms = 10000 + i;
        m = added(m, s, "main");
        parent = 20 + i;
    }
    assert_json_text(
        rwl_json_get(m->json, "metadata-log"),
        _i == 0 ? "[{'timestamp-ms': 10001, 'metadata-file': '/t/metadata/v2.json'}, {'timestamp-ms': 10002, "
                  "'metadata-file': '/t/metadata/v3.json'}, {'timestamp-ms': 10003, 'metadata-file': "
                  "'/t/metadata/v4.json'}]"
                : "[{'timestamp-ms': 10003, 'metadata-file': '/t/metadata/v4.json'}]");
    rwl_metadata_free(m);
}
END_TEST

/* --- upgrades --- */

static rwl_metadata *upgraded(const rwl_metadata *base, int32_t version) {
    rwl_metadata *next;
    ASSERT_OK(rwl_metadata_upgrade(base, version, 9000, &next, err));
    return next;
}

static const char *const OLD =
    "{'format-version': 1, 'location': 's3://b/t', 'last-updated-ms': 1000, 'last-column-id': 2, "
    "'schema': {'type': 'struct', 'fields': [{'id': 1, 'name': 'id', 'required': true, 'type': 'long', "
    "'odd': 1}]}, "
    "'partition-spec': [{'name': 'p', 'transform': 'bucket[4]', 'source-id': 1, 'odd': 2}], 'odd': 3, "
    "'current-snapshot-id': 11, 'snapshots': [{'snapshot-id': 11, 'timestamp-ms': 1000, 'manifest-list': "
    "'/l'}]}";

START_TEST(version_1_becomes_2_with_all_that_2_requires) {
    rwl_env env = fixed_env();
    rwl_metadata *m = test_metadata(OLD);
    m->env = &env;
    rwl_metadata *next = upgraded(m, 2);
    assert_json_text(
        next->json,
        "{'format-version': 2, 'table-uuid': 'abababab-abab-4bab-abab-abababababab', 'location': 's3://b/t', "
        "'last-sequence-number': 0, 'last-updated-ms': 9000, 'last-column-id': 2, 'current-schema-id': 0, "
        "'schemas': [{'type': 'struct', 'fields': [{'id': 1, 'name': 'id', 'required': true, 'type': 'long', "
        "'odd': 1}], "
        "'schema-id': 0}], 'default-spec-id': 0, 'partition-specs': [{'spec-id': 0, 'fields': [{'name': 'p', "
        "'transform': 'bucket[4]', 'source-id': 1, 'odd': 2, 'field-id': 1000}]}], 'last-partition-id': "
        "1000, "
        "'default-sort-order-id': 0, 'sort-orders': [{'order-id': 0, 'fields': []}], 'current-snapshot-id': "
        "11, "
        "'refs': {'main': {'snapshot-id': 11, 'type': 'branch'}}, "
        "'snapshots': [{'snapshot-id': 11, 'timestamp-ms': 1000, 'manifest-list': '/l'}], 'metadata-log': "
        "[], 'odd': 3}");
    m->env = test_env();
    next->env = test_env();
    next->arena.env = test_env();
    rwl_metadata_free(next);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(version_1_becomes_3_in_one_step) {
    rwl_metadata *m =
        test_metadata(test_with(test_with(OLD, "table-uuid", "'mine'"), "current-snapshot-id", "-1"));
    rwl_metadata *next = upgraded(m, 3);
    ck_assert_int_eq(next->format_version, 3);
    ck_assert_str_eq(next->table_uuid, "mine");
    ck_assert_int_eq((int)rwl_json_kind_of(rwl_json_get(next->json, "current-snapshot-id")), RWL_JSON_NULL);
    ck_assert_int_eq(next->next_row_id, 0);
    ck_assert_ptr_null(rwl_json_get(next->json, "schema"));
    ck_assert_ptr_null(rwl_json_get(next->json, "partition-spec"));
    ck_assert_ptr_nonnull(rwl_json_get(next->json, "odd"));
    rwl_metadata_free(next);
    rwl_metadata_free(m);
}
END_TEST

/* BUG-045, BUG-048: snapshots, refs, logs and uuid stay; first commit from 0. */
START_TEST(version_2_becomes_3_and_keeps_its_history) {
    rwl_metadata *m = new_table(2);
    m = added(m, snapshot(11, -1, 1, -1, -1), "main");
    m = added(m, snapshot(12, 11, 2, -1, -1), "main");
    m = added(m, snapshot(13, 11, 3, -1, -1), "b");
    m = read_back(m, "/v4.json");
    rwl_metadata *next = upgraded(m, 3);
    static const char *const same[] = {
        "table-uuid",           "refs",    "snapshots",           "snapshot-log",
        "last-sequence-number", "schemas", "current-snapshot-id", "properties"};
    for (int i = 0; i < 8; i++) {
        rwl_buf before;
        rwl_buf_init(&before, test_env(), SIZE_MAX);
        ASSERT_OK(rwl_json_dump(rwl_json_get(m->json, same[i]), 0, &before, err));
        ASSERT_OK(rwl_buf_terminate(&before, err));
        assert_json_text(rwl_json_get(next->json, same[i]), (const char *)before.data);
        rwl_buf_clear(&before);
    }
    ck_assert_int_eq(next->next_row_id, 0);
    ck_assert_int_eq(next->last_updated_ms, m->last_updated_ms); /* 9000 lies before */
    ck_assert(!rwl_metadata_snapshot(next, 12)->has_first_row_id);
    ck_assert_uint_eq(rwl_json_len(rwl_json_get(next->json, "metadata-log")), 1);
    rwl_metadata_free(m);
    next = added(next, snapshot(14, 12, 4, 0, 9), "main"); /* the same swap goes on: one log entry in all */
    ck_assert_int_eq(next->next_row_id, 9);
    ck_assert_uint_eq(rwl_json_len(rwl_json_get(next->json, "metadata-log")), 1);
    rwl_metadata_free(next);
}
END_TEST

START_TEST(upgrades_that_cannot_be_are_refused) {
    rwl_metadata *m = new_table(3);
    rwl_metadata *next;
    ASSERT_FAILS(RWL_USAGE, "a lower one (2) cannot be had", rwl_metadata_upgrade(m, 2, 1, &next, err));
    ASSERT_FAILS(RWL_UNSUPPORTED, "version 4", rwl_metadata_upgrade(m, 4, 1, &next, err));
    next = upgraded(m, 3); /* nothing to do: the same again */
    ck_assert_int_eq(next->last_updated_ms, m->last_updated_ms);
    rwl_metadata_free(next);
    rwl_metadata_free(m);
    m = test_metadata(
        test_with(OLD, "snapshots", "[{'snapshot-id': 11, 'timestamp-ms': 1, 'manifests': ['/m']}]"));
    ASSERT_FAILS(RWL_UNSUPPORTED, "snapshot 11 has an inline 'manifests' list",
                 rwl_metadata_upgrade(m, 2, 1, &next, err));
    rwl_snapshot_new s = snapshot(12, 11, 1, -1, -1);
    assert_not_added(m, s, "main", RWL_UNSUPPORTED, "format version 1");
    rwl_metadata_free(m);
}
END_TEST

Suite *suite_metadata_edit(void) {
    Suite *suite = suite_create("metadata_edit");
    TCase *tc = tcase_create("metadata_edit");
    tcase_add_test(tc, a_new_table_is_what_java_would_write);
    tcase_add_test(tc, a_new_version_2_table_has_no_row_ids);
    tcase_add_loop_test(tc, what_a_new_table_may_not_have_is_refused, 0,
                        (int)(sizeof REFUSED / sizeof REFUSED[0]));
    tcase_add_test(tc, a_new_table_needs_known_transforms_and_ordinary_ids);
    tcase_add_test(tc, a_snapshot_moves_main_and_the_counters);
    tcase_add_test(tc, a_version_2_snapshot_has_no_row_ids);
    tcase_add_test(tc, ice_23_added_rows_advance_next_row_id);
    tcase_add_test(tc, ice_24_51_row_ids_behind_the_table_conflict);
    tcase_add_test(tc, ice_52_a_sequence_number_that_is_taken_conflicts);
    tcase_add_test(tc, branches_share_the_counters_and_leave_main_alone);
    tcase_add_test(tc, unknown_fields_survive_a_commit);
    tcase_add_test(tc, an_implied_main_is_written_down_when_a_branch_is_made);
    tcase_add_loop_test(tc, times_never_run_backwards, 0, 3);
    tcase_add_test(tc, tags_are_not_committed_to);
    tcase_add_test(tc, a_counter_that_fell_behind_is_refused_by_law_2);
    tcase_add_test(tc, a_snapshot_without_operation_is_not_added);
    tcase_add_loop_test(tc, the_metadata_log_names_the_files_before_and_keeps_its_limit, 0, 2);
    tcase_add_test(tc, version_1_becomes_2_with_all_that_2_requires);
    tcase_add_test(tc, version_1_becomes_3_in_one_step);
    tcase_add_test(tc, version_2_becomes_3_and_keeps_its_history);
    tcase_add_test(tc, upgrades_that_cannot_be_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
