/* SPDX-License-Identifier: Apache-2.0 */
/* The handle behind engine/inspect.h and what each kind of file puts into its document. */
#ifndef RWL_ENGINE_INSPECT_INTERNAL_H
#define RWL_ENGINE_INSPECT_INTERNAL_H

#include "avro/avro.h"
#include "bitmap/bitmap.h"
#include "engine/inspect.h"
#include "engine/inspect_doc.h"
#include "parquet/file.h"

typedef enum rwl_inspect_what {
    RWL_INSPECT_PARQUET,
    RWL_INSPECT_AVRO,
    RWL_INSPECT_PUFFIN,
    RWL_INSPECT_MANIFEST,
    RWL_INSPECT_MANIFEST_LIST,
    RWL_INSPECT_METADATA,
    RWL_INSPECT_LANCE_DATA,
    RWL_INSPECT_LANCE_MANIFEST,
    RWL_INSPECT_LANCE_TRANSACTION,
    RWL_INSPECT_LANCE_DELETIONS
} rwl_inspect_what;

enum {
    RWL_INSPECT_CONTAINERS = 3,     /* array, bitmap, run */
    RWL_INSPECT_COOKIE = 12346,     /* of a portable bitmap */
    RWL_INSPECT_COOKIE_RUNS = 12347 /* of one with runs, in its lower half */
};

struct rwl_inspect {
    const rwl_env *env;
    rwl_op *op;
    rwl_store *store; /* owned */
    rwl_arena arena;
    const char *location, *manifest_list, *column;
    int64_t row_group; /* -1: all */
    bool schema_only;
    int64_t size;
    rwl_inspect_what what;
    rwl_parquet_file *parquet;                 /* PARQUET */
    struct rwl_lancefile *lance;               /* LANCE_DATA; its fields are loaded */
    const int32_t *lance_above;                /* of each of its fields the one around, -1 at the top */
    struct rwl_lance_manifest *manifest;       /* LANCE_MANIFEST */
    struct rwl_lance_transaction *transaction; /* LANCE_TRANSACTION */
    rwl_bitmap *deleted;                       /* LANCE_DELETIONS */
    bool is_bitmap;                            /* it is a ".bin" */
    int64_t containers[RWL_INSPECT_CONTAINERS];
    rwl_buf document;
};

/* Whether the leaf is one that was asked for. */
bool rwl_inspect_wants(const rwl_inspect *in, const rwl_parquet_leaf *leaf);
/* The column as messages and documents name it. */
static inline rwl_span rwl_inspect_leaf_name(const rwl_parquet_leaf *leaf) {
    return rwl_span_str(leaf->field.name);
}

/* --- the documents; the object is open, kind, path and size are in it --- */

RWL_MUST_CHECK rwl_status rwl_inspect_parquet(rwl_inspect *in, rwl_doc *doc, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_inspect_avro(rwl_inspect *in, rwl_doc *doc, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_inspect_puffin(rwl_inspect *in, rwl_doc *doc, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_inspect_manifest(rwl_inspect *in, rwl_doc *doc, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_inspect_manifest_list(rwl_inspect *in, rwl_doc *doc, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_inspect_metadata(rwl_inspect *in, rwl_doc *doc, rwl_error *err);

/* --- parts --- */

/* "version", then "schema": the tree of schema elements as the footer has them (inspect_schema.c). */
RWL_MUST_CHECK rwl_status rwl_inspect_footer(rwl_span footer, rwl_doc *doc, rwl_error *err);
/* MANIFEST or MANIFEST_LIST when the schema is that of one, else AVRO. */
rwl_inspect_what rwl_inspect_avro_what(const rwl_avro_schema *schema);
RWL_MUST_CHECK rwl_status rwl_inspect_avro_rows(rwl_inspect *in, int64_t count, struct ArrowArrayStream *out,
                                                rwl_error *err);
/* A decoded value as JSON (inspect_datum.c). */
RWL_MUST_CHECK rwl_status rwl_inspect_datum(const rwl_avro_datum *datum, rwl_buf *out, rwl_error *err);
/* One item of "metadata": {"key": …, "value": …, "bytes": …}; a value that is no UTF-8 text is hex under "hex". */
void rwl_inspect_pair(rwl_doc *doc, rwl_span key, rwl_span value);
/* "ranges": [[start, count], …], and "range_count". */
void rwl_inspect_put_ranges(const rwl_bitmap *positions, rwl_doc *doc);

#endif
