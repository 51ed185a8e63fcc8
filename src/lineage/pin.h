/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pin: how a rewrite consumes no ids (law 8).
 *
 * Rows that a rewrite moves store their ids and versions, so nothing is left to inherit; but the manifest of
 * the new files needs a first_row_id all the same, since a null one makes both columns read null (law 5).
 * Left null in the manifest list it would be given a fresh range, rows ids burnt at each rewrite. So the
 * writer gives it one: the least stored id. The manifest list keeps a first_row_id that is there (assign.h,
 * rule 2), nothing is assigned, added-rows is 0 and next-row-id stays.
 *
 * The specification does not describe this. It says that the first manifest *without* a first_row_id gets at
 * least the snapshot's; a manifest that has one keeps it, whatever it is. What others compute: Spark (Iceberg
 * Java 1.12.0) and DuckDB honour the manifest's value as it stands, hand out first_row_ids to the files from
 * it, and let stored values win row by row, so every row reads its stored id and version. A later Java commit
 * that filters or merges the manifest keeps the files' first_row_ids as explicit ones.
 *
 * It is sound when no row of any file would fall back on the pinned number, and when the range that it spans
 * was handed out before:
 *   a. no null in either stored column of any file of the manifest;
 *   b. every stored id is below next-row-id (and not negative);
 *   c. pin + rows of the manifest <= next-row-id.
 * Given a and b, c can only fail if an id occurs twice.
 */
#ifndef RWL_LINEAGE_PIN_H
#define RWL_LINEAGE_PIN_H

#include "lineage/laws.h"

/* What was written to one file of the manifest, from its column metrics. */
typedef struct rwl_pin_file {
    int64_t rows;
    int64_t id_null_count, version_null_count;
    int64_t id_min, id_max; /* over the ids that are not null */
} rwl_pin_file;

typedef enum rwl_pin_verdict {
    RWL_PIN_SOUND,
    RWL_PIN_NO_ROWS,         /* nothing to pin to: a manifest without rows takes no ids anyway */
    RWL_PIN_NULL_ID,         /* a: some row would inherit its id; law 8 wants it in a manifest of its own */
    RWL_PIN_NULL_VERSION,    /* a: some row would inherit its version */
    RWL_PIN_ID_OUT_OF_RANGE, /* b: law 2 is broken already */
    RWL_PIN_RANGE_TOO_LONG   /* c: law 1 is broken */
} rwl_pin_verdict;

typedef struct rwl_pin {
    rwl_pin_verdict verdict;
    int64_t first_row_id; /* the pin, when sound */
    size_t file;          /* index of the file that does not fit, for the first three failures */
} rwl_pin;

/* Decides for a manifest of these files, in a table whose next-row-id is `next_row_id`. */
rwl_pin rwl_pin_decide(const rwl_pin_file *files, size_t count, int64_t next_row_id);

/* The verdict as a status: UNSUPPORTED for a, LAW_BROKEN for b and c, INTERNAL without rows. */
RWL_MUST_CHECK rwl_status rwl_pin_check(const rwl_pin *pin, const rwl_pin_file *files, int64_t next_row_id,
                                        rwl_error *err);

#endif
