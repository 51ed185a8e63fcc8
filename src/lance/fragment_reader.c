/* SPDX-License-Identifier: Apache-2.0 */
/* The live rows of a fragment, batch by batch. */
#include "lance/fragment_reader.h"

#include "lance/fragment_columns.h"
#include "lance/prune.h"

#include <inttypes.h>

/* Columns read together: those of every row, or those of rows taken later. */
typedef struct column_set {
    const rwl_field *fields;
    rwl_lance_read_field *found;
    int32_t count;
    rwl_lance_reader *reader; /* NULL until needed */
    rwl_batch raw;            /* rows among them deleted ones; made when first needed */
} column_set;

struct rwl_lance_fragment_reader {
    rwl_op *op;
    rwl_arena arena;
    const rwl_lance_fragment *fragment;
    rwl_lance_fragment_files files;
    rwl_lance_fragment_columns columns;
    column_set now, late;
    rwl_lance_lineage *lineage; /* NULL: not asked for */
    rwl_bitmap *deletes;        /* NULL: none, or they are to be given too */
    struct rwl_pool *pool;
    int64_t next, end; /* physical rows still to be given */
    int64_t batch_rows;
    rwl_lance_prune prune;
    rwl_lance_ranges wanted; /* rows that the filter may select */
    rwl_lance_ranges live;   /* of a batch, physical */
    rwl_lance_ranges cuts;   /* the same within `raw` */
};

/* --- opening --- */

static rwl_status make_set(rwl_lance_fragment_reader *r, const rwl_field *fields, int32_t count,
                           column_set *set, rwl_error *err) {
    rwl_field *copies = rwl_arena_array(&r->arena, (size_t)count + 1, sizeof *copies);
    set->found = rwl_arena_array(&r->arena, (size_t)count + 1, sizeof *set->found);
    if (copies == NULL || set->found == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof *copies);
    for (int32_t i = 0; i < count; i++) {
        if (!rwl_field_copy(&r->arena, &fields[i], &copies[i]))
            return rwl_no_memory(err, sizeof *copies);
        RWL_TRY(rwl_lance_fragment_columns_find(&r->columns, &copies[i], &set->found[i], err));
    }
    set->fields = copies;
    set->count = count;
    return RWL_OK;
}

/* As many rows as fit an eighth of the budget. */
static void limit_rows(rwl_lance_fragment_reader *r, int64_t wanted) {
    enum { VALUE_BYTES = 16, ROWS_LEAST = 1024 };
    r->batch_rows = wanted > 0 ? wanted : RWL_BATCH_ROWS;
    if (r->op->memory_limit == 0)
        return;
    int64_t columns = r->now.count > 0 ? r->now.count : 1;
    int64_t most = r->op->memory_limit / (8 * columns * VALUE_BYTES);
    if (most < ROWS_LEAST)
        most = ROWS_LEAST;
    if (r->batch_rows > most)
        r->batch_rows = most;
}

static void choose_rows(rwl_lance_fragment_reader *r, rwl_range rows) {
    int64_t all = r->fragment->physical_rows;
    r->end = all;
    if (rows.count <= 0)
        return;
    r->next = rows.start < 0 ? 0 : rows.start < all ? rows.start : all;
    if (rows.count < all - r->next)
        r->end = r->next + rows.count;
}

static rwl_status open_reader(rwl_lance_fragment_reader *r, const rwl_fragment_read_options *options,
                              rwl_error *err) {
    RWL_TRY(make_set(r, options->fields, options->field_count, &r->now, err));
    RWL_TRY(make_set(r, options->late_fields, options->late_field_count, &r->late, err));
    if (options->lineage != 0)
        RWL_TRY(rwl_lance_lineage_open(&r->files, options->lineage, &r->lineage, err));
    r->prune = rwl_lance_prune_by(options, r->fragment, r->lineage);
    r->pool = options->pool;
    choose_rows(r, options->rows);
    limit_rows(r, options->batch_rows);
    return RWL_OK;
}

rwl_status rwl_lance_fragment_reader_open(const rwl_lance_dataset *dataset, rwl_op *op,
                                          const rwl_fragment *fragment,
                                          const rwl_fragment_read_options *options, rwl_bitmap *deletes,
                                          rwl_lance_fragment_reader **out, rwl_error *err) {
    *out = NULL;
    const rwl_lance_fragment *found = rwl_lance_manifest_fragment(dataset->manifest, fragment->fragment_id);
    rwl_lance_fragment_reader *r = found != NULL ? rwl_calloc(op->env, 1, sizeof *r) : NULL;
    if (r == NULL) {
        rwl_bitmap_free(deletes);
        return found != NULL ? rwl_no_memory(err, sizeof *r)
                             : rwl_fail(err, RWL_NOT_FOUND, "%s has no fragment %" PRId64, dataset->root,
                                        fragment->fragment_id);
    }
    r->op = op;
    r->fragment = found;
    r->deletes = deletes;
    rwl_arena_init(&r->arena, op->env, 0);
    rwl_lance_fragment_files_init(&r->files, dataset, op, found);
    rwl_lance_fragment_columns_init(&r->columns, &r->files);
    rwl_status st = open_reader(r, options, err);
    if (st != RWL_OK) {
        rwl_lance_fragment_reader_close(r);
        return st;
    }
    *out = r;
    return RWL_OK;
}

static void clear_set(column_set *set) {
    rwl_lance_reader_free(set->reader);
    if (set->raw.env != NULL)
        rwl_batch_clear(&set->raw);
}

void rwl_lance_fragment_reader_close(rwl_lance_fragment_reader *r) {
    if (r == NULL)
        return;
    const rwl_env *env = r->op->env;
    rwl_lance_lineage_close(r->lineage);
    clear_set(&r->now);
    clear_set(&r->late);
    rwl_lance_fragment_columns_clear(&r->columns);
    rwl_lance_fragment_files_clear(&r->files);
    rwl_bitmap_free(r->deletes);
    rwl_vec_clear(&r->wanted, env);
    rwl_vec_clear(&r->live, env);
    rwl_vec_clear(&r->cuts, env);
    rwl_arena_clear(&r->arena);
    rwl_free(env, r);
}

static void add_stats(const column_set *set, rwl_read_stats *s) {
    if (set->reader == NULL)
        return;
    rwl_lance_read_stats own = rwl_lance_reader_stats(set->reader);
    s->pages_read += own.pages_read;
    s->bytes_read += own.bytes_read;
    s->requests += own.requests;
}

rwl_read_stats rwl_lance_fragment_reader_stats(const rwl_lance_fragment_reader *r) {
    rwl_read_stats s = {0};
    add_stats(&r->now, &s);
    add_stats(&r->late, &s);
    for (int32_t i = 0; r->files.items != NULL && i < r->fragment->file_count; i++) {
        const rwl_lancefile *file = r->files.items[i];
        s.bytes_read += file != NULL ? file->bytes_read : 0;
        s.requests += file != NULL ? file->requests : 0;
    }
    if (r->lineage != NULL)
        rwl_lance_lineage_add_stats(r->lineage, &s);
    return s;
}

/* --- reading --- */

static rwl_status start(rwl_lance_fragment_reader *r, column_set *set, rwl_error *err) {
    rwl_lance_read_options options = {.fields = set->found,
                                      .field_count = set->count,
                                      .row_count = r->fragment->physical_rows,
                                      .pool = r->pool};
    if (r->op->memory_limit > 0) { /* an eighth of the budget, and for each column no less than a MiB */
        int64_t share = r->op->memory_limit / (8 * (int64_t)set->count);
        options.batch_bytes = share < 1 << 20 ? 1 << 20 : share > 64 << 20 ? 64 << 20 : (size_t)share;
    }
    return rwl_lance_reader_new(r->op, &options, &set->reader, err);
}

/* Adds the live rows of a range, up to `batch_rows` in all, or fewer in very many ranges. */
static rwl_status add_live(rwl_lance_fragment_reader *r, rwl_bitmap_walk *walk, const rwl_range *wanted,
                           int64_t *rows, rwl_error *err) {
    size_t most = (size_t)r->batch_rows / 2 + 1;
    int64_t stop = wanted->start + wanted->count;
    for (int64_t at = wanted->start; at < stop && *rows < r->batch_rows && r->live.len < most;) {
        int64_t end = stop, next = stop, start_pos, count;
        if (r->deletes != NULL && rwl_bitmap_walk_run(walk, at, &start_pos, &count) && start_pos < stop) {
            end = start_pos;
            next = count > stop - end ? stop : end + count;
        }
        rwl_range range = {at, end - at < r->batch_rows - *rows ? end - at : r->batch_rows - *rows};
        if (range.count > 0)
            RWL_TRY(rwl_vec_push(&r->live, r->op->env, range, err));
        *rows += range.count;
        at = next;
    }
    return RWL_OK;
}

/* The next rows that the filter may select, none at the end. */
static rwl_status find_wanted(rwl_lance_fragment_reader *r, rwl_error *err) {
    int64_t stop = r->next;
    r->wanted.len = 0;
    if (r->prune.filter == NULL && r->next < r->end)
        return rwl_vec_push(&r->wanted, r->op->env, ((rwl_range){r->next, r->end - r->next}), err);
    for (; r->wanted.len == 0 && r->next < r->end; r->next = r->wanted.len == 0 ? stop : r->next)
        RWL_TRY(rwl_lance_prune_next(&r->prune, r->op->env, r->next, r->end, r->batch_rows, &r->wanted, &stop,
                                     err));
    return RWL_OK;
}

/* The next batch's live rows. */
static rwl_status find_live(rwl_lance_fragment_reader *r, int64_t *rows, rwl_error *err) {
    r->live.len = 0;
    *rows = 0;
    for (;;) {
        rwl_bitmap_walk walk = {.bitmap = r->deletes};
        RWL_TRY(find_wanted(r, err));
        for (size_t i = 0; i < r->wanted.len; i++)
            RWL_TRY(add_live(r, &walk, &r->wanted.items[i], rows, err));
        if (*rows > 0 || r->wanted.len == 0)
            return RWL_OK;
        const rwl_range *last = &r->wanted.items[r->wanted.len - 1];
        r->next = last->start + last->count; /* all of them are deleted */
    }
}

/* Drops ranges from the end until `rows` rows are left. */
static void cut_live(rwl_lance_fragment_reader *r, int64_t rows) {
    size_t i = 0;
    for (; i < r->live.len && rows > 0; i++) {
        rwl_range *range = &r->live.items[i];
        if (range->count > rows)
            range->count = rows;
        rows -= range->count;
    }
    r->live.len = i;
}

/* Reads the whole span of the live rows and takes them from it. */
static rwl_status read_scattered(rwl_lance_fragment_reader *r, rwl_batch *out, rwl_error *err) {
    column_set *set = &r->now;
    int64_t first = r->live.items[0].start;
    const rwl_range *last = &r->live.items[r->live.len - 1];
    rwl_range span = {first, last->start + last->count - first};
    if (set->raw.env == NULL)
        RWL_TRY(rwl_batch_init(&set->raw, r->op->env, set->fields, set->count, err));
    rwl_batch_reset(&set->raw);
    RWL_TRY(rwl_lance_reader_read(set->reader, &span, 1, &set->raw, err));
    r->cuts.len = 0;
    for (size_t i = 0; i < r->live.len; i++) {
        rwl_range cut = {r->live.items[i].start - first, r->live.items[i].count};
        if (cut.start >= set->raw.length)
            break;
        if (cut.count > set->raw.length - cut.start)
            cut.count = set->raw.length - cut.start;
        RWL_TRY(rwl_vec_push(&r->cuts, r->op->env, cut, err));
    }
    return rwl_batch_take_ranges(&set->raw, r->cuts.items, r->cuts.len, out, err);
}

static rwl_status in_fragment(const rwl_lance_fragment_reader *r, rwl_status st, rwl_error *err) {
    return st == RWL_OK ? st : rwl_error_in(err, st, "fragment %" PRId64, r->fragment->id);
}

static rwl_status read_live(rwl_lance_fragment_reader *r, int64_t rows, rwl_batch *out, rwl_error *err) {
    if (r->now.reader == NULL)
        RWL_TRY(start(r, &r->now, err));
    if (rwl_lance_is_scattered(r->live.items, r->live.len, rows))
        return read_scattered(r, out, err);
    return rwl_lance_reader_read(r->now.reader, r->live.items, r->live.len, out, err);
}

/* Columns of the live rows, of which there may be fewer afterwards. */
static rwl_status read_columns(rwl_lance_fragment_reader *r, int64_t *rows, rwl_batch *out, rwl_error *err) {
    if (r->now.count == 0) {
        out->length = *rows;
        return RWL_OK;
    }
    RWL_TRY(in_fragment(r, read_live(r, *rows, out, err), err));
    if (out->length <= 0 || out->length > *rows)
        return rwl_fail(err, RWL_INTERNAL, "fragment %" PRId64 ": %" PRId64 " rows for %" PRId64,
                        r->fragment->id, out->length, *rows);
    *rows = out->length;
    cut_live(r, *rows);
    return RWL_OK;
}

rwl_status rwl_lance_fragment_reader_next(rwl_lance_fragment_reader *r, rwl_rows *rows, rwl_error *err) {
    int64_t count;
    rwl_rows_reset(rows);
    RWL_TRY(rwl_op_check(r->op, err));
    RWL_TRY(find_live(r, &count, err));
    if (count == 0) {
        r->next = r->end;
        bool is_whole = r->lineage != NULL && r->end == r->fragment->physical_rows;
        return is_whole ? rwl_lance_lineage_finish(r->lineage, err) : (rwl_status)RWL_OK;
    }
    RWL_TRY(read_columns(r, &count, &rows->batch, err));
    if (r->lineage != NULL)
        RWL_TRY(rwl_lance_lineage_read(r->lineage, r->live.items, r->live.len, rows, err));
    RWL_TRY(rwl_runs_append_ranges(&rows->positions, r->live.items, r->live.len, 0, err));
    const rwl_range *last = &r->live.items[r->live.len - 1];
    r->next = last->start + last->count;
    return RWL_OK;
}

rwl_status rwl_lance_fragment_reader_take(rwl_lance_fragment_reader *r, const rwl_range *ranges, size_t count,
                                          rwl_batch *batch, rwl_error *err) {
    int64_t rows = 0;
    rwl_batch_reset(batch);
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].start < 0 || ranges[i].count < 0 ||
            ranges[i].count > r->fragment->physical_rows - ranges[i].start)
            return rwl_fail(err, RWL_INTERNAL, "rows %" PRId64 " + %" PRId64 " of a fragment of %" PRId64,
                            ranges[i].start, ranges[i].count, r->fragment->physical_rows);
        rows += ranges[i].count;
    }
    if (r->late.count == 0 || rows == 0) {
        batch->length = rows;
        return RWL_OK;
    }
    rwl_status st = r->late.reader == NULL ? start(r, &r->late, err) : (rwl_status)RWL_OK;
    if (st == RWL_OK)
        st = rwl_lance_reader_read(r->late.reader, ranges, count, batch, err);
    return in_fragment(r, st, err);
}
