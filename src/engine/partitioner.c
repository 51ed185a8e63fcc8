/* SPDX-License-Identifier: Apache-2.0 */
/* Tuples are looked up by a hash of the transformed columns, once for each stretch of equal rows. */
#include "engine/partitioner.h"

#include "base/map.h"
#include "base/vec.h"
#include "column/extract.h"

/* Where the values of a partition field come from. */
typedef struct field_source {
    bool is_void;
    rwl_field_path path;
    rwl_column nulls; /* of a field in structs: which of its rows are null */
} field_source;

struct rwl_partitioner {
    const rwl_env *env;
    const rwl_partition_spec *spec;
    rwl_arena arena; /* tuples */
    rwl_type *types; /* of the partition fields */
    field_source *sources;
    rwl_column *columns; /* transformed */
    rwl_map by_hash;     /* hash of a tuple → partition */
    RWL_VEC(rwl_value *) tuples;
    RWL_VEC(int32_t) group_of; /* of each partition, in the batch being split; -1: none */
    RWL_VEC(rwl_partition_rows) groups;
    /* a row each */
    RWL_VEC(rwl_u128) hashes;
    RWL_VEC(int32_t) partitions;
    RWL_VEC(int32_t) order;
};

static rwl_status find_source(rwl_partitioner *p, const rwl_schema *schema, int32_t i, rwl_error *err) {
    const rwl_partition_field *field = &p->spec->fields[i];
    field_source *source = &p->sources[i];
    rwl_column_init_flat(&source->nulls, &p->types[i]);
    RWL_TRY(rwl_column_init(&p->columns[i], p->env, &p->types[i], err));
    source->is_void = field->transform.kind == RWL_TRANSFORM_VOID;
    if (!source->is_void &&
        rwl_field_path_find(schema->fields, schema->field_count, field->source_id, &source->path) == NULL)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "partition field %s: its source %d is no column, nor a field of structs", field->name,
                        field->source_id);
    return RWL_OK;
}

static rwl_status set_up(rwl_partitioner *p, const rwl_schema *schema, rwl_error *err) {
    size_t count = (size_t)p->spec->field_count;
    p->types = rwl_arena_array(&p->arena, count, sizeof *p->types);
    p->sources = rwl_arena_array(&p->arena, count, sizeof *p->sources);
    p->columns = rwl_arena_array(&p->arena, count, sizeof *p->columns);
    if (p->types == NULL || p->sources == NULL || p->columns == NULL)
        return rwl_no_memory(err, count * sizeof *p->columns);
    RWL_TRY(rwl_partition_spec_check_writable(p->spec, err));
    RWL_TRY(rwl_partition_types(p->spec, schema, p->types, err));
    for (int32_t i = 0; i < p->spec->field_count; i++)
        RWL_TRY(find_source(p, schema, i, err));
    return RWL_OK;
}

rwl_status rwl_partitioner_new(const rwl_env *env, const rwl_schema *schema, const rwl_partition_spec *spec,
                               rwl_partitioner **out, rwl_error *err) {
    rwl_partitioner *p = rwl_calloc(env, 1, sizeof *p);
    if (p == NULL)
        return rwl_no_memory(err, sizeof *p);
    p->env = env;
    p->spec = spec;
    rwl_arena_init(&p->arena, env, 0);
    rwl_map_init(&p->by_hash, env);
    rwl_status st = set_up(p, schema, err);
    if (st != RWL_OK) {
        rwl_partitioner_free(p);
        return st;
    }
    *out = p;
    return RWL_OK;
}

void rwl_partitioner_free(rwl_partitioner *p) {
    if (p == NULL)
        return;
    for (int32_t i = 0; p->columns != NULL && p->sources != NULL && i < p->spec->field_count; i++) {
        rwl_column_clear(&p->columns[i], p->env);
        rwl_column_clear(&p->sources[i].nulls, p->env);
    }
    rwl_vec_clear(&p->tuples, p->env);
    rwl_vec_clear(&p->group_of, p->env);
    rwl_vec_clear(&p->groups, p->env);
    rwl_vec_clear(&p->hashes, p->env);
    rwl_vec_clear(&p->partitions, p->env);
    rwl_vec_clear(&p->order, p->env);
    rwl_map_clear(&p->by_hash);
    rwl_arena_clear(&p->arena);
    rwl_free(p->env, p);
}

const rwl_value *rwl_partitioner_values(const rwl_partitioner *p, int32_t partition) {
    return p->tuples.items[partition];
}

/* --- from rows to partitions --- */

static rwl_status transform_field(rwl_partitioner *p, int32_t i, const rwl_batch *batch, rwl_error *err) {
    field_source *source = &p->sources[i];
    rwl_column *out = &p->columns[i];
    if (source->is_void) {
        rwl_value null = rwl_value_null(p->types[i].kind);
        rwl_column_reset(out);
        return rwl_column_append(out, p->env, &null, batch->length, err);
    }
    rwl_column view;
    const rwl_field_path *at = &source->path;
    RWL_TRY(rwl_column_view_field(&batch->columns[at->column], at->path, at->depth, &source->nulls, &view,
                                  p->env, err));
    return rwl_transform_column(&p->spec->fields[i].transform, &view, out, p->env, err);
}

static rwl_status transform(rwl_partitioner *p, const rwl_batch *batch, rwl_error *err) {
    for (int32_t i = 0; i < p->spec->field_count; i++)
        RWL_TRY(transform_field(p, i, batch, err));
    return RWL_OK;
}

static bool is_tuple(const rwl_partitioner *p, int64_t partition, int64_t row) {
    for (int32_t i = 0; i < p->spec->field_count; i++) {
        rwl_value v = rwl_column_value(&p->columns[i], row);
        if (!rwl_value_equal(&p->tuples.items[partition][i], &v))
            return false;
    }
    return true;
}

static rwl_status add_tuple(rwl_partitioner *p, int64_t row, rwl_error *err) {
    size_t size = (size_t)p->spec->field_count * sizeof(rwl_value);
    rwl_value *tuple = rwl_arena_alloc(&p->arena, size);
    if (tuple == NULL)
        return rwl_no_memory(err, size);
    for (int32_t i = 0; i < p->spec->field_count; i++) {
        rwl_value v = rwl_column_value(&p->columns[i], row);
        if (!rwl_value_copy(&p->arena, &v, &tuple[i]))
            return rwl_no_memory(err, v.as.bytes.len);
    }
    RWL_TRY(rwl_vec_push(&p->group_of, p->env, -1, err));
    return rwl_vec_push(&p->tuples, p->env, tuple, err);
}

/* The partition of a row, by the hash of its tuple; two tuples of one hash are told apart by their values. */
static rwl_status find_tuple(rwl_partitioner *p, rwl_u128 hash, int64_t row, int32_t *out, rwl_error *err) {
    for (;; hash++) {
        bool added;
        rwl_map_value *found;
        RWL_TRY(rwl_map_put(&p->by_hash, rwl_span_of(&hash, sizeof hash), &found, &added, err));
        if (added) {
            found->i64 = (int64_t)p->tuples.len;
            *out = (int32_t)p->tuples.len;
            return add_tuple(p, row, err);
        }
        if (is_tuple(p, found->i64, row)) {
            *out = (int32_t)found->i64;
            return RWL_OK;
        }
    }
}

static rwl_status find_partitions(rwl_partitioner *p, int64_t rows, rwl_error *err) {
    rwl_u128 *hashes = p->hashes.items;
    int32_t *partitions = p->partitions.items;
    memset(hashes, 0, (size_t)rows * sizeof *hashes);
    for (int32_t i = 0; i < p->spec->field_count; i++)
        rwl_column_hash_rows(&p->columns[i], hashes);
    for (int64_t row = 0; row < rows; row++) {
        if (row > 0 && hashes[row] == hashes[row - 1])
            partitions[row] = partitions[row - 1];
        else
            RWL_TRY(find_tuple(p, hashes[row], row, &partitions[row], err));
    }
    return RWL_OK;
}

/* --- from partitions to groups: a counting sort --- */

static rwl_status count_groups(rwl_partitioner *p, int64_t rows, rwl_error *err) {
    p->groups.len = 0;
    for (int64_t row = 0; row < rows; row++) {
        int32_t partition = p->partitions.items[row];
        int32_t *group = &p->group_of.items[partition];
        if (*group < 0) {
            *group = (int32_t)p->groups.len;
            rwl_partition_rows fresh = {partition, 0, 0};
            RWL_TRY(rwl_vec_push(&p->groups, p->env, fresh, err));
        }
        p->groups.items[*group].count++;
    }
    return RWL_OK;
}

static void order_rows(rwl_partitioner *p, int64_t rows) {
    int32_t end = 0;
    for (size_t g = 0; g < p->groups.len; g++) {
        p->groups.items[g].first = end;
        end += p->groups.items[g].count;
        p->groups.items[g].count = 0;
    }
    for (int64_t row = 0; row < rows; row++) {
        rwl_partition_rows *group = &p->groups.items[p->group_of.items[p->partitions.items[row]]];
        p->order.items[group->first + group->count++] = (int32_t)row;
    }
    for (size_t g = 0; g < p->groups.len; g++)
        p->group_of.items[p->groups.items[g].partition] = -1;
}

rwl_status rwl_partitioner_split(rwl_partitioner *p, const rwl_batch *batch,
                                 const rwl_partition_rows **groups, size_t *group_count,
                                 const int32_t **order, rwl_error *err) {
    p->hashes.len = p->partitions.len = p->order.len = 0;
    RWL_TRY(rwl_vec_reserve(&p->hashes, p->env, (size_t)batch->length, err));
    RWL_TRY(rwl_vec_reserve(&p->partitions, p->env, (size_t)batch->length, err));
    RWL_TRY(rwl_vec_reserve(&p->order, p->env, (size_t)batch->length, err));
    RWL_TRY(transform(p, batch, err));
    RWL_TRY(find_partitions(p, batch->length, err));
    RWL_TRY(count_groups(p, batch->length, err));
    order_rows(p, batch->length);
    *groups = p->groups.items;
    *group_count = p->groups.len;
    *order = p->order.items;
    return RWL_OK;
}
