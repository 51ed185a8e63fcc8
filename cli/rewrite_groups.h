/* SPDX-License-Identifier: Apache-2.0 */
/* What a rewrite's dry run prints of the groups it planned. */
#ifndef CLI_REWRITE_GROUPS_H
#define CLI_REWRITE_GROUPS_H

#include "cli.h"

/* The rows of the groups' table, kept until widths are known; with JSON output a line goes out at once. */
typedef struct rewrite_groups {
    cli *c;
    char **cells;
    size_t count, room; /* groups kept */
    int64_t hidden;     /* groups beyond the limit */
    bool failed;        /* no memory */
} rewrite_groups;

void rewrite_groups_init(rewrite_groups *g, cli *c);
/* The library's callback; `ctx` is the groups. */
int32_t rewrite_groups_add(void *ctx, const rowline_rewrite_group *group);
/* Prints the table; nothing with JSON output or without groups. */
ROWLINE_MUST_CHECK rowline_status rewrite_groups_print(rewrite_groups *g);
void rewrite_groups_clear(rewrite_groups *g);

#endif
