/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the file's columns, makes the metadata columns beside them, evaluates the filter, keeps what it says. */
#include "engine/row_scan.h"

#include "column/extract.h"
#include "engine/read_columns.h"
#include "iceberg/filter_fields.h"

/* Rows whose wanted neighbours are nearer than this are decoded with them and cut out: passing rows costs, too. */
enum { GAP_LEAST = 128 };

/* Ranges of rows, of which some are still to be given. */
typedef struct range_list {
    rwl_range *items;
    size_t at, count;
} range_list;

struct rwl_row_scan {
    const rwl_row_filter *filter;
    rwl_op *op;
    const rwl_fragment *fragment;
    const rwl_metadata *metadata; /* NULL for a data file by itself */
    rwl_driver driver;
    rwl_reader *reader;
    rwl_arena arena;
    /* Columns that the filter needs are read first, the others of rows it keeps; without a filter all are read first. */
    rwl_read_columns early_set, late_set;
    rwl_rows read; /* live rows as the reader gives them, early columns */
    rwl_batch late;
    bool read_ready, late_ready;
    rwl_column *made; /* metadata columns, one a work column; of others: validity of a field in a struct */
    rwl_column *work; /* all work columns, shallow; late ones empty */
    const rwl_column **by_all; /* those the filter needs, by their index among all that has a name */
    uint64_t *kept;            /* bitmap of rows the filter keeps */
    range_list rows;           /* kept rows of `read` */
    range_list spots;          /* the same as physical positions */
    rwl_range *covers;         /* spots with small gaps closed */
    rwl_range *cuts;           /* kept rows of `late` */
    int64_t row_cap;           /* rows `kept` and the lists have room for */
};

/* --- opening --- */

/* Which columns the filter reads; all of them without a filter, or where the driver can't come back for the rest. */
static void mark_early(const rwl_row_scan *s, bool *early) {
    const rwl_row_filter *f = s->filter;
    bool all = f->row_filter == NULL || s->fragment->must_match || s->driver.vtable->read_take == NULL;
    for (int32_t i = 0; i < f->field_count; i++)
        early[i] = all;
    int32_t count = 0;
    const int32_t *used = f->row_filter != NULL ? rwl_bound_columns(f->row_filter, &count) : NULL;
    for (int32_t i = 0; i < count; i++)
        early[f->work_of[used[i]]] = true;
}

static rwl_status split_columns(rwl_row_scan *s, rwl_error *err) {
    const rwl_row_filter *f = s->filter;
    size_t fields = (size_t)f->field_count + 1;
    bool *flags = rwl_arena_array(&s->arena, fields, sizeof *flags);
    s->made = rwl_arena_array(&s->arena, fields, sizeof *s->made);
    s->work = rwl_arena_array(&s->arena, fields, sizeof *s->work);
    s->by_all = rwl_arena_array(&s->arena, (size_t)f->all_count, sizeof *s->by_all);
    if (flags == NULL || s->made == NULL || s->work == NULL || s->by_all == NULL)
        return rwl_no_memory(err, fields * sizeof *s->work);
    mark_early(s, flags);
    RWL_TRY(rwl_read_columns_choose(f, flags, &s->arena, &s->early_set, err));
    for (int32_t i = 0; i < f->field_count; i++) {
        s->by_all[f->all_of[i]] = flags[i] ? &s->work[i] : NULL;
        flags[i] = !flags[i];
    }
    return rwl_read_columns_choose(f, flags, &s->arena, &s->late_set, err);
}

static rwl_status set_up(rwl_row_scan *s, const rwl_table *table, const rwl_row_scan_options *o,
                         rwl_error *err) {
    const rwl_row_filter *f = s->filter;
    s->driver = rwl_table_driver(table);
    RWL_TRY(split_columns(s, err));
    const rwl_type flag = rwl_type_of(RWL_TYPE_BOOLEAN);
    for (int32_t i = 0; i < f->field_count; i++) {
        bool is_stored = rwl_field_is_stored(&f->fields[i]);
        RWL_TRY(rwl_column_init(&s->made[i], s->op->env, is_stored ? &flag : &f->fields[i].type, err));
    }
    RWL_TRY(rwl_rows_init(&s->read, s->op->env, s->early_set.fields, s->early_set.count, err));
    s->read_ready = true;
    RWL_TRY(rwl_batch_init(&s->late, s->op->env, s->late_set.fields, s->late_set.count, err));
    s->late_ready = true;
    rwl_fragment_read_options options = {.fields = s->early_set.fields,
                                         .field_count = s->early_set.count,
                                         .late_fields = s->late_set.fields,
                                         .late_field_count = s->late_set.count,
                                         .lineage = o->lineage | f->lineage,
                                         .skip_page_crc = o->skip_page_crc,
                                         .rows = o->rows,
                                         .batch_rows = o->batch_rows,
                                         .filter = s->fragment->must_match ? NULL : f->row_filter,
                                         .filter_fields = f->all,
                                         .filter_field_count = f->all_count,
                                         .pool = f->pool};
    return s->driver.vtable->read_open(&s->driver, s->op, s->fragment, &options, &s->reader, err);
}

rwl_status rwl_row_scan_open(const rwl_table *table, rwl_op *op, const rwl_row_filter *filter,
                             const rwl_fragment *fragment, const rwl_row_scan_options *options,
                             rwl_row_scan **out, rwl_error *err) {
    rwl_row_scan *s = rwl_calloc(op->env, 1, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    s->filter = filter;
    s->op = op;
    s->fragment = fragment;
    s->metadata = table->metadata;
    rwl_arena_init(&s->arena, op->env, 0);
    rwl_status st = set_up(s, table, options, err);
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
    if (s->late_ready)
        rwl_batch_clear(&s->late);
    void *const blocks[] = {s->kept, s->rows.items, s->spots.items, s->covers, s->cuts};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        rwl_free(env, blocks[i]);
    rwl_arena_clear(&s->arena);
    rwl_free(env, s);
}

rwl_read_stats rwl_row_scan_stats(const rwl_row_scan *s) {
    return s->driver.vtable->read_stats(s->reader);
}

/* --- rows as they are read --- */

/* What the fragment has in a partition field, for every row. */
static rwl_status fill_partition(rwl_row_scan *s, int32_t partition_id, int64_t rows, rwl_column *out,
                                 rwl_error *err) {
    const rwl_fragment *f = s->fragment;
    rwl_value v;
    if (!rwl_filter_partition_value(s->metadata, f->spec_id, f->partition, f->partition_count, partition_id,
                                    &out->type, &v))
        return rwl_fail(err, RWL_CORRUPT, "data file %s: the value of partition field %d is of another type",
                        f->location, (int)partition_id);
    return rwl_column_append(out, s->op->env, &v, rows, err);
}

static rwl_status fill_partition_struct(rwl_row_scan *s, int64_t rows, rwl_column *out, rwl_error *err) {
    for (int32_t i = 0; i < out->type.child_count; i++)
        RWL_TRY(fill_partition(s, out->type.children[i].id, rows, &out->children[i], err));
    out->length = rows;
    return RWL_OK;
}

/* Row addresses: fragment id << 32 | position. */
static rwl_status make_addresses(rwl_row_scan *s, rwl_column *out, rwl_error *err) {
    RWL_TRY(rwl_runs_to_column(&s->read.positions, out, err));
    int64_t *values = (int64_t *)(void *)out->values.data;
    for (int64_t i = 0; i < out->length; i++)
        values[i] += s->fragment->fragment_id << 32;
    return RWL_OK;
}

/* What was read of a lineage column; NULL for other columns. */
static const rwl_runs *find_runs(const rwl_row_scan *s, int32_t index) {
    switch (s->filter->fields[index].id) {
    case RWL_FIELD_ID_ROW_ID:
        return &s->read.row_ids;
    case RWL_FIELD_ID_LAST_UPDATED:
        return &s->read.versions;
    case RWL_FIELD_ID_CREATED_AT:
        return &s->read.created;
    case RWL_FIELD_ID_POS:
        return &s->read.positions;
    default:
        return NULL;
    }
}

/* The same where a filter can look at it as it is, and only what is kept has to be copied; else NULL. */
static const rwl_runs *find_view(const rwl_row_scan *s, int32_t index) {
    const rwl_runs *runs = s->filter->row_filter != NULL ? find_runs(s, index) : NULL;
    return runs != NULL && runs->dense ? runs : NULL;
}

/* A metadata column for the rows just read. */
static rwl_status make_column(rwl_row_scan *s, int32_t index, rwl_error *err) {
    rwl_column *out = &s->made[index];
    const rwl_field *field = &s->filter->fields[index];
    int64_t rows = s->read.batch.length;
    rwl_value v = rwl_value_null(out->type.kind);
    v.is_null = false;
    const rwl_runs *runs = find_runs(s, index);
    rwl_column_reset(out);
    if (runs != NULL)
        return rwl_runs_to_column(runs, out, err);
    if (rwl_field_is_partition(field))
        return fill_partition(s, rwl_field_partition_id(field), rows, out, err);
    switch (field->id) {
    case RWL_FIELD_ID_ROW_ADDRESS:
        return make_addresses(s, out, err);
    case RWL_FIELD_ID_FILE:
        v.as.bytes = rwl_span_str(s->fragment->location);
        break;
    case RWL_FIELD_ID_FRAGMENT_ID:
        v.as.i64 = s->fragment->fragment_id;
        break;
    case RWL_FIELD_ID_SPEC_ID:
        v.as.i32 = s->fragment->spec_id;
        break;
    case RWL_FIELD_ID_PARTITION:
        return fill_partition_struct(s, rows, out, err);
    default:
        return rwl_fail(err, RWL_INTERNAL, "no metadata column has id %d", (int)field->id);
    }
    return rwl_column_append(out, s->op->env, &v, rows, err);
}

/* Sets a work column to what was read for it. */
static rwl_status view_column(rwl_row_scan *s, int32_t index, const rwl_read_place *place,
                              const rwl_column *read, rwl_error *err) {
    return rwl_column_view_field(&read[place->column], place->path, place->depth, &s->made[index],
                                 &s->work[index], s->op->env, err);
}

static rwl_status make_work(rwl_row_scan *s, rwl_error *err) {
    for (int32_t i = 0; i < s->filter->field_count; i++) {
        const rwl_read_place *place = &s->early_set.places[i];
        if (place->column >= 0) {
            RWL_TRY(view_column(s, i, place, s->read.batch.columns, err));
        } else if (s->late_set.places[i].column < 0) {
            const rwl_runs *runs = find_view(s, i);
            if (runs == NULL)
                RWL_TRY(make_column(s, i, err));
            s->work[i] = runs != NULL ? runs->column : s->made[i];
        }
    }
    return RWL_OK;
}

static rwl_status grow(rwl_row_scan *s, rwl_range **list, size_t size, rwl_error *err) {
    rwl_range *grown = rwl_realloc(s->op->env, *list, size);
    if (grown == NULL)
        return rwl_no_memory(err, size);
    *list = grown;
    return RWL_OK;
}

static rwl_status make_room(rwl_row_scan *s, int64_t rows, rwl_error *err) {
    if (rows <= s->row_cap)
        return RWL_OK;
    size_t bits = rwl_expr_bits_size(rows), ranges = ((size_t)rows + 1) / 2 * sizeof(rwl_range);
    uint64_t *kept = rwl_realloc(s->op->env, s->kept, bits);
    if (kept == NULL)
        return rwl_no_memory(err, bits);
    s->kept = kept;
    RWL_TRY(grow(s, &s->rows.items, ranges, err));
    /* where rows are deleted, a range of rows is more than one of positions */
    RWL_TRY(grow(s, &s->spots.items, 2 * ranges, err));
    RWL_TRY(grow(s, &s->covers, 2 * ranges, err));
    RWL_TRY(grow(s, &s->cuts, 2 * ranges, err));
    s->row_cap = rows;
    return RWL_OK;
}

/* --- giving rows --- */

static void swap_runs(rwl_runs *a, rwl_runs *b) {
    rwl_runs t = *a;
    *a = *b;
    *b = t;
}

static bool is_late(const rwl_row_scan *s, int32_t index) {
    return s->late_set.places[index].column >= 0;
}

/* All rows are kept: buffers change hands, nothing is copied but fields inside of structs. Late columns are not touched. */
static rwl_status keep_all(rwl_row_scan *s, rwl_rows *rows, rwl_error *err) {
    rwl_range all = {0, s->read.batch.length};
    for (int32_t i = 0; i < s->filter->output_count; i++) {
        const rwl_read_place *place = &s->early_set.places[i];
        rwl_column *out = &rows->batch.columns[i];
        if (place->depth > 0 || (place->column < 0 && find_view(s, i) != NULL))
            RWL_TRY(rwl_column_take_ranges(&s->work[i], &all, 1, out, rows->batch.env, err));
        else if (!is_late(s, i))
            rwl_column_swap(place->column >= 0 ? &s->read.batch.columns[place->column] : &s->made[i], out);
    }
    rows->batch.length = s->read.batch.length;
    swap_runs(&rows->positions, &s->read.positions);
    swap_runs(&rows->row_ids, &s->read.row_ids);
    swap_runs(&rows->versions, &s->read.versions);
    swap_runs(&rows->created, &s->read.created);
    return RWL_OK;
}

/* Lineage that was not asked for is empty. */
static rwl_status keep_runs(const rwl_runs *read, const rwl_range *ranges, size_t count, rwl_runs *out,
                            rwl_error *err) {
    return read->length > 0 ? rwl_runs_take_ranges(read, ranges, count, out, err) : (rwl_status)RWL_OK;
}

/* Copies the kept rows of the early output columns, and their lineage, to `rows`. */
static rwl_status keep_ranges(rwl_row_scan *s, const rwl_range *ranges, size_t count, int64_t length,
                              rwl_rows *rows, rwl_error *err) {
    for (int32_t i = 0; i < s->filter->output_count; i++)
        if (!is_late(s, i))
            RWL_TRY(rwl_column_take_ranges(&s->work[i], ranges, count, &rows->batch.columns[i],
                                           rows->batch.env, err));
    rows->batch.length = length;
    RWL_TRY(rwl_runs_take_ranges(&s->read.positions, ranges, count, &rows->positions, err));
    RWL_TRY(keep_runs(&s->read.row_ids, ranges, count, &rows->row_ids, err));
    RWL_TRY(keep_runs(&s->read.versions, ranges, count, &rows->versions, err));
    return keep_runs(&s->read.created, ranges, count, &rows->created, err);
}

/* The early columns of kept rows: `length` of them, as ranges of the rows read. */
static rwl_status keep_early(rwl_row_scan *s, const rwl_range *ranges, size_t count, int64_t length,
                             rwl_rows *rows, rwl_error *err) {
    if (length < s->read.batch.length)
        return keep_ranges(s, ranges, count, length, rows, err);
    return keep_all(s, rows, err);
}

/* --- late columns --- */

static void add_spot(range_list *spots, int64_t pos, int64_t count) {
    rwl_range *last = spots->count > 0 ? &spots->items[spots->count - 1] : NULL;
    if (last != NULL && last->start + last->count == pos)
        last->count += count;
    else
        spots->items[spots->count++] = (rwl_range){pos, count};
}

/* The physical positions of the kept rows. */
static void find_spots(rwl_row_scan *s) {
    const rwl_runs *positions = &s->read.positions;
    size_t run = 0;
    s->spots.at = s->spots.count = 0;
    for (size_t i = 0; i < s->rows.count; i++) {
        int64_t row = s->rows.items[i].start, end = row + s->rows.items[i].count;
        while (row < end && positions->dense) {
            add_spot(&s->spots, rwl_column_i64(&positions->column)[row], 1);
            row++;
        }
        while (row < end) {
            while (positions->runs[run].row + positions->runs[run].count <= row)
                run++;
            const rwl_run *r = &positions->runs[run];
            int64_t stop = r->row + r->count < end ? r->row + r->count : end;
            add_spot(&s->spots, r->start + (row - r->row), stop - row);
            row = stop;
        }
    }
}

/* Closes the small gaps between the spots that are left; returns the number of covers. */
static size_t cover_spots(rwl_row_scan *s) {
    size_t count = 0;
    for (size_t i = s->spots.at; i < s->spots.count; i++) {
        const rwl_range *spot = &s->spots.items[i];
        rwl_range *last = count > 0 ? &s->covers[count - 1] : NULL;
        if (last != NULL && spot->start - (last->start + last->count) < GAP_LEAST)
            last->count = spot->start + spot->count - last->start;
        else
            s->covers[count++] = *spot;
    }
    return count;
}

/* Which of the first `taken` rows of the covers are spots, as ranges of those rows; *kept in all. */
static size_t cut_covers(rwl_row_scan *s, int64_t taken, int64_t *kept) {
    size_t count = 0, spot = s->spots.at;
    int64_t before = 0; /* rows of the covers passed */
    *kept = 0;
    for (const rwl_range *cover = s->covers; before < taken; before += cover->count, cover++) {
        int64_t end = cover->start + (cover->count < taken - before ? cover->count : taken - before);
        for (; spot < s->spots.count && s->spots.items[spot].start < end; spot++) {
            const rwl_range *r = &s->spots.items[spot];
            int64_t stop = r->start + r->count < end ? r->start + r->count : end;
            s->cuts[count++] = (rwl_range){before + (r->start - cover->start), stop - r->start};
            *kept += stop - r->start;
            if (stop < r->start + r->count)
                return count; /* the rest of this spot comes next time */
        }
    }
    return count;
}

/* Takes the first `rows` rows off a list. Ranges given whole stay where they are, `at` passes them. */
static void pass_rows(range_list *list, int64_t rows) {
    for (; rows > 0 && rows >= list->items[list->at].count; list->at++)
        rows -= list->items[list->at].count;
    if (rows > 0) {
        list->items[list->at].start += rows;
        list->items[list->at].count -= rows;
    }
}

/* The ranges of a list that hold its next `rows` rows, the last one cut to them until `restore` is added again. */
static size_t cut_last(const range_list *list, int64_t rows, int64_t *restore) {
    size_t i = list->at;
    for (; rows > list->items[i].count; i++)
        rows -= list->items[i].count;
    *restore = list->items[i].count - rows;
    list->items[i].count = rows;
    return i;
}

static rwl_status give_late(rwl_row_scan *s, int64_t kept, size_t cuts, rwl_rows *rows, rwl_error *err) {
    const rwl_read_place *places = s->late_set.places;
    int32_t count = s->filter->output_count;
    for (int32_t i = 0; i < count; i++) /* before a struct that others look into is handed over */
        if (places[i].column >= 0)
            RWL_TRY(view_column(s, i, &places[i], s->late.columns, err));
    for (int32_t i = 0; i < count; i++) {
        rwl_column *out = &rows->batch.columns[i];
        if (places[i].column < 0)
            continue;
        if (kept == s->late.length && places[i].depth == 0)
            rwl_column_swap(&s->late.columns[places[i].column], out);
        else
            RWL_TRY(rwl_column_take_ranges(&s->work[i], s->cuts, cuts, out, rows->batch.env, err));
    }
    return RWL_OK;
}

/* Gives kept rows that were not given yet, as many as their late columns let go at once. */
static rwl_status give_rows(rwl_row_scan *s, rwl_rows *rows, rwl_error *err) {
    size_t covers = cover_spots(s);
    int64_t kept, restore;
    RWL_TRY(s->driver.vtable->read_take(s->reader, s->covers, covers, &s->late, err));
    size_t cuts = cut_covers(s, s->late.length, &kept);
    if (kept == 0)
        return rwl_fail(err, RWL_INTERNAL, "no rows were taken");
    RWL_TRY(give_late(s, kept, cuts, rows, err));
    size_t last = cut_last(&s->rows, kept, &restore);
    RWL_TRY(keep_early(s, s->rows.items + s->rows.at, last + 1 - s->rows.at, kept, rows, err));
    s->rows.items[last].count += restore;
    pass_rows(&s->rows, kept);
    pass_rows(&s->spots, kept);
    return RWL_OK;
}

/* --- the scan --- */

/* Filters the rows just read: gives them to `rows`, or leaves them for give_rows. */
static rwl_status filter_rows(rwl_row_scan *s, rwl_rows *rows, rwl_error *err) {
    int64_t length = s->read.batch.length, kept = 0;
    rwl_range all = {0, length};
    RWL_TRY(make_work(s, err));
    if (s->filter->row_filter == NULL)
        return keep_early(s, &all, 1, length, rows, err);
    RWL_TRY(make_room(s, length, err));
    RWL_TRY(rwl_expr_eval(s->filter->row_filter, s->by_all, length, s->op->env, s->kept, err));
    s->rows.at = 0;
    s->rows.count = rwl_expr_ranges(s->kept, length, s->rows.items);
    if (s->late_set.count > 0) {
        find_spots(s);
        return RWL_OK;
    }
    for (size_t i = 0; i < s->rows.count; i++)
        kept += s->rows.items[i].count;
    s->spots.at = s->spots.count = 0;
    return kept > 0 ? keep_early(s, s->rows.items, s->rows.count, kept, rows, err) : (rwl_status)RWL_OK;
}

rwl_status rwl_row_scan_next(rwl_row_scan *s, rwl_rows *rows, rwl_error *err) {
    rwl_rows_reset(rows);
    while (rows->batch.length == 0) {
        RWL_TRY(rwl_op_check(s->op, err));
        if (s->spots.at < s->spots.count) {
            RWL_TRY(give_rows(s, rows, err));
            continue;
        }
        RWL_TRY(s->driver.vtable->read_next(s->reader, &s->read, err));
        if (s->read.batch.length == 0)
            return RWL_OK;
        RWL_TRY(filter_rows(s, rows, err));
    }
    return RWL_OK;
}
