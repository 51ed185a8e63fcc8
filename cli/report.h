/* SPDX-License-Identifier: Apache-2.0 */
/* Figures that several commands print alike. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli.h"
#include "json.h"

/* A member of a JSON object; a value below zero is null. */
typedef struct report_figure {
    const char *key;
    int64_t value;
} report_figure;
void report_figures_json(json *j, const report_figure *figures, size_t count);
/* The members that every commit has. */
void report_commit_json(json *j, const rowline_commit *commit);
/* These alone, as an object on a line. */
void report_commit_line(cli *c, const rowline_commit *commit);
/* "  snapshot  <id> append, attempt 2 (kept 1 commit that came in between)", or what a dry run or nothing to
 * do says instead. */
void report_commit_text(cli *c, const rowline_commit *commit);
/* {"rows": ..., ...} */
void report_digest_json(json *j, const rowline_digest *digest);
/* "ids 14..25", "no ids" for tables below version 3. */
void report_ids_text(cli *c, const rowline_commit *commit);

#endif
