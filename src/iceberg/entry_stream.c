/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring of open manifests, each filled by one task at a time while the caller takes entries from the first. A budget that is too
 * small for so many at once has them read one by one.
 */
#include "iceberg/entry_stream.h"

#include "base/pool.h"
#include "base/vec.h"

#include <stdatomic.h>

enum {
    CHUNK_ENTRIES = 1024,
    CHUNK_BYTES = 1024 * 1024,    /* of paths and partition values */
    SLOT_BYTES = 4 * CHUNK_BYTES, /* a manifest: two chunks, a block and what its reader knows, about */
    AHEAD_SHARE = 8               /* of the budget: what is read ahead may take */
};

typedef struct chunk_item {
    rwl_manifest_entry entry;
    bool must_match;
} chunk_item;

/* Some entries of a manifest; written by a task, then read by the caller. */
typedef struct chunk {
    rwl_arena arena;
    RWL_VEC(chunk_item) items;
    int64_t read, skipped; /* entries: those looked at, those of them that are not among the items */
    bool last;             /* of its manifest */
} chunk;

/* A manifest of the ring. */
typedef struct slot {
    rwl_entry_stream *stream;
    const rwl_manifest *manifest;
    rwl_manifest_reader *reader; /* of the task */
    rwl_plan_pruner pruner;
    rwl_group *group; /* NULL: not begun */
    int64_t done;     /* entries of the chunks that were taken */
    int64_t again; /* entries still to pass by, as they were taken before it was begun again; of the task */
    chunk chunks[2];
    int taken;  /* the chunk the caller reads; the other one is being filled */
    bool ready; /* the caller has one */
    size_t at;  /* in it */
} slot;

struct rwl_entry_stream {
    rwl_store *store;
    rwl_op *op;
    const rwl_metadata *metadata;
    rwl_entry_stream_options options;
    rwl_plan_pruner pruner; /* the caller's own, for manifests */
    int32_t next;           /* manifest to be opened */
    slot *slots;            /* a ring */
    size_t slot_count, first, open;
    size_t window; /* slots that are filled at once */
    rwl_entry_stream_stats stats;
    atomic_bool stopping;
    /* The Avro schema of the first manifest that was opened, which nearly all others have: parsed by whose task it was, and
     * seen by others once it is published. */
    atomic_bool learning;
    rwl_arena known_arena;
    rwl_avro_known_schema known;
    _Atomic(const rwl_avro_known_schema *) published;
};

/* --- tasks --- */

static rwl_status keep_entry(slot *s, chunk *c, const rwl_manifest_entry *entry, rwl_error *err) {
    const rwl_entry_stream_options *o = &s->stream->options;
    chunk_item item = {.entry = *entry, .must_match = true};
    if (s->again > 0) {
        s->again--;
        return RWL_OK;
    }
    c->read++;
    if (o->prune != NULL && s->manifest->content == 0) {
        if (!rwl_plan_may_match_file(&s->pruner, entry)) {
            c->skipped++;
            return RWL_OK;
        }
        item.must_match = rwl_plan_must_match_file(&s->pruner, entry);
    }
    RWL_TRY(rwl_data_file_copy(&c->arena, &entry->file, o->keep_metrics, &item.entry.file, err));
    return rwl_vec_push(&c->items, s->stream->op->env, item, err);
}

/* Not a failure when it can't be: then each manifest parses its own. */
static void learn_schema(rwl_entry_stream *s, const rwl_manifest_reader *reader) {
    rwl_span text = rwl_manifest_reader_schema(reader);
    if (atomic_exchange(&s->learning, true))
        return;
    s->known.text = rwl_span_of(rwl_arena_copy(&s->known_arena, text.data, text.len), text.len);
    if (s->known.text.data != NULL &&
        rwl_avro_schema_parse(s->known.text, &s->known_arena, &s->known.schema, NULL) == RWL_OK)
        atomic_store_explicit(&s->published, &s->known, memory_order_release);
}

static rwl_status open_reader(slot *s, rwl_error *err) {
    rwl_entry_stream *stream = s->stream;
    rwl_manifest_wanted wanted = stream->options.wanted;
    wanted.known = atomic_load_explicit(&stream->published, memory_order_acquire);
    RWL_TRY(rwl_manifest_reader_open_for(stream->store, stream->op, stream->metadata, s->manifest, &wanted,
                                         &s->reader, err));
    if (wanted.known == NULL)
        learn_schema(stream, s->reader);
    return RWL_OK;
}

static rwl_status fill_chunk(slot *s, chunk *c, rwl_error *err) {
    rwl_entry_stream *stream = s->stream;
    const rwl_entry_stream_options *o = &stream->options;
    if (s->reader == NULL)
        RWL_TRY(open_reader(s, err));
    while (c->items.len < CHUNK_ENTRIES && c->arena.used < CHUNK_BYTES) {
        const rwl_manifest_entry *entry;
        if (atomic_load_explicit(&stream->stopping, memory_order_relaxed))
            return RWL_OK;
        RWL_TRY(rwl_manifest_reader_next(s->reader, &entry, err));
        if (entry == NULL) {
            rwl_manifest_reader_close(s->reader);
            s->reader = NULL;
            c->last = true;
            return RWL_OK;
        }
        if (o->deleted || entry->status != RWL_STATUS_DELETED)
            RWL_TRY(keep_entry(s, c, entry, err));
    }
    return RWL_OK;
}

static rwl_status run_fill(void *arg, rwl_error *err) {
    slot *s = arg;
    chunk *c = &s->chunks[1 - s->taken];
    rwl_arena_reset(&c->arena);
    c->items.len = 0;
    c->read = c->skipped = 0;
    c->last = false;
    return rwl_arena_refused(&c->arena, fill_chunk(s, c, err), "entries of a manifest", err);
}

/* --- the window --- */

/* Ends a slot's task and forgets what it read. */
static void stop_slot(slot *s, const rwl_env *env) {
    rwl_group_free(s->group); /* waits */
    s->group = NULL;
    rwl_manifest_reader_close(s->reader);
    s->reader = NULL;
    rwl_plan_pruner_clear(&s->pruner);
    for (int i = 0; i < 2; i++) {
        rwl_arena_clear(&s->chunks[i].arena);
        rwl_vec_clear(&s->chunks[i].items, env);
    }
}

static rwl_status begin_slot(slot *s, rwl_error *err) {
    rwl_entry_stream *stream = s->stream;
    const rwl_env *env = stream->op->env;
    rwl_plan_pruner_init(&s->pruner, &stream->pruner, env);
    for (int i = 0; i < 2; i++) {
        rwl_arena_init(&s->chunks[i].arena, env, 0);
        rwl_arena_charge(&s->chunks[i].arena, stream->op);
    }
    s->ready = false;
    s->again = s->done;
    RWL_TRY(rwl_group_new(env->pool, stream->op, &s->group, err));
    return rwl_group_submit(s->group, run_fill, s, err);
}

static bool is_wanted(rwl_entry_stream *s, const rwl_manifest *m) {
    const rwl_entry_stream_options *o = &s->options;
    if (o->content >= 0 && m->content != o->content)
        return false;
    if (!o->deleted && m->added_files == 0 && m->existing_files == 0)
        return false; /* nothing in it is live */
    if (o->prune == NULL || rwl_plan_may_match_manifest(&s->pruner, m))
        return true;
    s->stats.manifests_skipped++;
    return false;
}

static rwl_status fill_window(rwl_entry_stream *s, rwl_error *err) {
    while (s->open < s->window && s->next < s->options.count) {
        const rwl_manifest *m = &s->options.manifests[s->next++];
        if (!is_wanted(s, m))
            continue;
        slot *added = &s->slots[(s->first + s->open++) % s->slot_count];
        *added = (slot){.stream = s, .manifest = m};
        s->stats.manifests_read++;
        RWL_TRY(begin_slot(added, err));
    }
    return RWL_OK;
}

/* Has the first slot read again from where its entries were taken, alone, and each behind it when it is the first. */
static rwl_status read_one_by_one(rwl_entry_stream *s, rwl_error *err) {
    for (size_t i = 0; i < s->open; i++)
        stop_slot(&s->slots[(s->first + i) % s->slot_count], s->op->env);
    s->window = 1;
    return begin_slot(&s->slots[s->first], err);
}

/* Takes the chunk that is being filled, and has the next one filled. What fails for want of memory may not without the others. */
static rwl_status take_chunk(rwl_entry_stream *stream, slot *s, rwl_error *err) {
    if (s->group == NULL)
        RWL_TRY(begin_slot(s, err));
    rwl_status st = rwl_group_wait(s->group, err);
    if ((st == RWL_UNSUPPORTED || st == RWL_NO_MEMORY) && stream->window > 1) {
        RWL_TRY(read_one_by_one(stream, err));
        st = rwl_group_wait(s->group, err);
    }
    RWL_TRY(st);
    s->taken = 1 - s->taken;
    s->ready = true;
    s->at = 0;
    const chunk *c = &s->chunks[s->taken];
    s->done += c->read;
    stream->stats.entries_skipped += c->skipped;
    return c->last ? RWL_OK : rwl_group_submit(s->group, run_fill, s, err);
}

rwl_status rwl_entry_stream_next(rwl_entry_stream *s, rwl_streamed_entry *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    for (;;) {
        RWL_TRY(fill_window(s, err));
        if (s->open == 0)
            return RWL_OK;
        slot *front = &s->slots[s->first];
        const chunk *c = &front->chunks[front->taken];
        if (front->ready && front->at < c->items.len) {
            const chunk_item *item = &c->items.items[front->at++];
            *out = (rwl_streamed_entry){&item->entry, front->manifest, item->must_match};
            return RWL_OK;
        }
        if (!front->ready || !c->last) {
            RWL_TRY(take_chunk(s, front, err));
            continue;
        }
        stop_slot(front, s->op->env);
        s->first = (s->first + 1) % s->slot_count;
        s->open--;
    }
}

/* --- opening --- */

static size_t window_of(const rwl_op *op) {
    int threads = rwl_pool_threads(op->env->pool);
    int64_t slots = threads > 1 ? (int64_t)threads * 2 : 1, fit = op->memory_limit / AHEAD_SHARE / SLOT_BYTES;
    if (op->memory_limit > 0 && fit < slots)
        slots = fit > 1 ? fit : 1;
    return (size_t)slots;
}

rwl_status rwl_entry_stream_open(rwl_store *store, rwl_op *op, const rwl_metadata *metadata,
                                 const rwl_entry_stream_options *options, rwl_entry_stream **out,
                                 rwl_error *err) {
    static const rwl_plan_pruner nothing;
    *out = NULL;
    rwl_entry_stream *s = rwl_calloc(op->env, 1, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    s->store = store;
    s->op = op;
    s->metadata = metadata;
    s->options = *options;
    atomic_init(&s->stopping, false);
    atomic_init(&s->learning, false);
    atomic_init(&s->published, NULL);
    rwl_arena_init(&s->known_arena, op->env, 0);
    rwl_arena_charge(&s->known_arena, op);
    rwl_plan_pruner_init(&s->pruner, options->prune != NULL ? options->prune : &nothing, op->env);
    s->slot_count = s->window = window_of(op);
    s->slots = rwl_calloc(op->env, s->slot_count, sizeof *s->slots);
    if (s->slots == NULL) {
        size_t size = s->slot_count * sizeof *s->slots;
        rwl_entry_stream_close(s);
        return rwl_no_memory(err, size);
    }
    *out = s;
    return RWL_OK;
}

void rwl_entry_stream_close(rwl_entry_stream *s) {
    if (s == NULL)
        return;
    const rwl_env *env = s->op->env;
    atomic_store_explicit(&s->stopping, true, memory_order_relaxed);
    for (; s->open > 0; s->open--) {
        stop_slot(&s->slots[s->first], env);
        s->first = (s->first + 1) % s->slot_count;
    }
    rwl_plan_pruner_clear(&s->pruner);
    rwl_arena_clear(&s->known_arena);
    rwl_free(env, s->slots);
    rwl_free(env, s);
}

rwl_entry_stream_stats rwl_entry_stream_get_stats(const rwl_entry_stream *s) {
    return s->stats;
}
