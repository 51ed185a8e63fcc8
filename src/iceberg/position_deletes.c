/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the rows of a position delete file that name one data file. */
#include "iceberg/position_deletes.h"

#include "parquet/reader.h"

#include <inttypes.h>
#include <strings.h>

static rwl_status find_leaf(const rwl_parquet_file *file, int32_t id, const char *name, rwl_type_kind kind,
                            int32_t *index, rwl_error *err) {
    const rwl_parquet_leaf *leaf = rwl_parquet_without_ids(file) ? rwl_parquet_leaf_by_name(file, name)
                                                                 : rwl_parquet_leaf_by_id(file, id);
    if (leaf == NULL)
        return rwl_fail(err, RWL_CORRUPT, "position delete file %s has no column %s", file->location, name);
    if (leaf->field.type.kind != kind)
        return rwl_fail(err, RWL_CORRUPT, "position delete file %s: column %s has the wrong type",
                        file->location, name);
    *index = (int32_t)(leaf - file->leaves);
    return RWL_OK;
}

/* The rows of row groups but of those whose paths all lie before or all behind ours; their number. */
static size_t prune_groups(const rwl_parquet_file *file, int32_t leaf, rwl_span path, rwl_range *ranges) {
    size_t count = 0;
    for (int32_t i = 0; i < file->group_count; i++) {
        const rwl_parquet_group *group = &file->groups[i];
        const rwl_parquet_stats *stats = &group->chunks[leaf].stats;
        rwl_value least, most;
        bool skip = (rwl_parquet_stats_value(&file->leaves[leaf], stats->min, &least) &&
                     rwl_span_compare(path, least.as.bytes) < 0) ||
                    (rwl_parquet_stats_value(&file->leaves[leaf], stats->max, &most) &&
                     rwl_span_compare(path, most.as.bytes) > 0);
        if (!skip)
            ranges[count++] = (rwl_range){group->first_row, group->row_count};
    }
    return count;
}

/* Positions come sorted, so consecutive ones are added as a range. */
static rwl_status take_rows(const rwl_batch *batch, rwl_span path, rwl_bitmap *into, rwl_error *err) {
    const rwl_column *paths = &batch->columns[0], *positions = &batch->columns[1];
    if (paths->null_count > 0 || positions->null_count > 0)
        return rwl_fail(err, RWL_CORRUPT, "a file_path or pos is null");
    const int64_t *pos = rwl_column_i64(positions);
    int64_t start = 0, count = 0;
    for (int64_t i = 0; i < batch->length; i++) {
        if (!rwl_span_equal(rwl_column_bytes(paths, i), path))
            continue;
        if (pos[i] < 0)
            return rwl_fail(err, RWL_CORRUPT, "pos %" PRId64 " is negative", pos[i]);
        if (count > 0 && pos[i] == start + count) {
            count++;
            continue;
        }
        if (count > 0)
            RWL_TRY(rwl_bitmap_add_range(into, start, count, err));
        start = pos[i];
        count = 1;
    }
    return count > 0 ? rwl_bitmap_add_range(into, start, count, err) : RWL_OK;
}

/* What is done with the rows of a file: one path's positions taken, or any wanted path looked for. */
typedef struct visit {
    rwl_span path; /* data NULL: look for a wanted one */
    rwl_bitmap *into;
    bool (*wanted)(void *ctx, rwl_span path);
    void *ctx;
    bool found;
} visit;

/* Rows of one data file stand together: each path is asked about once a stretch. */
static rwl_status look_for_path(const rwl_batch *batch, visit *v, rwl_error *err) {
    const rwl_column *paths = &batch->columns[0];
    if (paths->null_count > 0)
        return rwl_fail(err, RWL_CORRUPT, "a file_path is null");
    rwl_span last = rwl_span_of(NULL, 0);
    for (int64_t i = 0; i < batch->length && !v->found; i++) {
        rwl_span path = rwl_column_bytes(paths, i);
        if (last.data == NULL || !rwl_span_equal(path, last))
            v->found = v->wanted(v->ctx, path);
        last = path;
    }
    return RWL_OK;
}

static rwl_status read_batches(rwl_parquet_reader *reader, rwl_batch *batch, visit *v, rwl_error *err) {
    while (!v->found) {
        int64_t first;
        RWL_TRY(rwl_parquet_reader_next(reader, batch, &first, err));
        if (batch->length == 0)
            return RWL_OK;
        if (v->path.data != NULL)
            RWL_TRY(take_rows(batch, v->path, v->into, err));
        else
            RWL_TRY(look_for_path(batch, v, err));
    }
    return RWL_OK;
}

static rwl_status read_file(rwl_store *store, rwl_op *op, rwl_parquet_file *file, visit *v, rwl_error *err) {
    int32_t leaves[2];
    RWL_TRY(find_leaf(file, RWL_FIELD_ID_DELETE_PATH, "file_path", RWL_TYPE_STRING, &leaves[0], err));
    RWL_TRY(find_leaf(file, RWL_FIELD_ID_DELETE_POS, "pos", RWL_TYPE_LONG, &leaves[1], err));
    rwl_range *ranges = rwl_calloc(op->env, (size_t)file->group_count + 1, sizeof *ranges);
    if (ranges == NULL)
        return rwl_no_memory(err, (size_t)file->group_count);
    const int32_t nodes[2] = {file->leaves[leaves[0]].top, file->leaves[leaves[1]].top};
    const rwl_field fields[2] = {file->leaves[leaves[0]].field, file->leaves[leaves[1]].field};
    rwl_parquet_read_options options = {
        .nodes = nodes, .node_count = v->path.data != NULL ? 2 : 1, .row_count = -1};
    if (v->path.data != NULL) {
        options.ranges = ranges;
        options.range_count = prune_groups(file, leaves[0], v->path, ranges);
    }
    rwl_parquet_reader *reader = NULL;
    rwl_batch batch;
    rwl_status st = rwl_batch_init(&batch, op->env, fields, options.node_count, err);
    if (st == RWL_OK) {
        st = rwl_parquet_reader_new(store, op, file, &options, &reader, err);
        if (st == RWL_OK)
            st = read_batches(reader, &batch, v, err);
        rwl_parquet_reader_free(reader);
        rwl_batch_clear(&batch);
    }
    rwl_free(op->env, ranges);
    return st;
}

static rwl_status visit_file(rwl_store *store, rwl_op *op, const rwl_delete_ref *ref, visit *v,
                             rwl_error *err) {
    if (strcasecmp(ref->format, "parquet") != 0)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "position delete file %s has format %s, which can't be read yet", ref->location,
                        ref->format);
    rwl_parquet_file *file = NULL;
    RWL_TRY(rwl_parquet_open(store, op, ref->location, ref->file_size, &file, err));
    rwl_status st;
    if (file->row_count != ref->row_count)
        st = rwl_fail(err, RWL_CORRUPT, "the manifest says %" PRId64 " rows, the file has %" PRId64,
                      ref->row_count, file->row_count);
    else
        st = read_file(store, op, file, v, err);
    rwl_parquet_close(file);
    if (st == RWL_OK)
        return RWL_OK;
    return rwl_error_path(err, rwl_error_in(err, st, "position delete file %s", ref->location),
                          ref->location);
}

rwl_status rwl_position_deletes_read(rwl_store *store, rwl_op *op, const rwl_delete_ref *ref,
                                     const char *data_file, rwl_bitmap *into, rwl_error *err) {
    visit v = {.path = rwl_span_str(data_file), .into = into};
    return visit_file(store, op, ref, &v, err);
}

rwl_status rwl_position_deletes_search(rwl_store *store, rwl_op *op, const rwl_delete_ref *ref,
                                       bool (*wanted)(void *ctx, rwl_span path), void *ctx, bool *found,
                                       rwl_error *err) {
    visit v = {.wanted = wanted, .ctx = ctx};
    rwl_status st = visit_file(store, op, ref, &v, err);
    *found = v.found;
    return st;
}
