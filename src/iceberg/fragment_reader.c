/* SPDX-License-Identifier: Apache-2.0 */
/* The live rows of a fragment, batch by batch: deletes cut out, columns projected, lineage attached. */
#include "iceberg/fragment_reader.h"

#include "base/vec.h"
#include "iceberg/fragment_prune.h"
#include "iceberg/projection.h"
#include "lineage/inherit.h"

#include <inttypes.h>

/* An output column and the column of the raw batch it is made from. */
typedef struct output {
    rwl_recipe recipe;
    int32_t slot; /* in the raw batch, -1 for a constant */
    bool shared;  /* another output or the lineage needs the same slot */
} output;

/* Columns read together: those of every row, or those of rows taken later. */
typedef struct column_set {
    const rwl_field *fields;
    output *outputs;
    int32_t field_count;
    int32_t *columns; /* of the file, that are read */
    int32_t column_count;
    bool *wanted;              /* leaves of the file */
    rwl_stored_reader *reader; /* NULL until needed */
    rwl_batch raw;             /* made with the reader */
} column_set;

typedef RWL_VEC(rwl_range) range_list;

struct rwl_fragment_reader {
    const rwl_env *env;
    rwl_store *store;
    rwl_op *op;
    rwl_arena arena;
    rwl_fragment fragment;
    rwl_stored_file *file;
    rwl_projection projection;
    column_set now, late;
    int32_t id_slot, version_slot; /* stored lineage in the raw batch, -1 */
    bool lineage, skip_page_crc;
    struct rwl_pool *pool;
    bool is_partial; /* only the rows of `wanted` are read */
    range_list wanted;
    int64_t batch_rows; /* as asked for, 0: as many as fit */
    int64_t pruning_requests, pruning_bytes;
    rwl_column scratch; /* rows to be made over */
    rwl_bitmap *deletes;
    range_list ranges; /* live rows of the raw batch */
};

/* --- opening --- */

static rwl_status fail_count(const rwl_fragment_reader *r, const char *what, int64_t rows, rwl_error *err) {
    rwl_status st = rwl_fail(err, RWL_CORRUPT,
                             "data file %s: the manifest says %" PRId64 " rows, the file has %s%" PRId64,
                             r->file->location, r->fragment.row_count, what, rows);
    return rwl_error_path(err, st, r->file->location);
}

static rwl_status open_file(rwl_fragment_reader *r, rwl_error *err) {
    const rwl_fragment *f = &r->fragment;
    rwl_status st =
        rwl_stored_file_open(r->store, r->op, f->location, f->format, f->file_size, &r->file, err);
    if (st == RWL_CORRUPT || st == RWL_UNSUPPORTED)
        return rwl_error_in(err, st, "data file");
    RWL_TRY(st);
    return r->file->row_count < 0 || r->file->row_count == f->row_count
               ? (rwl_status)RWL_OK
               : fail_count(r, "", r->file->row_count, err);
}

static int32_t slot_of(column_set *set, int32_t column, bool *was_there) {
    for (int32_t i = 0; i < set->column_count; i++)
        if (set->columns[i] == column) {
            *was_there = true;
            return i;
        }
    *was_there = false;
    set->columns[set->column_count] = column;
    return set->column_count++;
}

static void mark_shared(column_set *set, int32_t slot) {
    for (int32_t i = 0; i < set->field_count; i++)
        if (set->outputs[i].slot == slot)
            set->outputs[i].shared = true;
}

static rwl_status in_file(const rwl_fragment_reader *r, rwl_status st, rwl_error *err) {
    if (st == RWL_OK)
        return RWL_OK;
    return rwl_error_path(err, rwl_error_in(err, st, "data file %s", r->file->location), r->file->location);
}

/* -1 when the file has none, or nobody asks. */
static rwl_status lineage_slot(rwl_fragment_reader *r, int32_t field_id, int32_t *slot, rwl_error *err) {
    int32_t column = -1;
    bool was_there;
    *slot = -1;
    if (r->lineage)
        RWL_TRY(in_file(r, rwl_projection_find_lineage(&r->projection, field_id, &column, err), err));
    if (column < 0)
        return RWL_OK;
    *slot = slot_of(&r->now, column, &was_there);
    r->now.wanted[r->projection.first_leaf[column]] = true;
    mark_shared(&r->now, *slot);
    return RWL_OK;
}

static rwl_status plan_outputs(rwl_fragment_reader *r, column_set *set, rwl_error *err) {
    for (int32_t i = 0; i < set->field_count; i++)
        set->outputs[i].slot = -1;
    for (int32_t i = 0; i < set->field_count; i++) {
        output *o = &set->outputs[i];
        RWL_TRY(in_file(
            r, rwl_projection_resolve(&r->projection, &set->fields[i], set->wanted, &o->recipe, err), err));
        if (o->recipe.source < 0)
            continue;
        bool was_there;
        int32_t slot = slot_of(set, o->recipe.source, &was_there);
        o->slot = slot;
        if (was_there)
            mark_shared(set, slot);
    }
    return RWL_OK;
}

static rwl_status plan_columns(rwl_fragment_reader *r, column_set *set, rwl_error *err) {
    size_t count = (size_t)set->field_count;
    set->outputs = rwl_arena_array(&r->arena, count, sizeof *set->outputs);
    set->columns = rwl_arena_array(&r->arena, count + 2, sizeof *set->columns); /* and the lineage */
    set->wanted = rwl_arena_array(&r->arena, (size_t)r->projection.leaf_count, sizeof *set->wanted);
    if (set->outputs == NULL || set->columns == NULL || set->wanted == NULL)
        return rwl_no_memory(err, count * sizeof *set->outputs);
    return plan_outputs(r, set, err);
}

/* When all that is wanted is known. */
static void bind_columns(rwl_fragment_reader *r, column_set *set) {
    for (int32_t i = 0; i < set->field_count; i++)
        rwl_projection_bind(&r->projection, set->wanted, &set->outputs[i].recipe);
}

/* The schema is known by the columns of both sets. */
static rwl_status make_projection(rwl_fragment_reader *r, const rwl_metadata *metadata,
                                  const rwl_fragment_read_options *options, rwl_error *err) {
    size_t count = (size_t)options->field_count, late = (size_t)options->late_field_count;
    rwl_field *fields = rwl_arena_array(&r->arena, count + late, sizeof *fields);
    if (fields == NULL)
        return rwl_no_memory(err, (count + late) * sizeof *fields);
    if (count > 0)
        memcpy(fields, options->fields, count * sizeof *fields);
    if (late > 0)
        memcpy(fields + count, options->late_fields, late * sizeof *fields);
    return in_file(r,
                   rwl_projection_init(&r->projection, metadata, &r->fragment, r->file, fields,
                                       (int32_t)(count + late), &r->arena, err),
                   err);
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
    r->lineage = options->lineage != 0;
    r->skip_page_crc = options->skip_page_crc;
    r->pool = options->pool;
    r->batch_rows = options->batch_rows;
    RWL_TRY(copy_fields(r, options->fields, options->field_count, &r->now, err));
    return copy_fields(r, options->late_fields, options->late_field_count, &r->late, err);
}

/* --- rows that may be left out --- */

static rwl_status add_wanted(rwl_fragment_reader *r, int64_t start, int64_t end, range_list *to,
                             rwl_error *err) {
    rwl_range range = {start, end - start};
    return end > start ? rwl_vec_push(to, r->env, range, err) : (rwl_status)RWL_OK;
}

/* The first run of at least `least` deleted rows that begins at or after `from`, or goes on there. Such a run has a
 * multiple of `least`, and is only looked for where one is deleted: scattered deletes are not walked through. */
static bool find_long_run(const rwl_bitmap *deletes, int64_t from, int64_t end, int64_t least, int64_t *start,
                          int64_t *count) {
    for (int64_t probe = (from + least - 1) / least * least; probe < end; probe += least) {
        if (!rwl_bitmap_contains(deletes, probe))
            continue;
        rwl_bitmap_walk walk = {.bitmap = deletes};
        *count = 0;
        int64_t at = probe - least + 1 > from ? probe - least + 1 : from;
        while (rwl_bitmap_walk_run(&walk, at, start, count) && *start + *count <= probe)
            at = *start + *count;
        if (*count >= least)
            return true;
    }
    return false;
}

/* Long runs of deleted rows are not read at all; short ones are cut out of the batches. */
static rwl_status leave_out_deleted(rwl_fragment_reader *r, rwl_error *err) {
    enum { RUN_LEAST = 8192 };
    range_list live = {0};
    rwl_status st = RWL_OK;
    for (size_t i = 0; i < r->wanted.len && st == RWL_OK; i++) {
        int64_t at = r->wanted.items[i].start, end = at + r->wanted.items[i].count, start, count;
        while (st == RWL_OK && find_long_run(r->deletes, at, end, RUN_LEAST, &start, &count)) {
            st = add_wanted(r, at, start, &live, err);
            at = start + count;
        }
        if (st == RWL_OK)
            st = add_wanted(r, at, end, &live, err);
    }
    rwl_vec_clear(&r->wanted, r->env);
    r->wanted = live;
    return st;
}

static rwl_status prune(rwl_fragment_reader *r, const rwl_fragment_read_options *options, rwl_error *err) {
    rwl_parquet_selection selection;
    RWL_TRY(in_file(r, rwl_fragment_prune(r->store, r->op, &r->projection, options, &selection, err), err));
    r->pruning_requests = selection.requests;
    r->pruning_bytes = selection.bytes_read;
    r->wanted.items = selection.ranges;
    r->wanted.len = r->wanted.cap = selection.count;
    r->is_partial = true;
    return RWL_OK;
}

static void cut_wanted(rwl_fragment_reader *r, rwl_range rows) {
    rwl_parquet_selection wanted = {.ranges = r->wanted.items, .count = r->wanted.len};
    rwl_parquet_selection_cut(&wanted, rows);
    r->wanted.len = wanted.count;
}

static rwl_status choose_rows(rwl_fragment_reader *r, const rwl_fragment_read_options *options,
                              rwl_error *err) {
    if (options->filter != NULL && r->file->parquet != NULL)
        RWL_TRY(prune(r, options, err));
    if (r->deletes == NULL && options->rows.count == 0)
        return RWL_OK;
    if (!r->is_partial)
        RWL_TRY(add_wanted(r, 0, r->fragment.row_count, &r->wanted, err));
    r->is_partial = true;
    if (options->rows.count > 0)
        cut_wanted(r, options->rows);
    return r->deletes != NULL ? leave_out_deleted(r, err) : (rwl_status)RWL_OK;
}

/* --- making and freeing --- */

static rwl_status open_reader(rwl_fragment_reader *r, const rwl_metadata *metadata,
                              const rwl_fragment *fragment, const rwl_fragment_read_options *options,
                              rwl_error *err) {
    RWL_TRY(copy_options(r, fragment, options, err));
    RWL_TRY(open_file(r, err));
    RWL_TRY(make_projection(r, metadata, options, err));
    RWL_TRY(plan_columns(r, &r->now, err));
    RWL_TRY(lineage_slot(r, RWL_FIELD_ID_ROW_ID, &r->id_slot, err));
    RWL_TRY(lineage_slot(r, RWL_FIELD_ID_LAST_UPDATED, &r->version_slot, err));
    RWL_TRY(plan_columns(r, &r->late, err));
    bind_columns(r, &r->now);
    bind_columns(r, &r->late);
    return choose_rows(r, options, err);
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
    if (set->raw.env != NULL)
        rwl_batch_clear(&set->raw);
    rwl_stored_reader_free(set->reader);
}

void rwl_fragment_reader_close(rwl_fragment_reader *r) {
    if (r == NULL)
        return;
    clear_set(&r->now);
    clear_set(&r->late);
    rwl_stored_file_close(r->file);
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
    if (r->now.reader != NULL)
        s = rwl_stored_reader_stats(r->now.reader);
    if (r->late.reader != NULL) /* its row groups are the same ones */
        late = rwl_stored_reader_stats(r->late.reader);
    if (late.groups_read > s.groups_read) /* where no column was read of every row */
        s.groups_read = late.groups_read;
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
                        rwl_stored_read_options *options) {
    enum { VALUE_BYTES = 16, ROWS_LEAST = 1024 };
    if (r->op->memory_limit == 0)
        return;
    int64_t share = r->op->memory_limit / (8 * (int64_t)(set->column_count > 0 ? set->column_count : 1));
    options->batch_bytes = share < 1 << 20 ? 1 << 20 : (size_t)share;
    if (share / VALUE_BYTES < RWL_BATCH_ROWS)
        options->batch_rows = share / VALUE_BYTES > ROWS_LEAST ? share / VALUE_BYTES : ROWS_LEAST;
}

static rwl_status make_raw_batch(rwl_fragment_reader *r, column_set *set, rwl_error *err) {
    int32_t count;
    const rwl_field *fields = rwl_stored_reader_fields(set->reader, &count);
    if (count != set->column_count)
        return rwl_fail(err, RWL_INTERNAL, "%d columns for %d", count, set->column_count);
    for (int32_t i = 0; i < set->field_count; i++) {
        const output *o = &set->outputs[i];
        if (o->slot >= 0 && !rwl_recipe_fits(&o->recipe, &fields[o->slot].type))
            return rwl_fail(err, RWL_INTERNAL, "column %s: other fields than were asked for",
                            set->fields[i].name);
    }
    return rwl_batch_init(&set->raw, r->env, fields, count, err);
}

static rwl_status start(rwl_fragment_reader *r, column_set *set, rwl_error *err) {
    static const rwl_range none[1];
    rwl_stored_read_options options = {
        .columns = set->columns,
        .column_count = set->column_count,
        .wanted = set->wanted,
        .skip_page_crc = r->skip_page_crc,
        .pool = r->pool,
    };
    if (r->is_partial) {
        options.ranges = r->wanted.len > 0 ? r->wanted.items : none;
        options.range_count = r->wanted.len;
    }
    limit_batch(r, set, &options);
    if (r->batch_rows > 0 && (options.batch_rows == 0 || r->batch_rows < options.batch_rows))
        options.batch_rows = r->batch_rows;
    RWL_TRY(in_file(r, rwl_stored_reader_new(r->store, r->op, r->file, &options, &set->reader, err), err));
    return make_raw_batch(r, set, err);
}

/* What an Avro file holds is only known when it was read: as many rows as the manifest says, whichever of them are wanted. */
static rwl_status check_count(const rwl_fragment_reader *r, int64_t pos, int64_t length, rwl_error *err) {
    if (r->file->row_count >= 0)
        return RWL_OK;
    if (length > 0)
        return length <= r->fragment.row_count - pos ? (rwl_status)RWL_OK
                                                     : fail_count(r, "at least ", pos + length, err);
    return pos == r->fragment.row_count ? RWL_OK : fail_count(r, "", pos, err);
}

/* The live rows of a batch at physical position `pos`, as ranges of batch rows; their number in *live. */
static rwl_status find_live(rwl_fragment_reader *r, int64_t pos, int64_t length, int64_t *live,
                            rwl_error *err) {
    int64_t at = 0, start_pos, count;
    rwl_bitmap_walk walk = {.bitmap = r->deletes};
    r->ranges.len = 0;
    *live = 0;
    while (at < length) {
        int64_t end = length, next = length;
        if (r->deletes != NULL && rwl_bitmap_walk_run(&walk, pos + at, &start_pos, &count) &&
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

/* Copies rows of a raw column, to be made over. */
static rwl_status fill_scratch(rwl_fragment_reader *r, const rwl_column *in, const rwl_range *ranges,
                               size_t count, rwl_error *err) {
    if (r->scratch.type.kind != in->type.kind || !rwl_type_equal(&r->scratch.type, &in->type)) {
        rwl_column_clear(&r->scratch, r->env);
        RWL_TRY(rwl_column_init(&r->scratch, r->env, &in->type, err));
    }
    rwl_column_reset(&r->scratch);
    return rwl_column_take_ranges(in, ranges, count, &r->scratch, r->env, err);
}

/* Rows of a column whose type differs from the output's in names alone. */
static rwl_status take_as(rwl_fragment_reader *r, const rwl_column *in, const rwl_range *ranges, size_t count,
                          rwl_column *out, rwl_error *err) {
    if (!rwl_type_is_nested(&in->type)) {
        rwl_type type = out->type;
        out->type = in->type;
        rwl_status st = rwl_column_take_ranges(in, ranges, count, out, r->env, err);
        out->type = type;
        return st;
    }
    RWL_TRY(fill_scratch(r, in, ranges, count, err));
    rwl_column_exchange(&r->scratch, out);
    return RWL_OK;
}

/* Sets `out` to the rows of `ranges`, `rows` in all, of the set's raw batch. */
static rwl_status fill_column(rwl_fragment_reader *r, column_set *set, const output *o,
                              const rwl_range *ranges, size_t count, int64_t rows, rwl_column *out,
                              rwl_error *err) {
    if (o->slot < 0)
        return rwl_recipe_fill(&o->recipe, rows, out, r->env, err);
    rwl_column *in = &set->raw.columns[o->slot];
    bool is_mine = rows == set->raw.length && !o->shared, is_promoted = o->recipe.kind == RWL_RECIPE_PROMOTED;
    if (is_mine || (is_promoted && rows == set->raw.length))
        return rwl_recipe_apply(&o->recipe, in, out, r->env, err);
    if (o->recipe.kind == RWL_RECIPE_SAME)
        return take_as(r, in, ranges, count, out, err);
    RWL_TRY(fill_scratch(r, in, ranges, count, err));
    return rwl_recipe_apply(&o->recipe, &r->scratch, out, r->env, err);
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
    if (set->reader == NULL)
        RWL_TRY(start(r, set, err));
    rwl_rows_reset(rows);
    for (;;) {
        int64_t pos, live;
        RWL_TRY(rwl_op_check(r->op, err));
        RWL_TRY(rwl_stored_reader_next(set->reader, &set->raw, &pos, err));
        RWL_TRY(check_count(r, pos, set->raw.length, err));
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
    if (set->reader == NULL)
        RWL_TRY(start(r, set, err));
    if (set->column_count > 0) {
        RWL_TRY(rwl_stored_reader_take(set->reader, ranges, count, &set->raw, err));
    } else {
        set->raw.length = 0;
        for (size_t i = 0; i < count; i++)
            set->raw.length += ranges[i].count;
    }
    rwl_range all = {0, set->raw.length};
    return fill_columns(r, set, &all, 1, set->raw.length, batch, err);
}
