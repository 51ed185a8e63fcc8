/* SPDX-License-Identifier: Apache-2.0 */
/* Batches to and from ArrowArray: buffers move out, and are copied in. */
#include "column/arrow_internal.h"

/* Stands for buffers that hold nothing: readers may look at the first offset of an empty array. */
static const _Alignas(64) uint8_t NOTHING[64];

/* --- export --- */

typedef struct exported_column {
    const rwl_env *env;
    rwl_column column; /* its buffers */
    const void *buffers[3];
} exported_column;

typedef struct exported_batch {
    const rwl_env *env;
    const void *buffers[1]; /* the struct's validity: none */
    struct ArrowArray **children;
    struct ArrowArray *structs;
} exported_batch;

static void release_column(struct ArrowArray *array) {
    exported_column *owner = array->private_data;
    rwl_column_clear(&owner->column, owner->env);
    rwl_free(owner->env, owner);
    array->release = NULL;
}

static void release_batch(struct ArrowArray *array) {
    exported_batch *owner = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) {
        struct ArrowArray *child = array->children[i];
        if (child->release != NULL)
            child->release(child);
    }
    rwl_free(owner->env, owner->children);
    rwl_free(owner->env, owner->structs);
    rwl_free(owner->env, owner);
    array->release = NULL;
}

static const void *or_nothing(const uint8_t *data) {
    return data != NULL ? data : NOTHING;
}

/* Moves the column's buffers into `out`; `owner` was allocated before, so nothing fails here. */
static void export_column(rwl_column *column, const rwl_env *env, exported_column *owner,
                          struct ArrowArray *out) {
    owner->env = env;
    rwl_column_init_flat(&owner->column, &column->type);
    rwl_column_swap(&owner->column, column);
    const rwl_column *c = &owner->column;
    memset(out, 0, sizeof *out);
    out->length = c->length;
    out->null_count = c->null_count;
    out->buffers = owner->buffers;
    out->private_data = owner;
    out->release = release_column;
    if (c->type.kind == RWL_TYPE_UNKNOWN)
        return;
    owner->buffers[0] = c->null_count > 0 ? c->validity.data : NULL;
    if (rwl_type_is_bytes(&c->type)) {
        owner->buffers[1] = or_nothing(c->offsets.data);
        owner->buffers[2] = or_nothing(c->values.data);
        out->n_buffers = 3;
    } else {
        owner->buffers[1] = or_nothing(c->values.data);
        out->n_buffers = 2;
    }
}

static void free_owners(const rwl_env *env, exported_column **owners, size_t count) {
    for (size_t i = 0; owners != NULL && i < count; i++)
        rwl_free(env, owners[i]);
    rwl_free(env, owners);
}

/* Everything that can fail, so that a failed export leaves the batch as it was. */
static bool allocate_export(const rwl_env *env, size_t n, exported_batch **batch, exported_column ***owners) {
    *batch = rwl_calloc(env, 1, sizeof **batch);
    *owners = rwl_calloc(env, n + 1, sizeof **owners);
    if (*batch == NULL || *owners == NULL)
        return false;
    (*batch)->children = rwl_calloc(env, n + 1, sizeof *(*batch)->children);
    (*batch)->structs = rwl_calloc(env, n + 1, sizeof *(*batch)->structs);
    if ((*batch)->children == NULL || (*batch)->structs == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        (*owners)[i] = rwl_calloc(env, 1, sizeof *(*owners)[i]);
        if ((*owners)[i] == NULL)
            return false;
    }
    return true;
}

rwl_status rwl_arrow_export_batch(rwl_batch *batch, struct ArrowArray *out, rwl_error *err) {
    const rwl_env *env = batch->env;
    size_t n = (size_t)batch->column_count;
    exported_batch *top = NULL;
    exported_column **owners = NULL;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < n; i++) {
        rwl_type_kind kind = batch->columns[i].type.kind;
        if (batch->columns[i].length != batch->length || kind > RWL_TYPE_BINARY)
            return rwl_fail(err, kind > RWL_TYPE_BINARY ? RWL_UNSUPPORTED : RWL_INTERNAL,
                            "column %zu of kind %d with %lld rows in a batch of %lld", i, (int)kind,
                            (long long)batch->columns[i].length, (long long)batch->length);
    }
    if (!allocate_export(env, n, &top, &owners)) {
        if (top != NULL) {
            rwl_free(env, top->children);
            rwl_free(env, top->structs);
        }
        rwl_free(env, top);
        free_owners(env, owners, n);
        return rwl_no_memory(err, n * sizeof(exported_column));
    }
    top->env = env;
    for (size_t i = 0; i < n; i++) {
        top->children[i] = &top->structs[i];
        export_column(&batch->columns[i], env, owners[i], top->children[i]);
    }
    rwl_free(env, owners);
    out->length = batch->length;
    out->n_buffers = 1;
    out->buffers = top->buffers;
    out->n_children = (int64_t)n;
    out->children = top->children;
    out->private_data = top;
    out->release = release_batch;
    batch->length = 0;
    return RWL_OK;
}

rwl_value rwl_arrow_cell(const rwl_type *type, const struct ArrowArray *child, int64_t row) {
    row += child->offset;
    if (child->n_buffers < 2)
        return rwl_value_null(type->kind);
    const uint8_t *validity = child->buffers[0];
    if (validity != NULL && !rwl_bit_get(validity, row))
        return rwl_value_null(type->kind);
    /* a column that looks at the array's buffers, never written or cleared; cap 0 says not ours */
    union {
        const void *in;
        uint8_t *out;
    } values = {child->buffers[child->n_buffers - 1]}, offsets = {child->buffers[1]};
    rwl_column view;
    rwl_column_init_flat(&view, type);
    view.values.data = values.out;
    view.offsets.data = offsets.out;
    return rwl_column_value(&view, row);
}

/* --- import --- */

/* One child array as it is read: rows first .. first + count - 1. */
typedef struct source_column {
    char format; /* the first letter of the schema's */
    const struct ArrowArray *array;
    int64_t first, count;
    int64_t nulls;
    const uint8_t *validity; /* NULL: no nulls among these rows */
    int32_t index;           /* for messages */
} source_column;

static rwl_status fail_column(const source_column *s, const char *what, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "arrow array: column %d: %s", s->index, what);
}

static bool is_valid(const source_column *s, int64_t i) {
    return s->validity == NULL || rwl_bit_get(s->validity, s->first + i);
}

static rwl_status open_source(const struct ArrowSchema *schema, const struct ArrowArray *array,
                              int64_t parent_off, int64_t count, const rwl_type *type, source_column *s,
                              rwl_error *err) {
    s->format = schema->format[0];
    s->array = array;
    if (array == NULL || array->release == NULL)
        return fail_column(s, "released or missing", err);
    if (array->offset < 0 || array->offset > INT64_MAX - INT32_MAX || array->length < parent_off ||
        array->length - parent_off < count)
        return fail_column(s, "shorter than the struct", err);
    s->first = array->offset + parent_off;
    s->count = count;
    s->nulls = 0;
    s->validity = NULL;
    if (type->kind == RWL_TYPE_UNKNOWN)
        return RWL_OK;
    int64_t buffers = rwl_type_is_bytes(type) ? 3 : 2;
    if (array->n_buffers != buffers || array->buffers == NULL)
        return fail_column(s, "wrong number of buffers", err);
    if (array->dictionary != NULL)
        return fail_column(s, "dictionary that the schema does not have", err);
    if (count > 0 && array->buffers[1] == NULL)
        return fail_column(s, "a buffer is missing", err);
    if (array->null_count != 0 && array->buffers[0] != NULL && count > 0) {
        s->nulls = count - rwl_bits_count(array->buffers[0], s->first, count);
        s->validity = s->nulls > 0 ? array->buffers[0] : NULL;
    } else if (array->null_count > 0 && array->buffers[0] == NULL) {
        return fail_column(s, "nulls without a validity buffer", err);
    }
    return RWL_OK;
}

/* Offsets relative to the first, of rows first .. first + count; checked to ascend. 32 or 64 bits. */
static rwl_status read_offsets(const source_column *s, bool wide, int32_t *to, int64_t *start,
                               rwl_error *err) {
    const int32_t *narrow_from = (const int32_t *)s->array->buffers[1] + s->first;
    const int64_t *wide_from = (const int64_t *)s->array->buffers[1] + s->first;
    int64_t base = wide ? wide_from[0] : narrow_from[0];
    int64_t last = base;
    if (base < 0)
        return fail_column(s, "negative offset", err);
    for (int64_t i = 0; i <= s->count; i++) {
        int64_t at = wide ? wide_from[i] : narrow_from[i];
        if (at < last)
            return fail_column(s, "offsets descend", err);
        if (at - base > (int64_t)RWL_COLUMN_BYTES_MAX)
            return rwl_fail(err, RWL_UNSUPPORTED, "arrow array: column %d has more than %zu bytes", s->index,
                            RWL_COLUMN_BYTES_MAX);
        to[i] = (int32_t)(at - base);
        last = at;
    }
    *start = base;
    return RWL_OK;
}

/* Takes the bytes of null rows out: ours hold none. */
static void drop_null_bytes(const source_column *s, rwl_column *c) {
    int32_t *offsets = (int32_t *)(void *)c->offsets.data;
    int32_t end = 0;
    int32_t from = 0;
    for (int64_t i = 0; i < s->count; i++) {
        int32_t len = offsets[i + 1] - from;
        int32_t next = offsets[i + 1];
        if (is_valid(s, i) && len > 0) {
            memmove(c->values.data + end, c->values.data + from, (size_t)len);
            end += len;
        }
        offsets[i + 1] = end;
        from = next;
    }
}

static rwl_status import_bytes(const source_column *s, rwl_column *c, const rwl_env *env, rwl_error *err) {
    if (s->count == 0)
        return RWL_OK;
    bool wide = s->format == 'U' || s->format == 'Z';
    int64_t start = 0;
    RWL_TRY(rwl_column_reserve(c, env, s->count, 0, err));
    RWL_TRY(read_offsets(s, wide, (int32_t *)(void *)c->offsets.data, &start, err));
    size_t len = (size_t)rwl_column_offsets(c)[s->count];
    RWL_TRY(rwl_column_reserve(c, env, s->count, len, err));
    if (len > 0) {
        if (s->array->buffers[2] == NULL)
            return fail_column(s, "a buffer is missing", err);
        memcpy(c->values.data, (const uint8_t *)s->array->buffers[2] + start, len);
    }
    c->length = s->count;
    if (s->nulls > 0)
        drop_null_bytes(s, c);
    c->bytes_len = (size_t)rwl_column_offsets(c)[s->count];
    return RWL_OK;
}

#define WIDEN(from_type, to_type)                                                                            \
    do {                                                                                                     \
        const from_type *from = (const from_type *)s->array->buffers[1] + s->first;                          \
        to_type *to = (to_type *)(void *)c->values.data;                                                     \
        for (int64_t i = 0; i < s->count; i++)                                                               \
            to[i] = (to_type)from[i];                                                                        \
    } while (0)

static void import_numbers(const source_column *s, rwl_column *c, size_t width) {
    switch (s->format) {
    case 'c':
        WIDEN(int8_t, int32_t);
        break;
    case 'C':
        WIDEN(uint8_t, int32_t);
        break;
    case 's':
        WIDEN(int16_t, int32_t);
        break;
    case 'S':
        WIDEN(uint16_t, int32_t);
        break;
    case 'I':
        WIDEN(uint32_t, int64_t);
        break;
    default:
        memcpy(c->values.data, (const uint8_t *)s->array->buffers[1] + (size_t)s->first * width,
               (size_t)s->count * width);
        break;
    }
    for (int64_t i = 0; s->nulls > 0 && i < s->count; i++) {
        if (!is_valid(s, i))
            memset(c->values.data + (size_t)i * width, 0, width);
    }
}

static rwl_status import_column(const source_column *s, rwl_column *c, const rwl_env *env, rwl_error *err) {
    rwl_column_reset(c);
    if (c->type.kind == RWL_TYPE_UNKNOWN) {
        rwl_value null = rwl_value_null(RWL_TYPE_UNKNOWN);
        return rwl_column_append(c, env, &null, s->count, err);
    }
    if (rwl_type_is_bytes(&c->type)) {
        RWL_TRY(import_bytes(s, c, env, err));
    } else {
        RWL_TRY(rwl_column_reserve(c, env, s->count, 0, err));
        if (s->count == 0)
            return RWL_OK;
        if (c->type.kind == RWL_TYPE_BOOLEAN)
            rwl_bits_copy(c->values.data, 0, s->array->buffers[1], s->first, s->count);
        else
            import_numbers(s, c, (size_t)rwl_type_width(&c->type));
    }
    if (s->nulls > 0) {
        RWL_TRY(rwl_column_need_validity(c, env, s->count, err));
        rwl_bits_copy(c->validity.data, 0, s->validity, s->first, s->count);
    }
    c->length = s->count;
    c->null_count = s->nulls;
    return RWL_OK;
}

static rwl_status check_struct(const struct ArrowSchema *schema, const struct ArrowArray *array,
                               const rwl_batch *out, rwl_error *err) {
    if (array->release == NULL)
        return rwl_fail(err, RWL_CORRUPT, "arrow array was released");
    if (array->n_children != out->column_count || schema->n_children != out->column_count)
        return rwl_fail(err, RWL_CORRUPT, "arrow array with %lld columns, schema with %d",
                        (long long)array->n_children, out->column_count);
    if (array->length < 0 || array->length >= INT32_MAX || array->offset < 0 || array->offset > INT32_MAX ||
        (array->n_children > 0 && array->children == NULL))
        return rwl_fail(err, RWL_CORRUPT, "arrow array of %lld rows at offset %lld", (long long)array->length,
                        (long long)array->offset);
    const uint8_t *validity = array->n_buffers > 0 && array->buffers != NULL ? array->buffers[0] : NULL;
    if (array->null_count != 0 && validity != NULL && array->length > 0 &&
        rwl_bits_count(validity, array->offset, array->length) != array->length)
        return rwl_fail(err, RWL_UNSUPPORTED, "arrow array with rows that are null as a whole");
    return RWL_OK;
}

rwl_status rwl_arrow_import_batch(const struct ArrowSchema *schema, const struct ArrowArray *array,
                                  rwl_batch *out, rwl_error *err) {
    rwl_batch_reset(out);
    RWL_TRY(check_struct(schema, array, out, err));
    for (int32_t i = 0; i < out->column_count; i++) {
        source_column s = {.index = i};
        rwl_column *c = &out->columns[i];
        RWL_TRY(open_source(schema->children[i], array->children[i], array->offset, array->length, &c->type,
                            &s, err));
        RWL_TRY(import_column(&s, c, out->env, err));
        rwl_status st = rwl_column_check_values(c, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "arrow array: column %d", i);
    }
    out->length = array->length;
    return RWL_OK;
}
