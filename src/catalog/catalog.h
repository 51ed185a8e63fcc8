/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a table is found and swapped. The file-system layout (Iceberg's Hadoop tables):
 *
 *   TABLE/metadata/vN.metadata.json        plain
 *   TABLE/metadata/vN.gz.metadata.json     gzip; vN.metadata.json.gz is its older name
 *   TABLE/metadata/version-hint.text       a decimal N, only a hint
 *   TABLE/metadata/NNNNN-uuid.metadata.json  written by another catalog: read by path, changed only through it
 *
 * The newest version is found by number; when the hint names a later one, a commit is missing: read with a warning, not changed.
 * A commit links version N+1 only when no name of it exists, then replaces the hint,
 * removes .version-hint.text.crc and reads back what it linked.
 */
#ifndef RWL_CATALOG_CATALOG_H
#define RWL_CATALOG_CATALOG_H

#include "base/arena.h"
#include "storage/store.h"

typedef enum rwl_layout {
    RWL_LAYOUT_VERSIONS, /* vN: ours to change */
    RWL_LAYOUT_FOREIGN,  /* NNNNN-uuid: read only by path */
    RWL_LAYOUT_FILE      /* a metadata file named itself: read only */
} rwl_layout;

/* A table's place. Plain data, strings in the arena given to find. */
typedef struct rwl_place {
    rwl_store *store;
    const char *directory; /* the table's, as named (RWL_LAYOUT_FILE: the one above metadata/) */
    const char *file;      /* RWL_LAYOUT_FILE: the metadata file */
    rwl_layout layout;
    const char *refusal; /* why it can't be changed (e.g. two layouts, no deciding hint), NULL when it can */
} rwl_place;

/* One version of the metadata document. */
typedef struct rwl_version {
    int64_t number;       /* N of vN or NNNNN; 0 for RWL_LAYOUT_FILE */
    const char *location; /* the file it was read from, in the arena */
    rwl_buf text;         /* JSON, decompressed; cleared by the caller */
} rwl_version;

/* Finds what `name` (a directory, file: URL of one, or *.metadata.json file) names. NOT_FOUND "no table at …". */
RWL_MUST_CHECK rwl_status rwl_place_find(rwl_store *store, rwl_op *op, const char *name, rwl_arena *arena,
                                         rwl_place *out, rwl_error *err);
/* Reads the newest version. UNSUPPORTED above 256 MB. */
RWL_MUST_CHECK rwl_status rwl_place_load(const rwl_place *place, rwl_op *op, rwl_arena *arena,
                                         rwl_version *out, rwl_error *err);
/*
 * Compares where the table was found with its metadata's `location`: UNSUPPORTED with the --map-path to use when they
 * differ (after mapping).
 */
RWL_MUST_CHECK rwl_status rwl_place_check_location(const rwl_place *place, rwl_op *op, const char *location,
                                                   rwl_error *err);
/*
 * Commits `text` as version `number` (one after the version it was made from; 1 creates the table, its folders made). `gzip`
 * writes vN.gz.metadata.json. OK: committed. CONFLICT: another version N exists, nothing was committed. COMMIT_UNKNOWN: it may be
 * there. All else: definitely not committed. UNSUPPORTED with place->refusal. *location (arena) names the file written.
 */
RWL_MUST_CHECK rwl_status rwl_place_swap(const rwl_place *place, rwl_op *op, int64_t number, rwl_span text,
                                         bool gzip, rwl_arena *arena, const char **location, rwl_error *err);
/* A place for a table that is to be created in `directory`; EXISTS when there is one already. */
RWL_MUST_CHECK rwl_status rwl_place_create(rwl_store *store, rwl_op *op, const char *directory,
                                           rwl_arena *arena, rwl_place *out, rwl_error *err);

#endif
