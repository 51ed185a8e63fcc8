/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table metadata and what hangs on it. Input that begins with 's', 'p' or 'o' is a schema, partition or sort
 * text, a list ('[') is a name mapping; all other input is a metadata document. What is read must be written back as it was read, and an
 * upgrade of it must be readable.
 */
#include "fuzz.h"
#include "iceberg/metadata.h"
#include "iceberg/name_mapping.h"

enum { MEMORY_MAX = 32 << 20 };

static rwl_env env;

static void check_schema(const rwl_schema *schema, rwl_arena *arena) {
    rwl_json *json;
    rwl_schema again;
    if (rwl_schema_to_json(schema, &json, NULL) != RWL_OK)
        return;
    if (rwl_schema_from_json(json, 3, arena, &again, NULL) == RWL_OK) {
        FUZZ_CHECK(again.by_id_count == schema->by_id_count);
        FUZZ_CHECK(rwl_schema_max_id(&again) == rwl_schema_max_id(schema));
    }
    rwl_json_free(json);
    for (int32_t i = 0; i < schema->by_id_count; i++)
        FUZZ_CHECK(rwl_schema_by_id(schema, schema->by_id[i]->id) == schema->by_id[i]);
}

static void check_partitions(const rwl_metadata *m, rwl_arena *arena) {
    for (int32_t i = 0; i < m->spec_count; i++) {
        const rwl_partition_spec *spec = &m->specs[i];
        rwl_type *types = rwl_arena_array(arena, (size_t)spec->field_count, sizeof *types);
        rwl_value *values = rwl_arena_array(arena, (size_t)spec->field_count, sizeof *values);
        if (!types || !values || rwl_partition_types(spec, m->schema, types, NULL) != RWL_OK)
            continue;
        for (int32_t k = 0; k < spec->field_count; k++)
            values[k] = rwl_value_null(types[k].kind);
        rwl_buf path;
        rwl_buf_init(&path, &env, MEMORY_MAX);
        (void)!rwl_partition_path(spec, types, values, &path, NULL);
        rwl_buf_clear(&path);
    }
}

static void check_same(const rwl_metadata *m) {
    rwl_buf first, second;
    rwl_buf_init(&first, &env, MEMORY_MAX);
    rwl_buf_init(&second, &env, MEMORY_MAX);
    if (rwl_metadata_dump(m, &first, NULL) == RWL_OK) {
        rwl_metadata *again = NULL;
        FUZZ_CHECK(rwl_metadata_parse(&env, rwl_buf_span(&first), NULL, &again, NULL) == RWL_OK);
        FUZZ_CHECK(rwl_metadata_dump(again, &second, NULL) == RWL_OK);
        FUZZ_CHECK(rwl_span_equal(rwl_buf_span(&first), rwl_buf_span(&second)));
        rwl_metadata_free(again);
    }
    rwl_buf_clear(&first);
    rwl_buf_clear(&second);
}

static void check_edits(const rwl_metadata *m) {
    rwl_metadata *next = NULL;
    rwl_error error = {0};
    rwl_status st = rwl_metadata_upgrade(m, 3, 1, &next, &error);
    FUZZ_CHECK(st == RWL_OK || st == RWL_UNSUPPORTED || st == RWL_CORRUPT);
    if (!next)
        return;
    rwl_json *summary = rwl_json_new_object();
    rwl_snapshot_new s = {
        7,      next->current_snapshot_id, next->last_sequence_number + 1, 1, "/l", 0, next->next_row_id, 1,
        summary};
    rwl_metadata *last = NULL;
    if (next->last_sequence_number < INT64_MAX && summary &&
        rwl_json_set(summary, "operation", rwl_json_new_str("append"), NULL) == RWL_OK) {
        if (rwl_metadata_add_snapshot(next, &s, "main", &last, &error) == RWL_OK) {
            FUZZ_CHECK(last->current_snapshot_id == 7 && last->next_row_id == next->next_row_id + 1);
            FUZZ_CHECK(last->last_updated_ms >= m->last_updated_ms);
        }
    } else {
        rwl_json_free(summary);
    }
    rwl_metadata_free(last);
    rwl_metadata_free(next);
}

static void check_metadata(rwl_span text, rwl_arena *arena) {
    rwl_metadata *m;
    rwl_error error = {0};
    rwl_status st = rwl_metadata_parse(&env, text, "/v1.metadata.json", &m, &error);
    FUZZ_CHECK(st == RWL_OK || error.message[0] != '\0');
    if (st != RWL_OK)
        return;
    for (int32_t i = 0; i < m->schema_count; i++)
        check_schema(&m->schemas[i], arena);
    for (int32_t i = 0; i < m->snapshot_count; i++) {
        FUZZ_CHECK(rwl_metadata_snapshot(m, m->snapshots[i].snapshot_id) == &m->snapshots[i]);
        (void)rwl_metadata_is_ancestor(m, 0, m->snapshots[i].snapshot_id);
    }
    check_partitions(m, arena);
    check_same(m);
    check_edits(m);
    rwl_metadata_free(m);
}

static void check_mapping(rwl_span text, rwl_arena *arena) {
    rwl_name_mapping mapping;
    rwl_schema schema;
    const rwl_field *fields;
    int32_t found;
    if (rwl_name_mapping_parse(text, arena, &mapping, NULL) != RWL_OK)
        return;
    FUZZ_CHECK(rwl_schema_from_text("a int, b struct<x int>, l list<struct<y int>>, m map<string, int>",
                                    arena, &schema, NULL) == RWL_OK);
    if (rwl_name_mapping_apply(&mapping, schema.fields, schema.field_count, arena, &fields, &found, NULL) !=
        RWL_OK)
        return;
    FUZZ_CHECK(found <= schema.field_count);
    for (int32_t i = 0; i < schema.field_count; i++)
        FUZZ_CHECK(fields[i].id >= -1 && fields[i].type.child_count == schema.fields[i].type.child_count);
}

static void check_text(char kind, const char *text, rwl_arena *arena) {
    rwl_schema schema;
    rwl_partition_spec spec;
    rwl_sort_order order;
    if (kind == 's') {
        if (rwl_schema_from_text(text, arena, &schema, NULL) == RWL_OK)
            check_schema(&schema, arena);
        return;
    }
    rwl_status st = rwl_schema_from_text("id long, ts timestamp, s string, n struct<x int>, \"q r\" date",
                                         arena, &schema, NULL);
    FUZZ_CHECK(st == RWL_OK);
    if (kind == 'p' && rwl_partition_spec_from_text(text, &schema, arena, &spec, NULL) == RWL_OK)
        FUZZ_CHECK(spec.field_count == 0 ||
                   spec.fields[spec.field_count - 1].field_id == 999 + spec.field_count);
    if (kind == 'o' && rwl_sort_order_from_text(text, &schema, arena, &order, NULL) == RWL_OK)
        FUZZ_CHECK(rwl_sort_order_equal(&order, &order));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    rwl_env_init_default(&env);
    fuzz_fix_random(&env);
    rwl_arena arena;
    rwl_arena_init(&arena, &env, MEMORY_MAX);
    char kind = len > 0 ? (char)data[0] : '\0';
    if (kind == 's' || kind == 'p' || kind == 'o') {
        const char *text = rwl_arena_strndup(&arena, (const char *)data + 1, len - 1);
        if (text)
            check_text(kind, text, &arena);
    } else if (kind == '[') {
        check_mapping(rwl_span_of(data, len), &arena);
    } else {
        check_metadata(rwl_span_of(data, len), &arena);
    }
    rwl_arena_clear(&arena);
    return 0;
}
