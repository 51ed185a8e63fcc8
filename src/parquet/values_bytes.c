/* SPDX-License-Identifier: Apache-2.0 */
/* Values of any length of a page: where each ends first, then their bytes. */
#include "parquet/text.h"
#include "parquet/values_internal.h"

enum { PIECE = 8 /* values that are looked at before lengths are guessed */ };

/* Ends of plain values, one after another. */
typedef struct plain_ends {
    const uint8_t *at, *page_end;
    size_t end, limit; /* bytes so far, and at most */
    int32_t *ends;
    size_t done;
} plain_ends;

/* Values of any lengths; *is_full when one passes the limit. */
static rwl_status find_ends(plain_ends *e, size_t count, bool *is_full, rwl_error *err) {
    const uint8_t *at = e->at;
    size_t end = e->end, i = 0;
    for (; i < count; i++) {
        if (e->page_end - at < 4)
            return rwl_parquet_values_fail_end(err);
        size_t len = rwl_load_le32(at);
        if (len > (size_t)(e->page_end - at) - 4)
            return rwl_parquet_values_fail_end(err);
        if (len > e->limit - end)
            break;
        end += len;
        at += 4 + len;
        e->ends[e->done + i + 1] = (int32_t)end;
    }
    *is_full = i < count;
    e->at = at;
    e->end = end;
    e->done += i;
    return RWL_OK;
}

/* Up to `count` values as long as the last one: their lengths are only compared, which no load waits for. */
static void repeat_end(plain_ends *e, size_t count) {
    size_t len = (size_t)(e->ends[e->done] - e->ends[e->done - 1]), step = 4 + len;
    size_t by_page = (size_t)(e->page_end - e->at) / step, by_limit = len ? (e->limit - e->end) / len : count;
    count = count < by_page ? count : by_page;
    count = count < by_limit ? count : by_limit;
    size_t i = 0, end = e->end;
    for (; i < count && rwl_load_le32(e->at + i * step) == len; i++) {
        end += len;
        e->ends[e->done + i + 1] = (int32_t)end;
    }
    e->at += i * step;
    e->end = end;
    e->done += i;
}

/* Lengths are guessed to repeat as long as that pays: after a piece of values of one length. */
static rwl_status take_plain_ends(plain_ends *e, size_t count, rwl_error *err) {
    bool is_full = false;
    while (e->done < count && !is_full) {
        size_t n = count - e->done < PIECE ? count - e->done : PIECE;
        RWL_TRY(find_ends(e, n, &is_full, err));
        if (is_full || e->done < PIECE)
            continue;
        const int32_t *last = e->ends + e->done;
        if (last[0] - last[-1] == last[-1] - last[-2] && last[0] - last[-1] == last[-2] - last[-3])
            repeat_end(e, count - e->done);
    }
    return RWL_OK;
}

/* Lengths first, then bytes: so that nothing is copied before it is known to fit. */
static rwl_status bytes_from_plain(rwl_parquet_values *v, rwl_column *out, size_t limit, size_t count,
                                   int32_t *ends, size_t *done, rwl_error *err) {
    const uint8_t *from = v->p;
    plain_ends e = {v->p, v->end, out->bytes_len, limit, ends, 0};
    RWL_TRY(take_plain_ends(&e, count, err));
    v->p = e.at;
    *done = e.done;
    RWL_TRY(rwl_reserve_bytes(out, v->env, (size_t)ends[*done], err));
    uint8_t *to = out->values.data;
    for (size_t i = 0; i < *done; i++) {
        size_t len = (size_t)(ends[i + 1] - ends[i]);
        rwl_copy_value(to + ends[i], from + 4, len);
        from += 4 + len;
    }
    out->bytes_len = (size_t)ends[*done];
    return RWL_OK;
}

static rwl_status take_entries(rwl_parquet_values *v, rwl_column *out, size_t limit, const uint32_t *indexes,
                               size_t count, int32_t *ends, size_t *done, rwl_error *err) {
    const rwl_parquet_dictionary *d = v->dictionary;
    const rwl_parquet_entry *entries = d->entries;
    size_t end = out->bytes_len, i = 0;
    for (; i < count; i++) {
        end += entries[indexes[i]].len;
        if (end > limit)
            break;
        ends[i + 1] = (int32_t)end;
    }
    *done = i;
    RWL_TRY(rwl_reserve_bytes(out, v->env, (size_t)ends[i], err));
    uint8_t *to = out->values.data;
    for (i = 0; i < *done; i++) {
        rwl_parquet_entry entry = entries[indexes[i]];
        rwl_copy_value(to + ends[i], d->values + entry.off, entry.len);
    }
    out->bytes_len = (size_t)ends[*done];
    return RWL_OK;
}

static rwl_status bytes_from_index(rwl_parquet_values *v, rwl_column *out, size_t limit, size_t count,
                                   int32_t *ends, size_t *done, rwl_error *err) {
    uint32_t indexes[RWL_PARQUET_BLOCK];
    rwl_rle before = v->rle;
    RWL_TRY(rwl_rle_read(&v->rle, indexes, count, err));
    RWL_TRY(rwl_parquet_values_check_indexes(v->dictionary, indexes, count, err));
    RWL_TRY(take_entries(v, out, limit, indexes, count, ends, done, err));
    if (*done == count)
        return RWL_OK;
    v->rle = before;
    return rwl_rle_skip(&v->rle, *done, err);
}

static rwl_status take_bytes(rwl_parquet_values *v, rwl_column *out, size_t limit, size_t count,
                             int32_t *ends, size_t *done, rwl_error *err) {
    switch (v->kind) {
    case RWL_PARQUET_VALUES_PLAIN:
        return bytes_from_plain(v, out, limit, count, ends, done, err);
    case RWL_PARQUET_VALUES_LENGTHS:
        return rwl_parquet_lengths_bytes(v, out, limit, count, ends, done, err);
    case RWL_PARQUET_VALUES_PREFIXES:
        return rwl_parquet_prefixes_bytes(v, out, limit, count, ends, done, err);
    default:
        return rwl_parquet_values_fail_end(err);
    }
}

rwl_status rwl_parquet_values_bytes(rwl_parquet_values *v, rwl_column *out, size_t limit, size_t count,
                                    int32_t *ends, size_t *done, rwl_error *err) {
    *done = 0;
    ends[0] = (int32_t)out->bytes_len;
    if (count == 0 || out->bytes_len > limit)
        return RWL_OK;
    if (v->kind == RWL_PARQUET_VALUES_INDEX) /* whose text was checked with the dictionary */
        return bytes_from_index(v, out, limit, count, ends, done, err);
    RWL_TRY(take_bytes(v, out, limit, count, ends, done, err));
    return v->layout->is_text ? rwl_parquet_text_check(out->values.data, ends, *done, err) : RWL_OK;
}
