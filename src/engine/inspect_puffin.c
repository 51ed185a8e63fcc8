/* SPDX-License-Identifier: Apache-2.0 */
/* Puffin files: blobs, and deletion vectors as ranges of positions. */
#include "engine/inspect_internal.h"

#include "base/json.h"
#include "puffin/puffin.h"

#include <inttypes.h>

#define PUFFIN_MAX ((size_t)1 << 30)

enum { MAGIC_LEN = 4, FOOTER_FRAME = 16, SIZE_FROM_END = 12 };

/* The footer's JSON, whose frame rwl_puffin_parse has checked. */
static rwl_status parse_footer(rwl_span file, rwl_json **out, rwl_error *err) {
    uint32_t size = rwl_load_le32(file.data + file.len - SIZE_FROM_END);
    return rwl_json_parse(rwl_span_of(file.data + file.len - FOOTER_FRAME - size + MAGIC_LEN, size), out,
                          err);
}

static rwl_status put_positions(rwl_inspect *in, rwl_span bytes, const rwl_puffin_blob *blob, rwl_doc *doc,
                                rwl_error *err) {
    rwl_bitmap *positions;
    RWL_TRY(rwl_dv_decode(in->env, bytes, blob->cardinality, &positions, err));
    rwl_doc_i64(doc, "cardinality", rwl_bitmap_count(positions));
    rwl_inspect_put_ranges(positions, doc);
    rwl_bitmap_free(positions);
    return RWL_OK;
}

static rwl_status put_blob(rwl_inspect *in, rwl_span file, const rwl_puffin_blob *blob, const rwl_json *json,
                           rwl_doc *doc, rwl_error *err) {
    rwl_doc_open(doc, NULL, '{');
    rwl_doc_text(doc, "type", blob->type);
    rwl_doc_json(doc, "fields", rwl_json_get(json, "fields"));
    rwl_doc_id(doc, "snapshot_id", blob->snapshot_id);
    rwl_doc_maybe(doc, "sequence_number", blob->sequence_number >= 0, blob->sequence_number);
    rwl_doc_i64(doc, "offset", blob->offset);
    rwl_doc_i64(doc, "bytes", blob->length);
    rwl_doc_text(doc, "codec", blob->compression_codec);
    rwl_doc_json(doc, "properties", rwl_json_get(json, "properties"));
    if (strcmp(blob->type, "deletion-vector-v1") == 0 && blob->compression_codec == NULL)
        RWL_TRY(
            put_positions(in, rwl_span_of(file.data + blob->offset, (size_t)blob->length), blob, doc, err));
    rwl_doc_close(doc, '}');
    return RWL_OK;
}

static rwl_status put_blobs(rwl_inspect *in, rwl_span file, rwl_doc *doc, rwl_error *err) {
    rwl_puffin_footer footer;
    rwl_json *json;
    RWL_TRY(rwl_puffin_parse(file, &in->arena, &footer, err));
    RWL_TRY(parse_footer(file, &json, err));
    const rwl_json *list = rwl_json_get(json, "blobs");
    rwl_status st = RWL_OK;
    rwl_doc_json(doc, "properties", rwl_json_get(json, "properties"));
    rwl_doc_i64(doc, "blob_count", footer.blob_count);
    rwl_doc_open(doc, "blobs", '[');
    for (int32_t i = 0; i < footer.blob_count && st == RWL_OK && doc->st == RWL_OK; i++) {
        st = rwl_op_check(in->op, err);
        if (st == RWL_OK)
            st = put_blob(in, file, &footer.blobs[i], rwl_json_at(list, (size_t)i), doc, err);
        if (st != RWL_OK)
            st = rwl_error_in(err, st, "blob %" PRId32 " at byte %" PRId64, i, footer.blobs[i].offset);
    }
    rwl_doc_close(doc, ']');
    rwl_json_free(json);
    return st;
}

rwl_status rwl_inspect_puffin(rwl_inspect *in, rwl_doc *doc, rwl_error *err) {
    rwl_buf bytes;
    RWL_TRY(rwl_op_reserve(in->op, in->size, "a puffin file", err));
    rwl_buf_init(&bytes, in->env, PUFFIN_MAX);
    rwl_status st = rwl_store_read_all(in->store, in->op, in->location, &bytes, err);
    if (st == RWL_OK)
        st = put_blobs(in, rwl_buf_span(&bytes), doc, err);
    rwl_buf_clear(&bytes);
    rwl_op_release(in->op, in->size);
    return st == RWL_OK ? st : rwl_error_in(err, st, "%s", in->location);
}
