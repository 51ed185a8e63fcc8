/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shadow: the rows a table must have, and the lineage each must have, kept in memory by the laws (lineage/laws.h).
 *
 *   append    rows without an id; the version is the sequence number of the commit
 *   numbering in list order a data manifest with a file that the shadow has not numbered takes the counter, and the
 *             counter moves by the rows of the manifest's live files; its unnumbered files take it in entry order, and
 *             a row without id becomes file base + position
 *   rewrite   moves rows: ids and versions stay, the counter too (--no-pin: moves by the rows written)
 *   delete    rows end, nothing else changes
 *   upgrade   version 3, then numbering
 *
 * Where a row lies (file, position) and the order of files in manifests are the engine's choice and are learned from
 * it; everything else is computed here.
 */
#ifndef RWL_TESTS_MODEL_H
#define RWL_TESTS_MODEL_H

#include "values.h"

#include "base/map.h"
#include "base/vec.h"
#include "engine/digest.h"
#include "engine/scan.h"
#include "world.h"

typedef struct model_row {
    const rwl_value *values;
    bool live, has_id, seen;
    int64_t id, version;
    int64_t file; /* number in model.files, -1: not placed yet */
    int64_t pos;
} model_row;

typedef struct model_file {
    const char *path;
    bool numbered;
    int64_t base; /* first_row_id, where it was given as a range */
    int64_t rows; /* physical; learned when the file is first seen, all its rows live */
    bool known;   /* seen before the step that is being checked */
} model_file;

/* What a row read as at a snapshot. */
typedef struct model_past_row {
    int64_t row;
    bool has_id;
    int64_t id, version;
} model_past_row;

typedef struct model_snapshot {
    int64_t id;
    model_past_row *rows;
    size_t count;
} model_snapshot;

typedef struct model {
    world *w;
    rwl_arena arena;
    random_column columns[COLUMNS_MAX];
    int32_t column_count;
    int32_t version;     /* of the format */
    int64_t sequence;    /* last-sequence-number */
    int64_t next_row_id; /* 0 below v3 */
    int64_t live;
    RWL_VEC(model_row) rows;
    RWL_VEC(model_file) files;
    rwl_map files_by_path;
    RWL_VEC(model_snapshot) snapshots;
    const char *select; /* all columns, _file, _pos */
} model;

void model_init(model *m, world *w);
void model_clear(model *m);

/* What an operation did, for model_check. */
typedef enum model_change {
    MODEL_NOTHING,
    MODEL_APPEND,
    MODEL_DELETE,
    MODEL_REWRITE,
    MODEL_NUMBER
} model_change;
typedef struct model_step {
    model_change change;
    bool pinned;              /* of REWRITE */
    int64_t planned_sequence; /* of REWRITE: what rows without ids get as version */
} model_step;

/* Compares the table's head with the shadow after a commit, learning where rows lie and numbering those that the commit
 * numbered; fails the test on any difference. */
void model_check(model *m, const rwl_table *table, const model_step *step);
/* Remembers the head. */
void model_remember(model *m, int64_t snapshot_id);
/* Compares a remembered snapshot with what the table reads there. */
void model_check_past(model *m, const char *table, const model_snapshot *snapshot);
rwl_digest model_digest(const model *m);

/* --- filters --- */

/* A filter as SQL, and its truth for each row: 1, 0, or -1 for unknown. */
typedef struct predicate predicate;
const predicate *make_predicate(model *m, uint64_t *random, int depth);
const char *predicate_text(const predicate *p);
int predicate_eval(const predicate *p, const model *m, const model_row *row);
int64_t model_count(const model *m, const predicate *p);

#endif
