/* SPDX-License-Identifier: Apache-2.0 */
/* Partition specs and sort orders: JSON, text, types, folder names. */
#include "iceberg_test.h"

static const char *const COLUMNS = "id long not null, ts timestamptz, s string, d date, f double, "
                                   "n struct<x int, y list<int>>, \"q r\" int, v variant";

static rwl_status spec_of(const char *json_text, rwl_partition_spec *out, rwl_error *err) {
    rwl_json *json = test_json(json_text);
    rwl_status st = rwl_partition_spec_from_json(json, test_arena(), out, err);
    rwl_json_free(json);
    return st;
}

START_TEST(specs_survive_reading_and_writing) {
    static const char *const text =
        "{'spec-id': 4, 'fields': [{'name': 'ts_day', 'transform': 'day', 'source-id': 2, 'field-id': 1003}, "
        "{'name': 'z', 'transform': 'zorder[3]', 'source-id': 1, 'field-id': 1004}]}";
    rwl_partition_spec spec;
    ASSERT_OK(spec_of(text, &spec, err));
    ck_assert_int_eq(spec.spec_id, 4);
    rwl_json *json;
    ASSERT_OK(rwl_partition_spec_to_json(&spec, false, &json, err));
    assert_json_text(json, text);
    rwl_json_free(json);
    ASSERT_OK(rwl_partition_spec_to_json(&spec, true, &json, err));
    ck_assert_int_eq((int)rwl_json_kind_of(json), RWL_JSON_ARRAY);
    rwl_json_free(json);
    ASSERT_FAILS(RWL_UNSUPPORTED, "'z' of spec 4 has the unknown transform 'zorder[3]'",
                 rwl_partition_spec_check_writable(&spec, err));
}
END_TEST

START_TEST(version_1_fields_without_ids_count_from_1000) {
    rwl_partition_spec spec;
    ASSERT_OK(spec_of("[{'name': 'a', 'transform': 'identity', 'source-id': 1}, "
                      "{'name': 'b', 'transform': 'bucket[4]', 'source-id': 2}]",
                      &spec, err));
    ck_assert_int_eq(spec.fields[0].field_id, 1000);
    ck_assert_int_eq(spec.fields[1].field_id, 1001);
    ck_assert_int_eq(spec.fields[1].transform.param, 4);
    ASSERT_OK(rwl_partition_spec_check_writable(&spec, err));
}
END_TEST

START_TEST(a_transform_of_several_columns_is_unknown) {
    rwl_partition_spec spec;
    ASSERT_OK(spec_of("[{'name': 'a', 'transform': 'bucket[4]', 'source-ids': [3, 1], 'field-id': 1000}, "
                      "{'name': 'b', 'transform': 'bucket[4]', 'source-ids': [2], 'field-id': 1001}]",
                      &spec, err));
    ck_assert_int_eq((int)spec.fields[0].transform.kind, RWL_TRANSFORM_UNKNOWN);
    ck_assert_int_eq(spec.fields[0].source_id, 3);
    ck_assert_int_eq((int)spec.fields[1].transform.kind, RWL_TRANSFORM_BUCKET);
    ck_assert_int_eq(spec.fields[1].source_id, 2);
}
END_TEST

#define SAME_FIELD_ID                                                                                        \
    "[{'name': 'a', 'transform': 'day', 'source-id': 1, 'field-id': 1}, "                                    \
    "{'name': 'b', 'transform': 'day', 'source-id': 1, 'field-id': 1}]"

START_TEST(bad_specs_are_corrupt) {
    static const char *const bad[] = {
        "{'fields': []}",
        "{'spec-id': 1}",
        "[{'name': 'a', 'transform': 'identity'}]",
        "[{'name': 'a', 'source-id': 1}]",
        "[{'transform': 'identity', 'source-id': 1}]",
        "[{'name': 'a', 'transform': 'identity', 'source-ids': []}]",
        "[{'name': 'a', 'transform': 'identity', 'source-ids': ['x']}]",
        "[{'name': 'a', 'transform': 'bucket[0]', 'source-id': 1}]",
        SAME_FIELD_ID,
        "[3]",
        "[{'name': 'a', 'transform': 'day', 'source-id': 1, 'field-id': -1}]",
        "[{'name': 'a', 'transform': 'day', 'source-id': 1, 'field-id': 2147483647}]",
    };
    rwl_partition_spec spec;
    ASSERT_FAILS(RWL_CORRUPT, "partition spec", spec_of(bad[_i], &spec, err));
}
END_TEST

START_TEST(partition_text_names_fields_as_documented) {
    rwl_schema schema = test_schema(COLUMNS);
    rwl_partition_spec spec;
    ASSERT_OK(rwl_partition_spec_from_text(
        "day(ts), bucket(16, id), truncate(4, s), f, months(d), n.x, void(\"q r\")", &schema, test_arena(),
        &spec, err));
    static const struct {
        const char *name, *transform;
        int32_t source_id;
    } wanted[] = {{"ts_day", "day", 2},    {"id_bucket", "bucket[16]", 1}, {"s_trunc", "truncate[4]", 3},
                  {"f", "identity", 5},    {"d_month", "month", 4},        {"n.x", "identity", 7},
                  {"q r_null", "void", 10}};
    ck_assert_int_eq(spec.field_count, 7);
    ck_assert_int_eq(spec.spec_id, 0);
    for (int i = 0; i < 7; i++) {
        ck_assert_str_eq(spec.fields[i].name, wanted[i].name);
        ck_assert_str_eq(spec.fields[i].transform.text, wanted[i].transform);
        ck_assert_int_eq(spec.fields[i].source_id, wanted[i].source_id);
        ck_assert_int_eq(spec.fields[i].field_id, 1000 + i);
    }
    ASSERT_OK(rwl_partition_spec_from_text("  ", &schema, test_arena(), &spec, err));
    ck_assert_int_eq(spec.field_count, 0);
}
END_TEST

static const struct {
    const char *text, *part;
} BAD_PARTITIONS[] = {
    {"nope", "position 1: there is no column 'nope'"},
    {"id, hour(nope)", "position 10: there is no column 'nope'"},
    {"bucket(0, id)", "position 8: expected a number"},
    {"bucket(id)", "position 8: expected a number"},
    {"bucket(99999999999, id)", "position 8: expected a number"},
    {"bucket(4 id)", "position 10: expected ','"},
    {"day(ts", "position 7: expected ')'"},
    {"day(id)", "position 1: 'day' cannot take column 'id'"},
    {"truncate(4, f)", "position 1: 'truncate[4]' cannot take column 'f'"},
    {"n", "position 1: 'identity' cannot take column 'n'"},
    {"v", "position 1: 'identity' cannot take column 'v'"},
    {"n.z", "position 1: there is no column 'n.z'"},
    {"id.x", "position 1: 'id' is no struct"},
    {"n.y.element", "position 1: 'n.y' is no struct"},
    {"id, id", "position 5: the partition name 'id' occurs twice"},
    {"zorder(id)", "position 1: there is no transform 'zorder'"},
    {"id(ts)", "position 1: there is no transform 'id'"},
    {"dayy(ts)", "position 1: there is no transform 'dayy'"},
    {"id ts", "position 4: expected ','"},
    {"id,", "position 4: expected a name"},
};

START_TEST(bad_partition_texts_are_refused_with_the_position) {
    rwl_schema schema = test_schema(COLUMNS);
    rwl_partition_spec spec;
    ASSERT_FAILS(RWL_USAGE, BAD_PARTITIONS[_i].part,
                 rwl_partition_spec_from_text(BAD_PARTITIONS[_i].text, &schema, test_arena(), &spec, err));
}
END_TEST

START_TEST(a_partition_name_may_not_be_another_columns) {
    rwl_schema schema = test_schema("ts date, ts_day int");
    rwl_partition_spec spec;
    ASSERT_FAILS(RWL_USAGE, "'ts_day' is that of another column",
                 rwl_partition_spec_from_text("day(ts)", &schema, test_arena(), &spec, err));
}
END_TEST

START_TEST(partition_types_follow_the_schema) {
    rwl_schema schema = test_schema(COLUMNS);
    rwl_partition_spec spec;
    ASSERT_OK(spec_of("[{'name': 'a', 'transform': 'day', 'source-id': 2}, {'name': 'b', 'transform': "
                      "'identity', 'source-id': 7}, "
                      "{'name': 'c', 'transform': 'identity', 'source-id': 99}, {'name': 'd', 'transform': "
                      "'what', 'source-id': 1}, "
                      "{'name': 'e', 'transform': 'void', 'source-id': 3}, {'name': 'g', 'transform': "
                      "'bucket[2]', 'source-id': 3}]",
                      &spec, err));
    rwl_type types[6];
    ASSERT_OK(rwl_partition_types(&spec, &schema, types, err));
    static const rwl_type_kind wanted[] = {RWL_TYPE_DATE,    RWL_TYPE_INT,    RWL_TYPE_UNKNOWN,
                                           RWL_TYPE_UNKNOWN, RWL_TYPE_STRING, RWL_TYPE_INT};
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq((int)types[i].kind, (int)wanted[i]);
    ASSERT_OK(spec_of("[{'name': 'a', 'transform': 'day', 'source-id': 1}]", &spec, err));
    ASSERT_FAILS(RWL_CORRUPT, "'day' cannot take column 'id'",
                 rwl_partition_types(&spec, &schema, types, err));
}
END_TEST

static void assert_path(const char *columns, const char *partition, const char *const *values,
                        const char *wanted) {
    rwl_schema schema = test_schema(columns);
    rwl_partition_spec spec;
    ASSERT_OK(rwl_partition_spec_from_text(partition, &schema, test_arena(), &spec, err));
    rwl_type types[4];
    ASSERT_OK(rwl_partition_types(&spec, &schema, types, err));
    rwl_value tuple[4];
    for (int32_t i = 0; i < spec.field_count; i++)
        tuple[i] = test_value(&types[i], values[i]);
    rwl_buf path;
    rwl_buf_init(&path, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_partition_path(&spec, types, tuple, &path, err));
    ASSERT_OK(rwl_buf_terminate(&path, err));
    ck_assert_str_eq((const char *)path.data, wanted);
    rwl_buf_clear(&path);
}

START_TEST(paths_are_readable_and_escaped) {
    assert_path("ts timestamp, id int", "day(ts), bucket(4, id)", (const char *const[]){"2026-11-30", "3"},
                "ts_day=2026-11-30/id_bucket=3");
    assert_path("s string, b binary", "s, b", (const char *const[]){"a/b c+\xc3\xa9%.", "fbff"},
                "s=a%2Fb%20c%2B%C3%A9%25./b=%2B%2F8%3D");
    assert_path("\"x/y\" string", "\"x/y\"", (const char *const[]){"null"}, "x%2Fy=null");
    assert_path("ts timestamp", "hours(ts)", (const char *const[]){"420034"}, "ts_hour=2017-12-01-10");
    assert_path("ts timestamp", "", NULL, "");
}
END_TEST

START_TEST(long_values_give_names_a_file_system_takes) {
    char value[1001];
    memset(value, '/', 1000);
    value[1000] = '\0';
    rwl_type types[1] = {rwl_type_of(RWL_TYPE_STRING)};
    rwl_value tuple[2] = {test_value(&types[0], value)};
    rwl_partition_field field = {1, 1000, "s", {RWL_TRANSFORM_IDENTITY, 0, "identity"}};
    rwl_partition_spec spec = {0, &field, 1};
    rwl_buf path;
    rwl_buf_init(&path, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_partition_path(&spec, types, tuple, &path, err));
    ck_assert_uint_le(path.len, 255);
    ck_assert_int_eq(memcmp(path.data, "s=%2F%2F", 8), 0);
    size_t escapes = 0;
    while (memcmp(path.data + 2 + 3 * escapes, "%2F", 3) == 0)
        escapes++;
    ck_assert_int_eq(path.data[2 + 3 * escapes], '-'); /* no escape is cut */
    rwl_buf_clear(&path);
}
END_TEST

START_TEST(sort_orders_survive_reading_and_writing) {
    static const char *const text =
        "{'order-id': 3, 'fields': ["
        "{'transform': 'identity', 'source-id': 2, 'direction': 'asc', 'null-order': 'nulls-first'}, "
        "{'transform': 'bucket[4]', 'source-id': 3, 'direction': 'desc', 'null-order': 'nulls-last'}]}";
    rwl_json *json = test_json(text);
    rwl_sort_order order;
    ASSERT_OK(rwl_sort_order_from_json(json, test_arena(), &order, err));
    rwl_json_free(json);
    ck_assert(!order.fields[0].descending && order.fields[0].nulls_first);
    ck_assert(order.fields[1].descending && !order.fields[1].nulls_first);
    ASSERT_OK(rwl_sort_order_to_json(&order, &json, err));
    assert_json_text(json, text);
    rwl_json_free(json);
}
END_TEST

START_TEST(bad_sort_orders_are_corrupt) {
    static const char *const bad[] = {
        "{'fields': []}",
        "{'order-id': 1}",
        "{'order-id': 0, 'fields': [{'transform': 'identity', 'source-id': 2, 'direction': 'asc', "
        "'null-order': 'nulls-first'}]}",
        "{'order-id': 1, 'fields': [{'transform': 'identity', 'source-id': 2, 'direction': 'up', "
        "'null-order': 'nulls-first'}]}",
        "{'order-id': 1, 'fields': [{'transform': 'identity', 'source-id': 2, 'direction': 'asc', "
        "'null-order': 'first'}]}",
        "{'order-id': 1, 'fields': [{'transform': 'identity', 'direction': 'asc', 'null-order': "
        "'nulls-first'}]}",
        "{'order-id': 1, 'fields': [{'transform': 'identity', 'source-ids': [], 'direction': 'asc', "
        "'null-order': 'nulls-first'}]}",
    };
    rwl_json *json = test_json(bad[_i]);
    rwl_sort_order order;
    ASSERT_FAILS(RWL_CORRUPT, "sort order", rwl_sort_order_from_json(json, test_arena(), &order, err));
    rwl_json_free(json);
}
END_TEST

START_TEST(sort_text_has_the_documented_defaults) {
    rwl_schema schema = test_schema(COLUMNS);
    rwl_sort_order order;
    ASSERT_OK(
        rwl_sort_order_from_text("id, ts DESC, s desc nulls first, d nulls last, bucket(4, s), \"q r\" asc",
                                 &schema, test_arena(), &order, err));
    static const struct {
        int32_t source_id;
        bool descending, nulls_first;
    } wanted[] = {{1, false, true},  {2, true, false}, {3, true, true},
                  {4, false, false}, {3, false, true}, {10, false, true}};
    ck_assert_int_eq(order.order_id, 1);
    ck_assert_int_eq(order.field_count, 6);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(order.fields[i].source_id, wanted[i].source_id);
        ck_assert_int_eq(order.fields[i].descending, wanted[i].descending);
        ck_assert_int_eq(order.fields[i].nulls_first, wanted[i].nulls_first);
    }
    ASSERT_OK(rwl_sort_order_from_text("", &schema, test_arena(), &order, err));
    ck_assert_int_eq(order.order_id, 0);
    ASSERT_FAILS(RWL_USAGE, "expected 'first' or 'last'",
                 rwl_sort_order_from_text("id nulls", &schema, test_arena(), &order, err));
    ASSERT_FAILS(RWL_USAGE, "position 4: expected ','",
                 rwl_sort_order_from_text("id up", &schema, test_arena(), &order, err));
    ASSERT_FAILS(RWL_USAGE, "position 5: the sort key 'id' occurs twice",
                 rwl_sort_order_from_text("id, id desc", &schema, test_arena(), &order, err));
}
END_TEST

START_TEST(sort_orders_are_equal_whatever_their_id) {
    rwl_schema schema = test_schema(COLUMNS);
    rwl_sort_order a, b;
    ASSERT_OK(rwl_sort_order_from_text("id, bucket(4, s) desc", &schema, test_arena(), &a, err));
    b = a;
    b.order_id = 7;
    ck_assert(rwl_sort_order_equal(&a, &b));
    static const char *const others[] = {"id",
                                         "id, bucket(5, s) desc",
                                         "id, bucket(4, s)",
                                         "id, bucket(4, s) desc nulls first",
                                         "id, bucket(4, ts) desc",
                                         "id, s desc"};
    for (int i = 0; i < 6; i++) {
        ASSERT_OK(rwl_sort_order_from_text(others[i], &schema, test_arena(), &b, err));
        ck_assert(!rwl_sort_order_equal(&a, &b));
    }
}
END_TEST

Suite *suite_partition(void) {
    Suite *suite = suite_create("partition");
    TCase *tc = tcase_create("partition");
    tcase_add_test(tc, specs_survive_reading_and_writing);
    tcase_add_test(tc, version_1_fields_without_ids_count_from_1000);
    tcase_add_test(tc, a_transform_of_several_columns_is_unknown);
    tcase_add_loop_test(tc, bad_specs_are_corrupt, 0, 12);
    tcase_add_test(tc, partition_text_names_fields_as_documented);
    tcase_add_loop_test(tc, bad_partition_texts_are_refused_with_the_position, 0,
                        (int)(sizeof BAD_PARTITIONS / sizeof BAD_PARTITIONS[0]));
    tcase_add_test(tc, a_partition_name_may_not_be_another_columns);
    tcase_add_test(tc, partition_types_follow_the_schema);
    tcase_add_test(tc, paths_are_readable_and_escaped);
    tcase_add_test(tc, long_values_give_names_a_file_system_takes);
    tcase_add_test(tc, sort_orders_survive_reading_and_writing);
    tcase_add_loop_test(tc, bad_sort_orders_are_corrupt, 0, 7);
    tcase_add_test(tc, sort_text_has_the_documented_defaults);
    tcase_add_test(tc, sort_orders_are_equal_whatever_their_id);
    suite_add_tcase(suite, tc);
    return suite;
}
