/* SPDX-License-Identifier: Apache-2.0 */
/* The header of container files: magic, metadata, schema, codec, sync marker. */
#include "avro/container.h"

#include <inttypes.h>

enum { HEADER_MAX = 64 * 1024 * 1024 /* the schemas of a table with ten thousands of columns */ };

static const char HEADER[] = "an avro header";

typedef struct rwl_avro_header_entry {
    const char *key; /* NUL-terminated */
    size_t key_len;
    rwl_span value;
    struct rwl_avro_header_entry *next;
} header_entry;

typedef struct header_reader {
    rwl_avro_header *h;
    rwl_avro_input *in;
    rwl_buf spill;
} header_reader;

void rwl_avro_header_init(rwl_avro_header *h, rwl_op *op) {
    memset(h, 0, sizeof *h);
    rwl_arena_init(&h->arena, op->env, 2 * (size_t)HEADER_MAX); /* the text of the schema and its tree */
    rwl_arena_charge(&h->arena, op);
}

void rwl_avro_header_clear(rwl_avro_header *h) {
    rwl_arena_clear(&h->arena);
}

rwl_span rwl_avro_header_get(const rwl_avro_header *h, const char *key) {
    size_t len = strlen(key);
    for (const header_entry *e = h->metadata; e != NULL; e = e->next)
        if (e->key_len == len && memcmp(e->key, key, len) == 0)
            return e->value;
    return rwl_span_of(NULL, 0);
}

/* The bytes of a key or value, copied to the arena with a NUL behind them. */
static rwl_status read_bytes(header_reader *r, const char **out, size_t *len, rwl_error *err) {
    int64_t n, at = r->in->off;
    rwl_arena *arena = &r->h->arena;
    rwl_span bytes;
    RWL_TRY(rwl_avro_input_zigzag(r->in, "the header", &n, err));
    if (n < 0 || n > HEADER_MAX)
        return rwl_fail_at(err, RWL_CORRUPT, at, "length in the header is %" PRId64, n);
    RWL_TRY(rwl_avro_input_take(r->in, (size_t)n, &r->spill, "the header", &bytes, err));
    *out = rwl_arena_strndup(arena, (const char *)bytes.data, bytes.len);
    *len = bytes.len;
    if (*out != NULL)
        return RWL_OK;
    if (arena->refused == 0 && bytes.len > arena->max - arena->used - 1)
        return rwl_fail_at(err, RWL_UNSUPPORTED, at, "header is larger than %d bytes", HEADER_MAX);
    return rwl_no_memory(err, bytes.len);
}

static rwl_status read_entry(header_reader *r, rwl_error *err) {
    header_entry *e = rwl_arena_alloc(&r->h->arena, sizeof *e);
    const char *value;
    size_t len;
    if (e == NULL)
        return rwl_no_memory(err, sizeof *e);
    RWL_TRY(read_bytes(r, &e->key, &e->key_len, err));
    RWL_TRY(read_bytes(r, &value, &len, err));
    e->value = rwl_span_of(value, len);
    e->next = r->h->metadata; /* a repeated key: the last one counts */
    r->h->metadata = e;
    return RWL_OK;
}

static rwl_status read_metadata(header_reader *r, rwl_error *err) {
    for (;;) {
        int64_t count, size, at = r->in->off;
        RWL_TRY(rwl_avro_input_zigzag(r->in, "the header", &count, err));
        if (count == 0)
            return RWL_OK;
        if (count < 0) {
            RWL_TRY(rwl_avro_input_zigzag(r->in, "the header", &size, err));
            if (count == INT64_MIN)
                return rwl_fail_at(err, RWL_CORRUPT, at, "header has %" PRId64 " entries", count);
            count = -count;
        }
        for (; count > 0; count--) /* each takes bytes: the end of the file ends this */
            RWL_TRY(read_entry(r, err));
    }
}

static rwl_status choose_codec(rwl_avro_header *h, rwl_error *err) {
    static const struct {
        const char *name;
        rwl_codec_id id;
    } codecs[] = {{"null", RWL_CODEC_NONE},
                  {"deflate", RWL_CODEC_DEFLATE},
                  {"snappy", RWL_CODEC_SNAPPY},
                  {"zstandard", RWL_CODEC_ZSTD}};
    rwl_span name = rwl_avro_header_get(h, "avro.codec");
    if (name.data == NULL)
        name = rwl_span_str("null");
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (rwl_span_equal(name, rwl_span_str(codecs[i].name))) {
            h->codec_id = codecs[i].id;
            return RWL_OK;
        }
    return rwl_fail(err, RWL_UNSUPPORTED, "avro codec '%.40s' is not supported", (const char *)name.data);
}

static rwl_status read_header(header_reader *r, rwl_error *err) {
    rwl_avro_header *h = r->h;
    rwl_span bytes;
    RWL_TRY(rwl_avro_input_take(r->in, 4, &r->spill, "the header", &bytes, err));
    if (memcmp(bytes.data, "AGS1", 4) == 0)
        return rwl_fail_at(err, RWL_UNSUPPORTED, 0, "file is encrypted (AGS1)");
    if (memcmp(bytes.data, "Obj\1", 4) != 0)
        return rwl_fail_at(err, RWL_CORRUPT, 0, "no avro file: begins with 0x%08x, expected 0x4f626a01",
                           rwl_load_be32(bytes.data));
    RWL_TRY(read_metadata(r, err));
    RWL_TRY(rwl_avro_input_take(r->in, RWL_AVRO_SYNC_LEN, &r->spill, "the header", &bytes, err));
    memcpy(h->sync, bytes.data, RWL_AVRO_SYNC_LEN);
    h->end = r->in->off;
    rwl_span schema = rwl_avro_header_get(h, "avro.schema");
    if (schema.data == NULL)
        return rwl_fail(err, RWL_CORRUPT, "header has no avro.schema");
    RWL_TRY(choose_codec(h, err));
    if (h->known != NULL && rwl_span_equal(h->known->text, schema)) {
        h->schema = h->known->schema;
        return RWL_OK;
    }
    return rwl_avro_schema_parse(schema, &h->arena, &h->schema, err);
}

rwl_status rwl_avro_header_read(rwl_avro_header *h, rwl_avro_input *in, rwl_error *err) {
    header_reader r = {.h = h, .in = in};
    rwl_buf_init(&r.spill, h->arena.env, HEADER_MAX);
    rwl_buf_charge(&r.spill, h->arena.op, HEADER);
    rwl_status st = rwl_arena_refused(&h->arena, read_header(&r, err), HEADER, err);
    rwl_buf_clear(&r.spill);
    return st;
}
