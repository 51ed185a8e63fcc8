/* SPDX-License-Identifier: Apache-2.0 */
/* What lies in a table's metadata folder: the newest version of each layout, found by number. */
#ifndef RWL_CATALOG_FOLDER_H
#define RWL_CATALOG_FOLDER_H

#include "base/arena.h"
#include "catalog/names.h"
#include "storage/store.h"

typedef struct rwl_folder_file {
    const char *name; /* NULL when there is none */
    rwl_metadata_name parsed;
} rwl_folder_file;

typedef struct rwl_folder {
    const char *location;     /* of the folder, in the arena */
    rwl_folder_file version;  /* the newest vN */
    rwl_folder_file foreign;  /* the newest NNNNN-uuid */
    const char *foreign_twin; /* another file of the same number, NULL when none: one of them is an orphan */
    bool exists;              /* the folder is there */
} rwl_folder;

/* Lists TABLE/metadata. No folder, or an empty one, is no error. Strings are in `arena`. */
RWL_MUST_CHECK rwl_status rwl_folder_list(rwl_store *store, rwl_op *op, const char *table, rwl_arena *arena,
                                          rwl_folder *out, rwl_error *err);

/* "DIRECTORY/NAME" in the arena; NULL when out of memory. */
char *rwl_folder_join(rwl_arena *arena, const char *directory, const char *name);

/* The number in version-hint.text; -1 when there is none or it is no number. */
RWL_MUST_CHECK rwl_status rwl_folder_hint(rwl_store *store, rwl_op *op, const char *folder, rwl_arena *arena,
                                          int64_t *out, rwl_error *err);

#endif
