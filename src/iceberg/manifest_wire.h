/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the parts that Avro values are made of, for the two modules that walk through entries. */
#ifndef RWL_ICEBERG_MANIFEST_WIRE_H
#define RWL_ICEBERG_MANIFEST_WIRE_H

#include "iceberg/manifest_program.h"

#include <inttypes.h>

/* Most numbers take one byte; ten bytes hold any. */
static inline rwl_status rwl_entry_read_long(rwl_cursor *c, int64_t *out, rwl_error *err) {
    if (rwl_cursor_left(c) < 10)
        return rwl_cursor_zigzag(c, out, err);
    const uint8_t *p = c->data + c->pos;
    uint64_t v = p[0] & 0x7f;
    unsigned n = 1;
    for (unsigned shift = 7; p[n - 1] >= 0x80; shift += 7, n++) {
        if (n == 9 && p[9] > 1)
            return rwl_cursor_zigzag(c, out, err); /* which says what is wrong */
        v |= (uint64_t)(p[n] & 0x7f) << shift;
    }
    c->pos += n;
    *out = (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
    return RWL_OK;
}

static inline rwl_status rwl_entry_read_bytes(rwl_cursor *c, rwl_span *out, rwl_error *err) {
    int64_t at = (int64_t)c->pos, len;
    RWL_TRY(rwl_entry_read_long(c, &len, err));
    if (len < 0 || (uint64_t)len > rwl_cursor_left(c))
        return rwl_fail_at(err, RWL_CORRUPT, at, "length is %" PRId64 ", %zu bytes are left in the block",
                           len, rwl_cursor_left(c));
    *out = rwl_span_of(c->data + c->pos, (size_t)len);
    c->pos += (size_t)len;
    return RWL_OK;
}

/* Whether the value is there; the index of the union's branch is read. */
static inline rwl_status rwl_entry_read_branch(rwl_cursor *c, const rwl_step_form *form, bool *there,
                                               rwl_error *err) {
    *there = true;
    if (form->branch_count == 0)
        return RWL_OK;
    int64_t at = (int64_t)c->pos, index;
    RWL_TRY(rwl_entry_read_long(c, &index, err));
    if (index < 0 || index >= form->branch_count)
        return rwl_fail_at(err, RWL_CORRUPT, at, "union branch is %" PRId64 ", there are %" PRId32, index,
                           form->branch_count);
    *there = index == form->value_branch;
    return RWL_OK;
}

/* The count of the next run of items, 0 at the end; *size its bytes, -1 where they are not told. */
static inline rwl_status rwl_entry_read_count(rwl_cursor *c, int64_t item_len, int64_t *count, int64_t *size,
                                              rwl_error *err) {
    int64_t at = (int64_t)c->pos;
    *size = -1;
    RWL_TRY(rwl_entry_read_long(c, count, err));
    if (*count < 0) {
        RWL_TRY(rwl_entry_read_long(c, size, err));
        if (*count == INT64_MIN || *size < 0 || (uint64_t)*size > rwl_cursor_left(c))
            return rwl_fail_at(err, RWL_CORRUPT, at,
                               "items: count is %" PRId64 ", size %" PRId64 ", %zu bytes are left", *count,
                               *size, rwl_cursor_left(c));
        *count = -*count;
    }
    int64_t left = (int64_t)rwl_cursor_left(c);
    if (item_len > 0 && *count > left / item_len)
        return rwl_fail_at(err, RWL_CORRUPT, at, "%" PRId64 " items cannot be in %" PRId64 " bytes", *count,
                           left);
    return RWL_OK;
}

static inline rwl_status rwl_entry_skip_varint(rwl_cursor *c, rwl_error *err) {
    while (c->pos < c->len)
        if (c->data[c->pos++] < 0x80)
            return RWL_OK;
    return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->len, "the block ends inside a number");
}

static inline rwl_status rwl_entry_take_values(rwl_entry_decoder *d, int64_t count, rwl_error *err) {
    d->values_left -= count;
    if (d->values_left >= 0)
        return RWL_OK;
    return rwl_fail_at(err, RWL_CORRUPT, (int64_t)d->in.pos,
                       "more values than the manifest's bytes may hold");
}

/* Pass over a list of items of `each` numbers, or of a number and bytes; and over one value of `schema`. */
RWL_MUST_CHECK rwl_status rwl_entry_skip_varints(rwl_cursor *c, int32_t each, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_entry_skip_bounds(rwl_cursor *c, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_entry_skip(rwl_entry_decoder *d, const rwl_avro_schema *schema, rwl_error *err);

#endif
