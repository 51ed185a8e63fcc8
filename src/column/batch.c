/* SPDX-License-Identifier: Apache-2.0 */
/* Columns and batches: buffers, growth, appending, reading one value. */
#include "column/batch.h"

#include "column/bits.h"

enum { ALIGNMENT = 64 };

/* --- buffers --- */

/* Capacity of at least `need` bytes; old bytes kept, new ones zero. */
static rwl_status grow_buffer(rwl_buffer *b, const rwl_env *env, size_t need, rwl_error *err) {
    if (need <= b->cap)
        return RWL_OK;
    size_t cap = b->cap + b->cap / 2;
    if (cap < need)
        cap = need;
    if (cap > SIZE_MAX / 2)
        return rwl_no_memory(err, need);
    cap = (cap + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    uint8_t *data = env->alloc_aligned(env->ctx, ALIGNMENT, cap);
    if (data == NULL)
        return rwl_no_memory(err, cap);
    if (b->cap > 0) {
        memcpy(data, b->data, b->cap);
        env->free_aligned(env->ctx, b->data);
    }
    memset(data + b->cap, 0, cap - b->cap);
    b->data = data;
    b->cap = cap;
    return RWL_OK;
}

static void clear_buffer(rwl_buffer *b, const rwl_env *env) {
    if (b->data != NULL)
        env->free_aligned(env->ctx, b->data);
    b->data = NULL;
    b->cap = 0;
}

/* --- columns --- */

void rwl_column_init_flat(rwl_column *column, const rwl_type *type) {
    memset(column, 0, sizeof *column);
    column->type = *type;
}

static rwl_status check_children(const rwl_type *type, rwl_error *err) {
    int32_t want = type->kind == RWL_TYPE_LIST ? 1 : type->kind == RWL_TYPE_MAP ? 2 : type->child_count;
    if (type->child_count != want || want < 0 || (want > 0 && type->children == NULL))
        return rwl_fail(err, RWL_INTERNAL, "a %s type with %d children",
                        type->kind == RWL_TYPE_LIST  ? "list"
                        : type->kind == RWL_TYPE_MAP ? "map"
                                                     : "struct",
                        type->child_count);
    return RWL_OK;
}

static rwl_status init_column(rwl_column *column, const rwl_env *env, const rwl_type *type, int depth,
                              rwl_error *err) {
    rwl_column_init_flat(column, type);
    if (!rwl_type_is_nested(type))
        return RWL_OK;
    RWL_TRY(check_children(type, err));
    if (depth >= RWL_TYPE_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "type nested deeper than %d levels", RWL_TYPE_DEPTH_MAX);
    if (type->child_count == 0)
        return RWL_OK;
    size_t count = (size_t)type->child_count;
    column->children = rwl_calloc(env, count, sizeof *column->children);
    if (column->children == NULL)
        return rwl_no_memory(err, count * sizeof *column->children);
    for (size_t i = 0; i < count; i++)
        RWL_TRY(init_column(&column->children[i], env, &type->children[i].type, depth + 1, err));
    return RWL_OK;
}

rwl_status rwl_column_init(rwl_column *column, const rwl_env *env, const rwl_type *type, rwl_error *err) {
    return init_column(column, env, type, 0, err);
}

void rwl_column_clear(rwl_column *column, const rwl_env *env) {
    clear_buffer(&column->validity, env);
    clear_buffer(&column->values, env);
    clear_buffer(&column->offsets, env);
    if (column->children != NULL) {
        for (int32_t i = 0; i < column->type.child_count; i++)
            rwl_column_clear(&column->children[i], env);
        rwl_free(env, column->children);
        column->children = NULL;
    }
    rwl_column_reset(column);
}

void rwl_column_reset(rwl_column *column) {
    column->length = 0;
    column->null_count = 0;
    column->bytes_len = 0;
    for (int32_t i = 0; column->children != NULL && i < column->type.child_count; i++)
        rwl_column_reset(&column->children[i]);
}

static bool has_elements(const rwl_type *type) {
    return type->kind == RWL_TYPE_LIST || type->kind == RWL_TYPE_MAP;
}

rwl_status rwl_column_reserve(rwl_column *column, const rwl_env *env, int64_t rows, size_t bytes,
                              rwl_error *err) {
    if (rows < 0 || rows >= INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "a batch of %lld rows", (long long)rows);
    size_t n = (size_t)rows;
    if (rwl_type_is_bytes(&column->type)) {
        if (bytes > RWL_COLUMN_BYTES_MAX)
            return rwl_fail(err, RWL_UNSUPPORTED,
                            "%zu bytes of variable-length values in one batch, limit %zu", bytes,
                            RWL_COLUMN_BYTES_MAX);
        RWL_TRY(grow_buffer(&column->offsets, env, (n + 1) * sizeof(int32_t), err));
        RWL_TRY(grow_buffer(&column->values, env, bytes, err));
    } else if (has_elements(&column->type)) {
        RWL_TRY(grow_buffer(&column->offsets, env, (n + 1) * sizeof(int32_t), err));
    } else if (column->type.kind == RWL_TYPE_BOOLEAN) {
        RWL_TRY(grow_buffer(&column->values, env, rwl_bits_bytes(rows), err));
    } else {
        size_t width = (size_t)rwl_type_width(&column->type);
        if (column->type.kind == RWL_TYPE_FIXED && width > 0 && n > RWL_COLUMN_BYTES_MAX / width)
            return rwl_fail(err, RWL_UNSUPPORTED, "%zu values of %zu bytes in one batch, limit %zu bytes", n,
                            width, RWL_COLUMN_BYTES_MAX);
        RWL_TRY(grow_buffer(&column->values, env, n * width, err));
    }
    if (column->validity.cap > 0)
        RWL_TRY(grow_buffer(&column->validity, env, rwl_bits_bytes(rows), err));
    return RWL_OK;
}

rwl_status rwl_column_need_validity(rwl_column *column, const rwl_env *env, int64_t rows, rwl_error *err) {
    if (rows < column->length)
        rows = column->length;
    RWL_TRY(grow_buffer(&column->validity, env, rwl_bits_bytes(rows > 0 ? rows : 1), err));
    if (column->null_count == 0)
        rwl_bits_fill(column->validity.data, 0, column->length, true);
    return RWL_OK;
}

/* --- appending one value many times --- */

/* Doubles what is there until `count` items are, so that memcpy does the work. */
static void fill_items(uint8_t *to, const void *item, size_t width, size_t count) {
    if (count == 0 || width == 0)
        return;
    memcpy(to, item, width);
    size_t done = width;
    size_t total = width * count;
    while (done < total) {
        size_t step = done < total - done ? done : total - done;
        memcpy(to + done, to, step);
        done += step;
    }
}

static rwl_status append_bytes(rwl_column *c, const rwl_env *env, rwl_span bytes, int64_t count,
                               rwl_error *err) {
    size_t n = (size_t)count;
    if (bytes.len > 0 && n > (RWL_COLUMN_BYTES_MAX - c->bytes_len) / bytes.len)
        return rwl_fail(err, RWL_UNSUPPORTED, "%zu values of %zu bytes do not fit one batch", n, bytes.len);
    RWL_TRY(rwl_column_reserve(c, env, c->length + count, c->bytes_len + n * bytes.len, err));
    if (bytes.len > 0)
        fill_items(c->values.data + c->bytes_len, bytes.data, bytes.len, n);
    int32_t *offsets = (int32_t *)(void *)c->offsets.data;
    int32_t end = (int32_t)c->bytes_len;
    for (int64_t i = 0; i < count; i++) {
        end += (int32_t)bytes.len;
        offsets[c->length + 1 + i] = end;
    }
    c->bytes_len += n * bytes.len;
    return RWL_OK;
}

/* The value's bytes as they lie in `values`; room holds at least 16 bytes. */
static rwl_span fixed_bytes(const rwl_value *v, uint8_t *room) {
    switch (v->kind) {
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
        return rwl_span_of(&v->as.i32, 4);
    case RWL_TYPE_FLOAT:
        return rwl_span_of(&v->as.f32, 4);
    case RWL_TYPE_DOUBLE:
        return rwl_span_of(&v->as.f64, 8);
    case RWL_TYPE_DECIMAL:
        rwl_i128_store(room, v->as.i128);
        return rwl_span_of(room, 16);
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED:
        return v->as.bytes;
    default:
        return rwl_span_of(&v->as.i64, 8);
    }
}

static rwl_status append_fixed(rwl_column *c, const rwl_env *env, const rwl_value *v, int64_t count,
                               rwl_error *err) {
    size_t width = (size_t)rwl_type_width(&c->type);
    RWL_TRY(rwl_column_reserve(c, env, c->length + count, 0, err));
    uint8_t room[16];
    rwl_span item = fixed_bytes(v, room);
    if (item.len != width)
        return rwl_fail(err, RWL_INTERNAL, "value of %zu bytes in a column of width %zu", item.len, width);
    fill_items(c->values.data + (size_t)c->length * width, item.data, width, (size_t)count);
    return RWL_OK;
}

/* What null rows of a nested column need below it: a null in each child of a struct, no elements. */
static rwl_status append_absent(rwl_column *c, const rwl_env *env, int64_t count, rwl_error *err) {
    RWL_TRY(rwl_column_reserve(c, env, c->length + count, 0, err));
    if (has_elements(&c->type)) {
        int32_t *offsets = (int32_t *)(void *)c->offsets.data;
        for (int64_t i = 0; i < count; i++)
            offsets[c->length + 1 + i] = offsets[c->length];
        return RWL_OK;
    }
    for (int32_t i = 0; i < c->type.child_count; i++) {
        rwl_value null = rwl_value_null(c->children[i].type.kind);
        RWL_TRY(rwl_column_append(&c->children[i], env, &null, count, err));
    }
    return RWL_OK;
}

static rwl_status append_nulls(rwl_column *c, const rwl_env *env, int64_t count, rwl_error *err) {
    int64_t rows = c->length + count;
    RWL_TRY(rwl_column_need_validity(c, env, rows, err));
    if (rwl_type_is_bytes(&c->type)) {
        RWL_TRY(append_bytes(c, env, rwl_span_of(NULL, 0), count, err));
    } else if (rwl_type_is_nested(&c->type)) {
        RWL_TRY(append_absent(c, env, count, err));
    } else {
        RWL_TRY(rwl_column_reserve(c, env, rows, 0, err));
        size_t width = (size_t)rwl_type_width(&c->type);
        if (c->type.kind == RWL_TYPE_BOOLEAN)
            rwl_bits_fill(c->values.data, c->length, count, false);
        else if (width > 0)
            memset(c->values.data + (size_t)c->length * width, 0, (size_t)count * width);
    }
    rwl_bits_fill(c->validity.data, c->length, count, false);
    c->length = rows;
    c->null_count += count;
    return RWL_OK;
}

rwl_status rwl_column_append(rwl_column *column, const rwl_env *env, const rwl_value *v, int64_t count,
                             rwl_error *err) {
    if (count < 0 || count > INT32_MAX - column->length)
        return rwl_fail(err, RWL_UNSUPPORTED, "a batch of more than %d rows", INT32_MAX);
    if (count == 0)
        return RWL_OK;
    if (v->is_null || column->type.kind == RWL_TYPE_UNKNOWN)
        return append_nulls(column, env, count, err);
    if (v->kind != column->type.kind || rwl_type_is_nested(&column->type))
        return rwl_fail(err, RWL_INTERNAL, "value of type kind %d for a column of kind %d", (int)v->kind,
                        (int)column->type.kind);
    if (rwl_type_is_bytes(&column->type)) {
        RWL_TRY(append_bytes(column, env, v->as.bytes, count, err));
    } else if (column->type.kind == RWL_TYPE_BOOLEAN) {
        RWL_TRY(rwl_column_reserve(column, env, column->length + count, 0, err));
        rwl_bits_fill(column->values.data, column->length, count, v->as.b);
    } else {
        RWL_TRY(append_fixed(column, env, v, count, err));
    }
    if (column->null_count > 0) { /* reserve has grown the bitmap */
        rwl_bits_fill(column->validity.data, column->length, count, true);
    }
    column->length += count;
    return RWL_OK;
}

rwl_value rwl_column_value(const rwl_column *c, int64_t i) {
    rwl_value v = rwl_value_null(c->type.kind);
    if (rwl_column_is_null(c, i))
        return v;
    v.is_null = false;
    switch (c->type.kind) {
    case RWL_TYPE_UNKNOWN:
    case RWL_TYPE_STRUCT:
    case RWL_TYPE_LIST:
    case RWL_TYPE_MAP: /* no value of their own */
        v.is_null = true;
        break;
    case RWL_TYPE_BOOLEAN:
        v.as.b = rwl_bit_get(c->values.data, i);
        break;
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
        v.as.i32 = rwl_column_i32(c)[i];
        break;
    case RWL_TYPE_FLOAT:
        v.as.f32 = rwl_column_f32(c)[i];
        break;
    case RWL_TYPE_DOUBLE:
        v.as.f64 = rwl_column_f64(c)[i];
        break;
    case RWL_TYPE_DECIMAL:
        v.as.i128 = rwl_i128_load(c->values.data + i * 16);
        break;
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED: {
        size_t width = (size_t)rwl_type_width(&c->type);
        v.as.bytes = rwl_span_of(c->values.data + (size_t)i * width, width);
        break;
    }
    case RWL_TYPE_STRING:
    case RWL_TYPE_BINARY:
    case RWL_TYPE_VARIANT:
    case RWL_TYPE_GEOMETRY:
    case RWL_TYPE_GEOGRAPHY:
        v.as.bytes = rwl_column_bytes(c, i);
        break;
    default:
        v.as.i64 = rwl_column_i64(c)[i];
        break;
    }
    return v;
}

/* --- batches --- */

rwl_status rwl_batch_init(rwl_batch *batch, const rwl_env *env, const rwl_field *fields, int32_t count,
                          rwl_error *err) {
    memset(batch, 0, sizeof *batch);
    batch->env = env;
    if (count == 0)
        return RWL_OK;
    batch->columns = rwl_calloc(env, (size_t)count, sizeof *batch->columns);
    if (batch->columns == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof *batch->columns);
    batch->column_count = count;
    for (int32_t i = 0; i < count; i++) {
        rwl_status st = rwl_column_init(&batch->columns[i], env, &fields[i].type, err);
        if (st != RWL_OK) {
            rwl_batch_clear(batch);
            return st;
        }
    }
    return RWL_OK;
}

void rwl_batch_clear(rwl_batch *batch) {
    for (int32_t i = 0; i < batch->column_count; i++)
        rwl_column_clear(&batch->columns[i], batch->env);
    if (batch->columns != NULL)
        rwl_free(batch->env, batch->columns);
    batch->columns = NULL;
    batch->column_count = 0;
    batch->length = 0;
}

void rwl_batch_reset(rwl_batch *batch) {
    for (int32_t i = 0; i < batch->column_count; i++)
        rwl_column_reset(&batch->columns[i]);
    batch->length = 0;
}

static size_t column_bytes(const rwl_column *c) {
    size_t total = c->validity.cap + c->values.cap + c->offsets.cap;
    for (int32_t i = 0; c->children != NULL && i < c->type.child_count; i++)
        total += column_bytes(&c->children[i]);
    return total;
}

int64_t rwl_batch_bytes(const rwl_batch *batch) {
    size_t total = 0;
    for (int32_t i = 0; i < batch->column_count; i++)
        total += column_bytes(&batch->columns[i]);
    return (int64_t)total;
}
