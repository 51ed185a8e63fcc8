/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a manifest entry by entry: inheritance of snapshot ids, sequence numbers and first_row_ids; checks
 * of counts. */
#include "iceberg/manifest_program.h"

#include "lineage/assign.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct entry_counts {
    int64_t files[3], rows[3]; /* by status */
} entry_counts;

struct rwl_manifest_reader {
    const rwl_env *env;
    rwl_op *op;
    rwl_avro_reader *avro;
    rwl_manifest manifest; /* the list's line; path owned by `kept` */
    rwl_arena kept;        /* path, spec, types, program */
    rwl_arena arena;       /* the current entry */
    const rwl_partition_spec *spec;
    const rwl_type *types;
    rwl_manifest_program program;
    rwl_entry_decoder decoder;
    int64_t entries_left; /* in the block */
    rwl_assign_files ids;
    rwl_manifest_entry entry;
    entry_counts counts;
    bool committed, at_end;
};

/* --- the partition spec --- */

static void type_from_old_schemas(const rwl_metadata *metadata, const rwl_partition_field *field,
                                  rwl_type *type) {
    for (int32_t i = metadata->schema_count - 1; i >= 0 && type->kind == RWL_TYPE_UNKNOWN; i--) {
        const rwl_field *source = rwl_schema_by_id(&metadata->schemas[i], field->source_id);
        rwl_type found;
        if (source != NULL && rwl_transform_result(&field->transform, &source->type, &found))
            *type = found;
    }
}

rwl_status rwl_manifest_partition_types(const rwl_metadata *metadata, const rwl_partition_spec *spec,
                                        rwl_type *types, rwl_error *err) {
    RWL_TRY(rwl_partition_types(spec, metadata->schema, types, err));
    for (int32_t i = 0; i < spec->field_count; i++)
        type_from_old_schemas(metadata, &spec->fields[i], &types[i]);
    return RWL_OK;
}

/* The spec in the manifest's own header, for a table that has lost it. */
static rwl_status spec_from_header(rwl_manifest_reader *r, rwl_error *err) {
    rwl_span text = rwl_avro_reader_metadata(r->avro, "partition-spec");
    if (text.data == NULL)
        return rwl_fail(err, RWL_CORRUPT,
                        "partition spec %" PRId32 " is neither in the table nor in the manifest",
                        r->manifest.spec_id);
    rwl_partition_spec *spec = rwl_arena_alloc(&r->kept, sizeof *spec);
    if (spec == NULL)
        return rwl_no_memory(err, sizeof *spec);
    rwl_json *fields = NULL, *json = rwl_json_new_object();
    rwl_status st;
    RWL_GOTO(st, rwl_json_parse(text, &fields, err), done);
    RWL_GOTO(st, rwl_json_set(json, "spec-id", rwl_json_new_i64(r->manifest.spec_id), err), done);
    RWL_GOTO(st, rwl_json_set(json, "fields", rwl_json_ref(fields), err), done);
    st = rwl_partition_spec_from_json(json, &r->kept, spec, err);
    r->spec = spec;
done:
    rwl_json_free(fields);
    rwl_json_free(json);
    return st;
}

static rwl_status find_spec(rwl_manifest_reader *r, const rwl_metadata *metadata, rwl_error *err) {
    r->spec = rwl_metadata_spec(metadata, r->manifest.spec_id);
    if (r->spec == NULL)
        RWL_TRY(spec_from_header(r, err));
    rwl_type *types = rwl_arena_array(&r->kept, (size_t)r->spec->field_count, sizeof *types);
    if (types == NULL)
        return rwl_no_memory(err, sizeof *types);
    r->types = types;
    return rwl_manifest_partition_types(metadata, r->spec, types, err);
}

/* --- opening --- */

/* What the header says of the whole manifest, where it does, against the list. */
static rwl_status check_header(const rwl_manifest_reader *r, rwl_error *err) {
    const rwl_manifest *m = &r->manifest;
    rwl_span content = rwl_avro_reader_metadata(r->avro, "content");
    bool deletes = content.data != NULL && rwl_span_equal(content, rwl_span_str("deletes"));
    if (content.data != NULL && deletes != (m->content == 1))
        return rwl_fail(err, RWL_CORRUPT,
                        "the manifest list says content %" PRId32 ", the manifest says %.*s", m->content,
                        (int)(content.len > 20 ? 20 : content.len), (const char *)content.data);
    rwl_span spec = rwl_avro_reader_metadata(r->avro, "partition-spec-id");
    char text[16];
    int len = snprintf(text, sizeof text, "%" PRId32, m->spec_id);
    if (spec.data != NULL && !rwl_span_equal(spec, rwl_span_of(text, (size_t)len)))
        return rwl_fail(err, RWL_CORRUPT, "the manifest list says partition spec %s, the manifest says %.*s",
                        text, (int)(spec.len > 20 ? 20 : spec.len), (const char *)spec.data);
    return RWL_OK;
}

static rwl_status open_reader(rwl_manifest_reader *r, rwl_store *store, const rwl_metadata *metadata,
                              const rwl_manifest *manifest, const rwl_manifest_wanted *wanted,
                              rwl_error *err) {
    if (manifest->key_metadata.data != NULL)
        return rwl_fail(err, RWL_UNSUPPORTED, "the manifest is encrypted");
    r->manifest.path = rwl_arena_strdup(&r->kept, manifest->path);
    if (r->manifest.path == NULL)
        return rwl_no_memory(err, strlen(manifest->path));
    RWL_TRY(rwl_avro_reader_open_known(store, r->op, manifest->path, wanted->known, &r->avro, err));
    RWL_TRY(check_header(r, err));
    RWL_TRY(find_spec(r, metadata, err));
    return rwl_manifest_compile(rwl_avro_reader_schema(r->avro), r->spec, r->types, wanted, &r->kept,
                                &r->program, err);
}

rwl_status rwl_manifest_reader_open(rwl_store *store, rwl_op *op, const rwl_metadata *metadata,
                                    const rwl_manifest *manifest, rwl_manifest_reader **out, rwl_error *err) {
    return rwl_manifest_reader_open_for(store, op, metadata, manifest, NULL, out, err);
}

rwl_status rwl_manifest_reader_open_for(rwl_store *store, rwl_op *op, const rwl_metadata *metadata,
                                        const rwl_manifest *manifest, const rwl_manifest_wanted *wanted,
                                        rwl_manifest_reader **out, rwl_error *err) {
    static const rwl_manifest_wanted everything = {true, true, true, true, NULL, 0, NULL};
    *out = NULL;
    rwl_manifest_reader *r = rwl_calloc(op->env, 1, sizeof *r);
    if (r == NULL)
        return rwl_no_memory(err, sizeof *r);
    r->env = op->env;
    r->op = op;
    r->manifest = *manifest;
    r->committed = manifest->sequence_number >= 0;
    r->decoder.values_left = RWL_ENTRY_VALUES_FREE;
    rwl_arena_init(&r->kept, op->env, 0);
    rwl_arena_init(&r->arena, op->env, RWL_AVRO_RECORD_MAX);
    rwl_arena_charge(&r->kept, op);
    rwl_arena_charge(&r->arena, op);
    rwl_assign_files_init(&r->ids, manifest->has_first_row_id ? rwl_some(manifest->first_row_id) : rwl_none(),
                          r->committed);
    rwl_status st = open_reader(r, store, metadata, manifest, wanted != NULL ? wanted : &everything, err);
    st = rwl_arena_refused(&r->kept, st, "what a manifest says of itself", err);
    if (st != RWL_OK) {
        rwl_manifest_reader_close(r);
        return rwl_error_path(err, rwl_error_in(err, st, "manifest %s", manifest->path), manifest->path);
    }
    *out = r;
    return RWL_OK;
}

void rwl_manifest_reader_close(rwl_manifest_reader *r) {
    if (r == NULL)
        return;
    rwl_avro_reader_close(r->avro);
    rwl_arena_clear(&r->kept);
    rwl_arena_clear(&r->arena);
    rwl_free(r->env, r);
}

rwl_span rwl_manifest_reader_schema(const rwl_manifest_reader *r) {
    return rwl_avro_reader_metadata(r->avro, "avro.schema");
}

/* --- entries --- */

/*
 * Snapshot id and sequence numbers (specification, "Sequence Number Inheritance"): null ones of ADDED entries
 * are the manifest's; manifests of v1 have number 0, which all their entries inherit.
 */
static rwl_status inherit_numbers(rwl_manifest_reader *r, rwl_error *err) {
    rwl_manifest_entry *e = &r->entry;
    int64_t inherited = r->manifest.sequence_number;
    bool inherits = e->status == RWL_STATUS_ADDED || inherited == 0;
    e->snapshot_id = e->stored_snapshot_id >= 0 ? e->stored_snapshot_id : r->manifest.added_snapshot_id;
    e->sequence_number = e->stored_sequence_number;
    if (e->sequence_number < 0 && inherits)
        e->sequence_number = inherited;
    e->file_sequence_number = e->stored_file_sequence_number;
    if (e->file_sequence_number < 0 && inherits)
        e->file_sequence_number = inherited;
    if (e->status == RWL_STATUS_EXISTING && e->sequence_number < 0)
        return rwl_fail(err, RWL_CORRUPT, "existing entry of %s has no sequence number", e->file.file_path);
    return RWL_OK;
}

/* first_row_id by rule 3 of lineage/assign.h, in file order and before anything is filtered. */
static rwl_status inherit_first_row_id(rwl_manifest_reader *r, rwl_error *err) {
    rwl_data_file *f = &r->entry.file;
    if (r->manifest.content != 0)
        return RWL_OK; /* delete files have none, whatever is stored */
    rwl_opt_i64 stored = f->stored_has_first_row_id ? rwl_some(f->stored_first_row_id) : rwl_none();
    rwl_opt_i64 id;
    RWL_TRY(
        rwl_assign_files_next(&r->ids, (rwl_entry_status)r->entry.status, stored, f->record_count, &id, err));
    f->has_first_row_id = id.present;
    f->first_row_id = id.value;
    return RWL_OK;
}

static rwl_status count_entry(rwl_manifest_reader *r, rwl_error *err) {
    int32_t status = r->entry.status;
    r->counts.files[status]++;
    if (!rwl_i64_add(r->counts.rows[status], r->entry.file.record_count, &r->counts.rows[status]))
        return rwl_fail(err, RWL_CORRUPT, "record counts add up to more than 2^63 - 1");
    return RWL_OK;
}

static rwl_status check_count(int64_t listed, int64_t found, const char *what, rwl_error *err) {
    if (listed < 0 || listed == found)
        return RWL_OK;
    return rwl_fail(err, RWL_CORRUPT, "the manifest list says %" PRId64 " %s, the manifest has %" PRId64,
                    listed, what, found);
}

/*
 * Live entries together: there are writers that list the rows of files they carry as added ones, and a manifest that
 * was cut short or exchanged shows all the same.
 */
static rwl_status check_counts(const rwl_manifest_reader *r, rwl_error *err) {
    const rwl_manifest *m = &r->manifest;
    const entry_counts *c = &r->counts;
    int64_t files = -1, rows = -1, live_rows;
    if (m->added_files >= 0 && m->existing_files >= 0)
        files = (int64_t)m->added_files + m->existing_files;
    if (m->added_rows >= 0 && m->existing_rows >= 0 && !rwl_i64_add(m->added_rows, m->existing_rows, &rows))
        return rwl_fail(err, RWL_CORRUPT, "the manifest list says more than 2^63 - 1 rows");
    if (!rwl_i64_add(c->rows[RWL_STATUS_ADDED], c->rows[RWL_STATUS_EXISTING], &live_rows))
        return rwl_fail(err, RWL_CORRUPT, "record counts add up to more than 2^63 - 1");
    RWL_TRY(check_count(files, c->files[RWL_STATUS_ADDED] + c->files[RWL_STATUS_EXISTING],
                        "added and existing files", err));
    RWL_TRY(check_count(m->deleted_files, c->files[RWL_STATUS_DELETED], "deleted files", err));
    RWL_TRY(check_count(rows, live_rows, "added and existing rows", err));
    return check_count(m->deleted_rows, c->rows[RWL_STATUS_DELETED], "deleted rows", err);
}

/* False at the end of the manifest. */
static rwl_status has_entry(rwl_manifest_reader *r, bool *more, rwl_error *err) {
    *more = true;
    if (r->entries_left > 0)
        return RWL_OK;
    size_t over = rwl_cursor_left(&r->decoder.in);
    if (over > 0)
        return rwl_fail(err, RWL_CORRUPT, "%zu bytes are left after the last entry of the block", over);
    rwl_span bytes;
    RWL_TRY(rwl_avro_reader_next_block(r->avro, &bytes, &r->entries_left, err));
    r->decoder.in = rwl_cursor_of(bytes);
    r->decoder.values_left += RWL_ENTRY_VALUES_PER_BYTE * (int64_t)bytes.len;
    *more = r->entries_left > 0;
    return RWL_OK;
}

static rwl_status decode_entry(rwl_manifest_reader *r, rwl_error *err) {
    rwl_arena_reset(&r->arena);
    r->entries_left--;
    rwl_status st = rwl_manifest_entry_decode(&r->program, &r->decoder, &r->arena, &r->entry, err);
    if (st == RWL_OK)
        return RWL_OK;
    return rwl_error_in(err, st, "block at byte %" PRId64, rwl_avro_reader_block_off(r->avro));
}

static rwl_status read_entry(rwl_manifest_reader *r, const rwl_manifest_entry **out, rwl_error *err) {
    bool more;
    RWL_TRY(rwl_op_check(r->op, err));
    RWL_TRY(has_entry(r, &more, err));
    if (!more) {
        r->at_end = true;
        return check_counts(r, err);
    }
    RWL_TRY(decode_entry(r, err));
    const rwl_data_file *f = &r->entry.file;
    if ((f->content == RWL_CONTENT_DATA) != (r->manifest.content == 0))
        return rwl_fail(err, RWL_CORRUPT, "%s has content %" PRId32 " in a manifest of content %" PRId32,
                        f->file_path, f->content, r->manifest.content);
    RWL_TRY(inherit_numbers(r, err));
    RWL_TRY(inherit_first_row_id(r, err));
    RWL_TRY(count_entry(r, err));
    *out = &r->entry;
    return RWL_OK;
}

rwl_status rwl_manifest_reader_next(rwl_manifest_reader *r, const rwl_manifest_entry **out, rwl_error *err) {
    *out = NULL;
    if (r->at_end)
        return RWL_OK;
    rwl_status st = rwl_arena_refused(&r->arena, read_entry(r, out, err), "an entry of a manifest", err);
    if (st == RWL_OK)
        return RWL_OK;
    return rwl_error_path(err, rwl_error_in(err, st, "manifest %s", r->manifest.path), r->manifest.path);
}
