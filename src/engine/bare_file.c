/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of a Parquet file by itself: a plan of one fragment, read by the Parquet reader as it is. */
#include "engine/bare_file.h"

#include "parquet/prune.h"
#include "parquet/reader.h"

struct rwl_bare_file {
    const rwl_env *env;
    rwl_arena arena;
    rwl_parquet_file *parquet;
    rwl_schema schema;
    rwl_fragment fragment;
};

typedef struct bare_plan {
    const rwl_bare_file *file;
    bool given;
} bare_plan;

typedef struct bare_reader {
    rwl_op *op;
    rwl_parquet_reader *parquet, *late; /* late: of the late fields, NULL without such */
    rwl_parquet_selection selection;    /* the rows a filter leaves, when is_pruned */
    bool is_pruned, lineage;
} bare_reader;

/* --- the state --- */

static rwl_status make_schema(rwl_bare_file *f, rwl_error *err) {
    size_t count = (size_t)f->parquet->node_count;
    rwl_field *fields = rwl_arena_array(&f->arena, count, sizeof *fields);
    if (fields == NULL)
        return rwl_no_memory(err, count * sizeof *fields);
    for (size_t i = 0; i < count; i++) {
        fields[i] = f->parquet->nodes[i].field;
        fields[i].id = (int32_t)i + 1;
    }
    f->schema = (rwl_schema){.schema_id = -1, .fields = fields, .field_count = (int32_t)count};
    return RWL_OK;
}

static rwl_status open_file(rwl_bare_file *f, rwl_store *store, rwl_op *op, const char *location,
                            rwl_error *err) {
    RWL_TRY(rwl_parquet_open(store, op, location, -1, &f->parquet, err));
    f->fragment = (rwl_fragment){.location = f->parquet->location,
                                 .format = "PARQUET",
                                 .file_size = f->parquet->size,
                                 .row_count = f->parquet->row_count,
                                 .sort_order_id = -1};
    return make_schema(f, err);
}

rwl_status rwl_bare_file_is(rwl_store *store, rwl_op *op, const char *location, bool *is_file,
                            rwl_error *err) {
    enum { MAGIC_LEN = 4 };
    uint8_t magic[MAGIC_LEN] = {0};
    rwl_stat stat;
    *is_file = false;
    rwl_status st = rwl_store_stat(store, op, location, &stat, err);
    if (st == RWL_NOT_FOUND)
        return RWL_OK; /* what looks further says so */
    RWL_TRY(st);
    if (stat.is_directory || stat.size < MAGIC_LEN)
        return RWL_OK;
    rwl_file *file = NULL;
    RWL_TRY(rwl_file_open(store, op, location, &file, err));
    st = rwl_file_read(file, op, 0, MAGIC_LEN, magic, err);
    rwl_file_close(file);
    *is_file = memcmp(magic, "PAR1", MAGIC_LEN) == 0 || memcmp(magic, "PARE", MAGIC_LEN) == 0;
    return st;
}

rwl_status rwl_bare_file_open(rwl_store *store, rwl_op *op, const char *location, rwl_bare_file **out,
                              rwl_error *err) {
    rwl_bare_file *f = rwl_calloc(op->env, 1, sizeof *f);
    if (f == NULL)
        return rwl_no_memory(err, sizeof *f);
    f->env = op->env;
    rwl_arena_init(&f->arena, op->env, 0);
    rwl_status st = open_file(f, store, op, location, err);
    if (st != RWL_OK) {
        rwl_bare_file_free(f);
        return st;
    }
    *out = f;
    return RWL_OK;
}

void rwl_bare_file_free(rwl_bare_file *f) {
    if (f == NULL)
        return;
    rwl_parquet_close(f->parquet);
    rwl_arena_clear(&f->arena);
    rwl_free(f->env, f);
}

rwl_parquet_file *rwl_bare_file_parquet(const rwl_bare_file *f) {
    return f->parquet;
}

const rwl_schema *rwl_bare_file_schema(const rwl_bare_file *f) {
    return &f->schema;
}

/* --- plans --- */

static rwl_status plan_open(const rwl_driver *d, rwl_op *op, const rwl_plan_request *request,
                            rwl_planner **out, rwl_error *err) {
    (void)request; /* the reader prunes inside the file */
    bare_plan *plan = rwl_calloc(op->env, 1, sizeof *plan);
    if (plan == NULL)
        return rwl_no_memory(err, sizeof *plan);
    plan->file = d->state;
    *out = (rwl_planner *)plan;
    return RWL_OK;
}

static rwl_status plan_next(rwl_planner *planner, const rwl_fragment **out, rwl_error *err) {
    (void)err;
    bare_plan *plan = (bare_plan *)planner;
    *out = plan->given ? NULL : &plan->file->fragment;
    plan->given = true;
    return RWL_OK;
}

static rwl_plan_stats plan_stats(const rwl_planner *planner) {
    const bare_plan *plan = (const bare_plan *)planner;
    return (rwl_plan_stats){.files_read = plan->given};
}

static void plan_close(rwl_planner *planner) {
    bare_plan *plan = (bare_plan *)planner;
    if (plan != NULL)
        rwl_free(plan->file->env, plan);
}

/* --- the fragment --- */

static rwl_status read_deletes(const rwl_driver *d, rwl_op *op, const rwl_fragment *fragment,
                               rwl_bitmap **out, rwl_error *err) {
    (void)d, (void)op, (void)fragment, (void)err;
    *out = NULL;
    return RWL_OK;
}

/* Finds the rows that may satisfy the filter; its fields are this state's, or metadata columns. */
static rwl_status prune(const rwl_driver *d, const rwl_fragment_read_options *options, bare_reader *r,
                        rwl_error *err) {
    const rwl_bare_file *f = d->state;
    size_t count = (size_t)options->filter_field_count;
    int32_t *nodes = rwl_calloc(r->op->env, count + 1, sizeof *nodes);
    if (nodes == NULL)
        return rwl_no_memory(err, count * sizeof *nodes);
    for (size_t i = 0; i < count; i++) {
        int32_t id = options->filter_fields[i].id;
        nodes[i] = id <= f->schema.field_count ? id - 1 : -1;
    }
    rwl_parquet_prune_request request = {.filter = options->filter,
                                         .fields = options->filter_fields,
                                         .field_count = options->filter_field_count,
                                         .nodes = nodes,
                                         .skip_page_crc = options->skip_page_crc};
    rwl_status st = rwl_parquet_prune(d->store, r->op, f->parquet, &request, &r->selection, err);
    r->is_pruned = st == RWL_OK;
    rwl_free(r->op->env, nodes);
    return st;
}

/* Cuts the selection to the rows asked for. */
static void cut_selection(rwl_parquet_selection *s, rwl_range rows) {
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        int64_t start = s->ranges[i].start, end = start + s->ranges[i].count;
        start = start > rows.start ? start : rows.start;
        end = end - rows.start < rows.count ? end : rows.start + rows.count;
        if (start < end)
            s->ranges[kept++] = (rwl_range){start, end - start};
    }
    s->count = kept;
}

static rwl_status open_reader(const rwl_driver *d, const rwl_fragment_read_options *options,
                              const bare_reader *r, const rwl_field *fields, int32_t field_count,
                              rwl_parquet_reader **out, rwl_error *err) {
    const rwl_bare_file *f = d->state;
    size_t count = (size_t)field_count;
    int32_t *nodes = rwl_calloc(r->op->env, count + 1, sizeof *nodes);
    if (nodes == NULL)
        return rwl_no_memory(err, count * sizeof *nodes);
    for (size_t i = 0; i < count; i++)
        nodes[i] = fields[i].id - 1;
    rwl_parquet_read_options o = {.nodes = nodes,
                                  .node_count = field_count,
                                  .first_row = options->rows.start,
                                  .row_count = options->rows.count > 0 ? options->rows.count : -1,
                                  .batch_rows = options->batch_rows,
                                  .ranges = r->is_pruned ? r->selection.ranges : NULL,
                                  .range_count = r->selection.count,
                                  .skip_page_crc = options->skip_page_crc,
                                  .pool = options->pool};
    if (r->is_pruned && r->selection.count == 0) { /* no row at all */
        o.ranges = NULL;
        o.row_count = 0;
    }
    rwl_status st = rwl_parquet_reader_new(d->store, r->op, f->parquet, &o, out, err);
    rwl_free(r->op->env, nodes);
    return st;
}

static rwl_status open_readers(const rwl_driver *d, const rwl_fragment_read_options *options, bare_reader *r,
                               rwl_error *err) {
    if (options->filter != NULL)
        RWL_TRY(prune(d, options, r, err));
    if (options->rows.count > 0)
        cut_selection(&r->selection, options->rows);
    RWL_TRY(open_reader(d, options, r, options->fields, options->field_count, &r->parquet, err));
    if (options->late_field_count == 0)
        return RWL_OK;
    return open_reader(d, options, r, options->late_fields, options->late_field_count, &r->late, err);
}

static void read_close(rwl_reader *reader) {
    bare_reader *r = (bare_reader *)reader;
    if (r == NULL)
        return;
    rwl_parquet_reader_free(r->parquet);
    rwl_parquet_reader_free(r->late);
    rwl_parquet_selection_clear(&r->selection, r->op->env);
    rwl_free(r->op->env, r);
}

static rwl_status read_open(const rwl_driver *d, rwl_op *op, const rwl_fragment *fragment,
                            const rwl_fragment_read_options *options, rwl_reader **out, rwl_error *err) {
    (void)fragment;
    bare_reader *r = rwl_calloc(op->env, 1, sizeof *r);
    if (r == NULL)
        return rwl_no_memory(err, sizeof *r);
    r->op = op;
    r->lineage = options->lineage;
    rwl_status st = open_readers(d, options, r, err);
    if (st != RWL_OK) {
        read_close((rwl_reader *)r);
        return st;
    }
    *out = (rwl_reader *)r;
    return RWL_OK;
}

/* A bare file has no lineage: both columns are null. */
static rwl_status read_next(rwl_reader *reader, rwl_rows *rows, rwl_error *err) {
    bare_reader *r = (bare_reader *)reader;
    int64_t pos;
    rwl_rows_reset(rows);
    RWL_TRY(rwl_parquet_reader_next(r->parquet, &rows->batch, &pos, err));
    RWL_TRY(rwl_runs_append(&rows->positions, pos, rows->batch.length, err));
    if (!r->lineage)
        return RWL_OK;
    RWL_TRY(rwl_runs_append_null(&rows->row_ids, rows->batch.length, err));
    return rwl_runs_append_null(&rows->versions, rows->batch.length, err);
}

static rwl_status read_take(rwl_reader *reader, const rwl_range *ranges, size_t count, rwl_batch *batch,
                            rwl_error *err) {
    return rwl_parquet_reader_take(((bare_reader *)reader)->late, ranges, count, batch, err);
}

static rwl_read_stats read_stats(const rwl_reader *reader) {
    const bare_reader *r = (const bare_reader *)reader;
    rwl_parquet_read_stats s = rwl_parquet_reader_stats(r->parquet), late = {0};
    if (r->late != NULL)
        late = rwl_parquet_reader_stats(r->late);
    const rwl_parquet_selection *p = &r->selection;
    if (r->is_pruned && p->count == 0) /* else the reader counts them, too */
        s.groups_skipped = p->groups_skipped;
    return (rwl_read_stats){.groups_read = s.groups_read,
                            .groups_skipped = s.groups_skipped,
                            .pages_read = s.pages_read + late.pages_read,
                            .pages_skipped = s.pages_skipped + late.pages_skipped,
                            .bytes_read = s.bytes_read + late.bytes_read + p->bytes_read,
                            .requests = s.requests + late.requests + p->requests};
}

rwl_driver rwl_bare_file_driver(const rwl_bare_file *f, rwl_store *store) {
    static const rwl_driver_vtable vtable = {
        .format = "parquet",
        .plan_open = plan_open,
        .plan_next = plan_next,
        .plan_stats = plan_stats,
        .plan_close = plan_close,
        .read_deletes = read_deletes,
        .read_open = read_open,
        .read_next = read_next,
        .read_take = read_take,
        .read_stats = read_stats,
        .read_close = read_close,
    };
    return (rwl_driver){&vtable, store, f, NULL};
}
