/* SPDX-License-Identifier: Apache-2.0 */
/* JSON documents: strict parsing, exact 64-bit integers, key order kept; a thin face over jansson. */
#ifndef RWL_BASE_JSON_H
#define RWL_BASE_JSON_H

#include "base/arena.h"
#include "base/buf.h"

/* A value in a document. Reference counted by the library beneath; `rwl_json_free` drops one. */
typedef struct rwl_json rwl_json;

typedef enum rwl_json_kind {
    RWL_JSON_NULL,
    RWL_JSON_BOOL,
    RWL_JSON_INT,
    RWL_JSON_REAL,
    RWL_JSON_STRING,
    RWL_JSON_ARRAY,
    RWL_JSON_OBJECT
} rwl_json_kind;

/* Parses one document (any root; duplicate keys and trailing bytes refused, depth limited). CORRUPT
 * with line and reason. */
RWL_MUST_CHECK rwl_status rwl_json_parse(rwl_span text, rwl_json **out, rwl_error *err);
/* About what the values of a text take once they are parsed, by the marks between them: to be reserved before, as they are not
 * allocated through the environment. */
int64_t rwl_json_cost(rwl_span text);
/* The same for data of users, whose strings may hold U+0000: to be read by rwl_json_text. */
RWL_MUST_CHECK rwl_status rwl_json_parse_data(rwl_span text, rwl_json **out, rwl_error *err);
/* Appends the text of `value`; `indent` 0 for one line. Reals keep 17 digits. */
RWL_MUST_CHECK rwl_status rwl_json_dump(const rwl_json *value, int indent, rwl_buf *out, rwl_error *err);
/* The text of `value` on one line, with a NUL, in `arena`. */
RWL_MUST_CHECK rwl_status rwl_json_text_in(const rwl_json *value, rwl_arena *arena, const char **out,
                                           rwl_error *err);
rwl_json *rwl_json_copy(const rwl_json *value); /* deep; NULL when out of memory */
void rwl_json_free(rwl_json *value);            /* NULL is fine */

/* Borrowed reads. `get` gives NULL for absent keys and for values that are no object. */
rwl_json_kind rwl_json_kind_of(const rwl_json *value);
rwl_json *rwl_json_get(const rwl_json *object, const char *key);
size_t rwl_json_len(const rwl_json *array_or_object);
rwl_json *rwl_json_at(const rwl_json *array, size_t i);
const char *rwl_json_str(const rwl_json *string); /* NULL when it is none; UTF-8, no NUL inside */
rwl_span rwl_json_text(const rwl_json *string);   /* data NULL when it is none; UTF-8 */
int64_t rwl_json_i64(const rwl_json *integer);    /* 0 when it is none */
double rwl_json_real(const rwl_json *number);
bool rwl_json_bool(const rwl_json *value);
/* Walks an object in key order: start with *pos = 0; false at the end. */
bool rwl_json_next(const rwl_json *object, size_t *pos, const char **key, rwl_json **value);

/* Typed reads that name the key: CORRUPT when absent (unless optional) or of another kind. The
 * `present` of an optional read may be NULL; JSON null counts as absent. */
RWL_MUST_CHECK rwl_status rwl_json_need_i64(const rwl_json *object, const char *key, int64_t *out,
                                            rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_json_need_i32(const rwl_json *object, const char *key, int32_t *out,
                                            rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_json_need_str(const rwl_json *object, const char *key, const char **out,
                                            rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_json_need_array(const rwl_json *object, const char *key, rwl_json **out,
                                              rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_json_opt_i64(const rwl_json *object, const char *key, bool *present,
                                           int64_t *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_json_opt_i32(const rwl_json *object, const char *key, bool *present,
                                           int32_t *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_json_opt_str(const rwl_json *object, const char *key, const char **out,
                                           rwl_error *err); /* NULL when absent */
RWL_MUST_CHECK rwl_status rwl_json_opt_array(const rwl_json *object, const char *key, rwl_json **out,
                                             rwl_error *err); /* NULL when absent */

/* Building: new values (NULL when out of memory); `set`, `append` and `insert` take ownership of `value`
 * even when they fail, and fail with NO_MEMORY when it is NULL. */
rwl_json *rwl_json_new_object(void);
rwl_json *rwl_json_new_array(void);
rwl_json *rwl_json_new_str(const char *text);
rwl_json *rwl_json_new_strn(const char *text, size_t len);
rwl_json *rwl_json_new_i64(int64_t value);
rwl_json *rwl_json_new_real(double value);
rwl_json *rwl_json_new_bool(bool value);
rwl_json *rwl_json_new_null(void);
rwl_json *rwl_json_ref(rwl_json *value); /* one more reference to share a part of a document */
RWL_MUST_CHECK rwl_status rwl_json_set(rwl_json *object, const char *key, rwl_json *value, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_json_append(rwl_json *array, rwl_json *value, rwl_error *err);
void rwl_json_remove(rwl_json *object, const char *key);
void rwl_json_remove_at(rwl_json *array, size_t i);

#endif
