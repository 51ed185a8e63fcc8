/* SPDX-License-Identifier: Apache-2.0 */
/* append, delete, upgrade, create: from the caller's structs to the engine and back. */
#include "api/api_internal.h"

#include "engine/append.h"
#include "engine/create.h"
#include "engine/delete.h"
#include "engine/upgrade.h"

#include <stdio.h>

rwl_status rwl_api_change(const rowline_change_options *given, rwl_arena *arena, rwl_change_options *out,
                          rwl_error *err) {
    rowline_change_options o;
    RWL_TRY(rwl_api_options(&o, sizeof o, given, err));
    const char **keys = rwl_arena_array(arena, o.snapshot_property_count, sizeof *keys);
    const char **values = rwl_arena_array(arena, o.snapshot_property_count, sizeof *values);
    if (keys == NULL || values == NULL)
        return rwl_no_memory(err, o.snapshot_property_count * sizeof *keys);
    for (size_t i = 0; i < o.snapshot_property_count; i++) {
        keys[i] = o.snapshot_properties[i].key;
        values[i] = o.snapshot_properties[i].value;
        if (keys[i] == NULL || values[i] == NULL || *keys[i] == '\0')
            return rwl_fail(err, RWL_USAGE, "a snapshot property needs a key and a value");
    }
    *out = (rwl_change_options){keys, values, o.snapshot_property_count, o.dry_run != 0};
    return RWL_OK;
}

rwl_status rwl_api_check_change(const rowline_table *table, rwl_error *err) {
    return rwl_table_check_change(table->table, err);
}

/* Appends one conflict as a JSON object. */
static rwl_status put_conflict(const rwl_conflict *c, rwl_buf *out) {
    RWL_TRY(rwl_buf_printf(out, NULL, "{\"snapshot_id\": \"%lld\", \"engine\": ", (long long)c->snapshot_id));
    RWL_TRY(rwl_json_quote(rwl_span_str(c->engine), out, NULL));
    RWL_TRY(rwl_buf_str(out, ", \"files\": [", NULL));
    if (c->file[0] != '\0')
        RWL_TRY(rwl_json_quote(rwl_span_str(c->file), out, NULL));
    RWL_TRY(rwl_buf_str(out, "], \"groups\": [", NULL));
    for (int64_t g = c->first_group; g > 0 && g <= c->last_group; g++)
        RWL_TRY(rwl_buf_printf(out, NULL, g > c->first_group ? ", %lld" : "%lld", (long long)g));
    return rwl_buf_str(out, "]}", NULL);
}

/* The conflicts as a JSON array in the caller's fixed space; those that do not fit are left out whole. */
static void format_conflicts(const rwl_env *env, const rwl_commit_outcome *outcome, char *out, size_t size) {
    rwl_buf text;
    rwl_buf_init(&text, env, size - 2); /* the closing bracket and the NUL */
    size_t whole = 0;
    rwl_status st = rwl_buf_str(&text, "[", NULL);
    for (int32_t i = 0; st == RWL_OK && i <= outcome->conflict_count; i++) {
        whole = text.len;
        if (i == outcome->conflict_count)
            break;
        st = rwl_buf_str(&text, i > 0 ? ", " : "", NULL);
        if (st == RWL_OK)
            st = put_conflict(&outcome->conflicts[i], &text);
    }
    if (whole > 0)
        memcpy(out, text.data, whole);
    else
        out[whole++] = '[';
    memcpy(out + whole, "]", 2);
    rwl_buf_clear(&text);
}

void rwl_api_commit(const rowline_context *context, rowline_commit *given, const rwl_commit_outcome *outcome,
                    const char *operation, bool dry_run, int64_t wall_ms) {
    const rwl_change_result *r = &outcome->result;
    rowline_commit c;
    memset(&c, 0, sizeof c);
    c.snapshot_id = r->snapshot_id;
    c.parent_snapshot_id = r->parent_snapshot_id;
    c.sequence_number = r->sequence_number;
    c.operation = operation;
    c.added_data_files = r->added_data_files;
    c.removed_data_files = r->removed_data_files;
    c.added_delete_files = r->added_delete_files;
    c.removed_delete_files = r->removed_delete_files;
    c.added_records = r->added_records;
    c.removed_records = r->removed_records;
    c.first_row_id = r->first_row_id;
    c.added_rows = r->added_rows;
    c.next_row_id = r->next_row_id;
    c.deleted_rows = outcome->deleted_rows;
    c.attempts = outcome->attempts;
    c.wall_ms = wall_ms;
    c.dry_run = dry_run;
    format_conflicts(&context->env, outcome, c.conflicts_json, sizeof c.conflicts_json);
    memcpy(c.commit_id, outcome->commit_id, sizeof c.commit_id);
    rwl_api_result(given, &c, sizeof c);
}

/* Nothing committed and no dry run: there is no operation. */
static const char *operation_of(const rwl_commit_outcome *outcome, const char *name) {
    return outcome->attempts > 0 ? name : NULL;
}

/* A change in progress: what every changing function sets up and winds up alike. */
typedef struct change_call {
    rowline_table *table;
    int64_t started_ms;
    rwl_arena arena;
    rwl_change_options options;
    rwl_commit_outcome outcome;
} change_call;

/* To be ended also after a failure. */
static rwl_status begin_change(change_call *call, rowline_table *t, const rowline_change_options *given,
                               rwl_error *err) {
    memset(call, 0, sizeof *call);
    call->table = t;
    call->started_ms = rwl_api_now_ms(t->context);
    rwl_arena_init(&call->arena, &t->context->env, 0);
    return rwl_api_change(given, &call->arena, &call->options, err);
}

/* Fills the caller's figures and hands the status on. */
static rwl_status end_change(change_call *call, rwl_status st, const char *operation,
                             rowline_commit *commit) {
    const rowline_context *context = call->table->context;
    rwl_arena_clear(&call->arena);
    rwl_api_commit(context, commit, &call->outcome, operation, call->options.dry_run,
                   rwl_api_now_ms(context) - call->started_ms);
    return st;
}

static rwl_status append_inputs(rowline_table *t, rwl_input *const *inputs, size_t count,
                                const rowline_change_options *options, rowline_commit *commit,
                                rwl_error *err) {
    change_call call;
    rwl_status st = begin_change(&call, t, options, err);
    if (st == RWL_OK)
        st = rwl_append(t->table, &t->context->op, inputs, count, &call.options, &call.outcome, err);
    return end_change(&call, st, operation_of(&call.outcome, "append"), commit);
}

rowline_status rowline_append_files(rowline_table *t, const char *const *paths, size_t path_count,
                                    const char *format, const rowline_change_options *options,
                                    rowline_commit *commit, rowline_error *err) {
    RWL_TRY(rwl_api_check_change(t, err));
    rwl_op *op = &t->context->op;
    rwl_input **inputs = rwl_calloc(op->env, path_count + 1, sizeof *inputs);
    if (inputs == NULL)
        return rwl_no_memory(err, path_count * sizeof *inputs);
    rwl_status st = RWL_OK;
    for (size_t i = 0; st == RWL_OK && i < path_count; i++)
        st = rwl_input_open(op, paths[i], format, t->table->metadata->schema, &inputs[i], err);
    if (st == RWL_OK)
        st = append_inputs(t, inputs, path_count, options, commit, err);
    for (size_t i = 0; i < path_count; i++)
        rwl_input_close(inputs[i]);
    rwl_free(op->env, inputs);
    return st;
}

rowline_status rowline_append_stream(rowline_table *t, struct ArrowArrayStream *rows,
                                     const rowline_change_options *options, rowline_commit *commit,
                                     rowline_error *err) {
    rwl_status st = rwl_api_check_change(t, err);
    if (st != RWL_OK) {
        rows->release(rows);
        return st;
    }
    rwl_input *input = NULL;
    RWL_TRY(rwl_input_open_arrow(&t->context->op, rows, t->table->metadata->schema, &input, err));
    st = append_inputs(t, &input, 1, options, commit, err);
    rwl_input_close(input);
    return st;
}

rowline_status rowline_delete(rowline_table *t, const char *where, const rowline_change_options *options,
                              rowline_commit *commit, rowline_error *err) {
    RWL_TRY(rwl_api_check_change(t, err));
    if (where == NULL)
        return rwl_fail(err, RWL_USAGE, "delete needs a filter");
    change_call call;
    rwl_status st = begin_change(&call, t, options, err);
    if (st == RWL_OK)
        st = rwl_delete(t->table, &t->context->op, where, &call.options, &call.outcome, err);
    return end_change(&call, st, operation_of(&call.outcome, "delete"), commit);
}

/* A JSON array in the caller's fixed space: items that do not fit are left out whole. The number of all of them. */
static int64_t give_list(const rwl_env *env, const char *text, char *out, size_t size) {
    rwl_json *list = NULL;
    size_t len = 1;
    rwl_buf item;
    memcpy(out, "[]", 3);
    if (text == NULL || rwl_json_parse(rwl_span_str(text), &list, NULL) != RWL_OK)
        return 0;
    rwl_buf_init(&item, env, size);
    for (size_t i = 0; i < rwl_json_len(list); i++) {
        rwl_buf_reset(&item);
        if (rwl_buf_str(&item, i > 0 ? ", " : "", NULL) != RWL_OK ||
            rwl_json_dump(rwl_json_at(list, i), 0, &item, NULL) != RWL_OK || item.len > size - len - 2)
            break;
        memcpy(out + len, item.data, item.len);
        len += item.len;
    }
    memcpy(out + len, "]", 2);
    int64_t count = (int64_t)rwl_json_len(list);
    rwl_buf_clear(&item);
    rwl_json_free(list);
    return count;
}

rowline_status rowline_table_upgrade(rowline_table *t, int32_t to_version, int32_t assign,
                                     const rowline_change_options *options, rowline_commit *commit,
                                     rowline_upgrade *upgrade, rowline_error *err) {
    RWL_TRY(rwl_api_check_change(t, err));
    change_call call;
    rwl_upgrade_report report;
    memset(&report, 0, sizeof report);
    rwl_status st = begin_change(&call, t, options, err);
    if (st == RWL_OK)
        st = rwl_upgrade_table(t->table, &t->context->op, to_version, assign != 0, &call.options, &call.arena,
                               &call.outcome, &report, err);
    rowline_upgrade u;
    memset(&u, 0, sizeof u);
    u.from_version = report.from_version;
    u.to_version = report.to_version;
    u.assigned_rows = report.assigned_rows;
    u.live_equality_deletes = report.live_equality_deletes;
    u.live_position_deletes = report.live_position_deletes;
    const rwl_env *env = &t->context->env;
    u.branches_without_ids = give_list(env, report.branches_without_ids, u.branches_without_ids_json,
                                       sizeof u.branches_without_ids_json);
    u.writers = give_list(env, report.writers, u.writers_json, sizeof u.writers_json);
    rwl_api_result(upgrade, &u, sizeof u);
    bool has_snapshot = call.outcome.attempts > 0 && call.outcome.result.sequence_number > 0;
    return end_change(&call, st, has_snapshot ? "append" : NULL, commit);
}

rowline_status rowline_table_create(rowline_context *context, const char *directory,
                                    const rowline_create_options *options, rowline_commit *commit,
                                    rowline_error *err) {
    rowline_create_options o;
    RWL_TRY(rwl_api_options(&o, sizeof o, options, err));
    int64_t started = rwl_api_now_ms(context);
    rwl_arena arena;
    rwl_arena_init(&arena, &context->env, 0);
    const char **keys = rwl_arena_array(&arena, o.property_count, sizeof *keys);
    const char **values = rwl_arena_array(&arena, o.property_count, sizeof *values);
    rwl_status st = keys != NULL && values != NULL ? (rwl_status)RWL_OK
                                                   : rwl_no_memory(err, o.property_count * sizeof *keys);
    for (size_t i = 0; st == RWL_OK && i < o.property_count; i++) {
        keys[i] = o.properties[i].key;
        values[i] = o.properties[i].value;
    }
    int32_t version = o.format_version != 0 ? o.format_version : 3;
    rwl_create_options create = {.schema = o.schema,
                                 .like = o.like,
                                 .partition = o.partition,
                                 .sort = o.sort,
                                 .format_version = version,
                                 .property_keys = keys,
                                 .property_values = values,
                                 .property_count = (int32_t)o.property_count,
                                 .dry_run = o.dry_run != 0};
    if (st == RWL_OK)
        st = rwl_create_table(&context->op, directory, &create, err);
    rwl_arena_clear(&arena);
    rwl_commit_outcome outcome;
    memset(&outcome, 0, sizeof outcome);
    outcome.attempts = 1;
    outcome.result.snapshot_id = outcome.result.parent_snapshot_id = outcome.result.first_row_id = -1;
    outcome.result.added_rows = outcome.result.next_row_id = version >= 3 ? 0 : -1;
    rwl_api_commit(context, commit, &outcome, NULL, o.dry_run != 0, rwl_api_now_ms(context) - started);
    return st;
}
