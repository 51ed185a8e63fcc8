/* SPDX-License-Identifier: Apache-2.0 */
/* Flatbuffers, checked. */
#include "ipc/flat_read.h"

static rwl_status outside(size_t at, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "a flatbuffer refers to byte %zu, outside of it", at);
}

static bool has(rwl_span buf, size_t at, size_t len) {
    return at <= buf.len && len <= buf.len - at;
}

/* A table at `at`: the distance back to its vtable, which holds its own size, the table's, and the fields. */
static rwl_status open_table(rwl_span buf, size_t at, rwl_flat_table *out, rwl_error *err) {
    if (!has(buf, at, 4))
        return outside(at, err);
    int64_t vtable = (int64_t)at - (int32_t)rwl_load_le32(buf.data + at);
    if (vtable < 0 || !has(buf, (size_t)vtable, 4))
        return outside(at, err);
    size_t len = rwl_load_le16(buf.data + vtable);
    if (len < 4 || !has(buf, (size_t)vtable, len))
        return outside((size_t)vtable, err);
    *out = (rwl_flat_table){buf, at, (size_t)vtable + 4, (len - 4) / 2};
    return RWL_OK;
}

rwl_status rwl_flat_root(rwl_span buf, rwl_flat_table *out, rwl_error *err) {
    if (buf.len < 4)
        return outside(0, err);
    return open_table(buf, rwl_load_le32(buf.data), out, err);
}

/* Where a field of `size` bytes lies; *at 0 when it is absent. */
static rwl_status find_field(const rwl_flat_table *t, int slot, size_t size, size_t *at, rwl_error *err) {
    *at = 0;
    if (t->at == 0 || (size_t)slot >= t->field_count)
        return RWL_OK;
    size_t offset = rwl_load_le16(t->buf.data + t->fields + 2 * (size_t)slot);
    if (offset == 0)
        return RWL_OK;
    *at = t->at + offset;
    return has(t->buf, *at, size) ? (rwl_status)RWL_OK : outside(*at, err);
}

rwl_status rwl_flat_get_u8(const rwl_flat_table *t, int slot, uint8_t fallback, uint8_t *out,
                           rwl_error *err) {
    size_t at;
    RWL_TRY(find_field(t, slot, 1, &at, err));
    *out = at > 0 ? t->buf.data[at] : fallback;
    return RWL_OK;
}

rwl_status rwl_flat_get_i16(const rwl_flat_table *t, int slot, int16_t fallback, int16_t *out,
                            rwl_error *err) {
    size_t at;
    RWL_TRY(find_field(t, slot, 2, &at, err));
    *out = at > 0 ? (int16_t)rwl_load_le16(t->buf.data + at) : fallback;
    return RWL_OK;
}

rwl_status rwl_flat_get_i32(const rwl_flat_table *t, int slot, int32_t fallback, int32_t *out,
                            rwl_error *err) {
    size_t at;
    RWL_TRY(find_field(t, slot, 4, &at, err));
    *out = at > 0 ? (int32_t)rwl_load_le32(t->buf.data + at) : fallback;
    return RWL_OK;
}

rwl_status rwl_flat_get_i64(const rwl_flat_table *t, int slot, int64_t fallback, int64_t *out,
                            rwl_error *err) {
    size_t at;
    RWL_TRY(find_field(t, slot, 8, &at, err));
    *out = at > 0 ? (int64_t)rwl_load_le64(t->buf.data + at) : fallback;
    return RWL_OK;
}

/* What the reference at `at` refers to. */
static size_t follow(rwl_span buf, size_t at) {
    return at + rwl_load_le32(buf.data + at);
}

rwl_status rwl_flat_get_table(const rwl_flat_table *t, int slot, rwl_flat_table *out, rwl_error *err) {
    size_t at;
    memset(out, 0, sizeof *out);
    RWL_TRY(find_field(t, slot, 4, &at, err));
    return at > 0 ? open_table(t->buf, follow(t->buf, at), out, err) : (rwl_status)RWL_OK;
}

rwl_status rwl_flat_get_vector(const rwl_flat_table *t, int slot, size_t size, rwl_flat_items *out,
                               rwl_error *err) {
    size_t at;
    memset(out, 0, sizeof *out);
    RWL_TRY(find_field(t, slot, 4, &at, err));
    if (at == 0)
        return RWL_OK;
    at = follow(t->buf, at);
    if (!has(t->buf, at, 4))
        return outside(at, err);
    out->count = rwl_load_le32(t->buf.data + at);
    out->at = at + 4;
    return has(t->buf, out->at, size * out->count) ? (rwl_status)RWL_OK : outside(at, err);
}

rwl_status rwl_flat_get_string(const rwl_flat_table *t, int slot, rwl_span *out, rwl_error *err) {
    rwl_flat_items items;
    RWL_TRY(rwl_flat_get_vector(t, slot, 1, &items, err));
    *out = rwl_span_of(items.at > 0 ? t->buf.data + items.at : NULL, items.count);
    return RWL_OK;
}

rwl_status rwl_flat_item_table(const rwl_flat_table *t, const rwl_flat_items *items, uint32_t i,
                               rwl_flat_table *out, rwl_error *err) {
    return open_table(t->buf, follow(t->buf, items->at + 4 * (size_t)i), out, err);
}
