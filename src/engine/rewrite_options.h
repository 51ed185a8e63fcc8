/* SPDX-License-Identifier: Apache-2.0 */
/* What a rewrite is asked for, and what that means for one table: its properties, Spark's option names, defaults. */
#ifndef RWL_ENGINE_REWRITE_OPTIONS_H
#define RWL_ENGINE_REWRITE_OPTIONS_H

#include "engine/change_common.h"
#include "engine/rewrite_group.h"

typedef struct rwl_rewrite_options {
    rwl_change_options change;
    const char *where; /* NULL: all files */
    const char *sort;  /* NULL: plan order */
    /* 0: the default of CLI.md */
    int64_t target_bytes, min_bytes, max_bytes;
    int32_t min_input_files;
    double delete_ratio;
    int64_t delete_files;
    int64_t max_group_bytes;
    int64_t max_total_bytes; /* of input in one run; 0: no limit */
    int64_t deadline_ms;     /* from the start; no group begins after it; 0: none */
    int32_t max_commits;     /* groups are committed in up to so many commits; 0: one */
    bool rewrite_all;
    bool verify_lineage_only;
    bool no_pin;
    rwl_row_id_encoding row_id_encoding;
    const char *const *names, *const *values; /* options by the names of Spark's rewrite_data_files */
    size_t named_count;
    /* Called once a planned group before any work; non-zero stops (INTERRUPTED). May be NULL. */
    int32_t (*each_group)(void *ctx, const rwl_metadata *metadata, const rwl_rewrite_group *group);
    void *each_group_ctx;
    void (*tamper)(void *ctx, rwl_rows *rows); /* see rwl_group_job */
    void *tamper_ctx;
    void (*damage)(void *ctx, struct rwl_group_job *job); /* likewise */
    void *damage_ctx;
} rwl_rewrite_options;

/* Nothing is left open; not to be moved, `rules` points into it. */
typedef struct rwl_rewrite_settings {
    rwl_rewrite_rules rules;
    rwl_sort_order order;       /* asked for; no fields: none */
    int32_t max_commits;        /* at least 1 */
    int32_t max_failed_commits; /* more end the rewrite */
    bool renumber;        /* new files take the number of their commit, not that of the planned snapshot */
    bool remove_dangling; /* deletes that apply to nothing go in a commit of their own */
} rwl_rewrite_settings;

/* USAGE for values that are wrong by themselves or together, and for names that are not known; UNSUPPORTED, by name, for
 * z-ordering. `arena` holds the order. */
RWL_MUST_CHECK rwl_status rwl_rewrite_settings_read(const rwl_rewrite_options *options, const rwl_metadata *m,
                                                    rwl_arena *arena, rwl_rewrite_settings *out,
                                                    rwl_error *err);
/* Logs each named option that means nothing here. */
void rwl_rewrite_options_note(const rwl_rewrite_options *options, const rwl_env *env);

#endif
