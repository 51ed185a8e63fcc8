/* SPDX-License-Identifier: Apache-2.0 */
/* Parquet: the facts of the footer, row groups and column chunks; the first rows. */
#include "engine/inspect_lance.h"
#include "parquet/page.h"
#include "parquet/reader.h"

enum { TRAILER_LEN = 8, CODEC_COUNT = 8 };

/* --- the footer --- */

/* The footer's bytes, for what the opened file has no place for: version and unfolded schema. */
static rwl_status put_footer(rwl_inspect *in, rwl_doc *doc, rwl_error *err) {
    rwl_file *file;
    rwl_buf bytes;
    uint8_t trailer[TRAILER_LEN];
    RWL_TRY(rwl_file_open(in->store, in->op, in->location, &file, err));
    rwl_buf_init(&bytes, in->env, SIZE_MAX);
    rwl_status st;
    RWL_GOTO(st, rwl_file_read(file, in->op, in->size - TRAILER_LEN, TRAILER_LEN, trailer, err), out);
    uint32_t len = rwl_load_le32(trailer); /* opening has checked it */
    RWL_GOTO(st, rwl_buf_reserve(&bytes, len, err), out);
    RWL_GOTO(st, rwl_file_read(file, in->op, in->size - TRAILER_LEN - (int64_t)len, len, bytes.data, err),
             out);
    bytes.len = len;
    rwl_doc_i64(doc, "footer_bytes", len);
    st = rwl_inspect_footer(rwl_buf_span(&bytes), doc, err);
out:
    rwl_buf_clear(&bytes);
    rwl_file_close(file);
    return st;
}

static void put_codecs(const rwl_inspect *in, rwl_doc *doc) {
    bool seen[CODEC_COUNT] = {false};
    rwl_doc_open(doc, "codecs", '[');
    for (int32_t g = 0; g < in->parquet->group_count; g++) {
        for (int32_t i = 0; i < in->parquet->leaf_count; i++) {
            int32_t codec = in->parquet->groups[g].chunks[i].codec;
            if (codec < 0 || codec >= CODEC_COUNT || seen[codec])
                continue;
            seen[codec] = true;
            rwl_doc_text(doc, NULL, rwl_parquet_codec_name(codec));
        }
    }
    rwl_doc_close(doc, ']');
}

static void put_metadata(const rwl_inspect *in, rwl_doc *doc) {
    const rwl_parquet_file *file = in->parquet;
    rwl_doc_open(doc, "metadata", '[');
    for (int32_t i = 0; i < file->kv_count; i++)
        rwl_inspect_pair(doc, rwl_span_str(file->kv_keys[i]),
                         file->kv_values[i] != NULL ? rwl_span_str(file->kv_values[i])
                                                    : rwl_span_of(NULL, 0));
    rwl_doc_close(doc, ']');
}

/* --- column chunks --- */

static void put_encodings(rwl_doc *doc, uint32_t encodings) {
    rwl_doc_open(doc, "encodings", '[');
    for (int32_t i = 0; i < 32; i++)
        if (encodings >> i & 1)
            rwl_doc_text(doc, NULL, rwl_parquet_encoding_name(i));
    rwl_doc_close(doc, ']');
}

/* A bound as a value of the column's type; what has none stays null. */
static void put_bound(rwl_doc *doc, const char *key, const char *exact_key, const rwl_parquet_leaf *leaf,
                      rwl_span bound, bool exact) {
    rwl_value v;
    rwl_type_kind kind = leaf->field.type.kind;
    bool has_text = kind > RWL_TYPE_UNKNOWN && kind < RWL_TYPE_VARIANT && !leaf->unsupported;
    rwl_parquet_leaf alone = *leaf;
    alone.max_repetition = 0; /* nothing is pruned by bounds below lists and maps; they are shown as any */
    bool present = bound.data != NULL && has_text && rwl_parquet_stats_value(&alone, bound, &v);
    if (present)
        rwl_doc_value(doc, key, &leaf->field.type, &v);
    else
        rwl_doc_text(doc, key, NULL);
    if (present)
        rwl_doc_bool(doc, exact_key, exact);
    else
        rwl_doc_text(doc, exact_key, NULL);
}

static void put_chunk(rwl_doc *doc, const rwl_parquet_leaf *leaf, const rwl_parquet_chunk *chunk) {
    const rwl_parquet_stats *stats = &chunk->stats;
    rwl_doc_open(doc, NULL, '{');
    rwl_doc_span(doc, "column", rwl_inspect_leaf_name(leaf));
    rwl_doc_text(doc, "codec", rwl_parquet_codec_name(chunk->codec));
    put_encodings(doc, chunk->encodings);
    rwl_doc_i64(doc, "values", chunk->value_count);
    rwl_doc_maybe(doc, "null_count", stats->null_count >= 0, stats->null_count);
    put_bound(doc, "min", "min_is_exact", leaf, stats->min, stats->min_is_exact);
    put_bound(doc, "max", "max_is_exact", leaf, stats->max, stats->max_is_exact);
    rwl_doc_i64(doc, "compressed_bytes", chunk->compressed_size);
    rwl_doc_i64(doc, "uncompressed_bytes", chunk->uncompressed_size);
    rwl_doc_maybe(doc, "unencoded_bytes", chunk->unencoded_bytes >= 0, chunk->unencoded_bytes);
    rwl_doc_maybe(doc, "dictionary_offset", chunk->dictionary_offset > 0, chunk->dictionary_offset);
    rwl_doc_i64(doc, "data_offset", chunk->data_offset);
    rwl_doc_maybe(doc, "column_index_bytes", chunk->column_index.len > 0, chunk->column_index.len);
    rwl_doc_maybe(doc, "offset_index_bytes", chunk->offset_index.len > 0, chunk->offset_index.len);
    rwl_doc_maybe(doc, "bloom_filter_offset", chunk->bloom.off > 0, chunk->bloom.off);
    rwl_doc_maybe(doc, "bloom_filter_bytes", chunk->bloom.len > 0, chunk->bloom.len);
    rwl_doc_bool(doc, "encrypted", chunk->encrypted);
    rwl_doc_close(doc, '}');
}

/* --- row groups --- */

static void put_sorting(const rwl_inspect *in, rwl_doc *doc, const rwl_parquet_group *group) {
    rwl_doc_open(doc, "sorting_columns", '[');
    for (int32_t i = 0; i < group->sorting_count; i++) {
        const rwl_parquet_sorting *s = &group->sorting[i];
        rwl_doc_open(doc, NULL, '{');
        rwl_doc_span(doc, "column", rwl_inspect_leaf_name(&in->parquet->leaves[s->leaf]));
        rwl_doc_bool(doc, "descending", s->descending);
        rwl_doc_bool(doc, "nulls_first", s->nulls_first);
        rwl_doc_close(doc, '}');
    }
    rwl_doc_close(doc, ']');
}

static void put_group(const rwl_inspect *in, rwl_doc *doc, int32_t index) {
    const rwl_parquet_file *file = in->parquet;
    const rwl_parquet_group *group = &file->groups[index];
    int64_t compressed = 0; /* sums of sizes that lie in the file: they can't overflow */
    for (int32_t i = 0; i < file->leaf_count; i++)
        compressed += group->chunks[i].compressed_size;
    rwl_doc_open(doc, NULL, '{');
    rwl_doc_i64(doc, "row_group", index);
    rwl_doc_i64(doc, "first_row", group->first_row);
    rwl_doc_i64(doc, "rows", group->row_count);
    rwl_doc_i64(doc, "offset", group->file_offset);
    rwl_doc_i64(doc, "compressed_bytes", compressed);
    rwl_doc_i64(doc, "uncompressed_bytes", group->total_bytes);
    put_sorting(in, doc, group);
    rwl_doc_open(doc, "columns", '[');
    for (int32_t i = 0; i < file->leaf_count; i++)
        if (rwl_inspect_wants(in, &file->leaves[i]))
            put_chunk(doc, &file->leaves[i], &group->chunks[i]);
    rwl_doc_close(doc, ']');
    rwl_doc_close(doc, '}');
}

rwl_status rwl_inspect_parquet(rwl_inspect *in, rwl_doc *doc, rwl_error *err) {
    const rwl_parquet_file *file = in->parquet;
    rwl_doc_text(doc, "created_by", file->created_by);
    rwl_doc_i64(doc, "rows", file->row_count);
    rwl_doc_i64(doc, "columns", file->leaf_count);
    put_codecs(in, doc);
    RWL_TRY(put_footer(in, doc, err));
    if (in->schema_only)
        return doc->st;
    put_metadata(in, doc);
    rwl_doc_i64(doc, "row_group_count", file->group_count);
    rwl_doc_open(doc, "row_groups", '[');
    for (int32_t i = 0; i < file->group_count && doc->st == RWL_OK; i++) {
        RWL_TRY(rwl_op_check(in->op, err));
        if (in->row_group < 0 || in->row_group == i)
            put_group(in, doc, i);
    }
    rwl_doc_close(doc, ']');
    return doc->st;
}

/* --- rows --- */

typedef struct row_source {
    const rwl_env *env;
    const char *location;
    rwl_parquet_reader *reader;
} row_source;

static rwl_status next_rows(void *ctx, rwl_batch *batch, rwl_error *err) {
    row_source *s = ctx;
    int64_t first_pos;
    rwl_status st = rwl_parquet_reader_next(s->reader, batch, &first_pos, err);
    return st == RWL_OK ? st : rwl_error_path(err, rwl_error_in(err, st, "%s", s->location), s->location);
}

static void free_rows(void *ctx) {
    row_source *s = ctx;
    rwl_parquet_reader_free(s->reader);
    rwl_free(s->env, s);
}

/* The top-level fields that have a wanted leaf, and of those the wanted leaves. */
static rwl_status choose(rwl_inspect *in, rwl_parquet_read_options *options, rwl_error *err) {
    const rwl_parquet_file *file = in->parquet;
    int32_t *nodes = rwl_arena_array(&in->arena, (size_t)file->node_count + 1, sizeof *nodes);
    bool *wanted = rwl_arena_array(&in->arena, (size_t)file->leaf_count + 1, sizeof *wanted);
    if (nodes == NULL || wanted == NULL)
        return rwl_no_memory(err, (size_t)file->leaf_count);
    for (int32_t n = 0; n < file->node_count; n++) {
        const rwl_parquet_node *node = &file->nodes[n];
        bool any = in->column == NULL;
        for (int32_t i = node->first_leaf; i < node->first_leaf + node->leaf_count; i++) {
            wanted[i] = rwl_inspect_wants(in, &file->leaves[i]);
            any = any || wanted[i];
        }
        if (any)
            nodes[options->node_count++] = n;
    }
    options->nodes = nodes;
    options->wanted = in->column != NULL ? wanted : NULL;
    return RWL_OK;
}

static rwl_status open_rows(rwl_inspect *in, int64_t count, row_source *s, rwl_error *err) {
    const rwl_parquet_file *file = in->parquet;
    rwl_parquet_read_options options = {.row_count = file->row_count};
    RWL_TRY(choose(in, &options, err));
    if (in->row_group >= 0) {
        options.first_row = file->groups[in->row_group].first_row;
        options.row_count = file->groups[in->row_group].row_count;
    }
    if (count >= 0 && count < options.row_count)
        options.row_count = count;
    return rwl_parquet_reader_new(in->store, in->op, in->parquet, &options, &s->reader, err);
}

rwl_status rwl_inspect_rows(rwl_inspect *in, int64_t count, struct ArrowArrayStream *out, rwl_error *err) {
    if (in->what == RWL_INSPECT_LANCE_DATA)
        return rwl_inspect_lance_rows(in, count, out, err);
    if (in->what == RWL_INSPECT_AVRO || in->what == RWL_INSPECT_MANIFEST ||
        in->what == RWL_INSPECT_MANIFEST_LIST)
        return rwl_inspect_avro_rows(in, count, out, err);
    if (in->what != RWL_INSPECT_PARQUET)
        return rwl_fail(err, RWL_USAGE, "%s is %s, which has no rows", in->location, rwl_inspect_kind(in));
    row_source *s = rwl_calloc(in->env, 1, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    s->env = in->env;
    s->location = in->location;
    rwl_status st = open_rows(in, count, s, err);
    if (st != RWL_OK) {
        free_rows(s);
        return rwl_error_path(err, rwl_error_in(err, st, "%s", in->location), in->location);
    }
    int32_t field_count;
    const rwl_field *fields = rwl_parquet_reader_fields(s->reader, &field_count);
    rwl_arrow_source source = {s, next_rows, free_rows};
    return rwl_arrow_stream_from(in->env, fields, field_count, source, out, err);
}
