/* SPDX-License-Identifier: Apache-2.0 */
/* What changed from one version of a table's metadata to the next without a snapshot, newest first. */
#ifndef RWL_ENGINE_ABOUT_CHANGES_H
#define RWL_ENGINE_ABOUT_CHANGES_H

#include "engine/inspect_doc.h"
#include "engine/table.h"

typedef struct rwl_table_change {
    int64_t timestamp_ms;
    const char *file; /* the metadata file with the change */
    const char *
        kind; /* "schema, properties"; "gone" when the file is no longer there, "create" for the first version */
    rwl_span texts; /* a JSON array of sentences */
} rwl_table_change;

/* Two versions compared: `kinds` gets the kinds of changes, "" when there are none, `doc` a sentence each, as items. What comes with a
 * new snapshot (the head it moves) is no change of its own. */
RWL_MUST_CHECK rwl_status rwl_changes_compare(const rwl_metadata *older, const rwl_metadata *newer,
                                              rwl_buf *kinds, rwl_doc *doc, rwl_error *err);

/* Walks the metadata log backwards from the table's version. */
typedef struct rwl_changes_walk {
    const rwl_table *table;
    rwl_op *op;
    const rwl_json *log;       /* metadata-log of the table's version */
    size_t left;               /* entries of it not looked at yet */
    rwl_arena arena;           /* of the document read last */
    rwl_metadata *read;        /* the version that `newer` is, unless it is the table's own */
    const rwl_metadata *newer; /* to be compared with the version before; NULL when that is gone */
    int64_t newer_ms;
    const char *newer_file;
    bool ended;
    rwl_buf kinds, texts;
} rwl_changes_walk;

void rwl_changes_walk_open(rwl_changes_walk *w, const rwl_table *table, rwl_op *op);
/* The next change, *out false at the end; its texts are valid until the next call. */
RWL_MUST_CHECK rwl_status rwl_changes_walk_next(rwl_changes_walk *w, rwl_table_change *change, bool *out,
                                                rwl_error *err);
void rwl_changes_walk_clear(rwl_changes_walk *w);

#endif
