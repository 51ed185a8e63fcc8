/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of `rowline status` that tables of any format have. */
#ifndef CLI_STATUS_H
#define CLI_STATUS_H

#include "cli.h"
#include "json.h"

/* The last component of a table's name. */
void status_put_name(output *o, const char *name);
/* Ends the heading: " - last commit 2026-11-30T06:12:44Z by spark 4.1.4", or that there is none. */
void status_put_last_commit(cli *c, const rowline_table_figures *figures);
/* "  snapshots  128 since 2026-11-25; tags mart; branches main" */
void status_put_history(cli *c, const rowline_table_figures *figures, const char *title,
                        const json_node *refs);
void status_put_writers(cli *c, const json_node *writers);
void status_put_cautions(cli *c, const json_node *cautions);

#endif
