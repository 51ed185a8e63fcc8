/* SPDX-License-Identifier: Apache-2.0 */
/* Listing a table's metadata folder. */
#include "catalog/folder.h"

enum { HINT_SIZE_MAX = 4096 };

typedef struct listing {
    rwl_arena *arena;
    rwl_folder *folder;
} listing;

char *rwl_folder_join(rwl_arena *arena, const char *directory, const char *name) {
    size_t len = strlen(directory);
    return rwl_arena_printf(arena, len > 0 && directory[len - 1] == '/' ? "%s%s" : "%s/%s", directory, name);
}

static rwl_status keep_name(rwl_arena *arena, const char *name, const char **out, rwl_error *err) {
    *out = rwl_arena_strdup(arena, name);
    return *out != NULL ? RWL_OK : rwl_no_memory(err, strlen(name) + 1);
}

static rwl_status visit(void *ctx, const char *name, const rwl_stat *st, rwl_error *err) {
    listing *l = ctx;
    rwl_metadata_name parsed;
    if (st->is_directory || !rwl_metadata_name_parse(name, &parsed))
        return RWL_OK;
    bool foreign = parsed.layout == RWL_METADATA_FOREIGN;
    rwl_folder_file *newest = foreign ? &l->folder->foreign : &l->folder->version;
    if (newest->name != NULL && parsed.number < newest->parsed.number)
        return RWL_OK;
    if (newest->name != NULL && parsed.number == newest->parsed.number) {
        if (foreign)
            return keep_name(l->arena, name, &l->folder->foreign_twin, err);
        if (parsed.form > newest->parsed.form)
            return RWL_OK;
    }
    newest->parsed = parsed;
    if (foreign)
        l->folder->foreign_twin = NULL;
    return keep_name(l->arena, name, &newest->name, err);
}

rwl_status rwl_folder_list(rwl_store *store, rwl_op *op, const char *table, rwl_arena *arena, rwl_folder *out,
                           rwl_error *err) {
    memset(out, 0, sizeof *out);
    out->location = rwl_folder_join(arena, table, "metadata");
    if (out->location == NULL)
        return rwl_no_memory(err, strlen(table) + 10);
    listing l = {arena, out};
    rwl_status st = rwl_store_list(store, op, out->location, visit, &l, err);
    out->exists = st == RWL_OK;
    return st == RWL_NOT_FOUND ? (rwl_status)RWL_OK : st;
}

rwl_status rwl_folder_hint(rwl_store *store, rwl_op *op, const char *folder, rwl_arena *arena, int64_t *out,
                           rwl_error *err) {
    *out = -1;
    char *location = rwl_folder_join(arena, folder, "version-hint.text");
    if (location == NULL)
        return rwl_no_memory(err, strlen(folder));
    rwl_buf text;
    rwl_buf_init(&text, op->env, HINT_SIZE_MAX);
    rwl_status st = rwl_store_read_all(store, op, location, &text, err);
    if (st == RWL_OK)
        *out = rwl_metadata_hint_parse(rwl_buf_span(&text));
    rwl_buf_clear(&text);
    /* absent or far too long: no hint; a hint is never a reason to fail */
    return st == RWL_NOT_FOUND || st == RWL_UNSUPPORTED ? (rwl_status)RWL_OK : st;
}
