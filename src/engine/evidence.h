/* SPDX-License-Identifier: Apache-2.0 */
/* Which engine made a snapshot, and what says so. */
#ifndef RWL_ENGINE_EVIDENCE_H
#define RWL_ENGINE_EVIDENCE_H

#include "engine/table.h"

typedef enum rwl_evidence_kind {
    RWL_EVIDENCE_NONE,
    RWL_EVIDENCE_SUMMARY,   /* the snapshot's summary */
    RWL_EVIDENCE_CREATED_BY /* created_by in the footer of a file it added */
} rwl_evidence_kind;

typedef struct rwl_evidence {
    rwl_evidence_kind kind;
    rwl_span name, version; /* data NULL when not known; UTF-8 */
} rwl_evidence;

/* "summary", "created_by" or "none". */
const char *rwl_evidence_text(rwl_evidence_kind kind);

/* What the summary says: engine-name and engine-version, the marks that Spark, Flink, Trino and others leave, or the library's
 * iceberg-version. Texts are borrowed from the snapshot. */
rwl_evidence rwl_evidence_of_summary(const rwl_snapshot *snapshot);

/* What the first Parquet file says that the snapshot added, by reading its manifest list, one manifest and one footer; none when there
 * is no such file or one of these is gone or damaged. Texts are in `arena`. */
RWL_MUST_CHECK rwl_status rwl_evidence_of_files(const rwl_table *table, rwl_op *op,
                                                const rwl_snapshot *snapshot, rwl_arena *arena,
                                                rwl_evidence *out, rwl_error *err);

/* "parquet-mr version 1.16.0 (build …)", "DuckDB version v1.5.5 (build …)": name and version; the whole text where it has no version. */
rwl_evidence rwl_evidence_of_created_by(const char *created_by);

#endif
