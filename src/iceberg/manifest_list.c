/* SPDX-License-Identifier: Apache-2.0 */
/* Manifest lists: reading v1 to v3, writing v2 and v3 (specification, "Manifest Lists"). */
#include "base/vec.h"
#include "iceberg/manifest_internal.h"

#include <inttypes.h>
#include <stdio.h>

/* --- reading --- */

static rwl_status read_summary(const rwl_avro_datum *d, rwl_arena *arena, rwl_field_summary *out,
                               rwl_error *err) {
    if (d->kind != RWL_AVRO_RECORD)
        return rwl_fail(err, RWL_CORRUPT, "field partitions has an item that is no record");
    const rwl_avro_datum *null = rwl_avro_get(d, RWL_SUMMARY_CONTAINS_NULL, "contains_null");
    const rwl_avro_datum *nan = rwl_avro_get(d, RWL_SUMMARY_CONTAINS_NAN, "contains_nan");
    if (null == NULL || null->kind != RWL_AVRO_BOOLEAN || (nan != NULL && nan->kind != RWL_AVRO_BOOLEAN))
        return rwl_fail(err, RWL_CORRUPT,
                        "a partition summary's contains_null or contains_nan is no boolean");
    out->contains_null = null->as.b;
    out->contains_nan = nan == NULL ? -1 : nan->as.b ? 1 : 0;
    RWL_TRY(rwl_record_opt_bytes(d, RWL_SUMMARY_LOWER, "lower_bound", arena, &out->lower, err));
    return rwl_record_opt_bytes(d, RWL_SUMMARY_UPPER, "upper_bound", arena, &out->upper, err);
}

static rwl_status read_summaries(const rwl_avro_datum *d, rwl_arena *arena, rwl_manifest *m, rwl_error *err) {
    const rwl_avro_datum *list;
    RWL_TRY(rwl_record_opt_array(d, RWL_LIST_PARTITIONS, "partitions", &list, err));
    if (list == NULL)
        return RWL_OK;
    rwl_field_summary *items = rwl_arena_array(arena, (size_t)list->as.list.count, sizeof *items);
    if (items == NULL)
        return rwl_no_memory(err, sizeof *items);
    for (int32_t i = 0; i < list->as.list.count; i++)
        RWL_TRY(read_summary(&list->as.list.items[i], arena, &items[i], err));
    m->partitions = items;
    m->partition_count = list->as.list.count;
    return RWL_OK;
}

/* Counts by id; the names are those of v2, `old` the one that v1 writers used before. */
static rwl_status read_file_count(const rwl_avro_datum *d, int32_t id, const char *name, const char *old,
                                  int32_t *out, rwl_error *err) {
    RWL_TRY(rwl_record_opt_i32(d, id, name, -1, out, err));
    return *out == -1 ? rwl_record_opt_i32(d, id, old, -1, out, err) : RWL_OK;
}

static rwl_status read_counts(const rwl_avro_datum *d, rwl_manifest *m, rwl_error *err) {
    RWL_TRY(read_file_count(d, RWL_LIST_ADDED_FILES, "added_files_count", "added_data_files_count",
                            &m->added_files, err));
    RWL_TRY(read_file_count(d, RWL_LIST_EXISTING_FILES, "existing_files_count", "existing_data_files_count",
                            &m->existing_files, err));
    RWL_TRY(read_file_count(d, RWL_LIST_DELETED_FILES, "deleted_files_count", "deleted_data_files_count",
                            &m->deleted_files, err));
    RWL_TRY(rwl_record_opt_i64(d, RWL_LIST_ADDED_ROWS, "added_rows_count", -1, &m->added_rows, err));
    RWL_TRY(rwl_record_opt_i64(d, RWL_LIST_EXISTING_ROWS, "existing_rows_count", -1, &m->existing_rows, err));
    RWL_TRY(rwl_record_opt_i64(d, RWL_LIST_DELETED_ROWS, "deleted_rows_count", -1, &m->deleted_rows, err));
    if (m->added_files < -1 || m->existing_files < -1 || m->deleted_files < -1 || m->added_rows < -1 ||
        m->existing_rows < -1 || m->deleted_rows < -1)
        return rwl_fail(err, RWL_CORRUPT, "manifest %s: a count is negative", m->path);
    return RWL_OK;
}

static rwl_status read_line(const rwl_avro_datum *d, rwl_arena *arena, rwl_manifest *m, rwl_error *err) {
    memset(m, 0, sizeof *m);
    m->unassigned_rows = -1;
    RWL_TRY(rwl_record_str(d, RWL_LIST_PATH, "manifest_path", arena, &m->path, err));
    RWL_TRY(rwl_record_i64(d, RWL_LIST_LENGTH, "manifest_length", &m->length, err));
    if (m->length < 0)
        return rwl_fail(err, RWL_CORRUPT, "manifest %s: manifest_length is %" PRId64, m->path, m->length);
    int64_t spec_id;
    RWL_TRY(rwl_record_i64(d, RWL_LIST_SPEC_ID, "partition_spec_id", &spec_id, err));
    if (spec_id < 0 || spec_id > INT32_MAX)
        return rwl_fail(err, RWL_CORRUPT, "manifest %s: partition_spec_id is %" PRId64, m->path, spec_id);
    m->spec_id = (int32_t)spec_id;
    RWL_TRY(rwl_record_opt_i32(d, RWL_LIST_CONTENT, "content", 0, &m->content, err));
    if (m->content != 0 && m->content != 1)
        return rwl_fail(err, RWL_CORRUPT, "manifest %s: content is %" PRId32 ", not 0 or 1", m->path,
                        m->content);
    RWL_TRY(rwl_record_opt_i64(d, RWL_LIST_SEQUENCE_NUMBER, "sequence_number", 0, &m->sequence_number, err));
    RWL_TRY(rwl_record_opt_i64(d, RWL_LIST_MIN_SEQUENCE_NUMBER, "min_sequence_number", 0,
                               &m->min_sequence_number, err));
    if (m->sequence_number < 0)
        return rwl_fail(err, RWL_CORRUPT, "manifest %s: sequence_number is %" PRId64, m->path,
                        m->sequence_number);
    RWL_TRY(rwl_record_opt_i64(d, RWL_LIST_ADDED_SNAPSHOT_ID, "added_snapshot_id", -1, &m->added_snapshot_id,
                               err));
    RWL_TRY(read_counts(d, m, err));
    RWL_TRY(read_summaries(d, arena, m, err));
    RWL_TRY(rwl_record_opt_bytes(d, RWL_LIST_KEY_METADATA, "key_metadata", arena, &m->key_metadata, err));
    if (m->key_metadata.data != NULL)
        return rwl_fail(err, RWL_UNSUPPORTED, "manifest %s is encrypted", m->path);
    m->has_first_row_id = m->content == 0 && rwl_avro_get(d, RWL_LIST_FIRST_ROW_ID, "first_row_id") != NULL;
    RWL_TRY(rwl_record_opt_i64(d, RWL_LIST_FIRST_ROW_ID, "first_row_id", 0, &m->first_row_id, err));
    if (!m->has_first_row_id)
        m->first_row_id = 0;
    return m->first_row_id >= 0 ? RWL_OK
                                : rwl_fail(err, RWL_CORRUPT, "manifest %s: first_row_id is %" PRId64, m->path,
                                           m->first_row_id);
}

static rwl_status read_lines(rwl_avro_reader *avro, rwl_op *op, rwl_manifest_list *out, rwl_error *err) {
    RWL_VEC(rwl_manifest) lines = {0};
    rwl_status st = RWL_OK;
    for (;;) {
        const rwl_avro_datum *record;
        rwl_manifest m;
        RWL_GOTO(st, rwl_op_check(op, err), done);
        RWL_GOTO(st, rwl_avro_reader_next(avro, &record, err), done);
        if (record == NULL)
            break;
        if (record->kind != RWL_AVRO_RECORD) {
            st = rwl_fail(err, RWL_CORRUPT, "an item of the manifest list is no record");
            goto done;
        }
        RWL_GOTO(st, read_line(record, &out->arena, &m, err), done);
        RWL_GOTO(st, rwl_vec_push(&lines, op->env, m, err), done);
    }
    if (lines.len > INT32_MAX) {
        st = rwl_fail(err, RWL_UNSUPPORTED, "the manifest list has %zu manifests", lines.len);
        goto done;
    }
    out->items = rwl_arena_array(&out->arena, lines.len, sizeof *out->items);
    if (out->items == NULL) {
        st = rwl_no_memory(err, lines.len * sizeof *out->items);
        goto done;
    }
    if (lines.len > 0)
        memcpy(out->items, lines.items, lines.len * sizeof *out->items);
    out->count = (int32_t)lines.len;
done:
    rwl_vec_clear(&lines, op->env);
    return st;
}

static rwl_status read_list(rwl_store *store, rwl_op *op, const char *location, rwl_manifest_list *out,
                            rwl_error *err) {
    rwl_avro_reader *avro = NULL;
    RWL_TRY(rwl_avro_reader_open(store, op, location, &avro, err));
    rwl_status st =
        rwl_arena_refused(&out->arena, read_lines(avro, op, out, err), "the list of manifests", err);
    rwl_avro_reader_close(avro);
    return st == RWL_OK ? RWL_OK
                        : rwl_error_path(err, rwl_error_in(err, st, "manifest list %s", location), location);
}

/* --- manifests that a snapshot of v1 names itself --- */

/* The spec's id by the manifest's header; manifests from before there were several specs do not say: it is 0. */
static rwl_status read_spec_id(const rwl_avro_reader *avro, int32_t *out, rwl_error *err) {
    rwl_type type = rwl_type_of(RWL_TYPE_INT);
    rwl_value id;
    rwl_span text = rwl_avro_reader_metadata(avro, "partition-spec-id");
    *out = 0;
    if (text.data == NULL)
        return RWL_OK;
    if (rwl_value_parse(&type, text, NULL, &id, NULL) != RWL_OK ||
        id.as.i32 < 0) /* a number needs no arena */
        return rwl_fail(err, RWL_CORRUPT, "partition-spec-id of the header is '%.*s'",
                        text.len < 20 ? (int)text.len : 20, (const char *)text.data);
    *out = id.as.i32;
    return RWL_OK;
}

static rwl_status read_inline(rwl_store *store, rwl_op *op, const rwl_snapshot *snapshot, const char *path,
                              rwl_manifest *m, rwl_error *err) {
    rwl_stat found;
    rwl_avro_reader *avro = NULL;
    *m = (rwl_manifest){.path = path,
                        .added_snapshot_id = snapshot->snapshot_id,
                        .added_files = -1,
                        .existing_files = -1,
                        .deleted_files = -1,
                        .added_rows = -1,
                        .existing_rows = -1,
                        .deleted_rows = -1,
                        .unassigned_rows = -1};
    RWL_TRY(rwl_op_check(op, err));
    RWL_TRY(rwl_store_stat(store, op, path, &found, err));
    m->length = found.size;
    RWL_TRY(rwl_avro_reader_open(store, op, path, &avro, err));
    rwl_status st = read_spec_id(avro, &m->spec_id, err);
    rwl_avro_reader_close(avro);
    return st;
}

static rwl_status read_inline_list(rwl_store *store, rwl_op *op, const rwl_snapshot *snapshot,
                                   rwl_manifest_list *out, rwl_error *err) {
    size_t count = rwl_json_len(snapshot->manifests);
    out->items = count < INT32_MAX ? rwl_arena_array(&out->arena, count, sizeof *out->items) : NULL;
    if (out->items == NULL)
        return rwl_no_memory(err, count * sizeof *out->items);
    for (; (size_t)out->count < count; out->count++) {
        const char *path =
            rwl_arena_strdup(&out->arena, rwl_json_str(rwl_json_at(snapshot->manifests, (size_t)out->count)));
        if (path == NULL)
            return rwl_no_memory(err, sizeof *out->items);
        rwl_status st = read_inline(store, op, snapshot, path, &out->items[out->count], err);
        if (st != RWL_OK)
            return rwl_error_path(err, rwl_error_in(err, st, "manifest %s", path), path);
    }
    return RWL_OK;
}

rwl_status rwl_manifest_list_read(rwl_store *store, rwl_op *op, const rwl_snapshot *snapshot,
                                  rwl_manifest_list *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    rwl_arena_init(&out->arena, op->env, 0);
    rwl_arena_charge(&out->arena, op);
    rwl_status st = snapshot->manifest_list != NULL ? read_list(store, op, snapshot->manifest_list, out, err)
                                                    : read_inline_list(store, op, snapshot, out, err);
    if (st != RWL_OK)
        rwl_manifest_list_clear(out);
    return st;
}

void rwl_manifest_list_clear(rwl_manifest_list *list) {
    rwl_arena_clear(&list->arena);
    list->items = NULL;
    list->count = 0;
}

/* --- writing --- */

static rwl_status put_opt_span(rwl_buf *out, rwl_span v, rwl_error *err) {
    RWL_TRY(rwl_avro_put_long(out, v.data != NULL ? 1 : 0, err));
    return v.data != NULL ? rwl_avro_put_bytes(out, v, err) : RWL_OK;
}

static rwl_status put_summaries(const rwl_manifest *m, rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_avro_put_long(out, m->partitions != NULL ? 1 : 0, err));
    if (m->partitions == NULL)
        return RWL_OK;
    if (m->partition_count > 0)
        RWL_TRY(rwl_avro_put_long(out, m->partition_count, err));
    for (int32_t i = 0; i < m->partition_count; i++) {
        const rwl_field_summary *s = &m->partitions[i];
        RWL_TRY(rwl_avro_put_bool(out, s->contains_null, err));
        RWL_TRY(rwl_avro_put_long(out, s->contains_nan >= 0 ? 1 : 0, err));
        if (s->contains_nan >= 0)
            RWL_TRY(rwl_avro_put_bool(out, s->contains_nan == 1, err));
        RWL_TRY(put_opt_span(out, s->lower, err));
        RWL_TRY(put_opt_span(out, s->upper, err));
    }
    return rwl_avro_put_long(out, 0, err);
}

/* What a list of v2 or v3 may not lack. */
static rwl_status check_line(const rwl_manifest *m, int32_t version, rwl_error *err) {
    if (m->added_files < 0 || m->existing_files < 0 || m->deleted_files < 0 || m->added_rows < 0 ||
        m->existing_rows < 0 || m->deleted_rows < 0)
        return rwl_fail(err, RWL_INTERNAL, "manifest %s has no counts for the manifest list", m->path);
    if (version >= 3 && m->content == 0 && !m->has_first_row_id)
        return rwl_fail(err, RWL_INTERNAL, "data manifest %s has no first_row_id for the manifest list",
                        m->path);
    return RWL_OK;
}

static rwl_status put_line(const rwl_manifest *m, const rwl_manifest_list_options *options, rwl_buf *out,
                           rwl_error *err) {
    RWL_TRY(check_line(m, options->format_version, err));
    const int64_t numbers[] = {
        m->spec_id,
        m->content,
        m->sequence_number < 0 ? options->sequence_number : m->sequence_number,
        m->min_sequence_number < 0 ? options->sequence_number : m->min_sequence_number,
        m->added_snapshot_id,
        m->added_files,
        m->existing_files,
        m->deleted_files,
        m->added_rows,
        m->existing_rows,
        m->deleted_rows,
    };
    RWL_TRY(rwl_avro_put_bytes(out, rwl_span_str(m->path), err));
    RWL_TRY(rwl_avro_put_long(out, m->length, err));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        RWL_TRY(rwl_avro_put_long(out, numbers[i], err));
    RWL_TRY(put_summaries(m, out, err));
    RWL_TRY(put_opt_span(out, m->key_metadata, err));
    if (options->format_version < 3)
        return RWL_OK;
    bool assigned = m->content == 0;
    RWL_TRY(rwl_avro_put_long(out, assigned ? 1 : 0, err));
    return assigned ? rwl_avro_put_long(out, m->first_row_id, err) : RWL_OK;
}

static rwl_status put_lines(rwl_avro_writer *w, rwl_op *op, const rwl_manifest *manifests, int32_t count,
                            const rwl_manifest_list_options *options, rwl_error *err) {
    for (int32_t i = 0; i < count; i++) {
        RWL_TRY(rwl_op_check(op, err));
        RWL_TRY(put_line(&manifests[i], options, rwl_avro_writer_record(w), err));
        RWL_TRY(rwl_avro_writer_end_record(w, err));
    }
    return RWL_OK;
}

static rwl_status open_list(rwl_store *store, rwl_op *op, const char *location,
                            const rwl_manifest_list_options *options, rwl_avro_writer **out, rwl_error *err) {
    char texts[5][24];
    snprintf(texts[0], sizeof texts[0], "%" PRId64, options->snapshot_id);
    snprintf(texts[1], sizeof texts[1], "%" PRId64, options->parent_id);
    snprintf(texts[2], sizeof texts[2], "%" PRId64, options->sequence_number);
    snprintf(texts[3], sizeof texts[3], "%" PRId32, options->format_version);
    snprintf(texts[4], sizeof texts[4], "%" PRId64, options->first_row_id);
    const rwl_avro_metadata header[] = {
        {"snapshot-id", rwl_span_str(texts[0])},
        {"parent-snapshot-id", rwl_span_str(options->parent_id < 0 ? "null" : texts[1])},
        {"sequence-number", rwl_span_str(texts[2])},
        {"format-version", rwl_span_str(texts[3])},
        {"first-row-id", rwl_span_str(texts[4])},
    };
    rwl_buf schema;
    rwl_buf_init(&schema, op->env, SIZE_MAX);
    rwl_status st;
    RWL_GOTO(st, rwl_manifest_list_schema(options->format_version, &schema, err), done);
    RWL_GOTO(st, rwl_buf_terminate(&schema, err), done);
    st = rwl_avro_writer_open(store, op, location, (const char *)schema.data, header,
                              options->format_version >= 3 ? 5 : 4, RWL_CODEC_DEFLATE, 0, out, err);
done:
    rwl_buf_clear(&schema);
    return st;
}

rwl_status rwl_manifest_list_write(rwl_store *store, rwl_op *op, const char *location,
                                   const rwl_manifest *manifests, int32_t count,
                                   const rwl_manifest_list_options *options, rwl_error *err) {
    if (options->format_version != 2 && options->format_version != 3)
        return rwl_fail(err, RWL_UNSUPPORTED, "manifest lists of format version %" PRId32 " are not written",
                        options->format_version);
    rwl_avro_writer *w = NULL;
    RWL_TRY(open_list(store, op, location, options, &w, err));
    rwl_status st = put_lines(w, op, manifests, count, options, err);
    if (st != RWL_OK) {
        rwl_avro_writer_abort(w);
        return rwl_error_in(err, st, "manifest list %s", location);
    }
    int64_t size;
    return rwl_avro_writer_finish(w, &size, err);
}
