/* SPDX-License-Identifier: Apache-2.0 */
/* rewrite: options in, groups told, figures out. */
#include "api/api_internal.h"

#include "engine/rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* The process's maximum resident set. The system's ru_maxrss is no less than that of the program that started this
 * one, so what /proc says of this address space alone comes first. */
static int64_t find_peak_memory(void) {
    long long kib = 0;
    char line[128];
    FILE *status = fopen("/proc/self/status", "re");
    while (status != NULL && kib == 0 && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "VmHWM:", 6) == 0)
            kib = strtoll(line + 6, NULL, 10);
    if (status != NULL)
        fclose(status);
    struct rusage usage;
    if (kib <= 0 && getrusage(RUSAGE_SELF, &usage) == 0)
        kib = usage.ru_maxrss;
    return kib * 1024;
}

/* Hands the caller each planned group in the public form. */
typedef struct group_teller {
    int32_t (*each)(void *ctx, const rowline_rewrite_group *group);
    void *ctx;
    const rwl_env *env;
} group_teller;

/* Partition of a group as a path and as a JSON object; older specs have neither. */
static rwl_status describe_partition(const rwl_metadata *m, const rwl_rewrite_group *g, rwl_arena *arena,
                                     rwl_buf *path, rwl_buf *json) {
    const rwl_partition_spec *spec = m->spec;
    RWL_TRY(rwl_buf_str(json, "{", NULL));
    if (g->partition != NULL && spec->field_count > 0) {
        rwl_type *types = rwl_arena_array(arena, (size_t)spec->field_count, sizeof *types);
        if (types == NULL)
            return RWL_NO_MEMORY;
        RWL_TRY(rwl_partition_types(spec, m->schema, types, NULL));
        RWL_TRY(rwl_partition_path(spec, types, g->partition, path, NULL));
        rwl_type text = rwl_type_of(RWL_TYPE_STRING);
        for (int32_t i = 0; i < spec->field_count; i++) {
            rwl_value name = {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_str(spec->fields[i].name)};
            RWL_TRY(rwl_buf_str(json, i > 0 ? ", " : "", NULL));
            RWL_TRY(rwl_value_format_json(&text, &name, json, NULL));
            RWL_TRY(rwl_buf_str(json, ": ", NULL));
            RWL_TRY(rwl_value_format_json(&types[i], &g->partition[i], json, NULL));
        }
    }
    RWL_TRY(rwl_buf_terminate(path, NULL));
    RWL_TRY(rwl_buf_str(json, "}", NULL));
    return rwl_buf_terminate(json, NULL);
}

static int32_t tell_group(void *ctx, const rwl_metadata *m, const rwl_rewrite_group *g) {
    const group_teller *teller = ctx;
    rwl_arena arena;
    rwl_buf path, json;
    rwl_arena_init(&arena, teller->env, 0);
    rwl_buf_init(&path, teller->env, SIZE_MAX);
    rwl_buf_init(&json, teller->env, SIZE_MAX);
    const char **files = rwl_arena_array(&arena, g->fragment_count, sizeof *files);
    int32_t stop = 1;
    if (files != NULL && describe_partition(m, g, &arena, &path, &json) == RWL_OK) {
        for (size_t i = 0; i < g->fragment_count; i++)
            files[i] = g->fragments[i].location;
        rowline_rewrite_group out = {.struct_size = sizeof out,
                                     .group = g->number,
                                     .partition = (const char *)path.data,
                                     .partition_json = (const char *)json.data,
                                     .spec_id = g->spec_id >= 0 ? g->spec_id : g->fragments[0].spec_id,
                                     .files = files,
                                     .file_count = g->fragment_count,
                                     .input_bytes = g->bytes,
                                     .rows = g->rows,
                                     .deleted_rows = g->deleted_rows,
                                     .expected_files = g->expected_files,
                                     .reason = g->reason};
        stop = teller->each(teller->ctx, &out);
    }
    rwl_buf_clear(&path);
    rwl_buf_clear(&json);
    rwl_arena_clear(&arena);
    return stop;
}

static void fill_result(rowline_rewrite *given, const rwl_rewrite_result *r) {
    rowline_rewrite out;
    memset(&out, 0, sizeof out);
    out.groups = r->groups;
    out.input_bytes = r->input_bytes;
    out.output_bytes = r->output_bytes;
    out.rows_in = r->rows_in;
    out.rows_out = r->rows_out;
    out.rows_without_lineage = r->rows_without_lineage;
    out.pages_copied = r->pages_copied;
    out.pages_encoded = r->pages_encoded;
    out.next_row_id_before = r->next_row_id_before;
    rwl_api_digest(&out.digest_before, &r->before);
    rwl_api_digest(&out.digest_after, &r->after);
    out.skipped_right_size = r->skipped_right_size;
    out.skipped_too_few_files = r->skipped_too_few_files;
    out.skipped_no_gain = r->skipped_no_gain;
    out.skipped_filtered = r->skipped_filtered;
    out.skipped_files =
        r->skipped_right_size + r->skipped_too_few_files + r->skipped_no_gain + r->skipped_filtered;
    out.complete = r->complete;
    out.planned_groups = r->planned_groups;
    out.commits = r->commits;
    out.failed_commits = r->failed_commits;
    out.assigned_snapshot_id = r->assigned_snapshot_id;
    out.assigned_rows = r->assigned_rows;
    out.sort_disk_bytes = r->sort_disk_bytes;
    out.peak_memory_bytes = find_peak_memory();
    rwl_api_result(given, &out, sizeof out);
}

static rwl_status fill_named(const rowline_rewrite_options *o, rwl_arena *arena, rwl_rewrite_options *out,
                             rwl_error *err) {
    if (o->option_count > 0 && o->options == NULL)
        return rwl_fail(err, RWL_USAGE, "%zu options are told, and none is given", o->option_count);
    const char **names = rwl_arena_array(arena, o->option_count, sizeof *names),
               **values = rwl_arena_array(arena, o->option_count, sizeof *values);
    if (names == NULL || values == NULL)
        return rwl_no_memory(err, o->option_count * sizeof *names);
    for (size_t i = 0; i < o->option_count; i++) {
        names[i] = o->options[i].key;
        values[i] = o->options[i].value;
        if (names[i] == NULL || values[i] == NULL)
            return rwl_fail(err, RWL_USAGE, "an option needs a name and a value");
    }
    out->names = names;
    out->values = values;
    out->named_count = o->option_count;
    return RWL_OK;
}

static rwl_status fill_options(const rowline_rewrite_options *given, rwl_arena *arena,
                               rwl_rewrite_options *out, rwl_error *err) {
    rowline_rewrite_options o;
    RWL_TRY(rwl_api_options(&o, sizeof o, given, err));
    if (o.verify != ROWLINE_VERIFY_FULL && o.verify != ROWLINE_VERIFY_LINEAGE)
        return rwl_fail(err, RWL_USAGE, "verify %d is neither full nor lineage", o.verify);
    if (o.row_id_encoding < ROWLINE_ROW_ID_DEFAULT || o.row_id_encoding > ROWLINE_ROW_ID_DELTA)
        return rwl_fail(err, RWL_USAGE, "row id encoding %d is not known", o.row_id_encoding);
    memset(out, 0, sizeof *out);
    if (o.change.struct_size != 0 || o.change.dry_run != 0 || o.change.snapshot_property_count != 0)
        RWL_TRY(rwl_api_change(&o.change, arena, &out->change, err));
    out->where = o.where;
    out->sort = o.sort;
    out->target_bytes = o.target_file_size;
    out->min_bytes = o.min_file_size;
    out->max_bytes = o.max_file_size;
    out->min_input_files = o.min_input_files;
    out->delete_ratio = o.delete_ratio;
    out->delete_files = o.delete_files;
    out->max_group_bytes = o.max_group_size;
    out->max_total_bytes = o.max_bytes;
    out->deadline_ms = o.deadline_ms;
    out->max_commits = o.max_commits;
    RWL_TRY(fill_named(&o, arena, out, err));
    out->rewrite_all = o.rewrite_all != 0;
    out->verify_lineage_only = o.verify == ROWLINE_VERIFY_LINEAGE;
    out->no_pin = o.no_pin != 0;
    out->row_id_encoding = o.row_id_encoding == ROWLINE_ROW_ID_PLAIN   ? RWL_ROW_ID_PLAIN
                           : o.row_id_encoding == ROWLINE_ROW_ID_DELTA ? RWL_ROW_ID_DELTA
                                                                       : RWL_ROW_ID_DEFAULT;
    return RWL_OK;
}

rowline_status rowline_table_rewrite(rowline_table *t, const rowline_rewrite_options *options,
                                     int32_t (*each_group)(void *ctx, const rowline_rewrite_group *group),
                                     void *ctx, rowline_commit *commit, rowline_rewrite *rewrite,
                                     rowline_error *err) {
    RWL_TRY(rwl_api_check_change(t, err));
    int64_t started = rwl_api_now_ms(t->context);
    rwl_arena arena;
    rwl_arena_init(&arena, &t->context->env, 0);
    rwl_rewrite_options o;
    rwl_commit_outcome outcome;
    rwl_rewrite_result result;
    memset(&o, 0, sizeof o);
    memset(&outcome, 0, sizeof outcome);
    memset(&result, 0, sizeof result);
    group_teller teller = {each_group, ctx, &t->context->env};
    rwl_status st = fill_options(options, &arena, &o, err);
    if (st == RWL_OK && each_group != NULL) {
        o.each_group = tell_group;
        o.each_group_ctx = &teller;
    }
    if (st == RWL_OK)
        st = rwl_rewrite(t->table, &t->context->op, &o, &outcome, &result, err);
    rwl_arena_clear(&arena);
    fill_result(rewrite, &result);
    bool worked = result.commits > 0 || outcome.attempts > 0 || (o.change.dry_run && result.groups > 0);
    rwl_api_commit(t->context, commit, &outcome, worked ? "replace" : NULL, o.change.dry_run,
                   rwl_api_now_ms(t->context) - started);
    return st;
}
