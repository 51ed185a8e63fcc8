/* SPDX-License-Identifier: Apache-2.0 */
/* Fragments are packed in plan order until a task has its bytes; a file larger than that is cut by rows. */
#include "engine/task.h"

#include "table/fragment_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { FRAGMENTS_MAX = 1 << 20 };
#define TARGET_BYTES (INT64_C(128) << 20)
#define OPEN_FILE_BYTES                                                                                      \
    (INT64_C(4) << 20) /* what opening a file weighs at least (read.split.open-file-cost) */

struct rwl_tasks {
    const rwl_table *table;
    rwl_op *op;
    rwl_arena arena;
    rwl_tasks_options options;
    rwl_row_filter filter; /* checked once, so that no task is sent that can't be read */
    rwl_driver driver;
    rwl_planner *plan;
    const rwl_fragment *next; /* not yet given, NULL: ask the plan; valid until it is asked */
    int64_t next_row;         /* of it: the first row not given */
    bool at_end;
    rwl_buf text;
};

/* --- opening --- */

static rwl_status copy_text(rwl_arena *arena, const char **text, rwl_error *err) {
    if (*text == NULL)
        return RWL_OK;
    const char *copy = rwl_arena_strdup(arena, *text);
    size_t len = strlen(*text);
    *text = copy;
    return copy != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, len + 1);
}

static rwl_status open_tasks(rwl_tasks *t, rwl_error *err) {
    rwl_row_filter_options rows = {
        .select = t->options.select, .where = t->options.where, .lineage = t->options.lineage};
    RWL_TRY(rwl_table_check_iceberg(t->table, "planning tasks of", err));
    RWL_TRY(copy_text(&t->arena, &t->options.select, err));
    RWL_TRY(copy_text(&t->arena, &t->options.where, err));
    if (t->options.target_bytes == 0)
        RWL_TRY(rwl_metadata_property_i64(t->table->metadata, "read.split.target-size", TARGET_BYTES,
                                          &t->options.target_bytes, err));
    if (t->options.target_bytes <= 0)
        return rwl_fail(err, RWL_USAGE, "a task of %" PRId64 " bytes", t->options.target_bytes);
    t->driver = rwl_table_driver(t->table);
    RWL_TRY(rwl_row_filter_init(&t->filter, t->op->env, &t->driver, t->table->schema, &rows, err));
    return rwl_table_plan(t->table, &t->driver, t->op, t->filter.plan_filter, &t->plan, err);
}

rwl_status rwl_tasks_open(const rwl_table *table, rwl_op *op, const rwl_tasks_options *options,
                          rwl_tasks **out, rwl_error *err) {
    rwl_tasks *t = rwl_calloc(op->env, 1, sizeof *t);
    *out = NULL;
    if (t == NULL)
        return rwl_no_memory(err, sizeof *t);
    t->table = table;
    t->op = op;
    t->options = *options;
    rwl_arena_init(&t->arena, op->env, 0);
    rwl_arena_init(&t->filter.arena, op->env, 0);
    rwl_buf_init(&t->text, op->env, SIZE_MAX);
    rwl_status st = open_tasks(t, err);
    if (st != RWL_OK) {
        rwl_tasks_close(t);
        return st;
    }
    *out = t;
    return RWL_OK;
}

void rwl_tasks_close(rwl_tasks *t) {
    if (t == NULL)
        return;
    if (t->plan != NULL)
        t->driver.vtable->plan_close(t->plan);
    rwl_row_filter_clear(&t->filter);
    rwl_buf_clear(&t->text);
    rwl_arena_clear(&t->arena);
    rwl_free(t->op->env, t);
}

/* --- packing --- */

static int64_t weight_of(const rwl_fragment *f) {
    return f->file_size > OPEN_FILE_BYTES ? f->file_size : OPEN_FILE_BYTES;
}

/* Into how many tasks of one size a file is cut. Only Parquet can be entered in the middle without reading what is before. */
static int64_t count_parts(const rwl_tasks *t, const rwl_fragment *f) {
    int64_t target = t->options.target_bytes, parts = (f->file_size - 1) / target + 1;
    if (f->file_size <= 0 || strcasecmp(f->format, "parquet") != 0)
        return 1;
    return parts < f->row_count ? parts : f->row_count > 0 ? f->row_count : 1;
}

static rwl_status look_ahead(rwl_tasks *t, rwl_error *err) {
    if (t->next != NULL || t->at_end)
        return RWL_OK;
    t->next_row = 0;
    RWL_TRY(t->driver.vtable->plan_next(t->plan, &t->next, err));
    t->at_end = t->next == NULL;
    return RWL_OK;
}

static rwl_status add_fragment(rwl_json *list, const rwl_fragment *f, rwl_error *err) {
    rwl_json *json = NULL;
    RWL_TRY(rwl_fragment_to_json(f, &json, err));
    return rwl_json_append(list, json, err);
}

/* The next part of a file that is cut: rows that differ by one at most from part to part. */
static rwl_status add_part(rwl_tasks *t, int64_t parts, rwl_json *task, rwl_json *list, rwl_error *err) {
    const rwl_fragment *f = t->next;
    int64_t least = f->row_count / parts, more = f->row_count % parts;
    int64_t rows = t->next_row < more * (least + 1) ? least + 1 : least;
    rwl_json *range = rwl_json_new_array();
    RWL_TRY(rwl_json_set(task, "rows", range, err));
    RWL_TRY(rwl_json_append(range, rwl_json_new_i64(t->next_row), err));
    RWL_TRY(rwl_json_append(range, rwl_json_new_i64(rows), err));
    RWL_TRY(add_fragment(list, f, err));
    t->next_row += rows;
    if (t->next_row >= f->row_count)
        t->next = NULL;
    return RWL_OK;
}

/* Whole files until the next one would pass the target; or a part of one that passes it alone. */
static rwl_status fill_task(rwl_tasks *t, rwl_json *task, rwl_json *list, rwl_error *err) {
    for (int64_t bytes = 0; !t->at_end && rwl_json_len(list) < FRAGMENTS_MAX;) {
        RWL_TRY(look_ahead(t, err));
        if (t->next == NULL)
            break;
        int64_t parts = count_parts(t, t->next);
        if (bytes > 0 && (parts > 1 || weight_of(t->next) > t->options.target_bytes - bytes))
            break;
        if (parts > 1)
            return add_part(t, parts, task, list, err);
        bytes += weight_of(t->next);
        RWL_TRY(add_fragment(list, t->next, err));
        t->next = NULL;
    }
    return RWL_OK;
}

static rwl_status set_text(rwl_json *json, const char *key, const char *text, rwl_error *err) {
    return text != NULL ? rwl_json_set(json, key, rwl_json_new_str(text), err) : (rwl_status)RWL_OK;
}

static rwl_status set_state(const rwl_tasks *t, rwl_json *json, rwl_error *err) {
    const rwl_metadata *m = t->table->metadata;
    char id[24];
    snprintf(id, sizeof id, "%" PRId64, t->table->snapshot->snapshot_id);
    RWL_TRY(set_text(json, "table_uuid", m->table_uuid, err));
    RWL_TRY(set_text(json, "metadata_location", m->metadata_location, err));
    RWL_TRY(set_text(json, "snapshot_id", id, err));
    RWL_TRY(rwl_json_set(json, "schema", rwl_json_new_i64(t->table->schema->schema_id), err));
    RWL_TRY(set_text(json, "select", t->options.select, err));
    RWL_TRY(set_text(json, "where", t->options.where, err));
    return rwl_json_set(json, "lineage", rwl_json_new_bool(t->options.lineage), err);
}

static rwl_status make_task(rwl_tasks *t, rwl_json *json, rwl_error *err) {
    rwl_json *list = rwl_json_new_array();
    RWL_TRY(set_state(t, json, err));
    rwl_json_ref(list);
    rwl_status st = rwl_json_set(json, "fragments", list, err);
    if (st == RWL_OK)
        st = fill_task(t, json, list, err);
    rwl_json_free(list);
    return st;
}

rwl_status rwl_tasks_next(rwl_tasks *t, rwl_span *text, rwl_error *err) {
    *text = rwl_span_of(NULL, 0);
    RWL_TRY(rwl_op_check(t->op, err));
    RWL_TRY(look_ahead(t, err));
    if (t->at_end)
        return RWL_OK;
    rwl_json *json = rwl_json_new_object();
    rwl_buf_reset(&t->text);
    rwl_status st = json != NULL ? make_task(t, json, err) : rwl_no_memory(err, sizeof *t);
    if (st == RWL_OK)
        st = rwl_json_dump(json, 0, &t->text, err);
    rwl_json_free(json);
    RWL_TRY(st);
    RWL_TRY(rwl_buf_terminate(&t->text, err));
    *text = rwl_buf_span(&t->text);
    return RWL_OK;
}

/* --- reading a task back --- */

static rwl_status read_rows(const rwl_json *json, rwl_task *out, rwl_error *err) {
    rwl_json *range;
    RWL_TRY(rwl_json_opt_array(json, "rows", &range, err));
    if (range == NULL)
        return RWL_OK;
    out->rows = (rwl_range){rwl_json_i64(rwl_json_at(range, 0)), rwl_json_i64(rwl_json_at(range, 1))};
    int64_t rows = out->fragment_count == 1 ? out->fragments[0].row_count : 0;
    if (rwl_json_len(range) != 2 || out->rows.start < 0 || out->rows.count <= 0 || out->rows.start > rows ||
        out->rows.count > rows - out->rows.start)
        return rwl_fail(err, RWL_CORRUPT, "\"rows\" are no rows of one fragment");
    return RWL_OK;
}

static rwl_status read_fragments(const rwl_json *json, rwl_task *out, rwl_error *err) {
    rwl_json *list;
    RWL_TRY(rwl_json_need_array(json, "fragments", &list, err));
    out->fragment_count = rwl_json_len(list);
    if (out->fragment_count == 0 || out->fragment_count > FRAGMENTS_MAX)
        return rwl_fail(err, RWL_CORRUPT, "\"fragments\" are %zu", out->fragment_count);
    out->fragments = rwl_arena_array(&out->arena, out->fragment_count, sizeof *out->fragments);
    if (out->fragments == NULL)
        return rwl_no_memory(err, out->fragment_count * sizeof *out->fragments);
    for (size_t i = 0; i < out->fragment_count; i++)
        RWL_TRY(rwl_fragment_from_json(rwl_json_at(list, i), &out->arena, &out->fragments[i], err));
    return RWL_OK;
}

static rwl_status read_state(const rwl_json *json, rwl_task *out, rwl_error *err) {
    const char *id;
    char *end;
    RWL_TRY(rwl_json_opt_str(json, "table_uuid", &out->table_uuid, err));
    RWL_TRY(rwl_json_need_str(json, "metadata_location", &out->metadata_location, err));
    RWL_TRY(rwl_json_need_str(json, "snapshot_id", &id, err));
    RWL_TRY(rwl_json_need_i32(json, "schema", &out->schema_id, err));
    RWL_TRY(rwl_json_opt_str(json, "select", &out->select, err));
    RWL_TRY(rwl_json_opt_str(json, "where", &out->where, err));
    const rwl_json *lineage = rwl_json_get(json, "lineage");
    out->lineage = lineage != NULL && rwl_json_bool(lineage);
    out->snapshot_id = strtoll(id, &end, 10);
    if (*id == '\0' || *end != '\0')
        return rwl_fail(err, RWL_CORRUPT, "\"snapshot_id\" is no number");
    const char **const texts[] = {&out->table_uuid, &out->metadata_location, &out->select, &out->where};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        RWL_TRY(copy_text(&out->arena, texts[i], err)); /* the document goes */
    return RWL_OK;
}

rwl_status rwl_task_parse(const rwl_env *env, rwl_span text, rwl_task *out, rwl_error *err) {
    rwl_json *json = NULL;
    memset(out, 0, sizeof *out);
    rwl_arena_init(&out->arena, env, 0);
    rwl_status st = rwl_json_parse(text, &json, err);
    if (st == RWL_OK)
        st = read_state(json, out, err);
    if (st == RWL_OK)
        st = read_fragments(json, out, err);
    if (st == RWL_OK)
        st = read_rows(json, out, err);
    rwl_json_free(json);
    if (st == RWL_OK)
        return RWL_OK;
    rwl_task_clear(out);
    return rwl_error_in(err, st, "scan task");
}

void rwl_task_clear(rwl_task *task) {
    rwl_arena_clear(&task->arena);
    memset(task, 0, sizeof *task);
}

static bool is_of_table(const rwl_task *task, const rwl_metadata *m) {
    if (task->table_uuid != NULL && m->table_uuid != NULL)
        return strcasecmp(task->table_uuid, m->table_uuid) == 0;
    return m->metadata_location != NULL && strcmp(task->metadata_location, m->metadata_location) == 0;
}

rwl_status rwl_task_scan(const rwl_table *table, rwl_op *op, const rwl_task *task, rwl_table *at,
                         rwl_scan **out, rwl_error *err) {
    RWL_TRY(rwl_table_check_iceberg(table, "reading tasks of", err));
    if (!is_of_table(task, table->metadata))
        return rwl_fail(err, RWL_USAGE, "the scan task is of another table, that of %s",
                        task->metadata_location);
    *at = *table;
    at->snapshot = rwl_metadata_snapshot(table->metadata, task->snapshot_id);
    at->schema = rwl_metadata_schema(table->metadata, task->schema_id);
    at->branch = NULL;
    if (at->snapshot == NULL || at->schema == NULL)
        return rwl_fail(err, RWL_NOT_FOUND,
                        "the table has no snapshot %" PRId64 " with schema %d, which a scan task names",
                        task->snapshot_id, task->schema_id);
    rwl_scan_options options = {
        .rows = {.select = task->select, .where = task->where, .lineage = task->lineage},
        .fragments = task->fragments,
        .fragment_count = task->fragment_count,
        .limit = -1,
        .range = task->rows};
    return rwl_scan_open(at, op, &options, out, err);
}
