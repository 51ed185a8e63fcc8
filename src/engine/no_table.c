/* SPDX-License-Identifier: Apache-2.0 */
/* Looking around a name that is no table's. What goes wrong meanwhile is no answer: the error that was there stays. */
#include "engine/no_table.h"

#include "lance/dataset.h"

#include <stdio.h>

enum { SHOWN = 120 }; /* bytes of a name: messages have an end */

static bool is_directory(rwl_store *store, rwl_op *op, const char *location) {
    rwl_stat stat;
    return location != NULL && rwl_store_stat(store, op, location, &stat, NULL) == RWL_OK &&
           stat.is_directory;
}

/* "ds@feature/x": where states may be named, slashes end the search for the '@'. */
static rwl_status tell_ref(rwl_store *store, rwl_op *op, const char *name, rwl_arena *arena, rwl_error *err) {
    for (const char *at = strchr(name, '@'); at != NULL; at = strchr(at + 1, '@')) {
        if (at == name || at[1] == '\0' || strchr(at, '/') == NULL ||
            !is_directory(store, op, rwl_arena_strndup(arena, name, (size_t)(at - name))))
            continue;
        return rwl_fail(
            err, RWL_NOT_FOUND,
            "no table at %.*s; a branch or tag with a slash in its name is an option: %.*s --ref %.*s", SHOWN,
            name, (int)(at - name), name, SHOWN, at + 1);
    }
    return RWL_OK;
}

/* "ds/data", "ds/_versions", or within a branch's folder. */
static rwl_status tell_outside(rwl_store *store, rwl_op *op, const char *table, rwl_arena *arena,
                               rwl_error *err) {
    enum { LEVELS = 4 };
    char *above = rwl_arena_strdup(arena, table);
    for (int i = 0; above != NULL && i < LEVELS; i++) {
        bool is = false;
        size_t len = strlen(above);
        while (len > 0 && above[len - 1] == '/')
            len--;
        size_t end = len;
        while (len > 0 && above[len - 1] != '/')
            len--;
        if (end - len == 2 && memcmp(above + len, "..", 2) == 0) /* what is left is inside of it */
            break;
        while (len > 1 && above[len - 1] == '/')
            len--;
        above[len] = '\0';
        const char *folder = len > 0 ? above : ".";
        if (rwl_lance_dataset_is(store, op, folder, &is, NULL) == RWL_OK && is)
            return rwl_fail(err, RWL_NOT_FOUND, "no table at %.*s, which is inside of the Lance dataset %.*s",
                            SHOWN, table, SHOWN, folder);
        if (len == 0)
            break;
    }
    return RWL_OK;
}

enum { NAMED = 3 }; /* datasets of a folder */

typedef struct datasets {
    int64_t count;
    char first[NAMED][256]; /* by name */
} datasets;

static rwl_status look_at(void *ctx, const char *name, const rwl_stat *stat, rwl_error *err) {
    datasets *d = ctx;
    size_t len = strlen(name);
    (void)err;
    if (!stat->is_directory || len <= 6 || len >= sizeof d->first[0] || strcmp(name + len - 6, ".lance") != 0)
        return RWL_OK;
    int64_t held = d->count < NAMED ? d->count : NAMED, at = held;
    while (at > 0 && strcmp(name, d->first[at - 1]) < 0)
        at--;
    d->count++;
    if (at == NAMED)
        return RWL_OK;
    memmove(d->first[at + 1], d->first[at],
            (size_t)((held < NAMED ? held : NAMED - 1) - at) * sizeof d->first[0]);
    memcpy(d->first[at], name, len + 1);
    return RWL_OK;
}

/* A folder of datasets, as LanceDB keeps them: "db/NAME.lance". */
static rwl_status tell_inside(rwl_store *store, rwl_op *op, const char *table, rwl_error *err) {
    datasets d = {.count = 0};
    if (!is_directory(store, op, table) || rwl_store_list(store, op, table, look_at, &d, NULL) != RWL_OK ||
        d.count == 0)
        return RWL_OK;
    return rwl_fail(err, RWL_NOT_FOUND, "no table at %.*s, but there %s in it: %s%s%s%s%s%s", SHOWN, table,
                    d.count == 1 ? "is a Lance dataset" : "are Lance datasets", d.first[0],
                    d.count > 1 ? ", " : "", d.first[1], d.count > 2 ? ", " : "", d.first[2],
                    d.count > NAMED ? ", …" : "");
}

rwl_status rwl_no_table_hint(rwl_store *store, rwl_op *op, const char *table, rwl_arena *arena,
                             rwl_error *err) {
    if (err == NULL)
        return RWL_NOT_FOUND;
    rwl_status st = tell_ref(store, op, table, arena, err);
    if (st == RWL_OK)
        st = tell_outside(store, op, table, arena, err);
    if (st == RWL_OK)
        st = tell_inside(store, op, table, err);
    return st == RWL_OK ? (rwl_status)RWL_NOT_FOUND : rwl_error_path(err, st, table);
}
