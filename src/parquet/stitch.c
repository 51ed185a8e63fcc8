/* SPDX-License-Identifier: Apache-2.0 */
/* Stitching: opened, given parts, finished; whether files fit. */
#include "parquet/stitch_internal.h"

#include "parquet/column_settings.h"

enum {
    DEFAULT_GROUP_BYTES = 128 << 20,
    DEFAULT_PAGE_BYTES = 1 << 20,
    DEFAULT_PAGE_ROWS = 20000,
    DEFAULT_DICTIONARY_BYTES = 2 << 20
};

/* --- opening --- */

static rwl_status mark_made(const rwl_parquet_stitch_options *o, int32_t field_count, bool *is_made,
                            rwl_error *err) {
    for (int32_t i = 0; i < o->made_count; i++) {
        if (o->made[i] < 0 || o->made[i] >= field_count)
            return rwl_fail(err, RWL_INTERNAL, "made column %d of %d", (int)o->made[i], (int)field_count);
        is_made[o->made[i]] = true;
    }
    return RWL_OK;
}

/* Whether a leaf has a filter in each row group, or there is no use for one: all values are in the dictionary. */
static bool has_filter(const rwl_parquet_file *file, const rwl_stitch_map *map) {
    for (int32_t g = 0; map->leaf >= 0 && g < file->group_count; g++) {
        const rwl_parquet_chunk *chunk = &file->groups[g].chunks[map->leaf];
        bool needs = file->groups[g].row_count > 0 && !chunk->all_dictionary;
        if (needs && (map->converts || chunk->bloom.off == 0))
            return false;
    }
    return true;
}

static bool has_filters(const rwl_parquet_file *file, const rwl_parquet_write_schema *schema,
                        const rwl_parquet_stitch_options *options, const bool *is_made,
                        const rwl_stitch_map *maps, rwl_arena *arena, const char **why) {
    for (int32_t i = 0; i < schema->leaf_count; i++) {
        const rwl_parquet_write_leaf *leaf = &schema->leaves[i];
        rwl_parquet_column_settings settings;
        if (is_made[leaf->top] ||
            rwl_parquet_column_settings_of(&options->write, leaf, &settings, NULL) != RWL_OK ||
            !settings.bloom || has_filter(file, &maps[i]))
            continue;
        const char *text = rwl_arena_printf(arena, "column %s has no bloom filter in the file", leaf->dotted);
        *why = text != NULL ? text : "no memory";
        return false;
    }
    return true;
}

bool rwl_parquet_stitch_fits(const rwl_parquet_file *file, const rwl_field *fields, int32_t count,
                             const rwl_parquet_stitch_options *options, rwl_arena *arena, const char **why) {
    rwl_parquet_write_schema schema;
    rwl_error err = {0};
    bool *is_made = rwl_arena_array(arena, (size_t)count + 1, sizeof *is_made);
    if (is_made == NULL || rwl_parquet_write_schema_make(fields, count, arena, &schema, &err) != RWL_OK ||
        mark_made(options, count, is_made, &err) != RWL_OK) {
        const char *text = rwl_arena_strdup(arena, err.message);
        *why = text != NULL ? text : "no memory";
        return false;
    }
    rwl_stitch_map *maps = rwl_arena_array(arena, (size_t)schema.leaf_count + 1, sizeof *maps);
    *why = "no memory";
    return maps != NULL && rwl_stitch_map_file(file, &schema, is_made, arena, maps, why) &&
           (!options->keeps_filters || has_filters(file, &schema, options, is_made, maps, arena, why));
}

static void set_limits(rwl_parquet_stitch *s) {
    const rwl_parquet_write_options *o = &s->options.write;
    rwl_stitch_work *w = &s->work;
    s->group_bytes = o->row_group_bytes > 0 ? o->row_group_bytes : DEFAULT_GROUP_BYTES;
    s->group_rows = o->row_group_rows > 0 ? o->row_group_rows : INT64_MAX;
    w->page_bytes = o->page_bytes > 0 ? (size_t)o->page_bytes : DEFAULT_PAGE_BYTES;
    w->page_rows = o->page_rows > 0 ? (size_t)o->page_rows : DEFAULT_PAGE_ROWS;
    w->dictionary_bytes = o->dictionary_bytes > 0    ? (size_t)o->dictionary_bytes
                          : o->dictionary_bytes == 0 ? DEFAULT_DICTIONARY_BYTES
                                                     : 0;
    w->with_crc = !o->without_crc;
    w->page_v2 = o->page_v2;
    w->codec = o->codec;
    w->stats = &s->stats;
}

static rwl_status make_chunks(rwl_parquet_stitch *s, rwl_error *err) {
    size_t count = (size_t)s->schema.leaf_count + 1;
    s->chunks = rwl_calloc(s->env, count, sizeof *s->chunks);
    s->makers = rwl_calloc(s->env, count, sizeof *s->makers);
    s->left = rwl_arena_array(&s->arena, count, sizeof *s->left);
    if (s->chunks == NULL || s->makers == NULL || s->left == NULL)
        return rwl_no_memory(err, count * sizeof *s->makers);
    for (int32_t i = 0; i < s->schema.leaf_count; i++) {
        rwl_parquet_column_settings settings;
        const rwl_parquet_write_leaf *leaf = &s->schema.leaves[i];
        RWL_TRY(rwl_parquet_chunk_new(s->env, leaf, s->options.write.codec, &s->chunks[i], err));
        if (!s->is_made[leaf->top])
            continue;
        RWL_TRY(rwl_parquet_column_settings_of(&s->options.write, leaf, &settings, err));
        RWL_TRY(rwl_parquet_column_writer_init(&s->makers[i], s->env, &s->schema, i, &settings, s->chunks[i],
                                               err));
        rwl_parquet_column_writer_lend(&s->makers[i], s->work.codecs);
    }
    return RWL_OK;
}

static rwl_status copy_options(rwl_parquet_stitch *s, const rwl_parquet_stitch_options *options,
                               int32_t field_count, rwl_error *err) {
    s->options = *options;
    size_t made = (size_t)options->made_count * sizeof *options->made;
    size_t sorting = (size_t)options->write.sorting_count * sizeof *options->write.sorting;
    s->options.made = rwl_arena_copy(&s->arena, options->made, made);
    s->options.write.sorting = rwl_arena_copy(&s->arena, options->write.sorting, sorting);
    s->is_made = rwl_arena_array(&s->arena, (size_t)field_count + 1, sizeof *s->is_made);
    s->made_rows = rwl_arena_array(&s->arena, (size_t)field_count + 1, sizeof *s->made_rows);
    if (s->options.made == NULL || s->options.write.sorting == NULL || s->is_made == NULL ||
        s->made_rows == NULL)
        return rwl_no_memory(err, made + sorting);
    return mark_made(&s->options, field_count, s->is_made, err);
}

static rwl_status open_stitch(rwl_parquet_stitch *s, const char *location, const rwl_field *fields,
                              int32_t field_count, const rwl_parquet_stitch_options *options,
                              rwl_error *err) {
    const rwl_parquet_write_options *o = &options->write;
    rwl_parquet_output_options output = {o->kv_keys, o->kv_values, o->kv_count, o->without_index};
    if (o->codec == RWL_CODEC_DEFLATE || o->codec == RWL_CODEC_LZ4_HADOOP)
        return rwl_fail(err, RWL_UNSUPPORTED, "parquet files are not written with codec %s",
                        rwl_codec_name(o->codec));
    RWL_TRY(rwl_stitch_work_init(&s->work, s->op, s->store, err));
    RWL_TRY(rwl_parquet_write_schema_make(fields, field_count, &s->arena, &s->schema, err));
    RWL_TRY(copy_options(s, options, field_count, err));
    set_limits(s);
    RWL_TRY(rwl_parquet_codec_pool_new(s->env, o->codec, o->level, &s->pool, err));
    RWL_TRY(rwl_parquet_codec_pool_take(s->pool, &s->work.codecs, err));
    RWL_TRY(make_chunks(s, err));
    RWL_TRY(rwl_parquet_output_open(s->store, s->op, location, &s->schema, &output, &s->output, err));
    s->options.write.kv_keys = s->options.write.kv_values = NULL; /* the output has copies */
    s->options.write.columns = NULL;
    return RWL_OK;
}

rwl_status rwl_parquet_stitch_open(rwl_store *store, rwl_op *op, const char *location,
                                   const rwl_field *fields, int32_t field_count,
                                   const rwl_parquet_stitch_options *options, rwl_parquet_stitch **out,
                                   rwl_error *err) {
    *out = NULL;
    rwl_parquet_stitch *s = rwl_calloc(op->env, 1, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    s->env = op->env;
    s->op = op;
    s->store = store;
    rwl_arena_init(&s->arena, s->env, 0);
    rwl_status st = open_stitch(s, location, fields, field_count, options, err);
    if (st != RWL_OK) {
        rwl_parquet_stitch_abort(s);
        return st;
    }
    *out = s;
    return RWL_OK;
}

/* --- parts --- */

static rwl_status keep_failure(rwl_parquet_stitch *s, rwl_status st, const rwl_error *err) {
    if (st != RWL_OK) {
        s->failed = st;
        s->failure = *err;
    }
    return st;
}

static rwl_status fail_again(const rwl_parquet_stitch *s, rwl_error *err) {
    if (err != NULL)
        *err = s->failure;
    return s->failed;
}

rwl_status rwl_parquet_stitch_add(rwl_parquet_stitch *s, const rwl_parquet_stitch_part *part,
                                  rwl_error *err) {
    rwl_error first = {0};
    if (s->failed == RWL_OK)
        (void)keep_failure(s, rwl_stitch_part_add(s, part, &first), &first);
    return s->failed == RWL_OK ? RWL_OK : fail_again(s, err);
}

int64_t rwl_parquet_stitch_size(const rwl_parquet_stitch *s) {
    return rwl_parquet_output_size(s->output) + s->pending_bytes;
}

/* --- the end --- */

static rwl_status finish(rwl_parquet_stitch *s, rwl_parquet_written *written, rwl_error *err) {
    RWL_TRY(rwl_stitch_pending_flush(s, err));
    for (int32_t i = 0; i < s->schema.leaf_count; i++) {
        rwl_parquet_column_metrics metrics;
        int32_t field = s->schema.leaves[i].top;
        if (!s->is_made[field] || s->made_rows[field] != rwl_parquet_output_rows(s->output))
            continue;
        rwl_parquet_column_writer_metrics(&s->makers[i], &metrics);
        RWL_TRY(rwl_parquet_output_metrics(s->output, i, &metrics, err));
    }
    rwl_parquet_output *output = s->output;
    s->output = NULL; /* freed whatever the result */
    return rwl_parquet_output_finish(output, written, err);
}

rwl_status rwl_parquet_stitch_finish(rwl_parquet_stitch *s, rwl_parquet_written *written,
                                     rwl_parquet_stitch_stats *stats, rwl_error *err) {
    memset(written, 0, sizeof *written);
    rwl_status st = s->failed == RWL_OK ? finish(s, written, err) : fail_again(s, err);
    if (stats != NULL)
        *stats = s->stats;
    if (st != RWL_OK)
        rwl_parquet_written_clear(written);
    rwl_parquet_stitch_abort(s);
    return st;
}

void rwl_parquet_stitch_abort(rwl_parquet_stitch *s) {
    if (s == NULL)
        return;
    if (s->left != NULL)
        rwl_stitch_pending_drop(s);
    rwl_vec_clear(&s->pending, s->env);
    rwl_vec_clear(&s->ranges, s->env);
    for (int32_t i = 0; i < s->schema.leaf_count; i++) {
        if (s->makers != NULL)
            rwl_parquet_column_writer_clear(&s->makers[i]);
        if (s->chunks != NULL)
            rwl_parquet_chunk_free(s->chunks[i]);
    }
    rwl_free(s->env, s->makers);
    rwl_free(s->env, s->chunks);
    rwl_column_clear(&s->made, s->env);
    rwl_stitch_work_clear(&s->work);
    if (s->pool != NULL)
        rwl_parquet_codec_pool_give(s->pool, s->work.codecs);
    rwl_parquet_codec_pool_free(s->pool);
    rwl_parquet_output_abort(s->output);
    rwl_arena_clear(&s->arena);
    rwl_free(s->env, s);
}
