/* SPDX-License-Identifier: Apache-2.0 */
/* The program: reads the command line, makes the context, runs one command. */
#include "cli.h"
#include "help.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

/* A signal handler has no other way to what it must end. Written once before the handlers are set. */
static rowline_context *signal_context;
static volatile sig_atomic_t signal_seen;

static void cancel(int number) {
    signal_seen = number;
    rowline_context_cancel(signal_context);
}

/* The first signal cancels, a second one ends the program at once. One that our parent has us ignore stays ignored. */
static void catch_signal(int number) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
        return;
    memset(&action, 0, sizeof action);
    action.sa_handler = cancel;
    sigemptyset(&action.sa_mask);
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(number, &action, NULL);
}

static void catch_signals(rowline_context *context) {
    signal_context = context;
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
}

/* True when the locale reads the three bytes of an arrow as one character. */
static bool locale_is_utf8(void) {
    wchar_t wide;
    mbstate_t state;
    memset(&state, 0, sizeof state);
    return setlocale(LC_CTYPE, "") != NULL && mbrtowc(&wide, "\xe2\x86\x92", 3, &state) == 3 &&
           wide == 0x2192;
}

/* JSON asked for by name, looked for before the command line could be read whole. */
static bool asks_for_json(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0 || strcmp(argv[i], "--format=jsonl") == 0 ||
            (strcmp(argv[i], "--format") == 0 && i + 1 < argc && strcmp(argv[i + 1], "jsonl") == 0))
            return true;
    return false;
}

/* --- the command line --- */

static rowline_status check_arguments(cli *c, const cli_parser *p) {
    const cli_command *command = c->command;
    const char *stray = cli_parser_stray(p, command->options);
    if (stray != NULL)
        return cli_fail(c, ROWLINE_USAGE, "%s has no option %s; see rowline %s --help", command->name, stray,
                        command->name);
    if (c->args.argument_count < command->min_arguments)
        return cli_fail(c, ROWLINE_USAGE, "missing argument: rowline %s %s", command->name,
                        command->arguments);
    if (command->max_arguments >= 0 && c->args.argument_count > command->max_arguments)
        return cli_fail(c, ROWLINE_USAGE, "unexpected argument '%.200s': rowline %s %s",
                        c->args.arguments[command->max_arguments], command->name, command->arguments);
    if (c->args.snapshot != NULL && c->args.as_of != NULL) /* with --ref it may be the version of a branch */
        return cli_fail(c, ROWLINE_USAGE, "--snapshot and --as-of name one state twice");
    return ROWLINE_OK;
}

/* Sets c->json and c->bulk from --json, --format and -o. Create has a --format of its own, the table's. */
static rowline_status check_format(cli *c) {
    const char *format = c->args.format;
    bool scans = c->command->run == cmd_scan;
    c->json = c->args.json;
    if (c->command->run == cmd_create)
        return ROWLINE_OK;
    if (format == NULL) {
        c->bulk = scans && (c->args.output != NULL || c->json || !c->terminal);
        c->json = c->json || (c->command->rows && !c->terminal);
        return ROWLINE_OK;
    }
    bool for_programs = cli_has_word("csv parquet arrow", format);
    if (!for_programs && !cli_has_word("table jsonl", format))
        return cli_fail(c, ROWLINE_USAGE, "--format '%.60s': not table, jsonl, csv, parquet or arrow",
                        format);
    if (for_programs && !scans)
        return cli_fail(c, ROWLINE_USAGE, "--format %s is for the rows of scan: %s gives table or jsonl",
                        format, c->command->name);
    if (strcmp(format, "jsonl") != 0 && c->json)
        return cli_fail(c, ROWLINE_USAGE, "--json and --format %s exclude each other", format);
    if (strcmp(format, "table") == 0 && c->args.output != NULL)
        return cli_fail(c, ROWLINE_USAGE,
                        "--format table is for people: a file is jsonl, csv, parquet or arrow");
    c->json = strcmp(format, "jsonl") == 0;
    c->bulk = scans && strcmp(format, "table") != 0;
    return ROWLINE_OK;
}

static rowline_status check_progress(cli *c) {
    if (c->args.progress != NULL && !cli_has_word("auto always never", c->args.progress))
        return cli_fail(c, ROWLINE_USAGE, "--progress '%.60s': not auto, always or never", c->args.progress);
    return ROWLINE_OK;
}

/* Reads all of argv. `c->args.arguments` has room for argc. */
static rowline_status read_words(cli *c, cli_parser *p) {
    const char *word;
    bool help_word = false;
    for (;;) {
        rowline_status st = cli_parser_next(p, &word);
        if (st != ROWLINE_OK)
            return cli_fail(c, st, "%s", p->message);
        if (word == NULL)
            break;
        if (c->command != NULL) {
            c->args.arguments[c->args.argument_count++] = word;
        } else if (strcmp(word, "help") == 0 && !help_word) {
            help_word = true;
        } else {
            c->command = help_find_command(word);
            if (c->command == NULL)
                return help_fail_command(c, word);
            p->allowed = c->command->options;
        }
    }
    c->args.help = c->args.help || help_word;
    return ROWLINE_OK;
}

static rowline_status read_command_line(cli *c, int argc, char **argv) {
    cli_parser parser;
    cli_parser_init(&parser, argc, argv, &c->args);
    c->args.arguments = calloc((size_t)argc + 1, sizeof *c->args.arguments);
    if (c->args.arguments == NULL)
        return cli_fail(c, ROWLINE_NO_MEMORY, "no memory for the command line");
    rowline_status st = read_words(c, &parser);
    if (st != ROWLINE_OK || c->args.help || c->args.version)
        return st;
    if (c->command == NULL)
        return cli_fail(c, ROWLINE_USAGE, "no command; rowline --help lists them");
    st = check_arguments(c, &parser);
    if (st == ROWLINE_OK)
        st = check_format(c);
    return st == ROWLINE_OK ? check_progress(c) : st;
}

static void free_arguments(cli_args *args) {
    free(args->arguments);
    free(args->map_path.items);
    free(args->snapshot_property.items);
    free(args->property.items);
    free(args->option.items);
}

/* --- running --- */

static rowline_status run_command(cli *c) {
    progress_init(&c->progress, c->args.progress, c->args.quiet, c->args.verbose);
    rowline_context_options options = {.struct_size = sizeof options,
                                       .threads = c->args.threads > 0 ? (int32_t)c->args.threads : 0,
                                       .memory_bytes = c->args.memory > 0 ? c->args.memory : 0,
                                       .callback_context = &c->progress,
                                       .log = progress_log,
                                       .progress = progress_update};
    rowline_status st = rowline_context_new(&options, &c->context, &c->error);
    if (st != ROWLINE_OK)
        return st;
    catch_signals(c->context);
    st = c->command->run(c);
    /* From here on a signal has nothing left to cancel. */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    rowline_context_free(c->context);
    return st;
}

static rowline_status run(cli *c, int argc, char **argv) {
    rowline_status st = read_command_line(c, argc, argv);
    if (st != ROWLINE_OK)
        return st;
    if (c->args.help)
        help_print(&c->out, c->command);
    else if (c->args.version)
        out_printf(&c->out, "rowline %s\n%s\n", rowline_version(), rowline_capabilities());
    else
        st = run_command(c);
    return st;
}

int main(int argc, char **argv) {
    cli *c = calloc(1, sizeof *c);
    if (c == NULL)
        return 3;
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is seen where it is written to */
    signal(SIGXFSZ, SIG_IGN); /* so is a limit on the size of files */
    out_init(&c->out, STDOUT_FILENO);
    out_init(&c->err, STDERR_FILENO);
    progress_init(&c->progress, "never", false, false);
    c->utf8 = locale_is_utf8();
    c->terminal = isatty(STDOUT_FILENO) != 0;
    c->json_errors = asks_for_json(argc, argv);
    rowline_status st = run(c, argc, argv);
    int code = cli_end(c, st, signal_seen);
    free_arguments(&c->args);
    free(c);
    return code;
}
