/* SPDX-License-Identifier: Apache-2.0 */
/* A chunk's dictionary, from the PLAIN values of its page. */
#include "parquet/text.h"
#include "parquet/values.h"

static rwl_status take_memory(rwl_op *op, rwl_parquet_dictionary *d, size_t size, uint8_t **out,
                              rwl_error *err) {
    RWL_TRY(rwl_op_reserve(op, (int64_t)size, "a dictionary", err));
    d->bytes += (int64_t)size;
    *out = rwl_alloc(op->env, size);
    return *out ? RWL_OK : rwl_no_memory(err, size);
}

static rwl_status build_fixed(rwl_parquet_dictionary *d, rwl_op *op, const rwl_parquet_layout *layout,
                              rwl_span plain, size_t count, rwl_error *err) {
    bool variable = layout->convert == RWL_PARQUET_BYTES_TO_DECIMAL;
    size_t least = variable ? 4 : layout->stored_width;
    if (count > plain.len / least)
        return rwl_fail(err, RWL_CORRUPT, "dictionary of %zu values in %zu bytes", count, plain.len);
    /* widths and counts are below 2^31: no overflow */
    size_t size = count * layout->width + RWL_PARQUET_READ_SLACK;
    RWL_TRY(take_memory(op, d, size, &d->values, err));
    memset(d->values + count * layout->width, 0, RWL_PARQUET_READ_SLACK);
    if (!variable)
        return rwl_parquet_convert_fixed(layout, plain.data, d->values, count, err);
    const uint8_t *p = plain.data;
    return rwl_parquet_convert_byte_decimals(&p, plain.data + plain.len, d->values, count, err);
}

static rwl_status build_bytes(rwl_parquet_dictionary *d, rwl_op *op, const rwl_parquet_layout *layout,
                              rwl_span plain, size_t count, rwl_error *err) {
    if (count > plain.len / 4)
        return rwl_fail(err, RWL_CORRUPT, "dictionary of %zu values in %zu bytes", count, plain.len);
    uint8_t *entries;
    RWL_TRY(take_memory(op, d, plain.len + RWL_PARQUET_READ_SLACK, &d->values, err));
    if (plain.len > 0)
        memcpy(d->values, plain.data, plain.len);
    memset(d->values + plain.len, 0, RWL_PARQUET_READ_SLACK);
    RWL_TRY(take_memory(op, d, (count + 1) * sizeof *d->entries, &entries, err));
    d->entries = (rwl_parquet_entry *)(void *)entries;
    size_t pos = 0;
    for (size_t i = 0; i < count; i++) {
        if (plain.len - pos < 4)
            return rwl_fail(err, RWL_CORRUPT, "dictionary ends after %zu of %zu values", i, count);
        uint32_t len = rwl_load_le32(plain.data + pos);
        pos += 4;
        if (len > plain.len - pos)
            return rwl_fail(err, RWL_CORRUPT, "dictionary value of %u bytes where %zu are left", len,
                            plain.len - pos);
        if (layout->is_text)
            RWL_TRY(rwl_parquet_text_check_one(rwl_span_of(plain.data + pos, len), err));
        d->entries[i] = (rwl_parquet_entry){(uint32_t)pos, len};
        pos += len;
    }
    return RWL_OK;
}

rwl_status rwl_parquet_dictionary_build(rwl_parquet_dictionary *d, rwl_op *op,
                                        const rwl_parquet_layout *layout, rwl_span plain, int64_t count,
                                        rwl_error *err) {
    if (layout->convert == RWL_PARQUET_TO_BITS)
        return rwl_fail(err, RWL_CORRUPT, "dictionary of booleans");
    rwl_status st = layout->convert == RWL_PARQUET_TO_BYTES
                        ? build_bytes(d, op, layout, plain, (size_t)count, err)
                        : build_fixed(d, op, layout, plain, (size_t)count, err);
    if (st != RWL_OK)
        rwl_parquet_dictionary_clear(d, op);
    else
        d->count = (uint32_t)count;
    return st;
}

void rwl_parquet_dictionary_clear(rwl_parquet_dictionary *d, rwl_op *op) {
    rwl_free(op->env, d->values);
    rwl_free(op->env, d->entries);
    rwl_op_release(op, d->bytes);
    memset(d, 0, sizeof *d);
}
