/* SPDX-License-Identifier: Apache-2.0 */
/* Position delete files: all of one kept as a set a path, or the rows of one path alone. */
#include "iceberg/position_deletes.h"

#include "base/map.h"
#include "iceberg/stored_file.h"

#include <inttypes.h>

/* --- the two columns --- */

static const rwl_field *find_by_id(const rwl_stored_file *file, int32_t id) {
    for (int32_t i = 0; i < file->field_count; i++)
        if (file->fields[i].id == id)
            return &file->fields[i];
    return NULL;
}

static const rwl_field *find_by_name(const rwl_stored_file *file, const char *name) {
    for (int32_t i = 0; i < file->field_count; i++)
        if (file->fields[i].id < 0 && strcmp(file->fields[i].name, name) == 0)
            return &file->fields[i];
    return NULL;
}

static rwl_status find_column(const rwl_stored_file *file, int32_t id, const char *name, int32_t *column,
                              const rwl_field **found, rwl_error *err) {
    const rwl_field *field = find_by_id(file, id);
    if (field == NULL)
        field = find_by_name(file, name);
    if (field == NULL)
        return rwl_fail(err, RWL_CORRUPT, "no column %s (id %" PRId32 ")", name, id);
    *column = (int32_t)(field - file->fields);
    *found = field;
    return RWL_OK;
}

static rwl_status wrong_type(const rwl_field *field, const char *name, rwl_error *err) {
    char type[64];
    rwl_type_name(&field->type, type, sizeof type);
    return rwl_fail(err, RWL_CORRUPT, "column %s is %s", name, type);
}

static rwl_status find_columns(const rwl_stored_file *file, int32_t columns[2], rwl_error *err) {
    const rwl_field *path, *pos;
    RWL_TRY(find_column(file, RWL_FIELD_ID_DELETE_PATH, "file_path", &columns[0], &path, err));
    RWL_TRY(find_column(file, RWL_FIELD_ID_DELETE_POS, "pos", &columns[1], &pos, err));
    if (path->type.kind != RWL_TYPE_STRING &&
        path->type.kind != RWL_TYPE_BINARY) /* text without annotation */
        return wrong_type(path, "file_path", err);
    return pos->type.kind == RWL_TYPE_LONG ? (rwl_status)RWL_OK : wrong_type(pos, "pos", err);
}

/* --- walking over the rows --- */

/* What is done with the rows of a file. */
typedef struct visit {
    rwl_span path; /* only its rows need be given; data NULL: all */
    bool paths_only;
    /* `count` rows of one path follow one another; `pos` NULL for paths alone. */
    rwl_status (*take)(void *ctx, rwl_span path, const int64_t *pos, int64_t count, rwl_error *err);
    /* After each batch; NULL: nothing to do. */
    rwl_status (*pause)(void *ctx, int64_t rows, rwl_error *err);
    void *ctx;
    bool done; /* set by take or pause: no more rows are wanted */
} visit;

static rwl_status visit_batch(const rwl_batch *batch, visit *v, rwl_error *err) {
    const rwl_column *paths = &batch->columns[0], *positions = v->paths_only ? NULL : &batch->columns[1];
    if (paths->null_count > 0 || (positions != NULL && positions->null_count > 0))
        return rwl_fail(err, RWL_CORRUPT, "a file_path or pos is null");
    const int64_t *pos = positions != NULL ? rwl_column_i64(positions) : NULL;
    for (int64_t i = 0, end; i < batch->length && !v->done; i = end) {
        rwl_span path = rwl_column_bytes(paths, i);
        for (end = i + 1; end < batch->length && rwl_span_equal(rwl_column_bytes(paths, end), path);)
            end++;
        RWL_TRY(v->take(v->ctx, path, pos != NULL ? pos + i : NULL, end - i, err));
    }
    return RWL_OK;
}

static rwl_status check_rows(const rwl_delete_ref *ref, int64_t rows, rwl_error *err) {
    if (rows == ref->row_count)
        return RWL_OK;
    return rwl_fail(err, RWL_CORRUPT, "the manifest says %" PRId64 " rows, the file has %" PRId64,
                    ref->row_count, rows);
}

static rwl_status visit_rows(rwl_op *op, const rwl_delete_ref *ref, const rwl_stored_file *file,
                             rwl_stored_reader *reader, rwl_batch *batch, visit *v, rwl_error *err) {
    int64_t rows = 0, first;
    while (!v->done) {
        RWL_TRY(rwl_op_check(op, err));
        RWL_TRY(rwl_stored_reader_next(reader, batch, &first, err));
        if (batch->length == 0)
            return file->row_count < 0 ? check_rows(ref, rows, err) : (rwl_status)RWL_OK;
        rows += batch->length;
        RWL_TRY(visit_batch(batch, v, err));
        if (v->pause != NULL)
            RWL_TRY(v->pause(v->ctx, rows, err));
    }
    return RWL_OK;
}

/* --- the row groups that may have a path --- */

static const rwl_parquet_leaf *find_leaf(const rwl_parquet_file *file, int32_t top) {
    for (int32_t i = 0; i < file->leaf_count; i++)
        if (file->leaves[i].top == top)
            return &file->leaves[i];
    return NULL;
}

/* The rows of row groups but of those whose paths all lie before or all behind ours; their number. */
static size_t prune_groups(const rwl_parquet_file *file, const rwl_parquet_leaf *leaf, rwl_span path,
                           rwl_range *ranges) {
    size_t count = 0;
    for (int32_t i = 0; i < file->group_count; i++) {
        const rwl_parquet_group *group = &file->groups[i];
        const rwl_parquet_stats *stats = &group->chunks[leaf - file->leaves].stats;
        rwl_value least, most;
        bool skip =
            (rwl_parquet_stats_value(leaf, stats->min, &least) &&
             rwl_span_compare(path, least.as.bytes) < 0) ||
            (rwl_parquet_stats_value(leaf, stats->max, &most) && rwl_span_compare(path, most.as.bytes) > 0);
        if (!skip)
            ranges[count++] = (rwl_range){group->first_row, group->row_count};
    }
    return count;
}

/* Of a Parquet file read for one path; *ranges stays NULL when nothing can be left out, and is to be freed. */
static rwl_status choose_rows(const rwl_stored_file *file, int32_t column, rwl_span path, rwl_range **ranges,
                              size_t *count, rwl_error *err) {
    const rwl_parquet_file *parquet = file->parquet;
    const rwl_parquet_leaf *leaf =
        parquet != NULL && path.data != NULL ? find_leaf(parquet, column) : NULL; /* fields are nodes */
    *ranges = NULL;
    *count = 0;
    if (leaf == NULL)
        return RWL_OK;
    *ranges = rwl_calloc(file->env, (size_t)parquet->group_count + 1, sizeof **ranges);
    if (*ranges == NULL)
        return rwl_no_memory(err, (size_t)parquet->group_count);
    *count = prune_groups(parquet, leaf, path, *ranges);
    return RWL_OK;
}

/* --- one pass over a file --- */

static rwl_status run_reader(rwl_store *store, rwl_op *op, rwl_stored_file *file, const rwl_delete_ref *ref,
                             const rwl_stored_read_options *options, visit *v, rwl_error *err) {
    rwl_stored_reader *reader = NULL;
    rwl_batch batch;
    int32_t count;
    RWL_TRY(rwl_stored_reader_new(store, op, file, options, &reader, err));
    const rwl_field *fields = rwl_stored_reader_fields(reader, &count);
    rwl_status st = rwl_batch_init(&batch, op->env, fields, count, err);
    if (st == RWL_OK) {
        st = visit_rows(op, ref, file, reader, &batch, v, err);
        rwl_batch_clear(&batch);
    }
    rwl_stored_reader_free(reader);
    return st;
}

static rwl_status read_file(rwl_store *store, rwl_op *op, rwl_stored_file *file, const rwl_delete_ref *ref,
                            visit *v, rwl_error *err) {
    int32_t columns[2];
    rwl_range *ranges;
    rwl_stored_read_options options = {.columns = columns, .column_count = v->paths_only ? 1 : 2};
    if (file->row_count >= 0)
        RWL_TRY(check_rows(ref, file->row_count, err));
    RWL_TRY(find_columns(file, columns, err));
    RWL_TRY(choose_rows(file, columns[0], v->path, &ranges, &options.range_count, err));
    options.ranges = ranges;
    rwl_status st = run_reader(store, op, file, ref, &options, v, err);
    rwl_free(file->env, ranges);
    return st;
}

static rwl_status visit_file(rwl_store *store, rwl_op *op, const rwl_delete_ref *ref, visit *v,
                             rwl_error *err) {
    rwl_stored_file *file = NULL;
    rwl_status st = rwl_stored_file_open(store, op, ref->location, ref->format, ref->file_size, &file, err);
    if (st == RWL_OK)
        st = read_file(store, op, file, ref, v, err);
    rwl_stored_file_close(file);
    if (st == RWL_OK)
        return RWL_OK;
    return rwl_error_path(err, rwl_error_in(err, st, "position delete file %s", ref->location),
                          ref->location);
}

/* Positions often come sorted, so consecutive ones are added as a range. */
static rwl_status add_positions(rwl_bitmap *into, const int64_t *pos, int64_t count, rwl_error *err) {
    for (int64_t i = 0, end; i < count; i = end) {
        if (pos[i] < 0)
            return rwl_fail(err, RWL_CORRUPT, "pos %" PRId64 " is negative", pos[i]);
        for (end = i + 1; end < count && pos[end] == pos[end - 1] + 1;)
            end++;
        RWL_TRY(rwl_bitmap_add_range(into, pos[i], end - i, err));
    }
    return RWL_OK;
}

/* --- the rows of one path --- */

typedef struct one_path {
    rwl_span path;
    rwl_bitmap *into;
} one_path;

static rwl_status take_one_path(void *ctx, rwl_span path, const int64_t *pos, int64_t count, rwl_error *err) {
    one_path *one = ctx;
    return rwl_span_equal(path, one->path) ? add_positions(one->into, pos, count, err) : (rwl_status)RWL_OK;
}

static rwl_status read_one_path(rwl_store *store, rwl_op *op, const rwl_delete_ref *ref,
                                const char *data_file, rwl_bitmap *into, rwl_error *err) {
    one_path one = {rwl_span_str(data_file), into};
    visit v = {.path = one.path, .take = take_one_path, .ctx = &one};
    return visit_file(store, op, ref, &v, err);
}

/* --- a whole file in the cache --- */

typedef struct path_sets {
    rwl_map by_path; /* to rwl_bitmap */
    int64_t bytes;   /* of the sets */
} path_sets;

typedef struct sets_loading {
    rwl_store *store;
    rwl_op *op;
    const rwl_delete_ref *ref;
    path_sets *sets;
    int64_t most;
    visit visit;
} sets_loading;

static void free_sets(const rwl_env *env, void *value) {
    path_sets *sets = value;
    for (size_t i = 0; i < sets->by_path.len; i++)
        rwl_bitmap_free(rwl_map_value_at(&sets->by_path, i)->ptr);
    rwl_map_clear(&sets->by_path);
    rwl_free(env, sets);
}

static int64_t sets_memory(const path_sets *sets) {
    const size_t entry = 64; /* in the map, its index counted */
    return (int64_t)(sizeof *sets + sets->by_path.keys.used + sets->by_path.len * entry) + sets->bytes;
}

static rwl_status take_any_path(void *ctx, rwl_span path, const int64_t *pos, int64_t count, rwl_error *err) {
    sets_loading *loading = ctx;
    path_sets *sets = loading->sets;
    rwl_map_value *value;
    RWL_TRY(rwl_map_put(&sets->by_path, path, &value, NULL, err));
    rwl_bitmap *set = value->ptr;
    if (set == NULL) {
        RWL_TRY(rwl_bitmap_new(loading->op->env, &set, err));
        value->ptr = set;
    }
    int64_t before = rwl_bitmap_memory(set);
    rwl_status st = add_positions(set, pos, count, err);
    sets->bytes += rwl_bitmap_memory(set) - before;
    return st;
}

static rwl_status check_room(void *ctx, int64_t rows, rwl_error *err) {
    sets_loading *loading = ctx;
    (void)rows, (void)err;
    loading->visit.done = sets_memory(loading->sets) > loading->most;
    return RWL_OK;
}

static rwl_status load_sets(void *ctx, int64_t most, void **value, int64_t *bytes, rwl_error *err) {
    sets_loading *loading = ctx;
    const rwl_env *env = loading->op->env;
    loading->sets = rwl_calloc(env, 1, sizeof *loading->sets);
    if (loading->sets == NULL)
        return rwl_no_memory(err, sizeof *loading->sets);
    rwl_map_init(&loading->sets->by_path, env);
    loading->most = most;
    loading->visit = (visit){.take = take_any_path, .pause = check_room, .ctx = loading};
    rwl_status st = visit_file(loading->store, loading->op, loading->ref, &loading->visit, err);
    *bytes = sets_memory(loading->sets);
    if (st == RWL_OK && !loading->visit.done)
        *value = loading->sets;
    else
        free_sets(env, loading->sets);
    return st;
}

static rwl_status use_sets(rwl_store *store, rwl_op *op, rwl_delete_cache *cache, const rwl_delete_ref *ref,
                           rwl_delete_use *use, rwl_error *err) {
    sets_loading loading = {.store = store, .op = op, .ref = ref};
    rwl_delete_loader loader = {load_sets, free_sets, &loading};
    rwl_buf name;
    rwl_buf_init(&name, op->env, SIZE_MAX);
    rwl_status st = rwl_buf_printf(&name, err, "p%s", ref->location);
    if (st == RWL_OK)
        st = rwl_delete_cache_use(cache, op, rwl_buf_span(&name), &loader, use, err);
    rwl_buf_clear(&name);
    return st;
}

rwl_status rwl_position_deletes_read(rwl_store *store, rwl_op *op, rwl_delete_cache *cache,
                                     const rwl_delete_ref *ref, const char *data_file, rwl_bitmap *into,
                                     rwl_error *err) {
    if (cache == NULL)
        return read_one_path(store, op, ref, data_file, into, err);
    rwl_delete_use use;
    RWL_TRY(use_sets(store, op, cache, ref, &use, err));
    if (use.value == NULL)
        return read_one_path(store, op, ref, data_file, into, err);
    const path_sets *sets = use.value;
    const rwl_map_value *set = rwl_map_get(&sets->by_path, rwl_span_str(data_file));
    rwl_status st = set != NULL ? rwl_bitmap_union(into, set->ptr, err) : (rwl_status)RWL_OK;
    rwl_delete_cache_release(cache, op, &use);
    return st;
}

/* --- looking for paths --- */

typedef struct search {
    bool (*wanted)(void *ctx, rwl_span path);
    void *ctx;
    visit visit;
    bool found;
} search;

static rwl_status look_at_path(void *ctx, rwl_span path, const int64_t *pos, int64_t count, rwl_error *err) {
    search *s = ctx;
    (void)pos, (void)count, (void)err;
    s->found = s->visit.done = s->wanted(s->ctx, path);
    return RWL_OK;
}

rwl_status rwl_position_deletes_search(rwl_store *store, rwl_op *op, const rwl_delete_ref *ref,
                                       bool (*wanted)(void *ctx, rwl_span path), void *ctx, bool *found,
                                       rwl_error *err) {
    search s = {.wanted = wanted, .ctx = ctx};
    s.visit = (visit){.paths_only = true, .take = look_at_path, .ctx = &s};
    rwl_status st = visit_file(store, op, ref, &s.visit, err);
    *found = s.found;
    return st;
}
