/* SPDX-License-Identifier: Apache-2.0 */
/* Manifest by manifest, entry by entry. */
#include "engine/entry_walk.h"

rwl_status rwl_manifest_spec_types(const rwl_metadata *m, const rwl_manifest *manifest, rwl_arena *arena,
                                   const rwl_partition_spec **spec, const rwl_type **types, rwl_error *err) {
    *types = NULL;
    *spec = rwl_metadata_spec(m, manifest->spec_id);
    if (*spec == NULL)
        return RWL_OK;
    rwl_type *out = rwl_arena_array(arena, (size_t)(*spec)->field_count, sizeof *out);
    if (out == NULL)
        return rwl_no_memory(err, (size_t)(*spec)->field_count * sizeof *out);
    *types = out;
    return rwl_manifest_partition_types(m, *spec, out, err);
}

rwl_status rwl_entry_walk_open(rwl_entry_walk *w, const rwl_table *table, rwl_op *op,
                               const rwl_snapshot *snapshot, rwl_error *err) {
    memset(w, 0, sizeof *w);
    w->table = table;
    w->op = op;
    rwl_arena_init(&w->arena, table->env, 0);
    rwl_arena_init(&w->list.arena, table->env, 0);
    if (snapshot == NULL)
        return RWL_OK;
    rwl_status st = rwl_manifest_list_read(table->store, op, snapshot, &w->list, err);
    if (st != RWL_OK)
        rwl_entry_walk_clear(w);
    return st;
}

void rwl_entry_walk_clear(rwl_entry_walk *w) {
    rwl_manifest_reader_close(w->reader);
    w->reader = NULL;
    rwl_manifest_list_clear(&w->list);
    rwl_arena_clear(&w->arena);
}

static rwl_status open_manifest(rwl_entry_walk *w, rwl_error *err) {
    const rwl_manifest *manifest = rwl_entry_walk_manifest(w);
    const rwl_metadata *m = w->table->metadata;
    RWL_TRY(rwl_op_check(w->op, err));
    static const rwl_manifest_wanted no_metrics = {0};
    RWL_TRY(rwl_manifest_reader_open_for(w->table->store, w->op, m, manifest, &no_metrics, &w->reader, err));
    rwl_arena_reset(&w->arena);
    return rwl_manifest_spec_types(m, manifest, &w->arena, &w->spec, &w->types, err);
}

rwl_status rwl_entry_walk_next(rwl_entry_walk *w, const rwl_manifest_entry **out, rwl_error *err) {
    for (*out = NULL; w->at < w->list.count; w->at++) {
        if (w->deletes_only && rwl_entry_walk_manifest(w)->content == RWL_CONTENT_DATA)
            continue;
        if (w->reader == NULL)
            RWL_TRY(open_manifest(w, err));
        RWL_TRY(rwl_manifest_reader_next(w->reader, out, err));
        if (*out != NULL)
            return RWL_OK;
        rwl_manifest_reader_close(w->reader);
        w->reader = NULL;
    }
    return RWL_OK;
}

void rwl_entry_walk_put_partition(const rwl_entry_walk *w, const rwl_data_file *file, rwl_doc *doc) {
    rwl_doc_open(doc, NULL, '{');
    for (int32_t i = 0; w->spec != NULL && i < w->spec->field_count && i < file->partition_count; i++) {
        rwl_type own = rwl_type_of(file->partition[i].kind);
        rwl_doc_value(doc, w->spec->fields[i].name, w->types[i].kind == own.kind ? &w->types[i] : &own,
                      &file->partition[i]);
    }
    rwl_doc_close(doc, '}');
}
