/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader makes of stored and inherited ids and versions. */
#include "lineage/inherit.h"

#include <inttypes.h>

/* The rest of an array, once a sequence without nulls is dense anyway. */
static rwl_status append_dense(rwl_runs *r, const int64_t *values, int64_t count, rwl_error *err) {
    RWL_TRY(rwl_column_reserve(&r->column, r->env, r->length + count, 0, err));
    memcpy(r->column.values.data + (size_t)r->length * sizeof *values, values,
           (size_t)count * sizeof *values);
    r->column.length += count;
    r->length += count;
    return RWL_OK;
}

/* Appends an array as the runs it has. */
static rwl_status append_values(rwl_runs *r, const int64_t *values, int64_t count, rwl_error *err) {
    uint64_t step = (uint64_t)r->step;
    for (int64_t i = 0, end; i < count; i = end) {
        if (r->dense && r->null_count == 0)
            return append_dense(r, values + i, count - i, err);
        end = i + 1;
        while (end < count && (uint64_t)values[end] == (uint64_t)values[end - 1] + step)
            end++;
        RWL_TRY(rwl_runs_append(r, values[i], end - i, err));
    }
    return RWL_OK;
}

/* Stored values are numbers of rows and commits: none is negative, and none is above `most`. */
static rwl_status check_stored(const int64_t *values, int64_t count, int64_t most, const char *name,
                               rwl_error *err) {
    bool bad = false;
    for (int64_t i = 0; i < count; i++)
        bad |= (uint64_t)values[i] > (uint64_t)most; /* negative ones, too */
    if (!bad)
        return RWL_OK;
    int64_t i = 0;
    while (values[i] >= 0 && values[i] <= most)
        i++;
    return rwl_fail(err, RWL_CORRUPT, "stored %s is %s%" PRId64, name, values[i] < 0 ? "negative: " : "",
                    values[i]);
}

/* The end of the rows from `row` on that are null, or valid, as `row` is. */
static int64_t find_validity_end(const rwl_column *column, int64_t row, int64_t end) {
    if (column->null_count == 0)
        return end;
    bool is_null = rwl_column_is_null(column, row);
    uint8_t same = is_null ? 0x00 : 0xff;
    int64_t i = row + 1;
    while (i < end) {
        if ((i & 7) == 0 && end - i >= 8 && column->validity.data[i >> 3] == same)
            i += 8;
        else if (rwl_column_is_null(column, i) == is_null)
            i++;
        else
            break;
    }
    return i;
}

/* Stored cells at … at + count - 1 where they are not null, else `inherited` (+ row for ids). */
static rwl_status append_effective(rwl_runs *r, const rwl_column *stored, int64_t at, int64_t count,
                                   int64_t inherited, const char *name, rwl_error *err) {
    int64_t most = r->step == 0 ? INT64_MAX : INT64_MAX - 1; /* of ids: a next-row-id must fit above */
    if (stored == NULL)
        return rwl_runs_append(r, inherited, count, err);
    for (int64_t i = 0, end; i < count; i = end) {
        end = find_validity_end(stored, at + i, at + count) - at;
        if (rwl_column_is_null(stored, at + i)) {
            RWL_TRY(rwl_runs_append(r, r->step == 0 ? inherited : inherited + i, end - i, err));
            continue;
        }
        const int64_t *values = rwl_column_i64(stored) + at + i;
        RWL_TRY(check_stored(values, end - i, most, name, err));
        RWL_TRY(append_values(r, values, end - i, err));
    }
    return RWL_OK;
}

rwl_status rwl_inherit_rows(const rwl_inherit_file *file, int64_t pos, int64_t count,
                            const rwl_inherit_stored *stored, int64_t at, rwl_runs *ids, rwl_runs *versions,
                            rwl_error *err) {
    if (count == 0)
        return RWL_OK;
    if (!file->first_row_id.present) { /* law 5 */
        RWL_TRY(rwl_runs_append_null(ids, count, err));
        return rwl_runs_append_null(versions, count, err);
    }
    int64_t base = file->first_row_id.value;
    if (base < 0 || pos < 0 || pos > INT64_MAX - count || base > INT64_MAX - (pos + count))
        return rwl_fail(err, RWL_CORRUPT, "first_row_id %" PRId64 " + position %" PRId64 " passes 2^63 - 1",
                        base, pos);
    RWL_TRY(append_effective(ids, stored == NULL ? NULL : stored->ids, at, count, base + pos,
                             RWL_COLUMN_ROW_ID, err));
    return append_effective(versions, stored == NULL ? NULL : stored->versions, at, count,
                            file->data_sequence_number, RWL_COLUMN_LAST_UPDATED, err);
}

rwl_status rwl_inherit_ranges(const rwl_inherit_file *file, int64_t pos, const rwl_range *keep,
                              size_t keep_count, const rwl_inherit_stored *stored, rwl_runs *ids,
                              rwl_runs *versions, rwl_error *err) {
    for (size_t i = 0; i < keep_count; i++)
        RWL_TRY(rwl_inherit_rows(file, pos + keep[i].start, keep[i].count, stored, keep[i].start, ids,
                                 versions, err));
    return RWL_OK;
}
