/* SPDX-License-Identifier: Apache-2.0 */
/* Errors and notes, opening tables, options that many commands share. */
#include "cli.h"
#include "json.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

rowline_status cli_fail(cli *c, rowline_status code, const char *format, ...) {
    memset(&c->error, 0, sizeof c->error);
    c->error.code = code;
    c->error.offset = -1;
    va_list args;
    va_start(args, format);
    vsnprintf(c->error.message, sizeof c->error.message, format, args);
    va_end(args);
    return code;
}

void cli_note(cli *c, const char *format, ...) {
    if (c->args.quiet)
        return;
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    progress_erase(&c->progress);
    out_str(&c->err, "rowline: ");
    out_str(&c->err, text);
    out_char(&c->err, '\n');
    out_flush(&c->err);
}

int32_t cli_width(const cli *c) {
    if (!c->terminal)
        return 0;
    const char *columns = getenv("COLUMNS");
    long width = columns != NULL ? strtol(columns, NULL, 10) : 0;
    struct winsize size;
    if (width <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    return width > 0 && width < 10000 ? (int32_t)width : 80;
}

/* --- the end --- */

static void put_error_json(cli *c, const char *key, const char *message) {
    json j = {&c->err, false};
    json_open(&j, '{');
    json_key(&j, "error");
    json_text(&j, key);
    json_key(&j, "message");
    json_text(&j, message);
    json_key(&j, "path");
    json_text(&j, c->error.path[0] != '\0' ? c->error.path : NULL);
    if (c->commit_id[0] != '\0') {
        json_key(&j, "commit_id");
        json_text(&j, c->commit_id);
    }
    json_close(&j, '}');
    out_char(&c->err, '\n');
}

static void put_error_text(cli *c, const char *message) {
    char *line = text_printable(message, strlen(message));
    out_str(&c->err, "rowline: ");
    out_str(&c->err, line != NULL ? line : message);
    if (c->error.path[0] != '\0' && strstr(message, c->error.path) == NULL)
        out_printf(&c->err, " (%s)", c->error.path);
    out_char(&c->err, '\n');
    if (c->commit_id[0] != '\0')
        out_printf(&c->err,
                   "rowline: the commit's rowline.commit-id is %s; it is committed when this finds it: "
                   "rowline log TABLE --json | grep %s\n",
                   c->commit_id, c->commit_id);
    free(line);
}

/* What was committed stays: nobody should do it again because its report was lost. */
static rowline_status fail_output(cli *c) {
    const char *why = strerror(c->out.failed);
    if (c->committed == 0)
        return cli_fail(c, ROWLINE_IO, "writing to standard output: %s", why);
    return cli_fail(c, ROWLINE_IO, "snapshot %" PRId64 " is committed, but writing to standard output: %s",
                    c->committed, why);
}

int cli_end(cli *c, rowline_status status, int signal_number) {
    progress_end(&c->progress);
    out_flush(&c->out);
    bool pipe_closed = c->out.failed == EPIPE;
    if (c->out.failed != 0 && !pipe_closed && status == ROWLINE_OK)
        status = fail_output(c);
    if (status == ROWLINE_OK)
        return c->findings && !pipe_closed ? 1 : 0;
    bool interrupted = status == ROWLINE_INTERRUPTED;
    const char *message = c->error.message;
    if (message[0] == '\0')
        message = interrupted ? "interrupted" : rowline_status_sentence(status);
    if (c->json_errors)
        put_error_json(c, rowline_status_key(status), message);
    else
        put_error_text(c, message);
    out_flush(&c->err);
    return interrupted && signal_number > 0 ? 128 + signal_number : rowline_status_exit_code(status);
}

rowline_status cli_committed(cli *c, rowline_status status, const rowline_commit *commit) {
    if (status == ROWLINE_COMMIT_UNKNOWN)
        snprintf(c->commit_id, sizeof c->commit_id, "%s", commit->commit_id);
    if (status == ROWLINE_OK && commit->snapshot_id > 0)
        c->committed = commit->snapshot_id;
    return status;
}

/* --- shared options --- */

/* Splits "K=V" items; the first text of each pair is a copy that lives in the same block as the array. */
static rowline_status split_pairs(cli *c, const char *option, const cli_list *list, rowline_property **out) {
    size_t size = list->count * sizeof **out;
    for (size_t i = 0; i < list->count; i++)
        size += strlen(list->items[i]) + 1;
    *out = calloc(1, size + 1);
    if (*out == NULL)
        return cli_fail(c, ROWLINE_NO_MEMORY, "no memory for %zu bytes", size);
    char *text = (char *)(*out + list->count);
    for (size_t i = 0; i < list->count; i++) {
        const char *equals = strchr(list->items[i], '=');
        if (equals == NULL || equals == list->items[i] ||
            (equals[1] == '\0' && strcmp(option, "--map-path") == 0)) {
            free(*out);
            *out = NULL;
            return cli_fail(c, ROWLINE_USAGE, "%s '%.200s': not of the form %s", option, list->items[i],
                            strcmp(option, "--map-path") == 0 ? "FROM=TO" : "KEY=VALUE");
        }
        size_t len = (size_t)(equals - list->items[i]);
        memcpy(text, list->items[i], len);
        (*out)[i].key = text;
        (*out)[i].value = equals + 1;
        text += len + 1;
    }
    return ROWLINE_OK;
}

rowline_status cli_properties(cli *c, const char *option, const cli_list *pairs,
                              rowline_property **properties) {
    return split_pairs(c, option, pairs, properties);
}

rowline_status cli_change_options(cli *c, rowline_change_options *options, rowline_property **properties) {
    memset(options, 0, sizeof *options);
    options->struct_size = sizeof *options;
    options->dry_run = c->args.dry_run;
    rowline_status st = split_pairs(c, "--snapshot-property", &c->args.snapshot_property, properties);
    options->snapshot_properties = *properties;
    options->snapshot_property_count = c->args.snapshot_property.count;
    return st;
}

rowline_status cli_maps(cli *c, rowline_path_map **maps, size_t *count) {
    _Static_assert(sizeof(rowline_path_map) == sizeof(rowline_property), "a map is a pair, as a property is");
    rowline_property *pairs;
    *count = c->args.map_path.count;
    rowline_status st = split_pairs(c, "--map-path", &c->args.map_path, &pairs);
    if (st != ROWLINE_OK)
        return st;
    *maps = (rowline_path_map *)(void *)pairs;
    for (size_t i = 0; i < *count; i++) {
        rowline_property pair = pairs[i];
        (*maps)[i] = (rowline_path_map){pair.key, pair.value};
    }
    return ROWLINE_OK;
}

rowline_status cli_open(cli *c, const char *name, bool for_change, rowline_table **table) {
    rowline_path_map *maps;
    size_t count;
    rowline_status st = cli_maps(c, &maps, &count);
    if (st != ROWLINE_OK)
        return st;
    rowline_open_options options = {.struct_size = sizeof options,
                                    .maps = maps,
                                    .map_count = count,
                                    .snapshot = c->args.snapshot,
                                    .ref = c->args.ref,
                                    .as_of = c->args.as_of,
                                    .for_change = for_change};
    st = rowline_table_open(c->context, name, &options, table, &c->error);
    free(maps);
    return st;
}
