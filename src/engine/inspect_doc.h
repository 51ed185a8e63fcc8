/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text written front to back into a buffer (", " and ": " between): the first failure stays, later calls do nothing. */
#ifndef RWL_ENGINE_INSPECT_DOC_H
#define RWL_ENGINE_INSPECT_DOC_H

#include "base/json.h"
#include "column/value.h"

typedef struct rwl_doc {
    rwl_buf *out;
    rwl_error *err;
    rwl_status st; /* of the first failure */
    bool comma;    /* the next key or item needs one in front */
} rwl_doc;

/* All take the member's key, NULL for an item of an array or the root. */
void rwl_doc_open(rwl_doc *d, const char *key, char bracket); /* '{' or '[' */
void rwl_doc_close(rwl_doc *d, char bracket);
void rwl_doc_i64(rwl_doc *d, const char *key, int64_t value);
void rwl_doc_maybe(rwl_doc *d, const char *key, bool present, int64_t value); /* null when not */
void rwl_doc_bool(rwl_doc *d, const char *key, bool value);
void rwl_doc_id(rwl_doc *d, const char *key, int64_t id); /* a snapshot id as a string; negative is null */
void rwl_doc_text(rwl_doc *d, const char *key, const char *text); /* NULL is null */
void rwl_doc_span(rwl_doc *d, const char *key, rwl_span text);    /* data NULL is null */
void rwl_doc_hex(rwl_doc *d, const char *key, rwl_span bytes);
void rwl_doc_value(rwl_doc *d, const char *key, const rwl_type *type, const rwl_value *value);
void rwl_doc_raw(rwl_doc *d, const char *key, rwl_span json);          /* JSON as it is */
void rwl_doc_json(rwl_doc *d, const char *key, const rwl_json *value); /* NULL is null */

#endif
