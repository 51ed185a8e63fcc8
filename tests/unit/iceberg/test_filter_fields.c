/* SPDX-License-Identifier: Apache-2.0 */
/* Names that filters and selections may use. */
#include "iceberg/filter_fields.h"
#include "iceberg_test.h"

#include <stdio.h>

/* "id:1! s:2 s.a:3" … names, ids, "!" where required; fields of _partition as "#1000". */
static const char *list(const rwl_metadata *m, const rwl_schema *schema) {
    rwl_field *fields;
    rwl_field_place *places;
    int32_t count;
    const char *text = "";
    ASSERT_OK(rwl_filter_fields(m, schema, test_arena(), &fields, &places, &count, err));
    for (int32_t i = 0; i < count; i++) {
        const rwl_field *f = &fields[i];
        if (places[i].parent >= 0)
            ck_assert_int_lt(places[i].parent, i);
        text = rwl_arena_printf(test_arena(), "%s%s%s", text, i > 0 ? " " : "", f->name);
        if (rwl_field_is_partition(f))
            text = rwl_arena_printf(test_arena(), "%s#%d", text, (int)rwl_field_partition_id(f));
        else if (f->id < RWL_FIELD_ID_RESERVED_MIN)
            text = rwl_arena_printf(test_arena(), "%s:%d", text, (int)f->id);
        text = rwl_arena_printf(test_arena(), "%s%s", text, f->required ? "!" : "");
        ck_assert_int_eq(rwl_field_is_stored(f), f->id >= 0 && f->id < RWL_FIELD_ID_RESERVED_MIN);
    }
    return text;
}

#define METADATA "_row_id _last_updated_sequence_number _file! _pos! _spec_id!"

START_TEST(fields_of_structs_have_dotted_names) {
    rwl_schema schema = test_schema("id long not null, s struct<a: int not null, b: struct<c: string>> not "
                                    "null, o struct<x: int not null>, l list<struct<y: int>>");
    ck_assert_str_eq(list(NULL, &schema), "id:1! s:2! o:6 l:8 " METADATA " s.a:3! s.b:4 o.x:7 s.b.c:5");
}
END_TEST

/* BUG-181: a column called as a metadata column is what people get when they ask for it. */
START_TEST(bug_181_columns_of_the_schema_hide_metadata_columns) {
    rwl_schema schema = test_schema("_pos int, pos int, file_path string, _file_ int");
    ck_assert_str_eq(list(NULL, &schema), "_pos:1 pos:2 file_path:3 _file_:4 _row_id "
                                          "_last_updated_sequence_number _file! _spec_id!");
    int32_t at = 0;
    const rwl_metadata_column *columns;
    int32_t count;
    ASSERT_OK(rwl_filter_metadata_columns(NULL, test_arena(), &columns, &count, err));
    ck_assert_str_eq(rwl_name_fields_hidden(schema.fields, schema.field_count, columns, count, &at), "_pos");
    ck_assert_ptr_null(rwl_name_fields_hidden(schema.fields, schema.field_count, columns, count, &at));
}
END_TEST

/* Specs 0: d (1000), 1: bucket 1001 and the first renamed, 2: both dropped as v1 does. Ids of specs need not ascend. */
#define SPECS                                                                                                \
    "{'format-version': 2, 'table-uuid': '9c12d441-03fe-4693-9a96-a0705ddf69c1', 'location': '/t', "         \
    "'last-sequence-number': 0, 'last-updated-ms': 1, 'last-column-id': 2, 'current-schema-id': 0, "         \
    "'schemas': [{'type': 'struct', 'schema-id': 0, 'fields': [{'id': 1, 'name': 'd', 'required': false, "   \
    "'type': 'date'}, {'id': 2, 'name': 's', 'required': false, 'type': 'string'}]}], "                      \
    "'default-spec-id': 2, 'last-partition-id': 1001, 'partition-specs': ["                                  \
    "{'spec-id': 2, 'fields': [{'source-id': 1, 'field-id': 1000, 'name': 'old', 'transform': 'void'}, "     \
    "{'source-id': 2, 'field-id': 1001, 'name': 's_bucket', 'transform': 'void'}]}, "                        \
    "{'spec-id': 0, 'fields': [{'source-id': 1, 'field-id': 1000, 'name': 'm', 'transform': 'month'}]}, "    \
    "{'spec-id': 1, 'fields': [{'source-id': 2, 'field-id': 1001, 'name': 's_bucket', "                      \
    "'transform': 'bucket[4]'}, "                                                                            \
    "{'source-id': 1, 'field-id': 1000, 'name': 'd_month', 'transform': 'month'}]}], "                       \
    "'default-sort-order-id': 0, 'sort-orders': [{'order-id': 0, 'fields': []}], 'properties': {}, "         \
    "'current-snapshot-id': -1, 'snapshots': []}"

START_TEST(partition_is_the_union_of_all_specs_by_field_id) {
    rwl_metadata *m = test_metadata(SPECS);
    ck_assert_str_eq(list(m, m->schema),
                     "d:1 s:2 " METADATA " _partition! _partition.old#1000 _partition.s_bucket#1001");
    rwl_field *fields;
    int32_t count;
    ASSERT_OK(rwl_filter_fields(m, m->schema, test_arena(), &fields, NULL, &count, err));
    const rwl_type *type = &fields[7].type;
    ck_assert_int_eq(type->child_count, 2);
    ck_assert_int_eq(type->children[0].id, 1000);
    /* both are int: months and bucket numbers, not the date and the string that a void transform has */
    ck_assert_int_eq((int)type->children[0].type.kind, RWL_TYPE_INT);
    ck_assert_int_eq((int)type->children[1].type.kind, RWL_TYPE_INT);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(a_file_has_its_specs_partition_values_and_null_for_others) {
    rwl_metadata *m = test_metadata(SPECS);
    rwl_value partition[2] = {{.kind = RWL_TYPE_INT, .as.i32 = 3}, {.kind = RWL_TYPE_INT, .as.i32 = 600}};
    rwl_type type = rwl_type_of(RWL_TYPE_INT), wide = rwl_type_of(RWL_TYPE_LONG),
             text = rwl_type_of(RWL_TYPE_STRING);
    rwl_value v;
    ck_assert(rwl_filter_partition_value(m, 1, partition, 2, 1000, &type, &v) && v.as.i32 == 600);
    ck_assert(rwl_filter_partition_value(m, 1, partition, 2, 1001, &wide, &v) && v.as.i64 == 3);
    ck_assert(rwl_filter_partition_value(m, 0, partition, 1, 1001, &type, &v) && v.is_null);
    ck_assert(rwl_filter_partition_value(m, 7, partition, 2, 1000, &type, &v) && v.is_null);
    ck_assert(!rwl_filter_partition_value(m, 1, partition, 2, 1000, &text, &v));
    rwl_metadata_free(m);
}
END_TEST

Suite *suite_filter_fields(void) {
    Suite *s = suite_create("filter_fields");
    TCase *tc = tcase_create("filter_fields");
    tcase_add_test(tc, fields_of_structs_have_dotted_names);
    tcase_add_test(tc, bug_181_columns_of_the_schema_hide_metadata_columns);
    tcase_add_test(tc, partition_is_the_union_of_all_specs_by_field_id);
    tcase_add_test(tc, a_file_has_its_specs_partition_values_and_null_for_others);
    suite_add_tcase(s, tc);
    return s;
}
