/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lance files of inspect, told apart by how they end and begin:
 *
 *   "LANC" at the end     data file, or manifest: versions 0.1 and 0.2 are a manifest's, and those of legacy data files, whose message
 *                         begins with another field
 *   "ARROW1"              deletion file when its one column is row_id of uint32
 *   3a 30 00 00, 3b 30    deletion file when it is a portable Roaring bitmap from end to end
 *   none of these         transaction when the name ends in .txn and the file is such a message from end to end
 */
#ifndef RWL_ENGINE_INSPECT_LANCE_H
#define RWL_ENGINE_INSPECT_LANCE_H

#include "engine/inspect_internal.h"
#include "lance/transaction.h"
#include "lancefile/file.h"

/* Opens it as a Lance file when its end is that of a known version; *found false when it is not. */
RWL_MUST_CHECK rwl_status rwl_inspect_lance_by_end(rwl_inspect *in, bool *found, rwl_error *err);
/* Likewise by its first bytes, or its name and whole content. */
RWL_MUST_CHECK rwl_status rwl_inspect_lance_by_head(rwl_inspect *in, rwl_span head, bool *found,
                                                    rwl_error *err);
/* Frees what the two have opened. */
void rwl_inspect_lance_close(rwl_inspect *in);

/* --- data files: in->lance is open and described --- */

/* Fills in->lance_above. */
RWL_MUST_CHECK rwl_status rwl_inspect_lance_describe(rwl_inspect *in, rwl_error *err);
/* Appends the dotted path of a column's field with a NUL behind, "#3" when the file's schema has none; *def NULL then. */
RWL_MUST_CHECK rwl_status rwl_inspect_lance_path(rwl_inspect *in, int32_t column, rwl_buf *out,
                                                 const rwl_lance_field_def **def, rwl_error *err);
/* Whether the path is one that was asked for. */
bool rwl_inspect_lance_wants(const rwl_inspect *in, const char *path);
/* USAGE when no column was meant by in->column. */
RWL_MUST_CHECK rwl_status rwl_inspect_lance_check_column(rwl_inspect *in, rwl_error *err);
/* A field that is one of Lance's hidden columns. */
bool rwl_inspect_lance_is_hidden(const rwl_lance_field_def *def);

/* What the encoding of a page says. */
typedef struct rwl_inspect_layout {
    const char *kind; /* "mini_block", "constant", "full_zip", "blob"; in 2.0 "array"; "unknown" */
    int64_t values;   /* -1: not told */
} rwl_inspect_layout;
/* Appends it as text; of what this library does not read, why. `arena` is for the parsing. */
RWL_MUST_CHECK rwl_status rwl_inspect_lance_layout(const rwl_inspect *in, const rwl_lance_page *page,
                                                   rwl_arena *arena, rwl_buf *out, rwl_inspect_layout *layout,
                                                   rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_inspect_lance_pages(rwl_inspect *in, struct ArrowArrayStream *out,
                                                  rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_inspect_lance_rows(rwl_inspect *in, int64_t count, struct ArrowArrayStream *out,
                                                 rwl_error *err);

/* --- the documents --- */

RWL_MUST_CHECK rwl_status rwl_inspect_lance_data(rwl_inspect *in, rwl_doc *doc, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_inspect_lance_manifest(rwl_inspect *in, rwl_doc *doc, rwl_error *err);
void rwl_inspect_lance_transaction(const rwl_lance_transaction *transaction, rwl_doc *doc);
void rwl_inspect_lance_deletions(const rwl_inspect *in, rwl_doc *doc);

#endif
