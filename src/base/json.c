/* SPDX-License-Identifier: Apache-2.0 */
/* JSON over jansson. Its values are not allocated through the environment: its allocator is process-wide. */
#include "base/json.h"

#include <jansson.h>

static json_t *inner(const rwl_json *value) {
    return (json_t *)(uintptr_t)value;
}

static rwl_json *outer(json_t *value) {
    return (rwl_json *)value;
}

/* --- text --- */

/* A document has lines, a value in a line of data has not. */
static rwl_status parse(rwl_span text, size_t flags, bool lines, rwl_json **out, rwl_error *err) {
    json_error_t error;
    const char *data = text.len ? (const char *)text.data : "";
    json_t *root = json_loadb(data, text.len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | flags, &error);
    *out = outer(root);
    if (root)
        return RWL_OK;
    if (json_error_code(&error) == json_error_out_of_memory)
        return rwl_no_memory(err, text.len);
    if (!lines)
        return rwl_fail_at(err, RWL_CORRUPT, error.position, "%s", error.text);
    return rwl_fail_at(err, RWL_CORRUPT, error.position, "line %d: %s", error.line, error.text);
}

/* Measured with glibc: a value, that with its key, and the table of an object. */
enum { VALUE_BYTES = 64, PAIR_BYTES = 80, TABLE_BYTES = 200 };

int64_t rwl_json_cost(rwl_span text) {
    int64_t cost = (int64_t)text.len;
    bool quoted = false;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        if (c == '"')
            quoted = !quoted;
        else if (quoted)
            i += c == '\\';
        else if (c == ',' || c == '[')
            cost += VALUE_BYTES;
        else if (c == ':')
            cost += PAIR_BYTES;
        else if (c == '{')
            cost += TABLE_BYTES;
    }
    return cost;
}

rwl_status rwl_json_parse(rwl_span text, rwl_json **out, rwl_error *err) {
    return parse(text, 0, true, out, err);
}

rwl_status rwl_json_parse_data(rwl_span text, rwl_json **out, rwl_error *err) {
    return parse(text, JSON_ALLOW_NUL, false, out, err);
}

typedef struct dump_sink {
    rwl_buf *out;
    rwl_error *err;
    rwl_status status;
} dump_sink;

/* Once failed, it stays so: jansson goes on after a failure at an object's key, and would leave a hole. */
static int append_dump(const char *data, size_t len, void *arg) {
    dump_sink *sink = arg;
    if (sink->status != RWL_OK)
        return -1;
    sink->status = rwl_buf_append(sink->out, data, len, sink->err);
    return sink->status == RWL_OK ? 0 : -1;
}

rwl_status rwl_json_dump(const rwl_json *value, int indent, rwl_buf *out, rwl_error *err) {
    dump_sink sink = {out, err, RWL_OK};
    size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(17);
    if (indent > 0)
        flags |= JSON_INDENT((size_t)(indent < 31 ? indent : 31));
    int result = json_dump_callback(inner(value), append_dump, &sink, flags);
    if (sink.status != RWL_OK || result == 0)
        return sink.status;
    return rwl_fail(err, RWL_INTERNAL, "a JSON value cannot be written");
}

rwl_status rwl_json_text_in(const rwl_json *value, rwl_arena *arena, const char **out, rwl_error *err) {
    rwl_buf text;
    rwl_buf_init(&text, arena->env, SIZE_MAX);
    rwl_status st = rwl_json_dump(value, 0, &text, err);
    if (st == RWL_OK) {
        *out = rwl_arena_strndup(arena, (const char *)text.data, text.len);
        if (*out == NULL)
            st = rwl_no_memory(err, text.len);
    }
    rwl_buf_clear(&text);
    return st;
}

rwl_json *rwl_json_copy(const rwl_json *value) {
    return outer(json_deep_copy(inner(value)));
}

void rwl_json_free(rwl_json *value) {
    json_decref(inner(value));
}

rwl_json *rwl_json_ref(rwl_json *value) {
    return outer(json_incref(inner(value)));
}

/* --- borrowed reads --- */

rwl_json_kind rwl_json_kind_of(const rwl_json *value) {
    if (!value)
        return RWL_JSON_NULL;
    switch (json_typeof(inner(value))) {
    case JSON_TRUE:
    case JSON_FALSE:
        return RWL_JSON_BOOL;
    case JSON_INTEGER:
        return RWL_JSON_INT;
    case JSON_REAL:
        return RWL_JSON_REAL;
    case JSON_STRING:
        return RWL_JSON_STRING;
    case JSON_ARRAY:
        return RWL_JSON_ARRAY;
    case JSON_OBJECT:
        return RWL_JSON_OBJECT;
    case JSON_NULL:
        break;
    }
    return RWL_JSON_NULL;
}

rwl_json *rwl_json_get(const rwl_json *object, const char *key) {
    return outer(json_object_get(inner(object), key));
}

size_t rwl_json_len(const rwl_json *array_or_object) {
    const json_t *value = inner(array_or_object);
    return json_is_array(value) ? json_array_size(value) : json_object_size(value);
}

rwl_json *rwl_json_at(const rwl_json *array, size_t i) {
    return outer(json_array_get(inner(array), i));
}

const char *rwl_json_str(const rwl_json *string) {
    return json_string_value(inner(string));
}

rwl_span rwl_json_text(const rwl_json *string) {
    const char *text = json_string_value(inner(string));
    return rwl_span_of(text, text != NULL ? json_string_length(inner(string)) : 0);
}

int64_t rwl_json_i64(const rwl_json *integer) {
    return json_integer_value(inner(integer));
}

double rwl_json_real(const rwl_json *number) {
    return json_number_value(inner(number));
}

bool rwl_json_bool(const rwl_json *value) {
    return json_is_true(inner(value));
}

bool rwl_json_next(const rwl_json *object, size_t *pos, const char **key, rwl_json **value) {
    json_t *o = inner(object);
    /* the position is jansson's iterator: finding an entry by number would cost a walk */
    void *iter = *pos ? json_object_iter_next(o, (void *)(uintptr_t)*pos) : json_object_iter(o);
    if (!iter)
        return false;
    *pos = (size_t)(uintptr_t)iter;
    *key = json_object_iter_key(iter);
    *value = outer(json_object_iter_value(iter));
    return true;
}

/* --- typed reads --- */

static const char *kind_name(rwl_json_kind kind) {
    static const char *const names[] = {"null",     "a boolean", "an integer", "a real number",
                                        "a string", "an array",  "an object"};
    return names[kind];
}

/* The value of `key` when it is of `kind`, NULL when absent or null; CORRUPT when it is something else. */
static rwl_status find_typed(const rwl_json *object, const char *key, rwl_json_kind kind, rwl_json **out,
                             rwl_error *err) {
    *out = NULL;
    if (rwl_json_kind_of(object) != RWL_JSON_OBJECT)
        return rwl_fail(err, RWL_CORRUPT, "%s where an object with '%s' belongs",
                        kind_name(rwl_json_kind_of(object)), key);
    rwl_json *value = rwl_json_get(object, key);
    rwl_json_kind found = rwl_json_kind_of(value);
    if (found == RWL_JSON_NULL)
        return RWL_OK;
    if (found != kind)
        return rwl_fail(err, RWL_CORRUPT, "'%s' is %s, not %s", key, kind_name(found), kind_name(kind));
    *out = value;
    return RWL_OK;
}

static rwl_status find_needed(const rwl_json *object, const char *key, rwl_json_kind kind, rwl_json **out,
                              rwl_error *err) {
    RWL_TRY(find_typed(object, key, kind, out, err));
    return *out ? RWL_OK : rwl_fail(err, RWL_CORRUPT, "'%s' is missing", key);
}

static rwl_status narrow(const char *key, int64_t value, int32_t *out, rwl_error *err) {
    if (value < INT32_MIN || value > INT32_MAX)
        return rwl_fail(err, RWL_CORRUPT, "'%s' is %lld, which is no 32-bit number", key, (long long)value);
    *out = (int32_t)value;
    return RWL_OK;
}

rwl_status rwl_json_need_i64(const rwl_json *object, const char *key, int64_t *out, rwl_error *err) {
    rwl_json *value;
    RWL_TRY(find_needed(object, key, RWL_JSON_INT, &value, err));
    *out = rwl_json_i64(value);
    return RWL_OK;
}

rwl_status rwl_json_need_i32(const rwl_json *object, const char *key, int32_t *out, rwl_error *err) {
    int64_t wide;
    RWL_TRY(rwl_json_need_i64(object, key, &wide, err));
    return narrow(key, wide, out, err);
}

rwl_status rwl_json_need_str(const rwl_json *object, const char *key, const char **out, rwl_error *err) {
    rwl_json *value;
    RWL_TRY(find_needed(object, key, RWL_JSON_STRING, &value, err));
    *out = rwl_json_str(value);
    return RWL_OK;
}

rwl_status rwl_json_need_array(const rwl_json *object, const char *key, rwl_json **out, rwl_error *err) {
    return find_needed(object, key, RWL_JSON_ARRAY, out, err);
}

rwl_status rwl_json_opt_i64(const rwl_json *object, const char *key, bool *present, int64_t *out,
                            rwl_error *err) {
    rwl_json *value;
    RWL_TRY(find_typed(object, key, RWL_JSON_INT, &value, err));
    if (present)
        *present = value != NULL;
    if (value)
        *out = rwl_json_i64(value);
    return RWL_OK;
}

rwl_status rwl_json_opt_i32(const rwl_json *object, const char *key, bool *present, int32_t *out,
                            rwl_error *err) {
    int64_t wide = 0;
    bool found;
    RWL_TRY(rwl_json_opt_i64(object, key, &found, &wide, err));
    if (present)
        *present = found;
    return found ? narrow(key, wide, out, err) : RWL_OK;
}

rwl_status rwl_json_opt_str(const rwl_json *object, const char *key, const char **out, rwl_error *err) {
    rwl_json *value;
    RWL_TRY(find_typed(object, key, RWL_JSON_STRING, &value, err));
    *out = value ? rwl_json_str(value) : NULL;
    return RWL_OK;
}

rwl_status rwl_json_opt_array(const rwl_json *object, const char *key, rwl_json **out, rwl_error *err) {
    return find_typed(object, key, RWL_JSON_ARRAY, out, err);
}

/* --- building --- */

rwl_json *rwl_json_new_object(void) {
    return outer(json_object());
}

rwl_json *rwl_json_new_array(void) {
    return outer(json_array());
}

rwl_json *rwl_json_new_str(const char *text) {
    return outer(json_string(text));
}

rwl_json *rwl_json_new_strn(const char *text, size_t len) {
    return outer(json_stringn(text, len));
}

rwl_json *rwl_json_new_i64(int64_t value) {
    return outer(json_integer(value));
}

rwl_json *rwl_json_new_real(double value) {
    return outer(json_real(value));
}

rwl_json *rwl_json_new_bool(bool value) {
    return outer(json_boolean(value));
}

rwl_json *rwl_json_new_null(void) {
    return outer(json_null());
}

rwl_status rwl_json_set(rwl_json *object, const char *key, rwl_json *value, rwl_error *err) {
    if (!value || json_object_set_new(inner(object), key, inner(value)) != 0)
        return rwl_fail(err, RWL_NO_MEMORY, "no memory for the JSON value of '%s'", key);
    return RWL_OK;
}

rwl_status rwl_json_append(rwl_json *array, rwl_json *value, rwl_error *err) {
    if (!value || json_array_append_new(inner(array), inner(value)) != 0)
        return rwl_fail(err, RWL_NO_MEMORY, "no memory for a JSON array of %zu values", rwl_json_len(array));
    return RWL_OK;
}

void rwl_json_remove(rwl_json *object, const char *key) {
    json_object_del(inner(object), key);
}

void rwl_json_remove_at(rwl_json *array, size_t i) {
    json_array_remove(inner(array), i);
}
