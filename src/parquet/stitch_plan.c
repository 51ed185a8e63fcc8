/* SPDX-License-Identifier: Apache-2.0 */
/* Parts become segments, rows of one row group of an input, and segments row groups: when one is full, it is written. */
#include "parquet/stitch_internal.h"

/* --- sources --- */

static rwl_status new_source(rwl_parquet_stitch *s, const rwl_parquet_stitch_part *part,
                             rwl_stitch_source **out, rwl_error *err) {
    const char *why = NULL;
    rwl_stitch_source *source = rwl_calloc(s->env, 1, sizeof *source);
    *out = NULL;
    if (source == NULL)
        return rwl_no_memory(err, sizeof *source);
    source->part = *part;
    source->part.file = rwl_parquet_ref(part->file);
    source->carries = rwl_parquet_values_carry(part->file->created_by);
    source->users = 1; /* add() itself */
    source->held = &s->held;
    rwl_arena_init(&source->arena, s->env, 0);
    source->maps = rwl_arena_array(&source->arena, (size_t)s->schema.leaf_count + 1, sizeof *source->maps);
    bool *is_made = rwl_arena_array(&source->arena, (size_t)s->schema.field_count + 1, sizeof *is_made);
    if (source->maps == NULL || is_made == NULL) {
        rwl_stitch_source_free(s, source);
        return rwl_no_memory(err, sizeof *source->maps);
    }
    for (int32_t i = 0; i < s->schema.field_count; i++)
        is_made[i] = rwl_stitch_makes(s, source, i);
    if (!rwl_stitch_map_file(part->file, &s->schema, is_made, &source->arena, source->maps, &why)) {
        rwl_status st = rwl_fail(err, RWL_UNSUPPORTED, "%s: %s", part->file->location, why);
        rwl_stitch_source_free(s, source);
        return st;
    }
    *out = source;
    return RWL_OK;
}

/* --- planning --- */

static int64_t estimate_bytes(const rwl_parquet_stitch *s, const rwl_stitch_segment *seg) {
    double bytes = 0;
    for (int32_t i = 0; i < s->schema.leaf_count; i++)
        bytes += rwl_stitch_leaf_bytes(s, seg, i);
    return bytes < RWL_STITCH_BYTES_MAX ? (int64_t)bytes + 1 : RWL_STITCH_BYTES_MAX;
}

/* Whether dictionary-coded pages of the segment would come behind others. */
static bool would_decode(const rwl_parquet_stitch *s, const rwl_stitch_segment *seg) {
    const rwl_parquet_chunk *chunk;
    for (int32_t i = 0; i < s->schema.leaf_count; i++)
        if (s->left[i] && rwl_stitch_uses(s, seg, i, &chunk) &&
            rwl_stitch_coding_of(chunk) != RWL_STITCH_PLAIN)
            return true;
    return false;
}

static void note_coding(rwl_parquet_stitch *s, const rwl_stitch_segment *seg) {
    const rwl_parquet_chunk *chunk;
    for (int32_t i = 0; i < s->schema.leaf_count; i++)
        if (rwl_stitch_uses(s, seg, i, &chunk) && rwl_stitch_coding_of(chunk) != RWL_STITCH_CODED)
            s->left[i] = true;
}

/* Whether the pending row group ends before the segment. */
static bool ends_before(const rwl_parquet_stitch *s, const rwl_stitch_segment *seg) {
    if (s->pending.len == 0)
        return false;
    return s->pending_bytes + seg->bytes > s->group_bytes || s->pending_rows + seg->rows > s->group_rows ||
           (s->pending_bytes >= s->group_bytes / 2 && would_decode(s, seg));
}

static rwl_status push_segment(rwl_parquet_stitch *s, const rwl_stitch_segment *seg, rwl_error *err) {
    if (ends_before(s, seg))
        RWL_TRY(rwl_stitch_pending_flush(s, err));
    rwl_stitch_segment copy = *seg;
    copy.ranges = rwl_alloc(s->env, seg->range_count * sizeof *seg->ranges);
    if (copy.ranges == NULL)
        return rwl_no_memory(err, seg->range_count * sizeof *seg->ranges);
    memcpy(copy.ranges, seg->ranges, seg->range_count * sizeof *seg->ranges);
    rwl_status st = rwl_vec_push(&s->pending, s->env, copy, err);
    if (st != RWL_OK) {
        rwl_free(s->env, copy.ranges);
        return st;
    }
    seg->source->users++;
    s->pending_rows += seg->rows;
    s->pending_bytes += seg->bytes;
    note_coding(s, seg);
    bool is_full =
        s->pending_bytes >= s->group_bytes - s->group_bytes / 8 || s->pending_rows >= s->group_rows;
    return is_full ? rwl_stitch_pending_flush(s, err) : RWL_OK;
}

/* How many of `rows` rows, `bytes` in all, the next segment takes: all, unless limits cut them. */
static int64_t next_piece(rwl_parquet_stitch *s, int64_t rows, int64_t bytes) {
    int64_t room = s->group_rows - s->pending_rows, most = rows;
    if (rows > room) /* a row group not yet half full is filled, else the segment begins the next */
        most = s->pending_rows >= s->group_rows / 2 && rows <= s->group_rows ? rows
               : room > 0                                                    ? room
                                                                             : s->group_rows;
    if (bytes > 2 * s->group_bytes) {
        int64_t pieces = (bytes + s->group_bytes - 1) / s->group_bytes, even = (rows + pieces - 1) / pieces;
        most = even < most ? even : most;
    }
    return most < rows ? most : rows;
}

/* Cuts the rows kept of one input row group into segments. */
static rwl_status add_group(rwl_parquet_stitch *s, rwl_stitch_source *source, int32_t g, rwl_error *err) {
    const rwl_parquet_group *group = &source->part.file->groups[g];
    rwl_range *ranges = s->ranges.items, *end = ranges + s->ranges.len;
    rwl_stitch_segment seg = {.source = source, .group = g};
    int64_t left = 0;
    for (const rwl_range *r = ranges; r < end; r++)
        left += r->count;
    while (left > 0) {
        seg.rows = left;
        int64_t rows = next_piece(s, left, estimate_bytes(s, &seg)), got = 0;
        rwl_range *last = ranges;
        for (; got + last->count < rows; last++)
            got += last->count;
        rwl_range rest = {last->start + (rows - got), last->count - (rows - got)};
        last->count = rows - got;
        seg.ranges = ranges;
        seg.range_count = (size_t)(last - ranges) + 1;
        seg.rows = rows;
        seg.is_whole = rows == group->row_count;
        seg.bytes = estimate_bytes(s, &seg);
        RWL_TRY(push_segment(s, &seg, err));
        left -= rows;
        ranges = last + (rest.count == 0);
        if (rest.count > 0)
            *last = rest;
    }
    return RWL_OK;
}

/* Rows of the part that lie in the row group, from its range *at on. */
static rwl_status collect(rwl_parquet_stitch *s, const rwl_parquet_stitch_part *part,
                          const rwl_parquet_group *group, size_t *at, rwl_error *err) {
    int64_t first = group->first_row, end = first + group->row_count;
    s->ranges.len = 0;
    for (size_t i = *at; i < part->range_count && part->ranges[i].start < end; i++) {
        const rwl_range *r = &part->ranges[i];
        int64_t from = r->start > first ? r->start : first, to = r->start + r->count;
        to = to < end ? to : end;
        if (to > from) {
            rwl_range *before = s->ranges.len > 0 ? &s->ranges.items[s->ranges.len - 1] : NULL;
            if (before != NULL && before->start + before->count == from - first)
                before->count += to - from;
            else
                RWL_TRY(rwl_vec_push(&s->ranges, s->env, ((rwl_range){from - first, to - from}), err));
        }
        if (r->start + r->count > end)
            break;
        *at = i + 1;
    }
    return RWL_OK;
}

static rwl_status check_ranges(const rwl_parquet_stitch_part *part, rwl_error *err) {
    int64_t at = 0;
    for (size_t i = 0; i < part->range_count; i++) {
        const rwl_range *r = &part->ranges[i];
        if (r->start < at || r->count < 0 || r->count > part->file->row_count ||
            r->start > part->file->row_count - r->count)
            return rwl_fail(err, RWL_INTERNAL, "rows %lld + %lld of %s are out of order", (long long)r->start,
                            (long long)r->count, part->file->location);
        at = r->start + r->count;
    }
    return RWL_OK;
}

rwl_status rwl_stitch_part_add(rwl_parquet_stitch *s, const rwl_parquet_stitch_part *part, rwl_error *err) {
    rwl_stitch_source *source;
    size_t at = 0;
    RWL_TRY(rwl_op_check(s->op, err));
    RWL_TRY(check_ranges(part, err));
    RWL_TRY(new_source(s, part, &source, err));
    rwl_status st = RWL_OK;
    for (int32_t g = 0; g < part->file->group_count && at < part->range_count && st == RWL_OK; g++) {
        if (part->file->groups[g].row_count == 0)
            continue;
        st = collect(s, part, &part->file->groups[g], &at, err);
        if (st == RWL_OK && s->ranges.len > 0)
            st = add_group(s, source, g, err);
    }
    rwl_stitch_source_drop(s, source);
    return st;
}
