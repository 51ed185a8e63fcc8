/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the footer of a Puffin file: from its end, every size checked against the file. */
#include "puffin/puffin.h"

#include "base/json.h"

#include <inttypes.h>

enum {
    MAGIC_LEN = 4,
    FOOTER_FRAME = 16, /* magic, payload size, flags, magic */
    SMALLEST = MAGIC_LEN + FOOTER_FRAME,
    FLAG_COMPRESSED = 1,
    PAYLOAD_MAX = 64 * 1024 * 1024 /* a parsed document takes many times its text */
};

static const uint8_t magic[MAGIC_LEN] = {'P', 'F', 'A', '1'};

static rwl_status check_magic(rwl_span file, size_t at, const char *where, rwl_error *err) {
    if (memcmp(file.data + at, magic, MAGIC_LEN) == 0)
        return RWL_OK;
    return rwl_fail_at(err, RWL_CORRUPT, (int64_t)at, "puffin file has 0x%08x %s, expected the magic PFA1",
                       rwl_load_be32(file.data + at), where);
}

/* Finds the payload; `*footer_at` is where the footer begins and the blobs end. */
static rwl_status find_payload(rwl_span file, rwl_span *payload, size_t *footer_at, rwl_error *err) {
    if (file.len < SMALLEST)
        return rwl_fail(err, RWL_CORRUPT, "puffin file has %zu bytes, at least %d are needed", file.len,
                        SMALLEST);
    RWL_TRY(check_magic(file, 0, "at its beginning", err));
    RWL_TRY(check_magic(file, file.len - MAGIC_LEN, "at its end", err));
    uint32_t flags = rwl_load_le32(file.data + file.len - 8);
    uint32_t size = rwl_load_le32(file.data + file.len - 12);
    if ((flags & ~(uint32_t)FLAG_COMPRESSED) != 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "puffin footer has unknown flags 0x%08x", flags);
    if (size > file.len - SMALLEST)
        return rwl_fail(err, RWL_CORRUPT,
                        "puffin footer payload of %u bytes cannot be in a file of %zu bytes", size, file.len);
    *footer_at = file.len - FOOTER_FRAME - size;
    RWL_TRY(check_magic(file, *footer_at, "before its footer", err));
    if (flags == FLAG_COMPRESSED)
        return rwl_fail(err, RWL_UNSUPPORTED, "puffin footer is compressed (lz4)");
    if (size > PAYLOAD_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "puffin footer payload of %u bytes is larger than %d", size,
                        PAYLOAD_MAX);
    *payload = rwl_span_of(file.data + *footer_at + MAGIC_LEN, size);
    return RWL_OK;
}

/* A copy in the arena; NULL stays NULL. */
static rwl_status keep(rwl_arena *arena, const char *text, const char **out, rwl_error *err) {
    *out = text != NULL ? rwl_arena_strdup(arena, text) : NULL;
    return text != NULL && *out == NULL ? rwl_no_memory(err, strlen(text)) : RWL_OK;
}

static rwl_status parse_fields(const rwl_json *json, rwl_arena *arena, rwl_puffin_blob *blob,
                               rwl_error *err) {
    rwl_json *list;
    RWL_TRY(rwl_json_need_array(json, "fields", &list, err));
    size_t len = rwl_json_len(list); /* bounded by the payload */
    int32_t *fields = rwl_arena_array(arena, len, sizeof *fields);
    if (fields == NULL)
        return rwl_no_memory(err, len * sizeof *fields);
    for (size_t i = 0; i < len; i++) {
        const rwl_json *item = rwl_json_at(list, i);
        int64_t id = rwl_json_i64(item);
        if (rwl_json_kind_of(item) != RWL_JSON_INT || id < INT32_MIN || id > INT32_MAX)
            return rwl_fail(err, RWL_CORRUPT, "'fields' has an item that is no field id");
        fields[i] = (int32_t)id;
    }
    blob->fields = fields;
    blob->field_count = (int32_t)len;
    return RWL_OK;
}

static rwl_status parse_cardinality(const rwl_json *properties, int64_t *out, rwl_error *err) {
    const char *text;
    *out = -1;
    RWL_TRY(rwl_json_opt_str(properties, "cardinality", &text, err));
    if (text == NULL)
        return RWL_OK;
    int64_t value = 0;
    bool valid = *text != '\0';
    for (const char *p = text; *p != '\0' && valid; p++)
        valid = *p >= '0' && *p <= '9' && !__builtin_mul_overflow(value, 10, &value) &&
                !__builtin_add_overflow(value, *p - '0', &value);
    if (!valid)
        return rwl_fail(err, RWL_CORRUPT, "'cardinality' is '%.40s', not a number", text);
    *out = value;
    return RWL_OK;
}

static rwl_status parse_properties(const rwl_json *json, rwl_arena *arena, rwl_puffin_blob *blob,
                                   rwl_error *err) {
    const rwl_json *properties = rwl_json_get(json, "properties");
    const char *text;
    blob->cardinality = -1;
    if (rwl_json_kind_of(properties) == RWL_JSON_NULL)
        return RWL_OK;
    RWL_TRY(rwl_json_opt_str(properties, "referenced-data-file", &text, err));
    RWL_TRY(keep(arena, text, &blob->referenced_data_file, err));
    return parse_cardinality(properties, &blob->cardinality, err);
}

static rwl_status parse_blob(const rwl_json *json, rwl_arena *arena, int64_t blobs_end, rwl_puffin_blob *blob,
                             rwl_error *err) {
    const char *text;
    RWL_TRY(rwl_json_need_str(json, "type", &text, err));
    RWL_TRY(keep(arena, text, &blob->type, err));
    RWL_TRY(parse_fields(json, arena, blob, err));
    RWL_TRY(rwl_json_need_i64(json, "snapshot-id", &blob->snapshot_id, err));
    RWL_TRY(rwl_json_need_i64(json, "sequence-number", &blob->sequence_number, err));
    RWL_TRY(rwl_json_need_i64(json, "offset", &blob->offset, err));
    RWL_TRY(rwl_json_need_i64(json, "length", &blob->length, err));
    if (blob->offset < MAGIC_LEN || blob->length < 0 || blob->offset > blobs_end ||
        blob->length > blobs_end - blob->offset)
        return rwl_fail(err, RWL_CORRUPT,
                        "%" PRId64 " bytes at %" PRId64 " are not between the file's magic and its "
                        "footer at %" PRId64,
                        blob->length, blob->offset, blobs_end);
    RWL_TRY(rwl_json_opt_str(json, "compression-codec", &text, err));
    RWL_TRY(keep(arena, text, &blob->compression_codec, err));
    return parse_properties(json, arena, blob, err);
}

static rwl_status parse_blobs(const rwl_json *root, rwl_arena *arena, int64_t blobs_end,
                              rwl_puffin_footer *out, rwl_error *err) {
    rwl_json *list;
    RWL_TRY(rwl_json_need_array(root, "blobs", &list, err));
    size_t len = rwl_json_len(list);
    out->blobs = rwl_arena_array(arena, len, sizeof *out->blobs);
    if (out->blobs == NULL)
        return rwl_no_memory(err, len * sizeof *out->blobs);
    for (size_t i = 0; i < len; i++) {
        rwl_status st = parse_blob(rwl_json_at(list, i), arena, blobs_end, &out->blobs[i], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "blob %zu", i);
    }
    out->blob_count = (int32_t)len;
    return RWL_OK;
}

rwl_status rwl_puffin_parse(rwl_span file, rwl_arena *arena, rwl_puffin_footer *out, rwl_error *err) {
    rwl_span payload;
    size_t footer_at;
    rwl_json *root;
    *out = (rwl_puffin_footer){NULL, 0};
    RWL_TRY(find_payload(file, &payload, &footer_at, err));
    rwl_status st = rwl_json_parse(payload, &root, err);
    if (st == RWL_OK) {
        st = parse_blobs(root, arena, (int64_t)footer_at, out, err);
        rwl_json_free(root);
    }
    return st != RWL_OK ? rwl_error_in(err, st, "puffin footer") : RWL_OK;
}
