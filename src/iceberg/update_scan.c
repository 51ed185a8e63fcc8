/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the files a change names in the head's manifests, and writing those without the removed ones. */
#include "iceberg/update_internal.h"

#include <inttypes.h>

/* --- which manifests have to be read --- */

static bool lacks_counts(const rwl_manifest *m) {
    return m->added_files < 0 || m->existing_files < 0 || m->deleted_files < 0 || m->added_rows < 0 ||
           m->existing_rows < 0 || m->deleted_rows < 0;
}

static bool is_empty(const rwl_manifest *m) {
    return m->added_files == 0 && m->existing_files == 0;
}

static bool must_read(const update_attempt *a, const rwl_manifest *m) {
    if (lacks_counts(m))
        return true;
    if (is_empty(m))
        return false;
    if (m->content == 0)
        return a->u->targets.len > 0 || (a->base->format_version >= 3 && !m->has_first_row_id);
    return a->u->targets.len > 0 || a->u->change->removed_delete_count > 0;
}

/* --- one manifest --- */

typedef struct scan {
    update_attempt *a;
    update_source *source;
    RWL_VEC(update_hit) hits;
} scan;

static size_t find_removed_delete(const rwl_update *u, const rwl_data_file *f, rwl_buf *key, rwl_error *err,
                                  rwl_status *st) {
    rwl_buf_reset(key);
    int64_t offset = rwl_delete_is_vector(f) ? f->content_offset : -1;
    *st = rwl_buf_append(key, f->file_path, strlen(f->file_path) + 1, err);
    if (*st == RWL_OK)
        *st = rwl_buf_le64(key, (uint64_t)offset, err);
    const rwl_map_value *found = *st == RWL_OK ? rwl_map_get(&u->delete_by_name, rwl_buf_span(key)) : NULL;
    return found == NULL ? SIZE_MAX : (size_t)found->i64 - 1;
}

/* A delete entry goes when it is named, or when it applies to nothing but a file that goes. */
static rwl_status judge_delete(const rwl_update *u, const rwl_data_file *f, update_hit *hit, rwl_error *err) {
    rwl_buf key;
    rwl_buf_init(&key, u->env, SIZE_MAX);
    rwl_status st;
    hit->target = SIZE_MAX;
    hit->removed_delete = find_removed_delete(u, f, &key, err, &st);
    rwl_buf_clear(&key);
    RWL_TRY(st);
    hit->drop = hit->removed_delete != SIZE_MAX;
    rwl_span scope = rwl_delete_scope(f);
    size_t target = scope.data == NULL ? SIZE_MAX : rwl_update_target(u, scope);
    if (target == SIZE_MAX)
        return RWL_OK;
    if (u->targets.items[target].removed != NULL)
        hit->drop = true;
    else
        hit->unreplaced_vector = !hit->drop && rwl_delete_is_vector(f);
    return RWL_OK;
}

static rwl_status judge_entry(scan *s, const rwl_manifest_entry *e, rwl_error *err) {
    const rwl_update *u = s->a->u;
    update_hit hit;
    memset(&hit, 0, sizeof hit);
    hit.sequence_number = e->sequence_number;
    if (e->file.content == RWL_CONTENT_DATA) {
        hit.removed_delete = SIZE_MAX;
        hit.target = rwl_update_target(u, rwl_span_str(e->file.file_path));
        if (hit.target == SIZE_MAX)
            return RWL_OK;
        hit.drop = u->targets.items[hit.target].removed != NULL;
    } else {
        RWL_TRY(judge_delete(u, &e->file, &hit, err));
        if (!hit.drop && !hit.unreplaced_vector)
            return RWL_OK;
    }
    s->source->drops = s->source->drops || hit.drop;
    RWL_TRY(rwl_data_file_copy(&s->a->u->arena, &e->file, false, &hit.file, err));
    return rwl_vec_push(&s->hits, u->env, hit, err);
}

static void count_entry(rwl_manifest *c, const rwl_manifest_entry *e) {
    int64_t rows = e->file.record_count;
    switch (e->status) {
    case RWL_STATUS_ADDED:
        c->added_files++;
        c->added_rows += rows;
        break;
    case RWL_STATUS_EXISTING:
        c->existing_files++;
        c->existing_rows += rows;
        break;
    default:
        c->deleted_files++;
        c->deleted_rows += rows;
        return;
    }
    if (e->file.content == RWL_CONTENT_DATA && !e->file.stored_has_first_row_id)
        c->unassigned_rows += rows;
}

static rwl_status read_entries(scan *s, rwl_manifest_reader *reader, rwl_error *err) {
    for (;;) {
        const rwl_manifest_entry *e;
        RWL_TRY(rwl_manifest_reader_next(reader, &e, err));
        if (e == NULL)
            return RWL_OK;
        count_entry(&s->source->counted, e);
        if (e->status != RWL_STATUS_DELETED)
            RWL_TRY(judge_entry(s, e, err));
    }
}

static rwl_status read_source(update_attempt *a, const rwl_manifest *line, update_source *source,
                              rwl_error *err) {
    scan s = {.a = a, .source = source};
    rwl_manifest *c = &source->counted;
    *c = *line;
    c->path = rwl_arena_strdup(&a->u->arena, line->path);
    c->partitions = NULL; /* the line's own are the list's, which goes with the attempt */
    if (c->path == NULL)
        return rwl_no_memory(err, strlen(line->path));
    c->added_files = c->existing_files = c->deleted_files = 0;
    c->added_rows = c->existing_rows = c->deleted_rows = c->unassigned_rows = 0;
    rwl_manifest_reader *reader = NULL;
    RWL_TRY(rwl_manifest_reader_open(a->u->store, a->u->op, a->base, line, &reader, err));
    rwl_status st = read_entries(&s, reader, err);
    rwl_manifest_reader_close(reader);
    if (st == RWL_OK) {
        source->hit_count = s.hits.len;
        source->hits = rwl_arena_copy(&a->u->arena, s.hits.items, s.hits.len * sizeof *s.hits.items);
        if (source->hits == NULL)
            st = rwl_no_memory(err, s.hits.len * sizeof *s.hits.items);
    }
    rwl_vec_clear(&s.hits, a->u->env);
    return st;
}

/* --- all manifests --- */

/* Manifests never change, but the same one may have got its first_row_id between attempts (an upgrade). */
static rwl_status source_key(const rwl_manifest *line, rwl_buf *key, rwl_error *err) {
    RWL_TRY(rwl_buf_append(key, line->path, strlen(line->path) + 1, err));
    RWL_TRY(rwl_buf_u8(key, line->has_first_row_id, err));
    return rwl_buf_le64(key, (uint64_t)line->first_row_id, err);
}

static rwl_status get_source(update_attempt *a, const rwl_manifest *line, update_source **out,
                             rwl_error *err) {
    rwl_buf key;
    rwl_buf_init(&key, a->u->env, SIZE_MAX);
    rwl_status st = source_key(line, &key, err);
    rwl_map_value *known = st == RWL_OK ? rwl_map_get(&a->u->sources, rwl_buf_span(&key)) : NULL;
    if (known != NULL) {
        *out = known->ptr;
        goto done;
    }
    update_source *source = rwl_arena_alloc(&a->u->arena, sizeof *source);
    if (st == RWL_OK && source == NULL)
        st = rwl_no_memory(err, sizeof *source);
    if (st == RWL_OK)
        st = read_source(a, line, source, err);
    if (st == RWL_OK)
        st = rwl_map_put(&a->u->sources, rwl_buf_span(&key), &known, NULL, err);
    if (st == RWL_OK) {
        known->ptr = source;
        *out = source;
    }
done:
    rwl_buf_clear(&key);
    return st;
}

static rwl_status note_hits(update_attempt *a, const update_source *source, rwl_error *err) {
    for (size_t i = 0; i < source->hit_count; i++) {
        const update_hit *hit = &source->hits[i];
        if (hit->removed_delete != SIZE_MAX)
            a->deletes_found[hit->removed_delete] = true;
        if (hit->target == SIZE_MAX)
            continue;
        update_found *found = &a->found[hit->target];
        if (found->hit != NULL)
            return rwl_fail(err, RWL_CORRUPT, "data file %s is live twice in snapshot %" PRId64,
                            hit->file.file_path, a->head->snapshot_id);
        found->hit = hit;
    }
    return RWL_OK;
}

rwl_status rwl_update_scan(update_attempt *a, rwl_error *err) {
    for (int32_t i = 0; i < a->parent.count; i++) {
        const rwl_manifest *line = &a->parent.items[i];
        if (!must_read(a, line))
            continue;
        RWL_TRY(get_source(a, line, &a->sources[i], err));
        RWL_TRY(note_hits(a, a->sources[i], err));
    }
    return RWL_OK;
}

/* --- filtered manifests --- */

/* Hits are in entry order, so one walk along them tells which live entries go. */
static rwl_status carry_entries(update_sink *sink, rwl_manifest_reader *reader, const update_source *source,
                                rwl_error *err) {
    size_t next = 0;
    for (;;) {
        const rwl_manifest_entry *e;
        RWL_TRY(rwl_manifest_reader_next(reader, &e, err));
        if (e == NULL)
            break;
        if (e->status == RWL_STATUS_DELETED)
            continue; /* told by the snapshot that did it */
        bool drop = false;
        if (next < source->hit_count && strcmp(source->hits[next].file.file_path, e->file.file_path) == 0 &&
            source->hits[next].file.content_offset == e->file.content_offset)
            drop = source->hits[next++].drop;
        RWL_TRY(rwl_update_sink_carry(sink, e, drop ? RWL_STATUS_DELETED : RWL_STATUS_EXISTING, err));
    }
    if (next != source->hit_count)
        return rwl_fail(err, RWL_INTERNAL, "manifest %s reads differently the second time",
                        source->counted.path);
    return RWL_OK;
}

rwl_status rwl_update_filter(update_attempt *a, const rwl_manifest *line, update_source *source,
                             rwl_error *err) {
    if (source->has_filtered)
        return RWL_OK;
    const rwl_partition_spec *spec = rwl_metadata_spec(a->base, line->spec_id);
    if (spec == NULL)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "manifest %s has partition spec %" PRId32 ", which the table does not have",
                        line->path, line->spec_id);
    rwl_manifest_reader *reader = NULL;
    RWL_TRY(rwl_manifest_reader_open(a->u->store, a->u->op, a->base, line, &reader, err));
    update_sink sink;
    rwl_status st = rwl_update_sink_open(a, spec, line->content, &sink, err);
    if (st == RWL_OK) {
        st = carry_entries(&sink, reader, source, err);
        if (st == RWL_OK)
            st = rwl_update_sink_finish(&sink, &source->filtered, err);
        else
            rwl_update_sink_abort(&sink);
    }
    rwl_manifest_reader_close(reader);
    source->has_filtered = st == RWL_OK;
    return st;
}
