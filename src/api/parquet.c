/* SPDX-License-Identifier: Apache-2.0 */
/* Parquet files by themselves: opened as a table state without metadata, written, stitched. */
#include "api/api_internal.h"

#include "column/arrow.h"
#include "engine/scan.h"
#include "engine/write_properties.h"
#include "parquet/stitch.h"
#include "parquet/write_schema.h"

struct rowline_parquet {
    rowline_context *context;
    rwl_table *table; /* a data file by itself */
};

static rwl_parquet_file *file_of(const rowline_parquet *p) {
    return rwl_bare_file_parquet(p->table->file);
}

rowline_status rowline_parquet_open(rowline_context *context, const char *location, rowline_parquet **out,
                                    rowline_error *err) {
    rwl_table *table = NULL;
    *out = NULL;
    RWL_TRY(rwl_table_open_file(&context->op, location, &table, err));
    rowline_parquet *p = rwl_calloc(&context->env, 1, sizeof *p);
    if (p == NULL) {
        rwl_table_free(table);
        return rwl_no_memory(err, sizeof *p);
    }
    p->context = context;
    p->table = table;
    *out = p;
    return RWL_OK;
}

void rowline_parquet_close(rowline_parquet *p) {
    if (p == NULL)
        return;
    rwl_table_free(p->table);
    rwl_free(&p->context->env, p);
}

rowline_status rowline_parquet_describe(const rowline_parquet *p, rowline_parquet_info *out,
                                        rowline_error *err) {
    (void)err;
    const rwl_parquet_file *f = file_of(p);
    rowline_parquet_info info = {.rows = f->row_count,
                                 .bytes = f->size,
                                 .row_groups = f->group_count,
                                 .columns = f->node_count,
                                 .created_by = f->created_by};
    rwl_api_result(out, &info, sizeof info);
    return RWL_OK;
}

static bool can_read(const rwl_parquet_file *f, const rwl_parquet_node *node) {
    for (int32_t i = 0; i < node->leaf_count; i++)
        if (f->leaves[node->first_leaf + i].unsupported)
            return false;
    return true;
}

rowline_status rowline_parquet_schema(const rowline_parquet *p, struct ArrowSchema *out, rowline_error *err) {
    const rwl_parquet_file *f = file_of(p);
    const rwl_env *env = &p->context->env;
    rwl_field *fields = rwl_calloc(env, (size_t)f->node_count + 1, sizeof *fields);
    if (fields == NULL)
        return rwl_no_memory(err, (size_t)f->node_count * sizeof *fields);
    int32_t count = 0;
    for (int32_t i = 0; i < f->node_count; i++)
        if (can_read(f, &f->nodes[i]))
            fields[count++] = f->nodes[i].field;
    rwl_status st = rwl_arrow_export_schema(env, fields, count, out, err);
    rwl_free(env, fields);
    return st;
}

/* --- reading --- */

/* The columns as the text of a --select: quoted names. */
static rwl_status select_text(const rowline_parquet_read_options *o, rwl_buf *out, rwl_error *err) {
    for (size_t i = 0; i < o->column_count; i++) {
        RWL_TRY(rwl_buf_str(out, i > 0 ? ", \"" : "\"", err));
        for (const char *p = o->columns[i]; *p != '\0'; p++) {
            RWL_TRY(rwl_buf_u8(out, (uint8_t)*p, err));
            if (*p == '"')
                RWL_TRY(rwl_buf_u8(out, '"', err));
        }
        RWL_TRY(rwl_buf_u8(out, '"', err));
    }
    return rwl_buf_terminate(out, err);
}

/* The rows asked for; *none when there are none. */
static rwl_status row_range(const rowline_parquet_read_options *o, int64_t rows, rwl_range *out, bool *none,
                            rwl_error *err) {
    if (o->first_row < 0 || o->row_count < -1)
        return rwl_fail(err, RWL_USAGE, "rows %lld and %lld more", (long long)o->first_row,
                        (long long)o->row_count);
    int64_t first = o->first_row < rows ? o->first_row : rows;
    *out = (rwl_range){first, o->row_count > 0 && o->row_count < rows - first ? o->row_count : rows - first};
    *none = out->count == 0;
    return RWL_OK;
}

rowline_status rowline_parquet_read(rowline_parquet *p, const rowline_parquet_read_options *options,
                                    struct ArrowArrayStream *out, rowline_error *err) {
    rowline_parquet_read_options o;
    rwl_range range;
    bool none;
    rwl_buf select;
    RWL_TRY(rwl_api_options(&o, sizeof o, options, err));
    RWL_TRY(row_range(&o, file_of(p)->row_count, &range, &none, err));
    rwl_buf_init(&select, &p->context->env, SIZE_MAX);
    rwl_scan *scan = NULL;
    rwl_status st = select_text(&o, &select, err);
    if (st == RWL_OK) {
        rwl_scan_options how = {
            .rows = {.select = o.columns != NULL ? (const char *)select.data : NULL, .where = o.where},
            .limit = none ? 0 : -1,
            .skip_page_crc = o.no_verify_pages != 0,
            .range = range,
            .batch_rows = o.batch_rows,
        };
        st = rwl_scan_open(p->table, &p->context->op, &how, &scan, err);
    }
    rwl_buf_clear(&select);
    if (st != RWL_OK)
        return st;
    return rwl_api_scan_stream(p->context, scan, out, err);
}

rowline_status rowline_parquet_read_get_stats(struct ArrowArrayStream *stream, rowline_scan_stats *stats,
                                              rowline_error *err) {
    return rowline_scan_get_stats(stream, stats, err);
}

/* --- writing --- */

/* Options of a written file, with what they point to. */
typedef struct write_setup {
    rwl_arena arena;
    rwl_json *properties;
    rwl_parquet_write_options options;
} write_setup;

static void init_setup(write_setup *s, const rowline_context *context) {
    memset(s, 0, sizeof *s);
    rwl_arena_init(&s->arena, &context->env, 0);
}

static void clear_setup(write_setup *s) {
    rwl_json_free(s->properties);
    rwl_arena_clear(&s->arena);
}

static rwl_status check_list(const void *items, size_t count, const char *what, rwl_error *err) {
    if (items == NULL && count > 0)
        return rwl_fail(err, RWL_USAGE, "%zu %s at NULL", count, what);
    if (count > INT32_MAX)
        return rwl_fail(err, RWL_USAGE, "%zu %s are too many", count, what);
    return RWL_OK;
}

static rwl_status set_properties(write_setup *s, const rowline_parquet_write_options *o, rwl_error *err) {
    s->properties = rwl_json_new_object();
    if (s->properties == NULL)
        return rwl_no_memory(err, 64);
    for (size_t i = 0; i < o->property_count; i++) {
        if (o->properties[i].key == NULL || o->properties[i].value == NULL)
            return rwl_fail(err, RWL_USAGE, "a property needs a key and a value");
        RWL_TRY(
            rwl_json_set(s->properties, o->properties[i].key, rwl_json_new_str(o->properties[i].value), err));
    }
    return RWL_OK;
}

static rwl_status set_key_values(write_setup *s, const rowline_parquet_write_options *o, rwl_error *err) {
    const char **keys = rwl_arena_array(&s->arena, o->key_value_count, sizeof *keys);
    const char **values = rwl_arena_array(&s->arena, o->key_value_count, sizeof *values);
    if (keys == NULL || values == NULL)
        return rwl_no_memory(err, o->key_value_count * sizeof *keys);
    for (size_t i = 0; i < o->key_value_count; i++) {
        keys[i] = o->key_values[i].key;
        values[i] = o->key_values[i].value;
        if (keys[i] == NULL || values[i] == NULL)
            return rwl_fail(err, RWL_USAGE, "a key of the footer needs a value");
    }
    s->options.kv_keys = keys;
    s->options.kv_values = values;
    s->options.kv_count = (int32_t)o->key_value_count;
    return RWL_OK;
}

/* The leaf that a column is by itself; -1 when it has none, or others. */
static int32_t flat_leaf(const rwl_parquet_write_schema *schema, int32_t column) {
    for (int32_t i = 0; i < schema->leaf_count; i++)
        if (schema->leaves[i].top == column)
            return schema->leaves[i].path_len == 1 ? i : -1;
    return -1;
}

static rwl_status set_sorting(write_setup *s, const rowline_parquet_write_options *o, const rwl_field *fields,
                              int32_t field_count, rwl_error *err) {
    rwl_parquet_write_schema schema;
    if (o->sorted_by_count == 0)
        return RWL_OK;
    RWL_TRY(rwl_parquet_write_schema_make(fields, field_count, &s->arena, &schema, err));
    rwl_parquet_sorting *sorting = rwl_arena_array(&s->arena, o->sorted_by_count, sizeof *sorting);
    if (sorting == NULL)
        return rwl_no_memory(err, o->sorted_by_count * sizeof *sorting);
    for (size_t i = 0; i < o->sorted_by_count; i++) {
        sorting[i] = (rwl_parquet_sorting){.leaf = flat_leaf(&schema, o->sorted_by[i]), .nulls_first = true};
        if (sorting[i].leaf < 0)
            return rwl_fail(err, RWL_USAGE, "sorted by column %d, which is not a flat one", o->sorted_by[i]);
    }
    s->options.sorting = sorting;
    s->options.sorting_count = (int32_t)o->sorted_by_count;
    return RWL_OK;
}

static rwl_status set_up(write_setup *s, const rowline_context *context,
                         const rowline_parquet_write_options *given, const rwl_field *fields,
                         int32_t field_count, rwl_error *err) {
    rowline_parquet_write_options o;
    RWL_TRY(rwl_api_options(&o, sizeof o, given, err));
    RWL_TRY(check_list(o.properties, o.property_count, "properties", err));
    RWL_TRY(check_list(o.key_values, o.key_value_count, "key values", err));
    RWL_TRY(check_list(o.sorted_by, o.sorted_by_count, "sorting columns", err));
    RWL_TRY(set_properties(s, &o, err));
    RWL_TRY(set_key_values(s, &o, err));
    RWL_TRY(set_sorting(s, &o, fields, field_count, err));
    s->options.pool = context->env.pool;
    RWL_TRY(rwl_write_properties_read(s->properties, fields, field_count, &s->arena, &s->options, err));
    rwl_write_properties_limit(&s->options, context->op.memory_limit, field_count);
    return RWL_OK;
}

static void give_result(rowline_parquet_result *given, const rwl_parquet_written *written,
                        const rwl_parquet_stitch_stats *stats) {
    rowline_parquet_result out = {.rows = written->row_count,
                                  .bytes = written->file_size,
                                  .row_groups = written->split_count,
                                  .pages_copied = stats->pages_copied,
                                  .pages_recoded = stats->pages_recoded,
                                  .pages_encoded = stats->pages_encoded};
    if (given != NULL)
        rwl_api_result(given, &out, sizeof out);
}

struct rowline_parquet_writer {
    rowline_context *context;
    rwl_arena arena; /* fields */
    struct ArrowSchema schema;
    rwl_store *store;
    rwl_parquet_writer *writer;
    rwl_batch batch;
    rwl_status failed; /* the first failure of a write; the file is not finished after it */
};

static void free_writer(rowline_parquet_writer *w) {
    if (w->batch.env != NULL)
        rwl_batch_clear(&w->batch);
    rwl_store_free(w->store);
    if (w->schema.release != NULL)
        w->schema.release(&w->schema);
    rwl_arena_clear(&w->arena);
    rwl_free(&w->context->env, w);
}

void rowline_parquet_writer_abort(rowline_parquet_writer *w) {
    if (w == NULL)
        return;
    rwl_parquet_writer_abort(w->writer);
    free_writer(w);
}

static rwl_status open_writer(rowline_parquet_writer *w, const char *location,
                              const rowline_parquet_write_options *options, rwl_error *err) {
    const rwl_env *env = &w->context->env;
    rwl_field *fields;
    int32_t count;
    write_setup setup;
    RWL_TRY(rwl_arrow_import_schema(&w->schema, &w->arena, &fields, &count, err));
    RWL_TRY(rwl_batch_init(&w->batch, env, fields, count, err));
    RWL_TRY(rwl_store_local_new(env, NULL, 0, &w->store, err));
    init_setup(&setup, w->context);
    rwl_status st = set_up(&setup, w->context, options, fields, count, err);
    if (st == RWL_OK)
        st = rwl_parquet_writer_open(w->store, &w->context->op, location, fields, count, &setup.options,
                                     &w->writer, err);
    clear_setup(&setup);
    return st;
}

rowline_status rowline_parquet_writer_open(rowline_context *context, const char *location,
                                           struct ArrowSchema *schema,
                                           const rowline_parquet_write_options *options,
                                           rowline_parquet_writer **out, rowline_error *err) {
    *out = NULL;
    if (schema->release == NULL)
        return rwl_fail(err, RWL_USAGE, "the schema is released already");
    rowline_parquet_writer *w = rwl_calloc(&context->env, 1, sizeof *w);
    if (w == NULL) {
        schema->release(schema);
        return rwl_no_memory(err, sizeof *w);
    }
    w->context = context;
    w->schema = *schema;
    schema->release = NULL;
    rwl_arena_init(&w->arena, &context->env, 0);
    rwl_status st = open_writer(w, location, options, err);
    if (st != RWL_OK) {
        rowline_parquet_writer_abort(w);
        return st;
    }
    *out = w;
    return RWL_OK;
}

static rwl_status write_rows(rowline_parquet_writer *w, const struct ArrowArray *rows, rwl_error *err) {
    rwl_batch_reset(&w->batch);
    RWL_TRY(rwl_arrow_import_batch(&w->schema, rows, &w->batch, err));
    return rwl_parquet_writer_write(w->writer, &w->batch, err);
}

rowline_status rowline_parquet_writer_write(rowline_parquet_writer *w, const struct ArrowArray *rows,
                                            rowline_error *err) {
    if (w->failed != RWL_OK)
        return rwl_fail(err, w->failed, "writing this file failed before");
    w->failed = write_rows(w, rows, err);
    return w->failed;
}

rowline_status rowline_parquet_writer_finish(rowline_parquet_writer *w, rowline_parquet_result *result,
                                             rowline_error *err) {
    static const rwl_parquet_stitch_stats none = {0};
    rwl_parquet_written written;
    if (w->failed != RWL_OK) { /* a file without the rows that failed must not be taken for a whole one */
        rwl_status failed = w->failed;
        rowline_parquet_writer_abort(w);
        return rwl_fail(err, failed, "writing this file failed before");
    }
    rwl_status st = rwl_parquet_writer_finish(w->writer, &written, err);
    if (st == RWL_OK) {
        give_result(result, &written, &none);
        rwl_parquet_written_clear(&written);
    }
    free_writer(w);
    return st;
}

/* --- stitching --- */

static rwl_status check_parts(const rowline_parquet_part *parts, size_t count, rwl_error *err) {
    if (count == 0)
        return rwl_fail(err, RWL_USAGE, "no part to stitch");
    RWL_TRY(check_list(parts, count, "parts", err));
    for (size_t i = 0; i < count; i++) {
        if (parts[i].file == NULL)
            return rwl_fail(err, RWL_USAGE, "part %zu has no file", i);
        int64_t end = 0, rows = file_of(parts[i].file)->row_count;
        for (size_t r = 0; parts[i].ranges != NULL && r < parts[i].range_count; r++) {
            const rowline_row_range *range = &parts[i].ranges[r];
            if (range->first < end || range->count < 0 || range->first > rows ||
                range->count > rows - range->first)
                return rwl_fail(
                    err, RWL_USAGE,
                    "part %zu: range %zu of %lld rows from %lld on: ranges ascend within %lld rows", i, r,
                    (long long)range->count, (long long)range->first, (long long)rows);
            end = range->first + range->count;
        }
    }
    return RWL_OK;
}

/* The ranges of a part in the library's form; empty ones are left out. */
static rwl_status convert_part(const rowline_parquet_part *from, rwl_arena *arena,
                               rwl_parquet_stitch_part *to, rwl_error *err) {
    rwl_range all = {0, file_of(from->file)->row_count};
    size_t count = from->ranges != NULL ? from->range_count : 1;
    rwl_range *ranges = rwl_arena_array(arena, count, sizeof *ranges);
    if (ranges == NULL)
        return rwl_no_memory(err, count * sizeof *ranges);
    *to = (rwl_parquet_stitch_part){.file = file_of(from->file), .ranges = ranges};
    for (size_t i = 0; i < count; i++) {
        rwl_range r = from->ranges != NULL ? (rwl_range){from->ranges[i].first, from->ranges[i].count} : all;
        if (r.count > 0)
            ranges[to->range_count++] = r;
    }
    return RWL_OK;
}

typedef struct stitch_call {
    rowline_context *context;
    write_setup setup;
    rwl_store *store;
    rwl_parquet_stitch *stitch;
    rwl_field *fields;
    int32_t field_count;
    rwl_parquet_stitch_part *parts;
} stitch_call;

/* The columns of the first file, required where they are so in all. */
static rwl_status set_fields(stitch_call *c, const rowline_parquet_part *parts, size_t count,
                             rwl_error *err) {
    const rwl_parquet_file *first = file_of(parts[0].file);
    c->field_count = first->node_count;
    rwl_field *fields = rwl_arena_array(&c->setup.arena, (size_t)c->field_count, sizeof *fields);
    if (fields == NULL)
        return rwl_no_memory(err, (size_t)c->field_count * sizeof *fields);
    for (int32_t i = 0; i < c->field_count; i++)
        fields[i] = first->nodes[i].field;
    RWL_TRY(rwl_parquet_stitch_narrow(fields, c->field_count, &c->setup.arena, &c->fields, err));
    for (size_t i = 0; i < count; i++)
        rwl_parquet_stitch_widen(c->fields, NULL, c->field_count, file_of(parts[i].file));
    return RWL_OK;
}

static rwl_status add_parts(stitch_call *c, const rowline_parquet_part *parts, size_t count,
                            const rwl_parquet_stitch_options *options, rwl_error *err) {
    rwl_arena *arena = &c->setup.arena;
    c->parts = rwl_arena_array(arena, count, sizeof *c->parts);
    if (c->parts == NULL)
        return rwl_no_memory(err, count * sizeof *c->parts);
    for (size_t i = 0; i < count; i++) {
        const char *why = "";
        RWL_TRY(convert_part(&parts[i], arena, &c->parts[i], err));
        if (!rwl_parquet_stitch_fits(c->parts[i].file, c->fields, c->field_count, options, arena, &why))
            return rwl_fail(err, RWL_UNSUPPORTED, "%s: %s", c->parts[i].file->location, why);
        RWL_TRY(rwl_parquet_stitch_add(c->stitch, &c->parts[i], err));
    }
    return RWL_OK;
}

static rwl_status stitch(stitch_call *c, const char *location, const rowline_parquet_part *parts,
                         size_t count, const rowline_parquet_write_options *options,
                         rowline_parquet_result *result, rwl_error *err) {
    RWL_TRY(set_fields(c, parts, count, err));
    RWL_TRY(set_up(&c->setup, c->context, options, c->fields, c->field_count, err));
    rwl_parquet_stitch_options how = {.write = c->setup.options};
    RWL_TRY(rwl_store_local_new(&c->context->env, NULL, 0, &c->store, err));
    RWL_TRY(rwl_parquet_stitch_open(c->store, &c->context->op, location, c->fields, c->field_count, &how,
                                    &c->stitch, err));
    RWL_TRY(add_parts(c, parts, count, &how, err));
    rwl_parquet_written written;
    rwl_parquet_stitch_stats stats;
    rwl_parquet_stitch *s = c->stitch;
    c->stitch = NULL; /* gone whatever the result */
    RWL_TRY(rwl_parquet_stitch_finish(s, &written, &stats, err));
    give_result(result, &written, &stats);
    rwl_parquet_written_clear(&written);
    return RWL_OK;
}

rowline_status rowline_parquet_stitch(rowline_context *context, const char *location,
                                      const rowline_parquet_part *parts, size_t part_count,
                                      const rowline_parquet_write_options *options,
                                      rowline_parquet_result *result, rowline_error *err) {
    stitch_call call = {.context = context};
    RWL_TRY(check_parts(parts, part_count, err));
    init_setup(&call.setup, context);
    rwl_status st = stitch(&call, location, parts, part_count, options, result, err);
    rwl_parquet_stitch_abort(call.stitch);
    rwl_store_free(call.store);
    clear_setup(&call.setup);
    return st;
}
