/* SPDX-License-Identifier: Apache-2.0 */
/* The command line's options: one table that names, reads and describes them. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <rowline/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The values of an option that may stand more than once. */
typedef struct cli_list {
    const char **items;
    size_t count;
} cli_list;

/* The parsed command line; texts point into argv. Numbers that were not given are -1, texts NULL. */
typedef struct cli_args {
    const char **arguments; /* without the command's name */
    int32_t argument_count;
    cli_list map_path, snapshot_property, property, option;
    const char *format, *output, *progress, *snapshot, *ref, *as_of;
    const char *select, *where, *sort, *schema, *like, *partition, *input_format, *verify, *mode,
        *row_id_encoding;
    const char *column, *manifest_list;
    int64_t threads, memory, limit, format_version, to, row_group, rows;
    int64_t target_file_size, min_file_size, max_file_size, max_group_size, min_input_files, delete_files;
    int64_t max_bytes, max_commits, deadline;
    double delete_ratio;
    bool help, version, json, quiet, verbose, yes, dry_run;
    bool lineage, order_by_row_id, stats, no_verify_pages, all, rewrite_all, no_pin, no_assign;
    bool pages, only_schema, metadata, exit_code;
} cli_args;

typedef enum cli_option_kind {
    CLI_FLAG,
    CLI_TEXT,
    CLI_COUNT, /* an integer from min to max */
    CLI_SIZE,  /* bytes, with KB, MB or GB */
    CLI_RATIO, /* above 0, at most 1 */
    CLI_SPAN,  /* milliseconds: 7d, 12h, 50m, 30s */
    CLI_LIST,  /* text, any number of times */
    CLI_LATER, /* known, refused by name until it is here */
    CLI_ONLY, /* a flag of commands that list it as "only-NAME"; elsewhere an option of that name takes a value */
} cli_option_kind;

typedef struct cli_option {
    const char *name;    /* with its dashes */
    const char *metavar; /* NULL for one without a value */
    cli_option_kind kind;
    size_t offset; /* of its field in cli_args */
    int64_t min, max;
    const char *help;
} cli_option;

enum { CLI_OPTION_MAX = 96 };

/* A parser over argv: which options were seen, what failed. */
typedef struct cli_parser {
    int argc;
    char **argv;
    cli_args *args;
    const char *allowed; /* the command's own options; NULL until it is known */
    bool seen[CLI_OPTION_MAX];
    char message[256]; /* of the failure */
    bool ended;        /* after "--" */
    int next;
} cli_parser;

void cli_parser_init(cli_parser *p, int argc, char **argv, cli_args *args);
/*
 * Reads options up to the next argument that is none: `*word` gets it, NULL at the end. ROWLINE_USAGE or
 * ROWLINE_UNSUPPORTED with p->message set.
 */
rowline_status cli_parser_next(cli_parser *p, const char **word);
/* The first option seen that is neither global nor in `allowed` (names without dashes, space between them),
 * or NULL. */
const char *cli_parser_stray(const cli_parser *p, const char *allowed);

/* The option at `index` in the order of the table; NULL after the last. */
const cli_option *cli_option_at(size_t index);
/* True when the option is for every command. */
bool cli_option_is_global(const cli_option *option);
/* True when a command that lists these options has this one. */
bool cli_option_of(const cli_option *option, const char *list);
/* True when `word` is one of the words of `list`. */
bool cli_has_word(const char *list, const char *word);
/* The word of the list nearest to `word`, when it is near enough to be meant; NULL else. */
const char *cli_nearest(const char *word, const char *(*at)(size_t index));

#endif
