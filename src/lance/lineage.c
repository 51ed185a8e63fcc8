/* SPDX-License-Identifier: Apache-2.0 */
/* The row ids and versions of a fragment's physical rows, wherever they are stored. */
#include "lance/lineage.h"

#include "lance/carrier.h"
#include "lance/sequence.h"
#include "lineage/laws.h"

#include <inttypes.h>

/* How one sequence is read. */
typedef struct source {
    bool is_wanted;
    rwl_lance_values stream; /* INLINE */
} source;

struct rwl_lance_lineage {
    const rwl_lance_dataset *dataset;
    rwl_op *op;
    const rwl_lance_fragment *fragment;
    rwl_file *manifest; /* open when an inline arm was left in it */
    source sources[RWL_LANCE_SEQUENCES];
    rwl_lance_carriers carriers;
    RWL_VEC(rwl_range) ranges; /* of scattered rows, within `span` */
    rwl_rows span;             /* lineage of all rows between scattered ones; made when first needed */
};

/* Errors of what the manifest itself says. */
static rwl_status in_manifest(const rwl_lance_lineage *l, rwl_lance_sequence s, rwl_status st,
                              rwl_error *err) {
    return st == RWL_OK ? RWL_OK
                        : rwl_error_path(err, rwl_lance_in_sequence(l->fragment, s, st, err),
                                         l->dataset->manifest->location);
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
                        rwl_lance_sequence_subject(s));
    return RWL_OK;
}

static rwl_status open_sequence(rwl_lance_lineage *l, rwl_lance_sequence s, rwl_error *err) {
    l->sources[s].is_wanted = true;
    switch (l->fragment->arms[s].kind) {
    case RWL_LANCE_ARM_INLINE:
        if (!rwl_lance_manifest_has_stable_ids(l->dataset->manifest))
            return rwl_fail(err, RWL_CORRUPT,
                            "fragment %" PRId64
                            ": %s are inline, but feature flag 2 (stable row ids) is not set",
                            l->fragment->id, rwl_lance_sequence_subject(s));
        return in_manifest(l, s, open_inline(l, s, err), err);
    case RWL_LANCE_ARM_COLUMN:
        return rwl_lance_carriers_add(&l->carriers, s, err);
    case RWL_LANCE_ARM_EXTERNAL:
        return rwl_fail(err, RWL_UNSUPPORTED, "fragment %" PRId64 ": %s in an external file are not read",
                        l->fragment->id, rwl_lance_sequence_subject(s));
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

rwl_status rwl_lance_lineage_open(rwl_lance_fragment_files *files, unsigned wanted, rwl_lance_lineage **out,
                                  rwl_error *err) {
    *out = NULL;
    rwl_lance_lineage *l = rwl_calloc(files->op->env, 1, sizeof *l);
    if (l == NULL)
        return rwl_no_memory(err, sizeof *l);
    l->dataset = files->dataset;
    l->op = files->op;
    l->fragment = files->fragment;
    rwl_lance_carriers_init(&l->carriers, files);
    rwl_status st = RWL_OK;
    for (int s = 0; s < RWL_LANCE_SEQUENCES && st == RWL_OK; s++)
        if ((wanted & mask_of((rwl_lance_sequence)s)) != 0)
            st = open_sequence(l, (rwl_lance_sequence)s, err);
    if (st != RWL_OK) {
        rwl_lance_lineage_close(l);
        return rwl_error_path(err, st, files->dataset->manifest->location);
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
    rwl_lance_carriers_clear(&l->carriers);
    rwl_file_close(l->manifest);
    if (l->span.batch.env != NULL)
        rwl_rows_clear(&l->span);
    rwl_vec_clear(&l->ranges, l->op->env);
    rwl_free(l->op->env, l);
}

void rwl_lance_lineage_add_stats(const rwl_lance_lineage *lineage, rwl_read_stats *to) {
    rwl_lance_carriers_add_stats(&lineage->carriers, to);
    for (int s = 0; s < RWL_LANCE_SEQUENCES; s++) {
        to->bytes_read += lineage->sources[s].stream.bytes_read;
        to->requests += lineage->sources[s].stream.requests;
    }
}

/* --- reading --- */

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
            st = read_inline(l, s, ranges, count, rwl_lance_sequence_runs(rows, s), err);
        else if (l->fragment->arms[s].kind == RWL_LANCE_ARM_ABSENT)
            st = make_default(l->fragment, s, ranges, count, rwl_lance_sequence_runs(rows, s), err);
        RWL_TRY(in_manifest(l, s, st, err));
    }
    return rwl_lance_carriers_read(&l->carriers, ranges, count, rows, err);
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
            RWL_TRY(cut_span(l, rwl_lance_sequence_runs(&l->span, s), ranges, count, rows,
                             rwl_lance_sequence_runs(out, s), err));
    }
    return RWL_OK;
}

/* Addresses are given by nobody, and next-row-id is not above them. */
static rwl_status check_ids(const rwl_lance_lineage *l, const rwl_runs *ids, rwl_error *err) {
    if (l->fragment->arms[RWL_LANCE_ROW_IDS].kind == RWL_LANCE_ARM_ABSENT)
        return RWL_OK;
    rwl_status st = rwl_laws_check_below(ids, l->dataset->manifest->next_row_id, err);
    return in_manifest(l, RWL_LANCE_ROW_IDS, st, err);
}

rwl_status rwl_lance_lineage_read(rwl_lance_lineage *lineage, const rwl_range *ranges, size_t count,
                                  rwl_rows *rows, rwl_error *err) {
    int64_t all;
    RWL_TRY(check_ranges(lineage, ranges, count, &all, err));
    if (rwl_lance_is_scattered(ranges, count, all))
        RWL_TRY(read_scattered(lineage, ranges, count, all, rows, err));
    else
        RWL_TRY(read_ranges(lineage, ranges, count, rows, err));
    return check_ids(lineage, &rows->row_ids, err);
}

rwl_status rwl_lance_lineage_segment(rwl_lance_lineage *lineage, int64_t row, const rwl_segment **out,
                                     int64_t *first, rwl_error *err) {
    rwl_lance_values *stream = &lineage->sources[RWL_LANCE_ROW_IDS].stream;
    rwl_status st = rwl_lance_values_segment(stream, row, out, first, err);
    return in_manifest(lineage, RWL_LANCE_ROW_IDS, st, err);
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
        RWL_TRY(in_manifest(l, s, st, err));
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
        RWL_TRY(rwl_lance_in_sequence(fragment, s, inline_bounds(arm, s, &count, least, greatest, err), err));
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
