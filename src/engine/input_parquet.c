/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a Parquet file, columns by name. */
#include "engine/input.h"

#include "parquet/reader.h"

typedef struct parquet_input {
    rwl_input base;
    rwl_op *op;
    rwl_arena arena;
    const char *path;
    const rwl_schema *schema;
    rwl_store *store;
    rwl_parquet_file *file;
    rwl_parquet_reader *reader;
    int32_t *columns;
    rwl_batch rows; /* in the file's own types */
} parquet_input;

static void close_parquet(rwl_input *base) {
    parquet_input *in = (parquet_input *)base;
    rwl_batch_clear(&in->rows);
    rwl_parquet_reader_free(in->reader);
    rwl_parquet_close(in->file);
    rwl_store_free(in->store);
    rwl_arena_clear(&in->arena);
    rwl_free(in->op->env, in);
}

static rwl_status next_parquet(rwl_input *base, rwl_batch *batch, rwl_error *err) {
    parquet_input *in = (parquet_input *)base;
    int64_t first_pos;
    rwl_status st = rwl_parquet_reader_next(in->reader, &in->rows, &first_pos, err);
    if (st != RWL_OK)
        return rwl_error_path(err, rwl_error_in(err, st, "%s", in->path), in->path);
    for (int32_t i = 0; i < in->rows.column_count; i++) {
        st = rwl_column_check_values(&in->rows.columns[i], err);
        if (st != RWL_OK) {
            st = rwl_error_in(err, st, "%s: column %s, from row %lld on", in->path,
                              in->file->nodes[i].field.name, (long long)first_pos);
            return rwl_error_path(err, st, in->path);
        }
    }
    return rwl_input_convert(in->path, in->schema, in->columns, &in->rows, batch, err);
}

/* The file's columns as fields. */
static rwl_status list_fields(parquet_input *in, rwl_field **fields, int32_t **nodes, rwl_error *err) {
    size_t count = (size_t)in->file->node_count;
    *fields = rwl_arena_array(&in->arena, count, sizeof **fields);
    *nodes = rwl_arena_array(&in->arena, count, sizeof **nodes);
    in->columns = rwl_arena_array(&in->arena, (size_t)in->schema->field_count, sizeof *in->columns);
    if (*fields == NULL || *nodes == NULL || in->columns == NULL)
        return rwl_no_memory(err, count * sizeof **fields);
    for (int32_t i = 0; i < in->file->node_count; i++) {
        (*fields)[i] = in->file->nodes[i].field;
        (*nodes)[i] = i;
    }
    return RWL_OK;
}

static rwl_status open_parquet(parquet_input *in, rwl_error *err) {
    RWL_TRY(rwl_store_local_new(in->op->env, NULL, 0, &in->store, err));
    rwl_status st = rwl_parquet_open(in->store, in->op, in->path, -1, &in->file, err);
    if (st == RWL_CORRUPT || st == RWL_UNSUPPORTED) /* the message is about the footer and names no file */
        return rwl_error_in(err, st, "%s", in->path);
    RWL_TRY(st);
    rwl_field *fields;
    rwl_parquet_read_options options = {.row_count = -1, .node_count = in->file->node_count};
    int32_t *nodes;
    RWL_TRY(list_fields(in, &fields, &nodes, err));
    RWL_TRY(rwl_input_match(in->path, in->schema, fields, in->file->node_count, in->columns, err));
    options.nodes = nodes;
    RWL_TRY(rwl_batch_init(&in->rows, in->op->env, fields, in->file->node_count, err));
    return rwl_parquet_reader_new(in->store, in->op, in->file, &options, &in->reader, err);
}

rwl_status rwl_input_open_parquet(rwl_op *op, const char *path, const rwl_schema *schema, rwl_input **out,
                                  rwl_error *err) {
    static const rwl_input_vtable vtable = {next_parquet, close_parquet};
    if (strcmp(path, "-") == 0)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "parquet can't be read from standard input: it is read from its end");
    parquet_input *in = rwl_calloc(op->env, 1, sizeof *in);
    if (in == NULL)
        return rwl_no_memory(err, sizeof *in);
    in->base.vtable = &vtable;
    in->op = op;
    in->schema = schema;
    in->rows.env = op->env;
    rwl_arena_init(&in->arena, op->env, 0);
    in->path = rwl_arena_strdup(&in->arena, path);
    rwl_status st = in->path != NULL ? open_parquet(in, err) : rwl_no_memory(err, strlen(path));
    if (st != RWL_OK) {
        close_parquet(&in->base);
        return st;
    }
    *out = &in->base;
    return RWL_OK;
}
