/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of a Lance reader: rows chosen by what they are worth in bytes, columns wanted and read side by side, ends evened out. */
#include "base/pool.h"
#include "base/vec.h"
#include "lancefile/field_internal.h"

#define BATCH_BYTES_DEFAULT ((size_t)64 * 1024 * 1024)

enum {
    LANES_MAX = 64,
    TASK_VALUES = 16384 /* a batch of fewer values is not worth handing out */
};

typedef struct reader_field {
    rwl_lance_field_reader *reader;
    rwl_lance_read_field what;
    rwl_status status; /* of the last step, told in the fields' order whatever ran first */
    rwl_error error;
} reader_field;

struct rwl_lance_reader {
    rwl_op *op;
    reader_field *fields;
    int32_t field_count, lane_count;
    int64_t row_count;
    size_t batch_bytes;
    struct rwl_pool *pool;
    RWL_VEC(rwl_range) ranges; /* of the batch */
    bool is_broken;
};

/* --- set-up --- */

/* Where a field lies. */
typedef struct places {
    const rwl_lancefile *file; /* one of them */
    bool is_several;           /* files */
} places;

/* Fails when a field at or below a node can't be read. */
static rwl_status check_node(const rwl_lance_read_field *field, const rwl_lance_node *node, int depth,
                             places *found, rwl_error *err) {
    if (depth > RWL_TYPE_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "nested deeper than %d levels", RWL_TYPE_DEPTH_MAX);
    if (node->refusal != NULL)
        return rwl_fail(err, RWL_UNSUPPORTED, "%s", node->refusal);
    if (node->index >= 0) {
        const rwl_lancefile *file = field->sources[node->index].file;
        found->is_several |= file != NULL && found->file != NULL && file != found->file;
        found->file = file != NULL ? file : found->file;
    }
    bool has_nodes = node->form != RWL_LANCE_VECTOR && node->form != RWL_LANCE_PACKED;
    for (int32_t i = 0; has_nodes && i < node->child_count; i++) {
        rwl_status st = check_node(field, &node->children[i], depth + 1, found, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "%s", node->children[i].field.name);
    }
    return RWL_OK;
}

static rwl_status open_field(rwl_lance_reader *r, const rwl_lance_read_field *what, reader_field *out,
                             rwl_error *err) {
    places found = {NULL, false};
    out->what = *what;
    rwl_status st = check_node(what, what->node, 0, &found, err);
    if (st == RWL_OK && found.is_several)
        st = rwl_lance_field_split_open(r->op, what, r->row_count, &out->reader, err);
    else if (st == RWL_OK && found.file != NULL && found.file->version == RWL_LANCEFILE_2_0)
        st = rwl_lance_field20_open(r->op, what, r->row_count, &out->reader, err);
    else if (st == RWL_OK)
        st = rwl_lance_field21_open(r->op, what, r->row_count, &out->reader, err);
    return st == RWL_OK ? RWL_OK : rwl_error_in(err, st, "field %s", what->node->field.name);
}

rwl_status rwl_lance_reader_new(rwl_op *op, const rwl_lance_read_options *options, rwl_lance_reader **out,
                                rwl_error *err) {
    *out = NULL;
    rwl_lance_reader *r = rwl_calloc(op->env, 1, sizeof *r);
    if (r == NULL)
        return rwl_no_memory(err, sizeof *r);
    r->op = op;
    r->row_count = options->row_count;
    r->batch_bytes = options->batch_bytes > 0 ? options->batch_bytes : BATCH_BYTES_DEFAULT;
    if (r->batch_bytes > RWL_COLUMN_BYTES_MAX)
        r->batch_bytes = RWL_COLUMN_BYTES_MAX;
    r->pool = options->pool;
    int lanes = rwl_pool_threads(r->pool);
    r->lane_count = lanes < LANES_MAX ? lanes : LANES_MAX;
    if (r->lane_count > options->field_count)
        r->lane_count = options->field_count;
    rwl_status st = RWL_OK;
    if (options->field_count > 0) {
        r->fields = rwl_calloc(op->env, (size_t)options->field_count, sizeof *r->fields);
        if (r->fields == NULL)
            st = rwl_no_memory(err, (size_t)options->field_count * sizeof *r->fields);
    }
    for (; st == RWL_OK && r->field_count < options->field_count; r->field_count++)
        st = open_field(r, &options->fields[r->field_count], &r->fields[r->field_count], err);
    if (st != RWL_OK) {
        rwl_lance_reader_free(r);
        return st;
    }
    *out = r;
    return RWL_OK;
}

void rwl_lance_reader_free(rwl_lance_reader *r) {
    if (r == NULL)
        return;
    for (int32_t i = 0; i < r->field_count; i++)
        if (r->fields[i].reader != NULL)
            r->fields[i].reader->vtable->close(r->fields[i].reader);
    rwl_free(r->op->env, r->fields);
    rwl_vec_clear(&r->ranges, r->op->env);
    rwl_free(r->op->env, r);
}

rwl_lance_read_stats rwl_lance_reader_stats(const rwl_lance_reader *r) {
    rwl_lance_read_stats all = {0, 0, 0};
    for (int32_t i = 0; i < r->field_count; i++) {
        const rwl_lance_read_stats *one = &r->fields[i].reader->stats;
        all.pages_read += one->pages_read;
        all.bytes_read += one->bytes_read;
        all.requests += one->requests;
    }
    return all;
}

/* --- which rows --- */

static rwl_status copy_ranges(rwl_lance_reader *r, const rwl_range *ranges, size_t count, rwl_error *err) {
    int64_t end = 0, rows = 0;
    r->ranges.len = 0;
    RWL_TRY(rwl_vec_reserve(&r->ranges, r->op->env, count, err));
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].start < end || ranges[i].count < 0 || ranges[i].start > r->row_count ||
            ranges[i].count > r->row_count - ranges[i].start)
            return rwl_fail(err, RWL_INTERNAL, "rows %lld + %lld behind row %lld, of %lld",
                            (long long)ranges[i].start, (long long)ranges[i].count, (long long)end,
                            (long long)r->row_count);
        end = ranges[i].start + ranges[i].count;
        rows += ranges[i].count;
        if (ranges[i].count > 0)
            r->ranges.items[r->ranges.len++] = ranges[i];
    }
    if (rows >= INT32_MAX)
        r->ranges.len = rwl_lance_cut_ranges(r->ranges.items, r->ranges.len, INT32_MAX - 1);
    return RWL_OK;
}

/* Cuts the batch's ranges to what no column's bytes pass, as far as that can be told beforehand. */
static rwl_status fit_ranges(rwl_lance_reader *r, rwl_error *err) {
    int64_t all = rwl_lance_count_rows(r->ranges.items, r->ranges.len), rows = all;
    for (int32_t i = 0; i < r->field_count; i++) {
        rwl_lance_field_reader *f = r->fields[i].reader;
        int64_t fits = rows;
        RWL_TRY(f->vtable->fit(f, r->ranges.items, r->ranges.len, r->batch_bytes, &fits, err));
        rows = fits < rows ? fits : rows;
    }
    if (rows < all)
        r->ranges.len = rwl_lance_cut_ranges(r->ranges.items, r->ranges.len, rows > 1 ? rows : 1);
    return RWL_OK;
}

/* --- columns, side by side --- */

typedef struct job {
    rwl_lance_reader *r;
    rwl_batch *batch; /* NULL: want only */
    int32_t lane;
} job;

static rwl_status run_field(const job *j, int32_t i, rwl_error *err) {
    rwl_lance_field_reader *reader = j->r->fields[i].reader;
    if (j->batch == NULL)
        return reader->vtable->want(reader, j->r->ranges.items, j->r->ranges.len, err);
    return reader->vtable->read(reader, j->r->batch_bytes, &j->batch->columns[i], err);
}

/* The fields of a lane. Failures stay with them. */
static rwl_status run_lane(void *arg, rwl_error *err) {
    (void)err;
    const job *j = arg;
    rwl_lance_reader *r = j->r;
    for (int32_t i = j->lane; i < r->field_count; i += r->lane_count) {
        r->fields[i].status = run_field(j, i, &r->fields[i].error);
        if (r->fields[i].status != RWL_OK)
            break;
    }
    return RWL_OK;
}

static rwl_status run_lanes(rwl_lance_reader *r, rwl_batch *batch, int64_t rows, rwl_error *err) {
    job jobs[LANES_MAX];
    rwl_group *group = NULL;
    bool is_small = rows * r->field_count < TASK_VALUES;
    RWL_TRY(rwl_group_new(is_small ? NULL : r->pool, r->op, &group, err));
    rwl_status st = RWL_OK;
    for (int32_t i = 0; i < r->lane_count && st == RWL_OK; i++) {
        jobs[i] = (job){r, batch, i};
        st = rwl_group_submit(group, run_lane, &jobs[i], err);
    }
    rwl_status waited = rwl_group_wait(group, st == RWL_OK ? err : NULL);
    rwl_group_free(group);
    return st == RWL_OK ? waited : st;
}

static rwl_status run_fields(rwl_lance_reader *r, rwl_batch *batch, int64_t rows, rwl_error *err) {
    for (int32_t i = 0; i < r->field_count; i++)
        r->fields[i].status = RWL_OK;
    if (r->field_count > 0)
        RWL_TRY(run_lanes(r, batch, rows, err));
    for (int32_t i = 0; i < r->field_count; i++) {
        reader_field *f = &r->fields[i];
        if (f->status == RWL_OK)
            continue;
        if (err != NULL)
            *err = f->error;
        return rwl_error_in(err, f->status, "field %s", f->what.node->field.name);
    }
    return RWL_OK;
}

/* --- batches --- */

static rwl_status check_batch(const rwl_lance_reader *r, const rwl_batch *batch, rwl_error *err) {
    if (r->is_broken)
        return rwl_fail(err, RWL_INTERNAL, "a read after one that failed");
    if (batch->column_count != r->field_count)
        return rwl_fail(err, RWL_INTERNAL, "batch of %d columns for %d", batch->column_count, r->field_count);
    for (int32_t i = 0; i < r->field_count; i++)
        if (!rwl_type_equal(&batch->columns[i].type, &r->fields[i].what.node->field.type))
            return rwl_fail(err, RWL_INTERNAL, "field %s: batch of another type",
                            r->fields[i].what.node->field.name);
    return RWL_OK;
}

static rwl_status read_batch(rwl_lance_reader *r, const rwl_range *ranges, size_t count, rwl_batch *batch,
                             rwl_error *err) {
    RWL_TRY(rwl_op_check(r->op, err));
    RWL_TRY(copy_ranges(r, ranges, count, err));
    if (r->ranges.len == 0)
        return RWL_OK;
    RWL_TRY(fit_ranges(r, err));
    int64_t rows = rwl_lance_count_rows(r->ranges.items, r->ranges.len);
    RWL_TRY(run_fields(r, NULL, rows, err)); /* all bytes are on their way before any is decoded */
    RWL_TRY(run_fields(r, batch, rows, err));
    for (int32_t i = 0; i < r->field_count; i++)
        rows = batch->columns[i].length < rows ? batch->columns[i].length : rows;
    if (rows <= 0)
        return rwl_fail(err, RWL_INTERNAL, "a batch without rows");
    for (int32_t i = 0; i < r->field_count; i++)
        RWL_TRY(rwl_lance_cut_column(r->op->env, &batch->columns[i], rows, err));
    batch->length = rows;
    return RWL_OK;
}

rwl_status rwl_lance_reader_read(rwl_lance_reader *r, const rwl_range *ranges, size_t count, rwl_batch *batch,
                                 rwl_error *err) {
    RWL_TRY(check_batch(r, batch, err));
    rwl_batch_reset(batch);
    rwl_status st = read_batch(r, ranges, count, batch, err);
    if (st != RWL_OK) {
        r->is_broken = true;
        rwl_batch_reset(batch);
    }
    return st;
}
