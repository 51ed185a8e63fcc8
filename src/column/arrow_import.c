/* SPDX-License-Identifier: Apache-2.0 */
/* Batches from ArrowArray: trees of arrays copied into columns, everything checked that the interface tells. */
#include "column/arrow_import.h"

#include "base/vec.h"
#include "column/variant.h"

#include <stdlib.h>

rwl_status rwl_arrow_fail(const char *what, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "%s", what);
}

static const char *format_of(const rwl_arrow_node *n) {
    return n->schema->format;
}

/* --- opening --- */

/* Buffers that an array of this format has; views have at least so many. */
static int64_t buffers_of(const char *format) {
    if (format[0] == 'n')
        return 0;
    if (format[0] == '+')
        return format[1] == 's' || format[1] == 'w' ? 1 : format[1] == 'v' ? 3 : 2;
    return format[0] == 'u' || format[0] == 'U' || format[0] == 'z' || format[0] == 'Z' || format[0] == 'v'
               ? 3
               : 2;
}

/* Rows parent_off .. parent_off + count - 1 of `array`. */
static rwl_status open_node(const struct ArrowSchema *schema, const struct ArrowArray *array,
                            int64_t parent_off, int64_t count, const rwl_env *env, rwl_arrow_node *n,
                            rwl_error *err) {
    if (array == NULL || array->release == NULL)
        return rwl_arrow_fail("released or missing", err);
    if (array->offset < 0 || array->offset > INT64_MAX / 64 || array->length > INT64_MAX / 64 ||
        array->length < parent_off || array->length - parent_off < count)
        return rwl_arrow_fail("shorter than its parent", err);
    if ((array->dictionary != NULL) != (schema->dictionary != NULL))
        return rwl_arrow_fail("dictionary that the schema does not have, or none", err);
    int64_t buffers = buffers_of(schema->format);
    bool more = schema->format[0] == 'v';
    if (array->n_buffers < buffers || (array->n_buffers > buffers && !more) ||
        (buffers > 0 && array->buffers == NULL))
        return rwl_arrow_fail("wrong number of buffers", err);
    if (count > 0 && buffers > 1 && array->buffers[1] == NULL)
        return rwl_arrow_fail("a buffer is missing", err);
    if (array->null_count > 0 && buffers > 0 && array->buffers[0] == NULL)
        return rwl_arrow_fail("nulls without a validity buffer", err);
    *n = (rwl_arrow_node){env, schema, array, array->offset + parent_off, count};
    return RWL_OK;
}

/* The column's validity and count of nulls: the array's own, and where `mask` has a 0. */
static rwl_status import_validity(const rwl_arrow_node *n, const uint8_t *mask, rwl_column *c,
                                  rwl_error *err) {
    const uint8_t *own = n->array->null_count != 0 && n->array->n_buffers > 0 ? n->array->buffers[0] : NULL;
    if (n->count == 0 || (own == NULL && mask == NULL))
        return RWL_OK;
    RWL_TRY(rwl_column_need_validity(c, n->env, n->count, err));
    uint8_t *bits = c->validity.data;
    if (own != NULL)
        rwl_bits_copy(bits, 0, own, n->first, n->count);
    else
        rwl_bits_fill(bits, 0, n->count, true);
    for (size_t i = 0; mask != NULL && i < rwl_bits_bytes(n->count); i++)
        bits[i] &= mask[i];
    c->null_count = n->count - rwl_bits_count(bits, 0, n->count);
    return RWL_OK;
}

static rwl_status import_node(const rwl_arrow_node *n, const uint8_t *mask, rwl_column *c, rwl_error *err);

static const uint8_t *mask_of(const rwl_column *c) {
    return c->null_count > 0 ? c->validity.data : NULL;
}

/* --- structs --- */

static rwl_status check_children(const rwl_arrow_node *n, int64_t count, rwl_error *err) {
    if (n->schema->n_children != count || n->array->n_children != count ||
        (count > 0 && (n->array->children == NULL || n->schema->children == NULL)))
        return rwl_arrow_fail("wrong number of children", err);
    return RWL_OK;
}

static rwl_status import_child(const rwl_arrow_node *n, int64_t at, rwl_column *parent, rwl_column *c,
                               rwl_error *err) {
    rwl_arrow_node child;
    RWL_TRY(
        open_node(n->schema->children[at], n->array->children[at], n->first, n->count, n->env, &child, err));
    return import_node(&child, mask_of(parent), c, err);
}

static rwl_status import_struct(const rwl_arrow_node *n, rwl_column *c, rwl_error *err) {
    RWL_TRY(check_children(n, c->type.child_count, err));
    RWL_TRY(rwl_column_reserve(c, n->env, n->count, 0, err));
    for (int32_t i = 0; i < c->type.child_count; i++) {
        rwl_status st = import_child(n, i, c, &c->children[i], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "%s", c->type.children[i].name);
    }
    return RWL_OK;
}

/* --- lists and maps --- */

typedef struct element_ranges {
    RWL_VEC(rwl_range) ranges; /* of valid rows, adjacent ones as one */
    int64_t low, high;         /* all of them lie here */
} element_ranges;

/* Elements of row i, by the list's format. */
static rwl_status find_elements(const rwl_arrow_node *n, int64_t i, int64_t *start, int64_t *count,
                                rwl_error *err) {
    const char *format = format_of(n);
    bool view = format[1] == 'v';
    bool wide = (view ? format[2] : format[1]) == 'L';
    int64_t row = n->first + i;
    if (format[1] == 'w') {
        long width = strtol(format + 3, NULL, 10);
        *count = width;
        if (width < 0 || width >= INT32_MAX || row > INT64_MAX / (width + 1))
            return rwl_arrow_fail("a list of a size that cannot be", err);
        *start = row * width;
        return RWL_OK;
    }
    const int32_t *narrow_at = n->array->buffers[1];
    const int64_t *wide_at = n->array->buffers[1];
    *start = wide ? wide_at[row] : narrow_at[row];
    if (view) {
        const int32_t *narrow_sizes = n->array->buffers[2];
        const int64_t *wide_sizes = n->array->buffers[2];
        *count = wide ? wide_sizes[row] : narrow_sizes[row];
    } else {
        int64_t end = wide ? wide_at[row + 1] : narrow_at[row + 1];
        if (end < *start)
            return rwl_arrow_fail("offsets descend", err);
        *count = *start < 0 ? 0 : end - *start;
    }
    if (*start < 0 || *count < 0 || *count > INT64_MAX - *start)
        return rwl_arrow_fail("negative offset", err);
    return RWL_OK;
}

static rwl_status add_range(element_ranges *e, const rwl_env *env, int64_t start, int64_t count,
                            rwl_error *err) {
    if (count == 0)
        return RWL_OK;
    if (e->ranges.len == 0 || start < e->low)
        e->low = start;
    if (e->ranges.len == 0 || start + count > e->high)
        e->high = start + count;
    rwl_range *last = e->ranges.len > 0 ? &e->ranges.items[e->ranges.len - 1] : NULL;
    if (last != NULL && last->start + last->count == start) {
        last->count += count;
        return RWL_OK;
    }
    RWL_TRY(rwl_vec_reserve(&e->ranges, env, 1, err));
    e->ranges.items[e->ranges.len++] = (rwl_range){start, count};
    return RWL_OK;
}

/* Offsets of the column, and which elements they are; null rows have none. */
static rwl_status import_offsets(const rwl_arrow_node *n, rwl_column *c, element_ranges *e, rwl_error *err) {
    RWL_TRY(rwl_column_reserve(c, n->env, n->count, 0, err));
    int32_t *offsets = (int32_t *)(void *)c->offsets.data;
    if (format_of(n)[1] == 'v' && n->array->buffers[2] == NULL && n->count > 0)
        return rwl_arrow_fail("a buffer is missing", err);
    for (int64_t i = 0; i < n->count; i++) {
        int64_t start = 0;
        int64_t count = 0;
        if (c->null_count == 0 || rwl_bit_get(c->validity.data, i))
            RWL_TRY(find_elements(n, i, &start, &count, err));
        if (count >= INT32_MAX - offsets[i])
            return rwl_fail(err, RWL_UNSUPPORTED, "more than %d elements in one batch", INT32_MAX - 1);
        RWL_TRY(add_range(e, n->env, start, count, err));
        offsets[i + 1] = offsets[i] + (int32_t)count;
    }
    return RWL_OK;
}

/* Rows at the ranges of one child into `c`: at once where they lie together, else taken from a copy. */
static rwl_status import_ranges(const struct ArrowSchema *schema, const struct ArrowArray *array,
                                int64_t shift, const element_ranges *e, const rwl_env *env, rwl_column *c,
                                rwl_error *err) {
    rwl_arrow_node n;
    if (e->ranges.len == 0)
        return RWL_OK;
    if (e->high > INT64_MAX - shift)
        return rwl_arrow_fail("shorter than its parent", err);
    RWL_TRY(open_node(schema, array, e->low + shift, e->high - e->low, env, &n, err));
    if (e->ranges.len == 1)
        return import_node(&n, NULL, c, err);
    if (n.count >= INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "more than %d elements in one batch", INT32_MAX - 1);
    rwl_column all;
    rwl_status st = rwl_column_init(&all, env, &c->type, err);
    if (st == RWL_OK)
        st = import_node(&n, NULL, &all, err);
    for (size_t i = 0; i < e->ranges.len; i++)
        e->ranges.items[i].start -= e->low;
    if (st == RWL_OK)
        st = rwl_column_take_ranges(&all, e->ranges.items, e->ranges.len, c, env, err);
    for (size_t i = 0; i < e->ranges.len; i++)
        e->ranges.items[i].start += e->low;
    rwl_column_clear(&all, env);
    return st;
}

static rwl_status import_entries(const rwl_arrow_node *n, const element_ranges *e, rwl_column *c,
                                 rwl_error *err) {
    rwl_arrow_node entries;
    RWL_TRY(open_node(n->schema->children[0], n->array->children[0], e->low, e->high - e->low, n->env,
                      &entries, err));
    RWL_TRY(check_children(&entries, 2, err));
    const uint8_t *validity = entries.array->null_count != 0 ? entries.array->buffers[0] : NULL;
    if (validity != NULL && entries.count > 0 &&
        rwl_bits_count(validity, entries.first, entries.count) != entries.count)
        return rwl_arrow_fail("a map with null entries", err);
    for (int i = 0; i < 2; i++)
        RWL_TRY(import_ranges(entries.schema->children[i], entries.array->children[i], entries.array->offset,
                              e, n->env, &c->children[i], err));
    return c->children[0].null_count > 0 ? rwl_arrow_fail("a map with a null key", err) : RWL_OK;
}

static rwl_status import_list(const rwl_arrow_node *n, rwl_column *c, rwl_error *err) {
    element_ranges e = {{NULL, 0, 0}, 0, 0};
    RWL_TRY(check_children(n, 1, err));
    rwl_status st = import_offsets(n, c, &e, err);
    if (st == RWL_OK && c->type.kind == RWL_TYPE_MAP)
        st = import_entries(n, &e, c, err);
    else if (st == RWL_OK)
        st =
            import_ranges(n->schema->children[0], n->array->children[0], 0, &e, n->env, &c->children[0], err);
    rwl_vec_clear(&e.ranges, n->env);
    return st;
}

/* --- variants --- */

static rwl_status join_variants(const rwl_arrow_node *n, const rwl_column *metadata, const rwl_column *value,
                                rwl_column *c, rwl_error *err) {
    size_t bytes = metadata->bytes_len + value->bytes_len;
    RWL_TRY(rwl_column_reserve(c, n->env, n->count, bytes, err));
    int32_t *offsets = (int32_t *)(void *)c->offsets.data;
    for (int64_t i = 0; i < n->count; i++) {
        if (c->null_count == 0 || rwl_bit_get(c->validity.data, i)) {
            rwl_span parts[2] = {rwl_column_bytes(metadata, i), rwl_column_bytes(value, i)};
            rwl_status st = rwl_variant_check(parts[0], parts[1], err);
            if (st != RWL_OK)
                return rwl_error_in(err, st, "row %lld", (long long)i);
            for (int k = 0; k < 2; k++) {
                memcpy(c->values.data + c->bytes_len, parts[k].data, parts[k].len);
                c->bytes_len += parts[k].len;
            }
        }
        offsets[i + 1] = (int32_t)c->bytes_len;
    }
    return RWL_OK;
}

static rwl_status import_variant(const rwl_arrow_node *n, rwl_column *c, rwl_error *err) {
    static const char *const NAMES[] = {"metadata", "value"};
    rwl_type binary = rwl_type_of(RWL_TYPE_BINARY);
    rwl_column parts[2];
    RWL_TRY(check_children(n, 2, err));
    rwl_status st = RWL_OK;
    for (int i = 0; i < 2; i++) {
        rwl_column_init_flat(&parts[i], &binary);
        int64_t at = rwl_arrow_child_named(n->schema, NAMES[i]);
        if (st == RWL_OK)
            st = at < 0 ? rwl_arrow_fail("a part is missing", err) : import_child(n, at, c, &parts[i], err);
    }
    if (st == RWL_OK)
        st = join_variants(n, &parts[0], &parts[1], c, err);
    rwl_column_clear(&parts[0], n->env);
    rwl_column_clear(&parts[1], n->env);
    return st;
}

/* --- dictionaries --- */

static int64_t index_at(const rwl_arrow_node *n, int64_t i) {
    const void *data = n->array->buffers[1];
    int64_t row = n->first + i;
    switch (format_of(n)[0]) {
    case 'c':
        return ((const int8_t *)data)[row];
    case 'C':
        return ((const uint8_t *)data)[row];
    case 's':
        return ((const int16_t *)data)[row];
    case 'S':
        return ((const uint16_t *)data)[row];
    case 'i':
        return ((const int32_t *)data)[row];
    case 'I':
        return ((const uint32_t *)data)[row];
    default: /* an index of 2^63 and more is negative here */
        return ((const int64_t *)data)[row];
    }
}

/* The values, a null behind them for rows that are null, taken by the indexes. */
static rwl_status take_indexed(const rwl_arrow_node *n, rwl_column *values, int32_t *rows, rwl_column *c,
                               rwl_error *err) {
    rwl_value null = rwl_value_null(values->type.kind);
    int64_t size = values->length;
    RWL_TRY(rwl_column_append(values, n->env, &null, 1, err));
    for (int64_t i = 0; i < n->count; i++) {
        bool valid = c->null_count == 0 || rwl_bit_get(c->validity.data, i);
        int64_t at = valid ? index_at(n, i) : size;
        if (valid && (at < 0 || at >= size))
            return rwl_arrow_fail("an index outside of the dictionary", err);
        rows[i] = (int32_t)at;
    }
    rwl_column_reset(c);
    return rwl_column_take(values, rows, n->count, c, n->env, err);
}

static rwl_status import_dictionary(const rwl_arrow_node *n, rwl_column *c, rwl_error *err) {
    const struct ArrowArray *dictionary = n->array->dictionary;
    if (dictionary->release == NULL || dictionary->length < 0 || dictionary->length >= INT32_MAX - 1)
        return rwl_arrow_fail("a dictionary of a length that cannot be", err);
    rwl_arrow_node of_values;
    RWL_TRY(open_node(n->schema->dictionary, dictionary, 0, dictionary->length, n->env, &of_values, err));
    size_t size = ((size_t)n->count + 1) * sizeof(int32_t);
    int32_t *rows = rwl_alloc(n->env, size);
    if (rows == NULL)
        return rwl_no_memory(err, size);
    rwl_column values;
    rwl_column_init_flat(&values, &c->type);
    rwl_status st = import_node(&of_values, NULL, &values, err);
    if (st == RWL_OK)
        st = take_indexed(n, &values, rows, c, err);
    rwl_column_clear(&values, n->env);
    rwl_free(n->env, rows);
    return st;
}

/* --- columns --- */

static rwl_status import_values(const rwl_arrow_node *n, rwl_column *c, rwl_error *err) {
    switch (c->type.kind) {
    case RWL_TYPE_STRUCT:
        return import_struct(n, c, err);
    case RWL_TYPE_LIST:
    case RWL_TYPE_MAP:
        return import_list(n, c, err);
    case RWL_TYPE_VARIANT:
        return import_variant(n, c, err);
    default:
        return rwl_arrow_import_flat(n, c, err);
    }
}

/* Rows of the node into an empty column. */
static rwl_status import_node(const rwl_arrow_node *n, const uint8_t *mask, rwl_column *c, rwl_error *err) {
    rwl_column_reset(c);
    if (n->count >= INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "a batch of %lld rows", (long long)n->count);
    if (c->type.kind == RWL_TYPE_UNKNOWN) {
        rwl_value null = rwl_value_null(RWL_TYPE_UNKNOWN);
        return rwl_column_append(c, n->env, &null, n->count, err);
    }
    RWL_TRY(import_validity(n, mask, c, err));
    if (n->schema->dictionary != NULL)
        return import_dictionary(n, c, err);
    RWL_TRY(import_values(n, c, err));
    c->length = n->count;
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

static rwl_status import_column(const struct ArrowSchema *schema, const struct ArrowArray *array,
                                const struct ArrowArray *parent, const rwl_env *env, rwl_column *c,
                                rwl_error *err) {
    rwl_arrow_node n;
    RWL_TRY(open_node(schema, array, parent->offset, parent->length, env, &n, err));
    RWL_TRY(import_node(&n, NULL, c, err));
    return rwl_column_check_values(c, err);
}

rwl_status rwl_arrow_import_batch(const struct ArrowSchema *schema, const struct ArrowArray *array,
                                  rwl_batch *out, rwl_error *err) {
    rwl_batch_reset(out);
    RWL_TRY(check_struct(schema, array, out, err));
    for (int32_t i = 0; i < out->column_count; i++) {
        rwl_status st =
            import_column(schema->children[i], array->children[i], array, out->env, &out->columns[i], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "arrow array: column %d", i);
    }
    out->length = array->length;
    return RWL_OK;
}
