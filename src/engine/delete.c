/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the files that may match; all new vectors go into one Puffin file. */
#include "engine/delete.h"

#include "base/uuid.h"
#include "base/vec.h"
#include "engine/row_scan.h"
#include "lineage/walk.h"
#include "puffin/puffin.h"

typedef struct deletion {
    const rwl_table *table;
    rwl_op *op;
    rwl_driver driver;
    rwl_store *store; /* to write with */
    rwl_arena arena;  /* fragments of the change set */
    rwl_row_filter filter;
    rwl_puffin_writer *puffin; /* opened with the first vector */
    const char *puffin_location;
    int64_t deleted_rows;
    RWL_VEC(rwl_added_vector) vectors;
    rwl_removals removals;
} deletion;

/* Positions of the rows that match, as a set; *count of them. */
static rwl_status find_matches(deletion *d, const rwl_fragment *f, rwl_bitmap *matches, rwl_error *err) {
    rwl_rows rows;
    RWL_TRY(rwl_rows_init(&rows, d->op->env, d->filter.fields, d->filter.output_count, err));
    rwl_row_scan *scan = NULL;
    rwl_row_scan_options options = {0};
    rwl_status st = rwl_row_scan_open(d->table, d->op, &d->filter, f, &options, &scan, err);
    while (st == RWL_OK) {
        st = rwl_row_scan_next(scan, &rows, err);
        if (st != RWL_OK || rows.batch.length == 0)
            break;
        rwl_walk walk;
        rwl_walk_init(&walk, &rows.positions, NULL, 0, rows.positions.length);
        for (rwl_stretch s; st == RWL_OK && rwl_walk_next(&walk, &s);)
            st = rwl_bitmap_add_range(matches, s.id.value, s.count, err);
    }
    rwl_row_scan_close(scan);
    rwl_rows_clear(&rows);
    return st;
}

static rwl_status open_puffin(deletion *d, rwl_error *err) {
    rwl_uuid id;
    char text[RWL_UUID_TEXT_LEN + 1];
    RWL_TRY(rwl_uuid_new(d->op->env, &id, err));
    rwl_uuid_format(id.bytes, text);
    const char *folder = rwl_metadata_folder(d->table->metadata, "write.data.path", "data", &d->arena);
    d->puffin_location =
        folder != NULL ? rwl_arena_printf(&d->arena, "%s/%s-deletes.puffin", folder, text) : NULL;
    if (d->puffin_location == NULL)
        return rwl_no_memory(err, 256);
    return rwl_puffin_writer_open(d->store, d->op, d->puffin_location, &d->puffin, err);
}

static rwl_status add_vector(deletion *d, const rwl_fragment *f, rwl_bitmap *positions, rwl_error *err) {
    if (d->puffin == NULL)
        RWL_TRY(open_puffin(d, err));
    rwl_dv_ref ref;
    RWL_TRY(rwl_puffin_add_dv(d->puffin, f->location, positions, &ref, err));
    rwl_added_vector vector = {.data_file = f->location,
                               .spec_id = f->spec_id,
                               .partition = f->partition,
                               .partition_count = f->partition_count,
                               .location = d->puffin_location,
                               .offset = ref.offset,
                               .length = ref.length,
                               .cardinality = ref.cardinality,
                               .data_sequence_number = f->lineage.sequence_number};
    RWL_TRY(rwl_vec_push(&d->vectors, d->op->env, vector, err));
    return rwl_removals_add_deletes(&d->removals, d->op->env, f, err);
}

/* The deletes of the fragment that name positions: what a vector must have, since it takes their place. */
static rwl_status read_positions(deletion *d, const rwl_fragment *f, rwl_bitmap **out, rwl_error *err) {
    rwl_fragment positional = *f;
    rwl_delete_ref *refs = rwl_arena_array(&d->arena, (size_t)f->delete_count, sizeof *refs);
    if (refs == NULL)
        return rwl_no_memory(err, (size_t)f->delete_count * sizeof *refs);
    positional.deletes = refs;
    positional.delete_count = 0;
    for (int32_t i = 0; i < f->delete_count; i++)
        if (f->deletes[i].kind != RWL_DELETE_EQUALITY)
            refs[positional.delete_count++] = f->deletes[i];
    return d->driver.vtable->read_deletes(&d->driver, d->op, &positional, out, err);
}

/* *live: rows that neither matches nor any delete, by equality too, takes away. */
static rwl_status count_live(deletion *d, const rwl_fragment *f, const rwl_bitmap *matches, int64_t *live,
                             rwl_error *err) {
    rwl_bitmap *all = NULL;
    RWL_TRY(d->driver.vtable->read_deletes(&d->driver, d->op, f, &all, err));
    rwl_status st = all != NULL ? rwl_bitmap_union(all, matches, err) : (rwl_status)RWL_OK;
    *live = f->row_count - rwl_bitmap_count_range(all != NULL ? all : matches, 0, f->row_count);
    rwl_bitmap_free(all);
    return st;
}

/* Adds the matches to what was deleted before by position; the file goes when nothing is left. */
static rwl_status apply_matches(deletion *d, const rwl_fragment *borrowed, rwl_bitmap *matches,
                                rwl_error *err) {
    int64_t count = rwl_bitmap_count(matches);
    if (count == 0)
        return RWL_OK;
    d->deleted_rows += count;
    rwl_fragment f;
    RWL_TRY(rwl_fragment_copy(&d->arena, borrowed, &f, err));
    int64_t live;
    RWL_TRY(count_live(d, &f, matches, &live, err));
    if (live == 0)
        return rwl_removals_add_file(&d->removals, d->op->env, &f, err);
    rwl_bitmap *before = NULL;
    RWL_TRY(read_positions(d, &f, &before, err));
    rwl_status st = before != NULL ? rwl_bitmap_union(matches, before, err) : (rwl_status)RWL_OK;
    rwl_bitmap_free(before);
    RWL_TRY(st);
    return add_vector(d, &f, matches, err);
}

static rwl_status delete_from(deletion *d, const rwl_fragment *f, rwl_error *err) {
    rwl_bitmap *matches = NULL;
    RWL_TRY(rwl_bitmap_new(d->op->env, &matches, err));
    rwl_status st = find_matches(d, f, matches, err);
    if (st == RWL_OK)
        st = apply_matches(d, f, matches, err);
    rwl_bitmap_free(matches);
    return st;
}

static rwl_status scan_table(deletion *d, rwl_error *err) {
    rwl_planner *plan = NULL;
    rwl_status st = rwl_table_plan(d->table, &d->driver, d->op, d->filter.plan_filter, &plan, err);
    while (st == RWL_OK) {
        const rwl_fragment *f;
        st = d->driver.vtable->plan_next(plan, &f, err);
        if (st != RWL_OK || f == NULL)
            break;
        st = delete_from(d, f, err);
        rwl_op_progress(d->op, "deleting", d->deleted_rows, 0);
    }
    d->driver.vtable->plan_close(plan);
    return st;
}

static rwl_status finish_puffin(deletion *d, rwl_error *err) {
    if (d->puffin == NULL)
        return RWL_OK;
    int64_t size;
    rwl_puffin_writer *writer = d->puffin;
    d->puffin = NULL;
    RWL_TRY(rwl_change_part(rwl_puffin_writer_finish(writer, &size, err), err));
    for (size_t i = 0; i < d->vectors.len; i++)
        d->vectors.items[i].file_size = size;
    return RWL_OK;
}

static rwl_status commit_vectors(deletion *d, const rwl_change_options *options, rwl_commit_outcome *out,
                                 rwl_error *err) {
    rwl_change_set change = {
        .operation = RWL_OPERATION_DELETE,
        .planned_snapshot_id = d->table->snapshot->snapshot_id,
        .data_sequence_number = -1,
        .removed_files = d->removals.files.items,
        .removed_file_count = d->removals.files.len,
        .added_vectors = d->vectors.items,
        .added_vector_count = d->vectors.len,
        .removed_deletes = d->removals.deletes.items,
        .removed_delete_count = d->removals.deletes.len,
        .summary_keys = options->summary_keys,
        .summary_values = options->summary_values,
        .summary_count = options->summary_count,
    };
    rwl_commit_request request = {.change = &change, .branch = d->table->branch, .dry_run = options->dry_run};
    return rwl_commit(d->table, d->op, &request, out, err);
}

static rwl_status run(deletion *d, const char *where, const rwl_change_options *options,
                      rwl_commit_outcome *out, rwl_error *err) {
    rwl_row_filter_options rows = {.select = "", .where = where};
    RWL_TRY(rwl_row_filter_init(&d->filter, d->op->env, &d->driver, d->table->schema, &rows, err));
    RWL_TRY(rwl_change_store(d->table, options, &d->store, err));
    RWL_TRY(scan_table(d, err));
    if (d->deleted_rows == 0) {
        rwl_change_nothing(d->table, out);
        return RWL_OK;
    }
    rwl_status st = finish_puffin(d, err);
    if (st == RWL_OK)
        st = commit_vectors(d, options, out, err);
    out->deleted_rows = d->deleted_rows;
    if (st != RWL_OK && st != RWL_COMMIT_UNKNOWN && d->vectors.len > 0)
        rwl_change_remove_part(d->store, d->op, d->puffin_location);
    return st;
}

rwl_status rwl_delete(const rwl_table *table, rwl_op *op, const char *where,
                      const rwl_change_options *options, rwl_commit_outcome *out, rwl_error *err) {
    RWL_TRY(rwl_change_check_version(table->metadata, 3, "deleting by vector from", err));
    deletion d;
    memset(&d, 0, sizeof d);
    d.table = table;
    d.op = op;
    d.driver = rwl_table_driver(table);
    d.store = table->store;
    rwl_arena_init(&d.arena, op->env, 0);
    rwl_arena_init(&d.filter.arena, op->env, 0);
    rwl_status st = run(&d, where, options, out, err);
    rwl_puffin_writer_abort(d.puffin);
    rwl_vec_clear(&d.vectors, op->env);
    rwl_removals_clear(&d.removals, op->env);
    rwl_row_filter_clear(&d.filter);
    rwl_change_store_free(table, d.store);
    rwl_arena_clear(&d.arena);
    return st;
}
