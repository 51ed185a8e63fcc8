/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text, member by member. */
#include "engine/inspect_doc.h"

#include <inttypes.h>

static void keep(rwl_doc *d, rwl_status st) {
    if (d->st == RWL_OK)
        d->st = st;
}

static rwl_status put_string(rwl_doc *d, rwl_span text) {
    rwl_type type = rwl_type_of(RWL_TYPE_STRING);
    rwl_value v = {.kind = RWL_TYPE_STRING, .as.bytes = text};
    return rwl_value_format_json(&type, &v, d->out, d->err);
}

/* Comma and key; false after a failure. */
static bool begin(rwl_doc *d, const char *key) {
    if (d->st == RWL_OK && d->comma)
        keep(d, rwl_buf_str(d->out, ", ", d->err));
    d->comma = true;
    if (d->st == RWL_OK && key != NULL)
        keep(d, put_string(d, rwl_span_str(key)));
    if (d->st == RWL_OK && key != NULL)
        keep(d, rwl_buf_str(d->out, ": ", d->err));
    return d->st == RWL_OK;
}

void rwl_doc_open(rwl_doc *d, const char *key, char bracket) {
    if (begin(d, key))
        keep(d, rwl_buf_u8(d->out, (uint8_t)bracket, d->err));
    d->comma = false;
}

void rwl_doc_close(rwl_doc *d, char bracket) {
    if (d->st == RWL_OK)
        keep(d, rwl_buf_u8(d->out, (uint8_t)bracket, d->err));
    d->comma = true;
}

static void put_plain(rwl_doc *d, const char *key, const char *text) {
    if (begin(d, key))
        keep(d, rwl_buf_str(d->out, text, d->err));
}

void rwl_doc_i64(rwl_doc *d, const char *key, int64_t value) {
    if (begin(d, key))
        keep(d, rwl_buf_printf(d->out, d->err, "%" PRId64, value));
}

void rwl_doc_maybe(rwl_doc *d, const char *key, bool present, int64_t value) {
    if (present)
        rwl_doc_i64(d, key, value);
    else
        put_plain(d, key, "null");
}

void rwl_doc_bool(rwl_doc *d, const char *key, bool value) {
    put_plain(d, key, value ? "true" : "false");
}

void rwl_doc_id(rwl_doc *d, const char *key, int64_t id) {
    if (id < 0)
        put_plain(d, key, "null");
    else if (begin(d, key))
        keep(d, rwl_buf_printf(d->out, d->err, "\"%" PRId64 "\"", id));
}

void rwl_doc_span(rwl_doc *d, const char *key, rwl_span text) {
    if (text.data == NULL)
        put_plain(d, key, "null");
    else if (begin(d, key))
        keep(d, put_string(d, text));
}

void rwl_doc_text(rwl_doc *d, const char *key, const char *text) {
    rwl_doc_span(d, key, text != NULL ? rwl_span_str(text) : rwl_span_of(NULL, 0));
}

void rwl_doc_value(rwl_doc *d, const char *key, const rwl_type *type, const rwl_value *value) {
    if (begin(d, key))
        keep(d, rwl_value_format_json(type, value, d->out, d->err));
}

void rwl_doc_hex(rwl_doc *d, const char *key, rwl_span bytes) {
    rwl_type type = rwl_type_of(RWL_TYPE_BINARY);
    rwl_value v = {.kind = RWL_TYPE_BINARY, .is_null = bytes.data == NULL, .as.bytes = bytes};
    rwl_doc_value(d, key, &type, &v);
}

void rwl_doc_raw(rwl_doc *d, const char *key, rwl_span json) {
    if (begin(d, key))
        keep(d, rwl_buf_append(d->out, json.data, json.len, d->err));
}

void rwl_doc_json(rwl_doc *d, const char *key, const rwl_json *value) {
    if (value == NULL)
        put_plain(d, key, "null");
    else if (begin(d, key))
        keep(d, rwl_json_dump(value, 0, d->out, d->err));
}
