/* SPDX-License-Identifier: Apache-2.0 */
/* Which state of a table is meant: by snapshot id, branch, tag or time (CLI.md, "Naming a table"). */
#ifndef RWL_ENGINE_STATE_H
#define RWL_ENGINE_STATE_H

#include "iceberg/metadata.h"

/* How a state is named; what is not given is NULL. */
typedef struct rwl_state_request {
    const char *state;    /* what follows the '@': a snapshot id, branch or tag */
    const char *snapshot; /* --snapshot ID */
    const char *ref;      /* --ref NAME */
    const char *time;     /* between the braces of "@{…}", or --as-of TIME */
} rwl_state_request;

typedef struct rwl_state {
    const rwl_snapshot *snapshot; /* NULL: an empty state */
    const rwl_schema
        *schema;        /* to read it with: the snapshot's for ids, tags and times, else the current one */
    const char *branch; /* that a change goes to; NULL for ids, tags and times */
} rwl_state;

/*
 * Chooses the state; main when nothing is named. A time alone is that of main, with a branch that of the branch: the entry of the
 * snapshot log with the greatest time at or before it (main, whose log may be out of order), else the like among the
 * branch's ancestors. USAGE when a state is named twice, digits are also a ref's name, or the time is none; NOT_FOUND when
 * there is no such state, has expired, or the time is before the first; CORRUPT when its schema is missing.
 */
RWL_MUST_CHECK rwl_status rwl_state_select(const rwl_metadata *m, const rwl_state_request *request,
                                           int64_t now_ms, rwl_state *out, rwl_error *err);

/* A point in time: RFC 3339 with a zone, or an age before `now_ms` (7d, 12h, 50m, 30s). USAGE. */
RWL_MUST_CHECK rwl_status rwl_state_time(const char *text, int64_t now_ms, int64_t *out_ms, rwl_error *err);

#endif
