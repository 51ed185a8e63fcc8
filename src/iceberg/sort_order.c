/* SPDX-License-Identifier: Apache-2.0 */
/* Sort orders: JSON both ways, equality. */
#include "iceberg/partition.h"

#include <strings.h>

static rwl_status read_field(const rwl_json *json, rwl_arena *arena, rwl_sort_field *out, rwl_error *err) {
    const char *transform, *direction, *nulls;
    rwl_json *ids;
    RWL_TRY(rwl_json_need_str(json, "transform", &transform, err));
    RWL_TRY(rwl_transform_parse(transform, arena, &out->transform, err));
    RWL_TRY(rwl_json_opt_array(json, "source-ids", &ids, err));
    const rwl_json *first = ids ? rwl_json_at(ids, 0) : NULL;
    if (!ids)
        RWL_TRY(rwl_json_need_i32(json, "source-id", &out->source_id, err));
    else if (rwl_json_kind_of(first) != RWL_JSON_INT || rwl_json_i64(first) < 0 ||
             rwl_json_i64(first) > INT32_MAX)
        return rwl_fail(err, RWL_CORRUPT, "'source-ids' holds no field id");
    else
        out->source_id = (int32_t)rwl_json_i64(first);
    if (ids && rwl_json_len(ids) > 1)
        out->transform.kind = RWL_TRANSFORM_UNKNOWN;
    RWL_TRY(rwl_json_need_str(json, "direction", &direction, err));
    RWL_TRY(rwl_json_need_str(json, "null-order", &nulls, err));
    out->descending = strcasecmp(direction, "desc") == 0;
    if (!out->descending && strcasecmp(direction, "asc") != 0)
        return rwl_fail(err, RWL_CORRUPT, "'direction' is '%.60s'", direction);
    out->nulls_first = strcasecmp(nulls, "nulls-first") == 0;
    if (!out->nulls_first && strcasecmp(nulls, "nulls-last") != 0)
        return rwl_fail(err, RWL_CORRUPT, "'null-order' is '%.60s'", nulls);
    return RWL_OK;
}

static rwl_status read_order(const rwl_json *json, rwl_arena *arena, rwl_sort_order *out, rwl_error *err) {
    rwl_json *array;
    RWL_TRY(rwl_json_need_array(json, "fields", &array, err));
    size_t len = rwl_json_len(array);
    if (len > 10000)
        return rwl_fail(err, RWL_UNSUPPORTED, "%zu sort fields", len);
    if (len > 0 && out->order_id == 0)
        return rwl_fail(err, RWL_CORRUPT, "order 0 stands for unsorted and has fields");
    rwl_sort_field *fields = rwl_arena_array(arena, len, sizeof *fields);
    if (!fields)
        return rwl_no_memory(err, len * sizeof *fields);
    for (size_t i = 0; i < len; i++) {
        rwl_status st = read_field(rwl_json_at(array, i), arena, &fields[i], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "field at place %zu", i);
    }
    out->fields = fields;
    out->field_count = (int32_t)len;
    return RWL_OK;
}

rwl_status rwl_sort_order_from_json(const rwl_json *json, rwl_arena *arena, rwl_sort_order *out,
                                    rwl_error *err) {
    memset(out, 0, sizeof *out);
    rwl_status st = rwl_json_need_i32(json, "order-id", &out->order_id, err);
    if (st == RWL_OK)
        st = read_order(json, arena, out, err);
    return st == RWL_OK ? RWL_OK : rwl_error_in(err, st, "sort order %d", (int)out->order_id);
}

static rwl_status put_order(const rwl_sort_order *order, rwl_json *root, rwl_error *err) {
    RWL_TRY(rwl_json_set(root, "order-id", rwl_json_new_i64(order->order_id), err));
    rwl_json *array = rwl_json_new_array();
    RWL_TRY(rwl_json_set(root, "fields", array, err));
    for (int32_t i = 0; i < order->field_count; i++) {
        const rwl_sort_field *f = &order->fields[i];
        rwl_json *object = rwl_json_new_object();
        RWL_TRY(rwl_json_append(array, object, err));
        RWL_TRY(rwl_json_set(object, "transform", rwl_json_new_str(f->transform.text), err));
        RWL_TRY(rwl_json_set(object, "source-id", rwl_json_new_i64(f->source_id), err));
        RWL_TRY(rwl_json_set(object, "direction", rwl_json_new_str(f->descending ? "desc" : "asc"), err));
        RWL_TRY(rwl_json_set(object, "null-order",
                             rwl_json_new_str(f->nulls_first ? "nulls-first" : "nulls-last"), err));
    }
    return RWL_OK;
}

rwl_status rwl_sort_order_to_json(const rwl_sort_order *order, rwl_json **out, rwl_error *err) {
    *out = NULL;
    rwl_json *root = rwl_json_new_object();
    if (!root)
        return rwl_no_memory(err, sizeof *order);
    rwl_status st = put_order(order, root, err);
    if (st == RWL_OK)
        *out = root;
    else
        rwl_json_free(root);
    return st;
}

bool rwl_sort_order_equal(const rwl_sort_order *a, const rwl_sort_order *b) {
    if (a->field_count != b->field_count)
        return false;
    for (int32_t i = 0; i < a->field_count; i++) {
        const rwl_sort_field *x = &a->fields[i];
        const rwl_sort_field *y = &b->fields[i];
        if (x->source_id != y->source_id || x->descending != y->descending ||
            x->nulls_first != y->nulls_first || x->transform.kind != y->transform.kind ||
            x->transform.param != y->transform.param)
            return false;
        if (x->transform.kind == RWL_TRANSFORM_UNKNOWN && strcmp(x->transform.text, y->transform.text) != 0)
            return false;
    }
    return true;
}
