/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are kept in chunks of about a batch; sort keys side by side with the end of each; order is row numbers. */
#include "engine/sorter.h"

#include "base/int128.h"
#include "base/vec.h"

enum {
    CHUNK_BYTES = 1 << 28, /* a chunk with this much is closed early: offsets stay far from int32's end */
    NEXT_BYTES = 1 << 28,  /* as much variable-length content goes into one output batch */
    ORDER_BYTES =
        40 /* a row while keys are ordered: two items of prefix and number, its place in the result */
};

typedef struct chunk {
    rwl_batch batch;
    rwl_runs ids, versions;
    int64_t first_row; /* number of its first row among all rows */
} chunk;

/* Where an output row lies. */
typedef struct place {
    uint32_t chunk;
    uint32_t row;
} place;

struct rwl_sorter {
    rwl_op *op;
    rwl_arena arena;
    const rwl_field *fields;
    int32_t field_count;
    const rwl_sort_order *order;
    int32_t *sources;        /* batch column of each sort field */
    rwl_column *transformed; /* result of each sort field's transform */
    rwl_column *key_columns; /* the columns keys are made of: borrowed from the batch or from `transformed` */
    rwl_sort_key *by;
    bool with_lineage;
    RWL_VEC(chunk) chunks;
    rwl_buf keys;
    RWL_VEC(uint64_t) ends;
    int64_t rows, reserved;
    int64_t *sorted; /* row numbers in order, once finished */
    int64_t given;   /* rows given by next */
    place *places;   /* of the rows of the batch being made */
    int64_t place_cap;
};

static int32_t find_column(const rwl_field *fields, int32_t count, int32_t id) {
    for (int32_t i = 0; i < count; i++)
        if (fields[i].id == id)
            return i;
    return -1;
}

static rwl_status find_sources(rwl_sorter *s, rwl_error *err) {
    for (int32_t i = 0; i < s->order->field_count; i++) {
        const rwl_sort_field *by = &s->order->fields[i];
        s->sources[i] = find_column(s->fields, s->field_count, by->source_id);
        if (s->sources[i] < 0)
            return rwl_fail(err, RWL_UNSUPPORTED, "sort order %d uses field %d, which is no top-level column",
                            s->order->order_id, by->source_id);
        rwl_type result;
        if (!rwl_transform_result(&by->transform, &s->fields[s->sources[i]].type, &result))
            return rwl_fail(err, RWL_UNSUPPORTED, "sorting by %s of column %s is not supported",
                            by->transform.text, s->fields[s->sources[i]].name);
        RWL_TRY(rwl_column_init(&s->transformed[i], s->op->env, &result, err));
        s->by[i] = (rwl_sort_key){i, by->descending, by->nulls_first};
    }
    return RWL_OK;
}

rwl_status rwl_sorter_new(rwl_op *op, const rwl_field *fields, int32_t field_count,
                          const rwl_sort_order *order, rwl_sorter **out, rwl_error *err) {
    rwl_sorter *s = rwl_calloc(op->env, 1, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    s->op = op;
    s->fields = fields;
    s->field_count = field_count;
    s->order = order;
    rwl_arena_init(&s->arena, op->env, 0);
    rwl_buf_init(&s->keys, op->env, SIZE_MAX);
    s->sources = rwl_arena_array(&s->arena, (size_t)order->field_count, sizeof *s->sources);
    s->transformed = rwl_arena_array(&s->arena, (size_t)order->field_count, sizeof *s->transformed);
    s->key_columns = rwl_arena_array(&s->arena, (size_t)order->field_count, sizeof *s->key_columns);
    s->by = rwl_arena_array(&s->arena, (size_t)order->field_count, sizeof *s->by);
    bool had = s->sources != NULL && s->transformed != NULL && s->key_columns != NULL && s->by != NULL;
    rwl_status st =
        had ? find_sources(s, err) : rwl_no_memory(err, (size_t)order->field_count * sizeof(rwl_column));
    if (st != RWL_OK) {
        rwl_sorter_free(s);
        return st;
    }
    *out = s;
    return RWL_OK;
}

static void clear_chunks(rwl_sorter *s) {
    for (size_t i = 0; i < s->chunks.len; i++) {
        rwl_batch_clear(&s->chunks.items[i].batch);
        rwl_runs_clear(&s->chunks.items[i].ids);
        rwl_runs_clear(&s->chunks.items[i].versions);
    }
    s->chunks.len = 0;
}

void rwl_sorter_reset(rwl_sorter *s) {
    clear_chunks(s);
    rwl_buf_reset(&s->keys);
    s->ends.len = 0;
    rwl_free(s->op->env, s->sorted);
    s->sorted = NULL;
    s->rows = s->given = 0;
    rwl_op_release(s->op, s->reserved);
    s->reserved = 0;
}

void rwl_sorter_free(rwl_sorter *s) {
    if (s == NULL)
        return;
    rwl_sorter_reset(s);
    if (s->transformed != NULL)
        for (int32_t i = 0; i < s->order->field_count; i++)
            rwl_column_clear(&s->transformed[i], s->op->env);
    rwl_vec_clear(&s->chunks, s->op->env);
    rwl_vec_clear(&s->ends, s->op->env);
    rwl_buf_clear(&s->keys);
    rwl_free(s->op->env, s->places);
    rwl_arena_clear(&s->arena);
    rwl_free(s->op->env, s);
}

int64_t rwl_sorter_rows(const rwl_sorter *s) {
    return s->rows;
}

int64_t rwl_sorter_bytes(const rwl_sorter *s) {
    return s->reserved;
}

static rwl_status open_chunk(rwl_sorter *s, rwl_error *err) {
    chunk c;
    memset(&c, 0, sizeof c);
    RWL_TRY(rwl_vec_reserve(&s->chunks, s->op->env, 1, err));
    RWL_TRY(rwl_batch_init(&c.batch, s->op->env, s->fields, s->field_count, err));
    rwl_runs_init(&c.ids, s->op->env, 1);
    rwl_runs_init(&c.versions, s->op->env, 0);
    c.first_row = s->rows;
    s->chunks.items[s->chunks.len++] = c;
    return RWL_OK;
}

/* Bytes of variable-length values of a column, those of its children counted. */
static size_t content_bytes(const rwl_column *c) {
    size_t bytes = c->bytes_len;
    for (int32_t i = 0; i < c->type.child_count; i++)
        bytes += content_bytes(&c->children[i]);
    return bytes;
}

static bool chunk_is_full(const chunk *c) {
    if (c->batch.length >= RWL_BATCH_ROWS)
        return true;
    for (int32_t i = 0; i < c->batch.column_count; i++)
        if (content_bytes(&c->batch.columns[i]) >= CHUNK_BYTES)
            return true;
    return false;
}

/* Appends the sort keys of a batch; identity sources are used as they are. */
static rwl_status add_keys(rwl_sorter *s, const rwl_batch *batch, rwl_error *err) {
    int32_t count = s->order->field_count;
    for (int32_t i = 0; i < count; i++) {
        const rwl_sort_field *field = &s->order->fields[i];
        const rwl_column *source = &batch->columns[s->sources[i]];
        if (field->transform.kind == RWL_TRANSFORM_IDENTITY) {
            s->key_columns[i] = *source;
        } else {
            RWL_TRY(rwl_transform_column(&field->transform, source, &s->transformed[i], s->op->env, err));
            s->key_columns[i] = s->transformed[i];
        }
    }
    rwl_batch keys = {s->op->env, batch->length, count, s->key_columns};
    RWL_TRY(rwl_vec_reserve(&s->ends, s->op->env, (size_t)batch->length, err));
    RWL_TRY(rwl_sort_keys_encode(&keys, s->by, (size_t)count, &s->keys, s->ends.items + s->ends.len, err));
    s->ends.len += (size_t)batch->length;
    return RWL_OK;
}

static int64_t runs_bytes(const rwl_runs *r) {
    return (int64_t)(r->run_cap * sizeof *r->runs + r->column.values.cap + r->column.validity.cap);
}

int64_t rwl_sorter_least_bytes(const rwl_field *fields, int32_t field_count, const rwl_sort_order *order,
                               int64_t rows) {
    int64_t row = ORDER_BYTES + (int64_t)sizeof(uint64_t) +
                  2 * (int64_t)order->field_count; /* order, end of the key, key */
    for (int32_t i = 0; i < field_count; i++)
        row +=
            rwl_type_is_bytes(&fields[i].type) ? (int64_t)sizeof(int32_t) : rwl_type_width(&fields[i].type);
    int64_t bytes;
    return rwl_i64_mul(rows, row, &bytes) ? bytes : INT64_MAX;
}

/* Brings what the budget knows up to what is held, and what ordering will take. */
static rwl_status account(rwl_sorter *s, rwl_error *err) {
    int64_t held = (int64_t)s->keys.cap + (int64_t)(s->ends.cap * sizeof(uint64_t)) + ORDER_BYTES * s->rows;
    for (size_t i = 0; i < s->chunks.len; i++) {
        const chunk *c = &s->chunks.items[i];
        held += rwl_batch_bytes(&c->batch) + runs_bytes(&c->ids) + runs_bytes(&c->versions);
    }
    if (held <= s->reserved)
        return RWL_OK;
    RWL_TRY(rwl_op_reserve(s->op, held - s->reserved, "sorting in memory", err));
    s->reserved = held;
    return RWL_OK;
}

rwl_status rwl_sorter_add(rwl_sorter *s, const rwl_batch *batch, const rwl_runs *ids,
                          const rwl_runs *versions, rwl_error *err) {
    s->with_lineage = ids != NULL;
    RWL_TRY(add_keys(s, batch, err));
    for (int64_t at = 0; at < batch->length;) {
        if (s->chunks.len == 0 || chunk_is_full(&s->chunks.items[s->chunks.len - 1]))
            RWL_TRY(open_chunk(s, err));
        chunk *c = &s->chunks.items[s->chunks.len - 1];
        rwl_range part = {at, batch->length - at};
        if (part.count > RWL_BATCH_ROWS - c->batch.length)
            part.count = RWL_BATCH_ROWS - c->batch.length;
        RWL_TRY(rwl_batch_take_ranges(batch, &part, 1, &c->batch, err));
        if (ids != NULL) {
            RWL_TRY(rwl_runs_append_slice(&c->ids, ids, part.start, part.count, err));
            RWL_TRY(rwl_runs_append_slice(&c->versions, versions, part.start, part.count, err));
        }
        s->rows += part.count;
        at += part.count;
    }
    return account(s, err);
}

rwl_status rwl_sorter_finish(rwl_sorter *s, rwl_error *err) {
    size_t size = (size_t)(s->rows > 0 ? s->rows : 1) * sizeof *s->sorted;
    s->sorted = rwl_alloc(s->op->env, size);
    if (s->sorted == NULL)
        return rwl_no_memory(err, size);
    s->given = 0;
    return rwl_sort_keys_order(s->op->env, s->keys.data, s->ends.items, s->rows, s->sorted, err);
}

static place find_place(const rwl_sorter *s, int64_t row) {
    size_t lo = 0, hi = s->chunks.len;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (s->chunks.items[mid].first_row <= row)
            lo = mid;
        else
            hi = mid;
    }
    return (place){(uint32_t)lo, (uint32_t)(row - s->chunks.items[lo].first_row)};
}

/* Places of the next rows, fewer than `max_rows` when their variable-length content is large; returns how many. */
static int64_t find_places(rwl_sorter *s, int64_t max_rows) {
    size_t bytes = 0;
    int64_t count = 0;
    while (count < max_rows && s->given + count < s->rows && bytes < NEXT_BYTES) {
        place p = find_place(s, s->sorted[s->given + count]);
        s->places[count++] = p;
        const rwl_batch *batch = &s->chunks.items[p.chunk].batch;
        for (int32_t i = 0; i < batch->column_count; i++)
            if (rwl_type_is_bytes(&batch->columns[i].type))
                bytes += rwl_column_bytes(&batch->columns[i], p.row).len;
    }
    return count;
}

#define GATHER_FIXED(width)                                                                                  \
    for (int64_t i = 0; i < count; i++)                                                                      \
    memcpy(out->values.data + i * (width),                                                                   \
           s->chunks.items[s->places[i].chunk].batch.columns[column].values.data +                           \
               (size_t)s->places[i].row * (size_t)(width),                                                   \
           (size_t)(width))

static void gather_values(const rwl_sorter *s, int32_t column, int64_t count, rwl_column *out) {
    int32_t width = rwl_type_width(&out->type);
    switch (width) {
    case 4:
        GATHER_FIXED(4);
        break;
    case 8:
        GATHER_FIXED(8);
        break;
    case 16:
        GATHER_FIXED(16);
        break;
    default:
        GATHER_FIXED(width);
    }
}

static void gather_bits(const rwl_sorter *s, int32_t column, int64_t count, rwl_column *out) {
    memset(out->values.data, 0, (size_t)((count + 7) / 8));
    for (int64_t i = 0; i < count; i++)
        if (rwl_bit_get(s->chunks.items[s->places[i].chunk].batch.columns[column].values.data,
                        s->places[i].row))
            rwl_bit_set(out->values.data, i);
}

static void gather_bytes(const rwl_sorter *s, int32_t column, int64_t count, rwl_column *out) {
    int32_t *offsets = (int32_t *)(void *)out->offsets.data;
    int32_t end = 0;
    offsets[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        rwl_span v =
            rwl_column_bytes(&s->chunks.items[s->places[i].chunk].batch.columns[column], s->places[i].row);
        if (v.len > 0)
            memcpy(out->values.data + end, v.data, v.len);
        end += (int32_t)v.len;
        offsets[i + 1] = end;
    }
    out->bytes_len = (size_t)end;
}

static rwl_status gather_nulls(const rwl_sorter *s, int32_t column, int64_t count, rwl_column *out,
                               rwl_error *err) {
    bool any = false;
    for (size_t i = 0; i < s->chunks.len && !any; i++)
        any = s->chunks.items[i].batch.columns[column].null_count > 0;
    if (!any)
        return RWL_OK;
    RWL_TRY(rwl_column_need_validity(out, s->op->env, count, err));
    for (int64_t i = 0; i < count; i++) {
        bool valid =
            !rwl_column_is_null(&s->chunks.items[s->places[i].chunk].batch.columns[column], s->places[i].row);
        if (valid) {
            rwl_bit_set(out->validity.data, i);
        } else {
            rwl_bit_clear(out->validity.data, i);
            out->null_count++;
        }
    }
    return RWL_OK;
}

/* Neighbours are taken together. */
static rwl_status gather_nested(const rwl_sorter *s, int32_t column, int64_t count, rwl_column *out,
                                rwl_error *err) {
    rwl_column_reset(out);
    for (int64_t i = 0; i < count;) {
        const place *first = &s->places[i];
        rwl_range rows = {first->row, 1};
        while (i + rows.count < count && first[rows.count].chunk == first->chunk &&
               first[rows.count].row == first->row + rows.count)
            rows.count++;
        const rwl_column *from = &s->chunks.items[first->chunk].batch.columns[column];
        RWL_TRY(rwl_column_take_ranges(from, &rows, 1, out, s->op->env, err));
        i += rows.count;
    }
    return RWL_OK;
}

static rwl_status gather_column(const rwl_sorter *s, int32_t column, int64_t count, rwl_column *out,
                                rwl_error *err) {
    if (rwl_type_is_nested(&out->type))
        return gather_nested(s, column, count, out, err);
    size_t bytes = 0;
    if (rwl_type_is_bytes(&out->type))
        for (int64_t i = 0; i < count; i++)
            bytes +=
                rwl_column_bytes(&s->chunks.items[s->places[i].chunk].batch.columns[column], s->places[i].row)
                    .len;
    rwl_column_reset(out);
    RWL_TRY(rwl_column_reserve(out, s->op->env, count, bytes, err));
    if (out->type.kind == RWL_TYPE_BOOLEAN)
        gather_bits(s, column, count, out);
    else if (rwl_type_is_bytes(&out->type))
        gather_bytes(s, column, count, out);
    else if (out->type.kind != RWL_TYPE_UNKNOWN) /* those have nulls alone */
        gather_values(s, column, count, out);
    RWL_TRY(gather_nulls(s, column, count, out, err));
    out->length = count;
    return RWL_OK;
}

static rwl_status append_number(rwl_runs *out, const rwl_runs *from, int64_t row, rwl_error *err) {
    int64_t value;
    return rwl_runs_get(from, row, &value) ? rwl_runs_append(out, value, 1, err)
                                           : rwl_runs_append_null(out, 1, err);
}

static rwl_status gather_lineage(const rwl_sorter *s, int64_t count, rwl_runs *ids, rwl_runs *versions,
                                 rwl_error *err) {
    rwl_runs_reset(ids);
    rwl_runs_reset(versions);
    for (int64_t i = 0; i < count; i++) {
        const chunk *c = &s->chunks.items[s->places[i].chunk];
        RWL_TRY(append_number(ids, &c->ids, s->places[i].row, err));
        RWL_TRY(append_number(versions, &c->versions, s->places[i].row, err));
    }
    return RWL_OK;
}

rwl_status rwl_sorter_next(rwl_sorter *s, int64_t max_rows, rwl_batch *batch, rwl_runs *ids,
                           rwl_runs *versions, rwl_error *err) {
    rwl_batch_reset(batch);
    RWL_TRY(rwl_op_check(s->op, err));
    if (s->place_cap < max_rows) {
        place *grown = rwl_realloc(s->op->env, s->places, (size_t)max_rows * sizeof *grown);
        if (grown == NULL)
            return rwl_no_memory(err, (size_t)max_rows * sizeof *grown);
        s->places = grown;
        s->place_cap = max_rows;
    }
    int64_t count = find_places(s, max_rows);
    for (int32_t i = 0; i < s->field_count; i++)
        RWL_TRY(gather_column(s, i, count, &batch->columns[i], err));
    batch->length = count;
    if (s->with_lineage && ids != NULL)
        RWL_TRY(gather_lineage(s, count, ids, versions, err));
    s->given += count;
    return RWL_OK;
}
