/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata, manifests, filters and transforms over whole tables: BUG-126 to 181. Parts have their cases in tests/unit. */
#include "case_table.h"
#include "suites.h"

#include "avro/avro.h"
#include "iceberg/partition.h"

#include <unistd.h>

static const char columns[] = "id long not null, name string";

/* --- metadata --- */

/* Ten appends make v2 to v11; v9 and v10 are the newest when v11 is gone. */
START_TEST(bug_126_the_newest_metadata_is_that_of_the_greatest_number) {
    test_create("t", 3, columns, NULL, NULL);
    for (int i = 2; i <= 11; i++)
        test_append("t", rwl_arena_printf(test_arena(), "{'id':%d}", i));
    unlink(test_path("t/metadata/version-hint.text"));
    unlink(test_path("t/metadata/v11.metadata.json"));
    test_write("t/metadata/vX.metadata.json", "{");
    test_write("t/metadata/v99.metadata.json.tmp", "{");
    rwl_table *t = NULL;
    const rwl_table_options how = {0};
    ASSERT_OK(rwl_table_open(test_op(), test_path("t"), &how, &t, err));
    ck_assert_int_eq(t->version, 10);
    test_close(t);
    ck_assert_str_eq(case_rows("t", "id", "id > 8"), "10 9");
}
END_TEST

/* --- manifests --- */

/* Field 134 of the entry and the header's content, as they lie in the file; field 517 of the list. */
START_TEST(bug_130_delete_manifests_say_that_they_are) {
    const int64_t gone[] = {2};
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}\n{'id':3}");
    test_delete_by_equality("t", "eq.parquet", gone, 1);
    test_delete("t", "id = 1");
    test_head head = test_read_head("t");
    int seen[3] = {0};
    rwl_table *t = test_open("t");
    for (int32_t i = 0; i < head.manifest_count; i++) {
        rwl_avro_reader *r = NULL;
        const rwl_avro_datum *record;
        ASSERT_OK(rwl_avro_reader_open(t->store, test_op(), head.manifests[i].path, &r, err));
        rwl_span says = rwl_avro_reader_metadata(r, "content");
        ck_assert(rwl_span_equal(says, rwl_span_str(head.manifests[i].content == 1 ? "deletes" : "data")));
        for (;;) {
            ASSERT_OK(rwl_avro_reader_next(r, &record, err));
            if (record == NULL)
                break;
            const rwl_avro_datum *content = rwl_avro_get(rwl_avro_get(record, 2, NULL), 134, NULL);
            ck_assert_ptr_nonnull(content);
            ck_assert_int_eq(content->as.i > 0, head.manifests[i].content == 1);
            seen[content->as.i]++;
        }
        rwl_avro_reader_close(r);
    }
    test_close(t);
    ck_assert(seen[0] == 1 && seen[1] == 1 && seen[2] == 1); /* data, vector, equality deletes */
}
END_TEST

/* Spec 0 is identity(a), spec 1 identity(b): what lies under spec 0 stays there when its manifest is written anew. */
START_TEST(bug_137_entries_stay_under_the_spec_they_were_written_with) {
    test_create("t", 3, "a long, b string", "a", NULL);
    test_append("t", "{'a':1,'b':'x'}\n{'a':2,'b':'y'}\n{'a':3,'b':'x'}");
    case_partition_by("t", 2, "b");
    test_append("t", "{'a':4,'b':'x'}\n{'a':5,'b':'z'}");
    test_delete("t", "a = 2"); /* all of its file */
    test_delete("t", "a = 4"); /* of spec 1 */
    test_head head = test_read_head("t");
    for (int32_t i = 0; i < head.entry_count; i++) {
        const rwl_manifest_entry *e = &head.entries[i];
        ck_assert_int_eq(e->file.spec_id, head.manifests[head.manifest_of[i]].spec_id);
        ck_assert_int_eq(e->file.partition_count, 1);
        ck_assert_int_eq(e->file.partition[0].kind, e->file.spec_id == 0 ? RWL_TYPE_LONG : RWL_TYPE_STRING);
        if (e->status != RWL_STATUS_DELETED && e->file.spec_id == 0)
            ck_assert(e->file.partition[0].as.i64 == 1 || e->file.partition[0].as.i64 == 3);
    }
    ck_assert_int_eq(head.data_files, 3);
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,x=0/1 3,x=2/1 5,z=4/2");
    ck_assert_str_eq(test_sorted(case_rows("t", "a", "b = 'x'")), "1 3");
    ck_assert_str_eq(case_rows("t", "a", "a = 3"), "3");
    test_rewrite("t", NULL);
    head = test_read_head("t");
    for (int32_t i = 0; i < head.data_files; i++)
        ck_assert_int_eq(test_live(&head, i)->file.spec_id, 1);
    ck_assert_int_eq(head.data_files, 2); /* x and z */
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,x=0/1 3,x=2/1 5,z=4/2");
}
END_TEST

START_TEST(bug_138_one_path_twice_in_an_append_is_refused) {
    test_create("t", 3, columns, NULL, NULL);
    const rwl_added_file two[] = {test_fake_file("a.parquet", 100, 3, NULL),
                                  test_fake_file("a.parquet", 100, 3, NULL)};
    const rwl_change_set change = {.operation = RWL_OPERATION_APPEND,
                                   .planned_snapshot_id = -1,
                                   .data_sequence_number = -1,
                                   .added_files = two,
                                   .added_file_count = 2};
    rwl_table *t = test_open("t");
    rwl_commit_outcome out;
    ASSERT_FAILS(RWL_INTERNAL, "a.parquet is added twice", try_commit(t, &change, &out, err));
    test_close(t);
    ck_assert_int_eq(test_read_head("t").snapshot_id, -1);
}
END_TEST

/* --- filters: what bounds must not hide --- */

static void table_of(const char *schema, const char *lines) {
    test_create("t", 3, schema, NULL, NULL);
    test_append("t", lines);
}

START_TEST(bug_139_a_function_of_a_column_is_not_judged_by_its_bounds) {
    const char *lines = "";
    for (int i = 0; i < 50; i++)
        lines = rwl_arena_printf(test_arena(), "%s{'pk':%d}\n", lines, i);
    table_of("pk long", lines);
    ck_assert_str_eq(case_rows("t", NULL, "pk % 8 = 4"), "4 12 20 28 36 44");
}
END_TEST

/* Text is cut after 16 characters: fifteen "a", the euro sign whole, and the upper bound raised. */
START_TEST(bug_140_141_long_text_is_found_by_bounds_cut_at_characters) {
    static const char euro[] = "aaaaaaaaaaaaaaa\xe2\x82\xac"
                               "bcd";
    static const char last[] =
        "\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4"
        "\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4\x8f"
        "\xbf\xbf\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4\x8f\xbf"
        "\xbf\xf4\x8f\xbf\xbf"; /* 17 times the last character there is */
    static const char plain[] = "0123456789012345678901234567890123456"; /* 37 */
    static const char *const values[] = {euro, last, plain};
    for (int i = 0; i < 3; i++) {
        const char *name = rwl_arena_printf(test_arena(), "t%d", i);
        test_create(name, 3, "s string", NULL, NULL);
        test_append(name, rwl_arena_printf(test_arena(), "{'s':'%s'}", values[i]));
        ck_assert_str_eq(case_rows(name, NULL, rwl_arena_printf(test_arena(), "s = '%s'", values[i])),
                         values[i]);
        ck_assert_str_eq(case_rows(name, NULL, rwl_arena_printf(test_arena(), "s >= '%s'", values[i])),
                         values[i]);
        test_head head = test_read_head(name);
        const rwl_data_file *f = &test_live(&head, 0)->file;
        ck_assert_int_eq(f->lower_count, 1);
        ck_assert_uint_eq(f->lower_bounds[0].value.len, i == 0 ? 18 : i == 1 ? 64 : 16); /* 15 + 3, 16 * 4 */
        ck_assert_int_eq(f->upper_count, i == 1 ? 0 : 1); /* nothing is above U+10FFFF */
        if (i == 0)                                       /* the euro sign U+20AC raised: U+20AD */
            ck_assert(rwl_span_equal(f->upper_bounds[0].value, rwl_span_str("aaaaaaaaaaaaaaa\xe2\x82\xad")));
        if (i == 2) /* '5' raised */
            ck_assert(rwl_span_equal(f->upper_bounds[0].value, rwl_span_str("0123456789012346")));
    }
}
END_TEST

/* SQL: what is unknown is not taken, so null satisfies no negation; the row group is read all the same. */
START_TEST(bug_143_nulls_beside_a_prefix_hide_no_row) {
    table_of("s string", "{'s':'ab'}\n{'s':null}\n{'s':'b'}");
    ck_assert_str_eq(case_rows("t", NULL, "s not like 'a%'"), "b");
    ck_assert_str_eq(case_rows("t", NULL, "s not like 'a%' or s is null"), "null b");
    test_create("u", 3, "s string", NULL, NULL);
    test_append("u", "{'s':'ab'}\n{'s':null}");
    ck_assert_str_eq(case_rows("u", NULL, "s not like 'a%'"), "");
    ck_assert_str_eq(case_rows("u", NULL, "s is null"), "null");
}
END_TEST

/* Bounds 5 to 5 and a null: not every row satisfies x <> 5, so nothing is deleted by metadata. */
START_TEST(bug_145_a_delete_takes_no_row_for_deleted_by_bounds) {
    table_of("x long", "{'x':null}\n{'x':5}");
    test_delete("t", "x <> 5");
    ck_assert_str_eq(test_values("t", NULL), "null 5");
    test_delete("t", "x = 5");
    ck_assert_str_eq(test_values("t", NULL), "null");
}
END_TEST

/* NaN equals itself and is greater than every number; bounds leave it out. */
START_TEST(bug_147_148_nan_is_found_beyond_bounds) {
    static const struct {
        const char *where, *rows;
    } cases[] = {{"x is nan", "2"},
                 {"x is not nan", "1 3 4"},
                 {"x <> 3", "2"},
                 {"not (x < 10)", "2"},
                 {"x > 5", "2"},
                 {"x = 3", "1 3"},
                 {"x < 10", "1 3"},
                 {"x is null", "4"},
                 {"x >= 3 and x <= 3", "1 3"}};
    static const char *const types[] = {"double", "float"};
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "t" : "u";
        test_create(name, 3, rwl_arena_printf(test_arena(), "id long, x %s", types[i]), NULL, NULL);
        test_append(name, "{'id':1,'x':3.0}\n{'id':2,'x':'NaN'}\n{'id':3,'x':3.0}\n{'id':4,'x':null}");
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            const char *rows = case_rows(name, "id", cases[c].where);
            ck_assert_msg(strcmp(rows, cases[c].rows) == 0, "%s: %s", cases[c].where, rows);
        }
        test_head head = test_read_head(name);
        const rwl_data_file *f = &test_live(&head, 0)->file;
        for (int32_t k = 0; k < f->nan_count_count; k++)
            ck_assert_int_eq(f->nan_counts[k].value, f->nan_counts[k].field_id == 2 ? 1 : 0);
        ck_assert_int_eq(f->lower_count, 2);
    }
    rwl_table *t = test_open("t");
    const rwl_scan_options options = {.rows = {.where = "id is nan"}, .limit = -1};
    rwl_scan *scan = NULL;
    ASSERT_FAILS(RWL_USAGE, "id", rwl_scan_open(t, test_op(), &options, &scan, err));
    test_close(t);
}
END_TEST

START_TEST(bug_147_a_column_of_nan_alone_has_no_bounds) {
    table_of("x double", "{'x':'NaN'}\n{'x':'NaN'}");
    test_head head = test_read_head("t");
    ck_assert_int_eq(test_live(&head, 0)->file.lower_count, 0);
    ck_assert_int_eq(test_live(&head, 0)->file.upper_count, 0);
    ck_assert_str_eq(case_rows("t", NULL, "x is nan"), "NaN NaN");
    ck_assert_str_eq(case_rows("t", NULL, "x > 1"), "NaN NaN");
    ck_assert_str_eq(case_rows("t", NULL, "x < 1"), "");
}
END_TEST

/* U+FF5E is EF BD 9E, U+1F600 F0 9F 98 80: by bytes the second is the greater one, by UTF-16 units the first. */
START_TEST(bug_150_text_is_in_the_order_of_its_bytes) {
    static const char tilde[] = "\xef\xbd\x9e", face[] = "\xf0\x9f\x98\x80";
    table_of("s string", rwl_arena_printf(test_arena(), "{'s':'%s'}\n{'s':'%s'}", face, tilde));
    test_head head = test_read_head("t");
    const rwl_data_file *f = &test_live(&head, 0)->file;
    ck_assert(rwl_span_equal(f->lower_bounds[0].value, rwl_span_str(tilde)));
    ck_assert(rwl_span_equal(f->upper_bounds[0].value, rwl_span_str(face)));
    ck_assert_str_eq(case_rows("t", NULL, rwl_arena_printf(test_arena(), "s > '%s'", tilde)), face);
}
END_TEST

/* Bounds are big endian two's complement of the fewest bytes: -129 is FF 7F, 128 is 00 80. */
START_TEST(bug_151_decimals_of_both_signs_are_ordered_by_value) {
    test_create("t", 3, "d decimal(4,0), e decimal(8,0)", NULL, NULL);
    test_append("t", "{'d':'-1','e':'127'}\n{'d':'0','e':'128'}\n{'d':'5','e':'-129'}");
    test_head head = test_read_head("t");
    const rwl_data_file *f = &test_live(&head, 0)->file;
    static const rwl_span lower[] = {{(const uint8_t *)"\xff", 1}, {(const uint8_t *)"\xff\x7f", 2}};
    static const rwl_span upper[] = {{(const uint8_t *)"\x05", 1}, {(const uint8_t *)"\x00\x80", 2}};
    for (int i = 0; i < 2; i++) {
        ck_assert(rwl_span_equal(f->lower_bounds[i].value, lower[i]));
        ck_assert(rwl_span_equal(f->upper_bounds[i].value, upper[i]));
    }
    ck_assert_str_eq(case_rows("t", "d", "d < 0"), "-1");
    ck_assert_str_eq(case_rows("t", "d", "d > 4"), "5");
    ck_assert_str_eq(case_rows("t", "e", "e <= -129"), "-129");
    ck_assert_str_eq(case_rows("t", "e", "e > 127"), "128");
}
END_TEST

START_TEST(bug_154_bounds_of_nanoseconds_are_nanoseconds) {
    static const char one[] = "2024-01-01T00:00:00.000000001", late[] = "2024-01-01T00:00:00.000000999",
                      early[] = "1969-12-31T23:59:59.999999999";
    table_of("ts timestamp_ns", rwl_arena_printf(test_arena(), "{'ts':'%s'}\n{'ts':'%s'}", one, late));
    const char *both = rwl_arena_printf(test_arena(), "%s %s", one, late);
    ck_assert_str_eq(
        case_rows("t", NULL, rwl_arena_printf(test_arena(), "ts between '%s' and '%s'", one, late)), both);
    ck_assert_str_eq(case_rows("t", NULL, rwl_arena_printf(test_arena(), "ts > '%s'", one)), late);
    ck_assert_str_eq(case_rows("t", NULL, "ts > '2024-01-01T00:00:00.000000999'"), "");
    test_head head = test_read_head("t");
    /* 19723 days of 86400 seconds */
    ck_assert_int_eq(test_bound(&test_live(&head, 0)->file, 1, false),
                     INT64_C(19723) * 86400 * 1000000000 + 1);
    ck_assert_int_eq(test_bound(&test_live(&head, 0)->file, 1, true),
                     INT64_C(19723) * 86400 * 1000000000 + 999);
    test_append("t", rwl_arena_printf(test_arena(), "{'ts':'%s'}", early));
    ck_assert_str_eq(case_rows("t", NULL, "ts < '1970-01-01T00:00:00'"), early);
    head = test_read_head("t");
    ck_assert_int_eq(test_bound(&test_live(&head, 0)->file, 1, false), -1);
}
END_TEST

/* --- names for ids --- */

/* Files (b, a) and (a, bb) without ids under a table (a, b, c): names are mapped for columns, filters and pruning alike. */
START_TEST(bug_165_files_without_ids_are_read_and_pruned_by_the_name_mapping) {
    static const char *const keys[] = {"schema.name-mapping.default"};
    static const char *const values[] = {
        "[{\"field-id\": 1, \"names\": [\"a\"]}, {\"field-id\": 2, \"names\": [\"b\", \"bb\"]}, "
        "{\"field-id\": 3, \"names\": [\"c\"]}]"};
    const rwl_create_options options = {.schema = "a int, b string, c string",
                                        .format_version = 3,
                                        .property_keys = keys,
                                        .property_values = values,
                                        .property_count = 1};
    const rwl_field b_a[] = {CASE_FIELD("b", -1, STRING), CASE_FIELD("a", -1, INT)};
    const rwl_field a_bb[] = {CASE_FIELD("a", -1, INT), CASE_FIELD("bb", -1, STRING)};
    static const char *const endings[] = {"avro", "parquet"};
    for (int i = 0; i < 2; i++) {
        const char *name = rwl_arena_printf(test_arena(), "t%d", i);
        test_create_with(name, &options);
        case_append(name, rwl_arena_printf(test_arena(), "ba.%s", endings[i]), b_a, 2, "[['x', 1], ['y', 2]]",
                    1);
        ck_assert_str_eq(test_rows(name), "1,x,null=0/1 2,y,null=1/1");
        ck_assert_str_eq(case_rows(name, "b", "a = 2"), "y");
        ck_assert_str_eq(case_rows(name, "a", "b = 'x'"), "1");
        case_append(name, rwl_arena_printf(test_arena(), "abb.%s", endings[i]), a_bb, 2, "[[3, 'z']]", 0);
        ck_assert_str_eq(case_rows(name, "a, b, c", "b = 'z'"), "3,z,null");
        const char *rows = test_sorted(test_rows(name));
        ck_assert_str_eq(rows, "1,x,null=0/1 2,y,null=1/1 3,z,null=2/2");
        test_rewrite(name, NULL);
        ck_assert_str_eq(test_sorted(test_rows(name)), rows);
    }
}
END_TEST

/* --- rewrites --- */

START_TEST(bug_169_nulls_of_carried_rows_stay_null) {
    static const char lines[] = "{'id':1,'ts':'2000-01-01T00:00:00','l':[1,null],'s':{'a':1}}\n"
                                "{'id':6,'ts':null,'l':null,'s':null}\n"
                                "{'id':7,'ts':null,'l':[],'s':{'a':null}}";
    test_create("t", 3, "id long, ts timestamp, l list<int>, s struct<a: int>", NULL, NULL);
    test_append("t", lines);
    test_append("t", "{'id':8,'ts':'1970-01-01T00:00:00','l':[0],'s':{'a':0}}");
    const char *ids[] = {"id, _row_id, _last_updated_sequence_number", "id"};
    static const char *const filters[] = {"ts is null", "l is null", "s is null", "s.a is null"};
    static const char *const rows[] = {"6 7", "6", "6", "6 7"};
    const char *lineage = test_sorted(case_rows("t", ids[0], NULL));
    const rwl_rewrite_options ways[] = {{.rewrite_all = true}, {.rewrite_all = true, .sort = "id desc"}};
    for (int way = 0; way < 2; way++) {
        test_rewrite("t", &ways[way]);
        for (int i = 0; i < 4; i++)
            ck_assert_str_eq(test_sorted(case_rows("t", ids[1], filters[i])), rows[i]);
        ck_assert_str_eq(test_sorted(case_rows("t", ids[0], NULL)), lineage);
    }
}
END_TEST

/* --- transforms --- */

static int32_t bucket_16(const rwl_value *v) {
    rwl_transform bucket;
    rwl_value out;
    ASSERT_OK(rwl_transform_parse("bucket[16]", test_arena(), &bucket, err));
    ASSERT_OK(rwl_transform_apply(&bucket, v, &out, err));
    return out.as.i32;
}

static rwl_value value_of(const rwl_type *type, const char *json) {
    rwl_json *parsed = NULL;
    rwl_value v;
    ASSERT_OK(rwl_json_parse_data(rwl_span_str(json), &parsed, err));
    ASSERT_OK(rwl_value_from_json(type, parsed, test_arena(), &v, err));
    rwl_json_free(parsed);
    return v;
}

/* Murmur3 (x86, 32 bits, seed 0) of the fewest bytes 05 8c, 9c, 80, 80 00 and 00, by another program; the first is in appendix B. */
START_TEST(bug_175_decimals_hash_their_fewest_bytes) {
    static const struct {
        const char *decimal;
        int32_t hash, bucket;
    } cases[] = {{"\"14.20\"", -500754589, 3},
                 {"\"-1.00\"", -608597965, 3},
                 {"\"-1.28\"", 267099677, 13},
                 {"\"-327.68\"", 1659329203, 3},
                 {"\"0.00\"", 1364076727, 7}};
    rwl_type type = rwl_type_of(RWL_TYPE_DECIMAL);
    type.precision = 9;
    type.scale = 2;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_value v = value_of(&type, cases[i].decimal);
        int32_t hash;
        ck_assert(rwl_transform_hash(&v, &hash));
        ck_assert_int_eq(hash, cases[i].hash);
        ck_assert_int_eq(bucket_16(&v), cases[i].bucket);
    }
}
END_TEST

/* The bytes F0 9F 98 80; hash -1095487750, of whose lower 31 bits the last four are 10. */
START_TEST(bug_180_text_beyond_the_basic_plane_hashes_its_utf_8) {
    rwl_type type = rwl_type_of(RWL_TYPE_STRING);
    rwl_value v = value_of(&type, "\"\xf0\x9f\x98\x80\"");
    int32_t hash;
    ck_assert(rwl_transform_hash(&v, &hash));
    ck_assert_int_eq(hash, -1095487750);
    ck_assert_int_eq(bucket_16(&v), 10);
}
END_TEST

/* Half an hour before 1970 is hour, day, month and year -1; 2017-12-01T10 is hour 17501 * 24 + 10. */
START_TEST(bug_177_times_before_1970_are_rounded_down) {
    static const char *const transforms[] = {"hour", "day", "month", "year"};
    static const rwl_type_kind kinds[] = {RWL_TYPE_TIMESTAMP, RWL_TYPE_TIMESTAMP_NS};
    for (int k = 0; k < 2; k++) {
        rwl_type type = rwl_type_of(kinds[k]);
        rwl_transform t;
        rwl_value before = value_of(&type, "\"1969-12-31T23:30:00\""), out;
        for (int i = 0; i < 4; i++) {
            ASSERT_OK(rwl_transform_parse(transforms[i], test_arena(), &t, err));
            ASSERT_OK(rwl_transform_apply(&t, &before, &out, err));
            ck_assert_int_eq(out.as.i32, -1);
        }
        rwl_value later =
            value_of(&type, k == 0 ? "\"2017-12-01T10:12:55.038194\"" : "\"2017-12-01T10:12:55.038194789\"");
        ASSERT_OK(rwl_transform_parse("hour", test_arena(), &t, err));
        ASSERT_OK(rwl_transform_apply(&t, &later, &out, err));
        ck_assert_int_eq(out.as.i32, 420034);
    }
}
END_TEST

/* The same as rows of a table: the file of hour -1 is found, and is that of the filter alone. */
START_TEST(bug_177_rows_before_1970_are_found_in_their_hour) {
    test_create("t", 3, "id long, ts timestamp", "hour(ts)", NULL);
    test_append("t", "{'id':1,'ts':'1969-12-31T23:30:00'}\n{'id':2,'ts':'1970-01-01T00:30:00'}");
    ck_assert_int_eq(test_read_head("t").data_files, 2);
    ck_assert_str_eq(case_rows("t", "id", "ts < '1970-01-01T00:00:00'"), "1");
    ck_assert_str_eq(case_rows("t", "id", "ts >= '1970-01-01T00:00:00'"), "2");
    ck_assert_str_eq(case_rows("t", "id", "ts = '1969-12-31T23:30:00'"), "1");
}
END_TEST

Suite *suite_read_cases(void) {
    const TTest *const tests[] = {
        bug_126_the_newest_metadata_is_that_of_the_greatest_number,
        bug_130_delete_manifests_say_that_they_are,
        bug_137_entries_stay_under_the_spec_they_were_written_with,
        bug_138_one_path_twice_in_an_append_is_refused,
        bug_139_a_function_of_a_column_is_not_judged_by_its_bounds,
        bug_140_141_long_text_is_found_by_bounds_cut_at_characters,
        bug_143_nulls_beside_a_prefix_hide_no_row,
        bug_145_a_delete_takes_no_row_for_deleted_by_bounds,
        bug_147_148_nan_is_found_beyond_bounds,
        bug_147_a_column_of_nan_alone_has_no_bounds,
        bug_150_text_is_in_the_order_of_its_bytes,
        bug_151_decimals_of_both_signs_are_ordered_by_value,
        bug_154_bounds_of_nanoseconds_are_nanoseconds,
        bug_165_files_without_ids_are_read_and_pruned_by_the_name_mapping,
        bug_169_nulls_of_carried_rows_stay_null,
        bug_175_decimals_hash_their_fewest_bytes,
        bug_177_times_before_1970_are_rounded_down,
        bug_177_rows_before_1970_are_found_in_their_hour,
        bug_180_text_beyond_the_basic_plane_hashes_its_utf_8,
    };
    return TEST_SUITE("read cases", tests);
}
