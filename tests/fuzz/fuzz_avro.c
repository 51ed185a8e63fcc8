/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Avro. Input that begins with the magic is a container file; its sync markers and snappy CRCs are set right,
 * so that what lies behind them is reached. Other input is the JSON of a schema, a NUL, and bytes to decode
 * by it.
 */
#include "avro/avro.h"
#include "avro/decode.h"
#include "avro_patch.h"
#include "fuzz.h"
#include "memory_store.h"

enum { MEMORY_MAX = 32 << 20, RECORDS_MAX = 100000 };

static rwl_env env;

/* Walks a decoded value: everything it points to must be readable. */
static uint64_t visit(const rwl_avro_datum *d, int depth) {
    uint64_t sum = (uint64_t)d->kind;
    FUZZ_CHECK(depth <= RWL_AVRO_DEPTH_MAX && d->schema->kind == d->kind && d->kind != RWL_AVRO_UNION);
    switch (d->kind) {
    case RWL_AVRO_BYTES:
    case RWL_AVRO_STRING:
    case RWL_AVRO_FIXED:
        for (size_t i = 0; i < d->as.bytes.len; i++)
            sum += d->as.bytes.data[i];
        break;
    case RWL_AVRO_ARRAY:
    case RWL_AVRO_MAP:
    case RWL_AVRO_RECORD:
        FUZZ_CHECK(d->kind != RWL_AVRO_RECORD || d->as.list.count == d->schema->field_count);
        for (int32_t i = 0; i < d->as.list.count; i++)
            sum += visit(&d->as.list.items[i], depth + 1);
        break;
    default:
        break;
    }
    if (d->kind == RWL_AVRO_RECORD)
        sum += rwl_avro_get(d, 2, "data_file") != NULL;
    return sum;
}

static volatile uint64_t sink;

/* --- container files --- */

static void read_file(rwl_span file) {
    rwl_op op;
    rwl_avro_reader *r;
    rwl_error err = {0};
    rwl_op_init(&op, &env, 0);
    rwl_store *store = rwl_memory_store_new(&env, file);
    if (rwl_avro_reader_open(store, &op, "input", &r, &err) == RWL_OK) {
        const rwl_avro_datum *record = NULL;
        (void)rwl_avro_reader_metadata(r, "format-version");
        for (int n = 0; n < RECORDS_MAX && rwl_avro_reader_next(r, &record, &err) == RWL_OK && record != NULL;
             n++)
            sink += visit(record, 1);
        rwl_avro_reader_close(r);
    }
    rwl_store_free(store);
}

/* --- a schema and a value --- */

static void decode_value(rwl_span json, rwl_span bytes) {
    rwl_arena arena;
    const rwl_avro_schema *schema;
    rwl_error err = {0};
    rwl_arena_init(&arena, &env, MEMORY_MAX);
    if (rwl_avro_schema_parse(json, &arena, &schema, &err) == RWL_OK) {
        FUZZ_CHECK(schema->height >= 1 && schema->height <= RWL_AVRO_DEPTH_MAX && schema->min_len >= 0);
        rwl_avro_decoder d = {rwl_cursor_of(bytes), &arena,
                              100000 + RWL_AVRO_VALUES_PER_BYTE * (int64_t)bytes.len};
        rwl_avro_datum value;
        if (rwl_avro_decode(&d, schema, &value, &err) == RWL_OK) {
            FUZZ_CHECK(d.in.pos >= (size_t)schema->min_len);
            sink += visit(&value, 1);
        }
    }
    rwl_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    rwl_env_init_default(&env);
    fuzz_fix_random(&env);
    if (len >= 4 && memcmp(data, "Obj\1", 4) == 0) {
        uint8_t *copy = malloc(len);
        memcpy(copy, data, len);
        avro_patch(&env, copy, len);
        read_file(rwl_span_of(copy, len));
        free(copy);
        return 0;
    }
    const uint8_t *nul = len > 0 ? memchr(data, 0, len) : NULL;
    size_t json_len = nul != NULL ? (size_t)(nul - data) : len;
    size_t bytes_at = nul != NULL ? json_len + 1 : len;
    decode_value(rwl_span_of(data, json_len), rwl_span_of(data + bytes_at, len - bytes_at));
    return 0;
}
