/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of metadata compared, as far back as their files are there. */
#include "engine/about_changes.h"

#include <stdio.h>

enum { CHANGES_MAX = 200 }; /* sentences of one version; the rest is counted */

/* --- two versions --- */

typedef struct comparison {
    const rwl_metadata *older, *newer;
    rwl_buf *kinds;
    rwl_doc *doc;
    rwl_error *err;
    rwl_status st;
    int64_t count;
    const char *last_kind; /* kinds come one after another */
    rwl_buf text;
} comparison;

static void say(comparison *c, const char *kind, const char *format, ...) RWL_PRINTF(3, 4);
static void say(comparison *c, const char *kind, const char *format, ...) {
    if (c->st == RWL_OK && c->last_kind != kind)
        c->st = rwl_buf_printf(c->kinds, c->err, "%s%s", c->kinds->len > 0 ? ", " : "", kind);
    c->last_kind = kind;
    if (c->count++ >= CHANGES_MAX)
        return;
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rwl_doc_text(c->doc, NULL, text);
}

static void compare_format(comparison *c) {
    if (c->older->format_version != c->newer->format_version)
        say(c, "upgrade", "format version %d to %d", (int)c->older->format_version,
            (int)c->newer->format_version);
    if (strcmp(c->older->location, c->newer->location) != 0)
        say(c, "location", "location %s to %s", c->older->location, c->newer->location);
}

static void compare_schemas(comparison *c) {
    static const char kind[] = "schema";
    for (int32_t i = 0; i < c->newer->schema_count; i++)
        if (rwl_metadata_schema(c->older, c->newer->schemas[i].schema_id) == NULL)
            say(c, kind, "schema %d added", (int)c->newer->schemas[i].schema_id);
    for (int32_t i = 0; i < c->older->schema_count; i++)
        if (rwl_metadata_schema(c->newer, c->older->schemas[i].schema_id) == NULL)
            say(c, kind, "schema %d removed", (int)c->older->schemas[i].schema_id);
    if (c->older->schema->schema_id != c->newer->schema->schema_id)
        say(c, kind, "current schema %d to %d", (int)c->older->schema->schema_id,
            (int)c->newer->schema->schema_id);
}

static void compare_specs(comparison *c) {
    static const char kind[] = "partition spec";
    for (int32_t i = 0; i < c->newer->spec_count; i++)
        if (rwl_metadata_spec(c->older, c->newer->specs[i].spec_id) == NULL)
            say(c, kind, "partition spec %d added", (int)c->newer->specs[i].spec_id);
    for (int32_t i = 0; i < c->older->spec_count; i++)
        if (rwl_metadata_spec(c->newer, c->older->specs[i].spec_id) == NULL)
            say(c, kind, "partition spec %d removed", (int)c->older->specs[i].spec_id);
    if (c->older->spec->spec_id != c->newer->spec->spec_id)
        say(c, kind, "default partition spec %d to %d", (int)c->older->spec->spec_id,
            (int)c->newer->spec->spec_id);
}

static void compare_orders(comparison *c) {
    static const char kind[] = "sort order";
    for (int32_t i = 0; i < c->newer->order_count; i++)
        if (rwl_metadata_order(c->older, c->newer->orders[i].order_id) == NULL)
            say(c, kind, "sort order %d added", (int)c->newer->orders[i].order_id);
    if (c->older->order->order_id != c->newer->order->order_id)
        say(c, kind, "default sort order %d to %d", (int)c->older->order->order_id,
            (int)c->newer->order->order_id);
}

static void compare_properties(comparison *c) {
    static const char kind[] = "properties";
    const rwl_json *before = rwl_json_get(c->older->json, "properties");
    const rwl_json *after = rwl_json_get(c->newer->json, "properties");
    const char *key;
    rwl_json *value;
    for (size_t pos = 0; after != NULL && rwl_json_next(after, &pos, &key, &value);) {
        const char *old = rwl_property(before, key, NULL), *now = rwl_json_str(value);
        if (now != NULL && (old == NULL || strcmp(old, now) != 0))
            say(c, kind, "property %s set to %s", key, now);
    }
    for (size_t pos = 0; before != NULL && rwl_json_next(before, &pos, &key, &value);)
        if (rwl_json_str(value) != NULL && rwl_property(after, key, NULL) == NULL)
            say(c, kind, "property %s removed", key);
}

/* A head that moves to a snapshot of this very version is the commit's doing. */
static void compare_ref(comparison *c, const rwl_ref *now) {
    static const char kind[] = "refs";
    const rwl_ref *before = rwl_metadata_ref(c->older, now->name);
    const char *what = now->is_tag ? "tag" : "branch";
    bool made_here = rwl_metadata_snapshot(c->older, now->snapshot_id) == NULL && !now->is_tag;
    if (before == NULL && !made_here)
        say(c, kind, "%s %s created at %lld", what, now->name, (long long)now->snapshot_id);
    if (before == NULL)
        return;
    if (before->snapshot_id != now->snapshot_id && !made_here)
        say(c, kind, "%s %s moved from %lld to %lld", what, now->name, (long long)before->snapshot_id,
            (long long)now->snapshot_id);
    if (before->is_tag != now->is_tag)
        say(c, kind, "%s became a %s", now->name, what);
    if (before->min_snapshots_to_keep != now->min_snapshots_to_keep ||
        before->max_snapshot_age_ms != now->max_snapshot_age_ms ||
        before->max_ref_age_ms != now->max_ref_age_ms)
        say(c, kind, "%s %s: retention changed", what, now->name);
}

static void compare_refs(comparison *c) {
    for (int32_t i = 0; i < c->newer->ref_count; i++)
        compare_ref(c, &c->newer->refs[i]);
    for (int32_t i = 0; i < c->older->ref_count; i++)
        if (rwl_metadata_ref(c->newer, c->older->refs[i].name) == NULL)
            say(c, "refs", "%s %s removed", c->older->refs[i].is_tag ? "tag" : "branch",
                c->older->refs[i].name);
}

static void compare_snapshots(comparison *c) {
    int64_t gone = 0, last = -1;
    for (int32_t i = 0; i < c->older->snapshot_count; i++)
        if (rwl_metadata_snapshot(c->newer, c->older->snapshots[i].snapshot_id) == NULL) {
            gone++;
            last = c->older->snapshots[i].snapshot_id;
        }
    if (gone == 1)
        say(c, "expire", "snapshot %lld expired", (long long)last);
    else if (gone > 1)
        say(c, "expire", "%lld snapshots expired", (long long)gone);
}

/* Lists of statistics files, compared as text. */
static void compare_statistics(comparison *c, const char *key) {
    const rwl_json *before = rwl_json_get(c->older->json, key), *after = rwl_json_get(c->newer->json, key);
    rwl_buf a, b;
    rwl_buf_init(&a, c->newer->env, SIZE_MAX);
    rwl_buf_init(&b, c->newer->env, SIZE_MAX);
    if (c->st == RWL_OK && rwl_json_len(before) > 0)
        c->st = rwl_json_dump(before, 0, &a, c->err);
    if (c->st == RWL_OK && rwl_json_len(after) > 0)
        c->st = rwl_json_dump(after, 0, &b, c->err);
    if (c->st == RWL_OK && !rwl_span_equal(rwl_buf_span(&a), rwl_buf_span(&b)))
        say(c, "statistics", "%s: %zu files, %zu before", key, rwl_json_len(after), rwl_json_len(before));
    rwl_buf_clear(&a);
    rwl_buf_clear(&b);
}

rwl_status rwl_changes_compare(const rwl_metadata *older, const rwl_metadata *newer, rwl_buf *kinds,
                               rwl_doc *doc, rwl_error *err) {
    comparison c = {.older = older, .newer = newer, .kinds = kinds, .doc = doc, .err = err, .st = RWL_OK};
    rwl_buf_reset(kinds);
    compare_format(&c);
    compare_schemas(&c);
    compare_specs(&c);
    compare_orders(&c);
    compare_properties(&c);
    compare_refs(&c);
    compare_snapshots(&c);
    compare_statistics(&c, "statistics");
    compare_statistics(&c, "partition-statistics");
    if (c.count > CHANGES_MAX) {
        char rest[64];
        snprintf(rest, sizeof rest, "%lld more", (long long)(c.count - CHANGES_MAX));
        rwl_doc_text(doc, NULL, rest);
    }
    if (c.st == RWL_OK)
        c.st = rwl_buf_terminate(kinds, err);
    return c.st == RWL_OK ? doc->st : c.st;
}

/* --- the log of versions --- */

void rwl_changes_walk_open(rwl_changes_walk *w, const rwl_table *table, rwl_op *op) {
    memset(w, 0, sizeof *w);
    w->table = table;
    w->op = op;
    w->log = rwl_json_get(table->metadata->json, "metadata-log");
    w->left = rwl_json_len(w->log);
    rwl_arena_init(&w->arena, table->env, 0);
    rwl_buf_init(&w->kinds, table->env, SIZE_MAX);
    rwl_buf_init(&w->texts, table->env, SIZE_MAX);
    w->newer = table->metadata;
    w->newer_ms = table->metadata->last_updated_ms;
    w->newer_file = table->metadata->metadata_location;
}

void rwl_changes_walk_clear(rwl_changes_walk *w) {
    rwl_metadata_free(w->read);
    rwl_arena_clear(&w->arena);
    rwl_buf_clear(&w->kinds);
    rwl_buf_clear(&w->texts);
}

/* NOT_FOUND when the file is no longer there, which is no failure: `err` stays as it is. */
static rwl_status read_version(rwl_changes_walk *w, const char *file, rwl_metadata **out, rwl_error *err) {
    rwl_error why;
    memset(&why, 0, sizeof why);
    rwl_place place = {.store = w->table->store,
                       .directory = w->table->place.directory,
                       .file = file,
                       .layout = RWL_LAYOUT_FILE};
    rwl_version version;
    rwl_arena_reset(&w->arena);
    RWL_TRY(rwl_op_check(w->op, err));
    rwl_status st = rwl_place_load(&place, w->op, &w->arena, &version, &why);
    if (st == RWL_OK) {
        st = rwl_metadata_read(w->op, rwl_buf_span(&version.text), file, out, &why);
        rwl_buf_clear(&version.text);
        if (st != RWL_OK)
            st = rwl_error_path(&why, rwl_error_in(&why, st, "%s", file), file);
    }
    if (st != RWL_OK && st != RWL_NOT_FOUND && err != NULL)
        *err = why;
    return st;
}

static rwl_status give(rwl_changes_walk *w, rwl_table_change *change, bool *out) {
    change->timestamp_ms = w->newer_ms;
    change->file = w->newer_file;
    change->kind = (const char *)w->kinds.data;
    change->texts = rwl_buf_span(&w->texts);
    *out = true;
    return RWL_OK;
}

/* The one thing known of a version that cannot be compared: `kind`, in one sentence. */
static rwl_status give_alone(rwl_changes_walk *w, const char *kind, const char *sentence,
                             rwl_table_change *change, bool *out, rwl_error *err) {
    rwl_doc doc = {.out = &w->texts, .err = err, .st = RWL_OK};
    rwl_buf_reset(&w->texts);
    rwl_buf_reset(&w->kinds);
    RWL_TRY(rwl_buf_str(&w->kinds, kind, err));
    RWL_TRY(rwl_buf_terminate(&w->kinds, err));
    rwl_doc_open(&doc, NULL, '[');
    rwl_doc_text(&doc, NULL, sentence);
    rwl_doc_close(&doc, ']');
    RWL_TRY(doc.st);
    return give(w, change, out);
}

/* The first version is a change of its own unless its snapshot tells of it. */
static rwl_status end_walk(rwl_changes_walk *w, rwl_table_change *change, bool *out, rwl_error *err) {
    const rwl_metadata *first = w->newer;
    w->ended = true;
    if (first == NULL || first->snapshot_count > 0 ||
        rwl_json_len(rwl_json_get(first->json, "metadata-log")) > 0)
        return RWL_OK;
    return give_alone(w, "create", "the table was created", change, out, err);
}

static rwl_status compare_with(rwl_changes_walk *w, const rwl_metadata *older, rwl_error *err) {
    rwl_doc doc = {.out = &w->texts, .err = err, .st = RWL_OK};
    rwl_buf_reset(&w->texts);
    rwl_buf_reset(&w->kinds);
    rwl_doc_open(&doc, NULL, '[');
    if (w->newer != NULL)
        RWL_TRY(rwl_changes_compare(older, w->newer, &w->kinds, &doc, err));
    rwl_doc_close(&doc, ']');
    return doc.st;
}

rwl_status rwl_changes_walk_next(rwl_changes_walk *w, rwl_table_change *change, bool *out, rwl_error *err) {
    *out = false;
    while (!*out && !w->ended) {
        if (w->left == 0)
            return end_walk(w, change, out, err);
        const rwl_json *entry = rwl_json_at(w->log, --w->left);
        const char *file = rwl_json_str(rwl_json_get(entry, "metadata-file"));
        int64_t ms = rwl_json_i64(rwl_json_get(entry, "timestamp-ms"));
        rwl_metadata *older = NULL;
        rwl_status st = read_version(w, file, &older, err);
        if (st != RWL_OK && st != RWL_NOT_FOUND)
            return st;
        if (st == RWL_OK) {
            st = compare_with(w, older, err);
            if (st == RWL_OK && w->kinds.len > 0)
                st = give(w, change, out);
        }
        rwl_metadata_free(w->read);
        w->read = older;
        w->newer = older;
        w->newer_ms = ms;
        w->newer_file = file;
        if (st == RWL_NOT_FOUND)
            return give_alone(w, "gone", "this version's file is gone", change, out, err);
        RWL_TRY(st);
    }
    return RWL_OK;
}
