/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is in a file, told apart by its content (issue "Looking"; CLI.md, "inspect"): a document of facts as JSON, and for
 * what has many rows a stream.
 *
 *   "PAR1"           Parquet
 *   "Obj" 1          Avro; a manifest or manifest list when its schema is that of one
 *   "PFA1"           Puffin
 *   "{", or gzip     Iceberg table metadata
 *   of Lance: data files, manifests, transactions, deletion files, see engine/inspect_lance.h
 */
#ifndef RWL_ENGINE_INSPECT_H
#define RWL_ENGINE_INSPECT_H

#include "column/arrow.h"
#include "storage/store.h"

typedef struct rwl_inspect rwl_inspect;

typedef struct rwl_inspect_options {
    const rwl_path_map *maps;
    size_t map_count;
    const char
        *manifest_list; /* of a manifest: where its numbers are inherited from; NULL: stored values alone */
    const char
        *column; /* Parquet, Lance data: this column alone, by dotted path, or all below it; NULL: all */
    int64_t row_group; /* Parquet: this row group alone; -1: all */
    bool schema_only;  /* the document holds the schema alone */
} rwl_inspect_options;

/*
 * Opens `location` and finds out what it is. UNSUPPORTED naming the first bytes when it is nothing known; USAGE for options that do
 * not go with it, a column or row group that is not there.
 */
RWL_MUST_CHECK rwl_status rwl_inspect_open(rwl_op *op, const char *location,
                                           const rwl_inspect_options *options, rwl_inspect **out,
                                           rwl_error *err);
void rwl_inspect_free(rwl_inspect *in); /* NULL is fine */
/* Static text: "parquet", "avro", "puffin", "manifest", "manifest_list", "metadata", "lance_data", "lance_manifest",
 * "lance_transaction", "lance_deletions". */
const char *rwl_inspect_kind(const rwl_inspect *in);
/* The document (include/rowline/inspect.h tells its keys), with a NUL behind; lives as long as `in`. */
RWL_MUST_CHECK rwl_status rwl_inspect_document(rwl_inspect *in, rwl_span *json, rwl_error *err);
/* Pages of the chosen columns (and row groups) of a Parquet or Lance data file, chunk by chunk; `in` must outlive the stream. USAGE for
 * others. */
RWL_MUST_CHECK rwl_status rwl_inspect_pages(rwl_inspect *in, struct ArrowArrayStream *out, rwl_error *err);
/* The first `count` rows (-1: all) of a Parquet or Lance data file, or records of an Avro file whose fields are JSON columns. `in` must outlive
 * the stream. USAGE for others. */
RWL_MUST_CHECK rwl_status rwl_inspect_rows(rwl_inspect *in, int64_t count, struct ArrowArrayStream *out,
                                           rwl_error *err);

#endif
