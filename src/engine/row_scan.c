/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the file's columns, makes the metadata columns beside them, evaluates the filter, keeps what it says. */
#include "engine/row_scan.h"

struct rwl_row_scan {
    const rwl_row_filter *filter;
    rwl_op *op;
    const rwl_fragment *fragment;
    rwl_driver driver;
    rwl_reader *reader;
    rwl_rows read; /* live rows as the reader gives them */
    bool read_ready;
    rwl_column *made; /* metadata columns, one a work column (unused ones stay empty) */
    rwl_column *work; /* all work columns, shallow */
    uint64_t *kept;   /* bitmap of rows the filter keeps */
    rwl_range *ranges;
    int64_t row_cap; /* rows `kept` and `ranges` have room for */
};

static rwl_status set_up(rwl_row_scan *s, const rwl_table *table, bool lineage, bool skip_page_crc,
                         rwl_error *err) {
    const rwl_row_filter *f = s->filter;
    size_t size = (size_t)(f->field_count > 0 ? f->field_count : 1) * sizeof(rwl_column);
    s->made = rwl_calloc(s->op->env, 1, size);
    s->work = rwl_calloc(s->op->env, 1, size);
    if (s->made == NULL || s->work == NULL)
        return rwl_no_memory(err, size);
    for (int32_t i = 0; i < f->field_count; i++)
        RWL_TRY(rwl_column_init(&s->made[i], s->op->env, &f->fields[i].type, err));
    RWL_TRY(rwl_rows_init(&s->read, s->op->env, f->file_fields, f->file_field_count, err));
    s->read_ready = true;
    rwl_fragment_read_options options = {.fields = f->file_fields,
                                         .field_count = f->file_field_count,
                                         .lineage = lineage || f->needs_lineage,
                                         .skip_page_crc = skip_page_crc};
    s->driver = rwl_table_driver(table);
    return s->driver.vtable->read_open(&s->driver, s->op, s->fragment, &options, &s->reader, err);
}

rwl_status rwl_row_scan_open(const rwl_table *table, rwl_op *op, const rwl_row_filter *filter,
                             const rwl_fragment *fragment, bool lineage, bool skip_page_crc,
                             rwl_row_scan **out, rwl_error *err) {
    rwl_row_scan *s = rwl_calloc(op->env, 1, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    s->filter = filter;
    s->op = op;
    s->fragment = fragment;
    rwl_status st = set_up(s, table, lineage, skip_page_crc, err);
    if (st != RWL_OK) {
        rwl_row_scan_close(s);
        return st;
    }
    *out = s;
    return RWL_OK;
}

void rwl_row_scan_close(rwl_row_scan *s) {
    if (s == NULL)
        return;
    const rwl_env *env = s->op->env;
    for (int32_t i = 0; s->made != NULL && i < s->filter->field_count; i++)
        rwl_column_clear(&s->made[i], env);
    if (s->reader != NULL)
        s->driver.vtable->read_close(s->reader);
    if (s->read_ready)
        rwl_rows_clear(&s->read);
    rwl_free(env, s->made);
    rwl_free(env, s->work);
    rwl_free(env, s->kept);
    rwl_free(env, s->ranges);
    rwl_free(env, s);
}

rwl_read_stats rwl_row_scan_stats(const rwl_row_scan *s) {
    return s->driver.vtable->read_stats(s->reader);
}

/* A metadata column for the rows just read. */
static rwl_status make_column(rwl_row_scan *s, int32_t index, rwl_error *err) {
    rwl_column *out = &s->made[index];
    int64_t rows = s->read.batch.length;
    rwl_value v = rwl_value_null(out->type.kind);
    v.is_null = false;
    switch (s->filter->fields[index].id) {
    case RWL_FIELD_ID_ROW_ID:
        return rwl_runs_to_column(&s->read.row_ids, out, err);
    case RWL_FIELD_ID_LAST_UPDATED:
        return rwl_runs_to_column(&s->read.versions, out, err);
    case RWL_FIELD_ID_POS:
        return rwl_runs_to_column(&s->read.positions, out, err);
    case RWL_FIELD_ID_FILE:
        v.as.bytes = rwl_span_str(s->fragment->location);
        break;
    case RWL_FIELD_ID_SPEC_ID:
        v.as.i32 = s->fragment->spec_id;
        break;
    default:
        return rwl_fail(err, RWL_INTERNAL, "no metadata column has id %d", s->filter->fields[index].id);
    }
    rwl_column_reset(out);
    return rwl_column_append(out, s->op->env, &v, rows, err);
}

static rwl_status make_work(rwl_row_scan *s, rwl_error *err) {
    for (int32_t i = 0; i < s->filter->field_count; i++) {
        int32_t from = s->filter->file_column[i];
        if (from < 0)
            RWL_TRY(make_column(s, i, err));
        s->work[i] = from >= 0 ? s->read.batch.columns[from] : s->made[i];
    }
    return RWL_OK;
}

static rwl_status make_room(rwl_row_scan *s, int64_t rows, rwl_error *err) {
    if (rows <= s->row_cap)
        return RWL_OK;
    size_t bits = rwl_expr_bits_size(rows), ranges = ((size_t)rows + 1) / 2 * sizeof *s->ranges;
    uint64_t *kept = rwl_realloc(s->op->env, s->kept, bits);
    if (kept == NULL)
        return rwl_no_memory(err, bits);
    s->kept = kept;
    rwl_range *grown = rwl_realloc(s->op->env, s->ranges, ranges);
    if (grown == NULL)
        return rwl_no_memory(err, ranges);
    s->ranges = grown;
    s->row_cap = rows;
    return RWL_OK;
}

/* Copies the kept rows of the output columns, and their lineage, to `rows`. */
static rwl_status keep_ranges(rwl_row_scan *s, const rwl_range *ranges, size_t count, rwl_rows *rows,
                              rwl_error *err) {
    for (int32_t i = 0; i < s->filter->output_count; i++)
        RWL_TRY(rwl_column_take_ranges(&s->work[i], ranges, count, &rows->batch.columns[i], rows->batch.env,
                                       err));
    for (size_t i = 0; i < count; i++)
        rows->batch.length += ranges[i].count;
    RWL_TRY(rwl_runs_take_ranges(&s->read.positions, ranges, count, &rows->positions, err));
    if (s->read.row_ids.length == 0)
        return RWL_OK; /* lineage was not asked for */
    RWL_TRY(rwl_runs_take_ranges(&s->read.row_ids, ranges, count, &rows->row_ids, err));
    return rwl_runs_take_ranges(&s->read.versions, ranges, count, &rows->versions, err);
}

static void swap_runs(rwl_runs *a, rwl_runs *b) {
    rwl_runs t = *a;
    *a = *b;
    *b = t;
}

/* True when each file column is given at most once, so that its buffers may change hands. */
static bool outputs_are_distinct(const rwl_row_filter *f) {
    for (int32_t i = 0; i < f->output_count; i++)
        for (int32_t j = 0; j < i; j++)
            if (f->file_column[i] >= 0 && f->file_column[i] == f->file_column[j])
                return false;
    return true;
}

/* All rows are kept: buffers change hands, nothing is copied. */
static void keep_all(rwl_row_scan *s, rwl_rows *rows) {
    for (int32_t i = 0; i < s->filter->output_count; i++) {
        int32_t from = s->filter->file_column[i];
        rwl_column_swap(from >= 0 ? &s->read.batch.columns[from] : &s->made[i], &rows->batch.columns[i]);
    }
    rows->batch.length = s->read.batch.length;
    swap_runs(&rows->positions, &s->read.positions);
    swap_runs(&rows->row_ids, &s->read.row_ids);
    swap_runs(&rows->versions, &s->read.versions);
}

/* Filters the rows just read into `rows`. */
static rwl_status filter_rows(rwl_row_scan *s, rwl_rows *rows, rwl_error *err) {
    int64_t length = s->read.batch.length;
    rwl_range all = {0, length};
    RWL_TRY(make_work(s, err));
    if (s->filter->row_filter == NULL) {
        if (!outputs_are_distinct(s->filter))
            return keep_ranges(s, &all, 1, rows, err);
        keep_all(s, rows);
        return RWL_OK;
    }
    RWL_TRY(make_room(s, length, err));
    rwl_batch work = {s->op->env, length, s->filter->field_count, s->work};
    RWL_TRY(rwl_expr_eval_batch(s->filter->row_filter, &work, s->kept, err));
    size_t count = rwl_expr_ranges(s->kept, length, s->ranges);
    return count > 0 ? keep_ranges(s, s->ranges, count, rows, err) : (rwl_status)RWL_OK;
}

rwl_status rwl_row_scan_next(rwl_row_scan *s, rwl_rows *rows, rwl_error *err) {
    do {
        rwl_rows_reset(rows);
        RWL_TRY(rwl_op_check(s->op, err));
        RWL_TRY(s->driver.vtable->read_next(s->reader, &s->read, err));
        if (s->read.batch.length == 0)
            return RWL_OK;
        RWL_TRY(filter_rows(s, rows, err));
    } while (rows->batch.length == 0);
    return RWL_OK;
}
