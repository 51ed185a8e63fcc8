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
    TAIL_FIRST = 16 * 1024,        /* read at once: most files are smaller */
    PAYLOAD_MAX = 64 * 1024 * 1024 /* a parsed document takes many times its text */
};

static const uint8_t magic[MAGIC_LEN] = {'P', 'F', 'A', '1'};

/* The last bytes of a file of `size` bytes, all of them or as many as were read. */
typedef struct file_tail {
    rwl_span bytes;
    int64_t size;
} file_tail;

/* The place in the tail of the file's byte `at`, which it must hold. */
static const uint8_t *tail_at(const file_tail *tail, int64_t at) {
    return tail->bytes.data + (at - (tail->size - (int64_t)tail->bytes.len));
}

static rwl_status check_magic(const file_tail *tail, int64_t at, const char *where, rwl_error *err) {
    const uint8_t *found = tail_at(tail, at);
    if (memcmp(found, magic, MAGIC_LEN) == 0)
        return RWL_OK;
    return rwl_fail_at(err, RWL_CORRUPT, at, "puffin file has 0x%08x %s, expected the magic PFA1",
                       rwl_load_be32(found), where);
}

/* The payload's size, from the 12 bytes at the end; checks what can be checked there. */
static rwl_status find_size(const file_tail *tail, uint32_t *payload_size, bool *compressed, rwl_error *err) {
    if (tail->size < SMALLEST)
        return rwl_fail(err, RWL_CORRUPT, "puffin file has %" PRId64 " bytes, at least %d are needed",
                        tail->size, SMALLEST);
    if (tail->size == (int64_t)tail->bytes.len)
        RWL_TRY(check_magic(tail, 0, "at its beginning", err));
    RWL_TRY(check_magic(tail, tail->size - MAGIC_LEN, "at its end", err));
    uint32_t flags = rwl_load_le32(tail_at(tail, tail->size - 8));
    uint32_t size = rwl_load_le32(tail_at(tail, tail->size - 12));
    if ((flags & ~(uint32_t)FLAG_COMPRESSED) != 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "puffin footer has unknown flags 0x%08x", flags);
    if (size > tail->size - SMALLEST)
        return rwl_fail(err, RWL_CORRUPT,
                        "puffin footer payload of %u bytes cannot be in a file of %" PRId64 " bytes", size,
                        tail->size);
    *payload_size = size;
    *compressed = flags == FLAG_COMPRESSED;
    return RWL_OK;
}

static rwl_status check_readable(uint32_t size, bool compressed, rwl_error *err) {
    if (compressed)
        return rwl_fail(err, RWL_UNSUPPORTED, "puffin footer is compressed (lz4)");
    if (size > PAYLOAD_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "puffin footer payload of %u bytes is larger than %d", size,
                        PAYLOAD_MAX);
    return RWL_OK;
}

/* Finds the payload in a tail that holds the footer; `*footer_at` is where the footer begins and the blobs end. */
static rwl_status find_payload(const file_tail *tail, rwl_span *payload, int64_t *footer_at, rwl_error *err) {
    uint32_t size;
    bool compressed;
    RWL_TRY(find_size(tail, &size, &compressed, err));
    *footer_at = tail->size - FOOTER_FRAME - size;
    RWL_TRY(check_magic(tail, *footer_at, "before its footer", err));
    RWL_TRY(check_readable(size, compressed, err));
    *payload = rwl_span_of(tail_at(tail, *footer_at + MAGIC_LEN), size);
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

static rwl_status parse_footer(const file_tail *tail, rwl_arena *arena, rwl_puffin_footer *out,
                               rwl_error *err) {
    rwl_span payload;
    int64_t footer_at;
    rwl_json *root;
    *out = (rwl_puffin_footer){NULL, 0};
    RWL_TRY(find_payload(tail, &payload, &footer_at, err));
    rwl_status st = rwl_json_parse(payload, &root, err);
    if (st == RWL_OK) {
        st = parse_blobs(root, arena, footer_at, out, err);
        rwl_json_free(root);
    }
    return st != RWL_OK ? rwl_error_in(err, st, "puffin footer") : RWL_OK;
}

rwl_status rwl_puffin_parse(rwl_span file, rwl_arena *arena, rwl_puffin_footer *out, rwl_error *err) {
    file_tail tail = {file, (int64_t)file.len};
    return parse_footer(&tail, arena, out, err);
}

/* --- the footer alone --- */

static rwl_status read_tail(rwl_file *file, rwl_op *op, int64_t len, file_tail *tail, rwl_buf *bytes,
                            rwl_error *err) {
    rwl_buf_reset(bytes);
    RWL_TRY(rwl_buf_reserve(bytes, (size_t)len, err));
    RWL_TRY(rwl_file_read(file, op, tail->size - len, (size_t)len, bytes->data, err));
    bytes->len = (size_t)len;
    tail->bytes = rwl_buf_span(bytes);
    return RWL_OK;
}

static rwl_status read_footer(rwl_file *file, rwl_op *op, rwl_arena *arena, rwl_buf *bytes,
                              rwl_puffin_footer *out, rwl_error *err) {
    file_tail tail;
    uint32_t payload_size;
    bool compressed;
    RWL_TRY(rwl_file_size(file, &tail.size, err));
    RWL_TRY(read_tail(file, op, tail.size < TAIL_FIRST ? tail.size : TAIL_FIRST, &tail, bytes, err));
    RWL_TRY(find_size(&tail, &payload_size, &compressed, err));
    RWL_TRY(check_readable(payload_size, compressed, err));
    int64_t need = (int64_t)payload_size + FOOTER_FRAME;
    if (need > (int64_t)tail.bytes.len)
        RWL_TRY(read_tail(file, op, need, &tail, bytes, err));
    return parse_footer(&tail, arena, out, err);
}

rwl_status rwl_puffin_footer_read(rwl_store *store, rwl_op *op, const char *location, rwl_arena *arena,
                                  rwl_puffin_footer *out, rwl_error *err) {
    rwl_file *file;
    rwl_buf bytes;
    *out = (rwl_puffin_footer){NULL, 0};
    RWL_TRY(rwl_file_open(store, op, location, &file, err));
    rwl_buf_init(&bytes, op->env, SIZE_MAX);
    rwl_status st = read_footer(file, op, arena, &bytes, out, err);
    rwl_buf_clear(&bytes);
    rwl_file_close(file);
    if (st == RWL_OK)
        return RWL_OK;
    return rwl_error_path(err, rwl_error_in(err, st, "%s", location), location);
}
