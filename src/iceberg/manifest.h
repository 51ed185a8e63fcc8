/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manifests and manifest lists, v1 to v3 (Iceberg specification, "Manifests", "Manifest Lists"; field ids
 * there and in the tables of manifest_fields.h). Reading resolves by field id and applies every inheritance
 * rule.
 */
#ifndef RWL_ICEBERG_MANIFEST_H
#define RWL_ICEBERG_MANIFEST_H

#include "avro/avro.h"
#include "iceberg/metadata.h"

enum { RWL_STATUS_EXISTING = 0, RWL_STATUS_ADDED = 1, RWL_STATUS_DELETED = 2 };
enum { RWL_CONTENT_DATA = 0, RWL_CONTENT_POSITION_DELETES = 1, RWL_CONTENT_EQUALITY_DELETES = 2 };

typedef struct rwl_metric_count {
    int32_t field_id;
    int64_t value;
} rwl_metric_count;
typedef struct rwl_metric_bound {
    int32_t field_id;
    rwl_span value; /* binary single-value form */
} rwl_metric_bound;

/* A data or delete file as a manifest entry describes it. -1 stands for null in counts and ids where said. */
typedef struct rwl_data_file {
    int32_t content; /* RWL_CONTENT_… */
    const char *file_path;
    const char *file_format;    /* as written */
    int32_t spec_id;            /* the manifest's */
    const rwl_value *partition; /* one a partition field of the manifest's spec */
    int32_t partition_count;
    int64_t record_count, file_size;
    const rwl_metric_count *column_sizes, *value_counts, *null_counts, *nan_counts;
    int32_t column_size_count, value_count_count, null_count_count, nan_count_count;
    const rwl_metric_bound *lower_bounds, *upper_bounds;
    int32_t lower_count, upper_count;
    rwl_span key_metadata; /* data NULL when null */
    const int64_t *split_offsets;
    int32_t split_count;
    const int32_t *equality_ids;
    int32_t equality_count;
    int32_t sort_order_id; /* -1 null */
    bool has_first_row_id; /* after inheritance, for data files */
    int64_t first_row_id;
    bool stored_has_first_row_id; /* as written in the entry */
    int64_t stored_first_row_id;
    const char *referenced_data_file;     /* NULL null */
    int64_t content_offset, content_size; /* -1 null */
} rwl_data_file;

typedef struct rwl_manifest_entry {
    int32_t status;
    int64_t snapshot_id;          /* inherited */
    int64_t sequence_number;      /* data sequence number, inherited */
    int64_t file_sequence_number; /* inherited */
    /* as written; -1 null */
    int64_t stored_snapshot_id, stored_sequence_number, stored_file_sequence_number;
    rwl_data_file file;
} rwl_manifest_entry;

typedef struct rwl_field_summary {
    bool contains_null;
    int8_t contains_nan;   /* 1, 0, -1 null */
    rwl_span lower, upper; /* data NULL when null */
} rwl_field_summary;

/* One line of a manifest list. Counts are -1 when null. A sequence_number of -1 is that of a manifest which
 * the unfinished commit itself wrote: read back, its entries keep explicit ids and leave null numbers as they
 * are. */
typedef struct rwl_manifest {
    const char *path;
    int64_t length;
    int32_t spec_id;
    int32_t content; /* 0 data, 1 deletes */
    int64_t sequence_number, min_sequence_number;
    int64_t added_snapshot_id;
    int32_t added_files, existing_files, deleted_files;
    int64_t added_rows, existing_rows, deleted_rows;
    const rwl_field_summary *partitions; /* NULL when null */
    int32_t partition_count;
    rwl_span key_metadata;
    bool has_first_row_id;
    int64_t first_row_id;
    int64_t unassigned_rows; /* rows of live files without a first_row_id of their own; -1 unknown (lists) */
} rwl_manifest;

typedef struct rwl_manifest_list {
    rwl_arena arena;
    rwl_manifest *items;
    int32_t count;
} rwl_manifest_list;

/* Reads the manifest list of `snapshot` (v1 to v3 forms, any version of table). Encrypted ones are refused. Of an inline
 * v1 `manifests` list each manifest is opened for its spec; its counts are unknown, it was added by the snapshot. */
RWL_MUST_CHECK rwl_status rwl_manifest_list_read(rwl_store *store, rwl_op *op, const rwl_snapshot *snapshot,
                                                 rwl_manifest_list *out, rwl_error *err);
void rwl_manifest_list_clear(rwl_manifest_list *list);

/* --- one manifest, entry by entry --- */

typedef struct rwl_manifest_reader rwl_manifest_reader;

/* `metadata` gives the specs (the manifest's own header is the fallback). Entries come in file order with ids
 * assigned before any filtering; null file ids stay null when the manifest has none. CORRUPT: content or spec is not
 * what the list says. */
RWL_MUST_CHECK rwl_status rwl_manifest_reader_open(rwl_store *store, rwl_op *op, const rwl_metadata *metadata,
                                                   const rwl_manifest *manifest, rwl_manifest_reader **out,
                                                   rwl_error *err);
/* What is decoded of entries beside what every use needs; all zero: no metrics and no split offsets, and planning is
 * several times as fast. */
typedef struct rwl_manifest_wanted {
    bool sizes;         /* column_sizes */
    bool counts;        /* of values, nulls and NaN */
    bool bounds;        /* lower and upper */
    bool splits;        /* split_offsets */
    const int32_t *ids; /* metrics of these columns only; NULL: of all. Borrowed. */
    int32_t id_count;
    const rwl_avro_known_schema *known; /* the Avro schema the manifest probably has; NULL: none */
} rwl_manifest_wanted;
/* The same with less decoded; `wanted` NULL: everything. */
RWL_MUST_CHECK rwl_status rwl_manifest_reader_open_for(rwl_store *store, rwl_op *op,
                                                       const rwl_metadata *metadata,
                                                       const rwl_manifest *manifest,
                                                       const rwl_manifest_wanted *wanted,
                                                       rwl_manifest_reader **out, rwl_error *err);
void rwl_manifest_reader_close(rwl_manifest_reader *r); /* NULL is fine */
/* The manifest's Avro schema, as JSON. */
rwl_span rwl_manifest_reader_schema(const rwl_manifest_reader *r);
/* Valid until the next call; *out NULL at the end, where counts other than the list's are CORRUPT. */
RWL_MUST_CHECK rwl_status rwl_manifest_reader_next(rwl_manifest_reader *r, const rwl_manifest_entry **out,
                                                   rwl_error *err);
/* Deep copy of what must outlive the reader. `with_metrics` false leaves out sizes, counts and bounds. */
RWL_MUST_CHECK rwl_status rwl_data_file_copy(rwl_arena *arena, const rwl_data_file *from, bool with_metrics,
                                             rwl_data_file *to, rwl_error *err);

/* --- writing --- */

typedef struct rwl_manifest_writer rwl_manifest_writer;

typedef struct rwl_manifest_writer_options {
    int32_t format_version;   /* 2 or 3 */
    int32_t content;          /* 0 data, 1 deletes */
    const rwl_schema *schema; /* the table's current schema */
    const rwl_partition_spec *spec;
    int64_t snapshot_id;             /* of this commit */
    const rwl_type *partition_types; /* of the spec's fields; NULL: those under `schema` */
    rwl_codec_id codec;              /* write.manifest.compression-codec, default DEFLATE */
} rwl_manifest_writer_options;

/* The type of each field of `spec`, as values in this table's manifests are given and written; sources that
 * were dropped are looked up in older schemas, UNKNOWN when none has them. `types` has room for field_count.
 */
RWL_MUST_CHECK rwl_status rwl_manifest_partition_types(const rwl_metadata *metadata,
                                                       const rwl_partition_spec *spec, rwl_type *types,
                                                       rwl_error *err);

RWL_MUST_CHECK rwl_status rwl_manifest_writer_open(rwl_store *store, rwl_op *op, const char *location,
                                                   const rwl_manifest_writer_options *options,
                                                   rwl_manifest_writer **out, rwl_error *err);
/* ADDED: snapshot id of this commit; sequence number null unless `explicit_sequence` >= 0; file sequence
 * number and first_row_id null. */
RWL_MUST_CHECK rwl_status rwl_manifest_writer_add(rwl_manifest_writer *w, const rwl_data_file *file,
                                                  int64_t explicit_sequence, rwl_error *err);
/* EXISTING or DELETED: explicit sequence numbers and first_row_id as inherited; DELETED gets this commit's
 * id. */
RWL_MUST_CHECK rwl_status rwl_manifest_writer_carry(rwl_manifest_writer *w, const rwl_manifest_entry *entry,
                                                    int32_t status, rwl_error *err);
/* Bytes written so far, the open block uncompressed: for rolling by size. */
int64_t rwl_manifest_writer_size(const rwl_manifest_writer *w);
/* Makes the file visible and fills `out` (sequence_number -1: to be set by the commit; strings in `arena`);
 * frees the writer whatever the result. min_sequence_number is the least explicit number of live entries, -1
 * when all are inherited. */
RWL_MUST_CHECK rwl_status rwl_manifest_writer_finish(rwl_manifest_writer *w, rwl_arena *arena,
                                                     rwl_manifest *out, rwl_error *err);
void rwl_manifest_writer_abort(rwl_manifest_writer *w); /* NULL is fine */

/* Writes a manifest list; unassigned (-1) sequence numbers become `sequence_number`. Every data manifest of a
 * v3 list must have its first_row_id by now (lineage/assign.h). */
typedef struct rwl_manifest_list_options {
    int32_t format_version;
    int64_t snapshot_id, parent_id, sequence_number;
    int64_t first_row_id; /* v3 */
} rwl_manifest_list_options;
RWL_MUST_CHECK rwl_status rwl_manifest_list_write(rwl_store *store, rwl_op *op, const char *location,
                                                  const rwl_manifest *manifests, int32_t count,
                                                  const rwl_manifest_list_options *options, rwl_error *err);

#endif
