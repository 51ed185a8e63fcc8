/* SPDX-License-Identifier: Apache-2.0 */
/* An Avro file has no index: one pass over it, rows that are not asked for passed over. */
#include "iceberg/stored_avro.h"

struct rwl_stored_avro {
    const rwl_env *env;
    rwl_avro_scan *scan;
    rwl_range *ranges; /* NULL: all rows */
    size_t range_count, range_at;
    int64_t pos; /* where the scan stands */
    int64_t batch_rows;
    rwl_batch piece; /* of take */
};

/* --- making and freeing --- */

static rwl_status copy_options(rwl_stored_avro *r, const rwl_stored_read_options *options, rwl_error *err) {
    r->batch_rows = options->batch_rows > 0 ? options->batch_rows : RWL_BATCH_ROWS;
    if (options->ranges == NULL)
        return RWL_OK;
    r->range_count = options->range_count;
    r->ranges = rwl_calloc(r->env, r->range_count + 1, sizeof *r->ranges);
    if (r->ranges == NULL)
        return rwl_no_memory(err, r->range_count * sizeof *r->ranges);
    if (r->range_count > 0)
        memcpy(r->ranges, options->ranges, r->range_count * sizeof *r->ranges);
    return RWL_OK;
}

rwl_status rwl_stored_avro_new(rwl_avro_rows *rows, rwl_op *op, const rwl_stored_read_options *options,
                               rwl_stored_avro **out, rwl_error *err) {
    *out = NULL;
    rwl_stored_avro *r = rwl_calloc(op->env, 1, sizeof *r);
    if (r == NULL)
        return rwl_no_memory(err, sizeof *r);
    r->env = op->env;
    rwl_status st = copy_options(r, options, err);
    if (st == RWL_OK)
        st = rwl_avro_scan_new(rows, op, options->columns, options->column_count, options->wanted, &r->scan,
                               err);
    if (st == RWL_OK)
        *out = r;
    else
        rwl_stored_avro_free(r);
    return st;
}

void rwl_stored_avro_free(rwl_stored_avro *r) {
    if (r == NULL)
        return;
    if (r->piece.env != NULL)
        rwl_batch_clear(&r->piece);
    rwl_avro_scan_free(r->scan);
    rwl_free(r->env, r->ranges);
    rwl_free(r->env, r);
}

const rwl_field *rwl_stored_avro_fields(const rwl_stored_avro *r, int32_t *count) {
    return rwl_avro_scan_fields(r->scan, count);
}

int64_t rwl_stored_avro_bytes_read(const rwl_stored_avro *r) {
    return rwl_avro_scan_bytes_read(r->scan);
}

/* --- reading --- */

static rwl_status read_rows(rwl_stored_avro *r, int64_t rows, rwl_batch *batch, int64_t *pos,
                            rwl_error *err) {
    RWL_TRY(rwl_avro_scan_next(r->scan, rows < r->batch_rows ? rows : r->batch_rows, batch, pos, err));
    r->pos = *pos + batch->length;
    return RWL_OK;
}

rwl_status rwl_stored_avro_next(rwl_stored_avro *r, rwl_batch *batch, int64_t *first_pos, rwl_error *err) {
    if (r->ranges == NULL)
        return read_rows(r, INT64_MAX, batch, first_pos, err);
    for (; r->range_at < r->range_count; r->range_at++) {
        const rwl_range *range = &r->ranges[r->range_at];
        if (r->pos < range->start) {
            RWL_TRY(rwl_avro_scan_skip_to(r->scan, range->start, err));
            r->pos = range->start;
        }
        if (r->pos < range->start + range->count)
            return read_rows(r, range->start + range->count - r->pos, batch, first_pos, err);
    }
    /* what comes after the ranges is counted: with the blocks' own numbers, not decoded */
    RWL_TRY(rwl_avro_scan_skip_to(r->scan, INT64_MAX, err));
    return rwl_avro_scan_next(r->scan, 1, batch, first_pos, err);
}

/* The rows of the piece at `pos` that lie in `ranges`, appended; *first moves
 * to the first range not passed. */
static rwl_status take_piece(rwl_stored_avro *r, int64_t pos, const rwl_range *ranges, size_t count,
                             size_t *first, rwl_batch *batch, rwl_error *err) {
    int64_t end = pos + r->piece.length;
    for (; *first < count; ++*first) {
        const rwl_range *range = &ranges[*first];
        int64_t from = range->start > pos ? range->start : pos, to = range->start + range->count;
        rwl_range rows = {from - pos, (to < end ? to : end) - from};
        if (rows.count > 0)
            RWL_TRY(rwl_batch_take_ranges(&r->piece, &rows, 1, batch, err));
        if (to > end)
            return RWL_OK;
    }
    return RWL_OK;
}

static rwl_status make_piece(rwl_stored_avro *r, rwl_error *err) {
    int32_t count;
    if (r->piece.env != NULL)
        return RWL_OK;
    const rwl_field *fields = rwl_avro_scan_fields(r->scan, &count);
    return rwl_batch_init(&r->piece, r->env, fields, count, err);
}

rwl_status rwl_stored_avro_take(rwl_stored_avro *r, const rwl_range *ranges, size_t count, rwl_batch *batch,
                                rwl_error *err) {
    rwl_batch_reset(batch);
    RWL_TRY(make_piece(r, err));
    for (size_t i = 0; i < count;) {
        int64_t pos, from = ranges[i].start > r->pos ? ranges[i].start : r->pos;
        int64_t end = ranges[count - 1].start + ranges[count - 1].count;
        if (from > r->pos)
            RWL_TRY(rwl_avro_scan_skip_to(r->scan, from, err));
        RWL_TRY(read_rows(r, end - from, &r->piece, &pos, err));
        if (r->piece.length == 0)
            return rwl_fail(err, RWL_CORRUPT, "the file ends at row %lld", (long long)pos);
        RWL_TRY(take_piece(r, pos, ranges, count, &i, batch, err));
    }
    return RWL_OK;
}
