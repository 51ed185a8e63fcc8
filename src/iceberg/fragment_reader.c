/* SPDX-License-Identifier: Apache-2.0 */
/* The live rows of a fragment, batch by batch: deletes cut out, columns projected, lineage attached. */
#include "iceberg/fragment_reader.h"

#include "base/vec.h"
#include "iceberg/projection.h"
#include "lineage/inherit.h"
#include "parquet/prune.h"

#include <inttypes.h>
#include <strings.h>

/* An output column and the column of the raw batch it is made from. */
typedef struct output {
    rwl_source source;
    int32_t slot; /* in the raw batch, -1 for a constant */
    bool shared;  /* another output or the lineage needs the same slot */
} output;

/* Columns read together: those of every row, or those of rows taken later. */
typedef struct column_set {
    const rwl_field *fields;
    output *outputs;
    int32_t field_count;
    int32_t *nodes; /* read columns */
    int32_t node_count;
    rwl_parquet_reader *parquet; /* NULL until needed */
    rwl_batch raw;
} column_set;

typedef RWL_VEC(rwl_range) range_list;

struct rwl_fragment_reader {
    const rwl_env *env;
    rwl_store *store;
    rwl_op *op;
    rwl_arena arena;
    rwl_fragment fragment;
    rwl_parquet_file *file;
    column_set now, late;
    int32_t id_slot, version_slot; /* stored lineage in the raw batch, -1 */
    bool lineage, skip_page_crc;
    struct rwl_pool *pool;
    bool is_partial; /* only the rows of `wanted` are read */
    range_list wanted;
    int64_t pruning_requests, pruning_bytes;
    rwl_column scratch; /* rows to be promoted */
    rwl_bitmap *deletes;
    range_list ranges; /* live rows of the raw batch */
};

/* --- opening --- */

static rwl_status open_file(rwl_fragment_reader *r, rwl_error *err) {
    const rwl_fragment *f = &r->fragment;
    if (strcasecmp(f->format, "parquet") != 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "data file %s has format %s, which can't be read yet",
                        f->location, f->format);
    rwl_status st = rwl_parquet_open(r->store, r->op, f->location, f->file_size, &r->file, err);
    if (st == RWL_CORRUPT || st == RWL_UNSUPPORTED) /* the message is about the footer and names no file */
        return rwl_error_in(err, st, "data file %s", f->location);
    RWL_TRY(st);
    if (r->file->row_count == f->row_count)
        return RWL_OK;
    st = rwl_fail(err, RWL_CORRUPT, "data file %s: the manifest says %" PRId64 " rows, the file has %" PRId64,
                  f->location, f->row_count, r->file->row_count);
    return rwl_error_path(err, st, f->location);
}

static int32_t slot_of(column_set *set, int32_t node, bool *was_there) {
    for (int32_t i = 0; i < set->node_count; i++)
        if (set->nodes[i] == node) {
            *was_there = true;
            return i;
        }
    *was_there = false;
    set->nodes[set->node_count] = node;
    return set->node_count++;
}

static void mark_shared(column_set *set, int32_t slot) {
    for (int32_t i = 0; i < set->field_count; i++)
        if (set->outputs[i].slot == slot)
            set->outputs[i].shared = true;
}

/* A stored lineage column, by its reserved id alone: a name makes none. -1 when the file has none. */
static rwl_status lineage_slot(rwl_fragment_reader *r, int32_t field_id, int32_t *slot, rwl_error *err) {
    const rwl_parquet_leaf *leaf = rwl_parquet_leaf_by_id(r->file, field_id);
    *slot = -1;
    if (leaf == NULL || !r->lineage || !r->fragment.lineage.has_first_row_id)
        return RWL_OK; /* a null first_row_id hides what is stored (law 5) */
    if (leaf->field.type.kind != RWL_TYPE_LONG)
        return rwl_fail(err, RWL_CORRUPT, "data file %s: lineage column %s is no long", r->file->location,
                        leaf->field.name);
    bool was_there;
    *slot = slot_of(&r->now, leaf->top, &was_there);
    mark_shared(&r->now, *slot);
    return RWL_OK;
}

static rwl_status resolve(rwl_fragment_reader *r, const rwl_metadata *metadata, const rwl_field *fields,
                          int32_t count, rwl_source **out, rwl_error *err) {
    *out = rwl_arena_array(&r->arena, (size_t)count, sizeof **out);
    if (*out == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof **out);
    rwl_status st =
        rwl_projection_resolve(metadata, &r->fragment, r->file, fields, count, &r->arena, *out, err);
    if (st == RWL_OK)
        return RWL_OK;
    return rwl_error_path(err, rwl_error_in(err, st, "data file %s", r->file->location), r->file->location);
}

static rwl_status plan_columns(rwl_fragment_reader *r, const rwl_metadata *metadata, column_set *set,
                               rwl_error *err) {
    size_t count = (size_t)set->field_count;
    rwl_source *sources;
    set->outputs = rwl_arena_array(&r->arena, count, sizeof *set->outputs);
    set->nodes = rwl_arena_array(&r->arena, count + 2, sizeof *set->nodes); /* and the lineage */
    if (set->outputs == NULL || set->nodes == NULL)
        return rwl_no_memory(err, count * sizeof *set->outputs);
    RWL_TRY(resolve(r, metadata, set->fields, set->field_count, &sources, err));
    for (int32_t i = 0; i < set->field_count; i++)
        set->outputs[i].slot = -1;
    for (int32_t i = 0; i < set->field_count; i++) {
        output *o = &set->outputs[i];
        o->source = sources[i];
        if (sources[i].node < 0)
            continue;
        bool was_there;
        int32_t slot = slot_of(set, sources[i].node, &was_there);
        o->slot = slot;
        if (was_there)
            mark_shared(set, slot);
    }
    return RWL_OK;
}

static rwl_status make_raw_batch(rwl_fragment_reader *r, column_set *set, rwl_error *err) {
    rwl_field *fields = rwl_arena_array(&r->arena, (size_t)set->node_count, sizeof *fields);
    if (fields == NULL)
        return rwl_no_memory(err, sizeof *fields);
    for (int32_t i = 0; i < set->node_count; i++)
        fields[i] = r->file->nodes[set->nodes[i]].field;
    return rwl_batch_init(&set->raw, r->env, fields, set->node_count, err);
}

static rwl_status copy_fields(rwl_fragment_reader *r, const rwl_field *from, int32_t count, column_set *set,
                              rwl_error *err) {
    rwl_field *fields = rwl_arena_array(&r->arena, (size_t)count, sizeof *fields);
    if (fields == NULL)
        return rwl_no_memory(err, sizeof *fields);
    for (int32_t i = 0; i < count; i++)
        if (!rwl_field_copy(&r->arena, &from[i], &fields[i]))
            return rwl_no_memory(err, sizeof *fields);
    set->fields = fields;
    set->field_count = count;
    return RWL_OK;
}

static rwl_status copy_options(rwl_fragment_reader *r, const rwl_fragment *fragment,
                               const rwl_fragment_read_options *options, rwl_error *err) {
    RWL_TRY(rwl_fragment_copy(&r->arena, fragment, &r->fragment, err));
    r->lineage = options->lineage;
    r->skip_page_crc = options->skip_page_crc;
    r->pool = options->pool;
    RWL_TRY(copy_fields(r, options->fields, options->field_count, &r->now, err));
    return copy_fields(r, options->late_fields, options->late_field_count, &r->late, err);
}

/* --- rows that may be left out --- */

/* Where the filter's fields come from: a column of the file, a constant, or nothing that is known here. */
static rwl_status resolve_filter(rwl_fragment_reader *r, const rwl_metadata *metadata,
                                 const rwl_fragment_read_options *options, rwl_parquet_prune_request *q,
                                 rwl_error *err) {
    size_t count = (size_t)options->filter_field_count;
    int32_t *nodes = rwl_arena_array(&r->arena, count, sizeof *nodes), used_count;
    rwl_value *constants = rwl_arena_array(&r->arena, count, sizeof *constants);
    if (nodes == NULL || constants == NULL)
        return rwl_no_memory(err, count * sizeof *constants);
    for (size_t i = 0; i < count; i++)
        nodes[i] = -1;
    const int32_t *used = rwl_bound_columns(options->filter, &used_count);
    for (int32_t i = 0; i < used_count; i++) {
        const rwl_field *field = &options->filter_fields[used[i]];
        rwl_source *source;
        if (field->id >= RWL_FIELD_ID_RESERVED_MIN)
            continue; /* lineage that is inherited, positions */
        RWL_TRY(resolve(r, metadata, field, 1, &source, err));
        nodes[used[i]] = source->kind == RWL_SOURCE_CONSTANT ? -2 : source->node;
        constants[used[i]] = source->constant;
    }
    *q = (rwl_parquet_prune_request){.filter = options->filter,
                                     .fields = options->filter_fields,
                                     .field_count = options->filter_field_count,
                                     .nodes = nodes,
                                     .constants = constants,
                                     .skip_page_crc = options->skip_page_crc};
    return RWL_OK;
}

static rwl_status add_wanted(rwl_fragment_reader *r, int64_t start, int64_t end, range_list *to,
                             rwl_error *err) {
    rwl_range range = {start, end - start};
    return end > start ? rwl_vec_push(to, r->env, range, err) : (rwl_status)RWL_OK;
}

/* Long runs of deleted rows are not read at all; short ones are cut out of the batches. */
static rwl_status leave_out_deleted(rwl_fragment_reader *r, rwl_error *err) {
    enum { RUN_LEAST = 8192 };
    range_list live = {0};
    rwl_status st = RWL_OK;
    for (size_t i = 0; i < r->wanted.len && st == RWL_OK; i++) {
        int64_t at = r->wanted.items[i].start, end = at + r->wanted.items[i].count, from = at, start, count;
        while (st == RWL_OK && rwl_bitmap_next_run(r->deletes, from, &start, &count) && start < end) {
            from = start + count;
            if (count < RUN_LEAST)
                continue;
            st = add_wanted(r, at, start, &live, err);
            at = from;
        }
        if (st == RWL_OK)
            st = add_wanted(r, at, end, &live, err);
    }
    rwl_vec_clear(&r->wanted, r->env);
    r->wanted = live;
    return st;
}

static rwl_status prune(rwl_fragment_reader *r, const rwl_metadata *metadata,
                        const rwl_fragment_read_options *options, rwl_error *err) {
    rwl_parquet_prune_request request;
    rwl_parquet_selection selection;
    RWL_TRY(resolve_filter(r, metadata, options, &request, err));
    RWL_TRY(rwl_parquet_prune(r->store, r->op, r->file, &request, &selection, err));
    r->pruning_requests = selection.requests;
    r->pruning_bytes = selection.bytes_read;
    r->wanted.items = selection.ranges;
    r->wanted.len = r->wanted.cap = selection.count;
    r->is_partial = true;
    return RWL_OK;
}

static rwl_status choose_rows(rwl_fragment_reader *r, const rwl_metadata *metadata,
                              const rwl_fragment_read_options *options, rwl_error *err) {
    if (options->filter != NULL)
        RWL_TRY(prune(r, metadata, options, err));
    if (r->deletes == NULL)
        return RWL_OK;
    if (!r->is_partial)
        RWL_TRY(add_wanted(r, 0, r->file->row_count, &r->wanted, err));
    r->is_partial = true;
    return leave_out_deleted(r, err);
}

/* --- making and freeing --- */

static rwl_status open_reader(rwl_fragment_reader *r, const rwl_metadata *metadata,
                              const rwl_fragment *fragment, const rwl_fragment_read_options *options,
                              rwl_error *err) {
    RWL_TRY(copy_options(r, fragment, options, err));
    RWL_TRY(open_file(r, err));
    RWL_TRY(plan_columns(r, metadata, &r->now, err));
    RWL_TRY(lineage_slot(r, RWL_FIELD_ID_ROW_ID, &r->id_slot, err));
    RWL_TRY(lineage_slot(r, RWL_FIELD_ID_LAST_UPDATED, &r->version_slot, err));
    RWL_TRY(make_raw_batch(r, &r->now, err));
    RWL_TRY(plan_columns(r, metadata, &r->late, err));
    RWL_TRY(make_raw_batch(r, &r->late, err));
    return choose_rows(r, metadata, options, err);
}

rwl_status rwl_fragment_reader_open(rwl_store *store, rwl_op *op, const rwl_metadata *metadata,
                                    const rwl_fragment *fragment, const rwl_fragment_read_options *options,
                                    rwl_bitmap *deletes, rwl_fragment_reader **out, rwl_error *err) {
    *out = NULL;
    rwl_fragment_reader *r = rwl_calloc(op->env, 1, sizeof *r);
    if (r == NULL) {
        rwl_bitmap_free(deletes);
        return rwl_no_memory(err, sizeof *r);
    }
    r->deletes = deletes;
    r->env = op->env;
    r->store = store;
    r->op = op;
    rwl_arena_init(&r->arena, r->env, 0);
    rwl_status st = open_reader(r, metadata, fragment, options, err);
    if (st != RWL_OK) {
        rwl_fragment_reader_close(r);
        return st;
    }
    *out = r;
    return RWL_OK;
}

static void clear_set(column_set *set) {
    rwl_parquet_reader_free(set->parquet);
    if (set->raw.env != NULL)
        rwl_batch_clear(&set->raw);
}

void rwl_fragment_reader_close(rwl_fragment_reader *r) {
    if (r == NULL)
        return;
    clear_set(&r->now);
    clear_set(&r->late);
    rwl_parquet_close(r->file);
    rwl_vec_clear(&r->wanted, r->env);
    rwl_column_clear(&r->scratch, r->env);
    rwl_bitmap_free(r->deletes);
    rwl_vec_clear(&r->ranges, r->env);
    rwl_arena_clear(&r->arena);
    rwl_free(r->env, r);
}

rwl_parquet_read_stats rwl_fragment_reader_stats(const rwl_fragment_reader *r) {
    rwl_parquet_read_stats s, late;
    memset(&s, 0, sizeof s);
    memset(&late, 0, sizeof late);
    if (r->now.parquet != NULL)
        s = rwl_parquet_reader_stats(r->now.parquet);
    if (r->late.parquet != NULL) /* its row groups are the same ones */
        late = rwl_parquet_reader_stats(r->late.parquet);
    s.pages_read += late.pages_read;
    s.pages_skipped += late.pages_skipped;
    s.bytes_read += late.bytes_read + r->pruning_bytes;
    s.requests += late.requests + r->pruning_requests;
    return s;
}

/* --- reading --- */

/* An eighth of the budget for the rows of a batch: fewer of them where there are many columns, and for each
 * variable-length column no less than a MiB. */
static void limit_batch(const rwl_fragment_reader *r, const column_set *set,
                        rwl_parquet_read_options *options) {
    enum { VALUE_BYTES = 16, ROWS_LEAST = 1024 };
    if (r->op->memory_limit == 0)
        return;
    int64_t share = r->op->memory_limit / (8 * (int64_t)(set->node_count > 0 ? set->node_count : 1));
    options->batch_bytes = share < 1 << 20 ? 1 << 20 : (size_t)share;
    if (share / VALUE_BYTES < RWL_BATCH_ROWS)
        options->batch_rows = share / VALUE_BYTES > ROWS_LEAST ? share / VALUE_BYTES : ROWS_LEAST;
}

static rwl_status start(rwl_fragment_reader *r, column_set *set, rwl_error *err) {
    static const rwl_range none[1];
    rwl_parquet_read_options options = {
        .nodes = set->nodes,
        .node_count = set->node_count,
        .row_count = -1,
        .skip_page_crc = r->skip_page_crc,
        .pool = r->pool,
    };
    if (r->is_partial) {
        options.ranges = r->wanted.len > 0 ? r->wanted.items : none;
        options.range_count = r->wanted.len;
    }
    limit_batch(r, set, &options);
    return rwl_parquet_reader_new(r->store, r->op, r->file, &options, &set->parquet, err);
}

/* The live rows of a batch at physical position `pos`, as ranges of batch rows; their number in *live. */
static rwl_status find_live(rwl_fragment_reader *r, int64_t pos, int64_t length, int64_t *live,
                            rwl_error *err) {
    int64_t at = 0, start_pos, count;
    r->ranges.len = 0;
    *live = 0;
    while (at < length) {
        int64_t end = length, next = length;
        if (r->deletes != NULL && rwl_bitmap_next_run(r->deletes, pos + at, &start_pos, &count) &&
            start_pos - pos < length) {
            end = start_pos - pos;
            next = count > length - end ? length : end + count;
        }
        if (end > at) {
            rwl_range range = {at, end - at};
            RWL_TRY(rwl_vec_push(&r->ranges, r->env, range, err));
            *live += range.count;
        }
        at = next;
    }
    return RWL_OK;
}

/* Gives a column the names of another type of the same layout. */
static void rename_column(rwl_column *c, const rwl_type *type) {
    c->type = *type;
    for (int32_t i = 0; i < type->child_count; i++)
        rename_column(&c->children[i], &type->children[i].type);
}

/* Rows of a column whose type differs from the output's in name alone. */
static rwl_status take_as(const rwl_column *in, const rwl_fragment_reader *r, const rwl_range *ranges,
                          size_t count, rwl_column *out, rwl_error *err) {
    rwl_type type = out->type;
    out->type = in->type;
    rwl_status st = rwl_column_take_ranges(in, ranges, count, out, r->env, err);
    out->type = type;
    return st;
}

static void swap_columns(rwl_column *a, rwl_column *b) {
    rwl_type of_a = a->type, of_b = b->type;
    rwl_column_swap(a, b);
    rename_column(a, &of_a);
    rename_column(b, &of_b);
}

/* Sets `out` to the rows of `ranges`, `rows` in all, of the set's raw batch. */
static rwl_status fill_column(rwl_fragment_reader *r, column_set *set, const output *o,
                              const rwl_range *ranges, size_t count, int64_t rows, rwl_column *out,
                              rwl_error *err) {
    if (o->slot < 0)
        return rwl_column_append(out, r->env, &o->source.constant, rows, err);
    rwl_column *in = &set->raw.columns[o->slot];
    bool whole = rows == set->raw.length;
    if (o->source.kind == RWL_SOURCE_SAME) {
        if (!whole || o->shared)
            return take_as(in, r, ranges, count, out, err);
        swap_columns(in, out);
        return RWL_OK;
    }
    if (whole)
        return rwl_column_promote(in, out, r->env, err);
    if (r->scratch.type.kind != in->type.kind || !rwl_type_equal(&r->scratch.type, &in->type)) {
        rwl_column_clear(&r->scratch, r->env);
        RWL_TRY(rwl_column_init(&r->scratch, r->env, &in->type, err));
    }
    rwl_column_reset(&r->scratch);
    RWL_TRY(rwl_column_take_ranges(in, ranges, count, &r->scratch, r->env, err));
    return rwl_column_promote(&r->scratch, out, r->env, err);
}

static rwl_status fill_columns(rwl_fragment_reader *r, column_set *set, const rwl_range *ranges, size_t count,
                               int64_t rows, rwl_batch *out, rwl_error *err) {
    for (int32_t i = 0; i < set->field_count; i++) {
        rwl_status st = fill_column(r, set, &set->outputs[i], ranges, count, rows, &out->columns[i], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "data file %s: column %s", r->file->location, set->fields[i].name);
    }
    out->length = rows;
    return RWL_OK;
}

static rwl_status fill_lineage(rwl_fragment_reader *r, int64_t pos, rwl_rows *rows, rwl_error *err) {
    const rwl_lineage_base *base = &r->fragment.lineage;
    rwl_inherit_file file = {base->has_first_row_id ? rwl_some(base->first_row_id) : rwl_none(),
                             base->sequence_number};
    rwl_inherit_stored stored = {r->id_slot < 0 ? NULL : &r->now.raw.columns[r->id_slot],
                                 r->version_slot < 0 ? NULL : &r->now.raw.columns[r->version_slot]};
    rwl_status st = rwl_inherit_ranges(&file, pos, r->ranges.items, r->ranges.len, &stored, &rows->row_ids,
                                       &rows->versions, err);
    return st == RWL_OK ? RWL_OK : rwl_error_in(err, st, "data file %s", r->file->location);
}

static rwl_status fill_rows(rwl_fragment_reader *r, int64_t pos, int64_t live, rwl_rows *rows,
                            rwl_error *err) {
    for (size_t i = 0; i < r->ranges.len; i++)
        RWL_TRY(
            rwl_runs_append(&rows->positions, pos + r->ranges.items[i].start, r->ranges.items[i].count, err));
    if (r->lineage) /* before columns are handed over */
        RWL_TRY(fill_lineage(r, pos, rows, err));
    return fill_columns(r, &r->now, r->ranges.items, r->ranges.len, live, &rows->batch, err);
}

rwl_status rwl_fragment_reader_next(rwl_fragment_reader *r, rwl_rows *rows, rwl_error *err) {
    column_set *set = &r->now;
    if (set->parquet == NULL)
        RWL_TRY(start(r, set, err));
    rwl_rows_reset(rows);
    for (;;) {
        int64_t pos, live;
        RWL_TRY(rwl_op_check(r->op, err));
        RWL_TRY(rwl_parquet_reader_next(set->parquet, &set->raw, &pos, err));
        if (set->raw.length == 0)
            return RWL_OK;
        RWL_TRY(find_live(r, pos, set->raw.length, &live, err));
        if (live > 0)
            return fill_rows(r, pos, live, rows, err);
    }
}

rwl_status rwl_fragment_reader_take(rwl_fragment_reader *r, const rwl_range *ranges, size_t count,
                                    rwl_batch *batch, rwl_error *err) {
    column_set *set = &r->late;
    rwl_batch_reset(batch);
    if (set->parquet == NULL)
        RWL_TRY(start(r, set, err));
    if (set->node_count > 0) {
        RWL_TRY(rwl_parquet_reader_take(set->parquet, ranges, count, &set->raw, err));
    } else {
        set->raw.length = 0;
        for (size_t i = 0; i < count; i++)
            set->raw.length += ranges[i].count;
    }
    rwl_range all = {0, set->raw.length};
    return fill_columns(r, set, &all, 1, set->raw.length, batch, err);
}
