/* SPDX-License-Identifier: Apache-2.0 */
/* The live rows of a fragment, batch by batch: deletes cut out, columns projected, lineage attached. */
#include "iceberg/fragment_reader.h"

#include "base/vec.h"
#include "iceberg/position_deletes.h"
#include "iceberg/projection.h"
#include "lineage/inherit.h"
#include "puffin/puffin.h"

#include <inttypes.h>
#include <strings.h>

/* An output column and the column of the raw batch it is made from. */
typedef struct output {
    rwl_source source;
    int32_t slot; /* in the raw batch, -1 for a constant */
    bool shared;  /* another output or the lineage needs the same slot */
} output;

struct rwl_fragment_reader {
    const rwl_env *env;
    rwl_store *store;
    rwl_op *op;
    rwl_arena arena;
    rwl_fragment fragment;
    rwl_field *fields;
    output *outputs;
    int32_t field_count;
    rwl_parquet_file *file;
    rwl_parquet_reader *parquet; /* NULL until the first next */
    int32_t *leaves;             /* read columns */
    int32_t leaf_count;
    int32_t id_slot, version_slot; /* stored lineage in the raw batch, -1 */
    const bool *skip_groups;
    bool lineage, skip_page_crc;
    rwl_batch raw;
    rwl_column scratch; /* rows to be promoted */
    rwl_bitmap *deletes;
    RWL_VEC(rwl_range) ranges;
};

/* --- deletes --- */

static rwl_status add_deletes(rwl_store *store, rwl_op *op, const rwl_fragment *fragment,
                              const rwl_delete_ref *ref, rwl_bitmap *into, rwl_error *err) {
    if (ref->kind == RWL_DELETE_EQUALITY)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "equality delete file %s applies to data file %s, which can't be read yet",
                        ref->location, fragment->location);
    if (ref->kind == RWL_DELETE_POSITIONS)
        return rwl_position_deletes_read(store, op, ref, fragment->location, into, err);
    rwl_dv_ref dv = {ref->location, ref->offset, ref->length, ref->row_count, ref->file_size};
    rwl_bitmap *vector = NULL;
    RWL_TRY(rwl_dv_read(store, op, &dv, &vector, err));
    rwl_status st = rwl_bitmap_union(into, vector, err);
    rwl_bitmap_free(vector);
    return st;
}

rwl_status rwl_fragment_deletes(rwl_store *store, rwl_op *op, const rwl_fragment *fragment, rwl_bitmap **out,
                                rwl_error *err) {
    *out = NULL;
    if (fragment->delete_count == 0)
        return RWL_OK;
    rwl_bitmap *all = NULL;
    RWL_TRY(rwl_bitmap_new(op->env, &all, err));
    rwl_status st = RWL_OK;
    for (int32_t i = 0; i < fragment->delete_count && st == RWL_OK; i++)
        st = add_deletes(store, op, fragment, &fragment->deletes[i], all, err);
    if (st != RWL_OK) {
        rwl_bitmap_free(all);
        return st;
    }
    *out = all;
    return RWL_OK;
}

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

static int32_t slot_of(rwl_fragment_reader *r, int32_t leaf, bool *was_there) {
    for (int32_t i = 0; i < r->leaf_count; i++)
        if (r->leaves[i] == leaf) {
            *was_there = true;
            return i;
        }
    *was_there = false;
    r->leaves[r->leaf_count] = leaf;
    return r->leaf_count++;
}

static void mark_shared(rwl_fragment_reader *r, int32_t slot) {
    for (int32_t i = 0; i < r->field_count; i++)
        if (r->outputs[i].slot == slot)
            r->outputs[i].shared = true;
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
    *slot = slot_of(r, (int32_t)(leaf - r->file->leaves), &was_there);
    mark_shared(r, *slot);
    return RWL_OK;
}

static rwl_status plan_columns(rwl_fragment_reader *r, const rwl_metadata *metadata, rwl_error *err) {
    size_t count = (size_t)r->field_count;
    rwl_source *sources = rwl_arena_array(&r->arena, count, sizeof *sources);
    r->outputs = rwl_arena_array(&r->arena, count, sizeof *r->outputs);
    r->leaves = rwl_arena_array(&r->arena, count + 2, sizeof *r->leaves);
    if (sources == NULL || r->outputs == NULL || r->leaves == NULL)
        return rwl_no_memory(err, count * sizeof *r->outputs);
    rwl_status st = rwl_projection_resolve(metadata, &r->fragment, r->file, r->fields, r->field_count,
                                           &r->arena, sources, err);
    if (st != RWL_OK)
        return rwl_error_path(err, rwl_error_in(err, st, "data file %s", r->file->location),
                              r->file->location);
    for (int32_t i = 0; i < r->field_count; i++)
        r->outputs[i].slot = -1;
    for (int32_t i = 0; i < r->field_count; i++) {
        output *o = &r->outputs[i];
        o->source = sources[i];
        if (sources[i].leaf < 0)
            continue;
        bool was_there;
        int32_t slot = slot_of(r, sources[i].leaf, &was_there);
        o->slot = slot;
        if (was_there)
            mark_shared(r, slot);
    }
    RWL_TRY(lineage_slot(r, RWL_FIELD_ID_ROW_ID, &r->id_slot, err));
    return lineage_slot(r, RWL_FIELD_ID_LAST_UPDATED, &r->version_slot, err);
}

static rwl_status make_raw_batch(rwl_fragment_reader *r, rwl_error *err) {
    rwl_field *fields = rwl_arena_array(&r->arena, (size_t)r->leaf_count, sizeof *fields);
    if (fields == NULL)
        return rwl_no_memory(err, sizeof *fields);
    for (int32_t i = 0; i < r->leaf_count; i++)
        fields[i] = r->file->leaves[r->leaves[i]].field;
    return rwl_batch_init(&r->raw, r->env, fields, r->leaf_count, err);
}

static rwl_status copy_options(rwl_fragment_reader *r, const rwl_fragment *fragment,
                               const rwl_fragment_read_options *options, rwl_error *err) {
    RWL_TRY(rwl_fragment_copy(&r->arena, fragment, &r->fragment, err));
    r->field_count = options->field_count;
    r->lineage = options->lineage;
    r->skip_page_crc = options->skip_page_crc;
    r->fields = rwl_arena_array(&r->arena, (size_t)options->field_count, sizeof *r->fields);
    if (r->fields == NULL)
        return rwl_no_memory(err, sizeof *r->fields);
    for (int32_t i = 0; i < options->field_count; i++)
        if (!rwl_field_copy(&r->arena, &options->fields[i], &r->fields[i]))
            return rwl_no_memory(err, sizeof *r->fields);
    return RWL_OK;
}

static rwl_status copy_skip_groups(rwl_fragment_reader *r, const bool *skip, rwl_error *err) {
    r->skip_groups = rwl_arena_copy(&r->arena, skip, (size_t)r->file->group_count * sizeof *skip);
    return r->skip_groups == NULL ? rwl_no_memory(err, (size_t)r->file->group_count) : RWL_OK;
}

static rwl_status open_reader(rwl_fragment_reader *r, const rwl_metadata *metadata,
                              const rwl_fragment *fragment, const rwl_fragment_read_options *options,
                              rwl_error *err) {
    RWL_TRY(copy_options(r, fragment, options, err));
    RWL_TRY(open_file(r, err));
    RWL_TRY(plan_columns(r, metadata, err));
    RWL_TRY(make_raw_batch(r, err));
    if (options->skip_groups != NULL)
        RWL_TRY(copy_skip_groups(r, options->skip_groups, err));
    return options->keep_deleted ? RWL_OK
                                 : rwl_fragment_deletes(r->store, r->op, &r->fragment, &r->deletes, err);
}

rwl_status rwl_fragment_reader_open(rwl_store *store, rwl_op *op, const rwl_metadata *metadata,
                                    const rwl_fragment *fragment, const rwl_fragment_read_options *options,
                                    rwl_fragment_reader **out, rwl_error *err) {
    *out = NULL;
    rwl_fragment_reader *r = rwl_calloc(op->env, 1, sizeof *r);
    if (r == NULL)
        return rwl_no_memory(err, sizeof *r);
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

void rwl_fragment_reader_close(rwl_fragment_reader *r) {
    if (r == NULL)
        return;
    rwl_parquet_reader_free(r->parquet);
    rwl_parquet_close(r->file);
    if (r->raw.env != NULL)
        rwl_batch_clear(&r->raw);
    rwl_column_clear(&r->scratch, r->env);
    rwl_bitmap_free(r->deletes);
    rwl_vec_clear(&r->ranges, r->env);
    rwl_arena_clear(&r->arena);
    rwl_free(r->env, r);
}

rwl_parquet_read_stats rwl_fragment_reader_stats(const rwl_fragment_reader *r) {
    rwl_parquet_read_stats none;
    memset(&none, 0, sizeof none);
    return r->parquet != NULL ? rwl_parquet_reader_stats(r->parquet) : none;
}

/* --- reading --- */

/* An eighth of the budget for the rows of a batch: fewer of them where there are many columns, and for each
 * variable-length column no less than a MiB. */
static void limit_batch(const rwl_fragment_reader *r, rwl_parquet_read_options *options) {
    enum { VALUE_BYTES = 16, ROWS_LEAST = 1024 };
    if (r->op->memory_limit == 0)
        return;
    int64_t share = r->op->memory_limit / (8 * (int64_t)(r->leaf_count > 0 ? r->leaf_count : 1));
    options->batch_bytes = share < 1 << 20 ? 1 << 20 : (size_t)share;
    if (share / VALUE_BYTES < RWL_BATCH_ROWS)
        options->batch_rows = share / VALUE_BYTES > ROWS_LEAST ? share / VALUE_BYTES : ROWS_LEAST;
}

static rwl_status start(rwl_fragment_reader *r, rwl_error *err) {
    rwl_parquet_read_options options = {
        .leaves = r->leaves,
        .leaf_count = r->leaf_count,
        .row_count = -1,
        .skip_groups = r->skip_groups,
        .skip_page_crc = r->skip_page_crc,
    };
    limit_batch(r, &options);
    return rwl_parquet_reader_new(r->store, r->op, r->file, &options, &r->parquet, err);
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

/* Rows of a column whose type differs from the output's in name alone. */
static rwl_status take_as(const rwl_column *in, const rwl_fragment_reader *r, rwl_column *out,
                          rwl_error *err) {
    rwl_type type = out->type;
    out->type = in->type;
    rwl_status st = rwl_column_take_ranges(in, r->ranges.items, r->ranges.len, out, r->env, err);
    out->type = type;
    return st;
}

static void swap_columns(rwl_column *a, rwl_column *b) {
    rwl_column c = *a;
    *a = *b;
    *b = c;
    rwl_type type = a->type;
    a->type = b->type;
    b->type = type;
}

static rwl_status fill_column(rwl_fragment_reader *r, const output *o, int64_t live, rwl_column *out,
                              rwl_error *err) {
    if (o->slot < 0)
        return rwl_column_append(out, r->env, &o->source.constant, live, err);
    rwl_column *in = &r->raw.columns[o->slot];
    bool whole = live == r->raw.length;
    if (o->source.kind == RWL_SOURCE_SAME) {
        if (!whole || o->shared)
            return take_as(in, r, out, err);
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
    RWL_TRY(rwl_column_take_ranges(in, r->ranges.items, r->ranges.len, &r->scratch, r->env, err));
    return rwl_column_promote(&r->scratch, out, r->env, err);
}

static rwl_status fill_lineage(rwl_fragment_reader *r, int64_t pos, rwl_rows *rows, rwl_error *err) {
    const rwl_lineage_base *base = &r->fragment.lineage;
    rwl_inherit_file file = {base->has_first_row_id ? rwl_some(base->first_row_id) : rwl_none(),
                             base->sequence_number};
    rwl_inherit_stored stored = {r->id_slot < 0 ? NULL : &r->raw.columns[r->id_slot],
                                 r->version_slot < 0 ? NULL : &r->raw.columns[r->version_slot]};
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
    for (int32_t i = 0; i < r->field_count; i++) {
        rwl_status st = fill_column(r, &r->outputs[i], live, &rows->batch.columns[i], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "data file %s: column %s", r->file->location, r->fields[i].name);
    }
    rows->batch.length = live;
    return RWL_OK;
}

static void reset_rows(rwl_rows *rows) {
    rwl_batch_reset(&rows->batch);
    rwl_runs_reset(&rows->positions);
    rwl_runs_reset(&rows->row_ids);
    rwl_runs_reset(&rows->versions);
}

rwl_status rwl_fragment_reader_next(rwl_fragment_reader *r, rwl_rows *rows, rwl_error *err) {
    if (r->parquet == NULL)
        RWL_TRY(start(r, err));
    reset_rows(rows);
    for (;;) {
        int64_t pos, live;
        RWL_TRY(rwl_op_check(r->op, err));
        RWL_TRY(rwl_parquet_reader_next(r->parquet, &r->raw, &pos, err));
        if (r->raw.length == 0)
            return RWL_OK;
        RWL_TRY(find_live(r, pos, r->raw.length, &live, err));
        if (live > 0)
            return fill_rows(r, pos, live, rows, err);
    }
}
