/* SPDX-License-Identifier: Apache-2.0 */
/* The row ids and versions of a fragment's physical rows, wherever they are stored. */
#include "lance/lineage.h"

#include "base/vec.h"
#include "lance/sequence.h"
#include "lancefile/reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* How one sequence is read. */
typedef struct source {
    bool is_wanted;
    rwl_lance_values stream; /* INLINE */
    int32_t carrier;         /* COLUMN: index of its carrier below */
    int32_t slot;            /* and of its column in the carrier's batches */
} source;

/* A file that carries spilled sequences. */
typedef struct carrier {
    int32_t file_index; /* among the fragment's */
    rwl_lancefile *file;
    bool is_owned;
    rwl_lance_node nodes[RWL_LANCE_SEQUENCES];
    rwl_lance_source sources[RWL_LANCE_SEQUENCES];
    int32_t sequences[RWL_LANCE_SEQUENCES]; /* by slot */
    int32_t count;
    rwl_lance_reader *reader;
    rwl_batch batch;
} carrier;

struct rwl_lance_lineage {
    const rwl_lance_dataset *dataset;
    rwl_op *op;
    const rwl_lance_fragment *fragment;
    rwl_arena arena;
    rwl_file *manifest; /* open when an inline arm was left in it */
    source sources[RWL_LANCE_SEQUENCES];
    carrier carriers[RWL_LANCE_SEQUENCES];
    int32_t carrier_count;
    RWL_VEC(rwl_range) ranges; /* of a carrier, still to be read; of scattered rows, within `span` */
    rwl_rows span;             /* lineage of all rows between scattered ones; made when first needed */
};

/* --- errors --- */

static const char *subject(rwl_lance_sequence s) {
    static const char *const names[] = {"row ids", "created-at versions", "last-updated-at versions"};
    return names[s];
}

static rwl_status in_sequence(const rwl_lance_fragment *fragment, rwl_lance_sequence s, rwl_status st,
                              rwl_error *err) {
    return st == RWL_OK ? st : rwl_error_in(err, st, "fragment %" PRId64 ": %s", fragment->id, subject(s));
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
                    subject(s), breach);
}

/* --- carriers --- */

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

rwl_status rwl_lance_lineage_carrier(const rwl_lance_dataset *dataset, const rwl_lance_fragment *fragment,
                                     rwl_lance_sequence s, int32_t *file, int32_t *column, rwl_error *err) {
    int32_t field = rwl_lance_sequence_field(s), place = -1;
    *file = *column = -1;
    if (fragment->arms[s].kind != RWL_LANCE_ARM_COLUMN)
        return rwl_fail(err, RWL_INTERNAL, "fragment %" PRId64 ": %s are not spilled", fragment->id,
                        subject(s));
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

static rwl_status open_carrier(rwl_lance_lineage *l, carrier *c, rwl_lancefile *const *files,
                               rwl_error *err) {
    const rwl_lance_data_file *f = &l->fragment->files[c->file_index];
    const char *location;
    c->file = files != NULL ? files[c->file_index] : NULL;
    if (c->file != NULL)
        return RWL_OK;
    RWL_TRY(rwl_lance_data_location(l->dataset, f, &l->arena, &location, err));
    RWL_TRY(rwl_lancefile_open(l->dataset->store, l->op, location, f->size, &c->file, err));
    c->is_owned = true;
    return RWL_OK;
}

/* The carrier of a file among the fragment's, opened when it is new. */
static rwl_status use_carrier(rwl_lance_lineage *l, int32_t file_index, rwl_lancefile *const *files,
                              int32_t *index, rwl_error *err) {
    for (*index = 0; *index < l->carrier_count; ++*index)
        if (l->carriers[*index].file_index == file_index)
            return RWL_OK;
    l->carriers[*index].file_index = file_index;
    l->carrier_count++;
    return open_carrier(l, &l->carriers[*index], files, err);
}

/* The file's own view of the column. */
static rwl_status check_column(rwl_lance_lineage *l, rwl_lance_sequence s, rwl_lancefile *file, int32_t index,
                               rwl_error *err) {
    const rwl_lance_field_def *field;
    const rwl_lance_column *column;
    if (index >= file->column_count)
        return fail_spilled(l->fragment, s, err, "column index %d is not below the %d columns of %s", index,
                            file->column_count, file->location);
    rwl_status st = rwl_lancefile_column_field(file, l->op, index, &field, err);
    if (st != RWL_OK)
        return in_sequence(l->fragment, s, st, err);
    if (field == NULL)
        return fail_spilled(l->fragment, s, err, "column %d of %s is no field of the file's schema", index,
                            file->location);
    if (strcmp(field->logical_type, "uint64") != 0)
        return fail_spilled(l->fragment, s, err, "column %d of %s is of type %s, not uint64", index,
                            file->location, field->logical_type);
    /* a file's field ids may be any, but a wrong index would read other numbers for ids */
    if (field->parent_id >= 0 || strcmp(field->name, rwl_lance_sequence_name(s)) != 0)
        return fail_spilled(l->fragment, s, err, "column %d of %s is %.100s, not %s", index, file->location,
                            field->name, rwl_lance_sequence_name(s));
    st = rwl_lancefile_column(file, l->op, index, &column, err);
    if (st != RWL_OK)
        return in_sequence(l->fragment, s, st, err);
    if (column->row_count != l->fragment->physical_rows)
        return fail_spilled(l->fragment, s, err,
                            "column %d of %s holds %" PRId64 " values for %" PRId64 " physical rows", index,
                            file->location, column->row_count, l->fragment->physical_rows);
    return RWL_OK;
}

static rwl_status open_column(rwl_lance_lineage *l, rwl_lance_sequence s, rwl_lancefile *const *files,
                              rwl_error *err) {
    int32_t file, column, index;
    source *from = &l->sources[s];
    RWL_TRY(rwl_lance_lineage_carrier(l->dataset, l->fragment, s, &file, &column, err));
    RWL_TRY(in_sequence(l->fragment, s, use_carrier(l, file, files, &index, err), err));
    carrier *c = &l->carriers[index];
    RWL_TRY(check_column(l, s, c->file, column, err));
    from->carrier = index;
    from->slot = c->count;
    c->nodes[c->count] = rwl_lance_node_of_lineage(rwl_lance_sequence_name(s));
    c->sources[c->count] = (rwl_lance_source){c->file, column};
    c->sequences[c->count++] = (int32_t)s;
    return RWL_OK;
}

/* --- opening --- */

static rwl_status open_inline(rwl_lance_lineage *l, rwl_lance_sequence s, rwl_error *err) {
    const rwl_lance_arm *arm = &l->fragment->arms[s];
    if (arm->bytes.data == NULL && arm->length > 0 && l->manifest == NULL)
        RWL_TRY(rwl_file_open(l->dataset->store, l->op, l->dataset->manifest->location, &l->manifest, err));
    rwl_lance_values_init(&l->sources[s].stream, l->op, arm, s != RWL_LANCE_ROW_IDS, l->manifest);
    return RWL_OK;
}

static rwl_status check_absent(const rwl_lance_lineage *l, rwl_lance_sequence s, rwl_error *err) {
    if (s == RWL_LANCE_ROW_IDS && rwl_lance_manifest_has_stable_ids(l->dataset->manifest))
        return rwl_fail(err, RWL_CORRUPT,
                        "fragment %" PRId64 ": %s are missing in a dataset with stable ones", l->fragment->id,
                        subject(s));
    return RWL_OK;
}

static rwl_status open_sequence(rwl_lance_lineage *l, rwl_lance_sequence s, rwl_lancefile *const *files,
                                rwl_error *err) {
    l->sources[s].is_wanted = true;
    switch (l->fragment->arms[s].kind) {
    case RWL_LANCE_ARM_INLINE:
        if (!rwl_lance_manifest_has_stable_ids(l->dataset->manifest))
            return rwl_fail(err, RWL_CORRUPT,
                            "fragment %" PRId64
                            ": %s are inline, but feature flag 2 (stable row ids) is not set",
                            l->fragment->id, subject(s));
        return in_sequence(l->fragment, s, open_inline(l, s, err), err);
    case RWL_LANCE_ARM_COLUMN:
        return open_column(l, s, files, err);
    case RWL_LANCE_ARM_EXTERNAL:
        return rwl_fail(err, RWL_UNSUPPORTED, "fragment %" PRId64 ": %s in an external file are not read",
                        l->fragment->id, subject(s));
    case RWL_LANCE_ARM_ABSENT:
    default:
        return check_absent(l, s, err);
    }
}

static unsigned mask_of(rwl_lance_sequence s) {
    return s == RWL_LANCE_ROW_IDS      ? RWL_LINEAGE_ROW_IDS
           : s == RWL_LANCE_CREATED_AT ? RWL_LINEAGE_CREATED
                                       : RWL_LINEAGE_VERSIONS;
}

rwl_status rwl_lance_lineage_open(const rwl_lance_dataset *dataset, rwl_op *op,
                                  const rwl_lance_fragment *fragment, unsigned wanted,
                                  rwl_lancefile *const *files, rwl_lance_lineage **out, rwl_error *err) {
    *out = NULL;
    rwl_lance_lineage *l = rwl_calloc(op->env, 1, sizeof *l);
    if (l == NULL)
        return rwl_no_memory(err, sizeof *l);
    l->dataset = dataset;
    l->op = op;
    l->fragment = fragment;
    rwl_arena_init(&l->arena, op->env, 0);
    rwl_status st = RWL_OK;
    for (int s = 0; s < RWL_LANCE_SEQUENCES && st == RWL_OK; s++)
        if ((wanted & mask_of((rwl_lance_sequence)s)) != 0)
            st = open_sequence(l, (rwl_lance_sequence)s, files, err);
    if (st != RWL_OK) {
        rwl_lance_lineage_close(l);
        return st;
    }
    *out = l;
    return RWL_OK;
}

void rwl_lance_lineage_close(rwl_lance_lineage *lineage) {
    rwl_lance_lineage *l = lineage;
    if (l == NULL)
        return;
    for (int s = 0; s < RWL_LANCE_SEQUENCES; s++)
        if (l->sources[s].stream.op != NULL)
            rwl_lance_values_clear(&l->sources[s].stream);
    for (int32_t i = 0; i < l->carrier_count; i++) {
        carrier *c = &l->carriers[i];
        rwl_lance_reader_free(c->reader);
        if (c->batch.env != NULL)
            rwl_batch_clear(&c->batch);
        if (c->is_owned)
            rwl_lancefile_free(c->file);
    }
    rwl_file_close(l->manifest);
    if (l->span.batch.env != NULL)
        rwl_rows_clear(&l->span);
    rwl_vec_clear(&l->ranges, l->op->env);
    rwl_arena_clear(&l->arena);
    rwl_free(l->op->env, l);
}

int64_t rwl_lance_lineage_bytes_read(const rwl_lance_lineage *lineage) {
    int64_t bytes = 0;
    for (int s = 0; s < RWL_LANCE_SEQUENCES; s++)
        bytes += lineage->sources[s].stream.bytes_read;
    for (int32_t i = 0; i < lineage->carrier_count; i++) {
        const carrier *c = &lineage->carriers[i];
        if (c->reader != NULL)
            bytes += rwl_lance_reader_stats(c->reader).bytes_read;
        if (c->is_owned && c->file != NULL)
            bytes += c->file->bytes_read;
    }
    return bytes;
}

/* --- reading --- */

static rwl_runs *target_of(rwl_rows *rows, rwl_lance_sequence s) {
    return s == RWL_LANCE_ROW_IDS      ? &rows->row_ids
           : s == RWL_LANCE_CREATED_AT ? &rows->created
                                       : &rows->versions;
}

static rwl_status read_inline(rwl_lance_lineage *l, rwl_lance_sequence s, const rwl_range *ranges,
                              size_t count, rwl_runs *out, rwl_error *err) {
    rwl_lance_values *stream = &l->sources[s].stream;
    int64_t end = stream->row;
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].start < end)
            return rwl_fail(err, RWL_INTERNAL, "row %" PRId64 " behind row %" PRId64, ranges[i].start, end);
        RWL_TRY(rwl_lance_values_skip(stream, ranges[i].start - end, err));
        RWL_TRY(rwl_lance_values_read(stream, ranges[i].count, out, err));
        end = ranges[i].start + ranges[i].count;
    }
    return end == l->fragment->physical_rows ? rwl_lance_values_finish(stream, err) : (rwl_status)RWL_OK;
}

/* Absent: addresses, and version 1. */
static rwl_status make_default(const rwl_lance_fragment *fragment, rwl_lance_sequence s,
                               const rwl_range *ranges, size_t count, rwl_runs *out, rwl_error *err) {
    for (size_t i = 0; i < count; i++) {
        int64_t start = s == RWL_LANCE_ROW_IDS ? (fragment->id << 32) + ranges[i].start : 1;
        RWL_TRY(rwl_runs_append(out, start, ranges[i].count, err));
    }
    return RWL_OK;
}

static rwl_status start_carrier(rwl_lance_lineage *l, carrier *c, rwl_error *err) {
    rwl_lance_read_field fields[RWL_LANCE_SEQUENCES];
    rwl_field made[RWL_LANCE_SEQUENCES];
    for (int32_t i = 0; i < c->count; i++) {
        fields[i] = (rwl_lance_read_field){&c->nodes[i], &c->sources[i]};
        made[i] = c->nodes[i].field;
    }
    rwl_lance_read_options options = {
        .fields = fields, .field_count = c->count, .row_count = l->fragment->physical_rows};
    RWL_TRY(rwl_lance_reader_new(l->op, &options, &c->reader, err));
    return rwl_batch_init(&c->batch, l->op->env, made, c->count, err);
}

static rwl_status append_column(rwl_lance_lineage *l, rwl_lance_sequence s, const carrier *c, int32_t slot,
                                rwl_runs *out, rwl_error *err) {
    const rwl_column *column = &c->batch.columns[slot];
    if (column->null_count > 0)
        return fail_spilled(l->fragment, s, err, "column %d of %s holds nulls", c->sources[slot].column,
                            c->file->location);
    rwl_runs view = {.env = l->op->env, .step = out->step, .dense = true, .length = column->length};
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
static rwl_status read_carrier(rwl_lance_lineage *l, carrier *c, rwl_rows *rows, rwl_error *err) {
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
            RWL_TRY(append_column(l, s, c, i, target_of(rows, s), err));
        }
        drop_rows(l->ranges.items, l->ranges.len, &first, c->batch.length);
    }
    return RWL_OK;
}

static rwl_status read_carriers(rwl_lance_lineage *l, const rwl_range *ranges, size_t count, rwl_rows *rows,
                                rwl_error *err) {
    for (int32_t i = 0; i < l->carrier_count; i++) {
        carrier *c = &l->carriers[i];
        l->ranges.len = 0;
        for (size_t k = 0; k < count; k++)
            if (ranges[k].count > 0)
                RWL_TRY(rwl_vec_push(&l->ranges, l->op->env, ranges[k], err));
        rwl_status st = read_carrier(l, c, rows, err);
        if (st != RWL_OK && (err == NULL || strncmp(err->message, "fragment ", 9) != 0))
            st = in_sequence(l->fragment, (rwl_lance_sequence)c->sequences[0], st, err);
        RWL_TRY(st);
    }
    return RWL_OK;
}

static rwl_status check_ranges(const rwl_lance_lineage *l, const rwl_range *ranges, size_t count,
                               int64_t *rows, rwl_error *err) {
    *rows = 0;
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].start < 0 || ranges[i].count < 0 ||
            ranges[i].count > l->fragment->physical_rows - ranges[i].start)
            return rwl_fail(err, RWL_INTERNAL, "rows %" PRId64 " + %" PRId64 " of a fragment of %" PRId64,
                            ranges[i].start, ranges[i].count, l->fragment->physical_rows);
        *rows += ranges[i].count;
    }
    return RWL_OK;
}

static rwl_status read_ranges(rwl_lance_lineage *l, const rwl_range *ranges, size_t count, rwl_rows *rows,
                              rwl_error *err) {
    for (int i = 0; i < RWL_LANCE_SEQUENCES; i++) {
        rwl_lance_sequence s = (rwl_lance_sequence)i;
        rwl_status st = RWL_OK;
        if (!l->sources[s].is_wanted)
            continue;
        if (l->fragment->arms[s].kind == RWL_LANCE_ARM_INLINE)
            st = read_inline(l, s, ranges, count, target_of(rows, s), err);
        else if (l->fragment->arms[s].kind == RWL_LANCE_ARM_ABSENT)
            st = make_default(l->fragment, s, ranges, count, target_of(rows, s), err);
        RWL_TRY(in_sequence(l->fragment, s, st, err));
    }
    return read_carriers(l, ranges, count, rows, err);
}

/* --- scattered rows --- */

bool rwl_lance_is_scattered(const rwl_range *ranges, size_t count, int64_t rows) {
    enum { RANGES_LEAST = 64, ROWS_A_RANGE = 64, SPARE = 4 };
    if (count < RANGES_LEAST)
        return false;
    int64_t span = ranges[count - 1].start + ranges[count - 1].count - ranges[0].start;
    return rows / (int64_t)count < ROWS_A_RANGE && span / SPARE <= rows;
}

/* Values of the ranges' rows, from those of all rows from the first of them on. */
static rwl_status cut_span(rwl_lance_lineage *l, const rwl_runs *span, const rwl_range *ranges, size_t count,
                           int64_t rows, rwl_runs *out, rwl_error *err) {
    int64_t first = ranges[0].start;
    if (!span->dense && span->run_count == 1 && span->step == 0)
        return rwl_runs_append(out, span->runs[0].start, rows, err);
    if (!span->dense && span->run_count == 1)
        return rwl_runs_append_ranges(out, ranges, count, span->runs[0].start - first, err);
    l->ranges.len = 0;
    for (size_t i = 0; i < count; i++)
        RWL_TRY(rwl_vec_push(&l->ranges, l->op->env, ((rwl_range){ranges[i].start - first, ranges[i].count}),
                             err));
    return rwl_runs_take_ranges(span, l->ranges.items, count, out, err);
}

static rwl_status read_scattered(rwl_lance_lineage *l, const rwl_range *ranges, size_t count, int64_t rows,
                                 rwl_rows *out, rwl_error *err) {
    const rwl_range *last = &ranges[count - 1];
    const rwl_range span = {ranges[0].start, last->start + last->count - ranges[0].start};
    if (l->span.batch.env == NULL)
        RWL_TRY(rwl_rows_init(&l->span, l->op->env, NULL, 0, err));
    rwl_rows_reset(&l->span);
    RWL_TRY(read_ranges(l, &span, 1, &l->span, err));
    for (int i = 0; i < RWL_LANCE_SEQUENCES; i++) {
        rwl_lance_sequence s = (rwl_lance_sequence)i;
        if (l->sources[s].is_wanted)
            RWL_TRY(cut_span(l, target_of(&l->span, s), ranges, count, rows, target_of(out, s), err));
    }
    return RWL_OK;
}

rwl_status rwl_lance_lineage_read(rwl_lance_lineage *lineage, const rwl_range *ranges, size_t count,
                                  rwl_rows *rows, rwl_error *err) {
    int64_t all;
    RWL_TRY(check_ranges(lineage, ranges, count, &all, err));
    if (rwl_lance_is_scattered(ranges, count, all))
        return read_scattered(lineage, ranges, count, all, rows, err);
    return read_ranges(lineage, ranges, count, rows, err);
}

rwl_status rwl_lance_lineage_segment(rwl_lance_lineage *lineage, int64_t row, const rwl_segment **out,
                                     int64_t *first, rwl_error *err) {
    rwl_lance_values *stream = &lineage->sources[RWL_LANCE_ROW_IDS].stream;
    rwl_status st = rwl_lance_values_segment(stream, row, out, first, err);
    return in_sequence(lineage->fragment, RWL_LANCE_ROW_IDS, st, err);
}

rwl_status rwl_lance_lineage_finish(rwl_lance_lineage *lineage, rwl_error *err) {
    rwl_lance_lineage *l = lineage;
    for (int i = 0; i < RWL_LANCE_SEQUENCES; i++) {
        rwl_lance_sequence s = (rwl_lance_sequence)i;
        rwl_lance_values *stream = &l->sources[s].stream;
        if (!l->sources[s].is_wanted || l->fragment->arms[s].kind != RWL_LANCE_ARM_INLINE)
            continue;
        rwl_status st = rwl_lance_values_skip(stream, l->fragment->physical_rows - stream->row, err);
        if (st == RWL_OK)
            st = rwl_lance_values_finish(stream, err);
        RWL_TRY(in_sequence(l->fragment, s, st, err));
    }
    return RWL_OK;
}

/* --- bounds --- */

static void widen(bool is_first, int64_t least, int64_t greatest, int64_t *low, int64_t *high) {
    *low = is_first || least < *low ? least : *low;
    *high = is_first || greatest > *high ? greatest : *high;
}

/* *count: how many values there are. */
static rwl_status inline_bounds(const rwl_lance_arm *arm, rwl_lance_sequence s, int64_t *count, int64_t *low,
                                int64_t *high, rwl_error *err) {
    rwl_lance_values stream;
    bool more;
    rwl_lance_values_init(&stream, NULL, arm, s != RWL_LANCE_ROW_IDS, NULL);
    for (*count = 0;;) {
        RWL_TRY(rwl_lance_values_next(&stream, &more, err));
        if (!more)
            return RWL_OK;
        if (stream.rest == 0)
            continue;
        int64_t least = stream.version, greatest = stream.version;
        if (s == RWL_LANCE_ROW_IDS)
            rwl_segment_bounds(&stream.segment, &least, &greatest);
        widen(*count == 0, least, greatest, low, high);
        if (!rwl_i64_add(*count, stream.rest, count))
            return rwl_fail(err, RWL_CORRUPT, "more than 2^63 values");
    }
}

rwl_status rwl_lance_lineage_bounds(const rwl_lance_fragment *fragment, rwl_lance_sequence s, bool *known,
                                    int64_t *least, int64_t *greatest, rwl_error *err) {
    const rwl_lance_arm *arm = &fragment->arms[s];
    *known = false;
    *least = *greatest = 0;
    if (arm->kind == RWL_LANCE_ARM_INLINE && arm->bytes.data != NULL) {
        int64_t count;
        RWL_TRY(in_sequence(fragment, s, inline_bounds(arm, s, &count, least, greatest, err), err));
        *known = count > 0 && count == fragment->physical_rows; /* else the reader tells what is wrong */
        return RWL_OK;
    }
    if (arm->kind == RWL_LANCE_ARM_ABSENT && fragment->physical_rows > 0) {
        bool is_id = s == RWL_LANCE_ROW_IDS;
        *known = true;
        *least = is_id ? fragment->id << 32 : 1;
        *greatest = is_id ? *least + fragment->physical_rows - 1 : 1;
    }
    return RWL_OK;
}
