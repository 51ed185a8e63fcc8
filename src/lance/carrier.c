/* SPDX-License-Identifier: Apache-2.0 */
/* Hidden columns of data files that hold a fragment's row ids and versions: found, checked, read. */
#include "lance/carrier.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* --- errors --- */

const char *rwl_lance_sequence_subject(rwl_lance_sequence s) {
    static const char *const names[] = {"row ids", "created-at versions", "last-updated-at versions"};
    return names[s];
}

rwl_status rwl_lance_in_sequence(const rwl_lance_fragment *fragment, rwl_lance_sequence s, rwl_status st,
                                 rwl_error *err) {
    return st == RWL_OK ? st
                        : rwl_error_in(err, st, "fragment %" PRId64 ": %s", fragment->id,
                                       rwl_lance_sequence_subject(s));
}

/* A breach of the rules of spilled lineage: "fragment 10: row ids are spilled, but none of its files carries field -3". */
static rwl_status fail_spilled(const rwl_lance_fragment *fragment, rwl_lance_sequence s, rwl_error *err,
                               const char *fmt, ...) RWL_PRINTF(4, 5);

static rwl_status fail_spilled(const rwl_lance_fragment *fragment, rwl_lance_sequence s, rwl_error *err,
                               const char *fmt, ...) {
    char breach[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(breach, sizeof breach, fmt, args);
    va_end(args);
    return rwl_fail(err, RWL_CORRUPT, "fragment %" PRId64 ": %s are spilled, but %s", fragment->id,
                    rwl_lance_sequence_subject(s), breach);
}

/* --- which file and column --- */

/* What has to be so beside any column arm. */
static rwl_status check_surroundings(const rwl_lance_dataset *dataset, const rwl_lance_fragment *fragment,
                                     rwl_lance_sequence s, rwl_error *err) {
    const rwl_lance_manifest *m = dataset->manifest;
    if (!rwl_lance_manifest_has_stable_ids(m))
        return fail_spilled(fragment, s, err, "feature flag 2 (stable row ids) is not set");
    if ((m->reader_flags & m->writer_flags & RWL_LANCE_FLAG_SPILLED_LINEAGE) == 0)
        return fail_spilled(fragment, s, err, "feature flag 2048 (spilled row lineage) is not set");
    for (int32_t i = 0; i < fragment->file_count; i++)
        if (rwl_lance_data_file_is_legacy(&fragment->files[i]))
            return fail_spilled(fragment, s, err, "file %s is of the legacy version 1",
                                fragment->files[i].path);
    return RWL_OK;
}

static rwl_status find_carrier(const rwl_lance_dataset *dataset, const rwl_lance_fragment *fragment,
                               rwl_lance_sequence s, int32_t *file, int32_t *column, rwl_error *err) {
    int32_t field = rwl_lance_sequence_field(s), place = -1;
    *file = *column = -1;
    if (fragment->arms[s].kind != RWL_LANCE_ARM_COLUMN)
        return rwl_fail(err, RWL_INTERNAL, "fragment %" PRId64 ": %s are not spilled", fragment->id,
                        rwl_lance_sequence_subject(s));
    RWL_TRY(check_surroundings(dataset, fragment, s, err));
    for (int32_t i = 0; i < fragment->file_count; i++) {
        for (int32_t k = 0; k < fragment->files[i].field_count; k++) {
            if (fragment->files[i].fields[k] != field)
                continue;
            if (place >= 0)
                return fail_spilled(fragment, s, err, "field %d is carried more than once, by %s and %s",
                                    field, fragment->files[*file].path, fragment->files[i].path);
            *file = i;
            place = k;
        }
    }
    if (place < 0)
        return fail_spilled(fragment, s, err, "none of its files carries field %d", field);
    const rwl_lance_data_file *f = &fragment->files[*file];
    if (place >= f->index_count)
        return fail_spilled(fragment, s, err,
                            "field %d has no column index in %s: %d fields, %d column indices", field,
                            f->path, f->field_count, f->index_count);
    *column = f->column_indices[place];
    if (*column < 0)
        return fail_spilled(fragment, s, err, "field %d is at column index %d of %s", field, *column,
                            f->path);
    return RWL_OK;
}

rwl_status rwl_lance_carrier_find(const rwl_lance_dataset *dataset, const rwl_lance_fragment *fragment,
                                  rwl_lance_sequence s, int32_t *file, int32_t *column, rwl_error *err) {
    rwl_status st = find_carrier(dataset, fragment, s, file, column, err);
    return st == RWL_OK ? RWL_OK : rwl_error_path(err, st, dataset->manifest->location);
}

/* --- set-up --- */

void rwl_lance_carriers_init(rwl_lance_carriers *l, rwl_lance_fragment_files *files) {
    *l = (rwl_lance_carriers){.files = files};
}

void rwl_lance_carriers_clear(rwl_lance_carriers *l) {
    for (int32_t i = 0; i < l->count; i++) {
        rwl_lance_carrier *c = &l->items[i];
        rwl_lance_reader_free(c->reader);
        if (c->batch.env != NULL)
            rwl_batch_clear(&c->batch);
    }
    rwl_vec_clear(&l->ranges, l->files->op->env);
}

/* --- opening --- */

/* The carrier of a file among the fragment's, opened when it is new. */
static rwl_status use_carrier(rwl_lance_carriers *l, int32_t file_index, int32_t *index, rwl_error *err) {
    for (*index = 0; *index < l->count; ++*index)
        if (l->items[*index].file_index == file_index)
            return RWL_OK;
    rwl_lance_carrier *c = &l->items[*index];
    RWL_TRY(rwl_lance_fragment_files_open(l->files, file_index, &c->file, err));
    c->file_index = file_index;
    l->count++;
    return RWL_OK;
}

/* The file's own view of the column. */
static rwl_status check_column(rwl_lance_carriers *l, rwl_lance_sequence s, rwl_lancefile *file,
                               int32_t index, rwl_error *err) {
    const rwl_lance_field_def *field;
    const rwl_lance_column *column;
    if (index >= file->column_count)
        return fail_spilled(l->files->fragment, s, err, "column index %d is not below the %d columns of %s",
                            index, file->column_count, file->location);
    rwl_status st = rwl_lancefile_column_field(file, l->files->op, index, &field, err);
    if (st != RWL_OK)
        return rwl_lance_in_sequence(l->files->fragment, s, st, err);
    if (field == NULL)
        return fail_spilled(l->files->fragment, s, err, "column %d of %s is no field of the file's schema",
                            index, file->location);
    if (strcmp(field->logical_type, "uint64") != 0)
        return fail_spilled(l->files->fragment, s, err, "column %d of %s is of type %s, not uint64", index,
                            file->location, field->logical_type);
    /* a file's field ids may be any, but a wrong index would read other numbers for ids */
    if (field->parent_id >= 0 || strcmp(field->name, rwl_lance_sequence_name(s)) != 0)
        return fail_spilled(l->files->fragment, s, err, "column %d of %s is %.100s, not %s", index,
                            file->location, field->name, rwl_lance_sequence_name(s));
    st = rwl_lancefile_column(file, l->files->op, index, &column, err);
    if (st != RWL_OK)
        return rwl_lance_in_sequence(l->files->fragment, s, st, err);
    if (column->row_count != l->files->fragment->physical_rows)
        return fail_spilled(l->files->fragment, s, err,
                            "column %d of %s holds %" PRId64 " values for %" PRId64 " physical rows", index,
                            file->location, column->row_count, l->files->fragment->physical_rows);
    return RWL_OK;
}

rwl_status rwl_lance_carriers_add(rwl_lance_carriers *l, rwl_lance_sequence s, rwl_error *err) {
    int32_t file, column, index;
    RWL_TRY(rwl_lance_carrier_find(l->files->dataset, l->files->fragment, s, &file, &column, err));
    RWL_TRY(rwl_lance_in_sequence(l->files->fragment, s, use_carrier(l, file, &index, err), err));
    rwl_lance_carrier *c = &l->items[index];
    rwl_status st = check_column(l, s, c->file, column, err);
    if (st != RWL_OK)
        return rwl_error_path(err, st, c->file->location);
    c->nodes[c->count] = rwl_lance_node_of_lineage(rwl_lance_sequence_name(s));
    c->sources[c->count] = (rwl_lance_source){c->file, column};
    c->sequences[c->count++] = (int32_t)s;
    return RWL_OK;
}

/* --- reading --- */

rwl_runs *rwl_lance_sequence_runs(rwl_rows *rows, rwl_lance_sequence s) {
    return s == RWL_LANCE_ROW_IDS      ? &rows->row_ids
           : s == RWL_LANCE_CREATED_AT ? &rows->created
                                       : &rows->versions;
}

static rwl_status start_carrier(rwl_lance_carriers *l, rwl_lance_carrier *c, rwl_error *err) {
    rwl_lance_read_field fields[RWL_LANCE_SEQUENCES];
    rwl_field made[RWL_LANCE_SEQUENCES];
    for (int32_t i = 0; i < c->count; i++) {
        fields[i] = (rwl_lance_read_field){&c->nodes[i], &c->sources[i]};
        made[i] = c->nodes[i].field;
    }
    rwl_lance_read_options options = {
        .fields = fields, .field_count = c->count, .row_count = l->files->fragment->physical_rows};
    RWL_TRY(rwl_lance_reader_new(l->files->op, &options, &c->reader, err));
    return rwl_batch_init(&c->batch, l->files->op->env, made, c->count, err);
}

static rwl_status append_column(rwl_lance_carriers *l, rwl_lance_sequence s, const rwl_lance_carrier *c,
                                int32_t slot, rwl_runs *out, rwl_error *err) {
    const rwl_column *column = &c->batch.columns[slot];
    if (column->null_count > 0)
        return rwl_error_path(err,
                              fail_spilled(l->files->fragment, s, err, "column %d of %s holds nulls",
                                           c->sources[slot].column, c->file->location),
                              c->file->location);
    rwl_runs view = {.env = l->files->op->env, .step = out->step, .dense = true, .length = column->length};
    view.column = *column; /* borrowed */
    return rwl_runs_append_slice(out, &view, 0, column->length, err);
}

/* Takes rows off the front of the ranges from `first` on. */
static void drop_rows(rwl_range *ranges, size_t count, size_t *first, int64_t rows) {
    while (rows > 0 && *first < count) {
        rwl_range *r = &ranges[*first];
        int64_t step = rows < r->count ? rows : r->count;
        r->start += step;
        r->count -= step;
        rows -= step;
        if (r->count == 0)
            ++*first;
    }
}

/* All sequences of a carrier for the rows of l->ranges. */
static rwl_status read_carrier(rwl_lance_carriers *l, rwl_lance_carrier *c, rwl_rows *rows, rwl_error *err) {
    size_t first = 0;
    if (c->reader == NULL)
        RWL_TRY(start_carrier(l, c, err));
    while (first < l->ranges.len) {
        rwl_batch_reset(&c->batch);
        RWL_TRY(
            rwl_lance_reader_read(c->reader, l->ranges.items + first, l->ranges.len - first, &c->batch, err));
        if (c->batch.length <= 0)
            return rwl_fail(err, RWL_INTERNAL, "no rows of %s", c->file->location);
        for (int32_t i = 0; i < c->count; i++) {
            rwl_lance_sequence s = (rwl_lance_sequence)c->sequences[i];
            RWL_TRY(append_column(l, s, c, i, rwl_lance_sequence_runs(rows, s), err));
        }
        drop_rows(l->ranges.items, l->ranges.len, &first, c->batch.length);
    }
    return RWL_OK;
}

rwl_status rwl_lance_carriers_read(rwl_lance_carriers *l, const rwl_range *ranges, size_t count,
                                   rwl_rows *rows, rwl_error *err) {
    for (int32_t i = 0; i < l->count; i++) {
        rwl_lance_carrier *c = &l->items[i];
        l->ranges.len = 0;
        for (size_t k = 0; k < count; k++)
            if (ranges[k].count > 0)
                RWL_TRY(rwl_vec_push(&l->ranges, l->files->op->env, ranges[k], err));
        rwl_status st = read_carrier(l, c, rows, err);
        if (st != RWL_OK && (err == NULL || strncmp(err->message, "fragment ", 9) != 0))
            st = rwl_lance_in_sequence(l->files->fragment, (rwl_lance_sequence)c->sequences[0], st, err);
        RWL_TRY(st);
    }
    return RWL_OK;
}

void rwl_lance_carriers_add_stats(const rwl_lance_carriers *l, rwl_read_stats *to) {
    for (int32_t i = 0; i < l->count; i++) {
        if (l->items[i].reader == NULL)
            continue;
        rwl_lance_read_stats own = rwl_lance_reader_stats(l->items[i].reader);
        to->pages_read += own.pages_read;
        to->bytes_read += own.bytes_read;
        to->requests += own.requests;
    }
}
