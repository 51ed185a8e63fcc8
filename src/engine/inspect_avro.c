/* SPDX-License-Identifier: Apache-2.0 */
/* Avro container files: header, schema, blocks; the first records. */
#include "engine/inspect_internal.h"

#include "avro/input.h"

#include <inttypes.h>

enum { SYNC_LEN = 16, MAGIC_LEN = 4, RECORDS_A_BATCH = 1024 };

rwl_inspect_what rwl_inspect_avro_what(const rwl_avro_schema *schema) {
    bool status = false, data_file = false, path = false, length = false;
    for (int32_t i = 0; schema->kind == RWL_AVRO_RECORD && i < schema->field_count; i++) {
        const rwl_avro_field *f = &schema->fields[i];
        status = status || strcmp(f->name, "status") == 0;
        data_file = data_file || strcmp(f->name, "data_file") == 0;
        path = path || strcmp(f->name, "manifest_path") == 0;
        length = length || strcmp(f->name, "manifest_length") == 0;
    }
    return status && data_file ? RWL_INSPECT_MANIFEST
           : path && length    ? RWL_INSPECT_MANIFEST_LIST
                               : RWL_INSPECT_AVRO;
}

/* --- header and blocks --- */

typedef struct container {
    rwl_avro_input input;
    rwl_buf spill, key, value;
    uint8_t sync[SYNC_LEN];
    bool has_codec;
} container;

static rwl_status take_text(container *c, const char *what, rwl_buf *out, rwl_error *err) {
    int64_t len;
    rwl_span bytes;
    RWL_TRY(rwl_avro_input_zigzag(&c->input, what, &len, err));
    if (len < 0 || len > rwl_avro_input_left(&c->input))
        return rwl_fail(err, RWL_CORRUPT, "%s of %" PRId64 " bytes cannot be in the file", what, len);
    RWL_TRY(rwl_avro_input_take(&c->input, (size_t)len, &c->spill, what, &bytes, err));
    rwl_buf_reset(out);
    RWL_TRY(rwl_buf_append(out, bytes.data, bytes.len, err));
    return rwl_buf_terminate(out, err);
}

/* One pair of the header: the schema as JSON, the codec as a member, all else kept for "metadata". */
static rwl_status read_pair(container *c, rwl_doc *doc, rwl_doc *others, rwl_error *err) {
    RWL_TRY(take_text(c, "a key of the header", &c->key, err));
    RWL_TRY(take_text(c, "a value of the header", &c->value, err));
    rwl_span key = rwl_buf_span(&c->key), value = rwl_buf_span(&c->value);
    if (rwl_span_equal(key, rwl_span_str("avro.codec"))) {
        rwl_doc_span(doc, "codec", value);
        c->has_codec = true;
    } else if (rwl_span_equal(key, rwl_span_str("avro.schema"))) {
        rwl_json *json;
        RWL_TRY(rwl_json_parse(value, &json, err));
        rwl_doc_json(doc, "schema", json);
        rwl_json_free(json);
    } else {
        rwl_inspect_pair(others, key, value);
    }
    return RWL_OK;
}

static rwl_status read_header(container *c, rwl_doc *doc, rwl_doc *others, rwl_error *err) {
    rwl_span bytes;
    RWL_TRY(rwl_avro_input_take(&c->input, MAGIC_LEN, &c->spill, "the magic", &bytes, err));
    for (;;) {
        int64_t count, size;
        RWL_TRY(rwl_avro_input_zigzag(&c->input, "the header", &count, err));
        if (count == 0)
            break;
        if (count < 0) {
            RWL_TRY(rwl_avro_input_zigzag(&c->input, "the header", &size, err));
            if (count == INT64_MIN)
                return rwl_fail(err, RWL_CORRUPT, "the header has %" PRId64 " keys", count);
            count = -count;
        }
        for (int64_t i = 0; i < count; i++)
            RWL_TRY(read_pair(c, doc, others, err));
    }
    RWL_TRY(rwl_avro_input_take(&c->input, SYNC_LEN, &c->spill, "the sync marker", &bytes, err));
    memcpy(c->sync, bytes.data, SYNC_LEN);
    return RWL_OK;
}

static rwl_status read_block(container *c, int64_t *records, int64_t *len, rwl_error *err) {
    rwl_span bytes;
    RWL_TRY(rwl_avro_input_zigzag(&c->input, "a block's count", records, err));
    RWL_TRY(rwl_avro_input_zigzag(&c->input, "a block's size", len, err));
    if (*records < 0 || *len < 0 || *len > rwl_avro_input_left(&c->input) || *len > RWL_AVRO_BLOCK_MAX)
        return rwl_fail(err, RWL_CORRUPT, "%" PRId64 " records in %" PRId64 " bytes cannot be in the file",
                        *records, *len);
    RWL_TRY(rwl_avro_input_take(&c->input, (size_t)*len, &c->spill, "a block", &bytes, err));
    RWL_TRY(rwl_avro_input_take(&c->input, SYNC_LEN, &c->spill, "a sync marker", &bytes, err));
    if (memcmp(bytes.data, c->sync, SYNC_LEN) != 0)
        return rwl_fail(err, RWL_CORRUPT, "its sync marker is not the header's");
    return RWL_OK;
}

static rwl_status put_blocks(container *c, rwl_doc *doc, rwl_error *err) {
    int64_t total = 0, count = 0;
    rwl_doc_open(doc, "blocks", '[');
    while (rwl_avro_input_left(&c->input) > 0 && doc->st == RWL_OK) {
        int64_t off = c->input.off, records, len;
        rwl_status st = rwl_op_check(c->input.op, err);
        if (st == RWL_OK)
            st = read_block(c, &records, &len, err);
        if (st == RWL_OK && __builtin_add_overflow(total, records, &total))
            st = rwl_fail(err, RWL_CORRUPT, "the records are more than 2^63 - 1");
        if (st != RWL_OK)
            return rwl_error_in(err, st, "block at byte %" PRId64, off);
        rwl_doc_open(doc, NULL, '{');
        rwl_doc_i64(doc, "block", count++);
        rwl_doc_i64(doc, "offset", off);
        rwl_doc_i64(doc, "records", records);
        rwl_doc_i64(doc, "bytes", len);
        rwl_doc_close(doc, '}');
    }
    rwl_doc_close(doc, ']');
    rwl_doc_i64(doc, "block_count", count);
    rwl_doc_i64(doc, "records", total);
    return RWL_OK;
}

static rwl_status put_container(rwl_inspect *in, container *c, rwl_buf *pairs, rwl_doc *doc, rwl_error *err) {
    rwl_doc others = {.out = pairs, .err = err};
    RWL_TRY(rwl_avro_input_open(&c->input, in->store, in->op, in->location, 0, RWL_AVRO_PIECE_LEN, err));
    RWL_TRY(read_header(c, doc, &others, err));
    RWL_TRY(others.st);
    if (!c->has_codec)
        rwl_doc_text(doc, "codec", "null"); /* Avro's name for none */
    if (in->schema_only)
        return RWL_OK;
    rwl_doc_hex(doc, "sync", rwl_span_of(c->sync, SYNC_LEN));
    rwl_doc_open(doc, "metadata", '[');
    if (doc->st == RWL_OK)
        RWL_TRY(rwl_buf_append(doc->out, pairs->data, pairs->len, err));
    rwl_doc_close(doc, ']');
    return put_blocks(c, doc, err);
}

rwl_status rwl_inspect_avro(rwl_inspect *in, rwl_doc *doc, rwl_error *err) {
    container c;
    rwl_buf pairs;
    memset(&c, 0, sizeof c);
    rwl_buf_init(&c.spill, in->env, SIZE_MAX);
    rwl_buf_init(&c.key, in->env, SIZE_MAX);
    rwl_buf_init(&c.value, in->env, SIZE_MAX);
    rwl_buf_init(&pairs, in->env, SIZE_MAX);
    rwl_status st = put_container(in, &c, &pairs, doc, err);
    rwl_avro_input_close(&c.input);
    rwl_buf_clear(&c.spill);
    rwl_buf_clear(&c.key);
    rwl_buf_clear(&c.value);
    rwl_buf_clear(&pairs);
    return st == RWL_OK ? st : rwl_error_in(err, st, "%s", in->location);
}

/* --- records --- */

typedef struct record_source {
    const rwl_env *env;
    rwl_avro_reader *reader;
    int64_t left; /* records still to give, -1: all */
    rwl_buf text;
} record_source;

static void add_cell(rwl_column *column, const rwl_env *env, const rwl_avro_datum *d, rwl_buf *text,
                     rwl_status *st, rwl_error *err) {
    rwl_buf_reset(text);
    if (*st == RWL_OK)
        *st = rwl_inspect_datum(d, text, err);
    rwl_value v = {.kind = RWL_TYPE_STRING, .is_null = d->kind == RWL_AVRO_NULL};
    v.as.bytes = rwl_buf_span(text);
    if (*st == RWL_OK)
        *st = rwl_column_append(column, env, &v, 1, err);
}

static rwl_status next_records(void *ctx, rwl_batch *batch, rwl_error *err) {
    record_source *s = ctx;
    while (batch->length < RECORDS_A_BATCH && s->left != 0) {
        const rwl_avro_datum *record;
        RWL_TRY(rwl_avro_reader_next(s->reader, &record, err));
        if (record == NULL)
            break;
        bool whole = record->kind != RWL_AVRO_RECORD;
        rwl_status st = RWL_OK;
        for (int32_t i = 0; i < batch->column_count; i++)
            add_cell(&batch->columns[i], s->env, whole ? record : &record->as.list.items[i], &s->text, &st,
                     err);
        RWL_TRY(st);
        batch->length++;
        s->left -= s->left > 0;
    }
    return RWL_OK;
}

static void free_records(void *ctx) {
    record_source *s = ctx;
    rwl_avro_reader_close(s->reader);
    rwl_buf_clear(&s->text);
    rwl_free(s->env, s);
}

/* A JSON column a field, "value" when the items are no records. */
static rwl_status make_fields(const rwl_avro_schema *schema, rwl_arena *arena, rwl_field **out,
                              int32_t *count, rwl_error *err) {
    *count = schema->kind == RWL_AVRO_RECORD ? schema->field_count : 1;
    rwl_field *fields = rwl_arena_array(arena, (size_t)*count + 1, sizeof *fields);
    if (fields == NULL)
        return rwl_no_memory(err, (size_t)*count);
    for (int32_t i = 0; i < *count; i++) {
        fields[i].name = schema->kind == RWL_AVRO_RECORD ? schema->fields[i].name : "value";
        fields[i].type = rwl_type_of(RWL_TYPE_STRING);
        fields[i].type.parameters = RWL_TYPE_JSON;
    }
    *out = fields;
    return RWL_OK;
}

rwl_status rwl_inspect_avro_rows(rwl_inspect *in, int64_t count, struct ArrowArrayStream *out,
                                 rwl_error *err) {
    record_source *s = rwl_calloc(in->env, 1, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    s->env = in->env;
    s->left = count;
    rwl_buf_init(&s->text, in->env, SIZE_MAX);
    rwl_field *fields = NULL;
    int32_t field_count = 0;
    rwl_status st = rwl_avro_reader_open(in->store, in->op, in->location, &s->reader, err);
    if (st == RWL_OK)
        st = make_fields(rwl_avro_reader_schema(s->reader), &in->arena, &fields, &field_count, err);
    if (st != RWL_OK) {
        free_records(s);
        return st;
    }
    rwl_arrow_source source = {s, next_records, free_records};
    return rwl_arrow_stream_from(in->env, fields, field_count, source, out, err);
}
