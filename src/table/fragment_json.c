/* SPDX-License-Identifier: Apache-2.0 */
/* Fragments to JSON and back. */
#include "table/fragment_json.h"

#include <inttypes.h>

enum { VALUES_MAX = 10000, DELETES_MAX = 10000000, IDS_MAX = 10000 };

static const char *const DELETE_KINDS[] = {"vector", "positions", "equality"};

/* --- values --- */

/* What the single-value form needs to know of a value's type; the rest is the table's to know. */
static rwl_type type_of(const rwl_value *v) {
    rwl_type type = rwl_type_of(v->kind);
    if (v->kind == RWL_TYPE_DECIMAL)
        type.precision = 38;
    if (v->kind == RWL_TYPE_FIXED)
        type.length = v->is_null ? 1 : (int32_t)v->as.bytes.len;
    return type;
}

/* `scratch` gets type name, bytes and their digits, one behind the other. */
static rwl_status set_value(rwl_json *json, const rwl_value *v, rwl_buf *scratch, rwl_error *err) {
    rwl_type type = type_of(v);
    rwl_buf_reset(scratch);
    RWL_TRY(rwl_type_format(&type, scratch, err));
    RWL_TRY(rwl_json_set(json, "type", rwl_json_new_strn((const char *)scratch->data, scratch->len), err));
    if (v->is_null)
        return RWL_OK;
    rwl_buf_reset(scratch);
    RWL_TRY(rwl_value_encode(v, scratch, err));
    size_t len = scratch->len;
    RWL_TRY(rwl_buf_reserve(scratch, 2 * len, err)); /* so that the bytes stay where they are */
    RWL_TRY(rwl_buf_hex(scratch, rwl_span_of(scratch->data, len), err));
    const char *digits = len > 0 ? (const char *)scratch->data + len : "";
    return rwl_json_set(json, "bytes", rwl_json_new_strn(digits, 2 * len), err);
}

static rwl_status value_to_json(const rwl_value *v, rwl_json *list, rwl_error *err) {
    rwl_env env; /* JSON comes from the process's allocator whatever the environment, so this may as well */
    rwl_env_init_default(&env);
    rwl_buf scratch;
    rwl_buf_init(&scratch, &env, SIZE_MAX);
    rwl_json *json = rwl_json_new_object();
    rwl_status st = set_value(json, v, &scratch, err);
    if (st == RWL_OK)
        st = rwl_json_append(list, rwl_json_ref(json), err);
    rwl_json_free(json);
    rwl_buf_clear(&scratch);
    return st;
}

static int digit_value(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static rwl_status read_hex(const char *text, rwl_arena *arena, rwl_span *out, rwl_error *err) {
    size_t len = strlen(text) / 2;
    uint8_t *bytes = rwl_arena_alloc(arena, len + 1);
    if (bytes == NULL)
        return rwl_no_memory(err, len + 1);
    for (size_t i = 0; i < len; i++) {
        int high = digit_value(text[2 * i]), low = digit_value(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return rwl_fail(err, RWL_CORRUPT, "\"bytes\" of a value are no hexadecimal digits");
        bytes[i] = (uint8_t)(high * 16 + low);
    }
    *out = rwl_span_of(bytes, len);
    return strlen(text) % 2 == 0 ? (rwl_status)RWL_OK
                                 : rwl_fail(err, RWL_CORRUPT, "\"bytes\" of a value end within a byte");
}

static rwl_status value_from_json(const rwl_json *json, rwl_arena *arena, rwl_value *out, rwl_error *err) {
    const char *name, *digits;
    rwl_type type;
    RWL_TRY(rwl_json_need_str(json, "type", &name, err));
    RWL_TRY(rwl_json_opt_str(json, "bytes", &digits, err));
    if (!rwl_type_parse(name, arena, &type))
        return rwl_fail(err, RWL_CORRUPT, "no type %s of a partition value", name);
    *out = rwl_value_null(type.kind);
    if (digits == NULL)
        return RWL_OK;
    rwl_span bytes;
    RWL_TRY(read_hex(digits, arena, &bytes, err));
    return rwl_value_decode(&type, bytes, out, err);
}

/* --- writing --- */

static rwl_status set_text(rwl_json *json, const char *key, const char *text, rwl_error *err) {
    return text != NULL ? rwl_json_set(json, key, rwl_json_new_str(text), err) : (rwl_status)RWL_OK;
}

static rwl_status set_number(rwl_json *json, const char *key, bool present, int64_t value, rwl_error *err) {
    return present ? rwl_json_set(json, key, rwl_json_new_i64(value), err) : (rwl_status)RWL_OK;
}

static rwl_status set_ids(rwl_json *json, const rwl_delete_ref *d, rwl_error *err) {
    if (d->equality_count == 0)
        return RWL_OK;
    rwl_json *ids = rwl_json_new_array();
    RWL_TRY(rwl_json_set(json, "equality_ids", ids, err));
    for (int32_t i = 0; i < d->equality_count; i++)
        RWL_TRY(rwl_json_append(ids, rwl_json_new_i64(d->equality_ids[i]), err));
    return RWL_OK;
}

static rwl_status delete_to_json(const rwl_delete_ref *d, rwl_json *list, rwl_error *err) {
    rwl_json *json = rwl_json_new_object();
    RWL_TRY(rwl_json_append(list, json, err));
    RWL_TRY(set_text(json, "kind", DELETE_KINDS[d->kind], err));
    RWL_TRY(set_text(json, "file_path", d->location, err));
    RWL_TRY(set_text(json, "file_format", d->format, err));
    RWL_TRY(set_number(json, "file_size_in_bytes", true, d->file_size, err));
    RWL_TRY(set_number(json, "record_count", true, d->row_count, err));
    RWL_TRY(set_number(json, "data_sequence_number", true, d->sequence_number, err));
    RWL_TRY(rwl_json_set(json, "file_scoped", rwl_json_new_bool(d->file_scoped), err));
    RWL_TRY(set_number(json, "content_offset", d->kind == RWL_DELETE_VECTOR, d->offset, err));
    RWL_TRY(set_number(json, "content_size_in_bytes", d->kind == RWL_DELETE_VECTOR, d->length, err));
    return set_ids(json, d, err);
}

static rwl_status fill_json(const rwl_fragment *f, rwl_json *json, rwl_error *err) {
    RWL_TRY(set_text(json, "file_path", f->location, err));
    RWL_TRY(set_text(json, "file_format", f->format, err));
    RWL_TRY(set_number(json, "file_size_in_bytes", true, f->file_size, err));
    RWL_TRY(set_number(json, "record_count", true, f->row_count, err));
    RWL_TRY(set_number(json, "spec_id", true, f->spec_id, err));
    rwl_json *partition = rwl_json_new_array();
    RWL_TRY(rwl_json_set(json, "partition", partition, err));
    for (int32_t i = 0; i < f->partition_count; i++)
        RWL_TRY(value_to_json(&f->partition[i], partition, err));
    RWL_TRY(set_number(json, "sort_order_id", f->sort_order_id >= 0, f->sort_order_id, err));
    RWL_TRY(set_number(json, "first_row_id", f->lineage.has_first_row_id, f->lineage.first_row_id, err));
    RWL_TRY(set_number(json, "data_sequence_number", true, f->lineage.sequence_number, err));
    RWL_TRY(set_number(json, "file_sequence_number", true, f->file_sequence_number, err));
    RWL_TRY(rwl_json_set(json, "must_match", rwl_json_new_bool(f->must_match), err));
    rwl_json *deletes = rwl_json_new_array();
    RWL_TRY(rwl_json_set(json, "deletes", deletes, err));
    for (int32_t i = 0; i < f->delete_count; i++)
        RWL_TRY(delete_to_json(&f->deletes[i], deletes, err));
    return RWL_OK;
}

rwl_status rwl_fragment_to_json(const rwl_fragment *fragment, rwl_json **out, rwl_error *err) {
    *out = rwl_json_new_object();
    if (*out == NULL)
        return rwl_no_memory(err, sizeof *fragment);
    rwl_status st = fill_json(fragment, *out, err);
    if (st == RWL_OK)
        return RWL_OK;
    rwl_json_free(*out);
    *out = NULL;
    return st;
}

/* --- reading --- */

static rwl_status need_text(const rwl_json *json, const char *key, rwl_arena *arena, const char **out,
                            rwl_error *err) {
    const char *text;
    RWL_TRY(rwl_json_need_str(json, key, &text, err));
    *out = rwl_arena_strdup(arena, text);
    return *out != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, strlen(text) + 1);
}

static rwl_status need_size(const rwl_json *json, const char *key, int64_t *out, rwl_error *err) {
    RWL_TRY(rwl_json_need_i64(json, key, out, err));
    return *out >= 0 ? (rwl_status)RWL_OK
                     : rwl_fail(err, RWL_CORRUPT, "\"%s\" is %" PRId64 ", below 0", key, *out);
}

static bool is_true(const rwl_json *json, const char *key) {
    const rwl_json *value = rwl_json_get(json, key);
    return value != NULL && rwl_json_kind_of(value) == RWL_JSON_BOOL && rwl_json_bool(value);
}

/* A list under `key` and room for its items, `size` bytes each. */
static rwl_status need_list(const rwl_json *json, const char *key, size_t most, rwl_arena *arena, size_t size,
                            rwl_json **list, void **items, rwl_error *err) {
    RWL_TRY(rwl_json_need_array(json, key, list, err));
    size_t count = rwl_json_len(*list);
    if (count > most)
        return rwl_fail(err, RWL_UNSUPPORTED, "\"%s\" has %zu items, more than %zu", key, count, most);
    *items = rwl_arena_array(arena, count, size);
    return *items != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, count * size);
}

static rwl_status read_ids(const rwl_json *json, rwl_arena *arena, rwl_delete_ref *out, rwl_error *err) {
    rwl_json *list;
    void *items;
    RWL_TRY(need_list(json, "equality_ids", IDS_MAX, arena, sizeof(int32_t), &list, &items, err));
    int32_t *ids = items, count = (int32_t)rwl_json_len(list);
    for (int32_t i = 0; i < count; i++) {
        int64_t id = rwl_json_i64(rwl_json_at(list, (size_t)i));
        if (id <= (i > 0 ? ids[i - 1] : 0) || id > INT32_MAX)
            return rwl_fail(err, RWL_CORRUPT, "\"equality_ids\" are no rising field ids");
        ids[i] = (int32_t)id;
    }
    out->equality_ids = ids;
    out->equality_count = count;
    return count > 0 ? (rwl_status)RWL_OK
                     : rwl_fail(err, RWL_CORRUPT, "\"equality_ids\" of an equality delete are empty");
}

static rwl_status read_kind(const rwl_json *json, rwl_delete_kind *out, rwl_error *err) {
    const char *kind;
    RWL_TRY(rwl_json_need_str(json, "kind", &kind, err));
    for (int i = 0; i < 3; i++)
        if (strcmp(kind, DELETE_KINDS[i]) == 0) {
            *out = (rwl_delete_kind)i;
            return RWL_OK;
        }
    return rwl_fail(err, RWL_CORRUPT, "\"kind\" of a delete is %s", kind);
}

static rwl_status delete_from_json(const rwl_json *json, rwl_arena *arena, rwl_delete_ref *out,
                                   rwl_error *err) {
    memset(out, 0, sizeof *out);
    out->offset = out->length = -1;
    RWL_TRY(read_kind(json, &out->kind, err));
    RWL_TRY(need_text(json, "file_path", arena, &out->location, err));
    if (out->kind != RWL_DELETE_VECTOR || rwl_json_get(json, "file_format") != NULL)
        RWL_TRY(need_text(json, "file_format", arena, &out->format, err));
    RWL_TRY(need_size(json, "file_size_in_bytes", &out->file_size, err));
    RWL_TRY(need_size(json, "record_count", &out->row_count, err));
    RWL_TRY(need_size(json, "data_sequence_number", &out->sequence_number, err));
    out->file_scoped = is_true(json, "file_scoped");
    if (out->kind == RWL_DELETE_EQUALITY)
        return read_ids(json, arena, out, err);
    if (out->kind == RWL_DELETE_POSITIONS)
        return RWL_OK;
    RWL_TRY(need_size(json, "content_offset", &out->offset, err));
    return need_size(json, "content_size_in_bytes", &out->length, err);
}

static rwl_status read_partition(const rwl_json *json, rwl_arena *arena, rwl_fragment *out, rwl_error *err) {
    rwl_json *list;
    void *items;
    RWL_TRY(need_list(json, "partition", VALUES_MAX, arena, sizeof(rwl_value), &list, &items, err));
    rwl_value *values = items;
    out->partition = values;
    out->partition_count = (int32_t)rwl_json_len(list);
    for (int32_t i = 0; i < out->partition_count; i++)
        RWL_TRY(value_from_json(rwl_json_at(list, (size_t)i), arena, &values[i], err));
    return RWL_OK;
}

static rwl_status read_deletes(const rwl_json *json, rwl_arena *arena, rwl_fragment *out, rwl_error *err) {
    rwl_json *list;
    void *items;
    RWL_TRY(need_list(json, "deletes", DELETES_MAX, arena, sizeof(rwl_delete_ref), &list, &items, err));
    rwl_delete_ref *deletes = items;
    out->deletes = deletes;
    out->delete_count = (int32_t)rwl_json_len(list);
    for (int32_t i = 0; i < out->delete_count; i++)
        RWL_TRY(delete_from_json(rwl_json_at(list, (size_t)i), arena, &deletes[i], err));
    return RWL_OK;
}

rwl_status rwl_fragment_from_json(const rwl_json *json, rwl_arena *arena, rwl_fragment *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    RWL_TRY(need_text(json, "file_path", arena, &out->location, err));
    RWL_TRY(need_text(json, "file_format", arena, &out->format, err));
    RWL_TRY(need_size(json, "file_size_in_bytes", &out->file_size, err));
    RWL_TRY(need_size(json, "record_count", &out->row_count, err));
    RWL_TRY(rwl_json_need_i32(json, "spec_id", &out->spec_id, err));
    out->sort_order_id = -1;
    RWL_TRY(rwl_json_opt_i32(json, "sort_order_id", NULL, &out->sort_order_id, err));
    RWL_TRY(rwl_json_opt_i64(json, "first_row_id", &out->lineage.has_first_row_id, &out->lineage.first_row_id,
                             err));
    if (out->lineage.has_first_row_id && out->lineage.first_row_id < 0)
        return rwl_fail(err, RWL_CORRUPT, "\"first_row_id\" is %" PRId64 ", below 0",
                        out->lineage.first_row_id);
    RWL_TRY(need_size(json, "data_sequence_number", &out->lineage.sequence_number, err));
    RWL_TRY(need_size(json, "file_sequence_number", &out->file_sequence_number, err));
    out->must_match = is_true(json, "must_match");
    RWL_TRY(read_partition(json, arena, out, err));
    return read_deletes(json, arena, out, err);
}
