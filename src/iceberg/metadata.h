/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table metadata: the JSON document of one table version, with a parsed view of it.
 *
 * The document is the truth: an edit copies it, changes keys in place and parses again, so that fields this
 * library does not know survive every commit (specification, "Table Metadata").
 */
#ifndef RWL_ICEBERG_METADATA_H
#define RWL_ICEBERG_METADATA_H

#include "iceberg/partition.h"

typedef struct rwl_snapshot {
    int64_t snapshot_id;
    int64_t parent_id;       /* -1 when none */
    int64_t sequence_number; /* 0 for v1 */
    int64_t timestamp_ms;
    const char *manifest_list; /* NULL for v1's inline manifests */
    const rwl_json *manifests; /* those: an array of paths; NULL where there is a manifest list */
    int32_t schema_id;         /* -1 when absent */
    bool has_first_row_id;
    int64_t first_row_id, added_rows;
    const char *operation;   /* NULL when the summary is absent */
    const rwl_json *summary; /* NULL when absent */
} rwl_snapshot;

typedef struct rwl_ref {
    const char *name;
    bool is_tag;
    int64_t snapshot_id;
    int64_t min_snapshots_to_keep, max_snapshot_age_ms, max_ref_age_ms; /* -1 when absent */
} rwl_ref;

typedef struct rwl_metadata {
    const rwl_env *env;
    rwl_arena arena;
    rwl_json *json; /* the whole document */
    int32_t format_version;
    const char *table_uuid; /* NULL in v1 without one */
    const char *location;   /* byte for byte as written */
    int64_t last_sequence_number, last_updated_ms;
    int32_t last_column_id, last_partition_id;
    const rwl_schema *schemas;
    int32_t schema_count;
    const rwl_schema *schema; /* the current one */
    const rwl_partition_spec *specs;
    int32_t spec_count;
    const rwl_partition_spec *spec; /* the default one */
    const rwl_sort_order *orders;
    int32_t order_count;
    const rwl_sort_order *order;   /* the default one */
    int64_t next_row_id;           /* 0 below v3 */
    int64_t current_snapshot_id;   /* -1 when none */
    const rwl_snapshot *snapshots; /* in document order */
    int32_t snapshot_count;
    const rwl_snapshot *const *snapshots_by_id; /* ascending */
    const rwl_ref *refs; /* main included, also when only current-snapshot-id names it */
    int32_t ref_count;
    const char *metadata_location; /* where it was read from, NULL when new */
    rwl_op *op;                    /* whose budget it takes, NULL: none */
    int64_t charged;
} rwl_metadata;

/*
 * Parses metadata v1 to v3 (newer: UNSUPPORTED naming the version) and checks it as a whole, CORRUPT otherwise:
 *
 *   1  what the version requires is there (v2: table-uuid, last-sequence-number, schemas, partition-specs, sort-orders
 *      and their ids; v3: next-row-id); v1 may have `schema` and `partition-spec` alone;
 *   2  ids are unique and those that are named exist: current schema, default spec and order, current snapshot, refs;
 *   3  main, when it is there, is a branch and names the current snapshot;
 *   4  no snapshot has a sequence number above last-sequence-number, or broken row-id numbers (ICE-22).
 *
 * Types of later versions are let through in v1 and v2, as Java does.
 */
RWL_MUST_CHECK rwl_status rwl_metadata_parse(const rwl_env *env, rwl_span text, const char *metadata_location,
                                             rwl_metadata **out, rwl_error *err);
/* The same, what it takes charged to an operation that is to outlive it. */
RWL_MUST_CHECK rwl_status rwl_metadata_read(rwl_op *op, rwl_span text, const char *metadata_location,
                                            rwl_metadata **out, rwl_error *err);
void rwl_metadata_free(rwl_metadata *m); /* NULL is fine */
RWL_MUST_CHECK rwl_status rwl_metadata_dump(const rwl_metadata *m, rwl_buf *out, rwl_error *err);

const rwl_schema *rwl_metadata_schema(const rwl_metadata *m, int32_t schema_id); /* NULL when absent */
const rwl_partition_spec *rwl_metadata_spec(const rwl_metadata *m, int32_t spec_id);
const rwl_sort_order *rwl_metadata_order(const rwl_metadata *m, int32_t order_id);
const rwl_snapshot *rwl_metadata_snapshot(const rwl_metadata *m, int64_t snapshot_id);
const rwl_ref *rwl_metadata_ref(const rwl_metadata *m, const char *name);
/* A text among properties (an object, NULL: none), or `fallback`; the same as a number, CORRUPT when it is none. */
const char *rwl_property(const rwl_json *properties, const char *key, const char *fallback);
RWL_MUST_CHECK rwl_status rwl_property_i64(const rwl_json *properties, const char *key, int64_t fallback,
                                           int64_t *out, rwl_error *err);
/* A table property, or `fallback`. */
const char *rwl_metadata_property(const rwl_metadata *m, const char *key, const char *fallback);
RWL_MUST_CHECK rwl_status rwl_metadata_property_i64(const rwl_metadata *m, const char *key, int64_t fallback,
                                                    int64_t *out, rwl_error *err);
/* The folder that new files go to: the property's, else `<location>/<name>`; without slashes at its end, as Java has it.
 * In `arena`, NULL when out of memory. */
const char *rwl_metadata_folder(const rwl_metadata *m, const char *property, const char *name,
                                rwl_arena *arena);
/* The schema to read a snapshot with: its own schema-id, else the current one. */
const rwl_schema *rwl_metadata_snapshot_schema(const rwl_metadata *m, const rwl_snapshot *s);
/* True when `ancestor` is `snapshot_id` or one of its ancestors by parent (cycle-safe). */
bool rwl_metadata_is_ancestor(const rwl_metadata *m, int64_t ancestor, int64_t snapshot_id);

/* Who made a snapshot, by its summary's engine-name and engine-version: "spark 4.1.4", or "unsigned". */
void rwl_snapshot_engine(const rwl_snapshot *s, char *out, size_t size);

/* --- new documents --- */

typedef struct rwl_metadata_new {
    const char *location;
    int32_t format_version; /* 2 or 3 */
    const rwl_schema *schema;
    const rwl_partition_spec *spec; /* NULL: unpartitioned */
    const rwl_sort_order *order;    /* NULL: unsorted */
    const char *const *property_keys, *const *property_values;
    int32_t property_count;
} rwl_metadata_new;

/* The first version of a table: schema 0, spec 0, `order` under its own id. Refuses types the version has not and
 * unknown transforms (UNSUPPORTED); reserved ids, column names and properties, and sources that are not there (USAGE).
 * write.parquet.compression-codec is zstd unless given. The uuid and the time come from `env`. */
RWL_MUST_CHECK rwl_status rwl_metadata_create(const rwl_env *env, const rwl_metadata_new *options,
                                              rwl_metadata **out, rwl_error *err);

/* A snapshot to be added to a branch. */
typedef struct rwl_snapshot_new {
    int64_t snapshot_id, parent_id; /* parent -1: none */
    int64_t sequence_number, timestamp_ms;
    const char *manifest_list;
    int32_t schema_id;
    int64_t first_row_id, added_rows; /* v3 */
    rwl_json *summary;                /* ownership taken whatever the result; has "operation" */
} rwl_snapshot_new;

/* `base` plus one snapshot at the head of `branch`: last-sequence-number, last-updated-ms, next-row-id =
 * max(next-row-id, first-row-id + added-rows), refs, current-snapshot-id and snapshot-log for main, metadata-log
 * (capped by write.metadata.previous-versions-max). Checks of ICE-22 to 24, 51, 52. A branch that is not there is
 * made. Times never run backwards: a timestamp before last-updated-ms or the newest log entry becomes that. CONFLICT when
 * the branch, the sequence number or next-row-id has moved on; EXISTS when the id is taken; LAW_BROKEN when next-row-id
 * is already behind an older snapshot; UNSUPPORTED for v1 tables. */
RWL_MUST_CHECK rwl_status rwl_metadata_add_snapshot(const rwl_metadata *base,
                                                    const rwl_snapshot_new *snapshot, const char *branch,
                                                    rwl_metadata **out, rwl_error *err);
/* `base` in a later format version (2 or 3); lower: USAGE. Fills what the version requires (uuid, schemas,
 * specs, sort orders, last ids, next-row-id 0). Snapshots stay as they are; one with an inline v1 `manifests` list is
 * UNSUPPORTED by name. The same version gives a copy. */
RWL_MUST_CHECK rwl_status rwl_metadata_upgrade(const rwl_metadata *base, int32_t version,
                                               int64_t timestamp_ms, rwl_metadata **out, rwl_error *err);

#endif
