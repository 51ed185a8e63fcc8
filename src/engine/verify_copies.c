/* SPDX-License-Identifier: Apache-2.0 */
/* Row groups of the written files in order, beside the live rows of the plan. */
#include "engine/verify_copies.h"

#include "base/pool.h"
#include "engine/entry_check.h"
#include "engine/rewrite_live.h"
#include "engine/verify_pages.h"

#include <stdlib.h>

/* A row of the inputs. */
typedef struct input_row {
    size_t fragment;
    int64_t row; /* physical */
} input_row;

/* Rows next to each other of which the same columns have to be decoded. */
typedef struct decode_span {
    const rwl_added_file *file;
    int64_t first, rows; /* of the file; 0 rows: none */
    int64_t position;    /* of the first among all rows */
    input_row from, to;  /* to: behind the last */
} decode_span;

typedef struct copies {
    rwl_op *op;
    const rwl_copies_request *request;
    const rwl_verify_request *written;
    const rwl_schema *schema;
    rwl_driver driver;
    rwl_page_check pages;
    rwl_live_ranges live; /* of the fragment before `next_fragment`, from live_at on */
    size_t live_at, next_fragment;
    RWL_VEC(rwl_live_piece) pieces; /* of the row group at hand */
    int64_t position;               /* rows before it */
    int64_t *nulls;                 /* of the file at hand, a field of the schema each */
    bool *is_left_out;              /* a field: verified row by row */
    bool *is_decoded, *was_decoded; /* in the row group at hand, in the span */
    rwl_live_ranges others;         /* rows of the row group where a column is no copy */
    decode_span span;
    rwl_field *fields; /* those that are decoded in the span */
    int32_t field_count;
    rwl_copies_stats stats;
} copies;

/* --- columns of partitions --- */

static bool holds_id(const rwl_field *field, int32_t id, int depth) {
    if (field->id == id)
        return true;
    for (int32_t i = 0; depth < RWL_TYPE_DEPTH_MAX && i < field->type.child_count; i++)
        if (holds_id(&field->type.children[i], id, depth + 1))
            return true;
    return false;
}

static bool is_source(const rwl_partition_spec *spec, const rwl_field *field) {
    for (int32_t i = 0; i < spec->field_count; i++)
        if (holds_id(field, spec->fields[i].source_id, 0))
            return true;
    return false;
}

rwl_status rwl_verify_sources(const rwl_schema *schema, const rwl_partition_spec *spec, rwl_arena *arena,
                              rwl_schema *out, rwl_error *err) {
    rwl_field *fields = rwl_arena_array(arena, (size_t)schema->field_count + 1, sizeof *fields);
    if (fields == NULL)
        return rwl_no_memory(err, (size_t)schema->field_count * sizeof *fields);
    *out = (rwl_schema){.schema_id = schema->schema_id, .fields = fields};
    for (int32_t i = 0; i < schema->field_count; i++)
        if (is_source(spec, &schema->fields[i]))
            fields[out->field_count++] = schema->fields[i];
    return RWL_OK;
}

/* --- the rows of the plan --- */

static rwl_status next_live(copies *c, rwl_error *err) {
    if (c->next_fragment == c->request->fragment_count)
        return rwl_fail(err, RWL_INTERNAL, "conservation: more rows were written than went in");
    c->live_at = 0;
    return rwl_rewrite_live(&c->driver, c->op, &c->request->fragments[c->next_fragment++], &c->live, err);
}

static rwl_status find_pieces(copies *c, int64_t rows, rwl_error *err) {
    c->pieces.len = 0;
    while (rows > 0) {
        if (c->live_at == c->live.len) {
            RWL_TRY(next_live(c, err));
            continue;
        }
        rwl_range *range = &c->live.items[c->live_at];
        int64_t count = range->count < rows ? range->count : rows;
        rwl_live_piece piece = {c->next_fragment - 1, range->start, count};
        RWL_TRY(rwl_vec_push(&c->pieces, c->op->env, piece, err));
        range->start += count;
        range->count -= count;
        c->live_at += range->count == 0;
        rows -= count;
    }
    return RWL_OK;
}

static rwl_status expect_no_more(copies *c, rwl_error *err) {
    while (c->live_at == c->live.len && c->next_fragment < c->request->fragment_count)
        RWL_TRY(next_live(c, err));
    return c->live_at == c->live.len
               ? RWL_OK
               : rwl_fail(err, RWL_INTERNAL, "conservation: fewer rows were written than went in");
}

/* --- decoding --- */

/* One side of a span. */
typedef struct side {
    copies *c;
    bool is_ours;
    rwl_row_hasher hasher;
    rwl_conserve sums;
    int64_t *nulls; /* a decoded field each; ours */
} side;

static rwl_status take_rows(void *ctx, rwl_rows *rows, rwl_error *err) {
    side *s = ctx;
    const rwl_batch *batch = &rows->batch;
    RWL_TRY(rwl_op_check(s->c->op, err));
    RWL_TRY(rwl_row_hasher_hash(&s->hasher, batch, err));
    rwl_u128 sum = 0;
    for (int64_t i = 0; i < batch->length; i++)
        sum += s->hasher.hashes[i];
    s->sums.value_sum += sum;
    s->sums.rows += batch->length;
    for (int32_t i = 0; s->is_ours && i < batch->column_count; i++)
        s->nulls[i] += batch->columns[i].null_count;
    return RWL_OK;
}

static rwl_status read_rows(side *s, const rwl_fragment *fragment, const rwl_driver *driver, int64_t from,
                            int64_t to, rwl_error *err) {
    const copies *c = s->c;
    if (from >= to)
        return RWL_OK;
    rwl_fragment_read_options options = {
        .fields = c->fields, .field_count = c->field_count, .rows = {from, to - from}};
    rwl_verify_reading reading = {driver, fragment, &options, NULL, take_rows, s};
    return rwl_verify_read(c->op, &reading, err);
}

static rwl_status read_theirs(side *s, rwl_error *err) {
    const copies *c = s->c;
    const decode_span *span = &c->span;
    for (size_t i = span->from.fragment; i <= span->to.fragment; i++) {
        const rwl_fragment *fragment = &c->request->fragments[i];
        int64_t from = i == span->from.fragment ? span->from.row : 0;
        int64_t to = i == span->to.fragment ? span->to.row : fragment->row_count;
        RWL_TRY(read_rows(s, fragment, &c->driver, from, to, err));
    }
    return RWL_OK;
}

static rwl_status read_ours(side *s, rwl_error *err) {
    const copies *c = s->c;
    const decode_span *span = &c->span;
    rwl_fragment fragment = rwl_verify_fragment(c->written, span->file);
    rwl_driver driver = rwl_iceberg_driver(c->written->store, c->written->metadata, NULL);
    rwl_status st = read_rows(s, &fragment, &driver, span->first, span->first + span->rows, err);
    return rwl_verify_blame(span->file, st, err);
}

/* A task function: `arg` is the side. */
static rwl_status read_side(void *arg, rwl_error *err) {
    side *s = arg;
    return s->is_ours ? read_ours(s, err) : read_theirs(s, err);
}

/* What can be read on neither side could not before the rewrite: the failure of the source is the one to tell. */
static rwl_status read_both(copies *c, side *ours, side *theirs, rwl_error *err) {
    rwl_group *group = NULL;
    rwl_error written = {0};
    RWL_TRY(rwl_group_new(c->written->overlap ? c->op->env->pool : NULL, c->op, &group, err));
    rwl_status st = rwl_group_submit(group, read_side, theirs, &written);
    if (st == RWL_OK)
        st = read_side(ours, &written);
    rwl_status waited = rwl_group_wait(group, err);
    rwl_group_free(group);
    if (waited == RWL_OK && st != RWL_OK && err != NULL)
        *err = written;
    return waited != RWL_OK ? waited : st;
}

static void choose_fields(copies *c) {
    c->field_count = 0;
    for (int32_t i = 0; i < c->schema->field_count; i++)
        if (c->was_decoded[i])
            c->fields[c->field_count++] = c->schema->fields[i];
}

static void add_nulls(copies *c, const int64_t *nulls) {
    for (int32_t i = 0, at = 0; i < c->schema->field_count; i++)
        if (c->was_decoded[i])
            c->nulls[i] += nulls[at++];
}

/* Compares what is to be decoded, if anything. */
static rwl_status close_span(copies *c, rwl_error *err) {
    if (c->span.rows == 0)
        return RWL_OK;
    choose_fields(c);
    rwl_row_hasher hasher = {.env = c->op->env, .by_position = true, .position = c->span.position};
    side ours = {.c = c, .is_ours = true, .hasher = hasher}, theirs = {.c = c, .hasher = hasher};
    ours.nulls = rwl_calloc(c->op->env, (size_t)c->field_count, sizeof *ours.nulls);
    rwl_status st = ours.nulls != NULL ? read_both(c, &ours, &theirs, err)
                                       : rwl_no_memory(err, (size_t)c->field_count * sizeof *ours.nulls);
    if (st == RWL_OK)
        st = rwl_conserve_compare(&theirs.sums, &ours.sums, err);
    if (st == RWL_OK)
        add_nulls(c, ours.nulls);
    rwl_row_hasher_clear(&ours.hasher);
    rwl_row_hasher_clear(&theirs.hasher);
    rwl_free(c->op->env, ours.nulls);
    c->span.rows = 0;
    return st;
}

/* The row of the inputs that is `row` rows into the row group at hand; at a border the one before it, of `is_end`. */
static input_row find_row(const copies *c, int64_t row, bool is_end) {
    size_t i = 0;
    while (row > c->pieces.items[i].count || (row == c->pieces.items[i].count && !is_end))
        row -= c->pieces.items[i++].count;
    return (input_row){c->pieces.items[i].fragment, c->pieces.items[i].start + row};
}

/* Rows of the row group at hand join the span where they follow it and the same columns are decoded. */
static rwl_status add_to_span(copies *c, const rwl_added_file *file, int64_t group_first,
                              const rwl_range *rows, rwl_error *err) {
    size_t size = (size_t)c->schema->field_count * sizeof *c->is_decoded;
    int64_t first = group_first + rows->start;
    if (c->span.first + c->span.rows != first || memcmp(c->is_decoded, c->was_decoded, size) != 0)
        RWL_TRY(close_span(c, err));
    if (c->span.rows == 0) {
        memcpy(c->was_decoded, c->is_decoded, size);
        c->span = (decode_span){.file = file,
                                .first = first,
                                .position = c->position + rows->start,
                                .from = find_row(c, rows->start, false)};
    }
    c->span.to = find_row(c, rows->start + rows->count, true);
    c->span.rows += rows->count;
    return RWL_OK;
}

static int compare_ranges(const void *a, const void *b) {
    const rwl_range *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* Ranges in order, those close to each other made one: opening files again costs more than a batch. */
static void join_ranges(rwl_live_ranges *ranges) {
    size_t kept = 0;
    if (ranges->len > 1)
        qsort(ranges->items, ranges->len, sizeof *ranges->items, compare_ranges);
    for (size_t i = 1; i < ranges->len; i++) {
        rwl_range *last = &ranges->items[kept];
        const rwl_range *next = &ranges->items[i];
        int64_t end = next->start + next->count;
        if (next->start - (last->start + last->count) > RWL_BATCH_ROWS)
            ranges->items[++kept] = *next;
        else if (end > last->start + last->count)
            last->count = end - last->start;
    }
    if (ranges->len > 0)
        ranges->len = kept + 1;
}

/* --- row groups and files --- */

static bool tells_nulls(const rwl_added_file *file, int32_t field_id) {
    for (int32_t m = 0; m < file->metrics_count; m++)
        if (file->metrics[m].field_id == field_id && file->metrics[m].with_counts &&
            file->metrics[m].null_count >= 0)
            return true;
    return false;
}

/* The rows where a column of the row group is no copy. A count of nulls that the entry tells has to be known, too: what
 * copied pages have is known, or nothing beside those that are decoded. */
static rwl_status check_column(copies *c, const rwl_added_file *file, int32_t i, int64_t rows,
                               rwl_error *err) {
    int32_t id = c->schema->fields[i].id;
    size_t before = c->others.len;
    int64_t nulls;
    RWL_TRY(rwl_page_check_field(&c->pages, id, &c->others, &nulls, err));
    bool is_copy = c->others.len == before;
    bool is_whole = !is_copy && c->others.items[before].count == rows;
    if ((nulls < 0 || (nulls > 0 && !is_copy)) && tells_nulls(file, id)) {
        is_copy = false;
        is_whole = true;
        c->others.len = before;
        RWL_TRY(rwl_vec_push(&c->others, c->op->env, ((rwl_range){0, rows}), err));
    }
    c->is_decoded[i] = !is_copy;
    if (is_copy && nulls > 0)
        c->nulls[i] += nulls;
    (*(is_copy ? &c->stats.compared : is_whole ? &c->stats.decoded : &c->stats.in_part))++;
    return RWL_OK;
}

static rwl_status check_group(copies *c, const rwl_added_file *file, const rwl_parquet_group *group,
                              rwl_error *err) {
    RWL_TRY(find_pieces(c, group->row_count, err));
    c->pages.pieces = c->pieces.items;
    c->pages.piece_count = c->pieces.len;
    c->others.len = 0;
    for (int32_t i = 0; i < c->schema->field_count; i++) {
        c->is_decoded[i] = false;
        if (!c->is_left_out[i])
            RWL_TRY(check_column(c, file, i, group->row_count, err));
    }
    join_ranges(&c->others);
    for (size_t i = 0; i < c->others.len; i++)
        RWL_TRY(add_to_span(c, file, group->first_row, &c->others.items[i], err));
    return RWL_OK;
}

static rwl_status check_groups(copies *c, const rwl_added_file *file, const rwl_parquet_file *parquet,
                               rwl_error *err) {
    for (int32_t g = 0; g < parquet->group_count; g++) {
        if (parquet->groups[g].row_count == 0)
            continue;
        RWL_TRY(rwl_op_check(c->op, err));
        c->pages.group = g;
        RWL_TRY(check_group(c, file, &parquet->groups[g], err));
        rwl_page_check_pass(&c->pages, c->next_fragment - 1);
        c->position += parquet->groups[g].row_count;
    }
    return close_span(c, err);
}

static rwl_status check_counts(const copies *c, const rwl_added_file *file, rwl_error *err) {
    rwl_status st = RWL_OK;
    for (int32_t i = 0; st == RWL_OK && i < c->schema->field_count; i++)
        if (!c->is_left_out[i])
            st = rwl_entry_check_counts(file, &c->schema->fields[i], file->row_count, c->nulls[i], err);
    return rwl_verify_blame(file, st, err);
}

static rwl_status check_opened(copies *c, const rwl_added_file *file, const rwl_parquet_file *parquet,
                               rwl_error *err) {
    if (parquet->row_count != file->row_count)
        return rwl_fail(err, RWL_INTERNAL, "verifying %s: it has %lld rows, its entry says %lld",
                        file->location, (long long)parquet->row_count, (long long)file->row_count);
    memset(c->nulls, 0, (size_t)c->schema->field_count * sizeof *c->nulls);
    c->pages.written = parquet;
    RWL_TRY(rwl_file_open(c->written->store, c->op, file->location, &c->pages.written_handle, err));
    rwl_status st = check_groups(c, file, parquet, err);
    rwl_file_close(c->pages.written_handle);
    c->pages.written_handle = NULL;
    return st == RWL_OK ? check_counts(c, file, err) : st;
}

static rwl_status check_file(copies *c, const rwl_added_file *file, rwl_error *err) {
    rwl_parquet_file *parquet = NULL;
    rwl_status st =
        rwl_parquet_open(c->written->store, c->op, file->location, file->file_size, &parquet, err);
    if (st != RWL_OK)
        return rwl_verify_blame(file, st, err);
    st = check_opened(c, file, parquet, err);
    rwl_parquet_close(parquet);
    return st;
}

static rwl_status check_files(copies *c, rwl_error *err) {
    size_t count = (size_t)c->schema->field_count + 1;
    rwl_arena arena;
    rwl_arena_init(&arena, c->op->env, 0);
    c->nulls = rwl_arena_array(&arena, count, sizeof *c->nulls);
    c->is_left_out = rwl_arena_array(&arena, count, sizeof *c->is_left_out);
    c->is_decoded = rwl_arena_array(&arena, count, sizeof *c->is_decoded);
    c->was_decoded = rwl_arena_array(&arena, count, sizeof *c->was_decoded);
    c->fields = rwl_arena_array(&arena, count, sizeof *c->fields);
    rwl_status st = RWL_OK;
    if (c->nulls == NULL || c->is_left_out == NULL || c->is_decoded == NULL || c->was_decoded == NULL ||
        c->fields == NULL)
        st = rwl_no_memory(err, count * sizeof *c->fields);
    for (int32_t i = 0; st == RWL_OK && i < c->schema->field_count; i++)
        for (int32_t k = 0; k < c->written->values->field_count; k++)
            c->is_left_out[i] |= c->written->values->fields[k].id == c->schema->fields[i].id;
    for (size_t i = 0; st == RWL_OK && i < c->written->file_count; i++)
        st = check_file(c, &c->written->files[i], err);
    if (st == RWL_OK)
        st = expect_no_more(c, err);
    rwl_arena_clear(&arena);
    return st;
}

rwl_status rwl_verify_copies(rwl_op *op, const rwl_copies_request *request, rwl_copies_stats *stats,
                             rwl_error *err) {
    copies c;
    memset(&c, 0, sizeof c);
    c.op = op;
    c.request = request;
    c.written = request->written;
    c.schema = request->written->metadata->schema;
    c.driver = rwl_iceberg_driver(c.written->store, c.written->metadata, request->deletes);
    rwl_status st =
        rwl_page_check_init(&c.pages, c.written->store, op, request->fragments, request->fragment_count, err);
    if (st == RWL_OK)
        st = check_files(&c, err);
    *stats = c.stats;
    rwl_page_check_clear(&c.pages, request->fragment_count);
    rwl_vec_clear(&c.live, op->env);
    rwl_vec_clear(&c.pieces, op->env);
    rwl_vec_clear(&c.others, op->env);
    return st;
}
