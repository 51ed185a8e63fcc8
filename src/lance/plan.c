/* SPDX-License-Identifier: Apache-2.0 */
/* Scan plans. */
#include "lance/plan.h"

#include "lance/lineage.h"

#include <inttypes.h>

/* The first three are appended by --lineage. */
static const rwl_metadata_column METADATA_COLUMNS[] = {
    {{.name = "_rowid", .id = RWL_FIELD_ID_ROW_ID, .required = true, .type.kind = RWL_TYPE_LONG}, true},
    {{.name = "_row_created_at_version",
      .id = RWL_FIELD_ID_CREATED_AT,
      .required = true,
      .type.kind = RWL_TYPE_LONG},
     true},
    {{.name = "_row_last_updated_at_version",
      .id = RWL_FIELD_ID_LAST_UPDATED,
      .required = true,
      .type.kind = RWL_TYPE_LONG},
     true},
    {{.name = "_rowaddr", .id = RWL_FIELD_ID_ROW_ADDRESS, .required = true, .type.kind = RWL_TYPE_LONG},
     false},
    {{.name = "_fragment_id", .id = RWL_FIELD_ID_FRAGMENT_ID, .required = true, .type.kind = RWL_TYPE_LONG},
     false},
    {{.name = RWL_COLUMN_FILE, .id = RWL_FIELD_ID_FILE, .required = true, .type.kind = RWL_TYPE_STRING},
     false},
    {{.name = RWL_COLUMN_POS, .id = RWL_FIELD_ID_POS, .required = true, .type.kind = RWL_TYPE_LONG}, false},
};

struct rwl_lance_plan {
    const rwl_lance_dataset *dataset;
    rwl_op *op;
    rwl_arena arena;         /* of the filter */
    const rwl_bound *filter; /* NULL: all fragments */
    const rwl_field *fields;
    size_t next;
    rwl_plan_stats stats;
    rwl_arena given; /* of the fragment that was given last */
    rwl_fragment fragment;
    rwl_delete_ref deletes;
    const rwl_lance_fragment *subject; /* that facts are asked of */
};

const rwl_metadata_column *rwl_lance_metadata_columns(int32_t *count) {
    *count = sizeof METADATA_COLUMNS / sizeof *METADATA_COLUMNS;
    return METADATA_COLUMNS;
}

/* --- opening --- */

/* A comparison with a column whose type is not read would be folded to one with null, and leave out every fragment. */
static rwl_status check_readable(const rwl_lance_plan *p, rwl_error *err) {
    int32_t count;
    const int32_t *columns = rwl_bound_columns(p->filter, &count);
    for (int32_t i = 0; i < count; i++) {
        const rwl_field *field = &p->fields[columns[i]];
        const rwl_lance_node *node = rwl_lance_schema_find(&p->dataset->manifest->schema, field->id);
        if (node != NULL && node->refusal != NULL)
            return rwl_fail(err, RWL_UNSUPPORTED, "field %s: %s", field->name, node->refusal);
    }
    return RWL_OK;
}

static rwl_status bind_filter(rwl_lance_plan *p, const rwl_plan_request *request, rwl_error *err) {
    int32_t column_count, count;
    rwl_field *fields;
    const rwl_metadata_column *columns = rwl_lance_metadata_columns(&column_count);
    RWL_TRY(rwl_name_fields(request->fields, request->field_count, columns, column_count, &p->arena, &fields,
                            NULL, &count, err));
    p->fields = fields;
    RWL_TRY(rwl_expr_bind(request->filter, fields, count, &p->arena, &p->filter, err));
    return check_readable(p, err);
}

static rwl_status set_up(rwl_lance_plan *p, const rwl_plan_request *request, rwl_error *err) {
    const rwl_lance_manifest *m = p->dataset->manifest;
    if (request->filter != NULL)
        RWL_TRY(bind_filter(p, request, err));
    if (request->snapshot_id < 0)
        p->next = m->fragment_count;
    else if (request->snapshot_id != m->version)
        return rwl_fail(err, RWL_NOT_FOUND, "%s is opened at version %" PRId64 ", not at %" PRId64,
                        p->dataset->root, m->version, request->snapshot_id);
    else
        p->stats.manifests_read = 1;
    return RWL_OK;
}

rwl_status rwl_lance_plan_open(const rwl_lance_dataset *dataset, rwl_op *op, const rwl_plan_request *request,
                               rwl_lance_plan **out, rwl_error *err) {
    *out = NULL;
    rwl_lance_plan *p = rwl_calloc(op->env, 1, sizeof *p);
    if (p == NULL)
        return rwl_no_memory(err, sizeof *p);
    p->dataset = dataset;
    p->op = op;
    rwl_arena_init(&p->arena, op->env, 0);
    rwl_arena_init(&p->given, op->env, 0);
    rwl_status st = set_up(p, request, err);
    if (st != RWL_OK) {
        rwl_lance_plan_close(p);
        return st;
    }
    *out = p;
    return RWL_OK;
}

void rwl_lance_plan_close(rwl_lance_plan *plan) {
    if (plan == NULL)
        return;
    rwl_arena_clear(&plan->given);
    rwl_arena_clear(&plan->arena);
    rwl_free(plan->op->env, plan);
}

rwl_plan_stats rwl_lance_plan_stats(const rwl_lance_plan *plan) {
    return plan->stats;
}

/* --- facts --- */

static bool between(int64_t rows, int64_t least, int64_t greatest, rwl_column_facts *out) {
    out->value_count = rows;
    out->null_count = 0;
    out->has_lower = out->has_upper = true;
    out->lower = (rwl_value){.kind = RWL_TYPE_LONG, .as.i64 = least};
    out->upper = (rwl_value){.kind = RWL_TYPE_LONG, .as.i64 = greatest};
    return true;
}

/* What an arm says that is broken or missing is for the reader to tell: nothing is left out by it. */
static bool sequence_facts(const rwl_lance_plan *p, rwl_lance_sequence s, rwl_column_facts *out) {
    const rwl_lance_fragment *f = p->subject;
    bool is_stable = rwl_lance_manifest_has_stable_ids(p->dataset->manifest), known;
    bool is_absent = f->arms[s].kind == RWL_LANCE_ARM_ABSENT;
    int64_t least, greatest;
    if (is_absent ? is_stable && s == RWL_LANCE_ROW_IDS : !is_stable)
        return false;
    if (rwl_lance_lineage_bounds(f, s, &known, &least, &greatest, NULL) != RWL_OK || !known)
        return false;
    return between(f->physical_rows, least, greatest, out);
}

static bool file_facts(const rwl_lance_plan *p, rwl_column_facts *out) {
    out->is_constant = true;
    out->constant = (rwl_value){.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_str(p->fragment.location)};
    return true;
}

static bool find_facts(void *ctx, int32_t column, rwl_column_facts *out) {
    const rwl_lance_plan *p = ctx;
    const rwl_lance_fragment *f = p->subject;
    int64_t rows = f->physical_rows, first = f->id << 32;
    if (rows <= 0)
        return false;
    switch (p->fields[column].id) {
    case RWL_FIELD_ID_ROW_ID:
        return sequence_facts(p, RWL_LANCE_ROW_IDS, out);
    case RWL_FIELD_ID_CREATED_AT:
        return sequence_facts(p, RWL_LANCE_CREATED_AT, out);
    case RWL_FIELD_ID_LAST_UPDATED:
        return sequence_facts(p, RWL_LANCE_LAST_UPDATED, out);
    case RWL_FIELD_ID_ROW_ADDRESS:
        return between(rows, first, first + rows - 1, out);
    case RWL_FIELD_ID_FRAGMENT_ID:
        return between(rows, f->id, f->id, out);
    case RWL_FIELD_ID_POS:
        return between(rows, 0, rows - 1, out);
    case RWL_FIELD_ID_FILE:
        return file_facts(p, out);
    default:
        return false;
    }
}

/* --- fragments --- */

static rwl_status make_deletes(rwl_lance_plan *p, const rwl_lance_fragment *f, rwl_error *err) {
    rwl_delete_ref *d = &p->deletes;
    if (!f->deletion.is_present)
        return RWL_OK;
    memset(d, 0, sizeof *d);
    d->kind = RWL_DELETE_VECTOR;
    d->format = f->deletion.is_bitmap ? "BITMAP" : "ARROW";
    d->row_count = f->deletion.deleted_rows;
    d->file_scoped = true;
    d->is_counted = d->row_count > 0 && d->row_count <= f->physical_rows; /* old builds do not tell: 0 */
    p->fragment.deletes = d;
    p->fragment.delete_count = 1;
    return rwl_lance_deletion_location(p->dataset, f, &p->given, &d->location, err);
}

static rwl_status make_fragment(rwl_lance_plan *p, const rwl_lance_fragment *f, rwl_error *err) {
    rwl_fragment *out = &p->fragment;
    rwl_arena_reset(&p->given);
    memset(out, 0, sizeof *out);
    out->format = "LANCE";
    out->location = ""; /* a fragment of no columns may have no file */
    out->fragment_id = f->id;
    out->row_count = f->physical_rows;
    out->sort_order_id = -1;
    if (f->file_count > 0) {
        if (!rwl_lance_fragment_tells_rows(f)) /* none would be a wrong answer */
            return rwl_fail(
                err, RWL_UNSUPPORTED, "fragment %lld: the manifest does not tell its number of rows%s",
                (long long)f->id,
                rwl_lance_data_file_is_legacy(&f->files[0]) ? ": Lance file format version 1 (legacy)" : "");
        out->file_size = f->files[0].size;
        RWL_TRY(rwl_lance_data_location(p->dataset, &f->files[0], &p->given, &out->location, err));
    }
    return make_deletes(p, f, err);
}

rwl_status rwl_lance_plan_next(rwl_lance_plan *plan, const rwl_fragment **out, rwl_error *err) {
    rwl_lance_plan *p = plan;
    const rwl_lance_manifest *m = p->dataset->manifest;
    rwl_facts facts = {.ctx = p, .lookup = find_facts};
    *out = NULL;
    while (p->next < m->fragment_count) {
        p->subject = &m->fragments[p->next++];
        RWL_TRY(rwl_op_check(p->op, err));
        RWL_TRY(make_fragment(p, p->subject, err));
        if (p->filter != NULL && !rwl_expr_may_match(p->filter, &facts)) {
            p->stats.files_skipped++;
            continue;
        }
        p->stats.files_read++;
        *out = &p->fragment;
        return RWL_OK;
    }
    return RWL_OK;
}
