/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a file: Parquet, Avro, Puffin, manifests, manifest lists, table metadata, Lance's files, told apart by content. */
#ifndef ROWLINE_INSPECT_H
#define ROWLINE_INSPECT_H

#include <rowline/arrow.h>
#include <rowline/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An opened file. One thread at a time; streams made of it must be released before it is freed. */
typedef struct rowline_inspection rowline_inspection;

typedef struct rowline_inspect_options {
    size_t struct_size;
    const rowline_path_map *maps; /* as in rowline_open_options */
    size_t map_count;
    const char *manifest_list; /* of a manifest: the list that names it, for inherited values; or NULL */
    const char *column;        /* Parquet, Lance data: a column by dotted path, or all below it; NULL: all */
    int64_t row_group;         /* Parquet: one row group; -1: all */
    int32_t schema_only;       /* 1: the document holds the schema alone */
} rowline_inspect_options;

/*
 * Opens a file by path or file: URL and finds out what it is; `options` NULL for the whole of it. ROWLINE_UNSUPPORTED naming what the
 * file begins with when it is none of these; ROWLINE_USAGE for options that do not go with it, or a part that is not there.
 */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_inspect_open(rowline_context *context, const char *file, const rowline_inspect_options *options,
                     rowline_inspection **out, rowline_error *err);
ROWLINE_API void
rowline_inspect_free(rowline_inspection *inspection); /* NULL is fine */
/* Static text: "parquet", "avro", "puffin", "manifest", "manifest_list", "metadata", "lance_data", "lance_manifest",
 * "lance_transaction" or "lance_deletions". */
ROWLINE_API const char *
rowline_inspect_kind(const rowline_inspection *inspection);
/*
 * Everything as one JSON object with a NUL behind, valid until the inspection is freed. It begins with kind, path, size_bytes; then
 *
 *   parquet        created_by, rows, columns, codecs[], footer_bytes, version, schema[{name, field_id, repetition, physical_type,
 *                  length, logical_type, converted_type, precision, scale, children[]}], metadata[{key, value, bytes}],
 *                  row_group_count, row_groups[{row_group, first_row, rows, offset, compressed_bytes, uncompressed_bytes,
 *                  sorting_columns[{column, descending, nulls_first}], columns[{column, codec, encodings[], values, null_count, min,
 *                  min_is_exact, max, max_is_exact, compressed_bytes, uncompressed_bytes, unencoded_bytes, dictionary_offset,
 *                  data_offset, column_index_bytes, offset_index_bytes, bloom_filter_offset, bloom_filter_bytes, encrypted}]}]
 *   avro           schema, codec, sync, metadata[], blocks[{block, offset, records, bytes}], block_count, records
 *   puffin         properties, blob_count, blobs[{type, fields, snapshot_id, sequence_number, offset, bytes, codec, properties}];
 *                  of a deletion vector also cardinality, ranges[[start, count]], range_count
 *   manifest       format_version, content, partition_spec_id, inherited (null, or {manifest_list, sequence_number,
 *                  added_snapshot_id, first_row_id}), entries[] as rowline-entries(1) with equality_ids, split_offsets and
 *                  metrics[{field_id, name, bytes, values, nulls, nans, lower, upper}]; avro{} as above. Without a list the
 *                  inherited values are the stored ones
 *   manifest_list  manifest_count, manifests[] by the specification's names; avro{}
 *   metadata       format_version, table_uuid, location, last_updated_ms, last_sequence_number, next_row_id, current_snapshot_id,
 *                  current_schema_id, schemas[], default_spec_id, partition_specs[], default_sort_order_id, sort_orders[],
 *                  refs[{name, type, snapshot_id, …}], snapshot_count, snapshots[], properties, statistics_files,
 *                  earlier_versions
 *
 *   lance_data     file_version, rows, column_count, schema{fields[{id, name, type, nullable, hidden, extension, children[]}]} as the
 *                  file has it (hidden, extension, children where they are), global_buffers[{offset, bytes}], columns[{index, column,
 *                  field_id, type, pages, rows, buffers, bytes, encodings[], other_pages}]: at most 12 encodings, other_pages the
 *                  pages of further ones. In version 2.0 rows below a list are its items
 *   lance_manifest version, is_detached, timestamp_ms, branch, tag, writer{library, version}, data_format, reader_flags{value, names[]},
 *                  writer_flags, stable_row_ids, next_row_id, max_fragment_id, schema, schema_metadata, config, table_metadata,
 *                  bases[{id, name, path, is_dataset_root}], message_offset, message_bytes, index_section (null, or {offset, bytes,
 *                  indices[{name, uuid, fields[], dataset_version, details}]}), transaction_file, transaction (null, or {offset,
 *                  bytes, …} as below; error instead when it can't be read), fragment_count, fragments[{id, physical_rows, files[{path,
 *                  file_version, fields[], column_indices[], bytes, base_id}], deletion_file, row_ids, created_at, last_updated_at}]:
 *                  the three {kind, …} with kind inline, spilled, absent or external; inline: bytes, segments[] or
 *                  runs[[rows, version]] (the first 12), segment_count or run_count, rows
 *   lance_transaction  operation, read_version, uuid, added_fragments, removed_fragments, updated_fragments, predicate,
 *                  restored_version (null where the operation has none), properties{}
 *   lance_deletions    form (bitmap or arrow), deleted_rows, of a bitmap containers{array, bitmap, run} and container_count,
 *                  ranges[[start, count]], range_count
 *
 * With schema_only it ends behind the schema. ROWLINE_CORRUPT for a damaged file.
 */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_inspect_document(rowline_inspection *inspection, const char **json, size_t *length,
                         rowline_error *err);
/*
 * Pages of a Parquet file: row_group int, column string, page int (from 0 in its chunk, the dictionary's counted), kind string (data,
 * data_v2, dictionary, index, unknown), encoding string, offset long (of the header), compressed_bytes and uncompressed_bytes long (of
 * the body), values long, rows long (null for a dictionary, and where nothing tells).
 * Of a Lance data file: column string, page int, kind string (mini_block, constant, full_zip, blob; array in version 2.0; unknown, with
 * the reason in encoding), encoding string, offset long (of the first buffer, null without), buffers int, compressed_bytes long (of all),
 * values long (null where nothing tells), first_row long, rows long. ROWLINE_USAGE for other files.
 */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_inspect_pages(rowline_inspection *inspection, struct ArrowArrayStream *out, rowline_error *err);
/* The first `count` rows (-1: all) of a Parquet or Lance data file (hidden columns too); or records of an Avro file, a JSON column a
 * field. ROWLINE_USAGE for others. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_inspect_rows(rowline_inspection *inspection, int64_t count, struct ArrowArrayStream *out,
                     rowline_error *err);

#ifdef __cplusplus
}
#endif

#endif
