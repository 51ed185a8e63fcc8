/* SPDX-License-Identifier: Apache-2.0 */
/* Which lineage columns can be copied, and the values of those that can't. */
#include "engine/stored_lineage.h"

#include "lineage/carry.h"
#include "lineage/inherit.h"
#include "parquet/reader.h"

static const int32_t field_ids[2] = {RWL_FIELD_ID_ROW_ID, RWL_FIELD_ID_LAST_UPDATED};

/* --- what a file stores --- */

/* No null in any row group, and ids within known bounds: the manifest is pinned by them. */
static bool is_whole(const rwl_parquet_file *file, const rwl_parquet_leaf *leaf, bool bounded) {
    rwl_value bound;
    for (int32_t g = 0; g < file->group_count; g++) {
        const rwl_parquet_chunk *chunk = &file->groups[g].chunks[leaf->column];
        if (file->groups[g].row_count == 0)
            continue;
        if (chunk->stats.null_count != 0)
            return false;
        if (bounded && (!rwl_parquet_stats_value(leaf, chunk->stats.min, &bound) ||
                        !rwl_parquet_stats_value(leaf, chunk->stats.max, &bound)))
            return false;
    }
    return true;
}

static bool has_encoding(const rwl_parquet_file *file, const rwl_parquet_leaf *leaf,
                         rwl_parquet_encoding encoding) {
    for (int32_t g = 0; g < file->group_count; g++)
        if (file->groups[g].chunks[leaf->column].encodings & UINT32_C(1) << encoding)
            return true;
    return false;
}

rwl_status rwl_lineage_source_init(rwl_lineage_source *source, const rwl_fragment *fragment,
                                   const rwl_parquet_file *file, rwl_row_id_encoding encoding,
                                   rwl_error *err) {
    memset(source, 0, sizeof *source);
    source->fragment = fragment;
    for (int i = 0; i < 2 && fragment->lineage.has_first_row_id; i++) {
        const rwl_parquet_leaf *leaf = rwl_parquet_leaf_by_id(file, field_ids[i]);
        if (leaf == NULL)
            continue;
        if (leaf->field.type.kind != RWL_TYPE_LONG)
            return rwl_fail(err, RWL_CORRUPT, "data file %s: lineage column %s is no long", file->location,
                            leaf->field.name);
        source->is_stored[i] = true;
        source->from_file[i] = is_whole(file, leaf, i == 0);
        if (i == 0 && encoding == RWL_ROW_ID_PLAIN &&
            has_encoding(file, leaf, RWL_PARQUET_DELTA_BINARY_PACKED))
            source->from_file[i] = false;
    }
    return RWL_OK;
}

/* --- values --- */

/* A stored column being read, in file order. */
typedef struct stored_column {
    const rwl_lineage_source *source; /* NULL: none */
    rwl_parquet_reader *reader;
    rwl_batch batch;
    bool has_batch;
    int64_t pos; /* of the batch's first row */
} stored_column;

struct rwl_lineage_maker {
    rwl_store *store;
    rwl_op *op;
    stored_column stored[2];
    rwl_runs ids, versions;
};

rwl_status rwl_lineage_maker_new(rwl_store *store, rwl_op *op, rwl_lineage_maker **out, rwl_error *err) {
    rwl_lineage_maker *m = rwl_calloc(op->env, 1, sizeof *m);
    if (m == NULL)
        return rwl_no_memory(err, sizeof *m);
    m->store = store;
    m->op = op;
    rwl_runs_init(&m->ids, op->env, 1);
    rwl_runs_init(&m->versions, op->env, 0);
    *out = m;
    return RWL_OK;
}

static void close_column(stored_column *c) {
    rwl_parquet_reader_free(c->reader);
    if (c->has_batch)
        rwl_batch_clear(&c->batch);
    memset(c, 0, sizeof *c);
}

void rwl_lineage_maker_free(rwl_lineage_maker *m) {
    if (m == NULL)
        return;
    for (int i = 0; i < 2; i++)
        close_column(&m->stored[i]);
    rwl_runs_clear(&m->ids);
    rwl_runs_clear(&m->versions);
    rwl_free(m->op->env, m);
}

static rwl_status open_column(rwl_lineage_maker *m, const rwl_lineage_source *source, rwl_parquet_file *file,
                              int which, int64_t first, rwl_error *err) {
    stored_column *c = &m->stored[which];
    close_column(c);
    int32_t node = rwl_parquet_node_by_id(file, field_ids[which]), count;
    rwl_parquet_read_options options = {.nodes = &node, .node_count = 1, .first_row = first, .row_count = -1};
    RWL_TRY(rwl_parquet_reader_new(m->store, m->op, file, &options, &c->reader, err));
    const rwl_field *fields = rwl_parquet_reader_fields(c->reader, &count);
    c->has_batch = true;
    RWL_TRY(rwl_batch_init(&c->batch, m->op->env, fields, count, err));
    c->source = source;
    return RWL_OK;
}

/* The batch with row `pos` of the source, whose index in it goes to *at. */
static rwl_status find_row(rwl_lineage_maker *m, const rwl_lineage_source *source, rwl_parquet_file *file,
                           int which, int64_t pos, int64_t *at, rwl_error *err) {
    stored_column *c = &m->stored[which];
    if (c->source != source || pos < c->pos)
        RWL_TRY(open_column(m, source, file, which, pos, err));
    while (pos >= c->pos + c->batch.length) {
        RWL_TRY(rwl_op_check(m->op, err));
        RWL_TRY(rwl_parquet_reader_next(c->reader, &c->batch, &c->pos, err));
        if (c->batch.length == 0)
            return rwl_fail(err, RWL_CORRUPT, "data file %s has no row %lld", file->location, (long long)pos);
    }
    *at = pos - c->pos;
    return RWL_OK;
}

/* Rows of a source whose stored values are in the batch at hand, or that has none. */
static rwl_status inherit(rwl_lineage_maker *m, const rwl_lineage_source *source, int which, int64_t first,
                          int64_t count, int64_t at, rwl_error *err) {
    const rwl_lineage_base *base = &source->fragment->lineage;
    const rwl_inherit_file file = {rwl_some(base->first_row_id), base->sequence_number};
    rwl_inherit_stored stored = {NULL, NULL};
    if (source->is_stored[which])
        *(which == 0 ? &stored.ids : &stored.versions) = &m->stored[which].batch.columns[0];
    return rwl_inherit_rows(&file, first, count, &stored, at, &m->ids, &m->versions, err);
}

static rwl_status make_runs(rwl_lineage_maker *m, const rwl_lineage_source *source, rwl_parquet_file *file,
                            int which, int64_t first, int64_t count, rwl_error *err) {
    const rwl_lineage_base *base = &source->fragment->lineage;
    rwl_runs_reset(&m->ids);
    rwl_runs_reset(&m->versions);
    if (!base->has_first_row_id)
        return rwl_carry_unnumbered(base->sequence_number, count, &m->ids, &m->versions, err);
    for (int64_t done = 0, step; done < count; done += step) {
        int64_t at = 0;
        step = count - done;
        if (source->is_stored[which]) {
            RWL_TRY(find_row(m, source, file, which, first + done, &at, err));
            int64_t left = m->stored[which].batch.length - at;
            step = step < left ? step : left;
        }
        RWL_TRY(inherit(m, source, which, first + done, step, at, err));
    }
    return RWL_OK;
}

rwl_status rwl_lineage_make(rwl_lineage_maker *m, const rwl_lineage_source *source, rwl_parquet_file *file,
                            int which, int64_t first, int64_t count, rwl_column *out, rwl_error *err) {
    rwl_status st = make_runs(m, source, file, which, first, count, err);
    if (st != RWL_OK)
        return rwl_error_in(err, st, "data file %s", file->location);
    return rwl_runs_to_column(which == 0 ? &m->ids : &m->versions, out, err);
}
