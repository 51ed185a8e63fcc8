/* SPDX-License-Identifier: Apache-2.0 */
/* The deletion-vector-v1 blob, both ways. */
#include "puffin/puffin.h"

#include "codec/codec.h"

#include <inttypes.h>

enum {
    DV_FRAME = 12,    /* length, magic, CRC */
    DV_UNCOUNTED = 8, /* what the length field leaves out: itself and the CRC */
    DV_SMALLEST = DV_FRAME + 8
};

static const uint8_t dv_magic[4] = {0xD1, 0xD3, 0x39, 0x64};

static void store_be32(uint8_t *p, uint32_t v) {
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static rwl_status append_blob(rwl_bitmap *positions, rwl_buf *out, rwl_error *err) {
    size_t begin = out->len;
    RWL_TRY(rwl_bitmap_optimize(positions, err));
    RWL_TRY(rwl_buf_be32(out, 0, err)); /* the length, known below */
    RWL_TRY(rwl_buf_append(out, dv_magic, sizeof dv_magic, err));
    RWL_TRY(rwl_bitmap_serialize(positions, out, err));
    size_t counted = out->len - begin - 4;
    if (counted > INT32_MAX - DV_UNCOUNTED)
        return rwl_fail(err, RWL_UNSUPPORTED, "deletion vector of %zu bytes is larger than 2 GiB", counted);
    store_be32(out->data + begin, (uint32_t)counted);
    return rwl_buf_be32(out, rwl_crc32(0, rwl_span_of(out->data + begin + 4, counted)), err);
}

rwl_status rwl_dv_encode(rwl_bitmap *positions, rwl_buf *out, rwl_error *err) {
    size_t begin = out->len;
    rwl_status st = append_blob(positions, out, err);
    if (st != RWL_OK)
        out->len = begin;
    return st;
}

/* Length, magic and CRC; gives the vector between them. */
static rwl_status open_frame(rwl_span blob, rwl_span *vector, rwl_error *err) {
    if (blob.len < DV_SMALLEST || blob.len > INT32_MAX)
        return rwl_fail(err, RWL_CORRUPT, "deletion vector has %zu bytes, %d to %d are possible", blob.len,
                        DV_SMALLEST, INT32_MAX);
    uint32_t length = rwl_load_be32(blob.data);
    if (length != blob.len - DV_UNCOUNTED)
        return rwl_fail_at(err, RWL_CORRUPT, 0, "invalid length of deletion vector: %u, expected %zu", length,
                           blob.len - DV_UNCOUNTED);
    uint32_t magic = rwl_load_be32(blob.data + 4);
    if (magic != rwl_load_be32(dv_magic))
        return rwl_fail_at(err, RWL_CORRUPT, 4,
                           "invalid magic of deletion vector: 0x%08x, expected 0xd1d33964", magic);
    uint32_t crc = rwl_crc32(0, rwl_span_of(blob.data + 4, length));
    uint32_t stored = rwl_load_be32(blob.data + blob.len - 4);
    if (crc != stored)
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)blob.len - 4,
                           "invalid CRC of deletion vector: 0x%08x, expected 0x%08x", crc, stored);
    *vector = rwl_span_of(blob.data + 8, length - 4);
    return RWL_OK;
}

rwl_status rwl_dv_decode(const rwl_env *env, rwl_span blob, int64_t cardinality, rwl_bitmap **out,
                         rwl_error *err) {
    *out = NULL;
    rwl_span vector;
    rwl_bitmap *b;
    RWL_TRY(open_frame(blob, &vector, err));
    rwl_status st = rwl_bitmap_deserialize(env, vector, &b, err);
    if (st != RWL_OK)
        return rwl_error_in(err, st, "deletion vector");
    if (cardinality >= 0 && rwl_bitmap_count(b) != cardinality) {
        st = rwl_fail(err, RWL_CORRUPT,
                      "invalid cardinality of deletion vector: %" PRId64 ", expected %" PRId64,
                      rwl_bitmap_count(b), cardinality);
        rwl_bitmap_free(b);
        return st;
    }
    *out = b;
    return RWL_OK;
}

/* The blob's bytes, asked for only once the file is known to have them. */
static rwl_status read_blob(rwl_file *file, rwl_op *op, const rwl_dv_ref *ref, rwl_buf *blob,
                            rwl_error *err) {
    int64_t size;
    RWL_TRY(rwl_file_size(file, &size, err));
    rwl_file_size_compare(op->env, ref->location, size, ref->file_size > 0 ? ref->file_size : -1);
    if (ref->offset < 0 || ref->length < DV_SMALLEST || ref->length > INT32_MAX || ref->offset > size ||
        ref->length > size - ref->offset)
        return rwl_fail(err, RWL_CORRUPT,
                        "deletion vector of %" PRId64 " bytes at %" PRId64 " cannot be in a file of %" PRId64
                        " bytes",
                        ref->length, ref->offset, size);
    RWL_TRY(rwl_buf_reserve(blob, (size_t)ref->length, err));
    RWL_TRY(rwl_file_read(file, op, ref->offset, (size_t)ref->length, blob->data, err));
    blob->len = (size_t)ref->length;
    return RWL_OK;
}

rwl_status rwl_dv_read(rwl_store *store, rwl_op *op, const rwl_dv_ref *ref, rwl_bitmap **out,
                       rwl_error *err) {
    *out = NULL;
    rwl_file *file;
    rwl_buf blob;
    RWL_TRY(rwl_file_open(store, op, ref->location, &file, err));
    rwl_buf_init(&blob, op->env, SIZE_MAX);
    rwl_status st = read_blob(file, op, ref, &blob, err);
    if (st == RWL_OK)
        st = rwl_dv_decode(op->env, rwl_buf_span(&blob), ref->cardinality, out, err);
    rwl_buf_clear(&blob);
    rwl_file_close(file);
    if (st == RWL_OK)
        return RWL_OK;
    st = rwl_error_in(err, st, "%s, blob at %" PRId64, ref->location, ref->offset);
    return rwl_error_path(err, st, ref->location);
}
