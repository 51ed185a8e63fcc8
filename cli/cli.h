/* SPDX-License-Identifier: Apache-2.0 */
/* What every command of the program works with: the parsed command line, the context, the two outputs. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "options.h"
#include "out.h"
#include "progress.h"

#include <rowline/rowline.h>

#include <stdbool.h>

typedef struct cli cli;

/* A command: how it is called, what it says about itself, and what runs it. */
typedef struct cli_command {
    const char *name;
    const char *arguments;                /* "TABLE FILE...", as the synopsis shows them */
    const char *summary;                  /* one line */
    const char *details;                  /* more sentences, or NULL */
    const char *options;                  /* names of its own options, space between them */
    const char *examples;                 /* lines */
    int32_t min_arguments, max_arguments; /* max -1: any number */
    bool rows; /* its result is a stream of rows: a table on a terminal, else JSON lines */
    rowline_status (*run)(cli *c);
} cli_command;

struct cli {
    const cli_command *command; /* NULL until it is known */
    cli_args args;
    rowline_context *context;
    output out, err; /* standard output and error */
    progress progress;
    rowline_error error; /* of the failure that ends the command */
    char commit_id[40];  /* of a commit whose state is unknown, else "" */
    int64_t committed;   /* the snapshot that was committed, 0 for none */
    bool json;           /* the result is JSON */
    bool bulk;           /* rows go out by the library, in a format for programs or to a file */
    bool json_errors;    /* JSON was asked for by name: failures are JSON too */
    bool terminal;       /* standard output is a terminal */
    bool utf8;           /* the locale's characters are UTF-8 */
    bool findings;       /* states differ: exit 1 */
};

/* Sets the error that ends the command; returns `code`. */
ROWLINE_MUST_CHECK rowline_status cli_fail(cli *c, rowline_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A line for people on standard error, "rowline: " in front; with --quiet none. */
void cli_note(cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Columns of the terminal; 0 when standard output is none. */
int32_t cli_width(const cli *c);
/* Writes the error that ended the command and gives the exit code. `signal_number` is the signal that came,
 * or 0. */
int cli_end(cli *c, rowline_status status, int signal_number);

/* The --map-path options; `*maps` is the caller's to free. */
ROWLINE_MUST_CHECK rowline_status cli_maps(cli *c, rowline_path_map **maps, size_t *count);
/* Opens TABLE as the global options say. */
ROWLINE_MUST_CHECK rowline_status cli_open(cli *c, const char *name, bool for_change, rowline_table **table);
/* The options every change shares; `*properties` is the caller's to free. */
ROWLINE_MUST_CHECK rowline_status cli_change_options(cli *c, rowline_change_options *options,
                                                     rowline_property **properties);
/* K=V pairs as properties; `*properties` is the caller's to free. */
ROWLINE_MUST_CHECK rowline_status cli_properties(cli *c, const char *option, const cli_list *pairs,
                                                 rowline_property **properties);
/* Keeps what became of a commit, for errors that come after it; gives `status` back. */
ROWLINE_MUST_CHECK rowline_status cli_committed(cli *c, rowline_status status, const rowline_commit *commit);

rowline_status cmd_append(cli *c);
rowline_status cmd_count(cli *c);
rowline_status cmd_create(cli *c);
rowline_status cmd_delete(cli *c);
rowline_status cmd_digest(cli *c);
rowline_status cmd_entries(cli *c);
rowline_status cmd_files(cli *c);
rowline_status cmd_inspect(cli *c);
rowline_status cmd_log(cli *c);
rowline_status cmd_manifests(cli *c);
rowline_status cmd_partitions(cli *c);
rowline_status cmd_refs(cli *c);
rowline_status cmd_rewrite(cli *c);
rowline_status cmd_scan(cli *c);
rowline_status cmd_show(cli *c);
rowline_status cmd_status(cli *c);
rowline_status cmd_upgrade(cli *c);

#endif
