/* SPDX-License-Identifier: Apache-2.0 */
/* What a file's metadata tell of a column, in the terms of the filter's fields. */
#include "parquet/prune_internal.h"

#include <stdlib.h>

#define DAY_MICROS INT64_C(86400000000)

/* --- types --- */

bool rwl_prune_to_field(const rwl_type *from, const rwl_type *to, const rwl_value *v, rwl_value *out) {
    *out = *v;
    out->kind = to->kind;
    if (from->kind == to->kind)
        return from->kind != RWL_TYPE_DECIMAL || from->scale == to->scale;
    if (from->kind == RWL_TYPE_INT && to->kind == RWL_TYPE_LONG)
        out->as.i64 = v->as.i32;
    else if (from->kind == RWL_TYPE_FLOAT && to->kind == RWL_TYPE_DOUBLE)
        out->as.f64 = (double)v->as.f32;
    else if (from->kind == RWL_TYPE_DATE && to->kind == RWL_TYPE_TIMESTAMP)
        return rwl_i64_mul(v->as.i32, DAY_MICROS, &out->as.i64);
    else if (from->kind == RWL_TYPE_DATE && to->kind == RWL_TYPE_TIMESTAMP_NS)
        return rwl_i64_mul(v->as.i32, DAY_MICROS * 1000, &out->as.i64);
    else
        return (from->kind == RWL_TYPE_FIXED && to->kind == RWL_TYPE_UUID) ||
               (from->kind == RWL_TYPE_UUID && to->kind == RWL_TYPE_FIXED) ||
               (from->kind == RWL_TYPE_STRING && to->kind == RWL_TYPE_BINARY);
    return true;
}

/* A value of the field as one of the leaf's natural type. */
static rwl_prune_stored from_field(const rwl_type *leaf, const rwl_value *v, rwl_value *out) {
    *out = *v;
    out->kind = leaf->kind;
    if (v->kind == leaf->kind)
        return RWL_PRUNE_STORED;
    if (v->kind == RWL_TYPE_LONG && leaf->kind == RWL_TYPE_INT) {
        out->as.i32 = (int32_t)v->as.i64;
        return out->as.i32 == v->as.i64 ? RWL_PRUNE_STORED : RWL_PRUNE_NEVER;
    }
    if (v->kind == RWL_TYPE_DOUBLE && leaf->kind == RWL_TYPE_FLOAT) {
        out->as.f32 = (float)v->as.f64;
        return (double)out->as.f32 == v->as.f64 ? RWL_PRUNE_STORED : RWL_PRUNE_NEVER;
    }
    if ((v->kind == RWL_TYPE_UUID && leaf->kind == RWL_TYPE_FIXED) ||
        (v->kind == RWL_TYPE_FIXED && leaf->kind == RWL_TYPE_UUID) ||
        (v->kind == RWL_TYPE_BINARY && leaf->kind == RWL_TYPE_STRING))
        return RWL_PRUNE_STORED;
    return RWL_PRUNE_UNKNOWN;
}

/* A whole number as the leaf stores it: in its unit, not outside of its physical type. */
static rwl_prune_stored store_int(const rwl_parquet_leaf *leaf, int64_t v, uint8_t room[16], rwl_span *out) {
    if (leaf->millis) {
        if (v % 1000 != 0)
            return RWL_PRUNE_NEVER;
        v /= 1000;
    }
    if (leaf->physical == RWL_PARQUET_INT64) {
        rwl_store_le64(room, (uint64_t)v);
        *out = rwl_span_of(room, 8);
        return RWL_PRUNE_STORED;
    }
    bool is_unsigned = leaf->field.type.kind == RWL_TYPE_LONG;
    if (v < (is_unsigned ? 0 : INT32_MIN) || v > (is_unsigned ? (int64_t)UINT32_MAX : INT32_MAX))
        return RWL_PRUNE_NEVER;
    rwl_store_le32(room, (uint32_t)v);
    *out = rwl_span_of(room, 4);
    return RWL_PRUNE_STORED;
}

static rwl_prune_stored store_decimal(const rwl_parquet_leaf *leaf, rwl_i128 v, uint8_t room[16],
                                      rwl_span *out) {
    switch (leaf->physical) {
    case RWL_PARQUET_INT32:
        if (v < INT32_MIN || v > INT32_MAX)
            return RWL_PRUNE_NEVER;
        rwl_store_le32(room, (uint32_t)(int32_t)v);
        *out = rwl_span_of(room, 4);
        return RWL_PRUNE_STORED;
    case RWL_PARQUET_INT64:
        if (leaf->is_unsigned ? v < 0 || v > (rwl_i128)UINT64_MAX : v < INT64_MIN || v > INT64_MAX)
            return RWL_PRUNE_NEVER;
        rwl_store_le64(room, (uint64_t)v);
        *out = rwl_span_of(room, 8);
        return RWL_PRUNE_STORED;
    case RWL_PARQUET_FIXED: {
        int32_t len = leaf->type_length;
        if (len < 1 || len > 16)
            return RWL_PRUNE_UNKNOWN;
        rwl_i128 rest = v;
        for (int32_t i = len; i-- > 0; rest >>= 8)
            room[i] = (uint8_t)rest;
        *out = rwl_span_of(room, (size_t)len);
        return rest == (room[0] & 0x80 ? -1 : 0) ? RWL_PRUNE_STORED : RWL_PRUNE_NEVER;
    }
    default: /* of any length: more than one form */
        return RWL_PRUNE_UNKNOWN;
    }
}

static rwl_prune_stored store_float(const rwl_parquet_leaf *leaf, const rwl_value *v, uint8_t room[16],
                                    rwl_span *out) {
    if (leaf->physical == RWL_PARQUET_FLOAT) {
        uint32_t bits;
        memcpy(&bits, &v->as.f32, 4);
        rwl_store_le32(room, bits);
        *out = rwl_span_of(room, 4);
        return RWL_PRUNE_STORED;
    }
    if (leaf->physical != RWL_PARQUET_DOUBLE)
        return RWL_PRUNE_UNKNOWN; /* FLOAT16 */
    uint64_t bits;
    memcpy(&bits, &v->as.f64, 8);
    rwl_store_le64(room, bits);
    *out = rwl_span_of(room, 8);
    return RWL_PRUNE_STORED;
}

rwl_prune_stored rwl_prune_store_value(const rwl_parquet_leaf *leaf, const rwl_value *v, uint8_t room[16],
                                       rwl_span *out) {
    rwl_value own;
    rwl_prune_stored st = v->is_null ? RWL_PRUNE_UNKNOWN : from_field(&leaf->field.type, v, &own);
    if (st != RWL_PRUNE_STORED || leaf->physical == RWL_PARQUET_INT96)
        return st == RWL_PRUNE_STORED ? RWL_PRUNE_UNKNOWN : st;
    switch (own.kind) {
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
        return store_int(leaf, own.as.i32, room, out);
    case RWL_TYPE_LONG:
    case RWL_TYPE_TIME:
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return store_int(leaf, own.as.i64, room, out);
    case RWL_TYPE_FLOAT:
    case RWL_TYPE_DOUBLE:
        return store_float(leaf, &own, room, out);
    case RWL_TYPE_DECIMAL:
        return store_decimal(leaf, own.as.i128, room, out);
    case RWL_TYPE_STRING:
    case RWL_TYPE_BINARY:
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED:
        *out = own.as.bytes;
        return leaf->physical == RWL_PARQUET_FIXED && out->len != (size_t)leaf->type_length
                   ? RWL_PRUNE_NEVER
                   : RWL_PRUNE_STORED;
    default:
        return RWL_PRUNE_UNKNOWN;
    }
}

/* --- facts --- */

/* Whether no row has a null: neither the leaf nor a struct above may have one. */
static bool is_never_null(const rwl_parquet_leaf *leaf) {
    return leaf->max_definition == 0 && leaf->field.required;
}

static void facts_of_stats(const rwl_parquet_leaf *leaf, const rwl_field *field,
                           const rwl_parquet_stats *stats, int64_t rows, rwl_column_facts *out) {
    rwl_value v;
    out->value_count = rows;
    out->null_count = is_never_null(leaf) ? 0 : stats->null_count;
    out->nan_count = stats->nan_count;
    out->has_lower = rwl_parquet_stats_value(leaf, stats->min, &v) &&
                     rwl_prune_to_field(&leaf->field.type, &field->type, &v, &out->lower);
    out->has_upper = rwl_parquet_stats_value(leaf, stats->max, &v) &&
                     rwl_prune_to_field(&leaf->field.type, &field->type, &v, &out->upper);
}

static int64_t page_rows(const rwl_parquet_offset_index *places, int32_t page, int64_t group_rows) {
    int64_t end = page + 1 < places->page_count ? places->pages[page + 1].first_row : group_rows;
    return end - places->pages[page].first_row;
}

/* A page said to hold nulls alone, which counts something else, tells nothing. */
static void facts_of_page(const rwl_prune_column *c, const rwl_parquet_leaf *leaf, const rwl_field *field,
                          int64_t group_rows, rwl_column_facts *out) {
    rwl_parquet_stats stats = c->bounds->pages[c->page];
    int64_t rows = page_rows(c->places, c->page, group_rows);
    if (c->bounds->null_pages[c->page]) {
        bool is_lie = is_never_null(leaf) || (stats.null_count >= 0 && stats.null_count != rows);
        stats = (rwl_parquet_stats){.null_count = is_lie ? -1 : rows, .nan_count = -1};
    }
    facts_of_stats(leaf, field, &stats, rows, out);
}

/* The dictionary's own least and greatest number; NaN only if it is there. */
static void tighten(const rwl_prune_column *c, rwl_column_facts *out) {
    const rwl_column *d = &c->dictionary;
    bool has_nan = false;
    out->has_lower = out->has_upper = false;
    for (int64_t i = 0; i < d->length; i++) {
        rwl_value v = rwl_column_value(d, i);
        if ((v.kind == RWL_TYPE_FLOAT && v.as.f32 != v.as.f32) ||
            (v.kind == RWL_TYPE_DOUBLE && v.as.f64 != v.as.f64)) {
            has_nan = true;
            continue;
        }
        if (!out->has_lower || rwl_value_compare(&v, &out->lower) < 0)
            out->lower = v;
        if (!out->has_upper || rwl_value_compare(&v, &out->upper) > 0)
            out->upper = v;
        out->has_lower = out->has_upper = true;
    }
    if (!has_nan)
        out->nan_count = 0;
}

/* Rows that are counted: their numbers are a range without gaps. */
static bool facts_of_positions(const rwl_prune *p, int64_t first, rwl_column_facts *out) {
    int64_t low = p->file->groups[p->group].first_row + p->rows.start, high;
    if (p->rows.count == 0 || !rwl_i64_add(first, low, &low) || !rwl_i64_add(low, p->rows.count - 1, &high))
        return false;
    out->value_count = p->rows.count;
    out->null_count = 0;
    out->has_lower = out->has_upper = true;
    out->lower = (rwl_value){.kind = RWL_TYPE_LONG, .as.i64 = low};
    out->upper = (rwl_value){.kind = RWL_TYPE_LONG, .as.i64 = high};
    return true;
}

static bool facts_of_leaf(const rwl_prune *p, const rwl_prune_column *c, rwl_column_facts *out) {
    const rwl_field *field = &p->request->fields[c->field];
    const rwl_parquet_group *group = &p->file->groups[p->group];
    const rwl_parquet_leaf *leaf = &p->file->leaves[c->leaf];
    if (group->chunks[c->leaf].encrypted)
        return false;
    if (p->by_pages && c->places) {
        facts_of_page(c, leaf, field, group->row_count, out);
    } else {
        facts_of_stats(leaf, field, &group->chunks[c->leaf].stats, group->row_count, out);
        if (c->has_dictionary)
            tighten(c, out);
    }
    return !c->source.nulls_differ || out->null_count == 0;
}

bool rwl_prune_lookup(void *ctx, int32_t field, rwl_column_facts *out) {
    const rwl_prune *p = ctx;
    const rwl_prune_column *c = p->column_of[field] >= 0 ? &p->columns[p->column_of[field]] : NULL;
    if (!c)
        return false;
    switch (c->source.kind) {
    case RWL_PARQUET_SOURCE_CONSTANT:
        out->is_constant = true;
        out->constant = c->source.constant;
        return true;
    case RWL_PARQUET_SOURCE_POSITION:
        return facts_of_positions(p, c->source.first, out);
    default:
        return c->leaf >= 0 && facts_of_leaf(p, c, out);
    }
}

bool rwl_prune_is_hidden(const rwl_prune *p, const rwl_prune_column *c) {
    return c->source.nulls_differ && !is_never_null(&p->file->leaves[c->leaf]) &&
           p->file->groups[p->group].chunks[c->leaf].stats.null_count != 0;
}

/* --- membership --- */

static int compare_values(const void *a, const void *b) {
    return rwl_value_compare(a, b);
}

/* Lists of thousands of values are looked up one by one: past a few, in order. */
static void sort_dictionary(rwl_prune *p, rwl_prune_column *c) {
    enum { QUESTIONS_MANY = 16 };
    const rwl_column *d = &c->dictionary;
    if (c->sorted || ++c->questions < QUESTIONS_MANY || d->length < QUESTIONS_MANY)
        return;
    rwl_value *values = rwl_arena_array(&p->arena, (size_t)d->length, sizeof *values);
    if (!values)
        return; /* it goes without */
    for (int64_t i = 0; i < d->length; i++)
        values[i] = rwl_column_value(d, i);
    qsort(values, (size_t)d->length, sizeof *values, compare_values);
    c->sorted = values;
}

static bool dictionary_has(rwl_prune *p, rwl_prune_column *c, const rwl_value *v) {
    const rwl_column *d = &c->dictionary;
    sort_dictionary(p, c);
    if (c->sorted)
        return bsearch(v, c->sorted, (size_t)d->length, sizeof *v, compare_values) != NULL;
    for (int64_t i = 0; i < d->length; i++) {
        rwl_value have = rwl_column_value(d, i);
        if (rwl_value_compare(&have, v) == 0)
            return true;
    }
    return false;
}

bool rwl_prune_note(rwl_prune *p, rwl_status st, const rwl_error *err) {
    if (st == RWL_OK)
        return true;
    bool is_damage = st == RWL_CORRUPT || st == RWL_UNSUPPORTED;
    if (!is_damage && p->status == RWL_OK) {
        p->status = st;
        p->error = *err;
    }
    return false;
}

rwl_status rwl_prune_open_file(rwl_prune *p, rwl_error *err) {
    if (p->handle)
        return RWL_OK;
    RWL_TRY(rwl_file_open(p->store, p->op, p->file->location, &p->handle, err));
    p->source.handle = p->handle;
    return RWL_OK;
}

static const rwl_parquet_bloom *load_bloom(rwl_prune *p, rwl_prune_column *c) {
    rwl_error err = {0};
    if (c->asked_bloom || p->request->skip_indexes ||
        p->file->groups[p->group].chunks[c->leaf].bloom.off == 0)
        return c->bloom;
    c->asked_bloom = true;
    rwl_status st = rwl_prune_open_file(p, &err);
    if (st == RWL_OK)
        st = rwl_parquet_bloom_read(p->handle, p->op, p->file, p->group, c->leaf, &p->arena, &c->bloom, &err);
    if (!rwl_prune_note(p, st, &err))
        c->bloom = NULL;
    p->requests += 2;
    p->bytes_read += c->bloom ? (int64_t)c->bloom->block_count * RWL_PARQUET_BLOOM_BLOCK : 0;
    return c->bloom;
}

bool rwl_prune_may_contain(void *ctx, int32_t field, const rwl_value *v) {
    rwl_prune *p = ctx;
    rwl_prune_column *c = p->column_of[field] >= 0 ? &p->columns[p->column_of[field]] : NULL;
    if (!c || c->leaf < 0 || rwl_prune_is_hidden(p, c))
        return true;
    if (c->has_dictionary)
        return dictionary_has(p, c, v);
    uint8_t room[16];
    rwl_span plain;
    rwl_prune_stored st = rwl_prune_store_value(&p->file->leaves[c->leaf], v, room, &plain);
    if (st != RWL_PRUNE_STORED)
        return st == RWL_PRUNE_UNKNOWN;
    const rwl_parquet_bloom *bloom = load_bloom(p, c);
    return !bloom || rwl_parquet_bloom_has(bloom, rwl_parquet_bloom_hash(plain));
}
