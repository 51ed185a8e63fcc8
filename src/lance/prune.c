/* SPDX-License-Identifier: Apache-2.0 */
/* Parts segments of row ids by what a filter may select. */
#include "lance/prune.h"

enum {
    SEGMENT_LEAST = 256, /* values of a segment that is worth looking into */
    SLICE_LEAST = 8,     /* and of a slice: fewer are read */
    DEPTH_MAX = 64       /* halvings of less than 2^63 values */
};

/* --- what is known of a slice --- */

static bool between(const rwl_lance_prune *p, int64_t least, int64_t greatest, rwl_column_facts *out) {
    out->value_count = p->slice.count;
    out->null_count = 0;
    out->has_lower = out->has_upper = true;
    out->lower = (rwl_value){.kind = RWL_TYPE_LONG, .as.i64 = least};
    out->upper = (rwl_value){.kind = RWL_TYPE_LONG, .as.i64 = greatest};
    return true;
}

static bool find_facts(void *ctx, int32_t column, rwl_column_facts *out) {
    const rwl_lance_prune *p = ctx;
    int64_t id = p->fragment->id, first = p->row, last = first + p->slice.count - 1;
    switch (p->fields[column].id) {
    case RWL_FIELD_ID_ROW_ID:
        if (p->by_address)
            return between(p, (id << 32) + first, (id << 32) + last, out);
        return p->lineage != NULL && between(p, p->slice.least, p->slice.end - 1, out);
    case RWL_FIELD_ID_ROW_ADDRESS:
        return between(p, (id << 32) + first, (id << 32) + last, out);
    case RWL_FIELD_ID_POS:
        return between(p, first, last, out);
    case RWL_FIELD_ID_FRAGMENT_ID:
        return between(p, id, id, out);
    default:
        return false;
    }
}

static bool may_match(rwl_lance_prune *p, const rwl_segment_slice *slice, int64_t segment_row) {
    const rwl_facts facts = {.ctx = p, .lookup = find_facts};
    p->slice = *slice;
    p->row = segment_row + slice->first;
    return rwl_expr_may_match(p->filter, &facts);
}

/* --- set-up --- */

/* Whether the filter names ids, and places. */
static void find_names(const rwl_fragment_read_options *options, bool *ids, bool *places) {
    int32_t count = 0;
    const int32_t *used = options->filter != NULL ? rwl_bound_columns(options->filter, &count) : NULL;
    *ids = *places = false;
    for (int32_t i = 0; i < count; i++) {
        int32_t id = options->filter_fields[used[i]].id;
        *ids = *ids || id == RWL_FIELD_ID_ROW_ID;
        *places = *places || id == RWL_FIELD_ID_ROW_ADDRESS || id == RWL_FIELD_ID_POS;
    }
}

rwl_lance_prune rwl_lance_prune_by(const rwl_fragment_read_options *options,
                                   const rwl_lance_fragment *fragment, rwl_lance_lineage *lineage) {
    bool ids, places;
    rwl_lance_prune p = {.fields = options->filter_fields, .fragment = fragment};
    rwl_lance_arm_kind kind = fragment->arms[RWL_LANCE_ROW_IDS].kind;
    find_names(options, &ids, &places);
    p.by_address = kind == RWL_LANCE_ARM_ABSENT;
    p.lineage = ids && kind == RWL_LANCE_ARM_INLINE ? lineage : NULL;
    if (places || (ids && (p.by_address || p.lineage != NULL)))
        p.filter = options->filter;
    return p;
}

/* --- walking --- */

/* The part of a segment that begins at `from` and ends before `end`, as far as it may match. */
typedef struct part {
    const rwl_segment *segment;
    int64_t row; /* of its first value */
    int64_t from, end, most;
} part;

static rwl_status emit(const part *at, const rwl_segment_slice *slice, const rwl_env *env,
                       rwl_lance_ranges *out, int64_t *rows, rwl_error *err) {
    int64_t start = at->row + slice->first, stop = start + slice->count;
    start = start > at->from ? start : at->from;
    stop = stop < at->end ? stop : at->end;
    rwl_range *last = out->len > 0 ? &out->items[out->len - 1] : NULL;
    *rows += stop - start;
    if (last != NULL && last->start + last->count == start) {
        last->count += stop - start;
        return RWL_OK;
    }
    return rwl_vec_push(out, env, ((rwl_range){start, stop - start}), err);
}

static rwl_status walk(rwl_lance_prune *p, const part *at, const rwl_env *env, rwl_lance_ranges *out,
                       int64_t *stop, rwl_error *err) {
    rwl_segment_slice stack[DEPTH_MAX + 1] = {rwl_segment_whole(at->segment)}, low, high;
    int64_t rows = 0;
    *stop = at->end;
    for (int depth = 1; depth > 0;) {
        const rwl_segment_slice s = stack[--depth];
        int64_t first = at->row + s.first;
        if (s.count == 0 || first + s.count <= at->from || first >= at->end || !may_match(p, &s, at->row))
            continue;
        if (rows >= at->most) {
            *stop = first;
            return RWL_OK;
        }
        if (s.count > SLICE_LEAST && depth + 2 <= DEPTH_MAX &&
            rwl_segment_halve(at->segment, &s, &low, &high)) {
            stack[depth++] = high;
            stack[depth++] = low;
        } else {
            RWL_TRY(emit(at, &s, env, out, &rows, err));
        }
    }
    return RWL_OK;
}

rwl_status rwl_lance_prune_next(rwl_lance_prune *prune, const rwl_env *env, int64_t row, int64_t end,
                                int64_t most, rwl_lance_ranges *out, int64_t *stop, rwl_error *err) {
    int64_t count = prune->fragment->physical_rows;
    const rwl_segment all = {.form = RWL_SEGMENT_RANGE, .end = count, .count = count};
    part at = {.segment = &all, .from = row, .end = end, .most = most};
    if (prune->lineage != NULL)
        RWL_TRY(rwl_lance_lineage_segment(prune->lineage, row, &at.segment, &at.row, err));
    bool is_known = prune->filter != NULL && at.segment != NULL && at.segment->form != RWL_SEGMENT_ARRAY &&
                    at.segment->count >= SEGMENT_LEAST;
    if (!is_known) {
        *stop = end - row < most ? end : row + most;
        return rwl_vec_push(out, env, ((rwl_range){row, *stop - row}), err);
    }
    if (at.segment->count < at.end - at.row)
        at.end = at.row + at.segment->count;
    return walk(prune, &at, env, out, stop, err);
}
