/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests of new files: grouped by spec and by whether their rows store their lineage, rolled by size. */
#include "iceberg/update_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

/* --- a manifest being written or counted --- */

static rwl_status pick_codec(const rwl_metadata *m, rwl_codec_id *out, rwl_error *err) {
    const char *name = rwl_metadata_property(m, "write.manifest.compression-codec", "gzip");
    if (!rwl_codec_by_name(name, out))
        return rwl_fail(err, RWL_UNSUPPORTED, "write.manifest.compression-codec is %s", name);
    if (*out == RWL_CODEC_GZIP)
        *out = RWL_CODEC_DEFLATE; /* Avro's name for it */
    return RWL_OK;
}

static rwl_status open_writer(update_attempt *a, const rwl_partition_spec *spec, int32_t content,
                              update_sink *s, rwl_error *err) {
    rwl_update *u = a->u;
    rwl_type *types = rwl_arena_array(&a->arena, (size_t)spec->field_count, sizeof *types);
    if (types == NULL)
        return rwl_no_memory(err, sizeof *types);
    RWL_TRY(rwl_manifest_partition_types(a->base, spec, types, err));
    rwl_manifest_writer_options options = {
        .format_version = a->base->format_version,
        .content = content,
        .schema = a->base->schema,
        .spec = spec,
        .snapshot_id = u->snapshot_id,
        .partition_types = types,
    };
    RWL_TRY(pick_codec(a->base, &options.codec, err));
    char name[96];
    const char *path;
    snprintf(name, sizeof name, "%.40s-m%" PRId32 ".avro", u->commit_id, u->manifest_number++);
    RWL_TRY(rwl_update_new_path(a, name, &path, err));
    return rwl_manifest_writer_open(u->store, u->op, path, &options, &s->writer, err);
}

rwl_status rwl_update_sink_open(update_attempt *a, const rwl_partition_spec *spec, int32_t content,
                                update_sink *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    out->u = a->u;
    out->counts.spec_id = spec->spec_id;
    out->counts.content = content;
    out->counts.sequence_number = out->counts.min_sequence_number = -1;
    out->counts.added_snapshot_id = a->u->snapshot_id;
    return a->u->dry_run ? RWL_OK : open_writer(a, spec, content, out, err);
}

rwl_status rwl_update_sink_add(update_sink *s, const rwl_data_file *file, int64_t sequence, rwl_error *err) {
    s->counts.added_files++;
    s->counts.added_rows += file->record_count;
    s->counts.unassigned_rows += file->content == RWL_CONTENT_DATA ? file->record_count : 0;
    return s->writer == NULL ? RWL_OK : rwl_manifest_writer_add(s->writer, file, sequence, err);
}

rwl_status rwl_update_sink_carry(update_sink *s, const rwl_manifest_entry *entry, int32_t status,
                                 rwl_error *err) {
    const rwl_data_file *f = &entry->file;
    if (status == RWL_STATUS_DELETED) {
        s->counts.deleted_files++;
        s->counts.deleted_rows += f->record_count;
    } else {
        s->counts.existing_files++;
        s->counts.existing_rows += f->record_count;
        if (f->content == RWL_CONTENT_DATA && !f->has_first_row_id)
            s->counts.unassigned_rows += f->record_count;
    }
    return s->writer == NULL ? RWL_OK : rwl_manifest_writer_carry(s->writer, entry, status, err);
}

rwl_status rwl_update_sink_finish(update_sink *s, rwl_manifest *out, rwl_error *err) {
    *out = s->counts;
    if (s->writer == NULL) {
        out->path = "";
        return RWL_OK;
    }
    rwl_manifest_writer *writer = s->writer;
    s->writer = NULL;
    return rwl_manifest_writer_finish(writer, &s->u->arena, out, err);
}

void rwl_update_sink_abort(update_sink *s) {
    rwl_manifest_writer_abort(s->writer);
    s->writer = NULL;
}

/* --- new data files --- */

static rwl_status put_count(rwl_arena *arena, rwl_metric_count **items, int32_t *len, size_t room, int32_t id,
                            int64_t value, rwl_error *err) {
    if (*items == NULL)
        *items = rwl_arena_array(arena, room, sizeof **items);
    if (*items == NULL)
        return rwl_no_memory(err, room * sizeof **items);
    (*items)[*len].field_id = id;
    (*items)[(*len)++].value = value;
    return RWL_OK;
}

static rwl_status put_bound(rwl_arena *arena, rwl_metric_bound **items, int32_t *len, size_t room, int32_t id,
                            rwl_span value, rwl_error *err) {
    if (value.data == NULL)
        return RWL_OK;
    if (*items == NULL)
        *items = rwl_arena_array(arena, room, sizeof **items);
    if (*items == NULL)
        return rwl_no_memory(err, room * sizeof **items);
    (*items)[*len].field_id = id;
    (*items)[(*len)++].value = value;
    return RWL_OK;
}

static rwl_status fill_metrics(rwl_arena *arena, const rwl_added_file *from, rwl_data_file *to,
                               rwl_error *err) {
    size_t room = (size_t)from->metrics_count;
    rwl_metric_count *sizes = NULL, *values = NULL, *nulls = NULL, *nans = NULL;
    rwl_metric_bound *lower = NULL, *upper = NULL;
    for (int32_t i = 0; i < from->metrics_count; i++) {
        const rwl_column_metrics *m = &from->metrics[i];
        if (m->with_counts) {
            RWL_TRY(put_count(arena, &sizes, &to->column_size_count, room, m->field_id, m->column_size, err));
            RWL_TRY(
                put_count(arena, &values, &to->value_count_count, room, m->field_id, m->value_count, err));
            if (m->null_count >= 0)
                RWL_TRY(
                    put_count(arena, &nulls, &to->null_count_count, room, m->field_id, m->null_count, err));
        }
        if (m->with_counts && m->nan_count >= 0)
            RWL_TRY(put_count(arena, &nans, &to->nan_count_count, room, m->field_id, m->nan_count, err));
        RWL_TRY(put_bound(arena, &lower, &to->lower_count, room, m->field_id, m->lower, err));
        RWL_TRY(put_bound(arena, &upper, &to->upper_count, room, m->field_id, m->upper, err));
    }
    to->column_sizes = sizes;
    to->value_counts = values;
    to->null_counts = nulls;
    to->nan_counts = nans;
    to->lower_bounds = lower;
    to->upper_bounds = upper;
    return RWL_OK;
}

/* Iceberg's writers spell formats in capitals. */
static const char *format_name(const char *format) {
    return strcasecmp(format, "parquet") == 0 ? "PARQUET" : format;
}

static rwl_status describe_file(rwl_arena *arena, const rwl_added_file *from, rwl_data_file *to,
                                rwl_error *err) {
    memset(to, 0, sizeof *to);
    to->content = RWL_CONTENT_DATA;
    to->file_path = from->location;
    to->file_format = format_name(from->format);
    to->spec_id = from->spec_id;
    to->partition = from->partition;
    to->partition_count = from->partition_count;
    to->record_count = from->row_count;
    to->file_size = from->file_size;
    to->split_offsets = from->split_count > 0 ? from->split_offsets : NULL;
    to->split_count = from->split_count;
    to->sort_order_id = from->sort_order_id;
    to->content_offset = to->content_size = -1;
    return fill_metrics(arena, from, to, err);
}

static bool stores_lineage(const rwl_added_file *f) {
    return f->row_count > 0 && f->lineage.present && f->lineage.null_ids == 0 &&
           f->lineage.null_versions == 0;
}

/* One group: the files of one spec that can be pinned together, or those that can't. */
typedef struct file_group {
    int32_t spec_id;
    bool pinned;
} file_group;

static file_group group_of(const update_attempt *a, const rwl_added_file *f) {
    file_group g = {f->spec_id, a->u->change->pin && a->base->format_version >= 3 && stores_lineage(f)};
    return g;
}

static rwl_status close_manifest(rwl_update *u, update_sink *sink, update_new_manifest *m, rwl_error *err) {
    m->count = u->order.len - m->first;
    RWL_TRY(rwl_update_sink_finish(sink, &m->manifest, err));
    return rwl_vec_push(&u->added, u->env, *m, err);
}

static rwl_status add_file(update_attempt *a, update_sink *sink, size_t i, rwl_error *err) {
    rwl_update *u = a->u;
    rwl_data_file file;
    RWL_TRY(describe_file(&a->arena, &u->change->added_files[i], &file, err));
    RWL_TRY(rwl_update_sink_add(sink, &file, u->change->data_sequence_number, err));
    return rwl_vec_push(&u->order, u->env, i, err);
}

static bool is_full(const update_sink *sink, int64_t target) {
    return sink->writer != NULL && rwl_manifest_writer_size(sink->writer) >= target;
}

/* All files of a group, in the change's order, as one or more manifests. */
static rwl_status write_group(update_attempt *a, file_group group, int64_t target, rwl_error *err) {
    rwl_update *u = a->u;
    const rwl_partition_spec *spec = rwl_metadata_spec(a->base, group.spec_id);
    if (spec == NULL)
        return rwl_fail(err, RWL_CONFLICT, "partition spec %" PRId32 " of the new files is gone",
                        group.spec_id);
    update_sink sink;
    memset(&sink, 0, sizeof sink);
    bool open = false;
    rwl_status st = RWL_OK;
    update_new_manifest m = {.pinned = group.pinned};
    for (size_t i = 0; i < u->change->added_file_count; i++) {
        file_group g = group_of(a, &u->change->added_files[i]);
        if (g.spec_id != group.spec_id || g.pinned != group.pinned)
            continue;
        if (open && is_full(&sink, target)) {
            open = false;
            RWL_GOTO(st, close_manifest(u, &sink, &m, err), fail);
        }
        if (!open) {
            m.first = u->order.len;
            RWL_GOTO(st, rwl_update_sink_open(a, spec, 0, &sink, err), fail);
            open = true;
        }
        RWL_GOTO(st, add_file(a, &sink, i, err), fail);
    }
    return open ? close_manifest(u, &sink, &m, err) : RWL_OK;
fail:
    rwl_update_sink_abort(&sink);
    return st;
}

/* Whether file i is the first of its group. */
static bool starts_group(const update_attempt *a, size_t i) {
    const rwl_added_file *files = a->u->change->added_files;
    file_group g = group_of(a, &files[i]);
    for (size_t j = 0; j < i; j++) {
        file_group other = group_of(a, &files[j]);
        if (other.spec_id == g.spec_id && other.pinned == g.pinned)
            return false;
    }
    return true;
}

static rwl_status write_data(update_attempt *a, rwl_error *err) {
    int64_t target;
    RWL_TRY(rwl_metadata_property_i64(a->base, "commit.manifest.target-size-bytes", 8388608, &target, err));
    /* groups are few: stop looking for more once every file is written */
    for (size_t i = 0; a->u->order.len < a->u->change->added_file_count; i++)
        if (starts_group(a, i))
            RWL_TRY(write_group(a, group_of(a, &a->u->change->added_files[i]), target, err));
    return RWL_OK;
}

/* --- new vectors --- */

static rwl_status describe_vector(const update_attempt *a, const rwl_added_vector *v, rwl_data_file *to,
                                  rwl_error *err) {
    const update_hit *hit = a->found[rwl_update_target(a->u, rwl_span_str(v->data_file))].hit;
    if (hit->file.spec_id != v->spec_id)
        return rwl_fail(err, RWL_INTERNAL, "the vector for %s has spec %" PRId32 ", the file %" PRId32,
                        v->data_file, v->spec_id, hit->file.spec_id);
    memset(to, 0, sizeof *to);
    to->content = RWL_CONTENT_POSITION_DELETES;
    to->file_path = v->location;
    to->file_format = "PUFFIN";
    to->spec_id = hit->file.spec_id;
    to->partition = hit->file.partition; /* byte for byte the data file's, or readers refuse */
    to->partition_count = hit->file.partition_count;
    to->record_count = v->cardinality;
    to->file_size = v->file_size;
    to->sort_order_id = -1;
    to->referenced_data_file = v->data_file;
    to->content_offset = v->offset;
    to->content_size = v->length;
    return RWL_OK;
}

static rwl_status write_vectors_of(update_attempt *a, const rwl_partition_spec *spec, size_t *written,
                                   rwl_error *err) {
    rwl_update *u = a->u;
    update_sink sink;
    rwl_manifest m;
    RWL_TRY(rwl_update_sink_open(a, spec, 1, &sink, err));
    rwl_status st = RWL_OK;
    for (size_t i = 0; i < u->change->added_vector_count && st == RWL_OK; i++) {
        const rwl_added_vector *v = &u->change->added_vectors[i];
        rwl_data_file file;
        if (v->spec_id != spec->spec_id)
            continue;
        st = describe_vector(a, v, &file, err);
        if (st == RWL_OK)
            st = rwl_update_sink_add(&sink, &file, -1, err);
        ++*written;
    }
    if (st != RWL_OK) {
        rwl_update_sink_abort(&sink);
        return st;
    }
    RWL_TRY(rwl_update_sink_finish(&sink, &m, err));
    return rwl_vec_push(&u->added_deletes, u->env, m, err);
}

static rwl_status write_vectors(update_attempt *a, rwl_error *err) {
    const rwl_change_set *change = a->u->change;
    if (change->added_vector_count > 0 && a->base->format_version < 3)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "deletion vectors need format version 3: upgrade the table first");
    size_t written = 0;
    for (size_t i = 0; written < change->added_vector_count; i++) {
        int32_t spec_id = change->added_vectors[i].spec_id;
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = change->added_vectors[j].spec_id == spec_id;
        if (seen)
            continue;
        const rwl_partition_spec *spec = rwl_metadata_spec(a->base, spec_id);
        if (spec == NULL)
            return rwl_fail(err, RWL_CONFLICT, "partition spec %" PRId32 " of the new vectors is gone",
                            spec_id);
        RWL_TRY(write_vectors_of(a, spec, &written, err));
    }
    return RWL_OK;
}

rwl_status rwl_update_add(update_attempt *a, rwl_error *err) {
    if (a->u->added_ready)
        return RWL_OK;
    a->u->added.len = a->u->added_deletes.len = a->u->order.len = 0;
    RWL_TRY(write_data(a, err));
    RWL_TRY(write_vectors(a, err));
    a->u->added_ready = true;
    return RWL_OK;
}

/* --- the pin --- */

rwl_status rwl_update_pin(update_attempt *a, const update_new_manifest *m, rwl_manifest *line,
                          rwl_error *err) {
    if (!m->pinned || m->count == 0)
        return RWL_OK;
    rwl_pin_file *files = rwl_arena_array(&a->arena, m->count, sizeof *files);
    if (files == NULL)
        return rwl_no_memory(err, m->count * sizeof *files);
    for (size_t i = 0; i < m->count; i++) {
        const rwl_added_file *f = &a->u->change->added_files[a->u->order.items[m->first + i]];
        files[i].rows = f->row_count;
        files[i].id_null_count = f->lineage.null_ids;
        files[i].version_null_count = f->lineage.null_versions;
        files[i].id_min = f->lineage.min_id;
        files[i].id_max = f->lineage.max_id;
    }
    rwl_pin pin = rwl_pin_decide(files, m->count, a->base->next_row_id);
    RWL_TRY(rwl_pin_check(&pin, files, a->base->next_row_id, err));
    line->has_first_row_id = true;
    line->first_row_id = pin.first_row_id;
    return RWL_OK;
}
