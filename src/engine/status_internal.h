/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a status share. */
#ifndef RWL_ENGINE_STATUS_INTERNAL_H
#define RWL_ENGINE_STATUS_INTERNAL_H

#include "engine/evidence.h"
#include "engine/inspect_doc.h"
#include "engine/status.h"

/* Figures that only cautions need. */
typedef struct rwl_status_facts {
    int64_t records;                      /* of live data files */
    int64_t avro_files, other_files;      /* data files that are no Parquet */
    bool has_lineage;                     /* some file has a first_row_id */
    bool other_writers, unsigned_writers; /* among the snapshots there are */
} rwl_status_facts;

/* Both append items of a JSON array. The first also fills the facts about writers. */
RWL_MUST_CHECK rwl_status rwl_status_put_writers(const rwl_metadata *m, rwl_status_facts *facts, rwl_doc *doc,
                                                 rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_status_put_cautions(const rwl_table *table, rwl_op *op,
                                                  const rwl_table_status *status,
                                                  const rwl_status_facts *facts, rwl_doc *doc,
                                                  rwl_error *err);

#endif
