/* SPDX-License-Identifier: Apache-2.0 */
/* Reading object container files: header, then block by block. */
#include "avro/avro.h"

#include "avro/decode.h"
#include "avro/input.h"

#include <inttypes.h>

enum {
    SYNC_LEN = 16,
    HEADER_MAX = 64 * 1024 * 1024, /* the schemas of a table with ten thousands of columns */
    ARENA_FIRST = 32 * 1024        /* what one record of a manifest needs, in one piece */
};

typedef struct metadata_entry {
    const char *key; /* NUL-terminated */
    size_t key_len;
    rwl_span value;
    struct metadata_entry *next;
} metadata_entry;

struct rwl_avro_reader {
    rwl_op *op;
    char *location;
    rwl_avro_input input;
    rwl_arena header; /* metadata and schema */
    metadata_entry *metadata;
    const rwl_avro_schema *schema;
    uint8_t sync[SYNC_LEN];
    rwl_codec_id codec_id;
    rwl_codec *codec;     /* NULL for null */
    rwl_buf spill, plain; /* a block as stored and uncompressed */
    rwl_arena record;
    rwl_avro_decoder decoder;
    int64_t block_off;    /* of the current block in the file */
    int64_t records_left; /* in the block */
};

void rwl_avro_reader_close(rwl_avro_reader *r) {
    if (r == NULL)
        return;
    const rwl_env *env = r->op->env;
    rwl_avro_input_close(&r->input);
    rwl_codec_free(r->codec);
    rwl_buf_clear(&r->spill);
    rwl_buf_clear(&r->plain);
    rwl_arena_clear(&r->header);
    rwl_arena_clear(&r->record);
    rwl_free(env, r->location);
    rwl_free(env, r);
}

const rwl_avro_schema *rwl_avro_reader_schema(const rwl_avro_reader *r) {
    return r->schema;
}

rwl_span rwl_avro_reader_metadata(const rwl_avro_reader *r, const char *key) {
    size_t len = strlen(key);
    for (const metadata_entry *e = r->metadata; e != NULL; e = e->next)
        if (e->key_len == len && memcmp(e->key, key, len) == 0)
            return e->value;
    return rwl_span_of(NULL, 0);
}

/* --- header --- */

/* The bytes of a key or value, copied to the arena with a NUL behind them. */
static rwl_status read_header_bytes(rwl_avro_reader *r, const char **out, size_t *len, rwl_error *err) {
    int64_t n, at = r->input.off;
    rwl_span bytes;
    RWL_TRY(rwl_avro_input_zigzag(&r->input, "the header", &n, err));
    if (n < 0 || n > HEADER_MAX)
        return rwl_fail_at(err, RWL_CORRUPT, at, "length in the header is %" PRId64, n);
    RWL_TRY(rwl_avro_input_take(&r->input, (size_t)n, &r->spill, "the header", &bytes, err));
    *out = rwl_arena_strndup(&r->header, (const char *)bytes.data, bytes.len);
    *len = bytes.len;
    if (*out != NULL)
        return RWL_OK;
    if (bytes.len > r->header.max - r->header.used - 1)
        return rwl_fail_at(err, RWL_UNSUPPORTED, at, "header is larger than %d bytes", HEADER_MAX);
    return rwl_no_memory(err, bytes.len);
}

static rwl_status read_entry(rwl_avro_reader *r, rwl_error *err) {
    metadata_entry *e = rwl_arena_alloc(&r->header, sizeof *e);
    const char *value;
    size_t len;
    if (e == NULL)
        return rwl_no_memory(err, sizeof *e);
    RWL_TRY(read_header_bytes(r, &e->key, &e->key_len, err));
    RWL_TRY(read_header_bytes(r, &value, &len, err));
    e->value = rwl_span_of(value, len);
    e->next = r->metadata; /* a repeated key: the last one counts */
    r->metadata = e;
    return RWL_OK;
}

static rwl_status read_metadata(rwl_avro_reader *r, rwl_error *err) {
    for (;;) {
        int64_t count, size, at = r->input.off;
        RWL_TRY(rwl_avro_input_zigzag(&r->input, "the header", &count, err));
        if (count == 0)
            return RWL_OK;
        if (count < 0) {
            RWL_TRY(rwl_avro_input_zigzag(&r->input, "the header", &size, err));
            if (count == INT64_MIN)
                return rwl_fail_at(err, RWL_CORRUPT, at, "header has %" PRId64 " entries", count);
            count = -count;
        }
        for (; count > 0; count--) /* each takes bytes: the end of the file ends this */
            RWL_TRY(read_entry(r, err));
    }
}

static rwl_status choose_codec(rwl_avro_reader *r, rwl_error *err) {
    static const struct {
        const char *name;
        rwl_codec_id id;
    } codecs[] = {{"null", RWL_CODEC_NONE},
                  {"deflate", RWL_CODEC_DEFLATE},
                  {"snappy", RWL_CODEC_SNAPPY},
                  {"zstandard", RWL_CODEC_ZSTD}};
    rwl_span name = rwl_avro_reader_metadata(r, "avro.codec");
    if (name.data == NULL)
        name = rwl_span_str("null");
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (rwl_span_equal(name, rwl_span_str(codecs[i].name))) {
            r->codec_id = codecs[i].id;
            return r->codec_id == RWL_CODEC_NONE ? RWL_OK
                                                 : rwl_codec_new(r->op->env, r->codec_id, 0, &r->codec, err);
        }
    return rwl_fail(err, RWL_UNSUPPORTED, "avro codec '%.40s' is not supported", (const char *)name.data);
}

static rwl_status read_header(rwl_avro_reader *r, rwl_error *err) {
    rwl_span bytes;
    RWL_TRY(rwl_avro_input_take(&r->input, 4, &r->spill, "the header", &bytes, err));
    if (memcmp(bytes.data, "AGS1", 4) == 0)
        return rwl_fail_at(err, RWL_UNSUPPORTED, 0, "file is encrypted (AGS1)");
    if (memcmp(bytes.data, "Obj\1", 4) != 0)
        return rwl_fail_at(err, RWL_CORRUPT, 0, "no avro file: begins with 0x%08x, expected 0x4f626a01",
                           rwl_load_be32(bytes.data));
    RWL_TRY(read_metadata(r, err));
    RWL_TRY(rwl_avro_input_take(&r->input, SYNC_LEN, &r->spill, "the header", &bytes, err));
    memcpy(r->sync, bytes.data, SYNC_LEN);
    rwl_span schema = rwl_avro_reader_metadata(r, "avro.schema");
    if (schema.data == NULL)
        return rwl_fail(err, RWL_CORRUPT, "header has no avro.schema");
    RWL_TRY(choose_codec(r, err));
    return rwl_avro_schema_parse(schema, &r->header, &r->schema, err);
}

/* Names the file as the error's path; who opened it says in the message what it is. */
static rwl_status in_file(const rwl_avro_reader *r, rwl_status st, rwl_error *err) {
    return rwl_error_path(err, st, r->location);
}

rwl_status rwl_avro_reader_open(rwl_store *store, rwl_op *op, const char *location, rwl_avro_reader **out,
                                rwl_error *err) {
    const rwl_env *env = op->env;
    *out = NULL;
    rwl_avro_reader *r = rwl_calloc(env, 1, sizeof *r);
    if (r == NULL)
        return rwl_no_memory(err, sizeof *r);
    r->op = op;
    r->decoder = (rwl_avro_decoder){.arena = &r->record, .values_left = RWL_AVRO_VALUES_FREE};
    rwl_arena_init(&r->header, env, 2 * (size_t)HEADER_MAX); /* the text of the schema and its tree */
    rwl_arena_init(&r->record, env, RWL_AVRO_RECORD_MAX);
    rwl_buf_init(&r->spill, env, RWL_AVRO_BLOCK_MAX + SYNC_LEN);
    rwl_buf_init(&r->plain, env, RWL_AVRO_BLOCK_MAX);
    r->location = rwl_strdup(env, location);
    rwl_status st = r->location != NULL ? RWL_OK : rwl_no_memory(err, strlen(location));
    if (st == RWL_OK)
        st =
            rwl_avro_input_open(&r->input, store, op, location, err); /* which names the file in its errors */
    if (st == RWL_OK) {
        st = read_header(r, err);
        if (st == RWL_OK && rwl_arena_alloc(&r->record, ARENA_FIRST) == NULL)
            st = rwl_no_memory(err, ARENA_FIRST);
        if (st != RWL_OK)
            st = in_file(r, st, err);
    }
    if (st != RWL_OK) {
        rwl_avro_reader_close(r);
        return st;
    }
    *out = r;
    return RWL_OK;
}

/* --- blocks --- */

/* Snappy blocks end with the CRC-32 of what they hold, big-endian. */
static rwl_status uncompress(rwl_avro_reader *r, rwl_span stored, rwl_error *err) {
    rwl_buf_reset(&r->plain);
    if (r->codec_id != RWL_CODEC_SNAPPY)
        return rwl_codec_decompress_all(r->codec, stored, &r->plain, err);
    if (stored.len < 4)
        return rwl_fail(err, RWL_CORRUPT, "snappy block of %zu bytes has no room for its CRC", stored.len);
    RWL_TRY(rwl_codec_decompress_all(r->codec, rwl_span_of(stored.data, stored.len - 4), &r->plain, err));
    uint32_t crc = rwl_crc32(0, rwl_buf_span(&r->plain)),
             expected = rwl_load_be32(stored.data + stored.len - 4);
    if (crc != expected)
        return rwl_fail(err, RWL_CORRUPT, "invalid CRC of snappy block: 0x%08x, expected 0x%08x", crc,
                        expected);
    return RWL_OK;
}

static rwl_status read_block(rwl_avro_reader *r, rwl_error *err) {
    int64_t count, size;
    rwl_span stored;
    RWL_TRY(rwl_op_check(r->op, err));
    RWL_TRY(rwl_avro_input_zigzag(&r->input, "a block", &count, err));
    RWL_TRY(rwl_avro_input_zigzag(&r->input, "a block", &size, err));
    if (count < 0 || size < 0)
        return rwl_fail(err, RWL_CORRUPT, "block has %" PRId64 " records in %" PRId64 " bytes", count, size);
    if (size > rwl_avro_input_left(&r->input))
        return rwl_fail(err, RWL_CORRUPT, "file ends inside a block: %" PRId64 " bytes are left of %" PRId64,
                        rwl_avro_input_left(&r->input), size);
    if (size > RWL_AVRO_BLOCK_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "block of %" PRId64 " bytes is larger than %d", size,
                        RWL_AVRO_BLOCK_MAX);
    RWL_TRY(rwl_avro_input_take(&r->input, (size_t)size + SYNC_LEN, &r->spill, "a block", &stored, err));
    stored.len -= SYNC_LEN;
    if (memcmp(stored.data + stored.len, r->sync, SYNC_LEN) != 0)
        return rwl_fail(err, RWL_CORRUPT, "block does not end with the file's sync marker");
    rwl_span plain = stored;
    if (r->codec != NULL) {
        RWL_TRY(uncompress(r, stored, err));
        plain = rwl_buf_span(&r->plain);
    }
    r->decoder.in = rwl_cursor_of(plain);
    r->decoder.values_left += RWL_AVRO_VALUES_PER_BYTE * (int64_t)plain.len;
    r->records_left = count;
    return RWL_OK;
}

static rwl_status next_record(rwl_avro_reader *r, const rwl_avro_datum **out, rwl_error *err) {
    while (r->records_left == 0) {
        size_t over = rwl_cursor_left(&r->decoder.in);
        if (over > 0)
            return rwl_fail(err, RWL_CORRUPT, "%zu bytes are left after the last record", over);
        if (rwl_avro_input_left(&r->input) == 0)
            return RWL_OK;
        r->block_off = r->input.off;
        RWL_TRY(read_block(r, err));
    }
    rwl_arena_reset(&r->record);
    rwl_avro_datum *record = rwl_arena_alloc(&r->record, sizeof *record);
    if (record == NULL)
        return rwl_no_memory(err, sizeof *record);
    if (--r->decoder.values_left < 0)
        return rwl_fail(err, RWL_CORRUPT, "%" PRId64 " more records than the file's bytes may hold",
                        r->records_left);
    RWL_TRY(rwl_avro_decode(&r->decoder, r->schema, record, err));
    r->records_left--;
    *out = record;
    return RWL_OK;
}

rwl_status rwl_avro_reader_next(rwl_avro_reader *r, const rwl_avro_datum **out, rwl_error *err) {
    *out = NULL;
    rwl_status st = next_record(r, out, err);
    if (st == RWL_OK)
        return RWL_OK;
    return in_file(r, rwl_error_in(err, st, "block at byte %" PRId64, r->block_off), err);
}
