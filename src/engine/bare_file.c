/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of a Parquet file by itself: a plan of one fragment, read by the Parquet reader as it is. */
#include "engine/bare_file.h"

#include "iceberg/filter_fields.h"
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

/* The node of a field of the schema, which may lie inside of structs; its own index among all that can be named. */
static const rwl_parquet_node *find_node(const rwl_bare_file *f, const rwl_field_place *places,
                                         int32_t index) {
    if (places[index].parent < 0)
        return index < f->schema.field_count ? &f->parquet->nodes[index] : NULL;
    const rwl_parquet_node *above = find_node(f, places, places[index].parent); /* no deeper than types are */
    return above != NULL ? &above->children[places[index].child] : NULL;
}

static rwl_parquet_source source_of(const rwl_bare_file *f, const rwl_field *fields,
                                    const rwl_field_place *places, int32_t index) {
    const rwl_parquet_node *node = find_node(f, places, index);
    if (fields[index].id == RWL_FIELD_ID_POS)
        return (rwl_parquet_source){.kind = RWL_PARQUET_SOURCE_POSITION};
    if (node == NULL || node->leaf_count != 1)
        return (rwl_parquet_source){0};
    return (rwl_parquet_source){.kind = RWL_PARQUET_SOURCE_LEAF, .leaf = node->first_leaf};
}

/* Finds the rows that may satisfy the filter, whose fields are those that this state names. */
static rwl_status prune_by(const rwl_driver *d, const rwl_fragment_read_options *options, bare_reader *r,
                           rwl_arena *arena, rwl_error *err) {
    const rwl_bare_file *f = d->state;
    rwl_field *fields;
    rwl_field_place *places;
    int32_t count, used_count;
    RWL_TRY(rwl_filter_fields(NULL, &f->schema, arena, &fields, &places, &count, err));
    if (count != options->filter_field_count)
        return rwl_fail(err, RWL_INTERNAL, "a filter of other fields than the file's");
    rwl_parquet_source *sources = rwl_arena_array(arena, (size_t)count, sizeof *sources);
    if (sources == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof *sources);
    const int32_t *used = rwl_bound_columns(options->filter, &used_count);
    for (int32_t i = 0; i < used_count; i++)
        sources[used[i]] = source_of(f, fields, places, used[i]);
    rwl_parquet_prune_request request = {.filter = options->filter,
                                         .fields = options->filter_fields,
                                         .field_count = count,
                                         .sources = sources,
                                         .skip_page_crc = options->skip_page_crc};
    RWL_TRY(rwl_parquet_prune(d->store, r->op, f->parquet, &request, &r->selection, err));
    r->is_pruned = true;
    return RWL_OK;
}

static rwl_status prune(const rwl_driver *d, const rwl_fragment_read_options *options, bare_reader *r,
                        rwl_error *err) {
    rwl_arena arena;
    rwl_arena_init(&arena, r->op->env, 0);
    rwl_status st = prune_by(d, options, r, &arena, err);
    rwl_arena_clear(&arena);
    return st;
}

/* --- columns --- */

/* Marks the leaves below `node` that a field cut down to some of its children asks for; children are found by name. */
static void mark_leaves(const rwl_parquet_node *node, const rwl_type *type, bool *wanted) {
    if (type->kind != RWL_TYPE_STRUCT || node->child_count == 0) {
        memset(wanted + node->first_leaf, true, (size_t)node->leaf_count * sizeof *wanted);
        return;
    }
    for (int32_t i = 0, k = 0; i < type->child_count && k < node->child_count; k++) {
        if (strcmp(node->children[k].field.name, type->children[i].name) == 0)
            mark_leaves(&node->children[k], &type->children[i++].type, wanted);
    }
}

static rwl_status open_reader(const rwl_driver *d, const rwl_fragment_read_options *options,
                              const bare_reader *r, const rwl_field *fields, int32_t field_count,
                              rwl_parquet_reader **out, rwl_error *err) {
    const rwl_bare_file *f = d->state;
    const rwl_env *env = r->op->env;
    size_t count = (size_t)field_count, leaves = (size_t)f->parquet->leaf_count;
    int32_t *nodes = rwl_calloc(env, count + 1, sizeof *nodes);
    bool *wanted = rwl_calloc(env, leaves + 1, sizeof *wanted);
    rwl_status st = RWL_OK;
    if (nodes == NULL || wanted == NULL)
        st = rwl_no_memory(err, count * sizeof *nodes + leaves);
    for (size_t i = 0; i < count && st == RWL_OK; i++) {
        nodes[i] = fields[i].id - 1;
        mark_leaves(&f->parquet->nodes[nodes[i]], &fields[i].type, wanted);
    }
    rwl_parquet_read_options o = {.nodes = nodes,
                                  .node_count = field_count,
                                  .wanted = wanted,
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
    if (st == RWL_OK)
        st = rwl_parquet_reader_new(d->store, r->op, f->parquet, &o, out, err);
    rwl_free(env, nodes);
    rwl_free(env, wanted);
    return st;
}

static rwl_status open_readers(const rwl_driver *d, const rwl_fragment_read_options *options, bare_reader *r,
                               rwl_error *err) {
    if (options->filter != NULL)
        RWL_TRY(prune(d, options, r, err));
    if (options->rows.count > 0)
        rwl_parquet_selection_cut(&r->selection, options->rows);
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
    r->lineage = options->lineage != 0;
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
    if (late.groups_read > s.groups_read) /* where no column was read of every row */
        s.groups_read = late.groups_read;
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

static rwl_status metadata_columns(const rwl_driver *d, rwl_arena *arena, const rwl_metadata_column **out,
                                   int32_t *count, rwl_error *err) {
    (void)d;
    return rwl_filter_metadata_columns(NULL, arena, out, count, err);
}

rwl_driver rwl_bare_file_driver(const rwl_bare_file *f, rwl_store *store) {
    static const rwl_driver_vtable vtable = {
        .format = "parquet",
        .is_file = true,
        .metadata_columns = metadata_columns,
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
