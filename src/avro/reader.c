/* SPDX-License-Identifier: Apache-2.0 */
/* Reading object container files record by record, as trees of datums. */
#include "avro/avro.h"

#include "avro/container.h"
#include "avro/decode.h"

#include <inttypes.h>

enum { ARENA_FIRST = 32 * 1024 /* what one record of a manifest needs, in one piece */ };

struct rwl_avro_reader {
    rwl_op *op;
    char *location;
    rwl_avro_header header;
    rwl_avro_blocks blocks;
    rwl_arena record;
    rwl_avro_decoder decoder;
    int64_t records_left; /* in the block */
};

void rwl_avro_reader_close(rwl_avro_reader *r) {
    if (r == NULL)
        return;
    const rwl_env *env = r->op->env;
    rwl_avro_blocks_clear(&r->blocks);
    rwl_avro_header_clear(&r->header);
    rwl_arena_clear(&r->record);
    rwl_free(env, r->location);
    rwl_free(env, r);
}

const rwl_avro_schema *rwl_avro_reader_schema(const rwl_avro_reader *r) {
    return r->header.schema;
}

rwl_span rwl_avro_reader_metadata(const rwl_avro_reader *r, const char *key) {
    return rwl_avro_header_get(&r->header, key);
}

/* Names the file as the error's path; who opened it says in the message what it is. */
static rwl_status in_file(const rwl_avro_reader *r, rwl_status st, rwl_error *err) {
    return rwl_error_path(err, st, r->location);
}

static rwl_status open_file(rwl_avro_reader *r, rwl_store *store, const char *location, rwl_error *err) {
    r->location = rwl_strdup(r->op->env, location);
    if (r->location == NULL)
        return rwl_no_memory(err, strlen(location));
    RWL_TRY(rwl_avro_input_open(&r->blocks.input, store, r->op, location, 0, RWL_AVRO_PIECE_LEN,
                                err)); /* which names the file in its errors */
    rwl_status st = rwl_avro_header_read(&r->header, &r->blocks.input, err);
    if (st == RWL_OK && rwl_arena_alloc(&r->record, ARENA_FIRST) == NULL)
        st = rwl_no_memory(err, ARENA_FIRST);
    return st == RWL_OK ? RWL_OK : in_file(r, st, err);
}

rwl_status rwl_avro_reader_open(rwl_store *store, rwl_op *op, const char *location, rwl_avro_reader **out,
                                rwl_error *err) {
    return rwl_avro_reader_open_known(store, op, location, NULL, out, err);
}

rwl_status rwl_avro_reader_open_known(rwl_store *store, rwl_op *op, const char *location,
                                      const rwl_avro_known_schema *known, rwl_avro_reader **out,
                                      rwl_error *err) {
    const rwl_env *env = op->env;
    *out = NULL;
    rwl_avro_reader *r = rwl_calloc(env, 1, sizeof *r);
    if (r == NULL)
        return rwl_no_memory(err, sizeof *r);
    r->op = op;
    r->decoder = (rwl_avro_decoder){.arena = &r->record, .values_left = RWL_AVRO_VALUES_FREE};
    rwl_avro_header_init(&r->header, op);
    r->header.known = known;
    rwl_avro_blocks_init(&r->blocks, op, &r->header);
    rwl_arena_init(&r->record, env, RWL_AVRO_RECORD_MAX);
    rwl_arena_charge(&r->record, op);
    rwl_status st = open_file(r, store, location, err);
    if (st != RWL_OK) {
        rwl_avro_reader_close(r);
        return st;
    }
    *out = r;
    return RWL_OK;
}

static rwl_status read_block(rwl_avro_reader *r, bool *end, rwl_error *err) {
    int64_t count, size;
    rwl_span plain;
    RWL_TRY(rwl_op_check(r->op, err));
    RWL_TRY(rwl_avro_block_open(&r->blocks, &count, &size, end, err));
    if (*end)
        return RWL_OK;
    RWL_TRY(rwl_avro_block_read(&r->blocks, size, &plain, err));
    r->decoder.in = rwl_cursor_of(plain);
    r->decoder.values_left += RWL_AVRO_VALUES_PER_BYTE * (int64_t)plain.len;
    r->records_left = count;
    return RWL_OK;
}

static rwl_status next_record(rwl_avro_reader *r, const rwl_avro_datum **out, rwl_error *err) {
    while (r->records_left == 0) {
        bool end;
        size_t over = rwl_cursor_left(&r->decoder.in);
        if (over > 0)
            return rwl_fail(err, RWL_CORRUPT, "%zu bytes are left after the last record", over);
        RWL_TRY(read_block(r, &end, err));
        if (end)
            return RWL_OK;
    }
    rwl_arena_reset(&r->record);
    rwl_avro_datum *record = rwl_arena_alloc(&r->record, sizeof *record);
    if (record == NULL)
        return rwl_no_memory(err, sizeof *record);
    if (--r->decoder.values_left < 0)
        return rwl_fail(err, RWL_CORRUPT, "%" PRId64 " more records than the file's bytes may hold",
                        r->records_left);
    RWL_TRY(rwl_avro_decode(&r->decoder, r->header.schema, record, err));
    r->records_left--;
    *out = record;
    return RWL_OK;
}

rwl_status rwl_avro_reader_next(rwl_avro_reader *r, const rwl_avro_datum **out, rwl_error *err) {
    *out = NULL;
    rwl_status st = rwl_arena_refused(&r->record, next_record(r, out, err), "an avro record", err);
    if (st == RWL_OK)
        return RWL_OK;
    return in_file(r, rwl_error_in(err, st, "block at byte %" PRId64, r->blocks.off), err);
}

static rwl_status next_block(rwl_avro_reader *r, rwl_span *bytes, int64_t *count, rwl_error *err) {
    for (;;) {
        int64_t size;
        bool end;
        RWL_TRY(rwl_op_check(r->op, err));
        RWL_TRY(rwl_avro_block_open(&r->blocks, count, &size, &end, err));
        if (end)
            return RWL_OK;
        RWL_TRY(rwl_avro_block_read(&r->blocks, size, bytes, err));
        if (*count > 0)
            return RWL_OK;
        if (bytes->len > 0)
            return rwl_fail(err, RWL_CORRUPT, "%zu bytes are left after the last record", bytes->len);
    }
}

rwl_status rwl_avro_reader_next_block(rwl_avro_reader *r, rwl_span *bytes, int64_t *count, rwl_error *err) {
    *bytes = rwl_span_of(NULL, 0);
    *count = 0;
    rwl_status st = next_block(r, bytes, count, err);
    if (st == RWL_OK)
        return RWL_OK;
    *count = 0;
    return in_file(r, rwl_error_in(err, st, "block at byte %" PRId64, r->blocks.off), err);
}

int64_t rwl_avro_reader_block_off(const rwl_avro_reader *r) {
    return r->blocks.off;
}
