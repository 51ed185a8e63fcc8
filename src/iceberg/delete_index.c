/* SPDX-License-Identifier: Apache-2.0 */
/* The delete index: vectors and file-scoped deletes by path, the others by partition. */
#include "iceberg/delete_index.h"

#include "base/map.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A live delete file; lists are chained while adding and sorted by number in finish. */
typedef struct delete_file {
    rwl_delete_ref ref;
    int32_t spec_id;
    const rwl_value *partition;
    int32_t partition_count;
    rwl_span lower, upper; /* of the paths it names; data NULL when unknown */
    struct delete_file *next;
} delete_file;

struct rwl_delete_index {
    const rwl_env *env;
    const rwl_metadata *metadata;
    rwl_arena arena;
    rwl_map vectors;      /* data file → delete_file */
    rwl_map by_path;      /* data file → list of file-scoped position deletes */
    rwl_map by_partition; /* partition key → list of position deletes that may name several files */
    rwl_map equality;     /* partition key → list */
    delete_file *global;  /* equality deletes of unpartitioned specs */
    rwl_buf key;
    RWL_VEC(rwl_delete_ref) found;
    int64_t count;
};

rwl_status rwl_delete_index_new(const rwl_env *env, const rwl_metadata *metadata, rwl_delete_index **out,
                                rwl_error *err) {
    rwl_delete_index *index = rwl_calloc(env, 1, sizeof *index);
    *out = index;
    if (index == NULL)
        return rwl_no_memory(err, sizeof *index);
    index->env = env;
    index->metadata = metadata;
    rwl_arena_init(&index->arena, env, 0);
    rwl_map_init(&index->vectors, env);
    rwl_map_init(&index->by_path, env);
    rwl_map_init(&index->by_partition, env);
    rwl_map_init(&index->equality, env);
    rwl_buf_init(&index->key, env, SIZE_MAX);
    return RWL_OK;
}

void rwl_delete_index_free(rwl_delete_index *index) {
    if (index == NULL)
        return;
    rwl_map_clear(&index->vectors);
    rwl_map_clear(&index->by_path);
    rwl_map_clear(&index->by_partition);
    rwl_map_clear(&index->equality);
    rwl_buf_clear(&index->key);
    rwl_vec_clear(&index->found, index->env);
    rwl_arena_clear(&index->arena);
    rwl_free(index->env, index);
}

/* --- adding --- */

static rwl_status copy_span(rwl_arena *arena, rwl_span from, rwl_span *to, rwl_error *err) {
    *to = rwl_span_of(rwl_arena_copy(arena, from.data, from.len), from.len);
    return to->data == NULL ? rwl_no_memory(err, from.len) : RWL_OK;
}

static rwl_status copy_path_bounds(rwl_delete_index *index, const rwl_data_file *f, delete_file *d,
                                   rwl_error *err) {
    for (int32_t i = 0; i < f->lower_count; i++)
        if (f->lower_bounds[i].field_id == RWL_FIELD_ID_DELETE_PATH)
            RWL_TRY(copy_span(&index->arena, f->lower_bounds[i].value, &d->lower, err));
    for (int32_t i = 0; i < f->upper_count; i++)
        if (f->upper_bounds[i].field_id == RWL_FIELD_ID_DELETE_PATH)
            RWL_TRY(copy_span(&index->arena, f->upper_bounds[i].value, &d->upper, err));
    return RWL_OK;
}

static int by_id(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

/* Ascending and distinct, so that files with the same keys are known by them. */
static rwl_status copy_equality_ids(rwl_delete_index *index, const rwl_data_file *f, delete_file *d,
                                    rwl_error *err) {
    if (f->equality_count <= 0)
        return rwl_fail(err, RWL_CORRUPT, "equality delete file %s has no equality_ids", f->file_path);
    size_t count = (size_t)f->equality_count;
    int32_t *ids = rwl_arena_copy(&index->arena, f->equality_ids, count * sizeof *ids), kept = 0;
    if (ids == NULL)
        return rwl_no_memory(err, count * sizeof *ids);
    qsort(ids, count, sizeof *ids, by_id);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || ids[i] != ids[i - 1])
            ids[kept++] = ids[i];
    d->ref.equality_ids = ids;
    d->ref.equality_count = kept;
    return RWL_OK;
}

static rwl_status make_delete(rwl_delete_index *index, const rwl_manifest_entry *entry, delete_file **out,
                              rwl_error *err) {
    rwl_data_file f;
    RWL_TRY(rwl_data_file_copy(&index->arena, &entry->file, false, &f, err));
    delete_file *d = rwl_arena_alloc(&index->arena, sizeof *d);
    if (d == NULL)
        return rwl_no_memory(err, sizeof *d);
    bool vector = rwl_delete_is_vector(&f);
    d->ref.kind = vector                                      ? RWL_DELETE_VECTOR
                  : f.content == RWL_CONTENT_EQUALITY_DELETES ? RWL_DELETE_EQUALITY
                                                              : RWL_DELETE_POSITIONS;
    d->ref.location = f.file_path;
    d->ref.format = f.file_format;
    d->ref.file_size = f.file_size;
    d->ref.offset = vector ? f.content_offset : -1;
    d->ref.length = vector ? f.content_size : -1;
    d->ref.row_count = f.record_count;
    d->ref.sequence_number = entry->sequence_number;
    d->spec_id = f.spec_id;
    d->partition = f.partition;
    d->partition_count = f.partition_count;
    *out = d;
    return copy_path_bounds(index, &entry->file, d, err);
}

static rwl_status push(rwl_map *map, rwl_span key, delete_file *d, rwl_error *err) {
    rwl_map_value *value;
    RWL_TRY(rwl_map_put(map, key, &value, NULL, err));
    d->next = value->ptr;
    value->ptr = d;
    return RWL_OK;
}

static rwl_status push_by_partition(rwl_delete_index *index, rwl_map *map, delete_file *d, rwl_error *err) {
    rwl_buf_reset(&index->key);
    RWL_TRY(rwl_partition_key(d->spec_id, d->partition, d->partition_count, &index->key, err));
    return push(map, rwl_buf_span(&index->key), d, err);
}

static rwl_status add_vector(rwl_delete_index *index, const rwl_data_file *f, delete_file *d,
                             rwl_error *err) {
    if (f->referenced_data_file == NULL || f->content_offset < 0 || f->content_size < 0)
        return rwl_fail(
            err, RWL_CORRUPT,
            "deletion vector in %s lacks referenced_data_file, content_offset or content_size_in_bytes",
            f->file_path);
    d->ref.file_scoped = true;
    rwl_map_value *value;
    bool added;
    RWL_TRY(rwl_map_put(&index->vectors, rwl_span_str(f->referenced_data_file), &value, &added, err));
    if (!added)
        return rwl_fail(err, RWL_CORRUPT, "two deletion vectors for data file %s", f->referenced_data_file);
    value->ptr = d;
    return RWL_OK;
}

/* A spec that only the manifest knows can't be shown to be unpartitioned unless it has no fields at all. */
static bool is_global(const rwl_delete_index *index, const rwl_data_file *f) {
    const rwl_partition_spec *spec = rwl_metadata_spec(index->metadata, f->spec_id);
    return spec == NULL ? f->partition_count == 0 : rwl_spec_is_unpartitioned(spec);
}

rwl_status rwl_delete_index_add(rwl_delete_index *index, const rwl_manifest_entry *entry, rwl_error *err) {
    const rwl_data_file *f = &entry->file;
    delete_file *d;
    RWL_TRY(make_delete(index, entry, &d, err));
    index->count++;
    if (d->ref.kind == RWL_DELETE_VECTOR)
        return add_vector(index, f, d, err);
    if (d->ref.kind == RWL_DELETE_EQUALITY) {
        RWL_TRY(copy_equality_ids(index, f, d, err));
        if (!is_global(index, f))
            return push_by_partition(index, &index->equality, d, err);
        d->next = index->global;
        index->global = d;
        return RWL_OK;
    }
    rwl_span scope = rwl_delete_scope(f);
    if (scope.data == NULL)
        return push_by_partition(index, &index->by_partition, d, err);
    d->ref.file_scoped = true;
    return push(&index->by_path, scope, d, err);
}

rwl_status rwl_delete_index_finish(rwl_delete_index *index, rwl_error *err) {
    return rwl_vec_reserve(&index->found, index->env, 8, err);
}

/* --- finding --- */

static bool same_partition(const delete_file *d, const rwl_data_file *f) {
    if (d->spec_id != f->spec_id || d->partition_count != f->partition_count)
        return false;
    for (int32_t i = 0; i < f->partition_count; i++)
        if (!rwl_value_equal(&d->partition[i], &f->partition[i]))
            return false;
    return true;
}

/* "spec 1, p=2" of a partition for a message; "?" of what can't be told. */
static void describe(const rwl_delete_index *index, int32_t spec_id, const rwl_value *values, int32_t count,
                     char *out, size_t size) {
    const rwl_partition_spec *spec = rwl_metadata_spec(index->metadata, spec_id);
    rwl_type *types = rwl_calloc(index->env, (size_t)count + 1, sizeof *types);
    rwl_buf text;
    rwl_buf_init(&text, index->env, 4096);
    bool known = types != NULL && spec != NULL && spec->field_count == count &&
                 rwl_manifest_partition_types(index->metadata, spec, types, NULL) == RWL_OK &&
                 rwl_partition_path(spec, types, values, &text, NULL) == RWL_OK &&
                 rwl_buf_terminate(&text, NULL) == RWL_OK;
    snprintf(out, size, "spec %" PRId32 "%s%s", spec_id, count > 0 ? ", " : "",
             known       ? (const char *)text.data
             : count > 0 ? "?"
                         : "");
    rwl_buf_clear(&text);
    rwl_free(index->env, types);
}

/* A delete that names the data file by its path must be of the same spec and partition. */
static rwl_status check_partition(const rwl_delete_index *index, const delete_file *d, const rwl_data_file *f,
                                  rwl_error *err) {
    char of_delete[160], of_data[160];
    if (same_partition(d, f))
        return RWL_OK;
    describe(index, d->spec_id, d->partition, d->partition_count, of_delete, sizeof of_delete);
    describe(index, f->spec_id, f->partition, f->partition_count, of_data, sizeof of_data);
    return rwl_fail(err, RWL_CORRUPT,
                    "%s in %s is of another spec or partition (%s) than its data file %s (%s)",
                    d->ref.kind == RWL_DELETE_VECTOR ? "deletion vector" : "position deletes",
                    d->ref.location, of_delete, f->file_path, of_data);
}

/* Adds those of a list whose number is at least `least`; `path` data NULL: whatever files they name; `f` not NULL: they
 * name that file. */
static rwl_status take_list(rwl_delete_index *index, const delete_file *list, int64_t least, rwl_span path,
                            const rwl_data_file *f, rwl_error *err) {
    for (const delete_file *d = list; d != NULL; d = d->next) {
        if (d->ref.sequence_number < least)
            continue;
        if (path.data != NULL && d->lower.data != NULL && rwl_span_compare(path, d->lower) < 0)
            continue;
        if (path.data != NULL && d->upper.data != NULL && rwl_span_compare(path, d->upper) > 0)
            continue;
        if (f != NULL)
            RWL_TRY(check_partition(index, d, f, err));
        RWL_TRY(rwl_vec_push(&index->found, index->env, d->ref, err));
    }
    return RWL_OK;
}

static rwl_status take_vector(rwl_delete_index *index, const delete_file *d, const rwl_manifest_entry *entry,
                              rwl_error *err) {
    const rwl_data_file *f = &entry->file;
    if (d->ref.sequence_number < entry->sequence_number)
        return rwl_fail(err, RWL_CORRUPT,
                        "deletion vector in %s has sequence number %" PRId64 ", below %" PRId64
                        " of its data file %s",
                        d->ref.location, d->ref.sequence_number, entry->sequence_number, f->file_path);
    RWL_TRY(check_partition(index, d, f, err));
    return rwl_vec_push(&index->found, index->env, d->ref, err);
}

static void *lookup(const rwl_map *map, rwl_span key) {
    const rwl_map_value *value = rwl_map_get(map, key);
    return value == NULL ? NULL : value->ptr;
}

static rwl_status take_positions(rwl_delete_index *index, const rwl_manifest_entry *entry, rwl_error *err) {
    const rwl_data_file *f = &entry->file;
    rwl_span path = rwl_span_str(f->file_path);
    const delete_file *vector = lookup(&index->vectors, path);
    if (vector != NULL)
        return take_vector(index, vector, entry, err);
    RWL_TRY(take_list(index, lookup(&index->by_path, path), entry->sequence_number, path, f, err));
    return take_list(index, lookup(&index->by_partition, rwl_buf_span(&index->key)), entry->sequence_number,
                     path, NULL, err);
}

static rwl_status take_equality(rwl_delete_index *index, int64_t sequence_number, rwl_error *err) {
    const rwl_span any = rwl_span_of(NULL, 0);
    int64_t above;
    if (!rwl_i64_add(sequence_number, 1, &above))
        return RWL_OK; /* no number is greater */
    RWL_TRY(take_list(index, lookup(&index->equality, rwl_buf_span(&index->key)), above, any, NULL, err));
    return take_list(index, index->global, above, any, NULL, err);
}

static int by_sequence(const void *a, const void *b) {
    const rwl_delete_ref *x = a, *y = b;
    if (x->sequence_number != y->sequence_number)
        return x->sequence_number < y->sequence_number ? -1 : 1;
    return strcmp(x->location, y->location);
}

rwl_status rwl_delete_index_find(rwl_delete_index *index, const rwl_manifest_entry *entry,
                                 const rwl_delete_ref **out, int32_t *count, rwl_error *err) {
    const rwl_data_file *f = &entry->file;
    index->found.len = 0;
    *out = NULL;
    *count = 0;
    if (index->count == 0)
        return RWL_OK;
    rwl_buf_reset(&index->key);
    RWL_TRY(rwl_partition_key(f->spec_id, f->partition, f->partition_count, &index->key, err));
    RWL_TRY(take_positions(index, entry, err));
    RWL_TRY(take_equality(index, entry->sequence_number, err));
    if (index->found.len > 1)
        qsort(index->found.items, index->found.len, sizeof *index->found.items, by_sequence);
    *out = index->found.items;
    *count = (int32_t)index->found.len;
    return RWL_OK;
}
