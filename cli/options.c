/* SPDX-License-Identifier: Apache-2.0 */
/* Reading options by their table. */
#include "options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name) offsetof(cli_args, name)

static const cli_option OPTIONS[] = {
    /* of every command */
    {"--map-path", "FROM=TO", CLI_LIST, FIELD(map_path), 0, 0,
     "metadata say FROM, files lie under TO (a moved table); repeatable"},
    {"--snapshot", "ID", CLI_TEXT, FIELD(snapshot), 0, 0,
     "the state of this snapshot; of Lance, this version"},
    {"--ref", "NAME", CLI_TEXT, FIELD(ref), 0, 0, "the state of this branch or tag"},
    {"--as-of", "TIME", CLI_TEXT, FIELD(as_of), 0, 0,
     "the state at this time (RFC 3339, or an age: 7d, 12h, 50m, 30s)"},
    {"--json", NULL, CLI_FLAG, FIELD(json), 0, 0, "the same as --format jsonl; failures are JSON too"},
    {"--format", "FORMAT", CLI_TEXT, FIELD(format), 0, 0,
     "table or jsonl; of scan also csv, parquet or arrow"},
    {"--threads", "N", CLI_COUNT, FIELD(threads), 1, 1024, "threads to use; one a CPU"},
    {"--memory", "SIZE", CLI_SIZE, FIELD(memory), 1, INT64_MAX, "budget of memory; 1GB"},
    {"--progress", "WHEN", CLI_TEXT, FIELD(progress), 0, 0, "auto, always or never"},
    {"--quiet", NULL, CLI_FLAG, FIELD(quiet), 0, 0, "no progress, no notes"},
    {"--verbose", NULL, CLI_FLAG, FIELD(verbose), 0, 0, "say more on standard error"},
    {"--yes", NULL, CLI_FLAG, FIELD(yes), 0, 0, "do not ask"},
    {"--help", NULL, CLI_FLAG, FIELD(help), 0, 0, "this text"},
    {"--version", NULL, CLI_FLAG, FIELD(version), 0, 0, "version, formats and codecs"},
    {"--config", "FILE", CLI_LATER, 0, 0, 0, NULL},
    {"--catalog", "NAME", CLI_LATER, 0, 0, 0, NULL},
    /* of some commands */
    {"--dry-run", NULL, CLI_FLAG, FIELD(dry_run), 0, 0, "all figures, nothing written"},
    {"--snapshot-property", "K=V", CLI_LIST, FIELD(snapshot_property), 0, 0,
     "into the summary of the new snapshot; repeatable"},
    {"--select", "COLUMNS", CLI_TEXT, FIELD(select), 0, 0, "\"a, b, _file\": these columns"},
    {"--where", "EXPR", CLI_TEXT, FIELD(where), 0, 0, "rows for which the SQL condition holds"},
    {"--limit", "N", CLI_COUNT, FIELD(limit), 0, INT64_MAX,
     "at most N rows (rewrite: groups of a plan); 0 all"},
    {"--lineage", NULL, CLI_FLAG, FIELD(lineage), 0, 0, "append _row_id and _last_updated_sequence_number"},
    {"--order-by-row-id", NULL, CLI_FLAG, FIELD(order_by_row_id), 0, 0,
     "ascending row ids, rows without one last"},
    {"--stats", NULL, CLI_FLAG, FIELD(stats), 0, 0,
     "one JSON object on standard error: what was read and skipped"},
    {"--no-verify-pages", NULL, CLI_FLAG, FIELD(no_verify_pages), 0, 0, "do not compare checksums of pages"},
    {"--schema", NULL, CLI_ONLY, FIELD(only_schema), 0, 0, "only the schema"},
    {"--schema", "COLUMNS", CLI_TEXT, FIELD(schema), 0, 0, "\"id long not null, ts timestamptz\""},
    {"--like", "FILE", CLI_TEXT, FIELD(like), 0, 0, "the columns of this Parquet or Arrow file"},
    {"--partition", "FIELDS", CLI_TEXT, FIELD(partition), 0, 0, "\"day(ts), bucket(16, id)\""},
    {"--sort", "FIELDS", CLI_TEXT, FIELD(sort), 0, 0, "\"ts desc nulls last, id\""},
    {"--format-version", "N", CLI_COUNT, FIELD(format_version), 1, 99, "2 or 3; 3"},
    {"--property", "K=V", CLI_LIST, FIELD(property), 0, 0, "a property of the table; repeatable"},
    {"--input-format", "FORMAT", CLI_TEXT, FIELD(input_format), 0, 0,
     "parquet, csv, jsonl or arrow; else by the file's name"},
    {"--mode", "MODE", CLI_TEXT, FIELD(mode), 0, 0, "dv: by deletion vectors"},
    {"--target-file-size", "SIZE", CLI_SIZE, FIELD(target_file_size), 1, INT64_MAX,
     "of new files; the table's, else 512MB"},
    {"--min-file-size", "SIZE", CLI_SIZE, FIELD(min_file_size), 1, INT64_MAX,
     "smaller files are rewritten; 75 % of the target"},
    {"--max-file-size", "SIZE", CLI_SIZE, FIELD(max_file_size), 1, INT64_MAX,
     "larger files are rewritten; 180 % of the target"},
    {"--min-input-files", "N", CLI_COUNT, FIELD(min_input_files), 1, INT32_MAX,
     "fewer files make no group; 5"},
    {"--delete-ratio", "R", CLI_RATIO, FIELD(delete_ratio), 0, 0,
     "files with this part of their rows deleted are rewritten; 0.3"},
    {"--delete-files", "N", CLI_COUNT, FIELD(delete_files), 1, INT64_MAX,
     "files with as many delete files are rewritten"},
    {"--max-group-size", "SIZE", CLI_SIZE, FIELD(max_group_size), 1, INT64_MAX,
     "bytes rewritten as one group; 100GB"},
    {"--rewrite-all", NULL, CLI_FLAG, FIELD(rewrite_all), 0, 0, "every live file, nothing is left alone"},
    {"--verify", "WHAT", CLI_TEXT, FIELD(verify), 0, 0, "full (rows, values, lineage) or lineage; full"},
    {"--row-id-encoding", "ENCODING", CLI_TEXT, FIELD(row_id_encoding), 0, 0,
     "of stored row ids: plain or delta; delta"},
    {"--no-pin", NULL, CLI_FLAG, FIELD(no_pin), 0, 0, "take a fresh range of ids, as Spark does"},
    {"--to", "N", CLI_COUNT, FIELD(to), 1, 99, "the format version to upgrade to"},
    {"--no-assign", NULL, CLI_FLAG, FIELD(no_assign), 0, 0, "only the version: existing rows get no ids"},
    {"--all", NULL, CLI_FLAG, FIELD(all), 0, 0, "every snapshot, not only the ancestors"},
    {"--pages", NULL, CLI_FLAG, FIELD(pages), 0, 0, "each page: kind, encoding, place, sizes, values, rows"},
    {"--column", "COLUMN", CLI_TEXT, FIELD(column), 0, 0, "only this column, or all below it (a.b)"},
    {"--row-group", "N", CLI_COUNT, FIELD(row_group), 0, INT32_MAX, "only this row group, from 0"},
    {"--rows", "N", CLI_COUNT, FIELD(rows), 0, INT64_MAX, "the first N rows; 0 all"},
    {"--manifest-list", "FILE", CLI_TEXT, FIELD(manifest_list), 0, 0,
     "the list that names the manifest: inherited values beside stored ones"},
    {"--output", "FILE", CLI_TEXT, FIELD(output), 0, 0,
     "(-o) into a file: .jsonl .csv .parquet .arrow .arrows, or as --format says"},
    {"--metadata", NULL, CLI_FLAG, FIELD(metadata), 0, 0, "changes that made no snapshot too"},
    {"--exit-code", NULL, CLI_FLAG, FIELD(exit_code), 0, 0,
     "exit 1 when something is due or lineage is incomplete"},
    {"--max-bytes", "SIZE", CLI_SIZE, FIELD(max_bytes), 1, INT64_MAX,
     "of input in this run; the next one goes on"},
    {"--deadline", "D", CLI_SPAN, FIELD(deadline), 1, INT64_MAX,
     "no group begins later than this (12h, 50m, 30s); what is done is committed"},
    {"--max-commits", "N", CLI_COUNT, FIELD(max_commits), 1, INT32_MAX,
     "groups are committed as they finish, in up to N commits; 1"},
    {"--option", "K=V", CLI_LIST, FIELD(option), 0, 0,
     "an option by its name in Spark's rewrite_data_files; repeatable"},
};
enum { OPTION_COUNT = sizeof OPTIONS / sizeof *OPTIONS, GLOBAL_COUNT = 16 };
_Static_assert(sizeof OPTIONS / sizeof *OPTIONS <= (size_t)CLI_OPTION_MAX,
               "a parser remembers which options it saw");

const cli_option *cli_option_at(size_t index) {
    return index < OPTION_COUNT ? &OPTIONS[index] : NULL;
}

bool cli_option_is_global(const cli_option *option) {
    return option < OPTIONS + GLOBAL_COUNT;
}

bool cli_option_of(const cli_option *option, const char *list) {
    char word[64];
    snprintf(word, sizeof word, "%s%s", option->kind == CLI_ONLY ? "only-" : "",
             option->name + strspn(option->name, "-"));
    return cli_has_word(list, word);
}

bool cli_has_word(const char *list, const char *word) {
    size_t len = strlen(word);
    for (const char *p = list; p != NULL && *p != '\0'; p += strcspn(p, " ")) {
        p += strspn(p, " ");
        if (strcspn(p, " ") == len && strncmp(p, word, len) == 0 && len > 0)
            return true;
    }
    return false;
}

void cli_parser_init(cli_parser *p, int argc, char **argv, cli_args *args) {
    memset(p, 0, sizeof *p);
    p->argc = argc;
    p->argv = argv;
    p->args = args;
    p->next = 1;
    memset(args, 0, sizeof *args);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (OPTIONS[i].kind == CLI_COUNT || OPTIONS[i].kind == CLI_SIZE || OPTIONS[i].kind == CLI_SPAN)
            *(int64_t *)(void *)((char *)args + OPTIONS[i].offset) = -1;
}

static rowline_status fail(cli_parser *p, rowline_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static rowline_status fail(cli_parser *p, rowline_status code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(p->message, sizeof p->message, format, args);
    va_end(args);
    return code;
}

/* Edits that make `a` of `b`, for words of up to 31 letters; 99 for longer ones. */
static size_t count_edits(const char *a, const char *b) {
    size_t row[32], a_len = strlen(a), b_len = strlen(b);
    if (a_len > 31 || b_len > 31)
        return 99;
    for (size_t j = 0; j <= b_len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            size_t gap = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < gap ? change : gap;
        }
    }
    return row[b_len];
}

const char *cli_nearest(const char *word, const char *(*at)(size_t index)) {
    const char *nearest = NULL;
    size_t least = strlen(word) < 4 ? 0 : strlen(word) < 6 ? 2 : 3; /* fewer edits than this */
    const char *candidate;
    for (size_t i = 0; (candidate = at(i)) != NULL; i++) {
        size_t edits = count_edits(word, candidate);
        if (edits < least) {
            least = edits;
            nearest = candidate;
        }
    }
    return nearest;
}

static const char *option_name_at(size_t index) {
    return index < OPTION_COUNT ? OPTIONS[index].name : NULL;
}

/* --- values --- */

static rowline_status read_count(cli_parser *p, const cli_option *o, const char *text, int64_t *out) {
    int64_t value = 0;
    size_t i = 0;
    for (; text[i] >= '0' && text[i] <= '9'; i++) {
        if (value > (INT64_MAX - (text[i] - '0')) / 10)
            return fail(p, ROWLINE_USAGE, "%s '%.60s': the number is too large", o->name, text);
        value = value * 10 + (text[i] - '0');
    }
    if (i == 0 || text[i] != '\0')
        return fail(p, ROWLINE_USAGE, "%s '%.60s': not a number", o->name, text);
    if (value < o->min || value > o->max)
        return fail(p, ROWLINE_USAGE, "%s '%.60s': not from %lld to %lld", o->name, text, (long long)o->min,
                    (long long)o->max);
    *out = value;
    return ROWLINE_OK;
}

static rowline_status read_size(cli_parser *p, const cli_option *o, const char *text, int64_t *out) {
    static const char *const UNITS[] = {"", "KB", "MB", "GB"};
    size_t digits = strspn(text, "0123456789");
    int unit = -1;
    for (int i = 0; i < 4; i++)
        if (strcmp(text + digits, UNITS[i]) == 0)
            unit = i;
    char number[32];
    if (digits == 0 || digits >= sizeof number || unit < 0)
        return fail(p, ROWLINE_USAGE, "%s '%.60s': not a size such as 512MB (KB, MB, GB or plain bytes)",
                    o->name, text);
    memcpy(number, text, digits);
    number[digits] = '\0';
    int64_t value;
    rowline_status st = read_count(p, o, number, &value);
    if (st != ROWLINE_OK)
        return st;
    if (value > INT64_MAX >> (10 * unit))
        return fail(p, ROWLINE_USAGE, "%s '%.60s': the size is too large", o->name, text);
    *out = value << (10 * unit);
    return ROWLINE_OK;
}

static rowline_status read_span(cli_parser *p, const cli_option *o, const char *text, int64_t *out) {
    static const struct {
        char unit;
        int64_t ms;
    } units[] = {{'d', 86400000}, {'h', 3600000}, {'m', 60000}, {'s', 1000}};
    size_t digits = strspn(text, "0123456789");
    int64_t ms = 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (text[digits] == units[i].unit && text[digits + 1] == '\0')
            ms = units[i].ms;
    char number[32];
    if (digits == 0 || digits >= sizeof number || ms == 0)
        return fail(p, ROWLINE_USAGE, "%s '%.60s': not a time such as 12h, 50m or 30s", o->name, text);
    memcpy(number, text, digits);
    number[digits] = '\0';
    int64_t value;
    rowline_status st = read_count(p, o, number, &value);
    if (st == ROWLINE_OK && value > INT64_MAX / ms)
        st = fail(p, ROWLINE_USAGE, "%s '%.60s': the time is too long", o->name, text);
    if (st == ROWLINE_OK)
        *out = value * ms;
    return st;
}

static rowline_status read_ratio(cli_parser *p, const cli_option *o, const char *text, double *out) {
    char *end = NULL;
    double value = strtod(text, &end);
    if (text[0] == '\0' || *end != '\0' || !(value > 0 && value <= 1))
        return fail(p, ROWLINE_USAGE, "%s '%.60s': not a number above 0 and at most 1", o->name, text);
    *out = value;
    return ROWLINE_OK;
}

static rowline_status push(cli_parser *p, cli_list *list, const char *text) {
    if (list->items == NULL)
        list->items = calloc((size_t)p->argc, sizeof *list->items);
    if (list->items == NULL)
        return fail(p, ROWLINE_NO_MEMORY, "no memory for the command line");
    list->items[list->count++] = text;
    return ROWLINE_OK;
}

static rowline_status set_value(cli_parser *p, const cli_option *o, const char *value) {
    void *field = (char *)p->args + o->offset;
    switch (o->kind) {
    case CLI_FLAG:
    case CLI_ONLY:
        *(bool *)field = true;
        return ROWLINE_OK;
    case CLI_TEXT:
        *(const char **)field = value;
        return ROWLINE_OK;
    case CLI_COUNT:
        return read_count(p, o, value, field);
    case CLI_SIZE:
        return read_size(p, o, value, field);
    case CLI_RATIO:
        return read_ratio(p, o, value, field);
    case CLI_SPAN:
        return read_span(p, o, value, field);
    case CLI_LIST:
        return push(p, field, value);
    case CLI_LATER:
        break;
    }
    return fail(p, ROWLINE_UNSUPPORTED, "%s is not supported yet", o->name);
}

/* --- words --- */

static size_t find_option(const cli_parser *p, const char *name, size_t len) {
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const cli_option *o = &OPTIONS[i];
        bool named = strlen(o->name) == len && strncmp(o->name, name, len) == 0;
        if (named && (o->kind != CLI_ONLY || cli_option_of(o, p->allowed)))
            return i;
    }
    return OPTION_COUNT;
}

static rowline_status fail_unknown(cli_parser *p, const char *word, size_t len) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(len < 60 ? len : 60), word);
    const char *nearest = cli_nearest(name, option_name_at);
    if (nearest != NULL)
        return fail(p, ROWLINE_USAGE, "unknown option '%s'; did you mean %s?", name, nearest);
    return fail(p, ROWLINE_USAGE, "unknown option '%s'", name);
}

static rowline_status read_option(cli_parser *p, const char *word) {
    const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    size_t len = equals != NULL ? (size_t)(equals - word) : strlen(word);
    size_t index = find_option(p, word, len);
    if (index == OPTION_COUNT && strcmp(word, "-h") == 0)
        index = find_option(p, "--help", 6);
    if (index == OPTION_COUNT && strcmp(word, "-o") == 0)
        index = find_option(p, "--output", 8);
    if (index == OPTION_COUNT)
        return fail_unknown(p, word, len);
    const cli_option *o = &OPTIONS[index];
    const char *value = equals != NULL ? equals + 1 : NULL;
    if (o->kind == CLI_LATER)
        return set_value(p, o, value);
    if (o->metavar == NULL && value != NULL)
        return fail(p, ROWLINE_USAGE, "%s takes no value", o->name);
    if (o->metavar != NULL && p->seen[index] && o->kind != CLI_LIST)
        return fail(p, ROWLINE_USAGE, "%s is given twice", o->name);
    if (o->metavar != NULL && value == NULL) {
        if (p->next == p->argc)
            return fail(p, ROWLINE_USAGE, "%s needs a value: %s %s", o->name, o->name, o->metavar);
        value = p->argv[p->next++];
    }
    p->seen[index] = true;
    return set_value(p, o, value);
}

rowline_status cli_parser_next(cli_parser *p, const char **word) {
    *word = NULL;
    while (p->next < p->argc) {
        const char *arg = p->argv[p->next++];
        if (!p->ended && strcmp(arg, "--") == 0) {
            p->ended = true;
        } else if (p->ended || arg[0] != '-' || arg[1] == '\0') {
            *word = arg;
            return ROWLINE_OK;
        } else {
            rowline_status st = read_option(p, arg);
            if (st != ROWLINE_OK)
                return st;
        }
    }
    return ROWLINE_OK;
}

const char *cli_parser_stray(const cli_parser *p, const char *allowed) {
    for (size_t i = GLOBAL_COUNT; i < OPTION_COUNT; i++)
        if (p->seen[i] && !cli_option_of(&OPTIONS[i], allowed))
            return OPTIONS[i].name;
    return NULL;
}
