/* SPDX-License-Identifier: Apache-2.0 */
/* Writing object container files: records gather in a block, which is compressed and written when it is full.
 */
#include "avro/avro.h"

enum {
    SYNC_LEN = 16,
    BLOCK_LEN = 64 * 1024 /* a block is closed by the record that passes this */
};

struct rwl_avro_writer {
    const rwl_env *env;
    rwl_new_file *file;
    rwl_codec_id codec_id;
    rwl_codec *codec;    /* NULL for null */
    rwl_buf block;       /* encoded records */
    int64_t block_count; /* how many of them */
    size_t record_begin; /* where the current record begins in `block` */
    rwl_buf out, packed; /* the header or a block's head; a block compressed */
    uint8_t sync[SYNC_LEN];
    int64_t size; /* bytes written */
};

static void free_writer(rwl_avro_writer *w) {
    rwl_codec_free(w->codec);
    rwl_buf_clear(&w->block);
    rwl_buf_clear(&w->out);
    rwl_buf_clear(&w->packed);
    rwl_free(w->env, w);
}

void rwl_avro_writer_abort(rwl_avro_writer *w) {
    if (w == NULL)
        return;
    rwl_new_file_abort(w->file);
    free_writer(w);
}

static rwl_status write_bytes(rwl_avro_writer *w, const void *data, size_t len, rwl_error *err) {
    RWL_TRY(rwl_new_file_write(w->file, data, len, err));
    w->size += (int64_t)len;
    return RWL_OK;
}

/* --- header --- */

static const char *codec_name(rwl_codec_id id) {
    switch (id) {
    case RWL_CODEC_NONE:
        return "null";
    case RWL_CODEC_DEFLATE:
        return "deflate";
    case RWL_CODEC_SNAPPY:
        return "snappy";
    case RWL_CODEC_ZSTD:
        return "zstandard";
    default:
        return NULL;
    }
}

static rwl_status put_entry(rwl_buf *out, const char *key, rwl_span value, rwl_error *err) {
    RWL_TRY(rwl_avro_put_bytes(out, rwl_span_str(key), err));
    return rwl_avro_put_bytes(out, value, err);
}

static rwl_status put_header(rwl_avro_writer *w, const char *schema_json, const rwl_avro_metadata *metadata,
                             size_t metadata_count, rwl_error *err) {
    RWL_TRY(rwl_buf_append(&w->out, "Obj\1", 4, err));
    RWL_TRY(rwl_avro_put_long(&w->out, (int64_t)metadata_count + 2, err));
    RWL_TRY(put_entry(&w->out, "avro.schema", rwl_span_str(schema_json), err));
    RWL_TRY(put_entry(&w->out, "avro.codec", rwl_span_str(codec_name(w->codec_id)), err));
    for (size_t i = 0; i < metadata_count; i++) {
        if (strncmp(metadata[i].key, "avro.", 5) == 0)
            return rwl_fail(err, RWL_UNSUPPORTED, "avro metadata key '%.60s' is reserved", metadata[i].key);
        RWL_TRY(put_entry(&w->out, metadata[i].key, metadata[i].value, err));
    }
    RWL_TRY(rwl_avro_put_long(&w->out, 0, err));
    return rwl_buf_append(&w->out, w->sync, SYNC_LEN, err);
}

/* What cannot be read back is not written. */
static rwl_status check_schema(const rwl_env *env, const char *schema_json, rwl_error *err) {
    const rwl_avro_schema *schema;
    rwl_arena arena;
    rwl_arena_init(&arena, env, 0);
    rwl_status st = rwl_avro_schema_parse(rwl_span_str(schema_json), &arena, &schema, err);
    rwl_arena_clear(&arena);
    return st;
}

static rwl_status open_writer(rwl_avro_writer *w, rwl_store *store, rwl_op *op, const char *location,
                              const char *schema_json, const rwl_avro_metadata *metadata,
                              size_t metadata_count, int level, rwl_error *err) {
    if (codec_name(w->codec_id) == NULL)
        return rwl_fail(err, RWL_UNSUPPORTED, "avro files have no codec '%s'", rwl_codec_name(w->codec_id));
    if (w->codec_id != RWL_CODEC_NONE)
        RWL_TRY(rwl_codec_new(w->env, w->codec_id, level, &w->codec, err));
    RWL_TRY(check_schema(w->env, schema_json, err));
    if (!w->env->random(w->env->ctx, w->sync, SYNC_LEN))
        return rwl_fail(err, RWL_IO, "no random bytes for the sync marker");
    RWL_TRY(put_header(w, schema_json, metadata, metadata_count, err));
    RWL_TRY(rwl_new_file_create(store, op, location, &w->file, err));
    return write_bytes(w, w->out.data, w->out.len, err);
}

rwl_status rwl_avro_writer_open(rwl_store *store, rwl_op *op, const char *location, const char *schema_json,
                                const rwl_avro_metadata *metadata, size_t metadata_count, rwl_codec_id codec,
                                int level, rwl_avro_writer **out, rwl_error *err) {
    *out = NULL;
    rwl_avro_writer *w = rwl_calloc(op->env, 1, sizeof *w);
    if (w == NULL)
        return rwl_no_memory(err, sizeof *w);
    w->env = op->env;
    w->codec_id = codec;
    rwl_buf_init(&w->block, w->env, RWL_AVRO_BLOCK_MAX);
    rwl_buf_init(&w->out, w->env, SIZE_MAX);
    rwl_buf_init(&w->packed, w->env, SIZE_MAX);
    rwl_status st = open_writer(w, store, op, location, schema_json, metadata, metadata_count, level, err);
    if (st != RWL_OK) {
        rwl_avro_writer_abort(w);
        return st;
    }
    *out = w;
    return RWL_OK;
}

/* --- blocks --- */

static rwl_status pack(rwl_avro_writer *w, rwl_span *out, rwl_error *err) {
    *out = rwl_buf_span(&w->block);
    if (w->codec == NULL)
        return RWL_OK;
    rwl_buf_reset(&w->packed);
    RWL_TRY(rwl_codec_compress(w->codec, *out, &w->packed, err));
    if (w->codec_id == RWL_CODEC_SNAPPY)
        RWL_TRY(rwl_buf_be32(&w->packed, rwl_crc32(0, *out), err));
    *out = rwl_buf_span(&w->packed);
    return RWL_OK;
}

static rwl_status flush_block(rwl_avro_writer *w, rwl_error *err) {
    rwl_span packed;
    if (w->block_count == 0)
        return RWL_OK;
    RWL_TRY(pack(w, &packed, err));
    rwl_buf_reset(&w->out);
    RWL_TRY(rwl_avro_put_long(&w->out, w->block_count, err));
    RWL_TRY(rwl_avro_put_long(&w->out, (int64_t)packed.len, err));
    RWL_TRY(write_bytes(w, w->out.data, w->out.len, err));
    RWL_TRY(write_bytes(w, packed.data, packed.len, err));
    RWL_TRY(write_bytes(w, w->sync, SYNC_LEN, err));
    rwl_buf_reset(&w->block);
    w->block_count = 0;
    w->record_begin = 0;
    return RWL_OK;
}

rwl_buf *rwl_avro_writer_record(rwl_avro_writer *w) {
    return &w->block;
}

rwl_status rwl_avro_writer_end_record(rwl_avro_writer *w, rwl_error *err) {
    w->record_begin = w->block.len;
    w->block_count++;
    return w->block.len >= BLOCK_LEN ? flush_block(w, err) : RWL_OK;
}

int64_t rwl_avro_writer_size(const rwl_avro_writer *w) {
    return w->size + (int64_t)w->block.len;
}

rwl_status rwl_avro_writer_finish(rwl_avro_writer *w, int64_t *file_size, rwl_error *err) {
    w->block.len = w->record_begin; /* a record begun and not ended is forgotten */
    rwl_status st = flush_block(w, err);
    if (st != RWL_OK) {
        rwl_avro_writer_abort(w);
        return st;
    }
    if (file_size != NULL)
        *file_size = w->size;
    st = rwl_new_file_finish(w->file, err);
    free_writer(w);
    return st;
}

/* --- values --- */

rwl_status rwl_avro_put_long(rwl_buf *b, int64_t v, rwl_error *err) {
    return rwl_buf_zigzag(b, v, err);
}

rwl_status rwl_avro_put_bool(rwl_buf *b, bool v, rwl_error *err) {
    return rwl_buf_u8(b, v ? 1 : 0, err);
}

rwl_status rwl_avro_put_float(rwl_buf *b, float v, rwl_error *err) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return rwl_buf_le32(b, bits, err);
}

rwl_status rwl_avro_put_double(rwl_buf *b, double v, rwl_error *err) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return rwl_buf_le64(b, bits, err);
}

rwl_status rwl_avro_put_bytes(rwl_buf *b, rwl_span v, rwl_error *err) {
    RWL_TRY(rwl_buf_zigzag(b, (int64_t)v.len, err));
    return rwl_buf_append(b, v.data, v.len, err);
}
