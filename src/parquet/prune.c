/* SPDX-License-Identifier: Apache-2.0 */
/* Row groups and pages that a filter may select rows of. */
#include "parquet/prune_internal.h"

#include "base/vec.h"

/* --- set-up --- */

/* Whether the leaf's metadata speak of the rows that the field has: one value each, of a type in the same unit. */
static bool is_telling(const rwl_parquet_leaf *leaf, const rwl_type *want) {
    return leaf->max_repetition == 0 && !leaf->unsupported &&
           rwl_type_is_time_ns(&leaf->field.type) == rwl_type_is_time_ns(want);
}

static rwl_status set_up(rwl_prune *p, rwl_error *err) {
    const rwl_parquet_prune_request *q = p->request;
    const int32_t *used = rwl_bound_columns(q->filter, &p->column_count);
    p->columns = rwl_calloc(p->op->env, (size_t)p->column_count + 1, sizeof *p->columns);
    p->column_of = rwl_calloc(p->op->env, (size_t)q->field_count + 1, sizeof *p->column_of);
    if (!p->columns || !p->column_of)
        return rwl_no_memory(err, (size_t)q->field_count * sizeof *p->column_of);
    for (int32_t i = 0; i < q->field_count; i++)
        p->column_of[i] = -1;
    for (int32_t i = 0; i < p->column_count; i++) {
        rwl_prune_column *c = &p->columns[i];
        c->field = used[i];
        c->source = q->sources[c->field];
        c->leaf = -1;
        p->column_of[c->field] = i;
        p->has_positions = p->has_positions || c->source.kind == RWL_PARQUET_SOURCE_POSITION;
        if (c->source.kind == RWL_PARQUET_SOURCE_LEAF && c->source.leaf >= 0 &&
            c->source.leaf < p->file->leaf_count &&
            is_telling(&p->file->leaves[c->source.leaf], &q->fields[c->field].type))
            c->leaf = c->source.leaf;
    }
    return RWL_OK;
}

static void forget_group(rwl_prune *p) {
    for (int32_t i = 0; i < p->column_count; i++) {
        rwl_prune_column *c = &p->columns[i];
        rwl_column_clear(&c->dictionary, p->op->env);
        *c = (rwl_prune_column){.field = c->field, .leaf = c->leaf, .source = c->source};
    }
    p->by_pages = false;
    rwl_arena_reset(&p->arena);
}

static void tear_down(rwl_prune *p) {
    if (p->columns)
        forget_group(p);
    rwl_parquet_index_source_clear(&p->source);
    rwl_file_close(p->handle);
    rwl_free(p->op->env, p->columns);
    rwl_free(p->op->env, p->column_of);
    rwl_arena_clear(&p->arena);
}

/* --- row groups --- */

static bool may_match(rwl_prune *p, bool ask_membership) {
    rwl_facts facts = {.ctx = p, .lookup = rwl_prune_lookup};
    if (ask_membership)
        facts.may_contain = rwl_prune_may_contain;
    return rwl_expr_may_match(p->request->filter, &facts);
}

/* What dictionaries say, those that are worth reading. */
static rwl_status try_dictionaries(rwl_prune *p, bool *may, rwl_error *err) {
    bool is_some = false;
    for (int32_t i = 0; i < p->column_count; i++) {
        rwl_error own = {0};
        rwl_status st = rwl_prune_load_dictionary(p, &p->columns[i], &own);
        if (!rwl_prune_note(p, st, &own) && p->status != RWL_OK)
            return RWL_OK; /* noted */
        is_some = is_some || p->columns[i].has_dictionary;
    }
    /* no row may have some entries, and what cannot be computed of them must not end the scan */
    if (is_some && p->column_count == 1 && !rwl_bound_can_fail(p->request->filter))
        return rwl_prune_try_dictionary(p, &p->columns[0], may, err);
    if (is_some)
        *may = may_match(p, true);
    return RWL_OK;
}

/* Statistics first, then what has to be read. */
static rwl_status judge_group(rwl_prune *p, bool *may, rwl_error *err) {
    p->rows = (rwl_range){0, p->file->groups[p->group].row_count};
    *may = may_match(p, false);
    if (!*may || p->request->skip_indexes)
        return RWL_OK;
    *may = may_match(p, true);
    if (*may && p->status == RWL_OK)
        RWL_TRY(try_dictionaries(p, may, err));
    if (p->status == RWL_OK)
        return RWL_OK;
    if (err)
        *err = p->error;
    return p->status;
}

/* --- pages --- */

/* Both indexes of a column; left out when one is missing, damaged, or of another number of pages. */
static void load_pages(rwl_prune *p, rwl_prune_column *c) {
    rwl_error err = {0};
    rwl_parquet_offset_index *places = NULL;
    rwl_parquet_column_index *bounds = NULL;
    const rwl_parquet_chunk *chunk = &p->file->groups[p->group].chunks[c->leaf];
    if (chunk->encrypted || chunk->column_index.len == 0 || chunk->offset_index.len == 0)
        return;
    if (!rwl_prune_note(p, rwl_prune_open_file(p, &err), &err) ||
        !rwl_prune_note(
            p, rwl_parquet_index_load_bounds(&p->source, p->group, c->leaf, &p->arena, &bounds, &err),
            &err) ||
        !rwl_prune_note(
            p, rwl_parquet_index_load_offsets(&p->source, p->group, c->leaf, &p->arena, &places, &err), &err))
        return;
    if (!bounds || !places || bounds->page_count != places->page_count || places->page_count == 0)
        return;
    c->places = places;
    c->bounds = bounds;
}

static bool load_all_pages(rwl_prune *p) {
    bool is_some = false;
    for (int32_t i = 0; i < p->column_count; i++) {
        if (p->columns[i].leaf >= 0)
            load_pages(p, &p->columns[i]);
        is_some = is_some || p->columns[i].places;
    }
    return is_some;
}

/* Rows of a column that counts them are as good as pages of this many. */
enum { POSITIONS_STEP = 1024 };

/* Moves each column to the page of `row`; returns where the first of these pages ends. */
static int64_t move_to(rwl_prune *p, int64_t row, int64_t rows, rwl_parquet_selection *out) {
    int64_t end = p->has_positions && rows - row > POSITIONS_STEP ? row + POSITIONS_STEP : rows;
    for (int32_t i = 0; i < p->column_count; i++) {
        rwl_prune_column *c = &p->columns[i];
        if (!c->places)
            continue;
        const rwl_parquet_page_place *pages = c->places->pages;
        while (c->page + 1 < c->places->page_count && pages[c->page + 1].first_row <= row) {
            out->pages_skipped += !c->keeps_page;
            c->keeps_page = false;
            c->page++;
        }
        if (c->page + 1 < c->places->page_count && pages[c->page + 1].first_row < end)
            end = pages[c->page + 1].first_row;
    }
    return end;
}

typedef RWL_VEC(rwl_range) range_list;

static rwl_status add_range(rwl_prune *p, range_list *list, int64_t start, int64_t count, rwl_error *err) {
    if (list->len > 0 && list->items[list->len - 1].start + list->items[list->len - 1].count == start) {
        list->items[list->len - 1].count += count;
        return RWL_OK;
    }
    rwl_range range = {start, count};
    return rwl_vec_push(list, p->op->env, range, err);
}

/* Between any two borders of pages of filter columns, the filter is asked once. */
static rwl_status select_pages(rwl_prune *p, range_list *list, rwl_parquet_selection *out, rwl_error *err) {
    const rwl_parquet_group *group = &p->file->groups[p->group];
    p->by_pages = true;
    for (int64_t row = 0, end; row < group->row_count; row = end) {
        end = move_to(p, row, group->row_count, out);
        p->rows = (rwl_range){row, end - row};
        if (!may_match(p, false))
            continue;
        for (int32_t i = 0; i < p->column_count; i++)
            p->columns[i].keeps_page = true;
        RWL_TRY(add_range(p, list, group->first_row + row, end - row, err));
    }
    for (int32_t i = 0; i < p->column_count; i++)
        out->pages_skipped += p->columns[i].places && !p->columns[i].keeps_page;
    return RWL_OK;
}

/* --- the file --- */

static rwl_status select_group(rwl_prune *p, range_list *list, rwl_parquet_selection *out, rwl_error *err) {
    const rwl_parquet_group *group = &p->file->groups[p->group];
    bool may;
    RWL_TRY(judge_group(p, &may, err));
    if (!may) {
        out->groups_skipped++;
        return RWL_OK;
    }
    bool has_pages = (!p->request->skip_indexes && load_all_pages(p)) || p->has_positions;
    if (p->status != RWL_OK) {
        if (err)
            *err = p->error;
        return p->status;
    }
    return has_pages ? select_pages(p, list, out, err)
                     : add_range(p, list, group->first_row, group->row_count, err);
}

static rwl_status select_rows(rwl_prune *p, range_list *list, rwl_parquet_selection *out, rwl_error *err) {
    RWL_TRY(set_up(p, err));
    for (p->group = 0; p->group < p->file->group_count; p->group++) {
        RWL_TRY(rwl_op_check(p->op, err));
        if (p->file->groups[p->group].row_count == 0)
            continue;
        rwl_status st = select_group(p, list, out, err);
        if (st != RWL_OK)
            return rwl_error_path(err, rwl_error_in(err, st, "row group %d", p->group), p->file->location);
        forget_group(p);
    }
    return RWL_OK;
}

rwl_status rwl_parquet_prune(rwl_store *store, rwl_op *op, rwl_parquet_file *file,
                             const rwl_parquet_prune_request *request, rwl_parquet_selection *out,
                             rwl_error *err) {
    memset(out, 0, sizeof *out);
    rwl_prune p = {.store = store, .op = op, .file = file, .request = request};
    range_list list = {0};
    rwl_arena_init(&p.arena, op->env, 0);
    rwl_parquet_index_source_init(&p.source, NULL, op, file);
    rwl_status st = select_rows(&p, &list, out, err);
    out->requests = p.requests + p.source.requests;
    out->bytes_read = p.bytes_read + p.source.bytes;
    tear_down(&p);
    if (st != RWL_OK) {
        rwl_vec_clear(&list, op->env);
        return st;
    }
    out->ranges = list.items;
    out->count = list.len;
    for (size_t i = 0; i < list.len; i++)
        out->row_count += list.items[i].count;
    return RWL_OK;
}

void rwl_parquet_selection_cut(rwl_parquet_selection *s, rwl_range rows) {
    size_t kept = 0;
    s->row_count = 0;
    for (size_t i = 0; i < s->count; i++) {
        int64_t start = s->ranges[i].start, end = start + s->ranges[i].count;
        start = start > rows.start ? start : rows.start;
        end = end - rows.start < rows.count ? end : rows.start + rows.count;
        if (start >= end)
            continue;
        s->ranges[kept++] = (rwl_range){start, end - start};
        s->row_count += end - start;
    }
    s->count = kept;
}

void rwl_parquet_selection_clear(rwl_parquet_selection *s, const rwl_env *env) {
    rwl_free(env, s->ranges);
    memset(s, 0, sizeof *s);
}
