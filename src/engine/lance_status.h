/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What state a Lance dataset's version is in, what its lineage costs, and what spilling would save.
 *
 * Everything is from manifests; files are opened for what these leave out: the bytes of spilled lineage, and sizes that are not told. Of
 * older versions only who wrote them and when is asked.
 *
 * Spilling (Lance 14 and later) takes a sequence that is longer than config `lance.row_lineage.inline_max_bytes` out of the manifest when
 * its fragment is compacted, if config `lance.row_lineage.spill` is true.
 */
#ifndef RWL_ENGINE_LANCE_STATUS_H
#define RWL_ENGINE_LANCE_STATUS_H

#include "engine/lance_figures.h"

enum { RWL_LANCE_INLINE_MAX_BYTES = 204800 }; /* without the config */

typedef struct rwl_lance_status {
    rwl_lance_figures figures;
    int64_t versions, first_version_ms; /* of the branch and its parents, up to this one */
    const char
        *writers; /* JSON: [{name, version, snapshots}…] in order of their first version; all in `arena` */
    const char *cautions;
    const char *details; /* JSON: what `status --json` prints */
    rwl_arena arena;
} rwl_lance_status;

/* Fills `out`, to be cleared by the caller when this succeeds. */
RWL_MUST_CHECK rwl_status rwl_lance_status_read(const rwl_table *table, rwl_op *op, rwl_lance_status *out,
                                                rwl_error *err);
void rwl_lance_status_clear(rwl_lance_status *status);

#endif
