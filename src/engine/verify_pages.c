/* SPDX-License-Identifier: Apache-2.0 */
/* Two walks side by side: over the written chunk, and over the chunks its rows come from. */
#include "engine/verify_pages.h"

#include "parquet/same.h"
#include "parquet/values.h"

/* Opened inputs kept from column to column; beyond that they are opened again. */
enum { KEPT_BYTES = 16 << 20, KEPT_SHARE = 16 /* of the budget */ };
enum { LOOKED_AT = 4 /* pages of a chunk, at least */ };

rwl_status rwl_page_check_init(rwl_page_check *check, rwl_store *store, rwl_op *op,
                               const rwl_fragment *fragments, size_t count, rwl_error *err) {
    memset(check, 0, sizeof *check);
    check->store = store;
    check->op = op;
    check->fragments = fragments;
    rwl_parquet_walk_init(&check->ours, op);
    rwl_parquet_walk_init(&check->theirs, op);
    check->inputs = rwl_calloc(op->env, count + 1, sizeof *check->inputs);
    return check->inputs != NULL ? RWL_OK : rwl_no_memory(err, count * sizeof *check->inputs);
}

static int64_t kept_size(const rwl_parquet_file *file) {
    return (int64_t)file->tail.len * 2 +
           (int64_t)file->group_count * file->leaf_count * (int64_t)sizeof(rwl_parquet_chunk);
}

static void drop_input(rwl_page_check *c, size_t fragment) {
    if (c->inputs[fragment] == NULL)
        return;
    c->kept_bytes -= kept_size(c->inputs[fragment]);
    rwl_parquet_close(c->inputs[fragment]);
    c->inputs[fragment] = NULL;
}

static void leave_input(rwl_page_check *c) {
    rwl_parquet_close(c->input);
    rwl_file_close(c->handle);
    c->input = NULL;
    c->handle = NULL;
    c->chunk = NULL;
}

void rwl_page_check_clear(rwl_page_check *c, size_t count) {
    leave_input(c);
    rwl_page_check_pass(c, count);
    rwl_free(c->op->env, c->inputs);
    rwl_parquet_walk_clear(&c->ours);
    rwl_parquet_walk_clear(&c->theirs);
    rwl_op_release(c->op, (int64_t)c->dictionary_cap);
    rwl_free(c->op->env, c->dictionary);
}

void rwl_page_check_pass(rwl_page_check *c, size_t fragment) {
    for (size_t i = fragment; c->inputs != NULL && i-- > 0 && c->kept_bytes > 0;)
        drop_input(c, i);
}

/* --- the source --- */

static rwl_status open_input(rwl_page_check *c, size_t fragment, rwl_error *err) {
    const rwl_fragment *f = &c->fragments[fragment];
    int64_t most = c->op->memory_limit > 0 && c->op->memory_limit / KEPT_SHARE < KEPT_BYTES
                       ? c->op->memory_limit / KEPT_SHARE
                       : KEPT_BYTES;
    leave_input(c);
    c->fragment = fragment;
    if (c->inputs[fragment] != NULL) {
        c->input = rwl_parquet_ref(c->inputs[fragment]);
    } else {
        RWL_TRY(rwl_parquet_open(c->store, c->op, f->location, f->file_size, &c->input, err));
        if (c->kept_bytes + kept_size(c->input) <= most) {
            c->kept_bytes += kept_size(c->input);
            c->inputs[fragment] = rwl_parquet_ref(c->input);
        }
    }
    c->carries = rwl_parquet_values_carry(c->input->created_by);
    c->input_group = -1;
    return rwl_file_open(c->store, c->op, f->location, &c->handle, err);
}

/* All nulls of a chunk are known where it was compared whole, or has none. */
static void settle_nulls(rwl_page_check *c) {
    if (c->chunk == NULL || c->nulls < 0)
        return;
    int64_t told = c->chunk->stats.null_count;
    bool is_whole = c->compared == c->input->groups[c->input_group].row_count;
    if (c->told_nulls >= 0)
        c->nulls += c->told_nulls;
    else if (told > 0 && is_whole)
        c->nulls += told;
    else if (told != 0)
        c->nulls = -1;
}

static int32_t find_group(const rwl_parquet_file *file, int32_t from, int64_t row) {
    for (int32_t g = from < 0 ? 0 : from; g < file->group_count; g++)
        if (row < file->groups[g].first_row + file->groups[g].row_count)
            return g;
    return -1;
}

/* Stands before the first page of the chunk with a row of a fragment. *same false: it is none to copy from. */
static rwl_status begin_source(rwl_page_check *c, size_t fragment, int64_t row, int32_t field_id, bool *same,
                               rwl_error *err) {
    settle_nulls(c);
    c->chunk = NULL;
    *same = false;
    if (c->input == NULL || c->fragment != fragment)
        RWL_TRY(open_input(c, fragment, err));
    int32_t node = rwl_parquet_node_by_id(c->input, field_id),
            group = find_group(c->input, c->input_group, row);
    if (node < 0 || group < 0 || c->input->row_count != c->fragments[fragment].row_count ||
        !rwl_parquet_same_node(c->written, c->node, c->input, &c->input->nodes[node]))
        return RWL_OK;
    const rwl_parquet_chunk *chunk =
        &c->input->groups[group].chunks[c->input->nodes[node].first_leaf + c->leaf];
    const rwl_parquet_chunk *ours = &c->written->groups[c->group].chunks[c->node->first_leaf + c->leaf];
    if (chunk->encrypted || ours->encrypted || chunk->codec != ours->codec)
        return RWL_OK;
    c->input_group = group;
    c->chunk = chunk;
    c->same_dictionary = c->has_begun = false;
    c->page_row = c->input->groups[group].first_row;
    c->page_rows = c->compared = c->told_nulls = 0;
    rwl_parquet_walk_begin(&c->theirs, c->handle, chunk);
    *same = true;
    return RWL_OK;
}

/* --- pages --- */

static const rwl_parquet_leaf *leaf_of(const rwl_page_check *c) {
    return &c->written->leaves[c->node->first_leaf + c->leaf];
}

/* A checksum is copied, or made where there was none. */
static bool same_crc(const rwl_parquet_page_header *ours, const rwl_parquet_page_header *theirs,
                     rwl_span body) {
    if (theirs->has_crc)
        return ours->has_crc && ours->crc == theirs->crc;
    return !ours->has_crc || ours->crc == rwl_crc32(0, body);
}

static bool same_body(const rwl_parquet_page_header *ours, rwl_span a, const rwl_parquet_page_header *theirs,
                      rwl_span b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0) && same_crc(ours, theirs, a);
}

/* Pages of several sources may use it: the window moves on before they are met. */
static rwl_status keep_dictionary(rwl_page_check *c, rwl_error *err) {
    rwl_span body;
    RWL_TRY(rwl_parquet_walk_body(&c->ours, &body, err));
    if (body.len > c->dictionary_cap) {
        int64_t more = (int64_t)(body.len - c->dictionary_cap);
        RWL_TRY(rwl_op_reserve(c->op, more, "a dictionary compared", err));
        uint8_t *grown = rwl_realloc(c->op->env, c->dictionary, body.len);
        if (grown == NULL) {
            rwl_op_release(c->op, more);
            return rwl_no_memory(err, body.len);
        }
        c->dictionary = grown;
        c->dictionary_cap = body.len;
    }
    if (body.len > 0)
        memcpy(c->dictionary, body.data, body.len);
    c->dictionary_header = c->ours.header;
    c->has_dictionary = true;
    return RWL_OK;
}

/* Our next data page. *found false at the end, and, *same false too, where a page comes that is not one to compare. */
static rwl_status next_of_ours(rwl_page_check *c, bool *found, bool *same, rwl_error *err) {
    bool is_first =
        c->ours.values_left == c->written->groups[c->group].chunks[c->node->first_leaf + c->leaf].value_count;
    RWL_TRY(rwl_parquet_walk_next(&c->ours, found, err));
    if (*found && is_first && !c->has_dictionary && c->ours.header.type == RWL_PARQUET_DICTIONARY_PAGE) {
        RWL_TRY(keep_dictionary(c, err));
        RWL_TRY(rwl_parquet_walk_next(&c->ours, found, err));
    }
    *same = !*found || (rwl_parquet_page_is_data(&c->ours.header) && c->ours.header.value_count > 0);
    *found = *found && *same;
    return RWL_OK;
}

/* Their next data page that is not empty; a dictionary before the first is compared with ours. Likewise. */
static rwl_status next_of_theirs(rwl_page_check *c, bool *found, bool *same, rwl_error *err) {
    const rwl_parquet_page_header *h = &c->theirs.header;
    *same = true;
    for (;;) {
        RWL_TRY(rwl_parquet_walk_next(&c->theirs, found, err));
        if (!*found)
            return RWL_OK;
        if (h->type == RWL_PARQUET_DICTIONARY_PAGE && !c->has_begun) {
            rwl_span body;
            RWL_TRY(rwl_parquet_walk_body(&c->theirs, &body, err));
            rwl_span kept = rwl_span_of(c->dictionary, (size_t)c->dictionary_header.compressed_size);
            c->has_begun = true; /* a second one would not be looked at */
            c->same_dictionary = c->has_dictionary &&
                                 rwl_parquet_same_page(leaf_of(c), &c->dictionary_header, h) &&
                                 same_body(&c->dictionary_header, kept, h, body);
            continue;
        }
        *same = rwl_parquet_page_is_data(h);
        *found = *same;
        if (*same && h->value_count == 0)
            continue;
        c->has_begun = true;
        return RWL_OK;
    }
}

/* Whether the pages at hand are one. */
static rwl_status same_pages(rwl_page_check *c, bool *same, rwl_error *err) {
    const rwl_parquet_page_header *ours = &c->ours.header, *theirs = &c->theirs.header;
    rwl_span a, b;
    *same = rwl_parquet_same_page(leaf_of(c), ours, theirs) &&
            (!rwl_parquet_page_is_coded(ours) || c->same_dictionary) &&
            (!c->carries || theirs->encoding != RWL_PARQUET_DELTA_BYTE_ARRAY);
    if (!*same)
        return RWL_OK;
    RWL_TRY(rwl_parquet_walk_body(&c->ours, &a, err));
    RWL_TRY(rwl_parquet_walk_body(&c->theirs, &b, err));
    *same = same_body(ours, a, theirs, b);
    c->compared += ours->value_count;
    if (theirs->type != RWL_PARQUET_DATA_PAGE_V2)
        c->told_nulls = -1;
    else if (c->told_nulls >= 0)
        c->told_nulls += theirs->null_count;
    return RWL_OK;
}

/* --- leaves --- */

/* Goes on to their page that begins at a row. */
static rwl_status find_page(rwl_page_check *c, size_t fragment, int64_t row, int32_t field_id, bool *same,
                            rwl_error *err) {
    bool is_here = c->chunk != NULL && c->fragment == fragment && row >= c->page_row &&
                   find_group(c->input, c->input_group, row) == c->input_group;
    *same = is_here;
    if (!is_here)
        RWL_TRY(begin_source(c, fragment, row, field_id, same, err));
    while (*same && c->page_row + c->page_rows <= row) {
        bool found;
        RWL_TRY(next_of_theirs(c, &found, same, err));
        *same = *same && found;
        c->page_row += c->page_rows;
        c->page_rows = *same ? c->theirs.header.value_count : 0;
    }
    *same = *same && c->page_row == row;
    return RWL_OK;
}

/* `rows` rows from `first` on are no copies. */
static rwl_status add_others(rwl_page_check *c, int64_t first, int64_t rows, rwl_error *err) {
    rwl_range *last = c->others->len > c->before ? &c->others->items[c->others->len - 1] : NULL;
    if (last == NULL || last->start + last->count != first)
        return rwl_vec_push(c->others, c->op->env, ((rwl_range){first, rows}), err);
    last->count += rows;
    return RWL_OK;
}

/* Where a page of ours begins: `used` rows into a piece. */
typedef struct place {
    size_t piece;
    int64_t used;
} place;

static void pass_rows(const rwl_page_check *c, place *at, int64_t rows) {
    at->used += rows;
    while (at->piece < c->piece_count && at->used >= c->pieces[at->piece].count)
        at->used -= c->pieces[at->piece++].count;
}

static rwl_status compare_page(rwl_page_check *c, const place *at, int32_t field_id, bool *same,
                               rwl_error *err) {
    const rwl_live_piece *piece = &c->pieces[at->piece];
    *same = at->piece < c->piece_count && c->ours.header.value_count <= piece->count - at->used;
    if (*same)
        RWL_TRY(find_page(c, piece->fragment, piece->start + at->used, field_id, same, err));
    return *same ? same_pages(c, same, err) : (rwl_status)RWL_OK;
}

/* Not repeated: a page has as many rows as values. Where most pages are no copies, the rest is not looked at. */
static rwl_status check_flat(rwl_page_check *c, int32_t field_id, rwl_error *err) {
    int64_t rows = c->written->groups[c->group].row_count, row = 0, copied = 0, other = 0;
    place at = {0, 0};
    while (row < rows && (other <= LOOKED_AT || other <= copied)) {
        bool found, same;
        RWL_TRY(next_of_ours(c, &found, &same, err));
        int64_t count = c->ours.header.value_count;
        if (!found || count > rows - row)
            break;
        RWL_TRY(compare_page(c, &at, field_id, &same, err));
        if (!same)
            RWL_TRY(add_others(c, row, count, err));
        (*(same ? &copied : &other))++;
        row += count;
        pass_rows(c, &at, count);
    }
    settle_nulls(c);
    if (row == rows && c->ours.values_left > 0)
        return rwl_fail(err, RWL_CORRUPT, "more values than rows");
    return row < rows ? add_others(c, row, rows - row, err) : (rwl_status)RWL_OK;
}

/* All pages of one row group of a source. Ours comes first: their dictionary is compared with it. */
static rwl_status check_whole_group(rwl_page_check *c, bool *same, rwl_error *err) {
    while (*same && c->theirs.values_left > 0) {
        bool ours, theirs = false;
        RWL_TRY(next_of_ours(c, &ours, same, err));
        if (*same && ours)
            RWL_TRY(next_of_theirs(c, &theirs, same, err));
        *same = *same && ours && theirs;
        if (*same)
            RWL_TRY(same_pages(c, same, err));
    }
    return RWL_OK;
}

static rwl_status check_groups(rwl_page_check *c, int32_t field_id, bool *same, rwl_error *err) {
    for (size_t i = 0; i < c->piece_count; i++) {
        const rwl_live_piece *piece = &c->pieces[i];
        for (int64_t row = piece->start, end = row + piece->count; row < end;) {
            RWL_TRY(begin_source(c, piece->fragment, row, field_id, same, err));
            if (!*same)
                return RWL_OK;
            const rwl_parquet_group *group = &c->input->groups[c->input_group];
            *same = group->first_row == row && group->row_count <= end - row;
            if (*same)
                RWL_TRY(check_whole_group(c, same, err));
            if (!*same)
                return RWL_OK;
            row += group->row_count;
        }
    }
    *same = c->ours.values_left == 0;
    return RWL_OK;
}

/* All or nothing. */
static rwl_status check_repeated(rwl_page_check *c, int32_t field_id, rwl_error *err) {
    bool same = false;
    RWL_TRY(check_groups(c, field_id, &same, err));
    return same ? (rwl_status)RWL_OK : add_others(c, 0, c->written->groups[c->group].row_count, err);
}

static rwl_status check_leaf(rwl_page_check *c, int32_t field_id, rwl_error *err) {
    c->chunk = NULL;
    c->input_group = -1;
    c->has_dictionary = false;
    c->nulls = 0;
    c->before = c->others->len;
    rwl_parquet_walk_begin(&c->ours, c->written_handle,
                           &c->written->groups[c->group].chunks[c->node->first_leaf + c->leaf]);
    return leaf_of(c)->max_repetition == 0 ? check_flat(c, field_id, err) : check_repeated(c, field_id, err);
}

static rwl_status check_leaves(rwl_page_check *c, int32_t field_id, rwl_error *err) {
    for (c->leaf = 0; c->leaf < c->node->leaf_count; c->leaf++)
        RWL_TRY(check_leaf(c, field_id, err));
    return RWL_OK;
}

rwl_status rwl_page_check_field(rwl_page_check *c, int32_t field_id, rwl_live_ranges *others, int64_t *nulls,
                                rwl_error *err) {
    rwl_error first = {0};
    int32_t node = rwl_parquet_node_by_id(c->written, field_id);
    size_t before = others->len;
    c->others = others;
    *nulls = -1;
    rwl_status st = RWL_CORRUPT;
    if (node >= 0) {
        c->node = &c->written->nodes[node];
        st = check_leaves(c, field_id, &first);
    }
    if (st == RWL_OK) {
        if (c->node->child_count == 0 && c->node->variant == NULL)
            *nulls = c->node->field.required ? 0 : c->nulls;
        return RWL_OK;
    }
    if (st == RWL_CORRUPT || st == RWL_UNSUPPORTED || st == RWL_NOT_FOUND) {
        others->len = before;
        return rwl_vec_push(others, c->op->env, ((rwl_range){0, c->written->groups[c->group].row_count}),
                            err);
    }
    if (err != NULL)
        *err = first;
    return st;
}
