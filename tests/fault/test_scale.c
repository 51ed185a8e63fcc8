/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metadata made to hurt: parents in circles, ten thousand columns, a thousand specs, types as deep as they may be, a list of a
 * hundred thousand manifests. Reading the table and adding to it end soon, with its rows, and hold little.
 */
#include "counted.h"
#include "engine/digest.h"
#include "engine/state.h"
#include "fault.h"
#include "iceberg/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROWS = 6, SECONDS_MAX = 30 };

typedef struct table {
    world w;
    char folder[160], metadata[200];
    rwl_env env;
    rwl_op op;
    rwl_error error;
} table;

static table t;

#define MUST(call)                                                                                           \
    do {                                                                                                     \
        rwl_status st_ = (call);                                                                             \
        ck_assert_msg(st_ == RWL_OK, "%s: status %d, %s", #call, (int)st_, t.error.message);                 \
    } while (0)

/* A table of six rows; its metadata to be edited. */
static rwl_json *begin(void) {
    memset(&t, 0, sizeof t);
    ck_assert(world_open(&t.w, 3));
    snprintf(t.folder, sizeof t.folder, "%s/t", t.w.folder);
    snprintf(t.metadata, sizeof t.metadata, "%s/metadata/v2.metadata.json", t.folder);
    MUST(make_change(&t.w, t.folder, '3', NULL, NULL, &t.error));
    MUST(make_change(&t.w, t.folder, 'a', NULL, NULL, &t.error));
    counted_env_init(&t.env);
    rwl_op_init(&t.op, &t.env, 0);
    rwl_store *store = NULL;
    rwl_buf text;
    rwl_json *json = NULL;
    rwl_buf_init(&text, &t.env, SIZE_MAX);
    MUST(rwl_store_local_new(&t.env, NULL, 0, &store, &t.error));
    MUST(rwl_store_read_all(store, &t.op, t.metadata, &text, &t.error));
    MUST(rwl_json_parse(rwl_buf_span(&text), &json, &t.error));
    rwl_buf_clear(&text);
    rwl_store_free(store);
    return json;
}

static void write_metadata(rwl_json *json) {
    rwl_buf text;
    rwl_buf_init(&text, &t.env, SIZE_MAX);
    MUST(rwl_json_dump(json, 0, &text, &t.error));
    rwl_json_free(json);
    FILE *f = fopen(t.metadata, "wb");
    ck_assert_msg(f != NULL && fwrite(text.data, 1, text.len, f) == text.len && fclose(f) == 0, "%s",
                  t.metadata);
    rwl_buf_clear(&text);
}

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Every row is read, holding at most `most` bytes; then `appends` more are made and read. */
static void check_rows(int64_t most, int appends) {
    double started = cpu_seconds();
    for (int step = 0; step <= appends; step++) {
        rwl_table *opened = NULL;
        rwl_table_options options = {0};
        rwl_digest d = {0};
        counted_peak = counted_live;
        int64_t before = counted_live;
        MUST(rwl_table_open(&t.op, t.folder, &options, &opened, &t.error));
        MUST(rwl_table_digest(opened, &t.op, NULL, &d, &t.error));
        rwl_table_free(opened);
        ck_assert_int_eq(d.rows, ROWS * (step + 1));
        ck_assert_int_eq(d.rows_without_lineage, 0);
        ck_assert_msg(counted_peak - before <= most, "%" PRId64 " bytes held", counted_peak - before);
        ck_assert_int_eq(counted_live, before);
        if (step < appends)
            MUST(make_change(&t.w, t.folder, 'a', NULL, NULL, &t.error));
    }
    double seconds = cpu_seconds() - started;
    ck_assert_msg(seconds < SECONDS_MAX, "takes %.1f s", seconds);
    world_close(&t.w, false);
}

static rwl_json *with_i64(rwl_json *object, const char *key, int64_t value) {
    MUST(rwl_json_set(object, key, rwl_json_new_i64(value), &t.error));
    return object;
}

/* --- parents --- */

enum { SNAPSHOTS = 1000 };

/* The parent of snapshot `id`: itself, its neighbour, the one before with the first behind the last. */
static int64_t parent_of(int form, int64_t id) {
    if (form == 0)
        return id;
    if (form == 1)
        return ((id - 1) ^ 1) + 1;
    return id == 1 ? SNAPSHOTS : id - 1;
}

START_TEST(parents_that_go_in_a_circle_end) {
    rwl_json *json = begin(), *list = rwl_json_get(json, "snapshots"), *first = rwl_json_at(list, 0);
    rwl_json *snapshots = rwl_json_new_array();
    int64_t time = rwl_json_i64(rwl_json_get(first, "timestamp-ms"));
    for (int64_t id = 1; id <= SNAPSHOTS; id++) {
        rwl_json *s = with_i64(rwl_json_copy(first), "snapshot-id", id);
        with_i64(s, "parent-snapshot-id", parent_of(_i, id));
        with_i64(s, "timestamp-ms", time - SNAPSHOTS + id);
        MUST(rwl_json_append(snapshots, s, &t.error));
    }
    MUST(rwl_json_set(json, "snapshots", snapshots, &t.error));
    with_i64(json, "current-snapshot-id", SNAPSHOTS);
    with_i64(rwl_json_get(rwl_json_get(json, "refs"), "main"), "snapshot-id", SNAPSHOTS);
    rwl_json_remove(json, "snapshot-log");
    write_metadata(json);
    rwl_table *opened = NULL;
    rwl_table_options options = {.as_of = "2001-01-01T00:00:00Z"}; /* before all: the walk goes to its end */
    ck_assert_int_eq(rwl_table_open(&t.op, t.folder, &options, &opened, &t.error), RWL_NOT_FOUND);
    check_rows(16 << 20, 1);
}
END_TEST

/* --- wide and deep --- */

static rwl_json *new_field(int32_t id, const char *name, rwl_json *type) {
    rwl_json *f = with_i64(rwl_json_new_object(), "id", id);
    MUST(rwl_json_set(f, "name", rwl_json_new_str(name), &t.error));
    MUST(rwl_json_set(f, "required", rwl_json_new_bool(false), &t.error));
    MUST(rwl_json_set(f, "type", type, &t.error));
    return f;
}

/* A field of `depth` structs around a long; ids count on from *id. */
static rwl_json *deep_field(int32_t *id, const char *name, int depth) {
    rwl_json *f = new_field(++*id, name, rwl_json_new_str("long"));
    for (int i = 0; i < depth; i++) {
        rwl_json *type = rwl_json_new_object(), *fields = rwl_json_new_array();
        MUST(rwl_json_append(fields, f, &t.error));
        MUST(rwl_json_set(type, "type", rwl_json_new_str("struct"), &t.error));
        MUST(rwl_json_set(type, "fields", fields, &t.error));
        f = new_field(++*id, name, type);
    }
    return f;
}

static void add_columns(rwl_json *json, int count, int depth) {
    rwl_json *fields = rwl_json_get(rwl_json_at(rwl_json_get(json, "schemas"), 0), "fields");
    int32_t id = 3; /* k, s, d */
    for (int i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", i);
        MUST(rwl_json_append(fields, deep_field(&id, name, depth), &t.error));
    }
    with_i64(json, "last-column-id", id);
}

START_TEST(ten_thousand_columns_flat_and_nested) {
    static const struct { int count, depth; } shapes[] = {{10000, 0}, {2500, 3}, {20, 60}};
    rwl_json *json = begin();
    add_columns(json, shapes[_i].count, shapes[_i].depth);
    write_metadata(json);
    check_rows(64 << 20, 0);
}
END_TEST

START_TEST(a_thousand_specs) {
    enum { SPECS = 1000 };
    rwl_json *json = begin(), *specs = rwl_json_get(json, "partition-specs");
    for (int32_t i = 1; i <= SPECS; i++) {
        rwl_json *spec = with_i64(rwl_json_new_object(), "spec-id", i), *fields = rwl_json_new_array();
        rwl_json *field = with_i64(rwl_json_new_object(), "source-id", 1);
        char text[32];
        with_i64(field, "field-id", 1000 + i);
        snprintf(text, sizeof text, "p%d", i);
        MUST(rwl_json_set(field, "name", rwl_json_new_str(text), &t.error));
        snprintf(text, sizeof text, "bucket[%d]", i + 1);
        MUST(rwl_json_set(field, "transform", rwl_json_new_str(text), &t.error));
        MUST(rwl_json_append(fields, field, &t.error));
        MUST(rwl_json_set(spec, "fields", fields, &t.error));
        MUST(rwl_json_append(specs, spec, &t.error));
    }
    with_i64(json, "default-spec-id", SPECS);
    with_i64(json, "last-partition-id", 1000 + SPECS);
    write_metadata(json);
    check_rows(16 << 20, 1);
}
END_TEST

/* --- many manifests --- */

/* Lines of manifests without live files: a list is long, what it leads to is not. */
START_TEST(a_hundred_thousand_manifests_in_a_list) {
    enum { LINES = 100000 };
    rwl_json *json = begin();
    rwl_table *opened = NULL;
    rwl_table_options options = {0};
    rwl_manifest_list list = {0};
    MUST(rwl_table_open(&t.op, t.folder, &options, &opened, &t.error));
    const rwl_snapshot *s = opened->snapshot;
    MUST(rwl_manifest_list_read(opened->store, &t.op, s, &list, &t.error));
    rwl_manifest *lines = rwl_alloc(&t.env, LINES * sizeof *lines);
    ck_assert(lines != NULL && list.count == 1);
    for (int i = 0; i < LINES; i++) {
        lines[i] = list.items[0];
        if (i == LINES / 2)
            continue;
        lines[i].added_files = lines[i].existing_files = 0;
        lines[i].added_rows = lines[i].existing_rows = 0;
    }
    char path[300];
    snprintf(path, sizeof path, "%s/metadata/long.avro", t.folder);
    const rwl_manifest_list_options to = {3, s->snapshot_id, -1, s->sequence_number, 0};
    MUST(rwl_manifest_list_write(opened->store, &t.op, path, lines, LINES, &to, &t.error));
    MUST(rwl_json_set(rwl_json_at(rwl_json_get(json, "snapshots"), 0), "manifest-list",
                      rwl_json_new_str(path), &t.error));
    rwl_free(&t.env, lines);
    rwl_manifest_list_clear(&list);
    rwl_table_free(opened);
    write_metadata(json);
    check_rows(128 << 20, 1);
}
END_TEST

Suite *scale_suite(void) {
    Suite *suite = suite_create("scale");
    TCase *tc = tcase_create("scale");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, parents_that_go_in_a_circle_end, 0, 3);
    tcase_add_loop_test(tc, ten_thousand_columns_flat_and_nested, 0, 3);
    tcase_add_test(tc, a_thousand_specs);
    tcase_add_test(tc, a_hundred_thousand_manifests_in_a_list);
    suite_add_tcase(suite, tc);
    return suite;
}
