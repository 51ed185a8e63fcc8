/* SPDX-License-Identifier: Apache-2.0 */
/* The commands there are, and the help about them. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli.h"

/* The command called `name`; NULL when there is none. */
const cli_command *help_find_command(const char *name);
/* Sets the error about a word that is no command: unknown (USAGE) or not here yet (UNSUPPORTED). */
ROWLINE_MUST_CHECK rowline_status help_fail_command(cli *c, const char *name);
/* Help about the command, or about the program when NULL. */
void help_print(output *o, const cli_command *command);

#endif
