/* SPDX-License-Identifier: Apache-2.0 */
/* The screens of Lance datasets, from what the library tells of them as JSON. */
#ifndef CLI_LANCE_H
#define CLI_LANCE_H

#include "cli.h"
#include "json.h"

/* What `show` and `status` print on a screen. */
void lance_put_show(cli *c, const json_node *details);
void lance_put_status(cli *c, const rowline_table_figures *figures, const json_node *details,
                      const json_node *refs);
/* What `files` prints on a screen; the stream stays the caller's. */
ROWLINE_MUST_CHECK rowline_status lance_put_files(cli *c, struct ArrowArrayStream *stream);

/* Lines for each sequence: "_rowid  inline, 24 B in 3 fragments"; `begun` says whether the section has its title already. */
void lance_put_sequences(cli *c, const char *title, bool begun, const json_node *sequences);
/* A line for each base path: its id, where it is. */
void lance_put_bases(cli *c, const json_node *bases);
/* "  flags      reader: deletion files, stable row ids; writer: the same" */
void lance_put_flags(cli *c, const json_node *details);
/* The integer of a member, `absent` when it is null or none. */
int64_t lance_i64(const json_node *node, const char *key, int64_t absent);

#endif
