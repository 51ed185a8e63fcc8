/* SPDX-License-Identifier: Apache-2.0 */
/* The screens of rowline inspect: each takes the document of a file (include/rowline/inspect.h). */
#ifndef CLI_INSPECT_H
#define CLI_INSPECT_H

#include "cli.h"
#include "json.h"
#include "layout.h"
#include "print.h"
#include "table.h"
#include "text.h"

ROWLINE_MUST_CHECK rowline_status inspect_parquet(cli *c, const json_node *doc);
ROWLINE_MUST_CHECK rowline_status inspect_avro(cli *c, const json_node *doc);
ROWLINE_MUST_CHECK rowline_status inspect_puffin(cli *c, const json_node *doc);
ROWLINE_MUST_CHECK rowline_status inspect_manifest(cli *c, const json_node *doc);
ROWLINE_MUST_CHECK rowline_status inspect_manifest_list(cli *c, const json_node *doc);
ROWLINE_MUST_CHECK rowline_status inspect_metadata(cli *c, const json_node *doc);
ROWLINE_MUST_CHECK rowline_status inspect_lance_data(cli *c, const json_node *doc);
ROWLINE_MUST_CHECK rowline_status inspect_lance_manifest(cli *c, const json_node *doc);
ROWLINE_MUST_CHECK rowline_status inspect_lance_transaction(cli *c, const json_node *doc);
ROWLINE_MUST_CHECK rowline_status inspect_lance_deletions(cli *c, const json_node *doc);
/* Fields of a Lance schema, lines under `title`. */
void inspect_lance_schema(cli *c, const char *title, const json_node *schema);
/* Lines of a transaction under titles. */
void inspect_lance_operation(cli *c, const json_node *transaction);
/* The tree of a Parquet schema, lines under `title`. */
void inspect_parquet_schema(cli *c, const char *title, const json_node *schema);

/* --- what the screens share --- */

/* A member as an integer; -1 when it is none. */
int64_t inspect_i64(const json_node *node, const char *key);
/* What stands behind the last slash. */
const char *inspect_base_name(const char *path);
/* "name  Kind" of the first line; the caller adds figures with text_dot between and ends the line. */
void inspect_head(cli *c, const json_node *doc, const char *kind);
/* A text; of a long one the first bytes and a mark. */
void inspect_put_cut(cli *c, const char *text);
/* Lines "key = value", long values cut with their length. */
void inspect_pairs(cli *c, const char *title, const json_node *pairs);
/* A line "6 positions: 3, 5..9 ... 4 more" of a document's ranges; their number is the member `count_key`. */
void inspect_ranges(cli *c, layout_section *s, const json_node *positions, const char *count_key);
/* Members of an object as lines "key = value". */
void inspect_members(cli *c, const char *title, const json_node *object);

/* A text table that ends after the limit and says how many rows are left. */
typedef struct inspect_table {
    cli *c;
    table t;
    int32_t columns;
    int64_t limit, shown, left; /* limit -1: none */
    rowline_status st;
} inspect_table;

void inspect_table_open(inspect_table *t, cli *c, table_column *columns, int32_t count);
/* Whether the next row will be shown: rows beyond need no cells. Counts it when not. */
bool inspect_table_wants(inspect_table *t);
/* Cells as they are in the file; NULL shows as "-". */
void inspect_table_row(inspect_table *t, const char *const *cells);
ROWLINE_MUST_CHECK rowline_status inspect_table_close(inspect_table *t);

/* A cell out of the document: strings without quotes, numbers as they are, null NULL. */
const char *inspect_cell(const json_node *node);
/* A count grouped, a size with its unit; "-" when the member is no number. */
short_text inspect_grouped(const json_node *node, const char *key);
short_text inspect_bytes(const json_node *node, const char *key);

#endif
