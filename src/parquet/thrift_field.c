/* SPDX-License-Identifier: Apache-2.0 */
/* Thrift fields of known types. */
#include "parquet/thrift_field.h"

rwl_status rwl_parquet_field_type(const rwl_cursor *c, rwl_thrift_field field, rwl_thrift_type want,
                                  rwl_error *err) {
    if (field.type == want)
        return RWL_OK;
    return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos, "field %d has thrift type %d instead of %d",
                       field.id, (int)field.type, (int)want);
}

rwl_status rwl_parquet_field_i32(rwl_cursor *c, rwl_thrift_field field, int32_t *out, rwl_error *err) {
    RWL_TRY(rwl_parquet_field_type(c, field, RWL_THRIFT_I32, err));
    return rwl_thrift_i32(c, out, err);
}

rwl_status rwl_parquet_field_i64(rwl_cursor *c, rwl_thrift_field field, int64_t *out, rwl_error *err) {
    RWL_TRY(rwl_parquet_field_type(c, field, RWL_THRIFT_I64, err));
    return rwl_thrift_i64(c, out, err);
}

rwl_status rwl_parquet_field_bool(const rwl_cursor *c, rwl_thrift_field field, bool *out, rwl_error *err) {
    *out = field.type == RWL_THRIFT_TRUE;
    return *out ? RWL_OK : rwl_parquet_field_type(c, field, RWL_THRIFT_FALSE, err);
}

rwl_status rwl_parquet_field_binary(rwl_cursor *c, rwl_thrift_field field, rwl_span *out, rwl_error *err) {
    RWL_TRY(rwl_parquet_field_type(c, field, RWL_THRIFT_BINARY, err));
    return rwl_thrift_binary(c, out, err);
}

rwl_status rwl_parquet_field_text(rwl_cursor *c, rwl_thrift_field field, rwl_arena *arena, const char **out,
                                  rwl_error *err) {
    rwl_span bytes;
    RWL_TRY(rwl_parquet_field_binary(c, field, &bytes, err));
    if (bytes.len > 0 && memchr(bytes.data, 0, bytes.len))
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos, "text with a zero byte");
    char *text = rwl_arena_strndup(arena, (const char *)bytes.data, bytes.len);
    if (!text)
        return rwl_no_memory(err, bytes.len);
    *out = text;
    return RWL_OK;
}

rwl_status rwl_parquet_field_list(rwl_cursor *c, rwl_thrift_field field, rwl_thrift_type item,
                                  size_t item_min, uint32_t *count, rwl_error *err) {
    rwl_thrift_type type;
    RWL_TRY(rwl_parquet_field_type(c, field, RWL_THRIFT_LIST, err));
    RWL_TRY(rwl_thrift_list(c, &type, count, err));
    if (*count > 0 && type != item)
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos, "list of thrift type %d instead of %d",
                           (int)type, (int)item);
    if (*count > rwl_cursor_left(c) / item_min)
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos, "list of %u items in %zu bytes", *count,
                           rwl_cursor_left(c));
    return RWL_OK;
}

rwl_status rwl_parquet_field_struct(rwl_cursor *c, rwl_thrift_field field, rwl_thrift_reader read, void *ctx,
                                    rwl_error *err) {
    RWL_TRY(rwl_parquet_field_type(c, field, RWL_THRIFT_STRUCT, err));
    return rwl_thrift_struct(c, read, ctx, err);
}

typedef struct target_list {
    const rwl_parquet_target *items;
    size_t count;
} target_list;

static rwl_status read_target(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    const target_list *list = ctx;
    for (size_t i = 0; i < list->count; i++) {
        const rwl_parquet_target *t = &list->items[i];
        if (t->id != f.id)
            continue;
        return t->i32    ? rwl_parquet_field_i32(c, f, t->i32, err)
               : t->i64  ? rwl_parquet_field_i64(c, f, t->i64, err)
               : t->flag ? rwl_parquet_field_bool(c, f, t->flag, err)
                         : rwl_parquet_field_binary(c, f, t->bytes, err);
    }
    return rwl_thrift_skip(c, f.type, err);
}

rwl_status rwl_parquet_fields_read(rwl_cursor *c, const rwl_parquet_target *targets, size_t count,
                                   rwl_error *err) {
    target_list list = {targets, count};
    return rwl_thrift_struct(c, read_target, &list, err);
}
