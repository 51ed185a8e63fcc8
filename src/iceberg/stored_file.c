/* SPDX-License-Identifier: Apache-2.0 */
/* One face for files of every format: the format is looked at here and nowhere above. */
#include "iceberg/stored_file.h"

#include "iceberg/stored_avro.h"

#include <strings.h>

typedef struct stored_file {
    rwl_stored_file base;
    rwl_arena arena;
} stored_file;

struct rwl_stored_reader {
    rwl_stored_file *file;
    rwl_parquet_reader *parquet; /* or */
    rwl_stored_avro *avro;
    bool *wanted; /* a flag a leaf of the Parquet file */
};

/* --- leaves --- */

static int32_t count_leaves(const rwl_field *field, int depth) {
    const rwl_type *t = &field->type;
    if (t->child_count == 0 || depth > RWL_TYPE_DEPTH_MAX)
        return 1;
    int32_t count = 0;
    for (int32_t i = 0; i < t->child_count; i++)
        count += count_leaves(&t->children[i], depth + 1);
    return count;
}

int32_t rwl_field_leaf_count(const rwl_field *field) {
    return count_leaves(field, 0);
}

static bool has_ids(const rwl_field *fields, int32_t count, int depth) {
    for (int32_t i = 0; i < count && depth <= RWL_TYPE_DEPTH_MAX; i++)
        if (fields[i].id >= 0 || has_ids(fields[i].type.children, fields[i].type.child_count, depth + 1))
            return true;
    return false;
}

/* --- the fields of a Parquet file --- */

static bool has_unsupported(const rwl_parquet_file *file, const rwl_parquet_node *node) {
    for (int32_t i = 0; i < node->leaf_count; i++)
        if (file->leaves[node->first_leaf + i].unsupported)
            return true;
    return false;
}

/* The node's field, with leaves of no type of ours as UNKNOWN. Nodes are no
 * deeper than types may be. */
static rwl_status copy_node(stored_file *f, const rwl_parquet_node *node, rwl_field *out, rwl_error *err) {
    const rwl_parquet_file *file = f->base.parquet;
    *out = node->field;
    if (!has_unsupported(file, node))
        return RWL_OK;
    if (node->child_count == 0) {
        out->type = rwl_type_of(RWL_TYPE_UNKNOWN);
        return RWL_OK;
    }
    rwl_field *children = rwl_arena_array(&f->arena, (size_t)node->child_count, sizeof *children);
    if (children == NULL)
        return rwl_no_memory(err, sizeof *children);
    for (int32_t i = 0; i < node->child_count; i++)
        RWL_TRY(copy_node(f, &node->children[i], &children[i], err));
    out->type.children = children;
    return RWL_OK;
}

static rwl_status list_parquet_fields(stored_file *f, rwl_error *err) {
    const rwl_parquet_file *file = f->base.parquet;
    rwl_field *fields = rwl_arena_array(&f->arena, (size_t)file->node_count, sizeof *fields);
    if (fields == NULL)
        return rwl_no_memory(err, sizeof *fields);
    for (int32_t i = 0; i < file->node_count; i++)
        RWL_TRY(copy_node(f, &file->nodes[i], &fields[i], err));
    f->base.fields = fields;
    f->base.field_count = file->node_count;
    f->base.row_count = file->row_count;
    return RWL_OK;
}

/* Flags of our leaves as flags of the file's: a variant has several, the value
 * of a map that is a set has none. */
static void spread_wanted(const rwl_parquet_node *node, const bool **from, bool *to) {
    if (node->child_count == 0) {
        for (int32_t i = 0; i < node->leaf_count; i++)
            to[node->first_leaf + i] = **from;
        ++*from;
        return;
    }
    for (int32_t i = 0; i < node->child_count; i++)
        spread_wanted(&node->children[i], from, to);
}

/* --- opening --- */

static rwl_status open_parquet(stored_file *f, rwl_store *store, rwl_op *op, int64_t known_size,
                               rwl_error *err) {
    RWL_TRY(rwl_parquet_open(store, op, f->base.location, known_size, &f->base.parquet, err));
    return list_parquet_fields(f, err);
}

static rwl_status open_format(stored_file *f, rwl_store *store, rwl_op *op, const char *format,
                              int64_t known_size, rwl_error *err) {
    if (strcasecmp(format, "parquet") == 0)
        return open_parquet(f, store, op, known_size, err);
    if (strcasecmp(format, "avro") == 0) {
        RWL_TRY(rwl_avro_rows_open(store, op, f->base.location, known_size, &f->base.avro, err));
        f->base.fields = rwl_avro_rows_fields(f->base.avro, &f->base.field_count);
        return RWL_OK;
    }
    if (strcasecmp(format, "orc") == 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "format %s, which can't be read yet", format);
    return rwl_fail(err, RWL_CORRUPT, "format %s, which is none", format);
}

rwl_status rwl_stored_file_open(rwl_store *store, rwl_op *op, const char *location, const char *format,
                                int64_t known_size, rwl_stored_file **out, rwl_error *err) {
    *out = NULL;
    stored_file *f = rwl_calloc(op->env, 1, sizeof *f);
    if (f == NULL)
        return rwl_no_memory(err, sizeof *f);
    f->base.env = op->env;
    f->base.row_count = -1;
    rwl_arena_init(&f->arena, op->env, 0);
    f->base.location = rwl_arena_strdup(&f->arena, location);
    rwl_status st = f->base.location != NULL ? open_format(f, store, op, format, known_size, err)
                                             : rwl_no_memory(err, strlen(location));
    if (st == RWL_CORRUPT || st == RWL_UNSUPPORTED) /* the message is about what is inside and names no
                                file */
        st = rwl_error_path(err, rwl_error_in(err, st, "%s", location), location);
    if (st != RWL_OK) {
        rwl_stored_file_close(&f->base);
        return st;
    }
    f->base.without_ids = !has_ids(f->base.fields, f->base.field_count, 0);
    *out = &f->base;
    return RWL_OK;
}

void rwl_stored_file_close(rwl_stored_file *file) {
    if (file == NULL)
        return;
    stored_file *f = (stored_file *)file; /* its first member */
    rwl_parquet_close(f->base.parquet);
    rwl_avro_rows_close(f->base.avro);
    rwl_arena_clear(&f->arena);
    rwl_free(f->base.env, f);
}

/* --- reading --- */

static rwl_status start_parquet(rwl_stored_reader *r, rwl_store *store, rwl_op *op,
                                const rwl_stored_read_options *options, rwl_error *err) {
    rwl_parquet_file *file = r->file->parquet;
    rwl_parquet_read_options o = {
        .nodes = options->columns,
        .node_count = options->column_count,
        .row_count = -1,
        .ranges = options->ranges,
        .range_count = options->range_count,
        .batch_rows = options->batch_rows,
        .batch_bytes = options->batch_bytes,
        .skip_page_crc = options->skip_page_crc,
        .pool = options->pool,
    };
    if (options->wanted != NULL) {
        const bool *from = options->wanted;
        r->wanted = rwl_calloc(r->file->env, (size_t)file->leaf_count + 1, sizeof *r->wanted);
        if (r->wanted == NULL)
            return rwl_no_memory(err, (size_t)file->leaf_count);
        for (int32_t i = 0; i < file->node_count; i++)
            spread_wanted(&file->nodes[i], &from, r->wanted);
        o.wanted = r->wanted;
    }
    return rwl_parquet_reader_new(store, op, file, &o, &r->parquet, err);
}

rwl_status rwl_stored_reader_new(rwl_store *store, rwl_op *op, rwl_stored_file *file,
                                 const rwl_stored_read_options *options, rwl_stored_reader **out,
                                 rwl_error *err) {
    *out = NULL;
    rwl_stored_reader *r = rwl_calloc(file->env, 1, sizeof *r);
    if (r == NULL)
        return rwl_no_memory(err, sizeof *r);
    r->file = file;
    rwl_status st = file->avro != NULL ? rwl_stored_avro_new(file->avro, op, options, &r->avro, err)
                                       : start_parquet(r, store, op, options, err);
    if (st == RWL_OK)
        *out = r;
    else
        rwl_stored_reader_free(r);
    return st;
}

void rwl_stored_reader_free(rwl_stored_reader *r) {
    if (r == NULL)
        return;
    rwl_parquet_reader_free(r->parquet);
    rwl_stored_avro_free(r->avro);
    rwl_free(r->file->env, r->wanted);
    rwl_free(r->file->env, r);
}

const rwl_field *rwl_stored_reader_fields(const rwl_stored_reader *r, int32_t *count) {
    return r->avro != NULL ? rwl_stored_avro_fields(r->avro, count)
                           : rwl_parquet_reader_fields(r->parquet, count);
}

rwl_status rwl_stored_reader_next(rwl_stored_reader *r, rwl_batch *batch, int64_t *first_pos,
                                  rwl_error *err) {
    return r->avro != NULL ? rwl_stored_avro_next(r->avro, batch, first_pos, err)
                           : rwl_parquet_reader_next(r->parquet, batch, first_pos, err);
}

rwl_status rwl_stored_reader_take(rwl_stored_reader *r, const rwl_range *ranges, size_t count,
                                  rwl_batch *batch, rwl_error *err) {
    return r->avro != NULL ? rwl_stored_avro_take(r->avro, ranges, count, batch, err)
                           : rwl_parquet_reader_take(r->parquet, ranges, count, batch, err);
}

rwl_parquet_read_stats rwl_stored_reader_stats(const rwl_stored_reader *r) {
    if (r->avro != NULL)
        return (rwl_parquet_read_stats){.bytes_read = rwl_stored_avro_bytes_read(r->avro)};
    return rwl_parquet_reader_stats(r->parquet);
}
