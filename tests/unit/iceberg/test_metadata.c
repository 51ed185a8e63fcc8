/* SPDX-License-Identifier: Apache-2.0 */
/* Reading table metadata: what each version requires, what is refused, look-ups. */
#include "iceberg_test.h"

/* Version 1 as its first writers had it: no uuid, no lists of schemas and specs. */
static const char *const V1 =
    "{'format-version': 1, 'location': 's3://b/t', 'last-updated-ms': 1000, 'last-column-id': 2, "
    "'schema': {'type': 'struct', 'fields': [{'id': 1, 'name': 'id', 'required': true, 'type': 'long'}, "
    "{'id': 2, 'name': 'ts', 'required': false, 'type': 'timestamp'}]}, "
    "'partition-spec': [{'name': 'ts_day', 'transform': 'day', 'source-id': 2}], "
    "'current-snapshot-id': 11, 'snapshots': [{'snapshot-id': 11, 'timestamp-ms': 1000, "
    "'manifests': ['s3://b/t/m0.avro']}]}";

static const char *const V2 =
    "{'format-version': 2, 'table-uuid': '9c12d441-03fe-4693-9a96-a0705ddf69c1', 'location': 'file:/t/', "
    "'last-sequence-number': 2, 'last-updated-ms': 2000, 'last-column-id': 2, 'current-schema-id': 1, "
    "'schemas': ["
    "{'type': 'struct', 'schema-id': 0, 'fields': [{'id': 1, 'name': 'id', 'required': true, 'type': "
    "'long'}]}, "
    "{'type': 'struct', 'schema-id': 1, 'fields': [{'id': 1, 'name': 'id', 'required': true, 'type': "
    "'long'}, "
    "{'id': 2, 'name': 's', 'required': false, 'type': 'string'}]}], "
    "'default-spec-id': 0, 'partition-specs': [{'spec-id': 0, 'fields': []}], 'last-partition-id': 999, "
    "'default-sort-order-id': 0, 'sort-orders': [{'order-id': 0, 'fields': []}], "
    "'properties': {'a': 'b', 'n': '42', 'bad': '4x'}, 'current-snapshot-id': 9223372036854775807, "
    "'refs': {'main': {'snapshot-id': 9223372036854775807, 'type': 'branch', 'min-snapshots-to-keep': 3}, "
    "'old': {'snapshot-id': 9007199254740993, 'type': 'tag', 'max-ref-age-ms': 5}}, "
    "'snapshots': [{'snapshot-id': 9007199254740993, 'timestamp-ms': 1500, 'manifest-list': '/l1', "
    "'schema-id': 0, "
    "'summary': {}}, {'sequence-number': 2, 'snapshot-id': 9223372036854775807, 'parent-snapshot-id': "
    "9007199254740993, "
    "'timestamp-ms': 2000, 'manifest-list': '/l2', 'summary': {'operation': 'append', 'engine-name': "
    "'spark', "
    "'engine-version': '4.1.4'}}]}";

static const char *v3(void) {
    return test_with(test_with(V2, "format-version", "3"), "next-row-id", "12");
}

/* Several keys of a snapshot of a version 3 table that is otherwise right. */
static const char *v3_snapshot(const char *keys) {
    const char *snapshots = rwl_arena_printf(
        test_arena(), "[{'snapshot-id': 5, 'timestamp-ms': 1500, 'manifest-list': '/l'%s}]", keys);
    const char *text = test_with(test_with(v3(), "snapshots", snapshots), "current-snapshot-id", "5");
    return test_with(text, "refs", NULL);
}

static rwl_status parse(const char *text, rwl_metadata **out, rwl_error *failure) {
    rwl_json *json = test_json(text);
    rwl_buf copy;
    rwl_buf_init(&copy, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_json_dump(json, 0, &copy, err));
    rwl_json_free(json);
    rwl_status st = rwl_metadata_parse(test_env(), rwl_buf_span(&copy), "/m.json", out, failure);
    rwl_buf_clear(&copy);
    return st;
}

static void assert_refused(rwl_status status, const char *part, const char *text) {
    rwl_metadata *m;
    ASSERT_FAILS(status, part, parse(text, &m, err));
    ck_assert_ptr_null(m);
}

START_TEST(version_1_needs_no_more_than_its_schema_and_spec) {
    rwl_metadata *m;
    ASSERT_OK(parse(V1, &m, err));
    ck_assert_int_eq(m->format_version, 1);
    ck_assert_ptr_null(m->table_uuid);
    ck_assert_int_eq(m->schema->schema_id, 0);
    ck_assert_int_eq(m->schema->field_count, 2);
    ck_assert_int_eq(m->spec->fields[0].field_id, 1000);
    ck_assert_int_eq(m->last_partition_id, 1000);
    ck_assert_int_eq(m->order->order_id, 0);
    ck_assert_int_eq(m->last_sequence_number, 0);
    ck_assert_int_eq(m->snapshot_count, 1);
    ck_assert_ptr_null(m->snapshots[0].manifest_list);
    ck_assert_ptr_null(m->snapshots[0].summary);
    ck_assert_int_eq(m->snapshots[0].sequence_number, 0);
    ck_assert_int_eq(m->snapshots[0].schema_id, -1);
    ck_assert_int_eq(m->ref_count, 1);
    ck_assert_int_eq(rwl_metadata_ref(m, "main")->snapshot_id, 11);
    ck_assert_str_eq(m->metadata_location, "/m.json");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(version_2_is_read_as_written) {
    rwl_metadata *m = test_metadata(V2);
    ck_assert_str_eq(m->table_uuid, "9c12d441-03fe-4693-9a96-a0705ddf69c1");
    ck_assert_str_eq(m->location, "file:/t/"); /* byte for byte */
    ck_assert_int_eq(m->schema->schema_id, 1);
    ck_assert_int_eq(m->next_row_id, 0);
    /* ids above 2^53 stay exact (BUG-123) */
    const rwl_snapshot *first = rwl_metadata_snapshot(m, 9007199254740993);
    const rwl_snapshot *second = rwl_metadata_snapshot(m, INT64_MAX);
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(rwl_metadata_snapshot(m, 9007199254740992));
    ck_assert_int_eq(first->sequence_number, 0); /* BUG-051 */
    ck_assert_int_eq(first->parent_id, -1);
    ck_assert_ptr_null(first->operation); /* BUG-128 */
    ck_assert_str_eq(second->operation, "append");
    ck_assert_int_eq(second->parent_id, 9007199254740993);
    ck_assert_int_eq(rwl_metadata_snapshot_schema(m, first)->schema_id, 0);
    ck_assert_int_eq(rwl_metadata_snapshot_schema(m, second)->schema_id, 1);
    ck_assert(rwl_metadata_is_ancestor(m, 9007199254740993, INT64_MAX));
    ck_assert(rwl_metadata_is_ancestor(m, INT64_MAX, INT64_MAX));
    ck_assert(!rwl_metadata_is_ancestor(m, INT64_MAX, 9007199254740993));
    ck_assert(!rwl_metadata_is_ancestor(m, 3, INT64_MAX));
    ck_assert_int_eq(rwl_metadata_ref(m, "main")->min_snapshots_to_keep, 3);
    ck_assert_int_eq(rwl_metadata_ref(m, "main")->max_snapshot_age_ms, -1);
    ck_assert(rwl_metadata_ref(m, "old")->is_tag);
    ck_assert_int_eq(rwl_metadata_ref(m, "old")->max_ref_age_ms, 5);
    ck_assert_ptr_null(rwl_metadata_ref(m, "none"));
    ck_assert_ptr_null(rwl_metadata_spec(m, 1));
    ck_assert_ptr_null(rwl_metadata_schema(m, 2));
    char engine[64];
    rwl_snapshot_engine(second, engine, sizeof engine);
    ck_assert_str_eq(engine, "spark 4.1.4");
    rwl_snapshot_engine(first, engine, sizeof engine);
    ck_assert_str_eq(engine, "unsigned");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(properties_are_text_and_numbers_on_demand) {
    rwl_metadata *m = test_metadata(V2);
    int64_t number = 0;
    ck_assert_str_eq(rwl_metadata_property(m, "a", "z"), "b");
    ck_assert_str_eq(rwl_metadata_property(m, "none", "z"), "z");
    ASSERT_OK(rwl_metadata_property_i64(m, "n", 7, &number, err));
    ck_assert_int_eq(number, 42);
    ASSERT_OK(rwl_metadata_property_i64(m, "none", 7, &number, err));
    ck_assert_int_eq(number, 7);
    ASSERT_FAILS(RWL_CORRUPT, "'bad' is '4x'", rwl_metadata_property_i64(m, "bad", 7, &number, err));
    rwl_metadata_free(m);
}
END_TEST

START_TEST(folders_of_new_files_end_without_slashes) {
    static const struct {
        const char *location, *property, *want;
    } cases[] = {{"'s3://b/t'", "null", "s3://b/t/data"},
                 {"'file:/t//'", "null", "file:/t/data"},
                 {"'/t'", "'/other/place/'", "/other/place"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *text = test_with(V2, "location", cases[i].location);
        text = test_with(text, "properties",
                         rwl_arena_printf(test_arena(), "{'write.data.path': %s}", cases[i].property));
        rwl_metadata *m = test_metadata(text);
        ck_assert_str_eq(rwl_metadata_folder(m, "write.data.path", "data", test_arena()), cases[i].want);
        rwl_metadata_free(m);
    }
}
END_TEST

/* BUG-106: -1, null and no key say the same. */
START_TEST(no_current_snapshot_has_three_spellings) {
    static const char *const spellings[] = {"-1", "null", NULL};
    const char *text = test_with(test_with(test_with(v3(), "refs", NULL), "snapshots", NULL),
                                 "current-snapshot-id", spellings[_i]);
    rwl_metadata *m = test_metadata(text);
    ck_assert_int_eq(m->current_snapshot_id, -1);
    ck_assert_int_eq(m->ref_count, 0);
    ck_assert_int_eq(m->snapshot_count, 0);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(main_is_implied_when_refs_leave_it_out) {
    rwl_metadata *m = test_metadata(test_with(V2, "refs", NULL));
    ck_assert_int_eq(m->ref_count, 1);
    ck_assert_int_eq(rwl_metadata_ref(m, "main")->snapshot_id, INT64_MAX);
    rwl_metadata_free(m);
    m = test_metadata(test_with(V2, "refs", "{'b': {'snapshot-id': 9007199254740993, 'type': 'BRANCH'}}"));
    ck_assert_int_eq(m->ref_count, 2);
    ck_assert(!rwl_metadata_ref(m, "b")->is_tag);
    ck_assert_int_eq(rwl_metadata_ref(m, "main")->snapshot_id, INT64_MAX);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(ancestry_ends_on_a_cycle) {
    const char *text =
        test_with(V2, "snapshots",
                  "[{'snapshot-id': 9007199254740993, 'parent-snapshot-id': 9223372036854775807, "
                  "'timestamp-ms': 1, 'manifest-list': '/l'}, {'snapshot-id': 9223372036854775807, "
                  "'parent-snapshot-id': 9007199254740993, 'timestamp-ms': 1, 'manifest-list': '/l'}]");
    rwl_metadata *m = test_metadata(text);
    ck_assert(!rwl_metadata_is_ancestor(m, 4, INT64_MAX));
    rwl_metadata_free(m);
}
END_TEST

/* One key of V1, V2 or V3 changed (value NULL: taken away). */
static const struct {
    int version;
    const char *key, *value;
    rwl_status status;
    const char *part;
} CHANGES[] = {
    {3, "format-version", "4", RWL_UNSUPPORTED, "table format version 4"},
    {3, "format-version", "2147483648", RWL_CORRUPT, "format-version"},
    {3, "format-version", "0", RWL_CORRUPT, "'format-version' is 0"},
    {3, "format-version", "'3'", RWL_CORRUPT, "format-version"},
    {3, "format-version", NULL, RWL_CORRUPT, "'format-version' is missing"},
    {1, "view-uuid", "'x'", RWL_UNSUPPORTED, "a view, not a table"},
    {3, "next-row-id", NULL, RWL_CORRUPT, "'next-row-id' is missing"}, /* BUG-028 */
    {3, "next-row-id", "-1", RWL_CORRUPT, "'next-row-id' is -1"},
    {2, "next-row-id", "'x'", RWL_OK, ""}, /* means nothing before version 3 */
    {2, "table-uuid", NULL, RWL_CORRUPT, "'table-uuid' is missing"},
    {1, "table-uuid", "7", RWL_CORRUPT, "table-uuid"},
    {2, "location", NULL, RWL_CORRUPT, "'location' is missing"},
    {2, "last-updated-ms", NULL, RWL_CORRUPT, "'last-updated-ms' is missing"},
    {2, "last-column-id", NULL, RWL_CORRUPT, "'last-column-id' is missing"},
    {2, "last-column-id", "4294967296", RWL_CORRUPT, "last-column-id"},
    {2, "last-sequence-number", NULL, RWL_CORRUPT, "'last-sequence-number' is missing"},
    {2, "last-sequence-number", "1", RWL_CORRUPT,
     "'sequence-number' is 2, 'last-sequence-number' of the table 1"}, /* BUG-127 */
    {2, "schemas", NULL, RWL_CORRUPT, "'schemas' is missing"},
    {2, "schemas", "[]", RWL_CORRUPT, "'current-schema-id' is 1"},
    {2, "schemas", "[7]", RWL_CORRUPT, "schema"},
    {2, "current-schema-id", "4", RWL_CORRUPT, "'current-schema-id' is 4, which is not in the table"},
    {2, "current-schema-id", NULL, RWL_CORRUPT, "'current-schema-id' is missing"},
    {1, "schema", NULL, RWL_CORRUPT, "'schema' is missing"},
    {1, "partition-spec", NULL, RWL_CORRUPT, "'partition-spec' is missing"},
    {1, "last-sequence-number", "5", RWL_OK, ""},
    {2, "partition-specs", NULL, RWL_CORRUPT, "'partition-specs' is missing"},
    {2, "partition-specs", "[[]]", RWL_CORRUPT, "partition-specs: no object at place 0"},
    {2, "partition-specs", "[{'spec-id': 0, 'fields': []}, {'spec-id': 0, 'fields': []}]", RWL_CORRUPT,
     "two partition specs have the id 0"},
    {2, "default-spec-id", "1", RWL_CORRUPT, "'default-spec-id' is 1"},
    {2, "default-spec-id", NULL, RWL_CORRUPT, "'default-spec-id' is missing"},
    {2, "last-partition-id", NULL, RWL_CORRUPT, "'last-partition-id' is missing"},
    {2, "sort-orders", NULL, RWL_CORRUPT, "'sort-orders' is missing"},
    {2, "sort-orders", "[]", RWL_OK, ""}, /* order 0 needs no entry */
    {2, "default-sort-order-id", "1", RWL_CORRUPT, "'default-sort-order-id' is 1"},
    {2, "default-sort-order-id", NULL, RWL_CORRUPT, "'default-sort-order-id' is missing"},
    {2, "properties", "null", RWL_OK, ""},
    {2, "properties", "{'a': 1}", RWL_CORRUPT, "property 'a' is no string"},
    {2, "properties", "[]", RWL_CORRUPT, "'properties' is no object"},
    {2, "current-snapshot-id", "9007199254740993", RWL_CORRUPT, "ref 'main' is at 9223372036854775807"},
    {2, "current-snapshot-id", "null", RWL_CORRUPT, "'current-snapshot-id' is -1"},
    {2, "current-snapshot-id", "3", RWL_CORRUPT, "'current-snapshot-id' is 3, which is not in the table"},
    {2, "refs", "{'b': {'snapshot-id': 3, 'type': 'branch'}}", RWL_CORRUPT, "ref 'b': 'snapshot-id' is 3"},
    {2, "refs", "{'b': {'snapshot-id': 9223372036854775807, 'type': 'twig'}}", RWL_CORRUPT,
     "ref 'b': 'type' is 'twig'"},
    {2, "refs", "{'main': {'snapshot-id': 9223372036854775807, 'type': 'tag'}}", RWL_CORRUPT,
     "ref 'main' is a tag"},
    {2, "refs", "{'b': {'snapshot-id': 9223372036854775807, 'type': 'branch', 'max-ref-age-ms': 0}}",
     RWL_CORRUPT, "'max-ref-age-ms' is 0"},
    {2, "refs", "[]", RWL_CORRUPT, "'refs' is no object"},
    {2, "snapshots", "{}", RWL_CORRUPT, "snapshots"},
    {2, "snapshots", "[7]", RWL_CORRUPT, "snapshot at place 0"},
    {2, "snapshots", "[{'snapshot-id': -1, 'timestamp-ms': 1, 'manifest-list': '/l'}]", RWL_CORRUPT,
     "stands for none"},
    {2, "snapshots", "[{'snapshot-id': 8, 'manifest-list': '/l'}]", RWL_CORRUPT,
     "snapshot 8: 'timestamp-ms' is missing"},
    {2, "snapshots", "[{'snapshot-id': 8, 'timestamp-ms': 1}]", RWL_CORRUPT,
     "snapshot 8: 'manifest-list' is missing"},
    {2, "snapshots", "[{'snapshot-id': 8, 'timestamp-ms': 1, 'manifest-list': '/l', 'summary': 'x'}]",
     RWL_CORRUPT, "'summary' is no object"},
    {2, "snapshots",
     "[{'snapshot-id': 8, 'timestamp-ms': 1, 'manifest-list': '/l'}, {'snapshot-id': 8, 'timestamp-ms': 1, "
     "'manifest-list': '/l'}]",
     RWL_CORRUPT, "two snapshots have the id 8"},
    {2, "snapshot-log", "[{'snapshot-id': 8}]", RWL_CORRUPT,
     "snapshot-log at place 0: 'timestamp-ms' is missing"},
    {2, "metadata-log", "[{'timestamp-ms': 8}]", RWL_CORRUPT,
     "metadata-log at place 0: 'metadata-file' is missing"},
    {2, "what-comes-next", "{'a': [1, 2.5, null]}", RWL_OK, ""},
};

START_TEST(each_rule_is_checked) {
    const char *base = CHANGES[_i].version == 1 ? V1 : CHANGES[_i].version == 2 ? V2 : v3();
    const char *text = test_with(base, CHANGES[_i].key, CHANGES[_i].value);
    if (CHANGES[_i].status != RWL_OK) {
        assert_refused(CHANGES[_i].status, CHANGES[_i].part, text);
        return;
    }
    rwl_metadata_free(test_metadata(text));
}
END_TEST

START_TEST(text_that_is_no_metadata_is_corrupt) {
    static const char *const texts[] = {"[]", "7", "null", "'x'", "{}"};
    assert_refused(RWL_CORRUPT, "table metadata", texts[_i]);
    rwl_metadata *m;
    ASSERT_FAILS(RWL_CORRUPT, "table metadata",
                 rwl_metadata_parse(test_env(), rwl_span_str("{\"a\": 1, "), NULL, &m, err));
    ASSERT_FAILS(RWL_CORRUPT, "table metadata",
                 rwl_metadata_parse(test_env(), rwl_span_str(""), NULL, &m, err));
}
END_TEST

/* ICE-22: first-row-id, added-rows. */
START_TEST(ice_22_snapshot_row_ids) {
    static const struct {
        const char *keys;
        rwl_status status;
        const char *part;
        bool has;
        int64_t added;
    } cases[] = {
        {"", RWL_OK, "", false, 0},
        {", 'added-rows': 10", RWL_OK, "", false, 0},
        {", 'first-row-id': null, 'added-rows': null", RWL_OK, "", false, 0},
        {", 'first-row-id': 0, 'added-rows': 0", RWL_OK, "", true, 0},
        {", 'first-row-id': 2, 'added-rows': 10", RWL_OK, "", true, 10},
        {", 'first-row-id': 10", RWL_CORRUPT, "added-rows", false, 0},
        {", 'first-row-id': 0, 'added-rows': -1", RWL_CORRUPT, "added-rows", false, 0},
        {", 'first-row-id': -1, 'added-rows': 1", RWL_CORRUPT, "first-row-id", false, 0},
        {", 'first-row-id': 9223372036854775807, 'added-rows': 1", RWL_CORRUPT, "passes 2^63", false, 0},
        {", 'first-row-id': 1.5, 'added-rows': 1", RWL_CORRUPT, "first-row-id", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *text = v3_snapshot(cases[i].keys);
        if (cases[i].status != RWL_OK) {
            assert_refused(cases[i].status, cases[i].part, text);
            continue;
        }
        rwl_metadata *m = test_metadata(text);
        ck_assert_int_eq(m->snapshots[0].has_first_row_id, cases[i].has);
        ck_assert_int_eq(m->snapshots[0].added_rows, cases[i].added);
        rwl_metadata_free(m);
    }
}
END_TEST

START_TEST(version_1_may_mix_old_and_new_keys) {
    const char *schemas =
        "[{'type': 'struct', 'schema-id': 3, 'fields': []}, {'type': 'struct', 'schema-id': 0, "
        "'fields': [{'id': 1, 'name': 'id', 'required': true, 'type': 'long'}]}]";
    const char *text = test_with(V1, "schemas", schemas);
    rwl_metadata *m = test_metadata(text); /* without current-schema-id the id of `schema` decides */
    ck_assert_int_eq(m->schema->schema_id, 0);
    rwl_metadata_free(m);
    m = test_metadata(test_with(text, "current-schema-id", "3"));
    ck_assert_int_eq(m->schema->schema_id, 3);
    rwl_metadata_free(m);
    const char *specs =
        "[{'spec-id': 2, 'fields': [{'name': 'a', 'transform': 'void', 'source-id': 1, 'field-id': 1005}]}, "
        "{'spec-id': 1, 'fields': []}]";
    m = test_metadata(test_with(V1, "partition-specs", specs)); /* without default-spec-id the newest */
    ck_assert_int_eq(m->spec->spec_id, 2);
    ck_assert_int_eq(m->last_partition_id, 1005);
    rwl_metadata_free(m);
}
END_TEST

/* Java reads them; what refuses them is writing. */
START_TEST(types_of_later_versions_are_read_in_earlier_ones) {
    const char *schemas =
        "[{'type': 'struct', 'schema-id': 1, 'fields': [{'id': 1, 'name': 'v', 'required': false, "
        "'type': 'timestamp_ns', 'initial-default': '2017-11-16T22:31:08.000001001'}]}]";
    rwl_metadata *m = test_metadata(test_with(V2, "schemas", schemas));
    ck_assert_int_eq((int)m->schema->fields[0].type.kind, RWL_TYPE_TIMESTAMP_NS);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(a_document_survives_reading_and_writing) {
    const char *text =
        test_with(v3(), "unknown-key", "{'deep': [1, {'x': 9223372036854775807}, 'ü', null, true]}");
    rwl_metadata *m = test_metadata(text);
    rwl_buf out;
    rwl_buf_init(&out, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_metadata_dump(m, &out, err));
    rwl_metadata *again;
    ASSERT_OK(rwl_metadata_parse(test_env(), rwl_buf_span(&out), NULL, &again, err));
    assert_json_text(again->json, text);
    rwl_buf_clear(&out);
    rwl_metadata_free(m);
    rwl_metadata_free(again);
}
END_TEST

Suite *suite_metadata(void) {
    Suite *suite = suite_create("metadata");
    TCase *tc = tcase_create("metadata");
    tcase_add_test(tc, version_1_needs_no_more_than_its_schema_and_spec);
    tcase_add_test(tc, version_2_is_read_as_written);
    tcase_add_test(tc, properties_are_text_and_numbers_on_demand);
    tcase_add_test(tc, folders_of_new_files_end_without_slashes);
    tcase_add_loop_test(tc, no_current_snapshot_has_three_spellings, 0, 3);
    tcase_add_test(tc, main_is_implied_when_refs_leave_it_out);
    tcase_add_test(tc, ancestry_ends_on_a_cycle);
    tcase_add_loop_test(tc, each_rule_is_checked, 0, (int)(sizeof CHANGES / sizeof CHANGES[0]));
    tcase_add_loop_test(tc, text_that_is_no_metadata_is_corrupt, 0, 5);
    tcase_add_test(tc, ice_22_snapshot_row_ids);
    tcase_add_test(tc, version_1_may_mix_old_and_new_keys);
    tcase_add_test(tc, types_of_later_versions_are_read_in_earlier_ones);
    tcase_add_test(tc, a_document_survives_reading_and_writing);
    suite_add_tcase(suite, tc);
    return suite;
}
